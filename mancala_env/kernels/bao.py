"""Bao: four rows in which captured seeds are sown from the ends of the inner row (``SOW_BAO``).

A turn whose first lap captures is played on with captures, until a lap ends in an empty pit or at a decision. Seeds
captured at one of the two pits beside an end of the inner row enter at that end, others at the end from which they go
on the same way. Other turns are played only where none can capture; turns that never end may not be played. With a
reserve each turn brings a seed of it into the inner row. A stronghold is a pit of that row with privileges while its
owner has neither sown nor lost it and it holds enough seeds. A *place* is where a pit lies on its owner's loop: the
outer row from the left, then the inner one from the right; an action plays a place, counter-clockwise or, in the second
half of the actions, clockwise. Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import copy_of, lowest
from mancala_env.kernels.board import ask_for, mask_out
from mancala_env.kernels.events import emit
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.landing import TURN_AGAIN
from mancala_env.kernels.sowing import sow

OPEN, CAPTURING, PLAIN = range(3)  # whether the turn has captured; OPEN: its first lap is being sown
ENDLESS, CAPTURES = 16, 32  # of what a turn did: it would go on for ever; it has captured
CORNER = 2  # pits at either end of the inner row that send captured seeds there


@inlined
def in_hand(position, player, axes):
    """Seeds that the player has still to bring into play."""
    return np.int64(position[axes[L.HANDS] + player]) if axes[L.HANDS] != 0 else np.int64(0)


@inlined
def across(player, place, axes):
    """The opponent's pit across from a place of the inner row."""
    return (1 - player) * (axes[L.PITS] // 2) + 3 * (axes[L.PITS] // 4) - 1 - place


@inlined
def has_privileges(position, player, place, axes):
    """Is this the player's stronghold, never emptied yet, with seeds enough for its privileges?"""
    if axes[L.STRONGHOLD] == 0 or place != axes[L.STRONGHOLD_PLACE]:
        return False
    seeds = position[player * (axes[L.PITS] // 2) + place]
    return position[axes[L.STRONGHOLD] + player] != 0 and seeds >= L.STRONGHOLD_LEAST


@inlined
def end_of(place, direction, axes):
    """Which way seeds captured at a place are sown: the one that the nearest end asks for, or on as before."""
    if place < axes[L.PITS] // 4 + CORNER:
        return np.int64(0)  # from the right end, counter-clockwise
    return np.int64(1) if place >= axes[L.PITS] // 2 - CORNER else direction


@part
def sow_from(position, player, place, direction, hand, kind, brings, axes, tables, events):
    """Sow ``hand`` seeds after a place, or with 0 those of it, until the turn ends or has a decision due; the bits."""
    row, half = axes[L.PITS] // 4, axes[L.PITS] // 2
    first_pit, lap = player * half, 1
    while True:
        pit, emptied, sown = first_pit + place, np.int64(-1), tables[2 * direction :]
        if hand == 0:
            hand, emptied = np.int64(position[pit]), pit
            if place == axes[L.STRONGHOLD_PLACE] and axes[L.STRONGHOLD] != 0:
                position[axes[L.STRONGHOLD] + player] = 0
            emit(events, E.LIFT, pit, -1, hand, 0)
        _, count, _, _ = sow(position, player, hand, pit, emptied, np.int64(0), axes, sown, events)
        place = (place + (hand if direction == 0 else (half - 1) * hand)) % half
        pit, hand = first_pit + place, np.int64(0)
        emit(events, E.LAND, -1, pit, count, 0)
        takes = kind != PLAIN and place >= row and count > 1 and position[across(player, place, axes)] > 0
        if kind == OPEN:
            kind = CAPTURING if takes else PLAIN
        done = np.int64(CAPTURES if kind == CAPTURING else 0)
        if count == 1:
            return done
        if lap == axes[L.LAP_LIMIT]:
            emit(events, E.LIMIT, -1, -1, lap, 0)
            return done | ENDLESS
        lap += 1
        if takes:
            direction = end_of(place, direction, axes)
            hand, place = take_across(position, player, place, direction, axes, events)
        elif brings and has_privileges(position, player, place, axes):
            if kind == PLAIN:
                return done
            emit(events, E.CHOOSE, -1, pit, 0, 0)
            ask_for(position, L.GO_ON, direction, pit, axes)
            return done | TURN_AGAIN


@inlined
def take_across(position, player, place, direction, axes, events):
    """Take what lies across from a place, in place. Returns the seeds and the place after which they are sown."""
    row, pit = axes[L.PITS] // 4, across(player, place, axes)
    hand = np.int64(position[pit])
    emit(events, E.TAKE, pit, -1, hand, 0)
    position[pit] = 0
    if 3 * row - 1 - place == axes[L.STRONGHOLD_PLACE] and axes[L.STRONGHOLD] != 0:
        position[axes[L.STRONGHOLD] + 1 - player] = 0
    return hand, row - 1 if direction == 0 else np.int64(0)


@part
def play_bao(position, player, action, axes, tables, events):
    """``sow_from`` by an action, with a seed of the reserve if there is one, or from the stronghold if that is due."""
    half, hand, kind = axes[L.PITS] // 2, np.int64(0), OPEN
    place, direction, brings = action % half, action // half, in_hand(position, player, axes) > 0
    if axes[L.PENDING] != 0 and position[axes[L.PENDING] + L.DECISION] != L.NOTHING_DUE:
        place = np.int64(position[axes[L.PENDING] + L.AT]) - player * half
        direction, kind, brings = np.int64(position[axes[L.PENDING] + L.LEFT]), CAPTURING, True
        ask_for(position, L.NOTHING_DUE, 0, 0, axes)
    elif brings:
        pit, kind = player * half + place, PLAIN
        if has_privileges(position, player, place, axes):
            hand = np.int64(L.STRONGHOLD_TAX)
        position[axes[L.HANDS] + player] -= 1
        position[pit] += 1
        emit(events, E.BRING, -1, pit, 1, 0)
        if position[across(player, place, axes)] > 0:
            kind, direction = CAPTURING, end_of(place, direction, axes)
            hand, place = take_across(position, player, place, direction, axes, events)
        elif hand > 0:
            position[pit] -= hand
            emit(events, E.LIFT, pit, -1, hand, 0)
    return sow_from(position, player, place, direction, hand, kind, brings, axes, tables, events)


@part
def keep_ending(position, player, mask, bits, axes, tables):
    """Write to ``mask`` those of a set of actions whose turns end, and return how many there are."""
    legal = 0
    mask[: axes[L.PITS]] = False
    while bits != 0:
        action = lowest(bits)
        bits &= bits - 1
        done = play_bao(copy_of(position), player, action, axes, tables, None)
        mask[action] = done & ENDLESS == 0
        legal += mask[action]
    return legal


@inlined
def threat_on(position, axes):
    """The pit that is under a threat; -1 for none."""
    return np.int64(position[axes[L.THREAT]]) - 1 if axes[L.THREAT] != 0 else np.int64(-1)


@part
def first_captures(position, player, axes):
    """A bit for each action that captures at once, whether its turn ends or not."""
    row, half = axes[L.PITS] // 4, axes[L.PITS] // 2
    first_pit, takes, bits = player * half, np.int64(0), np.int64(0)
    for place in range(row, half):
        full = (position[first_pit + place] > 0) & (position[across(player, place, axes)] > 0)
        takes |= np.int64(full) << place
    if in_hand(position, player, axes) > 0:  # the nearest end may ask for the other way
        right, left = ((1 << CORNER) - 1) << row, ((1 << CORNER) - 1) << (half - CORNER)
        return (takes & ~left) | (takes & ~right) << half
    for place in range(half):
        seeds = np.int64(position[first_pit + place])
        up, down = place + seeds, place - seeds + half
        up = up - half if up >= half else up
        down = down - half if down >= half else down
        fits = np.int64(seeds > 1) & np.int64(seeds < half)
        bits |= (fits & (takes >> (up & 31))) << place
        bits |= (fits & (takes >> (down & 31))) << (place + half)
    return bits


@inlined
def captured_first(position, player, action, axes):
    """The pit that an action which captures at once captures."""
    half = axes[L.PITS] // 2
    place = action % half
    seeds = np.int64(0) if in_hand(position, player, axes) > 0 else np.int64(position[player * half + place])
    return across(player, (place + (seeds if action < half else half - seeds)) % half, axes)


@part
def plain_actions(position, player, axes):
    """A bit for each action that a player who can capture nothing may try."""
    row, half = axes[L.PITS] // 4, axes[L.PITS] // 2
    brings, threat = in_hand(position, player, axes) > 0, threat_on(position, axes)
    occupied, several, unprivileged = 0, 0, 0  # pits of the inner row: with seeds, with two or more, without privileges
    for place in range(row, half):
        seeds = position[player * half + place]
        occupied += seeds > 0
        several += seeds > 1
        unprivileged += seeds > 0 and not has_privileges(position, player, place, axes)
    keeps = axes[L.STRONGHOLD] != 0 and position[axes[L.STRONGHOLD] + player] != 0
    bits = np.int64(0)
    for action in range(2 * half):
        place, is_inner = action % half, action % half >= row
        seeds = position[player * half + place]
        if brings:
            may = is_inner and seeds > (0 if keeps or several == 0 else 1)
            may = may and not (unprivileged > 0 and has_privileges(position, player, place, axes))
        else:
            may = seeds > 1 and is_inner == (several > 0) and player * half + place != threat
        if is_inner and occupied == 1 and place == (half - 1 if action < half else row):
            may = False  # the only pit of that row is not sown round the corner at once
        bits |= np.int64(may) << action
    return bits


@part
def legal_bao(position, player, mask, axes, tables):
    """``legality.legal_actions``, of inner rows: actions that capture at once and end, else others; not of a pit under
    a threat; one that the player threatens is captured if it can be."""
    half, threat = axes[L.PITS] // 2, threat_on(position, axes)
    bits = first_captures(position, player, axes)
    if player * half <= threat < (player + 1) * half:
        bits &= ~((1 << (threat - player * half)) | (1 << (threat - player * half + half)))
    legal = keep_ending(position, player, mask, bits, axes, tables)
    if legal == 0:
        legal = keep_ending(position, player, mask, plain_actions(position, player, axes), axes, tables)
    elif threat >= 0:
        others = np.int64(0)  # actions that do not capture it
        for action in range(2 * half):
            others |= np.int64(captured_first(position, player, action, axes) != threat) << action
        legal = mask_out(mask, others, False, 2 * half)
    return np.int64(legal), inner_seeds(position, player, axes), inner_seeds(position, 1 - player, axes)


@inlined
def inner_seeds(position, player, axes):
    """Seeds in the player's inner row."""
    row, seeds = axes[L.PITS] // 4, np.int64(0)
    for k in range(row):
        seeds += np.int64(position[(2 * player + 1) * row + k])
    return seeds


@part
def set_threat(position, player, captured, axes):
    """After a turn of ``player``: forget their threat, or write one that a turn without a capture has made: on the only
    pit that the player could capture at once, but for a stronghold, if the opponent can capture nothing and has another
    pit with several seeds in the inner row."""
    row, half, opponent = axes[L.PITS] // 4, axes[L.PITS] // 2, 1 - player
    if opponent * half <= threat_on(position, axes) < (opponent + 1) * half:
        position[axes[L.THREAT]] = 0
    if captured or in_hand(position, player, axes) > 0 or in_hand(position, opponent, axes) > 0:
        return
    bits = first_captures(position, player, axes)
    if bits == 0 or first_captures(position, opponent, axes) != 0:
        return
    aim, several = np.int64(-1), 0
    while bits != 0:
        pit = captured_first(position, player, lowest(bits), axes)
        bits &= bits - 1
        if aim >= 0 and pit != aim:
            return
        aim = pit
    for place in range(row, half):
        several += opponent * half + place != aim and position[opponent * half + place] > 1
    if several > 0 and not has_privileges(position, opponent, aim - opponent * half, axes):
        position[axes[L.THREAT]] = aim + 1
