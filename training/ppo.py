"""Train a policy by self-play with MaskablePPO (``training.selfplay``): ``mancala train ppo --rules oware``. Of PPO
alone among trainers is the file ``maskable_ppo.zip``, the learner to go on with in stable-baselines3."""

import copy
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from stable_baselines3.common.utils import LinearSchedule
from torch import nn

from agents import make_agent
from agents.batched import batched_agent
from agents.policy.layers import MLP, NETWORKS
from agents.policy.network import Module, make_module
from mancala_env.games import ruleset
from mancala_env.observation import make_encoder
from mancala_env.rewards import Rewards
from mancala_env.rules import Ruleset
from training import checkpoint
from training.checkpoint import Arrays, Checkpoint
from training.cli import read_yaml, setting
from training.command import Command
from training.run import ZIP, Diverged
from training.selfplay import OpponentPool, SelfPlayVecEnv
from training.settings import RolloutSettings, SelfPlaySettings
from training.trainer import Algorithm, Task

_OF_THE_RUN = ("_last_obs", "_last_episode_starts", "ep_info_buffer", "ep_success_buffer", "_custom_logger")


@dataclass(frozen=True)
class PPOConfig(RolloutSettings, SelfPlaySettings):
    """Train a policy for a mancala game by self-play (MaskablePPO of sb3-contrib), then score it.

    Where training/configs holds a file for the game, its settings are the defaults.
    """

    steps: int = setting(3_506_176, "decisions of the learner, in all games; rounded up to whole rollouts", 1)
    epochs: int = setting(2, "passes over the decisions of a rollout", 1)
    learning_rate: float = setting(2e-3, "of Adam, at the start", 0, 1)
    final_learning_rate: float = setting(5e-5, "of Adam, at the end; it falls along a line", 0, 1)
    gamma: float = setting(0.995, "discount per decision", 0, 1)
    gae_lambda: float = setting(0.6, "of GAE: 0 trusts the value network, 1 the result", 0, 1)
    clip: float = setting(0.2, "how far an update may move the odds of an action", 0, 1)
    entropy: float = setting(0.01, "reward for playing unpredictably", 0)
    value_weight: float = setting(0.5, "weight of the value loss relative to the policy loss", 0)
    shaping: float = setting(1.0, "reward for taking the lead in seeds, as a potential; 0: results alone", 0)
    game_opening_plies: int = setting(0, "maximum number of random plies at the start of each game of training", 0)
    pool_size: int = setting(8, "earlier selves kept as opponents", 0)
    pool_every: int = setting(5, "rollouts between two of them", 1)
    latest_share: float = setting(0.5, "share of games against the learner as it is now", 0, 1)
    random_share: float = setting(0.0, "share of games against random moves; earlier selves have the rest", 0, 1)
    prioritised: float = setting(0.0, "exponent of prioritised self-play: 0 draws earlier selves uniformly", 0)
    export_sb3: bool = setting(True, "write maskable_ppo.zip at the end, to go on with in stable-baselines3", free=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        shares = (self.latest_share, self.random_share, self.fixed_share)
        if sum(shares) > 1 + 1e-9:
            raise ValueError(
                "latest_share, random_share and fixed_share are shares of all games, and "
                f"{' + '.join(map(str, shares))} is more than 1"
            )
        for opponent in self.fixed_opponents:
            if batched_agent(make_agent(opponent)) is None:
                raise ValueError(
                    f"{opponent} cannot be a fixed opponent, it does not answer for many games at once: take random, "
                    "greedy, minimax:depth=N or ppo:PATH"
                )


def game_defaults(rules: str | Ruleset) -> dict[str, Any]:
    """The settings that are better for a game than the defaults of ``PPOConfig``: ``training/configs/<game>.yaml``."""
    path = Path(__file__).parent / "configs" / f"{ruleset(rules).name}.yaml"
    return read_yaml(path) if path.is_file() else {}


class PPO(Algorithm):
    """Rollouts against the pool, and an update after each."""

    module: Any  # that of the learner

    COMMAND = "mancala train ppo"
    SETTINGS = PPOConfig
    SHOWN = (("selfplay/score", "score against the pool {:.0%}"),)

    def __init__(self, task: Task, start: Checkpoint | None) -> None:
        super().__init__(task, start)
        config = self.config
        margin = 1.0 if config.reward == "margin" and task.reward is None else 0.0
        self.network = task.make_network(config.shaping, margin, start is None)
        shares = {name: getattr(config, name) for name in ("latest_share", "random_share", "fixed_share")}
        if task.opponents and not config.fixed_share:
            shares = {name: share / 2 for name, share in shares.items()} | {"fixed_share": 0.5}
        shares |= {"prioritised": config.prioritised}
        self.pool = OpponentPool(self.network, config.pool_size, fixed_opponents=task.fixed_opponents, **shares)
        self.env = SelfPlayVecEnv(
            config.ruleset, self.pool, config.envs, encoder=config.encoder, opening_plies=config.game_opening_plies,
            rewards=Rewards(config.reward if task.reward is None else task.reward, config.shaping, config.gamma),
        )  # fmt: skip
        kind = config.network if task.network is None else task.network
        sizes = config.layers, config.activation, config.action_head
        make = partial(first_module, config.ruleset, config.encoder, kind, *sizes)  # what a zip of SB3 keeps
        rate = LinearSchedule(config.learning_rate, config.final_learning_rate, 1.0)
        self.model = MaskablePPO(
            NetworkPolicy, self.env, policy_kwargs={"make": make}, seed=config.seeds[0], device=task.device,
            learning_rate=rate, n_steps=config.rollout_steps,
            batch_size=config.batch_size, n_epochs=config.epochs, gamma=config.gamma, gae_lambda=config.gae_lambda,
            clip_range=config.clip, ent_coef=config.entropy, vf_coef=config.value_weight,
        )  # fmt: skip
        self.model.set_logger(Logger(None, []))  # its numbers are taken from there
        self.module, self.optimizer = self.model.policy.network, self.model.policy.optimizer
        if config.init_from:
            self.module.load_state_dict(self.network.module.state_dict())
        self._publish()  # it moves first in some games as they begin
        self.env.seed(config.seeds[1])
        _, self._nothing = self.model._setup_learn(config.steps)

    def _publish(self) -> None:
        """Copy the learner's weights into ``network``, the latest of the pool."""
        self.network.module.load_state_dict(self.module.state_dict())

    def round(self, seconds: float) -> dict[str, float]:
        """Play a rollout and learn from it."""
        model, config = self.model, self.config
        if self.steps // config.rollout % config.pool_every == 0:
            self.pool.remember()
        try:
            model.collect_rollouts(self.env, self._nothing, model.rollout_buffer, config.rollout_steps)
            model._update_current_progress_remaining(model.num_timesteps, config.steps)
            model.train()
        except ValueError as error:
            if "satisfy the constraint" not in str(error):  # of a distribution
                raise
            update = self.steps // config.rollout + 1
            raise Diverged(f"in update {update} the network returned numbers that are not finite") from None
        numbers = {name: float(value) for name, value in model.logger.name_to_value.items()}
        model.logger.dump()
        self._publish()
        self.steps = model.num_timesteps
        return {**self.env.numbers(), **numbers}

    def snapshot(self) -> tuple[dict[str, Any], Arrays]:
        """The games, the pool, and the generators of NumPy."""
        model = self.model
        _, words, position, has_gauss, gauss = np.random.get_state(legacy=True)  # noqa: NPY002 (what SB3 draws from)
        arrays = {
            **{f"games.{name}": array for name, array in self.env.core.snapshot().items()},
            **{f"pool.{name}": array for name, array in self.pool.snapshot().items()},
            "episode_starts": np.array(model._last_episode_starts, dtype=np.bool_),
            "random.numpy": np.array(words),
        }
        header = {
            "random_games": self.env.core.random.bit_generator.state,
            "random_numpy": [int(position), int(has_gauss), float(gauss)],
        }
        return header, arrays

    def restore(self, header: Mapping[str, Any], arrays: Arrays) -> None:
        """Go on from a ``snapshot``."""
        model = self.model
        self.module.load_state_dict(self.network.module.state_dict())
        self.pool.restore(checkpoint.under("pool", arrays))
        model._last_obs = self.env.restore(checkpoint.under("games", arrays))
        model._last_episode_starts = arrays["episode_starts"].copy()
        model.num_timesteps = self.steps
        model._n_updates = self.steps // self.config.rollout * self.config.epochs
        self.env.core.random.bit_generator.state = header["random_games"]
        np.random.set_state(("MT19937", arrays["random.numpy"], *header["random_numpy"]))  # noqa: NPY002

    def finish(self) -> None:
        """Write ``maskable_ppo.zip`` in one step, for ``MaskablePPO.load``; this package never reads it. It holds
        pickled objects: loading it can run code, and needs this repository to be importable."""
        if not self.config.export_sb3:
            return
        target = self.config.folder / ZIP
        unfinished = target.with_name(f".{ZIP}.{os.getpid()}")
        try:
            self.model.save(unfinished, exclude=_OF_THE_RUN)
            os.replace(unfinished, target)
        except OSError as error:
            self.task.warn(f"{target} could not be written ({error.strerror or error})")
        except Exception as error:  # what a network of one's own holds may not be picklable, and nothing else needs it
            self.task.warn(f"{ZIP} was not written: this network cannot be pickled ({error})")
        finally:
            unfinished.unlink(missing_ok=True)


def first_module(rules: Ruleset, encoder_name: str, network: Module, *sizes: Any) -> nn.Module:
    """The module of a policy with its first weights."""
    encoder, actions = make_encoder(encoder_name, rules), rules.num_actions
    if not isinstance(network, str) or network not in NETWORKS:
        return make_module(network, encoder, actions)
    made = NETWORKS[network](encoder, actions, *sizes)
    if isinstance(made, MLP):
        made.initialise()
    return made


class NetworkPolicy(MaskableActorCriticPolicy):
    """The module of a ``PolicyNetwork`` as Stable-Baselines3 takes it: ``network``, which returns logits and values."""

    def __init__(self, *args: Any, make: Callable[[], nn.Module], **kwargs: Any) -> None:
        self.make = make
        super().__init__(*args, **{**kwargs, "net_arch": []})

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), "make": copy.copy(self.make)}

    def _build(self, lr_schedule: Schedule) -> None:
        self.network = self.make()
        self.network.requires_grad_(True)
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def _seen(self, obs: PyTorchObs, masks: Any) -> tuple[MaskableDistribution, torch.Tensor]:
        """The distribution of actions, and the values, float32[n, 1]."""
        logits, values = self.network(obs)
        distribution: MaskableDistribution = self.action_dist.proba_distribution(action_logits=logits)
        if masks is not None:
            distribution.apply_masking(masks)
        return distribution, values.unsqueeze(1)

    def forward(
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions, values and the logarithms of the actions' probabilities."""
        distribution, values = self._seen(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions.reshape((-1, *self.action_space.shape)), values, distribution.log_prob(actions)  # type: ignore[misc]

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """Values, logarithms of probabilities, and entropies."""
        distribution, values = self._seen(obs, action_masks)
        return values, distribution.log_prob(actions), distribution.entropy()

    def get_distribution(self, obs: PyTorchObs, action_masks: Any = None) -> MaskableDistribution:
        """The distribution of actions."""
        return self._seen(obs, action_masks)[0]

    def predict_values(self, obs: PyTorchObs) -> torch.Tensor:
        """float32[n, 1]: the values."""
        return self._seen(obs, None)[1]


train = PPO.train
main = Command(PPO.COMMAND, PPOConfig, train, ("steps",), defaults=game_defaults)


if __name__ == "__main__":
    main()
