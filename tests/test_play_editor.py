"""Positions that are set up by hand, and games that are looked into while they are played."""

import json
import re

import numpy as np
import pytest

import mancala_env as mancala
from agents.play import Session
from agents.play.api import PlayApi, editable, edited
from agents.play.session import PERSON
from mancala_env.games import ruleset
from tests.games import CORE
from tests.pages import counts, seeds_shown
from tests.test_play_web import addressed, at_table, moved, only, rested, served

MARKED, LINE = "layli_goobalay", "kalah 0-0-0-0-0-2-1-0-0-0-0-1-20-20-N"


@pytest.mark.parametrize("rules", [*CORE, "oware_territory", "layli_goobalay_match", "bao_kiswahili"])
def test_a_row_that_is_not_changed_is_the_same_position(rules):
    state, rng = ruleset(rules).start(), np.random.default_rng(1)
    for _ in range(25):
        told = editable(state)
        assert json.loads(json.dumps(told)) == told
        parsed = mancala.State.parse(state.rules, told["text"])
        assert parsed == state
        assert told["refused"] == ""
        assert edited(state, told["row"]) == mancala.State.parse(state.rules, str(state))
        state = state.play(int(rng.choice(state.legal_actions)))
        if state.is_over:
            assert "The game is over" in editable(state)["refused"]
            break


def test_what_cannot_be_is_refused_with_the_reason_of_the_rules():
    session = Session(MARKED, PERSON)
    api, rules = PlayApi(session), session.rules
    told = api.answer({"command": "position", "ply": 0, "at": 0, "line": []})
    row, text = told["row"], told["text"]
    row[0] += 1
    with pytest.raises(ValueError, match="49 seeds are more than the 48") as why:
        rules.position(row[: rules.board.pits], (0, 0))

    def asked(**more):
        return api.answer({"command": "position", "ply": 0, **more})

    assert asked(text=text, row=row) == {"refused": str(why.value)}
    for wrong in ({"text": "kalah 1-2"}, {"text": 3}, {"text": text, "row": 7}, {"text": text, "row": ["x"]}):
        assert set(asked(**wrong)) == {"refused"}
    assert "pit A must be" in asked(text=text, row=[-1, *row[1:]])["refused"]
    row[0] -= 3
    assert mancala.State.parse(rules, asked(text=text, row=row)["text"]).pits[0] == row[0]
    api = PlayApi(Session("kalah", "greedy"))  # who is being played against gets no help
    assert "no other moves are tried" in asked(at=0, line=[])["refused"]


def test_a_page_without_a_server_begins_games_only_with_who_is_offered():
    from docs.browser.game import begin

    assert begin("kalah", "random", 0, 0).against == "greedy"  # of older links
    assert begin("kalah", PERSON, 0, 0).is_shared
    for against in ("mcts:simulations=1000000", "policy:/etc/passwd", "minimax:depth=40", "zoo:oware"):
        with pytest.raises(ValueError, match="none of the opponents for kalah here"):
            begin("kalah", against, 0, 0)


# ---- in a browser --------------------------------------------------------------------------------------------------


def test_a_position_is_set_up_by_keys_played_against_anybody_and_is_in_the_address(browser):
    from playwright.sync_api import expect  # only where pages are tested

    with served("kalah", (PERSON,)) as server, at_table(browser, server) as tab:
        moved(tab, tab.locator(".cell.offered").first.click)
        tab.get_by_role("button", name="Edit", exact=True).focus()
        tab.keyboard.press("Enter")
        editor = tab.locator("dialog.editor[open]")
        line, says = editor.get_by_label("As text"), editor.locator(".refused")
        begins = editor.get_by_role("button", name="Play from here")
        editor.locator(".cell.offered").first.wait_for()
        assert tab.evaluate("document.activeElement.dataset.cell") == "0"
        assert tab.evaluate("document.activeElement.getAttribute('aria-label')") == "Change South A: 0 seeds"
        tab.keyboard.press("Tab")
        tab.keyboard.type("9")
        tab.keyboard.press("Enter")
        says.get_by_text("kalah: 52 seeds are more than the 48 the game is played with").wait_for()
        assert begins.is_disabled()
        assert line.input_value() == ""  # there is no text of what cannot be
        editor.locator("input[type=number]").fill("-3")
        tab.keyboard.press("Enter")
        says.get_by_text("from 0 to 48, not -3").wait_for()
        tab.keyboard.press("Control+A")
        tab.keyboard.type("1")
        tab.keyboard.press("Tab")
        tab.keyboard.press("S")  # who is to move
        expect(line).to_have_value(re.compile("^kalah 0-1-5-5-5-4-4-4-4-4-4-4-0-0-S"))
        assert not says.inner_text()
        line.fill("kalah 0-0-0-0-0-0-1-0-0-0-0-0-20-20-S")
        line.press("Enter")
        says.get_by_text("should say over=").wait_for()
        assert editor.locator(".stage.before").count() == 1
        line.fill(LINE)
        line.press("Enter")
        editor.locator(".cell[aria-label$='F: 2 seeds']").wait_for()
        begins.click()
        form = tab.locator("dialog.setup[open]")
        form.get_by_label("Opponent").select_option("minimax:depth=2")
        form.get_by_label("You are").select_option("1")
        moved(tab, form.get_by_role("button", name="Play", exact=True).click)
        game = only(server)
        assert (game.against, game.seat, game.opening) == ("minimax:depth=2", 1, LINE)
        assert counts(tab) == seeds_shown(game.state)
        assert tab.get_by_role("button", name="Edit", exact=True).is_disabled()
        address = addressed(tab, "position=kalah", "against=minimax")
        with at_table(browser, server, address.removeprefix(server.url)) as other:
            assert counts(other) == seeds_shown(game.state)


def test_owners_and_marks_are_set_up_from_the_games_to_choose_from(browser):
    with served(lobby=True) as server, at_table(browser, server, f"#game={MARKED}&against=person") as tab:
        tab.get_by_role("button", name="Games", exact=True).click()
        tab.get_by_label("Find a game").fill("layli goobalay")
        tab.locator(f".card:has([data-game='{MARKED}'])").first.click()
        form = tab.locator("dialog.setup[open]")
        form.get_by_label("Opponent").select_option("minimax:depth=4")
        form.get_by_label("You are").select_option("1")
        moved(tab, tab.get_by_role("button", name="Set up a position").click)
        editor = tab.locator("dialog.editor[open]")
        for cell in (2, 9):  # which face each other
            editor.locator(f".cell[data-cell='{cell}']").click()
            editor.get_by_label("Mark").select_option("1")
            editor.locator(f".cell[data-cell='{cell}'][aria-label*='gravid']").wait_for()
        for width, height in ((390, 844), (844, 390)):
            tab.set_viewport_size({"width": width, "height": height})
            assert editor.evaluate("(node) => node.scrollWidth <= node.clientWidth")
        axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
        assert [each["id"] for each in axe.run(tab).response["violations"]] == []
        editor.get_by_role("button", name="Play from here").click()
        chosen = [form.get_by_label(label) for label in ("Opponent", "You are")]
        assert [each.input_value() for each in chosen] == ["minimax:depth=4", "1"]


def test_two_people_see_values_a_graph_and_an_analysis_while_they_play(browser):
    with served("kalah", (PERSON,)) as server, at_table(browser, server) as tab:
        tab.get_by_label("Values").check()
        for _ in range(3):
            moved(tab, tab.locator(".cell.offered").first.click)
            tab.wait_for_selector("[data-values=shown]")
            tab.locator(".worth:not(:empty)").first.wait_for(state="attached")
        assert "Evaluation" in tab.locator(".graph-label").text_content()
        game, asked = only(server), []
        review = game.review
        game.review = lambda at: asked.append(at) or review(at)
        moved(tab, tab.get_by_role("button", name="Analyse", exact=True).click)
        assert asked == [0, 1, 2]
        assert tab.locator(".worst li").count()
        moved(tab, tab.locator(".cell.offered").last.click)
        assert tab.locator(".worst li").count()
        tab.wait_for_selector("[data-values=shown]")
        moved(tab, tab.get_by_role("button", name="Analyse", exact=True).click)
        assert asked == [0, 1, 2, 3]
        assert tab.locator(".graph .line").get_attribute("d").count("L") == 4  # also where the game stands
        moved(tab, tab.locator(".actions button", has_text="Try moves").click)
        moved(tab, tab.locator(".cell.offered").first.click)
        tab.keyboard.press("Escape")
        assert len(game.actions) == 4


def test_two_tabs_remember_their_games_side_by_side(browser):
    with served("oware", (PERSON,)) as server, at_table(browser, server) as one:
        other = one.context.new_page()
        other.goto(server.url)
        other.wait_for_selector("[data-open] .cell")
        rested(other)
        for tab, pit in ((one, 1), (other, 2), (one, 0), (other, 0)):
            moved(tab, tab.locator(".cell.offered").nth(pit).click)
            addressed(tab, "moves=")
            tab.wait_for_timeout(300)
        other.get_by_role("button", name="Light / dark").click()
        for tab in (one, other):
            kept = tab.evaluate("JSON.parse(localStorage.getItem('mancala'))")
            assert [each["address"].partition("moves=")[2][0] for each in kept["games"]] == ["2", "1"]
            assert [each["result"] for each in kept["games"]] == ["after move 2"] * 2
            assert kept["theme"] == "dark"
        one.get_by_role("button", name="Games", exact=True).click()
        assert one.locator(".remembered li").count() == 2


def test_the_address_follows_from_an_example_over_a_variation_to_the_games(browser):
    with served("kalah", (PERSON,)) as server, at_table(browser, server) as tab:
        moved(tab, tab.locator(".cell.offered").first.click)
        moved(tab, tab.locator(".actions button", has_text="Try moves").click)
        addressed(tab, "moves=0")
        tab.get_by_role("button", name="Rules").click()
        tab.locator(".drawer .show").first.click()
        tab.wait_for_selector(".play.showing")
        tab.get_by_role("button", name="Games", exact=True).click()
        tab.wait_for_function("!location.hash")
        tab.get_by_role("button", name="Back to the board").click()
        addressed(tab, "moves=0")
