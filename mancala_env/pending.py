"""What the player to move has to decide in mid-turn, before the turn goes on."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import layout
from mancala_env.rules import Ruleset


class Pending(NamedTuple):
    """A decision that is due: ``State.pending``.

    Attributes
    ----------
    kind : "pick": which pit of the opponent to capture
    number : the picks that are left, this one included
    """

    kind: str
    number: int

    @property
    def text(self) -> str:
        """What is to be done, in words: "picks 2 more pits"."""
        return f"picks {self.number} more pit{'' if self.number == 1 else 's'}"


DECISIONS = ("", "pick")  # as ``layout.DECISION`` numbers them


def pending_in(rules: Ruleset, array: npt.NDArray[np.int16]) -> Pending | None:
    """What is to be decided in a position, int16[W]; None if nothing is."""
    at = rules.fields.get("pending")
    if at is None or array[at + layout.DECISION] == layout.NOTHING_DUE:
        return None
    return Pending(DECISIONS[array[at + layout.DECISION]], int(array[at + layout.LEFT]))
