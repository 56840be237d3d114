"""Learn an evaluation for the compiled search: ``mancala train evaluation --rules oware``.

A search plays games with itself; its evaluation learns what it expects of the positions met and how games ended, and
plays the next round (Baxter, Tridgell and Weaver, "Learning to play chess using temporal differences", Machine Learning
40, 2000). Weights are written as whole numbers (``agents.search.evaluation``), by which search needs no torch."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from agents import make_agent
from agents.batched.games import play_batched
from agents.batched.kernel import Turns
from agents.batched.players import Player as BatchedPlayer
from agents.search import MinimaxAgent, Searcher, learned
from agents.search.evaluation import SEEDS, Evaluation, most_rows, most_weight, quantised, row_count, rows_of
from agents.zoo import EVALUATION
from mancala_env.checks import shown
from mancala_env.kernels import layout
from mancala_env.kernels.scores import WIN
from mancala_env.rules import Goal, Match, Ruleset
from training.checkpoint import Arrays, Checkpoint
from training.cli import setting
from training.command import Command
from training.run import Diverged
from training.settings import GameSettings
from training.trainer import Algorithm, Task

FIRST_STEPS = 400  # gradient steps at least in the first round, which begins with random weights
_LIMITS = ("nodes", "time", "depth")


@dataclass(frozen=True)
class EvaluationConfig(GameSettings):
    """Learn an evaluation of positions for the compiled search, then score the search with it."""

    SUFFIX = "-evaluation"
    WEIGHTS = EVALUATION
    UNIT = "rounds"

    rounds: int = setting(60, "rounds of self-play and learning", 1)
    width: int = setting(64, f"units of the hidden layer, a multiple of {learned.LANES}", learned.LANES, 1024)
    games: int = setting(2000, "games in a round", 1)
    depth: int = setting(4, "plies that the search of self-play looks ahead", 1, 64)
    random_share: float = setting(0.1, "share of random moves after the opening of a game", 0, 1)
    game_opening_plies: int = setting(12, "maximum number of random plies at the start of each game of training", 0)
    result_share: float = setting(0.3, "share of the result in the target; the search's value is the rest", 0, 1)
    memory: int = setting(1_500_000, "positions that are kept to learn from; the oldest go first", 1)
    passes: float = setting(3.0, "how often each position is learnt from, on average", 0)
    batch_size: int = setting(1024, "positions in a gradient step", 2)
    learning_rate: float = setting(2e-3, "of Adam, at the start; it falls along a cosine", 0, 1)
    final_learning_rate: float = setting(5e-5, "of Adam, at the end", 0, 1)
    save_every: int = setting(5, "rounds between two saves of the weights and the checkpoint", 1, free=True)
    limit: str = setting("nodes=20000", "of a move of the search, while training: nodes= or time=", free=True)
    curve_opponents: tuple[str, ...] = setting(("minimax:nodes=20000",), "scored against while training", free=True)
    final_limit: str = setting("time=0.02", "of a move of the search, at the end: nodes= or time=", free=True)
    opponents: tuple[str, ...] = setting(("minimax:time=0.02",), "scored against at the end", free=True)
    pairs: int = setting(25, "pairs of games against each of them; 0: no scoring", 0, free=True)
    opening_plies: int = setting(8, "random plies at the start of each pair", 0, free=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ruleset.match is not Match.NONE:
            raise ValueError(
                f"a search looks ahead in the game in progress, and {self.ruleset.name} is a match of several: learn "
                "an evaluation of the single game"
            )
        if self.width % learned.LANES:
            raise ValueError(f"width must be a multiple of {learned.LANES}, not {self.width}")
        for name in ("limit", "final_limit"):
            limit = getattr(self, name)
            if limit.partition("=")[0] not in _LIMITS or "," in limit:
                raise ValueError(f"{name} must be nodes=20000, say, or time=0.02 (seconds), not {shown(limit)}")
            limits_of(limit)


def limits_of(limit: str) -> dict[str, Any]:
    """The limits of a ``MinimaxAgent`` that a setting names, as ``nodes=20000``. Raises ValueError if it cannot be."""
    limits: dict[str, Any] = make_agent(f"minimax:{limit}").limits  # type: ignore[attr-defined]
    return limits


class LearnedEvaluation(Algorithm):
    """Rounds of games by a shallow search with itself, and gradient steps on the positions kept of them. ``evaluation``
    is what the next round is played with; None before the first, which is played with the margin."""

    COMMAND = "mancala train evaluation"
    SETTINGS = EvaluationConfig
    TAKES = frozenset()
    SHOWN = (("train/positions", "{:,.0f} positions"), ("train/loss", "loss {:.4f}"))

    def __init__(self, task: Task, start: Checkpoint | None) -> None:
        super().__init__(task, start)
        config, rules = self.config, self.config.ruleset
        torch.manual_seed(config.seeds[0])
        self.network = EvaluationModule(rules, config.width)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate)
        self.random = np.random.default_rng(config.seeds[1])
        self.evaluation: Evaluation | None = None
        self.positions = 0
        kind = np.uint16 if row_count(rules)[1] < 1 << 16 else np.int32
        self._rows: Any = np.zeros((config.memory, most_rows(rules)), dtype=kind)
        self._targets = np.zeros(config.memory, dtype=np.float32)

    @staticmethod
    def device(device: str | torch.device) -> torch.device:
        """The CPU: a network this small gains nothing elsewhere. Raises ValueError if another is asked for."""
        if str(device) not in ("auto", "cpu"):
            raise ValueError(f"an evaluation is learnt on the CPU (auto or cpu), not on {device!r}")
        return torch.device("cpu")

    def round(self, seconds: float) -> dict[str, float]:
        """Play a round and learn from it."""
        config, rules = self.config, self.config.ruleset
        player = Player(config, self.evaluation, self.random)
        rows, searched, ended = play_and_note(player, int(self.random.integers(1 << 31)))
        new = len(rows)
        places = (self.positions + np.arange(new)) % config.memory
        self._rows[places] = rows_of(rules, rows)
        mixed = (1.0 - config.result_share) * searched + config.result_share * ended
        self._targets[places] = (mixed / (SEEDS if rules.goal is Goal.SEEDS else 1.0)).astype(np.float32)
        self.positions += new
        part = min(self.steps / config.rounds, 1.0)
        rate = config.final_learning_rate + (config.learning_rate - config.final_learning_rate) * (
            0.5 + 0.5 * math.cos(math.pi * part)
        )
        loss = self._learn(rate, max(round(config.passes * new / config.batch_size), 0 if self.steps else FIRST_STEPS))
        self.steps += 1
        self.evaluation = self.network.to_evaluation()
        return {"train/loss": loss, "train/learning_rate": rate, "train/positions": float(self.positions)}

    def _learn(self, rate: float, steps: int) -> float:
        """Gradient steps; the mean loss, in squares of what 1 is to the module."""
        self.set_rate(rate)
        kept, total = min(self.positions, self.config.memory), 0.0
        for _ in range(steps):
            chosen = self.random.integers(kept, size=self.config.batch_size)
            told = self.network(torch.from_numpy(self._rows[chosen].astype(np.int32)))
            loss = functional.mse_loss(told, torch.from_numpy(self._targets[chosen]))
            self.descend(loss)
            self.network.clip()
            total += loss.item()
        if not math.isfinite(total):
            raise Diverged(f"the loss of round {self.steps + 1:,} is not finite")
        return total / max(steps, 1)

    def snapshot(self) -> tuple[dict[str, Any], Arrays]:
        """The positions kept, and the generator."""
        kept = min(self.positions, self.config.memory)
        arrays = {"rows": self._rows[:kept].copy(), "targets": self._targets[:kept].copy()}
        return {"positions": self.positions, "random": self.random.bit_generator.state}, arrays

    def restore(self, header: Mapping[str, Any], arrays: Arrays) -> None:
        """Go on from a ``snapshot``."""
        self.positions, rows = int(header["positions"]), arrays["rows"]
        if rows.max(initial=0) > row_count(self.config.ruleset)[1] or rows.min(initial=0) < 0:
            raise ValueError("it has rows that there are not")
        kept = min(self.positions, self.config.memory)
        self._rows[:kept], self._targets[:kept] = rows, arrays["targets"]
        self.random.bit_generator.state = header["random"]
        self.evaluation = self.network.to_evaluation() if self.steps else None

    def learnt(self) -> Evaluation:
        """The weights as whole numbers."""
        return self.evaluation or self.network.to_evaluation()  # stopped before its first round

    def player(self, name: str, last: bool) -> MinimaxAgent | None:
        """A search with the evaluation, within the limits of the settings."""
        if not last and self.evaluation is None:
            return None
        limit = self.config.final_limit if last else self.config.limit
        name = f"minimax:{limit},evaluation={self.config.folder}"
        return MinimaxAgent(**limits_of(limit), evaluation=self.learnt(), name=name)

    def trained(self) -> dict[str, Any]:
        """The positions learnt from."""
        return {"positions": self.positions}

    def described(self) -> dict[str, Any]:
        """The entry of the model card about the network."""
        found = self.learnt()
        kind = "one hidden layer over counts of seeds, whole numbers"
        sizes = {"width": len(found.second), "rows": len(found.first), "clipped_at": learned.ONE}
        return {"network": {"kind": kind, **sizes}}

    def measured(self) -> dict[str, Any]:
        """Nothing: a search takes the time that it is given."""
        return {}


# --- the network ----------------------------------------------------------------------------------------------------


class EvaluationModule(nn.Module):
    """What ``learned.expected`` computes, in floats; ``width`` units, a multiple of 32."""

    def __init__(self, rules: Ruleset, width: int) -> None:
        super().__init__()
        self.rules = rules
        rows = row_count(rules)[1]
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
        most = most_weight(self.rules)
        self.first.weight.clamp_(-most, most)

    def to_evaluation(self) -> Evaluation:
        """In whole numbers."""
        first, second = self.first.weight[:-1].detach().numpy(), self.second.weight[0].detach().numpy()
        return quantised(self.rules, first, second, float(self.second.bias.detach()))


# --- the games ------------------------------------------------------------------------------------------------------


class Player(BatchedPlayer):
    """A search that notes all positions it is asked about and what it expects; some of its moves are random.
    ``evaluation`` None: the margin."""

    name = "search"

    def __init__(self, config: EvaluationConfig, evaluation: Evaluation | None, random: np.random.Generator) -> None:
        self._searcher = Searcher(config.ruleset, evaluate=evaluation)
        self.config, self.learned, self._random = config, evaluation is not None, random
        self._left: npt.NDArray[np.int64] | None = None  # random plies of each game that are still to come
        self.noted: list[tuple[Any, Any, Any]] = []

    def _act_in(self, rules: Ruleset, turns: Turns) -> npt.NDArray[np.int64]:
        games, positions, masks, _, streams = turns
        if self._left is None:
            self._left = self._random.integers(self.config.game_opening_plies + 1, size=len(positions))
        opening = self._left[games] > 0
        self._left[games] -= 1
        drawn = np.where(masks[games], self._random.random((len(games), masks.shape[1])), -1.0).argmax(axis=1)
        actions, later = drawn.copy(), np.flatnonzero(~opening)
        if len(later):
            met = games[later]
            own = streams[later]
            asked = turns._replace(games=met, streams=own)
            actions[later], values = self._searcher.best_of_each(asked, self.config.depth)
            streams[later] = own
            self.noted.append((met, positions[met].copy(), values.astype(np.float32)))
            at_random = later[self._random.random(len(later)) < self.config.random_share]
            actions[at_random] = drawn[at_random]
        return actions


def play_and_note(player: Player, seed: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Play ``config.games`` games to their ends; returns all positions after their random openings, int16[n, W]; what
    the search expects for the mover, float32[n], in games about seeds the margin of the seeds on the board, in others
    the chance to win minus that to lose; and the same as the game ended, float32[n]."""
    rules, games = player.config.ruleset, player.config.games
    seeds = np.random.SeedSequence(seed).generate_state(2 * games, np.uint32).astype(np.int64).reshape(games, 2)
    played = play_batched(rules, [rules.start()] * games, (player, player), np.zeros(games, dtype=np.int64), seeds)
    if not player.noted:
        raise ValueError(f"every game of {rules.name} ended in its opening: give fewer game_opening_plies")
    game, arrays, values = (np.concatenate(parts) for parts in zip(*player.noted, strict=True))
    pits = rules.board.pits
    sign = np.where(arrays[:, pits + layout.MOVER] == 0, 1.0, -1.0)
    if rules.goal is not Goal.SEEDS:
        ended = (sign * played.leads[game]).astype(np.float32)
        if not player.learned:  # a heuristic says no chances, only what is certain
            values = np.where(np.abs(values) > WIN / 4, np.sign(values), ended)
        return arrays, values.astype(np.float32), ended
    stores = arrays[:, pits + layout.STORES : pits + layout.STORES + 2].astype(np.float64)
    lead = sign * (stores[:, 0] - stores[:, 1])
    margin = (played.scores[:, 0].astype(np.float64) - played.scores[:, 1])[game] / 2
    return arrays, (values - lead).astype(np.float32), (sign * margin - lead).astype(np.float32)


train = LearnedEvaluation.train
main = Command(LearnedEvaluation.COMMAND, EvaluationConfig, train, ("rounds",), device="the CPU: auto or cpu")


if __name__ == "__main__":
    main()
