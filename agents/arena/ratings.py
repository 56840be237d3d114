"""What the games of an event say: tables, ratings with intervals, tests of two players, and what to mistrust.

Pure functions of game records: nothing is read, written or printed. The unit of all statistics is the pair, two games
from one opening with the seats swapped, since they are anything but independent. A win is 1 point, a draw 1/2.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from agents.arena.games import FAULTS, GameRecord
from agents.intervals import score_interval

ELO = 400.0 / math.log(10.0)  # Elo per unit of log odds: 400 Elo are odds of 10 to 1
NORMALIZED = 800.0 / math.log(10.0)  # normalised Elo per standard deviation of a game
RESAMPLES = 1000
PRIOR = 1.0  # imaginary draws per free parameter
SMOOTHING = 2.0  # imaginary pairs in the distribution that a pairing's resamples are drawn from
EMPTY = 1e-3  # what an empty cell counts in a likelihood
POINTS = np.array([0.0, 0.5, 1.0, 1.5, 2.0])  # of one player in a pair
MODELS = ("logistic", "normalized")  # of Elo in an SPRT
SURE = 3.0  # standard errors before ``diagnose`` speaks: by chance in about one event of 400

Floats = npt.NDArray[np.float64]
Decision = Literal["H0", "H1"]
_Pairs = dict[tuple[int, str, str], list[GameRecord]]  # by number and players


@dataclass(frozen=True, slots=True)
class Score:
    """Games won, drawn and lost by one side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """Their number."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """1 for a win, 1/2 for a draw."""
        return self.wins + self.draws / 2

    @property
    def score(self) -> float:
        """Points per game; nan without games."""
        return self.points / self.games if self.games else math.nan

    def __add__(self, other: "Score") -> "Score":
        return Score(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    @property
    def reversed(self) -> "Score":
        """The same games from the other side."""
        return Score(self.losses, self.draws, self.wins)


@dataclass(frozen=True, slots=True)
class Meeting:
    """One player against another, from the first one's side.

    Attributes
    ----------
    south, north : Score
        The games in which the player sat there.
    pairs : int
        Complete pairs.
    unpaired : int
        Games whose other half is missing so far.
    """

    south: Score
    north: Score
    pairs: int
    unpaired: int

    @property
    def total(self) -> Score:
        """Both seats together."""
        return self.south + self.north


@dataclass(frozen=True, slots=True)
class SeatScore:
    """One player in either seat; ``player`` is None for all players together, who meet in both."""

    player: str | None
    south: Score
    north: Score


@dataclass(frozen=True, slots=True)
class OpeningScore:
    """What came of one opening.

    Attributes
    ----------
    opening : str
        As ``GameRecord.opening``.
    rules : str
        As ``GameRecord.rules``: the same text may be a position of several games.
    south : Score
        South's, over all games from it.
    pairs : int
        Complete pairs.
    same_seat : int
        Pairs whose two games were won by the same seat, so 1-1.
    """

    opening: str
    rules: str
    south: Score
    pairs: int
    same_seat: int


@dataclass(frozen=True, slots=True)
class Rating:
    """One line of a rating list.

    Attributes
    ----------
    player : str
    rating, low, high : float
        Elo, and its confidence interval (``ratings``).
    games : int
    points : float
    score : float
        Points per game.
    draws : int
    faults : int
        Games lost by a fault.
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


@dataclass(frozen=True, slots=True)
class EloDifference:
    """What the pairs of two players say, from the first one's side (``elo_difference``).

    Attributes
    ----------
    pairs : int
    score : float
        Points per game.
    elo, low, high : float
        Logistic Elo and its interval; infinite where the score is 0 or 1.
    normalized, normalized_low, normalized_high : float
        Normalised Elo: the difference in standard deviations of a game.
    superiority : float
        Likelihood that the first player is the stronger one (LOS), 0..1.
    draw_ratio : float
        Share of the pairs that ended 1-1.
    pairs_ratio : float
        Pairs won per pair lost; inf if none was lost, nan if none was won either.
    """

    pairs: int
    score: float
    elo: float
    low: float
    high: float
    normalized: float
    normalized_low: float
    normalized_high: float
    superiority: float
    draw_ratio: float
    pairs_ratio: float


def crosstable(records: Sequence[GameRecord]) -> dict[tuple[str, str], Meeting]:
    """Every player against every other one it met, in both orders.

    Raises
    ------
    ValueError
        If a pair has more than two games, or two with the same seats, or a player met itself.
    """
    units = _pairs(records)
    south: defaultdict[tuple[str, str], Score] = defaultdict(Score)
    for record in records:
        south[record.south, record.north] += _south(record)
    sizes: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    for (_, first, second), games in units.items():
        sizes[first, second][len(games)] += 1
        sizes[second, first][len(games)] += 1
    return {
        (player, other): Meeting(
            south.get((player, other), Score()), south.get((other, player), Score()).reversed, count[2], count[1]
        )
        for (player, other), count in sorted(sizes.items())
    }


def by_seat(records: Sequence[GameRecord]) -> list[SeatScore]:
    """South and North apart: all players together first, then each by name."""
    south: defaultdict[str, Score] = defaultdict(Score)
    north: defaultdict[str, Score] = defaultdict(Score)
    total = Score()
    for record in records:
        score = _south(record)
        total += score
        south[record.south] += score
        north[record.north] += score.reversed
    rows = [SeatScore(player, south[player], north[player]) for player in _players(records)]
    return [SeatScore(None, total, total.reversed), *rows]


def by_opening(records: Sequence[GameRecord]) -> list[OpeningScore]:
    """What came of each opening, in the order of their first game.

    Raises
    ------
    ValueError
        As ``crosstable``.
    """
    south: dict[tuple[str, str], Score] = {}
    for record in records:
        key = record.rules, record.opening
        south[key] = south.get(key, Score()) + _south(record)
    pairs: Counter[tuple[str, str]] = Counter()
    same: Counter[tuple[str, str]] = Counter()
    for games in _pairs(records).values():
        if len(games) == 2:
            key = games[0].rules, games[0].opening
            pairs[key] += 1
            same[key] += games[0].winner is not None and games[0].winner == games[1].winner
    return [OpeningScore(key[1], key[0], score, pairs[key], same[key]) for key, score in south.items()]


def ratings(
    records: Sequence[GameRecord],
    *,
    anchor: str | None = None,
    anchor_rating: float = 0.0,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
    prior: float = PRIOR,
) -> list[Rating]:
    """Rate all players at once by the model of Bradley and Terry, the strongest first.

    The chance of ``i`` against ``j`` is ``1 / (1 + 10 ** ((r_j - r_i) / 400))``; the ratings maximise the likelihood of
    all games, a draw counting as half a win of each. They do not depend on the order of the games. Solved by iterated
    Luce spectral ranking (Maystre and Grossglauser, "Fast and Accurate Inference of Plackett-Luce Models", NeurIPS
    2015; the package choix).

    The prior is ``prior * (players - 1)`` imaginary draws, shared evenly by the pairings that met. It keeps the rating
    of a player who won everything finite, and with 1 takes away most of the bias of maximum likelihood: for two players
    it is the half win and half loss of Firth ("Bias reduction of maximum likelihood estimates", Biometrika 80, 1993).

    The intervals are those between the percentiles of a bootstrap over pairs, stratified by pairing: each resample
    draws, for each pairing, as many pairs as it has. Two things keep it from being too short where games say little.
    A pairing is drawn from its pairs and two imaginary ones, distributed as independent decisive games between players
    of the ratings found; without them a pairing of one pair would seem certain. And where one group of players won all
    its N pairs against the rest, each resample draws u, uniform in 0..1. Where u is below 1/2 it takes the share
    ``1 - u ** (1 / N)`` of these points away: the confidence distribution of a chance with which N trials of N
    succeeded, so that the nearer end of the interval is that of Clopper and Pearson (Biometrika 26, 1934). Where u is
    above 1/2 it takes nothing away, and leaves only the share ``2 (1 - u)`` of what the prior gives the rest against
    that group. So the farther end lies beyond the rating, where 1/20 of the prior is left for 95 %, and rests on the
    prior alone: the truth may lie anywhere beyond. Such ends are marked (``low_from_prior``, ``high_from_prior``).

    Parameters
    ----------
    records : sequence of GameRecord
    anchor : str, optional
        The player whose rating is given, without error. By default it is the mean of all players, so that the errors
        are those of the distance from the mean.
    anchor_rating : float
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
        everything against the rest; for an unknown anchor, an impossible setting, or pairs as in ``crosstable``.
    """
    players = _players(records)
    if anchor is not None and anchor not in players:
        raise ValueError(f"anchor {anchor!r} did not play; players are {', '.join(players) or 'none'}")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, not be {confidence}")
    if resamples < 0 or not 0.0 <= prior < math.inf:
        raise ValueError(f"resamples and prior cannot be negative or infinite, as {resamples} and {prior}")
    if not players:
        return []
    units = _Units.of(records, players)
    groups = _groups(units.games > 0)
    if len(groups) > 1:
        names = "; ".join(", ".join(players[i] for i in group) for group in groups)
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
        level = logits.mean(axis=-1) if anchor is None else logits[..., players.index(anchor)]
        return anchor_rating + ELO * (logits - level[..., None])

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
        ends = np.quantile(place(fits), [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0], axis=0)
        # A few resamples may lie on one side of the rating.
        ends = np.array([np.minimum(ends[0], place(found)), np.maximum(ends[1], place(found))])

    # Only players who took points off another, directly or through others, bound how far the other is above them.
    unbounded = ~_reached(units.wins > 0)
    others = list(range(len(players))) if anchor is None else [players.index(anchor)]
    low_open = [bool(unbounded[i, others].any()) for i in range(len(players))]
    high_open = [bool(unbounded[others, i].any()) for i in range(len(players))]
    elo = place(found)
    totals = {row.player: row.south + row.north for row in by_seat(records)}
    faults = Counter(_faulty(record) for record in records)
    lines = []
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
            )
        )
    return sorted(lines, key=lambda line: (-line.rating, line.player))


def pentanomial(records: Sequence[GameRecord], first: str, second: str) -> npt.NDArray[np.int64]:
    """int64[5]: the complete pairs of two players in which the first one made 0, 1/2, 1, 3/2 and 2 points.

    Games of other players and pairs of which one game is missing are left out.
    """
    return np.bincount([round(2 * points) for points in pair_points(records, first, second)], minlength=5)


def pair_points(records: Sequence[GameRecord], first: str, second: str) -> list[float]:
    """The points of ``first`` in each complete pair with ``second``, by pair number: what ``Sprt.stops_at`` takes.

    Raises
    ------
    ValueError
        As ``crosstable``.
    """
    between = [record for record in records if {record.south, record.north} == {first, second}]
    units = _pairs(between)
    return [
        sum(_points_of(record, first) for record in games)
        for _, games in sorted(units.items(), key=lambda unit: unit[0][0])
        if len(games) == 2
    ]


def elo_difference(counts: npt.ArrayLike, confidence: float = 0.95) -> EloDifference:
    """The difference in strength of two players by their pairs.

    With s the mean and v the variance of the points per game of a pair, and n pairs: s and its interval, which is
    ``agents.intervals.score_interval``, go through ``elo = 400 log10(s / (1 - s))``; normalised Elo is ``(s - 1/2) /
    sqrt(2 v) * 800 / ln 10``, with the normal interval for which v is taken as known; the likelihood of superiority is
    the normal one of s above 1/2. After M. Van den Bergh, "Normalized Elo" (2021); fishtest and fastchess report these
    figures, with the normal interval for Elo too, which is the same for many pairs.

    Normalised Elo is no measure of results alone: it grows as pairs end more alike, so that better results may lower
    it, and of a few pairs the likelihood of superiority too. Where all pairs ended alike, v is that with two imaginary
    pairs more, one won and one lost.

    Parameters
    ----------
    counts : int[5]
        As ``pentanomial`` counts them.
    confidence : float

    Raises
    ------
    ValueError
        If there is no pair, or ``counts`` are no five numbers of pairs.

    Examples
    --------
    >>> found = elo_difference([283, 1151, 2214, 1221, 281])
    >>> round(found.elo, 2), round((found.high - found.low) / 2, 2), round(found.superiority, 4)
    (2.23, 4.53, 0.834)
    """
    cells = _cells(counts)
    pairs = cells.sum()
    if not pairs:
        raise ValueError("no complete pair to take a difference from")
    lost, level, won = float(cells[:2].sum()), float(cells[2]), float(cells[3:].sum())
    score = float(cells @ POINTS) / (2 * pairs)
    low, high = score_interval(POINTS / 2, cells, confidence)
    if np.count_nonzero(cells) == 1:
        cells = cells + np.array([1.0, 0.0, 0.0, 0.0, 1.0])
    n = cells.sum()
    middle = float(cells @ POINTS) / (2 * n)
    deviation = math.sqrt(float(cells @ (POINTS / 2 - middle) ** 2) / n)
    normalized = NORMALIZED * (score - 0.5) / (math.sqrt(2.0) * deviation)
    half = NORMALIZED * NormalDist().inv_cdf((1.0 + confidence) / 2.0) / math.sqrt(2.0 * n)
    return EloDifference(
        pairs=int(pairs),
        score=score,
        elo=_elo(score),
        low=_elo(low),
        high=_elo(high),
        normalized=normalized,
        normalized_low=normalized - half,
        normalized_high=normalized + half,
        superiority=NormalDist().cdf((score - 0.5) / deviation * math.sqrt(n)),
        draw_ratio=level / float(pairs),
        pairs_ratio=won / lost if lost else math.inf if won else math.nan,
    )


@dataclass(frozen=True)
class Sprt:
    """Sequential test of two players: is the first one stronger by ``elo0`` (H0) or by ``elo1`` (H1)?

    The generalised sequential probability ratio test on the counts of pairs: the log likelihood ratio of the best
    distribution with the strength of H1 to the best one with that of H0. It ends as soon as the ratio leaves
    ``bounds``; its chances to be wrong are nominally ``alpha`` and ``beta``. Wald's bounds are an approximation, and so
    is a ratio with fitted distributions, both the better the more pairs it takes, whatever draws, openings and seats
    do. A test that ends after few pairs may be wrong more often, and one whose event ends before it decides nothing
    (measured by ``pytest -m slow -s tests/test_ratings.py``). After M. Van den
    Bergh, "Comments on Normalized Elo" and "The Generalized Sequential Probability Ratio Test for multinomial data"
    (cantate.be/Fishtest, 2019-2021), and X. Li, J. Liu and Z. Ying, "Generalized sequential probability ratio test for
    separate families of hypotheses", Sequential Analysis 33, 2014. Empty cells count 1e-3.

    Attributes
    ----------
    elo0, elo1 : float
        Elo of the first player over the second under H0 and H1.
    alpha, beta : float
        The nominal chance to accept H1 where H0 holds, and H0 where H1 holds.
    model : {"logistic", "normalized"}
        What the Elo are: logistic fixes the mean score, normalised Elo the distance of the mean from 1/2 in standard
        deviations of a game. The second takes about as many pairs whatever the share of draws.

    Raises
    ------
    ValueError
        For settings that make no test.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: Literal["logistic", "normalized"] = "logistic"

    def __post_init__(self) -> None:
        if not -math.inf < self.elo0 < self.elo1 < math.inf:
            raise ValueError(f"elo0 must be below elo1, not {self.elo0} and {self.elo1}")
        if not (self.alpha > 0.0 and self.beta > 0.0 and self.alpha + self.beta < 1.0):
            raise ValueError(f"alpha and beta must be above 0 and below 1 together, not {self.alpha} and {self.beta}")
        if self.model not in MODELS:
            raise ValueError(f"model must be {' or '.join(map(repr, MODELS))}, not {self.model!r}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log likelihood ratios at which H0 and H1 are accepted: ln(b / (1 - a)) and ln((1 - b) / a) (Wald)."""
        return math.log(self.beta / (1.0 - self.alpha)), math.log((1.0 - self.beta) / self.alpha)

    def llr(self, counts: npt.ArrayLike) -> float:
        """Log likelihood ratio of H1 to H0; 0 without pairs.

        Parameters
        ----------
        counts : int[5]
            As ``pentanomial`` counts them.
        """
        cells = _cells(counts)
        if not cells.any():
            return 0.0
        cells = np.where(cells == 0.0, EMPTY, cells)
        shares = cells / cells.sum()
        fit = self._with_mean if self.model == "logistic" else self._with_ratio
        return float(cells @ np.log(fit(shares, self.elo1) / fit(shares, self.elo0)))

    def status(self, counts: npt.ArrayLike) -> Decision | None:
        """The hypothesis that is accepted; None: play on."""
        llr = self.llr(counts)
        low, high = self.bounds
        return "H0" if llr <= low else "H1" if llr >= high else None

    def stops_at(self, results: Sequence[float]) -> int | None:
        """The index of the first pair after which the test ends, or None: it goes on.

        Pairs count in the order of the schedule, not in that in which they happened to finish: a run that was resumed,
        or played on more processors, then ends at the same pair and with the same table.

        Parameters
        ----------
        results : sequence of float
            Points of the first player in each pair: 0, 1/2, 1, 3/2 or 2 (``pair_points``).

        Raises
        ------
        ValueError
            For other points.
        """
        counts = np.zeros(5)
        for index, points in enumerate(results):
            if points not in POINTS:
                raise ValueError(f"a pair ends with 0, 0.5, 1, 1.5 or 2 points, not with {points} (pair {index})")
            counts[round(2 * points)] += 1.0
            if self.status(counts) is not None:
                return index
        return None

    @staticmethod
    def _with_mean(shares: Floats, elo: float) -> Floats:
        return _constrained(shares, POINTS / 2 - 1.0 / (1.0 + 10.0 ** (-elo / 400.0)))

    @staticmethod
    def _with_ratio(shares: Floats, elo: float) -> Floats:
        """The best distribution of which (mean - 1/2) / deviation is that of ``elo``.

        With a the scores less 1/2, m and q the means of a and a^2, and k = ratio^2 / (1 + ratio^2), the constraint is
        |m| = sqrt(k q), which is the least value of (d + k q / d) / 2 over d > 0, found at d = |m|. For a given d that
        is a constraint on a mean; d follows from its solution, until it stays.
        """
        from scipy.optimize import minimize_scalar

        ratio = math.sqrt(2.0) * elo / NORMALIZED  # a pair's score has half the variance of a game's
        scores = POINTS / 2 - 0.5
        k, side = ratio**2 / (1.0 + ratio**2), math.copysign(1.0, ratio)
        if k < 1e-18:  # the constraint on the ratio is one on the mean
            return _constrained(shares, scores)

        def best(d: float) -> Floats:
            return _constrained(shares, scores - side * (d + k * scores**2 / d) / 2.0)

        # Outside these the constraint for d has no solution.
        least, most = 0.5 - 0.5 * math.sqrt(1.0 - k), 0.5 + 0.5 * math.sqrt(1.0 - k)
        least, most = least + 1e-4 * (most - least), most - 1e-4 * (most - least)
        d = math.sqrt(k * float(shares @ scores**2))
        for _ in range(100):
            d = min(most, max(least, d))
            found = best(d)
            last, d = d, math.sqrt(k * float(found @ scores**2))
            if abs(d - last) < 1e-10 * last:
                return found
        # Far from all that was seen: the best d of all where the strength is below that of the hypothesis, which leaves
        # a choice; else the worst, as all of the constraints bind.
        sign = -1.0 if side * float(shares @ scores) < math.sqrt(k * float(shares @ scores**2)) else 1.0

        def loss(d: float) -> float:
            return sign * float(shares @ np.log(best(d)))

        grid = np.geomspace(least, most, 64)
        middle = min(max(int(np.argmin([loss(float(d)) for d in grid])), 1), 62)
        return best(float(minimize_scalar(loss, bounds=(grid[middle - 1], grid[middle + 1]), method="bounded").x))


def diagnose(records: Sequence[GameRecord]) -> list[str]:
    """What to mistrust in an event, a sentence each with its figures and a remedy; nothing for a healthy one.

    All in points per game, and by complete pairs where pairs matter:

    - Players of different groups never met: there is no common scale.
    - Faults: any at all, since a game lost by a fault says nothing about play.
    - A player won or lost everything: its rating has only one end.
    - A pairing repeats itself: at most half of its games are different ones. Repeats are no evidence, and from there on
      its error is at least sqrt(2) times what the pairs say.
    - The seat: South's score is ``SURE`` standard errors off 1/2, and by more than the standard deviation of the
      players' scores (their variance less that of their errors).
    - The openings: the covariance of South's points in the two games of a pair, within pairings, is the variance that
      the openings give to a game, as the intraclass covariance of a one-way analysis of variance; it is ``SURE``
      standard errors above 0 and exceeds the variance that strengths give to the pairings' scores.
    - Too few pairs: more than half of the variance of the players' scores is that of their errors, so that their
      reliability, the squared correlation of true and shown scores, is below 1/2. The remedy aims at 0.8.

    Raises
    ------
    ValueError
        As ``crosstable``.
    """
    if not records:
        return []
    units = _pairs(records)
    return [
        *_unconnected(records),
        *_faults(records),
        *_one_sided(records),
        *_repeated(records),
        *_seat_decides(units),
        *_openings_decide(units),
        *_too_few(units),
    ]


def _unconnected(records: Sequence[GameRecord]) -> Iterator[str]:
    players = _players(records)
    met = np.zeros((len(players), len(players)), dtype=bool)
    for record in records:
        south, north = players.index(record.south), players.index(record.north)
        met[south, north] = met[north, south] = True
    groups = _groups(met)
    if len(groups) > 1:
        names = "; ".join(", ".join(players[i] for i in group) for group in groups)
        yield f"{len(groups)} groups of players never met ({names}), so no ratings compare them: let some of them meet."


def _faults(records: Sequence[GameRecord]) -> Iterator[str]:
    games = Counter(player for record in records for player in (record.south, record.north))
    reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        if (player := _faulty(record)) is not None:
            reasons[player][record.reason] += 1
    for player, count in sorted(reasons.items()):
        why = "; ".join(f"{number} x {FAULTS.get(reason, reason)}" for reason, number in count.most_common())
        yield (
            f"{player} lost {count.total()} of {games[player]} games by faults ({why}): "
            "these say nothing about its play, so mend it and play them again."
        )


def _one_sided(records: Sequence[GameRecord]) -> Iterator[str]:
    for row in by_seat(records)[1:]:
        total = row.south + row.north
        for what, count, other in (("won", total.wins, "stronger"), ("lost", total.losses, "weaker")):
            if count == total.games:
                yield (
                    f"{row.player} {what} all of its {total.games} games, so that only the prior bounds its rating "
                    f"from {'above' if what == 'won' else 'below'}: add a {other} opponent."
                )


def _repeated(records: Sequence[GameRecord]) -> Iterator[str]:
    games: defaultdict[tuple[str, ...], list[tuple[object, ...]]] = defaultdict(list)
    for record in records:
        key = tuple(sorted((record.south, record.north)))
        games[key].append((record.south, record.rules, record.opening, record.actions))
    for (first, second), played in sorted(games.items()):
        different = len(set(played))
        if len(played) > 2 and different <= len(played) / 2:
            yield (
                f"{first} and {second} played {len(played)} games but only {different} different ones: "
                "repeats are no evidence, so give them more openings, or something to choose at random."
            )


def _seat_decides(units: _Pairs) -> Iterator[str]:
    south = np.array([sum(_south(game).points for game in games) / 2 for games in units.values() if len(games) == 2])
    if len(south) < 2:
        return
    spread = math.sqrt(_spread(units)[0])
    # Two imaginary pairs, one for each seat: pairs that all ended alike are not certain.
    error = float(np.append(south, (0.0, 1.0)).std(ddof=1)) / math.sqrt(len(south) + 2)
    edge = abs(float(south.mean()) - 0.5)
    if edge > SURE * error and edge > spread:
        yield (
            f"South scores {south.mean():.1%} over {len(south)} pairs, further from 50 % than the players' strengths "
            f"spread their scores ({spread:.1%}): the seat decides more than the players, so choose openings that are "
            "more balanced and compare whole pairs only."
        )


def _openings_decide(units: _Pairs) -> Iterator[str]:
    products, strengths, weights, same = [], [], [], []
    for games in _complete(units).values():
        south = np.array(games)  # [pairs, 2]: South's points where the first player sat there, and where the other did
        same += [pair in ([1.0, 1.0], [0.0, 0.0]) for pair in south.tolist()]
        if len(south) < 2:
            continue
        centred = south - south.mean(axis=0)
        products.append(centred.prod(axis=1))
        scores = (south[:, 0] + 1.0 - south[:, 1]) / 2.0
        strengths.append((scores.mean() - 0.5) ** 2 - scores.var(ddof=1) / len(scores))
        weights.append(len(scores))
    free = sum(weights) - len(weights)
    if not free:
        return
    together = np.concatenate(products)
    openings = float(together.sum()) / free
    error = float(np.sqrt((together**2).sum())) / free
    strength = max(0.0, float(np.average(strengths, weights=weights)))
    if openings > SURE * error and openings > strength:
        yield (
            f"The same seat won both games in {np.mean(same):.1%} of {len(same)} pairs; openings move the points of a "
            f"game by {math.sqrt(openings):.1%} (standard deviation), strengths by {math.sqrt(strength):.1%}: the "
            "opening decides more than the players, so choose openings that are more balanced."
        )


def _too_few(units: _Pairs) -> Iterator[str]:
    true, error = _spread(units)
    if error <= true:
        return
    pairs = sum(len(games) == 2 for games in units.values())
    # Reliability t / (t + e) = 0.8 asks for e = t / 4.
    remedy = f"about {4.0 * error / true:.0f} times as many would" if true else "many more might"
    yield (
        f"The scores of the players would differ by {math.sqrt(error):.1%} by chance alone, strengths account for "
        f"{math.sqrt(true):.1%} (standard deviations): {pairs} pairs are too few to rank them, {remedy}."
    )


def _pairs(records: Sequence[GameRecord]) -> _Pairs:
    """The games of each pair, by its number and its players in alphabetical order."""
    pairs: _Pairs = {}
    for record in records:
        first, second = sorted((record.south, record.north))
        if first == second:
            raise ValueError(f"game {record.number}: {first} met itself, which no rating can use")
        games = pairs.setdefault((record.pair, first, second), [])
        if len(games) == 2 or any(game.south == record.south for game in games):
            others = ", ".join(str(game.number) for game in games)
            raise ValueError(
                f"pair {record.pair} of {first} and {second}: game {record.number} does not fit to {others}; "
                "a pair is two games with the seats swapped"
            )
        games.append(record)
    return pairs


def _complete(units: _Pairs) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """South's points in the games of each complete pair by pairing, the one with the first player as South first."""
    found: defaultdict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for (_, first, second), games in units.items():
        if len(games) == 2:
            one, other = sorted(games, key=lambda game: game.south != first)
            found[first, second].append((one.points[0], other.points[0]))
    return found


def _players(records: Sequence[GameRecord]) -> list[str]:
    return sorted({player for record in records for player in (record.south, record.north)})


def _south(record: GameRecord) -> Score:
    return Score(int(record.winner == 0), int(record.winner is None), int(record.winner == 1))


def _points_of(record: GameRecord, player: str) -> float:
    return record.points[0 if record.south == player else 1]


def _faulty(record: GameRecord) -> str | None:
    return None if record.fault is None else (record.south, record.north)[record.fault]


def _elo(score: float) -> float:
    """The difference at which so many points per game are expected."""
    return math.inf if score >= 1.0 else -math.inf if score <= 0.0 else ELO * math.log(score / (1.0 - score))


def _cells(counts: npt.ArrayLike) -> Floats:
    """float64[5], checked."""
    cells = np.asarray(counts, dtype=np.float64)
    if cells.shape != (5,) or not np.isfinite(cells).all() or (cells < 0.0).any():
        raise ValueError(f"counts must be the five numbers of pairs with 0, 1/2, 1, 3/2 and 2 points, not {counts!r}")
    return cells


def _constrained(shares: Floats, values: Floats) -> Floats:
    """The likeliest distribution under which ``values`` have mean 0, where ``shares`` were seen.

    It is ``shares / (1 + x * values)`` with the Lagrange multiplier x that makes the mean vanish, which falls in x
    between the two poles where a probability would be infinite (A. Owen, "Empirical Likelihood", 2001, section 2.9).
    """
    from scipy.optimize import brentq

    least, most = float(values.min()), float(values.max())
    if not least < 0.0 < most:
        raise ArithmeticError(f"no distribution over {values.tolist()} has mean 0")
    mean: Callable[[float], float] = lambda x: float((shares * values / (1.0 + x * values)).sum())  # noqa: E731
    margin = 1e-13 * (1.0 / most - 1.0 / least)
    x = brentq(mean, -1.0 / most + margin, -1.0 / least - margin, xtol=1e-15, rtol=1e-14, maxiter=500)
    found: Floats = shares / (1.0 + x * values)
    return found


def _reached(edges: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """bool[n, n]: whether one can go along edges from the first to the second, or stay."""
    reach = edges | np.eye(len(edges), dtype=bool)
    for _ in range(len(edges).bit_length()):
        reach = reach @ reach
    return reach


def _groups(met: npt.NDArray[np.bool_]) -> list[list[int]]:
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
    # Who reaches more cannot be reached by who reaches less.
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
        for (_, first, second), games in _pairs(records).items():
            i, j = index[first], index[second]
            points = sum(_points_of(game, first) for game in games)
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


def _spread(units: _Pairs) -> tuple[float, float]:
    """Variance of the players' scores that their strengths explain, and that of their errors.

    The errors are those of the pairs about the mean of their pairing; a pairing of one pair counts as two independent
    decisive games, the most that the pair's variance can be expected to be.
    """
    points: defaultdict[str, list[float]] = defaultdict(list)
    errors: defaultdict[str, float] = defaultdict(float)
    for (first, second), games in _complete(units).items():
        scores = np.array([(mine + 1.0 - theirs) / 2.0 for mine, theirs in games])
        variance = float(scores.var(ddof=1)) if len(scores) > 1 else 0.125
        for player in (first, second):
            errors[player] += variance * len(scores)
        points[first] += scores.tolist()
        points[second] += (1.0 - scores).tolist()
    if not points:
        return 0.0, 0.0
    means = np.array([np.mean(scores) for scores in points.values()])
    error = float(np.mean([errors[player] / len(scores) ** 2 for player, scores in points.items()]))
    return max(0.0, float(means.var()) - error), error
