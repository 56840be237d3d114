"""The landing: which clause applies where the last seed of a lap falls. Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.board import facing_of, holds, is_closed, marks_of, owner_of
from mancala_env.kernels.jit import inlined, part

# What a move did, as bits.
CAPTURED, TURN_AGAIN, WAS_SLAM, SLAM_ENDED = 1, 2, 4, 8
LOST = 64  # the game, to the mover


@inlined
def landing(position, player, cell, track_index, count, fell, lifted, visited, axes, tables):
    """The first clause that matches where the last seed fell: its offset in ``axes``, or 0 for none. ``cell`` lies at
    ``track_index`` of the mover's track, in its second round; ``count``: what it then holds; ``fell``: how many seeds
    fell at once; ``lifted``: what the pit that was played held; ``visited``: the fact VISITED of the turn, or 0."""
    across = 0
    if cell >= axes[L.PITS]:
        facts = L.IN_STORE if cell - axes[L.PITS] == player else L.IN_STORE | L.IN_OTHER_STORE
    else:
        facing = np.int64(tables[0, L.FACING + cell])
        across = np.int64(position[facing]) if facing != cell else 0
        facts = (
            (L.OWN_SIDE if owner_of(position, cell, axes, tables) == player else 0)
            | (L.WAS_EMPTY if count == fell else 0)
            | (0 if count & 1 else L.IS_EVEN)
            | (L.FACING_FULL if across > 0 else 0)
        )
        if axes[L.ASKED] & (L.IS_INNER | L.OUTER_FULL):
            outer = np.int64(tables[0, L.OUTER + cell])
            facts |= 0 if outer == cell else L.IS_INNER | L.OUTER_FULL if position[outer] > 0 else L.IS_INNER
        if axes[L.MARKS] != 0:
            mark = np.int64(position[axes[L.MARKS] + cell])
            facts |= 0 if mark < 0 else L.MARKED | L.OWN_MARK if mark == player else L.MARKED
        facts |= visited
        if axes[L.MEMORY] != 0 and position[axes[L.MEMORY] + cell] != 0:
            facts |= L.KNOWN
        if axes[L.SHARED] != 0 and owner_of(position, cell, axes, tables) > 1:
            facts |= L.NOBODYS
        if axes[L.ASKED] & L.AHEAD:
            facts |= facts_ahead(position, player, track_index, axes, tables)
    count, across = min(count, L.TOP_COUNT), min(across, L.TOP_COUNT)
    for clause in range(axes[L.CLAUSES]):
        base = L.LANDING + clause * L.CLAUSE_SIZE
        matches = facts & axes[base + L.NEEDS] == axes[base + L.VALUE]
        if axes[base + L.COUNTS] != L.ANY_COUNT:
            matches = matches and (axes[base + L.COUNTS] >> count) & 1 != 0
        if axes[base + L.FACING_COUNTS] != L.ANY_COUNT:
            matches = matches and (axes[base + L.FACING_COUNTS] >> across) & 1 != 0
        if axes[base + L.TAKE] & L.MARKING:
            matches = matches and may_mark(position, player, cell, base, axes, tables)
        if axes[base + L.FURTHER] != 0:
            matches = matches and matches_further(position, player, cell, track_index, lifted, base, axes, tables)
        if matches:
            return np.int64(base)
    return np.int64(0)


@inlined
def cell_ahead(position, player, track_index, steps, axes, tables):
    """The cell ``steps`` after ``track_index``, in the second round, without closed pits or stores not counted."""
    if axes[L.NEXT_SKIPS] != 0 or axes[L.CLOSED] != 0:
        steps = steps_over(position, player, track_index, steps, axes, tables)
    return np.int64(tables[player, L.TRACK + track_index + steps - axes[L.LOOP]])


@part
def steps_over(position, player, track_index, steps, axes, tables):
    """How many cells further on lies the one that is ``steps`` ahead, where not every cell is a step."""
    cells = np.int64(0)
    while steps > 0 and cells < axes[L.LOOP]:
        cells += 1
        cell = np.int64(tables[player, L.TRACK + track_index + cells - axes[L.LOOP]])
        skipped = axes[L.NEXT_SKIPS] != 0 if cell >= axes[L.PITS] else is_closed(position, cell, axes)
        steps -= not skipped
    return cells


@part
def facts_ahead(position, player, track_index, axes, tables):
    """Facts about the cells after the one where the last seed fell."""
    ahead = cell_ahead(position, player, track_index, 1, axes, tables)
    facing = facing_of(ahead, axes, tables)
    facts = L.NEXT_FULL if position[ahead] > 0 else 0
    facts |= L.NEXT2_FULL if position[cell_ahead(position, player, track_index, 2, axes, tables)] > 0 else 0
    facts |= L.FACING_NEXT_FULL if facing >= 0 and position[facing] > 0 else 0
    is_nobodys = axes[L.SHARED] != 0 and ahead < axes[L.PITS] and owner_of(position, ahead, axes, tables) > 1
    return facts | (L.NEXT_NOBODYS if is_nobodys else 0)


@part
def matches_further(position, player, cell, track_index, lifted, base, axes, tables):
    """Do the conditions of the clause at ``axes[base]`` hold that few clauses have?"""
    if position[axes[L.PITS] + L.PLY] < axes[base + L.FROM_PLY] or lifted < axes[base + L.LIFTED]:
        return False
    if axes[base + L.FEW] != 0:
        board = np.int64(0)
        for pit in range(axes[L.PITS]):
            board += np.int64(position[pit])
        if board > axes[base + L.FEW]:
            return False
    if axes[base + L.PLACES] != 0 and not (axes[base + L.PLACES] >> (cell % (axes[L.PITS] // 2))) & 1:
        return False
    ahead = cell_ahead(position, player, track_index, 1, axes, tables)
    if axes[base + L.NEXT_COUNTS] != 0 and not holds(position, ahead, axes[base + L.NEXT_COUNTS]):
        return False
    outer = np.int64(tables[0, L.OUTER + cell])
    return axes[base + L.OUTER_COUNTS] == 0 or (outer != cell and holds(position, outer, axes[base + L.OUTER_COUNTS]))


@part
def may_mark(position, player, cell, base, axes, tables):
    """May the player make all marks of a clause, where the last seed fell in ``cell``?"""
    marks, made = axes[L.MARKS], 0
    for pit, wanted in ((cell, L.MARKS_HERE), (facing_of(cell, axes, tables), L.MARKS_FACING)):
        if axes[base + L.TAKE] & wanted:
            if pit < 0 or position[marks + pit] >= 0:
                return False
            mirrored = (pit + axes[L.PITS] // 2) % axes[L.PITS]
            if axes[L.NO_MIRROR] != 0 and position[marks + mirrored] == 1 - player:
                return False
            made += 1
    return axes[L.MARK_LIMIT] == 0 or made + marks_of(position, player, axes) <= axes[L.MARK_LIMIT]
