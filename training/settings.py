"""The settings that trainers share, each declared once: with its help, its range, and whether it may change later."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from agents import make_agent
from agents.agent import refusal
from agents.evaluation.openings import openings
from agents.policy.network import check_layers, check_network
from agents.zoo import FILE_NAME
from mancala_env import checks
from mancala_env.cli import GAME
from mancala_env.games import ruleset
from mancala_env.observation import make_encoder
from mancala_env.rewards import REWARDS
from mancala_env.rules import Ruleset
from training.cli import check_ranges, rules_spec, setting


@dataclass(frozen=True)
class RunSettings:
    """The folder, the seed, and how a run is saved.

    ``WEIGHTS`` is the file of what is learnt; ``UNIT`` the setting that says how long a run is, and what is counted.
    """

    WEIGHTS: ClassVar[str] = FILE_NAME
    UNIT: ClassVar[str] = "steps"
    pairs = curve_every = 0  # what learns from many games is not scored in one

    out: str = setting("", "folder of the run; runs/<game>, with a word for the trainer, if not given", free=True)
    seed: int = setting(0, "fixes the run: the same seed gives the same weights", 0)
    threads: int = setting(1, "threads of torch; for networks this small, one is fastest", 1, 4096, free=True)
    save_every: int = setting(10, "rollouts or rounds between two saves of weights and checkpoint", 1, free=True)

    @property
    def ruleset(self) -> Ruleset | None:
        """The game, if it is one."""
        return None

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self.folder_of(self.out, self.ruleset)

    @classmethod
    def folder_of(cls, out: str, rules: Ruleset | str | None) -> Path:
        """The folder of a run with these settings ``out`` and ``rules``."""
        return Path(out)

    @property
    def length(self) -> int:
        """The steps or rounds of the whole run."""
        return int(getattr(self, self.UNIT))

    @property
    def learnt_from(self) -> dict[str, Any]:
        """The games and what is seen of them, for a checkpoint: a run goes on only with the same."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True)
class _Rules:
    rules: str | Ruleset = setting("oware", GAME)


@dataclass(frozen=True)
class GameSettings(RunSettings, _Rules):  # in this order, ``rules`` are the first setting
    """The game of a run, and how it is scored.

    ``SUFFIX`` ends the name of its folder, where ``out`` does not say it; ``PURPOSE`` what needs two players, in words.
    """

    SUFFIX: ClassVar[str] = ""
    PURPOSE: ClassVar[str] = "self-play"

    curve_every: int = setting(10, "rollouts or rounds between two points of curves; 0: none", 0, free=True)
    curve_opponents: tuple[str, ...] = setting(
        ("random", "minimax:depth=2"), "scored against while training, by the policy alone", free=True
    )
    curve_pairs: int = setting(25, "pairs of games against each of them", 1, free=True)
    opponents: tuple[str, ...] = setting(
        ("random", "minimax:depth=2", "minimax:depth=4"), "scored against at the end", free=True
    )
    pairs: int = setting(100, "pairs of games against each of them; 0: no scoring", 0, free=True)
    opening_plies: int = setting(4, "random plies at the start of each pair", 0, free=True)

    @cached_property
    def ruleset(self) -> Ruleset:
        """The game."""
        return ruleset(self.rules)

    @classmethod
    def folder_of(cls, out: str, rules: Ruleset | str | None) -> Path:
        """The folder of a run with these settings ``out`` and ``rules``."""
        return Path(out or f"runs/{ruleset(rules or 'oware').name}{cls.SUFFIX}")

    @cached_property
    def seeds(self) -> tuple[int, int, int, int]:
        """The seeds of the weights, and of the games of training, of scoring, and of the curves."""
        first, games, scores, curve = np.random.SeedSequence(self.seed).spawn(4)
        return tuple(int(each.generate_state(1)[0]) for each in (first, games, scores, curve))  # type: ignore[return-value]

    @property
    def learnt_from(self) -> dict[str, Any]:
        """The rules."""
        return {"rules": self.ruleset.id, "rules_text": repr(self.ruleset)}

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", rules_spec(self.rules))
        super().__post_init__()
        checks.two_players(self.ruleset, self.PURPOSE)
        for kind in ("fixed_opponents", "opponents", "curve_opponents"):
            for name in getattr(self, kind, ()):
                check_plays(make_agent(name), self.ruleset)
        if self.pairs or self.curve_every:
            openings(self.ruleset, self.opening_plies, 1, self.seed)


@dataclass(frozen=True)
class PolicySettings(GameSettings):
    """The settings of a run that trains a ``PolicyNetwork``."""

    encoder: str = setting("onehot", "what the policy sees: a key of mancala_env.observation.ENCODERS")
    init_from: str = setting("", "a policy to begin with, of this game and with these layers: a run, or zoo:NAME")
    network: str = setting("mlp", "kind of network: a key of agents.policy.layers.NETWORKS, or package.module:Class")
    layers: tuple[int, ...] = setting((256, 256), "width of each layer shared by policy and value")
    activation: str = setting("relu", "between the layers: relu, tanh or elu")
    action_head: int = setting(0, "units of the layer shared by all actions; 0: none (needs a lookahead encoder)")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_layers(self.layers, self.activation, self.action_head)
        if not isinstance(self.network, str):
            raise ValueError("the setting network is a name; give a module or its class to train(..., network=...)")
        check_network(self.network)
        encoder = make_encoder(self.encoder, self.ruleset)
        object.__setattr__(self, "encoder", encoder.name)
        if self.network == "mlp" and self.action_head and encoder.blocks is None:
            raise ValueError(f"encoder {self.encoder!r} shows nothing of single actions: action_head must be 0")

    @property
    def learnt_from(self) -> dict[str, Any]:
        """The rules, and the encoder."""
        encoder = make_encoder(self.encoder, self.ruleset)
        return {**super().learnt_from, "encoder": f"{self.encoder} version {encoder.version}"}


@dataclass(frozen=True)
class SelfPlaySettings(PolicySettings):
    """The settings of a run in which a policy plays with itself, and may meet others."""

    reward: str = setting("result", "what the end of a game brings: result, or margin, the lead in seeds")
    fixed_opponents: tuple[str, ...] = setting((), "players to be met besides the learner itself, as minimax:depth=4")
    fixed_share: float = setting(0.0, "share of games against fixed_opponents, evenly; in these it has one seat", 0, 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reward not in REWARDS:
            raise ValueError(f"reward must be one of {', '.join(REWARDS)}, not {self.reward!r}")
        if bool(self.fixed_opponents) != bool(self.fixed_share):
            raise ValueError(
                f"fixed_opponents are met in fixed_share of all games: {list(self.fixed_opponents)} and "
                f"{self.fixed_share} do not fit; add fixed_share 0.3, say, or leave both out"
            )


@dataclass(frozen=True)
class RolloutSettings(RunSettings):
    """Mixed into settings of a run that plays rollouts of a batch of games; ``batch_size`` must divide a rollout."""

    envs: int = setting(512, "games played in one batch", 1)
    rollout_steps: int = setting(64, "decisions in each game between two updates", 1)
    batch_size: int = setting(1024, "positions in a gradient step; divides envs x rollout_steps", 2)

    @property
    def rollout(self) -> int:
        """Decisions or positions between two updates."""
        return self.envs * self.rollout_steps

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rollout % self.batch_size:
            raise ValueError(
                f"batch_size must divide a rollout, {self.envs} envs x {self.rollout_steps} rollout_steps = "
                f"{self.rollout}, and {self.batch_size} does not"
            )


def check_plays(player: Any, rules: Ruleset) -> None:
    """Raise ValueError unless an opponent plays the rules of the run."""
    meant = rules_spec(rules)
    if why := refusal(player, rules, meant if isinstance(meant, str) else f"the rules of the run ({meant.name})"):
        raise ValueError(f"{why}: choose other opponents")
