"""The further fields of a position, besides pits, stores, mover and ply: read from arguments and text, and checked."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.checks import SHOWN, about_reserves, are_reserves, is_real, is_whole, may_be_due, shown
from mancala_env.kernels import layout
from mancala_env.pending import Pending
from mancala_env.rules import Direction, FirstMover, Goal, MarkedPits, Match, Ruleset

OWNERS = "SN"
DIRECTIONS = ".+-"  # of sowing: not chosen yet, counter-clockwise, clockwise
_DIGITS = 9  # of a number in a line of text
_WHOLE = re.compile(f"-?[0-9]{{1,{_DIGITS}}}")
_HALVES = re.compile("{0}-{0}".format(f"(-?[0-9]{{1,{_DIGITS}}}(?:[.][05])?)"))  # two numbers
_NEEDS = {  # field: where ``Ruleset.fields`` keeps it
    "owner": "owner",
    "marks": "marks",
    "removed": "removed",
    "reserve": "match",
    "tally": "match",
    "game": "match",
    "first": "match",
    "last": "match",
    "last_over": "match",
    "direction": "direction",
    "pending": "pending",
    "memory": "memory",
    "stronghold": "stronghold",
    "threat": "threat",
    "debt": "debt",
    "closed": "closed",
}


class GameResult(NamedTuple):
    """A finished game of a match.

    Attributes
    ----------
    scores : final scores of South and of North; None where the game is not about seeds
    winner : 0, 1, or None for a draw
    termination : why it ended
    """

    scores: tuple[float, float] | None
    winner: int | None
    termination: str


def last_game(rules: Ruleset, array: npt.NDArray[np.int16]) -> GameResult | None:
    """The game of a match before the one in progress; None if there was none."""
    first = rules.fields["match"] + layout.LAST
    south, north, over = (int(number) for number in array[first : first + 3])
    return game_result(rules, south, north, over) if south or north or over else None


def game_result(rules: Ruleset, south: int, north: int, over: int) -> GameResult:
    """A finished game, from its doubled scores and the number of its termination."""
    scores = (halved(south), halved(north)) if rules.goal is Goal.SEEDS else None
    return GameResult(scores, None if south == north else int(north > south), layout.TERMINATIONS[over])


def games_done(rules: Ruleset, array: npt.NDArray[np.int16]) -> int:
    """How many games of a match have ended; 0 in other games."""
    if (at := rules.fields.get("match")) is None:
        return 0
    return int(array[at + layout.GAME]) - (array[rules.board.pits + layout.OVER] == 0)


def logged(result: GameResult) -> tuple[int, int, int]:
    """What ``game_result`` makes the result of: doubled scores (where there are none, their order), and the reason."""
    south, north = result.scores or {0: (1, 0), 1: (0, 1), None: (0, 0)}[result.winner]
    return round(2 * south), round(2 * north), layout.TERMINATIONS.index(result.termination)


def write_kept(rules: Ruleset, array: npt.NDArray[np.int16], given: dict[str, Any], *, over: bool = False) -> None:
    """Check and write the fields that follow the common ones; those not given are as at the start.

    ``over``: of a finished match, whose tallies may have reached the target, and count the pits after the last game.
    """
    n, at = rules.board.pits, rules.fields
    given = dict(given)
    for other, name in rules.aliases:
        if other in given and name not in given:
            given[name] = given.pop(other)
    kept = kept_fields(rules)
    for name in given:
        if name not in kept:
            known = ["pits", "stores", "player", "ply", *kept]
            raise ValueError(f"{rules.name}: a position has no field {shown(name)}; it has {', '.join(known)}")
    if "owner" in at:
        array[at["owner"] : at["owner"] + n] = _owners(rules, given.get("owner", rules.board.owner))
    if "marks" in at:
        array[at["marks"] : at["marks"] + n] = _marks(rules, given.get("marks", _marks_left(rules, array)))
    if "removed" in at:
        (array[at["removed"]],) = seed_counts(rules, "removed", [given.get("removed", 0)], 1)
    if "direction" in at:
        array[at["direction"] : at["direction"] + 2] = _directions(rules, given.get("direction", (None, None)))
    if "match" in at:
        _write_match(rules, array, given, over)
    if "memory" in at:
        array[at["memory"] : at["memory"] + n] = _memory(rules, given.get("memory", [0] * n))
    if "closed" in at:
        array[at["closed"] : at["closed"] + n] = _closed(rules, array, given.get("closed", [0] * n))
    _write_ends(rules, array, given)
    if "pending" in at and given.get("pending") is not None:
        _write_pending(rules, array, given["pending"])


def _write_pending(rules: Ruleset, array: npt.NDArray[np.int16], given: Any) -> None:
    """Write what is to be decided; pits and marks are written already."""
    n, at = rules.board.pits, rules.fields["pending"]
    most = max((clause.picks for clause in rules.landing), default=0)
    said = given[0] if isinstance(given, Sequence) and len(given) > 0 and isinstance(given[0], str) else ""
    is_pick = said == "pick"
    if rules.reverse_laps and (said == "direction" or not rules.may_stop):
        _write_reversible(rules, array, given)
        return
    if rules.may_stop and not (most and is_pick):
        _write_way_on(rules, array, given)
        return
    kind, number = listed(rules, "pending", given[:2] if isinstance(given, Pending) else given, 2)
    if not isinstance(kind, str) or kind != "pick" or not is_whole(number) or not 1 <= number <= most:
        raise ValueError(f"{rules.name}: pending is ('pick', 1) up to ('pick', {most}), not {shown(given)}")
    opponent = 1 - int(array[n + layout.MOVER])
    marks = array[rules.fields["marks"] : rules.fields["marks"] + n] if "marks" in rules.fields else np.full(n, -1)
    spared = {place % (n // 2) for clause in rules.landing for place in clause.sparing}
    theirs = [pit for pit in rules.board.homes[opponent] if pit % (n // 2) not in spared]
    pits = sum(array[pit] > 0 and marks[pit] < 0 for pit in theirs)
    if number > pits:
        raise ValueError(f"{rules.name}: pending asks for {number} picks, and there are seeds in {pits} pits to pick")
    array[at + layout.DECISION], array[at + layout.LEFT] = layout.PICK, number


def _write_reversible(rules: Ruleset, array: npt.NDArray[np.int16], given: Any) -> None:
    """Write that the mover chooses which way seeds of a pit are sown."""
    n, at = rules.board.pits, rules.fields["pending"]
    kind, pit, seeds = listed(rules, "pending", given, 3)
    are_numbers = is_whole(pit) and 0 <= pit < n and is_whole(seeds) and 0 <= seeds <= rules.total_seeds
    if are_numbers:
        array[at : at + layout.PENDING_FIELDS] = layout.CHOOSE_WAY, seeds, pit
    if not are_numbers or not isinstance(kind, str) or kind != "direction" or not may_be_due(rules, array[None]).all():
        raise ValueError(
            f"{rules.name}: pending is ('direction', pit, seeds), where the mover may reverse that pit and it holds as "
            f"many seeds or more; not {shown(given)}"
        )


def _write_way_on(rules: Ruleset, array: npt.NDArray[np.int16], given: Any) -> None:
    """Write that the turn goes on from the stronghold or stops; pits and strongholds are written already."""
    n, at, mover = rules.board.pits, rules.fields["pending"], int(array[rules.board.pits + layout.MOVER])
    kind, pit, way = listed(rules, "pending", given, 3)
    are_numbers = is_whole(pit) and is_whole(way) and isinstance(kind, str)
    if rules.stronghold is None:
        own_pit = are_numbers and pit in rules.board.homes[mover]
        if kind != "go_on" or not own_pit or not array[pit] or way not in (0, 1):
            raise ValueError(
                f"{rules.name}: pending is ('go_on', pit, 0) or ('go_on', pit, 1), where the mover has seeds in that "
                f"pit; not {shown(given)}"
            )
        array[at : at + layout.PENDING_FIELDS] = layout.GO_ON, way, pit
        return
    own = mover * n // 2 + rules.stronghold
    kept = array[rules.fields["stronghold"] + mover] and array[own] >= layout.STRONGHOLD_LEAST
    if not are_numbers or kind != "go_on" or pit != own or way not in (0, 1) or not kept:
        raise ValueError(
            f"{rules.name}: pending is ('go_on', {own}, 0) or ('go_on', {own}, 1), where the mover has kept that pit "
            f"and it holds {layout.STRONGHOLD_LEAST} seeds or more; not {shown(given)}"
        )
    array[at : at + layout.PENDING_FIELDS] = layout.GO_ON, way, own


def _write_ends(rules: Ruleset, array: npt.NDArray[np.int16], given: dict[str, Any]) -> None:
    """Write the reserve, who has kept the stronghold, which pit is under a threat, and who owes seeds."""
    n, at = rules.board.pits, rules.fields
    if "reserve" in at:
        reserve = seed_counts(rules, "reserve", given.get("reserve", (rules.reserve,) * 2), 2)
        if max(reserve) > rules.reserve:
            raise ValueError(f"{rules.name}: a player has at most {rules.reserve} seeds in hand, not {max(reserve)}")
        array[at["reserve"] : at["reserve"] + 2] = reserve
    if "stronghold" in at:
        for player, kept in enumerate(listed(rules, "stronghold", given.get("stronghold", (True, True)), 2)):
            pit = player * n // 2 + int(rules.stronghold or 0)
            if not isinstance(kept, (bool, np.bool_, int, np.integer)) or kept not in (False, True):
                raise ValueError(f"{rules.name}: stronghold says for each player whether it is kept, not {shown(kept)}")
            array[at["stronghold"] + player] = bool(kept) and array[pit] > 0
    if "debt" in at:
        owed = given.get("debt", 0)
        if not is_whole(owed) or abs(owed) > rules.total_seeds:
            raise ValueError(
                f"{rules.name}: debt is how many seeds South owes North, below 0 how many North owes South, at most "
                f"{rules.total_seeds}; not {shown(owed)}"
            )
        array[at["debt"]] = owed
    if "threat" in at and (threatened := given.get("threat")) is not None:
        if not is_whole(threatened) or not 0 <= threatened < n:
            raise ValueError(f"{rules.name}: threat is a pit, from 0 to {n - 1}, or None; not {shown(threatened)}")
        array[at["threat"]] = threatened + 1


def kept_fields(rules: Ruleset) -> list[str]:
    """The names of the fields that a game has after the common ones."""
    other = "tally" if rules.match is Match.REFILL else "reserve"
    kept = [name for name, field in _NEEDS.items() if field in rules.fields and name != other]
    return [*kept, "reserve"] if rules.reserve else kept


def _write_match(rules: Ruleset, array: npt.NDArray[np.int16], given: dict[str, Any], over: bool) -> None:
    """Write where a match stands."""
    n, at = rules.board.pits, rules.fields
    first = at["match"]
    game, mover = given.get("game", 1), given.get("first")
    if "first" not in given:  # the player who would have begun, as far as it can be known
        begins = {FirstMover.SOUTH: 0, FirstMover.ALTERNATE: 1 - int(is_whole(game) and game % 2)}
        n = rules.board.pits
        fresh = array[n + layout.PLY] == 0
        mover = begins.get(rules.first_mover, int(array[n + layout.MOVER]) if fresh else 0)
    if not is_whole(game) or not 1 <= game <= rules.max_games:
        raise ValueError(f"{rules.name}: game must be a whole number from 1 to {rules.max_games}, not {shown(game)}")
    if not is_whole(mover) or mover not in (0, 1):
        raise ValueError(f"{rules.name}: first must be 0 or 1, not {shown(mover)}")
    array[first + layout.GAME], array[first + layout.FIRST] = game, mover
    if rules.match is Match.REFILL:
        reserve = listed(rules, "reserve", given.get("reserve", (0, 0)), 2)
        total = rules.total_seeds
        are_numbers = all(is_whole(count) and abs(count) <= total for count in reserve)
        if not are_numbers or not are_reserves(rules, np.array([reserve])).all():
            raise ValueError(f"{rules.name}: {about_reserves(rules)}; not {shown(given['reserve'])}")
        array[first + layout.TALLY : first + layout.TALLY + 2] = reserve
    elif rules.match is not Match.TERRITORY:
        for player, points in enumerate(two_numbers(rules, "tally", given.get("tally", (0, 0)))):
            most = 10_000.0 if over else rules.target - (0.5 if rules.draw_points or rules.match is Match.POINTS else 1)
            array[first + layout.TALLY + player] = doubled_number(rules, points, f"tally holds {shown(points)}", most)
    else:
        south = int((array[at["owner"] : at["owner"] + n] == 0).sum())
        owned = two_numbers(rules, "tally", given.get("tally", (south, n - south)))
        if any(not is_whole(pits) for pits in owned) or sum(owned) != n or not (over or owned == [south, n - south]):
            raise ValueError(
                f"{rules.name}: tally counts the pits that each owns, {(south, n - south)}, not {shown(given['tally'])}"
            )
        array[first + layout.TALLY : first + layout.TALLY + 2] = owned
    for player, points in enumerate(two_numbers(rules, "last", given.get("last", (0, 0)))):
        array[first + layout.LAST + player] = doubled_score(rules, points, f"last holds {shown(points)}")
    reason = given.get("last_over", "")
    if reason != "" and reason not in [layout.TERMINATIONS[over] for over in layout.ENDS_OF_GAMES]:
        raise ValueError(f"{rules.name}: no single game ends by {shown(reason)}")
    array[first + layout.LAST_OVER] = layout.TERMINATIONS.index(reason)


def checked_ply(rules: Ruleset, ply: object) -> int:
    """The number of plies, checked."""
    if not is_whole(ply) or not 0 <= ply <= layout.MAX_PLY:  # type: ignore[operator]
        raise ValueError(f"{rules.name}: ply must be a whole number from 0 to {layout.MAX_PLY}, not {shown(ply)}")
    return int(ply)  # type: ignore[call-overload]


def seeds_in(rules: Ruleset, array: npt.NDArray[np.int16]) -> int:
    """All seeds of a position: in pits and stores, off the board, and in reserve."""
    return int(array[rules.ranges.counted].sum())


def _owners(rules: Ruleset, given: Sequence[int]) -> list[int]:
    owners = listed(rules, "owner", given, rules.board.pits)
    if any(not is_whole(player) or player not in (0, 1) for player in owners):
        raise ValueError(f"{rules.name}: owner must be 0 or 1 for each pit, not {shown(given)}")
    half, south = rules.board.columns, owners.count(0)
    begins = 0 if south >= half else half - south
    if owners != [0 if begins <= pit < begins + south else 1 for pit in range(2 * half)]:
        raise ValueError(
            f"{rules.name}: pits change hands from the loser's left on: South owns pits 0 to {half - 1} and the next, "
            f"or North owns {half} to {2 * half - 1} and the next; not {shown(given)}"
        )
    return owners


def _memory(rules: Ruleset, given: Sequence[int]) -> list[int]:
    memory = listed(rules, "memory", given, rules.board.pits)
    if any(not isinstance(pit, (bool, np.bool_, int, np.integer)) or pit not in (0, 1) for pit in memory):
        raise ValueError(f"{rules.name}: memory must be 1 or 0, remembered or not, for each pit, not {shown(given)}")
    return [int(pit) for pit in memory]


def _closed(rules: Ruleset, array: npt.NDArray[np.int16], given: Sequence[int]) -> list[int]:
    closed = listed(rules, "closed", given, rules.board.pits)
    if any(not isinstance(pit, (bool, np.bool_, int, np.integer)) or pit not in (0, 1) for pit in closed):
        raise ValueError(f"{rules.name}: closed must be 1 or 0, closed or not, for each pit, not {shown(given)}")
    if any(shut and array[pit] for pit, shut in enumerate(closed)):
        raise ValueError(f"{rules.name}: a pit that is closed holds no seeds; not {shown(given)}")
    if any(all(closed[pit] for pit in home) for home in rules.board.homes):
        raise ValueError(f"{rules.name}: each player has a pit that is not closed; not {shown(given)}")
    return [int(pit) for pit in closed]


def _marks(rules: Ruleset, given: Sequence[int | None]) -> list[int]:
    marks = [-1 if mark is None else mark for mark in listed(rules, "marks", given, rules.board.pits)]
    if any(not is_whole(mark) or mark not in (-1, 0, 1) for mark in marks):
        raise ValueError(f"{rules.name}: marks must be 0, 1, or -1 or None for each pit, not {shown(given)}")
    if rules.marks_pairs and any(mark != marks[rules.board.facing[pit]] for pit, mark in enumerate(marks)):
        raise ValueError(f"{rules.name}: marked pits come in facing pairs of one owner; not {shown(given)}")
    if rules.marked_pits is MarkedPits.TAKEN and any(
        mark not in (-1, laid) for mark, laid in zip(marks, rules.setup_marks, strict=True)
    ):
        raise ValueError(
            f"{rules.name}: marks are those of the start, {rules.setup_marks}, or fewer; not {shown(given)}"
        )
    if never := [pit for pit in sorted(rules.unmarkable_pits) if marks[pit] >= 0]:
        raise ValueError(f"{rules.name}: no mark may be made in pit {never[0]}; not {shown(given)}")
    if rules.mark_limit and max(marks.count(0), marks.count(1)) > rules.mark_limit:
        raise ValueError(f"{rules.name}: a player may have {rules.mark_limit} marks at most; not {shown(given)}")
    return marks


def _marks_left(rules: Ruleset, array: npt.NDArray[np.int16]) -> list[int]:
    """The marks of a position for which none are given: none, or, where a capture takes them, those of the start on
    pits that have not lost seeds."""
    if rules.marked_pits is not MarkedPits.TAKEN:
        return [-1] * rules.board.pits
    at_start = rules.setup or (rules.seeds,) * rules.board.pits
    pits = array[: rules.board.pits].tolist()
    return [mark if count >= laid else -1 for mark, count, laid in zip(rules.setup_marks, pits, at_start, strict=True)]


def _directions(rules: Ruleset, given: Sequence[int | None]) -> list[int]:
    chosen = [-1 if way is None else way for way in listed(rules, "direction", given, 2)]
    if any(not is_whole(way) or way not in (-1, 0, 1) for way in chosen):
        raise ValueError(
            f"{rules.name}: direction must be 0 (counter-clockwise), 1 (clockwise) or None (not yet chosen) for each "
            f"player, not {shown(given)}"
        )
    if rules.direction is Direction.CHOSEN_ONCE and chosen[0] != chosen[1]:
        raise ValueError(f"{rules.name}: one direction is chosen for both players; not {shown(given)}")
    return chosen


def read_field(rules: Ruleset, name: str, value: str, text: str) -> Any:
    """What a field says in a line of text. Raises ValueError if that cannot be read."""
    if name == "owner" or (name == "first" and len(value) == 1):
        owners = [OWNERS.find(player) for player in value]
        if min(owners) >= 0:
            return owners if name == "owner" else owners[0]
        raise _unreadable(name, value, text, f"it is written with {' and '.join(OWNERS)}")
    if name == "marks":
        marks = [".SN".find(player) - 1 for player in value]
        if min(marks) >= -1:
            return marks
        raise _unreadable(name, value, text, "it is written with S, N and, for no mark, a dot")
    if name == "direction":
        ways = [DIRECTIONS.find(way) - 1 for way in value]
        if min(ways) >= -1:
            return ways
        raise _unreadable(name, value, text, "it is written with +, - and, for not yet chosen, a dot")
    if name in ("memory", "closed"):
        memory = [".x".find(pit) for pit in value]
        if min(memory) >= 0:
            return memory
        what = "remembered" if name == "memory" else "closed"
        raise _unreadable(name, value, text, f"it is written with x for a pit that is {what}, else a dot")
    if name in ("reserve", "tally", "last"):
        if numbers := _HALVES.fullmatch(value):
            return [halved(int(2 * float(number))) for number in numbers.groups()]
        raise _unreadable(name, value, text, "it is two whole or half numbers, South's and North's, as in 24-23.5")
    if name == "pending":
        kind, *others = value.split("-")
        return (kind, *(read_whole(other, text, name) for other in others))
    if name == "stronghold":
        if value not in ("S", "N", "SN", "none"):
            raise _unreadable(name, value, text, "it is written as S, N, SN or none: who has kept it")
        return "S" in value, "N" in value
    if name in ("threat", "debt"):
        return read_whole(value, text, name)
    if name in ("over", "last_over"):
        return value
    if name in ("ply", "removed", "game"):
        return read_whole(value, text, name)
    fields = ", ".join(["ply", *kept_fields(rules), "over"])
    raise _unreadable(name, value, text, f"fields of {rules.name} are {fields}")


def read_whole(number: str, text: str, name: str = "") -> int:
    """A whole number of a line of text. Raises ValueError for anything else, and for more digits than any has."""
    if _WHOLE.fullmatch(number):
        return int(number)
    raise _unreadable(name, number, text, f"that is no whole number of at most {_DIGITS} digits")


def _unreadable(name: str, value: str, text: str, why: str) -> ValueError:
    said = f"{name}={value}" if name else value
    return ValueError(f"cannot read {said[:SHOWN]} in {shown(text)}: {why}")


def two_numbers(rules: Ruleset, what: str, given: Sequence[float]) -> list[float]:
    """One number for South and one for North, not checked further."""
    return listed(rules, what, given, 2)


def doubled_number(rules: Ruleset, number: Any, what: str, most: float | None = None) -> int:
    """Twice a number of whole or half seeds or points."""
    most = rules.total_seeds if most is None else most
    if not is_real(number) or not 0 <= number <= most or int(2 * number) != 2 * number:
        raise ValueError(f"{rules.name}: {what}; these are whole or half numbers from 0 to {most}")
    return int(2 * number)


def doubled_score(rules: Ruleset, number: Any, what: str) -> int:
    """Twice the score of a game, which is below 0 where a player owes more seeds than they have."""
    if not rules.refill_empty_side or not is_real(number):
        return doubled_number(rules, number, what)
    owed = rules.total_seeds
    return doubled_number(rules, number + owed, what, 3 * owed) - 2 * owed


def halved(doubled: int) -> float:
    """Half of it, an int if that is whole."""
    return doubled // 2 if doubled % 2 == 0 else doubled / 2


def seed_counts(rules: Ruleset, what: str, given: Sequence[int], number: int) -> list[int]:
    """``number`` seed counts, checked."""
    seeds = listed(rules, what, given, number)
    for count in seeds:
        if not is_whole(count) or not 0 <= count <= rules.total_seeds:
            raise ValueError(
                f"{rules.name}: {what} holds {shown(count)}; seeds are whole numbers from 0 to {rules.total_seeds}"
            )
    return seeds


def listed(rules: Ruleset, what: str, given: Any, number: int) -> list[Any]:
    """``number`` values, not checked further."""
    try:
        values = list(given)
    except TypeError:
        raise ValueError(f"{rules.name}: {what} must be {number} numbers, not {shown(given)}") from None
    if len(values) != number:
        raise ValueError(f"{rules.name}: {what} must be {number} numbers, not {len(values)}: {shown(given)}")
    return values
