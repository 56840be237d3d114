"""An event as one self-contained HTML page: tables, pictures, and every game to replay. Needs only a browser. It keeps
the standings, so that the next report says what has changed since."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import jinja2

from agents.provenance import finite
from agents.reading import MAX_BYTES, json_object
from agents.tournament import export, sections
from agents.tournament.event import Event
from agents.tournament.ratings import Rating
from agents.tournament.record import GameRecord, reason_label
from agents.tournament.summary import Summary, differences
from agents.tournament.tables import Tables, settings, title
from mancala_env.replay import Replay
from mancala_env.replay.packing import Packer, packed_json
from mancala_env.replay.page import document
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import label

RUNNING = "Games are being played: this page loads itself anew, and becomes the report when the last has ended."
_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
_HERE = Path(__file__).parent
_TEMPLATES = jinja2.Environment(  # everything that an event says is text, and becomes no markup
    autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=jinja2.FileSystemLoader(_HERE)
)


def report_html(
    event: Event,
    found: Tables,
    provenance: Mapping[str, Any],
    *,
    before: dict[str, Any] | None = None,
    remarks: Sequence[str] = (),
    running: bool = False,
) -> str:
    """An event as one HTML file. The tables are of all games; to be replayed and downloaded it holds those of
    ``Summary.chosen``. ``before``: the standings of the last report (``last_look``), since which it says what
    is new; while the event is ``running`` it keeps these, for nobody need have seen the page since. ``remarks``:
    further warnings. ``provenance``: versions and the like, as nested plain data."""
    summary, rulesets, now = found.summary, event.rulesets, look(found.summary.games, found.ratings)
    players = list(dict.fromkeys([*(line.player for line in found.ratings), *summary.players]))  # as in the standings
    shown = summary.chosen()
    table, playable, unplayable = _games(shown, rulesets, players)
    tables_shown = [
        sections.standings(found.ratings, (found.sprt or {}).get("text", "")), sections.bracket(found.bracket),
        sections.crosstable(found.crosstable, players), sections.differences(differences(summary, players)),
        sections.thinking(summary.thinking, players, event.move_time), sections.seats(summary),
        sections.endings(summary, rulesets), sections.faults(summary), sections.openings(summary),
    ]  # fmt: skip
    news = [RUNNING] * running + [text for text in [changes(before, now)] if text]
    body = _TEMPLATES.get_template("report.html").render(
        title=title(event), players=len(players), rules=", ".join(map(label, summary.rules)), tables=tables_shown,
        warnings=[*remarks, *found.warnings, *unplayable], news=news, shown=len(shown), games=summary.games,
        shown_rows=sections.SHOWN, settings=sections.settings({**settings(event), **provenance}),
    )  # fmt: skip
    data = table | {"themed": True, "standings": before if running else now}
    if shown:
        files = _files(playable, rulesets, found.as_dict())
        data["downloads"] = {name: packed_json(text) for name, text in files.items()}
    return _document(title(event), body, data)


def _files(records: Sequence[GameRecord], rulesets: Mapping[str, Ruleset], tables: dict[str, Any]) -> dict[str, str]:
    """What can be kept of the page, by the names of its files."""
    kinds = {"games.json": "json", "games.csv": "csv", "moves.csv": "moves"}
    files = {name: "".join(export.written(kind, records, rulesets)) for name, kind in kinds.items()}
    standings = tables["ratings"]
    files["standings.csv"] = "".join(export.csv_lines([*standings[0]] if standings else [], standings))
    return files | {"tables.json": json.dumps(tables, indent=1)}


def tables_html(name: str, games: Summary, shown: Sequence[sections.Table]) -> str:
    """A page of tables alone, with the rules and the numbers of games and players that they are about."""
    body = _TEMPLATES.get_template("report.html").render(
        title=name, players=len(games.players), rules=", ".join(map(label, games.rules)), tables=shown,
        games=games.games, shown=0, shown_rows=sections.SHOWN,
    )  # fmt: skip
    return _document(name, body, {"themed": True})


def _document(name: str, body: str, data: dict[str, Any]) -> str:
    styles, scripts = ([(_HERE / f"report.{kind}").read_text(encoding="utf-8")] for kind in ("css", "js"))
    return document(name, body, data, styles=styles, scripts=scripts)


def _games(
    records: Sequence[GameRecord], rulesets: Mapping[str, Ruleset], players: Sequence[str]
) -> tuple[dict[str, Any], list[GameRecord], list[str]]:
    """Games as ``report.js`` reads them; those that can be replayed; and a sentence about each of the others."""
    packer, playable, unplayable = Packer(), [], []
    words: dict[str, dict[str, int]] = {name: {} for name in ("rules", "reasons", "openings", "told")}
    seat = {player: k for k, player in enumerate(players)}

    def number_of(kind: str, word: str) -> int:
        return words[kind].setdefault(word, len(words[kind]))

    lines = []
    for record in records:
        rules = rulesets[record.rules]
        try:
            game = Replay(rules=rules, states=record.states(rules), actions=record.actions)
            place, last = game.pack(packer), game.states[-1]
            playable.append(record)
        except ValueError as error:
            unplayable.append(f"Game {record.number} cannot be replayed: {error}")
            place, last = [], None
        lines.append([
            record.number, seat[record.south], seat[record.north], number_of("rules", label(record.rules)),
            2 if record.winner is None else record.winner, number_of("reasons", reason_label(record.reason)),
            -1 if record.fault is None else record.fault, number_of("told", record.told_at(last)),
            len(record.actions), number_of("openings", record.opening),
            0 if record.scores is None else list(record.scores),
            [None if seconds is None else round(seconds, 3) for seconds in record.times], place,
        ])  # fmt: skip
    told = {name: list(found) for name, found in words.items()}
    table = {"players": list(players), "lines": lines, **told}
    return packer.packed() | {"games": packed_json(table)}, playable, unplayable


def look(games: int, ratings: Sequence[Rating]) -> dict[str, Any]:
    """The standings as a report keeps them: {"games": 40, "players": {name: width of its interval or None}}, the best
    player first."""
    return {"games": games, "players": finite({line.player: line.high - line.low for line in ratings})}


def last_look(page: Path) -> dict[str, Any] | None:
    """What the report at this place keeps; None without a report, or with one that keeps none."""
    try:
        if page.stat().st_size > MAX_BYTES or (found := _DATA.search(page.read_text(encoding="utf-8"))) is None:
            return None
        kept: Any = json_object(found[1]).get("standings")
        games, players = kept["games"], kept["players"]
        fits = type(games) is int and all(width is None or isinstance(width, int | float) for width in players.values())
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return {"games": games, "players": players} if fits else None


def changes(before: dict[str, Any] | None, now: dict[str, Any]) -> str:
    """In a sentence: new games, players who came or changed places, widths of intervals; "" without a look before, or
    after one at another event, whose players are not here."""
    if before is None or not before["players"].keys() <= now["players"].keys():
        return ""
    more = now["games"] - before["games"]
    if not more:
        return "No game has been added since the last look."
    was, ranks = ({name: k for k, name in enumerate(each["players"], 1)} for each in (before, now))
    parts = [f"{abs(more):,} {'game' if abs(more) == 1 else 'games'} {'more' if more > 0 else 'less'}"]
    parts += [f"{name} is new, at {rank}" for name, rank in ranks.items() if name not in was]
    parts += [
        f"{name} {'up' if rank < was[name] else 'down'} from {was[name]} to {rank}"
        for name, rank in ranks.items()
        if was.get(name, rank) != rank
    ] or ["the order is the same"]
    both = [(before["players"].get(name), width) for name, width in now["players"].items()]
    if known := [(old, new) for old, new in both if old is not None and new is not None]:
        old, new = (median(column) for column in zip(*known, strict=True))
        parts.append(f"an interval is {new:.0f} Elo wide where it was {old:.0f} (medians)")
    return f"Since the last look: {'; '.join(parts)}."
