"""The state of an AlphaZero run between two rounds: what a checkpoint holds of it, and how a run goes on from one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents.policy.network import PolicyNetwork
from mancala_env import checks
from mancala_env.rules import Ruleset
from training.alphazero.learning import Buffer
from training.alphazero.selfplay import ITSELF, Game, Group, Record
from training.checkpoint import (
    Arrays,
    Checkpoint,
    adam_arrays,
    copied,
    fill,
    fitting,
    restore_adam,
    restore_torch_random,
    torch_random,
)

_NAMES = ("rows", "masks", "policies", "values")


@dataclass
class RunState:
    """All that a run goes on from.

    Attributes
    ----------
    learner : PolicyNetwork
        Learns.
    player : PolicyNetwork
        Plays the next round: the learner as it was a round ago, so that playing and learning go on side by side.
    optimizer : torch.optim.Adam
    buffer : Buffer
    groups : list of Group
    random : numpy.random.Generator
        Draws from the buffer.
    rounds : int
    """

    learner: PolicyNetwork
    player: PolicyNetwork
    optimizer: torch.optim.Adam
    buffer: Buffer
    groups: list[Group]
    random: np.random.Generator
    rounds: int = 0


def capture(state: RunState, seconds: float, about: Mapping[str, Any]) -> Checkpoint:
    """A copy of the state of a run between two rounds; ``about``: ``checkpoint.describe``."""
    arrays: Arrays = {}
    for who, network in (("learner", state.learner), ("player", state.player)):
        arrays |= {f"{who}.{name}": copied(weights) for name, weights in network.weights().items()}
    arrays |= adam_arrays(state.optimizer)
    count = len(state.buffer)
    arrays |= {f"buffer.{name}": getattr(state.buffer.kept, name)[:count].copy() for name in _NAMES}
    games = [game for group in state.groups for game in group.games]
    records = [record for game in games for record in game.records]
    actions = state.learner.rules.num_actions
    arrays |= {
        "games.actions": np.array([action for game in games for action in game.actions], dtype=np.int64),
        "games.about": np.array(
            [(len(game.actions), game.begun, game.opponent, game.seat, len(game.records)) for game in games], np.int64
        ).reshape(-1, 5),
        "games.plies": np.array([record.ply for record in records], dtype=np.int64),
        "games.policies": np.array([record.policy for record in records], dtype=np.float32).reshape(-1, actions),
        "games.values": np.array([record.value for record in records], dtype=np.float64),
    }
    arrays |= torch_random(state.learner.device)
    header = {
        **about,
        "steps": state.rounds,
        "seconds": seconds,
        "added": state.buffer.added,
        "random": state.random.bit_generator.state,
        "random_groups": [group.random.bit_generator.state for group in state.groups],
    }
    return Checkpoint(header, arrays)


def restore(checkpoint: Checkpoint, state: RunState, opponents: int) -> None:
    """Bring the state of a new run to that of a checkpoint. Raises CheckpointError if it does not fit."""
    with fitting():
        _restore(checkpoint, state, opponents)


def _restore(checkpoint: Checkpoint, state: RunState, opponents: int) -> None:
    header, arrays = checkpoint.header, checkpoint.arrays
    for who, network in (("learner", state.learner), ("player", state.player)):
        for name, weights in network.module.state_dict().items():
            fill(weights, arrays[f"{who}.{name}"])
    restore_adam(state.optimizer, arrays)
    rules = state.learner.rules
    checks.positions(rules, arrays["buffer.rows"])
    count = min(int(header["added"]), len(state.buffer.kept))
    for name in _NAMES:
        getattr(state.buffer.kept, name)[:count] = arrays[f"buffer.{name}"]
    state.buffer.added = int(header["added"])
    games = _games(rules, arrays, opponents)
    for group, drawn in zip(state.groups, header["random_groups"], strict=True):
        group.games = [next(games) for _ in group.games]
        group.random.bit_generator.state = drawn
    state.random.bit_generator.state = header["random"]
    restore_torch_random(state.learner.device, arrays)
    state.rounds = checkpoint.steps


def _games(rules: Ruleset, arrays: Mapping[str, npt.NDArray[Any]], opponents: int) -> Any:
    """The games of a checkpoint, played anew from their actions."""
    played: Sequence[int] = arrays["games.actions"].tolist()
    at = told = 0
    for length, begun, opponent, seat, records in arrays["games.about"].tolist():
        if not ITSELF <= opponent < opponents or seat not in (0, 1):
            raise ValueError("it names opponents or seats that there are not")
        actions = played[at : at + length]
        state = rules.start()
        for action in actions:
            state = state.play(action)
        kept = [
            Record(int(arrays["games.plies"][k]), arrays["games.policies"][k].copy(), float(arrays["games.values"][k]))
            for k in range(told, told + records)
        ]
        yield Game(state, list(actions), begun, opponent, seat, kept)
        at, told = at + length, told + records
