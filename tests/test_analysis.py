"""Frames, trees and comparisons, on a Kalah so small that every number can be played out by hand.

Two pits a row, two seeds in each: after A (an extra turn) and B South's row is empty, and North has 6 of 8 seeds."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import mancala_env as mancala
from agents.analysis import (
    NetworkValues,
    Page,
    boards,
    compare,
    evaluations_frame,
    games_frame,
    make_valuer,
    opening_tree,
    play_out,
    positions_frame,
)
from agents.evaluation.regret import SolverOracle
from agents.mcts import MctsAgent
from agents.tournament.summary import Score
from mancala_env import State
from tests.pages import recorded

pytest.importorskip("pandas")

SMALL = mancala.ruleset("kalah", pits_per_row=2, seeds=2)
SPEC = "kalah:pits_per_row=2,seeds=2"
START = SMALL.start()


def record(actions, number=0, rules=SPEC, start=START):
    return recorded(start, actions, number=number, rules=rules, south="one", north="two")


def rest(*actions):
    """These actions, and then the first legal one to the end."""
    state, played = START, []
    while not state.is_over:
        played.append(actions[len(played)] if len(played) < len(actions) else state.legal_actions[0])
        state = state.play(played[-1])
    return played


def first(state):
    return state.legal_actions[0]


def last(state):
    return state.legal_actions[-1]


def test_a_game_is_a_line(monkeypatch):
    frame = games_frame([record([0, 1]), record([0], number=1)])
    line, unfinished = frame.to_dict("records")
    assert line["moves"] == "A B"
    assert (line["plies"], line["south_score"], line["north_score"], line["margin"]) == (2, 2.0, 6.0, -4.0)
    assert (line["winner"], line["south_points"], line["reason"]) == (1, 0.0, "side_empty")
    assert (line["south_time"], line["north_time"]) == (0.5, 0.25)
    assert unfinished["south_points"] == 0.5
    assert frame["winner"].isna().tolist() == [False, True]
    assert np.isnan(unfinished["margin"])
    assert len(games_frame([])) == len(positions_frame([])) == len(evaluations_frame([], "minimax")) == 0
    assert games_frame([]).columns.tolist() == frame.columns.tolist()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r'pip install -e "\.\[tables\]"'):
        games_frame([])


def test_a_ply_is_a_line():
    frame = positions_frame([record([0, 1]), record([1, 0], number=1)])
    assert frame["game"].tolist() == [0, 0, 1, 1]
    assert frame["step"].tolist() == frame["ply"].tolist() == [0, 1, 0, 1]
    assert frame["move"].tolist() == ["A", "B", "B", "a"]
    assert frame["action"].tolist() == [0, 1, 1, 0]
    assert frame["mover"].tolist() == [0, 0, 0, 1]
    assert frame["player"].tolist() == ["one", "one", "one", "two"]
    assert frame["legal"].tolist() == [2, 1, 2, 2]
    assert frame["won"].tolist() == [1, 1, 1, 1]
    assert frame["again"].tolist() == [True, False, False, False]
    assert frame["points"].tolist() == [0.0, 0.0, 0.5, 0.5]
    assert frame["pits"].tolist() == [(2, 2, 2, 2), (0, 3, 2, 2), (2, 2, 2, 2), (2, 0, 3, 2)]
    assert frame["south_store"].tolist() == [0, 1, 0, 1]
    assert State.parse(SMALL, frame["position"][3]) == START.play(1)
    frame = positions_frame([record([0], start=START.play(1))])  # the plies of an opening are no steps
    assert (frame["ply"][0], frame["step"][0]) == (1, 0)


def test_a_game_of_ones_own_is_read_with_its_ruleset():
    mine = mancala.ruleset(SMALL, name="mine")
    one = record([0, 1], rules="mine", start=mine.start())
    assert games_frame([one], {"mine": mine})["moves"].tolist() == ["A B"]
    assert positions_frame([one], {"mine": mine})["move"].tolist() == ["A", "B"]
    with pytest.raises(ValueError, match="mine"):
        games_frame([one])


def test_what_a_move_wins_is_unknown_where_there_are_no_stores_or_a_game_of_a_match_ends():
    reaping = mancala.ruleset("reaping")
    first = reaping.start().legal_actions[0]
    frame = positions_frame([record([first], rules="reaping", start=reaping.start())])
    assert frame["won"].isna().all()
    match = mancala.ruleset(SMALL, match="wins", target=2)
    spec = "kalah:pits_per_row=2,seeds=2,match=wins,target=2"
    frame = positions_frame([record([0, 1, 0], rules=spec, start=match.start())])
    assert frame["won"].isna().tolist() == [False, True, False]
    assert frame["ply"].tolist() == [0, 1, 0]


def test_an_opening_tree_counts_games_and_points():
    games = [rest(0), rest(0), rest(1, 0), rest(1, 1)]
    tree = opening_tree([record(game, number) for number, game in enumerate(games)], 2)
    assert (tree.games, tree.moves, tree.mover, tree.state) == (4, (), None, START)
    assert [(child.moves, child.games) for child in tree.children] == [(("A",), 2), (("B",), 2)]
    first = tree.children[0]
    assert first.south == Score(0, 0, 2)
    assert first.score == 0.0
    assert [node.moves for node in first.children] == [("A", "B")]
    assert first.children[0].state.is_over
    assert [node.moves for node in tree.walk()][1:3] == [("A",), ("A", "B")]
    answers = tree.children[1].children
    assert [(node.moves, node.mover, node.games) for node in answers] == [(("B", "a"), 1, 1), (("B", "b"), 1, 1)]
    for node in answers:
        assert node.score == 1 - node.south.score
    frame = tree.frame()
    assert frame["line"].tolist() == ["A", "B", "A B", "B a", "B b"]
    assert frame["share"].tolist() == [0.5, 0.5, 1.0, 0.5, 0.5]
    assert (frame["wins"] + frame["draws"] + frame["losses"]).tolist() == frame["games"].tolist()


def test_an_opening_tree_begins_where_it_is_told():
    games = [record(rest(0)), record(rest(0)), record([0], start=START.play(1))]
    with pytest.raises(ValueError, match="begin in 2 ways, 2 of them at 'kalah 2-2-2-2-0-0-S'"):
        opening_tree(games, 1)
    with pytest.raises(ValueError, match="needs a game"):
        opening_tree([], 1)
    with pytest.raises(ValueError, match="from 0"):
        opening_tree(games, -1)
    assert opening_tree(games[:2], 0).children == ()


def test_evaluations_of_a_search_and_of_a_solver():
    frame = evaluations_frame([START, START.play(1)], "minimax:depth=1", SolverOracle(SMALL))
    assert frame["state"].tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    search, exact = (frame[frame["evaluator"] == name] for name in ("minimax:depth=1", "solver:nodes=1000000"))
    assert search["value"].tolist()[:2] == [1.0, 1.0]
    assert exact["value"].tolist() == [-4.0, -2.0, 2.0, -2.0]
    assert exact["loss"].tolist() == [2.0, 0.0, 0.0, 4.0]
    assert exact["best"].tolist() == [False, True, True, False]
    assert exact["move"].tolist() == ["A", "B", "a", "b"]
    assert set(frame["unit"]) == {"seeds"}
    assert frame["weight"].isna().all()
    assert evaluations_frame([START.play(0).play(1)], "minimax:depth=2").empty  # it is over
    assert set(evaluations_frame([mancala.ruleset("reaping").start()], "minimax:depth=1")["unit"]) == {"win"}
    values = make_valuer("minimax:depth=3")
    again = values.move_values(START), values.move_values(START.play(1)), values.move_values(START)
    assert again[0] == again[2] == make_valuer("minimax:depth=3").move_values(START)
    with pytest.raises(ValueError, match="not what moves are worth"):
        make_valuer("random")


def test_a_tree_search_gives_results_and_shares_of_visits():
    frame = evaluations_frame([START], "mcts:simulations=200")
    assert set(frame["unit"]) == {"result"}
    assert frame["weight"].sum() == pytest.approx(1.0)
    assert frame["value"].tolist() == [-1.0, -1.0]  # proven: the solver says that South loses by 2 at least
    values = MctsAgent(8)
    assert values.weights(START) == values.weights(START)
    assert values.move_values(START.play(0).play(1)) is None


def test_a_network_gives_expected_results_and_probabilities():
    pytest.importorskip("torch")
    from agents.policy.network import PolicyNetwork

    network = PolicyNetwork(SMALL, layers=(8,))
    values = NetworkValues(network)
    after = START.play(0)
    ended = after.play(1)
    assert (values.value(ended), ended.player) == (1.0, 1)  # North has won
    assert values.move_values(after) == {1: -1.0}
    assert values.move_values(START) == {
        0: pytest.approx(values.value(after)),
        1: pytest.approx(-values.value(START.play(1))),
    }
    frame = evaluations_frame([START], values)
    assert frame["weight"].sum() == pytest.approx(1.0)
    assert set(frame["unit"]) == {"result"}
    with pytest.raises(ValueError, match="knows kalah"):
        values.move_values(mancala.ruleset("kalah").start())


def test_agents_are_compared_by_what_they_lose():
    states = [START, START.play(1)]
    found = compare([first, last], states, SolverOracle(SMALL))
    assert found.actions.tolist() == [[0, 0], [1, 1]]
    assert found.losses.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert found.agreement.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    summary = found.summary().set_index("agent")
    assert summary["mean_loss"].to_dict() == {"first": 1.0, "last": 2.0}
    assert summary["perfect"].to_dict() == {"first": 0.5, "last": 0.5}
    one, other = (compare(["random", "minimax:depth=1"], states, seed=3) for _ in range(2))
    assert (one.actions == other.actions).all()
    assert summary["largest_loss"].to_dict() == {"first": 2.0, "last": 4.0}
    assert (summary["low"]["last"], summary["high"]["last"]) == (0.0, 4.0)


def test_positions_of_one_group_are_drawn_together_and_what_nobody_knows_is_not_lost():
    states = [START, START.play(1)]
    found = compare([last], states, SolverOracle(SMALL), groups=[7, 7])
    assert found.summary()[["low", "high"]].isna().all(axis=None)  # one group says nothing about others
    with pytest.raises(ValueError, match="a number for each of 2"):
        compare([last], states, groups=[1])
    found = compare([first], [START], SimpleNamespace(name="silent", move_values=lambda state: None))
    assert np.isnan(found.losses).all()
    with pytest.raises(ValueError, match="silent knows the values of none"):
        found.summary()


@pytest.mark.parametrize(
    ("agents", "states", "message"),
    [
        ([], [START], "needs agents"),
        (["random"], [], "needs agents"),
        (["random", "random"], [START], "called alike"),
        (["random"], [START.play(0).play(1)], "over"),
    ],
)
def test_comparisons_that_make_no_sense_are_refused(agents, states, message):
    with pytest.raises(ValueError, match=message):
        compare(agents, states)


def test_boards_are_pictures_with_a_line_each():
    shown = boards([START, START.play(1)], ["a < b", "then"], marked=[None, 1])._repr_html_()
    assert shown.count("<svg") == shown.count("<figcaption") == 2
    assert "a &lt; b" in shown
    assert str(START) in boards([START])._repr_html_()
    assert 'srcdoc="&lt;p&gt;' in Page("<p>", title='a "b"')._repr_html_()
    with pytest.raises(ValueError, match="2 positions have as many captions, not 1"):
        boards([START, START], ["one"])
    with pytest.raises(ValueError, match="width"):
        boards([START], width=0)


def test_two_agents_play_a_game_to_look_at():
    game = play_out(START, first, last, title="one")
    assert game.actions[:2] == [0, 1]
    assert game.states[-1].is_over
    assert (game.players, game.title) == (("first", "last"), "one")
    one, other = (play_out(START, "random", seed=4) for _ in range(2))
    assert one.actions == other.actions
    assert one.players == ("random", "random")
