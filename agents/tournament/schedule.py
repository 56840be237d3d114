"""The schedule, who plays whom from which opening: a function of the event and, if Swiss, of earlier results."""

import heapq
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.evaluation.openings import Balance, openings_with_moves
from agents.tournament import knockout
from agents.tournament.event import OPEN, Event, fits
from agents.tournament.knockout import pairs_at_most
from agents.tournament.record import GameRecord, Result

Points = Mapping[int, float]  # by player number: the player's score in the games so far, from 0 to 1
Met = Mapping[frozenset[int], int]  # the number of games, or rounds, that two players have had with each other
Begun = tuple[str, tuple[int, ...] | None]  # an opening, and the actions that led to it where they are known


@dataclass(frozen=True)
class Pairing:
    """Two players under one ruleset, in one round; game ``first + 2 p + g`` of the schedule is game g of its pair p."""

    first: int
    round: int
    rules: str
    players: tuple[int, int]  # numbers of players; in game 0 of a pair the first of them is South, in game 1 North

    def south(self, number: int) -> int:
        """Which of the two, 0 or 1, is South in a game of the schedule."""
        return (number - self.first) % 2


class Unit(NamedTuple):
    """Games of one pairing that are played by one worker, one after the other or in one batch."""

    pairing: Pairing
    numbers: tuple[int, ...]  # games of the schedule
    begun: tuple[Begun, ...]  # how each of them begins


class Stage(NamedTuple):
    """Games that follow from the results before them: pairings, and the pairs that each takes by the stage's end."""

    pairings: tuple[Pairing, ...]
    pairs: tuple[int, ...]

    def numbers(self) -> Iterator[int]:
        """Those of its games."""
        for pairing, pairs in zip(self.pairings, self.pairs, strict=True):
            yield from range(pairing.first, pairing.first + 2 * pairs)


def stages(
    event: Event,
    results: Callable[..., Iterable[Result]] = lambda before=None: (),
    noted: Callable[[int], list[Pairing]] = lambda number: [],
) -> Iterator[Stage]:
    """The rounds of a Swiss tournament; those of a knockout, and the further pairs of its tied matches; else one.
    ``results``: of the games so far, or of those below a number. ``noted(r)``: pairings of round r that were written
    down, which stand even if results have changed."""
    if event.form == "knockout":
        yield from _knockout(event, noted, results)
        return
    for number in range(event.rounds):
        met = event.pairings()
        if event.form == "swiss":
            before = [pairing.players for pairing in noted(number) if pairing.rules == event.rules[0]]
            earlier = results(before=number * games_in(event) // event.rounds)
            met = before if len(before) == len(met) else swiss(event, number, *_standings(event, earlier))
        order = [(rules, players) for rules in event.rules for players in met]
        if event.form == OPEN:  # games keep their numbers when others join
            order = [(rules, players) for players in met for rules in event.rules]
        firsts = itertools.count(number * len(order) * 2 * event.pairs, 2 * event.pairs)
        made = tuple(Pairing(first, number, *each) for first, each in zip(firsts, order, strict=False))
        yield Stage(made, (event.pairs,) * len(made))


def _knockout(
    event: Event, noted: Callable[[int], list[Pairing]], played: Callable[[], Iterable[Result]]
) -> Iterator[Stage]:
    """The matches of each round, and further pairs of those that are tied, until the final is decided."""
    while True:
        drawn = {
            knockout.match_of(event, pairing.first): (min(pairing.players), max(pairing.players))
            for number in range(limits(event).rounds)
            for pairing in noted(number)
        }
        matches = knockout.bracket(event, played(), drawn)
        due = [match for match in matches if match.winner is None and None not in match.players]
        if not due:
            return
        made, pairs = [], []
        for match in due:
            one, other = match.players
            if match.round == due[0].round and one is not None and other is not None:
                for place, rules in enumerate(event.rules, match.number * len(event.rules)):
                    first = place * 2 * pairs_at_most(event)
                    made.append(Pairing(first, match.round, rules, (one, other)))
                    pairs.append(match.pairs)
        yield Stage(tuple(made), tuple(pairs))


def _standings(event: Event, results: Iterable[Result]) -> tuple[Points, Met]:
    numbers = {player.name: k for k, player in enumerate(event.players)}
    gained: defaultdict[int, list[float]] = defaultdict(list)
    met: Counter[frozenset[int]] = Counter()
    for result in results:
        players = numbers[result.south], numbers[result.north]
        met[frozenset(players)] += 1
        for player, points in zip(players, result.points, strict=True):
            gained[player].append(points)
    return {player: sum(points) / len(points) for player, points in gained.items()}, met


def swiss(event: Event, number: int, points: Points, met: Met) -> list[tuple[int, int]]:
    """The pairings of a Swiss round, the first by lot: as few repeats as possible, then players close in the standings.
    With an odd number one rests: of those who have rested least, the lowest whose rest leaves the fewest repeats."""
    n = len(event.players)
    lot = np.random.default_rng(np.random.SeedSequence(event.seed, spawn_key=(2, number))).permutation(n).tolist()
    order = sorted(range(n), key=lambda player: (-points.get(player, 0.0), lot[player]))
    if n % 2 == 0:
        return _pair_up(tuple(order), met)
    played = [sum(count for pair, count in met.items() if player in pair) for player in range(n)]
    drafts = (
        _pair_up(tuple(player for player in order if player != resting), met)
        for resting in reversed(order)
        if played[resting] == max(played)
    )
    return min(drafts, key=lambda draft: sum(frozenset(pair) in met for pair in draft))


def _pair_up(order: tuple[int, ...], met: Met) -> list[tuple[int, int]]:
    """Pair all players: as few repeats as possible, then those who met least often, then neighbours in ``order``: a
    perfect matching of least cost (blossom algorithm: J. Edmonds, "Paths, trees, and flowers", 1965)."""
    import networkx

    n, most = len(order), sum(met.values()) + 1
    graph = networkx.Graph()
    for one in range(n):
        for other in range(one + 1, n):
            times = met.get(frozenset((order[one], order[other])), 0)
            graph.add_edge(one, other, weight=-((other - one) ** 2 + (times + (times > 0) * most) * n**3))
    matched = networkx.max_weight_matching(graph, maxcardinality=True)
    return [(order[one], order[other]) for one, other in sorted((min(pair), max(pair)) for pair in matched)]


def begun(event: Event, rules: str) -> Iterator[Begun]:
    """The openings of the pairs of games under a ruleset, the same for all pairings, as text without history, and the
    actions from the start. ValueError if the game has no such openings."""
    made = event.rulesets[rules]
    if event.openings:
        given = [text for text in event.openings if fits(made, text)]
        yield from ((given[pair % len(given)], None) for pair in range(pairs_at_most(event)))
    elif not event.opening_plies:
        yield from itertools.repeat((str(made.start()), ()), pairs_at_most(event))
    else:
        known: dict[tuple[int, ...], Begun] = {}  # many pairs of games share a few openings
        balance = Balance(event.balanced, event.balance_depth)
        for state, actions in openings_with_moves(made, event.opening_plies, pairs_at_most(event), event.seed, balance):
            if actions not in known:
                known[actions] = str(state), actions
            yield known[actions]


@lru_cache(maxsize=4)
def seeds(event: Event, pairing: Pairing) -> npt.NDArray[np.uint32]:
    """uint32[pairs, 2]: the seeds of South and North for each pair of games; the same in both of its games."""
    key = (3, event.rules.index(pairing.rules), *sorted(pairing.players), pairing.round)
    drawn = np.random.SeedSequence(event.seed, spawn_key=key).generate_state(2 * pairs_at_most(event), np.uint32)
    return drawn.reshape(-1, 2).astype(np.uint32, copy=False)


def games_in(event: Event, results: Iterable[Result | GameRecord] = ()) -> int:
    """The number of games that no SPRT ends early; of a knockout with tied matches as far as ``results`` tell."""
    if event.form == "knockout":
        return 2 * len(event.rules) * sum(match.pairs for match in knockout.bracket(event, results))
    return event.rounds * len(event.rules) * len(event.pairings()) * 2 * event.pairs


class Limits(NamedTuple):
    """How far the numbers of rounds and games can go in an event."""

    rounds: int
    span: int  # numbers of games that each pairing has, of which a knockout may leave some without a game
    numbers: int  # of games in all


def limits(event: Event) -> Limits:
    """The limits of the schedule of an event."""
    span = 2 * pairs_at_most(event)
    if event.form == "knockout":
        leaves = len(knockout.seeded(len(event.players)))
        return Limits(leaves.bit_length() - 1, span, (leaves - 1) * len(event.rules) * span)
    return Limits(event.rounds, span, games_in(event))


def units(event: Event, stage: Stage, done: Sequence[int], sizes: Sequence[int]) -> Iterator[Unit]:
    """The games of a stage that are not ``done`` (1 at the number of each), in units that alternate between the
    pairings: of at most ``sizes`` pairs, or, where that is one pair, of single games, so that little is lost."""
    portions = (
        zip(range(0, pairs, size), itertools.repeat(place))
        for place, (pairs, size) in enumerate(zip(stage.pairs, sizes, strict=True))
    )
    drawing: dict[str, Iterator[Begun]] = {}
    drawn: defaultdict[str, list[Begun]] = defaultdict(list)
    for begin, place in heapq.merge(*portions):
        pairing, end = stage.pairings[place], min(begin + sizes[place], stage.pairs[place])
        every = range(pairing.first + 2 * begin, pairing.first + 2 * end)
        missing = tuple(number for number in every if not done[number])
        if missing:
            if pairing.rules not in drawing:
                drawing[pairing.rules] = begun(event, pairing.rules)
            here = drawn[pairing.rules]
            here.extend(itertools.islice(drawing[pairing.rules], max(0, end - len(here))))
            for numbers in [missing] if sizes[place] > 1 else [(number,) for number in missing]:
                yield Unit(pairing, numbers, tuple(here[(number - pairing.first) // 2] for number in numbers))
