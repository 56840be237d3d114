"""Call a function for many arguments, in processes of this machine or on a Ray cluster: the same results either way.
Its result must depend on its arguments alone: where a process is lost, the call is made again."""

import contextlib
import itertools
import logging
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any, Self

from agents.processes import die_with_parent, interrupts_blocked, usable_cores

TRIES = 3  # of a call whose process dies
LOOK = 0.2  # seconds between two looks at ``stop``
PATIENCE = 20.0  # seconds for calls that are interrupted to keep what they have done

Stop = Callable[[], bool]
Results = Generator[tuple[int, Any], None, None]
Call = tuple[int, Any]  # the number of an argument, and the argument


class WorkerDied(RuntimeError):
    """The processes of one call, by its number, were lost ``TRIES`` times."""

    @classmethod
    def at(cls, number: int, why: object) -> "WorkerDied":
        """The error, with what may be the reason."""
        return cls(
            f"{TRIES} processes were lost at the same work, number {number} ({why}); out of memory (take fewer "
            'processes)? Or a script that runs without if __name__ == "__main__": around it?'
        )


def never() -> bool:
    """No reason to stop."""
    return False


class Executor:
    """Calls a function for each of many arguments, in any order. Used in a ``with`` block, it keeps its processes."""

    is_here = False  # are calls made in this very process?
    _kept = False

    def run(
        self, function: Callable[[Any, Any], Any], arguments: Iterable[Any], *, shared: Any = None, stop: Stop = never
    ) -> Results:
        """The results of ``function(argument, shared)`` with the number of the argument, as they are ready. The
        function is of an importable module; ``shared`` is sent once to each process, arguments are taken one by one, as
        processes are free. Once ``stop`` is true no call is made any more, and results that are ready are still given.
        If the caller stops early, calls in progress meet KeyboardInterrupt, and are killed if they have not ended
        ``PATIENCE`` seconds later. WorkerDied if the processes of one call were lost ``TRIES`` times, ValueError if
        something cannot be sent to another process, and what the function raises, with a note of where."""
        return self._run(enumerate(arguments), function, shared, stop)

    def _run(self, calls: Iterator[Call], function: Callable[[Any, Any], Any], shared: Any, stop: Stop) -> Results:
        raise NotImplementedError

    def close(self) -> None:
        """End the processes; calls in progress meet KeyboardInterrupt."""

    def __enter__(self) -> Self:
        self._kept = True
        return self

    def __exit__(self, *error: object) -> None:
        self._kept = False
        self.close()


def make_executor(processes: int | None = None, ray: str | None = None) -> Executor:
    """An executor: ``processes`` of this machine (None: one for each core), or the cluster at the address ``ray`` ("":
    on this machine, started if need be). ValueError for an impossible number of processes, ImportError without Ray."""
    return LocalExecutor(usable_cores() if processes is None else processes) if ray is None else RayExecutor(ray)


class LocalExecutor(Executor):
    """Processes of this machine; 0: all calls are made in this process, one after the other."""

    def __init__(self, processes: int) -> None:
        if not isinstance(processes, int) or isinstance(processes, bool) or processes < 0:
            raise ValueError(f"processes must be a whole number from 0, not {processes!r}")
        self.processes = processes
        self.is_here = processes == 0
        self._workers: list[_Worker] = []

    def _run(self, calls: Iterator[Call], function: Callable[[Any, Any], Any], shared: Any, stop: Stop) -> Results:
        if self.is_here:
            while not stop() and (call := next(calls, None)) is not None:
                yield call[0], function(call[1], shared)
            return
        job = _packed((function, shared))
        losses: Counter[int] = Counter()  # by the number of a call
        until: float | None = None  # when calls are given up, once they have been interrupted
        finished = False
        try:
            while until is None or time.monotonic() < until:
                if until is None and stop():
                    until = time.monotonic() + PATIENCE
                    for worker in self._workers:
                        worker.interrupt()
                if until is None:
                    self._give_work(calls, job)
                if all(worker.call is None for worker in self._workers):
                    finished = until is None
                    return
                busy: dict[Any, _Worker] = {worker.pipe: worker for worker in self._workers if worker.call is not None}
                for pipe in wait(list(busy), LOOK):
                    worker = busy[pipe]
                    call, worker.call = worker.call, None
                    assert call is not None
                    try:
                        answer = worker.pipe.recv()
                    except (EOFError, OSError):  # it has died
                        if until is None:
                            self._workers.remove(worker)
                            worker.close(0.0)
                            losses[call[0]] += 1
                            if losses[call[0]] >= TRIES:
                                raise WorkerDied.at(call[0], f"exit code {worker.process.exitcode}") from None
                            calls = itertools.chain([call], calls)
                        continue
                    if isinstance(answer, tuple):
                        yield call[0], answer[0]
                    elif until is None:
                        raise answer
        finally:
            if not finished or not self._kept:
                self.close()

    def _give_work(self, calls: Iterator[Call], job: bytes) -> None:
        """Give a call to each process that has none, and start processes while there are calls for them."""
        for worker in self._workers:
            if worker.call is None and (call := next(calls, None)) is not None:
                worker.give(call, job)
        while len(self._workers) < self.processes and (call := next(calls, None)) is not None:
            self._workers.append(_Worker())
            self._workers[-1].give(call, job)

    def close(self) -> None:
        """End the processes; calls in progress meet KeyboardInterrupt."""
        workers, self._workers = self._workers, []
        try:
            for worker in workers:
                worker.interrupt()
            until = time.monotonic() + PATIENCE
            for worker in workers:
                worker.close(until - time.monotonic())
        finally:
            for worker in workers:  # a second Ctrl-C waits for nothing
                worker.process.kill()


def _packed(content: Any) -> bytes:
    try:
        return pickle.dumps(content)
    except Exception as error:
        raise ValueError(
            f"this cannot be sent to another process ({error}); use functions and classes of an importable module, or "
            "no other process (processes=0)"
        ) from error


class _Worker:
    """A process, and the call that it is making."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy locks that other threads hold
        self.pipe, theirs = context.Pipe()
        self.call: Call | None = None
        self._job: bytes | None = None
        self.process = context.Process(target=_work, args=(theirs,), daemon=False)
        with interrupts_blocked():  # until the process ignores them itself
            self.process.start()
        theirs.close()

    def give(self, call: Call, job: bytes) -> None:
        """Let it make a call of a function, which it is sent once. That it has died is noticed by its pipe."""
        packed = _packed(call[1])
        self.call = call
        with contextlib.suppress(OSError):
            self.pipe.send((packed, None if self._job is job else job))
        self._job = job

    def interrupt(self) -> None:
        """Interrupt the call in progress; then the process ends."""
        with contextlib.suppress(OSError):
            self.pipe.send(None)
        if self.call is not None:
            self.process.terminate()

    def close(self, patience: float) -> None:
        """Wait up to ``patience`` seconds for its end, then kill it."""
        until = time.monotonic() + patience
        while self.process.is_alive() and time.monotonic() < until:
            with contextlib.suppress(EOFError, OSError):
                while self.pipe.poll(0.02):  # it may be blocked until its result is read
                    self.pipe.recv()
            self.process.join(0.02)
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.pipe.close()


def _work(pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes; the main process decides
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, _interrupt)
    die_with_parent()
    function, shared = None, None
    try:
        while (message := pipe.recv()) is not None:
            packed, job = message
            if job is not None:
                function, shared = pickle.loads(job)  # made by the parent process itself
            pipe.send_bytes(_called(function, pickle.loads(packed), shared))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        pass  # the main process is gone, or wants no more


def _called(function: Any, argument: Any, shared: Any) -> bytes:
    """The result of a call, in a tuple, or what it raised, as bytes to be sent."""
    answer: tuple[Any] | Exception
    try:
        answer = (function(argument, shared),)
    except Exception as error:
        error.add_note("in a worker process:\n" + "".join(traceback.format_exception(error)))
        answer = error
    try:
        packed = pickle.dumps(answer)
        pickle.loads(packed)  # some exceptions can be written, and not read
    except Exception as error:
        text = f"{type(answer).__name__}: {answer}" if isinstance(answer, Exception) else f"result not sent: {error}"
        packed = pickle.dumps(RuntimeError(text))
    return packed


def _interrupt(*_: Any) -> None:
    """Interrupt the call in progress; end this process if that takes too long, for nobody may be there to do it."""
    last = threading.Timer(PATIENCE, os._exit, [1])
    last.daemon = True
    last.start()
    raise KeyboardInterrupt


class RayExecutor(Executor):
    """A Ray cluster, at an address as ``ray.init`` takes it. Every node needs this checkout and its environment."""

    def __init__(self, address: str = "") -> None:
        try:
            import ray  # noqa: F401
        except ImportError as error:
            raise ImportError('this needs Ray: pip install -e ".[cluster]"') from error
        self.address = address
        self._begun = False

    def _run(self, calls: Iterator[Call], function: Callable[[Any, Any], Any], shared: Any, stop: Stop) -> Results:
        """As many calls are made at a time as the cluster has processors."""
        import ray

        if not ray.is_initialized():
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            ray.init(self.address or None, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
            self._begun = True
        call: Any = ray.remote(num_cpus=1, max_retries=TRIES - 1)(lambda job, argument: job[0](argument, job[1]))
        job = ray.put((function, shared))
        sent: dict[Any, int] = {}  # the numbers of calls in progress
        try:
            while not stop():
                room = max(1, int(ray.cluster_resources().get("CPU", 1)))
                while len(sent) < room and (each := next(calls, None)) is not None:
                    sent[call.remote(job, each[1])] = each[0]
                if not sent:
                    return
                ended, _ = ray.wait(list(sent), num_returns=1, timeout=LOOK)
                for reference in ended:
                    number = sent.pop(reference)
                    try:
                        result = ray.get(reference)
                    except ray.exceptions.RayTaskError as error:
                        if not isinstance(cause := getattr(error, "cause", None), BaseException):
                            raise RuntimeError(str(error)) from None
                        cause.add_note(str(error))
                        raise cause from None
                    except ray.exceptions.RayError as error:
                        raise WorkerDied.at(number, " ".join(str(error).split())[:200]) from None
                    yield number, result
            ended, _ = ray.wait(list(sent), num_returns=len(sent), timeout=0) if sent else ([], [])
            for reference in ended:
                with contextlib.suppress(ray.exceptions.RayError):
                    yield sent.pop(reference), ray.get(reference)
        finally:
            _cancel(ray, list(sent))
            if not self._kept:
                self.close()

    def close(self) -> None:
        """Leave the cluster, if this executor has joined it."""
        import ray

        if self._begun:
            self._begun = False
            ray.shutdown()


def _cancel(ray: Any, references: list[Any]) -> None:
    """Interrupt the tasks, and kill the processes of those that have not ended in time."""
    for force in (False, True):
        for reference in references:
            with contextlib.suppress(Exception):
                ray.cancel(reference, force=force)
        if references:
            with contextlib.suppress(Exception):
                _, references = ray.wait(references, num_returns=len(references), timeout=PATIENCE)
