"""The effect of each action, as numbers for a network: where it ends, what it leaves, and its value in a few plies, by
the rules of ``Ruleset.without_repetition``, for the history of the position is not known here."""

from typing import Any, NamedTuple

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of, copy_of
from mancala_env.kernels.batch import write_onehot
from mancala_env.kernels.board import direction_of, lay_out, owner_of, pit_of
from mancala_env.kernels.engine import NO_ACTION, play
from mancala_env.kernels.jit import KERNELS, Work, compiler, inlined, part
from mancala_env.kernels.match import next_game
from mancala_env.kernels.moves import left_behind
from mancala_env.kernels.scores import game_scores, lead, margin
from mancala_env.kernels.sowing import sow

njit = compiler(KERNELS, work=Work("inputs that look ahead", 15))
# The block of an action: where its parts begin. After CELLS come EXPOSED numbers, then BINS for each ply.
LEGAL = 0
RESULT = 1  # won, drawn, lost, and after these: the same player moves again
AGAIN = 4
CELLS = 5  # as many entries as the board has pits, and one for a store
EXPOSED = 3  # what the seat has left at risk
MOST = 11  # seeds won or lost; more count as this number
BINS = 2 * MOST + 1
FAR = 1 << 30

# One level of the stack, int64[FRAME]. Values are doubled seeds for the seat that looks, ALPHA and BETA the window.
(
    SLOT,  # which child of the level above it is
    OWN,  # the seat that looks is to move: it takes the highest value, the other player the lowest
    ALPHA,
    BETA,
    BEST,
    NEXT,  # the next child to visit
    COUNT,  # children
    FRAME,
) = range(8)
VALUE, ORDER, CHILD = range(3)  # of one child of a level, int64[CHILD]: its worth at once; the k-th to visit


class Stack(NamedTuple):
    """The work space of a look ahead, an entry for each child of each level: anything may lie in it."""

    frames: Any  # int64[plies + 1, FRAME]
    positions: Any  # int16[plies + 1, A, W]
    masks: Any  # bool[plies + 1, A, A]
    children: Any  # int64[plies + 1, A, CHILD]
    history: Any  # uint64[1]; no position is played from children[0]
    log: Any  # int16[0, ...]


def block_size(pits, plies):
    """F: numbers in the block of one action."""
    return CELLS + pits + 1 + EXPOSED + BINS * plies


@inlined
def take(frame, value):
    """The mover of a level can have ``value``; ``frame`` is modified in place."""
    if frame[OWN]:
        frame[BEST] = max(frame[BEST], value)
        frame[ALPHA] = max(frame[ALPHA], value)
    else:
        frame[BEST] = min(frame[BEST], value)
        frame[BETA] = min(frame[BETA], value)


@part
def expand(level, plies, seat, stack, rules):
    """Play every action of the position that SLOT of a level names, in a look ahead of ``plies``, and order the
    results. From level 2 on, if no more plies follow, only the best value is wanted: BEST, or a bound outside the
    window."""
    axes, tables, _ = arrays_of(rules)
    pits = axes[L.PITS]
    frame, children = stack.frames[level], stack.children[level + 1]
    position, mask = stack.positions[level, frame[SLOT]], stack.masks[level, frame[SLOT]]
    leaves = level > 1 and level + 1 == plies
    frame[OWN] = position[pits + L.MOVER] == seat
    frame[BEST] = -FAR if frame[OWN] else FAR
    frame[NEXT] = 0
    count = 0
    for action in range(len(mask)):
        if not mask[action]:
            continue
        child = stack.positions[level + 1, action]
        for field in range(len(child)):
            child[field] = position[field]
        play(rules, child, action, stack.masks[level + 1, action], stack.history, 0, stack.log)
        value = margin(child, axes, tables)
        value = value if seat == 0 else -value
        if leaves:
            take(frame, value)
            if frame[ALPHA] >= frame[BETA]:
                break
            continue
        children[action, VALUE] = value
        place = count
        count += 1
        while place > 0:
            before = children[place - 1, ORDER]
            gain = value - children[before, VALUE]
            if gain <= 0 if frame[OWN] else gain >= 0:
                break
            children[place, ORDER] = before
            place -= 1
        children[place, ORDER] = action
    frame[COUNT] = count


@part
def search(plies, low, high, seat, stack, rules):
    """Alpha-beta: what the position of level 1, whose children are made, is worth in a look ahead of ``plies``, from 3.
    Exact between ``low`` and ``high``, else a bound beyond them. A level is a ply, whoever moves."""
    axes, _, _ = arrays_of(rules)
    over = axes[L.PITS] + L.OVER
    level = 1
    frame = stack.frames[level]
    frame[ALPHA], frame[BETA], frame[NEXT] = low, high, 0
    frame[BEST] = -FAR if frame[OWN] else FAR
    while True:
        frame = stack.frames[level]
        if frame[NEXT] < frame[COUNT] and frame[ALPHA] < frame[BETA]:
            action = stack.children[level + 1, frame[NEXT], ORDER]
            frame[NEXT] += 1
            if stack.positions[level + 1, action, over] != 0:
                take(frame, stack.children[level + 1, action, VALUE])
                continue
            below = stack.frames[level + 1]
            below[SLOT], below[ALPHA], below[BETA] = action, frame[ALPHA], frame[BETA]
            expand(level + 1, plies, seat, stack, rules)
            if level + 2 == plies:
                take(frame, below[BEST])
            else:
                level += 1
        elif level == 1:
            return frame[BEST]
        else:
            level -= 1
            take(stack.frames[level], frame[BEST])


@part
def last_of_lap(position, player, action, axes, tables):
    """The cell where the last seed of an action's first lap falls; its pit, if that seed stays; -1 if it leaves the
    board."""
    trial, pit = copy_of(position), pit_of(player, action, axes, tables)
    if axes[L.DEBT] != 0:
        lay_out(trial, player, axes, tables, None)
    hand = np.int64(trial[pit])
    hand -= left_behind(hand, axes[L.LEAVE] != L.LEAVE_NOTHING, axes)
    if axes[L.PENDING] != 0 and position[axes[L.PENDING] + L.DECISION] == L.CHOOSE_WAY:
        hand = np.int64(position[axes[L.PENDING] + L.LEFT])
    if hand == 0:
        return pit
    trial[pit] -= hand
    sown = tables[2 * direction_of(action, axes) :]
    track_index, count, _, _ = sow(trial, player, hand, pit, np.int64(-1), np.int64(0), axes, sown, None)
    return np.int64(sown[player, L.TRACK + track_index]) if count > 0 else np.int64(-1)


@inlined
def write_exposed(position, seat, out, at, axes, tables):
    """What the seat has at risk, from ``out[at]`` on: three shares."""
    pits = axes[L.PITS]
    held, owned, thin, bare = 0, 0, 0, 0
    for pit in range(pits):
        if owner_of(position, pit, axes, tables) == seat:
            seeds = np.int64(position[pit])
            held += seeds
            owned += 1
            thin += 0 < seeds <= 2
            facing = np.int64(tables[0, L.FACING + pit])
            if position[facing] == 0 and owner_of(position, facing, axes, tables) == 1 - seat:
                bare += seeds
    scale = np.float32(1.0 / axes[L.TOTAL_SEEDS])
    out[at] = min(held * scale, np.float32(1.0))
    out[at + 1] = np.float32(thin) / np.float32(max(owned, 1))
    out[at + 2] = min(bare * scale, np.float32(1.0))


@inlined
def write_value(out, at, gain):
    """A value in doubled seeds, one-hot from ``out[at]`` on."""
    out[at + MOST + min(max(gain // 2, -MOST), MOST)] = 1.0


@njit
def write_actions(positions, seats, out, bins, frames, rows, masks, children, match, rules):
    """Encoders ``lookahead1`` and so on: what ``onehot`` writes, then a block for each action; zeros if it is illegal,
    the seat is not to move, or the game is over.

    A block: 1 for legal; whether the game (or match) is then won, drawn or lost for the seat; whether it moves again;
    for each pit in the order of ``onehot``, and for any store, whether the last seed of the first lap falls there
    (zeros for a pass, off the track, and where that seed leaves the board). Then, unless the game ends, what the seat
    has left: the share of all seeds on its side, of its pits that hold one or two, and of all seeds that face an empty
    pit of the other. Last, for each number of plies, BINS entries, one of them 1: what the action is worth if both play
    as well as they can see, in seeds of ``scores.margin`` more than now, from -11 or less to 11 or more. In a match
    these plies end with the game in progress.

    ``positions``: int16[n, W]; ``seats``: int8[n]; ``out``: float32[n, ...], of which the last A * ``block_size``
    numbers of each line are the blocks; ``frames`` to ``children``: those of ``Stack``, one by one, as a tuple takes
    longer; ``match``, ``rules``: ``engine.bind`` of the ruleset, and of it without repetition."""
    axes, tables, _ = arrays_of(rules)
    match_axes, _, _ = arrays_of(match)
    write_onehot(positions, seats, out, bins, match)
    actions, pits = axes[L.ACTIONS], axes[L.PITS]
    moves, plies = masks.shape[2], len(frames) - 1
    values = CELLS + pits + 1 + EXPOSED
    size = values + BINS * plies
    first = out.shape[1] - moves * size
    stack = Stack(frames, rows, masks, children, children[0, 0, :1].view(np.uint64), rows[0, :0])
    for game in range(len(positions)):
        seat = np.int64(seats[game])
        line = out[game]
        for k in range(first, first + moves * size):
            line[k] = 0.0
        if positions[game, pits + L.OVER] != 0 or positions[game, pits + L.MOVER] != seat:
            continue
        position = stack.positions[0, 0]
        for field in range(len(position)):
            position[field] = positions[game, field]
        play(rules, position, NO_ACTION, stack.masks[0, 0], stack.history, 0, stack.log)
        now = margin(position, axes, tables)
        now = now if seat == 0 else -now
        low, high = now - 2 * MOST, now + 2 * MOST  # what lies beyond is clipped anyway
        stack.frames[0, SLOT] = 0
        expand(np.int64(0), plies, seat, stack, rules)
        for action in range(moves):
            if not stack.masks[0, 0, action]:
                continue
            at = first + action * size
            after = stack.positions[1, action]
            over = after[pits + L.OVER] != 0
            value = stack.children[1, action, VALUE]
            write_value(line, at + values, value - now)
            if plies > 1 and not over:
                stack.frames[1, SLOT] = action
                expand(np.int64(1), plies, seat, stack, rules)
                value = stack.children[2, stack.children[2, 0, ORDER], VALUE]
            for depth in range(2, plies + 1):
                if depth > 2 and not over:
                    value = search(depth, low, high, seat, stack, rules)
                write_value(line, at + values + BINS * (depth - 1), value - now)
            line[at + LEGAL] = 1.0
            if action < actions and axes[L.SOWING] == L.SOW_TRACK:
                cell = last_of_lap(position, seat, action, axes, tables)
                for place in range(pits):
                    if tables[seat, L.VIEW + place] == cell:
                        line[at + CELLS + place] = 1.0
                if cell >= pits:
                    line[at + CELLS + pits] = 1.0
            if not over:
                write_exposed(after, seat, line, at + CELLS + pits + 1, axes, tables)
            elif match_axes[L.MATCH] != 0:  # on to the next game, if there is one
                south, north = game_scores(after, axes, tables)
                if next_game(after, south, north, match_axes, tables):
                    play(match, after, NO_ACTION, stack.masks[1, action], stack.history, 0, stack.log)
            if after[pits + L.OVER] != 0:
                result = np.int64(np.sign(lead(after, match_axes, tables)))
                line[at + RESULT + (1 - result if seat == 0 else 1 + result)] = 1.0
            else:
                line[at + AGAIN] = after[pits + L.MOVER] == seat
