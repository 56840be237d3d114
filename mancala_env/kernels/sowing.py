"""Sowing along a player's track. Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.board import holds, is_closed, is_of, owner_of
from mancala_env.kernels.events import emit
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.vector import add_lap


@inlined
def sow(position, player, hand, origin, emptied, kept, axes, tables, events):
    """Drop ``hand`` seeds, not 0, in place into the cells that follow pit ``origin`` in sowing order; pit ``emptied``
    (-1: none), which they come from, keeps ``kept``. Returns where the last one fell, an index into the second round of
    the player's track; what its cell held then, 0 off the board; seeds taken, or lost, on the way; and VISITED, if the
    game asks for it and a seed fell on the opponent's side, else 0."""
    loop = axes[L.LOOP]
    each = axes[L.PASSING_COUNTS] | axes[L.SURPLUS] | axes[L.BY_SEED] | axes[L.SEEDS_A_PIT] | axes[L.ASKED] & L.VISITED
    forgets = axes[L.REMEMBERS] == L.REMEMBER_UNTIL_SOWN
    if events is None and each == 0 and not forgets and hand < loop:  # the origin is not met again
        track_index = np.int64(tables[player, L.PLACE + origin])
        if tables.shape[1] > L.LAPS:
            # One vector operation: no branch to predict, one store to forward later loads from.
            first = np.int64(0) if axes[L.PITS] < L.LAP_WIDTH else player * L.LAP_WIDTH
            lap = L.LAPS + ((origin - first) * loop + hand) * L.LAP_WIDTH
            add_lap(position, first, tables, player, lap, emptied - first)
        else:
            if emptied >= 0:
                position[emptied] = 0
            for k in range(track_index + 1, track_index + hand + 1):
                position[tables[player, L.TRACK + k]] += 1
        if kept > 0:
            position[emptied] += kept
        track_index += hand
        track_index = track_index if track_index >= loop else track_index + loop
        return track_index, np.int64(position[tables[player, L.TRACK + track_index]]), np.int64(0), np.int64(0)
    if emptied >= 0:
        position[emptied] = kept
    return sow_each(position, player, hand, origin, axes, tables, events)


@part
def sow_each(position, player, hand, origin, axes, tables, events):
    """``sow``, where each seed is looked at: by BY_SEED, PASSING, REMEMBERS, SEEDS_A_PIT, SKIP_ORIGIN, SURPLUS."""
    loop, pits, how, by_seed = axes[L.LOOP], axes[L.PITS], axes[L.PASSING], axes[L.BY_SEED]
    skips = axes[L.SKIP_ORIGIN] != 0
    takes = axes[L.PASSING_COUNTS] != 0 and position[pits + L.PLY] >= axes[L.PLAIN_PLIES]
    surplus = hand - loop + axes[L.SKIP_ORIGIN]  # seeds beyond a round
    track_index = np.int64(tables[player, L.PLACE + origin])
    first, before, left = track_index, origin, hand
    taken, count, visited, passed_over = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    while left > 0:
        track_index = track_index + 1 if track_index + 1 < 2 * loop else loop
        cell = np.int64(tables[player, L.TRACK + track_index])
        if skips and cell == origin:
            continue
        if axes[L.SURPLUS] and left <= surplus and not is_of_opponent(position, player, cell, axes, tables):
            continue
        is_marked = False
        if by_seed & (L.PITS_CLOSED | L.SEEDS_COLLECTED) and cell < pits:
            is_marked = position[axes[L.MARKS] + cell] >= 0
        if by_seed & (L.PITS_JUMPED | L.PITS_SKIPPED):
            is_over = by_seed & L.PITS_JUMPED != 0 and is_closed(position, cell, axes)
            if by_seed & L.PITS_SKIPPED and cell < pits and not (by_seed & L.PITS_CLOSED and is_marked):
                is_over = is_over or is_skipped(position, player, cell, left, axes, tables)
            if is_over and passed_over < loop:
                passed_over += 1  # where all would be passed over, none is
                continue
        if by_seed & L.PITS_CLOSED and is_marked:
            if owner_of(position, cell, axes, tables) == player:
                continue
            position[axes[L.REMOVED]] += 1
            taken += 1
            left -= 1
            count = np.int64(0)
            emit(events, E.LOSE, before, cell, 1, 0)
            before = cell
            continue
        passed_over = np.int64(0)
        heap = min(left, axes[L.SEEDS_A_PIT]) if axes[L.SEEDS_A_PIT] != 0 else 1
        position[cell] += heap
        left -= heap
        count = np.int64(position[cell])
        for _ in range(heap):
            emit(events, E.SOW, before, cell, 1, 0)
        before = cell
        if axes[L.ASKED] & L.VISITED and is_of_opponent(position, player, cell, axes, tables):
            visited = np.int64(L.VISITED)
        if axes[L.REMEMBERS] == L.REMEMBER_UNTIL_SOWN and is_of_opponent(position, player, cell, axes, tables):
            position[axes[L.MEMORY] + cell] = 0
        if by_seed & L.SEEDS_COLLECTED and is_marked:
            store = pits + L.STORES + np.int64(position[axes[L.MARKS] + cell])
            position[cell] -= 1
            position[store] += 1
            taken += 1
            emit(events, E.TAKE, cell, store, 1, 0)
        if left > 0 and takes and not how & L.PASSING_AFTER:
            taken += take_passed(position, player, cell, axes, tables, events)
    track_index = track_index if track_index >= loop else track_index + loop
    if takes:
        last = np.int64(tables[player, L.TRACK + track_index])
        if how & L.PASSING_AFTER:
            left = hand
            for k in range(1, loop + 1):
                cell = np.int64(tables[player, L.TRACK + first + k])
                if left == 0:
                    break
                if by_seed & L.PITS_JUMPED and is_closed(position, cell, axes):
                    continue
                left -= 1
                if cell != last and not (skips and cell == origin):
                    taken += take_passed(position, player, cell, axes, tables, events)
        if how & L.PASSING_LAST:
            taken += take_passed(position, player, last, axes, tables, events)
    return track_index, count, taken, visited


@inlined
def is_of_opponent(position, player, cell, axes, tables):
    """Is this a pit of the other player?"""
    return cell < axes[L.PITS] and is_of(position, player, cell, L.CHAIN_OPPONENT, axes, tables)


@part
def is_skipped(position, player, pit, left, axes, tables):
    """Is a pit passed over, when ``left`` seeds are still in the hand, because of what it holds?"""
    if position[axes[L.PITS] + L.PLY] < axes[L.SKIP_FROM] or (axes[L.SKIPPING] & L.SKIP_BUT_LAST and left == 1):
        return False
    whose = axes[L.SKIPPING] & L.CHAIN_OWN  # the bits of both other values
    return is_of(position, player, pit, whose, axes, tables) and holds(position, pit, axes[L.SKIP_COUNTS])


@part
def take_passed(position, player, cell, axes, tables, events):
    """Take a pit that a seed has passed, if ``layout.PASSING`` says so. Returns the seeds taken."""
    how = axes[L.PASSING]
    whose = how & L.CHAIN_OWN  # the bits of both other values
    if cell >= axes[L.PITS] or not holds(position, cell, axes[L.PASSING_COUNTS]):
        return 0
    if not is_of(position, player, cell, whose, axes, tables):
        return 0
    seeds = np.int64(position[cell])
    to = owner_of(position, cell, axes, tables) if how & L.PASSING_TO_OWNER else player
    store = axes[L.PITS] + L.STORES + to
    emit(events, E.TAKE, cell, store, seeds, 0)
    position[cell] = 0
    position[store] += seeds
    return seeds
