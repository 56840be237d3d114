"""Nash averaging: how players score against the strongest mixture of them all, after D. Balduzzi et al., "Re-evaluating
Evaluation", NeurIPS 2018."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog, minimize
from scipy.special import logsumexp, softmax

from agents.evaluation.statistics import resampled_interval
from agents.tournament.sections import Table
from agents.tournament.summary import Games, differences

RESAMPLES = 200
NEAR = 1e-4  # what a player may still gain, as far as numbers are exact
SMOOTHING = 2.0  # imaginary pairs, of each result alike, in what the resamples of a pairing are drawn from
_NOTE = (
    "Share: of the mixture of players against which no player scores above one half, the most even of such mixtures "
    "(maximum entropy). Score: against it; 50 % is the most. By complete pairs under all rules together; 95 % by "
    "resampling pairs. Shares change with who takes part, and who has none may be a little weaker than who has much."
)


def nash(payoffs: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The share of each player in the mixture against which no player gains: the Nash equilibrium of the game in which
    both sides choose a player, of several the one of the greatest entropy, so that copies share what one would have.

    ``payoffs``: float[n, n], what the row gains against the column, such as its mean score less one half. ValueError
    unless they are finite and antisymmetric.

    Examples
    --------
    >>> nash([[0, 1, -1], [-1, 0, 1], [1, -1, 0]]).round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    gains = np.array(payoffs, dtype=np.float64)
    if gains.ndim != 2 or not np.isfinite(gains).all() or not np.allclose(gains, -gains.T):
        raise ValueError("payoffs must be numbers, and what the row gains against the column be what that one loses")
    n = len(gains)
    # Weights q = t + s of mixtures: t, at most 1, reaches 1 for all players that have a share in any of them.
    bounds = [(0, 1)] * n + [(0, None)] * n
    found = linprog([-1.0] * n + [0.0] * n, A_ub=np.hstack([gains, gains]), b_ub=np.zeros(n), bounds=bounds)
    there = found.x[:n] > 0.5

    def dual(prices: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        levels = -prices @ gains[:, there]
        return float(logsumexp(levels)), -gains[:, there] @ softmax(levels)

    exact = {"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-9}
    prices = minimize(dual, np.zeros(n), jac=True, bounds=[(0, None)] * n, options=exact).x
    shares = np.zeros(n)
    shares[there] = softmax(-prices @ gains[:, there])
    if (lost := float((gains @ shares).max())) > NEAR:
        raise ValueError(f"no equilibrium was found: a player still gains {lost:.1g} against the shares")
    return shares


def nash_table(games: Games, players: Sequence[str]) -> Table:
    """Shares and scores of ``players``, the best first. ValueError, which names two, if some never met."""
    n = len(players)
    counts = np.zeros((n, n, 5))  # pairs of the row against the column, by its points
    for each in differences(games, players):
        one, other = players.index(each.player), players.index(each.against)
        counts[one, other], counts[other, one] = each.counts, each.counts[::-1]
    pairs = counts.sum(axis=2).astype(np.int64)
    if len(missing := np.argwhere(np.triu(pairs == 0, 1))):
        raise ValueError(
            f"Nash averaging needs a complete pair of games of every two players; {players[missing[0, 0]]} and "
            f"{players[missing[0, 1]]} have none ({len(missing)} such pairings): give events in which all met"
        )

    def figures(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        gains = counts @ np.linspace(-0.5, 0.5, 5) / np.maximum(pairs, 1)
        shares = nash(gains)
        return np.array([shares, 0.5 + gains @ shares])

    chances = (counts + SMOOTHING / 5) / (pairs + SMOOTHING)[:, :, None]
    drawn = np.random.default_rng(0).multinomial(pairs, chances, size=(RESAMPLES, n, n))
    above, below = np.triu_indices(n, 1)
    drawn[:, below, above] = drawn[:, above, below, ::-1]
    (shares, scores), resampled = figures(counts), [figures(each).ravel() for each in drawn]
    low, high = 100 * np.array(resampled_interval([*shares, *scores], resampled)).clip(0, 1)
    spans = [f"{one:.1f} to {other:.1f}" for one, other in zip(low, high, strict=True)]
    rows = [
        [players[k], f"{100 * shares[k]:.1f}", spans[k], f"{100 * scores[k]:.1f}", spans[n + k]]
        for k in np.lexsort([-shares, -scores.round(6)])
    ]
    columns = [("Player", "row"), ("Share", ""), ("95 %", ""), ("Score", ""), ("95 %", "")]
    return Table("Nash averaging", columns, rows, after=[_NOTE])
