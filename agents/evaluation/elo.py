"""The Elo difference of two players from the pairs that they played, and the Elo interval."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from agents.evaluation.statistics import score_interval

ELO = 400.0 / math.log(10.0)  # Elo per unit of log odds: 400 Elo are odds of 10 to 1
POINTS = np.array([0.0, 0.5, 1.0, 1.5, 2.0])  # of one player in a pair

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class EloDifference:
    """The difference of two players, from the first one's side (``elo_difference``)."""

    pairs: int
    score: float  # points per game
    elo: float  # infinite, as its ends, at scores of 0 and 1
    low: float
    high: float
    superiority: float  # its likelihood


def elo_difference(counts: npt.ArrayLike, confidence: float = 0.95) -> EloDifference:
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
    low, high = score_interval(POINTS / 2, cells, confidence)
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
