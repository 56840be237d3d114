"""The landing table: what happens where the last seed of a lap falls.

Each of its clauses (``When``) is a condition on that cell and its consequences: what is taken, and how the turn goes
on. The first clause that matches applies; where none does the turn ends. A rule text becomes clauses in the order of
its priorities::

    landing=(
        When(store="own").again(),
        When(side="own", was="empty", facing="occupied").capture("here", "facing"),
    )
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from itertools import chain
from operator import or_
from typing import Any

from mancala_env.kernels import layout

_SIDES = {"opponent": layout.CHAIN_OPPONENT, "any": layout.CHAIN_ANY, "own": layout.CHAIN_OWN}
_FIRST = {
    "after_here": 0,
    "after_lap_start": layout.AFTER_LAP_START,
    "lap_start": layout.AFTER_LAP_START | layout.INCLUDING,
}
MAX_COUNT = layout.TOP_COUNT - 1
MAX_PICKS = 9


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is declared of a condition of a clause besides its name, type and default."""

    about: str
    facts: Mapping[Any, tuple[int, int]] = field(default_factory=dict)  # of a value: those looked at, those that hold
    of_counts: str = ""  # it may name numbers of seeds, and how that is told: ``{counts}`` stand there in words
    most: int = 0  # of a number, from 0 on
    tells: Mapping[Any, str] = field(default_factory=dict)  # of the pit
    draws: tuple[Any, ...] = ()  # what random rulesets take one of; (): any of the above


def asks(about: str, *, default: Any = None, **more: Any) -> Any:
    """A condition with its declaration."""
    return field(default=default, metadata={"asked": Asked(about=about, **more)})


def _fact(fact: int, yes: Any = True, no: Any = False) -> dict[Any, tuple[int, int]]:
    """The values that ask whether a fact holds, and whether not."""
    return {yes: (fact, fact), no: (fact, 0)}


def asks_seeds(which: str, fact: int, where: str, by_count: bool = False) -> Any:
    """A condition on what a pit or store holds, other than the last one."""
    counts = "; or seeds in it: a set of numbers from 1 to 61" if by_count else ""
    return asks(
        f'"occupied" or "empty": {which}{counts}',
        facts=_fact(fact, "occupied", "empty"),
        of_counts=f"has {{counts}} {where}" if by_count else "",
        tells={"occupied": f"has seeds {where}", "empty": f"has nothing {where}"},
    )


_TAKES = {
    "here": layout.TAKE_HERE,
    "facing": layout.TAKE_FACING,
    "outer": layout.TAKE_OUTER,
    "next": layout.TAKE_NEXT,
    "next2": layout.TAKE_NEXT2,
    "facing_next": layout.TAKE_FACING_NEXT,
    "last": layout.TAKE_LAST,
    "last_and_one": layout.TAKE_LAST_AND_ONE,
    "every": layout.TAKE_EVERY,
    "neighbours": layout.TAKE_NEIGHBOURS,
}
_CHAINED = {"columns": layout.CHAIN_FACING, "gaps": layout.ONWARD_GAPS, "across": layout.ONWARD_ACROSS}
_MARKS = {"here": layout.MARK_HERE, "facing": layout.MARK_FACING, "pair": layout.CARRY_AND_MARK}
_TO = {"mover": 0, "owner": layout.TO_OWNER, "opponent": layout.TO_OPPONENT, "here": layout.TO_HERE}
_THEN = {
    "stop": layout.STOP,
    "again": layout.AGAIN,
    "relay": layout.RELAY,
    "relay_or_stop": layout.RELAY,
    "sow_on": layout.SOW_ON,
    "relay_next": layout.RELAY_NEXT,
    "lose": layout.LOSE,
}


def one_of(*values: Any, draws: tuple[Any, ...] = ()) -> Any:
    """A field that holds one of these values, first its default; random rulesets take one of ``draws``, or any."""
    return field(default=values[0], metadata={"values": values, "draws": draws or values})


def _unknown(part: "When | Passing | Skipping") -> Iterator[str]:
    """What fields hold that is none of their values."""
    for each in fields(part):
        value, values = getattr(part, each.name), each.metadata.get("values", ())
        if not values or (value in values and type(value) in {*map(type, values)}):
            continue
        if len(values) > 2 and type(values[0]) is int:
            yield f"{each.name} must be a whole number from 0 to {values[-1]}, not {value!r}"
        yield f"{each.name}={value!r} is unknown; it is one of {list(values)}"


def _check_part(what: str, part: "Passing | Skipping") -> None:
    object.__setattr__(part, "counts", _counts("counts", part.counts))
    for why in _unknown(part):
        raise ValueError(f"{what}: {why}")


@dataclass(frozen=True, kw_only=True, repr=False)
class When:
    """One clause of a landing table. Conditions left out (None) do not matter; several are joined by "and".

    Consequences: end the clause with ``capture``, ``mark``, ``mark_pair``, ``close``, ``again``, ``relay``, ``lose`` or
    ``sow_on``; without one of these the turn ends. ``pick`` leaves more captures to the mover. A clause that makes
    marks applies only where all of them may be made: in pits that bear none yet, and within ``Ruleset.mark_limit``.
    Nobody lifts a marked pit: a clause that relays or sows on does not apply there. Raises ValueError for an unknown
    value, or a clause that contradicts itself.
    """

    store: str | None = asks(
        '"own" or "opponent": it fell in that player\'s store (without this the clause is about pits only)',
        facts={
            "own": (layout.IN_STORE, layout.IN_STORE),  # where both stores are sown, ``encode`` excludes the other one
            "opponent": (layout.IN_STORE | layout.IN_OTHER_STORE, layout.IN_STORE | layout.IN_OTHER_STORE),
        },
    )
    side: str | None = asks('"own" or "opponent": whose pit it is', facts=_fact(layout.OWN_SIDE, "own", "opponent"))
    was: str | None = asks(
        '"empty" or "occupied", before the last seed', facts=_fact(layout.WAS_EMPTY, "empty", "occupied"),
        tells={"empty": "was empty", "occupied": "was occupied"},
    )  # fmt: skip
    count: Iterable[int] | str | None = asks(
        'seeds it holds now: a set of numbers from 1 to 61, or "even"',
        facts={"even": (layout.IS_EVEN, layout.IS_EVEN)}, of_counts="now holds {counts}",
        tells={"even": "now holds an even number"},
    )  # fmt: skip
    facing: Iterable[int] | str | None = asks(
        '"occupied" or "empty": the pit across; or seeds in it: a set of numbers from 1 to 61',
        facts=_fact(layout.FACING_FULL, "occupied", "empty"), of_counts="faces {counts} {seeds}",
        tells={"occupied": "faces seeds", "empty": "faces an empty pit"},
    )  # fmt: skip
    outer: Iterable[int] | str | None = asks_seeds(
        "the opponent's outer pit of that column, on a board of four rows",
        layout.OUTER_FULL,
        "in the opponent's outer pit",
        by_count=True,
    )
    next: Iterable[int] | str | None = asks(
        '"occupied" or "empty": the cell after it in the mover\'s sowing order; "house" or "occupied_house": that is a '
        "pit that belongs to nobody, or one with seeds; or seeds in it: a set of numbers from 1 to 61",
        facts=_fact(layout.NEXT_FULL, "occupied", "empty")
        | {
            "house": (layout.NEXT_NOBODYS, layout.NEXT_NOBODYS),
            "occupied_house": (layout.NEXT_NOBODYS | layout.NEXT_FULL, layout.NEXT_NOBODYS | layout.NEXT_FULL),
        },
        of_counts="has {counts} in the next place",
        tells={
            "occupied": "has seeds in the next place",
            "empty": "has nothing in the next place",
            "house": "is followed by a house",
            "occupied_house": "is followed by a house with seeds",
        },
    )
    next2: str | None = asks_seeds("the cell after that one", layout.NEXT2_FULL, "in the next place but one")
    facing_next: str | None = asks_seeds(
        "the pit across from the pit after it", layout.FACING_NEXT_FULL, "across from the next place"
    )
    place: Iterable[int] | str | None = asks(
        "where it lies on its owner's side: a set of numbers, 0 for the first from the owner's left, -1 the last; on a "
        'board of four rows also "inner" or "outer": the row',
        facts=_fact(layout.IS_INNER, "inner", "outer"), draws=({0}, {-1}, {0, -1}, "inner", "outer"),
        tells={"inner": "lies in an inner row", "outer": "lies in an outer row"},
    )  # fmt: skip
    remembered: bool | None = asks(
        "True or False: whether the game remembers the pit (``Ruleset.remember``)", facts=_fact(layout.KNOWN),
        tells={True: "is remembered", False: "is not remembered"},
    )  # fmt: skip
    marked: bool | str | None = asks(
        '"own" or "opponent": it bears that player\'s mark; True: a mark of either; False: none',
        facts=_fact(layout.MARKED)
        | {
            "own": (layout.MARKED | layout.OWN_MARK, layout.MARKED | layout.OWN_MARK),
            "opponent": (layout.MARKED | layout.OWN_MARK, layout.MARKED),
        },
        tells={
            True: "is marked",
            False: "bears no mark",
            "own": "bears the own mark",
            "opponent": "bears the opponent's mark",
        },
    )
    visited: bool | None = asks(
        "True: this turn has dropped a seed on the opponent's side; False: it has not", facts=_fact(layout.VISITED),
    )  # fmt: skip
    few: int = asks("only if there are at most this number of seeds on the board", default=0, most=1000, draws=(3, 9))
    from_ply: int = asks("only from this ply of the game on; the first is 0", default=0, most=1000, draws=(1, 4))
    lifted: int = asks(
        "only in a turn whose first lap was sown with this number of seeds or more",
        default=0, most=MAX_COUNT, draws=(2, 4),
    )  # fmt: skip
    takes: tuple[str, ...] = ()
    chain: Iterable[int] | None = None
    chain_side: str = one_of(*_SIDES)
    chain_way: str = one_of("back", "columns", "forward", "gaps", "across")
    every: Iterable[int] | None = None
    every_side: str = one_of("any", "own", "opponent")
    to: str = one_of(*_TO)
    first: str = one_of(*_FIRST)
    stops: bool = one_of(False, True)
    marks: tuple[str, ...] = ()
    picks: int = 0
    sparing: Iterable[int] = ()
    then: str = one_of(*_THEN)

    def __repr__(self) -> str:
        """Only what is said: ``When(store='own', then='again')``."""
        said = [f"{each.name}={getattr(self, each.name)!r}" for each in fields(self)
                if getattr(self, each.name) != each.default]  # fmt: skip
        return f"When({', '.join(said)})"

    def __post_init__(self) -> None:
        for option, asked in ASKED.items():
            value = getattr(self, option)
            if asked.of_counts and not isinstance(value, str | bool | None):
                object.__setattr__(self, option, _counts(option, value))
            elif option == "place" and not isinstance(value, str | None):
                object.__setattr__(self, option, _places(option, value))
            elif (known := [*asked.facts]) and (isinstance(value, list) or value not in (None, *known)):
                counts = ", or numbers of seeds as in {2, 3}" if asked.of_counts else ""
                raise ValueError(f"{option}={value!r} is no condition on a landing; use one of {known}{counts}")
        for option, read in (("chain", _counts), ("every", _counts), ("sparing", _places)):
            if (numbers := getattr(self, option)) is not None and (numbers or option != "sparing"):
                object.__setattr__(self, option, read(option, numbers))
        for why in self._contradictions():
            raise ValueError(why)

    def _contradictions(self) -> Iterator[str]:
        """What is unknown, or cannot be."""
        if unknown := [take for take in self.takes if take not in _TAKES]:
            yield f"a capture cannot take {unknown[0]!r}; it takes {list(_TAKES)} and a chain"
        if unknown := [pit for pit in self.marks if pit not in _MARKS]:
            yield f"{unknown[0]!r} cannot be marked; {list(_MARKS)} can"
        yield from _unknown(self)
        for option, most in _NUMBERS.items():
            number = getattr(self, option)
            if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= most:
                yield f"{option} must be a whole number from 0 to {most}, not {number!r}"
        takes = {*self.takes}
        of_pits = {*self.conditions} - {"store", *_NUMBERS}
        if self.store and (of_pits or takes or self.marks or self.chain):
            yield "a clause for seeds that end in a store can only say how the turn goes on"
        if self.store and self.then not in ("stop", "again", "relay_next", "lose"):
            yield "seeds in a store stay there, so a clause for a store cannot relay; use again()"
        if self.chain and "here" not in takes and not (self.chain_way == "forward" and "next" in takes):
            yield (
                "a chain starts where the last seed fell: write capture('here', ..., chain=...), or with 'next' and "
                "chain_way='forward'"
            )
        if self.chain_way in ("columns", "forward") and not self.chain:
            yield "chain_way is about the pits of a chain; give chain={...}, too"
        if self.chain_way in ("gaps", "across") and (
            not takes or self.chain or self.every or self.relays or self.to == "here"
        ):
            yield (
                "a chain by gaps, or by what lies across, goes on from a pit that is taken, without chain={...} and "
                "every={...}, and ends the lap: capture('next', chain_way='gaps')"
            )
        if {"every", "neighbours"} & takes and self.every is None:
            yield "say how many seeds these pits hold: capture('every', every={2, 3})"
        if self.every is not None and not {"every", "neighbours"} & takes:
            yield "every={...} is about capture('every') and capture('neighbours')"
        raids = {"last", "last_and_one"} & takes
        if raids and (len(self.takes) > 1 or self.chain or self.chain_way != "back" or self.relays_here):
            yield f"capture({min(raids)!r}) takes of the last pit alone and ends the lap; take nothing else"
        if self.to != "mover" and (not takes or self.then == "sow_on"):
            yield f"to={self.to!r} says where a capture goes, and this clause has none"
        if self.to == "here" and (not self.relays_here or "here" in takes or self.chain or self.every):
            yield "what is laid in the last pit is sown on from there: write capture('facing', to='here')"
        walks = {"facing", "outer"} & takes and (_has_seeds(self.facing) or _has_seeds(self.outer))
        if self.relays_here and ({"here", "every"} & takes or (self.was == "empty" and not walks)):
            yield (
                "a relay lifts the pit where the last seed fell: it cannot be one that was empty (the lone seed would "
                "walk on for ever), unless something is sure to be taken, or has just been taken"
            )
        if self.then == "relay_next" and not self.store:
            if not _has_seeds(self.next):
                yield "a relay of the next pit needs seeds there: When(next='occupied').relay('next')"
            if {"next", "every", "neighbours"} & takes:
                yield "a relay lifts the next pit, which cannot be taken as well"
        if self.then == "sow_on":
            if not takes or not takes <= {"facing", "outer", "next"}:
                yield f"sow_on takes 'facing', 'outer' and 'next', not {self.takes!r}"
            if not any(_has_seeds(getattr(self, take)) for take in self.takes):
                yield "to sow on there must be seeds across: When(facing='occupied').sow_on('facing', 'outer')"
        if self.then == "lose" and (takes or self.marks or self.picks):
            yield "nothing comes of a lap that loses the game but that: write lose() without captures"
        if self.picks and (self.then != "stop" or self.store):
            yield "pick() is about a lap that ends in a pit, and with the last pick the turn ends"
        if self.relays and not self.closes and (self.marks or self.marked):
            yield "nobody lifts a marked pit, so a clause that marks one, or needs one, cannot sow on"
        if self.closes and (takes or self.marked):
            yield "a pit is closed with all its seeds, which are sown on: write close() without captures"
        if "pair" in self.marks and (len(self.marks) > 1 or takes or self.then != "stop"):
            yield "a pair is marked by itself and ends the turn: write mark_pair(), without captures"
        if "pair" in self.marks and not _has_seeds(self.facing):
            yield "a pair is marked with a seed from across: add facing='occupied', or facing={3}"

    def capture(
        self,
        *takes: str,
        chain: Iterable[int] | None = None,
        chain_side: str = "opponent",
        chain_way: str = "back",
        every: Iterable[int] | None = None,
        every_side: str = "any",
        to: str = "mover",
    ) -> "When":
        """Take seeds into the mover's store.

        Parameters
        ----------
        *takes
            "here" (where the last seed fell), "facing" (across), "outer" (the opponent's outer pit of that column),
            "next" and "next2" (the pits after it in the mover's sowing order; nothing where that is a store),
            "facing_next" (the pit across from the next pit), "last" (only the seed that was dropped last),
            "last_and_one" (it and another one of the same pit), "every" (all pits of ``every_side`` that hold a count
            of ``every``), "neighbours" (of these only the pits beside it in its row).
        chain : set of numbers from 1 to 61, or None
            Also the pits before it, one by one against the sowing direction, while they hold one of these counts and
            belong to the player whom ``chain_side`` names; a chain ends at a store.
        chain_side : "opponent", "own" or "any"
            Whose pits are chained.
        chain_way : "back", "columns", "forward", "gaps" or "across"
            "columns": with each pit of the chain also the pit across. "forward": instead of the pits before it those
            after it, or, with "next", those after that one; all round the board also the last pit itself, if it is not
            taken already. The other two need no numbers, and end at a store. "gaps": on in the sowing direction, from
            the farthest of "here", "next" and "next2" that is taken: as long as the next pit is empty and the one after
            it holds seeds, these are taken, too. "across": the own pits that follow the last one, as long as they are
            empty and face seeds: what they face is taken.
        every : set of numbers from 1 to 61, or None
            The counts that "every" and "neighbours" look for.
        every_side : "any", "own" or "opponent"
            Whose pits these take.
        to : "mover", "owner", "opponent" or "here"
            "owner": each pit's seeds go to its owner's store; "opponent": all go to the opponent's; "here": they
            are laid where the last seed fell, and sown on with what lies there.
        """
        return replace(
            self, takes=takes, chain=chain, chain_side=chain_side, chain_way=chain_way, every=every,
            every_side=every_side, to=to, then="relay" if to == "here" else "stop",
        )  # fmt: skip

    def or_stop(self) -> "When":
        """The mover may go on, or end the turn instead, by an action of its own."""
        if self.then != "relay":
            raise ValueError("a turn may stop where it would go on with the last pit: relay().or_stop()")
        return replace(self, then="relay_or_stop")

    def pick(self, pits: int, sparing: Iterable[int] = ()) -> "When":
        """After this the mover captures as many more pits of the opponent at will, each with an action of its own.

        Only pits with seeds and without a mark can be picked; with the last of them, or when there are no others, the
        turn ends.

        Parameters
        ----------
        pits : int
            How many, from 0 to 9.
        sparing : set of numbers
            Places that are not picked, from the opponent's left.
        """
        return replace(self, picks=pits, sparing=sparing)

    def again(self) -> "When":
        """The mover has another turn."""
        return replace(self, then="again")

    def lose(self) -> "When":
        """The game is over, and lost; for solitaires."""
        return replace(self, then="lose")

    def relay(self, which: str = "here") -> "When":
        """Lift a pit and sow on, another lap.

        Parameters
        ----------
        which : "here" or "next"
            The pit where the last seed fell, or the next one, which must bear no mark; else the turn ends.
        """
        if which not in ("here", "next"):
            raise ValueError(f"relay({which!r}) is unknown; a turn goes on with the pit 'here' or the 'next' one")
        return replace(self, then="relay" if which == "here" else "relay_next")

    def sow_on(self, *takes: str, first: str = "after_here", stops: bool = False) -> "When":
        """Lift the seeds of other pits than the last one, and sow them.

        Parameters
        ----------
        *takes
            "facing" (the pit across), "outer" (the outer pit of its column), "next" (the next pit).
        first : "after_here", "after_lap_start" or "lap_start"
            The first seed falls in the pit after the one where the last seed fell, after the one that this lap was sown
            from, or in that one itself.
        stops : bool
            Nothing comes of where that lap ends.
        """
        return replace(self, takes=takes, then="sow_on", first=first, stops=stops)

    def mark(self, *pits: str) -> "When":
        """Mark pits as the mover's.

        A marked pit can be sown into but not lifted any more, and at the end its seeds belong to the owner of the mark.
        A clause can capture as well, and then marks what it has captured: ``capture("here").mark("here")``.

        Parameters
        ----------
        *pits
            "here" (where the last seed fell), "facing" (across), or both.
        """
        return replace(self, marks=pits)

    def mark_pair(self) -> "When":
        """Move one seed from the pit across to this one, and mark both."""
        return replace(self, marks=("pair",))

    def close(self) -> "When":
        """Take the pit where the last seed fell out of play, and sow its seeds on: for
        ``Ruleset.marked_pits="closed"``."""
        return replace(self, marks=("here",), then="relay")

    @property
    def closes(self) -> bool:
        """Does it take the last pit out of play?"""
        return self.marks == ("here",) and self.then == "relay"

    @property
    def may_stop(self) -> bool:
        """May the turn go on, or stop?"""
        return self.then == "relay_or_stop"

    @property
    def relays_here(self) -> bool:
        """Can the last pit be lifted for another lap?"""
        return self.then in ("relay", "relay_or_stop")

    @property
    def relays(self) -> bool:
        """Can another lap be sown?"""
        return self.relays_here or self.then in ("sow_on", "relay_next")

    @property
    def asks_next(self) -> bool:
        """Does it speak of the pits that follow?"""
        asked = (self.next, self.next2, self.facing_next)
        return any(asked) or self.then == "relay_next" or any("next" in take for take in self.takes)

    @property
    def asks_house(self) -> bool:
        """Does it ask whether the next pit belongs to nobody?"""
        return self.next in ("house", "occupied_house")

    @property
    def conditions(self) -> dict[str, object]:
        """What must hold, by the names of the conditions."""
        return {name: value for name in ASKED if (value := getattr(self, name)) not in (None, 0) or value is False}

    def encode(self) -> dict[int, int]:
        """What it says, by the names of ``layout``, but for places and FURTHER, which depend on the board."""
        facts = [asked.facts.get(getattr(self, option), (0, 0)) for option, asked in ASKED.items()]
        named = (_TAKES[take] for take in self.takes), (_MARKS[pit] for pit in self.marks)
        return {
            layout.NEEDS: reduce(or_, (looked_at for looked_at, _ in facts), layout.IN_STORE),
            layout.VALUE: reduce(or_, (holds for _, holds in facts)),
            layout.COUNTS: _asked_counts(self.count) or layout.ANY_COUNT,
            layout.FACING_COUNTS: _asked_counts(self.facing) or layout.ANY_COUNT,
            layout.TAKE: reduce(or_, chain(*named), _TO[self.to] | _CHAINED.get(self.chain_way, 0)),
            layout.CHAIN: _SIDES[self.chain_side] + (layout.CHAIN_FORWARD if self.chain_way == "forward" else 0)
            if self.chain
            else 0,
            layout.CHAIN_COUNTS: bits(self.chain or ()),
            layout.THEN: _THEN[self.then],
            layout.OUTER_COUNTS: _asked_counts(self.outer),
            layout.NEXT_COUNTS: _asked_counts(self.next),
            layout.FEW: self.few,
            layout.FROM_PLY: self.from_ply,
            layout.LIFTED: self.lifted,
            layout.EVERY_COUNTS: bits(self.every or ()),
            layout.EVERY_SIDE: _SIDES[self.every_side] if self.every else 0,
            layout.AFTER: _FIRST[self.first] | (layout.STOPS if self.stops else 0),
            layout.PICKS: self.picks | (layout.MAY_STOP if self.may_stop else 0),
        }


ASKED: Mapping[str, Asked] = {each.name: each.metadata["asked"] for each in fields(When) if "asked" in each.metadata}
_NUMBERS = {name: asked.most for name, asked in ASKED.items() if asked.most} | {"picks": MAX_PICKS}
if When.__doc__:  # not where Python runs without docstrings
    _told = "\n".join(f"        {name}  {asked.about}" for name, asked in ASKED.items())
    When.__doc__ = When.__doc__.replace(
        "    Consequences:", f"    Conditions on the cell where it fell\n{_told}\n\n    Consequences:"
    )


@dataclass(frozen=True)
class Barred:
    """Pits that a player may play only if nothing else can be played: by their places on the player's own side, 0 the
    first from the player's left, -1 the last, when they hold one of ``counts`` seeds, from 1 to 61; None: whatever they
    hold. Where a player without seeds has to be fed (``Ruleset.feeding``), they are barred only while the opponent has
    seeds."""

    places: Iterable[int]
    counts: Iterable[int] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", _places("barred: places", self.places))
        if self.counts is not None:
            object.__setattr__(self, "counts", _counts("barred: counts", self.counts))

    def encode(self, half: int) -> tuple[int, int]:
        """Places, on a side of ``half`` pits, and counts as bits; no counts are 0."""
        return bits({place % half for place in self.places}), bits(self.counts or ())


@dataclass(frozen=True, kw_only=True)
class Skipping:
    """Which pits seeds pass over because of what these hold. Where a lap would pass over all pits, it skips none.

    counts
        No seed falls in a pit that holds one of these numbers of seeds, from 1 to 61, before.
    side
        Pits of "any" side, of the "own" or of the "opponent".
    last
        Also by the last seed of a lap; else that one falls wherever it is due.
    from_ply
        Only from this ply of the game on; the first is 0.
    """

    counts: Iterable[int]
    side: str = one_of("any", "own", "opponent")
    last: bool = one_of(True, False)
    from_ply: int = one_of(*range(1001), draws=(0, 0, 1))

    def __post_init__(self) -> None:
        _check_part("skipping", self)

    def encode(self) -> tuple[int, int]:
        """The counts as bits, and the side with ``layout.SKIP_BUT_LAST``."""
        return bits(self.counts), _SIDES[self.side] | (0 if self.last else layout.SKIP_BUT_LAST)


@dataclass(frozen=True, kw_only=True)
class Passing:
    """What is taken from pits that seeds fall into on their way.

    counts
        A pit that holds one of these numbers of seeds, from 1 to 61, when a seed has fallen into it is taken.
    to
        "mover", or the "owner" of the pit: whose store the seeds go to.
    last
        Also where the last seed of a lap falls; else only on the way.
    side
        Pits of "any" side, of the "own" or of the "opponent".
    when
        "each_seed": as soon as the seed has fallen. "after_lap": when the lap is sown, by what the pits hold then.
    then
        "again": the turn ends with a lap on which something has been taken so, and the player has another turn; "stop":
        nothing comes of it for the turn.
    """

    counts: Iterable[int]
    to: str = one_of("mover", "owner")
    last: bool = one_of(False, True)
    side: str = one_of("any", "own", "opponent")
    when: str = one_of("each_seed", "after_lap")
    then: str = one_of("stop", "again", draws=("stop", "stop", "again"))

    def __post_init__(self) -> None:
        _check_part("passing", self)

    def encode(self) -> tuple[int, int]:
        """The counts as bits, and how and when, as ``layout.PASSING_`` bits."""
        how = _SIDES[self.side]
        how |= (layout.PASSING_TO_OWNER if self.to == "owner" else 0) | (layout.PASSING_LAST if self.last else 0)
        how |= layout.PASSING_AGAIN if self.then == "again" else 0
        return bits(self.counts), how | (layout.PASSING_AFTER if self.when == "after_lap" else 0)


def _counts(option: str, counts: Iterable[int]) -> frozenset[int]:
    chosen = frozenset(counts) if isinstance(counts, Iterable) else frozenset()
    if not chosen or any(not isinstance(count, int) or not 1 <= count <= MAX_COUNT for count in chosen):
        raise ValueError(f"{option}={counts!r} must name whole numbers of seeds from 1 to {MAX_COUNT}, as in {{2, 3}}")
    return chosen


def _places(option: str, places: Iterable[int]) -> frozenset[int]:
    chosen = frozenset(places) if isinstance(places, Iterable) else frozenset()
    if not chosen or any(not isinstance(place, int) or isinstance(place, bool) for place in chosen):
        raise ValueError(f"{option}={places!r} must name places on a side: 0, 1, ... or back from -1, as in {{0, -1}}")
    return chosen


def _has_seeds(asked: Any) -> bool:
    """Does a condition on a pit make sure that there are seeds in it?"""
    return asked not in (None, "empty", "house")


def _asked_counts(asked: Any) -> int:
    """The numbers of seeds that a condition names, as bits; 0 if it names none."""
    return bits(asked) if isinstance(asked, frozenset) else 0


def bits(numbers: Iterable[int]) -> int:
    """A set of numbers, as kernels take it."""
    return sum(1 << number for number in {*numbers})
