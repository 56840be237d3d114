"""What an agent may tell of the move that it has just chosen: how deep it looked, and what it expects."""

import math
from typing import Any, NamedTuple

DEEPEST = 100_000  # plies; what tells more is mistaken


class Told(NamedTuple):
    """Depth in plies and value for the mover, in the agent's unit; None where it tells none.

    An agent that tells has an attribute ``told``, which is this after ``act``, or None.
    """

    depth: int | None = None
    value: float | None = None


def told_by(agent: Any) -> Told:
    """What an agent tells of its last move, which may be an object of anybody's: what makes no sense is left out."""
    try:
        depth, value = agent.told
    except Exception:  # no such attribute, or no such pair
        return Told()
    fits = isinstance(depth, int) and not isinstance(depth, bool) and 0 <= depth <= DEEPEST
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return Told(int(depth) if fits else None, float(value) if is_number and abs(value) < 1e9 else None)
