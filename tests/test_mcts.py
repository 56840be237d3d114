"""Monte Carlo tree search: rules along its lines, proofs against plain search, batches, strength, bad input."""

import math
from _thread import interrupt_main

import numpy as np
import pytest

import mancala_env as mancala
from agents import MctsAgent, make_agent
from agents.evaluation import evaluate
from agents.mcts import mcts
from agents.mcts import mcts as forests_module
from agents.mcts.kernel import Settings
from agents.mcts.mcts import Forest
from agents.search.solve import Solver
from agents.warm_up import warm
from tests.games import CORE, random_game
from tests.test_agents import check_agent
from tests.test_learned import random_evaluation

SMALL = {  # boards on which plain search reaches the end from nearly everywhere
    "kalah 2-1": mancala.ruleset("kalah", pits_per_row=2, seeds=1),
    "kalah 2-2": mancala.ruleset("kalah", pits_per_row=2, seeds=2),
    "kalah 3-1": mancala.ruleset("kalah", pits_per_row=3, seeds=1),
    "kalah 3-2": mancala.ruleset("kalah", pits_per_row=3, seeds=2),
    "oware 2-2": mancala.ruleset("oware", pits_per_row=2, seeds=2),
    "layli 3-2": mancala.ruleset("layli_goobalay", pits_per_row=3, seeds=2),
}


def uniform(rows, masks):
    """An evaluator that knows nothing."""
    return np.ones(masks.shape, dtype=np.float32), np.zeros(len(rows), dtype=np.float32)


def outcome(state: mancala.State, games: float, room: list[int]) -> float:
    """The result for South by plain recursion: of game number ``games`` of a match, or of all if it has fewer.
    ``room[0]`` counts the positions that may still be visited."""
    room[0] -= 1
    if room[0] < 0:
        raise RecursionError
    if len(state.games) > games:
        return {0: 1.0, 1: -1.0, None: 0.0}[state.games[int(games)].winner]
    if state.is_over:
        return state.returns[0]
    values = [outcome(state.play(action), games, room) for action in state.legal_actions]
    return max(values) if state.player == 0 else min(values)


def outcomes(state: mancala.State, room: int, of_match: bool = False) -> dict[int, float] | None:
    """The result of each action for the mover, or None if that takes too long to find out."""
    left, games = [room], math.inf if of_match else len(state.games)
    sign = 1 if state.player == 0 else -1
    try:
        return {a: sign * outcome(state.play(a), games, left) for a in state.legal_actions}
    except RecursionError:
        return None


def check_proofs(state: mancala.State, truth: dict[int, float], search) -> None:
    for action, result in enumerate(search.proven):
        assert np.isnan(result) or truth[action] == result
    if search.result is not None:
        assert search.result == max(truth.values()) == truth[search.best]


@pytest.mark.parametrize("game", CORE)
def test_moves_are_legal_and_repeat_themselves_with_the_same_seed(game):
    """Of rollouts, ``test_contract.py`` looks at that."""
    check_agent(game, lambda: MctsAgent(simulations=20, evaluate=uniform, batch=4), most=300)


def test_other_seeds_give_other_searches():
    state = mancala.ruleset("oware").start()
    visits = {tuple(MctsAgent(simulations=50, seed=seed).search(state).visits) for seed in range(5)}
    assert len(visits) > 1
    agent = MctsAgent(simulations=50)
    first, second = agent.search(state), agent.search(state)
    assert first.visits.tolist() != second.visits.tolist()
    agent.reset(0)
    assert agent.search(state).visits.tolist() == first.visits.tolist()


@pytest.mark.parametrize("game", CORE)
def test_proofs_agree_with_plain_search_where_plies_run_out(game):
    agents = MctsAgent(simulations=5000), MctsAgent(simulations=5000, evaluate=uniform, batch=4)
    results = []
    for seed in range(24):
        actions, states = random_game(mancala.ruleset(game), seed, games=1)
        length = next((k for k, state in enumerate(states) if state.games), len(actions))  # of the first game
        begin = seed % 12 * length // 12
        state = mancala.ruleset(game, max_plies=begin + 4).start()
        for action in actions[:begin]:
            state = state.play(action)
        truth = outcomes(state, 3000)
        if truth is not None:
            for agent in agents:
                search = agent.search(state)
                check_proofs(state, truth, search)
                assert search.result is not None
            results.append(search.result)
    assert len(results) > 8
    assert len(set(results)) > 1


@pytest.mark.parametrize("name", SMALL)
def test_small_games_are_solved_from_the_start(name):
    rules = SMALL[name]
    for seed in range(2):
        for state in random_game(rules, seed)[1][:8:3]:
            if state.is_over or (truth := outcomes(state, 20_000)) is None:
                continue
            led = MctsAgent(simulations=20_000, evaluation=random_evaluation(rules)).search(state)
            check_proofs(state, truth, led)
            assert led.result == max(truth.values())
            search = MctsAgent(simulations=20_000, margin=0.2 * seed).search(state)
            check_proofs(state, truth, search)
            assert search.result == max(truth.values())
            assert search.simulations == search.visits.sum() < 20_000


def test_repetition_counts_what_was_played_before_the_search():
    rules = mancala.ruleset("oware", indeterminacy_max_seeds=0, majority_stop=False)
    state = rules.position(pits=[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1], stores=[22, 23])
    told = 0
    for action in (5, 5, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4):
        state = state.play(action)
        forgetful = mancala.State.parse(rules, str(state))
        assert forgetful == state
        results = []
        for each in (state, forgetful):
            truth = outcomes(each, 5000)
            search = MctsAgent(simulations=3000).search(each)
            if truth is not None:
                check_proofs(each, truth, search)
            results.append((search.simulations, search.result))
        told += results[0] != results[1]
    assert told > 0


@pytest.mark.parametrize("settings", [{}, {"evaluate": uniform, "batch": 4}], ids=["rollouts", "evaluate"])
@pytest.mark.parametrize(
    ("game", "changes"),
    [
        ("kalah", {"pits_per_row": 3, "seeds": 2}),
        ("kalah", {"pits_per_row": 3, "seeds": 4}),
        ("layli_goobalay", {"pits_per_row": 3, "seeds": 2}),
        ("awari", {}),
    ],
)
def test_with_a_margin_what_is_proven_is_exact(game, changes, settings):
    rules = mancala.ruleset(game, **changes)
    solver = Solver(rules, memory=1, nodes=100_000)
    solved = choices = 0
    for seed in range(0, 12, 2):
        margin = (0.1, 0.5, 1.0)[seed % 3]

        def worth(lead, margin=margin):
            return (1 - margin) * np.sign(lead) + margin * lead / rules.total_seeds

        for state in random_game(rules, seed)[1][-14:-2]:
            if len(state.legal_actions) == 1:
                continue
            try:
                leads = solver.move_values(state)
            except ValueError:  # not solved
                continue
            search = MctsAgent(simulations=3000, margin=margin, **settings).search(state)
            for action in np.flatnonzero(~np.isnan(search.proven)).tolist():
                assert search.proven[action] == np.sign(leads[action])
                assert search.values[action] == pytest.approx(worth(leads[action]), abs=1e-12)
            if search.result is not None:
                most = max(leads.values())
                assert (leads[search.best], search.result) == (most, np.sign(most))
                assert search.value == pytest.approx(worth(most), abs=1e-12)
                solved += 1
                choices += len({lead for lead in leads.values() if lead * most > 0}) > 1
    assert solved > 8
    assert choices > 1


@pytest.mark.parametrize("game", ["hus", "diffusion", "reaping"])
def test_a_margin_changes_nothing_where_no_seeds_are_counted(game):
    for state in random_game(mancala.ruleset(game), 2)[1][-9:-1:2]:
        plain, other = (MctsAgent(simulations=500, margin=margin).search(state) for margin in (0.0, 0.3))
        assert (plain.result, plain.best, plain.visits.tolist()) == (other.result, other.best, other.visits.tolist())


def test_a_search_can_be_interrupted_and_the_agent_plays_on(monkeypatch):
    state = mancala.ruleset("oware").start()
    agent = MctsAgent(simulations=3_000_000, seed=3)  # half a minute
    calls, simulate = [], forests_module.kernel.simulate

    def interrupted(*arguments):
        """Ctrl-C while the third call of the kernel is at work: the tree has grown, and nobody has counted it."""
        calls.append(arguments)
        done = simulate(*arguments)
        if len(calls) == 3:
            interrupt_main()
        return done

    monkeypatch.setattr(forests_module.kernel, "simulate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        agent.search(state)
    assert len(calls) == 3
    monkeypatch.undo()
    agent.simulations = 300
    assert agent.act(state) in state.legal_actions
    agent.reset(3)
    assert agent.search(state).visits.tolist() == MctsAgent(simulations=300, seed=3).search(state).visits.tolist()


@pytest.mark.parametrize("game", ["oware", "kalah", "hus", "reaping", "oware_territory"])
@pytest.mark.parametrize("batch", [1, 7, 64])
def test_an_evaluator_that_knows_nothing_spreads_the_visits(game, batch):
    sizes = []

    def evaluate(rows, masks):
        assert (rows.dtype, masks.dtype) == (np.int16, np.bool_)
        assert masks.any(axis=1).all()
        sizes.append(len(rows))
        return uniform(rows, masks)

    state = mancala.ruleset(game).start()
    search = MctsAgent(simulations=200, evaluate=evaluate, batch=batch).search(state)
    legal = state.legal_mask
    assert search.visits.sum() == search.simulations == 200
    assert search.visits[~legal].sum() == search.value == 0
    assert np.ptp(search.visits[legal]) <= (1 if batch < 8 else 4)
    assert np.isnan(search.values[~legal]).all()
    assert sizes[:2] == [1, min(batch, legal.sum())]  # one for each action, and then all ways lead to a leaf under way
    assert max(sizes) <= batch
    assert sum(sizes) <= 201
    assert batch == 1 or np.mean(sizes) > 0.5 * min(batch, 20)


@pytest.mark.parametrize("game", ["oware", "kalah", "hus"])
def test_leaves_under_way_count_as_lost_until_their_evaluation_comes(game):
    """The choices at the root, of South, are those of the formula."""
    state, stream, exploration = mancala.ruleset(game).start(), np.zeros(1, dtype=np.uint64), 1.5
    forest, random = Forest([state], np.array([600]), with_priors=True), np.random.default_rng(0)
    tree, several = forest.tree(0), 0

    def of_children(values):
        return np.where(tree.children[0] >= 0, values[tree.children[0]], 0)

    while True:
        visits, totals = of_children(tree.visits), of_children(tree.totals)
        found = forest.collect(24, Settings(exploration, 0.0), stream)
        if not len(found.nodes):
            break
        assert np.array_equal(found.masks, tree.masks[found.nodes])
        assert (tree.proven[: tree.size[0]] == 2).all()  # too early in the game
        if tree.visits[0]:
            waits = np.zeros_like(visits)
            for _ in found.nodes:
                tried = visits + waits
                mean = np.where(tried > 0, (totals - waits) / np.maximum(tried, 1), tree.totals[0] / tree.visits[0])
                scale = exploration * np.sqrt(np.float64(tree.visits[0] + waits.sum()))
                score = mean + scale * tree.priors[0].astype(np.float64) / (1.0 + tried)
                waits[np.where(state.legal_mask, score, -np.inf).argmax()] += 1
            assert of_children(tree.waits).tolist() == waits.tolist()
            several += np.count_nonzero(waits) > 1
        priors = random.random((len(found.nodes), state.rules.num_actions), dtype=np.float32)
        values = random.uniform(-1, 1, len(found.nodes)).astype(np.float32)
        mcts.kernel.receive(forest.arrays, found, priors, values, state.rules.board.pits)
        assert not tree.waits[: tree.size[0]].any()
    assert several > 5
    assert tree.visits[0] == 601


def test_priors_and_values_lead_the_search():
    state = mancala.ruleset("oware").start()

    def likes_two(rows, masks):
        priors = np.full(masks.shape, 0.02, dtype=np.float32)
        priors[:, 2] = 0.9
        return priors, np.zeros(len(rows), dtype=np.float32)

    assert MctsAgent(simulations=200, evaluate=likes_two).search(state).visits.argmax() == 2

    def wants_seeds(rows, masks):  # values for the mover, who is in field 14
        ahead = rows[:, 12] - rows[:, 13]
        return masks.astype(np.float64), np.where(rows[:, 14] == 0, ahead, -ahead) / 48

    position = mancala.ruleset("oware").position(pits=[0, 1, 0, 2, 4, 0, 3, 1, 2, 5, 1, 1], stores=[14, 14])
    for batch in (1, 8):
        agent = MctsAgent(simulations=100, evaluate=wants_seeds, batch=batch)
        assert agent.act(position) == make_agent("minimax:depth=3").act(position)


def test_many_roots_are_searched_as_each_alone():
    states = [state for state in random_game(mancala.ruleset("kalah"), 1)[1] if not state.is_over]
    sizes = []

    def evaluate(rows, masks):
        sizes.append(len(rows))
        return masks.astype(np.float32), np.tanh((rows[:, :6].sum(axis=1) - 20) / 20 * (1 - 2 * rows[:, 14]))

    agent = MctsAgent(simulations=60, evaluate=evaluate, batch=4)
    together = agent.search_all(states)
    assert max(sizes) > sizes[0] == len(states)
    for state, found in zip(states, together, strict=True):
        alone = agent.search(state)
        assert (found.visits.tolist(), found.best) == (alone.visits.tolist(), alone.best)
    assert agent.search_all([]) == []


@pytest.mark.parametrize("game", ["oware", "awari", "kalah", "layli_goobalay", "hus", "diffusion", "reaping"])
def test_it_beats_greedy(game):
    (result,) = evaluate("mcts:simulations=400", "greedy", game, pairs=3, opening_plies=2)
    assert result.score > 0.6


def searches() -> dict[str, list]:
    """What a few small searches find."""
    found = {}
    for game in ("kalah", "awari", "reaping"):
        state = random_game(mancala.ruleset(game), 0)[1][12]
        evaluated = {"evaluate": uniform, "batch": 4}
        led = {"evaluation": random_evaluation(game)}
        kinds = {"rollouts": {}, "puct": evaluated, "gumbel": {**evaluated, "root": "gumbel"}, "evaluation": led}
        for name, settings in kinds.items():
            search = MctsAgent(simulations=15, **settings).search(state)
            policy = search.policy.round(6).tolist()
            found[f"{game} {name}"] = [*search.visits.tolist(), search.best, search.result, *policy]
    return found


class Took:
    """A stopwatch that has run for so long."""

    def __init__(self, seconds):
        self.seconds = seconds


@pytest.mark.parametrize("evaluate", [None, uniform])
def test_the_time_ends_a_search(evaluate, monkeypatch):
    state = mancala.ruleset("oware").start()
    agent = MctsAgent(time=30.0, evaluate=evaluate, seed=1)
    monkeypatch.setattr(mcts, "Stopwatch", lambda: Took(3600.0))
    found = agent.search(state)
    assert 1 <= found.simulations <= agent.batch
    assert found.best in state.legal_actions
    several = agent.search_all([state, state.play(0)])
    assert all(1 <= each.simulations <= agent.batch for each in several)
    monkeypatch.undo()
    assert MctsAgent(simulations=50, time=1e6, evaluate=evaluate).search(state).simulations == 50
    assert MctsAgent(simulations=50, evaluate=evaluate).search(state, seconds=1e6).simulations == 50


START = mancala.ruleset("oware").start()
REFUSALS = [
    (lambda: MctsAgent(evaluate="network"), "evaluate must be a function of positions and masks, not 'network'"),
    (lambda: MctsAgent(4).search_all([START, mancala.ruleset("kalah").start()]), "positions of one game, not oware"),
    (lambda: MctsAgent(time=0.1, root="gumbel", evaluate=uniform), "give simulations as well as time"),
    (lambda: MctsAgent().search(START, seconds=0), "time must be"),
    (
        lambda: MctsAgent(evaluate=lambda rows, masks: (np.ones((len(rows), 3)), np.zeros(len(rows)))).search(START),
        r"priors of shape \(1, 6\) .* not \(1, 3\)",
    ),
    *(
        (lambda answer=answer: MctsAgent(evaluate=lambda rows, masks: answer(masks * 1.0)).search(START), text)
        for answer, text in (
            (lambda masks: (masks, np.zeros((1, 1))), r"values of shape \(1,\), not \(1, 6\) and \(1, 1\)"),
            (lambda masks: (masks, [np.nan]), "finite values"),
            (lambda masks: (-masks, [0.0]), "priors of 0 or more"),
        )
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSALS)
def test_what_is_impossible_is_refused(call, text):
    with pytest.raises(ValueError, match=text):
        call()


@pytest.mark.parametrize("name", ["mcts:time=clock", "minimax:time=clock"])
def test_players_take_a_share_of_their_clock(name):
    state = mancala.ruleset("oware").start()
    agent = make_agent(name)
    assert agent.name == name
    with pytest.raises(ValueError, match="was told none"):
        agent.act(state)
    agent.clock(0.3, 0.01)
    assert (agent.time if name.startswith("mcts") else agent.limits["time"]) == pytest.approx(0.018)
    assert agent.act(state) in state.legal_actions
    agent.clock(0.0)  # the last moment: it moves at once
    assert agent.act(state) in state.legal_actions
    for wrong in (-1.0, float("nan"), "1", True):
        with pytest.raises(ValueError, match="left must be a number of seconds"):
            agent.clock(wrong)
    agent.reset(0)
    with pytest.raises(ValueError, match="was told none"):
        agent.act(state)
    warm(state.rules, agent)  # so that no clock waits for kernels


@pytest.mark.parametrize("seed", [-1, 1.5, True, "7", None])
@pytest.mark.parametrize("name", ["mcts:simulations=5", "zoo:oware", "minimax:depth=1", "random"])
def test_agents_refuse_a_seed_that_is_none(name, seed):
    with pytest.raises(ValueError, match=r"must be (a )?whole numbers? from 0"):
        make_agent(name).reset(seed)
