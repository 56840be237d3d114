"""Sowing along a track; and moves that follow none: scattering, reaping, piles. Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import add_lap
from mancala_env.kernels.board import holds, is_closed, is_of, owner_of
from mancala_env.kernels.events import emit
from mancala_env.kernels.jit import inlined, part


@inlined
def sow(position, player, hand, origin, emptied, kept, axes, tables, events):
    """Drop ``hand`` seeds, not 0, in place into the cells that follow pit ``origin`` in sowing order; pit ``emptied``
    (-1: none), which they come from, keeps ``kept``. Returns where the last one fell, an index into the second round of
    the player's track; what its cell held then, 0 off the board; seeds taken, or lost, on the way; and VISITED, if the
    game asks for it and a seed fell on the opponent's side, else 0."""
    loop = axes[L.LOOP]
    each = axes[L.PASSING_COUNTS] | axes[L.SURPLUS] | axes[L.BY_SEED] | axes[L.SEEDS_A_PIT] | axes[L.ASKED] & L.VISITED
    is_plain = each == 0 and axes[L.REMEMBERS] != L.REMEMBER_UNTIL_SOWN
    if events is None and is_plain and hand < loop:  # the origin is not met again
        track_index = np.int64(tables[player, L.PLACE + origin])
        if tables.shape[1] > L.LAPS:
            # One vector operation: no branch to predict, one store to forward later loads from.
            first = np.int64(0) if axes[L.PITS] < L.LAP_WIDTH else player * L.LAP_WIDTH
            lap = L.LAPS + ((origin - first) * loop + hand) * L.LAP_WIDTH
            add_lap(position, first, tables, player, lap, emptied - first, kept)
        else:
            if emptied >= 0:
                position[emptied] = kept
            for k in range(track_index + 1, track_index + hand + 1):
                position[tables[player, L.TRACK + k]] += 1
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
    skips, takes = axes[L.SKIP_ORIGIN] != 0, axes[L.PASSING_COUNTS] != 0
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
        is_marked = by_seed & (L.PITS_CLOSED | L.SEEDS_COLLECTED) != 0 and cell < pits
        is_marked = is_marked and position[axes[L.MARKS] + cell] >= 0
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
    if cell >= axes[L.PITS] or not holds(position, cell, axes[L.PASSING_COUNTS]):
        return 0
    seeds = np.int64(position[cell])
    to = owner_of(position, cell, axes, tables) if how & L.PASSING_TO_OWNER else player
    store = axes[L.PITS] + L.STORES + to
    emit(events, E.TAKE, cell, store, seeds, 0)
    position[cell] = 0
    position[store] += seeds
    return seeds


@inlined
def scatter(position, pit, axes, events):
    """Empty a pit and give its seeds one by one to its neighbours, counter-clockwise, in place; for a pit of the bottom
    row: right, above right, above, above left, left. Past the short ends, and in a full pit, a seed is lost."""
    pits, columns = axes[L.PITS], axes[L.PITS] // 2
    turned = pit - pit % columns  # the top row is the bottom row turned by half a turn
    column, hand = pit - turned, np.int64(position[pit])
    position[pit] = 0
    emit(events, E.LIFT, pit, -1, hand, 0)
    across = 2 * columns - 1 - column
    neighbours = (column + 1, across - 1, across, across + 1, column - 1)
    for k in range(hand):
        gone = k > 4 or (k < 2 and column == columns - 1) or (k > 2 and column == 0)
        receiver = (neighbours[min(k, 4)] + turned) % pits
        if gone or position[receiver] >= L.NEIGHBOURS:
            position[axes[L.REMOVED]] += 1
            emit(events, E.LOSE, pit, -1 if gone else receiver, 1, 0)
        else:
            position[receiver] += 1
            emit(events, E.SOW, pit, receiver, 1, 0)


@inlined
def reap_target(position, player, pit, axes):
    """Where reaping from a pit ends: the nearest empty pit, to the right for player 0 and to the left for 1; or -1."""
    if position[pit] < axes[L.MIN_START]:
        return -1
    step = 1 - 2 * player
    target = pit + step
    while 0 <= target < axes[L.PITS] and position[target] > 0:
        target += step
    return target if 0 <= target < axes[L.PITS] else -1


@inlined
def reap(position, player, pit, axes, events):
    """Take one seed from each pit from ``pit`` on to the nearest empty one and lay them there, in place."""
    target, step = reap_target(position, player, pit, axes), 1 - 2 * player
    position[target] = abs(target - pit)
    while pit != target:
        position[pit] -= 1
        emit(events, E.REAP, pit, pit + step, 1, 0)
        pit += step
    emit(events, E.LAY, -1, target, position[target], 0)


@part
def make_pile(position, axes, events):
    """Take a seed from each pile, the largest first, and make a new one of them, after others of its size, in place."""
    pits, hand, place = axes[L.PITS], np.int64(0), np.int64(0)
    for pit in range(pits):
        if position[pit] > 0:
            position[pit] -= 1
            hand += 1
    while place < pits - 1 and position[place] >= hand:
        place += 1
    for pit in range(hand):
        emit(events, E.REAP, pit, place, 1, 0)
    for pit in range(pits - 1, place, -1):
        if position[pit - 1] > 0:
            emit(events, E.CARRY, pit - 1, pit, position[pit - 1], 0)
        position[pit] = position[pit - 1]
    position[place] = hand
    emit(events, E.LAY, -1, place, hand, 0)
