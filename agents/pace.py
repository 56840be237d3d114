"""How much a search asks of a kernel in one call, which no interrupt (Ctrl-C) and no look at the clock gets into."""

from mancala_env.kernels.jit import Stopwatch

BREATH = 0.05  # seconds that a call should not take much longer than


class Pace:
    """An amount of work that grows to ``most`` while calls are quick, and shrinks to 1 where games are slow.

    Turns of tens of thousands of laps take a thousand times as long as others.

    Attributes
    ----------
    amount : int
        What to ask of the next call.
    """

    def __init__(self, first: int, most: int) -> None:
        self.amount, self._most = first, most
        self._watch = Stopwatch()

    def begin(self) -> int:
        """The call begins now; returns how much to ask of it."""
        self._watch = Stopwatch()
        return self.amount

    def done(self) -> None:
        """The call that ``begin`` announced has done all that was asked."""
        slow = self._watch.seconds > BREATH
        self.amount = max(1, self.amount // 4) if slow else min(self._most, 4 * self.amount)
