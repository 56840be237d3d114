"""The tables of an event's page, of which a terminal shows some as well."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from agents.tournament.ratings import Rating
from agents.tournament.record import FAULTS, reason_label, reason_meaning
from agents.tournament.summary import Counts, Difference, Meeting, Summary, Thinking, score_of
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import label
from mancala_env.words import joined

NONE = "\N{EN DASH}"
SHOWN = 400  # lines of a table on a page at most; the list of games holds all


def seen(cell: object) -> str:
    """Anything as text: of markup without its tags and what only readers of a screen hear."""
    return Markup(re.sub("<span.*?</span>", "", cell)).striptags() if isinstance(cell, Markup) else str(cell)


@dataclass(frozen=True)
class Table:
    """A table, for a page or a terminal, with notes before and after it. The kind of a column is ``row`` (the name of a
    row), ``name`` (other texts), ``plot`` (a picture, on pages only) or "" (numbers); classes of the cells may
    follow."""

    name: str
    columns: Sequence[tuple[object, str]]  # heading and kind
    rows: Sequence[Sequence[object]]
    before: Sequence[object] = ()
    after: Sequence[object] = ()
    all_rows: int = 0  # if there are more than ``rows``

    @property
    def key(self) -> str:
        """The name as an address in a page."""
        return self.name.lower().replace("-", "")

    @property
    def count(self) -> int:
        """The number of all rows."""
        return max(self.all_rows, len(self.rows))


def standings(ratings: Sequence[Rating], verdict: str = "") -> Table:
    """The rating list with its intervals drawn, faults if there were any, and the state of a sequential test."""
    scale = _Scale([edge for line in ratings for edge in (line.low, line.rating, line.high)])
    unseen = Markup(f'<span class="unseen">Interval</span>{scale.axis()}')
    columns: list[tuple[object, str, Callable[[Rating], object]]] = [
        ("Player", "row", lambda line: line.player),
        ("Elo", "", lambda line: signed(line.rating)),
        ("from", "", lambda line: _end(line, "low")),
        ("to", "", lambda line: _end(line, "high")),
        (unseen, "plot", scale.interval),
        ("Games", "", lambda line: line.games),
        ("Points", "", lambda line: f"{line.points:.1f}"),
        ("Score", "", lambda line: _share(line.score)),
        ("Draws", "", lambda line: line.draws),
    ]
    notes: list[object] = [verdict] if verdict else []
    if any(line.faults for line in ratings):
        columns += [("Faults", "", lambda line: line.faults or NONE)]
        notes.append("A game that a player lost by a fault tells nothing of strength: all other columns leave it out.")
    for end, words in (("low", "from below"), ("high", "from above")):
        if names := [line.player for line in ratings if getattr(line, f"{end}_from_prior")]:
            unbound = f"{words} for {joined(names)}"
            notes.append(f"* rests on the prior, and is drawn open: the games alone set no bound {unbound}.")
    rows = [[rank, *(cell(line) for *_, cell in columns)] for rank, line in enumerate(ratings, 1)]
    return Table("Standings", [("#", ""), *((name, kind) for name, kind, _ in columns)], rows, after=notes)


class _Scale:
    """An axis of Elo: where numbers stand in percent of its width, and three ticks, whose labels have room there."""

    def __init__(self, values: Iterable[float]) -> None:
        known = [value for value in values if math.isfinite(value)]
        left, right = (min(known), max(known)) if known else (0.0, 0.0)
        margin = max(5.0, 0.06 * (right - left))
        self._left, self._right = left - margin, right + margin
        width = self._right - self._left
        unit = 10.0 ** (math.floor(math.log10(width)) - 1)
        self._ticks = [unit * round((self._left + share * width) / unit) for share in (0.2, 0.5, 0.8)]

    def at(self, value: float) -> str:
        """The place of a number; of an infinite one the border."""
        clipped = min(max(value, self._left), self._right)
        return f"{100 * (clipped - self._left) / (self._right - self._left):.1f}%"

    def axis(self) -> Markup:
        """The labels of the ticks."""
        labels = "".join(f'<text x="{self.at(tick)}" y="12">{signed(tick)}</text>' for tick in self._ticks)
        return Markup(f'<svg class="axis" aria-hidden="true">{labels}</svg>')

    def interval(self, line: Rating) -> Markup:
        """The interval of a line: a bar at an end that games set, an open circle at one that rests on the prior."""
        plot = "".join(
            f'<line class="grid" x1="{self.at(tick)}" x2="{self.at(tick)}" y1="0" y2="100%"/>' for tick in self._ticks
        )
        if not math.isnan(line.low) and not math.isnan(line.high):
            for end, value in (("low", line.low), ("high", line.high)):
                is_open, x = getattr(line, f"{end}_from_prior") or math.isinf(value), self.at(value)
                kind = "reach open" if is_open else "reach"
                plot += f'<line class="{kind}" x1="{self.at(line.rating)}" x2="{x}" y1="50%" y2="50%"/>'
                plot += (
                    f'<circle class="open end" cx="{x}" cy="50%" r="4"/>'
                    if is_open
                    else f'<line class="reach end" x1="{x}" x2="{x}" y1="25%" y2="75%"/>'
                )
        if not math.isnan(line.rating):
            plot += f'<circle cx="{self.at(line.rating)}" cy="50%" r="4"/>'
        return Markup(f'<svg class="interval" aria-hidden="true">{plot}</svg>')


def leaderboard(overall: Sequence[Rating], by_rules: Mapping[str, Sequence[Rating]]) -> Table:
    """Players by games: ratings, or scores where games connect not all players, with their intervals."""
    found = {rules: {line.player: line for line in lines} for rules, lines in by_rules.items()}
    rows = [
        [rank, line.player, line.games, _rated(line), *(_rated(found[rules].get(line.player)) for rules in found)]
        for rank, line in enumerate(overall, 1)
    ]
    columns = [("#", ""), ("Player", "row"), ("Games", ""), ("All", ""), *((label(rules), "") for rules in found)]
    return Table("Leaderboard", columns, rows)


def _rated(line: Rating | None) -> object:
    """A rating with its interval in one cell; the score, where there is none."""
    if line is None or not line.games:
        return NONE
    if math.isnan(line.rating):
        return _share(line.score)
    return Markup(f"{signed(line.rating)} ({_end(line, 'low')} to {_end(line, 'high')})")


def _end(line: Rating, end: str) -> Markup:
    """The low or the high end of an interval, marked where it rests on the prior."""
    from_prior = getattr(line, f"{end}_from_prior")
    return Markup(
        signed(getattr(line, end)) + ('*<span class="unseen"> rests on the prior</span>' if from_prior else "")
    )


def bracket(matches: Iterable[Mapping[str, Any]]) -> Table:
    """The matches of a knockout but for the byes, as ``tables.bracket_of`` lists them, with seeds in brackets."""
    rows = []
    for match in matches:
        if match["decided"] != "bye":
            seeded = zip(match["seeds"], match["players"], strict=True)
            names = [f"{name} ({seed})" if name else "open" for seed, name in seeded]
            points = " - ".join(f"{each:g}" for each in match["points"])
            rows.append((match["round"], " against ".join(names), points, match["winner"] or "", match["remark"]))
    columns = [("Round", "name"), ("Match", "row"), ("Points", "name"), ("Winner", "name"), ("", "name")]
    note = "Seeds in brackets. A game that a player lost by a fault counts as lost."
    return Table("Bracket", columns, rows, after=[note])


def differences(found: Sequence[Difference]) -> Table:
    """Every two players by the pairs that they played: Elo difference, likelihood of superiority, counts of pairs."""
    names = ("0\u20132", "\u00bd\u20131\u00bd", "1\u20131", "1\u00bd\u2013\u00bd", "2\u20130")
    columns = [("Player", "row"), ("Against", "name")]
    columns += [(name, "") for name in ("Pairs", "Score", "Elo", "from", "to", "LOS", *names)]
    rows = [
        [line.player, line.against, line.elo.pairs, _share(line.elo.score), signed(line.elo.elo), signed(line.elo.low),
         signed(line.elo.high), _share(line.elo.superiority), *(count or NONE for count in line.counts)]
        for line in found
    ]  # fmt: skip
    note = (
        "By complete pairs of games without faults: two games from one opening with the seats swapped. LOS is the "
        "likelihood that the first player is the stronger one; the last five columns count the pairs by their result. "
        "An Elo of \u221e: all points went to one side."
    )
    return Table("Differences", columns, rows, [note])


def thinking(found: Mapping[str, Thinking], players: Sequence[str], move_time: float | None = None) -> Table:
    """Time a move, how often and how far it was above ``move_time``, and depth; no rows where nothing was measured."""
    lines = {player: found[player] for player in players if player in found}
    columns: list[tuple[str, Callable[[Thinking], str]]] = [
        ("Moves timed", lambda line: f"{line.moves:,}"),
        ("Seconds a move", lambda line: _mean(line.seconds, line.moves, ".3f")),
        ("Longest", lambda line: _mean(line.longest, line.moves > 0, ".3f")),
    ]
    if move_time is not None:
        columns += [
            ("Moves over their time", lambda line: f"{line.over:,}"),
            ("Most over, s", lambda line: _mean(line.most_over, line.over > 0, ".3f")),
        ]
    columns += [("Mean depth", lambda line: _mean(line.depths, line.deep, ".1f"))]
    note = (
        "Games that are played many at once are not timed. Depth, in plies, is what a player that searches tells of "
        "its moves."
    )
    if any(line.asked or line.tokens for line in lines.values()):
        columns += [
            ("Illegal answers a game", lambda line: _mean(line.illegal, line.asked, ".2f")),
            ("Tokens a move", lambda line: _mean(line.tokens, line.counted, ",.0f")),
        ]
        note += " Answers that lost a game are counted with its faults."
    rows = [[name, *(cell(line) for _, cell in columns)] for name, line in lines.items()]
    return Table("Time", [("Player", "row"), *((name, "") for name, _ in columns)], rows, [note])


def crosstable(met: Mapping[tuple[str, str], Meeting], players: Sequence[str]) -> Table:
    """Everybody against everybody, in percent, linked to the list of games."""
    columns: list[tuple[object, str]] = [("#", ""), ("Player", "row")]
    for place, name in enumerate(players, 1):
        columns.append((Markup('<b title="{0}">{1}<span class="unseen"> {0}</span></b>').format(name, place), ""))
    rows = []
    for i, one in enumerate(players):
        cells = [_meeting((i, j), (one, other), met.get((one, other))) for j, other in enumerate(players)]
        rows.append([i + 1, one, *cells])
    note = (
        "Score of the row against the column, in percent, without games lost by a fault; blue above one half, orange "
        "below. Point at a cell for wins, draws and losses; choose it for the games."
    )
    return Table("Cross-table", columns, rows if met else [], [note])


def _meeting(places: tuple[int, int], names: tuple[str, str], meeting: Meeting | None) -> object:
    if meeting is None:
        return "·" if places[0] == places[1] else ""
    result = meeting.total
    tone, depth = ("high" if result.score >= 0.5 else "low"), round(90 * abs(result.score - 0.5))
    told = f"{result.wins} won, {result.draws} drawn, {result.losses} lost"
    return Markup(
        '<a href="#pair={},{}" class="{}" style="--depth:{}%" title="{} against {}: {}">{:.0f}'
        '<span class="unseen"> percent; {}</span></a>'
    ).format(*places, tone, depth, *names, told, 100 * result.score, told)


def seats(games: Summary) -> Table:
    """The results of South and North under each ruleset, without games lost by a fault."""
    by_rules: dict[str, Counts] = {}
    for (name, _, _), counts in sorted(games.played.souths().items()):
        by_rules[name] = by_rules.get(name, 0) + counts
    rows = []
    for name, counts in by_rules.items():
        north, drawn, south = counts.tolist()
        whole = north + drawn + south
        cells = [text for part in (south, drawn, north) for text in (part, _share(part / whole))]
        rows.append([label(name), whole, *cells])
    columns = [("Game", "row"), ("Played", "")]
    columns += [(name, "") for wins in ("South wins", "Draws", "North wins") for name in (wins, "Share")]
    return Table("Seats", columns, rows)


def endings(games: Summary, rulesets: Mapping[str, Ruleset]) -> Table:
    """Why games ended, for each ruleset."""
    rows = []
    for name in games.rules:
        reasons = Counter({reason: count for (rules, reason), count in games.reasons.items() if rules == name})
        for reason, count in reasons.most_common():
            meaning = ("fault: the player " if reason in FAULTS else "") + reason_meaning(reason, rulesets[name])
            rows.append([label(name), reason_label(reason), count, _share(count / reasons.total()), meaning])
    columns = [("Game", "row"), ("Reason", "name"), ("Games", ""), ("Share", ""), ("Meaning", "name quiet")]
    return Table("Endings", columns, rows)


def faults(games: Summary) -> Table:
    """The games that were lost by a fault, linked to their replay."""
    rows = []
    for record in games.lost[:SHOWN]:
        seat, names = int(record.fault or 0), (record.south, record.north)
        number = Markup('<a href="#game={0}">{0}</a>').format(record.number)
        rows.append(
            [number, names[seat], ("South", "North")[seat], names[1 - seat], reason_label(record.reason),
             len(record.actions), record.detail or NONE]
        )  # fmt: skip
    columns = [
        ("Game", ""), ("At fault", "row"), ("Seat", "name"), ("Against", "name"), ("Fault", "name"), ("After", ""),
        ("Detail", "name detail"),
    ]  # fmt: skip
    return Table("Faults", columns, rows, all_rows=games.faults.total())


def openings(games: Summary) -> Table:
    """The results of each opening, the most frequent first, without games lost by a fault."""
    ordered = sorted(games.openings.items(), key=lambda item: -sum(item[1]))
    rows = []
    for (name, opening), counts in ordered[:SHOWN]:
        result = score_of(counts)
        text = opening.removeprefix(f"{name} ")
        rows.append([name, text, result.games, result.wins, result.draws, result.losses, _share(result.score)])
    columns = [("Game", "name"), ("Position", "row position")]
    columns += [(name, "") for name in ("Games", "South wins", "Draws", "North wins", "South's score")]
    return Table("Openings", columns, rows, all_rows=len(ordered))


def settings(provenance: Mapping[str, Any]) -> Markup:
    """The settings and the provenance of an event or a run."""
    return Markup('<div class="settings">{}</div>').format(_plain(provenance)) if provenance else Markup("")


def _plain(value: Any) -> str:
    """Settings of any depth as lists."""
    if isinstance(value, Mapping):
        lines = (Markup("<dt>{}</dt><dd>{}</dd>").format(key, _plain(one)) for key, one in value.items())
        return Markup("<dl>{}</dl>").format(Markup("").join(lines))
    if isinstance(value, list | tuple) and any(isinstance(one, Mapping | list | tuple) for one in value):
        return Markup("<ul>{}</ul>").format(Markup("").join(Markup("<li>{}</li>").format(_plain(one)) for one in value))
    return ", ".join(map(str, value)) or NONE if isinstance(value, list | tuple) else str(value) or NONE


def _mean(total: float, count: int, style: str) -> str:
    return format(total / count, style) if count else NONE


def _share(share: float) -> str:
    return NONE if math.isnan(share) else f"{100 * share:.1f}%"


def signed(value: float) -> str:
    """A number with its sign, rounded; a dash for nan."""
    if math.isnan(value):
        return NONE
    sign = "\N{MINUS SIGN}" if value < 0 else "+" if value > 0 else ""
    return f"{sign}∞" if math.isinf(value) else f"{sign}{abs(value):.0f}"
