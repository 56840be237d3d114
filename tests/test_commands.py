"""What commands say when a place cannot be written to: one line, which place, and what would do."""

import errno
import os

import pytest

from agents.provenance import write_text
from agents.tablebase import __main__ as tablebase
from agents.tournament import __main__ as tournament
from agents.tournament import export
from agents.tournament.event import Event, Player
from agents.tournament.executors import SerialExecutor
from agents.tournament.run import run_event
from mancala_env.cli import in_words, printable
from training import alphazero, experiment, ppo

TINY = ["--rules=kalah", "--steps=32", "--envs=4", "--rollout_steps=8", "--batch_size=32", "--layers", "8"]


@pytest.mark.parametrize(
    ("main", "arguments"),
    [
        (ppo.main, [*TINY, "--out", "{}"]),
        (alphazero.main, ["--rules=kalah", "--out", "{}"]),
        (experiment.main, [*TINY, "--curve_pairs=1", "--jobs=0", "--out", "{}"]),
        (tablebase.main, ["build", "awari:pits_per_row=2", "--seeds", "1", "--out", "{}"]),
        (tournament.main, ["--agents", "random", "greedy", "--out", "{}/event.db"]),
        (export.main, ["{event}", "--csv", "{}/games.csv"]),
        (export.main, ["{event}", "--games", "{}/games.txt"]),
    ],
)
def test_a_place_that_cannot_be_made_is_named(main, arguments, tmp_path, capsys):
    file, event = tmp_path / "file", tmp_path / "event.db"
    file.write_text("mine", encoding="utf-8")
    if "{event}" in arguments:
        players = Player("random", "random"), Player("other", "random")
        run_event(Event(players, ("kalah",), pairs=1), event, executor=SerialExecutor())
    given = [each.format(file / "folder", event=event) for each in arguments]
    try:
        status = main(given)
    except SystemExit as stop:
        status = stop.code
    assert status == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(file) in line
    assert "a part of this path is a file; name another place" in line
    assert file.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EEXIST, errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EISDIR])
def test_errors_of_the_system_say_where_and_what_would_do(number):
    said = in_words(OSError(number, os.strerror(number), "/some/place"))
    assert said.startswith(f"/some/place: {os.strerror(number)} (")


def test_a_file_that_cannot_be_written_is_named_and_not_its_passing_one(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_text(tmp_path / "nowhere" / "page.html", "")
    assert in_words(caught.value).startswith(f"{tmp_path / 'nowhere' / 'page.html'}: No such file")


def test_what_is_printed_only_stands_there():
    assert printable("a\x1b[2J\rb\x9b\u202ec\n\u00e9 \U0001f600") == "a?[2J?b??c\n\u00e9 \U0001f600"
    assert in_words(ValueError("two\nlines\x07")) == "two lines?"
