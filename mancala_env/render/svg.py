"""A position as an SVG picture."""

from collections.abc import Mapping
from xml.sax.saxutils import escape

import numpy.typing as npt

from mancala_env.render.drawing import Arrow, Box, Disc, Shape, board_drawing
from mancala_env.render.lettering import CAPITAL
from mancala_env.render.path import Path
from mancala_env.rules import Ruleset

FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"


def board_svg(
    rules: Ruleset,
    row: npt.ArrayLike,
    *,
    size: int = 720,
    dark: bool = False,
    orientation: int = 0,
    legal: npt.ArrayLike | None = None,
    last_pit: int | None = None,
    path: Path | None = None,
    values: npt.ArrayLike | Mapping[int, float] | None = None,
    percent: bool = False,
) -> str:
    """A position as an SVG picture that stands alone: no script, no style sheet, no id, nothing to fetch.

    Every hole has a title ("South A: 4 seeds"), which browsers show under the pointer. The picture has one too, for
    screen readers, and a description that lists the holes, since they take what has role "img" for a single thing.

    Parameters
    ----------
    rules : the game
    row : int[rules.fields["width"]], a position as ``kernels.layout`` lays it out
    size : width in pixels; narrower places shrink it
    dark : for a dark page
    orientation : the player who sits below, 0 South or 1 North; his store is at the right
    legal : bool[A], optional
        Which actions of the mover may be played; their pits are outlined.
    last_pit : int, optional
        The pit 0..N-1 that was played last; it gets a dotted ring.
    path : Path, optional
        The way of the last move (``render.path.path_of``), in order; captured pits are ringed.
    values : float[A], or a mapping from actions to numbers, optional
        What the mover's actions are worth, written beside their pits; nan, or not in the mapping: nothing.
    percent : the values are probabilities, and written in per cent

    Raises
    ------
    ValueError
        If the row is no position of a board of this size, an option does not fit this board, or size is not positive.
    """
    if not size > 0:
        raise ValueError(f"{rules.name}: a picture must be some pixels wide, not {size!r}")
    drawing = board_drawing(
        rules, row, dark=dark, orientation=orientation, legal=legal, last_pit=last_pit, path=path, values=values,
        percent=percent,
    )  # fmt: skip
    width, height = _number(drawing.width), _number(drawing.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" '
        f'width="{size}" height="{round(size * drawing.height / drawing.width)}" '
        f'style="max-width:100%" font-family="{FONT}">',
        f"<title>{escape(drawing.title)}</title>",
        f"<desc>{escape('; '.join(part.title for part in drawing.parts if part.title))}</desc>",
        f'<rect width="{width}" height="{height}" fill="{drawing.background}"/>',
    ]
    for part in drawing.parts:
        lines.append("<g>")
        if part.title:
            lines.append(f"<title>{escape(part.title)}</title>")
        lines.extend(_element(shape) for shape in (*part.ground, *part.top))
        lines.append("</g>")
    lines.append("</svg>")
    return "\n".join(lines)


def _element(shape: Shape) -> str:
    if isinstance(shape, Disc):
        kind = "stroke" if shape.line else "fill"
        paint = f'{kind}="{shape.colour}"' + _opacity(shape.opacity)
        if shape.line:
            paint += f' stroke-width="{_number(shape.line)}" fill="none"'
        return f'<circle cx="{_number(shape.x)}" cy="{_number(shape.y)}" r="{_number(shape.radius)}" {paint}/>'
    if isinstance(shape, Box):
        x, y = shape.x - shape.width / 2, shape.y - shape.height / 2
        return (
            f'<rect x="{_number(x)}" y="{_number(y)}" width="{_number(shape.width)}" height="{_number(shape.height)}" '
            f'rx="{_number(shape.radius)}" fill="{shape.colour}"{_opacity(shape.opacity)}/>'
        )
    if isinstance(shape, Arrow):
        corners = "L".join(f"{_number(x)} {_number(y)}" for x, y in shape.corners)
        return f'<path d="M{corners}Z" fill="{shape.colour}"/>'
    weight = ' font-weight="bold"' if shape.bold else ""
    return (
        f'<text x="{_number(shape.x)}" y="{_number(shape.y + CAPITAL / 2 * shape.size)}" '
        f'font-size="{_number(shape.size)}"{weight} text-anchor="{shape.anchor}" fill="{shape.colour}">'
        f"{escape(shape.words)}</text>"
    )


def _opacity(opacity: float) -> str:
    return "" if opacity == 1 else f' opacity="{_number(opacity)}"'


def _number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
