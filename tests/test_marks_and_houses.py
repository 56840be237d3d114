"""Marks that collect, closed and jumped pits, boards of three rows, houses, rows that are filled again, and memory."""

import numpy as np
import pytest

import mancala_env as mancala
from mancala_env import State, three_rows_snake
from mancala_env.ending import swept
from mancala_env.observation import make_encoder
from tests.made_up import game

TOGUZ, DEKA, QUAN = (mancala.ruleset(name) for name in ("toguz", "deka", "o_an_quan"))


def marks(rules, **pits):
    return [pits.get(f"p{pit}", -1) for pit in range(rules.board.pits)]


def row(rules, **pits):
    return [pits.get(f"p{pit}", 0) for pit in range(rules.board.pits)]


def test_a_seed_that_is_lost_in_a_closed_pit_is_told_of():
    south = DEKA.position(row(DEKA, p0=2, p5=2, p8=1), marks=marks(DEKA, p1=1, p7=0), ply=9)
    assert south.trace(5).text.endswith("sowing 2 seeds; the last seed is lost in b")
    assert [event.kind for event in south.trace(5).events] == ["lift", "sow", "lose"]


def test_outer_pits_before_the_opponents_half_of_the_middle_row_face_two():
    board = three_rows_snake(6)
    assert (board.facing[0], board.outer[0]) == (15, 14)
    assert (board.facing[5], board.outer[5]) == (9, 5)
    assert board.loops[0] == (*range(9), *range(17, 8, -1))


def test_debts_and_pieces_that_are_taken_are_told_of():
    assert "House F: 10 seeds, mandarin<" in QUAN.start().to_svg()
    before = QUAN.position(row(QUAN, p5=10, p6=1, p11=5), (2, 30))
    assert before.trace(0).text.startswith("South lays a seed in each pit, plays A counter-clockwise, sowing 1 seed")
    assert State.parse(QUAN, str(before.play(0))) == before.play(0)
    assert "South owes 3 seeds" in before.play(0).to_text()
    over = QUAN.position(row(QUAN, p1=4, p7=6), (20, 40), debt=7)
    assert swept(QUAN, over.array)[-2:] == (17, 53)
    both = QUAN.position(row(QUAN, p2=1, p5=12, p7=10, p11=10))
    assert both.trace(QUAN.action(0, 2, 0)).text.endswith(
        "the last seed falls into the empty pit D: F and b are taken (22 seeds), and F is without mandarin"
    )


@pytest.mark.parametrize("name", ["counts", "onehot", "lookahead1"])
def test_observations_of_debts_stay_between_0_and_1(name):
    encoder = make_encoder(name, QUAN)
    states = [QUAN.position(row(QUAN, p1=4, p5=11, p6=1), (0, 30), debt=debt) for debt in (-70, 0, 70)]
    seen = encoder(np.stack([state.array for state in states]), np.zeros(3, dtype=np.int8))
    assert 0 <= seen.min() <= seen.max() <= 1
    assert len({each.tobytes() for each in seen}) == 3


def test_a_draw_below_the_target_is_worth_nothing_to_those_who_look_ahead():
    rules = game(target_seeds=9, max_plies=1)
    state = rules.position([1, 0, 0, 0, 1, 0], (5, 2))
    assert state.play(0).winner is None
    batch = mancala.Batch(rules.changes(start=[1, 1, 0, 1, 0, 0, 6, 0]), 1)
    rewards, done = batch.play([0])
    assert done.all()
    assert not rewards.any()


def test_memory_is_part_of_a_position_in_all_its_forms():
    rules = mancala.ruleset("adi")
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
        mancala.ruleset("kalah").position([4] * 12, memory=[0] * 12)
    seen = [mancala.Batch(each, 1).observe().shape[1] for each in (rules, rules.changes(remember="nothing"))]
    assert seen[0] == seen[1] + 12


def test_impartial_sowing_has_the_published_values():
    rules, known = mancala.ruleset("isowing", start=[1, 0]), {}

    def value(pits):
        if pits not in known:
            state = rules.changes(start=list(pits)).start()
            after = {value(tuple(state.play(action).pits)) for action in state.legal_actions}
            known[pits] = next(number for number in range(99) if number not in after)
        return known[pits]

    assert value((1, 2, 2, 3)) == 2
