"""Warnings about an event: faults, repeats, one-sided scores, seats or openings that decide, too few games."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from agents.tournament.ratings import groups
from agents.tournament.record import reason_meaning
from agents.tournament.standings import by_seat
from agents.tournament.summary import Counts, Games, Summary

SURE = 3.0  # standard errors from which ``diagnose`` warns: reached by chance in about one event of 400
_POINTS = np.array([0.0, 0.5, 1.0])  # South's, by half points


def diagnose(games: Games) -> list[str]:
    """Reasons to mistrust an event, a sentence each with its figures and a remedy; an empty list if there are none.

    Figures are points per game, and of complete pairs where pairs matter:

    - Players of different groups never met: there is no common scale.
    - Faults: any at all; all other warnings leave games out that were lost by one.
    - A player won or lost everything: its rating has only one end.
    - A pairing repeats itself: at most half of its games are different ones, and repeats are no evidence.
    - The seat: South's score is ``SURE`` standard errors off 1/2, and by more than the standard deviation of the
      players' scores (their variance less that of their errors).
    - The openings: the covariance of South's points in the two games of a pair, within pairings, is ``SURE`` standard
      errors above 0 and exceeds the variance that strengths give to the pairings' scores.
    - Too few pairs: more than half of the variance of the players' scores is that of their errors. The remedy aims at a
      reliability (squared correlation of true and shown scores) of 0.8.
    """
    summary = Summary.of(games)
    if not summary.games:
        return []
    pairs: Pairs = defaultdict(lambda: np.zeros((3, 3), np.int64))
    for (_, first, second), counts in summary.played.pairs.items():
        pairs[first, second] += counts
    of_games = (_unconnected, _faults, _one_sided, _repeated)
    of_pairs = (_seat_decides, _openings_decide, _too_few)
    found = [line for find in of_games for line in find(summary)]
    return [*found, *(line for find in of_pairs for line in find(pairs))]


Pairs = defaultdict[tuple[str, str], Counts]  # as in ``Results``, over all rulesets


def _unconnected(summary: Summary) -> Iterator[str]:
    players = summary.players
    met = np.zeros((len(players), len(players)), dtype=bool)
    for _, south_name, north_name in summary.played.souths():
        south, north = players.index(south_name), players.index(north_name)
        met[south, north] = met[north, south] = True
    apart = groups(met)
    if len(apart) > 1:
        names = "; ".join(", ".join(players[i] for i in group) for group in apart)
        yield f"{len(apart)} groups of players never met ({names}), so no ratings compare them: let some of them meet."


def _faults(summary: Summary) -> Iterator[str]:
    games: Counter[str] = Counter()
    for (_, *names), counts in summary.results.souths().items():
        for player in names:
            games[player] += int(counts.sum())
    reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (_, player, reason), count in summary.faults.items():
        reasons[player][reason] += count
    for player, lost in sorted(reasons.items()):
        why = "; ".join(f"{number} x {reason_meaning(reason)}" for reason, number in lost.most_common())
        yield (
            f"{player} lost {lost.total()} of {games[player]} games by faults ({why}): "
            "these say nothing about its play and are left out of ratings and scores, so mend it and play them again."
        )


def _one_sided(summary: Summary) -> Iterator[str]:
    for row in by_seat(summary)[1:]:
        total = row.south + row.north
        for what, count, other in (("won", total.wins, "stronger"), ("lost", total.losses, "weaker")):
            if count == total.games:
                yield (
                    f"{row.player} {what} all of its {total.games} games, so that only the prior bounds its rating "
                    f"from {'above' if what == 'won' else 'below'}: add a {other} opponent."
                )


def _repeated(summary: Summary) -> Iterator[str]:
    for (first, second), hashes in sorted(summary.different.items()):
        different = len(np.unique(np.asarray(hashes)))
        if len(hashes) > 2 and different <= len(hashes) / 2:
            yield (
                f"{first} and {second} played {len(hashes)} games but only {different} different ones: "
                "repeats are no evidence, so give them more openings, or something to choose at random."
            )


def _seat_decides(pairs: Pairs) -> Iterator[str]:
    counts = sum(pairs.values(), np.zeros((3, 3), np.int64))
    total = int(counts.sum())
    if total < 2:
        return
    south = (_POINTS[:, None] + _POINTS) / 2  # South's points per game of a pair
    mean = float((counts * south).sum()) / total
    spread = math.sqrt(_spread(pairs)[0])
    # Two imaginary pairs, one for each seat: pairs that all ended alike are not certain.
    values, weights = np.append(south, (0.0, 1.0)), np.append(counts, (1, 1))
    error = math.sqrt(float(np.cov(values, fweights=weights)) / (total + 2))
    edge = abs(mean - 0.5)
    if edge > SURE * error and edge > spread:
        yield (
            f"South scores {mean:.1%} over {total} pairs, further from 50 % than the players' strengths "
            f"spread their scores ({spread:.1%}): the seat decides more than the players, so choose openings that are "
            "more balanced and compare whole pairs only."
        )


def _openings_decide(pairs: Pairs) -> Iterator[str]:
    covariance = squares = 0.0
    strengths, weights = [], []
    for counts in pairs.values():
        total = int(counts.sum())
        if total < 2:
            continue
        one, other = counts.sum(axis=1) @ _POINTS / total, counts.sum(axis=0) @ _POINTS / total
        products = np.outer(_POINTS - one, _POINTS - other)
        covariance += float((counts * products).sum())
        squares += float((counts * products**2).sum())
        mean, variance = _scores(counts)
        strengths.append((mean - 0.5) ** 2 - variance / total)
        weights.append(total)
    free = sum(weights) - len(weights)
    if not free:
        return
    openings, error = covariance / free, math.sqrt(squares) / free
    strength = max(0.0, float(np.average(strengths, weights=weights)))
    if openings > SURE * error and openings > strength:
        number = sum(int(counts.sum()) for counts in pairs.values())
        same = sum(int(counts[0, 0] + counts[2, 2]) for counts in pairs.values()) / number
        yield (
            f"The same seat won both games in {same:.1%} of {number} pairs; openings move the points of a "
            f"game by {math.sqrt(openings):.1%} (standard deviation), strengths by {math.sqrt(strength):.1%}: the "
            "opening decides more than the players, so choose openings that are more balanced."
        )


def _scores(counts: Counts) -> tuple[float, float]:
    """Mean and variance of the first player's points per game in the pairs of two players."""
    scores = (_POINTS[:, None] + 1.0 - _POINTS) / 2
    total = int(counts.sum())
    mean = float((counts * scores).sum()) / total
    if total < 2:
        return mean, 0.125
    return mean, float((counts * (scores - mean) ** 2).sum()) / (total - 1)


def _too_few(pairs: Pairs) -> Iterator[str]:
    true, error = _spread(pairs)
    if error <= true:
        return
    number = sum(int(counts.sum()) for counts in pairs.values())
    # Reliability t / (t + e) = 0.8 asks for e = t / 4.
    remedy = f"about {4.0 * error / true:.0f} times as many would" if true else "many more might"
    yield (
        f"The scores of the players would differ by {math.sqrt(error):.1%} by chance alone, strengths account for "
        f"{math.sqrt(true):.1%} (standard deviations): {number} pairs are too few to rank them, {remedy}."
    )


def _spread(pairs: Pairs) -> tuple[float, float]:
    """Variance of the players' scores that strengths explain, and that of their errors, those of the pairs about the
    mean of their pairing; a pairing of one pair counts as two independent decisive games, the most that can be
    expected."""
    points: defaultdict[str, float] = defaultdict(float)
    errors: defaultdict[str, float] = defaultdict(float)
    played: Counter[str] = Counter()
    for (first, second), counts in pairs.items():
        number = int(counts.sum())
        mean, variance = _scores(counts)
        for player, score in ((first, mean), (second, 1.0 - mean)):
            points[player] += score * number
            errors[player] += variance * number
            played[player] += number
    if not played:
        return 0.0, 0.0
    means = np.array([points[player] / number for player, number in played.items()])
    error = float(np.mean([errors[player] / number**2 for player, number in played.items()]))
    return max(0.0, float(means.var()) - error), error
