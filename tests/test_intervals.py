"""The interval of a score by pairs: better results never lower it, and it holds the truth as often as it says."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from agents.evaluation.elo import elo_difference
from agents.evaluation.statistics import score_interval

VALUES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
# True chances of a pair to bring 0, 1/2, 1, 3/2 and 2 points: level, decided by seats, one-sided, nearly certain.
TRUTHS = {
    "even": (0.2, 0.2, 0.2, 0.2, 0.2),
    "level": (0.1, 0.2, 0.4, 0.2, 0.1),
    "drawn": (0.01, 0.04, 0.9, 0.04, 0.01),
    "seats decide": (0.02, 0.0, 0.96, 0.0, 0.02),
    "all or nothing": (0.5, 0.0, 0.0, 0.0, 0.5),
    "quarters": (0.0, 0.5, 0.0, 0.5, 0.0),
    "skewed": (0.05, 0.0, 0.0, 0.95, 0.0),
    "stronger": (0.01, 0.02, 0.17, 0.2, 0.6),
    "much stronger": (0.0, 0.0, 0.02, 0.03, 0.95),
    "90 %": (0.1, 0.0, 0.0, 0.0, 0.9),
    "98 %": (0.02, 0.0, 0.0, 0.0, 0.98),
    "99.5 %": (0.005, 0.0, 0.0, 0.0, 0.995),
}
PAIRS = (1, 2, 5, 10, 20, 50, 100, 400)

cells = st.lists(
    st.one_of(st.just(0), st.integers(0, 5), st.integers(0, 300), st.integers(0, 10**6)), min_size=5, max_size=5
)


def ends(counts):
    """By every door that there is: they must agree."""
    low, high = score_interval(VALUES, counts)
    if sum(counts) <= 2000:
        assert score_interval(np.repeat(VALUES, counts)) == pytest.approx((low, high), abs=1e-12)
    found = elo_difference(counts)
    for elo, score in ((found.low, low), (found.high, high)):
        if math.isfinite(elo):
            assert 1.0 / (1.0 + 10.0 ** (-elo / 400.0)) == pytest.approx(score, abs=1e-9)
        else:
            assert score == (elo > 0)
    return low, high


@given(cells, st.integers(0, 3), st.integers(1, 4))
@example([0, 0, 0, 1, 99], 3, 1)
@example([1, 0, 0, 0, 99], 0, 4)
@example([0, 0, 50, 0, 0], 2, 1)
def test_to_do_better_in_a_pair_never_lowers_an_end(counts, cell, by):
    assume(counts[cell] and cell + by <= 4)
    better = list(counts)
    better[cell] -= 1
    better[cell + by] += 1
    (low, high), (low_after, high_after) = ends(counts), ends(better)
    assert low <= low_after
    assert high <= high_after
    assert elo_difference(counts).low <= elo_difference(better).low
    assert elo_difference(counts).high <= elo_difference(better).high


@given(cells)
def test_the_estimate_lies_inside_and_swapped_sides_give_the_mirror_image(counts):
    assume(sum(counts))
    low, high = ends(counts)
    mean = float(VALUES @ counts) / sum(counts)
    assert 0.0 <= low <= mean <= high <= 1.0
    assert low < mean or mean == 0.0
    assert mean < high or mean == 1.0
    assert score_interval(VALUES, counts[::-1]) == pytest.approx((1.0 - high, 1.0 - low), abs=1e-12)


@given(cells, st.integers(2, 50))
def test_more_of_the_same_evidence_lies_within(counts, times):
    assume(sum(counts))
    (low, high), (within, below) = ends(counts), ends([times * count for count in counts])
    assert low <= within
    assert below <= high
    assert score_interval(VALUES, counts, 0.8)[0] >= low


def test_the_ends_of_pairs_all_won_can_be_worked_out():
    low, high = score_interval([1.0] * 20)
    # With share p won and the rest lost: 20 log(q / p) + 0.5 log((1 - q) / (1 - p)) = 1.96**2 / 2, q = 20 / 20.5.
    q = 20 / 20.5
    assert 20 * math.log(q / low) + 0.5 * math.log((1 - q) / (1 - low)) == pytest.approx(1.959964**2 / 2, abs=1e-5)
    assert high == 1.0
    assert score_interval([]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("scores", "counts", "confidence"),
    [
        ([1.5], None, 0.95), ([-0.1], None, 0.95), ([math.nan], None, 0.95), ([[0.5]], None, 0.95), (0.5, None, 0.95),
        ([0.5], [1, 2], 0.95), ([0.5], [-1], 0.95), ([0.5], [math.inf], 0.95), ([0.5], None, 1.0), ([0.5], None, 0.0),
    ],
)  # fmt: skip
def test_what_are_no_scores_of_pairs_is_refused(scores, counts, confidence):
    with pytest.raises(ValueError, match=r"scores|counts|confidence"):
        score_interval(scores, counts, confidence)


def coverage(chances, pairs, events, random):
    """The share of events whose interval holds the truth."""
    truth = float(VALUES @ chances)
    found, times = np.unique(random.multinomial(pairs, chances, size=events), axis=0, return_counts=True)
    inside = [low <= truth <= high for low, high in (score_interval(VALUES, counts) for counts in found)]
    return float(times @ inside) / events


@pytest.mark.slow
def test_nineteen_intervals_of_twenty_hold_the_truth_whatever_it_is():
    random = np.random.default_rng(0)
    table = [[coverage(chances, pairs, 2000, random) for pairs in PAIRS] for chances in TRUTHS.values()]
    assert np.min(table) > 0.90
    assert (np.mean(table, axis=0) > 0.945).all()
    assert np.mean(table, axis=0)[-1] < 0.975
