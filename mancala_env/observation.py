"""Observations: positions as positions for a network, seen from one seat, written by kernels for whole batches.

An encoder's version goes up whenever its numbers change, and with it that of every environment id.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_env import checks
from mancala_env.checks import Floats, Positions, Seats
from mancala_env.kernels import batch as kernels
from mancala_env.kernels import lookahead
from mancala_env.kernels.jit import direct
from mancala_env.rules import Ruleset
from mancala_env.words import did_you_mean


@dataclass(frozen=True)
class Encoder:
    """Turns positions of one game into observations."""

    name: str  # a key of ``ENCODERS``
    version: int
    lookahead: int  # plies that it plays ahead to compute its numbers; 0: it shows only the board
    shape: tuple[int, ...]  # of one observation, dtype float32; all numbers lie in 0..1
    rules: Ruleset
    _write: Callable[..., Any]
    _options: tuple[int, ...] = ()
    # Where it shows the effect of each action, so that networks can share their weights among actions: (index of the
    # first block, A, numbers per block), one block after the other in the order of the actions. None if it does not.
    blocks: tuple[int, int, int] | None = None

    def __call__(self, positions: Positions, seats: Seats, out: Floats | None = None) -> Floats:
        """float32[n, *shape]: what ``seats[i]``, int8[n], sees of ``positions[i]``, int16[n, W] (``kernels.layout``).
        Written to ``out`` if given. Raises ValueError if an argument does not fit."""
        positions = checks.positions(self.rules, positions)
        return self._to(positions, checks.numbers(seats, "seats", 0, 1, len(positions), np.int8), out)

    def _to(self, positions: Positions, seats: Seats, out: Floats | None = None) -> Floats:
        """Write checked positions, seen from checked seats, to ``out`` or to a new array."""
        out = self._buffer(len(positions), out)
        self._write_unchecked(positions, seats, out)
        return out

    def _buffer(self, n: int, out: Floats | None) -> Floats:
        """``out``, or a new array, for n observations. Raises ValueError if ``out`` does not fit."""
        if out is None:
            return np.empty((n, *self.shape), dtype=np.float32)
        checks.buffer(out, (n, *self.shape))
        return out

    def _for_one(self) -> Callable[[Positions, Seats], Floats]:
        """What writes a single observation, of int16[1, W] (or wider) and int8[1], C-contiguous and not checked."""
        if self.blocks is not None:
            return self._to
        shape, rest, empty, single = (1, *self.shape), (*self._options, self.rules.encoded.rules), np.empty, np.float32
        array, seat = np.zeros((1, self.rules.fields["width"]), dtype=np.int16), np.zeros(1, dtype=np.int8)
        write = direct(self._write, array, seat, empty(shape, single), *rest)

        def observed(array: Positions, seat: Seats) -> Floats:
            out = empty(shape, single)
            write(array, seat, out, *rest)
            return out

        return observed

    def _write_unchecked(self, positions: Positions, seats: Seats, out: Floats) -> None:
        """``write`` for positions that are known to fit: nothing is checked, and wrong ones crash the interpreter."""
        to = out if out.flags.carray and type(out) is np.ndarray else np.empty(out.shape, dtype=np.float32)
        if self.blocks is None:
            self._write(positions, seats, to, *self._options, self.rules.encoded.rules)
        else:
            stack = _stack(self.rules, self.lookahead)  # new each time: threads share the encoder
            rules, ahead = self.rules.encoded.rules, self.rules.without_repetition.rules
            self._write(positions, seats, to, *self._options, *stack, rules, ahead)
        if to is not out:
            out[...] = to


def _counts(rules: Ruleset) -> Encoder:
    return Encoder("counts", 0, 0, (rules.board.pits + _rest(rules),), rules, kernels.write_counts)


def _onehot(rules: Ruleset) -> Encoder:
    most = max(rules.setup) if rules.setup else rules.seeds
    bins = 3 * most + 4  # beyond that, pits are rare and their exact count matters little
    bins = min(bins, rules.pit_limit + 1) if rules.pit_limit else bins
    return Encoder("onehot", 0, 0, (rules.board.pits * bins + _rest(rules),), rules, kernels.write_onehot, (bins,))


def _lookahead(rules: Ruleset, plies: int) -> Encoder:
    board = _onehot(rules)
    (first,), actions, size = board.shape, rules.num_actions, lookahead.block_size(rules.board.pits, plies)
    shape, blocks = (first + actions * size,), (first, actions, size)
    return Encoder(f"lookahead{plies}", 0, plies, shape, rules, lookahead.write_actions, board._options, blocks)


def _stack(rules: Ruleset, plies: int) -> tuple[npt.NDArray[Any], ...]:
    """The work space of ``lookahead.write_actions``: frames, rows, masks and children."""
    levels, actions = plies + 1, rules.num_actions
    return (
        np.empty((levels, lookahead.FRAME), dtype=np.int64),
        np.empty((levels, actions, rules.fields["width"]), dtype=np.int16),
        np.empty((levels, actions, actions), dtype=np.bool_),
        np.empty((levels, actions, lookahead.CHILD), dtype=np.int64),
    )


def _rest(rules: Ruleset) -> int:
    """The number of values that ``kernels.batch.write_rest`` writes: stores, and the game's further fields."""
    pits = rules.board.pits
    sizes = {"owner": pits, "marks": 2 * pits, "removed": 1, "match": 4, "direction": 4, "memory": pits, "reserve": 2,
             "stronghold": 2, "threat": pits, "debt": 1, "closed": pits}  # fmt: skip
    kept = sum(size for name, size in sizes.items() if name in rules.fields)
    return 2 + kept + rules.has_picks + (2 + pits) * rules.may_stop + (1 + pits) * rules.reverse_laps


ENCODERS: dict[str, Callable[[Ruleset], Encoder]] = {
    "counts": _counts,
    "onehot": _onehot,
    **{f"lookahead{plies}": partial(_lookahead, plies=plies) for plies in range(1, 7)},
}


def make_encoder(name: str, rules: Ruleset | str) -> Encoder:
    """The encoder ``name`` for a game, or for the one of the name ``rules``. Raises ValueError if there is none.

    ``counts``: the share of all seeds in each pit and store. ``onehot``: for each pit, the one-hot number of its seeds.
    After these the further fields of a game, as far as it has them (``kernels.batch.write_rest`` defines the order).

    ``lookahead1`` to ``lookahead6``: what ``onehot`` shows, then for each action of the seat its effect, and its worth
    when looking 1 to 6 plies ahead (``kernels.lookahead.write_actions`` defines the order, ``Encoder.blocks`` the
    place). The plies are played by the rules of the game in progress without its history: repetitions are not noticed.
    Each further ply takes several times as long (``python -m tests.benchmarks.speed --only encoders``).
    """
    if not isinstance(name, str) or name not in ENCODERS:
        hint = f"{did_you_mean(name, ENCODERS)} encoders are {', '.join(ENCODERS)}".lstrip()
        raise ValueError(f"unknown encoder {checks.shown(name)}; {hint}")
    return ENCODERS[name](checks.rules_of(rules))
