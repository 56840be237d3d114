"""What the settings of all trainers have in common: the game, the folder, and the checks of what cannot be."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from agents import make_agent
from agents.agent import refusal
from agents.evaluation.openings import openings
from agents.policy.card import FILE_NAME
from agents.policy.network import check_layers, check_network
from mancala_env import checks
from mancala_env.games import ruleset
from mancala_env.observation import make_encoder
from mancala_env.rewards import REWARDS
from mancala_env.rules import Ruleset
from training.cli import check_ranges, rules_spec

ANY = float("inf")
Ranges = Mapping[str, tuple[float, float]]  # setting: smallest, largest
RANGES: Ranges = {
    "seed": (0, ANY),
    "batch_size": (2, ANY),
    "learning_rate": (0, 1),
    "value_weight": (0, ANY),
    "game_opening_plies": (0, ANY),
    "save_every": (1, ANY),
    "curve_every": (0, ANY),
    "curve_pairs": (1, ANY),
    "threads": (1, 4096),
    "pairs": (0, ANY),
    "opening_plies": (0, ANY),
}
# Settings that may change between stop and resume: the weights do not depend on them.
FREE_TO_CHANGE = frozenset(
    {"out", "save_every", "curve_every", "curve_opponents", "curve_pairs", "threads", "opponents", "pairs"}
    | {"opening_plies"}
)
_PLAYERS = ("fixed_opponents", "opponents", "search_opponents", "curve_opponents")


class RunSettings:
    """A base of the configs of trainers, which are dataclasses with the fields that are read here.

    Attributes
    ----------
    SUFFIX : str
        What the folder of a run is called after the name of the game, where ``out`` does not name it.
    WEIGHTS : str
        The file of what is learnt, in the folder.
    """

    SUFFIX = ""
    WEIGHTS = FILE_NAME

    @cached_property
    def ruleset(self: Any) -> Ruleset:
        """The game."""
        return ruleset(self.rules)

    @property
    def folder(self: Any) -> Path:
        """The folder of the run."""
        return self.folder_of(self.out, self.ruleset)

    @classmethod
    def folder_of(cls, out: str, rules: Ruleset | str) -> Path:
        """The folder of a run with these settings ``out`` and ``rules``."""
        return Path(out or f"runs/{ruleset(rules).name}{cls.SUFFIX}")

    @property
    def curve_seed(self: Any) -> int:
        """The seed of the games against ``curve_opponents``, the same for all points of a run."""
        return int(np.random.SeedSequence(self.seed).spawn(4)[3].generate_state(1)[0])

    def check(self: Any, ranges: Ranges, purpose: str) -> None:
        """Spell rules and encoder in the one way, and refuse settings that cannot be, alone or together.

        Parameters
        ----------
        ranges : dict
            Of further settings than ``RANGES``.
        purpose : str
            What needs two players, in words.

        Raises
        ------
        ValueError
            With a sentence that says what is wrong.
        """
        self.check_game(ranges, purpose)
        check_layers(self.layers, self.activation, self.action_head)
        check_network(self.network)
        if getattr(self, "reward", "result") not in REWARDS:
            raise ValueError(f"reward must be one of {', '.join(REWARDS)}, not {self.reward!r}")
        if bool(getattr(self, "fixed_opponents", ())) != bool(getattr(self, "fixed_share", 0)):
            raise ValueError(
                f"fixed_opponents are met in fixed_share of all games: {list(self.fixed_opponents)} and "
                f"{self.fixed_share} do not fit; add fixed_share 0.3, say, or leave both out"
            )
        encoder = make_encoder(self.encoder, self.ruleset)
        object.__setattr__(self, "encoder", encoder.name)
        if self.network == "mlp" and self.action_head and encoder.blocks is None:
            raise ValueError(f"encoder {self.encoder!r} shows nothing of single actions: action_head must be 0")
        self.check_scoring()

    def check_game(self: Any, ranges: Ranges, purpose: str) -> None:
        """The part of ``check`` about the rules and the numbers: of ``RANGES`` for those settings that there are."""
        object.__setattr__(self, "rules", rules_spec(self.rules))
        check_ranges(self, {**{name: RANGES[name] for name in RANGES if hasattr(self, name)}, **ranges})
        checks.two_players(self.ruleset, purpose)

    def check_scoring(self: Any) -> None:
        """The part of ``check`` about opponents and openings."""
        for name in (each for kind in _PLAYERS for each in getattr(self, kind, ())):
            check_plays(make_agent(name), self.ruleset)
        if self.pairs or self.curve_every:
            openings(self.ruleset, self.opening_plies, 1, self.seed)

    def check_rollout(self: Any) -> None:
        """Raise ValueError unless whole batches make up a rollout."""
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
