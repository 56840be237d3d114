"""The landing table: what happens where the last seed of a lap falls.

Each of its clauses (``When``) is a condition on that cell and its consequences: what is taken, and how the turn goes
on. The first clause that matches applies; where none matches the turn simply ends. A rule text becomes clauses in the
order of its priorities::

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

# option -> value -> (facts that are looked at, those of them that must hold)
CONDITIONS: dict[str, dict[object, tuple[int, int]]] = {
    "store": {"own": (layout.IN_STORE, layout.IN_STORE)},
    "side": {"own": (layout.OWN_SIDE, layout.OWN_SIDE), "opponent": (layout.OWN_SIDE, 0)},
    "was": {"empty": (layout.WAS_EMPTY, layout.WAS_EMPTY), "occupied": (layout.WAS_EMPTY, 0)},
    "even": {True: (layout.IS_EVEN, layout.IS_EVEN), False: (layout.IS_EVEN, 0)},
    "facing": {"occupied": (layout.FACING_FULL, layout.FACING_FULL), "empty": (layout.FACING_FULL, 0)},
    "behind": {"occupied": (layout.OUTER_FULL, layout.OUTER_FULL), "empty": (layout.OUTER_FULL, 0)},
    "marked": {
        True: (layout.MARKED, layout.MARKED),
        False: (layout.MARKED, 0),
        "own": (layout.MARKED | layout.OWN_MARK, layout.MARKED | layout.OWN_MARK),
        "opponent": (layout.MARKED | layout.OWN_MARK, layout.MARKED),
    },
}
_TAKES = {"here": layout.TAKE_HERE, "facing": layout.TAKE_FACING, "behind": layout.TAKE_OUTER}
_MARKS = {"here": layout.MARK_HERE, "facing": layout.MARK_FACING}
_THEN = {"stop": layout.STOP, "again": layout.AGAIN, "relay": layout.RELAY, "sow_on": layout.SOW_ON}


@dataclass(frozen=True, kw_only=True)
class When:
    """One clause of a landing table. Conditions left out (None) do not matter; several are joined by "and".

    Conditions on the cell, a pit or a store, where the last seed fell
        store   "own": it fell in the mover's store (without this the clause is about pits only)
        side    "own" or "opponent" ("enemy", the old word, still works): whose pit it is
        was     "empty" or "occupied", before the last seed
        count   seeds it holds now: a set of numbers from 1 to 61
        even    True: an even number of seeds now; False: an odd one
        facing  "occupied" or "empty": the pit across
        facing_count  seeds in the pit across: a set of numbers from 1 to 61
        behind  "occupied" or "empty": the opponent's outer pit of that column, on a board of four rows
        marked  "own" or "opponent": it bears that player's mark; True: a mark of either; False: none

    Consequences: end the clause with ``capture``, ``mark``, ``mark_pair``, ``again``, ``relay`` or ``sow_on``; without
    one of these the turn ends. A clause that makes marks applies only where all of them may be made: in pits that bear
    none yet, and within ``Ruleset.mark_limit`` and ``Ruleset.unmarkable``. Nobody lifts a marked pit: a clause that
    relays or sows on does not apply there.

    Raises
    ------
    ValueError
        For an unknown value, or a clause that contradicts itself; the message says what would be accepted.
    """

    store: str | None = None
    side: str | None = None
    was: str | None = None
    count: Iterable[int] | None = None
    even: bool | None = None
    facing: str | None = None
    facing_count: Iterable[int] | None = None
    behind: str | None = None
    marked: bool | str | None = None
    takes: tuple[str, ...] = ()
    chain: Iterable[int] | None = None
    chain_side: str = "opponent"
    marks: tuple[str, ...] = ()
    carries: bool = False
    then: str = "stop"

    def __post_init__(self) -> None:
        for option in ("side", "chain_side"):
            if isinstance(value := getattr(self, option), str) and value == "enemy":
                object.__setattr__(self, option, "opponent")
        for option, values in CONDITIONS.items():
            value = getattr(self, option)
            if value is not None and (isinstance(value, list) or value not in values):
                raise ValueError(f"{option}={value!r} is no condition on a landing; use one of {list(values)}")
        for option in ("count", "facing_count", "chain"):
            if (counts := getattr(self, option)) is not None:
                object.__setattr__(self, option, _counts(option, counts))
        unknown = [take for take in self.takes if take not in _TAKES]
        if unknown:
            raise ValueError(f"a capture cannot take {unknown[0]!r}; it takes {list(_TAKES)} and a chain")
        if unknown := [pit for pit in self.marks if pit not in _MARKS]:
            raise ValueError(f"{unknown[0]!r} cannot be marked; {list(_MARKS)} can")
        if self.chain_side not in ("opponent", "any"):
            raise ValueError(
                f"chain_side={self.chain_side!r} is unknown; a chain runs over the 'opponent' side or 'any'"
            )
        if self.then not in _THEN:
            raise ValueError(f"then={self.then!r} is unknown; a turn goes on with one of {list(_THEN)}")
        across = (self.facing, self.facing_count, self.behind)
        of_pits = (self.side, self.was, self.count, self.even, self.marked, self.chain, *across)
        if self.store and (self.takes or self.marks or any(value is not None for value in of_pits)):
            raise ValueError("a clause for seeds that end in a store can only say how the turn goes on")
        if self.store and self.then == "relay":
            raise ValueError("seeds in a store stay there, so a clause for a store cannot relay; use again()")
        if self.chain and "here" not in self.takes:
            raise ValueError("a chain starts where the last seed fell: write capture('here', ..., chain=...)")
        if self.then == "relay" and (self.was == "empty" or "here" in self.takes):
            raise ValueError(
                "a relay lifts the pit where the last seed fell: it cannot be one that was empty (the lone seed would "
                "walk on for ever) or has just been taken"
            )

        if self.then != "sow_on" and "behind" in self.takes:
            raise ValueError("seeds of the outer pit ('behind') are only sown on: write sow_on('facing', 'behind')")
        if self.then == "sow_on" and (self.takes not in _SOWN_ON or self.facing != "occupied"):
            raise ValueError("to sow on there must be seeds across: When(facing='occupied').sow_on('facing', 'behind')")
        if "behind" in self.takes and self.behind == "empty":
            raise ValueError("an empty outer pit holds nothing to sow on: leave 'behind' out of sow_on(...)")
        if self.then in ("relay", "sow_on") and (self.marks or self.marked):
            raise ValueError("nobody lifts a marked pit, so a clause that marks one, or needs one, cannot sow on")
        if self.carries and (set(self.marks) != {"here", "facing"} or self.takes or self.then != "stop"):
            raise ValueError("a pair is marked by itself and ends the turn: write mark_pair(), without captures")
        if self.carries and self.facing != "occupied" and not self.facing_count:
            raise ValueError("a pair is marked with a seed from across: add facing='occupied', or facing_count={3}")

    def capture(
        self, *takes: str, chain: Iterable[int] | None = None, chain_side: str = "opponent", then: str = "stop"
    ) -> "When":
        """Take seeds into the mover's store.

        ``takes``: "here" (where the last seed fell), "facing" (across). ``chain``: also the pits before it, one by one
        against the sowing direction, while they hold one of these counts and belong to the opponent (or to anybody,
        with ``chain_side="any"``); a chain ends at a store. ``then``: "stop", "again" or "relay".
        """
        return replace(self, takes=takes, chain=chain, chain_side=chain_side, then=then)

    def again(self) -> "When":
        """The mover has another turn."""
        return replace(self, then="again")

    def relay(self) -> "When":
        """Lift the pit where the last seed fell and sow on: another lap."""
        return replace(self, then="relay")

    def sow_on(self, *takes: str) -> "When":
        """Lift the seeds of the pit across ("facing"), and of the outer pit of its column ("behind"), and sow them from
        the next pit on."""
        return replace(self, takes=takes, then="sow_on")

    def mark(self, *pits: str) -> "When":
        """Mark pits as the mover's: "here" (where the last seed fell), "facing" (across), or both.

        A marked pit can be sown into but not lifted any more, and at the end its seeds belong to the owner of the mark.
        A clause can capture as well, and then marks what it has captured: ``capture("here").mark("here")``.
        """
        return replace(self, marks=pits)

    def mark_pair(self) -> "When":
        """Move one seed from the pit across to this one, and mark both."""
        return replace(self, marks=("here", "facing"), carries=True)

    @property
    def relays(self) -> bool:
        """Is another lap sown?"""
        return self.then in ("relay", "sow_on")

    @property
    def is_across(self) -> bool:
        """Does it ask for seeds in the pit across, or take them?"""
        return self.facing is not None or self.facing_count is not None or "facing" in self.takes

    def encode(self) -> list[int]:
        """The clause as ``layout.CLAUSE_SIZE`` integers."""
        needs = value = 0
        for option, values in CONDITIONS.items():
            chosen = getattr(self, option)
            if chosen is not None:
                needs |= values[chosen][0]
                value |= values[chosen][1]
        needs |= layout.IN_STORE
        clause = [0] * layout.CLAUSE_SIZE
        clause[layout.NEEDS] = needs
        clause[layout.VALUE] = value
        clause[layout.COUNTS] = _bits(self.count) if self.count is not None else _bits(range(layout.TOP_COUNT + 1))
        across = self.facing_count if self.facing_count is not None else range(layout.TOP_COUNT + 1)
        clause[layout.FACING_COUNTS] = _bits(across)
        clause[layout.TAKE] = sum(_TAKES[take] for take in set(self.takes))
        clause[layout.TAKE] |= layout.CARRY_AND_MARK if self.carries else sum(_MARKS[pit] for pit in set(self.marks))
        if self.chain:
            clause[layout.CHAIN] = layout.CHAIN_OPPONENT if self.chain_side == "opponent" else layout.CHAIN_ANY
            clause[layout.CHAIN_COUNTS] = _bits(self.chain)
        clause[layout.THEN] = _THEN[self.then]
        return clause


def _counts(option: str, counts: Iterable[int]) -> frozenset[int]:
    chosen = frozenset(counts) if isinstance(counts, Iterable) else frozenset()
    if not chosen or any(not isinstance(count, int) or not 1 <= count <= MAX_COUNT for count in chosen):
        raise ValueError(f"{option}={counts!r} must name whole numbers of seeds from 1 to {MAX_COUNT}, as in {{2, 3}}")
    return chosen


def _bits(counts: Iterable[int]) -> int:
    return sum(1 << count for count in counts)
