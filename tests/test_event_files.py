"""Files of events from strangers, and damaged ones: read as they were written, or refused in one line."""

import random
import shutil
from contextlib import nullcontext

import pytest

from agents.executors import LocalExecutor
from agents.tournament import command as tournament
from agents.tournament import export, schema
from agents.tournament.event import Event, Player
from agents.tournament.run import run_event
from agents.tournament.store import Store, StoreError
from tests.event_files import edited, sealed
from tests.players import Slow

EVENT = Event((Player("slow", "x"), Player("random", "random")), ("oware",), pairs=2, max_plies=6)
DEEP = "[" * 100_000 + "]" * 100_000


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The file of a finished event, all of it in one piece."""
    path = tmp_path_factory.mktemp("event") / "event.db"
    run_event(EVENT, path, executor=LocalExecutor(0), agents={"slow": Slow(0.0)})
    edited(path, "PRAGMA journal_mode = DELETE", "PRAGMA page_size = 512", "VACUUM")
    return path


@pytest.fixture
def path(whole, tmp_path):
    return shutil.copy(whole, tmp_path / "event.db")


def content_of(path):
    with Store(path) as store:
        return store.event, store.provenance, list(store.records())


def refusal(path):
    """What a reader says of a file; it is one line."""
    with pytest.raises(StoreError) as caught:
        content_of(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.integration
def test_a_flipped_bit_or_a_cut_is_noticed_or_changes_nothing(whole, tmp_path):
    draw, content, path = random.Random(0), whole.read_bytes(), tmp_path / "damaged.db"
    known, said = content_of(whole), []
    for place in range(1000):
        broken = bytearray(content)
        if place % 10 == 0:
            del broken[draw.randrange(len(content)) :]
        else:
            broken[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        path.write_bytes(broken)
        try:
            found = content_of(path)
        except StoreError as error:
            said.append(str(error))
        else:
            assert found == known
        assert path.read_bytes() == broken
    assert len(said) > 300  # how many hit what is in use differs with the times of the games
    assert not any("\n" in line for line in said)


OF_THE_FILE = [
    "DELETE FROM games WHERE number = 1",
    "DELETE FROM games",
    "UPDATE games SET number = CASE number WHEN 0 THEN 2 ELSE 3 END + 10 WHERE number IN (0, 1)",
    "UPDATE pairings SET one = other, other = one",
    "UPDATE event SET content = replace(content, '\"seed\": 0', '\"seed\": 1') WHERE name = 'event'",
    "UPDATE event SET content = replace(content, 'mancala_env', 'mancala-env') WHERE name = 'provenance'",
    "UPDATE games SET digest = x'00'",
    "DELETE FROM event WHERE name = 'digest'",
]
OF_A_GAME = [  # noticed where the game is read
    "UPDATE games SET thoughts = NULL WHERE number = 2",
    "UPDATE games SET ended = ended + 1 WHERE number = 1",
    "UPDATE games SET actions = x'00' WHERE number = 1",
    "UPDATE games SET opening = opening || ' ' WHERE number = 0",
]


@pytest.mark.parametrize("change", OF_THE_FILE + OF_A_GAME)
def test_a_changed_row_is_noticed_by_every_reader_and_stays_one_when_the_event_goes_on(change, path, capsys):
    edited(path, change)
    said = refusal(path)
    before = path.read_bytes()
    for command, arguments in ((export.main, [str(path), "--check"]), (tournament.main, ["--resume", str(path)])):
        assert command(arguments) == 2
        assert said in capsys.readouterr().err
    with pytest.raises(StoreError) if change in OF_THE_FILE else nullcontext():  # it does not go on, or changes nothing
        run_event(EVENT, path, executor=LocalExecutor(0), agents={"slow": Slow(0.0)})
    assert refusal(path) == said
    assert path.read_bytes() == before or change in OF_A_GAME


def test_games_in_another_order_are_noticed(path):
    rows = "UPDATE games SET number = number + ? WHERE number = ?"
    edited(path, (rows, (100, 0)), (rows, (-1, 1)), (rows, (-99, 100)))
    assert "is not as it was written (game 0)" in refusal(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        *(
            (f"UPDATE games SET {change}", "is as no game can be")
            for change in (
                "winner = 7",
                "fault = 9",
                "fault = 0, reason = 'crash', winner = 0",
                "fault = 0, winner = NULL",
                "south_seed = -1",
                "south_score = 1e300",
                "south_score = 1.0, north_score = NULL",
                "north_time = -1.0",
                "ended = 9e999",
                "reason = 'crash'",
                "reason = 'boredom'",
                "reason = CAST(x'ff' AS TEXT)",
            )
        ),
        ("UPDATE games SET number = 99 WHERE number = 3", "game 99 is not of the pairing"),
        ("UPDATE games SET pairing = 4", "of a pairing that is not there"),
        ("UPDATE pairings SET first = 8", "beyond the games"),
        ("UPDATE pairings SET first = 1", "not in the schedule"),
        ("UPDATE pairings SET round = 7", "not in the schedule"),
        ("UPDATE pairings SET one = 'nobody'", "is no pairing of its event"),
        (("UPDATE games SET thoughts = ?", (DEEP,)), "nested more than"),
        ("UPDATE games SET thoughts = '{}'", "thoughts are not those of"),
        ("UPDATE games SET thoughts = '[[1,2,\"x\"],[],[],[],[],[]]'", "has the thought"),
        (("UPDATE event SET content = ? WHERE name = 'event'", (DEEP,)), "nested more than"),
        (("UPDATE event SET content = ? WHERE name = 'event'", ("9" * 5000,)), "no event that this version can read"),
        ("UPDATE event SET content = '[]' WHERE name = 'provenance'", "no JSON object"),
        (("UPDATE event SET content = ? WHERE name = 'provenance'", (DEEP,)), "nested more than"),
        ("UPDATE event SET content = '{\"rulesets\": []}' WHERE name = 'provenance'", "rulesets of its provenance"),
        ("UPDATE event SET content = '{\"continued_by\": [1]}' WHERE name = 'provenance'", "continued_by"),
        ("INSERT INTO event VALUES ('more', '{}')", "settings are not those"),
    ],
)
def test_what_no_event_holds_is_refused_even_with_digests_that_fit(change, said, path):
    edited(path, change)
    sealed(path)
    assert said in refusal(path)


@pytest.mark.parametrize(
    "change",
    [
        "games SET winner = 'South'", "games SET actions = 'text'", "games SET digest = 'text'",
        "games SET ended = 'late'", "games SET opening = x'63' WHERE number = 0", "pairings SET round = 'x'",
        "games SET thoughts = x'00'", "event SET content = x'00' WHERE name = 'provenance'",
    ],
)  # fmt: skip
def test_values_of_other_types_are_refused(change, path):
    """Somebody who means it first has the file say that its table is not strict, and then that it is."""
    said, name = "UPDATE sqlite_master SET sql = ? WHERE name = ?", change.split()[0]
    loose = schema.TABLES[name].removesuffix("STRICT")
    for sql, more in ((loose, ()), (schema.TABLES[name], (f"UPDATE {change}",))):
        edited(path, *more, "PRAGMA writable_schema = ON", (said, (sql, name)))
    assert f"value in {name}" in refusal(path)


ENDLESS = "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n) SELECT k"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (["DROP TABLE pairings", f"CREATE VIEW pairings AS {ENDLESS} AS first, 0 AS round FROM n"], "its view"),
        (["ALTER TABLE games ADD COLUMN more INTEGER"], "its table 'games' is not that of a tournament"),
        (["ALTER TABLE event ADD COLUMN more INT AS (length(content))"], "its table 'event' is not that"),
        (["DROP VIEW played"], "it has no table 'played'"),
        (["CREATE TABLE more (x)"], "it has a table 'more', which no tournament has"),
        (["CREATE VIEW more AS SELECT 1"], "it has a view 'more'"),
        (["CREATE INDEX more ON games (reason)"], "it has a index 'more'"),
        (["CREATE TRIGGER more AFTER INSERT ON games BEGIN DELETE FROM games; END"], "it has a trigger 'more'"),
        (["DROP VIEW played", f"CREATE VIEW played AS {ENDLESS} FROM n"], "its view 'played' is not that"),
    ],
)
def test_other_tables_are_refused(changes, said, path):
    edited(path, *changes)
    assert said in refusal(path)
