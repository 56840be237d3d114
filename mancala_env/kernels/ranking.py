"""Numbering the ways to lay n seeds in N pits."""

from math import comb

import numpy as np

from mancala_env.kernels.jit import inlined, njit

MAX_CHOICE = 64
BINOMIAL = np.array([[comb(n, k) for k in range(MAX_CHOICE + 1)] for n in range(MAX_CHOICE + 1)], dtype=np.int64)


@inlined
def configuration(position, pits, seeds):
    """The number of a placement of seeds in pits, without gaps from 0, fewer seeds first: the bar after pit i stands at
    place (seeds up to i) + i, and sets of places are numbered combinatorially. Needs pits + seeds <= 64."""
    number = BINOMIAL[pits + seeds - 1, pits] if seeds > 0 else 0
    place = 0
    for pit in range(pits - 1):
        place += np.int64(position[pit])
        number += BINOMIAL[place + pit, pit + 1]
    return number


@njit
def next_placement(position, pits):
    """Go on to the next placement of the same seeds; ``position[:pits]`` is modified in place. False after the last."""
    pit = 0
    while position[pit] == 0:
        pit += 1
    if pit == pits - 1:
        return False
    seeds = position[pit]
    position[pit] = 0
    position[0] = seeds - 1
    position[pit + 1] += 1
    return True
