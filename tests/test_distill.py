"""Policies that learn from a teacher: what is learnt, the run folder, stopping and going on, and what is refused."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from agents.policy.network import PolicyNetwork
from mancala_env.games import ruleset
from mancala_env.kernels import layout
from tests import trainings
from training import checkpoint, distill
from training.callbacks import Callback
from training.checkpoint import CheckpointError
from training.distill import DistillConfig, losses, train

RULES = "kalah:seeds=3"
quiet = partial(trainings.quiet, train=train, device="cpu")


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    """A policy with strong opinions, which sees two plies ahead and whose values mean something of their own."""
    torch.manual_seed(1)
    network = PolicyNetwork(RULES, "lookahead2", (16,), shaping=0.5, margin=0.25)
    network.module.policy.weight.mul_(8.0)
    path = tmp_path_factory.mktemp("teacher") / "policy.safetensors"
    network.save(path)
    return path


@pytest.fixture
def config(teacher, tmp_path):
    """A run of two seconds."""
    return DistillConfig(
        rules=RULES, teacher=str(teacher), out=str(tmp_path / "run"), layers=(32,), envs=32, rollout_steps=8,
        batch_size=64, passes=2, steps=2048, memory=1000, opponents=("random",), pairs=2, opening_plies=2,
        curve_every=0, save_every=2,
    )  # fmt: skip


class Numbers(Callback):
    """Keeps the numbers."""

    def __init__(self):
        self.seen = []

    def on_numbers(self, run, numbers):
        self.seen.append(dict(numbers))


@pytest.mark.integration
def test_the_student_comes_near_its_teacher(config, teacher):
    numbers = Numbers()
    longer = replace(config, steps=8192, passes=4, memory=8192, pairs=0)
    trained = quiet(longer, callbacks=[numbers])
    first, last = numbers.seen[0], numbers.seen[-1]
    assert last["train/divergence"] < first["train/divergence"] / 2
    assert last["train/value_error"] < first["train/value_error"]
    assert (trained.network.shaping, trained.network.margin) == (0.5, 0.25)  # its values mean what the teacher's do
    card = json.loads((trained.folder / "policy.json").read_text())
    assert card["made"]["teacher"]["sha256"] == distill.made_by(teacher)["sha256"]
    assert card["encoder"]["plies_ahead"] == 0


def test_losses_are_those_of_their_definition():
    taught = torch.tensor([[1.0, 0.0, -torch.inf], [2.0, -torch.inf, -torch.inf]])
    logits = torch.tensor([[0.0, 0.5, 9.0], [1.0, 7.0, -3.0]], requires_grad=True)
    p, q = np.exp([1.0, 0.0]), np.exp([0.0, 0.5])
    p, q = p / p.sum(), q / q.sum()
    weights = torch.tensor([3.0, 1.0])
    divergence, error = losses(logits, torch.tensor([1.0, 0.0]), taught, torch.tensor([0.0, 0.5]), weights)
    assert divergence.item() == pytest.approx((p * np.log(p / q)).sum() * 3 / 4)
    assert error.item() == pytest.approx((3 * 1.0 + 0.25) / 4)
    divergence.backward()
    assert torch.isfinite(logits.grad).all()
    assert (logits.grad[:, 2] == 0).all()


def test_memory_keeps_the_newest_positions(config, teacher):
    small = replace(config, memory=config.rollout, focus=0.5)
    lesson = lesson_of(small, teacher)
    for _ in range(2 * small.rollout_steps):
        before = lesson.batch.positions
        lesson.play()
    assert lesson.count == 2 * small.rollout
    assert np.array_equal(lesson.positions[-small.envs :], before)
    illegal = np.isneginf(lesson.logits[-small.envs :])
    assert illegal.any()
    assert not illegal.all(axis=1).any()
    first = lesson.batch.rules.board.pits + layout.STORES
    lead = before[:, first] - before[:, first + 1]
    lead = np.where(before[:, lesson.batch.rules.board.pits + layout.MOVER] == 0, lead, -lead)
    expected = np.clip(lesson.values[-small.envs :] + 0.5 * lead / 36, -1, 1)  # what the teacher's shaping left out
    assert np.abs(expected).max() > 0.05
    assert lesson.weights[-small.envs :] == pytest.approx(1 - 0.5 * expected**2, abs=2e-3)


def lesson_of(config, teacher):
    torch.manual_seed(2)
    return distill.Lesson(config, PolicyNetwork(ruleset(RULES), layers=(8,)), PolicyNetwork.load(teacher), 0)


def test_what_looks_the_same_is_judged_once(config, teacher):
    alike = replace(config, bfloat16=False, memory=4096, temperature=0.2, random_shares=(0.02,), game_opening_plies=2)
    lesson = lesson_of(alike, teacher)
    for _ in range(60):
        lesson.play()
    assert 0.1 < lesson.asked / lesson.met < 0.9
    logits, values = lesson._ask(lesson.teacher, lesson.positions[: lesson.count])
    logits = np.where(np.isneginf(lesson.logits[: lesson.count]), -np.inf, logits)
    assert lesson.logits[: lesson.count] == pytest.approx(logits, abs=2e-2)  # in float16
    assert lesson.values[: lesson.count] == pytest.approx(values, abs=2e-2)


def test_at_temperature_0_the_likeliest_moves_are_played(config, teacher):
    same = replace(config, random_shares=(0.0,), game_opening_plies=0, student_share=0.0)
    for temperature in (0.0, 1.0):
        lesson = lesson_of(replace(same, temperature=temperature), teacher)
        for _ in range(6):
            lesson.play()
        different = len(np.unique(lesson.batch.positions[:, : lesson.batch.rules.board.pits], axis=0))
        assert (different == 1) == (temperature == 0)


@pytest.mark.integration
def test_what_the_teacher_judged_in_other_runs_is_learnt_from_too(config, teacher, tmp_path):
    first = quiet(replace(config, pairs=0))
    given = checkpoint.read(first.folder, print).arrays
    labels = {"labels": (str(first.folder),), "memory": 5000, "steps": 4 * config.rollout, "pairs": 0}
    more = replace(config, out=str(tmp_path / "more"), **labels)
    trained = quiet(more)
    kept = checkpoint.read(trained.folder, print).arrays
    oldest = int(given["count"]) % config.memory
    assert int(kept["count"]) == config.memory + more.steps
    assert np.array_equal(kept["positions"][: config.memory], np.roll(given["positions"], -oldest, axis=0))
    assert np.array_equal(kept["logits"][: config.memory], np.roll(given["logits"], -oldest, axis=0))
    small = lesson_of(replace(config, memory=300), teacher)
    small.take(given)  # the newest of them
    assert np.array_equal(small.positions[small.count % 300 - 1], given["positions"][oldest - 1])
    assert small.met == 0
    small.play()
    assert small.asked < config.envs
    stopped = replace(more, out=str(tmp_path / "stopped"))
    assert quiet(stopped, callbacks=[trainings.AtLength(2 * config.rollout)]).steps == 2 * config.rollout
    assert quiet(stopped, resume=True).network.digest == trained.network.digest
    wanted = replace(more, out=str(tmp_path / "wanted"))
    PolicyNetwork(RULES, "onehot", (16,)).save(tmp_path / "other.safetensors")
    for changes, why in (
        ({"teacher": str(tmp_path / "other.safetensors")}, "another teacher"),
        ({"labels": (str(tmp_path / "nothing"),)}, "holds no checkpoint"),
    ):
        with pytest.raises(CheckpointError, match=why):
            quiet(replace(wanted, **changes))
    assert not (wanted.folder / "config.yaml").exists()


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"teacher": ""}, "--teacher names a policy"),
        ({"teacher": "zoo:oware"}, "choose a teacher of the same rules"),
        ({"rules": "no_such_game"}, "no_such_game"),
        ({"batch_size": 100}, "batch_size must divide a rollout"),
        ({"memory": 10}, "memory must hold a rollout"),
        ({"random_shares": (2.0,)}, "shares from 0 to 1"),
        ({"action_head": 8}, "action_head must be 0"),
    ],
)
def test_what_does_not_fit_is_refused(config, settings, error):
    with pytest.raises(ValueError, match=error):
        quiet(replace(config, **settings))
