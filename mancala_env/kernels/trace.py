"""A move played with its ``events`` written out, by the same code that plays all moves, for each ruleset or for all."""

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.engine import Builds
from mancala_env.kernels.jit import DISABLE_JIT, KERNELS, Work, compiler
from mancala_env.kernels.landing import landing
from mancala_env.kernels.moves import decide, move

njit = compiler(KERNELS, work=Work("telling what a move does", 3))


@njit
def move_with_events(position, player, action, events, axes, tables):
    """``moves.move`` or ``decide`` by a legal action, no pass; ``events``, whose counter is 0, are written."""
    if axes[L.PENDING] != 0 and position[axes[L.PENDING] + L.DECISION] != 0:
        return decide(position, player, action, axes, tables, events)
    return move(position, player, action, axes, tables, events)


_builds = Builds(move_with_events)


def emit_move(position, player, action, events, axes, tables):
    """``move_with_events``, by the build for these rules."""
    build = move_with_events if DISABLE_JIT else _builds.of(axes)
    return build(position, player, action, events, axes, tables)


@njit
def clause_after(position, player, cell, axes, tables):
    """The number of the clause that applies where the last seed of ``player`` has fallen into ``cell``; -1 for none."""
    track_index = axes[L.LOOP]  # of no account: clauses that ask what lies ahead are not taken back
    count, none = np.int64(position[cell]), np.int64(0)
    base = landing(position, player, cell, track_index, count, none + 1, none, none, axes, tables)
    return (base - L.LANDING) // L.CLAUSE_SIZE if base != 0 else -1
