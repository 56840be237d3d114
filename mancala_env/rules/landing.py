"""The landing table: what happens where the last seed of a lap falls.

A row is a condition on that hole and, if it matches, what is taken and how the turn goes on. The first row that
matches acts; where none matches the turn simply ends. A rule text becomes rows in the order of its priorities::

    landing=(
        When(store="own").again(),
        When(side="own", was="empty", facing="occupied").capture("here", "facing"),
    )
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mancala_env.kernels import layout

_SOWN_ON = (("facing",), ("facing", "behind"), ("behind", "facing"))
MAX_COUNT = layout.TOP_COUNT - 1

_CONDITIONS: dict[str, dict[object, tuple[int, bool]]] = {  # option -> value -> (the fact, whether it must hold)
    "store": {"own": (layout.IN_STORE, True)},
    "side": {"own": (layout.OWN_SIDE, True), "enemy": (layout.OWN_SIDE, False)},
    "was": {"empty": (layout.WAS_EMPTY, True), "occupied": (layout.WAS_EMPTY, False)},
    "even": {True: (layout.IS_EVEN, True), False: (layout.IS_EVEN, False)},
    "facing": {"occupied": (layout.FACING_FULL, True), "empty": (layout.FACING_FULL, False)},
    "behind": {"occupied": (layout.BEHIND_FULL, True), "empty": (layout.BEHIND_FULL, False)},
    "marked": {True: (layout.MARKED, True), False: (layout.MARKED, False)},
}
_TAKES = {
    "here": layout.TAKE_HERE,
    "facing": layout.TAKE_FACING,
    "behind": layout.TAKE_BEHIND,
    "pair": layout.TAKE_PAIR,
}
_THEN = {"stop": layout.STOP, "again": layout.AGAIN, "relay": layout.RELAY, "sow_on": layout.SOW_ON}


@dataclass(frozen=True, kw_only=True)
class When:
    """One row of a landing table. Conditions left out (None) do not matter; several are joined by "and".

    Conditions on the hole where the last seed fell
        store   "own": it fell in the mover's store (without this the row speaks of pits only)
        side    "own" or "enemy": whose pit it is
        was     "empty" or "occupied", before the last seed
        count   seeds it holds now: a set of numbers from 1 to 61
        even    True: an even number of seeds now; False: an odd one
        facing  "occupied" or "empty": the pit across
        facing_count  seeds in the pit across: a set of numbers from 1 to 61
        behind  "occupied" or "empty": the enemy's pit behind the one across, on a board of four rows
        marked  True: it bears a mark, of either player; False: it bears none

    Consequences: end the row with ``capture``, ``again``, ``relay``, ``sow_on`` or ``mark_pair``; without one of these
    the turn ends.

    Raises
    ------
    ValueError
        For an unknown value, or a row that says something it cannot do; the sentence says what would do.
    """

    store: str | None = None
    side: str | None = None
    was: str | None = None
    count: Iterable[int] | None = None
    even: bool | None = None
    facing: str | None = None
    facing_count: Iterable[int] | None = None
    behind: str | None = None
    marked: bool | None = None
    takes: tuple[str, ...] = ()
    chain: Iterable[int] | None = None
    chain_side: str = "enemy"
    then: str = "stop"

    def __post_init__(self) -> None:
        for option, values in _CONDITIONS.items():
            value = getattr(self, option)
            if value is not None and (isinstance(value, list) or value not in values):
                raise ValueError(f"{option}={value!r} is no condition on a landing; use one of {list(values)}")
        for option in ("count", "facing_count", "chain"):
            if (counts := getattr(self, option)) is not None:
                object.__setattr__(self, option, _counts(option, counts))
        unknown = [take for take in self.takes if take not in _TAKES]
        if unknown:
            raise ValueError(f"a capture cannot take {unknown[0]!r}; it takes {list(_TAKES)} and a chain")
        if self.chain_side not in ("enemy", "any"):
            raise ValueError(f"chain_side={self.chain_side!r} is unknown; a chain runs over 'enemy' pits or 'any'")
        if self.then not in _THEN:
            raise ValueError(f"then={self.then!r} is unknown; a turn goes on with one of {list(_THEN)}")
        across = (self.facing, self.facing_count, self.behind)
        of_pits = (self.side, self.was, self.count, self.even, self.marked, self.chain, *across)
        if self.store and (self.takes or any(value is not None for value in of_pits)):
            raise ValueError("a row for seeds that end in a store can only say how the turn goes on")
        if self.store and self.then == "relay":
            raise ValueError("seeds in a store stay there, so a row for a store cannot relay; use again()")
        if self.chain and "here" not in self.takes:
            raise ValueError("a chain starts where the last seed fell: write capture('here', ..., chain=...)")
        if self.then == "relay" and (self.was == "empty" or "here" in self.takes):
            raise ValueError(
                "a relay lifts the pit where the last seed fell: it cannot be one that was empty (the lone seed would "
                "walk on for ever) or has just been taken"
            )

        if self.then != "sow_on" and "behind" in self.takes:
            raise ValueError("seeds from behind the pit across are only sown on: write sow_on('facing', 'behind')")
        if self.then == "sow_on" and (self.takes not in _SOWN_ON or self.facing != "occupied"):
            raise ValueError("to sow on there must be seeds across: When(facing='occupied').sow_on('facing', 'behind')")
        if "behind" in self.takes and self.behind == "empty":
            raise ValueError("an empty pit behind holds nothing to sow on: leave 'behind' out of sow_on(...)")
        if "pair" in self.takes and (self.takes != ("pair",) or self.chain or self.then != "stop"):
            raise ValueError("a pair is marked by itself and ends the turn: write mark_pair(), without captures")
        if "pair" in self.takes and self.facing != "occupied" and not self.facing_count:
            raise ValueError("a pair is marked with a seed from across: add facing='occupied', or facing_count={3}")

    def capture(
        self, *takes: str, chain: Iterable[int] | None = None, chain_side: str = "enemy", then: str = "stop"
    ) -> "When":
        """Take seeds into the mover's store.

        ``takes``: "here" (where the last seed fell), "facing" (across). ``chain``: also the pits behind, one by one
        against the sowing direction, while they hold one of these counts and belong to the enemy (or to anybody, with
        ``chain_side="any"``); a chain ends at a store. ``then``: "stop", "again" or "relay".
        """
        return replace(self, takes=takes, chain=chain, chain_side=chain_side, then=then)

    def again(self) -> "When":
        """The mover has another turn."""
        return replace(self, then="again")

    def relay(self) -> "When":
        """Lift the pit where the last seed fell and sow on: another lap."""
        return replace(self, then="relay")

    def sow_on(self, *takes: str) -> "When":
        """Lift the seeds of the pit across ("facing"), and of the one "behind" it, and sow them on behind this hole."""
        return replace(self, takes=takes, then="sow_on")

    def mark_pair(self) -> "When":
        """Move one seed from the pit across to this one, and mark both: they can be sown into but not lifted any more,
        and at the end their seeds are the mover's."""
        return replace(self, takes=("pair",))

    def encode(self, *, empty_capture: bool = False, needs_behind: bool = False) -> list[int]:
        """The row as ``layout.ROW_SIZE`` integers.

        With ``empty_capture`` an occupied facing pit is not asked for; with ``needs_behind`` a row that takes the pit
        behind asks for seeds there.
        """
        needs = value = 0
        for option, values in _CONDITIONS.items():
            chosen = getattr(self, option)
            if option == "behind" and needs_behind and "behind" in self.takes:
                chosen = "occupied"
            if chosen is None or (empty_capture and chosen == "occupied" and option in self.takes):
                continue
            fact, holds = values[chosen]
            needs |= fact
            value |= fact if holds else 0
        needs |= layout.IN_STORE
        row = [0] * layout.ROW_SIZE
        row[layout.NEEDS] = needs
        row[layout.VALUE] = value
        row[layout.COUNTS] = _bits(self.count) if self.count is not None else _bits(range(layout.TOP_COUNT + 1))
        across = self.facing_count if self.facing_count is not None else range(layout.TOP_COUNT + 1)
        row[layout.FACING_COUNTS] = _bits(across)
        row[layout.TAKE] = sum(_TAKES[take] for take in set(self.takes))
        if self.chain:
            row[layout.CHAIN] = layout.CHAIN_ENEMY if self.chain_side == "enemy" else layout.CHAIN_ANY
            row[layout.CHAIN_COUNTS] = _bits(self.chain)
        row[layout.THEN] = _THEN[self.then]
        return row


def _counts(option: str, counts: Iterable[int]) -> frozenset[int]:
    chosen = frozenset(counts) if isinstance(counts, Iterable) else frozenset()
    if not chosen or any(not isinstance(count, int) or not 1 <= count <= MAX_COUNT for count in chosen):
        raise ValueError(f"{option}={counts!r} must name whole numbers of seeds from 1 to {MAX_COUNT}, as in {{2, 3}}")
    return chosen


def _bits(counts: Iterable[int]) -> int:
    return sum(1 << count for count in counts)
