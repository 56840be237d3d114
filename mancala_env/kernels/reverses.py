"""Laps that go the second way round if they capture (``axes[REVERSES]``). Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.bao import ask_for
from mancala_env.kernels.board import owner_of
from mancala_env.kernels.events import emit
from mancala_env.kernels.jit import part
from mancala_env.kernels.landing import landing
from mancala_env.kernels.sowing import drop


@part
def visits(position, player, begin, hand, axes, tables):
    """VISITED if a lap of ``hand`` seeds, sown after ``begin``, drops one on the opponent's side, else 0."""
    track_index, left = np.int64(tables[player, L.PLACE + begin]), hand
    for k in range(1, axes[L.LOOP] + 1):
        cell = np.int64(tables[player, L.TRACK + track_index + k])
        if axes[L.CLOSED] != 0 and cell < axes[L.PITS] and position[axes[L.CLOSED] + cell] != 0:
            continue
        if left == 0:
            break
        left -= 1
        skipped = cell == begin and axes[L.SKIP_ORIGIN] != 0
        if cell < axes[L.PITS] and not skipped and owner_of(position, cell, axes, tables) == 1 - player:
            return np.int64(L.VISITED)
    return np.int64(0)


@part
def captures_reversed(position, player, pit, hand, axes, tables):
    """Would a lap of ``hand`` seeds of a pit, sown the second way, end where a clause captures?

    The lap is sown and taken back.
    """
    if position[axes[L.PITS] + L.PLY] < axes[L.PLAIN_PLIES]:
        return False
    second = tables[2:]
    visited = visits(position, player, pit, hand, axes, second) if axes[L.ASKED] & L.VISITED else np.int64(0)
    position[pit] -= hand
    track_index = drop(position, player, hand, pit, -1, 1, axes, second, None)
    cell = np.int64(second[player, L.TRACK + track_index])
    count = np.int64(position[cell])
    base = landing(position, player, cell, track_index, count, 1, hand, visited, axes, second)
    drop(position, player, hand, pit, -1, -1, axes, second, None)
    position[pit] += hand
    return base != 0 and axes[base + L.TAKE] & ~(L.MARKING | L.TO_HERE | L.TO_OWNER) != 0


@part
def reversed_action(player, pit, axes, tables):
    """The action with which the player sows a pit the second way; -1 for none."""
    half = axes[L.ACTIONS] // 2
    for k in range(half):
        if tables[player, L.HOMES + k] == pit:
            return np.int64(-1) if (axes[L.NEVER] >> (half + k)) & 1 else np.int64(half + k)
    return np.int64(-1)


@part
def ask_direction(position, player, pit, hand, laid, axes, tables, events):
    """Write to ``position`` that the mover chooses which way the next lap goes, if it could capture the second way.

    It sows ``hand`` seeds of a pit, which must be ``laid`` there first if they are captured ones. Returns whether there
    is anything to choose.
    """
    if position[axes[L.PITS] + L.PLY] < axes[L.OPENING_PLIES] or reversed_action(player, pit, axes, tables) < 0:
        return False
    if laid:
        position[pit] += hand
    if not captures_reversed(position, player, pit, hand, axes, tables):
        if laid:
            position[pit] -= hand
        return False
    ask_for(position, L.CHOOSE_WAY, hand, pit, axes)
    if laid:
        emit(events, E.LAY, -1, pit, hand, -1)
    emit(events, E.CHOOSE, -1, pit, hand, -1)
    return True
