"""The players on the board: tiles under what they own, the marks they made, and their names."""

from mancala_env.ending import PLAYERS
from mancala_env.render.geometry import PIT, Place
from mancala_env.render.palette import Palette
from mancala_env.render.shapes import Box, Disc, Shape, Text
from mancala_env.render.shown import NOBODY

TILE = (0.96, 1.0)  # the size of a pit's tile; as large as fits, so that the pits of an owner make one field


def tile(place: Place, owner: int, palette: Palette) -> tuple[Shape, ...]:
    """What the cell of an owner lies on, in the owner's colour; nothing where the owner is ``NOBODY``."""
    if owner == NOBODY:
        return ()
    width, height = place.width + TILE[0] - PIT, place.height + TILE[1] - PIT
    return (Box(place.x, place.y, width, height, 0.16, palette.owners[owner], 0.85),)


def mark(place: Place, owner: int, palette: Palette) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    """A ring in the colour of the mark's owner, on a dark one; and a badge with the owner's initial."""
    if owner == NOBODY:
        return (), ()
    colour, radius = palette.owners[owner], place.width / 2 + 0.01
    ring = (
        Disc(place.x, place.y, radius, palette.hollow, line=0.1),
        Disc(place.x, place.y, radius, colour, line=0.06),
    )
    x, y = place.x + 0.74 * radius, place.y - 0.74 * radius
    badge = (
        Disc(x, y, 0.165, palette.hollow),
        Disc(x, y, 0.145, colour),
        Text(x, y, 0.21, PLAYERS[owner][0], palette.initials[owner], bold=True),
    )
    return ring, badge


def banner(seat: Place, player: int, moves: bool, tiled: bool, palette: Palette) -> tuple[Shape, ...]:
    """A player's name, on a ribbon where that player is to move."""
    x, y, width, height, _ = seat
    if not moves:
        return (Text(x, y, 0.23, PLAYERS[player], palette.initials[player] if tiled else palette.letter),)
    edge = (Box(x, y, width + 0.05, height + 0.05, height / 2 + 0.025, palette.page),) if tiled else ()
    name = Text(x, y, 0.23, PLAYERS[player], palette.page, bold=True)
    return *edge, Box(x, y, width, height, height / 2, palette.playable), name
