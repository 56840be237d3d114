"""The seeds in a pit or store, and their number."""

from functools import lru_cache

import numpy as np

from mancala_env.ending import number
from mancala_env.render.geometry import Place
from mancala_env.render.palette import Palette
from mancala_env.render.shapes import Disc, Shape, Text

PIT_SHOWS, STORE_SHOWS = 12, 24  # with more seeds than this, a pit or a store shows their number alone
SEED = 0.083  # radius
COUNT = 0.26  # from the edge of a cell to the middle of its count


def contents(cell: int, place: Place, count: float, limit: int, palette: Palette) -> tuple[Shape, ...]:
    """The seeds in a cell and beside it their number; with more than ``limit``, the number alone, large and inside.

    A half seed is in the number alone.
    """
    if count > limit:
        size = 0.46 if count < 100 else 0.35
        return (Text(place.x, place.y, size, number(count), palette.seeds[0], bold=True),)
    ink = palette.number if count else palette.letter
    written = Text(place.x, place.beside(COUNT), 0.38, number(count), ink, bold=True)
    spots = seed_spots(cell, place, int(count))
    shadows, seeds = [], []
    for k, (dx, dy) in enumerate(spots):
        x, y = place.x + dx, place.y + dy
        shadows.append(Disc(x + 0.018, y + 0.028, SEED, "#000000", 0.38))
        seeds.append(Disc(x, y, SEED, palette.seeds[(cell + k) % len(palette.seeds)]))
        seeds.append(Disc(x - 0.026, y - 0.03, 0.36 * SEED, "#ffffff", 0.6))
    return written, *shadows, *seeds


def seed_spots(cell: int, place: Place, count: int) -> tuple[tuple[float, float], ...]:
    """Where each of ``count`` seeds lies in a cell, x and y from its middle."""
    return _spots(count, place.width / 2 - SEED - 0.05, (place.height - place.width) / 2, cell)


@lru_cache(maxsize=4096)
def _spots(count: int, radius: float, half_length: float, cell: int) -> tuple[tuple[float, float], ...]:
    """The spots of ``seed_spots``: thrown in at random, then pushed apart; the same at every call.

    They lie in a circle of this radius, drawn out up and down by ``half_length`` each way.
    """
    rng = np.random.default_rng((cell, count))
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
