"""The evaluation as a torch module, which learns in floats, and the whole numbers made of it."""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from agents.search import learned
from agents.search.evaluation import Evaluation, most_rows, row_count
from mancala_env.rules import Goal, Ruleset

SEEDS = 10.0  # what 1 is in the output of the module, in games about seeds
MOST_SUM = 60_000  # of the magnitudes of the second layer, so that sums fit 32 bits


class Module(nn.Module):
    """What ``learned.expected`` computes, in floats.

    Parameters
    ----------
    rules : Ruleset
    width : int
        Units, a multiple of 32.
    """

    def __init__(self, rules: Ruleset, width: int) -> None:
        super().__init__()
        self.rules = rules
        rows = row_count(rules)[1]
        self.added = most_rows(rules)
        self.first = nn.EmbeddingBag(rows + 1, width, mode="sum", padding_idx=rows)
        self.second = nn.Linear(width, 1)
        with torch.no_grad():
            self.first.weight.normal_(0.0, 0.3 / rules.board.pits**0.5)
            self.first.weight[0].fill_(0.4)
            self.first.weight[rows].zero_()
            self.second.weight.normal_(0.0, 0.05)
            self.second.bias.zero_()

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """float32[n] of int32[n, m]: the rows of each position (``evaluation.rows_of``)."""
        units = self.first(rows).clamp(0.0, 1.0)
        out: torch.Tensor = self.second(units * units).squeeze(-1)
        return out

    @torch.no_grad()
    def clip(self) -> None:
        """Keep weights so small that whole numbers of 16 bits can hold the sums of a unit."""
        most = (np.iinfo(np.int16).max / self.added - 1) / learned.ONE  # 1: more than rounding adds
        self.first.weight.clamp_(-most, most)

    def to_evaluation(self) -> Evaluation:
        """In whole numbers."""
        first = self.first.weight[:-1].detach().double().numpy() * learned.ONE
        second = self.second.weight[0].detach().double().numpy()
        scale = min(
            MOST_SUM / max(np.abs(second).sum(), 1e-9), np.iinfo(np.int16).max / max(np.abs(second).max(), 1e-9)
        )
        about_seeds = self.rules.goal is Goal.SEEDS
        one = SEEDS * 2 * learned.UNIT if about_seeds else float(learned.SURE)
        return Evaluation(
            self.rules,
            np.rint(first).astype(np.int16),
            np.rint(second * scale).astype(np.int16),
            round(one * 2**learned.SHIFT / (learned.ONE**2 * scale)),
            round(one * float(self.second.bias.detach())),
        )


def targets(
    rules: Ruleset, searched: npt.NDArray[np.float32], ended: npt.NDArray[np.float32], result_share: float
) -> npt.NDArray[Any]:
    """float32[n]: what the module is to say."""
    mixed = (1.0 - result_share) * searched + result_share * ended
    return (mixed / (SEEDS if rules.goal is Goal.SEEDS else 1.0)).astype(np.float32)
