"""The data about a board that ``player.js`` needs to look like the pictures of ``mancala_env.render``."""

import base64
from itertools import accumulate
from typing import Any

import numpy as np

from mancala_env.ending import PLAYERS, TALLIES
from mancala_env.kernels import layout
from mancala_env.render import drawing, geometry, shapes, shown
from mancala_env.rules import Goal, Match, Ruleset, Sowing
from mancala_env.trace import KINDS

_COUNTED = {Goal.EMPTY_BLOCK: "to clear", Goal.OUTLAST: "in play", Goal.INNER_ROW: "in play"}  # seeds of the own pits
# A palette whose colours are the names of style-sheet variables: one drawing serves light and dark.
_NAMES: dict[str, Any] = {
    name: tuple(f"{name}-{k}" for k in range(len(value))) if isinstance(value, tuple) else name
    for name, value in vars(shapes.LIGHT).items()
}
NAMED = shapes.Palette(**_NAMES)
MEASURES = {
    "pitShows": drawing.PIT_SHOWS,
    "storeShows": drawing.STORE_SHOWS,
    "seed": drawing.SEED,
    "dots": drawing.DOTS,
    "count": drawing.COUNT,
    "pit": geometry.PIT,
    "faint": drawing.FAINT,
    "strong": drawing.STRONG,
    "name": geometry.NAME,
    "tile": [drawing.TILE[0] - geometry.PIT, drawing.TILE[1] - geometry.PIT],
    "capital": shapes.CAPITAL,
    "seedColours": len(shapes.LIGHT.seeds),
}


def colours(of: shapes.Palette) -> dict[str, str]:
    """The colours of a palette by the names that ``NAMED`` gives them."""
    found: dict[str, str] = {}
    for name, value in vars(of).items():
        found |= {f"{name}-{k}": one for k, one in enumerate(value)} if isinstance(value, tuple) else {name: value}
    return found


def board_spec(rules: Ruleset) -> dict[str, Any]:
    """A board in numbers and words, for ``player.js``."""
    board, match = rules.board, rules.match
    names = [shown.pit_title(rules, pit) for pit in range(board.pits)]
    return {
        "name": rules.name,
        "pits": board.pits,
        "columns": board.columns,
        "players": rules.players,
        "hasStores": bool(rules.has_stores),
        "owner": list(board.owner),
        "captures": rules.sowing not in (Sowing.NEIGHBOURS, Sowing.REAPING, Sowing.PILES),
        "counted": _COUNTED.get(rules.goal, ""),
        "names": list(board.names),
        "titles": [*names, *(f"{player}'s store" for player in PLAYERS[: rules.players])],
        "marked": [shown.mark_words(rules, player) for player in (0, 1)],
        "closed": shown.CLOSED,
        "views": [_view(rules, orientation) for orientation in (0, 1)],
        "tiles": [shown.NOBODY] * board.pits if shown.is_plain(board) else list(board.owner),
        "at": columns(rules),
        "tally": None if match is Match.NONE else TALLIES[match],
        "tallyScale": 2 if rules.counts_points else 1,
        "spots": _spots(rules),
        "kinds": list(KINDS),
        "measures": MEASURES,
    }


def _view(rules: Ruleset, orientation: int) -> dict[str, Any]:
    frame = geometry.framed(rules, orientation)
    cells: list[shapes.Shape] = []
    for cell, place in enumerate(frame.places):
        cells += drawing.hollow(place, NAMED)
        if cell < rules.board.pits:
            cells.append(drawing.pit_name(rules, cell, place, NAMED))
    return {
        "width": round(frame.width, 3),
        "height": round(frame.height, 3),
        "places": [_rounded(place) for place in frame.places],
        "seats": [_rounded(seat) for seat in frame.seats],
        "wood": [_shape(shape) for shape in drawing.wood(frame, NAMED)],
        "cells": [_shape(shape) for shape in cells],
    }


def _shape(shape: shapes.Shape) -> list[Any]:
    kind = {shapes.Disc: "disc", shapes.Box: "box", shapes.Text: "text"}[type(shape)]
    return [kind, *_rounded(shape)]


def _rounded(values: tuple[Any, ...]) -> list[Any]:
    return [round(value, 3) if isinstance(value, float) else value for value in values]


def _spots(rules: Ruleset) -> str:
    """int16, in base64: thousandths x and y of the seeds of each pit and store, for one seed, for two, and so on."""
    places = geometry.places(rules)
    found: list[tuple[float, float]] = []
    for cell, place in enumerate(places):
        most = drawing.PIT_SHOWS if cell < rules.board.pits else drawing.STORE_SHOWS
        for count in range(1, most + 1):
            found += drawing.seed_spots(cell, place, count)
    return base64.b64encode(np.rint(1000 * np.array(found)).astype("<i2").tobytes()).decode()


def columns(rules: Ruleset) -> dict[str, int]:
    """Where in ``packing.position_table`` each part begins; parts that the game does not have are left out."""
    n = rules.board.pits
    widths = {"pits": n, "stores": 2, "mover": 1, "played": 1, "events": 1}
    widths |= {name: width for name, (_, width) in kept_parts(rules).items()}
    if rules.offers_directions:
        widths["way"] = 1
    begins = [0, *accumulate(widths.values())]
    return dict(zip([*widths, "width"], begins, strict=True))


def kept_parts(rules: Ruleset) -> dict[str, tuple[int, int]]:
    """Where in a position the fields begin that are shown besides, and how many numbers each has."""
    n = rules.board.pits
    widths = {"owner": n, "marks": n, "removed": 1, "match": layout.TALLY + 2, "memory": n, "reserve": 2, "debt": 1,
              "closed": n}  # fmt: skip
    return {name: (rules.fields[name], width) for name, width in widths.items() if name in rules.fields}
