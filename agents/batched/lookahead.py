"""The agent that plays what an encoder that looks ahead shows, greedily: what a network knows before it learns."""

import numpy as np
import numpy.typing as npt

from agents.batched import kernel
from agents.batched.arguments import checked_masks
from agents.batched.players import streams_of
from mancala_env import checks
from mancala_env.kernels import layout
from mancala_env.kernels.lookahead import BINS
from mancala_env.observation import ENCODERS, Encoder, make_encoder
from mancala_env.rules import Ruleset
from mancala_env.state import State

MOST_PLIES = sum(name.startswith("lookahead") for name in ENCODERS)


class LookaheadAgent:
    """Plays the action that the encoder ``lookahead1``, ``lookahead2`` and so on shows to be worth most, untrained.

    That is the last value in the block of each action (``mancala_env.kernels.lookahead.write_actions``): what it is
    worth after all the plies, in seeds of margin, as far as the encoder tells values apart (11 seeds or more are one).
    Among equals the choice is uniform. It is the control for policies with these encoders: what they score above it is
    learnt.

    Parameters
    ----------
    plies : int
        1 to 6.
    seed : int
        Of the choice among equals.

    Raises
    ------
    ValueError
        If there is no such encoder.
    """

    def __init__(self, plies: int = 4, seed: int = 0, name: str | None = None) -> None:
        if not isinstance(plies, int) or isinstance(plies, bool) or not 1 <= plies <= MOST_PLIES:
            raise ValueError(f"plies must be a whole number from 1 to {MOST_PLIES}, not {plies!r}")
        self.plies = plies
        self.name = name or f"lookahead:plies={plies}"
        self._encoder: Encoder | None = None
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Before each game: start the random choices from ``seed``, 0 to 2**64 - 1."""
        self._stream = streams_of([seed])

    def act(self, state: State) -> int:
        """One of the actions that are worth most. Raises ValueError if the game is over."""
        if state.is_over:
            raise ValueError(f"{self.name} cannot move: the game is over in {state}")
        seats, out = np.array([state.player], dtype=np.int8), np.zeros(1, dtype=np.int64)
        best = self._best(state.rules, state.array[None], seats, state.legal_mask[None])
        kernel.random_actions(out, best, self._stream, out)
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
        """int64[m]: one of the actions that are worth most in each of ``games``; see ``BatchedAgent``."""
        games, masks = checked_masks(rules, games, positions, masks, history, streams)
        asked = checks.positions(rules, positions[games])
        seats = asked[:, rules.board.pits + layout.MOVER].astype(np.int8)
        out = np.empty(len(games), dtype=np.int64)
        kernel.random_actions(np.arange(len(games)), self._best(rules, asked, seats, masks[games]), streams, out)
        return out

    def _best(
        self,
        rules: Ruleset,
        positions: npt.NDArray[np.int16],
        seats: npt.NDArray[np.int8],
        masks: npt.NDArray[np.bool_],
    ) -> npt.NDArray[np.bool_]:
        """bool[m, A]: the legal actions that are worth most."""
        encoder = self._encoder
        if encoder is None or (encoder.rules is not rules and encoder.rules != rules):
            encoder = self._encoder = make_encoder(f"lookahead{self.plies}", rules)
        assert encoder.blocks is not None
        first, actions, size = encoder.blocks
        seen = encoder(positions, seats)[:, first : first + actions * size].reshape(-1, actions, size)
        worth = np.where(masks, seen[:, :, -BINS:].argmax(axis=2), -1)
        best: npt.NDArray[np.bool_] = worth == worth.max(axis=1, keepdims=True)
        return best
