"""A move that is told: played by the code that plays all moves, and written down as ``events``."""

from mancala_env.kernels.events import clause_at
from mancala_env.kernels.jit import njit
from mancala_env.kernels.landing import landing
from mancala_env.kernels.layout import PITS
from mancala_env.kernels.moves import move


@njit
def tell_move(row, player, pit, events, axes, tables):
    """Play a pit that may be played, and write what happens to ``events`` (see there), whose counter is 0.

    ``row`` is modified in place as by ``moves.move``; what that returns is returned.
    """
    return move(row, player, pit, axes[PITS], True, axes, tables, events)


@njit
def clause_after(row, player, hole, axes, tables):
    """The number of the clause that acts where the last seed of ``player`` has fallen into ``hole``; -1 for none."""
    return clause_at(landing(row, player, hole, True, axes, tables))
