"""The rules once more, slowly: any ``Ruleset``, played with lists and loops as in a rule book.

The compiled kernels are tested against this file, so it shares no code with them: it reads the axes of a ruleset and
the geometry of its board, and nothing else of the package. Matches: ``tests.reference_matches``.
"""

from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from typing import NamedTuple

from mancala_env import Ruleset, When
from tests import reference_matches as matches

IN_STORE = -1  # the cell that a player's own store is on the way round; pits are 0, 1, ...
NOBODY = -1


class Table(NamedTuple):
    """What lies on the table: the seeds in each pit, whose the pit is and whose mark it bears, if anybody's."""

    pits: tuple[int, ...]
    owner: tuple[int, ...]
    marks: tuple[int, ...]


class Position:
    """A position and the way to it. Names and meanings are those of ``mancala_env.State``."""

    def __init__(
        self,
        rules: Ruleset,
        pits: Sequence[int],
        stores: Sequence[int] = (0, 0),
        player: int = 0,
        ply: int = 0,
        owner: Sequence[int] | None = None,
        marks: Sequence[int] | None = None,
        removed: int = 0,
        reserve: Sequence[int] = (0, 0),
        tally: Sequence[float] = (0, 0),
        game: int = 1,
        first: int = 0,
    ) -> None:
        self.rules = rules
        self.pits = tuple(pits)
        self.stores = tuple(stores)
        self.player = player
        self.ply = ply
        self.owner = tuple(rules.board.owner if owner is None else owner)
        self.marks = tuple([NOBODY] * len(self.pits) if marks is None else marks)
        self.removed = removed
        self.reserve = tuple(reserve)
        self.tally = tuple(tally)
        self.game = game
        self.first = first
        self.games: tuple[tuple[tuple[float, float] | None, int | None, str | None], ...] = ()
        self.standing: tuple[float, float] | None = None  # of a match that is over
        self.termination: str | None = None
        self.since_capture: tuple[tuple[Table, int], ...] = ()  # (table, mover), this position's last
        self._look()
        self._close_games()

    @property
    def table(self) -> Table:
        return Table(self.pits, self.owner, self.marks)

    @property
    def is_over(self) -> bool:
        return self.termination is not None

    @property
    def legal_actions(self) -> tuple[int, ...]:
        if self.is_over:
            return ()
        homes = self.rules.board.homes[self.player]
        return tuple(homes.index(pit) for pit in self.legal()) or (len(homes),)  # nothing to play: a pass

    def legal(self) -> tuple[int, ...]:
        """The pits that the mover may play."""
        return () if self.is_over else legal_pits(self.rules, self.table, self.player)

    def pit(self, action: int) -> int | None:
        homes = self.rules.board.homes[self.player]
        return None if action == len(homes) else homes[action]

    def play(self, action: int) -> "Position":
        if action not in self.legal_actions:
            raise ValueError(f"{action} is not one of {self.legal_actions}")
        after = copy(self)
        after.ply = self.ply + 1
        pit = self.pit(action)
        if pit is None:
            after.player = 1 - self.player
            after._look()
        else:
            after._take_turn(Turn(self.rules, self.table, self.player, pit))
        after._close_games()
        return after

    def _take_turn(self, turn: "Turn") -> None:
        mover = self.player
        self.pits, _, self.marks = turn.table
        self.stores = (
            self.stores[0] + (turn.gained if mover == 0 else 0),
            self.stores[1] + (turn.gained if mover == 1 else 0),
        )
        self.removed += turn.removed
        self.player = mover if turn.again else 1 - mover
        if turn.cannot_be_undone:
            self.since_capture = ()
        if turn.forfeits_the_rest:
            self.player = 1 - mover  # who gets the rest
            self.termination = "grand_slam"
        else:
            self._look()

    def _look(self) -> None:
        """Has the game ended? If not, who moves?"""
        rules = self.rules
        if rules.majority_stop and 2 * max(self.stores) > sum(self.pits) + sum(self.stores):
            self.termination = "majority"
            return
        if rules.goal == "empty_block" and 0 in self._on_the_sides():
            self.termination = "block_empty"
            return
        mover = who_moves(rules, self.table, self.player)
        if mover is None:
            self.termination = rules.end_reason
            return
        self.player = mover
        self.since_capture = (*self.since_capture, (self.table, self.player))
        if sum(self.pits) <= rules.indeterminacy_max_seeds and _is_dead(rules, self.table, self.player):
            self.termination = "indeterminacy"
        elif rules.repetition and self.since_capture.count(self.since_capture[-1]) >= rules.repetition:
            self.termination = "repetition"
        elif self.ply >= (rules.max_plies or 32_000):
            self.termination = "max_plies"

    def _on_the_sides(self) -> tuple[int, int]:
        return tuple(side(self.rules, self.pits, player, self.owner) for player in (0, 1))

    def next_game(self, scores: Sequence[float], termination: str | None = None) -> "Position":
        """The position that follows if this game of the match ended now with these scores of South and North."""
        if self.is_over or self.rules.match == "none":
            raise ValueError("no game of a match is in progress")
        after = copy(self)
        after._close_game((scores[0], scores[1]), matches.higher(scores), termination)
        after._close_games()
        return after

    def _close_games(self) -> None:
        """A game that has ended makes way for the next one of the match. (That may end where it starts.)"""
        while self.is_over and self.rules.match != "none" and self.standing is None:
            self._close_game(self._final_scores(), self._game_winner(), self.termination)

    def _close_game(self, scores: tuple[float, float] | None, winner: int | None, termination: str | None) -> None:
        rules = self.rules
        outcome = matches.after_game(rules, self.reserve, self.tally, scores, winner)
        self.games = (*self.games, (scores, winner, termination))
        self.tally = outcome.tally
        if outcome.decided:
            self.termination = "match_target"
            self.standing = outcome.standing
        elif rules.max_games and self.game >= rules.max_games:
            self.termination = "max_rounds" if rules.match == "refill" else "max_games"
            self.standing = outcome.standing
        else:
            self.pits, self.stores = outcome.pits, outcome.stores
            self.owner, self.reserve = outcome.owner, outcome.reserve
            self.marks = (NOBODY,) * len(self.pits)
            self.removed = 0
            self.ply = 0
            self.game += 1
            self.player = self.first = matches.next_first(rules, self.first, winner)
            self.termination = None
            self.since_capture = ()
            self._look()

    @property
    def scores(self) -> tuple[float, float] | None:
        if self.rules.goal != "seeds" and self.rules.match == "none":
            return None
        if not self.is_over:
            return self.stores
        return self._final_scores() if self.standing is None else self.standing

    @property
    def winner(self) -> int | None:
        if not self.is_over:
            return None
        if self.standing is not None:
            return matches.match_winner(self.rules, self.standing, self.games[-1][0])
        return self._game_winner()

    def _final_scores(self) -> tuple[float, float] | None:
        """The scores of the game that has ended, after the final collection."""
        if self.rules.goal != "seeds":
            return None
        south, north = self.stores
        on_south, on_north = (self._collects(player) for player in (0, 1))
        left = on_south + on_north
        if self.termination == "majority":
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

    def _collects(self, player: int) -> int:
        """Seeds in the pits that bear the player's mark, and in the player's own pits that bear none."""
        seeds = 0
        for pit in range(len(self.pits)):
            holder = self.owner[pit] if self.marks[pit] == NOBODY else self.marks[pit]
            if holder == player:
                seeds += self.pits[pit]
        return seeds

    def _game_winner(self) -> int | None:
        """Who has won the game that has ended."""
        if self.rules.goal == "last_mover":
            return 1 - self.player if self.termination == self.rules.end_reason else None
        if self.rules.goal == "empty_block":
            in_south, in_north = self._on_the_sides()
            return matches.higher((in_north, in_south)) if 0 in (in_south, in_north) else None
        return matches.higher(self._final_scores())


class Turn:
    """One turn. On a track a pit is sown, lap after lap, and the landing table says what comes of each lap.

    ``gained``: seeds in the own store more than before; ``captured``: seeds that were captured, into the store or the
    hand. ``feeds``: the opponent had seeds after the sowing, or, where laps and captures take turns (a table with
    relays), after the turn. ``slams``: a capture would have taken everything the opponent had. ``removed``: seeds that
    left the board. ``marked``: pits were marked.
    """

    def __init__(self, rules: Ruleset, table: Table, player: int, pit: int) -> None:
        self.rules = rules
        self.before = table
        self.pits = list(table.pits)
        self.owner = table.owner
        self.marks = list(table.marks)
        self.player = player
        self.opponent = 1 - player
        self.gained = 0
        self.captured = 0
        self.removed = 0
        self.feeds = False
        self.slams = False
        self.marked = False
        self.again = False
        self.forfeits_the_rest = False
        if rules.sowing == "neighbours":
            self._diffuse(pit)
        elif rules.sowing == "reaping":
            self._reap(pit)
        else:
            self._sow_laps(pit)

    @property
    def table(self) -> Table:
        return Table(tuple(self.pits), self.owner, tuple(self.marks))

    @property
    def cannot_be_undone(self) -> bool:
        """Something was captured or marked, or a marked pit has grown: no earlier position can come back."""
        marked = [pit for pit in range(len(self.pits)) if self.before.marks[pit] != NOBODY]
        has_grown = any(self.pits[pit] > self.before.pits[pit] for pit in marked)
        return self.captured > 0 or self.marked or has_grown

    def _diffuse(self, pit: int) -> None:
        """Give the seeds of a pit to the pits around it, one each."""
        hand = self._lift([pit])
        for receiver in neighbours(self.rules, pit)[:hand]:
            is_full = receiver is not None and 0 < self.rules.pit_limit <= self.pits[receiver]
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

    def _sow_laps(self, pit: int) -> None:
        hand = self._lift([pit])
        laps = 0
        while hand > 0:
            last = self._sow(hand, pit)
            laps += 1
            self.feeds = self._opponent_has_seeds()
            row = self._row_for(last)
            if row is None or (row.then in ("relay", "sow_on") and laps == self.rules.max_laps):
                return
            if row.then == "sow_on":
                hand = self._lift(self._pits_taken(row, last))  # they stay on the board, and can come back
            else:
                self._capture(row, last)
                self._mark(row, last)
            if any(other.then in ("relay", "sow_on") for other in self.rules.landing):
                self.feeds = self._opponent_has_seeds()
            if row.then in ("stop", "again") or self.forfeits_the_rest:
                self.again = row.then == "again" and not self.forfeits_the_rest
                return
            if row.then == "relay":
                hand = self._lift([last])
            pit = last

    def _lift(self, pits: list[int]) -> int:
        """Take all seeds of some pits into the hand."""
        hand = 0
        for pit in pits:
            hand += self.pits[pit]
            self.pits[pit] = 0
        return hand

    def _sow(self, hand: int, start: int) -> int:
        """Drop the seeds of a hand one by one from the cell after ``start``, and say where the last one fell."""
        way = way_round(self.rules, self.player)
        step = way.index(start)
        while hand > 0:
            step = (step + 1) % len(way)
            cell = way[step]
            if cell == start and self.rules.skip_origin:
                continue
            if cell == IN_STORE:
                self.gained += 1
            else:
                self.pits[cell] += 1
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
        was_empty = seeds == 1
        if row.side is not None and self._is_own(last) != (row.side == "own"):
            return False
        if row.was is not None and was_empty != (row.was == "empty"):
            return False
        if row.count is not None and seeds not in row.count:
            return False
        if row.even is not None and row.even != (seeds % 2 == 0):
            return False
        mark = self.marks[last]
        if row.marked is not None and mark not in self._marks_asked_for(row.marked):
            return False
        if row.then in ("relay", "sow_on") and mark != NOBODY:
            return False  # nobody lifts a marked pit
        return self._facing_matches(row, last) and self._may_mark(row, last)

    def _marks_asked_for(self, marked: bool | str) -> tuple[int, ...]:
        if marked == "own":
            return (self.player,)
        if marked == "opponent":
            return (self.opponent,)
        return (0, 1) if marked else (NOBODY,)

    def _may_mark(self, row: When, last: int) -> bool:
        """Can all the marks of this row be made, if it makes any?"""
        pits = self._pits_to_mark(row, last)
        board = self.rules.board
        half = len(self.pits) // 2
        own_places = [range(half), range(half, 2 * half)]  # each player's pits, from the own left
        banned = [places[place] for place in self.rules.unmarkable for places in own_places]
        if any(pit is None or self.marks[pit] != NOBODY or pit in banned for pit in pits):
            return False
        most = self.rules.mark_limit or board.pits
        return not pits or self.marks.count(self.player) + len(pits) <= most

    def _pits_to_mark(self, row: When, last: int) -> list[int | None]:
        """The pits that a row marks; None for a pit across that is not there."""
        return [last if where == "here" else self._facing(last) for where in row.marks]

    def _facing_matches(self, row: When, last: int) -> bool:
        facing, behind = self._facing(last), self._behind(last)
        in_facing = 0 if facing is None else self.pits[facing]
        in_behind = 0 if behind is None else self.pits[behind]
        if row.facing_count is not None and (facing is None or in_facing not in row.facing_count):
            return False
        if row.behind is not None and (in_behind > 0) != (row.behind == "occupied"):
            return False
        if row.facing == "occupied" and in_facing == 0:
            return False
        return not (row.facing == "empty" and in_facing > 0)

    def _facing(self, pit: int) -> int | None:
        facing = self.rules.board.facing[pit]
        return None if facing == pit else facing

    def _behind(self, pit: int) -> int | None:
        """The opponent's outer pit of the column of the pit that faces ``pit``."""
        behind = self.rules.board.behind[pit]
        return None if behind == pit else behind

    def _mark(self, row: When, last: int) -> None:
        """Put the mover's mark on pits; where the row says so, one seed goes across from the facing pit first."""
        if row.carries:
            self.pits[self._facing(last)] -= 1
            self.pits[last] += 1
        for pit in self._pits_to_mark(row, last):
            self.marks[pit] = self.player
            self.marked = True

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
        seeds = self._lift(pits)
        self.captured += seeds
        self.gained += seeds

    def _pits_taken(self, row: When, last: int) -> list[int]:
        """The pits that a row takes, in the order in which a hand would reach them, settled before any is emptied."""
        taken = []
        if "here" in row.takes:
            taken.append(last)
        if "facing" in row.takes and self._facing(last) is not None:
            taken.append(self._facing(last))
        if "behind" in row.takes and self._behind(last) is not None:
            taken.append(self._behind(last))
        if row.chain:
            way = way_round(self.rules, self.player)
            step = way.index(last) - 1
            while way[step] not in (last, IN_STORE) and self._joins_chain(row, way[step]):
                if way[step] not in taken:
                    taken.append(way[step])
                step -= 1
        return [pit for pit in taken if self.pits[pit] > 0]

    def _joins_chain(self, row: When, pit: int) -> bool:
        return self.pits[pit] in row.chain and (row.chain_side == "any" or self._is_opponent(pit))

    def _is_slam(self, taken: list[int]) -> bool:
        from_opponent = [self.pits[pit] for pit in taken if self._is_opponent(pit)]
        enough = 2 if self.rules.slam_scope == "multi_pit" else 1
        return len(from_opponent) >= enough and sum(from_opponent) == side(
            self.rules, self.pits, self.opponent, self.owner
        )

    def _opponent_has_seeds(self) -> bool:
        return side(self.rules, self.pits, self.opponent, self.owner) > 0

    def _is_own(self, pit: int) -> bool:
        return self.owner[pit] == self.player

    def _is_opponent(self, pit: int) -> bool:
        return self.owner[pit] == self.opponent


def side(rules: Ruleset, pits: Sequence[int], player: int, owner: Sequence[int] | None = None) -> int:
    """Seeds in the pits of a player, marked or not. ``owner``: whose each pit is, where that is not as on the board."""
    owner = rules.board.owner if owner is None else owner
    return sum(pits[pit] for pit in range(len(pits)) if owner[pit] == player)


@lru_cache(1000)
def way_round(rules: Ruleset, player: int) -> tuple[int, ...]:
    """The cells that a player sows, in order. The own store follows the last pit on the right."""
    way = []
    for pit in rules.board.loops[player]:
        way.append(pit)
        if rules.store == "own" and pit == rules.board.homes[player][-1]:
            way.append(IN_STORE)
    return tuple(way)


def neighbours(rules: Ruleset, pit: int) -> list[int | None]:
    """The five places around a pit of two rows, counter-clockwise from the most clockwise one; None is off the board.

    From the bottom row that is right, up-right, up, up-left, left; from the top row left, down-left, down, and so on.
    """
    columns = rules.board.columns
    bottom = list(range(columns))  # as South sees them, from left to right
    top = list(range(2 * columns - 1, columns - 1, -1))
    if pit in bottom:
        column, own, other, ahead = bottom.index(pit), bottom, top, 1
    else:
        column, own, other, ahead = top.index(pit), top, bottom, -1
    places = [
        (own, column + ahead),
        (other, column + ahead),
        (other, column),
        (other, column - ahead),
        (own, column - ahead),
    ]
    return [row[place] if 0 <= place < columns else None for row, place in places]


def next_empty(pits: Sequence[int], player: int, pit: int) -> int | None:
    """The nearest empty pit to the right of ``pit`` for Left (0), to the left of it for Right (1)."""
    ahead = range(pit + 1, len(pits)) if player == 0 else range(pit - 1, -1, -1)
    for place in ahead:
        if pits[place] == 0:
            return place
    return None


def can_be_lifted(rules: Ruleset, table: Table, player: int, pit: int) -> bool:
    """Is this pit the player's to play, has it seeds enough, and somewhere for them to go?"""
    if table.pits[pit] < max(1, rules.min_start) or table.marks[pit] != NOBODY:
        return False
    if rules.sowing == "neighbours":
        return True  # whoever owns it
    if rules.sowing == "reaping":
        return next_empty(table.pits, player, pit) is not None
    return table.owner[pit] == player


@lru_cache(1000)  # asked several times about each position
def legal_pits(rules: Ruleset, table: Table, player: int) -> tuple[int, ...]:
    """The pits that ``player`` may play, from the own left. Whether the game has ended is not asked."""
    opponent, owner = 1 - player, table.owner
    pits = [pit for pit in rules.board.homes[player] if can_be_lifted(rules, table, player, pit)]
    starves = rules.feeding == "if_starved" and side(rules, table.pits, opponent, owner) == 0
    if rules.sowing != "track" or not (starves or rules.feeding == "always" or rules.grand_slam == "forbidden"):
        return tuple(pits)  # what the turns would lead to does not matter
    turns = {pit: Turn(rules, table, player, pit) for pit in pits}
    if starves:
        turns = {pit: turn for pit, turn in turns.items() if turn.feeds}
    if rules.feeding == "always":
        turns = {pit: turn for pit, turn in turns.items() if side(rules, turn.pits, opponent, owner) > 0} or turns
    if rules.grand_slam == "forbidden":
        turns = {pit: turn for pit, turn in turns.items() if not turn.slams} or turns
    return tuple(turns)


def who_moves(rules: Ruleset, table: Table, player: int) -> int | None:
    """Who moves when it is ``player``'s turn: that player or, with nothing to play, the other. None: the game is over.

    With ``explicit_pass`` a player who has nothing to play while the other has is not skipped, but has to pass.
    """
    if rules.end_check == "any_side" and 0 in [side(rules, table.pits, seat, table.owner) for seat in (0, 1)]:
        return None
    if legal_pits(rules, table, player):
        return player
    if rules.stuck == "pass" and legal_pits(rules, table, 1 - player):
        return player if rules.explicit_pass else 1 - player
    return None


_ALIVE: dict[Ruleset, dict[tuple[Table, int], bool]] = {}


def is_dead(rules: Ruleset, pits: Sequence[int], player: int, owner: Sequence[int] | None = None) -> bool:
    """No sequence of legal moves of both players, ``player`` beginning, contains a capture."""
    owner = rules.board.owner if owner is None else owner
    return _is_dead(rules, Table(tuple(pits), tuple(owner), (NOBODY,) * len(pits)), player)


def _is_dead(rules: Ruleset, table: Table, player: int) -> bool:
    alive = _ALIVE.setdefault(rules, {})
    start = (table, player)
    reached = [start]
    for position in reached:  # grows while we look
        if alive.get(position) or (position not in alive and _go_on(rules, position, reached)):
            alive[position] = alive[start] = True
            return False
    alive.update(dict.fromkeys(reached, False))
    return True


def _go_on(rules: Ruleset, position: tuple[Table, int], reached: list[tuple[Table, int]]) -> bool:
    """Does some legal move capture? If not, add the positions that the moves lead to."""
    table, player = position
    mover = who_moves(rules, table, player)
    if mover is None:
        return False
    followers = []
    for pit in legal_pits(rules, table, mover):
        turn = Turn(rules, table, mover, pit)
        if turn.captured:
            return True
        followers.append((turn.table, mover if turn.again else 1 - mover))
    for after in followers or [(table, 1 - mover)]:  # nothing to play: a pass
        if after not in reached:
            reached.append(after)
    return False
