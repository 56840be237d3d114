"""The letters of the raster pictures: strokes with round ends, kept as a few points each and drawn at any size.

SVG has fonts; NumPy has none, and a picture should need neither font files nor an imaging package.
"""

from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

CAPITAL = 0.72  # height of capitals and digits, in units of the font size
REGULAR, BOLD = 0.085, 0.118  # width of a stroke, in units of the font size

# Each glyph is some strokes, each stroke the corners of a line: x to the right, y up from the baseline, capitals ten
# units high. The line takes a corner in a curve as wide as its neighbours allow, a corner with "!" sharply; so four
# corners and "z", which closes the line, are an ellipse. A stroke of one point is a dot.
_GLYPHS = {
    "0": "0,0 0,10 6,10 6,0 z",
    "1": "0.4,8 3.4,10! 3.4,0",
    "2": "0.2,7.2 0.2,10 5.8,10 5.8,5.4 0,0! 6,0",
    "3": "0.2,7.8 0.2,10 5.6,10 5.6,5.4 2.2,5.4; 2.2,5.4 6,5.4 6,0 0,0 0,2.2",
    "4": "4.6,0 4.6,10! 0,2.8! 6.6,2.8",
    "5": "5.4,10 0.9,10! 0.5,5.4! 1.4,6.5 6,6.5 6,0 0,0 0,2",
    "6": "5.5,8 5.5,10 0,10 0,0 6,0 6,6.2 0,6.2 0,3.1",
    "7": "0,10 6,10! 2,0",
    "8": "0.4,5.3 0.4,10 5.6,10 5.6,5.3 z; 0,0 0,5.3 6,5.3 6,0 z",
    "9": "0.5,2 0.5,0 6,0 6,10 0,10 0,3.8 6,3.8 6,6.9",
    "A": "0,0 3.6,10! 7.2,0; 1.3,3.4 5.9,3.4",
    "B": "0,0! 0,10! 3,10! 5.6,10 5.6,5.3 3,5.3! 0,5.3; 3,5.3! 6.2,5.3 6.2,0 3,0! 0,0",
    "C": "6.4,7.4 6.4,10 0,10 0,0 6.4,0 6.4,2.6",
    "D": "0,0! 0,10! 2.4,10! 6.8,10 6.8,0 2.4,0! 0,0",
    "E": "5.4,10 0,10! 0,0! 5.4,0; 0,5.2 4.6,5.2",
    "F": "5.4,10 0,10! 0,0; 0,5.2 4.6,5.2",
    "G": "6.4,7.6 6.4,10 0,10 0,0 6.6,0 6.6,4.8! 3.9,4.8",
    "H": "0,0 0,10; 6.4,0 6.4,10; 0,5.2 6.4,5.2",
    "I": "0.6,0 0.6,10",
    "J": "4.4,10 4.4,0 0,0 0,2.4",
    "K": "0,0 0,10; 6,10 0,4; 2.2,6.2 6.4,0",
    "L": "0,10 0,0! 5.2,0",
    "M": "0,0 0,10! 4,3! 8,10! 8,0",
    "N": "0,0 0,10! 6.6,0! 6.6,10",
    "O": "0,0 0,10 7.4,10 7.4,0 z",
    "P": "0,0 0,10! 3,10! 6,10 6,4.6 3,4.6! 0,4.6",
    "Q": "0,0 0,10 7.4,10 7.4,0 z; 4.6,2.6 7.6,-0.6",
    "R": "0,0 0,10! 3,10! 6,10 6,4.6 3,4.6! 0,4.6; 3.2,4.6 6.4,0",
    "S": "5.9,7.8 5.9,10 0.2,10 0.2,5.2 6.2,5.2 6.2,0 0,0 0,2.2",
    "T": "0,10 7,10; 3.5,10 3.5,0",
    "U": "0,10 0,0 6.4,0 6.4,10",
    "V": "0,10 3.5,0! 7,10",
    "W": "0,10 2.5,0! 5,9! 7.5,0! 10,10",
    "X": "0,0 6.4,10; 0,10 6.4,0",
    "Y": "0,10 3.4,4.8! 6.8,10; 3.4,4.8 3.4,0",
    "Z": "0,10 6,10! 0,0! 6,0",
    "a": "0.5,5.4 0.5,7.2 4.9,7.2 4.9,0; 4.9,4.3 0,4.3 0,0 4.9,0 4.9,2.6",
    "b": "0,10 0,0; 0,0 0,7.2 5.2,7.2 5.2,0 z",
    "c": "5,5.4 5,7.2 0,7.2 0,0 5,0 5,1.8",
    "d": "5.2,10 5.2,0; 0,0 0,7.2 5.2,7.2 5.2,0 z",
    "e": "0,3.7! 5.2,3.7! 5.2,7.2 0,7.2 0,0 5,0 5,1.6",
    "f": "3.8,10 1.4,10 1.4,0; 0,7 3.6,7",
    "g": "0,0 0,7.2 5.2,7.2 5.2,0 z; 5.2,7.2 5.2,-2.8 0.3,-2.8 0.3,-1.8",
    "h": "0,10 0,0; 0,3.6 0,7.2 4.9,7.2 4.9,0",
    "i": "0.6,7 0.6,0; 0.6,9.7",
    "j": "1.6,7 1.6,-2.8 -0.4,-2.8; 1.6,9.7",
    "k": "0,10 0,0; 4.6,7 0,2.6; 1.7,4.3 5,0",
    "l": "0.6,10 0.6,0 2.2,0",
    "m": "0,7 0,0; 0,3.6 0,7.2 4.1,7.2 4.1,0; 4.1,3.6 4.1,7.2 8.2,7.2 8.2,0",
    "n": "0,7 0,0; 0,3.6 0,7.2 4.9,7.2 4.9,0",
    "o": "0,0 0,7.2 5.4,7.2 5.4,0 z",
    "p": "0,7 0,-3; 0,0 0,7.2 5.2,7.2 5.2,0 z",
    "q": "5.2,7 5.2,-3; 0,0 0,7.2 5.2,7.2 5.2,0 z",
    "r": "0,7 0,0; 0,3.6 0,7.2 3.2,7.2",
    "s": "4.5,5.7 4.5,7.2 0.2,7.2 0.2,3.8 4.7,3.8 4.7,0 0,0 0,1.5",
    "t": "1.4,9.4 1.4,0 3.8,0; 0,7 3.6,7",
    "u": "0,7 0,0 4.9,0 4.9,3.6; 4.9,7 4.9,0",
    "v": "0,7 2.7,0! 5.4,7",
    "w": "0,7 2.1,0! 4.2,6.6! 6.3,0! 8.4,7",
    "x": "0,0 5,7; 0,7 5,0",
    "y": "0,7 2.7,0.2; 5.4,7 1.9,-2.8 0.2,-2.8",
    "z": "0,7 4.8,7! 0,0! 4.8,0",
    ".": "0.4,0",
    ",": "0.8,0 0.2,-1.8",
    ":": "0.4,0.2; 0.4,5.8",
    ";": "0.8,0.2 0.2,-1.6; 0.6,5.8",
    "'": "0.4,10 0.4,7.6",
    "-": "0,4 3,4",
    "+": "0,4.6 5,4.6; 2.5,7.1 2.5,2.1",
    "%": "0,5.4 0,10 3.2,10 3.2,5.4 z; 5.2,0 5.2,4.6 8.4,4.6 8.4,0 z; 7.4,10 1,0",
    "_": "0,-1.2 5,-1.2",
    "½": "0,8.8 1.4,10! 1.4,5.6; 0.6,0 6,10; 4.4,3.4 4.4,4.6 7.2,4.6 7.2,2.4 4.3,0! 7.4,0",
    "?": "0,7.8 0,10 5,10 5,5.4 2.4,5.4 2.4,2.8; 2.4,0",
}
_GAP = 1.7  # between the ink of two letters, on the same scale
_SPACE = 3.2
_ROUND = 0.5523  # makes a cubic the quarter of a circle


@lru_cache(maxsize=512)
def word(text: str, size: float, stroke: float) -> tuple[npt.NDArray[np.float32], int, int, float]:
    """How much ink lies on each pixel of a word.

    Parameters
    ----------
    text : what to write; "?" stands in for a character that is missing here
    size : font size in pixels
    stroke : ``REGULAR`` or ``BOLD``

    Returns
    -------
    ink : float32[h, w], 0 to 1, read-only
    left, up : pixels from the corner of ``ink`` to the start of the word and to half the height of a capital
    advance : the width of the word in pixels
    """
    pen = stroke * size
    scale = (CAPITAL * size - pen) / 10
    margin = int(np.ceil(pen)) + 1
    places, x = [], 0.0
    for char in text:
        if char == " ":
            x += _SPACE * scale
            continue
        lines = _lines(char)
        places.append((lines * scale, x))
        x += (lines[:, ::2].max() + _GAP) * scale + pen
    advance = max(x - _GAP * scale, 0.0)

    left, up = margin, int(np.ceil(6.5 * scale)) + margin
    down = int(np.ceil(8 * scale)) + margin
    ink = np.zeros((up + down, int(np.ceil(advance)) + 2 * margin), dtype=np.float32)
    for lines, start in places:
        first = max(int(start) - margin, -left) + left
        last = first + int(np.ceil(lines[:, ::2].max())) + 2 * margin + 2
        across = np.arange(first, min(last, ink.shape[1])) + 0.5 - left - start - pen / 2
        upwards = 5 * scale - (np.arange(len(ink)) + 0.5 - up)
        distance = _distance(across, upwards, lines)
        part = ink[:, first : first + len(across)]
        np.maximum(part, np.clip(pen / 2 + 0.5 - distance, 0, 1), out=part)
    ink.setflags(write=False)
    return ink, left, up, advance


def _distance(x: npt.NDArray[Any], y: npt.NDArray[Any], lines: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """float64[h, w]: from each point (x[j], y[i]) to the nearest of ``lines``, float64[n, 4] from (x, y) to (x, y)."""
    x0, y0, x1, y1 = lines.T
    dx, dy = x1 - x0, y1 - y0
    px, py = x[None, :, None] - x0, y[:, None, None] - y0
    along = np.clip((px * dx + py * dy) / np.maximum(dx * dx + dy * dy, 1e-9), 0, 1)
    squared = ((px - along * dx) ** 2 + (py - along * dy) ** 2).min(axis=2)
    return np.asarray(np.sqrt(squared))


@cache
def _lines(char: str) -> npt.NDArray[np.float64]:
    """float64[n, 4]: the straight lines that a glyph is drawn with, from (x, y) to (x, y)."""
    strokes = [_flat(stroke.split()) for stroke in _GLYPHS.get(char, _GLYPHS["?"]).split(";")]
    return np.concatenate([np.hstack([points[:-1], points[1:]]) for points in strokes])


def _flat(corners: list[str]) -> npt.NDArray[np.float64]:
    """float64[n, 2]: a stroke with its corners rounded, as a chain of points."""
    closed = corners[-1] == "z"
    if closed:
        corners = corners[:-1]
    points = np.array([corner.rstrip("!").split(",") for corner in corners], dtype=np.float64)
    if len(points) == 1:
        return points[[0, 0]]
    sharp = [corner.endswith("!") for corner in corners]
    if not closed:
        sharp[0] = sharp[-1] = True

    chain = []
    for k, corner in enumerate(points):
        if sharp[k]:
            chain.append(corner[None])
            continue
        arms = []
        for other in ((k - 1) % len(points), (k + 1) % len(points)):
            arms.append((points[other] - corner) * (1.0 if sharp[other] else 0.5))
        lengths = [float(np.hypot(*arm)) for arm in arms]
        for which in (0, 1):
            arms[which] *= min(1.0, 2 * lengths[1 - which] / lengths[which])
        t = np.linspace(0, 1, 9)[:, None]
        start, end = corner + arms[0], corner + arms[1]
        near_start, near_end = corner + (1 - _ROUND) * arms[0], corner + (1 - _ROUND) * arms[1]
        chain.append(
            (1 - t) ** 3 * start + 3 * t * (1 - t) ** 2 * near_start + 3 * t**2 * (1 - t) * near_end + t**3 * end
        )
    if closed:
        chain.append(chain[0][:1])
    return np.concatenate(chain)
