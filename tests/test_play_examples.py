"""Rules that show themselves: of each rule that random play comes across, the plainest move that shows it."""

import pytest

import mancala_env as mancala
from agents.play.api import PlayApi
from agents.play.examples import CLAUSE, END, PLAIN, examples, listed
from agents.play.session import Session
from mancala_env.rules.describe import sections
from mancala_env.trace import EventKind
from tests.pages import counts
from tests.test_play_web import at_table, moved, only, rested, served

KINDS = (
    "oware", "kalah", "layli_goobalay_match", "bao_kiswahili", "hus", "toguz", "sungka", "diffusion", "tchuka_ruma",
    "bulgarian_solitaire",
)  # fmt: skip
OTHERS = tuple(game for game in mancala.RULESETS if game not in KINDS)
BARRING = {"feeding": "none", "singles": "as_others", "first_lap": "anywhere", "grand_slam": "capture"}


@pytest.mark.parametrize("game", [*KINDS, *(pytest.param(game, marks=pytest.mark.slow) for game in OTHERS)])
def test_each_clause_that_random_play_reaches_has_an_example_of_nothing_else(game):
    rules = mancala.ruleset(game)
    told = " ".join(sentence for part in sections(rules).values() for sentence in part)
    longer = examples(rules, 6_000, seed=11)
    assert {name for name in longer if name.startswith(CLAUSE)} <= examples(rules).keys()
    assert all(each["sentence"] in told for each in listed(rules))
    for name, example in examples(rules).items():
        state, kind, which = example.state, *name.partition(" ")[::2]
        trace, after = state.trace(example.action), state.play(example.action)
        fell = [event.clause for event in trace.events if event.kind is EventKind.LAND and event.clause is not None]
        if kind == CLAUSE:
            assert int(which) in fell
            if longer[name].cost[0] == 0:
                assert ({*fell}, state.pending) == ({int(which)}, None)
        elif kind == END:
            assert which in [after.termination, *(ended.termination for ended in after.games[len(state.games) :])]
        elif kind == PLAIN:
            assert (fell, after.is_over) == ([], False)
        elif example.barred and kind in BARRING:
            free = mancala.State.from_array(rules.changes(**{kind: BARRING[kind]}), state.array)
            pits = {state.rules.board.names[free.pit(action)] for action in free.legal_actions}
            assert pits >= {*example.barred}


def test_examples_are_the_same_on_every_machine():
    oware = examples(mancala.ruleset("oware"))
    assert [str(oware[name].state) for name in ("clause 0", "feeding")] == [
        "oware 0-0-9-7-0-1-1-7-1-3-10-0-2-7-S ply=12",
        "oware 1-1-1-1-7-1-0-0-0-0-0-0-17-19-S ply=54",
    ]
    assert oware["feeding"].barred == ("A", "B", "C", "D")
    assert oware["plain"].told()["texts"][1] == "North plays b, sowing 3 seeds, the last into the empty pit e"


def test_an_example_is_told_as_the_page_reads_it():
    api = PlayApi(Session("kalah", "random"))
    listed = api.answer({"command": "example"})["found"]
    (again,) = [each for each in listed if each["of"] == "clause 0"]
    assert again["sentence"].startswith("1. If the last seed falls into the own store")
    told = api.answer({"command": "example", "of": "clause 0"})
    assert told["texts"][1].endswith("the last seed falls into the store: South moves again")
    assert (len(told["rows"]), api.session.actions) == (2, ())
    for wrong in ("clause 9", 3, ["end"]):
        with pytest.raises(ValueError, match="there is no example of"):
            api.answer({"command": "example", "of": wrong})


def shown(tab):
    """What lies on the board, and the pits that can be played."""
    return counts(tab), tab.locator(".cell.offered").evaluate_all("cells => cells.map((cell) => cell.dataset.cell)")


def test_a_rule_is_shown_on_the_board_and_the_game_comes_back(browser):
    with served("kalah", ("random",)) as server, at_table(browser, server, motion=True) as tab:
        moved(tab, tab.locator(".cell[data-cell='0']").click)
        before, said = shown(tab), tab.locator(".says").text_content()
        played = only(server).actions
        tab.get_by_role("button", name="Rules").click()
        clause = tab.locator(".drawer .clause", has_text="2. If the last seed falls")
        clause.get_by_role("button", name="Show me").click()
        tab.locator(".story", has_text="which lies across").wait_for()
        assert tab.locator(".says").text_content().startswith("An example: If the last seed falls into an own pit")
        assert tab.locator(".seat b").all_text_contents() == ["North", "South"]
        tab.get_by_role("button", name="Again").click()
        tab.locator(".story", has_text="which lies across").wait_for(state="hidden")
        tab.locator(".drawer .ends button").first.click()  # another one, before this one is over
        tab.locator(".says.ended, .says", has_text="wins").wait_for()
        tab.get_by_role("button", name="Back to the game").click()
        rested(tab)
        assert (shown(tab), tab.locator(".says").text_content()) == (before, said)
        assert only(server).actions == played
        tab.keyboard.press("Escape")
