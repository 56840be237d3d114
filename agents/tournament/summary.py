"""What all tables of an event are made of: its games, counted one by one, in memory that does not grow with them."""

import copy
from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.tournament.record import GameRecord
from agents.tournament.thinking import Thinking, count_thoughts
from mancala_env.rules import Ruleset

MOST_GAMES = 2000  # that are kept as they are, for a page that replays them
LAST = 12  # games that are kept as the last ones
_Numbers = array  # by another name in annotations, where the documentation would look for an attribute of that name
Key = tuple[str, str, str]  # ruleset, and two players in alphabetical order
Counts = npt.NDArray[np.int64]
_Pair = tuple[int, str, str, str]  # its number, and a key


@dataclass
class Results:
    """How games ended, by ruleset and players.

    Attributes
    ----------
    pairs : {(rules, first, second): int64[3, 3]}
        Complete pairs, two games with the seats swapped, by South's half points: in the game in which ``first`` was
        South, and in the one in which ``second`` was.
    single : {(rules, first, second): int64[2, 3]}
        Games without the other one of their pair, by who was South and South's half points.
    """

    pairs: defaultdict[Key, Counts] = field(default_factory=lambda: defaultdict(lambda: np.zeros((3, 3), np.int64)))
    single: defaultdict[Key, Counts] = field(default_factory=lambda: defaultdict(lambda: np.zeros((2, 3), np.int64)))

    def under(self, rules: str) -> "Results":
        """Those of one ruleset."""
        found = Results()
        for mine, theirs in ((self.pairs, found.pairs), (self.single, found.single)):
            theirs.update({key: counts for key, counts in mine.items() if key[0] == rules})
        return found

    def souths(self) -> dict[Key, Counts]:
        """int64[3] for each (rules, South, North) that played: games by South's half points."""
        found: defaultdict[Key, Counts] = defaultdict(lambda: np.zeros(3, np.int64))
        for (rules, first, second), counts in self.pairs.items():
            found[rules, first, second] += counts.sum(axis=1)
            found[rules, second, first] += counts.sum(axis=0)
        for (rules, first, second), counts in self.single.items():
            found[rules, first, second] += counts[0]
            found[rules, second, first] += counts[1]
        return {key: counts for key, counts in found.items() if counts.any()}

    @property
    def players(self) -> list[str]:
        """The names of all players, in alphabetical order."""
        return sorted({name for kept in (self.pairs, self.single) for _, *names in kept for name in names})


class _Waiting(NamedTuple):
    """A game whose pair is not complete."""

    record: GameRecord
    half_points: int


class Summary:
    """The games of an event in counts, and some of them as they are.

    Parameters
    ----------
    rulesets : mapping of str to Ruleset, optional
        To replay games whose players were timed or told something; without it ``thinking`` stays empty.
    move_time : float, optional
        Seconds for a move, if the event has such a limit.

    Attributes
    ----------
    games : int
    reasons : Counter of (rules, reason)
        How they ended.
    faults, forfeits : Counter of (rules, player, reason), Counter of (rules, player)
        Games lost by a fault, and those that the other player lost so.
    lost : list of GameRecord
        The first games that were lost by a fault, half of ``MOST_GAMES`` at most.
    lengths : dict of rules to Counter of int
        Moves of the games decided by play, as in the two below.
    openings : dict of (rules, opening) to list of int
        Games by South's half points.
    different : dict of (player, player) to array of int
        A hash of each game of two players, in alphabetical order.
    thinking : dict of player to Thinking
    last : deque of GameRecord
        The last ``LAST`` that were added.
    """

    def __init__(self, rulesets: Mapping[str, Ruleset] | None = None, move_time: float | None = None) -> None:
        self._rulesets, self._move_time = rulesets or {}, move_time
        self.games = 0
        self.reasons: Counter[tuple[str, str]] = Counter()
        self.faults: Counter[Key] = Counter()
        self.forfeits: Counter[tuple[str, str]] = Counter()
        self.lost: list[GameRecord] = []
        self.lengths: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self.openings: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        self.different: defaultdict[tuple[str, str], _Numbers[int]] = defaultdict(lambda: array("q"))
        self.thinking: defaultdict[str, Thinking] = defaultdict(Thinking)
        self.last: deque[GameRecord] = deque(maxlen=LAST)
        self._every, self._fair = Results(), Results()
        self._waiting: dict[_Pair, _Waiting] = {}
        self._complete: _Pair | None = None  # the last pair that was
        self._sample: list[tuple[GameRecord, GameRecord]] = []  # every ``_stride``-th pair
        self._stride, self._pairs = 1, 0

    @classmethod
    def of(
        cls,
        games: "Games",
        rulesets: Mapping[str, Ruleset] | None = None,
        move_time: float | None = None,
    ) -> "Summary":
        """The summary of games in any order; those of an iterator come in that of their pairs, as from a store.

        Raises
        ------
        ValueError
            As ``add``.
        """
        if isinstance(games, Summary):
            return games
        made = cls(rulesets, move_time)
        for record in sorted(games, key=_pair_of) if isinstance(games, Sequence) else games:
            made.add(record)
        return made

    def add(self, record: GameRecord) -> None:
        """Count a game.

        Raises
        ------
        ValueError
            If a player met itself, or the pair has a game with the same seats, or two games already.
        """
        key = _pair_of(record)
        *_, first, second = key
        if first == second:
            raise ValueError(f"game {record.number}: {first} met itself, which no rating can use")
        half = 1 if record.winner is None else 2 - 2 * record.winner
        waiting = self._waiting.get(key)
        if key == self._complete or (waiting is not None and waiting.record.south == record.south):
            raise ValueError(
                f"pair {record.pair} of {first} and {second}: game {record.number} does not fit to the others; "
                "a pair is two games with the seats swapped"
            )
        if waiting is None:
            self._waiting[key] = _Waiting(record, half)
        else:
            del self._waiting[key]
            self._complete = key
            self._add_pair(waiting, _Waiting(record, half), first)
        self.games += 1
        self.reasons[record.rules, record.reason] += 1
        self.last.append(record)
        if record.fault is None:
            self.lengths[record.rules][len(record.actions)] += 1
            self.openings[record.rules, record.opening][half] += 1
            self.different[first, second].append(hash((record.south, record.rules, record.opening, record.actions)))
        else:
            names = (record.south, record.north)
            self.faults[record.rules, names[record.fault], record.reason] += 1
            self.forfeits[record.rules, names[1 - record.fault]] += 1
            if len(self.lost) < MOST_GAMES // 2:
                self.lost.append(record)
        if record.rules in self._rulesets:
            count_thoughts(self.thinking, record, self._rulesets[record.rules], self._move_time)

    def _add_pair(self, one: _Waiting, other: _Waiting, first: str) -> None:
        if one.record.south != first:
            one, other = other, one
        _count_pair(self._every, one, other)
        fair = [game for game in (one, other) if game.record.fault is None]
        if len(fair) == 2:
            _count_pair(self._fair, one, other)
        elif fair:
            _count_single(self._fair, fair[0])
        if self._pairs % self._stride == 0:
            self._sample.append((one.record, other.record))
            if len(self._sample) > MOST_GAMES:
                del self._sample[1::2]
                self._stride *= 2
        self._pairs += 1

    @property
    def results(self) -> Results:
        """Of all games."""
        found = copy.deepcopy(self._every)
        for game in self._waiting.values():
            _count_single(found, game)
        return found

    @property
    def played(self) -> Results:
        """Of the games decided by play: without those lost by a fault, which tell nothing of play."""
        found = copy.deepcopy(self._fair)
        for game in self._waiting.values():
            if game.record.fault is None:
                _count_single(found, game)
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
        waiting = [game.record for game in self._waiting.values()]
        units = [*self._sample, *((record,) for record in waiting)]
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


def _count_pair(results: Results, one: _Waiting, other: _Waiting) -> None:
    """``one`` is the game in which the first of the two players was South."""
    record = one.record
    results.pairs[record.rules, record.south, record.north][one.half_points, other.half_points] += 1


def _count_single(results: Results, game: _Waiting) -> None:
    record = game.record
    swapped = record.south > record.north
    names = (record.north, record.south) if swapped else (record.south, record.north)
    results.single[record.rules, *names][int(swapped), game.half_points] += 1
