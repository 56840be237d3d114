"""Train a policy to play as a teacher does: ``mancala train distill --rules oware --teacher zoo:oware``

The teacher may see more than the learner's encoder shows. Both play games with each other, with themselves and with
random moves in between; the teacher judges every position that is met (DAgger: Ross, Gordon and Bagnell, AISTATS 2011),
and the learner takes over the probabilities of its actions and its value (Hinton, Vinyals and Dean, arXiv
1503.02531)."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from agents.policy.card import made_by
from agents.policy.network import PolicyNetwork
from mancala_env.batch import Batch
from mancala_env.kernels import layout
from mancala_env.observation import Encoder
from mancala_env.rewards import potentials
from training import checkpoint
from training.checkpoint import Arrays, Checkpoint, CheckpointError
from training.cli import setting
from training.command import Command
from training.settings import PolicySettings, RolloutSettings
from training.trainer import Algorithm, Task

WARM_UP = 100  # gradient steps over which the learning rate rises at the start
GRADIENT = 1.0  # its greatest length


@dataclass(frozen=True)
class DistillConfig(RolloutSettings, PolicySettings):
    """Train a policy to play as a teacher does, which may see more than the policy will, then score it."""

    SUFFIX = "-distilled"
    PURPOSE = "imitation"

    teacher: str = setting("", "the policy that is imitated, of this game: a run, a policy file, or zoo:NAME")
    steps: int = setting(4_030_464, "positions that are met in play; rounded up to whole rollouts", 1)
    labels: tuple[str, ...] = setting((), "runs of the same teacher: what it judged there is learnt from too")
    layers: tuple[int, ...] = setting((512, 512, 256), "width of each layer shared by policy and value")
    envs: int = setting(1024, "games played in one batch", 1)
    rollout_steps: int = setting(32, "plies in each game between two updates", 1)
    passes: int = setting(3, "how often each position is learnt from, on average", 1)
    memory: int = setting(4_000_000, "positions that are kept to learn from; the oldest go first", 1)
    learning_rate: float = setting(2e-3, "of AdamW, at the start; it falls along a cosine to 0", 0, 1)
    weight_decay: float = setting(0.01, "of AdamW, for the weights; none for biases", 0)
    value_weight: float = setting(1.0, "weight of the value loss relative to the policy loss", 0)
    focus: float = setting(0.0, "share by which positions held won or lost count less than open ones", 0, 1)
    student_share: float = setting(
        0.5, "share of seats that the learner plays itself; the teacher has the others", 0, 1
    )
    random_shares: tuple[float, ...] = setting((0.02, 0.1, 0.3), "shares of random moves; each game has one of these")
    temperature: float = setting(1.0, "of the other moves, which are drawn by probability; 0: the likeliest", 0)
    game_opening_plies: int = setting(8, "maximum number of random plies at the start of each game of training", 0)
    bfloat16: bool = setting(True, "compute in bfloat16: faster on processors that have it; the weights are float32")
    save_every: int = setting(50, "rollouts between two saves of the weights and the checkpoint", 1, free=True)

    def __post_init__(self) -> None:
        if not self.teacher:
            raise ValueError("whom is it to learn from? --teacher names a policy: a run, a policy file, or zoo:NAME")
        super().__post_init__()
        if self.memory < self.rollout:
            raise ValueError(f"memory must hold a rollout, {self.rollout} positions, not {self.memory}")
        if not self.random_shares or not all(0 <= share <= 1 for share in self.random_shares):
            raise ValueError(f"random_shares must be one or more shares from 0 to 1, not {list(self.random_shares)}")


class Distillation(Algorithm):
    """Rollouts that the teacher judges, and gradient steps on draws from its memory."""

    COMMAND = "mancala train distill"
    SETTINGS = DistillConfig
    TAKES = frozenset({"network"})
    SHOWN = (("train/divergence", "divergence from the teacher {:.3f}"),)

    def __init__(self, task: Task, start: Checkpoint | None) -> None:
        super().__init__(task, start)
        config = self.config
        self.teacher = find_teacher(config)
        torch.manual_seed(config.seeds[0])
        # Its values mean the same.
        self.network = task.make_network(self.teacher.shaping, self.teacher.margin, start is None)
        self.lesson = Lesson(config, self.network, self.teacher.to(task.device), config.seeds[1])
        for arrays in find_labels(config, self.teacher) if start is None else ():
            self.lesson.take(arrays)
        weights, biases = (
            [each for each in self.network.parameters() if (each.ndim > 1) is wide] for wide in (True, False)
        )
        groups: list[dict[str, Any]] = [{"params": weights}, {"params": biases, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(
            groups, lr=config.learning_rate, weight_decay=config.weight_decay, fused=True
        )
        self.gradient_steps = 0

    def round(self, seconds: float) -> dict[str, float]:
        """Play a rollout, and learn from as many positions as it has, ``passes`` times."""
        config, network = self.config, self.network
        for _ in range(config.rollout_steps):
            self.lesson.play()
        progress = min(1.0, self.steps / config.steps)
        network.requires_grad_(True)
        network.train()
        total = torch.zeros(2)
        count = config.passes * config.rollout // config.batch_size
        for _ in range(count):
            self.gradient_steps += 1
            warm = min(1.0, self.gradient_steps / WARM_UP)
            rate = config.learning_rate * warm * (1 + math.cos(math.pi * progress)) / 2
            self.set_rate(rate)
            seen, taught, worth, weights = (each.to(network.device) for each in self.lesson.draw(config.batch_size))
            with in_bfloat16(network.device, config.bfloat16):
                logits, values = network(seen)
                divergence, error = losses(logits, values, taught, worth, weights)
            self.descend(divergence + config.value_weight * error, GRADIENT)
            total += torch.stack((divergence.detach(), error.detach())).cpu()
        network.eval()
        network.requires_grad_(False)
        mean = (total / count).tolist()
        self.steps = self.lesson.met
        return {"train/divergence": mean[0], "train/value_error": mean[1], "train/learning_rate": rate}

    def snapshot(self) -> tuple[dict[str, Any], Arrays]:
        """The memory, the games, and their generator."""
        arrays = {**self.lesson.snapshot(), "gradient_steps": np.array(self.gradient_steps)}
        return {"teacher": self.teacher.digest, "random": self.lesson.random.bit_generator.state}, arrays

    def restore(self, header: Mapping[str, Any], arrays: Arrays) -> None:
        """Go on from a ``snapshot``."""
        if header.get("teacher") != self.teacher.digest:
            raise CheckpointError(
                f"the teacher {self.config.teacher} is no more the one that the run began with: bring it back"
            )
        self.lesson.restore(arrays)
        self.lesson.random.bit_generator.state = header["random"]
        self.gradient_steps = int(arrays["gradient_steps"])

    def learns_from(self) -> dict[str, Any]:
        """How the teacher was made."""
        return {"teacher": made_by(self.config.teacher)}

    def trained(self) -> dict[str, Any]:
        """How often the teacher was asked since the run began or went on."""
        return {"judged": self.lesson.asked}


class Lesson:
    """The games in which positions are met, and a memory of M positions that the teacher has judged.

    ``positions``, int16[M, W], with ``logits``, float16[M, A], ``-inf`` where an action is illegal, ``values`` and
    ``weights``, float16[M], 1 less ``focus`` times the square of the result that the teacher expects. So far ``count``
    positions, of which the last M are kept, were met or taken over, ``taken`` of them taken over. ``asked`` were put to
    the teacher since the run began or went on: what looks to the student like one in memory is judged as that was."""

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
        noisy = logits + self.config.temperature * self.random.gumbel(size=logits.shape)
        drawn = np.where(masks, noisy, -np.inf).argmax(axis=1)
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
        told = (torch.from_numpy(each[places].astype(np.float32)) for each in (self.logits, self.values, self.weights))
        return self._seen(self.student.encoder, self.positions[places]), *told

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
            **{name: getattr(self, name)[:full].copy() for name in ("positions", "logits", "values", "weights")},
            "count": np.array(self.count),
            "taken": np.array(self.taken),
            "random_shares": self._random_shares.copy(),
            "opening_left": self._opening_left.copy(),
            "plays_itself": self._plays_itself.copy(),
        }

    def restore(self, arrays: Arrays) -> None:
        """Go on from a ``snapshot``."""
        self.batch.restore(checkpoint.under("batch", arrays))
        self.count = int(arrays["count"])
        full = min(self.count, self.config.memory)
        for name in ("positions", "logits", "values", "weights"):
            getattr(self, name)[:full] = arrays[name]
        self.taken = int(arrays["taken"])
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
    """How far a network is from its teacher: means weighted by ``weights``, float[n]. These are the Kullback-Leibler
    divergence over legal actions, in nats, from ``logits``, float[n, A], where ``taught`` is ``-inf`` for illegal ones;
    and the squared difference of the values, float[n]."""
    illegal = torch.isneginf(taught)
    ours = functional.log_softmax(logits.float().masked_fill(illegal, -torch.inf), dim=1).masked_fill(illegal, 0.0)
    theirs = functional.log_softmax(taught, dim=1)
    divergence = (theirs.exp() * (theirs.masked_fill(illegal, 0.0) - ours)).sum(dim=1)
    shares = weights / weights.sum()
    return (shares * divergence).sum(), (shares * (values.float() - worth).square()).sum()


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
    """What the teacher judged in the runs ``config.labels``: snapshots of their lessons. Raises CheckpointError for
    others."""
    for each in config.labels:
        found = checkpoint.read(Path(each), lambda text: None)
        if found is None:
            raise CheckpointError(
                f"labels: {each} holds no checkpoint; name the folder of a run of {Distillation.COMMAND}"
            )
        if found.header.get("teacher") != teacher.digest or found.header.get("rules_text") != repr(config.ruleset):
            raise CheckpointError(
                f"labels: {each} is no run that learnt {config.ruleset.id} from {config.teacher}: what another teacher "
                "judged, or this one of another game, does not fit"
            )
        yield found.arrays


train = Distillation.train
main = Command(Distillation.COMMAND, DistillConfig, train, ("steps",))


if __name__ == "__main__":
    main()
