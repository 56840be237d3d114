"""A position as pixels, painted by Pillow, which the extra ``render`` brings; without it this module is not there."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_env.checks import Positions
from mancala_env.render.drawing import board_drawing
from mancala_env.render.shapes import Box, Disc, Drawing, Shape, Text
from mancala_env.rules import Ruleset

try:
    from PIL import Image, ImageColor, ImageDraw, ImageFont
except ImportError as error:
    raise ImportError(
        'pictures in pixels (render_mode="rgb_array", board_rgb) are painted by Pillow, which is not installed: '
        'pip install "mancala-env[render]"; render_mode="ansi" and State.to_svg need no Pillow'
    ) from error

MOST_WIDTH, LEAST_WIDTH = 4096, 64
FINE_WIDTH = 1024  # up to this width a pixel is the mean of 4 x 4 samples, of wider pictures that of 2 x 2
BOLD = 0.022  # of the font size: how much a bold letter grows on each side, as Pillow's font has one weight


def board_rgb(rules: Ruleset, position: Positions, *, width: int = 720, **options: Any) -> npt.NDArray[np.uint8]:
    """uint8[H, W, 3], RGB: a position as the same picture as ``board_svg``. Same arguments, same pixels. ``width``: W,
    from 64 to 4096; H depends on it and on the board. ``options`` as in ``drawing.board_drawing``."""
    if not isinstance(width, int | np.integer) or not LEAST_WIDTH <= width <= MOST_WIDTH:
        raise ValueError(f"{rules.name}: a picture is {LEAST_WIDTH} to {MOST_WIDTH} pixels wide, not {width!r}")
    return pixels_of(board_drawing(rules, position, **options), int(width))


def pixels_of(drawing: Drawing, width: int) -> npt.NDArray[np.uint8]:
    """uint8[H, W, 3]: a drawing, ``width`` pixels wide."""
    samples = 4 if width <= FINE_WIDTH else 2
    scale = width * samples / drawing.width
    size = width * samples, round(width * drawing.height / drawing.width) * samples
    ground = tuple(shape for part in drawing.parts for shape in part.ground)
    image = _ground(ground, drawing.background, size, scale).copy()
    _paint(image, (shape for part in drawing.parts for shape in part.top), scale)
    return np.array(image.reduce(samples))


@lru_cache(maxsize=4)  # up to 14 MB each at the usual width; owners of pits change from game to game of a match
def _ground(shapes: tuple[Shape, ...], background: str, size: tuple[int, int], scale: float) -> Image.Image:
    """What looks the same while nobody gains a pit, painted once and then kept."""
    image = Image.new("RGB", size, background)
    _paint(image, shapes, scale)
    return image


def _paint(image: Image.Image, shapes: Iterable[Shape], scale: float) -> None:
    draw = ImageDraw.Draw(image, "RGBA")  # on an image without alpha: colours are blended into what is there
    for shape in shapes:
        if isinstance(shape, Disc):
            reach = shape.radius + shape.line / 2
            bounds, colour = _bounds(shape.x, shape.y, 2 * reach, 2 * reach, scale), _colour(shape)
            if shape.line:
                draw.ellipse(bounds, outline=colour, width=max(1, round(shape.line * scale)))
            else:
                draw.ellipse(bounds, fill=colour)
        elif isinstance(shape, Box):
            bounds = _bounds(shape.x, shape.y, shape.width, shape.height, scale)
            draw.rounded_rectangle(bounds, shape.radius * scale, fill=_colour(shape))
        else:
            _write(draw, shape, scale)


def _bounds(x: float, y: float, width: float, height: float, scale: float) -> tuple[int, int, int, int]:
    """The first and the last samples, left, top, right and bottom, of something around (x, y)."""
    left, top = round((x - width / 2) * scale), round((y - height / 2) * scale)
    right, bottom = round((x + width / 2) * scale), round((y + height / 2) * scale)
    return left, top, max(left, right - 1), max(top, bottom - 1)


def _colour(shape: Disc | Box) -> tuple[int, ...]:
    return *ImageColor.getrgb(shape.colour), round(255 * shape.opacity)


def _write(draw: ImageDraw.ImageDraw, text: Text, scale: float) -> None:
    size = text.size * scale
    grown = round(BOLD * size) if text.bold else 0
    x = text.x * scale - advance(text.words, size) / 2
    font = _font(size)
    baseline = text.y * scale - font.getbbox("H", anchor="ls")[1] / 2
    draw.text((x, baseline), _written(text.words), text.colour, font, "ls", stroke_width=grown)


def advance(words: str, size: float) -> float:
    """How wide a text is in a font of this size, in the unit of the size."""
    return float(_font(size).getlength(_written(words)))


def _written(words: str) -> str:
    """A text in signs that Pillow's font has: it lacks "½"."""
    return words.replace("½", ".5")


@lru_cache(maxsize=256)
def _font(size: float) -> Any:
    return ImageFont.load_default(size=max(1.0, size))
