"""What starts a process is no quick test: it fails unless it is marked."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import multiprocessing, subprocess, sys
import pytest

def started(method):
    process = multiprocessing.get_context(method).Process(target=int)
    process.start()
    process.join()

@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_multiprocessing(method):
    started(method)

def test_popen():
    subprocess.run([sys.executable, "--version"])

@pytest.fixture(scope="module")
def made():
    started("spawn")

def test_fixture(made):
    pass

@pytest.mark.integration
def test_marked():
    started("spawn")

def test_none():
    pass
"""


@pytest.mark.integration
def test_a_test_that_starts_a_process_and_is_not_marked_so_fails(pytester):
    pytester.makeconftest((Path(__file__).parent / "conftest.py").read_text(encoding="utf-8"))
    pytester.makeini("[pytest]\nmarkers = integration")
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess("-p", "no:xdist")
    result.assert_outcomes(passed=2, failed=5)
    result.stdout.fnmatch_lines(
        [
            f"starts {what} and is not marked `integration`*"
            for what in ("*.SpawnProcess", "*.ForkProcess", "*.ForkServerProcess", "python*", "*.SpawnProcess")
        ]
    )
