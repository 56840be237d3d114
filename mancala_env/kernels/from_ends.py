"""Moves on four rows in which captured seeds are sown again from an end of the own inner row (``Sowing.FROM_ENDS``).

A player's pits are one loop of two rows, and a lap goes round it one way or the other. A turn captures if its first lap
does: where a lap ends in a pit of the inner row that held seeds, across from seeds, these come into the hand and are
sown from an end of that row; the two pits next to an end send them there, pits further inside leave the direction as it
is. All other laps that end in seeds are lifted and sown on. If the first lap captures nothing, the whole turn captures
nothing; that may be played only where no turn can capture. Turns that never end may not be played at all.

With a reserve each turn brings a seed of it into a pit of the inner row. A stronghold is a pit of that row with
privileges while its owner has neither sown it nor lost it and it holds enough seeds. Arguments are those of ``engine``.
"""

import numpy as np
from numba import types

from mancala_env.kernels import events as told
from mancala_env.kernels.events import tell
from mancala_env.kernels.extensions import AXES, MASK, POSITION, TABLES, WHOLE, extension
from mancala_env.kernels.jit import allocating_part, inlined, part
from mancala_env.kernels.landing import TURN_AGAIN
from mancala_env.kernels.layout import (
    AT,
    DECISION,
    FACING,
    GO_ON,
    HANDS,
    LAP_LIMIT,
    LEFT,
    NOTHING_DUE,
    PENDING,
    PITS,
    SOW_FROM_ENDS,
    SOWING,
    STRONGHOLD,
    STRONGHOLD_LEAST,
    STRONGHOLD_PLACE,
    STRONGHOLD_TAX,
    THREAT,
)
from mancala_env.kernels.references import FROM_ENDS_AT, LEGAL_FROM_ENDS_AT

OPEN, CAPTURING, PLAIN = range(3)  # whether the first lap of a turn has captured; OPEN: it is being sown
ENDLESS = 16  # of what a move did: it would go on for ever
CORNER = 2  # pits at either end of the inner row that send captured seeds there


@inlined
def place_of(player, pit, axes):
    """Where a pit lies on the player's loop: the outer row from the left, then the inner one from the right."""
    return pit - player * (axes[PITS] // 2)


@inlined
def in_hand(position, player, axes):
    """Seeds that the player has still to bring into play."""
    return np.int64(position[axes[HANDS] + player]) if axes[HANDS] != 0 else np.int64(0)


@inlined
def is_stronghold(position, player, pit, axes):
    """Is this pit the player's stronghold, and has it never been emptied?"""
    if axes[STRONGHOLD] == 0 or place_of(player, pit, axes) != axes[STRONGHOLD_PLACE]:
        return False
    return position[axes[STRONGHOLD] + player] != 0


@inlined
def holds(position, player, pit, axes):
    """Is this pit the player's stronghold, with seeds enough for its privileges?"""
    return is_stronghold(position, player, pit, axes) and position[pit] >= axes[STRONGHOLD_LEAST]


@part
def empty(position, player, pit, axes):
    """Take all seeds of a pit of ``player`` into the hand; a stronghold is none any more. Returns the seeds."""
    seeds = np.int64(position[pit])
    position[pit] = 0
    if is_stronghold(position, player, pit, axes):
        position[axes[STRONGHOLD] + player] = 0
    return seeds


@inlined
def end_of(place, way, axes):
    """Which way captured seeds are sown: the one that the nearest end asks for, or on as before."""
    row = axes[PITS] // 4
    if place < row + CORNER:
        return np.int64(0)  # from the right end, counter-clockwise
    return np.int64(1) if place >= 2 * row - CORNER else way


@part
def sow_from(position, player, place, way, hand, kind, axes, tables, events):
    """Sow ``hand`` seeds after a place of the player's loop, and go on until the turn ends or has to be decided.

    ``position`` is modified in place. Returns (TURN_AGAIN if something is due, ENDLESS, or 0; whether it captured).
    """
    half, row = axes[PITS] // 2, axes[PITS] // 4
    base, lap = player * half, 1
    brings = kind != OPEN  # a seed of the reserve
    while True:
        before = base + place
        for _ in range(hand):
            place = (place + 1) % half if way == 0 else (place + half - 1) % half
            pit = base + place
            position[pit] += 1
            if events is not None:
                tell(events, told.SOW, before, pit, 1, -1)
            before = pit
        pit = base + place
        if events is not None:
            tell(events, told.LAND, -1, pit, position[pit], -1)
        if position[pit] == 1:
            return 0, kind == CAPTURING
        across = np.int64(tables[0, FACING + pit])
        takes = place >= row and position[across] > 0
        if kind == OPEN:
            kind = CAPTURING if takes else PLAIN
        if lap == axes[LAP_LIMIT]:
            if events is not None:
                tell(events, told.LIMIT, -1, -1, lap, -1)
            return ENDLESS, kind == CAPTURING
        lap += 1
        if kind == CAPTURING and takes:
            hand = take_across(position, player, across, axes, events)
            way = end_of(place, way, axes)
            place = row - 1 if way == 0 else 0
        else:
            if brings and holds(position, player, pit, axes):
                if kind == PLAIN:
                    return 0, False
                position[axes[PENDING] + DECISION] = GO_ON
                position[axes[PENDING] + LEFT] = way
                position[axes[PENDING] + AT] = pit
                if events is not None:
                    tell(events, told.CHOOSE, -1, pit, 0, -1)
                return TURN_AGAIN, True
            hand = empty(position, player, pit, axes)
            if events is not None:
                tell(events, told.LIFT, pit, -1, hand, -1)


@part
def take_across(position, player, across, axes, events):
    """Take the seeds of a pit of the opponent into the hand, to be sown on. Returns them."""
    if events is not None:
        tell(events, told.TAKE, across, -1, position[across], -1)
    return empty(position, 1 - player, across, axes)


@part
def play_from_ends(position, player, pit, way, axes, tables, events):
    """Play a pit one way round; ``position`` is modified in place. Returns what ``sow_from`` does."""
    row, place = axes[PITS] // 4, place_of(player, pit, axes)
    if in_hand(position, player, axes) == 0:
        hand = empty(position, player, pit, axes)
        if events is not None:
            tell(events, told.LIFT, pit, -1, hand, -1)
        return sow_from(position, player, place, way, hand, OPEN, axes, tables, events)
    taxed = holds(position, player, pit, axes)
    position[axes[HANDS] + player] -= 1
    position[pit] += 1
    if events is not None:
        tell(events, told.BRING, -1, pit, 1, -1)
    across = np.int64(tables[0, FACING + pit])
    if position[across] > 0:
        hand = take_across(position, player, across, axes, events)
        way = end_of(place, way, axes)
        return sow_from(position, player, row - 1 if way == 0 else 0, way, hand, CAPTURING, axes, tables, events)
    if taxed:
        hand = axes[STRONGHOLD_TAX]
        position[pit] -= hand
    else:
        hand = empty(position, player, pit, axes)
    if events is not None:
        tell(events, told.LIFT, pit, -1, hand, -1)
    return sow_from(position, player, place, way, hand, PLAIN, axes, tables, events)


@part
def go_on(position, player, axes, tables, events):
    """Sow the stronghold where a lap has ended; ``position`` is modified in place. Returns what ``sow_from`` does."""
    at = axes[PENDING]
    pit, way = np.int64(position[at + AT]), np.int64(position[at + LEFT])
    clear(position, axes)
    hand = empty(position, player, pit, axes)
    if events is not None:
        tell(events, told.LIFT, pit, -1, hand, -1)
    return sow_from(position, player, place_of(player, pit, axes), way, hand, CAPTURING, axes, tables, events)


@inlined
def clear(position, axes):
    """Nothing is to be decided."""
    position[axes[PENDING] + DECISION] = NOTHING_DUE
    position[axes[PENDING] + LEFT] = 0
    position[axes[PENDING] + AT] = 0


@allocating_part
def is_endless(position, player, pit, way, axes, tables):
    """Would a turn that plays this pit go on for ever? ``pit`` -1: one that goes on from where a decision is due."""
    trial = position.copy()
    if pit < 0:
        return go_on(trial, player, axes, tables, None)[0] == ENDLESS
    return play_from_ends(trial, player, pit, way, axes, tables, None)[0] == ENDLESS


@inlined
def captured_first(position, player, pit, way, axes, tables):
    """The pit that is captured at once if ``player`` plays this pit; -1 for none."""
    half, row, seeds = axes[PITS] // 2, axes[PITS] // 4, np.int64(position[pit])
    place = place_of(player, pit, axes)
    if in_hand(position, player, axes) == 0:
        if seeds < 2 or seeds >= half:
            return np.int64(-1)
        place = (place + seeds) % half if way == 0 else (place + half - seeds) % half
    elif way != end_of(place, way, axes):
        return np.int64(-1)  # the nearest end asks for the other way
    last = player * half + place
    across = np.int64(tables[0, FACING + last])
    return across if place >= row and position[last] > 0 and position[across] > 0 else np.int64(-1)


@part
def captures_at_once(position, player, only, axes, tables):
    """(the number of plays of ``player`` that capture at once, a pit that one of them captures, whether all capture
    that
    pit). ``only``: a pit that is not played, or -1."""
    half, number, taken, same = axes[PITS] // 2, 0, np.int64(-1), True
    for k in range(half):
        pit = player * half + k
        for way in range(2):
            across = captured_first(position, player, pit, np.int64(way), axes, tables)
            if across >= 0 and pit != only:
                same = same and (number == 0 or across == taken)
                taken = across
                number += 1
    return number, taken, same


@inlined
def threat_on(position, player, axes):
    """The pit of ``player`` that is under a threat; -1 for none."""
    if axes[THREAT] == 0 or position[axes[THREAT]] == 0:
        return np.int64(-1)
    pit = np.int64(position[axes[THREAT]]) - 1
    return pit if pit // (axes[PITS] // 2) == player else np.int64(-1)


@part
def write_captures(position, player, mask, axes, tables):
    """Write to ``mask`` the actions that capture at once and end, and return how many there are.

    A pit under a threat is not played; one that the player threatens is captured if it can be.
    """
    half, blocked, wanted = axes[PITS] // 2, threat_on(position, player, axes), threat_on(position, 1 - player, axes)
    legal = found = 0
    for action in range(2 * half):
        pit, way = player * half + action % half, action // half
        across = captured_first(position, player, pit, way, axes, tables) if pit != blocked else np.int64(-1)
        mask[action] = across >= 0 and not is_endless(position, player, pit, way, axes, tables)
        legal += mask[action]
        found += mask[action] and across == wanted
    if found > 0:
        for action in range(2 * half):
            pit, way = player * half + action % half, action // half
            mask[action] = mask[action] and captured_first(position, player, pit, way, axes, tables) == wanted
        return found
    return legal


@part
def write_plain(position, player, mask, axes, tables):
    """Write to ``mask`` the actions of a player who can capture nothing, and return how many there are."""
    half, row, brings = axes[PITS] // 2, axes[PITS] // 4, in_hand(position, player, axes) > 0
    blocked = threat_on(position, player, axes)
    occupied, several, free = 0, 0, 0  # pits of the inner row with seeds, with two or more, and without privileges
    for pit in range(player * half + row, (player + 1) * half):
        occupied += position[pit] > 0
        several += position[pit] > 1
        free += position[pit] > 0 and not holds(position, player, pit, axes)
    owned = axes[STRONGHOLD] != 0 and position[axes[STRONGHOLD] + player] != 0
    legal = 0
    for action in range(2 * half):
        pit, way = player * half + action % half, action // half
        place = action % half
        seeds = np.int64(position[pit])
        inner = place >= row
        if brings:
            may = inner and seeds > (0 if owned or several == 0 else 1)
            may = may and not (free > 0 and holds(position, player, pit, axes))
        else:
            may = seeds > 1 and inner == (several > 0) and pit != blocked
        if inner and occupied == 1 and place == (row if way == 1 else half - 1):
            may = False  # the only pit of that row is not sown round the corner at once
        mask[action] = may and not is_endless(position, player, pit, way, axes, tables)
        legal += mask[action]
    return legal


@part
def inner_seeds(position, player, axes):
    """Seeds in the player's inner row."""
    half, row, seeds = axes[PITS] // 2, axes[PITS] // 4, 0
    for pit in range(player * half + row, (player + 1) * half):
        seeds += np.int64(position[pit])
    return seeds


@part
def set_threat(position, player, captured, axes, tables):
    """After a turn of ``player``: forget a threat of that player, or write one that a turn without a capture has made.

    That is a pit of the opponent, the only one that the player could capture at once, if the opponent can capture
    nothing and has other pits to play: another one with seeds in the inner row, and another one there with several. A
    stronghold is never under a threat.
    """
    if axes[THREAT] == 0:
        return
    half, row, other = axes[PITS] // 2, axes[PITS] // 4, 1 - player
    if threat_on(position, other, axes) >= 0:
        position[axes[THREAT]] = 0
    if captured or in_hand(position, player, axes) > 0 or in_hand(position, other, axes) > 0:
        return
    if captures_at_once(position, other, np.int64(-1), axes, tables)[0] > 0:
        return
    number, pit, same = captures_at_once(position, player, np.int64(-1), axes, tables)
    if number == 0 or not same or holds(position, other, pit, axes):
        return
    occupied, several = 0, 0
    for each in range(other * half + row, (other + 1) * half):
        occupied += each != pit and position[each] > 0
        several += each != pit and position[each] > 1
    if occupied > 0 and several > 0:
        position[axes[THREAT]] = pit + 1


@part
def move_from_ends(position, player, pit, way, axes, tables, events):
    """``moves.move`` in these games: play a pit one way round."""
    outcome, captured = play_from_ends(position, player, pit, way, axes, tables, events)
    set_threat(position, player, captured, axes, tables)
    return outcome & TURN_AGAIN


def _is_needed(axes):
    """Are captured seeds sown from the ends?"""
    return axes[SOWING] == SOW_FROM_ENDS


@extension(FROM_ENDS_AT, _is_needed, WHOLE, POSITION, WHOLE, WHOLE, WHOLE, AXES, TABLES)
def from_ends_by_address(position, player, pit, way, axes, tables):
    """``move_from_ends``, without events."""
    return move_from_ends(position, player, pit, way, axes, tables, None)


@extension(LEGAL_FROM_ENDS_AT, _is_needed, types.UniTuple(WHOLE, 3), POSITION, WHOLE, MASK, AXES, TABLES)
def legal_from_ends(position, player, mask, axes, tables):
    """Write the legal mask and return (legal actions, seeds in the own inner row, in the opponent's)."""
    legal = write_captures(position, player, mask, axes, tables)
    if legal == 0:
        legal = write_plain(position, player, mask, axes, tables)
    return np.int64(legal), inner_seeds(position, player, axes), inner_seeds(position, 1 - player, axes)
