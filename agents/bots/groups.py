"""Control groups of Linux, by which the kernel limits all processes of a bot together: memory, and their number.

Version 2 limits both. Of version 1 only the number of processes is used: its limit of memory leaves swap out.
"""

import contextlib
import functools
import os
import subprocess
import uuid
from pathlib import Path
from typing import NamedTuple


class Parents(NamedTuple):
    """Where this process may make control groups, "" where it may not.

    Attributes
    ----------
    memory, processes : str
        Folders; the same one where both are limited by version 2.
    """

    memory: str = ""
    processes: str = ""


def make(parents: Parents, memory: int, processes: int) -> tuple[str, ...]:
    """The folders of new, empty groups with limits.

    Parameters
    ----------
    memory : int
        Bytes of all processes together; swap is not used.
    processes : int
        Number of processes and threads.

    Raises
    ------
    OSError
        If the system does not let this process make them.
    """
    name = f"mancala-bot-{os.getpid()}-{uuid.uuid4().hex[:12]}"
    made: list[str] = []
    try:
        for parent in dict.fromkeys(filter(None, parents)):
            group = Path(parent, name)
            group.mkdir()
            made.append(str(group))
            if parent == parents.memory:
                _write(group / "memory.max", memory)
                for other, value in (("memory.swap.max", 0), ("memory.oom.group", 1)):
                    if (group / other).exists():
                        _write(group / other, value)
            if parent == parents.processes:
                _write(group / "pids.max", processes)
    except OSError:
        for folder in made:
            os.rmdir(folder)
        raise
    return tuple(made)


@functools.cache
def parents() -> Parents:
    """Where this process may make groups, found by trying it once."""
    try:
        mounts = [line.split() for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()]
        own = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return Parents()
    places: dict[str, Path] = {}
    for _, where, kind, options, *_ in mounts:
        for number, controllers, path in own:
            here = Path(where + path)
            if kind == "cgroup2" and number == "0" and (found := _delegated(Path(where), here)):
                places.setdefault("memory", found)
                places.setdefault("processes", found)
            elif kind == "cgroup" and "pids" in controllers.split(",") and "pids" in options.split(","):
                places.setdefault("processes", here)
    memory, processes = (str(places.get(what, "")) for what in Parents._fields)
    for candidate in (Parents(memory, processes), Parents("", processes)):
        if candidate.processes and _works(candidate):
            return candidate
    return Parents()


def _delegated(mount: Path, own: Path) -> Path | None:
    """The nearest folder above a group of version 2 in which groups with both limits can be made.

    Above it, for a group that holds processes may have no limited groups inside (but at the root).
    """
    for folder in (own if own == mount else own.parent, *own.parents):
        if not folder.is_relative_to(mount):
            break
        with contextlib.suppress(OSError):
            given = (folder / "cgroup.subtree_control").read_text(encoding="ascii").split()
            if {"memory", "pids"} <= set(given) and os.access(folder / "cgroup.procs", os.W_OK):
                return folder
    return None


def _works(candidate: Parents) -> bool:
    """Can a process be put into groups made there?"""
    try:
        groups = make(candidate, 64 << 20, 16)
    except OSError:
        return False
    try:
        joining = "; ".join(f"echo 0 > '{group}/cgroup.procs' || exit 1" for group in groups)
        return subprocess.run(["/bin/sh", "-c", joining], capture_output=True, check=False).returncode == 0
    finally:
        for group in groups:
            with contextlib.suppress(OSError):
                os.rmdir(group)


def _write(file: Path, value: int) -> None:
    file.write_text(str(value), encoding="ascii")
