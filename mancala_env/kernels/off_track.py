"""Moves that follow no track: scattering over the neighbours, reaping, and a new pile of one seed from each."""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.events import emit
from mancala_env.kernels.jit import inlined, part


@inlined
def scatter(position, pit, axes, events):
    """Empty a pit and give its seeds one by one to its neighbours, counter-clockwise, in place; for a pit of the bottom
    row: right, above right, above, above left, left. Past the short ends, and in a full pit, a seed is lost."""
    pits = axes[L.PITS]
    columns = pits // 2
    turned = pit - pit % columns  # the top row is the bottom row turned by half a turn
    column = pit - turned
    hand = np.int64(position[pit])
    position[pit] = 0
    emit(events, E.LIFT, pit, -1, hand, 0)
    across = 2 * columns - 1 - column
    neighbours = (column + 1, across - 1, across, across + 1, column - 1)
    for k in range(hand):
        gone = k > 4 or (k < 2 and column == columns - 1) or (k > 2 and column == 0)
        receiver = (neighbours[min(k, 4)] + turned) % pits
        if gone or position[receiver] >= axes[L.PIT_LIMIT]:
            position[axes[L.REMOVED]] += 1
            emit(events, E.LOSE, pit, -1 if gone else receiver, 1, 0)
        else:
            position[receiver] += 1
            emit(events, E.SOW, pit, receiver, 1, 0)


@inlined
def reap_target(position, player, pit, axes):
    """Where reaping from a pit ends: the nearest empty pit, to the right for player 0 and to the left for 1; or -1."""
    if position[pit] < axes[L.MIN_START]:
        return -1
    step = 1 - 2 * player
    target = pit + step
    while 0 <= target < axes[L.PITS] and position[target] > 0:
        target += step
    return target if 0 <= target < axes[L.PITS] else -1


@inlined
def reap(position, player, pit, axes, events):
    """Take one seed from each pit from ``pit`` on to the nearest empty one and lay them there, in place."""
    target = reap_target(position, player, pit, axes)
    step = 1 - 2 * player
    taken = 0
    while pit != target:
        position[pit] -= 1
        taken += 1
        emit(events, E.REAP, pit, pit + step, 1, 0)
        pit += step
    position[target] = taken
    emit(events, E.LAY, -1, target, taken, 0)


@part
def make_pile(position, axes, events):
    """Take a seed from each pile, in pits from the left, the largest first, and make a new one of them, after others of
    its size, in place."""
    pits, hand, place = axes[L.PITS], np.int64(0), np.int64(0)
    for pit in range(pits):
        if position[pit] > 0:
            position[pit] -= 1
            hand += 1
    while place < pits - 1 and position[place] >= hand:
        place += 1
    for pit in range(hand):
        emit(events, E.REAP, pit, place, 1, 0)
    for pit in range(pits - 1, place, -1):
        if position[pit - 1] > 0:
            emit(events, E.CARRY, pit - 1, pit, position[pit - 1], 0)
        position[pit] = position[pit - 1]
    position[place] = hand
    emit(events, E.LAY, -1, place, hand, 0)


@inlined
def move_off_track(position, player, pit, axes, events):
    """Play a pit where seeds follow no track; ``position`` is modified in place."""
    if axes[L.SOWING] == L.SOW_NEIGHBOURS:
        scatter(position, pit, axes, events)
    elif axes[L.SOWING] == L.SOW_PILES:
        make_pile(position, axes, events)
    else:
        reap(position, player, pit, axes, events)
    return 0
