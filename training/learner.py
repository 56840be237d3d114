"""MaskablePPO with a ``PolicyNetwork``, which stops when it diverges and can be exported as a zip of SB3.

A module of its own, since ``training.ppo`` runs as ``__main__`` and classes in a zip are found by their module's name.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.type_aliases import Schedule

from agents.policy.layers import Trunk, Value, last_layers, make_policy
from mancala_env.observation import make_encoder
from mancala_env.rules import Ruleset

ZIP = "maskable_ppo.zip"
_OF_THE_RUN = ("_last_obs", "_last_episode_starts", "ep_info_buffer", "ep_success_buffer", "_custom_logger")


class Diverged(FloatingPointError):
    """An update left numbers that are not finite, so that training cannot go on."""


class Learner(MaskablePPO):
    """MaskablePPO that raises ``Diverged`` after an update whose loss or weights are not finite."""

    def train(self) -> None:
        """Update the policy with the decisions of a rollout."""
        update = self._n_updates // self.n_epochs + 1
        try:
            super().train()
        except ValueError:  # raised by a distribution, between two gradient steps
            if self._is_finite():
                raise
        loss = float(self.logger.name_to_value.get("train/loss", np.nan))
        if not self._is_finite():
            raise Diverged(f"update {update} left weights that are not finite")
        if not np.isfinite(loss):
            raise Diverged(f"update {update} ended with loss {loss}")

    def _is_finite(self) -> bool:
        return all(bool(torch.isfinite(weights).all()) for weights in self.policy.parameters())


@dataclass(frozen=True)
class Line:
    """A learning rate that changes linearly over the training."""

    first: float
    last: float

    def __call__(self, left: float) -> float:
        """The rate when the share ``left`` of the training, 1 to 0, is still to come."""
        return self.last + left * (self.first - self.last)


class TrunkFeatures(BaseFeaturesExtractor):
    """The trunk of a ``PolicyNetwork``, as Stable-Baselines3 takes it."""

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        rules: Ruleset,
        encoder: str,
        layers: Sequence[int],
        activation: str,
        action_head: int,
    ) -> None:
        trunk = Trunk(make_encoder(encoder, rules), layers, activation, action_head > 0)
        super().__init__(observation_space, features_dim=trunk.width)
        self.trunk = trunk

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """``float32[n, *shape]`` to float32[n, features_dim]."""
        seen: torch.Tensor = self.trunk(observations)
        return seen


class NetworkPolicy(MaskableActorCriticPolicy):
    """A ``PolicyNetwork`` as Stable-Baselines3 takes it: the trunk as features, followed by its two outputs."""

    def _build(self, lr_schedule: Schedule) -> None:
        shape: dict[str, Any] = self.features_extractor_kwargs
        seen, actions = shape["layers"][-1], int(self.action_space.n)  # type: ignore[attr-defined]
        encoder = make_encoder(shape["encoder"], shape["rules"])
        self._build_mlp_extractor()
        self.action_net = make_policy(encoder, seen, actions, shape["activation"], shape["action_head"])
        self.value_net = Value(seen, 1)
        for module, gain in ((self.features_extractor, 2**0.5), (self.action_net, 2**0.5), (self.value_net, 1.0)):
            module.apply(partial(self.init_weights, gain=gain))
        with torch.no_grad():  # at first all actions are about as likely
            for last in last_layers(self.action_net):
                last.weight.mul_(0.01 / 2**0.5)
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]


def export(model: MaskablePPO, folder: Path) -> None:
    """Write ``maskable_ppo.zip`` in one step, for ``MaskablePPO.load``; this package never reads it.

    Unlike a policy file it holds pickled objects: loading it can run code, and needs this repository to be importable.
    """
    unfinished = folder / f".{ZIP}.{os.getpid()}"
    try:
        model.save(unfinished, exclude=_OF_THE_RUN)
        os.replace(unfinished, folder / ZIP)
    finally:
        unfinished.unlink(missing_ok=True)
