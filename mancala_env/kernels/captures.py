"""Captures beyond those of the last pit, the pit across and a chain. Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.board import owner_of, side
from mancala_env.kernels.events import clause_at, emit
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.landing import CAPTURED, SLAM_ENDED, WAS_SLAM, cell_ahead, chain_length, further_at


@part
def take(position, player, pit, seeds, cell, clause, to, axes, tables, events):
    """Take ``seeds`` from a pit to where ``to`` says: TO_OWNER, TO_OPPONENT, TO_HERE (``cell``), or the mover's store.

    Where marks go with a capture, the pit loses its own.
    ``position`` is modified in place. Returns the seeds that have left the board.
    """
    if seeds == 0:
        return 0
    target = axes[L.PITS] + L.STORES + player
    if to & L.TO_OWNER:
        target = axes[L.PITS] + L.STORES + owner_of(position, pit, axes, tables)
    elif to & L.TO_OPPONENT:
        target = axes[L.PITS] + L.STORES + 1 - player
    elif to & L.TO_HERE:
        target = cell
    emit(events, E.TAKE, pit, target, seeds, clause)
    position[pit] -= seeds
    position[target] += seeds
    if axes[L.MARKS_GO] != 0 and position[axes[L.MARKS] + pit] >= 0:
        position[axes[L.MARKS] + pit] = -1
        emit(events, E.UNMARK, -1, pit, 0, clause)
    return 0 if to & L.TO_HERE else seeds


@inlined
def is_of(position, player, pit, whose, axes, tables):
    """Does a pit belong to whom ``whose``, one of the CHAIN_ values, says?"""
    if whose == L.CHAIN_ANY:
        return True
    return owner_of(position, pit, axes, tables) == (player if whose == L.CHAIN_OWN else 1 - player)


@part
def gaps_ahead(position, player, track_index, begin, axes, tables):
    """How many pits with seeds lie, each after an empty one, ahead of the cell ``begin`` steps further on."""
    found, cells = np.int64(0), axes[L.LOOP]
    if axes[L.CLOSED] != 0:
        for pit in range(axes[L.PITS]):
            cells -= position[axes[L.CLOSED] + pit]
    while begin + 2 * found + 2 < cells:
        gap = cell_ahead(position, player, track_index, begin + 2 * found + 1, axes, tables)
        full = cell_ahead(position, player, track_index, begin + 2 * found + 2, axes, tables)
        if gap >= axes[L.PITS] or full >= axes[L.PITS] or position[gap] > 0 or position[full] == 0:
            break
        found += 1
    return found


@part
def empty_ahead(position, player, track_index, axes, tables):
    """How many of the player's pits right after ``track_index`` are empty and face seeds."""
    found = np.int64(0)
    while found + 1 < axes[L.LOOP]:
        pit = cell_ahead(position, player, track_index, found + 1, axes, tables)
        if pit >= axes[L.PITS] or position[pit] > 0:
            break
        facing = np.int64(tables[0, L.FACING + pit])
        if position[facing] == 0 or owner_of(position, pit, axes, tables) != player:
            break
        found += 1
    return found


@part
def chain_ahead(position, player, track_index, first, base, axes, tables):
    """How many pits, one by one from the ``first``-th after the last one on, the forward chain of a clause takes.

    All round the board it comes to the last pit itself, if that is not taken already.
    """
    length = np.int64(0)
    steps = axes[L.LOOP] - (axes[base + L.TAKE] & L.TAKE_HERE != 0)
    while first + length <= steps:
        cell = cell_ahead(position, player, track_index, first + length, axes, tables)
        if cell >= axes[L.PITS] or not is_of(
            position, player, cell, axes[base + L.CHAIN] - L.CHAIN_FORWARD, axes, tables
        ):
            break
        if not (axes[base + L.CHAIN_COUNTS] >> min(np.int64(position[cell]), L.TOP_COUNT)) & 1:
            break
        length += 1
    return length


@part
def capture_further(position, player, cell, track_index, base, axes, tables, events):
    """Capture all that a clause takes; ``position`` is modified in place.

    Returns the bits CAPTURED, WAS_SLAM, SLAM_ENDED. Only a capture of some seeds of the last pit can be a grand slam:
    rulesets with slams have no other captures that come here.
    """
    outcome = 0
    takes, clause = axes[base + L.TAKE], clause_at(base)
    seeds = np.int64(0)
    chain = np.int64(0)
    ahead_from = np.int64(0)  # a forward chain begins so many steps after the last pit
    if axes[base + L.CHAIN] & L.CHAIN_FORWARD:
        ahead_from = np.int64(2 if takes & L.TAKE_NEXT else 1)
        chain = chain_ahead(position, player, track_index, ahead_from, base, axes, tables)
    elif axes[base + L.CHAIN] != L.NO_CHAIN:
        chain = chain_length(position, player, track_index, base, axes, tables)
    gaps, across_of = np.int64(0), np.int64(0)
    begin = 2 if takes & L.TAKE_NEXT2 else 1 if takes & L.TAKE_NEXT else 0  # cells to the last one that is named
    if takes & L.ONWARD_GAPS:
        gaps = gaps_ahead(position, player, track_index, begin, axes, tables)
    if takes & L.ONWARD_ACROSS:
        across_of = empty_ahead(position, player, track_index, axes, tables)
    facing = np.int64(tables[0, L.FACING + cell])
    outer = np.int64(tables[0, L.OUTER + cell])
    if takes & (L.TAKE_LAST | L.TAKE_LAST_AND_ONE):
        some = min(np.int64(position[cell]), 2 if takes & L.TAKE_LAST_AND_ONE else 1)
        may_strip = axes[L.SLAM] != L.SLAM_CAPTURE and axes[L.SLAM_MIN_PITS] == 1 and some > 0
        may_strip = may_strip and owner_of(position, cell, axes, tables) != player
        if may_strip and side(position, 1 - player, axes, tables) == some:
            outcome |= WAS_SLAM
            emit(events, E.SLAM, -1, -1, 1, clause)
            if axes[L.SLAM] != L.SLAM_REST:
                return outcome
            outcome |= SLAM_ENDED
        seeds += take(position, player, cell, some, cell, clause, takes, axes, tables, events)
    for k in range(6 + 2 * chain):
        pit = np.int64(-1)
        if k == 0:
            pit = cell if takes & L.TAKE_HERE else pit
        elif k == 1:
            pit = facing if takes & L.TAKE_FACING and facing != cell else pit
        elif k == 2:
            pit = outer if takes & L.TAKE_OUTER and outer != cell else pit
        elif k == 3:
            pit = cell_ahead(position, player, track_index, 1, axes, tables) if takes & L.TAKE_NEXT else pit
        elif k == 4:
            pit = cell_ahead(position, player, track_index, 2, axes, tables) if takes & L.TAKE_NEXT2 else pit
        elif k == 5:
            if takes & L.TAKE_FACING_NEXT:
                ahead = cell_ahead(position, player, track_index, 1, axes, tables)
                if ahead < axes[L.PITS] and tables[0, L.FACING + ahead] != ahead:
                    pit = np.int64(tables[0, L.FACING + ahead])
        else:
            pit = np.int64(tables[player, L.TRACK + track_index - (k - 4) // 2])
            if ahead_from > 0:
                pit = cell_ahead(position, player, track_index, ahead_from + (k - 6) // 2, axes, tables)
            if k & 1:
                across = np.int64(tables[0, L.FACING + pit])
                pit = across if takes & L.CHAIN_FACING and across != pit else np.int64(-1)
        if 0 <= pit < axes[L.PITS]:
            some = np.int64(position[pit])
            seeds += take(position, player, pit, some, cell, clause, takes, axes, tables, events)
    for k in range(1, gaps + 1):
        pit = cell_ahead(position, player, track_index, begin + 2 * k, axes, tables)
        seeds += take(position, player, pit, np.int64(position[pit]), cell, clause, takes, axes, tables, events)
    for k in range(1, across_of + 1):
        pit = np.int64(tables[0, L.FACING + cell_ahead(position, player, track_index, k, axes, tables)])
        seeds += take(position, player, pit, np.int64(position[pit]), cell, clause, takes, axes, tables, events)
    if takes & (L.TAKE_EVERY | L.TAKE_NEIGHBOURS):
        at = further_at(base)
        half = axes[L.PITS] // 2
        wanted = False
        for pit in range(axes[L.PITS]):
            count = np.int64(position[pit])
            beside = pit // half == cell // half and abs(pit - cell) == 1
            beside = beside and (tables[0, L.OUTER + pit] == pit) == (outer == cell)  # not round the corner of two rows
            wanted = takes & L.TAKE_EVERY != 0 or beside
            wanted = wanted and (axes[at + L.EVERY_COUNTS] >> min(count, L.TOP_COUNT)) & 1 != 0
            if wanted and axes[L.MARKS] != 0:
                wanted = position[axes[L.MARKS] + pit] < 0
            if wanted and is_of(position, player, pit, axes[at + L.EVERY_SIDE], axes, tables):
                seeds += take(position, player, pit, count, cell, clause, takes, axes, tables, events)
    return outcome | CAPTURED if seeds > 0 else outcome
