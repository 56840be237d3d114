"""What every picture shows: where the holes of a board lie, what they are called, and what a row says of them."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.ending import PLAYERS, counted, standing, swept, why
from mancala_env.kernels import layout
from mancala_env.rules import Ruleset

NOBODY = -1

PIT = 0.84  # across
ROW_GAP = 1.04  # between the middles of two rows
BEAM = 2.4  # the same, where the names and counts of both rows stand between them
STORE_GAP = 1.06  # between the middles of a store and of the pit beside it
NAME = 0.6  # from the edge of a hole to the middle of its name
RIBBON = (0.92, 0.27)  # the size of a player's name, with the ribbon under it
SEAT_GAP = 0.42  # from the names of pits to the name of a player below them, middle to middle


class Place(NamedTuple):
    """Where a hole lies, as South sees the board. The unit is the distance between neighbours in a row."""

    x: float  # of the middle, to the right of the board's middle
    y: float  # of the middle, below the board's middle
    width: float
    height: float
    label: int  # its count is written below it (1) or above it (-1)


class Shown(NamedTuple):
    """A row, read."""

    seeds: tuple[float, ...]  # in each hole, at the end as ``ending.swept`` has them: pits, South's store, North's
    player: int  # the mover
    why: str  # why the game is over, in words; "" while it runs
    owner: tuple[int, ...]  # of each pit, where the board does not tell; -1 where it does, or nobody owns it
    marks: tuple[int, ...]  # whose mark lies on each pit; -1: none
    detail: str  # where a match stands, what has left the board; "" where there is nothing to tell

    @property
    def turn(self) -> str:
        """Who is to move, or why nobody is."""
        return f"Over: {self.why}" if self.why else f"{PLAYERS[self.player]} to move"


def places(rules: Ruleset) -> tuple[Place, ...]:
    """Where each hole lies: the pits in canonical order, then South's store and North's store where there are stores.

    Every picture is drawn from this, ``seats`` and ``read``, so a board of another shape needs its holes placed here
    and nothing else.
    """
    board = rules.board
    lines = max(1, board.rows // 2)  # of pits on each side; on a board of one row all are South's
    pits = []
    for pit in range(board.pits):
        line, column = divmod(pit % (lines * board.columns), board.columns)
        side = 1 if pit < lines * board.columns else -1
        x = column - (board.columns - 1) / 2
        inwards = lines - 1 - line  # lines between this one and the board's middle
        y = (BEAM if lines > 1 else ROW_GAP) / 2 + inwards * ROW_GAP if board.rows > 1 else 0.0
        back = -1 if line % 2 else 1  # every other line runs back
        pits.append(Place(side * back * x, side * y, PIT, PIT, side * back))
    if not rules.has_stores:
        return tuple(pits)
    x = (board.columns - 1) / 2 + STORE_GAP
    height = 2 * max(place.y for place in pits) + PIT
    return (*pits, Place(x, 0, PIT, height, 1), Place(-x, 0, PIT, height, -1))


def seats(rules: Ruleset) -> tuple[Place, ...]:
    """Where the names of South and North are written: at their stores, else beside the middle of what they own.

    Where nobody owns a pit, each sits beside the pit that he counts from.
    """
    where, n = places(rules), rules.board.pits
    if rules.has_stores:
        return tuple(Place(x, label * (height / 2 + NAME), *RIBBON, 0) for x, _, _, height, label in where[n:])
    right, bottom = (max(place[axis] for place in where) for axis in (0, 1))
    found = []
    for player, home in enumerate(rules.board.homes):
        own = [pit for pit, owner in enumerate(rules.board.owner) if owner == player] or [home[0]]
        x, y = (sum(where[pit][axis] for pit in own) for axis in (0, 1))
        if abs(x) > abs(y):
            found.append(Place(np.sign(x).item() * (right + STORE_GAP), 0.0, *RIBBON, 0))
        else:
            found.append(Place(0.0, np.sign(y).item() * (bottom + PIT / 2 + NAME + SEAT_GAP), *RIBBON, 0))
    return tuple(found)


def read(rules: Ruleset, row: npt.ArrayLike) -> Shown:
    """What a row says.

    Parameters
    ----------
    rules : the game
    row : int[rules.fields["width"]], a position as ``kernels.layout`` lays it out

    Raises
    ------
    ValueError
        If the row is no position of a board of this size.
    """
    fields = np.asarray(row)
    n, width = rules.board.pits, rules.fields["width"]
    if fields.shape != (width,) or not np.issubdtype(fields.dtype, np.integer):
        raise ValueError(
            f"{rules.name}: a position on {n} pits is a row of {width} whole numbers, "
            f"not {fields.dtype}{list(fields.shape)}"
        )
    numbers = fields.tolist()
    seeds, player, ended = numbers[: n + 2], numbers[n + layout.MOVER], numbers[n + layout.OVER]
    if (
        min(seeds) < 0
        or max(seeds) > np.iinfo(np.int16).max
        or player not in (0, 1)
        or not 0 <= ended < len(layout.TERMINATIONS)
    ):
        raise ValueError(f"{rules.name}: {numbers} is no position: seeds, mover or ending are out of range")
    nobodys = (NOBODY,) * n
    fixed = nobodys if rules.board.halves else rules.board.owner
    owner, marks = (_players(rules, numbers, name, usual) for name, usual in (("owner", fixed), ("marks", nobodys)))
    return Shown(swept(rules, numbers), player, why(rules, numbers), owner, marks, _detail(rules, numbers))


def _players(rules: Ruleset, numbers: list[int], name: str, usual: tuple[int, ...]) -> tuple[int, ...]:
    """A field of the row that names a player, or -1, for each pit; ``usual`` where the game has no such field."""
    if (at := rules.fields.get(name)) is None:
        return usual
    found = tuple(numbers[at : at + rules.board.pits])
    if not set(found) <= {NOBODY, 0, 1}:
        raise ValueError(f"{rules.name}: {numbers} is no position: {name} holds {list(found)}, not 0, 1 or -1 each")
    return found


def _detail(rules: Ruleset, numbers: list[int]) -> str:
    """Where a match stands and what has left the board, in a line."""
    told = []
    if (at := rules.fields.get("match")) is not None:
        told.append(f"Game {numbers[at + layout.GAME]}: {standing(rules, numbers)}")
    if (at := rules.fields.get("removed")) is not None:
        if numbers[at] < 0:
            raise ValueError(f"{rules.name}: {numbers} is no position: {numbers[at]} seeds are removed")
        told.append(f"{counted(numbers[at])} removed")
    return ", ".join(told)


def title(rules: Ruleset, shown: Shown, hole: int) -> str:
    """A hole in words: "South A: 4 seeds, marked, North's", "Pit A: 1 seed, South's", "South's store: 0 seeds"."""
    n, words = rules.board.pits, counted(shown.seeds[hole])
    if hole >= n:
        return f"{PLAYERS[hole - n]}'s store: {words}"
    side = PLAYERS[rules.board.owner[hole]] if rules.board.halves else "Pit"
    owner, mark = shown.owner[hole], shown.marks[hole]
    words += f", {PLAYERS[owner]}'s" if owner != NOBODY else ""
    words += f", {rules.mark_word}, {PLAYERS[mark]}'s" if mark != NOBODY else ""
    return f"{side} {rules.board.names[hole]}: {words}"
