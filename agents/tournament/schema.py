"""The tables of an event's file: what each row may hold, and the digests by which a changed row is noticed. Of what
types values are SQLite checks; whatever a file holds, what is checked here ends in a value or in a ValueError."""

import sqlite3
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from agents.reading import json_value
from agents.tournament.event import Event
from agents.tournament.record import ADJUDICATED, FAULTS, GameRecord, Thought
from agents.tournament.schedule import Limits
from mancala_env.ending import ENDINGS

FORMAT = 4
SQLITE = (3, 37)  # has the tables below
LONGEST = 64 << 20  # bytes of a text or blob
TABLES = {
    "event": "CREATE TABLE event (name TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT",
    "pairings": """CREATE TABLE pairings (
    first INTEGER PRIMARY KEY, round INTEGER NOT NULL, rules TEXT NOT NULL, one TEXT NOT NULL, other TEXT NOT NULL)
    STRICT""",
    "games": """CREATE TABLE games (
    number INTEGER PRIMARY KEY, pairing INTEGER NOT NULL REFERENCES pairings, opening TEXT NOT NULL,
    south_seed INTEGER NOT NULL, north_seed INTEGER NOT NULL, actions BLOB NOT NULL, winner INTEGER,
    reason TEXT NOT NULL, fault INTEGER, detail TEXT NOT NULL, thoughts TEXT, south_score REAL, north_score REAL,
    south_time REAL, north_time REAL, ended REAL NOT NULL, digest BLOB NOT NULL) STRICT""",
    "played": """CREATE VIEW played AS SELECT games.number AS number,
    CASE (games.number - first) % 2 WHEN 0 THEN one ELSE other END AS south,
    CASE (games.number - first) % 2 WHEN 0 THEN other ELSE one END AS north,
    rules, round, opening, winner, reason, fault, detail, length(actions) AS plies,
    south_score, north_score, south_time, north_time
    FROM games JOIN pairings ON pairing = first""",
}

Row = Sequence[Any]
PairingRow = tuple[int, str, str, str]  # the round, rules and players of a pairing
_FAULTS, _REASONS = (", ".join(map(repr, words)) for words in (FAULTS, {*FAULTS, *ADJUDICATED, *ENDINGS}))
_WRONG = f"""SELECT number FROM games WHERE south_seed < 0 OR north_seed < 0
    OR winner NOT IN (0, 1) OR (fault IS NOT NULL AND fault IS NOT 1 - winner)
    OR reason NOT IN ({_REASONS}) OR (reason IN ({_FAULTS})) <> (fault IS NOT NULL)
    OR (south_score IS NULL) <> (north_score IS NULL) OR abs(south_score) > 1e9 OR abs(north_score) > 1e9
    OR south_time NOT BETWEEN 0 AND 1e9 OR north_time NOT BETWEEN 0 AND 1e9 OR abs(ended) > 1e300"""
_MODULUS = 1 << 128


def check_tables(base: sqlite3.Connection) -> None:
    """Raise ValueError unless the file has exactly the tables of a tournament: others may run for ever, or write."""
    known = {name: _flat(sql) for name, sql in TABLES.items()}
    found = set()
    for kind, name, sql in base.execute("SELECT type, name, sql FROM sqlite_master"):
        if kind == "index" and sql is None:  # of a key
            continue
        shown = ascii(name)[:60]
        if name not in known:
            raise ValueError(f"it has a {kind} {shown}, which no tournament has")
        if type(sql) is not str or _flat(sql) != known[name] or kind != ("view" if name == "played" else "table"):
            raise ValueError(f"its {kind} {shown} is not that of a tournament")
        found.add(name)
    if missing := sorted(known.keys() - found):
        raise ValueError(f"it has no table {missing[0]!r}")


def _flat(sql: str) -> str:
    return " ".join(sql.split())


def digest(*row: Any, key: bytes = b"") -> bytes:
    """16 bytes that change with any value of a row: whole numbers, floats, texts, bytes and None."""
    return blake2b(ascii(row).encode(), digest_size=16, key=key).digest()


def game_digest(key: bytes, met: PairingRow, row: Row) -> bytes:
    """The digest of a game, from its columns up to the digest, what its pairing is, and the event's key."""
    # As SQLite gives them back: numbers as floats, and no negative zero.
    numbers = [None if value is None else float(value) + 0.0 for value in row[11:]]
    return digest("game", *met[1:], *row[:11], *numbers, key=key)


def added(total: int, *digests: bytes, removed: Sequence[bytes] = ()) -> int:
    """The sum of digests modulo 2**128, brought up to date: not a chain, as games end in any order, and come again."""
    total += sum(int.from_bytes(each, "big") for each in digests)
    return (total - sum(int.from_bytes(each, "big") for each in removed)) % _MODULUS


def check_games(base: sqlite3.Connection) -> None:
    """Raise ValueError if the numbers or the reason of a game are what none can have."""
    for (number,) in base.execute(_WRONG):
        raise ValueError(f"game {number} is as no game can be")


def check_pairing(row: Row, event: Event, limits: Limits) -> None:
    """Raise ValueError unless (first, round, rules, one, other) is a pairing that the event can have."""
    first, round_, rules, one, other = row
    names = {player.name for player in event.players}
    if rules not in event.rulesets or not {one, other} <= names or one == other:
        raise ValueError(f"{_cut(one)} against {_cut(other)} under {_cut(rules)} is no pairing of its event")
    if not 0 <= round_ < limits.rounds or first % limits.span:
        raise ValueError(f"pairing {_cut(first)} of round {_cut(round_)} is not in the schedule of its event")
    if not 0 <= first < limits.numbers:
        raise ValueError(f"pairing {_cut(first)} is beyond the games of its event")


def thoughts_of(text: str | None, moves: int) -> tuple[Thought, ...]:
    """The thoughts that a game of so many moves has, from their text. Raises ValueError if these are others."""
    if text is None:
        return ()
    found = json_value(text)
    if not isinstance(found, list) or len(found) != moves:
        raise ValueError(f"its thoughts are not those of {moves} moves")
    for thought in found:
        if not isinstance(thought, list) or not 3 <= len(thought) <= len(Thought._fields):
            raise ValueError(
                f"a thought is {', '.join(Thought._fields[:3])}, and perhaps {', '.join(Thought._fields[3:])}"
            )
        if not all(each is None or (type(each) in (int, float) and abs(each) < 1e300) for each in thought):
            raise ValueError(f"a move has the thought {_cut(thought)}")
    return tuple(Thought(*thought) for thought in found)


def record_of(met: PairingRow, row: Row) -> GameRecord:
    """The record of a game that has been checked. Raises ValueError if its thoughts are not those of a game."""
    (
        number, first, opening, south_seed, north_seed, actions, winner, reason, fault, detail, thoughts,
        south_score, north_score, south_time, north_time, _,
    ) = row  # fmt: skip
    _, rules, one, other = met
    swapped = (number - first) % 2
    south, north = (other, one) if swapped else (one, other)
    return GameRecord(
        number, number - swapped, rules, south, north, opening, (south_seed, north_seed), tuple(actions), winner,
        reason, fault, detail, scores=None if south_score is None else (south_score, north_score),
        times=(south_time, north_time), thoughts=thoughts_of(thoughts, len(actions)),
    )  # fmt: skip


def check_provenance(content: Mapping[str, Any]) -> None:
    """Raise ValueError unless the parts that the program itself reads have the shapes in which it writes them."""
    rulesets, before = content.get("rulesets", {}), content.get("continued_by", [])
    if not isinstance(rulesets, dict):
        raise ValueError("the rulesets of its provenance are no object")
    if not (isinstance(before, list) and all(isinstance(each, dict) for each in before)):
        raise ValueError("continued_by of its provenance is no list of objects")


def _cut(value: object) -> str:
    return ascii(value)[:60]
