"""A lock on a file, so that one process at a time works in a folder; it is released however its process ends."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]
try:
    import msvcrt
except ImportError:  # elsewhere
    msvcrt = None  # type: ignore[assignment]

AVAILABLE = fcntl is not None or msvcrt is not None
_PLACE = 1 << 30  # the byte that msvcrt locks: far after the text, so that others can still read the text
NAME = ".lock"  # the file that is locked in a folder


class Locked(OSError):
    """Another process holds the lock. The message says which one, and what to do."""


class Lock:
    """A lock on a file of its own, whose existence proves nothing: a killed process leaves it. ``holder`` names the
    process that holds the lock, if ``take`` returned False."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.holder = ""
        self._file: IO[str] | None = None

    def take(self) -> bool:
        """Take the lock; False if another process holds it. Raises OSError if its file cannot be made."""
        while True:
            file = open(self.path, "a+", encoding="utf-8", errors="replace")  # noqa: SIM115 - held as long as the lock
            if not _lock(file):
                file.seek(0)
                self.holder = file.read(200).strip() or "another process"
                file.close()
                return False
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), self.path.stat()):
                    break
            file.close()  # the last holder removed it before it was locked here
        file.truncate(0)
        file.write(f"process {os.getpid()}\n")
        file.flush()
        self._file = file
        return True

    def release(self) -> None:
        """Release the lock; nothing if it is not held."""
        if self._file is not None:
            with contextlib.suppress(OSError):  # Windows keeps files that are open
                self.path.unlink()
            self._file.close()
            self._file = None


@contextlib.contextmanager
def only_one(folder: Path, what: str) -> Iterator[None]:
    """Hold the lock of a folder, which is made if need be; ``what`` this process does there is for others: "trains".
    Locked, and nothing is changed, if another process holds it."""
    new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    lock = Lock(folder / NAME)
    if not lock.take():
        raise Locked(f"{lock.holder} {what} in {folder} at this moment: wait for it, or end it, or name another folder")
    try:
        yield
    finally:
        lock.release()
        if new:
            with contextlib.suppress(OSError):  # something was written
                folder.rmdir()


def _lock(file: IO[str]) -> bool:
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
    if msvcrt is not None:
        file.seek(_PLACE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    raise Locked("this system has neither fcntl nor msvcrt, by which one process at a time writes to a folder")
