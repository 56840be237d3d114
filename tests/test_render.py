"""Pictures show every count, name every hole, and are the same whenever they are drawn."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_env as mancala
from mancala_env.kernels import layout
from mancala_env.render.drawing import DARK, LIGHT, Box, Disc, Text, board_drawing
from mancala_env.render.holes import letters, places
from mancala_env.render.lettering import BOLD, word
from mancala_env.render.raster import board_rgb
from mancala_env.render.svg import board_svg
from mancala_env.render.text import board_text

KALAH = mancala.ruleset("kalah")
SVG = "{http://www.w3.org/2000/svg}"
MIDGAME = [0, 1, 12, 5, 2, 6, 7, 3, 0, 13, 8, 10]


def row_of(pits, stores=(0, 0), player=0, over=""):
    return np.array([*pits, *stores, player, 9, 0, layout.TERMINATIONS.index(over)], dtype=np.int16)


@st.composite
def rows(draw):
    """A board of 1 to 12 columns with any seeds on it."""
    rules = mancala.ruleset("kalah", pits_per_row=draw(st.integers(1, 12)))
    count = st.integers(0, 14) | st.integers(0, 288)
    seeds = draw(st.lists(count, min_size=rules.board.pits + 2, max_size=rules.board.pits + 2))
    over = draw(st.sampled_from(layout.TERMINATIONS))
    return rules, row_of(seeds[:-2], seeds[-2:], draw(st.integers(0, 1)), over)


def numbers_in(svg):
    return sorted(int(text.text) for text in ET.fromstring(svg).iter(f"{SVG}text") if text.text.isdigit())


def titles_in(svg):
    return [title.text for title in ET.fromstring(svg).iter(f"{SVG}title")]


def hollow(drawing, hole):
    """The box that is the inside of a hole."""
    return next(shape for shape in drawing.parts[1 + hole].ground if shape.colour == LIGHT.hollow)


def changed(before, after):
    """The box (top, bottom, left, right) of the pixels that differ."""
    y, x = np.nonzero((before != after).any(axis=2))
    return y.min(), y.max(), x.min(), x.max()


def test_the_text_shows_the_board_as_south_sees_it():
    assert board_text(KALAH, row_of(MIDGAME, (4, 14), 1)) == "\n".join(
        [
            "              f    e    d    c    b    a",
            "      ┌────┬────┬────┬────┬────┬────┬────┬────┐",
            "      │    │ 10 │  8 │ 13 │  0 │  3 │  7 │    │",
            "North │ 14 ├────┼────┼────┼────┼────┼────┤  4 │ South",
            "      │    │  0 │  1 │ 12 │  5 │  2 │  6 │    │",
            "      └────┴────┴────┴────┴────┴────┴────┴────┘",
            "              A    B    C    D    E    F",
            "North to move",
        ]
    )


def test_a_finished_game_says_why_it_is_over_and_nobody_moves():
    finished = row_of([0] * 12, (30, 18), over="side_empty")
    for picture in (board_text(KALAH, finished), board_svg(KALAH, finished)):
        assert "Over: side_empty" in picture
        assert "to move" not in picture


@given(rows())
def test_the_text_has_every_count_and_no_blank_at_the_end_of_a_line(game):
    rules, row = game
    text = board_text(rules, row)
    assert sorted(map(int, re.findall(r"\d+", text))) == sorted(row[: rules.board.pits + 2])
    assert all(line == line.rstrip() for line in text.splitlines())
    assert len({len(line) for line in text.splitlines() if "─" in line and "North" not in line}) == 1


@settings(max_examples=40, deadline=None)
@given(rows(), st.booleans(), st.integers(0, 1))
def test_an_svg_is_xml_and_shows_every_count_once(game, dark, orientation):
    rules, row = game
    svg = board_svg(rules, row, dark=dark, orientation=orientation, legal=[True] * rules.num_actions, last_pit=0)
    assert numbers_in(svg) == sorted(row[: rules.board.pits + 2])
    assert len(titles_in(svg)) == rules.board.pits + 3


@settings(max_examples=40, deadline=None)
@given(rows(), st.booleans(), st.integers(0, 1), st.sampled_from([64, 100, 333]))
def test_any_row_of_any_board_has_a_raster_picture(game, dark, orientation, width):
    rules, row = game
    legal = [True] * rules.num_actions
    one, other = (
        board_rgb(rules, row, width=width, dark=dark, orientation=orientation, legal=legal, last_pit=0) for _ in "12"
    )
    assert one.dtype == np.uint8
    assert one.shape[1:] == (width, 3)
    assert np.array_equal(one, other)


def test_every_hole_of_an_svg_has_a_title():
    small = mancala.ruleset("kalah", pits_per_row=2)
    assert titles_in(board_svg(small, row_of([4, 1, 0, 2], (1, 13)))) == [
        "kalah: South to move",
        "South A: 4 seeds",
        "South B: 1 seed",
        "North a: 0 seeds",
        "North b: 2 seeds",
        "South's store: 1 seed",
        "North's store: 13 seeds",
    ]


def test_an_svg_stands_alone():
    svg = board_svg(KALAH, row_of(MIDGAME), size=500)
    root = ET.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("width") == "500"
    assert "South A: 0 seeds; South B: 1 seed" in root.find(f"{SVG}desc").text
    assert not re.search(r"href|url\(|<script|<style|\bid=", svg)


def test_a_state_draws_itself():
    state = mancala.ruleset("kalah").start()
    assert state.to_text() == board_text(state.rules, state.row)
    assert state.to_svg(dark=True) == board_svg(state.rules, state.row, dark=True)
    assert state._repr_svg_() == board_svg(state.rules, state.row)


def test_stores_are_drawn_for_games_that_do_not_sow_into_them():
    oware = mancala.ruleset("oware")
    assert numbers_in(board_svg(oware, row_of([4] * 12, (0, 0)))) == [0, 0] + [4] * 12


def test_holes_do_not_touch():
    for columns in (1, 6, 12):
        where = places(mancala.ruleset("kalah", pits_per_row=columns))
        for i, one in enumerate(where):
            for other in where[:i]:
                beside = abs(one.x - other.x) >= (one.width + other.width) / 2 + 0.1
                above = abs(one.y - other.y) >= (one.height + other.height) / 2 + 0.1
                assert beside or above


def test_letters_run_from_their_owners_left():
    assert letters(KALAH) == tuple("ABCDEFabcdef")
    where = places(KALAH)
    assert [where[pit].x for pit in range(6)] == sorted(where[pit].x for pit in range(6))
    for pit, across in enumerate(KALAH.board.facing):
        assert where[pit].x == where[across].x
        assert where[pit].y == -where[across].y


def test_up_to_a_dozen_seeds_are_drawn_and_more_are_a_number():
    for count in range(20):
        part = board_drawing(KALAH, row_of([count] + [0] * 11)).parts[1]
        drawn = sum(isinstance(shape, Disc) and shape.colour in LIGHT.seeds for shape in part.top)
        assert drawn == (count if count <= 12 else 0)
        assert [shape.words for shape in part.top if isinstance(shape, Text)] == [str(count)]


@pytest.mark.parametrize("hole", [0, 7, 12])
def test_seeds_lie_apart_and_inside_their_hole(hole):
    for count in range(1, 13 if hole < 12 else 25):
        seeds = [0] * 14
        seeds[hole] = count
        drawing = board_drawing(KALAH, row_of(seeds[:12], seeds[12:]))
        inside = hollow(drawing, hole)
        straight = (inside.height - inside.width) / 2
        discs = [s for s in drawing.parts[1 + hole].top if isinstance(s, Disc) and s.colour in LIGHT.seeds]
        for k, one in enumerate(discs):
            heart = np.clip(one.y, inside.y - straight, inside.y + straight)
            assert np.hypot(one.x - inside.x, one.y - heart) + one.radius < inside.width / 2
            assert all(np.hypot(one.x - other.x, one.y - other.y) > 1.8 * one.radius for other in discs[:k])


def test_the_seeds_of_a_pit_stay_where_they_are_when_others_change():
    before = board_drawing(KALAH, row_of([4] * 12))
    after = board_drawing(KALAH, row_of([4, 0, 5, 5, 5, 5, *[4] * 6], player=1))
    assert before.parts[1] == after.parts[1]


def test_moving_one_seed_changes_two_holes_and_nothing_else():
    before = board_rgb(KALAH, row_of([4] * 12))
    after = board_rgb(KALAH, row_of([4, 4, 3, 5, *[4] * 8]))
    top, bottom, left, right = changed(before, after)
    scale = before.shape[1] / board_drawing(KALAH, row_of([4] * 12)).width
    assert right - left < 2 * scale
    assert bottom - top < 1.5 * scale
    assert top > before.shape[0] * 0.35


def test_orientation_puts_the_other_player_below():
    drawing = board_drawing(KALAH, row_of(MIDGAME, (3, 5)))
    turned = board_drawing(KALAH, row_of(MIDGAME, (3, 5)), orientation=1)
    wood = next(shape for shape in drawing.shapes if shape.colour == LIGHT.wood)
    for hole in range(14):
        assert drawing.parts[1 + hole].title == turned.parts[1 + hole].title
        here, there = hollow(drawing, hole), hollow(turned, hole)
        assert (here.x + there.x, here.y + there.y) == pytest.approx((2 * wood.x, 2 * wood.y))
    assert hollow(drawing, 0).y > hollow(drawing, 6).y
    assert hollow(drawing, 12).x > hollow(drawing, 13).x
    assert not np.array_equal(board_rgb(KALAH, row_of(MIDGAME)), board_rgb(KALAH, row_of(MIDGAME), orientation=1))


def test_dark_pictures_are_dark():
    light, dark = board_rgb(KALAH, row_of(MIDGAME)), board_rgb(KALAH, row_of(MIDGAME), dark=True)
    assert light.shape == dark.shape
    assert light.mean() > 150
    assert dark.mean() < 80
    assert board_svg(KALAH, row_of(MIDGAME)) != board_svg(KALAH, row_of(MIDGAME), dark=True)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_numbers_stand_out_from_what_is_under_them(palette):
    for words, under, ratio in (
        (palette.number, palette.wood, 7),
        (palette.letter, palette.wood, 4.5),
        (palette.words, palette.page, 7),
        (palette.seeds[0], palette.floor, 4.5),
        (palette.page, palette.playable, 4.5),
    ):
        bright, dim = sorted((luminance(words), luminance(under)), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) > ratio, (words, under)


def luminance(colour):
    """Relative luminance as WCAG 2 defines it."""
    parts = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


@pytest.mark.parametrize("hole", [0, 8, 12, 13])
def test_the_largest_counts_fit_into_their_holes(hole):
    pictures = []
    for count in (88, 288):
        seeds = [0] * 14
        seeds[hole] = count
        pictures.append(board_rgb(KALAH, row_of(seeds[:12], seeds[12:])))
    drawing = board_drawing(KALAH, row_of([0] * 12))
    place = hollow(drawing, hole)
    scale = 720 / drawing.width
    top, bottom, left, right = changed(*pictures)
    assert left > (place.x - place.width / 2) * scale
    assert right < (place.x + place.width / 2) * scale
    assert top > (place.y - place.height / 2) * scale
    assert bottom < (place.y + place.height / 2) * scale


def test_the_longest_line_fits_under_the_narrowest_board():
    smallest = mancala.ruleset("kalah", pits_per_row=1)
    for over in layout.TERMINATIONS:
        drawing = board_drawing(smallest, row_of([1, 1], over=over))
        line = drawing.parts[-1].top[0]
        assert word(line.words, line.size * 100, BOLD)[3] < drawing.width * 100


def test_the_pits_that_may_be_played_are_the_movers():
    for player, pits in ((0, {0, 2}), (1, {6, 8})):
        mask = np.array([True, False, True, False, False, False])
        drawing = board_drawing(KALAH, row_of(MIDGAME, player=player), legal=mask)
        ringed = {
            hole for hole, part in enumerate(drawing.parts[1:]) for s in part.top if isinstance(s, Disc) and s.line > 0
        }
        assert ringed == pits


def test_the_pit_played_last_is_marked_where_it_lies():
    plain, marked = board_rgb(KALAH, row_of(MIDGAME)), board_rgb(KALAH, row_of(MIDGAME), last_pit=9)
    top, bottom, left, right = changed(plain, marked)
    place = hollow(board_drawing(KALAH, row_of(MIDGAME)), 9)
    scale = 720 / board_drawing(KALAH, row_of(MIDGAME)).width
    assert (left + right) / 2 == pytest.approx(place.x * scale, abs=2)
    assert (top + bottom) / 2 == pytest.approx(place.y * scale, abs=2)
    assert right - left < scale


def test_the_store_of_the_mover_bears_a_ribbon():
    for player in (0, 1):
        drawing = board_drawing(KALAH, row_of(MIDGAME, player=player))
        ribbons = [any(isinstance(shape, Box) for shape in part.top) for part in drawing.parts[13:15]]
        assert ribbons == [player == 0, player == 1]


def test_a_picture_belongs_to_its_caller():
    first = board_rgb(KALAH, row_of(MIDGAME))
    kept = first.copy()
    first[:] = 0
    assert np.array_equal(board_rgb(KALAH, row_of(MIDGAME)), kept)


def test_a_raster_picture_has_the_proportions_of_the_svg():
    for columns in (1, 4, 12):
        rules = mancala.ruleset("kalah", pits_per_row=columns)
        row = row_of([4] * 2 * columns)
        root = ET.fromstring(board_svg(rules, row, size=600))
        assert board_rgb(rules, row, width=600).shape == (int(root.get("height")), int(root.get("width")), 3)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"orientation": 2}, "orientation"),
        ({"last_pit": 12}, "last_pit must be a pit from 0 to 11"),
        ({"last_pit": -1}, "last_pit"),
        ({"legal": [True] * 5}, "mask of 6 actions"),
    ],
)
def test_options_that_do_not_fit_the_board_are_refused(options, why):
    for draw in (board_svg, board_rgb, board_drawing):
        with pytest.raises(ValueError, match=why):
            draw(KALAH, row_of(MIDGAME), **options)


def test_sizes_that_make_no_picture_are_refused():
    for width in (0, 63, 5000, 300.5):
        with pytest.raises(ValueError, match="64 to 4096 pixels"):
            board_rgb(KALAH, row_of(MIDGAME), width=width)
    with pytest.raises(ValueError, match="pixels wide"):
        board_svg(KALAH, row_of(MIDGAME), size=0)


@pytest.mark.parametrize(
    "row",
    [
        row_of([4] * 10),
        row_of([4] * 12).astype(float),
        row_of([-1] + [4] * 11),
        row_of([4] * 12, player=2),
        np.append(row_of([4] * 12)[:-1], 99),
        np.stack([row_of([4] * 12)] * 2),
    ],
)
def test_rows_that_are_no_position_of_the_board_are_refused(row):
    for draw in (board_text, board_svg, board_rgb):
        with pytest.raises(ValueError, match="kalah"):
            draw(KALAH, row)
