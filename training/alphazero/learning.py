"""What AlphaZero learns from: a buffer of the latest positions, and gradient steps on draws from it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from agents.policy.network import PolicyNetwork
from mancala_env.kernels import layout
from mancala_env.rewards import potentials
from mancala_env.rules import Ruleset
from training.alphazero.config import AlphaZeroConfig
from training.alphazero.selfplay import Positions
from training.run import Diverged


@dataclass
class Buffer:
    """The latest positions of self-play; a further one replaces the oldest.

    Attributes
    ----------
    kept : Positions
        With room for all.
    added : int
        Positions so far, including those that were replaced.
    """

    kept: Positions
    added: int = 0

    @classmethod
    def empty(cls, rules: Ruleset, size: int) -> "Buffer":
        """A buffer with room for ``size`` positions."""
        actions = rules.num_actions
        return cls(
            Positions(
                np.zeros((size, rules.fields["width"]), dtype=np.int16),
                np.zeros((size, actions), dtype=np.bool_),
                np.zeros((size, actions), dtype=np.float32),
                np.zeros(size, dtype=np.float32),
            )
        )

    def __len__(self) -> int:
        return min(self.added, len(self.kept))

    def add(self, new: Positions) -> None:
        """Add positions."""
        size = len(self.kept)
        places = (self.added + np.arange(len(new))) % size
        for name in ("rows", "masks", "policies", "values"):
            getattr(self.kept, name)[places[-size:]] = getattr(new, name)[-size:]
        self.added += len(new)


def learn(
    network: PolicyNetwork,
    optimizer: torch.optim.Optimizer,
    buffer: Buffer,
    steps: int,
    config: AlphaZeroConfig,
    random: np.random.Generator,
) -> tuple[float, float]:
    """Gradient steps on positions drawn from the buffer. Returns the mean losses of policy and value.

    The policy's loss is the Kullback-Leibler divergence of the network's from the search's improved policy. The value
    head of a network with ``shaping`` predicts the reward less the shaping potential, which is taken off the target.

    Raises
    ------
    Diverged
        If a loss is not finite.
    """
    rules, device = config.ruleset, network.device
    mover = rules.board.pits + layout.MOVER
    losses: npt.NDArray[np.float64] = np.zeros(2)
    network.requires_grad_(True)
    network.train()
    try:
        for _ in range(steps):
            drawn = random.integers(len(buffer), size=config.batch_size)
            rows = buffer.kept.rows[drawn]
            seats = rows[:, mover].astype(np.int8)
            wanted = buffer.kept.values[drawn]
            if network.shaping:
                wanted = wanted - potentials(rules, rows, seats, network.shaping)
            policies = torch.from_numpy(buffer.kept.policies[drawn]).to(device)
            logits, values = network(torch.from_numpy(network.encoder._to(rows, seats)).to(device))
            logits = logits.masked_fill(torch.from_numpy(~buffer.kept.masks[drawn]).to(device), -1e9)
            logs = torch.log_softmax(logits, dim=1)
            policy_loss = (torch.xlogy(policies, policies) - policies * logs).sum(dim=1).mean()
            value_loss = torch.nn.functional.mse_loss(values, torch.from_numpy(wanted).to(device))
            loss = policy_loss + config.value_weight * value_loss
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            losses += policy_loss.item(), value_loss.item()
    finally:  # also if Ctrl-C ends it
        network.eval()
        network.requires_grad_(False)
    if not np.isfinite(losses).all():
        raise Diverged("the loss is not finite any more; a lower learning_rate would help")
    return losses[0] / max(1, steps), losses[1] / max(1, steps)
