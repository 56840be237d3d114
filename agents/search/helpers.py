"""Threads that help a search by the transposition table that all share, and by nothing else (lazy SMP)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any

from agents.search import stack as S

if TYPE_CHECKING:
    from agents.search.searcher import Searcher

SHORT = 0.004  # seconds that a helper is given at a time: it takes half of them, and then sees that the search is over


class Race:
    """What the threads of a search share: the ``depth`` of the one that counts, is it ``over``, seconds ``left``."""

    def __init__(self, left: Callable[[], float]) -> None:
        self.depth, self.over = 1, False
        self.left = left

    def passed(self, depth: int) -> bool:
        """Is a search to this depth no longer of use?"""
        return self.over or self.depth > depth


class Helper:
    """One thread that helps, and what it searches with, kept from one search to the next."""

    def __init__(self, searcher: "Searcher") -> None:
        self.searcher = searcher
        self.busy = False
        self._before = 0

    @property
    def made(self) -> int:
        """Positions made in this search."""
        return self.searcher.made - self._before

    def start(self, *arguments: Any) -> None:
        """``_assist`` in a thread."""
        self._before, self.busy = self.searcher.made, True
        Thread(target=self._assist, args=arguments).start()

    def _assist(
        self, begin: Callable[["Searcher"], Any], deepest: int, limit: int, race: Race, generation: int, further: int
    ) -> None:
        """Search, for the table's sake, until the race is over, ``further`` plies or more ahead of what counts."""
        try:
            self.searcher.generation = generation - 1  # of the same search: no entry is older than another
            control = begin(self.searcher)
            ahead = 0
            while not race.over and control[S.NODES] < limit:
                ahead = max(ahead + 1, race.depth + further)
                if ahead > deepest:
                    break
                control[S.DEPTH] = ahead
                passed = partial(race.passed, ahead)
                if not self.searcher.run(control, limit, passed, left=lambda: min(SHORT, race.left())):
                    ahead = 0
                elif self.searcher.complete:
                    break
        finally:
            self.busy = False


class Helpers:
    """The helpers of one searcher."""

    def __init__(self, searcher: "Searcher") -> None:
        self._searcher = searcher
        self.all: list[Helper] = []

    @contextmanager
    def at_work(
        self, number: int, begin: Callable[["Searcher"], Any], deepest: int, limit: int, race: Race
    ) -> Iterator[list[Helper]]:
        """While a position is searched, have ``number`` helpers search it, too; nobody waits for them at the end."""
        self.all = [helper for helper in self.all if not helper.busy]
        while len(self.all) < number:
            self.all.append(Helper(self._searcher.partner()))
        try:
            for k, helper in enumerate(self.all[:number], 1):
                helper.start(begin, deepest, limit, race, self._searcher.generation, k % 2)
            yield self.all[:number]
        finally:
            race.over = True
