"""The report of an event: every number in a table, every game to replay, and no name that does any harm."""

import csv
import io
import itertools
import json
import re
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

import mancala_env as mancala
from agents.tournament.export import move_rows, rows
from agents.tournament.ratings import Rating
from agents.tournament.record import Thought
from agents.tournament.summary import Summary, crosstable
from tests.pages import HOSTILE, counts, opened, random_record, seeds_shown
from tests.tournaments import report_of

RULES = {"oware": mancala.ruleset("oware"), "kalah": mancala.ruleset("kalah")}
NAMES = ("minimax:depth=2", "random", HOSTILE)
DETAIL = "answered '</script><img src=x onerror=alert(2)>'"
GAMES = 60


def line(player, rating, low, high, faults=2, **more):
    """A line of the standings."""
    return Rating(player, rating, low, high, 40, 20.5, 0.5125, 1, faults, **more)


def records(number=GAMES):
    found = []
    for k in range(number):
        record = random_record(list(RULES.values())[k % 2], k, NAMES[k % 3], NAMES[(k + 1 + k // 3 % 2) % 3])
        wrong = {"actions": record.actions[:9], "winner": 1, "fault": 0, "reason": "illegal_move", "detail": DETAIL}
        found.append(replace(record, scores=None, **wrong) if k in (7, 20) else record)
    return found


RATINGS = [line(NAMES[0], 120, 60, 190), line(NAMES[1], 0, -40, 41), line(HOSTILE, -300, float("-inf"), -200)]
PROVENANCE = {"seed": 7, "commit": None, HOSTILE: {"pairs": [1, 2], "deep": [{"a": HOSTILE}]}}


@pytest.fixture(scope="module")
def played():
    return records()


@pytest.fixture(scope="module")
def html(played):
    return report_of(played, provenance=PROVENANCE, ratings=RATINGS, warnings=[HOSTILE, "mind"])


def listed(page):
    return [int(text) for text in page.locator("#list tbody td:first-child").all_text_contents()]


def loaded(page, number):
    page.locator(".player h2", has_text=f"Game {number}:").wait_for()


def test_a_report_of_nothing_is_a_page(browser, tmp_path):
    with opened(browser, tmp_path, report_of([]).replace("<body>", "<body data-state=still>")) as page:
        assert page.locator("h1").text_content() == "oware, kalah: 2 players, round robin"


def test_names_are_only_text_and_tables_hold_the_numbers(browser, tmp_path, html, played):
    assert HOSTILE not in html
    assert "<img" not in html
    with opened(browser, tmp_path, html) as page:
        assert page.title() == "oware, kalah: 3 players, round robin"
        assert HOSTILE in page.locator("#standings tbody").text_content()
        assert page.locator("img").count() == 0
        assert page.locator("body script").count() == 2
        assert page.locator("#standings tbody tr").count() == len(NAMES)
        assert "−∞" in page.locator("#standings tbody").text_content()  # noqa: RUF001
        result = crosstable(played)[NAMES[0], NAMES[1]].total
        won, drawn, lost = result.wins, result.draws, result.losses
        cell = page.locator("#crosstable tbody tr").nth(0).locator("a").nth(0)
        assert cell.get_attribute("title") == f"{NAMES[0]} against {NAMES[1]}: {won} won, {drawn} drawn, {lost} lost"
        faults = page.locator("#faults tbody tr").all_text_contents()
        assert len(faults) == 2
        assert all("South" in text and DETAIL in text for text in faults)
        south = sum(record.winner == 0 and record.rules == "kalah" for record in played)
        assert page.locator("#seats tbody tr").nth(0).locator("td").nth(1).text_content() == str(south)
        page.locator("#crosstable tbody tr").nth(0).locator("a").nth(1).click()  # a cell lists its games
        expected = [record.number for record in played if {record.south, record.north} == {NAMES[0], HOSTILE}]
        page.locator("#found", has_text=f"{len(expected)} of").wait_for()
        assert listed(page) == expected


def test_any_game_can_be_replayed(browser, tmp_path, html, played):
    with opened(browser, tmp_path, html) as page:
        loaded(page, 0)
        for number in (3, 7, 12):
            page.locator(f"#list tr[data-number='{number}']").click()
            loaded(page, number)
            record = played[number]
            page.keyboard.press("End")
            assert counts(page) == seeds_shown(record.states(RULES[record.rules])[-1])
            assert page.evaluate("location.hash") == f"#game={number}"
            if record.fault is not None:
                told = page.locator(".player header").text_content()
                assert "loses by a fault, illegal move: answered with something" in told
                assert DETAIL in told


def test_the_list_is_filtered_sorted_and_paged(browser, tmp_path, html, played):
    with opened(browser, tmp_path, html) as page:
        assert listed(page) == list(range(25))
        page.get_by_role("button", name="Next").click()
        assert listed(page) == list(range(25, 50))
        page.get_by_label("Player", exact=True).select_option(label=NAMES[1])
        mine = [record for record in played if NAMES[1] in (record.south, record.north)]
        assert listed(page) == [record.number for record in mine][:25]
        page.get_by_label("Result").select_option("won")
        won = [r.number for r in mine if r.winner is not None and (r.south, r.north)[r.winner] == NAMES[1]]
        assert listed(page) == won[:25]
        assert page.locator("#found").text_content() == f"{len(won)} of {GAMES} games"
        page.get_by_role("button", name="Show all").click()
        for label, choice in (("Result", {"value": "fault"}), ("Reason", {"label": "illegal move"})):
            page.get_by_label(label).select_option(**choice)
            assert listed(page) == [7, 20]
            page.get_by_role("button", name="Show all").click()
        page.locator("#list th[data-key=plies] button").click()
        page.locator("#list th[data-key=plies] button").click()
        assert page.locator("#list th[data-key=plies]").get_attribute("aria-sort") == "descending"
        lengths = sorted((len(record.actions) for record in played), reverse=True)
        assert [int(t) for t in page.locator("#list tbody td:nth-child(8)").all_text_contents()] == lengths[:25]


def test_it_fits_a_narrow_page_in_light_and_dark_and_axe_finds_nothing(browser, tmp_path, html):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for dark in (False, True):
        with opened(browser, tmp_path, html, width=380, dark=dark) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= 380
            assert [each["id"] for each in axe.run(page).response["violations"]] == []


def test_a_game_that_cannot_be_replayed_is_told(browser, tmp_path, played):
    broken = [replace(played[0], actions=(5, 0, 5)), played[1]]
    with opened(browser, tmp_path, report_of(broken), address="#game=1") as page:
        loaded(page, 1)
        assert "Game 0 cannot be replayed" in page.locator(".warnings").text_content()
        page.locator("#list tr[data-number='0']").click()
        assert page.locator(".failed").is_visible()
        page.locator("#list tr[data-number='1']").click()
        loaded(page, 1)


def test_endings_are_words(browser, tmp_path, html, played):
    reasons = {record.reason for record in played}
    assert "illegal_move" in reasons
    assert len(reasons & set(mancala.TERMINATIONS)) >= 3
    with opened(browser, tmp_path, html) as page:
        cells = [line.locator("td.name").all_text_contents() for line in page.locator("#endings tbody tr").all()]
        assert all(len(each) == 2 and all(each) and "by the rules of the game" not in each for each in cells)
        meanings = [meaning for _, meaning in cells]
        assert any("row was empty" in text for text in meanings)
        assert any(text.startswith("fault: the player answered with") for text in meanings)
        page.locator("#list tr").nth(3).click()
        shown = page.locator("body").inner_text() + "".join(
            page.locator("#list tr").evaluate_all("a => a.map(r => r.title)")
        )
        shown += "".join(page.get_by_label("Reason").locator("option").all_text_contents())
        for reason in reasons:
            assert not re.search(rf"\b{reason}\b", shown), reason


def test_ticks_have_room_and_open_ends_are_drawn_and_named(browser, tmp_path):
    for scale, many in ((1.0, 2), (137.0, 9), (1900.0, 3)):
        lines = [
            line(
                f"player {k}", scale * k, scale * k - 0.7 * scale, scale * k + 0.6 * scale, 0,
                low_from_prior=k < 2 - many,
            )
            for k in range(-many, many)
        ]  # fmt: skip
        html = report_of(records(2), ratings=lines)
        for width in (390, 1440):
            with opened(browser, tmp_path, html, width=width) as page:
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                boxes = [box.bounding_box() for box in page.locator("#standings .axis text").all()]
                assert len(boxes) >= 2
                assert all(a["x"] + a["width"] + 3 < b["x"] for a, b in itertools.pairwise(boxes))
                plot = page.locator("#standings svg.axis").bounding_box()
                assert plot["x"] <= boxes[0]["x"]
                assert boxes[-1]["x"] + boxes[-1]["width"] <= plot["x"] + plot["width"]
                assert page.locator("#standings circle.open").count() == 2
                assert f"player {-many} and player {1 - many}" in page.locator("#standings").text_content()
                assert page.locator("#standings thead", has_text="Faults").count() == 0


def test_games_and_tables_can_be_kept(browser, tmp_path, played):
    kinds = (Thought(0.25, 3, -1.5), Thought(0.25, 3, -1.5, 2, 40), Thought(0.25, None, None, 1))
    games = [replace(game, thoughts=(kind,) * len(game.actions)) for game, kind in zip(played[:3], kinds, strict=True)]
    html = report_of(games, ratings=[replace(RATINGS[2], low=-inf)])
    with opened(browser, tmp_path, html) as page:
        texts = {}
        for button in page.locator("[data-file]").all():
            with page.expect_download() as kept:
                button.click()
            texts[button.get_attribute("data-file")] = Path(kept.value.path()).read_text(encoding="utf-8")
    lines, moves = (list(csv.DictReader(io.StringIO(texts[name]))) for name in ("games.csv", "moves.csv"))
    assert [line["moves"] for line in lines] == [row["moves"] for row in rows(games)]
    assert moves == [{key: "" if it is None else str(it) for key, it in row.items()} for row in move_rows(games)]
    (rating,) = json.loads(texts["tables.json"])["ratings"]
    assert (rating["player"], rating["low"]) == (HOSTILE, None)
    assert list(csv.reader(io.StringIO(texts["standings.csv"])))[1][0] == HOSTILE
    assert [game["movers"][0] for game in json.loads(texts["games.json"])] == [0, 0, 0]


@pytest.mark.integration
def test_a_page_of_a_large_event_holds_some_games_of_all_of_it(monkeypatch):
    played = [random_record(RULES["kalah"], k, NAMES[k % 2], NAMES[1 - k % 2]) for k in range(GAMES)]
    for k in (7, 20):
        played[k] = replace(played[k], winner=1, fault=0, reason="time", scores=None)
    assert "This page holds" not in report_of(played)
    monkeypatch.setattr("agents.tournament.summary.MOST_GAMES", 20)
    numbers = [record.number for record in Summary.of(played).chosen()]
    assert len(numbers) <= 20
    assert {7, 20} <= set(numbers)  # those with faults
    assert max(numbers) >= GAMES * 0.8
    whole = [number for number in numbers if number not in (7, 20)]
    assert sum(number ^ 1 in numbers for number in whole) >= len(whole) - 2
    page = report_of(played)
    assert f"This page holds {len(numbers):,} of the {GAMES:,} games" in page
    assert f"{GAMES} games" in page  # of the tables
