"""A position as pixels, painted with NumPy alone."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mancala_env.render.drawing import Arrow, Box, Disc, Shape, board_drawing
from mancala_env.render.lettering import BOLD, REGULAR, word
from mancala_env.render.path import Path
from mancala_env.rules import Ruleset

_STEPS = 8  # discs are painted to an eighth of a pixel, so that their masks can be kept


def board_rgb(
    rules: Ruleset,
    row: npt.ArrayLike,
    *,
    width: int = 720,
    dark: bool = False,
    orientation: int = 0,
    legal: npt.ArrayLike | None = None,
    last_pit: int | None = None,
    path: Path | None = None,
    values: npt.ArrayLike | Mapping[int, float] | None = None,
    percent: bool = False,
) -> npt.NDArray[np.uint8]:
    """A position as pixels, the same picture as ``board_svg``. Same arguments, same pixels.

    Parameters
    ----------
    rules : the game
    row : int[rules.fields["width"]], a position as ``kernels.layout`` lays it out
    width : W, in pixels, 64 to 4096
    dark : for a dark page
    orientation : the player who sits below, 0 South or 1 North; his store is at the right
    legal : bool[A], optional
        Which actions of the mover may be played; their pits are outlined.
    last_pit : int, optional
        The pit 0..N-1 that was played last; it gets a dotted ring.
    path : Path, optional
        The way of the last move (``render.path.path_of``), in order; captured pits are ringed.
    values : float[A], or a mapping from actions to numbers, optional
        What the mover's actions are worth, written beside their pits; nan, or not in the mapping: nothing.
    percent : the values are probabilities, and written in per cent

    Returns
    -------
    uint8[H, W, 3]
        Red, green, blue. H depends on the board and on W alone. The array is the caller's.

    Raises
    ------
    ValueError
        If the row is no position of a board of this size, an option does not fit this board, or W is out of range.
    """
    if not isinstance(width, int | np.integer) or not 64 <= width <= 4096:
        raise ValueError(f"{rules.name}: a picture is 64 to 4096 pixels wide, not {width!r}")
    drawing = board_drawing(
        rules, row, dark=dark, orientation=orientation, legal=legal, last_pit=last_pit, path=path, values=values,
        percent=percent,
    )  # fmt: skip
    scale = width / drawing.width
    ground = tuple(shape for part in drawing.parts for shape in part.ground)
    canvas = _ground(ground, drawing.background, int(width), round(scale * drawing.height), scale).astype(np.float32)
    for part in drawing.parts:
        _paint(canvas, part.top, scale)
    return np.rint(canvas).astype(np.uint8)


@lru_cache(maxsize=16)  # owners of pits change from game to game of a match
def _ground(shapes: tuple[Shape, ...], background: str, width: int, height: int, scale: float) -> npt.NDArray[np.uint8]:
    """uint8[height, width, 3]: what looks the same while nobody gains a pit. Painted once, and then kept."""
    canvas = np.empty((height, width, 3), dtype=np.float32)
    canvas[:] = _colour(background)
    _paint(canvas, shapes, scale)
    return np.rint(canvas).astype(np.uint8)


def _paint(canvas: npt.NDArray[np.float32], shapes: tuple[Shape, ...], scale: float) -> None:
    for shape in shapes:
        x, y = shape.x * scale, shape.y * scale
        if isinstance(shape, Disc):
            left, top = np.floor([x, y]).astype(int).tolist()
            ink = _disc(shape.radius * scale, shape.line * scale, int((x - left) * _STEPS), int((y - top) * _STEPS))
            reach = len(ink) // 2
            _blend(canvas, ink, left - reach, top - reach, shape.colour, shape.opacity)
        elif isinstance(shape, Box):
            ink, left, top = _box(x, y, shape.width * scale, shape.height * scale, shape.radius * scale)
            _blend(canvas, ink, left, top, shape.colour, shape.opacity)
        elif isinstance(shape, Arrow):
            ink, left, top = _triangle([(scale * x, scale * y) for x, y in shape.corners])
            _blend(canvas, ink, left, top, shape.colour, 1.0)
        else:
            ink, left, up, advance = word(shape.words, shape.size * scale, BOLD if shape.bold else REGULAR)
            start = x - {"start": 0, "middle": advance / 2, "end": advance}[shape.anchor]
            _blend(canvas, ink, round(start) - left, round(y) - up, shape.colour, 1.0)


def _blend(
    canvas: npt.NDArray[np.float32], ink: npt.NDArray[np.float32], left: int, top: int, colour: str, opacity: float
) -> None:
    """Lay a colour over the canvas where there is ink; what falls beside the canvas is lost."""
    height, width = canvas.shape[:2]
    rows = slice(max(0, -top), max(0, min(len(ink), height - top)))
    columns = slice(max(0, -left), max(0, min(ink.shape[1], width - left)))
    ink = ink[rows, columns, None]
    if opacity != 1:
        ink = ink * np.float32(opacity)
    under = canvas[max(0, top) : max(0, top) + len(ink), max(0, left) : max(0, left) + ink.shape[1]]
    under += ink * (_colour(colour) - under)


@lru_cache(maxsize=1024)
def _disc(radius: float, line: float, dx: int, dy: int) -> npt.NDArray[np.float32]:
    """float32[n, n]: a circle around a point (dx, dy) eighths into the middle pixel."""
    reach = int(np.ceil(radius + line / 2)) + 1
    along = np.arange(-reach, reach + 1) + 0.5
    distance = np.hypot(along[None, :] - (dx + 0.5) / _STEPS, along[:, None] - (dy + 0.5) / _STEPS) - radius
    if line:
        distance = np.abs(distance) - line / 2
    return np.clip(0.5 - distance, 0, 1).astype(np.float32)


def _box(x: float, y: float, width: float, height: float, radius: float) -> tuple[npt.NDArray[np.float32], int, int]:
    """A rectangle with round corners around (x, y): its ink, float32[h, w], and where that starts."""
    left, top = int(np.floor(x - width / 2)) - 1, int(np.floor(y - height / 2)) - 1
    right, bottom = int(np.ceil(x + width / 2)) + 1, int(np.ceil(y + height / 2)) + 1
    radius = min(radius, width / 2, height / 2)
    beside = np.abs(np.arange(left, right) + 0.5 - x)[None, :] - (width / 2 - radius)
    above = np.abs(np.arange(top, bottom) + 0.5 - y)[:, None] - (height / 2 - radius)
    outside = np.hypot(np.maximum(beside, 0), np.maximum(above, 0)) + np.minimum(np.maximum(beside, above), 0) - radius
    ink = np.clip(0.5 - outside, 0, 1) * min(1.0, width) * min(1.0, height)  # a line thinner than a pixel is faint
    return ink.astype(np.float32), left, top


def _triangle(corners: list[tuple[float, float]]) -> tuple[npt.NDArray[np.float32], int, int]:
    """A triangle of these corners, clockwise on the screen or not: its ink, float32[h, w], and where that starts."""
    points = np.array(corners)
    left, top = (np.floor(points.min(axis=0)).astype(int) - 1).tolist()
    right, bottom = (np.ceil(points.max(axis=0)).astype(int) + 1).tolist()
    x, y = np.arange(left, right) + 0.5, np.arange(top, bottom) + 0.5
    middle = points.mean(axis=0)
    outside = np.full((bottom - top, right - left), -np.inf)
    for one, other in zip(points, np.roll(points, 1, axis=0), strict=True):
        along = other - one
        normal = np.array([along[1], -along[0]]) / max(float(np.hypot(*along)), 1e-9)
        if normal @ (middle - one) > 0:
            normal = -normal
        np.maximum(outside, (x - one[0])[None, :] * normal[0] + (y - one[1])[:, None] * normal[1], out=outside)
    return np.clip(0.5 - outside, 0, 1).astype(np.float32), left, top


@lru_cache(maxsize=256)
def _colour(name: str) -> npt.NDArray[np.float32]:
    return np.array([int(name[k : k + 2], 16) for k in (1, 3, 5)], dtype=np.float32)
