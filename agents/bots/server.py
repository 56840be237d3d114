"""The bot's side of the protocol (``docs/protocol.md``), for an agent or a function of your own."""

import importlib.util
import os
import random
import re
import select
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from agents.agent import Agent, make_agent
from agents.bots.client import MAX_SEED
from agents.mcts import MctsAgent
from agents.processes import require
from agents.reading import json_object
from agents.search import MinimaxAgent
from agents.search.searcher import MAX_DEPTH, Found
from agents.warm_up import warm
from mancala_env.cli import Parser
from mancala_env.games import ruleset
from mancala_env.position_fields import SHOWN, shown
from mancala_env.rules import Ruleset
from mancala_env.state import State

_WHOLE = re.compile("[0-9]{1,19}")


class Misunderstood(ValueError):
    """A line of the host that cannot be read or does not fit what was said before."""


class FunctionAgent:
    """A function from a position to an action, as an agent.

    ``reset`` seeds the generators of ``random`` and NumPy, and calls ``reset(seed)`` of the function if it has one.

    Parameters
    ----------
    function : callable
        Given a ``State``, returns an action.
    name : str
    """

    def __init__(self, function: Callable[[State], int], name: str) -> None:
        self.name = name
        self._function = function

    def reset(self, seed: int) -> None:
        """Before each game."""
        random.seed(seed)
        np.random.seed(seed % (1 << 32))  # noqa: NPY002 (it is what such functions draw from)
        reset = getattr(self._function, "reset", None)
        if callable(reset):
            reset(seed)

    def act(self, state: State) -> int:
        """What the function returns, legal or not."""
        return self._function(state)


def load_function(text: str) -> FunctionAgent:
    """The agent for ``FILE.py:FUNCTION``. The file is run as an import runs it, its folder on the path.

    Raises
    ------
    ValueError
        If the text is not of this form, or the file defines no such function.
    FileNotFoundError
        If there is no such file.
    """
    path, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier():
        raise ValueError(f"cannot read {text!r}; write FILE.py:FUNCTION")
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {path!r}")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path!r} is no Python file: its name must end in .py")
    sys.path.insert(0, str(file.parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(file.stem, module)  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        functions = [key for key, each in vars(module).items() if callable(each) and not key.startswith("_")]
        raise ValueError(f"{path!r} defines no function {name!r}; it has {', '.join(functions) or 'none'}")
    return FunctionAgent(function, f"{file.stem}.{name}")


class Lines:
    """What the host writes, line by line, with a look ahead that does not wait.

    Parameters
    ----------
    descriptor : int
        Where it is read from.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: deque[str] = deque()
        self._partial = b""
        self._ended = False

    def next(self) -> str | None:
        """The next line; None at the end of the input."""
        while not self._lines and not self._ended:
            self._read()
        return self._lines.popleft() if self._lines else None

    def wants_a_stop(self) -> bool:
        """Is the next line stop or quit? The end of the input is neither: searches have limits of their own."""
        while not self._ended and not self._lines and select.select([self._descriptor], [], [], 0)[0]:
            self._read()
        return bool(self._lines) and self._lines[0] in ("stop", "quit")

    def _read(self) -> None:
        data = os.read(self._descriptor, 65536)
        self._ended = not data
        *lines, self._partial = (self._partial + data).split(b"\n")
        if self._ended and self._partial:
            lines.append(self._partial)
        self._lines.extend(line.decode("utf-8", "replace").strip() for line in lines)


class Server:
    """Answers the host's lines with an agent's moves.

    ``MinimaxAgent`` keeps to the limits of ``go``: ``depth`` and ``nodes`` replace its own, ``movetime`` is added to
    them, and it obeys ``stop``. Other agents play with the limits that they were made with.

    Parameters
    ----------
    agent : Agent
    lines : Lines
    out : text file
        Where the answers go.
    """

    def __init__(self, agent: Agent, lines: Lines, out: TextIO) -> None:
        self.agent = agent
        self._lines, self._out = lines, out
        self._seed = 0
        self._rules: Ruleset | None = None
        self._prepared: set[str] = set()
        self._opening, self._moves = "", [""]
        self._reached: State | None = None
        self._state: State | None = None

    def run(self) -> None:
        """Serve until the host sends ``quit`` or closes the input.

        Raises
        ------
        Misunderstood
            If a line of the host cannot be read, or does not fit the lines before it.
        """
        answers: dict[str, Callable[[str], None]] = {
            "uci": self._greet,
            "isready": lambda _: self._say("readyok"),
            "setoption": self._set_option,
            "rules": self._set_rules,
            "ucinewgame": self._new_game,
            "position": self._set_position,
            "board": self._set_board,
            "go": self._go,
        }
        self.agent.reset(self._seed)
        while (line := self._lines.next()) is not None and line != "quit":
            word, _, rest = line.partition(" ")
            if word in answers:  # unknown words may belong to a later version
                answers[word](rest.strip())
                self._out.flush()

    def _say(self, line: str) -> None:
        self._out.write(line + "\n")

    def _greet(self, _: str) -> None:
        self._say(f"id name {self.agent.name}")
        self._say("id author mancala-env")
        self._say(f"option name Seed type spin default 0 min 0 max {MAX_SEED}")
        self._say("uciok")

    def _set_option(self, text: str) -> None:
        name, _, value = text.removeprefix("name ").partition(" value ")
        if name.strip() != "Seed":
            return
        if not _WHOLE.fullmatch(value.strip()) or int(value) > MAX_SEED:
            raise Misunderstood(f"Seed must be a whole number from 0 to {MAX_SEED}, not {shown(value)}")
        self._seed = int(value)

    def _set_rules(self, text: str) -> None:
        self._rules = self._state = self._reached = None
        name, _, changes = text.partition(" ")
        try:
            rules = ruleset(name, **json_object(changes or "{}"))
            if text not in self._prepared:
                self._prepare(rules)
                self._prepared.add(text)
        except (ValueError, TypeError) as error:
            self._say(f"refused {_one_line(error)}")
            return
        self._rules = rules
        self._say("rulesok")

    def _prepare(self, rules: Ruleset) -> None:
        """Refuse a game that the agent cannot play, and compile all kernels before a clock runs."""
        warm(rules, None if isinstance(self.agent, FunctionAgent) else self.agent)
        self.agent.reset(self._seed)

    def _new_game(self, _: str) -> None:
        self.agent.reset(self._seed)
        self._state = self._reached = None

    def _set_position(self, text: str) -> None:
        opening, _, moves = text.partition(" moves")
        words = moves.split()
        reached, played = self._reached, self._moves
        if reached is None or opening != self._opening or words[: len(played)] != played:
            reached, played = self._parse(opening), []
        try:
            for word in words[len(played) :]:
                reached = reached.play(reached.parse_move(word))
        except ValueError as error:
            raise Misunderstood(str(error)) from None
        self._opening, self._moves, self._reached, self._state = opening, words, reached, reached

    def _set_board(self, text: str) -> None:
        if self._state is None or str(self._state) != text:  # with its history it came in "position"
            self._state = self._parse(text)

    def _parse(self, text: str) -> State:
        try:
            rules = self._rules or ruleset(text.split(" ", maxsplit=1)[0])
            return State.parse(rules, text)
        except ValueError as error:
            raise Misunderstood(str(error)) from None

    def _go(self, text: str) -> None:
        state = self._state
        if state is None or state.is_over:
            raise Misunderstood(f"go without a position to move in{'' if state is None else f': {state}'}")
        limits = _limits(text)
        if isinstance(self.agent, MinimaxAgent):
            action = self._search(self.agent, state, limits)
        elif isinstance(self.agent, MctsAgent) and len(state.legal_actions) > 1:
            found = self.agent.search(state)
            action = found.best
            self._say(f"info score mean {found.value:.4f} nodes {found.simulations} pv {state.name(action)}")
        else:
            action = self.agent.act(state)
        if type(action) is bool or not isinstance(action, int | np.integer) or action not in state.legal_actions:
            self._say(f"info string {self.agent.name} chose {_one_line(repr(action))}, not of {state.legal_actions}")
            self._say("bestmove ?")
            return
        self._say(f"bestmove {state.name(int(action))}")

    def _search(self, agent: MinimaxAgent, state: State, asked: dict[str, int]) -> int:
        limits = agent.limits
        if "depth" in asked or "nodes" in asked:
            limits |= {"depth": None, "nodes": None}
        if "depth" in asked:
            limits["depth"] = min(max(1, asked["depth"]), MAX_DEPTH)
        if "nodes" in asked:
            limits["nodes"] = max(1, asked["nodes"])
        if (seconds := _seconds(asked)) is not None:
            limits["time"] = seconds if limits["time"] is None else min(seconds, limits["time"])
            if len(state.legal_actions) == 1:  # a forced move needs no search
                limits["depth"] = 1
        found = agent.search(state, limits, self._lines.wants_a_stop)
        self._say(_report(state, found))
        return agent.choose(found)


def _limits(text: str) -> dict[str, int]:
    """The numbers of a ``go``."""
    found: dict[str, int] = {}
    words = iter(text.split())
    for word in words:
        if word == "searchmoves":
            break
        if word in ("movetime", "bank", "depth", "nodes"):
            value = next(words, "")
            if not _WHOLE.fullmatch(value):
                raise Misunderstood(f"go {text[:SHOWN]}: {word} must be a whole number, not {shown(value)}")
            found[word] = int(value)
    return found


def _seconds(asked: dict[str, int]) -> float | None:
    """Seconds to search: ``movetime`` less what it takes to notice that it has passed; else a share of the bank."""
    if "movetime" in asked:
        whole = asked["movetime"] / 1000
    elif "bank" in asked:
        whole = asked["bank"] / 1000 / 30
    else:
        return None
    return max(0.0005, whole / 2, 0.98 * whole - 0.03)


def _report(state: State, found: Found) -> str:
    names = []
    for action in found.line or found.actions[:1]:
        if action not in state.legal_actions:  # the game has ended, and a match goes on to the next
            break
        names.append(state.name(action))
        state = state.play(action)
    return (
        f"info depth {found.depth} score seeds {found.value:g} nodes {found.nodes} time {found.seconds * 1000:.0f} "
        f"pv {' '.join(names)}"
    )


def _one_line(what: object) -> str:
    return " ".join(str(what).split())[:300]


def _complain(error: BaseException, where: bool = False) -> None:
    """Print one line to stderr, with ``where`` also the place in the source."""
    kind = "" if isinstance(error, ValueError | OSError) and not where else f"{type(error).__name__}: "
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if where and frames else ""
    print(f"agents.bots.server: {kind}{_one_line(error)}{place}", file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns 0 after quit or the end of the input, 1 if the agent failed, 2 for wrong arguments."""
    parser = Parser(
        "python -m agents.bots.server", "Serve an agent as a bot: it reads and writes the lines of docs/protocol.md."
    )
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("agent", nargs="?", metavar="AGENT", help="an agent, e.g. minimax:depth=6 or zoo:kalah")
    who.add_argument("--callable", metavar="FILE.py:FUNCTION", help="a function from a State to an action")
    options = parser.parse_args(arguments)
    try:
        require("agents are served", select_poll=hasattr(select, "poll"))  # Windows selects sockets, not pipes
    except NotImplementedError as error:
        _complain(error)
        return 2
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the host, which then stops its bots
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # so that output of an agent or a library is not taken for an answer
    agent: Any
    try:
        agent = load_function(options.callable) if options.callable else make_agent(options.agent)
    except Exception as error:
        _complain(error, where=options.callable is not None and not isinstance(error, ValueError | OSError))
        return 2
    try:
        Server(agent, Lines(0), out).run()
        out.flush()
    except Misunderstood as error:
        _complain(error)
        return 2
    except BrokenPipeError:  # the host has gone: there is nobody to tell
        return 0
    except Exception as error:
        _complain(error, where=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
