"""The compiled search of the positions of a ruleset: iterative deepening under limits, in one thread or several."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from threading import Thread
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.batched.kernel import Turns
from agents.batched.players import checked
from agents.pace import MARGIN, Pace
from agents.search import kernel, transposition
from agents.search import stack as S
from agents.search.evaluation import Evaluation
from agents.search.learned import SURE
from agents.search.limits import LONGEST, MAX_DEPTH, check_depth, check_limit, check_memory, checked_threads
from agents.tablebase.probe import NO_TABLE, Probe
from mancala_env.games import ruleset as named
from mancala_env.kernels import layout
from mancala_env.kernels.jit import Stopwatch
from mancala_env.rules import Goal, Ruleset
from mancala_env.rules.plain import called
from mancala_env.state import State

PLENTY = 1 << 62
MANY = 1 << 20  # of many positions, one call searches MANY / 4**depth
SHORT = 0.004  # seconds that a helper is given at a time: it takes half of them, and then sees that the search is over
SLICE = 50_000  # maximum nodes between two looks at the clock, and between two chances to interrupt
AT_ONCE = 6  # plies up to which a search does not deepen, and uses ``SHALLOW`` features: more do not pay there
SHALLOW = S.GAINS | S.REACHES
# With a learned evaluation, moves of this rank and below (0: the best by their static values) are searched a ply, or
# two, less deep; and in games about seeds a ply for each time that a static value falls short of the best one by the
# seeds of the game divided by ``FALL`` (Kalah: a seed). Neither depends on the window or the table, so neither does the
# value of a position: what is searched less deep is always so, and never searched again.
REDUCED, REDUCED_TWICE = 2, 4
FALL = 48
MOST = 1 - 1 / SURE  # of a chance that is expected and not certain


@dataclass(frozen=True)
class Found:
    """The result of a search. A chance of 1 or -1 is a win or a loss that the search sees (``actions`` and ``line``
    hold the quickest win, the longest loss); what is only expected stays within ``MOST``.
    """

    # Of the position for its mover: with a learned evaluation the margin that may be expected, in seeds, or, in games
    # that are not about seeds, the chance to win minus that to lose; else the margin (``kernel.margin``).
    value: float
    actions: tuple[int, ...]  # the best ones: all of them, or one with ``ties=False``
    values: dict[int, float]  # of the actions whose value is known exactly: all with ``every=True``
    line: tuple[int, ...]  # principal variation; it may stop early where the rest came from the table
    # Plies looked ahead, in the deepest search that was completed. One a ply deeper that a limit ended counts where it
    # had found a better move than the best one before: the value, the action and the line are then its own.
    depth: int
    nodes: int  # positions made, by all threads
    seconds: float
    exact: bool  # no line was cut off by the depth: this is the value of the game


class NotSolved(ValueError):
    """A position was not solved within the limits."""


class Searcher:
    """Searches positions of one ruleset, and keeps its transposition table from one search to the next.

    It is for one thread at a time; ``partner`` makes one for another. Entries of the table differ by 63 bits: that one
    of 10^10 looked up belongs to another position has a chance of about 10^-9. ``made`` counts the positions made in
    all searches. ValueError for an impossible ``memory`` or ``threads``, or for ``tables`` or an evaluation of other
    rules.

    Parameters
    ----------
    rules : Ruleset or name of one
    memory : megabytes of the transposition table; 0: no table
    features : int
        A sum of ``stack.TABLE`` and the other features, to measure the effect of each. Values do not depend on it,
        but for ``stack.REDUCTIONS`` and, on top of these, ``stack.SHORTFALLS``, which only searches with a learned
        evaluation, deeper than 6 plies, have.
    evaluate : a learned evaluation of these rules, instead of ``kernel.margin``
    tables : Probe
        Endgame tables of the same rules (``agents.tablebase.probe.load``), whose bounds hold for all values. The moves
        since the last capture are then ignored, as ``agents.tablebase.Tablebase`` explains.
    threads : int
        That ``search`` uses to look more than 6 plies ahead, with a table; 0: as many as there are cores. All but one
        only fill the table (lazy SMP), so values and best actions do not depend on them.
    """

    def __init__(
        self,
        rules: Ruleset | str,
        memory: int = 16,
        features: int = S.ALL_FEATURES,
        evaluate: Evaluation | None = None,
        tables: Probe = NO_TABLE,
        threads: int = 1,
    ) -> None:
        check_memory(memory)
        self._threads = checked_threads(threads, memory)
        self.helpers: list[Helper] = []
        self.rules = rules = named(rules)
        self.tables = tables
        if not tables.fits(rules):
            raise ValueError(f"these endgame tables are not of the rules of {rules.name}, with {rules.board.pits} pits")
        if evaluate is not None and evaluate.rules != rules:
            raise ValueError(f"this evaluation is of {called(evaluate.rules)}, and does not fit {called(rules)}")
        if rules.goal is not Goal.SEEDS:
            features &= ~S.REACHES
        self._features = features if memory else features & ~(S.TABLE | S.CHILD_PROBES)
        self._max_entries = 1 << max(1, (memory << 20) // 16).bit_length() - 1 if memory else 2
        self.learned = evaluate
        self._weights = None if evaluate is None else evaluate.weights()
        self._scale = 2 * (1 if evaluate is None else evaluate.unit)  # of the numbers of the kernel to seeds
        self._actions = self.rules.num_actions
        self._table = S.Table.of(np.zeros((2, 2), dtype=np.uint64))
        self._deepest = 0
        self._stack = self._stack_for(4)
        self.generation = 0  # of this search: entries of other ones are overwritten first
        self._pace = Pace(64, SLICE)
        self.made = 0

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_weights": None}  # a copy's would not be read-only, and the search be compiled anew

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._weights = None if self.learned is None else self.learned.weights()

    def partner(self) -> "Searcher":
        """A Searcher for another thread that shares this one's transposition table."""
        self._allocate(self._max_entries)  # so that neither replaces it with a table of another size
        other = copy(self)
        other._threads, other.helpers = 1, []
        other._deepest, other.made, other._pace = 0, 0, Pace(64, SLICE)
        other._stack = other._stack_for(4, np.zeros_like(self._stack.successes))
        return other

    def is_partner(self, other: "Searcher") -> bool:
        """Is this another one, with the same transposition table?"""
        return other is not self and other._table is self._table

    def forget(self) -> None:
        """Drop the table and the statistics of moves: the next search is like the first. Partners keep theirs."""
        self.helpers = []
        self._table = S.Table.of(np.zeros((2, 2), dtype=np.uint64))
        self._stack.successes[:] = 0
        self._stack.killers[:] = -1
        self.generation = 0

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
        ValueError if the game is over, there is no limit at all, or a limit is impossible.

        Limits are ``depth`` in plies, at most 64, of which an extra turn is one, the ``nodes`` made, of which each
        thread gets the same share, and ``seconds``; at least one ply is searched. One thread without ``seconds`` finds
        the same each time, given the searches since the last ``forget``. ``ties``: find all best actions; ``every``:
        the value of each. ``stop`` is called repeatedly, where True ends the search; ``progress`` gets the result of
        every depth."""
        if state.is_over:
            raise ValueError(f"there is nothing to search: the game is over in {state}")
        if depth is not None:
            check_depth(depth, 1)
        check_limit("nodes", nodes)
        check_limit("seconds", seconds)
        if depth is None and nodes is None and seconds is None and stop is None:
            raise ValueError("a search needs a limit: depth, nodes or seconds")
        watch = Stopwatch()
        deepest = depth or MAX_DEPTH
        control = self.begin(state, deepest, every, ties)
        threads = self._threads if deepest > AT_ONCE else 1
        limit = PLENTY if nodes is None else -(-nodes // threads)
        limited = nodes is not None or seconds is not None or stop is not None
        race = Race(lambda: math.inf if seconds is None else seconds - watch.seconds)
        race.depth = control[S.DEPTH] = 1 if limited or deepest > AT_ONCE else deepest
        self.run(control, PLENTY, None)
        found = self.found(state, control, watch, every, ties)
        if progress is not None:
            progress(found)

        def ended() -> bool:
            if race.depth == deepest or found.exact or control[S.NODES] >= limit:
                return True
            return race.left() <= MARGIN or (stop is not None and stop())

        def begin(partner: Searcher) -> Any:
            return partner.begin(state, deepest, every, ties)

        with at_work(self, threads - 1, begin, deepest, limit, race) as helpers:  # whose kernel is compiled
            while not ended():
                race.depth += 1
                control[S.DEPTH] = race.depth
                if not self.run(control, limit, stop, left=race.left):
                    if self.improved and not every:
                        better = self.found(state, control, watch, False, ties)
                        found = replace(better, depth=found.depth, exact=False)
                    break
                found = self.found(state, control, watch, every, ties)
                if progress is not None:
                    progress(found)
        others = sum(helper.made for helper in helpers)
        self.made += others
        return replace(found, nodes=int(control[S.NODES]) + others, seconds=watch.seconds)

    def best_of_each(self, turns: Turns, depth: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """int64[m], float64[m]: in each game one of the best actions, drawn with ``streams``, and its value."""
        check_depth(depth, 1)
        turns = checked(self.rules, turns)
        control = self.prepare(depth, S.ROOT_TIES)
        found = np.empty((len(turns.games), 2), dtype=np.int64)
        quiet = turns.positions[turns.games, self.rules.board.pits + layout.PLIES_SINCE_CAPTURE]
        self._make_room(int(quiet.max(initial=0)) + depth + 5)
        some = max(1, MANY >> 2 * depth)  # positions in one call of a kernel, which cannot be interrupted
        for begin in range(0, len(found), some):
            part = slice(begin, begin + some)
            kernel.best_of_each(
                turns._replace(games=turns.games[part], streams=turns.streams[part]), found[part], depth,
                1 if depth > AT_ONCE else depth, control, self._stack, self._table, self.tables.values, self._weights,
                self.rules.one_game.to_play(len(found[part]) * self._actions ** min(depth, 4)),
            )  # fmt: skip
        self.generation = int(control[S.GENERATION])
        return found[:, 0].copy(), self.told(found[:, 1])

    def _allocate(self, entries: int) -> None:
        """Allocate a table of this number of entries; the entries of a smaller one are lost."""
        if len(self._table.names) < entries:
            self._table = S.Table.of(np.zeros((entries, 2), dtype=np.uint64))

    def _stack_for(self, depth: int, successes: Any = None) -> S.Stack:
        """A stack for ``depth`` plies, but for the history; the one that there is if it is deep enough."""
        if depth <= self._deepest:
            return self._stack
        if successes is None:
            successes = self._stack.successes if self._deepest else np.zeros((2, self._actions), dtype=np.int64)
        actions, width = self._actions, self.rules.fields["width"]
        levels = depth + 2
        self._deepest = depth
        return S.Stack(
            frames=np.zeros((levels, S.FRAME), dtype=np.int64),
            positions=np.zeros((levels, actions, width), dtype=np.int16),
            masks=np.zeros((levels, actions, actions), dtype=np.bool_),
            children=np.zeros((levels, actions, S.CHILD), dtype=np.int64),
            keys=np.zeros((levels, actions), dtype=np.uint64),
            history=np.empty(0, dtype=np.uint64),
            killers=np.full((levels, 2), -1, dtype=np.int64),
            successes=successes,
            line=np.zeros((levels, levels), dtype=np.int16),
            root_values=np.zeros(actions, dtype=np.int64),
        )

    def begin(self, state: State, depth: int, every: bool, ties: bool) -> Any:
        """Set the stack up for a position, and searches of at most ``depth`` plies. Returns the control array."""
        if state.rules is not self.rules and state.rules != self.rules:
            raise ValueError(f"this searches {self.rules.name!r}, not {state}")
        control = self.prepare(depth, S.ROOT_ALL if every else S.ROOT_TIES if ties else S.ROOT_BEST)
        known = state.history
        self._make_room(len(known) + depth + 4)
        stack = self._stack
        stack.history[: len(known)] = known
        stack.positions[0, 0], stack.masks[0, 0], stack.children[0, 0] = state.array, state.legal_mask, 0
        stack.keys[0, 0] = transposition.root_key(stack.positions[0, 0], control[S.RELATIVE], self.rules.one_game.axes)
        stack.frames[0] = 0
        stack.frames[0, S.BEST_ACTION] = S.NO_MOVE
        return control

    def _make_room(self, hashes: int) -> None:
        """A history with room for so many hashes, and no values of moves yet."""
        if len(self._stack.history) < hashes:
            self._stack = self._stack._replace(history=np.empty(2 * hashes, dtype=np.uint64))
        self._stack.root_values[:] = -S.INFINITY

    def prepare(self, depth: int, root: int) -> Any:
        """Prepare a search to a depth. Returns its control array."""
        self._stack = self._stack_for(depth)
        if depth > AT_ONCE:
            positions = 4 * min(self._actions, 6) ** min(depth, 20)
            self._allocate(min(self._max_entries, 1 << max(1, positions.bit_length())))
        self.generation += 1
        control: Any = np.zeros(S.CONTROL, dtype=np.int64)
        control[S.ROOT] = root
        control[S.FEATURES] = self._features & SHALLOW if depth <= AT_ONCE else self._features
        control[S.COVERED] = self.tables.most
        if self.learned is not None and self._features & S.REDUCTIONS and depth > AT_ONCE:
            control[S.REDUCED], control[S.REDUCED_TWICE] = REDUCED, REDUCED_TWICE
            if self._features & S.SHORTFALLS and self.rules.goal is Goal.SEEDS:
                control[S.PLY_WORTH] = max(2 * self.learned.unit * self.rules.total_seeds // FALL, 1)
        control[S.GENERATION] = self.generation
        axes: Any = self.rules.one_game.axes
        if axes[layout.GOAL] == layout.GOAL_SEEDS and not (axes[layout.MAJORITY_STOP] or axes[layout.TARGET_SEEDS]):
            control[S.RELATIVE] = self._scale // 2  # other stores change a value by their difference, and no more
        return control

    def run(
        self,
        control: Any,
        limit: int,
        pressed: Callable[[], bool] | None,
        window: tuple[int, int] = (-S.INFINITY, S.INFINITY),
        left: Callable[[], float] | None = None,
    ) -> bool:
        """One search to the depth in ``control``, the last best move first. False if a limit or the time ended it."""
        control[S.LEVEL], control[S.ENTERING] = 0, 1
        frame, self._stack.root_values[:] = self._stack.frames[0], -S.INFINITY
        self._first = int(frame[S.BEST_ACTION])
        frame[S.ALPHA], frame[S.BETA] = window
        while True:
            before = int(control[S.NODES])
            some = self._pace.begin(None if left is None else left())  # so that Ctrl-C is noticed, and the clock
            control[S.PAUSE] = min(limit, before + some)
            kernel.search(
                control, self._stack, self._table, self.tables.values, self._weights,
                True if control[S.DEPTH] == S.ENDLESS else None, self.rules.one_game.to_play(some),
            )  # fmt: skip
            made = int(control[S.NODES]) - before
            self.made += made
            self._pace.done(made)
            status = control[S.STATUS]
            if status == S.FINISHED:
                return True
            if status == S.TOO_DEEP:
                raise NotSolved(f"{self.rules.name}: a line of play is longer than {LONGEST} plies")
            if control[S.NODES] >= limit or (pressed is not None and pressed()):
                return False
            if left is not None and left() <= MARGIN:
                return False

    @property
    def best(self) -> int:
        """The value that the last search found, in numbers of the kernel."""
        return int(self._stack.frames[0, S.BEST])

    @property
    def complete(self) -> bool:
        """Did the last search cut off no line because of its depth?"""
        return not self._stack.frames[0, S.CUT]

    @property
    def improved(self) -> bool:
        """After a search that was ended: had it done with the move it tried first, and found a better one?"""
        before = self._stack.root_values[self._first]
        return before != -S.INFINITY and self.best > before

    def told(self, value: Any) -> Any:
        """A value of the kernel as ``Found`` tells it."""
        if self.learned is not None and self.rules.goal is not Goal.SEEDS:
            return np.where(np.abs(value) > SURE, np.sign(value), np.clip(value / SURE, -MOST, MOST))
        return value / self._scale

    def found(self, state: State, control: Any, watch: Stopwatch, every: bool, ties: bool) -> Found:
        """What the last search found."""
        best, moves, line = self.best, self._stack.root_values, self._stack.line[0]
        legal = state.legal_actions
        exact = {k: int(moves[k]) for k in legal if every or moves[k] == best}
        first = int(self._stack.frames[0, S.BEST_ACTION])
        return Found(
            value=float(self.told(best)),
            actions=tuple(k for k in legal if moves[k] == best) if ties or every else (first,),
            values={k: float(self.told(value)) for k, value in exact.items()},
            line=tuple(int(k) for k in line[1 : 1 + line[0]]),
            depth=int(control[S.DEPTH]),
            nodes=int(control[S.NODES]),
            seconds=watch.seconds,
            exact=self.complete,
        )


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

    def __init__(self, searcher: Searcher) -> None:
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
        self, begin: Callable[[Searcher], Any], deepest: int, limit: int, race: Race, generation: int, further: int
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
    searcher: Searcher, number: int, begin: Callable[[Searcher], Any], deepest: int, limit: int, race: Race
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
