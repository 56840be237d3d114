"""Processes: the cores that they may use, a lock on a file by which one process at a time works in a folder, and
the error where the system lacks what a feature needs."""

import contextlib
import os
import signal
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"  # the file that is locked in a folder


def require(what: str, *functions: str) -> None:
    """Raise NotImplementedError, in one sentence, where this system lacks a function such as ``os.killpg`` that a
    feature (say "bots are run") needs."""
    for module, _, name in (each.partition(".") for each in functions):
        if find_spec(module) is None or not hasattr(import_module(module), name):
            where = "on Linux and macOS; this system has no"
            raise NotImplementedError(f"{what} {where} {module}.{name}: on Windows use the subsystem for Linux (WSL)")


def usable_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def signals_blocked() -> Iterator[None]:
    """Block SIGINT and SIGTERM in this thread and in processes started meanwhile; nothing on Windows, which cannot."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker  # not there where no process can be started: in a browser

    resource_tracker.ensure_running()  # else the start of a process does it, and lets signals through
    allowed = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, allowed)


class Locked(OSError):
    """Another process holds the lock. The message says which one, and what to do."""


@contextlib.contextmanager
def lock(path: Path, doing: str, otherwise: str) -> Iterator[None]:
    """Hold the lock on a file of its own, whose existence proves nothing: a killed process leaves it. Locked if another
    process does; the message says what that is ``doing``, and what would do ``otherwise``, besides to wait."""
    if fcntl is None:
        yield
        return
    with contextlib.ExitStack() as opened:
        while True:
            file = opened.enter_context(open(path, "a+", encoding="utf-8", errors="replace"))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                holder = file.read(200).strip() or "another process"
                raise Locked(f"{holder} {doing} at this moment: wait for it, or {otherwise}") from None
            with contextlib.suppress(FileNotFoundError):  # the last holder removed it before it was locked here
                if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                    break
        file.truncate(0)
        file.write(f"process {os.getpid()}\n")
        file.flush()
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # it may have been removed with its folder
                path.unlink()


@contextlib.contextmanager
def only_one(folder: Path, what: str) -> Iterator[None]:
    """Hold the lock of a folder, which is made if need be; ``what`` this process does there is for others: "trains".
    Locked, and nothing is changed, if another process holds it."""
    new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with lock(folder / LOCK, f"{what} in {folder}", "end it, or name another folder"):
            yield
    finally:
        if new:
            with contextlib.suppress(OSError):  # something was written
                folder.rmdir()
