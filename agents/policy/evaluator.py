"""A policy network as the evaluator of a tree search: priors and values of many positions in one pass."""

import os
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from agents.policy.network import PolicyNetwork
from mancala_env import checks
from mancala_env.kernels import layout
from mancala_env.rules import Ruleset


class NetworkEvaluator:
    """``evaluate`` for ``MctsAgent``: a network's priors and values of positions, each from its mover's side.

    ``network`` is the path of a policy, or a torch module with ``rules`` and ``encoder``, as a PolicyNetwork, that
    returns logits, float[n, A], and values, float[n]; to these ``network.shaping`` times the lead, as a share of all
    seeds, is added. ValueError if it has no rules or no encoder, or its reward is one of its own.
    """

    values_match = True  # those of a match are of the whole match, for that is what the network's reward was

    def __init__(self, network: nn.Module | str | os.PathLike[str]) -> None:
        module: Any = PolicyNetwork.load(network) if isinstance(network, str | os.PathLike) else network
        if missing := [name for name in ("rules", "encoder") if not hasattr(module, name)]:
            raise ValueError(
                f"a network that evaluates must say what it sees: {type(module).__name__} has no attribute "
                f"{' and no attribute '.join(missing)}; a PolicyNetwork has them"
            )
        self.network = module
        self.rules: Ruleset = module.rules
        # Of a network of ours the encoder is of its game, and what is checked here is not checked again.
        self._encode = module.encoder._to if isinstance(module, PolicyNetwork) else module.encoder
        if reward := getattr(module, "reward", ""):
            raise ValueError(
                f"the values of this network are of a reward of its own ({reward}), and a search knows results and "
                "margins only: train it with reward result or margin"
            )

    @property
    def margin(self) -> float:
        """The share of the lead at the end in the reward that the network learnt, and so in ``MctsAgent``."""
        return float(getattr(self.network, "margin", 0.0))

    def __call__(
        self, positions: npt.NDArray[np.int16], masks: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Priors, float32[m, A], and values for the mover, float32[m] in -1..1, of running positions int16[m, W].
        ValueError if they are not of the network's game, or the masks do not fit them.
        """
        positions = checks.positions(self.rules, positions)
        masks = checks.legal_masks(self.rules, masks, len(positions))
        pits = self.rules.board.pits
        seats = positions[:, pits + layout.MOVER].astype(np.int8)
        parameter = next(self.network.parameters(), None)
        device = torch.device("cpu") if parameter is None else parameter.device
        with torch.inference_mode():
            logits, values = self.network(torch.from_numpy(self._encode(positions, seats)).to(device))
            logits, values = logits.float().cpu(), values.float().cpu()
            priors = torch.softmax(logits.masked_fill(torch.from_numpy(~masks), -torch.inf), dim=1)
        shaping = float(getattr(self.network, "shaping", 0.0))
        stores = positions[:, pits + layout.STORES : pits + layout.STORES + 2].astype(np.float32)
        lead = (stores[:, 0] - stores[:, 1]) * (1 - 2 * seats)
        expected = values.numpy() + np.float32(shaping / self.rules.total_seeds) * lead
        return priors.numpy(), np.clip(expected, -1.0, 1.0, dtype=np.float32)

    def __deepcopy__(self, memo: dict[int, object]) -> "NetworkEvaluator":
        """The evaluator itself: a network never changes while it plays."""
        return self
