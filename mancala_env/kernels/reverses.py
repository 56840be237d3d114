"""Laps that go the second way round if they capture (``axes[REVERSES]``). Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import events as told
from mancala_env.kernels.board import owner_of
from mancala_env.kernels.events import tell
from mancala_env.kernels.extensions import AXES, POSITION, TABLES, WHOLE, extension
from mancala_env.kernels.jit import part
from mancala_env.kernels.landing import landing
from mancala_env.kernels.layout import (
    ACTIONS,
    ASKED,
    AT,
    CHOOSE_WAY,
    DECISION,
    HOMES,
    LEFT,
    LOOP,
    MARKING,
    NEVER,
    OPENING_PLIES,
    PENDING,
    PITS,
    PLACE,
    PLAIN_PLIES,
    PLY,
    REVERSE_LAPS,
    REVERSE_TO_EMPTY,
    REVERSES,
    SKIP_ORIGIN,
    TAKE,
    TO_HERE,
    TO_OWNER,
    TRACK,
    VISITED,
)
from mancala_env.kernels.references import ASK_WAY_AT
from mancala_env.kernels.sowing import drop


@part
def visits(position, player, begin, hand, any_rules, axes, tables):
    """VISITED if a lap of ``hand`` seeds, sown after ``begin``, drops one on the opponent's side, else 0."""
    station = np.int64(tables[player, PLACE + begin])
    for k in range(1, min(hand, axes[LOOP]) + 1):
        cell = np.int64(tables[player, TRACK + station + k])
        skipped = cell == begin and axes[SKIP_ORIGIN] != 0
        if cell < axes[PITS] and not skipped and owner_of(position, cell, any_rules, axes, tables) == 1 - player:
            return np.int64(VISITED)
    return np.int64(0)


@part
def captures_reversed(position, player, pit, hand, axes, tables):
    """Would a lap of ``hand`` seeds of a pit, sown the second way, end where a clause captures?

    The lap is sown and taken back.
    """
    if position[axes[PITS] + PLY] < axes[PLAIN_PLIES]:
        return False
    second = tables[2:]
    visited = visits(position, player, pit, hand, True, axes, second) if axes[ASKED] & VISITED else np.int64(0)
    position[pit] -= hand
    station = drop(position, player, hand, pit, -1, 1, axes[PITS], axes, second, None)
    cell = np.int64(second[player, TRACK + station])
    count = np.int64(position[cell])
    if axes[REVERSES] & REVERSE_TO_EMPTY:
        count = max(count, 2)
    base = landing(position, player, cell, station, count, 1, hand, visited, True, axes, second)
    drop(position, player, hand, pit, -1, -1, axes[PITS], axes, second, None)
    position[pit] += hand
    return base != 0 and axes[base + TAKE] & ~(MARKING | TO_HERE | TO_OWNER) != 0


@part
def reversed_action(player, pit, axes, tables):
    """The action with which the player sows a pit the second way; -1 for none."""
    half = axes[ACTIONS] // 2
    for k in range(half):
        if tables[player, HOMES + k] == pit:
            return np.int64(-1) if (axes[NEVER] >> (half + k)) & 1 else np.int64(half + k)
    return np.int64(-1)


@part
def ask_way(position, player, pit, hand, laid, axes, tables, events):
    """Write to ``position`` that the mover chooses which way the next lap goes, if it could capture the second way.

    It sows ``hand`` seeds of a pit, which must be ``laid`` there first if they are captured ones. Returns whether there
    is anything to choose.
    """
    if position[axes[PITS] + PLY] < axes[OPENING_PLIES] or reversed_action(player, pit, axes, tables) < 0:
        return False
    if laid:
        position[pit] += hand
    if not captures_reversed(position, player, pit, hand, axes, tables):
        if laid:
            position[pit] -= hand
        return False
    position[axes[PENDING] + DECISION] = CHOOSE_WAY
    position[axes[PENDING] + LEFT] = hand
    position[axes[PENDING] + AT] = pit
    if events is not None:
        if laid:
            tell(events, told.LAY, -1, pit, hand, -1)
        tell(events, told.CHOOSE, -1, pit, hand, -1)
    return True


@extension(
    ASK_WAY_AT,
    lambda axes: axes[REVERSES] & REVERSE_LAPS != 0,
    WHOLE,
    POSITION,
    WHOLE,
    WHOLE,
    WHOLE,
    WHOLE,
    AXES,
    TABLES,
)
def ask_way_by_address(position, player, pit, hand, laid, axes, tables):
    """``ask_way``, without events."""
    return np.int64(ask_way(position, player, pit, hand, laid, axes, tables, None))
