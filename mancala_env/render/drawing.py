"""A position as a drawing, the one list of shapes that the pictures in SVG and in pixels paint: wood, hollows, seeds,
players, and what is pointed out: the pits that may be played, and the last move."""

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mancala_env.checks import Positions
from mancala_env.ending import PLAYERS, number
from mancala_env.render.geometry import MARGIN, NAME, PIT, Frame, Place, framed
from mancala_env.render.shapes import DARK, LIGHT, Box, Disc, Drawing, Palette, Part, Shape, Text
from mancala_env.render.shown import CLOSED, NOBODY, Shown, read, title
from mancala_env.rules import Ruleset
from mancala_env.trace import EventKind, Trace

CAPTION, DETAIL = 0.42, 0.34  # heights of the lines under the board
PIT_SHOWS, STORE_SHOWS = 12, 24  # with more seeds than this, a pit or a store shows their number alone
SEED = 0.083  # radius
COUNT = 0.26  # from the edge of a cell to the middle of its count
TILE = (0.96, 1.0)  # the size of a pit's tile; as large as fits, so that the pits of an owner make one field
DOTS = 18  # in the ring around the pit played last
FAINT, STRONG = 0.2, 0.62  # opacity of the tint of a cell that was sown: towards the first, and of the last
_STEPS = (EventKind.SOW, EventKind.REAP)  # the events in which the hand goes from one cell to another


def board_drawing(
    rules: Ruleset,
    position: Positions,
    *,
    dark: bool = False,
    orientation: int = 0,
    legal: npt.ArrayLike | None = None,
    last_pit: int | None = None,
    trace: Trace | None = None,
) -> Drawing:
    """A position, int16[W] (``kernels.layout``), as a drawing; a finished game after the final collection. Player
    ``orientation`` sits below. Pits of ``legal`` actions, bool[A], are outlined; ``last_pit``, else the pit of
    ``trace``, gets a dotted ring. ``trace``, the last move, tints what was sown, the stronger the later, and has rings
    around captured pits. Raises ValueError if something does not fit the board."""
    shown = read(rules, position)
    if orientation not in (0, 1):
        raise ValueError(f"{rules.name}: orientation is the player who sits below, 0 or 1, not {orientation!r}")
    if last_pit is not None and last_pit not in range(rules.board.pits):
        raise ValueError(f"{rules.name}: last_pit must be a pit from 0 to {rules.board.pits - 1}, not {last_pit!r}")
    if trace is not None and trace.rules.board.pits != rules.board.pits:
        raise ValueError(f"{rules.name}: trace must be of this board, not a board with {trace.rules.board.pits} pits")
    mask = np.zeros(rules.num_actions, dtype=np.bool_) if legal is None else np.asarray(legal)
    if mask.shape != (rules.num_actions,):
        raise ValueError(f"{rules.name}: legal must be a mask of {rules.num_actions} actions, not {list(mask.shape)}")
    playable = {rules.pit(shown.player, action) for action in np.flatnonzero(mask).tolist()}  # None: for passing
    tint_of = {} if trace is None else tints(trace, shown)
    taken = () if trace is None else trace.taken
    if trace is not None and last_pit is None:
        last_pit = trace.pit
    palette = DARK if dark else LIGHT

    frame = framed(rules, orientation)
    parts = [Part("", wood(frame, palette), ())]
    for pit, place in enumerate(frame.places[: rules.board.pits]):
        tiled = shown.owner[pit] != NOBODY
        around = rings(place, pit in playable, pit == last_pit, pit in taken, tiled, palette)
        ground, top = _pit(rules, shown, pit, place, around, palette)
        parts.append(Part(title(rules, shown, pit), ground, (*tint(place, tint_of.get(pit), palette), *top)))
    for player in range(rules.players):
        cell = rules.board.pits + player
        ground, top = _seat(rules, shown, player, frame, palette)
        words = title(rules, shown, cell) if rules.has_stores else ""
        floor = tint(frame.places[cell], tint_of.get(cell), palette) if rules.has_stores else ()
        parts.append(Part(words, ground, (*floor, *top)))
    turn = f"{shown.turn}, who must pass" if None in playable else shown.turn
    lines, height = _lines(frame, turn, shown.detail, palette.words)
    parts.append(Part("", (), lines))
    words = f"{rules.name}: {'. '.join(line.words for line in lines)}"
    return Drawing(frame.width, height, words, palette.page, tuple(parts))


def _lines(frame: Frame, turn: str, detail: str, colour: str) -> tuple[tuple[Text, ...], float]:
    """The lines under the board, and the height of the picture with them; larger under a board of many columns."""
    grown, y = max(1, frame.width / 15), frame.height
    lines = []
    for words, size, high, middle in ((turn, 0.26, CAPTION, CAPTION / 2 - 0.05), (detail, 0.23, DETAIL, 0.09)):
        if words:
            fitting = min(size * grown, 1.75 * frame.width / len(words))
            lines.append(Text(frame.width / 2, y + grown * middle, fitting, words, colour))
            y += grown * high
    return tuple(lines), y


def _pit(
    rules: Ruleset, shown: Shown, pit: int, place: Place, around: tuple[Shape, ...], palette: Palette
) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    ground = tile(place, shown.owner[pit], palette) + hollow(place, palette)
    ground = (*ground, pit_name(rules, pit, place, palette))
    ring, badge = mark(place, shown.marks[pit], palette)
    if shown.closed[pit]:
        return ground, (*around, Text(place.x, place.y, 0.6, CLOSED, palette.letter, bold=True))
    return ground, (*ring, *around, *contents(pit, place, shown.seeds[pit], PIT_SHOWS, palette), *badge)


def _seat(
    rules: Ruleset, shown: Shown, player: int, frame: Frame, palette: Palette
) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    """The ground and the top of a player's name and store; where pits lie on tiles, one here tells whose they are."""
    cell, tiled = rules.board.pits + player, set(shown.owner) != {NOBODY}
    owner, moves = player if tiled else NOBODY, player == shown.player and not shown.why
    name = banner(frame.seats[player], player, moves, tiled and not rules.has_stores, palette)
    if not rules.has_stores:
        return tile(frame.seats[player], owner, palette), name
    place = frame.places[cell]
    ground = tile(place, owner, palette) + hollow(place, palette)
    return ground, name + contents(cell, place, shown.seeds[cell], STORE_SHOWS, palette)


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
    rims = [(0.014, 0.022, 0.03, palette.lip, 0.8), (-0.006, -0.01, 0.02, palette.edge, 0.9)]
    floor = [(0.006 * k, 0.009 * k, -0.018 * k - 0.004 * k * k, palette.floor, 0.25) for k in range(1, 8)]
    shapes = []
    for dx, dy, grown, colour, opacity in (*rims, (0.0, 0.0, 0.0, palette.hollow, 1.0), *floor):
        width, height = place.width + grown, place.height + grown
        shapes.append(Box(place.x + dx, place.y + dy, width, height, min(width, height) / 2, colour, opacity))
    return tuple(shapes)


def pit_name(rules: Ruleset, pit: int, place: Place, palette: Palette) -> Text:
    """The name of a pit."""
    return Text(place.x, place.beside(NAME), 0.23, rules.board.names[pit], palette.letter)


def contents(cell: int, place: Place, count: float, limit: int, palette: Palette) -> tuple[Shape, ...]:
    """The seeds in a cell, halves left out, and beside it their number; beyond ``limit`` that alone, large."""
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


@lru_cache(maxsize=4096)
def seed_spots(cell: int, place: Place, count: int) -> tuple[tuple[float, float], ...]:
    """Where each of ``count`` seeds lies in a cell, x and y from its middle: thrown in by a seed, then pushed apart."""
    radius, half_length = place.width / 2 - SEED - 0.05, (place.height - place.width) / 2  # a circle, drawn out
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


def tile(place: Place, owner: int, palette: Palette) -> tuple[Shape, ...]:
    """What the cell of an owner lies on, in the owner's colour; nothing where the owner is ``NOBODY``."""
    if owner == NOBODY:
        return ()
    width, height = place.width + TILE[0] - PIT, place.height + TILE[1] - PIT
    return (Box(place.x, place.y, width, height, 0.16, palette.owners[owner], 0.85),)


def mark(place: Place, owner: int, palette: Palette) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    """A ring in the colour of the mark's owner, on a dark one; and a badge with the owner's initial."""
    if owner == NOBODY:
        return (), ()
    colour, radius = palette.owners[owner], place.width / 2 + 0.01
    ring = (Disc(place.x, place.y, radius, palette.hollow, line=0.1), Disc(place.x, place.y, radius, colour, line=0.06))
    x, y = place.x + 0.74 * radius, place.y - 0.74 * radius
    badge = (
        Disc(x, y, 0.165, palette.hollow),
        Disc(x, y, 0.145, colour),
        Text(x, y, 0.21, PLAYERS[owner][0], palette.initials[owner], bold=True),
    )
    return ring, badge


def banner(seat: Place, player: int, moves: bool, tiled: bool, palette: Palette) -> tuple[Shape, ...]:
    """A player's name, on a ribbon where that player is to move."""
    x, y, width, height, _ = seat
    if not moves:
        return (Text(x, y, 0.23, PLAYERS[player], palette.initials[player] if tiled else palette.letter),)
    edge = (Box(x, y, width + 0.05, height + 0.05, height / 2 + 0.025, palette.page),) if tiled else ()
    name = Text(x, y, 0.23, PLAYERS[player], palette.page, bold=True)
    return *edge, Box(x, y, width, height, height / 2, palette.playable), name


def sown(trace: Trace) -> tuple[int, ...]:
    """The cells that got seeds, each once, in the order in which they got their last."""
    last_first = dict.fromkeys(event.target for event in reversed(trace.events) if event.kind in _STEPS)
    return tuple(reversed(last_first))


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
