"""Checks that arrays are positions that kernels can safely play. All other kernels take that for granted."""

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of
from mancala_env.kernels.jit import njit
from mancala_env.kernels.lookahead import check_without_history


@njit
def first_unsound(positions, low, high, counted, most):
    """The first fault in positions, or -1.

    Parameters
    ----------
    positions : int16[n, W]
    low, high : int16[W]
        The range of each field.
    counted : bool[W]
        The fields that hold seeds.
    most : int
        The most seeds that there can be.

    Returns
    -------
    int
        ``k * (W + 1) + field``: this field of ``positions[k]`` is out of range; field W: there are too many seeds.
    """
    width = positions.shape[1]
    for k in range(len(positions)):
        seeds = 0
        for field in range(width):
            value = positions[k, field]
            if value < low[field] or value > high[field]:
                return k * (width + 1) + field
            if counted[field]:
                seeds += value
        if seeds > most:
            return k * (width + 1) + width
    return -1


@njit
def first_unlike(positions, masks, position, mask, history, log, rules):
    """The first k such that ``positions[k]`` is no running position in which its mover may play ``masks[k]``; or -1.

    Parameters
    ----------
    positions : int16[n, W], sound; masks : bool[n, A]
    position : int16[W], mask : bool[A], history : uint64[h], log : int16[0, 3]
        Work space.
    rules
        What ``engine.bind`` made of ``Ruleset.one_game``. An end by repetition cannot be seen in a position; the
        history has room for the most plies since a capture, and two more.
    """
    axes, _, _ = arrays_of(rules)
    pits = axes[L.PITS]
    for k in range(len(positions)):
        for field in range(len(position)):
            position[field] = positions[k, field]
        check_without_history(position, mask, history, log, rules)
        history[np.int64(positions[k, pits + L.PLIES_SINCE_CAPTURE])] = 0  # nor is the next position a repetition of it
        if (
            positions[k, pits + L.OVER] != 0
            or position[pits + L.OVER] != 0
            or position[pits + L.MOVER] != positions[k, pits + L.MOVER]
        ):
            return k
        for action in range(len(mask)):
            if mask[action] != masks[k, action]:
                return k
    return -1
