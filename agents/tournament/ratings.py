"""Elo ratings of all players of an event, with bootstrap intervals (the Bradley-Terry model).

Pure functions of games, as records or as their summary: nothing is read, written or printed. The unit of all
statistics is the pair, two games from one opening with the seats swapped, since its two games are anything but
independent. A win is 1 point, a draw 1/2. For two players see ``agents.evaluation.elo``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from agents.evaluation.elo import ELO, Floats
from agents.evaluation.statistics import resampled_interval
from agents.tournament.standings import Score, pentanomial_of, score_of
from agents.tournament.summary import Counts, Games, Results, Summary

RESAMPLES = 1000
PRIOR = 1.0  # imaginary draws per free parameter
SMOOTHING = 2.0  # imaginary pairs in the distribution that a pairing's resamples are drawn from


@dataclass(frozen=True, slots=True)
class Rating:
    """One line of a rating list.

    Attributes
    ----------
    player : str
    rating, low, high : float
        Elo, and its confidence interval (``ratings``); nan for a player none of whose games was decided by play.
    games : int
        Decided by play: those that a player lost by a fault are not among them, nor in the three numbers below.
    points : float
    score : float
        Points per game.
    draws : int
    faults : int
        Games lost by a fault.
    forfeits : int
        Games that the other player lost by a fault.
    rating_with_faults : float
        Elo if a fault counted as a game lost on the board; nan where that gives no common scale.
    low_from_prior, high_from_prior : bool
        This end rests on the prior: the games alone would let it be infinite.
    """

    player: str
    rating: float
    low: float
    high: float
    games: int
    points: float
    score: float
    draws: int
    faults: int
    low_from_prior: bool = False
    high_from_prior: bool = False
    forfeits: int = 0
    rating_with_faults: float = math.nan

    @property
    def score_with_faults(self) -> float:
        """Points per game if a fault counted as a game lost on the board; nan without games."""
        games = self.games + self.faults + self.forfeits
        return (self.points + self.forfeits) / games if games else math.nan


def ratings(
    games: Games,
    *,
    rules: str | None = None,
    rating_origin: str | None = None,
    origin_rating: float = 0.0,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
    prior: float = PRIOR,
) -> list[Rating]:
    """Rate all players at once by the model of Bradley and Terry, the strongest first.

    The chance of ``i`` against ``j`` is ``1 / (1 + 10 ** ((r_j - r_i) / 400))``; the ratings maximise the likelihood of
    all games, a draw counting as half a win of each. They do not depend on the order of the games. Games that a player
    lost by a fault tell nothing of strength and are left out, as are players without any other game (nan);
    ``rating_with_faults`` says what they would change. Solved by iterated
    Luce spectral ranking (Maystre and Grossglauser, "Fast and Accurate Inference of Plackett-Luce Models", NeurIPS
    2015; the package choix).

    The prior is ``prior * (players - 1)`` imaginary draws, shared evenly by the pairings that met. It keeps the rating
    of a player who won everything finite, and with 1 takes away most of the bias of maximum likelihood: for two players
    it is the half win and half loss of Firth ("Bias reduction of maximum likelihood estimates", Biometrika 80, 1993).

    The intervals are those of ``agents.evaluation.statistics.resampled_interval``, of a bootstrap over pairs,
    stratified by pairing: each resample draws, for each pairing, as many pairs as it has. Two corrections keep the
    intervals from being too short with few games. A pairing is drawn from its pairs and two imaginary ones, distributed
    as independent decisive games between players of the ratings found; without them a pairing of one pair would seem
    certain. And where one group of players won all its N pairs against the rest, each resample draws u, uniform in
    0..1. Where u is below 1/2 it takes the share ``1 - u ** (1 / N)`` of these points away: the confidence distribution
    of a chance with which N trials of N succeeded, so that the nearer end of the interval is that of Clopper and
    Pearson (Biometrika 26, 1934). Where u is above 1/2 it takes nothing away, and leaves only the share ``2 (1 - u)``
    of what the prior gives the rest against that group. So the farther end lies beyond the rating, where 1/20 of the
    prior is left for 95 %, and rests on the prior alone: the truth may lie anywhere beyond. Such ends are marked
    (``low_from_prior``, ``high_from_prior``).

    Parameters
    ----------
    games : Summary, or iterable of GameRecord
    rules : str, optional
        Rate by the games of this ruleset alone.
    rating_origin : str, optional
        The player whose rating is fixed at ``origin_rating``, without an error. By default the mean of all players is
        fixed, so that the errors are those of the distance from the mean.
    origin_rating : float
        Elo.
    resamples : int
        0: no intervals, ``low`` and ``high`` are nan.
    seed : int
        Of the bootstrap.
    confidence : float
        Between 0 and 1.
    prior : float
        Imaginary draws per free parameter. 0: plain maximum likelihood (resamples keep 0.1).

    Raises
    ------
    ValueError
        If the players fall into groups that did not meet; if ``prior`` is 0 and a group of players won or lost
        everything against the rest; for an unknown origin, an impossible setting, or pairs as in ``Summary.add``.
    """
    summary = Summary.of(games)
    everything, results = summary.results, summary.played
    if rules is not None:
        everything, results = everything.under(rules), results.under(rules)
    players = everything.players
    if rating_origin is not None and rating_origin not in players:
        raise ValueError(f"rating_origin {rating_origin!r} did not play; players are {', '.join(players) or 'none'}")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, not be {confidence}")
    if resamples < 0 or not 0.0 <= prior < math.inf:
        raise ValueError(f"resamples and prior cannot be negative or infinite, as {resamples} and {prior}")
    everybody = unrated(summary, rules)
    players = results.players
    if not players:
        return everybody
    if rating_origin is not None and rating_origin not in players:
        rating_origin = None
    units = _Units.of(results, players)
    apart = groups(units.games > 0)
    if len(apart) > 1:
        names = "; ".join(", ".join(players[i] for i in group) for group in apart)
        raise ValueError(
            f"players of different groups never met, directly or through others, so have no common scale: {names}"
        )
    cuts = _cuts(units.wins > 0)
    if cuts and prior == 0.0:
        upper = ", ".join(players[i] for i in np.flatnonzero(cuts[0]))
        raise ValueError(f"{upper} won every game against all others: no finite rating fits; give a prior above 0")

    imagined = _prior(units.games > 0, prior)
    found = _fit(units.wins + imagined)

    def place(logits: Floats) -> Floats:
        level = logits.mean(axis=-1) if rating_origin is None else logits[..., players.index(rating_origin)]
        return origin_rating + ELO * (logits - level[..., None])

    ends = np.full((2, len(players)), math.nan)
    if resamples:
        drawn, kept = units.resampled(found, cuts, resamples, np.random.default_rng(seed))
        # A resample may have a winner of everything where the event has none.
        imagined = _prior(units.games > 0, max(prior, 0.1))
        fits = np.array(
            [
                _fit(wins + share * imagined, start=found, tolerance=1e-5)
                for wins, share in zip(drawn, kept, strict=True)
            ]
        )
        ends = np.array(resampled_interval(place(found), place(fits), confidence))

    # Only players who took points off another, directly or through others, bound how far the other is above them.
    unbounded = ~_reached(units.wins > 0)
    others = list(range(len(players))) if rating_origin is None else [players.index(rating_origin)]
    low_open = [bool(unbounded[i, others].any()) for i in range(len(players))]
    high_open = [bool(unbounded[others, i].any()) for i in range(len(players))]
    elo = place(found)
    with_faults = dict(zip(players, elo.tolist(), strict=True))
    if any(line.faults for line in everybody):
        with_faults = _elo_with_faults(everything, rating_origin, origin_rating, prior)
    lines = []
    for line in everybody:
        rated = replace(line, rating_with_faults=with_faults.get(line.player, math.nan))
        if line.player in players:
            i = players.index(line.player)
            low, high = ends[:, i].tolist()
            rated = replace(
                rated, rating=float(elo[i]), low=low, high=high, low_from_prior=bool(resamples and low_open[i]),
                high_from_prior=bool(resamples and high_open[i]),
            )  # fmt: skip
        lines.append(rated)
    return sorted(lines, key=lambda line: (math.isnan(line.rating), -line.rating, line.player))


def unrated(games: Games, rules: str | None = None) -> list[Rating]:
    """The lines of all players without ratings (nan), in alphabetical order; ``rules`` as in ``ratings``."""
    summary = Summary.of(games)
    everything, results = summary.results, summary.played
    if rules is not None:
        everything, results = everything.under(rules), results.under(rules)
    found = []
    for player in everything.players:
        total = Score()
        for (_, south, north), counts in results.souths().items():
            if player in (south, north):
                total += score_of(counts) if player == south else score_of(counts).reversed
        faults = sum(n for (under, name, _), n in summary.faults.items() if name == player and rules in (None, under))
        given = sum(n for (under, name), n in summary.forfeits.items() if name == player and rules in (None, under))
        nan = math.nan
        found.append(
            Rating(player, nan, nan, nan, total.games, total.points, total.score, total.draws, faults, forfeits=given)
        )
    return found


def _elo_with_faults(
    everything: Results, rating_origin: str | None, origin_rating: float, prior: float
) -> dict[str, float]:
    """The ratings if faults counted as games lost on the board; {} where they have no common scale."""
    players = everything.players
    units = _Units.of(everything, players)
    if len(groups(units.games > 0)) > 1:
        return {}
    elo = ELO * _fit(units.wins + _prior(units.games > 0, max(prior, 0.1)))
    level = elo.mean() if rating_origin is None else elo[players.index(rating_origin)]
    return dict(zip(players, (origin_rating + elo - level).tolist(), strict=True))


def _reached(edges: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """bool[n, n]: whether there is a path along edges from the first to the second, also of length 0."""
    reach = edges | np.eye(len(edges), dtype=bool)
    for _ in range(len(edges).bit_length()):
        reach = reach @ reach
    return reach


def groups(met: npt.NDArray[np.bool_]) -> list[list[int]]:
    """Players that met, directly or through others."""
    rows: list[list[int]] = [np.flatnonzero(row).tolist() for row in _reached(met)]
    return [row for i, row in enumerate(rows) if row[0] == i]


def _cuts(won: npt.NDArray[np.bool_]) -> list[npt.NDArray[np.bool_]]:
    """bool[n] each: players who lost no point to any of the others, from the fewest to the most.

    Without one, and only then, the likelihood has a finite maximum (Ford, "Solution of a ranking problem from binary
    comparisons", American Mathematical Monthly 64, 1957).
    """
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

    return ilsr_pairwise_dense(wins, initial_params=start, max_iter=10_000, tol=tolerance)


@dataclass(frozen=True)
class _Units:
    """Pairs and single games, counted.

    Attributes
    ----------
    wins, games : float64[n, n]
        Points of row against column, and games.
    pairs, singles : {(i, j): float64[5]}, {(i, j): float64[3]}
        Complete pairs and lone games by the points of i, for i < j.
    """

    wins: Floats
    games: Floats
    pairs: dict[tuple[int, int], Floats]
    singles: dict[tuple[int, int], Floats]

    @classmethod
    def of(cls, results: Results, players: Sequence[str]) -> "_Units":
        index = {player: i for i, player in enumerate(players)}
        found = cls(np.zeros((len(players),) * 2), np.zeros((len(players),) * 2), {}, {})
        # Sorted, so that a resample does not depend on the order of the games.
        for (_, first, second), pairs in sorted(results.pairs.items(), key=lambda item: item[0]):
            found._add(found.pairs, index[first], index[second], pentanomial_of(pairs))
        for (_, first, second), (south, north) in sorted(results.single.items(), key=lambda item: item[0]):
            found._add(found.singles, index[first], index[second], south + north[::-1])
        return found

    def _add(self, kept: dict[tuple[int, int], Floats], i: int, j: int, counts: Counts) -> None:
        """Add units by the half points of i."""
        games = counts.sum() * (len(counts) // 2)
        points = counts @ np.arange(len(counts)) / 2.0
        self.wins[i, j] += points
        self.wins[j, i] += games - points
        self.games[i, j] += games
        self.games[j, i] += games
        kept[i, j] = kept.get((i, j), 0.0) + counts.astype(np.float64)

    def resampled(
        self, logits: Floats, cuts: Sequence[npt.NDArray[np.bool_]], resamples: int, random: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """float64[resamples, n, n] each: points of row against column, and the share of the prior's that is kept.

        ``ratings`` explains how they are drawn.
        """
        wins = np.zeros((resamples, *self.wins.shape))
        for counted in (self.pairs, self.singles):
            for (i, j), counts in counted.items():
                games = len(counts) // 2
                p = 1.0 / (1.0 + math.exp(logits[j] - logits[i]))
                model = np.array([1 - p, 0, p] if games == 1 else [(1 - p) ** 2, 0, 2 * p * (1 - p), 0, p**2])
                number = counts.sum()
                drawn = random.multinomial(
                    int(number), (counts + SMOOTHING * model) / (number + SMOOTHING), size=resamples
                )
                points = drawn @ (np.arange(len(counts)) / 2.0)
                wins[:, i, j] += points
                wins[:, j, i] += number * games - points
        units = np.zeros_like(self.wins)
        for counted in (self.pairs, self.singles):
            for (i, j), counts in counted.items():
                units[i, j] += counts.sum()
                units[j, i] += counts.sum()
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
