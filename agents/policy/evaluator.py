"""A policy network as the evaluator of a tree search: priors and values of many positions in one pass."""

import os

import numpy as np
import numpy.typing as npt
import torch

from agents.policy.network import PolicyNetwork
from mancala_env import checks
from mancala_env.kernels import layout


class NetworkEvaluator:
    """``evaluate`` for ``MctsAgent``: a network's priors and values of positions, each from its mover's side.

    Parameters
    ----------
    network : PolicyNetwork, or the path of one
        Its value head predicts the result less ``shaping`` times the lead in captured seeds, as a share of all seeds
        (``PolicyNetwork.shaping``); this is added again, so that values are expected results.

    Examples
    --------
    ``MctsAgent(800, evaluate=NetworkEvaluator("runs/kalah"))`` is ``make_agent("mcts:network=runs/kalah")``.
    """

    def __init__(self, network: PolicyNetwork | str | os.PathLike[str]) -> None:
        self.network = network if isinstance(network, PolicyNetwork) else PolicyNetwork.load(network)
        self.rules = self.network.rules

    def __call__(
        self, positions: npt.NDArray[np.int16], masks: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Priors, float32[m, A], and values for the mover, float32[m] in -1..1.

        Parameters
        ----------
        positions : int16[m, W]
            Running positions.
        masks : bool[m, A]
            Their legal actions.

        Raises
        ------
        ValueError
            If they are not positions of the network's game, or the masks do not fit them.
        """
        positions = checks.positions(self.rules, positions)
        masks = checks.legal_masks(self.rules, masks, len(positions))
        pits = self.rules.board.pits
        seats = positions[:, pits + layout.MOVER].astype(np.int8)
        with torch.inference_mode():
            logits, values = self.network(torch.from_numpy(self.network.encoder(positions, seats)))
            logits.masked_fill_(torch.from_numpy(~masks), -torch.inf)
            priors = torch.softmax(logits, dim=1)
        stores = positions[:, pits + layout.STORES : pits + layout.STORES + 2].astype(np.float32)
        lead = (stores[:, 0] - stores[:, 1]) * (1 - 2 * seats)
        expected = values.numpy() + np.float32(self.network.shaping / self.rules.total_seeds) * lead
        return priors.numpy(), np.clip(expected, -1.0, 1.0, dtype=np.float32)

    def __deepcopy__(self, memo: dict[int, object]) -> "NetworkEvaluator":
        """The evaluator itself: a network never changes while it plays."""
        return self
