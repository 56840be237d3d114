"""The policy half of a built-in network (``agents.policy.layers.MLP``) by NumPy alone, where torch is not installed;
float32 sums in another order make logits differ in their last digits.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from agents import array_file
from agents.policy import card
from mancala_env.observation import Encoder
from mancala_env.rules import Ruleset

_ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
}


class PlainNetwork:
    """The policy's half of a built-in network, for arrays, of the rules that it was trained on."""

    def __init__(self, rules: Ruleset, encoder: Encoder, activation: str, weights: dict[str, Any]) -> None:
        self.rules, self.encoder = rules, encoder
        self._activation = _ACTIVATIONS[activation]
        self._weights = {name: array.astype(np.float32) for name, array in weights.items()}
        self._depth = sum(name.startswith("trunk.layers.") and name.endswith(".weight") for name in weights)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "PlainNetwork":
        """The network in a policy file, a run folder, or of the zoo (``zoo:NAME``). FileNotFoundError if there is none;
        ValueError if it is damaged, of another kind, or its rules or its encoder have changed since.
        """

        def made(header: dict[str, Any], weights: dict[str, Any]) -> PlainNetwork:
            if header["network"] != "mlp":
                raise ValueError("it is of a kind that needs torch")
            rules, encoder = card.game_and_encoder(header)
            network = cls(rules, encoder, header["activation"], weights)
            network.logits(np.zeros((1, *encoder.shape), dtype=np.float32))
            return network

        return array_file.load(card.policy_file(path), card.KIND, made)

    def logits(self, observations: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """float32[n, A] of observations, ``float32[n, *encoder.shape]``."""
        weights, flat = self._weights, observations.reshape(len(observations), -1)
        seen = flat
        for k in range(self._depth):
            seen = self._activation(self._linear(seen, f"trunk.layers.{2 * k}"))
        if "policy.weight" in weights:
            return self._linear(seen, "policy")
        assert self.encoder.blocks is not None
        first, actions, width = self.encoder.blocks
        blocks = flat[:, first:].reshape(len(flat), actions, width)
        hidden = self._activation(
            self._linear(seen, "policy.context")[:, None] + blocks @ weights["policy.block.weight"].T
        )
        return np.asarray(self._linear(seen, "policy.linear") + (hidden @ weights["policy.out.weight"].T)[..., 0])

    def _linear(self, seen: npt.NDArray[np.float32], layer: str) -> npt.NDArray[np.float32]:
        return np.asarray(seen @ self._weights[f"{layer}.weight"].T + self._weights[f"{layer}.bias"])
