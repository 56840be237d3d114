"""What agents made of other people's code have in common."""

import random
from collections.abc import Collection

import numpy as np

from mancala_env.rules import Ruleset
from mancala_env.state import State


class ForeignAgent:
    """An agent made of somebody's code, which is asked in games only: it may remember the positions that it has seen.

    Parameters
    ----------
    name : str

    Attributes
    ----------
    games : tuple of str
        Names of the games that it says it plays; empty if it says none.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.games: tuple[str, ...] = ()

    def reset(self, seed: int) -> None:
        """Before each game: seed the generators of ``random`` and NumPy, from which such code draws."""
        random.seed(seed)
        np.random.seed(seed % (1 << 32))  # noqa: NPY002 (the one that is shared)

    def prepare(self, rules: Ruleset) -> None:
        """Compile what this side needs for a game, before its first clock runs. The code is not asked."""

    def act(self, state: State) -> int:
        """What the code chooses, legal or not."""
        raise NotImplementedError


def is_among(chosen: object, actions: Collection[int]) -> bool:
    """Is what somebody's code has chosen a whole number, Python's or NumPy's, and one of these?"""
    return isinstance(chosen, int | np.integer) and not isinstance(chosen, bool) and chosen in actions


def reset_if_it_can(what: object, seed: int) -> None:
    """Call its ``reset(seed)``, if it has one."""
    if callable(reset := getattr(what, "reset", None)):
        reset(seed)
