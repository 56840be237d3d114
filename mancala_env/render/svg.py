"""A position as an SVG picture."""

from typing import Any
from xml.sax.saxutils import escape

from mancala_env.checks import Positions
from mancala_env.render.drawing import board_drawing
from mancala_env.render.shapes import CAPITAL, Box, Disc, Drawing, Shape
from mancala_env.rules import Ruleset

FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"


def board_svg(rules: Ruleset, position: Positions, *, size: int = 720, **options: Any) -> str:
    """A position as an SVG picture of ``size`` pixels across that stands alone: no script, no style sheet, no id. Every
    pit and store has a title ("South A: 4 seeds"), and the picture one for screen readers, with a description that
    lists the others. ``options`` as in ``mancala_env.render.drawing.board_drawing``."""
    if not size > 0:
        raise ValueError(f"{rules.name}: a picture must be some pixels wide, not {size!r}")
    return svg_of(board_drawing(rules, position, **options), size)


def svg_of(drawing: Drawing, size: int) -> str:
    """A drawing as an SVG picture of this width in pixels."""
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
    weight = ' font-weight="bold"' if shape.bold else ""
    return (
        f'<text x="{_number(shape.x)}" y="{_number(shape.y + CAPITAL / 2 * shape.size)}" '
        f'font-size="{_number(shape.size)}"{weight} text-anchor="middle" fill="{shape.colour}">'
        f"{escape(shape.words)}</text>"
    )


def _opacity(opacity: float) -> str:
    return "" if opacity == 1 else f' opacity="{_number(opacity)}"'


def _number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
