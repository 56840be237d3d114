"""Train a policy by self-play with MaskablePPO: ``python -m training.ppo --rules oware``

A run is a folder: ``config.yaml`` and ``provenance.json`` say how to make it again, ``policy.safetensors`` is the
policy (``agents.network``), ``policy.json`` describes it when the run has finished (``agents.sidecar``),
``evaluation.json`` is its score table, ``tensorboard/`` the curves, ``maskable_ppo.zip`` the learner to go on with in
stable-baselines3. A run that was stopped, however, goes on from ``checkpoint.safetensors`` with ``--resume`` and ends
with the same weights.

The command exits with status 2 where it refuses what it was asked, and 3 where training diverged.
"""

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml  # type: ignore[import-untyped]
from jsonargparse import ArgumentParser
from rich.console import Console
from stable_baselines3.common.logger import Logger

from agents import make_agent, sidecar
from agents.evaluation import Result, evaluate
from agents.locks import only_one
from agents.network import ACTIVATIONS, FILE_NAME, PolicyAgent, PolicyNetwork, made_by
from agents.openings import openings
from agents.reading import read_json
from agents.results import provenance, write_json, write_text
from agents.together import RowsAgent, rows_agent
from mancala_env.games import ruleset
from mancala_env.observation import make_encoder
from mancala_env.rules import Ruleset
from training import checkpoint
from training.checkpoint import Checkpoint, CheckpointError
from training.command import (
    check_ranges,
    command_of,
    fail,
    make_console,
    make_parser,
    options,
    parse,
    read_yaml,
    setting,
)
from training.evaluate import report, table
from training.learner import ZIP, Diverged, Learner, Line, NetworkPolicy, TrunkFeatures, export
from training.progress import CurvePoint, Curves, SelfPlayProgress, warner
from training.selfplay import OpponentPool, SelfPlayVecEnv, begin_with, copy_weights

COMMAND = "python -m training.ppo"
CONFIG, PROVENANCE, EVALUATION, CURVES = "config.yaml", "provenance.json", "evaluation.json", "tensorboard"


@dataclass(frozen=True)
class PPOConfig:
    """Train a policy for a mancala game by self-play (MaskablePPO of sb3-contrib), then score it.

    Where training/configs holds a file for the game, its settings are the defaults.
    """

    rules: str = setting("oware", "the game: a key of mancala_env.RULESETS")
    changes: dict[str, Any] = field(
        default_factory=dict, metadata={"help": "changes of its rules, as --changes.seeds 3"}
    )
    encoder: str = setting("onehot", "what the policy sees: a key of mancala_env.observation.ENCODERS")
    out: str = setting("", "folder of the run; runs/<rules> if not given")
    seed: int = setting(0, "fixes the run: the same seed gives the same weights")
    start: str = setting("", "a policy to begin with, of this game and with these layers: a run, or zoo:NAME")
    steps: int = setting(3_500_000, "decisions of the learner, in all games together")

    layers: tuple[int, ...] = setting((256, 256), "width of each layer shared by policy and value")
    activation: str = setting("relu", "between the layers: relu, tanh or elu")
    towers: int = setting(0, "units of the layer that looks at each action alike; 0: none (needs an action encoder)")
    envs: int = setting(512, "games played side by side")
    rollout_steps: int = setting(64, "decisions in each game between two updates")
    batch_size: int = setting(1024, "decisions in a gradient step; divides envs x rollout_steps")
    epochs: int = setting(2, "passes over the decisions of a rollout")
    learning_rate: float = setting(2e-3, "of Adam, at the start")
    final_learning_rate: float = setting(5e-5, "of Adam, at the end; it falls along a line")
    gamma: float = setting(0.995, "discount per decision")
    gae_lambda: float = setting(0.6, "of generalised advantage estimation: 0 trusts the value network, 1 the result")
    clip: float = setting(0.2, "how far an update may move the odds of an action")
    entropy: float = setting(0.01, "reward for playing unpredictably")
    value_weight: float = setting(0.5, "of the value loss beside the policy loss")
    shaping: float = setting(1.0, "reward for taking the lead in captured seeds, as a potential; 0: only results count")

    game_opening_plies: int = setting(0, "at most so many random plies at the start of each game of training")

    pool_size: int = setting(8, "earlier selves kept as opponents")
    pool_every: int = setting(5, "rollouts between two of them")
    latest_share: float = setting(0.5, "share of games against the learner as it is now")
    random_share: float = setting(0.0, "share of games against random moves")
    anchors: tuple[str, ...] = setting((), "players of fixed strength to be met as well, as minimax:depth=4")
    anchor_share: float = setting(0.0, "share of games against anchors, evenly; the rest meets earlier selves")

    prioritised: float = setting(0.0, "0: earlier selves are met evenly; else the more, the harder they are to beat")

    save_every: int = setting(10, "rollouts between two writings of policy and checkpoint")
    curve_every: int = setting(10, "rollouts between two points of the curves against curve_opponents; 0: none")
    curve_opponents: tuple[str, ...] = setting(("random", "minimax:depth=2"), "scored against while training")
    curve_pairs: int = setting(25, "pairs of games against each of them")
    threads: int = setting(1, "threads of torch; for networks this small, one is fastest")
    opponents: tuple[str, ...] = setting(("random", "minimax:depth=2", "minimax:depth=4"), "scored against at the end")
    pairs: int = setting(100, "pairs of games against each of them; 0: no scoring")
    opening_plies: int = setting(4, "random plies at the start of each pair")
    export_sb3: bool = setting(True, "write maskable_ppo.zip at the end, to go on with in stable-baselines3")

    def __post_init__(self) -> None:
        check_ranges(self, _RANGES)
        if not self.layers or min(self.layers) < 1:
            raise ValueError(f"layers must be one or more widths of at least 1, not {list(self.layers)}")
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, not {self.activation!r}")
        if self.rollout % self.batch_size:
            raise ValueError(
                f"batch_size must divide a rollout, {self.envs} envs x {self.rollout_steps} rollout_steps = "
                f"{self.rollout} decisions, and {self.batch_size} does not"
            )
        shares = (self.latest_share, self.random_share, self.anchor_share)
        if sum(shares) > 1 + 1e-9:
            raise ValueError(
                "latest_share, random_share and anchor_share are shares of all games, and "
                f"{' + '.join(map(str, shares))} is more than 1"
            )
        if bool(self.anchors) != bool(self.anchor_share):
            raise ValueError(
                f"anchors are met in anchor_share of all games: {list(self.anchors)} and {self.anchor_share} do not fit"
            )
        for anchor in self.anchors:
            if rows_agent(make_agent(anchor)) is None:
                raise ValueError(
                    f"{anchor} cannot be an anchor, it does not answer for many games at once: take random, greedy, "
                    "minimax:depth=N or ppo:PATH"
                )
        encoder = make_encoder(self.encoder, self.ruleset)
        if self.towers and encoder.blocks is None:
            raise ValueError(f"encoder {self.encoder!r} shows nothing of single actions: towers must be 0")
        for opponent in (*self.anchors, *self.opponents, *self.curve_opponents):
            agent = make_agent(opponent)
            if isinstance(agent, PolicyAgent) and agent.allow_rules == "near":
                agent.encoder_of(self.ruleset)  # refuses rules that are not near
                continue
            rules = getattr(agent, "rules", self.ruleset)
            if rules != self.ruleset:
                raise ValueError(
                    f"{opponent} plays {rules.name} with the rules it was trained on, and the run is of "
                    f"{self.ruleset.name} with others: choose other opponents"
                )
        if self.pairs or self.curve_every:
            openings(self.ruleset, self.opening_plies, 1, self.seed)

    @cached_property
    def ruleset(self) -> Ruleset:
        """The game with its changes."""
        return ruleset(self.rules, **self.changes)

    @property
    def rollout(self) -> int:
        """Decisions between two updates."""
        return self.envs * self.rollout_steps

    @property
    def curve_seed(self) -> int:
        """Of the games against ``curve_opponents``, the same for all points of a run."""
        return int(np.random.SeedSequence(self.seed).spawn(4)[3].generate_state(1)[0])

    @property
    def folder(self) -> Path:
        """Where the run lives."""
        return Path(self.out or f"runs/{self.ruleset.name}")


_ANY = float("inf")
_RANGES: dict[str, tuple[float, float]] = {  # setting: smallest, largest
    "seed": (0, _ANY),
    "steps": (1, _ANY),
    "towers": (0, _ANY),
    "envs": (1, _ANY),
    "rollout_steps": (1, _ANY),
    "batch_size": (2, _ANY),
    "epochs": (1, _ANY),
    "learning_rate": (0, 1),
    "final_learning_rate": (0, 1),
    "gamma": (0, 1),
    "gae_lambda": (0, 1),
    "clip": (0, 1),
    "entropy": (0, _ANY),
    "value_weight": (0, _ANY),
    "shaping": (0, _ANY),
    "pool_size": (0, _ANY),
    "pool_every": (1, _ANY),
    "latest_share": (0, 1),
    "random_share": (0, 1),
    "anchor_share": (0, 1),
    "prioritised": (0, _ANY),
    "save_every": (1, _ANY),
    "curve_every": (0, _ANY),
    "curve_pairs": (1, _ANY),
    "threads": (1, _ANY),
    "pairs": (0, _ANY),
    "opening_plies": (0, _ANY),
    "game_opening_plies": (0, _ANY),
}


# Settings that may change between stop and resume: the weights do not depend on them; steps make the run longer.
_FREE = frozenset(
    {"out", "steps", "save_every", "threads", "opponents", "pairs", "opening_plies", "export_sb3"}
    | {"curve_every", "curve_opponents", "curve_pairs"}
)


@dataclass(frozen=True)
class Trained:
    """What ``train`` hands back.

    Attributes
    ----------
    steps : int
        Fewer than asked for if the training was stopped.
    results : list of Result
        Scores of the final policy; none without ``pairs``.
    curve : list of CurvePoint
        The scores against ``curve_opponents`` on the way, since the run began or went on.
    """

    steps: int
    results: list[Result]
    curve: list[CurvePoint]


def train(
    config: PPOConfig, *, overwrite: bool = False, resume: bool = False, console: Console | None = None
) -> Trained:
    """Train, write the run folder, and score the policy. Ctrl-C ends the training early; the rest still happens.

    Parameters
    ----------
    config : PPOConfig
    overwrite : bool
        Replace the run that the folder holds.
    resume : bool
        Go on with the run that the folder holds, from its checkpoint. The weights at the end are those of a run that
        was never stopped, unless ``steps`` is another: the learning rate falls along a line to the last step.

    Raises
    ------
    FileExistsError
        If the folder holds a run and neither ``overwrite`` nor ``resume`` is True.
    CheckpointError
        If there is nothing to resume.
    Locked
        If another process trains in this folder.
    Diverged
        If an update leaves a loss or weights that are not finite. The last checkpoint and policy file stay as they are.
    """
    console = console or make_console()
    if resume and not (config.folder / CONFIG).is_file():
        raise CheckpointError(f"{config.folder} holds no run to resume: there is no {CONFIG}")
    with only_one(config.folder, "trains"):
        return _train(config, overwrite, resume, console)


def _train(config: PPOConfig, overwrite: bool, resume: bool, console: Console) -> Trained:
    """``train``, by the only process that works in the folder of the run."""
    torch.set_num_threads(config.threads)
    network = PolicyNetwork(
        config.ruleset, config.encoder, config.layers, config.activation, config.towers, config.shaping
    )
    about = checkpoint.describe(config.ruleset, config.encoder, _settings(config), config.seed)
    start = _find_start(config, about, console) if resume else None
    first = _first(config, network) if config.start and start is None else None
    anchors = _anchors(config)
    made = _go_on(config, start, anchors) if resume else _prepare(config, overwrite, anchors)
    model, progress = _learner(config, network, console, about, start, first, anchors)
    try:
        with progress.bar:
            if model.num_timesteps < config.steps:
                model.learn(config.steps - model.num_timesteps, progress, reset_num_timesteps=start is None)
    except KeyboardInterrupt:
        console.print(f"stopped after {model.num_timesteps:,} of {config.steps:,} steps; --resume goes on")
    except Diverged as error:
        raise Diverged(
            f"training diverged: {error}, most likely because learning_rate {config.learning_rate} is too high: train "
            f"anew with a lower one; {progress.last_checkpoint}"
        ) from None
    finally:
        model.logger.close()
    progress.keep()
    copy_weights(model, network)
    network.save(config.folder / FILE_NAME)
    seconds = progress.seconds
    made["training"] = {"steps": model.num_timesteps, "seconds": round(seconds, 1)}
    write_json(config.folder / PROVENANCE, made)
    sidecar.write(config.folder / FILE_NAME, network, made, _settings(config), None)
    if config.export_sb3:
        _export(model, config.folder, console)
    console.print(f"{model.num_timesteps:,} steps in {seconds:.0f} s; the policy is {config.folder / FILE_NAME}")
    results = []
    if config.pairs:
        results = score(config, console)
        sidecar.write(config.folder / FILE_NAME, network, made, _settings(config), _read(config.folder / EVALUATION))
    return Trained(model.num_timesteps, results, progress.curve)


def score(config: PPOConfig, console: Console) -> list[Result]:
    """Play the run's policy against ``config.opponents``, print the table and write it to the run folder."""
    evaluation_seed = int(np.random.SeedSequence(config.seed).spawn(3)[2].generate_state(1)[0])
    results = evaluate(
        PolicyAgent(config.folder),
        config.opponents,
        config.ruleset,
        pairs=config.pairs,
        opening_plies=config.opening_plies,
        seed=evaluation_seed,
    )
    write_json(
        config.folder / EVALUATION, report(results, config.ruleset, evaluation_seed, opening_plies=config.opening_plies)
    )
    console.print(table(results, f"{config.folder}: {config.ruleset.name}, {config.pairs} pairs"))
    return results


def _settings(config: PPOConfig) -> dict[str, Any]:
    """The config as YAML and JSON take it."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(config).items()}


def _anchors(config: PPOConfig) -> list[RowsAgent]:
    return [agent for agent in map(rows_agent, map(make_agent, config.anchors)) if agent is not None]


def _weights_of(anchors: Sequence[RowsAgent]) -> dict[str, Any]:
    """Which weights those anchors have that are networks, for ``provenance``."""
    networks = {agent.name: agent.network.digest for agent in anchors if isinstance(agent, PolicyAgent)}
    return {"anchors": networks} if networks else {}


def _prepare(config: PPOConfig, overwrite: bool, anchors: Sequence[RowsAgent] = ()) -> dict[str, Any]:
    """Make the run folder and write down how the run is made; returns ``provenance``."""
    folder = config.folder
    begun_with = {"begun_with": made_by(config.start)} if config.start else {}
    if (folder / CONFIG).exists() and not overwrite:
        raise FileExistsError(f"{folder} holds a run already; --resume it, choose another --out, or --overwrite it")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE_NAME).unlink(missing_ok=True)
    _remove_results(folder)
    checkpoint.remove(folder)
    shutil.rmtree(folder / CURVES, ignore_errors=True)
    more = {**begun_with, **_weights_of(anchors)}
    made = {"command": command_of(config, COMMAND), **more, **provenance(config.ruleset, config.seed)}
    write_json(folder / PROVENANCE, made)
    write_text(folder / CONFIG, yaml.safe_dump(_settings(config), sort_keys=False))
    return made


def _find_start(config: PPOConfig, about: dict[str, Any], console: Console) -> Checkpoint | None:
    """The checkpoint from which a run goes on; None if it was stopped before its first."""
    folder = config.folder
    warn = warner(console)
    start = checkpoint.read(folder, warn)
    if start is None:
        if (folder / FILE_NAME).exists():
            raise CheckpointError(f"{folder} holds a policy but no checkpoint: there is nothing to go on from")
        warn(f"{folder} holds no checkpoint yet: starts from the beginning")
        return None
    checkpoint.check(start, about, _FREE, warn)
    scored = (folder / EVALUATION).exists() or not config.pairs
    if (
        start.steps >= config.steps
        and scored
        and _read(folder / PROVENANCE).get("training", {}).get("steps") == start.steps
    ):
        raise CheckpointError(f"{folder} has finished its {start.steps:,} steps; larger --steps make it longer")
    return start


def _first(config: PPOConfig, network: PolicyNetwork) -> PolicyNetwork:
    """The policy to begin with, which is of the same kind as ``network``."""
    first = PolicyNetwork.load(config.start)
    own, other = ((each.rules.name, each.encoder.name, each.encoder.shape) for each in (network, first))
    if own != other:
        raise ValueError(
            f"--start {config.start} plays {first.rules.id} and sees {first.encoder.name}; this run is of "
            f"{network.rules.id} and sees {config.encoder}"
        )
    for name in ("layers", "activation", "towers"):
        if (its := getattr(first, name)) != getattr(network, name):
            shown = " ".join(map(str, its)) if isinstance(its, tuple) else its
            raise ValueError(f"--start {config.start} has other {name}: add --{name} {shown}")
    return first


def _go_on(config: PPOConfig, start: Checkpoint | None, anchors: Sequence[RowsAgent] = ()) -> dict[str, Any]:
    """Note in the run folder that the run goes on; returns its ``provenance``."""
    folder = config.folder
    now = {**_weights_of(anchors), **provenance(config.ruleset, config.seed)}
    made = _read(folder / PROVENANCE) or {"command": command_of(config, COMMAND), **now}
    for name, weights in now.get("anchors", {}).items():
        if made.get("anchors", {}).get(name) != weights:
            raise CheckpointError(f"the anchor {name} is no more the one that the run began with: bring it back")
    _remove_results(folder)
    made.pop("training", None)
    at = start.steps if start else 0
    made["resumed"] = [*made.get("resumed", []), {"at": at, "until": config.steps, **now}]
    write_json(folder / PROVENANCE, made)
    write_text(folder / CONFIG, yaml.safe_dump(_settings(config), sort_keys=False))
    return made


def _remove_results(folder: Path) -> None:
    """Delete what a run writes when it has finished, but for the policy itself."""
    for old in (folder / EVALUATION, sidecar.beside(folder / FILE_NAME), folder / ZIP):
        old.unlink(missing_ok=True)


def _export(model: Learner, folder: Path, console: Console) -> None:
    try:
        export(model, folder)
    except OSError as error:
        warner(console)(f"{folder / ZIP} could not be written ({error.strerror or error})")


def _read(path: Path) -> dict[str, Any]:
    """What a JSON file of the run says; nothing if it cannot be read."""
    try:
        return read_json(path)
    except (OSError, ValueError):
        return {}


def _learner(
    config: PPOConfig,
    network: PolicyNetwork,
    console: Console,
    about: dict[str, Any] | None = None,
    start: Checkpoint | None = None,
    first: PolicyNetwork | None = None,
    anchors: Sequence[RowsAgent] = (),
) -> tuple[Learner, SelfPlayProgress]:
    """The learner with its games, and what happens beside its updates; at ``start``, or playing as ``first`` does."""
    learner_seed, games_seed, _ = (
        int(sequence.generate_state(1)[0]) for sequence in np.random.SeedSequence(config.seed).spawn(3)
    )
    pool = OpponentPool(
        network,
        config.pool_size,
        latest_share=config.latest_share,
        random_share=config.random_share,
        prioritised=config.prioritised,
        anchors=anchors,
        anchor_share=config.anchor_share,
    )
    env = SelfPlayVecEnv(
        config.ruleset,
        pool,
        config.envs,
        encoder=config.encoder,
        gamma=config.gamma,
        shaping=config.shaping,
        opening_plies=config.game_opening_plies,
    )
    model = Learner(
        NetworkPolicy,
        env,
        learning_rate=Line(config.learning_rate, config.final_learning_rate),
        n_steps=config.rollout_steps,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        ent_coef=config.entropy,
        vf_coef=config.value_weight,
        policy_kwargs={
            "features_extractor_class": TrunkFeatures,
            "features_extractor_kwargs": {
                "rules": config.ruleset,
                "encoder": config.encoder,
                "layers": config.layers,
                "activation": config.activation,
                "towers": config.towers,
            },
            "net_arch": [],
        },
        seed=learner_seed,
        device="cpu",
    )
    env.seed(games_seed)
    if first is not None:
        begin_with(model, first)
    copy_weights(model, pool.latest)  # it opens games in the reset, before the first rollout begins
    progress = SelfPlayProgress(config, pool, console, about or {}, start)
    curves = config.folder / CURVES
    model.set_logger(Logger(str(curves), [Curves(curves, start.steps + 1 if start else 0, progress.warn)]))
    if start:
        checkpoint.restore(start, model, pool)
    return model, progress


def game_defaults(rules: str) -> dict[str, Any]:
    """The settings that are better for a game than the defaults of ``PPOConfig``: ``training/configs/<rules>.yaml``."""
    path = Path(__file__).parent / "configs" / f"{rules}.yaml"
    return read_yaml(path) if path.is_file() else {}


def _parser() -> ArgumentParser:
    parser = make_parser(PPOConfig, COMMAND)
    parser.add_argument("--overwrite", action="store_true", help="replace the run that the folder holds")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on with the run that the folder holds, with its own settings; only --steps may make it longer",
    )
    return parser


def read_config(folder: Path) -> PPOConfig:
    """The config of the run in a folder, wherever it was when it was made.

    Raises
    ------
    CheckpointError
        If there is none, or it is damaged.
    """
    path = folder / CONFIG
    if not path.is_file():
        raise CheckpointError(f"{folder} holds no run: there is no {CONFIG}")
    try:
        saved = read_yaml(path)
        settings: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in saved.items()}
        return replace(PPOConfig(**settings), out=str(folder))
    except (AttributeError, TypeError, ValueError, OverflowError, FileNotFoundError) as error:
        raise CheckpointError(f"{path} is not the config of a run that can go on: {error}") from None


def _config_of_run(folder: Path, arguments: Sequence[str] | None) -> PPOConfig:
    """The config of the run that a command line resumes: as ``config.yaml`` has it, but for ``out`` and ``steps``."""
    own = read_config(folder)
    parser, saved = _parser(), _settings(own)
    parser.set_defaults({name: value for name, value in saved.items() if name != "changes"})
    asked = options(parser, arguments)
    if ignored := [name for name in saved if name not in ("out", "steps", "changes") and asked[name] != saved[name]]:
        warner(Console(stderr=True))(f"the run keeps its own settings; ignored: {', '.join(ignored)}")
    if asked["steps"] < 1:
        raise CheckpointError(f"steps must be 1 or more, not {asked['steps']}")
    return replace(own, steps=asked["steps"])


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = _parser()
    try:
        asked = options(parser, arguments)
        if asked["overwrite"] and asked["resume"]:
            fail(parser.prog, "--overwrite begins a run anew and --resume goes on with it; choose one")
        if asked["resume"]:
            config = _config_of_run(Path(asked["out"] or f"runs/{asked['rules']}"), arguments)
        else:
            parser.set_defaults(game_defaults(asked["rules"]))
            config, _ = parse(parser, PPOConfig, arguments)
        train(config, overwrite=asked["overwrite"], resume=asked["resume"])
    except (OSError, ValueError, CheckpointError) as error:
        fail(parser.prog, error)
    except Diverged as error:
        fail(parser.prog, error, status=3)
    except KeyboardInterrupt:
        fail(parser.prog, "stopped before the scores were known; the policy is written")


if __name__ == "__main__":
    main()
