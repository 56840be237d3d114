"""How strong players are at equal time a move, one thread each: against ``minimax`` on the seed margin, or another.

``python -m tests.benchmarks.strength`` prints the table; ``--time 0.1 --pairs 200`` is what the wanted scores are
about, and takes hours a game. ``--players`` names kinds of players, ``--everyone`` all of them, and ``--against`` whom
they meet; ``--ablation`` plays each search without one of its features against the whole one. Results are kept in
``--store`` as they come: the same command goes on from there.

Openings are balanced: in games about seeds a search of six plies finds no lead of more than two seeds, in others no
win.
"""

import argparse
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import mancala_env as mancala
from agents import MinimaxAgent, zoo
from agents.evaluation import Result, evaluate
from agents.provenance import provenance, write_json
from agents.search import Searcher, kernel
from agents.search.evaluation import Evaluation
from tests.benchmarks.search import FEATURES

WANTED = {
    "oware": 85, "awari": 80, "oware_tutti_a_casa": 80, "oware_liberta": 80, "kalah": 70, "kalah-empty-capture": 70,
    "hus": 70, "layli_goobalay": 70, "toguz": 70, "sungka": 70, "bao_kujifunza": 70,
}  # fmt: skip
BALANCED = 2.0  # seeds
OPENING_PLIES = 8


PLAYERS = {  # kinds of players, by the names of their agents
    "random": "random",
    "greedy": "greedy",
    "minimax": "minimax:time={time}",
    "minimax+evaluation": "zoo:{entry}-search,time={time}",
    "mcts": "mcts:time={time}",
    "mcts+evaluation": "mcts:time={time},evaluation=zoo:{entry}",
    "mcts+network": "mcts:time={time},network=zoo:{entry}",
}
SEARCH, NETWORK = "minimax+evaluation", "mcts+network"


class Without(MinimaxAgent):
    """The search of a zoo entry without one feature of ``agents.search.kernel``; the whole one for ""."""

    def __init__(self, entry: str, feature: str, time: float) -> None:
        super().__init__(time=time, evaluation=f"zoo:{entry}", name=f"without:{feature}" if feature else "whole")
        features = kernel.ALL_FEATURES & ~(getattr(kernel, feature) if feature else 0)
        assert self.rules is not None
        self._searcher = Searcher(self.rules, features=features, evaluate=Evaluation.load(f"zoo:{entry}"))


def measure(entry: str, player: str, against: str, time: float, pairs: int, seed: int) -> Result:
    """The score of a kind of player against another of equal time."""
    rules = zoo.rules_of(f"{entry}{zoo.SEARCH}")
    first: Any = PLAYERS.get(player, "").format(entry=entry, time=time)
    other: Any = PLAYERS[against].format(entry=entry, time=time)
    if player.startswith("without:"):
        first, other = Without(entry, player.removeprefix("without:"), time), Without(entry, "", time)
    (result,) = evaluate(
        first, other, rules, pairs=pairs, opening_plies=OPENING_PLIES, balanced=BALANCED, seed=seed,
        threads=1,
    )  # fmt: skip
    return result


def table(found: dict[str, Any], against: str, time: float) -> Table:
    """The results that are there, a line for each player of each game."""
    shown = Table(title=f"score in percent against {against}, {time} s a move, balanced openings")
    for column in ("game", "player", "score", "95 %", "games", "wanted"):
        shown.add_column(column, justify="left" if column in ("game", "player") else "right")
    for key, result in found.items():
        entry, player = key.split(" ")[:2]
        score, low, high = (f"{100 * result[name]:.1f}" for name in ("score", "low", "high"))
        wanted = str(WANTED.get(entry, "")) if (player, against) == (SEARCH, "minimax") else ""
        shown.add_row(entry, player, score, f"{low}-{high}", str(2 * result["pairs"]), wanted)
    return shown


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    there = [name.removesuffix(zoo.SEARCH) for name in zoo.evaluations()]
    parser.add_argument("--games", nargs="+", default=there, choices=there)
    parser.add_argument("--time", type=float, default=0.02, help="seconds a move")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--players", nargs="+", default=[SEARCH], choices=PLAYERS)
    parser.add_argument("--everyone", action="store_true", help="all kinds of players")
    parser.add_argument("--against", default="minimax", choices=PLAYERS)
    parser.add_argument("--ablation", action="store_true", help="the search without each of its features")
    parser.add_argument("--store", type=Path, help="a JSON file of results, to go on from")
    asked = parser.parse_args(arguments)
    with suppress(ImportError):
        import torch

        torch.set_num_threads(1)
    found: dict[str, Any] = {}
    if asked.store is not None and asked.store.exists():
        found = json.loads(asked.store.read_text(encoding="utf-8"))["results"]
    chosen: dict[str, Any] = {}
    console = Console(width=120)
    for entry in asked.games:
        kinds = list(PLAYERS) if asked.everyone else asked.players
        kinds = [kind for kind in kinds if kind != asked.against and (kind != NETWORK or entry in zoo.names())]
        for player in [f"without:{feature}" for feature in FEATURES] if asked.ablation else kinds:
            made = Evaluation.load(f"zoo:{entry}").digest[:16]
            key = f"{entry} {player} {asked.against} {asked.time} {asked.pairs} {asked.seed} {made}"
            if key not in found:
                found[key] = asdict(measure(entry, player, asked.against, asked.time, asked.pairs, asked.seed))
                console.print(f"{entry}: {player} {100 * found[key]['score']:.1f}", soft_wrap=True)
                if asked.store is not None:
                    about = provenance(mancala.ruleset("oware"), asked.seed)
                    write_json(asked.store, {"made": about, "results": found})
            chosen[key] = found[key]
    console.print(table(chosen, asked.against, asked.time))


if __name__ == "__main__":
    main()
