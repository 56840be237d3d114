"""Many games as one Gymnasium vector environment: a learner against opponents, stepped in one batch."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from mancala_env import checks
from mancala_env.checks import Flags, Floats
from mancala_env.games import RULESETS, ruleset
from mancala_env.infos import ILLEGAL
from mancala_env.kernels import layout
from mancala_env.opponent_env import Ended, OpponentEnv
from mancala_env.rewards import Rewards
from mancala_env.rules import Ruleset
from mancala_env.rules.fields import DECLARED
from mancala_env.rules.ruleset import SHORTHANDS
from mancala_env.words import did_you_mean

OF_REWARDS = {"reward": "end", "shaping": "shaping", "gamma": "gamma"}  # options, and what ``Rewards`` calls them
OPTIONS = ("encoder", "seat", "illegal", "threads", *OF_REWARDS)


def opponent_env(
    rules: str | Ruleset, num_envs: int, opponent: Any, options: dict[str, Any], seed: int | None = None
) -> OpponentEnv:
    """An OpponentEnv from the options of an environment: ``OPTIONS`` are its own, the rest change the rules."""
    mine = {name: options[name] for name in OPTIONS if name in options and name not in OF_REWARDS}
    rewards = Rewards(**{field: options[name] for name, field in OF_REWARDS.items() if name in options})
    changes = {name: value for name, value in options.items() if name not in OPTIONS}
    families = (option.name for known in RULESETS.values() for option in known.options)
    own = (option.name for option in rules.options) if isinstance(rules, Ruleset) else ()
    known = {*DECLARED, *SHORTHANDS, *families, *own}
    if unknown := [name for name in changes if name not in known]:
        near = did_you_mean(unknown[0], [*known, "opponent", *OPTIONS])
        hint = near or "the rest are options of the rules"
        raise ValueError(f"there is no option {unknown[0]!r}; environments take opponent, {', '.join(OPTIONS)}; {hint}")
    return OpponentEnv(ruleset(rules, **changes), num_envs, opponent, rewards=rewards, seed=seed, **mine)


def told_of_ends(rules: Ruleset, ended: Ended) -> dict[str, npt.NDArray[Any]]:
    """The entries of ``final_info`` for m games that ended, or stand as if they had: each an array of length m."""
    illegal = ended.terminations == "illegal"
    reasons = ended.positions[:, rules.board.pits + layout.OVER].astype(np.int8)
    reasons[illegal] = ILLEGAL
    return {
        "result": ended.results,
        "margin": ended.margins,
        "seat": ended.seats,
        "length": ended.lengths,
        "termination": reasons,
        "illegal": illegal,
    }


class MancalaVectorEnv(VectorEnv[Any, Any, Any]):
    """``num_envs`` games of a learner against an opponent; a game that ends starts again in the same step.

    Actions
        MultiDiscrete: in every game an action of the learner, from its own left.
    Observations
        ``float32[num_envs, *shape]``: the boards from the learner's side, as the encoder writes them.
    Rewards
        float64[num_envs]: see ``mancala_env.opponent_env.OpponentEnv``.
    End
        Autoreset in the same step: the observation is of the next game, and the infos describe the end.
    Infos
        Arrays, the same keys at every step, each with Gymnasium's ``_key``, bool[num_envs]: where it holds.
        ``action_mask``, int8[num_envs, A], holds the legal actions now. ``final_obs`` holds the last observation of
        each game that ended, and 0 elsewhere; ``final_info``, a dict, likewise what ``mancala_env.infos`` lists.

    Parameters as in ``mancala_env.single_agent``; an opponent with ``act_batch`` is called once for all games.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc] # read from the class by make_vec
        "render_modes": [],
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    autoreset_mode = AutoresetMode.SAME_STEP  # TorchRL asks the environment itself

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
        self.core = opponent_env(rules, num_envs, opponent, options)
        self.rules = self.core.rules
        self.num_envs = num_envs
        self.render_mode = None
        self.single_observation_space = spaces.Box(0.0, 1.0, self.core.batch.encoder.shape, np.float32)
        self.single_action_space = spaces.Discrete(self.rules.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._everywhere = np.ones(num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Start all games anew. ``seed`` fixes seats and the random opponent; of a list, the first number does."""
        seeds = [checks.seed(each, optional=True) for each in (seed if isinstance(seed, list | tuple) else [seed])]
        first = seeds[0] if seeds else None
        super().reset(seed=first, options=options)
        self.core.reset(first)
        return self.core.observe(), self._infos(self.core.running(slice(0)))

    def step(self, actions: Any) -> tuple[Floats, npt.NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Play the learner's actions, ints[num_envs], and the opponents' answers."""
        rewards, ended = self.core.step(actions)
        over = self._where(ended)
        return self.core.observe(), rewards.astype(np.float64), over, np.zeros_like(over), self._infos(ended)

    def _infos(self, ended: Ended) -> dict[str, Any]:
        mask, final = self.core.legal_mask.astype(np.int8), dict[str, Any]()
        infos: dict[str, Any] = {"action_mask": mask, "_action_mask": self._everywhere.copy()}
        for key, values in told_of_ends(self.rules, ended).items():
            final[key], final[f"_{key}"] = self._spread(ended, values), self._where(ended)
        infos["final_obs"], infos["_final_obs"] = self._spread(ended, ended.observations), self._where(ended)
        infos["final_info"], infos["_final_info"] = final, self._where(ended)
        return infos

    def _where(self, ended: Ended) -> Flags:
        return self._spread(ended, np.ones(len(ended.games), dtype=np.bool_))

    def _spread(self, ended: Ended, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        spread = np.zeros((self.num_envs, *values.shape[1:]), dtype=values.dtype)
        spread[ended.games] = values
        return spread

    def action_masks(self) -> Flags:
        """bool[num_envs, A]: the learner's legal actions now."""
        return self.core.legal_mask
