"""RLlib: PPO that sees the mask of legal actions, against random moves. Needs ``pip install -e ".[train,rllib]"``. An
adapter names what RLlib's module with a mask reads: ``observations`` and ``action_mask``."""

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


def train(iterations: int = 10, decisions: int = 2000) -> dict[str, Any]:
    """Train for some iterations of so many decisions; what RLlib says of the games of the last one."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
    from ray.tune import register_env

    register_env("mancala", lambda config: ForRLlib(MancalaSingleEnv(**config)))
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [64]})
    config = PPOConfig().environment("mancala", env_config={"rules": "oware", "illegal": "raise"})
    config = config.env_runners(num_env_runners=0).rl_module(rl_module_spec=module)
    algorithm = config.training(train_batch_size_per_learner=decisions, minibatch_size=min(200, decisions)).build_algo()
    try:
        told = [algorithm.train()["env_runners"] for _ in range(iterations)]
    finally:
        algorithm.stop()
    return dict(told[-1])


if __name__ == "__main__":
    print(f"mean result against random moves: {train()['episode_return_mean']:+.2f}")
