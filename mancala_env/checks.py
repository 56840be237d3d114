"""Checks of arguments from outside: type, shape and width, memory order, and the range of every index and counter.
Where nothing is checked, a function is private, has ``unchecked`` in its name, or is in ``kernels``."""

import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import layout
from mancala_env.rules import Direction, MarkedPits, Match, Ruleset, Sowing, Unfilled

# Arrays of positions, int16[n, W], of their players, and of other numbers.
Positions: TypeAlias = npt.NDArray[np.int16]
Seats: TypeAlias = npt.NDArray[np.int8]
Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float32]
Flags: TypeAlias = npt.NDArray[np.bool_]

SHOWN = 400  # maximum letters of an argument that a message repeats
OWNERS = "SN"
DIRECTIONS = ".+-"  # of sowing: not chosen yet, counter-clockwise, clockwise


class Field(NamedTuple):
    """A further field of a position, given and written under a name of its own."""

    part: str  # of ``Ruleset.fields``, in which it lies
    at: int = 0  # where
    size: int = 0  # 0: a number for each pit; 2: one for South and one for North
    signs: str = ""  # a letter for each number from ``least`` on; "": it is written in digits
    least: int = 0
    scale: int = 1  # 2: halves can be given, and are stored doubled
    shift: int = 0  # how much more is stored than given
    optional: bool = False  # None can be given for the lowest number
    is_flag: bool = False  # True and False can be given
    ends: bool = False  # it is given and written as a word, of how a game ends


FIELDS = {
    "owner": Field("owner", signs=OWNERS),
    "marks": Field("marks", signs=f".{OWNERS}", least=-1, optional=True),
    "removed": Field("removed", size=1),
    "direction": Field("direction", size=2, signs=DIRECTIONS, least=-1, optional=True),
    "memory": Field("memory", signs=".x", is_flag=True),
    "pending": Field("pending", size=layout.PENDING_FIELDS),
    "reserve": Field("reserve", size=2),
    "stronghold": Field("stronghold", size=2, signs=".x", is_flag=True),
    "debt": Field("debt", size=1),
    "closed": Field("closed", signs=".x", is_flag=True),
    "threat": Field("threat", size=1, shift=1, optional=True),
    "tally": Field("match", layout.TALLY, 2, scale=2),
    "game": Field("match", layout.GAME, 1),
    "first": Field("match", layout.FIRST, 1, OWNERS),
    "last": Field("match", layout.LAST, 2, scale=2),
    "last_over": Field("match", layout.LAST_OVER, 1, ends=True),
}


def kept_fields(rules: Ruleset) -> dict[str, Field]:
    """The fields that a game has after pits, stores, mover and ply, by name."""
    kept = {}
    for name, field in FIELDS.items():
        if field.part in rules.fields:
            in_hand = name == "tally" and rules.match is Match.REFILL  # seeds that are not in the game in progress
            whole = in_hand or (name == "tally" and rules.match is Match.TERRITORY)
            kept["reserve" if in_hand else name] = field._replace(scale=1) if whole else field
    return kept


def shown(value: object) -> str:
    """A value for a message: its ``repr``, shortened to ``SHOWN`` letters."""
    try:
        text = repr(value[: 2 * SHOWN] if isinstance(value, str) else value)
    except (ValueError, RecursionError):  # a number of thousands of digits; lists in lists in lists
        text = f"a {type(value).__name__} that is too large to show"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def is_whole(value: object) -> bool:
    """Is it a whole number, and not a bool?"""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def action(value: Any) -> int:
    """A number that a player has chosen, as an ``int``; raises TypeError for what is none, a bool among them."""
    if isinstance(value, bool | np.bool_):
        raise TypeError("a bool is no action")
    return operator.index(value)


def is_real(value: object) -> bool:
    """Is it a real number, and not a bool?"""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def seed(value: Any, *, optional: bool = False) -> Any:
    """A seed of random numbers: a whole number from 0, or None where that is ``optional``; else ValueError."""
    if optional and value is None:
        return None
    if not is_whole(value) or value < 0:
        also = ", or None for other random numbers each time" if optional else ""
        raise ValueError(f"seed must be a whole number from 0{also}; not {shown(value)}")
    return int(value)


def chooser(player: Any, others: str) -> Callable[[Any], Any]:
    """The function State -> action of a player: its ``act``, or the player itself if that is such a function.
    ``others``: what else would do, in words. Raises ValueError if it cannot play."""
    would_do = f"give {others}, an object with act(state), or a function State -> action"
    if isinstance(player, type):
        raise ValueError(f"{player.__name__} is a class, and cannot play: give an object of it; else {would_do}")
    if not callable(choose := getattr(player, "act", player)):
        what = f"its attribute act, {shown(choose)}, is no method" if choose is not player else "it has no act(state)"
        raise ValueError(f"{shown(player)} cannot play, for {what}: {would_do}")
    return choose


def two_players(rules: Ruleset, what: str) -> None:
    """Raise ValueError if a game is a solitaire, for ``what`` needs two players."""
    if rules.players == 1:
        raise ValueError(
            f"{rules.name} is a solitaire, and {what} needs a second player; search it (agents.make_agent('minimax')), "
            f"or learn it in mancala_env.single_agent.MancalaSingleEnv({rules.spec()!r})"
        )


def described(array: Any) -> str:
    """An argument given in place of an expected array, described for a message: its dtype and shape, or its value."""
    if not isinstance(array, np.ndarray):
        return f"{type(array).__name__} {shown(array)}"[:100]
    masked = "a masked array of " if isinstance(array, np.ma.MaskedArray) else ""
    return f"{masked}{array.dtype if array.dtype.isnative else array.dtype.str}{list(array.shape)}"


def is_array(array: Any) -> bool:
    """Is it a NumPy array, and not a masked one?"""
    return type(array) is np.ndarray or (isinstance(array, np.ndarray) and not isinstance(array, np.ma.MaskedArray))


def readable(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, or a copy if kernels would be compiled anew for its memory layout."""
    return array if array.flags.carray and type(array) is np.ndarray else np.array(array, order="C", subok=False)


def positions(rules: Ruleset, arrays: Any, what: str = "positions", *, single: bool = False) -> Positions:
    """``arrays`` for kernels, if they are positions of this game, int16[n, W] (``kernels.layout``), or a ``single``
    one, with every field in its range and fields that go together (``refuse_misfits``); else raises ValueError, which
    names the field. Whether they can be reached is not checked: kernels are safe in any case."""
    width = rules.fields["width"]
    if not is_array(arrays) or arrays.dtype != np.int16 or arrays.ndim != 2 - single or arrays.shape[-1] != width:
        asked = f"int16[{width}], a position" if single else f"int16[n, {width}], positions"
        raise ValueError(
            f"{rules.name}: {what} must be {asked} as kernels.layout draws them, not {described(arrays)}; State.array "
            "is one, and Batch.positions are such"
        )
    arrays = readable(arrays)
    each = arrays[None] if single else arrays
    low, high, _ = rules.ranges
    if (beyond := (each < low) | (each > high)).any():
        bad, field = map(int, np.argwhere(beyond)[0])
        why = f"{name_of(rules, field)} is {each[bad, field]}, and must be from {low[field]} to {high[field]}"
        raise ValueError(f"{rules.name}: {what}[{bad}] is no position of this game: {why}")
    refuse_misfits(rules, each, what)
    return arrays


def known_endings(rules: Ruleset) -> str:
    """Why a game, or the match that it is, can be over, in one list."""
    return ", ".join(layout.TERMINATIONS[end] for end in sorted(rules.endings - {0}))


def refuse_misfits(rules: Ruleset, arrays: Positions, what: str = "this") -> None:
    """Raise ValueError for the first position whose fields are in their ranges, but do not go together."""
    for bad, why in _misfits(rules, arrays):
        if bad.any():
            which = what if what == "this" else f"{what}[{int(bad.argmax())}]"
            raise ValueError(f"{rules.name}: {which} is no position of this game: {why}")


def _misfits(rules: Ruleset, arrays: Positions) -> Iterator[tuple[Flags, str]]:
    """What does not go together in which positions, bool[n]; the next is asked for only if none of them has it."""
    n, total, over = rules.board.pits, rules.total_seeds, arrays[:, rules.board.pits + layout.OVER]

    def part(name: str, at: int = 0, size: int = n) -> npt.NDArray[np.int16]:
        first = rules.fields[name] + at
        return arrays[:, first : first + size]

    # Far faster than a sum of whole numbers, and exact: these are below 2**24.
    yield arrays.astype(np.float32) @ rules.ranges.counted > total, f"it holds more seeds than the {total} of the game"
    if over.any():
        bad = ~np.isin(over, [*rules.endings, 0])
        reason = layout.TERMINATIONS[over[bad.argmax()]]
        yield bad, f"it is over by {reason}, and this game ends by {known_endings(rules)}"
    if rules.sowing is Sowing.PILES:
        yield np.any(np.diff(arrays[:, :n]) > 0, axis=1), "piles are given from the largest to the smallest"
    if "owner" in rules.fields:
        half, souths = n // 2, part("owner") == 0
        south = souths.sum(axis=1, keepdims=True)
        begins = np.maximum(0, half - south)
        yield (
            (souths != ((begins <= np.arange(n)) & (np.arange(n) < begins + south))).any(axis=1),
            f"pits change hands from the loser's left on: South owns pits 0 to {half - 1} and the next, or North owns "
            f"{half} to {n - 1} and the next",
        )
    if rules.match is not Match.NONE:
        ends_match = np.isin(part("match", layout.LAST_OVER, 1)[:, 0], layout.ENDS_OF_MATCHES)
        yield ends_match, "a game of a match does not end as a match does"
        tallies = part("match", layout.TALLY, 2)
        target = 2 * rules.target if rules.counts_points else rules.target or n
        decided, why = tallies.max(axis=1) >= target, f"nobody has reached the target of {rules.target or n}"
        if rules.match is Match.REFILL:
            least = n // 2 if rules.unfilled is Unfilled.THINNED else rules.encoded.axes[layout.START_SEEDS]
            has = 2 * tallies + part("match", layout.LAST, 2)
            decided, why = has.min(axis=1) < 2 * least, "both have seeds enough for another game"
        won, running = over == layout.MATCH_TARGET, over == 0
        held = "reserve and last" if rules.match is Match.REFILL else "tally"
        yield won & ~decided, f"{why}, so it is not over by match_target; give the {held} that it ended with"
        unsaid = decided & ~won & (rules.counts_points | ~running)
        yield unsaid, f"the match is decided, so it is over by match_target; say that, or give another {held}"
        early = ~running & ~won & (part("match", layout.GAME, 1)[:, 0] != rules.max_games)
        yield early, f"nothing but match_target ends it before game {rules.max_games}; give game={rules.max_games}"
        if rules.match is Match.TERRITORY:
            yield (
                (running & (tallies[:, :1] != south).any(axis=1)) | (tallies.sum(axis=1) != n),
                "its tally does not count the pits that each owns; leave the tally out, or say why the match is over",
            )
        if rules.unfilled is Unfilled.BORROWED:
            yield tallies.sum(axis=1) > 0, "its reserve is together at most 0, for all seeds are in the game"
        elif rules.match is Match.REFILL and rules.unfilled is Unfilled.THINNED:
            yield tallies.min(axis=1) > 0, "of a reserve, only the richer player has any"
    if rules.direction is Direction.CHOSEN_ONCE:
        chosen = part("direction", size=2)
        yield chosen[:, 0] != chosen[:, 1], "one direction is chosen for both players, and theirs differ"
    if rules.has_marks:
        marks = part("marks")
        most = np.maximum((marks == 0).sum(axis=1), (marks == 1).sum(axis=1))
        yield most > (rules.mark_limit or n), f"a player may have at most {rules.mark_limit} of its marks"
        if rules.marks_pairs:
            unpaired = (marks != marks[:, rules.board.facing]).any(axis=1)
            yield unpaired, "its marks are not in facing pairs of one owner"
        if rules.marked_pits is MarkedPits.TAKEN:
            moved = ((marks >= 0) & (marks != np.array(rules.setup_marks))).any(axis=1)
            yield moved, "its marks are not those of the start, or fewer"
    if "closed" in rules.fields:
        closed = part("closed") != 0
        yield (closed & (arrays[:, :n] != 0)).any(axis=1), "a pit that is closed holds seeds"
        for home in rules.board.homes:
            yield closed[:, home].all(axis=1), "a player has no pit that is not closed"
    if "pending" in rules.fields:
        yield ~may_be_due(rules, arrays), "what its mover has to decide is nothing that can be due there"


def may_be_due(rules: Ruleset, arrays: Positions) -> Flags:
    """bool[n]: is what has to be decided in each position something that can have to be, or nothing? ``arrays`` are
    int16[n, W], every field in its range, of a game with decisions in mid-turn."""
    n, pending, games = rules.board.pits, rules.fields["pending"], np.arange(len(arrays))
    fields = (pending + layout.DECISION, pending + layout.LEFT, pending + layout.AT, n + layout.MOVER)
    what, left, pit, mover = (arrays[:, field].astype(np.intp) for field in fields)
    seeds, fits = arrays[games, pit], what == layout.NOTHING_DUE
    homes = np.array([[k in home for k in range(n)] for home in rules.board.homes])
    if rules.has_picks:
        spared = {place % (n // 2) for clause in rules.landing for place in clause.sparing}
        there = homes[1 - mover] & (arrays[:, :n] > 0) & [k % (n // 2) not in spared for k in range(n)]
        if "marks" in rules.fields:
            there &= arrays[:, rules.fields["marks"] : rules.fields["marks"] + n] < 0
        fits |= (what == layout.PICK) & (left >= 1) & (left <= there.sum(axis=1))
    if rules.may_stop:
        there = homes[mover, pit] & (seeds > 0)
        if rules.stronghold is not None:
            kept = arrays[games, rules.fields["stronghold"] + mover] > 0
            there = kept & (pit == mover * n // 2 + rules.stronghold) & (seeds >= layout.STRONGHOLD_LEAST)
        fits |= (what == layout.GO_ON) & (left <= 1) & there
    if rules.reverses_laps:
        both = np.array([[k in rules.reversible[player] for k in range(n)] for player in (0, 1)])
        fits |= (what == layout.CHOOSE_DIRECTION) & both[mover, pit] & (left >= 1) & (left <= seeds)
    return fits


def name_of(rules: Ruleset, field: int) -> str:
    """The name of a field of a position, by its index."""
    n = rules.board.pits
    if field < n:
        return f"pit {field}"
    if field < n + layout.POSITION_FIELDS:
        names = ("the store of South", "the store of North", "the mover", "the ply", "plies since a capture", "over")
        return names[field - n]
    for name, kept in kept_fields(rules).items():
        place = field - rules.fields[kept.part] - kept.at
        if 0 <= place < (kept.size or n):
            if name == "pending":
                return f"the {('kind', 'number', 'pit')[place]} of pending"
            return name if kept.size == 1 else f"{name} of {('South', 'North')[place] if kept.size else f'pit {place}'}"
    raise IndexError(f"{rules.name}: a position has no field {field}")


def legal(rules: Ruleset, arrays: Positions, masks: Flags) -> None:
    """Raise ValueError unless these checked ``arrays`` are of running positions, and ``masks``, bool[n, A], theirs."""
    from mancala_env.kernels.batch import play_games  # compiles, so not at import
    from mancala_env.kernels.engine import NO_ACTION

    n, over, mover = len(arrays), rules.board.pits + layout.OVER, rules.board.pits + layout.MOVER
    settled, found, ends = arrays.copy(), np.empty_like(masks), np.zeros(n, dtype=np.int8)
    history, logs, rewards = np.empty((n, 1), np.uint64), np.empty((n, 0, 3), np.int16), np.empty((n, 2), np.float32)
    finals = np.zeros((n + 1, rules.bound.size + 2), dtype=np.int16)
    games, moves, bound = np.arange(n), np.full(n, NO_ACTION), rules.without_repetition.rules
    play_games(games, moves, settled, found, history, logs, rewards, ends, finals, bound)
    unlike = (ends != 0) | (arrays[:, over] != 0) | (settled[:, mover] != arrays[:, mover])
    unlike |= (found != masks).any(axis=1)
    if unlike.any():
        bad = int(unlike.argmax())
        raise ValueError(
            f"{rules.name}: position {bad} is over, or not as its mover meets it, or its mask does not say what may be "
            "played there; take positions and masks of the same State or Batch"
        )


def legal_masks(rules: Ruleset, masks: Any, n: int) -> Flags:
    """``masks`` for kernels, if they are bool[n, A]; the content is not checked. Else raises ValueError."""
    if not is_array(masks) or masks.dtype != np.bool_ or masks.shape != (n, rules.num_actions):
        raise ValueError(f"{rules.name}: masks must be bool[{n}, {rules.num_actions}], not {described(masks)}")
    return readable(masks)


def whole(given: Any) -> npt.NDArray[Any] | None:
    """``given`` as an array, if that is one row of whole numbers, or empty; else None."""
    if isinstance(given, np.ndarray) and not is_array(given):
        return None
    try:
        array = np.asarray(given)
    except (ValueError, OverflowError):  # ragged, or too large
        return None
    return array if array.ndim == 1 and (array.dtype.kind in "iu" or not len(array)) else None


def numbers(
    given: Any, what: str, least: int, most: int, n: int | None = None, dtype: Any = np.int64
) -> npt.NDArray[Any]:
    """ints[m] of ``dtype``, if these are whole numbers from ``least`` to ``most``, n if given; else ValueError."""
    array = whole(given)
    if array is None or n not in (None, len(array)) or (len(array) and not least <= array.min() <= array.max() <= most):
        count, told = "" if n is None else f"{n} ", described(given) if array is None else shown(array.tolist())
        raise ValueError(f"{what} must be {count}whole numbers from {least} to {most}, not {told[:200]}")
    return readable(array.astype(dtype, copy=False))


def buffer(out: Any, shape: tuple[int, ...], dtypes: tuple[Any, ...] = (np.float32,), what: str = "out") -> None:
    """Raise ValueError unless ``out`` is an array of this shape and one of these dtypes that can be written to."""
    if not is_array(out) or out.shape != shape or out.dtype not in dtypes:
        asked = " or ".join(str(np.dtype(dtype)) for dtype in dtypes)
        raise ValueError(f"{what} must be {asked}{list(shape)}, not {described(out)}")
    if not out.flags.writeable:
        raise ValueError(f"{what} is read-only, but is written to; give {what}.copy()")
