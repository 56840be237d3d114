"""The training loop of an evaluation, and its command."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from stable_baselines3.common.logger import Logger

from agents.evaluation import Result, evaluate
from agents.policy import card
from agents.provenance import rules_digest, write_json
from agents.search import MinimaxAgent, learned
from agents.search.array_file import FORMAT
from agents.search.evaluation import Evaluation
from agents.zoo import beside
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import as_plain
from mancala_env.rules.spec import rule_changes
from training import checkpoint
from training.callbacks import Callback, Run
from training.checkpoint import Checkpoint
from training.cli import Bar, make_console, rules_spec
from training.command import Command
from training.evaluate import report, table
from training.evaluation.config import COMMAND, FREE, EvaluationConfig, limits_of
from training.evaluation.state import Learning
from training.run import (
    EVALUATION,
    PROVENANCE,
    CurvePoint,
    Given,
    Stopwatch,
    begin,
    check_watchers,
    find_start,
    go_on,
    holding,
    is_written,
    make_logger,
    settings_of,
    stops,
    warner,
)


@dataclass(frozen=True)
class TrainedEvaluation:
    """The result of ``train``.

    Attributes
    ----------
    steps : int
        Rounds; fewer than asked for if the training was stopped.
    results : list of Result
        Scores of the search with the evaluation; none without ``pairs``.
    curve : list of CurvePoint
        The scores during training, since the run began or was resumed.
    folder : Path
    evaluation : Evaluation
        ``MinimaxAgent(time=0.1, evaluation=it)`` plays with it.
    interrupted : bool
        Was the training ended early by Ctrl-C?
    """

    steps: int
    results: list[Result]
    curve: list[CurvePoint]
    folder: Path
    evaluation: Evaluation
    interrupted: bool = False


def train(
    config: EvaluationConfig,
    *,
    rules: Ruleset | str | None = None,
    callbacks: Sequence[Callback] = (),
    logger: Logger | None = None,
    device: str | torch.device = "auto",
    overwrite: bool = False,
    resume: bool = False,
    console: Console | None = None,
) -> TrainedEvaluation:
    """Learn an evaluation, write the run folder, and score the search that uses it.

    Ctrl-C ends the training after the round being played, a second one at once.

    Parameters
    ----------
    config : EvaluationConfig
    rules : Ruleset, optional
        In place of ``config.rules``.
    callbacks, logger : optional
        As in ``training.ppo.train``.
    device : str
        Learning takes place on the CPU: a network this small gains nothing elsewhere.
    overwrite, resume, console : optional
        As in ``training.ppo.train``.

    Raises
    ------
    FileExistsError
        If the folder holds a run and neither ``overwrite`` nor ``resume`` is True.
    CheckpointError
        If there is nothing to resume.
    Locked
        If another process trains in this folder.
    Diverged
        If the loss is not finite. The last checkpoint and evaluation stay as they are.
    ValueError
        If what is given does not fit together.
    """
    if not isinstance(config, EvaluationConfig):
        raise ValueError(f"config must be an EvaluationConfig, not {type(config).__name__}")
    if str(device) not in ("auto", "cpu"):
        raise ValueError(f"an evaluation is learnt on the CPU (auto or cpu), not on {device!r}")
    config = config if rules is None else replace(config, rules=rules)
    callbacks = check_watchers(callbacks, logger)
    with holding(config.folder, resume):
        return _train(config, callbacks, logger, overwrite, resume, console or make_console())


def _train(
    config: EvaluationConfig,
    callbacks: Sequence[Callback],
    logger: Logger | None,
    overwrite: bool,
    resume: bool,
    console: Console,
) -> TrainedEvaluation:
    """``train``, by the only process that works in the folder of the run."""
    torch.set_num_threads(config.threads)
    warn, nothing = warner(console), Given()
    about = checkpoint.describe(config.ruleset, "", settings_of(config), config.seed, "rounds")
    start = find_start(config, nothing, about, FREE, config.rounds, "rounds", console) if resume else None
    learning = Learning(config)
    if start:
        learning.restore(start.header, start.arrays)
    made = go_on(config, learning.rounds, config.rounds) if resume else begin(config, COMMAND, nothing, overwrite)
    clock = Stopwatch(start)
    run = Run(config.folder, settings_of(config), learning.module, "rounds", learning.rounds, clock.seconds)
    log = make_logger(run, logger, callbacks, warn)
    curve: list[CurvePoint] = []
    kept = learning.rounds if start else -1  # no checkpoint yet

    def keep() -> None:
        nonlocal kept
        header, arrays = learning.snapshot()
        now = Checkpoint({**about, "steps": learning.rounds, "seconds": clock.seconds, **header}, arrays)
        if is_written("checkpoint", lambda: now.write(config.folder), warn):
            kept = learning.rounds
        if learning.evaluation is not None:
            weights = learning.evaluation
            is_written("evaluation", lambda: weights.save(config.folder / config.WEIGHTS), warn)

    bar = Bar(
        TextColumn("{task.completed}/{task.total} rounds"), BarColumn(), TextColumn("{task.description}"),
        TimeRemainingColumn(), console=console,
    )  # fmt: skip
    shown = bar.add_task("begins", total=config.rounds, completed=learning.rounds)
    try:
        for callback in callbacks:
            callback.on_start(run)
        try:
            with bar, stops(run) as interrupted:
                while learning.rounds < config.rounds and not run.stopping:
                    numbers = learning.round()
                    run.steps, run.seconds = learning.rounds, clock.seconds
                    if config.curve_every and learning.rounds % config.curve_every == 0:
                        for result in _scores(config, learning, config.limit, config.curve_opponents):
                            numbers[f"against/{result.opponent}"] = result.score
                            curve.append(CurvePoint(learning.rounds, result))
                    for name, number in numbers.items():
                        log.record(name, number)
                    log.dump(learning.rounds)
                    bar.update(shown, completed=learning.rounds, description=_told(learning, numbers, curve))
                    if learning.rounds % config.save_every == 0:
                        keep()
        except KeyboardInterrupt:
            console.print(f"stopped at once; --resume goes on from round {max(kept, 0):,}")
            raise
        finally:
            log.close()
        if learning.rounds < config.rounds:
            console.print(f"stopped after {learning.rounds:,} of {config.rounds:,} rounds; --resume goes on")
        if learning.rounds != kept:
            keep()
        learning.evaluation = learning.evaluation or learning.module.to_evaluation()  # stopped before its first round
        learning.evaluation.save(config.folder / config.WEIGHTS)
        made["training"] = {
            "rounds": learning.rounds, "positions": learning.positions, "seconds": round(clock.seconds, 1)
        }  # fmt: skip
        write_card(config, learning.evaluation, made, None)
        write_json(config.folder / PROVENANCE, made)
        what = f"{learning.rounds:,} rounds, {learning.positions:,} positions in {clock.seconds:.0f} s"
        console.print(f"{what}; the evaluation is {config.folder / config.WEIGHTS}")
        results = []
        if config.pairs:
            results = _scores(config, learning, config.final_limit, config.opponents, last=True)
            console.print(table(results, f"{config.folder}: {config.ruleset.name}, {config.pairs} pairs"))
            scores = report(results, config.ruleset, config.seeds()[2], opening_plies=config.opening_plies)
            write_json(config.folder / EVALUATION, scores)
            write_card(config, learning.evaluation, made, scores)
    finally:
        for callback in callbacks:
            callback.on_end(run)
    done = learning.rounds
    return TrainedEvaluation(
        done, results, curve, config.folder, learning.evaluation, interrupted.is_set() and done < config.rounds
    )


def _told(learning: Learning, numbers: dict[str, float], curve: Sequence[CurvePoint]) -> str:
    told = f"{learning.positions:,} positions, loss {numbers['train/loss']:.4f}"
    return told + (f", {100 * curve[-1].result.score:.0f} % against {curve[-1].result.opponent}" if curve else "")


def _scores(
    config: EvaluationConfig, learning: Learning, limit: str, opponents: Sequence[str], last: bool = False
) -> list[Result]:
    """Play the search with the evaluation against others; one game at a time, because of clocks."""
    name = f"minimax:{limit},evaluation={config.folder}"
    player = MinimaxAgent(**limits_of(limit), evaluation=learning.evaluation, name=name)
    return evaluate(
        player, opponents, config.ruleset, pairs=config.pairs if last else config.curve_pairs,
        seed=config.seeds()[2] if last else config.curve_seed, opening_plies=config.opening_plies, threads=1,
    )  # fmt: skip


def write_card(
    config: EvaluationConfig, evaluation: Evaluation, made: dict[str, Any], scores: dict[str, Any] | None
) -> None:
    """Write the model card of the evaluation of a run beside its file."""
    weights, rules = config.folder / config.WEIGHTS, evaluation.rules
    named = isinstance(rules_spec(rules), str)
    content = {
        "format": FORMAT,
        "file": weights.name,
        "sha256": card.digest(weights),
        "rules": {
            "id": rules.id,
            "changes": rule_changes(rules) if named else {},
            **({} if named else {"ruleset": as_plain(rules)}),
            "text": repr(rules),
            "sha256": rules_digest(rules),
        },
        "network": {
            "kind": "one hidden layer over counts of seeds, whole numbers",
            "width": len(evaluation.second),
            "rows": len(evaluation.first),
            "clipped_at": learned.ONE,
        },
        "made": {name: made[name] for name in card.MADE if name in made},
        "training": {**made.get("training", {}), "config": settings_of(config)},
        "evaluation": scores and {name: scores[name] for name in ("seed", "opening_plies", "results")},
    }
    write_json(beside(weights), content)


main = Command(COMMAND, EvaluationConfig, train, ("rounds",), device="the CPU: auto or cpu")
