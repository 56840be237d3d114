"""Where games are played: in this process, or in processes of this machine. The games are the same."""

import contextlib
import multiprocessing
import pickle
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Protocol

from agents.agent import Agent
from agents.bots.ending import wake_guards
from agents.bots.sandbox import NO_SANDBOX, Sandbox
from agents.executors import WorkerDied
from agents.processes import die_with_parent, interrupts_blocked
from agents.tournament.event import Event
from agents.tournament.participants import has_programs
from agents.tournament.schedule import Unit
from agents.tournament.store import StoredGame
from agents.tournament.worker import PlayedAlone, Worker

TRIES = 3  # of a unit whose worker dies
LOOK = 0.2  # seconds between two looks at ``stop``
HERE = 1.0  # seconds that a worker takes to start; meanwhile this process plays
QUICK = 100  # minimum size, in games, of a unit that is quick, because its players play in a batch
STOPPING = 5.0  # seconds for workers to end their players


Games = list[StoredGame | PlayedAlone]
Stop = Callable[[], bool]


class Executor(Protocol):
    """Plays units in any order, programs in a sandbox if it has an attribute ``sandbox``."""

    def run(
        self, event: Event, units: Iterable[Unit], agents: Mapping[str, Agent], stop: Stop
    ) -> Generator[Games, None, None]:
        """Games as they end, also empty lists in between, and a ``PlayedAlone`` before games that could not be batched.

        Once ``stop()`` is true no game is begun any more, and those that have ended are still yielded. A unit whose
        worker died is played again: a game can come twice, and is then the same.
        """


class SerialExecutor:
    """Plays in this process, one unit after the other; programs without a sandbox are played from one other process.

    Parameters
    ----------
    sandbox : Sandbox
        For programs.
    """

    def __init__(self, sandbox: Sandbox = NO_SANDBOX) -> None:
        self.sandbox = sandbox

    def run(
        self, event: Event, units: Iterable[Unit], agents: Mapping[str, Agent], stop: Stop
    ) -> Generator[Games, None, None]:
        """See ``Executor``."""
        worker = worker_of(event, agents, self.sandbox)
        try:
            for unit in units:
                for games in worker.play(unit):
                    yield games
                    if stop():
                        return
        finally:
            worker.close()


class LocalExecutor:
    """Plays in a number of processes of this machine.

    Parameters
    ----------
    processes : int
        1 or more.
    sandbox : Sandbox
        For programs.
    """

    def __init__(self, processes: int, sandbox: Sandbox = NO_SANDBOX) -> None:
        if not isinstance(processes, int) or isinstance(processes, bool) or processes < 1:
            raise ValueError(f"processes must be a whole number from 1, not {processes!r}")
        self.processes, self.sandbox = processes, sandbox

    def run(
        self, event: Event, units: Iterable[Unit], agents: Mapping[str, Agent], stop: Stop
    ) -> Generator[Games, None, None]:
        """See ``Executor``.

        A worker that was stopped by a signal is killed. Where ``TRIES`` workers died at one unit, the program that was
        at work most often when they did loses the games of the unit by a fault.

        Raises
        ------
        WorkerDied
            If ``TRIES`` workers died at one unit, and no program was at work.
        ValueError
            If agents that are given as objects cannot be sent to another process, or games cannot be played at all.
        """
        waiting = iter(units)
        again: deque[_Task] = deque()
        hands: list[_Hand] = []
        yield from self._quickly(event, waiting, again, agents, stop)
        try:
            while not stop():
                for hand in hands:
                    if hand.task is None and (task := _next(again, waiting)) is not None:
                        hand.give(task)
                while len(hands) < self.processes and (task := _next(again, waiting)) is not None:
                    hands.append(_Hand(event, agents, self.sandbox))
                    hands[-1].give(task)
                if all(hand.task is None for hand in hands):
                    return
                for hand, games in _heard(hands, LOOK):
                    if games is not None:
                        yield games
                        continue
                    hand.close(0.0)
                    hands.remove(hand)
                    assert hand.task is not None
                    again.append(hand.task.after_a_death(hand.process.exitcode, hand.at_work))
                for hand in hands:
                    hand.kill_if_stopped()
                yield []
            for hand in hands:
                hand.ask_to_stop()
            until = time.monotonic() + STOPPING
            while any(hand.task is not None for hand in hands) and time.monotonic() < until:
                for hand, games in _heard(hands, LOOK):
                    if games is None:
                        hand.task = None
                    else:
                        yield games
        finally:
            for hand in hands:
                hand.ask_to_stop()
            until = time.monotonic() + STOPPING
            for hand in hands:
                hand.close(until - time.monotonic())

    def _quickly(
        self, event: Event, waiting: Iterator[Unit], again: "deque[_Task]", agents: Mapping[str, Agent], stop: Stop
    ) -> Generator[Games, None, None]:
        """Play quick units here while processes start; the first unit that is not quick goes to them."""
        if has_programs(event, agents):  # which are asked first, in their sandbox
            return
        worker = Worker(event, agents, self.sandbox)
        begin = time.monotonic()
        try:
            while time.monotonic() - begin < HERE and not stop():
                unit = next(waiting, None)
                if unit is None:
                    return
                if len(unit.numbers) < QUICK:
                    again.append(_Task(unit))
                    return
                yield from worker.play(unit)
        finally:
            worker.close()


def worker_of(event: Event, agents: Mapping[str, Agent], sandbox: Sandbox) -> "Worker | Shielded":
    """What plays units for this process: programs that no sandbox contains could end it.

    Players that are given as objects may be of use in this process alone, and then all are played in it.
    """
    bare = has_programs(event, agents) and not sandbox.program and not agents
    return (Shielded if bare else Worker)(event, agents, sandbox)


class Shielded:
    """Plays units, one after the other, in a process of its own, which another one replaces when it dies.

    Parameters
    ----------
    event : Event
    agents : mapping of str to Agent
        Players that are given as objects, by name.
    sandbox : Sandbox
    """

    def __init__(self, event: Event, agents: Mapping[str, Agent], sandbox: Sandbox) -> None:
        self._made_of = event, agents, sandbox
        self._hands: list[_Hand] = []

    def play(self, unit: Unit) -> Generator[Games, None, None]:
        """The games of a unit, and empty lists in between. Raises as ``LocalExecutor.run`` does."""
        task: _Task | None = _Task(unit)
        while task is not None:
            if not self._hands:
                self._hands.append(_Hand(*self._made_of))
            hand = self._hands[0]
            if hand.task is None:
                hand.give(task)
            for _, games in _heard(self._hands, LOOK):
                if games is not None:
                    yield games
                    continue
                self._hands.clear()
                hand.close(0.0)
                task = task.after_a_death(hand.process.exitcode, hand.at_work)
            if self._hands:
                hand.kill_if_stopped()
                task = hand.task
            yield []

    def close(self) -> None:
        """End the process after its current game."""
        for hand in self._hands:
            hand.ask_to_stop()
            hand.close(STOPPING)
        self._hands.clear()


def _heard(hands: "list[_Hand]", timeout: float) -> "list[tuple[_Hand, Games | None]]":
    """What workers have sent: games, or None from a worker that has died."""
    busy: dict[Any, _Hand] = {hand.pipe: hand for hand in hands if hand.task is not None}
    heard: list[tuple[_Hand, Games | None]] = []
    for pipe in wait(list(busy), timeout):
        hand = busy[pipe]
        try:
            games, done = hand.pipe.recv()
        except (EOFError, OSError):
            heard.append((hand, None))
            continue
        if isinstance(games, str):
            raise ValueError(games)
        if done:
            hand.task = None
        heard.append((hand, games))
    return heard


class _Task:
    """A unit, the number of workers that died while playing it, and the programs that were then at work."""

    def __init__(self, unit: Unit) -> None:
        self.unit, self.deaths = unit, 0
        self.barred: dict[int, str] = {}
        self._at_work: Counter[int] = Counter()

    def after_a_death(self, exitcode: int | None, at_work: int) -> "_Task":
        """The task for the next worker. ``at_work``: the index of the program that was asked something, or -1."""
        self.deaths += 1
        if at_work >= 0:
            self._at_work[at_work] += 1
        if self.deaths % TRIES == 0:
            if suspects := [player for player, _ in self._at_work.most_common() if player not in self.barred]:
                why = f"{self.deaths} processes that played this pair of games died, mostly while it was at work"
                self.barred[suspects[0]] = why
                return self
            raise WorkerDied(
                f"{self.deaths} worker processes died (exit code {exitcode}) at games {self.unit.numbers[0]} to "
                f"{self.unit.numbers[-1]}; out of memory (take fewer --processes)? Or a script that plays without "
                'if __name__ == "__main__": around it? What was played is stored, and --resume goes on'
            )
        return self


def _next(again: "deque[_Task]", waiting: Iterator[Unit]) -> _Task | None:
    if again:
        return again.popleft()
    unit = next(waiting, None)
    return None if unit is None else _Task(unit)


class _Hand:
    """A worker process and the unit it is playing."""

    def __init__(self, event: Event, agents: Mapping[str, Agent], sandbox: Sandbox) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy locks that other threads hold
        self.pipe, theirs = context.Pipe()
        self.task: _Task | None = None
        try:
            packed = pickle.dumps(dict(agents))
        except Exception as error:
            raise ValueError(
                f"these players cannot be sent to another process ({error}); use agents of an importable module, or "
                "processes=0 to play in this one"
            ) from error
        self._at_work = context.RawValue("i", -1)
        self._stopped: float | None = None  # when it was first seen to be
        arguments = (theirs, event, packed, sandbox, self._at_work)
        self.process = context.Process(target=_work, args=arguments, daemon=False)
        with interrupts_blocked():  # until the worker ignores them itself
            self.process.start()
        theirs.close()

    def give(self, task: _Task) -> None:
        """Let it play a unit. A worker that is dead is noticed when its pipe is read."""
        self.task = task
        with contextlib.suppress(OSError):
            self.pipe.send((task.unit, task.deaths, task.barred))

    @property
    def at_work(self) -> int:
        """The index of the program that was asked something last, and has not answered; -1: none."""
        return int(self._at_work.value)

    def kill_if_stopped(self) -> None:
        """Kill the worker if a signal has stopped it for a while (on Linux): nobody may let it go on."""
        if self.task is None or not _is_stopped(self.process.pid):
            self._stopped = None
        elif self._stopped is None:
            self._stopped = time.monotonic()
        elif time.monotonic() > self._stopped + LOOK:
            self.process.kill()

    def ask_to_stop(self) -> None:
        """Ask the worker to end after its current game."""
        with contextlib.suppress(OSError):
            self.pipe.send(None)

    def close(self, patience: float) -> None:
        """Wait up to ``patience`` seconds for its end, then kill it."""
        until = time.monotonic() + patience
        while self.process.is_alive() and time.monotonic() < until:
            with contextlib.suppress(EOFError, OSError):
                while self.pipe.poll(0.02):  # it may be blocked until its output is read
                    self.pipe.recv()
            self.process.join(0.02)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(STOPPING)
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        if self.process.exitcode and self.process.pid is not None:
            wake_guards(self.process.pid)
        self.pipe.close()


def _is_stopped(pid: int | None) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"T"
    return False


def _work(pipe: Connection, event: Event, packed: bytes, sandbox: Sandbox, at_work: Any) -> None:
    """The main loop of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes; the main process decides
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, _leave)
    die_with_parent()
    agents = pickle.loads(packed)  # made by the parent process itself
    worker = Worker(event, agents, sandbox, lambda player: setattr(at_work, "value", player))
    try:
        while (task := pipe.recv()) is not None:
            for games in _played(worker, *task):
                pipe.send((games, False))
                if pipe.poll() and _asked_to_stop(pipe):
                    pipe.send(([], True))
                    return
            pipe.send(([], True))
    except (EOFError, BrokenPipeError):
        pass  # the main process is gone
    finally:
        worker.close()


def _played(worker: Worker, unit: Unit, deaths: int, barred: Mapping[int, str]) -> Iterator[Games | str]:
    """The games of a unit; or why they cannot be played, which is the same in every process."""
    try:
        yield from worker.play(unit, deaths, barred)
    except (ValueError, OSError) as error:
        yield str(error)


def _asked_to_stop(pipe: Connection) -> bool:
    try:
        return pipe.recv() is None
    except EOFError:
        return True


def _leave(*_: Any) -> None:
    raise SystemExit(1)
