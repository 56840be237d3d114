"""The Kalah Game Protocol (P. Kaludercic and T. Völk, version 1), in which a program connects to a server.

The server writes a board, always with the program as South; the program writes moves, each better than the one before,
until it yields or the server writes ``stop``. Commands carry numbers, the server's even and the program's odd, and
refer to one another by them: ``4 state <3,0,0,3,3,3,3,3,3>``, ``1@4 move 2``, ``3@4 yield``.
"""

import re
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from agents.bots.process import BotFault, Process
from agents.bots.protocols.base import Greeting, Protocol, Question, Reply
from agents.pace import share_of_clock
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset
from mancala_env.state import State

PORT = 2671  # where servers usually listen
LOOPBACK = "127.0.0.1"
VERSION = "kgp 1 0 0"
_COMMAND = re.compile(r"(?:(?P<number>\d{1,18})?(?:@(?P<reference>\d{1,18}))?\s+)?(?P<name>[A-Za-z]\w*)(?P<rest>.*)")
_ARGUMENT = re.compile(r'"((?:\\.|[^"\\])*)"|(\S+)')
_BOARD = re.compile(r"<(\d{1,6}(?:,\d{1,6}){4,200})>")
_SIZES = {"pits_per_row", "seeds"}
_PLAYED_ALIKE = _SIZES | {"max_plies", "majority_stop"}  # what else the host alone needs to know


class Command(NamedTuple):
    """A line of the protocol: its number and the one that it refers to, its name and arguments."""

    number: int | None
    reference: int | None
    name: str
    arguments: tuple[str, ...]


def parse(line: str) -> Command | None:
    r"""A line as a command; None if it is none.

    Examples
    --------
    >>> parse('3@4 set info:name "My \\"bot\\""')
    Command(number=3, reference=4, name='set', arguments=('info:name', 'My "bot"'))
    """
    found = _COMMAND.fullmatch(line.strip())
    if found is None:
        return None
    number, reference = (None if text is None else int(text) for text in found.group("number", "reference"))
    arguments = [word or re.sub(r"\\(.)", r"\1", quoted) for quoted, word in _ARGUMENT.findall(found["rest"])]
    return Command(number, reference, found["name"], tuple(arguments))


def quoted(text: str) -> str:
    """Text as an argument."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def board(state: State) -> str:
    """A position of Kalah as its mover is told it: size, own store, other store, own pits, the other's pits.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> board(mancala.ruleset("kalah", pits_per_row=3, seeds=3).start().play(1))
    '<3,0,1,4,3,3,3,0,4>'
    """
    n, me = state.rules.board.pits // 2, state.player
    rows = [state.pits[:n], state.pits[n:]]
    return f"<{','.join(map(str, (n, state.stores[me], state.stores[1 - me], *rows[me], *rows[1 - me])))}>"


def read_board(text: str) -> State:
    """The position of a board; South, who is the reader, is to move. The number of seeds tells the rules.

    Raises
    ------
    ValueError
        If it is no board, or no position of Kalah.
    """
    found = _BOARD.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:80]!r} is no board such as <3,0,0,3,3,3,3,3,3>")
    n, south, north, *pits = map(int, found[1].split(","))
    if len(pits) != 2 * n:
        raise ValueError(f"a board of {n} pits a row needs {2 * n} numbers after the stores, not {len(pits)}")
    seeds = -(-(south + north + sum(pits)) // (2 * n))
    return ruleset("kalah", pits_per_row=n, seeds=max(1, seeds)).position(pits, (south, north))


def refusal_of_kalah(rules: Ruleset) -> str:
    """Why the protocol cannot express a game; "" if it can."""
    if rules.name != "kalah":
        return f"{rules.name}: the protocol kgp plays kalah, on boards of every size"
    if other := set(rules.changes_from(ruleset("kalah"))) - _PLAYED_ALIKE:
        return (
            f"kalah with another {sorted(other)[0]}: the protocol kgp plays kalah of every size, with no other changes"
        )
    return ""


@dataclass
class Kgp(Protocol):
    """A program that speaks as a client: the host is its server, on loopback, and starts it.

    It is told where to connect by the variables ``KGP_HOST`` and ``KGP_PORT``, and ``{port}`` in the command stands for
    the port.

    Attributes
    ----------
    port : int
        Where the host listens; 0 for a free port each time. A fixed one serves a single process at a time.
    movetime : int
        Milliseconds after which to write ``stop`` where the host sets no limit.
    """

    name: ClassVar[str] = "kgp"
    games: ClassVar[tuple[str, ...]] = ("kalah",)
    port: int = 0
    movetime: int = 1000
    _listener: socket.socket | None = field(default=None, init=False, repr=False)
    _number: int = field(default=0, init=False, repr=False)
    _asked: int = field(default=0, init=False, repr=False)
    _legal: dict[str, int] = field(default_factory=dict, init=False, repr=False)
    _best: Reply | None = field(default=None, init=False, repr=False)
    _late: bool = field(default=False, init=False, repr=False)

    def refusal(self, rules: Ruleset) -> str:
        """Kalah of every size."""
        return refusal_of_kalah(rules)

    def launch(self, command: Sequence[str]) -> tuple[list[str], dict[str, str]]:
        """Listen, and tell the program where."""
        if self._listener is not None:
            self._listener.close()
        self._listener = socket.socket()
        try:
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._listener.bind((LOOPBACK, self.port))
            self._listener.listen(1)
        except (OSError, OverflowError) as error:
            self._listener.close()
            raise BotFault("start", f"cannot listen on port {self.port} of {LOOPBACK}: {error}") from None
        port = str(self._listener.getsockname()[1])
        return [word.replace("{port}", port) for word in command], {"KGP_HOST": LOOPBACK, "KGP_PORT": port}

    def greet(self, process: Process, seconds: float, options: Mapping[str, str]) -> Greeting:
        """Wait for its connection and for ``mode freeplay``."""
        super().greet(process, seconds, options)
        assert self._listener is not None
        with self._listener:
            process.accept(self._listener, seconds)
        said: dict[str, str] = {}

        def heard(line: str) -> None:
            command = parse(line)
            if pong := self._pong(command):
                process.say(pong, deadline)
            if command is not None and command.name == "set" and len(command.arguments) == 2:
                said[command.arguments[0]] = command.arguments[1]

        def chooses(line: str) -> bool:
            command = parse(line)
            return command is not None and command.name == "mode"

        self._number, deadline = 0, time.monotonic() + seconds
        command = parse(process.ask(f"{VERSION}\r\n", chooses, seconds, heard))
        assert command is not None
        if command.arguments[:1] != ("freeplay",):
            asked = " ".join(command.arguments)
            raise BotFault("start", f"asked for the mode {asked!r}; only freeplay is served", process.stderr)
        return Greeting(said.get("info:name", ""), said.get("info:authors", ""), {})

    def question(self, asked: Question) -> str:
        """``state``."""
        self._asked = self._next_number()
        self._legal = {str(action + 1): action for action in asked.state.legal_actions}
        self._best, self._late, self.said = None, False, ""
        return f"{self._asked} state {board(asked.state)}\r\n"

    def _next_number(self) -> int:
        self._number += 2
        return self._number

    def read(self, line: str) -> Reply | None:
        """``move`` is kept, ``yield`` ends; what refers to another question is passed over."""
        command = parse(line)
        if command is None or command.reference not in (None, self._asked):
            return None
        if command.name == "move":
            self._best = Reply(self._legal.get(" ".join(command.arguments)), line)
            return self._best if self._late else None
        if command.name == "yield":
            return self._best or Reply(None, line)
        if command.name == "error" or command.arguments[:1] == ("info:comment",):
            self.said = " ".join(command.arguments[-1:])
        return None

    def response(self, line: str) -> str:
        """``pong`` to ``ping``; ``stop`` after a move that came when the time was up, which ends the question."""
        command = parse(line)
        if self._late and command is not None and command.name == "move" and command.reference in (None, self._asked):
            return f"{self._next_number()}@{self._asked} stop\r\n"
        return self._pong(command)

    def _pong(self, command: Command | None) -> str:
        """The answer to ``ping``; "" to other commands."""
        if command is None or command.name != "ping":
            return ""
        to = "" if command.number is None else f"@{command.number}"
        return f"{self._next_number()}{to} {' '.join(['pong', *map(quoted, command.arguments)])}\r\n"

    def legal(self, state: State) -> list[str]:
        """Numbers from 1."""
        return [str(action + 1) for action in state.legal_actions]

    def patience(self, asked: Question) -> float:
        """The time for the move, less what it takes to notice that it has passed: programs think until they are told.

        As long as no move has come, the program may go on.
        """
        if asked.movetime is None:
            whole = self.movetime / 1000
            return whole if asked.bank is None else share_of_clock(asked.bank, asked.increment or 0.0)
        return max(asked.movetime / 2, 0.98 * asked.movetime - 0.03)

    def farewell(self) -> str:
        """``goodbye``."""
        return "goodbye\r\n"

    def stop(self) -> str:
        """``stop``, if there is a move to go by."""
        self._late = True
        return "" if self._best is None else f"{self._next_number()}@{self._asked} stop\r\n"

    def preliminary(self) -> Reply | None:
        """The last move."""
        return self._best
