"""The run folder, which all trainers share: its files, how a run begins, goes on and ends, and what may watch it.

A run is a folder: ``config.yaml`` and ``provenance.json`` say how to make it again, ``policy.safetensors`` is the
policy (``agents.policy.network``) and ``policy.json`` its model card, ``checkpoint.safetensors`` the state from which
``--resume`` goes on (``training.checkpoint``), ``tensorboard/`` the curves, ``evaluation.json`` the score table.
"""

import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
import yaml  # type: ignore[import-untyped]
from rich.console import Console
from stable_baselines3.common.logger import KVWriter, Logger

from agents.agent import as_agents
from agents.evaluation import Result
from agents.locks import only_one
from agents.policy import card
from agents.policy.agent import PolicyAgent
from agents.policy.card import FILE_NAME
from agents.policy.files import made_by
from agents.policy.network import Module, PolicyNetwork, module_name
from agents.provenance import provenance, write_json, write_text
from agents.reading import read_json
from mancala_env.cli import SETTINGS
from mancala_env.games import ruleset
from mancala_env.kernels.jit import working_time
from mancala_env.position_fields import shown
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import as_plain, called
from training import checkpoint
from training.callbacks import Callback, Run
from training.checkpoint import Checkpoint, CheckpointError
from training.cli import as_option, command_of, read_yaml, renamed, rules_spec
from training.curves import Curves
from training.settings import check_plays
from training.timing import time_of

CONFIG, PROVENANCE, EVALUATION, CURVES = SETTINGS, "provenance.json", "evaluation.json", "tensorboard"
DEVICES = ("auto", "cpu", "cuda", "mps")
LOGS = ("log.jsonl", "wandb_id.txt")  # of callbacks; a new run in the folder begins them anew


class Diverged(FloatingPointError):
    """An update left numbers that are not finite, so that training cannot go on."""


@dataclass(frozen=True)
class CurvePoint:
    """The score of a policy after a number of steps (PPO) or rounds (AlphaZero)."""

    steps: int
    result: Result


@dataclass(frozen=True)
class Trained:
    """The result of ``train``.

    Attributes
    ----------
    steps : int
        Decisions of the learner (PPO) or rounds (AlphaZero); fewer than asked for if the training was stopped.
    results : list of Result
        Scores of the final policy; none without ``pairs``.
    curve : list of CurvePoint
        The scores against ``curve_opponents`` during training, since the run began or was resumed.
    folder : Path
    network : PolicyNetwork
        The policy. ``PolicyAgent.of(network, name)`` plays it.
    interrupted : bool
        Was the training ended early by Ctrl-C, and not by a callback?
    """

    steps: int
    results: list[Result]
    curve: list[CurvePoint]
    folder: Path
    network: PolicyNetwork
    interrupted: bool = False


@dataclass(frozen=True)
class Given:
    """What a caller of ``train`` gives as objects, and a file of settings cannot hold.

    Attributes
    ----------
    network : Module, optional
        A module of one's own; the setting ``network`` has its name.
    opponents : tuple
        Agents.
    reward : callable, optional
    """

    network: Module | None = None
    opponents: tuple[Any, ...] = ()
    reward: Any = None

    @classmethod
    def of(cls, network: Module | None, opponents: Sequence[Any] | None, reward: Any) -> "Given":
        """With ``opponents`` made into agents."""
        return cls(network, tuple(as_agents(() if opponents is None else opponents)), reward)

    def scored(self, opponents: Sequence[str]) -> list[Any]:
        """Whom a policy is scored against: opponents by name, and those given that are none of them."""
        return [*opponents, *(player for player in self.opponents if player.name not in opponents)]

    def named(self) -> dict[str, Any]:
        """The names of opponents and reward, which a run that goes on must be given again."""
        named: dict[str, Any] = {}
        if self.opponents:
            named["opponents"] = [player.name for player in self.opponents]
        if self.reward is not None:
            named["reward"] = reward_name(self.reward)
        return named

    def objects(self, network: str) -> list[str]:
        """What no command line can give, by name: opponents, a reward, and a network unless ``network`` imports it."""
        found = [
            f"{name}={value if isinstance(value, str) else ', '.join(value)}" for name, value in self.named().items()
        ]
        is_class = isinstance(self.network, type) and self.network.__module__ != "__main__"
        if self.network is not None and not (is_class and "<locals>" not in network):
            found.insert(0, f"network={network}")
        return found


def reward_name(reward: Any) -> str:
    """The name of a reward of one's own; "" for None."""
    return "" if reward is None else str(getattr(reward, "__qualname__", type(reward).__qualname__))


@dataclass(frozen=True)
class Task:
    """The arguments of a ``train``, checked."""

    config: Any
    given: Given
    callbacks: tuple[Callback, ...]
    logger: Logger | None
    device: torch.device


def arrange(
    kind: type[Any],
    config: Any,
    *,
    rules: Any,
    network: Any,
    opponents: Any,
    reward: Any,
    callbacks: Any,
    logger: Any,
    device: Any,
    any_reward: bool,
) -> Task:
    """Check the arguments of a ``train`` before anything is written, and put into the config what it can hold.

    Parameters
    ----------
    kind : dataclass
        What ``config`` must be.
    any_reward : bool
        Does the trainer take a reward of one's own?

    Raises
    ------
    ValueError
        If an argument is of the wrong kind, or they do not fit together.
    """
    if not isinstance(config, kind):
        raise ValueError(
            f"config must be a {kind.__name__}, as in {kind.__name__}(rules=...), not {type(config).__name__}"
        )
    if rules is not None:
        config = replace(config, rules=ruleset(rules))
    if isinstance(reward, str):
        config, reward = replace(config, reward=reward), None
    if reward is not None and not any_reward:
        raise ValueError("a search knows the rewards result and margin only; train a reward of your own with PPO")
    if reward is not None and not callable(reward):
        raise ValueError(f"reward must be result, margin, or a function of the games that ended, not {reward!r}")
    if network is not None:
        config = replace(config, network=module_name(network))
        network = None if isinstance(network, str) else network
    elif not isinstance(config.network, str):
        raise ValueError("the setting network is a name; give a module or its class to train(..., network=...)")
    given = Given.of(network, opponents, reward)
    for player in given.opponents:
        check_plays(player, config.ruleset)
    return Task(config, given, check_watchers(callbacks, logger), logger, choose_device(device))


def check_watchers(callbacks: Any, logger: Any) -> tuple[Callback, ...]:
    """The callbacks, of which there may be one without a list. Raises ValueError if they or ``logger`` are none."""
    callbacks = (callbacks,) if isinstance(callbacks, Callback) else tuple(callbacks)
    for callback in callbacks:
        methods = ("on_start", "on_numbers", "on_end")
        if missing := [name for name in methods if not callable(getattr(callback, name, None))]:
            raise ValueError(
                f"{callback!r:.80} is no callback, it has no {missing[0]}: derive it from training.callbacks.Callback"
            )
    if logger is not None and not isinstance(logger, Logger):
        raise ValueError(f"logger must be a Logger of stable_baselines3.common.logger, not {type(logger).__name__}")
    return callbacks


@contextmanager
def holding(folder: Path, resume: bool) -> Iterator[None]:
    """Hold the folder of a run during a ``with`` block, so that no other process trains in it.

    Raises
    ------
    CheckpointError
        If it holds no run to ``resume``.
    Locked
        If another process trains in it.
    """
    if resume and not (folder / CONFIG).is_file():
        raise CheckpointError(f"{folder} holds no run to resume: there is no {CONFIG}")
    with only_one(folder, "trains"):
        yield


def choose_device(device: str | torch.device) -> torch.device:
    """The device that a name means: "auto" is CUDA where there is one, else Apple's MPS, else the CPU.

    Raises
    ------
    ValueError
        If there is no such device here.
    """
    cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    if device == "auto":
        return torch.device("cuda" if cuda else "mps" if mps else "cpu")
    kind = str(device).partition(":")[0]
    if kind not in DEVICES[1:] or not {"cpu": True, "cuda": cuda, "mps": mps}[kind]:
        there = [name for name, found in (("auto", True), ("cpu", True), ("cuda", cuda), ("mps", mps)) if found]
        raise ValueError(f"there is no device {str(device)!r} here; there are {', '.join(there)}")
    return torch.device(device)


def settings_of(config: Any) -> dict[str, Any]:
    """A config as plain data for YAML and JSON; a ruleset without a name as ``rules.plain`` writes it."""
    settings = {each.name: getattr(config, each.name) for each in fields(config)}
    if isinstance(settings["rules"], Ruleset):
        settings["rules"] = as_plain(settings["rules"])
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}


def read_settings(folder: Path, kind: type[Any]) -> Any:
    """The config of the run in a folder, which may have been moved since.

    Raises
    ------
    CheckpointError
        If there is none, or it is damaged.
    """
    path = folder / CONFIG
    if not path.is_file():
        raise CheckpointError(f"{folder} holds no run: there is no {CONFIG}")
    saved: dict[str, Any] = {}
    try:
        saved = renamed(read_yaml(path))
        words = [str(each) for value in saved.values() for each in (value if isinstance(value, list) else [value])]
        networks = [each for each in words if "network=" in each and not each.startswith("mcts:")]
        if asking := [*networks, *(each for each in words if "module=" in each)]:  # as the last release wrote it
            raise ValueError(
                f"it names {shown(asking[0])}, and a file never makes anything be imported: go on from Python, with "
                "this config and resume=True"
            )
        settings: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in saved.items()}
        return replace(kind(**settings), out=str(folder))
    except (AttributeError, TypeError, ValueError, OverflowError, FileNotFoundError) as error:
        why: object = error
        if foreign := sorted(saved.keys() - {each.name for each in fields(kind)} - {"changes"}):
            why = f"it has the setting {foreign[0]!r}, as those of another trainer or another version have"
        raise CheckpointError(f"{path} is not the config of a run that can go on: {why}") from None


def begin(config: Any, command: str, given: Given, overwrite: bool, **more: Any) -> dict[str, Any]:
    """Make the folder of a run and write its config and provenance; returns the provenance.

    Parameters
    ----------
    config : dataclass
        With ``folder``, ``ruleset``, ``seed`` and ``init_from``.
    command : str
        How the command is called.
    given : Given
    overwrite : bool
        Replace the run that the folder holds.
    **more : JSON values
        Further entries of the provenance.

    Raises
    ------
    FileExistsError
        If the folder holds a run, which has a policy or a checkpoint, and ``overwrite`` is False.
    """
    folder: Path = config.folder
    begins = getattr(config, "init_from", "")
    begun_with = {"begun_with": made_by(begins)} if begins else {}
    earned = [name for name in (config.WEIGHTS, checkpoint.CHECKPOINT, checkpoint.PREVIOUS) if (folder / name).exists()]
    if (folder / CONFIG).exists() and earned and not overwrite:
        raise FileExistsError(f"{folder} holds a run already; --resume it, choose another --out, or --overwrite it")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / config.WEIGHTS).unlink(missing_ok=True)
    remove_results(config)
    checkpoint.remove(folder)
    shutil.rmtree(folder / CURVES, ignore_errors=True)
    for log in LOGS:
        (folder / log).unlink(missing_ok=True)
    said = {"given": given.named()} if given.named() else {}
    objects = given.objects(getattr(config, "network", ""))
    how = f"made in Python with objects: {'; '.join(objects)}" if objects else command_of(config, command)
    made = {"command": how, **begun_with, **said, **more}
    made |= provenance(config.ruleset, config.seed)
    write_json(folder / PROVENANCE, made)
    write_text(folder / CONFIG, yaml.safe_dump(settings_of(config), sort_keys=False))
    return made


def check_given(folder: Path, given: Given) -> None:
    """Raise CheckpointError unless a run that goes on is given what it was begun with as objects."""
    was, now = read_or_nothing(folder / PROVENANCE).get("given", {}), given.named()
    for name in sorted({*was, *now}):
        if was.get(name) != now.get(name):
            raise CheckpointError(
                f"the run was begun with {name}={was.get(name)}, and goes on only with the same, not {now.get(name)}"
            )


def check_same(config: Any, free: frozenset[str]) -> None:
    """Raise CheckpointError unless a run goes on with the settings that its folder holds, but for those in ``free``."""
    try:
        was = renamed(read_yaml(config.folder / CONFIG))
        was["rules"] = rules_spec(was.get("rules", config.rules), was.pop("changes", None))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{config.folder} holds no run that can go on: {error}") from None
    now = settings_of(config) | {"rules": config.rules}
    for name in sorted((was.keys() & now.keys()) - free):
        if was[name] != now[name]:
            old, new = (value.name if isinstance(value, Ruleset) else value for value in (was[name], now[name]))
            raise CheckpointError(
                f"the run was begun with {name} {shown(old)}, not {shown(new)}: go on with that, or begin another"
            )


def check_whole(folder: Path, start: Checkpoint | None, config: Any) -> None:
    """Raise CheckpointError if ``config.yaml`` lacks settings that the run had, as a file that was cut off does.

    Those are the settings in its checkpoint: a run of an earlier version has none that came later. Without a checkpoint
    they are all that there are.
    """
    said = renamed(read_yaml(folder / CONFIG))
    had = renamed(start.header.get("config", {})) if start else settings_of(config)
    if lost := [name for name in had if name not in said and name != "changes"]:
        put_back = f"put them back: {', '.join(f'{name}: {shown(had[name])}' for name in lost)}"
        raise CheckpointError(
            f"{folder / CONFIG} is damaged, it lacks {', '.join(lost)}; "
            + (put_back if start else "there is no checkpoint yet either, so --overwrite the run")
        )


def find_start(
    config: Any, given: Given, about: Mapping[str, Any], free: frozenset[str], until: int, unit: str, console: Console
) -> Checkpoint | None:
    """The checkpoint from which a run goes on; None if it was stopped before its first.

    Parameters
    ----------
    config : dataclass
    given : Given
    about : dict
        ``checkpoint.describe`` of the run.
    free : frozenset of str
        The settings that may have changed.
    until : int
        The steps or rounds of the whole run.
    unit : str
        What is counted.

    Raises
    ------
    CheckpointError
        If there is nothing to go on from, the run has finished, or it is not given what it was begun with.
    """
    folder: Path = config.folder
    check_given(folder, given)
    check_same(config, free)
    warn = warner(console)
    start = checkpoint.read(folder, warn)
    check_whole(folder, start, config)
    if start is None:
        if (folder / config.WEIGHTS).exists():
            raise CheckpointError(f"{folder} holds {config.WEIGHTS} but no checkpoint: there is nothing to go on from")
        warn(f"{folder} holds no checkpoint yet: starts from the beginning")
        return None
    checkpoint.check(start, about, free, warn)
    scored = (folder / EVALUATION).exists() or not config.pairs
    finished = read_or_nothing(folder / PROVENANCE).get("training", {}).get(unit)
    if start.steps >= until and scored and finished == start.steps:
        raise CheckpointError(f"{folder} has finished its {start.steps:,} {unit}; larger --{unit} make it longer")
    return start


def go_on(config: Any, at: int, until: int, **more: Any) -> dict[str, Any]:
    """Note in the folder that a run goes on, and with which settings changed; returns its provenance.

    Raises
    ------
    CheckpointError
        If the weights of a fixed opponent have changed.
    """
    folder: Path = config.folder
    now = {**more, **provenance(config.ruleset, config.seed)}
    made = renamed(read_or_nothing(folder / PROVENANCE)) or now
    for name, weights in now.get("fixed_opponents", {}).items():
        if made.get("fixed_opponents", {}).get(name) != weights:
            raise CheckpointError(
                f"the fixed opponent {name} is no more the one that the run began with: bring it back"
            )
    remove_results(config)
    made.pop("training", None)
    made["resumed"] = [*made.get("resumed", []), {"at": at, "until": until, **set_anew(config), **now}]
    write_json(folder / PROVENANCE, made)
    write_text(folder / CONFIG, yaml.safe_dump(settings_of(config), sort_keys=False))
    return made


def set_anew(config: Any) -> dict[str, dict[str, Any]]:
    """The settings in which a run that goes on differs from those that its folder holds, as ``changed``; {} if none."""
    was = renamed(read_yaml(config.folder / CONFIG))
    now = settings_of(config)
    changed = {
        name: now[name] for name in now if name in was and name not in ("out", "rules") and was[name] != now[name]
    }
    return {"changed": changed} if changed else {}


def finish(config: Any, network: PolicyNetwork, made: dict[str, Any], training: Mapping[str, Any]) -> None:
    """Write the policy, the model card without scores, and, by which the run is finished, what the training took.

    Raises
    ------
    OSError
        If that fails, as on a full disk. It names the file; the run can go on from its checkpoint.
    """
    network.save(config.folder / FILE_NAME)
    made["training"] = dict(training)
    card.write(config.folder / FILE_NAME, network, made, settings_of(config), None)
    write_json(config.folder / PROVENANCE, made)


def write_scores(config: Any, network: PolicyNetwork, made: Mapping[str, Any], scores: Mapping[str, Any]) -> None:
    """Write the scores of a finished run, and its model card with them."""
    write_json(config.folder / EVALUATION, scores)
    card.write(config.folder / FILE_NAME, network, made, settings_of(config), scores, time=time_of(network))


def remove_results(config: Any) -> None:
    """Delete the files that a finished run writes, except what it has learnt."""
    folder: Path = config.folder
    for old in (
        folder / EVALUATION,
        card.beside(folder / config.WEIGHTS),
        folder / "maskable_ppo.zip",
        folder / "policy.onnx",
    ):
        old.unlink(missing_ok=True)


def read_or_nothing(path: Path) -> dict[str, Any]:
    """The content of a JSON file of a run; {} if it cannot be read."""
    try:
        return read_json(path)
    except (OSError, ValueError):
        return {}


def first_network(config: Any, network: PolicyNetwork, given: Given) -> PolicyNetwork:
    """The policy ``config.init_from`` to begin with, which must be of the same kind as ``network``.

    Raises
    ------
    ValueError
        If it plays other rules, sees something else, or has other layers.
    """
    first = PolicyNetwork.load(config.init_from, given.network)
    own, other = ((each.rules.name, each.encoder.name, each.encoder.shape) for each in (network, first))
    if own != other:
        raise ValueError(
            f"--init-from {config.init_from} plays {called(first.rules)} and sees {first.encoder.name}; this run is "
            f"of {called(network.rules)} and sees {network.encoder.name}: give --rules and --encoder that fit"
        )
    for name in ("network", "layers", "activation", "action_head"):
        if (its := getattr(first, name)) != getattr(network, name):
            shown = " ".join(map(str, its)) if isinstance(its, tuple) else its
            raise ValueError(f"--init-from {config.init_from} has other {name}: add {as_option(name)} {shown}")
    return first


def weights_of(players: Sequence[Any]) -> dict[str, Any]:
    """The digests of the weights of those fixed opponents that are networks, for the provenance."""
    networks = {
        agent.name: agent.network.digest
        for agent in players
        if isinstance(agent, PolicyAgent) and isinstance(agent.network, PolicyNetwork)
    }
    return {"fixed_opponents": networks} if networks else {}


class _Teller(KVWriter):
    """Passes the numbers that a logger dumps to the callbacks of a run."""

    def __init__(self, run: Run, callbacks: Sequence[Callback]) -> None:
        self._run, self._callbacks = run, callbacks

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Tell the numbers."""
        numbers = {name: float(each) for name, each in key_values.items() if isinstance(each, int | float | np.number)}
        for callback in self._callbacks:
            callback.on_numbers(self._run, numbers)

    def close(self) -> None:
        """Nothing to close."""


class _RunLogger(Logger):
    """A logger that closes its own outputs, and not those of the caller."""

    own: Sequence[KVWriter] = ()

    def close(self) -> None:
        """Close what the run has opened."""
        for output in self.own:
            output.close()


def make_logger(run: Run, logger: Logger | None, callbacks: Sequence[Callback], warn: Callable[[str], None]) -> Logger:
    """The logger of a run: TensorBoard's files in its folder, or the outputs of ``logger``; and the callbacks."""
    folder = run.folder / CURVES
    own = [Curves(folder, run.steps + 1 if run.steps else 0, warn)] if logger is None else []
    outputs = own if logger is None else list(logger.output_formats)
    where = str(folder) if logger is None else logger.get_dir()
    made = _RunLogger(where, [*outputs, *([_Teller(run, callbacks)] if callbacks else [])])
    made.own = own
    return made


def warner(console: Console) -> Callable[[str], None]:
    """A function that prints a warning to ``console`` in one line."""
    return lambda text: console.print(
        f"warning: {' '.join(text.split())}", style="yellow", soft_wrap=True, highlight=False, markup=False
    )


def say_rounding(config: Any, at: int, console: Console) -> None:
    """Say in a line, where ``config.steps`` are no whole number of rollouts, after how many the run will end.

    Nothing is said of a run that is ``at`` its end already.
    """
    if at < config.steps and config.steps % config.rollout:
        rollouts = -(-config.steps // config.rollout)
        console.print(
            f"{config.steps:,} steps are no whole number of rollouts of {config.rollout:,}: the run ends after "
            f"{rollouts * config.rollout:,}, with rollout {rollouts:,}",
            soft_wrap=True, highlight=False,
        )  # fmt: skip


class Stopwatch:
    """The seconds that a run has taken so far, without compiling, and without work that was lost when it was killed.

    Parameters
    ----------
    start : Checkpoint, optional
        The checkpoint from which the run goes on.
    """

    def __init__(self, start: Checkpoint | None) -> None:
        self._before = float(start.header["seconds"]) if start else 0.0
        self.begin()

    def begin(self) -> None:
        """Count from now on."""
        self._started = working_time()

    @property
    def here(self) -> float:
        """The seconds in this process."""
        return working_time() - self._started

    @property
    def seconds(self) -> float:
        """The seconds of the whole run."""
        return self._before + self.here


def is_written(what: str, write: Callable[[], None], warn: Callable[[str], None]) -> bool:
    """Write a file of a run in progress; False, after a call of ``warn``, if that fails, as on a full disk."""
    try:
        write()
    except OSError as error:
        why = error.strerror or str(error)
        warn(f"the {what} could not be written ({why}); training goes on, the last one is kept")
        return False
    return True


@contextmanager
def stops(run: Run) -> Iterator[threading.Event]:
    """The first Ctrl-C ends the run after the rollout being played, and sets the event; the second ends it at once."""
    interrupted = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()
        run.stop()

    if threading.current_thread() is not threading.main_thread():  # where no signal arrives
        yield interrupted
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
