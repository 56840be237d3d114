"""What a host writes, line by line."""

import os
import select
from collections import deque


class Misunderstood(ValueError):
    """A line of the host that cannot be read or does not fit what was said before."""


class Lines:
    """The lines that a host writes to a descriptor, with a look ahead that does not wait."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: deque[str] = deque()
        self._partial = b""
        self._ended = False

    def next(self) -> str | None:
        """The next line; None at the end of the input."""
        while not self._lines and not self._ended:
            self._read()
        return self._lines.popleft() if self._lines else None

    def peek(self) -> str | None:
        """The next line if it has been written, without taking it; else None."""
        while not self._ended and not self._lines and select.select([self._descriptor], [], [], 0)[0]:
            self._read()
        return self._lines[0] if self._lines else None

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, 65536)
        except ConnectionResetError:
            data = b""
        self._ended = not data
        *lines, self._partial = (self._partial + data).split(b"\n")
        if self._ended and self._partial:
            lines.append(self._partial)
        self._lines.extend(line.decode("utf-8", "replace").strip() for line in lines)
