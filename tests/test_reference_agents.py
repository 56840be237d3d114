"""Reference opponents: names that mean the same for ever."""

import itertools

import pytest

from agents import Agent, MinimaxAgent, make_agent, move_values
from agents.evaluation import evaluate
from agents.reference import EVALUATIONS, LEARNED, NAMES, REFERENCE
from agents.search import frozen_reference
from agents.search.evaluation import Evaluation
from mancala_env.games import ruleset
from tests.games import random_game


@pytest.mark.parametrize("name", NAMES)
def test_a_reference_opponent_is_an_agent_of_that_name(name):
    for spec in (name, f"{name}:seed=3"):
        agent = make_agent(spec)
        assert isinstance(agent, Agent)
        assert agent.name == name
    with pytest.raises(ValueError, match=f"{name} has no setting 'depth'; it takes seed"):
        make_agent(f"{name}:depth=3")


@pytest.mark.parametrize(("name", "depth"), [("v1-depth1", 1), ("v1-depth2", 2), ("v1-depth4", 4)])
def test_a_rung_plays_all_best_moves_to_its_depth_and_no_others(name, depth):
    rung = make_agent(name)
    for game in ("oware", "kalah"):
        for state in random_game(ruleset(game), 1)[1][:-1:9]:
            values = move_values(state, depth)
            best = {action for action in values if values[action] == max(values.values())}
            played = set()
            for seed in range(60):
                rung.reset(seed)
                played.add(rung.act(state))
            assert played == best


# In positions of Kalah and Oware, chosen because the depths differ: the best moves of each that searches, and those of
# v1-search with their value in seeds.
PINNED = [
    ("kalah", [0, 3, 8, 7, 1, 3, 1, 2, 0, 1, 8, 8], [3, 3], [[2, 3, 5], [2, 3], [2], [4], [1, 2, 3, 4]], [2], -5.46875),
    ("oware", [6, 6, 1, 6, 1, 6, 6, 5, 5, 1, 5, 0], [0, 0], [[3], [0, 1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 4], [0, 1]],
     [1], -1.03125),
]  # fmt: skip


@pytest.mark.parametrize(("game", "pits", "stores", "best", "learned", "value"), PINNED)
def test_no_name_ever_changes_its_meaning(game, pits, stores, best, learned, value):
    depths = {"v1-random": None} | {f"v1-depth{depth}": depth for depth in (1, 2, 4, 6, 8)}
    assert {name: REFERENCE[name] for name in depths} == depths
    state = ruleset(game).position(pits=pits, stores=stores)
    players = [make_agent(name) for name, depth in REFERENCE.items() if depth is not None]
    assert all(isinstance(player, MinimaxAgent) for player in players)
    assert [player.best_actions(state) for player in players] == best
    rung = make_agent("v1-search")
    assert (rung.best_actions(state), rung.search(state).value) == (learned, value)
    assert rung.act(state) in learned


def test_the_evaluations_of_the_learned_rung_are_copies_that_never_change(tmp_path, monkeypatch):
    assert LEARNED == {"v1-search": 6}
    for text, digest in EVALUATIONS["v1-search"].items():
        assert frozen_reference.frozen_evaluation("v1-search", ruleset(text)).digest == digest
    rung = make_agent("v1-search")
    for state in (ruleset("diffusion").start(), ruleset("oware", seeds=3).start()):
        with pytest.raises(ValueError, match=r"v1-search has no evaluation of .*it plays awari, "):
            rung.act(state)
    assert "has no evaluation" in rung.refusal(ruleset("diffusion"))
    oware = frozen_reference.frozen_evaluation("v1-search", ruleset("oware"))
    monkeypatch.setattr(frozen_reference.zoo, "FOLDER", tmp_path)
    frozen_reference.frozen_evaluation.cache_clear()
    assert "which is not there" in make_agent("v1-search").refusal(oware.rules)
    (tmp_path / "v1-search").mkdir()
    changed = Evaluation(oware.rules, oware.first, oware.second, oware.factor, oware.constant + 1)
    changed.save(tmp_path / "v1-search" / f"{oware.digest[:16]}.safetensors")
    assert "bring back the file" in make_agent("v1-search").refusal(oware.rules)
    frozen_reference.frozen_evaluation.cache_clear()


def test_each_rung_is_stronger_than_the_last():
    rungs = ("v1-random", "v1-depth1", "v1-depth2", "v1-depth4", "v1-search")
    for lower, higher in itertools.pairwise(rungs):
        (result,) = evaluate(higher, [lower], "oware", pairs=20)
        assert result.low > 0.5
