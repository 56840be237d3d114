"""What may watch a training run: callbacks of one's own, and one that writes a log."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import nn


@dataclass
class Run:
    """A run in progress, as callbacks see it; callbacks must not change its ``network``. ``settings`` is the config as
    plain data, ``unit`` what ``steps`` counts: "steps" (of PPO: decisions of the learner), or "rounds"."""

    folder: Path
    settings: Mapping[str, Any]
    network: nn.Module
    unit: str
    steps: int = 0
    seconds: float = 0.0
    stopping: bool = field(default=False, repr=False)

    def stop(self) -> None:
        """End the training before its next rollout or round, as Ctrl-C does: the run is saved and can go on."""
        self.stopping = True


class Callback:
    """Watches a run. Derive from it and define what you need; all that it raises ends the run."""

    def on_start(self, run: Run) -> None:
        """Before the first rollout or round of this process."""

    def on_numbers(self, run: Run, numbers: Mapping[str, float]) -> None:
        """After each rollout or round: the numbers of the curves, such as ``train/loss`` and ``against/random``."""

    def on_end(self, run: Run) -> None:
        """At the end, when the policy is written and scored; also if the training was stopped, or failed."""


class JsonlLog(Callback):
    """Writes a line of JSON for each rollout or round, its steps, the seconds so far, and its numbers, to ``log.jsonl``
    in the folder of the run. One that goes on from a checkpoint drops the lines after it, which are written again."""

    def on_start(self, run: Run) -> None:
        """Drop the lines after the checkpoint."""
        self.path = run.folder / "log.jsonl"
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() and run.steps else []
        kept = [line for line in lines if _steps_of(line, run.unit) <= run.steps]
        self.path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")

    def on_numbers(self, run: Run, numbers: Mapping[str, float]) -> None:
        """Write a line."""
        line = json.dumps({run.unit: run.steps, "seconds": round(run.seconds, 3), **numbers})
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(self.path)) from error


def _steps_of(line: str, unit: str) -> float:
    """The steps of a line; infinite for one that was cut."""
    try:
        return float(json.loads(line)[unit])
    except (ValueError, KeyError, TypeError):
        return float("inf")
