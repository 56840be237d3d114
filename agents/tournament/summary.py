"""What all tables of an event are made of: its games, counted one by one, in memory that does not grow with them; and
wins, draws and losses by pairing and seat, of the games decided by play."""

import copy
import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.evaluation.elo import EloDifference, elo_difference
from agents.tournament.record import GameRecord
from mancala_env.rules import Ruleset

MOST_GAMES = 2000  # that are kept as they are, for a page that replays them
_Numbers = array  # by another name in annotations, where the documentation would look for an attribute of that name
Key = tuple[str, str, str]  # ruleset, and two players in alphabetical order
Counts = npt.NDArray[np.int64]
ABSENT = 3  # instead of the half points of a game that is not there
_Pair = tuple[int, str, str, str]  # its number, and a key


@dataclass
class Results:
    """How games ended: for each key int64[4, 4], pairs of games by South's half points in the game with the first
    player as South, and in the other; ``ABSENT`` where a pair lacks that game."""

    cells: defaultdict[Key, Counts] = field(default_factory=lambda: defaultdict(lambda: np.zeros((4, 4), np.int64)))

    def add(self, games: Sequence[GameRecord]) -> None:
        """Count a pair of games, or one without the other one of its pair."""
        cell = [ABSENT, ABSENT]
        for game in games:
            cell[game.south > game.north] = _half_points(game)
        self.cells[_pair_of(games[0])[1:]][*cell] += 1

    def under(self, rules: str | None) -> "Results":
        """Those of one ruleset, or all."""
        return Results(defaultdict(None, {key: cells for key, cells in self.cells.items() if rules in (None, key[0])}))

    def souths(self) -> dict[Key, Counts]:
        """int64[3] for each (rules, South, North) that played: games by South's half points."""
        found: dict[Key, Counts] = {}
        for (rules, first, second), cells in self.cells.items():
            found[rules, first, second] = cells.sum(axis=1)[:ABSENT]
            found[rules, second, first] = cells.sum(axis=0)[:ABSENT]
        return {key: counts for key, counts in found.items() if counts.any()}

    @property
    def players(self) -> list[str]:
        """The names of all players, in alphabetical order."""
        return sorted({name for _, *names in self.cells for name in names})


@dataclass
class Thinking:
    """The moves of a player that were timed, or of which it told something."""

    moves: int = 0  # that were timed
    seconds: float = 0.0  # that these took together
    longest: float = 0.0
    depths: int = 0  # plies in all, and the moves whose depth was told
    deep: int = 0
    over: int = 0  # moves above the time for a move, those that lost the game by it among them
    most_over: float = 0.0  # seconds by which the worst of them was
    asked: int = 0  # games in which its answers were counted, as it is asked again after an illegal one
    illegal: int = 0  # such answers, without those that lost a game
    tokens: int = 0  # of a language model in all, and the moves for which they were told
    counted: int = 0

    def late(self, seconds: float, move_time: float | None) -> None:
        """Count an answer if it took longer than it may."""
        if move_time is not None and seconds > move_time:
            self.over += 1
            self.most_over = max(self.most_over, seconds - move_time)


class Summary:
    """The games of an event in counts, and some of them as they are. With ``rulesets`` timed games are replayed, for
    ``thinking``; ``move_time``: seconds for a move, if there is such a limit."""

    def __init__(self, rulesets: Mapping[str, Ruleset] | None = None, move_time: float | None = None) -> None:
        self._rulesets, self._move_time = rulesets or {}, move_time
        self.games = 0
        self.reasons: Counter[tuple[str, str]] = Counter()  # how games ended: by rules and reason
        self.faults: Counter[Key] = Counter()  # games lost by a fault: by rules, player and reason
        self.lost: list[GameRecord] = []  # the first games lost by a fault, half of MOST_GAMES at most
        # Of games decided by play: their results by rules and opening, in South's half points, and a hash of each game
        # of two players, in alphabetical order.
        self.openings: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        self.different: defaultdict[tuple[str, str], _Numbers[int]] = defaultdict(lambda: array("q"))
        self.thinking: defaultdict[str, Thinking] = defaultdict(Thinking)
        self._every, self._decided = Results(), Results()  # of complete pairs
        self._waiting: dict[_Pair, GameRecord] = {}  # games whose pair is not complete
        self._complete: _Pair | None = None  # the last pair that was
        self._sample: list[tuple[GameRecord, GameRecord]] = []  # every ``_stride``-th pair
        self._stride, self._pairs = 1, 0

    @classmethod
    def of(
        cls, games: "Games", rulesets: Mapping[str, Ruleset] | None = None, move_time: float | None = None
    ) -> "Summary":
        """The summary of games in any order; those of an iterator come in that of their pairs, as from a store."""
        if isinstance(games, Summary):
            return games
        made = cls(rulesets, move_time)
        for record in sorted(games, key=_pair_of) if isinstance(games, Sequence) else games:
            made.add(record)
        return made

    def add(self, record: GameRecord) -> None:
        """Count a game. ValueError if a player met itself, or the pair has this seating or two games already."""
        key = _pair_of(record)
        *_, first, second = key
        if first == second:
            raise ValueError(f"game {record.number}: {first} met itself, which no rating can use")
        waiting = self._waiting.get(key)
        if key == self._complete or (waiting is not None and waiting.south == record.south):
            raise ValueError(
                f"pair {record.pair} of {first} and {second}: game {record.number} does not fit to the others; "
                "a pair is two games with the seats swapped"
            )
        if waiting is None:
            self._waiting[key] = record
        else:
            del self._waiting[key]
            self._complete = key
            self._add_pair((waiting, record))
        self.games += 1
        self.reasons[record.rules, record.reason] += 1
        if record.fault is None:
            self.openings[record.rules, record.opening][_half_points(record)] += 1
            self.different[first, second].append(hash((record.south, record.rules, record.opening, record.actions)))
        else:
            names = (record.south, record.north)
            self.faults[record.rules, names[record.fault], record.reason] += 1
            if len(self.lost) < MOST_GAMES // 2:
                self.lost.append(record)
        if record.rules in self._rulesets:
            _count_thoughts(self.thinking, record, self._rulesets[record.rules], self._move_time)

    def _add_pair(self, pair: tuple[GameRecord, GameRecord]) -> None:
        self._every.add(pair)
        if fair := _fair(pair):
            self._decided.add(fair)
        if self._pairs % self._stride == 0:
            self._sample.append(pair)
            if len(self._sample) > MOST_GAMES:
                del self._sample[1::2]
                self._stride *= 2
        self._pairs += 1

    @property
    def results(self) -> Results:
        """Of all games."""
        found = copy.deepcopy(self._every)
        for game in self._waiting.values():
            found.add([game])
        return found

    @property
    def played(self) -> Results:
        """Of the games decided by play: without those lost by a fault, which tell nothing of play."""
        found = copy.deepcopy(self._decided)
        for game in _fair(self._waiting.values()):
            found.add([game])
        return found

    @property
    def players(self) -> list[str]:
        """The names of all players, in alphabetical order."""
        return self.results.players

    @property
    def rules(self) -> list[str]:
        """The names of all rulesets, in alphabetical order."""
        return sorted({rules for rules, _ in self.reasons})

    def chosen(self) -> list[GameRecord]:
        """At most ``MOST_GAMES`` games by number: all, or those of ``lost`` and pairs from all of the event."""
        units = [*self._sample, *((record,) for record in self._waiting.values())]
        if self.games > MOST_GAMES:
            room = (MOST_GAMES - len(self.lost)) // 2
            units = [units[k * len(units) // room] for k in range(min(room, len(units)))]
        kept = {record.number: record for unit in units for record in unit}
        if self.games > MOST_GAMES:
            kept |= {record.number: record for record in self.lost}
        return [kept[number] for number in sorted(kept)]


Games = Summary | Iterable[GameRecord]  # what tables are made of


def _pair_of(record: GameRecord) -> _Pair:
    first, second = sorted((record.south, record.north))
    return record.pair, record.rules, first, second


def _fair(games: Iterable[GameRecord]) -> list[GameRecord]:
    """Those decided by play."""
    return [game for game in games if game.fault is None]


def _half_points(record: GameRecord) -> int:
    return 1 if record.winner is None else 2 - 2 * record.winner


def _count_thoughts(
    found: defaultdict[str, Thinking], record: GameRecord, rules: Ruleset, move_time: float | None = None
) -> None:
    """Add the moves of a game to what is known of its players; nothing if it cannot be replayed. Moves that took more
    than ``move_time`` seconds are counted, and so is an answer that came too late, which is no move of the game: only
    the sum of a player's times holds it."""
    late = record.fault if record.reason == "time" else None  # the seat of an answer that came too late
    if not record.thoughts and late is None:
        return
    try:
        movers = [state.player for state in record.states(rules)[: len(record.thoughts)]]
    except ValueError:
        return
    lines = [found[name] for name in (record.south, record.north)]
    whole = [seconds or 0.0 for seconds in record.times]
    asked = set()
    for seat, thought in zip(movers, record.thoughts, strict=True):
        line = lines[seat]
        if thought.seconds is not None:
            whole[seat] -= thought.seconds
            line.moves += 1
            line.seconds += thought.seconds
            line.longest = max(line.longest, thought.seconds)
            line.late(thought.seconds, move_time)
        line.deep += thought.depth is not None
        line.depths += int(thought.depth or 0)
        if thought.illegal is not None:
            asked.add(seat)
            line.illegal += int(thought.illegal)
        line.counted += thought.tokens is not None
        line.tokens += int(thought.tokens or 0)
    for seat in asked:
        lines[seat].asked += 1
    if late is not None:
        lines[late].late(whole[late], move_time)


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
