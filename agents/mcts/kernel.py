"""Compiled Monte Carlo tree search: selection, expansion, rollouts or evaluation, backing up of results and proofs.

A tree is a structure of arrays with one entry per node (``Tree``); node 0 is the root. A forest is the same structure
with one more axis, the first, for trees that are searched together. Results are kept from South's
side, so that an extra turn needs no special case: a mover reads them with their own sign, +1 for South and -1 for
North. The hashes that repetition needs lie in one array for the line in progress: the position ``k`` plies below
the root has entry ``quiet + k``, quiet being the plies since the last capture at the root.

The root is searched as every other node, or by sequential halving with Gumbel noise, and its improved policy is
computed, as Danihelka, Guez, Schrittwieser and Silver say ("Policy improvement by planning with Gumbel", ICLR 2022).
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.batched.kernel import FOLDER as BATCHED
from agents.batched.kernel import below
from agents.search import learned
from mancala_env.kernels.board import shape
from mancala_env.kernels.engine import play
from mancala_env.kernels.jit import KERNELS, Work, compiler
from mancala_env.kernels.layout import (
    GOAL,
    GOAL_SEEDS,
    MOVER,
    OVER,
    PITS,
    PLIES_SINCE_CAPTURE,
    PLY,
    REPEATS,
    STORES,
    TOTAL_SEEDS,
)
from mancala_env.kernels.scores import lead

SEARCH = Path(learned.__file__).parent
njit = compiler(KERNELS, BATCHED, SEARCH, Path(__file__).parent, work=Work("tree search", 15))
inlined = compiler(KERNELS, BATCHED, SEARCH, Path(__file__).parent, inline=True)

UNKNOWN = 2  # in ``Tree.proven``; else -1, 0 or 1: the result for South
NOBODY = -1
TRUST, SPREAD, HEAT = 0.5, 0.25, 0.2  # see ``puct_action``, ``guessed`` and ``assess``
LEAST_PRIOR = float(np.finfo(np.float32).tiny)  # counts instead of a prior of 0, which has no logarithm


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
    firsts : float32[M, A], backed : float64[M]
        With a learned evaluation, else of length 0; for South: what it said of the position after each action, and the
        minimax of what it said of all positions below the node.
    wanted : int64[1]
        Simulations that the search is to have. The evaluation of the root, where there is one, is none of them.
    considered : int64[1]
        Actions of the root among which sequential halving chooses; 0 if the root is searched as every other node.
    gumbel : float64[A]
        The noise of the root's actions; only with ``considered``.
    guess : float64[1]
        What the evaluation of the root said, for South; nan with rollouts.
    scores : float64[A]
        Work space: see ``score_root``.
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
    firsts: Any
    backed: Any
    wanted: Any
    considered: Any
    gumbel: Any
    guess: Any
    scores: Any


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
def reward(position, margin, any_rules, axes, tables):
    """What the end of a game is worth to South: the result (1, 0, -1), and ``margin`` of it by share of the seeds.

    1.0, exactly, is the most there is: a win, and with a margin one with all seeds. In a match the lead may be larger
    than that, and counts as much.
    """
    ahead = lead(position, any_rules, axes, tables)
    share = min(max(ahead / (2.0 * axes[TOTAL_SEEDS]), -1.0), 1.0)
    return (1.0 - margin) * np.sign(ahead) + margin * share


@inlined
def sign_of(position, pits):
    """1 or -1: the factor that turns a reward for South into one for the mover, and back."""
    return 1 - 2 * np.int64(position[pits + MOVER])


@inlined
def history_end(position, root, pits):
    """The index in the history of the hash of a position below ``root``, in the same game of a match."""
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


@inlined
def expand(tree, node, action, history, end, margin, any_size, any_rules, axes, tables, dead):
    """Add the child of ``node`` by ``action``; returns the new node.

    The history is that of the line to ``node``, whose hash is ``history[end]``.
    """
    actions, pits = shape(any_size, axes)
    child = tree.size[0]
    tree.size[0] = child + 1
    position = tree.positions[child]
    for field in range(len(position)):
        position[field] = tree.positions[node, field]
    for other in range(tree.children.shape[1]):
        tree.children[child, other] = NOBODY
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

    With a learned evaluation it counts as good as that says, and of the others ``TRUST`` of the worth is the minimax
    below them and the rest the mean ("implicit minimax backups": Lanctot, Winands, Pepels and Sturtevant, CIG 2014).

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
        if len(tree.firsts) > 0:
            mean = sign * np.float64(tree.firsts[node, action])
        if child != NOBODY:
            if tree.proven[child] != UNKNOWN:
                continue
            tried = np.int64(tree.visits[child]) + np.int64(tree.waits[child])
            if tried > 0:
                mean = (sign * tree.totals[child] - tree.waits[child]) / tried
                if len(tree.backed) > 0:
                    mean += TRUST * (sign * tree.backed[child] - mean)
        score = mean + scale * tree.priors[node, action] / (1.0 + tried)
        if score > highest:
            best, highest = action, score
    return best


@njit
def considered_visits(simulations, considered, index):
    """What sequential halving does in the simulation number ``index``, from 0, of ``simulations`` at a root.

    ``considered`` actions are visited in turn for a while, then the better half of them, and so on until two are left;
    each of the ceil(log2(considered)) phases has as many simulations, as nearly as whole visits allow (Karnin, Koren
    and Somekh, ICML 2013; Danihelka et al. 2022, figure 1). What is left at the end goes to the last two.

    Returns
    -------
    visits : int
        How many visits the action has by then that is visited next. Of those that have as many, it is the best.
    begins : bool
        Does a phase begin? Which actions are left is then chosen by the results so far.
    """
    if considered <= 1:
        return index, False
    phases = 0
    while 1 << phases < considered:
        phases += 1
    before = 0
    while True:
        each = max(1, simulations // (phases * considered))
        if index < each * considered:
            return before + index // considered, index == 0
        index -= each * considered
        before += each
        considered = max(2, considered // 2)


@inlined
def score_root(tree, c_visit, c_scale, pits):
    """Write ``log prior + sigma(completed Q)`` of each action of the root to ``scores``; -inf where it is illegal.

    ``sigma(q) = (c_visit + max_b N(b)) c_scale (q + 1) / 2``. Q is the mean for the mover, the exact worth where that
    is proven, and for actions without results ``(v + n r) / (1 + n)``: v is the evaluation of the root, n the number of
    results, and r the mean Q of the actions that have some, weighted by their priors (Danihelka et al. 2022,
    equations 8 and 33). Without a policy all priors are the same, and v is the mean of all results.
    """
    actions = tree.masks.shape[1]
    sign = sign_of(tree.positions[0], pits)
    with_priors = len(tree.priors) > 0
    mass, weighted, results, most = 0.0, 0.0, 0, 0
    for action in range(actions):
        child = tree.children[0, action]
        if not tree.masks[0, action] or child == NOBODY or tree.visits[child] == 0:
            continue
        prior = max(np.float64(tree.priors[0, action]), LEAST_PRIOR) if with_priors else 1.0
        mean = tree.worth[child] if tree.proven[child] != UNKNOWN else tree.totals[child] / tree.visits[child]
        mass += prior
        weighted += prior * sign * mean
        results += np.int64(tree.visits[child])
        most = max(most, np.int64(tree.visits[child]))
    first = sign * tree.guess[0]
    if np.isnan(first):
        first = sign * tree.totals[0] / max(1, tree.visits[0])
    mixed = (first + results * (weighted / mass)) / (1 + results) if results > 0 else first
    scale = (c_visit + most) * c_scale
    for action in range(actions):
        if not tree.masks[0, action]:
            tree.scores[action] = -np.inf
            continue
        child = tree.children[0, action]
        mean = mixed
        if child != NOBODY and tree.visits[child] > 0:
            mean = tree.worth[child] if tree.proven[child] != UNKNOWN else tree.totals[child] / tree.visits[child]
            mean *= sign
        prior = max(np.float64(tree.priors[0, action]), LEAST_PRIOR) if with_priors else 1.0
        tree.scores[action] = np.log(prior) + scale * (0.5 * (mean + 1.0))


@inlined
def gumbel_action(tree, c_visit, c_scale, pits):
    """The action of the root to follow by sequential halving with Gumbel noise, proven or not.

    Leaves under way count as visits. -1 where a phase begins and results are still under way.
    """
    done = np.int64(tree.visits[0]) - 1 + np.int64(tree.waits[0])
    visits, begins = considered_visits(tree.wanted[0], tree.considered[0], done)
    if begins and tree.waits[0] > 0:
        return NOBODY
    score_root(tree, c_visit, c_scale, pits)
    best, highest = NOBODY, -np.inf
    for action in range(tree.masks.shape[1]):
        if not tree.masks[0, action]:
            continue
        child = tree.children[0, action]
        tried = 0 if child == NOBODY else np.int64(tree.visits[child]) + np.int64(tree.waits[child])
        score = tree.gumbel[action] + tree.scores[action]
        if tried == visits and (best == NOBODY or score > highest):
            best, highest = action, score
    return best


@inlined
def select(tree, exploration, margin, c_visit, c_scale, history, stream, any_size, any_rules, axes, tables, dead):
    """Descend from the root to a new node and return it; to a child of the root that is proven, where it is its turn.

    -1 if the descent reaches a leaf whose evaluation is under way, or the results of such leaves are needed to choose.
    The root must not be proven and, with a policy, must have its priors. ``history`` is written along the line.
    """
    pits = axes[PITS]
    puct = len(tree.priors) > 0
    node = 0
    end = np.int64(tree.positions[0, pits + PLIES_SINCE_CAPTURE])  # the index of the node's hash in the history
    while True:
        if puct and tree.visits[node] == 0:
            return NOBODY
        if axes[REPEATS] > 0:
            history[end] = tree.hashes[node]
        sign = sign_of(tree.positions[node], pits)
        if puct and node == 0 and tree.considered[0] > 0:
            action = gumbel_action(tree, c_visit, c_scale, pits)
            if action == NOBODY:
                return NOBODY
        elif puct:
            action = puct_action(tree, node, sign, exploration)
        else:
            action = uct_action(tree, node, sign, exploration, stream)
        child = np.int64(tree.children[node, action])
        if child == NOBODY:
            return expand(tree, node, action, history, end, margin, any_size, any_rules, axes, tables, dead)
        if tree.proven[child] != UNKNOWN:
            return child
        node = child
        end += 1


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


@inlined
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


@inlined
def guessed(position, margin, weights, any_rules, axes, tables):
    """What a learned evaluation says that a running position is worth to South, in the unit of ``reward``.

    In games about seeds a lead of ``x (1 + SPREAD b)`` seeds, with b on the board, is a chance to win less that to lose
    of ``x / sqrt(1 + x^2)``: the fewer seeds are left, the more sure is a lead.
    """
    pits = axes[PITS]
    value = sign_of(position, pits) * np.float64(learned.expected(position, weights, any_rules, axes, tables))
    if axes[GOAL] != GOAL_SEEDS:
        return value / learned.SURE
    board = 0
    for pit in range(pits):
        board += np.int64(position[pit])
    ahead = np.float64(position[pits + STORES]) - np.float64(position[pits + STORES + 1]) + value / (2 * learned.UNIT)
    x = ahead / (1.0 + SPREAD * board)
    share = min(max(ahead / axes[TOTAL_SEEDS], -1.0), 1.0)
    return (1.0 - margin) * x / np.sqrt(1.0 + x * x) + margin * share


@inlined
def assess(tree, leaf, margin, weights, history, position, mask, any_size, any_rules, axes, tables, dead):
    """Evaluate the positions after each action of a new node; returns the worth of the best for its mover, for South.

    Their softmax at the temperature ``HEAT`` is the policy. ``position`` and ``mask`` are work space.
    """
    actions, pits = shape(any_size, axes)
    end = history_end(tree.positions[leaf], tree.positions[0], pits)
    start = end - np.int64(tree.positions[leaf, pits + PLIES_SINCE_CAPTURE])
    sign = sign_of(tree.positions[leaf], pits)
    most = -np.inf
    for action in range(tree.masks.shape[1]):
        if not tree.masks[leaf, action]:
            tree.priors[leaf, action] = 0.0
            continue
        for field in range(len(position)):
            position[field] = tree.positions[leaf, field]
        play(position, action, mask, history, start, tree.positions[:0], actions, pits, any_rules, axes, tables, dead)
        if position[pits + OVER] != 0:
            value = reward(position, margin, any_rules, axes, tables)
        else:
            value = guessed(position, margin, weights, any_rules, axes, tables)
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


@njit
def simulate(
    tree, simulations, exploration, margin, c_visit, c_scale, history, stream, position, mask, weights,
    any_size, any_rules, axes, tables, dead,
):  # fmt: skip
    """UCT with random rollouts, or PUCT with a learned evaluation.

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
    c_visit, c_scale : float
        As for ``score_root``.
    history : uint64[H]
        Begins with the hashes since the last capture before the root; it has room for the longest game from there.
    stream : uint64[1]
        Random numbers.
    position : int16[W], mask : bool[A]
        Work space.
    weights : None, or a learned evaluation (``agents.search.learned.expected``)

    Returns
    -------
    int
        Simulations done: fewer than ``simulations`` if the root was proven before.
    """
    pits = axes[PITS]
    if weights is not None and tree.visits[0] == 0:
        if axes[REPEATS] > 0:
            history[np.int64(tree.positions[0, pits + PLIES_SINCE_CAPTURE])] = tree.hashes[0]
        tree.guess[0] = assess(
            tree, 0, margin, weights, history, position, mask, any_size, any_rules, axes, tables, dead
        )
        back_up(tree, 0, tree.guess[0], 0, pits)
    done = 0
    while done < simulations and tree.proven[0] == UNKNOWN:
        leaf = select(
            tree, exploration, margin, c_visit, c_scale, history, stream, any_size, any_rules, axes, tables, dead
        )
        value = 0.0
        if tree.proven[leaf] == UNKNOWN:
            if weights is not None:
                value = assess(
                    tree, leaf, margin, weights, history, position, mask,
                    any_size, any_rules, axes, tables, dead,
                )  # fmt: skip
            else:
                for field in range(len(position)):
                    position[field] = tree.positions[leaf, field]
                for action in range(len(mask)):
                    mask[action] = tree.masks[leaf, action]
                end = history_end(position, tree.positions[0], pits)
                rollout(
                    position, mask, history, end, tree.positions[:0], stream, any_size, any_rules, axes, tables, dead
                )
                value = reward(position, margin, any_rules, axes, tables)
        back_up(tree, leaf, value, 0, pits)
        if weights is not None:
            back_up_guess(tree, leaf, pits)
        done += 1
    return done


@inlined
def collect_in(
    tree, leaves, exploration, margin, c_visit, c_scale, history, stream, any_size, any_rules, axes, tables, dead
):
    """``collect`` for one tree: returns how many of ``leaves`` it has written."""
    pits = axes[PITS]
    if tree.visits[0] == 0:
        leaves[0] = 0
        tree.waits[0] = 1
        return 1
    count = 0
    while count < len(leaves) and tree.proven[0] == UNKNOWN and tree.visits[0] - 1 + tree.waits[0] < tree.wanted[0]:
        leaf = select(
            tree, exploration, margin, c_visit, c_scale, history, stream, any_size, any_rules, axes, tables, dead
        )
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
def collect(
    forest, begin, end, batch, exploration, margin, c_visit, c_scale, history, stream, trees, leaves, positions, masks,
    any_size, any_rules, axes, tables, dead,
):  # fmt: skip
    """Choose leaves to be evaluated in one call, up to ``batch`` of each tree from ``begin`` to before ``end``.

    Stops in a tree where a descent meets a leaf that is under way, when the root is proven, and when there are as many
    simulations as are wanted; simulations that need no evaluation are backed up. The first leaf of a new tree is the
    root, alone; evaluating it is no simulation.

    Parameters
    ----------
    forest : Tree
        With one axis more than one tree has.
    batch : int
    exploration, margin : float
        As for ``simulate``.
    c_visit, c_scale : float
        As for ``score_root``.
    history : uint64[T, H]
        For each tree, as for ``simulate``.
    stream : uint64[1]
    trees, leaves : int64[n], positions : int16[n, W], masks : bool[n, A]
        Written, with room for all that may be chosen: of each leaf the tree and the node, its position, and what may be
        played there.

    Returns
    -------
    int
        How many leaves there are; none if no tree wants more simulations.
    """
    count = 0
    for t in range(begin, end):
        tree = tree_of(forest, t)
        found = collect_in(
            tree, leaves[count : count + batch], exploration, margin, c_visit, c_scale, history[t], stream,
            any_size, any_rules, axes, tables, dead,
        )  # fmt: skip
        for k in range(count, count + found):
            trees[k] = t
            for field in range(positions.shape[1]):
                positions[k, field] = tree.positions[leaves[k], field]
            for action in range(masks.shape[1]):
                masks[k, action] = tree.masks[leaves[k], action]
        count += found
    return count


@njit
def receive(forest, trees, leaves, priors, values, pits):
    """Back up the evaluation of the leaves of ``collect``, in order.

    ``priors``, float32[m, A], are scaled to sum to 1 over the legal actions, uniform if they sum to 0; ``values``,
    float32[m], are for the mover of each leaf.
    """
    for k in range(len(leaves)):
        tree = tree_of(forest, trees[k])
        leaf = leaves[k]
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


@njit
def keep_below(old, root, new, names):
    """Copy a node of a tree, and all below it, to an empty tree, of which it becomes the root.

    ``new`` has room for them. ``names`` int32[M] is work space, M the number of nodes of ``old``.
    """
    count = 0
    for node in range(root, old.size[0]):  # parents come before their children
        parent = np.int64(old.parents[node])
        names[node] = NOBODY
        if node != root and (parent < root or names[parent] == NOBODY):
            continue
        names[node] = count
        for field in range(old.positions.shape[1]):
            new.positions[count, field] = old.positions[node, field]
        for action in range(old.masks.shape[1]):
            new.masks[count, action] = old.masks[node, action]
            new.children[count, action] = NOBODY
            if len(old.priors) > 0:
                new.priors[count, action] = old.priors[node, action]
            if len(old.firsts) > 0:
                new.firsts[count, action] = old.firsts[node, action]
            if node != root and old.children[parent, action] == node:
                new.children[names[parent], action] = count
        if len(old.hashes) > 1:
            new.hashes[count] = old.hashes[node]
        if len(old.backed) > 0:
            new.backed[count] = old.backed[node]
        new.parents[count] = NOBODY if node == root else names[parent]
        new.visits[count], new.waits[count], new.totals[count] = old.visits[node], 0, old.totals[node]
        new.proven[count], new.worth[count] = old.proven[node], old.worth[node]
        count += 1
    new.size[0] = count


@inlined
def best_of(tree, visits, values, proven):
    """The action to play, by what ``summarise`` has written; ``scores`` are those of ``score_root``."""
    actions = len(visits)
    sure, all_lost = NOBODY, True  # the best of the proven ones; are all others proven lost?
    for action in range(actions):
        if visits[action] == 0:
            continue
        all_lost &= proven[action] == -1.0
        if not np.isnan(proven[action]) and (
            sure == NOBODY
            or values[action] > values[sure]
            or (values[action] == values[sure] and visits[action] > visits[sure])
        ):
            sure = action
    if tree.proven[0] != UNKNOWN:
        return sure
    best, highest = NOBODY, 0.0
    for action in range(actions):
        if visits[action] == 0 or (proven[action] == -1.0 and not all_lost):
            continue
        score = values[action]
        if tree.considered[0] > 0:
            score = tree.gumbel[action] + tree.scores[action]
        if best == NOBODY or visits[action] > visits[best] or (visits[action] == visits[best] and score > highest):
            best, highest = action, score
    return sure if sure != NOBODY and values[sure] > values[best] else best


@njit
def summarise(forest, c_visit, c_scale, visits, values, proven, policy, best, pits):
    """Write what searches have found; the arrays are those of ``mcts.Search``, each for T trees.

    ``visits`` int64[T, A], ``values``, ``proven``, ``policy`` float64[T, A], ``best`` int64[T].
    """
    for t in range(len(forest.size)):
        tree = tree_of(forest, t)
        sign = sign_of(tree.positions[0], pits)
        score_root(tree, c_visit, c_scale, pits)
        most = -np.inf  # of the scores of the actions that get a share of the policy
        for action in range(visits.shape[1]):
            visits[t, action], values[t, action], proven[t, action] = 0, np.nan, np.nan
            child = tree.children[0, action]
            if child != NOBODY and tree.visits[child] > 0:
                visits[t, action] = tree.visits[child]
                values[t, action] = sign * tree.totals[child] / tree.visits[child]
                if tree.proven[child] != UNKNOWN:
                    values[t, action], proven[t, action] = sign * tree.worth[child], sign * tree.proven[child]
            policy[t, action] = tree.scores[action]
            if tree.proven[0] != UNKNOWN and (np.isnan(proven[t, action]) or values[t, action] != sign * tree.worth[0]):
                policy[t, action] = -np.inf
            most = max(most, policy[t, action])
        total = 0.0
        for action in range(visits.shape[1]):
            policy[t, action] = np.exp(policy[t, action] - most)
            total += policy[t, action]
        for action in range(visits.shape[1]):
            policy[t, action] /= total
        best[t] = best_of(tree, visits[t], values[t], proven[t])
