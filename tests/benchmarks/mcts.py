"""How strong and how fast tree search by rollouts is, game by game: ``python -m tests.benchmarks.mcts``

Pairs of games with the seats swapped, as ``agents.evaluation`` plays them, from the start of the game: tree search
makes each of them different. After four random plies some games of Hus and Layli Goobalay are decided, and the same
are lost at every strength (``--opening_plies 4 --simulations 20000``). Of a match only the first game is played: the
search looks no further either.
"""

import time
from collections.abc import Sequence

import mancala_env as mancala
from agents import MctsAgent
from agents.evaluation import evaluate
from tests.benchmarks import frame
from tests.games import CORE


def speed(rules: mancala.Ruleset) -> float:
    """Simulations a second from the start, on one core: the best of a few searches."""
    agent = MctsAgent(simulations=2000)
    agent.search(rules.start())  # compiles
    return max(frame.per_second(2000, lambda: agent.search(rules.start())) for _ in range(5))


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = frame.parser("mcts", __doc__)
    parser.add_argument("--pairs", type=int, default=24, help="pairs of games against each opponent")
    parser.add_argument("--games", nargs="+", default=list(CORE), help="names of rulesets")
    parser.add_argument("--simulations", nargs="+", type=int, default=[200, 800], help="of the agents that are scored")
    parser.add_argument("--against", nargs="+", default=("random", "greedy"), help="as agents.make_agent names them")
    parser.add_argument("--opening_plies", type=int, default=0, help="random plies at the start of each pair")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    headings = [f"{simulations} v {opponent}" for simulations in options.simulations for opponent in options.against]
    rows, begin = [], time.perf_counter()
    how = {"pairs": options.pairs, "opening_plies": options.opening_plies, "seed": options.seed}
    for game in options.games:
        rules, cells = mancala.ruleset(game), [game]
        if rules.match != "none":
            rules = rules.changes(max_games=1)
        for simulations in options.simulations:
            for result in evaluate(f"mcts:simulations={simulations}", options.against, rules, **how):
                cells.append(f"{100 * result.score:.1f} ({100 * result.low:.0f}-{100 * result.high:.0f})")
        rows.append([*cells, f"{speed(rules):,.0f}"])
    frame.print_table(f"score in per cent with its 95 % interval, {how}", ("game", *headings, "simulations/s"), rows)
    print(f"{time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
