"""How fast the search is, and how punctual its moves are.

Groups:
  rates     positions made per second for every game
  clock     by how much moves of 0.1 s take longer, on this machine as busy as it is

``python -m tests.benchmarks.search`` prints them; times are of this process.
"""

import itertools
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import mancala_env as mancala
from agents import make_agent
from agents.search import Searcher
from agents.warm_up import warm
from mancala_env.kernels.jit import Stopwatch
from tests.benchmarks import frame
from tests.games import CORE


def positions(game: str, count: int, plies: int = 20, seed: int = 0) -> list[mancala.State]:
    """Positions after a number of random plies; games that ended before are left out."""
    random = np.random.default_rng(seed)
    found: list[mancala.State] = []
    while len(found) < count:
        state = mancala.ruleset(game).start()
        for _ in range(plies):
            if not state.is_over:
                state = state.play(int(random.choice(state.legal_actions)))
        if not state.is_over:
            found.append(state)
    return found


def rate(states: list[mancala.State], depth: int) -> float:
    """Nodes a second of processor time of searching all positions, each with an empty table."""
    searcher = Searcher(states[0].rules)
    searcher.search(states[0], depth)
    nodes, seconds = 0, 0.0
    for state in states:
        searcher.forget()
        begin = time.process_time()
        nodes += searcher.search(state, depth, ties=False).nodes
        seconds += time.process_time() - begin
    return nodes / seconds


def rates(depth: int) -> None:
    """Print the rates of all games."""
    loops = [frame.Loop(game, partial(rate, positions(game, 10, plies=6), depth), "/s") for game in CORE]
    frame.show("positions made per second", loops, 3)


class Waiting:
    """Looks at the clock until a tenth of a second is over: as punctual as a process can be here."""

    name = "a loop that looks at the clock"

    def act(self, _: mancala.State) -> None:
        """Wait."""
        watch = Stopwatch()
        while watch.seconds < 0.1:
            pass


PLAYERS = ("minimax:time=0.1", "minimax:time=0.1,threads=2", "mcts:time=0.1", "mcts:time=0.1,network=zoo:oware")


def clock(_: int, *, moves: int = 200) -> None:
    """Print by how many milliseconds moves exceed 0.1 s; the players take turns, so that the machine is as busy.

    "over 5": moves more than 5 ms late.
    """
    agents: list[Any] = [Waiting(), *map(make_agent, PLAYERS)]
    for agent in agents[1:]:
        warm(mancala.ruleset("oware"), agent)
    late: dict[str, list[float]] = {agent.name: [] for agent in agents}
    choices = (state for seed in itertools.count() for state in positions("oware", 1, plies=12, seed=seed))
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


GROUPS: dict[str, Callable[..., None]] = {"rates": rates, "clock": clock}


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = frame.parser("search", __doc__)
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=list(GROUPS), metavar="GROUP", help="these groups")
    parser.add_argument("--depth", type=int, help="plies that rates look ahead (default: 6)")
    parser.add_argument("--small", action="store_true", help="as little of each group as shows that it runs")
    options = parser.parse_args(arguments)
    for group in options.only:
        depth = options.depth or (2 if options.small else 6)
        GROUPS[group](depth, **{"moves": 1} if options.small and group == "clock" else {})


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # as in a tournament
    main()
