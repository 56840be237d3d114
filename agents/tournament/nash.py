"""Nash averaging: how players score against the strongest mixture of them all, after D. Balduzzi et al., "Re-evaluating
Evaluation", NeurIPS 2018."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog, minimize
from scipy.special import logsumexp, softmax

from agents.evaluation.statistics import resampled_interval
from agents.tournament.sections import Table
from agents.tournament.standings import differences
from agents.tournament.summary import Games
from mancala_env.words import joined

RESAMPLES = 200
SMOOTHING = 2.0  # imaginary pairs, of each result alike, in what the resamples of a pairing are drawn from
NAMED = 4  # pairings at most that a refusal lists
_NOTE = (
    "Share: of the mixture of players against which no player scores above one half, the most even of such mixtures "
    "(maximum entropy). Score: of the player against it; 50 % is the most. Mean scores of complete pairs under all "
    "rules together; 95 % by resampling pairs. A share says how hard a player is to replace here, and changes with "
    "who else takes part; who has none may be a little weaker than one who has much."
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
    found = linprog(
        [-1.0] * n + [0.0] * n, A_ub=np.hstack([gains, gains]), b_ub=np.zeros(n), bounds=[(0, 1)] * n + [(0, None)] * n
    )
    there = found.x[:n] > 0.5
    of_those = gains[:, there]

    def dual(prices: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        levels = -prices @ of_those
        return float(logsumexp(levels)), -of_those @ softmax(levels)

    prices = minimize(
        dual, np.zeros(n), jac=True, bounds=[(0, None)] * n, options={"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-9}
    ).x
    shares = np.zeros(n)
    shares[there] = softmax(-prices @ of_those)
    return shares


def nash_table(games: Games, players: Sequence[str]) -> Table:
    """Shares and scores of ``players``, the best first. ValueError, which names them, if some never met."""
    place = {name: k for k, name in enumerate(players)}
    counts = np.zeros((len(players), len(players), 5))
    for each in differences(games, players):
        one, other = place[each.player], place[each.against]
        counts[one, other], counts[other, one] = each.counts, each.counts[::-1]
    pairings = [(i, j) for i in range(len(players)) for j in range(i)]
    if apart := [f"{players[j]} and {players[i]}" for i, j in pairings if not counts[i, j].any()]:
        more = f", and {len(apart) - NAMED} pairings more" if len(apart) > NAMED else ""
        raise ValueError(
            f"Nash averaging needs a complete pair of games of every two players; {joined(apart[:NAMED])}{more} have "
            "none: play a round robin of all, or give events of those who met"
        )
    random, drawn = np.random.default_rng(0), np.zeros((RESAMPLES, *counts.shape))
    for i, j in pairings:
        cells = counts[i, j] + SMOOTHING / 5
        drawn[:, i, j] = random.multinomial(int(counts[i, j].sum()), cells / cells.sum(), size=RESAMPLES)
        drawn[:, j, i] = drawn[:, i, j, ::-1]
    figures = _figures(counts)
    ends = np.array(resampled_interval(figures, [_figures(each) for each in drawn])).clip(0, 1)
    rows = [
        [name, *(text for k in (at, at + len(players)) for text in _cells(figures[k], ends[:, k]))]
        for at, name in enumerate(players)
    ]
    rows = [rows[k] for k in np.lexsort([-figures[: len(players)], -figures[len(players) :].round(6)])]
    columns = [("Player", "row"), ("Share", ""), ("95 %", ""), ("Score", ""), ("95 %", "")]
    return Table("Nash averaging", columns, rows, after=[_NOTE])


def _figures(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """float64[2 n]: the shares of players in the mixture, and their scores against it, by pairs of 0 to 2 points."""
    pairs = counts.sum(axis=2)
    gains = counts @ np.linspace(-0.5, 0.5, 5) / np.maximum(pairs, 1)
    shares = nash(gains)
    return np.concatenate([shares, 0.5 + gains @ shares])


def _cells(value: float, ends: Iterable[float]) -> tuple[str, str]:
    return f"{100 * value:.1f}", " to ".join(f"{100 * end:.1f}" for end in ends)
