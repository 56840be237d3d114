"""Call a function for many arguments, in processes of this machine or on a Ray cluster: the same results either way.
Its result must depend on its arguments alone: where a process is lost, the call is made again."""

import contextlib
import functools
import logging
import os
import pickle
import re
import shutil
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from pathlib import Path
from typing import Any, Self

from agents.processes import signals_blocked, usable_cores

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
        lost = f"{TRIES} processes were lost at the same work, number {number} ({why})"
        return cls(f"{lost}; out of memory (take fewer processes)?")


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
        """The results of ``function(argument, shared)`` with the number of the argument, as they are ready.
        ``shared`` is read once by each process, arguments are taken one by one, as processes are free. Once ``stop`` is
        true no call is made any more, and results that are ready are still given. If the caller stops early, calls in
        progress meet KeyboardInterrupt, and are killed if they have not ended ``PATIENCE`` seconds later. WorkerDied
        if the processes of one call were lost ``TRIES`` times, ValueError if something cannot be sent to another
        process, and what the function raises, with a cause or a note that says where."""
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
    """Processes of this machine, in a pool of the package loky; 0: all calls are made in this one, one by one."""

    def __init__(self, processes: int) -> None:
        if not isinstance(processes, int) or isinstance(processes, bool) or processes < 0:
            raise ValueError(f"processes must be a whole number from 0, not {processes!r}")
        self.processes = processes
        self.is_here = processes == 0
        self._pool: Any = None
        self._sent: dict[Future[Path], Call] = {}  # calls in progress

    def _run(self, calls: Iterator[Call], function: Callable[[Any, Any], Any], shared: Any, stop: Stop) -> Results:
        """A process that dies breaks the pool: all calls in progress are made again, in a new one. Those whose next
        loss would be the last are made one at a time, so that none is blamed for the death of another's process."""
        if self.is_here:
            while not stop() and (call := next(calls, None)) is not None:
                yield call[0], function(call[1], shared)
            return
        packed = _packed((function, shared))
        sent = self._sent = {}
        lost: list[Call] = []
        losses: Counter[int] = Counter()  # by the number of a call
        with tempfile.TemporaryDirectory(prefix="mancala-", ignore_cleanup_errors=True) as folder:
            job = Path(folder, "job")
            job.write_bytes(packed)
            try:
                while not stop():
                    room = 1 if max(losses.values(), default=0) >= TRIES - 1 else self.processes
                    while len(sent) < room and (call := lost.pop() if lost else next(calls, None)) is not None:
                        path = job.with_name(f"{call[0]}-{losses[call[0]]}")  # no process has seen it yet
                        path.write_bytes(_packed(call[1]))
                        self._submit(path, call)
                    if not sent:
                        return
                    for future in wait(sent, LOOK, FIRST_COMPLETED).done:
                        number, _ = call = sent.pop(future)
                        error = future.exception()
                        if isinstance(error, BrokenExecutor | KeyboardInterrupt):
                            losses[number] += 1
                            if losses[number] >= TRIES:
                                codes = re.search("exit codes .*", str(error))
                                raise WorkerDied.at(number, codes[0] if codes else "interrupted")
                            lost = sorted([*lost, call], key=lambda call: losses[call[0]])
                        elif isinstance(error, Exception):
                            raise error
                        elif error is not None:  # as SystemExit, which would end this process
                            raise RuntimeError(f"{type(error).__name__}: {error}") from error
                        else:
                            del losses[number]
                            yield number, _result(future)
                job.unlink(missing_ok=True)  # so that no call begins which is on its way
                self.close()
                for future, (number, _) in sent.items():
                    if future.exception() is None:
                        yield number, _result(future)
            finally:
                job.unlink(missing_ok=True)
                if sent or not self._kept:
                    self.close()

    def _submit(self, path: Path, call: Call) -> None:
        from loky import ProcessPoolExecutor

        while True:
            self._pool = self._pool or ProcessPoolExecutor(
                self.processes, initializer=_begin, initargs=(os.getpid(),),
                env={"LOKY_MAX_MEMORY_LEAK_SIZE": "1e15"},  # tables that a process loads are no leak
            )  # fmt: skip
            with contextlib.suppress(BrokenExecutor), signals_blocked():
                self._sent[self._pool.submit(_call, path)] = call
                return
            self._pool.shutdown()
            self._pool = None

    def close(self) -> None:
        """End the processes; calls in progress meet KeyboardInterrupt."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        try:
            for process in list(pool._processes.values()) if self._sent else []:  # nothing public tells of them
                process.terminate()
            pool.shutdown(kill_workers=bool(wait(self._sent, PATIENCE).not_done))
        except BaseException:  # a second Ctrl-C waits for nothing
            pool.shutdown(kill_workers=True)
            raise


def _packed(content: Any) -> bytes:
    import cloudpickle

    try:
        return cloudpickle.dumps(content)
    except Exception as error:
        raise ValueError(
            f"this cannot be sent to another process ({error}); leave out what is open or at work, such as files and "
            "locks, or use no other process (processes=0)"
        ) from error


def _readable(content: Any) -> bytes:
    """Content packed, of which it can be made again; ValueError if it cannot."""
    packed = _packed(content)
    try:
        pickle.loads(packed)
    except Exception as error:
        raise ValueError(
            f"{type(content).__name__} can be written, and not read again by another process ({error}); give it a "
            "__reduce__ with what it is made of, or use no other process (processes=0)"
        ) from error
    return packed


def _result(future: "Future[Path]") -> Any:
    path = future.result()
    result = pickle.loads(path.read_bytes())  # made by a process of this one
    path.unlink()
    return result


def _begin(parent: int) -> None:
    """Make this process of a pool ready for calls."""
    for each in (signal.SIGINT, signal.SIGTERM):  # Ctrl-C goes to all processes; the main process decides
        signal.signal(each, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    threading.Thread(target=_die_with, args=(parent,), daemon=True).start()


_folders = set[Path]()  # of the jobs that this process of a pool has had; its parent removes them, if it can


def _die_with(parent: int) -> None:
    """Wait for the end of the process that wants the results, however it ends; then interrupt the call, remove what the
    parent left, and end."""
    while os.getppid() == parent:
        time.sleep(LOOK)
    os.kill(os.getpid(), signal.SIGTERM)
    until = time.monotonic() + PATIENCE
    while signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN and time.monotonic() < until:
        time.sleep(LOOK)
    for folder in _folders:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


@functools.lru_cache(1)
def _unpacked(job: Path) -> Any:
    return pickle.loads(job.read_bytes())


def _call(path: Path) -> Path:
    """Make a call of the job beside a file, which holds the argument, and then the result: a process that dies while
    something large is in the pipes that all share would block the others, and who waits for them."""
    try:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        job = path.with_name("job")
        _folders.add(path.parent)
        job.stat()  # not there once calls are to end
        function, shared = _unpacked(job)
        packed = _readable(function(pickle.loads(path.read_bytes()), shared))
    except Exception as error:
        try:
            _readable(error)
        except ValueError:
            raise RuntimeError(f"{type(error).__name__}: {error}") from error
        raise
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    path.write_bytes(packed)
    return path


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
