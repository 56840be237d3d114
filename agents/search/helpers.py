"""Threads that help a search by the transposition table that all share, and by nothing else (lazy SMP)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Thread

from agents.search import kernel
from agents.search.fixed_depth import FixedDepth
from mancala_env.state import State

SHORT = 0.004  # seconds that a helper is given at a time: it takes half of them, and then sees that the search is over


class Race:
    """What the threads of one search know of each other.

    Attributes
    ----------
    depth : int
        The depth that the thread whose result counts has reached.
    over : bool
        Its search has ended.
    left : callable
        Seconds until it should end.
    """

    def __init__(self, left: Callable[[], float]) -> None:
        self.depth, self.over = 1, False
        self.left = left

    def helper_left(self) -> float:
        """Seconds that a helper may take before it looks up again."""
        return min(SHORT, self.left())

    def passed(self, depth: int) -> bool:
        """Is a search to this depth no longer of use?"""
        return self.over or self.depth > depth


class Helper:
    """One thread that helps, and what it searches with, kept from one search to the next."""

    def __init__(self, searcher: FixedDepth) -> None:
        self.searcher = searcher
        self.busy = False
        self._before = 0

    @property
    def made(self) -> int:
        """Positions made in this search."""
        return self.searcher.made - self._before

    def start(
        self, state: State, deepest: int, every: bool, ties: bool, limit: int, race: Race, generation: int, further: int
    ) -> None:
        """Search a position in a thread, ``further`` plies deeper than the thread whose result counts."""
        self._before, self.busy = self.searcher.made, True
        self.searcher.generation = generation - 1  # of the same search: no entry is older than another
        Thread(target=self._assist, args=(state, deepest, every, ties, limit, race, further)).start()

    def _assist(
        self, state: State, deepest: int, every: bool, ties: bool, limit: int, race: Race, further: int
    ) -> None:
        """Search deeper and deeper, for the table's sake, until the race is over.

        More than ``further`` plies deeper where this thread is faster.
        """
        try:
            control = self.searcher.begin(state, deepest, every, ties)
            ahead = 0
            while not race.over and control[kernel.NODES] < limit:
                ahead = max(ahead + 1, race.depth + further)
                if ahead > deepest:
                    break
                control[kernel.DEPTH] = ahead
                if not self.searcher.run(control, limit, partial(race.passed, ahead), left=race.helper_left):
                    ahead = 0
                elif self.searcher.complete:
                    break
        finally:
            self.busy = False


class Helpers:
    """The helpers of one searcher."""

    def __init__(self, searcher: FixedDepth) -> None:
        self._searcher = searcher
        self.all: list[Helper] = []

    @contextmanager
    def at_work(
        self, number: int, state: State, deepest: int, every: bool, ties: bool, limit: int, race: Race
    ) -> Iterator[list[Helper]]:
        """While the searcher searches a position to ``deepest`` plies, a number of helpers do so too.

        ``every`` and ``ties`` as in ``Searcher.search``; ``limit`` is the maximum number of positions that each makes.

        Nobody waits for them at the end: where the machine is busy they may see late that it is over. One that still
        runs when the next search begins is replaced.
        """
        self.all = [helper for helper in self.all if not helper.busy]
        while len(self.all) < number:
            self.all.append(Helper(self._searcher.partner()))
        chosen = self.all[:number]
        try:
            for k, helper in enumerate(chosen, 1):
                helper.start(state, deepest, every, ties, limit, race, self._searcher.generation, k % 2)
            yield chosen
        finally:
            race.over = True
