"""The rules once more, slowly: any ``Ruleset``, with lists and loops; long, as a rule book is read in one piece.

The compiled kernels are tested against this file, so it shares no code with them: it reads the axes of a ruleset and
the geometry of its board, and nothing else of the package. Here are positions, and what may be played in them. The
other parts: ``tests.reference_turn`` (a turn), ``tests.reference_landing`` (the landing table),
``tests.reference_board`` (boards), ``tests.reference_matches`` (matches). One account of the rules is in one file."""

from collections.abc import Sequence
from copy import copy
from functools import lru_cache

from mancala_env import Ruleset
from tests import reference_matches as matches
from tests.reference_bao import Bao, BaoTurn, legal_plays
from tests.reference_board import NOBODY, Table, laid_out, next_empty, next_piles, rules_for_one, side, way_round
from tests.reference_turn import Turn

Ways = tuple[int | None, int | None]  # the directions that South and North have chosen: 0, or 1 for clockwise
Move = tuple[int, bool]  # a pit, and is it sown clockwise?
LATE = 32_000  # a ply so late in a game that no rule about its first plies counts any more


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
        reserve: Sequence[int] | None = None,
        tally: Sequence[float] = (0, 0),
        game: int = 1,
        first: int = 0,
        direction: Sequence[int | None] = (None, None),
        pending: Sequence[str | int] | None = None,
        stronghold: Sequence[bool] = (True, True),
        threat: int | None = None,
        memory: Sequence[int] = (),
        debt: int = 0,
        closed: Sequence[int] = (),
    ) -> None:
        self.rules = rules
        self.pits = tuple(pits)
        self.stores = tuple(stores)
        self.player = player
        self.ply = ply
        self.owner = tuple(rules.board.owner if owner is None else owner)
        self.marks = tuple([NOBODY] * len(self.pits) if marks is None else marks)
        self.removed = removed
        self.reserve = (rules.reserve,) * 2 if reserve is None else tuple(reserve)
        self.tally = tuple(tally)
        self.game = game
        self.first = first
        self.direction = tuple(direction)
        self.debt = debt
        self.shut = frozenset(pit for pit, closed in enumerate(closed) if closed)
        self.remembered = frozenset(pit for pit, known in enumerate(memory) if known)
        self.stronghold, self.threat = (False, False), threat
        if rules.stronghold is not None:
            pit = len(self.pits) // 2
            own = self.pits[rules.stronghold], self.pits[pit + rules.stronghold]
            self.stronghold = tuple(bool(kept and seeds) for kept, seeds in zip(stronghold, own, strict=True))
        # what the mover has to decide before the turn goes on
        self.pending = None if pending is None else (*pending, 0)[:3]
        self.games: tuple[tuple[tuple[float, float] | None, int | None, str | None], ...] = ()
        self.standing: tuple[float, float] | None = None  # of a match that is over
        self.termination: str | None = None
        self.since_capture: tuple[tuple[Table, int, Ways], ...] = ()  # (table, mover, directions), this one's last
        self._look()
        self._close_games()

    @property
    def table(self) -> Table:
        return Table(self.pits, self.owner, self.marks, self.stores, self.remembered, self.debt, self.shut)

    @property
    def memory(self) -> list[int]:
        return [int(pit in self.remembered) for pit in range(len(self.pits))]

    @property
    def closed(self) -> list[int]:
        return [int(pit in self.shut) for pit in range(len(self.pits))]

    @property
    def _repeats(self) -> Table:
        """What comes up again when a position is repeated."""
        stores = (0, 0) if self.rules.stuck == "refill" else self.stores
        return self.table._replace(memory=frozenset(), stores=stores, debt=0)

    @property
    def is_over(self) -> bool:
        return self.termination is not None

    @property
    def legal_actions(self) -> tuple[int, ...]:
        if self.is_over:
            return ()
        homes = self.rules.board.homes[self.player]
        if self.rules.sowing == "bao":
            return self._legal_bao()
        if self.pending is not None and self.pending[0] == "direction":
            return self._ways_on
        if self.pending is not None and self.pending[0] == "go_on":
            return self._sowings + self._pits_by_decision.index(self.pending[1]), self._sowings + len(self.pits)
        if self.pending is not None:
            return tuple(self._sowings + self._pits_by_decision.index(pit) for pit in self._pits_to_pick())
        clockwise_from = len(homes) if self.rules.offers_directions else 0  # they come after all others
        actions = sorted(homes.index(pit) + clockwise_from * clockwise for pit, clockwise in self.legal())
        stops = any(clause.then == "relay_or_stop" for clause in self.rules.landing)
        return tuple(actions) or (self._sowings + len(self._pits_by_decision) + stops,)  # nothing to play: a pass

    @property
    def _bao(self) -> Bao:
        """What there is besides the pits where captured seeds are sown from the ends."""
        return Bao(self.reserve, self.stronghold, self.threat, self.pending)

    def _legal_bao(self) -> tuple[int, ...]:
        size = len(self.pits) // 2
        if self.pending is None:
            plays = legal_plays(self.rules, self.pits, self.player, self._bao)
            return tuple(sorted(place + size * direction for place, direction in plays))
        _, pit, direction = self.pending
        stops = 2 * size + 2 * size
        endless = BaoTurn(self.rules, self.pits, self.player, self._bao).go_on(direction).endless
        return (stops,) if endless else (2 * size + pit % size, stops)

    def _play_bao(self, action: int) -> None:
        """Play a pit, or go on, or stop."""
        size = len(self.pits) // 2
        turn = BaoTurn(self.rules, self.pits, self.player, self._bao)
        if self.pending is None:
            turn.play(action % size, action // size)
        elif action < 4 * size:
            turn.go_on(self.pending[2])
        self.pits, self.reserve, self.stronghold = turn.pits, turn.bao.hands, turn.bao.strongholds
        self.threat = turn.bao.threat
        self.pending = turn.due
        if turn.due is None:
            self.player = 1 - self.player
        self._look()

    @property
    def _ways_on(self) -> tuple[int, ...]:
        """The actions that choose the direction of the next lap."""
        _, pit, seeds = self.pending
        homes = self.rules.board.homes[self.player]
        place = homes.index(pit)
        lap = Turn(self.rules, self.table, self.player, pit, self.ply, True, seeds, only_first=True)
        return (place, place + len(homes)) if lap.captures_at_once else (place,)

    @property
    def _sowings(self) -> int:
        """How many actions sow a pit."""
        return len(self.rules.board.homes[0]) * (2 if self.rules.offers_directions else 1)

    @property
    def _pits_by_decision(self) -> tuple[int, ...]:
        """The pits of the actions after these: where pits are picked, all as the mover sees them."""
        homes = self.rules.board.homes
        picks = any(clause.picks or clause.then == "relay_or_stop" for clause in self.rules.landing)
        return homes[self.player] + homes[1 - self.player] if picks else ()

    def _pits_to_pick(self) -> list[int]:
        """The opponent's pits with seeds and without a mark."""
        theirs = self.rules.board.homes[1 - self.player]
        half = max(1, len(self.pits) // 2)
        spared = {place % half for clause in self.rules.landing for place in clause.sparing}
        theirs = [pit for pit in theirs if pit % half not in spared]
        return [pit for pit in theirs if self.pits[pit] > 0 and self.marks[pit] == NOBODY]

    def legal(self) -> tuple[tuple[int, bool], ...]:
        """The pits that the mover may play, each with a direction: is it clockwise?"""
        return () if self.is_over else legal_moves(self.rules, self.table, self.player, self.ply, self.direction)

    def pit(self, action: int) -> int | None:
        if action < self._sowings:
            return self._move(action)[0]
        decided = action - self._sowings
        return self._pits_by_decision[decided] if decided < len(self._pits_by_decision) else None

    def _move(self, action: int) -> tuple[int, bool]:
        """What an action of the mover sows, and does it go clockwise?"""
        homes = self.rules.board.homes[self.player]
        if self.rules.offers_directions:
            return homes[action % len(homes)], action >= len(homes)
        return homes[action], True in ways_of(self.rules, action)

    def play(self, action: int) -> "Position":
        if action not in self.legal_actions:
            raise ValueError(f"{action} is not one of {self.legal_actions}")
        after = copy(self)
        after.ply = self.ply + 1
        if self.rules.sowing == "bao":
            after._play_bao(action)
            return after
        if self.pending is not None and self.pending[0] == "go_on":
            after.pending = None
            if action == self._sowings + len(self.pits):  # stop
                after.player = 1 - self.player
                after._look()
            else:
                _, pit, direction = self.pending
                clockwise = direction == 1 or self.rules.direction == "clockwise"
                after._take_turn(Turn(self.rules, self.table, self.player, pit, self.ply, clockwise))
            after._close_games()
            return after
        pit = self.pit(action)
        if self.pending is not None and self.pending[0] == "direction":
            after.pending = None
            clockwise = action >= self._sowings // 2
            turn = Turn(self.rules, self.table, self.player, pit, self.ply, clockwise, hand=self.pending[2])
            after._take_turn(turn)
        elif self.pending is not None:
            after._pick(pit)
        elif pit is None:
            after.player = 1 - self.player
            after._look()
        else:
            _, clockwise = self._move(action)
            after._choose(int(clockwise))
            after._take_turn(Turn(self.rules, self.table, self.player, pit, self.ply, clockwise))
        after._close_games()
        return after

    def _choose(self, way: int) -> None:
        """If the mover's first turn settles the direction of the game, it is settled now."""
        if self.rules.direction == "chosen_once" and self.direction == (None, None):
            self.direction = (way, way)
        if self.rules.direction == "chosen_by_each" and self.direction[self.player] is None:
            self.direction = (way, self.direction[1]) if self.player == 0 else (self.direction[0], way)

    def _pick(self, pit: int) -> None:
        """Capture a pit of the opponent. The turn goes on while picks are left and there is something to pick."""
        kind, left, _ = self.pending
        self.stores = tuple(
            seeds + self.pits[pit] * (player == self.player) for player, seeds in enumerate(self.stores)
        )
        self.pits = (*self.pits[:pit], 0, *self.pits[pit + 1 :])
        self.since_capture = ()
        left = min(left - 1, len(self._pits_to_pick()))
        self.pending = (kind, left, 0) if left > 0 else None
        if self.pending is None:
            self.player = 1 - self.player
        self._look()

    def _take_turn(self, turn: "Turn") -> None:
        mover = self.player
        self.pits, _, self.marks, self.stores, self.remembered, self.debt, _ = turn.table
        self.removed += turn.removed
        picks = min(turn.picks, len(self._pits_to_pick()))
        self.pending = ("pick", picks, 0) if picks > 0 else None
        if turn.may_go_on is not None:
            self.pending = ("go_on", turn.may_go_on, int(turn.clockwise and self.rules.direction != "clockwise"))
        if turn.reversible is not None:
            self.pending = ("direction", *turn.reversible)
        self.player = mover if turn.again or self.pending or rules_for_one(self.rules) else 1 - mover
        if turn.cannot_be_undone:
            self.since_capture = ()
        if turn.forfeits_the_rest:
            self.player = 1 - mover  # who gets the rest
            self.termination = "grand_slam"
        elif turn.loses:
            self.termination = "lost_by_landing"
        else:
            self._look()

    def _look(self) -> None:
        """Has the game ended? If not, who moves?"""
        self.turn = self.player  # whose turn it is, though this player may have to pass
        rules = self.rules
        if rules.majority_stop and 2 * max(self.stores) > sum(self.pits) + sum(self.stores):
            self.termination = "majority"
            return
        if rules.target_seeds and max(self.stores) >= rules.target_seeds:
            self.termination = "target_seeds"
            return
        if self.pending is not None:
            self.since_capture = (*self.since_capture, (self._repeats, self.player, self.pending))
            self.termination = "max_plies" if self.ply >= (rules.max_plies or 32_000) else None
            return
        if self._is_bare():
            self.termination = "few_seeds"
            return
        if rules.end_when == "houses_empty" and not any(
            self.pits[pit] for pit, owner in enumerate(self.owner) if owner == NOBODY
        ):
            self.termination = "houses_empty"
            return
        if rules.end_when == "marks_taken" and {*self.marks} == {NOBODY}:
            self.termination = "marks_taken"
            return
        if rules.goal == "clear" and sum(self.pits) == 0:
            self.termination = "cleared"
            return
        if rules.goal == "standstill" and next_piles(self.pits) == self.pits:
            self.termination = "standstill"
            return
        if rules.goal in ("empty_block", "outlast", "inner_row") and 0 in self._on_the_sides():
            self.termination = "block_empty" if rules.goal == "empty_block" else "side_empty"
            return
        if rules.sowing == "bao":
            stuck = not self._legal_bao()
            limit = "max_plies" if self.ply >= (rules.max_plies or 32_000) else None
            self.termination = rules.end_reason if stuck else limit
            return
        mover = who_moves(rules, self.table, self.player, self.ply, self.direction)
        if mover is None:
            self.termination = rules.end_reason
            return
        self.player = mover
        self.since_capture = (*self.since_capture, (self._repeats, self.player, self.direction))
        if 0 < sum(self.pits) <= rules.indeterminacy_max_seeds and _is_dead(rules, self.table, self.player):
            self.termination = "indeterminacy"
        elif rules.repetition and self.since_capture.count(self.since_capture[-1]) >= rules.repetition:
            self.termination = "repetition"
        elif self.ply >= (rules.max_plies or 32_000):
            self.termination = "max_plies"

    def _is_bare(self) -> bool:
        """Are there so few seeds on the board, or so few in every pit, that the game ends?"""
        few = self.rules.end_few > 0 and sum(self.pits) <= self.rules.end_few
        flat = self.rules.end_when == "all_single" and max(self.pits) <= 1
        return few or flat

    def _on_the_sides(self) -> tuple[int, int]:
        if self.rules.goal == "inner_row":
            half, row = len(self.pits) // 2, len(self.pits) // 4
            return sum(self.pits[row:half]), sum(self.pits[half + row :])
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
        first = matches.next_first(rules, self.first, winner)
        outcome = matches.after_game(rules, self.reserve, self.tally, scores, winner, first)
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
            self.shut = outcome.closed
            self.marks = (NOBODY,) * len(self.pits)
            self.removed = self.debt = 0
            self.pending = None
            self.direction = (None, None)
            self.ply = 0
            self.game += 1
            self.player = self.first = first
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
        south, north = self.stores[0] - self.debt, self.stores[1] + self.debt
        on_south, on_north = (self._collects(player) for player in (0, 1))
        left = sum(self.pits)
        if self.termination in ("majority", "target_seeds"):
            return south, north
        if self.termination == "grand_slam":
            return (south + left, north) if self.player == 0 else (south, north + left)
        if self.termination == "repetition" and self.rules.repetition_leftover == "split":
            return south + left / 2, north + left / 2
        if self.rules.leftover == "none":
            return south, north
        if self.rules.leftover == "halved":
            return south + left / 2, north + left / 2
        if self.rules.leftover == "last_mover":
            return (south + left, north) if self.turn == 1 else (south, north + left)
        if self.rules.leftover == "emptier" and on_south == 0:
            return south + left, north
        if self.rules.leftover == "emptier" and on_north == 0:
            return south, north + left
        return south + on_south, north + on_north

    def _collects(self, player: int) -> int:
        """Seeds in the pits that bear the player's mark, and in the player's own pits that bear none."""
        seeds = 0
        for pit in range(len(self.pits)):
            is_plain = self.marks[pit] == NOBODY or self.rules.marked_pits == "taken"
            holder = self.owner[pit] if is_plain else self.marks[pit]
            if holder == player:
                seeds += self.pits[pit]
        return seeds

    def _game_winner(self) -> int | None:
        """Who has won the game that has ended."""
        if rules_for_one(self.rules):
            return 0 if self.termination in ("cleared", "standstill") else 1
        if self.rules.goal == "last_mover":
            if 0 < self.rules.safe_seeds <= self.stores[self.player]:
                return None
            return 1 - self.player if self.termination == self.rules.end_reason else None
        if self.rules.goal in ("empty_block", "outlast", "inner_row") and 0 in self._on_the_sides():
            in_south, in_north = self._on_the_sides()
            empties_first = self.rules.goal == "empty_block"
            return matches.higher((in_north, in_south) if empties_first else (in_south, in_north))
        if self.rules.goal == "empty_block":
            return None
        if self.rules.goal in ("outlast", "inner_row"):
            is_beaten = self.rules.stuck != "pass" and self.termination == self.rules.end_reason
            return 1 - self.player if is_beaten else None
        scores = self._final_scores()
        if self.rules.target_seeds and max(scores) < self.rules.target_seeds:
            return None
        return matches.higher(scores)


def leaves_a_pit(rules: Ruleset, turn: Turn, opponent: int, least: int) -> bool:
    """Has the opponent, after this turn, a pit of so many seeds?"""
    return any(turn.owner[pit] == opponent and turn.pits[pit] >= least for pit in range(len(turn.pits)))


def can_be_lifted(rules: Ruleset, table: Table, player: int, pit: int, ply: int) -> bool:
    """Is this pit the player's to play, has it seeds enough, and somewhere for them to go?"""
    if table.pits[pit] < max(1, rules.min_start) or table.marks[pit] != NOBODY:
        return False
    if rules.sowing == "neighbours":
        return True  # whoever owns it
    if rules.sowing == "reaping":
        return next_empty(table.pits, player, pit) is not None
    is_theirs = rules.match != "territory" or table.owner[pit] == player
    return is_theirs and may_be_played_first(rules, player, pit, ply)


def may_be_played_first(rules: Ruleset, player: int, pit: int, ply: int) -> bool:
    """Is this pit one of those that may be played in this ply of the opening, if it is one?"""
    if ply >= len(rules.opening) or not rules.opening[ply]:
        return True
    return pit in [rules.board.homes[player][place] for place in rules.opening[ply]]


def ways_of(rules: Ruleset, place: int) -> list[bool]:
    """The directions in which a place of a player may be sown, if no direction has been chosen for the game."""
    said = rules.direction[place] if isinstance(rules.direction, tuple) else rules.direction
    return {"counterclockwise": [False], "clockwise": [True]}.get(said, [False, True])


def without_idle_reverses(rules: Ruleset, table: Table, player: int, ply: int, moves: list[Move]) -> list[Move]:
    """Of the moves that can be made, those that are not reversed without a capture."""
    if not rules.reverses:
        return moves
    return [(pit, way) for pit, way in moves if not way or Turn(rules, table, player, pit, ply, way).captures_at_once]


def without_singles(rules: Ruleset, table: Table, player: int, moves: list[Move]) -> list[Move]:
    """Of the moves that can be made, those that remain when single seeds are played only as a last resort, or only
    into an empty cell."""
    singles = [(pit, way) for pit, way in moves if table.pits[pit] == 1]
    larger = [(pit, way) for pit, way in moves if table.pits[pit] > 1]
    if rules.singles in ("last_resort", "last_resort_into_empty") and larger:
        singles = []
    if rules.singles in ("last_resort_into_empty", "into_empty"):
        singles = [(pit, way) for pit, way in singles if is_next_empty(rules, table, player, pit, way)]
    if rules.singles == "into_empty_at_last" and not larger:
        singles = [(pit, way) for pit, way in singles if is_next_empty(rules, table, player, pit, way)]
    return [move for move in moves if move in larger or move in singles]


def without_first_laps_into_own(rules: Ruleset, table: Table, player: int, ply: int, moves: list[Move]) -> list[Move]:
    """Of the moves that can be made, those of which the first lap ends where it may."""
    if rules.board.kind == "one_row":
        moves = [(pit, way) for pit, way in moves if fits(rules, table, player, pit, way)]
    if rules.first_lap == "anywhere" or ply < len(rules.opening):
        return moves
    if rules.first_lap == "in_full":
        return [(pit, way) for pit, way in moves if ends_in_full(rules, table, player, pit, way, None)]
    return [(pit, way) for pit, way in moves if not ends_in_full(rules, table, player, pit, way, player)]


def fits(rules: Ruleset, table: Table, player: int, pit: int, clockwise: bool) -> bool:
    """Are there pits enough after this one in its row?"""
    way, seeds = way_round(rules, player, clockwise), table.pits[pit]
    stays = rules.leave != "nothing" and (seeds > 1 or rules.leave == "unless_alone")
    return seeds - stays < len(way) - way.index(pit)


def ends_in_full(rules: Ruleset, table: Table, player: int, pit: int, clockwise: bool, whose: int | None) -> bool:
    """Does the first lap from this pit end in a pit that has seeds when the last one falls, one of ``whose``?"""
    way, pits = way_round(rules, player, clockwise), list(table.pits)
    hand, pits[pit] = pits[pit], 0
    step = way.index(pit)
    for _ in range(hand):
        step = (step + 1) % len(way)
        if way[step] >= 0:
            pits[way[step]] += 1
    last = way[step]
    return last >= 0 and whose in (None, table.owner[last]) and pits[last] > 1


def without_remembered(rules: Ruleset, table: Table, moves: list[Move]) -> list[Move]:
    """Of the moves that can be made, those that may be although, or because, the game remembers some pits."""
    others = [(pit, way) for pit, way in moves if pit not in table.memory]
    if rules.remember == "until_sown":
        return others
    return others or moves if rules.remember == "played_last" else moves


def forced_first(rules: Ruleset, table: Table, player: int, moves: list[Move]) -> list[Move]:
    """Of the moves that can be made, those that must be before all others, if there are any; else all."""
    if rules.forced is None:
        return moves
    places = [rules.board.homes[player][place] for place in rules.forced.places]
    counts = rules.forced.counts
    first = [(pit, way) for pit, way in moves if pit in places and (counts is None or table.pits[pit] in counts)]
    return first or moves


def without_barred(rules: Ruleset, table: Table, player: int, moves: list[Move]) -> list[Move]:
    """Of the moves that can be made, those that are not barred; all, if all are, or if a starving opponent counts."""
    if rules.barred is None or (rules.feeding != "none" and side(rules, table.pits, 1 - player, table.owner) == 0):
        return moves
    home = rules.board.homes[player]
    places = [home[place] for place in rules.barred.places]
    counts = rules.barred.counts
    others = [
        (pit, way) for pit, way in moves if pit not in places or (counts is not None and table.pits[pit] not in counts)
    ]
    return others or moves


def is_next_empty(rules: Ruleset, table: Table, player: int, pit: int, clockwise: bool) -> bool:
    """Is the cell empty that a single seed of this pit falls into?"""
    way = way_round(rules, player, clockwise)
    return table.seeds_in(way[(way.index(pit) + 1) % len(way)], player) == 0


@lru_cache(1000)  # asked several times about each position
def legal_moves(rules: Ruleset, table: Table, player: int, ply: int, direction: Ways) -> tuple[Move, ...]:
    """The moves that ``player`` may make, from the own left. Whether the game has ended is not asked."""
    table = laid_out(rules, table, player) or table
    opponent, owner = 1 - player, table.owner
    pits = [
        (pit, way)
        for place, pit in enumerate(rules.board.homes[player])
        if can_be_lifted(rules, table, player, pit, ply)
        for way in ways_of(rules, place)
        if direction[player] in (None, int(way))
    ]
    if rules.sowing != "track":
        return tuple(pits)
    pits = without_singles(rules, table, player, pits)
    pits = without_idle_reverses(rules, table, player, ply, pits)
    pits = without_first_laps_into_own(rules, table, player, ply, pits)
    pits = without_remembered(rules, table, pits)
    pits = forced_first(rules, table, player, pits)
    pits = without_barred(rules, table, player, pits)
    starves = rules.feeding == "if_starved" and side(rules, table.pits, opponent, owner) == 0
    if not starves and rules.feeding in ("none", "if_starved") and rules.grand_slam != "forbidden":
        return tuple(pits)  # what the turns would lead to does not matter
    turns = {(pit, way): Turn(rules, table, player, pit, ply, way) for pit, way in pits}
    if starves:
        most = max([turn.feeds for turn in turns.values()], default=0)
        least = max(1, min(rules.feeding_least, most))
        turns = {pit: turn for pit, turn in turns.items() if turn.feeds >= least}
    if rules.feeding in ("always", "must_leave", "leave_move"):
        least = rules.min_start if rules.feeding == "leave_move" else 1
        leaving = {move: turn for move, turn in turns.items() if leaves_a_pit(rules, turn, opponent, least)}
        turns = leaving or (turns if rules.feeding == "always" else {})
    if rules.grand_slam == "forbidden":
        turns = {pit: turn for pit, turn in turns.items() if not turn.slams} or turns
    return tuple(turns)


def who_moves(rules: Ruleset, table: Table, player: int, ply: int, direction: Ways) -> int | None:
    """Who moves when it is ``player``'s turn: that player or, with nothing to play, the other. None: the game is over.
    With ``explicit_pass`` a player who has nothing to play while the other has is not skipped, but has to pass."""
    if rules.end_check == "any_side" and 0 in [side(rules, table.pits, seat, table.owner) for seat in (0, 1)]:
        return None
    if legal_moves(rules, table, player, ply, direction):
        return player
    if rules.stuck == "pass" and legal_moves(rules, table, 1 - player, ply, direction):
        return player if rules.explicit_pass else 1 - player
    return None


_ALIVE: dict[Ruleset, dict[tuple[Table, int], bool]] = {}


def is_dead(rules: Ruleset, pits: Sequence[int], player: int, owner: Sequence[int] | None = None) -> bool:
    """No sequence of legal moves of both players, ``player`` beginning, contains a capture. The first plies of the game
    are over: no rule about them counts any more."""
    owner = rules.board.owner if owner is None else owner
    return _is_dead(rules, Table(tuple(pits), tuple(owner), (NOBODY,) * len(pits)), player)


def _is_dead(rules: Ruleset, table: Table, player: int) -> bool:
    alive = _ALIVE.setdefault(rules, {})
    start = (table._replace(stores=(0, 0)), player)  # no seed is sown into a store here
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
    mover = who_moves(rules, table, player, LATE, (None, None))
    if mover is None:
        return False
    followers = []
    for pit, way in legal_moves(rules, table, mover, LATE, (None, None)):
        turn = Turn(rules, table, mover, pit, LATE, way)
        if turn.captured:
            return True
        followers.append((turn.table, mover if turn.again else 1 - mover))
    for after in followers or [(table, 1 - mover)]:  # nothing to play: a pass
        if after not in reached:
            reached.append(after)
    return False
