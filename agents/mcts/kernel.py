"""Compiled Monte Carlo tree search: descents to new nodes, and their rollouts or evaluations."""

from typing import Any, NamedTuple

import numpy as np

from agents.batched.kernel import below
from agents.mcts.choice import gumbel_action, puct_action, uct_action
from agents.mcts.tree import (
    NOBODY,
    UNKNOWN,
    back_up,
    back_up_guess,
    expand,
    history_end,
    inlined,
    njit,
    reward,
    sign_of,
    tree_of,
)
from agents.search import learned
from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of
from mancala_env.kernels.engine import play

SPREAD, HEAT = 0.25, 0.2  # see ``guessed`` and ``assess``


class Leaves(NamedTuple):
    """Of n leaves the tree and the node, int64[n], the position, int16[n, W], and what may be played, bool[n, A]."""

    trees: Any
    nodes: Any
    positions: Any
    masks: Any


@njit
def rollout(position, mask, history, end, no_log, stream, rules):
    """Play random moves to the end, in place; ``history[end]`` is this position's hash, ``no_log`` int16[0, n]."""
    axes, _, _ = arrays_of(rules)
    pits = axes[L.PITS]
    start = end - np.int64(position[pits + L.PLIES_SINCE_CAPTURE])
    while position[pits + L.OVER] == 0:
        legal = 0
        for action in range(len(mask)):
            legal += mask[action]
        choice = below(stream, legal) if legal > 1 else 0
        chosen = 0  # steps over illegal actions and the legal ones before the choice
        for action in range(len(mask)):
            choice -= mask[action]
            chosen += choice >= 0
        start = play(rules, position, chosen, mask, history, start, no_log)


@inlined
def guessed(position, margin, weights, axes, tables):
    """A learned evaluation of a running position, for South, as ``reward``: a lead of ``x (1 + SPREAD b)`` seeds, with
    b on the board, is a chance to win less that to lose of ``x / sqrt(1 + x^2)``.
    """
    pits = axes[L.PITS]
    value = sign_of(position, pits) * np.float64(learned.expected(position, weights, axes, tables))
    if axes[L.GOAL] != L.GOAL_SEEDS:
        return value / learned.SURE
    board = 0
    for pit in range(pits):
        board += np.int64(position[pit])
    ahead = (
        np.float64(position[pits + L.STORES]) - np.float64(position[pits + L.STORES + 1]) + value / (2 * learned.UNIT)
    )
    x = ahead / (1.0 + SPREAD * board)
    share = min(max(ahead / axes[L.TOTAL_SEEDS], -1.0), 1.0)
    return (1.0 - margin) * x / np.sqrt(1.0 + x * x) + margin * share


@inlined
def assess(tree, leaf, margin, weights, history, position, mask, rules):
    """The worth, for South, of the best action of a new node; the softmax at temperature ``HEAT`` is the policy."""
    axes, tables, _ = arrays_of(rules)
    pits = axes[L.PITS]
    end = history_end(tree.positions[leaf], tree.positions[0], pits)
    start = end - np.int64(tree.positions[leaf, pits + L.PLIES_SINCE_CAPTURE])
    sign = sign_of(tree.positions[leaf], pits)
    most = -np.inf
    for action in range(tree.masks.shape[1]):
        if not tree.masks[leaf, action]:
            tree.priors[leaf, action] = 0.0
            continue
        for field in range(len(position)):
            position[field] = tree.positions[leaf, field]
        play(rules, position, action, mask, history, start, tree.positions[:0])
        if position[pits + L.OVER] != 0:
            value = reward(position, margin, axes, tables)
        else:
            value = guessed(position, margin, weights, axes, tables)
        tree.firsts[leaf, action] = value
        most = max(most, sign * value)
    total = 0.0
    for action in range(tree.masks.shape[1]):
        if tree.masks[leaf, action]:
            share = np.exp((sign * np.float64(tree.firsts[leaf, action]) - most) / HEAT)
            tree.priors[leaf, action] = share
            total += share
    for action in range(tree.masks.shape[1]):
        tree.priors[leaf, action] /= total
    tree.backed[leaf] = sign * most
    return sign * most


@inlined
def select(tree, settings, history, stream, rules):
    """Descend from the unproven root to a new node, or to a proven child of the root in its turn; returns it, or -1 if
    evaluations under way are needed first. ``history`` is written along the line.
    """
    axes, _, _ = arrays_of(rules)
    pits = axes[L.PITS]
    puct = len(tree.priors) > 0
    node = 0
    end = np.int64(tree.positions[0, pits + L.PLIES_SINCE_CAPTURE])  # the index of the node's hash in the history
    while True:
        if puct and tree.visits[node] == 0:
            return NOBODY
        if axes[L.REPEATS] > 0:
            history[end] = tree.hashes[node]
        sign = sign_of(tree.positions[node], pits)
        if puct and node == 0 and tree.considered[0] > 0:
            action = gumbel_action(tree, pits)
            if action == NOBODY:
                return NOBODY
        elif puct:
            action = puct_action(tree, node, sign, settings.exploration)
        else:
            action = uct_action(tree, node, sign, settings.exploration, stream)
        child = np.int64(tree.children[node, action])
        if child == NOBODY:
            return expand(tree, node, action, history, end, settings.margin, rules)
        if tree.proven[child] != UNKNOWN:
            return child
        node = child
        end += 1


@njit
def simulate(tree, simulations, settings, history, stream, position, mask, weights, rules):
    """UCT with random rollouts, or PUCT with a learned evaluation, ``weights``. Returns the simulations done, fewer if
    the root was proven before. ``history`` uint64[H] begins with the hashes since the last capture before the root,
    with room for the longest game; ``stream`` is uint64[1]; ``position`` int16[W] and ``mask`` bool[A] are work space.
    """
    margin = settings.margin
    axes, tables, _ = arrays_of(rules)
    pits = axes[L.PITS]
    if weights is not None and tree.visits[0] == 0:
        if axes[L.REPEATS] > 0:
            history[np.int64(tree.positions[0, pits + L.PLIES_SINCE_CAPTURE])] = tree.hashes[0]
        tree.guess[0] = assess(tree, 0, margin, weights, history, position, mask, rules)
        back_up(tree, 0, tree.guess[0], 0, pits)
    done = 0
    while done < simulations and tree.proven[0] == UNKNOWN:
        leaf = select(tree, settings, history, stream, rules)
        value = 0.0
        if tree.proven[leaf] == UNKNOWN:
            if weights is not None:
                value = assess(tree, leaf, margin, weights, history, position, mask, rules)  # fmt: skip
            else:
                for field in range(len(position)):
                    position[field] = tree.positions[leaf, field]
                for action in range(len(mask)):
                    mask[action] = tree.masks[leaf, action]
                end = history_end(position, tree.positions[0], pits)
                rollout(position, mask, history, end, tree.positions[:0], stream, rules)
                value = reward(position, margin, axes, tables)
        back_up(tree, leaf, value, 0, pits)
        if weights is not None:
            back_up_guess(tree, leaf, pits)
        done += 1
    return done


@inlined
def collect_in(tree, leaves, settings, history, stream, rules):
    """``collect`` for one tree: returns how many of ``leaves`` it has written."""
    axes, _, _ = arrays_of(rules)
    pits = axes[L.PITS]
    if tree.visits[0] == 0:
        leaves[0] = 0
        tree.waits[0] = 1
        return 1
    count = 0
    while count < len(leaves) and tree.proven[0] == UNKNOWN and tree.visits[0] - 1 + tree.waits[0] < tree.wanted[0]:
        leaf = select(tree, settings, history, stream, rules)
        if leaf == NOBODY:
            break
        if tree.proven[leaf] != UNKNOWN:
            back_up(tree, leaf, 0.0, 0, pits)
            continue
        leaves[count] = leaf
        count += 1
        node = leaf
        while True:
            tree.waits[node] += 1
            if node == 0:
                break
            node = np.int64(tree.parents[node])
    return count


@njit
def collect(forest, begin, end, batch, settings, history, stream, leaves, rules):
    """Choose leaves to evaluate in one call, up to ``batch`` of each tree from ``begin`` to before ``end``; returns how
    many, 0 if no tree wants more. A tree waits at a leaf under way; the first leaf is the root, which is no simulation.
    ``history`` is uint64[T, H]; ``leaves`` is written.
    """
    count = 0
    for t in range(begin, end):
        tree = tree_of(forest, t)
        found = collect_in(tree, leaves.nodes[count : count + batch], settings, history[t], stream, rules)
        for k in range(count, count + found):
            leaf = leaves.nodes[k]
            leaves.trees[k] = t
            for field in range(leaves.positions.shape[1]):
                leaves.positions[k, field] = tree.positions[leaf, field]
            for action in range(leaves.masks.shape[1]):
                leaves.masks[k, action] = tree.masks[leaf, action]
        count += found
    return count


@njit
def receive(forest, leaves, priors, values, pits):
    """Back up, in order, what ``collect`` chose: ``priors`` float32[m, A], scaled over the legal actions, uniform if
    they sum to 0, and ``values`` float32[m], for the mover of each leaf.
    """
    for k in range(len(leaves.nodes)):
        tree = tree_of(forest, leaves.trees[k])
        leaf = leaves.nodes[k]
        total, legal = 0.0, 0
        for action in range(tree.masks.shape[1]):
            if tree.masks[leaf, action]:
                total += priors[k, action]
                legal += 1
        for action in range(tree.masks.shape[1]):
            share = priors[k, action] / total if total > 0.0 else 1.0 / legal
            tree.priors[leaf, action] = share if tree.masks[leaf, action] else 0.0
        value = sign_of(tree.positions[leaf], pits) * np.float64(values[k])
        if leaf == 0:
            tree.guess[0] = value
        back_up(tree, leaf, value, 1, pits)
