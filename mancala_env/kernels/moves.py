"""A move: laps of sowing, each followed by what the landing table says. Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import events as told
from mancala_env.kernels.events import clause_at, tell
from mancala_env.kernels.jit import DISABLE_JIT, inlined, part
from mancala_env.kernels.landing import CAPTURED, SLAM_ENDED, TURN_AGAIN, capture, landing
from mancala_env.kernels.layout import (
    AGAIN,
    CHAIN,
    FACING,
    HASH_KEYS,
    LAP_LIMIT,
    MARKING,
    MAX_PITS,
    NO_CHAIN,
    OUTER,
    PITS,
    RELAY,
    SOW_NEIGHBOURS,
    SOW_ON,
    SOW_REAPING,
    SOWING,
    TAKE,
    TAKE_FACING,
    TAKE_HERE,
    TAKE_OUTER,
    THEN,
    TRACK,
)
from mancala_env.kernels.marks import make_marks
from mancala_env.kernels.off_track import reap, scatter
from mancala_env.kernels.sowing import drop

LONG_TURN = 100  # laps; a longer turn may be one that never ends by itself


@part
def beginning(position, pit, hand, emptied, pits):
    """uint64: a hash of how a lap of one turn begins; a turn in which one comes back would go on for ever."""
    value = np.uint64((hand * MAX_PITS + pit) * 2 + (emptied >= 0)) * np.uint64(0x9E3779B97F4A7C15)
    value ^= value >> np.uint64(32)
    for cell in range(pits):
        value += np.uint64(position[cell]) * HASH_KEYS[cell]
    return value


@inlined
def move(position, player, pit, pits, any_rules, axes, tables, events):
    """Play a pit: sow, follow the landing table, relay as it says; ``position`` is modified in place.

    Only pits, stores, marks and removed seeds change. Returns the bits CAPTURED, TURN_AGAIN, WAS_SLAM, SLAM_ENDED.

    A turn that relays for ever ends at the lap limit as if every lap were sown; but once the board comes back as it
    was, whole cycles of laps are skipped (R. P. Brent, "An improved Monte Carlo factorization algorithm", BIT 20, 1980:
    the board is remembered at each lap whose number is a power of two). So the time for a turn depends on the laps
    until the first repetition, not on the limit.
    """
    if any_rules is not None and axes[SOWING] == SOW_NEIGHBOURS:
        scatter(position, pit, axes, events)
        return 0
    if any_rules is not None and axes[SOWING] == SOW_REAPING:
        reap(position, player, pit, axes, events)
        return 0
    outcome = 0
    lap = 1
    hand = np.int64(position[pit])
    emptied = pit
    if events is not None:
        tell(events, told.LIFT, pit, -1, hand, -1)
    noted, known = np.int64(0), np.uint64(0)  # a lap, and the hash of how it began
    while True:
        if lap > LONG_TURN:
            now = beginning(position, pit, hand, emptied, pits)
            if now == known:  # a cycle: skip as many whole rounds of it as fit below the limit
                left_out = (axes[LAP_LIMIT] - lap) // (lap - noted) * (lap - noted)
                lap += left_out
                if events is not None and left_out > 0:
                    tell(events, told.ROUNDS, -1, -1, left_out, -1)
            elif lap & (lap - 1) == 0:
                noted, known = np.int64(lap), now
        station = drop(position, player, hand, pit, emptied, 1, pits, axes, tables, events)
        cell = np.int64(tables[player, TRACK + station])
        base = landing(position, player, cell, any_rules, axes, tables)
        if events is not None:
            tell(events, told.LAND, -1, cell, position[cell], clause_at(base))
        if base == 0:
            return outcome
        then = axes[base + THEN]
        if then >= RELAY and lap == axes[LAP_LIMIT]:  # nothing is lifted, nothing is captured
            if events is not None:
                tell(events, told.LIMIT, -1, -1, lap, clause_at(base))
            return outcome
        take = axes[base + TAKE]
        if any_rules is not None and then == SOW_ON:
            facing, outer = np.int64(tables[0, FACING + cell]), np.int64(tables[0, OUTER + cell])
            if events is not None and position[facing] > 0:
                tell(events, told.TAKE, facing, -1, position[facing], clause_at(base))
            hand = np.int64(position[facing])
            position[facing] = 0
            if take & TAKE_OUTER:
                if events is not None and position[outer] > 0:
                    tell(events, told.TAKE, outer, -1, position[outer], clause_at(base))
                hand += np.int64(position[outer])
                position[outer] = 0
            pit = cell
            emptied = -1
            lap += 1
            continue
        if take & (TAKE_HERE | TAKE_FACING) or axes[base + CHAIN] != NO_CHAIN:
            outcome |= capture(position, player, station, base, any_rules, axes, tables, events)
            if outcome & SLAM_ENDED:
                return outcome
        if any_rules is not None and take & MARKING:
            make_marks(position, player, cell, base, axes, tables, events)
            outcome |= CAPTURED
        if then == RELAY and position[cell] > 0:
            pit = emptied = cell
            hand = np.int64(position[cell])
            lap += 1
            if events is not None:
                tell(events, told.LIFT, cell, -1, hand, clause_at(base))
            continue
        if events is not None and then == AGAIN:
            tell(events, told.AGAIN, -1, -1, 0, clause_at(base))
        return outcome | TURN_AGAIN if then == AGAIN else outcome


@part
def move_apart(position, player, pit, any_rules, axes, tables):
    """``move`` not inlined."""
    return move(position, player, pit, axes[PITS], any_rules, axes, tables, None)


if DISABLE_JIT:  # it wraps around on purpose
    beginning = np.errstate(over="ignore")(beginning)
