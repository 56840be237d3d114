"""How long a policy takes for a move: the entry ``time`` of its model card."""

import os
import platform
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import torch
from llvmlite.binding import get_host_cpu_name as processor

from agents.policy.agent import PolicyAgent
from agents.policy.network import PolicyNetwork
from agents.warm_up import warm
from mancala_env.batch import Batch
from mancala_env.state import State

BATCH, PLIES = 512, 32  # positions, and plies of the random games
PASSES, EVERY = 3, 8  # passes over positions, in which single moves are made in each so-manieth


def time_of(network: PolicyNetwork) -> dict[str, Any]:
    """Measure how long a policy takes for a move, its observation included, on one thread: the quickest of some passes
    over positions of random games, the same each time. The answer is the entry ``time`` of a model card: for a single
    ``act`` the median over positions, for each position of a batch, and on what machine."""
    batch, states = Batch(network.rules, BATCH, seed=0), list[State]()
    for _ in range(PLIES):
        states += [batch.state(game) for game in range(BATCH // PLIES)]
        batch.play(batch.random_actions())
    agent = PolicyAgent.of(network, "measured")
    rows, masks = np.stack([state.array for state in states]), np.stack([state.legal_mask for state in states])
    seats = np.array([state.player for state in states], dtype=np.int8)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        warm(network.rules, agent)
        moves = [partial(agent.act, state) for state in states[::EVERY]]
        single = min(median(map(_seconds, moves)) for _ in range(PASSES))
        together = [_seconds(lambda: agent.act_batch(agent.encoder(rows, seats), masks)) for _ in range(PASSES + 1)]
    finally:
        torch.set_num_threads(threads)
    return {
        "microseconds_per_move": round(single * 1e6, 1),
        f"microseconds_in_batch_of_{BATCH}": round(min(together[1:]) / BATCH * 1e6, 2),
        "machine": f"{platform.system()} {platform.machine()}, {processor()}, {os.cpu_count()} cores, one thread used",
    }


def _seconds(call: Callable[[], Any]) -> float:
    """The processor time of a call, which other work on the machine hardly changes."""
    before = time.thread_time()
    call()
    return time.thread_time() - before
