"""The landing: which clause applies where the last seed of a lap falls, and what it captures.

Arguments are those of ``engine``.
"""

import numpy as np

from mancala_env.kernels import events as told
from mancala_env.kernels.board import owner_of, side
from mancala_env.kernels.events import clause_at, tell
from mancala_env.kernels.jit import inlined
from mancala_env.kernels.layout import (
    ACROSS,
    ACTIONS,
    CHAIN,
    CHAIN_COUNTS,
    CHAIN_OPPONENT,
    CLAUSE_SIZE,
    CLAUSES,
    COUNTS,
    FACING,
    FACING_COUNTS,
    FACING_FULL,
    IN_STORE,
    IS_EVEN,
    LANDING,
    LOOP,
    MARKED,
    MARKING,
    MARKS,
    NEEDS,
    NO_CHAIN,
    OUTER,
    OUTER_FULL,
    OWN_MARK,
    OWN_SIDE,
    PITS,
    SLAM,
    SLAM_CAPTURE,
    SLAM_FORBIDDEN,
    SLAM_MIN_PITS,
    SLAM_NOTHING,
    SLAM_REST,
    SLAM_SPARE_FIRST,
    SLAM_SPARE_LAST,
    STORES,
    TAKE,
    TAKE_FACING,
    TAKE_HERE,
    TOP_COUNT,
    TRACK,
    VALUE,
    WAS_EMPTY,
)
from mancala_env.kernels.marks import may_mark

# What a move did, as bits.
CAPTURED, TURN_AGAIN, WAS_SLAM, SLAM_ENDED = 1, 2, 4, 8


@inlined
def landing(position, player, cell, any_rules, axes, tables):
    """The first clause that matches where the last seed fell: its offset in ``axes``, or 0 for none."""
    count = np.int64(position[cell])
    across = 0
    if cell >= axes[PITS]:
        facts = IN_STORE
    else:
        if axes[ACROSS] != 0:
            facing = np.int64(tables[0, FACING + cell])
            across = np.int64(position[facing]) if facing != cell else 0
        facts = (
            (OWN_SIDE if owner_of(position, cell, any_rules, axes, tables) == player else 0)
            | (WAS_EMPTY if count == 1 else 0)
            | (0 if count & 1 else IS_EVEN)
            | (FACING_FULL if across > 0 else 0)
        )
        if any_rules is not None:
            outer = np.int64(tables[0, OUTER + cell])
            facts |= OUTER_FULL if position[outer] > 0 and outer != cell else 0
            if axes[MARKS] != 0:
                mark = np.int64(position[axes[MARKS] + cell])
                facts |= 0 if mark < 0 else MARKED | OWN_MARK if mark == player else MARKED
    count = min(count, TOP_COUNT)
    across = min(across, TOP_COUNT)
    base = np.int64(LANDING)  # a literal would make second variants of what it is passed to
    for _ in range(axes[CLAUSES]):
        matches = facts & axes[base + NEEDS] == axes[base + VALUE] and (axes[base + COUNTS] >> count) & 1
        if matches and any_rules is not None:
            matches = (axes[base + FACING_COUNTS] >> across) & 1
            if matches and axes[base + TAKE] & MARKING:
                matches = may_mark(position, player, cell, base, axes, tables)
        if matches:
            return base
        base += CLAUSE_SIZE
    return 0


@inlined
def chain_length(position, player, station, base, any_rules, axes, tables):
    """How many pits before ``station``, one by one, hold a count that the chain of a clause takes."""
    length = 0
    opponents_only = axes[base + CHAIN] == CHAIN_OPPONENT
    while length + 1 < axes[LOOP]:
        cell = np.int64(tables[player, TRACK + station - length - 1])
        if cell >= axes[PITS] or (opponents_only and owner_of(position, cell, any_rules, axes, tables) == player):
            break
        if not (axes[base + CHAIN_COUNTS] >> min(np.int64(position[cell]), TOP_COUNT)) & 1:
            break
        length += 1
    return length


@inlined
def capture(position, player, station, base, any_rules, axes, tables, events):
    """Capture what a clause takes into the mover's store; ``position`` is modified in place.

    The whole capture is determined before a seed is removed. Returns the bits CAPTURED, WAS_SLAM, SLAM_ENDED.
    Readings of the grand slam: ``rules.choices.GrandSlam``.
    """
    take = axes[base + TAKE]
    cell = np.int64(tables[player, TRACK + station])
    facing = np.int64(tables[0, FACING + cell])
    first = 0 if take & TAKE_HERE else 1  # the pits first..last-1 steps before the station are taken
    last = 1
    if axes[base + CHAIN] != NO_CHAIN:
        last += chain_length(position, player, station, base, any_rules, axes, tables)
    outcome = 0

    if axes[SLAM] != SLAM_CAPTURE:
        left = side(position, 1 - player, axes[ACTIONS], any_rules, axes, tables)
        taken = 0  # pits of the opponent that lose seeds
        across = take & TAKE_FACING and facing != cell
        for k in range(first, last):
            pit = np.int64(tables[player, TRACK + station - k])
            across = across and pit != facing
            if owner_of(position, pit, any_rules, axes, tables) != player:
                left -= np.int64(position[pit])
                taken += position[pit] > 0
        if across and owner_of(position, facing, any_rules, axes, tables) != player:
            left -= np.int64(position[facing])
            taken += position[facing] > 0
        if left == 0 and taken >= axes[SLAM_MIN_PITS]:
            outcome |= WAS_SLAM
            slam = axes[SLAM]
            if events is not None:
                tell(events, told.SLAM, -1, -1, taken, clause_at(base))
            if slam == SLAM_NOTHING or slam == SLAM_FORBIDDEN:
                return outcome
            if slam == SLAM_REST:
                outcome |= SLAM_ENDED
            elif slam == SLAM_SPARE_LAST:
                first += 1
            elif slam == SLAM_SPARE_FIRST:
                last -= 1

    seeds = 0
    store = axes[PITS] + STORES + player
    for k in range(first, last):
        pit = np.int64(tables[player, TRACK + station - k])
        if events is not None and position[pit] > 0:
            tell(events, told.TAKE, pit, store, position[pit], clause_at(base))
        seeds += np.int64(position[pit])
        position[pit] = 0
    if take & TAKE_FACING and facing != cell:
        if events is not None and position[facing] > 0:
            tell(events, told.TAKE, facing, store, position[facing], clause_at(base))
        seeds += np.int64(position[facing])
        position[facing] = 0
    position[store] += seeds
    return outcome | CAPTURED if seeds > 0 else outcome
