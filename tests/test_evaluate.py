"""Scores: pairs of games with swapped seats, counted and bounded as they should be."""

import json
from dataclasses import replace

import numpy as np
import pytest

from agents import make_agent
from agents.network import PolicyAgent, PolicyNetwork
from mancala_env.rules import RULESETS, ruleset
from training import evaluate as module
from training.evaluate import confidence_interval, evaluate, main, opening


class Watched:
    """Another agent, and every position it was asked about in its present game."""

    games: list[list[str]]

    def __init__(self, agent, games):
        self.agent, self.name, self.games = agent, agent.name, games

    def __deepcopy__(self, memo):
        return Watched(make_agent(self.name), self.games)

    def reset(self, seed):
        self.agent.reset(seed)
        self.seen = []
        self.games.append(self.seen)

    def act(self, state):
        self.seen.append(state)
        return self.agent.act(state)


class Cheat:
    """Plays what nobody may."""

    name = "cheat"

    def reset(self, seed):
        pass

    def act(self, state):
        return 99


@pytest.fixture(scope="module")
def policy_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    PolicyNetwork("oware", "onehot", (16,)).save(folder / "policy.safetensors")
    return folder


def test_the_games_of_a_pair_begin_with_one_opening_and_swapped_seats():
    games = []
    evaluate(Watched(make_agent("random"), games), ["random"], "oware", pairs=5, opening_plies=5, seed=3)
    assert len(games) == 10
    for pair, (south, north) in enumerate(zip(games[::2], games[1::2], strict=True)):
        start = opening(ruleset("oware"), 5, 3, pair)
        assert start.ply == 5
        assert {state.player for state in south} == {0}
        assert {state.player for state in north} == {1}
        first = {0: south, 1: north}[start.player][0]
        assert first == start


def test_openings_differ_and_never_end_the_game():
    rules = ruleset("kalah", pits_per_row=3, seeds=2)
    openings = [opening(rules, 8, 0, pair) for pair in range(50)]
    assert all(state.ply == 8 and not state.is_over for state in openings)
    assert len({str(state) for state in openings}) > 10


def test_an_opening_longer_than_any_game_is_an_error():
    with pytest.raises(ValueError, match="take fewer opening plies"):
        evaluate("random", ["random"], "kalah", pairs=1, opening_plies=500)


def test_the_same_seed_gives_the_same_result_and_another_seed_another():
    first, again, other = (
        evaluate("random", ["greedy", "random"], "oware", pairs=10, seed=seed, threads=threads)
        for seed, threads in ((1, 1), (1, 3), (2, 1))
    )
    assert first == again
    assert first != other


def test_a_game_does_not_depend_on_how_many_are_played_beside_it():
    few, many = [], []
    evaluate(Watched(make_agent("random"), few), ["random"], "kalah", pairs=2)
    evaluate(Watched(make_agent("random"), many), ["minimax:depth=1", "random"], "kalah", pairs=4)
    assert few == many[8:12]


@pytest.mark.parametrize("name", ["random", "minimax:depth=2"])
def test_an_agent_against_itself_scores_one_half(name):
    (result,) = evaluate(name, [name], "oware", pairs=10)
    assert result.score == 0.5
    assert result.wins == result.losses


def test_a_policy_against_itself_scores_one_half(policy_folder):
    agent = PolicyAgent(policy_folder)
    assert evaluate(agent, [agent], "oware", pairs=10)[0].score == 0.5


@pytest.mark.parametrize("sample", [False, True])
def test_a_policy_asked_for_all_games_together_plays_as_if_asked_for_each(policy_folder, sample, monkeypatch):
    agent = PolicyAgent(policy_folder, sample=sample)
    together = evaluate(agent, ["random"], "oware", pairs=5)
    monkeypatch.setattr(module, "PolicyAgent", type(None))
    assert evaluate(agent, ["random"], "oware", pairs=5) == together


@pytest.mark.parametrize("rules", RULESETS)
def test_the_counts_add_up(rules):
    (result,) = evaluate("greedy", ["random"], rules, pairs=20)
    assert result.wins + result.draws + result.losses == 40
    assert result.score == (result.wins + result.draws / 2) / 40
    assert result.score == pytest.approx((result.score_south + result.score_north) / 2)
    assert result.low <= result.score <= result.high
    assert result.score > 0.6
    assert result.plies > 4
    assert result.illegal == result.opponent_illegal == 0


def test_the_plies_of_a_match_are_those_of_all_its_games():
    (result,) = evaluate("random", ["random"], ruleset("oware_series_wins", target=2), pairs=5)
    assert result.plies > 150  # two games at least, of some hundred plies


def test_an_illegal_action_loses_and_is_counted():
    (result,) = evaluate(Cheat(), ["random"], "oware", pairs=3)
    assert (result.losses, result.illegal, result.opponent_illegal) == (6, 6, 0)
    (turned,) = evaluate("random", [Cheat()], "oware", pairs=3)
    assert (turned.wins, turned.illegal, turned.opponent_illegal) == (6, 0, 6)


def test_the_interval_of_a_hand_made_example():
    # With one imaginary win and one loss: 1, 1/2, 1, 0. Mean 0.625, deviation sqrt(0.6875 / 3) = 0.4787.
    low, high = confidence_interval([1.0, 0.5])
    assert low == pytest.approx(0.625 - 1.96 * 0.478714 / 2, abs=1e-5)
    assert high == 1.0


@pytest.mark.parametrize(
    ("pairs", "chances"), [(10, (0.3, 0.4, 0.3)), (50, (0.05, 0.1, 0.85)), (100, (0.0, 0.02, 0.98))]
)
def test_the_interval_holds_the_true_score_nineteen_times_in_twenty(pairs, chances):
    random = np.random.default_rng(5)
    values = np.array([0.0, 0.5, 1.0])
    truth = float(values @ chances)
    intervals = [confidence_interval(random.choice(values, size=pairs, p=chances)) for _ in range(2000)]
    assert np.mean([low <= truth <= high for low, high in intervals]) > 0.94


def test_the_command_prints_a_table_and_writes_json(policy_folder, tmp_path, capsys):
    out = tmp_path / "scores.json"
    main([str(policy_folder), "--against", "random", "greedy", "--pairs", "2", "--opening-plies=3", "--json", str(out)])
    assert "greedy" in capsys.readouterr().out
    written = json.loads(out.read_text())
    assert [result["opponent"] for result in written["results"]] == ["random", "greedy"]
    assert written["ruleset"] == "mancala/oware-v0"
    assert written["opening_plies"] == 3
    assert written["versions"]["numpy"] == np.__version__


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("minimax", "--rules"),
        ("minimax:depth=99 --rules oware", "depth"),
        ("random --rules owari", "did you mean"),
        ("random --rules oware --against grredy", "greedy"),
        ("random --rules oware --pairs 0", "pairs must be 1 or more"),
        ("random --rules oware --nonsense 1", "--nonsense"),
        ("random --rules oware --changes.seeds 99", "seeds"),
        ("random --rules oware --json nowhere/scores.json", "nowhere"),
        ("nowhere/policy.safetensors", "there is no policy file"),
        ("runs/nowhere", "there is no policy file"),
        ("POLICY --rules kalah --against random", "plays oware"),
    ],
)
def test_a_wrong_command_line_is_answered_in_one_line(arguments, says, policy_folder, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments.replace("POLICY", str(policy_folder)).split())
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error


def test_a_policy_is_not_asked_about_changed_rules(policy_folder):
    changed = replace(ruleset("oware"), grand_slam="no_capture")
    with pytest.raises(ValueError, match="rules it was trained on"):
        evaluate(PolicyAgent(policy_folder), ["random"], changed, pairs=1)
