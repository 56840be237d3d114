"""Experiments: every variant with every seed, the same results however the work is shared, stopped or resumed."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from rich.console import Console

from agents.evaluation import bootstrap_interval, interquartile_mean
from agents.executors import LocalExecutor, RayExecutor
from agents.policy.agent import PolicyAgent
from agents.policy.network import PolicyNetwork
from tests.processes import MANCALA, ROOT, children, is_running, wait_until
from tests.trainings import killed_at, words_of
from training import experiment as module
from training import ppo
from training.alphazero import AlphaZero, AlphaZeroConfig
from training.callbacks import JsonlLog
from training.experiment import FILE, STUDY, Experiment, folder_name, main, parse_range, parse_variant, run
from training.ppo import PPOConfig, game_defaults
from training.run import Diverged

GAME = "kalah:pits_per_row=3,seeds=2"
TINY = PPOConfig(
    rules=GAME, layers=(8,), encoder="counts", envs=4, rollout_steps=8, batch_size=16, epochs=1, steps=96, save_every=1,
    curve_every=2, curve_pairs=3, curve_opponents=("v1-random",), pairs=2, opponents=("v1-random", "v1-depth1"),
    export_sb3=False,
)  # fmt: skip
BOTH = {"default": {}, "no shaping": {"shaping": 0.0}}
CHECKPOINTS = ("checkpoint.safetensors", "checkpoint.previous.safetensors")
HERE, QUIET = LocalExecutor(0), Console(quiet=True)


def same(found):
    scores = found.scores.groupby(["variant", "seed"])[["opponent", "kind", "length", "score"]]
    return {key: lines.to_numpy().tolist() for key, lines in scores}


def score(found, variant, seed, kind="end", opponent="v1-random"):
    lines = found.scores.query("variant == @variant and seed == @seed and kind == @kind and opponent == @opponent")
    return lines[["length", "score"]].to_numpy().tolist()


def weights(folder):
    return (Path(folder) / "policy.safetensors").read_bytes()


def told(experiment, **more):
    shown = io.StringIO()
    return run(experiment, executor=HERE, console=Console(file=shown, width=120), **more), shown.getvalue()


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    experiment = Experiment(replace(TINY, out=str(tmp_path_factory.mktemp("done")), seed=3), BOTH, 2)
    return experiment, *told(experiment)


def copy_of(experiment, folder):
    shutil.copytree(experiment.folder, folder, dirs_exist_ok=True)
    return replace(experiment, base=replace(experiment.base, out=str(folder)))


@pytest.mark.integration
def test_every_variant_is_trained_with_every_seed_and_all_that_is_found_is_told(done):
    experiment, found, said = done
    assert same(found).keys() == {(name, seed) for name in BOTH for seed in (3, 4)}
    for name, seed in same(found):
        settings = yaml.safe_load((experiment.folder / folder_name(name) / f"seed-{seed}" / "config.yaml").read_text())
        assert (settings["shaping"], settings["seed"]) == (BOTH[name].get("shaping", 1.0), seed)
        assert [steps for steps, _ in score(found, name, seed, "curve")] == [0, 64, 96]
        assert len(score(found, name, seed)) == len(score(found, name, seed, opponent="v1-depth1")) == 1
    assert found.runs["length"].tolist() == [96] * 4
    assert not found.runs["failed"].any()
    assert "4 of 4: " in said
    written = json.loads((experiment.folder / FILE).read_text(encoding="utf-8"))
    assert (written["config"]["steps"], written["resamples"], written["variants"]) == (96, 10_000, BOTH)
    assert (len(written["runs"]), len(written["scores"])) == (4, 4 * 5)
    means = found.means().query("variant == 'default' and opponent == 'v1-random'")
    for kind, length, opens in (("end", 96, "default"), ("curve", 64, "64")):
        scores = [dict(score(found, "default", seed, kind))[length] for seed in (3, 4)]
        low, high = bootstrap_interval(scores)
        (point,) = means.query("kind == @kind and length == @length").to_dict("records")
        assert point in written["means"]
        mean = point["interquartile_mean"]
        assert (mean, point["low"], point["high"], point["seeds"]) == (interquartile_mean(scores), low, high, 2)
        (line,) = [line for line in said.splitlines() if line.split()[:1] == [opens]]
        assert f"{100 * mean:.1f} ({100 * low:.1f}-{100 * high:.1f})" in line
    assert sorted(found.study.trials_dataframe()["value"]) == sorted(found.runs["value"])
    if find_spec("matplotlib") is not None:
        assert (experiment.folder / module.PICTURE).read_bytes().startswith(b"\x89PNG")


@pytest.mark.integration
def test_a_run_of_an_experiment_is_a_run_like_any_other_and_other_processes_find_the_same(done, tmp_path):
    experiment, found, _ = done
    alone = ppo.train(replace(TINY, seed=4, out=str(tmp_path / "alone")), console=QUIET)
    folder = experiment.folder / "default" / "seed-4"
    assert weights(folder) == weights(tmp_path / "alone")
    assert [[point.steps, point.result.score] for point in alone.curve] == score(found, "default", 4, "curve")
    for result in alone.results:
        assert score(found, "default", 4, opponent=result.opponent) == [[96, result.score]]
    assert PolicyAgent(folder).rules == TINY.ruleset
    again = replace(experiment, base=replace(experiment.base, out=str(tmp_path)), seeds=1)
    other = run(again, executor=LocalExecutor(1), console=QUIET)
    assert same(other) == {key: lines for key, lines in same(found).items() if key[1] == 3}


@pytest.mark.integration
def test_what_is_finished_is_kept_and_what_is_lost_or_new_is_trained(done, tmp_path, monkeypatch):
    _, found, _ = done
    experiment = copy_of(done[0], tmp_path)
    trained, real = [], module.run_trial
    monkeypatch.setattr(module, "run_trial", lambda one, shared: trained.append(one) or real(one, shared))
    again, said = told(experiment)
    assert same(again) == same(found)
    assert not trained
    assert "4 runs are finished already" in said
    folder = tmp_path / "default" / "seed-3"
    for path in (tmp_path / STUDY, *(folder / name for name in ("provenance.json", *CHECKPOINTS))):
        path.unlink()
    (folder / "notes.txt").write_text("mine")
    again, _ = told(experiment)  # what is lost costs time and nothing else
    assert same(again) == same(found)
    assert len(trained) == 4
    assert (folder / "notes.txt").read_text() == "mine"
    trained.clear()
    told(replace(experiment, variants={**BOTH, "more entropy": {"entropy": 0.1}}, seeds=3))
    assert {(one.variant, one.config.seed) for one in trained} == {
        ("default", 5), ("no shaping", 5), ("more entropy", 3), ("more entropy", 4), ("more entropy", 5)
    }  # fmt: skip


@pytest.mark.integration
def test_other_opponents_score_the_same_policies_and_other_settings_are_noticed_and_said(done, tmp_path, monkeypatch):
    experiment = copy_of(done[0], tmp_path)
    asked = replace(experiment.base, pairs=3, opponents=("v1-depth2",))
    with monkeypatch.context() as patch:
        patch.setattr(ppo.PPO, "round", lambda *_: pytest.fail("trained again"))
        found, _ = told(replace(experiment, base=asked))
        alone, _ = told(replace(experiment, base=replace(experiment.base, pairs=0)))
    assert set(found.scores.query("kind == 'end'")["opponent"]) == {"v1-depth2"}
    assert set(alone.scores["kind"]) == {"curve"}
    longer = replace(experiment, base=replace(experiment.base, steps=128, entropy=0.5))
    says = r"other settings \(default, seed 3: steps was 96, not 128; entropy was 0.01, not 0.5\): choose .*--overwrite"
    with pytest.raises(FileExistsError, match=says):
        told(longer)
    found, _ = told(replace(longer, seeds=1), overwrite=True)
    assert found.runs["length"].tolist() == [128, 128]
    shutil.rmtree(tmp_path / "default")  # what is gone is trained again, and settings are those of the folder
    (tmp_path / STUDY).unlink()
    with pytest.raises(FileExistsError, match=r"no shaping, seed 3: steps was 128, not 96"):
        told(experiment)


@pytest.mark.integration
def test_a_run_that_cannot_go_on_from_its_checkpoint_keeps_it_and_is_told(tmp_path):
    opponent = tmp_path / "opponent.safetensors"
    PolicyNetwork(GAME, "counts", (8,)).save(opponent)
    base = replace(TINY, fixed_opponents=(f"ppo:{opponent}",), fixed_share=0.5, out=str(tmp_path / "all"), pairs=0)
    experiment = Experiment(base, seeds=2)
    one = experiment.trials[0]
    folder = one.config.folder
    killed_at(one.config, 70, callbacks=[JsonlLog()])
    first = opponent.read_bytes()
    PolicyNetwork(GAME, "counts", (8,)).save(opponent)  # other weights
    (folder / "notes.txt").write_text("mine")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    found, shown = told(experiment)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    assert found.runs["length"].fillna(0).tolist() == [0, 96]
    (said,) = [line for line in shown.splitlines() if "seed 0" in line]
    for part in ("the fixed opponent", "bring it back", f"delete {folder}", "--overwrite trains all runs anew"):
        assert part in said
    opponent.write_bytes(first)
    found, _ = told(experiment)
    assert found.runs["length"].tolist() == [96, 96]
    assert (folder / "notes.txt").read_text() == "mine"


@pytest.mark.integration
def test_runs_that_diverge_are_counted_and_left_out(tmp_path, monkeypatch):
    def diverge(self, seconds, real=ppo.PPO.round):
        if self.config.seed == 1:
            raise Diverged("the loss is nan")
        return real(self, seconds)

    monkeypatch.setattr(ppo.PPO, "round", diverge)
    for _ in range(2):  # what diverged is not tried again
        found, said = told(Experiment(replace(TINY, out=str(tmp_path)), seeds=2))
        assert len(found.scores.query("kind == 'end' and opponent == 'v1-random'")) == 1
        assert "default (1 failed)" in said
    assert "learning_rate" in found.runs.set_index("seed")["failed"][1]
    assert "(1 failed)" in told(Experiment(replace(TINY, out=str(tmp_path / "all"), seed=1), seeds=1))[1]


def test_what_a_search_may_try_is_read():
    for values, tried in (
        ("learning_rate = 1e-4..1e-2", FloatDistribution(1e-4, 1e-2, log=True)),
        ("epochs=1..8", IntDistribution(1, 8)),
        ("layers=64 64|256", CategoricalDistribution(["64 64", "256"])),
    ):
        assert parse_range(values, PPOConfig) == (values.partition("=")[0].strip(), tried)


@pytest.mark.integration
def test_a_search_tries_what_scores_well_and_goes_on_after_a_stop(tmp_path, monkeypatch):
    space = dict(parse_range(text, PPOConfig) for text in ("learning_rate=1e-4..1e-2", "layers=8|4 4"))
    experiment = Experiment(replace(TINY, out=str(tmp_path / "whole")), {}, space=space, samples=4)
    whole, said = told(experiment)
    assert whole.runs["seed"].tolist() == [0, 1, 2, 3]
    assert {parse_variant(name, PPOConfig)[1]["layers"] for name in whole.runs["variant"]} <= {(8,), (4, 4)}
    (first, *_) = [line for line in said.splitlines() if line.startswith("learning_rate")]
    assert f"{100 * whole.study.best_value:.1f}" in first.split()

    again, calls = replace(experiment, base=replace(TINY, out=str(tmp_path / "again"))), []

    def stopped(trial, shared, real=module.run_trial):
        calls.append(trial)
        if len(calls) == 3:
            killed_at(trial.config, 70, callbacks=[JsonlLog()])
            raise KeyboardInterrupt
        return real(trial, shared)

    monkeypatch.setattr(module, "run_trial", stopped)
    with pytest.raises(KeyboardInterrupt):
        told(again)
    assert same(told(again)[0]) == same(whole)
    assert len(calls) == 5
    assert len(told(replace(again, samples=5))[0].runs) == 5
    space = {"learning_rate": FloatDistribution(1e-3, 2e-3), "batch_size": IntDistribution(14, 18)}
    for name in told(replace(again, space=space))[0].runs["variant"]:
        settings = parse_variant(name, PPOConfig)[1]
        assert 1e-3 <= settings["learning_rate"] <= 2e-3
        assert settings["batch_size"] == 16  # others do not divide a rollout, and are passed over
    with pytest.raises(FileExistsError, match=r"learning_rate=.*epochs was 1, not 2"):
        told(replace(again, base=replace(again.base, epochs=2)))
    with pytest.raises(ValueError, match="or else settings to search"):
        replace(again, variants=BOTH)
    with pytest.raises(ValueError, match="seed is no setting in which runs may differ"):
        replace(again, space={"seed": IntDistribution(0, 9)})


def test_a_study_that_cannot_be_read_or_written_is_told_in_a_line(tmp_path):
    (tmp_path / STUDY).write_text("notes of mine, which are no database" * 99)
    with pytest.raises(OSError, match=f"{STUDY} cannot be read or written: file is not a database"):
        told(Experiment(replace(TINY, out=str(tmp_path))))


@pytest.fixture
def asked(monkeypatch):
    """The experiment that a command line asks for."""

    def read(*words):
        monkeypatch.setattr(module, "run", lambda experiment, **more: found.append((experiment, more)))
        found = []
        main([str(word) for word in words])
        ((experiment, read.more),) = found
        return experiment

    return read


def test_the_command_takes_every_setting_of_the_trainer(asked):
    experiment = asked(
        "--entropy=0.5", "--rules", GAME, "--layers", 8, 9, "--curve-opponents", "v1-depth1", "greedy", "--seed", 7
    )
    base = experiment.base
    assert (base.entropy, base.layers, base.curve_opponents) == (0.5, (8, 9), ("v1-depth1", "greedy"))
    assert base.game_opening_plies == game_defaults("kalah")["game_opening_plies"]
    assert (experiment.variants, experiment.space) == ({"default": {}}, {})
    search = asked("--search", "entropy=0.01..0.2", "--samples", 3)
    assert (search.variants, search.samples, list(search.space)) == ({}, 3, ["entropy"])
    assert [one.config.seed for one in experiment.trials] == [7, 8, 9, 10, 11]
    assert asked.more["executor"].processes == os.cpu_count()


@pytest.mark.parametrize("words", [["--ray"], ["--ray", "host:6379"], ["--trainer", "alphazero", "--ray", "local"]])
def test_runs_can_be_shared_among_machines(words, asked, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", sys)  # anything that can be imported
    experiment = asked(*words)
    executor = asked.more["executor"]
    assert isinstance(executor, RayExecutor)
    assert executor.address == ("host:6379" if "host:6379" in words else "")
    assert not getattr(experiment.base, "ray", "")


def test_variants_of_ones_own_are_written_on_the_command_line(asked):
    experiment = asked(
        "--vary", "no shaping: shaping=0", "wide: layers=512 256, learning_rate=0.001", "entropy=0.03",
        "--vary", "met: fixed_opponents=minimax:depth=2 minimax:depth=1,seed=1, fixed_share=0.5", "--runs", 1,
    )  # fmt: skip
    assert list(experiment.variants) == ["default", "no shaping", "wide", "entropy=0.03", "met"]
    configs = {one.variant: one.config for one in experiment.trials}
    assert (configs["wide"].layers, configs["wide"].learning_rate) == ((512, 256), 0.001)
    assert configs["entropy=0.03"].entropy == 0.03
    assert configs["met"].fixed_opponents == ("minimax:depth=2", "minimax:depth=1,seed=1")
    assert [one.config.folder.parent.name for one in experiment.trials][3:] == ["entropy_0.03", "met"]
    assert parse_variant("x: export_sb3=false", PPOConfig) == ("x", {"export_sb3": False})
    assert parse_variant(f"rules={GAME}", PPOConfig) == (f"rules={GAME}", {"rules": GAME})


@pytest.mark.integration
def test_alphazero_is_trained_scored_and_resumed_as_well(tmp_path):
    config = AlphaZeroConfig(
        rules=GAME, encoder="counts", layers=(8,), rounds=3, games=4, group=4, moves=6, simulations=4,
        fast_simulations=2, batch_size=16, buffer=500, processes=1, save_every=1, curve_every=2, curve_pairs=2,
        curve_opponents=("v1-random",), pairs=2, opponents=("v1-random",),
        out=str(tmp_path / "whole"),
    )  # fmt: skip
    found, _ = told(Experiment(config, seeds=1))
    assert [rounds for rounds, _ in score(found, "default", 0, "curve")] == [0, 2, 3]
    assert [rounds for rounds, _ in score(found, "default", 0)] == [3]

    again = Experiment(replace(config, out=str(tmp_path / "again")), seeds=1)
    killed_at(again.trials[0].config, 2, AlphaZero, callbacks=[JsonlLog()])
    assert same(told(again)[0]) == same(found)


def test_variants_that_would_share_a_folder_are_refused():
    assert folder_name("encoder lookahead2, action head 64") == "encoder_lookahead2_action_head_64"
    with pytest.raises(ValueError, match="'a b' and 'a_b' would share a folder"):
        Experiment(TINY, {"a b": {}, "a_b": {"shaping": 0.0}})
    with pytest.raises(ValueError, match="takes a PPOConfig or an AlphaZeroConfig, not dict"):
        Experiment({}, BOTH)


@pytest.mark.integration
@pytest.mark.skipif(sys.platform != "linux", reason="asks the system for what Linux alone has")
@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
def test_a_command_that_is_stopped_leaves_no_process_and_goes_on(how, done, tmp_path):
    experiment = done[0]
    words = [*words_of(replace(experiment.base, out=str(tmp_path))), "--runs", "2", "--jobs", "1"]
    command = [*MANCALA, "train", "experiment", *words]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_until(lambda: any(tmp_path.rglob("checkpoint.safetensors")))
        workers = children(process.pid)
        os.kill(process.pid, how)
        said = process.communicate()[1].decode()
    wait_until(lambda: not any(map(is_running, workers)))
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert "the same command goes on" in said
    main([*words[:-1], "0"])
    for name in ("seed-3", "seed-4"):
        assert weights(tmp_path / "default" / name) == weights(experiment.folder / "default" / name)
