"""The requests of a board in a browser or notebook to a session, and the answers: plain data both ways."""

from collections.abc import Callable, Sequence
from importlib import resources
from typing import Any

from agents import zoo
from agents.agent import Agent, plays
from agents.play.hints import SHARE, Hint
from agents.play.session import Session
from agents.play.terminal import due, ending
from agents.reference import NAMES
from mancala_env.games import RULESETS, ruleset
from mancala_env.replay import Replay
from mancala_env.replay.board import board_spec

OPPONENTS = (
    "random", "greedy", "minimax:depth=2", "minimax:depth=4", "minimax:depth=6", "minimax:depth=8", "minimax:depth=10",
    "mcts:simulations=200", "mcts:simulations=2000", *NAMES,
)  # fmt: skip
CHANGING = ("new", "move", "reply", "undo", "redo", "load")  # requests that change the game
MAX_TEXT = 60_000  # characters of a saved game that is sent to be loaded


class Stale(ValueError):
    """A request about a position that is no longer the one on the board."""


class PlayApi:
    """A session as a browser sees it.

    Parameters
    ----------
    session : Session
    begin : function, optional
        From (game, opponent, seat, seed) of the request ``new`` to another session; raises ValueError.
    """

    def __init__(self, session: Session, begin: Callable[[str, str, int, int], Session] | None = None) -> None:
        self.session = session
        self._begin = begin
        self._answers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "open": lambda _: self.game(whole=True),
            "new": self._new,
            "move": self._move,
            "reply": self._reply,
            "undo": lambda _: self._back(self.session.undo),
            "redo": lambda _: self._back(self.session.redo),
            "hint": lambda _: self._told(self.session.hint()),
            "opinion": lambda _: self._told(self.session.opinion()),
            "save": lambda _: {"text": self.session.save()},
            "load": self._load,
        }

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request ``{"command": ..., "ply": moves so far}``, as plain data for JSON.

        Raises
        ------
        Stale
            If the request is about another position than that on the board.
        ValueError
            If the request cannot be understood or cannot be fulfilled.
        RuntimeError
            If the agent fails.
        """
        command = request.get("command")
        found = self._answers.get(command) if isinstance(command, str) else None
        if found is None:
            raise ValueError(f"{command!r} is not a request; requests are {', '.join(self._answers)}")
        if command not in ("open", "new", "load", "save") and request.get("ply") != len(self.session.actions):
            raise Stale("the board has changed meanwhile")
        return found(request)

    def game(self, whole: bool = False) -> dict[str, Any]:
        """The game as ``play.js`` reads it: the board and all positions if ``whole``, else only the last position."""
        session, state = self.session, self.session.state
        states, actions = session.states, session.actions
        first = 0 if whole else max(0, len(actions) - 1)
        shown = Replay(rules=session.rules, states=states[first:], actions=actions[first:])
        fresh = slice(0 if whole else -1, None)
        told: dict[str, Any] = {
            "rules": session.rules_text,
            "players": list(session.names),
            "seat": session.seat,
            "ply": len(actions),
            "from": first if whole else len(actions),
            "rows": shown.table()[fresh].tolist(),
            "told": [events.ravel().tolist() for events in shown.events()[fresh]],
            "texts": shown.texts()[fresh],
            "legal": [[action, state.pit(action), state.name(action)] for action in state.legal_actions],
            "due": due(state),
            "turn": "over" if state.is_over else "person" if session.is_persons_turn else "agent",
            "result": ending(state, session.seat) if state.is_over else "",
            "final": Replay(rules=session.rules, states=states[-1:], actions=[]).final,
            "ends": [[end.ply, end.short(session.seat)] for end in session.game_ends],
            "news": " ".join(end.full(session.seat) for end in session.news),
            "canUndo": session.can_undo,
            "canRedo": session.can_redo,
        }
        if whole:
            told["board"] = board_spec(session.rules)
        return {"game": told}

    def _new(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._begin is None:
            raise ValueError("no other game can be begun here")
        rules, against, seat, seed = (request.get(name) for name in ("rules", "against", "seat", "seed"))
        if not isinstance(rules, str) or not isinstance(against, str):
            raise ValueError("a new game needs rules and an opponent")
        self.session = self._begin(rules, against, _whole(seat, "seat"), _whole(seed, "seed"))
        return self.game(whole=True)

    def _move(self, request: dict[str, Any]) -> dict[str, Any]:
        self.session.play(_whole(request.get("action"), "action"))
        return self.game()

    def _reply(self, _: dict[str, Any]) -> dict[str, Any]:
        self.session.reply()
        return self.game()

    def _back(self, step: Callable[[], object]) -> dict[str, Any]:
        step()
        return self.game(whole=True)

    def _load(self, request: dict[str, Any]) -> dict[str, Any]:
        text = request.get("text")
        if not isinstance(text, str) or len(text) > MAX_TEXT:
            raise ValueError(f"a saved game is a text of at most {MAX_TEXT:,} characters")
        self.session.load(text)
        return self.game(whole=True)

    def _told(self, found: Hint) -> dict[str, Any]:
        state = self.session.state
        values: dict[int, float] = {}  # of the better direction, where a pit has two
        for action, value in found.values.items():
            if (pit := state.pit(action)) is not None:
                values[pit] = max(value, values.get(pit, value))
        return {
            "values": [[pit, value] for pit, value in values.items()],
            "percent": found.unit == SHARE,
            "best": state.pit(found.best),
            "name": state.name(found.best),
            "told": found.told(state),
            "text": state.trace(found.best).text,
        }


def choices(rules: str, against: Sequence[str | Agent]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Games to choose from, this one first, and the opponents that play this one (``agents.agent.plays``).

    Opponents are those given, common ones, and the trained agents of the zoo; in this order.
    """
    game = ruleset(rules)
    known = {who if isinstance(who, str) else who.name: who for who in against}
    for name in (*OPPONENTS, *(f"zoo:{name}" for name in (*zoo.names(), *zoo.evaluations()))):
        known.setdefault(name, name)
    return tuple(dict.fromkeys((rules, *RULESETS))), tuple(name for name, who in known.items() if plays(who, game))


def offers(games: Sequence[str], against: Sequence[str | Agent]) -> dict[str, tuple[str, ...]]:
    """For each game the opponents that play it: ``choices``."""
    return {game: choices(game, against)[1] for game in games}


def solitaires(games: Sequence[str]) -> list[str]:
    """Those of the games that one person plays alone."""
    return [game for game in games if ruleset(game).players == 1]


def play_asset(name: str) -> str:
    """The text of a file in the folder of this module."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _whole(value: object, name: str) -> int:
    if type(value) is not int:
        raise ValueError(f"{name} must be a whole number, not {value!r}")
    return value
