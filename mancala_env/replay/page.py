"""Pages that stand alone: games packed small, the player's script and style inside, nothing to fetch."""

import base64
import json
import zlib
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_env.render.drawing import DARK, LIGHT
from mancala_env.replay.board import board_spec, colours
from mancala_env.replay.game import Replay

BLOCK = 4096  # positions that are packed together: a page unpacks only the block of the game it shows


def player_html(games: Sequence[Replay], *, dark: bool | None = None, title: str = "", orientation: int = 0) -> str:
    """A page that replays games: one file, no network, for a browser or an ``<iframe srcdoc>``.

    The board is drawn as ``State.to_svg`` draws it. Keys: left and right step, home and end jump, space plays; f turns
    the board. Seeds move one by one, unless the reader's system asks for less motion.

    Parameters
    ----------
    games : the games, of any rulesets
    dark : for a dark page, a light one, or (None) whichever the reader's system asks for
    title : of the page; "" for that of the first game
    orientation : the player who sits below at first, 0 South or 1 North

    Raises
    ------
    ValueError
        If there is no game.
    """
    if not games:
        raise ValueError("a page of games needs one game at least, and there is none")
    if orientation not in (0, 1):
        raise ValueError(f"orientation is the player who sits below, 0 or 1, not {orientation!r}")
    heading = title or games[0].title or games[0].rules.name
    data = packed_games(games) | {"orientation": orientation}
    body = '<main class="single" id="page"></main>'
    return document(heading, body, data, scripts=["start().then(showGames);"], dark=dark)


def packed_games(games: Iterable[Replay]) -> dict[str, Any]:
    """Games as ``player.js`` reads them: boards, packed positions, and what is written beside each game."""
    packer = Packer()
    told = []
    for game in games:
        told.append(
            {
                "title": game.title or game.rules.name,
                "players": list(game.players),
                "result": game.ending,
                "values": _values(game),
                "place": packer.add(game),
            }
        )
    return packer.packed() | {"games": packed_json(told)}


class Packer:
    """Collects positions of games: differences between neighbours, in blocks, deflated."""

    def __init__(self) -> None:
        self._boards: list[dict[str, Any]] = []
        self._known: list[Any] = []
        self._open: dict[int, list[npt.NDArray[np.int16]]] = {}
        self._told: dict[int, list[npt.NDArray[np.int16]]] = {}  # the events of the same positions
        self._texts: dict[int, list[str]] = {}
        self._number: dict[int, int] = {}
        self._blocks: list[list[Any]] = []

    def add(self, game: Replay) -> list[Any]:
        """Take a game; returns where its positions are, and what is told between and after them.

        Board, block, the first in the block, how many; the seeds after the final collection (``Replay.final``) or null;
        of each game of a match that ended: after which ply, the result in short, and all of it (``GameEnd``).
        """
        board = self._board(game)
        if board not in self._open:
            self._open[board], self._number[board] = [], len(self._blocks)
            self._told[board], self._texts[board] = [], []
            self._blocks.append([])
        block = self._number[board]
        table = game.table()
        first = sum(map(len, self._open[board]))
        self._open[board].append(table)
        self._told[board] += game.told()
        self._texts[board] += game.texts()
        if first + len(table) >= BLOCK:
            self._close(board)
        ends = [[end.ply, end.short(), end.told()] for end in game.game_ends]
        return [board, block, first, len(table), game.final, ends]

    def packed(self) -> dict[str, Any]:
        """All that was added. A block: how many positions, how many events, and three texts in which they are packed,
        the positions (``Replay.table``), the events (``Replay.told``) and the sentences (``Replay.texts``)."""
        for board in list(self._open):
            self._close(board)
        return {"boards": packed_json(self._boards), "blocks": self._blocks}

    def _board(self, game: Replay) -> int:
        for number, rules in enumerate(self._known):
            if rules is game.rules or rules == game.rules:
                return number
        self._known.append(game.rules)
        self._boards.append(board_spec(game.rules))
        return len(self._known) - 1

    def _close(self, board: int) -> None:
        table, told = np.concatenate(self._open.pop(board)), np.concatenate(self._told.pop(board))
        packed = [packed_table(table), packed_table(told), packed_json(self._texts.pop(board))]
        self._blocks[self._number.pop(board)] = [len(table), len(told), *packed]


def packed_table(table: npt.NDArray[np.int16]) -> str:
    """A table as text: differences from line to line, signs folded in, low bytes before high ones, deflated, base64."""
    change = np.diff(table.astype(np.int32), axis=0, prepend=0)
    folded = np.where(change < 0, -2 * change - 1, 2 * change).astype("<u2")
    planes = folded.view(np.uint8).reshape(-1, 2).T
    return base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode()


def packed_json(data: Any) -> str:
    """Plain data as text: JSON, deflated, base64."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode()


def document(
    title: str,
    body: str,
    data: dict[str, Any],
    *,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    dark: bool | None = None,
) -> str:
    """A page with the player's style and script in it.

    ``body`` is trusted HTML; ``title`` and ``data`` may hold any text. ``scripts`` run behind the player's own.
    """
    style = "\n".join([theme(), asset("player.css"), *styles])
    script = "\n".join([asset("board.js"), asset("player.js"), *scripts])
    return page(title, body, data, style, script, dark=dark)


def page(
    title: str, body: str, data: Any, style: str, script: str, *, dark: bool | None = None, connects: bool = False
) -> str:
    """A page of one file; ``body``, ``style`` and ``script`` are trusted, ``title`` and ``data`` may hold any text.

    It can fetch nothing, or with ``connects`` only from where it came.
    """
    chosen = "" if dark is None else f' data-theme="{"dark" if dark else "light"}"'
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    if connects:
        policy += "; connect-src 'self'"
    return f"""<!DOCTYPE html>
<html lang="en"{chosen}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>
{style}
</style>
</head>
<body>
{body}
<script type="application/json" id="data">{_in_script(data)}</script>
<script>
{script}
</script>
</body>
</html>
"""


def asset(name: str) -> str:
    """The text of a file that lies beside this module."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _in_script(data: Any) -> str:
    """JSON that no text in it can end: ``<`` never stands in it as such."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def theme(scope: str = ":root") -> str:
    """All colours as variables of what the selector ``scope`` chooses, for light and dark pages."""
    return "\n".join([_variables(), asset("theme.css")]).replace(":root", scope)


def _variables() -> str:
    """The colours of the boards as variables."""
    light, dark = (
        "".join(f"--b-{name}:{colour};" for name, colour in colours(palette).items()) for palette in (LIGHT, DARK)
    )
    return (
        f":root{{{light}}}\n"
        f"@media screen and (prefers-color-scheme: dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{{dark}}}}}"
    )


def _values(game: Replay) -> list[float | None] | None:
    if game.values is None:
        return None
    return [None if value is None or not np.isfinite(value) else round(float(value), 4) for value in game.values]
