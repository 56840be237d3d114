"""Play against an agent: ``mancala play --rules kalah:seeds=3 --against minimax:depth=6``, or ``--web``."""

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from agents.play.session import Session
from agents.play.terminal import Terminal
from agents.tournament.export import read_games
from mancala_env.cli import GAME, Namespace, Parser, in_words, rules_text
from mancala_env.games import ruleset
from mancala_env.rules.plain import text_of

COMMAND = "mancala play"


def parser() -> Parser:
    """The options of the command."""
    found = Parser(COMMAND, "Play against an agent.")
    found.add_argument("--rules", metavar="GAME", help=f"{GAME}; kalah, or the game of --load")
    found.add_argument(
        "--against", nargs="+", default=["minimax:depth=2"], metavar="AGENT",
        help="the opponent, e.g. minimax:depth=6 or zoo:kalah; with --web the first of several to choose from",
    )  # fmt: skip
    found.add_argument("--seat", choices=("south", "north"), default="south", help="yours; South moves first")
    found.add_argument("--seed", type=int, default=0, help="of the opponent's random choices")
    found.add_argument("--load", metavar="FILE", help="go on with a saved game")
    found.add_argument("--web", action="store_true", help="a page in a browser, served from this machine to itself")
    found.add_argument("--port", type=int, default=0, help="of the page; 0: any that is free")
    found.add_argument("--host", default="127.0.0.1", help="where the page listens")
    found.add_argument("--open-to-network", action="store_true", help="allow a --host that other machines can reach")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns 0 when the person leaves, 2 for wrong arguments."""
    options = parser().parse_args(arguments)
    try:
        saved = Path(options.load).read_text(encoding="utf-8", errors="replace") if options.load else ""
        rules, seat = _rules(options, saved), ("south", "north").index(options.seat)
        if options.web:
            from agents.play.web import serve

            return serve(
                rules, options.against, seat=seat, seed=options.seed, host=options.host, port=options.port,
                open_to_network=options.open_to_network, load=saved, lobby=not (options.rules or options.load),
            )  # fmt: skip
        if len(options.against) > 1:
            raise ValueError("in a terminal there is one opponent; several are for --web")
        session = Session(rules, options.against[0], seat=seat, seed=options.seed)
        if saved:
            session.load(saved)
    except (ValueError, OSError, ImportError) as error:
        print(f"{COMMAND}: {in_words(error)}", file=sys.stderr)
        return 2
    with suppress(ImportError):
        if sys.stdin.isatty():
            import readline  # noqa: F401 (lines can then be edited)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    try:
        Terminal(session, input, sys.stdout).run()
    except KeyboardInterrupt:
        print()
    except BrokenPipeError:
        sys.stderr.close()
    return 0


def _rules(options: Namespace, saved: str) -> str:
    """The game that is asked for, or is saved. Raises ValueError if these are two."""
    asked = ruleset(rules_text(options.rules or "kalah"))
    if not options.load:
        return text_of(asked)
    if "\ufffd" in saved or not (games := read_games(saved)):  # bytes that are no text
        raise ValueError(f"{options.load} holds no game; --load takes a saved game")
    if options.rules and asked != ruleset(games[0].rules):
        raise ValueError(f"{options.load} is a game of {games[0].rules}, not of {text_of(asked)}; leave --rules out")
    return games[0].rules
