"""Warnings about an event: faults, repeats, seats or openings that decide."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from agents.tournament.ratings import groups
from agents.tournament.record import reason_meaning
from agents.tournament.summary import ABSENT, Games, Summary

SURE = 3.0  # standard errors from which ``diagnose`` warns: reached by chance in about one event of 700


def diagnose(games: Games) -> list[str]:
    """Reasons to mistrust an event, a sentence each with its figures and a remedy; an empty list if there are none.

    - Players of different groups never met: there is no common scale.
    - Faults: any at all; all other warnings leave games out that were lost by one.
    - A pairing repeats itself: at most half of its games are different ones, and repeats are no evidence.
    - The seat or the opening: the same seat won both games of a pair more often than the same player did, by more than
      ``SURE`` standard errors; between equal players in independent games both are as likely.
    """
    summary = Summary.of(games)
    return [line for find in (_unconnected, _faults, _repeated, _decided) for line in find(summary)]


def _unconnected(summary: Summary) -> Iterator[str]:
    if len(apart := groups(summary.played, summary.players)) > 1:
        names = "; ".join(apart)
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


def _repeated(summary: Summary) -> Iterator[str]:
    for (first, second), hashes in sorted(summary.different.items()):
        different = len(np.unique(np.asarray(hashes)))
        if len(hashes) > 2 and different <= len(hashes) / 2:
            yield (
                f"{first} and {second} played {len(hashes)} games but only {different} different ones: "
                "repeats are no evidence, so give them more openings, or something to choose at random."
            )


def _decided(summary: Summary) -> Iterator[str]:
    counts = sum(summary.played.cells.values(), np.zeros((4, 4), np.int64))[:ABSENT, :ABSENT]
    total, north, south = int(counts.sum()), int(counts[0, 0]), int(counts[2, 2])
    seat, player = north + south, int(counts[0, 2] + counts[2, 0])
    if seat - player > SURE * math.sqrt(seat + player):
        what = "seat" if abs(south - north) > SURE * math.sqrt(seat) else "opening"
        yield (
            f"South won both games in {south / total:.1%} of {total} pairs, North in {north / total:.1%}, the same "
            f"player in {player / total:.1%}: the {what} decides more than the players, so choose openings that are "
            "more balanced and compare whole pairs only."
        )
