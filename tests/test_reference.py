"""The compiled kernels play every game exactly as the slow reference does; and what must hold in every game holds."""

import random
from itertools import combinations_with_replacement

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mancala_env import RULESETS, TERMINATIONS, IllegalAction
from tests.reference import Position, side
from tests.strategies import countable, games, kalah_like, mirrored, oware_like, play_on, positions, rulesets, wild

exhaustive = settings(deadline=None, max_examples=800, suppress_health_check=[HealthCheck.too_slow])
thorough = settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
brief = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
seeds = st.integers(0, 2**32)


@pytest.mark.parametrize("family", [oware_like, kalah_like, wild], ids=lambda family: family.__name__)
@exhaustive
@given(data=st.data())
def test_kernels_and_reference_play_the_same_game_by_any_rules(family, data):
    rules = data.draw(family())
    start = data.draw(positions(rules))
    check_same_game(rules, start, random.Random(data.draw(seeds)), most_plies=60)


@pytest.mark.parametrize("name", RULESETS)
@brief
@given(data=st.data())
def test_kernels_and_reference_play_the_named_games_to_the_end(name, data):
    rules = RULESETS[name]
    check_same_game(rules, data.draw(positions(rules)), random.Random(data.draw(seeds)))


@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("columns", [1, 2, 3, 6, 7])
def test_kernels_and_reference_play_whole_games_on_boards_of_all_sizes(name, columns):
    one_pit = {"skip_origin": False} if columns == 1 else {}
    rules = RULESETS[name].changes(pits_per_row=columns, seeds=3, **one_pit)
    for game in range(10):
        check_same_game(rules, {"pits": [3] * 2 * columns}, random.Random(game))


@brief
@given(data=st.data())
def test_kernels_and_reference_find_the_same_positions_dead(data):
    rules = data.draw(countable())
    pits = rules.board.pits
    for placed in combinations_with_replacement(range(pits), data.draw(st.integers(1, rules.indeterminacy_max_seeds))):
        for player in (0, 1):
            start = {"pits": [placed.count(pit) for pit in range(pits)], "player": player}
            assert seen(rules.position(**start)) == seen(Position(rules, **start))


@thorough
@given(games())
def test_no_seed_is_ever_created_or_lost(states):
    assert {sum(state.pits) + sum(state.stores) for state in states} == {sum(states[0].pits) + sum(states[0].stores)}


@thorough
@given(games())
def test_at_the_end_every_seed_is_counted_or_named_as_left(states):
    state = states[-1]
    in_stores, left = sum(state.stores), sum(state.pits)
    if not state.is_over or state.termination == "majority":
        assert state.scores == state.stores
    elif state.termination == "grand_slam" or state.rules.leftover != "none":
        assert sum(state.scores) == in_stores + left
    else:
        split = state.termination == "repetition" and state.rules.repetition_leftover == "split"
        assert sum(state.scores) == in_stores + (left if split else 0)


@thorough
@given(data=st.data())
def test_souths_game_mirrored_is_norths(data):
    rules = data.draw(rulesets)
    start = data.draw(positions(rules))
    rng = random.Random(data.draw(seeds))
    state, mirror = rules.position(**start), rules.position(**mirrored(start))
    for _ in range(60):
        there, here = seen(mirror), seen(state)
        half = rules.board.columns
        assert there["pits"] == here["pits"][half:] + here["pits"][:half]
        assert (there["stores"], there["scores"]) == (here["stores"][::-1], here["scores"][::-1])
        assert [there[key] for key in ("ply", "legal_actions", "termination")] == [
            here[key] for key in ("ply", "legal_actions", "termination")
        ]
        assert state.is_over or mirror.player == 1 - state.player
        assert mirror.returns == state.returns[::-1]
        if state.is_over:
            break
        action = rng.choice(state.legal_actions)
        state, mirror = state.play(action), mirror.play(action)


@brief
@given(games(most_plies=60))
def test_mask_and_list_of_legal_actions_and_what_play_accepts_are_the_same(states):
    for state in states:
        accepted = []
        for action in range(-2, state.rules.num_actions + 2):
            try:
                state.play(action)
            except IllegalAction:
                continue
            accepted.append(action)
        assert accepted == list(state.legal_actions)
        assert accepted == [action for action in range(state.rules.num_actions) if state.legal_mask[action]]


@thorough
@given(games())
def test_a_game_is_over_exactly_when_there_is_nothing_to_play(states):
    for state in states:
        assert state.is_over == (state.legal_actions == ()) == (state.termination in TERMINATIONS)
        assert sum(state.returns) == 0
        assert (state.winner is None) == (state.returns == (0.0, 0.0))
        if state.winner is not None:
            assert state.is_over
            assert state.returns[state.winner] == 1.0
            assert state.scores[state.winner] > state.scores[1 - state.winner]


@thorough
@given(games())
def test_plies_are_counted_one_by_one(states):
    assert [state.ply for state in states] == list(range(states[0].ply, states[0].ply + len(states)))


@thorough
@given(data=st.data())
def test_every_game_ends(data):
    rules = data.draw(rulesets.filter(lambda rules: rules.max_plies or rules.store == "own"))
    start = data.draw(positions(rules))
    length = len(play_on(rules.position(**start), random.Random(data.draw(seeds)), most_plies=5000)) - 1
    assert length <= (max(0, rules.max_plies - start["ply"]) if rules.max_plies else 4999)


@pytest.mark.parametrize("name", RULESETS)
def test_named_games_end_before_the_ply_limit_could_stop_them(name):
    for game in range(200):
        assert play_on(RULESETS[name].start(), random.Random(game))[-1].termination != "max_plies"


@thorough
@given(data=st.data())
def test_a_mover_always_has_seeds_to_play(data):
    for state in data.draw(games()):
        if not state.is_over:
            assert all(state.pits[state.pit(action)] > 0 for action in state.legal_actions)
            assert side(state.rules, state.pits, state.player) > 0


def check_same_game(rules, start, rng, most_plies=100_000):
    """Play at random from ``start``, by kernels and reference alike."""
    state, reference = rules.position(**start), Position(rules, **start)
    assert seen(state) == seen(reference)
    for _ in range(most_plies):
        if state.is_over:
            break
        action = rng.choice(reference.legal_actions)
        before = state
        state, reference = state.play(action), reference.play(action)
        assert seen(state) == seen(reference), f"after {action} in {before}"


def seen(position):
    """All that can be seen of a position. (Who would be next after the end means nothing.)"""
    return {
        "pits": position.pits,
        "stores": position.stores,
        "player": None if position.is_over else position.player,
        "ply": position.ply,
        "legal_actions": position.legal_actions,
        "termination": position.termination,
        "scores": position.scores,
        "winner": position.winner,
    }
