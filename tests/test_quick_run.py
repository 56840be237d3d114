"""What starts a process is no quick test: it fails unless it is marked."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import multiprocessing, subprocess, sys
import pytest

@pytest.fixture(scope="module", params=["spawn", "fork", "forkserver"])
def made(request):
    process = multiprocessing.get_context(request.param).Process(target=int)
    process.start()
    process.join()

def test_fixture(made):
    pass

def test_popen():
    subprocess.run([sys.executable, "--version"])

@pytest.mark.integration
def test_marked():
    test_popen()

def test_none():
    pass
"""


@pytest.mark.integration
def test_a_test_that_starts_a_process_and_is_not_marked_so_fails(pytester):
    pytester.makeconftest((Path(__file__).parent / "conftest.py").read_text(encoding="utf-8"))
    pytester.makeini("[pytest]\nmarkers = integration")
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess("-p", "no:xdist")
    result.assert_outcomes(passed=2, failed=4)
    for what in ("*.SpawnProcess", "*.ForkProcess", "*.ForkServerProcess", "python*"):
        result.stdout.fnmatch_lines([f"starts {what} and is not marked `integration`*"])
