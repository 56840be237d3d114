"""Worker processes that end with their parent, and the error where the system lacks what a feature needs."""

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec


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


def die_with_parent() -> None:
    """To be called first: have this process sent SIGTERM when its parent ends, however that happens (Linux only)."""
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
        parent = multiprocessing.parent_process()
        if parent is not None and os.getppid() != parent.pid:  # the parent ended before that was arranged
            os.kill(os.getpid(), signal.SIGTERM)


@contextlib.contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block SIGINT in this thread and in processes started meanwhile; does nothing on Windows, which cannot."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker  # not there where no process can be started: in a browser

    resource_tracker.ensure_running()  # else the start of a process does it, and lets signals through
    allowed = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, allowed)
