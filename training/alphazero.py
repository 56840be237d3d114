"""AlphaZero, which trains policy and value by self-play with search: ``mancala train alphazero --rules kalah``

The network learns to predict the improved policy of searches that it guides (``training.search_games``), and the reward
at the end of the game (Silver et al., Science 362, 2018; Gumbel root and targets: Danihelka et al., ICLR 2022). A round
of games is played while the one before is learnt from."""

import math
import os
import pickle
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

import numpy as np
import torch

from agents.executors import Executor, make_executor
from agents.policy.network import PolicyNetwork
from mancala_env import checks
from mancala_env.kernels import layout
from mancala_env.rewards import potentials
from mancala_env.rules import Ruleset
from training import checkpoint, search_games
from training.checkpoint import Arrays, Checkpoint
from training.cli import setting
from training.command import Command
from training.run import read_settings
from training.search_games import Played, Positions, SearchSettings
from training.trainer import Algorithm, Task


@dataclass(frozen=True)
class AlphaZeroConfig(SearchSettings):
    """Train policy and value of a mancala game by tree search against itself, then score them."""

    SUFFIX = "-alphazero"
    UNIT = "rounds"

    rounds: int = setting(200, "rounds of self-play and learning", 1)
    minutes: float = setting(0.0, "stop after the first round that ends later than this; 0: no limit", 0, free=True)
    buffer: int = setting(200_000, "number of latest positions to learn from", 1)
    passes: float = setting(4.0, "how often each position is learnt from, on average over its time in the buffer", 0)
    batch_size: int = setting(512, "positions in a gradient step", 2)
    learning_rate: float = setting(1e-3, "of Adam, at the start", 0, 1)
    final_learning_rate: float = setting(1e-4, "of Adam, at the end; it falls along a line", 0, 1)
    decay: float = setting(1e-5, "weight decay", 0, 1)
    value_weight: float = setting(1.0, "weight of the value loss relative to the policy loss", 0)
    processes: int = setting(0, "processes of self-play; 0: one a core; 1: none but this one", 0, 4096, free=True)
    ray: str = setting("", "play on a Ray cluster instead: its address, or local", free=True)
    save_every: int = setting(5, "rounds between two saves of the weights and the checkpoint", 1, free=True)


class Buffer:
    """The latest positions of self-play; a further one replaces the oldest. ``added``: how many so far."""

    def __init__(self, rules: Ruleset, size: int) -> None:
        self.kept, self.added = Positions.empty(rules, size), 0

    def __len__(self) -> int:
        return min(self.added, len(self.kept))

    def add(self, new: Positions) -> None:
        """Add positions."""
        size = len(self.kept)
        places = (self.added + np.arange(len(new))) % size
        for kept, arrays in zip(self.kept.arrays(), new.arrays(), strict=True):
            kept[places[-size:]] = arrays[-size:]
        self.added += len(new)


class AlphaZero(Algorithm):
    """Rounds of self-play by search, and gradient steps on draws from the buffer. ``network`` learns; ``playing``, the
    learner as it was a round ago, plays the next round in the ``groups`` of games meanwhile."""

    COMMAND = "mancala train alphazero"
    SETTINGS = AlphaZeroConfig
    TAKES = frozenset({"network", "opponents"})
    SHOWN = (("train/policy_loss", "policy loss {:.3f}"), ("train/value_loss", "value loss {:.3f}"))

    def __init__(self, task: Task, start: Checkpoint | None) -> None:
        super().__init__(task, start)
        config = self.config
        torch.manual_seed(int(np.random.SeedSequence(config.seed, spawn_key=(1 << 20,)).generate_state(1)[0]))
        # A policy of PPO predicts the reward less the shaping potential; the network keeps its ``shaping``, and the
        # targets take it off, so that what it has learnt of values stays true.
        shaping = float(start.header["shaping"]) if start else None
        self.network = task.make_network(shaping, config.share_of_margin, start is None)
        self.playing = self.network.copy().to("cpu")
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate, weight_decay=config.decay)
        self.buffer = Buffer(config.ruleset, config.buffer)
        self.opponents = task.fixed_opponents
        self.groups = search_games.begin(config, len(self.opponents))
        self.random = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(2,)))
        self._closed = False
        self._beside = ThreadPoolExecutor(1)
        self._executor: Executor | None = None
        self._next: Future[tuple[list[Played], float]] | None = None

    @classmethod
    def settled(cls, task: Task, resume: bool) -> Task:
        """With the encoder and layers of the policy that the run begins with; one that goes on has noted them."""
        config = task.config
        if not config.init_from:
            return task
        its: Any = read_settings(config.folder, AlphaZeroConfig) if resume else None
        its = its or PolicyNetwork.load(config.init_from, task.network)
        encoder = its.encoder if resume else its.encoder.name
        names = ("network", "layers", "activation", "action_head") if its.layers else ("network",)
        return replace(task, config=replace(config, encoder=encoder, **{name: getattr(its, name) for name in names}))

    def is_finished(self, seconds: float) -> bool:
        """Are all rounds done, or the minutes over?"""
        return self.steps >= self.config.rounds or 0 < 60 * self.config.minutes <= seconds

    def round(self, seconds: float) -> dict[str, float]:
        """Take in the round that was being played, begin the next one, and learn meanwhile."""
        config, playing = self.config, self._next or self._begin()
        while not playing.done():
            wait([playing], timeout=0.2)  # in slices that let Ctrl-C in
        played, took = playing.result()
        self.groups = [each.group for each in played]
        for each in played:
            self.buffer.add(each.positions)
        self.steps += 1
        self.playing.module.load_state_dict(self.network.weights())
        self._next = None if self.is_finished(seconds) else self._begin()
        part = max(self.steps / config.rounds, seconds / (60 * config.minutes or math.inf))
        rate = config.learning_rate + min(part, 1.0) * (config.final_learning_rate - config.learning_rate)
        new = sum(len(each.positions) for each in played)
        return {
            **search_games.numbers(played, took),
            **self.learn(rate, round(new * config.passes / config.batch_size)),
        }

    def learn(self, rate: float, steps: int) -> dict[str, float]:
        """Gradient steps on positions drawn from the buffer; the learning rate, and the mean losses if there were any.
        The policy's loss is the Kullback-Leibler divergence from the search's improved policy; the value head of a
        network with ``shaping`` predicts the reward less the shaping potential."""
        network, kept, rules, device = self.network, self.buffer.kept, self.config.ruleset, self.network.device
        self.set_rate(rate)
        mover, total = rules.board.pits + layout.MOVER, np.zeros(2)
        network.requires_grad_(True)
        network.train()
        for _ in range(steps):
            drawn = self.random.integers(len(self.buffer), size=self.config.batch_size)
            rows, wanted = kept.rows[drawn], kept.values[drawn]
            seats = rows[:, mover].astype(np.int8)
            if network.shaping:
                wanted = wanted - potentials(rules, rows, seats, network.shaping)
            policies = torch.from_numpy(kept.policies[drawn]).to(device)
            logits, values = network(torch.from_numpy(network.encoder._to(rows, seats)).to(device))
            logits = logits.masked_fill(torch.from_numpy(~kept.masks[drawn]).to(device), -1e9)
            logs = torch.log_softmax(logits, dim=1)
            policy_loss = (torch.xlogy(policies, policies) - policies * logs).sum(dim=1).mean()
            value_loss = torch.nn.functional.mse_loss(values, torch.from_numpy(wanted).to(device))
            self.descend(policy_loss + self.config.value_weight * value_loss)
            total += policy_loss.item(), value_loss.item()
        network.eval()
        network.requires_grad_(False)
        losses = {"train/policy_loss": total[0] / steps, "train/value_loss": total[1] / steps} if steps else {}
        return {"train/learning_rate": rate, **losses}

    def _begin(self) -> "Future[tuple[list[Played], float]]":
        """Begin to play a round of all groups, beside; with the seconds that it takes."""
        executor = self._executor = self._executor or self._made_executor()

        def play() -> tuple[list[Played], float]:
            begun = time.perf_counter()
            shared = self.config, self.playing, self.opponents
            found = dict(executor.run(search_games.play, groups, shared=shared, stop=lambda: self._closed))
            return [found[number] for number in range(len(groups))], time.perf_counter() - begun

        groups = self.groups
        return self._beside.submit(play)

    def _made_executor(self) -> Executor:
        """Where groups are played."""
        config = self.config
        if config.ray:
            return make_executor(ray="" if config.ray == "local" else config.ray).__enter__()
        processes = {0: os.cpu_count() or 1, 1: 0}.get(config.processes, config.processes)
        if processes and (why := self._cannot_be_sent()):
            said = "cannot be sent to another process: all games are played in this one (processes=1)"
            self.task.warn(f"{why} {said}")
            processes = 0
        return make_executor(processes).__enter__()

    def _cannot_be_sent(self) -> str:
        """The name of a network or an opponent that other processes cannot import; "" if there is none."""
        players = {each.name: getattr(each, "player", each) for each in self.task.opponents}
        for name, each in {**players, self.playing.network: self.playing.module}.items():
            made = each if isinstance(each, type | FunctionType) else type(each)
            try:
                pickle.dumps(each)
            except Exception:
                return name
            if made.__module__ == "__main__":
                return name
        return ""

    def close(self) -> None:
        """Give up the round being played; what it brings is played again if the run goes on."""
        self._closed = True
        self._beside.shutdown()
        if self._executor is not None:
            self._executor.__exit__(None, None, None)

    def snapshot(self) -> tuple[dict[str, Any], Arrays]:
        """The network that plays, the buffer, the games, and their generators."""
        count, actions = len(self.buffer), self.config.ruleset.num_actions
        arrays = {
            **checkpoint.weights_arrays("player", self.playing.module),
            **{f"buffer.{k}": each[:count].copy() for k, each in enumerate(self.buffer.kept.arrays())},
            **search_games.as_arrays(self.groups, actions),
        }
        header = {
            "shaping": self.network.shaping,
            "added": self.buffer.added,
            "random": self.random.bit_generator.state,
            "random_groups": [group.random.bit_generator.state for group in self.groups],
        }
        return header, arrays

    def restore(self, header: Mapping[str, Any], arrays: Arrays) -> None:
        """Go on from a ``snapshot``."""
        checkpoint.restore_weights("player", self.playing.module, arrays)
        checks.positions(self.config.ruleset, arrays["buffer.0"])
        self.buffer.added = int(header["added"])
        for k, each in enumerate(self.buffer.kept.arrays()):
            each[: len(self.buffer)] = arrays[f"buffer.{k}"]
        games = search_games.from_arrays(self.config.ruleset, arrays, len(self.opponents))
        for group, drawn in zip(self.groups, header["random_groups"], strict=True):
            group.games = [next(games) for _ in group.games]
            group.random.bit_generator.state = drawn
        self.random.bit_generator.state = header["random"]

    def trained(self) -> dict[str, Any]:
        """The positions learnt from."""
        return {"positions": self.buffer.added}


train = AlphaZero.train
main = Command(
    AlphaZero.COMMAND, AlphaZeroConfig, train, ("rounds", "minutes"), free=("processes", "ray"),
    device="where to learn: auto, cpu, cuda or mps; searches use the CPU",
)  # fmt: skip


if __name__ == "__main__":
    main()
