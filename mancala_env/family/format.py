"""One format of observations and actions for all games: what never changes in a game is told once for each ruleset
(``Told``), what does by a kernel for many positions at once (``kernels.family``). All is told from the seat of one
player, so that South's position mirrored is North's.

Whatever is declared of the rules (``rules.fields``, ``rules.landing``, and what parts they are made of) is walked, not
listed: a field added there appears by itself, and changes ``DIGEST``.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import chain, pairwise
from typing import Any, NamedTuple, get_args, get_type_hints

import numpy as np
import numpy.typing as npt

from mancala_env.games import RULESETS
from mancala_env.kernels import layout
from mancala_env.rules import Ruleset
from mancala_env.rules.board import BOARDS, Board
from mancala_env.rules.fields import NOT_RULES

VERSION = 1  # goes up when a number means another thing than before

# -- Pits --------------------------------------------------------------------------------------------------------------

# Columns of "board", uint8[P, 14]. Pits are numbered as tokens: the seat's first from 1, so that 0 stands for none.
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
    "to_end",  # pits that follow up to the end of the row, on the seat's way, or the other player's
    "row",  # from the seat's nearest, from 1
    "seeds",  # at the start, 255 for more
    "mark",  # at the start: 1 the seat's, 2 the other player's
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

# -- Counters ----------------------------------------------------------------------------------------------------------

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

# -- Actions -----------------------------------------------------------------------------------------------------------

# Columns of "actions", uint8[A, 2]: the kind, and the pit, as a token from 1; 0: none.
KINDS = ("none", "sow", "sow_clockwise", "decide", "stop", "pass")
NONE, SOW, SOW_CLOCKWISE, DECIDE, STOP, PASS = range(len(KINDS))

# -- Rules -------------------------------------------------------------------------------------------------------------

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
# The table names its games, and what lies in each pit is told of the pit.
_NOT_TOLD = {*NOT_RULES, "name", "version", "setup", "setup_marks"}
_OF_BOARDS = ("kind", "columns")  # the rest follows


class Declared(NamedTuple):
    """A field, or a field of a part, as it is declared."""

    name: str  # "seeds", or "landing.count"
    default: str
    words: tuple[str, ...]


def _told(kind: Any) -> list[Field[Any]]:
    return [each for each in fields(kind) if (each.name in _OF_BOARDS if kind is Board else each.name not in _NOT_TOLD)]


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
    said = [each.metadata.get("values"), each.metadata.get("draws")]
    for declared in (each.metadata.get("declared"), each.metadata.get("asked")):
        said += [getattr(declared, name, ()) for name in ("draws", "facts")]
    enums = [[*map(str, enum)] for enum in types if isinstance(enum, type) and issubclass(enum, Enum)]
    return tuple(dict.fromkeys(_strings([*enums, said])))


def declared(kind: Any = Ruleset, before: str = "") -> Iterator[Declared]:
    """All fields that rulesets are told by, those of their parts included."""
    hints = get_type_hints(kind)
    for each in _told(kind):
        types = tuple(_types(hints[each.name]))
        yield Declared(before + each.name, repr(each.default), _words(kind, each, types))
        for part in types:
            if is_dataclass(part):
                yield from declared(part, f"{before}{each.name}.")


DECLARED = tuple(declared())
NAMES = ("", *(each.name for each in DECLARED))
WORDS = ("", *dict.fromkeys(chain(("yes", "no", "none"), *(each.words for each in DECLARED))))


def digest(known: Sequence[Declared] = DECLARED) -> str:
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


class Told(NamedTuple):
    """What never changes in the games of one ruleset, the same from both seats; a field of it is a key of
    observations."""

    board: npt.NDArray[np.uint8]  # [P, 14], columns ``BOARD``
    rules: npt.NDArray[np.int16]  # [R, 6], columns ``RULES``
    actions: npt.NDArray[np.uint8]  # [A, 2]: the kind, an index into ``KINDS``, and the pit as a token from 1, or 0
    pit_mask: npt.NDArray[np.bool_]  # [P]: which pits there are
    rule_mask: npt.NDArray[np.bool_]  # [R]: which lines
    counter_mask: npt.NDArray[np.bool_]  # [K]: which of ``COUNTERS`` the game has


SHAPES: Mapping[str, Any] = {
    "seeds": lambda sizes: (np.int16, (sizes.pits,), 0, layout.MAX_PLY),
    "pits": lambda sizes: (np.uint8, (sizes.pits, len(PITS)), 0, 3),
    "counters": lambda _: (np.int16, (len(COUNTERS),), -32768, 32767),
    "board": lambda sizes: (np.uint8, (sizes.pits, len(BOARD)), 0, 255),
    "rules": lambda sizes: (np.int16, (sizes.rules, len(RULES)), -32768, 32767),
    "actions": lambda sizes: (np.uint8, (sizes.actions, 2), 0, 255),
    "pit_mask": lambda sizes: (np.bool_, (sizes.pits,), 0, 1),
    "rule_mask": lambda sizes: (np.bool_, (sizes.rules,), 0, 1),
    "counter_mask": lambda _: (np.bool_, (len(COUNTERS),), 0, 1),
}
"""Of each key of an observation: dtype, shape, least and highest number."""


def _numbers(value: Any) -> list[tuple[int, int]]:
    """Runs of a number, or of a set of numbers; halves are doubled."""
    if not isinstance(value, frozenset | set | tuple):
        number = round(2 * value) if isinstance(value, float) else int(value)
        return [(number, number)]
    runs: list[list[int]] = []
    for number in sorted(value):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return [(low, high) for low, high in runs]


def _lines(name: str, value: Any, at: int = 0) -> Iterator[tuple[int, ...]]:
    """What a field holds, as lines without their token."""
    field = _FIELD[name]
    if is_dataclass(value):
        yield field, _WORD["yes"], 0, 0, at
        for each in _told(type(value)):
            part = getattr(value, each.name)
            if each.default is MISSING or part != each.default:
                yield from _lines(f"{name}.{each.name}", part, at)
    elif value is None or isinstance(value, bool | str):
        yield field, _WORD[{None: "none", True: "yes", False: "no"}.get(value, str(value))], 0, 0, at
    elif isinstance(value, tuple) and not all(type(each) is int for each in value):
        for k, each in enumerate(value):
            yield from _lines(name, each, at if type(each) is str else k + 1)
    else:
        for low, high in _numbers(value):
            yield field, 0, low, high, at


def _lines_of(rules: Ruleset) -> list[tuple[int, ...]]:
    """All lines of a ruleset; a clause is a token of its own."""
    found: list[tuple[int, ...]] = []
    tokens = 0
    for each in _told(type(rules)):
        value = getattr(rules, each.name)
        if each.default is not MISSING and value == each.default:
            continue
        parts = [*value] if isinstance(value, tuple) and all(map(is_dataclass, value)) else None
        for k, part in enumerate([value] if parts is None else parts):
            tokens += 1
            found += [(tokens, *line) for line in _lines(each.name, part, 0 if parts is None else k + 1)]
    return found


def tell(rules: Ruleset, sizes: Sizes = SIZES) -> Told:
    """What never changes in the games of a ruleset. Raises ValueError if it needs larger arrays."""
    least = needed([rules])
    if any(need > size for need, size in zip(least, sizes, strict=True)):
        raise ValueError(f"{rules.name} needs {least}, more than {sizes}; give sizes=family.needed(rulesets)")
    lines, actions = _lines_of(rules), _actions(rules)
    pits = _pits(rules)
    made = Told(*(np.zeros(shape, dtype) for dtype, shape, _, _ in (SHAPES[key](sizes) for key in Told._fields)))
    made.board[: len(pits)], made.actions[: len(actions)], made.rules[: len(lines)] = pits, actions, lines or 0
    made.pit_mask[: len(pits)], made.rule_mask[: len(lines)] = True, True
    made.counter_mask[:] = (counters(rules)[0, :, 1:] != 0).any(axis=1)
    for array in made:
        array.setflags(write=False)
    return made


def view(rules: Ruleset) -> npt.NDArray[np.int64]:
    """int64[2, N]: the pits as each seat sees them, in the order of their tokens."""
    return rules.encoded.tables[:2, layout.VIEW : layout.VIEW + rules.board.pits].astype(np.int64)


def _pits(rules: Ruleset) -> list[list[int]]:
    """``BOARD`` of each pit, as South sees it; North sees the same."""
    board, tables = rules.board, rules.encoded.tables
    seen, loop = view(rules)[0].tolist(), int(rules.encoded.axes[layout.LOOP])
    token = {pit: k + 1 for k, pit in enumerate(seen)}
    ways = [tables[seat, layout.TRACK : layout.TRACK + loop].tolist() for seat in (0, 1)]
    follows = [[cell for cell in way if cell < board.pits] for way in ways]
    after = [dict(zip(way, way[1:] + way[:1], strict=True)) for way in follows]
    side = board.pits // rules.players

    def row(pit: int) -> int:
        return pit // side * (board.rows // rules.players) + pit % side // board.columns + 1

    def to_end(pit: int) -> int:
        way = follows[0] if pit in follows[0] else follows[1]
        onward = way[way.index(pit) :] if pit in way else [pit]
        return next((k for k, (one, then) in enumerate(pairwise(onward)) if row(one) != row(then)), len(onward) - 1)

    def across(pits: Sequence[int], pit: int) -> int:
        return token[pits[pit]] if pits[pit] != pit else 0

    def sown(pit: int, seat: int) -> tuple[int, int]:
        way = follows[seat]
        return (way.index(pit) + 1, token[after[seat][pit]]) if pit in way else (0, 0)

    def to_store(pit: int) -> int:
        way, store = ways[0], board.pits + layout.STORES
        return (way.index(store) - way.index(pit)) % loop if store in way and pit in way else 0

    marks = rules.setup_marks or (-1,) * board.pits
    homes = [{pit: k + 1 for k, pit in enumerate(home)} for home in board.homes]
    return [
        [
            (1, 2, 3)[board.owner[pit]], *sown(pit, 0), *sown(pit, 1), across(board.facing, pit),
            across(board.outer, pit), homes[0].get(pit, 0), homes[1].get(pit, 0), to_store(pit), to_end(pit), row(pit),
            min(rules.start_pits[pit], 255), marks[pit] + 1,
        ]
        for pit in seen
    ]  # fmt: skip


def _actions(rules: Ruleset) -> list[tuple[int, int]]:
    """Kind and pit of each action, as South sees it; North sees the same."""
    token = {pit: k + 1 for k, pit in enumerate(view(rules)[0].tolist())}
    found = []
    for action in range(rules.num_actions):
        pit, way = rules.pit(0, action), rules.direction_of(0, action)
        kind = (DECIDE if action >= rules.num_sowings else SOW_CLOCKWISE if way else SOW) if pit is not None else STOP
        if rules.explicit_pass and action == rules.num_actions - 1:
            kind = PASS
        found.append((kind, token.get(pit, 0)))
    return found


def counters(rules: Ruleset) -> npt.NDArray[np.int64]:
    """int64[2, K, 3]: for each seat, how each of ``COUNTERS`` is told of a position: a field of it, by which that is
    multiplied, and what is added."""
    n, at, axes = rules.board.pits, rules.fields, rules.encoded.axes
    found = np.zeros((2, len(COUNTERS), 3), dtype=np.int64)
    for seat in (0, 1):
        said: dict[str, tuple[int, int, int]] = {
            "to_move": (n + layout.MOVER, 2 * seat - 1, 1 - seat),
            "total": (0, 0, rules.total_seeds),
            "ply": (n + layout.PLY, 1, 0),
            "plies_left": (n + layout.PLY, -1, int(axes[layout.PLY_LIMIT])),
            "plies_since_capture": (n + layout.PLIES_SINCE_CAPTURE, 1, 0),
        }
        pairs = {"store": (n + layout.STORES, 0)} if rules.has_stores else {}
        pairs |= {name: (at[name], 0) for name in ("reserve", "stronghold") if name in at}
        pairs |= {"direction": (at["direction"], 1)} if "direction" in at else {}
        if "match" in at:
            pairs |= {"tally": (at["match"] + layout.TALLY, 0), "last": (at["match"] + layout.LAST, 0)}
            said["game"] = at["match"] + layout.GAME, 1, 0
            said["games_left"] = at["match"] + layout.GAME, -1, rules.max_games
            said["first"] = at["match"] + layout.FIRST, 2 * seat - 1, 1 - seat
            said["target"] = 0, 0, int(axes[layout.TARGET])
        for name, (first, more) in pairs.items():
            said[name], said[f"their_{name}"] = (first + seat, 1, more), (first + 1 - seat, 1, more)
        if "pending" in at:
            said["decision"] = at["pending"] + layout.DECISION, 1, 0
            said["decision_left"] = at["pending"] + layout.LEFT, 1, 0
        if "removed" in at:
            said["removed"] = at["removed"], 1, 0
        if "debt" in at:
            said["debt"] = at["debt"], 1 - 2 * seat, 0
        for name, how in said.items():
            found[seat, COUNTERS.index(name)] = how
    return found


def fields_of_pits(rules: Ruleset) -> npt.NDArray[np.int64]:
    """int64[6]: where in a position the fields begin that ``PITS`` are told from; 0: it has none of these."""
    return np.array([rules.fields.get(name, 0) for name in FIELDS_OF_PITS], dtype=np.int64)
