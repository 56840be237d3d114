"""The tables of an event for a terminal, and as plain data."""

import io
import math
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from rich.console import Console, Group
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from agents.evaluation.elo import EloDifference
from agents.tournament import knockout
from agents.tournament.diagnosis import diagnose
from agents.tournament.event import Event
from agents.tournament.ratings import RESAMPLES, Rating, ratings, unrated
from agents.tournament.record import GameRecord, Result, reason_label
from agents.tournament.run import Progress, SprtWatch, counted
from agents.tournament.standings import Difference, Meeting, SeatScore, by_seat, crosstable, differences
from agents.tournament.store import Store
from agents.tournament.summary import Games, Summary
from mancala_env.cli import printable
from mancala_env.rules.plain import label

FROM_PRIOR = "*"  # marks the end of an interval
SHOWN = 12  # maximum number of players of a cross-table in a terminal


@dataclass(frozen=True)
class Tables:
    """The tables of an event's games.

    Attributes
    ----------
    games : int
    ratings : list of Rating
        The strongest first; where not all players are connected by games, in the order of their scores and without
        ratings (nan).
    ratings_by_rules : dict of ruleset to list of Rating
        The same under each ruleset, where there are several.
    crosstable : dict of (player, other) to Meeting
        Of the games decided by play, as are the tables below but for ``reasons``.
    differences : list of Difference
        Every two players by their complete pairs.
    seats : list of SeatScore
    reasons : dict of str to int
        How games ended, the most frequent first.
    pairs : list of int
        For two players: the numbers of pairs in which the first scored 0, 1/2, 1, 3/2 and 2 points.
    difference : EloDifference or None
        For two players, from the first one's side.
    warnings : list of str
    bracket : list of dict
        The matches of a knockout (``bracket_of``).
    sprt : dict or None
        The state of the event's sequential test: ``llr``, ``bounds``, ``counts``, ``pairs`` that decided it and
        ``verdict`` (None while it is open), and ``text``, all in one line.
    answers : list of dict
        Of players that are asked again after an illegal answer: ``player``, ``illegal_a_game``, ``tokens_a_move``.
    """

    games: int
    ratings: list[Rating]
    ratings_by_rules: dict[str, list[Rating]]
    crosstable: dict[tuple[str, str], Meeting]
    differences: list[Difference]
    seats: list[SeatScore]
    reasons: dict[str, int]
    pairs: list[int]
    difference: EloDifference | None
    warnings: list[str]
    bracket: list[dict[str, Any]] = field(default_factory=list)
    sprt: dict[str, Any] | None = None
    answers: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, event: Event, games: Games, results: Iterable[Result] | None = None) -> "Tables":
        """All tables of these games.

        ``results``: of the same games, where ``games`` is a summary and the event a knockout or a sequential test.
        """
        ends: list[Result | GameRecord] = []
        if event.form == "knockout" or event.sprt is not None:
            games = games if isinstance(games, Summary) else list(games)
            ends = [*(games if results is None and not isinstance(games, Summary) else results or ())]
        summary = Summary.of(games, event.rulesets, event.move_time)
        by_rules = {}
        if len(event.rules) > 1:
            by_rules = {rules: rated(event, summary, rules) for rules in event.rules if rules in summary.rules}
        between = differences(summary, [player.name for player in event.players])
        reasons: Counter[str] = Counter()
        for (_, reason), count in summary.reasons.items():
            reasons[reason] += count
        alone = between[0] if len(event.players) == 2 and between else None
        return cls(
            pairs=list(alone.counts) if alone else [0] * 5 if len(event.players) == 2 else [],
            difference=alone.elo if alone else None,
            differences=between,
            games=summary.games,
            ratings=rated(event, summary),
            ratings_by_rules=by_rules,
            crosstable=crosstable(summary),
            seats=by_seat(summary),
            reasons=dict(reasons.most_common()),
            warnings=diagnose(summary),
            bracket=bracket_of(event, ends),
            sprt=sprt_state(event, ends),
            answers=answers_of(event, summary),
        )

    def as_dict(self) -> dict[str, Any]:
        """All tables as plain data for JSON; unknown numbers are None."""
        return {
            "games": self.games,
            "ratings": [_rating(rating) for rating in self.ratings],
            "ratings_by_rules": {
                rules: [_rating(rating) for rating in found] for rules, found in self.ratings_by_rules.items()
            },
            "crosstable": [
                {"player": one, "against": other, **asdict(meeting), "score": meeting.total.score}
                for (one, other), meeting in self.crosstable.items()
            ],
            "differences": [
                {"player": each.player, "against": each.against, "pairs": list(each.counts), **_plain(asdict(each.elo))}
                for each in self.differences
            ],
            "seats": [asdict(seat) for seat in self.seats],
            "reasons": self.reasons,
            "pairs": self.pairs,
            "difference": None if self.difference is None else _plain(asdict(self.difference)),
            "warnings": self.warnings,
            "bracket": self.bracket,
            "sprt": self.sprt,
            "answers": self.answers,
        }


def summary_of(store: Store) -> Summary:
    """The summary of the games of a store that count."""
    return Summary.of(counted(store), store.event.rulesets, store.event.move_time)


def as_json(store: Store) -> dict[str, Any]:
    """Event, provenance and all tables of the games that count, as plain data."""
    shown = Tables.of(store.event, summary_of(store), store.results())
    return {"event": store.event.as_dict(), "provenance": store.provenance, **shown.as_dict()}


def answers_of(event: Event, summary: Summary) -> list[dict[str, Any]]:
    """Illegal answers a game and tokens a move of the players that tell them, in the order of the event."""
    found = summary.thinking
    return [
        {"player": player.name, "illegal_a_game": line.illegal_a_game, "tokens_a_move": line.tokens_a_move}
        for player in event.players
        if (line := found.get(player.name)) is not None and line.asked
    ]


def rated(event: Event, games: Games, rules: str | None = None, resamples: int = RESAMPLES) -> list[Rating]:
    """The rating list, under one ruleset or all; players that no games decided by play connect come without ratings."""
    summary = Summary.of(games)
    lines = unrated(summary, rules)
    origin = event.rating_origin if event.rating_origin in {line.player for line in lines} else None
    try:
        return ratings(summary, rules=rules, rating_origin=origin, resamples=resamples)
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
    return {
        "form": event.form,
        "pairs": event.pairs,
        "opening_plies": event.opening_plies,
        **shown,
        "confidence": "95 %",
    }


def played_alone(provenance: Mapping[str, Any]) -> list[str]:
    """A sentence about each error for which games were played one by one instead of in batches."""
    return [
        f"Games were played one by one, more slowly, since playing many at once failed ({error}): {'; '.join(places)}."
        for error, places in provenance.get("played_alone", {}).items()
    ]


def title(event: Event) -> str:
    """The title of an event."""
    return f"{', '.join(map(label, event.rules))}: {len(event.players)} players, {event.form.replace('_', ' ')}"


def render(event: Event, tables: Tables) -> str:
    """Standings and cross-table as text."""
    out = io.StringIO()
    width = max(80, shutil.get_terminal_size((110, 25)).columns)
    console = Console(file=out, width=width, highlight=False, markup=False, emoji=False)  # names are no markup
    console.print(f"{title(event)}, {tables.games:,} games")
    console.print(_standings(tables.ratings))
    for rules, found in tables.ratings_by_rules.items():
        console.print(f"under {label(rules)}")
        console.print(_standings(found))
    rows = [row for found in (tables.ratings, *tables.ratings_by_rules.values()) for row in found]
    if any(row.low_from_prior or row.high_from_prior for row in rows):
        console.print(f"{FROM_PRIOR} rests on the prior: the games alone set no bound on this side")
    if any(row.faults for row in tables.ratings):
        console.print(
            "rating, score, points, games and drawn are without the games that a player lost by a fault; "
            "'all' are rating and score with them, as if lost on the board"
        )
    for each in tables.answers:
        tokens = "" if each["tokens_a_move"] is None else f", {each['tokens_a_move']:,.0f} tokens a move"
        console.print(
            f"{each['player']}: {each['illegal_a_game']:.2f} illegal answers a game, beside faults{tokens}",
            soft_wrap=True,
        )
    if tables.sprt is not None:
        console.print(tables.sprt["text"], soft_wrap=True)
    if tables.bracket:
        console.print(_bracket(tables.bracket))
    console.print(_crosstable([rating.player for rating in tables.ratings], tables.crosstable))
    if len(tables.ratings) == 2 and tables.difference is not None:
        gap = tables.difference
        console.print(
            f"{event.players[0].name} is {gap.elo:+.0f} Elo ({gap.low:+.0f} to {gap.high:+.0f}) from "
            f"{event.players[1].name}; likelihood of superiority {100 * gap.superiority:.1f} %; pairs lost 0-2, "
            f"\u00bd-1\u00bd, 1-1, 1\u00bd-\u00bd, won 2-0: {', '.join(map(str, tables.pairs))}"
        )
    everybody = next((seat for seat in tables.seats if seat.player is None), None)
    if everybody is not None and everybody.south.games:
        console.print(f"South scored {100 * everybody.south.score:.1f} %")
    ends = ", ".join(
        f"{reason_label(reason)} {100 * count / tables.games:.0f} %" for reason, count in tables.reasons.items()
    )
    console.print(f"games ended by {ends}")
    return out.getvalue().rstrip()


def _standings(rows: Sequence[Rating]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    faulty = any(row.faults for row in rows)
    for heading in (
        "", "player", "rating", "95 %", "score", "points", "games", "drawn", *(("faults", "all") if faulty else ())
    ):  # fmt: skip
        table.add_column(heading, justify="left" if heading == "player" else "right")
    for place, row in enumerate(rows, 1):
        known = not math.isnan(row.rating)
        table.add_row(
            str(place),
            Text(row.player),
            f"{row.rating:+.0f}" if known else "-",
            f"{_end(row.low, row.low_from_prior)} to {_end(row.high, row.high_from_prior)}" if known else "-",
            "-" if math.isnan(row.score) else f"{100 * row.score:.1f} %",
            f"{row.points:g}",
            f"{row.games:,}",
            f"{row.draws:,}",
            *((f"{row.faults:,}" if row.faults else "", _with_faults(row)) if faulty else ()),
        )
    return table


def _with_faults(row: Rating) -> str:
    """Rating and score as if faults had been lost on the board."""
    elo = "-" if math.isnan(row.rating_with_faults) else f"{row.rating_with_faults:+.0f}"
    return f"{elo}, {100 * row.score_with_faults:.0f} %"


def _end(elo: float, from_prior: bool) -> str:
    return f"{elo:+.0f}{FROM_PRIOR if from_prior else ''}"


def _bracket(matches: Sequence[Mapping[str, Any]]) -> Table:
    """The matches of a knockout but for the byes."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("round", "match", "points", "winner", ""):
        table.add_column(heading)
    for match in matches:
        if match["decided"] != "bye":
            names = [name or "?" for name in match["players"]]
            points = " - ".join(f"{each:g}" for each in match["points"])
            table.add_row(
                match["round"], Text(" against ".join(names)), points, Text(match["winner"] or ""), match["remark"]
            )
    return table


def _crosstable(players: Sequence[str], meetings: dict[tuple[str, str], Meeting]) -> Table:
    """The score of the row's player against the column's, in percent."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("score in %")
    shown = players[:SHOWN]
    for place in range(1, len(shown) + 1):
        table.add_column(str(place), justify="right")
    for place, player in enumerate(shown, 1):
        cells = []
        for other in shown:
            meeting = meetings.get((player, other))
            cells.append("" if meeting is None or not meeting.total.games else f"{100 * meeting.total.score:.0f}")
        table.add_row(Text(f"{place} {player}"), *cells)
    return table


def bracket_of(event: Event, results: Iterable[Result | GameRecord]) -> list[dict[str, Any]]:
    """The matches of a knockout, round by round, as plain data; none for other events.

    Each has ``round`` (its name), ``seeds`` (from 1) and ``players`` (None: not known yet, or nobody), ``points``,
    ``pairs`` of games under each ruleset, ``winner`` (None: open), ``decided``, as in ``knockout.Match``, and
    ``remark``, which explains it.
    """
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
    """The state of the event's sequential test after these games (see ``Tables``); None if it has none."""
    if event.sprt is None:
        return None
    watch = SprtWatch.of(event, results)
    return {
        "llr": event.sprt.llr(watch.counts),
        "bounds": list(event.sprt.bounds),
        "counts": watch.counts,
        "pairs": watch.end,
        "verdict": watch.verdict,
        "text": sprt_line(event, watch),
    }


def sprt_line(event: Event, watch: SprtWatch) -> str:
    """The state of the event's sequential test, in one line."""
    assert event.sprt is not None
    test = event.sprt
    low, high = test.bounds
    if watch.verdict is None:
        said = "not decided"
    else:
        fits, elo = ("H1", test.elo1) if watch.verdict == "H1" else ("H0", test.elo0)
        said = f"{fits} accepted after {watch.end:,} pairs: {event.players[0].name} is nearer {elo:+g} Elo"
    ratio = f"LLR {test.llr(watch.counts):.2f}, {low:.2f} to {high:.2f}"
    return (
        f"SPRT {test.elo0:g} against {test.elo1:g} {test.model} Elo, nominal error rates {test.alpha:g} and "
        f"{test.beta:g}: {said} ({ratio})"
    )


def progress_line(progress: Progress, speed: float) -> str:
    """Progress in one line."""
    left = (progress.all_games - progress.games) / speed if speed else math.inf
    line = f"{progress.games:,} of {progress.all_games:,} games, {speed:,.1f}/s"
    if math.isfinite(left):
        line += f", {_duration(left)} to go"
    scores = ", ".join(f"{name} {100 * each.points / each.games:.0f} %" for name, each in _leading(progress)[:6])
    return f"{line}; {scores}" if scores else line


def live(progress: Progress, speed: float) -> Group:
    """Progress and standings for a terminal."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("player", "score", "points", "games", "faults"):
        table.add_column(heading, justify="left" if heading == "player" else "right")
    for name, standing in _leading(progress):
        table.add_row(
            Text(printable(name)),
            f"{100 * standing.points / standing.games:.1f} %",
            f"{standing.points:g}",
            f"{standing.games:,}",
            str(standing.faults or ""),
        )
    left = (progress.all_games - progress.games) / speed if speed else math.inf
    head = Text(
        f"{progress.games:,} of {progress.all_games:,} games  {speed:,.1f}/s  "
        + (f"{_duration(left)} to go" if math.isfinite(left) else "")
    )
    return Group(head, ProgressBar(total=progress.all_games, completed=progress.games, width=60), table)


def _leading(progress: Progress) -> list[tuple[str, Any]]:
    """The players with finished games, the best score first."""
    played = [(name, standing) for name, standing in progress.standings.items() if standing.games]
    return sorted(played, key=lambda each: -each[1].points / each[1].games)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _rating(rating: Rating) -> dict[str, Any]:
    return _plain({**asdict(rating), "score_with_faults": rating.score_with_faults})


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in row.items()}
