"""Moves undone: the positions from which one move may have led to a given one.

``candidates`` takes a move back in every way it can have gone, and may propose too much; ``State.predecessors`` plays
every candidate forward and keeps those that arrive. So all that has to be argued is that nothing is missing.

A *lap* empties a pit (its origin) and drops its seeds one by one; it ends in a *cell*, a pit or a store, where the
landing table says whether another follows. Backwards:

1.  Where the last lap ended, and what was taken then. Every cell of the mover's loop is tried. Either nothing was
    taken, or pits that are empty now held seeds that are in the mover's store now, in all counts that the clause can
    take. Or a pair was marked, and one seed goes back across.
2.  Where that lap began, and with how many seeds. Every pit and number of seeds that end there is tried; the origin
    was emptied, so it holds now what the lap itself dropped there, and every other cell at least as much. Where seeds
    from across were sown on, the pit where they landed was not emptied, and all ways to share the seeds are tried.
3.  Was that the first lap, or did another one end at its origin? Both are tried, if the landing table lets a lap that
    ends there go on. There are never more laps than the rules allow.

``agents.tablebase.kernel.step_back`` is a compiled special case, for moves of one lap that capture nothing."""

from collections.abc import Iterator
from dataclasses import fields
from functools import lru_cache
from itertools import cycle, islice
from operator import gt, sub
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env import checks
from mancala_env.kernels import events as E
from mancala_env.kernels import layout
from mancala_env.kernels.engine import NO_ACTION, clause_after, emit_move
from mancala_env.kernels.single import CompiledRules
from mancala_env.rules import GrandSlam, Ruleset, Sowing, Store, Stuck, When
from mancala_env.rules.fields import DEFAULTS

Position = npt.NDArray[np.int16]
Counts = list[int]  # seeds in each pit, then in the stores of South and North; changed by nobody once it is handed on


def candidates(rules: Ruleset | str, array: Position) -> Iterator[tuple[Position, int]]:
    """(array, action) of every move that may have led to a position, int16[W], and of some that do not; each only once.
    The arrays are one ply earlier and need be neither running nor sensible; owners and all that a match keeps are those
    of ``array``. Raises ValueError if it is no position of this game, or has moves that are not taken back."""
    rules = checks.rules_of(rules)
    if why := not_taken_back(rules):
        raise ValueError(f"{rules.name}: predecessors are not known of games with {why}")
    array = checks.position(rules, array)
    n = rules.board.pits
    seen = set()
    mover = int(array[n + layout.MOVER])
    keeps_turn = rules.stuck is Stuck.PASS or any(when.then == "again" for when in rules.landing)
    for player in (1 - mover, mover) if keeps_turn else (1 - mover,):
        before = array.copy()
        before[n + layout.MOVER] = player
        before[n + layout.PLY] = max(0, array[n + layout.PLY] - 1)
        before[n + layout.PLIES_SINCE_CAPTURE] = before[n + layout.OVER] = 0
        if rules.explicit_pass:
            yield before.copy(), rules.num_actions - 1
        for board, marks, removed, pit in _moves(rules, array, player):
            if pit not in rules.board.homes[player]:
                continue
            before[: n + 2] = board
            if rules.has_marks:
                before[rules.fields["marks"] : rules.fields["marks"] + n] = marks
            if "removed" in rules.fields:
                before[rules.fields["removed"]] = removed
            found = before.tobytes(), pit
            if found not in seen:
                seen.add(found)
                yield before.copy(), rules.board.homes[player].index(pit)


# Moves are taken back where these fields are at their defaults, and clauses say nothing but this.
_NEUTRAL = ("leave", "passing", "skipping", "opening", "surplus", "remember", "seeds_a_pit")
_CLAUSES = ("store", "side", "was", "count", "facing", "outer", "marked", "takes", "chain",
            "chain_side", "marks", "then")  # fmt: skip


def not_taken_back(rules: Ruleset) -> str:
    """What of these rules moves cannot be taken back by; "" if there is nothing."""
    fact, clauses = {name: getattr(rules, name) != DEFAULTS[name] for name in _NEUTRAL}, rules.landing
    kind = rules.board.kind
    for each in fields(When):
        if each.name not in _CLAUSES:
            fact[f"When({each.name}=...)"] = any(getattr(clause, each.name) != each.default for clause in clauses)
    fact |= {
        "one player": rules.players == 1,
        "closed pits": rules.closes_pits,
        f"the board {kind}": rules.is_line or kind in ("rows_and_houses", "side_blocks", "open_rows"),
        f"marked_pits={rules.marked_pits}": rules.marked_pits in ("closed", "collect", "taken"),
        f"store={rules.store}": rules.store is Store.BOTH,
        f"direction={rules.direction}": rules.goes_both_ways,
        f"sowing={rules.sowing}": rules.sowing is Sowing.FROM_ENDS,
        "relay('next')": any(clause.then == "relay_next" for clause in clauses),
        "or_stop()": rules.may_stop,
        "stuck='refill'": rules.refills,
        "captures of other pits than the last one, the one across and a chain": any(
            (clause.then != "sow_on" and {*clause.takes} - {"here", "facing"}) or "next" in clause.takes
            or clause.takes == ("outer",) or clause.chain_side == "own" for clause in clauses
        ),
        "a lone seed that is sown on after a capture": any(
            clause.then == "relay" and clause.takes and clause.was != "occupied" for clause in clauses
        ),
    }  # fmt: skip
    return next((name for name, holds in fact.items() if holds), "")


def _moves(rules: Ruleset, array: Position, player: int) -> Iterator[tuple[Counts, Counts, int, int]]:
    """Counts, marks and removed seeds before a move of ``player``, and the pit that was played."""
    n, at = rules.board.pits, rules.fields
    board = array[: n + 2].tolist()
    marks = array[at["marks"] : at["marks"] + n].tolist() if "marks" in at else []
    removed = int(array[at["removed"]]) if "removed" in at else 0
    if rules.sowing is Sowing.NEIGHBOURS:
        for before, gone, pit in _gathered(rules, board, removed):
            yield before, marks, gone, pit
    elif rules.sowing is Sowing.REAPING:
        for (start, target), change in _reapings(rules, player).items():
            before = list(map(sub, board, change))
            if before[target] == 0:  # it was filled: its seeds are the number of pits that were reaped
                yield before, marks, removed, start
    else:
        for before, marked, pit in _Track(rules, array, player).moves(board, marks):
            yield before, marked, removed, pit


def _play(rules: Ruleset, array: Position, player: int, action: int, room: int) -> list[list[int]]:
    """Play an action, ``array`` being modified in place; at most ``room`` of its events."""
    events = np.zeros((room + 1, E.FIELDS), dtype=np.int32)
    emit_move(array, player, action, events, rules.encoded.axes, rules.encoded.tables)
    return events[1 : events[0, 0] + 1].tolist()


def _gathered(rules: Ruleset, board: Counts, removed: int) -> Iterator[tuple[Counts, int, int]]:
    """Undo a scattering: counts, removed seeds, and the pit that was scattered."""
    for pit, steps in enumerate(_neighbours(rules)):
        if board[pit]:  # no seed falls back where it came from
            continue
        ways = [(board[:], removed)]
        for seeds, receiver in enumerate(steps, start=1):  # one seed more in each pass
            earlier = []
            for before, gone in ways:
                if receiver is not None and before[receiver] > 0:
                    fewer = before[:]
                    fewer[receiver] -= 1
                    earlier.append((fewer, gone))
                if gone > 0 and (receiver is None or before[receiver] == rules.pit_limit):  # it had no room
                    earlier.append((before, gone - 1))
            ways = earlier
            for before, gone in ways:
                yield [*before[:pit], seeds, *before[pit + 1 :]], gone, pit


@lru_cache(maxsize=16)
def _neighbours(rules: Ruleset) -> tuple[tuple[int | None, ...], ...]:
    """For each pit, where the seeds of a full one go on an empty board, in order; None: off it."""
    found = []
    for pit in range(rules.board.pits):
        array: Position = np.zeros(rules.fields["width"], dtype=np.int16)
        array[pit] = rules.pit_limit
        events = _play(rules, array, 0, rules.board.homes[0].index(pit), rules.pit_limit + 1)
        falls = [(kind, target) for kind, _, target, *_ in events if kind in (E.SOW, E.LOSE)]
        found.append(tuple(target if kind == E.SOW else None for kind, target in falls))
    return tuple(found)


@lru_cache(maxsize=16)
def _reapings(rules: Ruleset, player: int) -> dict[tuple[int, int], Counts]:
    """What each reaping changes: (where it starts, the pit it fills) -> the difference of all counts."""
    n, found = rules.board.pits, {}
    # A single game: in a match, where nobody can move, the mask would be that of the next game.
    game = CompiledRules(rules, rules.fields["width"], rules.num_actions, rules.one_game)
    for target in range(n):
        array: Position = np.zeros(rules.fields["width"], dtype=np.int16)
        array[:n] = rules.min_start
        array[target] = 0  # the only empty pit: all that reach one fill this
        array[n + layout.MOVER] = player
        data = game.empty(1)
        data[: len(array)] = array
        game.play(data, data, NO_ACTION, game.arrays)
        for action in np.flatnonzero(game.mask(data)).tolist():
            start, after = rules.board.homes[player][action], array.copy()
            _play(rules, after, player, action, 0)
            found[start, target] = (after[: n + 2] - array[: n + 2]).tolist()
    return found


class _Clause(NamedTuple):
    """A clause of the landing table, as ``layout`` encodes it."""

    needs: int
    value: int
    counts: int
    facing_counts: int
    take: int
    chain: int
    chain_counts: int
    then: int


class _Lap(NamedTuple):
    origin: int
    seeds: int  # that it sows
    falls: Counts  # how many of them fall in each cell


class _Track:
    """One player's moves along their loop, taken back. Cells are pits 0..N-1 and the stores N, N + 1."""

    def __init__(self, rules: Ruleset, array: Position, player: int) -> None:
        axes = rules.encoded.axes.tolist()
        n, at, first, size = rules.board.pits, rules.fields.get("owner"), layout.LANDING, layout.CLAUSE_SIZE
        self.rules, self.player, self.pits = rules, player, n
        self.array = array.copy()  # the position that is taken back; its counts and marks are scratch
        self.loop = _loop(rules, player)
        self.facing, self.outer = rules.board.facing, rules.board.outer
        self.owner = list(rules.board.owner) if at is None else array[at : at + n].tolist()
        ends = range(first, first + axes[layout.CLAUSES] * size, size)
        self.table = [_Clause(*axes[begin : begin + layout.FURTHER]) for begin in ends]
        self.laps = _laps(rules, player)

    def moves(self, board: Counts, marks: Counts) -> Iterator[tuple[Counts, Counts, int]]:
        """Counts and marks before a move, and the pit that was played. ``marks`` is empty where the game has none."""
        relays = any(when.then >= layout.RELAY for when in self.table)
        # Turns cut short come last: there are many candidates and few of them fit.
        for start in sorted(self._endings(board, marks), key=lambda ending: ending[3]):
            stack = [(*start, 0)]  # counts after a lap, marks, where it ended, was it cut short, the laps after it
            while stack:
                after, marked, end, cut, laps = stack.pop()
                laps += 1
                for before, origin in self._lap_undone(after, end):
                    if not cut or laps == self.rules.max_laps:
                        yield before, marked, origin
                    if relays and laps < self.rules.max_laps:
                        for earlier in self._lift_undone(before, marked, origin):
                            stack.append((earlier, marked, origin, cut, laps))
                if relays and laps < self.rules.max_laps:
                    for earlier, origin in self._sown_on_undone(after, marked, end):
                        stack.append((earlier, marked, origin, cut, laps))

    def _landing(self, board: Counts, marks: Counts, cell: int) -> _Clause | None:
        """The clause that applies where the last seed has fallen, as the engine finds it."""
        array = self.array
        array[: self.pits + 2] = board
        if marks:
            at = self.rules.fields["marks"]
            array[at : at + self.pits] = marks
        clause = clause_after(array, self.player, cell, self.rules.encoded.axes, self.rules.encoded.tables)
        return self.table[clause] if clause >= 0 else None

    def _endings(self, board: Counts, marks: Counts) -> Iterator[tuple[Counts, Counts, int, bool]]:
        """Counts and marks when the last seed of a move had fallen, where it fell, and whether laps ran out there."""
        for cell in self.loop:
            if board[cell]:
                when = self._landing(board, marks, cell)
                yield board, marks, cell, when is not None and when.then >= layout.RELAY
            if cell >= self.pits:
                continue
            for when in self.table:
                if when.take & layout.MARKING:
                    for before, free in self._marks_undone(board, marks, cell, when):
                        if self._landing(before, free, cell) is when:
                            yield before, free, cell, False
                elif when.take and (not when.then >= layout.RELAY or self._slam_stops(when)):
                    for before in self._capture_undone(board, cell, when):
                        if self._landing(before, marks, cell) is when:
                            yield before, marks, cell, False

    def _marks_undone(self, board: Counts, marks: Counts, cell: int, when: _Clause) -> Iterator[tuple[Counts, Counts]]:
        """Counts and marks before a clause has made its marks, and captured what it captures."""
        facing = self.facing[cell]
        pits = [pit for bits, pit in ((layout.MARKS_HERE, cell), (layout.MARKS_FACING, facing)) if when.take & bits]
        if any(marks[pit] != self.player for pit in pits):
            return
        free = marks[:]
        for pit in pits:
            free[pit] = -1
        if when.take & layout.CARRY_AND_MARK:
            if board[cell] > 1 and facing != cell:
                yield _moved(board, cell, facing, 1), free
            return
        captures = when.take & (layout.TAKE_HERE | layout.TAKE_FACING)
        if not when.take & layout.TAKE_HERE and not (captures and board[facing] and facing != cell) and board[cell]:
            yield board, free
        if captures:
            for before in self._capture_undone(board, cell, when):
                yield before, free

    def _slam_stops(self, when: _Clause) -> bool:
        """May a capture by a clause that relays end the game, before the relay?"""
        return when.then == layout.RELAY and self.rules.grand_slam is GrandSlam.REST_TO_OPPONENT

    def _capture_undone(self, board: Counts, cell: int, when: _Clause) -> Iterator[Counts]:
        """Give seeds of the mover's store back to empty pits that ``when`` can have taken, at least one seed."""
        store = self.pits + self.player
        facing = self.facing[cell]
        takes_facing = bool(when.take & layout.TAKE_FACING) and facing != cell
        runs: list[tuple[Counts, int]] = []  # counts with a run of pits given back, and how many steps it is long
        if not when.take & layout.TAKE_HERE:
            runs.append((board, 0))
        elif board[cell] == 0:
            alone = bool(when.value & layout.WAS_EMPTY)
            for seeds in range(1, 2 if alone else board[store] + 1):
                if _among(seeds, when.counts) and seeds <= board[store]:
                    runs.append((_moved(board, store, cell, seeds), 1))
        elif self.rules.grand_slam is GrandSlam.SPARE_LAST:  # all but this pit was taken
            runs.append((board, 1))
        place = self.loop.index(cell)
        while runs:
            before, steps = runs.pop()
            if before is not board and not (takes_facing and before[facing] == 0):
                yield before
            elif takes_facing and before[facing] == 0:
                for seeds in range(before is board, before[store] + 1):
                    yield _moved(before, store, facing, seeds)
            if when.chain == layout.NO_CHAIN or steps >= len(self.loop):
                continue
            pit = self.loop[place - steps]
            if (
                pit >= self.pits
                or before[pit]
                or (when.chain == layout.CHAIN_OPPONENT and self.owner[pit] == self.player)
            ):
                continue
            for seeds in range(1, min(before[store], layout.TOP_COUNT) + 1):
                if _among(seeds, when.chain_counts):
                    runs.append((_moved(before, store, pit, seeds), steps + 1))

    def _laps_to(self, board: Counts, end: int) -> Iterator[tuple[_Lap, Counts]]:
        """The laps that can have ended in ``end``, for all that they dropped lies there now; and counts without it."""
        for lap in self.laps[end]:
            if not any(map(gt, lap.falls, board)):
                yield lap, list(map(sub, board, lap.falls))

    def _lap_undone(self, board: Counts, end: int) -> Iterator[tuple[Counts, int]]:
        """Counts before a lap that ended in ``end`` and emptied its origin; and that origin."""
        for lap, before in self._laps_to(board, end):
            if before[lap.origin] == 0:
                before[lap.origin] = lap.seeds
                yield before, lap.origin

    def _lift_undone(self, board: Counts, marks: Counts, cell: int) -> Iterator[Counts]:
        """Counts when a lap had ended in ``cell``, from where they are sown on now, before what was taken there."""
        facing, store = self.facing[cell], self.pits + self.player
        landed = self._landing(board, marks, cell)
        if landed is not None and landed.then == layout.RELAY:
            yield board
        for when in self.table:
            if when.then != layout.RELAY or not when.take & layout.TAKE_FACING or facing == cell or board[facing]:
                continue
            for seeds in range(1, board[store] + 1):
                before = _moved(board, store, facing, seeds)
                if self._landing(before, marks, cell) is when:
                    yield before

    def _sown_on_undone(self, board: Counts, marks: Counts, end: int) -> Iterator[tuple[Counts, int]]:
        """Counts when a lap had ended in a cell from where seeds from across were sown on up to ``end``; that cell."""
        for when in self.table:
            if when.then != layout.SOW_ON:
                continue
            for (cell, hand, _), before in self._laps_to(board, end):
                facing, outer = self.facing[cell], self.outer[cell]
                if facing == cell or before[facing] or not before[cell]:  # the one was emptied, the other was not
                    continue
                if not when.take & layout.TAKE_OUTER:
                    ways = [(hand, 0)]
                elif before[outer]:
                    continue
                else:
                    ways = [(seeds, hand - seeds) for seeds in range(1, hand + 1)]
                for across, beyond in ways:
                    earlier = before[:]
                    earlier[facing] = across
                    if when.take & layout.TAKE_OUTER:
                        earlier[outer] = beyond
                    if self._landing(earlier, marks, cell) is when:
                        yield earlier, cell


@lru_cache(maxsize=16)
def _laps(rules: Ruleset, player: int) -> dict[int, list[_Lap]]:
    """The laps of a player that end in each cell."""
    loop, skips = _loop(rules, player), bool(rules.encoded.axes[layout.SKIP_ORIGIN])
    found: dict[int, list[_Lap]] = {cell: [] for cell in loop}
    for place, origin in enumerate(loop):
        if origin < rules.board.pits:
            falls, round_on = [0] * (rules.board.pits + 2), loop[place + 1 :] + loop[: place + (not skips)]
            for seeds, cell in enumerate(islice(cycle(round_on), rules.total_seeds), start=1):
                falls[cell] += 1
                found[cell].append(_Lap(origin, seeds, falls[:]))
    return found


def _loop(rules: Ruleset, player: int) -> list[int]:
    track: list[int] = rules.encoded.tables[player, layout.TRACK :][: rules.encoded.axes[layout.LOOP]].tolist()
    return track


def _among(count: int, counts: int) -> bool:
    """Is a number of seeds in a count set of ``layout``?"""
    return bool(counts >> min(count, layout.TOP_COUNT) & 1)


def _moved(board: Counts, giver: int, taker: int, seeds: int) -> Counts:
    board = board[:]
    board[giver] -= seeds
    board[taker] += seeds
    return board
