"""Regret and exploitability: measured against what plain recursion over every line of play finds."""

import json
from fractions import Fraction
from itertools import cycle, product

import numpy as np
import pytest

from agents import make_agent
from agents.evaluation.regret import (
    Oracle,
    SolverOracle,
    TableOracle,
    agent_policy,
    exploitability,
    fixed_positions,
    measure_regret,
)
from agents.evaluation.regret.command import main
from agents.evaluation.regret.measure import regret_bounds
from agents.evaluation.statistics import cluster_bootstrap_interval
from agents.search.solve import Solver
from agents.tablebase import build
from mancala_env.games import ruleset

KALAH = ruleset("kalah")
SMALL = ruleset("kalah", pits_per_row=3, seeds=2)
TINY = [ruleset("kalah", pits_per_row=pits, seeds=seeds) for pits, seeds in ((2, 1), (2, 2), (3, 1))]
BOARDS = pytest.mark.parametrize("rules", TINY, ids=lambda rules: f"{rules.board.columns}-{rules.seeds}")
SETTINGS = {"games": 8, "positions": 12, "seeds_on_board": 8}


class Chooser:
    """Plays what a function says of the values that an oracle knows, and keeps what it was asked."""

    name = "chooser"

    def __init__(self, oracle, choose, seen=None):
        self.oracle, self.choose = oracle, choose
        self.seen = [] if seen is None else seen

    def __deepcopy__(self, memo):
        return Chooser(self.oracle, self.choose, self.seen)

    def reset(self, seed):
        pass

    def act(self, state):
        self.seen.append(state)
        values = self.oracle.move_values(state)
        return self.choose(values, key=values.get)


class Forgetful(SolverOracle):
    """Knows only positions where South is to move."""

    def move_values(self, state):
        return super().move_values(state) if state.player == 0 else None


class Blurred:
    """Knows of each value only that it lies no further than so much from the truth."""

    def __init__(self, oracle, seed=0):
        self.oracle, self.seed = oracle, seed

    def move_values(self, state):
        raise AssertionError("bounds are asked for, where an oracle has them")

    def move_bounds(self, state):
        values = self.oracle.move_values(state)
        random = np.random.default_rng([self.seed, *state.pits, *state.stores, state.player])
        return {k: (v - random.integers(3), v + random.integers(3)) for k, v in values.items()}


@pytest.fixture(scope="module")
def oracle():
    return SolverOracle(SMALL, memory=4)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for rules in (KALAH, ruleset("awari"), ruleset("oware")):
        build(rules, 5, folder, threads=1)
    return folder


def final_margin(state, best=(0, 1), policy=None):
    """South's final margin when these seats play best and the other by a policy, by plain recursion."""
    if state.is_over:
        south, north = state.scores
        return Fraction(south) - Fraction(north)
    after = {action: final_margin(state.play(action), best, policy) for action in state.legal_actions}
    if state.player in best:
        return max(after.values()) if state.player == 0 else min(after.values())
    return sum(Fraction(chance) * after[action] for action, chance in policy(state).items())


def uniform(state):
    return dict.fromkeys(state.legal_actions, Fraction(1, len(state.legal_actions)))


def best_of(rules):
    solver = Solver(rules, memory=1)

    def policy(state):
        values = solver.move_values(state)
        best = [action for action in values if values[action] == max(values.values())]
        return dict.fromkeys(best, Fraction(1, len(best)))

    return policy


def test_the_solver_values_moves_as_plain_recursion_does(oracle):
    for state in fixed_positions(SMALL, 20, seeds_on_board=9, seed=1):
        sign = 1 if state.player == 0 else -1
        expected = {action: sign * final_margin(state.play(action)) for action in state.legal_actions}
        assert oracle.move_values(state) == expected


def test_what_an_oracle_does_not_know_is_none(tables):
    over = KALAH.position([0] * 12, (24, 24))
    for oracle in (SolverOracle(KALAH, memory=1, nodes=1000), TableOracle(tables, KALAH)):
        assert isinstance(oracle, Oracle)
        assert [oracle.move_values(state) for state in (KALAH.start(), KALAH.start(), over)] == [None] * 3


def test_bounds_of_tables_are_final_margins_and_values_what_they_settle(tables):
    with pytest.raises(ValueError, match="majority_stop=False"):
        TableOracle(tables, "oware")
    oracle = TableOracle(tables, ruleset("oware", majority_stop=False))
    for state in fixed_positions(oracle.rules, 40, seeds_on_board=5):
        bounds, values = oracle.move_bounds(state), oracle.move_values(state)
        assert set(bounds) == set(state.legal_actions)
        assert all(low <= high for low, high in bounds.values())
        settled = all(low == high for low, high in oracle.tables.move_bounds(state).values())
        assert (values is not None) == settled
        assert values is None or bounds == {action: (value, value) for action, value in values.items()}
    assert oracle.move_bounds(oracle.rules.start()) is None


@pytest.mark.parametrize("choose", [max, min, None], ids=["best", "worst", "random"])
def test_a_loss_is_the_best_value_less_that_of_the_action_played(oracle, choose):
    regret = measure_regret(Chooser(oracle, choose) if choose else "random", SMALL, oracle, **SETTINGS)
    assert set(regret.sources) == {"own", "fixed"}
    for k, state in enumerate(regret.states):
        values = oracle.move_values(state)
        best = max(values.values())
        assert regret.bounds[k] == {action: (value, value) for action, value in values.items()}
        assert regret.loss[k] == best - values[regret.action[k]]
        assert choose is None or regret.loss[k] == best - choose(values.values())
        assert regret.random_lower[k] == pytest.approx(np.mean([best - value for value in values.values()]))
    for source in regret.sources if choose is max else ():
        summary = regret.summary(source)
        assert (summary.mean, summary.low, summary.high, summary.perfect) == (0, 0, 0, 1)
        assert summary.random_mean > 0


def test_only_decisions_with_few_seeds_on_the_board_count_in_games_from_random_openings(oracle):
    agent = Chooser(oracle, min)
    known = Forgetful(SMALL, memory=4)
    regret = measure_regret(agent, SMALL, known, games=10, positions=0, seeds_on_board=8, opening_plies=3)
    decisions = [state for state in agent.seen if len(state.legal_actions) > 1]
    asked = [state for state in decisions if sum(state.pits) <= 8]
    assert list(regret.states) == [state for state in asked if state.player == 0]
    assert len(asked) < len(decisions) < len(agent.seen)
    summary = regret.summary("own")
    assert (summary.decisions, summary.positions + summary.unvalued) == (len(decisions), len(asked))
    assert summary.coverage == summary.positions / len(decisions)
    firsts = [state for state in agent.seen if state.ply == 3]
    assert len(firsts) == 10
    assert min(state.ply for state in agent.seen) == 3
    assert len(set(map(str, firsts))) > 3


def test_a_measurement_depends_on_its_seed_and_not_on_what_was_measured_before():
    fresh = measure_regret("random", SMALL, SolverOracle(SMALL, memory=1), **SETTINGS)
    oracle, agent = SolverOracle(SMALL, memory=1), make_agent("random")
    assert measure_regret(agent, SMALL, oracle, **SETTINGS, seed=5).states != fresh.states
    for changes in ({}, {"games": 9}):
        after = measure_regret(agent, SMALL, oracle, **(SETTINGS | changes))
        assert after.loss[: len(fresh.loss)].tolist() == fresh.loss.tolist()
    alone = measure_regret(agent, SMALL, oracle, **(SETTINGS | {"positions": 0}))
    own = fresh.source == "own"
    assert fresh.action[own].tolist() == alone.action.tolist()
    assert [state for state, mine in zip(fresh.states, own, strict=True) if mine] == list(alone.states)


def test_fixed_positions_are_decisions_the_same_for_every_agent_and_more_of_them_begin_alike(oracle):
    expected = list(fixed_positions(SMALL, 12, seeds_on_board=8))
    for agent in ("random", Chooser(oracle, max)):
        found = measure_regret(agent, SMALL, oracle, **SETTINGS)
        assert [state for state, of in zip(found.states, found.source, strict=True) if of == "fixed"] == expected
    positions = fixed_positions(KALAH, 30, seeds_on_board=14, seed=3)
    assert all(sum(state.pits) <= 14 and len(state.legal_actions) > 1 for state in positions)
    assert fixed_positions(KALAH, 10, seeds_on_board=14, seed=3) == positions[:10]
    assert len(set(map(str, positions))) > 25


@pytest.fixture(scope="module")
def regret(oracle):
    return measure_regret("random", SMALL, oracle, games=30, positions=50, seeds_on_board=9)


def test_the_counts_of_a_summary_add_up(regret):
    assert regret.settled
    assert regret.lower.tolist() == regret.upper.tolist() == regret.loss.tolist()
    for source in regret.sources:
        summary, loss = regret.summary(source), regret.loss[regret.source == source]
        assert summary.positions == summary.settled == len(loss)
        assert (summary.mean, summary.perfect) == (loss.mean(), (loss == 0).mean())
        assert summary.low < summary.mean < summary.high
        assert (summary.lower, summary.lower.mean) == (summary.upper, summary.mean)
    assert len(regret.loss) == sum(regret.summary(source).positions for source in regret.sources)


def test_positions_may_be_given_and_who_plays_what_is_illegal_is_refused(oracle, regret):
    given = [regret.states[int(regret.loss.argmax())]] * 2
    again = measure_regret(Chooser(oracle, min), SMALL, oracle, games=0, positions=given, seeds_on_board=1)
    assert list(again.states) == given  # whatever the number of seeds
    assert again.settings["positions"] == "given"
    with pytest.raises(ValueError, match="chooser plays 99, legal actions are"):
        measure_regret(Chooser(oracle, lambda values, key: 99), SMALL, oracle, games=0, positions=1)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"games": -1}, "games must be"),
        ({"positions": True}, "positions must be"),
        ({"seeds_on_board": 0}, "seeds_on_board must be"),
        ({"seed": -1}, "seed must be"),
        ({"games": 0, "positions": 0}, "no position to measure"),
        ({"opening_plies": 100}, "take fewer opening plies"),
        ({"positions": [KALAH.start()]}, "not a position of the rules"),
        ({"seeds_on_board": 1}, "allow more"),
    ],
)
def test_impossible_numbers_are_refused(changes, says, oracle):
    with pytest.raises(ValueError, match=says):
        measure_regret("random", SMALL, oracle, **({"positions": 2, "games": 1} | changes))


def test_a_regret_lies_between_what_values_at_the_ends_of_their_bounds_give():
    random = np.random.default_rng(2)
    for _ in range(200):
        lows = random.integers(-6, 7, size=random.integers(1, 5))
        bounds = {3 * k: (low, low + int(random.integers(0, 4))) for k, low in enumerate(lows.tolist())}
        for action in bounds:
            corners = [dict(zip(bounds, ends, strict=True)) for ends in product(*bounds.values())]
            found = [max(values.values()) - values[action] for values in corners]
            assert regret_bounds(bounds, action) == (min(found), max(found))


def test_the_true_regret_lies_between_the_bounds(oracle):
    exact, blurred = (measure_regret("random", SMALL, each, **SETTINGS) for each in (oracle, Blurred(oracle)))
    assert blurred.states == exact.states
    assert (blurred.lower <= exact.loss).all()
    assert (exact.loss <= blurred.upper).all()
    assert (blurred.random_lower <= exact.random_lower).all()
    assert (exact.random_lower <= blurred.random_upper).all()
    assert not blurred.settled
    known = blurred.lower == blurred.upper
    assert 0 < known.sum() < len(known)
    assert (np.isnan(blurred.loss) == ~known).all()
    for source in exact.sources:
        one, other = exact.summary(source), blurred.summary(source)
        low, high = other.lower, other.upper
        assert low.mean <= one.mean <= high.mean
        assert low.random_mean <= one.random_mean <= high.random_mean
        assert high.perfect <= one.perfect <= low.perfect
        assert other.low <= one.low <= one.high <= other.high
        assert np.isnan(other.mean)
        assert other.settled == known[blurred.source == source].sum()


@pytest.mark.integration
def test_an_agent_is_measured_with_the_bounds_of_tables(tables, tmp_path, capsys):
    path = tmp_path / "regret.json"
    words = f"greedy --rules oware:majority_stop=false --tables {tables} --games 2 --positions 20 --json {path}"
    main(words.split())
    content, printed = json.loads(path.read_text()), capsys.readouterr().out
    assert content["exact"] is False
    fixed = next(each for each in content["summaries"] if each["source"] == "fixed")
    assert (fixed["positions"], fixed["decisions"], fixed["mean"]) == (20, 20, None)
    assert f"mean      {fixed['lower']['mean']:.3f} to {fixed['upper']['mean']:.3f}" in printed
    assert f"20 of 20 decisions (100.0 %), the regret in {fixed['settled']} of them known exactly" in printed
    for move in content["moves"]:
        bounds = {int(action): both for action, both in move["bounds"].items()}
        assert [move["lower"], move["upper"]] == list(regret_bounds(bounds, move["action"]))


def test_the_interval_holds_the_true_mean_about_nineteen_times_in_twenty():
    random = np.random.default_rng(1)
    held = 0
    for trial in range(150):
        games = np.repeat(np.arange(60), random.integers(1, 10, size=60))
        losses = random.exponential(size=60)[games] + random.exponential(size=len(games))
        low, high = cluster_bootstrap_interval(losses, games, seed=trial, resamples=300)
        held += low <= 2 <= high
    assert 0.87 < held / 150 < 0.99


@BOARDS
@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 4), Fraction(9, 10), Fraction(1)])
def test_a_mixture_of_best_and_random_play_is_exploited_as_plain_recursion_finds(rules, share):
    best, start = best_of(rules), rules.start()

    def mixed(state):
        good, any_action = best(state) if share else {}, uniform(state)
        return {k: share * good.get(k, 0) + (1 - share) * any_action[k] for k in any_action}

    found = exploitability(mixed, rules)
    assert found.value == final_margin(start)
    assert found.best_as_south == pytest.approx(float(final_margin(start, (0,), mixed)), abs=1e-12)
    assert found.best_as_north == pytest.approx(float(-final_margin(start, (1,), mixed)), abs=1e-12)
    assert found.exploitability == pytest.approx((found.best_as_south + found.best_as_north) / 2)
    assert found.exploitability == pytest.approx((found.gain_as_south + found.gain_as_north) / 2)
    assert min(found.gain_as_south, found.gain_as_north) >= 0
    assert found.exploitability > 0 or share
    assert found.exploitability == pytest.approx(0) or share < 1  # perfect play cannot be exploited


def test_probabilities_may_be_an_array_and_agents_are_exploited_as_what_they_play_evenly():
    found = exploitability(uniform, TINY[1])
    assert exploitability(lambda state: state.legal_mask / state.legal_mask.sum(), TINY[1]) == found
    assert exploitability(make_agent("random"), TINY[1]) == found
    for agent in map(make_agent, ("greedy", "minimax:depth=2")):

        def policy(state, agent=agent):
            best = agent.best_actions(state)
            return dict.fromkeys(best, 1 / len(best))

        found = exploitability(agent, SMALL)
        assert found == exploitability(policy, SMALL)
        assert found.exploitability > 0 or agent.name != "greedy"


def test_a_reply_that_is_given_gains_at_most_what_the_best_one_does(oracle):
    exact = exploitability(uniform, SMALL)
    perfect = exploitability(uniform, SMALL, reply=Chooser(oracle, max))
    assert exact.value < perfect.best_as_south <= exact.best_as_south
    assert -exact.value < perfect.best_as_north <= exact.best_as_north
    even = exploitability(uniform, SMALL, reply="random")
    assert even.best_as_south == pytest.approx(-even.best_as_north)
    assert exploitability(Chooser(oracle, max), SMALL, reply=Chooser(oracle, max)).exploitability == 0


def test_a_deterministic_agent_can_be_asked_and_one_that_draws_is_not_taken_for_one(oracle):
    assert exploitability(Chooser(oracle, max), SMALL).exploitability == 0
    assert exploitability(Chooser(oracle, min), SMALL).exploitability > 0
    turns = cycle((min, max))
    with pytest.raises(ValueError, match="chooser plays at random"):
        exploitability(Chooser(oracle, lambda values, key: next(turns)(values)), SMALL)
    assert agent_policy(make_agent("random"))(TINY[1].start()) == {0: 0.5, 1: 0.5}


@pytest.mark.parametrize("given", [{}, {0: 0.5}, {0: 1.5, 1: -0.5}, {7: 1.0}, {0: float("nan"), 1: 1.0}])
def test_what_are_no_probabilities_is_refused(given):
    with pytest.raises(ValueError, match="are no probabilities of the legal actions"):
        exploitability(lambda state: given, TINY[1])


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        (ruleset("awari"), "no position comes back"),
        (ruleset("kalah", max_plies=50), "no position comes back and no ply limit"),
        (ruleset("hus"), "not about seeds"),
        (KALAH, "more than 2,000 positions"),
    ],
)
def test_games_too_large_or_with_positions_that_come_back_are_refused(rules, says):
    with pytest.raises(ValueError, match=says):
        exploitability(uniform, rules, max_positions=2000)


@pytest.mark.integration
def test_the_command_prints_a_report_and_writes_json(tmp_path, capsys):
    path = tmp_path / "regret.json"
    arguments = "random --rules kalah:pits_per_row=3,seeds=2 --games 5 --positions 10 --seeds-on-board 9 --json"
    main([*arguments.split(), str(path)])
    printed = capsys.readouterr().out
    assert "own games: " in printed
    assert "fixed positions: 10 positions of 10 games" in printed
    content = json.loads(path.read_text())
    assert content["agent"] == "random"
    assert content["ruleset"] == "mancala/kalah-v0"
    assert {"package", "python", "versions", "seed", "oracle", "ruleset_text"} <= content.keys()
    regret = measure_regret("random", SMALL, SolverOracle(SMALL), games=5, positions=10, seeds_on_board=9)
    assert [move["loss"] for move in content["moves"]] == regret.loss.tolist()
    assert [each["mean"] for each in content["summaries"]] == [regret.summary(s).mean for s in ("own", "fixed")]
    main([*arguments.replace("--games 5 --positions 10", "--games 0 --positions 1").split(), str(path)])
    assert "no interval" in capsys.readouterr().out
    assert json.loads(path.read_text())["summaries"][0]["low"] is None


def test_the_command_tells_exploitability(tmp_path, capsys):
    path = tmp_path / "found.json"
    arguments = "random --rules kalah:pits_per_row=2,seeds=2 --exploitability --json"
    main([*arguments.split(), str(path)])
    assert "exploitability       1.7500 seeds" in capsys.readouterr().out
    content = json.loads(path.read_text())
    assert content["exploitability"] == 1.75
    assert content["gain_as_north"] == 1
    main([*arguments.split(), str(path), "--reply", "greedy"])
    shown = capsys.readouterr().out
    assert "reply of greedy as South" in shown
    assert "exploitability       at least" in shown
    assert json.loads(path.read_text())["exploitability"] < 1.75
