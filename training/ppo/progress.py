"""The callback of a run: it keeps earlier selves, saves policy and checkpoint, and writes curves and progress."""

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import BaseCallback

from agents.evaluation import evaluate
from agents.policy.agent import PolicyAgent
from agents.policy.card import FILE_NAME
from training.callbacks import Run
from training.checkpoint import CHECKPOINT, Checkpoint
from training.cli import Bar
from training.ppo.config import PPOConfig
from training.ppo.selfplay import FIRST_EARLIER, FIRST_FIXED, LATEST, OpponentPool, copy_weights
from training.ppo.state import capture
from training.run import CurvePoint, Stopwatch, is_written, warner


class SelfPlayProgress(BaseCallback):
    """Keeps the pool, the policy file and the checkpoint up to date, and shows the progress.

    Curves, all over the games that a rollout finished: ``selfplay/score`` against the pool, ``score_latest``,
    ``score_earlier`` and ``score_fixed`` by opponent, ``score_south`` and ``score_north`` by seat, ``draws``,
    ``plies`` and the learner's ``decisions`` per game, and ``illegal`` actions, which are always 0. Every
    ``curve_every`` rollouts ``against/<opponent>``, the score of the policy that played the rollout, in pairs of games
    from openings that are the same each time; these draw from no generator of the run. ``time/fps`` is steps per
    second.

    Parameters
    ----------
    config : PPOConfig
    pool : OpponentPool
    console : Console
    about : dict
        ``checkpoint.describe``.
    run : Run
        What callbacks see of it.
    start : Checkpoint, optional
        The checkpoint from which the run goes on, already restored.

    Attributes
    ----------
    curve : list of CurvePoint
        The points of ``against/<opponent>`` that this process has drawn. They count the steps that the policy was
        trained for, not those of the rollout that it played since.
    """

    def __init__(
        self,
        config: PPOConfig,
        pool: OpponentPool,
        console: Console,
        about: Mapping[str, Any],
        run: Run,
        start: Checkpoint | None = None,
    ) -> None:
        super().__init__()
        self.config = config
        self.pool = pool
        self.run = run
        self.bar = Bar(
            TextColumn("{task.completed:,.0f} steps"),
            BarColumn(),
            TextColumn("{task.fields[speed]:,.0f}/s, score against the pool {task.fields[score]:.0%}"),
            TimeRemainingColumn(),
            console=console,
        )
        self.boundary = start  # the state before the rollout being played
        self.warn = warner(console)
        self.curve: list[CurvePoint] = []
        self._about = dict(about)
        self._written = start  # the state that the checkpoint file holds
        self._first = start.steps if start else 0
        self.clock = Stopwatch(start)
        self._rollouts = int(start.header["rollouts"]) if start else 0
        self._task = self.bar.add_task("", total=config.steps, completed=self._first, speed=0.0, score=0.5)
        self._finished: list[dict[str, Any]] = []
        self._recent: deque[float] = deque(maxlen=5000)

    @property
    def last_checkpoint(self) -> str:
        """The checkpoint from which the run can go on, in words."""
        if self._written is None:
            return "there is no checkpoint from before"
        return f"{self.config.folder / CHECKPOINT} still holds the run as it was after {self._written.steps:,} steps"

    def keep(self) -> None:
        """Write the state before the rollout being played, unless it is written; a full disk only warns."""
        if self.boundary is not None and self.boundary is not self._written:
            boundary = self.boundary
            if is_written("checkpoint", lambda: boundary.write(self.config.folder), self.warn):
                self._written = boundary

    def _on_training_start(self) -> None:
        self.clock.begin()

    def _on_rollout_start(self) -> None:
        self._take()
        if self.run.stopping:
            raise KeyboardInterrupt
        copy_weights(self.model, self.pool.latest)  # type: ignore[arg-type]
        if self._rollouts % self.config.save_every == 0:
            self.keep()
            is_written("policy", lambda: self.pool.latest.save(self.config.folder / FILE_NAME), self.warn)
        if self._rollouts % self.config.pool_every == 0:
            self.pool.remember()
        self._rollouts += 1

    def _on_step(self) -> bool:
        new = [info for info in self.locals["infos"] if info]
        self._finished += new
        self._recent.extend((1.0 + info["episode"]["r"]) / 2.0 for info in new)
        return True

    def _on_rollout_end(self) -> None:
        self.run.steps, self.run.seconds = self.num_timesteps, self.clock.seconds
        self.bar.update(
            self._task,
            completed=self.num_timesteps,
            speed=(self.num_timesteps - self._first) / self.clock.here,
            score=float(np.mean(self._recent)) if self._recent else 0.5,
        )
        if self._finished:
            self._record_games()
            self._finished.clear()
        if self.config.curve_every and (self._rollouts - 1) % self.config.curve_every == 0:
            self._record_scores()

    def _on_training_end(self) -> None:
        self._take()
        self.keep()

    def _take(self) -> None:
        if self.boundary is None or self.boundary.steps != self.num_timesteps:
            self.boundary = capture(self.model, self.pool, self._rollouts, self.clock.seconds, self._about)  # type: ignore[arg-type]

    def _record_games(self) -> None:
        results = np.array([info["episode"]["r"] for info in self._finished])
        against = np.array([info["opponent"] for info in self._finished])
        seats = np.array([info["seat"] for info in self._finished])
        everywhere = np.ones(len(results), dtype=np.bool_)
        for name, games in (
            ("score", everywhere),
            ("score_latest", against == LATEST),
            ("score_earlier", against >= FIRST_EARLIER),
            ("score_fixed", against <= FIRST_FIXED),
            ("score_south", seats == 0),
            ("score_north", seats == 1),
        ):
            if games.any():
                self.logger.record(f"selfplay/{name}", (1.0 + results[games].mean()) / 2.0)
        self.logger.record("selfplay/draws", np.mean(results == 0.0))
        self.logger.record("selfplay/plies", np.mean([info["plies"] for info in self._finished]))
        self.logger.record("selfplay/decisions", np.mean([info["episode"]["l"] for info in self._finished]))
        self.logger.record("selfplay/illegal", sum(info["termination"] == "illegal" for info in self._finished))

    def _record_scores(self) -> None:
        results = evaluate(
            PolicyAgent.of(self.pool.latest, "learner"),
            self.config.curve_opponents,
            self.config.ruleset,
            pairs=self.config.curve_pairs,
            opening_plies=self.config.opening_plies,
            seed=self.config.curve_seed,
            threads=1,
        )
        for result in results:
            self.logger.record(f"against/{result.opponent}", result.score)
            self.curve.append(CurvePoint(self.num_timesteps - self.config.rollout, result))
