"""Files of events as others may write them."""

import contextlib
import sqlite3

from agents.tournament import schema


def edited(path, *statements):
    """Change a file by SQL, as its owner may; a statement is a text, or a text and its values."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as base:
        for statement in statements:
            base.execute(*((statement,) if isinstance(statement, str) else statement))
        base.execute("PRAGMA journal_mode = DELETE")


def sealed(path):
    """Give every row of a changed file the digest that it should have: what somebody can do who means it."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as base:
        texts = dict(base.execute("SELECT name, content FROM event WHERE name <> 'digest'"))
        total = schema.added(0, *(schema.digest("event", *each) for each in texts.items()))
        for row in base.execute("SELECT first, round, rules, one, other FROM pairings"):
            total = schema.added(total, schema.digest("pairing", *row))
        key = schema.digest("event", texts["event"])
        base.text_factory = lambda text: text.decode(errors="replace")
        met = {first: row for first, *row in base.execute("SELECT first, round, rules, one, other FROM pairings")}
        for *row, before in base.execute("SELECT * FROM games").fetchall():
            made = before
            with contextlib.suppress(TypeError, ValueError, KeyError):  # texts in the place of numbers
                made = schema.game_digest(key, met[row[1]], row)
            base.execute("UPDATE games SET digest = ? WHERE number = ?", (made, row[0]))
            total = schema.added(total, made)
        base.execute("UPDATE event SET content = ? WHERE name = 'digest'", (f"{total:032x}",))
