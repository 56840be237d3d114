"""Bots: programs in any language that play, over one of the protocols of ``agents.bots.protocols``."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from agents.bots.process import BotFault, Process
from agents.bots.protocols import Protocol
from agents.bots.protocols.base import MAX_SEED, Question, Reply, not_among, one_line
from agents.bots.protocols.mancala import Mancala
from agents.bots.sandbox import NO_SANDBOX, Sandbox
from agents.search_info import SearchInfo
from mancala_env.rules import Ruleset
from mancala_env.state import State

__all__ = ["LONGEST_MOVE", "Answer", "Bot", "BotFault"]

LONGEST_MOVE = 3600.0  # seconds: nothing waits for ever
_GRACE = 1.0  # seconds to leave after the farewell
_T = TypeVar("_T")


class Answer(NamedTuple):
    """What a bot played.

    Attributes
    ----------
    action : int
        Legal in the position of the question.
    seconds : float
        From the moment the question was sent until the answer had been read.
    told : SearchInfo
        What it said about the move, where its protocol has words for that.
    """

    action: int
    seconds: float
    told: SearchInfo = SearchInfo()


class Bot:
    """A program that plays: one process for many games, used by one thread and ended with it (on Linux).

    What goes wrong is raised as a ``BotFault``, whose reason is a key of ``FAULTS``. After an illegal move or a refusal
    the process goes on; after any other fault it is killed, and the next ``new_game`` starts another.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments, as ``commands.resolve_command`` makes them; no shell reads them.
    protocol : Protocol, optional
        What it speaks, an object for this bot alone (``commands.read_program``); default: ``Mancala``.
    name : str, optional
        Default: what the bot calls itself, once it has been started; the name of its file before.
    memory_mb : int
        Megabytes of memory for data that each process of the bot may use (in a sandbox: ``Process``).
    cpu_seconds : float
        Processor time that all processes of the bot may use in a game (on Linux).
    start_timeout : float
        Seconds from its start to the end of its greeting, and for the preparation of each game.
    cwd : str or path, optional
        Where it runs; default: where this process does.
    environment : mapping of str to str, optional
        Variables besides ``PATH``, ``LANG``, ``LC_ALL``, and an empty ``HOME`` and ``TMPDIR`` of its own: nothing else
        is inherited.
    options : mapping of str to str, optional
        Options of the bot, set once after its greeting.
    sandbox : Sandbox, optional
        Where it runs, as ``sandbox.choose`` makes it; default: without one.

    Attributes
    ----------
    author : str
        What the bot said at its greeting, or "".
    known_options : dict of str to str
        The options that it announced, and what it said about each.
    games : tuple of str
        Names of the games that it said it plays; empty if it said none.

    Raises
    ------
    ValueError
        If a limit is not above 0 or there is no command.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> from agents.bots.commands import resolve_command
    >>> kalah = mancala.ruleset("kalah")
    >>> with Bot(resolve_command("agents/bots/random_bot.py")) as bot:
    ...     bot.new_game(kalah, seed=1)
    ...     bot.move(kalah.start(), (), kalah.start(), movetime=1.0, bank=None, hard_limit=5.0).action in range(6)
    True
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        protocol: Protocol | None = None,
        name: str | None = None,
        memory_mb: int = 2048,
        cpu_seconds: float = 600,
        start_timeout: float = 60.0,
        cwd: str | os.PathLike[str] | None = None,
        environment: Mapping[str, str] | None = None,
        options: Mapping[str, str] | None = None,
        sandbox: Sandbox = NO_SANDBOX,
    ) -> None:
        if isinstance(command, str) or not command:
            raise ValueError(f"a command is a list of a program and its arguments, not {command!r}: resolve_command")
        for what, limit in (("memory_mb", memory_mb), ("cpu_seconds", cpu_seconds), ("start_timeout", start_timeout)):
            if not limit > 0:
                raise ValueError(f"{what} must be above 0, not {limit!r}")
        self.command = list(command)
        self.memory_mb, self.cpu_seconds, self.start_timeout = memory_mb, cpu_seconds, start_timeout
        self.cwd, self.environment, self.options = cwd, dict(environment or {}), dict(options or {})
        self.sandbox = sandbox
        self._given_name = name
        self._said_name = Path(self.command[0]).name
        self.author = ""
        self.known_options: dict[str, str] = {}
        self.games: tuple[str, ...] = ()
        self.protocol = Mancala() if protocol is None else protocol
        self._process: Process | None = None
        self._rules: Ruleset | None = None
        self._game = _Game()

    @property
    def name(self) -> str:
        """What it is called."""
        return self._given_name or self._said_name

    @property
    def process(self) -> Process | None:
        """The running process; None if there is none."""
        return self._process

    @property
    def stderr(self) -> str:
        """The last 2 KiB that the running process wrote to stderr."""
        return "" if self._process is None else self._process.stderr

    def __enter__(self) -> "Bot":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the process and wait for its greeting; nothing if it runs already.

        Raises
        ------
        BotFault
            ``start``, if it cannot be run or does not greet in time; ``flood``.
        ValueError
            If it has none of the ``options`` that it was given.
        """
        if self._process is not None and self._process.is_alive:
            return
        self.kill()
        self._process = Process(
            self.command,
            memory_mb=self.memory_mb,
            cwd=self.cwd,
            environment=self.environment,
            sandbox=self.sandbox,
        )
        self._guarded(self._greet)

    def _greet(self, process: Process) -> None:
        process.renew_processor_time(self.cpu_seconds)
        try:
            said = self.protocol.greet(process, self.start_timeout, self.options)
        except BotFault as fault:
            if fault.reason == "flood":
                raise
            raise BotFault("start", fault.detail, fault.stderr) from None
        self._said_name, self.author = said.name or self._said_name, said.author
        self.known_options, self.games = said.options, said.games

    def new_game(self, rules: Ruleset, seed: int = 0) -> None:
        """Prepare a game; start the process if none is running, or the protocol wants a new one for each game.

        Parameters
        ----------
        rules : Ruleset
            Over this project's protocol any.
        seed : int
            Sent to bots that have an option ``Seed``; from 0 to ``MAX_SEED``.

        Raises
        ------
        BotFault
            ``refused``, if it or its protocol does not play this game; ``start``, ``crash``, ``silence`` (not ready
            within ``start_timeout``), ``flood``.
        ValueError
            If the seed is out of range.
        """
        refusal = self.protocol.refusal(rules)
        if not 0 <= int(seed) <= MAX_SEED:
            raise ValueError(f"seed must be from 0 to {MAX_SEED}, not {seed!r}")
        self._rules = None
        if refusal:
            raise BotFault("refused", refusal)
        if self.protocol.one_game:
            self.close()
        self.start()
        if not_among(self.games, [rules]):
            raise BotFault("refused", f"{rules.name}: it plays {', '.join(self.games)}")
        self._game = _Game()

        def prepare(process: Process) -> None:
            process.renew_processor_time(self.cpu_seconds)
            self.protocol.new_game(process, self.start_timeout, rules, int(seed))

        self._guarded(prepare)
        self._rules = rules

    def move(
        self,
        opening: State,
        actions: Sequence[int],
        state: State,
        *,
        movetime: float | None = None,
        bank: float | None = None,
        hard_limit: float | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        increment: float | None = None,
        lead: Sequence[int] | None = None,
    ) -> Answer:
        """Ask for a move.

        Parameters
        ----------
        opening : State
            Where the game began. Its history, which repetition needs, is sent as well (``State.to_line``).
        actions : sequence of int
            What has been played since.
        state : State
            The position after them.
        movetime : float, optional
            Seconds for this move, sent to the bot. The caller decides whether an answer came too late.
        bank : float, optional
            Extra seconds that the bot has left for the rest of this game, sent to it.
        hard_limit : float, optional
            Seconds after which the bot is killed; default: ``LONGEST_MOVE``. It is told to stop before that, when
            ``movetime`` and ``bank`` have run out, if its protocol can.
        depth, nodes : int, optional
            Other limits to send: plies and positions.
        increment : float, optional
            Seconds that are added to the bank after this move, sent to the bot.
        lead : sequence of int, optional
            Actions from the start of the game to the opening, where they are known, for protocols that tell them.

        Raises
        ------
        BotFault
            ``illegal_move``, ``crash``, ``silence`` or ``flood``; ``refused``, if its protocol cannot express how the
            game began.
        ValueError
            If there is no game, it is over, the actions do not lead from the opening to the position, or the position
            is of other rules than ``new_game`` was given.
        """
        process, rules = self._process, self._rules
        if process is None or rules is None:
            raise ValueError(f"{self.name} has no game to move in: call new_game first, and again after a fault")
        if state.rules is not rules and state.rules != rules:
            raise ValueError(f"{self.name} plays {rules.name} until the next new_game, and {state} is of other rules")
        if state.is_over:
            raise ValueError(f"there is no move to ask for: the game is over in {state}")
        moves = self._game.moves(opening, tuple(actions), state)
        asked = Question(
            self._game.opening or opening, tuple(actions), moves, state, movetime, bank, depth, nodes, increment,
            None if lead is None else tuple(lead),
        )  # fmt: skip
        text = self.protocol.question(asked)  # before the clock starts: it may take a while
        hard = LONGEST_MOVE if hard_limit is None else hard_limit

        def ask(process: Process) -> Answer:
            process.begin()
            start, begin = time.perf_counter(), time.monotonic()
            process.say(text, begin + hard)
            reply = self._reply(process, asked, begin, hard)
            seconds = time.perf_counter() - start
            if reply.action is None:
                legal = " ".join(self.protocol.legal(state))
                raise BotFault(
                    "illegal_move",
                    f"answered {one_line(reply.line)!r}; legal are {legal} in {state}{self._remark()}",
                    process.stderr,
                )
            return Answer(reply.action, seconds, self.protocol.told)

        return self._guarded(ask)

    def _reply(self, process: Process, asked: Question, begin: float, hard: float) -> Reply:
        """The answer to a question, asked at ``begin``: the program is told to stop, and given up after ``hard``."""
        protocol = self.protocol
        patience = protocol.patience(asked)
        soft = hard if patience is None else min(hard, patience)
        stopped = soft >= hard
        while True:
            line = process.hear(begin + (hard if stopped else soft))
            if line is not None:
                if (reply := protocol.read(line)) is not None:
                    return reply
            elif stopped:
                raise BotFault(
                    "silence",
                    f"no {protocol.awaited()} within {hard:g} s in {asked.state}{self._remark()}{process.last_words()}",
                    process.stderr,
                )
            else:
                stopped = True
                process.say(protocol.stop(), begin + hard)

    def _remark(self) -> str:
        return f"; it said: {one_line(self.protocol.said)}" if self.protocol.said else ""

    def _guarded(self, talk: Callable[[Process], _T]) -> _T:
        """Talk to the process. Kill it after an error that leaves unclear what it will say next."""
        assert self._process is not None
        try:
            return talk(self._process)
        except BaseException as error:  # after an interrupt, too, nobody knows what the bot will say next
            if not isinstance(error, BotFault) or error.reason not in ("illegal_move", "refused"):
                self.kill()
            raise

    def kill(self) -> None:
        """End the process and all that it started, at once."""
        process, self._process, self._rules = self._process, None, None
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Say farewell, and kill what is left of the bot after a second. ``new_game`` starts it again."""
        process = self._process
        if process is not None:
            try:
                process.say(self.protocol.farewell(), time.monotonic() + _GRACE)
                process.close_input()
                process.wait_for_end(_GRACE)
            except BotFault:
                pass
            finally:
                self.kill()


def _same_game(one: State | None, other: State) -> bool:
    """Are these the same position with the same history?"""
    return one is other or (one is not None and one == other and one.history.tolist() == other.history.tolist())


class _Game:
    """The opening of a game and its moves so far, by name; only new ones are played."""

    def __init__(self) -> None:
        self.opening: State | None = None
        self._reached: State | None = None
        self._played: tuple[int, ...] = ()
        self._names: list[str] = []

    def moves(self, opening: State, actions: tuple[int, ...], state: State) -> tuple[str, ...]:
        """The names of the actions. Raises ValueError if they do not lead from the opening to the position."""
        done = len(self._played)
        if not _same_game(self.opening, opening) or actions[:done] != self._played:
            self.opening = self._reached = opening
            self._names, done = [], 0
        reached = self._reached
        assert reached is not None
        names = []
        for action in actions[done:]:
            names.append(reached.name(action))
            reached = reached.play(action)
        if reached != state:
            self.opening = None
            raise ValueError(f"the actions lead from {opening} to {reached}, not to {state}")
        self._reached, self._played = reached, actions
        self._names += names
        return tuple(self._names)
