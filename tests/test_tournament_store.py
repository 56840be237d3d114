"""Files of tournaments: nothing stored is lost, damage is noticed, and the files of others are left alone."""

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace

import pytest

from agents.executors import LocalExecutor
from agents.tournament import export, schedule
from agents.tournament.run import run_event
from agents.tournament.store import Store, StoreError, stored
from tests.event_files import edited
from tests.players import Looking
from tests.processes import PATIENCE
from tests.tournaments import ROOT, event_of, games_of, play, untimed

SMALL = event_of(rules=("kalah",), pairs=2)


@pytest.fixture(scope="module")
def small_games(tmp_path_factory):
    return play(SMALL, tmp_path_factory.mktemp("small") / "event.db")


@pytest.fixture
def small(small_games, tmp_path):
    """The file of a finished event, all of it in one piece."""
    path = tmp_path / "small.db"
    assert untimed(play(SMALL, path)) == untimed(small_games)
    edited(path)
    return path


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda path: path.write_text("years of work"), "is no tournament .and no database.; nothing was written"),
        (
            lambda path: edited(path, "PRAGMA application_id = 0"),
            "is a database, but no tournament; nothing was written",
        ),
        (lambda path: edited(path, "PRAGMA user_version = 5"), "has format 5; this version reads and writes 4"),
        (lambda path: os.truncate(path, 20), "is no tournament .and no database.; nothing was written"),
        (lambda path: os.truncate(path, 5000), "is damaged .*nothing was written to it.*recover"),
    ],
)
def test_a_file_that_is_no_event_is_left_alone(change, said, small):
    """Neither a writer nor a reader takes the file, and not a byte of it changes."""
    change(path := small)
    before = path.read_bytes()
    for given_event in (SMALL, None):
        with pytest.raises(StoreError, match=said) as caught, Store(path, given_event) as store:
            list(store.records())
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)
    assert path.read_bytes() == before


def test_a_file_with_another_event_is_left_alone(small, tmp_path):
    before = small.read_bytes()
    for event, said in (
        (replace(SMALL, pairs=3), "its pairs is 2, not 3"),
        (event_of("greedy", "random", rules=("kalah",), pairs=2), "its players are random, greedy"),
    ):
        with pytest.raises(StoreError, match=rf"holds another event: {said}; .*--resume"):
            run_event(event, small, executor=LocalExecutor(0))
    with pytest.raises(FileNotFoundError, match="there is no tournament at"):
        Store(tmp_path / "none.db")
    assert small.read_bytes() == before
    assert list(tmp_path.iterdir()) == [small]


@pytest.mark.parametrize("left", ["nothing", "a header", "a journal"])
def test_a_file_that_a_process_died_at_before_it_was_made_is_made(tmp_path, small_games, left):
    path = tmp_path / "event.db"
    path.touch()
    if left != "nothing":
        base = sqlite3.connect(path)
        base.execute("VACUUM" if left == "a header" else "PRAGMA journal_mode = WAL")
        base.close()
        assert path.stat().st_size > 0
    assert untimed(play(SMALL, path)) == untimed(small_games)


def test_one_process_writes_at_a_time_and_others_may_read(tmp_path, small_games):
    path = tmp_path / "event.db"
    pairing = schedule.Pairing(0, 0, "kalah", (0, 1))
    with Store(path, SMALL) as store:
        store.note_pairings([pairing])
        with pytest.raises(StoreError, match=rf"process {os.getpid()} writes to .* at this moment: wait for it"):
            Store(path, SMALL)
        for done, record in enumerate(small_games):
            store.add([stored(pairing, record)])
            store.flush()
            with Store(path) as reader:
                assert len(reader) == done + 1
                assert list(reader.records()) == small_games[: done + 1]
        assert len(store) == len(small_games)
    with Store(path, SMALL) as store:
        store.note_pairings([pairing])
        store.add([stored(pairing, record) for record in small_games])  # a game that comes twice is stored once
        store.flush()
        assert list(store.records()) == small_games
        assert [result.number for result in store.results()] == [0, 1, 2, 3]


@pytest.mark.integration
def test_reading_an_event_takes_no_lock_from_its_writer(tmp_path, small_games):
    """Else another process that comes and goes takes itself for the last one, and removes the log of the writer."""
    path, pairing = tmp_path / "event.db", schedule.Pairing(0, 0, "kalah", (0, 1))
    visit = (
        "import sqlite3, sys; base = sqlite3.connect(sys.argv[1]); base.execute('PRAGMA user_version'); base.close()"
    )
    with Store(path, SMALL) as store:
        store.note_pairings([pairing])
        with Store(path) as reader:
            assert len(reader) == 0
        subprocess.run([sys.executable, "-c", visit, str(path)], timeout=PATIENCE, check=True)
        store.add([stored(pairing, record) for record in small_games])
        store.flush()
        with Store(path) as reader:
            assert list(reader.records()) == small_games


def test_a_reader_cannot_write(small):
    before = small.read_bytes()
    with pytest.raises(StoreError, match=r"cannot write to .*readonly"), Store(small) as reader:
        reader.add([stored(schedule.Pairing(0, 0, "kalah", (0, 1)), next(reader.records()))])
    assert small.read_bytes() == before


FULL = """
import resource, signal, sys
from agents.tournament import command as tournament
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.exit(tournament.main(sys.argv[2:]))
"""


@pytest.mark.integration
@pytest.mark.parametrize("room", [2_000, 40_000, 120_000])
def test_a_full_disk_ends_the_event_in_words_and_costs_no_game_that_was_stored(tmp_path, room):
    path = tmp_path / "event.db"
    options = ["--agents", "random", "greedy", "--rules", "kalah", "--pairs", "800", "--processes", "0", "--quiet"]
    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(room), *options, "--out", str(path), "--no-report"],
        cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert ran.returncode == 2, ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert "cannot write to" in ran.stderr
    event = event_of(rules=("kalah",), pairs=800, rounds=1)
    before = games_of(path) if room > 40_000 else []
    records = play(event, path)
    assert len(records) == 1600
    assert records[: len(before)] == before


@pytest.mark.integration
@pytest.mark.parametrize("executor", [LocalExecutor(0), LocalExecutor(1)])
def test_a_game_is_on_the_disk_soon_after_it_ends_also_if_the_next_one_takes_long(tmp_path, executor):
    event, path = event_of("slow=x", "greedy", rules=("kalah",), pairs=1), tmp_path / "event.db"
    records = play(event, path, executor, agents={"slow": Looking(path)})
    assert [record.detail for record in records] == ["", ""]


@pytest.mark.integration
def test_the_export_command_writes_and_checks(small, small_games, tmp_path, capsys):
    files = {option: tmp_path / f"games.{option}" for option in ("games", "csv", "moves", "json")}
    options = [text for option, path in files.items() for text in (f"--{option}", str(path))]
    assert export.main([str(small), "--check", *options]) == 0
    assert capsys.readouterr().out.startswith("4 games: every move is legal")
    assert untimed(export.read_games(files["games"].read_text(encoding="utf-8"))) == untimed(small_games)
    assert all(path.stat().st_size for path in files.values())
    for wrong in (tmp_path / "none.db", ROOT / "pyproject.toml"):
        assert export.main([str(wrong), "--csv", str(tmp_path / "x")]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    with pytest.raises(SystemExit):  # the event itself
        export.main([str(small), "--games", str(small)])
    assert untimed(games_of(small)) == untimed(small_games)


def test_games_by_other_rules_are_not_added_to_an_event(tmp_path):
    event, path = event_of("a=random", "b=greedy", pairs=1), tmp_path / "event.db"
    run_event(event, path, executor=LocalExecutor(0))
    with Store(path, event) as store:
        made_by = store.provenance
        name = event.rules[0]
        with pytest.raises(StoreError, match="by other rules"):
            store.continue_with({**made_by, "rulesets": {name: "changed"}})
        store.continue_with({**made_by, "commit": "another"})
        store.continue_with({**made_by, "commit": "another"})
    with Store(path) as store:
        assert [each["commit"] for each in store.provenance["continued_by"]] == ["another"]


@pytest.mark.parametrize("changes", [{"players": (2, 3)}, {"players": (1, 0)}, {"rules": "oware"}, {"round": 1}])
def test_a_pairing_that_differs_from_the_one_that_was_noted_is_refused(changes, tmp_path):
    event = event_of("a=random", "b=random", "c=random", "d=random", form="swiss", rules=("kalah", "oware"))
    noted, fresh = schedule.Pairing(0, 0, "kalah", (0, 1)), schedule.Pairing(100, 0, "kalah", (2, 3))
    with Store(tmp_path / "event.db", event) as store:
        store.note_pairings([noted])
        with pytest.raises(StoreError, match=r"has a against b \(kalah, round 1\) as game 0, and now it would be"):
            store.note_pairings([fresh, replace(noted, **changes)])
        assert store.pairings(0) == [noted]
        store.note_pairings([noted, fresh])
    with Store(tmp_path / "event.db") as store:
        assert store.pairings(0) == [noted, fresh]
        assert store.pairings(1) == []
