"""Moves that would take everything the opponent has, found and struck from the legal ones.

What such a capture does when it is played stands in ``landing.capture``. Arguments are those of ``engine``.
"""

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import copy_of
from mancala_env.kernels.board import owner_of, pit_of, side
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.landing import WAS_SLAM
from mancala_env.kernels.moves import move_apart


@inlined
def left_to(position, player, axes, tables):
    """Seeds on a player's side; where every move must leave the opponent one, only those in pits that can be played."""
    if axes[L.FEEDING] == L.FEED_LEAVE_MOVE:
        seeds = np.int64(0)
        for pit in range(axes[L.PITS]):
            if position[pit] >= axes[L.MIN_START] and owner_of(position, pit, axes, tables) == player:
                seeds += np.int64(position[pit])
        return seeds
    return side(position, player, axes, tables)


@part
def takes_all(position, player, action, axes, tables):
    """Would this be a grand slam (or leave the opponent nothing, where that must be avoided)? Played on a copy."""
    trial = copy_of(position)
    outcome = move_apart(trial, player, action, axes, tables)
    left = left_to(trial, 1 - player, axes, tables)
    return left == 0 if axes[L.FEEDING] >= L.FEED_ALWAYS else outcome & WAS_SLAM != 0


@inlined
def slam_ends(position, player, axes):
    """For a table of one chain: where a lap of less than a round must end to be a grand slam.

    Such a lap drops one seed in every pit of the opponent up to its end. So it takes everything if the chain runs all
    the way back, that is if each of these pits holds one seed less than a count that is taken, and if no seed of the
    opponent lies further on. Returns a set of the opponent's pits, bit j for the j-th from the opponent's left, and the
    seeds in the fullest of them.
    """
    actions = axes[L.ACTIONS]
    full, taken, most = 0, 0, 0
    for j in range(actions):
        count = np.int64(position[(1 - player) * actions + j])
        most = max(most, count)
        full |= np.int64(count > 0) << j
        taken |= ((axes[L.LANDING + L.CHAIN_COUNTS] >> min(count + 1, L.TOP_COUNT)) & 1) << j
    chained = taken & ~(taken + 1)  # the run from the left
    ends = 0 if full & ~chained else chained >> (axes[L.SLAM_MIN_PITS] - 1) << (axes[L.SLAM_MIN_PITS] - 1)
    for _ in range(actions - 1):  # not before the last seed
        full >>= 1
        ends &= ~full
    return ends, most


@inlined
def is_slam(position, player, k, seeds, ends, axes, tables):
    """Does action ``k``, of a pit with ``seeds``, take all the opponent has? ``ends`` comes from ``slam_ends``."""
    theirs = axes[L.ACTIONS]
    if not axes[L.ONE_CHAIN] or not axes[L.PLAIN]:
        return takes_all(position, player, k, axes, tables)
    if seeds < axes[L.LOOP]:
        end = k + seeds - theirs
        return 0 <= end < theirs and (ends >> end) & 1 != 0
    # After a round every pit of the opponent has seeds: all are taken, so the last seed falls in the last of them.
    period = axes[L.LOOP] - axes[L.SKIP_ORIGIN]
    rounds, rest = seeds // period, seeds % period
    if k + (rest if rest > 0 else period) != 2 * theirs - 1:
        return False
    for j in range(theirs):
        count = np.int64(position[(1 - player) * theirs + j]) + rounds + (1 if theirs + j - k <= rest else 0)
        if not (axes[L.LANDING + L.CHAIN_COUNTS] >> min(count, L.TOP_COUNT)) & 1:
            return False
    return True


@part
def mask_out_slams(position, player, mask, legal, ends, axes, tables):
    """Strike grand slams from ``mask``, but not all moves unless that is the rule; returns how many were struck."""
    actions = axes[L.ACTIONS]
    slams = 0
    struck = 0  # a bit for each action
    for k in range(actions):
        seeds = np.int64(position[pit_of(player, k, axes, tables)])
        if mask[k] and is_slam(position, player, k, seeds, ends, axes, tables):
            slams += 1
            struck |= 1 << k
    if slams == 0 or (slams == legal and axes[L.FEEDING] < L.FEED_MUST_LEAVE):
        return 0
    for k in range(actions):
        mask[k] = mask[k] and not (struck >> k) & 1
    return slams


@inlined
def avoid_slams(position, player, mask, legal, most, axes, tables):
    """``mask_out_slams`` where there may be one. ``most``: seeds in the fullest pit of ``player``."""
    ends = np.int64(0)
    if axes[L.ONE_CHAIN]:
        fullest = np.int64(0)
        if axes[L.PLAIN]:
            ends, fullest = slam_ends(position, player, axes)
        else:
            for pit in range(axes[L.PITS]):
                if owner_of(position, pit, axes, tables) != player:
                    fullest = max(fullest, np.int64(position[pit]))
        if most < axes[L.LOOP] and (fullest > axes[L.SLAM_MOST] or (axes[L.PLAIN] and ends == 0)):
            return 0
    return mask_out_slams(position, player, mask, legal, ends, axes, tables)
