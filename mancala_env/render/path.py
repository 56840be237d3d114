"""The way of a move over the board: where seeds were sown, in order, and which pits were captured."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.rules import Ruleset
from mancala_env.trace import EventKind, Trace, traced

Step = tuple[int, int]  # from a hole to the one where the next seed falls
_STEPS = (EventKind.SOW, EventKind.REAP)  # the events in which the hand goes from one hole to another


class Path(NamedTuple):
    """What a move did. Holes are pits in canonical order, then South's store and North's store."""

    pit: int | None  # that was played; None for a pass
    steps: tuple[Step, ...]
    taken: tuple[int, ...]  # captured pits, the first first
    seeds: tuple[int, ...]  # in all holes after it, before any final collection or new game

    @property
    def sown(self) -> tuple[int, ...]:
        """The holes that got seeds, each once, in the order in which they got their last."""
        return tuple(reversed(dict.fromkeys(to for _, to in reversed(self.steps))))


def path_of(rules: Ruleset, before: npt.ArrayLike, action: int, after: npt.ArrayLike) -> Path:
    """The path of a move, from the positions around it (``mancala_env.trace.traced``).

    Raises
    ------
    ValueError
        If the mover has no such action.
    """
    return traced_path(traced(rules, np.asarray(before, dtype=np.int16), action, np.asarray(after, dtype=np.int16)))


def traced_path(trace: Trace) -> Path:
    """The path of a move that is told."""
    steps = tuple((event.source, event.target) for event in trace.events if event.kind in _STEPS)
    return Path(trace.pit, steps, trace.taken, trace.after)  # type: ignore[arg-type]  # these have both
