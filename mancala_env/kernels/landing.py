"""The landing: which clause applies where the last seed of a lap falls, and what it captures.

Arguments are those of ``engine``.
"""

import numpy as np

from mancala_env.kernels import events as told
from mancala_env.kernels.board import owner_of, side
from mancala_env.kernels.events import clause_at, tell
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.layout import (
    ACROSS,
    ACTIONS,
    AHEAD,
    ASKED,
    ASKS_FURTHER,
    CHAIN,
    CHAIN_ANY,
    CHAIN_COUNTS,
    CHAIN_OPPONENT,
    CLAUSE_SIZE,
    CLAUSES,
    COUNTS,
    FACING,
    FACING_COUNTS,
    FACING_FULL,
    FACING_NEXT_FULL,
    FEW,
    FROM_PLY,
    FURTHER,
    FURTHER_SIZE,
    IN_OTHER_STORE,
    IN_STORE,
    IS_EVEN,
    IS_INNER,
    LANDING,
    LIFTED,
    LINE,
    LOOP,
    MARKED,
    MARKING,
    MARKS,
    MEMORY,
    NEEDS,
    NEXT2_FULL,
    NEXT_ANY,
    NEXT_COUNTS,
    NEXT_FULL,
    NEXT_NOBODY,
    NEXT_OPPONENT,
    NEXT_OWN,
    NEXT_SIDES,
    NEXT_SKIPS,
    NO_CHAIN,
    NOBODYS,
    OUTER,
    OUTER_COUNTS,
    OUTER_FULL,
    OWN_MARK,
    OWN_SIDE,
    PITS,
    PLACES,
    PLY,
    RECALL_ANY,
    RECALL_KNOWN,
    RECALLS,
    SHARED,
    SLAM,
    SLAM_CAPTURE,
    SLAM_FORBIDDEN,
    SLAM_MIN_PITS,
    SLAM_NOTHING,
    SLAM_REST,
    SLAM_SPARE_FIRST,
    SLAM_SPARE_LAST,
    STORES,
    TAKE,
    TAKE_FACING,
    TAKE_HERE,
    TOP_COUNT,
    TRACK,
    VALUE,
    WAS_EMPTY,
)
from mancala_env.kernels.marks import may_mark
from mancala_env.kernels.variants import every_axis

# What a move did, as bits.
CAPTURED, TURN_AGAIN, WAS_SLAM, SLAM_ENDED = 1, 2, 4, 8
LOST = 64  # the game, to the mover
MOVES_ON = 32  # and, 8 bits higher, the action that the turn goes on with


@inlined
def landing(position, player, cell, station, count, fell, lifted, visited, any_rules, axes, tables):
    """The first clause that matches where the last seed fell: its offset in ``axes``, or 0 for none.

    ``cell`` lies at ``station`` of the mover's track, in its second round; ``count``, what it held when the last seed
    had fallen into it; ``fell``, how many fell at once; ``lifted``, what the pit that was played held; ``visited``, the
    fact VISITED of the turn, or 0.
    """
    across = 0
    if cell >= axes[PITS]:
        facts = IN_STORE
        if any_rules is not None and every_axis(any_rules) and cell - axes[PITS] != player:
            facts = IN_STORE | IN_OTHER_STORE
    else:
        if axes[ACROSS] != 0:
            facing = np.int64(tables[0, FACING + cell])
            across = np.int64(position[facing]) if facing != cell else 0
        facts = (
            (OWN_SIDE if owner_of(position, cell, any_rules, axes, tables) == player else 0)
            | (WAS_EMPTY if count == fell else 0)
            | (0 if count & 1 else IS_EVEN)
            | (FACING_FULL if across > 0 else 0)
        )
        if any_rules is not None:
            outer = np.int64(tables[0, OUTER + cell])
            facts |= 0 if outer == cell else IS_INNER | OUTER_FULL if position[outer] > 0 else IS_INNER
            if axes[MARKS] != 0:
                mark = np.int64(position[axes[MARKS] + cell])
                facts |= 0 if mark < 0 else MARKED | OWN_MARK if mark == player else MARKED
        if any_rules is not None and every_axis(any_rules):
            facts |= visited
            if axes[SHARED] != 0 and owner_of(position, cell, any_rules, axes, tables) > 1:
                facts |= NOBODYS
            if axes[ASKED] & AHEAD:
                facts |= facts_ahead(position, player, station, axes, tables)
    count = min(count, TOP_COUNT)
    across = min(across, TOP_COUNT)
    base = np.int64(LANDING)  # a literal would make second variants of what it is passed to
    for k in range(axes[CLAUSES]):
        matches = facts & axes[base + NEEDS] == axes[base + VALUE] and (axes[base + COUNTS] >> count) & 1
        if matches and any_rules is not None:
            matches = (axes[base + FACING_COUNTS] >> across) & 1
            if matches and axes[base + TAKE] & MARKING:
                matches = may_mark(position, player, cell, base, axes, tables)
        if any_rules is not None and every_axis(any_rules) and matches and axes[ASKED] & ASKS_FURTHER:
            matches = matches_further(position, player, cell, station, lifted, np.int64(k), axes, tables)
        if matches:
            return base
        base += CLAUSE_SIZE
    return 0


@inlined
def cell_ahead(player, station, steps, axes, tables):
    """The cell that the player would sow ``steps`` after the one at ``station``, in the second round of the track.

    Where stores do not count, they are no steps.
    """
    if axes[NEXT_SKIPS] != 0:
        steps = steps_over_stores(player, station, steps, axes, tables)
    return np.int64(tables[player, TRACK + station + steps - axes[LOOP]])


@part
def steps_over_stores(player, station, steps, axes, tables):
    """How many cells further on lies the pit that is ``steps`` pits after a station."""
    cells = np.int64(0)
    while steps > 0:
        cells += 1
        steps -= tables[player, TRACK + station + cells - axes[LOOP]] < axes[PITS]
    return cells


@part
def facts_ahead(position, player, station, axes, tables):
    """Facts about the cells after the one where the last seed fell."""
    ahead = cell_ahead(player, station, 1, axes, tables)
    facts = NEXT_FULL if position[ahead] > 0 else 0
    facts |= NEXT2_FULL if position[cell_ahead(player, station, 2, axes, tables)] > 0 else 0
    if ahead < axes[PITS]:
        facing = np.int64(tables[0, FACING + ahead])
        facts |= FACING_NEXT_FULL if facing != ahead and position[facing] > 0 else 0
    return facts


@part
def matches_further(position, player, cell, station, lifted, clause, axes, tables):
    """Do the conditions hold that clause number ``clause`` says further?"""
    further = FURTHER + clause * FURTHER_SIZE
    if position[axes[PITS] + PLY] < axes[further + FROM_PLY] or lifted < axes[further + LIFTED]:
        return False
    if axes[FEW + clause] != 0:
        board = np.int64(0)
        for pit in range(axes[PITS]):
            board += np.int64(position[pit])
        if board > axes[FEW + clause]:
            return False
    recalls = axes[RECALLS + clause]
    if recalls != RECALL_ANY and (position[axes[MEMORY] + cell] != 0) != (recalls == RECALL_KNOWN):
        return False
    places = axes[PLACES + clause]
    if places != 0 and not (places >> (cell % (axes[PITS] // 2))) & 1:
        return False
    if axes[NEXT_SIDES + clause] != NEXT_ANY:
        ahead = cell_ahead(player, station, 1, axes, tables)
        if ahead >= axes[PITS] or whose(position, player, ahead, axes, tables) != axes[NEXT_SIDES + clause]:
            return False
    if axes[further + NEXT_COUNTS] != 0:
        count = min(np.int64(position[cell_ahead(player, station, 1, axes, tables)]), TOP_COUNT)
        if not (axes[further + NEXT_COUNTS] >> count) & 1:
            return False
    if axes[further + OUTER_COUNTS] != 0:
        outer = np.int64(tables[0, OUTER + cell])
        if outer == cell or not (axes[further + OUTER_COUNTS] >> min(np.int64(position[outer]), TOP_COUNT)) & 1:
            return False
    return True


@inlined
def whose(position, player, pit, axes, tables):
    """Whose a pit is, as the player sees it: one of the NEXT_ values."""
    owner = owner_of(position, pit, True, axes, tables)
    return NEXT_OWN if owner == player else NEXT_OPPONENT if owner == 1 - player else NEXT_NOBODY


@inlined
def further_at(base):
    """Where in ``axes`` stands what the clause at ``axes[base]`` says further."""
    return FURTHER + (base - LANDING) // CLAUSE_SIZE * FURTHER_SIZE


@inlined
def chain_length(position, player, station, base, any_rules, axes, tables):
    """How many pits before ``station``, one by one, hold a count that the chain of a clause takes."""
    length = 0
    side_of = axes[base + CHAIN]
    longest = axes[LOOP] - 1
    if any_rules is not None and every_axis(any_rules) and axes[LINE] != 0:
        longest = station - axes[LOOP]  # the pits before it
    while length < longest:
        cell = np.int64(tables[player, TRACK + station - length - 1])
        if cell >= axes[PITS]:
            break
        if side_of != CHAIN_ANY:
            owner = owner_of(position, cell, any_rules, axes, tables)
            if owner != (1 - player if side_of == CHAIN_OPPONENT else player):
                break
        if not (axes[base + CHAIN_COUNTS] >> min(np.int64(position[cell]), TOP_COUNT)) & 1:
            break
        length += 1
    return length


@inlined
def capture(position, player, station, base, any_rules, axes, tables, events):
    """Capture what a clause takes into the mover's store; ``position`` is modified in place.

    The whole capture is determined before a seed is removed. Returns the bits CAPTURED, WAS_SLAM, SLAM_ENDED.
    Readings of the grand slam: ``rules.choices.GrandSlam``.
    """
    take = axes[base + TAKE]
    cell = np.int64(tables[player, TRACK + station])
    facing = np.int64(tables[0, FACING + cell])
    first = 0 if take & TAKE_HERE else 1  # the pits first..last-1 steps before the station are taken
    last = 1
    if axes[base + CHAIN] != NO_CHAIN:
        last += chain_length(position, player, station, base, any_rules, axes, tables)
    outcome = 0

    if axes[SLAM] != SLAM_CAPTURE:
        left = side(position, 1 - player, axes[ACTIONS], any_rules, axes, tables)
        taken = 0  # pits of the opponent that lose seeds
        across = take & TAKE_FACING and facing != cell
        for k in range(first, last):
            pit = np.int64(tables[player, TRACK + station - k])
            across = across and pit != facing
            if owner_of(position, pit, any_rules, axes, tables) != player:
                left -= np.int64(position[pit])
                taken += position[pit] > 0
        if across and owner_of(position, facing, any_rules, axes, tables) != player:
            left -= np.int64(position[facing])
            taken += position[facing] > 0
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
        if events is not None and position[pit] > 0:
            tell(events, told.TAKE, pit, store, position[pit], clause_at(base))
        seeds += np.int64(position[pit])
        position[pit] = 0
    if take & TAKE_FACING and facing != cell:
        if events is not None and position[facing] > 0:
            tell(events, told.TAKE, facing, store, position[facing], clause_at(base))
        seeds += np.int64(position[facing])
        position[facing] = 0
    position[store] += seeds
    return outcome | CAPTURED if seeds > 0 else outcome
