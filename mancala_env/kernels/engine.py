"""The rules engine: one compiled set of functions plays every game whose captures fit a landing table.

Kernels are unchecked: arrays in, numbers out. ``row`` is a position and ``axes, tables`` a ruleset, both laid out as
``layout`` says; ``mask`` is bool[A]. Rules come from the axes alone: no game has a branch of its own. Where ``actions``
and ``pits`` are arguments they repeat what the axes say: a caller who passes constants gets unrolled loops.
"""

import numpy as np

from mancala_env.kernels.compile import DISABLE_JIT, allocating, inlined
from mancala_env.kernels.counting import configuration
from mancala_env.kernels.layout import (
    ACTIONS,
    AGAIN,
    CHAIN,
    CHAIN_COUNTS,
    CHAIN_ENEMY,
    COUNTS,
    DEAD_SEEDS,
    END_REASON,
    ENDS_WITH_SIDE,
    FACING,
    FACING_FULL,
    FEED_ALWAYS,
    FEED_NONE,
    FEEDING,
    GRAND_SLAM,
    HASH_KEYS,
    IN_STORE,
    INDETERMINACY,
    IS_EVEN,
    LANDING,
    LAP_LIMIT,
    LAP_PITS,
    LAP_WIDTH,
    LAPS,
    LEFT_EMPTIER,
    LEFT_NOBODY,
    LEFTOVER,
    LOOP,
    MAJORITY,
    MAJORITY_STOP,
    MAX_PLIES,
    MOVER,
    NEEDS,
    NO_CHAIN,
    ONE_CHAIN,
    OVER,
    OWN_SIDE,
    OWNER,
    PASSES,
    PITS,
    PLACE,
    PLY,
    PLY_LIMIT,
    QUIET,
    RELAY,
    RELAYS,
    REPEAT_GAP,
    REPEAT_SPLITS,
    REPEATS,
    REPETITION,
    ROW_SIZE,
    ROWS,
    SKIP_ORIGIN,
    SLAM,
    SLAM_CAPTURE,
    SLAM_FORBIDDEN,
    SLAM_MIN_PITS,
    SLAM_MOST,
    SLAM_NOTHING,
    SLAM_REST,
    SLAM_SPARE_FIRST,
    SLAM_SPARE_LAST,
    STORES,
    TAKE,
    TAKE_FACING,
    TAKE_HERE,
    THEN,
    TOP_COUNT,
    TRACK,
    VALUE,
    WAS_EMPTY,
)

# What a move did, as bits.
CAPTURED, TURN_AGAIN, WAS_SLAM, SLAM_ENDED = 1, 2, 4, 8


@inlined
def sow(row, player, pit, pits, axes, tables):
    """Empty one pit and drop its seeds one by one along the player's loop.

    ``row`` is modified in place. Returns the station (an index into the player's track, in its second round, so that
    a chain can be followed back) where the last seed fell. The pit must not be empty.
    """
    loop = axes[LOOP]
    station = np.int64(tables[player, PLACE + pit])
    hand = np.int64(row[pit])
    row[pit] = 0
    if hand < loop:  # less than a lap: the origin is not met again
        if pits == LAP_PITS:  # one vector addition instead of a loop whose length no processor can predict
            lap = LAPS + (pit * loop + hand) * LAP_WIDTH
            for hole in range(LAP_WIDTH):
                row[hole] += tables[player, lap + hole]
        else:
            for k in range(station + 1, station + hand + 1):
                row[tables[player, TRACK + k]] += 1
        station += hand
        return station if station >= loop else station + loop
    skips = axes[SKIP_ORIGIN] != 0
    while hand > 0:
        station = station + 1 if station + 1 < 2 * loop else loop
        hole = np.int64(tables[player, TRACK + station])
        if skips and hole == pit:
            continue
        row[hole] += 1
        hand -= 1
    return station


@inlined
def landing(row, player, hole, axes, tables):
    """The first landing row that matches where the last seed fell: its offset in ``axes``, or 0 for none."""
    count = np.int64(row[hole])
    if hole >= axes[PITS]:
        facts = IN_STORE
    else:
        facing = np.int64(tables[0, FACING + hole])
        facts = (
            (OWN_SIDE if tables[0, OWNER + hole] == player else 0)
            | (WAS_EMPTY if count == 1 else 0)
            | (0 if count & 1 else IS_EVEN)
            | (FACING_FULL if row[facing] > 0 and facing != hole else 0)
        )
    count = min(count, TOP_COUNT)
    base = LANDING
    for _ in range(axes[ROWS]):
        if facts & axes[base + NEEDS] == axes[base + VALUE] and (axes[base + COUNTS] >> count) & 1:
            return base
        base += ROW_SIZE
    return 0


@inlined
def side(row, player, actions):
    """Seeds in the pits of one player."""
    home = player * actions
    seeds = 0
    for pit in range(home, home + actions):
        seeds += np.int64(row[pit])
    return seeds


@inlined
def chain_length(row, player, station, base, axes, tables):
    """How many pits behind ``station``, one by one, hold a count that the chain of a landing row takes."""
    length = 0
    enemy_only = axes[base + CHAIN] == CHAIN_ENEMY
    while length + 1 < axes[LOOP]:
        hole = np.int64(tables[player, TRACK + station - length - 1])
        if hole >= axes[PITS] or (enemy_only and tables[0, OWNER + hole] == player):
            break
        if not (axes[base + CHAIN_COUNTS] >> min(np.int64(row[hole]), TOP_COUNT)) & 1:
            break
        length += 1
    return length


@inlined
def capture(row, player, station, base, axes, tables):
    """Take what a landing row takes into the mover's store; ``row`` is modified in place.

    The whole capture is determined before a seed is removed. Returns the bits CAPTURED, WAS_SLAM, SLAM_ENDED.
    Readings of the grand slam: ``rules.ruleset.GrandSlam``.
    """
    take = axes[base + TAKE]
    hole = np.int64(tables[player, TRACK + station])
    facing = np.int64(tables[0, FACING + hole])
    first = 0 if take & TAKE_HERE else 1  # pits first..last-1 steps behind the station are taken
    last = 1
    if axes[base + CHAIN] != NO_CHAIN:
        last += chain_length(row, player, station, base, axes, tables)
    outcome = 0

    if axes[SLAM] != SLAM_CAPTURE:
        left = side(row, 1 - player, axes[ACTIONS])
        taken = 0  # enemy pits that lose seeds
        across = take & TAKE_FACING and facing != hole
        for k in range(first, last):
            pit = np.int64(tables[player, TRACK + station - k])
            across = across and pit != facing
            if tables[0, OWNER + pit] != player:
                left -= np.int64(row[pit])
                taken += row[pit] > 0
        if across and tables[0, OWNER + facing] != player:
            left -= np.int64(row[facing])
            taken += row[facing] > 0
        if left == 0 and taken >= axes[SLAM_MIN_PITS]:
            outcome |= WAS_SLAM
            slam = axes[SLAM]
            if slam == SLAM_NOTHING or slam == SLAM_FORBIDDEN:
                return outcome
            if slam == SLAM_REST:
                outcome |= SLAM_ENDED
            elif slam == SLAM_SPARE_LAST:
                first += 1
            elif slam == SLAM_SPARE_FIRST:
                last -= 1

    seeds = 0
    for k in range(first, last):
        pit = np.int64(tables[player, TRACK + station - k])
        seeds += np.int64(row[pit])
        row[pit] = 0
    if take & TAKE_FACING and facing != hole:
        seeds += np.int64(row[facing])
        row[facing] = 0
    row[axes[PITS] + STORES + player] += seeds
    return outcome | CAPTURED if seeds > 0 else outcome


@inlined
def move(row, player, pit, pits, axes, tables):
    """Sow from a pit that is not empty, follow the landing table, relay as it says; ``row`` is modified in place.

    Only pits and stores change. Returns the bits CAPTURED, TURN_AGAIN, WAS_SLAM, SLAM_ENDED.
    """
    outcome = 0
    lap = 1
    while True:
        station = sow(row, player, pit, pits, axes, tables)
        hole = np.int64(tables[player, TRACK + station])
        base = landing(row, player, hole, axes, tables)
        if base == 0:
            return outcome
        then = axes[base + THEN]
        if then == RELAY and lap == axes[LAP_LIMIT]:  # nothing is lifted, nothing is captured
            return outcome
        if axes[base + TAKE] != 0 or axes[base + CHAIN] != NO_CHAIN:
            outcome |= capture(row, player, station, base, axes, tables)
            if outcome & SLAM_ENDED:
                return outcome
        if then == RELAY and row[hole] > 0:
            pit = hole
            lap += 1
            continue
        return outcome | TURN_AGAIN if then == AGAIN else outcome


@allocating
def strips(row, player, pit, axes, tables):
    """Would this move be a grand slam (or leave the enemy nothing, where that must be avoided)? Played on a copy."""
    trial = row.copy()
    outcome = move(trial, player, pit, axes[PITS], axes, tables)
    return side(trial, 1 - player, axes[ACTIONS]) == 0 if axes[FEEDING] == FEED_ALWAYS else outcome & WAS_SLAM != 0


@inlined
def slam_range(row, player, actions, axes):
    """For a table of one chain: the enemy pits in which a lap of less than a round must end to be a grand slam.

    Returns (first, last + 1), counted from the enemy's left. Such a lap drops one seed in every enemy pit up to its
    end. So it takes everything if the chain runs all the way back, that is if each of these pits holds one seed less
    than a count that is taken, and if no enemy seed lies further on.
    """
    camp = (1 - player) * actions
    farthest = -1
    chained = 0
    for j in range(actions):
        count = np.int64(row[camp + j])
        farthest = j if count > 0 else farthest
        taken = (axes[LANDING + CHAIN_COUNTS] >> min(count + 1, TOP_COUNT)) & 1
        chained += taken if chained == j else 0
    return max(farthest, axes[SLAM_MIN_PITS] - 1), chained


@inlined
def is_slam(row, player, k, seeds, first, last, axes, tables):
    """Does action ``k``, of a pit with ``seeds``, take all the enemy has? (first, last) come from ``slam_range``."""
    enemies = axes[ACTIONS]
    if not axes[ONE_CHAIN]:
        return strips(row, player, player * enemies + k, axes, tables)
    if seeds < axes[LOOP]:
        end = k + seeds - enemies
        return first <= end < last
    # After a round every enemy pit has seeds: all are taken, so the last seed falls in the last of them.
    period = axes[LOOP] - axes[SKIP_ORIGIN]
    rounds, rest = seeds // period, seeds % period
    if k + (rest if rest > 0 else period) != 2 * enemies - 1:
        return False
    for j in range(enemies):
        count = np.int64(row[(1 - player) * enemies + j]) + rounds + (1 if enemies + j - k <= rest else 0)
        if not (axes[LANDING + CHAIN_COUNTS] >> min(count, TOP_COUNT)) & 1:
            return False
    return True


@allocating
def feeds(row, player, pit, axes, tables):
    """Would this move give seeds to an enemy who has none?

    Counted after the sowing and before a capture, except where the game relays or every move must leave seeds.
    """
    trial = row.copy()
    if axes[RELAYS] or axes[FEEDING] == FEED_ALWAYS:
        move(trial, player, pit, axes[PITS], axes, tables)
    else:
        sow(trial, player, pit, axes[PITS], axes, tables)
    return side(trial, 1 - player, axes[ACTIONS]) > 0


@inlined
def avoid_slams(row, player, mask, legal, most, enemy, actions, axes, tables):
    """Strike the grand slams from ``mask`` unless all ``legal`` moves are; returns how many were struck.

    ``most``: seeds in the fullest pit of ``player``; ``enemy``: seeds on the enemy's side.
    """
    first, last = 0, 0
    if axes[ONE_CHAIN]:
        if enemy > axes[SLAM_MOST]:
            return 0
        first, last = slam_range(row, player, actions, axes)
        if first >= last and most < axes[LOOP]:
            return 0
    home = player * actions
    slams = 0
    struck = 0  # a bit for each action
    for k in range(actions):
        seeds = np.int64(row[home + k])
        if mask[k] and is_slam(row, player, k, seeds, first, last, axes, tables):
            slams += 1
            struck |= 1 << k
    if slams == 0 or slams == legal:
        return 0
    for k in range(actions):
        mask[k] = mask[k] and not (struck >> k) & 1
    return slams


@inlined
def legal_actions(row, player, mask, actions, axes, tables):
    """Write the legal mask of ``player`` and return (legal actions, seeds on the own side, seeds on the enemy's).

    Pits with seeds; of these the feeding ones, if the enemy has nothing; of these
    those that are no grand slam, unless all are.
    """
    home = player * actions
    own = 0
    legal = 0
    most = 0
    for k in range(actions):
        seeds = np.int64(row[home + k])
        own += seeds
        most = max(most, seeds)
        mask[k] = seeds > 0
        legal += seeds > 0
    enemy = side(row, 1 - player, actions)
    feeding = axes[FEEDING]
    if axes[ENDS_WITH_SIDE] and (own == 0 or enemy == 0):
        for k in range(actions):
            mask[k] = False
        return 0, own, enemy
    if enemy == 0 and feeding != FEED_NONE:
        fed = 0
        for k in range(actions):
            if mask[k]:
                mask[k] = feeds(row, player, home + k, axes, tables)
                fed += mask[k]
        if fed == 0 and feeding == FEED_ALWAYS:
            for k in range(actions):
                mask[k] = row[home + k] > 0
        else:
            legal = fed
    if axes[SLAM] == SLAM_FORBIDDEN or (feeding == FEED_ALWAYS and enemy > 0):
        legal -= avoid_slams(row, player, mask, legal, most, enemy, actions, axes, tables)
    return legal, own, enemy


@inlined
def position_hash(row, pits):
    """uint64: pits and mover. Equal positions have equal hashes."""
    value = np.uint64(row[pits + MOVER]) * HASH_KEYS[pits]
    for pit in range(pits):
        value += np.uint64(row[pit]) * HASH_KEYS[pit]
    return value


if DISABLE_JIT:
    position_hash = np.errstate(over="ignore")(position_hash)  # it wraps around on purpose


@inlined
def settle(row, outcome, mask, history, start, actions, pits, axes, tables, dead):
    """Say whether the game is over, and if not what the mover may do.

    ``row`` (mover, why it ended) and ``mask`` are written. ``history[start : start + quiet]`` holds the hashes of the
    earlier positions since the last capture, quiet being the plies since then; the hash of this position is appended.
    Order of the tests: an end by grand slam, majority, nothing to play, indeterminacy, repetition, ply limit.
    """
    mover = np.int64(row[pits + MOVER])
    legal, own, enemy = 0, 0, 0
    for _ in range(2):  # the mover; if he is stuck and passes, the other
        legal, own, enemy = legal_actions(row, mover, mask, actions, axes, tables)
        ended = axes[ENDS_WITH_SIDE] and (own == 0 or enemy == 0)
        if legal > 0 or not axes[PASSES] or ended or outcome & SLAM_ENDED:
            break
        mover = 1 - mover
    if legal > 0:
        row[pits + MOVER] = mover

    over = 0
    south, north = np.int64(row[pits + STORES]), np.int64(row[pits + STORES + 1])
    if outcome & SLAM_ENDED:
        over = GRAND_SLAM
    elif axes[MAJORITY_STOP] and 2 * max(south, north) > south + north + own + enemy:
        over = MAJORITY
    elif legal == 0:
        over = axes[END_REASON]
    elif own + enemy <= axes[DEAD_SEEDS] and dead[2 * configuration(row, pits, own + enemy) + mover]:
        over = INDETERMINACY
    elif axes[REPEATS] > 0:
        end = start + np.int64(row[pits + QUIET])
        value = position_hash(row, pits)
        history[end] = value
        seen = 1
        for k in range(start, end - axes[REPEAT_GAP] + 1):
            seen += history[k] == value
        if seen >= axes[REPEATS]:
            over = REPETITION
    if over == 0 and row[pits + PLY] >= axes[PLY_LIMIT]:
        over = MAX_PLIES
    row[pits + OVER] = over
    if over != 0:
        for k in range(actions):
            mask[k] = False


@inlined
def play(row, action, mask, history, start, actions, pits, axes, tables, dead):
    """Play a legal action; ``row``, ``mask`` and ``history`` are modified in place.

    The history of the position played from begins at ``history[start]`` (see ``settle``); the return value is where
    that of the new position begins: the same place, or behind it after a capture. The victim of a grand slam that ends
    the game is left as the mover.
    """
    player = np.int64(row[pits + MOVER])
    outcome = move(row, player, player * actions + action, pits, axes, tables)
    if not outcome & TURN_AGAIN:
        row[pits + MOVER] = 1 - player
    row[pits + PLY] += 1
    if outcome & CAPTURED:
        start += np.int64(row[pits + QUIET]) + 1
        row[pits + QUIET] = 0
    else:
        row[pits + QUIET] += 1
    settle(row, outcome, mask, history, start, actions, pits, axes, tables, dead)
    return start


@inlined
def final_scores(row, axes, tables):
    """Twice the scores of a finished game, (South, North): stores and what each collects at the end.

    Twice, because where a repetition halves the seeds left there can be half seeds.
    """
    pits = axes[PITS]
    south, north = 2 * np.int64(row[pits + STORES]), 2 * np.int64(row[pits + STORES + 1])
    over = row[pits + OVER]
    if over == MAJORITY:
        return south, north
    south_side, north_side = side(row, 0, axes[ACTIONS]), side(row, 1, axes[ACTIONS])
    board = south_side + north_side
    if over == GRAND_SLAM:  # everything left goes to the victim, who is to move
        return (south + 2 * board, north) if row[pits + MOVER] == 0 else (south, north + 2 * board)
    if over == REPETITION and axes[REPEAT_SPLITS]:
        return south + board, north + board
    if axes[LEFTOVER] == LEFT_NOBODY:
        return south, north
    if axes[LEFTOVER] == LEFT_EMPTIER and (south_side == 0 or north_side == 0):
        return (south + 2 * board, north) if south_side == 0 else (south, north + 2 * board)
    return south + 2 * south_side, north + 2 * north_side
