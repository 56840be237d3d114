"""The alpha-beta agent: on the seed margin, to measure learners against, or under a limit of nodes or time."""

import copy
import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.batched.kernel import Turns
from agents.batched.players import Player, running, spec
from agents.pace import Clocked
from agents.search.book import Book
from agents.search.evaluation import FILE_NAME, Evaluation
from agents.search.family import FamilyEvaluation, family_file
from agents.search.limits import check_depth, check_limit, check_memory, checked_threads
from agents.search.searcher import Found, Searcher
from agents.search_info import SearchInfo
from agents.tablebase import table
from agents.tablebase.probe import NO_TABLE, Probe
from mancala_env.checks import shown
from mancala_env.rules import Goal, Ruleset
from mancala_env.rules.plain import called
from mancala_env.state import State, the_state

Learned = Evaluation | FamilyEvaluation
AnyEvaluation = str | Learned | None
MARGIN = "margin"  # the evaluation that is built in: ``kernel.margin``


def evaluation_of(evaluation: AnyEvaluation) -> Learned | None:
    """What an ``evaluation`` says; None is the margin. Text imports no code. ValueError if it names none, or its file
    is damaged."""
    if evaluation is None or evaluation == MARGIN:
        return None
    if isinstance(evaluation, Learned):
        return evaluation
    if isinstance(evaluation, str) and (evaluation.startswith("zoo:") or os.path.exists(evaluation)):
        return _loaded(evaluation, None if evaluation.startswith("zoo:") else _version(Path(evaluation)))
    raise ValueError(f"evaluation must be {MARGIN}, zoo:NAME or the path of a learned one, not {shown(evaluation)}")


def evaluation_for(evaluation: AnyEvaluation, rules: Ruleset) -> Evaluation | None:
    """What ``Searcher(evaluate=)`` takes in a game. Raises ValueError as ``evaluation_of``."""
    learned = evaluation_of(evaluation)
    return None if learned is None else learned.of(rules)


@lru_cache(maxsize=32)
def _loaded(path: str, version: tuple[int, int] | None) -> Learned:
    """A learned evaluation, read once, and again when its file has changed."""
    family = family_file(path)
    return Evaluation.load(path) if family is None else FamilyEvaluation.load(family)


def _version(path: Path) -> tuple[int, int] | None:
    path = family_file(path) or (path / FILE_NAME if path.is_dir() else path)
    return (path.stat().st_mtime_ns, path.stat().st_size) if path.is_file() else None


def move_values(state: State, depth: int, evaluation: AnyEvaluation = MARGIN) -> dict[int, float]:
    """The value of every legal action for the mover, in seeds of margin, looking ``depth`` plies ahead.

    Exact for every action, each searched with a full window. In a match: of the game in progress. In games that are not
    about seeds a win with this move is 10,000, less 1 for every ply until a later win. With an ``evaluation`` (see
    ``MinimaxAgent``) values are in its unit.
    """
    check_depth(depth, 1)
    rules = the_state(state).rules
    return Searcher(rules, evaluate=evaluation_for(evaluation, rules)).search(state, depth, every=True).values


DEFAULT_MEMORY = 16
UNTIMED = 400_000  # positions, about a second
# What values count: seeds of margin; the chance to win minus that to lose, -1 to 1; a win as 10,000 less the plies to
# it, and before that a heuristic.
UNITS = SEEDS, RESULT, WIN = "seeds", "result", "win"


class MinimaxAgent(Clocked, Player):
    """Alpha-beta, on the margin or another evaluation: to a depth, or as deep as nodes or time allow.

    A ply is one move, even one that earns an extra turn. Among equally good actions the choice is uniform, from a
    generator that ``reset`` restarts. ValueError for a setting that is impossible, or a damaged file.

    Parameters
    ----------
    depth, nodes : plies to look ahead, 4 if no limit is given; maximum number of positions made for each move
    time : float or "clock", optional
        Seconds for each move, or a share of what the clock of the game leaves (``clock``), where an only move takes
        none. The choice then depends on the machine; under the other limits it does not.
    memory, seed : megabytes of the transposition table, which change no value; seed of the choice among equals
    evaluation : str, Evaluation or None
        The value of positions at the depth limit: "margin" (``kernel.margin``; None means the same), or a learned one
        (``zoo:oware``, the path of a run, an ``Evaluation``), which plays only the rules it was learnt for. One of the
        family (``zoo:family``, a ``FamilyEvaluation``) plays all games, those that are not about seeds by the margin.
    tables : str or int
        Endgame tables that the search looks up: "none"; a number N, those for 0 to N seeds in the user's cache
        (``mancala solve tables get``), without which it refuses to play; a folder; or "auto", those of the game in the
        cache, if any. Under "auto" games depend on the cache, so results to keep should name a number; the agent's name
        says which were found as soon as it meets a game (``meet``), at once where the evaluation says which it plays.
    book : str or Book, optional
        An opening book, or its file (``mancala solve book``), whose moves it plays; games are then played one by one.
    threads : int
        That look ahead, in a search deeper than 6 plies; 0: one a core. Values and best actions do not depend on it;
        games in a batch are searched by one thread.

    Attributes
    ----------
    nodes : positions made since the last ``reset``
    rules : the only rules that it plays; None: any
    learned : the evaluation that it has read, if it is a learned one
    told : depth and value of the search for the last move; None after a move from the book
    """

    def __init__(
        self,
        depth: int | None = None,
        seed: int = 0,
        name: str | None = None,
        nodes: int | None = None,
        time: float | str | None = None,
        memory: int = DEFAULT_MEMORY,
        evaluation: AnyEvaluation = MARGIN,
        tables: str | int = table.NONE,
        book: str | Book | None = None,
        threads: int = 1,
    ) -> None:
        if depth is None and nodes is None and time is None:
            depth = 4
        self.learned = evaluation_of(evaluation)
        self.evaluation = evaluation
        self._take_time(time)
        self._depth, self._nodes = depth, nodes
        if depth is not None:
            check_depth(depth, 1)
        check_limit("nodes", nodes)
        check_limit("time", self.time)
        check_memory(memory)
        self.threads = threads
        checked_threads(threads, memory)
        self.rules = None if self.learned is None else self.learned.rules
        self.book = Book.load(book) if isinstance(book, str) else book
        self.tables = table.checked_setting(tables)
        self.name = name or spec(
            "minimax",
            depth=depth,
            nodes=nodes,
            time=time,
            memory=memory if memory != DEFAULT_MEMORY else None,
            threads=threads if threads != 1 else None,
            evaluation="own" if isinstance(evaluation, Learned) else evaluation if self.learned else None,
            tables=self.tables if self.tables != table.NONE else None,
            book="own" if isinstance(book, Book) else book,
        )
        self._by_chance = self.tables == table.AUTO  # which tables there are
        if self.rules is not None:
            self.meet(self.rules)
        self._memory = memory
        self._searcher: Searcher | None = None
        self._judge: Searcher | None = None  # of ``move_values``, which change nothing in how it plays
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Before each game: start the random choices from ``seed``, and search as if for the first time."""
        super().reset(seed)
        self.nodes = 0
        self.info: SearchInfo | None = None
        self._forget_time()
        if self._searcher is not None:
            self._searcher.forget()

    def act(self, state: State, stop: Callable[[], bool] | None = None) -> int:
        """One of the best actions; ``stop`` as for ``search``. ValueError if the game is over, or is not that of the
        book or the tables."""
        self.info = None
        return self.draw(self.from_book(state) or self.search(state, stop=stop).actions)

    def meet(self, rules: Ruleset) -> None:
        """Under "auto" find out which endgame tables there are, and name them. DamagedTable if a file is damaged."""
        if self._by_chance:
            known = f"tables={self.tables}"
            self.tables = table.settled(table.AUTO, rules)
            self.name = self.name.replace(known, f"tables={self.tables}")

    def book_values(self, state: State) -> dict[int, float]:
        """The values of the moves by its book; none if it tells none. ValueError for a book of other rules."""
        if not self.from_book(state) or self.book is None:
            return {}
        learned = self.evaluator(self.book.rules) is not None
        if not self.book.rules.counts_seeds and (self.book.search["evaluation"] != MARGIN) != learned:
            return {}
        place = self.book.find(state)
        assert place is not None
        return {action: float(self.book.values[place, action]) for action in state.legal_actions}

    def evaluator(self, rules: Ruleset) -> Evaluation | None:
        """What says the value of positions at the depth limit in a game; None: the margin."""
        return None if self.learned is None else self.learned.of(rules)

    def unit_in(self, rules: Ruleset) -> str:
        """What its values count in a game: one of ``UNITS``."""
        if rules.goal is Goal.SEEDS:
            return SEEDS
        return WIN if self.evaluator(rules) is None else RESULT

    def new_searcher(self, rules: Ruleset) -> Searcher:
        """A search of its own kind that shares nothing with the one it plays by. Raises ValueError as ``act``."""
        tables = self._probe(rules)
        return Searcher(rules, self._memory, evaluate=self.evaluator(rules), tables=tables, threads=self.threads)

    def move_values(self, state: State) -> dict[int, float] | None:
        """The value of each legal action, in ``unit_in``; None if the game is over."""
        return None if state.is_over else self.evaluate_moves(state)[0]

    def evaluate_moves(self, state: State) -> tuple[dict[int, float], Found | None]:
        """The value of every legal action by its book, else by a search (of ``new_searcher``), which is told, too."""
        if known := self.book_values(state):
            return known, None
        limits = self.limits
        if all(limit is None for limit in limits.values()):
            limits["nodes"] = UNTIMED
        if self._judge is None or self._judge.rules != state.rules:
            self._judge = self.new_searcher(state.rules)
        found = self._judge.search(state, limits["depth"], limits["nodes"], limits["time"], every=True)
        return {action: found.values[action] + 0.0 for action in sorted(found.values)}, found

    def from_book(self, state: State) -> tuple[int, ...]:
        """The best actions by its book; none if it has no such position. ValueError for a book of other rules."""
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
        """Can it play in a batch? Not with a limit of nodes or time, nor with a book."""
        return self._nodes is None and self.time is None and not self._by_clock and self.book is None

    @property
    def games_at_once(self) -> int:
        """The number of games with about a second's work; two plies more take five times as long."""
        depth = self._depth or 0
        return max(2, min(1000, int(400 / 5 ** ((depth - 4) / 2))))

    def _act_in(self, rules: Ruleset, turns: Turns) -> npt.NDArray[np.int64]:
        depth: Any = self._depth  # a number, as it is ``batched``
        return self._searcher_of(rules).best_of_each(turns, depth)[0]

    def best_actions(self, state: State) -> list[int]:
        """All actions whose value is the highest, by the book where it knows the position, else by a search."""
        return list(self.from_book(state) or self.search(state).actions)

    @property
    def limits(self) -> dict[str, Any]:
        """Its limits of ``depth`` (plies), ``nodes`` and ``time`` (seconds, now); None where there is none."""
        return {"depth": self._depth, "nodes": self._nodes, "time": self.time}

    def search(
        self, state: State, limits: Mapping[str, Any] | None = None, stop: Callable[[], bool] | None = None
    ) -> Found:
        """Search a position: its value, best actions, principal variation, depth, nodes and time. ``limits`` are
        ``depth``, ``nodes`` and ``time`` instead of its own; ``stop``, called repeatedly, ends the search by True.
        ValueError if the game is over, or a limit is impossible.
        """
        running(state, self.name)
        asked = self.limits if limits is None else limits
        if limits is None and self._own_time() is not None and self._by_clock and len(state.legal_actions) == 1:
            asked = {**asked, "depth": 1}
        found = self._searcher_of(state.rules).search(
            state, asked.get("depth"), asked.get("nodes"), asked.get("time"), stop=stop
        )
        self.nodes += found.nodes
        self.info = SearchInfo(found.depth, found.value)
        return found

    def shallow(self, rules: Ruleset) -> "MinimaxAgent":
        """Itself with one ply as its only limit and no book: it shares the search, so that this one's is then ready."""
        self._searcher_of(rules)
        made = copy.copy(self)
        made._depth, made._nodes, made.time, made._by_clock, made.book = 1, None, None, False, None
        return made

    def _searcher_of(self, rules: Ruleset) -> Searcher:
        if self._searcher is None or (self._searcher.rules is not rules and self._searcher.rules != rules):
            self._searcher = self.new_searcher(rules)
        return self._searcher

    def _probe(self, rules: Ruleset) -> Probe:
        self.meet(rules)
        return NO_TABLE if self.tables == table.NONE else table.load_setting(self.tables, rules)
