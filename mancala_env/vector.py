"""Many games as one Gymnasium vector environment: a learner against opponents, all games in one call."""

import difflib
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from mancala_env import checks
from mancala_env.duel import Duel
from mancala_env.rules import Ruleset, ruleset
from mancala_env.rules.ruleset import SHORTHANDS

DUEL_OPTIONS = ("encoder", "seat", "reward", "illegal", "shaping", "gamma", "threads")


def duel_of(
    rules: str | Ruleset, num_envs: int, opponent: Any, options: dict[str, Any], seed: int | None = None
) -> Duel:
    """A Duel from the mixed options of an environment: those of ``Duel`` by name, the rest change the rules."""
    mine = {name: options[name] for name in DUEL_OPTIONS if name in options}
    changes = {name: value for name, value in options.items() if name not in DUEL_OPTIONS}
    known = {*(each.name for each in fields(Ruleset)), *SHORTHANDS}
    if unknown := [name for name in changes if name not in known]:
        near = difflib.get_close_matches(unknown[0], [*known, "opponent", *DUEL_OPTIONS], n=1)
        hint = f"did you mean {near[0]!r}?" if near else "the rest are options of the rules"
        raise ValueError(
            f"there is no option {unknown[0]!r}; environments take opponent, {', '.join(DUEL_OPTIONS)}; {hint}"
        )
    return Duel(ruleset(rules, **changes), num_envs, opponent, seed=seed, **mine)


class MancalaVectorEnv(VectorEnv[Any, Any, Any]):
    """``num_envs`` games of a learner against an opponent; a game that ends starts again in the same step.

    Actions       MultiDiscrete: in every game an action of the learner, from its own left.
    Observations  float32[num_envs, *shape]: the boards from the learner's side, as the encoder writes them.
    Rewards       float64[num_envs]: see ``mancala_env.duel.Duel``.
    End           Autoreset in the same step. Where a game ended ``infos["final_obs"]`` holds its last observation,
                  ``infos["final_info"]`` the arrays ``result``, ``margin``, ``seat``, ``length``, ``termination`` and
                  ``illegal``, and ``_final_obs``, ``_final_info`` say where.

    In matches ``infos["game_scores"]``, float32[num_envs, 2], and ``infos["game_termination"]`` tell of single games
    that ended since the learner's last decision: the learner's score and the other's. ``_game_scores`` says where.
    ``infos["action_mask"]``, int8[num_envs, A], says what may be played now. Parameters as in
    ``mancala_env.single_agent``; an opponent with ``act_batch`` is asked for all games at once.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc] # read from the class by make_vec
        "render_modes": [],
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | Ruleset = "oware",
        *,
        opponent: Any = "random",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if render_mode is not None:
            raise ValueError("a vector of games cannot be rendered; leave render_mode out")
        self.duel = duel_of(rules, num_envs, opponent, options)
        self.rules = self.duel.rules
        self.num_envs = num_envs
        self.render_mode = None
        self.single_observation_space = spaces.Box(0.0, 1.0, self.duel.batch.encoder.shape, np.float32)
        self.single_action_space = spaces.Discrete(self.rules.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._everywhere = np.ones(num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Start all games anew. ``seed`` fixes seats and the random opponent; of a list, the first number does."""
        seeds = [checks.seed(each, optional=True) for each in (seed if isinstance(seed, list | tuple) else [seed])]
        first = seeds[0] if seeds else None
        super().reset(seed=first, options=options)
        self.duel.reset(first)
        return self.duel.observe(), self._infos()

    def step(
        self, actions: Any
    ) -> tuple[
        npt.NDArray[np.float32], npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]
    ]:
        """Play the learner's actions, ints[num_envs], and the opponents' answers."""
        rewards, ended = self.duel.step(actions)
        terminated = np.zeros(self.num_envs, dtype=np.bool_)
        observations = self.duel.observe()
        infos = self._infos()
        if len(ended.games):
            terminated[ended.games] = True
            last = np.zeros_like(observations)
            last[ended.games] = ended.observations
            infos["final_obs"], infos["_final_obs"] = last, terminated.copy()
            infos["final_info"], infos["_final_info"] = self._final_info(ended, terminated), terminated.copy()
        return observations, rewards.astype(np.float64), terminated, np.zeros_like(terminated), infos

    def _infos(self) -> dict[str, Any]:
        infos = {"action_mask": self.duel.legal_mask.astype(np.int8), "_action_mask": self._everywhere.copy()}
        if (games := self.duel.games) is not None:
            for name, values in (("game_scores", games.scores), ("game_termination", games.terminations)):
                infos[name], infos[f"_{name}"] = values.copy(), games.ended.copy()
        return infos

    def _final_info(self, ended: Any, where: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """Arrays over all games, filled where one ended."""
        info: dict[str, Any] = {}
        for name, values in (
            ("result", ended.results),
            ("margin", ended.margins),
            ("seat", ended.seats),
            ("length", ended.lengths),
            ("termination", ended.terminations.astype("<U16")),
            ("illegal", ended.terminations == "illegal"),
        ):
            filled = np.zeros(self.num_envs, dtype=values.dtype)
            filled[ended.games] = values
            info[name], info[f"_{name}"] = filled, where.copy()
        return info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """bool[num_envs, A]: what the learner may play now."""
        return self.duel.legal_mask
