"""A position as a drawing: a few kinds of flat shapes with sizes, places and colours, for SVG and pixels alike."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.render.holes import PLAYERS, Place, letters, places, read
from mancala_env.rules import Ruleset

PIT_SHOWS, STORE_SHOWS = 12, 24  # with more seeds than this, a hole shows their number alone

SEED = 0.083  # radius
DOTS = 18  # in the ring around the pit played last
MARGIN = 0.14  # from the edge of the picture to the board
SIDE, FOOT = 0.28, 0.82  # from the edge of the board to the nearest hole: at its ends; above and below
COUNT, NAME = 0.26, 0.6  # from the edge of a hole to the middle of its count and of its name
CAPTION = 0.42  # height of the line under the board


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
    """Colours, "#rrggbb". Marks differ for every eye: ``playable`` is a blue ring, ``played`` orange dots."""

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
    floor="#84582f",
    number="#33210f",
    letter="#5f4020",
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
    letter="#cbae88",
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

    where = places(rules)
    middle_x = MARGIN + SIDE + max(abs(place.x) + place.width / 2 for place in where)
    middle_y = MARGIN + FOOT + max(abs(place.y) + place.height / 2 for place in where)
    turned = -1 if orientation else 1
    parts = [Part("", _board(middle_x, middle_y, palette), ())]
    for hole, (x, y, width, height, label) in enumerate(where):
        place = Place(middle_x + turned * x, middle_y + turned * y, width, height, turned * label)
        count = shown.seeds[hole]
        ground = _hollow(place, palette)
        if hole < rules.board.pits:
            title = f"{PLAYERS[rules.board.owner[hole]]} {names[hole]}"
            ground += (_name(place, names[hole], palette.letter),)
            rings = _rings(place, hole in playable, hole == last_pit, palette)
            top = rings + _contents(hole, place, count, PIT_SHOWS, palette)
        else:
            player = hole - rules.board.pits
            title = f"{PLAYERS[player]}'s store"
            moves = player == shown.player and not shown.ended
            top = _banner(place, player, moves, palette) + _contents(hole, place, count, STORE_SHOWS, palette)
        parts.append(Part(f"{title}: {count} seed{'' if count == 1 else 's'}", ground, top))
    caption = Text(middle_x, 2 * middle_y + CAPTION / 2 - 0.05, 0.26, shown.turn, palette.words)
    parts.append(Part("", (), (caption,)))
    return Drawing(2 * middle_x, 2 * middle_y + CAPTION, f"{rules.name}: {shown.turn}", palette.page, tuple(parts))


def _playable(rules: Ruleset, player: int, legal: npt.ArrayLike | None) -> set[int]:
    """The pits of the actions that may be played."""
    if legal is None:
        return set()
    mask = np.asarray(legal)
    if mask.shape != (rules.num_actions,):
        raise ValueError(f"{rules.name}: legal must be a mask of {rules.num_actions} actions, not {list(mask.shape)}")
    return {rules.pit(player, action) for action in np.flatnonzero(mask).tolist()}


@lru_cache(maxsize=64)
def _board(middle_x: float, middle_y: float, palette: Palette) -> tuple[Shape, ...]:
    """The wood, with its grain."""
    width, height = 2 * (middle_x - MARGIN), 2 * (middle_y - MARGIN)
    shapes: list[Shape] = []
    for spread in (0.05, 0.03, 0.01):
        shapes.append(Box(middle_x, middle_y + 0.04, width + spread, height + spread, 0.44, palette.shadow, 0.16))
    shapes.append(Box(middle_x, middle_y, width, height, 0.42, palette.edge))
    shapes.append(Box(middle_x, middle_y - 0.015, width - 0.05, height - 0.06, 0.4, palette.lip))
    shapes.append(Box(middle_x, middle_y, width - 0.06, height - 0.07, 0.39, palette.wood))
    rng = np.random.default_rng(7)
    for level in np.arange(-0.5, 0.5, 0.022) + 0.011:
        reach = width - 0.3 - 1.2 * max(0.0, abs(level) - 0.38) / 0.12
        length = reach * rng.uniform(0.25, 0.9)
        x = middle_x + (reach - length) * rng.uniform(-0.5, 0.5)
        y = middle_y + level * (height - 0.14)
        shapes.append(Box(x, y, length, rng.uniform(0.008, 0.03), 0.004, palette.grain, rng.uniform(0.08, 0.3)))
    return tuple(shapes)


def _hollow(place: Place, palette: Palette) -> tuple[Shape, ...]:
    """A hole, lit from the upper left: a bright lip at the lower right, a floor that is darkest at the upper left."""
    layers = [
        (0.014, 0.022, 0.03, palette.lip, 0.8),
        (-0.006, -0.01, 0.02, palette.edge, 0.9),
        (0.0, 0.0, 0.0, palette.hollow, 1.0),
    ]
    for k in range(1, 8):
        layers.append((0.006 * k, 0.009 * k, -0.018 * k - 0.004 * k * k, palette.floor, 0.25))
    shapes = []
    for dx, dy, grown, colour, opacity in layers:
        width, height = place.width + grown, place.height + grown
        shapes.append(Box(place.x + dx, place.y + dy, width, height, min(width, height) / 2, colour, opacity))
    return tuple(shapes)


def _contents(hole: int, place: Place, count: int, limit: int, palette: Palette) -> tuple[Shape, ...]:
    """The seeds in a hole, and beside it their number; or inside it, in large figures, when there are too many."""
    if count > limit:
        size = 0.46 if count < 100 else 0.35
        return (Text(place.x, place.y, size, str(count), palette.seeds[0], bold=True),)
    y = place.y + place.label * (place.height / 2 + COUNT)
    number = Text(place.x, y, 0.38, str(count), palette.number if count else palette.letter, bold=True)
    spots = _spots(count, place.width / 2 - SEED - 0.05, (place.height - place.width) / 2, hole)
    shadows, seeds = [], []
    for k, (dx, dy) in enumerate(spots):
        x, y = place.x + dx, place.y + dy
        shadows.append(Disc(x + 0.018, y + 0.028, SEED, "#000000", 0.38))
        seeds.append(Disc(x, y, SEED, palette.seeds[(hole + k) % len(palette.seeds)]))
        seeds.append(Disc(x - 0.026, y - 0.03, 0.36 * SEED, "#ffffff", 0.6))
    return number, *shadows, *seeds


@lru_cache(maxsize=4096)
def _spots(count: int, radius: float, half_length: float, hole: int) -> tuple[tuple[float, float], ...]:
    """Where seeds lie, from the middle of their hole: thrown in at random, then pushed apart; the same at every call.

    They lie in a circle of this radius, drawn out up and down by ``half_length`` each way.
    """
    rng = np.random.default_rng((hole, count))
    spots = rng.normal(size=(count, 2)) * (0.5 * radius, 0.5 * (radius + half_length))
    for _ in range(120):
        away = spots[:, None] - spots[None]  # [count, count, 2]
        distance = np.hypot(away[..., 0], away[..., 1]) + np.eye(count)
        push = np.clip(2.12 * SEED - distance, 0, None) / distance
        spots = 0.995 * (spots + 0.4 * (push[..., None] * away).sum(axis=1))
        heart = np.stack([np.zeros(count), np.clip(spots[:, 1], -half_length, half_length)], axis=1)
        out = spots - heart
        spots = heart + out * np.minimum(1, radius / np.maximum(np.hypot(out[:, 0], out[:, 1]), radius))[:, None]
    return tuple((round(x, 3), round(y, 3)) for x, y in spots.tolist())


def _rings(place: Place, playable: bool, played: bool, palette: Palette) -> tuple[Shape, ...]:
    radius = place.width / 2 + 0.025
    shapes = []
    if playable:
        shapes.append(Disc(place.x, place.y, radius, palette.playable, line=0.05))
    if played:
        for k in range(DOTS):
            x, y = radius * math.cos(k * math.tau / DOTS), radius * math.sin(k * math.tau / DOTS)
            shapes.append(Disc(place.x + x, place.y + y, 0.036, palette.played))
    return tuple(shapes)


def _name(place: Place, words: str, colour: str, bold: bool = False) -> Text:
    return Text(place.x, place.y + place.label * (place.height / 2 + NAME), 0.23, words, colour, bold=bold)


def _banner(place: Place, player: int, moves: bool, palette: Palette) -> tuple[Shape, ...]:
    """The name of a store's owner, on a ribbon when he is to move."""
    if not moves:
        return (_name(place, PLAYERS[player], palette.letter),)
    name = _name(place, PLAYERS[player], palette.page, bold=True)
    return Box(name.x, name.y, 0.92, 0.27, 0.135, palette.playable), name
