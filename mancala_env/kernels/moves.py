"""A move: laps of sowing, each followed by what the landing table says. Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.bao import clear, move_from_ends
from mancala_env.kernels.board import action_of, direction_of, lay_out, pit_of
from mancala_env.kernels.captures import capture, make_marks
from mancala_env.kernels.decisions import ask, ask_direction
from mancala_env.kernels.events import emit
from mancala_env.kernels.jit import DISABLE_JIT, inlined, part
from mancala_env.kernels.landing import CAPTURED, LOST, SLAM_ENDED, TURN_AGAIN, cell_ahead, landing
from mancala_env.kernels.off_track import move_off_track
from mancala_env.kernels.sowing import sow

LONG_TURN = 100  # laps; a longer turn may be one that never ends by itself


@part
def move(position, player, action, axes, tables, events):
    """Play a pit: sow, follow the landing table, relay as it says; ``position`` is modified in place. Returns the bits
    CAPTURED, TURN_AGAIN, WAS_SLAM, SLAM_ENDED, LOST. A turn that relays for ever ends at the lap limit as if every lap
    were sown; but once the board comes back as it was, whole cycles of laps are skipped (R. P. Brent, "An improved
    Monte Carlo factorization algorithm", BIT 20, 1980)."""
    if axes[L.SOWING] == L.SOW_FROM_ENDS:
        return move_from_ends(position, player, action, axes, tables, events)
    pits, both_ways = axes[L.PITS], tables
    pit, direction = pit_of(player, action, axes, tables), direction_of(action, axes)
    if axes[L.SOWING] != L.SOW_TRACK:
        return move_off_track(position, player, pit, axes, events)
    if axes[L.DEBT] != 0:
        lay_out(position, player, axes, tables, events)
    if axes[L.TWO_WAYS] != 0:
        tables = both_ways[2 * direction :]
    outcome, lap, stops = 0, 1, False
    begin = emptied = pit  # the cell after which a lap is sown, and the one that it empties
    visited = np.int64(0)  # or the fact VISITED
    lifted = hand = np.int64(position[pit])
    is_plain = axes[L.PLAIN_PLIES] > 0 and position[pits + L.PLY] < axes[L.PLAIN_PLIES]
    kept = left_behind(hand, axes[L.LEAVE] != L.LEAVE_NOTHING, axes)
    hand -= kept
    if axes[L.REVERSES] & L.REVERSE_LAPS and position[axes[L.PENDING] + L.DECISION] == L.CHOOSE_WAY:
        lifted = hand = np.int64(position[axes[L.PENDING] + L.LEFT])
        position[pit] -= hand  # of captured seeds, others may lie there
        emptied = np.int64(-1)
        clear(position, axes)
    emit(events, E.LIFT if hand > 0 else E.STAY, pit, -1, hand, 0)
    if hand == 0:
        return outcome
    noted, known = np.int64(0), np.uint64(0)  # a lap, and the hash of how it began
    while True:
        if lap > LONG_TURN:
            now = beginning(position, pit, begin, hand, emptied, direction, pits)
            if now == known:  # a cycle: skip as many whole rounds of it as fit below the limit
                left_out = (axes[L.LAP_LIMIT] - lap) // (lap - noted) * (lap - noted)
                lap += left_out
                if left_out > 0:
                    emit(events, E.ROUNDS, -1, -1, left_out, 0)
            elif lap & (lap - 1) == 0:
                noted, known = np.int64(lap), now
        track_index, count, taken, met = sow(position, player, hand, begin, emptied, kept, axes, tables, events)
        cell = np.int64(tables[player, L.TRACK + track_index])
        visited |= met
        if taken > 0:
            outcome |= CAPTURED | TURN_AGAIN if axes[L.PASSING] & L.PASSING_AGAIN else CAPTURED
        if count == 0:  # the last seed has left the board
            return outcome
        if is_plain or stops or outcome & TURN_AGAIN:
            emit(events, E.LAND, -1, cell, count, 0)
            if outcome & TURN_AGAIN:
                emit(events, E.AGAIN, -1, -1, 0, 0)
            return outcome
        fell = np.int64(1)
        if axes[L.SEEDS_A_PIT] != 0:
            fell = (hand - 1) % axes[L.SEEDS_A_PIT] + 1
        base = landing(position, player, cell, track_index, count, fell, lifted, visited, axes, tables)
        emit(events, E.LAND, -1, cell, count, base)
        if axes[L.REMEMBERS] == L.REMEMBER_MARKS and cell < pits and position[axes[L.MARKS] + cell] == 1 - player:
            position[axes[L.MEMORY] + cell] = 1
        if base == 0:
            return outcome
        then, take = axes[base + L.THEN], axes[base + L.TAKE]
        if then == L.LOSE:
            emit(events, E.FAIL, -1, cell, count, base)
            return outcome | LOST
        if then >= L.RELAY and lap == axes[L.LAP_LIMIT]:  # nothing is lifted, nothing is captured
            emit(events, E.LIMIT, -1, -1, lap, base)
            return outcome
        after = np.int64(0)
        if then == L.SOW_ON:
            after = axes[base + L.AFTER]
            pit = pit if after & L.AFTER_LAP_START else cell
            hand = lift_to_sow_on(position, player, cell, track_index, base, axes, tables, events)
            emptied, kept = np.int64(-1), np.int64(0)
        else:
            if take & ~L.MARKING or axes[base + L.CHAIN] != L.NO_CHAIN:
                outcome |= capture(position, player, track_index, base, axes, tables, events)
            if outcome & SLAM_ENDED:
                return outcome
            if take & L.MARKING:
                make_marks(position, player, cell, base, axes, tables, events)
                outcome |= CAPTURED
            if axes[L.PENDING] != 0 and ask(position, player, cell, direction, base, axes, tables, events):
                return outcome | TURN_AGAIN
            if then == L.AGAIN:
                emit(events, E.AGAIN, -1, -1, 0, base)
                return outcome | TURN_AGAIN
            if then == L.RELAY_NEXT:
                cell = cell_ahead(position, player, track_index, 1, axes, tables)
                if cell >= pits or (axes[L.MARKS] != 0 and position[axes[L.MARKS] + cell] >= 0):
                    return outcome
            if then == L.STOP or position[cell] == 0:
                return outcome
            pit = emptied = cell
            hand = np.int64(position[cell])
            kept = left_behind(hand, axes[L.LEAVE] == L.LEAVE_EVERY_LAP, axes)
            hand -= kept
            if hand == 0:
                return outcome
        if axes[L.REVERSES] & L.REVERSE_LAPS:
            asked = ask_direction(position, player, pit, hand, then == L.SOW_ON, axes, both_ways, events)
            if asked:
                return outcome | TURN_AGAIN
        lap += 1
        if axes[L.TURNS_ROUND] | axes[L.REVERSES] != 0:
            direction = 1 - direction if axes[L.TURNS_ROUND] != 0 else np.int64(0)
            tables = both_ways[2 * direction :]
        begin = pit
        if then == L.SOW_ON:
            if after & L.INCLUDING:
                begin = np.int64(tables[player, L.TRACK + np.int64(tables[player, L.PLACE + pit]) + axes[L.LOOP] - 1])
            stops = after & L.STOPS != 0
        else:
            emit(events, E.LIFT, cell, -1, hand, base)


@inlined
def left_behind(seeds, leaves, axes):
    """How many of the seeds of a pit that is lifted stay there: one or none; all, if a lone seed does not move."""
    if not leaves:
        return np.int64(0)
    return np.int64(1 if seeds > 1 or axes[L.LEAVE] == L.LEAVE_UNLESS_ALONE else 0)


@part
def beginning(position, pit, begin, hand, emptied, direction, pits):
    """uint64: a hash of how a lap of one turn begins; a turn in which one comes back would go on for ever."""
    value = np.uint64((((hand * L.MAX_PITS + begin) * L.MAX_PITS + pit) * 2 + direction) * 2 + (emptied >= 0))
    value *= np.uint64(0x9E3779B97F4A7C15)
    value ^= value >> np.uint64(32)
    for cell in range(pits):
        value += np.uint64(position[cell]) * L.HASH_KEYS[cell]
    return value


@part
def lift_to_sow_on(position, player, cell, track_index, base, axes, tables, events):
    """Lift what a clause sows on; ``position`` is modified in place. Returns the number of seeds."""
    take, hand = axes[base + L.TAKE], np.int64(0)
    facing = np.int64(tables[0, L.FACING + cell]) if take & L.TAKE_FACING else cell
    outer = np.int64(tables[0, L.OUTER + cell]) if take & L.TAKE_OUTER else cell
    ahead = cell_ahead(position, player, track_index, 1, axes, tables) if take & L.TAKE_NEXT else cell
    for source in (facing, outer, ahead):
        if source < axes[L.PITS] and source != cell and position[source] > 0:
            emit(events, E.TAKE, source, -1, position[source], base)
            hand += np.int64(position[source])
            position[source] = 0
    return hand


@part
def decide(position, player, action, axes, tables, events):
    """Play an action that decides what is due; ``position`` is modified in place. Returns what ``move`` does."""
    at = axes[L.PENDING]
    pit, left = np.int64(position[at + L.AT]), np.int64(position[at + L.LEFT])
    if position[at + L.DECISION] == L.CHOOSE_WAY:
        return move(position, player, action, axes, tables, events)  # which reads what is due
    if position[at + L.DECISION] == L.GO_ON:
        if action == axes[L.ACTIONS] + axes[L.PITS]:
            emit(events, E.HOLD, pit, -1, 0, 0)
            clear(position, axes)
            return 0
        if axes[L.SOWING] != L.SOW_FROM_ENDS:
            clear(position, axes)
            action = action_of(player, pit, left, axes, tables)
        return move(position, player, action, axes, tables, events)
    pit = np.int64(tables[player, L.VIEW + action - axes[L.ACTIONS]])
    store = axes[L.PITS] + L.STORES + player
    emit(events, E.TAKE, pit, store, position[pit], 0)
    position[store] += position[pit]
    position[pit] = 0
    position[at + L.LEFT] -= 1
    if left == 1:
        position[at + L.DECISION] = L.NOTHING_DUE
        return CAPTURED
    emit(events, E.CHOOSE, -1, -1, left - 1, 0)
    return CAPTURED | TURN_AGAIN


if DISABLE_JIT:  # it wraps around on purpose
    beginning = np.errstate(over="ignore")(beginning)
