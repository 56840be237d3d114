"""A position as a drawing: a few kinds of flat shapes with sizes, places and colours, for SVG and pixels alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.render.holes import PLAYERS, Place, letters, places, read
from mancala_env.rules import Ruleset

PIT_SHOWS, STORE_SHOWS = 12, 24  # with more seeds than this, a hole shows their number alone

SEED = 0.083  # radius
MARGIN, RIM = 0.14, 0.27  # from the picture's edge to the board's, and on to the holes
COUNT, LETTER = 0.25, 0.55  # from the edge of a hole to the middle of its count and of its letter
CAPTION = 0.4  # height of the line under the board


class Disc(NamedTuple):
    """A circle, filled or as a line."""

    x: float
    y: float
    radius: float
    colour: str  # "#rrggbb"
    opacity: float = 1.0
    line: float = 0.0  # the width of the line on the circle; 0: filled


class Box(NamedTuple):
    """A filled rectangle with round corners around its middle."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    colour: str
    opacity: float = 1.0


class Text(NamedTuple):
    """A word."""

    x: float  # of its start, middle or end
    y: float  # half-way up a capital
    size: float
    words: str
    colour: str
    anchor: Literal["start", "middle", "end"] = "middle"
    bold: bool = False


Shape = Disc | Box | Text


class Part(NamedTuple):
    """Something a picture shows: the board, a hole with all that lies in it, or whose turn it is."""

    title: str  # "South A: 4 seeds"; "" for the board
    ground: tuple[Shape, ...]  # what looks the same in every position
    top: tuple[Shape, ...]


class Drawing(NamedTuple):
    """A picture in units of the distance between two pits, its corner at (0, 0), x to the right, y down.

    No part lies on another, but for the first, which is the board under them all.
    """

    width: float
    height: float
    title: str
    background: str
    parts: tuple[Part, ...]

    @property
    def shapes(self) -> list[Shape]:
        """All shapes, in the order in which they are painted."""
        return [shape for part in self.parts for shape in (*part.ground, *part.top)]


@dataclass(frozen=True)
class Palette:
    """Colours, "#rrggbb". ``playable`` and ``played`` differ in lightness too, and as shapes: a ring and a dotted ring."""

    page: str
    words: str  # on the page
    shadow: str
    edge: str
    wood: str
    grain: str
    lip: str  # the lit edge of a hole
    hollow: str
    floor: str
    number: str  # on the wood
    letter: str
    seeds: tuple[str, ...]
    playable: str
    played: str


LIGHT = Palette(
    page="#fcf9f2",
    words="#4a3a2a",
    shadow="#6b4a26",
    edge="#a87740",
    wood="#dcb57c",
    grain="#b98a4e",
    lip="#f3dcb0",
    hollow="#5e3b1e",
    floor="#8d6036",
    number="#33210f",
    letter="#6f4c26",
    seeds=("#f2e8d2", "#e9dcc0", "#dfd3bf"),
    playable="#0063a8",
    played="#d55e00",
)
DARK = Palette(
    page="#17130f",
    words="#d8cbb6",
    shadow="#000000",
    edge="#2e1f14",
    wood="#543a26",
    grain="#3d2818",
    lip="#7b5a3d",
    hollow="#170e08",
    floor="#33221a",
    number="#f6ead6",
    letter="#c0a07a",
    seeds=("#eadfc8", "#dccfb3", "#cfc2ab"),
    playable="#5cbcf2",
    played="#f0a030",
)


def board_drawing(
    rules: Ruleset,
    row: npt.ArrayLike,
    *,
    dark: bool = False,
    orientation: int = 0,
    legal: npt.ArrayLike | None = None,
    last_pit: int | None = None,
) -> Drawing:
    """A position as a drawing.

    Parameters
    ----------
    rules : the game
    row : int[N + layout.ROW_FIELDS], a position as ``kernels.layout`` lays it out
    dark : for a dark page
    orientation : the player who sits below, 0 South or 1 North; his store is at the right
    legal : bool[A], optional
        Which actions of the mover may be played; their pits are outlined.
    last_pit : int, optional
        The pit 0..N-1 that was played last; it gets a dotted ring.

    Raises
    ------
    ValueError
        If the row is no position of a board of this size, or an option does not fit this board.
    """
    shown, names = read(rules, row), letters(rules)
    if orientation not in (0, 1):
        raise ValueError(f"{rules.name}: orientation is the player who sits below, 0 or 1, not {orientation!r}")
    if last_pit is not None and last_pit not in range(rules.board.pits):
        raise ValueError(f"{rules.name}: last_pit must be a pit from 0 to {rules.board.pits - 1}, not {last_pit!r}")
    playable = _playable(rules, shown.player, legal)
    palette = DARK if dark else LIGHT

    around = places(rules)
    middle_x = MARGIN + RIM + max(abs(place.x) + place.width / 2 for place in around)
    middle_y = MARGIN + LETTER + 0.2 + max(abs(place.y) + place.height / 2 for place in around)
    turned = -1 if orientation else 1
    parts = [Part("", _board(middle_x, middle_y, palette), ())]
    for hole, (x, y, width, height, label) in enumerate(around):
        place = Place(middle_x + turned * x, middle_y + turned * y, width, height, turned * label)
        count = shown.seeds[hole]
        ground, top = _hollow(place, palette), _contents(hole, place, count, palette)
        if hole < rules.board.pits:
            title = f"{PLAYERS[rules.board.owner[hole]]} {names[hole]}"
            ground += (_name(place, names[hole], palette.letter),)
            top += _rings(place, hole in playable, hole == last_pit, palette)
        else:
            player = hole - rules.board.pits
            title = f"{PLAYERS[player]}'s store"
            top += _banner(place, player, player == shown.player and not shown.ended, palette)
        parts.append(Part(f"{title}: {count} seed{'' if count == 1 else 's'}", ground, top))
    turn = Text(middle_x, 2 * middle_y + CAPTION / 2 - 0.05, 0.24, shown.turn, palette.words)
    parts.append(Part("", (), (turn,)))
    title = f"{rules.name}: {shown.turn}"
    return Drawing(2 * middle_x, 2 * middle_y + CAPTION, title, palette.page, tuple(parts))


def _playable(rules: Ruleset, player: int, legal: npt.ArrayLike | None) -> set[int]:
    """The pits of the actions that may be played."""
    if legal is None:
        return set()
    mask = np.asarray(legal)
    if mask.shape != (rules.num_actions,):
        raise ValueError(f"{rules.name}: legal must be a mask of {rules.num_actions} actions, not {list(mask.shape)}")
    return {rules.pit(player, action) for action in np.flatnonzero(mask).tolist()}


def _board(middle_x: float, middle_y: float, palette: Palette) -> tuple[Shape, ...]:
    width, height = 2 * (middle_x - MARGIN), 2 * (middle_y - MARGIN)
    shapes: list[Shape] = []
    for spread in (0.05, 0.03, 0.01):
        shapes.append(Box(middle_x, middle_y + 0.04, width + spread, height + spread, 0.5, palette.shadow, 0.16))
    shapes.append(Box(middle_x, middle_y, width, height, 0.48, palette.edge))
    shapes.append(Box(middle_x, middle_y - 0.015, width - 0.05, height - 0.06, 0.46, palette.lip))
    shapes.append(Box(middle_x, middle_y, width - 0.06, height - 0.07, 0.45, palette.wood))
    rng = np.random.default_rng(7)
    for level in np.arange(-0.5, 0.5, 0.022) + 0.011:
        reach = width - 0.3 - 1.2 * max(0.0, abs(level) - 0.38) / 0.12
        length = reach * rng.uniform(0.25, 0.9)
        x = middle_x + (reach - length) * rng.uniform(-0.5, 0.5)
        y = middle_y + level * (height - 0.14)
        shapes.append(Box(x, y, length, rng.uniform(0.008, 0.03), 0.004, palette.grain, rng.uniform(0.08, 0.3)))
    return tuple(shapes)


def _hollow(place: Place, palette: Palette) -> tuple[Shape, ...]:
    """A hole, lit from the upper left."""
    shapes: list[Shape] = []
    for dx, dy, grown, colour, opacity in (
        (0.014, 0.022, 0.03, palette.lip, 0.8),
        (-0.006, -0.01, 0.02, palette.edge, 0.9),
        (0.0, 0.0, 0.0, palette.hollow, 1.0),
        (0.012, 0.018, -0.05, palette.floor, 0.35),
        (0.022, 0.032, -0.11, palette.floor, 0.4),
        (0.032, 0.046, -0.19, palette.floor, 0.4),
        (0.042, 0.06, -0.29, palette.floor, 0.4),
    ):
        width, height = place.width + grown, place.height + grown
        shapes.append(Box(place.x + dx, place.y + dy, width, height, min(width, height) / 2, colour, opacity))
    return tuple(shapes)


def _contents(hole: int, place: Place, count: int, palette: Palette) -> tuple[Shape, ...]:
    """The seeds in a hole, or their number in large figures, and beside the hole their number in any case."""
    y = place.y + place.label * (place.height / 2 + COUNT)
    colour = palette.number if count else palette.letter
    shapes: list[Shape] = [Text(place.x, y, 0.36, str(count), colour, bold=True)]
    limit = PIT_SHOWS if place.width == place.height else STORE_SHOWS
    if count > limit:
        shapes.append(Text(place.x, place.y, 0.44 if count < 100 else 0.38, str(count), palette.seeds[0], bold=True))
        return tuple(shapes)
    spots = _spots(count, place.width / 2 - SEED - 0.05, (place.height - place.width) / 2, hole)
    for k, (dx, dy) in enumerate(spots):
        x, y = place.x + dx, place.y + dy
        tone = palette.seeds[(hole + k) % len(palette.seeds)]
        shapes.append(Disc(x + 0.016, y + 0.026, SEED, "#000000", 0.38))
        shapes.append(Disc(x, y, SEED, tone))
        shapes.append(Disc(x - 0.026, y - 0.03, SEED * 0.36, "#ffffff", 0.6))
    return tuple(shapes)


@lru_cache(maxsize=4096)
def _spots(count: int, radius: float, half_length: float, hole: int) -> tuple[tuple[float, float], ...]:
    """Where seeds lie in a hole, from its middle: thrown in at random, then pushed apart. Depends on the arguments alone.

    The hole is a circle of this radius, drawn out up and down by ``half_length`` each way; it is the room for middles.
    """
    rng = np.random.default_rng((hole, count))
    spots = rng.normal(size=(count, 2)) * (0.5 * radius, 0.5 * (radius + half_length))
    apart = 2.12 * SEED
    for _ in range(200):
        away = spots[:, None] - spots[None]
        distance = np.hypot(*away.T).T + np.eye(count)
        push = np.clip(apart - distance, 0, None) * (1 - np.eye(count))
        spots += 0.4 * (push / distance)[:, :, None].__mul__(away).sum(axis=1)
        spots *= 0.995
        core = np.stack([np.zeros(count), np.clip(spots[:, 1], -half_length, half_length)], axis=1)
        out = spots - core
        length = np.maximum(np.hypot(*out.T), 1e-9)
        spots = core + out * np.minimum(1, radius / length)[:, None]
    return tuple((round(x, 3), round(y, 3)) for x, y in spots.tolist())


def _rings(place: Place, playable: bool, played: bool, palette: Palette) -> tuple[Shape, ...]:
    shapes: list[Shape] = []
    if playable:
        shapes.append(Disc(place.x, place.y, place.width / 2 + 0.025, palette.playable, line=0.05))
    if played:
        for angle in np.arange(20) * (2 * np.pi / 20):
            radius = place.width / 2 + 0.025
            x, y = place.x + radius * np.cos(angle), place.y + radius * np.sin(angle)
            shapes.append(Disc(round(float(x), 3), round(float(y), 3), 0.034, palette.played))
    return tuple(shapes)


def _name(place: Place, words: str, colour: str, bold: bool = False) -> Text:
    return Text(place.x, place.y + place.label * (place.height / 2 + LETTER), 0.21, words, colour, bold=bold)


def _banner(place: Place, player: int, moves: bool, palette: Palette) -> tuple[Shape, ...]:
    """The name of a store's owner, on a ribbon when he is to move."""
    if not moves:
        return (_name(place, PLAYERS[player], palette.letter),)
    name = _name(place, PLAYERS[player], palette.page, bold=True)
    return Box(name.x, name.y, 0.84, 0.28, 0.14, palette.playable), name
