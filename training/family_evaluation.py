"""Learn one evaluation for the compiled search of all games: ``mancala train family-evaluation --split full``.

As ``training.evaluation``, but the network writes the weights for each ruleset (``agents.search.family``): in each
round a shallow search plays games of every ruleset with itself, and the network learns what it expected of the
positions met, and how games ended."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from agents.search.evaluation import SEEDS, rows_of
from agents.search.family import FILE_NAME, FamilyEvaluation, Seen, generate, plays, see, shapes
from mancala_env.rules import Ruleset
from training.checkpoint import Checkpoint
from training.cli import setting
from training.command import Command
from training.evaluation import EvaluationConfig, LearnedEvaluation, Player, play_and_note
from training.family import GamesSettings
from training.run import Diverged
from training.trainer import Algorithm, Task

_AT_ONCE = 4  # rulesets in a gradient step
_WARM_UP = 300  # gradient steps in which the learning rate rises
_INSIDE = 0.05  # weight of the loss that keeps units where they learn, between empty and full


@dataclass(frozen=True)
class FamilyEvaluationConfig(GamesSettings):
    """Learn an evaluation that reads rules, for the compiled search, from many games about seeds at once."""

    WEIGHTS = FILE_NAME
    UNIT = "rounds"

    out: str = setting("runs/family-evaluation", "folder of the run", free=True)
    save_every: int = setting(1, "rounds between two saves of the weights", 1, free=True)
    rounds: int = setting(2, "rounds of self-play and learning, the first by the margin", 1)
    played: int = setting(500, "games of each ruleset in a round", 1)
    depth: int = setting(3, "plies that the search of self-play looks ahead", 1, 64)
    result_share: float = setting(0.5, "share of the result in the target; the search's value is the rest", 0, 1)
    steps: int = setting(500, "gradient steps in a round that look at a ruleset, on average", 1)
    batch_size: int = setting(512, "positions of each ruleset in a gradient step", 2)
    learning_rate: float = setting(2e-3, "of Adam, at the start of a round; it falls along a cosine", 0, 1)
    blind: bool = setting(False, "see nothing of the rules but the board, for comparison")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.rulesets():
            raise ValueError("none of these is a single game of two players about seeds")

    def rulesets(self) -> list[Ruleset]:
        """The games to learn from: those about seeds."""
        return [*filter(plays, super().rulesets())]


class Game:
    """Positions of a game, and what they were worth."""

    def __init__(
        self, config: FamilyEvaluationConfig, rules: Ruleset, learned: FamilyEvaluation | None, seed: int
    ) -> None:
        self.rules, self.random = rules, np.random.default_rng(seed)
        self.seen = Seen(*map(torch.from_numpy, see(rules)))
        settings = EvaluationConfig(rules=rules, depth=config.depth, games=config.played, pairs=0, curve_every=0)
        player = Player(settings, None if learned is None else learned.of(rules), self.random)
        positions, searched, ended = play_and_note(player, seed)
        self.rows = rows_of(rules, positions)
        mixed = (1.0 - config.result_share) * searched + config.result_share * ended
        self.targets = (mixed / SEEDS).astype(np.float32)
        self.spread = float(self.targets.var()) + 1e-3

    def loss(self, weights: dict[str, torch.Tensor], size: int) -> torch.Tensor:
        """The mean square of what is wrong about some of the positions, as a share of the spread of all; and, times
        ``_INSIDE``, of how far units are beyond empty or full, where nothing moves them any more."""
        chosen = self.random.integers(len(self.rows), size=size)
        always, first, second, constant = generate(weights, self.seen, self.rules.board.pits)
        layer = torch.cat([always[None], first, first.new_zeros(1, first.shape[1])])  # the last stands for no row
        rows = torch.from_numpy(self.rows[chosen])
        sums = functional.embedding_bag(rows, layer, mode="sum")
        units = sums.clamp(0.0, 1.0)
        told = (units * units) @ second + constant
        wrong = functional.mse_loss(told, torch.from_numpy(self.targets[chosen])) / self.spread
        return wrong + _INSIDE * functional.mse_loss(sums, units.detach())


def first_weights(random: np.random.Generator) -> dict[str, npt.NDArray[np.float32]]:
    """Random weights, by which about half of the units are neither empty nor full."""
    sizes = {**dict.fromkeys(("field", "word", "low", "high", "at"), 0.3), "row": 0.2, "first": 0.02, "always": 0.05,
             "second": 0.05, "second_of_rules": 0.05}  # fmt: skip
    made = {}
    for name, shape in shapes().items():
        zero = name.endswith("bias") or name == "constant"
        size = 0.0 if zero else sizes.get(name, (2.0 / shape[0]) ** 0.5)
        made[name] = random.normal(0.0, size, shape).astype(np.float32)
    made["always_bias"] += 0.4
    return made


class FamilyEvaluationLearner(Algorithm):
    """Rounds of games, the first by the margin, and of gradient steps, each round with an optimizer of its own."""

    config: FamilyEvaluationConfig
    COMMAND = "mancala train family-evaluation"
    SETTINGS = FamilyEvaluationConfig
    TAKES = frozenset()
    SHOWN = (("train/loss", "loss {:.4f}"),)
    device = staticmethod(LearnedEvaluation.device)

    def __init__(self, task: Task, start: Checkpoint | None) -> None:
        super().__init__(task, start)
        self.rulesets = self.config.rulesets()
        first = first_weights(np.random.default_rng([self.config.seed, 0]))
        self.network = torch.nn.ParameterDict({name: torch.from_numpy(array) for name, array in first.items()})
        if self.config.blind:  # nothing of what the lines of the rules say comes through, in play neither
            self.network["line"].requires_grad_(False).zero_()
        self.optimizer = torch.optim.Adam(self.network.parameters())

    def round(self, seconds: float) -> dict[str, float]:
        """A round; the mean loss of its last tenth."""
        config, rulesets, weights = self.config, self.rulesets, dict(self.network.items())
        learned = self.learnt() if self.steps else None
        seeds = np.random.SeedSequence([config.seed, self.steps]).generate_state(len(rulesets) + 1).tolist()
        random = np.random.default_rng(seeds[0])
        steps = max(config.steps * len(rulesets) // _AT_ONCE, 1)
        whole = len(rulesets) + steps / 100  # parts that the progress counts alike: a ruleset's games, a hundred steps
        games: list[Game] = []
        for rules, seed in zip(rulesets, seeds[1:], strict=True):
            games.append(Game(config, rules, learned, seed))
            self.progress(self.steps + len(games) / whole)
        self.optimizer, losses = torch.optim.Adam(self.network.parameters()), list[float]()
        for k in range(steps):
            rising, falling = min(1.0, (k + 1) / _WARM_UP), 0.5 + 0.5 * math.cos(math.pi * k / steps)
            self.set_rate(config.learning_rate * rising * falling)
            chosen = random.integers(len(games), size=_AT_ONCE)
            loss = torch.stack([games[each].loss(weights, config.batch_size) for each in chosen]).mean()
            self.descend(loss, 1.0)
            losses.append(loss.item())
            self.progress(self.steps + (len(games) + k / 100) / whole)
            if not math.isfinite(losses[-1]):
                raise Diverged(f"the loss of round {self.steps + 1} is not finite")
        self.steps += 1
        return {"train/loss": float(np.mean(losses[-max(steps // 10, 1) :]))}

    def learnt(self) -> FamilyEvaluation:
        """The evaluation."""
        return FamilyEvaluation({name: tensor.detach().numpy().copy() for name, tensor in self.network.items()})


train = FamilyEvaluationLearner.train
main = Command(
    FamilyEvaluationLearner.COMMAND, FamilyEvaluationConfig, train, ("rounds",), device="the CPU: auto or cpu"
)
