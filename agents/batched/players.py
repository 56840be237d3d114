"""What agents that play in batches share, the one that plays at random, and the seeding of their random numbers."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.batched import kernel
from agents.batched.arguments import checked_masks, running
from mancala_env.rules import Ruleset
from mancala_env.state import State


def streams_of(seeds: npt.ArrayLike) -> npt.NDArray[np.uint64]:
    """The start of players' random numbers: uint64, of the shape of ``seeds``, by the finisher of SplitMix64, a
    bijection. ValueError unless seeds are whole numbers from 0 to 2**64 - 1.
    """
    given = np.asarray(seeds)
    if given.dtype.kind not in "iu" or (given < 0).any() or isinstance(seeds, np.ma.MaskedArray):
        raise ValueError(f"seeds must be whole numbers from 0 to 2**64 - 1, not {seeds!r}")
    x = given.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))


def spec(kind: str, **settings: Any) -> str:
    """The text of which ``make_agent`` makes an agent; settings that are None are left out."""
    said = {name: str(value).lower() if isinstance(value, bool) else value for name, value in settings.items()}
    return f"{kind}:" + ",".join(f"{name}={value}" for name, value in said.items() if value is not None)


class Player(ABC):
    """An agent that also plays in batches, and draws among actions that are equally good for it."""

    name: str

    def reset(self, seed: int) -> None:
        """Before each game: start the random choices from ``seed``, 0 to 2**64 - 1."""
        self._stream = streams_of([seed])

    def draw(self, actions: Sequence[int]) -> int:
        """One of these actions, at random."""
        best = np.zeros((1, max(actions) + 1), dtype=np.bool_)
        best[0, list(actions)] = True
        return int(drawn(best, self._stream)[0])

    def act_positions(
        self,
        rules: Ruleset,
        games: npt.NDArray[np.int64],
        positions: npt.NDArray[np.int16],
        masks: npt.NDArray[np.bool_],
        history: npt.NDArray[np.uint64],
        streams: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """int64[m]: an action in each of ``games``, as ``act`` chooses it; see ``agents.batched.BatchedAgent``."""
        return self._act_in(rules, kernel.Turns(games, positions, masks, history, streams))

    @abstractmethod
    def _act_in(self, rules: Ruleset, turns: kernel.Turns) -> npt.NDArray[np.int64]:
        """``act_positions``, of arguments that have not been checked."""


def drawn(best: npt.NDArray[np.bool_], streams: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """int64[m]: one of the actions in each line of ``best``, bool[m, A], at random; ``streams``, uint64[m], advance."""
    out = np.empty(len(best), dtype=np.int64)
    kernel.random_actions(best, streams, out)
    return out


class RandomAgent(Player):
    """Plays every legal action with the same probability."""

    def __init__(self, seed: int = 0, name: str | None = None) -> None:
        self.name = name or "random"
        self.reset(seed)

    def act(self, state: State) -> int:
        """A random legal action. Raises ValueError if the game is over."""
        return int(drawn(running(state, self.name).legal_mask[None], self._stream)[0])

    def _act_in(self, rules: Ruleset, turns: kernel.Turns) -> npt.NDArray[np.int64]:
        turns = checked_masks(rules, turns)
        return drawn(turns.masks[turns.games], turns.streams)
