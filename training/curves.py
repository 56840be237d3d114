"""The curves of a run as TensorBoard reads them, written so that a full disk only delays them."""

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.logger import KVWriter
from torch.utils.tensorboard import SummaryWriter

ROOM = 1 << 16  # bytes that must be free before points are written, far more than those of one rollout


class Curves(KVWriter):
    """Writes scalars as TensorBoard reads them; points that a full disk does not take wait, after one call of ``warn``,
    until there is room. A file begins by declaring all points from its ``first`` step on void: those of a killed run
    after its checkpoint are written again."""

    def __init__(self, folder: Path, first: int, warn: Callable[[str], None]) -> None:
        self._folder, self._first, self._warn = folder, first, warn
        self._writer: SummaryWriter | None = None
        self._waiting: list[tuple[int, float, dict[str, float]]] = []  # step, time, values by name
        self._warned = False

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Write the numbers that belong to a step."""
        values = {
            name: float(value)
            for name, value in sorted(key_values.items())
            if "tensorboard" not in (key_excluded.get(name) or ()) and isinstance(value, int | float | np.number)
        }
        self._waiting.append((step, time.time(), values))
        try:
            self._write()
        except OSError as error:
            if not self._warned:
                self._warn(f"curves could not be written ({error.strerror or error}); they wait until there is room")
            self._warned = True
            self.close()
        else:
            self._waiting.clear()
            self._warned = False

    def _write(self) -> None:
        self._find_room()
        if self._writer is None:
            self._writer = self._new_file()
        for step, when, values in self._waiting:
            for name, value in values.items():
                self._writer.add_scalar(name, value, step, when)
        self._writer.flush()
        self._first = self._waiting[-1][0] + 1

    def _find_room(self) -> None:
        """Raise OSError if nothing can be written: the writer has a thread of its own, which tells too late."""
        self._folder.mkdir(parents=True, exist_ok=True)
        probe = self._folder / ".room"
        try:
            probe.write_bytes(bytes(ROOM))
        finally:
            probe.unlink(missing_ok=True)

    def _new_file(self) -> SummaryWriter:
        """A writer whose file is read after those that are there: their names tell the second that they are from."""
        while any(self._folder.glob(f"*tfevents.{int(time.time()):010d}.*")):
            time.sleep(0.05)
        return SummaryWriter(str(self._folder), purge_step=self._first)

    def close(self) -> None:
        """Close the file; a later point begins a new one."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            with contextlib.suppress(OSError):  # points that it could not write wait, too
                writer.close()
