"""What every picture shows: where the holes of a board lie, what they are called, and what a row says of them."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import layout
from mancala_env.rules import Ruleset

PLAYERS = ("South", "North")

PIT = 0.84  # across
ROW_GAP = 1.04  # between the middles of the two rows
STORE_GAP = 1.06  # between the middles of a store and of the pit beside it


class Place(NamedTuple):
    """Where a hole lies, as South sees the board. The unit is the distance between neighbours in a row."""

    x: float  # of the middle, to the right of the board's middle
    y: float  # of the middle, below the board's middle
    width: float
    height: float
    label: int  # its count is written below it (1) or above it (-1)


class Shown(NamedTuple):
    """A row, read."""

    seeds: tuple[int, ...]  # in each hole: the pits in canonical order, South's store, North's store
    player: int  # the mover
    ended: str  # why the game is over, one of ``layout.TERMINATIONS``; "" while it runs

    @property
    def turn(self) -> str:
        """Who is to move, or why nobody is."""
        return f"Over: {self.ended}" if self.ended else f"{PLAYERS[self.player]} to move"


def places(rules: Ruleset) -> tuple[Place, ...]:
    """Where each hole lies: the pits in canonical order, South's store, North's store.

    Every picture is drawn from this alone, so a board of another shape needs its holes placed here and nothing else.
    """
    columns = rules.board.columns
    pits = []
    for pit, owner in enumerate(rules.board.owner):
        side = 1 - 2 * owner
        x = pit % columns - (columns - 1) / 2
        pits.append(Place(side * x, side * ROW_GAP / 2, PIT, PIT, side))
    x = (columns - 1) / 2 + STORE_GAP
    return (*pits, Place(x, 0, PIT, ROW_GAP + PIT, 1), Place(-x, 0, PIT, ROW_GAP + PIT, -1))


def letters(rules: Ruleset) -> tuple[str, ...]:
    """What each pit is called, in canonical order: South's A, B, ..., North's a, b, ..., from the owner's left."""
    named = {}
    for player, home in enumerate(rules.board.homes):
        for k, pit in enumerate(home):
            named[pit] = chr(ord("Aa"[player]) + k)
    return tuple(named[pit] for pit in range(rules.board.pits))


def read(rules: Ruleset, row: npt.ArrayLike) -> Shown:
    """What a row says.

    Parameters
    ----------
    rules : the game
    row : int[N + layout.ROW_FIELDS], a position as ``kernels.layout`` lays it out

    Raises
    ------
    ValueError
        If the row is no position of a board of this size.
    """
    fields = np.asarray(row)
    n = rules.board.pits
    if fields.shape != (n + layout.ROW_FIELDS,) or not np.issubdtype(fields.dtype, np.integer):
        raise ValueError(
            f"{rules.name}: a position on {n} pits is a row of {n + layout.ROW_FIELDS} whole numbers, "
            f"not {fields.dtype}{list(fields.shape)}"
        )
    numbers = fields.tolist()
    seeds, player, ended = tuple(numbers[: n + 2]), numbers[n + layout.MOVER], numbers[n + layout.OVER]
    if min(seeds) < 0 or player not in (0, 1) or not 0 <= ended < len(layout.TERMINATIONS):
        raise ValueError(f"{rules.name}: {numbers} is no position: seeds, mover or ending are out of range")
    return Shown(seeds, player, layout.TERMINATIONS[ended])
