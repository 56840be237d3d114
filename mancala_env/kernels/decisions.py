"""Turns of several decisions: what the mover is asked in mid-turn, may answer, and what comes of it.

A decision that is due lies in fields of the position (``layout.DECISION``). The same player stays to move, and each
decision is an action, and a ply, of its own. Arguments are those of ``engine``.
"""

import numpy as np

from mancala_env.kernels import events as told
from mancala_env.kernels.board import owner_of
from mancala_env.kernels.events import clause_at, tell
from mancala_env.kernels.extensions import AXES, MASK, POSITION, TABLES, WHOLE, extension
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.landing import CAPTURED, TURN_AGAIN
from mancala_env.kernels.layout import (
    ACTIONS,
    DECISION,
    DECISIONS,
    LEFT,
    MARKS,
    NOTHING_DUE,
    PENDING,
    PICK,
    PICKS,
    PITS,
    STORES,
    VIEW,
)
from mancala_env.kernels.references import ASK_AT, CHOICES_AT, DECIDE_AT


def _is_needed(axes):
    """Does any turn have several decisions?"""
    return axes[PENDING] != 0


@inlined
def may_be_picked(position, player, pit, any_rules, axes, tables):
    """May ``player`` pick this pit: the opponent's, with seeds and without a mark?"""
    if position[pit] == 0 or owner_of(position, pit, any_rules, axes, tables) != 1 - player:
        return False
    return axes[MARKS] == 0 or position[axes[MARKS] + pit] < 0


@part
def pits_to_pick(position, player, any_rules, axes, tables):
    """How many pits ``player`` may pick."""
    pits = 0
    for pit in range(axes[PITS]):
        pits += may_be_picked(position, player, pit, any_rules, axes, tables)
    return pits


@part
def ask(position, player, base, any_rules, axes, tables, events):
    """Write to ``position`` what the clause at ``axes[base]`` leaves to the mover, if there is anything to decide.

    Returns whether there is.
    """
    picks = min(axes[PICKS + clause_at(base)], pits_to_pick(position, player, any_rules, axes, tables))
    if picks == 0:
        return False
    position[axes[PENDING] + DECISION] = PICK
    position[axes[PENDING] + LEFT] = picks
    if events is not None:
        tell(events, told.CHOOSE, -1, -1, picks, clause_at(base))
    return True


@part
def write_choices(position, player, mask, any_rules, axes, tables):
    """Write to ``mask`` what decides the decision that is due, and nothing else; returns how many actions do.

    If there is nothing to choose from, nothing is due any more: ``position`` then says so.
    """
    at, legal = axes[PENDING], 0
    picks = position[at + DECISION] == PICK
    left = pits_to_pick(position, player, any_rules, axes, tables) if picks else 0
    position[at + LEFT] = min(np.int64(position[at + LEFT]), left)
    picks = picks and position[at + LEFT] > 0
    position[at + DECISION] = PICK if picks else NOTHING_DUE
    for k in range(axes[ACTIONS]):
        mask[k] = False
    for k in range(axes[DECISIONS]):
        pit = np.int64(tables[player, VIEW + k])
        choice = picks and may_be_picked(position, player, pit, any_rules, axes, tables)
        mask[axes[ACTIONS] + k] = choice
        legal += choice
    return legal


@part
def decide(position, player, action, any_rules, axes, tables, events):
    """Play an action that decides what is due; ``position`` is modified in place. Returns what ``moves.move`` does."""
    pit = np.int64(tables[player, VIEW + action - axes[ACTIONS]])
    store, at = axes[PITS] + STORES + player, axes[PENDING]
    if events is not None:
        tell(events, told.TAKE, pit, store, position[pit], -1)
    position[store] += position[pit]
    position[pit] = 0
    position[at + LEFT] -= 1
    if position[at + LEFT] == 0:
        position[at + DECISION] = NOTHING_DUE
        return CAPTURED
    if events is not None:
        tell(events, told.CHOOSE, -1, -1, position[at + LEFT], -1)
    return CAPTURED | TURN_AGAIN


@extension(ASK_AT, _is_needed, WHOLE, POSITION, WHOLE, WHOLE, AXES, TABLES)
def ask_by_address(position, player, base, axes, tables):
    """``ask``, without events."""
    return np.int64(ask(position, player, base, True, axes, tables, None))


@extension(CHOICES_AT, _is_needed, WHOLE, POSITION, WHOLE, MASK, AXES, TABLES)
def choices_by_address(position, player, mask, axes, tables):
    """``write_choices``."""
    return np.int64(write_choices(position, player, mask, True, axes, tables))


@extension(DECIDE_AT, _is_needed, WHOLE, POSITION, WHOLE, WHOLE, AXES, TABLES)
def decide_by_address(position, player, action, axes, tables):
    """``decide``, without events."""
    return np.int64(decide(position, player, action, True, axes, tables, None))
