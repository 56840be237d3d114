"""The improved policy of a search, and sequential halving at its root, against the formulas in plain Python."""

import math

import numpy as np
import pytest

import mancala_env as mancala
from agents import MctsAgent, make_agent
from tests.games import random_game
from tests.test_learned import tree_of
from tests.test_mcts import check_proofs, outcomes, uniform

KALAH = mancala.ruleset("kalah")


def opinionated(rows, masks):
    """An evaluator with a firm opinion of each position, which means nothing."""
    random = np.random.default_rng(0)
    width, actions = rows.shape[1], masks.shape[1]
    logits = np.sin(rows @ random.normal(size=(width, actions)))
    return np.exp(2 * logits), 0.8 * np.sin(rows @ random.normal(size=width))


def halving(simulations: int, considered: int) -> list[int]:
    """How many visits the action has that is visited next, for each simulation: written out, action by action."""
    if considered == 1:
        return list(range(simulations))
    visits, left, told = [0] * considered, considered, []
    while len(told) < simulations:
        for _ in range(max(1, math.floor(simulations / (math.ceil(math.log2(considered)) * left)))):
            told += visits[:left]
            visits[:left] = [each + 1 for each in visits[:left]]
        left = max(2, left // 2)
    return told[:simulations]


def counts(simulations: int, considered: int) -> list[int]:
    """The visits of each considered action in the end, most first."""
    visits = [0] * considered
    for each in halving(simulations, considered):
        visits[visits.index(each)] += 1
    return sorted(visits, reverse=True)


def sigma(q, visits):
    return (50 + visits.max()) * (q + 1) / 2


def completed(search, priors, value: float, legal):
    """Q of each action: what the search found, and the mixed value for those without visits."""
    tried = search.visits > 0
    n = search.visits.sum()
    mean = (priors[tried] * search.values[tried]).sum() / priors[tried].sum() if n else 0.0
    return np.where(legal, np.where(tried, search.values, (value + n * mean) / (1 + n)), np.nan)


def positions(rules, number: int) -> list[mancala.State]:
    """Running positions of random games, with a choice."""
    states = [s for seed in range(number) for s in random_game(rules, seed)[1] if len(s.legal_actions) > 1]
    return states[:: max(1, len(states) // number)][:number]


@pytest.mark.parametrize("batch", [1, 3, 16])
@pytest.mark.parametrize("game", ["kalah", "oware", "oware_series_wins", "reaping", "hus"])
def test_a_gumbel_root_gives_each_action_the_visits_of_the_table(game, batch):
    states = positions(mancala.ruleset(game), 12)
    random = np.random.default_rng(1)
    wanted = random.integers(1, 70, len(states))
    gumbel = random.gumbel(size=(len(states), states[0].rules.num_actions))
    for considered in (16, 3):
        agent = MctsAgent(800, evaluate=opinionated, batch=batch, considered=considered)
        together = agent.search_all(states, gumbel=gumbel, simulations=wanted)
        for state, search, simulations, noise in zip(states, together, wanted.tolist(), gumbel, strict=True):
            if search.result is not None:
                continue
            most = min(considered, len(state.legal_actions), simulations)
            assert search.visits.sum() == search.simulations == simulations
            visited = sorted(search.visits[search.visits > 0].tolist(), reverse=True)
            assert visited == [each for each in counts(simulations, most) if each]
            priors, _ = opinionated(state.array[None], state.legal_mask[None])
            first = np.where(state.legal_mask, noise + np.log(priors[0]), -np.inf)
            assert set(np.flatnonzero(search.visits)) == set(np.argsort(-first)[: len(visited)])
            again = agent.search_all([state], gumbel=noise[None], simulations=[simulations])[0]
            assert again.visits.tolist() == search.visits.tolist()


@pytest.mark.parametrize("root", ["puct", "gumbel", "rollouts"])
def test_the_policy_and_the_choice_are_those_of_the_formulas(root):
    """By rollouts all actions have the same prior and, where there are so many, visits."""
    states = positions(mancala.ruleset("kalah", pits_per_row=4, seeds=3), 60)
    random = np.random.default_rng(2)
    agent = MctsAgent(24, **({} if root == "rollouts" else {"evaluate": opinionated, "batch": 4}), margin=0.3)
    gumbel = random.gumbel(size=(len(states), 4)) if root == "gumbel" else None
    checked = 0
    for k, (state, search) in enumerate(zip(states, agent.search_all(states, gumbel=gumbel), strict=True)):
        legal = state.legal_mask
        assert search.policy.sum() == pytest.approx(1, abs=1e-12)
        assert not search.policy[~legal].any()
        if search.result is not None:
            continue
        priors, values = (uniform if root == "rollouts" else opinionated)(state.array[None], legal[None])
        priors = priors[0] * legal / (priors[0] * legal).sum()
        q = completed(search, priors, values[0], legal)
        scores = np.log(np.where(legal, priors, 1)) + sigma(q, search.visits)
        share = np.exp(scores - np.nanmax(scores))
        assert search.policy[legal] == pytest.approx(share[legal] / share[legal].sum(), rel=1e-4, abs=1e-12)
        if root == "gumbel" and np.isnan(search.proven).all():
            most = np.flatnonzero(search.visits == search.visits.max())
            assert search.best == most[np.argmax((gumbel[k] + scores)[most])]
            checked += 1
    assert checked > 20 or root != "gumbel"


@pytest.mark.parametrize(
    ("line", "best", "shape"),
    [
        ("kalah 1-2-6-0-6-0-1-0-4-4-S ply=9", 1, {"pits_per_row": 4, "seeds": 3}),
        ("kalah 0-0-0-0-1-2-1-0-2-2-1-0-15-24-N ply=48", 0, {}),
    ],
)
def test_a_proven_best_move_gets_its_share_where_it_gets_no_visits(line, best, shape):
    state = mancala.State.parse(mancala.ruleset("kalah", **shape), line)
    search = MctsAgent(64, evaluate=uniform, margin=0.5, batch=4).search(state)
    assert search.result is None  # another move might yet win by more
    assert search.proven[best] == 1
    assert search.visits[best] < 0.05 * search.simulations
    assert search.policy[best] > 0.9
    assert search.best == best
    for batch in (1, 16):  # by halving it gets the visits of the best as well: proven actions keep their turns
        halved = MctsAgent(64, evaluate=uniform, margin=0.5, batch=batch, root="gumbel").search(state)
        assert halved.proven[best] == 1
        assert halved.visits[best] == halved.visits.max() > 0.3 * halved.simulations
        assert halved.policy.argmax() == halved.best == best


def test_a_proven_position_puts_all_on_the_moves_that_are_worth_most():
    rules = mancala.ruleset("kalah", pits_per_row=3, seeds=2)
    proven = several = 0
    for state in positions(rules, 40):
        for margin, root in ((0.0, "puct"), (0.5, "puct"), (0.5, "gumbel")):
            search = MctsAgent(3000, evaluate=uniform, batch=4, margin=margin, root=root).search(state)
            if search.result is None:
                continue
            best = search.values == search.value
            best &= ~np.isnan(search.proven)
            assert search.policy[best] == pytest.approx(np.full(best.sum(), 1 / best.sum()))
            assert not search.policy[~best].any()
            assert search.policy[search.best] > 0
            proven += 1
            several += best.sum() > 1
    assert proven > 60
    assert several > 3


def test_what_is_no_noise_or_no_number_of_simulations_is_refused():
    states = positions(KALAH, 3)
    agent = MctsAgent(4, evaluate=uniform)
    with pytest.raises(ValueError, match=r"gumbel must be float64\[3, 6\], finite, not float64\[3, 5\]"):
        agent.search_all(states, gumbel=np.zeros((3, 5)))
    with pytest.raises(ValueError, match="finite"):
        agent.search_all(states, gumbel=np.full((3, 6), np.inf))
    with pytest.raises(ValueError, match="gumbel needs priors"):
        MctsAgent(4).search_all(states, gumbel=np.zeros((3, 6)))
    for wrong in ([1, 2], [1, 2, 0], [1, 2, 2.5]):
        with pytest.raises(ValueError, match="simulations must be 3 whole numbers from 1"):
            agent.search_all(states, simulations=wrong)


class Knows:
    """An evaluator that knows nothing of positions, and something of what its values mean."""

    def __init__(self, **told):
        self.__dict__.update(told)

    def __call__(self, rows, masks):
        return uniform(rows, masks)


def test_the_margin_is_that_of_the_evaluator_unless_another_is_given():
    assert MctsAgent(4).margin == MctsAgent(4, evaluate=uniform).margin == 0
    assert MctsAgent(4, evaluate=Knows(margin=0.4)).margin == 0.4
    assert MctsAgent(4, evaluate=Knows(margin=0.4), margin=0.0).margin == 0
    assert make_agent("mcts:simulations=4,margin=0.2").margin == 0.2
    state = mancala.State.parse(mancala.ruleset("kalah", pits_per_row=3, seeds=4), "kalah 3-1-1-1-2-0-13-3-S")
    assert MctsAgent(300, evaluate=Knows(margin=0.4)).search(state).value == pytest.approx(0.6 + 0.4 * 14 / 24)
    with pytest.raises(ValueError, match="margin must be a number from 0 to 1, not 3"):
        MctsAgent(4, evaluate=Knows(margin=3))


MATCHES = {
    "kalah, wins": mancala.ruleset("kalah", pits_per_row=2, seeds=2, match="wins", target=2, max_games=2),
    "kalah, difference": mancala.ruleset("kalah", pits_per_row=2, seeds=2, match="difference", target=6, max_games=3),
    "oware, wins": mancala.ruleset("oware", pits_per_row=2, seeds=1, match="wins", target=2, max_games=3),
}


@pytest.mark.parametrize("name", MATCHES)
@pytest.mark.parametrize("root", ["puct", "gumbel"])
def test_a_search_whose_values_are_of_the_match_is_of_the_match(name, root):
    agent = MctsAgent(20_000, evaluate=Knows(values_match=True), batch=4, root=root)
    seen, other = [], 0
    for seed in range(6):
        for state in random_game(MATCHES[name], seed)[1][:-1:2]:
            if (truth := outcomes(state, 9000, of_match=True)) is None:
                continue
            search = agent.search(state)
            check_proofs(state, truth, search)
            assert search.result is not None
            seen.append(search.result)
            other += search.result != MctsAgent(2000, evaluate=uniform).search(state).result
    assert len(seen) > 10
    assert other > 0 or "oware" in name  # the game in progress has another result


@pytest.mark.parametrize("game", ["oware_series_wins", "oware_territory", "layli_goobalay_match"])
def test_lines_that_go_on_into_the_next_game_follow_its_rules(game, monkeypatch):
    crossed = 0
    for seed in range(4):
        states = random_game(mancala.ruleset(game), seed, games=1)[1]
        last = next(k for k, state in enumerate(states) if state.games)
        root = states[max(0, last - 4)]
        tree = tree_of(MctsAgent(400, evaluate=Knows(values_match=True), batch=4), root, monkeypatch)
        below = {0: root}
        for node in range(1, int(tree.size[0])):
            parent = int(tree.parents[node])
            action = int(np.flatnonzero(tree.children[parent] == node)[0])
            below[node] = below[parent].play(action)
            assert below[node].array.tolist() == tree.positions[node].tolist()
            assert below[node].legal_mask.tolist() == tree.masks[node].tolist()
            crossed += below[node].game > root.game and below[node].ply > 1
    assert crossed > 50
