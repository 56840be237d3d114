"""The training loop of AlphaZero, and its command."""

import os
import pickle
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from stable_baselines3.common.logger import Logger

from agents import MctsAgent, make_agent
from agents.evaluation import Result, evaluate
from agents.executors import Executor, make_executor
from agents.policy.agent import PolicyAgent
from agents.policy.card import FILE_NAME
from agents.policy.evaluator import NetworkEvaluator
from agents.policy.network import Module, PolicyNetwork
from mancala_env.rules import Ruleset
from training import checkpoint
from training.alphazero import selfplay
from training.alphazero.config import COMMAND, FREE_TO_CHANGE, AlphaZeroConfig
from training.alphazero.learning import Buffer, learn
from training.alphazero.selfplay import Played
from training.alphazero.state import RunState, capture, restore
from training.callbacks import Callback, Run
from training.checkpoint import Checkpoint
from training.cli import Bar, make_console
from training.command import Command
from training.evaluate import report, table
from training.run import (
    CurvePoint,
    Given,
    Stopwatch,
    Task,
    Trained,
    arrange,
    begin,
    find_start,
    finish,
    go_on,
    holding,
    is_written,
    make_logger,
    read_settings,
    settings_of,
    warner,
    weights_of,
    write_scores,
)


def train(
    config: AlphaZeroConfig,
    *,
    rules: Ruleset | str | None = None,
    network: Module | None = None,
    opponents: Sequence[Any] | None = None,
    reward: str | None = None,
    callbacks: Sequence[Callback] = (),
    logger: Logger | None = None,
    device: str | torch.device = "auto",
    overwrite: bool = False,
    resume: bool = False,
    console: Console | None = None,
) -> Trained:
    """Train, write the run folder, and score the policy, as ``training.ppo.train`` does, with search.

    Ctrl-C ends the training with the last whole round; games in progress are kept, and the rest still happens.

    Parameters
    ----------
    config : AlphaZeroConfig
    rules, network, opponents : optional
        As in ``training.ppo.train``. Opponents take ``config.fixed_share`` of the games of self-play, or half of them
        if that is 0; only the learner's moves are learnt from there.
    reward : str, optional
        In place of ``config.reward``: "result" or "margin". A search knows no other.
    callbacks, logger, device, overwrite : optional
        As in ``training.ppo.train``.
    resume : bool
        Go on with the run that the folder holds, from its checkpoint. The weights at the end are those of a run that
        was never stopped, unless ``rounds`` is another, or the run is limited by ``minutes``: the learning rate falls
        along a line to the last round. What was given as an object must be given again.
    console : rich.console.Console, optional

    Returns
    -------
    Trained
        Its ``steps`` are rounds.

    Raises
    ------
    FileExistsError
        If the folder holds a run and neither ``overwrite`` nor ``resume`` is True.
    CheckpointError
        If there is nothing to resume.
    Locked
        If another process trains in this folder.
    Diverged
        If the loss is not finite any more. The last checkpoint and policy file stay as they are.
    ValueError
        If what is given does not fit together.
    """
    console = console or make_console()
    task = arrange(
        AlphaZeroConfig, config, rules=rules, network=network, opponents=opponents, reward=reward, callbacks=callbacks,
        logger=logger, device=device, any_reward=False,
    )  # fmt: skip
    with holding(task.config.folder, resume):
        return _Training(task, console).run(overwrite, resume)


class _Training:
    """``train``, by the only process that works in the folder of the run."""

    def __init__(self, task: Task, console: Console) -> None:
        self.task, self.config, self.given, self.console = task, task.config, task.given, console
        self.warn = warner(console)
        self.curve: list[CurvePoint] = []
        self.stopped = self.interrupted = False

    def run(self, overwrite: bool, resume: bool) -> Trained:
        task, given, folder = self.task, self.given, self.config.folder
        self.config = config = _as_begun(self.config, given, resume)
        torch.set_num_threads(config.threads)
        torch.manual_seed(int(np.random.SeedSequence(config.seed, spawn_key=(1 << 20,)).generate_state(1)[0]))
        self.fixed = [*map(make_agent, config.fixed_opponents), *given.opponents]
        self.about = checkpoint.describe(config.ruleset, config.encoder, settings_of(config), config.seed, "rounds")
        start = None
        if resume:
            start = find_start(config, given, self.about, FREE_TO_CHANGE, config.rounds, "rounds", self.console)
        learner = _network(config, given, start).to(task.device)
        self.about["shaping"] = learner.shaping
        optimizer = torch.optim.Adam(learner.parameters(), lr=config.learning_rate, weight_decay=config.decay)
        self.state = RunState(
            learner,
            learner.copy().to("cpu"),
            optimizer,
            Buffer.empty(config.ruleset, config.buffer),
            selfplay.begin(config, len(self.fixed)),
            np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(2,))),
        )
        if start is not None:
            restore(start, self.state, len(self.fixed))
        if resume:  # from here on the folder changes
            made = go_on(config, self.state.rounds, config.rounds, **weights_of(self.fixed))
        else:
            made = begin(config, COMMAND, given, overwrite, **weights_of(self.fixed), device=str(task.device))
        self.clock = Stopwatch(start)
        self.watched = Run(folder, settings_of(config), learner, "rounds", self.state.rounds, self.clock.seconds)
        self.logger = make_logger(self.watched, task.logger, task.callbacks, self.warn)
        self.written: Checkpoint | None = start
        self.boundary = start or capture(self.state, self.clock.seconds, self.about)
        try:
            for callback in task.callbacks:
                callback.on_start(self.watched)
            try:
                self._rounds()
            except KeyboardInterrupt:
                self.interrupted = not self.watched.stopping
                restore(self.boundary, self.state, len(self.fixed))
                done = f"{self.state.rounds:,} of {config.rounds:,} rounds"
                self.console.print(f"stopped after {done}; --resume goes on")
            finally:
                self.logger.close()
            self._keep()
            results = self._finish(made)
        finally:
            for callback in task.callbacks:
                callback.on_end(self.watched)
        return Trained(self.state.rounds, results, self.curve, folder, learner, self.interrupted)

    def _finish(self, made: dict[str, Any]) -> list[Result]:
        """Write the policy and its scores."""
        config, state = self.config, self.state
        seconds = float(self.boundary.header["seconds"])
        positions = state.buffer.added
        training = {"rounds": state.rounds, "positions": positions, "seconds": round(seconds, 1)}
        finish(config, state.learner, made, training)
        self.watched.steps, self.watched.seconds = state.rounds, seconds
        what = f"{state.rounds:,} rounds, {positions:,} positions in {seconds:.0f} s"
        self.console.print(f"{what}; the policy is {config.folder / FILE_NAME}")
        if not config.pairs:
            return []
        results = self._score(state.learner)
        scores = report(results, config.ruleset, config.seed, opening_plies=config.opening_plies)
        write_scores(config, state.learner, made, scores)
        return results

    def _is_finished(self) -> bool:
        return self.state.rounds >= self.config.rounds or 0 < 60 * self.config.minutes <= self.clock.seconds

    def _rounds(self) -> None:
        """Play and learn until the run is finished. A round is played while the one before is learnt from."""
        config, state = self.config, self.state
        bar = Bar(
            BarColumn(), TextColumn("{task.completed}/{task.total} rounds, {task.description}"), TimeElapsedColumn(),
            console=self.console,
        )  # fmt: skip
        with bar, self._executor() as executor, ThreadPoolExecutor(1) as beside:
            shown = bar.add_task("begins", total=config.rounds, completed=state.rounds)
            try:
                playing = None if self._is_finished() else beside.submit(self._play, executor, state.groups)
                while playing is not None:
                    played, took = _waited_for(playing)
                    state.groups = [each.group for each in played]
                    for each in played:
                        state.buffer.add(each.positions)
                    state.rounds += 1
                    state.player.module.load_state_dict(state.learner.weights())
                    more = not self._is_finished()
                    playing = beside.submit(self._play, executor, state.groups) if more else None
                    numbers = {**_told(played, took), **self._learn(sum(len(each.positions) for each in played))}
                    self.boundary = capture(state, self.clock.seconds, self.about)
                    self._tell(numbers, bar, shown)
                    if state.rounds % config.save_every == 0:
                        self._keep()
                        is_written("policy", lambda: state.learner.save(config.folder / FILE_NAME), self.warn)
                    if self.watched.stopping:
                        raise KeyboardInterrupt
            finally:
                self.stopped = True

    def _executor(self) -> Executor:
        """Where groups are played."""
        config = self.config
        if config.ray:
            return make_executor(ray="" if config.ray == "local" else config.ray)
        processes = {0: os.cpu_count() or 1, 1: 0}.get(config.processes, config.processes)
        if processes and (why := self._cannot_be_sent()):
            self.warn(f"{why} cannot be sent to another process: all games are played in this one (processes=1)")
            processes = 0
        return make_executor(processes)

    def _cannot_be_sent(self) -> str:
        """The name of a network or an opponent that other processes cannot import; "" if there is none."""
        players = {each.name: getattr(each, "player", each) for each in self.given.opponents}
        for name, each in {**players, self.state.player.network: self.state.player.module}.items():
            made = each if isinstance(each, type | FunctionType) else type(each)
            try:
                pickle.dumps(each)
            except Exception:
                return name
            if made.__module__ == "__main__":
                return name
        return ""

    def _play(self, executor: Executor, groups: Sequence[selfplay.Group]) -> tuple[list[Played], float]:
        """A round of all groups, and the seconds that it took."""
        begun = time.perf_counter()
        shared = self.config, self.state.player, self.fixed
        found = dict(executor.run(selfplay.play, groups, shared=shared, stop=lambda: self.stopped))
        return [found[number] for number in range(len(groups))], time.perf_counter() - begun

    def _learn(self, new: int) -> dict[str, float]:
        """Gradient steps for ``new`` positions; the numbers of the curves."""
        config, state = self.config, self.state
        part = max(state.rounds / config.rounds, self.clock.seconds / (60 * config.minutes or 1e9))
        rate = config.learning_rate + min(part, 1.0) * (config.final_learning_rate - config.learning_rate)
        for group in state.optimizer.param_groups:
            group["lr"] = rate
        steps = round(new * config.passes / config.batch_size)
        if not steps:
            return {"train/learning_rate": rate}
        policy, value = learn(state.learner, state.optimizer, state.buffer, steps, config, state.random)
        return {"train/learning_rate": rate, "train/policy_loss": policy, "train/value_loss": value}

    def _tell(self, numbers: dict[str, float], bar: Bar, shown: Any) -> None:
        """Write the numbers of a round to the curves, the callbacks and the screen."""
        config, state = self.config, self.state
        if config.curve_every and state.rounds % config.curve_every == 0:
            for result in self._evaluated(state.learner, config.curve_opponents, config.curve_pairs, config.curve_seed):
                numbers[f"against/{result.opponent}"] = result.score
                self.curve.append(CurvePoint(state.rounds, result))
        self.watched.steps, self.watched.seconds = state.rounds, self.clock.seconds
        for name, value in numbers.items():
            self.logger.record(name, value)
        self.logger.dump(state.rounds)
        losses = ", ".join(f"{what} loss {numbers[f'train/{what}_loss']:.3f}" for what in ("policy", "value")
                           if f"train/{what}_loss" in numbers)  # fmt: skip
        told = f"{state.buffer.added:,} positions{', ' if losses else ''}{losses}"
        bar.update(shown, completed=state.rounds, description=told)

    def _evaluated(
        self, network: PolicyNetwork, opponents: Sequence[Any], pairs: int, seed: int, name: str = "learner"
    ) -> list[Result]:
        """The scores of the policy alone, from random openings."""
        return evaluate(
            PolicyAgent.of(network, name), opponents, self.config.ruleset, pairs=pairs, seed=seed,
            opening_plies=self.config.opening_plies, threads=1,
        )  # fmt: skip

    def _score(self, network: PolicyNetwork) -> list[Result]:
        """Play the run's policy, without and with search, and print the tables."""
        config = self.config
        alone = f"policy:path={config.folder}"
        found = self._evaluated(network, self.given.scored(config.opponents), config.pairs, config.seed, alone)
        self.console.print(table(found, f"{alone}: {config.ruleset.name}, {config.pairs} pairs"))
        if config.search_opponents:
            name = f"mcts:simulations={config.search_simulations},network={config.folder}"
            player = MctsAgent(config.search_simulations, evaluate=NetworkEvaluator(network), name=name)
            more = evaluate(
                player, config.search_opponents, config.ruleset, pairs=config.pairs, seed=config.seed,
                opening_plies=config.opening_plies,
            )  # fmt: skip
            self.console.print(table(more, f"{name}: {config.ruleset.name}, {config.pairs} pairs"))
            found = [*found, *more]
        return found

    def _keep(self) -> None:
        """Write the checkpoint of the last boundary, unless it is written; a full disk only warns."""
        boundary = self.boundary
        if boundary is not self.written and is_written(
            "checkpoint", lambda: boundary.write(self.config.folder), self.warn
        ):
            self.written = boundary


def _waited_for(playing: "Future[tuple[list[Played], float]]") -> tuple[list[Played], float]:
    """The result of a round, waited for in slices that let Ctrl-C in."""
    while not playing.done():
        wait([playing], timeout=0.2)
    return playing.result()


def _told(played: Sequence[Played], took: float) -> dict[str, float]:
    """The numbers of a round of self-play."""
    lengths = [length for each in played for length in each.lengths]
    results = [result for each in played for _, result in each.opponents]
    simulations = sum(each.simulations for each in played)
    return {
        "selfplay/positions": float(sum(len(each.positions) for each in played)),
        "selfplay/games": float(len(lengths)),
        **({"selfplay/plies": float(np.mean(lengths))} if lengths else {}),
        **({"selfplay/score_fixed": float(np.mean(results) / 2 + 0.5)} if results else {}),
        "time/simulations_per_second": simulations / max(took, 1e-9),
    }


def _network(config: AlphaZeroConfig, given: Given, start: Checkpoint | None) -> PolicyNetwork:
    """The network that learns, with the weights of ``config.init_from`` unless a checkpoint has its own.

    A policy of PPO predicts the reward less the shaping potential; the network keeps its ``shaping``, and the targets
    take it off, so that what it has learnt of values stays true.

    Raises
    ------
    ValueError
        If ``config.init_from`` plays another game, or on another board.
    """
    kind = config.network if given.network is None else given.network
    first = PolicyNetwork.load(config.init_from, given.network) if config.init_from and start is None else None
    shaping = first.shaping if first else float(start.header.get("shaping", 0.0)) if start else 0.0
    made = PolicyNetwork(
        config.ruleset, config.encoder, config.layers, config.activation, config.action_head, shaping,
        network=kind, margin=config.share_of_margin,
    )  # fmt: skip
    if first is None:
        return made
    if first.rules.name != config.ruleset.name or first.encoder.shape != made.encoder.shape:
        raise ValueError(f"--init-from {config.init_from} plays {first.rules.name} on another board or by other rules")
    made.module.load_state_dict(first.module.state_dict())
    return made


def _as_begun(config: AlphaZeroConfig, given: Given, resume: bool) -> AlphaZeroConfig:
    """The config with the encoder and layers of the policy that it begins with; a run that goes on has noted them."""
    if not config.init_from:
        return config
    first: Any = (
        read_settings(config.folder, AlphaZeroConfig) if resume else PolicyNetwork.load(config.init_from, given.network)
    )
    encoder = first.encoder if resume else first.encoder.name
    if not first.layers:
        return replace(config, encoder=encoder, network=first.network)
    return replace(
        config, encoder=encoder, network=first.network, layers=first.layers, activation=first.activation,
        action_head=first.action_head,
    )  # fmt: skip


main = Command(
    COMMAND, AlphaZeroConfig, train, ("rounds", "minutes"), free=("processes", "ray"),
    device="where to learn: auto, cpu, cuda or mps; searches use the CPU",
)  # fmt: skip
