"""Two players by the pairs that they played: their Elo difference with its interval; and the sequential test (SPRT),
which stops as soon as the result is clear."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from agents.evaluation.statistics import score_interval

ELO = 400.0 / math.log(10.0)  # Elo per unit of log odds: 400 Elo are odds of 10 to 1
POINTS = np.array([0.0, 0.5, 1.0, 1.5, 2.0])  # of one player in a pair
EMPTY = 1e-3  # count of an empty cell in a likelihood

Floats = npt.NDArray[np.float64]
Decision = Literal["H0", "H1"]


@dataclass(frozen=True, slots=True)
class EloDifference:
    """The difference of two players, from the first one's side (``elo_difference``)."""

    pairs: int
    score: float  # points per game
    elo: float  # infinite, as its ends, at scores of 0 and 1
    low: float
    high: float
    superiority: float  # its likelihood


def elo_difference(counts: npt.ArrayLike) -> EloDifference:
    """The difference in strength of two players by their pairs; ``counts``, int[5], scored 0, 1/2, 1, 3/2 and 2 points.

    With s the mean and v the variance of the points per game of n pairs: s and its interval (``score_interval``) go
    through ``elo = 400 log10(s / (1 - s))``; the likelihood of superiority is the normal one of s above 1/2. Where all
    pairs ended alike, v is that with one more won and one more lost. Fishtest and fastchess report the same. ValueError
    if there is no pair, or ``counts`` are not five numbers of pairs.

    >>> found = elo_difference([283, 1151, 2214, 1221, 281])
    >>> round(found.elo, 2), round((found.high - found.low) / 2, 2), round(found.superiority, 4)
    (2.23, 4.53, 0.834)
    """
    cells = cells_of_pairs(counts)
    pairs = cells.sum()
    if not pairs:
        raise ValueError("no complete pair to take a difference from")
    score = float(cells @ POINTS) / (2 * pairs)
    low, high = score_interval(POINTS / 2, cells)
    if np.count_nonzero(cells) == 1:
        cells = cells + np.array([1.0, 0.0, 0.0, 0.0, 1.0])
    n = cells.sum()
    middle = float(cells @ POINTS) / (2 * n)
    deviation = math.sqrt(float(cells @ (POINTS / 2 - middle) ** 2) / n)
    return EloDifference(
        pairs=int(pairs),
        score=score,
        elo=_elo(score),
        low=_elo(low),
        high=_elo(high),
        superiority=NormalDist().cdf((score - 0.5) / deviation * math.sqrt(n)),
    )


def _elo(score: float) -> float:
    """The logistic Elo difference at which ``score`` points per game, 0 to 1, are expected."""
    return math.inf if score >= 1.0 else -math.inf if score <= 0.0 else ELO * math.log(score / (1.0 - score))


def cells_of_pairs(counts: npt.ArrayLike) -> Floats:
    """``counts`` as float64[5]. Raises ValueError unless they are five numbers of pairs, not all 0."""
    cells = np.asarray(counts, dtype=np.float64)
    if cells.shape != (5,) or not np.isfinite(cells).all() or (cells < 0.0).any():
        raise ValueError(f"counts must be the five numbers of pairs with 0, 1/2, 1, 3/2 and 2 points, not {counts!r}")
    return cells


@dataclass(frozen=True)
class Sprt:
    """Sequential test of two players: is the first one stronger by ``elo0`` (H0) or by ``elo1`` (H1)?

    The generalised sequential probability ratio test on the counts of pairs: the log likelihood ratio of the best
    distribution with the strength of H1 to the best one with that of H0. It ends as soon as the ratio leaves
    ``bounds``; its chances to be wrong are nominally ``alpha`` (H1 accepted under H0) and ``beta``, the more nearly the
    more pairs it takes (measured by ``pytest -m slow -s tests/test_ratings.py``). After M. Van den Bergh, "The
    Generalized Sequential Probability Ratio Test for multinomial data" (cantate.be/Fishtest, 2019-2021), and X. Li,
    J. Liu and Z. Ying, "Generalized sequential probability ratio test for separate families of hypotheses", Sequential
    Analysis 33, 2014. Empty cells count 1e-3.

    Elo are logistic: they fix the mean score. ValueError if ``elo0`` is not below ``elo1``, or ``alpha`` or ``beta`` is
    impossible.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -math.inf < self.elo0 < self.elo1 < math.inf:
            raise ValueError(f"elo0 must be below elo1, not {self.elo0} and {self.elo1}")
        if not (self.alpha > 0.0 and self.beta > 0.0 and self.alpha + self.beta < 1.0):
            raise ValueError(f"alpha and beta must be above 0 and below 1 together, not {self.alpha} and {self.beta}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log likelihood ratios at which H0 and H1 are accepted: ln(b / (1 - a)) and ln((1 - b) / a) (Wald)."""
        return math.log(self.beta / (1.0 - self.alpha)), math.log((1.0 - self.beta) / self.alpha)

    def llr(self, counts: npt.ArrayLike) -> float:
        """Log likelihood ratio of H1 to H0, 0 without pairs; ``counts`` int[5] as for ``elo_difference``."""
        cells = cells_of_pairs(counts)
        if not cells.any():
            return 0.0
        cells = np.where(cells == 0.0, EMPTY, cells)
        shares = cells / cells.sum()
        return float(cells @ np.log(_likeliest(shares, self.elo1) / _likeliest(shares, self.elo0)))

    def status(self, counts: npt.ArrayLike) -> Decision | None:
        """The hypothesis that is accepted; None: play on."""
        llr = self.llr(counts)
        low, high = self.bounds
        return "H0" if llr <= low else "H1" if llr >= high else None


def _likeliest(shares: Floats, elo: float) -> Floats:
    """The likeliest distribution with the mean score of a strength, where ``shares`` were seen: ``shares / (1 + x *
    values)``, values being scores less that mean, with the Lagrange multiplier x that makes theirs vanish (A. Owen,
    "Empirical Likelihood", 2001, section 2.9)."""
    from scipy.optimize import brentq

    values = POINTS / 2 - 1.0 / (1.0 + 10.0 ** (-elo / 400.0))
    least, most = float(values.min()), float(values.max())
    if not least < 0.0 < most:
        raise ArithmeticError(f"no distribution over {values.tolist()} has mean 0")
    mean: Callable[[float], float] = lambda x: float((shares * values / (1.0 + x * values)).sum())  # noqa: E731
    margin = 1e-13 * (1.0 / most - 1.0 / least)
    x = brentq(mean, -1.0 / most + margin, -1.0 / least - margin, xtol=1e-15, rtol=1e-14, maxiter=500)
    found: Floats = shares / (1.0 + x * values)
    return found
