"""Directions: chosen by the mover, settled for a game, by pit, and turning round with each lap."""

import pickle

import pytest

from mancala_env import State
from tests.made_up import turned


def test_a_player_of_n_pits_has_2_n_actions_the_clockwise_ones_last():
    state = turned(direction="choice").start()
    assert state.legal_actions == (0, 1, 2, 3, 4, 5)
    assert [state.pit(action) for action in range(6)] == [0, 1, 2, 0, 1, 2]
    assert [state.direction(action) for action in range(6)] == [0, 0, 0, 1, 1, 1]
    assert [state.name(action) for action in range(6)] == ["A+", "B+", "C+", "A-", "B-", "C-"]
    assert [state.parse_move(name) for name in ("C+", "A-")] == [2, 3]


def test_actions_are_found_by_pit_and_direction():
    rules = turned(direction=("clockwise", "choice", "counterclockwise"), stuck="pass", explicit_pass=True)
    assert rules.num_actions == 7
    assert [rules.action(0, 1, direction) for direction in (0, 1)] == [1, 4]
    assert rules.action(1, 3) == rules.action(1, 3, 1) == 3  # a pit of one direction: the other need not be named
    assert rules.action(1, 5) == rules.action(1, 5, 0) == 2
    assert rules.action(0, None) == 6
    assert (rules.pit(0, 6), rules.direction_of(0, 6)) == (None, None)
    assert rules.start().legal_actions == (1, 2, 3, 4)
    for pit, direction, words in (
        (1, None, "pit 1 is sown in direction 0 .counter-clockwise. or 1 .clockwise., not None"),
        (1, 2, "in direction 0 .* or 1 .*, not 2"),
        (0, 0, "pit 0 is sown in direction 1 .clockwise., not 0"),
        (None, 1, "a pass has no direction"),
    ):
        with pytest.raises(ValueError, match=words):
            rules.action(0, pit, direction)


def test_the_first_turn_of_a_game_settles_its_direction():
    state = turned(direction="chosen_once").start()
    assert state.chosen_directions == (None, None)
    after = state.play(4)
    assert after.chosen_directions == (1, 1)
    assert str(after) == "made_up 4-0-3-3-4-4-0-0-N ply=1 direction=--"
    assert State.parse(after.rules, str(after)) == after
    assert pickle.loads(pickle.dumps(after)) == after


def test_the_first_turn_of_each_player_settles_theirs():
    rules = turned(direction="chosen_by_each")
    after = rules.start().play(4)
    assert (after.chosen_directions, len(after.legal_actions)) == ((1, None), 6)
    assert after.play(0).chosen_directions == (1, 0)
    here = [rules.position([3] * 6, direction=chosen) for chosen in ((None, None), (0, None), (0, 1))]
    assert len({*here}) == 3  # the same seeds are other positions


def test_a_move_is_told_with_its_direction_where_there_is_a_choice():
    state = turned(direction="choice").start()
    assert state.trace(5).text == "South plays C clockwise, sowing 3 seeds, the last into c"
    assert turned(direction="clockwise").start().trace(2).text == "South plays C, sowing 3 seeds, the last into c"
