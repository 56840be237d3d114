"""Iterative deepening over the compiled search, under limits, in one thread or several."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
import numpy.typing as npt

from agents.batched.arguments import checked
from agents.pace import MARGIN
from agents.search import kernel
from agents.search.evaluation import Evaluation
from agents.search.fixed_depth import AT_ONCE, FixedDepth, Found
from agents.search.helpers import Helpers, Race
from agents.search.limits import MAX_DEPTH, check_depth, check_limit, check_memory, checked_threads
from agents.search.proof import prove, solved_at_once
from agents.tablebase.probe import NO_TABLE, Probe
from mancala_env.kernels.jit import Stopwatch
from mancala_env.rules import Ruleset
from mancala_env.state import State

PLENTY = 1 << 62
MANY = 1 << 20  # of many positions, one call searches MANY / 4**depth


class Searcher(FixedDepth):
    """Searches positions of one ruleset, and keeps its transposition table from one search to the next.

    Parameters
    ----------
    rules : Ruleset or name of one
    memory : int
        Megabytes of the transposition table; 0: no table. Shallow searches make do with less.
    features : int
        A sum of ``kernel.TABLE`` and the other features, to measure the effect of each. Values do not depend on it,
        but for ``kernel.REDUCTIONS`` and, on top of these, ``kernel.SHORTFALLS``, which only searches with a learned
        evaluation, deeper than 6 plies, have.
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
        super().__init__(rules, memory, features, evaluate, tables)
        self._helpers = Helpers(self)

    def partner(self) -> "Searcher":
        """A Searcher for another thread that shares this one's transposition table."""
        other = cast(Searcher, super().partner())
        other._threads, other._helpers = 1, Helpers(other)
        return other

    def forget(self) -> None:
        """Drop the table and the statistics of moves: the next search is like the first. Partners keep theirs."""
        self._helpers = Helpers(self)
        super().forget()

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
        deepest = depth or MAX_DEPTH
        control = self.begin(state, deepest, every, ties)
        threads = self._threads if deepest > AT_ONCE else 1
        limit = PLENTY if nodes is None else -(-nodes // threads)
        limited = nodes is not None or seconds is not None or stop is not None
        race = Race(partial(_left, watch, seconds))
        race.depth = control[kernel.DEPTH] = 1 if limited else self.first_depth(deepest)
        self.run(control, PLENTY, None)
        found = self.found(state, control, watch, every, ties)
        if progress is not None:
            progress(found)

        def ended() -> bool:
            if race.depth == deepest or found.exact or control[kernel.NODES] >= limit:
                return True
            return race.left() <= MARGIN or (stop is not None and stop())

        helping = self._helpers.at_work(threads - 1, state, deepest, every, ties, limit, race)
        with helping as helpers:  # whose kernel is now compiled
            while not ended():
                race.depth += 1
                control[kernel.DEPTH] = race.depth
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
        return replace(found, nodes=int(control[kernel.NODES]) + others, seconds=watch.seconds)

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
        control = self.prepare(depth, kernel.ROOT_TIES)
        some = max(1, MANY >> 2 * depth)  # positions in one call of a kernel, which cannot be interrupted
        for begin in range(0, len(games), some):
            part = slice(begin, begin + some)
            self.each(control, depth, games[part], positions, masks, history, streams[part], out[part], values[part])
        return out, self.told(values)

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
        if self.learned is not None:
            raise ValueError("a search to the end needs no evaluation: solve with Searcher(rules)")
        if not self.own_margin or not solved_at_once(self.rules):
            raise ValueError(
                f"{self.rules.name}: positions can come back or plies are counted, so that values depend on what was "
                f"played before; only games without repetition are solved by one search"
            )
        if helper is not None and not self.is_partner(helper):
            raise ValueError("a helper must be a partner() of this searcher")
        check_limit("nodes", nodes)
        limit = PLENTY if nodes is None else -(-nodes // 2) if helper else nodes
        return prove(self, helper, state, round(2 * guess), limit, stop)


def _left(watch: Stopwatch, seconds: float | None) -> float:
    """What is left of ``seconds``; None: no end."""
    return float("inf") if seconds is None else seconds - watch.seconds
