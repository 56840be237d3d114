"""The rules engine: one compiled set of functions plays every game.

Kernels are unchecked: arrays in, numbers out. ``row`` is a position and ``axes, tables`` a ruleset, both laid out as
``layout`` says; ``mask`` is bool[A]. Rules come from the axes alone: no game has a branch of its own. Where
``actions`` and ``pits`` are arguments they repeat what the axes say: constants unroll the loops over them.
``any_rules`` is True, or None on the fast path (``layout.fast_path``): what only other games need is then not even
compiled. ``events`` is where a move is told (``kernels.events``), or None likewise.
"""

import numpy as np

from mancala_env.kernels import events as told
from mancala_env.kernels.events import clause_at, tell
from mancala_env.kernels.jit import DISABLE_JIT, allocating_part, inlined, part
from mancala_env.kernels.layout import (
    ACROSS,
    ACTIONS,
    AGAIN,
    BEHIND,
    BEHIND_FULL,
    BLOCK_EMPTY,
    CARRY_AND_MARK,
    CHAIN,
    CHAIN_COUNTS,
    CHAIN_OPPONENT,
    COMMON_ACTIONS,
    COMMON_PITS,
    COUNTS,
    DEAD_SEEDS,
    END_REASON,
    ENDS_WITH_SIDE,
    FACING,
    FACING_COUNTS,
    FACING_FULL,
    FEED_ALWAYS,
    FEED_NONE,
    FEEDING,
    GAME,
    GOAL,
    GOAL_EMPTY_BLOCK,
    GRAND_SLAM,
    HASH_KEYS,
    IN_STORE,
    INDETERMINACY,
    IS_EVEN,
    LANDING,
    LAP_LIMIT,
    LAP_WIDTH,
    LAPS,
    LOOP,
    MAJORITY,
    MAJORITY_STOP,
    MARK_LIMIT,
    MARKED,
    MARKING,
    MARKS,
    MARKS_FACING,
    MARKS_HERE,
    MATCH,
    MAX_PITS,
    MAX_PLIES,
    MIN_START,
    MOVER,
    NEEDS,
    NO_CHAIN,
    ONE_CHAIN,
    OVER,
    OWN_MARK,
    OWN_SIDE,
    OWNERS,
    PASS_ACTION,
    PASSES,
    PITS,
    PLACE,
    PLIES_SINCE_CAPTURE,
    PLY,
    PLY_LIMIT,
    RELAY,
    RELAYS,
    REPEAT_GAP,
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
    SOW_NEIGHBOURS,
    SOW_ON,
    SOW_REAPING,
    SOWING,
    STORES,
    TAKE,
    TAKE_BEHIND,
    TAKE_FACING,
    TAKE_HERE,
    THEN,
    TOP_COUNT,
    TRACK,
    UNMARKABLE,
    VALUE,
    WAS_EMPTY,
)
from mancala_env.kernels.match import next_game
from mancala_env.kernels.off_track import reap, reap_target, scatter
from mancala_env.kernels.placements import BINOMIAL, configuration
from mancala_env.kernels.scores import game_scores, owner_of, pit_of, side
from mancala_env.kernels.vector import add_lap

# What a move did, as bits.
CAPTURED, TURN_AGAIN, WAS_SLAM, SLAM_ENDED = 1, 2, 4, 8
NO_ACTION = -1
LONG_TURN = 100  # laps; a turn of more may be one that goes round for ever


@inlined
def shape(any_size, axes):
    """(actions that play a pit, pits): constants on the commonest board, so that loops over them unroll."""
    if any_size is None:
        return COMMON_ACTIONS, COMMON_PITS
    return axes[ACTIONS], axes[PITS]


@inlined
def drop(row, player, hand, origin, emptied, change, pits, axes, tables, events):
    """Empty pit ``emptied`` (-1: none) and drop ``hand`` seeds one by one into the holes that follow pit ``origin``.

    They follow it in the player's loop. ``row`` is modified in place, by ``change`` for each seed: 1, or -1 to take
    them back. No seed falls in ``origin`` where the rules say so. Returns the station of the last seed: an index into
    the player's track, in its second round, so that a chain can be followed back. ``hand`` is not 0.

    A move that is told goes hole by hole, whatever its length, to the same board.
    """
    loop = axes[LOOP]
    station = np.int64(tables[player, PLACE + origin])
    if events is None and hand < loop:  # less than a lap: the origin is not met again
        if pits == COMMON_PITS:  # one vector operation: no branch to guess, and one write that later reads are fed from
            lap = LAPS + (origin * loop + hand) * LAP_WIDTH
            add_lap(row, tables, player, lap, emptied, change)
        else:
            if emptied >= 0:
                row[emptied] = 0
            for k in range(station + 1, station + hand + 1):
                row[tables[player, TRACK + k]] += change
        station += hand
        return station if station >= loop else station + loop
    if emptied >= 0:
        row[emptied] = 0
    skips = axes[SKIP_ORIGIN] != 0
    before = origin
    while hand > 0:
        station = station + 1 if station + 1 < 2 * loop else loop
        hole = np.int64(tables[player, TRACK + station])
        if skips and hole == origin:
            continue
        row[hole] += change
        hand -= 1
        if events is not None:
            tell(events, told.SOW, before, hole, 1, -1)
            before = hole
    return station if station >= loop else station + loop


@inlined
def sow(row, player, pit, pits, axes, tables):
    """Empty a pit that is not empty and ``drop`` its seeds; returns the last station."""
    return drop(row, player, np.int64(row[pit]), pit, pit, 1, pits, axes, tables, None)


@inlined
def unsow(row, player, pit, seeds, pits, axes, tables):
    """Take back ``sow`` from a pit that held ``seeds``."""
    drop(row, player, seeds, pit, -1, -1, pits, axes, tables, None)
    row[pit] += seeds


@part
def may_mark(row, player, hole, base, axes, tables):
    """May the player make all marks of a landing row, where the last seed fell in ``hole``?

    Not in a pit that bears a mark already or may bear none, nor with more marks than a player may have.
    """
    marks, take = axes[MARKS], axes[base + TAKE]
    facing = np.int64(tables[0, FACING + hole])
    made = 0
    for k in range(2):
        pit = hole if k == 0 else facing
        if take & (MARKS_HERE if k == 0 else MARKS_FACING):
            if (k == 1 and facing == hole) or row[marks + pit] >= 0 or (axes[UNMARKABLE] >> pit) & 1:
                return False
            made += 1
    if axes[MARK_LIMIT] != 0:
        for pit in range(axes[PITS]):
            made += row[marks + pit] == player
        return made <= axes[MARK_LIMIT]
    return True


@inlined
def landing(row, player, hole, any_rules, axes, tables):
    """The first landing row that matches where the last seed fell: its offset in ``axes``, or 0 for none."""
    count = np.int64(row[hole])
    across = 0
    if hole >= axes[PITS]:
        facts = IN_STORE
    else:
        if axes[ACROSS] != 0:
            facing = np.int64(tables[0, FACING + hole])
            across = np.int64(row[facing]) if facing != hole else 0
        facts = (
            (OWN_SIDE if owner_of(row, hole, any_rules, axes, tables) == player else 0)
            | (WAS_EMPTY if count == 1 else 0)
            | (0 if count & 1 else IS_EVEN)
            | (FACING_FULL if across > 0 else 0)
        )
        if any_rules is not None:
            behind = np.int64(tables[0, BEHIND + hole])
            facts |= BEHIND_FULL if row[behind] > 0 and behind != hole else 0
            if axes[MARKS] != 0:
                mark = np.int64(row[axes[MARKS] + hole])
                facts |= 0 if mark < 0 else MARKED | OWN_MARK if mark == player else MARKED
    count = min(count, TOP_COUNT)
    across = min(across, TOP_COUNT)
    base = LANDING
    for _ in range(axes[ROWS]):
        matches = facts & axes[base + NEEDS] == axes[base + VALUE] and (axes[base + COUNTS] >> count) & 1
        if matches and any_rules is not None:
            matches = (axes[base + FACING_COUNTS] >> across) & 1
            if matches and axes[base + TAKE] & MARKING:
                matches = may_mark(row, player, hole, base, axes, tables)
        if matches:
            return base
        base += ROW_SIZE
    return 0


@inlined
def chain_length(row, player, station, base, any_rules, axes, tables):
    """How many pits before ``station``, one by one, hold a count that the chain of a landing row takes."""
    length = 0
    opponents_only = axes[base + CHAIN] == CHAIN_OPPONENT
    while length + 1 < axes[LOOP]:
        hole = np.int64(tables[player, TRACK + station - length - 1])
        if hole >= axes[PITS] or (opponents_only and owner_of(row, hole, any_rules, axes, tables) == player):
            break
        if not (axes[base + CHAIN_COUNTS] >> min(np.int64(row[hole]), TOP_COUNT)) & 1:
            break
        length += 1
    return length


@inlined
def capture(row, player, station, base, any_rules, axes, tables, events):
    """Take what a landing row takes into the mover's store; ``row`` is modified in place.

    The whole capture is determined before a seed is removed. Returns the bits CAPTURED, WAS_SLAM, SLAM_ENDED.
    Readings of the grand slam: ``rules.ruleset.GrandSlam``.
    """
    take = axes[base + TAKE]
    hole = np.int64(tables[player, TRACK + station])
    facing = np.int64(tables[0, FACING + hole])
    first = 0 if take & TAKE_HERE else 1  # the pits first..last-1 steps before the station are taken
    last = 1
    if axes[base + CHAIN] != NO_CHAIN:
        last += chain_length(row, player, station, base, any_rules, axes, tables)
    outcome = 0

    if axes[SLAM] != SLAM_CAPTURE:
        left = side(row, 1 - player, axes[ACTIONS], any_rules, axes, tables)
        taken = 0  # pits of the opponent that lose seeds
        across = take & TAKE_FACING and facing != hole
        for k in range(first, last):
            pit = np.int64(tables[player, TRACK + station - k])
            across = across and pit != facing
            if owner_of(row, pit, any_rules, axes, tables) != player:
                left -= np.int64(row[pit])
                taken += row[pit] > 0
        if across and owner_of(row, facing, any_rules, axes, tables) != player:
            left -= np.int64(row[facing])
            taken += row[facing] > 0
        if left == 0 and taken >= axes[SLAM_MIN_PITS]:
            outcome |= WAS_SLAM
            slam = axes[SLAM]
            if events is not None:
                tell(events, told.SLAM, -1, -1, taken, clause_at(base))
            if slam == SLAM_NOTHING or slam == SLAM_FORBIDDEN:
                return outcome
            if slam == SLAM_REST:
                outcome |= SLAM_ENDED
            elif slam == SLAM_SPARE_LAST:
                first += 1
            elif slam == SLAM_SPARE_FIRST:
                last -= 1

    seeds = 0
    store = axes[PITS] + STORES + player
    for k in range(first, last):
        pit = np.int64(tables[player, TRACK + station - k])
        if events is not None and row[pit] > 0:
            tell(events, told.TAKE, pit, store, row[pit], clause_at(base))
        seeds += np.int64(row[pit])
        row[pit] = 0
    if take & TAKE_FACING and facing != hole:
        if events is not None and row[facing] > 0:
            tell(events, told.TAKE, facing, store, row[facing], clause_at(base))
        seeds += np.int64(row[facing])
        row[facing] = 0
    row[store] += seeds
    return outcome | CAPTURED if seeds > 0 else outcome


@inlined
def make_marks(row, player, hole, base, axes, tables, events):
    """Make the marks of a landing row, the mover's, where the last seed fell in ``hole``; ``row`` is modified."""
    take = axes[base + TAKE]
    facing = np.int64(tables[0, FACING + hole])
    if take & CARRY_AND_MARK:
        row[facing] -= 1
        row[hole] += 1
        if events is not None:
            tell(events, told.CARRY, facing, hole, 1, clause_at(base))
    if take & MARKS_FACING:
        row[axes[MARKS] + facing] = player
        if events is not None:
            tell(events, told.MARK, -1, facing, row[facing], clause_at(base))
    if take & MARKS_HERE:
        row[axes[MARKS] + hole] = player
        if events is not None:
            tell(events, told.MARK, -1, hole, row[hole], clause_at(base))


@part
def beginning(row, pit, hand, emptied, pits):
    """uint64: what tells apart how laps of one turn begin; a turn in which one comes back goes round for ever."""
    value = np.uint64((hand * MAX_PITS + pit) * 2 + (emptied >= 0)) * np.uint64(0x9E3779B97F4A7C15)
    value ^= value >> np.uint64(32)
    for hole in range(pits):
        value += np.uint64(row[hole]) * HASH_KEYS[hole]
    return value


@inlined
def move(row, player, pit, pits, any_rules, axes, tables, events):
    """Play a pit: sow, follow the landing table, relay as it says; ``row`` is modified in place.

    Only pits, stores, marks and removed seeds change. Returns the bits CAPTURED, TURN_AGAIN, WAS_SLAM, SLAM_ENDED.

    A turn that relays for ever ends at the lap limit as if every lap were sown; but once the board comes back as it
    was, whole rounds are left out (R. P. Brent, "An improved Monte Carlo factorization algorithm", BIT 20, 1980: a lap
    is noted at each power of two). So no turn takes much longer than its laps until then, whatever the limit.
    """
    if any_rules is not None and axes[SOWING] == SOW_NEIGHBOURS:
        scatter(row, pit, axes, events)
        return 0
    if any_rules is not None and axes[SOWING] == SOW_REAPING:
        reap(row, player, pit, axes, events)
        return 0
    outcome = 0
    lap = 1
    hand = np.int64(row[pit])
    emptied = pit
    if events is not None:
        tell(events, told.LIFT, pit, -1, hand, -1)
    noted, known = np.int64(0), np.uint64(0)  # a lap, and how it began
    while True:
        if lap > LONG_TURN:
            now = beginning(row, pit, hand, emptied, pits)
            if now == known:  # it goes round for ever: skip whole rounds, so that as many laps are left to be sown
                left_out = (axes[LAP_LIMIT] - lap) // (lap - noted) * (lap - noted)
                lap += left_out
                if events is not None and left_out > 0:
                    tell(events, told.ROUNDS, -1, -1, left_out, -1)
            elif lap & (lap - 1) == 0:
                noted, known = np.int64(lap), now
        station = drop(row, player, hand, pit, emptied, 1, pits, axes, tables, events)
        hole = np.int64(tables[player, TRACK + station])
        base = landing(row, player, hole, any_rules, axes, tables)
        if events is not None:
            tell(events, told.LAND, -1, hole, row[hole], clause_at(base))
        if base == 0:
            return outcome
        then = axes[base + THEN]
        if then >= RELAY and lap == axes[LAP_LIMIT]:  # nothing is lifted, nothing is captured
            if events is not None:
                tell(events, told.LIMIT, -1, -1, lap, clause_at(base))
            return outcome
        take = axes[base + TAKE]
        if any_rules is not None and then == SOW_ON:
            facing, behind = np.int64(tables[0, FACING + hole]), np.int64(tables[0, BEHIND + hole])
            if events is not None and row[facing] > 0:
                tell(events, told.TAKE, facing, -1, row[facing], clause_at(base))
            hand = np.int64(row[facing])
            row[facing] = 0
            if take & TAKE_BEHIND:
                if events is not None and row[behind] > 0:
                    tell(events, told.TAKE, behind, -1, row[behind], clause_at(base))
                hand += np.int64(row[behind])
                row[behind] = 0
            pit = hole
            emptied = -1
            lap += 1
            continue
        if take & (TAKE_HERE | TAKE_FACING) or axes[base + CHAIN] != NO_CHAIN:
            outcome |= capture(row, player, station, base, any_rules, axes, tables, events)
            if outcome & SLAM_ENDED:
                return outcome
        if any_rules is not None and take & MARKING:
            make_marks(row, player, hole, base, axes, tables, events)
            outcome |= CAPTURED
        if then == RELAY and row[hole] > 0:
            pit = emptied = hole
            hand = np.int64(row[hole])
            lap += 1
            if events is not None:
                tell(events, told.LIFT, hole, -1, hand, clause_at(base))
            continue
        if events is not None and then == AGAIN:
            tell(events, told.AGAIN, -1, -1, 0, clause_at(base))
        return outcome | TURN_AGAIN if then == AGAIN else outcome


@part
def move_apart(row, player, pit, any_rules, axes, tables):
    """``move`` where it is rarely called: not inlined."""
    return move(row, player, pit, axes[PITS], any_rules, axes, tables, None)


@allocating_part
def strips(row, player, pit, any_rules, axes, tables):
    """Would this move be a grand slam (or leave the opponent nothing, where that must be avoided)? Played on a copy."""
    trial = row.copy()
    outcome = move_apart(trial, player, pit, any_rules, axes, tables)
    left = side(trial, 1 - player, axes[ACTIONS], any_rules, axes, tables)
    return left == 0 if axes[FEEDING] == FEED_ALWAYS else outcome & WAS_SLAM != 0


@inlined
def chain_strips(row, player, pit, axes, tables):
    """``strips`` for a table of one chain: sown, looked at, and taken back."""
    seeds = np.int64(row[pit])
    station = sow(row, player, pit, axes[PITS], axes, tables)
    hole = np.int64(tables[player, TRACK + station])
    left = side(row, 1 - player, axes[ACTIONS], True, axes, tables)
    taken = 0
    if landing(row, player, hole, True, axes, tables) != 0:
        for k in range(1 + chain_length(row, player, station, LANDING, True, axes, tables)):
            left -= np.int64(row[tables[player, TRACK + station - k]])
            taken += 1
    unsow(row, player, pit, seeds, axes[PITS], axes, tables)
    return left == 0 and taken >= axes[SLAM_MIN_PITS]


@inlined
def slam_ends(row, player, actions, axes):
    """For a table of one chain: where a lap of less than a round must end to be a grand slam.

    Such a lap drops one seed in every pit of the opponent up to its end. So it takes everything if the chain runs all
    the way back, that is if each of these pits holds one seed less than a count that is taken, and if no seed of the
    opponent lies further on. Returns a set of the opponent's pits, bit j for the j-th from the opponent's left, and the
    seeds in the fullest of them.
    """
    camp = (1 - player) * actions
    full, taken, most = 0, 0, 0
    for j in range(actions):
        count = np.int64(row[camp + j])
        most = max(most, count)
        full |= np.int64(count > 0) << j
        taken |= ((axes[LANDING + CHAIN_COUNTS] >> min(count + 1, TOP_COUNT)) & 1) << j
    chained = taken & ~(taken + 1)  # the run from the left
    ends = 0 if full & ~chained else chained >> (axes[SLAM_MIN_PITS] - 1) << (axes[SLAM_MIN_PITS] - 1)
    for _ in range(actions - 1):  # not before the last seed
        full >>= 1
        ends &= ~full
    return ends, most


@inlined
def is_slam(row, player, k, seeds, ends, any_rules, axes, tables):
    """Does action ``k``, of a pit with ``seeds``, take all the opponent has? ``ends`` comes from ``slam_ends``."""
    theirs = axes[ACTIONS]
    if any_rules is not None and axes[ONE_CHAIN]:
        return chain_strips(row, player, pit_of(player, k, theirs, any_rules, tables), axes, tables)
    if any_rules is not None or not axes[ONE_CHAIN]:
        return strips(row, player, pit_of(player, k, theirs, any_rules, tables), any_rules, axes, tables)
    if seeds < axes[LOOP]:
        end = k + seeds - theirs
        return 0 <= end < theirs and (ends >> end) & 1 != 0
    # After a round every pit of the opponent has seeds: all are taken, so the last seed falls in the last of them.
    period = axes[LOOP] - axes[SKIP_ORIGIN]
    rounds, rest = seeds // period, seeds % period
    if k + (rest if rest > 0 else period) != 2 * theirs - 1:
        return False
    for j in range(theirs):
        count = np.int64(row[(1 - player) * theirs + j]) + rounds + (1 if theirs + j - k <= rest else 0)
        if not (axes[LANDING + CHAIN_COUNTS] >> min(count, TOP_COUNT)) & 1:
            return False
    return True


@allocating_part
def feeds(row, player, pit, any_rules, axes, tables):
    """Would this move give seeds to an opponent who has none?

    Counted after the sowing and before a capture, except where the game relays or every move must leave seeds.
    """
    trial = row.copy()
    if axes[RELAYS] or axes[FEEDING] == FEED_ALWAYS:
        move_apart(trial, player, pit, any_rules, axes, tables)
    else:
        sow(trial, player, pit, axes[PITS], axes, tables)
    return side(trial, 1 - player, axes[ACTIONS], any_rules, axes, tables) > 0


@part
def strike_slams(row, player, mask, legal, ends, actions, any_rules, axes, tables):
    """Strike the grand slams from ``mask`` unless all ``legal`` moves are; returns how many were struck."""
    slams = 0
    struck = 0  # a bit for each action
    for k in range(actions):
        seeds = np.int64(row[pit_of(player, k, actions, any_rules, tables)])
        if mask[k] and is_slam(row, player, k, seeds, ends, any_rules, axes, tables):
            slams += 1
            struck |= 1 << k
    if slams == 0 or slams == legal:
        return 0
    for k in range(actions):
        mask[k] = mask[k] and not (struck >> k) & 1
    return slams


@inlined
def avoid_slams(row, player, mask, legal, most, other, actions, any_rules, axes, tables):
    """``strike_slams`` where there may be one.

    ``most``: seeds in the fullest pit of ``player``; ``other``: seeds on the opponent's side.
    """
    ends = 0
    if axes[ONE_CHAIN]:
        if any_rules is None:
            ends, fullest = slam_ends(row, player, actions, axes)
            if ends == 0 and (fullest > axes[SLAM_MOST] or most < axes[LOOP]):
                return 0
        elif other > axes[SLAM_MOST] * actions:
            return 0
    return strike_slams(row, player, mask, legal, ends, actions, any_rules, axes, tables)


@inlined
def liftable(row, player, pit, any_rules, axes, tables):
    """Seeds in a pit, if its home lets ``player`` play it, else 0."""
    seeds = np.int64(row[pit])
    if any_rules is None:
        return seeds
    if axes[SOWING] == SOW_REAPING:
        return seeds if reap_target(row, player, pit, axes) >= 0 else 0
    foreign = axes[OWNERS] != 0 and row[axes[OWNERS] + pit] != player
    marked = axes[MARKS] != 0 and row[axes[MARKS] + pit] >= 0
    return 0 if foreign or marked or seeds < axes[MIN_START] else seeds


@inlined
def legal_actions(row, player, mask, actions, any_rules, axes, tables):
    """Write the legal mask of ``player`` and return (legal actions, seeds on the own side, seeds on the opponent's).

    Pits that can be lifted; of these the feeding ones, if the opponent has nothing; of these
    those that are no grand slam, unless all are. Passing is no action here.
    """
    own = 0
    legal = 0
    most = 0
    for k in range(actions):
        seeds = liftable(row, player, pit_of(player, k, actions, any_rules, tables), any_rules, axes, tables)
        own += seeds
        most = max(most, seeds)
        mask[k] = seeds > 0
        legal += seeds > 0
    if any_rules is not None:
        own = side(row, player, actions, any_rules, axes, tables)
    other = side(row, 1 - player, actions, any_rules, axes, tables)
    feeding = axes[FEEDING]
    if axes[ENDS_WITH_SIDE] and (own == 0 or other == 0):
        for k in range(actions):
            mask[k] = False
        return 0, own, other
    if other == 0 and feeding != FEED_NONE:
        fed = 0
        for k in range(actions):
            if mask[k]:
                mask[k] = feeds(row, player, pit_of(player, k, actions, any_rules, tables), any_rules, axes, tables)
                fed += mask[k]
        if fed == 0 and feeding == FEED_ALWAYS:
            for k in range(actions):
                mask[k] = (
                    liftable(row, player, pit_of(player, k, actions, any_rules, tables), any_rules, axes, tables) > 0
                )
        else:
            legal = fed
    if axes[SLAM] == SLAM_FORBIDDEN or (feeding == FEED_ALWAYS and other > 0):
        legal -= avoid_slams(row, player, mask, legal, most, other, actions, any_rules, axes, tables)
    return legal, own, other


@inlined
def position_hash(row, pits):
    """uint64: pits and mover. Equal positions have equal hashes."""
    value = np.uint64(row[pits + MOVER]) * HASH_KEYS[pits]
    for pit in range(pits):
        value += np.uint64(row[pit]) * HASH_KEYS[pit]
    return value


if DISABLE_JIT:  # these wrap around on purpose
    position_hash = np.errstate(over="ignore")(position_hash)
    beginning = np.errstate(over="ignore")(beginning)


@inlined
def dead_entry(row, seeds, mover, pits, any_rules, axes, tables):
    """Where the table of ``dead.dead_table`` speaks of a position with ``seeds`` on the board."""
    entry = 2 * configuration(row, pits, seeds) + mover
    if any_rules is not None and axes[OWNERS] != 0:
        territory = 0  # South's pits: they tell the whole map
        for pit in range(pits):
            territory += row[axes[OWNERS] + pit] == 0
        entry += territory * 2 * BINOMIAL[pits + axes[DEAD_SEEDS], pits]
    return entry


@inlined
def judge(row, outcome, mask, history, start, actions, pits, any_rules, axes, tables, dead):
    """Say whether the game is over, and if not what the mover may do; arguments as ``settle``.

    Order of the tests: an end by grand slam, majority, an empty block, nothing to play, indeterminacy, repetition, ply
    limit.
    """
    mover = np.int64(row[pits + MOVER])
    legal, own, other = 0, 0, 0
    for _ in range(2):  # the mover; if that player is stuck and passes, the other
        legal, own, other = legal_actions(row, mover, mask, actions, any_rules, axes, tables)
        ended = axes[ENDS_WITH_SIDE] and (own == 0 or other == 0)
        if legal > 0 or not axes[PASSES] or ended or outcome & SLAM_ENDED:
            break
        mover = 1 - mover
    if any_rules is not None and axes[PASS_ACTION]:
        mask[actions] = legal > 0 and mover != row[pits + MOVER]
        if mask[actions]:  # the stuck player has to say so
            mover = 1 - mover
            for k in range(actions):
                mask[k] = False
    if legal > 0:
        row[pits + MOVER] = mover

    end, value = np.int64(0), np.uint64(0)
    if axes[REPEATS] > 0:  # also at the end, so that every history ends with the position it is of
        end = start + np.int64(row[pits + PLIES_SINCE_CAPTURE])
        value = position_hash(row, pits)
        history[end] = value
    over = 0
    south, north = np.int64(row[pits + STORES]), np.int64(row[pits + STORES + 1])
    board = own + other
    if outcome & SLAM_ENDED:
        over = GRAND_SLAM
    elif axes[MAJORITY_STOP] and 2 * max(south, north) > south + north + board:
        over = MAJORITY
    elif any_rules is not None and axes[GOAL] == GOAL_EMPTY_BLOCK and (own == 0 or other == 0):
        over = BLOCK_EMPTY
    elif legal == 0:
        over = axes[END_REASON]
    elif board <= axes[DEAD_SEEDS] and dead[dead_entry(row, board, mover, pits, any_rules, axes, tables)]:
        over = INDETERMINACY
    elif axes[REPEATS] > 0:
        seen = 1
        for k in range(start, end - axes[REPEAT_GAP] + 1):
            seen += history[np.uint64(k)] == value  # an unsigned index: it cannot count from the end
        if seen >= axes[REPEATS]:
            over = REPETITION
    if over == 0 and row[pits + PLY] >= axes[PLY_LIMIT]:
        over = MAX_PLIES
    row[pits + OVER] = over
    if over != 0:
        for k in range(len(mask)):
            mask[k] = False


@inlined
def settle(row, outcome, mask, history, start, log, actions, pits, any_rules, axes, tables, dead):
    """Say whether the game is over, and if not what the mover may do; go on to the next game of a match.

    ``log``, int16[G, 3], is written where a game of a match ends: its doubled scores and why it ended, in line 0 for
    the first game of the match; games for which there is no line go unlogged.

    ``row`` (mover, why it ended) and ``mask`` are written. ``history[start : start + plies]`` holds the hashes of the
    earlier positions since the last capture, ``plies`` ago; the hash of this position is appended.
    Returns where the history now begins.
    """
    while True:  # one pass, but for games of a match that end: then the next one is looked at
        judge(row, outcome, mask, history, start, actions, pits, any_rules, axes, tables, dead)
        if any_rules is None or axes[MATCH] == 0 or row[pits + OVER] == 0:
            return start
        outcome = 0
        plies = np.int64(row[pits + PLIES_SINCE_CAPTURE])
        game = np.int64(row[axes[MATCH] + GAME]) - 1
        south, north = game_scores(row, any_rules, axes, tables)
        if game < len(log):
            log[game, 0], log[game, 1], log[game, 2] = south, north, row[pits + OVER]
        if not next_game(row, south, north, axes, tables):
            return start
        start += plies


@inlined
def marked_seeds(row, pits, axes):
    """Seeds in pits that bear a mark."""
    seeds = 0
    for pit in range(pits):
        if row[axes[MARKS] + pit] >= 0:
            seeds += np.int64(row[pit])
    return seeds


@inlined
def play(row, action, mask, history, start, log, actions, pits, any_rules, axes, tables, dead):
    """Play a legal action; ``row``, ``mask``, ``history`` and ``log`` are modified in place (see ``settle``).

    With ``NO_ACTION`` the position is only settled. The history of the position played from begins at
    ``history[start]`` (see ``settle``); the return value is where that of the new position begins: the same place, or
    after it where a capture (or whatever else cannot be undone) has come between. The victim of a grand slam that ends
    the game is left as the mover.
    """
    outcome = 0
    if action != NO_ACTION:
        player = np.int64(row[pits + MOVER])
        if any_rules is None:
            outcome = move(row, player, player * actions + action, pits, any_rules, axes, tables, None)
        elif action < actions:  # else it is a pass
            before = marked_seeds(row, pits, axes) if axes[MARKS] != 0 else 0
            outcome = move(
                row, player, pit_of(player, action, actions, any_rules, tables), pits, any_rules, axes, tables, None
            )
            if axes[MARKS] != 0 and marked_seeds(row, pits, axes) > before:
                outcome |= CAPTURED
        if not outcome & TURN_AGAIN:
            row[pits + MOVER] = 1 - player
        row[pits + PLY] += 1
        if outcome & CAPTURED:
            start += np.int64(row[pits + PLIES_SINCE_CAPTURE]) + 1
            row[pits + PLIES_SINCE_CAPTURE] = 0
        else:
            row[pits + PLIES_SINCE_CAPTURE] += 1
    return settle(row, outcome, mask, history, start, log, actions, pits, any_rules, axes, tables, dead)
