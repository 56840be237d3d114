"""One format of observations and actions for all games: what never changes in a game is encoded once for each ruleset
(``static_features``), what does by a kernel for many positions at once (``family.kernels``). All is seen from the seat
of one player, so that South's position mirrored is North's. Whatever is declared of the rules (``rules.fields``,
``rules.landing``, and their parts) is walked, not listed: a field added there appears by itself, and changes
``DIGEST``."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from itertools import chain
from typing import Any, NamedTuple, get_args, get_type_hints

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import layout
from mancala_env.rules import Ruleset
from mancala_env.rules.board import BOARDS, Board
from mancala_env.rules.declared import Declared, Group

VERSION = 2  # goes up when a number means another thing than before

# Columns of "board", uint8[P, 15]. Pits are numbered as tokens: the seat's first from 1, so that 0 stands for none.
BOARD = (
    "owner",  # at the start: 1 the seat's, 2 the other player's, 3 nobody's; 0: there is no such pit
    "place",  # on the seat's way of sowing from 1; 0: its seeds never come here
    "next",  # the pit after it on that way, stores left out
    "their_place",  # the same two of the other player
    "their_next",
    "facing",  # the pit across
    "outer",  # the opponent's outer pit beyond that one
    "home",  # which of the places is it that the seat plays, from its left from 1; 0: none of them
    "their_home",
    "to_store",  # with so many seeds a lap of the seat ends in its own store; 0: that is not sown
    "their_to_store",  # likewise of the other player
    "to_end",  # pits that follow up to the end of the row, on the seat's way, or the other player's
    "row",  # from the seat's nearest, from 1
    "seeds",  # at the start, as South saw it, 255 for more
    "mark",  # likewise: 1 South's, 2 North's
)
# Columns of "pits", uint8[P, 6].
PITS = (
    "owner",  # now, as in ``BOARD``
    "mark",  # 1 the seat's, 2 the other player's
    "remembered",  # by the game (``Ruleset.remember``), 0 or 1 like the rest
    "closed",  # in this game of a match
    "due",  # a decision is about it: going on from it, or which way its seeds go
    "threatened",  # it may not be played for that
)
FIELDS_OF_PITS = ("owner", "marks", "memory", "closed", "pending", "threat")  # of ``Ruleset.fields``, for ``PITS``

COUNTERS = (
    "to_move",  # 1 if the seat is to move, else 0
    "store", "their_store",
    "total",  # seeds of the game
    "ply", "plies_left", "plies_since_capture",
    "removed",  # seeds that have left the board
    "reserve", "their_reserve",
    "stronghold", "their_stronghold",  # 1: never emptied
    "debt",  # seeds that the seat owes the other player; below 0 those that it is owed
    "direction", "their_direction",  # chosen for the game: 0 not yet, 1 counter-clockwise, 2 clockwise
    "game", "games_left",  # of a match; the number of this one, and how many may follow
    "first",  # 1 if the seat moved first in this one
    "tally", "their_tally", "target",  # of the match; where points are counted, doubled
    "last", "their_last",  # doubled final scores of the game before
    "decision",  # due now: 0 none, 1 to pick pits, 2 to go on or stop, 4 the direction
    "decision_left",  # pits to pick; the direction to go on; seeds that go this way or that
)  # fmt: skip

# Columns of "actions", uint8[A, 2]: the kind, and the pit, as a token from 1; 0: none.
KINDS = ("none", "sow", "sow_clockwise", "decide", "stop", "pass")
NONE, SOW, SOW_CLOCKWISE, DECIDE, STOP, PASS = range(len(KINDS))

# Columns of "rules", int16[R, 6]: a line for each thing that a ruleset says, one or several to a token. A token is a
# field of the ruleset that is not at its default, or one clause of its landing table, or another part that is made of
# fields: a line for the part itself, and one for each of its fields that is not at its default.
RULES = (
    "token",  # from 1; 0: there is no such line
    "field",  # index into ``NAMES``
    "word",  # index into ``WORDS``; 0: it holds numbers
    "low", "high",  # a number, or a run of a set of numbers; halves are doubled
    "at",  # which clause, place, or ply the line is about, from 1; 0: it is about all
)  # fmt: skip
# The table names its games, and what lies in each pit is among the features of the pit.
_LEFT_OUT = ("name", "version", "setup", "setup_marks")
_OF_BOARDS = ("kind", "columns")  # the rest follows


class Said(NamedTuple):
    """A field, or a field of a part, as far as this format depends on it."""

    name: str  # "seeds", or "landing.count"
    default: str
    words: tuple[str, ...]


def _encoded(kind: Any) -> Iterator[tuple[Any, Field[Any]]]:
    """The fields of a ruleset or a part that are encoded, those of groups among them, each with its class."""
    for each in fields(kind):
        if isinstance(each.default, Group):
            yield from _encoded(type(each.default)) if each.compare else ()
        elif each.name not in _LEFT_OUT and (kind is not Board or each.name in _OF_BOARDS):
            yield kind, each


def _types(hint: Any) -> Iterator[Any]:
    """The types that an annotation is made of."""
    yield hint
    for part in get_args(hint):
        yield from _types(part)


def _strings(value: Any) -> Iterator[str]:
    """All words in a value that is made of tuples, sets and mappings."""
    if isinstance(value, str):
        yield str(value)
    elif isinstance(value, Iterable):
        yield from chain.from_iterable(map(_strings, value))


def _words(kind: Any, each: Field[Any], types: Sequence[Any]) -> tuple[str, ...]:
    """The words that a field may hold."""
    if kind is Board:
        return tuple(BOARDS) if each.name == "kind" else ()
    said = each.metadata.get("declared", Declared())
    enums = [[*map(str, enum)] for enum in types if isinstance(enum, type) and issubclass(enum, Enum)]
    return tuple(dict.fromkeys(_strings([*enums, said.known(each.default), said.draws])))


def declared(kind: Any = Ruleset, before: str = "") -> Iterator[Said]:
    """All fields of rulesets that are encoded, those of their parts included."""
    for owner, each in _encoded(kind):
        types = tuple(_types(get_type_hints(owner)[each.name]))
        yield Said(before + each.name, "" if each.default is MISSING else repr(each.default), _words(kind, each, types))
        for part in types:
            if is_dataclass(part):
                yield from declared(part, f"{before}{each.name}.")


DECLARED = tuple(declared())
NAMES = ("", *(each.name for each in DECLARED))
WORDS = ("", *dict.fromkeys(chain(("yes", "no", "none"), *(each.words for each in DECLARED))))


def digest(known: Sequence[Said] = DECLARED) -> str:
    """Sixteen hexadecimal digits that change with anything that this format is made of."""
    form = VERSION, BOARD, PITS, COUNTERS, KINDS, RULES, [tuple(each) for each in known]
    return hashlib.sha256(repr(form).encode()).hexdigest()[:16]


DIGEST = digest()
"""What a stored policy keeps, and compares when it is loaded: its numbers mean the same only where this is the same."""
_FIELD = {name: k for k, name in enumerate(NAMES)}
_WORD = {word: k for k, word in enumerate(WORDS)}


class Sizes(NamedTuple):
    """The sizes of the arrays; a ruleset that needs more is refused."""

    pits: int  # P
    actions: int  # A
    rules: int  # R


def needed(rulesets: Iterable[Ruleset]) -> Sizes:
    """The least sizes for these rulesets."""
    each = [(rules.board.pits, rules.num_actions, len(_lines_of(rules))) for rules in rulesets]
    return Sizes(*map(max, zip(*each, strict=True)))


SIZES = Sizes(pits=80, actions=96, rules=64)
"""For every game of the table, and, but for rare ones, what ``random_ruleset`` draws."""


class StaticFeatures(NamedTuple):
    """What never changes in the games of one ruleset, the same from both seats, by keys of observations."""

    board: npt.NDArray[np.uint8]  # [P, 15], columns ``BOARD``
    rules: npt.NDArray[np.int16]  # [R, 6], columns ``RULES``
    actions: npt.NDArray[np.uint8]  # [A, 2]: the kind, an index into ``KINDS``, and the pit as a token from 1, or 0
    pit_mask: npt.NDArray[np.bool_]  # [P]: which pits there are
    rule_mask: npt.NDArray[np.bool_]  # [R]: which lines
    counter_mask: npt.NDArray[np.bool_]  # [K]: which of ``COUNTERS`` the game has


def shapes(sizes: Sizes) -> dict[str, tuple[Any, tuple[int, ...], int, int]]:
    """Of each key of an observation: dtype, shape, least and highest number."""
    pits, actions, rules = sizes
    return {
        "seeds": (np.int16, (pits,), 0, layout.MAX_PLY),
        "pits": (np.uint8, (pits, len(PITS)), 0, 3),
        "counters": (np.int16, (len(COUNTERS),), -32768, 32767),
        "board": (np.uint8, (pits, len(BOARD)), 0, 255),
        "rules": (np.int16, (rules, len(RULES)), -32768, 32767),
        "actions": (np.uint8, (actions, 2), 0, 255),
        "pit_mask": (np.bool_, (pits,), 0, 1),
        "rule_mask": (np.bool_, (rules,), 0, 1),
        "counter_mask": (np.bool_, (len(COUNTERS),), 0, 1),
    }


def _runs(numbers: Iterable[Any]) -> list[list[int]]:
    """Runs of numbers, from the least to the highest of each; halves are doubled."""
    runs: list[list[int]] = []
    for number in sorted(round(2 * each) if isinstance(each, float) else int(each) for each in numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return runs


def _lines(name: str, value: Any, at: int = 0) -> Iterator[tuple[int, ...]]:
    """What a field holds, as lines without their token."""
    field = _FIELD[name]
    if is_dataclass(value):
        yield field, _WORD["yes"], 0, 0, at
        for _, each in _encoded(type(value)):
            part = getattr(value, each.name)
            if each.default is MISSING or part != each.default:
                yield from _lines(f"{name}.{each.name}", part, at)
    elif value is None or isinstance(value, bool | str):
        word = value if isinstance(value, str) else {None: "none", True: "yes", False: "no"}[value]
        yield field, _WORD[str(word)], 0, 0, at
    elif isinstance(value, tuple) and not all(type(each) is int for each in value):
        for k, each in enumerate(value):
            yield from _lines(name, each, at if type(each) is str else k + 1)
    else:
        for low, high in _runs(value if isinstance(value, frozenset | tuple) else [value]):
            yield field, 0, low, high, at


def _lines_of(rules: Ruleset) -> list[tuple[int, ...]]:
    """All lines of a ruleset; a clause is a token of its own."""
    found: list[tuple[int, ...]] = []
    tokens = 0
    for _, each in _encoded(type(rules)):
        value = getattr(rules, each.name)
        if each.default is not MISSING and value == each.default:
            continue
        parts = [*value] if isinstance(value, tuple) and all(map(is_dataclass, value)) else None
        for k, part in enumerate([value] if parts is None else parts):
            tokens += 1
            found += [(tokens, *line) for line in _lines(each.name, part, 0 if parts is None else k + 1)]
    return found


def static_features(rules: Ruleset, sizes: Sizes = SIZES) -> StaticFeatures:
    """What never changes in the games of a ruleset. Raises ValueError if it needs larger arrays."""
    least = needed([rules])
    if any(need > size for need, size in zip(least, sizes, strict=True)):
        raise ValueError(f"{rules.name} needs {least}, more than {sizes}; give sizes=family.needed(rulesets)")
    made = StaticFeatures(*(np.zeros(*shapes(sizes)[key][1::-1]) for key in StaticFeatures._fields))
    pits = len(view(rules)[0])
    made.board[:pits], made.pit_mask[:pits] = _pits(rules), True
    made.actions[: rules.num_actions] = _actions(rules)
    made.rules[: least.rules], made.rule_mask[: least.rules] = _lines_of(rules) or 0, True
    made.counter_mask[:] = (counters(rules)[0, :, 1:] != 0).any(axis=1)
    for array in made:
        array.setflags(write=False)
    return made


def view(rules: Ruleset) -> npt.NDArray[np.int64]:
    """int64[2, N]: the pits as each seat sees them, in the order of their tokens."""
    return rules.encoded.tables[:2, layout.VIEW : layout.VIEW + rules.board.pits].astype(np.int64)


def owners(rules: Ruleset) -> npt.NDArray[np.uint8]:
    """uint8[2, N]: whose the pits are at the start, as each seat sees them (``PITS``)."""
    found = [[{seat: 1, 1 - seat: 2}.get(rules.board.owner[pit], 3) for pit in view(rules)[seat]] for seat in (0, 1)]
    return np.array(found, dtype=np.uint8)


def _pits(rules: Ruleset) -> list[list[int]]:
    """``BOARD`` of each pit, as South sees it; North sees the same."""
    board, seen, loop = rules.board, view(rules)[0].tolist(), int(rules.encoded.axes[layout.LOOP])
    token = {pit: k + 1 for k, pit in enumerate(seen)}
    loops = rules.encoded.tables[:2, layout.TRACK : layout.TRACK + loop].tolist()
    ways = [[cell for cell in cells if cell < board.pits] for cells in loops]
    side, store = board.pits // rules.players, board.pits + layout.STORES
    rows = [pit // side * board.rows // rules.players + pit % side // board.columns + 1 for pit in range(board.pits)]

    def features(pit: int) -> Iterator[int]:
        yield int(owners(rules)[0, token[pit] - 1])
        for way in ways:
            at = way.index(pit) if pit in way else -1
            yield from (at + 1, token[way[(at + 1) % len(way)]]) if pit in way else (0, 0)
        yield from (token[pits[pit]] if pits[pit] != pit else 0 for pits in (board.facing, board.outer))
        yield from (home.index(pit) + 1 if pit in home else 0 for home in board.homes)
        for player, cells in enumerate(loops):
            is_sown = store + player in cells and pit in cells
            yield (cells.index(store + player) - cells.index(pit)) % loop if is_sown else 0
        way = ways[0] if pit in ways[0] else ways[1]
        onward = [rows[other] for other in (way[way.index(pit) :] if pit in way else [pit])]
        yield next((k for k, row in enumerate(onward) if row != onward[0]), len(onward)) - 1
        yield rows[pit]
        yield min(rules.start_pits[pit], 255)
        yield rules.setup_marks[pit] + 1 if rules.setup_marks else 0

    return [[*features(pit)] for pit in seen]


def _actions(rules: Ruleset) -> list[tuple[int, int]]:
    """Kind and pit of each action, as South sees it; North sees the same."""
    token = {pit: k + 1 for k, pit in enumerate(view(rules)[0].tolist())}
    found = []
    for action in range(rules.num_actions):
        pit, sow = rules.pit(0, action), SOW_CLOCKWISE if rules.direction_of(0, action) else SOW
        kind = (DECIDE if action >= rules.num_sowings else sow) if pit is not None else STOP
        if rules.explicit_pass and action == rules.num_actions - 1:
            kind = PASS
        found.append((kind, token.get(pit, 0)))
    return found


def counters(rules: Ruleset) -> npt.NDArray[np.int64]:
    """int64[2, K, 3]: for each seat where each of ``COUNTERS`` is found: a field of a position, a factor, a summand."""
    n, at, axes = rules.board.pits, rules.fields, rules.encoded.axes
    alike = {"ply": n + layout.PLY, "plies_since_capture": n + layout.PLIES_SINCE_CAPTURE}
    of_seats, of_each = {"to_move": n + layout.MOVER}, {"store": n + layout.STORES} if rules.has_stores else {}
    said = {"total": (0, 0, rules.total_seeds), "plies_left": (n + layout.PLY, -1, int(axes[layout.PLY_LIMIT]))}
    if "match" in at:
        match = at["match"]
        alike["game"], of_seats["first"] = match + layout.GAME, match + layout.FIRST
        of_each |= {"tally": match + layout.TALLY, "last": match + layout.LAST}
        said |= {"games_left": (match + layout.GAME, -1, rules.max_games), "target": (0, 0, int(axes[layout.TARGET]))}
    if "pending" in at:
        alike |= {"decision": at["pending"] + layout.DECISION, "decision_left": at["pending"] + layout.LEFT}
    alike |= {"removed": at["removed"]} if "removed" in at else {}
    of_each |= {name: at[name] for name in ("reserve", "stronghold", "direction") if name in at}
    found = np.zeros((2, len(COUNTERS), 3), dtype=np.int64)
    for seat, mine in enumerate(found):
        where = said | {name: (field, 1, 0) for name, field in alike.items()}
        where |= {name: (field, 2 * seat - 1, 1 - seat) for name, field in of_seats.items()}
        where |= {"debt": (at["debt"], 1 - 2 * seat, 0)} if "debt" in at else {}
        for name, field in of_each.items():
            where[name] = field + seat, 1, int(name == "direction")
            where[f"their_{name}"] = field + 1 - seat, 1, int(name == "direction")
        for name, how in where.items():
            mine[COUNTERS.index(name)] = how
    return found
