"""A move played with its ``events`` written out, by the same code that plays all moves, for each ruleset or for all."""

from mancala_env.kernels import layout as L
from mancala_env.kernels.engine import Builds
from mancala_env.kernels.jit import DISABLE_JIT, KERNELS, Work, compiler
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
