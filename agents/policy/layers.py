"""The modules of a policy network, the built-in ones by name (``NETWORKS``), and their layers. They map observations,
``float32[n, *encoder.shape]``, to logits, float32[n, A], and values, float32[n].
"""

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import nn

from mancala_env.observation import Encoder

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh, "elu": nn.ELU}


class Trunk(nn.Module):
    """The shared layers: ``float32[n, *encoder.shape]`` to ``[n, layers[-1]]``, with ``blocks`` then those of all
    actions."""

    def __init__(self, encoder: Encoder, layers: Sequence[int], activation: str, blocks: bool = False) -> None:
        super().__init__()
        sizes = [int(np.prod(encoder.shape)), *layers]
        parts: list[nn.Module] = []
        for width, following in itertools.pairwise(sizes):
            parts += [nn.Linear(width, following), ACTIVATIONS[activation]()]
        self.layers = nn.Sequential(*parts)
        self.width = layers[-1]
        self._first = None
        if blocks:
            if encoder.blocks is None:
                raise ValueError(f"encoder {encoder.name!r} shows nothing of single actions: action_head must be 0")
            self._first = encoder.blocks[0]
            self.width += encoder.blocks[1] * encoder.blocks[2]

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """See the class."""
        observations = observations.flatten(1)
        seen: torch.Tensor = self.layers(observations)
        return seen if self._first is None else torch.cat((seen, observations[:, self._first :]), dim=1)


class ActionHead(nn.Module):
    """A logit for each action from shared features and its block: float32[n, seen + A * F] to [n, A]."""

    def __init__(self, seen: int, actions: int, block: int, width: int, activation: str) -> None:
        super().__init__()
        self._seen, self._shape = seen, (actions, block)
        self.linear = nn.Linear(seen, actions)
        self.context = nn.Linear(seen, width)
        self.block = nn.Linear(block, width, bias=False)
        self.activation = ACTIVATIONS[activation]()
        self.out = nn.Linear(width, 1, bias=False)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """See the class."""
        seen, blocks = features[:, : self._seen], features[:, self._seen :].unflatten(1, self._shape)
        hidden = self.activation(self.context(seen).unsqueeze(1) + self.block(blocks))
        logits: torch.Tensor = self.linear(seen) + self.out(hidden).squeeze(2)
        return logits


class Value(nn.Linear):
    """Linear in the shared features: float32[n, seen] or float32[n, seen + A * F] to float32[n, 1]."""

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """See the class."""
        return super().forward(features[:, : self.in_features])


class MLP(nn.Module):
    """Shared layers, then A logits, of ``ActionHead`` where it is asked for, and the reward that the mover expects."""

    def __init__(
        self, encoder: Encoder, actions: int, layers: Sequence[int], activation: str, action_head: int
    ) -> None:
        super().__init__()
        self.trunk = Trunk(encoder, layers, activation, action_head > 0)
        self.policy: nn.Linear | ActionHead
        if action_head:
            assert encoder.blocks is not None
            self.policy = ActionHead(layers[-1], actions, encoder.blocks[2], action_head, activation)
        else:
            self.policy = nn.Linear(layers[-1], actions)
        self.value = Value(layers[-1], 1)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits, float32[n, A], and values, float32[n], of observations, ``float32[n, *encoder.shape]``."""
        seen = self.trunk(observations)
        return self.policy(seen), self.value(seen).squeeze(1)

    def initialise(self) -> None:
        """Orthogonal weights, and at first all actions about as likely: how policies for PPO begin."""
        for part, gain in ((self.trunk, 2**0.5), (self.policy, 2**0.5), (self.value, 1.0)):
            for layer in part.modules():
                if isinstance(layer, nn.Linear):
                    nn.init.orthogonal_(layer.weight, gain=gain)
                    if layer.bias is not None:
                        layer.bias.data.fill_(0.0)
        policy = self.policy
        with torch.no_grad():
            for last in (policy.linear, policy.out) if isinstance(policy, ActionHead) else (policy,):
                last.weight.mul_(0.01 / 2**0.5)


Make = Callable[[Encoder, int, Sequence[int], str, int], nn.Module]
NETWORKS: dict[str, Make] = {"mlp": MLP}  # called with the encoder, actions, layers, activation, action_head
