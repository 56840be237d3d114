"""Observations: positions as numbers for a network, seen from one seat, written by kernels for whole batches. An
encoder's version goes up whenever its numbers change, and with it that of every environment id."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env import checks
from mancala_env.checks import Floats, Positions, Seats
from mancala_env.games import ruleset
from mancala_env.kernels import batch as kernels
from mancala_env.kernels import layout, lookahead
from mancala_env.kernels.jit import direct
from mancala_env.rules import Match, Ruleset, Unfilled
from mancala_env.words import did_you_mean


@dataclass(frozen=True)
class Encoder:
    """Turns positions of one game into observations."""

    name: str  # a key of ``ENCODERS``
    version: int
    lookahead: int  # plies that it plays ahead to compute its numbers; 0: it shows only the board
    shape: tuple[int, ...]  # of one observation, dtype float32; all numbers lie in 0..1
    rules: Ruleset
    _options: tuple[Any, ...] = field(compare=False)  # arguments of ``kernels.write_board``
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
        write = direct(kernels.write_board, array, seat, empty(shape, single), *rest)

        def observed(array: Positions, seat: Seats) -> Floats:
            out = empty(shape, single)
            write(array, seat, out, *rest)
            return out

        return observed

    def _write_unchecked(self, positions: Positions, seats: Seats, out: Floats) -> None:
        """``write`` for positions that are known to fit: nothing is checked, and wrong ones crash the interpreter."""
        to = out if out.flags.carray and type(out) is np.ndarray else np.empty(out.shape, dtype=np.float32)
        kernels.write_board(positions, seats, to, *self._options, self.rules.encoded.rules)
        if self.blocks is not None:
            stack = _stack(self.rules, self.lookahead)  # new each time: threads share the encoder
            plies = len(positions) * self.rules.num_actions ** (1 + self.lookahead // 2)  # about, with cutoffs
            rules, ahead = (each.to_play(plies) for each in (self.rules.encoded, self.rules.without_repetition))
            lookahead.write_actions(positions, seats, to, *stack, rules, ahead)
        if to is not out:
            out[...] = to


def _onehot(rules: Ruleset) -> Encoder:
    bins = 3 * max(rules.start_pits) + 4  # beyond that, pits are rare and their exact count matters little
    return _board("onehot", rules, min(bins, rules.pit_limit + 1) if rules.pit_limit else bins)


def _board(name: str, rules: Ruleset, bins: int) -> Encoder:
    """An encoder that shows the board, ``bins`` numbers for each pit (0: a share), and the further fields."""
    seats = [[*_shown(rules, seat)] for seat in (0, 1)]
    entries = np.array([[each[:4] for each in shown] for shown in seats], dtype=np.int64)
    scales = np.array([[each.scale for each in shown] for shown in seats], dtype=np.float32)
    size = rules.board.pits * max(bins, 1) + len(seats[0])
    return Encoder(name, 0, 0, (size,), rules, (bins, entries, scales))


class _Shown(NamedTuple):
    field: int
    how: int = kernels.IS
    number: int = 1
    decision: int = 0
    scale: float = 1.0


def _shown(rules: Ruleset, seat: int) -> Iterator[_Shown]:
    """What every encoder shows after the pits, in this order, as far as a game has it; always the seat's own first."""
    n, at, whole = rules.board.pits, rules.fields, 1.0 / rules.total_seeds
    home = rules.board.homes[seat]
    pits = home if len(home) == n else tuple((pit + seat * n // 2) % n for pit in range(n))
    players = seat, 1 - seat
    yield from (_Shown(n + layout.STORES + player, kernels.SHARE, scale=whole) for player in players)
    if "owner" in at:  # whether a pit is the own
        yield from (_Shown(at["owner"] + pit, number=seat) for pit in pits)
    if "marks" in at:  # whether it bears the own mark, and then whether the other's
        yield from (_Shown(at["marks"] + pit, number=player) for player in players for pit in pits)
    if "removed" in at:
        yield _Shown(at["removed"], kernels.SHARE, scale=whole)
    if "match" in at:  # where both stand, the share of games played, and who has won the game before
        target = (2 if rules.counts_points else 1) * rules.target
        target = {Match.TERRITORY: n, Match.REFILL: rules.total_seeds}.get(rules.match, target)
        how = kernels.BORROWED if rules.unfilled is Unfilled.BORROWED else kernels.RATIO
        yield from (_Shown(at["match"] + layout.TALLY + player, how, 0, scale=target) for player in players)
        yield _Shown(at["match"] + layout.GAME, kernels.RATIO, 1, scale=rules.max_games)
        yield _Shown(at["match"] + layout.LAST + seat, kernels.LEADS, at["match"] + layout.LAST + 1 - seat)
    if "direction" in at:  # whether it is counter-clockwise, and whether clockwise
        yield from (_Shown(at["direction"] + player, number=each) for player in players for each in (0, 1))
    if "pending" in at:  # what the seat has to decide
        left, about = at["pending"] + layout.LEFT, at["pending"] + layout.AT
        if rules.has_picks:
            yield _Shown(left, kernels.SHARE, 0, layout.PICK, 1.0 / 9)
        if rules.may_stop:  # may it go on this way, or that, and from where
            yield from (_Shown(left, kernels.IS, way, layout.GO_ON) for way in (0, 1))
            yield from (_Shown(about, kernels.IS, pit, layout.GO_ON) for pit in pits)
        if rules.reverses_laps:  # the seeds that are sown one way or the other, and from where
            yield _Shown(left, kernels.SHARE, 0, layout.CHOOSE_DIRECTION, whole)
            yield from (_Shown(about, kernels.IS, pit, layout.CHOOSE_DIRECTION) for pit in pits)
    if "memory" in at:
        yield from (_Shown(at["memory"] + pit) for pit in pits)
    if "reserve" in at:
        yield from (_Shown(at["reserve"] + player, kernels.SHARE, scale=whole) for player in players)
    if "stronghold" in at:
        yield from (_Shown(at["stronghold"] + player) for player in players)
    if "threat" in at:
        yield from (_Shown(at["threat"], number=pit + 1) for pit in pits)
    if "debt" in at:  # what the seat owes the other
        yield _Shown(at["debt"], kernels.OWED, scale=whole if seat == 0 else -whole)
    if "closed" in at:
        yield from (_Shown(at["closed"] + pit) for pit in pits)


def _lookahead(rules: Ruleset, plies: int) -> Encoder:
    board = _onehot(rules)
    (first,), actions, size = board.shape, rules.num_actions, lookahead.block_size(rules.board.pits, plies)
    shape, blocks = (first + actions * size,), (first, actions, size)
    return Encoder(f"lookahead{plies}", 0, plies, shape, rules, board._options, blocks)


def _stack(rules: Ruleset, plies: int) -> tuple[npt.NDArray[Any], ...]:
    """The work space of ``lookahead.write_actions``: rows, masks, values and order."""
    levels, actions = plies + 1, rules.num_actions
    return (
        np.empty((levels, actions, rules.fields["width"]), dtype=np.int16),
        np.empty((levels, actions, actions), dtype=np.bool_),
        np.empty((levels, actions), dtype=np.int64),
        np.empty((levels, actions + 1), dtype=np.int64),
    )


ENCODERS: dict[str, Callable[[Ruleset], Encoder]] = {
    "counts": partial(_board, "counts", bins=0),
    "onehot": _onehot,
    **{f"lookahead{plies}": partial(_lookahead, plies=plies) for plies in range(1, 7)},
}


def make_encoder(name: str, rules: Ruleset | str) -> Encoder:
    """The encoder ``name`` for a game, or for the one of the name ``rules``. Raises ValueError if there is none.

    ``counts``: the share of all seeds in each pit and store. ``onehot``: for each pit, the one-hot number of its seeds.
    After these the further fields of a game, as far as it has them (``_shown`` defines the order).

    ``lookahead1`` to ``lookahead6``: what ``onehot`` shows, then for each action of the seat its effect, and its worth
    when looking 1 to 6 plies ahead (``kernels.lookahead.write_actions`` defines the order, ``Encoder.blocks`` the
    place). The plies are played by the rules of the game in progress without its history: repetitions are not noticed.
    Each further ply takes several times as long (``python -m tests.benchmarks.speed --only encoders``).
    """
    if not isinstance(name, str) or name not in ENCODERS:
        hint = f"{did_you_mean(name, ENCODERS)} encoders are {', '.join(ENCODERS)}".lstrip()
        raise ValueError(f"unknown encoder {checks.shown(name)}; {hint}")
    return ENCODERS[name](ruleset(rules))
