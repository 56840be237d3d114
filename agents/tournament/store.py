"""Games on disk: one SQLite file per event, which can be read during the event and survives a kill at any time."""

import contextlib
import json
import math
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agents.processes import Locked, lock, require
from agents.reading import json_object
from agents.tournament import schema
from agents.tournament.event import OPEN, Event
from agents.tournament.record import GameRecord, Result
from agents.tournament.schedule import Pairing, limits

APPLICATION = 0x6D616E63  # "manc", in the header of the file
COMMIT_AFTER = 0.5  # seconds that a finished game may wait for the disk
_INSERT = f"INSERT INTO games VALUES ({', '.join('?' * 17)}) ON CONFLICT (number) DO NOTHING"
_PAIRINGS = "SELECT first, round, rules, one, other FROM pairings"


class StoreError(ValueError):
    """A file that is not a tournament, is damaged, or is in use. The message says which, and what to do."""


class Store:
    """The games of one event. With an event the file is made if there is none, and written to, ``provenance`` with a
    new one; without an event it is only read, and FileNotFoundError if there is none. ``StoreError``, and nothing is
    changed, if the file is something else, damaged, being written to by another process, or of another event."""

    def __init__(
        self, path: str | os.PathLike[str], event: Event | None = None, provenance: Mapping[str, Any] | None = None
    ) -> None:
        self.path = Path(path)
        self.event: Event
        self._held = contextlib.ExitStack()  # lock and database
        self._waiting: list[StoredGame] = []
        self._flushed, self._took = -math.inf, 0.0
        if event is None and not self.path.exists():
            raise FileNotFoundError(f"there is no tournament at {self.path}")
        if event is not None:
            require(f"{self.path} is read everywhere, and written to", "fcntl.flock")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            held = lock(Path(f"{self.path}.lock"), f"writes to {self.path}", "give this event a file of its own")
            try:
                self._held.enter_context(held)
            except Locked as error:
                raise StoreError(str(error)) from None
        try:
            self._open(event, provenance or {})
        except BaseException:
            self.close()
            raise

    def _open(self, event: Event | None, provenance: Mapping[str, Any]) -> None:
        if sqlite3.sqlite_version_info < schema.SQLITE:
            needed, found = ".".join(map(str, schema.SQLITE)), sqlite3.sqlite_version
            raise ValueError(f"events need SQLite {needed} or later, and this Python has {found}; take a newer Python")
        address = f"{self.path.absolute().as_uri()}?mode={'ro' if event is None else 'rwc'}"
        try:  # the file is opened by SQLite alone: closing any other descriptor of it drops the locks of this process
            self._base = sqlite3.connect(address, uri=True, isolation_level=None, timeout=30.0)
            self._held.callback(self._base.close)
            self._base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, schema.LONGEST)
            if event is None:
                self._reach(address)
            elif self._marks() == (0, 0) and not self._base.execute("SELECT 1 FROM sqlite_master").fetchall():
                self._create(event, provenance)  # also after a process that died before it was done
            self._check()
            self._read()
        except (sqlite3.Error, ValueError) as error:
            raise error if isinstance(error, StoreError) else self._damaged(error) from error
        if event is not None and event != self.event:
            raise StoreError(
                f"{self.path} holds another event: {_difference(event, self.event)}; give this one a file "
                "of its own, or go on with that one by --resume"
            )
        if event is not None:
            self._base.execute("PRAGMA synchronous = NORMAL")

    def _read(self) -> None:
        """Read what is not a game, and check that the rows are those that were written: all at one time."""
        self._base.execute("BEGIN")
        try:
            self._texts = dict(iter(self._base.execute("SELECT name, content FROM event")))
            kept = self._texts.pop("digest", None)
            if self._texts.keys() != {"event", "provenance"} or kept is None:
                raise ValueError("its settings are not those of a tournament")
            self._sum = self._summed()
        finally:
            self._base.execute("ROLLBACK")
        if kept != f"{self._sum:032x}":
            raise self._altered("some of its rows were changed, added or removed")
        try:
            self.event = Event.from_dict(json_object(self._texts["event"]))
        except ValueError as error:
            raise StoreError(f"{self.path} holds no event that this version can read: {error}") from error
        self._limits = limits(self.event)
        settings = self._texts["event"]
        if self.event.form == OPEN:  # whose players become more
            settings = json.dumps(replace(self.event, players=()).as_dict())
        self._key = schema.digest("event", settings)  # of the digests of games
        self.provenance: dict[str, Any] = json_object(self._texts["provenance"])
        schema.check_provenance(self.provenance)
        self._pairings: dict[int, schema.PairingRow] = {}
        self._read_pairings()

    def _read_pairings(self) -> None:
        for first, *row in self._base.execute(_PAIRINGS):
            schema.check_pairing((first, *row), self.event, self._limits)
            self._pairings[first] = tuple(row)

    def _summed(self) -> int:
        """The sum of the digests of all rows as they are now."""
        total = schema.added(0, *(schema.digest("event", *each) for each in self._texts.items()))
        for pairing in self._base.execute(_PAIRINGS):
            total = schema.added(total, schema.digest("pairing", *pairing))
        for (digest,) in self._base.execute("SELECT digest FROM games"):
            total = schema.added(total, digest)
        return total

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """What is written in the block is on the disk after it, with the sum of the digests, or nothing of it is."""
        before = self._sum
        try:
            self._base.execute("BEGIN IMMEDIATE")
            yield
            self._base.execute("INSERT OR REPLACE INTO event VALUES ('digest', ?)", (f"{self._sum:032x}",))
            self._base.execute("COMMIT")
        except BaseException as error:
            self._sum = before
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise self._unwritable(error) from error
            raise

    def _reach(self, address: str) -> None:
        """Open a file in a folder that cannot be written to: without its log SQLite reads it only as immutable."""
        try:
            self._base.execute("PRAGMA schema_version")
        except sqlite3.OperationalError:
            if Path(f"{self.path}-wal").exists():
                raise
            self._base.close()
            self._base = sqlite3.connect(f"{address}&immutable=1", uri=True, isolation_level=None)
            self._held.callback(self._base.close)

    def _marks(self) -> tuple[int, int]:
        """Application and version in the header of the file."""
        ((application,),) = self._base.execute("PRAGMA application_id")
        ((version,),) = self._base.execute("PRAGMA user_version")
        return application, version

    def _create(self, event: Event, provenance: Mapping[str, Any]) -> None:
        self._texts = {"event": json.dumps(event.as_dict()), "provenance": json.dumps(dict(provenance))}
        self._sum = schema.added(0, *(schema.digest("event", *each) for each in self._texts.items()))
        try:
            self._base.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:  # a fault of the disk, not of the file
            raise self._unwritable(error) from error
        with self._transaction():
            self._base.execute(f"PRAGMA application_id = {APPLICATION}")
            self._base.execute(f"PRAGMA user_version = {schema.FORMAT}")
            for statement in schema.TABLES.values():
                self._base.execute(statement)
            self._base.executemany("INSERT INTO event VALUES (?, ?)", self._texts.items())

    def _check(self) -> None:
        """Check the file as a whole, before anything that it says of itself is taken for true."""
        application, version = self._marks()
        if application != APPLICATION:
            raise StoreError(f"{self.path} is a database, but no tournament; nothing was written to it")
        if version != schema.FORMAT:
            raise StoreError(f"{self.path} has format {version}; this version reads and writes {schema.FORMAT}")
        schema.check_tables(self._base)
        problems = [text for (text,) in self._base.execute("PRAGMA quick_check(3)")]
        if problems != ["ok"]:
            raise self._damaged("; ".join(problems))
        schema.check_games(self._base)

    def _damaged(self, what: object) -> StoreError:
        if getattr(what, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
            return StoreError(f"{self.path} is no tournament (and no database); nothing was written to it")
        said = " ".join(str(what).split())
        return StoreError(
            f"{self.path} is damaged ({said}); nothing was written to it. Games that can still be read may be saved "
            f"with: sqlite3 {self.path} .recover"
        )

    def _altered(self, what: str) -> StoreError:
        return StoreError(
            f"{self.path} is not as it was written ({what}); nothing was written to it. Bring back a copy from before, "
            "or begin the event anew in another file"
        )

    def _unwritable(self, error: Exception) -> StoreError:
        return StoreError(
            f"cannot write to {self.path}: {error}. Games stored before are safe; make room and go on with --resume"
        )

    def continue_with(self, provenance: Mapping[str, Any]) -> None:
        """Store the provenance of the games from now on, if it differs from that of the games before. ``StoreError`` if
        a ruleset of the event has changed since."""
        now, before = provenance.get("rulesets", {}), self.provenance.get("rulesets", {})
        if changed := [name for name in now if before.get(name, now[name]) != now[name]]:
            raise StoreError(
                f"{self.path} has games of {changed[0]} by other rules ({before[changed[0]]}, and now it is "
                f"{now[changed[0]]}); give this event a file of its own, or go back to the version that began it"
            )
        known = [self.provenance, *self.provenance.get("continued_by", [])]
        parts = ("package", "commit", "python", "versions", "machine", "sandbox")
        if not any(all(each.get(part) == provenance.get(part) for part in parts) for each in known):
            more = {part: provenance.get(part) for part in parts}
            self.provenance["continued_by"] = [*self.provenance.get("continued_by", []), more]
            self._keep_text("provenance", json.dumps(self.provenance))

    def _keep_text(self, name: str, text: str) -> None:
        digests = [schema.digest("event", name, each) for each in (self._texts[name], text)]
        with self._transaction():
            self._sum = schema.added(self._sum, digests[1], removed=digests[:1])
            self._base.execute("UPDATE event SET content = ? WHERE name = ?", (text, name))
        self._texts[name] = text

    def admit(self, event: Event) -> None:
        """Store an open event with more players, whose games come after all others; ``StoreError`` if more differs."""
        before = self.event.players
        if replace(event, players=before) != self.event or event.players[: len(before)] != before:
            raise StoreError(f"{self.path} holds another event: {_difference(event, self.event)}")
        self._keep_text("event", json.dumps(event.as_dict()))
        self.event, self._limits = event, limits(event)

    def note_pairings(self, pairings: Sequence[Pairing]) -> None:
        """Store pairings, all or none, before their games. ``StoreError`` if there are others under these numbers."""
        names = [player.name for player in self.event.players]
        fresh: dict[int, schema.PairingRow] = {}
        for pairing in pairings:
            one, other = (names[player] for player in pairing.players)
            row = (pairing.round, pairing.rules, one, other)
            known = self._pairings.get(pairing.first, row)
            if known != row:
                there, now = (
                    f"{one} against {other} ({rules}, round {k + 1})" for k, rules, one, other in (known, row)
                )
                raise StoreError(
                    f"{self.path} has {there} as game {pairing.first}, and now it would be {now}; nothing was written. "
                    "Give this event a file of its own, or go back to the version that began it"
                )
            if pairing.first not in self._pairings:
                fresh[pairing.first] = row
        with self._transaction():
            for first, row in fresh.items():
                self._sum = schema.added(self._sum, schema.digest("pairing", first, *row))
                self._base.execute("INSERT INTO pairings VALUES (?, ?, ?, ?, ?)", (first, *row))
        self._pairings |= fresh

    def pairings(self, number: int) -> list[Pairing]:
        """The stored pairings of a round, in the order of their games."""
        numbers = {player.name: k for k, player in enumerate(self.event.players)}
        return [
            Pairing(first, round_, rules, (numbers[one], numbers[other]))
            for first, (round_, rules, one, other) in sorted(self._pairings.items())
            if round_ == number
        ]

    def forget_faults(self) -> None:
        """Delete all games that were lost by a fault, so that they are played again."""
        with self._transaction():
            lost = self._base.execute("SELECT digest FROM games WHERE fault IS NOT NULL").fetchall()
            self._sum = schema.added(self._sum, removed=[digest for (digest,) in lost])
            self._base.execute("DELETE FROM games WHERE fault IS NOT NULL")

    def add(self, games: Iterable["StoredGame"]) -> None:
        """Add games, and write them to the disk unless that was done just now; ``flush`` writes the last."""
        self._waiting.extend(games)
        if time.monotonic() - self._flushed >= min(COMMIT_AFTER, 20.0 * self._took):
            self.flush()

    def flush(self) -> None:
        """Write all added games to the disk; ``StoreError`` if that fails, as on a full disk: those before stay."""
        if not self._waiting:
            return
        now, begin = time.time(), time.monotonic()
        with self._transaction():
            total = self._sum
            for game in self._waiting:
                row = (*game, now)
                digest = schema.game_digest(self._key, self._pairings[game[1]], row)
                if self._base.execute(_INSERT, (*row, digest)).rowcount:  # a game that comes twice is stored once
                    total = schema.added(total, digest)
            self._sum = total
        self._waiting.clear()
        self._flushed = time.monotonic()
        self._took = self._flushed - begin

    def results(self, before: int | None = None) -> Iterator[Result]:
        """As ``records``, but only how each game ended: much faster, and what was changed in a game is not noticed."""
        query = """SELECT number, pairing, winner, fault FROM games WHERE ? IS NULL OR number < ? ORDER BY number"""
        with self._reading():
            for number, first, winner, fault in self._base.execute(query, (before, before)):
                one, other = self._pairing_of(number, first)[2:]
                south, north = (other, one) if (number - first) % 2 else (one, other)
                yield Result(number, south, north, winner, fault)

    def records(self, before: int | None = None) -> Iterator[GameRecord]:
        """The games in the order of the schedule, or those below a number, each checked against its digest."""
        query = "SELECT * FROM games WHERE ? IS NULL OR number < ? ORDER BY number"
        with self._reading():
            for *row, digest in self._base.execute(query, (before, before)):
                met = self._pairing_of(row[0], row[1])
                if digest != schema.game_digest(self._key, met, row):
                    raise self._altered(f"game {row[0]}")
                yield schema.record_of(met, row)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """What is wrong with the file in the block is a StoreError; what was added before is in the file."""
        self.flush()
        try:
            yield
        except StoreError:
            raise
        except (sqlite3.Error, ValueError) as error:
            raise self._damaged(error) from error

    def _pairing_of(self, number: int, first: int) -> schema.PairingRow:
        """The round, rules and players of a game; ValueError if there is no such pairing, or it has no such game."""
        if first not in self._pairings:  # a reader learns of those that were written since
            self._read_pairings()
        known = self._pairings.get(first)
        if known is None:
            raise ValueError(f"game {number} is of a pairing that is not there")
        if not 0 <= number - first < self._limits.span:
            raise ValueError(f"game {number} is not of the pairing that begins with game {first}")
        return known

    def __len__(self) -> int:
        with self._reading():
            ((count,),) = self._base.execute("SELECT count(*) FROM games")
            return int(count)

    def close(self) -> None:
        """Write all added games, and release the lock."""
        with self._held:
            self.flush()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


# For ``Store.add``: the columns of table ``games`` up to the times. A plain tuple, since tens of thousands of games may
# end in a second.
StoredGame = tuple[Any, ...]


def stored(pairing: Pairing, record: GameRecord) -> StoredGame:
    """A game as ``Store.add`` takes it."""
    south, north = record.scores if record.scores is not None else (None, None)
    return (
        record.number, pairing.first, record.opening, *record.seeds, bytes(record.actions), record.winner,
        record.reason, record.fault, record.detail,
        json.dumps([thought.known() for thought in record.thoughts]) if record.thoughts else None,
        south, north, *record.times,
    )  # fmt: skip


def _difference(one: Event, other: Event) -> str:
    """The first setting in which two events differ, in words."""
    mine, theirs = one.as_dict(), other.as_dict()
    for name, value in mine.items():
        if value != theirs[name]:
            if name == "players":
                return f"its players are {', '.join(player['name'] for player in theirs[name])}"
            return f"its {name} is {theirs[name]!r}, not {value!r}"
    return "it differs"
