"""A board to play on in a notebook: ``PlayWidget("kalah", against="minimax:depth=4")``. Needs anywidget."""

from threading import RLock, Thread
from typing import Any

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise ImportError('PlayWidget needs anywidget: pip install -e ".[notebook]"') from error

from agents.agent import as_agent
from agents.play.api import CHANGING, LOBBY, TABLE, UNCHANGING, PlayApi, answered, play_asset
from agents.play.lobby import card, measured
from agents.play.session import Session
from agents.play.terminal import read_move
from agents.tournament.record import GameRecord
from mancala_env.games import RULESETS
from mancala_env.replay.page import asset, theme
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import text_of
from mancala_env.state import State

SCOPE = ".mancala-play"
SEARCHING = ("reply", "hint", "analyse")  # requests that take a search


class PlayWidget(anywidget.AnyWidget):
    """A game against an agent, on a board that can be clicked.

    A move on the board shows at once in ``state``, ``actions`` and ``record``, a move from Python on the board.
    ValueError if there is no such game, agent or theme, or the agent does not play this game.

    Parameters
    ----------
    rules, against : a game, with changes where it has some (``kalah:pits_per_row=4``), or a ruleset; what ``as_agent``
        takes
    seat, seed : the person's seat, 0 South (who moves first) or 1 North, and the seed of the agent's choices
    theme : ``light``, ``dark``, or ``auto`` for what the notebook has; can be set later

    Attributes
    ----------
    position : ``str(state)``; a trait, so that changes can be observed
    """

    _esm = "\n".join([asset("board.js"), asset("viewer.js"), *map(play_asset, (*TABLE, "widget.js"))])
    _css = "\n".join([theme(SCOPE), asset("viewer.css"), play_asset("play.css")])
    theme = traitlets.Unicode("auto").tag(sync=True)
    position = traitlets.Unicode("", read_only=True).tag(sync=True)

    def __init__(
        self,
        rules: str | Ruleset = "kalah",
        against: Any = "minimax:depth=4",
        seat: int = 0,
        *,
        seed: int = 0,
        theme: str = "auto",
    ) -> None:
        against = against if isinstance(against, str) else as_agent(against)
        rules = text_of(rules) if isinstance(rules, Ruleset) else rules
        session = Session(rules, against, seat=seat, seed=seed)
        name = against if isinstance(against, str) else against.name
        self._first = (name, against)
        self._choices = {
            "cards": [card(name) for name in dict.fromkeys((rules, *RULESETS))], "rated": {}, "measured": measured(),
            "canStop": True, "first": {"rules": rules, "against": name, "seat": seat, "seed": seed},
        }  # fmt: skip
        self._desk, self._busy = PlayApi(session, self._begin, (against,)), RLock()
        session.replies()
        super().__init__(theme=theme)
        self._tell_position()
        self.on_msg(self._asked)

    @traitlets.validate("theme")
    def _check_theme(self, proposal: Any) -> str:
        value = str(proposal["value"])
        if value not in ("auto", "light", "dark"):
            raise ValueError(f"theme is 'auto', 'light' or 'dark', not {value!r}")
        return value

    @property
    def session(self) -> Session:
        """The session that the board shows; after changing it, call ``refresh``."""
        return self._desk.session

    @property
    def state(self) -> State:
        """The position on the board."""
        return self.session.state

    @property
    def actions(self) -> tuple[int, ...]:
        """The moves so far, of both."""
        return self.session.actions

    @property
    def record(self) -> GameRecord:
        """The game so far, finished or not."""
        return self.session.record

    def play(self, move: int | str) -> State:
        """Play an action, or a move by its name ("C"), and let the agent answer; returns the position after that.
        ValueError if the move is not legal, RuntimeError if the agent fails."""
        with self._busy:
            self.session.play(read_move(self.state, move) if isinstance(move, str) else move)
            try:
                self.session.replies()
            finally:
                self.refresh()
            return self.state

    def refresh(self) -> None:
        """Show the game as it is now."""
        self._tell_position()
        self.send({"changed": ""})

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """With a picture of the position, for pages on which no kernel runs."""
        shown = super()._repr_mimebundle_(**options)
        return shown and (shown[0] | {"image/svg+xml": self.state.to_svg()}, shown[1])

    def _begin(self, rules: str, against: str, seat: int, seed: int) -> Session:
        name, agent = self._first
        return Session(rules, agent if against == name else against, seat=seat, seed=seed)

    def _tell_position(self) -> None:
        self.set_trait("position", str(self.state))

    def _asked(self, _: object, request: Any, __: object = None) -> None:
        """A request of a board on the page; there may be several boards of one widget."""
        if not isinstance(request, dict):
            return
        command = request.get("command")
        if command == "stop":
            self._desk.stop()
            self.send({"id": request.get("id")})
        elif command in (*LOBBY, *UNCHANGING):
            self._answer(request)
        elif command not in SEARCHING and self._busy.acquire(blocking=False):
            try:
                self._answer(request)
            finally:
                self._busy.release()
        else:  # in a thread, so that a request to stop is heard meanwhile, and cells of the notebook run
            Thread(target=self._answer_in_turn, args=(request,), daemon=True).start()

    def _answer_in_turn(self, request: dict[str, Any]) -> None:
        with self._busy:
            self._answer(request)

    def _answer(self, request: dict[str, Any]) -> None:
        told = {"id": request.get("id"), **answered(lambda: self._desk.answer(request))}
        if "error" not in told and request["command"] == "open":
            told["choices"] = self._choices
        self._tell_position()
        self.send(told)
        if "error" not in told and request.get("command") in CHANGING:
            self.send({"changed": request.get("view")})
