"""Train a policy by self-play with MaskablePPO: ``python -m training.ppo --rules oware``

A run is a folder: ``config.yaml`` and ``provenance.json`` say how to make it again, ``policy.safetensors`` is the
policy (``agents.network``), ``evaluation.json`` its score table, ``tensorboard/`` the curves.
"""

import shutil
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml  # type: ignore[import-untyped]
from gymnasium import spaces
from jsonargparse import ArgumentParser
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from agents import make_agent
from agents.network import ACTIVATIONS, FILE_NAME, PolicyAgent, PolicyNetwork, make_trunk
from mancala_env.observation import make_encoder
from mancala_env.rules import Ruleset, ruleset
from training.command import fail, make_parser, parse, provenance, setting, write_json
from training.evaluate import Result, evaluate, report, table
from training.selfplay import LATEST, OpponentPool, SelfPlayVecEnv

CONFIG, PROVENANCE, EVALUATION, CURVES = "config.yaml", "provenance.json", "evaluation.json", "tensorboard"


@dataclass(frozen=True)
class PPOConfig:
    """Train a policy for a mancala game by self-play (MaskablePPO of sb3-contrib), then score it."""

    rules: str = setting("oware", "the game: a key of mancala_env.RULESETS")
    changes: dict[str, Any] = field(
        default_factory=dict, metadata={"help": "changes of its rules, as --changes.seeds 3"}
    )
    encoder: str = setting("onehot", "what the policy sees: a key of mancala_env.observation.ENCODERS")
    out: str = setting("", "folder of the run; runs/<rules> if not given")
    seed: int = setting(0, "fixes the run: the same seed gives the same weights")
    steps: int = setting(3_500_000, "decisions of the learner, in all games together")

    layers: tuple[int, ...] = setting((256, 256), "width of each layer shared by policy and value")
    activation: str = setting("relu", "between the layers: relu, tanh or elu")
    envs: int = setting(512, "games played side by side")
    rollout_steps: int = setting(64, "decisions in each game between two updates")
    batch_size: int = setting(1024, "decisions in a gradient step; divides envs x rollout_steps")
    epochs: int = setting(2, "passes over the decisions of a rollout")
    learning_rate: float = setting(2e-3, "of Adam, at the start")
    final_learning_rate: float = setting(5e-5, "of Adam, at the end; it falls along a line")
    gamma: float = setting(0.995, "discount per decision")
    gae_lambda: float = setting(0.6, "of generalised advantage estimation: 0 trusts the value network, 1 the result")
    clip: float = setting(0.2, "how far an update may move the odds of an action")
    entropy: float = setting(0.01, "reward for playing unpredictably")
    value_weight: float = setting(0.5, "of the value loss beside the policy loss")
    shaping: float = setting(1.0, "reward for taking the lead in captured seeds, as a potential; 0: only results count")

    pool_size: int = setting(8, "earlier selves kept as opponents")
    pool_every: int = setting(5, "rollouts between two of them")
    latest_share: float = setting(0.5, "share of games against the learner as it is now")
    random_share: float = setting(0.0, "share of games against random moves; the rest meets earlier selves")

    save_every: int = setting(10, "rollouts between two writings of the policy file")
    threads: int = setting(1, "threads of torch; for networks this small, one is fastest")
    opponents: tuple[str, ...] = setting(("random", "minimax:depth=2", "minimax:depth=4"), "scored against at the end")
    pairs: int = setting(100, "pairs of games against each of them; 0: no scoring")
    opening_plies: int = setting(4, "random plies at the start of each pair")

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if not least <= value <= most:
                bound = f"{least} or more" if most == float("inf") else f"from {least} to {most}"
                raise ValueError(f"{name} must be {bound}, not {value}")
        if not self.layers or min(self.layers) < 1:
            raise ValueError(f"layers must be one or more widths of at least 1, not {list(self.layers)}")
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, not {self.activation!r}")
        if self.rollout % self.batch_size:
            raise ValueError(
                f"batch_size must divide a rollout, {self.envs} envs x {self.rollout_steps} rollout_steps = "
                f"{self.rollout} decisions, and {self.batch_size} does not"
            )
        if self.latest_share + self.random_share > 1:
            raise ValueError(
                f"latest_share and random_share are shares of all games, and {self.latest_share} + {self.random_share} "
                "is more than 1"
            )
        make_encoder(self.encoder, self.ruleset)
        for opponent in self.opponents:
            make_agent(opponent)

    @cached_property
    def ruleset(self) -> Ruleset:
        """The game with its changes."""
        return ruleset(self.rules, **self.changes)

    @property
    def rollout(self) -> int:
        """Decisions between two updates."""
        return self.envs * self.rollout_steps

    @property
    def folder(self) -> Path:
        """Where the run lives."""
        return Path(self.out or f"runs/{self.ruleset.name}")


_ANY = float("inf")
_RANGES: dict[str, tuple[float, float]] = {  # setting: smallest, largest
    "seed": (0, _ANY),
    "steps": (1, _ANY),
    "envs": (1, _ANY),
    "rollout_steps": (1, _ANY),
    "batch_size": (2, _ANY),
    "epochs": (1, _ANY),
    "learning_rate": (0, 1),
    "final_learning_rate": (0, 1),
    "gamma": (0, 1),
    "gae_lambda": (0, 1),
    "clip": (0, 1),
    "entropy": (0, _ANY),
    "value_weight": (0, _ANY),
    "shaping": (0, _ANY),
    "pool_size": (0, _ANY),
    "pool_every": (1, _ANY),
    "latest_share": (0, 1),
    "random_share": (0, 1),
    "save_every": (1, _ANY),
    "threads": (1, _ANY),
    "pairs": (0, _ANY),
    "opening_plies": (0, _ANY),
}


def train(config: PPOConfig, *, overwrite: bool = False, console: Console | None = None) -> list[Result]:
    """Train, write the run folder, and score the policy. Ctrl-C ends the training early; the rest still happens.

    Raises
    ------
    FileExistsError
        If the folder holds a run and ``overwrite`` is False.
    """
    console = console or Console()
    _prepare(config, overwrite)
    torch.set_num_threads(config.threads)
    network = PolicyNetwork(config.ruleset, config.encoder, config.layers, config.activation)
    model, progress = _learner(config, network, console)
    started = time.perf_counter()
    try:
        with progress.bar:
            model.learn(config.steps, callback=progress, log_interval=1)
    except KeyboardInterrupt:
        console.print(f"stopped after {model.num_timesteps:,} of {config.steps:,} steps")
    seconds = time.perf_counter() - started
    copy_weights(model, network)
    network.save(config.folder / FILE_NAME)
    model.logger.close()
    done = {"steps": model.num_timesteps, "seconds": round(seconds, 1)}
    write_json(config.folder / PROVENANCE, {**provenance(config.ruleset, config.seed), "training": done})
    console.print(f"{model.num_timesteps:,} steps in {seconds:.0f} s; the policy is {config.folder / FILE_NAME}")
    return score(config, console) if config.pairs else []


def score(config: PPOConfig, console: Console) -> list[Result]:
    """Play the run's policy against ``config.opponents``, print the table and write it to the run folder."""
    evaluation_seed = int(np.random.SeedSequence(config.seed).spawn(3)[2].generate_state(1)[0])
    results = evaluate(
        PolicyAgent(config.folder),
        config.opponents,
        config.ruleset,
        pairs=config.pairs,
        opening_plies=config.opening_plies,
        seed=evaluation_seed,
    )
    write_json(config.folder / EVALUATION, report(results, config.ruleset, evaluation_seed, config.opening_plies))
    console.print(table(results, f"{config.folder}: {config.ruleset.name}, {config.pairs} pairs"))
    return results


class Trunk(BaseFeaturesExtractor):
    """The shared layers of ``PolicyNetwork``, as Stable-Baselines3 takes them."""

    def __init__(self, observation_space: spaces.Space[Any], layers: Sequence[int], activation: str) -> None:
        super().__init__(observation_space, features_dim=layers[-1])
        self.layers = make_trunk(int(np.prod(observation_space.shape or ())), layers, activation)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """float32[n, *shape] to float32[n, features_dim]."""
        seen: torch.Tensor = self.layers(observations.flatten(1))
        return seen


def copy_weights(model: MaskablePPO, network: PolicyNetwork) -> None:
    """Let ``network`` compute what the policy of ``model`` does."""
    trunk: Any = model.policy.features_extractor
    network.trunk.load_state_dict(trunk.layers.state_dict())
    network.policy.load_state_dict(model.policy.action_net.state_dict())
    network.value.load_state_dict(model.policy.value_net.state_dict())


def _prepare(config: PPOConfig, overwrite: bool) -> None:
    """Make the run folder and write down how the run is made."""
    folder = config.folder
    if (folder / CONFIG).exists() and not overwrite:
        raise FileExistsError(f"{folder} holds a run already; choose another --out, or --overwrite it")
    folder.mkdir(parents=True, exist_ok=True)
    for old in (folder / FILE_NAME, folder / EVALUATION):
        old.unlink(missing_ok=True)
    shutil.rmtree(folder / CURVES, ignore_errors=True)
    settings = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(config).items()}
    (folder / CONFIG).write_text(yaml.safe_dump(settings, sort_keys=False))
    write_json(folder / PROVENANCE, provenance(config.ruleset, config.seed))


def _learner(config: PPOConfig, network: PolicyNetwork, console: Console) -> tuple[MaskablePPO, "SelfPlayProgress"]:
    """The learner with its games, and what happens beside its updates."""
    learner_seed, games_seed, _ = (
        int(sequence.generate_state(1)[0]) for sequence in np.random.SeedSequence(config.seed).spawn(3)
    )
    pool = OpponentPool(network, config.pool_size, config.latest_share, config.random_share)
    env = SelfPlayVecEnv(
        config.ruleset,
        pool,
        config.envs,
        encoder=config.encoder,
        gamma=config.gamma,
        shaping=config.shaping,
    )
    model = MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda left: (
            config.final_learning_rate + left * (config.learning_rate - config.final_learning_rate)
        ),
        n_steps=config.rollout_steps,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        ent_coef=config.entropy,
        vf_coef=config.value_weight,
        policy_kwargs={
            "features_extractor_class": Trunk,
            "features_extractor_kwargs": {"layers": config.layers, "activation": config.activation},
            "net_arch": [],
        },
        seed=learner_seed,
        device="cpu",
    )
    env.seed(games_seed)
    model.set_logger(configure(str(config.folder / CURVES), ["tensorboard"]))
    return model, SelfPlayProgress(config, pool, console)


class SelfPlayProgress(BaseCallback):
    """Keeps the pool up to date, the policy file fresh, and the reader informed.

    Curves: ``selfplay/score`` against the pool, ``score_latest`` and ``score_earlier`` by opponent, ``score_south`` and
    ``score_north`` by seat, ``draws``, and ``decisions`` per game, all over the games that a rollout finished.
    """

    def __init__(self, config: PPOConfig, pool: OpponentPool, console: Console) -> None:
        super().__init__()
        self.config = config
        self.pool = pool
        self.bar = Progress(
            TextColumn("{task.completed:,.0f} steps"),
            BarColumn(),
            TextColumn("{task.fields[speed]:,.0f}/s, score against the pool {task.fields[score]:.0%}"),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self.bar.add_task("", total=config.steps, speed=0.0, score=0.5)
        self._finished: list[dict[str, Any]] = []
        self._recent: deque[float] = deque(maxlen=5000)
        self._rollouts = 0

    def _on_training_start(self) -> None:
        self._started = time.perf_counter()

    def _on_rollout_start(self) -> None:
        copy_weights(self.model, self.pool.latest)  # type: ignore[arg-type]
        if self._rollouts % self.config.pool_every == 0:
            self.pool.remember()
        if self._rollouts % self.config.save_every == 0:
            self.pool.latest.save(self.config.folder / FILE_NAME)
        self._rollouts += 1

    def _on_step(self) -> bool:
        new = [info for info in self.locals["infos"] if info]
        self._finished += new
        self._recent.extend((1.0 + info["episode"]["r"]) / 2.0 for info in new)
        return True

    def _on_rollout_end(self) -> None:
        self.bar.update(
            self._task,
            completed=self.num_timesteps,
            speed=self.num_timesteps / (time.perf_counter() - self._started),
            score=float(np.mean(self._recent)) if self._recent else 0.5,
        )
        if not self._finished:
            return
        results = np.array([info["episode"]["r"] for info in self._finished])
        against = np.array([info["opponent"] for info in self._finished])
        seats = np.array([info["seat"] for info in self._finished])
        everywhere = np.ones(len(results), dtype=np.bool_)
        for name, games in (
            ("score", everywhere),
            ("score_latest", against == LATEST),
            ("score_earlier", against != LATEST),
            ("score_south", seats == 0),
            ("score_north", seats == 1),
        ):
            if games.any():
                self.logger.record(f"selfplay/{name}", (1.0 + results[games].mean()) / 2.0)
        self.logger.record("selfplay/draws", np.mean(results == 0.0))
        self.logger.record("selfplay/decisions", np.mean([info["episode"]["l"] for info in self._finished]))
        self._finished.clear()


def _parser() -> ArgumentParser:
    parser = make_parser(PPOConfig, "python -m training.ppo")
    parser.add_argument("--overwrite", action="store_true", help="replace the run that the folder holds")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = _parser()
    config, options = parse(parser, PPOConfig, arguments)
    try:
        train(config, overwrite=options["overwrite"])
    except OSError as error:
        fail(parser.prog, error)
    except KeyboardInterrupt:
        fail(parser.prog, "stopped before the scores were known; the policy is written")


if __name__ == "__main__":
    main()
