"""Compiled kernels are kept on disk, and never outlive an edit of a kernel they call.

Numba's own cache would: it looks only at the file of the function that is compiled, not at those that it calls.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mancala_env

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


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """What the program saw in three processes: the first, the second, and one after an edit."""
    folder = tmp_path_factory.mktemp("copy")
    copy = folder / PACKAGE.name
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    first, second = run(folder), run(folder)
    with (copy / "kernels" / "counting.py").open("a", encoding="utf-8") as file:
        file.write(EDIT)
    edited = run(folder)
    assert {first["package"], second["package"], edited["package"]} == {str(copy)}
    return first, second, edited


def run(folder):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "PYTHON"))}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_first_run_compiles(runs):
    first, _, _ = runs
    assert first["compiled"] > 0
    assert first["loaded"] == 0
    assert first["termination"] is None


def test_the_second_run_compiles_nothing(runs):
    first, second, _ = runs
    assert second["compiled"] == 0
    assert second["loaded"] > 0
    assert second["termination"] == first["termination"]


def test_an_edit_in_one_file_reaches_the_kernels_of_the_others(runs):
    _, _, edited = runs
    assert edited["compiled"] > 0
    assert edited["termination"] == "indeterminacy"
