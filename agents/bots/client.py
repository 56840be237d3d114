"""Bots: programs in any language that play, over the protocol of ``docs/protocol.md``."""

import hashlib
import os
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from agents.bots.process import BotFault, Process
from agents.bots.protocol import MAX_SEED, QUIT, STOP, Game, Greeting, Listener, announce, greet, not_among, one_line
from agents.bots.sandbox import NO_SANDBOX, Sandbox
from agents.search_info import SearchInfo
from mancala_env.rules import Ruleset
from mancala_env.state import IllegalAction, State

__all__ = ["LONGEST_MOVE", "Answer", "Bot", "BotFault", "Program"]

LONGEST_MOVE = 3600.0  # seconds: nothing waits for ever
_GRACE = 1.0  # seconds to leave after the farewell
_T = TypeVar("_T")


class Answer(NamedTuple):
    """What a bot played: a legal action, the seconds until its answer had been read, what it said of it."""

    action: int
    seconds: float
    info: SearchInfo = SearchInfo()


class Bot:
    """A program that plays: one process for many games, used by one thread and ended with it (on Linux).

    What goes wrong is raised as a ``BotFault``, whose reason is a key of ``FAULTS``. After an illegal move or a refusal
    the process goes on; after any other fault it is killed, and the next ``new_game`` starts another. ``said`` is what
    the bot said of itself at its start. ValueError if a limit is not above 0 or there is no command.

    ``command`` is as ``commands.resolve_command`` makes it, and no shell reads it; without ``name`` it is called as it
    calls itself. Each of its processes may use ``memory_mb`` megabytes of data (in a sandbox: ``Process``), and all
    together ``cpu_seconds`` of processor time in a game (on Linux). ``start_timeout``: seconds from its start to the
    end of its greeting, and for the preparation of each game."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        name: str | None = None,
        memory_mb: int = 2048,
        cpu_seconds: float = 600,
        start_timeout: float = 60.0,
        sandbox: Sandbox = NO_SANDBOX,
    ) -> None:
        if isinstance(command, str) or not command:
            raise ValueError(f"a command is a list of a program and its arguments, not {command!r}: resolve_command")
        for what, limit in (("memory_mb", memory_mb), ("cpu_seconds", cpu_seconds), ("start_timeout", start_timeout)):
            if not limit > 0:
                raise ValueError(f"{what} must be above 0, not {limit!r}")
        self.command, self.sandbox = list(command), sandbox
        self.memory_mb, self.cpu_seconds, self.start_timeout = memory_mb, cpu_seconds, start_timeout
        self.said = Greeting()
        self._given_name = name
        self.process: Process | None = None  # while it runs
        self._rules: Ruleset | None = None
        self._game: Game | None = None

    @property
    def name(self) -> str:
        """What it is called."""
        return self._given_name or self.said.name or Path(self.command[0]).name

    def __enter__(self) -> "Bot":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the process, unless it runs, and hear its greeting. BotFault: ``start`` or ``flood``."""
        if self.process is None or not self.process.is_alive:
            self.kill()
            self.process = Process(self.command, memory_mb=self.memory_mb, sandbox=self.sandbox)
            self._guarded(self._greet)

    def _greet(self, process: Process) -> None:
        process.renew_processor_time(self.cpu_seconds)
        try:
            self.said = greet(process, self.start_timeout)
        except BotFault as fault:
            if fault.reason == "flood":
                raise
            raise BotFault("start", fault.detail, fault.stderr) from None

    def new_game(self, rules: Ruleset, seed: int = 0) -> None:
        """Prepare a game; start the process if none is running. The seed is sent to bots that have an option ``Seed``.
        BotFault: ``refused`` (it does not play this game), ``start``, ``crash``, ``silence`` (not ready within
        ``start_timeout``) or ``flood``; ValueError if the seed is not from 0 to ``MAX_SEED``."""
        if not 0 <= int(seed) <= MAX_SEED:
            raise ValueError(f"seed must be from 0 to {MAX_SEED}, not {seed!r}")
        self._rules = self._game = None
        self.start()
        if not_among(self.said.games, [rules]):
            raise BotFault("refused", f"{rules.name}: it plays {', '.join(self.said.games)}")

        def prepare(process: Process) -> None:
            process.renew_processor_time(self.cpu_seconds)
            announce(process, self.start_timeout, rules, int(seed) if "Seed" in self.said.options else None)

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
        increment: float | None = None,
        lead: Sequence[int] | None = None,
    ) -> Answer:
        """Ask for a move in ``state``, which ``actions`` have led to from ``opening``, whose history is sent as well.

        The bot is sent ``movetime`` and ``bank``, the seconds for this move and beyond it for the game, and
        ``increment``; it is told to stop when the seconds have run out, and killed after ``hard_limit`` (default:
        ``LONGEST_MOVE``). ``lead``: actions from the start of the game to the opening, where known. BotFault:
        ``illegal_move``, ``crash``, ``silence`` or ``flood``; ValueError if there is no game, it is over or of other
        rules, or the actions do not lead to the position."""
        process, rules = self.process, self._rules
        if process is None or rules is None:
            raise ValueError(f"{self.name} has no game to move in: call new_game first, and again after a fault")
        if state.rules is not rules and state.rules != rules:
            raise ValueError(f"{self.name} plays {rules.name} until the next new_game, and {state} is of other rules")
        if state.is_over:
            raise ValueError(f"there is no move to ask for: the game is over in {state}")
        played, hard = tuple(actions), LONGEST_MOVE if hard_limit is None else hard_limit
        game = self._game
        if game is None or not game.begins_with(opening, played):
            game = Game(opening, lead)
        limits = {"movetime": movetime, "bank": bank, "increment": increment}
        text = game.question(played, state, limits)  # before the clock starts: it may take a while
        self._game = game
        patience = hard if movetime is None and bank is None else min(hard, (movetime or 0.0) + (bank or 0.0))

        def ask(process: Process) -> Answer:
            process.begin()
            start, begin = time.perf_counter(), time.monotonic()
            process.say(text, begin + hard)
            heard, deadline, move = Listener(), begin + patience, None
            while move is None:
                if (line := process.hear(deadline)) is not None:
                    move = heard.hear(line)
                elif deadline < begin + hard:
                    deadline = begin + hard
                    process.say(STOP, deadline)
                else:
                    missing = f"no {heard.awaited} within {hard:g} s in {state}{heard.remark}{process.last_words()}"
                    raise BotFault("silence", missing, process.stderr)
            seconds = time.perf_counter() - start
            names = {state.name(action): action for action in state.legal_actions}
            if move not in names:
                answered = f"answered {one_line(f'bestmove {move}'.strip())!r}"
                wrong = f"{answered}; legal are {' '.join(names)} in {state}{heard.remark}"
                raise BotFault("illegal_move", wrong, process.stderr)
            return Answer(names[move], seconds, heard.info)

        return self._guarded(ask)

    def _guarded(self, talk: Callable[[Process], _T]) -> _T:
        """Talk to the process. Kill it after an error that leaves unclear what it will say next."""
        assert self.process is not None
        try:
            return talk(self.process)
        except BaseException as error:  # after an interrupt, too, nobody knows what the bot will say next
            if not isinstance(error, BotFault) or error.reason not in ("illegal_move", "refused"):
                self.kill()
            raise

    def kill(self) -> None:
        """End the process and all that it started, at once."""
        process, self.process, self._rules = self.process, None, None
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Say farewell, and kill what is left of the bot after a second. ``new_game`` starts it again."""
        if (process := self.process) is not None:
            try:
                process.say(QUIT, time.monotonic() + _GRACE)
                process.close_input()
                process.wait_for_end(_GRACE)
            except BotFault:
                pass
            finally:
                self.kill()


class Program:
    """An agent that asks a program by the protocol, in one process for all games, one after the other. Whatever the
    program does wrong counts as an illegal action; then it is started again."""

    def __init__(self, command: Sequence[str]) -> None:
        parts = [part for word in command for part in (word, word.rpartition(":")[0])]  # FILE.py:FUNCTION
        files = [Path(part).read_bytes() for part in parts if os.path.isfile(part)]  # which takes any text
        self.digest = hashlib.sha256(b"".join(files)).hexdigest()
        self._bot = Bot(command)
        self._bot.start()
        self.name = self._bot.name

    def __deepcopy__(self, memo: dict[int, Any]) -> "Program":
        return self

    def reset(self, seed: int) -> None:
        """Before each game."""
        self._seed, self._begun = seed, False

    def refusal(self, rules: Ruleset) -> str:
        """Why it does not play a game; "" if it may."""
        game = not_among(self._bot.said.games, [rules])
        return f"{self.name} says that it does not play {game}" if game else ""

    def act(self, state: State) -> int:
        """Its move. Raises IllegalAction if it gives none that is legal."""
        try:
            if not self._begun:
                self._bot.new_game(state.rules, self._seed)
                self._begun = True
            return self._bot.move(state, (), state).action
        except BotFault as fault:
            warnings.warn(f"{self.name} loses a game: {fault}", stacklevel=2)  # results count it, and say no more
            raise IllegalAction(f"{self.name}: {fault}") from fault
