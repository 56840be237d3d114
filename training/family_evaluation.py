"""Learn one evaluation for the compiled search of all games: ``mancala train family-evaluation --split full``.

As ``training.evaluation``, but the network writes the weights for each ruleset (``agents.search.family``): in each
round a shallow search plays games of every ruleset with itself, and the network learns what it expected of the
positions met, and how games ended. The folder holds ``config.json``, ``curve.jsonl``, and the weights after each round,
from which ``--resume`` goes on as if it had not been stopped."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from agents.family import splits
from agents.locks import only_one
from agents.provenance import provenance, write_json
from agents.search.evaluation import SEEDS, rows_of
from agents.search.family import FILE_NAME, FamilyEvaluation, Seen, generate, plays, see, shapes
from mancala_env.cli import fail
from mancala_env.games import ruleset
from mancala_env.progress import Progress, at_work
from mancala_env.rules import Ruleset
from training.checkpoint import CheckpointError
from training.cli import check_ranges, make_parser, parse, setting
from training.evaluation import EvaluationConfig, Player, play_and_note
from training.run import Diverged

COMMAND = "mancala train family-evaluation"
CONFIG, CURVE = "config.json", "curve.jsonl"
_AT_ONCE = 4  # rulesets in a gradient step
_WARM_UP = 300  # gradient steps in which the learning rate rises
_INSIDE = 0.05  # weight of the loss that keeps units where they learn, between empty and full


@dataclass(frozen=True)
class FamilyEvaluationConfig:
    """Learn an evaluation that reads rules, for the compiled search, from many games about seeds at once."""

    split: str = setting("easy", "the games to learn from: easy, medium or full; see mancala family")
    games: tuple[str, ...] = setting((), "learn from these games instead")
    generated: bool = setting(False, "learn from the split's generated games, too")
    out: str = setting("runs/family-evaluation", "folder of the run")
    seed: int = setting(0, "fixes the run: the same seed gives the same weights", 0)
    rounds: int = setting(2, "rounds of self-play and learning, the first by the margin", 1)
    played: int = setting(500, "games of each ruleset in a round", 1)
    depth: int = setting(3, "plies that the search of self-play looks ahead", 1, 64)
    result_share: float = setting(0.5, "share of the result in the target; the search's value is the rest", 0, 1)
    steps: int = setting(500, "gradient steps in a round that look at a ruleset, on average", 1)
    batch_size: int = setting(512, "positions of each ruleset in a gradient step", 2)
    learning_rate: float = setting(2e-3, "of Adam, at the start of a round; it falls along a cosine", 0, 1)
    blind: bool = setting(False, "see nothing of the rules but the board, for comparison")
    threads: int = setting(1, "threads of torch", 1, 4096)

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.split not in splits.SIZES:
            raise ValueError(f"split must be one of {', '.join(splits.SIZES)}, not {self.split!r}")
        if not self.rulesets():
            raise ValueError("none of these is a single game of two players about seeds")

    def rulesets(self) -> list[Ruleset]:
        """The games to learn from: those about seeds."""
        split = splits.load(self.split)
        of_split = (*split.train, *(split.generated_train if self.generated else ()))
        return [*filter(plays, map(ruleset, self.games or of_split))]


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


def learn(
    config: FamilyEvaluationConfig, learned: FamilyEvaluation | None, number: int, step: Callable[[], None]
) -> tuple[FamilyEvaluation, float]:
    """A round of games and of gradient steps, calling ``step`` after each game and each thousandth gradient step;
    the network, and the mean loss of the last tenth. Raises Diverged if numbers are no longer finite."""
    rulesets = config.rulesets()
    seeds = np.random.SeedSequence([config.seed, number]).generate_state(len(rulesets) + 1).tolist()
    random = np.random.default_rng(seeds[0])
    arrays = first_weights(random) if learned is None else learned.weights
    weights = {name: torch.from_numpy(array.copy()).requires_grad_(True) for name, array in arrays.items()}
    if config.blind:  # nothing of what the lines of the rules say comes through, in play neither
        weights["line"] = torch.zeros_like(weights["line"])
    games = []
    for rules, seed in zip(rulesets, seeds[1:], strict=True):
        games.append(Game(config, rules, learned, seed))
        step()
    optimizer, steps = (
        torch.optim.Adam([each for each in weights.values() if each.requires_grad], lr=config.learning_rate),
        steps_of(config),
    )
    losses = []
    for k in range(steps):
        for group in optimizer.param_groups:
            rising, falling = min(1.0, (k + 1) / _WARM_UP), 0.5 + 0.5 * math.cos(math.pi * k / steps)
            group["lr"] = config.learning_rate * rising * falling
        chosen = random.integers(len(games), size=_AT_ONCE)
        loss = torch.stack([games[each].loss(weights, config.batch_size) for each in chosen]).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        if not math.isfinite(losses[-1]):
            raise Diverged(f"the loss of round {number + 1} is not finite: take a smaller learning rate")
        if k % 1000 == 999:
            step()
    made = FamilyEvaluation({name: tensor.detach().numpy() for name, tensor in weights.items()})
    return made, float(np.mean(losses[-max(steps // 10, 1) :]))


def steps_of(config: FamilyEvaluationConfig) -> int:
    """Gradient steps in a round."""
    return max(config.steps * len(config.rulesets()) // _AT_ONCE, 1)


def train(config: FamilyEvaluationConfig, *, overwrite: bool = False, resume: bool = False) -> FamilyEvaluation:
    """Train an evaluation, and write its folder.

    Raises FileExistsError if that holds a run and neither ``overwrite`` nor ``resume`` is True; CheckpointError if
    there is nothing to resume, or it was begun with other settings; Diverged if numbers are no longer finite; Locked
    if another process trains there.
    """
    folder, learned, number = Path(config.out), None, 0
    file, settings = folder / FILE_NAME, asdict(replace(config, rounds=1, out="", threads=1))
    torch.set_num_threads(config.threads)
    folder.mkdir(parents=True, exist_ok=True)
    with only_one(folder, "trains"):
        if file.exists() and resume:
            learned, header = FamilyEvaluation.load_with_header(file)
            number = header["rounds"]
            if header["config"] != json.loads(json.dumps(settings)):
                raise CheckpointError("the run was begun with other settings: give the same")
        elif resume:
            raise CheckpointError(f"{folder} holds no run to go on with")
        elif file.exists() and not overwrite:
            raise FileExistsError(f"{folder} holds a run already; --resume it, choose another --out, or --overwrite it")
        else:
            (folder / CURVE).unlink(missing_ok=True)
            write_json(folder / CONFIG, {"config": asdict(config), "provenance": provenance(None, config.seed)})
        a_round = len(config.rulesets()) + steps_of(config) // 1000
        with Progress("steps of rounds", (config.rounds - number) * a_round) as bar:
            for each in range(number, config.rounds):
                learned, loss = learn(config, learned, each, lambda: bar(bar.done + 1))
                learned.save(file, rounds=each + 1, config=settings)
                with (folder / CURVE).open("a", encoding="utf-8") as curve:
                    curve.write(json.dumps({"round": each + 1, "loss": round(loss, 6)}) + "\n")
    assert learned is not None
    return learned


def main(arguments: Sequence[str] | None = None) -> None:
    """The command. Exits with status 2 if arguments or folder are wrong, 3 if training diverged, 130 after Ctrl-C."""
    parser = make_parser(FamilyEvaluationConfig, COMMAND)
    parser.add_argument("--overwrite", action="store_true", help="replace the run that the folder holds")
    parser.add_argument("--resume", action="store_true", help="go on with the run of the folder; give its settings")
    try:
        config, switches = parse(parser, FamilyEvaluationConfig, arguments)
        with at_work(COMMAND):
            train(config, **switches)
    except (OSError, ValueError) as error:
        fail(COMMAND, error)
    except Diverged as error:
        fail(COMMAND, error, status=3)
    except KeyboardInterrupt:
        fail(COMMAND, "stopped; go on with the same command and --resume", status=130)


if __name__ == "__main__":
    main()
