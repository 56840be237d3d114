"""The settings of a PPO self-play run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents import make_agent
from agents.batched import batched_agent
from mancala_env.cli import GAME
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset
from training import settings
from training.cli import read_yaml, setting
from training.run import read_settings
from training.settings import ANY, Ranges, RunSettings

COMMAND = "mancala train ppo"


@dataclass(frozen=True)
class PPOConfig(RunSettings):
    """Train a policy for a mancala game by self-play (MaskablePPO of sb3-contrib), then score it.

    Where training/configs holds a file for the game, its settings are the defaults.
    """

    rules: str | Ruleset = setting("oware", GAME)
    encoder: str = setting("onehot", "what the policy sees: a key of mancala_env.observation.ENCODERS")
    out: str = setting("", "folder of the run; runs/<game> if not given")
    seed: int = setting(0, "fixes the run: the same seed gives the same weights")
    init_from: str = setting("", "a policy to begin with, of this game and with these layers: a run, or zoo:NAME")
    steps: int = setting(3_506_176, "decisions of the learner, in all games; rounded up to whole rollouts")

    network: str = setting("mlp", "kind of network: a key of agents.policy.layers.NETWORKS, or package.module:Class")
    layers: tuple[int, ...] = setting((256, 256), "width of each layer shared by policy and value")
    activation: str = setting("relu", "between the layers: relu, tanh or elu")
    action_head: int = setting(0, "units of the layer shared by all actions; 0: none (needs a lookahead encoder)")
    envs: int = setting(512, "games played in one batch")
    rollout_steps: int = setting(64, "decisions in each game between two updates")
    batch_size: int = setting(1024, "decisions in a gradient step; divides envs x rollout_steps")
    epochs: int = setting(2, "passes over the decisions of a rollout")
    learning_rate: float = setting(2e-3, "of Adam, at the start")
    final_learning_rate: float = setting(5e-5, "of Adam, at the end; it falls along a line")
    gamma: float = setting(0.995, "discount per decision")
    gae_lambda: float = setting(0.6, "of generalised advantage estimation: 0 trusts the value network, 1 the result")
    clip: float = setting(0.2, "how far an update may move the odds of an action")
    entropy: float = setting(0.01, "reward for playing unpredictably")
    value_weight: float = setting(0.5, "weight of the value loss relative to the policy loss")
    reward: str = setting("result", "what the end of a game brings: result, or margin, the lead in seeds")
    shaping: float = setting(1.0, "reward for taking the lead in captured seeds, as a potential; 0: only results count")

    game_opening_plies: int = setting(0, "maximum number of random plies at the start of each game of training")

    pool_size: int = setting(8, "earlier selves kept as opponents")
    pool_every: int = setting(5, "rollouts between two of them")
    latest_share: float = setting(0.5, "share of games against the learner as it is now")
    random_share: float = setting(0.0, "share of games against random moves")
    fixed_opponents: tuple[str, ...] = setting((), "players of fixed strength to be met as well, as minimax:depth=4")
    fixed_share: float = setting(0.0, "share of games against fixed_opponents, evenly; the rest meets earlier selves")

    prioritised: float = setting(0.0, "exponent of prioritised fictitious self-play: 0 draws earlier selves uniformly")

    save_every: int = setting(10, "rollouts between two saves of policy and checkpoint")
    curve_every: int = setting(10, "rollouts between two points of the curves against curve_opponents; 0: none")
    curve_opponents: tuple[str, ...] = setting(("random", "minimax:depth=2"), "scored against while training")
    curve_pairs: int = setting(25, "pairs of games against each of them")
    threads: int = setting(1, "threads of torch; for networks this small, one is fastest")
    opponents: tuple[str, ...] = setting(("random", "minimax:depth=2", "minimax:depth=4"), "scored against at the end")
    pairs: int = setting(100, "pairs of games against each of them; 0: no scoring")
    opening_plies: int = setting(4, "random plies at the start of each pair")
    export_sb3: bool = setting(True, "write maskable_ppo.zip at the end, to go on with in stable-baselines3")

    def __post_init__(self) -> None:
        self.check(_RANGES, "self-play")
        self.check_rollout()
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

    @property
    def rollout(self) -> int:
        """Decisions between two updates."""
        return self.envs * self.rollout_steps


_RANGES: Ranges = {
    "steps": (1, ANY),
    "envs": (1, ANY),
    "rollout_steps": (1, ANY),
    "epochs": (1, ANY),
    "final_learning_rate": (0, 1),
    "gamma": (0, 1),
    "gae_lambda": (0, 1),
    "clip": (0, 1),
    "entropy": (0, ANY),
    "shaping": (0, ANY),
    "pool_size": (0, ANY),
    "pool_every": (1, ANY),
    "latest_share": (0, 1),
    "random_share": (0, 1),
    "fixed_share": (0, 1),
    "prioritised": (0, ANY),
}
# Settings that may change between stop and resume; steps make the run longer.
FREE_TO_CHANGE = settings.FREE_TO_CHANGE | {"steps", "export_sb3"}


def game_defaults(rules: str | Ruleset) -> dict[str, Any]:
    """The settings that are better for a game than the defaults of ``PPOConfig``: ``training/configs/<game>.yaml``."""
    path = Path(__file__).parents[1] / "configs" / f"{ruleset(rules).name}.yaml"
    return read_yaml(path) if path.is_file() else {}


def read_config(folder: Path) -> PPOConfig:
    """The config of the PPO run in a folder. Raises CheckpointError if there is none, or it is damaged."""
    found: PPOConfig = read_settings(folder, PPOConfig)
    return found
