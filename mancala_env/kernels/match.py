"""Matches: how the result of a game changes the tallies, and how the next game is set up."""

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.jit import inlined, part


@inlined
def conquest(south, north, axes):
    """What the winner of a territory match's game has won: (whole pits more than one half, seeds over, r). The winner
    fills pits with START_SEEDS each, the own half first. The r seeds and the loser's rest meet in one pit, which
    belongs to whoever has more of it; to the loser, on whose side it lies, if both have as many."""
    surplus = max(np.int64(0), max(south, north) // 2 - axes[L.START_SEEDS] * (axes[L.PITS] // 2))
    return surplus // axes[L.START_SEEDS], surplus % axes[L.START_SEEDS]


@inlined
def book(position, south, north, axes):
    """Add the doubled final scores of a game to the tallies of the match, in place. Returns whether that decides it: a
    player has reached the target, or has too few seeds to lay out another round."""
    at, kind, half = axes[L.MATCH], axes[L.MATCH_KIND], axes[L.PITS] // 2
    position[at + L.LAST] = south
    position[at + L.LAST + 1] = north
    position[at + L.LAST_OVER] = position[axes[L.PITS] + L.OVER]
    if kind == L.MATCH_REFILL:  # the reserve changes when the next round is laid out
        south, north = 2 * np.int64(position[at + L.TALLY]) + south, 2 * np.int64(position[at + L.TALLY + 1]) + north
        return min(south, north) < 2 * (half if axes[L.UNFILLED] == L.UNFILLED_THINNED else axes[L.START_SEEDS])
    for player in range(2):
        own, other = (south, north) if player == 0 else (north, south)
        points = own if kind == L.MATCH_POINTS else max(own - other, np.int64(0))
        if kind == L.MATCH_WINS:
            points = 2 * np.int64(own > other) + axes[L.DRAW_POINTS] * np.int64(own == other)
        position[at + L.TALLY + player] += points
    if kind == L.MATCH_TERRITORY:
        whole, rest = conquest(south, north, axes)
        extra = min(half, whole + (2 * rest > axes[L.START_SEEDS]))
        position[at + L.TALLY] = half + extra if south > north else half - extra
        position[at + L.TALLY + 1] = 2 * half - position[at + L.TALLY]
    if kind == L.MATCH_DIFFERENCE and axes[L.SIGNED]:
        both = min(np.int64(position[at + L.TALLY]), np.int64(position[at + L.TALLY + 1]))
        position[at + L.TALLY] -= both
        position[at + L.TALLY + 1] -= both
    return max(position[at + L.TALLY], position[at + L.TALLY + 1]) >= axes[L.TARGET]


@inlined
def lay_territory(position, south, north, axes):
    """Deal out the pits after a game of a territory match; seeds left over go where KEEPS says."""
    half = axes[L.PITS] // 2
    seeds = axes[L.START_SEEDS]
    winner = 0 if south >= north else 1
    whole, rest = conquest(south, north, axes)
    extra = whole + (2 * rest > seeds)
    camp = half if winner == 0 else 0  # the loser's own half begins here
    for pit in range(2 * half):
        conquered = camp <= pit < camp + extra
        position[axes[L.OWNERS] + pit] = winner if conquered or not camp <= pit < camp + half else 1 - winner
    if axes[L.KEEPS] and rest > 0:  # the pit on the border holds the seeds of one of them, if one has more of its seeds
        stores, other = axes[L.PITS] + L.STORES, seeds - rest
        position[camp + whole] = max(rest, other) if rest != other else 0
        position[stores + winner] = rest if rest <= other else 0
        position[stores + 1 - winner] = other if rest >= other else 0


@inlined
def lay_refill(position, south, north, axes):
    """Players lay out their reserves and half of their doubled scores; ``position`` says who begins. THINNED: the
    poorer one lays all out, one at a time from the own right, and the richer as many. Else each fills the own pits;
    those that lack seeds are closed, or seeds are borrowed; the rest is the reserve, below 0 owed."""
    at, rule = axes[L.MATCH], axes[L.UNFILLED]
    full, half = axes[L.START_SEEDS], axes[L.PITS] // 2
    south = np.int64(position[at + L.TALLY]) + south // 2
    north = np.int64(position[at + L.TALLY + 1]) + north // 2
    for player in range(2):
        seeds, poorer = south if player == 0 else north, min(south, north)
        laid = poorer if rule == L.UNFILLED_THINNED else axes[L.TOTAL_SEEDS] // 2
        if rule == L.UNFILLED_THINNED:
            for place in range(half):
                position[player * half + place] = laid // half + (half - 1 - place < laid % half)
        elif rule != L.UNFILLED_BORROWED:
            filled = min((poorer if rule == L.UNFILLED_COLUMNS else seeds) // full, half)
            laid, left = filled * full, half - filled  # pits that are closed at the left end
            if rule == L.UNFILLED_RIGHT or (rule == L.UNFILLED_COLUMNS and position[at + L.FIRST] == player):
                left = np.int64(0)
            elif rule == L.UNFILLED_OUTSIDE:
                left = (left + 1) // 2
            for place in range(half):
                closed = not left <= place < left + filled
                position[axes[L.CLOSED] + player * half + place] = closed
                if closed:
                    position[player * half + place] = 0
        position[at + L.TALLY + player] = seeds - laid


@part
def next_game(position, south, north, axes, tables):
    """A game of a match has ended with these doubled scores: add it to the match, and set up the next. Returns False if
    the match is over; then ``position`` says why, and pits and stores stand as the last game left them."""
    pits, at = axes[L.PITS], axes[L.MATCH]
    over = book(position, south, north, axes)
    if over or position[at + L.GAME] >= axes[L.MAX_GAMES]:
        last = L.ROUNDS_PLAYED if axes[L.MATCH_KIND] == L.MATCH_REFILL else L.GAMES_PLAYED
        position[pits + L.OVER] = L.MATCH_TARGET if over else last
        return False
    first = np.int64(position[at + L.FIRST])
    rule = axes[L.FIRST_MOVER]
    if rule == L.FIRST_SOUTH:
        first = np.int64(0)
    elif rule == L.FIRST_ALTERNATES:
        first = 1 - first
    elif south != north:
        winner = 0 if south > north else 1
        first = winner if rule == L.FIRST_WINNER else 1 - winner
    position[at + L.GAME] += 1
    position[at + L.FIRST] = first
    position[pits + L.MOVER] = first
    for field in (L.PLY, L.PLIES_SINCE_CAPTURE, L.OVER, L.STORES, L.STORES + 1):
        position[pits + field] = 0
    if axes[L.REMOVED] != 0:
        position[axes[L.REMOVED]] = 0
    for pit in range(pits):
        position[pit] = tables[0, L.SETUP + pit]
        if axes[L.MARKS] != 0:
            position[axes[L.MARKS] + pit] = -1
    if axes[L.CHOSEN] != 0:
        position[axes[L.CHOSEN]] = position[axes[L.CHOSEN] + 1] = -1
    if axes[L.DEBT] != 0:
        position[axes[L.DEBT]] = 0
    if axes[L.MATCH_KIND] == L.MATCH_TERRITORY:
        lay_territory(position, south, north, axes)
    elif axes[L.MATCH_KIND] == L.MATCH_REFILL:
        lay_refill(position, south, north, axes)
    return True
