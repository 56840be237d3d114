"""Matches: how the result of a game changes the tallies, and how the next game is set up."""

import numpy as np

from mancala_env.kernels.jit import inlined, njit
from mancala_env.kernels.layout import (
    DRAW_POINTS,
    FIRST,
    FIRST_ALTERNATES,
    FIRST_MOVER,
    FIRST_SOUTH,
    FIRST_WINNER,
    GAME,
    GAMES_REASON,
    KEEPS,
    LAST,
    LAST_OVER,
    MARKS,
    MATCH,
    MATCH_KIND,
    MATCH_REFILL,
    MATCH_TARGET,
    MATCH_TERRITORY,
    MATCH_WINS,
    MAX_GAMES,
    MOVER,
    OVER,
    OWNERS,
    PITS,
    PLIES_SINCE_CAPTURE,
    PLY,
    REMOVED,
    SETUP,
    SIGNED,
    START_SEEDS,
    STORES,
    TALLY,
    TARGET,
)


@inlined
def conquest(south, north, axes):
    """What doubled final scores win in a territory match: (pits more than one half for the winner, the remainder).

    The winner fills pits with START_SEEDS each, the own half first. The rest of r seeds and the loser's rest meet in
    one pit, which belongs to whoever has more of it; to the loser, on whose side it lies, if both have as many.
    Returns whole pits won and r.
    """
    surplus = max(np.int64(0), max(south, north) // 2 - axes[START_SEEDS] * (axes[PITS] // 2))
    return surplus // axes[START_SEEDS], surplus % axes[START_SEEDS]


@inlined
def decided(row, axes):
    """Has a player reached the target, or in a refill match too few seeds to go on, after a game has been added?"""
    at = axes[MATCH]
    south, north = np.int64(row[at + TALLY]), np.int64(row[at + TALLY + 1])
    if axes[MATCH_KIND] == MATCH_REFILL:
        south, north = 2 * south + np.int64(row[at + LAST]), 2 * north + np.int64(row[at + LAST + 1])
        return min(south, north) < 2 * (axes[PITS] // 2)
    return max(south, north) >= axes[TARGET]


@inlined
def book(row, south, north, axes):
    """Add the doubled final scores of a game to the tallies of the match; ``row`` is modified in place."""
    at = axes[MATCH]
    kind = axes[MATCH_KIND]
    half = axes[PITS] // 2
    row[at + LAST] = south
    row[at + LAST + 1] = north
    row[at + LAST_OVER] = row[axes[PITS] + OVER]
    tallies = np.int64(row[at + TALLY]), np.int64(row[at + TALLY + 1])
    if kind == MATCH_REFILL:  # the reserve changes when the next round is laid out
        return
    if kind == MATCH_TERRITORY:
        whole, rest = conquest(south, north, axes)
        extra = min(half, whole + (2 * rest > axes[START_SEEDS]))
        mine = half + extra if south > north else half - extra
        row[at + TALLY] = mine
        row[at + TALLY + 1] = 2 * half - mine
    elif kind == MATCH_WINS:
        row[at + TALLY] += 2 if south > north else axes[DRAW_POINTS] if south == north else 0
        row[at + TALLY + 1] += 2 if south < north else axes[DRAW_POINTS] if south == north else 0
    elif axes[SIGNED]:
        running = tallies[0] - tallies[1] + south - north
        row[at + TALLY] = max(running, np.int64(0))
        row[at + TALLY + 1] = max(-running, np.int64(0))
    else:
        row[at + TALLY] += max(south - north, np.int64(0))
        row[at + TALLY + 1] += max(north - south, np.int64(0))


@inlined
def lay_territory(row, south, north, axes):
    """Deal out the pits after a game of a territory match; seeds left over go where KEEPS says."""
    half = axes[PITS] // 2
    seeds = axes[START_SEEDS]
    winner = 0 if south >= north else 1
    whole, rest = conquest(south, north, axes)
    extra = whole + (2 * rest > seeds)
    camp = half if winner == 0 else 0  # the loser's own half begins here
    for pit in range(2 * half):
        conquered = camp <= pit < camp + extra
        row[axes[OWNERS] + pit] = winner if conquered or not camp <= pit < camp + half else 1 - winner
    if axes[KEEPS] and rest > 0:
        shared = camp + whole
        stores = axes[PITS] + STORES
        if 2 * rest > seeds:
            row[shared] = rest
            row[stores + 1 - winner] = seeds - rest
        elif 2 * rest < seeds:
            row[shared] = seeds - rest
            row[stores + winner] = rest
        else:
            row[shared] = 0
            row[stores] = rest
            row[stores + 1] = rest


@inlined
def lay_refill(row, south, north, axes):
    """The poorer player lays all seeds out, one at a time from the own right, and the richer as many; the rest stays in
    reserve."""
    at = axes[MATCH]
    half = axes[PITS] // 2
    south = np.int64(row[at + TALLY]) + south // 2
    north = np.int64(row[at + TALLY + 1]) + north // 2
    laid = min(south, north)
    for pit in range(half):
        seeds = laid // half + (half - 1 - pit < laid % half)
        row[pit] = seeds
        row[half + pit] = seeds
    row[at + TALLY] = south - laid
    row[at + TALLY + 1] = north - laid


@inlined
def next_game(row, south, north, axes, tables):
    """A game of a match has ended with these doubled scores: add it to the match, and set up the next.

    ``row`` is modified in place. Returns False if the match is over; then ``row`` says why, and pits and stores stand
    as the last game left them.
    """
    pits = axes[PITS]
    at = axes[MATCH]
    book(row, south, north, axes)
    over = decided(row, axes)
    if over or row[at + GAME] >= axes[MAX_GAMES]:
        row[pits + OVER] = MATCH_TARGET if over else axes[GAMES_REASON]
        return False
    first = np.int64(row[at + FIRST])
    rule = axes[FIRST_MOVER]
    if rule == FIRST_SOUTH:
        first = np.int64(0)
    elif rule == FIRST_ALTERNATES:
        first = 1 - first
    elif south != north:
        winner = 0 if south > north else 1
        first = winner if rule == FIRST_WINNER else 1 - winner
    row[at + GAME] += 1
    row[at + FIRST] = first
    row[pits + MOVER] = first
    for field in (PLY, PLIES_SINCE_CAPTURE, OVER, STORES, STORES + 1):
        row[pits + field] = 0
    if axes[REMOVED] != 0:
        row[axes[REMOVED]] = 0
    for pit in range(pits):
        row[pit] = tables[0, SETUP + pit]
        if axes[MARKS] != 0:
            row[axes[MARKS] + pit] = -1
    if axes[MATCH_KIND] == MATCH_TERRITORY:
        lay_territory(row, south, north, axes)
    elif axes[MATCH_KIND] == MATCH_REFILL:
        lay_refill(row, south, north, axes)
    return True


@njit
def end_game(row, south, north, any_size, any_rules, axes, tables, dead):
    """``next_game``, to be called from Python."""
    return next_game(row, south, north, axes, tables)


@njit
def is_decided(row, axes):
    """``decided``, to be called from Python."""
    return decided(row, axes)
