"""Positions and moves as text, there and back, for ``State``: the name of the game, the seeds in pits and stores, the
mover (S or N), NAME=VALUE for what is not as at the start; then maybe ``moves`` and the moves played since."""

import re
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.checks import DIRECTIONS, OWNERS, shown
from mancala_env.kernels import layout
from mancala_env.position_fields import read_field, read_whole, written_fields
from mancala_env.rules import Match, Ruleset, Sowing

Row = npt.NDArray[np.int16]
_TEXT = re.compile(
    r"(?P<name>\w+) (?P<seeds>[0-9]+(?:-[0-9]+)*)-(?P<mover>[SN])(?P<more>(?: \w+=\S+)*)(?: moves(?P<moves>(?: \S+)*))?"
)


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


def action_named(rules: Ruleset, player: int, text: str) -> int:
    """The action of a player that ``move_name`` writes as ``text``. Raises ValueError if there is none."""
    names = [move_name(rules, player, action) for action in range(rules.num_actions)]
    if text not in names:
        raise ValueError(f"{rules.name}: {shown(text)} is no move of player {player}; moves are {', '.join(names)}")
    return names.index(text)


def written(rules: Ruleset, array: Row) -> str:
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


def lacks_ending(text: str, reason: str) -> str:
    """What to say of a text of a finished position that does not say that it is over."""
    return (
        f"{shown(text)} should say over={reason}: the game is over there, and a finished position says why, at the end "
        f"of the line, or is written as one before it and the moves since, as to_line() does"
    )


def _missing(rules: Ruleset, text: object) -> str:
    """What a text that is no position lacks, as far as that can be seen."""
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
