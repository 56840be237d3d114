"""Compiled alpha-beta search with its transposition table, and perft, over the rules engine.

Both walk the tree on an explicit stack: ``stack`` for positions, ``masks`` and the like hold one entry per level, and
``history`` the hashes along the line, so that repetitions inside the tree are noticed. (A compiled function that calls
itself cannot be loaded from Numba's cache.)
"""

from pathlib import Path
from types import FunctionType

import numpy as np

from agents.batched.kernel import FOLDER as BATCHED
from agents.batched.kernel import one_of
from agents.search.learned import SURE, expected, unit_of
from agents.tablebase import probe as tablebase
from agents.tablebase.probe import probe
from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of
from mancala_env.kernels.compilers import cgutils, intrinsic, ir, numba, types
from mancala_env.kernels.ending import history_hash
from mancala_env.kernels.engine import play
from mancala_env.kernels.jit import DISABLE_JIT, KERNELS, Work, compiler
from mancala_env.kernels.scores import margin

WORK = Work("alpha-beta search", 15)
njit = compiler(KERNELS, Path(tablebase.__file__).parent, BATCHED, Path(__file__).parent, work=WORK)
inlined = compiler(KERNELS, Path(tablebase.__file__).parent, BATCHED, Path(__file__).parent, inline=True)

INFINITY = 1 << 30


@inlined
def descend(level, action, stack, masks, history, starts, rules):
    """Play ``action`` from the position of ``level`` into that of the next level."""
    for field in range(stack.shape[1]):
        stack[level + 1, field] = stack[level, field]
    starts[level + 1] = play(rules, stack[level + 1], action, masks[level + 1], history, starts[level], stack[:0])


# The control array of a search, int64[CONTROL].
(
    DEPTH,  # plies to look ahead, at most ENDLESS - 1; ENDLESS: to the end of the game (``null_window``)
    ROOT,  # one of the ROOT_ values
    FEATURES,  # a sum of the features below
    RELATIVE,  # positions that differ in their stores alone share an entry of the transposition table
    GENERATION,  # which search this is: older entries are overwritten first
    NODES,  # positions made so far
    COVERED,  # positions with at most this number of seeds on the board are looked up in ``margins``; -1: none
    PAUSE,  # number of nodes at which the walk pauses; it can be resumed
    LEVEL,
    ENTERING,  # the position of this level has just been reached
    REDUCED,  # moves of this rank by their static values, and lower ones, are searched a ply less deep; 0: none
    REDUCED_TWICE,  # of this rank and lower: two plies less deep
    PLY_WORTH,  # and a ply less deep for each time that a move's static value falls short of the best by this; 0: not
    STATUS,  # one of the three below
    CONTROL,
) = range(15)
PAUSED, FINISHED, TOO_DEEP = range(3)
ROOT_BEST, ROOT_TIES, ROOT_ALL = range(3)  # which root moves get exact values: one best, all best ones, all
TABLE, CHILD_PROBES, GAINS, KILLERS, SUCCESSES, SCOUTS, REACHES, REDUCTIONS, SHORTFALLS = (1 << k for k in range(9))
ALL_FEATURES = 511
ENDLESS = 255

# One level of the stack, int64[FRAME].
(
    ALPHA,
    BETA,
    OLD_ALPHA,  # as the level was entered
    BEST,
    BEST_ACTION,
    NEXT,  # the next move in the order to try
    COUNT,  # the number of moves to try
    SLOT,  # which child of the level above it is
    SCOUTING,  # the child is searched with a null window
    CUT,  # some line below ended because of the depth
    BEFORE,  # nodes as the level was entered
    REMAINING,  # plies to look ahead from here
    FRAME,
) = range(13)
# One child of a level, int64[CHILD] for each action.
START, SCORE, ORDER, STATIC, BELOW, CHILD = range(6)

# An entry of the transposition table is a name and a packed number: value << 32 and, from the lowest bit on, 2 bits
# which bound it is, 1 bit whether the depth cut a line off, 8 bits best action, 8 bits depth, 6 bits logarithm of the
# nodes it took, 6 bits generation. The name is the key of the position xor that number, so that an entry of which two
# threads wrote one part each belongs to no position (R. M. Hyatt and T. Mann, "A lockless transposition-table
# implementation for parallel search", ICGA Journal 25, 2002).
EXACT, LOWER, UPPER = 1, 2, 3
NO_MOVE = 255

KEYS = np.random.default_rng(20001109).integers(0, 2**64, 512, dtype=np.uint64) | np.uint64(1)
KEYS.setflags(write=False)


@inlined
def position_key(position, relative, axes):
    """uint64: the hash of a position in a search, of all but its plies and, if ``relative``, its stores."""
    pits = axes[L.PITS]
    key = np.uint64(position[pits + L.MOVER]) * KEYS[pits]
    for pit in range(pits):
        key += np.uint64(position[pit]) * KEYS[pit]
    if not relative:
        key += (
            np.uint64(position[pits + L.STORES]) * KEYS[pits + 1]
            + np.uint64(position[pits + L.STORES + 1]) * KEYS[pits + 2]
        )
    if position[pits + L.PLY] < axes[L.BY_PLY]:  # the same position later is another one
        key += np.uint64(position[pits + L.PLY] + 1) * KEYS[pits + L.PLY]
    for field in range(pits + L.OVER + 1, len(position)):
        key += np.uint64(np.int64(position[field]) & 0xFFFF) * KEYS[field]
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return key ^ (key >> np.uint64(32))


if DISABLE_JIT:
    position_key = np.errstate(over="ignore")(position_key)  # it wraps around on purpose


@inlined
def worth(position, level, axes, tables):
    """The value of a position ``level`` plies below a child of the root for its mover, in half seeds."""
    value = margin(position, axes, tables)
    if (
        position[axes[L.PITS] + L.OVER] != 0 and axes[L.GOAL] != L.GOAL_SEEDS
    ):  # an earlier win and a later loss are better
        value -= 2 * level * np.int64(np.sign(value))
    return value if position[axes[L.PITS] + L.MOVER] == 0 else -value


@inlined
def offset(position, value, level, relative, unit, axes):
    """The number subtracted from a value that is stored in the table and added to one that is read.

    The lead in the stores where entries are shared by positions that differ in them; and the plies to the root from
    a win of a game that is not about seeds.
    """
    pits = axes[L.PITS]
    if relative:
        lead = 2 * (np.int64(position[pits + L.STORES]) - np.int64(position[pits + L.STORES + 1]))
        return unit * lead if position[pits + L.MOVER] == 0 else -unit * lead
    if axes[L.GOAL] == L.GOAL_SEEDS or abs(value) <= SURE:
        return 0
    return -2 * level if value > 0 else 2 * level


@intrinsic
def prefetch(typing_context, array, index):
    """Ask for the cache line of ``array[index]``, which will be wanted soon."""

    def generate(context, builder, signature, arguments):
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        strides = cgutils.unpack_tuple(builder, view.strides)
        byte = ir.IntType(8).as_pointer()
        place = builder.gep(builder.bitcast(view.data, byte), [builder.mul(arguments[1], strides[0])])
        whole = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, whole, whole, whole])
        wish = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(wish, [place, whole(0), whole(3), whole(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


def do_nothing(*_):
    """Instead of ``prefetch`` without the compiler."""


if DISABLE_JIT:
    prefetch = do_nothing  # type: ignore[assignment]


@inlined
def find(names, table, key):
    """The entry of a position in the transposition table: its packed number, or 0."""
    first = np.int64(key & np.uint64(len(names) - 2))
    for index in range(first, first + 2):
        data = table[index]
        if names[index] ^ np.uint64(data) == key:
            return data
    return np.int64(0)


@inlined
def fits(data, remaining, position, axes):
    """Whether an entry is the value of this position searched ``remaining`` plies deep, whatever was played before.

    It is if it was searched as deep, or less deep but to the end of the game in all lines, and no line of it can be
    long enough for a position to come back or for the ply limit.
    """
    pits = axes[L.PITS]
    depth = (data >> 11) & 255
    if depth != remaining and (depth > remaining or (data >> 2) & 1 != 0):
        return False
    repeats = axes[L.REPEATS] > 0 and np.int64(position[pits + L.PLIES_SINCE_CAPTURE]) + depth >= axes[L.REPEAT_GAP]
    return not repeats and np.int64(position[pits + L.PLY]) + depth < axes[L.PLY_LIMIT]


@inlined
def store(names, table, key, data):
    """Write an entry in one of its two places: over its own, an older search's, or the one that was less work."""
    first = np.int64(key & np.uint64(len(names) - 2))
    kept, name = table[first], names[first]
    same = name ^ np.uint64(kept) == key
    older = (kept >> 25) & 63 != (data >> 25) & 63
    index = first
    if not same:
        if older or (data >> 19) & 63 >= (kept >> 19) & 63:
            names[first + 1], table[first + 1] = name, kept
        else:
            index = first + 1
    names[index], table[index] = key ^ np.uint64(data), data


@inlined
def within_bounds(position, value, unit, covered, margins, axes):
    """The value of a running position, moved into the bounds of the tables where they cover it.

    So a covered position has the same value whether it is searched or cut off by its bounds.
    """
    pits = axes[L.PITS]
    board = 0
    for pit in range(pits):
        board += np.int64(position[pit])
    if board > covered:
        return value
    mover = np.int64(position[pits + L.MOVER])
    low, high = probe(position, board, mover, margins, axes)
    lead = np.int64(position[pits + L.STORES + mover]) - np.int64(position[pits + L.STORES + 1 - mover])
    return min(max(value, 2 * unit * (lead + low)), 2 * unit * (lead + high))


@inlined
def rank_of(action, mask, children):
    """How many moves have a greater static value than ``action``; of equal ones, the lower number is first."""
    own, rank = children[action, STATIC], 0
    for other in range(len(mask)):
        if mask[other]:
            value = children[other, STATIC]
            rank += value > own or (value == own and other < action)
    return rank


@inlined
def logarithm(nodes):
    """The binary logarithm of a number from 1 on, rounded down; at most 63."""
    bits = 0
    while nodes > 1:
        nodes >>= 1
        bits += 1
    return bits


@njit
def search(
    control,
    frames,
    stack,
    masks,
    children,
    keys,
    history,
    names,
    table,
    killers,
    successes,
    line,
    root_values,
    margins,
    weights,
    rules,
):
    """Alpha-beta (negamax, fail-soft) with a transposition table; it can be paused and resumed.

    An extra turn keeps the sign; the window is negated only where the mover changes. All children
    of a position are made at once: those that end the game, that the depth ends, or that the table answers, are never
    visited, the others are visited the likeliest first. With a table the result equals that without: an entry is used
    only where it is the value of that position at that depth (``fits``).

    Parameters
    ----------
    control : int64[CONTROL], modified in place
        See there. To begin: LEVEL 0, ENTERING 1. To go on: a higher PAUSE.
    frames : int64[D + 2, FRAME], stack : int16[D + 2, A, W], masks : bool[D + 2, A, A],
    children : int64[D + 2, A, CHILD], keys : uint64[D + 2, A]
        The stack, for D plies (STATIC and BELOW of a child: its static value, and the plies to look ahead from it).
        ``stack[0, 0]``, ``masks[0, 0]``, ``children[0, 0, START]`` and ``keys[0, 0]`` are the position searched; ALPHA,
        BETA (half seeds) and SLOT 0 of ``frames[0]`` its window, and BEST_ACTION the move to try first, or NO_MOVE.
    history : uint64[H]
        Hashes since the last capture, followed by room for D + 2 more.
    names : uint64[T], table : int64[T]
        The transposition table, T a power of two, at least 2: names, and packed entries. Zeros: empty. Searches in
        several threads may share it; all else belongs to one.
    killers : int64[D + 2, 2], successes : int64[2, A]
        Moves that refuted at this depth of the tree, and how often each action refutes; kept from search to search.
    line : int64[D + 2, D + 2]
        Written: line[0, 0] the length of the principal variation, its actions from line[0, 1] on.
    root_values : int64[A]
        Written: values of the root moves in half seeds, exact where ROOT says so, else upper bounds.
    margins : int8[M, 1 or 2]
        Endgame tables (``agents.tablebase.probe``). Where they hold bounds, a covered position is worth what its
        search says, but no less than the lower and no more than the higher bound.
    weights : None, or a learned evaluation (``agents.search.learned.expected``)
        With one, values are told in parts (``learned.unit_of``) of half a seed, here and in all other arguments.
    """
    axes, tables, _ = arrays_of(rules)
    unit = np.int64(1) if weights is None else unit_of(axes)
    pits = axes[L.PITS]
    moves = masks.shape[2]
    mover = pits + L.MOVER
    depth, features, relative = control[DEPTH], control[FEATURES], control[RELATIVE] != 0
    nodes = control[NODES]
    level = control[LEVEL]
    entering = control[ENTERING] != 0
    while True:
        frame = frames[level]
        position = stack[level, frame[SLOT]]
        remaining = frame[REMAINING] if level > 0 else depth
        finished = False
        if entering:
            if nodes >= control[PAUSE] or level + 2 >= len(frames):
                control[STATUS] = PAUSED if nodes >= control[PAUSE] else TOO_DEEP
                break
            entering = False
            mask = masks[level, frame[SLOT]]
            hinted = frame[BEST_ACTION] if level == 0 else np.int64(NO_MOVE)  # at the root the last search's
            frame[OLD_ALPHA], frame[BEST], frame[BEST_ACTION], frame[CUT] = frame[ALPHA], -INFINITY, NO_MOVE, 0
            frame[NEXT], frame[COUNT], frame[SCOUTING], frame[BEFORE] = 0, 0, 0, nodes
            line[level, 0] = 0
            if features & TABLE:
                data = find(names, table, keys[level, frame[SLOT]])
                if data != 0:
                    if hinted == NO_MOVE:
                        hinted = (data >> 3) & 255
                    if level > 0 and fits(data, remaining, position, axes):
                        value = data >> 32
                        value += offset(position, value, level, relative, unit, axes)
                        bound = data & 3
                        if bound == EXACT or (value >= frame[BETA] if bound == LOWER else value <= frame[ALPHA]):
                            frame[BEST] = value
                            frame[BEST_ACTION] = hinted
                            frame[CUT] = (data >> 2) & 1
                            finished = True
                            if bound == EXACT and hinted != NO_MOVE:
                                line[level, 0], line[level, 1] = 1, hinted
            if not finished:
                before = unit * worth(position, np.int64(0), axes, tables)
                below = remaining - 1
                ranked = control[REDUCED] > 0 and remaining >= (3 if control[PLY_WORTH] == 0 else 2)
                waiting = 0
                for action in range(moves):  # make all children; those whose value is known need no visit
                    if not mask[action]:
                        continue
                    child = stack[level + 1, action]
                    for field in range(stack.shape[2]):
                        child[field] = position[field]
                    start = play(
                        rules,
                        child,
                        action,
                        masks[level + 1, action],
                        history,
                        children[level, frame[SLOT], START],
                        stack[0, :0],
                    )
                    nodes += 1
                    value = unit * worth(child, level, axes, tables)
                    turned = child[mover] != position[mover]
                    value = -value if turned else value
                    over = child[pits + L.OVER] != 0
                    board = 0
                    for pit in range(pits):
                        board += np.int64(child[pit])
                    most = 2 * unit * board  # what the seeds on the board can still bring
                    least = -most
                    covered = board <= control[COVERED] and not over
                    if covered:
                        low, high = probe(child, board, np.int64(child[mover]), margins, axes)
                        low, high = (-high, -low) if turned else (low, high)
                        least, most = 2 * unit * low, 2 * unit * high
                    settled = over or (covered and least == most)
                    static = value
                    future = np.int64(0)
                    if weights is not None and not settled and (ranked or remaining == 1):
                        future = expected(child, weights, axes, tables)
                        future = -future if turned else future
                        static = value + future if axes[L.GOAL] == L.GOAL_SEEDS else future
                    if covered:
                        static = value + min(max(future, least), most)
                    children[level + 1, action, STATIC] = static
                    known = settled or remaining == 1
                    if known:
                        value = static
                        frame[CUT] |= not settled
                    elif features & REACHES or covered:
                        if value + least >= frame[BETA]:  # a sure lead even if the other gets all the rest
                            value += least
                            known = True
                        elif value + most <= frame[ALPHA]:
                            value += most
                            known = True
                    if known:
                        if level == 0:
                            root_values[action] = value
                        if value > frame[BEST]:
                            frame[BEST], frame[BEST_ACTION] = value, action
                            line[level, 0], line[level, 1] = 1, action
                            if value >= frame[BETA]:
                                break
                        continue
                    children[level + 1, action, START] = start
                    children[level + 1, action, SCORE] = (value - before) // unit
                    if features & TABLE:
                        key = position_key(child, relative, axes)
                        keys[level + 1, action] = key
                        if features & CHILD_PROBES:
                            prefetch(names, np.int64(key & np.uint64(len(names) - 2)))
                    children[level + 1, waiting, ORDER] = action
                    waiting += 1
                if frame[BEST] >= frame[BETA]:
                    waiting = 0
                peak = -INFINITY
                if control[PLY_WORTH] > 0 and ranked and level > 0:
                    for action in range(moves):
                        if mask[action]:
                            peak = max(peak, children[level + 1, action, STATIC])
                for k in range(waiting):  # the remaining moves are sorted
                    action = children[level + 1, k, ORDER]
                    child = stack[level + 1, action]
                    turned = child[mover] != position[mover]
                    children[level + 1, action, BELOW] = below
                    if ranked and level > 0:
                        rank = rank_of(action, mask, children[level + 1])
                        less = np.int64(0)
                        if remaining >= 3:
                            less += (rank >= control[REDUCED]) + (rank >= control[REDUCED_TWICE])
                        if control[PLY_WORTH] > 0:
                            short = (peak - children[level + 1, action, STATIC]) // control[PLY_WORTH]
                            less += short
                            if short > 0 and below <= less:  # nothing is left to look ahead: its static value it is
                                frame[CUT] = 1
                                value = children[level + 1, action, STATIC]
                                if value > frame[BEST]:
                                    frame[BEST], frame[BEST_ACTION] = value, action
                                    line[level, 0], line[level, 1] = 1, action
                                    if value >= frame[BETA]:
                                        break
                                continue
                        children[level + 1, action, BELOW] = max(below - less, 1)
                    if features & CHILD_PROBES:
                        data = find(names, table, keys[level + 1, action])
                        if data != 0:
                            bound = data & 3
                            serves = bound == EXACT or (level > 0 and bound == (UPPER if turned else LOWER))
                            if serves and fits(data, children[level + 1, action, BELOW], child, axes):
                                value = data >> 32
                                value += offset(child, value, level + 1, relative, unit, axes)
                                value = -value if turned else value
                                if bound == EXACT or value >= frame[BETA]:
                                    frame[CUT] |= (data >> 2) & 1
                                    if level == 0:
                                        root_values[action] = value
                                    if value > frame[BEST]:
                                        frame[BEST], frame[BEST_ACTION] = value, action
                                        line[level, 0], line[level, 1] = 1, action
                                        if value >= frame[BETA]:
                                            break
                                    continue
                    score = 0
                    if action == hinted:
                        score = np.int64(1) << 50
                    elif ranked:
                        score = children[level + 1, action, STATIC] << 20
                        if features & KILLERS and (killers[level, 0] == action or killers[level, 1] == action):
                            score += 1 << 22
                    else:
                        if features & GAINS:
                            score += children[level + 1, action, SCORE] << 20
                            if not turned:
                                score += (8 << 20) + action  # the moves nearer to the store disturb the others less
                        if features & KILLERS and (killers[level, 0] == action or killers[level, 1] == action):
                            score += 1 << 18
                        if features & SUCCESSES:
                            score += successes[position[mover], action]
                    place = frame[COUNT]
                    frame[COUNT] += 1
                    while place > 0 and children[level + 1, children[level + 1, place - 1, ORDER], SCORE] < score:
                        children[level + 1, place, ORDER] = children[level + 1, place - 1, ORDER]
                        place -= 1
                    children[level + 1, place, ORDER] = action
                    children[level + 1, action, SCORE] = score
        if not finished and frame[BEST] < frame[BETA] and frame[NEXT] < frame[COUNT]:
            action = children[level + 1, frame[NEXT], ORDER]
            child = stack[level + 1, action]
            low = max(frame[ALPHA], frame[BEST])
            high = frame[BETA]
            if level == 0 and control[ROOT] != ROOT_BEST:
                low = frame[BEST] - 1 if control[ROOT] == ROOT_TIES and frame[BEST] > -INFINITY else -INFINITY
            if frame[SCOUTING] == 2:  # the null window was not enough
                frame[SCOUTING] = 0
            elif features & SCOUTS and frame[BEST] > -INFINITY and low > -INFINITY and high - low > 1:
                high = low + 1
                frame[SCOUTING] = 1
            else:
                frame[SCOUTING] = 0
            if axes[L.REPEATS] > 0:  # siblings have overwritten it
                history[children[level + 1, action, START] + np.int64(child[pits + L.PLIES_SINCE_CAPTURE])] = (
                    history_hash(child, axes)
                )
            level += 1
            frames[level, SLOT] = action
            frames[level, REMAINING] = children[level, action, BELOW]
            if child[mover] == position[mover]:
                frames[level, ALPHA], frames[level, BETA] = low, high
            else:
                frames[level, ALPHA], frames[level, BETA] = -high, -low
            entering = True
            continue
        value = frame[BEST]
        if not finished:
            if level > 0 and margins.shape[1] == 2:  # a line may have ended in a repetition, of which bounds know none
                value = within_bounds(position, value, unit, control[COVERED], margins, axes)
            if features & TABLE and level > 0:
                bound = EXACT
                if value >= frame[BETA]:
                    bound = LOWER
                elif value <= frame[OLD_ALPHA]:
                    bound = UPPER
                data = (value - offset(position, value, level, relative, unit, axes)) << 32
                data |= (control[GENERATION] & 63) << 25 | logarithm(max(nodes - frame[BEFORE], 1)) << 19
                data |= remaining << 11 | frame[BEST_ACTION] << 3 | frame[CUT] << 2 | bound
                if fits(data, remaining, position, axes):
                    store(names, table, keys[level, frame[SLOT]], data)
            if value >= frame[BETA]:
                action = frame[BEST_ACTION]
                if killers[level, 0] != action:
                    killers[level, 1] = killers[level, 0]
                    killers[level, 0] = action
                reward = min(remaining * remaining, 1024)
                tried = successes[position[mover], action]
                successes[position[mover], action] = tried + reward - tried * reward // (1 << 20)
        if level == 0:
            control[STATUS] = FINISHED
            break
        upper = frames[level - 1]
        action = frame[SLOT]
        if stack[level - 1, upper[SLOT]][mover] != position[mover]:
            value = -value
        low = max(upper[ALPHA], upper[BEST])
        if level == 1 and control[ROOT] != ROOT_BEST:
            low = upper[BEST] - 1 if control[ROOT] == ROOT_TIES and upper[BEST] > -INFINITY else -INFINITY
        if upper[SCOUTING] == 1 and low < value < upper[BETA]:
            upper[SCOUTING] = 2
            level -= 1
            continue
        upper[SCOUTING] = 0
        upper[CUT] |= frame[CUT]
        upper[NEXT] += 1
        level -= 1
        if level == 0:
            root_values[action] = value
        if value > upper[BEST]:
            upper[BEST], upper[BEST_ACTION] = value, action
            line[level, 1] = action
            length = min(line[level + 1, 0], line.shape[1] - 2)
            for k in range(length):
                line[level, 2 + k] = line[level + 1, 1 + k]
            line[level, 0] = 1 + length
    control[NODES] = nodes
    control[LEVEL] = level
    control[ENTERING] = entering


@njit
def best_of_each(
    games,
    positions,
    legal,
    hashes,
    streams,
    out,
    values,
    depth,
    first_depth,
    best,
    control,
    frames,
    stack,
    masks,
    children,
    keys,
    history,
    names,
    table,
    killers,
    successes,
    line,
    root_values,
    margins,
    weights,
    rules,
):
    """One of the best actions in each of many positions, at random: ``Searcher.search`` to a depth, ``ties`` and all.

    Parameters
    ----------
    games : int64[m]
        The indices of the positions to search.
    positions : int16[n, W], legal : bool[n, A], hashes : uint64[n, H]
        As ``agents.batched.BatchedAgent.act_positions`` has them.
    streams : uint64[m]
        Random numbers, modified in place.
    out : int64[m]
        Written.
    values : int64[m]
        Written: what each position is worth to its mover, as ``search`` tells values.
    depth, first_depth : int
        Plies to look ahead, and those of the first search.
    best : bool[A]
        Work space, as all that follows: see ``search``. ``control`` holds what does not change with the position.
    """
    axes, _, _ = arrays_of(rules)
    pits = axes[L.PITS]
    for k in range(len(games)):
        game = games[k]
        for field in range(stack.shape[2]):
            stack[0, 0, field] = positions[game, field]
        for action in range(len(best)):
            masks[0, 0, action] = legal[game, action]
            root_values[action] = -INFINITY
        if axes[L.REPEATS] > 0:
            for ply in range(np.int64(positions[game, pits + L.PLIES_SINCE_CAPTURE]) + 1):
                history[ply] = hashes[game, ply]
        for field in range(children.shape[2]):
            children[0, 0, field] = 0
        for field in range(frames.shape[1]):
            frames[0, field] = 0
        frames[0, BEST_ACTION] = NO_MOVE
        keys[0, 0] = position_key(stack[0, 0], control[RELATIVE] != 0, axes)
        control[GENERATION] += 1
        control[NODES] = 0
        for ahead in range(first_depth, depth + 1):
            control[DEPTH] = ahead
            control[LEVEL], control[ENTERING] = 0, 1
            control[PAUSE] = np.int64(1) << 62
            frames[0, ALPHA], frames[0, BETA] = -INFINITY, INFINITY
            search(
                control,
                frames,
                stack,
                masks,
                children,
                keys,
                history,
                names,
                table,
                killers,
                successes,
                line,
                root_values,
                margins,
                weights,
                rules,
            )
            if frames[0, CUT] == 0:
                break
        for action in range(len(best)):
            best[action] = legal[game, action] and root_values[action] == frames[0, BEST]
        out[k] = one_of(best, streams[k : k + 1])
        values[k] = frames[0, BEST]


def with_evaluation(evaluate):
    """``search`` with another evaluation than ``margin``: a function of (position, axes, tables). Not kept on disk."""
    compiled = evaluate if hasattr(evaluate, "py_func") or DISABLE_JIT else numba.njit(evaluate)
    own: dict = dict(globals())

    def of_row(position, axes, tables):
        return compiled(position, axes, tables)

    own["margin"] = compiler(inline=True, cache=False)(of_row)
    for function, inline in ((worth, True), (search, False)):
        source = getattr(function, "py_func", function)
        copy = FunctionType(source.__code__, own, source.__name__)
        own[source.__name__] = compiler(inline=inline, cache=False, work=WORK)(copy)
    return own["search"]


@njit
def root_key(position, relative, axes):
    """``position_key`` of a position that is searched."""
    return position_key(position, relative, axes)


def stores_do_not_matter(axes):
    """Whether positions that differ only in their stores differ in value by exactly that difference."""
    return axes[L.GOAL] == L.GOAL_SEEDS and not axes[L.MAJORITY_STOP] and not axes[L.TARGET_SEEDS]


@njit
def count_lines(depth, stack, masks, history, starts, next_action, rules):
    """Perft: how many sequences of exactly ``depth`` legal moves start at ``stack[0]``. Arguments as
    in ``descend``: a stack of ``depth + 1`` levels.

    A line that ends earlier does not count.
    """
    actions = masks.shape[1]
    level = 0
    lines = 0
    next_action[0] = 0
    while level >= 0:
        if level == depth - 1:
            for action in range(actions):
                lines += masks[level, action]
            level -= 1
            continue
        action = next_action[level]
        while action < actions and not masks[level, action]:
            action += 1
        if action == actions:
            level -= 1
            continue
        next_action[level] = action + 1
        descend(level, action, stack, masks, history, starts, rules)
        level += 1
        next_action[level] = 0
    return lines
