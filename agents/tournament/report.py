"""An event as one self-contained HTML page: tables, pictures, and every game to replay. Needs only a browser."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from agents.provenance import finite
from agents.tournament import export, sections
from agents.tournament.ratings import Rating
from agents.tournament.record import GameRecord, reason_label
from agents.tournament.standings import crosstable, differences
from agents.tournament.summary import Games, Summary
from mancala_env.replay import Replay
from mancala_env.replay.packing import Packer, packed_json
from mancala_env.replay.page import document
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import label

_HERE = Path(__file__).parent
_TEMPLATES = jinja2.Environment(  # everything that an event says is text, and becomes no markup
    autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=jinja2.FileSystemLoader(_HERE)
)


def report_html(
    games: Games,
    rulesets: Mapping[str, Ruleset],
    *,
    title: str,
    ratings: Sequence[Rating] = (),
    warnings: Sequence[str] = (),
    verdict: str = "",
    bracket: Sequence[Mapping[str, Any]] = (),
    provenance: Mapping[str, Any] | None = None,
    tables: Mapping[str, Any] | None = None,
    move_time: float | None = None,
    news: Sequence[str] = (),
    standings: Mapping[str, Any] | None = None,
) -> str:
    """An event as one HTML file. The tables are of all games; to be replayed and downloaded it holds those of
    ``Summary.chosen``. ValueError if a game is of a ruleset that is not given.

    Parameters
    ----------
    games : the games as records, or their summary
    rulesets : the ruleset of each name that the games use
    ratings, warnings : the standings, best first, and what a reader should know before they trust them
    verdict : the state of a sequential test, below the standings
    bracket : the matches of a knockout, as ``tables.bracket_of`` lists them
    provenance, tables : settings and versions, and the tables (to be downloaded), as nested plain data
    move_time : seconds for a move, if there was such a limit: how often it was passed stands beside the times
    news, standings : sentences at the top, and what the page keeps for the next look (``changes.look``)
    """
    summary = Summary.of(games, rulesets, move_time)
    if missing := sorted(set(summary.rules) - set(rulesets)):
        raise ValueError(f"no ruleset is given for {', '.join(missing)}; there are {', '.join(rulesets)}")
    players = list(dict.fromkeys([*(line.player for line in ratings), *summary.players]))  # as in the standings
    shown = summary.chosen()
    table, playable, unplayable = _games(shown, rulesets, players)
    warnings = [*warnings, *unplayable]
    tables_shown = [
        sections.standings(ratings, verdict), sections.bracket(bracket),
        sections.crosstable(crosstable(summary), players), sections.differences(differences(summary, players)),
        sections.thinking(summary.thinking, players, move_time), sections.seats(summary),
        sections.endings(summary, rulesets), sections.faults(summary), sections.openings(summary),
    ]  # fmt: skip
    body = _TEMPLATES.get_template("report.html").render(
        title=title, players=len(players), rules=", ".join(map(label, summary.rules)), tables=tables_shown,
        warnings=warnings, news=news, shown=len(shown), games=summary.games, shown_rows=sections.SHOWN,
        with_tables=bool(tables), settings=sections.settings(provenance or {}),
    )  # fmt: skip
    data = table | {"themed": True, "standings": standings}
    if shown:
        data["downloads"] = {name: packed_json(text) for name, text in _files(playable, rulesets, tables or {}).items()}
    return _document(title, body, data)


def _files(records: Sequence[GameRecord], rulesets: Mapping[str, Ruleset], tables: Mapping[str, Any]) -> dict[str, str]:
    """What can be kept of the page, by the names of its files."""
    kinds = {"games.json": "json", "games.csv": "csv", "moves.csv": "moves"}
    files = {name: "".join(export.written(kind, records, rulesets)) for name, kind in kinds.items()}
    standings = finite(tables.get("ratings", []))
    files["standings.csv"] = "".join(export.csv_lines([*standings[0]] if standings else [], standings))
    return files | {"tables.json": json.dumps(finite(tables), indent=1)}


def tables_html(title: str, games: Summary, shown: Sequence[sections.Table]) -> str:
    """A page of tables alone, with the rules and the numbers of games and players that they are about."""
    body = _TEMPLATES.get_template("report.html").render(
        title=title, players=len(games.players), rules=", ".join(map(label, games.rules)), tables=shown,
        games=games.games, shown=0, shown_rows=sections.SHOWN,
    )  # fmt: skip
    return _document(title, body, {"themed": True})


def _document(title: str, body: str, data: dict[str, Any]) -> str:
    styles, scripts = ([(_HERE / f"report.{kind}").read_text(encoding="utf-8")] for kind in ("css", "js"))
    return document(title, body, data, styles=styles, scripts=scripts)


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
