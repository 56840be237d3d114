"""Marks: who may make one where, and the seeds that they hold."""

import numpy as np

from mancala_env.kernels import events as told
from mancala_env.kernels.events import clause_at, tell
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.layout import (
    CARRY_AND_MARK,
    FACING,
    MARK_LIMIT,
    MARKS,
    MARKS_FACING,
    MARKS_HERE,
    NO_MIRROR,
    PITS,
    TAKE,
    UNMARKABLE,
)


@part
def may_mark(position, player, cell, base, axes, tables):
    """May the player make all marks of a clause, where the last seed fell in ``cell``?

    Not in a pit that bears a mark already or may bear none, nor, where that is the rule, at the place of a mark of the
    opponent's, nor with more marks than a player may have.
    """
    marks, take = axes[MARKS], axes[base + TAKE]
    facing = np.int64(tables[0, FACING + cell])
    made = 0
    for k in range(2):
        pit = cell if k == 0 else facing
        if take & (MARKS_HERE if k == 0 else MARKS_FACING):
            if (k == 1 and facing == cell) or position[marks + pit] >= 0 or (axes[UNMARKABLE] >> pit) & 1:
                return False
            mirrored = (pit + axes[PITS] // 2) % axes[PITS]
            if axes[NO_MIRROR] != 0 and position[marks + mirrored] == 1 - player:
                return False
            made += 1
    if axes[MARK_LIMIT] != 0:
        for pit in range(axes[PITS]):
            made += position[marks + pit] == player
        return made <= axes[MARK_LIMIT]
    return True


@inlined
def make_marks(position, player, cell, base, axes, tables, events):
    """Make the marks of a clause, as the mover's, where the last seed fell in ``cell``; ``position`` is modified."""
    take = axes[base + TAKE]
    facing = np.int64(tables[0, FACING + cell])
    if take & CARRY_AND_MARK:
        position[facing] -= 1
        position[cell] += 1
        if events is not None:
            tell(events, told.CARRY, facing, cell, 1, clause_at(base))
    if take & MARKS_FACING:
        position[axes[MARKS] + facing] = player
        if events is not None:
            tell(events, told.MARK, -1, facing, position[facing], clause_at(base))
    if take & MARKS_HERE:
        position[axes[MARKS] + cell] = player
        if events is not None:
            tell(events, told.MARK, -1, cell, position[cell], clause_at(base))


@inlined
def marked_seeds(position, pits, axes):
    """Seeds in pits that bear a mark."""
    seeds = 0
    for pit in range(pits):
        if position[axes[MARKS] + pit] >= 0:
            seeds += np.int64(position[pit])
    return seeds


@part
def marks_are_taken(position, axes):
    """Does no pit bear a mark any more?"""
    marks = np.int64(0)
    for pit in range(axes[PITS]):
        marks += position[axes[MARKS] + pit] >= 0
    return marks == 0
