"""The sections of an event's page, each as HTML: standings, cross-table, seats, lengths, endings, faults, openings."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise
from statistics import median
from typing import Any, Protocol

from agents.tournament.record import FAULTS, GameRecord, reason_label, reason_meaning
from agents.tournament.standings import Score, score_of
from agents.tournament.standings import crosstable as crosstable_of
from agents.tournament.standings import differences as differences_between
from agents.tournament.summary import Counts, Summary
from agents.tournament.thinking import Thinking
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import label

SEATS = ("South", "North")
NONE = "\N{EN DASH}"
FAULTS_SHOWN, OPENINGS_SHOWN, DIFFERENCES_SHOWN = 200, 200, 400  # lines in their tables; the list of games holds all


class Rated(Protocol):
    """A line of the standings; Elo numbers may be infinite or nan."""

    @property
    def player(self) -> str:
        """The name of the player."""

    @property
    def rating(self) -> float:
        """Elo."""

    @property
    def low(self) -> float:
        """The low end of the interval."""

    @property
    def high(self) -> float:
        """The high end of the interval."""

    @property
    def games(self) -> int:
        """Games played."""

    @property
    def points(self) -> float:
        """1 for a win, 1/2 for a draw."""

    @property
    def score(self) -> float:
        """Points per game."""

    @property
    def draws(self) -> int:
        """Games drawn."""

    @property
    def faults(self) -> int:
        """Games lost by a fault. ``rating_with_faults`` and ``score_with_faults`` may say what they would change."""


def players_shown(games: Summary, ratings: Sequence[Rated]) -> list[str]:
    """All names, in the order of the standings."""
    return list(dict.fromkeys([*(line.player for line in ratings), *games.players]))


def summary(games: Summary, players: Sequence[str]) -> str:
    """How many games and players, and of which games."""
    rules = ", ".join(map(label, games.rules))
    return f"{_counted(games.games, 'game')} · {_counted(len(players), 'player')} · {escape(rules)}"


def warnings_box(warnings: Sequence[str]) -> str:
    """The warnings as a box; "" if there are none."""
    if not warnings:
        return ""
    lines = "".join(f"<li>{escape(line)}</li>" for line in warnings)
    return f'<aside class="warnings" aria-labelledby="warned"><h2 id="warned">Warnings</h2><ul>{lines}</ul></aside>'


def standings(ratings: Sequence[Rated], verdict: str = "") -> str:
    """The rating list with its intervals drawn, and below it the state of a sequential test; "" without ratings.

    All columns but the last ones leave out the games that a player lost by a fault. Those of faults are there only
    where there were any.
    """
    if not ratings:
        return ""
    scale = _Scale([edge for line in ratings for edge in (line.low, line.rating, line.high)])
    faulty = any(line.faults for line in ratings)
    rows = []
    for rank, line in enumerate(ratings, 1):
        cells = (
            f'<tr><td>{rank}</td><th scope="row">{escape(line.player)}</th><td>{_signed(line.rating)}</td>'
            f"<td>{_end(line, 'low')}</td><td>{_end(line, 'high')}</td>"
            f'<td class="plot">{scale.interval(line)}</td><td>{line.games}</td><td>{line.points:.1f}</td>'
            f"<td>{_share(line.score)}</td><td>{line.draws}</td>"
        )
        if faulty:
            cells += (
                f"<td>{line.faults or NONE}</td><td>{_signed(getattr(line, 'rating_with_faults', math.nan))}</td>"
                f"<td>{_share(getattr(line, 'score_with_faults', math.nan))}</td>"
            )
        rows.append(f"{cells}</tr>")
    head = (
        '<th scope="col">#</th><th scope="col" class="name">Player</th><th scope="col">Elo</th>'
        '<th scope="col">from</th><th scope="col">to</th>'
        f'<th scope="col" class="plot"><span class="unseen">Interval</span>{scale.axis()}</th>'
        '<th scope="col">Games</th><th scope="col">Points</th><th scope="col">Score</th><th scope="col">Draws</th>'
    )
    notes = [escape(verdict)] if verdict else []
    if faulty:
        head += '<th scope="col">Faults</th><th scope="col">Elo with faults</th><th scope="col">Score with faults</th>'
        notes.append(
            "Elo, interval, games, points, score and draws are those of the games decided by play: a game that a "
            "player lost by a fault tells nothing of strength. The last two columns count it as lost on the board."
        )
    for end, words in (("low", "from below"), ("high", "from above")):
        if open_ended := [line.player for line in ratings if _from_prior(line, end)]:
            notes.append(
                f"* rests on the prior, and is drawn open: the games alone set no bound {words} for "
                f"{escape(_listed(open_ended))}."
            )
    table = scrolled("Standings", f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>")
    return table + "".join(f'<p class="quiet">{note}</p>' for note in notes)


class _Scale:
    """An axis of Elo: where numbers stand in percent of its width, and ticks whose labels have room."""

    NARROWEST = 190  # pixels of the plot, as report.css has it
    LETTER, GAP = 7, 6  # pixels of a digit of a label, and between two labels

    def __init__(self, values: Iterable[float]) -> None:
        known = [value for value in values if math.isfinite(value)]
        left, right = (min(known), max(known)) if known else (0.0, 0.0)
        margin = max(5.0, 0.06 * (right - left))
        self._left, self._right = left - margin, right + margin
        width = self._right - self._left
        # A label is drawn about its tick, so near the border it would reach into the next column.
        self._first, self._last = self._left + 0.14 * width, self._right - 0.14 * width
        step = _nice(width / 8, least=True)
        while not self._fit(step):
            step = _nice(1.01 * step, least=True)
        self._ticks = self._within(step)

    def _within(self, step: float) -> list[float]:
        return [step * k for k in range(math.ceil(self._first / step), math.floor(self._last / step) + 1)]

    def _fit(self, step: float) -> bool:
        """Whether the labels of ticks have room where the plot is narrowest."""
        widths = [self.LETTER * len(_tick(tick)) for tick in self._within(step)]
        apart = self.NARROWEST * step / (self._right - self._left)
        return all((one + other) / 2 + self.GAP <= apart for one, other in pairwise(widths))

    def at(self, value: float) -> str:
        """The place of a number; of an infinite one the border."""
        clipped = min(max(value, self._left), self._right)
        return f"{100 * (clipped - self._left) / (self._right - self._left):.1f}%"

    def axis(self) -> str:
        """The labels of the ticks."""
        labels = "".join(f'<text x="{self.at(tick)}" y="12">{_tick(tick)}</text>' for tick in self._ticks)
        return f'<svg class="axis" aria-hidden="true">{labels}</svg>'

    def interval(self, line: Rated) -> str:
        """The interval of a line: a bar at an end that games set, an open circle at one that rests on the prior."""
        plot = "".join(
            f'<line class="grid" x1="{self.at(tick)}" x2="{self.at(tick)}" y1="0" y2="100%"/>' for tick in self._ticks
        )
        if not math.isnan(line.low) and not math.isnan(line.high):
            for end, value in (("low", line.low), ("high", line.high)):
                is_open, x = _from_prior(line, end) or math.isinf(value), self.at(value)
                kind = "reach open" if is_open else "reach"
                plot += f'<line class="{kind}" x1="{self.at(line.rating)}" x2="{x}" y1="50%" y2="50%"/>'
                plot += (
                    f'<circle class="open end" cx="{x}" cy="50%" r="4"/>'
                    if is_open
                    else f'<line class="reach end" x1="{x}" x2="{x}" y1="25%" y2="75%"/>'
                )
        if not math.isnan(line.rating):
            plot += f'<circle cx="{self.at(line.rating)}" cy="50%" r="4"/>'
        return f'<svg class="interval" aria-hidden="true">{plot}</svg>'


def _tick(elo: float) -> str:
    """The label of a tick, in thousands where it would be long."""
    number, unit = (elo / 1000, "k") if abs(elo) >= 10_000 else (elo, "")
    return f"{number:+g}".replace("-", "\N{MINUS SIGN}").replace("+0", "0", elo == 0) + unit


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _from_prior(line: Rated, end: str) -> bool:
    """Whether this end of the interval rests on the prior; lines without such a mark rest on games alone."""
    return bool(getattr(line, f"{end}_from_prior", False))


def _end(line: Rated, end: str) -> str:
    """The low or the high end of an interval, marked where it rests on the prior."""
    mark = '*<span class="unseen"> rests on the prior</span>' if _from_prior(line, end) else ""
    return _signed(getattr(line, end)) + mark


def bracket(matches: Sequence[Mapping[str, Any]]) -> str:
    """The matches of a knockout in columns, one for each round; "" without any.

    Parameters
    ----------
    matches : as ``tables.bracket_of`` lists them
    """
    rounds: dict[str, list[str]] = {}
    for match in matches:
        rows = []
        for seed, name, points in zip(match["seeds"], match["players"], match["points"], strict=True):
            shown = "bye" if match["decided"] == "bye" else "open"
            if name is None:
                rows.append(f'<p class="quiet">{shown}</p>')
                continue
            tag = "strong" if name == match["winner"] else "span"
            score = "" if match["decided"] == "bye" else f"<span>{points:g}</span>"
            rows.append(f"<p><{tag}>{escape(name)} <small>({seed})</small></{tag}>{score}</p>")
        note = f'<p class="quiet">{match["remark"]}</p>' if match["remark"] else ""
        rounds.setdefault(match["round"], []).append(f"<li>{''.join(rows)}{note}</li>")
    if not rounds:
        return ""
    columns = "".join(
        f"<div><h3>{escape(name.capitalize())}</h3><ol>{''.join(listed)}</ol></div>" for name, listed in rounds.items()
    )
    note = '<p class="quiet">Seeds in brackets. A game that a player lost by a fault counts as lost.</p>'
    return scrolled("Bracket", f'<div class="bracket">{columns}</div>') + note


def differences(games: Summary, players: Sequence[str]) -> str:
    """Every two players by the pairs that they played: Elo difference, likelihood of superiority, counts of pairs."""
    found = differences_between(games, players)
    rows = []
    for line in found[:DIFFERENCES_SHOWN]:
        gap = line.elo
        rows.append(
            f'<tr><th scope="row">{escape(line.player)}</th><td class="name">{escape(line.against)}</td>'
            f"<td>{gap.pairs}</td><td>{_share(gap.score)}</td><td>{_signed(gap.elo)}</td><td>{_signed(gap.low)}</td>"
            f"<td>{_signed(gap.high)}</td><td>{_share(gap.superiority)}</td>"
            f"{''.join(f'<td>{count or NONE}</td>' for count in line.counts)}</tr>"
        )
    if not rows:
        return ""
    columns = (
        ("Player", ' class="name"'), ("Against", ' class="name"'), ("Pairs", ""), ("Score", ""), ("Elo", ""),
        ("from", ""), ("to", ""), ("LOS", ""), ("0\u20132", ""), ("\u00bd\u20131\u00bd", ""), ("1\u20131", ""),
        ("1\u00bd\u2013\u00bd", ""), ("2\u20130", ""),
    )  # fmt: skip
    head = "".join(f'<th scope="col"{kind}>{name}</th>' for name, kind in columns)
    note = (
        '<p class="quiet">By complete pairs of games without faults: two games from one opening with the seats '
        "swapped. LOS is the likelihood that the first player is the stronger one; the last five columns count the "
        "pairs by their result. An Elo of \u221e: all points went to one side.</p>"
    )
    more = len(found) - DIFFERENCES_SHOWN
    rest = f'<p class="quiet">And {more} more: mancala tournament export writes all.</p>' if more > 0 else ""
    return (
        note
        + scrolled("Differences", f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>")
        + rest
    )


def thinking(found: Mapping[str, Thinking], players: Sequence[str], move_time: float | None = None) -> str:
    """Time a move, how often and how far it was above ``move_time``, and depth; "" where nothing was measured."""
    timed = move_time is not None
    asked = any(line.asked or line.tokens for line in found.values())

    def answers(line: Thinking) -> str:
        illegal = NONE if line.illegal_a_game is None else f"{line.illegal_a_game:.2f}"
        tokens = NONE if line.tokens_a_move is None else f"{line.tokens_a_move:,.0f}"
        return f"<td>{illegal}</td><td>{tokens}</td>" if asked else ""

    rows = [
        f'<tr><th scope="row">{escape(player)}</th><td>{line.moves:,}</td><td>{_seconds(line.mean)}</td>'
        f"<td>{_seconds(line.longest)}</td>"
        + (f"<td>{line.over:,}</td><td>{_seconds(line.most_over if line.over else None)}</td>" if timed else "")
        + f"<td>{NONE if line.depth is None else f'{line.depth:.1f}'}</td>{answers(line)}</tr>"
        for player in players
        if (line := found.get(player)) is not None
    ]
    if not rows:
        return ""
    more = '<th scope="col">Illegal answers a game</th><th scope="col">Tokens a move</th>' if asked else ""
    head = (
        '<th scope="col" class="name">Player</th><th scope="col">Moves timed</th><th scope="col">Seconds a move</th>'
        '<th scope="col">Longest</th>'
        + ('<th scope="col">Moves over their time</th><th scope="col">Most over, s</th>' if timed else "")
        + '<th scope="col">Mean depth</th>'
        + more
    )
    note = (
        '<p class="quiet">Games that are played many at once are not timed. Depth, in plies, is what a player that '
        "searches tells of its moves."
        f"{' Answers that lost a game are counted with its faults.' if asked else ''}</p>"
    )
    return note + scrolled("Time", f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>")


def _seconds(seconds: float | None) -> str:
    return NONE if seconds is None else f"{seconds:.3f}"


def crosstable(games: Summary, players: Sequence[str], linked: bool = True) -> str:
    """Everybody against everybody, in percent; ``linked`` to the list of games."""
    if not games.games:
        return ""
    met = {names: meeting.total for names, meeting in crosstable_of(games).items()}
    head = "".join(
        f'<th scope="col" title="{escape(name, quote=True)}">{k}<span class="unseen"> {escape(name)}</span></th>'
        for k, name in enumerate(players, 1)
    )
    rows = []
    for i, one in enumerate(players):
        cells = "".join(_cell(i, j, one, other, met.get((one, other)), linked) for j, other in enumerate(players))
        rows.append(f'<tr><td>{i + 1}</td><th scope="row">{escape(one)}</th>{cells}</tr>')
    note = (
        '<p class="quiet">Score of the row against the column, in percent, without games lost by a fault; blue above '
        "one half, orange below. Point at a cell for wins, draws and losses"
        f"{'; choose it for the games' if linked else ''}.</p>"
    )
    return note + scrolled(
        "Cross-table",
        f'<table class="cross"><thead><tr><th scope="col">#</th><th scope="col" class="name">Player</th>{head}</tr>'
        f"</thead><tbody>{''.join(rows)}</tbody></table>",
    )


def _cell(i: int, j: int, one: str, other: str, result: Score | None, linked: bool) -> str:
    if result is None:
        return '<td class="none">·</td>' if i == j else "<td></td>"
    won, drawn, lost, score = result.wins, result.draws, result.losses, result.score
    tone, depth = ("high" if score >= 0.5 else "low"), round(90 * abs(score - 0.5))
    words = f"{one} against {other}: {won} won, {drawn} drawn, {lost} lost"
    said = f'{100 * score:.0f}<span class="unseen"> percent; {won} won, {drawn} drawn, {lost} lost</span>'
    where = f'href="#pair={i},{j}" ' if linked else ""
    return f'<td class="{tone}" style="--depth:{depth}%"><a {where}title="{escape(words, quote=True)}">{said}</a></td>'


def seats(games: Summary) -> str:
    """The results of South and North under each ruleset, without games lost by a fault."""
    rows = []
    by_rules: dict[str, Counts] = {}
    for (name, _, _), counts in sorted(games.played.souths().items()):
        by_rules[name] = by_rules.get(name, 0) + counts
    for name, counts in by_rules.items():
        north, drawn, south = counts.tolist()
        all_ = north + drawn + south
        bar = '<svg class="shares" aria-hidden="true">'
        edge = 0.0
        for kind, part in (("south", south), ("drawn", drawn), ("north", north)):
            bar += f'<rect class="{kind}" x="{edge:.2f}%" width="{100 * part / all_:.2f}%" height="100%"/>'
            edge += 100 * part / all_
        cells = "".join(f"<td>{part}</td><td>{_share(part / all_)}</td>" for part in (south, drawn, north))
        rows.append(
            f'<tr><th scope="row">{escape(label(name))}</th><td>{all_}</td>{cells}'
            f'<td class="plot">{bar}</svg></td></tr>'
        )
    if not rows:
        return ""
    head = (
        '<th scope="col" class="name">Game</th><th scope="col">Played</th><th scope="col" colspan="2">South wins</th>'
        '<th scope="col" colspan="2">Draws</th><th scope="col" colspan="2">North wins</th>'
        '<th scope="col" class="plot"><span class="unseen">Shares</span></th>'
    )
    return scrolled("Seats", f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>")


def lengths(games: Summary) -> str:
    """A histogram of the moves of games, for each ruleset, without games lost by a fault."""
    figures = []
    for name, counts in sorted(games.lengths.items()):
        plies = sorted(counts.elements())
        caption = (
            f"<b>{escape(label(name))}</b>: moves played after the opening. Median {median(plies):g}, "
            f"from {plies[0]} to {plies[-1]}."
        )
        figures.append(f"<figure>{_histogram(plies)}<figcaption>{caption}</figcaption></figure>")
    return f'<div class="figures">{"".join(figures)}</div>' if figures else ""


def _histogram(values: Sequence[int]) -> str:
    """Columns of equal width over whole numbers, with two axes."""
    width, height, left, foot = 480, 150, 44, 20
    step = max(1, round(_nice((values[-1] - values[0] + 1) / 20)))
    first = values[0] // step
    counts = Counter(value // step - first for value in values)
    columns = values[-1] // step - first + 1
    most, wide = max(counts.values()), (width - left) / columns
    room = height - foot - 8
    bars, labels = [], []
    for k in range(columns):
        high = room * counts[k] / most
        low, top = (first + k) * step, (first + k + 1) * step - 1
        reach = str(low) if low == top else f"{low} to {top}"
        bars.append(
            f'<rect x="{left + k * wide + 0.5:.1f}" y="{height - foot - high:.1f}" width="{max(wide - 1, 0.6):.1f}" '
            f'height="{high:.1f}"><title>{reach} moves: {_counted(counts[k], "game")}</title></rect>'
        )
    every = max(1, math.ceil(columns / 8))
    for k in range(0, columns, every):
        x = left + k * wide + (wide / 2 if step == 1 else 0)
        labels.append(f'<text x="{x:.1f}" y="{height - 5}" text-anchor="middle">{(first + k) * step}</text>')
    levels = f'<text x="{left - 6}" y="12" text-anchor="end">{most}</text>'
    levels += f'<text x="{left - 6}" y="{height - foot}" text-anchor="end">0</text>'
    line = f'<line class="grid" x1="{left}" x2="{width}" y1="{height - foot}" y2="{height - foot}"/>'
    words = f"Histogram of {_counted(len(values), 'game')}, {values[0]} to {values[-1]} moves"
    return (
        f'<svg class="histogram" viewBox="0 0 {width} {height}" role="img" aria-label="{words}">'
        f"{line}{''.join(bars)}{''.join(labels)}{levels}</svg>"
    )


def endings(games: Summary, rulesets: Mapping[str, Ruleset]) -> str:
    """Why games ended, for each ruleset."""
    rows = []
    for name in games.rules:
        reasons = Counter({reason: count for (rules, reason), count in games.reasons.items() if rules == name})
        for reason, count in reasons.most_common():
            share = count / reasons.total()
            fault = "fault: the player " if reason in FAULTS else ""
            meaning = fault + reason_meaning(reason, rulesets[name])
            bar = (
                f'<svg class="shares" aria-hidden="true"><rect class="part" width="{100 * share:.2f}%" height="100%"/>'
            )
            rows.append(
                f'<tr><th scope="row">{escape(label(name))}</th><td class="name">{escape(reason_label(reason))}</td>'
                f'<td>{count}</td><td>{_share(share)}</td><td class="plot">{bar}</svg></td>'
                f'<td class="name quiet">{escape(meaning)}</td></tr>'
            )
    if not rows:
        return ""
    head = (
        '<th scope="col" class="name">Game</th><th scope="col" class="name">Reason</th><th scope="col">Games</th>'
        '<th scope="col">Share</th><th scope="col" class="plot"><span class="unseen">Share</span></th>'
        '<th scope="col" class="name">Meaning</th>'
    )
    return scrolled("Endings", f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>")


def faults(games: Summary, linked: bool = True) -> str:
    """The games that were lost by a fault; ``linked`` to their replay."""
    if not games.lost:
        return '<p class="quiet">No game was lost by a fault.</p>' if games.games else ""
    rows = []
    for record in games.lost[:FAULTS_SHOWN]:
        seat = int(record.fault or 0)
        rows.append(
            f"<tr><td>{_numbered(record, linked)}</td>"
            f'<th scope="row">{escape((record.south, record.north)[seat])}</th><td class="name">{SEATS[seat]}</td>'
            f'<td class="name">{escape((record.south, record.north)[1 - seat])}</td>'
            f'<td class="name">{escape(reason_label(record.reason))}</td><td>{len(record.actions)}</td>'
            f'<td class="name detail">{escape(record.detail) or NONE}</td></tr>'
        )
    head = "".join(
        f'<th scope="col"{kind}>{name}</th>'
        for name, kind in (
            ("Game", ""),
            ("At fault", ' class="name"'),
            ("Seat", ' class="name"'),
            ("Against", ' class="name"'),
            ("Fault", ' class="name"'),
            ("After", ""),
            ("Detail", ' class="name"'),
        )
    )
    more = games.faults.total() - len(rows)
    note = f'<p class="quiet">And {more} more: see the list of games.</p>' if more > 0 else ""
    return scrolled("Faults", f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>") + note


def _numbered(record: GameRecord, linked: bool) -> str:
    return f'<a href="#game={record.number}">{record.number}</a>' if linked else str(record.number)


def openings(games: Summary) -> str:
    """The results of each opening, the most frequent first, without games lost by a fault."""
    ordered = sorted(games.openings.items(), key=lambda item: -sum(item[1]))
    rows = []
    for (name, opening), counts in ordered[:OPENINGS_SHOWN]:
        result = score_of(counts)
        text = opening.removeprefix(f"{name} ")
        rows.append(
            f'<tr><td class="name">{escape(name)}</td><th scope="row" class="position">{escape(text)}</th>'
            f"<td>{result.games}</td><td>{result.wins}</td><td>{result.draws}</td><td>{result.losses}</td>"
            f"<td>{_share(result.score)}</td></tr>"
        )
    if not rows:
        return ""
    head = "".join(
        f'<th scope="col"{kind}>{name}</th>'
        for name, kind in (
            ("Game", ' class="name"'),
            ("Position", ' class="name"'),
            ("Games", ""),
            ("South wins", ""),
            ("Draws", ""),
            ("North wins", ""),
            ("South's score", ""),
        )
    )
    more = len(ordered) - OPENINGS_SHOWN
    note = f'<p class="quiet">And {more} more, which were played less often.</p>' if more > 0 else ""
    table = scrolled("Openings", f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>")
    return f"<details><summary>{_counted(len(ordered), 'opening')}</summary>{table}{note}</details>"


def games_list(shown: int, games: int) -> str:
    """Where ``report.js`` puts the player and the list of the games that the page shows, of all."""
    some = (
        f"This page holds {shown:,} of the {games:,} games: those lost by a fault, as far as they are not too many, "
        "and pairs from all of the event. All are written by <code>mancala tournament export EVENT.db "
        "--json games.json</code>."
    )
    return (
        f"{'' if shown == games else f'<p>{some}</p>'}"
        f'<div id="player"></div><h3 id="list-title">{"All games" if shown == games else "Games"}</h3>'
        '<form id="filters" class="filters" aria-label="Which games are listed"></form>'
        '<p id="found" class="quiet" aria-live="polite"></p>'
        '<div class="scrolled" role="region" aria-labelledby="list-title" tabindex="0">'
        '<table id="list" aria-labelledby="list-title"></table></div>'
        '<div id="pages" class="pages"></div>'
        "<noscript><p>The games are replayed by a script; the tables above need none.</p></noscript>"
    )


def downloads(with_tables: bool) -> str:
    """Buttons by which ``report.js`` hands out the games, and the tables if the page holds them."""
    offered = [("games.csv", "Games (CSV)"), ("games.json", "Games (JSON)"), ("moves.csv", "Moves (CSV)")]
    if with_tables:
        offered += [("standings.csv", "Standings (CSV)"), ("tables.json", "Tables (JSON)")]
    buttons = "".join(f'<button type="button" data-file="{file}">{text}</button>' for file, text in offered)
    return (
        f'<div class="pages">{buttons}</div><p class="quiet">From this page alone, without a network. Moves hold the '
        "seconds, and depth and value where the player tells them.</p>"
    )


def settings(provenance: Mapping[str, Any]) -> str:
    """The settings and the provenance of the event."""
    return f'<div class="settings">{_plain(provenance)}</div>' if provenance else ""


def _plain(value: Any) -> str:
    """Settings of any depth as lists."""
    if isinstance(value, Mapping):
        lines = (f"<dt>{escape(str(key))}</dt><dd>{_plain(one)}</dd>" for key, one in value.items())
        return f"<dl>{''.join(lines)}</dl>"
    if isinstance(value, list | tuple):
        if any(isinstance(one, Mapping | list | tuple) for one in value):
            return "<ul>" + "".join(f"<li>{_plain(one)}</li>" for one in value) + "</ul>"
        return escape(", ".join(map(str, value))) or NONE
    return escape(str(value)) or NONE


def scrolled(name: str, table: str) -> str:
    """A table that scrolls sideways where the page is narrow, also by keys."""
    return f'<div class="scrolled" role="region" aria-label="Table: {name}" tabindex="0">{table}</div>'


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _share(share: float) -> str:
    return NONE if math.isnan(share) else f"{100 * share:.1f}%"


def _signed(value: float) -> str:
    if math.isnan(value):
        return NONE
    sign = "\N{MINUS SIGN}" if value < 0 else "+" if value > 0 else ""
    return f"{sign}∞" if math.isinf(value) else f"{sign}{abs(value):.0f}"


def _nice(value: float, least: bool = False) -> float:
    """A round number of about this size, or with ``least`` of at least it: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    if least:
        return power * next(digit for digit in (1, 2, 5, 10) if digit >= value / power - 1e-9)
    return power * min((1, 2, 5, 10), key=lambda digit: abs(digit - value / power))
