"""The picture in pixels and the one in SVG show the same board; without Pillow everything else goes on."""

import io
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image, ImageFont

import mancala_env as mancala
from mancala_env.ending import ENDINGS
from mancala_env.render import geometry
from mancala_env.render.drawing import board_drawing
from mancala_env.render.raster import advance, pixels_of
from mancala_env.render.shapes import DARK, LIGHT, Box, Text
from mancala_env.render.svg import svg_of
from tests.pages import shapes_of

BLOCK = 8  # pixels; edges of shapes may fall a little differently, means of blocks hardly do
LAYLI = mancala.ruleset("layli_goobalay").position(
    pits=[3, 1, 0, 6, 2, 2, 4, 4, 13, 1, 1, 3], stores=(3, 5), marks=[-1, 0, -1, -1, 1, -1, -1, 1, -1, -1, 0, -1]
)
STARTS = [
    *(mancala.ruleset(name).start() for name in ("kalah", "hus", "oware_territory", "reaping", "diffusion")),
    LAYLI,
]
by_name = pytest.mark.parametrize("start", STARTS, ids=lambda state: state.rules.name)


def busy(start, **options):
    """A drawing with all there is: the last move, and what may be played next."""
    action = start.legal_actions[-1]
    after = start.play(action)
    return board_drawing(after.rules, after.array, trace=start.trace(action), legal=after.legal_mask, **options)


def kept(drawing, keeps):
    """The drawing, of the shapes that ``keeps`` says True of."""
    parts = [
        part._replace(ground=tuple(filter(keeps, part.ground)), top=tuple(filter(keeps, part.top)))
        for part in drawing.parts
    ]
    return drawing._replace(parts=tuple(parts))


def blocks(picture):
    """float64[h, w, 3]: means over squares of this number of pixels."""
    height, width = (length // BLOCK for length in picture.shape[:2])
    return picture[: height * BLOCK, : width * BLOCK].reshape(height, BLOCK, width, BLOCK, 3).mean(axis=(1, 3))


def bounds(shape):
    """Left, top, right and bottom of a shape that is no text."""
    wide, high = (shape.width, shape.height) if isinstance(shape, Box) else [2 * shape.radius + shape.line] * 2
    return shape.x - wide / 2, shape.y - high / 2, shape.x + wide / 2, shape.y + high / 2


@by_name
def test_every_shape_of_the_one_drawing_is_in_both_pictures(start):
    """Each shape alone on a green page: one element of the SVG, and pixels within its bounds."""
    drawing = busy(start)._replace(background="#00ff00")
    width = round(48 * drawing.width)
    empty = kept(drawing, lambda shape: False)
    page, elements = pixels_of(empty, width), len(ET.fromstring(svg_of(empty, width)).findall(".//"))
    shapes = list(dict.fromkeys(shapes_of(drawing)))
    for k in np.random.default_rng(1).permutation(len(shapes))[:50].tolist():
        alone = kept(drawing, lambda shape, only=shapes[k]: shape == only)
        assert len(ET.fromstring(svg_of(alone, width)).findall(".//")) == elements + shapes_of(drawing).count(shapes[k])
        rows, columns = np.nonzero((pixels_of(alone, width) != page).any(axis=2))
        assert len(rows), shapes[k]
        if not isinstance(shapes[k], Text):
            left, top, right, bottom = (edge * width / drawing.width for edge in bounds(shapes[k]))
            assert (columns.min(), rows.min()) == pytest.approx((left, top), abs=1.5), shapes[k]
            assert (columns.max() + 1, rows.max() + 1) == pytest.approx((right, bottom), abs=1.5), shapes[k]


@pytest.mark.parametrize("dark", [False, True])
@by_name
def test_a_browser_paints_the_svg_as_pillow_paints_the_pixels(browser, start, dark):
    """All but the letters, since fonts differ."""
    drawing = kept(busy(start, dark=dark), lambda shape: not isinstance(shape, Text))
    width = round(84 * drawing.width)
    page = browser.new_page(viewport={"width": width + 20, "height": 1000})
    page.set_content(f"<body style='margin:0'>{svg_of(drawing, width)}")
    shot = np.array(Image.open(io.BytesIO(page.locator("svg").screenshot())).convert("RGB"))
    page.close()
    pixels = pixels_of(drawing, width)
    assert shot.shape == pixels.shape
    assert np.abs(blocks(shot) - blocks(pixels)).max() < 30
    seed = next(shape for shape in shapes_of(drawing) if shape.colour in LIGHT.seeds + DARK.seeds)
    without_one = pixels_of(kept(drawing, lambda shape: shape is not seed), width)
    assert np.abs(blocks(shot) - blocks(without_one)).max() > 60  # so a missing seed would have been seen


@pytest.mark.parametrize("words", ["South to move", "+0.25", "12", "7½", "½"])
@pytest.mark.parametrize("bold", [False, True])
def test_letters_stand_where_the_drawing_has_them(words, bold):
    """In the middle, half a capital or figure above and below, as wide as ``advance`` says."""
    empty = kept(board_drawing(LAYLI.rules, LAYLI.array), lambda shape: False)
    x, y, size, scale = 4.0, 2.0, 0.38, 720 / empty.width
    text = Text(x, y, size, words, "#000000", bold)
    drawing = empty._replace(parts=(empty.parts[0]._replace(top=(text,)),))
    rows, columns = np.nonzero((pixels_of(drawing, 720) != pixels_of(empty, 720)).any(axis=2))
    wide = advance(words, 1000) * size / 1000
    left = (x - wide / 2) * scale
    assert columns.min() == pytest.approx(left, abs=4)
    assert columns.max() == pytest.approx(left + wide * scale, abs=4)
    assert (rows.min() + rows.max() + 1) / 2 == pytest.approx(y * scale, abs=3)
    assert rows.max() - rows.min() < 1.1 * size * scale


def test_the_font_has_every_sign_that_is_written():
    """What it lacks would be boxes; a half is written as ".5"."""
    font = ImageFont.load_default(size=40)
    box = bytes(font.getmask("\u4e00"))
    texts = [shape.words for start in STARTS for shape in shapes_of(busy(start)) if isinstance(shape, Text)]
    texts += [meaning for _, meaning in ENDINGS.values()] + ["0123456789+-.%"]
    assert [sign for sign in set("".join(texts)) - {" "} if bytes(font.getmask(sign)) == box] == []
    assert bytes(font.getmask("½")) == box


def without_pillow(code):
    """Run a program where Pillow cannot be imported."""
    code = f"import sys; sys.modules['PIL'] = None\n{code}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.integration
def test_games_are_played_and_drawn_without_pillow():
    done = without_pillow(
        "import mancala_env as mancala, mancala_env.aec, mancala_env.single_agent, mancala_env.replay\n"
        "state = mancala.ruleset('kalah').start().play(2)\n"
        "assert state.to_svg().startswith('<svg') and 'South' in state.to_text()\n"
        "game = mancala_env.aec.env('kalah', render_mode='ansi'); game.reset(); game.step(2); print(game.render())\n"
    )
    assert done.returncode == 0, done.stderr
    assert "South to move" in done.stdout


@pytest.mark.integration
@pytest.mark.parametrize(
    "code",
    [
        "from mancala_env.aec import env; env('kalah', render_mode='rgb_array')",
        "from mancala_env.single_agent import MancalaSingleEnv; MancalaSingleEnv('kalah', render_mode='rgb_array')",
        "from mancala_env.render.raster import board_rgb",
    ],
)
def test_pixels_without_pillow_name_the_extra_that_brings_it(code):
    done = without_pillow(code)
    assert done.returncode == 1
    assert "ImportError: pictures in pixels" in done.stderr
    assert 'pip install "mancala-env[render]"' in done.stderr


@pytest.mark.integration
def test_a_store_that_seeds_come_to_clockwise_lies_at_its_owners_left():
    rules = mancala.ruleset("kalah", direction="clockwise")
    south, north = geometry.places(rules)[12:]
    assert south.x < 0 < north.x
    after = rules.start().play(2)  # C, B, A, and the store
    assert after.stores == (1, 0)
    line = next(line for line in after.to_text().splitlines() if line.startswith("South") or line.endswith("North"))
    assert line.split()[0] == "South"
    other = geometry.places(mancala.ruleset("oware", direction="clockwise"))[12:]  # whose stores nobody sows
    assert other[0].x > 0 > other[1].x
