"""What a clause of the landing table captures, and marks. Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.board import facing_of, holds, is_of, owner_of, side
from mancala_env.kernels.events import emit
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.landing import CAPTURED, SLAM_ENDED, WAS_SLAM, cell_ahead

ALL = np.int64((1 << 15) - 1)  # seeds: more than lie in any pit


@inlined
def take(position, player, pit, most, cell, base, axes, tables, events):
    """Take at most so many seeds from a pit (-1: none), in place, to where a clause says, but for the mover's store;
    and its mark, where that goes with them. Returns the seeds that have left the board."""
    if pit >= axes[L.PITS] or pit < 0:
        return np.int64(0)
    seeds, to = min(np.int64(position[pit]), most), axes[base + L.TAKE]
    target = axes[L.PITS] + L.STORES + player
    if to & L.TO_OWNER:
        target = axes[L.PITS] + L.STORES + owner_of(position, pit, axes, tables)
    elif to & L.TO_OPPONENT:
        target = axes[L.PITS] + L.STORES + 1 - player
    elif to & L.TO_HERE:
        target = cell
    if seeds > 0:
        emit(events, E.TAKE, pit, target, seeds, base)
    position[pit] -= seeds
    if to & L.TO_ELSEWHERE:
        position[target] += seeds
    if axes[L.MARKS_GO] != 0 and seeds > 0 and position[axes[L.MARKS] + pit] >= 0:
        position[axes[L.MARKS] + pit] = -1
        emit(events, E.UNMARK, -1, pit, 0, base)
    return np.int64(0) if to & L.TO_HERE else seeds


@part
def steps_ahead(position, player, track_index, first, how, base, axes, tables):
    """How many cells, from the ``first``-th after the last one on, are as a clause takes them: by ONWARD_GAPS an empty
    pit and one with seeds by turns; by ONWARD_ACROSS the player's empty pits that face seeds; else those of a forward
    chain, all round the board up to the last pit itself, if that is not taken already."""
    steps, most = np.int64(0), axes[L.LOOP] - first
    if how == L.ONWARD_GAPS and axes[L.CLOSED] != 0:
        for pit in range(axes[L.PITS]):
            most -= position[axes[L.CLOSED] + pit]
    elif how == L.CHAIN_FORWARD and axes[base + L.TAKE] & L.TAKE_HERE == 0:
        most += 1
    while steps < most:
        pit = cell_ahead(position, player, track_index, first + steps, axes, tables)
        if pit >= axes[L.PITS]:
            break
        if how == L.ONWARD_GAPS:
            fits = (position[pit] > 0) == (steps & 1 == 1)
        elif how == L.ONWARD_ACROSS:
            fits = position[pit] == 0 and position[np.int64(tables[0, L.FACING + pit])] > 0
            fits = fits and owner_of(position, pit, axes, tables) == player
        else:
            fits = is_of(position, player, pit, axes[base + L.CHAIN] & L.CHAIN_OWN, axes, tables)
            fits = fits and holds(position, pit, axes[base + L.CHAIN_COUNTS])
        if not fits:
            break
        steps += 1
    return steps


@inlined
def chain_before(position, player, track_index, base, axes, tables):
    """How many pits before the last one the chain of a clause takes."""
    length, longest = np.int64(0), track_index - axes[L.LOOP] if axes[L.LINE] != 0 else axes[L.LOOP] - 1
    while length < longest:
        pit = np.int64(tables[player, L.TRACK + track_index - length - 1])
        fits = pit < axes[L.PITS] and is_of(position, player, pit, axes[base + L.CHAIN], axes, tables)
        if not (fits and holds(position, pit, axes[base + L.CHAIN_COUNTS])):
            break
        length += 1
    return length


@inlined
def slam_of(position, player, track_index, first, last, some, base, axes, tables):
    """The pits that a capture takes seeds from, if it takes all that the opponent has, else 0: those from ``first`` to
    before ``last`` steps before the last one, ``some`` seeds of that, and the pit across."""
    left, taken = side(position, 1 - player, axes, tables), 0
    cell = np.int64(tables[player, L.TRACK + track_index])
    across = facing_of(cell, axes, tables) if axes[base + L.TAKE] & L.TAKE_FACING else np.int64(-1)
    for k in range(first, last):
        pit = np.int64(tables[player, L.TRACK + track_index - k])
        across = across if pit != across else np.int64(-1)
        if owner_of(position, pit, axes, tables) != player:
            left -= np.int64(position[pit])
            taken += position[pit] > 0
    for pit, seeds in ((across, np.int64(position[across])), (cell, some)):
        if pit >= 0 and seeds > 0 and owner_of(position, pit, axes, tables) != player:
            left -= seeds
            taken += 1
    return taken if left == 0 and taken >= axes[L.SLAM_MIN_PITS] else 0


@inlined
def capture(position, player, track_index, base, axes, tables, events):
    """Capture, in place, all that a clause takes, which is found before a seed is taken. Returns the bits CAPTURED,
    WAS_SLAM, SLAM_ENDED. Readings of the grand slam: ``rules.choices.GrandSlam``."""
    takes, slam = axes[base + L.TAKE], axes[L.SLAM]
    outcome, cell = 0, np.int64(tables[player, L.TRACK + track_index])
    some = min(np.int64(position[cell]), 2 if takes & L.TAKE_LAST_AND_ONE else 1 if takes & L.TAKE_LAST else 0)
    first, last = 0 if takes & L.TAKE_HERE else 1, np.int64(1)  # from ``first`` to before ``last`` steps before
    named = 2 if takes & L.TAKE_NEXT2 else 1 if takes & L.TAKE_NEXT else 0  # cells to the last one that is named
    ahead = 2 if takes & L.TAKE_NEXT else 1  # where a forward chain begins
    chain = gaps = across = np.int64(0)  # pits ahead
    if axes[base + L.CHAIN] & L.CHAIN_FORWARD:
        chain = steps_ahead(position, player, track_index, ahead, L.CHAIN_FORWARD, base, axes, tables)
    elif axes[base + L.CHAIN] != L.NO_CHAIN:
        last += chain_before(position, player, track_index, base, axes, tables)
    if takes & L.ONWARD_GAPS:
        gaps = steps_ahead(position, player, track_index, named + 1, L.ONWARD_GAPS, base, axes, tables) // 2
    if takes & L.ONWARD_ACROSS:
        across = steps_ahead(position, player, track_index, 1, L.ONWARD_ACROSS, base, axes, tables)
    if slam != L.SLAM_CAPTURE:
        pits = slam_of(position, player, track_index, first, last, some, base, axes, tables)
        if pits > 0:
            outcome |= WAS_SLAM
            emit(events, E.SLAM, -1, -1, pits, base)
            if slam == L.SLAM_NOTHING or slam == L.SLAM_FORBIDDEN or (some > 0 and slam != L.SLAM_REST):
                return outcome
            outcome |= SLAM_ENDED if slam == L.SLAM_REST else 0
            first += slam == L.SLAM_SPARE_LAST
            last -= slam == L.SLAM_SPARE_FIRST

    seeds = np.int64(0)
    if takes & (L.TAKE_LAST | L.TAKE_LAST_AND_ONE):
        seeds = take(position, player, cell, some, cell, base, axes, tables, events)
    for k in range(first, last):
        pit = np.int64(tables[player, L.TRACK + track_index - k])
        seeds += take(position, player, pit, ALL, cell, base, axes, tables, events)
        if takes & L.CHAIN_FACING and k > 0:
            seeds += take(position, player, facing_of(pit, axes, tables), ALL, cell, base, axes, tables, events)
    if takes & L.TAKE_FACING:
        seeds += take(position, player, facing_of(cell, axes, tables), ALL, cell, base, axes, tables, events)
    if takes & L.TAKE_OUTER and tables[0, L.OUTER + cell] != cell:
        seeds += take(position, player, np.int64(tables[0, L.OUTER + cell]), ALL, cell, base, axes, tables, events)
    further = L.TAKE_NEXT | L.TAKE_NEXT2 | L.TAKE_FACING_NEXT | L.ONWARD_GAPS | L.ONWARD_ACROSS
    if takes & further or axes[base + L.CHAIN] & L.CHAIN_FORWARD:
        for k in range(1, max(2, ahead + chain - 1, named + 2 * gaps, across) + 1):
            pit = cell_ahead(position, player, track_index, k, axes, tables)
            is_named = (k == 1 and takes & L.TAKE_NEXT) or (k == 2 and takes & L.TAKE_NEXT2)
            is_gap = named < k <= named + 2 * gaps and (k - named) & 1 == 0
            if is_named or is_gap or ahead <= k < ahead + chain:
                seeds += take(position, player, pit, ALL, cell, base, axes, tables, events)
            if k <= across or (k == 1 and takes & L.TAKE_FACING_NEXT):
                seeds += take(position, player, facing_of(pit, axes, tables), ALL, cell, base, axes, tables, events)
    if takes & (L.TAKE_EVERY | L.TAKE_NEIGHBOURS):
        seeds += take_every(position, player, cell, base, axes, tables, events)
    if not takes & L.TO_ELSEWHERE:
        position[axes[L.PITS] + L.STORES + player] += seeds
    return outcome | CAPTURED if seeds > 0 else outcome


@part
def take_every(position, player, cell, base, axes, tables, events):
    """``take`` every pit that a clause names by its seeds and its owner, or of these the neighbours of ``cell``."""
    half, seeds = axes[L.PITS] // 2, np.int64(0)
    for pit in range(axes[L.PITS]):
        wanted = holds(position, pit, axes[base + L.EVERY_COUNTS])
        if axes[base + L.TAKE] & L.TAKE_EVERY == 0:  # not round the corner of two rows
            outermost = (tables[0, L.OUTER + pit] == pit) == (tables[0, L.OUTER + cell] == cell)
            wanted = wanted and pit // half == cell // half and abs(pit - cell) == 1 and outermost
        if wanted and axes[L.MARKS] != 0:
            wanted = position[axes[L.MARKS] + pit] < 0
        if wanted and is_of(position, player, pit, axes[base + L.EVERY_SIDE], axes, tables):
            seeds += take(position, player, np.int64(pit), ALL, cell, base, axes, tables, events)
    return seeds


@inlined
def make_marks(position, player, cell, base, axes, tables, events):
    """Make the marks of a clause, as the mover's, where the last seed fell in ``cell``; ``position`` is modified."""
    take, facing = axes[base + L.TAKE], np.int64(tables[0, L.FACING + cell])
    if take & L.CARRY_AND_MARK:
        position[facing] -= 1
        position[cell] += 1
        emit(events, E.CARRY, facing, cell, 1, base)
    for pit, wanted in ((facing, L.MARKS_FACING), (cell, L.MARKS_HERE)):
        if take & wanted:
            position[axes[L.MARKS] + pit] = player
            emit(events, E.MARK, -1, pit, position[pit], base)
