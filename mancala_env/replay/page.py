"""Pages that stand alone: the player's script and style inside, nothing to fetch."""

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from importlib import resources
from typing import Any
from urllib.parse import quote

from mancala_env.render.shapes import DARK, LIGHT
from mancala_env.replay.board import colours

_BOARD = (  # four pits of a board
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='#dcb27a'/>"
    "<path d='M5 5h0m6 0h0m-6 6h0m6 0h0' stroke='#7a5230' stroke-width='4.6' stroke-linecap='round'/></svg>"
)
ICON = f"data:image/svg+xml,{quote(_BOARD)}"


def document(
    title: str,
    body: str,
    data: dict[str, Any],
    *,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    dark: bool | None = None,
) -> str:
    """A page with the player's style and script. ``body`` is trusted; ``title`` and ``data`` may hold any text."""
    style = "\n".join([theme(), asset("viewer.css"), asset("player.css"), *styles])
    script = "\n".join([asset("board.js"), asset("viewer.js"), asset("player.js"), *scripts])
    return page(title, body, data, style, script, dark=dark)


def page(
    title: str, body: str, data: Any, style: str, script: str, *, dark: bool | None = None, connects: bool = False
) -> str:
    """A page of one file; ``body``, ``style`` and ``script`` are trusted, ``title`` and ``data`` may hold any text. It
    can fetch nothing and runs no script but this one; with ``connects`` it can ask its server, and run its workers."""
    # No text in the data can end it: ``<`` never stands there as such.
    content = json.dumps(data, separators=(",", ":"), allow_nan=False)
    content = content.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    chosen = "" if dark is None else f' data-theme="{"dark" if dark else "light"}"'
    script = f"\n{script}\n"
    policy = content_policy(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'", connects=connects)
    return f"""<!DOCTYPE html>
<html lang="en"{chosen}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<link rel="icon" href="{ICON}">
<style>
{style}
</style>
</head>
<body>
{body}
<script type="application/json" id="data">{content}</script>
<script>{script}</script>
</body>
</html>
"""


def content_policy(scripts: str, *, connects: bool) -> str:
    """What a page may load and run, as browsers read it (Content-Security-Policy); ``scripts``: their sources."""
    from_here = "connect-src 'self'; worker-src 'self'; " if connects else ""
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data:; {from_here}"
        "object-src 'none'; base-uri 'none'; form-action 'none'"
    )


# Of a server, with every answer; its pages say themselves which script they run.
SERVED_POLICY = content_policy("'unsafe-inline'", connects=True) + "; frame-ancestors 'none'"


def asset(name: str) -> str:
    """The text of a file that lies beside this module."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def theme(scope: str = ":root") -> str:
    """All colours as variables of what the selector ``scope`` chooses, for light and dark pages."""
    light, dark = (
        "".join(f"--b-{name}:{colour};" for name, colour in colours(palette).items()) for palette in (LIGHT, DARK)
    )
    of_boards = (
        f":root{{{light}}}\n"
        f"@media screen and (prefers-color-scheme: dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{{dark}}}}}"
    )
    return f"{of_boards}\n{asset('theme.css')}".replace(":root", scope)
