"""How much work a search gives a kernel in one call, during which neither Ctrl-C nor the clock is noticed."""

from mancala_env.kernels.jit import Stopwatch

BREATH = 0.05  # seconds; a call should not take much longer


class Pace:
    """An amount of work that grows to ``most`` while calls are quick, and shrinks to 1 where games are slow.

    Turns of tens of thousands of laps take a thousand times as long as others.

    Attributes
    ----------
    amount : int
        Units of work (nodes, simulations, positions) for the next call.
    """

    def __init__(self, first: int, most: int) -> None:
        self.amount, self._most = first, most
        self._watch = Stopwatch()

    def begin(self) -> int:
        """A call begins now; returns its amount of work."""
        self._watch = Stopwatch()
        return self.amount

    def done(self) -> None:
        """The call that ``begin`` announced has done all of its work."""
        slow = self._watch.seconds > BREATH
        self.amount = max(1, self.amount // 4) if slow else min(self._most, 4 * self.amount)
