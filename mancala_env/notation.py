"""Positions and moves as people give and read them: from arguments and text to arrays and actions, and back.

A position as text: the name of the game, the seeds in pits and stores, the mover (S or N), NAME=VALUE for what is not
as at the start (``checks.FIELDS``); then maybe ``moves`` and the moves played since."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mancala_env import checks
from mancala_env.checks import DIRECTIONS, OWNERS, SHOWN, Field, Positions, is_real, is_whole, kept_fields, shown
from mancala_env.kernels import layout
from mancala_env.rules import Goal, MarkedPits, Match, Ruleset, Sowing

_COMMON = Field("")  # pits, stores, mover and ply
_ENDS = ("", *(layout.TERMINATIONS[end] for end in layout.ENDS_OF_GAMES))
_DECISIONS = {layout.PICK: "pick", layout.GO_ON: "go_on", layout.CHOOSE_DIRECTION: "direction"}
_DIGITS = 9  # of a number in a line of text
_WHOLE = re.compile(f"-?[0-9]{{1,{_DIGITS}}}")
_HALVES = re.compile("{0}-{0}".format(f"(-?[0-9]{{1,{_DIGITS}}}(?:[.][05])?)"))  # two numbers
_TEXT = re.compile(
    r"(?P<name>\w+) (?P<seeds>[0-9]+(?:-[0-9]+)*)-(?P<mover>[SN])(?P<more>(?: \w+=\S+)*)(?: moves(?P<moves>(?: \S+)*))?"
)


class GameResult(NamedTuple):
    """A finished game of a match."""

    scores: tuple[float, float] | None  # final ones of South and of North; None where it is not about seeds
    winner: int | None  # 0, 1, or None for a draw
    termination: str  # why it ended


class Pending(NamedTuple):
    """A decision that is due: ``State.pending``. The kind is "pick": which pit of the opponent to capture; "go_on":
    whether to go on from the pit where a lap ended; "direction": which way to sow seeds of a pit."""

    kind: str
    number: int  # the picks that are left, this one included; or that pit
    more: int = 0  # of "go_on" the way the turn would go on, 0 counter-clockwise, 1 clockwise; of "direction" the seeds

    def words(self, rules: Ruleset) -> str:
        """What the mover is to do, as it follows on "to": "pick 2 more pits of the opponent"."""
        if self.kind == "pick":
            return f"pick {self.number} more pit{'' if self.number == 1 else 's'} of the opponent"
        pit = rules.board.names[self.number]
        if self.kind == "go_on":
            return f"go on from {pit}, or stop"
        return f"choose the direction in which to go on from {pit}"


def pending_in(rules: Ruleset, array: Positions) -> Pending | None:
    """What is to be decided in a position, int16[W]; None if nothing is."""
    at = rules.fields.get("pending")
    if at is None or array[at + layout.DECISION] == layout.NOTHING_DUE:
        return None
    kind, number, pit = (int(array[at + field]) for field in (layout.DECISION, layout.LEFT, layout.AT))
    return Pending("pick", number) if kind == layout.PICK else Pending(_DECISIONS[kind], pit, number)


def game_result(rules: Ruleset, south: int, north: int, over: int) -> GameResult:
    """A finished game, from its doubled scores and the number of its termination."""
    scores = (halved(south), halved(north)) if rules.goal is Goal.SEEDS else None
    return GameResult(scores, None if south == north else int(north > south), layout.TERMINATIONS[over])


def games_done(rules: Ruleset, array: Positions) -> int:
    """How many games of a match have ended; 0 in other games."""
    if (at := rules.fields.get("match")) is None:
        return 0
    return int(array[at + layout.GAME]) - (array[rules.board.pits + layout.OVER] == 0)


def logged(result: GameResult) -> tuple[int, int, int]:
    """What ``game_result`` makes the result of: doubled scores (where there are none, their order), and the reason."""
    south, north = result.scores or {0: (1, 0), 1: (0, 1), None: (0, 0)}[result.winner]
    return round(2 * south), round(2 * north), layout.TERMINATIONS.index(result.termination)


def position_array(
    rules: Ruleset, pits: Any, stores: Any, player: Any, ply: Any, further: Mapping[str, Any], over: int = 0
) -> Positions:
    """int16[W]: a position (``kernels.layout``) as ``Ruleset.position`` takes it; fields not given are as at the start.
    ``over``: why it is over, an index into ``layout.TERMINATIONS``. Raises ValueError if there is no such position."""
    n, kept, given = rules.board.pits, kept_fields(rules), dict(further)
    if rules.mark_name in given and "marks" not in given:
        given["marks"] = given.pop(rules.mark_name)
    if strange := [name for name in given if name not in kept]:
        known = ", ".join(["pits", "stores", "player", "ply", *kept])
        raise ValueError(f"{rules.name}: a position has no field {shown(strange[0])}; it has {known}")
    array = np.zeros(rules.fields["width"], dtype=np.int16)
    array[n + layout.OVER] = over
    _write(rules, array, 0, [*listed(rules, "pits", pits, n), *listed(rules, "stores", stores, 2), player, ply])
    for name, field in kept.items():
        at, size = rules.fields[field.part] + field.at, field.size or n
        if given.get(name) is None and (name not in given or name == "pending"):
            array[at : at + size] = _usual(rules, array, name, size)
        elif name == "pending":
            array[at : at + size] = _due(rules, given[name])
        else:
            values = [given[name]] if size == 1 else listed(rules, name, given[name], size)
            _write(rules, array, at, values, field)
    if (pit := rules.stronghold) is not None:
        at = rules.fields["stronghold"]
        array[at : at + 2] &= array[[pit, n // 2 + pit]] > 0
    if "pending" in kept and not checks.may_be_due(rules, array[None]).all():
        raise _cannot_be_due(rules, given["pending"])
    if (total := int(array[rules.ranges.counted].sum())) > rules.total_seeds:
        raise ValueError(f"{rules.name}: {total} seeds are more than the {rules.total_seeds} the game is played with")
    checks.refuse_misfits(rules, array[None])
    return array


def _write(rules: Ruleset, array: Positions, at: int, values: Sequence[Any], field: Field = _COMMON) -> None:
    """Write numbers from index ``at`` on, each of which must be in the range of its field."""
    low, high = rules.ranges.low, rules.ranges.high
    for index, value in enumerate(values, at):
        number = low[index] if value is None and field.optional else _stored(value, field)
        if number is None and field.ends:
            raise ValueError(f"{rules.name}: no single game ends by {shown(value)}")
        if number is None or not low[index] <= number <= high[index]:
            least, most = (halved(int(bound[index])) if field.scale > 1 else bound[index] for bound in (low, high))
            few = {0: f"{least}", 1: f"{least} or {most}"} if field.scale == 1 else {}
            kind = "whole or half" if field.scale > 1 else "whole"
            asked = few.get(int(most - least), f"a {kind} number from {least} to {most}")
            what = checks.name_of(rules, index).replace("the mover", "player")
            raise ValueError(f"{rules.name}: {what} must be {asked}, not {shown(value)}")
        array[index] = number


def _stored(value: Any, field: Field) -> int | None:
    """A value of a field as positions store it, in its range or not; None if they cannot store it."""
    if field.ends:
        return layout.TERMINATIONS.index(value) if value in _ENDS else None
    if is_whole(value) or (field.is_flag and isinstance(value, (bool, np.bool_))):
        return int(value) * field.scale + field.shift
    fits = field.scale > 1 and is_real(value) and abs(value) < 10**_DIGITS
    return int(field.scale * value) if fits and int(field.scale * value) == field.scale * value else None


def _due(rules: Ruleset, given: Any) -> list[int]:
    """What is to be decided, as positions store it; whether it can be due there is not checked."""
    kind, *numbers = given if isinstance(given, tuple | list) and given else (None,)
    pit, number = [0, *numbers[:1]] if kind == "pick" and numbers else numbers if len(numbers) == 2 else (None, None)
    code = next((code for code, name in _DECISIONS.items() if isinstance(kind, str) and name == kind), None)
    found: list[Any] = [code, number, pit]
    at = rules.fields["pending"]
    for value, least, most in zip(found, rules.ranges.low[at:], rules.ranges.high[at:], strict=False):
        if not is_whole(value) or not least <= value <= most:
            raise _cannot_be_due(rules, given)
    return found


def _cannot_be_due(rules: Ruleset, given: Any) -> ValueError:
    return ValueError(
        f"{rules.name}: pending is ('pick', number of pits), ('go_on', pit, direction) or "
        f"('direction', pit, seeds), where that can have to be decided; not {shown(given)}"
    )


def _at_start(rules: Ruleset, name: str, size: int) -> list[int]:
    """The numbers of a field that a line of text leaves out."""
    of_each = {"marks": -1, "direction": -1, "stronghold": 1, "game": 1, "reserve": rules.reserve}
    return list(rules.board.owner) if name == "owner" else [of_each.get(name, 0)] * size


def _usual(rules: Ruleset, array: Positions, name: str, size: int) -> list[int]:
    n, at = rules.board.pits, rules.fields
    if name == "marks" and rules.marked_pits is MarkedPits.TAKEN:  # still there where no seed was lost
        laid = rules.start_pits
        pits = array[:n].tolist()
        return [mark if has >= had else -1 for mark, has, had in zip(rules.setup_marks, pits, laid, strict=True)]
    if name == "tally" and rules.match is Match.TERRITORY:
        south = int((array[at["owner"] : at["owner"] + n] == 0).sum())
        return [south, n - south]
    if name == "first":  # who would have begun, as far as it can be known
        if rules.first_mover == "south":
            return [0]
        if rules.first_mover == "alternate":
            return [1 - int(array[at["match"] + layout.GAME]) % 2]
        return [0 if array[n + layout.PLY] else int(array[n + layout.MOVER])]
    return _at_start(rules, name, size)


def written_fields(rules: Ruleset, array: Positions) -> Iterator[tuple[str, str]]:
    """The name and the text of each field that is not as at the start."""
    n = rules.board.pits
    for name, field in kept_fields(rules).items():
        at, size = rules.fields[field.part] + field.at, field.size or n
        numbers = array[at : at + size].tolist()
        always = name == "marks" and rules.marked_pits is MarkedPits.TAKEN
        is_known = name == "tally" and rules.match is Match.TERRITORY and not array[n + layout.OVER]
        if is_known or (numbers == _at_start(rules, name, size) and not always):
            continue
        if name == "pending":
            if (due := pending_in(rules, array)) is not None:
                yield name, f"{due.kind}-{due.number}" + ("" if due.kind == "pick" else f"-{due.more}")
        elif field.ends:
            yield name, layout.TERMINATIONS[numbers[0]]
        elif field.signs:
            yield name, "".join(field.signs[number - field.least] for number in numbers)
        else:
            numbers = [number - field.shift for number in numbers]
            yield name, "-".join(str(halved(number) if field.scale > 1 else number) for number in numbers)


def read_field(rules: Ruleset, name: str, value: str, text: str) -> Any:
    """What a field says in a line of text. Raises ValueError if that cannot be read."""
    if name in ("over", "last_over"):
        return value
    if name == "ply":
        return read_whole(value, text, name)
    kept = kept_fields(rules)
    if name not in kept:
        raise _unreadable(name, value, text, f"fields of {rules.name} are {', '.join(['ply', *kept, 'over'])}")
    field = kept[name]
    if name == "pending":
        kind, *others = value.split("-")
        return (kind, *(read_whole(other, text, name) for other in others))
    if field.signs:
        numbers = [field.signs.find(sign) + field.least for sign in value]
        if min(numbers) < field.least or (field.size == 1 and len(numbers) > 1):
            raise _unreadable(name, value, text, f"it is written with {' and '.join(field.signs)}")
        return numbers[0] if field.size == 1 else numbers
    if field.size == 1:
        return read_whole(value, text, name)
    if found := _HALVES.fullmatch(value):
        return [halved(int(2 * float(number))) for number in found.groups()]
    raise _unreadable(name, value, text, "it is two whole or half numbers, South's and North's, as in 24-23.5")


def read_whole(number: str, text: str, name: str = "") -> int:
    """A whole number of a line of text. Raises ValueError for anything else, and for more digits than any has."""
    if _WHOLE.fullmatch(number):
        return int(number)
    raise _unreadable(name, number, text, f"that is no whole number of at most {_DIGITS} digits")


def _unreadable(name: str, value: str, text: str, why: str) -> ValueError:
    said = f"{name}={value}" if name else value
    return ValueError(f"cannot read {said[:SHOWN]} in {shown(text)}: {why}")


def halved(doubled: int) -> float:
    """Half of it, an int if that is whole."""
    return doubled // 2 if doubled % 2 == 0 else doubled / 2


def listed(rules: Ruleset, what: str, given: Any, number: int) -> list[Any]:
    """``number`` values, not checked further."""
    try:
        values = list(given)
    except TypeError:
        values = None
    if values is None or len(values) != number:
        count = "" if values is None else f"{len(values)}: "
        raise ValueError(f"{rules.name}: {what} must be {number} numbers, not {count}{shown(given)}")
    return values


def move_name(rules: Ruleset, player: int, action: int) -> str:
    """An action of a player as people write it: ``State.name``."""
    pit = rules.pit(player, action)
    if pit is None:
        return "stop" if rules.may_stop and action == rules.num_sowings + rules.board.pits else "pass"
    if rules.sowing is Sowing.PILES:
        return "step"
    name = rules.board.names[pit]
    if action >= rules.num_sowings and pit in rules.board.homes[player]:
        return f"{name}>"  # the turn goes on from there
    if rules.offers_directions and action < rules.num_sowings:
        return name + DIRECTIONS[1 + (rules.direction_of(player, action) or 0)]
    return name


def written(rules: Ruleset, array: Positions) -> str:
    """A position, int16[W] (``kernels.layout``), as one line that ``read`` reads."""
    n = rules.board.pits
    text = f"{rules.name} {'-'.join(map(str, array[: n + 2].tolist()))}-{OWNERS[array[n + layout.MOVER]]}"
    if array[n + layout.PLY]:
        text += f" ply={array[n + layout.PLY]}"
    for name, value in written_fields(rules, array):
        text += f" {name}={value}"
    over = layout.TERMINATIONS[array[n + layout.OVER]]
    return f"{text} over={over}" if over else text


class Said(NamedTuple):
    """What a line says of a position."""

    seeds: list[int]  # in all pits and both stores
    mover: int
    ply: int
    more: dict[str, Any]  # other fields by their names, as ``Ruleset.position`` takes them
    over: str | None  # why it is over; None if it does not say so
    moves: tuple[str, ...]  # those played since
    text: str  # the line without the moves


def read(rules: Ruleset, text: str) -> Said:
    """Read a line, as far as that is possible without playing its moves. Raises ValueError if it cannot be read."""
    found = _TEXT.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        form = f"{rules.name} {'-'.join(['4'] * rules.board.pits)}-0-0-S ply=7"
        raise ValueError(
            f"cannot read {shown(text)} as a position; it should look like {form!r}{_missing(rules, text)}"
        )
    if found["name"] != rules.name:
        raise ValueError(f"{shown(text)} is a position of {shown(found['name'])}, not of {rules.name!r}")
    numbers = found["seeds"].split("-")
    if len(numbers) != rules.board.pits + 2:
        raise ValueError(
            f"{shown(text)} has {len(numbers)} numbers; {rules.name} has {rules.board.pits} pits and 2 stores, "
            "whose seeds are written before the mover, those of empty ones as 0"
        )
    seeds = [read_whole(number, text) for number in numbers]
    more: dict[str, Any] = {}
    for part in found["more"].split():
        name, _, value = part.partition("=")
        if name in more:
            raise ValueError(f"{shown(text)} gives {name} twice")
        more[name] = read_field(rules, name, value, text)
    over = more.pop("over", None)
    if rules.match is not Match.NONE:
        more.setdefault("first", 0)
    moves, line = tuple((found["moves"] or "").split()), text.strip().partition(" moves")[0]
    return Said(seeds, OWNERS.index(found["mover"]), more.pop("ply", 0), more, over, moves, line)


def _missing(rules: Ruleset, text: object) -> str:
    words = text.split() if isinstance(text, str) else []
    if not words:
        return ""
    if words[0][0].isdigit():
        return f": the name of the game is missing before the seeds; write {rules.name!r} and a space"
    if len(words) == 1 or not words[1][0].isdigit():
        return ": the seeds of pits and stores are missing after the name of the game"
    if re.fullmatch(r"[0-9]+(-[0-9]+)*-?", words[1], re.ASCII):
        return ": who is to move is missing after the seeds; write -S for South or -N for North"
    strange = [word for word in words[2:] if not re.fullmatch(r"\w+=\S+", word)]
    if strange and re.fullmatch(r"[0-9]+(-[0-9]+)*-[SN]", words[1]):
        return f": {shown(strange[0])} is no NAME=VALUE; moves come after the word moves"
    return ""
