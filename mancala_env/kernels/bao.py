"""Four rows in which captured seeds are sown from the ends of the inner row (``SOW_FROM_ENDS``).

A turn that captures with its first lap is played on with captures, until a lap ends in an empty pit or at a
decision. Its captured seeds enter at an end of the player's inner row: at the nearest one where they were captured in
one of the two pits beside it, else at the one from which they go on the same way. Turns that do not capture at once
are played only where no turn can capture. Turns that never end may not be played at all.

With a reserve each turn brings a seed of it into a pit of the inner row. A stronghold is a pit of that row with
privileges while its owner has neither sown it nor lost it and it holds enough seeds.

Whether a turn ends is known only when it has been played, so for each legal mask several turns are. Therefore turns
are played on words, not on the position: a row is a word with one byte for each pit, the first place lowest, and a lap
adds ones to all pits at once (``RUNS``). Arguments are those of ``engine``, and ``outer, inner``, the player's rows in
the order of the places of their loop, ``other``, the opponent's inner row in the order of the opponent's, and ``kept``:
is the player's (1), and is the opponent's (2), stronghold one still?
"""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.events import emit
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.landing import TURN_AGAIN

OPEN, CAPTURING, PLAIN = range(3)  # whether the turn has captured; OPEN: its first lap is being sown
ENDLESS = 16  # of what a move did: it would go on for ever
CAPTURES = 32  # of what a move did: it has captured
CORNER = 2  # pits at either end of the inner row that send captured seeds there
ROW = 8  # the most pits of a row: a word has as many bytes
OWN_KEPT, OTHER_KEPT = 1, 2
NOTHING, BYTE, EIGHT, ONE = np.uint64(0), np.uint64(255), np.uint64(8), np.uint64(1)


def _runs():
    """uint64[(ROW + 1) * 2 ROW * 2 ROW * 2]: for rows of this length ones in so many places of a loop from one on, the
    outer row and the inner one."""
    runs = np.zeros((ROW + 1, 2 * ROW, 2 * ROW, 2), dtype=np.uint64)
    for row in range(1, ROW + 1):
        for first in range(2 * row):
            for seeds in range(2 * row):
                for place in (each % (2 * row) for each in range(first, first + seeds)):
                    runs[row, first, seeds, place // row] += ONE << np.uint64(8 * (place % row))
    return runs.ravel()


def _places_of_bits():
    """int64[32]: the place of the only bit of a number, by what ``lowest`` makes of it."""
    places = np.zeros(32, dtype=np.int64)
    for place in range(32):
        places[((BIT_ORDER << place) & 0xFFFFFFFF) >> 27] = place
    return places


RUNS = _runs()
BIT_ORDER = 0x077CB531  # every number of five bits stands in it once
BIT_PLACES = _places_of_bits()


@inlined
def place_of(player, pit, axes):
    """Where a pit lies on the player's loop: the outer row from the left, then the inner one from the right."""
    return pit - player * (axes[L.PITS] // 2)


@inlined
def in_hand(position, player, axes):
    """Seeds that the player has still to bring into play."""
    return np.int64(position[axes[L.HANDS] + player]) if axes[L.HANDS] != 0 else np.int64(0)


@inlined
def seeds_at(word, column):
    """Seeds in a pit of a row."""
    return np.int64((word >> (np.uint64(column) * EIGHT)) & BYTE)


@inlined
def without(word, column):
    """The row without the seeds of a pit."""
    return word & ~(BYTE << (np.uint64(column) * EIGHT))


@inlined
def seeds_in(word):
    """All seeds of a row, which are 255 at most."""
    word = (word & np.uint64(0x00FF00FF00FF00FF)) + ((word >> EIGHT) & np.uint64(0x00FF00FF00FF00FF))
    word = (word & np.uint64(0x0000FFFF0000FFFF)) + ((word >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF))
    return np.int64((word + (word >> np.uint64(32))) & np.uint64(0xFFFF))


@part
def row_at(position, first_pit, row):
    """The row that begins with pit ``first_pit``, as a word."""
    word = NOTHING
    for k in range(row - 1, -1, -1):
        word = (word << EIGHT) | np.uint64(position[first_pit + k])
    return word


@part
def write_row(position, first_pit, row, word):
    """Write a row to the position."""
    for k in range(row):
        position[first_pit + k] = np.int64(word & BYTE)
        word >>= EIGHT


@inlined
def keeps(position, player, axes):
    """Whose stronghold has never been emptied, as bits."""
    if axes[L.STRONGHOLD] == 0:
        return np.int64(0)
    own, other = position[axes[L.STRONGHOLD] + player] != 0, position[axes[L.STRONGHOLD] + 1 - player] != 0
    return np.int64(OWN_KEPT) * own + np.int64(OTHER_KEPT) * other


@inlined
def is_stronghold(position, player, pit, axes):
    """Is this pit the player's stronghold, and has it never been emptied?"""
    if axes[L.STRONGHOLD] == 0 or place_of(player, pit, axes) != axes[L.STRONGHOLD_PLACE]:
        return False
    return position[axes[L.STRONGHOLD] + player] != 0


@inlined
def holds(word, column, row, kept, whose, axes):
    """Is this pit of an inner row the stronghold of its owner, with seeds enough for its privileges?"""
    is_it = kept & whose != 0 and column + row == axes[L.STRONGHOLD_PLACE]
    return is_it and seeds_at(word, column) >= L.STRONGHOLD_LEAST


@inlined
def lost(kept, place, whose, axes):
    """``kept`` after a pit has been emptied."""
    return kept & ~whose if place == axes[L.STRONGHOLD_PLACE] else kept


@inlined
def end_of(place, direction, row):
    """Which way captured seeds are sown: the one that the nearest end asks for, or on as before."""
    if place < row + CORNER:
        return np.int64(0)  # from the right end, counter-clockwise
    return np.int64(1) if place >= 2 * row - CORNER else direction


@inlined
def lowest(bits):
    """The place of the lowest bit of a number of at most 32 bits that is not 0."""
    alone = np.uint64(bits & -bits)
    return BIT_PLACES[(alone * np.uint64(BIT_ORDER) & np.uint64(0xFFFFFFFF)) >> np.uint64(27)]


@part
def sow_from(outer, inner, other, kept, player, place, direction, hand, kind, brings, axes, events):
    """Sow ``hand`` seeds after a place of the player's loop, and go on until the turn ends or has to be decided.

    Returns (outer, inner, other, kept, TURN_AGAIN, ENDLESS and CAPTURES as bits; which decision is due; and for it the
    place where the lap ended and the way it went).
    """
    row = axes[L.PITS] // 4
    half = 2 * row
    first_pit, opposite = player * half, (1 - player) * half
    lap = 1
    while True:
        before, step = first_pit + place, np.int64(1) if direction == 0 else half - 1
        for k in range(1, hand + 1):
            pit = first_pit + (place + k * step) % half
            emit(events, E.SOW, before, pit, 1, -1)
            before = pit
        while hand >= half:  # a whole round, and one seed as many pits further on
            outer += RUNS[np.uint64(((row * 2 * ROW) * 2 * ROW + row) * 2)]
            inner += RUNS[np.uint64(((row * 2 * ROW) * 2 * ROW + row) * 2)]
            hand -= half
        first = place + 1 if direction == 0 else place - hand + half
        place = place + hand if direction == 0 else first
        first = first - half if first >= half else first
        place = place - half if place >= half else place
        run = ((row * 2 * ROW + first) * 2 * ROW + hand) * 2
        outer += RUNS[np.uint64(run)]
        inner += RUNS[np.uint64(run + 1)]
        pit, column = first_pit + place, place - row if place >= row else place
        count = seeds_at(inner if place >= row else outer, column)
        emit(events, E.LAND, -1, pit, count, -1)
        across = row - 1 - column
        takes = place >= row and seeds_at(other, across) > 0 and count > 1
        if kind == OPEN:
            kind = CAPTURING if takes else PLAIN
        takes = takes and kind == CAPTURING
        done = np.int64(CAPTURES if kind == CAPTURING else 0)
        if count == 1:
            return outer, inner, other, kept, done, L.NOTHING_DUE, place, direction
        if lap == axes[L.LAP_LIMIT]:
            emit(events, E.LIMIT, -1, -1, lap, -1)
            return outer, inner, other, kept, done | ENDLESS, L.NOTHING_DUE, place, direction
        lap += 1
        if takes:
            direction = end_of(place, direction, row)
            other, kept, hand, place = enter(other, kept, row, place, direction, opposite + row + across, axes, events)
        else:
            if brings and place >= row and holds(inner, column, row, kept, OWN_KEPT, axes):
                if kind == PLAIN:
                    return outer, inner, other, kept, done, L.NOTHING_DUE, place, direction
                emit(events, E.CHOOSE, -1, pit, 0, -1)
                return outer, inner, other, kept, done | TURN_AGAIN, L.GO_ON, place, direction
            hand = count
            if place >= row:
                inner, kept = without(inner, column), lost(kept, place, OWN_KEPT, axes)
            else:
                outer = without(outer, column)
            emit(events, E.LIFT, pit, -1, hand, -1)


@part
def enter(other, kept, row, place, direction, pit, axes, events):
    """Take what lies across from a place, in ``pit``, to be sown one way from an end of the inner row.

    Returns (other, kept, seeds to be sown, the place after which they are).
    """
    across = 2 * row - 1 - place
    hand = seeds_at(other, across)
    other, kept = without(other, across), lost(kept, across + row, OTHER_KEPT, axes)
    emit(events, E.TAKE, pit, -1, hand, -1)
    return other, kept, hand, row - 1 if direction == 0 else np.int64(0)


@part
def play_from_ends(outer, inner, other, kept, player, place, direction, brings, axes, events):
    """Play a place one way round, with a seed of the reserve if it ``brings`` one. Returns what ``sow_from`` does."""
    row = axes[L.PITS] // 4
    pit = player * 2 * row + place
    column = place - row if place >= row else place
    kind, taxed = OPEN, False
    if brings:
        taxed = holds(inner, column, row, kept, OWN_KEPT, axes)
        inner += ONE << (np.uint64(column) * EIGHT)
        kind = PLAIN
        emit(events, E.BRING, -1, pit, 1, -1)
        across = row - 1 - column
        if seeds_at(other, across) > 0:
            direction = end_of(place, direction, row)
            other, kept, hand, place = enter(
                other, kept, row, place, direction, (1 - player) * 2 * row + row + across, axes, events
            )
            return sow_from(outer, inner, other, kept, player, place, direction, hand, CAPTURING, True, axes, events)
    if taxed:
        hand = np.int64(L.STRONGHOLD_TAX)
        inner -= np.uint64(hand) << (np.uint64(column) * EIGHT)
    elif place >= row:
        hand = seeds_at(inner, column)
        inner, kept = without(inner, column), lost(kept, place, OWN_KEPT, axes)
    else:
        hand = seeds_at(outer, column)
        outer = without(outer, column)
    emit(events, E.LIFT, pit, -1, hand, -1)
    return sow_from(outer, inner, other, kept, player, place, direction, hand, kind, brings, axes, events)


@inlined
def clear(position, axes):
    """Nothing is to be decided."""
    position[axes[L.PENDING] + L.DECISION] = L.NOTHING_DUE
    position[axes[L.PENDING] + L.LEFT] = 0
    position[axes[L.PENDING] + L.AT] = 0


@part
def write_turn(position, player, outer, inner, other, kept, done, due, place, direction, axes, tables):
    """Write to the position what a turn has come to. Returns what ``moves.move`` does."""
    row = axes[L.PITS] // 4
    first_pit = player * 2 * row
    write_row(position, first_pit, row, outer)
    write_row(position, first_pit + row, row, inner)
    write_row(position, (1 - player) * 2 * row + row, row, other)
    if axes[L.STRONGHOLD] != 0:
        position[axes[L.STRONGHOLD] + player] = kept & OWN_KEPT != 0
        position[axes[L.STRONGHOLD] + 1 - player] = kept & OTHER_KEPT != 0
    if axes[L.PENDING] != 0:
        clear(position, axes)
        if due != L.NOTHING_DUE:
            position[axes[L.PENDING] + L.DECISION] = due
            position[axes[L.PENDING] + L.LEFT] = direction
            position[axes[L.PENDING] + L.AT] = first_pit + place
    set_threat(position, player, done & CAPTURES != 0, axes)
    return done & TURN_AGAIN


@part
def go_on(position, player, axes, events):
    """Sow the stronghold where a lap has ended. Returns what ``sow_from`` does; the position is not modified."""
    row, at = axes[L.PITS] // 4, axes[L.PENDING]
    first_pit = player * 2 * row
    place, direction = np.int64(position[at + L.AT]) - first_pit, np.int64(position[at + L.LEFT])
    outer, inner = row_at(position, first_pit, row), row_at(position, first_pit + row, row)
    other, kept = row_at(position, (1 - player) * 2 * row + row, row), keeps(position, player, axes)
    hand = seeds_at(inner, place - row)
    inner, kept = without(inner, place - row), lost(kept, place, OWN_KEPT, axes)
    emit(events, E.LIFT, first_pit + place, -1, hand, -1)
    return sow_from(outer, inner, other, kept, player, place, direction, hand, CAPTURING, True, axes, events)


@part
def go_on_from_ends(position, player, axes, tables, events):
    """Play on from the stronghold; ``position`` is modified in place. Returns what ``moves.move`` does."""
    outer, inner, other, kept, done, due, place, went = go_on(position, player, axes, events)
    return write_turn(position, player, outer, inner, other, kept, done, due, place, went, axes, tables)


@part
def is_endless(position, player, axes):
    """Would a turn that goes on from the stronghold go on for ever?"""
    return go_on(position, player, axes, None)[4] & ENDLESS != 0


@inlined
def captured_first(outer, inner, other, place, direction, brings, axes):
    """The place on the opponent's inner row that is captured at once if the player plays this place; -1 for none."""
    row = axes[L.PITS] // 4
    half = 2 * row
    column = place - row if place >= row else place
    if brings:
        empty = place >= row and seeds_at(inner, column) == 0
        if place < row or direction != end_of(place, direction, row) or empty:
            return np.int64(-1)  # the nearest end asks for the other way
        return row - 1 - column if seeds_at(other, row - 1 - column) > 0 else np.int64(-1)
    seeds = seeds_at(inner if place >= row else outer, column)
    if seeds < 2 or seeds >= half:
        return np.int64(-1)
    last = place + seeds if direction == 0 else place - seeds + half
    last = last - half if last >= half else last
    if last < row or seeds_at(inner, last - row) == 0:
        return np.int64(-1)
    across = half - 1 - last
    return across if seeds_at(other, across) > 0 else np.int64(-1)


@part
def first_captures(outer, inner, other, brings, axes):
    """A bit for each action that captures at once, whether its turn ends or not: ``captured_first`` for all of them."""
    row = axes[L.PITS] // 4
    half = 2 * row
    bits, full, across = np.int64(0), np.int64(0), np.int64(0)
    for column in range(row):
        full |= np.int64(seeds_at(inner, column) > 0) << (row + column)
        across |= np.int64(seeds_at(other, row - 1 - column) > 0) << (row + column)
    across &= full
    if brings:
        right, left = ((1 << CORNER) - 1) << row, ((1 << CORNER) - 1) << (half - CORNER)
        return (across & ~left) | (across & ~right) << half
    for place in range(half):
        seeds = seeds_at(outer, place) if place < row else seeds_at(inner, place - row)
        up, down = place + seeds, place - seeds + half
        up = up - half if up >= half else up
        down = down - half if down >= half else down
        fits = np.int64(seeds >= 2) & np.int64(seeds < half)
        bits |= (fits & (across >> (up & 31))) << place
        bits |= (fits & (across >> (down & 31))) << (place + half)
    return bits


@part
def captures_at_once(position, player, brings, axes):
    """(the number of plays of ``player`` that capture at once, a place of the opponent's inner row that one of them
    captures, whether all capture that place)."""
    row = axes[L.PITS] // 4
    number, taken, same = 0, np.int64(-1), True
    outer, inner = row_at(position, player * 2 * row, row), row_at(position, player * 2 * row + row, row)
    other = row_at(position, (1 - player) * 2 * row + row, row)
    bits = first_captures(outer, inner, other, brings, axes)
    while bits != 0:
        action = lowest(bits)
        bits &= bits - 1
        place = action - 2 * row if action >= 2 * row else action
        across = captured_first(outer, inner, other, place, np.int64(action >= 2 * row), brings, axes)
        same = same and (number == 0 or across == taken)
        taken = across
        number += 1
    return number, taken, same


@inlined
def threat_on(position, player, axes):
    """The place of ``player`` that is under a threat; -1 for none."""
    if axes[L.THREAT] == 0 or position[axes[L.THREAT]] == 0:
        return np.int64(-1)
    pit, half = np.int64(position[axes[L.THREAT]]) - 1, axes[L.PITS] // 2
    return pit - player * half if player * half <= pit < (player + 1) * half else np.int64(-1)


@part
def write_captures(position, player, mask, outer, inner, other, kept, axes):
    """Write to ``mask`` the actions that capture at once and end, and return how many there are.

    A pit under a threat is not played; one that the player threatens is captured if it can be.
    """
    row = axes[L.PITS] // 4
    half, brings = 2 * row, in_hand(position, player, axes) > 0
    blocked, wanted = threat_on(position, player, axes), threat_on(position, 1 - player, axes) - row
    for action in range(2 * half):
        mask[action] = False
    bits = first_captures(outer, inner, other, brings, axes)
    if blocked >= 0:
        bits &= ~((1 << blocked) | (1 << (blocked + half)))
    legal, found = 0, np.int64(0)  # ``found``: a bit for each action that captures what is wanted
    while bits != 0:
        action = lowest(bits)
        bits &= bits - 1
        direction = np.int64(action >= half)
        place = action - half if action >= half else action
        done = play_from_ends(outer, inner, other, kept, player, place, direction, brings, axes, None)[4]
        if done & ENDLESS != 0:
            continue
        mask[action] = True
        legal += 1
        if wanted >= 0 and captured_first(outer, inner, other, place, direction, brings, axes) == wanted:
            found |= np.int64(1) << action
    if found == 0:
        return legal
    legal = 0
    for action in range(2 * half):
        mask[action] = (found >> action) & 1
        legal += mask[action]
    return legal


@part
def write_plain(position, player, mask, outer, inner, other, kept, axes):
    """Write to ``mask`` the actions of a player who can capture nothing, and return how many there are."""
    row = axes[L.PITS] // 4
    half, brings = 2 * row, in_hand(position, player, axes) > 0
    blocked = threat_on(position, player, axes)
    occupied, several, unprivileged = 0, 0, 0  # pits of the inner row: with seeds, with several, without privileges
    for column in range(row):
        seeds = seeds_at(inner, column)
        occupied += seeds > 0
        several += seeds > 1
        unprivileged += seeds > 0 and not holds(inner, column, row, kept, OWN_KEPT, axes)
    legal = 0
    for direction in range(2):
        for place in range(half):
            is_inner = place >= row
            seeds = seeds_at(inner, place - row) if is_inner else seeds_at(outer, place)
            if brings:
                may = is_inner and seeds > (0 if kept & OWN_KEPT != 0 or several == 0 else 1)
                may = may and not (unprivileged > 0 and holds(inner, place - row, row, kept, OWN_KEPT, axes))
            else:
                may = seeds > 1 and is_inner == (several > 0) and place != blocked
            if is_inner and occupied == 1 and place == (row if direction == 1 else half - 1):
                may = False  # the only pit of that row is not sown round the corner at once
            if may:
                done = play_from_ends(
                    outer, inner, other, kept, player, place, np.int64(direction), brings, axes, None
                )[4]
                may = done & ENDLESS == 0
            mask[place + direction * half] = may
            legal += may
    return legal


@part
def inner_seeds(position, player, axes):
    """Seeds in the player's inner row."""
    row = axes[L.PITS] // 4
    return seeds_in(row_at(position, player * 2 * row + row, row))


@part
def set_threat(position, player, captured, axes):
    """After a turn of ``player``: forget a threat of that player, or write one that a turn without a capture has made.

    That is a pit of the opponent, the only one that the player could capture at once, if the opponent can capture
    nothing and has other pits to play: another one with seeds in the inner row, and another one there with several. A
    stronghold is never under a threat.
    """
    if axes[L.THREAT] == 0:
        return
    row, opponent = axes[L.PITS] // 4, 1 - player
    if threat_on(position, opponent, axes) >= 0:
        position[axes[L.THREAT]] = 0
    if captured or in_hand(position, player, axes) > 0 or in_hand(position, opponent, axes) > 0:
        return
    if captures_at_once(position, opponent, False, axes)[0] > 0:
        return
    number, aim, same = captures_at_once(position, player, False, axes)
    if number == 0 or not same:
        return
    theirs = row_at(position, opponent * 2 * row + row, row)
    if holds(theirs, aim, row, keeps(position, player, axes), OTHER_KEPT, axes):
        return
    several = 0
    for column in range(row):
        several += column != aim and seeds_at(theirs, column) > 1
    if several > 0:
        position[axes[L.THREAT]] = opponent * 2 * row + row + aim + 1


@part
def move_from_ends(position, player, pit, direction, axes, tables, events):
    """``moves.move`` in these games: play a pit one way round."""
    row = axes[L.PITS] // 4
    first_pit, brings = player * 2 * row, in_hand(position, player, axes) > 0
    if brings:
        position[axes[L.HANDS] + player] -= 1
    outer, inner = row_at(position, first_pit, row), row_at(position, first_pit + row, row)
    other = row_at(position, (1 - player) * 2 * row + row, row)
    outer, inner, other, kept, done, due, place, went = play_from_ends(
        outer, inner, other, keeps(position, player, axes), player, pit - first_pit, direction, brings, axes, events
    )
    return write_turn(position, player, outer, inner, other, kept, done, due, place, went, axes, tables)


@part
def legal_from_ends(position, player, mask, axes, tables):
    """Write the legal mask and return (legal actions, seeds in the own inner row, in the opponent's)."""
    row = axes[L.PITS] // 4
    first_pit = player * 2 * row
    outer, inner = row_at(position, first_pit, row), row_at(position, first_pit + row, row)
    other = row_at(position, (1 - player) * 2 * row + row, row)
    kept = keeps(position, player, axes)
    legal = write_captures(position, player, mask, outer, inner, other, kept, axes)
    if legal == 0:
        legal = write_plain(position, player, mask, outer, inner, other, kept, axes)
    return np.int64(legal), seeds_in(inner), seeds_in(other)
