"""Sowing along a player's track, and taking it back. Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.board import owner_of
from mancala_env.kernels.events import emit
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.vector import add_lap


@inlined
def drop(position, player, hand, origin, emptied, change, axes, tables, events):
    """Empty pit ``emptied`` (-1: none) and drop ``hand`` seeds one by one into the cells that follow pit ``origin`` in
    the player's sowing order.

    ``position`` is modified in place, by ``change`` for each seed: 1, or -1 to take them back. Under ``SKIP_ORIGIN`` no
    seed falls in ``origin``. Returns the station of the last seed: an index into the player's track, in its second
    round, so that a chain can be followed back. ``hand`` is not 0.
    """
    pits = axes[L.PITS]
    loop = axes[L.LOOP]
    track_index = np.int64(tables[player, L.PLACE + origin])
    if hand < loop:  # less than a lap: the origin is not met again
        emit_lap(events, player, origin, track_index, hand, tables)
        if (
            tables.shape[1] > L.LAPS
        ):  # one vector operation: no branch to predict, one store to forward later loads from
            first = np.int64(0) if pits < L.LAP_WIDTH else player * L.LAP_WIDTH
            lap = L.LAPS + ((origin - first) * loop + hand) * L.LAP_WIDTH
            add_lap(position, first, tables, player, lap, emptied - first, change)
        else:
            if emptied >= 0:
                position[emptied] = 0
            for k in range(track_index + 1, track_index + hand + 1):
                position[tables[player, L.TRACK + k]] += change
        track_index += hand
        return track_index if track_index >= loop else track_index + loop
    if emptied >= 0:
        position[emptied] = 0
    skips = axes[L.SKIP_ORIGIN] != 0
    before = origin
    while hand > 0:
        track_index = track_index + 1 if track_index + 1 < 2 * loop else loop
        cell = np.int64(tables[player, L.TRACK + track_index])
        if skips and cell == origin:
            continue
        position[cell] += change
        hand -= 1
        emit(events, E.SOW, before, cell, 1, -1)
        before = cell
    return track_index if track_index >= loop else track_index + loop


@inlined
def emit_lap(events, player, origin, track_index, hand, tables):
    """Tell of each seed of a lap that begins at ``track_index``, the one of ``origin``, and is less than a round."""
    if events is None:
        return
    before = origin
    for k in range(track_index + 1, track_index + hand + 1):
        cell = np.int64(tables[player, L.TRACK + k])
        emit(events, E.SOW, before, cell, 1, -1)
        before = cell


@inlined
def sow(position, player, pit, axes, tables):
    """Empty a pit that is not empty and ``drop`` its seeds; returns the last station."""
    return drop(position, player, np.int64(position[pit]), pit, pit, 1, axes, tables, None)


@part
def drop_passing(position, player, hand, origin, axes, tables, events):
    """Sow ``hand`` seeds after ``origin`` where each seed is looked at, modifying ``position``: pits are taken on the
    way (``layout.PASSING``), seeds beyond a round fall on the opponent's side only (``layout.SURPLUS``), and pits are
    passed over, or out of play, or closed, or marked ones have their seeds collected (``layout.BY_SEED``). Or several
    seeds fall into each pit at once (``layout.SEEDS_A_PIT``).

    Returns the station of the last seed as ``drop`` does, what its cell held when it had fallen (0: it has left the
    board), and the seeds taken or lost.
    """
    loop, skips, how, by_seed = axes[L.LOOP], axes[L.SKIP_ORIGIN] != 0, axes[L.PASSING], axes[L.BY_SEED]
    takes = axes[L.PASSING_COUNTS] != 0 and position[axes[L.PITS] + L.PLY] >= axes[L.PLAIN_PLIES]
    beyond = (
        hand - axes[L.LOOP] + axes[L.SKIP_ORIGIN] if axes[L.SURPLUS] else np.int64(0)
    )  # these seeds are the surplus
    track_index = np.int64(tables[player, L.PLACE + origin])
    first, before, left = track_index, origin, hand
    taken, count, passed_over = np.int64(0), np.int64(0), np.int64(0)
    while left > 0:
        track_index = track_index + 1 if track_index + 1 < 2 * loop else loop
        cell = np.int64(tables[player, L.TRACK + track_index])
        if skips and cell == origin:
            continue
        if left <= beyond and not is_of_opponent(position, player, cell, axes, tables):
            continue
        jumped = by_seed & L.PITS_JUMPED and cell < axes[L.PITS] and position[axes[L.CLOSED] + cell] != 0
        if jumped and passed_over < loop:
            passed_over += 1  # where all are closed, seeds fall all the same
            continue
        if by_seed != 0 and cell < axes[L.PITS]:
            owner = owner_of(position, cell, axes, tables)
            if by_seed & L.PITS_CLOSED and position[axes[L.MARKS] + cell] >= 0:
                if owner == player:
                    continue
                position[axes[L.REMOVED]] += 1
                taken += 1
                left -= 1
                count = np.int64(0)
                emit(events, E.LOSE, before, cell, 1, -1)
                before = cell
                continue
            if (
                by_seed & L.PITS_SKIPPED
                and passed_over < loop
                and is_skipped(position, player, cell, owner, left, axes)
            ):
                passed_over += 1  # where all pits would be passed over, none is
                continue
        passed_over = np.int64(0)
        heap = min(left, max(axes[L.SEEDS_A_PIT], 1))
        position[cell] += heap
        left -= heap
        count = np.int64(position[cell])
        for _ in range(heap):
            emit(events, E.SOW, before, cell, 1, -1)
        before = cell
        if by_seed & L.SEEDS_COLLECTED and cell < axes[L.PITS] and position[axes[L.MARKS] + cell] >= 0:
            store = axes[L.PITS] + L.STORES + np.int64(position[axes[L.MARKS] + cell])
            position[cell] -= 1
            position[store] += 1
            taken += 1
            emit(events, E.TAKE, cell, store, 1, -1)
        if left > 0 and takes and not how & L.PASSING_AFTER:
            taken += take_passed(position, player, cell, axes, tables, events)
    track_index = track_index if track_index >= loop else track_index + loop
    if not takes:
        return track_index, count, taken
    last = np.int64(tables[player, L.TRACK + track_index])
    if how & L.PASSING_AFTER:
        left = hand
        for k in range(1, loop + 1):
            cell = np.int64(tables[player, L.TRACK + first + k])
            if left == 0:
                break
            if by_seed & L.PITS_JUMPED and cell < axes[L.PITS] and position[axes[L.CLOSED] + cell] != 0:
                continue
            left -= 1
            if cell != last and not (skips and cell == origin):
                taken += take_passed(position, player, cell, axes, tables, events)
    if takes and how & L.PASSING_LAST:
        taken += take_passed(position, player, last, axes, tables, events)
    return track_index, count, taken


@inlined
def is_of_opponent(position, player, cell, axes, tables):
    """Is this a pit of the other player?"""
    return cell < axes[L.PITS] and owner_of(position, cell, axes, tables) == 1 - player


@part
def is_skipped(position, player, cell, owner, left, axes):
    """Is a pit passed over, when ``left`` seeds are still in the hand, because of what it holds?"""
    if position[axes[L.PITS] + L.PLY] < axes[L.SKIP_FROM] or (axes[L.SKIPPING] & L.SKIP_BUT_LAST and left == 1):
        return False
    whose = axes[L.SKIPPING] & L.CHAIN_OWN  # the bits of both other values
    if whose != L.CHAIN_ANY and owner != (player if whose == L.CHAIN_OWN else 1 - player):
        return False
    return (axes[L.SKIP_COUNTS] >> min(np.int64(position[cell]), L.TOP_COUNT)) & 1 != 0


@part
def take_passed(position, player, cell, axes, tables, events):
    """Take a pit that a seed has passed, if ``layout.PASSING`` says so. Returns the seeds taken."""
    how = axes[L.PASSING]
    if cell >= axes[L.PITS] or not (axes[L.PASSING_COUNTS] >> min(np.int64(position[cell]), L.TOP_COUNT)) & 1:
        return 0
    owner = owner_of(position, cell, axes, tables)
    side = how & L.CHAIN_OWN  # the bits of both other values
    if side != L.CHAIN_ANY and owner != (player if side == L.CHAIN_OWN else 1 - player):
        return 0
    seeds = np.int64(position[cell])
    store = axes[L.PITS] + L.STORES + (owner if how & L.PASSING_TO_OWNER else player)
    emit(events, E.TAKE, cell, store, seeds, -1)
    position[cell] = 0
    position[store] += seeds
    return seeds


@part
def forget(position, player, hand, origin, axes, tables):
    """Forget the opponent's pits into which seeds fall when ``hand`` seeds are sown after ``origin``."""
    first = L.TRACK + np.int64(tables[player, L.PLACE + origin])
    for k in range(1, min(hand, axes[L.LOOP]) + 1):
        cell = np.int64(tables[player, first + k])
        if is_of_opponent(position, player, cell, axes, tables):
            position[axes[L.MEMORY] + cell] = 0
