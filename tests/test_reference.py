"""The compiled kernels play every game exactly as the slow reference does; and what must hold in every game holds."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mancala_env import RULESETS, TERMINATIONS, IllegalAction, State
from tests.reference import Position
from tests.strategies import games, kalah_like, mirrored, oware_like, play_on, positions, rulesets, wild

thorough = settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])


def facts(position):
    """All that can be seen of a position; who would be next after the end means nothing."""
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


def check_game(rules, start, rng, most_plies):
    """Play at random from ``start`` by kernels and reference alike."""
    state, reference = rules.position(**start), Position(rules, **start)
    for _ in range(most_plies):
        assert facts(state) == facts(reference), str(state)
        if state.is_over:
            return
        action = rng.choice(reference.legal_actions)
        state, reference = state.play(action), reference.play(action)


@pytest.mark.parametrize("family", [oware_like, kalah_like, wild], ids=lambda family: family.__name__)
@thorough
@given(data=st.data())
def test_kernels_and_reference_play_the_same_game_by_any_rules(family, data):
    rules = data.draw(family())
    start = data.draw(positions(rules))
    check_game(rules, start, random.Random(data.draw(st.integers(0, 2**32))), 60)
