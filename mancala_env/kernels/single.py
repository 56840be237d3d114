"""One game at a time, all that a move changes in one array, the *data*: what ``State`` keeps of a game. int16[...]: the
position (``layout``), W fields, the legal mask, bool[A], and from the next field whose number is a multiple of ``WORD``
the history, uint64[...], one entry more than the plies since the last capture, if a rule needs it."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of
from mancala_env.kernels.ending import history_hash
from mancala_env.kernels.engine import NO_ACTION, play
from mancala_env.kernels.jit import direct, inlined, njit, njit_brief

WORD = 4  # fields that one entry of a history takes
MOST_BITS = 62  # actions that fit in the number that kernels return
MOST_CHOICES = 5000  # legal masks that a game keeps decoded


@inlined
def mask_end(width, actions):
    """The field after a legal mask and what fills up its last word: where the history begins."""
    return (width + (actions + 1) // 2 + WORD - 1) // WORD * WORD


@inlined
def play_single(before, after, action, log, rules):
    """Play a legal action, or with ``NO_ACTION`` settle a position, from the data ``before`` to the data ``after``,
    maybe the same, with room for one entry of history more. Returns the first ``MOST_BITS`` legal actions as bits."""
    axes, _, _ = arrays_of(rules)
    width, actions = axes[L.WIDTH], axes[L.ACTIONS] + axes[L.DECISIONS] + axes[L.PASS_ACTION]
    first = mask_end(width, actions)
    for field in range(min(len(before), len(after))):
        after[field] = before[field]
    mask = after[width:first].view(np.bool_)[:actions]
    history = after[first:].view(np.uint64)
    start = play(rules, after[:width], action, mask, history, 0, log)  # a copy has room for no more
    if start > 0 and axes[L.REPEATS] > 0:
        history[0] = history[start]
    legal = np.int64(0)
    for k in range(min(actions, MOST_BITS)):
        legal |= np.int64(mask[k]) << k
    return legal


@njit_brief
def play_unlogged(before, after, action, rules):
    """``play_single`` without its log: every argument of a call from Python costs time."""
    return play_single(before, after, action, L.NO_LOG, rules)


@njit_brief
def play_logged(before, after, action, log, rules):
    """``play_single``, to be called from Python."""
    return play_single(before, after, action, log, rules)


@njit
def hash_of(position, axes):
    """``ending.history_hash``, to be called from Python."""
    return history_hash(position, axes)


Choices: TypeAlias = tuple[tuple[int, ...], Callable[[], Any], Callable[[], Any]]
"""What may be played: the actions, and what makes a legal mask, bool[A] and int8[A]."""


class ChoicesByBits(dict[int, Choices]):
    """What may be played, by the bits of legal masks; found when first asked for."""

    def __init__(self, actions: int) -> None:
        self._actions = actions

    def __missing__(self, legal: int) -> Choices:
        if len(self) >= MOST_CHOICES:
            self.clear()
        mask = np.array([legal >> k & 1 for k in range(self._actions)], dtype=np.bool_)
        choices = self[legal] = tuple(np.flatnonzero(mask).tolist()), mask.copy, mask.view(np.int8).copy
        return choices


class CompiledRules:
    """A ruleset and the kernel that plays one move by it (``play``: from data, to data, an action, and ``arrays``),
    bound together once, so that a move needs no look-ups. ``size`` and ``growth``: fields of data without a history,
    and of an entry of it (0: none needed). ``choices``: what the bits of a legal mask mean."""

    def __init__(self, rules: Any, encoded: Any) -> None:
        self.rules, axes = rules, encoded.axes
        self.pits, self.width = int(axes[L.PITS]), int(axes[L.WIDTH])
        self.actions = int(axes[L.ACTIONS] + axes[L.DECISIONS] + axes[L.PASS_ACTION])
        self.plies_since_capture = self.pits + L.PLIES_SINCE_CAPTURE
        self.size = -(-(self.width + (self.actions + 1) // 2) // WORD) * WORD
        self.growth = WORD if axes[L.REPEATS] > 0 else 0
        self.choices = ChoicesByBits(self.actions)
        self.is_match = bool(axes[L.MATCH])
        self._encoded = encoded  # keeps the arrays alive, whose addresses are in use
        self.arrays = encoded.rules
        self.play = self._play_wide
        if self.actions <= MOST_BITS:
            data = self.empty(1)
            self.play = direct(play_unlogged, data, data, NO_ACTION, self.arrays)

    def play_logged(self, before: Any, after: Any, action: int, log: Any) -> None:
        """``play_single`` in a match; its games that end are written to ``log``."""
        if self.is_match:
            play_logged(before, after, action, log, self.arrays)
        else:
            self.play(before, after, action, self.arrays)

    def _play_wide(self, before: Any, after: Any, action: int, arrays: Any) -> int:
        play_logged(before, after, action, L.NO_LOG, arrays)
        return self.legal(after)

    def empty(self, entries: int) -> Any:
        """Data of zeros, with room for this number of entries of the history."""
        return np.zeros(self.size + self.growth * entries, dtype=np.int16)

    def mask(self, data: Any) -> Any:
        """The legal mask in these data: bool[A], a view."""
        return data[self.width : self.size].view(np.bool_)[: self.actions]

    def history(self, data: Any) -> Any:
        """The history in these data: uint64[...], a view."""
        return data[self.size :].view(np.uint64)

    def legal(self, data: Any) -> int:
        """The legal mask in these data as bits."""
        return int.from_bytes(np.packbits(self.mask(data), bitorder="little").tobytes(), "little")
