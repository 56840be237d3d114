"""The games as Gymnasium environments: a learner against an opponent inside them; one game, or many in one batch."""

from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from mancala_env import checks
from mancala_env.checks import Flags, Floats
from mancala_env.games import ruleset
from mancala_env.infos import ILLEGAL
from mancala_env.kernels import layout
from mancala_env.opponent_env import Ended, OpponentEnv
from mancala_env.render.screen import RENDER_MODES, check_mode, show
from mancala_env.rewards import Rewards
from mancala_env.rules import Ruleset
from mancala_env.rules.fields import DECLARED
from mancala_env.state import IllegalAction, State
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
    for name in changes:
        if name not in DECLARED and (near := did_you_mean(name, ["opponent", *OPTIONS])):
            raise ValueError(f"there is no option {name!r}; environments take opponent, {', '.join(OPTIONS)}; {near}")
    return OpponentEnv(ruleset(rules, **changes), num_envs, opponent, rewards=rewards, seed=seed, **mine)


def told_of_ends(rules: Ruleset, ended: Ended) -> dict[str, npt.NDArray[Any]]:
    """The entries of ``final_info`` for m games that ended, or stand as if they had: each an array of length m."""
    illegal = ended.terminations == "illegal"
    reasons = ended.positions[:, rules.board.pits + layout.OVER].astype(np.int8)
    reasons[illegal] = ILLEGAL
    told = {"result": ended.results, "margin": ended.margins, "seat": ended.seats, "length": ended.lengths}
    return {**told, "termination": reasons, "illegal": illegal}


class MancalaSingleEnv(gymnasium.Env[Any, Any]):
    """A learner against an opponent: ``gymnasium.make("mancala/oware-v0", opponent="random")``.

    Actions
        Discrete(A): from the learner's own left.
    Observations
        ``float32[*shape]``: the board from the learner's side, as the encoder writes it.
    Rewards
        At the end, whichever player moved last: +1, 0 or -1 (``reward="result"``), or the lead in the final scores as a
        share of all seeds (``reward="margin"``); for ``shaping`` see ``mancala_env.rewards``.
    End
        By the rules; an illegal action loses (-1, ``info["illegal"]``), or raises with ``illegal="raise"``. An
        algorithm that does not see the mask (PPO and DQN of stable-baselines3; MaskablePPO does) loses many games so.
    Infos
        Arrays, as ``mancala_env.infos`` lists them; ``action_mask``, int8[A], is like ``action_masks()``, bool[A].

    ``position`` is the State, whose ``termination`` says in words why the game ended.

    Parameters
    ----------
    rules : name of a game, or a Ruleset
    opponent : as ``opponent_env.as_opponent`` takes it; a solitaire has none: leave it out
    render_mode : "human", "ansi", "rgb_array" (needs the extra ``render``) or None
    **options : ``encoder``, ``seat`` ("random", "alternate", "south", "north"), ``reward``, ``illegal``, ``shaping``,
        ``gamma``; anything else is a change of the rules, as in ``mancala_env.ruleset``
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # type: ignore[misc]

    def __init__(
        self,
        rules: str | Ruleset = "oware",
        *,
        opponent: Any = "random",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.core = opponent_env(rules, 1, opponent, options)
        self.rules = self.core.rules
        check_mode(render_mode)
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0.0, 1.0, self.core.batch.encoder.shape, np.float32)
        self.action_space = spaces.Discrete(self.rules.num_actions)
        self._game, self._over = self.core.running(), False

    @property
    def position(self) -> State:
        """The position the learner is to move in, or the last one of the game that has just ended."""
        if not self._over:
            return self.core.batch.state(0)
        return State.from_array(self.rules, self._game.positions[0], self._game.played[0])

    @property
    def seat(self) -> int:
        """The learner's seat in this game: 0 South, 1 North."""
        return int(self._game.seats[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Start a new game; an opponent that begins has already moved. ``seed`` fixes seats and the random opponent."""
        seed = checks.seed(seed, optional=True)
        super().reset(seed=seed)
        if seed is not None or not self._over:
            self.core.reset(seed)
        self._game, self._over = self.core.running(), False  # after an end the next game has already begun
        return self._seen()

    def step(self, action: Any) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play an action of the learner and the opponent's answer; ``IllegalAction`` as in ``OpponentEnv.step``."""
        if self._over:
            raise ResetNeeded("the game is over: call reset() before step()")
        chosen = np.asarray(action)
        if chosen.ndim or chosen.dtype.kind not in "iu" or isinstance(action, np.ma.MaskedArray):
            raise IllegalAction(f"{self.rules.name}: an action must be a whole number, not {checks.described(action)}")
        rewards, ended = self.core.step(chosen[None])
        self._over = len(ended.games) > 0
        self._game = ended if self._over else self.core.running()
        seen, info = self._seen()
        return seen, float(rewards[0]), self._over, False, info

    def _seen(self) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        if self.render_mode == "human":
            self.render()
        told = told_of_ends(self.rules, self._game)
        mask = self.action_masks().astype(np.int8)
        return self._game.observations[0], {"action_mask": mask, **{key: told[key][0, ...] for key in told}}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """bool[A]: the learner's legal actions; all False when the game is over."""
        mask: npt.NDArray[np.bool_] = self.core.legal_mask[0]
        return mask & (not self._over)

    def render(self) -> Any:
        """The board: a str in mode "ansi", uint8[H, W, 3] in "rgb_array", None in "human", which prints it."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: make the env with render_mode='ansi', say")
            return None
        return show(self.render_mode, self.rules, self.position.array)


class SameStepVectorEnv(VectorEnv[Any, Any, Any]):
    """Games stepped together, of which one that ends starts again in the same step."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # type: ignore[misc]
    autoreset_mode = AutoresetMode.SAME_STEP  # TorchRL asks the environment itself
    render_mode = None

    def _set_spaces(self, num_envs: int, observations: spaces.Space[Any], actions: int) -> None:
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = observations, spaces.Discrete(actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)


class MancalaVectorEnv(SameStepVectorEnv):
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

    Parameters as in ``MancalaSingleEnv``; an opponent with ``act_batch`` is called once for all games.
    """

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
        board = spaces.Box(0.0, 1.0, self.core.batch.encoder.shape, np.float32)
        self._set_spaces(num_envs, board, self.rules.num_actions)

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
        infos: dict[str, Any] = {"action_mask": mask, "_action_mask": np.ones(self.num_envs, dtype=np.bool_)}
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
