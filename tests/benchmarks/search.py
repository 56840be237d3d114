"""How punctual moves are: ``python -m tests.benchmarks.search`` prints by how much moves of 0.1 s take longer, on this
machine as busy as it is.
"""

import itertools
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

import mancala_env as mancala
from agents import make_agent
from agents.warm_up import warm
from mancala_env.kernels.jit import Stopwatch
from tests.benchmarks import frame
from tests.games import random_game


class Waiting:
    """Looks at the clock until a tenth of a second is over: as punctual as a process can be here."""

    name = "a loop that looks at the clock"

    def act(self, _: mancala.State) -> None:
        """Wait."""
        watch = Stopwatch()
        while watch.seconds < 0.1:
            pass


PLAYERS = ("minimax:time=0.1", "minimax:time=0.1,threads=2", "mcts:time=0.1", "mcts:time=0.1,network=zoo:oware")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command; the players take turns, so that the machine is as busy. "over 5": moves more than 5 ms late."""
    parser = frame.parser("search", __doc__)
    parser.add_argument("--moves", type=int, default=200)
    moves = parser.parse_args(arguments).moves
    agents: list[Any] = [Waiting(), *map(make_agent, PLAYERS)]
    for agent in agents[1:]:
        warm(mancala.ruleset("oware"), agent)
    late: dict[str, list[float]] = {agent.name: [] for agent in agents}
    games = (random_game(mancala.ruleset("oware"), seed)[1] for seed in itertools.count())
    choices = (states[12] for states in games if len(states) > 13)
    for state in itertools.islice((each for each in choices if len(each.legal_actions) > 1), moves):
        for agent in agents:
            watch = Stopwatch()
            agent.act(state)
            late[agent.name].append(1000 * (watch.seconds - 0.1))
    rows = []
    for name, each in late.items():
        figures = (f"{figure:.2f}" for figure in np.percentile(each, (50, 99, 100)))
        rows.append((name, *figures, str(sum(one > 5 for one in each))))
    title = f"ms beyond 0.1 s, {moves} moves of Oware"
    frame.print_table(title, ("player", "median", "99 %", "most", "over 5"), rows)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # as in a tournament
    main()
