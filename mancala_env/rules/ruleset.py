"""What a game is: its axes, checked when they are put together, and their encoding for the kernels."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import layout
from mancala_env.rules.board import Board, two_rows
from mancala_env.rules.landing import When

if TYPE_CHECKING:
    from mancala_env.state import State

MAX_SEEDS = 12
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

    ``IF_STARVED`` looks after the sowing and before a capture; in a game that relays, after the whole turn.
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


class RepetitionLeftover(StrEnum):
    """Who gets the seeds left when the game ends by repetition."""

    OWNER = "owner"
    SPLIT = "split"  # half each, half seeds included


class Encoded(NamedTuple):
    """A ruleset as the kernels take it."""

    axes: npt.NDArray[np.int64]  # [layout.AXES]
    tables: npt.NDArray[np.uint8]  # [2, layout.TABLES]
    dead: npt.NDArray[np.bool_]  # kernels.dead.dead_table, or one False


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
    grand_slam, slam_scope, feeding
        See ``GrandSlam``, ``SlamScope``, ``Feeding``.
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
        The game ends when a position (pits and mover) occurs for this time since the last capture, or the start.
        0: off.
    repetition_leftover
        See ``RepetitionLeftover``.
    max_plies
        The game ends after so many plies, scored like any other end. 0: no limit but the 32,000 that can be counted.
    max_laps
        A turn that would relay once more after so many laps ends instead, without lifting or capturing.
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
        if not isinstance(self.board, Board):
            self._refuse(f"board must be a Board such as two_rows(6), not {self.board!r}")
        if not isinstance(self.landing, list | tuple):
            self._refuse(
                f"landing takes rows such as When(side='own').capture('here'), in a tuple; not {self.landing!r}"
            )
        object.__setattr__(self, "landing", tuple(self.landing))
        if any(not isinstance(row, When) for row in self.landing):
            self._refuse("landing takes rows such as When(side='own').capture('here')")
        if len(self.landing) > layout.MAX_ROWS:
            self._refuse(f"the landing table has {len(self.landing)} rows; at most {layout.MAX_ROWS} fit")
        if self.end_reason not in ("stuck", "famine", "side_empty"):
            self._refuse(f"end_reason must be 'stuck', 'famine' or 'side_empty', not {self.end_reason!r}")

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
        if not self.max_plies and not self.repetition and not sown_store:
            self._refuse("seeds could go round for ever; set max_plies, or repetition=2")

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
        return self.seeds * self.board.pits

    @property
    def num_actions(self) -> int:
        """A: actions are 0..A-1."""
        return len(self.board.homes[0])

    @cached_property
    def shape(self) -> tuple[int, int]:
        """(actions, pits)."""
        return self.num_actions, self.board.pits

    @property
    def id(self) -> str:
        """The id under which PettingZoo and Gymnasium know the game."""
        return f"mancala/{self.name}-v{self.version}"

    def changes(self, **changes: Any) -> "Ruleset":
        """This game with some axes changed; ``pits_per_row`` (alias ``houses``) stands for a two-row board.

        Raises
        ------
        ValueError
            For an unknown name (with the nearest known one) or values that do not fit together.
        """
        for short in ("pits_per_row", "houses"):
            if short in changes:
                if "board" in changes:
                    raise ValueError(f"ruleset {self.name!r}: give board or {short}, not both")
                changes["board"] = two_rows(changes.pop(short))
        known = [field.name for field in fields(self)]
        for name in changes:
            if name not in known:
                near = difflib.get_close_matches(name, [*known, "pits_per_row", "houses"], n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"options are {', '.join(known)}"
                raise ValueError(f"ruleset {self.name!r}: there is no option {name!r}; {hint}")
        return replace(self, **changes)

    def start(self) -> "State":
        """The position before the first move; South is to move."""
        return self.position(pits=[self.seeds] * self.board.pits)

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

        Raises
        ------
        ValueError
            If the position is impossible: wrong board size, negative or fractional numbers, more seeds than the game
            has, or a field that this game does not keep.
        """
        from mancala_env.state import State

        return State.at(self, pits=pits, stores=stores, player=player, ply=ply, **more)

    def action(self, player: int, pit: int, direction: int | None = None) -> int:
        """The action with which ``player`` plays ``pit``. Raises ValueError if the pit is not his."""
        if player not in (0, 1):
            raise ValueError(f"{self.name}: player must be 0 or 1, not {player!r}")
        if direction not in (None, 0):
            raise ValueError(f"{self.name}: seeds are sown in one direction only; leave direction out")
        try:
            return self.board.homes[player].index(pit)
        except ValueError:
            raise ValueError(
                f"{self.name}: pit {pit!r} is not one of player {player}'s pits {list(self.board.homes[player])}"
            ) from None

    def pit(self, player: int, action: int) -> int:
        """The pit that ``action`` of ``player`` plays. Raises ValueError if there is no such action."""
        if player not in (0, 1):
            raise ValueError(f"{self.name}: player must be 0 or 1, not {player!r}")
        if not isinstance(action, int | np.integer) or not 0 <= action < self.num_actions:
            raise ValueError(f"{self.name}: action must be from 0 to {self.num_actions - 1}, not {action!r}")
        return self.board.homes[player][action]

    @cached_property
    def encoded(self) -> Encoded:
        """The ruleset as flat arrays, laid out as ``kernels.layout`` says. Made once, kept with the ruleset."""
        axes = self._axes()
        tables = self._tables()
        dead = np.zeros(1, dtype=np.bool_)
        if self.indeterminacy_max_seeds:
            from mancala_env.kernels.dead import dead_table  # compiles, so not at import

            dead = dead_table(axes, tables)
        for array in (axes, tables, dead):
            array.setflags(write=False)
        return Encoded(axes, tables, dead)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("encoded", "shape")}

    def _axes(self) -> npt.NDArray[np.int64]:
        axes = np.zeros(layout.AXES, dtype=np.int64)
        rows = [row.encode(empty_capture=self.empty_capture) for row in self.landing]
        axes[layout.PITS] = self.board.pits
        axes[layout.ACTIONS] = self.num_actions
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
        axes[layout.DEAD_SEEDS] = self.indeterminacy_max_seeds
        axes[layout.REPEATS] = self.repetition
        axes[layout.REPEAT_GAP] = self._shortest_cycle()
        axes[layout.REPEAT_SPLITS] = self.repetition_leftover is RepetitionLeftover.SPLIT
        axes[layout.PLY_LIMIT] = self.max_plies or layout.MAX_PLY
        axes[layout.LAP_LIMIT] = self.max_laps
        axes[layout.RELAYS] = any(row.then == "relay" for row in self.landing)
        if self._one_chain():
            axes[layout.ONE_CHAIN] = 1
            axes[layout.SLAM_MOST] = (max(self.landing[0].chain or ()) - 1) * self.num_actions  # a lap adds to each pit
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
        relays = any(row.then == "relay" for row in self.landing)
        one_loop = self.board.loops[0] == self.board.loops[1] and len(self.board.loops[0]) == self.board.pits
        return self.board.pits if one_loop and not relays else 1

    def _one_chain(self) -> bool:
        """One landing row that takes the last pit and a chain behind it, all of the enemy's, all by the same counts."""
        if len(self.landing) != 1 or self.store is not Store.NONE:
            return False
        row = self.landing[0]
        plain = When(side="enemy", count=row.chain, chain=row.chain, takes=("here",)) if row.chain else None
        return row == plain

    def _tables(self) -> npt.NDArray[np.uint8]:
        board = self.board
        laps = self._laps() if board.pits == layout.LAP_PITS else np.zeros((2, 0), dtype=np.uint8)
        tables = np.zeros((2, layout.TABLES + laps.shape[1]), dtype=np.uint8)
        tables[:, layout.LAPS :] = laps
        for player in (0, 1):
            loop = self._loop(player)
            table = tables[player]
            table[layout.TRACK : layout.TRACK + 2 * len(loop)] = loop + loop
            for pit in loop:
                if pit < board.pits:
                    table[layout.PLACE + pit] = loop.index(pit)
            table[layout.OWNER : layout.OWNER + board.pits] = board.owner
            table[layout.FACING : layout.FACING + board.pits] = board.facing
            table[layout.VIEW : layout.VIEW + board.pits] = board.homes[player] + board.homes[1 - player]
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
}
_SWITCHES = ("skip_origin", "empty_capture", "majority_stop")
_NUMBERS = {  # option: smallest, largest
    "version": (0, 10_000),
    "seeds": (1, MAX_SEEDS),
    "indeterminacy_max_seeds": (0, 62),
    "repetition": (0, 1000),
    "max_plies": (0, layout.MAX_PLY),
    "max_laps": (1, 1_000_000),
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
