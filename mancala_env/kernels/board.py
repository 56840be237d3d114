"""The board: whose pits are whose, what lies in them, which action plays which. Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.events import emit
from mancala_env.kernels.jit import inlined, part, wrapping


@inlined
def owner_of(position, pit, axes, tables):
    """Who owns a pit: 0, 1, or 2 for nobody."""
    if axes[L.HALVES] != 0:
        return np.int64(pit >= axes[L.PITS] // 2)
    if axes[L.OWNERS] != 0:
        return np.int64(position[axes[L.OWNERS] + pit])
    return np.int64(tables[0, L.OWNER + pit])


@inlined
def is_of(position, player, pit, whose, axes, tables):
    """Does a pit belong to whom ``whose``, one of the CHAIN_ values, says?"""
    if whose == L.CHAIN_ANY:
        return True
    return owner_of(position, pit, axes, tables) == (player if whose == L.CHAIN_OWN else 1 - player)


@inlined
def holds(position, cell, counts):
    """Does a cell hold one of these numbers of seeds, a set of bits?"""
    return (counts >> min(np.int64(position[cell]), L.TOP_COUNT)) & 1 != 0


@inlined
def facing_of(pit, axes, tables):
    """The pit across from a cell; -1 for none."""
    facing = np.int64(tables[0, L.FACING + pit]) if pit < axes[L.PITS] else pit
    return facing if facing != pit else np.int64(-1)


@inlined
def is_closed(position, cell, axes):
    """Is this a pit that is closed in this game of a match?"""
    return axes[L.CLOSED] != 0 and cell < axes[L.PITS] and position[axes[L.CLOSED] + cell] != 0


@inlined
def pit_of(player, action, axes, tables):
    """The pit that an action of a player plays."""
    half = axes[L.PITS] // 2
    if axes[L.HALVES] != 0:
        return player * half + (action if action < half else action - half)
    return np.int64(tables[player, L.HOMES + action])


@inlined
def direction_of(action, axes):
    """Which way round an action sows its first lap: lines ``2 * way`` and on of ``tables`` are about it."""
    return (axes[L.SECOND_WAY] >> action) & 1 if axes[L.SECOND_WAY] != 0 else np.int64(0)


@part
def action_of(player, pit, direction, axes, tables):
    """The action with which a player sows a pit in this direction; -1 for none."""
    half = axes[L.PITS] // 2
    for k in range(pit % half if axes[L.HALVES] else 0, axes[L.ACTIONS], half if axes[L.HALVES] else 1):
        is_it = pit_of(player, k, axes, tables) == pit and direction_of(k, axes) == direction
        if is_it and not (axes[L.NEVER] >> k) & 1:
            return np.int64(k)
    return np.int64(-1)


@inlined
def may_go(position, player, action, axes):
    """May the player go the way of this action, wherever they have a choice?"""
    if (axes[L.NEVER] >> action) & 1:
        return False
    chosen = np.int64(position[axes[L.CHOSEN] + player]) if axes[L.CHOSEN] != 0 else np.int64(-1)
    return chosen < 0 or chosen == direction_of(action, axes)


@inlined
def side(position, player, axes, tables):
    """Seeds in the pits of one player; with 2 in those that belong to nobody."""
    seeds = 0
    if axes[L.HALVES] != 0:
        half = axes[L.PITS] // 2
        for pit in range(player * half, (player + 1) * half):
            seeds += np.int64(position[pit])
        return seeds
    for pit in range(axes[L.PITS]):
        if owner_of(position, pit, axes, tables) == player:
            seeds += np.int64(position[pit])
    return seeds


@inlined
@wrapping
def board_hash(position, axes):
    """uint64: of what lies in the pits."""
    value = np.uint64(0)
    for pit in range(axes[L.PITS]):
        value += np.uint64(position[pit]) * L.HASH_KEYS[pit]
    return value


@part
def marks_of(position, player, axes):
    """How many pits bear the mark of a player."""
    marks = np.int64(0)
    for pit in range(axes[L.PITS]):
        marks += position[axes[L.MARKS] + pit] == player
    return marks


@inlined
def marked_seeds(position, axes):
    """Seeds in pits that bear a mark."""
    seeds = 0
    for pit in range(axes[L.PITS]):
        if position[axes[L.MARKS] + pit] >= 0:
            seeds += np.int64(position[pit])
    return seeds


@inlined
def mask_out(mask, struck, always, actions):
    """Strike a set of actions from ``mask``, if any other is left, or ``always``; returns how many are left."""
    legal = left = 0
    for k in range(actions):
        legal += mask[k]
        left += mask[k] and not (struck >> k) & 1
    if left == 0 and not always:
        return legal
    for k in range(actions):
        mask[k] = mask[k] and not (struck >> k) & 1
    return left


@inlined
def ask_for(position, decision, left, pit, axes):
    """The mover is to decide something (``layout.DECISION``)."""
    position[axes[L.PENDING] + L.DECISION] = decision
    position[axes[L.PENDING] + L.LEFT] = left
    position[axes[L.PENDING] + L.AT] = pit


@part
def lay_out(position, player, axes, tables, events):
    """Lay a seed in each of a player's pits, in place, if all are empty; returns whether it was done. What the own
    store does not hold comes from the other's, up to a debt of as many seeds as there are in play."""
    pits, places = axes[L.PITS], np.int64(0)
    for pit in range(pits):
        if owner_of(position, pit, axes, tables) == player:
            places += 1
            if position[pit] > 0:
                return False
    owed = np.int64(position[axes[L.DEBT]]) if player == 0 else -np.int64(position[axes[L.DEBT]])
    missing = max(places - np.int64(position[pits + L.STORES + player]), np.int64(0))
    if missing > position[pits + L.STORES + 1 - player] or owed + missing > axes[L.TOTAL_SEEDS]:
        return False
    position[axes[L.DEBT]] += missing if player == 0 else -missing
    for pit in range(pits):
        if owner_of(position, pit, axes, tables) == player:
            store = pits + L.STORES + (player if position[pits + L.STORES + player] > 0 else 1 - player)
            position[store] -= 1
            position[pit] += 1
            emit(events, E.CARRY, store, pit, 1, 0)
    return True
