"""Scores at the end of a game, and a margin before it. Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of
from mancala_env.kernels.bao import inner_seeds
from mancala_env.kernels.board import owner_of, pit_of, side
from mancala_env.kernels.jit import inlined, njit
from mancala_env.kernels.sowing import reap_target

WIN = 10_000  # of a game that is not about seeds: more than any margin


@inlined
def collected(position, player, axes, tables):
    """Seeds that a player collects at the end: in pits with the own mark, and in own pits with none that lasts."""
    if axes[L.MARKS] == 0 or axes[L.MARKS_GO] != 0:
        return side(position, player, axes, tables)
    seeds = 0
    for pit in range(axes[L.PITS]):
        mark = np.int64(position[axes[L.MARKS] + pit])
        if mark == player or (mark < 0 and owner_of(position, pit, axes, tables) == player):
            seeds += np.int64(position[pit])
    return seeds


@inlined
def game_scores(position, axes, tables):
    """Twice the scores of a finished game, (South, North): stores and what each collects at the end, which may be
    halved. Of games that are not about seeds the winner gets twice all seeds; nobody gets anything in a draw."""
    pits = axes[L.PITS]
    over, mover = position[pits + L.OVER], position[pits + L.MOVER]
    south_side = collected(position, np.int64(0), axes, tables)
    north_side = collected(position, np.int64(1), axes, tables)
    if axes[L.GOAL] != L.GOAL_SEEDS:
        prize = 2 * axes[L.TOTAL_SEEDS]
        if axes[L.GOAL] >= L.SOLITAIRES:
            is_won = over == L.CLEARED or over == L.STANDSTILL
            return prize * is_won, prize * (not is_won)
        if axes[L.GOAL] == L.GOAL_INNER_ROW:
            south_side, north_side = inner_seeds(position, np.int64(0), axes), inner_seeds(position, np.int64(1), axes)
        if axes[L.GOAL] == L.GOAL_EMPTY_BLOCK:
            return prize * (south_side == 0 and north_side > 0), prize * (north_side == 0 and south_side > 0)
        if axes[L.GOAL] >= L.GOAL_OUTLAST and (south_side == 0 or north_side == 0):
            return prize * (north_side == 0 and south_side > 0), prize * (south_side == 0 and north_side > 0)
        safe = axes[L.SAFE_SEEDS] != 0 and position[pits + L.STORES + mover] >= axes[L.SAFE_SEEDS]
        stuck = over == axes[L.END_REASON] and not safe and not (axes[L.GOAL] >= L.GOAL_OUTLAST and axes[L.PASSES])
        return prize * (stuck and mover == 1), prize * (stuck and mover == 0)
    south, north = 2 * np.int64(position[pits + L.STORES]), 2 * np.int64(position[pits + L.STORES + 1])
    if axes[L.DEBT] != 0:
        south, north = south - 2 * np.int64(position[axes[L.DEBT]]), north + 2 * np.int64(position[axes[L.DEBT]])
    board = south_side + north_side
    if over == L.GRAND_SLAM:  # everything left goes to the victim, who is to move
        return (south + 2 * board, north) if mover == 0 else (south, north + 2 * board)
    if over == L.REPETITION and axes[L.REPEAT_SPLITS]:
        return south + board, north + board
    if over == L.MAJORITY or over == L.TARGET_REACHED or axes[L.LEFTOVER] == L.LEFT_NOBODY:
        return south, north
    if axes[L.LEFTOVER] == L.LEFT_LAST_MOVER:
        return (south + 2 * board, north) if mover == 1 else (south, north + 2 * board)
    if axes[L.LEFTOVER] == L.LEFT_HALVED:
        return south + board, north + board
    if axes[L.LEFTOVER] == L.LEFT_EMPTIER and (south_side == 0 or north_side == 0):
        return (south + 2 * board, north) if south_side == 0 else (south, north + 2 * board)
    return south + 2 * south_side, north + 2 * north_side


@inlined
def final_scores(position, axes, tables):
    """Twice the scores of a game (``game_scores``) or match that has ended (pits owned, tallies, or all seeds), and who
    has won: above 0 South, below 0 North, 0 nobody. Where both own as many pits the last game decides."""
    if axes[L.MATCH] == 0:
        south, north = game_scores(position, axes, tables)
        below = axes[L.TARGET_SEEDS] != 0 and max(south, north) < 2 * axes[L.TARGET_SEEDS]
        return south, north, np.int64(0) if below else south - north
    at = axes[L.MATCH]
    south, north = np.int64(position[at + L.TALLY]), np.int64(position[at + L.TALLY + 1])
    last_south, last_north = np.int64(position[at + L.LAST]), np.int64(position[at + L.LAST + 1])
    if axes[L.MATCH_KIND] == L.MATCH_TERRITORY:
        return 2 * south, 2 * north, south - north if south != north else last_south - last_north
    if axes[L.MATCH_KIND] == L.MATCH_REFILL:
        south, north = 2 * south + last_south, 2 * north + last_north
    return south, north, south - north


@inlined
def margin(position, axes, tables):
    """Twice South's lead: seeds in the stores, or at the end in the final scores; games not about seeds are worth
    ``WIN`` to the winner. Before their end a heuristic counts seeds where the last mover wins (Hus), those of the
    opponent's block (Diffusion), legal moves (Reaping), or the store of a solitaire."""
    pits, goal = axes[L.PITS], axes[L.GOAL]
    if position[pits + L.OVER] != 0:
        south, north = game_scores(position, axes, tables)
        if axes[L.TARGET_SEEDS] != 0 and max(south, north) < 2 * axes[L.TARGET_SEEDS]:
            return np.int64(0)
        return south - north if goal == L.GOAL_SEEDS else 2 * WIN * np.int64(np.sign(south - north))
    if goal == L.GOAL_SEEDS:
        owed = np.int64(position[axes[L.DEBT]]) if axes[L.DEBT] != 0 else np.int64(0)
        return 2 * (np.int64(position[pits + L.STORES]) - np.int64(position[pits + L.STORES + 1]) - 2 * owed)
    if goal >= L.SOLITAIRES:
        return 2 * np.int64(position[pits + L.STORES])
    if axes[L.SOWING] == L.SOW_REAPING:
        lead = 0
        for k in range(axes[L.ACTIONS]):
            lead += reap_target(position, np.int64(0), pit_of(np.int64(0), k, axes, tables), axes) >= 0
            lead -= reap_target(position, np.int64(1), pit_of(np.int64(1), k, axes, tables), axes) >= 0
        return 2 * lead
    lead = side(position, np.int64(0), axes, tables) - side(position, np.int64(1), axes, tables)
    return 2 * lead if goal != L.GOAL_EMPTY_BLOCK else -2 * lead


@njit
def result(position, rules):
    """``final_scores`` of what has ended, to be called from Python."""
    axes, tables, _ = arrays_of(rules)
    return final_scores(position, axes, tables)
