"""The alpha-beta agent: on the seed margin, to measure learners against, or under a limit of nodes or time."""

import copy
import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.batched.kernel import random_actions
from agents.batched.players import streams_of
from agents.pace import CLOCK, TELL, check_clock, share_of_clock
from agents.search import kernel
from agents.search.book import Book
from agents.search.evaluation import FILE_NAME, Evaluation
from agents.search.fixed_depth import Found
from agents.search.limits import check_depth, check_limit, check_memory, checked_threads
from agents.search.searcher import Searcher
from agents.search_info import SearchInfo
from agents.tablebase import cached
from agents.tablebase.probe import NO_TABLE, Probe
from mancala_env.position_fields import shown
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import called
from mancala_env.state import State, the_state


class _Stack:
    """The arrays of one perft, the position it begins with at level 0."""

    def __init__(
        self, position: npt.NDArray[np.int16], mask: npt.NDArray[np.bool_], history: npt.NDArray[np.uint64], depth: int
    ) -> None:
        self.positions = np.empty((depth + 1, len(position)), dtype=np.int16)
        self.masks = np.zeros((depth + 1, len(mask)), dtype=np.bool_)
        self.history = np.empty(len(history) + depth + 2, dtype=np.uint64)
        self.starts, self.next_action = np.zeros((2, depth + 1), dtype=np.int64)
        self.positions[0], self.masks[0] = position, mask
        self.history[: len(history)] = history


def perft(state: State, depth: int) -> int:
    """The number of sequences of exactly ``depth`` legal moves from here; a game that ends earlier does not count.

    Raises
    ------
    ValueError
        If ``depth`` is not a whole number from 0 to 64.
    """
    check_depth(depth, 0)
    state = the_state(state)
    if depth == 0:
        return 1
    stack = _Stack(state.array, state.legal_mask, state.history, depth)
    return int(
        kernel.count_lines(
            depth,
            stack.positions,
            stack.masks,
            stack.history,
            stack.starts,
            stack.next_action,
            state.rules.encoded.to_play(state.rules.num_actions ** min(depth, 9)),
        )
    )


AnyEvaluation = str | Evaluation | Callable[..., int] | None
EVALUATIONS: dict[str, Callable[..., int] | None] = {"margin": None}  # by name; None: the one that is built in


def evaluation_of(evaluation: AnyEvaluation) -> Evaluation | Callable[..., int] | None:
    """What ``Searcher(evaluate=)`` takes. Text is a key of ``EVALUATIONS`` or names a file: it never imports code.

    Raises
    ------
    ValueError
        If it is neither a key, nor an evaluation, nor a function; or its file is damaged.
    """
    if isinstance(evaluation, str) and evaluation in EVALUATIONS:
        return EVALUATIONS[evaluation]
    if isinstance(evaluation, Evaluation):
        return evaluation
    if isinstance(evaluation, str) and (evaluation.startswith("zoo:") or os.path.exists(evaluation)):
        return _loaded(evaluation, None if evaluation.startswith("zoo:") else _version(Path(evaluation)))
    if isinstance(evaluation, str) or not (evaluation is None or callable(evaluation)):
        raise ValueError(
            f"evaluation must be one of {', '.join(EVALUATIONS)}, zoo:NAME or the path of a learned one, not "
            f"{shown(evaluation)}; a function of your own is given in Python, as in MinimaxAgent(evaluation=function)"
        )
    return evaluation


@lru_cache(maxsize=32)
def _loaded(path: str, version: tuple[int, int] | None) -> Evaluation:
    """A learned evaluation, read once, and again when its file has changed."""
    return Evaluation.load(path)


def _version(path: Path) -> tuple[int, int] | None:
    """When the file of an evaluation was written, and its size; None if there is none."""
    path = path / FILE_NAME if path.is_dir() else path
    return (path.stat().st_mtime_ns, path.stat().st_size) if path.is_file() else None


def move_values(state: State, depth: int, evaluation: AnyEvaluation = "margin") -> dict[int, float]:
    """The value of every legal action for the mover, in seeds of margin, looking ``depth`` plies ahead.

    Exact for every action (each is searched with a full window), which is slower than finding a best one. In a match:
    of the game in progress. In games that are not about seeds: ``kernel.margin``; a win with this move is 10,000,
    less 1 for every ply until a later win. With an ``evaluation`` (see ``MinimaxAgent``) values are in its unit.
    """
    check_depth(depth, 1)
    return Searcher(the_state(state).rules, evaluate=evaluation_of(evaluation)).search(state, depth, every=True).values


DEFAULT_MEMORY = 16
SHORTEST = 1e-6  # seconds


class MinimaxAgent:
    """Alpha-beta, on the margin or another evaluation: to a depth, or as deep as nodes or time allow.

    A ply is one move, even one that earns an extra turn. Finished games count with their final scores. Where several
    actions are equally good the choice is uniform, from a generator that ``reset`` restarts.

    Parameters
    ----------
    depth : int, optional
        Plies to look ahead; 4 if no limit is given.
    nodes : int, optional
        Maximum number of positions made for each move.
    time : float or "clock", optional
        Seconds for each move, or a share of what the clock of the game leaves (``clock``), where a move that is the
        only one takes none. The choice then depends on the machine; under the other limits it does not.
    memory : int
        Megabytes of the transposition table. Values do not depend on it, speed does.
    seed : int
        Of the choice among equals.
    evaluation : str, function or None
        The value of positions at the depth limit: "margin" (``kernel.margin``; the only key of ``EVALUATIONS``; None
        means the same), a learned one (``zoo:oware``, the path of a run, an ``Evaluation``), which plays only the
        rules it was learnt for, or a function for Numba as ``Searcher(evaluate=)`` takes it: of (position int16[W],
        axes, tables) to the value for South in half seeds, finished games included. It is compiled anew in each
        process, and games are then searched one by one.
    tables : str or int
        Endgame tables that the search looks up: "none"; a number N, those for 0 to N seeds in the user's cache
        (``mancala solve tables get``), without which it refuses to play; a folder; or "auto", those of the game
        that are in the cache, if any. Under "auto" games depend on what the cache holds, so results to keep should
        name a number; the agent's own name says which were found as soon as it meets a game (``meet``), at once where
        the evaluation says which it plays.
    book : str or Book, optional
        An opening book, or its file (``mancala solve book``), whose moves it plays while the position is in it.
        Games are then played one by one.
    threads : int
        That look ahead, in a search deeper than 6 plies; 0: one a core. Values and best actions do not depend on it, so
        that it makes no difference under a limit of depth but of speed; games in a batch are searched by one thread.

    Attributes
    ----------
    nodes : int
        Positions made since the last ``reset``.
    rules : Ruleset or None
        The only rules that it plays; None: any.
    told : SearchInfo or None
        Depth and value of the search for the last move; None after a move from the book.
    evaluation : str, function or None
        As it was given.
    book : Book or None
    tables : str or int
        As it was given, but with "auto" what was found.
    threads : int

    Raises
    ------
    ValueError
        If a limit, the memory, the number of threads, the evaluation or the tables are impossible, or the book is
        damaged.
    """

    def __init__(
        self,
        depth: int | None = None,
        seed: int = 0,
        name: str | None = None,
        nodes: int | None = None,
        time: float | str | None = None,
        memory: int = DEFAULT_MEMORY,
        evaluation: AnyEvaluation = "margin",
        tables: str | int = cached.NONE,
        book: str | Book | None = None,
        threads: int = 1,
    ) -> None:
        if depth is None and nodes is None and time is None:
            depth = 4
        self._evaluate = evaluation_of(evaluation)
        self.evaluation = evaluation
        given = ",".join(
            f"{key}={value}" for key, value in (("depth", depth), ("nodes", nodes), ("time", time)) if value is not None
        )
        self._by_clock = time == CLOCK
        self._limits: dict[str, Any] = {"depth": depth, "nodes": nodes, "time": None if self._by_clock else time}
        if depth is not None:
            check_depth(depth, 1)
        check_limit("nodes", nodes)
        check_limit("time", self._limits["time"])
        check_memory(memory)
        self.threads = threads
        checked_threads(threads, memory)
        valued = evaluation if isinstance(evaluation, str) else getattr(evaluation, "__name__", "own")
        self.rules = self._evaluate.rules if isinstance(self._evaluate, Evaluation) else None
        self.book = Book.load(book) if isinstance(book, str) else book
        self.tables = cached.checked_setting(tables)
        if self.tables != cached.NONE and self._evaluate is not None and self.rules is None:
            raise ValueError("endgame tables hold margins, and a function may count something else: give only one")
        named = (
            f"minimax:{given}"
            + (f",memory={memory}" if memory != DEFAULT_MEMORY else "")
            + (f",threads={threads}" if threads != 1 else "")
            + (f",evaluation={valued}" if self._evaluate is not None else "")
            + (f",tables={self.tables}" if self.tables != cached.NONE else "")
            + (f",book={book if isinstance(book, str) else 'own'}" if book is not None else "")
        )
        self.name = name or named
        self._by_chance = self.tables == cached.AUTO  # which tables there are
        if self.rules is not None:
            self.meet(self.rules)
        self._memory = memory
        self._searcher: Searcher | None = None
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Before each game: start the random choices from ``seed``, and search as if for the first time."""
        self._stream = streams_of([seed])
        self.nodes = 0
        self.told: SearchInfo | None = None
        if self._by_clock:
            self._limits["time"] = None
        if self._searcher is not None:
            self._searcher.forget()

    def clock(self, left: float, increment: float = 0.0) -> None:
        """Before ``act``: the seconds left for the rest of the game, and those added after each move.

        With ``time=clock`` they fix the time for the move (``agents.pace.share_of_clock``).

        Raises
        ------
        ValueError
            If they are no numbers of seconds.
        """
        check_clock(left, increment)
        if self._by_clock:
            self._limits["time"] = max(share_of_clock(left, increment), SHORTEST)

    def act(self, state: State) -> int:
        """One of the best actions. Raises ValueError if the game is over, or is not that of the book or the tables."""
        self.told = None
        return self.draw(self.best_actions(state))

    def meet(self, rules: Ruleset) -> None:
        """Find out which endgame tables there are of a game, if that was left to chance; the name then says which.

        Raises
        ------
        DamagedTable
            If a file of them is damaged.
        """
        if self._by_chance:
            known = f"tables={self.tables}"
            self.tables = cached.settled(cached.AUTO, rules)
            self.name = self.name.replace(known, f"tables={self.tables}")

    def book_values(self, state: State) -> dict[int, float]:
        """The values of the moves by its opening book, told as its own; none where it knows none or tells others.

        Raises
        ------
        ValueError
            If the book is one of other rules.
        """
        if not self.from_book(state) or self.book is None:
            return {}
        own = isinstance(self._evaluate, Evaluation) or self._evaluate is None
        learned = self._evaluate is not None
        if not own or (not self.book.rules.counts_seeds and (self.book.search["evaluation"] != "margin") != learned):
            return {}
        place = self.book.find(state)
        assert place is not None
        return {action: float(self.book.values[place, action]) for action in state.legal_actions}

    def new_searcher(self, rules: Ruleset) -> Searcher:
        """A search of its own kind that shares nothing with the one it plays by. Raises ValueError as ``act``."""
        return Searcher(rules, self._memory, evaluate=self._evaluate, tables=self._probe(rules), threads=self.threads)

    def from_book(self, state: State) -> tuple[int, ...]:
        """The best actions by its opening book; none without a book, or where the position is not in it.

        Raises
        ------
        ValueError
            If the book is one of other rules.
        """
        if self.book is None:
            return ()
        if why := self.book.refusal(the_state(state).rules):
            raise ValueError(f"{self.name}: {why}")
        return self.book.best_actions(state)

    def refusal(self, rules: Ruleset) -> str:
        """Why it does not play a game: its evaluation or its book is of another, or its tables are not there; or ""."""
        if self.rules is not None and self.rules != rules:
            return f"{self.name} was trained for {called(self.rules)} and does not play {called(rules)}"
        if self.book is not None and (why := self.book.refusal(rules)):
            return why
        try:
            self._probe(rules)
        except (ValueError, OSError) as error:
            return str(error)
        return ""

    @property
    def batched(self) -> bool:
        """Can it play in a batch (``act_positions``)? Not with a limit of nodes or time, nor with a book, nor with a
        function of your own as evaluation."""
        own = self._evaluate is not None and not isinstance(self._evaluate, Evaluation)
        limited = self._limits["nodes"] is not None or self._limits["time"] is not None
        return not limited and not self._by_clock and not own and self.book is None

    @property
    def games_at_once(self) -> int:
        """The number of games with about a second's work; two plies more take five times as long."""
        depth = self._limits["depth"] or 0
        return max(2, min(1000, int(400 / 5 ** ((depth - 4) / 2))))

    def act_positions(
        self,
        rules: Ruleset,
        games: npt.NDArray[np.int64],
        positions: npt.NDArray[np.int16],
        masks: npt.NDArray[np.bool_],
        history: npt.NDArray[np.uint64],
        streams: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """int64[m]: a best action in each of ``games``; see ``agents.batched.BatchedAgent``."""
        searcher = self._searcher_of(rules)
        return searcher.best_of_each(games, positions, masks, history, streams, self._limits["depth"])[0]

    def best_actions(self, state: State) -> list[int]:
        """All actions whose value is the highest, by the book where it knows the position, else by a search."""
        return list(self.from_book(state) or self.search(state).actions)

    @property
    def limits(self) -> dict[str, Any]:
        """Its limits of ``depth`` (plies), ``nodes`` and ``time`` (seconds, now); None where there is none."""
        return dict(self._limits)

    def choose(self, found: Found) -> int:
        """One of the best actions that a search found, drawn as ``act`` draws it."""
        return self.draw(found.actions)

    def draw(self, actions: Sequence[int]) -> int:
        """One of these actions, at random."""
        best = np.zeros((1, max(actions) + 1), dtype=np.bool_)
        best[0, list(actions)] = True
        out = np.zeros(1, dtype=np.int64)
        random_actions(out, best, self._stream, out)
        return int(out[0])

    def search(
        self, state: State, limits: Mapping[str, Any] | None = None, stop: Callable[[], bool] | None = None
    ) -> Found:
        """Search a position: its value, best actions, principal variation, depth, nodes and time.

        Parameters
        ----------
        state : State
        limits : mapping, optional
            Instead of its own: ``depth``, ``nodes``, ``time``.
        stop : called repeatedly; True ends the search as a limit does

        Raises
        ------
        ValueError
            If the game is over, or a limit is impossible.
        """
        if the_state(state).is_over:
            raise ValueError(f"{self.name} cannot move: the game is over in {state}")
        asked = self._limits if limits is None else limits
        if limits is None and self._by_clock:
            if asked["time"] is None:
                raise ValueError(f"{self.name} plays where a clock runs, and was told none: {TELL}")
            if len(state.legal_actions) == 1:
                asked = {**asked, "depth": 1}
        found = self._searcher_of(state.rules).search(
            state, asked.get("depth"), asked.get("nodes"), asked.get("time"), stop=stop
        )
        self.nodes += found.nodes
        self.told = SearchInfo(found.depth, found.value)
        return found

    def shallow(self, rules: Ruleset) -> "MinimaxAgent":
        """Itself with one ply as its only limit and no book: it shares the search, so that this one's is then ready."""
        self._searcher_of(rules)
        made = copy.copy(self)
        made._limits, made._by_clock, made.book = {"depth": 1, "nodes": None, "time": None}, False, None
        return made

    def _searcher_of(self, rules: Ruleset) -> Searcher:
        if self._searcher is None or (self._searcher.rules is not rules and self._searcher.rules != rules):
            self._searcher = self.new_searcher(rules)
        return self._searcher

    def _probe(self, rules: Ruleset) -> Probe:
        """The endgame tables that it uses in a game."""
        self.meet(rules)
        return NO_TABLE if self.tables == cached.NONE else cached.load_setting(self.tables, rules)
