"""Where a lap has ended: what a clause of the landing table asks of that place, and what it takes from where."""

from collections.abc import Iterable
from typing import NamedTuple

from mancala_env import Ruleset, When
from tests.reference_board import NOBODY, OTHER_STORE, OWN_STORE, Table, across, beside, is_inner, outer_across


class Landing(NamedTuple):
    """The end of a lap. ``table``: as it lies now. ``lifted``: what was in the pit that the turn began with.
    ``visited``: the turn has dropped a seed on the opponent's side. ``way``: the cells that the mover sows, in
    order. ``last``: the cell where the last seed fell, and ``count``: what was in it right then, before anything was
    taken in passing. ``fell``: how many seeds fell there at once."""

    rules: Ruleset
    table: Table
    player: int
    ply: int
    lifted: int
    visited: bool
    way: tuple[int, ...]
    last: int
    count: int
    fell: int

    def clause(self) -> When | None:
        """The first clause of the landing table that matches."""
        for clause in self.rules.landing:
            if self.matches(clause):
                return clause
        return None

    def matches(self, clause: When) -> bool:
        if clause.few and sum(self.table.pits) > clause.few:
            return False
        if self.ply < clause.from_ply or self.lifted < clause.lifted:
            return False
        if clause.store is not None or self.last in (OWN_STORE, OTHER_STORE):
            return (clause.store, self.last) in (("own", OWN_STORE), ("opponent", OTHER_STORE))
        return (
            clause.visited in (None, self.visited)
            and self._landing_pit_matches(clause)
            and self._marks_match(clause)
            and self._across_matches(clause)
            and self._next_matches(clause)
        )

    def _landing_pit_matches(self, clause: When) -> bool:
        was = "empty" if self.count == self.fell else "occupied"
        if clause.side is not None and not self.is_on(self.last, clause.side):
            return False
        if clause.was is not None and was != clause.was:
            return False
        if not _fits(clause.count, self.count):
            return False
        if clause.remembered is not None and clause.remembered != (self.last in self.table.memory):
            return False
        if isinstance(clause.place, frozenset) and not self._lies_at(clause.place):
            return False
        return clause.place not in ("inner", "outer") or (clause.place == "inner") == is_inner(self.rules, self.last)

    def _lies_at(self, places: Iterable[int]) -> bool:
        """Is the last pit at one of these places of its owner's side?"""
        homes = self.rules.board.homes
        return any(self.last == home[place] for home in homes for place in places)

    def _across_matches(self, clause: When) -> bool:
        """The pit across, and the opponent's outer pit beyond it."""
        facing, outer = self.facing(self.last), outer_across(self.rules, self.last)
        return _fits(clause.facing, self._seeds_in(facing)) and _fits(clause.outer, self._seeds_in(outer))

    def _next_matches(self, clause: When) -> bool:
        """The next cell, the one after it, and the pit across from the next one."""
        following = self.next()
        seeds = {"house": None, "occupied_house": "occupied"}.get(clause.next, clause.next)
        return (
            _fits(seeds, self._seeds_in(following))
            and _fits(clause.next2, self._seeds_in(self.next2()))
            and _fits(clause.facing_next, self._seeds_in(self.facing(following)))
            and (clause.next not in ("house", "occupied_house") or self._is_pit_on(following, "nobody"))
        )

    def _marks_match(self, clause: When) -> bool:
        mark = self.table.marks[self.last]
        lifting = ("relay", "relay_or_stop")
        lifting += () if self.rules.marked_pits == "taken" else ("sow_on", "relay_next")
        if clause.then in lifting and mark != NOBODY:
            return False  # nobody lifts a marked pit
        if clause.marked == "own":
            asked_for = (self.player,)
        elif clause.marked == "opponent":
            asked_for = (1 - self.player,)
        else:
            asked_for = {None: (0, 1, NOBODY), True: (0, 1), False: (NOBODY,)}[clause.marked]
        return mark in asked_for and self._may_mark(clause)

    def _may_mark(self, clause: When) -> bool:
        """Can all the marks of this clause be made, if it makes any?"""
        pits, marks = self.pits_to_mark(clause), self.table.marks
        half = len(marks) // 2
        if any(pit is None or marks[pit] != NOBODY for pit in pits):
            return False
        mirrored = [marks[(pit + half) % len(marks)] for pit in pits]
        if self.rules.marked_pits == "collect" and 1 - self.player in mirrored:
            return False
        most = self.rules.mark_limit or len(marks)
        return not pits or marks.count(self.player) + len(pits) <= most

    def pits_to_mark(self, clause: When) -> list[int | None]:
        """The pits that a clause marks; None for a pit across that is not there."""
        places = ("here", "facing") if clause.marks == ("pair",) else clause.marks
        return [self.last if where == "here" else self.facing(self.last) for where in places]

    def taken(self, clause: When) -> dict[int, int]:
        """What a clause takes, settled before a seed moves: seeds from each pit, as a hand would reach the pits."""
        if "last" in clause.takes:
            return self._some_of_last(1)
        if "last_and_one" in clause.takes:
            return self._some_of_last(2)
        pits = self._named(clause) + self._chain(clause) + self._onward(clause) + self._counted(clause)
        return {pit: self.table.pits[pit] for pit in pits if self.table.pits[pit] > 0}

    def _some_of_last(self, most: int) -> dict[int, int]:
        seeds = min(most, self.table.pits[self.last])
        return {self.last: seeds} if seeds > 0 else {}

    def _named(self, clause: When) -> list[int]:
        """The pits that a clause takes by their place."""
        places = {
            "here": self.last,
            "facing": self.facing(self.last),
            "outer": outer_across(self.rules, self.last),
            "next": self.next(),
            "next2": self.next2(),
            "facing_next": self.facing(self.next()),
        }
        cells = [cell for place, cell in places.items() if place in clause.takes]
        return [cell for cell in cells if cell not in (None, OWN_STORE, OTHER_STORE)]

    def _chain(self, clause: When) -> list[int]:
        """The pits sown before the last one, or after it, as long as they hold the counts of the chain, and those
        across."""
        if not clause.chain:
            return []
        pits = []
        there = self.way.index(self.last)
        cells = [*self.way[:there][::-1], *self.way[there + 1 :][::-1]]  # those before it, the nearest first
        if self.rules.board.rows == 1:
            cells = cells[:there]  # a row begins somewhere
        if clause.chain_direction == "forward":
            cells.reverse()
            if "here" not in clause.takes:
                cells.append(self.last)  # all round the board
            if "next" in clause.takes:
                cells = cells[1:]
        for cell in cells:
            if cell in (OWN_STORE, OTHER_STORE) or not self._joins_chain(clause, cell):
                break
            pits.append(cell)
            if clause.chain_direction == "columns" and self.facing(cell) is not None:
                pits.append(self.facing(cell))
        return pits

    def _onward(self, clause: When) -> list[int]:
        """The pits that a capture reaches going on in the sowing direction."""
        size, at = len(self.way), self.way.index(self.last)
        ahead = [self.way[(at + step) % size] for step in range(size)]  # the last pit first
        pits = []
        if clause.chain_direction == "gaps":
            while_at = {"next2": 2, "next": 1}
            here = max([while_at.get(take, 0) for take in clause.takes])
            while here + 2 < size and self._is_gap(ahead[here + 1], ahead[here + 2]):
                pits.append(ahead[here + 2])
                here += 2
        if clause.chain_direction == "across":
            for cell in ahead[1:]:
                if cell in (OWN_STORE, OTHER_STORE) or not self.is_on(cell, "own") or self.table.pits[cell] > 0:
                    break
                if self.what_is_in(self.facing(cell)) == "empty":
                    break
                pits.append(self.facing(cell))
        return pits

    def _is_gap(self, gap: int, full: int) -> bool:
        """Are these an empty pit and one with seeds?"""
        stores = (OWN_STORE, OTHER_STORE)
        return gap not in stores and full not in stores and self.table.pits[gap] == 0 and self.table.pits[full] > 0

    def _joins_chain(self, clause: When, pit: int) -> bool:
        return self.table.pits[pit] in clause.chain and self.is_on(pit, clause.chain_side)

    def _counted(self, clause: When) -> list[int]:
        """The pits that a clause takes because of what they hold: of all pits, or of those beside the last one."""
        pits = []
        if "every" in clause.takes:
            pits += range(len(self.table.pits))
        if "neighbours" in clause.takes:
            pits += beside(self.rules, self.last)
        return [
            pit
            for pit in pits
            if self.table.pits[pit] in clause.every
            and self.table.marks[pit] == NOBODY
            and self.is_on(pit, clause.every_side)
        ]

    def _is_pit_on(self, cell: int, side: str) -> bool:
        return cell not in (OWN_STORE, OTHER_STORE) and self.is_on(cell, side)

    def next(self) -> int:
        """The cell after the last one on the mover's way round; the next pit, where stores do not count."""
        return self._ahead()[0]

    def next2(self) -> int:
        """The cell, or the pit, after that."""
        return self._ahead()[1]

    def _ahead(self) -> list[int]:
        there = self.way.index(self.last)
        cells = [*self.way[there + 1 :], *self.way[: there + 1]] * 2
        if self.rules.store != "none":
            return [cell for cell in cells if cell not in (OWN_STORE, OTHER_STORE)] * 2
        return cells

    def facing(self, cell: int) -> int | None:
        """The pit across from a cell. Nothing is across from a store."""
        return None if cell in (OWN_STORE, OTHER_STORE) else across(self.rules, cell)

    def what_is_in(self, cell: int | None) -> str:
        """ "occupied" or "empty", which a cell that is not there is as well."""
        return "occupied" if self._seeds_in(cell) else "empty"

    def _seeds_in(self, cell: int | None) -> int | None:
        """None: that cell is not there."""
        return None if cell is None else self.table.seeds_in(cell, self.player)

    def is_on(self, pit: int, side: str) -> bool:
        """Is the pit on this side, as the mover sees it?"""
        owners = {"own": [self.player], "opponent": [1 - self.player], "nobody": [NOBODY], "any": [0, 1, NOBODY]}
        return self.table.owner[pit] in owners[side]


def _fits(asked: str | Iterable[int] | None, seeds: int | None) -> bool:
    """Does a cell with so many seeds (None: there is no such cell) fit what a clause asks of it?"""
    if asked is None:
        return True
    if asked in ("occupied", "empty"):
        return (asked == "occupied") == bool(seeds)
    return seeds % 2 == 0 if asked == "even" else seeds in asked
