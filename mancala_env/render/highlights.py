"""What a picture points out: the pits that may be played, what that is worth, and the last move, from its trace."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.render.geometry import NAME, PIT, Frame, Place
from mancala_env.render.palette import Palette
from mancala_env.render.shapes import Arrow, Box, Disc, Shape, Text
from mancala_env.render.shown import Shown
from mancala_env.rules import Ruleset
from mancala_env.trace import EventKind, Trace

DOTS = 18  # in the ring around the pit played last
ARROW = 0.2  # length
FAINT, STRONG = 0.2, 0.62  # opacity of the tint of a cell that was sown: towards the first, and of the last
_STEPS = (EventKind.SOW, EventKind.REAP)  # the events in which the hand goes from one cell to another
PILL = (0.94, 0.29)  # the size of what a value is written on


def steps(trace: Trace) -> tuple[tuple[int, int], ...]:
    """From which cell to which the hand went with each seed, in order."""
    return tuple((event.source, event.target) for event in trace.events if event.kind in _STEPS)  # type: ignore[misc]


def sown(trace: Trace) -> tuple[int, ...]:
    """The cells that got seeds, each once, in the order in which they got their last."""
    return tuple(reversed(dict.fromkeys(target for _, target in reversed(steps(trace)))))


def rings(place: Place, playable: bool, played: bool, taken: bool, tiled: bool, palette: Palette) -> tuple[Shape, ...]:
    """Rings around a pit: one that is captured, one that may be played, and the dots of the one played last."""
    radius = place.width / 2 + 0.025
    lines = [(palette.page, 0.11), (palette.played, 0.055)] if taken else []
    if playable and tiled:  # parts the ring from a tile that may be as dark
        lines.append((palette.page, 0.1))
    if playable:
        lines.append((palette.playable, 0.05))
    angles = [k * math.tau / DOTS for k in range(DOTS if played else 0)]
    dots = [(place.x + radius * math.cos(angle), place.y + radius * math.sin(angle)) for angle in angles]
    return (
        *(Disc(place.x, place.y, radius, colour, line=line) for colour, line in lines),
        *(Disc(x, y, 0.036, palette.played) for x, y in dots),
    )


def tints(trace: Trace, shown: Shown) -> dict[int, float]:
    """The opacity of the tint of each cell that was sown, later ones stronger; none where a capture left nothing."""
    cells, taken = sown(trace), trace.taken
    return {
        cell: FAINT + (STRONG - FAINT) * (k + 1) / len(cells)
        for k, cell in enumerate(cells)
        if cell not in taken or shown.seeds[cell]
    }


def tint(place: Place, opacity: float | None, palette: Palette) -> tuple[Shape, ...]:
    """The floor of a cell where a seed fell; nothing for None."""
    if opacity is None:
        return ()
    width, height = place.width - 0.03, place.height - 0.03
    return (Box(place.x, place.y, width, height, width / 2, palette.played, round(opacity, 3)),)


def arrows(frame: Frame, trace: Trace, palette: Palette) -> tuple[Shape, ...]:
    """An arrow in front of each cell that was sown, from where the seeds came."""
    shapes: list[Shape] = []
    for start, end in dict.fromkeys((start, end) for start, end in steps(trace) if start != end):
        x, y, angle = _between(frame.places[start], frame.places[end])
        tip = Arrow(x, y, ARROW, angle, palette.hollow)
        shapes += [tip, tip._replace(size=0.68 * ARROW, x=x - 0.012 * math.cos(angle), y=y - 0.012 * math.sin(angle),
                                     colour=palette.played)]  # fmt: skip
    return tuple(shapes)


def _between(start: Place, end: Place) -> tuple[float, float, float]:
    """Where an arrow from one cell to another stands, x and y, and the angle it points to."""
    reach, other = ((place.height - place.width) / 2 for place in (start, end))
    low, high = max(start.y - reach, end.y - other), min(start.y + reach, end.y + other)
    from_y = to_y = (low + high) / 2
    if low > high:
        down = math.copysign(1, end.y - start.y)
        from_y, to_y = start.y + down * reach, end.y - down * other
    across = end.x - start.x
    gap = math.hypot(across, to_y - from_y) - (start.width + end.width) / 2
    back = end.width / 2 + (gap / 2 if gap < PIT else ARROW / 2)
    angle = math.atan2(to_y - from_y, across)
    return end.x - back * math.cos(angle), to_y - back * math.sin(angle), angle


class Worth(NamedTuple):
    """What playing a pit is worth."""

    words: str
    share: float  # of its bar that is full, 0 to 1
    best: bool  # nothing is better


def worths(rules: Ruleset, player: int, values: npt.ArrayLike | Mapping[int, float] | None) -> dict[int, Worth]:
    """What the mover's actions are worth, by their pits. ValueError for other actions."""
    if values is None:
        return {}
    if isinstance(values, Mapping):
        if strange := [action for action in values if action not in range(rules.num_actions)]:
            raise ValueError(f"{rules.name}: actions are 0 to {rules.num_actions - 1}, and values has {strange[0]!r}")
        values = [values.get(action, math.nan) for action in range(rules.num_actions)]
    worth = np.asarray(values, dtype=np.float64)
    if worth.shape != (rules.num_actions,):
        raise ValueError(f"{rules.name}: values are one each of {rules.num_actions} actions, not {list(worth.shape)}")
    known = worth[np.isfinite(worth)]
    low, high = min(known, default=0), max(known, default=0)
    found = {}
    for action in np.argsort(worth, kind="stable").tolist():  # the better of two directions is shown
        value, pit = worth.item(action), rules.pit(player, action)
        if pit is not None and math.isfinite(value):
            share = 1.0 if high == low else 0.06 + 0.94 * (value - low) / (high - low)
            found[pit] = Worth(worth_text(value), float(share), bool(value == high))
    return found


def worth_text(value: float) -> str:
    """A value as pictures write it, in few characters: "+3", "-0.25", "+2.5"; from 1,000 on a sure "win"."""
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
    size = (0.2, 0.18, 0.165)[min(max(len(worth.words), 3), 5) - 3]
    return (
        Box(x, y, width, height, height / 2, palette.hollow),
        Box(x, y, inside, tall, tall / 2, palette.page),
        Box(x - (inside - long) / 2, y, long, tall, tall / 2, palette.playable, 1.0 if worth.best else 0.3),
        Text(x - width / 2 + 0.1, y, 0.19, name, ink if worth.share > 0.2 else palette.words, "start"),
        Text(x + width / 2 - 0.09, y, size, worth.words, ink if worth.share > 0.9 else palette.words, "end", bold=True),
    )
