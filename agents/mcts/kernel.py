"""Compiled Monte Carlo tree search: the tree, which move it follows at a node, descents to new nodes, their rollouts or
evaluations, the backing up of results and proofs, and which move it plays in the end. Gumbel roots are those of
Danihelka, Guez, Schrittwieser and Silver ("Policy improvement by planning with Gumbel", ICLR 2022). A long file, as all
of it reads and writes one tree.

A tree is arrays with one entry per node (``Tree``), the root first; results are from South's side, as extra turns need,
and a mover reads them with their own sign. The hashes that repetition needs lie in one array for the line in progress:
``k`` plies below the root at ``quiet + k``, quiet being the plies since the last capture at the root.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.batched.kernel import FOLDER as BATCHED
from agents.batched.kernel import below
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
SPREAD, HEAT = 0.25, 0.2  # see ``guessed`` and ``assess``
TRUST = 0.5  # see ``puct_action``
C_VISIT = 50.0  # see ``score_root``; the paper's c_scale is 1
LEAST_PRIOR = float(np.finfo(np.float32).tiny)  # counts instead of a prior of 0, which has no logarithm


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


class Leaves(NamedTuple):
    """Of n leaves the tree and the node, int64[n], the position, int16[n, W], and what may be played, bool[n, A]."""

    trees: Any
    nodes: Any
    positions: Any
    masks: Any


@inlined
def uct_action(tree, node, sign, exploration, stream):
    """The action to follow by UCB1, at random while some have no child; proven children are not followed."""
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
    """The action to follow by PUCT. Without results one counts as good as the node, with a learned evaluation as that
    says; then the minimax below has the share ``TRUST`` of the worth ("implicit minimax backups": Lanctot, Winands,
    Pepels and Sturtevant, CIG 2014). A leaf under way counts as lost (virtual loss).
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
    """The visits that the action has which simulation ``index``, from 0, visits next, and whether it begins a phase.

    Sequential halving visits ``considered`` actions in turn, then the better half, until two are left, in phases of as
    many simulations each, as nearly as whole visits allow (Karnin, Koren and Somekh, ICML 2013; Danihelka et al. 2022,
    figure 1).
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
def score_root(tree, pits):
    """Write ``log prior + sigma(completed Q)`` of each root action to ``scores``; -inf where it is illegal.

    ``sigma(q) = (C_VISIT + max_b N(b)) (q + 1) / 2`` (Danihelka et al. 2022, equations 8 and 33). Without results Q is
    ``(v + n r) / (1 + n)``: v the value of the root, n all results, r the mean Q of the actions with some, by their
    priors.
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
    scale = C_VISIT + most
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
def gumbel_action(tree, pits):
    """The root's action to follow by sequential halving with Gumbel noise; -1 where a phase waits for results."""
    done = np.int64(tree.visits[0]) - 1 + np.int64(tree.waits[0])
    visits, begins = considered_visits(tree.wanted[0], tree.considered[0], done)
    if begins and tree.waits[0] > 0:
        return NOBODY
    score_root(tree, pits)
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
def summarise(forest, visits, values, proven, policy, best, pits):
    """Write what searches have found, as ``mcts.Search`` has it, for T trees: ``visits`` int64[T, A], ``values``,
    ``proven``, ``policy`` float64[T, A], ``best`` int64[T].
    """
    for t in range(len(forest.size)):
        tree = tree_of(forest, t)
        sign = sign_of(tree.positions[0], pits)
        score_root(tree, pits)
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
