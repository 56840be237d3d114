"""A guided first game says what stands on the board; sounds, shorter matches, and what the page says while it waits."""

import re
import threading
from itertools import pairwise

import pytest

import mancala_env as mancala
from agents.play.api import PlayApi
from agents.play.guide import FAREWELL, GUIDES, MOVES, guidance, seen
from agents.play.lobby import offered
from agents.play.session import Session
from mancala_env.words import counted
from tests.games import random_game
from tests.processes import PATIENCE
from tests.test_play_web import addressed, at_table, chosen, moved, only, rested, served

NOTES = """window.notes = []; window.AudioContext = class {
  currentTime = 0;
  createOscillator() {
    const frequency = {};
    return { frequency, connect: (next) => next, start: () => notes.push(frequency.value), stop: () => 0 };
  }
  createGain() {
    const gain = { setValueAtTime: () => 0, exponentialRampToValueAtTime: () => 0 };
    return { gain, connect: (next) => next };
  }
}; null"""


def gains(state):
    """What each move brings its player, as the stores tell it."""
    after = {state.name(action): state.play(action) for action in state.legal_actions}
    return {name: end.stores[state.player] - state.stores[state.player] for name, end in after.items()}


@pytest.mark.parametrize("game", GUIDES)
def test_what_a_guide_says_is_true_of_the_position(game):
    kinds = set()
    for states in (random_game(mancala.ruleset(game), seed)[1][:60] for seed in range(12)):
        for state in (each for each in states if not each.is_over and each.pending is None):
            facts, play = seen(state), lambda name, state=state: state.play(state.parse_move(name))
            kinds |= facts.keys()
            if "win" in facts:
                assert play(facts["win"]["move"]).winner == state.player
            for name in facts["lose"]["moves"].replace(" or ", ", ").split(", ") if "lose" in facts else ():
                assert play(name).winner == 1 - state.player
            for name in facts["again"]["moves"].replace(" or ", ", ").split(", ") if "again" in facts else ():
                assert play(name).player == state.player
            if game != "oware":
                continue  # in which only captures bring seeds
            other = state.rules.position(state.pits, state.stores, 1 - state.player, state.ply)
            for kind, mover, none in (("capture", state, "quiet"), ("threat", other, "calm")):
                most = max(gains(mover).values(), default=0)
                assert (none in facts) == (most == 0)
                if most:
                    assert facts[kind]["seeds"] == counted(most, "seed")
                    assert gains(mover)[facts[kind]["move"]] == most
    assert {"toguz": {"mark"}, "hus": {"relay"}, "bao_kiswahili": {"must"}}.get(game, set()) <= kinds


@pytest.mark.parametrize("game", GUIDES)
def test_a_guide_speaks_ten_times_and_takes_its_leave(game):
    for seat in range(mancala.ruleset(game).players):
        states = random_game(mancala.ruleset(game), seat)[1][:60]
        said = [guidance(states[: k + 1], seat) for k in range(len(states)) if guidance(states[: k + 1], seat)]
        assert all(len(text) < 200 and text.endswith((".", "?")) and "{" not in text for text in said)
        assert len(set(said[:MOVES])) >= min(4, len(said))
        assert said[MOVES:] == [FAREWELL] * (len(said) > MOVES)
    api = PlayApi(Session(game, "random"), lambda rules, against, seat, seed: Session(rules, against, seed=seed))
    new = {"command": "new", "rules": game, "against": "random", "seat": 0, "seed": 0}
    told = api.answer({**new, "guided": True})
    assert told["game"]["guide"] == guidance(api.session.states, 0)
    assert not api.answer(new)["game"]["guide"]
    if game == "kalah":  # all moves of the turn that is over are told
        assert api.answer({**new, "moves": [0, 2, 0]})["game"]["asks"].endswith(" played c and a. Your turn.")


def test_prose_of_games_holds_no_code():
    code = re.compile(r"[\[\]=`_]|\w\(")
    assert not [name for name, rules in mancala.RULESETS.items() if not rules.about or code.search(rules.about)]


def test_matches_can_be_shorter():
    assert offered("oware_territory:max_games=3")
    assert offered("sungka_match:max_games=1")
    assert not offered("oware_territory:max_games=2")
    assert not offered("oware:max_games=1")


def test_a_first_game_is_guided_and_a_page_that_is_loaded_anew_goes_on_with_it(browser):
    with served() as server, at_table(browser, server) as tab:
        form, guide = chosen(tab, "oware"), tab.locator(".says .guide")
        moved(tab, form.get_by_role("button", name="First game, guided").click)
        assert tab.locator(".seat b").all_text_contents() == ["Beginner", "You"]
        assert guide.text_content().startswith("Guide: Pits A to F are yours.")
        tab.set_viewport_size({"width": 390, "height": 844})  # with the whole board, above the buttons
        rested(tab)
        boxes = [tab.locator(each).bounding_box() for each in (".board", ".says .guide", ".table > .controls")]
        assert all(one["y"] + one["height"] <= other["y"] + 3 for one, other in pairwise(boxes))
        assert boxes[-1]["y"] + boxes[-1]["height"] <= 844
        tab.get_by_role("button", name="Rules").click()
        tab.get_by_text("the board stands upright, with South's side at its left").wait_for()
        tab.get_by_role("button", name="Close the rules").click()
        moved(tab, tab.locator(".cell[data-cell='2']").click)
        said = guide.text_content()
        assert said == f"Guide: {guidance(only(server).states, 0)}"
        addressed(tab, "guided=1", "moves=")
        tab.reload()
        tab.wait_for_selector("[data-open] .cell")
        rested(tab)
        assert guide.text_content() == said
        moved(tab, tab.get_by_role("button", name="Rematch").click)
        assert guide.count() == 0


def test_seeds_are_heard_once_somebody_asks_for_it(browser):
    with served("kalah", ("random",)) as server, at_table(browser, server, motion=True) as tab:
        tab.evaluate(NOTES)
        moved(tab, tab.locator(".cell[data-cell='2']").click)  # ends in the store
        assert tab.evaluate("notes") == []
        sound = tab.get_by_role("button", name="Sound")
        sound.click()
        assert tab.evaluate("notes.splice(0)") == [620]
        moved(tab, tab.locator(".cell[data-cell='0']").click)
        assert tab.evaluate("notes").count(620) >= 4
        tab.reload()
        tab.wait_for_selector("[data-open] .cell")
        assert sound.get_attribute("aria-pressed") == "true"


def test_the_length_of_a_match_is_said_and_chosen_before_it_begins(browser):
    with served() as server, at_table(browser, server) as tab:
        tab.get_by_role("button", name="Games").click()
        tab.get_by_label("Find a game").fill("oware series wins")
        tab.locator(".card:has([data-game='oware_series_wins'])").click()
        form = tab.locator("dialog.setup[open]")
        form.get_by_label("Opponent").select_option("greedy")
        assert re.search(r"up to 20 games, about \d+ moves", form.text_content())
        length = form.get_by_label("Length of the match")
        assert length.locator("option").all_text_contents() == [
            "up to 20 games (as usual)", "up to three games", "one game",
        ]  # fmt: skip
        length.select_option("1")
        form.locator("p", has_text=re.compile("^one game$")).wait_for()
        assert "three games" not in " ".join(form.locator("p").all_text_contents())
        moved(tab, form.get_by_role("button", name="Play").click)
        assert only(server).rules.max_games == 1
        assert tab.get_by_role("heading", level=1).text_content() == "Oware, a match for wins (one game)"
        assert "25 more seeds" in tab.locator(".left").text_content()


def test_an_example_that_has_to_wait_says_so_and_starts_are_drawn(browser, monkeypatch):
    waits = threading.Event()
    with served("hus", ("random",)) as server, at_table(browser, server) as tab:
        tab.get_by_role("button", name="Rules").click()
        show = tab.locator(".drawer").get_by_role("button", name=re.compile("^Show me")).first
        show.wait_for()
        assert tab.locator(".drawer img").get_attribute("alt").startswith("At the start South's pits hold 2, 2")
        reply = only(server).reply
        monkeypatch.setattr(only(server), "reply", lambda stop=None: waits.wait(PATIENCE) and reply(stop))
        tab.locator(".cell.offered").first.click()
        says = tab.locator(".says", has_text="is thinking.")
        says.wait_for()
        show.click()
        assert says.text_content() == "random is thinking. The example comes after it."
        assert tab.locator(".play progress").first.is_visible()
        waits.set()
        tab.locator(".says", has_text="An example").wait_for()
