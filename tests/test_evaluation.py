"""Scores: pairs of games with swapped seats, counted and bounded as they should be; and the command that tells them."""

import io
import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from agents import make_agent, move_values
from agents.evaluation import Balance, bootstrap_interval, evaluate, interquartile_mean
from agents.evaluation.openings import openings
from agents.policy.network import PolicyNetwork
from agents.reference import REFERENCE
from agents.search import Searcher
from agents.search.evaluation import Evaluation
from mancala_env.games import ruleset
from tests.games import CORE
from training.evaluate import EvaluateConfig, main, table


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


def cheat(state):
    """Plays what nobody may."""
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
    for start, south, north in zip(openings(ruleset("oware"), 5, 5, 3), games[::2], games[1::2], strict=True):
        assert start.ply == 5
        assert {state.player for state in south} == {0}
        assert {state.player for state in north} == {1}
        first = {0: south, 1: north}[start.player][0]
        assert first == start


def test_openings_differ_never_end_the_game_and_do_not_depend_on_how_many_are_wanted():
    rules = ruleset("kalah", pits_per_row=3, seeds=2)
    starts = openings(rules, 6, 40, 0)
    assert all(state.ply == 6 and not state.is_over for state in starts)
    assert len({(*state.pits, *state.stores, state.player) for state in starts}) == 40
    assert openings(rules, 3, 7, 4) == openings(rules, 3, 30, 4)[:7]
    assert openings(rules, 3, 7, 5) != openings(rules, 3, 7, 4)


@pytest.mark.parametrize("plies", [0, 1])
def test_a_game_with_too_few_openings_repeats_them_evenly_and_says_so(plies):
    different = 6**plies
    starts = openings(ruleset("oware"), plies, 20, 0)
    counts = [starts.count(state) for state in set(starts)]
    assert len(counts) == different
    assert max(counts) - min(counts) <= 1
    (result,) = evaluate("random", ["random"], "oware", pairs=20, opening_plies=plies)
    assert result.distinct_openings == different


@pytest.mark.parametrize(("game", "plies", "most"), [("kalah", 4, 1.5), ("hus", 6, 0.0)])
def test_balanced_openings_are_worth_little_to_either_player(game, plies, most):
    """In a game that is not about seeds nobody has won as far as can be seen."""
    rules, depth = ruleset(game), 5 if game == "kalah" else 4

    def is_fair(state):
        return abs(max(move_values(state, depth).values())) <= (most or 1000)

    fair = openings(rules, plies, 12, 0, Balance(most, depth))
    assert all(map(is_fair, fair))
    assert len(set(fair)) == 12
    assert not all(map(is_fair, openings(rules, plies, 30, 0)))
    assert fair == openings(rules, plies, 20, 0, Balance(most, depth))[:12]


@pytest.mark.parametrize(
    ("rules", "options", "says"),
    [
        *((game, {"balance": Balance(-1.0)}, "from 0, not -1.0") for game in ("hus", "kalah")),
        *(("kalah", {"balance": Balance(most)}, "from 0, not ") for most in (float("nan"), "2")),
        ("kalah", {"balance": 2.0}, r"agents.evaluation.Balance\(most=...\), not 2.0"),
        *(("kalah", {"seed": seed}, "seed must be a whole number from 0; not") for seed in (-1, 1.5, True, None)),
        *(("kalah", {"balance": Balance(1.0, **{name: 0})}, f"{name} must be") for name in ("depth", "nodes")),
        ("kalah", {"balance": Balance(1.0, evaluation="zoo:hus")}, "this evaluation is of hus"),
        ("hus", {"balance": Balance(2.0, evaluation="zoo:hus")}, "the chance to win minus that to lose, from 0 to"),
        ("kalah", {"balance": Balance(0.0, depth=8), "opening_plies": 0}, "take a larger margin"),
    ],
)
def test_impossible_openings_are_refused(rules, options, says):
    with pytest.raises(ValueError, match=says):
        evaluate("random", ["random"], rules, pairs=2, **options)


def test_the_same_seed_gives_the_same_result_and_another_seed_another():
    first, again, other = (
        evaluate("random", ["greedy", "random"], "oware", pairs=10, seed=seed, threads=threads)
        for seed, threads in ((1, 1), (1, 3), (2, 1))
    )
    assert first == again
    assert first != other
    assert (first[1].score, first[1].wins) == (0.5, first[1].losses)  # an agent against itself


def test_a_game_does_not_depend_on_how_many_are_played_beside_it():
    few, many = [], []
    evaluate(Watched(make_agent("random"), few), ["random"], "kalah", pairs=2)
    evaluate(Watched(make_agent("random"), many), ["minimax:depth=1", "random"], "kalah", pairs=4)
    assert few == many[8:12]


@pytest.mark.parametrize("rules", CORE)
def test_the_counts_add_up(rules):
    (result,) = evaluate("greedy", ["random"], rules, pairs=20)
    assert result.wins + result.draws + result.losses == 40
    assert result.score == (result.wins + result.draws / 2) / 40
    assert result.score == pytest.approx((result.score_south + result.score_north) / 2)
    assert result.low <= result.score <= result.high
    assert result.score > 0.6
    assert result.plies > 4
    assert result.illegal == result.opponent_illegal == 0


class Leftmost:
    """The first legal action; counts for how many games it is asked."""

    name, batched, asked = "leftmost", True, []

    def act(self, state):
        return state.legal_actions[0]

    def act_positions(self, rules, games, rows, masks, history, streams):
        self.asked.append(len(games))
        return masks[games].argmax(axis=1)


def test_any_agent_may_answer_for_many_games_at_once(monkeypatch):
    together = evaluate(Leftmost(), ["random", "minimax:depth=2", Leftmost()], "kalah", pairs=5)
    assert max(Leftmost.asked) >= 5
    Leftmost.asked.clear()
    monkeypatch.setattr(Leftmost, "batched", False)
    assert evaluate(Leftmost(), ["random", "minimax:depth=2", Leftmost()], "kalah", pairs=5) == together
    assert not Leftmost.asked


def test_games_that_are_the_same_count_once():
    twins, others = evaluate(Leftmost(), [Leftmost(), "random"], "kalah", pairs=8, opening_plies=1)
    assert (twins.distinct_openings, twins.distinct_games) == (6, 6)
    assert others.distinct_games == 16


def test_every_game_is_counted_with_the_reason_why_it_ended():
    (result,) = evaluate("random", ["random"], "oware", pairs=40)
    assert sum(result.terminations.values()) == 80
    assert list(result.terminations.values()) == sorted(result.terminations.values(), reverse=True)
    assert "majority" in result.terminations
    assert result.draw_rate == result.draws / 80 == result.as_dict()["draw_rate"]
    (result,) = evaluate(cheat, ["random"], "oware", pairs=3)
    assert (result.losses, result.illegal, result.opponent_illegal) == (6, 6, 0)
    assert result.terminations == {"illegal": 6}
    (turned,) = evaluate("random", [cheat], "oware", pairs=3)
    assert (turned.wins, turned.illegal, turned.opponent_illegal) == (6, 0, 6)
    (match,) = evaluate("random", ["random"], ruleset("oware_series_wins", target=2), pairs=5)
    assert match.plies > 150  # of all its games: two at least, of some hundred plies


def test_the_interquartile_mean_leaves_out_the_lowest_and_the_highest_quarter():
    assert interquartile_mean([0.3]) == 0.3
    assert interquartile_mean([0.0, 1.0]) == 0.5
    assert interquartile_mean([9.0, 0.0, 2.0, 4.0]) == 3.0
    assert interquartile_mean([5.0, 1.0, 2.0, 3.0, 100.0]) == pytest.approx(10 / 3)  # a quarter of five is one
    for wrong in ([], 0.5, [[1.0]]):
        with pytest.raises(ValueError, match="scores must be those of one or more runs"):
            interquartile_mean(wrong)


def test_the_bootstrap_interval_of_hand_made_examples():
    assert bootstrap_interval([0.25]) == (0.25, 0.25)
    # Two runs: both draws are 0, or both 1, once in four times each.
    assert bootstrap_interval([0.0, 1.0]) == (0.0, 1.0)
    # Eight runs, one of them 1. K ones of eight draws leave K - 2 in the middle four; K >= 4 has 1.1 %, K >= 3 6.7 %.
    assert bootstrap_interval([0.0] * 7 + [1.0]) == (0.0, 0.25)


@pytest.mark.integration
def test_evaluating_brings_no_torch():
    code = "import sys, agents.evaluation; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(("game", "most"), [("hus", 0.5), ("kalah", 1.0)])
def test_openings_are_balanced_as_a_learned_evaluation_has_it(game, most):
    rules, judge = ruleset(game), Evaluation.load(f"zoo:{game}")
    fair = openings(rules, 6, 5, 0, Balance(most, nodes=400, evaluation=f"zoo:{game}"))
    assert all(abs(Searcher(rules, evaluate=judge).search(state, nodes=400).value) <= most for state in fair)
    assert fair != openings(rules, 6, 5, 0, Balance(most))


def test_the_command_prints_a_table_and_writes_json(policy_folder, tmp_path, capsys):
    out = tmp_path / "scores.json"
    main([str(policy_folder), "--against", "random", "greedy", "--pairs", "2", "--opening-plies=3", "--json", str(out)])
    assert "greedy" in capsys.readouterr().out
    written = json.loads(out.read_text())
    assert [result["opponent"] for result in written["results"]] == ["random", "greedy"]
    assert written["ruleset"] == "mancala/oware-v0"
    assert (written["opening_plies"], written["balanced"]) == (3, None)
    first = written["results"][0]
    assert sum(first["terminations"].values()) == 4
    assert first.keys() >= {"draw_rate", "distinct_openings", "distinct_games", "illegal", "score_south"}
    assert written["versions"]["numpy"] == np.__version__
    main(f"random --rules kalah --against v1-random --pairs 3 --balanced 1 --balance-depth 4 --json {out}".split())
    written = json.loads(out.read_text())
    assert (written["balanced"], written["balance_depth"]) == (1.0, 4)


def test_reference_opponents_are_met_from_the_weakest_on(capsys):
    main(["random", "--rules=kalah:pits_per_row=2,seeds=2", "--opening-plies=2", "--reference", "--pairs=1"])
    shown, told = capsys.readouterr()
    assert all(line.startswith("games:") for line in told.splitlines())  # how far it is, where that takes long
    places = [shown.index(name) for name in REFERENCE]
    assert places == sorted(places)
    assert shown.count("\n") < 15
    assert "v1-search" not in shown  # it has no evaluation of this board
    assert EvaluateConfig("random", reference=True).opponents(ruleset("oware")) == (*REFERENCE, "v1-search")


def test_the_table_fits_120_columns_and_says_what_is_unusual():
    (good,) = evaluate("random", ["minimax:depth=2"], "oware", pairs=3, opening_plies=0)
    bad = replace(good, opponent="mcts:simulations=800,exploration=0.7", illegal=2)
    console = Console(file=io.StringIO(), width=120)
    console.print(table([good, bad], "title"))
    shown = console.file.getvalue()
    assert "…" not in shown
    assert "only 1 different openings for 3 pairs" in shown
    assert "exploration=0.7, lost 2 games by an illegal action" in shown
    assert f"{good.wins}-{good.draws}-{good.losses}" in shown
