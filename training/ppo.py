"""Train a policy by self-play with MaskablePPO: ``python -m training.ppo --rules oware``

A run is a folder: ``config.yaml`` and ``provenance.json`` say how to make it again, ``policy.safetensors`` is the
policy (``agents.policy.network``), ``policy.json`` describes it when the run has finished (``agents.policy.card``),
``evaluation.json`` is its score table, ``tensorboard/`` the curves, ``maskable_ppo.zip`` the learner to go on with in
stable-baselines3. A run that was stopped goes on from ``checkpoint.safetensors`` with ``--resume`` and ends with the
same weights. The reward is that of ``mancala_env.rewards``, the settings are in ``training.config``.

The command exits with status 2 if its arguments or the run folder are wrong, and 3 if training diverged.
"""

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml  # type: ignore[import-untyped]
from rich.console import Console
from stable_baselines3.common.logger import Logger

from agents import make_agent
from agents.batched import BatchedAgent, batched_agent
from agents.evaluation import Result, evaluate
from agents.locks import only_one
from agents.policy import card
from agents.policy.agent import PolicyAgent
from agents.policy.card import FILE_NAME
from agents.policy.files import made_by
from agents.policy.network import PolicyNetwork
from agents.provenance import provenance, write_json, write_text
from agents.reading import read_json
from mancala_env.cli import Parser, fail
from mancala_env.games import ruleset
from training import checkpoint
from training.checkpoint import Checkpoint, CheckpointError
from training.cli import (
    command_of,
    make_console,
    make_parser,
    options,
    parse,
    renamed,
    rules_spec,
)
from training.config import (
    COMMAND,
    CONFIG,
    CURVES,
    EVALUATION,
    FREE_TO_CHANGE,
    PROVENANCE,
    PPOConfig,
    game_defaults,
    read_config,
)
from training.evaluate import report, table
from training.learner import ZIP, Diverged, Learner, Line, NetworkPolicy, TrunkFeatures, export
from training.progress import CurvePoint, Curves, SelfPlayProgress, warner
from training.selfplay import OpponentPool, SelfPlayVecEnv, begin_with, copy_weights


@dataclass(frozen=True)
class Trained:
    """The result of ``train``.

    Attributes
    ----------
    steps : int
        Fewer than ``config.steps`` if the training was stopped.
    results : list of Result
        Scores of the final policy; none without ``pairs``.
    curve : list of CurvePoint
        The scores against ``curve_opponents`` during training, since the run began or was resumed.
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
        config.ruleset, config.encoder, config.layers, config.activation, config.action_head, config.shaping
    )
    about = checkpoint.describe(config.ruleset, config.encoder, _settings(config), config.seed)
    start = _find_start(config, about, console) if resume else None
    first = _first(config, network) if config.init_from and start is None else None
    fixed = _fixed_opponents(config)
    made = _go_on(config, start, fixed) if resume else _prepare(config, overwrite, fixed)
    model, progress = _learner(config, network, console, about, start, first, fixed)
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
    card.write(config.folder / FILE_NAME, network, made, _settings(config), None)
    if config.export_sb3:
        _export(model, config.folder, console)
    console.print(f"{model.num_timesteps:,} steps in {seconds:.0f} s; the policy is {config.folder / FILE_NAME}")
    results = []
    if config.pairs:
        results = score(config, console)
        card.write(config.folder / FILE_NAME, network, made, _settings(config), _read(config.folder / EVALUATION))
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
    """The config as plain data for YAML and JSON."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(config).items()}


def _fixed_opponents(config: PPOConfig) -> list[BatchedAgent]:
    return [agent for agent in map(batched_agent, map(make_agent, config.fixed_opponents)) if agent is not None]


def _weights_of(fixed: Sequence[BatchedAgent]) -> dict[str, Any]:
    """The digests of the weights of those fixed opponents that are networks, for ``provenance``."""
    networks = {agent.name: agent.network.digest for agent in fixed if isinstance(agent, PolicyAgent)}
    return {"fixed_opponents": networks} if networks else {}


def _prepare(config: PPOConfig, overwrite: bool, fixed: Sequence[BatchedAgent] = ()) -> dict[str, Any]:
    """Make the run folder and write its config and provenance; returns ``provenance``."""
    folder = config.folder
    begun_with = {"begun_with": made_by(config.init_from)} if config.init_from else {}
    if (folder / CONFIG).exists() and not overwrite:
        raise FileExistsError(f"{folder} holds a run already; --resume it, choose another --out, or --overwrite it")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE_NAME).unlink(missing_ok=True)
    _remove_results(folder)
    checkpoint.remove(folder)
    shutil.rmtree(folder / CURVES, ignore_errors=True)
    more = {**begun_with, **_weights_of(fixed)}
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
    checkpoint.check(start, about, FREE_TO_CHANGE, warn)
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
    first = PolicyNetwork.load(config.init_from)
    own, other = ((each.rules.name, each.encoder.name, each.encoder.shape) for each in (network, first))
    if own != other:
        raise ValueError(
            f"--init_from {config.init_from} plays {first.rules.id} and sees {first.encoder.name}; this run is of "
            f"{network.rules.id} and sees {config.encoder}"
        )
    for name in ("layers", "activation", "action_head"):
        if (its := getattr(first, name)) != getattr(network, name):
            shown = " ".join(map(str, its)) if isinstance(its, tuple) else its
            raise ValueError(f"--init_from {config.init_from} has other {name}: add --{name} {shown}")
    return first


def _go_on(config: PPOConfig, start: Checkpoint | None, fixed: Sequence[BatchedAgent] = ()) -> dict[str, Any]:
    """Note in the run folder that the run goes on; returns its ``provenance``."""
    folder = config.folder
    now = {**_weights_of(fixed), **provenance(config.ruleset, config.seed)}
    made = renamed(_read(folder / PROVENANCE)) or {"command": command_of(config, COMMAND), **now}
    for name, weights in now.get("fixed_opponents", {}).items():
        if made.get("fixed_opponents", {}).get(name) != weights:
            raise CheckpointError(
                f"the fixed opponent {name} is no more the one that the run began with: bring it back"
            )
    _remove_results(folder)
    made.pop("training", None)
    at = start.steps if start else 0
    made["resumed"] = [*made.get("resumed", []), {"at": at, "until": config.steps, **now}]
    write_json(folder / PROVENANCE, made)
    write_text(folder / CONFIG, yaml.safe_dump(_settings(config), sort_keys=False))
    return made


def _remove_results(folder: Path) -> None:
    """Delete the files that a finished run writes, except the policy itself."""
    for old in (folder / EVALUATION, card.beside(folder / FILE_NAME), folder / ZIP):
        old.unlink(missing_ok=True)


def _export(model: Learner, folder: Path, console: Console) -> None:
    try:
        export(model, folder)
    except OSError as error:
        warner(console)(f"{folder / ZIP} could not be written ({error.strerror or error})")


def _read(path: Path) -> dict[str, Any]:
    """The content of a JSON file of the run; {} if it cannot be read."""
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
    fixed: Sequence[BatchedAgent] = (),
) -> tuple[Learner, SelfPlayProgress]:
    """The learner with its games and its callback; in the state of ``start``, or with the weights of ``first``."""
    learner_seed, games_seed, _ = (
        int(sequence.generate_state(1)[0]) for sequence in np.random.SeedSequence(config.seed).spawn(3)
    )
    pool = OpponentPool(
        network,
        config.pool_size,
        latest_share=config.latest_share,
        random_share=config.random_share,
        prioritised=config.prioritised,
        fixed_opponents=fixed,
        fixed_share=config.fixed_share,
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
                "action_head": config.action_head,
            },
            "net_arch": [],
        },
        seed=learner_seed,
        device="cpu",
    )
    env.seed(games_seed)
    if first is not None:
        begin_with(model, first)
    copy_weights(model, pool.latest)  # it moves first in some games during the reset, before the first rollout
    progress = SelfPlayProgress(config, pool, console, about or {}, start)
    curves = config.folder / CURVES
    model.set_logger(Logger(str(curves), [Curves(curves, start.steps + 1 if start else 0, progress.warn)]))
    if start:
        checkpoint.restore(start, model, pool)
    return model, progress


def _parser() -> Parser:
    parser = make_parser(PPOConfig, COMMAND)
    parser.add_argument("--overwrite", action="store_true", help="replace the run that the folder holds")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on with the run that the folder holds, with its own settings; only --steps may make it longer",
    )
    return parser


def _config_of_run(folder: Path, arguments: Sequence[str] | None) -> PPOConfig:
    """The config of the run that a command line resumes: as ``config.yaml`` has it, but for ``out`` and ``steps``."""
    own = read_config(folder)
    parser, saved = _parser(), _settings(own)
    parser.set_defaults(saved)
    asked = options(parser, arguments)
    asked["rules"] = rules_spec(asked["rules"], asked.pop("changes"))
    if ignored := [name for name in saved if name not in ("out", "steps") and asked[name] != saved[name]]:
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
            config = _config_of_run(Path(asked["out"] or f"runs/{ruleset(asked['rules']).name}"), arguments)
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
