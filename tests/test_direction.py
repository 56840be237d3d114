"""Directions: chosen by the mover, settled for a game, by pit, and turning round with each lap."""

import pickle

import numpy as np
import pytest

import mancala_env as mancala
from mancala_env import State
from mancala_env.observation import make_encoder
from mancala_env.rules import Ruleset, When, four_rows, two_rows


def game(**axes):
    """A game of two rows of three pits in which the last seed captures what lies across from an own pit."""
    rules = {"board": two_rows(3), "seeds": 3, "landing": (When(side="own", facing="occupied").capture("facing"),)}
    return Ruleset(name="made_up", **(rules | axes))


def test_a_player_of_n_pits_has_2_n_actions_the_clockwise_ones_last():
    state = game(direction="choice").start()
    assert state.legal_actions == (0, 1, 2, 3, 4, 5)
    assert [state.pit(action) for action in range(6)] == [0, 1, 2, 0, 1, 2]
    assert [state.direction(action) for action in range(6)] == [0, 0, 0, 1, 1, 1]
    assert [state.name(action) for action in range(6)] == ["A+", "B+", "C+", "A-", "B-", "C-"]
    assert [state.parse_move(name) for name in ("C+", "A-")] == [2, 3]
    assert state.play(2).pits == (3, 3, 0, 4, 4, 4)
    assert state.play(5).pits == (4, 4, 0, 3, 3, 4)
    assert state.play(5).play(0).pits == (5, 4, 0, 0, 4, 5)
    assert state.play(5).play(3).pits == (5, 5, 1, 0, 3, 4)


def test_actions_are_found_by_pit_and_direction():
    rules = game(direction=("clockwise", "choice", "counterclockwise"), stuck="pass", explicit_pass=True)
    assert rules.num_actions == 7
    assert [rules.action(0, 1, direction) for direction in (0, 1)] == [1, 4]
    assert rules.action(1, 3) == rules.action(1, 3, 1) == 3  # a pit of one direction: the other need not be named
    assert rules.action(1, 5) == rules.action(1, 5, 0) == 2
    assert rules.action(0, None) == 6
    assert (rules.pit(0, 6), rules.direction_of(0, 6)) == (None, None)
    assert rules.start().legal_actions == (1, 2, 3, 4)
    for pit, direction, words in (
        (1, None, "pit 1 is sown in either direction: give direction=0"),
        (1, 2, "direction must be 0 .* or 1"),
        (0, 0, "seeds are sown from pit 0 in one direction only"),
        (None, 1, "a pass has no direction"),
    ):
        with pytest.raises(ValueError, match=words):
            rules.action(0, pit, direction)


def test_pits_of_one_direction_each_take_no_further_actions():
    rules = game(direction=("clockwise", "counterclockwise", "counterclockwise"))
    state = rules.start()
    assert rules.num_actions == 3
    assert [state.name(action) for action in state.legal_actions] == ["A", "B", "C"]
    assert [state.direction(action) for action in range(3)] == [1, 0, 0]
    assert state.play(0).pits == (0, 3, 3, 4, 4, 4)
    assert state.play(1).pits == (3, 0, 4, 4, 4, 3)
    assert game(direction=["clockwise"] * 3) == game(direction="clockwise")


def test_the_first_turn_of_a_game_settles_its_direction():
    state = game(direction="chosen_once").start()
    assert state.chosen_directions == (None, None)
    after = state.play(4)
    assert after.chosen_directions == (1, 1)
    assert after.legal_actions == (3, 4, 5)
    assert state.play(1).legal_actions == (0, 1, 2)
    assert str(after) == "made_up 4-0-3-3-4-4-0-0-N ply=1 direction=--"
    assert State.parse(after.rules, str(after)) == after
    assert pickle.loads(pickle.dumps(after)) == after


def test_the_first_turn_of_each_player_settles_theirs():
    rules = game(direction="chosen_by_each")
    after = rules.start().play(4)
    assert (after.chosen_directions, len(after.legal_actions)) == ((1, None), 6)
    assert after.play(0).chosen_directions == (1, 0)
    assert after.play(0).legal_actions == (3, 5)
    assert rules.start().play(1).play(0).legal_actions == (0, 1, 2)
    here = [rules.position([3] * 6, direction=chosen) for chosen in ((None, None), (0, None), (0, 1))]
    assert len({*here}) == 3  # the same seeds are other positions


@pytest.mark.parametrize(
    ("direction", "chosen", "words"),
    [
        ("choice", (0, 0), "a position has no field 'direction'"),
        ("chosen_once", (0, 1), "one direction is chosen for both players"),
        ("chosen_by_each", (0, 2), "direction of North must be a whole number from -1 to 1, not 2"),
        ("chosen_by_each", 0, "direction must be 2 numbers"),
    ],
)
def test_directions_that_cannot_have_been_chosen_are_refused(direction, chosen, words):
    with pytest.raises(ValueError, match=words):
        game(direction=direction).position([3] * 6, direction=chosen)


def test_encoders_show_what_a_seat_and_the_other_have_chosen():
    rules = game(direction="chosen_by_each")
    arrays = np.stack([rules.position([3] * 6, direction=chosen).array for chosen in ((None, 1), (0, 1))])
    counts = make_encoder("counts", rules)
    assert counts(arrays, np.array([0, 1], dtype=np.int8))[:, -4:].tolist() == [[0, 0, 0, 1], [0, 1, 1, 0]]


def test_a_position_with_another_direction_is_no_repetition():
    # One seed goes to and fro between A and a. At the start nobody had chosen, and in ply 1 North had not.
    rules = game(board=two_rows(1), seeds=1, direction="chosen_by_each", landing=(), repetition=2)
    state = rules.position([1, 0])
    for ply, action in enumerate((0, 0, 0, 0), start=1):
        state = state.play(action)
        assert (state.ply, state.termination) == (ply, "repetition" if ply == 4 else None)
    assert rules.position([1, 0], direction=(0, 0)).play(0).play(0).termination == "repetition"


def test_laps_turn_round():
    relay = {"landing": (When(was="occupied").relay(),), "direction": "choice"}
    start = [0, 2, 0, 1, 0, 0]
    assert game(**relay).position(start).play(1).pits == (0, 0, 1, 0, 1, 1)  # B+ ends in a, and goes on from there
    state = game(**relay, turns_round=True).position(start)
    assert state.play(1).pits == (0, 1, 2, 0, 0, 0)  # B+, and a back
    assert "direction" in state.rules.describe()


def test_a_capture_may_ask_whether_the_turn_has_been_on_the_other_side():
    rules = game(
        landing=(
            When(was="occupied").relay(),
            When(side="own", visited=False).again(),
            When(side="own", visited=True, facing="occupied").capture("facing"),
        ),
    )
    state = rules.position([1, 0, 0, 1, 2, 0])
    assert (state.play(0).player, state.play(0).pits) == (0, (0, 1, 0, 1, 2, 0))
    state = rules.position([0, 0, 4, 0, 3, 0])  # C ends in A, having been round
    assert (state.play(2).player, state.play(2).stores) == (1, (1, 0))


def test_stores_lie_where_a_seed_comes_to_them():
    state = game(store="own", direction="choice", landing=(When(store="own").again(),)).start()
    assert (state.play(0).stores, state.play(0).player) == ((1, 0), 0)  # A+: B, C, store
    assert (state.play(5).stores, state.play(5).player) == ((1, 0), 0)  # C-: B, A, store
    assert state.play(3).pits == (0, 3, 3, 3, 4, 4)  # A-: store, f, e
    assert state.play(3).stores == (1, 0)


def test_a_move_is_told_with_its_direction_where_there_is_a_choice():
    state = game(direction="choice").start()
    assert state.trace(5).text == "South plays C clockwise, sowing 3 seeds, the last into c"
    assert game(direction="clockwise").start().trace(2).text == "South plays C, sowing 3 seeds, the last into c"


def test_the_mover_of_four_rows_chooses_too():
    rules = Ruleset(name="made_up", board=four_rows(2), seeds=2, direction="choice", landing=())
    assert rules.start().play(0).pits == (0, 3, 3, 2, *[2] * 4)
    assert rules.start().play(4).pits == (0, 2, 3, 3, *[2] * 4)


def test_a_direction_of_each_place_can_be_written_and_read():
    rules = mancala.ruleset("um_el_tuweisat", direction=["counterclockwise", "choice", "clockwise"])
    assert mancala.ruleset(rules.spec()) == rules


def test_every_lap_of_agents_sees_the_same_game():
    rules = game(direction="chosen_by_each", landing=(When(was="occupied").relay(),), max_plies=30)
    batch = mancala.Batch(rules, 4, seed=1)
    states = [rules.start()] * 4
    for _ in range(20):
        actions = [state.legal_actions[-1] for state in states]
        assert [np.flatnonzero(mask).tolist() for mask in batch.legal_mask] == [[*s.legal_actions] for s in states]
        states = [state.play(action) for state, action in zip(states, actions, strict=True)]
        if any(state.is_over for state in states):
            break
        batch.play(np.array(actions))
        assert [str(State.from_array(rules, array)) for array in batch.positions] == [*map(str, states)]


def test_a_capture_goes_on_over_gaps():
    rules = game(
        board=two_rows(4),
        landing=(When(was="occupied").relay(), When(next="occupied").capture("next", onward="gaps")),
    )
    state = rules.position([1, 0, 2, 0, 3, 0, 1, 2])  # A: the last seed falls in B; C is taken, then over D a, over b c
    assert state.play(0).stores == (6, 0)
    assert state.play(0).pits == (0, 1, 0, 0, 0, 0, 0, 2)
    state = rules.position([1, 0, 2, 0, 0, 0, 1, 2])
    assert state.play(0).stores == (2, 0)  # two empty pits end it
    words = rules.describe()
    assert "the next pit but one as long as it holds seeds" in " ".join(words.split())


def test_a_capture_goes_on_along_empty_pits_that_face_seeds():
    rules = game(board=two_rows(4), landing=(When(facing="occupied").capture("facing", onward="across"),))
    state = rules.position([1, 0, 0, 0, 5, 4, 3, 0])  # A ends in B, across from c; then C, D across from b, a
    assert state.play(0).stores == (12, 0)
    assert rules.position([1, 0, 0, 2, 5, 4, 3, 0]).play(0).stores == (7, 0)  # D is not empty
    assert rules.position([1, 0, 0, 0, 5, 0, 3, 0]).play(0).stores == (3, 0)  # C faces nothing


@pytest.mark.parametrize(
    ("capture", "words"),
    [
        ({"onward": "gap"}, "onward='gap' is unknown"),
        ({"onward": "gaps", "chain": {2}}, "goes without a chain"),
        ({"onward": "gaps", "to": "here"}, "ends the lap"),
    ],
)
def test_captures_that_cannot_go_on_are_refused(capture, words):
    with pytest.raises(ValueError, match=words):
        When(was="occupied").capture("here" if "chain" in capture else "next", **capture)


REENTERED = When(was="occupied", facing="occupied", outer="occupied").sow_on("facing", "outer", first="after_lap_start")


def test_a_pit_is_reversed_only_to_capture():
    rules = Ruleset(
        name="made_up",
        board=four_rows(3),
        seeds=2,
        direction=("reverse", *["counterclockwise"] * 5),
        landing=(REENTERED,),
        goal="last_mover",
    )
    # South's outer row is pits 0 1 2, the inner row above it 5 4 3; 5 faces 9, beyond it lies 8.
    quiet = rules.position([1, 1, 0, 0, 0, 0, 0, 0, 2, 3, 0, 0])
    assert [quiet.name(action) for action in quiet.legal_actions] == ["A+", "B+"]  # A- would end in an empty pit
    state = rules.position([1, 1, 0, 0, 0, 1, 0, 0, 2, 3, 0, 0])
    assert [state.name(action) for action in state.legal_actions] == ["A+", "B+", "F+", "A-"]
    after = state.play(state.parse_move("A-"))  # ends in 5, takes 3 and 2, and sows these counter-clockwise after 0
    assert after.pits == (0, 2, 1, 1, 1, 3, 0, 0, 0, 0, 0, 0)
    assert "clockwise if that captures, in the first lap of the turn" in " ".join(rules.describe().split())


def test_several_seeds_fall_at_once():
    rules = game(
        seeds_a_pit=3, direction="choice", landing=(When(side="own", was="empty").again(), When().capture("here"))
    )
    state = rules.position([7, 0, 0, 0, 2, 0])
    assert state.play(0).pits == (0, 3, 3, 0, 2, 0)  # three, three, and one, which is taken: a was empty, but North's
    assert state.play(0).stores == (1, 0)
    state = rules.position([0, 0, 5, 0, 1, 0])
    assert state.play(5).pits == (2, 3, 0, 0, 1, 0)  # the two that fell last lie alone: A was empty
    assert state.play(5).player == 0
    assert "Three seeds fall into each pit at once" in rules.describe()
