"""Where the board and its holes lie in a picture."""

from typing import NamedTuple

from mancala_env.render.holes import PIT, Place, places, seats
from mancala_env.rules import Ruleset

MARGIN = 0.14  # from the edge of the picture to the board
SIDE, FOOT = 0.28, 0.82  # from the edge of the board to the nearest hole: at its ends; where its count and name stand


class Frame(NamedTuple):
    """A board in its picture, whose corner lies at (0, 0), with y down; ``holes`` has y from the board's middle."""

    width: float
    height: float  # without the lines under the board
    places: tuple[Place, ...]
    seats: tuple[Place, ...]
    beam: Place | None  # between the rows of the two players, where names stand on both sides of it


def framed(rules: Ruleset, orientation: int) -> Frame:
    """The board with player ``orientation``, 0 or 1, below."""
    turned = -1 if orientation else 1
    where = [_turned(place, turned) for place in places(rules)]
    seated = [_turned(seat, turned) for seat in seats(rules)]
    shown = where if rules.has_stores else where + seated  # names at the stores lie within the board anyway
    x = MARGIN + SIDE + max(abs(place.x) + place.width / 2 for place in shown)
    up, down = (MARGIN + max(_reach(place, way) for place in shown) for way in (-1, 1))
    pits = where[: rules.board.pits]
    beam = None
    if any(place.label * place.y < 0 for place in pits):
        beam = Place(x, up, 2 * max(place.x for place in pits) + PIT, 0.05, 0)
    return Frame(2 * x, up + down, _moved(where, x, up), _moved(seated, x, up), beam)


def _turned(place: Place, turned: int) -> Place:
    return Place(turned * place.x, turned * place.y, place.width, place.height, turned * place.label)


def _reach(place: Place, way: int) -> float:
    """How far the wood reaches for this hole, up (-1) or down (1) from the middle of the board."""
    return way * place.y + place.height / 2 + (FOOT if place.label == way else SIDE)


def _moved(where: list[Place], x: float, y: float) -> tuple[Place, ...]:
    return tuple(place._replace(x=x + place.x, y=y + place.y) for place in where)
