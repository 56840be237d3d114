"""The interval of a score by pairs of games: one account of it, for evaluations and for tournaments."""

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

AGAINST = 0.5  # of an imaginary pair, all lost for the low end and all won for the high one


def score_interval(
    scores: npt.ArrayLike, counts: npt.ArrayLike | None = None, confidence: float = 0.95
) -> tuple[float, float]:
    """Confidence interval of the mean of pair scores, each the mean of a pair's two games.

    The low end is the least mean of all distributions over 0, 1 and the scores seen that a likelihood ratio test does
    not refuse: those p with ``2 sum c_i log(q_i / p_i) <= z**2``, where c counts the pairs and half an imaginary one
    that was lost, q is c as shares, and z is 1.96 for 95 %. The high end is the same from the other side, with half a
    pair won. This is the empirical likelihood of A. Owen ("Empirical Likelihood", 2001, chapter 2) on a support that is
    known. For many pairs it is the normal interval ``m +- z s / sqrt(n)``.

    The half pair stands at every result alike, so no end jumps where the last doubt goes. To do better in any pair
    never lowers an end: it moves some share of a cell of c to a better one, and moving the same share of that cell of
    any p brings p and q no further apart (data processing inequality) and its mean up. Swapped sides give
    the mirror image, the mean lies within, and the same shares in more pairs give an interval inside that of fewer.

    It held the truth in 93.5 % to 100 % of simulated events, for twelve distributions and 1 to 400 pairs; on average
    over them in 99.6 % with one pair, 98.5 % with 10, 97.2 % with 100 and 96.3 % with 400
    (``pytest -m slow -s tests/test_intervals.py``).

    Parameters
    ----------
    scores : float[n] or float[k]
        From 0 to 1.
    counts : float[k], optional
        How often each of ``scores`` came; once by default.
    confidence : float
        Above 0 and below 1.

    Returns
    -------
    low, high : float
        0 and 1 where there is no pair.

    Raises
    ------
    ValueError
        For scores, counts or a confidence that are none.

    Examples
    --------
    >>> low, high = score_interval([1.0] * 100)
    >>> round(low, 3), high
    (0.967, 1.0)
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, not be {confidence}")
    values = np.asarray(scores, dtype=np.float64)
    weights = np.ones(values.shape) if counts is None else np.asarray(counts, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0.0) & (values <= 1.0)).all():
        raise ValueError(f"scores of pairs must be a row of numbers from 0 to 1, not {scores!r}")
    if weights.shape != values.shape or not (np.isfinite(weights) & (weights >= 0.0)).all():
        raise ValueError(f"counts must be a number from 0 for each of the {len(values)} scores, not {counts!r}")
    values, places = np.unique(values, return_inverse=True)
    weights = np.asarray(np.bincount(places, weights, len(values)), dtype=np.float64)
    values, weights = values[weights > 0.0], weights[weights > 0.0]
    if not len(values):
        return 0.0, 1.0
    limit = NormalDist().inv_cdf((1.0 + confidence) / 2.0) ** 2 / 2.0
    mean = float(values @ weights / weights.sum())
    # Rounding must not push the mean out of its interval.
    return min(mean, _least(values, weights, limit)), max(mean, 1.0 - _least(1.0 - values, weights, limit))


def _least(values: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], limit: float) -> float:
    """The low end; ``limit`` is the most that the log likelihood may fall.

    The distribution with the least mean is ``q_i / (x_i + v)``, divided by its sum, for the v > 0 at which the log
    likelihood has fallen by the limit; it falls less the greater v is.
    """
    if not values.any():
        return 0.0
    x = np.append(values, 0.0)
    shares = np.append(weights, AGAINST)
    limit /= shares.sum()
    shares /= shares.sum()

    def fall(log_v: float) -> float:
        ratio = x / math.exp(log_v)
        return float(shares @ np.log1p(ratio)) + math.log(float(shares @ (1.0 / (1.0 + ratio))))

    v = math.exp(_falling(lambda log_v: fall(log_v) - limit, -40.0, 40.0))
    tilted = shares / (x + v)
    return float(tilted @ x / tilted.sum())


def _falling(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling function is 0, to the last digit."""
    while low < (middle := (low + high) / 2.0) < high:
        low, high = (middle, high) if function(middle) > 0.0 else (low, middle)
    return high
