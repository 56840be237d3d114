"""MaskablePPO with a ``PolicyNetwork``, which stops when it diverges and can be exported as a zip of SB3.

A module of its own: classes in a zip are found by their module's name.
"""

import copy
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import nn

from agents.policy.layers import MLP, NETWORKS
from agents.policy.network import Module, make_module
from mancala_env.observation import make_encoder
from mancala_env.rules import Ruleset
from training.run import Diverged

ZIP = "maskable_ppo.zip"
_OF_THE_RUN = ("_last_obs", "_last_episode_starts", "ep_info_buffer", "ep_success_buffer", "_custom_logger")


class Learner(MaskablePPO):
    """MaskablePPO that raises ``Diverged`` after an update whose loss or weights are not finite."""

    def collect_rollouts(self, *args: Any, **kwargs: Any) -> bool:
        """Play a rollout; as in the parent class."""
        try:
            return bool(super().collect_rollouts(*args, **kwargs))
        except ValueError as error:  # raised by a distribution
            if "satisfy the constraint" not in str(error):
                raise
            raise Diverged("the network returns numbers that are not finite") from None

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


@dataclass(frozen=True)
class MakeModule:
    """Makes the module of a policy; what a zip of SB3 keeps of it."""

    rules: Ruleset
    encoder: str
    layers: Sequence[int]
    activation: str
    action_head: int
    network: Module = "mlp"

    def __call__(self) -> nn.Module:
        """The module with its first weights."""
        encoder, actions = make_encoder(self.encoder, self.rules), self.rules.num_actions
        if not isinstance(self.network, str) or self.network not in NETWORKS:
            return make_module(self.network, encoder, actions)
        made = NETWORKS[self.network](encoder, actions, self.layers, self.activation, self.action_head)
        if isinstance(made, MLP):
            made.initialise()
        return made


class NetworkPolicy(MaskableActorCriticPolicy):
    """The module of a ``PolicyNetwork`` as Stable-Baselines3 takes it: ``network``, which returns logits and values."""

    def __init__(self, *args: Any, make: MakeModule, **kwargs: Any) -> None:
        self.make = make
        super().__init__(*args, **{**kwargs, "net_arch": []})

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), "make": copy.copy(self.make)}

    def _build(self, lr_schedule: Schedule) -> None:
        self.network = self.make()
        self.network.requires_grad_(True)
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def _seen(self, obs: PyTorchObs, masks: Any) -> tuple[MaskableDistribution, torch.Tensor]:
        """The distribution of actions, and the values, float32[n, 1]."""
        logits, values = self.network(obs)
        distribution: MaskableDistribution = self.action_dist.proba_distribution(action_logits=logits)
        if masks is not None:
            distribution.apply_masking(masks)
        return distribution, values.unsqueeze(1)

    def forward(
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions, values and the logarithms of the actions' probabilities."""
        distribution, values = self._seen(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions.reshape((-1, *self.action_space.shape)), values, distribution.log_prob(actions)  # type: ignore[misc]

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Values, logarithms of probabilities, and entropies."""
        distribution, values = self._seen(obs, action_masks)
        return values, distribution.log_prob(actions), distribution.entropy()

    def get_distribution(self, obs: PyTorchObs, action_masks: Any = None) -> MaskableDistribution:
        """The distribution of actions."""
        return self._seen(obs, action_masks)[0]

    def predict_values(self, obs: PyTorchObs) -> torch.Tensor:
        """float32[n, 1]: the values."""
        return self._seen(obs, None)[1]


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
