"""Compiled tree walks over the rules engine: alpha-beta and perft.

Both walk the tree on an explicit stack: ``rows``, ``masks`` and the like hold one entry a level, and ``history`` the
hashes along the line, so that repetitions inside the tree are seen. (A compiled function that calls itself cannot be
loaded from Numba's cache.)
"""

from pathlib import Path

import numpy as np

from mancala_env.kernels.compile import KERNELS, compiler
from mancala_env.kernels.elsewhere import granary
from mancala_env.kernels.engine import play
from mancala_env.kernels.layout import (
    ACTIONS,
    GOAL,
    GOAL_LAST_MOVER,
    GOAL_SEEDS,
    MOVER,
    OVER,
    PITS,
    PLAIN,
    SOW_REAPING,
    SOWING,
    STORES,
)
from mancala_env.kernels.scores import game_scores, pit_of, side

njit = compiler(KERNELS, Path(__file__).parent)
inlined = compiler(KERNELS, Path(__file__).parent, inline=True)

INFINITY = 1 << 30
WIN = 10_000  # of a game that is not about seeds: more than any margin


@inlined
def liberty(row, player, axes, tables):
    """How many pits a player may reap."""
    pits = 0
    for k in range(axes[ACTIONS]):
        pits += granary(row, player, pit_of(player, k, axes[ACTIONS], False, tables), axes) >= 0
    return pits


@inlined
def margin(row, axes, tables):
    """Twice what South is ahead: seeds in the stores, or at the end in the final scores.

    Games that are not about seeds are worth ``WIN`` to the winner (in a search, less the plies it takes); before the
    end, what is ahead is: own seeds in the way of Hus, seeds in the enemy's block less those in the own in Diffusion,
    own less the other's legal moves in Reaping.
    """
    pits = axes[PITS]
    goal = axes[GOAL]
    if row[pits + OVER] != 0:
        south, north = game_scores(row, axes, tables)
        return south - north if goal == GOAL_SEEDS else 2 * WIN * np.int64(np.sign(south - north))
    if goal == GOAL_SEEDS:
        return 2 * (np.int64(row[pits + STORES]) - np.int64(row[pits + STORES + 1]))
    if axes[SOWING] == SOW_REAPING:
        return 2 * (liberty(row, 0, axes, tables) - liberty(row, 1, axes, tables))
    plain = axes[PLAIN] != 0
    south = side(row, 0, axes[ACTIONS], plain, axes, tables)
    north = side(row, 1, axes[ACTIONS], plain, axes, tables)
    return 2 * (south - north) if goal == GOAL_LAST_MOVER else 2 * (north - south)


@inlined
def descend(level, action, rows, masks, history, starts, axes, tables, dead):
    """Play ``action`` from the position of ``level`` into that of the next level."""
    for field in range(rows.shape[1]):
        rows[level + 1, field] = rows[level, field]
    starts[level + 1] = play(
        rows[level + 1], action, masks[level + 1], history, starts[level], rows[:0],
        axes[ACTIONS], axes[PITS], axes[PLAIN] != 0, axes, tables, dead,
    )  # fmt: skip


@njit
def alphabeta(depth, alpha, beta, rows, masks, history, starts, next_action, alphas, betas, bests, axes, tables, dead):
    """The value of ``rows[0]`` for its mover, ``depth`` plies deep, by alpha-beta (fail-soft).

    A turn that is not handed over keeps the sign; the window turns round only where the mover changes.

    Parameters
    ----------
    depth : int
        Plies; 0 evaluates the position itself.
    alpha, beta : int
        Window, in half seeds.
    rows : int16[D + 1, W], masks : bool[D + 1, A], starts, next_action, alphas, betas, bests : int64[D + 1]
        The stack, for D >= depth; the first entries of rows, masks and starts are the position searched.
    history : uint64[H]
        Hashes since the last capture; ``depth + 2`` entries of room behind them.

    Returns
    -------
    value : int
        The mover's margin in half seeds.
    nodes : int
        Positions visited.
    """
    actions = masks.shape[1]
    mover = axes[PITS] + MOVER
    over = axes[PITS] + OVER
    level = 0
    nodes = 1
    alphas[0], betas[0], bests[0], next_action[0] = alpha, beta, -INFINITY, 0
    entering = True
    value = 0
    while True:
        row = rows[level]
        if entering and (level == depth or row[over] != 0):
            value = margin(row, axes, tables)
            if row[over] != 0 and axes[GOAL] != GOAL_SEEDS:  # the sooner won and the later lost, the better
                value -= 2 * level * np.int64(np.sign(value))
            bests[level] = value if row[mover] == 0 else -value
            next_action[level] = actions
        entering = False
        action = next_action[level]
        while action < actions and not masks[level, action]:
            action += 1
        if action < actions and bests[level] < betas[level]:
            next_action[level] = action + 1
            descend(level, action, rows, masks, history, starts, axes, tables, dead)
            low = max(alphas[level], bests[level])
            if rows[level + 1, mover] == row[mover]:
                alphas[level + 1], betas[level + 1] = low, betas[level]
            else:
                alphas[level + 1], betas[level + 1] = -betas[level], -low
            level += 1
            bests[level], next_action[level] = -INFINITY, 0
            nodes += 1
            entering = True
            continue
        value = bests[level]
        if level == 0:
            return value, nodes
        if row[mover] != rows[level - 1, mover]:
            value = -value
        level -= 1
        bests[level] = max(bests[level], value)


@njit
def count_lines(depth, rows, masks, history, starts, next_action, axes, tables, dead):
    """Perft: how many sequences of exactly ``depth`` legal moves start at ``rows[0]``. Arguments as ``alphabeta``.

    A line that ends earlier does not count.
    """
    actions = masks.shape[1]
    level = 0
    lines = 0
    next_action[0] = 0
    while level >= 0:
        if level == depth - 1:
            for action in range(actions):
                lines += masks[level, action]
            level -= 1
            continue
        action = next_action[level]
        while action < actions and not masks[level, action]:
            action += 1
        if action == actions:
            level -= 1
            continue
        next_action[level] = action + 1
        descend(level, action, rows, masks, history, starts, axes, tables, dead)
        level += 1
        next_action[level] = 0
    return lines
