"""What a terminal shows while an event runs, and Ctrl-C."""

import signal
import sys
import time
from contextlib import ExitStack
from typing import Any

from agents.tournament import sections, tables
from agents.tournament.event import Event
from agents.tournament.run import Progress, Standing
from mancala_env.cli import printable
from mancala_env.kernels.jit import working_time
from mancala_env.progress import every_half_minute

EVERY = 0.5  # seconds between two drawings of the standings


class Interrupts:
    """The first Ctrl-C asks to stop; a second one does it at once."""

    def __init__(self) -> None:
        self._count = 0

    def asked(self) -> bool:
        """Was there one?"""
        return self._count > 0

    def _heard(self, *_: object) -> None:
        self._count += 1
        if self._count > 1:
            raise KeyboardInterrupt

    def __enter__(self) -> "Interrupts":
        self._before = signal.signal(signal.SIGINT, self._heard)
        return self

    def __exit__(self, *error: object) -> None:
        signal.signal(signal.SIGINT, self._before)


class Screen:
    """Live standings in a terminal, else a line now and then."""

    def __init__(self, event: Event, quiet: bool) -> None:
        self._event, self._quiet = event, quiet
        self._live: Any = None
        self._last = 0.0
        self._begun = working_time()
        self._lines = ExitStack()
        self._progress: Progress | None = None
        self._first: int | None = None
        self._games = 0

    @property
    def new_games(self) -> int:
        """The number of games played so far."""
        return self._games - (self._first or 0)

    def __enter__(self) -> "Screen":
        if not self._quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), transient=True, auto_refresh=False)
            self._live.start()
        elif not self._quiet:
            self._lines.enter_context(every_half_minute(self._line))
        return self

    def __exit__(self, *error: object) -> None:
        self._lines.close()
        if self._live is not None:
            self._live.stop()

    def say(self, text: str) -> None:
        """Print a line about the players, above the standings."""
        if self._live is not None:
            self._live.console.print(printable(text), markup=False, highlight=False)
        elif not self._quiet:
            print(printable(text), file=sys.stderr, flush=True)

    def show(self, progress: Progress) -> None:
        """Draw, if it is time."""
        now = time.monotonic()
        if self._first is None:
            self._first, self._begun = progress.games, working_time()
        self._games, self._progress = progress.games, progress
        if self._live is None or now - self._last < EVERY:
            return
        self._last = now
        self._live.update(picture(progress, self._speed), refresh=True)

    @property
    def _speed(self) -> float:
        """Games in a second so far."""
        return self.new_games / max(working_time() - self._begun, 1e-9)

    def _line(self) -> str:
        if self._progress is None:
            return "no game has ended yet"
        return printable(line(self._progress, self._speed))


def line(progress: Progress, speed: float) -> str:
    """Progress in one line, by the games in a second so far."""
    scores = ", ".join(f"{name} {100 * each.points / each.games:.0f} %" for name, each in _leading(progress)[:6])
    return f"{_games(progress, speed)}; {scores}" if scores else _games(progress, speed)


def picture(progress: Progress, speed: float) -> Any:
    """Progress and standings for a terminal."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar

    columns = [("player", "row"), ("score", ""), ("points", ""), ("games", ""), ("faults", "")]
    rows = [
        [printable(name), f"{100 * each.points / each.games:.1f} %", f"{each.points:g}", f"{each.games:,}", each.faults]
        for name, each in _leading(progress)
    ]
    bar = ProgressBar(total=progress.all_games, completed=progress.games, width=60)
    return Group(_games(progress, speed), bar, tables.as_text(sections.Table("Progress", columns, rows)))


def _games(progress: Progress, speed: float) -> str:
    """How many games have ended, and when the last one will."""
    said = f"{progress.games:,} of {progress.all_games:,} games, {speed:,.1f}/s"
    return f"{said}, {_duration((progress.all_games - progress.games) / speed)} to go" if speed else said


def _leading(progress: Progress) -> list[tuple[str, Standing]]:
    """The players with finished games, the best score first."""
    played = [(name, standing) for name, standing in progress.standings.items() if standing.games]
    return sorted(played, key=lambda each: -each[1].points / each[1].games)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
