"""The landing table: what happens where the last seed of a lap falls.

Each of its clauses (``When``) is a condition on that cell and its consequences: what is taken, and how the turn goes
on. The first clause that matches applies; where none does the turn ends. A rule text becomes clauses in the order of
its priorities::

    landing=(
        When(store="own").again(),
        When(side="own", was="empty", facing="occupied").capture("here", "facing"),
    )
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import chain
from operator import or_
from typing import TYPE_CHECKING, Any

from mancala_env.kernels import layout
from mancala_env.rules.board import Board
from mancala_env.rules.declared import Declared, Fact, Group, bits, counts, flat, grouped, places, rule, spell

MAX_PICKS = 9
SIDES = {"opponent": layout.CHAIN_OPPONENT, "any": layout.CHAIN_ANY, "own": layout.CHAIN_OWN}
_PITS = ("here", "facing", "outer", "next", "next2", "facing_next", "last", "last_and_one", "every", "neighbours")
_TAKES = {name: getattr(layout, f"TAKE_{name.upper()}") for name in _PITS}
_CHAINED = {"columns": layout.CHAIN_FACING, "gaps": layout.ONWARD_GAPS, "across": layout.ONWARD_ACROSS}
_TO = {"mover": 0, "owner": layout.TO_OWNER, "opponent": layout.TO_OPPONENT, "here": layout.TO_HERE}
_AFTER = {"after_lap_start": layout.AFTER_LAP_START, "lap_start": layout.AFTER_LAP_START | layout.INCLUDING}
_MARKS = {"here": layout.MARK_HERE, "facing": layout.MARK_FACING, "pair": layout.CARRY_AND_MARK}
_THEN = {name: getattr(layout, name.upper()) for name in ("stop", "again", "relay", "sow_on", "relay_next", "lose")}
_THEN["relay_or_stop"] = layout.RELAY
_COUNTED = "; or seeds in it: a set of numbers from 1 to 61"


def _asks(about: str, fact: int = 0, words: Mapping[Any, str] | None = None, **more: Any) -> Any:
    """A condition of two values with their words: the first asks whether a fact holds, the second whether not."""
    facts = {value: Fact(fact, fact * (k == 0), phrase) for k, (value, phrase) in enumerate((words or {}).items())}
    return rule(more.pop("default", None), about, facts=facts | more.pop("facts", {}), **more)


def _does(about: str, *values: Any, **more: Any) -> Any:
    """A consequence that is one of these values, or of those that have a sentence, first its default."""
    named = values or (*more.get("sentence", ()),) if "default" not in more else ()
    return rule(named[0] if named else more.pop("default", None), about, values=named, **more)


@dataclass(frozen=True, kw_only=True)
class Cell(Group):
    """Conditions on where the last seed fell, and on what pits around that one hold."""

    store: str | None = _asks(
        '"own" or "opponent": it fell in that player\'s store (without this the clause is about pits only)',
        # where both stores are sown, ``encode`` excludes the other one
        facts={
            "own": Fact(layout.IN_STORE, layout.IN_STORE, "the own store"),
            "opponent": Fact(layout.IN_STORES, layout.IN_STORES, "the opponent's store"),
        },
    )
    side: str | None = _asks(
        '"own" or "opponent": whose pit it is', layout.OWN_SIDE, {"own": "an own pit", "opponent": "an opponent's pit"}
    )
    marked: bool | str | None = _asks(
        '"own" or "opponent": it bears that player\'s mark; True: a mark of either; False: none', layout.MARKED,
        {True: "is marked", False: "bears no mark"},
        facts={
            "own": Fact(layout.MARKED | layout.OWN_MARK, layout.MARKED | layout.OWN_MARK, "bears the own mark"),
            "opponent": Fact(layout.MARKED | layout.OWN_MARK, layout.MARKED, "bears the opponent's mark"),
        },
    )  # fmt: skip
    place: Iterable[int] | str | None = _asks(
        "where it lies on its owner's side: a set of numbers, 0 for the first from the owner's left, -1 the last; on a "
        'board of four rows also "inner" or "outer": the row',
        layout.IS_INNER, {"inner": "lies in an inner row", "outer": "lies in an outer row"}, reads=places,
        sentence="is {one_of}{places} of its side", draws=({0}, {-1}, {0, -1}, "inner", "outer"),
    )  # fmt: skip
    remembered: bool | None = _asks(
        "True or False: whether the game remembers the pit (``Ruleset.remember``)", layout.KNOWN,
        {True: "is remembered", False: "is not remembered"},
    )  # fmt: skip
    was: str | None = _asks(
        '"empty" or "occupied", before the last seed', layout.WAS_EMPTY,
        {"empty": "was empty", "occupied": "was occupied"},
    )  # fmt: skip
    count: Iterable[int] | str | None = _asks(
        'seeds it holds now: a set of numbers from 1 to 61, or "even"', layout.IS_EVEN,
        {"even": "now holds an even number"}, reads=counts, sentence="now holds {counts}",
    )  # fmt: skip
    facing: Iterable[int] | str | None = _asks(
        f'"occupied" or "empty": the pit across{_COUNTED}', layout.FACING_FULL,
        {"occupied": "faces seeds", "empty": "faces an empty pit"}, reads=counts, sentence="faces {counts} {seeds}",
    )  # fmt: skip
    outer: Iterable[int] | str | None = _asks(
        f'"occupied" or "empty": the opponent\'s outer pit of that column, on a board of four rows{_COUNTED}',
        layout.OUTER_FULL,
        {"occupied": "has seeds in the opponent's outer pit", "empty": "has nothing in the opponent's outer pit"},
        reads=counts, sentence="has {counts} in the opponent's outer pit",
    )  # fmt: skip
    next: Iterable[int] | str | None = _asks(
        f'"occupied" or "empty": the cell after it in the mover\'s sowing order{_COUNTED}; "house" or '
        '"occupied_house": a pit that belongs to nobody, or one with seeds',
        layout.NEXT_FULL, {"occupied": "has seeds in the next place", "empty": "has nothing in the next place"},
        reads=counts, sentence="has {counts} in the next place",
        facts={
            "house": Fact(layout.NEXT_NOBODYS, layout.NEXT_NOBODYS, "is followed by a house"),
            "occupied_house": Fact(layout.NEXT_HOUSE, layout.NEXT_HOUSE, "is followed by a house with seeds"),
        },
    )  # fmt: skip
    next2: str | None = _asks(
        '"occupied" or "empty": the cell after that one', layout.NEXT2_FULL,
        {"occupied": "has seeds in the next place but one", "empty": "has nothing in the next place but one"},
    )  # fmt: skip
    facing_next: str | None = _asks(
        '"occupied" or "empty": the pit across from the pit after it', layout.FACING_NEXT_FULL,
        {"occupied": "has seeds across from the next place", "empty": "has nothing across from the next place"},
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Turn(Group):
    """Conditions on the turn and the game, not on where the last seed fell."""

    from_ply: int = _asks(
        "only from this ply of the game on; the first is 0",
        default=0, most=1000, draws=(1, 2, 4), sentence="from the {ply} move of the game on",
    )  # fmt: skip
    visited: bool | None = _asks(
        "True: this turn has dropped a seed on the opponent's side; False: it has not", layout.VISITED,
        {True: "in a turn that has dropped a seed on the opponent's side",
         False: "in a turn that has not dropped a seed on the opponent's side"},
    )  # fmt: skip
    lifted: int = _asks(
        "only in a turn whose first lap was sown with this number of seeds or more",
        default=0, most=layout.TOP_COUNT - 1, draws=(2, 4), sentence="in a turn begun with {seeds} or more in hand",
    )  # fmt: skip
    few: int = _asks(
        "only if there are at most this number of seeds on the board",
        default=0, most=1000, draws=(3, 9), sentence="with at most {seeds} on the board",
    )  # fmt: skip


if TYPE_CHECKING:

    class _Grouped(Turn, Cell):
        """The fields of the groups as a clause has them."""
else:
    _Grouped = object


@grouped
@dataclass(frozen=True, kw_only=True, repr=False)
class When(_Grouped):
    """One clause of a landing table. Conditions left out (None) do not matter; several are joined by "and".

    Consequences: end the clause with ``capture``, ``mark``, ``mark_pair``, ``close``, ``again``, ``relay``, ``lose`` or
    ``sow_on``; without one of these the turn ends. ``pick`` leaves more captures to the mover.

    A clause that makes marks applies only where all of them may be made: in pits that bear none yet, and within
    ``Ruleset.mark_limit``. Nobody lifts a marked pit: a clause that relays or sows on does not apply there. Raises
    ValueError for an unknown value, or a clause that contradicts itself.
    """

    cell: Cell = Cell()
    turn: Turn = Turn()
    takes: tuple[str, ...] = _does(
        '"here" (where the last seed fell), "facing" (across), "outer" (the opponent\'s outer pit of that column), '
        '"next" and "next2" (the pits after it in the mover\'s sowing order; nothing where that is a store), '
        '"facing_next" (the pit across from the next pit), "last" (only the seed that was dropped last), '
        '"last_and_one" (it and another one of the same pit), "every" (all pits of ``every_side`` that hold a count of '
        '``every``), "neighbours" (of these only the pits beside it in its row)',
        default=(), reads=lambda _, named: tuple(named), draws=((), *((pit,) for pit in _PITS), ("here", "facing")),
    )  # fmt: skip
    chain: Iterable[int] | None = _does(
        "a set of numbers from 1 to 61: also the pits before it, one by one against the sowing direction, while they "
        "hold one of these counts and belong to the player whom ``chain_side`` names; a chain ends at a store",
        reads=counts,
    )
    chain_side: str = _does("whose pits are chained", *SIDES)
    chain_direction: str = _does(
        '"columns": with each pit of the chain also the pit across. "forward": instead of the pits before it those '
        'after it, or, with "next", those after that one; all round the board also the last pit itself, if it is not '
        'taken already. The other two need no numbers, and end at a store. "gaps": on in the sowing direction, from '
        'the farthest of "here", "next" and "next2" that is taken: as long as the next pit is empty and the one after '
        'it holds seeds, these are taken, too. "across": the own pits that follow the last one, as long as they are '
        "empty and face seeds: what they face is taken",
        "back", "forward", *_CHAINED,
    )  # fmt: skip
    every: Iterable[int] | None = _does(
        'the counts that "every" and "neighbours" look for, a set of numbers', reads=counts
    )
    every_side: str = _does("whose pits these take", "any", "own", "opponent")
    to: str = _does(
        '"owner": each pit\'s seeds go to its owner\'s store; "opponent": all go to the opponent\'s; "here": they are '
        "laid where the last seed fell, and sown on with what lies there",
        *_TO,
    )
    first: str = _does(
        "where the first seed falls: in the pit after the one where the last seed fell, after the one where this lap "
        "began, or in that one itself",
        sentence={
            "after_here": "there",
            "after_lap_start": "the pit where this lap began",
            "lap_start": "the pit where this lap began, the first seed into that pit itself",
        },
    )
    stops: bool = _does("nothing comes of where that lap ends", False, True)
    marks: tuple[str, ...] = _does(
        '"here" (where the last seed fell), "facing" (across), or both',
        default=(), reads=lambda _, named: tuple(named),
        draws=(("here",), ("facing",), ("here", "facing"), ("pair",)),
    )  # fmt: skip
    picks: int = _does(f"how many, from 0 to {MAX_PICKS}", default=0, most=MAX_PICKS, draws=(1, 3))
    sparing: Iterable[int] = _does(
        "places that are not picked, from the opponent's left", default=(), reads=places, draws=({0}, {0, -1})
    )
    then: str = _does(
        'how the turn goes on: another lap lifts the pit "here", where the last seed fell, or the "next" one, which '
        "must bear no mark; else the turn ends",
        *_THEN,
    )

    def __repr__(self) -> str:
        """Only what is said: ``When(store='own', then='again')``."""
        return f"When({', '.join(f'{name}={value!r}' for name, value in self.said.items())})"

    def __post_init__(self) -> None:
        spell(self)
        for why in self._contradictions():
            raise ValueError(why)

    @property
    def said(self) -> dict[str, Any]:
        """What it says, by name: what is not at its default."""
        return {name: value for name, (_, default) in CLAUSE.items() if (value := getattr(self, name)) != default}

    def _contradictions(self) -> Iterator[str]:
        for what, named, known in (("a capture takes", self.takes, _TAKES), ("a mark is made in", self.marks, _MARKS)):
            if unknown := [pit for pit in named if pit not in known]:
                yield f"{what} {list(known)}, not {unknown[0]!r}"
        takes, goes_on = {*self.takes}, self.chain_direction in ("gaps", "across")
        if self.store and ({*self.conditions} - {"store", "few", "from_ply", "lifted"} or takes or self.marks):
            yield "a clause for seeds that end in a store can only say how the turn goes on"
        if self.store and self.then not in ("stop", "again", "relay_next", "lose"):
            yield "seeds in a store stay there, so a clause for a store cannot relay; use again()"
        if self.chain and "here" not in takes and not (self.chain_direction == "forward" and "next" in takes):
            yield "a chain starts with 'here', or 'next' and chain_direction='forward': capture('here', chain={2, 3})"
        if self.chain_direction in ("columns", "forward") and not self.chain:
            yield "chain_direction is about the pits of a chain; give chain={...}, too"
        if goes_on and (not takes or self.chain or self.every or self.relays):
            yield "a chain by gaps or across is a capture that ends the lap: capture('next', chain_direction='gaps')"
        if (self.every is None) == bool({"every", "neighbours"} & takes):
            yield "capture('every') and capture('neighbours') say how many seeds these pits hold: every={2, 3}"
        raids = {"last", "last_and_one"} & takes
        if raids and (len(takes) > 1 or self.chain or goes_on or self.relays_here):
            yield f"capture({min(raids)!r}) takes of the last pit alone and ends the lap; take nothing else"
        if self.to != "mover" and (not takes or self.then == "sow_on"):
            yield f"to={self.to!r} says where a capture goes, and this clause has none"
        if self.to == "here" and (not self.relays_here or "here" in takes or self.chain or self.every):
            yield "what is laid in the last pit is sown on from there: write capture('facing', to='here')"
        walks = {"facing", "outer"} & takes and (_has_seeds(self.facing) or _has_seeds(self.outer))
        if self.relays_here and ({"here", "every"} & takes or (self.was == "empty" and not walks)):
            yield "a relay lifts the last pit: not one that is taken, nor one that was empty, unless a capture is sure"
        nothing = not _has_seeds(self.next) or {"next", "every", "neighbours"} & takes
        if self.then == "relay_next" and not self.store and nothing:
            yield "a relay lifts seeds of the next pit, which are not taken: When(next='occupied').relay('next')"
        lifts = takes <= {"facing", "outer", "next"} and any(_has_seeds(getattr(self, take)) for take in takes)
        if self.then == "sow_on" and not lifts:
            yield "sow_on lifts 'facing', 'outer' or 'next' with seeds: When(facing='occupied').sow_on('facing')"
        if self.then != "sow_on" and (self.first != "after_here" or self.stops):
            yield "first and stops are about sow_on(...)"
        if self.sparing and not self.picks:
            yield "sparing is about pick(2, sparing={0}): places of the opponent that are not picked"
        if self.then == "lose" and (takes or self.marks or self.picks):
            yield "nothing comes of a lap that loses the game but that: write lose() without captures"
        if self.picks and (self.then != "stop" or self.store):
            yield "pick() is about a lap that ends in a pit, and with the last pick the turn ends"
        if self.relays and not self.closes and (self.marks or self.marked):
            yield "nobody lifts a marked pit, so a clause that marks one, or needs one, cannot sow on"
        if self.closes and (takes or self.marked):
            yield "a pit is closed with all its seeds, which are sown on: write close() without captures"
        alone = self.marks == ("pair",) and not takes and self.then == "stop" and _has_seeds(self.facing)
        if "pair" in self.marks and not alone:
            yield "mark_pair() stands alone, with seeds across: When(facing='occupied').mark_pair()"

    def capture(
        self,
        *takes: str,
        chain: Iterable[int] | None = None,
        chain_side: str = "opponent",
        chain_direction: str = "back",
        every: Iterable[int] | None = None,
        every_side: str = "any",
        to: str = "mover",
    ) -> "When":
        """Take seeds into the mover's store."""
        return replace(
            self, takes=takes, chain=chain, chain_side=chain_side, chain_direction=chain_direction, every=every,
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
        turn ends."""
        return replace(self, picks=pits, sparing=sparing)

    def again(self) -> "When":
        """The mover has another turn."""
        return replace(self, then="again")

    def lose(self) -> "When":
        """The game is over, and lost; for solitaires."""
        return replace(self, then="lose")

    def relay(self, which: str = "here") -> "When":
        """Lift a pit and sow on, another lap."""
        if which not in ("here", "next"):
            raise ValueError(f"relay({which!r}) is unknown; a turn goes on with the pit 'here' or the 'next' one")
        return replace(self, then="relay" if which == "here" else "relay_next")

    def sow_on(self, *takes: str, first: str = "after_here", stops: bool = False) -> "When":
        """Lift the seeds of the pits "facing", "outer" or "next", and sow them."""
        return replace(self, takes=takes, then="sow_on", first=first, stops=stops)

    def mark(self, *pits: str) -> "When":
        """Mark pits as the mover's. A marked pit can be sown into but not lifted any more, and at the end its seeds
        belong to the owner of the mark. A clause can capture as well: ``capture("here").mark("here")``."""
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
    def relays_here(self) -> bool:
        """Can the last pit be lifted for another lap?"""
        return self.then in ("relay", "relay_or_stop")

    @property
    def relays(self) -> bool:
        """Can another lap be sown?"""
        return self.relays_here or self.then in ("sow_on", "relay_next")

    @property
    def conditions(self) -> dict[str, object]:
        """What must hold, by the names of the conditions."""
        return {name: value for name, value in self.said.items() if name in ASKED}

    def encode(self) -> dict[int, int]:
        """What it says, by the names of ``layout``, but for places and FURTHER, which depend on the board."""
        facts = [fact for option, asked in ASKED.items() if (fact := asked.facts.get(getattr(self, option)))]
        named = (_TAKES[take] for take in self.takes), (_MARKS[pit] for pit in self.marks)
        forward = layout.CHAIN_FORWARD if self.chain_direction == "forward" else 0
        return {
            layout.NEEDS: reduce(or_, (fact.asked for fact in facts), layout.IN_STORE),
            layout.VALUE: reduce(or_, (fact.holds for fact in facts), 0),
            layout.COUNTS: _asked_counts(self.count) or layout.ANY_COUNT,
            layout.FACING_COUNTS: _asked_counts(self.facing) or layout.ANY_COUNT,
            layout.TAKE: reduce(or_, chain(*named), _TO[self.to] | _CHAINED.get(self.chain_direction, 0)),
            layout.CHAIN: SIDES[self.chain_side] + forward if self.chain else 0,
            layout.CHAIN_COUNTS: bits(self.chain or ()),
            layout.THEN: _THEN[self.then],
            layout.OUTER_COUNTS: _asked_counts(self.outer),
            layout.NEXT_COUNTS: _asked_counts(self.next),
            layout.FEW: self.few,
            layout.FROM_PLY: self.from_ply,
            layout.LIFTED: self.lifted,
            layout.EVERY_COUNTS: bits(self.every or ()),
            layout.EVERY_SIDE: SIDES[self.every_side] if self.every else 0,
            layout.AFTER: _AFTER.get(self.first, 0) | (layout.STOPS if self.stops else 0),
            layout.PICKS: self.picks | (layout.MAY_STOP if self.then == "relay_or_stop" else 0),
        }


CLAUSE = flat(When)
ASKED: Mapping[str, Declared] = {name: said for name, (said, _) in CLAUSE.items() if said.facts or hasattr(Turn, name)}
DONE: Mapping[str, Declared] = {name: said for name, (said, _) in CLAUSE.items() if name not in ASKED}
if When.__doc__:  # not where Python runs without docstrings
    _when, _done = ("\n".join(f"        {name}  {said.about}" for name, said in some.items()) for some in (ASKED, DONE))
    When.__doc__ = When.__doc__.replace(
        "    Consequences:", f"    Conditions on the cell where it fell\n{_when}\n\n    Consequences:"
    ).replace("    A clause that", f"{_done}\n\n    A clause that")


@dataclass(frozen=True)
class Option:
    """A choice of one family, with a name of its own, declared in ``Ruleset.options``::

        Option("empty_capture", "captures also where nothing lies across", {False: ACROSS, True: ANYHOW})

    ``choices`` says for each value what it stands for: a clause of the landing table, which takes the place of the
    clause of any other value; or a kind of board (a function of the pits per row, such as ``two_rows``). ``words``: of
    values that do not speak for themselves.
    """

    name: str
    about: str
    choices: Mapping[Any, When | Callable[[int], Board]]
    words: Mapping[Any, str] = field(default_factory=dict, compare=False)

    @property
    def field(self) -> str:
        """The field of a ruleset that it changes: "landing" or "board"."""
        return "landing" if isinstance(next(iter(self.choices.values())), When) else "board"

    def value_in(self, landing: tuple[When, ...], board: Board) -> Any:
        """The value chosen; None if no clause of the landing table, or not this board, is one of the choices."""
        for value, choice in self.choices.items():
            with suppress(ValueError):  # there is no such board of this size
                if choice in landing if isinstance(choice, When) else board == choice(board.columns):
                    return value
        return None

    def changes(self, value: Any, landing: tuple[When, ...], columns: int) -> dict[str, Any]:
        """The field of a ruleset that changes when ``value`` is chosen, given its landing table and pits per row.
        Raises ValueError if it is no choice, or the table has none of the clauses to be exchanged."""
        if not any(known == value and type(known) is type(value) for known in self.choices):
            raise ValueError(f"{self.name} must be {' or '.join(map(repr, self.choices))}, not {value!r}")
        choice, others = self.choices[value], [*self.choices.values()]
        if not isinstance(choice, When):
            return {"board": choice(columns)}
        if not any(clause in others for clause in landing):
            raise ValueError(f"{self.name} exchanges a clause that this landing table lacks; give all of landing=(...)")
        return {"landing": tuple(choice if clause in others else clause for clause in landing)}


@dataclass(frozen=True)
class Part:
    """Base of what a ruleset can have besides its clauses."""

    def __post_init__(self) -> None:
        try:
            spell(self)
            if not getattr(self, first := next(iter(flat(type(self))))):
                raise ValueError(f"{first} must name some, as in {first}={{2, 3}}")
        except ValueError as error:
            raise ValueError(f"{type(self).__name__.lower()}: {error}") from None


@dataclass(frozen=True)
class Barred(Part):
    """Pits that a player may play only if nothing else can be played: by their places on the player's own side, 0 the
    first from the player's left, -1 the last, when they hold one of ``counts`` seeds, from 1 to 61; None: whatever they
    hold. Where a player without seeds has to be fed (``Ruleset.feeding``), they are barred only while the opponent has
    seeds."""

    places: Iterable[int] = rule(frozenset(), reads=places, sentence="{places}")
    counts: Iterable[int] | None = rule(None, reads=counts, sentence=", while it holds {counts},")


@dataclass(frozen=True, kw_only=True)
class Skipping(Part):
    """Which pits seeds pass over: those that hold one of these numbers of seeds before. Where a lap would pass over all
    pits, it skips none."""

    counts: Iterable[int] = rule(frozenset(), reads=counts, sentence="{counts}")
    side: str = _does("whose pits", sentence={"any": "pit", "own": "own pit", "opponent": "pit of the opponent"})
    last: bool = _does(
        "also by the last seed of a lap; else that one falls wherever it is due", True, False,
        sentence={False: ", except by the last seed of a lap"},
    )  # fmt: skip
    from_ply: int = _does(
        "only from this ply of the game on; the first is 0", default=0, most=1000, draws=(0, 0, 1),
        sentence=" from the {ply} move of the game on",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Passing(Part):
    """What is taken from pits that seeds fall into on their way: those that then hold one of these numbers of seeds."""

    counts: Iterable[int] = rule(frozenset(), reads=counts, sentence="{counts}")
    to: str = _does(
        "whose store the seeds go to: the mover's, or that of the owner of the pit",
        sentence={"mover": "mover", "owner": "owner of the pit"},
    )
    last: bool = _does(
        "also where the last seed of a lap falls; else only on the way",
        sentence={False: "does not count", True: "counts, too"},
    )
    when: str = _does(
        "as soon as the seed has fallen, or when the lap is sown, by what the pits hold then",
        sentence={"each_seed": "as soon as the seed has fallen", "after_lap": "when the lap has been sown"},
    )
    then: str = _does(
        '"again": the turn ends with a lap on which something has been taken so, and the player has another turn',
        "stop", "again", draws=("stop", "stop", "again"),
        sentence={"again": " The turn ends with a lap that has captured so, and the player has another turn."},
    )  # fmt: skip


def _has_seeds(asked: Any) -> bool:
    """Does a condition on a pit make sure that there are seeds in it?"""
    return asked not in (None, "empty", "house")


def _asked_counts(asked: Any) -> int:
    """The numbers of seeds that a condition names, as bits; 0 if it names none."""
    return bits(asked) if isinstance(asked, frozenset) else 0
