"""Which move a compiled tree search follows at a node, and which it plays in the end. Gumbel roots are those of
Danihelka, Guez, Schrittwieser and Silver ("Policy improvement by planning with Gumbel", ICLR 2022).
"""

import numpy as np

from agents.batched.kernel import below
from agents.mcts.tree import NOBODY, UNKNOWN, inlined, njit, sign_of, tree_of

TRUST = 0.5  # see ``puct_action``
C_VISIT = 50.0  # see ``score_root``; the paper's c_scale is 1
LEAST_PRIOR = float(np.finfo(np.float32).tiny)  # counts instead of a prior of 0, which has no logarithm


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
