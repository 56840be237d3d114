"""The table of ablations: what it trains, what it keeps, and that a killed command leaves nothing running."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest

from tests.processes import children, is_running, wait_until
from training import ablations
from training.ablations import VARIANTS, AblationConfig, main
from training.config import game_defaults
from training.run import Trained

SMALL = ["--rules", "kalah", "--steps", "256", "--seeds", "2", "--pairs", "2", "--against", "random", "--jobs", "1"]


@pytest.fixture
def tiny(monkeypatch):
    """Variants that train in a moment, in this process."""
    small = {"envs": 8, "rollout_steps": 8, "batch_size": 32, "layers": (16,)}
    monkeypatch.setattr(ablations, "VARIANTS", {"default": small, "no shaping": {**small, "shaping": 0.0}})
    monkeypatch.setattr(ablations, "ProcessPoolExecutor", Here)


class Here:
    """A pool of processes that is none."""

    def __init__(self, *_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def shutdown(self, cancel_futures):
        pass

    def submit(self, function, *arguments):
        task = Future()
        task.set_result(function(*arguments))
        return task


def shown(out, *more):
    main([*SMALL, "--variants", "default", "no shaping", "--out", str(out), *more])
    return json.loads((out / "ablations.json").read_text())["runs"]


def by_seed(runs):
    return {(name, run["seed"]): run for name, found in runs.items() for run in found}


def test_each_variant_is_trained_with_each_seed_and_scored(tiny, tmp_path, capsys):
    runs = shown(tmp_path)
    said = capsys.readouterr().out
    assert all(text in said for text in ("kalah, 256 steps", "4 of 4: ", "default", "no shaping"))
    assert by_seed(runs).keys() == {(name, seed) for name in ("default", "no shaping") for seed in (0, 1)}
    for (name, seed), run in by_seed(runs).items():
        assert run["settings"]["shaping"] == (0.0 if name == "no shaping" else 1.0)
        assert run["settings"]["seed"] == seed
        assert run["settings"]["game_opening_plies"] == game_defaults("kalah")["game_opening_plies"]
        assert 0.0 <= run["scores"]["random"] <= 1.0
        assert run["speed"] > 0
    assert len({tuple(run["scores"].values()) for run in by_seed(runs).values()}) > 1


def test_what_is_done_is_kept_and_what_is_asked_otherwise_is_done_again(tiny, tmp_path, monkeypatch):
    first, trained = by_seed(shown(tmp_path)), []
    real = ablations.train
    monkeypatch.setattr(ablations, "train", lambda config, **more: trained.append(config) or real(config, **more))
    assert by_seed(shown(tmp_path)) == first
    assert not trained
    more = by_seed(shown(tmp_path, "--pairs", "3"))
    assert not trained  # scored once more, not trained
    assert all(run["pairs"] == 3 for run in more.values())
    longer = shown(tmp_path, "--steps", "320")
    assert len(trained) == 4
    assert all(run["settings"]["steps"] == 320 for found in longer.values() for run in found)
    more = by_seed(shown(tmp_path, "--steps", "320", "--seeds", "3"))
    assert more.items() > by_seed(longer).items()
    assert len(trained) == 6


def test_a_run_that_was_stopped_early_is_no_result(tiny, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ablations, "train", lambda config, **options: Trained(config.steps - 1, [], []))
    with pytest.raises(SystemExit) as stop:
        shown(tmp_path)
    assert stop.value.code == 130
    assert "goes on with the runs that are missing" in capsys.readouterr().err
    assert not any(tmp_path.rglob("ablation.json"))


def test_no_variant_is_what_the_game_has_anyway():
    assert "no openings in training" not in AblationConfig(rules="oware").asked
    assert "openings of up to 6 plies" not in AblationConfig(rules="kalah").asked
    assert set(AblationConfig(rules="oware").asked) | set(AblationConfig(rules="kalah").asked) == set(VARIANTS)
    assert AblationConfig(variants=("no shaping",)).asked == ["no shaping"]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("rules", ["oware", "kalah"])
def test_every_variant_can_be_trained(variant, rules):
    config = AblationConfig(rules=rules)
    assert replace(config.base, **VARIANTS[variant]).rules == rules


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("--seeds 0", "seeds must be 1 or more"),
        ("--variants bigger", "there is no variant 'bigger'; there are default"),
    ],
)
def test_a_wrong_command_line_is_answered_in_one_line(arguments, says, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments.split())
    assert stop.value.code == 2
    assert says in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="asks the system for what Linux alone has")
def test_a_command_that_is_killed_leaves_no_process(tmp_path):
    command = [sys.executable, "-m", "training.ablations", "--jobs", "2", "--out", str(tmp_path)]
    with subprocess.Popen(command, cwd=Path(ablations.__file__).parents[1], stdout=subprocess.DEVNULL) as process:
        wait_until(lambda: any(tmp_path.rglob("config.yaml")))
        workers = children(process.pid)
        assert len(workers) >= 2
        os.kill(process.pid, signal.SIGKILL)
    wait_until(lambda: not any(map(is_running, workers)))
