"""Score an agent over the games of a split: ``mancala family evaluate minimax:depth=2 --split easy -o result.json``

The agent is a text such as minimax:depth=4 or policy:path=runs/mine, or a program that speaks the protocol: ./bot,
'cmd:python3 bot.py', or python:FILE.py:FUNCTION, a function from a State to an action. If it is stopped, the same
command goes on.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.agent import is_built_in, make_agent
from agents.bots.client import Bot, BotFault
from agents.bots.commands import resolve_command
from agents.bots.protocol import not_among
from agents.family import splits
from agents.family.leaderboard import HEAD, games_rows, markdown, summary_rows
from agents.family.score import evaluate_family
from mancala_env.cli import Parser, in_words
from mancala_env.progress import Progress
from mancala_env.rules import Ruleset
from mancala_env.state import IllegalAction, State


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

    def hear(self, begin: State, actions: Sequence[int]) -> None:
        """The moves so far."""
        self._heard = begin, tuple(actions)

    def act(self, state: State) -> int:
        """Its move. Raises IllegalAction if it gives none that is legal."""
        try:
            if not self._begun:
                self._bot.new_game(state.rules, self._seed)
                self._begun = True
            return self._bot.move(*self._heard, state).action
        except BotFault as fault:
            raise IllegalAction(f"{self.name}: {fault}") from fault


def player_of(text: str) -> Any:
    """The agent that a text names, or the program. ValueError or FileNotFoundError if there is none, BotFault if the
    program does not start."""
    if is_built_in(text):
        return make_agent(text)
    return Program(Bot(resolve_command(text)))


def main(arguments: Sequence[str] | None = None) -> None:
    """The command. Exits with status 2 and one line on bad input, 130 when interrupted."""
    parser = Parser("mancala family evaluate", __doc__)
    parser.add_argument("agent", metavar="AGENT", help="an agent such as minimax:depth=4, or a program such as ./bot")
    parser.add_argument("--split", default="easy", choices=list(splits.SIZES), help="how many games")
    parser.add_argument(
        "--part", nargs="+", default=list(splits.TESTS), choices=splits.PARTS, help="parts of the split"
    )
    parser.add_argument(
        "--pairs", type=int, default=20, metavar="N", help="of games against each opponent in each game"
    )
    parser.add_argument("--seed", type=int, default=0, help="of openings and agents, 0 or more")
    parser.add_argument("--threads", type=int, default=2, help="that play games; for a program it is always 1")
    parser.add_argument("--name", help="of the method, the same for each of its runs (default: the agent's)")
    parser.add_argument("-o", "--out", type=Path, metavar="FILE", help="the result; what it lacks is played")
    options = parser.parse_args(arguments)
    try:
        player = player_of(options.agent)
        with Progress("games of the split") as progress:
            content = evaluate_family(
                player, options.split, parts=options.part, pairs=options.pairs, seed=options.seed,
                threads=1 if isinstance(player, Program) else options.threads, name=options.name, path=options.out,
                progress=progress,
            )  # fmt: skip
        print(markdown(*games_rows(content)), markdown(HEAD, summary_rows(content["name"], [content])), sep="\n\n")
    except (ValueError, OSError, ImportError, BotFault) as why:
        parser.error(in_words(why))
    except KeyboardInterrupt:
        parser.exit(130, f"{parser.prog}: stopped; the same command goes on\n")
