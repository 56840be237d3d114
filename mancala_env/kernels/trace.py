"""A move played with its ``events`` written out, by the same code that plays all moves, for each ruleset or for all."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.decisions import decide
from mancala_env.kernels.engine import Builds
from mancala_env.kernels.events import clause_at
from mancala_env.kernels.jit import DISABLE_JIT, KERNELS, Work, compiler
from mancala_env.kernels.landing import landing
from mancala_env.kernels.moves import move

njit = compiler(KERNELS, work=Work("telling what a move does", 3))


@njit
def move_told(position, player, pit, direction, events, axes, tables):
    """Play a legal pit in one direction (``board.direction_of``) and write what happens to ``events``.

    They are those of ``kernels.events``; their counter is 0. ``position`` is modified in place, and the return value is
    that of ``moves.move``.
    """
    return move(position, player, pit, direction, axes, tables, events)


@njit
def decision_told(position, player, action, events, axes, tables):
    """``move_told`` for a legal action that decides what is due."""
    return decide(position, player, action, axes, tables, events)


def _by_builds(kernel: Any) -> Callable[..., int]:
    """``kernel``, by the build for the ruleset that its last two arguments are."""
    if DISABLE_JIT:
        return kernel
    builds = Builds(kernel, kernel)
    return lambda *arguments: builds.of(*arguments[-2:])(*arguments)


tell_move, tell_decision = _by_builds(move_told), _by_builds(decision_told)


@njit
def clause_after(position, player, cell, axes, tables):
    """The number of the clause that applies where the last seed of ``player`` has fallen into ``cell``; -1 for none."""
    track_index = axes[L.LOOP]  # of no account: clauses that ask what lies ahead are not taken back
    return clause_at(landing(position, player, cell, track_index, np.int64(position[cell]), 1, 0, 0, axes, tables))
