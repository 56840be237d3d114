"""A benchmark over many games: what an agent has learnt from some games is measured on others (docs/benchmark.md)."""

from collections.abc import Sequence
from pathlib import Path

from agents.agent import is_built_in, learnt_in, make_agent
from agents.bots.client import BotFault, Program
from agents.bots.commands import resolve_command
from agents.family import splits
from agents.family.score import HEAD, evaluate_family, games_rows, read_result, rows_of
from agents.processes import usable_cores
from agents.provenance import write_text
from mancala_env.cli import Namespace, Parser, in_words
from mancala_env.progress import Progress
from mancala_env.words import markdown_table


def _parser() -> Parser:
    parser = Parser("mancala family", __doc__)
    one = parser.add_command("evaluate", "score an agent in all games of a split; if stopped, the same command goes on")
    agents = "such as minimax:depth=4; a run folder; or a program: ./bot, 'cmd:python3 bot.py', python:FILE.py:FUNCTION"
    one.add_argument("agent", metavar="AGENT", help=agents)
    one.add_argument("--split", default="easy", choices=list(splits.SIZES), help="how many games")
    parts = f"of {', '.join(splits.PARTS)}"
    one.add_argument("--part", nargs="+", default=list(splits.TESTS), choices=splits.PARTS, metavar="PART", help=parts)
    one.add_argument("--pairs", type=int, default=20, metavar="N", help="of games against each opponent in each game")
    one.add_argument("--seed", type=int, default=0, help="of openings and agents, 0 or more")
    one.add_argument("--threads", type=int, default=2, help="that play games; for a program it is always 1")
    one.add_argument("--name", help="of the method, the same for each of its runs (default: the agent's)")
    one.add_argument("-o", "--out", type=Path, metavar="FILE", help="the result; what it lacks is played")
    several = parser.add_command(
        "leaderboard", "results as one table in Markdown; those with the same name share a row"
    )
    several.add_argument("results", nargs="+", type=Path, metavar="RESULT", help="what mancala family evaluate wrote")
    making = parser.add_command("splits", "measure and share out the games anew, which takes some ten minutes")
    making.add_argument("-o", "--out", type=Path, default=splits.FILE, metavar="FILE", help="where to write it")
    making.add_argument("--processes", type=int, default=usable_cores(), metavar="N", help="that share the work")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """The command. Exits with status 2 and one line on bad input, 130 when interrupted."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        {"evaluate": _evaluate, "leaderboard": _leaderboard, "splits": _splits}[options.command](
            options[options.command]
        )
    except (ValueError, KeyError, OSError, ImportError, BotFault) as why:
        parser.error(in_words(why))
    except KeyboardInterrupt:
        parser.exit(130, f"{parser.prog}: stopped\n")


def _evaluate(asked: Namespace) -> None:
    named = learnt_in(asked.agent)
    own = is_built_in(named)
    player = make_agent(named) if own else Program(resolve_command(named))
    with Progress("games of the split") as progress:
        content = evaluate_family(
            player, asked.split, parts=asked.part, pairs=asked.pairs, seed=asked.seed,
            threads=asked.threads if own else 1, name=asked.name, path=asked.out, progress=progress,
        )  # fmt: skip
    print(markdown_table(*games_rows(content)), markdown_table(HEAD, rows_of([content])), sep="\n", end="")


def _leaderboard(asked: Namespace) -> None:
    print(markdown_table(HEAD, rows_of([read_result(path) for path in asked.results])), end="")


def _splits(asked: Namespace) -> None:
    from agents.family.make import as_text, made

    asked.out.parent.mkdir(parents=True, exist_ok=True)  # or refused, before the work
    write_text(asked.out, as_text(made(asked.processes)))
