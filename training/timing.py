"""How long a policy takes for a move: the entry ``time`` of its model card."""

import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import torch

from agents.policy.agent import PolicyAgent
from agents.policy.network import PolicyNetwork
from mancala_env.batch import Batch

BATCH = 512
MOVES, BATCHES = 200, 12
SECONDS = 2.0  # for each of the two figures at most, but for what a single call takes
PLIES = 32  # of random games, along which the positions are taken
# Processor time, where the system counts it finely enough: other work on the machine hardly changes it.
CLOCK = time.thread_time if time.get_clock_info("thread_time").resolution <= 1e-6 else time.perf_counter
_WARM_UP = 5  # calls that are not counted: they load kernels and fill caches


def time_of(network: PolicyNetwork) -> dict[str, Any]:
    """Measure how long a policy takes for a move, its observation included, on one thread.

    The positions are those of random games, the same each time. What is measured is processor time, where the system
    counts it finely enough: on an idle machine that is the time on the clock, and other work hardly changes it.

    Returns
    -------
    dict
        ``microseconds_per_move``: the median of single calls of ``PolicyAgent.act``.
        ``microseconds_in_batch_of_512``: a move's share of a call for 512 positions, as a median.
        ``machine``: on what.
    """
    agent = PolicyAgent.of(network, "measured")
    with one_thread():
        batch = Batch(network.rules, BATCH, seed=0, encoder=network.encoder.name)
        states = []
        for _ in range(PLIES):
            states += [batch.state(game) for game in range(1 + (MOVES + _WARM_UP) // PLIES)]
            batch.play(batch.random_actions())
        ahead = iter(states)
        single = _median(lambda: agent.act(next(ahead)), MOVES)

        def together() -> Any:
            return agent.act_batch(agent.encoder(batch.positions, batch.players), batch.legal_mask)

        shared = _median(together, BATCHES) / BATCH
    return {
        "microseconds_per_move": round(single * 1e6, 1),
        f"microseconds_in_batch_of_{BATCH}": round(shared * 1e6, 2),
        "machine": f"{processor()}, {os.cpu_count()} cores, one thread used",
    }


def _median(call: Callable[[], Any], most: int) -> float:
    """The median of the seconds that a call takes, over ``most`` calls or as many as ``SECONDS`` allow."""
    for _ in range(_WARM_UP if most > BATCHES else 1):
        call()
    taken: list[float] = []
    while len(taken) < most and sum(taken) < SECONDS:
        begin = CLOCK()
        call()
        taken.append(CLOCK() - begin)
    return median(taken)


@contextmanager
def one_thread() -> Iterator[None]:
    """Have torch use one thread during a ``with`` block."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def processor() -> str:
    """The name of the processor, where the system says it, with the system."""
    system = f"{platform.system()} {platform.machine()}"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            named = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        named = []
    return f"{system}, {named[0]}" if named else system
