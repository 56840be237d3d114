"""TorchRL: wrap an environment, mask illegal actions, collect a rollout. Needs ``pip install torchrl``.

At the end of a game all masks are empty, but TorchRL draws an action there too, which no step plays, and fails with
"invalid multinomial distribution"; so the adapters here allow every action at the end."""

from typing import TYPE_CHECKING, Any

import gymnasium
import torch
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from mancala_env.aec import env as pettingzoo_env
from mancala_env.rules import Ruleset
from mancala_env.single_agent import MancalaSingleEnv

if TYPE_CHECKING:
    from torchrl.envs import PettingZooWrapper, TransformedEnv


class WithMask(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Observations {"observation", "action_mask"}: TorchRL reads the mask from there."""

    def __init__(self, env: MancalaSingleEnv) -> None:
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Dict(
            {"observation": env.observation_space, "action_mask": gymnasium.spaces.MultiBinary(env.rules.num_actions)}
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


class NeverEmpty(BaseWrapper[Any, Any, Any]):
    """A PettingZoo environment whose masks allow every action where nothing may be played."""

    def observe(self, agent: str) -> dict[str, Any]:
        """As the environment's own, but for an empty mask."""
        seen: dict[str, Any] = super().observe(agent)
        mask = seen["action_mask"]
        return {**seen, "action_mask": mask if mask.any() else mask + 1}


def learner(rules: Ruleset | str = "oware") -> "TransformedEnv":
    """One learner against random moves, in a solitaire alone, as TorchRL takes it."""
    from torchrl.envs import ActionMask, GymWrapper, TransformedEnv

    return TransformedEnv(GymWrapper(WithMask(MancalaSingleEnv(rules))), ActionMask())


def players(rules: Ruleset | str = "oware") -> "PettingZooWrapper":
    """All players of a game, as TorchRL takes them."""
    from torchrl.envs import PettingZooWrapper

    made: AECEnv[Any, Any, Any] = NeverEmpty(pettingzoo_env(rules))
    return PettingZooWrapper(made, use_mask=True)


def rollout(decisions: int = 200, seed: int = 0, rules: Ruleset | str = "oware") -> Any:
    """A TensorDict of ``decisions`` random legal decisions of a learner and their outcomes."""
    torch.manual_seed(seed)
    env = learner(rules)
    env.set_seed(seed)
    return env.rollout(decisions, break_when_any_done=False)


if __name__ == "__main__":
    print(rollout())
