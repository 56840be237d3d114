"""An opening book in its file (``mancala solve book build``): values of moves, found by long searches before."""

import hashlib
import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents import array_file
from agents.provenance import rules_digest
from mancala_env.kernels import layout
from mancala_env.rules import Match, Ruleset
from mancala_env.rules.plain import called
from mancala_env.state import State, the_state

MAX_BYTES = 2_000_000  # of a file
_HEADER = 60_000  # bytes that are kept free for what the file says of itself
_SETTINGS = {"depth": (int, type(None)), "nodes": (int, type(None)), "evaluation": (str,), "loss": (int, float)}


class DamagedBook(ValueError):
    """A file is not the opening book that it should be, in one line that says what would do."""


_KIND = array_file.Kind(
    "mancala_book", "an opening book", MAX_BYTES, "bring back the file, or build it anew", DamagedBook
)


def check_game(rules: Ruleset) -> None:
    """Raise ValueError for rules that there are no books of: matches and games of one player."""
    if rules.match is not Match.NONE:
        raise ValueError(f"there are no opening books of {rules.name}, a match of many games")
    if rules.players == 1:
        raise ValueError(f"there are no opening books of {rules.name}, a game of one player")


def capacity(rules: Ruleset) -> int:
    """The maximum number of positions of a book, so that its file has at most ``MAX_BYTES``."""
    return (MAX_BYTES - _HEADER) // (8 + 4 + 1 + 1 + 8 * rules.num_actions)


def key_of(state: State) -> int:
    """64 bits for a position, without the plies since the last capture or, if no rule needs them, those played."""
    array = state.array.astype("<i2")
    pits, axes = state.rules.board.pits, state.rules.encoded.axes
    if array[pits + layout.PLY] >= axes[layout.BY_PLY]:
        array[pits + layout.PLY] = 0
    array[pits + layout.PLIES_SINCE_CAPTURE] = 0
    return int.from_bytes(hashlib.blake2b(array.tobytes(), digest_size=8).digest(), "little")


@dataclass(frozen=True, eq=False)
class Book:
    """The positions of a book, each after the one it was reached from, the start first. Values are those of moves, for
    the mover, in seeds of margin (in games not about seeds: ``Found.value``); NaN where an action is not legal.
    ValueError if the arrays do not fit each other, or the rules.
    """

    rules: Ruleset
    search: dict[str, Any]
    keys: npt.NDArray[np.uint64] = field(repr=False)
    parents: npt.NDArray[np.int32] = field(repr=False)
    moves: npt.NDArray[np.uint8] = field(repr=False)
    solved: npt.NDArray[np.bool_] = field(repr=False)
    found: npt.NDArray[np.float32] = field(repr=False)
    values: npt.NDArray[np.float32] = field(repr=False)

    def __post_init__(self) -> None:
        check_game(self.rules)
        number, actions = len(self.keys), self.rules.num_actions
        kinds = {"keys": np.uint64, "parents": np.int32, "moves": np.uint8, "solved": np.bool_}
        for name in _ARRAYS:
            array = getattr(self, name)
            shape = (number,) if name in kinds else (number, actions)
            if array.dtype != kinds.get(name, np.float32) or array.shape != shape:
                raise ValueError(f"its {name} are {array.dtype}{list(array.shape)}")
            array.setflags(write=False)
        if number == 0 or self.parents[0] != -1 or np.any(self.parents[1:] >= np.arange(1, number)):
            raise ValueError("its positions are in no order")
        if np.any(self.parents[1:] < 0) or np.any(self.moves >= actions):
            raise ValueError("its positions are not reached from each other")
        wrong = [key for key, kinds in _SETTINGS.items() if not isinstance(self.search.get(key), kinds)]
        if wrong:
            raise ValueError(f"it does not say by what {', '.join(wrong)} it was searched")

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def _index(self) -> dict[int, int]:
        return {key: k for k, key in enumerate(self.keys.tolist())}

    def refusal(self, rules: Ruleset) -> str:
        """Why this is no book of these rules; "" if it is."""
        if self.rules == rules or rules_digest(self.rules) == rules_digest(rules):
            return ""
        return f"the opening book is of {called(self.rules)}, not of {called(rules)}"

    def find(self, state: State) -> int | None:
        """The place of a position in the book; None if it is not there, is over, or of another game."""
        state = the_state(state)
        if state.is_over or self.refusal(state.rules):
            return None
        place = self._index.get(key_of(state))
        if place is None or np.flatnonzero(~np.isnan(self.values[place])).tolist() != list(state.legal_actions):
            return None
        return place

    def best_actions(self, state: State) -> tuple[int, ...]:
        """The best moves of a position by the book; none where it has left the book."""
        place = self.find(state)
        if place is None:
            return ()
        values = self.values[place]
        return tuple(np.flatnonzero(values == np.nanmax(values)).tolist())

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What it holds, by name."""
        return {name: getattr(self, name) for name in _ARRAYS}

    @property
    def digest(self) -> str:
        """sha256 of all that the arrays hold."""
        return array_file.digest_of(self.arrays())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the book to one safetensors file, in one step. Raises OSError if that cannot be done."""
        header = {**array_file.about(self.rules, self.digest), "search": self.search}
        array_file.save(path, _KIND, header, self.arrays())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Book":
        """The book in a file. FileNotFoundError without one; DamagedBook if damaged or of changed rules."""
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(f"there is no opening book {path}; mancala solve book build makes one")

        def made(header: dict[str, Any], arrays: dict[str, Any]) -> Book:
            rules, search = array_file.game_of(header), dict(header["search"])
            book = cls(rules, search, **{name: arrays[name] for name in _ARRAYS})
            array_file.check_digest(book.digest, header)
            return book

        return array_file.load(path, _KIND, made)


_ARRAYS = ("keys", "parents", "moves", "solved", "found", "values")
