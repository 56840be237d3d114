"""What a picture points out: the pits that may be played, and the last move, from its trace."""

import math

from mancala_env.render.geometry import PIT, Frame, Place
from mancala_env.render.palette import Palette
from mancala_env.render.shapes import Arrow, Box, Disc, Shape
from mancala_env.render.shown import Shown
from mancala_env.trace import EventKind, Trace

DOTS = 18  # in the ring around the pit played last
ARROW = 0.2  # length
FAINT, STRONG = 0.2, 0.62  # opacity of the tint of a cell that was sown: towards the first, and of the last
_STEPS = (EventKind.SOW, EventKind.REAP)  # the events in which the hand goes from one cell to another


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
