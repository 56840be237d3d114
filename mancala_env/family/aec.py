"""Every game as one PettingZoo environment: ``reset(options={"rules": ...})`` sets the game."""

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mancala_env.aec import PLAYERS, CheckedMancalaEnv
from mancala_env.family.batch import Eyes
from mancala_env.family.format import SIZES, Sizes
from mancala_env.family.vector import space_of
from mancala_env.games import ruleset
from mancala_env.kernels import layout
from mancala_env.rules import Ruleset


class FamilyEnv(CheckedMancalaEnv):
    """``aec.env`` with the observations and actions of the family, the same spaces for all games.
    ``reset(options={"rules": a Ruleset or its name})`` sets the game, which stays until another is set; at first it is
    ``rules``. Observations: what ``family.observe`` tells, "action_mask" among it. Games are for two players; a
    solitaire is refused. All else is as in ``mancala_env.aec.MancalaEnv``."""

    def __init__(self, rules: str | Ruleset = "oware", *, sizes: Sizes = SIZES, **options: Any) -> None:
        self.sizes = Sizes(*sizes)
        super().__init__(rules, encoder="counts", **options)
        self._set(self.rules)
        self.metadata = {**self.metadata, "name": "mancala_family_v0"}  # type: ignore[misc]
        mask = spaces.Box(0, 1, (self.sizes.actions,), np.int8)
        self.action_spaces = {agent: spaces.Discrete(self.sizes.actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict({**space_of(self.sizes), "action_mask": mask}) for agent in self.possible_agents
        }

    def _set(self, rules: Ruleset) -> None:
        if rules.players == 1:
            raise ValueError(f"{rules.name} is a solitaire, and this environment is for two players")
        self._eyes = Eyes([rules], self.sizes)
        self.rules = rules
        self.state_space = spaces.Box(rules.ranges.low, rules.ranges.high, dtype=np.int16)
        self._over_at = rules.board.pits + layout.OVER
        self._no_actions = rules.bound.choices[0][2]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game, of ``options["rules"]`` if given, at ``options["position"]`` if given."""
        before = self.rules
        if (rules := (options or {}).get("rules")) is not None and (rules := ruleset(rules)) != self.rules:
            self._set(rules)
        try:
            super().reset(seed, options)
        except ValueError:  # the game goes on as it was
            if self.rules is not before:
                self._set(before)
            raise

    def _inform(self, ended: npt.NDArray[np.int8]) -> None:
        super()._inform(ended)
        for info in self.infos.values():
            info.mask = np.pad(info.mask(), (0, self.sizes.actions - self.rules.num_actions)).copy

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """What ``agent`` sees of the position."""
        return self._eyes.see_one(self.position, PLAYERS.index(agent))


env = FamilyEnv
