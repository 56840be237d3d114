"""Sowing along a player's track, and taking it back. Arguments are those of ``engine``."""

import numpy as np
from numba import types

from mancala_env.kernels import events as told
from mancala_env.kernels.board import owner_of
from mancala_env.kernels.events import tell
from mancala_env.kernels.extensions import AXES, POSITION, TABLES, WHOLE, extension
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.layout import (
    CHAIN_ANY,
    CHAIN_OWN,
    COMMON_PITS,
    LAP_WIDTH,
    LAPS,
    LOOP,
    PASSING,
    PASSING_AFTER,
    PASSING_COUNTS,
    PASSING_LAST,
    PASSING_TO_OWNER,
    PITS,
    PLACE,
    PLAIN_PLIES,
    PLY,
    SKIP_ORIGIN,
    STORES,
    SURPLUS,
    TOP_COUNT,
    TRACK,
)
from mancala_env.kernels.references import PASSING_AT
from mancala_env.kernels.vector import add_lap


@inlined
def drop(position, player, hand, origin, emptied, change, pits, axes, tables, events):
    """Empty pit ``emptied`` (-1: none) and drop ``hand`` seeds one by one into the cells that follow pit ``origin`` in
    the player's sowing order.

    ``position`` is modified in place, by ``change`` for each seed: 1, or -1 to take them back. Under ``SKIP_ORIGIN`` no
    seed falls in ``origin``. Returns the station of the last seed: an index into the player's track, in its second
    round, so that a chain can be followed back. ``hand`` is not 0.

    With ``events`` every seed is dropped and recorded by itself; the resulting board is the same.
    """
    loop = axes[LOOP]
    station = np.int64(tables[player, PLACE + origin])
    if events is None and hand < loop:  # less than a lap: the origin is not met again
        if pits == COMMON_PITS:  # one vector operation: no branch to predict, one store to forward later loads from
            lap = LAPS + (origin * loop + hand) * LAP_WIDTH
            add_lap(position, tables, player, lap, emptied, change)
        else:
            if emptied >= 0:
                position[emptied] = 0
            for k in range(station + 1, station + hand + 1):
                position[tables[player, TRACK + k]] += change
        station += hand
        return station if station >= loop else station + loop
    if emptied >= 0:
        position[emptied] = 0
    skips = axes[SKIP_ORIGIN] != 0
    before = origin
    while hand > 0:
        station = station + 1 if station + 1 < 2 * loop else loop
        cell = np.int64(tables[player, TRACK + station])
        if skips and cell == origin:
            continue
        position[cell] += change
        hand -= 1
        if events is not None:
            tell(events, told.SOW, before, cell, 1, -1)
            before = cell
    return station if station >= loop else station + loop


@inlined
def sow(position, player, pit, pits, axes, tables):
    """Empty a pit that is not empty and ``drop`` its seeds; returns the last station."""
    return drop(position, player, np.int64(position[pit]), pit, pit, 1, pits, axes, tables, None)


@inlined
def unsow(position, player, pit, seeds, pits, axes, tables):
    """Take back ``sow`` from a pit that held ``seeds``."""
    drop(position, player, seeds, pit, -1, -1, pits, axes, tables, None)
    position[pit] += seeds


@part
def drop_passing(position, player, hand, origin, any_rules, axes, tables, events):
    """Sow ``hand`` seeds after ``origin`` where pits are taken on the way (``layout.PASSING``), or where those beyond
    a round fall on the opponent's side only (``layout.SURPLUS``), modifying ``position``.

    Returns the station of the last seed as ``drop`` does, what its cell held when it had fallen, and the seeds taken.
    """
    loop, skips, how = axes[LOOP], axes[SKIP_ORIGIN] != 0, axes[PASSING]
    takes = axes[PASSING_COUNTS] != 0 and position[axes[PITS] + PLY] >= axes[PLAIN_PLIES]
    beyond = hand - axes[LOOP] + axes[SKIP_ORIGIN] if axes[SURPLUS] else np.int64(0)  # these seeds are the surplus
    station = np.int64(tables[player, PLACE + origin])
    first, before, left = station, origin, hand
    taken = np.int64(0)
    while left > 0:
        station = station + 1 if station + 1 < 2 * loop else loop
        cell = np.int64(tables[player, TRACK + station])
        if skips and cell == origin:
            continue
        if left <= beyond and not is_of_opponent(position, player, cell, any_rules, axes, tables):
            continue
        position[cell] += 1
        left -= 1
        if events is not None:
            tell(events, told.SOW, before, cell, 1, -1)
            before = cell
        if left == 0:
            break
        if takes and not how & PASSING_AFTER:
            taken += take_passed(position, player, cell, any_rules, axes, tables, events)
    station = station if station >= loop else station + loop
    last = np.int64(tables[player, TRACK + station])
    count = np.int64(position[last])
    if takes and how & PASSING_AFTER:
        steps = min(hand, loop)
        for k in range(1, steps + 1):
            cell = np.int64(tables[player, TRACK + first + k])
            if cell != last and not (skips and cell == origin):
                taken += take_passed(position, player, cell, any_rules, axes, tables, events)
    if takes and how & PASSING_LAST:
        taken += take_passed(position, player, last, any_rules, axes, tables, events)
    return station, count, taken


@inlined
def is_of_opponent(position, player, cell, any_rules, axes, tables):
    """Is this a pit of the other player?"""
    return cell < axes[PITS] and owner_of(position, cell, any_rules, axes, tables) == 1 - player


@part
def take_passed(position, player, cell, any_rules, axes, tables, events):
    """Take a pit that a seed has passed, if ``layout.PASSING`` says so. Returns the seeds taken."""
    how = axes[PASSING]
    if cell >= axes[PITS] or not (axes[PASSING_COUNTS] >> min(np.int64(position[cell]), TOP_COUNT)) & 1:
        return 0
    owner = owner_of(position, cell, any_rules, axes, tables)
    side = how & CHAIN_OWN  # the bits of both other values
    if side != CHAIN_ANY and (owner == player) != (side == CHAIN_OWN):
        return 0
    seeds = np.int64(position[cell])
    store = axes[PITS] + STORES + (owner if how & PASSING_TO_OWNER else player)
    if events is not None:
        tell(events, told.TAKE, cell, store, seeds, -1)
    position[cell] = 0
    position[store] += seeds
    return seeds


@extension(
    PASSING_AT, lambda axes: axes[PASSING_COUNTS] | axes[SURPLUS] != 0, types.UniTuple(WHOLE, 3), POSITION, WHOLE,
    WHOLE, WHOLE, AXES, TABLES,
)  # fmt: skip
def drop_by_address(position, player, hand, origin, axes, tables):
    """``drop_passing``, without events."""
    return drop_passing(position, player, hand, origin, True, axes, tables, None)
