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
    shown, names, where = read(rules, row), letters(rules), places(rules)
    pits = range(rules.board.pits)
    rows = [sorted((where[pit].x, pit) for pit in pits if where[pit].y == y) for y in sorted({where[p].y for p in pits})]
    width = max(len(str(count)) for count in shown.seeds)
    south, north = shown.seeds[-2:]

    lines = []
    for k, pits_of_row in enumerate(rows):
        if k > 0:
            lines.append(("├", ["─" * width] * len(pits_of_row), "┼", "┤"))
        lines.append(("│", [f"{shown.seeds[pit]:>{width}}" for _, pit in pits_of_row], "│", "│"))
    edge = ["─" * width] * (len(rows[0]) + 2)
    indent = " " * (len(PLAYERS[1]) + 1)
    gap = f"{indent}  {'':{width}} "  # up to the left edge of the first pit

    drawn = [f"{gap}  {'   '.join(f'{names[pit]:>{width}}' for _, pit in rows[0])}"]
    drawn.append(f"{indent}┌─{'─┬─'.join(edge)}─┐")
    for k, (left, cells, between, right) in enumerate(lines):
        middle = k == len(lines) // 2
        inside = f"{left}{_spaced(cells, between)}{right}"
        if middle:
            drawn.append(f"{PLAYERS[1]} │ {north:>{width}} {inside} {south:>{width}} │ {PLAYERS[0]}")
        else:
            drawn.append(f"{indent}│ {'':{width}} {inside} {'':{width}} │")
    drawn.append(f"{indent}└─{'─┴─'.join(edge)}─┘")
    drawn.append(f"{gap}  {'   '.join(f'{names[pit]:>{width}}' for _, pit in rows[-1])}")
    drawn.append(shown.turn)
    return "\n".join(drawn)


def _spaced(cells: list[str], between: str) -> str:
    pad = "─" if between == "┼" else " "
    return f"{pad}{f'{pad}{between}{pad}'.join(cells)}{pad}"
