"""One run of an experiment: a variant trained with a seed, and scored; repeatable, and resumed where it was stopped."""

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from agents import make_agent
from agents.evaluation import evaluate
from agents.locks import NAME as LOCK
from agents.mcts import MctsAgent
from agents.policy.agent import PolicyAgent
from agents.policy.evaluator import NetworkEvaluator
from agents.policy.network import PolicyNetwork
from agents.provenance import provenance, write_json
from training import alphazero, checkpoint, ppo
from training.alphazero import AlphaZeroConfig
from training.callbacks import JsonlLog
from training.checkpoint import CheckpointError
from training.cli import read_yaml
from training.evaluate import report
from training.ppo.config import PPOConfig, game_defaults
from training.run import CONFIG, PROVENANCE, Diverged, read_or_nothing, settings_of, write_scores

RESULT = "trial.json"
LOG = "log.jsonl"
TOKEN = ".experiment"  # a file by which a node tells whether it shares the folder of the experiment
# Settings on which neither the weights nor the curves depend: with others, a finished run is scored once more at most.
FREE = frozenset({"out", "pairs", "opponents", "search_opponents", "save_every", "export_sb3", "processes", "ray"})


@dataclass(frozen=True)
class Trainer:
    """A way to train.

    Attributes
    ----------
    config : dataclass
        Its settings.
    train : callable
        ``training.ppo.train`` or ``training.alphazero.train``.
    length : str
        The setting that says how long a run is, which also names its unit.
    defaults : Ruleset text -> dict
        Settings that are better for a game.
    small : dict
        Settings of a small game, with which five seeds take a few minutes.
    """

    config: type[Any]
    train: Callable[..., Any]
    length: str
    defaults: Callable[[str], dict[str, Any]]
    small: Mapping[str, Any]


TRAINERS = {
    "ppo": Trainer(
        PPOConfig,
        ppo.train,
        "steps",
        game_defaults,
        {
            "rules": "kalah:pits_per_row=4,seeds=3", "steps": 524_288, "layers": (64, 64), "envs": 128,
            "curve_every": 8, "curve_opponents": ("v1-depth4",), "curve_pairs": 50, "pairs": 0,
        },
    ),
    "alphazero": Trainer(
        AlphaZeroConfig,
        alphazero.train,
        "rounds",
        lambda rules: {"processes": 1},
        {
            "rules": "kalah:pits_per_row=4,seeds=3", "rounds": 40, "layers": (64, 64), "games": 64, "simulations": 32,
            "buffer": 20_000, "processes": 1, "curve_every": 8, "curve_opponents": ("v1-depth4",), "curve_pairs": 50,
            "pairs": 0,
        },
    ),
}  # fmt: skip


def trainer_of(config: Any) -> Trainer:
    """The trainer whose settings these are. Raises ValueError if there is none."""
    for trainer in TRAINERS.values():
        if isinstance(config, trainer.config):
            return trainer
    raise ValueError(f"an experiment takes a PPOConfig or an AlphaZeroConfig, not {type(config).__name__}")


@dataclass(frozen=True)
class Trial:
    """A variant and a seed.

    Attributes
    ----------
    variant : str
    config : PPOConfig or AlphaZeroConfig
        Of the run, with its seed, its folder, and how it is scored.
    """

    variant: str
    config: Any

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return Path(self.config.out)


@dataclass(frozen=True)
class Outcome:
    """What a trial brings.

    Attributes
    ----------
    record : dict
        The content of ``trial.json``; ``failed`` in it says why a run has no scores.
    files : dict or None
        The files of the run by their paths in its folder, from a machine that does not share it.
    """

    record: dict[str, Any]
    files: dict[str, bytes] | None = None


def settings(config: Any) -> dict[str, Any]:
    """The settings as they are after writing and reading JSON."""
    plain: dict[str, Any] = json.loads(json.dumps(settings_of(config)))
    return plain


def differences(trial: Trial) -> list[str]:
    """In what the run that the folder of a trial holds was trained otherwise: "steps was 256, not 320"."""
    found = read_or_nothing(trial.folder / RESULT).get("settings")
    if found is None and (trial.folder / CONFIG).is_file():
        try:
            found = json.loads(json.dumps(read_yaml(trial.folder / CONFIG)))
        except ValueError as error:
            return [str(error)]
    if not found:
        return []
    asked, was = settings(trial.config), found
    default = {each.name: each.default for each in fields(trial.config)}  # of settings that came later
    changed = [name for name in asked if name not in FREE and was.get(name, _plain(default[name])) != asked[name]]
    return [f"{name} was {was.get(name, default[name])}, not {asked[name]}" for name in changed]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def finished(trial: Trial) -> dict[str, Any] | None:
    """The record of a trial that needs nothing more; None otherwise."""
    record = read_or_nothing(trial.folder / RESULT)
    if not record or not ("failed" in record or _is_scored(record, trial.config)):
        return None
    return record


def _is_scored(record: Mapping[str, Any], config: Any) -> bool:
    asked = set(score_names(config))
    return asked <= set(record.get("scores", {})) and (not asked or record.get("pairs") == config.pairs)


def run_trial(trial: Trial, shared: tuple[str, str] | None) -> Outcome:
    """Train and score, as far as that is not done.

    Parameters
    ----------
    trial : Trial
    shared : (str, str), optional
        The folder of the experiment and what its file ``TOKEN`` holds. A machine that does not find it there works in a
        folder of its own, and sends back what it wrote.

    Raises
    ------
    KeyboardInterrupt
        If the training was interrupted; its checkpoint is written.
    """
    if shared is None or _holds(Path(shared[0]) / TOKEN, shared[1]):
        return Outcome(_run(trial))
    with tempfile.TemporaryDirectory() as folder:
        own = replace(trial, config=replace(trial.config, out=folder))
        record = _run(own)
        files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in Path(folder).rglob("*")
            if path.is_file() and path.name != LOCK
        }
        return Outcome(record, files)


def keep(trial: Trial, outcome: Outcome) -> None:
    """Write the files that came from another machine, ``trial.json`` last."""
    for name, content in sorted((outcome.files or {}).items(), key=lambda each: each[0] == RESULT):
        path = trial.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _holds(file: Path, text: str) -> bool:
    try:
        return file.read_text(encoding="utf-8") == text
    except OSError:
        return False


def _run(trial: Trial) -> dict[str, Any]:
    config, folder = trial.config, trial.folder
    record = read_or_nothing(folder / RESULT)
    if not record:
        about = {**provenance(config.ruleset, config.seed), "variant": trial.variant, "settings": settings(config)}
        try:
            _train(trial)
        except Diverged as error:
            record = {**about, "failed": str(error)}
            write_json(folder / RESULT, record)
            return record
        except CheckpointError as error:  # not written: what is in the way may be gone next time
            said = " ".join(str(error).split())
            anew = f"to train it anew, delete {folder}; --overwrite trains all runs anew"
            return {**about, "failed": f"it does not go on from its checkpoint: {said}; {anew}"}
        took = read_or_nothing(folder / PROVENANCE)["training"]
        record = {
            **about,
            "curves": curves(config),
            "length": took[trainer_of(config).length],
            "seconds": took["seconds"],
        }
        write_json(folder / RESULT, record)
    if not _is_scored(record, config):
        record |= {"pairs": config.pairs, "scores": _score(config)}
        write_json(folder / RESULT, record)
    return record


def _train(trial: Trial) -> None:
    """Train what is left of the run.

    Raises
    ------
    KeyboardInterrupt
        If it is stopped.
    CheckpointError
        If there is a checkpoint, and training cannot go on from it. The checkpoint is kept.
    """
    folder = trial.folder
    trainer = trainer_of(trial.config)
    if _is_trained(trial):
        return
    config, console = replace(trial.config, pairs=0), Console(quiet=True)  # it is scored afterwards
    # Where there is no checkpoint to lose, the run begins anew: the same seed gives the same weights.
    resume = any((folder / name).exists() for name in (checkpoint.CHECKPOINT, checkpoint.PREVIOUS))
    trainer.train(config, overwrite=not resume, resume=resume, console=console, callbacks=[JsonlLog()])
    if not _is_trained(trial):
        raise KeyboardInterrupt


def _is_trained(trial: Trial) -> bool:
    """Has the run come to its end? One that is stopped during its last rollout has not, though all steps are made."""
    config, length = trial.config, trainer_of(trial.config).length
    took = read_or_nothing(trial.folder / PROVENANCE).get("training", {})
    if 0 < 60 * getattr(config, "minutes", 0) <= took.get("seconds", 0):
        return True
    try:
        last = checkpoint.read(trial.folder, lambda text: None) if took else None
    except CheckpointError:
        return False
    return last is not None and last.steps >= getattr(config, length)


def curves(config: Any) -> dict[str, list[list[float]]]:
    """The scores along the way, [steps, score] by opponent, and those of the finished policy at their end.

    They are read from the log of the run, which a resumed run continues. The steps of a point are those that the
    policy was trained for, without the rollout that it played since.
    """
    if not config.curve_every:
        return {}
    found: dict[str, dict[int, float]] = {make_agent(each).name: {} for each in config.curve_opponents}
    length = trainer_of(config).length
    for line in (config.folder / LOG).read_text(encoding="utf-8").splitlines():
        numbers = json.loads(line)
        for name, points in found.items():
            if (score := numbers.get(f"against/{name}")) is not None:
                points[numbers[length] - (config.rollout if isinstance(config, PPOConfig) else 0)] = score
    took = read_or_nothing(config.folder / PROVENANCE)["training"]
    agent = PolicyAgent(config.folder)
    for result in _evaluate(agent, config, config.curve_opponents, config.curve_pairs, config.curve_seed):
        found[result.opponent][took[length]] = result.score
    return {name: [list(point) for point in sorted(points.items())] for name, points in found.items()}


def score_names(config: Any) -> list[str]:
    """What the finished policy is scored against: its opponents, and those that it meets with search."""
    if not config.pairs:
        return []
    return [*config.opponents, *(f"{each}, with search" for each in getattr(config, "search_opponents", ()))]


def _score(config: Any) -> dict[str, float]:
    """The scores by ``score_names``, as the trainer gives them; also written to the run folder and its model card."""
    network, searched = PolicyNetwork.load(config.folder), getattr(config, "search_opponents", ())
    seed = config.seed
    if isinstance(config, PPOConfig):
        seed = int(np.random.SeedSequence(config.seed).spawn(3)[2].generate_state(1)[0])
    results = _evaluate(PolicyAgent(config.folder), config, config.opponents, config.pairs, seed)
    if searched:
        name = f"mcts:simulations={config.search_simulations},network={config.folder}"
        player = MctsAgent(config.search_simulations, evaluate=NetworkEvaluator(network), name=name)
        results += _evaluate(player, config, searched, config.pairs, seed)
    made = read_or_nothing(config.folder / PROVENANCE)
    write_scores(config, network, made, report(results, config.ruleset, seed, opening_plies=config.opening_plies))
    return {name: result.score for name, result in zip(score_names(config), results, strict=True)}


def _evaluate(agent: Any, config: Any, opponents: tuple[str, ...], pairs: int, seed: int) -> list[Any]:
    return evaluate(
        agent, opponents, config.ruleset, pairs=pairs, opening_plies=config.opening_plies, seed=seed, threads=1
    )
