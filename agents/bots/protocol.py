"""The host's side of the protocol (``docs/protocol.md``): what to write to a bot, and what its lines mean."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from agents.bots.process import BotFault, Process
from agents.search_info import SearchInfo
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import as_plain
from mancala_env.rules.spec import rule_changes
from mancala_env.state import State
from mancala_env.words import printable

MAX_SEED = (1 << 63) - 1
QUIT, STOP = "quit\n", "stop\n"
_TOLD: dict[str, tuple[re.Pattern[str], type]] = {
    "depth": (re.compile(r" depth (\d{1,5})(?= |$)"), int),
    "value": (re.compile(r" score seeds (-?\d{1,6}(?:\.\d{1,6})?)(?= |$)"), float),
    "illegal": (re.compile(r" illegal (\d{1,5})(?= |$)"), int),
    "tokens": (re.compile(r" tokens (\d{1,9})(?= |$)"), int),
}


class Greeting(NamedTuple):
    """What a bot said of itself: each option with what it said about it, and its games; empty where it did not say."""

    name: str = ""
    author: str = ""
    options: Mapping[str, str] = {}
    games: tuple[str, ...] = ()


def greet(process: Process, seconds: float) -> Greeting:
    """``uci``, and what the bot says of itself. Raises BotFault if it does not greet in time."""
    known: dict[str, str] = {}
    said = {"name": "", "author": "", "games": ""}

    def heard(line: str) -> None:
        word, _, rest = line.partition(" ")
        kind, _, text = rest.strip().partition(" ")
        if word == "id" and kind in said:
            said[kind] = text.strip()
        elif word == "option" and kind == "name":
            option, _, about = text.partition(" type ")
            known[option.strip()] = about.strip()

    process.ask("uci\n", "uciok", seconds, heard)
    process.ask("isready\n", "readyok", seconds)
    return Greeting(said["name"], said["author"], known, tuple(said["games"].split()))


def announce(process: Process, seconds: float, rules: Ruleset, seed: int | None) -> None:
    """The rules, the seed (None: the bot has no such option), ``ucinewgame``. BotFault if it does not play the game."""
    process.ask("isready\n", "readyok", seconds)  # whatever it still wrote about the last game has been read
    lines = rules_lines(rules)
    replies: list[str] = []
    process.ask(f"{lines}isready\n", "readyok", seconds, replies.append)
    if not (answers := replies_to_rules(replies)):
        asked = one_line(lines.splitlines()[0])
        raise BotFault("refused", f"did not answer to {asked!r} with rulesok or refused", process.stderr)
    word, _, why = answers[-1].partition(" ")
    if word == "refused":
        raise BotFault("refused", f"{rules.name}: {one_line(why) if why else 'said no reason'}", process.stderr)
    seeding = "" if seed is None else f"setoption name Seed value {seed}\n"
    process.ask(f"{seeding}ucinewgame\nisready\n", "readyok", seconds)


def replies_to_rules(lines: Iterable[str]) -> list[str]:
    """Those of a bot's lines that say whether it plays the rules it has been told."""
    return [line for line in lines if line.split(" ")[0] in ("rulesok", "refused")]


def rules_lines(rules: Ruleset) -> str:
    """The lines that tell a bot which game comes next: ``rules NAME {changes}``, left out where text cannot name them,
    and all of its rules as data."""
    data = f"ruleset {json.dumps(as_plain(rules, whole=True), separators=(',', ':'))}\n"
    try:
        changes = rule_changes(rules)
    except ValueError:
        return data
    return f"rules {rules.name} {json.dumps(changes, separators=(',', ':'), sort_keys=True)}\n{data}"


class Game:
    """The opening of a game with its history and the moves so far, as they are told; only new moves are played.
    ``lead``: the actions from the start to the opening, else those of its history if complete; ValueError if they do
    not lead there."""

    def __init__(self, opening: State, lead: Sequence[int] | None = None) -> None:
        self._opening = self._reached = opening
        self._played: tuple[int, ...] = ()
        self._names: list[str] = []
        self._line, _, moves = opening.to_line().partition(" moves")
        self._line += f" moves{moves}"
        self._lead = moves.split() if self._line.startswith(f"{opening.rules.start()} moves") else None
        if lead is not None:
            state, self._lead = opening.rules.start(), []
            for action in lead:
                self._lead.append(state.name(action))
                state = state.play(action)
            if state != opening:
                raise ValueError(f"the actions {list(lead)} lead to {state}, not to the opening {opening}")

    def begins_with(self, opening: State, actions: tuple[int, ...]) -> bool:
        """Did it begin with this position and history, and with these actions as far as they have been told?"""
        here = self._opening
        same = here is opening or (here == opening and here.history.tolist() == opening.history.tolist())
        return same and actions[: len(self._played)] == self._played

    def question(self, actions: tuple[int, ...], state: State, limits: Mapping[str, float | None]) -> str:
        """The lines that ask for a move: ``position``, ``startpos`` if known, ``board``, ``isready`` and ``go`` with
        ``limits``, in seconds, as milliseconds, rounded down. ValueError if the actions do not lead to the position."""
        reached, names = self._reached, []
        for action in actions[len(self._played) :]:
            names.append(reached.name(action))
            reached = reached.play(action)
        if reached != state:
            raise ValueError(f"the actions lead from {self._opening} to {reached}, not to {state}")
        self._reached, self._played = reached, actions
        self._names += names
        known = {name: seconds for name, seconds in limits.items() if seconds is not None}
        asked = "".join(f"{name} {max(0, math.floor(1000 * seconds))} " for name, seconds in known.items())
        begun = "" if self._lead is None else f"{' '.join(['startpos', 'moves', *self._lead, *self._names])}\n"
        return (
            f"position {' '.join([self._line, *self._names])}\n{begun}board {state}\nisready\n"
            f"go {asked}searchmoves {' '.join(state.name(action) for action in state.legal_actions)}\n"
        )


class Listener:
    """Takes in the lines that follow a question, up to the move. ``awaited`` is the word that is missing as long as no
    move has come, ``said`` the last remark, ``told`` what came with the answer."""

    def __init__(self) -> None:
        self.awaited, self.said, self.info = "readyok", "", SearchInfo()

    def hear(self, line: str) -> str | None:
        """The move that a line names, "" if it names none; None: go on reading."""
        word, *rest = line.split(maxsplit=2) or [""]
        if self.awaited == "readyok":  # lines before it belong to an older question
            self.awaited = "bestmove" if word == "readyok" else "readyok"
        elif line.startswith("info string"):
            self.said = line[len("info string") :].strip()
        elif word == "info":
            told: dict[str, Any] = {
                name: read(found[1]) for name, (pattern, read) in _TOLD.items() if (found := pattern.search(line))
            }
            self.info = self.info._replace(**told)
        elif word == "bestmove":
            return rest[0] if rest else ""
        return None

    @property
    def remark(self) -> str:
        """The last remark as something to append to a line of text."""
        return f"; it said: {one_line(self.said)}" if self.said else ""


def not_among(games: Sequence[str], rules: Iterable[Ruleset]) -> str:
    """The game that a bot with an announced list of games does not play; "" if there is none, or no list."""
    return next((each.name for each in rules if games and each.name not in games), "")


def one_line(what: object, most: int = 80) -> str:
    """Anything as something to quote: one line of printable text, of so many characters."""
    text = printable(" ".join(str(what).split()))
    return text if len(text) <= most else text[:most] + "..."
