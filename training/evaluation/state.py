"""What an evaluation learns from and with: the module, its optimizer, the positions kept, and all that is drawn."""

import math
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from agents.search.evaluation import Evaluation, most_rows, row_count, rows_of
from training.checkpoint import Arrays, adam_arrays, copied, fill, fitting, restore_adam
from training.evaluation.config import EvaluationConfig
from training.evaluation.learning import Module, targets
from training.evaluation.selfplay import Player, play_and_note
from training.run import Diverged

FIRST_STEPS = 400  # gradient steps at least in the first round, which begins with random weights


class Learning:
    """A run between two rounds.

    Parameters
    ----------
    config : EvaluationConfig

    Attributes
    ----------
    module : Module
    rounds, positions : int
        So far.
    evaluation : Evaluation or None
        What the next round is played with; None before the first, which is played with the margin.
    """

    def __init__(self, config: EvaluationConfig) -> None:
        self.config = config
        rules = config.ruleset
        weights_seed, drawn_seed, _ = config.seeds()
        torch.manual_seed(weights_seed)
        self.module = Module(rules, config.width)
        self.optimizer = torch.optim.Adam(self.module.parameters(), lr=config.learning_rate)
        self.random = np.random.default_rng(drawn_seed)
        self.evaluation: Evaluation | None = None
        self.rounds = self.positions = 0
        kind = np.uint16 if row_count(rules)[1] < 1 << 16 else np.int32
        self._rows: Any = np.zeros((config.memory, most_rows(rules)), dtype=kind)
        self._targets = np.zeros(config.memory, dtype=np.float32)

    def round(self) -> dict[str, float]:
        """Play a round and learn from it; returns the numbers of the curves."""
        config, rules = self.config, self.config.ruleset
        player = Player(
            rules, self.evaluation, config.depth, config.game_opening_plies, config.random_share, self.random
        )
        noted = play_and_note(player, rules, config.games, int(self.random.integers(1 << 31)))
        new = len(noted.arrays)
        places = (self.positions + np.arange(new)) % config.memory
        self._rows[places] = rows_of(rules, noted.arrays)
        self._targets[places] = targets(rules, noted.searched, noted.ended, config.result_share)
        self.positions += new
        part = min(self.rounds / config.rounds, 1.0)
        rate = config.final_learning_rate + (config.learning_rate - config.final_learning_rate) * (
            0.5 + 0.5 * math.cos(math.pi * part)
        )
        loss = self._learn(rate, max(round(config.passes * new / config.batch_size), 0 if self.rounds else FIRST_STEPS))
        self.rounds += 1
        self.evaluation = self.module.to_evaluation()
        return {"train/loss": loss, "train/learning_rate": rate, "train/positions": float(self.positions)}

    def _learn(self, rate: float, steps: int) -> float:
        """Gradient steps; the mean loss, in squares of what 1 is to the module."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        kept, total = min(self.positions, self.config.memory), 0.0
        for _ in range(steps):
            chosen = self.random.integers(kept, size=self.config.batch_size)
            told = self.module(torch.from_numpy(self._rows[chosen].astype(np.int32)))
            loss = functional.mse_loss(told, torch.from_numpy(self._targets[chosen]))
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            self.module.clip()
            total += loss.item()
        if not math.isfinite(total):
            raise Diverged(
                f"training diverged: the loss of round {self.rounds + 1:,} is not finite, most likely because "
                f"learning_rate {self.config.learning_rate} is too high: train anew with a lower one"
            )
        return total / max(steps, 1)

    def snapshot(self) -> tuple[dict[str, Any], Arrays]:
        """Header entries and arrays of a checkpoint."""
        kept = min(self.positions, self.config.memory)
        arrays = {f"module.{name}": copied(weights) for name, weights in self.module.state_dict().items()}
        arrays |= adam_arrays(self.optimizer)
        arrays |= {"rows": self._rows[:kept].copy(), "targets": self._targets[:kept].copy()}
        return {"positions": self.positions, "random": self.random.bit_generator.state}, arrays

    def restore(self, header: dict[str, Any], arrays: Arrays) -> None:
        """Go on from a ``snapshot``. Raises CheckpointError if it does not fit."""
        with fitting():
            for name, weights in self.module.state_dict().items():
                fill(weights, arrays[f"module.{name}"])
            restore_adam(self.optimizer, arrays)
            self.positions = int(header["positions"])
            kept = min(self.positions, self.config.memory)
            rows = arrays["rows"]
            if rows.max(initial=0) > row_count(self.config.ruleset)[1] or rows.min(initial=0) < 0:
                raise ValueError("it has rows that there are not")
            self._rows[:kept], self._targets[:kept] = rows, arrays["targets"]
            self.random.bit_generator.state = header["random"]
            self.rounds = int(header["steps"])
            self.evaluation = self.module.to_evaluation() if self.rounds else None
