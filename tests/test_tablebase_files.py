"""Files of endgame tables: builds that are killed go on, damage is noticed, and the command says what is wrong."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from agents.tablebase import DamagedTable, Tablebase, build, files, retrograde, table
from agents.tablebase.command import main
from mancala_env.kernels.jit import DISABLE_JIT
from tests.tablebases import AWARI, KALAH, LITTLE


@pytest.mark.parametrize("rules", [AWARI, KALAH], ids=["awari", "kalah"])
def test_threads_and_the_order_they_run_in_and_a_small_stack_change_nothing(rules, tmp_path, monkeypatch):
    most = 4 if DISABLE_JIT else 8
    contents = []
    for threads, small, chunk, steps in ((1, 1 << 15, 1 << 16, 1 << 17), (2, 16, 512, 100), (3, 0, 7777, 33)):
        for name, value in (("SMALL", small), ("CHUNK", chunk), ("STEPS", steps)):
            monkeypatch.setattr(retrograde, name, value)
        folder = tmp_path / str(threads)
        contents.append([path.read_bytes() for path in build(rules, most, folder, threads=threads)])
    assert contents[0] == contents[1] == contents[2]
    little = rules.changes(pits_per_row=3)
    wanted = [path.read_bytes() for path in build(little, most, tmp_path / "large")]
    monkeypatch.setattr(retrograde, "ROOM", 3 * 9 + 3)  # it is shared out, and grows
    assert [path.read_bytes() for path in build(little, most, tmp_path / "small")] == wanted


def watched(rules, seeds, folder):
    """Build, and tell what was said of each number of seeds in the end."""
    said = {}
    build(rules, seeds, folder, report=lambda n, share, what: said.update({n: what}) if share in (0, 1) else None)
    return said


@pytest.mark.integration
def test_a_build_that_is_killed_goes_on_where_it_was(tmp_path):
    program = (
        "import os, signal, sys\n"
        "import mancala_env\n"
        "from agents.tablebase.retrograde import build\n"
        "def kill(*_): os.kill(os.getpid(), signal.SIGKILL)\n"
        "def report(seeds, share, what):\n"
        "    if seeds == 5: os.replace = kill\n"  # its table is complete, but has no name yet
        "rules = mancala_env.ruleset('awari', pits_per_row=2)\n"
        "build(rules, 8, sys.argv[1], report=report)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False, cwd=Path(__file__).parents[1])
    assert done.returncode == -signal.SIGKILL
    (leftover,) = tmp_path.glob(".awari*")
    rules = AWARI.changes(pits_per_row=2)
    assert Tablebase(tmp_path, rules).seeds == 4
    assert watched(rules, 6, tmp_path) == {n: "kept" if n < 5 else "built" for n in range(7)}
    assert not leftover.exists()
    assert Tablebase(tmp_path, rules).seeds == 6


def damage(path, at, how):
    data = bytearray(path.read_bytes())
    if how == "flip":
        data[at] ^= 4
    elif how == "cut":
        del data[at:]
    else:
        data += b"more"
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("at", "how", "text"),
    [
        (-3, "flip", "its numbers have changed"),
        (3, "flip", "no header of a safetensors file"),
        (30, "flip", "it is not an endgame table"),
        (-1, "cut", "bytes and should have"),
        (0, "lengthen", "bytes and should have"),
    ],
)
def test_damage_is_noticed_and_built_again(at, how, text, tmp_path, capsys):
    paths = build(LITTLE, 3, tmp_path)
    whole = paths[2].read_bytes()
    damage(paths[2], at, how)
    with pytest.raises(DamagedTable, match=text):
        Tablebase(tmp_path, LITTLE)
    assert main(["check", str(tmp_path)]) == 1
    output = capsys.readouterr()
    assert "3 of 4 tables are whole" in output.out
    assert str(paths[2]) in output.err
    said = []
    build(LITTLE, 3, tmp_path, report=lambda n, share, what: said.append((n, what.partition(":")[0])))
    assert [(n, what) for n, what in said if "built" in what] == [(2, "built again"), (2, "built")]
    assert paths[2].read_bytes() == whole


def test_a_disk_too_small_is_refused_before_the_work(tmp_path, monkeypatch):
    paths = build(LITTLE, 3, tmp_path)
    before = [path.read_bytes() for path in paths]
    monkeypatch.setattr(files.shutil, "disk_usage", lambda folder: SimpleNamespace(free=5000))
    with pytest.raises(OSError, match=r"tables of 4 to 6 seeds need 1\.0 MB and 0\.0 MB are free"):
        build(LITTLE, 6, tmp_path)
    assert [path.read_bytes() for path in build(LITTLE, 3, tmp_path)] == before  # nothing to write, so no complaint
    assert sorted(tmp_path.iterdir()) == sorted(paths)


def test_a_disk_that_fills_up_leaves_whole_tables(tmp_path, monkeypatch, capsys):
    paths = build(LITTLE, 3, tmp_path)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    call = ["build", "awari:pits_per_row=2", "--seeds-on-board", "5", "--out", str(tmp_path)]
    assert main(call) == 2
    said = capsys.readouterr().err
    assert "No space left on device" in said
    assert "awari-2-" in said
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    monkeypatch.undo()
    assert main(call) == 0
    assert Tablebase(tmp_path, LITTLE).seeds == 5


def test_the_cache_is_where_the_environment_says(monkeypatch):
    home = os.path.expanduser("~")
    for name in ("MANCALA_ENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert table.tables_folder() == Path(home, ".cache", "mancala_env", "tables")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert table.tables_folder() == Path("/somewhere/mancala_env/tables")
    monkeypatch.setenv("MANCALA_ENV_CACHE", "~/elsewhere")
    assert table.tables_folder() == Path(home, "elsewhere", "tables")


def test_get_builds_once_goes_on_and_mends(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MANCALA_ENV_CACHE", str(tmp_path))
    cache, get = tmp_path / "tables", ["get", LITTLE.spec(), "--seeds-on-board"]
    assert main([*get, "2"]) == 0
    said = capsys.readouterr()
    paths = list(cache.glob("*.table"))
    assert f"tables for 0 to 2 seeds, {sum(path.stat().st_size for path in paths) / 1e6:.1f} MB in {cache}" in said.out
    assert "2 seeds: built" in said.err
    assert "tables=2" in said.out
    before = {path: path.stat().st_mtime_ns for path in paths}
    assert main([*get, "3"]) == 0
    assert "2 seeds: kept" in capsys.readouterr().err
    assert all(path.stat().st_mtime_ns == then for path, then in before.items())
    path = files.table_path(cache, LITTLE, 2)
    content = path.read_bytes()
    damage(path, -1, "flip")
    assert main([*get, "3"]) == 0
    assert "2 seeds: built again" in capsys.readouterr().err
    assert path.read_bytes() == content
