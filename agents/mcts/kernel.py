"""Compiled Monte Carlo tree search: selection, expansion, rollouts, and backing up of results and proofs.

A tree is a structure of arrays with one entry per node (``Tree``); node 0 is the root. Results are kept from South's
side, so that an extra turn needs no special case: a mover reads them with their own sign, +1 for South and -1 for
North. The hashes that repetition needs lie in one array for the line in progress: the position ``k`` plies below
the root has entry ``quiet + k``, quiet being the plies since the last capture at the root.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.batched.kernel import FOLDER as BATCHED
from agents.batched.kernel import below
from mancala_env.kernels.board import shape
from mancala_env.kernels.engine import play
from mancala_env.kernels.jit import KERNELS, compiler
from mancala_env.kernels.layout import MOVER, OVER, PITS, PLIES_SINCE_CAPTURE, PLY, REPEATS, TOTAL_SEEDS
from mancala_env.kernels.scores import lead

njit = compiler(KERNELS, BATCHED, Path(__file__).parent)
inlined = compiler(KERNELS, BATCHED, Path(__file__).parent, inline=True)

UNKNOWN = 2  # in ``Tree.proven``; else -1, 0 or 1: the result for South
NOBODY = -1


class Tree(NamedTuple):
    """The arrays of one tree, with room for M nodes; nothing in them is allocated later.

    Attributes
    ----------
    size : int64[1]
        Nodes in use.
    positions : int16[M, W], masks : bool[M, A], hashes : uint64[M]
        The position of each node, its legal actions, and its hash where the game has repetition.
    parents : int32[M], children : int32[M, A]
        Nodes; -1 where there is none (yet).
    visits, waits : int32[M]
        Results that went through the node, and leaves below it (or itself) whose evaluation is under way.
    totals : float64[M]
        The sum of these results for South, each from -1 to 1.
    proven : int8[M]
        -1, 0 or 1: the result for South with best play; UNKNOWN.
    worth : float64[M]
        For South: the exact reward where the result is known; else what the mover is sure of, the best of the moves
        that are proven, and if there are none an infinite loss.
    priors : float32[M, A]
        The policy; with rollouts float32[0, A].
    """

    size: Any
    positions: Any
    masks: Any
    hashes: Any
    parents: Any
    children: Any
    visits: Any
    waits: Any
    totals: Any
    proven: Any
    worth: Any
    priors: Any


@inlined
def reward(position, margin, any_rules, axes, tables):
    """What the end of a game is worth to South: the result (1, 0, -1), and ``margin`` of it by share of the seeds.

    1.0, exactly, is the most there is: a win, and with a margin one with all seeds.
    """
    ahead = lead(position, any_rules, axes, tables)
    return (1.0 - margin) * np.sign(ahead) + margin * (ahead / (2.0 * axes[TOTAL_SEEDS]))


@inlined
def sign_of(position, pits):
    """1 or -1: the factor that turns a reward for South into one for the mover, and back."""
    return 1 - 2 * np.int64(position[pits + MOVER])


@inlined
def history_end(position, root, pits):
    """The index in the history of the hash of a position below ``root``."""
    return np.int64(root[pits + PLIES_SINCE_CAPTURE]) + np.int64(position[pits + PLY]) - np.int64(root[pits + PLY])


@njit
def rollout(position, mask, history, end, no_log, stream, any_size, any_rules, axes, tables, dead):
    """Play random moves to the end of the game; ``position``, ``mask``, ``history``, ``stream`` are modified in place.

    ``history[end]`` is the hash of this position. ``no_log`` is an empty int16[0, n].
    """
    actions, pits = shape(any_size, axes)
    start = end - np.int64(position[pits + PLIES_SINCE_CAPTURE])
    while position[pits + OVER] == 0:
        legal = 0
        for action in range(len(mask)):
            legal += mask[action]
        choice = below(stream, legal) if legal > 1 else 0
        chosen = 0  # steps over illegal actions and the legal ones before the choice
        for action in range(len(mask)):
            choice -= mask[action]
            chosen += choice >= 0
        start = play(position, chosen, mask, history, start, no_log, actions, pits, any_rules, axes, tables, dead)


@njit
def expand(tree, node, action, history, margin, any_size, any_rules, axes, tables, dead):
    """Add the child of ``node`` by ``action``; returns the new node. The history is that of the line to ``node``."""
    actions, pits = shape(any_size, axes)
    child = tree.size[0]
    tree.size[0] = child + 1
    position = tree.positions[child]
    for field in range(len(position)):
        position[field] = tree.positions[node, field]
    for other in range(tree.children.shape[1]):
        tree.children[child, other] = NOBODY
    end = history_end(position, tree.positions[0], pits)
    play(
        position, action, tree.masks[child], history, end - np.int64(position[pits + PLIES_SINCE_CAPTURE]),
        tree.positions[:0], actions, pits, any_rules, axes, tables, dead,
    )  # fmt: skip
    tree.parents[child] = node
    tree.children[node, action] = child
    tree.visits[child] = tree.waits[child] = 0
    tree.totals[child] = 0.0
    tree.proven[child] = UNKNOWN
    tree.worth[child] = sign_of(position, pits) * -np.inf
    if position[pits + OVER] != 0:
        tree.proven[child] = np.sign(lead(position, any_rules, axes, tables))
        tree.worth[child] = reward(position, margin, any_rules, axes, tables)
    elif axes[REPEATS] > 0:
        tree.hashes[child] = history[end + 1]
    return child


@inlined
def uct_action(tree, node, sign, exploration, stream):
    """The action to follow by UCB1; while there are actions without a child, one of these at random.

    Proven children are not followed: they need no more results.
    """
    actions = tree.masks.shape[1]
    fresh = 0
    for action in range(actions):
        fresh += tree.masks[node, action] and tree.children[node, action] == NOBODY
    if fresh > 0:
        choice = below(stream, fresh) if fresh > 1 else 0
        for action in range(actions):
            if tree.masks[node, action] and tree.children[node, action] == NOBODY:
                if choice == 0:
                    return action
                choice -= 1
    best, highest = NOBODY, -np.inf
    scale = np.log(np.float64(tree.visits[node]))
    for action in range(actions):
        child = tree.children[node, action]
        if child == NOBODY or tree.proven[child] != UNKNOWN:
            continue
        visits = np.float64(tree.visits[child])
        score = sign * tree.totals[child] / visits + exploration * np.sqrt(scale / visits)
        if score > highest:
            best, highest = action, score
    return best


@inlined
def puct_action(tree, node, sign, exploration):
    """The action to follow by PUCT; one without results counts as good as the node itself.

    Each leaf that is under way counts as lost (virtual loss), so that the next descent goes elsewhere.
    """
    best, highest = NOBODY, -np.inf
    scale = exploration * np.sqrt(np.float64(tree.visits[node] + tree.waits[node]))
    first = sign * tree.totals[node] / tree.visits[node]
    for action in range(tree.masks.shape[1]):
        if not tree.masks[node, action]:
            continue
        child = tree.children[node, action]
        tried = 0
        mean = first
        if child != NOBODY:
            if tree.proven[child] != UNKNOWN:
                continue
            tried = np.int64(tree.visits[child]) + np.int64(tree.waits[child])
            if tried > 0:
                mean = (sign * tree.totals[child] - tree.waits[child]) / tried
        score = mean + scale * tree.priors[node, action] / (1.0 + tried)
        if score > highest:
            best, highest = action, score
    return best


@njit
def select(tree, exploration, margin, history, stream, any_size, any_rules, axes, tables, dead):
    """Descend from the root to a new node and return it.

    -1 if the descent reaches a leaf whose evaluation is under way. The root must not be proven and, with a policy, must
    have its priors. ``history`` is written along the line.
    """
    pits = axes[PITS]
    puct = len(tree.priors) > 0
    node = 0
    while True:
        if puct and tree.visits[node] == 0:
            return NOBODY
        if axes[REPEATS] > 0:
            history[history_end(tree.positions[node], tree.positions[0], pits)] = tree.hashes[node]
        sign = sign_of(tree.positions[node], pits)
        if puct:
            action = puct_action(tree, node, sign, exploration)
        else:
            action = uct_action(tree, node, sign, exploration, stream)
        child = np.int64(tree.children[node, action])
        if child == NOBODY:
            return expand(tree, node, action, history, margin, any_size, any_rules, axes, tables, dead)
        node = child


@inlined
def prove(tree, node, pits):
    """Whether the result of ``node`` is known. Writes it if so; if not, what the mover is sure of.

    It is known when one of the moves is worth 1, the maximum, or when all moves are known; it is then that of the move
    that is worth most to the mover. So a win proves a node at once where only the result counts; with a margin there
    may be a larger win, and all moves are examined.
    """
    sign = sign_of(tree.positions[node], pits)
    known = True
    best, most = UNKNOWN, -np.inf
    for action in range(tree.masks.shape[1]):
        if not tree.masks[node, action]:
            continue
        child = tree.children[node, action]
        if child == NOBODY or tree.proven[child] == UNKNOWN:
            known = False
        elif sign * tree.worth[child] > most:
            best, most = tree.proven[child], sign * tree.worth[child]
    tree.worth[node] = sign * most
    if most < 1.0 and not known:
        return False
    tree.proven[node] = best
    return True


@njit
def back_up(tree, leaf, value, waited, pits):
    """Add a result, for South, to a leaf and all nodes above it; carry a proof as far up as it reaches.

    Above a proven node its exact worth is added instead of the result. Above a node whose mover has a proven move, the
    worth of that move is added where it is better for the mover than the move the result came through: no
    simulation is spent on what is known, and the means are still those of a mover who plays it.
    ``waited``: 1 if the leaf was under way, else 0.
    """
    node = leaf
    fresh = tree.proven[leaf] != UNKNOWN
    came = NOBODY
    while True:
        if fresh and tree.proven[node] == UNKNOWN:
            fresh = prove(tree, node, pits)
        if tree.proven[node] != UNKNOWN:
            value = tree.worth[node]
        elif came != NOBODY:
            sign = sign_of(tree.positions[node], pits)
            mean = tree.worth[came] if tree.proven[came] != UNKNOWN else tree.totals[came] / tree.visits[came]
            if sign * mean < sign * tree.worth[node]:
                value = tree.worth[node]
        tree.visits[node] += 1
        tree.totals[node] += value
        tree.waits[node] -= waited
        if node == 0:
            return
        came = node
        node = np.int64(tree.parents[node])


@njit
def simulate(
    tree, simulations, exploration, margin, history, stream, position, mask, any_size, any_rules, axes, tables, dead
):
    """UCT with random rollouts.

    Parameters
    ----------
    tree : Tree
        Modified in place, as all arrays but the ruleset; room for one node per simulation. It may have simulations
        already: two calls do what one call does with the sum of both numbers.
    simulations : int
    exploration : float
        How much the number of visits weighs against the mean.
    margin : float
        See ``reward``.
    history : uint64[H]
        Begins with the hashes since the last capture before the root; it has room for the longest game from there.
    stream : uint64[1]
        Random numbers.
    position : int16[W], mask : bool[A]
        Work space.

    Returns
    -------
    int
        Simulations done: fewer than ``simulations`` if the root was proven before.
    """
    pits = axes[PITS]
    done = 0
    while done < simulations and tree.proven[0] == UNKNOWN:
        leaf = select(tree, exploration, margin, history, stream, any_size, any_rules, axes, tables, dead)
        value = 0.0
        if tree.proven[leaf] == UNKNOWN:
            for field in range(len(position)):
                position[field] = tree.positions[leaf, field]
            for action in range(len(mask)):
                mask[action] = tree.masks[leaf, action]
            end = history_end(position, tree.positions[0], pits)
            rollout(position, mask, history, end, tree.positions[:0], stream, any_size, any_rules, axes, tables, dead)
            value = reward(position, margin, any_rules, axes, tables)
        back_up(tree, leaf, value, 0, pits)
        done += 1
    return done


@njit
def collect(tree, limit, exploration, margin, history, stream, leaves, any_size, any_rules, axes, tables, dead):
    """Choose leaves to evaluate in one batch, up to ``len(leaves)`` and ``limit``; other arguments as ``simulate``.

    Stops early where a descent meets a leaf that is under way, and when the root is proven. The first leaf of a new
    tree is the root, alone; evaluating it is no simulation.

    Returns
    -------
    count : int
        ``leaves[:count]``, int64, are to be evaluated and given to ``receive``.
    done : int
        Simulations that needed no evaluation: they are backed up.
    """
    pits = axes[PITS]
    if tree.visits[0] == 0:
        leaves[0] = 0
        tree.waits[0] = 1
        return 1, 0
    count, done = 0, 0
    while count + done < limit and count < len(leaves) and tree.proven[0] == UNKNOWN:
        leaf = select(tree, exploration, margin, history, stream, any_size, any_rules, axes, tables, dead)
        if leaf == NOBODY:
            break
        if tree.proven[leaf] != UNKNOWN:
            back_up(tree, leaf, 0.0, 0, pits)
            done += 1
            continue
        leaves[count] = leaf
        count += 1
        node = leaf
        while True:
            tree.waits[node] += 1
            if node == 0:
                break
            node = np.int64(tree.parents[node])
    return count, done


@njit
def receive(tree, leaves, priors, values, pits):
    """Back up the evaluation of the leaves of ``collect``.

    ``priors``, float32[m, A], are scaled to sum to 1 over the legal actions, uniform if they sum to 0; ``values``,
    float32[m], are for the mover of each leaf.
    """
    for k in range(len(leaves)):
        leaf = leaves[k]
        total, legal = 0.0, 0
        for action in range(tree.masks.shape[1]):
            if tree.masks[leaf, action]:
                total += priors[k, action]
                legal += 1
        for action in range(tree.masks.shape[1]):
            share = priors[k, action] / total if total > 0.0 else 1.0 / legal
            tree.priors[leaf, action] = share if tree.masks[leaf, action] else 0.0
        sign = sign_of(tree.positions[leaf], pits)
        back_up(tree, leaf, sign * np.float64(values[k]), 1, pits)
