"""Experiments, variants of a configuration over several seeds: ``mancala train experiment --rules oware``

Each variant is trained and scored with each seed; tables hold the interquartile mean over seeds with its bootstrap
interval. Finished runs are kept, others resumed, on the cores of this machine or of a Ray cluster whose machines share
the folder."""

import json
import re
import shutil
import sys
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from agents import make_agent
from agents.evaluation import RESAMPLES, bootstrap_interval, interquartile_mean
from agents.executors import Executor, WorkerDied, make_executor
from agents.processes import only_one
from agents.provenance import provenance, write_json
from mancala_env.cli import Parser, fail
from mancala_env.progress import at_work
from mancala_env.rules.plain import called
from training import alphazero, checkpoint, ppo
from training.callbacks import JsonlLog
from training.checkpoint import CheckpointError
from training.cli import make_console, make_parser, options, parse, read_yaml
from training.run import CONFIG, EVALUATION, LOG, PROVENANCE, Diverged, read_or_nothing, settings_of
from training.trainer import Algorithm

COMMAND = "mancala train experiment"
SEEDS = 5
FILE, PICTURE = "experiment.json", "experiment.png"
FAILED = "failed.json"  # in the folder of a run that diverged
DEFAULT, ALL = "default", "all"
# Settings on which neither the weights nor the curves depend: with others, a finished run is scored once more at most.
FREE = frozenset({"out", "pairs", "opponents", "save_every", "export_sb3", "processes", "ray"})
TRAINERS: dict[str, type[Algorithm]] = {"ppo": ppo.PPO, "alphazero": alphazero.AlphaZero}
_SMALL = {
    "rules": "kalah:pits_per_row=4,seeds=3", "layers": (64, 64), "curve_every": 8, "curve_opponents": ("v1-depth4",),
    "curve_pairs": 50, "pairs": 0,
}  # fmt: skip
SMALL: dict[str, dict[str, Any]] = {  # settings of a small game, with which five seeds take a few minutes
    "ppo": {**_SMALL, "steps": 524_288, "envs": 128},
    "alphazero": {**_SMALL, "rounds": 40, "games": 64, "simulations": 32, "buffer": 20_000, "processes": 1},
}
DESCRIPTION = """Train variants of one configuration with several seeds each, and show how they score.

Every setting of the trainer is an option here. Stopped, the same command goes on."""


# One setting changed at a time, or few that belong together: the effect of each choice that the defaults make.
VARIANTS: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    "encoder counts": {"encoder": "counts"},
    "encoder lookahead1": {"encoder": "lookahead1"},
    "encoder lookahead2": {"encoder": "lookahead2"},
    "encoder lookahead2, action head 64": {"encoder": "lookahead2", "action_head": 64},
    "encoder lookahead4, action head 64": {"encoder": "lookahead4", "action_head": 64},
    "layers 512 256": {"layers": (512, 256)},
    "no shaping": {"shaping": 0.0},
    "gae_lambda 0.9": {"gae_lambda": 0.9},
    "entropy 0.03": {"entropy": 0.03},
    "learning rate halved": {"learning_rate": 1e-3},
    "only the latest self": {"pool_size": 0},
    "prioritised earlier selves": {"prioritised": 2.0},
    "fixed opponents of depth 2 and 4": {"fixed_opponents": ("minimax:depth=2", "minimax:depth=4"), "fixed_share": 0.3},
    "no openings in training": {"game_opening_plies": 0},
    "openings of up to 6 plies": {"game_opening_plies": 6},
}


def parse_variant(text: str, kind: type[Any]) -> tuple[str, dict[str, Any]]:
    """The name of a variant and its settings, from ``name: setting=value, setting=value``; without a name the settings
    are the name. Several values of a setting are separated by spaces. Raises ValueError for what cannot be read.

    Examples
    --------
    >>> parse_variant("wide: layers=512 256, entropy=0.03", ppo.PPOConfig)
    ('wide', {'layers': (512, 256), 'entropy': 0.03})
    """
    types = {each.name: typing.get_type_hints(kind)[each.name] for each in fields(kind)}
    name, colon, rest = text.partition(":")
    if not colon or "=" in name:
        name, rest = text, text
    changes: dict[str, Any] = {}
    for part in re.split(rf",\s+(?=(?:{'|'.join(types)})\s*=)", rest):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key:
            raise ValueError(
                f"cannot read {part.strip()!r} in the variant {text!r}; write 'name: setting=value, setting=value'"
            )
        if key not in types:
            raise ValueError(f"the variant {text!r} changes {key!r}, and there is no such setting: {', '.join(types)}")
        (one, *_) = typing.get_args(types[key]) or (types[key],)
        read = {"true": True, "false": False}.__getitem__ if one is bool else one
        try:
            several = typing.get_origin(types[key]) is tuple
            changes[key] = tuple(map(read, value.split())) if several else read(value)
        except (ValueError, KeyError):
            raise ValueError(f"the variant {text!r}: {key} must be {one.__name__}, not {value!r}") from None
    return name.strip(), changes


def folder_name(variant: str) -> str:
    """The name of the folder of a variant's runs."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", variant).strip("_.") or "_"


@dataclass(frozen=True)
class Trial:
    """A run of an experiment: a variant with a seed."""

    trainer: type[Algorithm]
    variant: str
    config: Any

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.variant}, seed {self.config.seed}"

    def differences(self) -> list[str]:
        """In what the run that its folder holds was trained otherwise: "steps was 256, not 320"."""
        path = self.config.folder / CONFIG
        if not path.is_file():
            return []
        try:
            was = read_yaml(path)
        except ValueError as error:
            return [str(error)]
        asked = json.loads(json.dumps(settings_of(self.config)))
        default = json.loads(json.dumps({each.name: each.default for each in fields(self.config)}))  # of later ones
        pairs = {name: (was.get(name, default[name]), value) for name, value in asked.items() if name not in FREE}
        return [f"{name} was {old}, not {new}" for name, (old, new) in pairs.items() if old != new]

    def record(self) -> dict[str, Any] | None:
        """What is known of the run if it needs nothing more; None otherwise: ``commit``; ``failed``, why there are no
        scores; or ``scores`` by opponent, ``curves``, [steps, score] by opponent, and how many steps or rounds
        (``length``) took how many ``seconds``."""
        config, folder = self.config, self.config.folder
        if failed := read_or_nothing(folder / FAILED):
            return failed
        made = read_or_nothing(folder / PROVENANCE)
        took = made.get("training", {})
        length, minutes = took.get(config.UNIT, 0), getattr(config, "minutes", 0)
        if not took or not (length >= config.length or 0 < 60 * minutes <= took["seconds"]):
            return None
        asked = [(make_agent(name).name, config.pairs) for name in opponents_of(config)]
        results = read_or_nothing(folder / EVALUATION).get("results", []) if asked else []
        if [(each["opponent"], each["pairs"]) for each in results] != asked:
            return None
        return {
            "commit": made.get("commit"),
            "scores": {name: each["score"] for name, each in zip(opponents_of(config), results, strict=True)},
            "curves": self._curves(),
            "length": length,
            "seconds": took["seconds"],
        }

    def _curves(self) -> dict[str, list[tuple[int, float]]]:
        """The scores along the way, from the log of the run, which a resumed run continues."""
        opponents = self.config.curve_opponents if self.config.curve_every else ()
        found: dict[str, list[tuple[int, float]]] = {make_agent(each).name: [] for each in opponents}
        for line in (self.config.folder / LOG).read_text(encoding="utf-8").splitlines():
            numbers = json.loads(line)
            for name, points in found.items():
                if (score := numbers.get(f"against/{name}")) is not None:
                    points.append((numbers[self.config.UNIT], score))
        return found


def opponents_of(config: Any) -> tuple[str, ...]:
    """What the finished policy is scored against."""
    return config.opponents if config.pairs else ()


def run_trial(trial: Trial, shared: None) -> str:
    """Train and score, as far as that is not done. Returns why the run does not go on from its checkpoint, or "".
    Raises KeyboardInterrupt as the training does."""
    config, folder = trial.config, trial.config.folder
    # Where there is no checkpoint to lose, the run begins anew: the same seed gives the same weights.
    resume = any((folder / name).exists() for name in (checkpoint.CHECKPOINT, checkpoint.PREVIOUS))
    (folder / EVALUATION).unlink(missing_ok=True)  # of other opponents: a finished run is only scored
    console = Console(quiet=True)
    try:
        done = trial.trainer.train(config, overwrite=not resume, resume=resume, console=console, callbacks=[JsonlLog()])
    except Diverged as error:
        write_json(folder / FAILED, {**provenance(config.ruleset, config.seed), "failed": str(error)})
    except CheckpointError as error:  # not written: what is in the way may be gone next time
        said = " ".join(str(error).split())
        anew = f"to train it anew, delete {folder}; --overwrite trains all runs anew"
        return f"it does not go on from its checkpoint: {said}; {anew}"
    else:
        if done.interrupted:
            raise KeyboardInterrupt
    return ""


@dataclass(frozen=True)
class Experiment:
    """Variants, seeds, and the settings that they share.

    ``base`` is the PPOConfig or AlphaZeroConfig that all runs share: its ``seed`` is the first one, ``out`` the folder
    of the experiment (``runs/experiment-<game>`` if empty); ``opponents``, ``pairs`` and ``curve_...`` say how each run
    is scored. ``variants`` hold the settings that differ, by name; ``seeds`` is the number of runs of each. Raises
    ValueError if a variant is none, two of them would share a folder, or there is no seed."""

    base: Any
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {DEFAULT: {}})
    seeds: int = SEEDS

    def __post_init__(self) -> None:
        if not isinstance(self.seeds, int) or self.seeds < 1:
            raise ValueError(f"seeds must be 1 or more, not {self.seeds}")
        folders: dict[str, str] = {}
        for name in self.variants:
            other = folders.setdefault(folder_name(name), name)
            if other != name:
                raise ValueError(f"the variants {other!r} and {name!r} would share a folder: give one another name")
        if not self.variants:
            raise ValueError("an experiment has one variant or more")
        _ = self.trainer, self.trials

    @property
    def trainer(self) -> type[Algorithm]:
        """The trainer of all runs. Raises ValueError if there is none with these settings."""
        for trainer in TRAINERS.values():
            if isinstance(self.base, trainer.SETTINGS):
                return trainer
        raise ValueError(f"an experiment takes a PPOConfig or an AlphaZeroConfig, not {type(self.base).__name__}")

    @property
    def folder(self) -> Path:
        """The folder of the results; the runs lie in it as ``<variant>/seed-<seed>``."""
        return Path(self.base.out or f"runs/experiment-{self.base.ruleset.name}").absolute()

    @cached_property
    def trials(self) -> list[Trial]:
        """The runs, seed by seed, so that all variants are known with few seeds first."""
        found = []
        for seed in range(self.base.seed, self.base.seed + self.seeds):
            for name, changes in self.variants.items():
                out = str(self.folder / folder_name(name) / f"seed-{seed}")
                try:
                    config = replace(self.base, **{**changes, "seed": seed, "out": out})
                except (TypeError, ValueError) as error:
                    raise ValueError(f"variant {name!r}: {error}") from None
                found.append(Trial(self.trainer, name, config))
        return found


@dataclass(frozen=True)
class Findings:
    """The results of an experiment: what ``Trial.record`` says, by variant and seed."""

    experiment: Experiment
    records: Mapping[str, Mapping[int, Mapping[str, Any]]]

    def trained(self, variant: str) -> list[Mapping[str, Any]]:
        """The records of the runs that did not fail, in the order of their seeds."""
        return [record for record in self.records[variant].values() if "failed" not in record]

    def scores(self, variant: str, opponent: str) -> list[float]:
        """The final score of each seed, without those that failed."""
        return [record["scores"][opponent] for record in self.trained(variant)]

    def curve(self, variant: str, opponent: str) -> list[dict[str, Any]]:
        """The points of a curve: ``steps``, ``scores``, and their ``interquartile_mean`` from ``low`` to ``high``,
        without points that a seed lacks."""
        runs = [dict(map(tuple, record["curves"].get(opponent, ()))) for record in self.trained(variant)]
        shared = [steps for steps in (runs[0] if runs else ()) if all(steps in run for run in runs)]
        return [{"steps": steps, **summary([run[steps] for run in runs])} for steps in shared]

    def report(self) -> dict[str, Any]:
        """The results as plain data for JSON, with what is needed to make them again."""
        base, found = self.experiment.base, {}
        along = [make_agent(each).name for each in base.curve_opponents] if base.curve_every else []
        for name, records in self.records.items():
            speeds = [each["length"] / max(each["seconds"], 0.05) for each in self.trained(name)]
            found[name] = {
                "changes": dict(self.experiment.variants[name]),
                "scores": {each: summary(self.scores(name, each)) for each in opponents_of(base)},
                "curves": {each: self.curve(name, each) for each in along},
                "failed": {seed: one["failed"] for seed, one in records.items() if "failed" in one},
                f"{base.UNIT}_per_second": float(np.mean(speeds or [0.0])),
            }
        about = {**provenance(base.ruleset, base.seed), "config": settings_of(base), "resamples": RESAMPLES}
        return {**about, "seeds": sorted(next(iter(self.records.values()))), "variants": found}


def summary(scores: Sequence[float]) -> dict[str, Any]:
    """The interquartile mean of the seeds, its interval, and the scores themselves."""
    if not scores:
        return {"interquartile_mean": None, "low": None, "high": None, "scores": []}
    low, high = bootstrap_interval(scores)
    return {"interquartile_mean": interquartile_mean(scores), "low": low, "high": high, "scores": list(scores)}


def run(
    experiment: Experiment, *, executor: Executor | None = None, overwrite: bool = False, console: Console | None = None
) -> Findings:
    """Train and score what is not done yet, print the tables and write ``experiment.json`` and ``experiment.png``.

    Scores depend on the experiment alone. What is finished is kept, unless ``overwrite``, and other runs go on from
    their checkpoints. ``executor``: where runs take place (``agents.executors``), by default a process for each core.
    Raises FileExistsError if the folder holds runs with other settings and ``overwrite`` is False, Locked if another
    process works in it, WorkerDied if processes of one run were lost repeatedly."""
    console = console or make_console()
    with only_one(experiment.folder, "runs an experiment"):
        _prepare(experiment, overwrite, console)
        records: dict[str, dict[int, dict[str, Any]]] = {name: {} for name in experiment.variants}
        for done, (trial, record, is_new) in enumerate(_records(experiment, executor), start=1):
            records[trial.variant][trial.config.seed] = record
            if is_new:
                line = f"{done} of {len(experiment.trials)}: {trial.name}: {_said(record)}"
                console.print(line, highlight=False, soft_wrap=True)
        found = Findings(experiment, {name: dict(sorted(each.items())) for name, each in records.items()})
        said = found.report()
        for title, shown in tables(experiment, said["variants"]):
            console.print(f"\n{title}", shown, sep="\n", highlight=False)
        write_json(experiment.folder / FILE, said)
        written = [FILE, *([PICTURE] if draw(experiment, said["variants"]) else [])]
        console.print(f"{experiment.folder} holds {' and '.join(written)}", soft_wrap=True)
    return found


def _prepare(experiment: Experiment, overwrite: bool, console: Console) -> None:
    """Find what the folder holds, and refuse it if it was made otherwise."""
    if overwrite:
        for trial in experiment.trials:
            with only_one(trial.config.folder, "trains"):
                shutil.rmtree(trial.config.folder, ignore_errors=True)
        return
    for trial in experiment.trials:
        if changed := trial.differences():
            raise FileExistsError(
                f"{experiment.folder} holds runs of other settings ({trial.name}: {'; '.join(changed)}): choose "
                "another --out, or --overwrite them"
            )
    there = [record for trial in experiment.trials if (record := trial.record())]
    if there:
        console.print(f"{len(there)} of {len(experiment.trials)} runs are finished already", highlight=False)
    now = provenance(experiment.base.ruleset, 0)["commit"]
    if older := sum(record.get("commit") != now for record in there):
        console.print(f"warning: {older} of them were made by another commit", style="yellow", highlight=False)


def _records(experiment: Experiment, executor: Executor | None) -> Iterator[tuple[Trial, dict[str, Any], bool]]:
    """The trials with their records, finished ones first, others as they are ready; and whether they are new."""
    left = []
    for trial in experiment.trials:
        if record := trial.record():
            yield trial, record, False
        else:
            left.append(trial)
    if left:
        for number, failed in (executor or make_executor()).run(run_trial, left, shared=None):
            trial = left[number]
            lost = {
                "failed": failed or f"it left no scores in {trial.config.folder}: do all machines share that folder?"
            }
            yield trial, (not failed and trial.record()) or {"failed": lost}, True


def _said(record: Mapping[str, Any]) -> str:
    """How a run has ended."""
    if "failed" in record:
        return str(record["failed"])
    said = ", ".join(f"{100 * score:.1f} against {opponent}" for opponent, score in record["scores"].items())
    return f"{said or 'trained'} ({record['seconds']:.0f} s)"


def _cell(scores: Mapping[str, Any]) -> str:
    """A mean and its interval in percent."""
    if scores["interquartile_mean"] is None:
        return "-"
    return f"{100 * scores['interquartile_mean']:.1f} ({100 * scores['low']:.1f}-{100 * scores['high']:.1f})"


def tables(experiment: Experiment, variants: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Table]]:
    """Titles and tables of what ``Findings.report`` says of variants: final scores, a line for each variant; then for
    each opponent those along the way, a column for each."""
    base = experiment.base
    unit, about = base.UNIT, f"{called(base.ruleset)}, {base.length:,} {base.UNIT}"
    over = f"interquartile mean of {experiment.seeds} seeds (95 % bootstrap interval)"
    if experiment.seeds < SEEDS:
        over += ", too few for an interval that can be relied on"
    if base.pairs:
        shown = _table("variant", *base.opponents, f"{unit}/s")
        for name, said in variants.items():
            failed, speed = len(said["failed"]), said[f"{unit}_per_second"]
            cells = [_cell(said["scores"][opponent]) for opponent in base.opponents]
            title = f"{name} ({failed} failed)" if failed else name
            shown.add_row(title, *cells, f"{speed:,.{0 if speed > 10 else 2}f}")
        yield f"{about}: {over}, {base.pairs} pairs of games each", shown
    for opponent in next(iter(variants.values()))["curves"]:
        shown = _table(unit, *variants)
        columns = [{point["steps"]: _cell(point) for point in each["curves"][opponent]} for each in variants.values()]
        for steps in sorted(set().union(*columns)):
            shown.add_row(f"{steps:,}", *(cells.get(steps, "") for cells in columns))
        yield f"{about}, score against {opponent}: {over}, {base.curve_pairs} pairs of games each", shown


def _table(first: str, *headings: str) -> Table:
    """A table whose columns but the first hold numbers."""
    shown = Table(first, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in headings:
        shown.add_column(heading, justify="right")
    return shown


def draw(experiment: Experiment, variants: Mapping[str, Mapping[str, Any]]) -> bool:
    """Draw the curves to a file; False if there are none, or matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    opponents = list(next(iter(variants.values()))["curves"])
    if not opponents:
        return False
    figure = Figure(figsize=(7, 4.5 * len(opponents)), layout="constrained")
    for place, opponent in enumerate(opponents, start=1):
        unit = experiment.base.UNIT
        axes = figure.add_subplot(len(opponents), 1, place, xlabel=unit, ylabel="score, %", ylim=(0, 100))
        axes.set_title(f"{called(experiment.base.ruleset)}, against {opponent}")
        for variant, said in variants.items():
            names = ("steps", "low", "high", "interquartile_mean")
            steps, low, high, middle = (np.array([row[name] for row in said["curves"][opponent]]) for name in names)
            (line,) = axes.plot(steps, 100 * middle, label=variant)
            axes.fill_between(steps, 100 * low, 100 * high, color=line.get_color(), alpha=0.25, linewidth=0)
        axes.legend(title=f"interquartile mean of {experiment.seeds} seeds, 95 %", loc="lower right")
    figure.savefig(experiment.folder / PICTURE, dpi=120)
    return True


def _parser(trainer: type[Algorithm]) -> Parser:
    parser = make_parser(trainer.SETTINGS, COMMAND)
    parser.description = DESCRIPTION
    add = parser.add_argument_group("the experiment").add_argument
    add("--trainer", choices=tuple(TRAINERS), default="ppo", help="what trains; the other options are its settings")
    add("--runs", type=int, default=SEEDS, metavar="N", help="of each variant, with the seeds from --seed on")
    add(
        "--variants", nargs="+", default=[DEFAULT], metavar="NAME",
        help=f"of {', '.join(VARIANTS)}; {ALL}: those that differ from the defaults of the game",
    )  # fmt: skip
    add(
        "--vary", nargs="+", action="extend", default=[], metavar="VARIANT",
        help="variants of your own, beside those of --variants: 'NAME: SETTING=VALUE, SETTING=VALUE'",
    )  # fmt: skip
    add("--small", action="store_true", help="a small game and network as defaults: five seeds take a few minutes")
    add("--jobs", type=int, metavar="N", help="runs at a time; 0: all in this process (default: one a core)")
    if "ray" not in {each.name for each in fields(trainer.SETTINGS)}:
        help = "on a Ray cluster, or, without ADDRESS, on one of this machine"
        add("--ray", nargs="?", const="local", default="", metavar="ADDRESS", help=help)
    add("--overwrite", action="store_true", help="train anew the runs that the folder holds")
    return parser


def _asked(arguments: Sequence[str] | None) -> tuple[Experiment, Executor, bool]:
    """The experiment that a command line asks for, where it takes place, and whether it replaces another."""
    words = " ".join(sys.argv[1:] if arguments is None else arguments)
    said = re.findall(r"--trainer[= ](\w+)", words)  # before the options of that trainer can be read
    name = said[-1] if said and said[-1] in TRAINERS else "ppo"
    trainer = TRAINERS[name]
    parser = _parser(trainer)
    early = options(parser, arguments)
    defaults = {"processes": 1} if name == "alphazero" else ppo.game_defaults(early["rules"])
    defaults = SMALL[name] if early["small"] else defaults
    parser.set_defaults({name: list(each) if isinstance(each, tuple) else each for name, each in defaults.items()})
    base, own = parse(parser, trainer.SETTINGS, arguments)
    known = {each.name for each in fields(base)}
    apart = [
        name for name, changes in VARIANTS.items()
        if known >= set(changes) and (not changes or replace(base, **changes) != base)
    ]  # fmt: skip
    chosen = [each for name in own["variants"] for each in (apart if name == ALL else [name])]
    for name in chosen:
        if name not in VARIANTS:
            raise ValueError(
                f"there is no variant {name!r}; there are {', '.join([ALL, *VARIANTS])}; or --vary your own"
            )
    variants = {name: VARIANTS[name] for name in chosen}
    variants |= dict(parse_variant(text, trainer.SETTINGS) for text in own["vary"])
    where = own.get("ray") or getattr(base, "ray", "")
    if hasattr(base, "ray"):
        base = replace(base, ray="")  # the runs are shared among the machines, not the games of one run
    executor = make_executor(own["jobs"], ray=("" if where == "local" else where) if where else None)
    return Experiment(base, variants, own["runs"]), executor, own["overwrite"]


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    try:
        experiment, executor, overwrite = _asked(arguments)
        with at_work(COMMAND):
            run(experiment, executor=executor, overwrite=overwrite)
    except (ValueError, OSError, ImportError, WorkerDied) as error:
        fail(COMMAND, error)
    except KeyboardInterrupt:
        fail(COMMAND, "stopped; the same command goes on with what is missing", status=130)
