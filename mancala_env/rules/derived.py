"""What follows from the fields of a ruleset."""

from functools import cached_property

from mancala_env.kernels import layout
from mancala_env.rules import choices as c
from mancala_env.rules.board import NOBODY
from mancala_env.rules.fields import Fields


class RuleBook(Fields):
    """The fields, and what follows from them. Not checked: that is for ``Ruleset``."""

    @property
    def pits_per_row(self) -> int:
        """Columns of the board."""
        return self.board.columns

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
        may = [place for place, way in enumerate(self.directions) if way in ("reverse", "reverse_laps")]
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
        return self.reserve > 0 or any(clause.may_stop for clause in self.landing)

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
