"""The folder of a run, which all trainers share: ``config.yaml`` and ``provenance.json`` say how to make it again,
``policy.safetensors`` is the policy and ``policy.json`` its model card, ``checkpoint.safetensors`` the state from which
``--resume`` goes on, ``tensorboard/`` the curves, ``evaluation.json`` the score table."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import torch
import yaml  # type: ignore[import-untyped]
from rich.console import Console

from agents import zoo
from agents.policy.card import made_by
from agents.processes import only_one
from agents.provenance import provenance, write_json, write_text
from agents.reading import read_json
from mancala_env.checks import shown
from mancala_env.cli import SETTINGS
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import as_plain
from training import checkpoint
from training.checkpoint import Checkpoint, CheckpointError
from training.cli import read_yaml, rules_spec
from training.settings import RunSettings

CONFIG, PROVENANCE, EVALUATION, CURVES = SETTINGS, "provenance.json", "evaluation.json", "tensorboard"
ZIP = "maskable_ppo.zip"
LOG = "log.jsonl"  # of a callback; a new run in the folder begins it anew


class Diverged(FloatingPointError):
    """An update left numbers that are not finite, so that training cannot go on."""


@contextmanager
def holding(folder: Path, resume: bool) -> Iterator[None]:
    """Hold the folder of a run during a ``with`` block, so that no other process trains in it. Raises CheckpointError
    if it holds no run to ``resume``, Locked if another process trains in it."""
    if resume and not (folder / CONFIG).is_file():
        raise CheckpointError(f"{folder} holds no run to resume: there is no {CONFIG}")
    with only_one(folder, "trains"):
        yield


def choose_device(device: str | torch.device) -> torch.device:
    """The device that a name means: "auto" is CUDA where there is one, else Apple's MPS, else the CPU. Raises
    ValueError if there is no such device here."""
    known = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    there = [name for name, is_there in known.items() if is_there]
    if device != "auto" and str(device).partition(":")[0] not in there:
        raise ValueError(f"there is no device {str(device)!r} here; there are {', '.join(['auto', *there])}")
    return torch.device(there[0] if device == "auto" else device)


def settings_of(config: Any) -> dict[str, Any]:
    """A config as plain data for YAML and JSON; a ruleset without a name as ``rules.plain`` writes it."""
    settings = {each.name: getattr(config, each.name) for each in fields(config)}
    if isinstance(rules := settings.get("rules"), Ruleset):
        settings["rules"] = as_plain(rules)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}


def read_settings(folder: Path, kind: type[Any]) -> Any:
    """The config of the run in a folder, which may have been moved since. Raises CheckpointError if there is none."""
    path = folder / CONFIG
    if not path.is_file():
        raise CheckpointError(f"{folder} holds no run: there is no {CONFIG}")
    saved: dict[str, Any] = {}
    try:
        saved = read_yaml(path)
        words = [str(each) for value in saved.values() for each in (value if isinstance(value, list) else [value])]
        if asking := [each for each in words if "network=" in each and not each.startswith("mcts:")]:
            raise ValueError(
                f"it names {shown(asking[0])}, and a file never makes anything be imported: go on from Python, with "
                "this config and resume=True"
            )
        settings: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in saved.items()}
        return replace(kind(**settings), out=str(folder))
    except (AttributeError, TypeError, ValueError, OverflowError, FileNotFoundError) as error:
        why: object = error
        if foreign := sorted(saved.keys() - {each.name for each in fields(kind)}):
            why = f"it has the setting {foreign[0]!r}, as those of another trainer or another version have"
        raise CheckpointError(f"{path} is not the config of a run that can go on: {why}") from None


def begin(config: RunSettings, made: Mapping[str, Any], overwrite: bool) -> dict[str, Any]:
    """Make the folder of a run and write its config and provenance, which is returned; ``made``: what it says of its
    making. Raises FileExistsError if the folder holds a policy or a checkpoint, and ``overwrite`` is False."""
    folder, begins = config.folder, getattr(config, "init_from", "") if config.ruleset else ""
    made = {**made, **({"begun_with": made_by(begins)} if begins else {}), **provenance(config.ruleset, config.seed)}
    earned = [name for name in (config.WEIGHTS, checkpoint.CHECKPOINT, checkpoint.PREVIOUS) if (folder / name).exists()]
    if (folder / CONFIG).exists() and earned and not overwrite:
        raise FileExistsError(f"{folder} holds a run already; --resume it, choose another --out, or --overwrite it")
    folder.mkdir(parents=True, exist_ok=True)
    remove_results(config)
    checkpoint.remove(folder)
    shutil.rmtree(folder / CURVES, ignore_errors=True)
    for old in (config.WEIGHTS, LOG):
        (folder / old).unlink(missing_ok=True)
    write_json(folder / PROVENANCE, made)
    write_text(folder / CONFIG, yaml.safe_dump(settings_of(config), sort_keys=False))
    return made


def find_start(config: RunSettings, console: Console) -> Checkpoint | None:
    """The checkpoint from which a run goes on; None if stopped before its first. Raises CheckpointError if there is
    nothing to go on from, it has finished, or was begun with other settings."""
    folder, warn = config.folder, warner(console)
    start = checkpoint.read(folder, warn)
    if start is None and (folder / config.WEIGHTS).exists():
        raise CheckpointError(f"{folder} holds {config.WEIGHTS} but no checkpoint: there is nothing to go on from")
    check_same(config, start)
    if start is None:
        warn(f"{folder} holds no checkpoint yet: starts from the beginning")
        return None
    checkpoint.check(start, config.learnt_from, warn)
    scored = (folder / EVALUATION).exists() or not config.pairs
    finished = read_or_nothing(folder / PROVENANCE).get("training", {}).get(config.UNIT)
    if start.steps >= config.length and scored and finished == start.steps:
        unit = config.UNIT
        raise CheckpointError(f"{folder} has finished its {start.steps:,} {unit}; larger --{unit} make it longer")
    return start


def check_same(config: RunSettings, start: Checkpoint | None) -> None:
    """Raise CheckpointError unless a run goes on with the settings it was begun with, but for those that are free.
    Those are what its checkpoint holds, or ``config.yaml`` where there is none; a file that lacks some was cut off."""
    try:
        said, now = read_yaml(config.folder / CONFIG), settings_of(config)
        if "rules" in now:
            now["rules"] = rules_spec(now["rules"])
            said["rules"] = rules_spec(said.get("rules", now["rules"]))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{config.folder} holds no run that can go on: {error}") from None
    had = start.header["config"] if start else now
    if lost := [name for name in had if name not in said and name in now]:
        put_back = f"put them back: {', '.join(f'{name}: {shown(had[name])}' for name in lost)}"
        raise CheckpointError(
            f"{config.folder / CONFIG} is damaged, it lacks {', '.join(lost)}; "
            + (put_back if start else "there is no checkpoint yet either, so --overwrite the run")
        )
    free = {each.name for each in fields(config) if each.metadata["free"]} | {config.UNIT}
    was = {**said, **{name: value for name, value in had.items() if start and name != "rules"}}  # rules were compared
    for name in sorted((was.keys() & now.keys()) - free):
        old, new = was[name], now[name]
        if old != new:
            old, new = (shown(each.name if isinstance(each, Ruleset) else each) for each in (old, new))
            raise CheckpointError(f"the run was begun with {name} {old}, not {new}: go on with that, or begin another")


def go_on(config: RunSettings, at: int, made: Mapping[str, Any]) -> dict[str, Any]:
    """Note in the folder that a run goes on, at so many steps or rounds, with which settings changed; returns its
    provenance. Raises CheckpointError if what it is given as objects, or the weights of a fixed opponent, are others
    than at first."""
    folder, now = config.folder, {**made, **provenance(config.ruleset, config.seed)}
    before = read_or_nothing(folder / PROVENANCE) or now
    was, given = before.get("given", {}), now.get("given", {})
    for name in sorted({*was, *given}):
        if was.get(name) != given.get(name):
            raise CheckpointError(
                f"the run was begun with {name}={was.get(name)}, and goes on only with the same, not {given.get(name)}"
            )
    for name, weights in now.get("fixed_opponents", {}).items():
        if before.get("fixed_opponents", {}).get(name) != weights:
            raise CheckpointError(
                f"the fixed opponent {name} is no more the one that the run began with: bring it back"
            )
    remove_results(config)
    before.pop("training", None)
    old, new = read_yaml(folder / CONFIG), settings_of(config)
    changed = {
        name: new[name] for name in new if name in old and name not in ("out", "rules") and old[name] != new[name]
    }
    noted = {name: value for name, value in now.items() if name not in ("command", "given")}
    this = {"at": at, "until": config.length, **({"changed": changed} if changed else {}), **noted}
    before["resumed"] = [*before.get("resumed", []), this]
    write_json(folder / PROVENANCE, before)
    write_text(folder / CONFIG, yaml.safe_dump(new, sort_keys=False))
    return before


def remove_results(config: RunSettings) -> None:
    """Delete the files that a finished run writes, except what it has learnt."""
    for old in (EVALUATION, zoo.beside(Path(config.WEIGHTS)).name, ZIP, "policy.onnx"):
        (config.folder / old).unlink(missing_ok=True)


def read_or_nothing(path: Path) -> dict[str, Any]:
    """The content of a JSON file of a run; {} if it cannot be read."""
    try:
        return read_json(path)
    except (OSError, ValueError):
        return {}


def warner(console: Console) -> Callable[[str], None]:
    """A function that prints a warning to ``console`` in one line."""
    return lambda text: console.print(
        f"warning: {' '.join(text.split())}", style="yellow", soft_wrap=True, highlight=False, markup=False
    )


def is_written(what: str, write: Callable[[], None], warn: Callable[[str], None]) -> bool:
    """Write a file of a run in progress; False, after a call of ``warn``, if that fails, as on a full disk."""
    try:
        write()
    except OSError as error:
        why = error.strerror or str(error)
        warn(f"the {what} could not be written ({why}); training goes on, the last one is kept")
        return False
    return True
