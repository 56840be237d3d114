"""A position as a drawing: the one list of shapes that the pictures in SVG and in pixels paint."""

import numpy as np
import numpy.typing as npt

from mancala_env.checks import Positions
from mancala_env.render import pieces
from mancala_env.render.geometry import Frame, Place, framed
from mancala_env.render.shapes import DARK, LIGHT, Drawing, Palette, Part, Shape, Text
from mancala_env.render.shown import CLOSED, NOBODY, Shown, read, title
from mancala_env.rules import Ruleset
from mancala_env.trace import Trace

CAPTION, DETAIL = 0.42, 0.34  # heights of the lines under the board


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
    """A position, int16[W] (``kernels.layout``), as a drawing; a finished game after the final collection.

    Player ``orientation`` sits below. Pits of ``legal`` actions, bool[A], are outlined; ``last_pit``, else the pit of
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
    tint_of = {} if trace is None else pieces.tints(trace, shown)
    taken = () if trace is None else trace.taken
    if trace is not None and last_pit is None:
        last_pit = trace.pit
    palette = DARK if dark else LIGHT

    frame = framed(rules, orientation)
    parts = [Part("", pieces.wood(frame, palette), ())]
    for pit, place in enumerate(frame.places[: rules.board.pits]):
        tiled = shown.owner[pit] != NOBODY
        around = pieces.rings(place, pit in playable, pit == last_pit, pit in taken, tiled, palette)
        ground, top = _pit(rules, shown, pit, place, around, palette)
        parts.append(Part(title(rules, shown, pit), ground, (*pieces.tint(place, tint_of.get(pit), palette), *top)))
    for player in range(rules.players):
        cell = rules.board.pits + player
        ground, top = _seat(rules, shown, player, frame, palette)
        words = title(rules, shown, cell) if rules.has_stores else ""
        floor = pieces.tint(frame.places[cell], tint_of.get(cell), palette) if rules.has_stores else ()
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
    ground = pieces.tile(place, shown.owner[pit], palette) + pieces.hollow(place, palette)
    ground = (*ground, pieces.pit_name(rules, pit, place, palette))
    ring, badge = pieces.mark(place, shown.marks[pit], palette)
    if shown.closed[pit]:
        return ground, (*around, Text(place.x, place.y, 0.6, CLOSED, palette.letter, bold=True))
    return ground, (*ring, *around, *pieces.contents(pit, place, shown.seeds[pit], pieces.PIT_SHOWS, palette), *badge)


def _seat(
    rules: Ruleset, shown: Shown, player: int, frame: Frame, palette: Palette
) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    """The ground and the top of a player's name and store; where pits lie on tiles, one here tells whose they are."""
    cell, tiled = rules.board.pits + player, set(shown.owner) != {NOBODY}
    owner, moves = player if tiled else NOBODY, player == shown.player and not shown.why
    name = pieces.banner(frame.seats[player], player, moves, tiled and not rules.has_stores, palette)
    if not rules.has_stores:
        return pieces.tile(frame.seats[player], owner, palette), name
    place = frame.places[cell]
    ground = pieces.tile(place, owner, palette) + pieces.hollow(place, palette)
    return ground, name + pieces.contents(cell, place, shown.seeds[cell], pieces.STORE_SHOWS, palette)
