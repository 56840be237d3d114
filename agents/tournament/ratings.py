"""Elo ratings of all players of an event, with bootstrap intervals (the Bradley-Terry model).

Pure functions of game records: nothing is read, written or printed. The unit of all statistics is the pair, two games
from one opening with the seats swapped, since its two games are anything but independent. A win is 1 point, a draw
1/2. For two players see ``agents.evaluation.elo``.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from agents.evaluation.elo import ELO, Floats
from agents.evaluation.statistics import resampled_interval
from agents.tournament.record import GameRecord
from agents.tournament.standings import by_seat, pairs_of, played, player_at_fault, players_of, points_of

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
    records: Sequence[GameRecord],
    *,
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
    records : sequence of GameRecord
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
        everything against the rest; for an unknown origin, an impossible setting, or pairs as in ``crosstable``.
    """
    players = players_of(records)
    if rating_origin is not None and rating_origin not in players:
        raise ValueError(f"rating_origin {rating_origin!r} did not play; players are {', '.join(players) or 'none'}")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, not be {confidence}")
    if resamples < 0 or not 0.0 <= prior < math.inf:
        raise ValueError(f"resamples and prior cannot be negative or infinite, as {resamples} and {prior}")
    everybody, everything = players, records
    records = played(records)
    players = players_of(records)
    if not players:
        return [_unrated(player, everything) for player in everybody]
    if rating_origin is not None and rating_origin not in players:
        rating_origin = None
    units = _Units.of(records, players)
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
    totals = {row.player: row.south + row.north for row in by_seat(records)}
    faults, forfeits = faults_of(everything)
    with_faults = dict(zip(players, elo.tolist(), strict=True))
    if len(records) < len(everything):
        with_faults = _with_faults(everything, rating_origin, origin_rating, prior)
    lines = [_unrated(player, everything, with_faults) for player in everybody if player not in players]
    for i, player in enumerate(players):
        total = totals[player]
        low, high = ends[:, i].tolist()
        lines.append(
            Rating(
                player,
                float(elo[i]),
                low,
                high,
                total.games,
                total.points,
                total.score,
                total.draws,
                faults[player],
                bool(resamples and low_open[i]),
                bool(resamples and high_open[i]),
                forfeits[player],
                with_faults.get(player, math.nan),
            )
        )
    return sorted(lines, key=lambda line: (math.isnan(line.rating), -line.rating, line.player))


def faults_of(records: Sequence[GameRecord]) -> tuple[Counter[str], Counter[str]]:
    """The numbers of games that each player lost by a fault of its own, and was given by a fault of the other."""
    lost = [record for record in records if record.fault is not None]
    return (
        Counter(str(player_at_fault(record)) for record in lost),
        Counter((record.north, record.south)[record.fault or 0] for record in lost),
    )


def _unrated(player: str, records: Sequence[GameRecord], with_faults: dict[str, float] | None = None) -> Rating:
    """The line of a player none of whose games was decided by play."""
    faults, forfeits = faults_of(records)
    nan = math.nan
    rating = (with_faults or {}).get(player, nan)
    return Rating(player, nan, nan, nan, 0, 0.0, nan, 0, faults[player], False, False, forfeits[player], rating)


def _with_faults(
    records: Sequence[GameRecord], rating_origin: str | None, origin_rating: float, prior: float
) -> dict[str, float]:
    """The ratings if faults counted as games lost on the board; {} where they have no common scale."""
    counted = [replace(record, fault=None) for record in records]
    try:
        lines = ratings(
            counted, rating_origin=rating_origin, origin_rating=origin_rating, resamples=0, prior=max(prior, 0.1)
        )
    except ValueError:
        return {}
    return {line.player: line.rating for line in lines}


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
    def of(cls, records: Sequence[GameRecord], players: Sequence[str]) -> "_Units":
        index = {player: i for i, player in enumerate(players)}
        found = cls(np.zeros((len(players),) * 2), np.zeros((len(players),) * 2), {}, {})
        for (_, first, second), games in pairs_of(records).items():
            i, j = index[first], index[second]
            points = sum(points_of(game, first) for game in games)
            found.wins[i, j] += points
            found.wins[j, i] += len(games) - points
            found.games[i, j] += len(games)
            found.games[j, i] += len(games)
            counts = (found.pairs if len(games) == 2 else found.singles).setdefault(
                (i, j), np.zeros(2 * len(games) + 1)
            )
            counts[round(2 * points)] += 1.0
        return found

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
