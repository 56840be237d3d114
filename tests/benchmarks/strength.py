"""How strong players are at equal time a move, one thread each: against ``minimax`` on the seed margin, or another.

``python -m tests.benchmarks.strength`` prints the table; ``--time 0.1 --pairs 200`` takes hours a game. ``--players``
names kinds of players, ``--everyone`` all of them, and ``--against`` whom they meet; ``--ablation`` plays each search
without one of its features against the whole one. ``--players minimax-x10`` has ten times the time: how much strength
these openings can show.

Openings are balanced (``agents.evaluation.openings``): a search of ``--balance-nodes`` nodes with the game's own
learned evaluation expects no more than two seeds for either player, or in games that are not about seeds no more than
0.3 of a win. Shallower judges, and ones without that knowledge, let openings pass that are decided, so that each player
wins one game of every pair.
"""

import argparse
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from agents import MinimaxAgent, zoo
from agents.evaluation import Balance, Result, evaluate
from agents.search import Searcher, stack
from agents.search.evaluation import Evaluation
from mancala_env.rules import Goal
from tests.benchmarks import frame

FEATURES = ("TABLE", "CHILD_PROBES", "GAINS", "KILLERS", "SUCCESSES", "SCOUTS", "REACHES", "REDUCTIONS", "SHORTFALLS")
BALANCED, EVEN = 2.0, 0.3  # seeds, and the chance to win minus that to lose
BALANCE_NODES = 50_000
OPENING_PLIES = 8


PLAYERS = {  # kinds of players, by the names of their agents
    "random": "random",
    "greedy": "greedy",
    "minimax": "minimax:time={time}",
    "minimax-x10": "minimax:time={tenfold}",
    "minimax+evaluation": "zoo:{entry}-search,time={time}",
    "mcts": "mcts:time={time}",
    "mcts+evaluation": "mcts:time={time},evaluation=zoo:{entry}",
    "mcts+network": "mcts:time={time},network=zoo:{entry}",
}
SEARCH, NETWORK, TENFOLD = "minimax+evaluation", "mcts+network", "minimax-x10"


class Without(MinimaxAgent):
    """The search of a zoo entry without one feature of ``agents.search.stack``; the whole one for ""."""

    def __init__(self, entry: str, feature: str, time: float) -> None:
        super().__init__(time=time, evaluation=f"zoo:{entry}", name=f"without:{feature}" if feature else "whole")
        features = stack.ALL_FEATURES & ~(getattr(stack, feature) if feature else 0)
        assert self.rules is not None
        self._searcher = Searcher(self.rules, features=features, evaluate=Evaluation.load(f"zoo:{entry}"))


def measure(entry: str, player: str, asked: argparse.Namespace) -> Result:
    """The score of a kind of player against another of equal time, from balanced openings."""
    rules = zoo.rules_of(f"{entry}{zoo.SEARCH}")
    settings = {"entry": entry, "time": asked.time, "tenfold": f"{10 * asked.time:g}"}
    first: Any = PLAYERS.get(player, "").format(**settings)
    other: Any = PLAYERS[asked.against].format(**settings)
    if player.startswith("without:"):
        first, other = Without(entry, player.removeprefix("without:"), asked.time), Without(entry, "", asked.time)
    most = BALANCED if rules.goal is Goal.SEEDS else EVEN
    fair = Balance(most, nodes=asked.balance_nodes, evaluation=f"zoo:{entry}")
    (result,) = evaluate(
        first, other, rules, pairs=asked.pairs, seed=asked.seed, threads=1, opening_plies=OPENING_PLIES, balance=fair
    )
    return result


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = frame.parser("strength", __doc__)
    there = [name.removesuffix(zoo.SEARCH) for name in zoo.evaluations()]
    parser.add_argument("--games", nargs="+", default=there, choices=there)
    parser.add_argument("--time", type=float, default=0.02, help="seconds a move")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--balance-nodes", type=int, default=BALANCE_NODES, help="of the search that judges openings")
    parser.add_argument("--players", nargs="+", default=[SEARCH], choices=PLAYERS)
    parser.add_argument("--everyone", action="store_true", help="all kinds of players")
    parser.add_argument("--against", default="minimax", choices=PLAYERS)
    parser.add_argument(
        "--ablation", nargs="*", choices=FEATURES, help="the search without each of these features, or all"
    )
    asked = parser.parse_args(arguments)
    with suppress(ImportError):
        import torch

        torch.set_num_threads(1)
    rows = []
    for entry in asked.games:
        kinds = [kind for kind in PLAYERS if kind != TENFOLD] if asked.everyone else asked.players
        kinds = [kind for kind in kinds if kind != asked.against and (kind != NETWORK or entry in zoo.names())]
        if asked.ablation is not None:
            kinds = [f"without:{feature}" for feature in asked.ablation or FEATURES]
        for player in kinds:
            result = measure(entry, player, asked)
            score, low, high = (f"{100 * each:.1f}" for each in (result.score, result.low, result.high))
            print(f"{entry}: {player} {score}", flush=True)
            rows.append((entry, player, score, f"{low}-{high}", str(2 * result.pairs)))
    against = asked.against if asked.ablation is None else "the whole search"
    title = f"score in percent against {against}, {asked.time} s a move, balanced openings"
    frame.print_table(title, ("game", "player", "score", "95 %", "games"), rows)


if __name__ == "__main__":
    main()
