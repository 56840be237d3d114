"""What all trainers share: killed runs go on to the same weights, commands and how they end, settings, a full disk."""

import io
import json
import os
import re
import signal
import threading
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

import pytest
import torch
from rich.console import Console

from agents import zoo
from agents.policy.network import PolicyNetwork
from agents.search.evaluation import Evaluation
from agents.zoo import FILE_NAME
from tests.trainings import AtLength, killed_at, no_room, points, quiet, words_of
from training import alphazero, checkpoint, distill, evaluation, ppo, trainer
from training.alphazero import AlphaZero, AlphaZeroConfig
from training.callbacks import JsonlLog
from training.checkpoint import CHECKPOINT
from training.distill import Distillation, DistillConfig
from training.evaluation import EvaluationConfig, LearnedEvaluation
from training.ppo import PPO, PPOConfig
from training.run import EVALUATION

RULES = "kalah:pits_per_row=3,seeds=2"
SHORT = {"rules": RULES, "pairs": 0, "curve_every": 0, "opponents": ("random",), "curve_opponents": ("random",)}
SHORT |= {"curve_pairs": 1, "opening_plies": 2, "save_every": 2}
SMALL = {**SHORT, "encoder": "counts", "layers": (8,)}
BATCH = {"envs": 8, "rollout_steps": 8, "batch_size": 32, "steps": 256}
KINDS = {"ppo": PPO, "alphazero": AlphaZero, "distill": Distillation, "evaluation": LearnedEvaluation}
MAINS = {"ppo": ppo.main, "alphazero": alphazero.main, "distill": distill.main, "evaluation": evaluation.main}


@pytest.fixture(scope="module")
def configs(tmp_path_factory):
    """A run of each trainer, of a second."""
    teacher = tmp_path_factory.mktemp("teacher") / FILE_NAME
    torch.manual_seed(0)
    PolicyNetwork(RULES, "counts", (8,)).save(teacher)
    return {
        "ppo": PPOConfig(
            **SMALL, **BATCH, pool_size=2, pool_every=1, prioritised=1.0, fixed_share=0.4,
            fixed_opponents=("greedy", "minimax:depth=3"),
        ),
        "alphazero": AlphaZeroConfig(
            **SMALL, rounds=4, games=2, moves=20, simulations=4, fast_simulations=2, processes=1, batch_size=8,
            buffer=100,
        ),
        "distill": DistillConfig(**SMALL, **BATCH, teacher=str(teacher), memory=200),
        "evaluation": EvaluationConfig(
            **SHORT, rounds=4, games=8, depth=1, width=32, batch_size=16, memory=500, limit="nodes=50",
            final_limit="nodes=50", game_opening_plies=2,
        ),
    }  # fmt: skip


@pytest.fixture(scope="module")
def learnt(configs, tmp_path_factory):
    """What each run has learnt in the end if nothing stops it."""
    folder = tmp_path_factory.mktemp("whole")
    return {
        name: digest(quiet(replace(each, out=str(folder / name)), KINDS[name].train).folder)
        for name, each in configs.items()
    }


@pytest.fixture(params=KINDS)
def name(request):
    return request.param


@pytest.fixture
def config(name, configs, tmp_path):
    return replace(configs[name], out=str(tmp_path / "run"))


def ended(name, words, capsys):
    """The status with which a command ends, and what it says."""
    try:
        MAINS[name]([*words, "--device", "cpu"])
        status = 0
    except SystemExit as stop:
        status = stop.code
    return status, capsys.readouterr()


def watched(name, monkeypatch, callback):
    """Have the command of a trainer train with a callback."""
    monkeypatch.setattr(MAINS[name], "train", partial(MAINS[name].train, callbacks=[callback]))


def digest(folder):
    """Of what a run has learnt."""
    is_policy = (Path(folder) / FILE_NAME).exists()
    return (PolicyNetwork if is_policy else Evaluation).load(folder).digest


@pytest.mark.integration
def test_killed_again_and_again_a_run_ends_with_the_same_weights_curves_and_scores(name, config):
    kind, config = KINDS[name], replace(config, curve_every=1, pairs=1)
    size = getattr(config, "rollout", 1)
    other, whole, killed = (replace(config, out=config.out + each) for each in ("-other", "-whole", ""))
    done = quiet(whole, kind.train)
    torch.manual_seed(77)
    killed_at(killed, size - 1, kind)  # before there is a checkpoint
    for at in (3 * size, 4 * size):
        torch.manual_seed(at)
        killed_at(killed, at - 1, kind, resume=True)
    again = quiet(killed, kind.train, resume=True)
    assert digest(killed.out) == again.network.digest == done.network.digest == digest(whole.out)
    assert points(killed.out) == points(whole.out)
    assert {step for step, _ in points(whole.out)["against/random"]} >= {k * size for k in (1, 2, 3, 4)}
    assert [point.steps for point in done.curve][-1] == done.steps == config.length
    assert [result.score for result in again.results] == [result.score for result in done.results]
    made = json.loads((killed.folder / "provenance.json").read_text())
    assert [each["at"] for each in made["resumed"]] == [0, 2 * size, 2 * size]
    assert made["command"].startswith(f"mancala train {name} --rules {RULES}")
    with pytest.raises(FileExistsError, match="holds a run already"):
        quiet(killed, kind.train)
    with pytest.raises(checkpoint.CheckpointError, match="has finished its"):
        quiet(killed, kind.train, resume=True)
    with pytest.raises(checkpoint.CheckpointError, match="the run was begun with batch_size"):
        quiet(replace(killed, batch_size=2 * config.batch_size), kind.train, resume=True)
    assert quiet(replace(other, seed=1, pairs=0), kind.train).network.digest != done.network.digest


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"callbacks": [3]}, "3 is no callback: derive it from"),
        ({"logger": 3}, "logger must be a Logger"),
        ({"network": 3}, "network"),
        ({"reward": 3}, "reward"),
        ({"device": "tpu"}, "tpu"),
    ],
)
def test_arguments_are_checked_before_anything_is_written(name, wrong, says, config):
    with pytest.raises(ValueError, match=says):
        quiet(config, KINDS[name].train, **wrong)
    with pytest.raises(ValueError, match=f"config must be a {type(config).__name__}"):
        KINDS[name].train({}, **wrong)
    assert not config.folder.exists()


@pytest.mark.integration
def test_a_checkpoint_that_could_not_be_written_is_tried_once_more_at_the_end(name, config, monkeypatch):
    failed, write = [], checkpoint.Checkpoint.write

    def full_once(self, folder):
        if self.steps == config.length and not failed:
            failed.append(self.steps)
            no_room()
        write(self, folder)

    monkeypatch.setattr(checkpoint.Checkpoint, "write", full_once)
    quiet(config, KINDS[name].train)
    assert failed == [config.length]
    assert checkpoint.read(config.folder, pytest.fail).steps == config.length


def test_a_command_that_ctrl_c_ends_says_how_to_go_on_and_does(name, config, learnt, monkeypatch, capsys):
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals arrive in the main thread")
    half = config.length // 2
    with monkeypatch.context() as patch:
        watched(name, patch, AtLength(half, lambda run: os.kill(os.getpid(), signal.SIGINT)))
        status, said = ended(name, words_of(config), capsys)
    assert status == 130
    line = said.err.splitlines()[-1]
    going_on = f"go on with: mancala train {name} --resume --out {config.out}"
    assert line.endswith(going_on)
    assert f"of {config.length} {config.UNIT}; " in line
    stopped = checkpoint.read(Path(config.out), pytest.fail).steps
    assert stopped < config.length
    status, said = ended(name, going_on.split()[6:], capsys)
    assert (status, said.err) == (0, "")
    assert checkpoint.read(Path(config.out), pytest.fail).steps == config.length
    assert digest(config.out) == learnt[name]


def test_a_command_whose_run_a_callback_stops_ends_well(name, config, monkeypatch, capsys):
    half = config.length // 2
    watched(name, monkeypatch, AtLength(half))
    status, said = ended(name, words_of(config), capsys)
    assert (status, said.err) == (0, "")
    assert "--resume goes on" in said.out


def interrupted(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.integration
def test_ctrl_c_while_the_policy_is_scored(name, config, monkeypatch, capsys):
    with monkeypatch.context() as patch:
        patch.setattr(trainer, "evaluate", interrupted)
        status, said = ended(name, words_of(replace(config, pairs=1)), capsys)
    assert status == 130
    assert f"--resume --out {config.out}" in said.err
    assert (Path(config.out) / config.WEIGHTS).exists()
    status, said = ended(name, ["--resume", "--out", config.out], capsys)
    assert (status, said.err) == (0, "")
    assert (Path(config.out) / EVALUATION).exists()


def test_ctrl_c_before_there_is_a_run_and_options_that_contradict_each_other(name, config, monkeypatch, capsys):
    status, said = ended(name, ["--resume", "--overwrite", "--out", "nowhere"], capsys)
    assert (status, said.err.count("\n")) == (2, 1)
    assert "choose one" in said.err
    monkeypatch.setattr(MAINS[name], "train", interrupted)
    status, said = ended(name, words_of(config), capsys)
    assert status == 130
    assert "stopped before there was a run" in said.err


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"action_head": 8}, "encoder 'counts' shows nothing of single actions: action_head must be 0"),
        ({"action_head": -1}, "action_head must be a whole width, 0 for none, not -1"),
        ({"opponents": ("zoo:oware",)}, f"zoo:oware was trained for oware and does not play {RULES}: choose other"),
        ({"curve_opponents": ("zoo:kalah",)}, f"zoo:kalah was trained for kalah and does not play {RULES}: choose"),
        ({"opponents": ("mcts:simulations=4,network=zoo:oware",)}, f"does not play {RULES}: choose other opponents"),
        ({"opening_plies": 10_000, "pairs": 1}, "opening"),
        ({"threads": 10_000}, "threads must be from 1 to 4096, not 10000"),
        ({"batch_size": 1}, "batch_size must be 2 or more, not 1"),
        ({"rules": "tchuka_ruma"}, "is a solitaire"),
    ],
)
def test_every_trainer_refuses_the_same_settings_in_the_same_sentence(changes, says, configs):
    for config in configs.values():
        if changes.keys() <= {each.name for each in fields(config)}:
            with pytest.raises(ValueError, match=re.escape(says)):
                replace(config, **changes)


def test_folders_and_seeds_are_of_one_account(configs):
    folders = [replace(config, out="").folder.name for config in configs.values()]
    assert folders == ["kalah", "kalah-alphazero", "kalah-distilled", "kalah-evaluation"]
    assert len({config.seeds for config in configs.values()}) == 1


@pytest.mark.parametrize("name", ["ppo", "distill"])
def test_steps_that_are_no_whole_rollouts_are_rounded_up_and_it_is_said(name, config):
    line = "130 steps are no whole number of rollouts of 64: the run ends after 192, with rollout 3"
    for steps, ends, says in ((130, 192, line), (128, 128, "")):
        asked = replace(config, steps=steps, out=f"{config.out}-{steps}")
        out = io.StringIO()
        assert KINDS[name].train(asked, console=Console(file=out, width=200)).steps == ends
        assert out.getvalue().splitlines()[0] == says or (not says and "whole number" not in out.getvalue())


@pytest.mark.integration
@pytest.mark.parametrize(("file", "pairs"), [("weights", 1), ("card", 0), (EVALUATION, 1)])
def test_a_disk_that_is_full_at_the_end_is_named_and_costs_nothing(
    file, pairs, name, config, learnt, monkeypatch, capsys
):
    config = replace(config, pairs=pairs, save_every=100)
    card_file = zoo.beside(Path(config.WEIGHTS)).name
    file = {"weights": config.WEIGHTS, "card": card_file}.get(file, file)
    write, finished = Path.write_bytes, []

    def full(self, content):
        if self.name.startswith(f".{file}.") and finished:
            no_room()
        return write(self, content)

    with monkeypatch.context() as patch:
        watched(name, patch, AtLength(config.length, finished.append))
        patch.setattr(Path, "write_bytes", full)
        status, said = ended(name, words_of(config), capsys)
    assert status == 2
    place = Path(config.out) / file
    assert said.err.splitlines()[-1].endswith(f"{place}: No space left on device (make room, or name another place)")
    assert (Path(config.out) / CHECKPOINT).exists()
    status, said = ended(name, ["--resume", "--out", config.out], capsys)
    assert (status, said.err) == (0, "")
    assert digest(config.out) == learnt[name]
    said = json.loads((Path(config.out) / card_file).read_text())
    assert said["training"][config.UNIT] == config.length
    assert bool(said["evaluation"]) == bool(pairs)


def test_a_log_that_cannot_be_written_is_named(configs, tmp_path, monkeypatch):
    config = replace(configs["ppo"], out=str(tmp_path / "run"))

    def full(self, mode="r", **more):
        if mode == "a":
            no_room()
        return opened(self, mode, **more)

    opened = Path.open
    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(OSError, match="No space left") as error:
        quiet(config, callbacks=[JsonlLog()])
    assert error.value.filename == str(config.folder / "log.jsonl")
