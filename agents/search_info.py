"""What an agent may tell of the move that it has just chosen: how deep it looked, and what it expects."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from mancala_env.state import State

MOST = 1 << 40  # tokens
DEEPEST = 100_000  # plies; what tells more is mistaken


class SearchInfo(NamedTuple):
    """What an agent tells, after ``act``, in its attribute ``info``: depth in plies, and value for the mover in its
    unit; of a language model also its illegal answers before the move, and the tokens that it used. None where it tells
    none."""

    depth: int | None = None
    value: float | None = None
    illegal: int | None = None
    tokens: int | None = None


def info_of(agent: Any) -> SearchInfo:
    """What an agent tells of its last move, which may be an object of anybody's: what makes no sense is left out."""
    try:
        depth, value, *more = agent.info
        counts = (*more, None, None)[:2]
    except Exception:  # no such attribute, or no such pair
        return SearchInfo()
    fits = isinstance(depth, int) and not isinstance(depth, bool) and 0 <= depth <= DEEPEST
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    illegal, tokens = (count if type(count) is int and 0 <= count < MOST else None for count in counts)
    return SearchInfo(
        int(depth) if fits else None, float(value) if is_number and abs(value) < 1e9 else None, illegal, tokens
    )


def names_of(state: State, line: Iterable[int]) -> list[str]:
    """The names of moves, one after the other, up to the end of the game, in a match too: a line is for one game."""
    names = []
    for action in line:
        if action not in state.legal_actions:
            break
        names.append(state.name(action))
        state = state.play(action)
    return names
