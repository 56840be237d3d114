"""One turn, as the reference plays it: lifting, sowing lap after lap, what is taken on the way and what at the end."""

from mancala_env import Ruleset, When
from tests.reference_board import (
    NOBODY,
    OTHER_STORE,
    OWN_STORE,
    Table,
    laid_out,
    neighbours,
    next_empty,
    next_piles,
    side,
    way_round,
)
from tests.reference_landing import Landing

GOES_ON = ("relay", "relay_or_stop", "sow_on", "relay_next")  # how a clause has another lap sown


class Turn:
    """One turn. On a track a pit is sown, lap after lap, and the landing table says what comes of each lap.

    ``clockwise``: the way of the first lap. ``visited``: a seed has fallen on the opponent's side.
    ``ply``: how many moves of the game came before. ``gained``: seeds in the stores more than before; ``captured``:
    seeds that were captured. ``feeds``: the seeds that the opponent had after the sowing, or, where laps and captures
    take turns (a table with relays), after the turn. ``slams``: a capture would have taken everything the opponent had.
    ``removed``: seeds that left the board; ``lost``: those of them that were due in a closed pit. ``marked``: pits were
    marked. ``picks``: pits that the player may then take. ``reversible``: the pit and the seeds with which the turn may
    go on in either direction. ``loses``: the last seed fell where that loses the game. ``last``: where the last seed of
    the last lap fell, or the pit where the only seed stays; None: it has left the board.

    ``hand``: so many seeds of the pit are sown, instead of what is lifted. ``only_first``: only the first lap.
    """

    def __init__(
        self,
        rules: Ruleset,
        table: Table,
        player: int,
        pit: int,
        ply: int,
        clockwise: bool,
        hand: int | None = None,
        only_first: bool = False,
    ) -> None:
        self.rules = rules
        self.before = table = laid_out(rules, table, player) or table
        self.debt = table.debt
        self.pits = list(table.pits)
        self.owner = table.owner
        self.marks = list(table.marks)
        self.stores = list(table.stores)
        self.memory = set(table.memory)
        self.player = player
        self.opponent = 1 - player
        self.ply = ply
        self.clockwise = clockwise
        self.visited = False
        self.captures_at_once = False  # the first lap ends where a clause captures
        self.lifted = table.pits[pit]
        self.last: int | None = pit
        self.captured = 0
        self.removed = 0
        self.lost = 0
        self.feeds = 0
        self.slams = False
        self.marked = False
        self.again = False
        self.picks = 0
        self.may_go_on: int | None = None
        self.reversible: tuple[int, int] | None = None
        self.only_first = only_first
        self.forfeits_the_rest = False
        self.loses = False
        if rules.sowing == "neighbours":
            self._diffuse(pit)
        elif rules.sowing == "reaping":
            self._reap(pit)
        elif rules.sowing == "piles":
            self.pits = list(next_piles(self.pits))
        else:
            self._sow_laps(pit, hand)
            if rules.remember in ("played", "played_last", "until_sown"):
                self.memory.add(pit)

    @property
    def table(self) -> Table:
        stores, memory = (self.stores[0], self.stores[1]), frozenset(self.memory)
        return Table(tuple(self.pits), self.owner, tuple(self.marks), stores, memory, self.debt, self.before.closed)

    @property
    def gained(self) -> int:
        return sum(self.stores) - sum(self.before.stores)

    @property
    def cannot_be_undone(self) -> bool:
        """Something was captured or marked, or a marked pit has grown: no earlier position can come back."""
        marked = [pit for pit in range(len(self.pits)) if self.before.marks[pit] != NOBODY]
        has_grown = self.rules.marked_pits != "taken" and any(self.pits[pit] > self.before.pits[pit] for pit in marked)
        return self.captured > 0 or self.lost > 0 or self.marked or has_grown

    def _diffuse(self, pit: int) -> None:
        """Give the seeds of a pit to the pits around it, one each."""
        hand = self._lift([pit])
        for receiver in neighbours(self.rules, pit)[:hand]:
            is_full = receiver is not None and self.pits[receiver] >= 5
            if receiver is None or is_full:
                self.removed += 1
            else:
                self.pits[receiver] += 1

    def _reap(self, pit: int) -> None:
        """Take a seed from every pit up to the next empty one, and put them all there."""
        goal = next_empty(self.pits, self.player, pit)
        for reaped in range(pit, goal, 1 if pit < goal else -1):
            self.pits[reaped] -= 1
            self.pits[goal] += 1

    def _sow_laps(self, pit: int, seeds: int | None) -> None:
        start = pit
        if seeds is None:
            hand = self._lift_for_lap(pit, is_first=True)
        else:
            hand = seeds
            self.pits[pit] -= seeds
        self.feeds = self._opponents_seeds()  # a turn may end here: a lone seed that stays
        including = stops = False
        laps = 0
        while hand > 0:
            landing = self._sow(hand, start, including)
            self.last = landing.last if landing is not None else None
            laps += 1
            turning = self.rules.direction == "choice_turning"
            self.clockwise = self.clockwise != turning and not self.rules.reverses
            self.feeds = self._opponents_seeds()
            if landing is None or stops or self.again:
                return
            clause = landing.clause()
            self.captures_at_once = self.captures_at_once or (laps == 1 and clause is not None and bool(clause.takes))
            if self.only_first:
                return
            if self.rules.remember == "marks" and landing.last >= 0 and self.marks[landing.last] == self.opponent:
                self.memory.add(landing.last)
            if clause is None or (clause.then in GOES_ON and laps == self.rules.max_laps):
                return
            if clause.then == "lose":
                self.loses = True
                return
            if clause.then == "sow_on":
                hand, start = self._booty_to_sow(clause, landing, start)
                if self._may_be_reversed(start, hand):
                    return
                including, stops = clause.first == "lap_start", clause.stops
            else:
                self._capture(clause, landing)
                self._mark(clause, landing)
                including = stops = False
            has_laps = any(other.then in GOES_ON for other in self.rules.landing)
            if has_laps or self.rules.leave != "nothing":
                self.feeds = self._opponents_seeds()
            if clause.then in ("stop", "again") or self.forfeits_the_rest:
                self.again = (self.again or clause.then == "again") and not self.forfeits_the_rest
                self.picks = clause.picks
                return
            if clause.then == "relay_or_stop" and self.pits[landing.last] > 0:
                self.again, self.may_go_on = True, landing.last
                return
            if clause.then in ("relay", "relay_or_stop"):
                start = landing.last
                hand = self._lift_for_lap(start)
                if self._may_be_reversed(start, hand):
                    return
            if clause.then == "relay_next":
                start = landing.next()
                if not self._may_go_on_from(start):
                    return
                hand = self._lift_for_lap(start)
                if self._may_be_reversed(start, hand):
                    return

    def _may_be_reversed(self, pit: int, hand: int) -> bool:
        """Does the player choose which way the next lap goes? Then the seeds of the hand lie in its pit."""
        rules = self.rules
        if not rules.reverses_laps or self.ply < len(rules.opening) or pit not in rules.reversible[self.player]:
            return False
        self.pits[pit] += hand
        turn = Turn(rules, self.table, self.player, pit, self.ply, True, hand=hand, only_first=True)
        if turn.captures_at_once:
            self.reversible = pit, hand
            return True
        self.pits[pit] -= hand
        return False

    def _lift(self, pits: list[int]) -> int:
        """Take all seeds of some pits into the hand."""
        hand = 0
        for pit in pits:
            hand += self.pits[pit]
            self.pits[pit] = 0
        return hand

    def _lift_for_lap(self, pit: int, is_first: bool = False) -> int:
        """Lift a pit to sow it, and leave a seed there if the rules say so."""
        stays = self.rules.leave == "every_lap" or (self.rules.leave != "nothing" and is_first)
        if self.pits[pit] == 1 and self.rules.leave != "unless_alone":
            stays = False
        hand = self._lift([pit])
        if stays and hand > 0:
            self.pits[pit] = 1
            hand -= 1
        return hand

    def _may_go_on_from(self, cell: int) -> bool:
        """Can the next cell be lifted: is it a pit with seeds and without a mark?"""
        if cell in (OWN_STORE, OTHER_STORE) or self.marks[cell] != NOBODY:
            return False
        return self.pits[cell] > 0

    def _sow(self, hand: int, start: int, including: bool) -> Landing | None:
        """Drop the seeds of a hand one by one from the cell after ``start``, and say how the last one fell; None if it
        left the board. ``including``: from ``start`` itself."""
        passing = self.rules.passing
        closed = self.before.closed
        way = tuple(cell for cell in way_round(self.rules, self.player, self.clockwise) if cell not in closed)
        step = way.index(start) - (1 if including else 0)
        a_round = len(way) - (1 if self.rules.skip_origin else 0)
        sown = []
        count = passed_over = heap = 0
        while hand > 0:
            step = (step + 1) % len(way)
            cell = way[step]
            if cell == start and self.rules.skip_origin:
                continue
            if self.rules.surplus == "opponent" and len(sown) >= a_round and not self._is_opponents(cell):
                continue
            if self._is_closed(cell):
                if self.owner[cell] != self.player:
                    self.lost += 1
                    self.removed += 1
                    hand -= 1
                    if hand == 0:
                        return None
                continue
            if self._is_passed_over(cell, hand) and passed_over < len(way):
                passed_over += 1
                continue
            passed_over = 0
            heap = min(hand, self.rules.seeds_a_pit)
            for _ in range(heap):
                self._drop(cell)
            if self.rules.remember == "until_sown" and self._is_opponents(cell):
                self.memory.discard(cell)
            hand -= heap
            sown.append(cell)
            if hand == 0:
                count = self.table.seeds_in(cell, self.player)
            self._collect(cell)
            if passing is not None and passing.when == "each_seed" and (hand > 0 or passing.last):
                self._take_in_passing(cell)
        last = way[step]
        if passing is not None and passing.when == "after_lap":
            for cell in dict.fromkeys(sown):  # each once, in the order in which they first got a seed
                if cell != last or passing.last:
                    self._take_in_passing(cell)
        return Landing(self.rules, self.table, self.player, self.ply, self.lifted, self.visited, way, last, count, heap)

    def _is_opponents(self, cell: int) -> bool:
        return cell not in (OWN_STORE, OTHER_STORE) and self.owner[cell] == self.opponent

    def _drop(self, cell: int) -> None:
        if cell == OWN_STORE:
            self.stores[self.player] += 1
        elif cell == OTHER_STORE:
            self.stores[self.opponent] += 1
        else:
            self.pits[cell] += 1
            self.visited = self.visited or self.owner[cell] == self.opponent

    def _is_closed(self, cell: int) -> bool:
        """Is this a pit that is out of play?"""
        is_pit = cell not in (OWN_STORE, OTHER_STORE)
        return is_pit and self.rules.marked_pits == "closed" and self.marks[cell] != NOBODY

    def _is_passed_over(self, cell: int, hand: int) -> bool:
        """Does the next of ``hand`` seeds not fall in this cell because of what it holds?"""
        skipping = self.rules.skipping
        if skipping is None or cell in (OWN_STORE, OTHER_STORE) or self.pits[cell] not in skipping.counts:
            return False
        if self.ply < skipping.from_ply or (hand == 1 and not skipping.last):
            return False
        whose = {"own": [self.player], "opponent": [self.opponent], "any": [self.player, self.opponent, NOBODY]}
        return self.owner[cell] in whose[skipping.side]

    def _collect(self, cell: int) -> None:
        """A seed that has fallen in a marked pit goes to the store of the mark's owner, if it is collected there."""
        is_pit = cell not in (OWN_STORE, OTHER_STORE)
        if self.rules.marked_pits == "collect" and is_pit and self.marks[cell] != NOBODY:
            self.pits[cell] -= 1
            self.stores[self.marks[cell]] += 1
            self.captured += 1

    def _take_in_passing(self, cell: int) -> None:
        """Take what is in a cell, if it is a pit of those that are taken on the way and holds seeds to match."""
        passing = self.rules.passing
        if cell in (OWN_STORE, OTHER_STORE) or self.marks[cell] != NOBODY or self.pits[cell] not in passing.counts:
            return
        self._store({cell: self.pits[cell]}, passing.to)
        self.again = self.again or passing.then == "again"

    def _store(self, taken: dict[int, int], to: str) -> None:
        """Captured seeds go to the store of the mover, or of the owner of each pit."""
        for pit, seeds in taken.items():
            winner = {"owner": self.owner[pit], "opponent": self.opponent}.get(to, self.player)
            self.pits[pit] -= seeds
            self.stores[winner] += seeds
            self.captured += seeds

    def _capture(self, clause: When, landing: Landing) -> None:
        taken = landing.taken(clause)
        if self.rules.grand_slam != "capture" and self._is_slam(taken):
            self.slams = True
            pits = list(taken)
            if self.rules.grand_slam in ("no_capture", "forbidden"):
                pits = []
            if self.rules.grand_slam == "spare_last":
                pits = pits[1:]
            if self.rules.grand_slam == "spare_first":
                pits = pits[:-1]
            if self.rules.grand_slam == "rest_to_opponent":
                self.forfeits_the_rest = True
            taken = {pit: taken[pit] for pit in pits}
        if self.rules.marked_pits == "taken":
            for pit in taken:
                self.marks[pit] = NOBODY
        if clause.to == "here":  # they stay on the board, and can come back
            seeds = self._lift(list(taken))  # before the last pit is looked at, which may be one of them
            self.pits[landing.last] += seeds
        else:
            self._store(taken, clause.to)

    def _is_slam(self, taken: dict[int, int]) -> bool:
        from_opponent = [seeds for pit, seeds in taken.items() if self.owner[pit] == self.opponent]
        enough = 2 if self.rules.slam_scope == "multi_pit" else 1
        return len(from_opponent) >= enough and sum(from_opponent) == side(
            self.rules, self.pits, self.opponent, self.owner
        )

    def _booty_to_sow(self, clause: When, landing: Landing, lap_start: int) -> tuple[int, int]:
        """Lift what a clause takes to be sown on: the seeds in the hand, and the pit after which the next lap begins.
        They stay on the board, and can come back."""
        booty = self._lift(list(landing.taken(clause)))
        start = landing.last if clause.first == "after_here" else lap_start
        return booty, start

    def _mark(self, clause: When, landing: Landing) -> None:
        """Put the mover's mark on pits; where the clause says so, one seed goes across from the facing pit first."""
        if clause.marks == ("pair",):
            self.pits[landing.facing(landing.last)] -= 1
            self.pits[landing.last] += 1
        for pit in landing.pits_to_mark(clause):
            self.marks[pit] = self.player
            self.marked = True

    def _opponents_seeds(self) -> int:
        return side(self.rules, self.pits, self.opponent, self.owner)
