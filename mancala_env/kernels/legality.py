"""Legal actions. Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import copy_of
from mancala_env.kernels.bao import legal_bao
from mancala_env.kernels.board import direction_of, holds, lay_out, mask_out, may_go, owner_of, pit_of, side
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.landing import WAS_SLAM
from mancala_env.kernels.moves import captures_reversed, left_behind, move, write_choices
from mancala_env.kernels.sowing import reap_target, sow


@inlined
def legal_actions(position, player, mask, axes, tables):
    """Write the legal mask of ``player`` and return (legal actions, seeds on the own side, seeds on the opponent's).
    What decides what is due, if anything is. Else pits that can be lifted; of these the feeding ones, if the opponent
    has nothing; of these those that are no grand slam, unless all are. Passing is no action here."""
    actions, feeding = axes[L.ACTIONS], axes[L.FEEDING]
    if axes[L.PENDING] != 0:
        legal = write_choices(position, player, mask, axes, tables)
        if position[axes[L.PENDING] + L.DECISION] != 0:
            return legal, side(position, player, axes, tables), side(position, 1 - player, axes, tables)
    if axes[L.SOWING] == L.SOW_BAO:
        return legal_bao(position, player, mask, axes, tables)
    legal = most = np.int64(0)  # literals would make second variants of what they are passed to
    allowed = np.int64(0)  # in this ply of the opening; 0: all
    if axes[L.OPENING_PLIES] > 0 and position[axes[L.PITS] + L.PLY] < axes[L.OPENING_PLIES]:
        allowed = axes[L.OPENING + np.int64(position[axes[L.PITS] + L.PLY])]
    laid = axes[L.DEBT] != 0 and lay_out(copy_of(position), player, axes, tables, None)
    for k in range(actions):
        seeds = liftable(position, player, k, axes, tables)
        if laid and (axes[L.TWO_WAYS] == 0 or may_go(position, player, k, axes)):
            seeds = np.int64(1)  # a seed is laid in each pit first
        if allowed != 0:
            seeds = seeds if (allowed >> k) & 1 else np.int64(0)
        most = max(most, seeds)
        mask[k] = seeds > 0
        legal += seeds > 0
    own, other = side(position, player, axes, tables), side(position, 1 - player, axes, tables)
    selects = axes[L.SINGLES] | axes[L.REVERSES] | axes[L.BARRED] | axes[L.FORCED] | axes[L.FIRST_LAP] | axes[L.LINE]
    if selects != 0 or L.REMEMBER_PLAYED_LAST <= axes[L.REMEMBERS] <= L.REMEMBER_UNTIL_SOWN:
        legal = mask_out_pits(position, player, mask, most, other, axes, tables)
    if axes[L.ENDS_WITH_SIDE] and (own == 0 or other == 0):
        mask[:actions] = False
        return 0, own, other
    if other == 0 and feeding != L.FEED_NONE:
        fed, least = 0, np.int64(1)
        for k in range(actions):  # so many seeds as are asked for, or the most that can be given
            if axes[L.FEED_LEAST] > 1 and mask[k]:
                least = max(least, min(axes[L.FEED_LEAST], feeds(position, player, k, axes, tables)))
        for k in range(actions):
            mask[k] = mask[k] and feeds(position, player, k, axes, tables) >= least
            fed += mask[k]
        if fed == 0 and feeding == L.FEED_ALWAYS:
            for k in range(actions):
                mask[k] = liftable(position, player, k, axes, tables) > 0
        else:
            legal = fed
    if axes[L.SLAM] == L.SLAM_FORBIDDEN or (feeding >= L.FEED_ALWAYS and other > 0):
        legal = mask_out_slams(position, player, mask, legal, most, axes, tables)
    return legal, own, other


@inlined
def liftable(position, player, action, axes, tables):
    """Seeds in the pit of one of the player's actions, if the player may lift it and sow it so, else 0."""
    pit = pit_of(player, action, axes, tables)
    seeds = np.int64(position[pit])
    if axes[L.TWO_WAYS] != 0 and not may_go(position, player, action, axes):
        return np.int64(0)
    if axes[L.SOWING] == L.SOW_REAPING:
        return seeds if reap_target(position, player, pit, axes) >= 0 else 0
    foreign = axes[L.OWNERS] != 0 and position[axes[L.OWNERS] + pit] != player
    marked = axes[L.MARKS] != 0 and position[axes[L.MARKS] + pit] >= 0
    return 0 if foreign or marked or seeds < axes[L.MIN_START] else seeds


@part
def mask_out_pits(position, player, mask, most, other, axes, tables):
    """Strike from ``mask`` the pits that may not be played for what they are, hold or do with their first lap; returns
    how many are left. ``most``: seeds in the fullest pit that may be lifted; ``other``: on the opponent's side."""
    actions = axes[L.ACTIONS]
    known, barred, forced = np.int64(0), np.int64(0), np.int64(0)
    for k in range(actions):
        pit, direction = pit_of(player, k, axes, tables), direction_of(k, axes)
        seeds, line = np.int64(position[pit]), player + 2 * direction
        if axes[L.SINGLES] != L.SINGLE_AS_OTHERS and seeds == 1:
            mask[k] = mask[k] and single_may_move(position, line, pit, most, axes, tables)
        if axes[L.REVERSES] != 0 and direction == 1:
            mask[k] = mask[k] and captures_reversed(position, player, pit, seeds, axes, tables)
        if axes[L.FIRST_LAP] | axes[L.LINE] != 0:
            mask[k] = mask[k] and may_end(position, player, line, pit, axes, tables)
        if axes[L.MEMORY] != 0 and position[axes[L.MEMORY] + pit] != 0:
            known |= 1 << k
        if axes[L.BARRED_COUNTS] == 0 or holds(position, pit, axes[L.BARRED_COUNTS]):
            barred |= axes[L.BARRED] & (1 << k)
        if axes[L.FORCED_COUNTS] == 0 or holds(position, pit, axes[L.FORCED_COUNTS]):
            forced |= axes[L.FORCED] & (1 << k)
    if axes[L.FEEDING] != L.FEED_NONE and other == 0:
        barred = np.int64(0)
    if L.REMEMBER_PLAYED_LAST <= axes[L.REMEMBERS] <= L.REMEMBER_UNTIL_SOWN:
        mask_out(mask, known, axes[L.REMEMBERS] == L.REMEMBER_UNTIL_SOWN, actions)
    mask_out(mask, ~forced, False, actions)
    return mask_out(mask, barred, False, actions)


@part
def single_may_move(position, line, pit, most, axes, tables):
    """May this pit of one seed be played? ``most``: seeds in the fullest pit that the player may lift."""
    rule = axes[L.SINGLES]
    into_empty = position[tables[line, L.TRACK + np.int64(tables[line, L.PLACE + pit]) + 1]] == 0
    if most > 1 and rule != L.SINGLE_INTO_EMPTY:
        return rule == L.SINGLE_INTO_EMPTY_AT_LAST
    return into_empty or rule == L.SINGLE_LAST_RESORT


@part
def may_end(position, player, line, pit, axes, tables):
    """May the first lap from a pit end where it would end, or does it fit, where the track is a line?"""
    hand, loop = np.int64(position[pit]), axes[L.LOOP]
    place = np.int64(tables[line, L.PLACE + pit])
    if axes[L.LINE] != 0 and place + hand - left_behind(hand, axes[L.LEAVE] != L.LEAVE_NOTHING, axes) >= loop:
        return False
    if axes[L.FIRST_LAP] == L.FIRST_LAP_ANYWHERE or position[axes[L.PITS] + L.PLY] < axes[L.OPENING_PLIES]:
        return True
    cell = np.int64(tables[line, L.TRACK + place + hand % loop])
    is_pit = cell < axes[L.PITS]
    full = is_pit and (hand > loop or (hand < loop and position[cell] > 0))
    if axes[L.FIRST_LAP] == L.FIRST_LAP_IN_FULL:
        return full
    return not (full and owner_of(position, cell, axes, tables) == player)


@part
def feeds(position, player, action, axes, tables):
    """Seeds that this action would leave the opponent, before captures but where the game relays or all must leave."""
    trial = copy_of(position)
    if axes[L.RELAYS] or axes[L.FEEDING] >= L.FEED_ALWAYS or axes[L.LEAVE] != L.LEAVE_NOTHING:
        move(trial, player, action, axes, tables, None)
    else:
        pit, sown = pit_of(player, action, axes, tables), tables[2 * direction_of(action, axes) :]
        sow(trial, player, np.int64(trial[pit]), pit, pit, np.int64(0), axes, sown, None)
    if axes[L.FEEDING] != L.FEED_LEAVE_MOVE:
        return side(trial, 1 - player, axes, tables)
    seeds = np.int64(0)  # in pits that can be played
    for pit in range(axes[L.PITS]):
        if trial[pit] >= axes[L.MIN_START] and owner_of(trial, pit, axes, tables) == 1 - player:
            seeds += np.int64(trial[pit])
    return seeds


@part
def mask_out_slams(position, player, mask, legal, most, axes, tables):
    """Strike from ``mask``, of ``legal`` actions, those that take all the opponent has, or leave nothing where that is
    barred; not all of them unless that is the rule. Returns how many are left. ``most``: seeds in the fullest pit."""
    actions, ends, is_none, struck = axes[L.ACTIONS], np.int64(0), False, np.int64(0)
    if axes[L.SLAMS_KNOWN] != 0:
        ends = slam_ends(position, player, axes)
        is_none = ends == 0
    elif axes[L.ONE_CHAIN] != 0:
        for pit in range(axes[L.PITS]):
            is_full = position[pit] > axes[L.SLAM_MOST] and owner_of(position, pit, axes, tables) != player
            is_none = is_none or is_full
    if is_none and most < axes[L.LOOP]:
        return legal
    for k in range(actions):
        seeds = np.int64(position[pit_of(player, k, axes, tables)])
        if not mask[k]:
            continue
        if axes[L.SLAMS_KNOWN] != 0:  # not on a copy: a second place that calls ``move`` would slow down the first
            is_slam = ends_in_slam(position, player, k, seeds, ends, axes)
        elif axes[L.FEEDING] >= L.FEED_ALWAYS:
            is_slam = feeds(position, player, k, axes, tables) == 0
        else:
            is_slam = move(copy_of(position), player, k, axes, tables, None) & WAS_SLAM != 0
        struck |= np.int64(is_slam) << k
    return mask_out(mask, struck, axes[L.FEEDING] >= L.FEED_MUST_LEAVE, actions)


@inlined
def slam_ends(position, player, axes):
    """The opponent's pits, bit j for the j-th from the left, where a lap of less than a round must end to be a grand
    slam, by a table of one chain. Such a lap drops one seed in every pit up to its end: it takes all if each of these
    holds one less than a count that is taken, and none further on holds any."""
    actions, full, taken = axes[L.ACTIONS], 0, 0
    for j in range(actions):
        count = np.int64(position[(1 - player) * actions + j])
        full |= np.int64(count > 0) << j
        taken |= ((axes[L.LANDING + L.CHAIN_COUNTS] >> min(count + 1, L.TOP_COUNT)) & 1) << j
    chained = taken & ~(taken + 1)  # the run from the left
    ends = 0 if full & ~chained else chained >> (axes[L.SLAM_MIN_PITS] - 1) << (axes[L.SLAM_MIN_PITS] - 1)
    for _ in range(actions - 1):  # not before the last seed
        full >>= 1
        ends &= ~full
    return ends


@inlined
def ends_in_slam(position, player, action, seeds, ends, axes):
    """Does an action that sows so many seeds end in a grand slam, by ``slam_ends`` or, after a round, by counting?"""
    theirs, end, period = axes[L.ACTIONS], action + seeds - axes[L.ACTIONS], axes[L.LOOP] - axes[L.SKIP_ORIGIN]
    if seeds < axes[L.LOOP]:
        return 0 <= end < theirs and (ends >> end) & 1 != 0
    # Every pit of the opponent has seeds then: all are taken, so the last seed falls in the last of them.
    rounds, rest = seeds // period, seeds % period
    if action + (rest if rest > 0 else period) != 2 * theirs - 1:
        return False
    for j in range(theirs):
        count = np.int64(position[(1 - player) * theirs + j]) + rounds + (1 if theirs + j - action <= rest else 0)
        if not (axes[L.LANDING + L.CHAIN_COUNTS] >> min(count, L.TOP_COUNT)) & 1:
            return False
    return True
