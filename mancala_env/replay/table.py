"""A game as tables of numbers, for scripts that show it: its positions, and the events of its moves."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import layout
from mancala_env.rules import Ruleset
from mancala_env.state import State
from mancala_env.trace import KINDS, EventKind, Trace

SHOWN = (EventKind.LIFT, EventKind.SOW, EventKind.LOSE, EventKind.REAP, EventKind.LAY, EventKind.TAKE, EventKind.CARRY,
         EventKind.BRING)  # fmt: skip
MOST_EVENTS = 10_000  # a move of more is shown as its position alone
PASS = NO_WAY = -1  # where a pit, and where a direction, would be written of a move
NO_MOVE = (-2, NO_WAY)  # before the first move
NO_EVENTS = np.zeros((0, 4), dtype=np.int16)
_NUMBERS = {kind: KINDS.index(kind) for kind in SHOWN}


def event_tables(traces: Sequence[Trace]) -> list[npt.NDArray[np.int16]]:
    """For each position int16[n, 4]: the events that lead to it, as far as they are shown; none before the first move.
    Each is its kind (an index into ``mancala_env.trace.KINDS``), source, target (-1: none) and seeds."""
    found = [NO_EVENTS]
    for trace in traces:
        events = [
            (_NUMBERS[kind], -1 if source is None else source, -1 if target is None else target, seeds)
            for kind, source, target, seeds, _ in trace.events
            if kind in _NUMBERS
        ]
        shown = events if len(events) <= MOST_EVENTS else []
        found.append(np.array(shown, dtype=np.int16).reshape(-1, 4))
    return found


def move_of(state: State, action: int) -> tuple[int, int]:
    """The pit that an action plays (or ``PASS``), and the direction (or ``NO_WAY``)."""
    pit, way = state.pit(action), state.rules.direction_of(state.player, action)
    return PASS if pit is None else pit, NO_WAY if way is None else way


def position_table(
    rules: Ruleset,
    positions: npt.NDArray[np.int16],
    moves: Sequence[tuple[int, int]],
    events: Sequence[npt.NDArray[np.int16]],
) -> npt.NDArray[np.int16]:
    """int16[n, columns] of positions int16[n, W], as ``columns`` names them: the pits, the stores of South and North,
    the mover, the pit that was played to get there (``NO_MOVE``, ``move_of``), the number of events (``event_tables``)
    that lead there, what else the game keeps, and, where there is a choice of direction, which was played."""
    n = rules.board.pits
    kept = [positions[:, at : at + width] for at, width in _kept(rules).values()]
    of_moves = np.array([(pit, len(each)) for (pit, _), each in zip(moves, events, strict=True)], dtype=np.int16)
    named = [np.array([[way] for _, way in moves], dtype=np.int16)] if rules.offers_directions else []
    return np.hstack([positions[:, : n + layout.MOVER + 1], of_moves, *kept, *named])


def columns(rules: Ruleset) -> dict[str, int]:
    """Where in ``position_table`` each part begins; parts that the game does not have are left out."""
    n = rules.board.pits
    widths = {"pits": n, "stores": 2, "mover": 1, "played": 1, "events": 1}
    widths |= {name: width for name, (_, width) in _kept(rules).items()}
    if rules.offers_directions:
        widths["way"] = 1
    begins = [0, *accumulate(widths.values())]
    return dict(zip([*widths, "width"], begins, strict=True))


def _kept(rules: Ruleset) -> dict[str, tuple[int, int]]:
    """Where in a position the fields begin that are shown besides, and how many numbers each has."""
    n = rules.board.pits
    widths = {"owner": n, "marks": n, "removed": 1, "match": layout.TALLY + 2, "memory": n, "reserve": 2, "debt": 1,
              "closed": n}  # fmt: skip
    return {name: (rules.fields[name], width) for name, width in widths.items() if name in rules.fields}
