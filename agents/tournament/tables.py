"""The tables of an event for a terminal, and as plain data; with warnings: faults, repeats, seats or openings that
decide."""

import io
import math
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from agents.provenance import finite
from agents.tournament import knockout, sections
from agents.tournament.event import Event
from agents.tournament.ratings import Rating, groups, ratings, unrated
from agents.tournament.record import GameRecord, Result, reason_label, reason_meaning
from agents.tournament.run import SprtWatch
from agents.tournament.summary import ABSENT, Difference, Games, Meeting, Score, Summary, crosstable, differences
from mancala_env.rules.plain import label

SHOWN = 12  # maximum number of players of a cross-table in a terminal
SURE = 3.0  # standard errors from which ``diagnose`` warns: reached by chance in about one event of 700


@dataclass(frozen=True)
class Tables:
    """The tables of an event's games; all but ``reasons`` are of those decided by play."""

    summary: Summary
    ratings: list[Rating]  # the strongest first; by score and without ratings where games connect not all players
    ratings_by_rules: dict[str, list[Rating]]  # the same under each ruleset, where there are several
    crosstable: dict[tuple[str, str], Meeting]
    differences: list[Difference]  # every two players by their complete pairs
    south: Score  # of South against North in all games
    reasons: dict[str, int]  # how games ended, the most frequent first
    warnings: list[str]
    bracket: list[dict[str, Any]]  # the matches of a knockout (``bracket_of``)
    sprt: dict[str, Any] | None  # the state of the sequential test (``sprt_state``)

    @classmethod
    def of(cls, event: Event, games: Summary | Sequence[GameRecord], results: Iterable[Result] = ()) -> "Tables":
        """All tables of these games. ``results``: theirs, where ``games`` is a summary, for a knockout or an SPRT."""
        ends = results if isinstance(games, Summary) else games
        summary = Summary.of(games, event.rulesets, event.move_time)
        table = crosstable(summary)
        several = [rules for rules in event.rules if rules in summary.rules] if len(event.rules) > 1 else []
        reasons: Counter[str] = Counter()
        for (_, reason), count in summary.reasons.items():
            reasons[reason] += count
        return cls(
            differences=differences(summary, [player.name for player in event.players]),
            summary=summary,
            ratings=rated(summary, event.rating_origin),
            ratings_by_rules={rules: rated(summary, event.rating_origin, rules) for rules in several},
            crosstable=table,
            south=sum((meeting.south for meeting in table.values()), Score()),
            reasons=dict(reasons.most_common()),
            warnings=diagnose(summary),
            bracket=bracket_of(event, ends),
            sprt=sprt_state(event, ends),
        )

    def as_dict(self) -> dict[str, Any]:
        """All tables as plain data for JSON; unknown numbers are None."""
        plain: dict[str, Any] = finite({
            "games": self.summary.games,
            "ratings": [asdict(row) for row in self.ratings],
            "ratings_by_rules": {
                rules: [asdict(row) for row in found] for rules, found in self.ratings_by_rules.items()
            },
            "crosstable": [
                {"player": one, "against": other, **asdict(meeting), "score": meeting.total.score}
                for (one, other), meeting in self.crosstable.items()
            ],
            "differences": [
                {"player": each.player, "against": each.against, "counts": list(each.counts), **asdict(each.elo)}
                for each in self.differences
            ],
            "south": asdict(self.south),
            **{name: getattr(self, name) for name in ("reasons", "warnings", "bracket", "sprt")},
        })  # fmt: skip
        return plain


def rated(games: Games, origin: str | None, rules: str | None = None) -> list[Rating]:
    """The rating list, under one ruleset or all; players that no games decided by play connect come without ratings."""
    summary = Summary.of(games)
    lines = unrated(summary, rules)
    origin = origin if origin in {line.player for line in lines} else None
    try:
        return ratings(summary, rules=rules, rating_origin=origin)
    except ValueError:
        return sorted(lines, key=lambda line: (math.isnan(line.score), -line.score, line.player))


def settings(event: Event) -> dict[str, Any]:
    """The players of an event and its settings that differ from the defaults, for display."""
    usual = {each.name: each.default for each in fields(Event)}
    shown = {name: value for name, value in event.as_dict().items() if value != usual[name]}
    shown["players"] = {player.name: player.spec for player in event.players}
    shown["rules"] = ", ".join(map(label, event.rules))
    if event.openings:
        shown["openings"] = f"{len(event.openings):,} positions that were given"
    always = {"form": event.form, "pairs": event.pairs, "opening_plies": event.opening_plies}
    return always | shown | {"confidence": "95 %"}


def title(event: Event) -> str:
    """The title of an event."""
    return f"{', '.join(map(label, event.rules))}: {len(event.players)} players, {event.form.replace('_', ' ')}"


def render(event: Event, tables: Tables) -> str:
    """Standings and cross-table as text."""
    out = io.StringIO()
    width = max(80, shutil.get_terminal_size((110, 25)).columns)
    console = Console(file=out, width=width, highlight=False, markup=False, emoji=False)  # names are no markup

    console.print(f"{title(event)}, {tables.summary.games:,} games", soft_wrap=True)
    shown = sections.standings(tables.ratings, "" if tables.sprt is None else tables.sprt["text"])
    console.print(as_text(shown))
    for note in shown.after:
        console.print(note, soft_wrap=True)
    for rules, found in tables.ratings_by_rules.items():
        console.print(f"under {label(rules)}", soft_wrap=True)
        console.print(as_text(sections.standings(found)))
    if any(line.asked for line in tables.summary.thinking.values()):
        players = [player.name for player in event.players]
        console.print(as_text(sections.thinking(tables.summary.thinking, players, event.move_time)))
    if tables.bracket:
        console.print(as_text(sections.bracket(tables.bracket)))
    shown_players = [rating.player for rating in tables.ratings][:SHOWN]
    console.print("score of the row against the column, in percent")
    console.print(as_text(sections.crosstable(tables.crosstable, shown_players)))
    if len(tables.ratings) == 2:
        console.print(as_text(sections.differences(tables.differences)))
    if tables.south.games:
        console.print(f"South scored {100 * tables.south.score:.1f} %", soft_wrap=True)
    ends = ", ".join(
        f"{reason_label(reason)} {100 * count / tables.summary.games:.0f} %" for reason, count in tables.reasons.items()
    )
    console.print(f"games ended by {ends}")
    return out.getvalue().rstrip()


def as_text(table: sections.Table) -> RichTable:
    """A table for a terminal: without its pictures, and without what only readers of a screen hear."""
    made = RichTable(box=None, pad_edge=False, header_style="bold")
    places = [place for place, (_, kind) in enumerate(table.columns) if kind != "plot"]
    for heading, kind in (table.columns[place] for place in places):
        made.add_column(sections.seen(heading), justify="left" if kind else "right")
    for row in table.rows:
        made.add_row(*(Text(sections.seen(row[place])) for place in places))
    return made


def bracket_of(event: Event, results: Iterable[Result | GameRecord]) -> list[dict[str, Any]]:
    """The matches of a knockout, round by round, as plain data (none for other events): ``round`` (its name), ``seeds``
    (from 1), ``players`` (None: not known yet, or nobody), ``points``, ``pairs`` under each ruleset, ``winner`` (None:
    open), ``decided``, as in ``knockout.Match``, and ``remark``, which explains it."""
    if event.form != "knockout":
        return []
    return [
        {
            "round": knockout.round_name(event, match.round),
            "seeds": [None if player is None else player + 1 for player in match.players],
            "players": [None if player is None else event.players[player].name for player in match.players],
            "points": list(match.points),
            "pairs": match.pairs,
            "winner": None if match.winner is None else event.players[match.winner].name,
            "decided": match.decided,
            "remark": knockout.REMARKS.get(match.decided or "", ""),
        }
        for match in knockout.bracket(event, results)
    ]


def sprt_state(event: Event, results: Iterable[Result | GameRecord]) -> dict[str, Any] | None:
    """The event's sequential test after these games (None: it has none): ``llr``, ``bounds``, ``counts``, ``pairs``
    that decided it, ``verdict`` (None while it is open), and ``text``, all in one line."""
    if event.sprt is None:
        return None
    test, watch = event.sprt, SprtWatch(event, results)
    low, high = test.bounds
    if watch.verdict is None:
        said = "not decided"
    else:
        fits, elo = ("H1", test.elo1) if watch.verdict == "H1" else ("H0", test.elo0)
        said = f"{fits} accepted after {watch.end:,} pairs: {event.players[0].name} is nearer {elo:+g} Elo"
    rates = f"nominal error rates {test.alpha:g} and {test.beta:g}"
    ratio = f"LLR {test.llr(watch.counts):.2f}, {low:.2f} to {high:.2f}"
    return {
        "llr": test.llr(watch.counts),
        "bounds": [low, high],
        "counts": watch.counts,
        "pairs": watch.end,
        "verdict": watch.verdict,
        "text": f"SPRT {test.elo0:g} against {test.elo1:g} Elo, {rates}: {said} ({ratio})",
    }


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
