"""Replayed games look like the pictures, and a browser shows every count of every position."""

import numpy as np
import pytest

import mancala_env as mancala
from agents.tournament.record import GameRecord
from mancala_env.render.drawing import board_drawing
from mancala_env.render.shapes import LIGHT
from mancala_env.render.svg import board_svg
from mancala_env.replay import Replay, player_html
from mancala_env.replay.board import _shape, board_spec, colours
from mancala_env.replay.packing import SHOWN as SHOWN_KINDS
from mancala_env.state import State
from mancala_env.trace import KINDS
from tests.games import CORE
from tests.pages import HOSTILE, counts, opened, random_record, read_number, seeds_shown, shapes_of, slide

SHOWN = ("oware", "kalah", "hus", "layli_goobalay", "diffusion", "reaping", "oware_territory")
KALAH = mancala.ruleset("kalah")


def replay(name, seed=1, **changes):
    rules = mancala.ruleset(name, **changes)
    return random_record(rules, seed).replay(rules)


def played(page, ply):
    """Wait for a position at rest."""
    page.wait_for_selector(f"[data-state=still][data-ply='{ply}']")


def test_a_replay_needs_one_position_more_than_moves():
    start = KALAH.start()
    with pytest.raises(ValueError, match="one position more"):
        Replay(rules=KALAH, states=[start], actions=[2])
    with pytest.raises(ValueError, match="another game"):
        Replay(rules=KALAH, states=[mancala.ruleset("oware").start()], actions=[])
    with pytest.raises(ValueError, match="as many values"):
        Replay(rules=KALAH, states=[start], actions=[], values=[0.0, 1.0])
    with pytest.raises(ValueError, match="one game at least"):
        player_html([])


def test_a_replay_says_who_played_and_how_the_game_ended():
    assert Replay.of(KALAH.start(), [2, 5]).ending == "not finished"
    over = Replay.of(State.parse(KALAH, "kalah 0-0-0-0-0-1-0-0-0-0-0-1-20-26-S"), [5])
    assert over.ending == "North wins, 27 to 21: South's row was empty; the rest went to North"
    start = mancala.ruleset("layli_goobalay").start()
    for more, heading in (
        ({}, "Layli Goobalay"),
        ({"players": ("random", "greedy")}, "Layli Goobalay: random against greedy"),
        ({"players": ("random", "greedy"), "title": "The final"}, "The final"),
    ):
        assert Replay.of(start, [], **more).heading == heading


@pytest.mark.parametrize("orientation", [0, 1])
@pytest.mark.parametrize("name", CORE)
def test_the_ground_of_the_player_is_that_of_the_pictures(name, orientation):
    rules = mancala.ruleset(name)
    picture = board_drawing(rules, rules.start().array, orientation=orientation)
    view, light = board_spec(rules)["views"][orientation], colours(LIGHT)
    pictured = [_shape(shape) for shape in shapes_of(picture)]
    for shape in (*view["wood"], *view["cells"]):
        assert [light.get(value, value) if isinstance(value, str) else value for value in shape] in pictured
    assert len(view["cells"]) == 10 * len(view["places"]) + rules.board.pits  # the layers of a hollow, and a name


@pytest.mark.parametrize("name", SHOWN)
def test_every_count_is_that_of_the_position(browser, tmp_path, name):
    game = replay(name)
    last = len(game.actions)
    with opened(browser, tmp_path, game.to_html()) as page:
        for ply in sorted({0, 1, 2, last // 3, last // 2, last - 1, last}):
            slide(page, ply)
            assert counts(page) == seeds_shown(game.states[ply])
            labels = page.locator(".board .cell").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
            titles = page.locator(".board .cell title").all_text_contents()
            assert labels == titles
            picture = board_svg(game.rules, game.states[ply].array)
            assert all(f"<title>{title}</title>" in picture for title in titles)
        page.get_by_role("button", name="Turn the board round").click()
        assert counts(page) == seeds_shown(game.states[last])


def test_keys_step_and_jump(browser, tmp_path):
    game = replay("kalah")
    with opened(browser, tmp_path, game.to_html()) as page:
        last = len(game.actions)
        for key, ply in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("Home", 0)):
            page.keyboard.press(key)
            played(page, ply)
            assert counts(page) == seeds_shown(game.states[ply])
        page.locator("input[type=range]").focus()
        page.keyboard.press("ArrowRight")
        played(page, 1)
        page.locator(".moves button[data-ply='7']").click()
        played(page, 7)
        assert counts(page) == seeds_shown(game.states[7])
        assert page.locator(".moves [aria-current]").get_attribute("data-ply") == "7"
        assert "plays" in page.locator("[aria-live]").text_content()
    with opened(browser, tmp_path, f"<p data-state=still>{game._repr_html_()}") as page:  # as notebooks show it
        frame = page.frame_locator("iframe")
        frame.locator(".player[data-ply='0']").wait_for()
        frame.locator("[aria-label='Last position']").click()
        shown = [read_number(text) for text in frame.locator(".cell .count").all_text_contents()]
        assert shown == seeds_shown(game.states[-1])


def test_a_move_is_sown_seed_by_seed_and_ends_in_the_position(browser, tmp_path):
    game = replay("oware")
    with opened(browser, tmp_path, game.to_html(), motion=True) as page:
        page.keyboard.press("ArrowRight")
        page.wait_for_selector("[data-state=moving]")
        page.wait_for_selector(".hand circle", state="attached")
        played(page, 1)
        assert counts(page) == seeds_shown(game.states[1])
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")  # the move under way is over at once
        played(page, 3)
        assert counts(page) == seeds_shown(game.states[3])
    with opened(browser, tmp_path, replay("hus").to_html()) as page:  # who asks for less motion gets none
        page.evaluate(
            "() => { window.seen = []; new MutationObserver(() => seen.push(document.querySelector('.player').dataset"
            ".state)).observe(document.querySelector('.player'), { attributes: true }); }"
        )
        page.keyboard.press("ArrowRight")
        played(page, 1)
        assert set(page.evaluate("seen")) == {"still"}


def test_a_move_of_too_many_events_is_shown_without_them(browser, tmp_path, monkeypatch):
    monkeypatch.setattr("mancala_env.replay.packing.MOST_EVENTS", 5)
    game = Replay.of(KALAH.start(), [2, 5, 0])
    assert [len(events) for events in game.events()] == [0, 5, 0, 0]
    with opened(browser, tmp_path, game.to_html(), motion=True) as page:
        page.keyboard.press("ArrowRight")
        for ply in (1, 2, 3):
            slide(page, ply - 1)
            page.keyboard.press("ArrowRight")
            played(page, ply)
            assert counts(page) == seeds_shown(game.states[ply])
        assert f"3. {game.traces[2].text}." in page.locator("[aria-live]").text_content()


def test_play_goes_to_the_end_and_stops(browser, tmp_path):
    game = Replay.of(KALAH.start(), [2, 5, 3])
    with opened(browser, tmp_path, game.to_html(), motion=True) as page:
        page.get_by_label("Speed").select_option("4")
        page.keyboard.press(" ")
        assert page.locator(".go").text_content() == "Pause"
        played(page, 3)
        page.locator(".go", has_text="Play").wait_for()
        assert counts(page) == seeds_shown(game.states[3])


MOVES = """async () => {
  const wrong = [], told = [];
  for (const [number, game] of games.entries()) {
    const board = boards[game.place[0]], rows = await positions(game.place, board), match = board.at.match, moves = [];
    for (let ply = 1; ply < rows.length; ply++) {
      const before = rows[ply - 1], after = rows[ply], events = trace(board, before, after);
      moves.push([stepsOf(board, events), [...new Set(capturedCells(events))], after.text, Array.from(after.told)]);
      if (match !== undefined && (before[match] !== after[match] || ply === rows.length - 1)) continue;
      const seeds = Array.from(before.subarray(0, board.pits + 2));
      for (const event of events) happen(seeds, event);
      if (seeds.some((count, cell) => count !== after[cell])) wrong.push([number, ply]);
    }
    told.push(moves);
  }
  return [wrong, told];
}"""


def test_seeds_move_as_the_rules_say_and_arrows_and_words_are_those_of_pictures_and_traces(browser, tmp_path):
    """What the animation ends with is the position itself, but where a game of a match has ended."""
    games = [replay(name, seed) for name in CORE for seed in (1, 2)]
    games += [replay("oware", 3, grand_slam="no_capture"), replay("kalah", 3, empty_capture=True)]
    worths = {0: "0", 3: "+3", -0.25: "-0.25", 12.53: "+12.5", -4: "-4", 250.4: "+250", 9990: "win", -9990: "loss"}
    with opened(browser, tmp_path, player_html(games)) as page:
        wrong, told = page.evaluate(MOVES)
        assert page.evaluate("all => all.map((one) => worthText(one, false))", [*worths]) == [*worths.values()]
    assert wrong == []
    for game, moves in zip(games, told, strict=True):
        for state, action, (gone, taken, text, events) in zip(game.states, game.actions, moves, strict=False):
            trace = state.trace(action)
            assert gone == [[event.source, event.target] for event in trace.events if event.kind in ("sow", "reap")]
            assert (tuple(taken), text) == (trace.taken, trace.text)
            assert events == [
                number
                for kind, source, target, seeds, _ in trace.events
                if kind in SHOWN_KINDS
                for number in (KINDS.index(kind), *(-1 if cell is None else cell for cell in (source, target)), seeds)
            ]


def test_light_and_dark(browser, tmp_path):
    game = replay("kalah")

    def background(page):
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    light, dark = "rgb(252, 249, 242)", "rgb(23, 19, 15)"
    cases = ((None, False, light), (None, True, dark), (True, False, dark), (False, True, light))
    for asked, system, expected in cases:
        with opened(browser, tmp_path, game.to_html(dark=asked), dark=system) as page:
            assert background(page) == expected
            page.get_by_role("button", name="Change between light and dark").click()
            assert background(page) == (dark if expected == light else light)


def test_values_are_drawn(browser, tmp_path):
    states = Replay.of(KALAH.start(), [2, 5, 3]).states
    game = Replay(rules=KALAH, states=states, actions=[2, 5, 3], values=[0.0, 0.5, None, float("nan")])
    with opened(browser, tmp_path, game.to_html()) as page:
        assert page.locator(".graph .line").get_attribute("d").count("L") == 1
        assert "Evaluation" in page.locator(".graph-label").text_content()


def test_names_are_only_text(browser, tmp_path):
    bad = "<img src=x onerror=alert(2)>"
    game = Replay.of(KALAH.start(), [2], players=(HOSTILE, "</script><b>"), title=HOSTILE, result=bad)
    other = Replay.of(mancala.ruleset("hus").start(), [3], players=("a", HOSTILE))
    html = player_html([game, other])
    assert HOSTILE not in html
    with opened(browser, tmp_path, html) as page:
        assert page.locator("h1").text_content() == HOSTILE
        assert page.locator(".seat b").all_text_contents() == ["</script><b>", HOSTILE]
        page.get_by_label("Game", exact=True).select_option("1")
        page.locator(".cell[data-cell='31']").wait_for()
        assert counts(page) == seeds_shown(other.states[0])


def test_a_record_makes_a_page_of_itself():
    record = random_record(KALAH, 4)
    assert isinstance(record, GameRecord)
    game = record.replay(KALAH)
    assert game.result == record.told
    assert record.to_html(KALAH) == game.to_html()
    assert record._repr_html_() == game._repr_html_()
    assert record.to_html() == game.to_html()
    assert np.array_equal(game.states[-1].array, record.states(KALAH)[-1].array)


@pytest.mark.integration
@pytest.mark.parametrize("name", ["kalah", "hus", "reaping"])
def test_a_phone_on_its_side_shows_board_text_and_buttons(browser, tmp_path, name):
    with opened(browser, tmp_path, player_html([replay(name)])) as page:
        page.set_viewport_size({"width": 844, "height": 390})
        slide(page, 3)
        played(page, 3)
        for part in (".board", ".says", ".table .controls"):
            box = page.locator(part).bounding_box()
            if name == "hus" and part != ".table .controls":  # four rows of pits that a finger can touch are higher
                continue
            assert box["y"] >= 0, part
            assert box["y"] + box["height"] <= 390, part
