"""Marks: who may make one where, and the seeds that they hold."""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.events import clause_at, emit
from mancala_env.kernels.jit import inlined, part


@part
def may_mark(position, player, cell, base, axes, tables):
    """May the player make all marks of a clause, where the last seed fell in ``cell``?

    Not in a pit that bears a mark already or may bear none, nor, where that is the rule, at the place of a mark of the
    opponent's, nor with more marks than a player may have.
    """
    marks, take = axes[L.MARKS], axes[base + L.TAKE]
    facing = np.int64(tables[0, L.FACING + cell])
    made = 0
    for k in range(2):
        pit = cell if k == 0 else facing
        if take & (L.MARKS_HERE if k == 0 else L.MARKS_FACING):
            if (k == 1 and facing == cell) or position[marks + pit] >= 0 or (axes[L.UNMARKABLE] >> pit) & 1:
                return False
            mirrored = (pit + axes[L.PITS] // 2) % axes[L.PITS]
            if axes[L.NO_MIRROR] != 0 and position[marks + mirrored] == 1 - player:
                return False
            made += 1
    if axes[L.MARK_LIMIT] != 0:
        for pit in range(axes[L.PITS]):
            made += position[marks + pit] == player
        return made <= axes[L.MARK_LIMIT]
    return True


@inlined
def make_marks(position, player, cell, base, axes, tables, events):
    """Make the marks of a clause, as the mover's, where the last seed fell in ``cell``; ``position`` is modified."""
    take = axes[base + L.TAKE]
    facing = np.int64(tables[0, L.FACING + cell])
    if take & L.CARRY_AND_MARK:
        position[facing] -= 1
        position[cell] += 1
        emit(events, E.CARRY, facing, cell, 1, clause_at(base))
    if take & L.MARKS_FACING:
        position[axes[L.MARKS] + facing] = player
        emit(events, E.MARK, -1, facing, position[facing], clause_at(base))
    if take & L.MARKS_HERE:
        position[axes[L.MARKS] + cell] = player
        emit(events, E.MARK, -1, cell, position[cell], clause_at(base))


@inlined
def marked_seeds(position, axes):
    """Seeds in pits that bear a mark."""
    pits = axes[L.PITS]
    seeds = 0
    for pit in range(pits):
        if position[axes[L.MARKS] + pit] >= 0:
            seeds += np.int64(position[pit])
    return seeds


@part
def marks_are_taken(position, axes):
    """Does no pit bear a mark any more?"""
    marks = np.int64(0)
    for pit in range(axes[L.PITS]):
        marks += position[axes[L.MARKS] + pit] >= 0
    return marks == 0
