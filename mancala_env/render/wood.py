"""The board that never changes: its wood, the hollows of pits and stores, and the names of the pits."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mancala_env.render.geometry import MARGIN, NAME, Frame, Place, framed
from mancala_env.render.palette import Palette
from mancala_env.render.shapes import Box, Shape, Text
from mancala_env.rules import Ruleset


class Stage(NamedTuple):
    """A board without anything that changes, in layers; the tiles of owners lie between the two."""

    frame: Frame
    wood: tuple[Shape, ...]
    cells: tuple[Shape, ...]  # the hollows, and the names of the pits


def stage(rules: Ruleset, orientation: int, palette: Palette) -> Stage:
    """The board without seeds, counts and owners, for pictures that draw these themselves."""
    frame = framed(rules, orientation)
    pits, stores = frame.places[: rules.board.pits], frame.places[rules.board.pits :]
    cells: list[Shape] = []
    for pit, place in enumerate(pits):
        cells += [*hollow(place, palette), pit_name(rules, pit, place, palette)]
    for place in stores:
        cells += hollow(place, palette)
    return Stage(frame, wood(frame, palette), tuple(cells))


@lru_cache(maxsize=64)
def wood(frame: Frame, palette: Palette) -> tuple[Shape, ...]:
    """The wood, with its grain."""
    middle_x, middle_y = frame.width / 2, frame.height / 2
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
    if frame.beam is not None:
        x, y, length, thick, _ = frame.beam
        shapes.append(Box(x, y + 0.02, length, thick, thick / 2, palette.lip, 0.8))
        shapes.append(Box(x, y, length, thick, thick / 2, palette.hollow, 0.8))
    return tuple(shapes)


def hollow(place: Place, palette: Palette) -> tuple[Shape, ...]:
    """A cell, lit from the upper left: a bright lip at the lower right, a floor that is darkest at the upper left."""
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


def pit_name(rules: Ruleset, pit: int, place: Place, palette: Palette) -> Text:
    """The name of a pit."""
    return Text(place.x, place.beside(NAME), 0.23, rules.board.names[pit], palette.letter)
