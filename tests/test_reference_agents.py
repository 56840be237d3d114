"""Reference opponents: names that mean the same for ever."""

import numpy as np
import pytest

from agents import Agent, MinimaxAgent, make_agent, move_values
from agents.evaluation import evaluate
from agents.reference import REFERENCE
from mancala_env.games import ruleset
from tests.games import random_game

FIRST = {
    "v1-random": None,
    "v1-depth1": 1,
    "v1-depth2": 2,
    "v1-depth4": 4,
    "v1-depth6": 6,
    "v1-depth8": 8,
}


def test_no_name_ever_changes_its_meaning():
    assert {name: REFERENCE[name] for name in FIRST} == FIRST


@pytest.mark.parametrize("name", REFERENCE)
def test_a_reference_opponent_is_an_agent_of_that_name(name):
    for spec in (name, f"{name}:seed=3"):
        agent = make_agent(spec)
        assert isinstance(agent, Agent)
        assert agent.name == name
    with pytest.raises(ValueError, match=f"{name} has no setting 'depth'; it takes seed"):
        make_agent(f"{name}:depth=3")


def actions_of(agent, state, seeds=60):
    picks = []
    for seed in range(seeds):
        agent.reset(seed)
        picks.append(agent.act(state))
    return picks


def test_the_lowest_rung_plays_anything():
    state = ruleset("oware").start()
    assert min(np.bincount(actions_of(make_agent("v1-random"), state, 120), minlength=6)) > 5


@pytest.mark.parametrize(("name", "depth"), [("v1-depth1", 1), ("v1-depth2", 2), ("v1-depth4", 4)])
def test_a_rung_plays_all_best_moves_to_its_depth_and_no_others(name, depth):
    for game in ("oware", "kalah"):
        for state in random_game(ruleset(game), 1)[1][:-1:9]:
            values = move_values(state, depth)
            best = [action for action in values if values[action] == max(values.values())]
            assert set(actions_of(make_agent(name), state)) == set(best)


# In positions of Kalah and Oware, chosen because the depths differ: the best moves of each but the first.
PINNED = [
    ("kalah", [0, 3, 8, 7, 1, 3, 1, 2, 0, 1, 8, 8], [3, 3], [[2, 3, 5], [2, 3], [2], [4], [1, 2, 3, 4]]),
    ("oware", [6, 6, 1, 6, 1, 6, 6, 5, 5, 1, 5, 0], [0, 0], [[3], [0, 1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 4], [0, 1]]),
]


@pytest.mark.parametrize(("game", "pits", "stores", "best"), PINNED)
def test_what_reference_opponents_play_is_pinned(game, pits, stores, best):
    state = ruleset(game).position(pits=pits, stores=stores)
    players = [make_agent(name) for name, depth in REFERENCE.items() if depth is not None]
    assert all(isinstance(player, MinimaxAgent) for player in players)
    assert [player.best_actions(state) for player in players] == best


def test_each_rung_is_stronger_than_the_last():
    for lower, higher in (("v1-random", "v1-depth1"), ("v1-depth1", "v1-depth2"), ("v1-depth2", "v1-depth4")):
        (result,) = evaluate(higher, [lower], "oware", pairs=20)
        assert result.low > 0.5
