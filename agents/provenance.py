"""Where a result comes from (versions, commit, machine, seed, rules), and writing files in one step."""

import contextlib
import hashlib
import importlib.metadata
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mancala_env import __version__
from mancala_env.kernels import layout
from mancala_env.rules import Ruleset

_PACKAGES = ("numpy", "numba", "torch", "stable-baselines3", "sb3-contrib", "safetensors")


def provenance(rules: Ruleset, seed: int) -> dict[str, Any]:
    """What it takes to make a result again: versions, commit, machine, seed, and the ruleset as text."""
    return {
        "package": f"mancala_env {__version__}",
        "commit": _commit(),
        "seed": seed,
        "ruleset": rules.id,
        "ruleset_text": repr(rules),
        "python": platform.python_version(),
        "versions": {name: version for name in _PACKAGES if (version := _version(name)) is not None},
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }


def rules_digest(rules: Ruleset) -> str:
    """sha256 of what the rules mean: of the numbers by which the kernels play them, the start and the version.

    Two ways to write the same rules share it, and so do two names.
    """
    started = f"{rules.setup_stores} {rules.setup_marks}" if any(rules.setup_stores) or rules.setup_marks else ""
    digest = hashlib.sha256(f"{rules.version} {rules.setup}{started}".encode())
    encoded = rules.encoded
    for name, array in (("axes", encoded.axes), ("tables", encoded.tables), ("dead", encoded.no_capture_table)):
        plain = array.astype("<i8")
        if name == "tables" and rules.board.pits != layout.COMMON_PITS:  # laps are no rules of their own
            plain = plain[:, : layout.LAPS]
        if name == "axes":  # what the rules do not use of axes that came later does not count
            used = np.flatnonzero(plain).max(initial=0) + 1
            plain = plain[: max(used, layout.FIRST_AXES)]
        digest.update(f"{name} {plain.shape}".encode())
        digest.update(plain.tobytes())
    return digest.hexdigest()


def _version(package: str) -> str | None:
    """The version of a package; None if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _commit() -> str | None:
    """The git commit of this checkout, "+ changes" if files differ from it; None outside of git."""
    here = Path(__file__).parent

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=here, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    try:
        return git("rev-parse", "HEAD") + (" + changes" if git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write JSON to a file in one step: a reader finds the old content or the new."""
    write_text(path, json.dumps(content, indent=2) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write text to a file in one step. Raises OSError, with the name of the file, if that cannot be done."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file in one step: a reader finds the old content or the new. Raises OSError, which names the file."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(content)
        os.replace(unfinished, path)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink()
