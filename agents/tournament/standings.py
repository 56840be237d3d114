"""Wins, draws and losses by pairing, seat and opening.

Pure functions of game records: nothing is read, written or printed.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.evaluation.elo import EloDifference, elo_difference
from agents.tournament.record import GameRecord

Pairs = dict[tuple[int, str, str], list[GameRecord]]  # by number and players


@dataclass(frozen=True, slots=True)
class Score:
    """Games won, drawn and lost by one side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """The number of games."""
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
        The games in which the player played South, and North.
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
        """The sum of both seats."""
        return self.south + self.north


@dataclass(frozen=True, slots=True)
class SeatScore:
    """One player in either seat; ``player`` is None for the sum of all players."""

    player: str | None
    south: Score
    north: Score


@dataclass(frozen=True, slots=True)
class OpeningScore:
    """The results of one opening.

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
class Difference:
    """Two players by the complete pairs that they played, from the first one's side.

    Attributes
    ----------
    player, against : str
    counts : tuple of int
        Pairs in which the player scored 0, 1/2, 1, 3/2 and 2 points (``pentanomial``).
    elo : EloDifference
    """

    player: str
    against: str
    counts: tuple[int, ...]
    elo: EloDifference


def played(records: Iterable[GameRecord]) -> list[GameRecord]:
    """The games that were decided by play: without those that a player lost by a fault, which tell nothing of play."""
    return [record for record in records if record.fault is None]


def differences(records: Sequence[GameRecord], players: Sequence[str] | None = None) -> list[Difference]:
    """The Elo difference of every two players that played complete pairs, the one that stands first in front.

    Games lost by a fault, and so their pairs, are left out.

    Parameters
    ----------
    records : sequence of GameRecord
    players : sequence of str, optional
        In the order of the lines; those that are not named come last, in that of the alphabet.

    Raises
    ------
    ValueError
        As ``crosstable``.
    """
    names = dict.fromkeys([*(players or ()), *players_of(records)])
    place = {name: k for k, name in enumerate(names)}
    counts: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * 5)
    for (_, first, second), games in pairs_of(played(records)).items():
        if len(games) == 2:
            one, other = sorted((first, second), key=place.__getitem__)
            counts[one, other][round(2 * sum(points_of(game, one) for game in games))] += 1
    ordered = sorted(counts.items(), key=lambda item: (place[item[0][0]], place[item[0][1]]))
    return [Difference(one, other, tuple(cells), elo_difference(cells)) for (one, other), cells in ordered]


def crosstable(records: Sequence[GameRecord]) -> dict[tuple[str, str], Meeting]:
    """Every player against every other one it met, in both orders.

    Raises
    ------
    ValueError
        If a pair has more than two games, or two with the same seats, or a player met itself.
    """
    units = pairs_of(records)
    south: defaultdict[tuple[str, str], Score] = defaultdict(Score)
    for record in records:
        south[record.south, record.north] += south_score(record)
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


def results_between(records: Iterable[GameRecord]) -> dict[tuple[str, str], Score]:
    """The games of the first of two players against the second, for every two that met, paired or not."""
    found: defaultdict[tuple[str, str], Score] = defaultdict(Score)
    for record in records:
        score = south_score(record)
        found[record.south, record.north] += score
        found[record.north, record.south] += score.reversed
    return dict(found)


def results_from(records: Iterable[GameRecord]) -> dict[tuple[str, str], Score]:
    """South's games from each opening of each ruleset, (rules, opening), in the order of their first game."""
    found: defaultdict[tuple[str, str], Score] = defaultdict(Score)
    for record in records:
        found[record.rules, record.opening] += south_score(record)
    return dict(found)


def by_seat(records: Sequence[GameRecord]) -> list[SeatScore]:
    """The scores of South and of North: first the sum of all players, then each player by name."""
    south: defaultdict[str, Score] = defaultdict(Score)
    north: defaultdict[str, Score] = defaultdict(Score)
    total = Score()
    for record in records:
        score = south_score(record)
        total += score
        south[record.south] += score
        north[record.north] += score.reversed
    rows = [SeatScore(player, south[player], north[player]) for player in players_of(records)]
    return [SeatScore(None, total, total.reversed), *rows]


def by_opening(records: Sequence[GameRecord]) -> list[OpeningScore]:
    """The results of each opening, in the order of their first games.

    Raises
    ------
    ValueError
        As ``crosstable``.
    """
    south = results_from(records)
    pairs: Counter[tuple[str, str]] = Counter()
    same: Counter[tuple[str, str]] = Counter()
    for games in pairs_of(records).values():
        if len(games) == 2:
            key = games[0].rules, games[0].opening
            pairs[key] += 1
            same[key] += games[0].winner is not None and games[0].winner == games[1].winner
    return [OpeningScore(key[1], key[0], score, pairs[key], same[key]) for key, score in south.items()]


def pentanomial(records: Sequence[GameRecord], first: str, second: str) -> npt.NDArray[np.int64]:
    """int64[5]: the complete pairs of two players in which the first one scored 0, 1/2, 1, 3/2 and 2 points.

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
    units = pairs_of(between)
    return [
        sum(points_of(record, first) for record in games)
        for _, games in sorted(units.items(), key=lambda unit: unit[0][0])
        if len(games) == 2
    ]


def pairs_of(records: Sequence[GameRecord]) -> Pairs:
    """The games of each pair, by its number and its players in alphabetical order."""
    pairs: Pairs = {}
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


def complete_pairs(units: Pairs) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """South's points in the games of each complete pair by pairing, the one with the first player as South first."""
    found: defaultdict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for (_, first, second), games in units.items():
        if len(games) == 2:
            one, other = sorted(games, key=lambda game: game.south != first)
            found[first, second].append((one.points[0], other.points[0]))
    return found


def players_of(records: Sequence[GameRecord]) -> list[str]:
    """The names of all players, in alphabetical order."""
    return sorted({player for record in records for player in (record.south, record.north)})


def south_score(record: GameRecord) -> Score:
    """The result of one game for South."""
    return Score(int(record.winner == 0), int(record.winner is None), int(record.winner == 1))


def points_of(record: GameRecord, player: str) -> float:
    """The points of a player in a game: 1, 1/2 or 0."""
    return record.points[0 if record.south == player else 1]


def player_at_fault(record: GameRecord) -> str | None:
    """The player who lost the game by a fault; None if nobody did."""
    return None if record.fault is None else (record.south, record.north)[record.fault]
