"""Where games start that are to differ from each other."""

import numpy as np

from mancala_env.rules import Ruleset
from mancala_env.state import State

TRIES = 1000


def random_opening(rules: Ruleset, plies: int, random: np.random.Generator) -> State:
    """The position after so many random plies, the game not being over.

    Raises
    ------
    ValueError
        If no such opening turns up in ``TRIES`` tries.
    """
    for _ in range(TRIES):
        state = rules.start()
        while state.ply < plies and not state.is_over:
            state = state.play(int(random.choice(state.legal_actions)))
        if not state.is_over:
            return state
    raise ValueError(f"{rules.name}: no game is still running after {plies} random plies; take fewer opening plies")
