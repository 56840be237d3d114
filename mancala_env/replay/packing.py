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

BLOCK = 4096  # positions that are packed together: a page unpacks only the block of the game it shows


class Packer:
    """Collects positions of games: differences between neighbours, in blocks, deflated."""

    def __init__(self) -> None:
        self._known: list[Ruleset] = []
        self._open: dict[int, _Block] = {}  # the block of each board that takes more positions
        self._blocks: list[list[Any]] = []

    def add(
        self,
        rules: Ruleset,
        positions: npt.NDArray[np.int16],
        events: Sequence[npt.NDArray[np.int16]],
        texts: Sequence[str],
    ) -> list[int]:
        """Take the positions of a game; returns where they are: board, block, the first in the block, how many."""
        if rules not in self._known:
            self._known.append(rules)
        board = self._known.index(rules)
        if board not in self._open:
            self._open[board] = _Block(len(self._blocks), [], [], [])
            self._blocks.append([])
        block = self._open[board]
        first = sum(map(len, block.positions))
        block.positions.append(positions)
        block.events.extend(events)
        block.texts.extend(texts)
        if first + len(positions) >= BLOCK:
            self._close(board)
        return [board, block.number, first, len(positions)]

    def packed(self) -> dict[str, Any]:
        """All that was added, as ``player.js`` reads it: of a block its numbers of positions and events, and these."""
        for board in list(self._open):
            self._close(board)
        return {"boards": packed_json([*map(board_spec, self._known)]), "blocks": self._blocks}

    def _close(self, board: int) -> None:
        block = self._open.pop(board)
        positions, events = np.concatenate(block.positions), np.concatenate(block.events)
        packed = [packed_table(positions), packed_table(events), packed_json(block.texts)]
        self._blocks[block.number] = [len(positions), len(events), *packed]


class _Block(NamedTuple):
    number: int
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
