"""The effect of each action, as numbers for a network: where it ends, what it leaves, and its value in a few plies, by
the rules of ``Ruleset.without_repetition``, for the history of the position is not known here."""

from typing import Any, NamedTuple

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of, copy_of
from mancala_env.kernels.board import direction_of, lay_out, owner_of, pit_of
from mancala_env.kernels.ending import next_game
from mancala_env.kernels.engine import NO_ACTION, play
from mancala_env.kernels.jit import KERNELS, Work, compiler, inlined, part
from mancala_env.kernels.moves import left_behind
from mancala_env.kernels.scores import final_scores, game_scores, margin
from mancala_env.kernels.sowing import sow

njit = compiler(KERNELS, work=Work("inputs that look ahead", 15))
# The block of an action (``write_actions``): where its parts begin, the numbers of what is at risk, and BINS for a ply.
LEGAL, RESULT, AGAIN, CELLS = 0, 1, 4, 5
EXPOSED = 3
MOST = 11  # seeds won or lost; more count as this number
BINS = 2 * MOST + 1
FAR = 1 << 30


class Stack(NamedTuple):
    """The work space of a look ahead, an entry for each child of each level: anything may lie in it."""

    positions: Any  # int16[plies + 1, A, W]
    masks: Any  # bool[plies + 1, A, A]
    values: Any  # int64[plies + 1, A]: doubled seeds for the seat that looks, before anybody answers
    order: Any  # int64[plies + 1, A + 1]: the actions, the best for the mover first, and then -1
    history: Any  # uint64[1]
    log: Any  # int16[0, ...]


def block_size(pits, plies):
    """F: numbers in the block of one action."""
    return CELLS + pits + 1 + EXPOSED + BINS * plies


@part
def child(level, slot, action, seat, stack, rules):
    """Play an action of the position at a slot of a level. Returns what that is worth at once."""
    axes, tables, _ = arrays_of(rules)
    position = stack.positions[level + 1, action]
    for field in range(len(position)):
        position[field] = stack.positions[level, slot, field]
    play(rules, position, action, stack.masks[level + 1, action], stack.history, 0, stack.log)
    value = margin(position, axes, tables)
    return value if seat == 0 else -value


@part
def expand(level, slot, is_own, seat, stack, rules):
    """Make all children of a position, which the seat is to move in or not, and write their order."""
    values, order, count = stack.values[level + 1], stack.order[level + 1], 0
    for action in range(len(values)):
        if not stack.masks[level, slot, action]:
            continue
        value = child(level, slot, action, seat, stack, rules)
        values[action] = value
        place = count
        while place > 0 and (value > values[order[place - 1]] if is_own else value < values[order[place - 1]]):
            order[place] = order[place - 1]
            place -= 1
        order[place] = action
        count += 1
    order[count] = -1


@part
def worth(level, slot, plies, low, high, seat, stack, rules):
    """Alpha-beta: what a position is worth to the seat in this number of plies, whoever moves: exact between ``low``
    and ``high``, else a bound beyond them. The children of level 1 have been made."""
    axes, _, _ = arrays_of(rules)
    is_own = stack.positions[level, slot, axes[L.PITS] + L.MOVER] == seat
    values, order = stack.values[level + 1], stack.order[level + 1]
    if plies > 1 and level > 1:
        expand(level, slot, is_own, seat, stack, rules)
    best = -FAR if is_own else FAR
    for k in range(len(values)):
        action = order[k] if plies > 1 else np.int64(k)
        if action < 0 or low >= high:
            break
        if plies == 1:
            if not stack.masks[level, slot, action]:
                continue
            value = child(level, slot, action, seat, stack, rules)
        elif stack.positions[level + 1, action, axes[L.PITS] + L.OVER] != 0:
            value = values[action]
        else:
            value = worth(level + 1, action, plies - 1, low, high, seat, stack, rules)
        if is_own:
            best, low = max(best, value), max(low, value)
        else:
            best, high = min(best, value), min(high, value)
    return best


@part
def last_of_lap(position, player, action, axes, tables):
    """The cell where a first lap's last seed falls; its pit, if that seed stays; -1 if it leaves the board."""
    trial, pit = copy_of(position), pit_of(player, action, axes, tables)
    if axes[L.DEBT] != 0:
        lay_out(trial, player, axes, tables, None)
    hand = np.int64(trial[pit])
    hand -= left_behind(hand, axes[L.LEAVE] != L.LEAVE_NOTHING, axes)
    if axes[L.PENDING] != 0 and position[axes[L.PENDING] + L.DECISION] == L.CHOOSE_DIRECTION:
        hand = np.int64(position[axes[L.PENDING] + L.LEFT])
    if hand == 0:
        return pit
    trial[pit] -= hand
    sown = tables[2 * direction_of(action, axes) :]
    track_index, count, _, _ = sow(trial, player, hand, pit, np.int64(-1), np.int64(0), axes, sown, None)
    return np.int64(sown[player, L.TRACK + track_index]) if count > 0 else np.int64(-1)


@inlined
def write_exposed(position, seat, out, axes, tables):
    """The share of all seeds on the seat's side, of its pits with one or two, of all seeds that face an empty pit."""
    held, owned, thin, bare = 0, 0, 0, 0
    for pit in range(axes[L.PITS]):
        if owner_of(position, pit, axes, tables) == seat:
            seeds = np.int64(position[pit])
            held += seeds
            owned += 1
            thin += 0 < seeds <= 2
            facing = np.int64(tables[0, L.FACING + pit])
            if position[facing] == 0 and owner_of(position, facing, axes, tables) == 1 - seat:
                bare += seeds
    scale = np.float32(1.0 / axes[L.TOTAL_SEEDS])
    out[0] = min(held * scale, np.float32(1.0))
    out[1] = np.float32(thin) / np.float32(max(owned, 1))
    out[2] = min(bare * scale, np.float32(1.0))


@njit
def write_actions(positions, seats, out, rows, masks, values, order, match, rules):
    """Encoders ``lookahead1`` and so on, after what ``onehot`` writes: a block for each action; zeros if it is illegal,
    the seat is not to move, or the game is over. It says: 1 for legal; whether the game (or match) is then won, drawn
    or lost for the seat; whether it moves again; for each pit in the order of ``onehot``, and for any store, whether
    the last seed of the first lap falls there (zeros for a pass, off the track, and where that seed leaves the board).
    Then, unless the game ends, ``write_exposed``. Last, for each number of plies, BINS entries, one of them 1: what the
    action is worth if both play as well as they can see, in seeds of ``scores.margin`` more than now, from -11 or less
    to 11 or more, in a match up to the end of the game in progress. ``positions``: int16[n, W]; ``seats``: int8[n];
    ``out``: float32[n, ...], whose lines end with the blocks; ``rows`` to ``order``: those of ``Stack``, one by one, as
    a tuple takes longer; ``match``, ``rules``: ``Encoded.rules`` of the ruleset, and of it without repetition."""
    axes, tables, _ = arrays_of(rules)
    match_axes, _, _ = arrays_of(match)
    pits, moves, plies = axes[L.PITS], masks.shape[2], len(rows) - 1
    risk = CELLS + pits + 1
    size = risk + EXPOSED + BINS * plies
    first = out.shape[1] - moves * size
    stack = Stack(rows, masks, values, order, order[0, :1].view(np.uint64), rows[0, :0])
    top, below = np.int64(0), np.int64(1)
    for game in range(len(positions)):
        seat = np.int64(seats[game])
        for k in range(first, out.shape[1]):
            out[game, k] = 0.0
        if positions[game, pits + L.OVER] != 0 or positions[game, pits + L.MOVER] != seat:
            continue
        position = stack.positions[0, 0]
        for field in range(len(position)):
            position[field] = positions[game, field]
        play(rules, position, NO_ACTION, stack.masks[0, 0], stack.history, 0, stack.log)
        now = margin(position, axes, tables)
        now = now if seat == 0 else -now
        expand(top, top, True, seat, stack, rules)
        for action in range(moves):
            if not stack.masks[0, 0, action]:
                continue
            block, after = out[game, first + action * size : first + (action + 1) * size], stack.positions[1, action]
            over, value = after[pits + L.OVER] != 0, stack.values[1, action]
            for depth in range(plies):  # plies beyond the action
                if depth == 1 and not over:
                    expand(below, action, after[pits + L.MOVER] == seat, seat, stack, rules)
                    value = stack.values[2, stack.order[2, 0]]
                elif depth > 1 and not over:  # what lies beyond this window is clipped anyway
                    value = worth(below, action, depth, now - 2 * MOST, now + 2 * MOST, seat, stack, rules)
                block[risk + EXPOSED + BINS * depth + MOST + min(max((value - now) // 2, -MOST), MOST)] = 1.0
            block[LEGAL] = 1.0
            if action < axes[L.ACTIONS] and axes[L.SOWING] == L.SOW_TRACK:
                cell = last_of_lap(position, seat, action, axes, tables)
                for place in range(pits):
                    block[CELLS + place] = tables[seat, L.VIEW + place] == cell
                block[CELLS + pits] = cell >= pits
            if not over:
                write_exposed(after, seat, block[risk:], axes, tables)
            elif match_axes[L.MATCH] != 0:  # on to the next game, if there is one
                south, north = game_scores(after, axes, tables)
                if next_game(after, south, north, match_axes, tables):
                    play(match, after, NO_ACTION, stack.masks[1, action], stack.history, 0, stack.log)
            if after[pits + L.OVER] != 0:
                result = np.int64(np.sign(final_scores(after, match_axes, tables)[2]))
                block[RESULT + (1 - result if seat == 0 else 1 + result)] = 1.0
            else:
                block[AGAIN] = after[pits + L.MOVER] == seat
