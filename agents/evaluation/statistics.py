"""Confidence intervals: of a score by pairs of games, of estimates by resampling, of runs, of losses over games."""

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

RESAMPLES = 10_000  # of a bootstrap over training runs
CLUSTER_RESAMPLES = 2000  # of one over games
_CLUSTER_KEY = 4  # of the random numbers of a cluster bootstrap, apart from others drawn from the same seed
AGAINST = 0.5  # of an imaginary pair, all lost for the low end and all won for the high one


def score_interval(
    scores: npt.ArrayLike, counts: npt.ArrayLike | None = None, confidence: float = 0.95
) -> tuple[float, float]:
    """Confidence interval of the mean of pair scores, each the mean of a pair's two games; 0 and 1 where there is no
    pair.

    The low end is the least mean of all distributions over 0, 1 and the scores seen that a likelihood ratio test does
    not refuse: those p with ``2 sum c_i log(q_i / p_i) <= z**2``, where c counts the pairs and half an imaginary one
    that was lost, q is c as shares, and z is 1.96 for 95 %. The high end is the same from the other side, with half a
    pair won. This is the empirical likelihood of A. Owen ("Empirical Likelihood", 2001, chapter 2) on a support that is
    known. To do better in any pair never lowers an end, swapped sides give the mirror image, and the same shares in
    more pairs give an interval inside that of fewer; docs/tournaments.md says how often it held the truth.

    Parameters
    ----------
    scores : float[n] or float[k], from 0 to 1
    counts : float[k], optional
        The number of times that each of ``scores`` occurred; once by default.
    confidence : float, above 0 and below 1

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
        raise ValueError(f"scores of pairs must be a list of numbers from 0 to 1, not {scores!r}")
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
    """The low end; ``limit`` is the most that the log likelihood may fall. The least mean has ``q_i / (x_i + v)``,
    divided by its sum, for the v > 0 at which the likelihood has fallen by the limit; it falls less the greater v is.
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

    low, high = -40.0, 40.0
    while low < (middle := (low + high) / 2.0) < high:  # to the last digit
        low, high = (middle, high) if fall(middle) > limit else (low, middle)
    v = math.exp(high)
    tilted = shares / (x + v)
    return float(tilted @ x / tilted.sum())


def resampled_interval(
    estimates: npt.ArrayLike, draws: npt.ArrayLike
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Low and high ends (95 %), float64[n], of estimates, float[n], by resamples, float[resamples, n]: their
    percentiles, but each at least as far from the estimate as from the median of the resamples, so that few games leave
    doubt on either side.
    """
    middle = np.asarray(estimates, dtype=np.float64)
    low, median, high = np.quantile(np.asarray(draws, dtype=np.float64), [0.025, 0.5, 0.975], axis=0)
    return np.minimum(low, middle - (median - low)), np.maximum(high, middle + (high - median))


def interquartile_mean(scores: npt.ArrayLike) -> float:
    """The mean of the middle half of the scores of runs: their lowest and highest quarters, rounded down, are left out.

    From R. Agarwal et al., "Deep Reinforcement Learning at the Edge of the Statistical Precipice", NeurIPS 2021.

    Examples
    --------
    >>> interquartile_mean([0.0, 0.4, 0.5, 0.9, 1.0])
    0.6
    """
    return float(_middle_mean(_runs(scores)[None])[0])


def bootstrap_interval(scores: npt.ArrayLike) -> tuple[float, float]:
    """95 % confidence interval of ``interquartile_mean`` over training runs, by the bootstrap.

    Each resample draws as many runs as there are, with replacement; the interval lies between the percentiles of their
    interquartile means. With few runs it tends to be too short. From the same paper (Agarwal et al., NeurIPS 2021).

    Examples
    --------
    >>> bootstrap_interval([0.5, 0.5, 0.5])
    (0.5, 0.5)
    """
    runs = _runs(scores)
    drawn = np.random.default_rng(0).integers(len(runs), size=(RESAMPLES, len(runs)))
    low, high = np.quantile(_middle_mean(runs[drawn]), [0.025, 0.975])
    return float(low), float(high)


def _runs(scores: npt.ArrayLike) -> npt.NDArray[np.float64]:
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"scores must be those of one or more runs, not of shape {array.shape}")
    return array


def _middle_mean(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """float64[n]: the mean of each resample, float64[n, k], without its lowest and highest quarter."""
    cut = rows.shape[1] // 4
    kept: npt.NDArray[np.float64] = np.sort(rows, axis=1)[:, cut : rows.shape[1] - cut].mean(axis=1)
    return kept


def cluster_bootstrap_interval(
    losses: npt.ArrayLike, games: npt.ArrayLike, seed: int = 0, resamples: int = CLUSTER_RESAMPLES
) -> tuple[float, float]:
    """95 % interval of the mean of ``losses``, float[n], by resampling whole games; ``games``, int[n], names them.

    The cluster bootstrap (A. C. Davison and D. V. Hinkley, "Bootstrap Methods and their Application", Cambridge 1997,
    section 3.8): games are drawn with replacement. With few games it is too short, with one nan. If no move lost
    anything it is the point 0; yet with no loss in n games, up to 3 / n of all games may show one (95 %).

    >>> cluster_bootstrap_interval([0, 2, 0, 2], [0, 0, 1, 1])  # games that are all alike
    (1.0, 1.0)
    """
    amounts = np.asarray(losses, dtype=np.float64)
    _, game = np.unique(np.asarray(games), return_inverse=True)
    sizes = np.bincount(game).astype(np.float64)
    sums = np.bincount(game, weights=amounts)
    count = len(sizes)
    if count < 2:
        return np.nan, np.nan
    random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_CLUSTER_KEY,)))
    means = np.empty(resamples)
    for k in range(resamples):
        drawn = random.integers(count, size=count)
        means[k] = sums[drawn].sum() / sizes[drawn].sum()
    low, high = np.quantile(means, (0.025, 0.975)).tolist()
    return low, high
