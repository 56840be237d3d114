"""Games of a whole family as one Gymnasium vector environment: a learner against an opponent in each slot."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mancala_env import checks
from mancala_env.checks import Flags, Ints
from mancala_env.family.batch import FamilyBatch, Seen
from mancala_env.family.format import SIZES, Sizes, shapes
from mancala_env.infos import ILLEGAL
from mancala_env.opponent_env import MOST_ANSWERS, one_by_one
from mancala_env.rules import Ruleset
from mancala_env.single_agent import SameStepVectorEnv


def space_of(sizes: Sizes) -> dict[str, spaces.Space[Any]]:
    """The space of each key of an observation."""
    return {key: spaces.Box(low, high, shape, dtype) for key, (dtype, shape, low, high) in shapes(sizes).items()}


class FamilyVectorEnv(SameStepVectorEnv):
    """``num_envs`` games of some rulesets, of a learner against an opponent; a game that ends starts again in the same
    step, with learner's seats drawn anew (in a solitaire always South).

    Actions
        MultiDiscrete: in every slot an action of the learner; an illegal one loses the game (-1).
    Observations
        A dict of arrays, [num_envs, ...] each (``family.format.shapes``), as ``FamilyBatch.whole`` makes them.
    Rewards
        float64[num_envs]: +1, 0 or -1 when a game ends, no matter who ended it.
    Infos
        ``action_mask``, int8[num_envs, A]. Where games ended: ``final_obs``, a dict of arrays, and ``final_info`` with
        ``result``, ``termination`` (``mancala_env.infos``) and ``game``; each with Gymnasium's ``_key``.

    ``opponent``: "random", an agent with ``act(state)``, or a callable State -> action; ``weights``, ``sizes`` as in
    ``FamilyBatch``. ``batch.weights`` can be changed at any time.
    """

    def __init__(
        self,
        num_envs: int,
        rulesets: Sequence[Ruleset | str],
        *,
        opponent: Any = "random",
        sizes: Sizes = SIZES,
        weights: Any = None,
    ) -> None:
        self.opponent = opponent
        self._ask = None if isinstance(opponent, str) and opponent == "random" else one_by_one(opponent)
        fresh = int(np.random.SeedSequence().generate_state(1)[0])
        self.batch = FamilyBatch(rulesets, num_envs, seed=fresh, sizes=sizes, weights=weights)
        self._set_spaces(self.batch.n, spaces.Dict(space_of(self.batch.sizes)), self.batch.sizes.actions)
        self._nothing = {key: np.zeros_like(array) for key, array in self.batch.observe().items()}
        self._alone = np.array([rules.players == 1 for rules in self.batch.rulesets])

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Start all games anew. ``seed``, of a list the first, fixes games, seats and the opponent."""
        first = checks.seed(seed[0] if isinstance(seed, list | tuple) else seed, optional=True)
        super().reset(seed=first, options=options)
        self.batch.reset(np.arange(self.num_envs) if first is None else None, seed=first)
        if callable(again := getattr(self.opponent, "reset", None)):
            again(int(self.batch.random.integers(2**31)))
        self.seats = np.zeros(self.num_envs, dtype=np.int8)  # int8[num_envs]: the learner's
        self._seat(np.arange(self.num_envs))
        self._begin_step()
        self._answer()
        self._begin_step()  # what ended before the learner's first decision does not count
        return self.batch.whole(self.batch.observe()), self._infos()

    def step(self, actions: Any) -> tuple[Seen, npt.NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Play the learner's actions, ints[num_envs], and the opponents' answers."""
        self._begin_step()
        chosen, mask = self.batch._whole(actions, self.num_envs), self.batch.legal_mask
        inside = (chosen >= 0) & (chosen < mask.shape[1])
        legal = inside & mask[np.arange(self.num_envs), np.where(inside, chosen, 0)]
        if len(lost := np.flatnonzero(~legal)):
            seen = {key: array[lost] for key, array in self.batch.observe().items()}
            self._keep(lost, np.full(len(lost), -1.0), np.full(len(lost), ILLEGAL), seen)
            self.batch.reset(lost)
            self._seat(lost)
        if legal.any():
            self._play(chosen[legal], np.flatnonzero(legal))
        self._answer()
        observation = self.batch.whole(self.batch.observe())
        return observation, self._rewards, self._done, np.zeros_like(self._done), self._infos()

    def _begin_step(self) -> None:
        self._rewards = np.zeros(self.num_envs, dtype=np.float64)
        self._done = np.zeros(self.num_envs, dtype=np.bool_)
        self._reasons = np.zeros(self.num_envs, dtype=np.int8)
        self._final = {key: array.copy() for key, array in self._nothing.items()}

    def _seat(self, slots: Ints) -> None:
        drawn = self.batch.random.integers(2, size=len(slots), dtype=np.int8)
        self.seats[slots] = np.where(self._alone[self.batch.game_of[slots]], 0, drawn)

    def _answer(self) -> None:
        """Let opponents play until the learner is to move everywhere."""
        for _ in range(MOST_ANSWERS):
            if not len(slots := np.flatnonzero(self.batch.players != self.seats)):
                return
            self._play(self._ask(self, slots) if self._ask else self.batch.random_actions()[slots], slots)
        raise ValueError("in some slot the learner never comes to move: its games end before")

    def _play(self, actions: Any, slots: Ints) -> None:
        rewards, done = self.batch.play(actions, slots)
        if done.any():
            ended, reasons, seen = self.batch.see_final(self.seats)
            self._keep(ended, rewards[ended, self.seats[ended]], reasons, seen)
            self._seat(ended)

    def _keep(self, slots: Ints, results: Any, reasons: Any, seen: Seen) -> None:
        """Note how games in ``slots`` ended, and their last positions; of two in one step, the learner's counts."""
        new = ~self._done[slots]
        slots = slots[new]
        self._rewards[slots], self._reasons[slots], self._done[slots] = results[new], reasons[new], True
        for key, array in seen.items():
            self._final[key][slots] = array[new]

    def _infos(self) -> dict[str, Any]:
        final = self.batch.whole(self._final)
        for array in final.values():
            array[~self._done] = 0
        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        ends = {"result": self._rewards.astype(np.float32), "termination": self._reasons, "game": self._final["game"]}
        ends |= {f"_{key}": self._done.copy() for key in ends}
        infos: dict[str, Any] = {"action_mask": self.batch.legal_mask.astype(np.int8), "_action_mask": everywhere}
        infos |= {"final_obs": final, "_final_obs": self._done.copy()}
        return infos | {"final_info": ends, "_final_info": self._done.copy()}

    def action_masks(self) -> Flags:
        """bool[num_envs, A]: the learner's legal actions now."""
        return self.batch.legal_mask
