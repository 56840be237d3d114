"""What every protocol gives a host: what to write to a program, and what its lines mean."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from agents.bots.process import Process
from agents.search_info import SearchInfo
from mancala_env.rules import Ruleset
from mancala_env.state import State

MAX_SEED = (1 << 63) - 1


class Greeting(NamedTuple):
    """What a program said of itself at its start.

    Attributes
    ----------
    name, author : str
        "" if it did not say.
    options : dict of str to str
        The options that it announced, and what it said about each.
    games : tuple of str
        Names of the games that it plays; empty if it did not say.
    """

    name: str
    author: str
    options: dict[str, str]
    games: tuple[str, ...] = ()


class Question(NamedTuple):
    """A position in which a program has to move.

    Attributes
    ----------
    opening : State
        Where the game began, with its history.
    actions : tuple of int
        Played since.
    moves : tuple of str
        Their names.
    state : State
        The position now.
    movetime, bank : float or None
        Seconds for this move, and beyond it for the rest of the game.
    increment : float or None
        Seconds that are added to the bank after the move.
    depth, nodes : int or None
        Other limits.
    lead : tuple of int or None
        Actions from the start of the game to the opening, where the host knows them.
    """

    opening: State
    actions: tuple[int, ...]
    moves: tuple[str, ...]
    state: State
    movetime: float | None = None
    bank: float | None = None
    depth: int | None = None
    nodes: int | None = None
    increment: float | None = None
    lead: tuple[int, ...] | None = None


class Reply(NamedTuple):
    """A move that a program wrote: the action, or None if it is no legal one, and the line."""

    action: int | None
    line: str


@dataclass
class Protocol:
    """How a host and one program talk. One object serves one program, which plays one game after the other.

    A subclass is a dataclass: its public fields are what a user may set (``bot:protocol=NAME,FIELD=VALUE,...``), each
    a bool, an int or a str. Processes, deadlines and faults are the business of ``Process`` and ``Bot``.

    Attributes
    ----------
    name : str
        What users call it.
    games : tuple of str
        Games that it can speak, to try programs out with.
    one_game : bool
        A program plays one game and is started anew for the next.
    ends : bool
        A program that keeps to the protocol ends, with exit code 0, after ``farewell``.
    said : str
        The last remark that came with an answer.
    told : SearchInfo
        Depth and value that came with it.
    """

    name: ClassVar[str]
    games: ClassVar[tuple[str, ...]]
    one_game: ClassVar[bool] = False
    ends: ClassVar[bool] = False
    said: str = field(default="", init=False, repr=False)
    told: SearchInfo = field(default=SearchInfo(), init=False, repr=False)

    def refusal(self, rules: Ruleset) -> str:
        """Why these rules cannot be played over this protocol; "" if they can."""
        raise NotImplementedError

    def greet(self, process: Process, seconds: float, options: Mapping[str, str]) -> Greeting:
        """Hear who a program is that has just been started, and set options that are its own.

        Raises
        ------
        BotFault
            If it does not greet within ``seconds``.
        ValueError
            If it has none of these options.
        """
        if options:
            raise ValueError(f"the protocol {self.name} sets no options; name them in the command")
        return Greeting("", "", {})

    def new_game(self, process: Process, seconds: float, rules: Ruleset, seed: int) -> None:
        """Announce a game of rules that are not refused. Raises BotFault if the program does not play it."""

    def question(self, asked: Question) -> str:
        """The lines that ask for a move. Raises BotFault with reason ``refused`` for an opening it cannot express."""
        raise NotImplementedError

    def read(self, line: str) -> Reply | None:
        """What a line means after ``question``; None: nothing, go on reading."""
        raise NotImplementedError

    def legal(self, state: State) -> list[str]:
        """The legal moves as this protocol writes them, for messages."""
        return [state.name(action) for action in state.legal_actions]

    def patience(self, asked: Question) -> float | None:
        """Seconds after which to write ``stop``; None: never."""
        if asked.movetime is None and asked.bank is None:
            return None
        return (asked.movetime or 0.0) + (asked.bank or 0.0)

    def farewell(self) -> str:
        """What to write before a program is ended."""
        return ""

    def awaited(self) -> str:
        """The word that is missing as long as no move has come."""
        return "move"

    def stop(self) -> str:
        """What to write when the time is up; "" if there is no such word."""
        return ""


def not_among(games: Sequence[str], rules: Iterable[Ruleset]) -> str:
    """The game that a program with an announced list of games does not play; "" if there is none, or no list."""
    return next((each.name for each in rules if games and each.name not in games), "")


def milliseconds(seconds: float | None) -> int | None:
    """Whole milliseconds, rounded down; None for None."""
    return None if seconds is None else max(0, math.floor(1000 * seconds))


def one_line(text: str) -> str:
    """What a program wrote as something to quote: printable, and of 80 characters at most."""
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= 80 else text[:80] + "..."
