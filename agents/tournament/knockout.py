"""Knockout: a seeded bracket of matches, a function of the event and its results, until one player is left. Seeds are
in the event's order of players; the best have a bye where their number is no power of two."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agents.tournament.event import Event
from agents.tournament.record import GameRecord, Result

FURTHER_PAIRS = 4  # under each ruleset, one at a time, while a match is tied; after them the better seed goes on

Decision = Literal["points", "further pairs", "seed", "bye"]
Gained = tuple[int, dict[int, float]]  # the place of a game's pair in its match, and the points of both players
REMARKS = {"further pairs": "by further pairs", "seed": "tied: the better seed"}  # on what points do not explain


@dataclass(frozen=True)
class Match:
    """A match of the bracket."""

    number: int  # its place among all matches of the bracket, round by round, byes included
    round: int  # from 0
    players: tuple[int | None, int | None]  # the better seed first; None: not known yet, or, in a bye, nobody
    points: tuple[float, float] = (0.0, 0.0)  # in the games that count; a game lost by a fault is a lost game
    pairs: int = 0  # of games under each ruleset that it takes, as far as is known
    winner: int | None = None
    decided: Decision | None = None  # by what


def pairs_at_most(event: Event) -> int:
    """The pairs of games for which a pairing has numbers: those of the event, and in a knockout further ones."""
    return event.pairs + FURTHER_PAIRS * (event.form == "knockout")


def match_of(event: Event, game: int) -> int:
    """The number of the match that a game of the schedule belongs to."""
    return game // (2 * pairs_at_most(event) * len(event.rules))


def seeded(players: int) -> list[int | None]:
    """The players from the top of the bracket to its bottom, so that seeds meet as late as they can; None: a bye."""
    order = [0]
    while len(order) < players:
        # Before each round the sum of the seeds of every match is the same.
        order = [seed for better in order for seed in (better, 2 * len(order) - 1 - better)]
    return [seed if seed < players else None for seed in order]


def bracket(
    event: Event, results: Iterable[Result | GameRecord], drawn: Mapping[int, tuple[int, int]] | None = None
) -> list[Match]:
    """All matches, round by round, as the games so far leave them. ``drawn``: the players of matches that were begun:
    these stand, as do those with games, even if an earlier game has been played again since."""
    numbers = {player.name: k for k, player in enumerate(event.players)}
    gained: defaultdict[int, list[Gained]] = defaultdict(list)
    stands = dict(drawn or {})
    for result in results:
        number = match_of(event, result.number)
        players = numbers[result.south], numbers[result.north]
        stands[number] = min(players), max(players)
        place = (result.number // 2) % pairs_at_most(event)
        gained[number].append((place, dict(zip(players, result.points, strict=True))))

    matches: list[Match] = []
    entering = seeded(len(event.players))
    round_ = before = 0
    while len(entering) > 1:
        for one, other in zip(entering[::2], entering[1::2], strict=True):
            number = len(matches)
            if round_ == 0 and None in (one, other):
                alone = one if other is None else other
                matches.append(Match(number, round_, (alone, None), winner=alone, decided="bye"))
                continue
            due = (one, other) if one is None or other is None else (min(one, other), max(one, other))
            matches.append(_played(event, number, round_, stands.get(number, due), gained[number]))
        entering = [match.winner for match in matches[before:]]
        round_, before = round_ + 1, len(matches)
    return matches


def _played(
    event: Event, number: int, round_: int, players: tuple[int | None, int | None], games: Sequence[Gained]
) -> Match:
    """A match after its games so far."""
    one, other = players
    if one is None or other is None:
        return Match(number, round_, players, pairs=event.pairs)
    for pairs in range(event.pairs, pairs_at_most(event) + 1):
        here = [points for place, points in games if place < pairs]
        mine, theirs = (sum((points.get(player, 0.0) for points in here), 0.0) for player in (one, other))
        if len(here) < 2 * pairs * len(event.rules):
            return Match(number, round_, players, (mine, theirs), pairs)
        if mine != theirs:
            decided: Decision = "points" if pairs == event.pairs else "further pairs"
            return Match(number, round_, players, (mine, theirs), pairs, one if mine > theirs else other, decided)
    return Match(number, round_, players, (mine, theirs), pairs_at_most(event), one, "seed")


def round_name(event: Event, round_: int) -> str:
    """What a round is called: ``final``, ``semi-finals``, ``quarter-finals``, ``round of 16``, ..."""
    size = len(seeded(len(event.players))) >> round_
    return {2: "final", 4: "semi-finals", 8: "quarter-finals"}.get(size, f"round of {size}")
