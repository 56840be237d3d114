"""The board: its size, whose pits are whose, and what lies in them. Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.events import emit
from mancala_env.kernels.jit import inlined, part


@inlined
def owner_of(position, pit, axes, tables):
    """Who owns a pit: 0, 1, or 2 for nobody."""
    if axes[L.OWNERS] != 0:
        return np.int64(position[axes[L.OWNERS] + pit])
    return np.int64(tables[0, L.OWNER + pit])


@inlined
def pit_of(player, action, axes, tables):
    """The pit that an action of a player plays."""
    if axes[L.PLAIN] != 0:
        return player * axes[L.ACTIONS] + action
    return np.int64(tables[player, L.HOMES + action])


@inlined
def direction_of(action, axes):
    """Which way round an action sows its first lap: lines ``2 * way`` and on of ``tables`` are about it."""
    return (axes[L.SECOND_WAY] >> action) & 1 if axes[L.SECOND_WAY] != 0 else np.int64(0)


@inlined
def may_go(position, player, action, axes):
    """May the player go the way of this action, wherever they have a choice?"""
    if (axes[L.NEVER] >> action) & 1:
        return False
    chosen = np.int64(position[axes[L.CHOSEN] + player]) if axes[L.CHOSEN] != 0 else np.int64(-1)
    return chosen < 0 or chosen == direction_of(action, axes)


@inlined
def choose_direction(position, player, action, axes):
    """Write which way a player goes for the whole game, unless that is settled; ``position`` is modified in place."""
    for each in range(2):
        if (each == player or axes[L.CHOSEN_BY_EACH] == 0) and position[axes[L.CHOSEN] + each] < 0:
            position[axes[L.CHOSEN] + each] = direction_of(action, axes)


@inlined
def side(position, player, axes, tables):
    """Seeds in the pits of one player."""
    actions = axes[L.ACTIONS]
    seeds = 0
    if axes[L.PLAIN] != 0:
        for pit in range(player * actions, player * actions + actions):
            seeds += np.int64(position[pit])
        return seeds
    for pit in range(axes[L.PITS]):
        if owner_of(position, pit, axes, tables) == player:
            seeds += np.int64(position[pit])
    return seeds


@part
def missing_seeds(position, player, axes, tables):
    """How many seeds a player has to borrow to lay one in each own pit, all of these being empty; -1: that cannot be.

    What the own store does not hold comes from the other's, up to a debt of as many seeds as there are in play.
    """
    pits, places = axes[L.PITS], np.int64(0)
    for pit in range(pits):
        if owner_of(position, pit, axes, tables) == player:
            places += 1
            if position[pit] > 0:
                return np.int64(-1)
    owed = np.int64(position[axes[L.DEBT]]) if player == 0 else -np.int64(position[axes[L.DEBT]])
    missing = max(places - np.int64(position[pits + L.STORES + player]), np.int64(0))
    other = np.int64(position[pits + L.STORES + 1 - player])
    return missing if missing <= other and owed + missing <= axes[L.TOTAL_SEEDS] else np.int64(-1)


@part
def lay_out(position, player, axes, tables, events):
    """Lay a seed in each of a player's pits, if all are empty, from the stores; ``position`` is modified in place."""
    missing, pits = missing_seeds(position, player, axes, tables), axes[L.PITS]
    if missing < 0:
        return
    position[axes[L.DEBT]] += missing if player == 0 else -missing
    for pit in range(pits):
        if owner_of(position, pit, axes, tables) == player:
            store = pits + L.STORES + (player if position[pits + L.STORES + player] > 0 else 1 - player)
            position[store] -= 1
            position[pit] += 1
            emit(events, E.CARRY, store, pit, 1, -1)
