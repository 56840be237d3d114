"""AlphaZero, which trains policy and value by self-play with search: ``python -m training.alphazero --rules kalah``

Every move of self-play is chosen by a search that the network guides; the network learns to predict the results of
the search: the shares of visits as the policy, and the result of the game as the value (Silver et al., Science 362,
2018; expert iteration: Anthony et al., NeurIPS 2017). ``--init_from RUN`` begins with a policy that PPO has trained.

A run is a folder as that of ``training.ppo``: ``policy.safetensors`` is the policy after the last round,
``checkpoint`` the state from which ``--resume`` goes on.
"""

import json
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import InitVar, asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import yaml  # type: ignore[import-untyped]
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from safetensors import SafetensorError
from safetensors.torch import load, save_file

from agents import MctsAgent, make_agent
from agents.evaluation import evaluate
from agents.evaluation.openings import random_opening
from agents.locks import only_one
from agents.policy import card
from agents.policy.agent import PolicyAgent
from agents.policy.card import FILE_NAME
from agents.policy.evaluator import NetworkEvaluator
from agents.policy.files import made_by
from agents.policy.layers import ACTIVATIONS
from agents.policy.network import PolicyNetwork
from agents.provenance import provenance, write_json, write_text
from agents.reading import json_object, read_json, tensor_header
from mancala_env import checks
from mancala_env.cli import GAME, fail
from mancala_env.games import ruleset
from mancala_env.kernels import layout
from mancala_env.observation import make_encoder
from mancala_env.rules import Ruleset
from mancala_env.state import State
from training.cli import check_ranges, command_of, make_parser, parse, read_yaml, renamed, rules_spec, setting
from training.evaluate import report, table

COMMAND = "python -m training.alphazero"
CONFIG, PROVENANCE, EVALUATION, CHECKPOINT = (
    "config.yaml",
    "provenance.json",
    "evaluation.json",
    "checkpoint.safetensors",
)


@dataclass(frozen=True)
class AlphaZeroConfig:
    """Train policy and value of a mancala game by tree search against itself, then score them."""

    rules: str = setting("kalah", GAME)
    encoder: str = setting("onehot", "what the network sees: a key of mancala_env.observation.ENCODERS")
    init_from: str = setting("", "a policy to begin with, of this game or a variant; its encoder and layers then count")
    out: str = setting("", "folder of the run; runs/<game>-alphazero if not given")
    seed: int = setting(0, "fixes the run, given the number of threads: the same seed gives the same weights")
    rounds: int = setting(200, "rounds of self-play and learning")
    minutes: float = setting(0.0, "stop after the first round that ends later than this; 0: no limit")

    layers: tuple[int, ...] = setting((256, 256), "width of each layer shared by policy and value")
    activation: str = setting("relu", "between the layers: relu, tanh or elu")
    action_head: int = setting(0, "units of the layer shared by all actions; 0: none (needs a lookahead encoder)")
    games: int = setting(256, "games played in one batch")
    moves: int = setting(16, "moves played in each of them in a round")
    simulations: int = setting(100, "of the search for each move")
    batch: int = setting(8, "positions of one tree that the network evaluates in one pass")
    exploration: float = setting(1.5, "how much priors and visits weigh against results in the search")
    margin: float = setting(0.5, "how much of the value is the lead at the end, as a share of all seeds")
    noise: float = setting(0.25, "share of Dirichlet noise in the priors of the position searched")
    concentration: float = setting(1.0, "of that noise; a smaller one favours single moves more")
    sampled_plies: int = setting(12, "plies of a game with moves drawn by their visits; then the best is played")
    opening_plies: int = setting(4, "maximum number of random plies at the start of a game")
    buffer: int = setting(120_000, "number of latest positions to learn from")
    passes: float = setting(2.0, "how often each position is learnt from, on average over its time in the buffer")
    batch_size: int = setting(512, "positions in a gradient step")
    learning_rate: float = setting(1e-3, "of Adam, at the start")
    final_learning_rate: float = setting(1e-4, "of Adam, at the end; it falls along a line")
    decay: float = setting(1e-5, "weight decay")
    value_weight: float = setting(1.0, "weight of the value loss relative to the policy loss")
    root_value: float = setting(0.25, "share of the search's value in the target of the value; the rest is the result")

    threads: int = setting(2, "of self-play; the games are shared among them")
    opponents: tuple[str, ...] = setting(("random", "minimax:depth=2", "minimax:depth=4"), "scored against at the end")
    pairs: int = setting(100, "pairs of games against each of them, without search; 0: no scoring")
    search_opponents: tuple[str, ...] = setting((), "scored against at the end, with search")
    search_simulations: int = setting(800, "of that search")
    changes: InitVar[Mapping[str, Any] | None] = None  # of the rules, in files of the last release

    def __post_init__(self, changes: Mapping[str, Any] | None) -> None:
        object.__setattr__(self, "rules", rules_spec(self.rules, changes))
        check_ranges(self, _RANGES)
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, not {self.activation!r}")
        checks.two_players(self.ruleset, "self-play")
        object.__setattr__(self, "encoder", make_encoder(self.encoder, self.ruleset).name)
        for opponent in (*self.opponents, *self.search_opponents):
            make_agent(opponent)

    @cached_property
    def ruleset(self) -> Ruleset:
        """The game."""
        return ruleset(self.rules)

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return Path(self.out or f"runs/{self.ruleset.name}-alphazero")


_ANY = float("inf")
_RANGES: dict[str, tuple[float, float]] = {  # setting: smallest, largest
    "seed": (0, _ANY),
    "rounds": (1, _ANY),
    "minutes": (0, _ANY),
    "action_head": (0, _ANY),
    "games": (1, _ANY),
    "moves": (1, _ANY),
    "simulations": (2, 1_000_000),
    "batch": (1, 65_536),
    "exploration": (0, _ANY),
    "margin": (0, 1),
    "noise": (0, 1),
    "concentration": (1e-3, _ANY),
    "sampled_plies": (0, _ANY),
    "opening_plies": (0, _ANY),
    "buffer": (1, _ANY),
    "passes": (0, _ANY),
    "batch_size": (2, _ANY),
    "learning_rate": (0, 1),
    "final_learning_rate": (0, 1),
    "decay": (0, 1),
    "value_weight": (0, _ANY),
    "root_value": (0, 1),
    "threads": (1, 256),
    "pairs": (0, _ANY),
    "search_simulations": (1, 1_000_000),
}


@dataclass
class _Buffer:
    """The latest positions of self-play, with their legal actions, shares of visits, and the reward of the mover."""

    rows: npt.NDArray[np.int16]
    masks: npt.NDArray[np.bool_]
    visits: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]
    added: int = 0  # positions so far, including those that were overwritten

    @classmethod
    def empty(cls, rules: Ruleset, size: int) -> "_Buffer":
        actions, width = rules.num_actions, rules.fields["width"]
        return cls(
            np.zeros((size, width), dtype=np.int16),
            np.zeros((size, actions), dtype=np.bool_),
            np.zeros((size, actions), dtype=np.float32),
            np.zeros(size, dtype=np.float32),
        )

    def __len__(self) -> int:
        return min(self.added, len(self.rows))

    def add(self, row: Any, mask: Any, visits: Any, value: float) -> None:
        place = self.added % len(self.rows)
        self.rows[place], self.masks[place], self.visits[place], self.values[place] = row, mask, visits, value
        self.added += 1


@dataclass
class _Game:
    """A game of self-play in progress, and the positions to learn from."""

    state: State
    begun: int  # plies of its opening
    told: list[tuple[Any, Any, Any, float, int]] = field(default_factory=list)  # row, mask, visits, value, mover


class SelfPlay:
    """Games of self-play by a search that the network guides.

    Parameters
    ----------
    config : AlphaZeroConfig
    network : PolicyNetwork
        Guides the search; the learner changes its weights between two rounds.
    random : numpy.random.Generator
    """

    def __init__(self, config: AlphaZeroConfig, network: PolicyNetwork, random: np.random.Generator) -> None:
        self._config, self._random = config, random
        self._agents = [
            MctsAgent(
                config.simulations,
                config.exploration,
                seed=int(random.integers(2**31)),
                margin=config.margin,
                evaluate=NetworkEvaluator(network),
                batch=config.batch,
            )
            for _ in range(config.threads)
        ]
        self._noise = [np.random.default_rng(random.integers(2**63)) for _ in range(config.threads)]
        self._games = [self._begin() for _ in range(config.games)]
        self.lengths: list[int] = []  # plies of the games that ended in the last round

    def play(self, buffer: _Buffer, pool: ThreadPoolExecutor) -> int:
        """Play a round; finished games go into the buffer. Returns the number of positions added."""
        before, self.lengths = buffer.added, []
        parts = [range(k, len(self._games), len(self._agents)) for k in range(len(self._agents))]
        for _ in range(self._config.moves):
            searches = list(pool.map(self._search, range(len(parts)), parts))
            for part, found in zip(parts, searches, strict=True):
                for game, search in zip(part, found, strict=True):
                    self._move(game, search, buffer)
        return buffer.added - before

    def _search(self, thread: int, games: Sequence[int]) -> list[Any]:
        config, noise = self._config, self._noise[thread]

        def disturb(priors: npt.NDArray[np.float32], masks: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
            drawn = noise.gamma(config.concentration, size=priors.shape) * masks
            drawn /= np.maximum(drawn.sum(axis=1, keepdims=True), 1e-12)
            return (1 - config.noise) * priors + config.noise * drawn

        return self._agents[thread].search_all([self._games[k].state for k in games], disturb)

    def _move(self, place: int, search: Any, buffer: _Buffer) -> None:
        config, game = self._config, self._games[place]
        state = game.state
        visits = search.visits.astype(np.float64)
        shares = visits / visits.sum() if search.result is None and visits.any() else _only(search.best, len(visits))
        game.told.append((state.array, state.legal_mask, shares, search.value, state.player))
        action = search.best
        if state.ply - game.begun < config.sampled_plies:
            action = int(self._random.choice(len(shares), p=shares))
        game.state = state.play(action)
        if game.state.is_over:
            for row, mask, seen, value, mover in game.told:
                result = reward(game.state, mover, config.margin)
                buffer.add(row, mask, seen, (1 - config.root_value) * result + config.root_value * value)
            self.lengths.append(game.state.ply)
            self._games[place] = self._begin()

    def _begin(self) -> _Game:
        plies = int(self._random.integers(self._config.opening_plies + 1))
        state = random_opening(self._config.ruleset, plies, self._random)
        return _Game(state, state.ply)


def reward(state: State, player: int, margin: float) -> float:
    """The reward of a finished game for a player, in -1..1: the result, and by ``margin`` the lead as a share."""
    result = float(state.returns[player])
    if not margin or state.scores is None:
        return result
    lead = (state.scores[player] - state.scores[1 - player]) / state.rules.total_seeds
    return (1 - margin) * result + margin * float(lead)


def _only(action: int, actions: int) -> npt.NDArray[np.float64]:
    shares = np.zeros(actions)
    shares[action] = 1.0
    return shares


def learn(
    network: PolicyNetwork,
    optimizer: torch.optim.Optimizer,
    buffer: _Buffer,
    steps: int,
    config: AlphaZeroConfig,
    random: np.random.Generator,
) -> tuple[float, float]:
    """Gradient steps on positions drawn from the buffer. Returns the mean losses of policy and value."""
    network.requires_grad_(True)
    mover = config.ruleset.board.pits + layout.MOVER
    losses = np.zeros(2)
    for _ in range(steps):
        drawn = random.integers(len(buffer), size=config.batch_size)
        rows = buffer.rows[drawn]
        seen = torch.from_numpy(network.encoder(rows, rows[:, mover].astype(np.int8)))
        logits, values = network(seen)
        logits = logits.masked_fill(torch.from_numpy(~buffer.masks[drawn]), -1e9)
        policy_loss = -(torch.from_numpy(buffer.visits[drawn]) * torch.log_softmax(logits, dim=1)).sum(dim=1).mean()
        value_loss = torch.nn.functional.mse_loss(values, torch.from_numpy(buffer.values[drawn]))
        loss = policy_loss + config.value_weight * value_loss
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses += policy_loss.item(), value_loss.item()
    network.requires_grad_(False)
    if not np.isfinite(losses).all():
        raise FloatingPointError("the loss is not finite any more; a lower learning_rate would help")
    return losses[0] / max(1, steps), losses[1] / max(1, steps)


# Settings that may change between stop and resume.
_FREE = frozenset(
    {"out", "rounds", "minutes", "threads", "opponents", "pairs", "search_opponents", "search_simulations"}
)


def train(config: AlphaZeroConfig, *, overwrite: bool = False, resume: bool = False, console: Console) -> None:
    """Train and write the run folder. Ctrl-C ends the training after the round in progress.

    Raises
    ------
    FileExistsError
        If the folder holds a run and neither ``overwrite`` nor ``resume`` is True.
    ValueError
        If there is nothing to resume, or ``init_from`` is of another game.
    Locked
        If another process trains in this folder.
    FloatingPointError
        If the loss is not finite any more. The policy and the checkpoint of the round before stay.
    """
    if resume and not (config.folder / CONFIG).is_file():
        raise ValueError(f"{config.folder} holds no run to resume: there is no {CONFIG}")
    with only_one(config.folder, "trains"):
        _train(config, overwrite, resume, console)


def _train(config: AlphaZeroConfig, overwrite: bool, resume: bool, console: Console) -> None:
    """``train``, by the only process that works in the folder of the run."""
    torch.set_num_threads(1)
    folder = config.folder
    if (folder / CONFIG).exists() and not overwrite and not resume:
        raise FileExistsError(f"{folder} holds a run already; --resume it, choose another --out, or --overwrite it")
    network = _network(config)
    optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate, weight_decay=config.decay)
    buffer = _Buffer.empty(config.ruleset, config.buffer)
    done, seconds = 0, 0.0
    if resume:
        _check_settings(config)
        done, seconds = _restore(folder, network, optimizer, buffer)
        made = read_json(folder / PROVENANCE)
        now = {"at": done, "until": config.rounds, "minutes": config.minutes}
        made["resumed"] = [*made.get("resumed", []), {**now, **provenance(config.ruleset, config.seed)}]
    else:
        (folder / CHECKPOINT).unlink(missing_ok=True)
        begun_with = {"begun_with": made_by(config.init_from)} if config.init_from else {}
        made = {"command": command_of(config, COMMAND), **begun_with, **provenance(config.ruleset, config.seed)}
    write_json(folder / PROVENANCE, made)
    write_text(folder / CONFIG, yaml.safe_dump(_settings(config), sort_keys=False))
    for old in (card.beside(folder / FILE_NAME), folder / EVALUATION):
        old.unlink(missing_ok=True)
    random = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(done,)))
    games = SelfPlay(config, network, random)
    begin = time.perf_counter() - seconds
    bar = Progress(
        BarColumn(), TextColumn("{task.completed}/{task.total} rounds, {task.description}"), TimeElapsedColumn(),
        console=console,
    )  # fmt: skip
    with bar, ThreadPoolExecutor(config.threads) as pool:
        shown = bar.add_task("begins", total=config.rounds, completed=done)
        try:
            while done < config.rounds and not 0 < 60 * config.minutes <= time.perf_counter() - begin:
                part = max(done / config.rounds, (time.perf_counter() - begin) / (60 * config.minutes or 1e9))
                for group in optimizer.param_groups:
                    group["lr"] = config.learning_rate + part * (config.final_learning_rate - config.learning_rate)
                new = games.play(buffer, pool)
                steps = round(new * config.passes / config.batch_size)
                losses = learn(network, optimizer, buffer, steps, config, random) if len(buffer) else (0.0, 0.0)
                done += 1
                network.save(folder / FILE_NAME)
                if done % 10 == 0 or done == config.rounds:
                    _keep(folder, network, optimizer, buffer, done, time.perf_counter() - begin)
                told = f"{buffer.added:,} positions, policy loss {losses[0]:.3f}, value loss {losses[1]:.3f}"
                bar.update(shown, completed=done, description=told)
                if not console.is_terminal and done % 10 == 0:
                    console.print(f"round {done}: {told}, {time.perf_counter() - begin:.0f} s")
        except KeyboardInterrupt:
            console.print(f"stopped after {done} of {config.rounds} rounds; --resume goes on")
    _keep(folder, network, optimizer, buffer, done, time.perf_counter() - begin)
    made["training"] = {"rounds": done, "positions": buffer.added, "seconds": round(time.perf_counter() - begin, 1)}
    write_json(folder / PROVENANCE, made)
    network.save(folder / FILE_NAME)  # missing before the first round, or older than the checkpoint
    card.write(folder / FILE_NAME, network, made, _settings(config), None)


def score(config: AlphaZeroConfig, console: Console) -> None:
    """Play the run's policy, without and with search, print the tables and write them to the run folder."""
    results = []
    for player, opponents in (
        (PolicyAgent(config.folder), config.opponents),
        (make_agent(f"mcts:simulations={config.search_simulations},network={config.folder}"), config.search_opponents),
    ):
        if opponents:
            found = evaluate(player, opponents, config.ruleset, pairs=config.pairs, seed=config.seed)
            console.print(table(found, f"{player.name}: {config.ruleset.name}, {config.pairs} pairs"))
            results += found
    scores = report(results, config.ruleset, config.seed, opening_plies=4)
    write_json(config.folder / EVALUATION, scores)
    weights = config.folder / FILE_NAME
    made = read_json(config.folder / PROVENANCE)
    card.write(weights, PolicyNetwork.load(weights), made, _settings(config), scores)


def _settings(config: AlphaZeroConfig) -> dict[str, Any]:
    """The config as plain data for YAML and JSON."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(config).items()}


def _check_settings(config: AlphaZeroConfig) -> None:
    """Refuse to go on with a run that was made with other settings. Raises ValueError."""
    try:
        saved = renamed(read_yaml(config.folder / CONFIG))
        saved["rules"] = rules_spec(saved.get("rules", config.rules), saved.get("changes"))
    except (FileNotFoundError, ValueError) as error:
        raise ValueError(f"{config.folder} holds no run to resume: {error}") from None
    for name, value in _settings(config).items():
        if name not in _FREE and saved.get(name, value) != value:
            raise ValueError(f"the run has {name} {saved[name]}, not {value}: resume it with that, or begin another")


def _network(config: AlphaZeroConfig) -> PolicyNetwork:
    if not config.init_from:
        torch.manual_seed(int(np.random.SeedSequence(config.seed, spawn_key=(1 << 20,)).generate_state(1)[0]))
        return PolicyNetwork(config.ruleset, config.encoder, config.layers, config.activation, config.action_head)
    network = PolicyNetwork.load(config.init_from)
    shape = network.encoder.name, network.layers, network.activation, network.action_head
    fresh = PolicyNetwork(config.ruleset, *shape)
    if network.rules.name != config.ruleset.name or network.encoder.shape != fresh.encoder.shape:
        raise ValueError(
            f"--init_from {config.init_from} plays {network.rules.name} on another board or by other rules"
        )
    fresh.load_state_dict(network.state_dict())
    return fresh


def _keep(
    folder: Path, network: PolicyNetwork, optimizer: torch.optim.Adam, buffer: _Buffer, rounds: int, seconds: float
) -> None:
    """Write the checkpoint in one step."""
    arrays = {f"network.{name}": weights for name, weights in network.state_dict().items()}
    for index, state in optimizer.state_dict()["state"].items():
        arrays |= {f"adam.{index}.{name}": torch.as_tensor(value) for name, value in state.items()}
    for name in ("rows", "masks", "visits", "values"):
        arrays[f"buffer.{name}"] = torch.from_numpy(getattr(buffer, name)[: len(buffer)].copy())
    unfinished = folder / f".{CHECKPOINT}.unfinished"
    about = {"rounds": rounds, "seconds": seconds, "added": buffer.added}
    save_file(
        {name: array.contiguous() for name, array in arrays.items()}, unfinished, {"alphazero": json.dumps(about)}
    )
    unfinished.replace(folder / CHECKPOINT)


def _restore(folder: Path, network: PolicyNetwork, optimizer: torch.optim.Adam, buffer: _Buffer) -> tuple[int, float]:
    """Restore the checkpoint; returns the rounds and seconds of the run so far."""
    try:
        with (folder / CHECKPOINT).open("rb") as file:
            about = json_object(tensor_header(file)[0]["alphazero"])
            file.seek(0)
            arrays = load(file.read())
    except FileNotFoundError:
        raise ValueError(f"{folder} holds no checkpoint to resume") from None
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{folder / CHECKPOINT} is no checkpoint of this program, or is damaged: {error}") from None
    try:
        return _filled(about, arrays, network, optimizer, buffer)
    except (LookupError, TypeError, ValueError, RuntimeError, OverflowError, AttributeError) as error:
        raise ValueError(f"{folder / CHECKPOINT} does not fit the run: {' '.join(str(error).split())}") from None


def _filled(
    about: dict[str, Any],
    arrays: dict[str, torch.Tensor],
    network: PolicyNetwork,
    optimizer: torch.optim.Adam,
    buffer: _Buffer,
) -> tuple[int, float]:
    """``_restore``, from the content of the file."""
    network.load_state_dict({name[8:]: array for name, array in arrays.items() if name.startswith("network.")})
    moments: dict[int, dict[str, Any]] = {}
    for name, array in arrays.items():
        if name.startswith("adam."):
            _, index, key = name.split(".")
            moments.setdefault(int(index), {})[key] = array
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
    count = min(len(arrays["buffer.rows"]), len(buffer.rows))
    for key in ("rows", "masks", "visits", "values"):
        getattr(buffer, key)[:count] = arrays[f"buffer.{key}"][:count].numpy()
    buffer.added = about["added"] if about["added"] >= len(buffer.rows) else count
    return int(about["rounds"]), float(about["seconds"])


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = make_parser(AlphaZeroConfig, COMMAND)
    parser.add_argument("--overwrite", action="store_true", help="replace the run that the folder holds")
    parser.add_argument("--resume", action="store_true", help="go on with the run that the folder holds")
    config, more = parse(parser, AlphaZeroConfig, arguments)
    console = Console()
    try:
        train(config, overwrite=more["overwrite"], resume=more["resume"], console=console)
        if config.pairs:
            score(config, console)
    except (ValueError, OSError) as error:
        fail(parser.prog, error)
    except FloatingPointError as error:
        fail(parser.prog, error, status=3)
    except KeyboardInterrupt:
        parser.exit(130, f"{parser.prog}: stopped before the scores were known; the policy is written\n")


if __name__ == "__main__":
    main()
