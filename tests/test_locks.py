"""Two processes never work in one folder, and whoever is killed locks nobody out."""

import itertools
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from agents.processes import LOCK, Locked, lock, only_one
from agents.tablebase import command as tablebase
from tests.processes import ROOT
from tests.test_commands import TINY
from training import alphazero, experiment, ppo


@contextmanager
def other(folder):
    """A process that works in a folder."""
    program = (
        "import pathlib, sys\nfrom agents.processes import only_one\n"
        "with only_one(pathlib.Path(sys.argv[1]), 'works'): print(flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(folder)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline()
        yield process
        process.kill()


def files_in(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.integration
def test_who_comes_second_is_told_who_works_there(tmp_path):
    with other(tmp_path / "folder") as process:
        said = rf"process {process.pid} trains in .*folder.* wait for it, or end it"
        with pytest.raises(Locked, match=said), only_one(tmp_path / "folder", "trains"):
            pytest.fail("both work there")
        process.stdin.close()
        process.wait()
        with only_one(tmp_path / "folder", "trains"):
            assert (tmp_path / "folder" / LOCK).read_text() == f"process {os.getpid()}\n"
    with other(tmp_path / "folder") as process:  # who is killed locks nobody out
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert (tmp_path / "folder" / LOCK).exists()
        with only_one(tmp_path / "folder", "trains"):
            pass
    assert not any((tmp_path / "folder").iterdir())


def test_a_folder_that_was_made_for_nothing_is_taken_away(tmp_path):
    with pytest.raises(ZeroDivisionError), only_one(tmp_path / "new", "fails"):
        1 / 0  # noqa: B018
    with only_one(tmp_path / "kept", "writes"):
        (tmp_path / "kept" / "file").touch()
    assert files_in(tmp_path).keys() == {Path("kept/file")}


def test_a_file_that_was_removed_by_its_holder_is_no_lock(tmp_path, monkeypatch):
    """The second opens the file, and the first removes it before the second has locked it."""
    first, second, third = (lock(tmp_path / LOCK, "works", "go away") for _ in range(3))
    first.__enter__()
    opened = []

    def slow(*arguments, **more):
        opened.append(open(*arguments, **more))  # noqa: SIM115 - as the lock does
        if len(opened) == 1:
            first.__exit__(None, None, None)
        return opened[-1]

    monkeypatch.setattr("agents.processes.open", slow, raising=False)
    with second:
        assert len(opened) == 2
        monkeypatch.undo()
        with pytest.raises(Locked, match="works at this moment: wait for it, or go away"), third:
            pytest.fail("both hold it")
    with lock(tmp_path / LOCK, "works", "go away"):
        pass


def build_tables(folder, *options):
    return tablebase.main(["build", "awari:pits_per_row=2", "--seeds-on-board", "3", "--out", str(folder), *options])


def run_experiment(folder, *options):
    return experiment.main([*TINY, "--curve_pairs=1", "--jobs=0", f"--out={folder.parents[1]}", *options])


WORKERS = {  # commands that work in a folder
    "ppo": lambda folder, *options: ppo.main([*TINY, f"--out={folder}", *options]),
    "alphazero": lambda folder, *options: alphazero.main(["--rules=kalah", f"--out={folder}", *options]),
    "experiment": run_experiment,
    "tables": build_tables,
}


@pytest.mark.integration
@pytest.mark.parametrize(
    ("command", "option"),
    [*itertools.product(("ppo", "alphazero"), ("--resume", "--overwrite", "")), ("experiment", "--overwrite"),
     ("tables", "")],
)  # fmt: skip
def test_two_commands_do_not_work_in_one_folder(command, option, tmp_path, capsys):
    folder = tmp_path / "default" / "seed-0"
    folder.mkdir(parents=True)
    (folder / "somebody-elses.table.1.part").touch()
    if option:
        (folder / "config.yaml").write_text("rules: kalah\n")
    before = files_in(folder)
    with other(folder) as process:
        try:
            code = WORKERS[command](folder, *option.split())
        except SystemExit as stop:
            code = stop.code
    assert code == 2
    said = capsys.readouterr().err.splitlines()[-1]
    does = "builds endgame tables" if command == "tables" else "trains"
    assert f"process {process.pid} {does} in {folder}" in said
    (folder / LOCK).unlink()
    assert files_in(folder) == before
