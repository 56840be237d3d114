"""What actions are worth, written beside their pits over bars."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.render.geometry import NAME, Place
from mancala_env.render.palette import Palette
from mancala_env.render.shapes import Box, Shape, Text
from mancala_env.rules import Ruleset

PILL = (0.94, 0.29)  # the size of what a value is written on


class Worth(NamedTuple):
    """What playing a pit is worth."""

    words: str
    share: float  # of its bar that is full, 0 to 1
    best: bool  # nothing is better


def worths(
    rules: Ruleset, player: int, values: npt.ArrayLike | Mapping[int, float] | None, percent: bool
) -> dict[int, Worth]:
    """What the mover's actions are worth, by their pits.

    Raises
    ------
    ValueError
        If there are values of other actions than those of this game, or probabilities outside 0 to 1.
    """
    if values is None:
        return {}
    if isinstance(values, Mapping):
        if strange := [action for action in values if action not in range(rules.num_actions)]:
            raise ValueError(f"{rules.name}: actions are 0 to {rules.num_actions - 1}, and values has {strange[0]!r}")
        worth = np.array([float(values.get(action, math.nan)) for action in range(rules.num_actions)])
    else:
        worth = np.asarray(values, dtype=np.float64)
    if worth.shape != (rules.num_actions,):
        raise ValueError(f"{rules.name}: values are one each of {rules.num_actions} actions, not {list(worth.shape)}")
    known = {action: value for action, value in enumerate(worth.tolist()) if math.isfinite(value)}
    known = dict(sorted(known.items(), key=lambda item: item[1]))  # the better of two directions is shown
    if percent and not all(0 <= value <= 1 for value in known.values()):
        raise ValueError(f"{rules.name}: probabilities are from 0 to 1, not {worth.tolist()}")
    low, high = (0.0, 1.0) if percent else (min(known.values(), default=0), max(known.values(), default=0))
    best = max(known.values(), default=0)
    found = {}
    for action, value in known.items():
        pit = rules.pit(player, action)
        if pit is not None:
            share = value if percent else 1.0 if high == low else 0.06 + 0.94 * (value - low) / (high - low)
            found[pit] = Worth(worth_text(value, percent), share, value == best)
    return found


def worth_text(value: float, percent: bool = False) -> str:
    """A value as pictures write it, in few characters: "+3", "-0.25", "+2.5", "45%"; from 1,000 on a sure "win"."""
    if percent:
        return f"{100 * value:.0f}%"
    if abs(value) >= 1000:
        return "win" if value > 0 else "loss"
    if value == round(value) or abs(value) >= 100:
        return f"{value:+.0f}" if round(value) else "0"
    return f"{value:+.1f}" if abs(value) >= 1 else f"{value:+.2f}"


def pill(place: Place, name: str, worth: Worth, palette: Palette) -> tuple[Shape, ...]:
    """The name of a pit and what playing it is worth, over a bar."""
    x, y, (width, height) = place.x, place.beside(NAME), PILL
    inside, tall = width - 0.04, height - 0.04
    long = max(tall, worth.share * inside)
    ink = palette.page if worth.best else palette.words
    return (
        Box(x, y, width, height, height / 2, palette.hollow),
        Box(x, y, inside, tall, tall / 2, palette.page),
        Box(x - (inside - long) / 2, y, long, tall, tall / 2, palette.playable, 1.0 if worth.best else 0.3),
        Text(x - width / 2 + 0.1, y, 0.19, name, ink if worth.share > 0.2 else palette.words, "start"),
        Text(
            x + width / 2 - 0.09,
            y,
            (0.2, 0.18, 0.165)[min(max(len(worth.words), 3), 5) - 3],
            worth.words,
            ink if worth.share > 0.9 else palette.words,
            "end",
            bold=True,
        ),
    )
