"""Compiled search to the end of the game with null windows: is a position worth at least so much to its mover?

An entry of the transposition table holds both a lower and an upper bound, as the next test asks for another number.
"""

from pathlib import Path

import numpy as np

from agents.search.kernel import (
    BEFORE,
    BEST,
    BEST_ACTION,
    BETA,
    CHILD_PROBES,
    COUNT,
    COVERED,
    ENTERING,
    FEATURES,
    FINISHED,
    GAINS,
    GENERATION,
    INFINITY,
    KEYS,
    LEVEL,
    NEXT,
    NO_MOVE,
    NODES,
    ORDER,
    PAUSE,
    PAUSED,
    REACHES,
    RELATIVE,
    SCORE,
    SLOT,
    STATUS,
    TABLE,
    TOO_DEEP,
    find,
    logarithm,
    offset,
    position_key,
    prefetch,
    store,
    worth,
)
from agents.tablebase import probe as tablebase
from agents.tablebase.probe import probe
from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of
from mancala_env.kernels.engine import play
from mancala_env.kernels.jit import DISABLE_JIT, KERNELS, Work, compiler

WORK = Work("proofs of values", 15)
njit = compiler(KERNELS, Path(tablebase.__file__).parent, Path(__file__).parent, work=WORK)
inlined = compiler(KERNELS, Path(tablebase.__file__).parent, Path(__file__).parent, inline=True)

# An entry is named as those of other searches are (``kernel.store``). Its number is, from the highest bit on: 16 bits
# lower bound, 16 bits upper bound, then generation, logarithm of the nodes and best action as there, and 3 bits 1.
NO_LOWER, NO_UPPER = -(1 << 15), (1 << 15) - 1
AGAIN = 8  # half seeds that an extra turn counts as where moves are ordered
APART = np.uint64(0x5851F42D4C957F2D)  # so that no entry of another search in the same table is taken for one of these


@inlined
def proof_key(position, relative, axes):
    """uint64: the hash of a position as its mover sees it, where the board looks the same from both sides.

    That is so where each plays one half of it, and there is nothing on it but seeds. Elsewhere, and where stores
    matter, it is that of ``position_key``.
    """
    pits = axes[L.PITS]
    if axes[L.HALVES] != 0 and relative and len(position) == pits + L.POSITION_FIELDS:
        half = pits // 2
        own = half if position[pits + L.MOVER] != 0 else 0
        key = np.uint64(0)
        for pit in range(half):
            key += np.uint64(position[own + pit]) * KEYS[pit] + np.uint64(position[half - own + pit]) * KEYS[half + pit]
        key = (key ^ (key >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
        return key ^ (key >> np.uint64(32)) ^ APART
    return position_key(position, relative, axes) ^ APART


if DISABLE_JIT:
    proof_key = np.errstate(over="ignore")(proof_key)  # it wraps around on purpose


@inlined
def bounds_of(data):
    """The lower and the upper bound of an entry."""
    return data >> 48, (data << 16) >> 48


@inlined
def read(data, position, level, relative, axes):
    """The bounds of an entry for the mover of a position at ``level``, in half seeds."""
    lower, upper = bounds_of(data)
    return (
        lower + offset(position, lower, level, relative, 1, axes),
        upper + offset(position, upper, level, relative, 1, axes),
    )


@njit
def reaches(control, frames, stack, masks, children, keys, history, names, table, line, margins, rules):
    """Is the position worth at least BETA of ``frames[0]`` to its mover? BEST is then a lower bound, else an upper one.

    Positions must not come back, and plies not be counted. Arguments are those of ``kernel.search``, where they are
    explained; of ``control`` DEPTH, ROOT and what is searched less deep are not read. Of ``line`` only the first move
    is written.
    """
    axes, tables, _ = arrays_of(rules)
    pits = axes[L.PITS]
    moves = masks.shape[2]
    mover = pits + L.MOVER
    features, relative = control[FEATURES], control[RELATIVE] != 0
    nodes = control[NODES]
    level = control[LEVEL]
    entering = control[ENTERING] != 0
    while True:
        frame = frames[level]
        position = stack[level, frame[SLOT]]
        beta = frame[BETA]
        finished = False
        if entering:
            if nodes >= control[PAUSE] or level + 2 >= len(frames):
                control[STATUS] = PAUSED if nodes >= control[PAUSE] else TOO_DEEP
                break
            entering = False
            mask = masks[level, frame[SLOT]]
            hinted = frame[BEST_ACTION] if level == 0 else np.int64(NO_MOVE)  # at the root the last test's
            frame[BEST], frame[BEST_ACTION], frame[NEXT], frame[COUNT] = -INFINITY, NO_MOVE, 0, 0
            frame[BEFORE] = nodes
            if features & TABLE and level > 0:
                data = find(names, table, keys[level, frame[SLOT]])
                if data != 0:
                    hinted = (data >> 3) & 255
                    lower, upper = read(data, position, level, relative, axes)
                    if lower >= beta or upper < beta:
                        frame[BEST] = lower if lower >= beta else upper
                        finished = True
            waiting = 0
            before = worth(position, np.int64(0), axes, tables)
            for k in range(0 if finished else moves):
                action = moves - 1 - k  # those nearest to the store disturb the others least
                if not mask[action]:
                    continue
                child = stack[level + 1, action]
                for field in range(stack.shape[2]):
                    child[field] = position[field]
                play(rules, child, action, masks[level + 1, action], history, 0, stack[0, :0])  # fmt: skip
                nodes += 1
                value = worth(child, level, axes, tables)
                turned = child[mover] != position[mover]
                value = -value if turned else value
                settled = child[pits + L.OVER] != 0
                low = high = value
                if not settled:
                    board = 0
                    for pit in range(pits):
                        board += np.int64(child[pit])
                    if board <= control[COVERED]:
                        least, most = probe(child, board, np.int64(child[mover]), margins, axes)
                        least, most = (-most, -least) if turned else (least, most)
                        low, high = value + 2 * least, value + 2 * most
                        settled = low == high or low >= beta or high < beta
                    elif features & REACHES:
                        low, high = value - 2 * board, value + 2 * board
                        settled = low >= beta or high < beta  # whoever gets all the rest
                if settled:
                    known = low if low >= beta else high
                    if known > frame[BEST]:
                        frame[BEST], frame[BEST_ACTION] = known, action
                        if known >= beta:
                            break
                    continue
                children[level + 1, action, SCORE] = value - before
                if features & TABLE:
                    key = proof_key(child, relative, axes)
                    keys[level + 1, action] = key
                    if features & CHILD_PROBES:
                        prefetch(names, np.int64(key & np.uint64(len(names) - 2)))
                children[level + 1, waiting, ORDER] = action
                waiting += 1
            if frame[BEST] >= beta:
                waiting = 0
            for k in range(waiting):  # the remaining moves are sorted
                action = children[level + 1, k, ORDER]
                child = stack[level + 1, action]
                turned = child[mover] != position[mover]
                if features & CHILD_PROBES:
                    data = find(names, table, keys[level + 1, action])
                    if data != 0:
                        low, high = read(data, child, level + 1, relative, axes)
                        low, high = (-high, -low) if turned else (low, high)
                        if low >= beta or high < beta:
                            known = low if low >= beta else high
                            if known > frame[BEST]:
                                frame[BEST], frame[BEST_ACTION] = known, action
                                if known >= beta:
                                    break
                            continue
                score = np.int64(0)
                if action == hinted:
                    score = np.int64(1) << 50
                elif features & GAINS:  # half seeds
                    score = children[level + 1, action, SCORE] << 8
                    if turned:
                        for reply in range(moves):  # each may refute it
                            score -= np.int64(masks[level + 1, action, reply]) << 8
                    else:
                        score += (AGAIN << 8) + action
                place = frame[COUNT]
                frame[COUNT] += 1
                while place > 0 and children[level + 1, children[level + 1, place - 1, ORDER], SCORE] < score:
                    children[level + 1, place, ORDER] = children[level + 1, place - 1, ORDER]
                    place -= 1
                children[level + 1, place, ORDER] = action
                children[level + 1, action, SCORE] = score
        if not finished and frame[BEST] < beta and frame[NEXT] < frame[COUNT]:
            action = children[level + 1, frame[NEXT], ORDER]
            level += 1
            frames[level, SLOT] = action
            frames[level, BETA] = beta if stack[level, action, mover] == position[mover] else 1 - beta
            entering = True
            continue
        value = frame[BEST]
        if features & TABLE and not finished and level > 0:
            lower, upper = np.int64(NO_LOWER), np.int64(NO_UPPER)
            action = frame[BEST_ACTION]
            kept = find(names, table, keys[level, frame[SLOT]])
            if kept != 0:
                lower, upper = bounds_of(kept)
            bound = value - offset(position, value, level, relative, 1, axes)
            if value >= beta:
                lower = max(lower, bound)
            else:
                upper = min(upper, bound)
            data = lower << 48 | (upper & 0xFFFF) << 32 | (control[GENERATION] & 63) << 25
            data |= logarithm(max(nodes - frame[BEFORE], 1)) << 19 | action << 3 | 7
            store(names, table, keys[level, frame[SLOT]], data)
        if level == 0:
            line[0, 0], line[0, 1] = 1, frame[BEST_ACTION]
            control[STATUS] = FINISHED
            break
        action = frame[SLOT]
        level -= 1
        upper_frame = frames[level]
        if stack[level, upper_frame[SLOT], mover] != position[mover]:
            value = -value
        upper_frame[NEXT] += 1
        if value > upper_frame[BEST]:
            upper_frame[BEST], upper_frame[BEST_ACTION] = value, action
    control[NODES] = nodes
    control[LEVEL] = level
    control[ENTERING] = entering
