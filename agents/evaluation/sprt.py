"""The sequential test (SPRT) of two players by the pairs that they played: stop as soon as the result is clear."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from agents.evaluation.elo import POINTS, Floats, cells_of_pairs

EMPTY = 1e-3  # count of an empty cell in a likelihood

Decision = Literal["H0", "H1"]


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
