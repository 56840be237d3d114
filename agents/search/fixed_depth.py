"""One search of the compiled kernel to one depth: its stack, its transposition table, and what it found.

``agents.search.searcher`` goes deeper and deeper with it, ``agents.search.proof`` closes in on the value of a game, and
``agents.search.helpers`` lets several work on one table.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from agents.pace import MARGIN, Pace
from agents.search import kernel, null_window
from agents.search.evaluation import Evaluation
from agents.search.learned import SURE
from agents.search.limits import check_memory
from agents.tablebase.probe import NO_TABLE, Probe
from mancala_env.games import ruleset as named
from mancala_env.kernels import layout
from mancala_env.kernels.jit import Stopwatch
from mancala_env.rules import Goal, Ruleset
from mancala_env.rules.plain import called
from mancala_env.state import State

LONGEST = 1000  # maximum plies of a search to the end of the game
SLICE = 50_000  # maximum nodes between two looks at the clock, and between two chances to interrupt
AT_ONCE = 6  # plies up to which a search does not deepen, and uses ``SHALLOW`` features: more do not pay there
SHALLOW = kernel.GAINS | kernel.REACHES
# With a learned evaluation, moves of this rank and below (0: the best by their static values) are searched a ply, or
# two, less deep; and in games about seeds a ply for each time that a static value falls short of the best one by the
# seeds of the game divided by ``FALL`` (Kalah: a seed). Neither depends on the window or the table, so neither does the
# value of a position: what is searched less deep is always so, and never searched again.
REDUCED, REDUCED_TWICE = 2, 4
FALL = 48
MOST = 1 - 1 / SURE  # of a chance that is expected and not certain


@dataclass(frozen=True)
class Found:
    """The result of a search.

    Attributes
    ----------
    value : float
        Of the position for its mover: with a learned evaluation the margin that may be expected, in seeds, or, in
        games that are not about seeds, the chance to win minus that to lose; else the margin (``kernel.margin``). A
        chance of 1 or -1 is a win or a loss that the search sees, in however many plies (``actions`` and ``line`` hold
        the quickest win, the longest loss); what is only expected stays within ``MOST``.
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


class FixedDepth:
    """Searches a position of one ruleset to one depth at a time. ``Searcher`` explains the arguments and attributes.

    For one thread at a time; ``partner`` makes one for another thread.
    """

    def __init__(
        self,
        rules: Ruleset | str,
        memory: int = 16,
        features: int = kernel.ALL_FEATURES,
        evaluate: Callable[..., int] | Evaluation | None = None,
        tables: Probe = NO_TABLE,
    ) -> None:
        check_memory(memory)
        self.rules = rules = named(rules)
        self.tables = tables
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
        if function is not None:
            _with_evaluation(function)
        self.learned = learned
        self._weights = None if learned is None else learned.weights()
        self._scale = 2 * (1 if learned is None else learned.unit)  # of the numbers of the kernel to seeds
        self._history: Any = None
        self._actions = self.rules.num_actions
        self._names: Any = np.empty(0, dtype=np.uint64)
        self._table: Any = np.empty(0, dtype=np.int64)
        self._allocate(2)
        self._deepest = 0
        self.generation = 0  # of this search: entries of other ones are overwritten first
        self._pace = Pace(64, SLICE)
        self.made = 0
        self._successes: Any = np.zeros((2, self._actions), dtype=np.int64)
        self._room(4)

    @property
    def _kernel(self) -> Any:
        """The compiled search. Not kept, so that copies of a searcher do not copy it."""
        return kernel.search if self._function is None else _with_evaluation(self._function)

    @property
    def own_margin(self) -> bool:
        """Are values margins in seeds, or learned, and not those of a function of one's own?"""
        return self._function is None

    def partner(self) -> "FixedDepth":
        """One for another thread that shares this one's transposition table."""
        self._allocate(self._max_entries)  # so that neither replaces it with a table of another size
        other = copy(self)
        other._successes = np.zeros_like(self._successes)
        other._deepest, other.made, other._pace = 0, 0, Pace(64, SLICE)
        other._weights = None if self.learned is None else self.learned.weights()
        other._room(4)
        return other

    def is_partner(self, other: "FixedDepth") -> bool:
        """Is this another one that shares the transposition table?"""
        return other is not self and other._table is self._table

    def forget(self) -> None:
        """Drop the table and the statistics of moves: the next search is like the first. Partners keep theirs."""
        self._names = self._names[:0]
        self._allocate(2)
        self._successes[:] = 0
        self._killers[:] = -1
        self.generation = 0

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

    def begin(self, state: State, depth: int, every: bool, ties: bool) -> Any:
        """Set the stack up for a position, and searches of at most ``depth`` plies. Returns the control array."""
        if state.rules is not self.rules and state.rules != self.rules:
            raise ValueError(f"this searches {self.rules.name!r}, not {state}")
        control = self.prepare(depth, kernel.ROOT_ALL if every else kernel.ROOT_TIES if ties else kernel.ROOT_BEST)
        known = state.history
        self._history = np.empty(len(known) + depth + 4, dtype=np.uint64)
        self._history[: len(known)] = known
        self._arrays[0, 0], self._masks[0, 0] = state.array, state.legal_mask
        self._children[0, 0] = 0
        self._keys[0, 0] = kernel.root_key(self._arrays[0, 0], control[kernel.RELATIVE] != 0, self.rules.one_game.axes)
        self._frames[0] = 0
        self._frames[0, kernel.BEST_ACTION] = kernel.NO_MOVE
        return control

    def prepare(self, depth: int, root: int) -> Any:
        """Prepare a search to a depth. Returns its control array."""
        self._room(depth)
        if depth > AT_ONCE:
            positions = 4 * min(self._actions, 6) ** min(depth, 20)
            self._allocate(min(self._max_entries, 1 << max(1, positions.bit_length())))
        self._values: Any = np.full(self._actions, -kernel.INFINITY, dtype=np.int64)
        self.generation += 1
        control: Any = np.zeros(kernel.CONTROL, dtype=np.int64)
        control[kernel.ROOT] = root
        control[kernel.FEATURES] = self._features & SHALLOW if depth <= AT_ONCE else self._features
        control[kernel.COVERED] = self.tables.most
        if self.learned is not None and self._features & kernel.REDUCTIONS and depth > AT_ONCE:
            control[kernel.REDUCED], control[kernel.REDUCED_TWICE] = REDUCED, REDUCED_TWICE
            if self._features & kernel.SHORTFALLS and self.rules.goal is Goal.SEEDS:
                control[kernel.PLY_WORTH] = max(2 * self.learned.unit * self.rules.total_seeds // FALL, 1)
        control[kernel.GENERATION] = self.generation
        control[kernel.RELATIVE] = self.own_margin and kernel.stores_do_not_matter(self.rules.one_game.axes)
        return control

    @staticmethod
    def first_depth(depth: int) -> int:
        """The first depth of a search with a limit of depth only."""
        return 1 if depth > AT_ONCE else depth

    def run(
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
        self._values[:] = -kernel.INFINITY
        self._first = int(self._frames[0, kernel.BEST_ACTION])
        self._frames[0, kernel.ALPHA], self._frames[0, kernel.BETA] = window
        while True:
            before = int(control[kernel.NODES])
            some = self._pace.begin(None if left is None else left())  # so that Ctrl-C is noticed, and the clock
            control[kernel.PAUSE] = min(limit, before + some)
            self._go_on(control)
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

    def _go_on(self, control: Any) -> None:
        """Let the kernel of this search run until it pauses or is done."""
        rules = self.rules.one_game.to_play(int(control[kernel.PAUSE] - control[kernel.NODES]))
        if control[kernel.DEPTH] == kernel.ENDLESS:
            null_window.reaches(
                control, self._frames, self._arrays, self._masks, self._children, self._keys, self._history,
                self._names, self._table, self._line, self.tables.values, rules,
            )  # fmt: skip
            return
        self._kernel(
            control, self._frames, self._arrays, self._masks, self._children, self._keys, self._history,
            self._names, self._table, self._killers, self._successes, self._line, self._values,
            self.tables.values, self._weights, rules,
        )  # fmt: skip

    @property
    def best(self) -> int:
        """The value that the last search found, in numbers of the kernel."""
        return int(self._frames[0, kernel.BEST])

    @property
    def complete(self) -> bool:
        """Did the last search cut off no line because of its depth?"""
        return not self._frames[0, kernel.CUT]

    @property
    def improved(self) -> bool:
        """After a search that was ended: had it done with the move it tried first, and found a better one?"""
        before = self._values[self._first]
        return before != -kernel.INFINITY and self.best > before

    def told(self, value: Any) -> Any:
        """A value of the kernel as ``Found`` tells it."""
        if self.learned is not None and self.rules.goal is not Goal.SEEDS:
            return np.where(np.abs(value) > SURE, np.sign(value), np.clip(value / SURE, -MOST, MOST))
        return value / self._scale

    def found(self, state: State, control: Any, watch: Stopwatch, every: bool, ties: bool) -> Found:
        """What the last search found."""
        best = self.best
        legal = state.legal_actions
        exact = {k: int(self._values[k]) for k in legal if every or self._values[k] == best}
        first = int(self._frames[0, kernel.BEST_ACTION])
        actions = tuple(k for k in legal if self._values[k] == best) if ties or every else (first,)
        return Found(
            value=float(self.told(best)),
            actions=actions,
            values={k: float(self.told(value)) for k, value in exact.items()},
            line=tuple(int(k) for k in self._line[0, 1 : 1 + self._line[0, 0]]),
            depth=int(control[kernel.DEPTH]),
            nodes=int(control[kernel.NODES]),
            seconds=watch.seconds,
            exact=self.complete,
        )

    def each(
        self, control: Any, depth: int, games: Any, positions: Any, masks: Any, history: Any, streams: Any,
        out: Any, values: Any,
    ) -> None:  # fmt: skip
        """``kernel.best_of_each``, with what this has prepared; arrays as there. It cannot be interrupted."""
        most = int(positions[games, self.rules.board.pits + layout.PLIES_SINCE_CAPTURE].max(initial=0)) + 1
        self._history = np.empty(most + depth + 4, dtype=np.uint64)
        kernel.best_of_each(
            games, positions, masks, history, streams, out, values, depth, self.first_depth(depth),
            np.empty(self._actions, dtype=np.bool_), control, self._frames, self._arrays, self._masks,
            self._children, self._keys, self._history, self._names, self._table, self._killers, self._successes,
            self._line, self._values, self.tables.values, self._weights,
            self.rules.one_game.to_play(len(games) * self._actions**min(depth, 4)),
        )  # fmt: skip
        self.generation = int(control[kernel.GENERATION])


@lru_cache(maxsize=16)
def _with_evaluation(evaluate: Callable[..., int]) -> Any:
    """``kernel.with_evaluation``, once per function: compiling is slow, and every copy of an agent needs it."""
    return kernel.with_evaluation(evaluate)
