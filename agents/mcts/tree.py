"""The tree of a compiled Monte Carlo tree search: its arrays, new nodes, and the backing up of results and proofs.

A tree is arrays with one entry per node (``Tree``), the root first; results are from South's side, as extra turns need,
and a mover reads them with their own sign. The hashes that repetition needs lie in one array for the line in progress:
``k`` plies below the root at ``quiet + k``, quiet being the plies since the last capture at the root.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.batched.kernel import FOLDER as BATCHED
from agents.search import learned
from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of
from mancala_env.kernels.engine import play
from mancala_env.kernels.jit import KERNELS, Work, compiler
from mancala_env.kernels.scores import final_scores

SEARCH = Path(learned.__file__).parent
njit = compiler(KERNELS, BATCHED, SEARCH, Path(__file__).parent, work=Work("tree search", 15))
inlined = compiler(KERNELS, BATCHED, SEARCH, Path(__file__).parent, inline=True)

UNKNOWN = 2  # in ``Tree.proven``; else -1, 0 or 1: the result for South
NOBODY = -1


class Tree(NamedTuple):
    """The arrays of one tree, with room for M nodes; nothing in them is allocated later."""

    size: Any  # int64[1]: nodes in use
    # Of each node the position, its legal actions, and its hash where the game has repetition.
    positions: Any  # int16[M, W]
    masks: Any  # bool[M, A]
    hashes: Any  # uint64[M]
    parents: Any  # int32[M]; -1 where there is none (yet), as of the next
    children: Any  # int32[M, A]
    visits: Any  # int32[M]: results that went through the node
    waits: Any  # int32[M]: leaves below it (or itself) whose evaluation is under way
    totals: Any  # float64[M]: the sum of the results for South, each from -1 to 1
    proven: Any  # int8[M]: -1, 0 or 1, the result for South with best play; UNKNOWN
    # float64[M], for South: the exact reward where the result is known; else what the mover is sure of, the best of the
    # moves that are proven, and if there are none an infinite loss
    worth: Any
    priors: Any  # float32[M, A]: the policy; with rollouts float32[0, A]
    # With a learned evaluation, else of length 0; for South: what it said of the position after each action, and the
    # minimax of what it said of all positions below the node.
    firsts: Any  # float32[M, A]
    backed: Any  # float64[M]
    wanted: Any  # int64[1]: simulations that the search is to have; evaluating the root is none of them
    considered: Any  # int64[1]: root actions among which sequential halving chooses; 0: the root is as any other node
    gumbel: Any  # float64[A]: the noise of the root's actions; only with ``considered``
    guess: Any  # float64[1]: what the evaluation of the root said, for South; nan with rollouts
    scores: Any  # float64[A]: work space, see ``score_root``


class Settings(NamedTuple):
    """How a search chooses."""

    exploration: float  # how much the number of visits weighs against the mean
    margin: float  # see ``reward``


@inlined
def tree_of(forest, t):
    """Tree number ``t`` of a forest."""
    return Tree(
        forest.size[t],
        forest.positions[t],
        forest.masks[t],
        forest.hashes[t],
        forest.parents[t],
        forest.children[t],
        forest.visits[t],
        forest.waits[t],
        forest.totals[t],
        forest.proven[t],
        forest.worth[t],
        forest.priors[t],
        forest.firsts[t],
        forest.backed[t],
        forest.wanted[t],
        forest.considered[t],
        forest.gumbel[t],
        forest.guess[t],
        forest.scores[t],
    )


@inlined
def sign_of(position, pits):
    """1 or -1: the factor that turns a reward for South into one for the mover, and back."""
    return 1 - 2 * np.int64(position[pits + L.MOVER])


@inlined
def history_end(position, root, pits):
    """The index in the history of the hash of a position below ``root``, in the same game of a match."""
    return (
        np.int64(root[pits + L.PLIES_SINCE_CAPTURE]) + np.int64(position[pits + L.PLY]) - np.int64(root[pits + L.PLY])
    )


@inlined
def reward(position, margin, axes, tables):
    """What the end of a game is worth to South: the result (1, 0, -1), and ``margin`` of it by share of the seeds. 1.0,
    exactly, is the most there is: a win, and with a margin one with all seeds; a larger lead in a match counts as much.
    """
    ahead = final_scores(position, axes, tables)[2]
    share = min(max(ahead / (2.0 * axes[L.TOTAL_SEEDS]), -1.0), 1.0)
    return (1.0 - margin) * np.sign(ahead) + margin * share


@inlined
def expand(tree, node, action, history, end, margin, rules):
    """Add the child of ``node``, whose hash is ``history[end]``, by ``action``; returns the new node."""
    axes, tables, _ = arrays_of(rules)
    pits = axes[L.PITS]
    child = tree.size[0]
    tree.size[0] = child + 1
    position = tree.positions[child]
    for field in range(len(position)):
        position[field] = tree.positions[node, field]
    for other in range(tree.children.shape[1]):
        tree.children[child, other] = NOBODY
    start = end - np.int64(position[pits + L.PLIES_SINCE_CAPTURE])
    play(rules, position, action, tree.masks[child], history, start, tree.positions[:0])
    tree.parents[child] = node
    tree.children[node, action] = child
    tree.visits[child] = tree.waits[child] = 0
    tree.totals[child] = 0.0
    tree.proven[child] = UNKNOWN
    tree.worth[child] = sign_of(position, pits) * -np.inf
    if position[pits + L.OVER] != 0:
        tree.proven[child] = np.sign(final_scores(position, axes, tables)[2])
        tree.worth[child] = reward(position, margin, axes, tables)
    elif axes[L.REPEATS] > 0:
        tree.hashes[child] = history[end + 1]
    return child


@inlined
def prove(tree, node, pits):
    """Whether the result of ``node`` is known, by a move worth 1 or by all; writes it, or what the mover is sure of."""
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


@inlined
def back_up(tree, leaf, value, waited, pits):
    """Add a result, for South, to a leaf and the nodes above; carry proofs up. ``waited``: 1 if the leaf was under way,
    else 0. Above a proven node its exact worth is added instead; above one whose mover has a proven move better than
    that which the result came through, the worth of that move.
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


@inlined
def back_up_guess(tree, leaf, pits):
    """Make ``backed`` of all nodes above a leaf the minimax of what is below them; exact where that is proven."""
    node = np.int64(tree.parents[leaf])
    while node != NOBODY:
        sign = sign_of(tree.positions[node], pits)
        most = -np.inf
        for action in range(tree.masks.shape[1]):
            if not tree.masks[node, action]:
                continue
            child = tree.children[node, action]
            value = np.float64(tree.firsts[node, action])
            if child != NOBODY:
                value = tree.backed[child] if tree.proven[child] == UNKNOWN else tree.worth[child]
            most = max(most, sign * value)
        if tree.backed[node] == sign * most:
            return
        tree.backed[node] = sign * most
        node = np.int64(tree.parents[node])
