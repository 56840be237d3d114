"""Iterative deepening over the compiled search: limits, results, and stopping."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.batched.arguments import checked
from agents.pace import MARGIN, Pace
from agents.processes import usable_cores
from agents.search import kernel
from agents.search.evaluation import Evaluation
from agents.search.learned import SURE
from agents.tablebase.probe import NO_TABLE, Probe
from mancala_env.games import ruleset as named
from mancala_env.kernels import layout
from mancala_env.kernels.jit import Stopwatch
from mancala_env.rules import Goal, Ruleset
from mancala_env.rules.plain import called
from mancala_env.state import State

MAX_DEPTH = 64
LONGEST = 1000  # maximum plies of a search to the end of the game
STEP = 4  # half seeds between two possible final margins of a game with an even number of seeds
SLICE = 50_000  # maximum nodes between two looks at the clock, and between two chances to interrupt
PLENTY = 1 << 62
MAX_THREADS = 256
SHORT = 0.004  # seconds that a partner is given at a time: it takes half of them, and then sees that the search is over
AT_ONCE = 6  # plies up to which a search does not deepen, and uses ``SHALLOW`` features: more do not pay there
SHALLOW = kernel.GAINS | kernel.REACHES
# With a learned evaluation, moves of this rank and below (0: the best by their static values) are searched a ply, or
# two, less deep. The rank does not depend on the window or the table, so neither does the value of a position: what is
# searched less deep is always so, and never searched again.
REDUCED, REDUCED_TWICE = 2, 4
MANY = 1 << 20  # of many positions, one call searches MANY / 4**depth


@dataclass(frozen=True)
class Found:
    """The result of a search.

    Attributes
    ----------
    value : float
        Of the position for its mover: with a learned evaluation the margin that may be expected, in seeds, or, in
        games that are not about seeds, the chance to win minus that to lose; else the margin (``kernel.margin``).
    actions : tuple of int
        The best actions: all of them, or one with ``ties=False``.
    values : dict
        The values of the actions whose value is known exactly: all actions with ``every=True``.
    line : tuple of int
        Principal variation: the best moves of both players. It may stop early where the rest came from the table.
    depth : int
        Plies looked ahead, in the deepest search that was completed. One a ply deeper that a limit ended counts where
        it had found a better move than the best one before: the value, the action and the line are then its own.
    nodes : int
        Positions made, by all threads.
    seconds : float
    exact : bool
        No line was cut off by the depth: this is the value of the game.
    """

    value: float
    actions: tuple[int, ...]
    values: dict[int, float]
    line: tuple[int, ...]
    depth: int
    nodes: int
    seconds: float
    exact: bool


class NotSolved(ValueError):
    """A position was not solved within the limits."""


class _Bounds:
    """The bounds of a value that is being proven, perhaps by two threads, in half seeds."""

    def __init__(self, guess: int, limit: int, stop: Callable[[], bool] | None) -> None:
        self.low, self.high = -kernel.INFINITY, kernel.INFINITY
        self.found: Found | None = None
        self.given_up = False
        self.limit = limit  # maximum nodes of a thread
        self._guess = guess
        self._stop = stop
        self._tried: dict[Any, int] = {}
        self._lock = Lock()

    def take(self, thread: Any) -> int | None:
        """The next ``beta`` to test: is the value at least that? None if the value is known, or the search given up.

        Two threads test different values where at least two are left.
        """
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


class _Race:
    """What the threads of one search know of each other.

    Attributes
    ----------
    depth : int
        The depth that the thread whose result counts has reached.
    over : bool
        Its search has ended.
    left : callable
        Seconds until it should end.
    made : int
        Positions made by the others.
    """

    def __init__(self, left: Callable[[], float]) -> None:
        self.depth, self.over, self.made = 1, False, 0
        self.left = left
        self._lock = Lock()

    def partner_left(self) -> float:
        """Seconds that a partner may take before it looks up again."""
        return min(SHORT, self.left())

    def passed(self, depth: int) -> bool:
        """Is a search to this depth no longer of use?"""
        return self.over or self.depth > depth

    def add(self, nodes: int) -> None:
        """A partner has made so many positions."""
        with self._lock:
            self.made += nodes


class Searcher:
    """Searches positions of one ruleset, and keeps its transposition table from one search to the next.

    Parameters
    ----------
    rules : Ruleset or name of one
    memory : int
        Megabytes of the transposition table; 0: no table. Shallow searches make do with less.
    features : int
        A sum of ``kernel.TABLE`` and the other features, to measure the effect of each. Values do not depend on it,
        but for ``kernel.REDUCTIONS``, which only searches with a learned evaluation, deeper than 6 plies, have.
    evaluate : Evaluation or function, optional
        Instead of ``kernel.margin``: a learned evaluation of these rules, or a function for Numba of (position
        int16[W], axes, tables) to the value for South
        in half seeds, well below ``kernel.WIN``; it must recognise finished games
        by the position. Compiled anew in each process.
    tables : Probe
        Endgame tables of the same rules (``agents.tablebase.probe.load``): positions whose value they know are not
        searched, and others get no value outside of their bounds, which end the search of those that the bounds decide.
        The moves since the last capture are then ignored, as ``agents.tablebase.Tablebase`` explains.
    threads : int
        That ``search`` uses to look more than 6 plies ahead, with a table; 0: as many as there are cores. All but one
        search the same position, some of them a ply deeper, only for what they leave in the table (lazy SMP), so values
        and best actions do not depend on them.

    Attributes
    ----------
    made : int
        Positions made in all searches.

    Raises
    ------
    ValueError
        For an impossible ``memory`` or ``threads``, for ``tables`` or an evaluation of other rules, or for a function
        combined with ``tables``.

    Notes
    -----
    A Searcher is for one thread at a time; ``partner`` makes one for another thread. Entries differ by 63 bits:
    that one of 10^10 looked up belongs to another position has a chance of about 10^-9.
    """

    def __init__(
        self,
        rules: Ruleset | str,
        memory: int = 16,
        features: int = kernel.ALL_FEATURES,
        evaluate: Callable[..., int] | Evaluation | None = None,
        tables: Probe = NO_TABLE,
        threads: int = 1,
    ) -> None:
        check_memory(memory)
        self._threads = checked_threads(threads, memory)
        self._partners: list[Searcher] = []
        self.rules = rules = named(rules)
        self._tables = tables
        if not tables.fits(rules):
            raise ValueError(f"these endgame tables are not of the rules of {rules.name}, with {rules.board.pits} pits")
        learned = evaluate if isinstance(evaluate, Evaluation) else None
        function = None if isinstance(evaluate, Evaluation) else evaluate
        if learned is not None and learned.rules != rules:
            raise ValueError(f"this evaluation is of {called(learned.rules)}, and does not fit {called(rules)}")
        if function is not None and tables is not NO_TABLE:
            raise ValueError("endgame tables hold margins, and evaluate may count something else: give only one")
        if function is not None or rules.goal is not Goal.SEEDS:
            features &= ~kernel.REACHES
        self._features = features if memory else features & ~(kernel.TABLE | kernel.CHILD_PROBES)
        self._max_entries = 1 << max(1, (memory << 20) // 16).bit_length() - 1 if memory else 2
        self._function = function
        self._own_margin = function is None
        if function is not None:
            _with_evaluation(function)
        self._learned = learned
        self._weights = None if learned is None else learned.weights()
        self._scale = 2 * (1 if learned is None else learned.unit)  # of the numbers of the kernel to seeds
        self._history: Any = None
        self._actions = self.rules.num_actions
        self._names: Any = np.empty(0, dtype=np.uint64)
        self._table: Any = np.empty(0, dtype=np.int64)
        self._allocate(2)
        self._deepest = 0
        self._generation = 0
        self._pace = Pace(64, SLICE)
        self.made = 0
        self._successes: Any = np.zeros((2, self._actions), dtype=np.int64)
        self._room(4)

    @property
    def _kernel(self) -> Any:
        """The compiled search. Not kept, so that copies of a searcher do not copy it."""
        return kernel.search if self._function is None else _with_evaluation(self._function)

    def partner(self) -> "Searcher":
        """A Searcher for another thread that shares this one's transposition table."""
        self._allocate(self._max_entries)  # so that neither replaces it with a table of another size
        other = copy(self)
        other._successes = np.zeros_like(self._successes)
        other._deepest, other.made, other._pace = 0, 0, Pace(64, SLICE)
        other._threads, other._partners = 1, []
        other._weights = None if self._learned is None else self._learned.weights()
        other._room(4)
        return other

    def forget(self) -> None:
        """Drop the table and the statistics of moves: the next search is like the first. Partners keep theirs."""
        self._partners = []
        self._names = self._names[:0]
        self._allocate(2)
        self._successes[:] = 0
        self._killers[:] = -1
        self._generation = 0

    def search(
        self,
        state: State,
        depth: int | None = None,
        nodes: int | None = None,
        seconds: float | None = None,
        *,
        ties: bool = True,
        every: bool = False,
        stop: Callable[[], bool] | None = None,
        progress: Callable[[Found], None] | None = None,
    ) -> Found:
        """Look ahead from a position, deeper and deeper, until a limit is met or every line reaches the game's end.

        Parameters
        ----------
        depth : int
            Plies, at most 64; a move that earns an extra turn is one ply.
        nodes, seconds : limits
            Maximum number of positions made, of which each thread gets the same share, and maximum seconds; at least
            one ply is searched in any case. Without ``seconds`` a search in one thread is deterministic (given the same
            searches before it, since the last ``forget``).
        ties : bool
            Find all best actions, not only one of them.
        every : bool
            Find the value of every action.
        stop : called repeatedly; True ends the search as a limit does
        progress : called with the result of every completed depth

        Raises
        ------
        ValueError
            If the game is over, there is no limit at all, or a limit is impossible.
        """
        if state.is_over:
            raise ValueError(f"there is nothing to search: the game is over in {state}")
        if depth is not None:
            check_depth(depth, 1)
        check_limit("nodes", nodes)
        check_limit("seconds", seconds)
        if depth is None and nodes is None and seconds is None and stop is None:
            raise ValueError("a search needs a limit: depth, nodes or seconds")
        watch = Stopwatch()
        control = self._begin(state, depth or MAX_DEPTH, every, ties)
        deepest = depth or MAX_DEPTH
        threads = self._threads if deepest > AT_ONCE else 1
        limit = PLENTY if nodes is None else -(-nodes // threads)
        limited = nodes is not None or seconds is not None or stop is not None
        race = _Race(partial(_left, watch, seconds))
        race.depth = control[kernel.DEPTH] = 1 if limited else self._first_depth(deepest)
        self._run(control, PLENTY, None)
        found = self._found(state, control, watch, every, ties)
        if progress is not None:
            progress(found)

        def ended() -> bool:
            if race.depth == deepest or found.exact or control[kernel.NODES] >= limit:
                return True
            return race.left() <= MARGIN or (stop is not None and stop())

        with self._assisted(state, deepest, every, ties, limit, race, threads - 1):  # whose kernel is now compiled
            while not ended():
                race.depth += 1
                control[kernel.DEPTH] = race.depth
                self._values[:] = -kernel.INFINITY
                if not self._run(control, limit, stop, left=race.left):
                    found = found if every else self._improved(found, state, control, watch, ties)
                    break
                found = self._found(state, control, watch, every, ties)
                if progress is not None:
                    progress(found)
        self.made += race.made
        return replace(found, nodes=int(control[kernel.NODES]) + race.made, seconds=watch.seconds)

    @contextmanager
    def _assisted(
        self, state: State, deepest: int, every: bool, ties: bool, limit: int, race: _Race, number: int
    ) -> Iterator[None]:
        """While this searches a position, a number of partners do so too."""
        if number == 0:
            yield
            return
        with ThreadPoolExecutor(number) as pool:
            try:
                tasks = [
                    pool.submit(partner._assist, state, deepest, every, ties, limit, race, k % 2)
                    for k, partner in enumerate(self._gathered(number), 1)
                ]
                yield
            finally:
                race.over = True
        for task in tasks:
            task.result()

    def _gathered(self, number: int) -> "list[Searcher]":
        """Partners for a search, made once."""
        while len(self._partners) < number:
            self._partners.append(self.partner())
        for partner in self._partners[:number]:
            partner._generation = self._generation - 1  # of the same search: no entry is older than another
        return self._partners[:number]

    def _assist(
        self, state: State, deepest: int, every: bool, ties: bool, limit: int, race: _Race, further: int
    ) -> None:
        """Search a position deeper and deeper, for the table's sake, until the race is over.

        ``further`` plies deeper than the thread whose result counts, or more where this one is faster.
        """
        control = self._begin(state, deepest, every, ties)
        before = self.made
        ahead = 0
        while not race.over and control[kernel.NODES] < limit:
            ahead = max(ahead + 1, race.depth + further)
            if ahead > deepest:
                break
            control[kernel.DEPTH] = ahead
            if not self._run(control, limit, partial(race.passed, ahead), left=race.partner_left):
                ahead = 0
            elif not self._frames[0, kernel.CUT]:
                break
        race.add(self.made - before)

    def _improved(self, found: Found, state: State, control: Any, watch: Stopwatch, ties: bool) -> Found:
        """What is known after a search one ply deeper than ``found`` was ended by a limit.

        It tries the best move first. If that is done, and a better one was found, then that one is played.
        """
        best = int(self._frames[0, kernel.BEST])
        before = self._values[self._first]
        if before == -kernel.INFINITY or best <= before:
            return found
        better = self._found(state, control, watch, False, ties)
        return replace(better, depth=found.depth, exact=False)

    def best_of_each(
        self,
        games: npt.NDArray[np.int64],
        positions: npt.NDArray[np.int16],
        masks: npt.NDArray[np.bool_],
        history: npt.NDArray[np.uint64],
        streams: npt.NDArray[np.uint64],
        depth: int,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """In each of ``games`` one of the best actions, as ``search`` finds them, drawn with ``streams``; and values.

        Arguments as those of ``agents.batched.BatchedAgent.act_positions``. Not with a function as evaluation.

        Returns
        -------
        actions : int64[m]
        values : float64[m]
            Of the positions, for their movers (``Found.value``).

        Raises
        ------
        ValueError
            If an argument is not as described there.
        """
        check_depth(depth, 1)
        games, positions, masks, history = checked(self.rules, games, positions, masks, history, streams)
        out, values = np.empty((2, len(games)), dtype=np.int64)
        first = self._first_depth(depth)
        control = self._prepare(depth, kernel.ROOT_TIES)
        some = max(1, MANY >> 2 * depth)  # positions in one call of a kernel, which cannot be interrupted
        for begin in range(0, len(games), some):
            part = slice(begin, begin + some)
            most = int(positions[games[part], self.rules.board.pits + layout.PLIES_SINCE_CAPTURE].max(initial=0)) + 1
            self._history = np.empty(most + depth + 4, dtype=np.uint64)
            kernel.best_of_each(
                games[part], positions, masks, history, streams[part], out[part], values[part], depth, first,
                np.empty(self._actions, dtype=np.bool_), control, self._frames, self._arrays, self._masks,
                self._children, self._keys, self._history, self._names, self._table, self._killers, self._successes,
                self._line, self._values, self._tables.values, self._weights, *self.rules.one_game,
            )  # fmt: skip
        self._generation = int(control[kernel.GENERATION])
        return out, self._told(values)

    def solve(
        self,
        state: State,
        *,
        guess: float = 0.0,
        nodes: int | None = None,
        stop: Callable[[], bool] | None = None,
        helper: "Searcher | None" = None,
    ) -> Found | None:
        """The value of the game from here and one best action, by searches to the end; None if a limit was met.

        Parameters
        ----------
        guess : float
            An estimate of the value, in seeds; the closer, the faster.
        nodes : int, optional
            Maximum number of positions made before giving up. Two threads get half of them each.
        stop : called repeatedly, perhaps by two threads; True ends the search
        helper : Searcher, optional
            A ``partner`` of this one: it proves in another thread that the value is no higher, while this proves that
            it is no lower.

        Raises
        ------
        NotSolved
            If a line of play is longer than 1,000 plies.
        ValueError
            If positions can come back or plies are counted (then ``search`` until it says ``exact``), if the game is
            over, a limit is impossible, or ``helper`` no partner.
        """
        if state.is_over:
            raise ValueError(f"there is nothing to solve: the game is over in {state}")
        if self._learned is not None:
            raise ValueError("a search to the end needs no evaluation: solve with Searcher(rules)")
        if not self._own_margin or not solved_at_once(self.rules):
            raise ValueError(
                f"{self.rules.name}: positions can come back or plies are counted, so that values depend on what was "
                f"played before; only games without repetition are solved by one search"
            )
        if helper is not None and (helper is self or helper._table is not self._table):
            raise ValueError("a helper must be a partner() of this searcher")
        check_limit("nodes", nodes)
        watch = Stopwatch()
        before = self.made + (helper.made if helper else 0)
        limit = PLENTY if nodes is None else -(-nodes // 2) if helper else nodes
        bounds = _Bounds(round(2 * guess), limit, stop)
        with ThreadPoolExecutor(1) as pool:
            try:
                task = pool.submit(helper._prove, state, bounds, watch) if helper else None
                self._prove(state, bounds, watch)
                if task is not None:
                    task.result()
            finally:
                bounds.given_up = True
        if bounds.low < bounds.high:
            return None
        assert bounds.found is not None
        made = self.made + (helper.made if helper else 0) - before
        return replace(bounds.found, nodes=made, seconds=watch.seconds)

    def _prove(self, state: State, bounds: _Bounds, watch: Stopwatch) -> None:
        """MTD(f): null windows close in on the value."""
        control = self._begin(state, LONGEST, False, False)
        control[kernel.DEPTH], control[kernel.GENERATION] = kernel.ENDLESS, 0  # no entry is older than another
        while (beta := bounds.take(self)) is not None:
            if self._run(control, bounds.limit, partial(bounds.pressed, beta), (beta - 1, beta)):
                value = int(self._frames[0, kernel.BEST])
                # only a proof from below proves a move: where all fail, the one that fails least need not be best
                found = self._found(state, control, watch, False, False) if value >= beta else None
                bounds.narrow(value, found and replace(found, values={found.actions[0]: found.value}))
            elif not bounds.settled(beta):
                bounds.given_up = True

    def _allocate(self, entries: int) -> None:
        """Allocate a table of this number of entries; the entries of a smaller one are lost."""
        if len(self._names) < entries:
            both = np.zeros((entries, 2), dtype=np.uint64)  # the two parts of an entry lie side by side in memory
            self._names, self._table = both[:, 0], both.view(np.int64)[:, 1]

    def _room(self, depth: int) -> None:
        """Allocate a stack for ``depth`` plies."""
        if depth <= self._deepest:
            return
        actions, width = self._actions, self.rules.fields["width"]
        levels = depth + 2
        self._frames: Any = np.zeros((levels, kernel.FRAME), dtype=np.int64)
        self._arrays: Any = np.zeros((levels, actions, width), dtype=np.int16)
        self._masks: Any = np.zeros((levels, actions, actions), dtype=np.bool_)
        self._children: Any = np.zeros((levels, actions, kernel.CHILD), dtype=np.int64)
        self._keys: Any = np.zeros((levels, actions), dtype=np.uint64)
        self._killers: Any = np.full((levels, 2), -1, dtype=np.int64)
        self._line: Any = np.zeros((levels, levels), dtype=np.int16)
        self._deepest = depth

    def _begin(self, state: State, depth: int, every: bool, ties: bool) -> Any:
        """Set the stack up for a position. Returns the control array."""
        if state.rules is not self.rules and state.rules != self.rules:
            raise ValueError(f"this searches {self.rules.name!r}, not {state}")
        control = self._prepare(depth, kernel.ROOT_ALL if every else kernel.ROOT_TIES if ties else kernel.ROOT_BEST)
        known = state.history
        self._history = np.empty(len(known) + depth + 4, dtype=np.uint64)
        self._history[: len(known)] = known
        self._arrays[0, 0], self._masks[0, 0] = state.array, state.legal_mask
        self._children[0, 0] = 0
        self._keys[0, 0] = kernel.root_key(self._arrays[0, 0], control[kernel.RELATIVE] != 0, *self.rules.one_game[1:3])
        self._frames[0] = 0
        self._frames[0, kernel.BEST_ACTION] = kernel.NO_MOVE
        return control

    def _prepare(self, depth: int, root: int) -> Any:
        """Prepare a search to a depth. Returns its control array."""
        self._room(depth)
        if depth > AT_ONCE:
            positions = 4 * min(self._actions, 6) ** min(depth, 20)
            self._allocate(min(self._max_entries, 1 << max(1, positions.bit_length())))
        self._values: Any = np.full(self._actions, -kernel.INFINITY, dtype=np.int64)
        self._generation += 1
        control: Any = np.zeros(kernel.CONTROL, dtype=np.int64)
        control[kernel.ROOT] = root
        control[kernel.FEATURES] = self._features & SHALLOW if depth <= AT_ONCE else self._features
        control[kernel.COVERED] = self._tables.most
        if self._learned is not None and self._features & kernel.REDUCTIONS and depth > AT_ONCE:
            control[kernel.REDUCED], control[kernel.REDUCED_TWICE] = REDUCED, REDUCED_TWICE
        control[kernel.GENERATION] = self._generation
        control[kernel.RELATIVE] = self._own_margin and kernel.stores_do_not_matter(self.rules.one_game.axes)
        return control

    @staticmethod
    def _first_depth(depth: int) -> int:
        """The first depth of a search with a limit of depth only."""
        return 1 if depth > AT_ONCE else depth

    def _run(
        self,
        control: Any,
        limit: int,
        pressed: Callable[[], bool] | None,
        window: tuple[int, int] = (-kernel.INFINITY, kernel.INFINITY),
        left: Callable[[], float] | None = None,
    ) -> bool:
        """One search to the depth that ``control`` says. False if a limit ended it, or the time that is ``left``.

        It tries the best move of the search before first.
        """
        control[kernel.LEVEL], control[kernel.ENTERING] = 0, 1
        self._first = int(self._frames[0, kernel.BEST_ACTION])
        self._frames[0, kernel.ALPHA], self._frames[0, kernel.BETA] = window
        while True:
            before = int(control[kernel.NODES])
            some = self._pace.begin(None if left is None else left())  # so that Ctrl-C is noticed, and the clock
            control[kernel.PAUSE] = min(limit, before + some)
            self._kernel(
                control, self._frames, self._arrays, self._masks, self._children, self._keys, self._history,
                self._names, self._table, self._killers, self._successes, self._line, self._values,
                self._tables.values, self._weights, *self.rules.one_game,
            )  # fmt: skip
            made = int(control[kernel.NODES]) - before
            self.made += made
            self._pace.done(made)
            status = control[kernel.STATUS]
            if status == kernel.FINISHED:
                return True
            if status == kernel.TOO_DEEP:
                raise NotSolved(f"{self.rules.name}: a line of play is longer than {LONGEST} plies")
            if control[kernel.NODES] >= limit or (pressed is not None and pressed()):
                return False
            if left is not None and left() <= MARGIN:
                return False

    def _told(self, value: Any) -> Any:
        """A value of the kernel as ``Found`` tells it."""
        if self._learned is not None and self.rules.goal is not Goal.SEEDS:
            return np.clip(value / SURE, -1.0, 1.0)
        return value / self._scale

    def _found(self, state: State, control: Any, watch: Stopwatch, every: bool, ties: bool) -> Found:
        frame = self._frames[0]
        best = int(frame[kernel.BEST])
        legal = state.legal_actions
        exact = {k: int(self._values[k]) for k in legal if every or self._values[k] == best}
        first = int(frame[kernel.BEST_ACTION])
        actions = tuple(k for k in legal if self._values[k] == best) if ties or every else (first,)
        line = tuple(int(k) for k in self._line[0, 1 : 1 + self._line[0, 0]])
        return Found(
            value=float(self._told(best)),
            actions=actions,
            values={k: float(self._told(value)) for k, value in exact.items()},
            line=line,
            depth=int(control[kernel.DEPTH]),
            nodes=int(control[kernel.NODES]),
            seconds=watch.seconds,
            exact=not frame[kernel.CUT],
        )


def _left(watch: Stopwatch, seconds: float | None) -> float:
    """What is left of ``seconds``; None: no end."""
    return float("inf") if seconds is None else seconds - watch.seconds


@lru_cache(maxsize=16)
def _with_evaluation(evaluate: Callable[..., int]) -> Any:
    """``kernel.with_evaluation``, once per function: compiling is slow, and every copy of an agent needs it."""
    return kernel.with_evaluation(evaluate)


def check_depth(depth: int, least: int) -> None:
    """Raise ValueError unless ``depth`` is a whole number of plies from ``least`` to 64."""
    if not isinstance(depth, int | np.integer) or isinstance(depth, bool) or not least <= depth <= MAX_DEPTH:
        raise ValueError(f"depth must be a whole number of plies from {least} to {MAX_DEPTH}, not {depth!r}")


def check_memory(memory: int) -> None:
    """Raise ValueError unless ``memory`` is a number of megabytes from 0 to what the machine has."""
    most = 1 << 20
    if hasattr(os, "sysconf"):
        most = min(most, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20)
    if not isinstance(memory, int) or isinstance(memory, bool) or not 0 <= memory <= most:
        raise ValueError(
            f"memory must be a whole number of megabytes from 0 to {most}, what this machine has, not {memory!r}"
        )


def checked_threads(threads: int, memory: int = 1) -> int:
    """The number of threads that ``threads`` asks for: 0 for one a core.

    Raises
    ------
    ValueError
        If it is no whole number from 0 to ``MAX_THREADS``, or there is no table for several threads to share.
    """
    if not isinstance(threads, int) or isinstance(threads, bool) or not 0 <= threads <= MAX_THREADS:
        raise ValueError(
            f"threads must be a whole number from 1 to {MAX_THREADS}, or 0 for one a core, not {threads!r}"
        )
    if threads > 1 and not memory:
        raise ValueError(f"{threads} threads work by the table that they share: give memory, or threads=1")
    return threads or (min(usable_cores(), MAX_THREADS) if memory else 1)


def solved_at_once(rules: Ruleset) -> bool:
    """Whether no position can come back and no rule counts plies, so that one search to the end gives the value."""
    return not rules.repetition and not rules.max_plies


def check_limit(name: str, limit: float | None) -> None:
    """Raise ValueError unless a limit is None or a number above 0; a whole one for ``nodes``."""
    if limit is None:
        return
    whole = name == "nodes"
    if isinstance(limit, bool) or not isinstance(limit, int if whole else int | float) or not limit > 0:
        raise ValueError(f"{name} must be a {'whole number' if whole else 'number'} above 0, not {limit!r}")
