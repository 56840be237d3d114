"""Tournaments of programs: bad ones lose by name, and nothing is left of them, whatever dies."""

import contextlib
import functools
import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from agents.tournament import command as tournament
from agents.tournament.store import Store, StoreError
from tests.processes import MANCALA, PATIENCE, PLAY, children, is_running, running, wait_until, write_bot
from tests.tournaments import ROOT, event_of, games_of, play, untimed

pytestmark = pytest.mark.integration

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")


def player(folder, name, start="", rules='say("rulesok")', go=PLAY):
    """A bot, which is written, as a player."""
    return f"{name}=cmd:{sys.executable} -S {write_bot(folder / f'{name}.py', start, rules, go)}"


@pytest.fixture
def bot(tmp_path):
    """``player`` in a folder of this test."""
    return functools.partial(player, tmp_path)


def bots_under(folder):
    """The ids of running bots whose command names a file in a folder."""
    return running(folder, but=b"\0tournament\0")


@LINUX
def test_whatever_a_bot_does_it_loses_by_name_and_nothing_is_left(bot, tmp_path):
    spawn = f"import subprocess; subprocess.Popen(['sleep', '600', {str(tmp_path)!r}], start_new_session=True)"
    bad = {
        "crasher": (bot("crasher", go='sys.exit("gone")'), "crash"),
        "sleeper": (bot("sleeper", go="time.sleep(600)"), "silence"),
        "late": (bot("late", go='time.sleep(1.3); say("bestmove " + moves[0])'), "time"),
        "corpse": (bot("corpse", start="sys.exit(3)"), "start"),
    }
    good = [bot("good"), bot("forker", go=f"{spawn}; {PLAY}")]
    texts = [good[0], *(text for text, _ in bad.values()), good[1]]
    event = event_of(*texts, form="gauntlet", pairs=1, opening_plies=2, move_time=0.6, start_time=PATIENCE)
    records = play(event, tmp_path / "event.db")
    assert len(records) == 2 * (len(texts) - 1)
    for record in records:
        (other,) = {record.south, record.north} - {"good"}
        lost_by = None if record.fault is None else (record.south, record.north)[record.fault]
        if lost_by == "good" or other == "forker":
            assert record.reason in ("time", "silence") or lost_by is None  # on a busy machine either may be late
        else:
            assert (lost_by, record.reason) == (other, bad[other][1]), record.detail
    assert {record.reason for record in records} >= {reason for _, reason in bad.values()}
    wait_until(lambda: not bots_under(tmp_path))


def slow_event(folder, seconds=0.01):
    """Options of an event that takes a while, with a bot of its own process."""
    folder.mkdir()
    slow = player(folder, "slow", go=f'time.sleep({seconds}); say("bestmove " + moves[-1])')
    out = folder / "event.db"
    return out, ["--agents", slow, "greedy", "random", "--rules", "kalah", "--pairs", "4", "--seed", "4"] + [
        "--processes", "2", "--out", str(out), "--no-report",
    ]  # fmt: skip


def start_command(options, out, games):
    """The command in a process group of its own, once it has stored some games."""
    started = subprocess.Popen(
        [*MANCALA, "tournament", "run", *options], cwd=ROOT, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip

    def enough():
        assert started.poll() is None, started.communicate()
        with contextlib.suppress(StoreError, OSError, sqlite3.Error), Store(out) as store:
            return len(store) >= games

    wait_until(enough)
    return started


@LINUX
def test_a_command_that_is_killed_or_interrupted_leaves_no_process_and_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    out, options = slow_event(tmp_path / "stopped")
    stored_before, records = [], []
    for how in (signal.SIGKILL, signal.SIGINT):
        number = len(records) + 3
        started = start_command(options, out, number)
        family = children(started.pid)
        assert len(family) >= 4  # workers and their bots
        os.kill(started.pid, how) if how == signal.SIGKILL else os.killpg(started.pid, how)
        said, err = started.communicate(timeout=PATIENCE)
        wait_until(lambda: not any(map(is_running, family)) and not bots_under(tmp_path))  # noqa: B023
        assert not [*tmp_path.glob(f"mancala-{8 * '?'}")]  # what calls and results lay in
        records = games_of(out)
        assert number <= len(records) < 24
        stored_before += records
    assert started.returncode == 130
    assert "Traceback" not in err
    assert f"stopped after {len(records)} of 24 games, all of them stored" in said
    assert f"mancala tournament run --resume {out}" in said
    assert tournament.main(["--resume", str(out), "--no-report", "--trust", "--processes", "0"]) == 0
    finished = games_of(out)
    assert all(finished[record.number] == record for record in stored_before)  # it was not played once more
    whole, same = slow_event(tmp_path / "whole", seconds=0)
    assert untimed(finished) == untimed(play(tournament.event_of(tournament.parser().parse_args(same)), whole))
