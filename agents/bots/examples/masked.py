"""A function as agents for PettingZoo are written, ``act(observation, action_mask)``, as a bot.

``python:agents/bots/examples/masked.py:play``: put your own ``act`` in the place of this one.
"""

import numpy as np
import numpy.typing as npt

from mancala_env.observation import make_encoder
from mancala_env.state import State

ENCODER = "onehot"  # what ``act`` was trained with


def act(observation: npt.NDArray[np.float32], action_mask: npt.NDArray[np.int8]) -> int:
    """The action of a policy; here the first that is legal. The mask is int8[A], 1 for each legal action."""
    return int(np.flatnonzero(action_mask)[0])


def play(state: State) -> int:
    """What ``act`` chooses when it sees a position as an environment would show it."""
    observation = make_encoder(ENCODER, state.rules)(state.array[None], np.array([state.player], np.int8))[0]
    return act(observation, np.asarray(state.legal_mask, np.int8))
