"""Where the *cells* of a board (its pits, South's store, North's store) and the players' names lie in a picture."""

from typing import NamedTuple

import numpy as np

from mancala_env.rules import Direction, Ruleset, Store

PIT = 0.84  # across
ROW_GAP = 1.04  # between the middles of two rows
BEAM = 2.4  # the same, where the names and counts of both rows stand between them
STORE_GAP = 1.06  # between the middles of a store and of the pit beside it
NAME = 0.6  # from the edge of a pit to the middle of its name
RIBBON = (0.92, 0.27)  # the size of a player's name, with the ribbon under it
SEAT_GAP = 0.42  # from the names of pits to the name of a player below them, middle to middle
MARGIN = 0.14  # from the edge of the picture to the board
SIDE, FOOT = 0.28, 0.82  # from the edge of the board to the nearest cell: where nothing is written between, and where


class Place(NamedTuple):
    """Where something lies. The unit is the distance between the middles of neighbouring pits."""

    x: float  # of the middle
    y: float  # of the middle, downwards
    width: float
    height: float
    label: int  # its count is written below it (1) or above it (-1)

    def beside(self, distance: float) -> float:
        """The y of what is written at this distance from its edge."""
        return self.y + self.label * (self.height / 2 + distance)


class Frame(NamedTuple):
    """A board in its picture, whose corner lies at (0, 0)."""

    width: float
    height: float  # without the lines under the board
    places: tuple[Place, ...]  # of the cells; of the pits alone where a game has no stores
    seats: tuple[Place, ...]  # of the names of the players
    beam: Place | None  # between the rows of the two players, where names stand on both sides of it


def places(rules: Ruleset) -> tuple[Place, ...]:
    """Where each cell lies, from the middle of the board, as South sees it; stores only where the game has them. Every
    picture is drawn from this, ``seats`` and ``shown.read``: a board of another shape needs its cells placed here."""
    board = rules.board
    rows = max(1, board.rows // 2)  # on each side; on a board of one row all pits are South's
    south = _south(board.kind, board.columns)
    pits = south + [_turned(place, -1) for place in south]
    for pit in range(0 if pits else board.pits):
        row, column = divmod(pit % (rows * board.columns), board.columns)
        side = 1 if pit < rows * board.columns else -1
        x = column - (board.columns - 1) / 2
        if rules.players == 1:  # with a store at the right, or a name at the left
            x += -STORE_GAP / 2 if rules.has_stores else STORE_GAP / 2
        inwards = rows - 1 - row  # rows between this one and the board's middle
        y = (BEAM if rows > 1 else ROW_GAP) / 2 + inwards * ROW_GAP if board.rows > 1 else 0.0
        back = -1 if row % 2 else 1  # every other row runs back
        pits.append(Place(side * back * x, side * y, PIT, PIT, side * back))
    if not rules.has_stores:
        return tuple(pits)
    if rules.players == 1:
        return (*pits, Place((board.columns - 1 + STORE_GAP) / 2, 0, PIT, PIT, 1))
    x = (board.columns - 1) / 2 + STORE_GAP  # South's on the right, unless seeds come to it on the left
    if rules.direction is Direction.CLOCKWISE and rules.store is not Store.NONE:
        x = -x
    x += np.sign(x).item() * STORE_GAP * (len(board.houses) > 0)
    height = 2 * max(place.y for place in pits) + PIT
    return (*pits, Place(x, 0, PIT, height, 1), Place(-x, 0, PIT, height, -1))


def _south(kind: str, columns: int) -> list[Place]:
    """South's pits on boards with houses, or with a row in the middle that both share; [] on other boards."""
    if kind not in ("rows_and_houses", "three_rows_horn", "three_rows_snake"):
        return []
    y = (ROW_GAP if kind == "rows_and_houses" else BEAM + ROW_GAP) / 2
    row = [Place(column - (columns - 1) / 2, y, PIT, PIT, 1) for column in range(columns)]
    if kind == "rows_and_houses":
        return [*row, Place((columns - 1) / 2 + STORE_GAP, 0.0, PIT, ROW_GAP + PIT, 1)]
    # The half of the middle row at South's right is numbered from there back.
    return row + [Place(place.x, 0.0, PIT, PIT, -1) for place in row[: columns // 2 - 1 : -1]]


def seats(rules: Ruleset) -> tuple[Place, ...]:
    """Where the names of South and North (in a solitaire of South) are written: at their stores, else beside the middle
    of what they own, or beside the pit from which they count where nobody owns a pit."""
    where, n = places(rules), rules.board.pits
    if rules.has_stores:
        return tuple(Place(x, label * (height / 2 + NAME), *RIBBON, 0) for x, _, _, height, label in where[n:])
    if rules.players == 1:
        return (Place(where[0].x - STORE_GAP, 0.0, *RIBBON, 0),)
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


def framed(rules: Ruleset, orientation: int) -> Frame:
    """The board in its picture, with player ``orientation``, 0 or 1, below."""
    turned = -1 if orientation else 1
    where = [_turned(place, turned) for place in places(rules)]
    seated = [_turned(seat, turned) for seat in seats(rules)]
    outermost = where if rules.has_stores else where + seated  # names at the stores lie within the board anyway
    x = MARGIN + SIDE + max(abs(place.x) + place.width / 2 for place in outermost)
    up, down = (MARGIN + max(_reach(place, way) for place in outermost) for way in (-1, 1))
    pits = where[: rules.board.pits]
    beam = None
    if any(place.label * place.y < 0 for place in pits):
        beam = Place(x, up, 2 * max(place.x for place in pits) + PIT, 0.05, 0)
    return Frame(2 * x, up + down, _moved(where, x, up), _moved(seated, x, up), beam)


def _turned(place: Place, turned: int) -> Place:
    return place._replace(x=turned * place.x, y=turned * place.y, label=turned * place.label)


def _reach(place: Place, way: int) -> float:
    """How far the wood reaches for this cell, up (-1) or down (1) from the middle of the board."""
    return way * place.y + place.height / 2 + (FOOT if place.label == way else SIDE)


def _moved(where: list[Place], x: float, y: float) -> tuple[Place, ...]:
    return tuple(place._replace(x=x + place.x, y=y + place.y) for place in where)
