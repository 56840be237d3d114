"""Sowing along a player's track, and taking it back. Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import events as told
from mancala_env.kernels.events import tell
from mancala_env.kernels.jit import inlined
from mancala_env.kernels.layout import COMMON_PITS, LAP_WIDTH, LAPS, LOOP, PLACE, SKIP_ORIGIN, TRACK
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
