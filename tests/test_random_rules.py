"""Random rulesets: the same for the same seed, of every axis, playable to an end, and as the filters ask."""

import random
from functools import cache

import pytest

import mancala_env as mancala
from mancala_env.random_play import random_play
from tests.processes import python
from tests.strategies import play_on

SEEDS = range(300)


@cache
def drawn(seed):
    return mancala.random_ruleset(seed)


@pytest.mark.integration
def test_a_seed_gives_the_same_ruleset_also_in_another_process():
    seeds = (0, 3, 2**40)
    draw = "m.random_ruleset(seed, accept=lambda rules: rules.board.rows == 2)"
    code = f"import mancala_env as m; print([{draw} for seed in {seeds}])"
    rulesets = [mancala.random_ruleset(seed, accept=lambda rules: rules.board.rows == 2) for seed in seeds]
    assert python("-c", code)[0].strip() == str(rulesets)
    assert [rules.name for rules in rulesets] == ["random_0", "random_3", f"random_{2**40}"]


def test_every_random_game_begins_and_ends():
    for seed in SEEDS:
        rules = drawn(seed)
        states = play_on(rules.start(), random.Random(seed))
        assert len(states) > 1
        assert states[-1].is_over
        assert len(states) - 1 <= rules.max_plies * (1 if rules.match == "none" else rules.max_games)
    assert len({drawn(seed).changes(name="any") for seed in SEEDS}) > 0.99 * len(SEEDS)


def test_what_is_drawn_is_what_is_accepted():
    def is_short(rules):
        return 10 <= random_play(rules, 50).plies_mean <= 40

    rulesets = [mancala.random_ruleset(seed, accept=is_short) for seed in range(40, 43)]
    assert all(map(is_short, rulesets))
    assert rulesets != [mancala.random_ruleset(seed) for seed in range(40, 43)]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"tries": 0}, "tries must be a whole number, 1 or more, not 0"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"accept": (20, 60)}, r"accept must be a function of a ruleset, not \(20, 60\)"),
        ({"accept": lambda rules: False, "tries": 3}, "none of 3 rulesets drawn from seed 0 passed; accept more"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(wrong, why):
    with pytest.raises(ValueError, match=why):
        mancala.random_ruleset(**({"seed": 0} | wrong))
