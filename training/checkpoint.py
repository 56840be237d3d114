"""Checkpoints, taken between two rounds, from which training goes on exactly as if it had never stopped: safetensors
files, arrays with a JSON header of numbers, versions and config. Reading one executes nothing."""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError
from safetensors.numpy import load, save

from agents import reading
from agents.provenance import provenance
from mancala_env.checks import shown

CHECKPOINT, PREVIOUS, UNFINISHED = "checkpoint.safetensors", "checkpoint.previous.safetensors", ".checkpoint.unfinished"
FORMAT = 3  # all formats have the same digest
_KEY = "mancala_checkpoint"

Arrays = dict[str, npt.NDArray[Any]]


class CheckpointError(ValueError):
    """A run cannot be resumed from its folder; the message says why."""


class _Damaged(ValueError):
    """A file that is not as it was written."""


@dataclass(frozen=True)
class Checkpoint:
    """The state of a run between two rounds: ``header``, kept as JSON (``steps``, ``seconds``, the state of generators,
    versions, the config), and ``arrays`` (weights, the optimizer, the games in progress and the like)."""

    header: dict[str, Any]
    arrays: Arrays

    @property
    def steps(self) -> int:
        """Steps or rounds so far."""
        return int(self.header["steps"])

    def write(self, folder: Path) -> None:
        """Write ``checkpoint.safetensors`` in one step; the one before stays as ``checkpoint.previous.safetensors``.
        Raises OSError if that fails, with the last checkpoint still there under one of the two names."""
        header = json.dumps(self.header)
        data = save(self.arrays, {_KEY: header, "digest": _digest(header, self.arrays)})
        unfinished = folder / UNFINISHED
        try:
            with open(unfinished, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if (folder / CHECKPOINT).exists():
                os.replace(folder / CHECKPOINT, folder / PREVIOUS)
            os.replace(unfinished, folder / CHECKPOINT)
        finally:
            with contextlib.suppress(OSError):
                unfinished.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # make the new names durable on disk, where the system can do that
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def read(folder: Path, warn: Callable[[str], None]) -> Checkpoint | None:
    """The newest undamaged checkpoint of a run, after a call of ``warn`` if it is the previous one; None if it never
    wrote one. Raises CheckpointError if all are damaged, or that one is of another format."""
    damaged: list[str] = []
    for name in (CHECKPOINT, PREVIOUS):
        try:
            found = _read(folder / name)
        except FileNotFoundError:
            continue
        except _Damaged as error:
            damaged.append(f"{folder / name} is damaged ({error})")
            continue
        if damaged:
            os.replace(folder / name, folder / CHECKPOINT)
            warn(f"{damaged[0]}; goes on from the one before, of step or round {found.steps:,}")
        return found
    if damaged:
        raise CheckpointError(f"{' and '.join(damaged)}; no checkpoint is left to go on from")
    return None


def remove(folder: Path) -> None:
    """Delete the checkpoints of a folder."""
    for name in (CHECKPOINT, PREVIOUS, UNFINISHED):
        (folder / name).unlink(missing_ok=True)


def describe(learnt_from: Mapping[str, Any], config: Mapping[str, Any], unit: str) -> dict[str, Any]:
    """What a checkpoint says about itself; ``unit``: what its ``steps`` count."""
    made = provenance(None, 0)
    about = {name: made[name] for name in ("package", "versions")} | {"config": json.loads(json.dumps(config))}
    return {"format": FORMAT, "unit": unit, **learnt_from, **about}


def check(checkpoint: Checkpoint, learnt_from: Mapping[str, Any], warn: Callable[[str], None]) -> None:
    """Refuse a checkpoint of another game or encoder. Other versions of torch and other packages are accepted, with a
    call of ``warn``, since numbers may differ."""
    was = checkpoint.header
    for name, now in learnt_from.items():
        if was.get(name) != now:
            raise CheckpointError(
                f"the checkpoint is of {name} {shown(was.get(name))}, and the run's are now {shown(now)}: train anew"
            )
    versions = provenance(None, 0)["versions"]
    if changed := [name for name, version in versions.items() if was.get("versions", {}).get(name) != version]:
        warn(f"the checkpoint was made with other versions of {', '.join(changed)}: goes on, with rounding of its own")


def _read(path: Path) -> Checkpoint:
    if not path.is_file():
        raise FileNotFoundError(path)
    try:
        with path.open("rb") as file:
            metadata, _ = reading.tensor_header(file)
            text = metadata.get(_KEY, "{}")
            header = reading.json_object(text)
            file.seek(0)
            arrays = {name: array.copy() for name, array in load(file.read()).items()}  # those can be written to
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise _Damaged(" ".join(str(error).split())) from None
    if (written_in := header.get("format")) is None:
        raise _Damaged("no checkpoint of mancala_env")
    if metadata.get("digest") != _digest(text, arrays):  # before the format, which a changed bit may have made another
        raise _Damaged("its content has changed since it was written")
    if written_in != FORMAT:
        raise CheckpointError(
            f"{path} is a checkpoint of format {written_in}, and this version reads format {FORMAT}: go on with the "
            f"version that wrote it ({header.get('package', 'unknown')}), or train anew"
        )
    parts = {"steps": int, "config": dict, "versions": dict}
    if lacking := [name for name, kind in parts.items() if not isinstance(header.get(name, kind()), kind)]:
        raise _Damaged(f"it says no {lacking[0]}")
    return Checkpoint(header, arrays)


def _digest(header: str, arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    """A digest of the header and all arrays."""
    digest = hashlib.sha256(header.encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def under(name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> Arrays:
    """The arrays whose names begin with ``name.``, without that."""
    return {key.removeprefix(f"{name}."): array for key, array in arrays.items() if key.startswith(f"{name}.")}


def copied(tensor: torch.Tensor) -> npt.NDArray[Any]:
    """An array of its own with what a tensor holds."""
    return np.array(tensor.detach().cpu().numpy(), order="C")


def weights_arrays(name: str, module: torch.nn.Module) -> Arrays:
    """The weights of a module as ``NAME.KEY``."""
    return {f"{name}.{key}": copied(weights) for key, weights in module.state_dict().items()}


def restore_weights(name: str, module: torch.nn.Module, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write the arrays of ``weights_arrays`` into a module. Raises ValueError if a shape or type differs."""
    for key, weights in module.state_dict().items():
        new = torch.from_numpy(arrays[f"{name}.{key}"])
        if new.shape != weights.shape or new.dtype != weights.dtype:
            raise ValueError(f"weights are {weights.dtype}{list(weights.shape)}, not {new.dtype}{list(new.shape)}")
        with torch.no_grad():
            weights.copy_(new)


def adam_arrays(optimizer: torch.optim.Adam) -> Arrays:
    """The state of an optimizer: ``adam.K.NAME`` is what it keeps of parameter K."""
    kept = optimizer.state_dict()["state"]
    return {
        f"adam.{k}.{name}": copied(torch.as_tensor(value)) for k, state in kept.items() for name, value in state.items()
    }


def restore_adam(optimizer: torch.optim.Adam, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Bring an optimizer to the state of ``adam_arrays``; its settings stay as they are."""
    kept: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in under("adam", arrays).items():
        k, _, field = name.partition(".")
        kept.setdefault(int(k), {})[field] = torch.from_numpy(array).clone()
    optimizer.load_state_dict({"state": kept, "param_groups": optimizer.state_dict()["param_groups"]})


@contextlib.contextmanager
def fitting() -> Iterator[None]:
    """Turn what goes wrong while a run is brought to the state of a checkpoint into a CheckpointError."""
    try:
        yield
    except CheckpointError:
        raise
    except (LookupError, TypeError, ValueError, RuntimeError, OverflowError, AttributeError) as error:
        raise CheckpointError(f"the checkpoint does not fit the run: {' '.join(str(error).split())}") from error


def torch_random(device: torch.device) -> Arrays:
    """The state of torch's generator, and of that of a device other than the CPU, as arrays."""
    found = {"random.torch": torch.get_rng_state().numpy().copy()}
    if device.type != "cpu":
        found["random.device"] = torch.get_device_module(device).get_rng_state().numpy().copy()
    return found


def restore_torch_random(device: torch.device, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Go on with the generators of ``torch_random``; a run that changed its device begins a new one there."""
    torch.set_rng_state(torch.from_numpy(arrays["random.torch"]).clone())
    if "random.device" in arrays and device.type != "cpu":
        torch.get_device_module(device).set_rng_state(torch.from_numpy(arrays["random.device"]).clone())
