"""Whole random games of Oware and Kalah go as in OpenSpiel's own engines."""

import random

import pytest

from mancala_env import ruleset

pyspiel = pytest.importorskip("pyspiel")


def numbers(state):
    """The counts that OpenSpiel gives as an observation, whatever its scale."""
    return [float(number) for number in state.observation_tensor(0)]


def with_rows(state):
    """Stores and rows together: OpenSpiel clears the board after a majority too, which changes no result."""
    half = state.rules.board.columns
    return state.stores[0] + sum(state.pits[:half]), state.stores[1] + sum(state.pits[half:])


@pytest.mark.parametrize(
    ("columns", "seeds", "games"), [(6, 4, 300), (4, 3, 100), (7, 2, 100), (3, 4, 100), (2, 2, 50)]
)
def test_oware_goes_as_in_openspiel(columns, seeds, games):
    rules = ruleset(
        "oware", grand_slam="no_capture", indeterminacy_max_seeds=0, pits_per_row=columns, seeds=seeds, max_plies=1000
    )
    theirs = pyspiel.load_game("oware", {"num_houses_per_player": columns, "num_seeds_per_house": seeds})
    endings = set()
    for number in range(games):
        rng = random.Random(number)
        ours, other = rules.start(), theirs.new_initial_state()
        while True:
            where = f"game {number}: {ours}"
            holes = [round(share * rules.total_seeds) for share in numbers(other)]
            assert ours.is_over == other.is_terminal(), where
            if ours.is_over:
                break
            assert holes == [*ours.pits, *ours.stores], where
            assert (ours.player, list(ours.legal_actions)) == (other.current_player(), other.legal_actions()), where
            action = rng.choice(ours.legal_actions)
            ours = ours.play(action)
            other.apply_action(action)
        assert tuple(holes[-2:]) == (with_rows(ours) if ours.termination == "majority" else ours.scores), where
        assert tuple(other.returns()) == ours.returns, where
        endings.add(ours.termination)
    if games >= 100:
        assert endings == {"majority", "famine", "repetition"}


def test_kalah_goes_as_in_openspiel():
    rules = ruleset("kalah")
    theirs = pyspiel.load_game("mancala")
    for number in range(500):
        rng = random.Random(number)
        ours, other = rules.start(), theirs.new_initial_state()
        while True:
            where = f"game {number}: {ours}"
            norths_store, *souths_pits_and_store = numbers(other)[:8]
            assert [*souths_pits_and_store, *numbers(other)[8:14], norths_store] == [
                *ours.pits[:6],
                ours.stores[0],
                *ours.pits[6:],
                ours.stores[1],
            ], where
            assert ours.is_over == other.is_terminal(), where
            if ours.is_over:
                break
            assert ours.player == other.current_player(), where
            # OpenSpiel numbers the holes 0 (North's store), 1..6, 7 (South's store), 8..13.
            first = (1, 8)[ours.player]
            assert [action + first for action in ours.legal_actions] == other.legal_actions(), where
            action = rng.choice(ours.legal_actions)
            ours = ours.play(action)
            other.apply_action(action + first)
        assert tuple(other.returns()) == ours.returns, where
