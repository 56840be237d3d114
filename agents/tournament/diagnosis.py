"""Warnings about an event: faults, repeats, one-sided scores, seats or openings that decide, too few games."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from agents.tournament.ratings import groups
from agents.tournament.record import FAULTS, GameRecord
from agents.tournament.standings import (
    Pairs,
    by_seat,
    complete_pairs,
    pairs_of,
    played,
    player_at_fault,
    players_of,
    south_score,
)

SURE = 3.0  # standard errors from which ``diagnose`` warns: reached by chance in about one event of 400


def diagnose(records: Sequence[GameRecord]) -> list[str]:
    """Reasons to mistrust an event, a sentence each with its figures and a remedy; an empty list if there are none.

    Figures are points per game, and of complete pairs where pairs matter:

    - Players of different groups never met: there is no common scale.
    - Faults: any at all, since a game lost by a fault says nothing about play; all other warnings leave them out.
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
    fair = played(records)  # a fault says nothing about play, so neither about who is stronger
    units = pairs_of(fair)
    return [
        *_unconnected(fair, players_of(records)),
        *_faults(records),
        *_one_sided(fair),
        *_repeated(fair),
        *_seat_decides(units),
        *_openings_decide(units),
        *_too_few(units),
    ]


def _unconnected(records: Sequence[GameRecord], players: Sequence[str]) -> Iterator[str]:
    met = np.zeros((len(players), len(players)), dtype=bool)
    for record in records:
        south, north = players.index(record.south), players.index(record.north)
        met[south, north] = met[north, south] = True
    apart = groups(met)
    if len(apart) > 1:
        names = "; ".join(", ".join(players[i] for i in group) for group in apart)
        yield f"{len(apart)} groups of players never met ({names}), so no ratings compare them: let some of them meet."


def _faults(records: Sequence[GameRecord]) -> Iterator[str]:
    games = Counter(player for record in records for player in (record.south, record.north))
    reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        if (player := player_at_fault(record)) is not None:
            reasons[player][record.reason] += 1
    for player, count in sorted(reasons.items()):
        why = "; ".join(f"{number} x {FAULTS.get(reason, reason)}" for reason, number in count.most_common())
        yield (
            f"{player} lost {count.total()} of {games[player]} games by faults ({why}): "
            "these say nothing about its play and are left out of ratings and scores, so mend it and play them again."
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
    for (first, second), games_played in sorted(games.items()):
        different = len(set(games_played))
        if len(games_played) > 2 and different <= len(games_played) / 2:
            yield (
                f"{first} and {second} played {len(games_played)} games but only {different} different ones: "
                "repeats are no evidence, so give them more openings, or something to choose at random."
            )


def _seat_decides(units: Pairs) -> Iterator[str]:
    south = np.array(
        [sum(south_score(game).points for game in games) / 2 for games in units.values() if len(games) == 2]
    )
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


def _openings_decide(units: Pairs) -> Iterator[str]:
    products, strengths, weights, same = [], [], [], []
    for games in complete_pairs(units).values():
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
    pooled = np.concatenate(products)
    openings = float(pooled.sum()) / free
    error = float(np.sqrt((pooled**2).sum())) / free
    strength = max(0.0, float(np.average(strengths, weights=weights)))
    if openings > SURE * error and openings > strength:
        yield (
            f"The same seat won both games in {np.mean(same):.1%} of {len(same)} pairs; openings move the points of a "
            f"game by {math.sqrt(openings):.1%} (standard deviation), strengths by {math.sqrt(strength):.1%}: the "
            "opening decides more than the players, so choose openings that are more balanced."
        )


def _too_few(units: Pairs) -> Iterator[str]:
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


def _spread(units: Pairs) -> tuple[float, float]:
    """Variance of the players' scores that their strengths explain, and that of their errors.

    The errors are those of the pairs about the mean of their pairing; a pairing of one pair counts as two independent
    decisive games, the most that the pair's variance can be expected to be.
    """
    points: defaultdict[str, list[float]] = defaultdict(list)
    errors: defaultdict[str, float] = defaultdict(float)
    for (first, second), games in complete_pairs(units).items():
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
