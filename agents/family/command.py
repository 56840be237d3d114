"""A benchmark over many games: what an agent has learnt from some games is measured on others (docs/benchmark.md)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.agent import is_built_in, make_agent
from agents.bots.client import Bot, BotFault
from agents.bots.commands import resolve_command
from agents.bots.protocol import not_among
from agents.family import splits
from agents.family.score import HEAD, evaluate_family, games_rows, read_result, rows_of
from agents.processes import usable_cores
from agents.provenance import write_text
from mancala_env.cli import Namespace, Parser, in_words
from mancala_env.progress import Progress
from mancala_env.rules import Ruleset
from mancala_env.state import IllegalAction, State
from mancala_env.words import markdown_table


class Program:
    """An agent that asks a program by the protocol, in one process for all games, one after the other. Whatever the
    program does wrong counts as an illegal action; then it is started again."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        bot.start()
        self.name = bot.name

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
            raise IllegalAction(f"{self.name}: {fault}") from fault


def _parser() -> Parser:
    parser = Parser("mancala family", __doc__)
    one = parser.add_command("evaluate", "score an agent in all games of a split; if stopped, the same command goes on")
    agents = "such as minimax:depth=4; or a program: ./bot, 'cmd:python3 bot.py', python:FILE.py:FUNCTION"
    one.add_argument("agent", metavar="AGENT", help=agents)
    one.add_argument("--split", default="easy", choices=list(splits.SIZES), help="how many games")
    one.add_argument("--part", nargs="+", default=list(splits.TESTS), choices=splits.PARTS, help="parts of the split")
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
    own = is_built_in(asked.agent)
    player = make_agent(asked.agent) if own else Program(Bot(resolve_command(asked.agent)))
    with Progress("games of the split") as progress:
        content = evaluate_family(
            player, asked.split, parts=asked.part, pairs=asked.pairs, seed=asked.seed,
            threads=asked.threads if own else 1, name=asked.name, path=asked.out, progress=progress,
        )  # fmt: skip
    print(markdown_table(*games_rows(content)), markdown_table(HEAD, rows_of([content])), sep="\n", end="")


def _leaderboard(asked: Namespace) -> None:
    if again := [
        path for k, path in enumerate(asked.results) if path.resolve() in map(Path.resolve, asked.results[:k])
    ]:
        raise ValueError(f"{again[0]} is given twice, and would count as two runs; give it once")
    print(markdown_table(HEAD, rows_of([read_result(path) for path in asked.results])), end="")


def _splits(asked: Namespace) -> None:
    from agents.family.make import as_text, made

    write_text(asked.out, as_text(made(asked.processes)))
