"""A move played with its ``events`` written out, by the same code that plays all moves."""

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.decisions import decide
from mancala_env.kernels.events import clause_at
from mancala_env.kernels.jit import KERNELS, Work, compiler
from mancala_env.kernels.landing import landing
from mancala_env.kernels.moves import move

njit = compiler(KERNELS, work=Work("telling what a move does", 15))


@njit
def tell_move(position, player, pit, direction, events, axes, tables):
    """Play a legal pit in one direction (``board.direction_of``) and write what happens to ``events``.

    They are those of ``kernels.events``; their counter is 0. ``position`` is modified in place, and the return value is
    that of ``moves.move``.
    """
    return move(position, player, pit, direction, axes, tables, events)


@njit
def tell_decision(position, player, action, events, axes, tables):
    """``tell_move`` for a legal action that decides what is due."""
    return decide(position, player, action, axes, tables, events)


@njit
def clause_after(position, player, cell, axes, tables):
    """The number of the clause that applies where the last seed of ``player`` has fallen into ``cell``; -1 for none."""
    track_index = axes[L.LOOP]  # of no account: clauses that ask what lies ahead are not taken back
    return clause_at(landing(position, player, cell, track_index, np.int64(position[cell]), 1, 0, 0, axes, tables))
