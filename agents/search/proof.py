"""The value of a game, proven by searches to its end with null windows that close in on it from both sides."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Any

from agents.search import stack as S
from agents.search.limits import LONGEST, check_limit
from agents.search.searcher import PLENTY, Found, Searcher
from mancala_env.kernels.jit import Stopwatch
from mancala_env.rules import Ruleset
from mancala_env.state import State

STEP = 4  # half seeds between two possible final margins of a game with an even number of seeds


def solved_at_once(rules: Ruleset) -> bool:
    """Whether no position can come back and no rule counts plies, so that one search to the end gives the value."""
    return not rules.repetition and not rules.max_plies


def prove(
    searcher: Searcher,
    state: State,
    *,
    nodes: int | None = None,
    stop: Callable[[], bool] | None = None,
    helper: Searcher | None = None,
) -> Found | None:
    """The value of the game from here and one best action, by searches to the end; None if a limit was met.

    ``nodes`` limits the positions made; ``stop``, called repeatedly and perhaps by two threads, ends the search by
    True. ``helper``, a ``partner`` of the searcher, proves the upper bound in another thread. NotSolved if a line is
    longer than 1,000 plies; ValueError if positions can come back or plies are counted (then ``search`` until it says
    ``exact``), or an argument is impossible."""
    rules = searcher.rules
    if state.is_over:
        raise ValueError(f"there is nothing to solve: the game is over in {state}")
    if searcher.learned is not None:
        raise ValueError("a search to the end needs no evaluation: prove by Searcher(rules)")
    if not solved_at_once(rules):
        raise ValueError(
            f"{rules.name}: positions can come back or plies are counted, so that values depend on what was played "
            f"before; only games without repetition are solved by one search"
        )
    if helper is not None and not searcher.is_partner(helper):
        raise ValueError("a helper must be a partner() of this searcher")
    check_limit("nodes", nodes)
    limit = PLENTY if nodes is None else -(-nodes // 2) if helper else nodes
    watch, searchers = Stopwatch(), [searcher, *([helper] if helper else [])]
    before = sum(each.made for each in searchers)
    bounds = Bounds(limit, stop)
    with ThreadPoolExecutor(1) as pool:
        try:
            task = pool.submit(close_in, helper, state, bounds, watch) if helper else None
            close_in(searcher, state, bounds, watch)
            if task is not None:
                task.result()
        finally:
            bounds.given_up = True
    if bounds.low < bounds.high or bounds.found is None:
        return None
    made = sum(each.made for each in searchers) - before
    return replace(bounds.found, nodes=made, seconds=watch.seconds)


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

    def narrow(self, value: int, found: Found | None) -> None:
        """Take in a proof: the value is at least that of ``found``, or if nothing was found at most ``value``."""
        with self._lock:
            self._guess = value
            if found is None:
                self.high = min(self.high, value)
            elif value > self.low:
                self.low, self.found = value, found


def close_in(searcher: Searcher, state: State, bounds: Bounds, watch: Stopwatch) -> None:
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
