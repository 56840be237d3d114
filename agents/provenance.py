"""Where a result comes from (versions, commit, machine, seed, rules), and writing files in one step."""

import contextlib
import hashlib
import importlib.metadata
import json
import math
import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mancala_env import __version__
from mancala_env.rules import Ruleset
from mancala_env.rules.fields import NOT_RULES
from mancala_env.rules.plain import as_plain

_PACKAGES = ("numpy", "numba", "torch", "stable-baselines3", "sb3-contrib", "safetensors")


def provenance(rules: Ruleset | None, seed: int) -> dict[str, Any]:
    """What it takes to make a result again: versions, commit, machine, seed, and the ruleset as text, if it is one."""
    return {
        "package": f"mancala_env {__version__}",
        "commit": _commit(),
        "seed": seed,
        **({"ruleset": rules.id, "ruleset_text": repr(rules)} if rules else {}),
        "python": platform.python_version(),
        "versions": {name: version for name in _PACKAGES if (version := _version(name)) is not None},
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }


def rules_digest(rules: Ruleset) -> str:
    """sha256 of what the rules say, whatever their names: fields not at their defaults, the start and the version."""
    said = {name: value for name, value in as_plain(rules).items() if name not in ("name", "seeds", *NOT_RULES)}
    said["setup"] = rules.setup or [rules.seeds] * rules.board.pits
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _version(package: str) -> str | None:
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


def finite(content: Any) -> Any:
    """Plain data with None for numbers that JSON does not have: nan and infinite ones."""
    if isinstance(content, Mapping):
        return {key: finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [finite(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write JSON to a file in one step: a reader finds the old content or the new."""
    write_text(path, json.dumps(content, indent=2) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write text to a file in one step. Raises OSError, with the name of the file, if that cannot be done."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file in one step: a reader finds the old content or the new. Raises OSError, which names the file. Where
    a link leads is written to, and what is no file, as a device, is written to as it is."""
    there = Path(os.path.realpath(path))
    unfinished = there.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.exists() and not path.is_file():  # by its own name: a pipe of /proc leads to none
            path.write_bytes(content)
            return
        unfinished.write_bytes(content)
        os.replace(unfinished, there)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink()
