"""One position of a game: what it looks like, what may be played, what comes of it. Immutable and checked."""

import operator
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import engine, layout
from mancala_env.rules import Ruleset

_NO_HISTORY = np.zeros(0, dtype=np.uint64)
_TEXT = re.compile(
    r"(?P<name>\w+) (?P<seeds>\d+(?:-\d+)*)-(?P<mover>[SN])(?: ply=(?P<ply>\d+))?(?: over=(?P<over>\w+))?"
)


class IllegalAction(ValueError):
    """An action that cannot be played. The text names the action, the legal ones and the position."""


class State:
    """One immutable position.

    Make one with ``rules.start()``, ``rules.position(...)`` or ``State.parse``; go on with ``play``. States of one
    ruleset are equal when pits, stores, mover, ply and ending are; the history that repetition needs is not part of
    equality, hash or text, but is kept by ``play``, pickle and copies.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> state = mancala.ruleset("kalah").start().play(2)
    >>> str(state)
    'kalah 4-4-0-5-5-5-4-4-4-4-4-4-1-0-S ply=1'
    >>> state.legal_actions
    (0, 1, 3, 4, 5)
    """

    __slots__ = ("_actions", "_history", "_mask", "_row", "_rules")

    _rules: Ruleset
    _row: npt.NDArray[np.int16]  # kernels.layout
    _mask: npt.NDArray[np.bool_]  # [A]
    _history: npt.NDArray[np.uint64]  # hashes since the last capture, this position's last
    _actions: tuple[int, ...] | None

    def __init__(self) -> None:
        raise TypeError("make a State with rules.start(), rules.position(...) or State.parse(rules, text)")

    @classmethod
    def at(
        cls,
        rules: Ruleset,
        pits: Sequence[int],
        stores: Sequence[int] = (0, 0),
        player: int = 0,
        ply: int = 0,
        **more: Any,
    ) -> "State":
        """Any position; see ``Ruleset.position``."""
        if more:
            raise ValueError(
                f"{rules.name}: a position has no field {next(iter(more))!r}; it has pits, stores, player and ply"
            )
        n = rules.board.pits
        row = np.zeros(n + layout.ROW_FIELDS, dtype=np.int16)
        row[:n] = _seeds(rules, "pits", pits, n)
        row[n : n + 2] = _seeds(rules, "stores", stores, 2)
        if (total := int(row[: n + 2].sum())) > rules.total_seeds:
            raise ValueError(
                f"{rules.name}: {total} seeds are more than the {rules.total_seeds} the game is played with"
            )
        if not _is_whole(player) or player not in (0, 1):
            raise ValueError(f"{rules.name}: player must be 0 or 1, not {player!r}")
        if not _is_whole(ply) or not 0 <= ply <= layout.MAX_PLY:
            raise ValueError(f"{rules.name}: ply must be a whole number from 0 to {layout.MAX_PLY}, not {ply!r}")
        row[n + layout.MOVER] = player
        row[n + layout.PLY] = ply
        mask = np.zeros(rules.num_actions, dtype=np.bool_)
        history = np.zeros(1, dtype=np.uint64) if rules.repetition else _NO_HISTORY
        engine.settle(row, 0, mask, history, 0, *rules.shape, *rules.encoded)
        return cls._of(rules, row, mask, history)

    @classmethod
    def _of(
        cls,
        rules: Ruleset,
        row: npt.NDArray[np.int16],
        mask: npt.NDArray[np.bool_],
        history: npt.NDArray[np.uint64],
    ) -> "State":
        """A state that takes over checked arrays."""
        state = object.__new__(cls)
        state._rules, state._row, state._mask, state._history, state._actions = rules, row, mask, history, None
        return state

    @classmethod
    def from_row(cls, rules: Ruleset, row: npt.NDArray[np.int16]) -> "State":
        """The position of a row that kernels made (``kernels.layout``), finished or not. Its history starts here."""
        n = rules.board.pits
        if row[n + layout.OVER]:
            return cls._of(rules, row.copy(), np.zeros(rules.num_actions, dtype=np.bool_), _NO_HISTORY)
        mover, ply = int(row[n + layout.MOVER]), int(row[n + layout.PLY])
        return cls.at(rules, row[:n].tolist(), row[n : n + 2].tolist(), mover, ply)

    @property
    def rules(self) -> Ruleset:
        """The game."""
        return self._rules

    @property
    def player(self) -> int:
        """The mover: 0 South, 1 North. Still an int when the game is over."""
        return int(self._row.item(self._rules.board.pits + layout.MOVER))

    @property
    def pits(self) -> tuple[int, ...]:
        """Seeds in each pit, canonical order. At the end: before the final collection."""
        return tuple(self._row[: self._rules.board.pits].tolist())

    @property
    def stores(self) -> tuple[int, int]:
        """Seeds in the stores of South and North. At the end: before the final collection."""
        n = self._rules.board.pits
        return int(self._row[n]), int(self._row[n + 1])

    @property
    def ply(self) -> int:
        """Moves played so far."""
        return int(self._row[self._rules.board.pits + layout.PLY])

    @property
    def owner(self) -> npt.NDArray[np.int8]:
        """int8[N]: who owns each pit."""
        return np.array(self._rules.board.owner, dtype=np.int8)

    @property
    def marks(self) -> npt.NDArray[np.int8]:
        """int8[N]: the player whose mark lies on each pit; -1 for none, as everywhere in games without marks."""
        return np.full(self._rules.board.pits, -1, dtype=np.int8)

    @property
    def games(self) -> tuple[Any, ...]:
        """The finished games of a match; () in a game that is no match."""
        return ()

    @property
    def row(self) -> npt.NDArray[np.int16]:
        """int16: the position as kernels take it (``kernels.layout``), a copy."""
        return self._row.copy()

    @property
    def history(self) -> npt.NDArray[np.uint64]:
        """uint64: hashes of the positions since the last capture, this one's last; empty where no rule needs them."""
        return self._history.copy()

    @property
    def legal_mask(self) -> npt.NDArray[np.bool_]:
        """bool[A], a copy: which actions may be played. All False at the end."""
        return self._mask.copy()

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """The actions that may be played, ascending; () at the end."""
        if self._actions is None:
            self._actions = tuple([action for action, legal in enumerate(self._mask.tolist()) if legal])
        return self._actions

    def pit(self, action: int) -> int:
        """The pit that an action of the mover plays."""
        return self._rules.pit(self.player, action)

    def direction(self, action: int) -> int:
        """0: counter-clockwise, the only direction of these games."""
        self.pit(action)
        return 0

    def name(self, action: int) -> str:
        """An action as people write it: South's pits A, B, ..., North's a, b, ..., from the owner's left."""
        self.pit(action)
        return chr(ord("Aa"[self.player]) + int(action))

    def parse_move(self, text: str) -> int:
        """The action that ``name`` writes as ``text``.

        Raises
        ------
        ValueError
            If the mover has no such move on this board (whether it is legal here, ``play`` says).
        """
        names = [self.name(action) for action in range(self._rules.num_actions)]
        if text not in names:
            raise ValueError(
                f"{self._rules.name}: {text!r} is no move of player {self.player}; moves are {', '.join(names)}"
            )
        return names.index(text)

    def play(self, action: int) -> "State":
        """The position after an action.

        Raises
        ------
        IllegalAction
            If the action is not one of ``legal_actions``.
        """
        rules, mask, history = self._rules, self._mask, self._history
        try:
            chosen = operator.index(action)
        except TypeError:
            raise self._illegal(action) from None
        if not 0 <= chosen < len(mask) or not mask[chosen] or isinstance(action, bool):
            raise self._illegal(action)
        row = self._row.copy()
        mask = np.empty(len(mask), dtype=np.bool_)
        known = len(history)
        if known:
            longer = np.empty(known + 1, dtype=np.uint64)
            longer[:known] = history
            start = engine.play(row, chosen, mask, longer, 0, *rules.shape, *rules.encoded)
            history = longer[start:]
        else:
            engine.play(row, chosen, mask, history, 0, *rules.shape, *rules.encoded)
        return State._of(rules, row, mask, history)

    def _illegal(self, action: object) -> IllegalAction:
        why = f"the game is over ({self.termination})" if self.is_over else f"legal actions are {self.legal_actions}"
        return IllegalAction(
            f"{self._rules.name}: player {self.player} cannot play {action!r}; {why} in position {self}"
        )

    @property
    def is_over(self) -> bool:
        """Has the game ended?"""
        return bool(self._row[-1])

    @property
    def termination(self) -> str | None:
        """Why the game ended, one of ``mancala_env.TERMINATIONS``; None while it runs."""
        return layout.TERMINATIONS[self._row[self._rules.board.pits + layout.OVER]] or None

    @property
    def scores(self) -> tuple[float, float]:
        """The scores of South and North: the stores while the game runs, after the final collection at its end.

        Whole numbers are ints; half seeds occur only where a repetition splits what is left.
        """
        if not self.is_over:
            return self.stores
        south, north = engine.final_scores(self._row, *self._rules.encoded[:2])
        return _half(int(south)), _half(int(north))

    @property
    def winner(self) -> int | None:
        """0 or 1; None for a draw, and while the game runs."""
        south, north = self.scores
        return None if not self.is_over or south == north else int(north > south)

    @property
    def returns(self) -> tuple[float, float]:
        """+1.0 for the winner, -1.0 for the loser, 0.0 each for a draw and while the game runs."""
        winner = self.winner
        return (0.0, 0.0) if winner is None else (1.0, -1.0) if winner == 0 else (-1.0, 1.0)

    def _key(self) -> bytes:
        row = self._row.copy()
        row[self._rules.board.pits + layout.QUIET] = 0
        return row.tobytes()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return (self._rules is other._rules or self._rules == other._rules) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self._rules.name, self._key()))

    def __reduce__(self) -> tuple[Any, ...]:
        return State._of, (self._rules, self._row, self._mask, self._history)

    def __str__(self) -> str:
        """One line that ``parse`` reads: the game, pits, stores and mover, and where they differ from 0 ply and end."""
        text = f"{self._rules.name} {'-'.join(map(str, (*self.pits, *self.stores)))}-{'SN'[self.player]}"
        if self.ply:
            text += f" ply={self.ply}"
        return f"{text} over={self.termination}" if self.is_over else text

    def __repr__(self) -> str:
        return f"<State {self}>"

    @classmethod
    def parse(cls, rules: Ruleset, text: str) -> "State":
        """The position that ``str(state)`` wrote as ``text``. Its history starts here.

        Raises
        ------
        ValueError
            If the text is not of this form, speaks of another game, or describes an impossible position.
        """
        found = _TEXT.fullmatch(text.strip()) if isinstance(text, str) else None
        if found is None:
            form = f"{rules.name} {'-'.join(['4'] * rules.board.pits)}-0-0-S ply=7"
            raise ValueError(f"cannot read {text!r} as a position; it should look like {form!r}")
        if found["name"] != rules.name:
            raise ValueError(f"{text!r} is a position of {found['name']!r}, not of {rules.name!r}")
        seeds = [int(number) for number in found["seeds"].split("-")]
        if len(seeds) != rules.board.pits + 2:
            raise ValueError(
                f"{text!r} has {len(seeds)} numbers; {rules.name} has {rules.board.pits} pits and 2 stores"
            )
        mover = "SN".index(found["mover"])
        state = cls.at(rules, seeds[:-2], seeds[-2:], player=mover, ply=int(found["ply"] or 0))
        return state if found["over"] == state.termination else state._ended(found["over"], mover, text)

    def _ended(self, reason: str | None, mover: int, text: str) -> "State":
        """This position ended for a reason that lies in the way to it: a repetition or a grand slam."""
        rules = self._rules
        repeated = reason == "repetition" and rules.repetition and self.termination in (None, "max_plies")
        stripped = not any(self.pits[pit] for pit in rules.board.homes[mover])
        slammed = reason == "grand_slam" and rules.grand_slam == "rest_to_opponent" and stripped
        if not repeated and not slammed:
            if reason is None:
                raise ValueError(f"{text!r} should say over={self.termination}")
            truth = f"over by {self.termination}" if self.is_over else "not over"
            raise ValueError(f"{text!r} says over={reason}, but that position is {truth}")
        row = self._row.copy()
        row[rules.board.pits + layout.MOVER] = mover
        row[rules.board.pits + layout.OVER] = layout.TERMINATIONS.index(str(reason))
        return State._of(rules, row, np.zeros_like(self._mask), _NO_HISTORY)

    def to_text(self) -> str:
        """The board drawn in text, South below."""
        from mancala_env.render.text import board_text

        return board_text(self._rules, self._row)

    def to_svg(self, **options: Any) -> str:
        """The board as an SVG picture; options: ``mancala_env.render.svg.board_svg``."""
        from mancala_env.render.svg import board_svg

        return board_svg(self._rules, self._row, **options)

    def _repr_svg_(self) -> str:
        return self.to_svg()


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _half(doubled: int) -> float:
    return doubled // 2 if doubled % 2 == 0 else doubled / 2


def _seeds(rules: Ruleset, what: str, given: Sequence[int], number: int) -> list[int]:
    """``number`` seed counts, checked."""
    try:
        seeds = list(given)
    except TypeError:
        raise ValueError(f"{rules.name}: {what} must be {number} numbers, not {given!r}") from None
    if len(seeds) != number:
        raise ValueError(f"{rules.name}: {what} must be {number} numbers, not {len(seeds)}: {given!r}")
    for count in seeds:
        if not _is_whole(count) or not 0 <= count <= rules.total_seeds:
            raise ValueError(
                f"{rules.name}: {what} holds {count!r}; seeds are whole numbers from 0 to {rules.total_seeds}"
            )
    return seeds
