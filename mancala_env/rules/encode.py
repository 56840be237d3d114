"""What follows from the fields of a ruleset, up to the flat arrays that kernels take of it: its axes and tables."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import layout
from mancala_env.rules import choices as c
from mancala_env.rules.board import NOBODY
from mancala_env.rules.declared import bits
from mancala_env.rules.fields import CHOICES, DECLARED, DEFAULTS, Fields
from mancala_env.rules.landing import SIDES, When

if TYPE_CHECKING:
    from mancala_env.kernels.engine import Encoded
    from mancala_env.kernels.single import CompiledRules


class Ranges(NamedTuple):
    """The range of each field of a position."""

    low: npt.NDArray[np.int16]  # [W]
    high: npt.NDArray[np.int16]  # [W]
    counted: npt.NDArray[np.bool_]  # [W]: fields that hold seeds, of which there are ``Ruleset.total_seeds`` at most


class Part(NamedTuple):
    """Fields of a position, with the range of all or of each of them."""

    name: str
    axis: int  # which says where they begin
    is_there: bool
    size: int
    low: int | Sequence[int] = 0
    high: int | Sequence[int] = 1
    counted: bool | Sequence[bool] = False  # do they hold seeds?


class RuleBook(Fields):
    """The fields, and what follows from them: not checked, that is for ``Ruleset``. What kernels take of them is made
    once, and kept with the ruleset."""

    @property
    def counts_points(self) -> bool:
        """Does a match count points, halves included: wins, or seeds?"""
        return self.match in (c.Match.WINS, c.Match.DIFFERENCE, c.Match.POINTS)

    @property
    def closes_pits(self) -> bool:
        """Are pits closed from game to game of a match?"""
        return self.match is c.Match.REFILL and self.unfilled not in (c.Unfilled.THINNED, c.Unfilled.BORROWED)

    @property
    def shares_pits(self) -> bool:
        """Do some pits belong to nobody, though seeds are sown along a track round the board?"""
        return self.sowing is c.Sowing.TRACK and NOBODY in self.board.owner and not self.is_line

    @property
    def players(self) -> int:
        """How many play: 2, or 1 in a solitaire, where South is always to move; its loss is told as North's win."""
        return self.board.players

    @property
    def is_line(self) -> bool:
        """Are seeds sown along a row, which ends, and not round a board?"""
        return self.sowing is c.Sowing.TRACK and self.board.kind == "one_row"

    @property
    def start_pits(self) -> tuple[int, ...]:
        """Seeds in each pit at the start."""
        return (self.seeds,) * self.board.pits if self.setup is None else self.setup[: self.board.pits]

    @property
    def start_stores(self) -> tuple[int, ...]:
        """Seeds in the stores of South and North at the start."""
        return (self.setup or ())[self.board.pits :] or (0, 0)

    @property
    def pit_limit(self) -> int:
        """A pit never holds more seeds; 0: there is no limit."""
        return layout.NEIGHBOURS if self.sowing is c.Sowing.NEIGHBOURS else 0

    @cached_property
    def total_seeds(self) -> int:
        """Seeds in play at the start."""
        return sum(self.start_pits) + sum(self.start_stores) + 2 * self.reserve

    @cached_property
    def num_actions(self) -> int:
        """A: actions are 0..A-1. First those that play a pit, then those that decide something in mid-turn, each about
        a pit as the mover sees them, own side first; the last is a pass, where that is an action."""
        return self.num_sowings + self.num_decisions + self.explicit_pass

    @cached_property
    def num_sowings(self) -> int:
        """The number of actions that play a pit: where there is a choice of direction, two for each."""
        return len(self.board.homes[0]) * (2 if self.offers_directions else 1)

    @cached_property
    def directions(self) -> tuple[c.Direction, ...]:
        """The direction of each place of a player."""
        return self.direction if isinstance(self.direction, tuple) else (self.direction,) * len(self.board.homes[0])

    @cached_property
    def offers_directions(self) -> bool:
        """Is there a choice of direction, be it only in some pits or in some turns?"""
        return not {*self.directions} <= {c.Direction.COUNTERCLOCKWISE, c.Direction.CLOCKWISE}

    @property
    def reverses(self) -> bool:
        """Are there pits that are sown clockwise only if that captures?"""
        return c.Direction.REVERSE in self.directions or self.reverses_laps

    @property
    def reverses_laps(self) -> bool:
        """Are there pits that are, for a later lap of a turn, too?"""
        return c.Direction.REVERSE_LAPS in self.directions

    @property
    def reversible(self) -> tuple[frozenset[int], ...]:
        """The pits that South, and those that North, may sow clockwise if that captures."""
        may = [place for place, each in enumerate(self.directions) if each in ("reverse", "reverse_laps")]
        return tuple(frozenset(home[place] for place in may) for home in self.board.homes)

    @property
    def goes_both_ways(self) -> bool:
        """Do the seeds of a player go round now one way and now the other?"""
        return self.offers_directions or isinstance(self.direction, tuple)

    @cached_property
    def num_decisions(self) -> int:
        """How many actions decide something in mid-turn: one for each pit, and one to stop where a turn can go on."""
        return self.board.pits + self.may_stop if self.has_picks or self.may_stop else 0

    @cached_property
    def may_stop(self) -> bool:
        """Are there turns that may go on, or stop?"""
        return self.reserve > 0 or any(clause.then == "relay_or_stop" for clause in self.landing)

    @cached_property
    def has_picks(self) -> bool:
        """Can the mover be asked to pick pits?"""
        return any(clause.picks for clause in self.landing)

    @property
    def counts_seeds(self) -> bool:
        """Are final scores numbers of seeds? Not where nobody wins any, and not in matches that count other things."""
        return self.goal is c.Goal.SEEDS and self.match in (c.Match.NONE, c.Match.REFILL)

    @property
    def has_stores(self) -> bool:
        """Are there stores? Not where seeds are neither won nor counted."""
        captures = self.has_picks or any(
            clause.then != "sow_on" and clause.takes and clause.to != "here" for clause in self.landing
        )
        return captures or self.passing is not None or self.store is not c.Store.NONE or self.goal is c.Goal.SEEDS

    @property
    def has_marks(self) -> bool:
        """Can pits be marked?"""
        return self.marked_pits is c.MarkedPits.TAKEN or any(clause.marks for clause in self.landing)

    @property
    def stronghold(self) -> int | None:
        """The place of a pit on each player's inner row that has privileges at first; None: there is none."""
        columns = self.board.columns
        return columns + (columns - 1) // 2 if self.reserve else None

    @property
    def next_is_pit(self) -> bool:
        """Does a clause speak of the places that follow, where stores lie among these? They are left out."""
        asked = (clause.next or clause.next2 or clause.facing_next for clause in self.landing)
        done = (each for clause in self.landing for each in (clause.then, *clause.takes))
        return self.store is not c.Store.NONE and (any(asked) or any("next" in each for each in done))

    @property
    def marks_pairs(self) -> bool:
        """Do marks always come in facing pairs? Not where three pits face each other, as on boards of three rows."""
        made, facing = {frozenset(clause.marks) for clause in self.landing if clause.marks}, self.board.facing
        return (
            self.marked_pits is not c.MarkedPits.TAKEN
            and made <= {frozenset(("here", "facing")), frozenset(("pair",))}
            and (not made or all(facing[across] == pit for pit, across in enumerate(facing)))
        )

    @property
    def relays(self) -> bool:
        """Can a turn take more than one lap?"""
        return any(clause.relays for clause in self.landing)

    @cached_property
    def fields(self) -> dict[str, int]:
        """Where in a position this game's further fields begin, by name in the order of ``layout``, and "width"."""
        at, found = self.board.pits + layout.POSITION_FIELDS, {}
        for part in _parts(self):
            if part.is_there:
                found[part.name] = at
                at += part.size
        return {**found, "width": at}

    @cached_property
    def ranges(self) -> Ranges:
        """The range of each field of a position: every position of this game keeps to it, and kernels rely on it."""
        seeds, stores = self.total_seeds, self.total_seeds if self.has_stores else 0
        parts = [
            Part("pits", 0, True, self.board.pits, high=self.pit_limit or seeds, counted=True),
            Part("stores", 0, True, 2, high=(stores, stores * (self.players - 1)), counted=True),
            Part("mover", 0, True, 1, high=self.players - 1),
            Part("plies", 0, True, 2, high=layout.MAX_PLY),
            Part("over", 0, True, 1, high=len(layout.TERMINATIONS) - 1),
            *_parts(self),
        ]
        low, high, counted = (
            np.concatenate([np.broadcast_to(getattr(part, name), part.size) for part in parts if part.is_there])
            for name in ("low", "high", "counted")
        )
        found = Ranges(low.astype(np.int16), high.astype(np.int16), counted.astype(np.bool_))
        for array in found:
            array.setflags(write=False)
        return found

    @cached_property
    def endings(self) -> frozenset[int]:
        """Why the game, or the match that it is, can be over: indices into ``TERMINATIONS``, with 0 for not yet."""
        if self.match is not c.Match.NONE:
            capped = "max_rounds" if self.match is c.Match.REFILL else "max_games"
            return frozenset({0, layout.MATCH_TARGET, layout.TERMINATIONS.index(capped)})
        possible = {
            "": True, "max_plies": True, "majority": self.majority_stop,
            "side_empty": self.goal in (c.Goal.OUTLAST, c.Goal.INNER_ROW),
            "indeterminacy": self.indeterminacy_max_seeds > 0, "repetition": self.repetition > 0,
            "grand_slam": self.grand_slam is c.GrandSlam.REST_TO_OPPONENT,
            "few_seeds": self.end_few > 0 or self.end_when == "all_single",
            "block_empty": self.goal is c.Goal.EMPTY_BLOCK, "target_seeds": self.target_seeds > 0,
            **dict.fromkeys({"houses_empty", "marks_taken"} & {self.end_when}, True),
            "cleared": self.goal is c.Goal.CLEAR, "standstill": self.goal is c.Goal.STANDSTILL,
            "lost_by_landing": any(clause.then == "lose" for clause in self.landing), self.end_reason: True,
        }  # fmt: skip
        return frozenset(layout.TERMINATIONS.index(name) for name, is_possible in possible.items() if is_possible)

    @cached_property
    def encoded(self) -> "Encoded":
        """The ruleset as flat arrays, laid out as ``kernels.layout`` says."""
        from mancala_env.kernels.engine import Encoded  # compiles, so not at import
        from mancala_env.kernels.indeterminacy import make_no_capture_table

        arrays = Encoded(_axes(self), _tables(self), np.zeros(1, dtype=np.bool_))
        if not self.indeterminacy_max_seeds:
            return arrays
        return Encoded(arrays.axes, arrays.tables, make_no_capture_table(arrays))

    @cached_property
    def one_game(self) -> "Encoded":
        """``encoded``, but of a single game of the match: it ends where the game does."""
        return self.encoded.without(layout.MATCH)

    @cached_property
    def without_repetition(self) -> "Encoded":
        """``one_game`` without repetition, for looking ahead where the earlier moves are not known."""
        return self.one_game.without(layout.REPEATS)

    @cached_property
    def bound(self) -> "CompiledRules":
        """The ruleset bound to the kernel that plays one move."""
        from mancala_env.kernels.single import CompiledRules  # compiles, so not at import

        return CompiledRules(self, self.encoded)


def _parts(rules: RuleBook) -> tuple[Part, ...]:
    """All fields that the positions of some games have besides those of every game, in the order of ``layout``."""
    pits, seeds, taken = rules.board.pits, rules.total_seeds, rules.marked_pits is c.MarkedPits.TAKEN
    due = max(
        layout.PICK * rules.has_picks, layout.GO_ON * rules.may_stop, layout.CHOOSE_DIRECTION * rules.reverses_laps
    )
    left = max(seeds if rules.reverses_laps else 1, *(clause.picks for clause in rules.landing), 1)
    at = pits - 1 if due > layout.PICK else 0
    loses = rules.sowing is c.Sowing.NEIGHBOURS or rules.marked_pits is c.MarkedPits.CLOSED
    return (
        Part("owner", layout.OWNERS, rules.match is c.Match.TERRITORY, pits),
        Part("marks", layout.MARKS, rules.has_marks, pits, low=-1, high=rules.setup_marks if taken else 1),
        Part("removed", layout.REMOVED, loses, 1, high=seeds, counted=True),
        Part("match", layout.MATCH, rules.match is not c.Match.NONE, layout.MATCH_FIELDS, *_range_of_match(rules)),
        Part("direction", layout.CHOSEN, str(rules.direction).startswith("chosen"), 2, low=-1),
        Part("pending", layout.PENDING, due > 0, layout.PENDING_FIELDS, high=(due, left, at)),
        Part("memory", layout.MEMORY, rules.remember != "nothing", pits),
        Part("reserve", layout.HANDS, rules.reserve > 0, 2, high=rules.reserve, counted=True),
        Part("stronghold", layout.STRONGHOLD, rules.reserve > 0, 2),
        Part("threat", layout.THREAT, rules.reserve > 0, 1, high=pits),
        Part("debt", layout.DEBT, rules.stuck is c.Stuck.REFILL, 1, low=-seeds, high=seeds),
        Part("closed", layout.CLOSED, rules.closes_pits, pits),
    )


def _range_of_match(rules: RuleBook) -> tuple[Sequence[int], Sequence[int], Sequence[bool]]:
    """The lowest and highest number of each field of a match, and whether it holds seeds."""
    seeds, counts = rules.total_seeds, False
    least, most = 0, 2 * DECLARED["target"].most + 2 * seeds  # the last game adds its score to less than the target
    if rules.match is c.Match.TERRITORY:
        most = rules.board.pits
    elif rules.unfilled is c.Unfilled.BORROWED:  # who could not fill one pit has lost, so nobody owes more
        most = seeds // 2 - _start_seeds(rules)
        least = -most
    elif rules.match is c.Match.REFILL:
        most, counts = seeds, True
    # In the game before, a player who owed more than they had ended below 0.
    lowest, highest = (-2 * seeds, 4 * seeds) if rules.stuck is c.Stuck.REFILL else (0, 2 * seeds)
    low = (1, 0, least, least, lowest, lowest, 0)
    high = (rules.max_games, 1, most, most, highest, highest, layout.ENDS_OF_GAMES[-1])
    return low, high, (False, False, counts, counts, False, False, False)


def _axes(rules: RuleBook) -> npt.NDArray[np.int64]:
    axes = np.zeros(layout.AXES, dtype=np.int64)
    for name, declared in DECLARED.items():
        if declared.axis is not None:
            value = getattr(rules, name)
            axes[declared.axis] = declared.code(CHOICES[name].index(value) if name in CHOICES else value)
    at = rules.fields
    for part in _parts(rules):
        axes[part.axis] = at.get(part.name, 0)
    table, home = _sparing_marks(rules), len(rules.board.homes[0])
    axes[layout.ACTIONS], axes[layout.PITS], axes[layout.WIDTH] = rules.num_sowings, rules.board.pits, at["width"]
    axes[layout.LOOP], axes[layout.TOTAL_SEEDS] = len(_loop(rules, 0)), rules.total_seeds
    multi_pit = rules.slam_scope == "multi_pit" and rules.feeding in (c.Feeding.NONE, c.Feeding.IF_STARVED)
    axes[layout.SLAM_MIN_PITS] = 2 if multi_pit else 1
    axes[layout.REPEAT_GAP] = shortest_cycle(rules)
    axes[layout.RELAYS] = rules.relays
    axes[layout.START_SEEDS] = _start_seeds(rules)
    doubled = 2 if rules.counts_points else 1
    axes[layout.TARGET] = doubled * rules.target or rules.board.pits
    if _one_chain(rules):
        axes[layout.ONE_CHAIN] = 1
        axes[layout.SLAM_MOST] = max(rules.landing[0].chain or ()) - 1  # a lap adds to each pit
        from_left = {*rules.board.loops} == {tuple(range(rules.board.pits))} and rules.board.halves
        axes[layout.SLAMS_KNOWN] = from_left and rules.feeding is not c.Feeding.LEAVE_MOVE
    if (passing := rules.passing) is not None:
        how = layout.PASSING_TO_OWNER * (passing.to == "owner") | layout.PASSING_LAST * passing.last
        how |= layout.PASSING_AFTER * (passing.when == "after_lap") | layout.PASSING_AGAIN * (passing.then == "again")
        axes[layout.PASSING_COUNTS], axes[layout.PASSING] = bits(passing.counts), how
    axes[layout.OPENING_PLIES] = len(rules.opening)
    for ply, places in enumerate(rules.opening):
        allowed = {place % home for place in places}
        axes[layout.OPENING + ply] = sum(1 << k for k in range(axes[layout.ACTIONS]) if k % home in allowed)
    axes[layout.STRONGHOLD_PLACE] = rules.stronghold or 0
    axes[layout.NEXT_SKIPS] = rules.next_is_pit
    late = 0 if rules.skipping is None else rules.skipping.from_ply
    axes[layout.BY_PLY] = max(len(rules.opening), late, *(said.from_ply for said in table), 0)
    axes[layout.TWO_WAYS] = rules.goes_both_ways
    axes[layout.SECOND_WAY], axes[layout.NEVER] = _ways(rules)
    axes[layout.CHOSEN_BY_EACH] = rules.direction is c.Direction.CHOSEN_BY_EACH
    axes[layout.SHARED] = rules.shares_pits
    axes[layout.HALVES] = rules.board.halves
    axes[layout.TURNS_ROUND] = rules.direction is c.Direction.CHOICE_TURNING
    axes[layout.NO_MIRROR] = rules.marked_pits is c.MarkedPits.COLLECT
    axes[layout.MARKS_GO] = rules.marked_pits is c.MarkedPits.TAKEN
    axes[layout.REVERSES] = layout.REVERSE_TURNS * rules.reverses + layout.REVERSE_LAPS * rules.reverses_laps
    marks = {c.MarkedPits.COLLECT: layout.SEEDS_COLLECTED, c.MarkedPits.CLOSED: layout.PITS_CLOSED}
    axes[layout.BY_SEED] = marks.get(rules.marked_pits, 0) | layout.PITS_JUMPED * rules.closes_pits
    if (skipping := rules.skipping) is not None:
        axes[layout.SKIP_COUNTS], axes[layout.SKIP_FROM] = bits(skipping.counts), late
        axes[layout.SKIPPING] = SIDES[skipping.side] | (0 if skipping.last else layout.SKIP_BUT_LAST)
        axes[layout.BY_SEED] |= layout.PITS_SKIPPED
    axes[layout.DECISIONS] = rules.num_decisions
    axes[layout.LINE] = rules.is_line
    for pits, axis in ((rules.barred, layout.BARRED), (rules.forced, layout.FORCED)):
        if pits is not None:
            actions = bits(place % home for place in pits.places)
            axes[axis] = actions | (actions << home if rules.offers_directions else 0)
            axes[axis + 1] = bits(pits.counts or ())
    axes[layout.CLAUSES] = len(table)
    for k, said in enumerate(table):
        _set_clause(axes, rules, k, said)
    return axes


def _set_clause(axes: npt.NDArray[np.int64], rules: RuleBook, k: int, said: When) -> None:
    half, code = rules.board.pits // 2, said.encode()
    if rules.store is c.Store.BOTH and said.store:  # elsewhere a seed in a store is always in the own one
        code[layout.NEEDS] |= layout.IN_OTHER_STORE
    if rules.shares_pits and said.side == "opponent":
        code[layout.NEEDS] |= layout.NOBODYS
    axes[layout.SPARED] |= bits(place % half for place in said.sparing)
    if isinstance(said.place, frozenset):
        code[layout.PLACES] = bits(place % len(rules.board.homes[0]) for place in said.place)
    code[layout.FURTHER] = any(code.get(number, 0) for number in range(layout.FURTHER + 1, layout.LIFTED + 1))
    axes[layout.ASKED] |= code[layout.NEEDS]
    for number, what in code.items():
        axes[layout.LANDING + k * layout.CLAUSE_SIZE + number] = what


def _start_seeds(rules: RuleBook) -> int:
    """Seeds that are laid out in a pit at the start; where a match fills pits again, in a pit that a player fills."""
    if rules.unfilled is not c.Unfilled.THINNED and rules.setup is not None:
        return rules.setup[rules.board.homes[0][0]]
    return rules.seeds


def _ways(rules: RuleBook) -> tuple[int, int]:
    """A bit for each action that first goes the second way, and one for each that may never be played."""
    places = len(rules.board.homes[0])
    clockwise, counterclockwise = (
        bits(k for k, each in enumerate(rules.directions) if each is direction)
        for direction in (c.Direction.CLOCKWISE, c.Direction.COUNTERCLOCKWISE)
    )
    if rules.offers_directions:
        return ((1 << places) - 1) << places, clockwise | counterclockwise << places
    return clockwise if isinstance(rules.direction, tuple) else 0, 0


def _sparing_marks(rules: RuleBook) -> list[When]:
    """The landing table, in which clauses that lift seeds to sow them on require a pit without a mark, where they can
    meet one. Where a capture takes marks away, only clauses that lift the last pit itself do."""
    clauses, caught, taken = [], not rules.has_marks, rules.marked_pits is c.MarkedPits.TAKEN
    for clause in rules.landing:
        lifts = (clause.relays_here if taken else clause.relays) and not clause.store
        clauses.append(replace(clause, marked=False) if lifts and not caught else clause)
        caught = caught or (clause.conditions == {"marked": True} and not taken)
    return clauses


def shortest_cycle(rules: RuleBook) -> int:
    """A position cannot come back, without a capture, in fewer plies than this. Where all seeds go round one loop the
    same way, they cross every gap between pits equally often before it does. Each crossing drops a seed in the pit
    after the gap, and only lifting that pit can undo it: without relays a ply for each."""
    south, north = (dict(pairwise((*loop, loop[0]))) for loop in rules.board.loops)  # for each pit the next one
    one_loop = south == north and len(south) == rules.board.pits and rules.players == 2 and not rules.goes_both_ways
    plainly = all(getattr(rules, name) == DEFAULTS[name] for name in ("leave", "surplus", "skipping", "seeds_a_pit"))
    is_shorter = rules.relays or rules.stuck is c.Stuck.REFILL or rules.closes_pits  # without those that are closed
    return rules.board.pits if one_loop and plainly and not is_shorter else 1


def _one_chain(rules: RuleBook) -> bool:
    """Is the table one clause that takes the last pit and a chain before it, the opponent's, all by the same counts?"""
    plainly = ("store", "direction", "leave", "passing", "surplus", "skipping", "seeds_a_pit", "setup_marks")
    if len(rules.landing) != 1 or any(getattr(rules, name) != DEFAULTS[name] for name in plainly):
        return False
    clause = rules.landing[0]
    plain = When(side="opponent", count=clause.chain, chain=clause.chain, takes=("here",)) if clause.chain else None
    return clause == plain and not rules.closes_pits and rules.stuck is not c.Stuck.REFILL


def _tables(rules: RuleBook) -> npt.NDArray[np.uint8]:
    board = rules.board
    lines = 4 if rules.goes_both_ways else 2
    laps = _laps(rules, lines)
    tables = np.zeros((lines, layout.TABLES + laps.shape[1]), dtype=np.uint8)
    tables[:, layout.LAPS :] = laps
    for line, table in enumerate(tables):
        player, loop = line % 2, _loop(rules, line)
        table[layout.TRACK : layout.TRACK + 2 * len(loop)] = loop + loop
        for place, pit in enumerate(loop):
            if pit < board.pits:
                table[layout.PLACE + pit] = place
        home = board.homes[player] * (2 if rules.offers_directions else 1)
        shared = len(board.homes[player]) == board.pits
        view = tuple((pit + player * board.pits // 2) % board.pits for pit in range(board.pits))
        for part, pits in {
            layout.OWNER: tuple(2 if owner == NOBODY else owner for owner in board.owner),
            layout.FACING: board.facing, layout.OUTER: board.outer, layout.VIEW: home if shared else view,
            layout.HOMES: home, layout.SETUP: rules.start_pits,
        }.items():  # fmt: skip
            table[part : part + len(pits)] = pits
    return tables


def _laps(rules: RuleBook, lines: int) -> npt.NDArray[np.uint8]:
    """uint8[lines, pits * loop * LAP_WIDTH]: for each pit and each number of seeds that make less than a lap, one where
    a seed falls, on the boards that have this (``layout.LAPS``)."""
    pits, width = rules.board.pits, len(_loop(rules, 0))
    if pits != layout.COMMON_PITS and (pits, width) != (2 * layout.LAP_WIDTH, layout.LAP_WIDTH):
        return np.zeros((lines, 0), dtype=np.uint8)
    laps = np.zeros((lines, min(pits, layout.LAP_WIDTH), width, layout.LAP_WIDTH), dtype=np.uint8)
    for line in range(lines):
        loop, first = _loop(rules, line), 0 if pits < layout.LAP_WIDTH else line % 2 * layout.LAP_WIDTH
        for place, hand in product(range(width), range(1, width)):
            if loop[place] < pits:
                sown = [loop[(place + k) % width] - first for k in range(1, hand + 1)]
                laps[line, loop[place] - first, hand, sown] = 1
    return laps.reshape(lines, -1)


def _loop(rules: RuleBook, line: int) -> tuple[int, ...]:
    """The cells that a player's seeds pass, the own store among them if it is sown: a line of ``layout``'s tables."""
    player, clockwise = line % 2, (rules.direction is c.Direction.CLOCKWISE) != (line > 1)
    loop = rules.board.loops[player][:: -1 if clockwise else 1]
    owners = {c.Store.NONE: (), c.Store.OWN: (player,), c.Store.BOTH: (0, 1)}[rules.store]
    for owner in owners:
        after = loop.index(rules.board.homes[owner][0 if clockwise else -1]) + 1
        loop = (*loop[:after], rules.board.pits + owner, *loop[after:])
    return loop
