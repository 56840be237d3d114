"""Games are found: by other names, countries, peoples and what happens, with families, filters and orders."""

import re
from collections import Counter
from contextlib import contextmanager
from itertools import pairwise

import pytest

from agents.play import lobby
from mancala_env.games import RULESETS
from mancala_env.games.mechanisms import MECHANISMS
from mancala_env.games.titles import LANDS, OTHER_NAMES, VARIANTS, WORDS
from tests.pages import new_tab
from tests.test_play_web import served

CARDS = {card["name"]: card for card in map(lobby.card, RULESETS)}
LONGEST = 14_000  # pixels of all games on a phone, where equal cards took 48,000


@contextmanager
def in_lobby(browser, **more):
    with served("kalah", lobby=True) as server, new_tab(browser, ours=(server.url, "data:"), **more) as (tab, _):
        tab.goto(server.url)
        tab.locator(".lobby .card").first.wait_for()
        yield tab


def look_for(tab, text):
    """Look for a text; returns titles of the cards that are shown."""
    tab.get_by_label("Find a game").fill(text)
    return shown(tab)


def shown(tab):
    return tab.locator(".lobby .card b").all_text_contents()


def test_master_reads_rules_except_where_that_was_measured_to_lose():
    assert [lobby.ladder(RULESETS[name])["Master"] == lobby.READER for name in ("kpo", "fondji")] == [True, False]


def test_tables_of_names_speak_of_games_and_peoples_that_there_are():
    variants = [name for names in VARIANTS.values() for name in names.split()]
    assert {*OTHER_NAMES, *VARIANTS, *variants} <= {*RULESETS}
    assert len(variants) == len({*variants})
    assert [word for word in LANDS if not any(word in rules.people for rules in RULESETS.values())] == []
    assert {*WORDS} == {words.split(": ")[1] for card in CARDS.values() for words in card["places"] if ": " in words}
    assert {*lobby.FIRST} <= {*RULESETS}
    assert {*lobby.KINDS} <= {*MECHANISMS}


def test_each_game_belongs_to_one_family_and_tells_what_is_special():
    for card in CARDS.values():
        assert CARDS[card["family"]]["family"] == card["family"]
        assert card["special"].endswith(".")
    assert CARDS["oware_liberta"]["family"] == CARDS["awari"]["family"] == "oware"
    commonest = Counter(card["special"] for card in CARDS.values()).most_common(1)
    assert commonest[0][1] < 10
    assert CARDS["sungka"]["special"] != CARDS["kalah"]["special"]


def test_lengths_and_the_strength_of_opponents_are_those_that_were_measured():
    assert CARDS["tchuka_ruma"]["length"] == "up to 6 moves"  # its only solution has six; chance fails at the first
    assert CARDS["kalah"]["length"] == "about 44 moves"
    told = lobby.measured()
    assert {*told} - {""} <= {*RULESETS}
    for sentences in told.values():
        for (below, level), said in zip(pairwise(lobby.LADDER), sentences[1:], strict=True):
            assert said.startswith(f"Against {below}, {level} won ")
            assert all(50 <= int(share) <= 100 for share in re.findall(r"(\d+) (?:to|%)", said))


def test_a_variant_says_where_it_differs():
    assert CARDS["hus_nama"]["special"] == "Four rows of 16 pits."
    assert CARDS["oware_series_wins"]["special"] == "Be the first to win three games."
    assert CARDS["bao_kujifunza"]["special"] == "Left out: a turn may go on or stop."


@pytest.mark.parametrize(
    "asked", ["ghana", "Ghanaian", "Accra", "Oware", "wari", "the game my grandmother played in Ghana"]
)
def test_the_game_of_a_grandmother_in_ghana_is_found_at_once(browser, asked):
    with in_lobby(browser) as tab:
        assert look_for(tab, asked)[0] == "Oware (Abapa)"
        if "ghana" in asked.lower() or asked == "Accra":
            assert tab.locator(".matched").first.text_content() == "Ghana"
        if "grandmother" in asked:
            assert "Nothing is known of “grandmother”." in tab.get_by_role("status").last.text_content()


@pytest.mark.parametrize(
    ("asked", "title", "why"),
    [
        ("congklak", "Sungka", "Also called Congklak"),
        ("conglak", "Sungka", "Also called Congklak"),
        ("kalaha", "Kalah", "Also called Kalaha"),
        ("bawo", "Bao Kiswahili", "Also called Bawo"),
        ("relay", "Sungka", "relay: a turn goes on from the pit where a lap ends"),
        ("capture opposite", "Kalah", "capture opposite: the pit across is captured"),
        ("maasai", "En Gehe", "Maasai"),
        ("ethiopian", "Tapata", "Konso, Ethiopia"),
        ("kampala", "Omweso", "Uganda"),
        ("malian", "Koro", "Mali"),
        ("3 rows eritrea", "Selus", "3 rows of 6 pits (three rows, 3x6) · of Massawa, Eritrea"),
    ],
)
def test_what_was_found_stands_on_the_card(browser, asked, title, why):
    with in_lobby(browser) as tab:
        look_for(tab, asked)
        card = tab.locator(".lobby .card").filter(has=tab.get_by_text(title, exact=True))
        assert card.locator(".matched").text_content() == why


def test_a_search_without_an_answer_says_so(browser):
    with in_lobby(browser) as tab:
        assert look_for(tab, "xyzzy") == []
        assert tab.locator(".told").text_content() == "Nothing is known of “xyzzy”. No game fits."


def test_a_family_is_opened_and_closed_by_keys(browser):
    with in_lobby(browser) as tab:
        assert look_for(tab, "oware") == ["Oware (Abapa)"]
        tab.keyboard.press("Enter")
        assert tab.evaluate("document.activeElement.className") == "card"
        tab.wait_for_timeout(300)
        assert tab.locator("dialog[open]").count() == 0  # Enter in the search has not pressed the card, too
        tab.keyboard.press("Tab")
        tab.keyboard.press("Enter")
        assert {"Oware (Abapa)", "Awari", "Oware, libertà"} < {*shown(tab)}
        more = tab.get_by_role("button", name="variants of Oware")
        assert more.get_attribute("aria-expanded") == "true"
        assert more.evaluate("button => button === document.activeElement")
        tab.keyboard.press("Enter")
        assert shown(tab) == ["Oware (Abapa)"]
        tab.keyboard.press("Shift+Tab")
        tab.keyboard.press("Enter")
        tab.get_by_role("dialog", name="A new game").get_by_role("heading", name="Oware (Abapa)").wait_for()


def test_games_are_sorted_and_filtered(browser):
    by_title = {card["title"]: card for card in CARDS.values()}
    with in_lobby(browser) as tab:
        assert shown(tab)[: len(lobby.FIRST)] == [CARDS[name]["title"] for name in lobby.FIRST]
        for order, what in (("Shortest first", "plies"), ("Easiest first", "words")):
            tab.get_by_label("Order").select_option(order)
            values = [by_title[title][what] for title in shown(tab)]
            assert values == sorted(values)
        tab.get_by_label("Region").select_option("Southern Africa")
        tab.get_by_label("Rows").select_option("4")
        tab.get_by_label("What happens").select_option("whoever is stuck loses")
        found = [by_title[title] for title in shown(tab)]
        assert len(found) > 1
        assert all(card["region"] == "Southern Africa" and card["rows"] == 4 for card in found)


def test_on_a_phone_games_are_a_list(browser):
    with in_lobby(browser, width=390, phone=True) as tab:
        size = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        width, height = tab.evaluate(size)
        assert width == 390
        assert height < LONGEST / 4
        cut = "all => all.filter((one) => !one.className && one.scrollHeight > one.clientHeight).length"
        assert tab.locator(".card .words span").evaluate_all(cut) == 0  # what is special about a game is read in full
        tab.get_by_role("button", name="Show all").click()
        wide = tab.evaluate(size)
        assert wide[0] == 390
        assert wide[1] < LONGEST
        assert len(shown(tab)) == len({card["family"] for card in CARDS.values()})


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_in_the_lobby(browser, dark):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for width in (1440, 390):
        with in_lobby(browser, width=width, dark=dark) as tab:
            look_for(tab, "oware")
            tab.locator(".lobby .more").first.click()
            found = {
                each["id"]: [node["html"] for node in each["nodes"]] for each in axe.run(tab).response["violations"]
            }
            assert found == {}
