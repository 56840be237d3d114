"""Small trainings, and ways to end them."""

import errno
import io
import os
from dataclasses import fields
from pathlib import Path

import pytest
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from training.callbacks import Callback
from training.ppo import PPO, PPOConfig, train

TINY = PPOConfig(
    rules="kalah", encoder="counts", layers=(16,), envs=8, rollout_steps=8, batch_size=32, epochs=2, steps=256,
    pool_size=2, pool_every=1, opponents=("random",), pairs=0, opening_plies=2, curve_every=0,
    curve_opponents=("random",), curve_pairs=1, save_every=2,
)  # fmt: skip


class Killed(BaseException):
    """Stands for a kill: nothing catches it."""


class AtLength(Callback):
    """Does something when a run has a length; stops it if nothing else is said."""

    def __init__(self, at, what=lambda run: run.stop()):
        self.at, self.what = at, what

    def on_numbers(self, run, numbers):
        if run.steps >= self.at:
            self.what(run)


def quiet(config, train=train, **options):
    """Train; the result."""
    return train(config, console=Console(quiet=True), **options)


def printed(config, train=train, **options):
    """Train; what was printed."""
    out = io.StringIO()
    train(config, console=Console(file=out, width=200), **options)
    return out.getvalue()


def at_step(monkeypatch, step, do, kind=PPO):
    """Have ``do`` called before each round that ends after a step."""

    def round(self, seconds, original=kind.round):
        if self.steps + getattr(self.config, "rollout", 1) > step:
            do()
        return original(self, seconds)

    monkeypatch.setattr(kind, "round", round)


def killed_at(config, step, kind=PPO, **options):
    """Train until a step, and no further."""

    def kill():
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        at_step(patch, step, kill, kind)
        with pytest.raises(Killed):
            quiet(config, kind.train, **options)


def points(folder):
    """The curves as TensorBoard shows them, without speeds."""
    read = EventAccumulator(str(Path(folder) / "tensorboard"))
    read.Reload()
    names = [name for name in read.Tags()["scalars"] if not name.startswith("time/")]
    return {name: [(point.step, point.value) for point in read.Scalars(name)] for name in names}


def words_of(config):
    """The command line of a config, without that of ``command_of``: all settings, so that no default is another."""
    words = []
    for each in fields(config):
        value = getattr(config, each.name)
        if isinstance(value, bool):
            words += [f"--{each.name}={str(value).lower()}"] if each.default else [f"--{each.name}"] * value
        elif value != () and value != "":
            words += [f"--{each.name}", *map(str, value if isinstance(value, tuple) else [value])]
    return words


def no_room(*_):
    """Fails as a write to a full disk does: without a name."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def refused(main, words, capsys):
    """What a command says as it refuses: one line, with status 2."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said
