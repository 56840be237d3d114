"""The rules engine: one account of a move plays every game, by the axes alone. Kernels are unchecked.

``position`` and ``axes, tables, no_capture_table``, a ruleset, are laid out as ``layout`` says; ``mask`` is bool[A];
``events`` is the array that a move's events are written to (``kernels.events``), or None. ``turn`` and what it calls
are compiled once for all games, and for a ruleset that is played much with its axes as constants (``specialise``);
every other kernel calls the one or the other by its address, with ``play``."""

from functools import cached_property

import numpy as np

from mancala_env.kernels import addresses as A
from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import array_at, arrays_of
from mancala_env.kernels.board import direction_of, marked_seeds, pit_of
from mancala_env.kernels.builds import Builds
from mancala_env.kernels.compilers import types
from mancala_env.kernels.ending import check_termination
from mancala_env.kernels.jit import DISABLE_JIT, KERNELS, Work, address, compiler, inlined, njit
from mancala_env.kernels.landing import CAPTURED, TURN_AGAIN
from mancala_env.kernels.moves import decide, move

NO_ACTION = -1
MUCH = 1_000_000  # plies, some tenths of a second: who plays so many will play more, and the build is kept for then
emitting = compiler(KERNELS, work=Work("telling what a move does", 3))


@inlined
def turn(position, action, mask, history, start, log, axes, tables, no_capture_table):
    """``play``, by a ruleset's arrays."""
    pits, outcome = axes[L.PITS], 0
    if action != NO_ACTION:
        player = np.int64(position[pits + L.MOVER])
        if axes[L.PENDING] != 0 and position[axes[L.PENDING] + L.DECISION] != 0:
            outcome = decide(position, player, action, axes, tables, None)
        elif action < axes[L.ACTIONS]:  # else it is a pass
            gathers = axes[L.MARKS] != 0 and axes[L.MARKS_GO] == 0  # else seeds in marked pits are not won yet
            before = marked_seeds(position, axes) if gathers else 0
            outcome = move(position, player, action, axes, tables, None)
            if axes[L.MEMORY] != 0 and axes[L.REMEMBERS] != L.REMEMBER_MARKS:
                position[axes[L.MEMORY] + pit_of(player, action, axes, tables)] = 1
            if axes[L.CHOSEN] != 0:  # the way to go for the whole game, unless that is settled
                for each in range(2):
                    if (each == player or axes[L.CHOSEN_BY_EACH] == 0) and position[axes[L.CHOSEN] + each] < 0:
                        position[axes[L.CHOSEN] + each] = direction_of(action, axes)
            if gathers and marked_seeds(position, axes) > before:
                outcome |= CAPTURED
        if axes[L.GOAL] < L.SOLITAIRES and not outcome & TURN_AGAIN:
            position[pits + L.MOVER] = 1 - player
        position[pits + L.PLY] += 1
        if outcome & CAPTURED:
            start += np.int64(position[pits + L.PLIES_SINCE_CAPTURE]) + 1
            position[pits + L.PLIES_SINCE_CAPTURE] = 0
        else:
            position[pits + L.PLIES_SINCE_CAPTURE] += 1
    return check_termination(position, outcome, mask, history, start, log, axes, tables, no_capture_table)


@njit
def turn_at(position, action, mask, history, hashes, start, log, games, rules):
    """``turn``: arrays by address, most with their length, and the address of ``Encoded.rules``."""
    axes, tables, no_capture_table = arrays_of(array_at(rules, (A.ADDRESSES,), np.int64))
    choices = axes[L.ACTIONS] + axes[L.DECISIONS] + axes[L.PASS_ACTION]
    position, mask = array_at(position, (axes[L.WIDTH],), np.int16), array_at(mask, (choices,), np.bool_)
    history, log = array_at(history, (hashes,), np.uint64), array_at(log, (games, 3), np.int16)
    return turn(position, action, mask, history, start, log, axes, tables, no_capture_table)


SIGNATURE = [types.int64] * 9  # of ``turn_at``, and of what ``specialise`` makes in its place
_builds = Builds(turn_at, lambda build: address(build, *SIGNATURE))


class Encoded:
    """A ruleset as flat arrays, read-only: ``axes``, int64[layout.AXES], ``tables``, uint8[2 or 4, layout.TABLES or
    more], and ``no_capture_table``, bool[...], that of ``indeterminacy.make_no_capture_table``, or one False."""

    def __init__(self, axes, tables, no_capture_table):
        self.axes, self.tables, self.no_capture_table = axes, tables, no_capture_table
        self._plies = 0
        for array in (axes, tables, no_capture_table):
            array.setflags(write=False)  # before any kernel sees them: each kind of array costs a compilation

    @cached_property
    def rules(self):
        """The ruleset as kernels take it, int64[ADDRESSES]: addresses and sizes of the arrays, and the address of what
        plays by them, compiled or loaded now. With ``NUMBA_DISABLE_JIT=1`` the arrays."""
        arrays = axes, tables, table = self.axes, self.tables, self.no_capture_table
        if DISABLE_JIT:
            return {A.AXES_AT: arrays}
        numbers = axes.ctypes.data, len(axes), tables.ctypes.data, *tables.shape, table.ctypes.data, len(table)
        return np.array([*numbers, _builds.of(axes)], dtype=np.int64)

    def to_play(self, plies):
        """``rules``, for a kernel that plays about so many plies: after ``MUCH`` of them by a build of its own."""
        before, self._plies = self._plies, self._plies + plies
        if before < MUCH <= self._plies and not DISABLE_JIT:
            self.rules[A.PLAY_AT] = _builds.of(self.axes, much=True)
        return self.rules

    def without(self, axis):
        """The same without what an axis says."""
        if self.axes[axis] == 0:
            return self
        axes = self.axes.copy()
        axes[axis] = 0
        return Encoded(axes, self.tables, self.no_capture_table)

    def __reduce__(self):
        """A copy in another process has its arrays elsewhere."""
        return Encoded, (self.axes, self.tables, self.no_capture_table)

    def __deepcopy__(self, memo):
        """Nothing here can change."""
        return self


@emitting
def traced_move(position, player, action, events, axes, tables):
    """``moves.move`` or ``decide`` by a legal action, no pass; ``events``, whose counter is 0, are written."""
    if axes[L.PENDING] != 0 and position[axes[L.PENDING] + L.DECISION] != 0:
        return decide(position, player, action, axes, tables, events)
    return move(position, player, action, axes, tables, events)


_traced = Builds(traced_move)


def emit_move(position, player, action, events, axes, tables):
    """``traced_move``, by the build for these rules."""
    build = traced_move if DISABLE_JIT else _traced.of(axes)
    return build(position, player, action, events, axes, tables)


play = A.call_play
"""``play(rules, position, action, mask, history, start, log)``: play a legal action by ``Encoded.rules``, in place, or
with ``NO_ACTION`` settle a position (``check_termination``). The history of what is played from begins at
``history[start]``; returned is where that of the new position begins: at a later place after a capture, or anything
else that cannot be undone. The victim of a grand slam that ends the game is left as the mover."""
if DISABLE_JIT:
    play = lambda rules, *given: turn(*given, *arrays_of(rules))  # type: ignore[assignment]  # noqa: E731
