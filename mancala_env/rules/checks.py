"""Do the axes of a ruleset fit together? If not, a ``ValueError`` says why, and what to change. Needs of single fields
are declared with them (``fields``); here stand the facts that these speak of, and checks that count or read clauses."""

import re
from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from math import comb
from typing import Any, NoReturn

from mancala_env.kernels import layout
from mancala_env.rules import choices as c
from mancala_env.rules.board import BOARDS, NOBODY, as_built
from mancala_env.rules.declared import Declared, spell
from mancala_env.rules.encode import RuleBook
from mancala_env.rules.fields import CHOICES, DECLARED, DEFAULTS, MAX_TOTAL, NOT_RULES
from mancala_env.rules.landing import When

MAX_DEAD_ENTRIES = 5_000_000
MOST_CHOSEN = 62  # actions where each pit has two, or some are told from others: kernels take them as bits of a number

Asks = Callable[[RuleBook], bool]


def _some(asks: Callable[[When], Any]) -> Asks:
    return lambda rules: any(asks(clause) for clause in rules.landing)


# What declarations speak of besides fields and boards, in the words of a refusal.
FACTS: Mapping[str, Asks] = {
    "a board with two ways round": lambda rules: (
        rules.board.rows in (2, 4) or (rules.is_line and rules.direction is c.Direction.CHOICE)
    ),
    "a board of three rows": lambda rules: rules.board.rows == 3,
    "two pits per row or more": lambda rules: rules.board.columns > 1,
    "more than 62 actions that play a pit": lambda rules: rules.num_sowings > MOST_CHOSEN,
    "a loop that both players share": lambda rules: rules.board.loops[0] != rules.board.homes[0],
    "a board with pits of nobody": lambda rules: rules.shares_pits,
    "outer pits": lambda rules: rules.board.outer != tuple(range(rules.board.pits)),
    "a choice of direction": lambda rules: rules.offers_directions,
    "a single row": lambda rules: rules.is_line,
    "direction='reverse'": lambda rules: rules.reverses,
    "direction='reverse_laps'": lambda rules: rules.reverses_laps,
    "a direction for the whole game": lambda rules: str(rules.direction).startswith("chosen"),
    "a direction for each pit": lambda rules: isinstance(rules.direction, tuple),
    "pits sown clockwise or as one likes": lambda rules: not {"clockwise", "choice"}.isdisjoint(rules.directions),
    "a limit of plies": lambda rules: rules.max_plies > 0,
    "stores": lambda rules: rules.has_stores,
    "marks": lambda rules: rules.has_marks,
    "marks in facing pairs only": lambda rules: rules.marks_pairs,
    "marks laid by setup_marks": lambda rules: any(mark >= 0 for mark in rules.setup_marks),
    "marks in pits of players": lambda rules: (
        any(rules.board.owner[pit] != NOBODY for pit, mark in enumerate(rules.setup_marks) if mark >= 0)
        if rules.marked_pits is c.MarkedPits.TAKEN
        else rules.has_marks
    ),
    "relays": lambda rules: rules.relays,
    "captures": _some(lambda clause: clause.takes),
    "captures other than of 'here' and 'facing' with plain chains": _some(
        lambda x: (
            (x.then != "sow_on" and {*x.takes} - {"here", "facing", "last", "last_and_one"})
            or (x.to, x.chain_direction) != ("mover", "back")
            or x.chain_side == "own"
        )
    ),
    "a capture that goes on forward": _some(lambda clause: clause.chain_direction in ("forward", "gaps", "across")),
    "captures of single seeds": _some(lambda clause: {"last", "last_and_one"} & {*clause.takes}),
    "chains of the opponent's pits only": lambda rules: all(
        (x.takes, x.side, x.chain_side) == (("here",), "opponent", "opponent") for x in rules.landing if x.takes
    ),
    "again()": lambda rules: any(getattr(part, "then", "") == "again" for part in (*rules.landing, rules.passing)),
    "sow_on()": _some(lambda clause: clause.then == "sow_on"),
    "or_stop()": _some(lambda clause: clause.then == "relay_or_stop"),
    "pick()": lambda rules: rules.has_picks,
    "lose()": _some(lambda clause: clause.then == "lose"),
    "mark_pair()": _some(lambda clause: "pair" in clause.marks),
    "sow_on('next')": _some(lambda clause: clause.then == "sow_on" and "next" in clause.takes),
    "relay() or sow_on()": _some(lambda clause: clause.relays_here or clause.then == "sow_on"),
    "mark()": _some(lambda clause: clause.marks and not clause.closes),
    "close()": _some(lambda clause: clause.closes),
    "side='own' where or_stop() is said": lambda rules: all(
        clause.side == "own" for clause in rules.landing if clause.then == "relay_or_stop"
    ),
    "a clause about pits of nobody": _some(lambda clause: clause.next in ("house", "occupied_house")),
    "a clause about outer pits": _some(lambda clause: "outer" in clause.takes or clause.outer),
    "to='owner'": lambda rules: any(getattr(part, "to", "") == "owner" for part in (*rules.landing, rules.passing)),
    "a match that lays out the seeds": lambda rules: (
        rules.match in (c.Match.TERRITORY, c.Match.REFILL) and rules.unfilled is c.Unfilled.THINNED
    ),
}
# How a need is said, where the fact does not say it itself.
SAID = {
    **{kind: f"the board {kind}(6)" for kind in BOARDS},
    **{name: f"{name}={choices[1]!r}" for name, choices in CHOICES.items()},
    "a limit of plies": "max_plies",
    "match": "a match: match='wins', say",
    "stores": "stores: a clause that captures, or goal='seeds'",
    "target": "target=3, say",
    "repetition": "repetition=2 or more",
    "marks": "a landing clause that makes marks",
    "captures": "a landing clause that captures",
    "relays": "a landing clause that sows another lap, as relay() does",
    "chains of the opponent's pits only": "captures of the opponent's pits only, by capture('here', chain=...)",
    "a board with pits of nobody": "the board rows_and_houses(5), say",
    "outer pits": "the board four_rows(8), say",
    "a board with two ways round": "the board two_rows(6), say",
}
SLAMS = "grand_slam, indeterminacy_max_seeds"
# What is declared of facts that are no fields.
RELATIONS: Mapping[str, Declared] = {
    "lose()": Declared(needs="solo_row"),
    "When(store=...)": Declared(needs={"store": "no seed is sown there"}),
    "When(store='opponent')": Declared(needs="store='both'"),
    "When(marked=...)": Declared(needs="marks"),
    "When(remembered=...)": Declared(needs="remember"),
    "a clause about pits of nobody": Declared(needs="a board with pits of nobody"),
    "a clause about outer pits": Declared(needs="outer pits"),
    "marks": Declared(
        without={"sow_on('next')": "", "feeding, grand_slam, indeterminacy_max_seeds, end_check='any_side'":
                 "marked pits keep seeds on a side"}
    ),
    "close()": Declared(needs="marked_pits='closed'"),
    "sow_on()": Declared(
        needs={"marks in facing pairs only": "a marked pit that faces another pit could be sown on"},
        without={"skip_origin, store": "seeds that are sown on have no origin to skip, and pass no store",
                 SLAMS: "seeds that are sown on stay on the board"},
    ),
    "or_stop()": Declared(
        needs="two_rows|four_rows, side='own' where or_stop() is said|four_rows",
        without=f"direction='choice_turning', marks, direction='reverse', a direction for each pit, remember, {SLAMS}, "
        "leftover='last_mover'",
    ),
    "pick()": Declared(needs="two_rows|four_rows", without=SLAMS),
    "direction='reverse'": Declared(
        needs="captures", without=f"pits sown clockwise or as one likes, leave, passing, feeding, {SLAMS}, remember"
    ),
    "direction='reverse_laps'": Declared(
        needs="relay() or sow_on(), two_rows|four_rows", without="leftover='last_mover'"
    ),
    "more than 62 actions that play a pit": Declared(
        without="a choice of direction, opening, remember='played_last', remember='until_sown', "
        "grand_slam='forbidden', feeding='always', feeding='must_leave'"
    ),
    "a single row": Declared(
        needs="goal='last_mover'",
        without=f"{SLAMS}, feeding, store, skip_origin, passing, surplus, skipping, marks, relays",
    ),
    "solo_row": Declared(needs="goal='clear'"),
    "piles": Declared(needs="sowing='piles'"),
    "arcs": Declared(needs={"match='territory'": "pits change hands only in a match for territory"}),
    "a board of three rows": Declared(
        without={"When(place='inner'), When(place='outer'), capture('neighbours')":
                 "rows of one player are meant, and three rows share one"}
    ),
    "crossed_rows": Declared(without="store, feeding, stuck='refill', match"),
    "open_rows": Declared(needs={"leftover='none'": "nobody owns a pit of this board"}, without="stuck='refill'"),
    "a board with pits of nobody": Declared(
        needs="goal='seeds', match='none'|unfilled='borrowed'",
        without=f"{SLAMS}, to='owner', repetition_leftover, leftover='emptier', leftover='last_mover', "
        "leftover='halved', store, capture('neighbours')",
    ),
    "a match that lays out the seeds": Declared(
        needs="two_rows|arcs",
        without={"majority_stop, leftover, repetition_leftover, grand_slam='rest_to_opponent'":
                 "every seed must be counted as its owner's"},
    ),
}  # fmt: skip


def holds(rules: RuleBook, facts: str) -> bool:
    """Does one of these facts hold, between which a ``|`` stands, if there are any?"""
    return not facts or any(_asks(fact)(rules) for fact in facts.split("|"))


@cache
def _asks(fact: str) -> Asks:
    if fact in FACTS:
        return FACTS[fact]
    if fact.startswith(("When(", "capture(")):
        name, _, value = fact.partition("(")[2].removesuffix(")").rpartition("=")
        if value == "...":
            return _some(lambda clause: name in clause.said)
        wanted = literal_eval(value)
        return _some(lambda clause: getattr(clause, name) == wanted if name else wanted in clause.takes)
    if fact in BOARDS:
        return lambda rules: rules.board.kind == fact
    name, _, value = fact.partition("=")
    if value:
        wanted = literal_eval(value)
        return lambda rules: bool(getattr(rules, name) == wanted)
    default = DEFAULTS[name]
    return lambda rules: bool(getattr(rules, name) != default)


def _demands(said: Declared) -> Iterator[tuple[str, bool, str]]:
    """Facts between which a ``|`` stands, whether one of them must hold, or none must, and why."""
    for facts, is_need in ((said.needs, True), (said.without, False)):
        for some, why in (facts if isinstance(facts, Mapping) else {facts: ""}).items():
            yield from ((each, is_need, why) for each in some.split(", ") if each)


_OF_VALUES = {f"{name}={value!r}": each for name, said in DECLARED.items() for value, each in said.of.items()}
DEMANDS = tuple(  # fields, their values and other facts of which something is declared, and what
    (subject, demands)
    for subject, said in {**RELATIONS, **_OF_VALUES, **DECLARED}.items()
    if (demands := tuple(_demands(said)))
)


def applies(rules: RuleBook, name: str) -> bool:
    """Does a field mean anything: does what it needs hold?"""
    needed = (facts for facts, is_need, _ in _demands(DECLARED[name]) if is_need)
    return all(holds(rules, facts) for facts in (*needed, DECLARED[name].matters))


def idle(rules: RuleBook, changes: dict[str, Any]) -> Iterator[str]:
    """Fields of a game that need what some changes take away, or give way to them, and are not among these."""
    after = RuleBook(**{name: getattr(rules, name) for name in DECLARED} | changes)
    for name in DECLARED.keys() - changes.keys():
        needed = [facts for facts, is_need, _ in _demands(DECLARED[name]) if is_need]
        asked = [facts for facts in needed if any(each.partition("=")[0] in changes for each in facts.split("|"))]
        pairs = ({a, b} for a, demands in DEMANDS for b, is_need, _ in demands if not is_need and name in (a, b))
        gives_way = DECLARED[name].gives_way and changes.keys().isdisjoint({"board", "landing"})  # still unchecked
        barred = gives_way and any(all(holds(after, fact) for fact in pair) for pair in pairs)
        if getattr(rules, name) != DEFAULTS[name] and (barred or not all(holds(after, facts) for facts in asked)):
            yield name


def refuse(rules: RuleBook, why: str) -> NoReturn:
    """Raise the ValueError that says why a ruleset cannot be."""
    raise ValueError(f"ruleset {rules.name!r}: {why}")


def check(rules: RuleBook) -> None:
    """Raise ValueError unless the rules can be played; other spellings of values are replaced in place."""
    for looks in (_check_values, _check_declared, _check_board):
        for why in looks(rules):
            refuse(rules, why)


def _check_declared(rules: RuleBook) -> Iterator[str]:
    for name, default in DEFAULTS.items() if rules.players == 1 else ():
        if not DECLARED[name].alone and name not in NOT_RULES and getattr(rules, name) != default:
            yield f"{name} is about two players, and {rules.board.kind} is for one; leave it out"
    for subject, demands in DEMANDS:
        for facts, is_need, why in demands if holds(rules, subject) else ():
            if holds(rules, facts) == is_need:
                continue
            what, because = _said(rules, subject), f"{why}: " if why else ""
            if not is_need:
                yield f"{because}{what} and {_said(rules, facts)} do not go together; change one of them"
            needed = " or ".join(SAID.get(fact, fact) for fact in facts.split("|"))
            name = subject.partition("=")[0]
            yield f"{because}{what} needs {needed}; set that, too, or leave {name if name in DECLARED else 'it'} out"


def _said(rules: RuleBook, fact: str) -> str:
    """A fact as a refusal names it: fields with their values, if these are short."""
    fact = "match" if fact == "a match that lays out the seeds" else fact
    value = getattr(rules, fact) if fact in DECLARED else None
    if isinstance(value, str | int | float):
        return f"{fact}={str(value) if isinstance(value, StrEnum) else value!r}"
    return f"the board {fact}" if fact in BOARDS else "start" if fact == "setup" else fact


def _check_values(rules: RuleBook) -> Iterator[str]:
    if not isinstance(rules.name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", rules.name):
        yield "a name is letters, digits and '_', as in 'oware_liberta'"
    try:
        spell(rules)
        object.__setattr__(rules, "board", as_built(rules.board))
    except ValueError as error:
        yield str(error)
    if taken := [option.name for option in rules.options if option.name in DECLARED]:
        yield f"every ruleset has a field {taken[0]!r}; give the option another name"
    for name, most in (("landing", layout.MAX_CLAUSES), ("opening", layout.MAX_OPENING)):
        if (entries := len(getattr(rules, name))) > most:
            yield f"{name} has {entries} entries; at most {most} fit"
    pits, home = rules.board.pits, len(rules.board.homes[0])
    if isinstance(rules.direction, tuple) and len(rules.direction) != home:
        yield f"direction takes one for each of the {home} places of a player, not {len(rules.direction)}"
    if len(rules.setup_marks) not in (0, pits):
        yield f"setup_marks takes a mark for each of the {pits} pits, not {len(rules.setup_marks)} of them"
    if (setup := rules.setup) is None:
        return
    if rules.board.kind == "piles":  # from the largest on; there can be as many as seeds
        setup = (*sorted(setup, reverse=True), *[0] * (pits - len(setup)))
    if len(setup) not in (pits, pits + 2):
        yield f"start lays seeds in {len(setup)} pits, but the board has {pits}; change it, or give start=null, too"
    object.__setattr__(rules, "setup", setup if any(setup[pits:]) else setup[:pits])
    if not 0 < sum(setup) <= MAX_TOTAL:
        yield f"a game is played with 1 to {MAX_TOTAL} seeds, not {sum(setup)}"
    if any(setup[pits:]) and (rules.match is not c.Match.NONE or not rules.has_stores):
        yield f"start lays seeds in the stores, {setup[pits:]}: that needs stores, and goes without match"
    if rules.players == 1 and any(setup[pits + 1 :]):
        yield f"the second store is nobody's in a solitaire, so nothing is laid there, not {setup[-1]}"


def _check_board(rules: RuleBook) -> Iterator[str]:
    board, seeds, most = rules.board, rules.total_seeds, rules.indeterminacy_max_seeds
    home, on_halves = len(board.homes[0]), board.halves and rules.sowing is c.Sowing.TRACK
    entries = 2 * comb(board.pits + most, most)
    if most and (entries > MAX_DEAD_ENTRIES or board.pits + most > 64):
        table = f"a table of {entries:,} positions on {board.pits} pits"
        yield f"indeterminacy_max_seeds={most} needs {table}; take a smaller number (the default is 3)"
    if rules.pit_limit and max(rules.start_pits) > rules.pit_limit:
        yield f"start lays {max(rules.start_pits)} seeds in a pit, which holds at most {rules.pit_limit}"
    fits = 4 <= board.columns <= 8 and seeds <= 255  # actions are bits there: two ways from each of sixteen pits
    if rules.sowing is c.Sowing.BAO and not fits:
        yield "sowing='bao' is for the boards four_rows(4) to four_rows(8), with at most 255 seeds"
    if board.kind == "piles" and seeds > board.pits:
        yield f"{seeds} seeds can make as many piles, and there is room for {board.pits}; take piles({seeds})"
    if rules.target_seeds > seeds:
        yield f"target_seeds={rules.target_seeds} is more than the {seeds} seeds of the game"
    if rules.repetition == 1:
        yield "every position occurs once; repetition is 0 (off), 2 (the first recurrence) or more"
    stays = {"track": rules.store is c.Store.NONE, "piles": True, "reaping": rules.min_start == 1}
    if stays.get(rules.sowing) and not rules.max_plies and not rules.repetition:
        yield "seeds could move for ever; set max_plies"
    if rules.match is c.Match.TERRITORY and rules.target and not board.columns < rules.target <= board.pits:
        known = f"more than the {board.columns} pits that each has at first, and at most {board.pits}"
        yield f"target must be {known}, not {rules.target}; 0 stands for all pits"
    if rules.unfilled is c.Unfilled.BORROWED and rules.setup is not None:
        filled = {rules.setup[pit] for home in board.homes for pit in home}
        if len(filled) > 1 or 0 in filled or seeds % 2:
            yield "unfilled='borrowed' needs a start with as many seeds in each player's pits, and an even sum"
    named: list[tuple[str, Any]] = [("place", x.place) for x in rules.landing if isinstance(x.place, frozenset)]
    named += [(name, pits.places) for name in ("barred", "forced") if (pits := getattr(rules, name)) is not None]
    if named and not on_halves:
        yield f"{named[0][0]} takes places on a side of a board of which each player plays their own half"
    named += [("sparing", clause.sparing) for clause in rules.landing] + [("opening", ply) for ply in rules.opening]
    for name, chosen in named:
        if any(not -home <= place < home for place in chosen):
            places = f"from {-home} to {home - 1}, where -1 is the last"
            yield f"{name} takes places on a player's own side, {places}; not {sorted(chosen)}"
    if len({clause.sparing for clause in rules.landing if clause.picks}) > 1:
        yield "all clauses that pick spare the same places; give each the same sparing"
    laid = rules.setup_marks
    if laid and rules.marks_pairs and any(mark != laid[board.facing[pit]] for pit, mark in enumerate(laid)):
        yield f"setup_marks lays marks that are not in facing pairs of one owner: {laid!r}"
    if 0 < rules.mark_limit < max(laid.count(0), laid.count(1)):
        yield f"setup_marks lays more marks than mark_limit allows: {laid!r}"
    said, taken = ({"chain", "chain_side"}, {"last", "last_and_one"}) if rules.players == 2 else ({"store"}, set())
    said, taken = said | {"was", "count", "few", "from_ply", "lifted", "takes", "then"}, taken | {"here"}
    for clause in rules.landing if board.rows == 1 else ():
        is_near = {*clause.takes} <= taken and clause.then != "relay_next"
        if not (is_near and {*clause.said} <= said and (clause.chain_side == "any" or not clause.chain)):
            yield (
                "in a single row nothing lies across or after a pit: a clause can say no more than "
                f"{', '.join(sorted(said))}, and take {sorted(taken)}; chains have chain_side='any'"
            )
