"""Train a policy to play as a teacher does: ``mancala train distill --rules oware --teacher zoo:oware``

The teacher is a policy that may see more than the one that learns, as ``zoo:oware`` sees four plies ahead; what is
learnt sees only what its own encoder shows. Both play games with each other, with themselves and with random moves in
between; the teacher judges every position that is met, the learner's mistakes included (DAgger: Ross, Gordon and
Bagnell, AISTATS 2011), and the learner takes over the probabilities of its actions and its value (knowledge
distillation: Hinton, Vinyals and Dean, arXiv 1503.02531). A position that looks to the learner as one in memory is not
judged again, and ``--labels`` takes over what the teacher judged in other runs: to try other networks and seeds.

What a run writes is in ``training.run``. A run that was stopped goes on from its checkpoint with ``--resume`` and ends
with the same weights. Ctrl-C ends the training after the rollout being played, a second one at once.

What the exit status of the command means is in ``training.command``.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from stable_baselines3.common.logger import Logger
from torch.nn import functional

from agents.evaluation import Result, evaluate
from agents.policy.agent import PolicyAgent
from agents.policy.card import FILE_NAME
from agents.policy.files import made_by
from agents.policy.network import Module, PolicyNetwork
from mancala_env.batch import Batch
from mancala_env.cli import GAME
from mancala_env.kernels import layout
from mancala_env.observation import Encoder
from mancala_env.rewards import potentials
from mancala_env.rules import Ruleset
from training import checkpoint, settings
from training.callbacks import Callback, Run
from training.checkpoint import (
    Arrays,
    Checkpoint,
    CheckpointError,
    adam_arrays,
    copied,
    fill,
    fitting,
    restore_adam,
    restore_torch_random,
    torch_random,
    under,
)
from training.cli import Bar, make_console, setting
from training.command import Command
from training.evaluate import report, table
from training.run import (
    CurvePoint,
    Diverged,
    Stopwatch,
    Task,
    Trained,
    arrange,
    begin,
    find_start,
    finish,
    first_network,
    go_on,
    holding,
    is_written,
    make_logger,
    say_rounding,
    settings_of,
    stops,
    warner,
    write_scores,
)
from training.settings import ANY, Ranges, RunSettings

COMMAND = "mancala train distill"
WARM_UP = 100  # gradient steps over which the learning rate rises at the start
GRADIENT = 1.0  # its greatest length


@dataclass(frozen=True)
class DistillConfig(RunSettings):
    """Train a policy to play as a teacher does, which may see more than the policy will, then score it."""

    rules: str | Ruleset = setting("oware", GAME)
    teacher: str = setting("", "the policy that is imitated, of this game: a run, a policy file, or zoo:NAME")
    encoder: str = setting("onehot", "what the policy sees: a key of mancala_env.observation.ENCODERS")
    out: str = setting("", "folder of the run; runs/<game>-distilled if not given")
    seed: int = setting(0, "fixes the run: the same seed gives the same weights")
    init_from: str = setting("", "a policy to begin with, of this game and with these layers: a run, or zoo:NAME")
    steps: int = setting(4_030_464, "positions that are met in play; rounded up to whole rollouts")
    labels: tuple[str, ...] = setting((), "runs of the same teacher: what it judged there is learnt from too")

    network: str = setting(
        "mlp", "the kind of network: a key of agents.policy.layers.NETWORKS, or package.module:Class"
    )
    layers: tuple[int, ...] = setting((512, 512, 256), "width of each layer shared by policy and value")
    activation: str = setting("relu", "between the layers: relu, tanh or elu")
    action_head: int = setting(0, "units of the layer shared by all actions; 0: none (needs a lookahead encoder)")
    envs: int = setting(1024, "games played in one batch")
    rollout_steps: int = setting(32, "plies in each game between two updates")
    batch_size: int = setting(1024, "positions in a gradient step; divides envs x rollout_steps")
    passes: int = setting(3, "how often each position is learnt from, on average")
    memory: int = setting(4_000_000, "positions that are kept to learn from; the oldest go first")
    learning_rate: float = setting(2e-3, "of AdamW, at the start; it falls along a cosine to 0")
    weight_decay: float = setting(0.01, "of AdamW, for the weights; none for biases")
    value_weight: float = setting(1.0, "weight of the value loss relative to the policy loss")
    focus: float = setting(0.0, "positions that the teacher holds won or lost count for this share less than open ones")
    student_share: float = setting(0.5, "share of the seats that the learner plays itself; the teacher has the others")
    random_shares: tuple[float, ...] = setting((0.02, 0.1, 0.3), "shares of random moves; each game has one of these")
    temperature: float = setting(1.0, "of the other moves, which are drawn by probability; 0: the likeliest")
    game_opening_plies: int = setting(8, "maximum number of random plies at the start of each game of training")
    bfloat16: bool = setting(True, "compute in bfloat16: faster on processors that have it; the weights are float32")

    save_every: int = setting(50, "rollouts between two saves of policy and checkpoint")
    curve_every: int = setting(20, "rollouts between two points of the curves against curve_opponents; 0: none")
    curve_opponents: tuple[str, ...] = setting(("minimax:depth=2",), "scored against while training")
    curve_pairs: int = setting(25, "pairs of games against each of them")
    threads: int = setting(1, "threads of torch")
    opponents: tuple[str, ...] = setting(("random", "minimax:depth=2", "minimax:depth=4"), "scored against at the end")
    pairs: int = setting(100, "pairs of games against each of them; 0: no scoring")
    opening_plies: int = setting(4, "random plies at the start of each pair")

    SUFFIX = "-distilled"

    def __post_init__(self) -> None:
        if not self.teacher:
            raise ValueError("whom is it to learn from? --teacher names a policy: a run, a policy file, or zoo:NAME")
        self.check(_RANGES, "imitation")
        self.check_rollout()
        if self.memory < self.rollout:
            raise ValueError(f"memory must hold a rollout, {self.rollout} positions, not {self.memory}")
        if not self.random_shares or not all(0 <= share <= 1 for share in self.random_shares):
            raise ValueError(f"random_shares must be one or more shares from 0 to 1, not {list(self.random_shares)}")

    @property
    def rollout(self) -> int:
        """Positions between two updates."""
        return self.envs * self.rollout_steps

    def seeds(self) -> list[int]:
        """The seeds of the weights, the games, and the scores at the end."""
        return [int(each.generate_state(1)[0]) for each in np.random.SeedSequence(self.seed).spawn(3)]


_RANGES: Ranges = {
    "steps": (1, ANY),
    "envs": (1, ANY),
    "rollout_steps": (1, ANY),
    "passes": (1, ANY),
    "memory": (1, ANY),
    "weight_decay": (0, ANY),
    "focus": (0, 1),
    "student_share": (0, 1),
    "temperature": (0, ANY),
}
# Settings that may change between stop and resume; steps make the run longer.
FREE_TO_CHANGE = settings.FREE_TO_CHANGE | {"steps"}


class Lesson:
    """The games in which positions are met, and the positions that the teacher has judged.

    Parameters
    ----------
    config : DistillConfig
    student, teacher : PolicyNetwork
    seed : int
        Of all that is drawn: seats, random moves, the actions of both, and the positions to learn from.

    Attributes
    ----------
    batch : Batch
        The games, each with its share of random moves, its random plies still to come, and its players.
    positions : int16[M, W], logits : float16[M, A], values, weights : float16[M]
        The memory: what was taken over or met, and what the teacher says of it; ``-inf`` where an action is illegal.
        The weight of a position is 1 less ``focus`` times the square of the result that the teacher expects.
    count : int
        Positions of the memory so far, taken over or met; it holds the last M of them.
    taken : int
        Those taken over from other runs.
    asked : int
        Those that the teacher was asked about since the run began or went on: a position of the memory that looks the
        same to the student is judged as it was there.
    """

    def __init__(self, config: DistillConfig, student: PolicyNetwork, teacher: PolicyNetwork, seed: int) -> None:
        self.config, self.student, self.teacher = config, student, teacher
        n, rules = config.envs, config.ruleset
        self.random = np.random.default_rng(seed)
        self.batch = Batch(rules, n, seed=seed)
        self._mover = rules.board.pits + layout.MOVER
        self.positions = np.zeros((config.memory, rules.fields["width"]), dtype=np.int16)
        self.logits = np.zeros((config.memory, rules.num_actions), dtype=np.float16)
        self.values, self.weights = np.zeros((2, config.memory), dtype=np.float16)
        self.count = self.taken = self.asked = 0
        self._keys = np.random.default_rng(0).integers(2**63, size=int(np.prod(student.encoder.shape)), dtype=np.uint64)
        self._last = np.full(2 << (config.memory - 1).bit_length(), -1, dtype=np.int64)  # the last place, by _slots
        self._random_shares = np.zeros(n)
        self._opening_left = np.zeros(n, dtype=np.int64)
        self._plays_itself = np.zeros((n, 2), dtype=np.bool_)
        self._begin(np.arange(n))

    def _begin(self, games: npt.NDArray[np.int64]) -> None:
        """Draw the players of new games."""
        m = len(games)
        self._random_shares[games] = self.random.choice(self.config.random_shares, m)
        self._opening_left[games] = self.random.integers(self.config.game_opening_plies + 1, size=m)
        self._plays_itself[games] = self.random.random((m, 2)) < self.config.student_share

    @property
    def met(self) -> int:
        """Positions met in play so far."""
        return self.count - self.taken

    def play(self) -> None:
        """One ply in every game; the teacher judges the position before it."""
        n = self.config.envs
        positions, masks = self.batch.positions, self.batch.legal_mask
        places = (self.count + np.arange(n)) % self.config.memory
        judged, values = self._judge(positions, masks)
        self._keep(places, positions, judged, values)
        self.count += n
        judged = self.logits[places].astype(np.float32)
        own = self._plays_itself[np.arange(n), positions[:, self._mover]]
        logits = np.where(own[:, None], self._ask(self.student, positions)[0], judged)
        drawn = np.where(
            masks, logits + self.config.temperature * self.random.gumbel(size=logits.shape), -np.inf
        ).argmax(axis=1)
        at_random = (self.random.random(n) < self._random_shares) | (self._opening_left > 0)
        actions = np.where(at_random, self.batch.random_actions(), drawn)
        self._opening_left = np.maximum(self._opening_left - 1, 0)
        _, done = self.batch.play(actions)
        if len(ended := np.flatnonzero(done)):
            self._begin(ended)

    def take(self, arrays: Arrays) -> None:
        """Put what the teacher judged in another run, the ``snapshot`` of its lesson, into the memory."""
        found = len(arrays["positions"])
        order = np.roll(np.arange(found), -int(arrays["count"]) % found)[-self.config.memory :]  # the oldest first
        for some in np.array_split(order, len(order) // self.config.envs + 1):
            places = (self.count + np.arange(len(some))) % self.config.memory
            self._keep(places, arrays["positions"][some], arrays["logits"][some], arrays["values"][some])
            self.count += len(some)
        self.taken = self.count

    def _judge(
        self, positions: npt.NDArray[np.int16], masks: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The teacher's logits and values, from memory where it holds a position that looks the same."""
        places = self._last[self._slots(positions)]
        known = (places >= 0) & (np.isfinite(self.logits[places]) == masks).all(axis=1)
        seen, before = (
            self._seen(self.student.encoder, each).flatten(1) for each in (positions, self.positions[places])
        )
        known &= (seen == before).all(dim=1).numpy()
        judged, values = self.logits[places].astype(np.float32), self.values[places].astype(np.float32)
        if len(new := np.flatnonzero(~known)):
            judged[new], values[new] = self._ask(self.teacher, positions[new])
        self.asked += len(new)
        return np.where(masks, judged, -np.inf), values

    def _keep(
        self,
        places: npt.NDArray[np.int64],
        positions: npt.NDArray[np.int16],
        judged: npt.NDArray[Any],
        values: npt.NDArray[Any],
    ) -> None:
        """Write into the memory."""
        self.positions[places], self.logits[places], self.values[places] = positions, judged, values
        expected = np.clip(self._expected(positions, values), -1.0, 1.0)
        self.weights[places] = 1.0 - self.config.focus * np.square(expected)
        self._last[self._slots(positions)] = places

    def _slots(self, positions: npt.NDArray[np.int16]) -> npt.NDArray[np.int64]:
        """int64[n]: a place in ``_last``, the same for positions that look the same to the student."""
        seen = self._seen(self.student.encoder, positions).flatten(1).numpy().view(np.uint32)
        mixed = (seen * self._keys).sum(axis=1, dtype=np.uint64)
        slots: npt.NDArray[np.int64] = (mixed >> np.uint64(32)).astype(np.int64) & (len(self._last) - 1)
        return slots

    def _expected(self, positions: npt.NDArray[np.int16], values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """float32[n]: the result that the teacher expects, from its values, which are less its share of the lead."""
        seats = positions[:, self._mover].astype(np.int8)
        return values + potentials(self.config.ruleset, positions, seats, self.teacher.shaping)

    def draw(self, size: int) -> tuple[torch.Tensor, ...]:
        """Positions of the memory as the student sees them, the teacher's logits and values, and their weights."""
        places = self.random.integers(min(self.count, self.config.memory), size=size)
        positions = self.positions[places]
        return (
            self._seen(self.student.encoder, positions),
            torch.from_numpy(self.logits[places].astype(np.float32)),
            torch.from_numpy(self.values[places].astype(np.float32)),
            torch.from_numpy(self.weights[places].astype(np.float32)),
        )

    def _ask(
        self, network: PolicyNetwork, positions: npt.NDArray[np.int16]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The logits and values of a network."""
        seen = self._seen(network.encoder, positions).to(network.device)
        with torch.inference_mode(), in_bfloat16(network.device, self.config.bfloat16):
            logits, values = network(seen)
        return logits.float().cpu().numpy(), values.float().cpu().numpy()

    def _seen(self, encoder: Encoder, positions: npt.NDArray[np.int16]) -> torch.Tensor:
        return torch.from_numpy(encoder(positions, positions[:, self._mover].astype(np.int8)))

    def snapshot(self) -> Arrays:
        """All that ``restore`` needs but the state of ``random``, as arrays of their own."""
        full = min(self.count, self.config.memory)
        return {
            **{f"batch.{name}": array for name, array in self.batch.snapshot().items()},
            "positions": self.positions[:full].copy(),
            "logits": self.logits[:full].copy(),
            "values": self.values[:full].copy(),
            "weights": self.weights[:full].copy(),
            "count": np.array(self.count),
            "taken": np.array(self.taken),
            "random_shares": self._random_shares.copy(),
            "opening_left": self._opening_left.copy(),
            "plays_itself": self._plays_itself.copy(),
        }

    def restore(self, arrays: Arrays) -> None:
        """Go on from a ``snapshot``."""
        self.batch.restore(under("batch", arrays))
        self.count = int(arrays["count"])
        full = min(self.count, self.config.memory)
        for name in ("positions", "logits", "values", "weights"):
            getattr(self, name)[:full] = arrays[name]
        self.taken = int(arrays.get("taken", 0))
        for some in np.array_split(np.roll(np.arange(full), -self.count % max(full, 1)), full // self.config.envs + 1):
            self._last[self._slots(self.positions[some])] = some
        self._random_shares[:] = arrays["random_shares"]
        self._opening_left[:] = arrays["opening_left"]
        self._plays_itself[:] = arrays["plays_itself"]


def in_bfloat16(device: torch.device, on: bool) -> torch.autocast:
    """Where matrix products are computed in bfloat16, if ``on``."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=on)


def losses(
    logits: torch.Tensor, values: torch.Tensor, taught: torch.Tensor, worth: torch.Tensor, weights: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """How far a network is from its teacher, in nats and squared value.

    Parameters
    ----------
    logits, values : float[n, A], float[n]
        Of the network.
    taught, worth : float[n, A], float[n]
        Of the teacher, with ``-inf`` for illegal actions.
    weights : float[n]
        Of the positions.

    Returns
    -------
    tuple of float[]
        The weighted means of the Kullback-Leibler divergence of the policy from the teacher's over legal actions, and
        of the squared difference of the values.
    """
    illegal = torch.isneginf(taught)
    ours = functional.log_softmax(logits.float().masked_fill(illegal, -torch.inf), dim=1).masked_fill(illegal, 0.0)
    theirs = functional.log_softmax(taught, dim=1)
    divergence = (theirs.exp() * (theirs.masked_fill(illegal, 0.0) - ours)).sum(dim=1)
    shares = weights / weights.sum()
    return (shares * divergence).sum(), (shares * (values.float() - worth).square()).sum()


class Learner:
    """The network that learns, with its optimizer.

    Parameters
    ----------
    config : DistillConfig
    network : PolicyNetwork
        Changed in place.
    """

    def __init__(self, config: DistillConfig, network: PolicyNetwork) -> None:
        self.config, self.network = config, network
        weights = [each for each in network.parameters() if each.ndim > 1]
        biases = [each for each in network.parameters() if each.ndim <= 1]
        groups: list[dict[str, Any]] = [{"params": weights}, {"params": biases, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(
            groups, lr=config.learning_rate, weight_decay=config.weight_decay, fused=True
        )
        self.steps = 0

    def learn(self, lesson: Lesson, progress: float) -> dict[str, float]:
        """Learn from as many positions as a rollout has, ``passes`` times.

        Parameters
        ----------
        lesson : Lesson
        progress : float
            The share of the training that is behind, 0 to 1.

        Returns
        -------
        dict
            The mean losses, and the learning rate.

        Raises
        ------
        Diverged
            If a loss is not finite.
        """
        config = self.config
        self.network.requires_grad_(True)
        self.network.train()
        total = torch.zeros(2)
        count = config.passes * config.rollout // config.batch_size
        for _ in range(count):
            self.steps += 1
            rate = config.learning_rate * min(1.0, self.steps / WARM_UP) * (1 + math.cos(math.pi * progress)) / 2
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            seen, taught, worth, weights = (each.to(self.network.device) for each in lesson.draw(config.batch_size))
            with in_bfloat16(self.network.device, config.bfloat16):
                logits, values = self.network(seen)
                divergence, error = losses(logits, values, taught, worth, weights)
            self.optimizer.zero_grad(set_to_none=True)
            (divergence + config.value_weight * error).backward()
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), GRADIENT)
            self.optimizer.step()
            total += torch.stack((divergence.detach(), error.detach())).cpu()
        self.network.eval()
        self.network.requires_grad_(False)
        mean = (total / count).tolist()
        if not all(map(math.isfinite, mean)):
            raise Diverged(f"gradient step {self.steps} ended with losses {mean}")
        return {"train/divergence": mean[0], "train/value_error": mean[1], "train/learning_rate": rate}

    def snapshot(self) -> Arrays:
        """The weights, the state of the optimizer, and that of torch's random numbers, as arrays of their own."""
        return {
            **{f"policy.{name}": copied(each) for name, each in self.network.module.state_dict().items()},
            **adam_arrays(self.optimizer),
            "gradient_steps": np.array(self.steps),
            **torch_random(self.network.device),
        }

    def restore(self, arrays: Arrays) -> None:
        """Go on from a ``snapshot``."""
        for name, weights in self.network.module.state_dict().items():
            fill(weights, arrays[f"policy.{name}"])
        restore_adam(self.optimizer, arrays)
        self.steps = int(arrays["gradient_steps"])
        if "random.torch" in arrays:  # checkpoints of before lack it
            restore_torch_random(self.network.device, arrays)


def train(
    config: DistillConfig,
    *,
    rules: Ruleset | str | None = None,
    network: Module | None = None,
    callbacks: Sequence[Callback] = (),
    logger: Logger | None = None,
    device: str | torch.device = "auto",
    overwrite: bool = False,
    resume: bool = False,
    console: Console | None = None,
) -> Trained:
    """Train, write the run folder, and score the policy. Ctrl-C ends the training early; the rest still happens.

    Parameters as those of ``training.ppo.train``, without opponents and reward. The steps of the result are positions
    that the teacher has judged.

    Raises
    ------
    FileExistsError, CheckpointError, Locked, Diverged
        As ``training.ppo.train``.
    ValueError
        If the teacher plays other rules, or what is given does not fit together.
    """
    console = console or make_console()
    task = arrange(
        DistillConfig, config, rules=rules, network=network, opponents=None, reward=None, callbacks=callbacks,
        logger=logger, device=device, any_reward=False,
    )  # fmt: skip
    teacher = find_teacher(task.config)
    with holding(task.config.folder, resume):
        return _train(task, teacher, overwrite, resume, console)


def find_teacher(config: DistillConfig) -> PolicyNetwork:
    """The policy ``config.teacher``. Raises ValueError if it plays other rules."""
    teacher = PolicyNetwork.load(config.teacher)
    if teacher.rules != config.ruleset:
        raise ValueError(
            f"the teacher {config.teacher} plays {teacher.rules.id} with the rules it was trained on, and the run is "
            f"of {config.ruleset.id}: choose a teacher of the same rules"
        )
    return teacher


def find_labels(config: DistillConfig, teacher: PolicyNetwork) -> Iterator[Arrays]:
    """What the teacher judged in the runs ``config.labels``: snapshots of their lessons.

    Raises CheckpointError if one of them has no checkpoint, or another teacher or game.
    """
    for each in config.labels:
        found = checkpoint.read(Path(each), lambda text: None)
        if found is None:
            raise CheckpointError(f"labels: {each} holds no checkpoint; name the folder of a run of {COMMAND}")
        if found.header.get("teacher") != teacher.digest or found.header.get("rules_text") != repr(config.ruleset):
            raise CheckpointError(
                f"labels: {each} is no run that learnt {config.ruleset.id} from {config.teacher}: what another teacher "
                "judged, or this one of another game, does not fit"
            )
        yield found.arrays


def _train(task: Task, teacher: PolicyNetwork, overwrite: bool, resume: bool, console: Console) -> Trained:
    """``train``, by the only process that works in the folder of the run."""
    config, given, device, callbacks = task.config, task.given, task.device, task.callbacks
    torch.set_num_threads(config.threads)
    weights_seed, games_seed, score_seed = config.seeds()
    kind = config.network if given.network is None else given.network
    torch.manual_seed(weights_seed)
    student = PolicyNetwork(  # its values mean what the teacher's do
        config.ruleset, config.encoder, config.layers, config.activation, config.action_head, teacher.shaping,
        network=kind, margin=teacher.margin,
    ).to(device)  # fmt: skip
    about = checkpoint.describe(config.ruleset, config.encoder, settings_of(config), config.seed, "steps")
    about["teacher"] = teacher.digest
    start = find_start(config, given, about, FREE_TO_CHANGE, config.steps, "steps", console) if resume else None
    if start is not None and start.header.get("teacher") != teacher.digest:
        raise CheckpointError(f"the teacher {config.teacher} is no more the one that the run began with: bring it back")
    if config.init_from and start is None:
        student.module.load_state_dict(first_network(config, student, given).module.state_dict())
    lesson = Lesson(config, student, teacher.to(device), games_seed)
    for arrays in find_labels(config, teacher) if start is None else ():
        lesson.take(arrays)
    if resume:
        made = go_on(config, start.steps if start else 0, config.steps)
    else:
        made = begin(config, COMMAND, given, overwrite, teacher=made_by(config.teacher), device=str(device))
    learner = Learner(config, student)
    if start:
        _restore(start, lesson, learner)
    clock = Stopwatch(start)
    run = Run(config.folder, settings_of(config), student, "steps", lesson.met, clock.seconds)
    warn = warner(console)
    log = make_logger(run, task.logger, callbacks, warn)
    curve: list[CurvePoint] = []
    bar = Bar(
        TextColumn("{task.completed:,.0f} positions"),
        BarColumn(),
        TextColumn("{task.fields[speed]:,.0f}/s, divergence from the teacher {task.fields[divergence]:.3f}"),
        TimeRemainingColumn(),
        console=console,
    )
    shown = bar.add_task("", total=config.steps, completed=run.steps, speed=0.0, divergence=math.nan)
    first_steps = run.steps
    kept = run.steps  # in the last checkpoint that was written

    def keep() -> None:
        nonlocal kept
        header = {**about, "steps": run.steps, "seconds": run.seconds, "random": lesson.random.bit_generator.state}
        now = Checkpoint(header, {**lesson.snapshot(), **learner.snapshot()})
        if is_written("checkpoint", lambda: now.write(config.folder), warn):
            kept = run.steps
        is_written("policy", lambda: student.save(config.folder / FILE_NAME), warn)

    try:
        for callback in callbacks:
            callback.on_start(run)
        say_rounding(config, run.steps, console)
        try:
            with bar, stops(run) as interrupted:
                while run.steps < config.steps and not run.stopping:
                    for _ in range(config.rollout_steps):
                        lesson.play()
                    numbers = learner.learn(lesson, min(1.0, run.steps / config.steps))
                    run.steps, run.seconds = lesson.met, clock.seconds
                    speed = (run.steps - first_steps) / max(clock.here, 1e-9)
                    bar.update(shown, completed=run.steps, speed=speed, divergence=numbers["train/divergence"])
                    rollouts = run.steps // config.rollout
                    if config.curve_every and rollouts % config.curve_every == 0:
                        against, pairs = config.curve_opponents, config.curve_pairs
                        for result in _scores(config, student, against, pairs, config.curve_seed, 1):
                            numbers[f"against/{result.opponent}"] = result.score
                            curve.append(CurvePoint(run.steps, result))
                    for name, number in numbers.items():
                        log.record(name, number)
                    log.record("time/fps", speed)
                    log.dump(run.steps)
                    if rollouts % config.save_every == 0:
                        keep()
        except KeyboardInterrupt:  # the second: nothing is written of the rollout being played
            console.print(f"stopped at once; --resume goes on from step {kept:,}")
            raise
        except Diverged as error:
            raise Diverged(
                f"training diverged: {error}, most likely because learning_rate {config.learning_rate} is too high"
            ) from None
        finally:
            log.close()
        if run.steps < config.steps:
            console.print(f"stopped after {run.steps:,} of {config.steps:,} steps; --resume goes on")
        if run.steps != kept:
            keep()
        finish(config, student, made, {"steps": run.steps, "seconds": round(run.seconds, 1)})
        console.print(
            f"{run.steps:,} steps in {run.seconds:.0f} s, {lesson.asked:,} of them judged anew; "
            f"the policy is {config.folder / FILE_NAME}"
        )
        results = []
        if config.pairs:
            results = _scores(config, student, config.opponents, config.pairs, score_seed, 2)
            console.print(table(results, f"{config.folder}: {config.ruleset.name}, {config.pairs} pairs"))
            write_scores(
                config, student, made, report(results, config.ruleset, score_seed, opening_plies=config.opening_plies)
            )
    finally:
        for callback in callbacks:
            callback.on_end(run)
    return Trained(run.steps, results, curve, config.folder, student, interrupted.is_set() and run.steps < config.steps)


def _restore(start: Checkpoint, lesson: Lesson, learner: Learner) -> None:
    """Bring a run to the state of a checkpoint. Raises CheckpointError if it does not fit."""
    with fitting():
        lesson.restore(start.arrays)
        learner.restore(start.arrays)
        lesson.random.bit_generator.state = start.header["random"]


def _scores(
    config: DistillConfig, network: PolicyNetwork, opponents: Sequence[str], pairs: int, seed: int, threads: int
) -> list[Result]:
    """Play the policy against others."""
    return evaluate(
        PolicyAgent.of(network, f"policy:path={config.folder}"),
        opponents,
        config.ruleset,
        pairs=pairs,
        opening_plies=config.opening_plies,
        seed=seed,
        threads=threads,
    )


main = Command(COMMAND, DistillConfig, train, ("steps",))
