"""A lock on a file, so that one process at a time works in a folder; it is released however its process ends."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

NAME = ".lock"  # the file that is locked in a folder


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
        with lock(folder / NAME, f"{what} in {folder}", "end it, or name another folder"):
            yield
    finally:
        if new:
            with contextlib.suppress(OSError):  # something was written
                folder.rmdir()
