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
    kind : "pick": which pit of the opponent to capture; "go_on": whether to go on from the pit where a lap ended
    number : the picks that are left, this one included; or that pit
    direction : the way the turn would go on: 0 counter-clockwise, 1 clockwise
    """

    kind: str
    number: int
    direction: int = 0

    @property
    def text(self) -> str:
        """What is to be done, in words: "picks 2 more pits"."""
        if self.kind == "go_on":
            return "goes on or stops"
        return f"picks {self.number} more pit{'' if self.number == 1 else 's'}"


DECISIONS = ("", "pick", "go_on")  # as ``layout.DECISION`` numbers them


def pending_in(rules: Ruleset, array: npt.NDArray[np.int16]) -> Pending | None:
    """What is to be decided in a position, int16[W]; None if nothing is."""
    at = rules.fields.get("pending")
    if at is None or array[at + layout.DECISION] == layout.NOTHING_DUE:
        return None
    number, pit = int(array[at + layout.LEFT]), int(array[at + layout.AT])
    if array[at + layout.DECISION] == layout.GO_ON:
        return Pending("go_on", pit, number)
    return Pending("pick", number)
