"""A headless Chromium for the tests of pages, kernels that are compiled once, in silence, and which tests are run."""

import os
import shutil
import signal
import sys
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from mancala_env.kernels import builds, engine, jit

try:
    import fcntl
    import resource
except ImportError:  # Windows
    fcntl = resource = None

# Tests of what a command says must not hear that this one was the first to need a kernel.
os.environ[jit.QUIET] = "1"
jit.SAY_AFTER = 1e6
builds.Builds.FEW = 1  # tests play all games: the build for all of them is made soon
engine.MUCH = 10_000_000  # and each not for long enough to pay for one of its own
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # what a shell runs in the background: commands would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline: the first example may compile, and a busy machine is no fault. The same examples in every run, so that a
# change is judged by what it changed: few of them in the quick run, many in the gate (--hypothesis-profile thorough);
# new ones are looked for with --hypothesis-profile random.
_slow_is_fine = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("repeatable", derandomize=True, max_examples=20, **_slow_is_fine)
settings.register_profile("thorough", derandomize=True, max_examples=60, **_slow_is_fine)
settings.register_profile("random", derandomize=False, max_examples=500, **_slow_is_fine)
settings.load_profile("repeatable")


def _compile_in_turn(compile_now=Dispatcher.compile):
    """Workers of pytest-xdist wait for a kernel that another one compiles, and load it, rather than compile it too."""

    def compile_alone(dispatcher, signature):
        if not hasattr(dispatcher, "folder") or global_compiler_lock.is_locked():  # or for one that is locked
            return compile_now(dispatcher, signature)
        with open(Path(dispatcher._cache.cache_path) / f"{dispatcher.__name__}.lock", "w", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            return compile_now(dispatcher, signature)

    Dispatcher.compile = compile_alone


if "PYTEST_XDIST_WORKER" in os.environ and fcntl is not None:
    _compile_in_turn()

if os.name != "posix":  # where bots and tournaments do not run
    collect_ignore_glob = ["test_bot*.py", "test_event_files.py", "test_protocols.py", "test_python_bots.py"]
ALONE = {"test_documented_commands.py"}  # files of long tests that share little: any worker takes any of them
LONGER = {"integration", "slow", "pages", "peers"}  # marks of tests that the quick run leaves out


def pytest_addoption(parser):
    parser.addoption("--share", metavar="COMMIT", help="run one share of the tests, chosen by this hexadecimal number")
    parser.addoption("--shares", metavar="N", type=int, default=10, help="of so many; 10 if it is not said")
    parser.addoption("--all-of", metavar="FILE", nargs="+", default=(), help="of these files all tests stay")


@pytest.hookimpl(tryfirst=True)  # before those are left out that are not asked for
def pytest_collection_modifyitems(config, items):
    """What needs a browser and has no mark is an integration test; with ``--share``, only tests of one share stay."""
    for item in items:
        if "browser" in item.fixturenames and not _is_longer(item):
            item.add_marker("integration")
    commit = config.getoption("share")
    if commit is not None:
        shares = config.getoption("shares")
        whole = {str(Path(file)) for file in config.getoption("all_of")}
        chosen = [item.location[0] in whole or i % shares == int(commit, 16) % shares for i, item in enumerate(items)]
        config.hook.pytest_deselected(items=[item for item, stays in zip(items, chosen, strict=True) if not stays])
        items[:] = [item for item, stays in zip(items, chosen, strict=True) if stays]


def _is_longer(item):
    """Is a test left out of the quick run?"""
    return bool(LONGER & {mark.name for mark in item.iter_markers()})


_STARTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"}
_started = []  # by the test that runs


def _note_start(event, arguments):
    if event in _STARTS:
        program = Path(str(arguments[0])).name if arguments else event
        if program not in ("git", "uname"):  # asked where a result was made
            _started.append(program)


sys.addaudithook(_note_start)


def _noted(process, start=BaseProcess.start):
    """Note what ``multiprocessing`` starts as well: no event tells of its processes, unless they are forks."""
    _started.append(f"{type(process).__module__}.{type(process).__name__}")
    return start(process)


BaseProcess.start = _noted


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item):
    _started.clear()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """A test that starts a process, or whose fixtures do, says so: else the quick tests would grow slow unseen."""
    done = yield
    if _started and not _is_longer(pyfuncitem):
        pytest.fail(f"starts {_started[0]} and is not marked `integration` (pyproject.toml)", pytrace=False)
    return done


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With ``-n``, all tests of a file go to one worker, so that what they share is made once; but for ``ALONE``."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            return nodeid if Path(file).name in ALONE else file

    return Scheduling(config, log) if config.getoption("dist") == "load" else None


@pytest.fixture(autouse=True)
def _same_weights():
    """Networks that a test makes without a seed of its own have the same weights in every run, in any order."""
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


def pytest_terminal_summary(terminalreporter):
    """What a run has cost: processor time, that of workers and commands included, and room for kernels."""
    if resource is None or "PYTEST_XDIST_WORKER" in os.environ:
        return
    chosen, root = os.environ.get("NUMBA_CACHE_DIR"), Path(__file__).parents[1]
    places = [Path(chosen)] if chosen else [root / name for name in ("mancala_env", "agents", "tests")]
    size = sum(file.stat().st_size for place in places for file in place.glob("**/kernels-*/**/*.nb[ci]"))
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(each.ru_utime + each.ru_stime for each in used)
    terminalreporter.write_line(f"{seconds:.0f} s of processor time; {size / 1e6:.1f} MB of compiled kernels are kept")


ARGUMENTS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
ARGUMENTS += ["--disable-component-update", "--disable-sync"]
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def missing(why):
    """Skip what cannot be tested here, which in CI must be."""
    (pytest.fail if os.environ.get("CI", "").lower() == "true" else pytest.skip)(why)


@pytest.fixture(scope="module")  # Playwright keeps an event loop running, which other tests should not meet
def browser():
    """A browser of Playwright's; skips where there is none, fails in CI."""
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        missing("pages are not tested: no Chromium on the path (apt-get install chromium)")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("pages are not tested: playwright is not installed (pip install playwright)")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=ARGUMENTS, chromium_sandbox=False)
        yield started
        started.close()
