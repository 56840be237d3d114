"""The rules once more, slowly: any ``Ruleset`` with a landing table, played with lists and loops as in a rule book.

The compiled kernels are tested against this file, so it shares no code with them: it reads the axes of a ruleset and
the geometry of its board, and nothing else of the package.
"""

from collections.abc import Sequence

from mancala_env import Ruleset, When

IN_STORE = -1  # the hole that a player's own store is on the way round; pits are 0, 1, ...


class Position:
    """A position and the way to it. Names and meanings are those of ``mancala_env.State``."""

    def __init__(
        self, rules: Ruleset, pits: Sequence[int], stores: Sequence[int] = (0, 0), player: int = 0, ply: int = 0
    ) -> None:
        self.rules = rules
        self.pits = tuple(pits)
        self.stores = tuple(stores)
        self.player = player
        self.ply = ply
        self.termination: str | None = None
        self.since_capture: tuple[tuple[tuple[int, ...], int], ...] = ()  # (pits, mover), this position's last
        self._look()

    @property
    def is_over(self) -> bool:
        return self.termination is not None

    @property
    def legal_actions(self) -> tuple[int, ...]:
        if self.is_over:
            return ()
        return tuple(self.rules.board.homes[self.player].index(pit) for pit in self.legal())

    def legal(self) -> list[int]:
        """The pits that the mover may play."""
        return [] if self.is_over else legal_pits(self.rules, self.pits, self.player)

    def pit(self, action: int) -> int:
        return self.rules.board.homes[self.player][action]

    def play(self, action: int) -> "Position":
        if action not in self.legal_actions:
            raise ValueError(f"{action} is not one of {self.legal_actions}")
        mover = self.player
        turn = Turn(self.rules, self.pits, mover, self.pit(action))
        after = Position.__new__(Position)
        after.rules = self.rules
        after.pits = tuple(turn.pits)
        after.stores = (
            self.stores[0] + (turn.gained if mover == 0 else 0),
            self.stores[1] + (turn.gained if mover == 1 else 0),
        )
        after.player = mover if turn.again else 1 - mover
        after.ply = self.ply + 1
        after.termination = None
        after.since_capture = () if turn.captured else self.since_capture
        if turn.forfeits_the_rest:
            after.player = 1 - mover  # the rest is his
            after.termination = "grand_slam"
        else:
            after._look()
        return after

    def _look(self) -> None:
        """Has the game ended? If not, who moves?"""
        rules = self.rules
        if rules.majority_stop and 2 * max(self.stores) > sum(self.pits) + sum(self.stores):
            self.termination = "majority"
            return
        mover = who_moves(rules, self.pits, self.player)
        if mover is None:
            self.termination = rules.end_reason
            return
        self.player = mover
        self.since_capture = (*self.since_capture, (self.pits, self.player))
        if sum(self.pits) <= rules.indeterminacy_max_seeds and is_dead(rules, self.pits, self.player):
            self.termination = "indeterminacy"
        elif rules.repetition and self.since_capture.count(self.since_capture[-1]) >= rules.repetition:
            self.termination = "repetition"
        elif self.ply >= (rules.max_plies or 32_000):
            self.termination = "max_plies"

    @property
    def scores(self) -> tuple[float, float]:
        south, north = self.stores
        on_south, on_north = (side(self.rules, self.pits, player) for player in (0, 1))
        left = on_south + on_north
        if not self.is_over or self.termination == "majority":
            return south, north
        if self.termination == "grand_slam":
            return (south + left, north) if self.player == 0 else (south, north + left)
        if self.termination == "repetition" and self.rules.repetition_leftover == "split":
            return south + left / 2, north + left / 2
        if self.rules.leftover == "none":
            return south, north
        if self.rules.leftover == "emptier" and on_south == 0:
            return south + left, north
        if self.rules.leftover == "emptier" and on_north == 0:
            return south, north + left
        return south + on_south, north + on_north

    @property
    def winner(self) -> int | None:
        south, north = self.scores
        if not self.is_over or south == north:
            return None
        return 0 if south > north else 1


class Turn:
    """One turn: a pit is sown, lap after lap, and the landing table says what comes of each lap.

    ``gained``: seeds in the own store more than before; ``captured``: those of them that were captured. ``feeds``: the
    enemy had seeds after the sowing, or, where laps and captures take turns (a table with relays), after the turn.
    ``slams``: a capture would have taken everything the enemy had.
    """

    def __init__(self, rules: Ruleset, pits: Sequence[int], player: int, pit: int) -> None:
        self.rules = rules
        self.pits = list(pits)
        self.player = player
        self.enemy = 1 - player
        self.gained = 0
        self.captured = 0
        self.feeds = False
        self.slams = False
        self.again = False
        self.forfeits_the_rest = False
        self._play(pit)

    def _play(self, pit: int) -> None:
        laps = 0
        while True:
            last = self._sow(pit)
            laps += 1
            self.feeds = self._enemy_has_seeds()
            row = self._row_for(last)
            if row is None or (row.then == "relay" and laps == self.rules.max_laps):
                return
            self._capture(row, last)
            if any(other.then == "relay" for other in self.rules.landing):
                self.feeds = self._enemy_has_seeds()
            if row.then != "relay" or self.forfeits_the_rest:
                self.again = row.then == "again"
                return
            pit = last

    def _sow(self, pit: int) -> int:
        """Lift a pit, drop its seeds one by one, and say into which hole the last one fell."""
        way = way_round(self.rules, self.player)
        hand = self.pits[pit]
        self.pits[pit] = 0
        step = way.index(pit)
        while hand > 0:
            step = (step + 1) % len(way)
            hole = way[step]
            if hole == pit and self.rules.skip_origin:
                continue
            if hole == IN_STORE:
                self.gained += 1
            else:
                self.pits[hole] += 1
            hand -= 1
        return way[step]

    def _row_for(self, last: int) -> When | None:
        for row in self.rules.landing:
            if self._matches(row, last):
                return row
        return None

    def _matches(self, row: When, last: int) -> bool:
        if last == IN_STORE or row.store == "own":
            return last == IN_STORE and row.store == "own"
        seeds = self.pits[last]
        own = self.rules.board.owner[last] == self.player
        was_empty = seeds == 1
        facing_empty = self.pits[self.rules.board.facing[last]] == 0
        if row.side is not None and own != (row.side == "own"):
            return False
        if row.was is not None and was_empty != (row.was == "empty"):
            return False
        if row.count is not None and seeds not in row.count:
            return False
        if row.even is not None and row.even != (seeds % 2 == 0):
            return False
        if row.facing == "occupied" and facing_empty:
            return self.rules.empty_capture and "facing" in row.takes
        return not (row.facing == "empty" and not facing_empty)

    def _capture(self, row: When, last: int) -> None:
        pits = self._pits_taken(row, last)
        if self.rules.grand_slam != "capture" and self._is_slam(pits):
            self.slams = True
            if self.rules.grand_slam in ("no_capture", "forbidden"):
                pits = []
            if self.rules.grand_slam == "spare_last":
                pits = pits[1:]
            if self.rules.grand_slam == "spare_first":
                pits = pits[:-1]
            if self.rules.grand_slam == "rest_to_opponent":
                self.forfeits_the_rest = True
        for pit in pits:
            self.captured += self.pits[pit]
            self.gained += self.pits[pit]
            self.pits[pit] = 0

    def _pits_taken(self, row: When, last: int) -> list[int]:
        """The pits that a row takes, in the order in which a hand would reach them, settled before any is emptied."""
        taken = []
        if "here" in row.takes:
            taken.append(last)
        if "facing" in row.takes:
            taken.append(self.rules.board.facing[last])
        if row.chain:
            way = way_round(self.rules, self.player)
            step = way.index(last) - 1
            while way[step] not in (last, IN_STORE) and self._joins_chain(row, way[step]):
                if way[step] not in taken:
                    taken.append(way[step])
                step -= 1
        return [pit for pit in taken if self.pits[pit] > 0]

    def _joins_chain(self, row: When, pit: int) -> bool:
        return self.pits[pit] in row.chain and (row.chain_side == "any" or self._is_enemy(pit))

    def _is_slam(self, taken: list[int]) -> bool:
        from_enemy = [self.pits[pit] for pit in taken if self._is_enemy(pit)]
        enough = 2 if self.rules.slam_scope == "multi_pit" else 1
        return len(from_enemy) >= enough and sum(from_enemy) == side(self.rules, self.pits, self.enemy)

    def _enemy_has_seeds(self) -> bool:
        return side(self.rules, self.pits, self.enemy) > 0

    def _is_enemy(self, pit: int) -> bool:
        return self.rules.board.owner[pit] == self.enemy


def side(rules: Ruleset, pits: Sequence[int], player: int) -> int:
    """Seeds in the pits of a player."""
    return sum(pits[pit] for pit in range(len(pits)) if rules.board.owner[pit] == player)


def way_round(rules: Ruleset, player: int) -> list[int]:
    """The holes that a player sows, in order. His own store follows the last pit on his right."""
    way = []
    for pit in rules.board.loops[player]:
        way.append(pit)
        if rules.store == "own" and pit == rules.board.homes[player][-1]:
            way.append(IN_STORE)
    return way


def legal_pits(rules: Ruleset, pits: Sequence[int], player: int) -> list[int]:
    """The pits that ``player`` may play, from his left. Whether the game has ended is not asked."""
    enemy = 1 - player
    turns = {pit: Turn(rules, pits, player, pit) for pit in rules.board.homes[player] if pits[pit] > 0}
    if rules.feeding == "if_starved" and side(rules, pits, enemy) == 0:
        turns = {pit: turn for pit, turn in turns.items() if turn.feeds}
    if rules.feeding == "always":
        turns = {pit: turn for pit, turn in turns.items() if side(rules, turn.pits, enemy) > 0} or turns
    if rules.grand_slam == "forbidden":
        turns = {pit: turn for pit, turn in turns.items() if not turn.slams} or turns
    return list(turns)


def who_moves(rules: Ruleset, pits: Sequence[int], player: int) -> int | None:
    """Who moves when it is ``player``'s turn: he, or the other if he passes. None: the game has come to its end."""
    if rules.end_check == "any_side" and 0 in (side(rules, pits, 0), side(rules, pits, 1)):
        return None
    if legal_pits(rules, pits, player):
        return player
    if rules.stuck == "pass" and legal_pits(rules, pits, 1 - player):
        return 1 - player
    return None


_ALIVE: dict[Ruleset, dict[tuple[tuple[int, ...], int], bool]] = {}


def is_dead(rules: Ruleset, pits: Sequence[int], player: int) -> bool:
    """No sequence of legal moves of both players, ``player`` beginning, contains a capture."""
    alive = _ALIVE.setdefault(rules, {})
    start = (tuple(pits), player)
    reached = [start]
    for position in reached:  # grows while we look
        if alive.get(position) or (position not in alive and _go_on(rules, position, reached)):
            alive[position] = alive[start] = True
            return False
    alive.update(dict.fromkeys(reached, False))
    return True


def _go_on(rules: Ruleset, position: tuple[tuple[int, ...], int], reached: list[tuple[tuple[int, ...], int]]) -> bool:
    """Does some legal move capture? If not, add the positions that the moves lead to."""
    pits, player = position
    mover = who_moves(rules, pits, player)
    if mover is None:
        return False
    for pit in legal_pits(rules, pits, mover):
        turn = Turn(rules, pits, mover, pit)
        if turn.captured:
            return True
        after = (tuple(turn.pits), mover if turn.again else 1 - mover)
        if after not in reached:
            reached.append(after)
    return False
