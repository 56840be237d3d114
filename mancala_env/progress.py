"""How far a long command is: on a terminal a line that changes, elsewhere a line every half minute, and what is left,
by the work done so far, with the clock standing while kernels are compiled."""

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TextIO

from mancala_env.kernels.jit import working_time

EVERY = 30.0  # seconds between two lines where there is no terminal
_AT_LEAST = 2.0  # seconds of work before what is left is reckoned


def duration(seconds: float) -> str:
    """Seconds as people say them: "75 s", "12 minutes", "2.5 hours"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


_blocks: list[threading.Event] = []  # of ``every_half_minute`` that are entered, by their ends


@contextlib.contextmanager
def every_half_minute(line: Callable[[], str], write: Callable[[str], None] | None = None) -> Iterator[None]:
    """Write what ``line`` returns every half minute from a thread of its own, to stderr or by ``write``; not a "".
    Inside another such block only this one writes: a part knows more than the whole."""
    ended, say = threading.Event(), write or (lambda text: print(text, file=sys.stderr, flush=True))

    def run() -> None:
        while not ended.wait(EVERY):
            with contextlib.suppress(OSError, ValueError):  # nobody reads it any more
                if _blocks[-1] is ended and (text := line()):
                    say(text)

    thread = threading.Thread(target=run, daemon=True)
    _blocks.append(ended)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        _blocks.remove(ended)


def at_work(what: str) -> contextlib.AbstractContextManager[None]:
    """A block in which a line says every half minute for how long it has lasted; none where stderr is a terminal."""
    begun = working_time()
    if sys.stderr is None or sys.stderr.isatty():
        return contextlib.nullcontext()
    return every_half_minute(lambda: f"{what}: at work for {duration(working_time() - begun)}")


class Progress:
    """A count of ``what`` is done, shown while a ``with`` block runs, out of a ``total``, 0 if nobody knows it."""

    def __init__(self, what: str, total: float = 0, file: TextIO | None = None) -> None:
        self.what, self.total, self.done = what, total, 0.0
        self._file = file or sys.stderr
        self._is_terminal = self._file.isatty()
        self._drawn = ""
        self._begun = working_time()

    def __call__(self, done: float, total: float | None = None, what: str | None = None) -> None:
        """So much is done; the total and what is counted may change."""
        self.done = done
        self.total = self.total if total is None else total
        self.what = self.what if what is None else what
        if self._is_terminal and (text := str(self)) != self._drawn:
            self._drawn = text
            print(f"\r\x1b[K{text}", end="", file=self._file, flush=True)

    def __str__(self) -> str:
        of = f" of {self.total:,.0f}" if self.total else ""
        worked = working_time() - self._begun
        left = ""
        if self.total and self.done and worked > _AT_LEAST:
            left = f", about {duration(worked * max(0.0, self.total - self.done) / self.done)} left"
        return f"{self.what}: {self.done:,.0f}{of}{left}"

    def __enter__(self) -> "Progress":
        self._begun = working_time()
        self._lines = contextlib.ExitStack()
        if not self._is_terminal:
            self._lines.enter_context(every_half_minute(self.__str__))
        return self

    def __exit__(self, *error: object) -> None:
        self._lines.close()
        if self._drawn:
            print("\r\x1b[K", end="", file=self._file, flush=True)
