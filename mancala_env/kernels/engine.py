"""The rules engine: one compiled set of functions plays every game.

Kernels are unchecked: arrays in, numbers out. ``position`` and ``axes, tables``, a ruleset, are laid out as ``layout``
says; ``mask`` is bool[A]. Rules come from the axes alone: no game has a branch of its own. Where ``actions`` and
``pits`` are arguments they repeat what the axes say: constants unroll the loops over them. ``any_rules`` is None on the
fast path (``layout.fast_path``): what only other games need is then not even compiled. Else it is what ``bind`` made:
one function, ``play_any``, plays all other games for all kernels, with the ``extensions`` that they need. ``events`` is
the array that a move's events are written to (``kernels.events``); with None, the code that writes them is not
compiled.
"""

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.board import choose_way, pit_of
from mancala_env.kernels.compilers import types
from mancala_env.kernels.decisions import decide_by_address
from mancala_env.kernels.ending import settle
from mancala_env.kernels.extensions import load
from mancala_env.kernels.jit import DISABLE_JIT, address, inlined, njit
from mancala_env.kernels.landing import CAPTURED, MOVES_ON, TURN_AGAIN
from mancala_env.kernels.marks import marked_seeds
from mancala_env.kernels.moves import move, move_apart
from mancala_env.kernels.references import (
    REFERENCES,
    arrays_of,
    basic_references_at,
    call_play,
    history_at,
    log_at,
    mask_at,
    position_at,
    references,
    references_at,
)
from mancala_env.kernels.variants import every_axis

NO_ACTION = -1


@inlined
def play(position, action, mask, history, start, log, actions, pits, any_rules, axes, tables, dead):
    """Play a legal action; ``position``, ``mask``, ``history`` and ``log`` are modified in place (see ``settle``).

    With ``NO_ACTION`` the position is only settled. The history of the position played from begins at
    ``history[start]`` (see ``settle``); the return value is where that of the new position begins: the same place, or a
    later one after a capture (or anything else that cannot be undone). The victim of a grand slam that ends the game is
    left as the mover.
    """
    if any_rules is not None:
        return call_play(any_rules, position, action, mask, history, start, log)
    return turn(position, action, mask, history, start, log, actions, pits, None, axes, tables, dead)


@inlined
def turn(position, action, mask, history, start, log, actions, pits, any_rules, axes, tables, dead):
    """``play``, with the code for the rules that ``any_rules`` stands for."""
    outcome = 0
    if action != NO_ACTION:
        player = np.int64(position[pits + L.MOVER])
        if any_rules is None:
            outcome = move(position, player, player * actions + action, 0, pits, any_rules, axes, tables, None)
        elif every_axis(any_rules) and axes[L.PENDING] != 0 and position[axes[L.PENDING] + L.DECISION] != 0:
            outcome = decide_by_address(any_rules, position, player, action, axes, tables)
            if outcome & MOVES_ON:
                outcome = move_apart(position, player, outcome >> 8, any_rules, axes, tables)
        elif action < actions:  # else it is a pass
            gathers = axes[L.MARKS] != 0
            if every_axis(any_rules) and axes[L.MARKS_GO] != 0:
                gathers = False  # seeds in marked pits are not won yet
            before = marked_seeds(position, pits, axes) if gathers else 0
            outcome = move_apart(position, player, action, any_rules, axes, tables)
            if every_axis(any_rules) and axes[L.MEMORY] != 0 and axes[L.REMEMBERS] != L.REMEMBER_MARKS:
                position[axes[L.MEMORY] + pit_of(player, action, actions, any_rules, tables)] = 1
            if every_axis(any_rules) and axes[L.CHOSEN] != 0:
                choose_way(position, player, action, axes)
            if gathers and marked_seeds(position, pits, axes) > before:
                outcome |= CAPTURED
        if any_rules is not None and every_axis(any_rules) and axes[L.GOAL] >= L.SOLITAIRES:
            position[pits + L.MOVER] = player
        elif not outcome & TURN_AGAIN:
            position[pits + L.MOVER] = 1 - player
        position[pits + L.PLY] += 1
        if outcome & CAPTURED:
            start += np.int64(position[pits + L.PLIES_SINCE_CAPTURE]) + 1
            position[pits + L.PLIES_SINCE_CAPTURE] = 0
        else:
            position[pits + L.PLIES_SINCE_CAPTURE] += 1
    return settle(position, outcome, mask, history, start, log, actions, pits, any_rules, axes, tables, dead)


@njit
def play_any(position, width, action, mask, choices, history, hashes, start, log, games, rules):
    """``play`` by any rules: arrays by address, each with its length, and what ``bind`` made."""
    found = references_at(rules, REFERENCES)
    axes, tables, dead = arrays_of(found)
    return turn(
        position_at(position, width), action, mask_at(mask, choices), history_at(history, hashes), start,
        log_at(log, games), axes[L.ACTIONS], axes[L.PITS], found, axes, tables, dead,
    )  # fmt: skip


@njit
def play_basic(position, width, action, mask, choices, history, hashes, start, log, games, rules):
    """``play_any`` by basic rules (``variants``)."""
    found = basic_references_at(rules, REFERENCES)
    axes, tables, dead = arrays_of(found)
    return turn(
        position_at(position, width), action, mask_at(mask, choices), history_at(history, hashes), start,
        log_at(log, games), axes[L.ACTIONS], axes[L.PITS], found, axes, tables, dead,
    )  # fmt: skip


def bind(axes, tables, dead, width=0):
    """The arrays of a ruleset and the function that plays by them, as one array (``references.references``).

    The function is compiled, or loaded, when this is first called.
    """
    if DISABLE_JIT:
        return references(axes, tables, dead, width)
    kernel = play_basic if L.is_basic(axes) else play_any
    found = references(axes, tables, dead, width, address(kernel, *[types.int64] * 11))
    load(found, axes)
    found.setflags(write=False)
    return found


if DISABLE_JIT:  # all kernels are plain Python then, and call the code itself
    play = turn
