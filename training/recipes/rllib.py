"""RLlib: the keys that its action-masking modules expect. The adapter itself does not need RLlib.

``ActionMaskingTorchRLModule`` reads ``observations`` and ``action_mask``; PettingZoo says ``observation``. Register the
adapted environment with ``ray.tune.register_env("mancala", lambda config: ForRLlib(MancalaSingleEnv(**config)))``.
"""

from typing import Any

import gymnasium
import numpy as np

from mancala_env.single_agent import MancalaSingleEnv


class ForRLlib(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Observations {"observations": float32[*shape], "action_mask": float32[A]}; the mask is all 1 at the end."""

    def __init__(self, env: MancalaSingleEnv) -> None:
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Dict(
            {
                "observations": env.observation_space,
                "action_mask": gymnasium.spaces.Box(0.0, 1.0, (env.rules.num_actions,), np.float32),
            }
        )

    def reset(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """As the environment's own."""
        observation, info = self.env.reset(**options)
        return self._keyed(observation, info), info

    def step(self, action: Any) -> tuple[dict[str, Any], Any, bool, bool, dict[str, Any]]:
        """As the environment's own."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._keyed(observation, info), reward, terminated, truncated, info

    def _keyed(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        mask = info["action_mask"].astype(np.float32)
        return {"observations": observation, "action_mask": mask if mask.any() else np.ones_like(mask)}
