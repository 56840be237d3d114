"""Turns of several decisions, each an action and a ply of the same player: what the mover is asked in mid-turn
(``layout.DECISION``) and may answer (``moves.decide`` plays the answer). Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import copy_of
from mancala_env.kernels.bao import ENDLESS, clear, play_from_ends
from mancala_env.kernels.board import action_of, ask_for, owner_of
from mancala_env.kernels.events import emit
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.landing import landing
from mancala_env.kernels.sowing import sow


@inlined
def may_be_picked(position, player, pit, axes, tables):
    """May ``player`` pick this pit: the opponent's, with seeds, without a mark, and not spared?"""
    if position[pit] == 0 or owner_of(position, pit, axes, tables) != 1 - player:
        return False
    if (axes[L.SPARED] >> (pit % (axes[L.PITS] // 2))) & 1:
        return False
    return axes[L.MARKS] == 0 or position[axes[L.MARKS] + pit] < 0


@part
def ask(position, player, cell, direction, base, axes, tables, events):
    """Write to ``position`` what the clause at ``axes[base]`` leaves to the mover, and return whether there is
    anything. A lap that went round by ``direction`` has ended in ``cell``."""
    says, picks = axes[base + L.PICKS], np.int64(0)
    if says == L.MAY_STOP and position[cell] > 0:
        ask_for(position, L.GO_ON, direction, cell, axes)
        emit(events, E.CHOOSE, -1, cell, 0, base)
        return True
    if 0 < says < L.MAY_STOP:
        for pit in range(axes[L.PITS]):
            picks = min(picks + may_be_picked(position, player, pit, axes, tables), says)
    if picks == 0:
        return False
    ask_for(position, L.PICK, picks, np.int64(0), axes)
    emit(events, E.CHOOSE, -1, -1, picks, base)
    return True


@part
def captures_reversed(position, player, pit, hand, axes, tables):
    """Would a lap of ``hand`` seeds of a pit, sown the second way, end where a clause captures? Sown on a copy."""
    if position[axes[L.PITS] + L.PLY] < axes[L.PLAIN_PLIES]:
        return False
    trial, second = copy_of(position), tables[2:]
    trial[pit] -= hand
    track_index, count, _, visited = sow(trial, player, hand, pit, np.int64(-1), np.int64(0), axes, second, None)
    cell = np.int64(second[player, L.TRACK + track_index])
    base = landing(trial, player, cell, track_index, count, np.int64(1), hand, visited, axes, second)
    return base != 0 and axes[base + L.TAKE] & ~(L.MARKING | L.TO_HERE | L.TO_OWNER) != 0


@part
def ask_direction(position, player, pit, hand, laid, axes, tables, events):
    """Write to ``position`` that the mover chooses which way the next lap goes, if it could capture the second way. It
    sows ``hand`` seeds of a pit, ``laid`` there first if they are captured ones. Returns whether there is a choice."""
    if position[axes[L.PITS] + L.PLY] < axes[L.OPENING_PLIES] or action_of(player, pit, np.int64(1), axes, tables) < 0:
        return False
    if laid:
        position[pit] += hand
    if not captures_reversed(position, player, pit, hand, axes, tables):
        if laid:
            position[pit] -= hand
        return False
    ask_for(position, L.CHOOSE_WAY, hand, pit, axes)
    if laid:
        emit(events, E.LAY, -1, pit, hand, 0)
    emit(events, E.CHOOSE, -1, pit, hand, 0)
    return True


@part
def write_choices(position, player, mask, axes, tables):
    """Write to ``mask`` the actions that decide what is due; returns how many. If none do, nothing is due any more."""
    at, first, legal = axes[L.PENDING], axes[L.ACTIONS], 0  # actions from ``first`` on choose a pit, the last one stops
    decision, pit = position[at + L.DECISION], np.int64(position[at + L.AT])
    for k in range(first + axes[L.DECISIONS]):
        mask[k] = False
    if decision == L.CHOOSE_WAY:  # one way or, if it then captures, the other
        second = action_of(player, pit, np.int64(1), axes, tables)
        mask[second - first // 2] = True
        mask[second] = captures_reversed(position, player, pit, np.int64(position[at + L.LEFT]), axes, tables)
        return 1 + mask[second]
    if decision == L.GO_ON:  # from the pit where a lap has ended, if it is still there and the turn then ends, or stop
        ends = axes[L.SOWING] == L.SOW_FROM_ENDS
        if ends:
            stronghold = player * (axes[L.PITS] // 2) + axes[L.STRONGHOLD_PLACE]
            lies = pit == stronghold and position[axes[L.STRONGHOLD] + player] != 0
        else:
            lies = tables[0, L.OWNER + pit] == player
        if not lies or position[pit] == 0:
            clear(position, axes)
            return 0
        goes_on = True
        if ends:
            goes_on = play_from_ends(copy_of(position), player, first, axes, tables, None) & ENDLESS == 0
        for k in range(axes[L.PITS]):
            mask[first + k] = goes_on and tables[player, L.VIEW + k] == pit
        mask[first + axes[L.PITS]] = True
        return 1 + goes_on
    left = np.int64(position[at + L.LEFT])
    for k in range(axes[L.PITS]):
        pit = np.int64(tables[player, L.VIEW + k])
        mask[first + k] = left > 0 and may_be_picked(position, player, pit, axes, tables)
        legal += mask[first + k]
    position[at + L.LEFT] = min(left, legal)
    position[at + L.DECISION] = L.PICK if legal > 0 else L.NOTHING_DUE
    return legal
