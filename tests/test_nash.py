"""Nash averaging: shares of the mixture that nobody beats."""

import numpy as np
import pytest

from agents.tournament.leaderboard import nash, nash_table
from tests.test_ratings import event

CIRCLE = {"rock scissors": 1.0, "scissors paper": 1.0, "paper rock": 1.0}


def gains(copies):
    """Rock, paper and scissors, with copies, and last a player that loses to all."""
    kinds = np.repeat(np.arange(3), copies)
    found = np.full((len(kinds) + 1,) * 2, 0.5)
    found[:-1, :-1] = ((kinds[:, None] - kinds + 1) % 3 - 1) / 2
    found[-1] = -0.5
    found[-1, -1] = 0
    return found


@pytest.mark.parametrize(
    ("payoffs", "shares"),
    [
        (gains([1, 1, 1]), [1 / 3, 1 / 3, 1 / 3, 0]),
        (gains([2, 1, 3]), [1 / 6, 1 / 6, 1 / 3, 1 / 9, 1 / 9, 1 / 9, 0]),
        (np.zeros((4, 4)), [1 / 4] * 4),
        ([[0, 0.01, 0.3], [-0.01, 0, 0.4], [-0.3, -0.4, 0]], [1, 0, 0]),
        ([[0, 2, -1], [-2, 0, 1], [1, -1, 0]], [1 / 4, 1 / 4, 1 / 2]),
        ([[0]], [1]),
    ],
)
def test_the_mixture_that_nobody_beats(payoffs, shares):
    assert nash(payoffs) == pytest.approx(shares, abs=1e-6)


def test_nobody_gains_against_it_and_copies_share_in_random_games():
    random = np.random.default_rng(0)
    for n in (2, 3, 5, 9, 17):
        drawn = random.integers(-3, 4, size=(n, n)) * random.choice([1 / 6, 1e-3])
        some = np.triu(drawn, 1) - np.triu(drawn, 1).T
        shares = nash(some)
        assert shares.sum() == pytest.approx(1)
        assert (some @ shares).max() < 1e-6
        places = [*range(n), 0]  # the first one twice
        twice = nash(some[np.ix_(places, places)])
        assert twice[0] == pytest.approx(twice[-1], abs=1e-5)
    for wrong in ([[0, 1], [1, 0]], [[0, np.nan], [np.nan, 0]], [0.0]):
        with pytest.raises(ValueError, match="payoffs must be"):
            nash(wrong)


def test_the_table_of_an_event_and_pairings_that_are_missing():
    pairs = {names: [(points, points)] * 20 for names, points in CIRCLE.items()}
    pairs |= {f"{name} weak": [(1.0, 0.5)] * 20 for name in ("rock", "paper", "scissors")}
    names = ["rock", "paper", "scissors", "weak"]
    rows = {row[0]: row[1:] for row in nash_table(event(pairs), names).rows}
    assert list(rows)[-1] == "weak"
    assert {row[0] for row in list(rows.values())[:3]} == {"33.3"}
    assert rows["weak"][0] == "0.0"
    assert rows["weak"][2] == "25.0"
    assert rows["rock"][2] == "50.0"
    low, high = map(float, rows["rock"][1].split(" to "))
    assert 20 < low < 33 < high < 50
    del pairs["rock weak"], pairs["scissors weak"]
    with pytest.raises(ValueError, match=r"rock and weak have none \(2 such pairings\)"):
        nash_table(event(pairs), names)
