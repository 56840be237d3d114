"""Train a policy by self-play with MaskablePPO: ``mancala train ppo --rules oware``

What a run writes is in ``training.run``; of PPO alone is ``maskable_ppo.zip``, the learner to go on with in
stable-baselines3. A run that was stopped goes on from its checkpoint with ``--resume`` and ends with the same weights.
The reward is that of ``mancala_env.rewards``, the settings are in ``training.ppo.config``.

What the exit status of the command means is in ``training.command``.
"""

from training.ppo.config import PPOConfig
from training.ppo.trainer import main, train

__all__ = ["PPOConfig", "main", "train"]
