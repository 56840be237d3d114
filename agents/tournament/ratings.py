"""Elo ratings of all players of an event, with bootstrap intervals (the Bradley-Terry model). The unit of all
statistics is the pair, two games from one opening with the seats swapped. For two players see
``agents.evaluation.elo``."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.evaluation.elo import ELO, Floats
from agents.evaluation.statistics import resampled_interval
from agents.tournament.summary import ABSENT, Games, Results, Score, Summary, crosstable, pentanomial_of

RESAMPLES = 1000
PRIOR = 1.0  # imaginary draws per free parameter
SMOOTHING = 2.0  # imaginary pairs in the distribution that a pairing's resamples are drawn from


@dataclass(frozen=True, slots=True)
class Rating:
    """One line of a rating list."""

    player: str
    rating: float  # Elo; nan for a player none of whose games was decided by play
    low: float  # the ends of its confidence interval, as ``ratings`` says
    high: float
    games: int  # decided by play: those that a player lost by a fault are not among them, nor in the three below
    points: float
    score: float  # points per game
    draws: int
    faults: int  # games lost by a fault
    low_from_prior: bool = False  # this end rests on the prior: the games alone would let it be infinite
    high_from_prior: bool = False


def ratings(
    games: Games,
    *,
    rules: str | None = None,
    rating_origin: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    prior: float = PRIOR,
) -> list[Rating]:
    """Rate all players at once by the model of Bradley and Terry, the strongest first.

    The chance of ``i`` against ``j`` is ``1 / (1 + 10 ** ((r_j - r_i) / 400))``; the ratings maximise the likelihood of
    all games, a draw counting as half a win of each, by iterated Luce spectral ranking (Maystre and Grossglauser, "Fast
    and Accurate Inference of Plackett-Luce Models", NeurIPS 2015; the package choix). Games that a player lost by a
    fault are left out, as are players without any other game (nan). The prior is ``prior * (players - 1)`` imaginary
    draws, shared evenly by the pairings that met: it keeps all ratings finite, and with 1 takes away most of the bias
    of maximum likelihood (for two players Firth, "Bias reduction of maximum likelihood estimates", Biometrika 80,
    1993).

    The intervals are those of ``agents.evaluation.statistics.resampled_interval``, of a bootstrap over pairs,
    stratified by pairing, with two corrections for few games. A pairing is drawn from its pairs and two imaginary ones,
    distributed as independent decisive games between players of the ratings found. And where one group of players won
    all its N pairs against the rest, each resample draws u, uniform in 0..1. Where u is below 1/2 it takes the share
    ``1 - u ** (1 / N)`` of these points away, so that the nearer end of the interval is that of Clopper and Pearson
    (Biometrika 26, 1934). Where u is above 1/2 it leaves only the share ``2 (1 - u)`` of what the prior gives the rest
    against that group: the farther end rests on the prior alone, and is marked (``low_from_prior``,
    ``high_from_prior``).

    ValueError if the players fall into groups that did not meet; if ``prior`` is 0 and a group of players won or lost
    everything against the rest; if the results are too one-sided for a fit; for an unknown origin, an impossible
    setting, or pairs as in ``Summary.add``.

    Parameters
    ----------
    games : the games as records, or their summary
    rules : rate by the games of this ruleset alone
    rating_origin : the player whose rating is 0, without an error; default: the mean of all players is
    resamples, seed : of the bootstrap; 0 resamples: no intervals, ``low`` and ``high`` are nan
    prior : imaginary draws per free parameter; 0: plain maximum likelihood (resamples keep 0.1)
    """
    summary = Summary.of(games)
    everything, results = summary.results.under(rules), summary.played.under(rules)
    if rating_origin is not None and rating_origin not in everything.players:
        names = ", ".join(everything.players) or "none"
        raise ValueError(f"rating_origin {rating_origin!r} did not play; players are {names}")
    if resamples < 0 or not 0.0 <= prior < math.inf:
        raise ValueError(f"resamples and prior cannot be negative or infinite, as {resamples} and {prior}")
    everybody, players = unrated(summary, rules), results.players
    if not players:
        return everybody
    units = _Units.of(results, players)
    met = units.wins + units.wins.T > 0
    if len(apart := groups(results, players)) > 1:
        raise ValueError(
            "players of different groups never met, directly or through others, so have no common scale: "
            + "; ".join(apart)
        )
    cuts = _cuts(units.wins > 0)
    if cuts and prior == 0.0:
        upper = ", ".join(players[i] for i in np.flatnonzero(cuts[0]))
        raise ValueError(f"{upper} won every game against all others: no finite rating fits; give a prior above 0")
    origin = rating_origin if rating_origin in players else None

    def place(logits: Floats) -> Floats:
        level = logits.mean(axis=-1) if origin is None else logits[..., players.index(origin)]
        return ELO * (logits - level[..., None])

    found = _fit(units.wins + _prior(met, prior))
    elo = place(found)
    ends = np.full((2, len(players)), math.nan)
    if resamples:
        drawn, kept = units.resampled(found, cuts, resamples, np.random.default_rng(seed))
        imagined = _prior(met, max(prior, 0.1))  # a resample may have a winner of everything where the event has none
        fits = [
            _fit(wins + share * imagined, start=found, tolerance=1e-5) for wins, share in zip(drawn, kept, strict=True)
        ]
        ends = np.array(resampled_interval(elo, place(np.array(fits))))
    # Only players who took points off another, directly or through others, bound how far the other is above them.
    unbounded = ~_reached(units.wins > 0)
    others = list(range(len(players))) if origin is None else [players.index(origin)]
    lines = []
    for line in everybody:
        if line.player in players:
            i = players.index(line.player)
            low, high = ends[:, i].tolist()
            line = replace(  # noqa: PLW2901
                line, rating=float(elo[i]), low=low, high=high,
                low_from_prior=bool(resamples and unbounded[i, others].any()),
                high_from_prior=bool(resamples and unbounded[others, i].any()),
            )  # fmt: skip
        lines.append(line)
    return sorted(lines, key=lambda line: (math.isnan(line.rating), -line.rating, line.player))


def unrated(games: Games, rules: str | None = None) -> list[Rating]:
    """The lines of all players without ratings (nan), in alphabetical order; ``rules`` as in ``ratings``."""
    summary = Summary.of(games)
    table = crosstable(summary, rules)
    found = []
    for player in summary.results.under(rules).players:
        total = sum((meeting.total for (name, _), meeting in table.items() if name == player), Score())
        faults = sum(n for (under, name, _), n in summary.faults.items() if name == player and rules in (None, under))
        nan = math.nan
        found.append(Rating(player, nan, nan, nan, total.games, total.points, total.score, total.draws, faults))
    return found


def _reached(edges: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """bool[n, n]: whether there is a path along edges from the first to the second, also of length 0."""
    reach = edges | np.eye(len(edges), dtype=bool)
    for _ in range(len(edges).bit_length()):
        reach = reach @ reach
    return reach


def groups(results: Results, players: Sequence[str]) -> list[str]:
    """The names of players that met, directly or through others: a text for each group."""
    met = np.zeros((len(players), len(players)), dtype=bool)
    for _, south, north in results.souths():
        met[players.index(south), players.index(north)] = met[players.index(north), players.index(south)] = True
    return list(dict.fromkeys(", ".join(players[i] for i in np.flatnonzero(row).tolist()) for row in _reached(met)))


def _cuts(won: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.bool_]]:
    """bool[n] each: players who lost no point to any of the others, from the fewest to the most. Without one, and only
    then, the likelihood has a finite maximum (Ford, "Solution of a ranking problem from binary comparisons", 1957)."""
    reach = _reached(won)
    same = reach & reach.T
    # A player who reaches more players cannot be reached by one who reaches fewer.
    order = sorted({tuple(row.tolist()) for row in same}, key=lambda row: -int(reach[row.index(True)].sum()))
    above = np.zeros(len(won), dtype=bool)
    cuts = []
    for row in order[:-1]:
        above = above | np.array(row)
        cuts.append(above)
    return cuts


def _prior(met: npt.NDArray[np.bool_], draws: float) -> Floats:
    """float64[n, n]: half wins by imaginary draws, ``draws`` per free parameter shared evenly by the pairings."""
    return met * (draws * (len(met) - 1) / met.sum())


def _fit(wins: Floats, start: Floats | None = None, tolerance: float = 1e-9) -> Floats:
    """float64[n]: the log strengths of the Bradley-Terry model, of mean 0, by points of row against column."""
    from choix import ilsr_pairwise_dense

    try:
        with np.errstate(all="ignore"):
            return ilsr_pairwise_dense(wins, initial_params=start, max_iter=10_000, tol=tolerance)
    except (RuntimeError, ValueError) as error:  # strengths so far apart that numbers no longer tell them
        raise ValueError(
            f"the results are too one-sided to rate ({error}): play more pairs, or give a larger prior"
        ) from error


class _Units(NamedTuple):
    """Complete pairs and lone games, counted."""

    wins: Floats  # float64[n, n]: points of row against column
    counts: dict[tuple[int, int, int], Floats]  # of i against j > i, by the half points of i: pairs (5) and games (3)

    @classmethod
    def of(cls, results: Results, players: Sequence[str]) -> "_Units":
        found = cls(np.zeros((len(players),) * 2), {})
        # Sorted, so that a resample does not depend on the order of the games.
        cells_of = sorted(results.cells.items(), key=lambda each: each[0])
        units = [(key, pentanomial_of(cells)) for key, cells in cells_of]
        units += [(key, cells[:ABSENT, ABSENT] + cells[ABSENT, :ABSENT][::-1]) for key, cells in cells_of]
        for (_, first, second), cells in units:
            if not cells.any():
                continue
            i, j, size = players.index(first), players.index(second), len(cells)
            points = cells @ np.arange(size) / 2.0
            found.wins[i, j] += points
            found.wins[j, i] += cells.sum() * (size // 2) - points
            found.counts[i, j, size] = found.counts.get((i, j, size), 0.0) + cells.astype(np.float64)
        return found

    def resampled(
        self, logits: Floats, cuts: Sequence[npt.NDArray[np.bool_]], resamples: int, random: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """float64[resamples, n, n] each, drawn as ``ratings`` explains: points of row against column, and the share of
        the prior's that is kept."""
        wins = np.zeros((resamples, *self.wins.shape))
        units = np.zeros_like(self.wins)
        for (i, j, size), counts in self.counts.items():
            games, number = size // 2, counts.sum()
            p = 1.0 / (1.0 + math.exp(logits[j] - logits[i]))
            model = np.array([1 - p, 0, p] if games == 1 else [(1 - p) ** 2, 0, 2 * p * (1 - p), 0, p**2])
            chances = (counts + SMOOTHING * model) / (number + SMOOTHING)
            points = random.multinomial(int(number), chances, size=resamples) @ (np.arange(size) / 2.0)
            wins[:, i, j] += points
            wins[:, j, i] += number * games - points
            units[i, j] += number
            units[j, i] += number
        kept = np.ones_like(wins)
        for above in cuts:
            across = np.outer(above, ~above)
            u = random.random(resamples)
            share = 1.0 - u ** (1.0 / units[across].sum())
            near = (u < 0.5)[:, None, None]
            # Beyond the rating the winners have all points, as they did; those that smoothing gave away come back.
            moved = np.where(near, wins * across * share[:, None, None], -wins.swapaxes(1, 2) * across)
            wins += moved.swapaxes(1, 2) - moved
            kept *= np.where(across.T, np.minimum(1.0, 2.0 * (1.0 - u))[:, None, None], 1.0)
        return wins, kept
