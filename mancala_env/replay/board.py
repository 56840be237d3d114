"""What the player has to know of a board: the drawing that never changes, and measures for the rest.

All of it comes from ``render.drawing``, so that a replayed board looks like the pictures.
"""

import base64
from typing import Any

import numpy as np

from mancala_env.ending import PLAYERS, TALLIES
from mancala_env.render import drawing, holes
from mancala_env.render.lettering import CAPITAL
from mancala_env.replay.game import columns
from mancala_env.rules import Match, Ruleset
from mancala_env.trace import KINDS

# A palette whose colours are the names of style-sheet variables: one drawing serves light and dark.
_NAMES: dict[str, Any] = {
    name: tuple(f"{name}-{k}" for k in range(len(value))) if isinstance(value, tuple) else name
    for name, value in vars(drawing.LIGHT).items()
}
NAMED = drawing.Palette(**_NAMES)
MEASURES = {
    "pitShows": drawing.PIT_SHOWS,
    "storeShows": drawing.STORE_SHOWS,
    "seed": drawing.SEED,
    "dots": drawing.DOTS,
    "count": drawing.COUNT,
    "pit": holes.PIT,
    "arrow": drawing.ARROW,
    "faint": drawing.FAINT,
    "strong": drawing.STRONG,
    "pill": list(drawing.PILL),
    "name": holes.NAME,
    "tile": [drawing.TILE[0] - holes.PIT, drawing.TILE[1] - holes.PIT],
    "capital": CAPITAL,
    "seedColours": len(drawing.LIGHT.seeds),
}


def colours(palette: drawing.Palette) -> dict[str, str]:
    """The colours of a palette by the names that ``NAMED`` gives them."""
    found: dict[str, str] = {}
    for name, value in vars(palette).items():
        found |= {f"{name}-{k}": one for k, one in enumerate(value)} if isinstance(value, tuple) else {name: value}
    return found


def board_spec(rules: Ruleset) -> dict[str, Any]:
    """A board in numbers and words, for ``player.js``."""
    board, match = rules.board, rules.match
    fixed = (holes.NOBODY,) * board.pits if board.halves else board.owner
    side = [PLAYERS[owner] if board.halves else "Pit" for owner in board.owner]
    names = [f"{who} {name}" for who, name in zip(side, board.names, strict=True)]
    return {
        "name": rules.name,
        "pits": board.pits,
        "columns": board.columns,
        "hasStores": bool(rules.has_stores),
        "names": list(board.names),
        "titles": [*names, *(f"{player}'s store" for player in PLAYERS)],
        "marked": rules.mark_word,
        "views": [_view(rules, orientation) for orientation in (0, 1)],
        "tiles": list(fixed),
        "at": columns(rules),
        "tally": None if match is Match.NONE else TALLIES[match],
        "tallyScale": 2 if match in (Match.WINS, Match.DIFFERENCE) else 1,
        "spots": _spots(rules),
        "kinds": list(KINDS),
        "measures": MEASURES,
    }


def _view(rules: Ruleset, orientation: int) -> dict[str, Any]:
    """The board with this player below."""
    stage = drawing.stage(rules, orientation, NAMED)
    frame = stage.frame
    return {
        "width": round(frame.width, 3),
        "height": round(frame.height, 3),
        "places": [_rounded(place) for place in frame.places],
        "seats": [_rounded(seat) for seat in frame.seats],
        "wood": [_shape(shape) for shape in stage.wood],
        "holes": [_shape(shape) for shape in stage.holes],
    }


def _shape(shape: drawing.Shape) -> list[Any]:
    kind = {drawing.Disc: "disc", drawing.Box: "box", drawing.Text: "text"}[type(shape)]
    return [kind, *_rounded(shape)]


def _rounded(values: tuple[Any, ...]) -> list[Any]:
    return [round(value, 3) if isinstance(value, float) else value for value in values]


def _spots(rules: Ruleset) -> str:
    """int16, in base64: thousandths x and y of the seeds of each hole, for one seed, for two, and so on."""
    places = holes.places(rules)
    found: list[tuple[float, float]] = []
    for hole, place in enumerate(places):
        most = drawing.PIT_SHOWS if hole < rules.board.pits else drawing.STORE_SHOWS
        for count in range(1, most + 1):
            found += drawing.seed_spots(hole, place, count)
    return base64.b64encode(np.rint(1000 * np.array(found)).astype("<i2").tobytes()).decode()
