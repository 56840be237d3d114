"""How long an agent takes for a move: for comparisons of agents, and the entry ``time`` of a policy's model card."""

import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import torch

from agents import Agent
from agents.batched import batched_agent
from agents.batched.players import streams_of
from agents.policy.agent import PolicyAgent
from agents.policy.network import PolicyNetwork
from agents.warm_up import warm
from mancala_env.batch import Batch
from mancala_env.state import State

BATCH = 512
MOVES = 200
PLIES = 32  # of random games, along which the positions of ``time_of`` are taken
SECONDS = 1.0  # for a pass over the positions; then fewer positions do
PASSES, LEAST = 3, 10  # passes, and positions that each has however long they take
# Processor time, where the system counts it finely enough: other work on the machine hardly changes it.
CLOCK = time.thread_time if time.get_clock_info("thread_time").resolution <= 1e-6 else time.perf_counter


@dataclass(frozen=True)
class Timed:
    """How long a player takes for a move: processor time of one thread.

    Attributes
    ----------
    single : float
        Seconds of ``act``, the median over positions.
    batched : float or None
        Seconds of ``act_positions``, for each position of a batch; None if it plays in none.
    """

    single: float
    batched: float | None


def timed(agent: Agent, states: Sequence[State], moves: int = MOVES, batch: int = BATCH) -> Timed:
    """How long an agent takes for a move, when nothing is left to compile: the quickest of some passes.

    Other work on the machine makes a pass slower, by what it leaves in the caches, and never quicker.

    Parameters
    ----------
    agent : Agent
    states : list of State
        Running positions of one game.
    moves, batch : int
        How many of them are asked about one by one, and in a batch.
    """
    rules, asked = states[0].rules, states[:batch]
    warm(rules, agent)
    singles: list[float] = []
    for _ in range(PASSES):
        agent.reset(0)
        taken: list[float] = []
        for state in states[:moves]:
            taken.append(_seconds(agent.act, state))
            if len(taken) >= LEAST and sum(taken) > SECONDS:
                break
        singles.append(median(taken))
    if (batched := batched_agent(agent)) is None:
        return Timed(min(singles), None)
    histories = [state.history for state in asked]
    history = np.zeros((len(asked), max(map(len, histories)) + 1), dtype=np.uint64)
    for line, known in zip(history, histories, strict=True):
        line[: len(known)] = known
    rows, masks = np.stack([state.array for state in asked]), np.stack([state.legal_mask for state in asked])
    games, together = np.arange(len(asked)), []
    for _ in range(PASSES + 1):  # the first is to warm up
        agent.reset(0)
        arguments = (rules, games, rows, masks, history, streams_of(games))
        together.append(_seconds(batched.act_positions, *arguments))
    return Timed(min(singles), min(together[1:]) / len(asked))


def _seconds(call: Callable[..., Any], *arguments: Any) -> float:
    before = CLOCK()
    call(*arguments)
    return CLOCK() - before


def time_of(network: PolicyNetwork) -> dict[str, Any]:
    """Measure how long a policy takes for a move, its observation included, on one thread.

    The positions are those of random games, the same each time.

    Returns
    -------
    dict
        ``microseconds_per_move``, ``microseconds_in_batch_of_512``: as ``timed``. ``machine``: on what.
    """
    batch, states = Batch(network.rules, BATCH, seed=0), list[State]()
    for _ in range(PLIES):
        states += [batch.state(game) for game in range(BATCH // PLIES)]
        batch.play(batch.random_actions())
    with one_thread():
        found = timed(PolicyAgent.of(network, "measured"), states)
    assert found.batched is not None
    return {
        "microseconds_per_move": round(found.single * 1e6, 1),
        f"microseconds_in_batch_of_{BATCH}": round(found.batched * 1e6, 2),
        "machine": f"{processor()}, {os.cpu_count()} cores, one thread used",
    }


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
