"""Compiled kernels are kept on disk, and never outlive an edit of a kernel they call.

Numba's own cache would: it looks only at the file of the function that is compiled, not at those that it calls."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest

import mancala_env
from mancala_env import warm_up
from mancala_env.kernels.jit import cache_folder
from tests.processes import python

pytestmark = pytest.mark.integration

PACKAGE = Path(mancala_env.__file__).parent

# Three seeds that can still be captured. Oware looks them up in its table of dead positions.
PROGRAM = """
import importlib, json, pkgutil
import mancala_env, mancala_env.kernels as kernels

state = mancala_env.ruleset("oware").position([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1], (22, 23))
modules = [importlib.import_module(f"mancala_env.kernels.{m.name}") for m in pkgutil.iter_modules(kernels.__path__)]
stats = [value.stats for module in modules for value in vars(module).values() if hasattr(value, "stats")]
print(json.dumps({
    "package": mancala_env.__path__[0],
    "termination": state.termination,
    "loaded": sum(sum(each.cache_hits.values()) for each in stats),
    "compiled": sum(sum(each.cache_misses.values()) for each in stats),
}))
"""

# The engine asks with this function, which lies in another file, where in the table of dead positions to look.
EDIT = """

@inlined
def configuration(row, pits, seeds):
    return 0  # an empty board, which is dead
"""


def run(folder):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "PYTHON"))}
    return json.loads(python("-W", "error", "-c", PROGRAM, environment=environment, folder=folder)[0])


def test_a_second_run_compiles_nothing_and_an_edit_in_one_file_reaches_the_kernels_of_the_others(tmp_path):
    copy = tmp_path / PACKAGE.name
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    first, second = run(tmp_path), run(tmp_path)
    with (copy / "kernels" / "ranking.py").open("a", encoding="utf-8") as file:
        file.write(EDIT)
    edited = run(tmp_path)
    assert {each["package"] for each in (first, second, edited)} == {str(copy)}
    assert first["compiled"] > 0 == first["loaded"]
    assert second["compiled"] == 0 < second["loaded"]
    assert edited["compiled"] > 0
    assert (first["termination"], second["termination"], edited["termination"]) == (None, None, "indeterminacy")


@pytest.mark.parametrize("shared", [False, True])
def test_kernels_of_other_versions_go_when_they_are_no_longer_used(shared, tmp_path, monkeypatch):
    beside = tmp_path if shared else tmp_path / "__pycache__"
    if shared:
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    else:
        monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    for name, hours in (("old", 25), ("kept", 23)):
        folder = beside / f"kernels-{name}"
        folder.mkdir(parents=True)
        (folder / "index.nbi").touch()
        then = time.time() - 3600 * hours
        os.utime(folder, (then, then))
    assert cache_folder("new", tmp_path / "elsewhere" if shared else tmp_path) == beside / "kernels-new"
    assert {folder.name for folder in beside.iterdir()} == {"kernels-kept", "kernels-new"}


def test_kernels_can_be_compiled_ahead_of_time(capsys):
    assert warm_up.main(["kalah", "reaping"]) == 0
    assert capsys.readouterr().err.splitlines() == ["1/2 kalah", "2/2 reaping"]
    with pytest.raises(SystemExit, match="2"):
        warm_up.main(["chess"])
    assert "chess" in capsys.readouterr().err
