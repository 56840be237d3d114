"""Flat shapes, and a drawing made of them: what the pictures in SVG and in pixels both paint."""

import math
from typing import Literal, NamedTuple

CAPITAL = 0.72  # the height of a capital letter in usual fonts, in units of the font size


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
    """A line of text."""

    x: float  # of its start, middle or end
    y: float  # half-way up a capital
    size: float
    words: str
    colour: str
    anchor: Literal["start", "middle", "end"] = "middle"
    bold: bool = False


class Arrow(NamedTuple):
    """A filled triangle, as high as it is wide, around its middle."""

    x: float
    y: float
    size: float
    angle: float  # to where it points, in radians from the right, clockwise
    colour: str

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """The tip first."""
        cos, sin = self.size * math.cos(self.angle), self.size * math.sin(self.angle)
        return tuple(
            (self.x + along * cos - across * sin, self.y + along * sin + across * cos)
            for along, across in ((0.5, 0), (-0.5, 0.5), (-0.5, -0.5))
        )


Shape = Disc | Box | Text | Arrow


class Part(NamedTuple):
    """Something a picture shows: the board, a pit or store with all that lies in it, or whose turn it is."""

    title: str  # "South A: 4 seeds"; "" for the board
    ground: tuple[Shape, ...]  # what looks the same in every position, as long as pits stay with their owners
    top: tuple[Shape, ...]


class Drawing(NamedTuple):
    """A picture in units of the distance between two pits, its corner at (0, 0), x to the right, y down. Parts do not
    overlap, but for the first, the board, which lies under all others, and the arrows of the last move, on top."""

    width: float
    height: float
    title: str
    background: str
    parts: tuple[Part, ...]
