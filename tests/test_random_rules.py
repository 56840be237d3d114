"""Random rulesets: the same for the same seed, of every axis, playable to an end, and as the filters ask."""

import random
import subprocess
import sys
from dataclasses import fields
from functools import cache

import numpy as np
import pytest

import mancala_env as mancala
from mancala_env import Ruleset, random_rules
from mancala_env.random_play import random_play
from mancala_env.rules.groups import Title
from tests.strategies import play_on
from tests.test_reference import check_same_game
from tests.test_strategies import said

SEEDS = range(300)


@cache
def drawn(seed):
    return mancala.random_ruleset(seed)


@pytest.mark.integration
def test_a_seed_gives_the_same_ruleset_also_in_another_process():
    seeds, filters = (0, 3, 2**40), {"branching": (2, 4)}
    code = f"import mancala_env as m; print([m.random_ruleset(seed, **{filters}) for seed in {seeds}])"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rulesets = [mancala.random_ruleset(seed, **filters) for seed in seeds]
    assert other.stdout.strip() == str(rulesets)
    assert [rules.name for rules in rulesets] == ["random_0", "random_3", f"random_{2**40}"]


@pytest.mark.integration
def test_every_axis_turns_up():
    dice = random.Random(7)
    many = (random_rules.for_two(dice.choice) for _ in range(5000))  # drawn, but not begun
    seen = set().union(*map(said, many))
    assert {field.name for field in fields(Ruleset)} - {field.name for field in fields(Title)} - seen == set()
    assert len({drawn(seed).changes(name="any") for seed in SEEDS}) > 0.99 * len(SEEDS)


def test_every_random_game_begins_and_ends():
    for seed in SEEDS:
        rules = drawn(seed)
        states = play_on(rules.start(), random.Random(seed))
        assert len(states) > 1
        assert states[-1].is_over
        assert len(states) - 1 <= rules.max_plies * (1 if rules.match == "none" else rules.max_games)


@pytest.mark.parametrize("seed", SEEDS[::10])
def test_kernels_and_reference_play_random_games_alike(seed):
    rules = drawn(seed)
    start = {"pits": rules.setup or [rules.seeds] * rules.board.pits, "stores": rules.setup_stores}
    start |= {"marks": rules.setup_marks} if rules.setup_marks else {}
    check_same_game(rules, start, random.Random(seed), most_plies=12)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("filters", "measure"),
    [
        ({"mean_length": (30, 60)}, lambda rules: random_play(rules, 200).plies_mean),
        ({"branching": (3, 3.5)}, lambda rules: random_play(rules, 200).branching_mean),
        ({"draws": (0.2, 0.3)}, lambda rules: random_play(rules, 200).draws),
        ({"first_player": (0.55, 0.75)}, random_rules.greedy_score),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else "",
)
def test_filters_are_kept(filters, measure):
    ((low, high),) = filters.values()
    rulesets = [mancala.random_ruleset(seed, **filters) for seed in range(40, 43)]
    measured = [measure(rules) for rules in rulesets if rules.match == "none"]
    assert measured
    assert all(low <= each <= high for each in measured)
    unfiltered = [mancala.random_ruleset(seed) for seed in range(40, 43)]
    assert rulesets != unfiltered


def test_filters_go_together():
    rules = mancala.random_ruleset(5, mean_length=(10, 80), branching=(1.5, 6), draws=(0, 0.5))
    played = random_play(rules, 200)
    assert 10 <= played.plies_mean <= 80
    assert 1.5 <= played.branching_mean <= 6


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"mean_length": (60, 20)}, r"mean_length takes the lowest .* as in \(20, 60\); not \(60, 20\)"),
        ({"branching": 3}, r"branching takes the lowest and the highest number .* not 3"),
        ({"draws": (0, 50)}, r"draws takes .* from 0 to 1, as in \(0.4, 0.6\); not \(0, 50\)"),
        ({"first_player": (float("nan"), 1)}, "first_player takes"),
        ({"tries": 0}, "tries must be a whole number, 1 or more, not 0"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"branching": (60, 70), "tries": 3}, r"none of 3 rulesets drawn from seed 0 passed: branching=\(60.0, 70.0\)"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused_in_a_sentence(wrong, why):
    with pytest.raises(ValueError, match=why):
        mancala.random_ruleset(**({"seed": 0} | wrong))


def test_a_greedy_player_takes_what_it_can():
    rng = np.random.default_rng(0)
    kalah = mancala.ruleset("kalah")
    state = kalah.position([0, 0, 1, 0, 0, 1, 1, 1, 5, 1, 1, 1], (3, 3))
    assert {random_rules.greedy_action(state, rng) for _ in range(10)} == {2}  # into an empty pit across from five
    hus = mancala.ruleset("hus").start()
    assert len({random_rules.greedy_action(hus, rng) for _ in range(60)}) > 5  # nothing to win: any
