"""The board drawn in text."""

import numpy.typing as npt

from mancala_env.render.holes import PLAYERS, letters, places, read
from mancala_env.rules import Ruleset


def board_text(rules: Ruleset, row: npt.ArrayLike) -> str:
    """The board drawn in text, South below, and a line that says who is to move or why the game is over.

    The stores stand at the ends, South's at its right, in a box as high as the board. No line ends in blanks, nor the
    text in a newline.

    Parameters
    ----------
    rules : the game
    row : int[N + layout.ROW_FIELDS], a position as ``kernels.layout`` lays it out

    Raises
    ------
    ValueError
        If the row is no position of a board of this size.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> kalah = mancala.ruleset("kalah", pits_per_row=3)
    >>> print(board_text(kalah, [4, 0, 5, 5, 5, 4, 1, 0, 1, 1, 1, 0]))
                c   b   a
          ┌───┬───┬───┬───┬───┐
          │   │ 4 │ 5 │ 5 │   │
    North │ 0 ├───┼───┼───┤ 1 │ South
          │   │ 4 │ 0 │ 5 │   │
          └───┴───┴───┴───┴───┘
                A   B   C
    North to move
    """
    shown, where = read(rules, row), places(rules)[: rules.board.pits]
    width = max(len(str(count)) for count in shown.seeds)
    *pits, south, north = (f" {count:>{width}} " for count in shown.seeds)
    names = [f" {letter:>{width}} " for letter in letters(rules)]
    levels = sorted({place.y for place in where})
    rows = [
        sorted((pit for pit, place in enumerate(where) if place.y == y), key=lambda pit: where[pit].x) for y in levels
    ]

    inside: list[str] = []
    for row_of_pits in rows:
        inside += [f"├{'┼'.join(['─' * (width + 2)] * len(row_of_pits))}┤"] if inside else []
        inside += [f"│{'│'.join(pits[pit] for pit in row_of_pits)}│"]
    middle, before = len(inside) // 2, " " * len(PLAYERS[1])
    empty, edge = " " * (width + 2), ["─" * (width + 2)] * (len(rows[0]) + 2)
    lines = [
        f"{before}  {empty} {' '.join(names[pit] for pit in rows[0])}",
        f"{before} ┌{'┬'.join(edge)}┐",
        *(f"{before} │{empty}{line}{empty}│" for line in inside),
        f"{before} └{'┴'.join(edge)}┘",
        f"{before}  {empty} {' '.join(names[pit] for pit in rows[-1])}",
        shown.turn,
    ]
    lines[2 + middle] = f"{PLAYERS[1]} │{north}{inside[middle]}{south}│ {PLAYERS[0]}"
    return "\n".join(line.rstrip() for line in lines)
