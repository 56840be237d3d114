"""A position as a drawing: a few kinds of flat shapes with sizes, places and colours, for SVG and pixels alike."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.ending import PLAYERS, number
from mancala_env.render.frame import MARGIN, Frame, framed
from mancala_env.render.holes import NAME, NOBODY, PIT, Place, Shown, read, title
from mancala_env.render.path import Path
from mancala_env.rules import Ruleset

PIT_SHOWS, STORE_SHOWS = 12, 24  # with more seeds than this, a hole shows their number alone

SEED = 0.083  # radius
DOTS = 18  # in the ring around the pit played last
COUNT = 0.26  # from the edge of a hole to the middle of its count
CAPTION, DETAIL = 0.42, 0.34  # heights of the lines under the board
ARROW = 0.2  # length
FAINT, STRONG = 0.2, 0.62  # how strongly the pits sown are tinted, the first and the last
PILL = (0.94, 0.29)  # the size of what a value is written on
TILE = (0.96, 1.0)  # what an owner's pit lies on; as large as fits, so that his pits make one field


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
    """A word."""

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
        forward, aside = (math.cos(self.angle), math.sin(self.angle)), (-math.sin(self.angle), math.cos(self.angle))
        return tuple(
            (
                self.x + self.size * (along * forward[0] + across * aside[0]),
                self.y + self.size * (along * forward[1] + across * aside[1]),
            )
            for along, across in ((0.5, 0), (-0.5, 0.5), (-0.5, -0.5))
        )


Shape = Disc | Box | Text | Arrow


class Part(NamedTuple):
    """Something a picture shows: the board, a hole with all that lies in it, or whose turn it is."""

    title: str  # "South A: 4 seeds"; "" for the board
    ground: tuple[Shape, ...]  # what looks the same in every position, as long as pits stay with their owners
    top: tuple[Shape, ...]


class Drawing(NamedTuple):
    """A picture in units of the distance between two pits, its corner at (0, 0), x to the right, y down.

    No part lies on another, but for the first, which is the board under them all, and the arrows of a path on top.
    """

    width: float
    height: float
    title: str
    background: str
    parts: tuple[Part, ...]

    @property
    def shapes(self) -> list[Shape]:
        """All shapes, in the order in which they are painted."""
        return [shape for part in self.parts for shape in (*part.ground, *part.top)]


@dataclass(frozen=True)
class Palette:
    """Colours, "#rrggbb". Marks differ for every eye: ``playable`` is a blue ring, ``played`` orange dots."""

    page: str
    words: str  # on the page
    shadow: str
    edge: str
    wood: str
    grain: str
    lip: str  # the lit edge of a hole
    hollow: str
    floor: str
    number: str  # on the wood
    letter: str
    seeds: tuple[str, ...]
    playable: str
    played: str
    arrow: str
    owners: tuple[str, str]  # South's and North's: one light and one dark, for eyes that see no colours
    initials: tuple[str, str]  # on these


LIGHT = Palette(
    page="#fcf9f2",
    words="#4a3a2a",
    shadow="#6b4a26",
    edge="#a87740",
    wood="#dcb57c",
    grain="#b98a4e",
    lip="#f3dcb0",
    hollow="#5e3b1e",
    floor="#84582f",
    number="#33210f",
    letter="#5f4020",
    seeds=("#f2e8d2", "#e9dcc0", "#dfd3bf"),
    playable="#0063a8",
    played="#d55e00",
    arrow="#d55e00",
    owners=("#c4ead9", "#5d3a7e"),
    initials=("#12352a", "#ffffff"),
)
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
    arrow="#f0a030",
    owners=("#8fcbb6", "#7d55a8"),
    initials=("#0c2a20", "#ffffff"),
)


def board_drawing(
    rules: Ruleset,
    row: npt.ArrayLike,
    *,
    dark: bool = False,
    orientation: int = 0,
    legal: npt.ArrayLike | None = None,
    last_pit: int | None = None,
    path: Path | None = None,
    values: npt.ArrayLike | Mapping[int, float] | None = None,
    percent: bool = False,
) -> Drawing:
    """A position as a drawing; a finished game is drawn after the final collection (``ending.swept``).

    Parameters
    ----------
    rules : the game
    row : int[rules.fields["width"]], a position as ``kernels.layout`` lays it out
    dark : for a dark page
    orientation : the player who sits below, 0 South or 1 North; his store is at the right
    legal : bool[A], optional
        Which actions of the mover may be played; their pits are outlined.
    last_pit : int, optional
        The pit 0..N-1 that was played last; it gets a dotted ring.
    path : Path, optional
        The way of the last move (``render.path.path_of``): a dotted ring around the pit played, holes tinted the more
        the later they were sown, arrows between them, and rings around captured pits.
    values : float[A], or a mapping from actions to numbers, optional
        What the mover's actions are worth, written beside their pits with a bar; nan, or not in the mapping: nothing.
    percent : the values are probabilities, and written in per cent

    Raises
    ------
    ValueError
        If the row is no position of a board of this size, or an option does not fit this board.
    """
    shown = read(rules, row)
    if orientation not in (0, 1):
        raise ValueError(f"{rules.name}: orientation is the player who sits below, 0 or 1, not {orientation!r}")
    if last_pit is not None and last_pit not in range(rules.board.pits):
        raise ValueError(f"{rules.name}: last_pit must be a pit from 0 to {rules.board.pits - 1}, not {last_pit!r}")
    if path is not None and len(path.seeds) != rules.board.pits + 2:
        raise ValueError(f"{rules.name}: this path is one of a board with {len(path.seeds) - 2} pits")
    playable = _playable(rules, shown.player, legal)
    worths = _worths(rules, shown.player, values, percent)
    tints = _tints(path, shown)
    taken = () if path is None else path.taken
    if path is not None and last_pit is None:
        last_pit = path.pit
    palette = DARK if dark else LIGHT

    frame = framed(rules, orientation)
    parts = [Part("", _board(frame, palette), ())]
    for hole, place in enumerate(frame.places[: rules.board.pits]):
        tiled = shown.owner[hole] != NOBODY
        rings = _rings(place, hole in playable, hole == last_pit, hole in taken, tiled, palette)
        ground, top = _pit(rules, shown, hole, place, rings, palette)
        words = title(rules, shown, hole)
        if hole in worths:
            told, share, best = worths[hole]
            words += f", worth {told}"
            top = *top, *_pill(place, rules.board.names[hole], told, share, best, palette)
        parts.append(Part(words, ground, (*_tint(place, tints.get(hole), palette), *top)))
    for player in (0, 1):
        hole = rules.board.pits + player
        ground, top = _seat(rules, shown, player, frame, palette)
        words = title(rules, shown, hole) if rules.has_stores else ""
        tint = _tint(frame.places[hole], tints.get(hole), palette) if rules.has_stores else ()
        parts.append(Part(words, ground, (*tint, *top)))
    if path is not None and path.steps:
        parts.append(Part("", (), _arrows(frame, path.steps, palette)))
    turn = f"{shown.turn}, who must pass" if None in playable else shown.turn
    lines, height = _lines(frame, turn, shown.detail, palette.words)
    parts.append(Part("", (), lines))
    words = f"{rules.name}: {'. '.join(line.words for line in lines)}"
    return Drawing(frame.width, height, words, palette.page, tuple(parts))


class Stage(NamedTuple):
    """A board without anything that changes, in layers; the tiles of owners lie between the two."""

    frame: Frame
    wood: tuple[Shape, ...]
    holes: tuple[Shape, ...]  # the hollows, and the names of the pits


def stage(rules: Ruleset, orientation: int, palette: Palette) -> Stage:
    """The board without seeds, counts and owners, for pictures that draw these themselves."""
    frame = framed(rules, orientation)
    pits, stores = frame.places[: rules.board.pits], frame.places[rules.board.pits :]
    holes: list[Shape] = []
    for pit, place in enumerate(pits):
        holes += [*_hollow(place, palette), _name(rules, pit, place, palette)]
    for place in stores:
        holes += _hollow(place, palette)
    return Stage(frame, _board(frame, palette), tuple(holes))


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
    rules: Ruleset, shown: Shown, hole: int, place: Place, rings: tuple[Shape, ...], palette: Palette
) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    """The ground and the top of a pit's part."""
    name = _name(rules, hole, place, palette)
    ground = *_tile(place, shown.owner[hole], palette), *_hollow(place, palette), name
    ring, badge = _mark(place, shown.marks[hole], palette)
    return ground, (*ring, *rings, *_contents(hole, place, shown.seeds[hole], PIT_SHOWS, palette), *badge)


def _name(rules: Ruleset, pit: int, place: Place, palette: Palette) -> Text:
    return Text(place.x, _beside(place, NAME), 0.23, rules.board.names[pit], palette.letter)


def _seat(
    rules: Ruleset, shown: Shown, player: int, frame: Frame, palette: Palette
) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    """The ground and the top of the part with a player's name, and his store where there is one.

    Where pits lie on tiles, one here shows whose are of its colour.
    """
    seat, hole = frame.seats[player], rules.board.pits + player
    tiled = set(shown.owner) != {NOBODY}
    owner = player if tiled else NOBODY
    moves = player == shown.player and not shown.why
    if not rules.has_stores:
        return _tile(seat, owner, palette), _banner(seat, player, moves, tiled, palette)
    place = frame.places[hole]
    top = _banner(seat, player, moves, False, palette) + _contents(hole, place, shown.seeds[hole], STORE_SHOWS, palette)
    return _tile(place, owner, palette) + _hollow(place, palette), top


def _playable(rules: Ruleset, player: int, legal: npt.ArrayLike | None) -> set[int | None]:
    """The pits of the actions that may be played; None for passing."""
    if legal is None:
        return set()
    mask = np.asarray(legal)
    if mask.shape != (rules.num_actions,):
        raise ValueError(f"{rules.name}: legal must be a mask of {rules.num_actions} actions, not {list(mask.shape)}")
    return {rules.pit(player, action) for action in np.flatnonzero(mask).tolist()}


@lru_cache(maxsize=64)
def _board(frame: Frame, palette: Palette) -> tuple[Shape, ...]:
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


def _tile(place: Place, owner: int, palette: Palette) -> tuple[Shape, ...]:
    """What a pit of this owner lies on, in his colour."""
    if owner == NOBODY:
        return ()
    width, height = place.width + TILE[0] - PIT, place.height + TILE[1] - PIT
    return (Box(place.x, place.y, width, height, 0.16, palette.owners[owner], 0.85),)


def _mark(place: Place, owner: int, palette: Palette) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    """A ring in the colour of the mark's owner, on a dark one; and a badge with his initial."""
    if owner == NOBODY:
        return (), ()
    colour, radius = palette.owners[owner], place.width / 2 + 0.01
    ring = (
        Disc(place.x, place.y, radius, palette.hollow, line=0.1),
        Disc(place.x, place.y, radius, colour, line=0.06),
    )
    x, y = place.x + 0.74 * radius, place.y - 0.74 * radius
    badge = (
        Disc(x, y, 0.165, palette.hollow),
        Disc(x, y, 0.145, colour),
        Text(x, y, 0.21, PLAYERS[owner][0], palette.initials[owner], bold=True),
    )
    return ring, badge


def _hollow(place: Place, palette: Palette) -> tuple[Shape, ...]:
    """A hole, lit from the upper left: a bright lip at the lower right, a floor that is darkest at the upper left."""
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


def _contents(hole: int, place: Place, count: float, limit: int, palette: Palette) -> tuple[Shape, ...]:
    """The seeds in a hole, and beside it their number; or inside it, in large figures, when there are too many.

    A half seed is in the number alone.
    """
    if count > limit:
        size = 0.46 if count < 100 else 0.35
        return (Text(place.x, place.y, size, number(count), palette.seeds[0], bold=True),)
    ink = palette.number if count else palette.letter
    told = Text(place.x, _beside(place, COUNT), 0.38, number(count), ink, bold=True)
    spots = seed_spots(hole, place, int(count))
    shadows, seeds = [], []
    for k, (dx, dy) in enumerate(spots):
        x, y = place.x + dx, place.y + dy
        shadows.append(Disc(x + 0.018, y + 0.028, SEED, "#000000", 0.38))
        seeds.append(Disc(x, y, SEED, palette.seeds[(hole + k) % len(palette.seeds)]))
        seeds.append(Disc(x - 0.026, y - 0.03, 0.36 * SEED, "#ffffff", 0.6))
    return told, *shadows, *seeds


def seed_spots(hole: int, place: Place, count: int) -> tuple[tuple[float, float], ...]:
    """Where so many seeds lie in a hole, from its middle."""
    return _spots(count, place.width / 2 - SEED - 0.05, (place.height - place.width) / 2, hole)


@lru_cache(maxsize=4096)
def _spots(count: int, radius: float, half_length: float, hole: int) -> tuple[tuple[float, float], ...]:
    """Where seeds lie, from the middle of their hole: thrown in at random, then pushed apart; the same at every call.

    They lie in a circle of this radius, drawn out up and down by ``half_length`` each way.
    """
    rng = np.random.default_rng((hole, count))
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


def _tints(path: Path | None, shown: Shown) -> dict[int, float]:
    """How strongly each hole that was sown is tinted: the later, the stronger; not where a capture left nothing."""
    if path is None:
        return {}
    sown = path.sown
    return {
        hole: FAINT + (STRONG - FAINT) * (k + 1) / len(sown)
        for k, hole in enumerate(sown)
        if hole not in path.taken or shown.seeds[hole]
    }


def _tint(place: Place, strength: float | None, palette: Palette) -> tuple[Shape, ...]:
    """The floor of a hole where a seed fell."""
    if strength is None:
        return ()
    width, height = place.width - 0.03, place.height - 0.03
    return (Box(place.x, place.y, width, height, width / 2, palette.played, round(strength, 3)),)


def _arrows(frame: Frame, steps: tuple[tuple[int, int], ...], palette: Palette) -> tuple[Shape, ...]:
    """An arrow in front of each hole that was sown, from where the seeds came."""
    shapes: list[Shape] = []
    for start, end in dict.fromkeys(steps):
        x, y, angle = between(frame.places[start], frame.places[end])
        tip = Arrow(x, y, ARROW, angle, palette.hollow)
        shapes += [tip, tip._replace(size=0.68 * ARROW, x=x - 0.012 * math.cos(angle), y=y - 0.012 * math.sin(angle),
                                     colour=palette.arrow)]  # fmt: skip
    return tuple(shapes)


def between(start: Place, end: Place) -> tuple[float, float, float]:
    """Where an arrow from one hole to another stands, x and y, and the angle it points to."""
    reach, other = ((place.height - place.width) / 2 for place in (start, end))
    low, high = max(start.y - reach, end.y - other), min(start.y + reach, end.y + other)
    level = (low + high) / 2
    from_y, to_y = (start.y, end.y) if low > high else (level, level)
    if low > high:
        from_y, to_y = (start.y + reach, end.y - other) if end.y > start.y else (start.y - reach, end.y + other)
    across, down = end.x - start.x, to_y - from_y
    distance = math.hypot(across, down)
    gap = distance - (start.width + end.width) / 2
    back = end.width / 2 + (gap / 2 if gap < PIT else ARROW / 2)
    angle = math.atan2(down, across)
    return end.x - back * math.cos(angle), to_y - back * math.sin(angle), angle


def _worths(
    rules: Ruleset, player: int, values: npt.ArrayLike | Mapping[int, float] | None, percent: bool
) -> dict[int, tuple[str, float, bool]]:
    """By pits of the mover: what the action is worth in words, its bar from 0 to 1, and whether nothing is better."""
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
    if percent and not all(0 <= value <= 1 for value in known.values()):
        raise ValueError(f"{rules.name}: probabilities are from 0 to 1, not {worth.tolist()}")
    low, high = (0.0, 1.0) if percent else (min(known.values(), default=0), max(known.values(), default=0))
    best = max(known.values(), default=0)
    found = {}
    for action, value in known.items():
        pit = rules.pit(player, action)
        if pit is not None:
            share = value if percent else 1.0 if high == low else 0.06 + 0.94 * (value - low) / (high - low)
            found[pit] = (worth_text(value, percent), share, value == best)
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


def _pill(place: Place, name: str, told: str, share: float, best: bool, palette: Palette) -> tuple[Shape, ...]:
    """The name of a pit and what playing it is worth, over a bar."""
    x, y, (width, height) = place.x, _beside(place, NAME), PILL
    inside, tall = width - 0.04, height - 0.04
    long = max(tall, share * inside)
    ink = palette.page if best else palette.words
    return (
        Box(x, y, width, height, height / 2, palette.hollow),
        Box(x, y, inside, tall, tall / 2, palette.page),
        Box(x - (inside - long) / 2, y, long, tall, tall / 2, palette.playable, 1.0 if best else 0.3),
        Text(x - width / 2 + 0.1, y, 0.19, name, ink if share > 0.2 else palette.words, "start"),
        Text(
            x + width / 2 - 0.09,
            y,
            (0.2, 0.18, 0.165)[min(max(len(told), 3), 5) - 3],
            told,
            ink if share > 0.9 else palette.words,
            "end",
            bold=True,
        ),
    )


def _rings(place: Place, playable: bool, played: bool, taken: bool, tiled: bool, palette: Palette) -> tuple[Shape, ...]:
    radius = place.width / 2 + 0.025
    shapes = []
    if taken:
        shapes.append(Disc(place.x, place.y, radius, palette.page, line=0.11))
        shapes.append(Disc(place.x, place.y, radius, palette.played, line=0.055))
    if playable and tiled:  # parts the ring from a tile that may be as dark
        shapes.append(Disc(place.x, place.y, radius, palette.page, line=0.1))
    if playable:
        shapes.append(Disc(place.x, place.y, radius, palette.playable, line=0.05))
    if played:
        for k in range(DOTS):
            x, y = radius * math.cos(k * math.tau / DOTS), radius * math.sin(k * math.tau / DOTS)
            shapes.append(Disc(place.x + x, place.y + y, 0.036, palette.played))
    return tuple(shapes)


def _beside(place: Place, distance: float) -> float:
    """The y of what is written at this distance from a hole."""
    return place.y + place.label * (place.height / 2 + distance)


def _banner(seat: Place, player: int, moves: bool, tiled: bool, palette: Palette) -> tuple[Shape, ...]:
    """A player's name, on a ribbon when he is to move."""
    x, y, width, height, _ = seat
    if not moves:
        return (Text(x, y, 0.23, PLAYERS[player], palette.initials[player] if tiled else palette.letter),)
    edge = (Box(x, y, width + 0.05, height + 0.05, height / 2 + 0.025, palette.page),) if tiled else ()
    name = Text(x, y, 0.23, PLAYERS[player], palette.page, bold=True)
    return *edge, Box(x, y, width, height, height / 2, palette.playable), name
