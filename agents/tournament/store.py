"""Games on disk: one SQLite file per event, which can be read during the event and survives a kill at any time."""

import json
import math
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agents import locks
from agents.processes import WINDOWS
from agents.reading import json_object
from agents.tournament.event import Event
from agents.tournament.record import GameRecord, Thought
from agents.tournament.schedule import Pairing

APPLICATION = 0x6D616E63  # "manc", in the header of the file
FORMAT = 1
# A table of its own: files of former versions have none, and former versions read files that have one.
_THOUGHTS = "CREATE TABLE IF NOT EXISTS thoughts (number INTEGER PRIMARY KEY, content TEXT NOT NULL)"
COMMIT_AFTER = 0.5  # seconds that a finished game may wait for the disk
_SCHEMA = """
CREATE TABLE event (name TEXT PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE pairings (
    first INTEGER PRIMARY KEY, round INTEGER NOT NULL, rules TEXT NOT NULL, one TEXT NOT NULL, other TEXT NOT NULL);
CREATE TABLE openings (number INTEGER PRIMARY KEY, position TEXT NOT NULL UNIQUE);
CREATE TABLE games (
    number INTEGER PRIMARY KEY, pairing INTEGER NOT NULL REFERENCES pairings,
    opening INTEGER NOT NULL REFERENCES openings, south_seed INTEGER NOT NULL, north_seed INTEGER NOT NULL,
    actions BLOB NOT NULL, winner INTEGER, reason TEXT NOT NULL, fault INTEGER, detail TEXT NOT NULL,
    south_score REAL, north_score REAL, south_time REAL, north_time REAL, ended REAL NOT NULL);
CREATE VIEW played AS SELECT games.number AS number,
    CASE (games.number - first) % 2 WHEN 0 THEN one ELSE other END AS south,
    CASE (games.number - first) % 2 WHEN 0 THEN other ELSE one END AS north,
    rules, round, position AS opening, winner, reason, fault, detail, length(actions) AS plies,
    south_score, north_score, south_time, north_time
    FROM games JOIN pairings ON pairing = first JOIN openings ON opening = openings.number;
"""


class StoreError(ValueError):
    """A file that is not a tournament, is damaged, or is in use. The message says which, and what to do."""


class Store:
    """The games of one event.

    Parameters
    ----------
    path : path of the file
    event : Event, optional
        With an event the file is made if it does not exist, and is written to; a file must hold the same event.
        Without one the file is only read.
    provenance : mapping, optional
        Versions, commit and machine; stored with a new file.

    Raises
    ------
    StoreError
        If the file is something else, is damaged, is being written to by another process, or holds another event.
        Nothing is changed then.
    FileNotFoundError
        If there is no such file, and no event is given.
    """

    def __init__(
        self, path: str | os.PathLike[str], event: Event | None = None, provenance: Mapping[str, Any] | None = None
    ) -> None:
        self.path = Path(path)
        self._lock: locks.Lock | None = None
        new = not self.path.exists()
        if new and event is None:
            raise FileNotFoundError(f"there is no tournament at {self.path}")
        if event is not None:
            if not locks.AVAILABLE:
                raise StoreError(
                    f"{self.path} cannot be written to: this system has no fcntl, by which one process at a time "
                    f"writes to an event; stored events can be read here, to play one {WINDOWS}"
                )
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._take_lock()
        try:
            self._open(event, provenance or {})
        except BaseException:
            self.close()
            raise
        self._waiting: list[tuple[Any, ...]] = []
        self._flushed, self._took = -math.inf, 0.0

    def _take_lock(self) -> None:
        """Take the lock for writing; it is released however the process ends."""
        lock = locks.Lock(Path(f"{self.path}.lock"))
        if not lock.take():
            raise StoreError(
                f"{self.path} is being written to by {lock.holder}; wait for it, or give this event a file of its own"
            )
        self._lock = lock

    def _open(self, event: Event | None, provenance: Mapping[str, Any]) -> None:
        readable = event is None
        address = f"{self.path.absolute().as_uri()}?mode={'ro' if readable else 'rwc'}"
        empty = not self.path.exists() or self.path.stat().st_size == 0
        if not empty:
            with self.path.open("rb") as file:
                if file.read(16) != b"SQLite format 3\0":
                    raise StoreError(f"{self.path} is no tournament (and no database); nothing was written to it")
        try:
            self._base = sqlite3.connect(address, uri=True, isolation_level=None, timeout=30.0)
            if event is not None and (empty or self._is_blank()):
                self._create(event, provenance)
            if readable:
                self._reach(address)
            self._check()
        except sqlite3.DatabaseError as error:
            raise self._damaged(error) from error
        self.event = Event.from_dict(self._content("event"))
        self.provenance: dict[str, Any] = self._content("provenance")
        if event is not None and event != self.event:
            raise StoreError(
                f"{self.path} holds another event: {_difference(event, self.event)}; give this one a file "
                "of its own, or go on with that one by --resume"
            )
        if event is not None:
            self._base.execute("PRAGMA synchronous = NORMAL")
            self._make_room_for_unknown_times()
            try:
                self._base.execute(_THOUGHTS)
            except sqlite3.Error as error:
                raise self._unwritable(error) from error
        try:
            self._has_thoughts = bool(list(self._base.execute("PRAGMA table_info(thoughts)")))
            found = self._base.execute("SELECT number, position FROM openings")
            self._openings = {text: number for number, text in found}
            rows = self._base.execute("SELECT first, round, rules, one, other FROM pairings")
            self._pairings: dict[int, tuple[int, str, str, str]] = {first: tuple(row) for first, *row in rows}
        except sqlite3.DatabaseError as error:
            raise self._damaged(error) from error

    def _make_room_for_unknown_times(self) -> None:
        """Convert files of an older format, in which every game has a time, 0 where it was not measured."""
        columns = {name: demanded for _, name, _, demanded, *_ in self._base.execute("PRAGMA table_info(games)")}
        if not columns.get("south_time"):
            return
        games = _SCHEMA[_SCHEMA.index("CREATE TABLE games") :]
        unknown = "south_time = 0.0 AND north_time = 0.0 AND length(actions) > 0"
        try:
            self._base.executescript(
                "BEGIN IMMEDIATE; DROP VIEW IF EXISTS played; ALTER TABLE games RENAME TO games_before;"
                f"{games} INSERT INTO games SELECT * FROM games_before; DROP TABLE games_before;"
                f"UPDATE games SET south_time = NULL, north_time = NULL WHERE {unknown}; COMMIT"
            )
        except sqlite3.Error as error:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            raise self._unwritable(error) from error

    def _reach(self, address: str) -> None:
        """Open a file in a folder that cannot be written to: without its log SQLite reads it only as immutable."""
        try:
            self._base.execute("PRAGMA schema_version")
        except sqlite3.OperationalError:
            if Path(f"{self.path}-wal").exists():
                raise
            self._base.close()
            self._base = sqlite3.connect(f"{address}&immutable=1", uri=True, isolation_level=None)

    def _is_blank(self) -> bool:
        """Whether the file is an empty database, as left by a process that died before it had written the tables."""
        ((application,),) = self._base.execute("PRAGMA application_id")
        ((version,),) = self._base.execute("PRAGMA user_version")
        ((entries,),) = self._base.execute("SELECT count(*) FROM sqlite_master")
        return not application and not version and not entries

    def _create(self, event: Event, provenance: Mapping[str, Any]) -> None:
        try:
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.executescript(
                f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; {_SCHEMA}"
            )
            for name, content in (("event", event.as_dict()), ("provenance", dict(provenance))):
                self._base.execute("INSERT INTO event VALUES (?, ?)", (name, json.dumps(content)))
            self._base.execute("COMMIT")
        except sqlite3.OperationalError as error:  # a fault of the disk, not of the file
            raise self._unwritable(error) from error

    def _check(self) -> None:
        ((application,),) = self._base.execute("PRAGMA application_id")
        ((version,),) = self._base.execute("PRAGMA user_version")
        if application != APPLICATION:
            raise StoreError(f"{self.path} is a database, but no tournament; nothing was written to it")
        if version != FORMAT:
            raise StoreError(f"{self.path} has format {version}; this version reads and writes {FORMAT}")
        problems = [text for (text,) in self._base.execute("PRAGMA quick_check(3)")]
        if problems != ["ok"]:
            raise self._damaged(sqlite3.DatabaseError("; ".join(problems)))

    def _damaged(self, error: Exception) -> StoreError:
        return StoreError(
            f"{self.path} is damaged ({error}); nothing was written to it. Games that can still be read may be saved "
            f"with: sqlite3 {self.path} .recover"
        )

    def _unwritable(self, error: Exception) -> StoreError:
        return StoreError(
            f"cannot write to {self.path}: {error}. Games stored before are safe; make room and go on with --resume"
        )

    def _content(self, name: str) -> dict[str, Any]:
        try:
            ((text,),) = self._base.execute("SELECT content FROM event WHERE name = ?", (name,)).fetchall()
            content = json_object(text)
        except (sqlite3.DatabaseError, ValueError, TypeError) as error:
            raise self._damaged(error) from error
        return content

    def continue_with(self, provenance: Mapping[str, Any]) -> None:
        """Store the provenance of the games from now on, if it differs from that of the games before.

        Raises
        ------
        StoreError
            If a ruleset of the event has changed since: its games could not be compared.
        """
        now, before = provenance.get("rulesets", {}), self.provenance.get("rulesets", {})
        if changed := [name for name in now if before.get(name, now[name]) != now[name]]:
            raise StoreError(
                f"{self.path} has games of {changed[0]} by other rules ({before[changed[0]]}, and now it is "
                f"{now[changed[0]]}); give this event a file of its own, or go back to the version that began it"
            )
        known = [self.provenance, *self.provenance.get("continued_by", [])]
        parts = ("package", "commit", "python", "versions", "machine")
        if not any(all(each.get(part) == provenance.get(part) for part in parts) for each in known):
            more = {part: provenance.get(part) for part in parts}
            self.provenance["continued_by"] = [*self.provenance.get("continued_by", []), more]
            self._keep_provenance()

    def note_played_alone(self, players: tuple[str, str], rules: str, error: str) -> None:
        """Store once, in ``provenance["played_alone"]``, that two players could not play their games in a batch.

        The entry maps each error to the places where it was raised: ``{error: ["one against other (rules)", ...]}``.
        """
        where = f"{players[0]} against {players[1]} ({rules})"
        known: dict[str, list[str]] = self.provenance.get("played_alone", {})
        if not any(where in places for places in known.values()):
            self.provenance["played_alone"] = {**known, error: [*known.get(error, []), where]}
            self._keep_provenance()

    def _keep_provenance(self) -> None:
        try:
            self._base.execute("UPDATE event SET content = ? WHERE name = 'provenance'", (json.dumps(self.provenance),))
        except sqlite3.Error as error:
            raise self._unwritable(error) from error

    def admit(self, event: Event) -> None:
        """Store an open event with more players than before, whose games come after all others.

        Raises
        ------
        StoreError
            If it differs in anything else.
        """
        before = self.event.players
        if replace(event, players=before) != self.event or event.players[: len(before)] != before:
            raise StoreError(f"{self.path} holds another event: {_difference(event, self.event)}")
        try:
            self._base.execute("UPDATE event SET content = ? WHERE name = 'event'", (json.dumps(event.as_dict()),))
        except sqlite3.Error as error:
            raise self._unwritable(error) from error
        self.event = event

    def note_pairings(self, pairings: Sequence[Pairing]) -> None:
        """Store pairings, all of them or none, before their games.

        Raises
        ------
        StoreError
            If the file has others under the same numbers: games would be stored under wrong names.
        """
        names = [player.name for player in self.event.players]
        fresh: dict[int, tuple[int, str, str, str]] = {}
        for pairing in pairings:
            one, other = (names[player] for player in pairing.players)
            row = (pairing.round, pairing.rules, one, other)
            known = self._pairings.get(pairing.first, row)
            if known != row:
                raise StoreError(
                    f"{self.path} has {known[2]} against {known[3]} ({known[1]}, round {known[0] + 1}) as game "
                    f"{pairing.first}, and now it would be {one} against {other} ({pairing.rules}, round "
                    f"{pairing.round + 1}); nothing was written. Give this event a file of its own, or go back to the "
                    "version that began it"
                )
            if pairing.first not in self._pairings:
                fresh[pairing.first] = row
        try:
            self._base.execute("BEGIN IMMEDIATE")
            for first, row in fresh.items():
                self._base.execute("INSERT INTO pairings VALUES (?, ?, ?, ?, ?)", (first, *row))
            self._base.execute("COMMIT")
        except sqlite3.Error as error:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            raise self._unwritable(error) from error
        self._pairings |= fresh

    def pairings(self, number: int) -> list[Pairing]:
        """The stored pairings of a round, in the order of their games.

        Raises
        ------
        StoreError
            If they name players or rulesets that the event does not have.
        """
        numbers = {player.name: k for k, player in enumerate(self.event.players)}
        found = []
        for first, (round_, rules, one, other) in sorted(self._pairings.items()):
            if round_ == number:
                if rules not in self.event.rulesets or one not in numbers or other not in numbers:
                    raise self._damaged(ValueError(f"{one} against {other} under {rules} is no pairing of its event"))
                found.append(Pairing(first, round_, rules, (numbers[one], numbers[other])))
        return found

    def done(self) -> set[int]:
        """The numbers of all games that are stored."""
        self.flush()
        return {number for (number,) in self._base.execute("SELECT number FROM games")}

    def forget_faults(self) -> int:
        """Delete all games that were lost by a fault, so that they are played again. Returns their number."""
        try:
            self._base.execute(
                "DELETE FROM thoughts WHERE number IN (SELECT number FROM games WHERE fault IS NOT NULL)"
            )
            return int(self._base.execute("DELETE FROM games WHERE fault IS NOT NULL").rowcount)
        except sqlite3.Error as error:
            raise self._unwritable(error) from error

    def add(self, games: Iterable["StoredGame"]) -> None:
        """Add games, and write them to the disk unless that was done a moment ago: then a later call does.

        A moment is ``COMMIT_AFTER``, or twenty times the time of the last write if that is less: games that end one by
        one are written soon, and those that come by the thousand are written in one transaction.
        """
        self._waiting.extend(games)
        if time.monotonic() - self._flushed >= min(COMMIT_AFTER, 20.0 * self._took):
            self.flush()

    def flush(self) -> None:
        """Write all added games to the disk.

        Raises
        ------
        StoreError
            If that fails, as on a full disk; games written before stay.
        """
        if not getattr(self, "_waiting", None):
            return
        now, begin = time.time(), time.monotonic()
        try:
            self._base.execute("BEGIN IMMEDIATE")
            rows = []
            fresh: dict[str, int] = {}  # becomes valid when they are on the disk
            thoughts = []
            for pairing, opening, *game, told in self._waiting:
                number = self._openings.get(opening, fresh.get(opening))
                if number is None:
                    number = fresh[opening] = len(self._openings) + len(fresh)
                    self._base.execute("INSERT INTO openings VALUES (?, ?)", (number, opening))
                rows.append((game[0], pairing, number, *game[1:], now))
                if told is not None:
                    thoughts.append((game[0], told))
            self._base.executemany(
                "INSERT OR IGNORE INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows
            )
            self._base.executemany("INSERT OR IGNORE INTO thoughts VALUES (?, ?)", thoughts)
            self._base.execute("COMMIT")
        except sqlite3.Error as error:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            raise self._unwritable(error) from error
        self._openings |= fresh
        self._waiting.clear()
        self._flushed = time.monotonic()
        self._took = self._flushed - begin

    def records(self, before: int | None = None) -> Iterator[GameRecord]:
        """All games in the order of the schedule; or those whose number is below ``before``."""
        self.flush()
        limit = -1 if before is None else before
        told, join = (
            ("content", "LEFT JOIN thoughts ON thoughts.number = games.number") if self._has_thoughts else ("NULL", "")
        )
        query = f"""SELECT games.number, first, rules, one, other, position, south_seed, north_seed, actions, winner,
            reason, fault, detail, south_score, north_score, south_time, north_time, {told}
            FROM games JOIN pairings ON pairing = first JOIN openings ON opening = openings.number {join}
            WHERE ? < 0 OR games.number < ? ORDER BY games.number"""
        try:
            for (
                number, first, rules, one, other, opening, south_seed, north_seed, actions, winner, reason,
                fault, detail, south_score, north_score, south_time, north_time, told_text,
            ) in self._base.execute(query, (limit, limit)):  # fmt: skip
                if not isinstance(opening, str) or not isinstance(actions, bytes) or not _fit(
                    (number, first, south_seed, north_seed, fault), (rules, one, other, reason, detail),
                    (south_score, north_score, south_time, north_time),
                ) or winner not in (None, 0, 1):  # fmt: skip
                    raise self._damaged(sqlite3.DatabaseError(f"game {number!r} holds what no game does"))
                south, north = (one, other) if (number - first) % 2 == 0 else (other, one)
                yield GameRecord(
                    number=number,
                    pair=number - (number - first) % 2,
                    rules=rules,
                    south=south,
                    north=north,
                    opening=opening,
                    seeds=(south_seed, north_seed),
                    actions=tuple(actions),
                    winner=winner,
                    reason=reason,
                    fault=fault,
                    detail=detail,
                    scores=None if south_score is None else (south_score, north_score),
                    times=(south_time, north_time),
                    thoughts=self._thoughts(number, told_text, len(actions)),
                )
        except sqlite3.DatabaseError as error:
            raise self._damaged(error) from error

    def _thoughts(self, number: int, text: object, moves: int) -> tuple[Thought, ...]:
        """The thoughts of a game of so many moves. Raises StoreError if these are others."""
        if text is None:
            return ()
        try:
            found = tuple(Thought(*thought) for thought in json.loads(str(text)))
        except (ValueError, TypeError) as error:
            raise self._damaged(error) from error
        known = [each for thought in found for each in thought if each is not None]
        if len(found) != moves or not all(type(each) in (int, float) and abs(each) < 1e300 for each in known):
            raise self._damaged(ValueError(f"the thoughts of game {number} are not those of {moves} moves"))
        return found

    def __len__(self) -> int:
        self.flush()
        ((count,),) = self._base.execute("SELECT count(*) FROM games")
        return int(count)

    def close(self) -> None:
        """Write all added games, and release the lock."""
        base = getattr(self, "_base", None)
        try:
            if base is not None and getattr(self, "_waiting", None):
                self.flush()
        finally:
            if base is not None:
                base.close()
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


# For ``Store.add``: the first game of the pairing, the opening, from the number on the columns of table ``games``, and
# the thoughts as JSON or None.
# A plain tuple, since tens of thousands of games may end in a second.
StoredGame = tuple[Any, ...]


def stored(pairing: Pairing, record: GameRecord) -> StoredGame:
    """A game as ``Store.add`` takes it."""
    south, north = record.scores if record.scores is not None else (None, None)
    return (
        pairing.first, record.opening, record.number, *record.seeds, bytes(record.actions), record.winner,
        record.reason, record.fault, record.detail, south, north, *record.times,
        json.dumps(record.thoughts) if record.thoughts else None,
    )  # fmt: skip


def _fit(whole: Sequence[Any], texts: Sequence[Any], numbers: Sequence[Any]) -> bool:
    """Are these whole numbers, texts, and finite numbers or None?"""
    *known, fault = whole
    return (
        all(type(value) is int for value in known)
        and fault in (None, 0, 1)
        and all(type(value) is str for value in texts)
        and all(value is None or (isinstance(value, int | float) and abs(value) < 1e300) for value in numbers)
    )


def _difference(one: Event, other: Event) -> str:
    """The first setting in which two events differ, in words."""
    mine, theirs = one.as_dict(), other.as_dict()
    for name, value in mine.items():
        if value != theirs[name]:
            if name == "players":
                return f"its players are {', '.join(player['name'] for player in theirs[name])}"
            return f"its {name} is {theirs[name]!r}, not {value!r}"
    return "it differs"
