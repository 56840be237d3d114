"""The evaluation that reads rules: one network, numbers of its own for each game, and the run that learns it."""

import numpy as np
import pytest
import torch

from agents import make_agent
from agents.evaluation import evaluate
from agents.search import family as module
from agents.search.evaluation import Evaluation, row_count
from agents.search.family import FILE_NAME, FamilyEvaluation, Seen, generate, plays, see
from agents.search.minimax import move_values
from mancala_env import RULESETS, ruleset
from tests.trainings import points, quiet, refused
from training.checkpoint import CheckpointError
from training.cli import read_yaml
from training.family_evaluation import FamilyEvaluationConfig, Game, first_weights, main, train

SMALL = {"games": ("oware", "kalah"), "played": 8, "steps": 8, "batch_size": 64, "depth": 1}


def drawn(scale=1.0):
    return {name: scale * array for name, array in first_weights(np.random.default_rng(0)).items()}


def test_every_game_about_seeds_has_an_evaluation_of_its_own():
    found, wild = FamilyEvaluation(drawn()), FamilyEvaluation(drawn(9.0))  # wild: cut to what 16 bits hold
    for rules in RULESETS.values():
        made = found.of(rules)
        assert (made is not None) == plays(rules), rules.name
        if made is not None:
            assert made.rules == rules
            assert made.first.shape == (row_count(rules)[1], 64)
            assert isinstance(wild.of(rules), Evaluation)
    oware, other = (found.of(ruleset("oware", **changes)).first for changes in ({}, {"grand_slam": "capture"}))
    assert (oware != other).any()  # it has read the rules


@pytest.mark.parametrize("game", ["oware", "bao_kiswahili", "sungka", "gabata_ghinda"])
def test_arrays_and_tensors_give_the_same(game):
    rules, weights = ruleset(game), drawn()
    seen, tensors = see(rules), {name: torch.from_numpy(array) for name, array in weights.items()}
    of_tensors = generate(tensors, Seen(*map(torch.from_numpy, seen)), rules.board.pits)
    for ours, theirs in zip(generate(weights, seen, rules.board.pits), of_tensors, strict=True):
        assert np.allclose(ours, theirs.numpy(), atol=1e-5)


def test_a_file_comes_back_new_fields_tell_nothing_and_lost_ones_are_refused(tmp_path, monkeypatch):
    path, made = tmp_path / FILE_NAME, FamilyEvaluation(drawn())
    made.save(path)
    assert FamilyEvaluation.load(path).digest == made.digest
    form, names = module.form(), module.form().NAMES
    monkeypatch.setattr(form, "NAMES", (*names[:5], "new", *names[5:]))
    monkeypatch.setitem(module.shapes(), "field", (len(form.NAMES), module.OF_RULES))
    field = FamilyEvaluation.load(path).weights["field"]
    assert not field[5].any()
    assert (np.delete(field, 5, axis=0) == made.weights["field"]).all()
    monkeypatch.setattr(form, "NAMES", (*names[:5], *names[6:]))
    with pytest.raises(ValueError, match=f"it has learnt '{names[5]}', and rules have no such word any more; .*anew"):
        FamilyEvaluation.load(path)
    content = bytearray(path.read_bytes())
    content[-5] ^= 64
    path.write_bytes(content)
    with pytest.raises(ValueError, match="its numbers have changed"):
        FamilyEvaluation.load(path)


def test_that_of_the_zoo_plays_a_game_that_it_has_not_seen_better_than_the_margin():
    agent = make_agent("minimax:depth=2,evaluation=zoo:family")
    assert evaluate(agent, "minimax:depth=2", "obridje", pairs=40)[0].low > 0.5


@pytest.mark.integration
def test_a_run_learns_and_goes_on_as_if_it_had_not_been_stopped(tmp_path, capsys):
    def learnt(out, resume=False, **changes):
        return quiet(FamilyEvaluationConfig(**SMALL, out=str(tmp_path / out), **changes), train, resume=resume).network

    whole = learnt("whole", rounds=2)
    learnt("cut", rounds=1)
    assert learnt("cut", rounds=2, resume=True).digest == whole.digest
    assert [round for round, _ in points(tmp_path / "cut")["train/loss"]] == [1, 2]
    with pytest.raises(CheckpointError, match="begun with seed 0, not 1"):
        learnt("cut", seed=1, resume=True)
    blind = learnt("blind", rounds=1, blind=True)
    oware, other = (blind.of(ruleset("oware", **changes)).first for changes in ({}, {"grand_slam": "capture"}))
    assert (oware == other).all()
    (tmp_path / "cut" / FILE_NAME).unlink()  # as in the folder of another trainer
    assert "holds a run already" in refused(main, ["--games", "oware", "--out", str(tmp_path / "cut")], capsys)
    assert "about seeds" in refused(main, ["--games", "reaping"], capsys)


@pytest.mark.integration
def test_what_is_learnt_of_some_games_is_known_of_another(tmp_path):
    """The margin to come is guessed better than by its mean in a game that was never seen, and search plays by it."""
    config = FamilyEvaluationConfig(games=("french_wari", "bestemshe", "wari"), played=150, steps=400, rounds=1,
                                    out=str(tmp_path))  # fmt: skip
    learnt = quiet(config, train).network
    game = Game(config, ruleset("oware"), None, 1)
    tensors = {name: torch.from_numpy(array) for name, array in learnt.weights.items()}
    with torch.no_grad():
        assert game.loss(tensors, 5000) < 0.99 < game.loss({k: torch.from_numpy(v) for k, v in drawn().items()}, 5000)
    agent = make_agent(f"minimax:depth=2,evaluation={tmp_path}")
    for name in ("oware", "diffusion"):  # the second is not about seeds: by the margin
        assert not evaluate(agent, "random", name, pairs=2)[0].illegal
    start = ruleset("diffusion").start()
    assert move_values(start, 2, learnt) == move_values(start, 2)
    assert read_yaml(tmp_path / "config.yaml")["rounds"] == 1
