"""The agent that plays what an encoder that looks ahead shows, greedily: what a network knows before it learns."""

import numpy as np
import numpy.typing as npt

from agents.batched.kernel import Turns
from agents.batched.players import Player, drawn, seats_of
from mancala_env.kernels.lookahead import BINS, MOST
from mancala_env.observation import ENCODERS, Encoder, make_encoder
from mancala_env.rules import Ruleset

MOST_PLIES = sum(name.startswith("lookahead") for name in ENCODERS)


class LookaheadAgent(Player):
    """Plays, untrained, the action that the encoder ``lookahead1``, ``lookahead2`` and so on shows to be worth most:
    the last value of its block, after all the ``plies``, 1 to 6, in seeds of margin as far as the encoder tells them
    apart. Among equals the choice is uniform. ValueError if there is no such encoder.
    """

    reads_positions = True

    def __init__(self, plies: int = 4, seed: int = 0, name: str | None = None) -> None:
        if not isinstance(plies, int) or isinstance(plies, bool) or not 1 <= plies <= MOST_PLIES:
            raise ValueError(f"plies must be a whole number from 1 to {MOST_PLIES}, not {plies!r}")
        self.plies = plies
        self.name = name or f"lookahead:plies={plies}"
        self._encoder: Encoder | None = None
        self.reset(seed)

    def _act_in(self, rules: Ruleset, turns: Turns) -> npt.NDArray[np.int64]:
        worth = np.where(turns.masks[turns.games], self.worths(rules, *seats_of(rules, turns)), -BINS)
        return drawn(worth == worth.max(axis=1, keepdims=True), turns.streams)

    def worths(
        self, rules: Ruleset, positions: npt.NDArray[np.int16], seats: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.int64]:
        """int64[m, A]: what each legal action is worth to the mover, in seeds of margin more than now, from -11 to 11;
        of illegal ones any number."""
        encoder = self._encoder
        if encoder is None or (encoder.rules is not rules and encoder.rules != rules):
            encoder = self._encoder = make_encoder(f"lookahead{self.plies}", rules)
        assert encoder.blocks is not None
        first, actions, size = encoder.blocks
        seen = encoder(positions, seats)[:, first : first + actions * size].reshape(-1, actions, size)
        return np.asarray(seen[:, :, -BINS:].argmax(axis=2) - MOST)
