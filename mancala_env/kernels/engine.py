"""The rules engine: one compiled set of functions plays every game.

Kernels are unchecked: arrays in, numbers out. ``row`` is a position and ``axes, tables`` a ruleset, both laid out as
``layout`` says; ``mask`` is bool[A]. Rules come from the axes alone: no game has a branch of its own. Where
``actions`` and ``pits`` are arguments they repeat what the axes say: constants unroll the loops over them.
``any_rules`` is True, or None on the fast path (``layout.fast_path``): what only other games need is then not even
compiled. ``events`` is the array that a move's events are written to (``kernels.events``); with None, the code that
writes them is not compiled either.
"""

import numpy as np

from mancala_env.kernels.board import pit_of
from mancala_env.kernels.ending import settle
from mancala_env.kernels.jit import inlined
from mancala_env.kernels.landing import CAPTURED, TURN_AGAIN
from mancala_env.kernels.layout import MARKS, MOVER, PLIES_SINCE_CAPTURE, PLY
from mancala_env.kernels.marks import marked_seeds
from mancala_env.kernels.moves import move

NO_ACTION = -1


@inlined
def play(row, action, mask, history, start, log, actions, pits, any_rules, axes, tables, dead):
    """Play a legal action; ``row``, ``mask``, ``history`` and ``log`` are modified in place (see ``settle``).

    With ``NO_ACTION`` the position is only settled. The history of the position played from begins at
    ``history[start]`` (see ``settle``); the return value is where that of the new position begins: the same place, or a
    later one after a capture (or anything else that cannot be undone). The victim of a grand slam that ends the game is
    left as the mover.
    """
    outcome = 0
    if action != NO_ACTION:
        player = np.int64(row[pits + MOVER])
        if any_rules is None:
            outcome = move(row, player, player * actions + action, pits, any_rules, axes, tables, None)
        elif action < actions:  # else it is a pass
            before = marked_seeds(row, pits, axes) if axes[MARKS] != 0 else 0
            outcome = move(
                row, player, pit_of(player, action, actions, any_rules, tables), pits, any_rules, axes, tables, None
            )
            if axes[MARKS] != 0 and marked_seeds(row, pits, axes) > before:
                outcome |= CAPTURED
        if not outcome & TURN_AGAIN:
            row[pits + MOVER] = 1 - player
        row[pits + PLY] += 1
        if outcome & CAPTURED:
            start += np.int64(row[pits + PLIES_SINCE_CAPTURE]) + 1
            row[pits + PLIES_SINCE_CAPTURE] = 0
        else:
            row[pits + PLIES_SINCE_CAPTURE] += 1
    return settle(row, outcome, mask, history, start, log, actions, pits, any_rules, axes, tables, dead)
