"""A run that was killed goes on as if it had not been, and bad luck costs nothing that was earned."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from safetensors import safe_open
from safetensors.numpy import save_file

from agents.zoo import FILE_NAME
from tests.processes import MANCALA
from tests.trainings import TINY as SMALL
from tests.trainings import killed_at, no_room, points, refused
from tests.trainings import printed as run
from training import checkpoint
from training import run as runs
from training.checkpoint import CHECKPOINT, PREVIOUS, CheckpointError
from training.curves import Curves
from training.ppo import main

pytestmark = pytest.mark.integration

TINY = replace(SMALL, steps=640)


def policy(folder):
    return (Path(folder) / FILE_NAME).read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that was never stopped."""
    config = replace(TINY, out=str(tmp_path_factory.mktemp("whole")))
    run(config)
    return config


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The folder of a run that was killed after 400 of its 640 steps; its checkpoints are of 256 and 384 steps."""
    folder = tmp_path_factory.mktemp("killed")
    killed_at(replace(TINY, out=str(folder)), 400)
    return folder


@pytest.fixture
def stopped(killed, tmp_path):
    """A copy of the run that was killed."""
    shutil.copytree(killed, tmp_path, dirs_exist_ok=True)
    return replace(TINY, out=str(tmp_path))


def written(file):
    """When the file was written last, in nanoseconds; 0 while it makes way for a new one."""
    try:
        return file.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def test_a_run_killed_by_the_system_twice_ends_with_the_same_weights(tmp_path):
    config = replace(TINY, steps=4_000, out=str(tmp_path / "killed"), save_every=5, curve_every=20)
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(runs.settings_of(config)))
    delays = np.random.default_rng().uniform(0.0, 0.35, size=2)
    newest = tmp_path / "killed" / CHECKPOINT
    for delay, options in zip(delays, ([], ["--resume"]), strict=True):
        before = written(newest)
        command = [*MANCALA, "train", "ppo", "--config", str(tmp_path / "config.yaml"), *options]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=Path(runs.__file__).parents[1]) as process:
            while process.poll() is None and written(newest) in (0, before):
                time.sleep(0.01)
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
    run(config, resume=True)
    run(replace(config, out=str(tmp_path / "whole")))
    assert policy(config.out) == policy(tmp_path / "whole"), delays
    assert points(config.out) == points(tmp_path / "whole"), delays


def test_a_run_may_be_overwritten_by_one_that_has_it_as_a_fixed_opponent(tmp_path):
    config = replace(TINY, out=str(tmp_path), steps=64)
    run(config)
    run(replace(config, fixed_opponents=(f"ppo:{tmp_path}",), fixed_share=0.4), overwrite=True)
    assert json.loads((tmp_path / "policy.json").read_text())["made"]["fixed_opponents"]


SPOILT = {
    "truncated": lambda data: data[: len(data) // 2],
    "format": lambda data: data.replace(rb"\"format\": 3", rb"\"format\": 4"),
}


@pytest.mark.parametrize("damage", [*SPOILT, "missing"])
def test_a_damaged_checkpoint_falls_back_to_the_one_before(damage, stopped, whole):
    path = Path(stopped.out) / CHECKPOINT
    data = path.read_bytes()
    path.unlink()
    if damage != "missing":
        path.write_bytes(SPOILT[damage](data))
        assert path.read_bytes() != data
    said = run(stopped, resume=True)
    assert damage == "missing" or "is damaged" in said.splitlines()[0]
    assert policy(stopped.out) == policy(whole.out)


def test_when_both_checkpoints_are_damaged_nothing_is_overwritten(stopped, capsys):
    folder = Path(stopped.out)
    (folder / CHECKPOINT).write_bytes(b"garbage")
    (folder / PREVIOUS).write_bytes(b"")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert "no checkpoint is left" in refused(main, ["--resume", f"--out={folder}"], capsys)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def rewritten(folder, **changes):
    """Change the header of a checkpoint, as another version would have written it."""
    path = Path(folder) / CHECKPOINT
    with safe_open(path, "np") as file:
        header = {**json.loads(file.metadata()[checkpoint._KEY]), **changes}
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    text = json.dumps(header)
    save_file(arrays, path, {checkpoint._KEY: text, "digest": checkpoint._digest(text, arrays)})


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"format": 99, "package": "mancala_env 99.0"}, "version that wrote it (mancala_env 99.0), or train anew"),
        ({"rules": "mancala/kalah-v7"}, "train anew"),
        ({"encoder": "counts version 7"}, "train anew"),
        ({"config": {"envs": 16}}, "envs 16"),
    ],
)
def test_a_checkpoint_of_another_version_or_game_is_refused(changes, says, stopped, capsys):
    rewritten(stopped.out, **changes)
    assert says in refused(main, ["--resume", f"--out={stopped.out}"], capsys)


def test_other_versions_of_torch_are_only_a_warning(stopped):
    rewritten(stopped.out, versions={"torch": "0.1"})
    assert "other versions of" in run(stopped, resume=True)


def test_a_config_that_was_cut_off_is_refused_and_one_of_an_earlier_version_goes_on(stopped, whole, capsys):
    file = Path(stopped.out) / "config.yaml"
    saved = yaml.safe_load(file.read_text())
    file.write_text(yaml.safe_dump(saved, sort_keys=False).partition("latest_share:")[0])
    said = refused(main, ["--resume", f"--out={stopped.out}"], capsys)
    lost = "latest_share, random_share, prioritised, export_sb3"
    assert f"it lacks {lost}; put them back: latest_share: 0.5, random_share: 0.0, pr" in said
    file.write_text(yaml.safe_dump({name: value for name, value in saved.items() if name != "prioritised"}))
    config = checkpoint.read(Path(stopped.out), pytest.fail).header["config"]
    rewritten(stopped.out, config={name: value for name, value in config.items() if name != "prioritised"})
    run(stopped, resume=True)
    assert policy(stopped.out) == policy(whole.out)
    assert yaml.safe_load(file.read_text()).keys() == saved.keys()


def test_what_cannot_be_resumed_is_refused(stopped, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    for words, says in (
        (["--resume", f"--out={tmp_path / 'nowhere'}"], "holds no run"),
        ([f"--out={stopped.out}"], "--resume"),
        ([f"--out={tmp_path / 'file'}"], "file"),
    ):
        assert says in refused(main, words, capsys)
    checkpoint.remove(Path(stopped.out))
    with pytest.raises(CheckpointError, match="no checkpoint"):
        run(stopped, resume=True)


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_disk_that_stays_full_keeps_the_last_checkpoint(call, stopped, whole, monkeypatch):
    original = getattr(os, call)
    unfinished = str(Path(stopped.out) / checkpoint.UNFINISHED)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, lambda *a: no_room() if call == "fsync" or str(a[0]) == unfinished else original(*a))
        assert "training goes on" in run(stopped, resume=True)
    assert policy(stopped.out) == policy(whole.out)
    assert checkpoint.read(Path(stopped.out), pytest.fail).steps == 384
    run(stopped, resume=True)
    assert policy(stopped.out) == policy(whole.out)
    assert not Path(unfinished).exists()


def test_curves_go_on_where_a_full_disk_lost_some(tmp_path):
    warnings = []
    curves = Curves(tmp_path / "tensorboard", 0, warnings.append)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for step in range(5):
        if step in (1, 2):
            resource.setrlimit(resource.RLIMIT_FSIZE, (1024, hard))
        try:
            curves.write({"score": float(step), "note": "text", "hidden": 1.0}, {"hidden": ("tensorboard",)}, step)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    curves.close()
    assert points(tmp_path) == {"score": [(step, float(step)) for step in range(5)]}
    assert len(warnings) == 1
    assert "they wait until there is room" in warnings[0]
