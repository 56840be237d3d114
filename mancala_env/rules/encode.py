"""A ruleset as flat arrays for the kernels: its axes, its tables, and which version of the kernels plays it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import layout
from mancala_env.rules.board import NOBODY
from mancala_env.rules.checks import NUMBERS
from mancala_env.rules.choices import (
    BelowTarget,
    Difference,
    Direction,
    EndCheck,
    Ends,
    Feeding,
    FirstLap,
    FirstMover,
    Goal,
    GrandSlam,
    Leave,
    Leftover,
    LoneSeed,
    MarkedPits,
    Match,
    PlayedAgain,
    Remainder,
    Remember,
    RepetitionLeftover,
    Singles,
    SlamScope,
    Sowing,
    Store,
    Stuck,
    Surplus,
    Unfilled,
)
from mancala_env.rules.groups import RuleBook
from mancala_env.rules.landing import NEXT_SIDES, When

MUCH = 10_000_000  # plies that take about as long by the general build as another one takes to compile


class Encoded:
    """A ruleset as flat arrays, read-only.

    Attributes
    ----------
    axes : int64[layout.AXES]
    tables : uint8[2 or 4, layout.TABLES or more]
    dead : bool[...]
        ``kernels.indeterminacy.dead_table``, or one False.
    """

    def __init__(self, axes: npt.NDArray[np.int64], tables: npt.NDArray[np.uint8], dead: npt.NDArray[np.bool_]) -> None:
        self.axes, self.tables, self.dead = axes, tables, dead
        self._plies = 0
        for array in (axes, tables, dead):  # before any kernel sees them: each kind of array costs a compilation
            array.setflags(write=False)

    @cached_property
    def rules(self) -> Any:
        """The ruleset as kernels take it: what ``kernels.engine.bind`` makes of the arrays."""
        from mancala_env.kernels.engine import bind  # compiles, so not at import

        return bind(self.axes, self.tables, self.dead)

    def to_play(self, plies: int) -> Any:
        """``rules``, for a kernel that plays about so many plies: after ``MUCH`` of them by a build of its own."""
        before, self._plies = self._plies, self._plies + plies
        if before < MUCH <= self._plies:
            from mancala_env.kernels.engine import bind_for_much

            bind_for_much(self.rules, self.axes, self.tables)
        return self.rules

    def __reduce__(self) -> Any:
        """A copy in another process has its arrays elsewhere."""
        return Encoded, (self.axes, self.tables, self.dead)

    def __deepcopy__(self, memo: Any) -> "Encoded":
        """Nothing here can change."""
        return self


class Ranges(NamedTuple):
    """The range of each field of a position."""

    low: npt.NDArray[np.int16]  # [W]
    high: npt.NDArray[np.int16]  # [W]
    counted: npt.NDArray[np.bool_]  # [W]: fields that hold seeds, of which there are ``Ruleset.total_seeds`` at most


def position_fields(rules: RuleBook) -> dict[str, int]:
    """Where in a position the further fields of this game begin, by name in the order of ``layout``; and "width"."""
    at, found = rules.board.pits + layout.POSITION_FIELDS, {}
    for name, kept, size in (
        ("owner", rules.match is Match.TERRITORY, rules.board.pits),
        ("marks", rules.has_marks, rules.board.pits),
        ("removed", rules.loses_seeds, 1),
        ("match", rules.match is not Match.NONE, layout.MATCH_FIELDS),
        ("direction", rules.keeps_direction, 2),
        ("pending", rules.decides, layout.PENDING_FIELDS),
        ("memory", rules.remember is not Remember.NOTHING, rules.board.pits),
        ("reserve", rules.reserve > 0, 2),
        ("stronghold", rules.stronghold is not None, 2),
        ("threat", rules.threats, 1),
        ("debt", rules.refill_empty_side, 1),
        ("closed", rules.closes_pits, rules.board.pits),
    ):
        if kept:
            found[name] = at
            at += size
    return {**found, "width": at}


def endings(rules: RuleBook) -> frozenset[int]:
    """Why a game, or the match that it is, can be over: indices into ``layout.TERMINATIONS``, with 0 for not yet."""
    if rules.match is not Match.NONE:
        capped = "max_rounds" if rules.match is Match.REFILL else "max_games"
        return frozenset({0, layout.MATCH_TARGET, layout.TERMINATIONS.index(capped)})
    possible = {
        "": True, rules.end_reason: True, "max_plies": True, "majority": rules.majority_stop,
        "indeterminacy": rules.indeterminacy_max_seeds > 0, "repetition": rules.repetition > 0,
        "grand_slam": rules.grand_slam is GrandSlam.REST_TO_OPPONENT,
        "few_seeds": bool(rules.end_few or rules.end_flat),
        "block_empty": rules.goal is Goal.EMPTY_BLOCK, "target_seeds": rules.target_seeds > 0,
        "houses_empty": rules.end_houses, "marks_taken": rules.end_marks,
        "cleared": rules.goal is Goal.CLEAR, "standstill": rules.goal is Goal.STANDSTILL,
        "lost_by_landing": any(clause.then == "lose" for clause in rules.landing),
    }  # fmt: skip
    if rules.goal in (Goal.OUTLAST, Goal.INNER_ROW):
        possible["side_empty"] = True
    return frozenset(layout.TERMINATIONS.index(name) for name, is_possible in possible.items() if is_possible)


def ranges(rules: RuleBook) -> Ranges:
    """The range of each field of a position: every position of this game keeps to it, and kernels rely on it."""
    n, at, seeds = rules.board.pits, position_fields(rules), rules.total_seeds
    low, high = np.zeros(at["width"], dtype=np.int16), np.zeros(at["width"], dtype=np.int16)
    counted = np.zeros(at["width"], dtype=np.bool_)
    high[:n] = rules.pit_limit or seeds
    high[n : n + 2] = seeds if rules.has_stores else 0
    if rules.players == 1:
        high[n + 1] = 0
    counted[: n + 2] = True
    high[n + layout.MOVER] = rules.players - 1
    high[n + layout.PLY] = high[n + layout.PLIES_SINCE_CAPTURE] = layout.MAX_PLY
    high[n + layout.OVER] = len(layout.TERMINATIONS) - 1
    if "owner" in at:
        high[at["owner"] : at["owner"] + n] = 1
    if "marks" in at:
        low[at["marks"] : at["marks"] + n], high[at["marks"] : at["marks"] + n] = -1, 1
        high[[at["marks"] + pit for pit in sorted(rules.unmarkable_pits)]] = -1
        if rules.marked_pits is MarkedPits.TAKEN:
            high[at["marks"] : at["marks"] + n] = rules.setup_marks
    if "removed" in at:
        high[at["removed"]], counted[at["removed"]] = seeds, True
    if "match" in at:
        match = at["match"]
        tallies, last = slice(match + layout.TALLY, match + layout.TALLY + 2), match + layout.LAST
        low[match + layout.GAME], high[match + layout.GAME] = 1, rules.max_games
        high[match + layout.FIRST] = 1
        if rules.match is Match.REFILL:
            high[tallies], counted[tallies] = seeds, True
            if rules.unfilled is Unfilled.BORROWED:  # then all seeds are in the game in progress
                # Who could not fill one pit has lost; so nobody borrows more, nor is anybody owed more.
                owed = seeds // 2 - _start_seeds(rules)
                low[tallies], high[tallies], counted[tallies] = -owed, owed, False
        else:  # doubled points: the last game adds its score to less than the target
            high[tallies] = n if rules.match is Match.TERRITORY else 2 * NUMBERS["target"][1] + 2 * seeds
        high[last : last + 2] = 2 * seeds
        if rules.refill_empty_side:  # a player who owes more than they have ends below 0
            low[last : last + 2], high[last : last + 2] = -2 * seeds, 4 * seeds
        high[match + layout.LAST_OVER] = layout.ENDS_OF_GAMES[-1]
    if "direction" in at:
        low[at["direction"] : at["direction"] + 2], high[at["direction"] : at["direction"] + 2] = -1, 1
    if "memory" in at:
        high[at["memory"] : at["memory"] + n] = 1
    if "pending" in at:
        kinds = {
            layout.PICK: rules.has_picks, layout.GO_ON: rules.may_stop, layout.CHOOSE_END: rules.ends is Ends.CHOSEN,
            layout.CHOOSE_WAY: rules.reverse_laps,
        }  # fmt: skip
        high[at["pending"] + layout.DECISION] = max(kind for kind, is_asked in kinds.items() if is_asked)
        sown = seeds if rules.reverse_laps else 1
        high[at["pending"] + layout.LEFT] = max(sown, *(clause.picks for clause in rules.landing), 1)
        high[at["pending"] + layout.AT] = n - 1 if high[at["pending"] + layout.DECISION] > layout.PICK else 0
    if "reserve" in at:
        reserve = slice(at["reserve"], at["reserve"] + 2)
        high[reserve], counted[reserve] = rules.reserve, True
    if "stronghold" in at:
        high[at["stronghold"] : at["stronghold"] + 2] = 1
    if "debt" in at:
        low[at["debt"]], high[at["debt"]] = -seeds, seeds
    if "threat" in at:
        high[at["threat"]] = n
    if "closed" in at:
        high[at["closed"] : at["closed"] + n] = 1
    for array in (low, high, counted):
        array.setflags(write=False)
    return Ranges(low, high, counted)


def encoded(rules: RuleBook) -> Encoded:
    """The ruleset as the kernels take it."""
    axes, tables = _axes(rules), _tables(rules)
    axes[layout.PLAIN] = layout.is_plain(axes, tables)
    arrays = Encoded(axes, tables, np.zeros(1, dtype=np.bool_))
    if not rules.indeterminacy_max_seeds:
        return arrays
    from mancala_env.kernels.indeterminacy import dead_table  # compiles, so not at import

    return Encoded(axes, tables, dead_table(position_fields(rules)["width"], arrays))


def one_game(match: Encoded) -> Encoded:
    """The same for one game of the match; a ruleset that is no match is returned unchanged."""
    if match.axes[layout.MATCH] == 0:
        return match
    axes = match.axes.copy()
    axes[layout.MATCH] = 0
    return Encoded(axes, match.tables, match.dead)


def without_repetition(game: Encoded) -> Encoded:
    """The same without an end by repetition."""
    axes = game.axes.copy()
    axes[layout.REPEATS] = 0
    return Encoded(axes, game.tables, game.dead)


def _axes(rules: RuleBook) -> npt.NDArray[np.int64]:
    axes = np.zeros(layout.AXES, dtype=np.int64)
    table = _sparing_marks(rules)
    clauses = [clause.encode() for clause in table]
    if rules.store is Store.BOTH:  # elsewhere a seed in a store is always in the own one
        for said, code in zip(table, clauses, strict=True):
            code[layout.NEEDS] |= layout.IN_OTHER_STORE if said.store else 0
    axes[layout.ACTIONS], axes[layout.PITS] = rules.num_sowings, rules.board.pits
    axes[layout.LOOP] = len(_loop(rules, 0))
    axes[layout.TOTAL_SEEDS] = rules.total_seeds
    axes[layout.SKIP_ORIGIN] = rules.skip_origin
    axes[layout.SLAM] = _SLAMS[rules.grand_slam]
    multi_pit = rules.slam_scope is SlamScope.MULTI_PIT and rules.feeding in (Feeding.NONE, Feeding.IF_STARVED)
    axes[layout.SLAM_MIN_PITS] = 2 if multi_pit else 1
    axes[layout.FEEDING] = _FEEDINGS[rules.feeding]
    axes[layout.PASSES] = rules.stuck is Stuck.PASS
    axes[layout.ENDS_WITH_SIDE] = rules.end_check is EndCheck.ANY_SIDE
    axes[layout.END_REASON] = layout.TERMINATIONS.index(rules.end_reason)
    axes[layout.LEFTOVER] = _LEFTOVERS[rules.leftover]
    axes[layout.MAJORITY_STOP] = rules.majority_stop
    axes[layout.DEAD_SEEDS] = rules.indeterminacy_max_seeds or -1
    axes[layout.REPEATS] = rules.repetition
    axes[layout.REPEAT_GAP] = shortest_cycle(rules)
    axes[layout.REPEAT_SPLITS] = rules.repetition_leftover is RepetitionLeftover.SPLIT
    axes[layout.PLY_LIMIT] = rules.max_plies or layout.MAX_PLY
    axes[layout.LAP_LIMIT] = rules.max_laps
    axes[layout.RELAYS] = rules.relays
    axes[layout.ACROSS] = any(clause.is_across for clause in rules.landing)
    axes[layout.START_SEEDS] = _start_seeds(rules)
    axes[layout.UNFILLED] = list(Unfilled).index(rules.unfilled)
    axes[layout.CLOSED] = position_fields(rules).get("closed", 0)
    axes[layout.MIN_START] = rules.min_start
    axes[layout.PASS_ACTION] = rules.explicit_pass
    axes[layout.SOWING] = list(Sowing).index(rules.sowing)
    axes[layout.PIT_LIMIT] = rules.pit_limit
    axes[layout.GOAL] = list(Goal).index(rules.goal)
    for axis, name in ((layout.OWNERS, "owner"), (layout.MARKS, "marks"), (layout.REMOVED, "removed")):
        axes[axis] = position_fields(rules).get(name, 0)
    axes[layout.MATCH] = position_fields(rules).get("match", 0)
    axes[layout.MATCH_KIND] = list(Match).index(rules.match)
    doubled = 2 if rules.counts_points else 1
    axes[layout.TARGET] = doubled * rules.target or rules.board.pits
    axes[layout.MAX_GAMES] = rules.max_games
    reason = "max_rounds" if rules.match is Match.REFILL else "max_games"
    axes[layout.GAMES_REASON] = layout.TERMINATIONS.index(reason)
    axes[layout.FIRST_MOVER] = list(FirstMover).index(rules.first_mover)
    axes[layout.DRAW_POINTS] = int(2 * rules.draw_points)
    axes[layout.SIGNED] = rules.difference is Difference.SIGNED
    axes[layout.KEEPS] = rules.remainder is Remainder.KEEP
    if _one_chain(rules):
        axes[layout.ONE_CHAIN] = 1
        axes[layout.SLAM_MOST] = max(rules.landing[0].chain or ()) - 1  # a lap adds to each pit
    axes[layout.MARK_LIMIT] = rules.mark_limit
    axes[layout.UNMARKABLE] = sum(1 << pit for pit in rules.unmarkable_pits)
    axes[layout.LEAVE] = list(Leave).index(rules.leave)
    axes[layout.LONE_STAYS] = rules.lone_seed is LoneSeed.STAYS
    if rules.passing is not None:
        axes[layout.PASSING_COUNTS], axes[layout.PASSING] = rules.passing.encode()
    axes[layout.SINGLES] = list(Singles).index(rules.singles)
    home = len(rules.board.homes[0])
    axes[layout.OPENING_PLIES] = len(rules.opening)
    for ply, places in enumerate(rules.opening):
        allowed = {place % home for place in places}
        axes[layout.OPENING + ply] = sum(1 << k for k in range(axes[layout.ACTIONS]) if k % home in allowed)
    axes[layout.BY_PLY] = max(len(rules.opening), rules.plain_plies, *(said.from_ply for said in table), 0)
    axes[layout.PLAIN_PLIES] = rules.plain_plies
    axes[layout.END_FEW], axes[layout.END_FLAT] = rules.end_few, rules.end_flat
    axes[layout.TWO_WAYS], axes[layout.TURNS_ROUND] = rules.goes_both_ways, rules.turns_round
    axes[layout.SECOND_WAY], axes[layout.NEVER] = _ways(rules)
    axes[layout.CHOSEN] = position_fields(rules).get("direction", 0)
    axes[layout.CHOSEN_BY_EACH] = rules.direction is Direction.CHOSEN_BY_EACH
    is_shared = rules.sowing is Sowing.TRACK and NOBODY in rules.board.owner and not rules.is_line
    axes[layout.SHARED] = is_shared
    for said, code in zip(table, clauses, strict=True):
        code[layout.NEEDS] |= layout.NOBODYS if is_shared and said.side == "opponent" else 0
    axes[layout.END_HOUSES], axes[layout.DEBT] = rules.end_houses, position_fields(rules).get("debt", 0)
    axes[layout.MARKS_GO], axes[layout.END_MARKS] = rules.marked_pits is MarkedPits.TAKEN, rules.end_marks
    if rules.reverses:
        axes[layout.REVERSES] = layout.REVERSE_TURNS | (layout.REVERSE_LAPS if rules.reverse_laps else 0)
        axes[layout.REVERSES] |= layout.REVERSE_TO_EMPTY if rules.reverse_to_empty else 0
    axes[layout.SEEDS_A_PIT] = rules.seeds_a_pit if rules.seeds_a_pit > 1 else 0
    axes[layout.BY_SEED] = _by_seed(rules)
    axes[layout.NO_MIRROR] = not rules.mirrored_marks
    if rules.skipping is not None:
        axes[layout.SKIP_COUNTS], axes[layout.SKIPPING] = rules.skipping.encode()
        axes[layout.SKIP_FROM] = rules.skipping.from_ply
        axes[layout.BY_PLY] = max(axes[layout.BY_PLY], rules.skipping.from_ply)
    axes[layout.PENDING], axes[layout.DECISIONS] = position_fields(rules).get("pending", 0), rules.num_decisions
    for k, said in enumerate(table):
        axes[layout.PICKS + k] = said.picks | (layout.MAY_STOP if said.may_stop else 0)
        half = rules.board.pits // 2
        axes[layout.SPARED] |= sum(1 << place for place in {place % half for place in said.sparing})
    axes[layout.MEMORY] = position_fields(rules).get("memory", 0)
    axes[layout.REMEMBERS] = list(Remember).index(rules.remember)
    axes[layout.PLAYED_AGAIN] = list(PlayedAgain).index(rules.played_again)
    axes[layout.SAFE_SEEDS] = rules.safe_seeds
    for axis, name in ((layout.HANDS, "reserve"), (layout.STRONGHOLD, "stronghold"), (layout.THREAT, "threat")):
        axes[axis] = position_fields(rules).get(name, 0)
    if rules.stronghold is not None:
        axes[layout.STRONGHOLD_PLACE] = rules.stronghold
        axes[layout.STRONGHOLD_LEAST], axes[layout.STRONGHOLD_TAX] = rules.stronghold_least, rules.stronghold_tax
    for bit, is_so in (
        (layout.CHOSEN_ENDS, rules.ends is Ends.CHOSEN), (layout.END_JOINS, rules.end_joins),
        (layout.EMPTY_CAPTURES, rules.empty_captures), (layout.CAPTURES_LATER, rules.captures_later),
        (layout.WIDE_BRINGS, rules.brings_anywhere), (layout.FREE_PLAY, not rules.must_capture),
        (layout.LIFTS_SINGLES, rules.plays_singles),
    ):  # fmt: skip
        axes[layout.ENDS] |= bit if is_so else 0
    axes[layout.FIRST_LAP] = list(FirstLap).index(rules.first_lap)
    axes[layout.LINE] = rules.is_line
    axes[layout.NEXT_SKIPS] = rules.next_skips_stores
    axes[layout.SURPLUS] = list(Surplus).index(rules.surplus)
    if rules.barred is not None:
        axes[layout.BARRED], axes[layout.BARRED_COUNTS] = rules.barred.encode(home)
        if rules.offers_directions:
            axes[layout.BARRED] |= axes[layout.BARRED] << home
    if rules.forced is not None:
        axes[layout.FORCED], axes[layout.FORCED_COUNTS] = rules.forced.encode(home)
        if rules.offers_directions:
            axes[layout.FORCED] |= axes[layout.FORCED] << home
    axes[layout.FEED_LEAST] = rules.feeding_least if rules.feeding_least > 1 else 0
    axes[layout.TARGET_SEEDS] = rules.target_seeds
    axes[layout.BELOW_DRAWS] = rules.below_target is BelowTarget.DRAW
    axes[layout.CLAUSES] = len(clauses)
    for k, said in enumerate(table):
        axes[layout.ASKED] |= clauses[k][layout.NEEDS] & (layout.AHEAD | layout.VISITED)
        axes[layout.PLACES + k] = sum(1 << place for place in {place % home for place in said.place or ()})
        recalls = {None: layout.RECALL_ANY, True: layout.RECALL_KNOWN, False: layout.RECALL_UNKNOWN}
        axes[layout.NEXT_SIDES + k] = NEXT_SIDES.get(said.next_side or "", layout.NEXT_ANY)
        axes[layout.RECALLS + k] = recalls[said.remembered]
        axes[layout.FEW + k] = said.few
        late = said.from_ply or said.lifted or said.few or said.next_side
        if late or said.next_count or said.behind_count or said.place or said.remembered is not None:
            axes[layout.ASKED] |= layout.ASKS_FURTHER
        first = layout.FURTHER + k * layout.FURTHER_SIZE
        axes[first : first + layout.FURTHER_SIZE] = said.further()
    for k, clause in enumerate(clauses):
        first = layout.LANDING + k * layout.CLAUSE_SIZE
        axes[first : first + layout.CLAUSE_SIZE] = clause
    return axes


def _start_seeds(rules: RuleBook) -> int:
    """Seeds that are laid out in a pit at the start; where a match fills pits again, in a pit that a player fills."""
    if rules.unfilled is not Unfilled.THINNED and rules.setup is not None:
        return rules.setup[rules.board.homes[0][0]]
    return rules.seeds


def _by_seed(rules: RuleBook) -> int:
    """What is looked at before each seed falls, as bits of ``layout.BY_SEED``."""
    marks = {MarkedPits.COLLECT: layout.SEEDS_COLLECTED, MarkedPits.CLOSED: layout.PITS_CLOSED}
    jumped = layout.PITS_JUMPED if rules.closes_pits else 0
    return marks.get(rules.marked_pits, 0) | jumped | (layout.PITS_SKIPPED if rules.skipping is not None else 0)


def _ways(rules: RuleBook) -> tuple[int, int]:
    """A bit for each action that first goes the second way, and one for each that may never be played."""
    places = len(rules.board.homes[0])
    if not isinstance(rules.direction, tuple):
        return ((1 << places) - 1) << places if rules.offers_directions else 0, 0
    clockwise = sum(1 << k for k, way in enumerate(rules.direction) if way is Direction.CLOCKWISE)
    if not rules.offers_directions:
        return clockwise, 0
    counterclockwise = sum(1 << k for k, way in enumerate(rules.direction) if way is Direction.COUNTERCLOCKWISE)
    return ((1 << places) - 1) << places, clockwise | counterclockwise << places


def _sparing_marks(rules: RuleBook) -> list[When]:
    """The landing table, in which clauses that lift seeds to sow them on require a pit without a mark.

    They are left as they are where none of them can meet a mark. Where a capture takes marks away, only clauses that
    lift the last pit itself require one without.
    """
    if rules.marked_pits is MarkedPits.TAKEN:
        return [
            replace(each, marked=False) if each.then == "relay" and not each.store else each for each in rules.landing
        ]
    clauses, caught = [], not rules.has_marks
    for clause in rules.landing:
        clauses.append(replace(clause, marked=False) if clause.relays and not caught and not clause.store else clause)
        caught = caught or clause.conditions == When(marked=True).conditions
    return clauses


def shortest_cycle(rules: RuleBook) -> int:
    """A position cannot come back, without a capture, in fewer plies than this.

    On one loop that all seeds go round in the same direction, seeds cross every gap between neighbours equally
    often before a position comes back. Each crossing drops a seed in the pit after the gap, and only lifting
    that pit can undo it: so every pit is lifted at least once. Without relays that takes a ply for each pit.
    """
    south, north = (_next_pits(loop) for loop in rules.board.loops)
    one_way = south == north and len(south) == rules.board.pits and rules.players == 2
    lifts_all = rules.leave is Leave.NOTHING and rules.surplus is Surplus.ROUND and not rules.relays
    lifts_all = lifts_all and rules.skipping is None and not rules.refill_empty_side and rules.seeds_a_pit == 1
    lifts_all = lifts_all and not rules.closes_pits  # the loop is shorter without them
    return rules.board.pits if one_way and lifts_all and not rules.goes_both_ways else 1


def _next_pits(loop: Sequence[int]) -> dict[int, int]:
    """For each pit of a loop the one that is sown after it."""
    return dict(zip(loop, (*loop[1:], loop[0]), strict=True))


def _one_chain(rules: RuleBook) -> bool:
    """Is the table one clause that takes the last pit and a chain before it, the opponent's, all by the same counts?"""
    if len(rules.landing) != 1 or rules.store is not Store.NONE or rules.direction is not Direction.COUNTERCLOCKWISE:
        return False  # its closed form counts pits from the left
    if rules.leave is not Leave.NOTHING or rules.passing is not None or rules.plain_plies:
        return False
    if rules.surplus is not Surplus.ROUND:
        return False
    clause = rules.landing[0]
    plain = When(side="opponent", count=clause.chain, chain=clause.chain, takes=("here",)) if clause.chain else None
    return clause == plain


def _tables(rules: RuleBook) -> npt.NDArray[np.uint8]:
    board = rules.board
    lines = 4 if rules.goes_both_ways else 2
    laps = _laps(rules, lines) if board.pits == layout.COMMON_PITS else np.zeros((lines, 0), dtype=np.uint8)
    tables = np.zeros((lines, layout.TABLES + laps.shape[1]), dtype=np.uint8)
    tables[:, layout.LAPS :] = laps
    for line in range(lines):
        player, loop = line % 2, _loop(rules, line)
        table = tables[line]
        table[layout.TRACK : layout.TRACK + 2 * len(loop)] = loop + loop
        for pit in loop:
            if pit < board.pits:
                table[layout.PLACE + pit] = loop.index(pit)
        home = board.homes[player] * (2 if rules.offers_directions else 1)
        shared = len(board.homes[player]) == board.pits
        for part, pits in (
            (layout.OWNER, tuple(2 if owner == NOBODY else owner for owner in board.owner)),
            (layout.FACING, board.facing),
            (layout.OUTER, board.behind),
            (
                layout.VIEW,
                home if shared else tuple((pit + player * board.pits // 2) % board.pits for pit in range(board.pits)),
            ),
            (layout.HOMES, home),
            (layout.SETUP, rules.setup or (rules.seeds,) * board.pits),
        ):
            table[part : part + len(pits)] = pits
    return tables


def _laps(rules: RuleBook, lines: int) -> npt.NDArray[np.uint8]:
    """uint8[lines, pits * loop * LAP_WIDTH]: for each pit and each number of seeds that make less than a lap, one
    where a seed falls."""
    laps = np.zeros((lines, rules.board.pits, len(_loop(rules, 0)), layout.LAP_WIDTH), dtype=np.uint8)
    for line in range(lines):
        loop = _loop(rules, line)
        for place, pit in enumerate(loop):
            if pit < rules.board.pits:
                for hand in range(1, len(loop)):
                    laps[line, pit, hand, [loop[(place + k) % len(loop)] for k in range(1, hand + 1)]] = 1
    return laps.reshape(lines, -1)


def _loop(rules: RuleBook, line: int) -> tuple[int, ...]:
    """The cells that a player's seeds pass, the own store among them if it is sown: a line of ``layout``'s tables."""
    player, clockwise = line % 2, (rules.direction is Direction.CLOCKWISE) != (line > 1)
    loop = rules.board.loops[player][:: -1 if clockwise else 1]
    owners = {Store.NONE: (), Store.OWN: (player,), Store.BOTH: (0, 1)}[rules.store]
    for owner in owners:
        after = loop.index(rules.board.homes[owner][0 if clockwise else -1]) + 1
        loop = (*loop[:after], rules.board.pits + owner, *loop[after:])
    return loop


_SLAMS = {
    GrandSlam.CAPTURE: layout.SLAM_CAPTURE,
    GrandSlam.FORBIDDEN: layout.SLAM_FORBIDDEN,
    GrandSlam.NO_CAPTURE: layout.SLAM_NOTHING,
    GrandSlam.REST_TO_OPPONENT: layout.SLAM_REST,
    GrandSlam.SPARE_LAST: layout.SLAM_SPARE_LAST,
    GrandSlam.SPARE_FIRST: layout.SLAM_SPARE_FIRST,
}
_FEEDINGS = {
    Feeding.NONE: layout.FEED_NONE,
    Feeding.IF_STARVED: layout.FEED_STARVED,
    Feeding.ALWAYS: layout.FEED_ALWAYS,
    Feeding.MUST_LEAVE: layout.FEED_MUST_LEAVE,
    Feeding.LEAVE_MOVE: layout.FEED_LEAVE_MOVE,
}
_LEFTOVERS = {
    Leftover.OWNER: layout.LEFT_OWNER,
    Leftover.EMPTIER: layout.LEFT_EMPTIER,
    Leftover.NONE: layout.LEFT_NOBODY,
    Leftover.LAST_MOVER: layout.LEFT_LAST_MOVER,
    Leftover.HALVED: layout.LEFT_HALVED,
}
