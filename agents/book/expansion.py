"""Growing an opening book: always search the position next whose line loses least, for its length.

The cost of a line is its plies plus, for every move that is not the best one known, what it loses, a seed counted as
``loss`` plies. Values are handed back towards the start. After T. R. Lincke's drop-out expansion ("Strategies for the
automatic construction of opening books", Computers and Games 2000).
"""

import heapq
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.search import Searcher
from agents.search.book import Book, capacity, check_game, key_of
from agents.search.evaluation import Evaluation
from agents.search.limits import check_depth, check_limit
from agents.search.minimax import MARGIN, evaluation_for
from mancala_env.rules import Ruleset
from mancala_env.state import State

LOSS = 4.0  # plies
NODES = 200_000


@dataclass(eq=False)
class _Position:
    """A position of the book while it grows."""

    state: State
    origin: tuple[int, int]  # the place of the position it was found after, and the move; (-1, 0) of the start
    solved: bool  # its search saw all lines to their ends
    level: int  # plies from the start, along the line by which it was found first
    found: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]
    signs: dict[int, int]  # by action: 1 where the same player moves after it, else -1
    nexts: dict[int, int]  # by action: the place of the position it leads to, or one of the two values below
    parents: list[int]
    cost: float = math.inf

    @property
    def value(self) -> np.float32:
        return np.float32(np.nanmax(self.values))


_OPEN, _CLOSED = -1, -2  # the position after this move may be searched; or it is final, or leads back in its line


class Expansion:
    """A book that grows by one position at a time. The same settings give the same book, however often it was saved.

    A move to a position no further from the start keeps the value of the search. ``nodes`` and ``depth``, at least one,
    limit each search, ``evaluation`` is as ``minimax`` takes it; a seed counts as ``loss`` plies;
    ``book`` is what there is already. ValueError if a setting is impossible, there are no books of these rules,
    or ``book`` is of other rules or settings.
    """

    def __init__(
        self,
        rules: Ruleset,
        nodes: int | None = NODES,
        depth: int | None = None,
        evaluation: str = "margin",
        loss: float = LOSS,
        book: Book | None = None,
    ) -> None:
        check_game(rules)
        check_limit("nodes", nodes)
        if depth is not None:
            check_depth(depth, 1)
        if nodes is None and depth is None:
            raise ValueError("the search of each position needs a limit: nodes or depth")
        if isinstance(loss, bool) or not isinstance(loss, int | float) or not 0 <= loss < math.inf:
            raise ValueError(f"loss must be a number of plies, 0 or more, not {loss!r}")
        evaluate = evaluation_for(evaluation, rules)
        valued = f"{evaluation} {evaluate.digest}" if isinstance(evaluate, Evaluation) else MARGIN
        self.rules = rules
        self.search: dict[str, Any] = {"depth": depth, "nodes": nodes, "evaluation": valued, "loss": float(loss)}
        self._searcher = Searcher(rules, evaluate=evaluate)
        self._positions: list[_Position] = []
        self._keys: dict[int, int] = {}
        self._waiting: dict[int, list[tuple[int, int]]] = {}  # open moves, by the key of the position they lead to
        if book is not None:
            if why := book.refusal(rules):
                raise ValueError(why)
            if book.search != self.search:
                raise ValueError(
                    f"the opening book was searched with {_told(book.search)}, not with {_told(self.search)}: give "
                    "the same settings, or another file"
                )
            for k, (parent, move) in enumerate(zip(book.parents.tolist(), book.moves.tolist(), strict=True)):
                state = rules.start() if k == 0 else self._positions[parent].state.play(move)
                self._add(state, parent, move, book.found[k], bool(book.solved[k]))

    def __len__(self) -> int:
        return len(self._positions)

    @property
    def is_complete(self) -> bool:
        """Is nothing left to search: no line is open, or the file would become too large?"""
        if not self._positions:
            return False
        return len(self) >= capacity(self.rules) or self._positions[0].cost == math.inf

    def line(self) -> list[tuple[int, int]]:
        """(place, action) from the start to the position that is searched next; empty for the start itself."""
        line: list[tuple[int, int]] = []
        place = 0
        while self._positions and place >= 0:
            position = self._positions[place]
            action = min(position.nexts, key=lambda each: (self._cost(position, each), each))
            line.append((place, action))
            place = position.nexts[action]
        return line

    def step(self) -> State:
        """Search the next position; returns it. ValueError if there is none (``is_complete``), or the game is over."""
        if self.is_complete:
            raise ValueError("there is nothing left to search: the book is complete")
        line = self.line()
        parent, move = line[-1] if line else (-1, 0)
        state = self._positions[parent].state.play(move) if line else self.rules.start()
        self._searcher.forget()  # so that a book does not depend on when it was saved
        result = self._searcher.search(state, self.search["depth"], self.search["nodes"], every=True)
        found = np.full(self.rules.num_actions, np.nan, dtype=np.float32)
        for action, value in result.values.items():
            found[action] = value
        self._add(state, parent, move, found, result.exact)
        return state

    def book(self) -> Book:
        """The book as it is now. Raises ValueError if nothing has been searched."""
        origins = np.array([each.origin for each in self._positions], dtype=np.int32).reshape(-1, 2)
        shape = (-1, self.rules.num_actions)
        return Book(
            rules=self.rules,
            search=self.search,
            keys=np.array(list(self._keys), dtype=np.uint64),
            parents=origins[:, 0].copy(),
            moves=origins[:, 1].astype(np.uint8),
            solved=np.array([each.solved for each in self._positions], dtype=np.bool_),
            found=np.array([each.found for each in self._positions], dtype=np.float32).reshape(shape),
            values=np.array([each.values for each in self._positions], dtype=np.float32).reshape(shape),
        )

    def _add(self, state: State, parent: int, move: int, found: npt.NDArray[np.float32], solved: bool) -> None:
        """Take in a position and the values of its moves, and tell those that lead to it."""
        place, key = len(self._positions), key_of(state)
        level = 0 if parent < 0 else self._positions[parent].level + 1
        position = _Position(state, (parent, move), solved, level, found, found.copy(), {}, {}, [])
        self._positions.append(position)
        self._keys[key] = place
        for action in state.legal_actions:
            after = state.play(action)
            position.signs[action] = 1 if after.player == state.player else -1
            position.nexts[action] = _CLOSED
            if solved or after.is_over:
                continue
            child = key_of(after)
            there = self._keys.get(child)
            if there is None:
                position.nexts[action] = _OPEN
                self._waiting.setdefault(child, []).append((place, action))
            else:
                self._link(place, action, there)
        for before, action in self._waiting.pop(key, []):
            self._link(before, action, place)
        self._hand_back(place)

    def _link(self, place: int, action: int, there: int) -> None:
        """Let a move lead to a position of the book, if that is further from the start."""
        nearer = self._positions[there].level <= self._positions[place].level
        self._positions[place].nexts[action] = _CLOSED if nearer else there
        if not nearer:
            self._positions[there].parents.append(place)
        elif place < len(self._positions) - 1:  # it was open until now
            self._hand_back(place)

    def _hand_back(self, place: int) -> None:
        """Renew the value and the cost of a position, and of those before it, from the furthest to the start."""
        waiting, seen = [(-self._positions[place].level, place)], {place}
        first = place
        while waiting:
            _, place = heapq.heappop(waiting)
            position = self._positions[place]
            before = position.value, position.cost
            for action, there in position.nexts.items():
                if there >= 0:
                    position.values[action] = position.signs[action] * self._positions[there].value
            position.cost = min((self._cost(position, action) for action in position.nexts), default=math.inf)
            if place == first or (position.value, position.cost) != before:
                for parent in position.parents:
                    if parent not in seen:
                        seen.add(parent)
                        heapq.heappush(waiting, (-self._positions[parent].level, parent))

    def _cost(self, position: _Position, action: int) -> float:
        """What the cheapest line through a move costs from a position on."""
        there = position.nexts[action]
        if there == _CLOSED:
            return math.inf
        lost = float(position.value - position.values[action])
        return 1 + self.search["loss"] * lost + (0.0 if there == _OPEN else self._positions[there].cost)


def _told(search: dict[str, Any]) -> str:
    return ", ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in search.items()
    )
