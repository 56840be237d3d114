"""The frame of every trainer: an ``Algorithm`` plays and learns in rounds, and ``train`` does all the rest."""

import math
import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, ClassVar

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from stable_baselines3.common.logger import Logger

from agents import Agent, make_agent
from agents.agent import as_agents
from agents.evaluation import Result, evaluate
from agents.policy import card
from agents.policy.agent import PolicyAgent
from agents.policy.network import Module, PolicyNetwork, module_name
from agents.provenance import write_json
from mancala_env.games import ruleset
from mancala_env.kernels.jit import working_time
from mancala_env.progress import every_half_minute
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import called
from training import checkpoint
from training.callbacks import Callback, Run
from training.checkpoint import Arrays, Checkpoint
from training.cli import as_option, command_of, make_console
from training.curves import Curves
from training.evaluate import report, table
from training.run import (
    CURVES,
    EVALUATION,
    PROVENANCE,
    Diverged,
    begin,
    choose_device,
    find_start,
    go_on,
    holding,
    is_written,
    settings_of,
    warner,
)
from training.settings import GameSettings, RunSettings, check_plays
from training.timing import time_of


@dataclass(frozen=True)
class CurvePoint:
    """The score of what was learnt in a number of steps or rounds, against one opponent."""

    steps: int
    result: Result


@dataclass(frozen=True)
class Trained:
    """The result of ``train``. ``steps``, or rounds, are fewer than asked for if it was stopped; ``results`` are the
    scores at the end, none without ``pairs``, and ``curve`` those against ``curve_opponents`` since it began or was
    resumed. ``network`` is what was learnt: ``PolicyAgent.of(network, name)`` plays a policy, ``MinimaxAgent(time=0.1,
    evaluation=network)`` with an evaluation. ``interrupted``: was it ended early by Ctrl-C, and not by a callback?"""

    steps: int
    results: list[Result]
    curve: list[CurvePoint]
    folder: Path
    network: Any
    interrupted: bool = False


@dataclass(frozen=True)
class Task:
    """What a trainer is asked to do: ``network``, ``opponents`` and ``reward`` are those given as objects, not by the
    config."""

    config: Any
    device: torch.device
    network: Module | None = None
    opponents: tuple[Any, ...] = ()
    reward: Any = None
    warn: Callable[[str], None] = print

    @property
    def fixed_opponents(self) -> list[Any]:
        """Those that are met in training: those of the config, and those given."""
        return [*map(make_agent, self.config.fixed_opponents), *self.opponents]

    def make_network(self, shaping: float | None, margin: float, begins: bool) -> PolicyNetwork:
        """A network as the settings describe it, on the device, with the weights of ``config.init_from`` if the run
        ``begins`` with them; its values are those of ``shaping`` (None: of these weights) and ``margin``."""
        config = self.config
        made: PolicyNetwork = PolicyNetwork(
            config.ruleset, config.encoder, config.layers, config.activation, config.action_head, shaping or 0.0,
            network=config.network if self.network is None else self.network, margin=margin,
            reward=name_of(self.reward),
        ).to(self.device)  # fmt: skip
        if config.init_from and begins:
            first = self._first(made)
            made.shaping = first.shaping if shaping is None else made.shaping
            made.module.load_state_dict(first.module.state_dict())
        return made

    def _first(self, network: PolicyNetwork) -> PolicyNetwork:
        """The policy ``config.init_from``. Raises ValueError unless it is of the same kind as ``network``."""
        at = f"--init-from {self.config.init_from}"
        first = PolicyNetwork.load(self.config.init_from, self.network)
        own, other = ((each.rules.name, each.encoder.name, each.encoder.shape) for each in (network, first))
        if own != other:
            raise ValueError(
                f"{at} plays {called(first.rules)} and sees {first.encoder.name}; this run is of "
                f"{called(network.rules)} and sees {network.encoder.name}: give --rules and --encoder that fit"
            )
        for name in ("network", "layers", "activation", "action_head"):
            if (its := getattr(first, name)) != getattr(network, name):
                shown = " ".join(map(str, its)) if isinstance(its, tuple) else its
                raise ValueError(f"{at} has other {name}: add {as_option(name)} {shown}")
        return first

    def made(self, command: str) -> dict[str, Any]:
        """What the provenance says of it: the command, and what no command can hold."""
        named: dict[str, Any] = {}
        if self.opponents:
            named["opponents"] = [player.name for player in self.opponents]
        if self.reward is not None:
            named["reward"] = name_of(self.reward)
        objects = [f"{name}={value if isinstance(value, str) else ', '.join(value)}" for name, value in named.items()]
        its_name = str(getattr(self.config, "network", ""))
        importable = isinstance(self.network, type) and self.network.__module__ != "__main__"
        if self.network is not None and not (importable and "<locals>" not in its_name):
            objects.insert(0, f"network={its_name}")
        how = f"made in Python with objects: {'; '.join(objects)}" if objects else command_of(self.config, command)
        weights = {
            agent.name: agent.network.digest
            for agent in (self.fixed_opponents if hasattr(self.config, "fixed_opponents") else ())
            if isinstance(agent, PolicyAgent) and isinstance(agent.network, PolicyNetwork)
        }
        return {
            "command": how,
            **({"given": named} if named else {}),
            **({"fixed_opponents": weights} if weights else {}),
            "device": str(self.device),
        }


def name_of(reward: Any) -> str:
    """The name of a reward of one's own; "" for None."""
    return "" if reward is None else str(getattr(reward, "__qualname__", type(reward).__qualname__))


class Algorithm:
    """A way to learn, as the frame knows it; a subclass is made of a ``Task`` with its first weights and games.
    ``COMMAND``: how its command is called. ``TAKES``: what of ``network``, ``opponents`` and ``reward`` may be objects.
    ``SHOWN``: numbers that the progress bar shows, and how. ``optimizer`` is an Adam, ``steps`` counts steps or
    rounds."""

    COMMAND: ClassVar[str]
    SETTINGS: ClassVar[type[RunSettings]]
    TAKES: ClassVar[frozenset[str]] = frozenset({"network", "opponents", "reward"})
    SHOWN: ClassVar[tuple[tuple[str, str], ...]] = ()
    network: Any
    optimizer: Any
    steps: int = 0

    def __init__(self, task: Task, start: Checkpoint | None) -> None:
        """``start``: the checkpoint that will be restored, if there is one."""
        self.task, self.config = task, task.config
        self.progress: Callable[[float], None] = lambda done: None  # shows a part of a round

    def round(self, seconds: float) -> dict[str, float]:
        """Play and learn once; the numbers of the curves. ``seconds``: those that the run has taken so far. A loss or
        weights that are not finite end the run."""
        raise NotImplementedError

    def snapshot(self) -> tuple[dict[str, Any], Arrays]:
        """All that ``restore`` needs besides the weights, the optimizer, ``steps`` and torch's random numbers: what
        JSON takes, and arrays of their own."""
        return {}, {}

    def restore(self, header: Mapping[str, Any], arrays: Arrays) -> None:
        """Go on from a ``snapshot``, when all else is restored. What is wrong with it may raise anything."""

    def set_rate(self, rate: float) -> None:
        """Set the learning rate."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    def descend(self, loss: torch.Tensor, longest: float | None = None) -> None:
        """Make a gradient step; ``longest``: how long the gradient is at most."""
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if longest is not None:
            weights = [each for group in self.optimizer.param_groups for each in group["params"]]
            torch.nn.utils.clip_grad_norm_(weights, longest)
        self.optimizer.step()

    def is_finished(self, seconds: float) -> bool:
        """Is the run as long as it is to be?"""
        return self.steps >= self.config.length

    def close(self) -> None:
        """Called after the last round, also if that failed."""

    def learnt(self) -> Any:
        """What ``save(path)`` writes to the file of the run."""
        return self.network

    def player(self, name: str, last: bool) -> Agent | None:
        """Who plays with what was learnt, at the end or along the way; None where nothing is to be scored yet."""
        return PolicyAgent.of(self.network, name)

    def described(self) -> dict[str, Any]:
        """The entries of the model card about what was learnt."""
        found: dict[str, Any] = self.network.described()
        return found

    def learns_from(self) -> dict[str, Any]:
        """What the provenance says of others, or of several games, that it learns from."""
        found: dict[str, Any] = {} if self.config.ruleset else self.config.learnt_from
        return found

    def trained(self) -> dict[str, Any]:
        """What the provenance says of the training besides its steps and seconds."""
        return {}

    def measured(self) -> dict[str, Any]:
        """Entries of the model card that take a while to measure."""
        return {"time": time_of(self.network)}

    def finish(self) -> None:
        """Write further files of the run, where it has any."""

    @classmethod
    def settled(cls, task: Task, resume: bool) -> Task:
        """The task with settings that others decide."""
        return task

    @classmethod
    def train(
        cls,
        config: Any,
        *,
        rules: Ruleset | str | None = None,
        network: Module | None = None,
        opponents: Sequence[Any] | None = None,
        reward: Any = None,
        callbacks: Sequence[Callback] | Callback = (),
        logger: Logger | None = None,
        device: str | torch.device = "auto",
        overwrite: bool = False,
        resume: bool = False,
        console: Console | None = None,
    ) -> Trained:
        """Train, write the run folder, and score what was learnt.

        The first Ctrl-C ends the training after the round being played, and the rest still happens; a second one ends
        it at once, and the run can go on from its last checkpoint.

        Parameters
        ----------
        config : the settings of this trainer
        rules : Ruleset or name of one, in place of ``config.rules``; the run and its policy file hold the whole ruleset
        network : a torch module of your own, or its class (``agents.policy.network.Module``), for ``config.network``
        opponents : list of players, optional
            Players to be met in training besides the learner itself, and to be scored against: names of agents,
            objects with ``act(state)``, functions State -> action. They take ``config.fixed_share`` of the games; if
            that is 0, half of them (in PPO the shares of the others are halved).
        reward : "result", "margin", or, in PPO, a function of the games that ended
            (``mancala_env.opponent_env.Ended``) that returns floats[m]; in place of ``config.reward``
        callbacks : called after each round (``training.callbacks``)
        logger : stable_baselines3.common.logger.Logger for the curves, in place of TensorBoard's files
        device : "auto", "cpu", "cuda" or "mps", or a torch.device
        overwrite : replace the run that the folder holds
        resume : bool
            Go on with the run that the folder holds, from its checkpoint. The weights at the end are those of a run
            that was never stopped, unless it is made longer: the learning rate falls to the last round. What was given
            as an object must be given again; of opponents and rewards the names are compared.
        console : rich.console.Console, optional

        Raises
        ------
        FileExistsError, CheckpointError, Locked
            If the folder holds a run and neither ``overwrite`` nor ``resume`` is True; if there is nothing to resume;
            if another process trains in it.
        Diverged
            If an update leaves numbers that are not finite. The last checkpoint and what was saved stay as they are.
        ValueError
            If what is given does not fit together.
        """
        given = {"network": network, "opponents": opponents, "reward": reward}
        task = cls._arranged(config, rules, given, device)
        watchers = (callbacks,) if isinstance(callbacks, Callback) else tuple(callbacks)
        if wrong := [each for each in watchers if not isinstance(each, Callback)]:
            raise ValueError(f"{wrong[0]!r:.80} is no callback: derive it from training.callbacks.Callback")
        if logger is not None and not isinstance(logger, Logger):
            kind = type(logger).__name__
            raise ValueError(f"logger must be a Logger of stable_baselines3.common.logger, not {kind}")
        with holding(task.config.folder, resume):
            return _Training(cls, task, watchers, logger, console or make_console()).run(overwrite, resume)

    @classmethod
    def _arranged(cls, config: Any, rules: Any, given: dict[str, Any], device: str | torch.device) -> Task:
        """The arguments of ``train``, checked before anything is written; what the config can hold is put into it."""
        kind = cls.SETTINGS
        if not isinstance(config, kind):
            raise ValueError(
                f"config must be a {kind.__name__}, as in {kind.__name__}(rules=...), not {type(config).__name__}"
            )
        if rules is not None:
            if not isinstance(config, GameSettings):
                raise ValueError(f"{cls.COMMAND} learns from many games: name them in the config")
            config = replace(config, rules=ruleset(rules))
        reward, network = given["reward"], given["network"]
        if isinstance(reward, str) and hasattr(config, "reward"):
            config, reward = replace(config, reward=reward), None
        for name, value in {**given, "reward": reward}.items():
            if value is not None and name not in cls.TAKES:
                raise ValueError(
                    f"{cls.COMMAND} takes no {name} of one's own"
                    + (", it knows result and margin only: train that with PPO" if name == "reward" else "")
                )
        if reward is not None and not callable(reward):
            raise ValueError(f"reward must be result, margin, or a function of the games that ended, not {reward!r}")
        if network is not None:
            config = replace(config, network=module_name(network))
            network = None if isinstance(network, str) else network
        players = tuple(as_agents(() if given["opponents"] is None else given["opponents"]))
        for player in players:
            check_plays(player, config.ruleset)
        return Task(config, cls.device(device), network, players, reward)

    device = staticmethod(choose_device)


class _Training:
    """A run, by the only process that works in its folder."""

    def __init__(
        self, kind: type[Algorithm], task: Task, callbacks: Sequence[Callback], logger: Logger | None, console: Console
    ) -> None:
        self.kind, self.task, self.callbacks, self.given_logger, self.console = kind, task, callbacks, logger, console
        self.warn = warner(console)
        self.curve: list[CurvePoint] = []

    def run(self, overwrite: bool, resume: bool) -> Trained:
        """Train from the beginning, or go on."""
        self.task = task = self.kind.settled(replace(self.task, warn=self.warn), resume)
        self.config = config = task.config
        torch.set_num_threads(config.threads)
        self.about = checkpoint.describe(config.learnt_from, settings_of(config), config.UNIT)
        start = find_start(config, self.console) if resume else None
        self.algorithm = algorithm = self.kind(task, start)
        self.module = getattr(algorithm.network, "module", algorithm.network)
        if start is not None:
            with checkpoint.fitting():
                checkpoint.restore_weights("network", self.module, start.arrays)
                checkpoint.restore_adam(algorithm.optimizer, start.arrays)
                algorithm.steps = start.steps
                algorithm.restore(start.header, start.arrays)
                checkpoint.restore_torch_random(task.device, start.arrays)
        made = {**task.made(self.kind.COMMAND), **algorithm.learns_from()}
        made = go_on(config, algorithm.steps, made) if resume else begin(config, made, overwrite)  # the folder changes
        self.kept = algorithm.steps if start else -1  # in the last checkpoint
        # Without compiling, and without work that was lost when the run was killed.
        self.before, self.first = float(start.header["seconds"]) if start else 0.0, algorithm.steps
        self.begun = working_time()
        self.watched = Run(config.folder, settings_of(config), algorithm.network, config.UNIT, algorithm.steps)
        first = algorithm.steps + 1 if algorithm.steps else 0
        own = Curves(config.folder / CURVES, first, self.warn) if self.given_logger is None else None
        self.logger = self.given_logger or Logger(str(config.folder / CURVES), [own] if own else [])
        try:
            for callback in self.callbacks:
                callback.on_start(self.watched)
            steps, rollout = config.length, getattr(config, "rollout", 1)
            if algorithm.steps < steps and steps % rollout:
                rollouts = math.ceil(steps / rollout)
                said = f"{steps:,} steps are no whole number of rollouts of {rollout:,}: the run ends after "
                self.console.print(f"{said}{rollouts * rollout:,}, with rollout {rollouts:,}", soft_wrap=True)
            try:
                interrupted = self._rounds()
            finally:
                algorithm.close()
                if own:
                    own.close()
            results = self._finish(made)
        finally:
            for callback in self.callbacks:
                callback.on_end(self.watched)
        return Trained(algorithm.steps, results, self.curve, config.folder, algorithm.learnt(), interrupted)

    @property
    def seconds(self) -> float:
        """The seconds that the whole run has taken so far."""
        return self.before + working_time() - self.begun

    def _rounds(self) -> bool:
        """Play and learn until the run is finished or stopped; was it Ctrl-C?"""
        algorithm, config, unit = self.algorithm, self.config, self.config.UNIT
        columns = TextColumn(f"{{task.completed:,.0f}}/{{task.total:,.0f}} {unit}"), TextColumn("{task.description}")
        left = TimeRemainingColumn()
        bar = Progress(*columns, BarColumn(), left, console=self.console, get_time=working_time)

        def line() -> str:
            task = bar.tasks[0]
            return ", ".join(filter(None, (*(str(each(task)) for each in columns), f"{left(task)} left")))

        write = partial(self.console.print, highlight=False, soft_wrap=True, markup=False)
        lines: Any = nullcontext() if self.console.is_terminal else every_half_minute(line, write)
        shown = bar.add_task("", total=config.length, completed=algorithm.steps)
        algorithm.progress = lambda done: bar.update(shown, completed=done)
        if not algorithm.steps:
            self._tell(self._points())
        size = getattr(config, "rollout", 1)
        try:
            with bar, lines, stops(self.watched) as interrupted:
                while not (self.watched.stopping or algorithm.is_finished(self.seconds)):
                    numbers = algorithm.round(self.seconds)
                    speed = (algorithm.steps - self.first) / max(working_time() - self.begun, 1e-9)
                    self.watched.steps, self.watched.seconds = algorithm.steps, self.seconds
                    rounds, ends = algorithm.steps // size, algorithm.is_finished(self.seconds)
                    if not all(bool(torch.isfinite(weights).all()) for weights in self.module.parameters()):
                        raise Diverged(f"update {rounds} left weights that are not finite")
                    if wrong := [each for each in numbers if "loss" in each and not math.isfinite(numbers[each])]:
                        raise Diverged(f"update {rounds} ended with {wrong[0]} {numbers[wrong[0]]}")
                    if ends or (config.curve_every and rounds % config.curve_every == 0):
                        numbers |= self._points()
                    self._tell({**numbers, "time/fps": speed})
                    told = [how.format(numbers[name]) for name, how in algorithm.SHOWN if name in numbers]
                    said = ", ".join([f"{speed:,.{0 if speed >= 10 else 1}f}/s", *told])
                    bar.update(shown, completed=algorithm.steps, description=said)
                    if rounds % config.save_every == 0:
                        self._keep()
        except KeyboardInterrupt:
            self.console.print(f"stopped at once; --resume goes on after {max(self.kept, 0):,} {unit}")
            raise
        except Diverged as error:
            last = f"{config.folder / checkpoint.CHECKPOINT} still holds the run as it was after {self.kept:,} {unit}"
            raise Diverged(
                f"training diverged: {error}, most likely because learning_rate {config.learning_rate} is too high: "
                f"train anew with a lower one; {last if self.kept >= 0 else 'there is no checkpoint from before'}"
            ) from None
        finished = algorithm.is_finished(self.seconds)
        if not finished:
            self.console.print(f"stopped after {algorithm.steps:,} of {config.length:,} {unit}; --resume goes on")
        if self.kept != algorithm.steps:
            self._keep()
        return interrupted.is_set() and not finished

    def _points(self) -> dict[str, float]:
        """Score what is learnt so far against ``curve_opponents``, as numbers of the curves."""
        config = self.config
        player = self.algorithm.player("learner", False) if config.curve_every else None
        if player is None:
            return {}
        found = self._scores(player, config.curve_opponents, config.curve_pairs, config.seeds[3])
        self.curve += [CurvePoint(self.algorithm.steps, result) for result in found]
        return {f"against/{result.opponent}": result.score for result in found}

    def _scores(self, player: Agent, opponents: Sequence[Any], pairs: int, seed: int) -> list[Result]:
        return evaluate(  # one thread: some players have clocks
            player, opponents, self.config.ruleset, pairs=pairs, opening_plies=self.config.opening_plies, seed=seed,
            threads=1,
        )  # fmt: skip

    def _tell(self, numbers: Mapping[str, float]) -> None:
        """Write numbers to the curves, and tell them to the callbacks."""
        if not numbers:
            return
        for name, value in numbers.items():
            self.logger.record(name, value)
        self.logger.dump(self.algorithm.steps)
        for callback in self.callbacks:
            callback.on_numbers(self.watched, {name: float(value) for name, value in numbers.items()})

    def _keep(self) -> None:
        """Write the checkpoint, and what is learnt so far; a full disk only warns."""
        algorithm, folder = self.algorithm, self.config.folder
        header, arrays = algorithm.snapshot()
        arrays |= checkpoint.weights_arrays("network", self.module)
        arrays |= checkpoint.adam_arrays(algorithm.optimizer) | checkpoint.torch_random(self.task.device)
        now = Checkpoint({**self.about, "steps": algorithm.steps, "seconds": self.seconds, **header}, arrays)
        if is_written("checkpoint", lambda: now.write(folder), self.warn):
            self.kept = algorithm.steps
        is_written("policy", lambda: algorithm.learnt().save(folder / self.config.WEIGHTS), self.warn)

    def _finish(self, made: dict[str, Any]) -> list[Result]:
        """Write what was learnt, and by the provenance that the run is finished; then the scores."""
        algorithm, config = self.algorithm, self.config
        weights, seconds = config.folder / config.WEIGHTS, round(self.seconds, 1)
        algorithm.learnt().save(weights)
        made["training"] = {config.UNIT: algorithm.steps, **algorithm.trained(), "seconds": seconds}
        if config.ruleset is not None:
            about = {**algorithm.described(), "made": made, "config": settings_of(config)}
            card.write(weights, config.ruleset, about, None)
        write_json(config.folder / PROVENANCE, made)
        algorithm.finish()
        what = ", ".join(f"{value:,} {name}" for name, value in made["training"].items() if name != "seconds")
        self.console.print(f"{what} in {self.seconds:.0f} s; what was learnt is {weights}")
        if not config.pairs:
            return []
        met = [*config.opponents, *(each for each in self.task.opponents if each.name not in config.opponents)]
        player = algorithm.player(f"policy:path={config.folder}", True)
        assert player is not None
        results = self._scores(player, met, config.pairs, config.seeds[2])
        self.console.print(table(results, f"{player.name}: {config.ruleset.name}, {config.pairs} pairs"))
        scores = report(results, config.ruleset, config.seeds[2], opening_plies=config.opening_plies)
        write_json(config.folder / EVALUATION, scores)
        card.write(weights, config.ruleset, about, scores, **algorithm.measured())
        return results


@contextmanager
def stops(run: Run) -> Iterator[threading.Event]:
    """The first Ctrl-C ends the run after the round being played, and sets the event; the second ends it at once."""
    interrupted = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()
        run.stop()

    in_worker = multiprocessing.parent_process() is not None  # Ctrl-C goes to all processes; the main process decides
    if in_worker or threading.current_thread() is not threading.main_thread():  # where no signal arrives
        yield interrupted
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
