"""Games as tables of numbers, their positions and the events of their moves, packed small for pages that hold many."""

import base64
import json
import zlib
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mancala_env.kernels import layout
from mancala_env.replay.board import board_spec, kept_parts
from mancala_env.rules import Ruleset
from mancala_env.state import State
from mancala_env.trace import KINDS, EventKind, Trace

Table: TypeAlias = npt.NDArray[np.int16]
SHOWN = (EventKind.LIFT, EventKind.SOW, EventKind.LOSE, EventKind.REAP, EventKind.LAY, EventKind.TAKE, EventKind.CARRY,
         EventKind.BRING)  # fmt: skip
MOST_EVENTS = 10_000  # a move of more is shown as its position alone
PASS = NO_DIRECTION = -1  # where a pit, and where a direction, would be written of a move
NO_MOVE = (-2, NO_DIRECTION)  # before the first move
NO_EVENTS = np.zeros((0, 4), dtype=np.int16)
_NUMBERS = {kind: KINDS.index(kind) for kind in SHOWN}


def event_table(trace: Trace) -> Table:
    """int16[n, 4]: the events of a move, as far as they are shown: each its kind (an index into
    ``mancala_env.trace.KINDS``), source, target (-1: none) and seeds."""
    events = [
        (_NUMBERS[kind], -1 if source is None else source, -1 if target is None else target, seeds)
        for kind, source, target, seeds, _ in trace.events
        if kind in _NUMBERS
    ]
    return np.array(events if len(events) <= MOST_EVENTS else [], dtype=np.int16).reshape(-1, 4)


def move_of(state: State, action: int) -> tuple[int, int]:
    """The pit that an action plays (or ``PASS``), and the direction (or ``NO_DIRECTION``)."""
    pit, direction = state.pit(action), state.rules.direction_of(state.player, action)
    return PASS if pit is None else pit, NO_DIRECTION if direction is None else direction


def position_table(
    rules: Ruleset, positions: Table, moves: Sequence[tuple[int, int]], events: Sequence[Table]
) -> Table:
    """int16[n, columns] of positions int16[n, W], as ``columns`` names them: the pits, the stores of South and North,
    the mover, the pit that was played to get there (``NO_MOVE``, ``move_of``), the number of events (``event_table``)
    that lead there, what else the game keeps, and, where there is a choice of direction, which was played."""
    n = rules.board.pits
    kept = [positions[:, at : at + width] for at, width in kept_parts(rules).values()]
    of_moves = np.array([(pit, len(each)) for (pit, _), each in zip(moves, events, strict=True)], dtype=np.int16)
    named = [np.array([[direction] for _, direction in moves], dtype=np.int16)] if rules.offers_directions else []
    return np.hstack([positions[:, : n + layout.MOVER + 1], of_moves, *kept, *named])


class Packer:
    """Collects positions of games for a page: those of a board together, differences between neighbours, deflated."""

    def __init__(self) -> None:
        self._blocks: dict[Ruleset, tuple[list[Table], list[Table], list[str]]] = {}

    def add(self, rules: Ruleset, positions: Table, events: Sequence[Table], texts: Sequence[str]) -> list[int]:
        """Take the positions of a game; returns where they are: board, the first of them, how many."""
        tables, happened, told = self._blocks.setdefault(rules, ([], [], []))
        first = len(told)
        tables.append(positions)
        happened.extend(events)
        told.extend(texts)
        return [[*self._blocks].index(rules), first, len(positions)]

    def packed(self) -> dict[str, Any]:
        """All that was added, as ``player.js`` reads it: of each board how many positions and events, and these."""
        blocks = []
        for tables, happened, told in self._blocks.values():
            positions, events = np.concatenate(tables), np.concatenate(happened)
            packed = [packed_table(positions), packed_table(events), packed_json(told)]
            blocks.append([len(positions), len(events), *packed])
        return {"boards": packed_json([*map(board_spec, self._blocks)]), "blocks": blocks}


def packed_table(table: Table) -> str:
    """A table as text: differences from line to line, signs folded in, low bytes before high ones, deflated, base64."""
    change = np.diff(table.astype(np.int32), axis=0, prepend=0)
    folded = np.where(change < 0, -2 * change - 1, 2 * change).astype("<u2")
    planes = folded.view(np.uint8).reshape(-1, 2).T
    return base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode()


def packed_json(data: Any) -> str:
    """Plain data as text: JSON, deflated, base64."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode()
