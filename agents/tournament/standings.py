"""Wins, draws and losses by pairing and seat, of the games decided by play."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.evaluation.elo import EloDifference, elo_difference
from agents.tournament.summary import ABSENT, Counts, Games, Summary


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
    """One player against another, from the first one's side."""

    south: Score  # the games in which the player played South
    north: Score

    @property
    def total(self) -> Score:
        """The sum of both seats."""
        return self.south + self.north


class Difference(NamedTuple):
    """Two players by the complete pairs that they played, from the first one's side."""

    player: str
    against: str
    counts: tuple[int, ...]  # pairs in which the player scored 0, 1/2, 1, 3/2 and 2 points
    elo: EloDifference


def differences(games: Games, players: Sequence[str] | None = None) -> list[Difference]:
    """The Elo difference of every two players that played complete pairs, the one that stands first in front. Their
    order is that of ``players``, then that of the alphabet."""
    summary = Summary.of(games)
    place = {name: k for k, name in enumerate(dict.fromkeys([*(players or ()), *summary.players]))}
    found: defaultdict[tuple[str, str], Counts] = defaultdict(lambda: np.zeros(5, np.int64))
    for (_, first, second), cells in summary.played.cells.items():
        counts = pentanomial_of(cells)
        if not counts.any():
            continue
        if place[first] < place[second]:
            found[first, second] += counts
        else:
            found[second, first] += counts[::-1]
    ordered = sorted(found.items(), key=lambda item: (place[item[0][0]], place[item[0][1]]))
    return [Difference(*names, tuple(cells.tolist()), elo_difference(cells)) for names, cells in ordered]


def crosstable(games: Games, rules: str | None = None) -> dict[tuple[str, str], Meeting]:
    """Every player against every other one it met, in both orders, under one ruleset or all."""
    south: defaultdict[tuple[str, str], Score] = defaultdict(Score)
    for (_, one, other), counts in Summary.of(games).played.under(rules).souths().items():
        south[one, other] += score_of(counts)
    met = sorted({names for one, other in south for names in ((one, other), (other, one))})
    return {(one, other): Meeting(south[one, other], south[other, one].reversed) for one, other in met}


def pentanomial_of(cells: Counts) -> Counts:
    """int64[5]: pairs in which the first player scored 0, 1/2, 1, 3/2 and 2 points, from the cells of ``Results``."""
    return np.array([np.trace(cells[:ABSENT, :ABSENT], 2 - k) for k in range(5)])


def score_of(counts: Counts | Sequence[int]) -> Score:
    """The score of a side from its games by half points."""
    return Score(int(counts[2]), int(counts[1]), int(counts[0]))
