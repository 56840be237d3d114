"""TorchRL: wrap the Gymnasium environment, mask illegal actions, collect a rollout. Needs ``pip install torchrl``."""

from typing import Any

import gymnasium
import torch
from torchrl.envs import ActionMask, GymWrapper, TransformedEnv

from mancala_env.single_agent import MancalaSingleEnv


class WithMask(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Observations {"observation", "action_mask"}: TorchRL reads the mask from there."""

    def __init__(self, env: MancalaSingleEnv) -> None:
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Dict(
            {
                "observation": env.observation_space,
                "action_mask": gymnasium.spaces.MultiBinary(env.rules.num_actions),
            }
        )

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """As the environment's own."""
        observation, info = self.env.reset(**options)
        return self._seen(observation, info), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As the environment's own."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._seen(observation, info), reward, terminated, truncated, info

    def _seen(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        mask = info["action_mask"]
        return {"observation": observation, "action_mask": mask if mask.any() else mask + 1}  # never empty


def rollout(decisions: int = 200, seed: int = 0) -> Any:
    """A TensorDict of ``decisions`` random legal decisions and their outcomes."""
    torch.manual_seed(seed)
    env = TransformedEnv(GymWrapper(WithMask(MancalaSingleEnv("oware"))), ActionMask())
    env.set_seed(seed)
    return env.rollout(decisions, break_when_any_done=False)


if __name__ == "__main__":
    print(rollout())
