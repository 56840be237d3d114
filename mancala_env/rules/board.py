"""What a board is: its pits, who owns them, which face each other, and the loop that each player sows along."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Board:
    """The geometry of a board, without stores. Pits are numbered 0..N-1 in canonical order.

    Build one with ``two_rows``. All tuples hold pit numbers unless said otherwise.
    """

    rows: int
    columns: int
    owner: tuple[int, ...]  # of each pit: 0 South, 1 North
    facing: tuple[int, ...]  # the pit across
    loops: tuple[tuple[int, ...], tuple[int, ...]]  # for each player, the pits in sowing order
    homes: tuple[tuple[int, ...], tuple[int, ...]]  # for each player, the pit of each action, from the own left

    @property
    def pits(self) -> int:
        """The number of pits."""
        return len(self.owner)

    def __str__(self) -> str:
        return f"{self.rows}x{self.columns}"


def two_rows(columns: int) -> Board:
    """Two rows of pits, sown counter-clockwise along one shared loop.

    For six columns, as South sees it::

        11 10  9  8  7  6      North
         0  1  2  3  4  5      South

    South's pits 0..5 and North's 6..11 run from their owner's left to right; pit i faces pit 11 - i.

    Parameters
    ----------
    columns : int
        Pits per row, 1 to 12.

    Raises
    ------
    ValueError
        If ``columns`` is not an int from 1 to 12.
    """
    whole = isinstance(columns, int | np.integer) and not isinstance(columns, bool)
    if not whole or not 1 <= columns <= 12:
        raise ValueError(f"pits per row must be a whole number from 1 to 12, not {columns!r}")
    columns = int(columns)
    pits = tuple(range(2 * columns))
    south, north = pits[:columns], pits[columns:]
    return Board(
        rows=2,
        columns=columns,
        owner=(0,) * columns + (1,) * columns,
        facing=pits[::-1],
        loops=(pits, pits),
        homes=(south, north),
    )
