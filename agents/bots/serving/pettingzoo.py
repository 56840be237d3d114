"""Callables in the style of PettingZoo, ``act(observation, action_mask)``, as agents of this project.

The other way round an agent plays in the environment as it is: ``mancala_env.aec``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.bots.serving.foreign import ForeignAgent, reset_if_it_can
from mancala_env.observation import make_encoder
from mancala_env.rules import Ruleset
from mancala_env.state import State


class MaskedAgent(ForeignAgent):
    """A callable as an agent.

    Parameters
    ----------
    function : callable
        Of the observation, float32[...] as the encoder of its attribute ``encoder`` makes it (default: ``onehot``), and
        the mask of legal actions, int8[A]; returns an action.
    name : str
    """

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        super().__init__(name)
        self._function = function
        self._encoder: Any = None
        self._rules: Ruleset | None = None

    def reset(self, seed: int) -> None:
        """Before each game."""
        super().reset(seed)
        reset_if_it_can(self._function, seed)

    def prepare(self, rules: Ruleset) -> None:
        """Compile the encoder. Raises ValueError if it does not encode this game."""
        self._observed(rules.start())

    def act(self, state: State) -> Any:
        """What the callable returns, legal or not."""
        return self._function(self._observed(state), np.asarray(state.legal_mask, np.int8))

    def _observed(self, state: State) -> npt.NDArray[np.float32]:
        if state.rules is not self._rules:
            self._encoder = make_encoder(getattr(self._function, "encoder", "onehot"), state.rules)
            self._rules = state.rules
        seen: npt.NDArray[np.float32] = self._encoder(state.array[None], np.array([state.player], np.int8))[0]
        return seen
