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


def played(rules, theirs, games, same, holes):
    """The last positions of random games that go alike, ours and theirs: ``same`` tells whether the boards are.
    ``holes``: the numbers that they give to the first hole of South and of North."""
    for number in range(games):
        rng = random.Random(number)
        ours, other = rules.start(), theirs.new_initial_state()
        while not ours.is_over:
            where = f"game {number}: {ours}"
            assert not other.is_terminal(), where
            assert same(ours, numbers(other)), where
            assert ours.player == other.current_player(), where
            assert [action + holes[ours.player] for action in ours.legal_actions] == other.legal_actions(), where
            action = rng.choice(ours.legal_actions)
            other.apply_action(action + holes[ours.player])
            ours = ours.play(action)
        assert other.is_terminal(), ours
        assert tuple(other.returns()) == ours.returns, ours
        yield ours, numbers(other)


@pytest.mark.parametrize(
    ("columns", "seeds", "games"), [(6, 4, 300), (4, 3, 100), (7, 2, 100), (3, 4, 100), (2, 2, 50)]
)
def test_oware_goes_as_in_openspiel(columns, seeds, games):
    rules = ruleset(
        "oware", grand_slam="no_capture", indeterminacy_max_seeds=0, pits_per_row=columns, seeds=seeds, max_plies=1000
    )
    theirs = pyspiel.load_game("oware", {"num_houses_per_player": columns, "num_seeds_per_house": seeds})

    def counts(shares):
        return [round(share * rules.total_seeds) for share in shares]

    def same(ours, shares):
        return counts(shares) == [*ours.pits, *ours.stores]

    endings = set()
    for ours, shares in played(rules, theirs, games, same, (0, 0)):
        scores = with_rows(ours) if ours.termination == "majority" else ours.scores
        assert tuple(counts(shares)[-2:]) == scores, ours
        endings.add(ours.termination)
    assert endings == {"majority", "famine", "repetition"} or games < 100


def test_kalah_goes_as_in_openspiel():
    """OpenSpiel numbers the holes 0 (North's store), 1..6, 7 (South's store), 8..13."""

    def same(ours, found):
        return found[:14] == [ours.stores[1], *ours.pits[:6], ours.stores[0], *ours.pits[6:]]

    ends = list(played(ruleset("kalah"), pyspiel.load_game("mancala"), 500, same, (1, 8)))
    assert len(ends) == 500
    assert all(same(*end) for end in ends)
