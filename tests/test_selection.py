"""Memory, places and numbers of seeds: in positions of all forms, in batches, and what goes with none of them."""

import pytest

import mancala_env as mancala
from mancala_env import ruleset
from tests.made_up import game


def test_a_draw_below_the_target_is_worth_nothing_to_those_who_look_ahead():
    rules = game(target_seeds=9, max_plies=1)
    state = rules.position([1, 0, 0, 0, 1, 0], (5, 2))
    assert state.play(0).winner is None
    batch = mancala.Batch(rules.changes(start=[1, 1, 0, 1, 0, 0, 6, 0]), 1)
    rewards, done = batch.play([0])
    assert done.all()
    assert not rewards.any()


def test_memory_is_part_of_a_position_in_all_its_forms():
    rules = ruleset("adi")
    state = rules.position([4] * 12, memory=[0, 1, *[0] * 9, 1])
    assert "memory=.x.........x" in str(state)
    assert mancala.State.parse(rules, str(state)) == state != rules.start()
    assert "Remembered: B, f" in state.to_text()
    for given, why in (([2] * 12, "memory of pit 0 must be 0 or 1"), ([0] * 11, "memory must be 12 numbers")):
        with pytest.raises(ValueError, match=why):
            rules.position([4] * 12, memory=given)
    with pytest.raises(ValueError, match="it is written with"):
        mancala.State.parse(rules, str(state).replace("x", "y"))
    with pytest.raises(ValueError, match="no field"):
        ruleset("kalah").position([4] * 12, memory=[0] * 12)
    seen = [mancala.Batch(each, 1).observe().shape[1] for each in (rules, rules.changes(remember="nothing"))]
    assert seen[0] == seen[1] + 12


def test_impartial_sowing_has_the_published_values():
    rules, known = ruleset("isowing", start=[1, 0]), {}

    def value(pits):
        if pits not in known:
            state = rules.changes(start=list(pits)).start()
            after = {value(tuple(state.play(action).pits)) for action in state.legal_actions}
            known[pits] = next(number for number in range(99) if number not in after)
        return known[pits]

    assert value((1, 2, 2, 3)) == 2
