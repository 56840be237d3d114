"""Pictures show every count, name every pit and store, and are the same whenever they are drawn."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import mancala_env as mancala
from mancala_env.ending import swept
from mancala_env.kernels import layout
from mancala_env.render.drawing import board_drawing, sown
from mancala_env.render.geometry import places
from mancala_env.render.raster import BOLD, advance, board_rgb
from mancala_env.render.shapes import CAPITAL, DARK, LIGHT, Box, Disc, Text
from mancala_env.render.svg import board_svg
from mancala_env.render.text import board_text
from tests.games import CORE
from tests.pages import shapes_of

KALAH = mancala.ruleset("kalah")
SVG = "{http://www.w3.org/2000/svg}"
MIDGAME = [0, 1, 12, 1, 2, 3, 1, 3, 0, 13, 1, 3]


def position_of(pits, stores=(0, 0), player=0, over=""):
    return np.array([*pits, *stores, player, 9, 0, layout.TERMINATIONS.index(over)], dtype=np.int16)


def numbers_in(picture):
    return sorted(int(text.text) for text in ET.fromstring(picture).iter(f"{SVG}text") if text.text.isdigit())


def titles_in(picture):
    return [title.text for title in ET.fromstring(picture).iter(f"{SVG}title")]


def hollow(drawing, cell):
    """The box that is the inside of a pit or store."""
    return next(shape for shape in drawing.parts[1 + cell].ground if shape.colour == LIGHT.hollow)


def width_of(text):
    """How wide a text is in pictures in pixels, in the unit of the drawing, as if it were bold."""
    return advance(text.words, 100 * text.size) / 100 + 2 * BOLD * text.size


def test_boards_are_drawn_in_text_as_they_were():
    blocks = (Path(__file__).parent / "data" / "boards.txt").read_text(encoding="utf-8").split("\n\n")
    for block in blocks:
        position, _, drawing = block.partition("\n")
        spec, line = position.split(" | ")
        assert mancala.State.parse(mancala.ruleset(spec), line).to_text() == drawing.rstrip("\n")
    assert len(blocks) == 7


def test_an_svg_stands_alone_with_a_title_for_every_cell():
    small = mancala.ruleset("kalah", pits_per_row=2)
    svg = board_svg(small, position_of([4, 1, 0, 2], (1, 5)), size=500)
    assert titles_in(svg) == [
        "kalah: South to move",
        "South A: 4 seeds",
        "South B: 1 seed",
        "North a: 0 seeds",
        "North b: 2 seeds",
        "South's store: 1 seed",
        "North's store: 5 seeds",
    ]
    root = ET.fromstring(svg)
    assert (root.get("role"), root.get("width")) == ("img", "500")
    assert "South A: 4 seeds; South B: 1 seed" in root.find(f"{SVG}desc").text
    assert not re.search(r"href|url\(|<script|<style|\bid=", svg)
    assert small.start()._repr_svg_() == board_svg(small, small.start().array)


def test_up_to_a_dozen_seeds_are_drawn_and_more_are_a_number():
    for count in range(20):
        part = board_drawing(KALAH, position_of([count] + [0] * 11)).parts[1]
        drawn = sum(isinstance(shape, Disc) and shape.colour in LIGHT.seeds for shape in part.top)
        assert drawn == (count if count <= 12 else 0)
        assert [shape.words for shape in part.top if isinstance(shape, Text)] == [str(count)]


@pytest.mark.parametrize("cell", [0, 7, 12])
def test_seeds_lie_apart_and_inside_their_cell(cell):
    for count in range(1, 13 if cell < 12 else 25):
        seeds = [0] * 14
        seeds[cell] = count
        drawing = board_drawing(KALAH, position_of(seeds[:12], seeds[12:]))
        inside = hollow(drawing, cell)
        straight = (inside.height - inside.width) / 2
        discs = [s for s in drawing.parts[1 + cell].top if isinstance(s, Disc) and s.colour in LIGHT.seeds]
        for k, one in enumerate(discs):
            heart = np.clip(one.y, inside.y - straight, inside.y + straight)
            assert np.hypot(one.x - inside.x, one.y - heart) + one.radius < inside.width / 2
            assert all(np.hypot(one.x - other.x, one.y - other.y) > 1.8 * one.radius for other in discs[:k])


def test_the_seeds_of_a_pit_stay_where_they_are_when_others_change():
    before = board_drawing(KALAH, position_of([4] * 12))
    after = board_drawing(KALAH, position_of([4, 0, 5, 5, 5, 5, *[4] * 6], player=1))
    assert before.parts[1] == after.parts[1]


def test_orientation_puts_the_other_player_below():
    drawing = board_drawing(KALAH, position_of(MIDGAME, (3, 5)))
    turned = board_drawing(KALAH, position_of(MIDGAME, (3, 5)), orientation=1)
    wood = next(shape for shape in shapes_of(drawing) if shape.colour == LIGHT.wood)
    for cell in range(14):
        assert drawing.parts[1 + cell].title == turned.parts[1 + cell].title
        here, there = hollow(drawing, cell), hollow(turned, cell)
        assert (here.x + there.x, here.y + there.y) == pytest.approx((2 * wood.x, 2 * wood.y))
    assert hollow(drawing, 0).y > hollow(drawing, 6).y
    assert hollow(drawing, 12).x > hollow(drawing, 13).x
    assert not np.array_equal(*(board_rgb(KALAH, position_of(MIDGAME), orientation=player) for player in (0, 1)))


def luminance(colour):
    """Relative luminance as WCAG 2 defines it."""
    parts = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


@pytest.mark.parametrize("cell", [0, 8, 12, 13])
def test_the_largest_counts_fit_into_their_cells(cell):
    for count in (88, 144):
        rules, seeds = mancala.ruleset("kalah", seeds=12), [count if k == cell else 0 for k in range(14)]
        position = position_of(seeds[:12], seeds[12:])
        ruled = [line for line in board_text(rules, position).splitlines() if "─" in line]
        assert len({*map(len, ruled[::2])}) == 1
        drawing = board_drawing(rules, position)
        (told,) = [s for s in drawing.parts[1 + cell].top if isinstance(s, Text) and s.words == str(count)]
        place = hollow(drawing, cell)
        assert width_of(told) / 2 + abs(told.x - place.x) < place.width / 2
        assert CAPITAL * told.size / 2 + abs(told.y - place.y) < place.height / 2


def test_the_pits_that_may_be_played_are_the_movers_whose_store_bears_a_ribbon():
    mask = np.array([True, False, True, False, False, False])
    for player, pits in ((0, [0, 2]), (1, [6, 8])):
        drawing = board_drawing(KALAH, position_of(MIDGAME, player=player), legal=mask)
        tops = [part.top for part in drawing.parts[1:15]]
        assert [cell for cell, top in enumerate(tops) if any(isinstance(s, Disc) and s.line > 0 for s in top)] == pits
        assert [any(isinstance(s, Box) for s in top) for top in tops[12:]] == [player == 0, player == 1]


def test_a_picture_belongs_to_its_caller():
    first = board_rgb(KALAH, position_of(MIDGAME))
    kept = first.copy()
    first[:] = 0
    assert np.array_equal(board_rgb(KALAH, position_of(MIDGAME)), kept)


SHAPES = {  # the core games, and boards that no game comes with
    **{name: mancala.RULESETS[name] for name in CORE},
    "reaping_short": mancala.ruleset("reaping", start=[0, 0, 2, 1, 3]),
    "diffusion_rows": mancala.ruleset("diffusion", blocks="rows"),
    "oware_liberta_pass": mancala.ruleset("oware_liberta", explicit_pass=True),
    "hus_small": mancala.ruleset("hus", board=mancala.rules.four_rows(2), setup=[2] * 8),
    "four_rows_with_stores": mancala.ruleset("kalah", board=mancala.rules.four_rows(3)),
    **{f"kalah_{n}_{seeds}": mancala.ruleset("kalah", pits_per_row=n, seeds=seeds) for n, seeds in ((1, 12), (12, 12))},
}
GRAVID = mancala.ruleset("layli_goobalay_match").position(
    pits=[4, 1, 0, 6, 2, 2, 4, 4, 4, 1, 1, 3],
    stores=(3, 5),
    marks=[-1, 0, -1, -1, 1, -1, -1, 1, -1, -1, 0, -1],
    reserve=(4, 0),
    game=2,
)
TERRITORY = mancala.ruleset("oware_territory").position(
    pits=[4, 3, 0, 7, 2, 14, 4, 4, 4, 1, 0, 2], stores=(2, 1), owner=[0] * 8 + [1] * 4, game=3
)
DIFFUSION = mancala.ruleset("diffusion").position(pits=[4, 0, 3, 5, 2, 1, 4, 4, 0, 0, 1, 2], player=1, removed=7)


def colours(drawing, part):
    """The colours of a part, as often as they occur."""
    return [shape.colour for shape in (*drawing.parts[part].ground, *drawing.parts[part].top)]


@pytest.mark.parametrize("name", SHAPES)
def test_every_game_has_all_pictures_from_its_start_to_its_end(name):
    rules = SHAPES[name]
    state, cells = rules.start(), rules.board.pits + 2 * (rules.goal == mancala.rules.Goal.SEEDS)
    rng = np.random.default_rng(3)
    for _ in range(6):
        text = state.to_text()
        board = text[: text.index("to move" if not state.is_over else "Over")]
        numbers = [*map(str, swept(rules, state.array)[:cells]), *(rules.board.names if rules.board.rows == 1 else ())]
        assert sorted(re.findall(r"\d+", board)) == sorted(numbers)
        assert all(line == line.rstrip() for line in text.splitlines())
        for orientation in (0, 1):
            options = {"orientation": orientation, "legal": state.legal_mask, "last_pit": 1}
            svg = state.to_svg(dark=bool(orientation), **options)
            shown = sorted(map(str, numbers_in(svg)))
            assert shown == sorted(numbers)
            assert len(titles_in(svg)) == 1 + cells
            picture = board_rgb(rules, state.array, width=200, **options)
            drawing = board_drawing(rules, state.array, **options)
            assert picture.dtype == np.uint8
            assert picture.shape == (round(200 * drawing.height / drawing.width), 200, 3)
        if state.is_over:
            break
        state = state.play(int(rng.choice(state.legal_actions)))


@pytest.mark.parametrize("name", SHAPES)
def test_cells_and_names_keep_apart_on_every_board(name):
    rules = SHAPES[name]
    drawing = board_drawing(rules, rules.start().array)
    words = [shape for part in drawing.parts for shape in (*part.ground, *part.top) if isinstance(shape, Text)]
    solid = [(text.x, text.y, width_of(text), CAPITAL * text.size) for text in words]
    cells = len(places(rules))
    solid += [hollow(drawing, cell)[:4] for cell in range(cells)]
    for k, (x, y, width, height) in enumerate(solid):
        assert width / 2 <= x <= drawing.width - width / 2
        assert height / 2 <= y <= drawing.height - height / 2
        for other in solid[:k]:
            assert abs(x - other[0]) > (width + other[2]) / 2 or abs(y - other[1]) > (height + other[3]) / 2


def test_four_rows_lie_as_the_board_numbers_them():
    rules = mancala.ruleset("hus")
    where = places(rules)
    assert len(where) == 32
    for pit, across in enumerate(rules.board.facing):
        if across != pit:
            assert where[pit].x == where[across].x
            assert where[rules.board.outer[pit]].x == where[pit].x
    levels = [{where[pit].y for pit in range(first, first + 8)} for first in (16, 24, 8, 0)]
    assert all(len(level) == 1 for level in levels)
    assert [level.pop() for level in levels] == sorted({place.y for place in where})


def test_reaping_is_one_row_that_nobody_owns():
    state = mancala.ruleset("reaping", start=[0, 2, 1, 3, 0]).start()
    assert titles_in(state.to_svg())[1:4] == ["Pit 0: 0 seeds", "Pit 1: 2 seeds", "Pit 2: 1 seed"]
    assert not set(LIGHT.owners) & {shape.colour for shape in shapes_of(board_drawing(state.rules, state.array))}


def test_diffusion_shows_whose_block_a_pit_is_in_and_how_many_seeds_are_gone():
    svg = DIFFUSION.to_svg()
    assert titles_in(svg)[:2] == ["diffusion: North to move. 7 seeds removed", "Pit A: 4 seeds, South's"]
    assert "Pit a: 4 seeds, North's" in titles_in(svg)
    drawing = board_drawing(DIFFUSION.rules, DIFFUSION.array)
    for pit, owner in enumerate(DIFFUSION.rules.board.owner):
        assert LIGHT.owners[owner] in colours(drawing, 1 + pit)
        assert LIGHT.owners[1 - owner] not in colours(drawing, 1 + pit)
    rows = mancala.ruleset("diffusion", blocks="rows").start().to_text().splitlines()
    assert rows[2].startswith("North │ 4N │ 4N")
    assert rows[4].startswith("South │ 4S │ 4S")


def test_territory_shows_who_owns_each_pit_now():
    drawing = board_drawing(TERRITORY.rules, TERRITORY.array, dark=True)
    for cell, owner in enumerate((*TERRITORY.owner, 0, 1)):
        assert DARK.owners[owner] in colours(drawing, 1 + cell)
        assert DARK.owners[1 - owner] not in colours(drawing, 1 + cell)
    assert "Pit b: 4 seeds, South's" in titles_in(TERRITORY.to_svg())
    assert "Pit c: 4 seeds, North's" in titles_in(TERRITORY.to_svg())
    start = TERRITORY.rules.start()
    assert not np.array_equal(board_rgb(start.rules, start.array), board_rgb(TERRITORY.rules, TERRITORY.array))


def test_marks_are_called_what_their_game_calls_them():
    single = (mancala.When(was="empty").mark("here"), mancala.When(was="occupied").relay())
    rules = mancala.ruleset(
        "kalah", name="made_up", store="none", landing=single, end_check="side_to_move", max_plies=9
    )
    state = rules.position([1, 0, 4, 4, 4, 4] + [4] * 6).play(0)
    assert "South B: 1 seed, marked, South's" in state.to_svg()
    assert "* marked, South's" in state.to_text()


def test_no_word_of_one_game_stands_outside_its_family():
    package = Path(mancala.__file__).parent
    files = [file for kind in ("py", "js", "css") for file in package.rglob(f"*.{kind}")]
    speaking = [file.name for file in files if re.search(r"(?i)gravid|\buur", file.read_text(encoding="utf-8"))]
    assert speaking == ["layli_goobalay.py"]


def test_gravid_pits_bear_their_owners_mark():
    lines = GRAVID.to_text().splitlines()
    assert lines[2] == "      │    │ 3  │ 1* │ 1  │ 4  │ 4° │ 4  │    │"
    assert lines[4] == "      │    │ 4  │ 1* │ 0  │ 6  │ 2° │ 2  │    │"
    assert lines[-2:] == [
        "Game 2: South 22, North 22 seeds, 4 and 0 of them in reserve",
        "* gravid, South's; ° gravid, North's",
    ]
    titles = titles_in(GRAVID.to_svg())
    assert "South B: 1 seed, gravid, South's" in titles
    assert "South E: 2 seeds, gravid, North's" in titles
    assert "North e: 1 seed, gravid, South's" in titles
    assert "South A: 4 seeds" in titles
    drawing = board_drawing(GRAVID.rules, GRAVID.array)
    for pit, mark in enumerate(GRAVID.marks):
        rings = [s.colour for s in drawing.parts[1 + pit].top if isinstance(s, Disc) and s.line]
        initials = [s.words for s in drawing.parts[1 + pit].top if isinstance(s, Text) and s.words in "SN"]
        assert rings == ([] if mark < 0 else [LIGHT.hollow, LIGHT.owners[mark]])
        assert initials == ([] if mark < 0 else ["SN"[mark]])


@pytest.mark.parametrize(
    ("name", "fields", "line"),
    [
        ("oware_series_wins", {"tally": (1.5, 0), "game": 3}, "Game 3: South 1.5, North 0 wins"),
        ("oware_series_difference", {"tally": (0, 12), "game": 2}, "Game 2: South 0, North 12 points"),
    ],
)
def test_matches_say_where_they_stand(name, fields, line):
    state = mancala.ruleset(name).position(pits=[4] * 12, **fields)
    assert state.to_text().splitlines()[-2:] == ["South to move", line]
    svg = state.to_svg()
    assert titles_in(svg)[0] == f"{name}: South to move. {line}"
    assert line in [text.text for text in ET.fromstring(svg).iter(f"{SVG}text")]


def test_a_player_who_must_pass_can_read_it():
    rules = mancala.ruleset("oware_liberta", explicit_pass=True)
    state = rules.position(pits=[0] * 6 + [4] * 6)
    assert state.pit(state.legal_actions[0]) is None
    assert "South to move, who must pass" in state.to_svg(legal=state.legal_mask)


@pytest.mark.parametrize("name", CORE)
def test_the_last_move_of_every_game_is_drawn_with_all_that_was_sown(name):
    rules = mancala.ruleset(name)
    rng, state = np.random.default_rng(2), rules.start()
    for _ in range(120):
        action = int(rng.choice(state.legal_actions))
        after = state.play(action)
        if after.is_over:
            break
        picture = after.to_svg(last=(state, action), legal=after.legal_mask, dark=bool(action % 2))
        seeds, trace, colour = (*after.pits, *after.stores), state.trace(action), (DARK if action % 2 else LIGHT).played
        tints = sum(rect.get("fill") == colour for rect in ET.fromstring(picture).iter(f"{SVG}rect"))
        assert tints == sum(cell not in trace.taken or seeds[cell] > 0 for cell in sown(trace))
        state = after


def test_cells_that_were_sown_come_in_the_order_of_their_last_seeds():
    assert sown(KALAH.start().trace(2)) == (3, 4, 5, 12)
    twice = KALAH.position([14, *[1] * 11]).trace(0)  # counts where it was sown last
    assert sown(twice) == (*range(2, 6), 12, *range(6, 12), 0, 1)
    rules = mancala.ruleset("oware_liberta", explicit_pass=True)
    assert sown(rules.position([0] * 6 + [4] * 6).trace(6)) == ()


def test_the_last_move_is_drawn():
    before = KALAH.position([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 7, 1])
    after = before.play(0)
    plain, drawing = (board_drawing(KALAH, after.array, **more) for more in ({}, {"trace": before.trace(0)}))
    assert (drawing.width, drawing.height) == (plain.width, plain.height)
    dots = [cell for cell in range(12) if sum(s.colour == LIGHT.played and s.radius < 0.05
            for s in drawing.parts[1 + cell].top if isinstance(s, Disc))]  # fmt: skip
    ringed = [cell for cell in range(12) if any(isinstance(s, Disc) and s.line for s in drawing.parts[1 + cell].top)]
    assert dots == [0]
    assert ringed == [1, 10]
    start = KALAH.start()
    moved = start.play(2)
    drawing = board_drawing(KALAH, moved.array, trace=start.trace(2))
    tints = [next(s.opacity for s in drawing.parts[1 + cell].top if isinstance(s, Box)) for cell in (3, 4, 5, 12)]
    assert tints == sorted(set(tints))
    assert not np.array_equal(board_rgb(KALAH, moved.array), board_rgb(KALAH, moved.array, trace=start.trace(2)))


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_all_that_is_written_stands_out_from_what_is_under_it_and_players_differ_for_every_eye(palette):
    for words, under, ratio in (
        (palette.number, palette.wood, 7),
        (palette.letter, palette.wood, 4.5),
        (palette.words, palette.page, 7),
        (palette.seeds[0], palette.floor, 4.5),
        (palette.page, palette.playable, 4.5),
        (*palette.owners, 2.5),
        *((*pair, 4.5) for pair in zip(palette.owners, palette.initials, strict=True)),
    ):
        dim, bright = sorted((luminance(words), luminance(under)))
        assert (bright + 0.05) / (dim + 0.05) > ratio, (words, under)


def test_the_longest_lines_fit_under_the_narrowest_boards():
    narrow = mancala.ruleset("kalah", pits_per_row=1)
    ends = [layout.TERMINATIONS[end] for end in narrow.endings]
    drawn = [board_drawing(narrow, position_of([1, 1], over=over)) for over in ends]
    for name, more in (("oware_territory", {"match": "wins", "target": 3}), ("layli_goobalay_match", {})):
        rules = mancala.ruleset(name, board=mancala.rules.two_rows(2), **more)
        drawn.append(board_drawing(rules, rules.start().array, legal=[True] * rules.num_actions))
    for drawing in drawn:
        for line in drawing.parts[-1].top:
            assert width_of(line) < drawing.width


def spoilt(state, field, value):
    """The row of a state with a field that is none."""
    row = state.array
    row[state.rules.fields[field]] = value
    return row


@pytest.mark.parametrize(
    ("rules", "row", "why"),
    [
        (KALAH, position_of([4] * 10), "kalah"),
        (KALAH, position_of([4] * 12).astype(float), "kalah"),
        (KALAH, position_of([-1] + [4] * 11), "kalah"),
        (KALAH, position_of([4] * 12, player=2), "kalah"),
        (KALAH, np.append(position_of([4] * 12)[:-1], 99), "kalah"),
        (KALAH, np.stack([position_of([4] * 12)] * 2), "kalah"),
        (TERRITORY.rules, spoilt(TERRITORY, "owner", 2), "owner"),
        (GRAVID.rules, spoilt(GRAVID, "marks", -2), "marks"),
        (DIFFUSION.rules, spoilt(DIFFUSION, "removed", -1), "removed"),
    ],
)
def test_arrays_that_are_no_position_of_the_board_are_refused(rules, row, why):
    for draw in (board_text, board_svg, board_rgb):
        with pytest.raises(ValueError, match=why):
            draw(rules, row)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"orientation": 2}, "orientation"),
        ({"last_pit": 12}, "last_pit must be a pit from 0 to 11"),
        ({"last_pit": -1}, "last_pit"),
        ({"legal": [True] * 5}, "mask of 6 actions"),
        ({"trace": mancala.ruleset("kalah", pits_per_row=2).start().trace(0)}, "a board with 4 pits"),
        *(({"width": width}, "64 to 4096 pixels") for width in (0, 63, 5000, 300.5)),
        ({"size": 0}, "pixels wide"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, why):
    doors = [board_rgb] if "width" in options else [board_svg] if "size" in options else [board_svg, board_rgb]
    for draw in doors:
        with pytest.raises(ValueError, match=why):
            draw(KALAH, position_of(MIDGAME), **options)
    with pytest.raises(ValueError, match="does not lead to"):
        KALAH.start().play(0).to_svg(last=(KALAH.start(), 1))
