"""The requests of a board in a browser or notebook to a session, and the answers: plain data both ways."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from importlib import resources
from threading import Event
from typing import Any

from agents.agent import Agent, plays
from agents.play.examples import examples, listed
from agents.play.guide import guidance
from agents.play.lobby import LADDER, length_of, offered, opponents, rated, titled
from agents.play.session import POINTS, REVIEW_NODES, SEATS, Hint, Session, grading, prospects
from agents.play.terminal import due
from mancala_env.checks import kept_fields
from mancala_env.ending import aim, left_to_win
from mancala_env.games import ruleset
from mancala_env.notation import position_array, read
from mancala_env.render.svg import board_svg
from mancala_env.replay import Replay
from mancala_env.replay.board import board_spec, columns
from mancala_env.rules import Match, Ruleset
from mancala_env.rules.describe import BY_NAME, sections
from mancala_env.state import State
from mancala_env.words import joined

# Scripts of a board, after those of ``mancala_env.replay``.
TABLE = ("sound.js", "rules.js", "editor.js", "finder.js", "lobby.js", "play.js")
CHANGING = ("new", "move", "reply", "undo", "redo", "load", "resign")  # requests that change the game
LOBBY = ("opponents", "picture")  # about no game that is being played
ABOUT_ANY = ("open", "new", "load", "save", "rules", "example", *LOBBY)  # not about one position
UNCHANGING = ("rules",)  # that need not wait for a move that is being thought about
OF_PITS = ("owner", "marks")  # fields that are changed pit by pit, where a game keeps them
MAX_TEXT = 60_000  # characters of a saved game that is sent to be loaded
PICTURE = 320  # pixels across
NUMBERS = {  # what the numbers beside pits and players' names mean
    "pits": "The number beside a pit: the seeds in it.",
    "stores": "Seeds: won so far; what is captured goes into the store, the long hollow beside the player's name.",
    "to clear": "To clear: seeds that still lie in this player's block.",
    "in play": "In play: seeds that lie in this player's pits.",
    "reserve": "In hand: seeds that this player has yet to lay on the board, one each turn.",
    "of in reserve": "In reserve: seeds won in earlier games that the game on the board does not need; they count for "
    "the match.",
    "of points": "Points: what earlier games of the match have brought.",
    "of wins": "Wins: games of the match won so far.",
    "of pits": "Pits: how many pits this player owns in this game of the match.",
}
LISTED = re.compile(r"(\d+, ){5}")  # seeds of a start that is better drawn
POINTS_MEAN = " Points are the search's own estimate: above 0 is good for who moves."


class Stale(ValueError):
    """A request about a position that is no longer the one on the board."""


def answered(answer: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """An answer, or ``error``, which says why there is none; with ``stale`` if the page shows another position."""
    try:
        return answer()
    except Stale as error:
        return {"error": str(error), "stale": True}
    except (ValueError, RuntimeError, ImportError, OSError) as error:
        return {"error": str(error)}


class PlayApi:
    """A session as a browser sees it. ``begin`` makes another from (game, opponent, seat, seed) of the request ``new``,
    or raises ValueError; ``against`` are opponents besides those of ``agents.play.lobby``."""

    def __init__(
        self,
        session: Session,
        begin: Callable[[str, str, int, int], Session] | None = None,
        against: Sequence[str | Agent] = (),
    ) -> None:
        self.session, self._guided = session, False
        self._begin, self._against, self._own = begin, tuple(against), session.rules_text
        self._stop = Event()
        self._answers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "open": lambda _: self.game(whole=True),
            "new": self._new,
            "move": self._move,
            "reply": self._reply,
            "undo": lambda _: self._back(self.session.undo),
            "redo": lambda _: self._back(self.session.redo),
            "hint": self._hint,
            "try": self._try,
            "save": lambda _: {"text": self.session.save()},
            "load": self._load,
            "resign": lambda _: self._back(self.session.resign),
            "rules": self._rules,
            "example": self._example,
            "position": self._position,
            **{name: partial(lobby_answer, games=(self._own,), against=self._against) for name in LOBBY},
            "analyse": self._analyse,
        }

    def stop(self) -> None:
        """Let the agent play what it has found so far. For another thread, while a request is being answered."""
        if not self.session.is_persons_turn:
            self._stop.set()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request ``{"command": ..., "ply": moves so far}``, as plain data for JSON. Stale if it is
        about another position, ValueError if it makes no sense or cannot be fulfilled, RuntimeError if the agent
        fails."""
        command = request.get("command")
        found = self._answers.get(command) if isinstance(command, str) else None
        if found is None:
            raise ValueError(f"{command!r} is not a request; requests are {', '.join(self._answers)}")
        if command not in ABOUT_ANY and request.get("ply") != len(self.session.actions):
            raise Stale("the board has changed meanwhile")
        return found(request)

    def game(self, whole: bool = False) -> dict[str, Any]:
        """The game as ``play.js`` reads it: the board and all positions if ``whole``, else only the last position."""
        session, state = self.session, self.session.state
        states, actions = session.states, session.actions
        first = 0 if whole else max(0, len(actions) - 1)
        shown = Replay(rules=session.rules, states=states[first:], actions=actions[first:])
        over = session.is_over
        fresh = slice(0 if whole else -1, None)
        told: dict[str, Any] = {
            "rules": session.rules_text,
            "name": session.rules.name,
            "title": titled(session.rules),
            "aim": aim(session.rules),
            "against": session.against,
            "seed": session.seed,
            "players": list(session.names),
            "level": level_of(session.against),
            "seat": session.seat,
            "shared": session.is_shared,
            "visited": session.visited,
            "free": session.is_free,
            "opening": session.opening,
            "moves": list(actions[first:]),
            "ply": len(actions),
            "from": first if whole else len(actions),
            "rows": shown.table()[fresh].tolist(),
            "told": [events.ravel().tolist() for events in shown.events()[fresh]],
            "texts": shown.texts()[fresh],
            "legal": [[action, state.pit(action), state.name(action)] for action in state.legal_actions],
            "due": due(state),
            "asks": self._asks(),
            "turn": "over" if over else "person" if session.is_persons_turn else "agent",
            "result": session.result,
            "final": Replay(rules=session.rules, states=states[-1:], actions=[]).final,
            "ends": Replay(rules=session.rules, states=states, actions=actions).ends(session.addressed),
            "left": "" if over else left_to_win(session.rules, state.array),
            "match": 0 if session.rules.match is Match.NONE or session.rules.max_games == 1 else state.game,
            "news": " ".join(end.full(session.addressed) for end in session.news),
            "guided": self._guided,
            "guide": guidance(session.states, session.seat) if self._guided else "",
            "canUndo": session.can_undo,
            "canRedo": session.can_redo,
        }
        if whole:
            told["board"] = board_spec(session.rules)
        return {"game": told}

    def _asks(self) -> str:
        """What was played last, in all of the turn that is over, and that a person is to move."""
        session, state = self.session, self.session.state
        names = [*SEATS] if session.is_shared else ["You", "You"]
        if not session.is_shared and session.rules.players == 2:
            names[1 - session.seat] = level_of(session.against) or session.names[1 - session.seat]
        told, again = "", ""
        ended, played = max((end.ply for end in session.game_ends), default=0), len(session.actions)
        if ended < played:
            mover = session.states[-2].player
            again = " again" if mover == state.player else ""
            first = (k for k in range(played - 1, ended, -1) if again or session.states[k - 1].player != mover)
            moves = [session.states[k].name(session.actions[k]) for k in range(next(first, ended), played)]
            told = f"{names[mover]} played {joined(moves)}. "
        if asked := due(state):
            return told + asked
        if all(state.pit(action) is None for action in state.legal_actions):
            return f"{told}{names[state.player]} must pass."
        whose = f"{names[state.player]}'s" if session.is_shared else "Your"
        return f"{told}{whose} turn{again}."

    def _new(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._begin is None:
            raise ValueError("no other game can be begun here")
        rules, against, seat, seed = (request.get(name) for name in ("rules", "against", "seat", "seed"))
        if against is None and isinstance(rules, str):
            last = self.session  # whose opponent plays where the page names nobody, if it can
            against = last.against if offered(rules, (self._own,)) and plays(last.agent, rules) else "greedy"
        if not isinstance(rules, str) or not isinstance(against, str):
            raise ValueError("a new game needs rules and an opponent")
        session = self._begin(rules, against, _whole(seat, "seat"), _whole(seed, "seed"))
        position, moves = request.get("position"), request.get("moves") or []
        if position is not None and (not isinstance(position, str) or len(position) > MAX_TEXT):
            raise ValueError(f"a position is a text of at most {MAX_TEXT:,} characters")
        if not isinstance(moves, list) or len(moves) > MAX_TEXT:
            raise ValueError(f"moves are a list of at most {MAX_TEXT:,} actions")
        session.lay_out(position, [_whole(action, "a move") for action in moves], request.get("visited") is True)
        self.session, self._guided = session, request.get("guided") is True
        return self.game(whole=True)

    def _move(self, request: dict[str, Any]) -> dict[str, Any]:
        self._stop.clear()
        self.session.play(_whole(request.get("action"), "action"))
        return self.game()

    def _reply(self, _: dict[str, Any]) -> dict[str, Any]:
        try:
            self.session.reply(self._stop.is_set)
        finally:
            self._stop.clear()  # afterwards: who asked before the search began is heard, too
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

    def _rules(self, request: dict[str, Any]) -> dict[str, Any]:
        """The rules in words; ``drawn``: the sentence that a ``picture`` stands for, where it lists many seeds."""
        rules = self.session.rules
        told = [[heading, said] for heading, said in sections(rules).items() if heading != BY_NAME]
        spec = board_spec(rules)
        shown = ("pits", *["stores"] * spec["hasStores"], spec["counted"], *["reserve"] * ("reserve" in spec["at"]))
        numbers = [NUMBERS[each] for each in (*shown, f"of {spec['tally']}") if each in NUMBERS]
        drawn = next(filter(LISTED.search, told[0][1]), "")
        picture = start_picture(rules, dark=request.get("dark") is True) if drawn else ""
        about = {"title": titled(rules), "aim": aim(rules), "about": rules.about, "numbers": numbers}
        return about | {"sections": told, "drawn": drawn, "picture": picture}

    def _example(self, request: dict[str, Any]) -> dict[str, Any]:
        """A move that shows a rule; what ``found`` lists if the request does not say of which."""
        rules, of = self.session.rules, request.get("of")
        if of is None:
            return {"found": listed(rules)}
        if not isinstance(of, str) or of not in examples(rules):
            raise ValueError(f"there is no example of {str(of)[:80]!r}")
        return examples(rules)[of].told()

    def _analyse(self, request: dict[str, Any]) -> dict[str, Any]:
        found = self.session.review(_whole(request.get("at"), "at"))
        return found | {"grading": grading(found["unit"])}

    def _variation(self, request: dict[str, Any]) -> Session:
        line = request["line"]
        if not isinstance(line, list) or len(line) > MAX_TEXT:
            raise ValueError(f"a line is a list of at most {MAX_TEXT:,} actions")
        return self.session.variation(_whole(request.get("at"), "at"), [_whole(action, "a move") for action in line])

    def _try(self, request: dict[str, Any]) -> dict[str, Any]:
        """The last position of a variation: the game that ``line`` makes of the position ``at``, which is told, too."""
        told = PlayApi(self._variation({"line": [], **request})).game()
        told["game"]["at"] = request["at"]
        return told

    def _position(self, request: dict[str, Any]) -> dict[str, Any]:
        """A position that can be changed (``editable``): of a ``text``, with a ``row`` of changes; without a text, of a
        variation. ``refused`` says why there is none such."""
        text, row = request.get("text"), request.get("row")
        try:
            if text is None:
                text = str(self._variation(request).state)
            if not isinstance(text, str) or len(text) > MAX_TEXT or not isinstance(row, list | None):
                raise ValueError(f"a position is a text of at most {MAX_TEXT:,} characters, and its row a list")
            state = State.parse(self.session.rules, text.strip())
            return editable(state if row is None else edited(state, row))
        except ValueError as error:
            names = self.session.rules.board.names  # by which players know the pits that rules number
            return {"refused": re.sub(r"\bpit (\d+)", lambda found: f"pit {names[int(found[1])]}", str(error))}

    def _hint(self, request: dict[str, Any]) -> dict[str, Any]:
        if "line" not in request:
            return self._told(self.session.state, self.session.hint())
        tried = self._variation(request)
        return self._told(tried.state, tried.hint(REVIEW_NODES))

    def _told(self, state: State, found: Hint) -> dict[str, Any]:
        values: dict[int, float] = {}  # of the better direction, where a pit has two
        for action, value in found.values.items():
            if (pit := state.pit(action)) is not None:
                values[pit] = max(value, values.get(pit, value))
        return {
            "values": [[pit, value] for pit, value in values.items()],
            "means": POINTS_MEAN if found.unit == POINTS else "",
            "value": prospects(state, found),
            "unit": found.unit,
            "action": found.best,
            "best": state.pit(found.best),
            "name": state.name(found.best),
            "told": found.told(state),
            "text": state.trace(found.best).text,
        }


def editable(state: State) -> dict[str, Any]:
    """A position: ``text`` for ``State.parse``, its ``row`` (``columns``), and why nobody plays on from it, or ""."""
    shown = Replay(rules=state.rules, states=[state], actions=[])
    refused = f"The game is over in this position: {state.ending}." if state.is_over else ""
    return {"text": state.to_line(), "row": shown.table()[0].tolist(), "refused": refused}


def edited(state: State, row: list[Any]) -> State:
    """A position with the seeds, the mover and ``OF_PITS`` of a row. ValueError if there is none such."""
    rules, at = state.rules, columns(state.rules)
    n, said = rules.board.pits, read(rules, str(state))
    if len(row) != at["width"]:
        raise ValueError(f"{rules.name}: a row has {at['width']} numbers, not {len(row)}")
    more = {name: row[at[name] : at[name] + n] for name in OF_PITS if name in kept_fields(rules)}
    return rules.position(row[:n], row[n : n + 2], row[at["mover"]], said.ply, **said.more | more)


def level_of(name: str) -> str:
    """The level of an opponent, as a lobby says it; "" if it is on no rung of the ladder."""
    level = rated(name).level
    return level if level in LADDER else ""


def lobby_answer(request: dict[str, Any], games: Sequence[str], against: Sequence[str | Agent]) -> dict[str, Any]:
    """The answer to a request of ``LOBBY``: the ``picture`` of a board at the start, or a game's ``opponents``, also
    of ``games`` and ``against`` besides those of the lobby. ValueError if there is no such game here."""
    text = request.get("rules")
    if not isinstance(text, str) or not offered(text, games):
        raise ValueError(f"{str(text)[:80]!r} is none of the games here")
    rules = ruleset(text)
    if request.get("command") == "picture":
        return {"svg": start_picture(rules, dark=request.get("dark") is True)}
    found = [each[:3] for each in opponents(rules, against)]
    return {"opponents": found, "aim": aim(rules), "length": length_of(rules)}


def start_picture(rules: Ruleset, *, dark: bool = False) -> str:
    """The board at the start, as SVG; no kernel is called, so none has to be compiled."""
    marks = {"marks": rules.setup_marks} if rules.setup_marks else {}
    array = position_array(rules, rules.start_pits, rules.start_stores, 0, 0, marks)
    return board_svg(rules, array, size=PICTURE, dark=dark)


def play_asset(name: str) -> str:
    """The text of a file in the folder of this module."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _whole(value: object, name: str) -> int:
    if type(value) is not int:
        raise ValueError(f"{name} must be a whole number, not {value!r}")
    return value
