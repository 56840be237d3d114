"""Turns of several decisions: the same player stays to move until what is due has been decided."""

from itertools import product

import numpy as np
import pytest

import mancala_env as mancala
from agents.play.terminal import due
from mancala_env import Ruleset, State, When, two_rows
from mancala_env.notation import move_name
from mancala_env.replay import Replay

TSHUBA = mancala.ruleset("tshuba")
PITS = TSHUBA.board.pits
# Made up: whatever a lap comes to, two pits are picked.
PICKERS = Ruleset(name="pickers", board=two_rows(3), seeds=2, landing=(When().pick(2),), repetition=2)


def captured():
    position = [0] * PITS
    position[9], position[29], position[18], position[16], position[30] = 1, 2, 3, 4, 5  # from 9 to 10
    return TSHUBA.position(position).play(9)


def test_what_is_due_belongs_to_the_position():
    state = captured()
    assert [state.pit(action) for action in state.legal_actions] == [16, 30]
    assert [TSHUBA.action(0, pit) for pit in (16, 30)] == [*state.legal_actions] == [32, 46]
    musoro = mancala.ruleset("musoro_tsoro").position([1] * 32, pending=("go_on", 7, 0))
    assert musoro.trace(musoro.legal_actions[1]).text == "South stops at H"
    other = TSHUBA.position(state.pits, state.stores, ply=1)
    assert state != other
    assert str(state).endswith("ply=1 pending=pick-1")
    assert (
        State.parse(TSHUBA, str(state))
        == state
        == TSHUBA.position(state.pits, state.stores, ply=1, pending=("pick", 1))
    )
    assert State.from_array(TSHUBA, state.array) == state
    assert other.pending is None


def test_a_position_with_a_decision_is_not_the_one_without():
    rules = PICKERS.changes(landing=(When(count={4}).pick(1),), repetition=2, max_plies=100)
    hashes = [state.history[-1] for state in (rules.position([1] * 6), rules.position([1] * 6, pending=("pick", 1)))]
    assert hashes[0] != hashes[1]


def test_a_board_of_more_actions_than_a_word_has_bits():
    rules = mancala.ruleset("mefuvha")
    state = rules.start().play(29)
    assert rules.num_actions == 32 + 64
    assert state.pending == ("pick", 1, 0)
    assert len(state.legal_actions) == state.legal_mask.sum() == 29
    assert max(state.legal_actions) > 62
    assert state.play(max(state.legal_actions)).player == 1


def test_in_bao_a_pit_under_a_threat_does_not_flee():
    line = "bao_kiswahili 0-2-1-3-0-3-0-6-0-1-3-0-4-2-13-0-0-2-2-1-3-1-1-1-0-0-0-5-0-8-1-1-0-0-N ply=64"
    rules = mancala.ruleset("bao_kiswahili")
    state = State.parse(rules, f"{line} reserve=0-0 stronghold=.. moves l+")  # North threatens pit 10 alone
    assert state.threat == 10
    assert State.parse(rules, str(state)) == state
    free = rules.position(state.pits, player=0, reserve=(0, 0), stronghold=(False, False))
    assert {free.pit(action) for action in free.legal_actions} == {10, 12, 13, 14}
    assert {state.pit(action) for action in state.legal_actions} == {12, 13, 14}
    after = [state.play(action) for action in state.legal_actions]
    assert {each.threat for each in after} == {10}
    taking = [each for each in after if any(10 in each.trace(action).taken for action in each.legal_actions)]
    for each in taking:
        assert all(each.trace(action).taken[0] == 10 for action in each.legal_actions)
        assert each.play(each.legal_actions[0]).threat is None
    assert taking


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (TSHUBA.position([1] * 32, pending=("pick", 1)), "pick 1 more pit of the opponent"),
        (PICKERS.position([1] * 6, pending=("pick", 2)), "pick 2 more pits of the opponent"),
        (mancala.ruleset("musoro_tsoro").position([1] * 32, pending=("go_on", 7, 0)), "go on from H, or stop"),
        (
            mancala.ruleset("omweso").position([1] * 32, pending=("direction", 0, 1)),
            "choose the direction in which to go on from A",
        ),
    ],
)
def test_what_is_due_is_said_in_the_same_words_everywhere(state, words):
    assert state.pending.words(state.rules) == words
    assert due(state) == f"{words[0].upper()}{words[1:]}."
    assert f"South is to {words}" in state.to_text()
    assert f"South is to {words}" in state.to_svg()
    assert Replay.of(state, []).texts() == [f"South is to {words}"]


@pytest.mark.parametrize("name", ["tshuba", "musoro_tsoro", "bao_kiswahili", "omweso"])
def test_a_move_after_which_something_is_due_says_so(name):
    """A replay shows these words alone."""
    random, told = np.random.default_rng(1), 0
    for _ in range(6):
        state = mancala.ruleset(name).start()
        for _ in range(60):
            if state.is_over:
                break
            before, action = state, int(random.choice(state.legal_actions))
            state = before.play(action)
            if state.pending:
                told += 1
                assert before.trace(action).text.endswith(f" is to {state.pending.words(state.rules)}")
    assert told


@pytest.mark.parametrize("game", ["kalah", "tshuba", "musoro_tsoro", "bao_kiswahili", "katra", "hus"])
@pytest.mark.parametrize("passes", [False, True])
def test_every_action_is_named_by_its_pit_and_by_a_text(game, passes):
    rules = mancala.ruleset(game)
    if passes:
        if rules.sowing == "bao":
            return  # where nobody passes by an action
        rules = rules.changes(stuck="pass", explicit_pass=True)
    for player, action in product((0, 1), range(rules.num_actions)):
        names = [move_name(rules, player, each) for each in range(rules.num_actions)]
        assert names.index(names[action]) == action
        pit, direction = rules.pit(player, action), rules.direction_of(player, action)
        decides = rules.num_sowings <= action < rules.num_sowings + rules.num_decisions
        if decides and (pit in rules.board.homes[player] or (pit is None and passes)):
            continue  # such a pit would be played, and such a turn passed
        assert rules.action(player, pit, direction) == action
