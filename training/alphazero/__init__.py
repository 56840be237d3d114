"""AlphaZero, which trains policy and value by self-play with search: ``mancala train alphazero --rules kalah``

Every move of self-play is chosen by a search that the network guides; the network learns to predict the search's
improved policy, and the reward at the end of the game (Silver et al., Science 362, 2018; with the Gumbel root and the
targets of Danihelka et al., ICLR 2022). ``--init-from RUN`` begins with a policy that PPO has trained.

What a run writes is in ``training.run``. The settings are in ``training.alphazero.config``.
"""

from training.alphazero.config import AlphaZeroConfig
from training.alphazero.trainer import main, train

__all__ = ["AlphaZeroConfig", "main", "train"]
