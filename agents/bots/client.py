"""Bots: programs in any language that play by the protocol of ``docs/protocol.md``."""

import ast
import json
import math
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from agents.bots.process import BotFault, Process
from mancala_env.rules import Ruleset
from mancala_env.rules.spec import rule_changes
from mancala_env.state import State

__all__ = ["LONGEST_MOVE", "MAX_SEED", "Answer", "Bot", "BotFault", "resolve_command", "rules_line"]

LONGEST_MOVE = 3600.0  # seconds: nothing waits for ever
MAX_SEED = (1 << 63) - 1
_GRACE = 1.0  # seconds to leave after "quit"
_T = TypeVar("_T")
_ROOT = Path(__file__).resolve().parents[2]


class Answer(NamedTuple):
    """What a bot played.

    Attributes
    ----------
    action : int
        Legal in the position of the question.
    seconds : float
        From the moment the question was sent until the answer had been read.
    """

    action: int
    seconds: float


class Bot:
    """A program that plays: one process for many games, used by one thread and ended with it (on Linux).

    What goes wrong is raised as a ``BotFault``, whose reason is a key of ``FAULTS``. After an illegal move or a refusal
    the process goes on; after any other fault it is killed, and the next ``new_game`` starts another.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments, as ``resolve_command`` makes them; no shell reads them.
    name : str, optional
        Default: what the bot calls itself, once it has been started; the name of its file before.
    memory_mb : int
        Megabytes of memory for data that each process of the bot may use.
    cpu_seconds : float
        Processor time that the bot may use in a game. Each process that it starts itself has as much.
    start_timeout : float
        Seconds from its start to the end of its greeting, and for the preparation of each game.
    cwd : str or path, optional
        Where it runs; default: where this process does.
    environment : mapping of str to str, optional
        Variables besides ``PATH``, ``LANG``, ``LC_ALL``, and an empty ``HOME`` and ``TMPDIR`` of its own: nothing else
        is inherited.
    options : mapping of str to str, optional
        Options of the bot, set once after its greeting.

    Attributes
    ----------
    author : str
        What the bot said at its greeting, or "".
    known_options : dict of str to str
        The options that it announced, and what it said about each.

    Raises
    ------
    ValueError
        If a limit is not above 0 or there is no command.

    Examples
    --------
    >>> import mancala_env as mancala
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
        name: str | None = None,
        memory_mb: int = 2048,
        cpu_seconds: float = 600,
        start_timeout: float = 60.0,
        cwd: str | os.PathLike[str] | None = None,
        environment: Mapping[str, str] | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        if isinstance(command, str) or not command:
            raise ValueError(f"a command is a list of a program and its arguments, not {command!r}: resolve_command")
        for what, limit in (("memory_mb", memory_mb), ("cpu_seconds", cpu_seconds), ("start_timeout", start_timeout)):
            if not limit > 0:
                raise ValueError(f"{what} must be above 0, not {limit!r}")
        self.command = list(command)
        self.memory_mb, self.cpu_seconds, self.start_timeout = memory_mb, cpu_seconds, start_timeout
        self.cwd, self.environment, self.options = cwd, dict(environment or {}), dict(options or {})
        self._given_name = name
        self._said_name = Path(self.command[0]).name
        self.author = ""
        self.known_options: dict[str, str] = {}
        self._process: Process | None = None
        self._rules: Ruleset | None = None
        self._opening: State | None = None
        self._reached: State | None = None
        self._played: tuple[int, ...] = ()
        self._text = ""

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
        self._process = Process(self.command, memory_mb=self.memory_mb, cwd=self.cwd, environment=self.environment)
        self._guarded(self._greet)

    def _greet(self, process: Process) -> None:
        process.renew_processor_time(self.cpu_seconds)
        self.known_options.clear()
        try:
            self._ask(process, "uci\n", "uciok", on_line=self._greeted)
            unknown = [name for name in self.options if name not in self.known_options]
            if unknown:
                has = ", ".join(self.known_options) or "none"
                raise ValueError(f"{self.name} has no option {unknown[0]!r}; it has {has}")
            for name, value in self.options.items():
                _check_line(name, value)
            setting = "".join(f"setoption name {name} value {value}\n" for name, value in self.options.items())
            self._ask(process, f"{setting}isready\n", "readyok")
        except BotFault as fault:
            if fault.reason == "flood":
                raise
            raise BotFault("start", fault.detail, fault.stderr) from None

    def _greeted(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        kind, _, text = rest.strip().partition(" ")
        if word == "id" and kind == "name" and text.strip():
            self._said_name = text.strip()
        elif word == "id" and kind == "author":
            self.author = text.strip()
        elif word == "option" and kind == "name":
            name, _, about = text.partition(" type ")
            self.known_options[name.strip()] = about.strip()

    def new_game(self, rules: Ruleset, seed: int = 0) -> None:
        """Prepare a game; start the process if none is running.

        Parameters
        ----------
        rules : Ruleset
            A named game, with any changes that can be written as text.
        seed : int
            Sent to bots that have an option ``Seed``; from 0 to ``MAX_SEED``.

        Raises
        ------
        BotFault
            ``refused``, if it does not play this game; ``start``, ``crash``, ``silence`` (not ready within
            ``start_timeout``), ``flood``.
        ValueError
            If the rules cannot be written as a name with changes, or the seed is out of range.
        """
        line = rules_line(rules)
        if not 0 <= int(seed) <= MAX_SEED:
            raise ValueError(f"seed must be from 0 to {MAX_SEED}, not {seed!r}")
        self.start()
        self._forget_moves()
        self._rules = None

        def prepare(process: Process) -> None:
            process.renew_processor_time(self.cpu_seconds)
            self._ask(process, "isready\n", "readyok")  # whatever it still wrote about the last game has been read
            replies: list[str] = []
            self._ask(process, f"{line}\nisready\n", "readyok", on_line=replies.append)
            answers = [reply for reply in replies if reply.split(" ")[0] in ("rulesok", "refused")]
            if not answers:
                raise BotFault("refused", f"did not answer to {line!r} with rulesok or refused", process.stderr)
            word, _, why = answers[-1].partition(" ")
            if word == "refused":
                raise BotFault("refused", f"{rules.name}: {_shown(why) if why else 'said no reason'}", process.stderr)
            seeding = f"setoption name Seed value {int(seed)}\n" if "Seed" in self.known_options else ""
            self._ask(process, f"{seeding}ucinewgame\nisready\n", "readyok")

        self._guarded(prepare)
        self._rules = rules

    def _ask(self, process: Process, text: str, until: str, on_line: Callable[[str], object] | None = None) -> None:
        """Send text and read up to a line that begins with the word ``until``."""
        process.begin()
        deadline = time.monotonic() + self.start_timeout
        process.say(text, deadline)
        while (line := process.hear(deadline)) is not None:
            if line == until or line.startswith(until + " "):
                return
            if on_line is not None:
                on_line(line)
        raise BotFault(
            "silence",
            f"no {until} within {self.start_timeout:g} s of {text.splitlines()[-1]!r}{process.last_words()}",
            process.stderr,
        )

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
            Seconds after which the bot is killed; default: ``LONGEST_MOVE``. It is sent ``stop`` before that, when
            ``movetime`` and ``bank`` have run out.
        depth, nodes : int, optional
            Other limits to send: plies and positions.

        Raises
        ------
        BotFault
            ``illegal_move``, ``crash``, ``silence`` or ``flood``.
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
        legal = {state.name(action): action for action in state.legal_actions}
        limits = [
            f"{name} {value} "
            for name, value in (
                ("movetime", _milliseconds(movetime)),
                ("bank", _milliseconds(bank)),
                ("depth", depth),
                ("nodes", nodes),
            )
            if value is not None
        ]
        question = (
            f"position {self._moves(opening, tuple(actions), state)}\nboard {state}\nisready\n"
            f"go {''.join(limits)}searchmoves {' '.join(legal)}\n"
        )
        hard = LONGEST_MOVE if hard_limit is None else hard_limit
        soft = hard if movetime is None and bank is None else min(hard, (movetime or 0.0) + (bank or 0.0))

        def ask(process: Process) -> Answer:
            process.begin()
            start, begin = time.perf_counter(), time.monotonic()
            process.say(question, begin + hard)
            ready, stopped, said = False, soft >= hard, ""
            while True:
                line = process.hear(begin + (hard if stopped else soft))
                if line is None:
                    if stopped:
                        raise BotFault(
                            "silence",
                            f"no {'bestmove' if ready else 'readyok'} within {hard:g} s in {state}{_info(said)}"
                            + process.last_words(),
                            process.stderr,
                        )
                    process.say("stop\n", begin + hard)
                    stopped = True
                elif not ready:  # lines before readyok belong to an older question
                    ready = line == "readyok" or line.startswith("readyok ")
                elif line.startswith("info string"):
                    said = line[len("info string") :].strip()
                elif line == "bestmove" or line.startswith("bestmove "):
                    seconds = time.perf_counter() - start
                    words = line.split(maxsplit=2)
                    action = legal.get(words[1]) if len(words) > 1 else None
                    if action is None:
                        raise BotFault(
                            "illegal_move",
                            f"answered {_shown(line)!r}; legal are {' '.join(legal)} in {state}{_info(said)}",
                            process.stderr,
                        )
                    return Answer(action, seconds)

        return self._guarded(ask)

    def _moves(self, opening: State, actions: tuple[int, ...], state: State) -> str:
        """The opening, and the names of the moves, each after a space; only new ones are played."""
        done = len(self._played)
        if not _same_game(self._opening, opening) or actions[:done] != self._played:
            self._forget_moves()
            line = opening.to_line()
            self._text = line if " moves" in line else f"{line} moves"
            self._opening = self._reached = opening
            done = 0
        reached = self._reached
        assert reached is not None
        names = []
        for action in actions[done:]:
            names.append(f" {reached.name(action)}")
            reached = reached.play(action)
        if reached != state:
            self._forget_moves()
            raise ValueError(f"the actions lead from {opening} to {reached}, not to {state}")
        self._reached, self._played = reached, actions
        self._text += "".join(names)
        return self._text

    def _forget_moves(self) -> None:
        self._opening = self._reached = None
        self._played, self._text = (), ""

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
        """Send ``quit``, and kill what is left of the bot after a second. ``new_game`` starts it again."""
        process = self._process
        if process is not None:
            try:
                process.say("quit\n", time.monotonic() + _GRACE)
                process.close_input()
                process.wait_for_end(_GRACE)
            except BotFault:
                pass
            finally:
                self.kill()


def _same_game(one: State | None, other: State) -> bool:
    """Are these the same position with the same history?"""
    return one is other or (one is not None and one == other and one.history.tolist() == other.history.tolist())


def rules_line(rules: Ruleset) -> str:
    """The line that tells a bot which game comes next: ``rules NAME {changes}``.

    Raises
    ------
    ValueError
        If the rules are not a named game with changes that can be written as text.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> rules_line(mancala.ruleset("kalah", seeds=6))
    'rules kalah {"seeds":6}'
    """
    return f"rules {rules.name} {json.dumps(rule_changes(rules), separators=(',', ':'), sort_keys=True)}"


def resolve_command(text: str) -> list[str]:
    """The command that a word for a bot stands for.

    Parameters
    ----------
    text : str
        The path of an executable file; ``cmd:`` and a command with arguments, quoted as in a shell
        (``cmd:python3 "my bot.py"``); or ``python:FILE.py:FUNCTION``, a function from a ``State`` to an action, which
        is then played by a process of its own.

    Raises
    ------
    FileNotFoundError
        If there is no such file or program.
    ValueError
        If the file cannot be executed, or the text cannot be read.

    Examples
    --------
    >>> resolve_command("cmd:env python3 'my bot.py' --fast")[1:]
    ['python3', 'my bot.py', '--fast']
    """
    if text.startswith("cmd:"):
        return _command(text)
    if text.startswith("python:"):
        path, colon, function = text.removeprefix("python:").rpartition(":")
        if not colon or not function.isidentifier():
            raise ValueError(f"cannot read {text!r}; write python:FILE.py:FUNCTION")
        if not Path(path).expanduser().is_file():
            raise FileNotFoundError(f"there is no file {path!r}, as {text!r} says")
        file = str(Path(path).expanduser().resolve())
        _check_defines(Path(file), function)
        # -P: what lies where the host runs must not stand in for a module of this package
        return [
            "/usr/bin/env",
            f"PYTHONPATH={_ROOT}",
            sys.executable,
            "-P",
            "-m",
            "agents.bots.server",
            "--callable",
        ] + [f"{file}:{function}"]
    path = os.path.expanduser(text)
    if not text or not os.path.exists(path):
        hint = f"; for a command with arguments write 'cmd:{text}'" if shutil.which((text.split() or [""])[0]) else ""
        raise FileNotFoundError(f"there is no bot at {text!r}{hint}")
    if os.path.isdir(path):
        raise ValueError(f"{text!r} is a folder; name the file in it that plays")
    if not os.access(path, os.X_OK):
        hint = f" (or write 'cmd:python3 {shlex.quote(text)}')" if text.endswith(".py") else ""
        raise ValueError(f"{text!r} is not executable: chmod +x {shlex.quote(text)}{hint}")
    return [os.path.abspath(path)]


def _check_defines(file: Path, function: str) -> None:
    """Raise ValueError if a Python file plainly has no such function. Nothing of it is run."""
    try:
        tree = ast.parse(file.read_bytes(), filename=str(file))
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"{file} is no Python that can be read: {error}") from None
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            found |= {each.asname or each.name for each in node.names}
        elif isinstance(node, ast.Assign):
            found |= {name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)}
        elif not isinstance(node, ast.Expr | ast.Import):
            return  # it may be made in some other way: its own process will tell
    if function not in found:
        raise ValueError(f"{file} defines no function {function!r}; it has {', '.join(functions) or 'none'}")


def _command(text: str) -> list[str]:
    try:
        command = shlex.split(text.removeprefix("cmd:"))
    except ValueError as error:
        raise ValueError(f"cannot read {text!r}: {error}") from None
    if not command:
        raise ValueError("cmd: is empty; write for example 'cmd:python3 mybot.py'")
    program = shutil.which(os.path.expanduser(command[0]))
    if program is None:
        raise FileNotFoundError(
            f"there is no program {command[0]!r} on the PATH that can be executed, as {text!r} says"
        )
    return [os.path.abspath(program) if os.sep in command[0] else program, *command[1:]]


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else max(0, math.floor(1000 * seconds))


def _check_line(*texts: str) -> None:
    for text in texts:
        if not text.isprintable():
            raise ValueError(f"an option is one line of text, not {text!r}")


def _shown(line: str) -> str:
    line = "".join(letter if letter.isprintable() else "?" for letter in line)
    return line if len(line) <= 80 else line[:80] + "..."


def _info(said: str) -> str:
    return f"; it said: {_shown(said)}" if said else ""
