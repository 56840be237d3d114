"""Moves undone: the positions from which one move may have led to a given one.

Two stages. ``candidates``, here, takes a move back in every way it can have gone, and may propose too much;
``State.predecessors`` plays every candidate forward and keeps those that arrive. So nothing wrong comes out, and what
has to be argued is that nothing is missing. The player who moved is the other one than the mover now; where a turn can
be kept (another turn, a pass) both are tried.

A *lap* empties a pit (its origin) and drops the seeds behind it. A move is a row of laps, each of which ends in a
hole where the landing table says what follows. Backwards:

1.  Where the last lap ended, and what was taken then. Every hole of the mover's loop is tried. Either nothing was
    taken, or pits that are empty now held seeds that are in the mover's store now, counts that the landing row can
    take: all such pits and counts are tried. Or a pair was marked, and one seed goes back across.
2.  Where that lap began, and with how many seeds. Its origin was emptied, so what it holds now fell in on full rounds;
    on each round a seed fell in every other hole too, and one more in the holes between origin and end. Without a
    skipped origin the number of rounds is the smallest count on the loop, and the origin the nearest pit behind the
    end with so few: there is one answer or none. Where the origin is skipped it is the nearest empty pit; more rounds
    than none are possible if no other pit is empty, and each number of them is tried. Where seeds from across were
    sown on, all beginnings behind which no hole is empty, all numbers of rounds, and all ways to share the seeds
    between the pits they came from are tried.
3.  Was that the first lap, or did another one end at its origin? Both are tried, the other lap from 2. on, if the
    landing table sends a seed that ends there on. A row of laps is never longer than the rules let it be.

Scattering and reaping have one lap, and their few ways back are listed. Passing changes the mover only.

Endgame tables take back moves by the million. They have a compiled special case of this, hundreds of times as fast, for
moves of one lap that capture nothing (``agents.tablebase.kernel.step_back``); in ``tests/test_tablebase.py``
``test_steps_back_are_the_predecessors_of_a_state`` holds the two together.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mancala_env import checks
from mancala_env.kernels import layout
from mancala_env.kernels.trace import clause_where
from mancala_env.rules import Ruleset, Sowing, Stuck
from mancala_env.rules.encode import Encoded

Row = npt.NDArray[np.int16]
Counts = list[int]  # seeds in each pit, then in the stores of South and North; changed by nobody once it is handed on


def candidates(rules: Ruleset, row: Row) -> Iterator[tuple[Row, int]]:
    """(row, action) of every move that may have led to a position, and of some that do not; each only once.

    Parameters
    ----------
    rules : the game
    row : int16[rules.fields["width"]]
        The position (``kernels.layout``), finished or not; not modified.

    Yields
    ------
    row, action : int16[rules.fields["width"]], int
        A position that need be neither running nor sensible, one ply earlier, and what its mover plays there. Owners
        and all that a match keeps are those of ``row``.

    Raises
    ------
    ValueError
        If ``row`` is no position of this game.
    """
    yield from _candidates(rules, checks.position(rules, row))


def _candidates(rules: Ruleset, row: Row) -> Iterator[tuple[Row, int]]:
    """``candidates`` of a checked position."""
    n = rules.board.pits
    seen = set()
    mover = int(row[n + layout.MOVER])
    keeps_turn = rules.stuck is Stuck.PASS or any(when.then == "again" for when in rules.landing)
    for player in (1 - mover, mover) if keeps_turn else (1 - mover,):
        before = row.copy()
        before[n + layout.MOVER] = player
        before[n + layout.PLY] = max(0, row[n + layout.PLY] - 1)
        before[n + layout.PLIES_SINCE_CAPTURE] = before[n + layout.OVER] = 0
        if rules.explicit_pass:
            yield before.copy(), rules.num_actions - 1
        for board, marks, removed, pit in _moves(rules, row, player):
            if pit not in rules.board.homes[player] or board[pit] < rules.min_start:
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


def _moves(rules: Ruleset, row: Row, player: int) -> Iterator[tuple[Counts, Counts, int, int]]:
    """Counts, marks and removed seeds before a move of ``player``, and the pit he played."""
    n, at = rules.board.pits, rules.fields
    board = row[: n + 2].tolist()
    marks = row[at["marks"] : at["marks"] + n].tolist() if "marks" in at else []
    removed = int(row[at["removed"]]) if "removed" in at else 0
    if rules.sowing is Sowing.NEIGHBOURS:
        for before, gone, pit in _gathered(rules, board, removed):
            yield before, marks, gone, pit
    elif rules.sowing is Sowing.REAPING:
        for before, pit in _given_back(rules, board, player):
            yield before, marks, removed, pit
    else:
        for before, marked, pit in _Track.of(rules, row, player).moves(board, marks):
            yield before, marked, removed, pit


def _gathered(rules: Ruleset, board: Counts, removed: int) -> Iterator[tuple[Counts, int, int]]:
    """Undo a scattering: counts, removed seeds, and the pit that was scattered."""
    columns, pits = rules.board.columns, rules.board.pits
    for pit in range(pits):
        if board[pit]:  # no seed falls back where it came from
            continue
        turned, column = (0, pit) if pit < columns else (columns, pit - columns)
        last, first = column == columns - 1, column == 0
        across = 2 * columns - 1 - column
        steps = (  # right, above right, above, above left, left; None: off the board
            None if last else column + 1,
            None if last else across - 1,
            across,
            None if first else across + 1,
            None if first else column - 1,
        )
        ways = [(board[:], removed)]
        for seeds, step in enumerate(steps[: rules.pit_limit], start=1):  # one seed more in each pass
            earlier = []
            for before, gone in ways:
                receiver = None if step is None else (step + turned) % pits
                if receiver is not None and before[receiver] > 0:  # it had room
                    fewer = before[:]
                    fewer[receiver] -= 1
                    earlier.append((fewer, gone))
                if gone > 0 and (receiver is None or before[receiver] == rules.pit_limit):
                    earlier.append((before, gone - 1))
            ways = earlier
            for before, gone in ways:
                yield [*before[:pit], seeds, *before[pit + 1 :]], gone, pit


def _given_back(rules: Ruleset, board: Counts, player: int) -> Iterator[tuple[Counts, int]]:
    """Undo a reaping: counts and the pit it began with. The pit it filled had been empty, and tells its length."""
    step = 1 if player == 0 else -1
    for target in range(rules.board.pits):
        start = target - step * board[target]
        if start != target and 0 <= start < rules.board.pits:
            before = board[:]
            before[target] = 0
            for pit in range(start, target, step):
                before[pit] += 1
            yield before, start


@dataclass(frozen=True, eq=False)
class _When:
    """A landing row, as ``layout`` encodes it."""

    needs: int
    value: int
    counts: int
    facing_counts: int
    take: int
    chain: int
    chain_counts: int
    then: int

    @property
    def goes_on(self) -> bool:
        """Is another lap sown?"""
        return self.then >= layout.RELAY


@dataclass(frozen=True, eq=False)
class _Track:
    """One player's moves along his loop, taken back. Holes are pits 0..N-1 and the stores N, N + 1."""

    player: int
    pits: int
    loop: tuple[int, ...]  # the holes the player sows, in sowing order
    facing: tuple[int, ...]
    behind: tuple[int, ...]
    owner: list[int]  # of each pit: 0, 1, or something else for nobody
    table: tuple[_When, ...]
    skips: bool
    most_laps: int
    slam: int
    encoded: Encoded
    scratch: Row  # a position of this game, whose counts and marks are written over
    marks_at: int  # where marks begin in it

    @classmethod
    def of(cls, rules: Ruleset, row: Row, player: int) -> "_Track":
        """The moves of ``player`` in the game that ``row`` is a position of."""
        axes, tables = (rules.encoded.axes.tolist(), rules.encoded.tables.tolist())
        board, n = rules.board, rules.board.pits
        first, size = layout.LANDING, layout.ROW_SIZE
        table = tuple(_When(*axes[at : at + size]) for at in range(first, first + axes[layout.ROWS] * size, size))
        owner = list(board.owner)
        if "owner" in rules.fields:
            owner = row[rules.fields["owner"] : rules.fields["owner"] + n].tolist()
        return cls(
            player=player,
            pits=n,
            loop=tuple(tables[player][layout.TRACK : layout.TRACK + axes[layout.LOOP]]),
            facing=board.facing,
            behind=board.behind,
            owner=owner,
            table=table,
            skips=rules.skip_origin,
            most_laps=rules.max_laps,
            slam=axes[layout.SLAM],
            encoded=rules.encoded,
            scratch=row.copy(),
            marks_at=axes[layout.MARKS],
        )

    def moves(self, board: Counts, marks: Counts) -> Iterator[tuple[Counts, Counts, int]]:
        """Counts and marks before a move, and the pit that was played. ``marks`` is empty where the game has none."""
        relays = any(when.goes_on for when in self.table)
        # Turns cut short come last: they are many to look at, and few to find.
        for start in sorted(self._endings(board, marks), key=lambda ending: ending[3]):
            stack = [(*start, 0)]  # counts after a lap, marks, where it ended, was it cut short, the laps after it
            while stack:
                after, marked, end, cut, laps = stack.pop()
                laps += 1
                for before, origin in self._lap_undone(after, end):
                    if not cut or laps == self.most_laps:
                        yield before, marked, origin
                    if relays and laps < self.most_laps:
                        for earlier in self._lift_undone(before, marked, origin):
                            stack.append((earlier, marked, origin, cut, laps))
                if relays and laps < self.most_laps:
                    for earlier, origin in self._sown_on_undone(after, marked, end):
                        stack.append((earlier, marked, origin, cut, laps))

    def _landing(self, board: Counts, marks: Counts, hole: int) -> _When | None:
        """The landing row that acts where the last seed has fallen: the engine says so."""
        self.scratch[: self.pits + 2] = board
        if marks:
            self.scratch[self.marks_at : self.marks_at + self.pits] = marks
        clause = clause_where(self.scratch, self.player, hole, self.encoded.axes, self.encoded.tables)
        return self.table[clause] if clause >= 0 else None

    def _marked(self, hole: int, when: _When) -> list[int]:
        """The pits that a landing row marks."""
        taken = ((layout.MARKS_HERE, hole), (layout.MARKS_FACING, self.facing[hole]))
        return [pit for bits, pit in taken if when.take & bits]

    def _endings(self, board: Counts, marks: Counts) -> Iterator[tuple[Counts, Counts, int, bool]]:
        """Counts and marks when the last seed of a move had fallen, where it fell, and whether laps ran out there."""
        for hole in self.loop:
            if board[hole]:
                when = self._landing(board, marks, hole)
                if when is None or when.goes_on or self._may_leave_all(board, hole, when):
                    yield board, marks, hole, when is not None and when.goes_on
            if hole >= self.pits:
                continue
            for when in self.table:
                if when.take & layout.MARKING:
                    for before, free in self._marks_undone(board, marks, hole, when):
                        if self._landing(before, free, hole) is when:
                            yield before, free, hole, False
                elif when.take and (not when.goes_on or self._slam_stops(when)):
                    for before in self._capture_undone(board, hole, when):
                        if self._landing(before, marks, hole) is when:
                            yield before, marks, hole, False

    def _marks_undone(self, board: Counts, marks: Counts, hole: int, when: _When) -> Iterator[tuple[Counts, Counts]]:
        """Counts and marks before a landing row has made its marks, and captured what it captures."""
        pits, facing = self._marked(hole, when), self.facing[hole]
        if any(marks[pit] != self.player for pit in pits):
            return
        free = marks[:]
        for pit in pits:
            free[pit] = -1
        if when.take & layout.CARRY_AND_MARK:
            if board[hole] > 1 and facing != hole:
                yield _moved(board, hole, facing, 1), free
            return
        captures = when.take & (layout.TAKE_HERE | layout.TAKE_FACING)
        if not when.take & layout.TAKE_HERE and not (captures and board[facing] and facing != hole) and board[hole]:
            yield board, free
        if captures:
            for before in self._capture_undone(board, hole, when):
                yield before, free

    def _may_leave_all(self, board: Counts, hole: int, when: _When) -> bool:
        """May a landing row act at a hole without a change to the board?"""
        facing = self.facing[hole] if hole < self.pits else hole
        facing_full = facing != hole and board[facing] > 0
        takes = when.take & layout.TAKE_HERE or (when.take & layout.TAKE_FACING and facing_full)
        return not when.take & layout.MARKING and (not takes or self.slam != layout.SLAM_CAPTURE)

    def _slam_stops(self, when: _When) -> bool:
        """May a capture by a row that relays end the game, before the relay?"""
        return when.then == layout.RELAY and self.slam == layout.SLAM_REST

    def _capture_undone(self, board: Counts, hole: int, when: _When) -> Iterator[Counts]:
        """Give seeds of the mover's store back to empty pits that ``when`` can have taken, at least one seed."""
        store = self.pits + self.player
        facing = self.facing[hole]
        takes_facing = bool(when.take & layout.TAKE_FACING) and facing != hole
        runs: list[tuple[Counts, int]] = []  # counts with a run of pits given back, and how many steps it is long
        if not when.take & layout.TAKE_HERE:
            runs.append((board, 0))
        elif board[hole] == 0:
            alone = bool(when.value & layout.WAS_EMPTY)
            for seeds in range(1, 2 if alone else board[store] + 1):
                if _among(seeds, when.counts) and seeds <= board[store]:
                    runs.append((_moved(board, store, hole, seeds), 1))
        elif self.slam == layout.SLAM_SPARE_LAST:  # all but this pit was taken
            runs.append((board, 1))
        place = self.loop.index(hole)
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

    def _lap_undone(self, board: Counts, end: int) -> Iterator[tuple[Counts, int]]:
        """Counts before a lap that ended in ``end`` and emptied its origin; and that origin."""
        loop = self.loop
        place = loop.index(end)
        fewest = 0 if self.skips else min([board[hole] for hole in loop])
        steps = 0  # the seeds of the last, broken round
        while steps < len(loop) and board[loop[place - steps]] > fewest:
            steps += 1
        if steps == len(loop) or (origin := loop[place - steps]) >= self.pits:
            return
        rounds = fewest
        while rounds + steps > 0:
            before = [*board]
            for hole in loop:
                before[hole] -= rounds
            for k in range(steps):
                before[loop[place - k]] -= 1
            before[origin] = 0
            if min([before[hole] for hole in loop]) < 0:
                return
            before[origin] = rounds * (len(loop) - self.skips) + steps
            yield before, origin
            if not self.skips:
                return
            rounds += 1

    def _lift_undone(self, board: Counts, marks: Counts, hole: int) -> Iterator[Counts]:
        """Counts when a lap had ended in ``hole``, from where they are sown on now, before what was taken there."""
        facing, store = self.facing[hole], self.pits + self.player
        landed = self._landing(board, marks, hole)
        if landed is not None and landed.then == layout.RELAY and self._may_leave_all(board, hole, landed):
            yield board
        for when in self.table:
            if when.then != layout.RELAY or not when.take & layout.TAKE_FACING or facing == hole or board[facing]:
                continue
            for seeds in range(1, board[store] + 1):
                before = _moved(board, store, facing, seeds)
                if self._landing(before, marks, hole) is when:
                    yield before

    def _sown_on_undone(self, board: Counts, marks: Counts, end: int) -> Iterator[tuple[Counts, int]]:
        """Counts when a lap had ended in a hole from where seeds from across were sown on up to ``end``; that hole."""
        loop = self.loop
        for when in self.table:
            if when.then != layout.SOW_ON:
                continue
            place = loop.index(end)
            least = min([board[hole] for hole in loop])
            passed = board[end]  # the least in the holes of the broken round
            for steps in range(1, len(loop) + 1):
                passed = min(passed, board[loop[place - steps + 1]])
                if not passed:
                    break
                hole = loop[place - steps]
                facing, behind = self.facing[hole], self.behind[hole]
                if hole >= self.pits or facing == hole or (board[facing] and facing not in loop):
                    continue
                for rounds in range(min(least, passed - 1) + 1):
                    before = board[:]
                    for each in loop:
                        before[each] -= rounds
                    for k in range(steps):
                        before[loop[place - k]] -= 1
                    hand = rounds * len(loop) + steps
                    if before[facing] or not before[hole]:
                        continue
                    if not when.take & layout.TAKE_BEHIND:
                        ways = [(hand, 0)]
                    elif before[behind]:
                        continue
                    else:
                        ways = [(seeds, hand - seeds) for seeds in range(1, hand + 1)]
                    for across, beyond in ways:
                        earlier = before[:]
                        earlier[facing] = across
                        if when.take & layout.TAKE_BEHIND:
                            earlier[behind] = beyond
                        if self._landing(earlier, marks, hole) is when:
                            yield earlier, hole


def _among(count: int, counts: int) -> bool:
    """Is a number of seeds in a count set of ``layout``?"""
    return bool(counts >> min(count, layout.TOP_COUNT) & 1)


def _moved(board: Counts, giver: int, taker: int, seeds: int) -> Counts:
    """Counts with some seeds moved from one hole to another."""
    board = board[:]
    board[giver] -= seeds
    board[taker] += seeds
    return board
