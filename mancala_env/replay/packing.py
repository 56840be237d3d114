"""Positions of many games packed small, for pages that hold them all."""

import base64
import json
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env.replay.board import board_spec
from mancala_env.rules import Ruleset


class Packer:
    """Collects positions of games for a page: those of a board together, differences between neighbours, deflated."""

    def __init__(self) -> None:
        self._blocks: dict[Ruleset, _Block] = {}

    def add(
        self,
        rules: Ruleset,
        positions: npt.NDArray[np.int16],
        events: Sequence[npt.NDArray[np.int16]],
        texts: Sequence[str],
    ) -> list[int]:
        """Take the positions of a game; returns where they are: board, the first of them, how many."""
        block = self._blocks.setdefault(rules, _Block([], [], []))
        first = len(block.texts)
        block.positions.append(positions)
        block.events.extend(events)
        block.texts.extend(texts)
        return [[*self._blocks].index(rules), first, len(positions)]

    def packed(self) -> dict[str, Any]:
        """All that was added, as ``player.js`` reads it: of each board how many positions and events, and these."""
        blocks = []
        for block in self._blocks.values():
            positions, events = np.concatenate(block.positions), np.concatenate(block.events)
            packed = [packed_table(positions), packed_table(events), packed_json(block.texts)]
            blocks.append([len(positions), len(events), *packed])
        return {"boards": packed_json([*map(board_spec, self._blocks)]), "blocks": blocks}


class _Block(NamedTuple):
    positions: list[npt.NDArray[np.int16]]
    events: list[npt.NDArray[np.int16]]
    texts: list[str]


def packed_table(table: npt.NDArray[np.int16]) -> str:
    """A table as text: differences from line to line, signs folded in, low bytes before high ones, deflated, base64."""
    change = np.diff(table.astype(np.int32), axis=0, prepend=0)
    folded = np.where(change < 0, -2 * change - 1, 2 * change).astype("<u2")
    planes = folded.view(np.uint8).reshape(-1, 2).T
    return base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode()


def packed_json(data: Any) -> str:
    """Plain data as text: JSON, deflated, base64."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode()
