"""What the player to move has to decide in mid-turn, before the turn goes on."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import layout
from mancala_env.rules import Ruleset


class Pending(NamedTuple):
    """A decision that is due: ``State.pending``. The kind is "pick": which pit of the opponent to capture; "go_on":
    whether to go on from the pit where a lap ended; "direction": which way to sow seeds of a pit."""

    kind: str
    number: int  # the picks that are left, this one included; or that pit
    # Of "go_on" the way the turn would go on, 0 counter-clockwise, 1 clockwise; of "direction" the number
    # of seeds.
    more: int = 0

    def words(self, rules: Ruleset) -> str:
        """What the mover is to do, as it follows on "to": "pick 2 more pits of the opponent"."""
        if self.kind == "pick":
            return f"pick {self.number} more pit{'' if self.number == 1 else 's'} of the opponent"
        pit = rules.board.names[self.number]
        if self.kind == "go_on":
            return f"go on from {pit}, or stop"
        return f"choose the direction in which to go on from {pit}"


DECISIONS = {layout.PICK: "pick", layout.GO_ON: "go_on", layout.CHOOSE_WAY: "direction"}


def pending_in(rules: Ruleset, array: npt.NDArray[np.int16]) -> Pending | None:
    """What is to be decided in a position, int16[W]; None if nothing is."""
    at = rules.fields.get("pending")
    if at is None or array[at + layout.DECISION] == layout.NOTHING_DUE:
        return None
    kind, number, pit = (int(array[at + field]) for field in (layout.DECISION, layout.LEFT, layout.AT))
    return Pending("pick", number) if kind == layout.PICK else Pending(DECISIONS[kind], pit, number)
