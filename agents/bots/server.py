"""Serve an agent or a function of one's own to a host, over one of the protocols of ``docs/protocol.md``."""

import os
import select
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TextIO

from agents.agent import make_agent
from agents.bots.protocols import PROTOCOLS, Protocol, make_protocol
from agents.bots.protocols.mancala import Mancala
from agents.bots.protocols.stdin import FORMATS, PITS, Stdin
from agents.bots.serving.functions import load_function
from agents.bots.serving.lines import Lines, Misunderstood
from agents.bots.serving.mancala import Server
from agents.bots.serving.stdin import StdinPlayer
from agents.bots.serving.thinking import one_line
from agents.bots.serving.uci import UciServer
from agents.processes import require
from mancala_env.cli import GAME, Namespace, Parser, rules_text
from mancala_env.games import ruleset


def _complain(error: BaseException, where: bool = False) -> None:
    """Print one line to stderr, with ``where`` also the place in the source."""
    kind = "" if isinstance(error, ValueError | OSError) and not where else f"{type(error).__name__}: "
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if where and frames else ""
    print(f"mancala bot serve: {kind}{one_line(error)}{place}", file=sys.stderr, flush=True)


def parser() -> Parser:
    """What the command takes."""
    made = Parser(
        "mancala bot serve",
        "Serve an agent as a bot: it reads and writes the lines of a protocol of docs/protocol.md.",
    )
    who = made.add_mutually_exclusive_group(required=True)
    who.add_argument("agent", nargs="?", metavar="AGENT", help="an agent, e.g. minimax:depth=6 or zoo:kalah")
    who.add_argument("--callable", metavar="FILE.py:FUNCTION", help="a function from a State to an action")
    made.add_argument(
        "--protocol",
        choices=tuple(PROTOCOLS),
        default=Mancala.name,
        help="mancala: this project's own; uci: interfaces of Oware; stdin: contest sites",
    )
    made.add_argument("--rules", metavar="GAME", help=f"for uci (default: oware) and stdin (kalah): {GAME}")
    made.add_argument("--format", choices=FORMATS, help="for stdin: what it reads (default: moves)")
    made.add_argument(
        "--pits", choices=PITS, help="for stdin: how moves are written, by letters or numbers from 0 or 1"
    )
    made.add_argument("--stores", action="store_true", help="for stdin: boards hold the stores")
    return made


TAKES = {"rules": ("uci", "stdin"), "format": ("stdin",), "pits": ("stdin",), "stores": ("stdin",)}


def check_options(options: Namespace) -> None:
    """Raise ValueError for an option that the protocol has no use for."""
    for name, protocols in TAKES.items():
        if getattr(options, name) and options.protocol not in protocols:
            raise ValueError(f"--{name} is for --protocol {' or '.join(protocols)}, not for {options.protocol}")


def served(options: Namespace, agent: Any, lines: Lines, out: TextIO) -> Server | UciServer | StdinPlayer:
    """What plays for the agent over the protocol of the options.

    Raises
    ------
    ValueError
        If the protocol or the agent does not play the rules.
    """
    if options.protocol == Mancala.name:
        return Server(agent, lines, out)
    rules = ruleset(rules_text(options.rules or PROTOCOLS[options.protocol].games[0]))
    if options.protocol == "uci":
        return UciServer(agent, rules, lines, out)
    asked = {"format": options.format, "pits": options.pits, "stores": str(options.stores)}
    protocol: Protocol = make_protocol("stdin", {key: value for key, value in asked.items() if value})
    assert isinstance(protocol, Stdin)
    return StdinPlayer(agent, rules, protocol.notation, lines, out)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns 0 after the end of the input, 1 if the agent failed, 2 for wrong arguments."""
    options = parser().parse_args(arguments)
    try:
        require("agents are served", select_poll=hasattr(select, "poll"))  # Windows selects sockets, not pipes
        check_options(options)
    except (NotImplementedError, ValueError) as error:
        _complain(error)
        return 2
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the host, which then stops its bots
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # so that output of an agent or a library is not taken for an answer
    lines = Lines(os.dup(0))
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)  # so that neither an agent nor a program that it starts takes the host's lines
    agent: Any
    with suppress(BrokenPipeError):  # the host has gone: nobody to tell
        try:
            agent = load_function(options.callable) if options.callable else make_agent(options.agent)
            player = served(options, agent, lines, out)
        except (Exception, SystemExit) as error:
            _complain(error, where=options.callable is not None and not isinstance(error, ValueError | OSError))
            return 2
        try:
            player.run()
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
