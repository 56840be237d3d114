"""The board drawn in text."""

from collections.abc import Mapping

from mancala_env.checks import Positions
from mancala_env.ending import PLAYERS, number
from mancala_env.render.geometry import Place, places, seats
from mancala_env.render.shown import CLOSED, NOBODY, mark_words, read
from mancala_env.rules import MarkedPits, Ruleset

OWNERS = ("S", "N", "")  # after the count of a pit: whose it is; nobody comes last, at -1
MARKS = ("*", "°", "")  # whose mark lies on it


def board_text(rules: Ruleset, position: Positions, styles: Mapping[int, str] | None = None) -> str:
    """The board drawn in text, South below, and lines that say who is to move, why it is over, and what the game keeps.

    S or N after a count tells the owner where the board does not; a mark is * for South's and ° for North's, and x a
    closed pit. ``styles``: how a terminal shows some pits: what stands between ESC [ and m (ECMA-48, SGR)."""
    shown, where, n = read(rules, position), places(rules), rules.board.pits
    seeds = [number(count) for count in shown.seeds]
    seeds[:n] = [CLOSED if closed else count for count, closed in zip(seeds[:n], shown.closed, strict=True)]
    digits = max(map(len, (*seeds, *rules.board.names)))
    signs = [OWNERS[owner] + _sign(rules, mark) for owner, mark in zip(shown.owner, shown.marks, strict=True)]
    after = max(map(len, signs))
    cells = [f" {count:>{digits}}{sign:<{after}} " for count, sign in zip(seeds, [*signs, "", ""], strict=True)]
    names = [f" {name:>{digits}}{'':<{after}} " for name in rules.board.names]
    across = sorted(range(len(where)), key=lambda cell: where[cell].x)
    houses, stores = {*rules.board.houses}, {*range(n, len(where))}
    pits = [cell for cell in across if cell not in houses | stores]
    rows = [[pit for pit in pits if where[pit].y == y] for y in sorted({where[pit].y for pit in pits})]

    styled = [*cells]
    for pit, style in (styles or {}).items():
        styled[pit] = f"\x1b[{style}m{cells[pit]}\x1b[0m"
    inside, levels = _inside(rows, where, styled, names)
    middle, indent = len(inside) // 2, " " * (len(PLAYERS[0]) + 1)
    ends = [tuple(cells[cell] for cell in across if cell in group) for group in (houses, stores) if group]
    for end in ends:
        for k, line in enumerate(inside):  # counts stand in the middle line alone
            *firsts, last = end if k == middle else (" " * len(cell) for cell in end)
            inside[k] = f"{''.join(f'│{cell}' for cell in firsts)}{line}{last}│"
    left, right = _names_beside(rules, levels, middle)
    board = [f"{left.get(k, ''):<{len(indent)}}{line} {right.get(k, '')}" for k, line in enumerate(inside)]
    edge = ["─" * len(names[0])] * (len(rows[0]) + sum(map(len, ends)))
    lines = [f"{indent}┌{'┬'.join(edge)}┐", *board, f"{indent}└{'┴'.join(edge)}┘"]

    before = indent + " " * (sum(len(end[0]) + 1 for end in ends if len(end) > 1) + 1)
    above, below = (before + " ".join(names[pit] for pit in pits) for pits in (rows[0], rows[-1]))
    if where[rows[0][0]].label < 0:
        lines.insert(0, above)
    if where[rows[-1][0]].label > 0:
        lines.append(below)
    marks = (f"{_sign(rules, player)} {mark_words(rules, player)}" for player in sorted({*shown.marks} - {NOBODY}))
    lines += [line for line in (shown.turn, shown.detail, "; ".join(dict.fromkeys(marks))) if line]
    return "\n".join(line.rstrip() for line in lines)


def _inside(
    rows: list[list[int]], where: tuple[Place, ...], cells: list[str], names: list[str]
) -> tuple[list[str], list[int]]:
    """The lines within the board's edge, and in which of them each row stands; names between rows are on a beam."""
    rule = "─" * len(names[0])
    lines: list[str] = []
    levels = []
    for k, pits in enumerate(rows):
        named = [row for row, side in ((rows[k - 1], 1), (pits, -1)) if k and where[row[0]].label == side]
        if named:
            lines.append(f"├{'┴'.join([rule] * len(pits))}┤")
            lines += [f"│{' '.join(names[pit] for pit in row)}│" for row in named]
            lines.append(f"├{'┬'.join([rule] * len(pits))}┤")
        elif k:
            lines.append(f"├{'┼'.join([rule] * len(pits))}┤")
        levels.append(len(lines))
        lines.append(f"│{'│'.join(cells[pit] for pit in pits)}│")
    return lines, levels


def _names_beside(rules: Ruleset, levels: list[int], middle: int) -> tuple[dict[int, str], dict[int, str]]:
    """The players' names beside the board, by line: those at its left or above or below it, and those at its right."""
    left: dict[int, str] = {}
    right: dict[int, str] = {}
    for name, seat in zip(PLAYERS, seats(rules), strict=False):  # in a solitaire there is one
        half = levels[: len(levels) // 2] if seat.y < 0 else levels[len(levels) // 2 :]
        line = middle if seat.x else (half[0] + half[-1]) // 2
        (right if seat.x > 0 else left)[line] = name
    return left, right


def _sign(rules: Ruleset, mark: int) -> str:
    return MARKS[0 if mark != NOBODY and rules.marked_pits is MarkedPits.TAKEN else mark]
