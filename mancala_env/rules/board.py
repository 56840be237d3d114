"""What a board is: its pits, who owns them, which face each other, and the loop that each player sows along. Functions
build the kinds of boards (``BOARDS``) of an int of pits per row, and raise ValueError where there is none."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from mancala_env.rules.declared import is_number

MAX_COLUMNS = {2: 50, 3: 32, 4: 25}  # pits per row, by rows: a board has at most 100 pits
NOBODY = -1


@dataclass(frozen=True)
class Board:
    """The geometry of a board, without stores. Pits are numbered 0..N-1 in canonical order. Build one with a function
    of this file: a ``Ruleset`` refuses any other. All tuples hold pit numbers unless said otherwise."""

    kind: str  # a key of ``BOARDS``
    rows: int
    columns: int
    owner: tuple[int, ...]  # of each pit: 0 South, 1 North, -1 nobody
    facing: tuple[int, ...]  # the pit across; itself where there is none
    outer: tuple[int, ...]  # the opponent's outer pit beyond that one; itself where there is none
    loops: tuple[tuple[int, ...], tuple[int, ...]]  # for each player, the pits in sowing order
    homes: tuple[tuple[int, ...], tuple[int, ...]]  # for each player, the pit of each action, from the player's left

    @property
    def pits(self) -> int:
        """The number of pits."""
        return len(self.owner)

    @property
    def players(self) -> int:
        """How many play on it: one where every pit is South's, else two."""
        return 2 if any(self.owner) else 1

    @property
    def halves(self) -> bool:
        """Does each player own exactly the pits that they play, South's being numbered first?"""
        half = self.pits // 2
        pits = tuple(range(self.pits))
        return self.owner == (0,) * half + (1,) * half and self.homes == (pits[:half], pits[half:])

    @property
    def nobodys(self) -> tuple[int, ...]:
        """The pits that belong to nobody on a board of which the players own the others."""
        found = tuple(pit for pit, owner in enumerate(self.owner) if owner == NOBODY)
        return found if len(found) < self.pits else ()

    @property
    def houses(self) -> tuple[int, ...]:
        """Pits of nobody at the ends of the board."""
        return self.nobodys if self.kind == "rows_and_houses" else ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What people call each pit: A, B, ... in South's half and a, b, ... in North's, from the owner's left, AA
        after Z; on a board of one row, its number."""
        if self.rows == 1:
            return tuple(map(str, range(self.pits)))
        letters = [chr(ord("A") + place) for place in range(26)]
        south = [*letters, *(first + second for first in letters for second in letters)][: self.pits // 2]
        return (*south, *(name.lower() for name in south))

    def resized(self, columns: int) -> "Board":
        """A board of this kind with ``columns`` pits per row. Raises ValueError if there is none."""
        return BOARDS[self.kind](columns)

    def __str__(self) -> str:
        return f"{self.rows}x{self.columns}"


def two_rows(columns: int) -> Board:
    """Two rows of pits, sown counter-clockwise along one shared loop.

    For six columns, as South sees it::

        11 10  9  8  7  6      North
         0  1  2  3  4  5      South

    South's pits 0..5 and North's 6..11 run from their owner's left to right; pit i faces pit 11 - i.
    """
    columns = _checked(columns, 1, MAX_COLUMNS[2])
    pits, owner = tuple(range(2 * columns)), (0,) * columns + (1,) * columns
    return Board("two_rows", 2, columns, owner, pits[::-1], pits, (pits, pits), (pits[:columns], pits[columns:]))


def arcs(columns: int) -> Board:
    """``two_rows`` on which pits change hands: each player has an action for every pit, the k-th from the player's
    left, and owns some of them; ``owner`` is the owner of each pit at the start."""
    board = two_rows(columns)
    pits, half = tuple(range(board.pits)), board.columns
    return replace(board, kind="arcs", homes=(pits, pits[half:] + pits[:half]))


def halves(columns: int) -> Board:
    """``two_rows`` of which both players play every pit, and each owns the half at their left."""
    columns = _checked(
        columns, 2, MAX_COLUMNS[2], "even", "each player owns half of a row (with blocks='rows' a whole one)"
    )
    board, left = arcs(columns), columns // 2
    owner = tuple(0 if pit < left or pit >= board.pits - left else 1 for pit in range(board.pits))
    return replace(board, kind="halves", owner=owner)


def blocks_in_rows(columns: int) -> Board:
    """``two_rows`` of which both players play every pit, and each owns one row."""
    return replace(arcs(columns), kind="blocks_in_rows")


def four_rows(columns: int) -> Board:
    """Two rows for each player, who sows along a loop of these: the outer row left to right, the inner row back.

    For eight columns, as South sees it::

        23 22 21 20 19 18 17 16      North, outer
        24 25 26 27 28 29 30 31      North, inner
        15 14 13 12 11 10  9  8      South, inner
         0  1  2  3  4  5  6  7      South, outer

    Inner pits face inner pits (i faces 39 - i); beyond a faced pit lies the opponent's outer pit of that column.
    """
    columns = _checked(columns, 1, MAX_COLUMNS[4])
    half = 2 * columns
    south, north = tuple(range(half)), tuple(range(half, 2 * half))
    facing, outer = [*south, *north], [*south, *north]
    for left, right in enumerate(reversed(range(columns))):  # the place of a column from South's left, and from North's
        inner, across = south[half - 1 - left], north[half - 1 - right]
        facing[inner], facing[across], outer[inner], outer[across] = across, inner, north[right], south[left]
    owner = (0,) * half + (1,) * half
    return Board("four_rows", 4, columns, owner, tuple(facing), tuple(outer), (south, north), homes=(south, north))


def crossed_rows(columns: int) -> Board:
    """``two_rows`` of which each player owns the nearer row, and plays the pits of the other one."""
    board = two_rows(columns)
    return replace(board, kind="crossed_rows", homes=board.homes[::-1])


def open_rows(columns: int) -> Board:
    """``two_rows`` that belong to nobody; both players play every pit, and count them from their own left."""
    board = arcs(columns)
    return replace(board, kind="open_rows", owner=(NOBODY,) * board.pits)


def side_blocks(columns: int) -> Board:
    """``two_rows`` of which each player owns and plays the pits at their left in both rows; the two in the middle
    belong to nobody. For seven columns South owns pits 11, 12, 13, 0, 1 and 2, and counts them in this order; North
    owns 4 to 9."""
    columns = _checked(columns, 3, MAX_COLUMNS[2] - 1, "odd", "two pits in the middle belong to nobody")
    board, block = two_rows(columns), columns // 2
    home = tuple((pit - block) % board.pits for pit in range(2 * block))
    other = tuple((pit + columns) % board.pits for pit in home)
    owner = tuple(0 if pit in home else 1 if pit in other else NOBODY for pit in range(board.pits))
    return replace(board, kind="side_blocks", owner=owner, homes=(home, other))


def rows_and_houses(columns: int) -> Board:
    """``two_rows`` with a house at either end, a pit that belongs to nobody and lies on the loop of both players.

    For five columns, as South sees it::

           10  9  8  7  6       North
        11                 5    the houses
            0  1  2  3  4       South

    Pit i faces pit 10 - i; the houses face nothing, and are no pits of a row.
    """
    columns = _checked(columns, 1, MAX_COLUMNS[2] - 1)
    half = columns + 1
    pits = tuple(range(2 * half))
    owner = (0,) * columns + (NOBODY,) + (1,) * columns + (NOBODY,)
    facing = tuple(pit if pit % half == columns else 2 * columns - pit for pit in pits)
    homes = pits[:columns], pits[half : half + columns]
    return Board("rows_and_houses", 2, columns, owner, facing, pits, (pits, pits), homes)


def three_rows_horn(columns: int) -> Board:
    """Three rows: each player owns the outer row nearest to them and the right half of the row in the middle, and sows
    along one loop that both share: South's outer row left to right, South's half of the middle row back, and North's
    pits in the same way.

    For six columns, as South sees it::

        14 13 12 11 10  9      North
        15 16 17  8  7  6      the middle row, North's half and South's
         0  1  2  3  4  5      South

    A pit faces the nearest pits of the opponent in its column; the outer pits before the opponent's half face two,
    of which the one of the middle row is nearer, and the other one lies behind it.
    """
    columns = _checked(columns, 2, MAX_COLUMNS[3], "even", "the players share the middle row")
    half = columns + columns // 2
    south, north = tuple(range(half)), tuple(range(half, 2 * half))
    middle = (*north[columns:], *reversed(south[columns:]))  # from South's left
    facing, outer = [0] * (2 * half), [*south, *north]
    for left, pit in enumerate(middle):
        right = north[columns - 1 - left]
        own, other = (left, right) if pit < half else (right, left)  # the outer pits of its owner, and of the other
        facing[pit], facing[own], facing[other], outer[other] = other, other, pit, own
    ring, owner, homes = (*south, *north), (0,) * half + (1,) * half, (south, north)
    return Board("three_rows_horn", 3, columns, owner, tuple(facing), tuple(outer), (ring, ring), homes)


def three_rows_snake(columns: int) -> Board:
    """The board of ``three_rows_horn``, on which each player sows the own outer row from left to right, then the whole
    middle row back, and then the opponent's outer row from left to right, and begins again on the left."""
    board = three_rows_horn(columns)
    south, north = board.homes
    return replace(board, kind="three_rows_snake", loops=((*south, *north[::-1]), (*north, *south[::-1])))


def one_row(columns: int) -> Board:
    """One row of 2 to 40 pits that belong to nobody; South counts them from the left, North from the right."""
    return _single_row("one_row", _checked(columns, 2, 40), NOBODY)


def solo_row(columns: int) -> Board:
    """One row of 1 to 40 pits for one player, South, who plays all of them, from left to right and round again."""
    return _single_row("solo_row", _checked(columns, 1, 40), 0)


def piles(columns: int) -> Board:
    """Room for 1 to 100 piles of one player, South, from the left to the right, who has a single move."""
    return replace(_single_row("piles", _checked(columns, 1, 100), 0), homes=((0,), (0,)))


def _single_row(kind: str, columns: int, owner: int) -> Board:
    pits = tuple(range(columns))
    ways = pits, pits[::-1] if owner == NOBODY else pits
    return Board(kind, 1, columns, (owner,) * columns, pits, pits, loops=ways, homes=ways)


BOARDS: dict[str, Callable[[int], Board]] = {
    each.__name__: each
    for each in (
        two_rows, arcs, halves, blocks_in_rows, crossed_rows, open_rows, side_blocks, rows_and_houses, three_rows_horn,
        three_rows_snake, four_rows, one_row, solo_row, piles,
    )
}  # fmt: skip


def as_built(board: Board | Mapping[str, Any]) -> Board:
    """The board of this kind and size, which this one must be, or the mapping of both; else a ValueError: only the
    functions of ``BOARDS`` guarantee that loops go round counter-clockwise, that kernels find pits where they look for
    them, and that North's game is South's turned half round."""
    if isinstance(board, Mapping) and {*board} == {"kind", "columns"} and board["kind"] in [*BOARDS]:
        return BOARDS[board["kind"]](board["columns"])
    if type(board) is not Board or not isinstance(board.kind, str) or board.kind not in BOARDS:
        raise ValueError(f"board must be a Board such as two_rows(6), of a kind in {list(BOARDS)}; not {board!r}")
    if board != (built := board.resized(board.columns)):
        raise ValueError(f"board is put together by hand; take {board.kind}({board.columns}) as it is")
    return built


def _checked(columns: int, least: int, most: int, parity: str = "", why: str = "") -> int:
    """Pits per row, in these bounds, and "odd" or "even", where there is a reason why."""
    if not is_number(columns, least, most):
        raise ValueError(f"pits per row must be a whole number from {least} to {most}, not {columns!r}")
    if parity and parity != ("even", "odd")[columns % 2]:
        raise ValueError(f"{why}, so pits per row must be {parity}, not {columns}")
    return int(columns)
