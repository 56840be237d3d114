"""Play an event on a Ray cluster, in small units that can be played again, so that nodes may be lost."""

import contextlib
import logging
import os
import uuid
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any

from agents.agent import Agent
from agents.bots.sandbox import NO_SANDBOX, Sandbox
from agents.tournament.event import Event
from agents.tournament.executors import TRIES, Games, Shielded, Stop, WorkerDied, worker_of
from agents.tournament.participants import prepare
from agents.tournament.schedule import Unit
from agents.tournament.worker import Worker

AHEAD = 2  # units sent per processor of the cluster: one to play, one to wait
LISTEN = 0.2  # seconds between two looks at ``stop``

_workers: dict[str, Worker | Shielded] = {}  # the workers of this process, by run


class RayExecutor:
    """Plays on a Ray cluster. Every node needs this checkout, its environment, and the players' programs.

    Parameters
    ----------
    address : str, optional
        Of a running cluster, as ``ray.init`` takes it. None: a cluster on this machine, which is started if need be.
    sandbox : Sandbox
        For programs; every node must have it.

    Raises
    ------
    ImportError
        If Ray is not installed.
    """

    def __init__(self, address: str | None = None, sandbox: Sandbox = NO_SANDBOX) -> None:
        try:
            import ray  # noqa: F401
        except ImportError as error:
            raise ImportError('this needs Ray: pip install -e ".[cluster]"') from error
        self.address, self.sandbox = address, sandbox

    def run(
        self, event: Event, units: Iterable[Unit], agents: Mapping[str, Agent], stop: Stop
    ) -> Generator[Games, None, None]:
        """See ``agents.tournament.executors.Executor``.

        Raises
        ------
        WorkerDied
            If the processes that played a unit were lost ``TRIES`` times.
        """
        import ray

        begun = not ray.is_initialized()
        if begun:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            ray.init(self.address, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
        try:
            yield from self._run(ray, event, units, agents, stop)
        finally:
            if begun:
                ray.shutdown()

    def _run(
        self, ray: Any, event: Event, units: Iterable[Unit], agents: Mapping[str, Agent], stop: Stop
    ) -> Generator[Games, None, None]:
        play = ray.remote(num_cpus=1, max_retries=0)(_play)  # tries are counted here
        shared = ray.put((uuid.uuid4().hex, event, dict(agents), self.sandbox))
        waiting = (part for unit in units for part in _parts(unit))
        again: deque[tuple[Unit, int]] = deque()
        sent: dict[Any, tuple[Unit, int]] = {}
        while not stop():
            room = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
            while len(sent) < room:
                unit, deaths = again.popleft() if again else (next(waiting, None), 0)
                if unit is None:
                    break
                sent[play.remote(shared, unit)] = unit, deaths
            if not sent:
                return
            ended, _ = ray.wait(list(sent), num_returns=1, timeout=LISTEN)
            more, _ = ray.wait(list(sent), num_returns=len(sent), timeout=0)
            for reference in {*ended, *more}:
                unit, deaths = sent.pop(reference)
                try:
                    games = ray.get(reference)
                except (ray.exceptions.RayTaskError, ray.exceptions.RaySystemError) as error:
                    why = getattr(error, "cause", None) or error
                    raise WorkerDied(
                        f"games {unit.numbers[0]} to {unit.numbers[-1]} cannot be played: {why}"
                    ) from error
                except ray.exceptions.RayError as error:
                    if deaths + 1 >= TRIES:
                        raise WorkerDied(
                            f"the processes that played games {unit.numbers[0]} to {unit.numbers[-1]} were lost "
                            f"{TRIES} times ({error}); what was played is stored, and --resume goes on"
                        ) from error
                    again.append((unit, deaths + 1))
                    continue
                yield games
            yield []
        ended, _ = ray.wait(list(sent), num_returns=len(sent), timeout=0) if sent else ([], [])
        for reference in sent:
            with contextlib.suppress(Exception):
                if reference in ended:
                    yield ray.get(reference)
                else:
                    ray.cancel(reference, force=True)


def _parts(unit: Unit) -> Iterator[Unit]:
    """Single games, unless they are played in a batch: each is stored when it ends, and little is lost with a node."""
    if len(unit.numbers) > 2:
        yield unit
    else:
        yield from unit.parts()


def _play(shared: tuple[str, Event, dict[str, Agent], Sandbox], unit: Unit) -> Games:
    """A task of the cluster. The worker process keeps its players for the next one of the same run."""
    run, event, agents, sandbox = shared
    if run not in _workers:
        for worker in _workers.values():
            worker.close()
        _workers.clear()
        prepare(event, agents)  # another node may have to compile
        _workers[run] = worker_of(event, agents, sandbox)
    return [game for games in _workers[run].play(unit) for game in games]
