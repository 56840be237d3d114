"""Serve an agent or a function of one's own to a host, over the protocol of ``docs/protocol.md``."""

import importlib.util
import os
import random
import select
import signal
import sys
import traceback
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from agents.agent import OwnPlayer, make_agent
from agents.bots.serving import Lines, Misunderstood, Server, one_line
from agents.processes import require
from mancala_env.cli import Parser
from mancala_env.state import State


class FunctionAgent(OwnPlayer):
    """A function from a ``State`` to an action as an agent, asked in games only; ``games`` are those it names. Before
    each game the generators of ``random`` and NumPy are seeded, and its ``reset`` is called if it has one."""

    def __init__(self, function: Callable[[State], int], name: str, games: tuple[str, ...] = ()) -> None:
        super().__init__(function)
        self.name, self.games = name, games

    def reset(self, seed: int) -> None:
        """Before each game."""
        random.seed(seed)
        np.random.seed(seed % (1 << 32))  # noqa: NPY002 (the one that is shared)
        super().reset(seed)


def load_function(text: str) -> FunctionAgent:
    """The agent for ``FILE.py:FUNCTION``, a file run as an import runs it; its ``GAMES``, one name or several, are
    those it plays. ValueError if the text, the function or ``GAMES`` is wrong; FileNotFoundError without a file."""
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
    games = getattr(module, "GAMES", ())
    games = (games,) if isinstance(games, str) else games
    if not isinstance(games, Collection) or not all(isinstance(game, str) for game in games):
        raise ValueError(f"GAMES is a sequence of names of games, not {games!r:.80}")
    return FunctionAgent(function, f"{file.stem}.{name}", tuple(games))


def _complain(error: BaseException, where: bool = False) -> None:
    """Print one line to stderr, with ``where`` also the place in the source."""
    kind = "" if isinstance(error, ValueError | OSError) and not where else f"{type(error).__name__}: "
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if where and frames else ""
    print(f"mancala bot serve: {kind}{one_line(error)}{place}", file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns 0 after the end of the input, 1 if the agent failed, 2 for wrong arguments."""
    parser = Parser("mancala bot serve", "Serve an agent as a bot: it reads and writes the lines of docs/protocol.md.")
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
    lines = Lines(os.dup(0))
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)  # so that neither an agent nor a program that it starts takes the host's lines
    with suppress(BrokenPipeError):  # the host has gone: nobody to tell
        try:
            agent = load_function(options.callable) if options.callable else make_agent(options.agent)
        except (Exception, SystemExit) as error:
            _complain(error, where=bool(options.callable) and not isinstance(error, ValueError | OSError))
            return 2
        try:
            Server(agent, lines, out).run()
            out.flush()
        except Misunderstood as error:
            _complain(error)
            return 2
        except BrokenPipeError:
            return 0
        except (Exception, SystemExit) as error:
            _complain(error, where=True)
            return 1
    return 0
