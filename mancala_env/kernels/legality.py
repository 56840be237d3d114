"""Legal actions. Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import copy_of
from mancala_env.kernels.bao import legal_from_ends
from mancala_env.kernels.board import direction_of, may_go, missing_seeds, owner_of, pit_of, side
from mancala_env.kernels.decisions import write_choices
from mancala_env.kernels.grand_slam import avoid_slams, left_to
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.moves import left_behind, move_apart
from mancala_env.kernels.off_track import reap_target
from mancala_env.kernels.reverses import captures_reversed
from mancala_env.kernels.sowing import drop_passing, sow


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
def single_may_move(position, player, action, pit, most, axes, tables):
    """May this pit of one seed be played? ``most``: seeds in the fullest pit that the player may lift."""
    rule, line = axes[L.SINGLES], player + 2 * direction_of(action, axes)
    into_empty = position[tables[line, L.TRACK + np.int64(tables[line, L.PLACE + pit]) + 1]] == 0
    if rule == L.SINGLE_INTO_EMPTY_AT_LAST:
        return most > 1 or into_empty
    if most > 1 and rule != L.SINGLE_INTO_EMPTY:
        return False
    return into_empty or rule == L.SINGLE_LAST_RESORT


@inlined
def mask_out(mask, struck, always, actions):
    """Strike the actions of a set of bits from ``mask``, if any other is left, or ``always``; returns how many are
    left."""
    legal = left = 0
    for k in range(actions):
        legal += mask[k]
        left += mask[k] and not (struck >> k) & 1
    if left == 0 and not always:
        return legal
    for k in range(actions):
        mask[k] = mask[k] and not (struck >> k) & 1
    return left


@part
def may_end(position, player, line, pit, axes, tables):
    """May the first lap from a pit end where it would end, or does it fit, where the track is a line?"""
    hand, loop = np.int64(position[pit]), axes[L.LOOP]
    place = np.int64(tables[line, L.PLACE + pit])
    if axes[L.LINE] != 0 and place + hand - left_behind(hand, axes[L.LEAVE] != L.LEAVE_NOTHING, axes) >= loop:
        return False
    if axes[L.FIRST_LAP] == L.FIRST_LAP_ANYWHERE or position[axes[L.PITS] + L.PLY] < axes[L.PLAIN_PLIES]:
        return True
    cell = np.int64(tables[line, L.TRACK + place + hand % loop])
    is_pit = cell < axes[L.PITS]
    full = is_pit and (hand > loop or (hand < loop and position[cell] > 0))
    if axes[L.FIRST_LAP] == L.FIRST_LAP_IN_FULL:
        return full
    return not (full and owner_of(position, cell, axes, tables) == player)


@part
def mask_out_pits(position, player, mask, most, other, axes, tables):
    """Strike from ``mask`` the actions of single seeds that may not be played, those that would have to capture and do
    not, whose first lap ends where it may not, and whose pits are remembered, or barred, or not those that must be
    played. Returns how many are left.

    ``most``: seeds in the fullest pit that may be lifted; ``other``: seeds on the opponent's side.
    """
    actions = axes[L.ACTIONS]
    known, barred, forced = np.int64(0), np.int64(0), np.int64(0)
    for k in range(actions):
        pit = pit_of(player, k, axes, tables)
        seeds, direction = np.int64(position[pit]), direction_of(k, axes)
        if axes[L.SINGLES] != L.SINGLE_AS_OTHERS and seeds == 1:
            mask[k] = mask[k] and single_may_move(position, player, k, pit, most, axes, tables)
        if axes[L.REVERSES] != 0 and direction == 1:
            mask[k] = mask[k] and captures_reversed(position, player, pit, seeds, axes, tables)
        if axes[L.FIRST_LAP] | axes[L.LINE] != 0:
            mask[k] = mask[k] and may_end(position, player, player + 2 * direction, pit, axes, tables)
        if axes[L.PLAYED_AGAIN] != L.PLAY_AS_OTHERS and position[axes[L.MEMORY] + pit] != 0:
            known |= 1 << k
        count = min(seeds, L.TOP_COUNT)
        if (axes[L.BARRED] >> k) & 1 and (axes[L.BARRED_COUNTS] == 0 or (axes[L.BARRED_COUNTS] >> count) & 1):
            barred |= 1 << k
        if (axes[L.FORCED] >> k) & 1 and (axes[L.FORCED_COUNTS] == 0 or (axes[L.FORCED_COUNTS] >> count) & 1):
            forced |= 1 << k
    if axes[L.FEEDING] != L.FEED_NONE and other == 0:
        barred = np.int64(0)
    mask_out(mask, known, axes[L.PLAYED_AGAIN] == L.PLAY_NEVER, actions)
    mask_out(mask, ~forced, False, actions)
    return mask_out(mask, barred, False, actions)


@part
def feeds(position, player, action, axes, tables):
    """How many seeds would this action give to an opponent who has none?

    Counted after the sowing and before a capture, except where the game relays or every move must leave seeds.
    """
    trial = copy_of(position)
    if axes[L.RELAYS] or axes[L.FEEDING] >= L.FEED_ALWAYS or axes[L.LEAVE] != L.LEAVE_NOTHING:
        move_apart(trial, player, action, axes, tables)
        return left_to(trial, 1 - player, axes, tables)
    pit = pit_of(player, action, axes, tables)
    tables = tables[2 * direction_of(action, axes) :]
    if axes[L.SURPLUS]:
        hand = np.int64(trial[pit])
        trial[pit] = 0
        drop_passing(trial, player, hand, pit, axes, tables, None)
    else:
        sow(trial, player, pit, axes, tables)
    return left_to(trial, 1 - player, axes, tables)


@inlined
def legal_actions(position, player, mask, axes, tables):
    """Write the legal mask of ``player`` and return (legal actions, seeds on the own side, seeds on the opponent's).

    What decides the decision that is due, if there is one. Else pits that can be lifted; of these the feeding ones, if
    the opponent has nothing; of these those that are no grand slam, unless all are. Passing is no action here.
    """
    actions = axes[L.ACTIONS]
    if axes[L.PENDING] != 0:
        legal = np.int64(0)
        if position[axes[L.PENDING] + L.DECISION] != 0:
            legal = write_choices(position, player, mask, axes, tables)
        for k in range(axes[L.ACTIONS], axes[L.ACTIONS] + axes[L.DECISIONS]):
            mask[k] = mask[k] and legal > 0
        if position[axes[L.PENDING] + L.DECISION] != 0:
            own = side(position, player, axes, tables)
            return legal, own, side(position, 1 - player, axes, tables)
    if axes[L.SOWING] == L.SOW_FROM_ENDS:
        return legal_from_ends(position, player, mask, axes, tables)
    own = legal = most = np.int64(0)  # literals would make second variants of what they are passed to
    allowed = np.int64(0)  # in this ply of the opening; 0: all
    if axes[L.OPENING_PLIES] > 0 and position[axes[L.PITS] + L.PLY] < axes[L.OPENING_PLIES]:
        allowed = axes[L.OPENING + np.int64(position[axes[L.PITS] + L.PLY])]
    laid = False
    if axes[L.DEBT] != 0:
        laid = missing_seeds(position, player, axes, tables) >= 0
    for k in range(actions):
        seeds = liftable(position, player, k, axes, tables)
        if laid and (axes[L.TWO_WAYS] == 0 or may_go(position, player, k, axes)):
            seeds = np.int64(1)  # a seed is laid in each pit first
        if allowed != 0:
            seeds = seeds if (allowed >> k) & 1 else np.int64(0)
        own += seeds
        most = max(most, seeds)
        mask[k] = seeds > 0
        legal += seeds > 0
    if not axes[L.PLAIN]:
        own = side(position, player, axes, tables)
    other = side(position, 1 - player, axes, tables)
    feeding = axes[L.FEEDING]
    selects = axes[L.SINGLES] | axes[L.REVERSES] | axes[L.BARRED] | axes[L.FORCED] | axes[L.PLAYED_AGAIN]
    if selects | axes[L.FIRST_LAP] | axes[L.LINE] != 0:
        legal = mask_out_pits(position, player, mask, most, other, axes, tables)
    if axes[L.ENDS_WITH_SIDE] and (own == 0 or other == 0):
        for k in range(actions):
            mask[k] = False
        return 0, own, other
    if other == 0 and feeding != L.FEED_NONE:
        fed, least = 0, np.int64(1)
        if axes[L.FEED_LEAST] > 1:  # or the most that can be given
            for k in range(actions):
                if mask[k]:
                    least = max(least, min(axes[L.FEED_LEAST], feeds(position, player, k, axes, tables)))
        for k in range(actions):
            if mask[k]:
                mask[k] = feeds(position, player, k, axes, tables) >= least
                fed += mask[k]
        if fed == 0 and feeding == L.FEED_ALWAYS:
            for k in range(actions):
                mask[k] = liftable(position, player, k, axes, tables) > 0
        else:
            legal = fed
    if axes[L.SLAM] == L.SLAM_FORBIDDEN or (feeding >= L.FEED_ALWAYS and other > 0):
        legal -= avoid_slams(position, player, mask, legal, most, axes, tables)
    return legal, own, other
