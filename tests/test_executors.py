"""A function is called for many arguments, wherever that is, and the results are the same."""

import _thread
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from agents import executors
from agents.executors import LocalExecutor, WorkerDied, make_executor
from agents.processes import usable_cores
from tests.processes import is_running, python, wait_until

LOCK = threading.Lock()  # cannot be sent
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="asks the system for what Linux alone has")


def plus(argument, shared):
    return argument + (shared or 0)


def pid(argument, shared):
    time.sleep(0.05)
    return os.getpid()


def fail_at_two(argument, shared):
    if argument == 2:
        raise FileNotFoundError(2, "is not there", "somewhere")
    return argument


class Unreadable(Exception):
    """Cannot be made again from its text."""

    def __init__(self, one, other):
        super().__init__(f"{one} and {other}")


def unreadable(argument, shared):
    if isinstance(argument, str):
        return {"lock": LOCK, "unreadable": Unreadable("this", "that")}[argument]
    raise {1: Unreadable("this", "that"), 2: SystemExit(7)}[argument]


def die_once(argument, folder):
    """Die at each first sight of an odd number, and at each of a negative one."""
    seen = Path(folder) / str(argument)
    if argument < 0 or (argument % 2 and not seen.exists()):
        seen.touch()
        os._exit(3)
    return argument


def wait_for_interrupt(argument, folder):
    """Say who runs, wait, and say that it was interrupted; a negative number ignores that."""
    part = Path(folder, f"{argument}-part")
    part.write_text(str(os.getpid()))
    part.rename(Path(folder, f"{argument}-runs"))
    while True:
        try:
            time.sleep(600)
        except KeyboardInterrupt:
            if argument >= 0:
                (Path(folder) / f"{argument}-kept").touch()
                return "kept"


@pytest.mark.integration
@pytest.mark.parametrize("processes", [0, 2])
def test_results_come_with_their_numbers(processes):
    assert dict(LocalExecutor(processes).run(plus, iter([5, 6, 7, 8]), shared=10)) == {0: 15, 1: 16, 2: 17, 3: 18}
    assert list(LocalExecutor(processes).run(plus, [])) == []


@pytest.mark.integration
def test_processes_are_kept_within_a_with_block():
    with LocalExecutor(2) as executor:
        first = {found for _, found in executor.run(pid, range(8))}
        assert {found for _, found in executor.run(pid, range(8))} == first
        assert dict(executor.run(plus, [1], shared=1)) == {0: 2}  # what is shared is that of the run
        assert dict(executor.run(plus, [1], shared=2)) == {0: 3}
    assert len(first) == 2
    assert os.getpid() not in first
    if sys.platform == "linux":
        assert not any(map(is_running, first))


@pytest.mark.parametrize("processes", [0, pytest.param(1, marks=pytest.mark.integration)])
def test_what_a_function_raises_is_raised(processes):
    with pytest.raises(FileNotFoundError, match=r"is not there: 'somewhere'") as caught:
        list(LocalExecutor(processes).run(fail_at_two, range(5)))
    assert processes == 0 or "fail_at_two" in str(caught.value.__cause__)


@pytest.mark.integration
def test_what_cannot_be_sent_back_is_told_in_words():
    told = {1: "Unreadable: this and that", 2: "SystemExit: 7", "lock": r"be sent .*lock", "unreadable": "__reduce__"}
    for argument, said in told.items():
        with pytest.raises((RuntimeError, ValueError), match=said):
            list(LocalExecutor(1).run(unreadable, [argument]))


@pytest.mark.parametrize("call", [(LOCK.acquire, [0], None), (plus, [0], LOCK), (plus, [LOCK], 0)])
def test_what_cannot_be_sent_there_is_refused(call):
    function, arguments, shared = call
    with pytest.raises(ValueError, match=r"cannot be sent to another process .*lock.*\(processes=0\)"):
        list(LocalExecutor(1).run(function, arguments, shared=shared))


@pytest.mark.integration
def test_a_script_may_send_what_it_defines_itself():
    calls = "LocalExecutor(1).run(lambda argument, shared: argument + shared, [1], shared=2)"
    assert python("-c", f"from agents.executors import *; print(list({calls}))")[0] == "[(0, 3)]\n"


@pytest.mark.integration
def test_a_call_whose_process_dies_is_made_again_up_to_three_times(tmp_path):
    assert dict(LocalExecutor(1).run(die_once, range(4), shared=str(tmp_path))) == {k: k for k in range(4)}
    assert len(list(tmp_path.iterdir())) == 2
    with pytest.raises(WorkerDied, match=r"3 processes were lost at the same work, number 0 \(exit codes .*EXIT\(3\)"):
        list(LocalExecutor(2).run(die_once, [-2, 0, 2, 4], shared=str(tmp_path)))


@pytest.mark.integration
@LINUX
@pytest.mark.parametrize("how", ["stop", "raise"])
def test_who_stops_interrupts_what_is_being_done(how, tmp_path):
    running = (tmp_path / "0-runs").exists
    stop = running if how == "stop" else executors.never
    found = LocalExecutor(1).run(wait_for_interrupt, range(5), shared=str(tmp_path), stop=stop)
    if how == "stop":
        assert list(found) == [(0, "kept")]
    else:
        threading.Thread(target=lambda: wait_until(running) and _thread.interrupt_main()).start()
        with pytest.raises(KeyboardInterrupt):
            list(found)
    assert {path.name for path in tmp_path.iterdir()} == {"0-runs", "0-kept"}
    assert not is_running(int((tmp_path / "0-runs").read_text()))


@pytest.mark.integration
@LINUX
def test_who_ignores_interrupts_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "PATIENCE", 0.3)
    runs = tmp_path / "-1-runs"
    assert list(LocalExecutor(1).run(wait_for_interrupt, [-1], shared=str(tmp_path), stop=runs.exists)) == []
    assert not is_running(int(runs.read_text()))


def test_how_many_processes_there_are_and_what_cannot_be(monkeypatch):
    assert [make_executor(number).processes for number in (None, 0)] == [usable_cores(), 0]
    for processes in (-1, 1.5, True):
        with pytest.raises(ValueError, match="processes must be a whole number from 0"):
            make_executor(processes)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"pip install -e \"\.\[cluster\]\""):
        make_executor(ray="")
