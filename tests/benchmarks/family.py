"""The speed of batches that mix games, beside that of single batches: moves, legal masks and observations::

    python -m tests.benchmarks.family [GAME...]

A mixed batch gives each game the same number of plies, so what it is compared with is the time that single batches of
the same size take for as many plies of each. Measured in turns, so that both see the same machine; the best of five.
"""

import sys
import time
from typing import Any

import numpy as np

from mancala_env import Batch
from mancala_env.family import FamilyBatch, needed

GAMES = ("oware", "kalah", "layli_goobalay", "hus", "bao_kiswahili", "o_an_quan_match", "en_gehe_40")
N, STEPS, ROUNDS = 1024, 60, 5


def seconds(batch: Any) -> tuple[float, float]:
    """Seconds a ply, with random actions; and for the part of it that observes."""
    spent = np.zeros(2)
    for _ in range(STEPS):
        begun = time.perf_counter()
        batch.play(batch.random_actions())
        moved = time.perf_counter()
        _ = batch.legal_mask, batch.observe()
        spent += time.perf_counter() - begun, time.perf_counter() - moved
    whole, seen = spent / STEPS / N
    return whole, seen


def main(games: tuple[str, ...]) -> float:
    """Print the table; returns how fast the mixture is, 1 for the single batches."""
    mixed = FamilyBatch(games, N)
    batches = [mixed, FamilyBatch(games, N, sizes=needed(mixed.rulesets)), *(Batch(name, N) for name in games)]
    for batch in batches:
        seconds(batch)  # compiles, and spreads the games over their length
    best = np.min([[seconds(batch) for batch in batches] for _ in range(ROUNDS)], axis=0)
    singles = best[2:].mean(axis=0)
    for name, (whole, seen) in zip(("mixed", "mixed, least sizes", *games), best, strict=True):
        print(f"{name:20} {1e-6 / whole:6.2f} M plies/s, {1e9 * seen:5.0f} of {1e9 * whole:5.0f} ns to observe")
    ratio = float(singles[0] / best[0, 0])
    print(f"the mixture plays {ratio:.2f} times as fast as single batches ({1e-6 / singles[0]:.2f} M plies/s)")
    return ratio


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or GAMES)
