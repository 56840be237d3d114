"""What a game is: its axes, checked when they are put together, and their encoding for the kernels."""

import difflib
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import layout
from mancala_env.rules.board import NOBODY, Board, blocks_in_rows, halves, one_row, two_rows
from mancala_env.rules.board import check as check_board
from mancala_env.rules.landing import When
from mancala_env.rules.spec import format_spec, rule_changes

if TYPE_CHECKING:
    from mancala_env.state import State

MAX_SEEDS = 12
MAX_TOTAL = 2000  # scores are counted doubled, in int16, and a difference in every game
MAX_LAPS = 32_000  # far more than any turn is known to take that ends; those that never end cost so much
END_REASONS = ("stuck", "famine", "side_empty", "tutti_a_casa")
MAX_DEAD_ENTRIES = 5_000_000


class Store(StrEnum):
    """Which stores a player's seeds fall into while sowing. (Captures go to the mover's store in any case.)"""

    NONE = "none"
    OWN = "own"


class GrandSlam(StrEnum):
    """A capture that would take everything the enemy has: the readings that rule books of Oware give."""

    CAPTURE = "capture"  # like any other capture
    FORBIDDEN = "forbidden"  # illegal while there is another move, else nothing is captured
    NO_CAPTURE = "no_capture"  # legal, nothing is captured
    REST_TO_OPPONENT = "rest_to_opponent"  # the game ends at once and what is left on the board is the enemy's
    SPARE_LAST = "spare_last"  # the pit where the last seed fell is left
    SPARE_FIRST = "spare_first"  # the pit nearest the mover's field is left


class SlamScope(StrEnum):
    """Which captures of everything count as a grand slam."""

    ANY = "any"
    MULTI_PIT = "multi_pit"  # only those that take seeds from two enemy pits or more


class Feeding(StrEnum):
    """Must a move give the enemy seeds?

    ``IF_STARVED`` looks after the sowing and before a capture, which is Oware's rule: a move feeds even if it then
    takes all that it gave. In a game that relays it looks after the whole turn. The other reading, that the opponent
    must still have seeds when the capture is done, though only a starved one need be fed, is not there yet; ``ALWAYS``
    comes nearest.
    """

    NONE = "none"
    IF_STARVED = "if_starved"  # when he has none; who cannot do so has no legal move
    ALWAYS = "always"  # he must have seeds after the move, captures included, unless no move leaves him any


class Stuck(StrEnum):
    """What happens to a mover without a legal move."""

    END = "end"  # the game ends
    PASS = "pass"  # the other player moves on; the game ends when both are stuck


class EndCheck(StrEnum):
    """When an empty side ends the game."""

    SIDE_TO_MOVE = "side_to_move"  # only by leaving its owner stuck
    ANY_SIDE = "any_side"  # at once, whoever is to move


class Leftover(StrEnum):
    """Who gets the seeds left on the board at the end."""

    OWNER = "owner"  # each player those in his own pits
    EMPTIER = "emptier"  # all of them the player whose side is empty; where neither is, each his own
    NONE = "none"  # nobody


class Sowing(StrEnum):
    """How seeds move."""

    TRACK = "track"  # along the player's loop; the landing table says what comes of it
    NEIGHBOURS = "neighbours"  # to the pits around, counter-clockwise, and at the short ends off the board
    REAPING = "reaping"  # one from each pit up to the nearest empty one, which gets them all


class Goal(StrEnum):
    """Who wins."""

    SEEDS = "seeds"  # the player with more seeds
    LAST_MOVER = "last_mover"  # the mover without a legal move loses; who is stopped by ``max_plies`` draws
    EMPTY_BLOCK = "empty_block"  # the player whose pits are empty first


class Match(StrEnum):
    """What games add up to. A match is one episode: the next game begins as soon as one ends."""

    NONE = "none"  # one game
    TERRITORY = "territory"  # seeds of a game buy pits of the next; the match is about pits
    WINS = "wins"  # games won are counted
    DIFFERENCE = "difference"  # differences of scores are added up
    REFILL = "refill"  # both lay out as many seeds as the poorer has, until he cannot put one in each of his pits


class FirstMover(StrEnum):
    """Who begins the next game of a match. After a draw, winner and loser mean who began the game before."""

    WINNER = "winner"
    LOSER = "loser"
    ALTERNATE = "alternate"
    SOUTH = "south"


class Difference(StrEnum):
    """How a match by difference counts."""

    WINNER = "winner"  # each has a tally, to which the winner of a game adds the difference
    SIGNED = "signed"  # one running total, to which South's lead is added; it is the tally of the player ahead


class Remainder(StrEnum):
    """Where seeds go that do not fill a pit, when a territory match deals out the pits."""

    POOL = "pool"  # those of both players fill up the pit on the border, which is his who has more of them
    KEEP = "keep"  # they are that pit's start, if one has more of them, or wait in the stores and count in the game


class RepetitionLeftover(StrEnum):
    """Who gets the seeds left when the game ends by repetition."""

    OWNER = "owner"
    SPLIT = "split"  # half each, half seeds included


class Encoded(NamedTuple):
    """A ruleset as the kernels take it: these arguments, in this order.

    The first two choose which version of a kernel is compiled and called (``kernels.layout.fast_path``).
    """

    any_size: bool | None  # True; None on the commonest board
    any_rules: bool | None  # True; None where the fast path will do
    axes: npt.NDArray[np.int64]  # [layout.AXES]
    tables: npt.NDArray[np.uint8]  # [2, layout.TABLES]
    dead: npt.NDArray[np.bool_]  # kernels.dead.dead_table, or one False

    @classmethod
    def of(cls, axes: npt.NDArray[np.int64], tables: npt.NDArray[np.uint8], dead: npt.NDArray[np.bool_]) -> "Encoded":
        """The arrays, made read-only, and the version of the kernels that they need."""
        for array in (axes, tables, dead):  # before any kernel sees them: each kind of array costs a compilation
            array.setflags(write=False)
        fast = layout.fast_path(axes, tables)
        common = fast and (axes[layout.ACTIONS], axes[layout.PITS]) == (layout.COMMON_ACTIONS, layout.COMMON_PITS)
        return cls(None if common else True, None if fast else True, axes, tables, dead)


class Ranges(NamedTuple):
    """What the fields of a row may hold."""

    low: npt.NDArray[np.int16]  # [W]
    high: npt.NDArray[np.int16]  # [W]
    counted: npt.NDArray[np.bool_]  # [W]: fields that hold seeds, of which there are ``Ruleset.total_seeds`` at most


@dataclass(frozen=True, kw_only=True)
class Ruleset:
    """A game as data. Derive one from a relative with ``mancala_env.ruleset(relative, **changes)``.

    Every combination that contradicts itself is refused with a ``ValueError`` that says why and what to change.

    Attributes
    ----------
    name, version
        The id is ``mancala/<name>-v<version>``; the version goes up when the same actions can lead to another game,
        observation or reward.
    board
        Geometry; ``pits_per_row=n`` (alias ``houses``) in ``mancala_env.ruleset`` is short for ``two_rows(n)``.
    seeds
        In each pit at the start, 1 to 12.
    store
        ``Store.OWN``: sowing drops a seed in the mover's store on the way from his last pit to the enemy's first.
    skip_origin
        No lap drops a seed in the pit that it started from.
    landing
        What happens where the last seed falls, at most nine rows (``When``).
    empty_capture
        Rows that take the facing pit act also when that pit is empty.
    grand_slam, slam_scope
        See ``GrandSlam``, ``SlamScope``.
    feeding
        See ``Feeding``; "if_starved" counts before a capture, as in Oware. That the opponent must have seeds after it,
        too, if starved, is another reading, which is not there yet.
    stuck, end_check, leftover
        How the game ends and who gets what is left: ``Stuck``, ``EndCheck``, ``Leftover``.
    end_reason
        What ``State.termination`` calls that end: "stuck", "famine" or "side_empty".
    majority_stop
        The game ends as soon as a store holds more than half of the seeds in the position (pits and stores); the rest
        is not counted.
    indeterminacy_max_seeds
        The game ends when at most so many seeds are on the board and no capture is possible any more (exact, by
        exhaustive search). 0: off.
    repetition
        The game ends when a position (pits and mover) occurs for this time since the start, or since seeds were last
        won for good: captured into a store, or laid in marked pits. 0: off.
    repetition_leftover
        See ``RepetitionLeftover``.
    max_plies
        The game ends after so many plies, scored like any other end. 0: no limit but the 32,000 that can be counted.
    max_laps
        A turn that would relay once more after so many laps ends instead, without lifting or capturing. At most 32,000:
        the longest turns known that end by themselves take 1,793 laps, and the others go round for ever.
    sowing, goal
        See ``Sowing``, ``Goal``.
    setup
        Seeds in each pit at the start, in canonical order; None: ``seeds`` in each. In ``mancala_env.ruleset`` also
        ``start=[...]``, which makes a single row as long as it needs to be.
    min_start
        A pit with fewer seeds cannot be played.
    pit_limit
        With ``Sowing.NEIGHBOURS``: a pit holds at most so many seeds; one more leaves the board.
    explicit_pass
        With ``Stuck.PASS``: the mover who is stuck has one action, the last, that plays no pit. Without it he is
        skipped.
    capture_requires_both
        Rows that sow on seeds from the pit across and the pit behind it act only if there are seeds in both.
    match, max_games
        See ``Match``. After so many games (in a refill match also called ``max_rounds``) it ends, and who is ahead
        wins. Plies and repetitions are counted in each game.
    target
        Ends the match: pits owned (``target_pits``; 0: all of them), games won, or seeds of difference.
    first_mover, draw_points, difference, remainder
        See ``FirstMover``, ``Difference``, ``Remainder``; a draw adds ``draw_points``, 0 or 0.5, to both tallies.
    """

    name: str
    version: int = 0
    board: Board = two_rows(6)
    seeds: int = 4
    store: Store = Store.NONE
    skip_origin: bool = False
    landing: tuple[When, ...] = ()
    empty_capture: bool = False
    grand_slam: GrandSlam = GrandSlam.CAPTURE
    slam_scope: SlamScope = SlamScope.ANY
    feeding: Feeding = Feeding.NONE
    stuck: Stuck = Stuck.END
    end_check: EndCheck = EndCheck.SIDE_TO_MOVE
    end_reason: str = "stuck"
    leftover: Leftover = Leftover.OWNER
    majority_stop: bool = False
    indeterminacy_max_seeds: int = 0
    repetition: int = 0
    repetition_leftover: RepetitionLeftover = RepetitionLeftover.OWNER
    max_plies: int = 1000
    max_laps: int = 2000
    sowing: Sowing = Sowing.TRACK
    goal: Goal = Goal.SEEDS
    setup: tuple[int, ...] | None = None
    min_start: int = 1
    pit_limit: int = 0
    explicit_pass: bool = False
    capture_requires_both: bool = False
    match: Match = Match.NONE
    target: int = 0
    max_games: int = 20
    first_mover: FirstMover = FirstMover.WINNER
    draw_points: float = 0
    difference: Difference = Difference.WINNER
    remainder: Remainder = Remainder.POOL

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            object.__setattr__(self, name, self._one_of(name, choices))
        for name in _SWITCHES:
            if not isinstance(getattr(self, name), bool):
                self._refuse(f"{name} must be True or False, not {getattr(self, name)!r}")
        for name, (low, high) in _NUMBERS.items():
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or isinstance(value, bool) or not low <= value <= high:
                self._refuse(f"{name} must be a whole number from {low} to {high}, not {value!r}")
            object.__setattr__(self, name, int(value))
        self._refuse_contradictions()

    def _one_of(self, name: str, choices: type[StrEnum]) -> StrEnum:
        value = getattr(self, name)
        try:
            return choices(value)
        except ValueError:
            self._refuse(f"{name} must be one of {[str(choice) for choice in choices]}, not {value!r}")
            raise

    def _refuse(self, why: str) -> None:
        raise ValueError(f"ruleset {self.name!r}: {why}")

    def _refuse_contradictions(self) -> None:
        if not isinstance(self.name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", self.name):
            self._refuse("a name is letters, digits and '_', as in 'oware_liberta'")
        try:
            check_board(self.board)
        except ValueError as error:
            self._refuse(str(error))
        if not isinstance(self.landing, list | tuple):
            self._refuse(
                f"landing takes rows such as When(side='own').capture('here'), in a tuple; not {self.landing!r}"
            )
        object.__setattr__(self, "landing", tuple(self.landing))
        if any(not isinstance(row, When) for row in self.landing):
            self._refuse("landing takes rows such as When(side='own').capture('here')")
        if len(self.landing) > layout.MAX_ROWS:
            self._refuse(f"the landing table has {len(self.landing)} rows; at most {layout.MAX_ROWS} fit")
        if self.end_reason not in END_REASONS:
            self._refuse(f"end_reason must be one of {list(END_REASONS)}, not {self.end_reason!r}")

        captures = [row for row in self.landing if row.takes]
        sown_store = self.store is not Store.NONE
        if any(row.store for row in self.landing) and not sown_store:
            self._refuse("a landing row waits for a seed in the own store, but no seed is sown there; set store='own'")
        if self.skip_origin and sown_store:
            self._refuse("skip_origin and sowing into the store together are not supported; switch one off")
        if self.skip_origin and self.board.columns < 2:
            self._refuse("skipping the origin needs at least two pits a row")
        if self.empty_capture and not any("facing" in row.takes for row in captures):
            self._refuse("empty_capture speaks of captures of the facing pit, and no landing row makes one")
        if self.grand_slam is not GrandSlam.CAPTURE and not captures:
            self._refuse(f"grand_slam={str(self.grand_slam)!r} needs a landing row that captures")
        spares = self.grand_slam in (GrandSlam.SPARE_LAST, GrandSlam.SPARE_FIRST)
        if spares and any((row.takes, row.side, row.chain_side) != (("here",), "enemy", "enemy") for row in captures):
            self._refuse(
                f"grand_slam={str(self.grand_slam)!r} spares one pit of a chain of enemy pits; with other captures use "
                "'no_capture' or 'forbidden'"
            )
        if self.feeding is Feeding.ALWAYS and self.grand_slam is not GrandSlam.CAPTURE:
            self._refuse(
                "feeding='always' already rules out taking everything, and lets the capture stand where nothing else "
                "is left; set grand_slam='capture'"
            )
        if self.feeding is not Feeding.NONE and self.end_check is EndCheck.ANY_SIDE:
            self._refuse("with end_check='any_side' an empty side ends the game, so nobody can be fed; feeding='none'")
        if self.stuck is Stuck.PASS and self.feeding is Feeding.IF_STARVED:
            self._refuse("a player who must feed cannot also pass; set feeding='none' or stuck='end'")
        if self.indeterminacy_max_seeds:
            self._refuse_endless_counting(sown_store, bool(captures))
        if self.repetition == 1:
            self._refuse("every position occurs once; repetition is 0 (off), 2 (the first recurrence) or more")
        if self.repetition_leftover is RepetitionLeftover.SPLIT and not self.repetition:
            self._refuse("repetition_leftover='split' needs repetition=2 or more")
        on_track = self.sowing is Sowing.TRACK
        if not self.max_plies and not self.repetition and not sown_store and on_track:
            self._refuse("seeds could go round for ever; set max_plies, or repetition=2")
        self._refuse_set_ups()
        self._refuse_other_ways(sown_store)
        self._refuse_matches()

    def _refuse_set_ups(self) -> None:
        if self.setup is None:
            return
        if isinstance(self.setup, str | bytes) or not isinstance(self.setup, Sequence | np.ndarray):
            self._refuse(f"start must be seeds of each pit, such as (0, 1, 0, 2), not {self.setup!r}")
        setup = tuple(self.setup)
        if any(not isinstance(n, int | np.integer) or isinstance(n, bool) or not 0 <= n <= 255 for n in setup):
            self._refuse(f"start must hold whole numbers of seeds from 0 to 255, not {self.setup!r}")
        object.__setattr__(self, "setup", tuple(int(n) for n in setup))
        if len(setup) != self.board.pits:
            self._refuse(
                f"start lays seeds in {len(setup)} pits, but the board has {self.board.pits}; give a start of so many"
            )
        if not 0 < sum(setup) <= MAX_TOTAL:
            self._refuse(f"a game is played with 1 to {MAX_TOTAL} seeds, not {sum(setup)}")
        if self.pit_limit and max(setup) > self.pit_limit:
            self._refuse(f"start lays {max(setup)} seeds in a pit, which holds at most {self.pit_limit}")

    def _refuse_other_ways(self, sown_store: bool) -> None:
        """What speaks against sowing off the track, marks, four rows, and passing as an action."""
        board, kind = self.board, self.board.kind
        if self.sowing is Sowing.NEIGHBOURS and kind not in ("halves", "blocks_in_rows"):
            self._refuse("sowing to the neighbours needs a board that both players play, in two blocks: halves(6)")
        if self.sowing is Sowing.REAPING and kind != "one_row":
            self._refuse("reaping needs a board of one row: one_row(15)")
        if self.sowing is Sowing.TRACK and kind in ("halves", "blocks_in_rows", "one_row"):
            self._refuse(f"nothing is sown along a track on the board {kind}; set sowing, or take two_rows(6)")
        if kind == "arcs" and self.match is not Match.TERRITORY:
            self._refuse("pits change hands only in a match for territory; set match='territory', or take two_rows(6)")
        if self.sowing is not Sowing.TRACK:
            unused = {
                "landing": bool(self.landing), "store": sown_store, "majority_stop": self.majority_stop,
                "feeding": self.feeding is not Feeding.NONE, "stuck": self.stuck is not Stuck.END,
                "end_check": self.end_check is not EndCheck.SIDE_TO_MOVE, "repetition": bool(self.repetition),
                "skip_origin": self.skip_origin, "leftover": self.leftover is not Leftover.OWNER,
                "slam_scope": self.slam_scope is not SlamScope.ANY, "max_laps": self.max_laps != 2000,
                "end_reason": self.end_reason != "stuck",
            }  # fmt: skip
            for name, used in unused.items():
                if used:
                    self._refuse(f"{name} is about sowing along a track; it means nothing with {str(self.sowing)!r}")
            if self.goal is Goal.SEEDS:
                self._refuse("seeds are not won off the track; set goal='last_mover' or 'empty_block'")
        if self.sowing is Sowing.NEIGHBOURS and not 1 <= self.pit_limit <= 5:
            self._refuse("a pit has five neighbours, so it must not hold more seeds; set pit_limit, at most 5")
        if self.sowing is Sowing.NEIGHBOURS and self.setup is None and self.seeds > self.pit_limit:
            self._refuse(f"{self.seeds} seeds in each pit are more than the {self.pit_limit} it holds")
        if self.pit_limit and self.sowing is not Sowing.NEIGHBOURS:
            self._refuse("pit_limit is for sowing='neighbours' only; set it to 0")
        if (self.goal is Goal.EMPTY_BLOCK) != (self.sowing is Sowing.NEIGHBOURS):
            self._refuse("goal='empty_block' goes with sowing='neighbours', and only with it")
        if self.sowing is Sowing.REAPING and self.min_start == 1 and not self.max_plies:
            self._refuse("single seeds can walk to and fro for ever; set max_plies, or min_start=2")
        if self.goal is not Goal.SEEDS and (self.majority_stop or self.grand_slam is GrandSlam.REST_TO_OPPONENT):
            self._refuse(f"goal={str(self.goal)!r} counts no seeds: no majority_stop, no grand_slam='rest_to_opponent'")
        if self.goal is not Goal.SEEDS and self.leftover is not Leftover.OWNER:
            self._refuse(f"goal={str(self.goal)!r} counts no seeds, so leftover means nothing; set it to 'owner'")
        if self.goal is not Goal.SEEDS and self.end_check is EndCheck.ANY_SIDE:
            self._refuse(f"goal={str(self.goal)!r} looks at the mover only; set end_check='side_to_move'")
        if self.explicit_pass and self.stuck is not Stuck.PASS:
            self._refuse("explicit_pass needs stuck='pass'")
        if self.min_start > 1 and self.feeding is Feeding.ALWAYS:
            self._refuse("min_start and feeding='always' together are not supported")
        behind = [row for row in self.landing if "behind" in row.takes or row.behind is not None]
        if behind and board.behind == tuple(range(board.pits)):
            self._refuse("no pit of this board lies behind another; take four_rows(8)")
        if self.capture_requires_both and not any("behind" in row.takes for row in self.landing):
            self._refuse("capture_requires_both speaks of rows that sow on from the pit behind, and there is none")
        if any(row.then == "sow_on" for row in self.landing):
            if self.skip_origin or sown_store:
                self._refuse("seeds that are sown on have no origin to skip, and pass no store; switch these off")
            if self.grand_slam is not GrandSlam.CAPTURE or self.feeding is not Feeding.NONE:
                self._refuse("seeds that are sown on make no grand slam and feed nobody; switch these rules off")
            if self.indeterminacy_max_seeds:
                self._refuse("seeds that are sown on are captured, but stay on the board; indeterminacy_max_seeds=0")
        if self.has_marks and self.landing[0] != When(marked=True):
            self._refuse("marked pits are not lifted: the landing table must begin with When(marked=True)")
        if self.has_marks and (self.grand_slam is not GrandSlam.CAPTURE or self.feeding is not Feeding.NONE):
            self._refuse("with marked pits there are no grand slams and nobody is fed; switch these rules off")
        if self.has_marks and (self.indeterminacy_max_seeds or self.end_check is EndCheck.ANY_SIDE):
            self._refuse("marked pits keep seeds on a side: set indeterminacy_max_seeds=0, end_check='side_to_move'")
        if not self.has_marks and any(row.marked is not None for row in self.landing):
            self._refuse("a landing row asks for marks, but none makes any: add one with mark_pair()")

    def _refuse_matches(self) -> None:
        match = self.match
        if self.draw_points not in (0, 0.5) or isinstance(self.draw_points, bool):
            self._refuse(f"draw_points must be 0 or 0.5, not {self.draw_points!r}")
        kinds = {"draw_points": (Match.WINS, 0), "difference": (Match.DIFFERENCE, Difference.WINNER)}
        kinds["remainder"] = (Match.TERRITORY, Remainder.POOL)
        for name, (kind, default) in kinds.items():
            if getattr(self, name) != default and match is not kind:
                self._refuse(f"{name} is for match={str(kind)!r}; this one is {str(match)!r}")
        if match in (Match.NONE, Match.REFILL) and self.target:
            how = "set match='wins', say, or target=0" if match is Match.NONE else "set it to 0"
            self._refuse(f"target means nothing with match={str(match)!r}; {how}")
        if match is Match.NONE:
            for name, default in (("first_mover", FirstMover.WINNER), ("max_games", 20)):
                if getattr(self, name) != default:
                    self._refuse(f"{name} is for matches, and this is a single game; set match='wins', say")
            return
        if self.goal is not Goal.SEEDS and match is not Match.WINS:
            self._refuse(f"match={str(match)!r} adds up scores, and this game has none; set match='wins'")
        if match in (Match.WINS, Match.DIFFERENCE) and not self.target:
            self._refuse(f"match={str(match)!r} ends at a target: set target=3 wins, say, or 24 seeds")
        if match in (Match.TERRITORY, Match.REFILL):
            if self.board.kind != ("arcs" if match is Match.TERRITORY else "two_rows"):
                self._refuse(
                    f"match={str(match)!r} needs the board {'arcs(6)' if match is Match.TERRITORY else 'two_rows(6)'}"
                )
            if self.setup is not None:
                self._refuse(f"match={str(match)!r} lays out the seeds itself; leave start out")
            counted = self.leftover is Leftover.OWNER and self.repetition_leftover is RepetitionLeftover.OWNER
            if self.majority_stop or not counted or self.grand_slam is GrandSlam.REST_TO_OPPONENT:
                self._refuse(
                    f"match={str(match)!r} needs every seed counted as its owner's: majority_stop=False, "
                    "leftover='owner', repetition_leftover='owner', and a grand_slam that gives nothing away"
                )
        if match is Match.TERRITORY and self.target and not self.board.columns < self.target <= self.board.pits:
            self._refuse(
                f"target must be more than the {self.board.columns} pits that each has at first, and at most "
                f"{self.board.pits}, not {self.target}; 0 stands for all pits"
            )
        if match is Match.TERRITORY and (self.feeding is Feeding.ALWAYS or self.store is not Store.NONE):
            self._refuse("pits that change hands need store='none' and feeding 'none' or 'if_starved'")

    def _refuse_endless_counting(self, sown_store: bool, captures: bool) -> None:
        if sown_store or not captures:
            self._refuse(
                "indeterminacy_max_seeds ends games in which nothing can be captured any more; that says nothing "
                "where seeds are sown into a store or never captured; set it to 0"
            )
        entries = 2
        for k in range(1, self.indeterminacy_max_seeds + 1):
            entries = entries * (self.board.pits + k) // k
        if entries > MAX_DEAD_ENTRIES or self.board.pits + self.indeterminacy_max_seeds > 64:
            self._refuse(
                f"indeterminacy_max_seeds={self.indeterminacy_max_seeds} needs a table of {entries:,} positions on "
                f"{self.board.pits} pits; take a smaller number (the default is 3)"
            )

    @property
    def pits_per_row(self) -> int:
        """Columns of the board."""
        return self.board.columns

    @property
    def total_seeds(self) -> int:
        """Seeds in play at the start."""
        return self.seeds * self.board.pits if self.setup is None else sum(self.setup)

    @property
    def num_actions(self) -> int:
        """A: actions are 0..A-1."""
        return len(self.board.homes[0]) + self.explicit_pass

    @property
    def counts_seeds(self) -> bool:
        """Are final scores numbers of seeds? Not where nobody wins any, and not in matches that count other things."""
        return self.goal is Goal.SEEDS and self.match in (Match.NONE, Match.REFILL)

    @property
    def has_stores(self) -> bool:
        """Are there stores? Not where seeds are neither won nor counted."""
        captures = any(row.then != "sow_on" and {"here", "facing"} & set(row.takes) for row in self.landing)
        return captures or self.store is not Store.NONE or self.goal is Goal.SEEDS

    @property
    def has_marks(self) -> bool:
        """Can pits be marked?"""
        return any("pair" in row.takes for row in self.landing)

    @cached_property
    def fields(self) -> dict[str, int]:
        """Where in a row begins what this game keeps ("owner", "marks", "removed", "match"); and the row's "width"."""
        at, found = self.board.pits + layout.ROW_FIELDS, {}
        for name, kept, size in (
            ("owner", self.match is Match.TERRITORY, self.board.pits),
            ("marks", self.has_marks, self.board.pits),
            ("removed", self.sowing is Sowing.NEIGHBOURS, 1),
            ("match", self.match is not Match.NONE, layout.MATCH_FIELDS),
        ):
            if kept:
                found[name] = at
                at += size
        return {**found, "width": at}

    @cached_property
    def ranges(self) -> Ranges:
        """What each field of a row may hold: what every position of this game keeps to, and kernels rely on."""
        n, at, seeds = self.board.pits, self.fields, self.total_seeds
        low, high = np.zeros(at["width"], dtype=np.int16), np.zeros(at["width"], dtype=np.int16)
        counted = np.zeros(at["width"], dtype=np.bool_)
        high[:n] = self.pit_limit or seeds
        high[n : n + 2] = seeds if self.has_stores else 0
        counted[: n + 2] = True
        high[n + layout.MOVER] = 1
        high[n + layout.PLY] = high[n + layout.QUIET] = layout.MAX_PLY
        high[n + layout.OVER] = len(layout.TERMINATIONS) - 1
        if "owner" in at:
            high[at["owner"] : at["owner"] + n] = 1
        if "marks" in at:
            low[at["marks"] : at["marks"] + n], high[at["marks"] : at["marks"] + n] = -1, 1
        if "removed" in at:
            high[at["removed"]], counted[at["removed"]] = seeds, True
        if "match" in at:
            match = at["match"]
            tallies, last = slice(match + layout.TALLY, match + layout.TALLY + 2), match + layout.LAST
            low[match + layout.GAME], high[match + layout.GAME] = 1, self.max_games
            high[match + layout.FIRST] = 1
            if self.match is Match.REFILL:
                high[tallies], counted[tallies] = seeds, True
            else:  # doubled points: the last game adds its score to less than the target
                high[tallies] = n if self.match is Match.TERRITORY else 2 * _NUMBERS["target"][1] + 2 * seeds
            high[last : last + 2] = 2 * seeds
            high[match + layout.LAST_OVER] = layout.MATCH_TARGET - 1
        for array in (low, high, counted):
            array.setflags(write=False)
        return Ranges(low, high, counted)

    @property
    def id(self) -> str:
        """The id under which PettingZoo and Gymnasium know the game."""
        return f"mancala/{self.name}-v{self.version}"

    def spec(self) -> str:
        """The text that ``mancala_env.ruleset`` reads as this ruleset, such as ``kalah:pits_per_row=4,seeds=3``.

        Raises
        ------
        ValueError
            If it is not a named game with changes that can be written as text.

        Examples
        --------
        >>> import mancala_env as mancala
        >>> mancala.ruleset("oware", grand_slam="no_capture", seeds=3).spec()
        'oware:seeds=3,grand_slam=no_capture'
        """
        return format_spec(self.name, rule_changes(self))

    def changes(self, **changes: Any) -> "Ruleset":
        """This game with some axes changed.

        Shorthands: ``pits_per_row`` (or ``houses``) for a board of the same kind, ``blocks`` ("halves" or "rows") for
        the owners of Diffusion, ``start`` for ``setup``, ``target_pits`` for ``target``, ``max_rounds`` for
        ``max_games``.

        Raises
        ------
        ValueError
            For an unknown name (with the nearest known one) or values that do not fit together.
        """
        given = list(changes)
        for short, name in SHORTHANDS.items():
            if short not in changes:
                continue
            same = [other for other in given if other != short and SHORTHANDS.get(other, other) == name]
            if any(other == name or "blocks" not in (short, other) for other in same):
                raise ValueError(f"ruleset {self.name!r}: give {same[0]} or {short}, not both")
            changes[name] = self._spelt_out(short, changes.pop(short), changes.get("board", self.board))
        if "setup" in changes and self.board.kind == "one_row" and "board" not in changes:
            with suppress(TypeError):  # what is no list of seeds is refused below
                changes["board"] = one_row(len(changes["setup"]))
        if "seeds" in changes and changes.get("setup", self.setup) is not None:
            self._refuse("start says how many seeds lie in each pit; change start, not seeds")
        known = [field.name for field in fields(self)]
        for name in changes:
            if name not in known:
                near = difflib.get_close_matches(name, [*known, *SHORTHANDS], n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"options are {', '.join(known)}"
                raise ValueError(f"ruleset {self.name!r}: there is no option {name!r}; {hint}")
        return replace(self, **changes)

    def _spelt_out(self, short: str, value: Any, board: Board) -> Any:
        """What stands for the value of a shorthand, on the board as other shorthands have made it."""
        if short in ("pits_per_row", "houses"):
            return board.resized(value)
        if short == "blocks":
            if self.sowing is not Sowing.NEIGHBOURS or value not in ("halves", "rows"):
                self._refuse(f"blocks are 'halves' or 'rows', in games that sow to the neighbours; not {value!r}")
            return halves(board.columns) if value == "halves" else blocks_in_rows(board.columns)
        return value

    def start(self) -> "State":
        """The position before the first move; South is to move."""
        return self.position(pits=self.setup or [self.seeds] * self.board.pits)

    def position(
        self,
        pits: Sequence[int],
        stores: Sequence[int] = (0, 0),
        player: int = 0,
        ply: int = 0,
        **more: Any,
    ) -> "State":
        """Any position of this game. It may be a finished one. Its history starts here.

        Parameters
        ----------
        pits : seeds in each pit, canonical order
        stores : seeds of South and of North
        player : the mover, 0 or 1
        ply : plies played so far, for the ply limit
        more : what some games keep besides
            ``owner``: 0 or 1 for each pit. ``marks`` (or ``uur``): 0, 1, or -1 or None for each pit. ``removed``: seeds
            off the board. Of matches: ``reserve`` or ``tally``, a number for each player; ``game``, its number from 1;
            ``first``, who moved first in it; ``last``, the final scores of the game before.

        Raises
        ------
        ValueError
            If the position is impossible: wrong board size, negative or fractional numbers, more seeds than the game
            has, or a field that this game does not keep.
        """
        from mancala_env.state import State

        return State.at(self, pits=pits, stores=stores, player=player, ply=ply, **more)

    def action(self, player: int, pit: int | None, direction: int | None = None) -> int:
        """The action with which ``player`` plays ``pit``; None stands for passing.

        Raises ValueError if he can never do so.
        """
        if player not in (0, 1):
            raise ValueError(f"{self.name}: player must be 0 or 1, not {player!r}")
        if direction not in (None, 0):
            raise ValueError(f"{self.name}: seeds are sown in one direction only; leave direction out")
        if pit is None and self.explicit_pass:
            return self.num_actions - 1
        try:
            return self.board.homes[player].index(pit)
        except ValueError:
            raise ValueError(
                f"{self.name}: pit {pit!r} is not one of player {player}'s pits {list(self.board.homes[player])}"
            ) from None

    def pit(self, player: int, action: int) -> int | None:
        """The pit that ``action`` of ``player`` plays; None if it passes. Raises ValueError if there is none such."""
        if player not in (0, 1):
            raise ValueError(f"{self.name}: player must be 0 or 1, not {player!r}")
        if not isinstance(action, int | np.integer) or not 0 <= action < self.num_actions:
            raise ValueError(f"{self.name}: action must be from 0 to {self.num_actions - 1}, not {action!r}")
        home = self.board.homes[player]
        return home[action] if action < len(home) else None

    @cached_property
    def encoded(self) -> Encoded:
        """The ruleset as flat arrays, laid out as ``kernels.layout`` says. Made once, kept with the ruleset."""
        axes, tables = self._axes(), self._tables()
        axes[layout.FAST_PATH] = layout.fast_path(axes, tables)
        encoded = Encoded.of(axes, tables, np.zeros(1, dtype=np.bool_))
        if self.indeterminacy_max_seeds:
            from mancala_env.kernels.dead import dead_table  # compiles, so not at import

            encoded = Encoded.of(encoded.axes, encoded.tables, dead_table(self.fields["width"], encoded))
        return encoded

    @cached_property
    def one_game(self) -> Encoded:
        """``encoded``, but of a single game of the match: it ends where the game does."""
        if self.match is Match.NONE:
            return self.encoded
        axes = self.encoded.axes.copy()
        axes[layout.MATCH] = 0
        return Encoded.of(axes, self.encoded.tables, self.encoded.dead)

    @cached_property
    def memoryless(self) -> Encoded:
        """``one_game`` without repetition: for who looks ahead and does not know what was played before."""
        axes = self.one_game.axes.copy()
        axes[layout.REPEATS] = 0
        return Encoded.of(axes, self.encoded.tables, self.encoded.dead)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _CACHED}

    def _axes(self) -> npt.NDArray[np.int64]:
        axes = np.zeros(layout.AXES, dtype=np.int64)
        rows = [
            row.encode(empty_capture=self.empty_capture, needs_behind=self.capture_requires_both)
            for row in self.landing
        ]
        axes[layout.ACTIONS], axes[layout.PITS] = len(self.board.homes[0]), self.board.pits
        axes[layout.LOOP] = len(self._loop(0))
        axes[layout.TOTAL_SEEDS] = self.total_seeds
        axes[layout.SKIP_ORIGIN] = self.skip_origin
        axes[layout.SLAM] = _SLAMS[self.grand_slam]
        multi_pit = self.slam_scope is SlamScope.MULTI_PIT and self.feeding is not Feeding.ALWAYS
        axes[layout.SLAM_MIN_PITS] = 2 if multi_pit else 1
        axes[layout.FEEDING] = _FEEDINGS[self.feeding]
        axes[layout.PASSES] = self.stuck is Stuck.PASS
        axes[layout.ENDS_WITH_SIDE] = self.end_check is EndCheck.ANY_SIDE
        axes[layout.END_REASON] = layout.TERMINATIONS.index(self.end_reason)
        axes[layout.LEFTOVER] = _LEFTOVERS[self.leftover]
        axes[layout.MAJORITY_STOP] = self.majority_stop
        axes[layout.DEAD_SEEDS] = self.indeterminacy_max_seeds or -1
        axes[layout.REPEATS] = self.repetition
        axes[layout.REPEAT_GAP] = self._shortest_cycle()
        axes[layout.REPEAT_SPLITS] = self.repetition_leftover is RepetitionLeftover.SPLIT
        axes[layout.PLY_LIMIT] = self.max_plies or layout.MAX_PLY
        axes[layout.LAP_LIMIT] = self.max_laps
        axes[layout.RELAYS] = self._relays()
        axes[layout.ACROSS] = any(row.facing is not None or row.facing_count is not None for row in self.landing)
        axes[layout.START_SEEDS] = self.seeds
        axes[layout.MIN_START] = self.min_start
        axes[layout.PASS_ACTION] = self.explicit_pass
        axes[layout.SOWING] = list(Sowing).index(self.sowing)
        axes[layout.PIT_LIMIT] = self.pit_limit
        axes[layout.GOAL] = list(Goal).index(self.goal)
        for axis, name in ((layout.OWNERS, "owner"), (layout.MARKS, "marks"), (layout.REMOVED, "removed")):
            axes[axis] = self.fields.get(name, 0)
        axes[layout.MATCH] = self.fields.get("match", 0)
        axes[layout.MATCH_KIND] = list(Match).index(self.match)
        doubled = 2 if self.match in (Match.WINS, Match.DIFFERENCE) else 1
        axes[layout.TARGET] = doubled * self.target or self.board.pits
        axes[layout.MAX_GAMES] = self.max_games
        reason = "max_rounds" if self.match is Match.REFILL else "max_games"
        axes[layout.GAMES_REASON] = layout.TERMINATIONS.index(reason)
        axes[layout.FIRST_MOVER] = list(FirstMover).index(self.first_mover)
        axes[layout.DRAW_POINTS] = int(2 * self.draw_points)
        axes[layout.SIGNED] = self.difference is Difference.SIGNED
        axes[layout.KEEPS] = self.remainder is Remainder.KEEP
        if self._one_chain():
            axes[layout.ONE_CHAIN] = 1
            axes[layout.SLAM_MOST] = max(self.landing[0].chain or ()) - 1  # a lap adds to each pit
        axes[layout.ROWS] = len(rows)
        for k, row in enumerate(rows):
            first = layout.LANDING + k * layout.ROW_SIZE
            axes[first : first + layout.ROW_SIZE] = row
        return axes

    def _shortest_cycle(self) -> int:
        """A position cannot come back, without a capture, in fewer plies than this.

        On one loop that all seeds go round in the same direction, seeds cross every gap between neighbours equally
        often before a position comes back. Each crossing drops a seed in the pit behind the gap, and only lifting
        that pit can undo it: so every pit is lifted at least once. Without relays that takes a ply for each pit.
        """
        one_loop = self.board.loops[0] == self.board.loops[1] and len(self.board.loops[0]) == self.board.pits
        return self.board.pits if one_loop and not self._relays() else 1

    def _relays(self) -> bool:
        return any(row.then in ("relay", "sow_on") for row in self.landing)

    def _one_chain(self) -> bool:
        """One landing row that takes the last pit and a chain behind it, all of the enemy's, all by the same counts."""
        if len(self.landing) != 1 or self.store is not Store.NONE:
            return False
        row = self.landing[0]
        plain = When(side="enemy", count=row.chain, chain=row.chain, takes=("here",)) if row.chain else None
        return row == plain

    def _tables(self) -> npt.NDArray[np.uint8]:
        board = self.board
        laps = self._laps() if board.pits == layout.COMMON_PITS else np.zeros((2, 0), dtype=np.uint8)
        tables = np.zeros((2, layout.TABLES + laps.shape[1]), dtype=np.uint8)
        tables[:, layout.LAPS :] = laps
        for player in (0, 1):
            loop = self._loop(player)
            table = tables[player]
            table[layout.TRACK : layout.TRACK + 2 * len(loop)] = loop + loop
            for pit in loop:
                if pit < board.pits:
                    table[layout.PLACE + pit] = loop.index(pit)
            home = board.homes[player]
            shared = len(home) == board.pits
            for part, pits in (
                (layout.OWNER, tuple(2 if owner == NOBODY else owner for owner in board.owner)),
                (layout.FACING, board.facing),
                (layout.BEHIND, board.behind),
                (layout.VIEW, home if shared else home + board.homes[1 - player]),
                (layout.HOMES, home),
                (layout.SETUP, self.setup or (self.seeds,) * board.pits),
            ):
                table[part : part + len(pits)] = pits
        return tables

    def _laps(self) -> npt.NDArray[np.uint8]:
        """uint8[2, pits * loop * LAP_WIDTH]: for each pit and each number of seeds that make less than a lap, one
        where a seed falls."""
        laps = np.zeros((2, self.board.pits, len(self._loop(0)), layout.LAP_WIDTH), dtype=np.uint8)
        for player in (0, 1):
            loop = self._loop(player)
            for place, pit in enumerate(loop):
                if pit < self.board.pits:
                    for hand in range(1, len(loop)):
                        laps[player, pit, hand, [loop[(place + k) % len(loop)] for k in range(1, hand + 1)]] = 1
        return laps.reshape(2, -1)

    def _loop(self, player: int) -> tuple[int, ...]:
        """The holes that a player's seeds pass, his store among them where it is sown."""
        loop = self.board.loops[player]
        if self.store is Store.NONE:
            return loop
        after = loop.index(self.board.homes[player][-1]) + 1
        return (*loop[:after], self.board.pits + player, *loop[after:])


_CHOICES: dict[str, type[StrEnum]] = {
    "store": Store,
    "grand_slam": GrandSlam,
    "slam_scope": SlamScope,
    "feeding": Feeding,
    "stuck": Stuck,
    "end_check": EndCheck,
    "leftover": Leftover,
    "repetition_leftover": RepetitionLeftover,
    "sowing": Sowing,
    "goal": Goal,
    "match": Match,
    "first_mover": FirstMover,
    "difference": Difference,
    "remainder": Remainder,
}
_SWITCHES = ("skip_origin", "empty_capture", "majority_stop", "explicit_pass", "capture_requires_both")
SHORTHANDS = {  # option that ``Ruleset.changes`` takes besides the fields: the field it stands for
    "blocks": "board",
    "pits_per_row": "board",
    "houses": "board",
    "start": "setup",
    "target_pits": "target",
    "max_rounds": "max_games",
}
_CACHED = ("encoded", "one_game", "memoryless", "fields", "ranges")
_NUMBERS = {  # option: smallest, largest
    "version": (0, 10_000),
    "seeds": (1, MAX_SEEDS),
    "indeterminacy_max_seeds": (0, 62),
    "repetition": (0, 1000),
    "max_plies": (0, layout.MAX_PLY),
    "max_laps": (1, MAX_LAPS),
    "min_start": (1, 100),
    "pit_limit": (0, 100),
    "target": (0, 10_000),
    "max_games": (1, 10_000),
}
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
}
_LEFTOVERS = {
    Leftover.OWNER: layout.LEFT_OWNER,
    Leftover.EMPTIER: layout.LEFT_EMPTIER,
    Leftover.NONE: layout.LEFT_NOBODY,
}
