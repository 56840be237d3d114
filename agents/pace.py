"""How much work a search gives a kernel in one call, during which neither Ctrl-C nor the clock is noticed."""

from mancala_env.kernels.jit import Stopwatch

BREATH = 0.05  # seconds; a call should not take much longer
MARGIN = 0.0005  # seconds before the end of the time at which no other call begins
CLOCK = "clock"  # instead of seconds: the time for a move is a share of a clock
SHORTEST = 1e-6  # seconds
TELL = "call clock(left, increment) before each move, or give time=SECONDS"


class Pace:
    """An ``amount`` of work (nodes, positions) for a call, from 1 to ``most``, which grows while calls are quick and
    shrinks when they are slow. Near the end of the time a call gets what half of the rest allows at the speed so
    far."""

    def __init__(self, first: int, most: int) -> None:
        self.amount, self._most = first, most
        self._asked = first
        self._speed = 0.0  # units a second; 0: not known
        self._watch = Stopwatch()

    def begin(self, left: float | None = None) -> int:
        """A call begins now; returns its amount of work. ``left``: seconds until it should be over; None: any."""
        self._asked = self.amount
        if left is not None and self._speed:
            self._asked = max(1, int(min(self.amount, self._speed * left / 2)))
        self._watch = Stopwatch()
        return self._asked

    def done(self, units: int | None = None) -> None:
        """The call that ``begin`` announced is over; it has done so many units, by default all."""
        seconds = self._watch.seconds
        units = self._asked if units is None else units
        if units > 0 and seconds > 0:
            speed = units / seconds
            # it falls at once and rises slowly: the next call may be as slow as this one
            self._speed = min(speed, (self._speed + speed) / 2) if self._speed else speed
        if units < self._asked:
            return
        if seconds > BREATH:
            self.amount = max(1, self._asked // 4)
        elif self._asked == self.amount:
            self.amount = min(self._most, 4 * self.amount)


def share_of_clock(left: float, increment: float) -> float:
    """Seconds to take for a move, of ``left`` for the rest of the game and ``increment`` more after each move: as if
    thirty moves were to come, and never more than half."""
    return min(left / 2, left / 30 + 0.8 * increment)


class Clocked:
    """An agent that takes ``time`` for each move: seconds, or a share of what the clock of the game leaves; None
    without a limit, or until ``clock`` has been called."""

    name: str

    def _take_time(self, time: float | str | None) -> None:
        """``time`` may be "clock": ``clock`` then says how much there is."""
        self._by_clock = time == CLOCK
        self.time: float | None = None if isinstance(time, str) and self._by_clock else time  # type: ignore[assignment]

    def _forget_time(self) -> None:
        if self._by_clock:
            self.time = None

    def _own_time(self) -> float | None:
        """Raises ValueError if it plays by a clock, and was told none."""
        if self._by_clock and self.time is None:
            raise ValueError(f"{self.name} plays where a clock runs, and was told none: {TELL}")
        return self.time

    def clock(self, left: float, increment: float = 0.0) -> None:
        """Before ``act``: the seconds left for the rest of the game, and those added after each move, which fix the
        time with ``time=clock`` (``share_of_clock``). ValueError if they are no seconds."""
        for name, value in (("left", left), ("increment", increment)):
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
                raise ValueError(f"{name} must be a number of seconds, 0 or more, not {value!r}")
        if self._by_clock:
            self.time = max(share_of_clock(left, increment), SHORTEST)
