"""Turns of several decisions: what the mover is asked in mid-turn, may answer, and what comes of it.

A decision that is due lies in fields of the position (``layout.DECISION``). The same player stays to move, and each
decision is an action, and a ply, of its own. Arguments are those of ``engine``.
"""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.bao import ask_for, clear, is_endless, is_stronghold, move_from_ends
from mancala_env.kernels.board import direction_of, owner_of
from mancala_env.kernels.events import clause_at, emit
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.landing import CAPTURED, MOVES_ON, TURN_AGAIN
from mancala_env.kernels.reverses import captures_reversed, reversed_action


@inlined
def may_be_picked(position, player, pit, axes, tables):
    """May ``player`` pick this pit: the opponent's, with seeds, without a mark, and not spared?"""
    if position[pit] == 0 or owner_of(position, pit, axes, tables) != 1 - player:
        return False
    if (axes[L.SPARED] >> (pit % (axes[L.PITS] // 2))) & 1:
        return False
    return axes[L.MARKS] == 0 or position[axes[L.MARKS] + pit] < 0


@part
def pits_to_pick(position, player, axes, tables):
    """How many pits ``player`` may pick."""
    pits = 0
    for pit in range(axes[L.PITS]):
        pits += may_be_picked(position, player, pit, axes, tables)
    return pits


@part
def ask(position, player, cell, direction, base, axes, tables, events):
    """Write to ``position`` what the clause at ``axes[base]`` leaves to the mover, if there is anything to decide.

    A lap that went round by ``direction`` has ended in ``cell``. Returns whether there is.
    """
    says = axes[L.PICKS + clause_at(base)]
    if says == L.MAY_STOP and position[cell] == 0:
        return False
    if says == L.MAY_STOP:
        ask_for(position, L.GO_ON, direction, cell, axes)
        emit(events, E.CHOOSE, -1, cell, 0, clause_at(base))
        return True
    picks = min(says, pits_to_pick(position, player, axes, tables)) if says > 0 else 0
    if picks == 0:
        return False
    ask_for(position, L.PICK, picks, np.int64(0), axes)
    emit(events, E.CHOOSE, -1, -1, picks, clause_at(base))
    return True


@part
def write_directions(position, player, mask, axes, tables):
    """``write_choices`` where a lap goes one way or, if it then captures, the other."""
    pit, hand = np.int64(position[axes[L.PENDING] + L.AT]), np.int64(position[axes[L.PENDING] + L.LEFT])
    for k in range(axes[L.ACTIONS] + axes[L.DECISIONS]):
        mask[k] = False
    second = reversed_action(player, pit, axes, tables)
    mask[second - axes[L.ACTIONS] // 2] = True
    mask[second] = captures_reversed(position, player, pit, hand, axes, tables)
    return 1 + mask[second]


@part
def write_directions_on(position, player, mask, axes, tables):
    """``write_choices`` where a turn may go on or stop."""
    pit = np.int64(position[axes[L.PENDING] + L.AT])
    ends = axes[L.SOWING] == L.SOW_FROM_ENDS
    place = pit - player * (axes[L.PITS] // 2)
    lies = is_stronghold(position, player, place, axes) if ends else tables[0, L.OWNER + pit] == player
    if not lies or position[pit] == 0:
        clear(position, axes)
    for k in range(axes[L.ACTIONS] + axes[L.DECISIONS]):
        mask[k] = False
    if position[axes[L.PENDING] + L.DECISION] == L.NOTHING_DUE:
        return 0
    goes_on = not ends or not is_endless(position, player, axes, tables)
    for k in range(axes[L.PITS]):
        mask[axes[L.ACTIONS] + k] = goes_on and tables[player, L.VIEW + k] == pit
    mask[axes[L.ACTIONS] + axes[L.PITS]] = True
    return 1 + goes_on


@part
def write_choices(position, player, mask, axes, tables):
    """Write to ``mask`` what decides the decision that is due, and nothing else; returns how many actions do.

    If there is nothing to choose from, nothing is due any more: ``position`` then says so.
    """
    at, legal = axes[L.PENDING], 0
    if position[at + L.DECISION] == L.GO_ON:
        return write_directions_on(position, player, mask, axes, tables)
    if position[at + L.DECISION] == L.CHOOSE_WAY:
        return write_directions(position, player, mask, axes, tables)
    picks = position[at + L.DECISION] == L.PICK
    left = pits_to_pick(position, player, axes, tables) if picks else 0
    position[at + L.LEFT] = min(np.int64(position[at + L.LEFT]), left)
    picks = picks and position[at + L.LEFT] > 0
    position[at + L.DECISION] = L.PICK if picks else L.NOTHING_DUE
    for k in range(axes[L.ACTIONS] + axes[L.DECISIONS]):
        mask[k] = False
    for k in range(axes[L.PITS]):
        pit = np.int64(tables[player, L.VIEW + k])
        choice = picks and may_be_picked(position, player, pit, axes, tables)
        mask[axes[L.ACTIONS] + k] = choice
        legal += choice
    return legal


@part
def decide_to_go_on(position, player, action, axes, tables, events):
    """``decide`` where a turn may go on or stop. Along a track it is for the caller to go on: see ``MOVES_ON``."""
    if axes[L.SOWING] != L.SOW_FROM_ENDS and action < axes[L.ACTIONS] + axes[L.PITS]:
        pit, direction, found = position[axes[L.PENDING] + L.AT], position[axes[L.PENDING] + L.LEFT], np.int64(0)
        for k in range(axes[L.ACTIONS]):
            if tables[player, L.HOMES + k] == pit and direction_of(np.int64(k), axes) == direction:
                found = np.int64(k)
        clear(position, axes)
        return MOVES_ON | found << 8
    if action < axes[L.ACTIONS] + axes[L.PITS]:
        return move_from_ends(position, player, action, axes, tables, events)
    emit(events, E.HOLD, position[axes[L.PENDING] + L.AT], -1, 0, -1)
    clear(position, axes)
    return 0


@part
def decide(position, player, action, axes, tables, events):
    """Play an action that decides what is due; ``position`` is modified in place. Returns what ``moves.move`` does."""
    if position[axes[L.PENDING] + L.DECISION] == L.GO_ON:
        return decide_to_go_on(position, player, action, axes, tables, events)
    if position[axes[L.PENDING] + L.DECISION] == L.CHOOSE_WAY:  # ``moves.move`` reads what is due
        return MOVES_ON | action << 8
    pit = np.int64(tables[player, L.VIEW + action - axes[L.ACTIONS]])
    store, at = axes[L.PITS] + L.STORES + player, axes[L.PENDING]
    emit(events, E.TAKE, pit, store, position[pit], -1)
    position[store] += position[pit]
    position[pit] = 0
    position[at + L.LEFT] -= 1
    if position[at + L.LEFT] == 0:
        position[at + L.DECISION] = L.NOTHING_DUE
        return CAPTURED
    emit(events, E.CHOOSE, -1, -1, position[at + L.LEFT], -1)
    return CAPTURED | TURN_AGAIN
