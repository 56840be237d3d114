"""Compiled alpha-beta search over the rules engine: to a depth, or, as a proof, to the end of the game."""

from pathlib import Path

import numpy as np

from agents.batched.kernel import FOLDER as BATCHED
from agents.batched.kernel import one_of
from agents.search import stack as S
from agents.search.learned import expected, unit_of
from agents.search.transposition import action_of, answer, cut_of, find, key_of, prefetch, remember
from agents.tablebase import probe as tablebase
from agents.tablebase.probe import probe
from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of
from mancala_env.kernels.ending import history_hash
from mancala_env.kernels.engine import play
from mancala_env.kernels.jit import KERNELS, Work, compiler
from mancala_env.kernels.scores import margin

WORK = Work("alpha-beta search", 15)
njit = compiler(KERNELS, Path(tablebase.__file__).parent, BATCHED, Path(__file__).parent, work=WORK)
inlined = compiler(KERNELS, Path(tablebase.__file__).parent, BATCHED, Path(__file__).parent, inline=True)


@inlined
def worth(position, level, axes, tables):
    """The value of a position ``level`` plies below a child of the root for its mover, in half seeds."""
    value = margin(position, axes, tables)
    if position[axes[L.PITS] + L.OVER] != 0 and axes[L.GOAL] != L.GOAL_SEEDS:
        # an earlier win and a later loss are better
        value -= 2 * level * np.int64(np.sign(value))
    return value if position[axes[L.PITS] + L.MOVER] == 0 else -value


@inlined
def seeds_on_board(position, pits):
    """The number of seeds in all pits."""
    board = np.int64(0)
    for pit in range(pits):
        board += np.int64(position[pit])
    return board


@inlined
def within_bounds(position, value, unit, covered, margins, axes):
    """A value within the bounds of the tables, where they cover the position: the same with a search or without."""
    pits = axes[L.PITS]
    board = seeds_on_board(position, pits)
    if board > covered:
        return value
    mover = np.int64(position[pits + L.MOVER])
    low, high = probe(position, board, mover, margins, axes)
    lead = np.int64(position[pits + L.STORES + mover]) - np.int64(position[pits + L.STORES + 1 - mover])
    return min(max(value, 2 * unit * (lead + low)), 2 * unit * (lead + high))


@inlined
def rank_of(action, mask, children):
    """How many moves have a greater static value than ``action``; of equal ones, the lower number is first."""
    own, rank = children[action, S.STATIC], 0
    for other in range(len(mask)):
        if mask[other]:
            value = children[other, S.STATIC]
            rank += value > own or (value == own and other < action)
    return rank


@inlined
def is_killer(killers, level, action):
    """Has this move refuted another one at this level lately?"""
    return killers[level, 0] == action or killers[level, 1] == action


@inlined
def take(proof, frame, line, root_values, level, action, value):
    """Take in the value of a move at a level. True if it refutes the move before, and no other need be tried."""
    if level == 0:
        root_values[action] = value
    if value <= frame[S.BEST]:
        return False
    frame[S.BEST], frame[S.BEST_ACTION] = value, action
    if proof is None:
        line[level, 0], line[level, 1] = 1, action
    return value >= frame[S.BETA]


@inlined
def floor_of(control, frame, level):
    """The value that a move must exceed to be of interest."""
    if level > 0 or control[S.ROOT] == S.ROOT_BEST:
        return max(frame[S.ALPHA], frame[S.BEST])
    if control[S.ROOT] == S.ROOT_TIES and frame[S.BEST] > -S.INFINITY:
        return frame[S.BEST] - 1
    return np.int64(-S.INFINITY)


@njit
def search(control, stack, table, margins, weights, proof, rules):
    """Alpha-beta (negamax, fail-soft) with a transposition table; it can be paused and resumed.

    ``control``, ``stack`` and ``table`` are those of ``agents.search.stack``: to begin, LEVEL is 0 and ENTERING 1; to
    go on, PAUSE is higher. ``margins`` int8[M, 1 or 2] are ``Probe.values``. ``weights``: ``Evaluation.weights``, with
    values in parts (``learned.unit_of``) of half a seed, or None. ``proof``: None, or True to ask, searching every line
    to its end, whether the position is worth at least BETA, ALPHA + 1, to its mover; BEST is then a lower bound, else
    an upper one.
    """
    axes, tables, _ = arrays_of(rules)
    frames, positions, masks, children, keys, history, killers, successes, line, root_values = stack
    names, entries = table
    unit = np.int64(1) if weights is None else unit_of(axes)
    pits = axes[L.PITS]
    moves = masks.shape[2]
    mover = pits + L.MOVER
    depth, features, relative = control[S.DEPTH], control[S.FEATURES], control[S.RELATIVE]
    nodes = control[S.NODES]
    level = control[S.LEVEL]
    entering = control[S.ENTERING] != 0
    while True:
        frame = frames[level]
        position = positions[level, frame[S.SLOT]]
        remaining = frame[S.REMAINING] if level > 0 else depth
        finished = False
        if entering:
            if nodes >= control[S.PAUSE] or level + 2 >= len(frames):
                control[S.STATUS] = S.PAUSED if nodes >= control[S.PAUSE] else S.TOO_DEEP
                break
            entering = False
            mask = masks[level, frame[S.SLOT]]
            hinted = frame[S.BEST_ACTION] if level == 0 else np.int64(S.NO_MOVE)  # at the root the last search's
            frame[S.OLD_ALPHA], frame[S.BEST], frame[S.BEST_ACTION] = frame[S.ALPHA], -S.INFINITY, S.NO_MOVE
            frame[S.NEXT], frame[S.COUNT], frame[S.SCOUTING], frame[S.CUT], frame[S.BEFORE] = 0, 0, 0, 0, nodes
            if proof is None:
                line[level, 0] = 0
            if features & S.TABLE and (proof is None or level > 0):
                data = find(names, entries, keys[level, frame[S.SLOT]])
                if data != 0:
                    if hinted == S.NO_MOVE:
                        hinted = action_of(data)
                    if level > 0:
                        finished, value, exact = answer(
                            proof, data, remaining, position, False, frame[S.ALPHA], frame[S.BETA], level, relative,
                            axes,
                        )  # fmt: skip
                    if finished:
                        frame[S.BEST], frame[S.BEST_ACTION], frame[S.CUT] = value, hinted, cut_of(proof, data)
                        if exact and hinted != S.NO_MOVE:
                            line[level, 0], line[level, 1] = 1, hinted
            if not finished:
                before = unit * worth(position, np.int64(0), axes, tables)
                below = remaining - 1 if proof is None else remaining
                ranked = control[S.REDUCED] > 0 and remaining >= (3 if control[S.PLY_WORTH] == 0 else 2)
                after = children[level + 1]
                waiting = 0
                for k in range(moves):  # make all children; those whose value is known need no visit
                    # in a proof those first that are nearest to the store: they disturb the others least
                    action = k if proof is None else moves - 1 - k
                    if not mask[action]:
                        continue
                    child = positions[level + 1, action]
                    for field in range(positions.shape[2]):
                        child[field] = position[field]
                    start = children[level, frame[S.SLOT], S.START]
                    mask_after = masks[level + 1, action]
                    start = play(rules, child, action, mask_after, history, start, positions[0, :0])
                    nodes += 1
                    value = unit * worth(child, level, axes, tables)
                    turned = child[mover] != position[mover]
                    value = -value if turned else value
                    over = child[pits + L.OVER] != 0
                    board = seeds_on_board(child, pits)
                    most = 2 * unit * board  # what the seeds on the board can still bring
                    least = -most
                    covered = board <= control[S.COVERED] and not over
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
                    if ranked:
                        after[action, S.STATIC] = static
                    known = settled or remaining == 1
                    if known:
                        value = static
                        frame[S.CUT] |= not settled
                    elif features & S.REACHES or covered:
                        if value + least >= frame[S.BETA]:  # a sure lead even if the other gets all the rest
                            value += least
                            known = True
                        elif value + most <= frame[S.ALPHA]:
                            value += most
                            known = True
                    if known:
                        if take(proof, frame, line, root_values, level, action, value):
                            break
                        continue
                    after[action, S.START] = start
                    after[action, S.SCORE] = (value - before) // unit
                    if features & S.TABLE:
                        key = key_of(proof, child, relative, axes)
                        keys[level + 1, action] = key
                        if features & S.CHILD_PROBES:
                            prefetch(names, key)
                    after[waiting, S.ORDER] = action
                    waiting += 1
                if frame[S.BEST] >= frame[S.BETA]:
                    waiting = 0
                peak = -S.INFINITY
                if control[S.PLY_WORTH] > 0 and ranked and level > 0:
                    for action in range(moves):
                        if mask[action]:
                            peak = max(peak, after[action, S.STATIC])
                for k in range(waiting):  # the remaining moves are sorted
                    action = after[k, S.ORDER]
                    child = positions[level + 1, action]
                    turned = child[mover] != position[mover]
                    after[action, S.BELOW] = below
                    if ranked and level > 0:
                        rank = rank_of(action, mask, after)
                        less = np.int64(0)
                        if remaining >= 3:
                            less += (rank >= control[S.REDUCED]) + (rank >= control[S.REDUCED_TWICE])
                        if control[S.PLY_WORTH] > 0:
                            short = (peak - after[action, S.STATIC]) // control[S.PLY_WORTH]
                            less += short
                            if short > 0 and below <= less:  # nothing is left to look ahead: its static value it is
                                frame[S.CUT] = 1
                                if take(proof, frame, line, root_values, level, action, after[action, S.STATIC]):
                                    break
                                continue
                        after[action, S.BELOW] = max(below - less, 1)
                    if features & S.CHILD_PROBES:
                        data = find(names, entries, keys[level + 1, action])
                        if data != 0:
                            alpha = frame[S.ALPHA] if proof is not None else np.int64(-S.INFINITY)
                            known, value, exact = answer(
                                proof, data, after[action, S.BELOW], child, turned, alpha, frame[S.BETA], level + 1,
                                relative, axes,
                            )  # fmt: skip
                            if known:
                                frame[S.CUT] |= cut_of(proof, data)
                                if take(proof, frame, line, root_values, level, action, value):
                                    break
                                continue
                    score = np.int64(0)
                    if action == hinted:
                        score = np.int64(1) << 50
                    elif ranked:
                        score = after[action, S.STATIC] << 20
                        if features & S.KILLERS and is_killer(killers, level, action):
                            score += 1 << 22
                    else:
                        if features & S.GAINS:
                            score += after[action, S.SCORE] << 20
                            if not turned:
                                score += (8 << 20) + action  # the moves nearer to the store disturb the others less
                            elif proof is not None:
                                for reply in range(moves):  # each may refute it
                                    score -= np.int64(masks[level + 1, action, reply]) << 20
                        if features & S.KILLERS and is_killer(killers, level, action):
                            score += 1 << 18
                        if features & S.SUCCESSES:
                            score += successes[position[mover], action]
                    place = frame[S.COUNT]
                    frame[S.COUNT] += 1
                    while place > 0 and after[after[place - 1, S.ORDER], S.SCORE] < score:
                        after[place, S.ORDER] = after[place - 1, S.ORDER]
                        place -= 1
                    after[place, S.ORDER] = action
                    after[action, S.SCORE] = score
        if not finished and frame[S.BEST] < frame[S.BETA] and frame[S.NEXT] < frame[S.COUNT]:
            action = children[level + 1, frame[S.NEXT], S.ORDER]
            child = positions[level + 1, action]
            low = floor_of(control, frame, level)
            high = frame[S.BETA]
            if frame[S.SCOUTING] == 2:  # the null window was not enough
                frame[S.SCOUTING] = 0
            elif features & S.SCOUTS and frame[S.BEST] > -S.INFINITY and low > -S.INFINITY and high - low > 1:
                high = low + 1
                frame[S.SCOUTING] = 1
            else:
                frame[S.SCOUTING] = 0
            level += 1
            if axes[L.REPEATS] > 0:  # siblings have overwritten it
                place = children[level, action, S.START] + np.int64(child[pits + L.PLIES_SINCE_CAPTURE])
                history[place] = history_hash(child, axes)
            lower = frames[level]
            lower[S.SLOT], lower[S.REMAINING] = action, children[level, action, S.BELOW]
            if child[mover] == position[mover]:
                lower[S.ALPHA], lower[S.BETA] = low, high
            else:
                lower[S.ALPHA], lower[S.BETA] = -high, -low
            entering = True
            continue
        value = frame[S.BEST]
        if not finished:
            if level > 0 and margins.shape[1] == 2:  # a line may have ended in a repetition, of which bounds know none
                value = within_bounds(position, value, unit, control[S.COVERED], margins, axes)
            if features & S.TABLE and level > 0:
                key = keys[level, frame[S.SLOT]]
                remember(proof, (names, entries), key, position, value, frame, control, nodes, level, axes)
            if proof is None and value >= frame[S.BETA]:
                action = frame[S.BEST_ACTION]
                if killers[level, 0] != action:
                    killers[level, 1] = killers[level, 0]
                    killers[level, 0] = action
                reward = min(remaining * remaining, 1024)
                tried = successes[position[mover], action]
                successes[position[mover], action] = tried + reward - tried * reward // (1 << 20)
        if level == 0:
            if proof is not None:
                line[0, 0], line[0, 1] = 1, frame[S.BEST_ACTION]
            control[S.STATUS] = S.FINISHED
            break
        level -= 1
        upper = frames[level]
        action = frame[S.SLOT]
        if positions[level, upper[S.SLOT], mover] != position[mover]:
            value = -value
        if upper[S.SCOUTING] == 1 and floor_of(control, upper, level) < value < upper[S.BETA]:
            upper[S.SCOUTING] = 2
            continue
        upper[S.SCOUTING] = 0
        upper[S.CUT] |= frame[S.CUT]
        upper[S.NEXT] += 1
        better = value > upper[S.BEST]
        take(proof, upper, line, root_values, level, action, value)
        if proof is None and better:
            length = min(line[level + 1, 0], line.shape[1] - 2)
            for k in range(length):
                line[level, 2 + k] = line[level + 1, 1 + k]
            line[level, 0] = 1 + length
    control[S.NODES] = nodes
    control[S.LEVEL] = level
    control[S.ENTERING] = entering


@njit
def best_of_each(turns, found, depth, first_depth, control, stack, table, margins, weights, rules):
    """As ``Searcher.search`` with ``ties``, in many positions: writes an action drawn from the best, and the value for
    the mover, to ``found`` int64[m, 2]. ``turns`` is a ``Turns``, ``first_depth`` the plies of the first search.
    """
    axes, _, _ = arrays_of(rules)
    pits = axes[L.PITS]
    position, mask, best = stack.positions[0, 0], stack.masks[0, 0], stack.masks[1, 0]
    frame = stack.frames[0]
    for k in range(len(turns.games)):
        game = turns.games[k]
        for field in range(len(position)):
            position[field] = turns.positions[game, field]
        for action in range(len(mask)):
            mask[action] = turns.masks[game, action]
            stack.root_values[action] = -S.INFINITY
        if axes[L.REPEATS] > 0:
            for ply in range(np.int64(position[pits + L.PLIES_SINCE_CAPTURE]) + 1):
                stack.history[ply] = turns.history[game, ply]
        for field in range(stack.children.shape[2]):
            stack.children[0, 0, field] = 0
        for field in range(len(frame)):
            frame[field] = 0
        frame[S.BEST_ACTION] = S.NO_MOVE
        stack.keys[0, 0] = key_of(None, position, control[S.RELATIVE], axes)
        control[S.GENERATION] += 1
        control[S.NODES] = 0
        for ahead in range(first_depth, depth + 1):
            control[S.DEPTH] = ahead
            control[S.LEVEL], control[S.ENTERING] = 0, 1
            control[S.PAUSE] = np.int64(1) << 62
            frame[S.ALPHA], frame[S.BETA] = -S.INFINITY, S.INFINITY
            search(control, stack, table, margins, weights, None, rules)
            if frame[S.CUT] == 0:
                break
        for action in range(len(best)):
            best[action] = mask[action] and stack.root_values[action] == frame[S.BEST]
        found[k, 0] = one_of(best, turns.streams[k : k + 1])
        found[k, 1] = frame[S.BEST]
