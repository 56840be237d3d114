"""One game as a Gymnasium environment: a learner against an opponent inside it, or alone in a solitaire."""

from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from mancala_env import checks
from mancala_env.render.screen import RENDER_MODES, check_mode, show
from mancala_env.rules import Ruleset
from mancala_env.state import IllegalAction, State
from mancala_env.vector import opponent_env, told_of_ends


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

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc] # a class attribute in the base class, too
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
    }

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
