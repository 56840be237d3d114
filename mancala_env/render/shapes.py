"""Flat shapes, a drawing made of them, and its colours: what the pictures in SVG and in pixels both paint."""

from dataclasses import dataclass
from typing import NamedTuple

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

    x: float  # of its middle
    y: float  # half-way up a capital
    size: float
    words: str
    colour: str
    bold: bool = False


Shape = Disc | Box | Text


class Part(NamedTuple):
    """Something a picture shows: the board, a pit or store with all that lies in it, or whose turn it is."""

    title: str  # "South A: 4 seeds"; "" for the board
    ground: tuple[Shape, ...]  # what looks the same in every position, as long as pits stay with their owners
    top: tuple[Shape, ...]


class Drawing(NamedTuple):
    """A picture in units of the distance between two pits, from (0, 0) right and down. Parts lie on the first."""

    width: float
    height: float
    title: str
    background: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Palette:
    """Colours, "#rrggbb", on a light page. Marks differ for every eye: a blue ring and orange dots."""

    page: str = "#fcf9f2"
    words: str = "#4a3a2a"  # on the page
    shadow: str = "#6b4a26"
    edge: str = "#a87740"
    wood: str = "#dcb57c"
    grain: str = "#b98a4e"
    lip: str = "#f3dcb0"  # the lit edge of a pit or store
    hollow: str = "#5e3b1e"
    floor: str = "#84582f"
    number: str = "#33210f"  # on the wood
    letter: str = "#5f4020"
    seeds: tuple[str, ...] = ("#f2e8d2", "#e9dcc0", "#dfd3bf")
    playable: str = "#0063a8"
    played: str = "#d55e00"
    owners: tuple[str, str] = ("#c4ead9", "#5d3a7e")  # one light and one dark, for eyes that see no colours
    initials: tuple[str, str] = ("#12352a", "#ffffff")  # on these


LIGHT = Palette()
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
    owners=("#8fcbb6", "#7d55a8"),
    initials=("#0c2a20", "#ffffff"),
)
