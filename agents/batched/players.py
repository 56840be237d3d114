"""The agent that plays at random, and the seeding of every agent's random numbers."""

import numpy as np
import numpy.typing as npt

from agents.batched import kernel
from agents.batched.arguments import checked_masks
from mancala_env.rules import Ruleset
from mancala_env.state import State


def streams_of(seeds: npt.ArrayLike) -> npt.NDArray[np.uint64]:
    """The start of the random numbers of players that are reset with ``seeds``: uint64, of the same shape.

    Seeds are whole numbers from 0 to 2**64 - 1; anything else raises ValueError. Each goes through the finisher of
    SplitMix64, a bijection, so that small seeds start far apart in its sequence.
    """
    given = np.asarray(seeds)
    if given.dtype.kind not in "iu" or (given < 0).any() or isinstance(seeds, np.ma.MaskedArray):
        raise ValueError(f"seeds must be whole numbers from 0 to 2**64 - 1, not {seeds!r}")
    x = given.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))


class RandomAgent:
    """Plays every legal action with the same probability."""

    def __init__(self, seed: int = 0, name: str | None = None) -> None:
        self.name = name or "random"
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Before each game: start the random choices from ``seed``, 0 to 2**64 - 1."""
        self._stream = streams_of([seed])

    def act(self, state: State) -> int:
        """A random legal action. Raises ValueError if the game is over."""
        if state.is_over:
            raise ValueError(f"{self.name} cannot move: the game is over in {state}")
        out = np.zeros(1, dtype=np.int64)
        kernel.random_actions(out, state.legal_mask[None], self._stream, out)
        return int(out[0])

    def act_positions(
        self,
        rules: Ruleset,
        games: npt.NDArray[np.int64],
        positions: npt.NDArray[np.int16],
        masks: npt.NDArray[np.bool_],
        history: npt.NDArray[np.uint64],
        streams: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """int64[m]: a legal action in each of ``games``; see ``BatchedAgent``."""
        games, masks = checked_masks(rules, games, positions, masks, history, streams)
        out = np.empty(len(games), dtype=np.int64)
        kernel.random_actions(games, masks, streams, out)
        return out
