"""Long commands say how far they are, also where nobody watches, and compiling is no work."""

import io
import re
import threading
import time
from dataclasses import replace

import pytest

from mancala_env import progress
from mancala_env.progress import Progress, at_work, every_half_minute
from tests.processes import PATIENCE, wait_until
from tests.trainings import TINY, AtLength, printed


@pytest.fixture
def quick(monkeypatch):
    """Lines come at once, and the clock of work is set by hand."""
    now = [0.0]
    monkeypatch.setattr(progress, "EVERY", 0.001)
    monkeypatch.setattr(progress, "working_time", lambda: now[0])
    return now


def test_without_a_terminal_lines_come_while_a_step_lasts(quick, capsys):
    said, enough = [], threading.Event()

    def write(text):
        said.append(text)
        if text == "inner":
            enough.set()

    with every_half_minute(lambda: "outer", write), every_half_minute(lambda: "inner", write):
        assert enough.wait(PATIENCE), "a part knows more than the whole"
    count = len(said)
    with at_work("python -m game"):
        quick[0] = 120.0
        wait_until(lambda: "at work for 2 minutes" in capsys.readouterr().err)
    assert len(said) == count, "nothing is written after the end"


def test_what_is_left_is_reckoned_from_work_alone(quick):
    with Progress("games", 100, file=io.StringIO()) as shown:
        assert str(shown) == "games: 0 of 100"
        quick[0] = 30.0
        shown(25)
        assert str(shown) == "games: 25 of 100, about 2 minutes left"
        shown(100)
        assert "about 1 s left" in str(shown)


def test_a_terminal_has_one_line_that_changes_and_a_run_writes_lines_where_there_is_none(quick, tmp_path):
    out = io.StringIO()
    out.isatty = lambda: True
    with Progress("games", 10, file=out) as shown:
        shown(5)
    assert out.getvalue() == "\r\x1b[Kgames: 5 of 10\r\x1b[K"
    said = printed(replace(TINY, out=str(tmp_path)), callbacks=[AtLength(64, lambda run: time.sleep(0.1))])
    assert re.search(r"^\d+/256 steps, \S+/s, score against the pool \d+%, \S+ left$", said, re.MULTILINE)
