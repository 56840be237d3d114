"""This project's own protocol (``docs/protocol.md``), in which every game can be played."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from agents.bots.process import BotFault, Process
from agents.bots.protocols.base import Greeting, Protocol, Question, Reply, milliseconds, one_line
from agents.search_info import SearchInfo
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import as_plain
from mancala_env.rules.spec import rule_changes
from mancala_env.state import State

_TOLD: dict[str, tuple[re.Pattern[str], type]] = {
    "depth": (re.compile(r" depth (\d{1,5})(?= |$)"), int),
    "value": (re.compile(r" score seeds (-?\d{1,6}(?:\.\d{1,6})?)(?= |$)"), float),
    "illegal": (re.compile(r" illegal (\d{1,5})(?= |$)"), int),
    "tokens": (re.compile(r" tokens (\d{1,9})(?= |$)"), int),
}


@dataclass
class Mancala(Protocol):
    """Lines in the form of UCI; rules, positions and legal moves are told with every question."""

    name: ClassVar[str] = "mancala"
    games: ClassVar[tuple[str, ...]] = ("kalah", "oware", "hus", "diffusion", "reaping")
    ends: ClassVar[bool] = True
    _known_options: dict[str, str] = field(default_factory=dict, init=False, repr=False)
    _legal: dict[str, int] = field(default_factory=dict, init=False, repr=False)
    _ready: bool = field(default=False, init=False, repr=False)
    _opening: State | None = field(default=None, init=False, repr=False)
    _line: str = field(default="", init=False, repr=False)  # of the opening
    _lead: list[str] | None = field(default=None, init=False, repr=False)  # moves from the start to it

    def refusal(self, rules: Ruleset) -> str:
        """Every game, one without a name of its own as data."""
        return ""

    def greet(self, process: Process, seconds: float, options: Mapping[str, str]) -> Greeting:
        """``uci``, then the options."""
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
        for option, value in options.items():
            if option not in known:
                has = ", ".join(known) or "none"
                raise ValueError(f"{said['name'] or 'the program'} has no option {option!r}; it has {has}")
            if not option.isprintable() or not value.isprintable():
                raise ValueError(f"an option is one line of text, not {value!r}")
        setting = "".join(f"setoption name {option} value {value}\n" for option, value in options.items())
        process.ask(f"{setting}isready\n", "readyok", seconds)
        self._known_options = known
        return Greeting(said["name"], said["author"], known, tuple(said["games"].split()))

    def new_game(self, process: Process, seconds: float, rules: Ruleset, seed: int) -> None:
        """``rules`` and ``ruleset``, the seed if it has such an option, and ``ucinewgame``."""
        process.ask("isready\n", "readyok", seconds)  # whatever it still wrote about the last game has been read
        lines = rules_lines(rules)
        replies: list[str] = []
        process.ask(f"{lines}isready\n", "readyok", seconds, replies.append)
        answers = [reply for reply in replies if reply.split(" ")[0] in ("rulesok", "refused")]
        if not answers:
            asked = one_line(lines.splitlines()[0])
            raise BotFault("refused", f"did not answer to {asked!r} with rulesok or refused", process.stderr)
        word, _, why = answers[-1].partition(" ")
        if word == "refused":
            raise BotFault("refused", f"{rules.name}: {one_line(why) if why else 'said no reason'}", process.stderr)
        self._begin(process, seconds, seed)

    def _begin(self, process: Process, seconds: float, seed: int) -> None:
        seeding = f"setoption name Seed value {seed}\n" if "Seed" in self._known_options else ""
        process.ask(f"{seeding}ucinewgame\nisready\n", "readyok", seconds)

    def question(self, asked: Question) -> str:
        """``position``, ``startpos`` where the moves from the start are known, ``board``, ``isready`` and ``go``."""
        if asked.opening is not self._opening:
            line = asked.opening.to_line()
            self._opening, self._line = asked.opening, line if " moves" in line else f"{line} moves"
            self._lead = known_moves(asked.opening, asked.lead)
        self._expect(asked.state)
        moves = " ".join(asked.moves)
        begun = "" if self._lead is None else f"{' '.join(['startpos', 'moves', *self._lead, *asked.moves])}\n"
        return (
            f"position {' '.join((self._line, moves)).strip()}\n{begun}board {asked.state}\nisready\n"
            f"go {self._limits(asked)}searchmoves {' '.join(self._legal)}\n"
        )

    def _expect(self, state: State) -> None:
        """Get ready for the answer to a question about a position."""
        self._legal = {state.name(action): action for action in state.legal_actions}
        self._ready, self.said, self.told = False, "", SearchInfo()

    def _limits(self, asked: Question) -> str:
        """The limits of ``go``, each followed by a space."""
        limits = (
            ("movetime", milliseconds(asked.movetime)),
            ("bank", milliseconds(asked.bank)),
            ("increment", milliseconds(asked.increment)),
            ("depth", asked.depth),
            ("nodes", asked.nodes),
        )
        return "".join(f"{name} {value} " for name, value in limits if value is not None)

    def read(self, line: str) -> Reply | None:
        """``bestmove``, after ``readyok``: lines before it belong to an older question."""
        words = line.split(maxsplit=2)
        if not self._ready:
            self._ready = words[:1] == ["readyok"]
        elif line.startswith("info string"):
            self.said = line[len("info string") :].strip()
        elif words[:1] == ["info"]:
            told: dict[str, Any] = {
                name: read(found[1]) for name, (pattern, read) in _TOLD.items() if (found := pattern.search(line))
            }
            self.told = self.told._replace(**told)
        elif words[:1] == ["bestmove"]:
            return Reply(self._legal.get(words[1]) if len(words) > 1 else None, line)
        return None

    def awaited(self) -> str:
        """The word that is missing."""
        return "bestmove" if self._ready else "readyok"

    def farewell(self) -> str:
        """``quit``."""
        return "quit\n"

    def stop(self) -> str:
        """``stop``."""
        return "stop\n"


def rules_lines(rules: Ruleset) -> str:
    """The lines that tell a bot which game comes next: ``rules NAME {changes}``, and all of its rules as data.

    The first is left out for rules that are not a named game with changes that can be written as text.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> rules_lines(mancala.ruleset("kalah", seeds=6)).splitlines()[0]
    'rules kalah {"seeds":6}'
    """
    data = f"ruleset {json.dumps(as_plain(rules, whole=True), separators=(',', ':'))}\n"
    try:
        changes = rule_changes(rules)
    except ValueError:
        return data
    return f"rules {rules.name} {json.dumps(changes, separators=(',', ':'), sort_keys=True)}\n{data}"


def names_of(opening: State, lead: Sequence[int]) -> list[str]:
    """The names of actions that lead from the start of a game to an opening.

    Raises
    ------
    ValueError
        If they do not lead there.
    """
    state, names = opening.rules.start(), []
    for action in lead:
        names.append(state.name(action))
        state = state.play(action)
    if state != opening:
        raise ValueError(f"the actions {list(lead)} lead to {state}, not to the opening {opening}")
    return names


def known_moves(opening: State, lead: Sequence[int] | None) -> list[str] | None:
    """The names of moves that lead from the start of a game to an opening: those of ``lead``, else of its history.

    None where neither reaches back to the start.
    """
    if lead is not None:
        return names_of(opening, lead)
    text, _, moves = opening.to_line().partition(" moves")
    return moves.split() if text == str(opening.rules.start()) else None
