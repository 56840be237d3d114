"""Train one network on many games at once: ``mancala train family --split easy``.

From results, by PPO (Schulman et al. 2017) on a batch that mixes games (``mancala_env.family.FamilyBatch``). It plays
both seats, and learns from both; in ``pool_share`` of the slots an earlier self has one seat, of which nothing is
learnt. A game's value is that of its mover, so in the estimate of advantages (GAE, Schulman et al. 2016) it changes its
sign with the mover. Or, with ``teacher``, from what a search of so many plies finds at each ply of the same games."""

import copy
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents.batched.players import MOST_PLIES, LookaheadAgent
from agents.family import splits
from agents.policy.family import DEEPEST, FILE_NAME, STEEP, WIDEST, FamilyNetwork
from agents.provenance import rules_digest
from mancala_env.family import DIGEST, FamilyBatch, kernels, needed
from mancala_env.family.format import COUNTERS
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset
from training import checkpoint
from training.checkpoint import Arrays, Checkpoint
from training.cli import setting
from training.command import Command
from training.run import read_settings
from training.settings import RolloutSettings, RunSettings
from training.trainer import Algorithm, Task

CLASSES = 3  # of boards by their size
GRADIENT = 0.5  # its greatest length
_LEAD = tuple(COUNTERS.index(name) for name in ("store", "their_store", "total"))


@dataclass(frozen=True)
class GamesSettings(RunSettings):
    """What every trainer on many games is told."""

    split: str = setting("easy", "the games to learn from: easy, medium or full; see mancala family")
    games: tuple[str, ...] = setting((), "learn from these games instead")
    generated: bool = setting(False, "learn from the split's generated games, too")
    most: int = setting(0, "learn from so many of the games only, the first ones; 0: all", 0)
    out: str = setting("runs/family", "folder of the run", free=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        splits.load(self.split)

    def rulesets(self) -> list[Ruleset]:
        """The games to learn from."""
        split = splits.load(self.split)
        of_split = (*split.train, *(split.generated_train if self.generated else ()))
        return [*map(ruleset, self.games or of_split)][: self.most or None]

    @property
    def learnt_from(self) -> dict[str, Any]:
        """The format of what is seen, and the games."""
        return {"reads": DIGEST, "games": {rules.name: rules_digest(rules) for rules in self.rulesets()}}


@dataclass(frozen=True)
class FamilyConfig(RolloutSettings, GamesSettings):
    """Train a network that reads rules on many games at once."""

    WEIGHTS = FILE_NAME

    init_from: str = setting("", "a network to begin with: a run, or its file")
    steps: int = setting(1_000_000, "plies learnt from, of both seats; rounded up to whole rollouts", 1)
    width: int = setting(32, "numbers in each token", 4, WIDEST)
    layers: int = setting(2, "exchanges between tokens", 1, DEEPEST)
    blind: bool = setting(False, "see nothing of the rules, for comparison")
    envs: int = setting(256, "games played in one batch", 1)
    epochs: int = setting(2, "passes over the plies of a rollout", 1)
    learning_rate: float = setting(1e-3, "of Adam, at the start; it falls to a tenth along a line", 0, 1)
    gamma: float = setting(0.997, "discount per ply", 0, 1)
    gae_lambda: float = setting(0.8, "of GAE: 0 trusts the value, 1 the result", 0, 1)
    clip: float = setting(0.2, "how far an update may move the odds of an action", 0, 1)
    entropy: float = setting(0.01, "reward for playing unpredictably", 0)
    shaping: float = setting(1.0, "reward for taking the lead in seeds, as a potential; 0: results alone", 0)
    pool_share: float = setting(0.25, "share of slots in which an earlier self has one seat", 0, 1)
    pool_size: int = setting(6, "earlier selves kept", 1)
    pool_every: int = setting(10, "updates between two of them", 1)
    sampling: str = setting(
        "even", "which game is begun next: even, or regret, more of those that surprise the learner"
    )
    teacher: int = setting(
        0, "learn what a search of so many plies finds in the games that are learnt from; 0: learn from results", 0,
        MOST_PLIES,
    )  # fmt: skip
    softness: float = setting(0.5, "seeds by which the teacher's action is as good as others, by a factor of e", 0.01)

    def __post_init__(self) -> None:
        super().__post_init__()
        if alone := [name for name in self.games if ruleset(name).players == 1]:
            raise ValueError(f"{alone[0]} is a solitaire, and these are games of two players")
        if self.sampling not in ("even", "regret"):
            raise ValueError(f"sampling must be even or regret, not {self.sampling!r}")
        if self.teacher and self.sampling == "regret":
            raise ValueError("regret is what results say of a game; with a teacher sampling is even")


class FamilyLearner(Algorithm):
    """The network, its optimizer, the games, and earlier selves."""

    config: FamilyConfig
    COMMAND = "mancala train family"
    SETTINGS = FamilyConfig
    TAKES = frozenset()
    SHOWN = (("train/value_loss", "value loss {:.3f}"),)

    def __init__(self, task: Task, start: Checkpoint | None) -> None:
        super().__init__(task, start)
        config, self.rulesets = self.config, self.config.rulesets()
        weights, self.games_seed, own = np.random.SeedSequence(config.seed).generate_state(3).tolist()
        torch.manual_seed(weights)
        if len(self.rulesets) > config.envs:
            raise ValueError(f"{len(self.rulesets)} games need as many envs or more, not {config.envs}")
        network = FamilyNetwork(config.width, config.layers, not config.blind)
        if config.init_from and start is None:
            network = FamilyNetwork.load(config.init_from).requires_grad_(True)
        self.network = network.to(task.device).train()
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate, eps=1e-5)
        self.classes = [*self._in_classes()]
        self.batch = self.classes[0][0]  # of PPO, which has all games in one
        self.random = np.random.default_rng(own)
        self.earlier: deque[FamilyNetwork] = deque(maxlen=config.pool_size)
        self.pooled = np.arange(config.envs) < round(config.pool_share * config.envs)
        self.random.shuffle(self.pooled)
        self.seats = self.random.integers(2, size=config.envs).astype(np.int8)  # of the earlier self

    def _in_classes(self) -> Iterator[tuple[FamilyBatch, list[LookaheadAgent]]]:
        """With a teacher a batch for each class of boards by size, so that small ones are not padded to the largest,
        with its share of the slots; and the teacher of each game."""
        games = sorted(self.rulesets, key=lambda rules: rules.board.pits)
        each = max(1, len(games) // CLASSES) if self.config.teacher else len(games)
        bounds = [rules.board.pits for rules in games[::each]]
        places = np.searchsorted(bounds, [rules.board.pits for rules in games], side="right")
        for place in np.unique(places):
            some = [rules for rules, its in zip(games, places, strict=True) if its == place]
            n = max(1, round(self.config.envs * len(some) / len(games)))
            batch = FamilyBatch(some, n, seed=self.games_seed + int(place), sizes=needed(some))
            yield batch, [LookaheadAgent(self.config.teacher) for _ in some if self.config.teacher]

    @classmethod
    def settled(cls, task: Task, resume: bool) -> Task:
        """With the sizes of the network that the run begins with; one that goes on has noted them."""
        config = task.config
        if not config.init_from:
            return task
        its = read_settings(config.folder, FamilyConfig) if resume else FamilyNetwork.load(config.init_from)
        if not resume and its.reads_rules == config.blind:
            said = "reads rules: leave out --blind" if config.blind else "is blind: add --blind"
            raise ValueError(f"{config.init_from} {said}, or begin with another network")
        return replace(task, config=replace(config, width=its.width, layers=its.layers))

    def round(self, seconds: float) -> dict[str, float]:
        """Play a rollout and learn from it."""
        config = self.config
        if self.steps // config.rollout % config.pool_every == 0:
            self.earlier.append(copy.deepcopy(self.network).requires_grad_(False).eval())
        self.set_rate(config.learning_rate * max(0.1, 1 - 0.9 * self.steps / config.steps))
        if config.teacher:
            numbers = self._taught()
        else:
            seen, parts, numbers = self._rollout()
            numbers |= self._learn(seen, parts)
        self.steps += config.rollout
        return {f"train/{name}": value for name, value in numbers.items()}

    @torch.no_grad()
    def _rollout(self) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor], dict[str, float]]:
        """Play; what was seen, [m, ...], and actions, logs of their probabilities, masks, advantages and values to be
        learnt, [m], of the plies of the learner."""
        config, batch, network = self.config, self.batch, self.network
        read, other = network.read(batch.static), self.earlier[int(self.random.integers(len(self.earlier)))]
        of_other = other.read(batch.static)
        plies: list[dict[str, npt.NDArray[Any]]] = []
        observed: list[dict[str, npt.NDArray[Any]]] = []
        for _ in range(config.rollout_steps):
            seen, masks, movers = batch.observe(), batch.legal_mask, batch.players
            logits, values = network(network.tensors(seen), read)
            theirs = np.flatnonzero(self.pooled & (movers == self.seats))
            if len(theirs):
                part = {key: array[theirs] for key, array in seen.items()}
                logits[torch.from_numpy(theirs)] = other(other.tensors(part), of_other)[0]
            logs = logits.masked_fill(~torch.from_numpy(masks).to(logits.device), -1e9).log_softmax(dim=1)
            actions = torch.multinomial(logs.exp(), 1)
            logs = torch.gather(logs, 1, actions).squeeze(1)
            chosen = actions.squeeze(1).cpu().numpy()
            potential = config.shaping * self._lead(seen)
            rewards, done = batch.play(chosen)
            mine = np.ones(config.envs, dtype=np.bool_)
            mine[theirs] = False
            result = np.take_along_axis(rewards, movers[:, None].astype(np.int64), axis=1)[:, 0]
            over = done & self.pooled
            self.seats[over] = self.random.integers(2, size=int(over.sum()))
            observed.append(seen)
            plies.append({
                "actions": chosen, "logs": logs.cpu().numpy(), "masks": masks, "values": values.cpu().numpy(),
                "rewards": result, "done": done, "movers": movers, "mine": mine, "potential": potential,
            })  # fmt: skip
        last = batch.observe()
        _, value = network(network.tensors(last), read)
        steps = {key: np.stack([each[key] for each in plies]) for key in plies[0]}
        advantages = self._advantages(steps, value.cpu().numpy(), batch.players, config.shaping * self._lead(last))
        if config.sampling == "regret":
            self._weigh(np.stack([each["game"] for each in observed]), advantages)
        keep, device = steps["mine"].ravel(), network.device

        def flat(array: npt.NDArray[Any]) -> torch.Tensor:
            return torch.from_numpy(array.reshape(-1, *array.shape[2:])[keep]).to(device)

        seen_all = {key: flat(np.stack([each[key] for each in observed])) for key in observed[0]}
        parts = {key: flat(steps[key]) for key in ("actions", "logs", "masks")}
        parts |= {"advantages": flat(advantages), "returns": flat(advantages + steps["values"])}
        return seen_all, parts, {"games_ended": float(steps["done"].sum())}

    def _lead(self, seen: dict[str, npt.NDArray[Any]]) -> npt.NDArray[np.float32]:
        """float32[n]: the mover's lead in seeds won, as a share of all."""
        store, theirs, total = (seen["counters"][:, k].astype(np.float32) for k in _LEAD)
        return ((store - theirs) / np.maximum(total, 1)).astype(np.float32)

    def _advantages(
        self, steps: dict[str, npt.NDArray[Any]], value: npt.NDArray[np.float32], mover: npt.NDArray[np.int8],
        lead: npt.NDArray[np.float32],
    ) -> npt.NDArray[np.float32]:  # fmt: skip
        """float32[steps, n]: GAE, each for its mover."""
        config, found = self.config, np.zeros_like(steps["values"])
        following = np.zeros_like(value)
        for k in reversed(range(len(found))):
            goes_on = ~steps["done"][k] * np.where(steps["movers"][k] == mover, 1.0, -1.0)
            gain = steps["rewards"][k] + config.gamma * goes_on * (value + lead) - steps["potential"][k]
            following = gain - steps["values"][k] + config.gamma * config.gae_lambda * goes_on * following
            found[k], value, mover, lead = following, steps["values"][k], steps["movers"][k], steps["potential"][k]
        return found.astype(np.float32)

    def _weigh(self, games: npt.NDArray[np.int64], advantages: npt.NDArray[np.float32]) -> None:
        """Begin more games of those that surprise the learner: a half by the mean size of advantages, a half evenly
        (Jiang et al. 2021, "Prioritized Level Replay")."""
        count = np.bincount(games.ravel(), minlength=len(self.rulesets))
        mean = np.bincount(games.ravel(), np.abs(advantages).ravel(), minlength=len(count)) / np.maximum(count, 1)
        self.batch.weights = 0.5 / len(count) + 0.5 * mean / mean.sum()

    def _learn(self, seen: dict[str, torch.Tensor], parts: dict[str, torch.Tensor]) -> dict[str, float]:
        config, network, total = self.config, self.network, np.zeros(3)
        count, rounds = len(parts["actions"]), 0
        for _ in range(config.epochs):
            order = torch.from_numpy(self.random.permutation(count)).to(network.device)
            for drawn in order.split(config.batch_size):
                part = {key: tensor[drawn] for key, tensor in parts.items()}
                logits, values = network(
                    {key: tensor[drawn] for key, tensor in seen.items()}, network.read(self.batch.static)
                )
                logs = logits.masked_fill(~part["masks"], -1e9).log_softmax(dim=1)
                chosen = torch.gather(logs, 1, part["actions"][:, None]).squeeze(1)
                entropy = -(logs.exp() * logs.masked_fill(~part["masks"], 0.0)).sum(dim=1).mean()
                advantages = part["advantages"]
                advantages = (advantages - advantages.mean()) / (advantages.std(unbiased=False) + 1e-8)
                odds = (chosen - part["logs"]).exp()
                gain = torch.min(odds * advantages, odds.clamp(1 - config.clip, 1 + config.clip) * advantages).mean()
                value_loss = torch.nn.functional.mse_loss(values, part["returns"])
                self.descend(value_loss / 2 - gain - config.entropy * entropy, GRADIENT)
                total += float(gain.detach()), float(value_loss.detach()), float(entropy.detach())
                rounds += 1
        return dict(zip(("policy_gain", "value_loss", "entropy"), (total / rounds).tolist(), strict=True))

    def _taught(self) -> dict[str, float]:
        """Play a rollout, and learn at each ply which actions the teacher holds best, and by how many seeds the mover
        will lead then. Of moves a tenth are random, a fifth the teacher's, and the others its own."""
        config, total = self.config, np.zeros(3)
        for _ in range(config.rollout_steps):
            parts = [batch.n / config.envs * self._lesson(batch, teachers) for batch, teachers in self.classes]
            numbers = torch.stack(parts).sum(dim=0)
            self.descend(numbers[0] + 10 * numbers[1], GRADIENT)
            total += numbers.detach().cpu().numpy()
        return dict(zip(("policy_loss", "value_loss", "agreed"), (total / config.rollout_steps).tolist(), strict=True))

    def _lesson(self, batch: FamilyBatch, teachers: Sequence[LookaheadAgent]) -> torch.Tensor:
        """One ply of all games of a batch: the losses of policy and value, and how often it agrees; and play on."""
        config, network, device = self.config, self.network, self.network.device
        seen, masks = batch.observe(), torch.from_numpy(batch.legal_mask).to(device)
        found, leads = np.full(masks.shape, -np.inf, dtype=np.float32), np.zeros(batch.n, dtype=np.float32)
        for game in np.unique(batch.game_of):
            rules, slots = batch.rulesets[game], np.flatnonzero(batch.game_of == game)
            positions, seats, doubled = batch.positions(slots), batch.players[slots], np.zeros(len(slots), np.int64)
            kernels.leads(positions, seats, doubled, rules.encoded.rules)
            found[slots, : rules.num_actions] = teachers[game].worths(rules, positions, seats)
            leads[slots] = doubled / (2 * rules.total_seeds)
        worth = torch.from_numpy(found).to(device).masked_fill(~masks, -torch.inf)
        logits, values = network(network.tensors(seen), network.read(batch.static))
        logs = logits.masked_fill(~masks, -1e9).log_softmax(dim=1)
        target, most = (worth / config.softness).softmax(dim=1), worth.amax(dim=1)
        policy_loss = (target * (target.clamp(min=1e-9).log() - logs)).sum(dim=1).mean()
        lead = torch.from_numpy(leads).to(device) + most / torch.from_numpy(seen["counters"][:, _LEAD[2]]).to(device)
        value_loss = torch.nn.functional.mse_loss(values, torch.tanh(STEEP * lead))
        agreed = torch.gather(worth == most[:, None], 1, logs.argmax(dim=1, keepdim=True)).float().mean()
        drawn = torch.rand(len(logs), 1, device=device)
        odds = torch.where(drawn < 0.1, masks.float(), torch.where(drawn < 0.3, target, logs.detach().exp()))
        batch.play(torch.multinomial(odds, 1).squeeze(1).cpu().numpy())
        return torch.stack((policy_loss, value_loss, agreed))

    def snapshot(self) -> tuple[dict[str, Any], Arrays]:
        """The games, earlier selves, and the generators."""
        arrays: Arrays = {"seats": self.seats.copy()}
        for k, (batch, _) in enumerate(self.classes):
            arrays |= {f"games{k}.{name}": array for name, array in batch.snapshot().items()}
        for k, earlier in enumerate(self.earlier):
            arrays |= checkpoint.weights_arrays(f"earlier{k}", earlier)
        if self.batch.weights is not None:
            arrays["weights"] = self.batch.weights
        generators = [self.random, *(batch.random for batch, _ in self.classes)]
        return {"random": [each.bit_generator.state for each in generators], "earlier": len(self.earlier)}, arrays

    def restore(self, header: Mapping[str, Any], arrays: Arrays) -> None:
        """Go on from a ``snapshot``."""
        for k in range(header["earlier"]):
            self.earlier.append(copy.deepcopy(self.network).requires_grad_(False).eval())
            checkpoint.restore_weights(f"earlier{k}", self.earlier[-1], arrays)
        for k, (batch, _) in enumerate(self.classes):
            batch.restore(checkpoint.under(f"games{k}", arrays))
            batch.random.bit_generator.state = header["random"][1 + k]
        self.batch.weights, self.seats = arrays.get("weights"), arrays["seats"].copy()
        self.random.bit_generator.state = header["random"][0]


train = FamilyLearner.train
main = Command(FamilyLearner.COMMAND, FamilyConfig, train, ("steps",))
