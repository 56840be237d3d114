"""Searches in several threads: helpers that fill the table that all share, and do nothing else (lazy SMP); and the
value of a game, proven by searches to its end with null windows that close in on it from both sides."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from agents.search import stack as S
from agents.search.limits import LONGEST
from mancala_env.kernels.jit import Stopwatch
from mancala_env.rules import Ruleset
from mancala_env.state import State

if TYPE_CHECKING:
    from agents.search.searcher import Found, Searcher

STEP = 4  # half seeds between two possible final margins of a game with an even number of seeds
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


@contextmanager
def at_work(
    searcher: "Searcher", number: int, begin: Callable[["Searcher"], Any], deepest: int, limit: int, race: Race
) -> Iterator[list[Helper]]:
    """While a position is searched, have ``number`` helpers search it, too; nobody waits for them at the end."""
    searcher.helpers = [helper for helper in searcher.helpers if not helper.busy]
    while len(searcher.helpers) < number:
        searcher.helpers.append(Helper(searcher.partner()))
    try:
        for k, helper in enumerate(searcher.helpers[:number], 1):
            helper.start(begin, deepest, limit, race, searcher.generation, k % 2)
        yield searcher.helpers[:number]
    finally:
        race.over = True


def solved_at_once(rules: Ruleset) -> bool:
    """Whether no position can come back and no rule counts plies, so that one search to the end gives the value."""
    return not rules.repetition and not rules.max_plies


class Bounds:
    """The bounds of a value that is being proven, perhaps by two threads, in half seeds."""

    def __init__(self, limit: int, stop: Callable[[], bool] | None) -> None:
        self.low, self.high = -S.INFINITY, S.INFINITY
        self.found: Found | None = None
        self.given_up = False
        self.limit = limit  # maximum nodes of a thread
        self._guess = 0
        self._stop = stop
        self._tried: dict[Any, int] = {}
        self._lock = Lock()

    def take(self, thread: Any) -> int | None:
        """The next ``beta`` to test, for each thread another; None if the value is known, or the search given up."""
        with self._lock:
            self._tried.pop(thread, None)
            if self.low >= self.high or self.given_up:
                return None
            first = min(max(self._guess, self.low + 1), self.high)
            wanted = (first, first + STEP, first - STEP, first + 2 * STEP)
            others = self._tried.values()
            free = [x for x in wanted if self.low < x <= self.high and all(abs(x - other) >= STEP for other in others)]
            self._tried[thread] = free[0] if free else first
            return self._tried[thread]

    def settled(self, beta: int) -> bool:
        """Is the test of ``beta`` no longer needed?"""
        return self.given_up or not self.low < beta <= self.high

    def pressed(self, beta: int) -> bool:
        """Should a thread that tests ``beta`` stop?"""
        return self.settled(beta) or (self._stop is not None and self._stop())

    def narrow(self, value: int, found: "Found | None") -> None:
        """Take in a proof: the value is at least that of ``found``, or if nothing was found at most ``value``."""
        with self._lock:
            self._guess = value
            if found is None:
                self.high = min(self.high, value)
            elif value > self.low:
                self.low, self.found = value, found


def close_in(searcher: "Searcher", state: State, bounds: Bounds, watch: Stopwatch) -> None:
    """One thread's part of a proof by MTD(f), null windows (A. Plaat et al., Artificial Intelligence 87, 1996)."""
    control = searcher.begin(state, LONGEST, False, False)
    control[S.DEPTH], control[S.GENERATION] = S.ENDLESS, 0  # no entry is older than another
    control[S.FEATURES] &= ~(S.KILLERS | S.SUCCESSES | S.SCOUTS)
    while (beta := bounds.take(searcher)) is not None:
        if searcher.run(control, bounds.limit, partial(bounds.pressed, beta), (beta - 1, beta)):
            value = searcher.best
            # only a proof from below proves a move: where all fail, the one that fails least need not be best
            found = searcher.found(state, control, watch, False, False) if value >= beta else None
            bounds.narrow(value, found and replace(found, values={found.actions[0]: found.value}))
        elif not bounds.settled(beta):
            bounds.given_up = True
