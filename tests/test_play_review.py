"""Games that are gone through: moves graded, other moves tried, two people at one board."""

import re

import pytest

import mancala_env as mancala
from agents.play import Session
from agents.play.api import PlayApi, Stale
from agents.play.session import GRADES, PERSON, graded
from tests.pages import counts, seeds_shown
from tests.processes import wait_until
from tests.test_play_web import SMALL, addressed, at_table, moved, only, rested, served


def played(rules=SMALL, against="greedy", moves=8, **more):
    """A session after some moves."""
    session = Session(rules, against, **more)
    while len(session.actions) < moves and not session.is_over:
        if session.is_agents_turn:
            session.reply()
        else:
            session.play(session.state.legal_actions[-1])
    return session


def kept(session):
    return session.states, session.actions, session.seat, session.against, session.is_over, session.save()


def test_moves_are_graded_by_what_they_cost():
    assert graded(0) == ("", "fine")
    assert [graded(least)[1] for least, _, _ in GRADES] == ["blunder", "mistake", "inaccuracy"]
    assert [graded(least - 0.5)[1] for least, _, _ in GRADES] == ["mistake", "inaccuracy", "fine"]
    session = played(moves=6)
    api = PlayApi(session)
    for at in range(len(session.actions)):
        told = api.answer({"command": "analyse", "ply": len(session.actions), "at": at})
        assert tuple(told["grade"]) == graded(told["loss"])
        assert (told["grade"][1] in told["told"]) == (told["grade"][1] != "fine")
        assert told["unit"] == "seed"
        assert all(f"{sign} {word}, {least} seeds" in told["grading"] for least, sign, word in GRADES)
    diffusion = PlayApi(played("diffusion", moves=2)).answer({"command": "analyse", "ply": 2, "at": 0})
    assert diffusion["unit"] == "point"
    assert "points or more" in diffusion["grading"]


@pytest.mark.parametrize("rules", [SMALL, "oware_series_wins", "layli_goobalay_match"])
def test_a_variation_leaves_the_game_as_it_is(rules):
    session = played(rules, moves=4)
    session.resign()
    api, before = PlayApi(session), kept(session)
    ply = len(session.actions)
    for at in (0, 3, ply):
        line, state = [], session.states[at]
        for _ in range(4):
            told = api.answer({"command": "try", "ply": ply, "at": at, "line": line})["game"]
            assert (told["at"], told["ply"], told["from"]) == (at, at + len(line), at + len(line))
            assert [action for action, _, _ in told["legal"]] == list(state.legal_actions)
            assert told["turn"] == ("over" if state.is_over else "person")
            assert len(told["rows"]) == 1
            if state.is_over:
                break
            found = api.answer({"command": "hint", "ply": ply, "at": at, "line": line})
            assert found["action"] in state.legal_actions
            line.append(state.legal_actions[0])
            state = state.play(line[-1])
        assert session.variation(at, line).state == state
    assert kept(session) == before


def test_variations_that_cannot_be_are_refused():
    session = played(moves=4)
    with pytest.raises(ValueError, match=r"while .* is played against, no other moves are tried"):
        session.variation(0, [])
    session.resign()
    for at in (-1, 5):
        with pytest.raises(ValueError, match=f"positions 0 to 4, and no position {at}"):
            session.variation(at, [])
    with pytest.raises(mancala.IllegalAction):
        session.variation(0, [99])
    api = PlayApi(session)
    for request in ({"at": "x"}, {"at": 0, "line": 3}, {"at": 0, "line": ["a"]}, {}):
        with pytest.raises(ValueError, match=r"whole number|a line is a list"):
            api.answer({"command": "try", "ply": 4, **request})
    with pytest.raises(Stale):
        api.answer({"command": "try", "ply": 3, "at": 0})


def test_a_solitaire_is_tried_out_while_it_runs():
    session = Session("tchuka_ruma")
    session.play(2)
    assert not session.is_over
    assert session.variation(1, [3]).actions == (2, 3)
    assert session.review(0)["told"]


def test_two_people_play_on_one_board():
    session = Session(SMALL, PERSON)
    with pytest.raises(ValueError, match="not the turn"):
        session.reply()
    while not session.is_over:
        assert session.is_persons_turn
        before = session.state
        session.play(before.legal_actions[0])
        session.undo()
        assert session.state == before
        session.redo()
    assert session.names == ("South", "North")
    assert session.result.startswith(("South wins", "North wins", "A draw"))
    again = Session(SMALL, PERSON)
    again.load(session.save())
    assert again.actions == session.actions
    again.undo()
    loser = again.state.player
    again.resign()
    assert again.result == f"{['North', 'South'][loser]} wins: {['South', 'North'][loser]} has given the game up."
    assert again.record.winner == 1 - loser
    once_more = Session(SMALL, PERSON)
    once_more.load(again.save())
    assert once_more.result == again.result
    with pytest.raises(ValueError, match="a solitaire is played alone"):
        Session("tchuka_ruma", PERSON)


def test_a_match_has_one_account_of_what_stands():
    """After a game the sums are those with which it ended, and what is said to be lacking counts the same."""
    session = Session("layli_goobalay_match", "random", seed=4)
    while not session.game_ends:
        if session.is_agents_turn:
            session.reply()
        else:
            session.play(session.state.legal_actions[0])
    (end,) = session.game_ends
    south, north = (int(each) for each in end.result.scores)
    assert end.standing.startswith(f"South {south}, North {north} seeds, ")
    assert f"South has {south}, North {north}" in PlayApi(session).game()["game"]["left"]


# ---- in a browser --------------------------------------------------------------------------------------------------


def actions(tab, name):
    return tab.locator(".actions button", has_text=name)


def tried(tab):
    """The moves of a variation, as the list has them."""
    return tab.locator(".play ol .tried").all_text_contents()


def test_a_game_is_analysed_and_other_moves_are_tried(browser):
    with served() as server, at_table(browser, server) as tab:
        for _ in range(3):
            moved(tab, tab.locator(".cell.offered").first.click)
        assert actions(tab, "Try").count() == 0  # somebody is being played against
        tab.get_by_role("button", name="Resign").click()
        moved(tab, tab.get_by_role("button", name="Resign: sure?").click)
        moved(tab, actions(tab, "Analyse the game").click)
        game = only(server)
        before, last = kept(game), len(game.actions)
        assert " seeds either way" in tab.locator(".graph-label").text_content()
        assert "?? blunder, 8 seeds" in tab.locator(".graded").text_content()
        numbers = tab.locator(".play ol button").evaluate_all("all => all.map((one) => Number(one.dataset.ply))")
        assert numbers == list(range(1, last + 1))
        for at in range(last):
            (sign, word), move = game.review(at)["grade"], tab.locator(f".play ol [data-ply='{at + 1}']")
            name = game.states[at].name(game.actions[at])
            assert move.text_content() == f"{name}{sign}"
            assert move.get_attribute("aria-label").endswith(f", {word}")
            move.focus()
            tab.keyboard.press("Enter")
        tab.set_viewport_size({"width": 390, "height": 700})
        tab.locator(".worst button").first.click()
        assert tab.locator(".table .stage").bounding_box()["y"] >= 0  # from below the board to it
        at = int(tab.locator(".play").get_attribute("data-ply"))
        assert tab.locator(".thought").text_content().startswith(f"Move {at + 1}, ")
        address = addressed(tab, f"ply={at}")

        actions(tab, "Try another move").focus()
        moved(tab, lambda: tab.keyboard.press("Enter"))
        state = game.states[at]
        assert tab.evaluate("document.activeElement.dataset.cell") == str(min(map(state.pit, state.legal_actions)))
        moved(tab, lambda: tab.keyboard.press("Enter"))
        state = state.play(min(state.legal_actions, key=state.pit))
        assert counts(tab) == seeds_shown(state)
        assert len(tried(tab)) == 1
        tab.locator(".thought", has_text=re.compile("^Best: ")).wait_for()
        best = game.variation(at, [min(game.states[at].legal_actions, key=state.pit)]).hint(60_000).best
        moved(tab, actions(tab, "Let the search move").click)
        assert tried(tab)[1] == state.name(best)
        assert counts(tab) == seeds_shown(state.play(best))
        assert tab.locator(".graph .line").count() == 1
        assert tab.evaluate("location.href") == address
        tab.keyboard.press("ArrowLeft")
        moved(tab, tab.locator(".cell").first.click)  # which leaves the variation there for another one
        assert kept(game) == before
        actions(tab, "Back to the game").click()
        assert tried(tab) == []
        assert counts(tab) == seeds_shown(game.states[at])
        assert tab.locator(".play ol button").count() == last
        tab.keyboard.press("End")
        moved(tab, actions(tab, "Try").click)
        assert kept(game) == before
        tab.keyboard.press("Escape")
        assert tab.locator(".says.ended").text_content() == "You lose: you have given the game up."


def test_moves_are_tried_in_a_solitaire_and_its_chart_counts_seeds_from_the_start(browser):
    with served("tchuka_ruma", ("random",)) as server, at_table(browser, server) as tab:
        moved(tab, tab.locator(".cell.offered").nth(2).click)
        assert "the scale reaches 5 seeds either way" in tab.locator(".graph-label").text_content()
        game = only(server)
        before = kept(game)
        moved(tab, actions(tab, "Try moves").click)
        moved(tab, tab.locator(".cell.offered").last.click)
        assert len(tried(tab)) == 1
        assert "A variation after move 1." in tab.locator(".says").text_content()
        tab.keyboard.press("Escape")
        assert kept(game) == before
        moved(tab, tab.locator(".cell.offered").first.click)
        assert len(game.actions) == 2


def test_two_people_play_in_a_browser(browser):
    with served(SMALL, (PERSON,)) as server, at_table(browser, server) as tab:
        for _ in range(4):
            state = only(server).state
            assert f"{['South', 'North'][state.player]}'s turn" in tab.locator(".says").text_content()
            offered = tab.locator(".cell.offered").evaluate_all("all => all.map(one => Number(one.dataset.cell))")
            assert offered == [state.pit(action) for action in state.legal_actions]
            moved(tab, tab.locator(".cell.offered").first.click)
        assert len(only(server).actions) == 4
        moved(tab, tab.get_by_role("button", name="Undo").click)
        assert len(only(server).actions) == 3
        moves = ".".join(map(str, only(server).actions))
        wait_until(lambda: tab.evaluate("location.hash").endswith(f"moves={moves}"))
        address = addressed(tab, "against=person")
        tab.goto("about:blank")
        tab.goto(address)
        tab.wait_for_selector("[data-open] .cell")
        rested(tab)
        assert len(only(server).actions) == 3


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_in_an_analysis_and_a_variation(browser, dark):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with served("tchuka_ruma", ("random",)) as server, at_table(browser, server, dark=dark) as tab:
        moved(tab, tab.locator(".cell.offered").nth(2).click)
        moved(tab, tab.get_by_role("button", name="Analyse").click)
        found = [axe.run(tab)]
        moved(tab, actions(tab, "Try moves").click)
        moved(tab, tab.locator(".cell.offered").last.click)
        tab.get_by_role("button", name="One move back").click()
        found.append(axe.run(tab))
        assert [each["id"] for result in found for each in result.response["violations"]] == []
