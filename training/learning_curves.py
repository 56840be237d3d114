"""Learning curves over several seeds: ``python -m training.learning_curves``

One configuration is trained with several seeds, and each policy scored at the same steps. A single curve says little,
since seeds differ more than most ideas do: the table has the interquartile mean over the seeds, with its interval.
"""

import io
import multiprocessing
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from agents.evaluation import RESAMPLES, bootstrap_interval, evaluate, interquartile_mean
from agents.locks import only_one
from agents.policy.agent import PolicyAgent
from agents.processes import die_with_parent
from agents.provenance import provenance, write_json
from mancala_env.cli import GAME, fail
from training.cli import make_console, make_parser, parse, setting
from training.config import PPOConfig
from training.ppo import train
from training.run import CONFIG

LEAST_SEEDS = 5
FILE, PICTURE = "learning_curves.json", "learning_curves.png"

Curves = dict[str, dict[int, list[float]]]  # opponent: steps: the score of each seed


@dataclass(frozen=True)
class CurvesConfig(PPOConfig):
    """Train one configuration with several seeds, and show how the scores grow with the steps.

    Every setting of python -m training.ppo is one here; the defaults are a small game and a small network.
    """

    rules: str = setting("kalah:pits_per_row=4,seeds=3", GAME)
    out: str = setting("runs/learning_curves", "folder of the results, and of a run for each seed")
    seed: int = setting(0, "the first; the others follow it")
    seeds: int = setting(LEAST_SEEDS, f"number of seeds, {LEAST_SEEDS} or more")
    jobs: int = setting(0, "processes at the same time; 0: one for each core")
    steps: int = setting(524_288, "decisions of the learner, with each seed")
    layers: tuple[int, ...] = setting((64, 64), "width of each layer shared by policy and value")
    envs: int = setting(128, "games played in one batch")
    curve_every: int = setting(8, "rollouts between two points of the curves")
    curve_opponents: tuple[str, ...] = setting(("v1-depth4",), "scored against while training; a table for each")
    curve_pairs: int = setting(50, "pairs of games for each point")
    pairs: int = setting(0, "pairs of games against each of opponents at the end; 0: no such scoring")

    def __post_init__(self, changes: Mapping[str, Any] | None) -> None:
        if changes is not None and not changes:  # how the last release was told of no other rules
            object.__setattr__(self, "rules", self.rules.partition(":")[0])
        super().__post_init__(changes)
        for name, least in (("seeds", LEAST_SEEDS), ("jobs", 0), ("curve_every", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be {least} or more, not {getattr(self, name)}")
        if not self.curve_opponents:
            raise ValueError("curve_opponents must be one or more")

    @property
    def runs(self) -> list[PPOConfig]:
        """The configs of the runs, one for each seed."""
        same = {each.name: getattr(self, each.name) for each in fields(PPOConfig)}
        seeds = range(self.seed, self.seed + self.seeds)
        return [PPOConfig(**{**same, "seed": seed, "out": str(self.folder / f"seed-{seed}")}) for seed in seeds]

    @property
    def processes(self) -> int:
        """The number of processes: ``jobs``, but no more than there are runs."""
        return min(self.jobs or os.cpu_count() or 1, self.seeds)


def learning_curves(config: CurvesConfig, console: Console | None = None) -> Curves:
    """Train with every seed, print the tables and write the files.

    The points are those of ``against/<opponent>`` in training, one every ``curve_every`` rollouts, and the finished
    policy. Scores depend on the config alone, not on how many processes share the work.

    Raises
    ------
    FileExistsError
        If the folder holds runs already.
    """
    console = console or make_console()
    if any((run.folder / CONFIG).exists() for run in config.runs):
        raise FileExistsError(f"{config.folder} holds runs already; choose another --out, or --overwrite them")
    found: dict[int, Curves] = {}
    for seed, one in _train_all(config):
        found[seed] = one
        last = ", ".join(f"{100 * list(points.values())[-1][0]:.1f} against {name}" for name, points in one.items())
        console.print(f"seed {seed}: {last}")
    first = found[config.seed]
    curves: Curves = {
        name: {steps: [found[run.seed][name][steps][0] for run in config.runs] for steps in first[name]}
        for name in first
    }
    for opponent in curves:
        console.print(table(config, curves, opponent))
    write_json(config.folder / FILE, report(config, curves))
    written = [FILE]
    if draw(config, curves):
        written.append(PICTURE)
    console.print(f"{config.folder} holds {' and '.join(written)}")
    return curves


def table(config: CurvesConfig, curves: Curves, opponent: str) -> Table:
    """The scores against an opponent as a table to print, in percent."""
    title = f"{config.rules}: score against {opponent}, {config.seeds} seeds, {config.curve_pairs} pairs each"
    shown = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("steps", "IQM", "95 %", *(f"seed {run.seed}" for run in config.runs)):
        shown.add_column(heading, justify="right")
    for point in _points(curves[opponent]):
        shown.add_row(
            f"{point['steps']:,}",
            f"{100 * point['interquartile_mean']:.1f}",
            f"{100 * point['low']:.1f}-{100 * point['high']:.1f}",
            *(f"{100 * score:.1f}" for score in point["scores"]),
        )
    return shown


def report(config: CurvesConfig, curves: Curves) -> dict[str, Any]:
    """The curves as plain data for JSON, with what is needed to reproduce them."""
    return {
        **provenance(config.ruleset, config.seed),
        "config": asdict(config),
        "seeds": [run.seed for run in config.runs],
        "resamples": RESAMPLES,
        "curves": {opponent: _points(points) for opponent, points in curves.items()},
    }


def draw(config: CurvesConfig, curves: Curves) -> bool:
    """Draw the curves to a file; False if matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot(xlabel="steps", ylabel="score, %", ylim=(0, 100), title=config.rules)
    for opponent, points in curves.items():
        rows = _points(points)
        steps = [row["steps"] for row in rows]
        low, high, middle = ([100 * row[key] for row in rows] for key in ("low", "high", "interquartile_mean"))
        (line,) = axes.plot(steps, middle, label=f"against {opponent}")
        axes.fill_between(steps, low, high, color=line.get_color(), alpha=0.25, linewidth=0)
    axes.legend(title=f"interquartile mean of {config.seeds} seeds, 95 %", loc="lower right")
    figure.savefig(config.folder / PICTURE, dpi=120)
    return True


def _points(scores: dict[int, list[float]]) -> list[dict[str, Any]]:
    """The rows of a table."""
    rows = []
    for steps, each in scores.items():
        low, high = bootstrap_interval(each)
        middle = interquartile_mean(each)
        rows.append({"steps": steps, "interquartile_mean": middle, "low": low, "high": high, "scores": each})
    return rows


def _train_all(config: CurvesConfig) -> Iterator[tuple[int, Curves]]:
    """Each seed and its curves, as they are finished."""
    if config.processes == 1:
        yield from ((run.seed, _train_one(run)) for run in config.runs)
        return
    with ProcessPoolExecutor(config.processes, multiprocessing.get_context("spawn"), die_with_parent) as pool:
        seeds = {pool.submit(_train_one, run): run.seed for run in config.runs}
        try:
            for done in as_completed(seeds):
                yield seeds[done], done.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _train_one(run: PPOConfig) -> Curves:
    """The curves of one seed, the finished policy's scores at their end."""
    done = train(run, console=Console(file=io.StringIO()))
    if done.steps < run.steps:
        raise KeyboardInterrupt
    curves: Curves = {}
    for point in done.curve:
        curves.setdefault(point.result.opponent, {})[point.steps] = [point.result.score]
    last = evaluate(
        PolicyAgent(run.folder),
        run.curve_opponents,
        run.ruleset,
        pairs=run.curve_pairs,
        opening_plies=run.opening_plies,
        seed=run.curve_seed,
        threads=1,
    )
    for result in last:
        curves.setdefault(result.opponent, {})[done.steps] = [result.score]
    return curves


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = make_parser(CurvesConfig, "python -m training.learning_curves")
    parser.add_argument("--overwrite", action="store_true", help="replace the runs that the folder holds")
    config, other = parse(parser, CurvesConfig, arguments)
    try:
        if other["overwrite"]:
            for run in config.runs:
                with only_one(run.folder, "trains"):
                    shutil.rmtree(run.folder, ignore_errors=True)
            for name in (FILE, PICTURE):
                Path(config.folder / name).unlink(missing_ok=True)
        learning_curves(config)
    except (OSError, ValueError) as error:
        fail(parser.prog, error)
    except KeyboardInterrupt:
        parser.exit(130, f"{parser.prog}: stopped before the scores were known\n")


if __name__ == "__main__":
    main()
