"""Serve an agent or a function of one's own to a host, over the protocol of ``docs/protocol.md``."""

import os
import select
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress

from agents.agent import make_agent
from agents.bots.functions import load_function
from agents.bots.serving import Lines, Misunderstood, Server, one_line
from agents.processes import require
from mancala_env.cli import Parser


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
