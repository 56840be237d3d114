"""A move: laps of sowing, each followed by what the landing table says; and the decisions that it may leave to the
mover, who makes each by an action, a ply of its own (``layout.DECISION``). Arguments are those of ``engine``."""

import numpy as np

from mancala_env.kernels import events as E
from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import copy_of
from mancala_env.kernels.bao import CAPTURES, ENDLESS, play_bao, set_threat
from mancala_env.kernels.board import action_of, ask_for, board_hash, direction_of, lay_out, owner_of, pit_of
from mancala_env.kernels.captures import capture, make_marks
from mancala_env.kernels.events import emit
from mancala_env.kernels.jit import inlined, part
from mancala_env.kernels.landing import CAPTURED, LOST, SLAM_ENDED, TURN_AGAIN, cell_ahead, landing
from mancala_env.kernels.sowing import make_pile, reap, scatter, sow

LONG_TURN = 30  # laps; a longer turn may be one that never ends by itself


@part
def move(position, player, action, axes, tables, events):
    """Play a pit: sow, follow the landing table, relay as it says; in place. Returns CAPTURED, TURN_AGAIN, WAS_SLAM,
    SLAM_ENDED, LOST as bits. A turn that relays for ever ends at the lap limit as if every lap were sown; whole cycles
    of laps are skipped (R. P. Brent, "An improved Monte Carlo factorization algorithm", BIT 20, 1980)."""
    if axes[L.SOWING] == L.SOW_BAO:
        done = play_bao(position, player, action, axes, tables, events)
        if axes[L.THREAT] != 0:
            set_threat(position, player, done & CAPTURES != 0, axes)
        return done & TURN_AGAIN
    pits, both_ways = axes[L.PITS], tables
    pit, direction = pit_of(player, action, axes, tables), direction_of(action, axes)
    if axes[L.SOWING] != L.SOW_TRACK:
        if axes[L.SOWING] == L.SOW_NEIGHBOURS:
            scatter(position, pit, axes, events)
        elif axes[L.SOWING] == L.SOW_PILES:
            make_pile(position, axes, events)
        else:
            reap(position, player, pit, axes, events)
        return 0
    if axes[L.DEBT] != 0:
        lay_out(position, player, axes, tables, events)
    if axes[L.TWO_WAYS] != 0:
        tables = both_ways[2 * direction :]
    outcome, lap, stops = 0, 1, False
    begin = emptied = pit  # the cell after which a lap is sown, and the one that it empties
    visited = np.int64(0)  # or the fact VISITED
    lifted = hand = np.int64(position[pit])
    kept = left_behind(hand, axes[L.LEAVE] != L.LEAVE_NOTHING, axes)
    hand -= kept
    if axes[L.REVERSES] & L.REVERSE_LAPS and position[axes[L.PENDING] + L.DECISION] == L.CHOOSE_DIRECTION:
        lifted = hand = np.int64(position[axes[L.PENDING] + L.LEFT])
        position[pit] -= hand  # of captured seeds, others may lie there
        emptied = np.int64(-1)
        ask_for(position, L.NOTHING_DUE, 0, 0, axes)
    emit(events, E.LIFT if hand > 0 else E.STAY, pit, -1, hand, 0)
    if hand == 0:
        return outcome
    noted, begun, known = np.int64(0), np.int64(0), np.uint64(0)  # a lap, how it began, and the hash of the board then
    while True:
        if lap > LONG_TURN:
            now = (((hand * L.MAX_PITS + begin) * L.MAX_PITS + pit) * 2 + direction) * 2 + (emptied >= 0)
            if now == begun and board_hash(position, axes) == known:  # a cycle: skip as many rounds as fit in the limit
                left_out = (axes[L.LAP_LIMIT] - lap) // (lap - noted) * (lap - noted)
                lap += left_out
                if left_out > 0:
                    emit(events, E.ROUNDS, -1, -1, left_out, 0)
            elif lap & (lap - 1) == 0:
                noted, begun, known = np.int64(lap), now, board_hash(position, axes)
        track_index, count, taken, met = sow(position, player, hand, begin, emptied, kept, axes, tables, events)
        cell = np.int64(tables[player, L.TRACK + track_index])
        visited |= met
        if taken > 0:
            outcome |= CAPTURED | TURN_AGAIN if axes[L.PASSING] & L.PASSING_AGAIN else CAPTURED
        if count == 0:  # the last seed has left the board
            return outcome
        if stops or outcome & TURN_AGAIN:
            emit(events, E.LAND, -1, cell, count, 0)
            if outcome & TURN_AGAIN:
                emit(events, E.AGAIN, -1, -1, 0, 0)
            return outcome
        fell = (hand - 1) % axes[L.SEEDS_A_PIT] + 1 if axes[L.SEEDS_A_PIT] != 0 else np.int64(1)
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
        may_reverse = axes[L.REVERSES] & L.REVERSE_LAPS != 0
        if may_reverse and ask_direction(position, player, pit, hand, then == L.SOW_ON, axes, both_ways, events):
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
    if axes[L.REVERSES] != 0 and position[at + L.DECISION] == L.CHOOSE_DIRECTION:
        return move(position, player, action, axes, tables, events)  # which reads what is due
    if axes[L.SOWING] == L.SOW_BAO or position[at + L.DECISION] == L.GO_ON:
        if action == axes[L.ACTIONS] + axes[L.PITS]:
            emit(events, E.HOLD, pit, -1, 0, 0)
            ask_for(position, L.NOTHING_DUE, 0, 0, axes)
            return 0
        if axes[L.SOWING] != L.SOW_BAO:
            ask_for(position, L.NOTHING_DUE, 0, 0, axes)
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


@inlined
def may_be_picked(position, player, pit, axes, tables):
    """May ``player`` pick this pit: the opponent's, with seeds, without a mark, and not spared?"""
    is_spared = (axes[L.SPARED] >> (pit % (axes[L.PITS] // 2))) & 1
    if is_spared or position[pit] == 0 or owner_of(position, pit, axes, tables) != 1 - player:
        return False
    return axes[L.MARKS] == 0 or position[axes[L.MARKS] + pit] < 0


@part
def ask(position, player, cell, direction, base, axes, tables, events):
    """Write what the clause at ``axes[base]`` leaves to the mover, whose lap ended in ``cell``, if anything."""
    says, picks = axes[base + L.PICKS], np.int64(0)
    if says == L.MAY_STOP and position[cell] > 0:
        ask_for(position, L.GO_ON, direction, cell, axes)
        emit(events, E.CHOOSE, -1, cell, 0, base)
        return True
    if 0 < says < L.MAY_STOP:
        for pit in range(axes[L.PITS]):
            picks = min(picks + may_be_picked(position, player, pit, axes, tables), says)
    if picks == 0:
        return False
    ask_for(position, L.PICK, picks, np.int64(0), axes)
    emit(events, E.CHOOSE, -1, -1, picks, base)
    return True


@part
def captures_reversed(position, player, pit, hand, axes, tables):
    """Would a lap of ``hand`` seeds of a pit, sown the second way, end where a clause captures? Sown on a copy."""
    trial, second = copy_of(position), tables[2:]
    trial[pit] -= hand
    track_index, count, _, visited = sow(trial, player, hand, pit, np.int64(-1), np.int64(0), axes, second, None)
    cell = np.int64(second[player, L.TRACK + track_index])
    base = landing(trial, player, cell, track_index, count, np.int64(1), hand, visited, axes, second)
    return base != 0 and axes[base + L.TAKE] & ~(L.MARKING | L.TO_HERE | L.TO_OWNER) != 0


@part
def ask_direction(position, player, pit, hand, laid, axes, tables, events):
    """Write to ``position`` that the mover chooses which way the next lap goes, if it could capture the second way. It
    sows ``hand`` seeds of a pit, ``laid`` there first if they are captured ones. Returns whether there is a choice."""
    if position[axes[L.PITS] + L.PLY] < axes[L.OPENING_PLIES] or action_of(player, pit, np.int64(1), axes, tables) < 0:
        return False
    if laid:
        position[pit] += hand
    if not captures_reversed(position, player, pit, hand, axes, tables):
        if laid:
            position[pit] -= hand
        return False
    ask_for(position, L.CHOOSE_DIRECTION, hand, pit, axes)
    if laid:
        emit(events, E.LAY, -1, pit, hand, 0)
    emit(events, E.CHOOSE, -1, pit, hand, 0)
    return True


@part
def write_choices(position, player, mask, axes, tables):
    """Write to ``mask`` the actions that decide what is due; returns how many. If none do, nothing is due any more."""
    at, first, legal = axes[L.PENDING], axes[L.ACTIONS], 0  # actions from ``first`` on choose a pit, the last one stops
    decision, pit = position[at + L.DECISION], np.int64(position[at + L.AT])
    mask[: first + axes[L.DECISIONS]] = False
    if decision == L.NOTHING_DUE:
        return 0
    if axes[L.REVERSES] != 0 and decision == L.CHOOSE_DIRECTION:  # one way or, if it then captures, the other
        second = action_of(player, pit, np.int64(1), axes, tables)
        mask[second - first // 2] = True
        mask[second] = captures_reversed(position, player, pit, np.int64(position[at + L.LEFT]), axes, tables)
        return 1 + mask[second]
    if axes[L.SOWING] == L.SOW_BAO or decision == L.GO_ON:
        # From the pit where a lap has ended, if it is still there and the turn then ends, or stop.
        lies, goes_on = tables[0, L.OWNER + pit] == player and position[pit] > 0, True
        if axes[L.SOWING] == L.SOW_BAO:  # only from a stronghold
            lies = lies and pit % (axes[L.PITS] // 2) == axes[L.STRONGHOLD_PLACE]
            lies = lies and position[axes[L.STRONGHOLD] + player] != 0
            trial = copy_of(position)
            goes_on = lies and play_bao(trial, player, np.int64(first), axes, tables, None) & ENDLESS == 0
        if not lies:
            ask_for(position, L.NOTHING_DUE, 0, 0, axes)
            return 0
        for k in range(axes[L.PITS]):
            mask[first + k] = goes_on and tables[player, L.VIEW + k] == pit
        mask[first + axes[L.PITS]] = True
        return 1 + goes_on
    left = np.int64(position[at + L.LEFT])
    for k in range(axes[L.PITS]):
        pit = np.int64(tables[player, L.VIEW + k])
        mask[first + k] = left > 0 and may_be_picked(position, player, pit, axes, tables)
        legal += mask[first + k]
    position[at + L.LEFT] = min(left, legal)
    position[at + L.DECISION] = L.PICK if legal > 0 else L.NOTHING_DUE
    return legal
