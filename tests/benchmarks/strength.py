"""How strong players are at equal time a move, one thread each: against ``minimax`` on the seed margin, or another.

``python -m tests.benchmarks.strength`` prints the table; ``--time 0.1 --pairs 200`` takes hours a game. ``--players``
names kinds of players, ``--everyone`` all of them, and ``--against`` whom they meet; ``--ablation`` plays each search
without one of its features against the whole one. ``--players minimax-x10`` has ten times the time: how much strength
these openings can show. ``--regret`` prints instead how many seeds a move of each search loses, compared with exact
values, in fixed positions of random games.

Openings are balanced (``agents.evaluation.openings``): a search of ``--balance-nodes`` nodes with the game's own
learned evaluation expects no more than two seeds for either player, or in games that are not about seeds no more than
0.3 of a win. Shallower judges, and ones without that knowledge, let openings pass that are decided, so that each player
wins one game of every pair.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from agents import MinimaxAgent, zoo
from agents.evaluation import Result, evaluate
from agents.evaluation.regret import SolverOracle, TableOracle, measure_regret
from agents.evaluation.regret.measure import Summary, fixed_positions
from agents.search import Searcher, stack
from agents.search.evaluation import Evaluation
from mancala_env.rules import Goal
from tests.benchmarks import frame

FEATURES = ("TABLE", "CHILD_PROBES", "GAINS", "KILLERS", "SUCCESSES", "SCOUTS", "REACHES", "REDUCTIONS", "SHORTFALLS")
BALANCED, EVEN = 2.0, 0.3  # seeds, and the chance to win minus that to lose
BALANCE_NODES = 50_000
OPENING_PLIES = 8
TENTH = 150_000  # nodes that a search with a learned evaluation visits in about a tenth of a second


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
    (result,) = evaluate(
        first, other, rules, pairs=asked.pairs, seed=asked.seed, threads=1, opening_plies=OPENING_PLIES,
        balanced=BALANCED if rules.goal is Goal.SEEDS else EVEN, balance_nodes=asked.balance_nodes,
        balance_evaluation=f"zoo:{entry}",
    )  # fmt: skip
    return result


def regrets(entry: str, asked: argparse.Namespace) -> Iterator[tuple[str, Summary]]:
    """The regret of alpha-beta to depth 8 and of the search of a game in the same positions.

    That has no more nodes than depth 8 takes on average, or as many as it visits in about a tenth of a second.
    """
    rules = zoo.rules_of(f"{entry}{zoo.SEARCH}")
    oracle = SolverOracle(rules, nodes=5_000_000) if asked.tables is None else TableOracle(asked.tables, rules)
    states = fixed_positions(rules, asked.positions, asked.seeds_on_board, asked.seed)
    plain = Searcher(rules)
    spent = []
    for state in states:
        plain.forget()
        spent.append(plain.search(state, 8).nodes)
    for player in (
        "minimax:depth=8",
        f"minimax:nodes={round(sum(spent) / len(spent))},evaluation=zoo:{entry}",
        f"minimax:nodes={TENTH},evaluation=zoo:{entry}",
    ):
        found = measure_regret(player, rules, oracle, games=0, positions=states, seed=asked.seed)
        yield player, found.summary("fixed")


def show_regrets(asked: argparse.Namespace) -> None:
    """Print the table of ``--regret``."""
    rows = []
    for entry in asked.games:
        for player, found in regrets(entry, asked):
            told = f"{found.mean:.3f}", f"{found.low:.3f}-{found.high:.3f}", f"{found.random_mean:.3f}"
            rows.append((entry, player, *told, str(found.positions)))
    title = f"seeds lost per move in fixed positions of at most {asked.seeds_on_board} seeds on the board"
    frame.print_table(title, ("game", "player", "seeds", "95 %", "a random move", "positions"), rows)


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
    parser.add_argument("--regret", action="store_true", help="seeds lost per move, in games that can be solved")
    parser.add_argument("--positions", type=int, default=200, help="with --regret: fixed positions of each game")
    parser.add_argument("--seeds-on-board", type=int, default=24, help="with --regret: the most that they have")
    parser.add_argument("--tables", type=Path, help="with --regret: endgame tables to look values up in (awari)")
    asked = parser.parse_args(arguments)
    if asked.regret:
        show_regrets(asked)
        return
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
