"""Experiments, variants of a configuration over several seeds, or a search for settings: ``mancala train experiment``

Each variant is trained and scored with each seed; tables hold the interquartile mean over seeds with its bootstrap
interval. A study of Optuna keeps what is found, and chooses what a search tries. Runs that were stopped go on, on the
cores of this machine or of a Ray cluster whose machines share the folder."""

import json
import math
import re
import sys
import typing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pandas as pd
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import TPESampler
from optuna.trial import FrozenTrial, TrialState
from rich.console import Console
from sqlalchemy import URL
from sqlalchemy.exc import SQLAlchemyError

from agents import make_agent
from agents.evaluation import RESAMPLES, bootstrap_interval, interquartile_mean
from agents.executors import Executor, WorkerDied, make_executor
from agents.processes import only_one
from agents.provenance import provenance, write_json
from agents.reading import read_json
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
SAMPLES, SHOWN = 30, 5  # configurations that a search tries, and the best of them that are shown
TRIES = 100  # of configurations, until one is found whose settings go together
FILE, PICTURE, STUDY = "experiment.json", "experiment.png", "study.db"
DEFAULT = "default"  # the variant without changes
RUNS = ["variant", "seed", "failed", "length", "seconds", "commit", "value"]  # columns of tables of ``Findings``
SCORES = ["variant", "seed", "opponent", "kind", "length", "score"]
# Settings on which neither the weights nor the curves depend: with others, a finished run is scored once more at most.
FREE = frozenset({"out", "pairs", "opponents", "save_every", "export_sb3", "processes", "ray"})
TRAINERS: dict[str, type[Algorithm]] = {"ppo": ppo.PPO, "alphazero": alphazero.AlphaZero}
Ready = tuple["Trial", dict[str, Any], bool]  # a run, its record, and whether it is new
_SMALL = {
    "rules": "kalah:pits_per_row=4,seeds=3", "layers": (64, 64), "curve_every": 8, "curve_opponents": ("v1-depth4",),
    "curve_pairs": 50, "pairs": 0,
}  # fmt: skip
SMALL: dict[str, dict[str, Any]] = {  # settings of a small game, with which five seeds take a few minutes
    "ppo": {**_SMALL, "steps": 524_288, "envs": 128},
    "alphazero": {**_SMALL, "rounds": 40, "games": 64, "simulations": 32, "buffer": 20_000, "processes": 1},
}


def parse_variant(text: str, kind: type[Any]) -> tuple[str, dict[str, Any]]:
    """The name of a variant and its settings, from ``name: setting=value, setting=value``; without a name the settings
    are the name. Several values of a setting are separated by spaces. Raises ValueError for what cannot be read."""
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


def parse_range(text: str, kind: type[Any]) -> tuple[str, BaseDistribution]:
    """A setting and what a search tries of it, from ``setting=low..high`` or ``setting=one|other``. From
    ``low`` to ten times as much or more the scale is logarithmic. Raises ValueError for what cannot be read."""
    name, _, values = (part.strip() for part in text.partition("="))
    texts = [each.strip() for each in (values.split("|") if "|" in values else values.split(".."))]
    try:
        read = [parse_variant(f"{name}={each}", kind)[1][name] for each in texts]
        if "|" in values:
            return name, CategoricalDistribution(texts)
        ends = [each for each in read if type(each) in (int, float) and math.isfinite(each)]
        if len(ends) != 2 or not ends[0] < ends[1]:
            raise ValueError("low and high are numbers, and low is the smaller one")
    except (ValueError, KeyError) as error:
        why = f"cannot read the range {text!r}; write 'setting=low..high', or 'setting=one|other'"
        raise ValueError(f"{why} ({error})") from None
    numbers, (low, high) = IntDistribution if type(ends[0]) is int else FloatDistribution, ends
    return name, numbers(low=low, high=high, log=0 < 10 * low <= high)


def folder_name(variant: str) -> str:
    """The name of the folder of a variant's runs."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", variant)[:100].strip("_.") or "_"


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
        if not (path := self.config.folder / CONFIG).is_file():
            return []
        was, now = read_yaml(path), json.loads(json.dumps(settings_of(self.config)))
        default = json.loads(json.dumps({each.name: each.default for each in fields(self.config)}))  # of later ones
        pairs = {name: (was.get(name, default[name]), value) for name, value in now.items() if name not in FREE}
        return [f"{name} was {old}, not {new}" for name, (old, new) in pairs.items() if old != new]

    def record(self) -> dict[str, Any]:
        """What the folder of the finished run says: how many steps or rounds (``length``) took how many ``seconds``, by
        which ``commit``; ``points``, the scores, each with its opponent, "curve" or "end", and after how many steps or
        rounds; and their mean at the end, ``value``, which a search goes by."""
        config, made = self.config, read_json(self.config.folder / PROVENANCE)
        length, along = made["training"][config.UNIT], config.curve_opponents if config.curve_every else ()
        names, points = dict.fromkeys(make_agent(each).name for each in along), list[tuple[str, str, int, float]]()
        for line in (config.folder / LOG).read_text(encoding="utf-8").splitlines():  # which a resumed run continues
            numbers = {name.removeprefix("against/"): value for name, value in json.loads(line).items()}
            points += [(name, "curve", numbers[config.UNIT], numbers[name]) for name in names if name in numbers]
        results = read_json(config.folder / EVALUATION)["results"] if config.pairs else []
        points += [(name, "end", length, one["score"]) for name, one in zip(config.opponents, results, strict=False)]
        last = [score for *_, score in points[-len(config.opponents if config.pairs else names) :]]
        value = float(np.mean(last)) if last else None
        took = {"length": length, "seconds": made["training"]["seconds"]}
        return {"commit": made.get("commit"), **took, "value": value, "points": points}


def run_trial(trial: Trial, overwrite: bool) -> dict[str, Any]:
    """Train and score, as far as that is not done. Returns the record of the run; or ``failed``, why there is none, or
    ``left``, why it does not go on from its checkpoint. Raises KeyboardInterrupt as the training does."""
    config, folder = trial.config, trial.config.folder
    # Where there is no checkpoint to lose, the run begins anew: the same seed gives the same weights.
    there = any((folder / name).exists() for name in (checkpoint.CHECKPOINT, checkpoint.PREVIOUS))
    resume = there and not overwrite
    if resume and (changed := trial.differences()):
        return {"left": f"{folder} holds a run of other settings ({'; '.join(changed)}): --overwrite it"}
    took = read_or_nothing(folder / PROVENANCE).get("training", {})
    if resume and not config.pairs and took.get(config.UNIT, 0) >= config.length:
        return trial.record()  # it was finished, and not heard of any more
    (folder / EVALUATION).unlink(missing_ok=True)  # of other opponents: a finished run is only scored
    console = Console(quiet=True)
    try:
        done = trial.trainer.train(config, overwrite=not resume, resume=resume, console=console, callbacks=[JsonlLog()])
    except Diverged as error:
        return {"commit": provenance(config.ruleset, config.seed)["commit"], "failed": str(error)}
    except CheckpointError as error:  # not kept: what is in the way may be gone next time
        said = " ".join(str(error).split())
        anew = f"to train it anew, delete {folder}; --overwrite trains all runs anew"
        return {"left": f"it does not go on from its checkpoint: {said}; {anew}"}
    if done.interrupted:
        raise KeyboardInterrupt
    return trial.record()


@dataclass(frozen=True)
class Experiment:
    """Variants, seeds, and the settings that they share; or a search for settings.

    ``base`` is the PPOConfig or AlphaZeroConfig that all runs share: its ``seed`` is the first one, ``out`` the folder
    of the experiment (``runs/experiment-<game>`` if empty); ``opponents``, ``pairs`` and ``curve_...`` say how each run
    is scored. ``variants`` hold the settings that differ, by name; ``seeds`` is the number of runs of each.
    ``space``: instead of variants settings to search, with what may be tried of them, as ``samples`` configurations
    with a seed each: the first ten at random, others by what scored well on average against ``opponents`` (without
    ``pairs``: at the ends of curves). Raises ValueError if there is nothing to do, or not as it is asked for."""

    base: Any
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {DEFAULT: {}})
    seeds: int = SEEDS
    space: Mapping[str, BaseDistribution] = field(default_factory=dict)
    samples: int = SAMPLES

    def __post_init__(self) -> None:
        for name in ("seeds", "samples"):
            if not isinstance(number := getattr(self, name), int) or number < 1:
                raise ValueError(f"{name} must be 1 or more, not {number}")
        folders: dict[str, str] = {}
        for name in self.variants:
            other = folders.setdefault(folder_name(name), name)
            if other != name:
                raise ValueError(f"the variants {other!r} and {name!r} would share a folder: give one another name")
        if bool(self.variants) == bool(self.space):
            raise ValueError("an experiment has one variant or more, or else settings to search")
        can_differ = {each.name for each in fields(self.trainer.SETTINGS)} - {"seed", "out", "pairs", "opponents"}
        if wrong := {*self.space}.union(*self.variants.values()) - can_differ:
            raise ValueError(f"{min(wrong)} is no setting in which runs may differ: leave it out, or set it for all")
        _ = self.trials
        if self.space and not self.base.pairs and not self.base.curve_every:
            raise ValueError("a search goes by scores: pairs or curve_every must be 1 or more")

    @property
    def trainer(self) -> type[Algorithm]:
        """The trainer of all runs. Raises ValueError if there is none with these settings."""
        if not (found := [each for each in TRAINERS.values() if isinstance(self.base, each.SETTINGS)]):
            raise ValueError(f"an experiment takes a PPOConfig or an AlphaZeroConfig, not {type(self.base).__name__}")
        return found[0]

    @property
    def folder(self) -> Path:
        """The folder of the results; the runs lie in it as ``<variant>/seed-<seed>``."""
        return Path(self.base.out or f"runs/experiment-{self.base.ruleset.name}").absolute()

    @cached_property
    def trials(self) -> list[Trial]:
        """The runs, seed by seed, so that all variants are known with few seeds first."""
        seeds = range(self.base.seed, self.base.seed + self.seeds)
        return [self.trial(name, changes, seed) for seed in seeds for name, changes in self.variants.items()]

    def trial(self, variant: str, changes: Mapping[str, Any], seed: int) -> Trial:
        """The run of a variant with a seed. ValueError if there are no such settings."""
        out = str(self.folder / folder_name(variant) / f"seed-{seed}")
        try:
            return Trial(self.trainer, variant, replace(self.base, **{**changes, "seed": seed, "out": out}))
        except (TypeError, ValueError) as error:
            raise ValueError(f"variant {variant!r}: {error}") from None

    def sample(self, params: Mapping[str, Any], seed: int) -> Trial:
        """The run of what a search tries, with its settings as the name of the variant."""
        values = [f"{name}={f'{each:.4g}' if isinstance(each, float) else each}" for name, each in params.items()]
        return self.trial(*parse_variant(", ".join(values), type(self.base)), seed)

    def trial_of(self, asked: FrozenTrial) -> Trial | None:
        """The run of an earlier call, if it is one of this experiment, too."""
        variant, seed = asked.user_attrs.get("run", ("", -1))
        runs = range(self.base.seed, self.base.seed + (self.samples if self.space else self.seeds))
        if seed not in runs or not (self.space or variant in self.variants):
            return None
        return self.sample(asked.params, seed) if self.space else self.trial(variant, self.variants[variant], seed)


@dataclass(frozen=True)
class Findings:
    """The results of an experiment, and the study that keeps them.

    ``runs`` has a line for each run: ``variant``, ``seed``, ``failed``, which says why if there is no more, ``length``
    in steps or rounds, ``seconds``, ``commit``, and the mean score ``value``. ``scores`` has one for each score:
    ``variant``, ``seed``, ``opponent``, ``kind`` ("curve"; "end": of what was learnt), ``length`` and ``score``."""

    experiment: Experiment
    study: optuna.Study
    runs: pd.DataFrame
    scores: pd.DataFrame

    def means(self) -> pd.DataFrame:
        """The interquartile mean of the seeds from ``low`` to ``high``, and how many ``seeds`` these are: a line for
        each ``variant``, ``opponent``, ``kind`` and ``length``."""
        keys, lines = ["variant", "opponent", "kind", "length"], list[tuple[Any, ...]]()
        for key, scores in self.scores.groupby(keys, sort=False)["score"]:
            lines.append((*key, interquartile_mean(scores), *bootstrap_interval(scores), len(scores)))
        return pd.DataFrame(lines, columns=[*keys, "interquartile_mean", "low", "high", "seeds"])

    def tables(self) -> Iterator[tuple[str, pd.DataFrame]]:
        """Titles and tables of means, with a line for each variant at the end, and a column along the way."""
        base, names, means = self.experiment.base, list(self.experiment.variants), self.means()
        about = f"{called(base.ruleset)}, {base.length:,} {base.UNIT}"
        speed = self.runs["length"] / self.runs["seconds"].clip(lower=0.05)
        by_variant = self.runs.assign(speed=speed).groupby("variant")
        speeds = by_variant["speed"].mean().map(lambda each: f"{each:,.{0 if each > 10 else 2}f}")
        if self.experiment.space:
            shown = pd.DataFrame({"mean score": by_variant["value"].mean().mul(100).round(1), f"{base.UNIT}/s": speeds})
            best = shown.sort_values("mean score", ascending=False)[:SHOWN]
            yield f"{about}: the best {len(best)} of {len(self.runs)} that were tried", best.rename_axis(None)
            return
        over = "interquartile mean over seeds (95 % bootstrap interval)"
        over += ", too few for an interval that can be relied on" if means["seeds"].max() < SEEDS else ""
        rows = means[["interquartile_mean", "low", "high", "seeds"]].mul([100, 100, 100, 1]).itertuples(index=False)
        means["shown"] = [f"{mid:.1f} ({low:.1f}-{high:.1f})" if n > 1 else f"{mid:.1f}" for mid, low, high, n in rows]
        if base.pairs:
            shown = means[means["kind"] == "end"].pivot(index="variant", columns="opponent", values="shown")
            shown = shown.reindex(index=names, columns=list(base.opponents))
            shown[f"{base.UNIT}/s"] = speeds
            failed = by_variant["failed"].count()
            shown.index = pd.Index([f"{name} ({failed[name]} failed)" if failed[name] else name for name in names])
            yield f"{about}: {over}, {base.pairs} pairs of games each", shown.rename_axis(columns=None)
        for opponent, curve in means[means["kind"] == "curve"].groupby("opponent", sort=False):
            shown = curve.pivot(index="length", columns="variant", values="shown").reindex(columns=names)
            title = f"{about}, score against {opponent}: {over}, {base.curve_pairs} pairs of games each"
            yield title, shown.rename_axis(index=None, columns=base.UNIT)

    def draw(self) -> bool:
        """Draw the curves of variants to a file; False if there are none, or matplotlib is not installed."""
        means, base, names = self.means(), self.experiment.base, list(self.experiment.variants)
        curves = list(means[means["kind"] == "curve"].groupby("opponent", sort=False))
        if not curves or not names or not find_spec("matplotlib"):
            return False
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7, 4.5 * len(curves)), layout="constrained")
        for place, (opponent, curve) in enumerate(curves, start=1):
            axes = figure.add_subplot(len(curves), 1, place, xlabel=base.UNIT, ylabel="score, %", ylim=(0, 100))
            axes.set_title(f"{called(base.ruleset)}, against {opponent}")
            for name, line in curve.groupby("variant", sort=False):
                axes.plot(line["length"], 100 * line["interquartile_mean"], label=name)
                axes.fill_between(line["length"], 100 * line["low"], 100 * line["high"], alpha=0.25, linewidth=0)
            axes.legend(title="interquartile mean over seeds, 95 %", loc="lower right")
        figure.savefig(self.experiment.folder / PICTURE, dpi=120)
        return True

    def report(self) -> dict[str, Any]:
        """The results as plain data for JSON, with what is needed to make them again."""
        base = self.experiment.base
        about = {**provenance(base.ruleset, base.seed), "config": settings_of(base), "resamples": RESAMPLES}
        about["variants"] = {name: dict(changes) for name, changes in self.experiment.variants.items()}
        about["space"] = {name: str(each) for name, each in self.experiment.space.items()}
        tables = {"runs": self.runs, "scores": self.scores, "means": self.means()}
        about |= {name: one.astype(object).where(one.notna(), None).to_dict("records") for name, one in tables.items()}
        return about


def run(
    experiment: Experiment, *, executor: Executor | None = None, overwrite: bool = False, console: Console | None = None
) -> Findings:
    """Train and score what is not done yet, print the tables and write ``experiment.json`` and ``experiment.png``.

    Scores depend on the experiment alone; what a search tries, also on how many runs it has at a time. What is finished
    is kept, unless ``overwrite``; other runs go on from their checkpoints. ``executor``: where runs take place
    (``agents.executors``), by default a process for each core. Raises FileExistsError if the folder holds runs with
    other settings, Locked if another process works in it, WorkerDied if processes of one run were lost repeatedly."""
    console = console or make_console()
    with only_one(experiment.folder, "runs an experiment"), _kept(experiment.folder / STUDY):
        study = _prepare(experiment, overwrite, console)
        ready: list[tuple[Trial, dict[str, Any]]] = []
        number = len(experiment.trials) + bool(experiment.space) * experiment.samples
        for trial, record, is_new in _records(experiment, study, executor or make_executor(), overwrite):
            ready.append((trial, record))
            if is_new:
                score = "" if record.get("value") is None else f"{100 * record['value']:.1f} on average, "
                said = record.get("failed") or f"{score}{record['seconds']:.0f} s"
                line = f"{len(ready)} of {number}: {trial.name}: {said}"
                console.print(line, highlight=False, soft_wrap=True, markup=False)
        order = {name: place for place, name in enumerate(experiment.variants)}
        ready.sort(key=lambda each: (each[0].config.seed, order.get(each[0].variant, 0)))
        runs = [{"variant": trial.variant, "seed": trial.config.seed, **record} for trial, record in ready]
        scores = [(each["variant"], each["seed"], *point) for each in runs for point in each.get("points", ())]
        found = Findings(experiment, study, pd.DataFrame(runs, columns=RUNS), pd.DataFrame(scores, columns=SCORES))
        for title, shown in found.tables():
            console.print(f"\n{title}\n{shown.to_string(na_rep='-')}", highlight=False, soft_wrap=True, markup=False)
        write_json(experiment.folder / FILE, found.report())
        written = [FILE, STUDY, *([PICTURE] if found.draw() else [])]
        console.print(f"{experiment.folder} holds {', '.join(written)}", soft_wrap=True, markup=False)
    return found


@contextmanager
def _kept(path: Path) -> Iterator[None]:
    """Say why a study cannot be read or written in one line, as OSError."""
    try:
        yield
    except (SQLAlchemyError, optuna.exceptions.StorageInternalError) as error:
        why = getattr(error, "orig", None) or getattr(error.__cause__, "orig", None) or error
        raise OSError(f"{path} cannot be read or written: {' '.join(str(why).split())}") from error


def _prepare(experiment: Experiment, overwrite: bool, console: Console) -> optuna.Study:
    """The study of runs that are scored like these. Refuses the folder if it holds some that were made otherwise."""
    folder, base = experiment.folder, experiment.base
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    if overwrite:
        (folder / STUDY).unlink(missing_ok=True)
    name = f"{base.UNIT}, {base.pairs} pairs against {', '.join(base.opponents)}" if base.pairs else base.UNIT
    name += f", search of {dict(sorted(experiment.space.items()))}" if experiment.space else ""
    url = URL.create("sqlite", database=str(folder / STUDY)).render_as_string()
    study = optuna.create_study(storage=url, study_name=name, direction="maximize", load_if_exists=True)
    there = _finished(experiment, study)
    for trial in () if overwrite else (*experiment.trials, *(trial for trial, _ in there.values())):
        if changed := trial.differences():
            raise FileExistsError(
                f"{folder} holds runs of other settings ({trial.name}: {'; '.join(changed)}): choose another "
                "--out, or --overwrite them"
            )
    if there:
        console.print(f"{len(there)} runs are finished already", highlight=False)
    return study


def _finished(experiment: Experiment, study: optuna.Study) -> dict[str, tuple[Trial, dict[str, Any]]]:
    """The runs of the experiment that are finished, by name, with their records."""
    known = [(experiment.trial_of(each), each.user_attrs.get("record")) for each in study.trials]
    return {
        trial.name: (trial, record) for trial, record in known
        if trial and record and ("failed" in record or (trial.config.folder / PROVENANCE).exists())
    }  # fmt: skip


def _records(experiment: Experiment, study: optuna.Study, executor: Executor, overwrite: bool) -> Iterator[Ready]:
    """The trials with their records, finished ones first, others as they are ready; and whether they are new."""
    finished, begun = _finished(experiment, study), list[tuple[Trial, optuna.Trial]]()
    yield from ((*known, False) for known in finished.values())
    stopped = {}  # what a search tried with a seed when it was stopped; the folder says how far it is
    for each in study.get_trials(states=[TrialState.RUNNING]):
        study.tell(each.number, state=TrialState.FAIL)
        stopped[each.user_attrs.get("run", ("", -1))[1]] = each.params

    def left() -> Iterator[tuple[Trial, optuna.Trial]]:  # a search goes by what is known when there is room for more
        yield from ((trial, study.ask()) for trial in experiment.trials if trial.name not in finished)
        first, known = experiment.base.seed, {trial.config.seed for trial, _ in finished.values()}
        for seed in range(first, first + experiment.samples if experiment.space else first):
            if seed in known:
                continue
            study.sampler = TPESampler(seed=seed, constant_liar=True)
            if stopped.get(seed):
                study.enqueue_trial(stopped[seed])
            for tries in range(TRIES):
                asked = study.ask(dict(experiment.space))
                try:
                    yield experiment.sample(asked.params, seed), asked
                    break
                except ValueError:  # its settings do not go together
                    study.tell(asked, state=TrialState.FAIL)
                    if tries == TRIES - 1:
                        raise

    def begin(trial: Trial, asked: optuna.Trial) -> Trial:
        asked.set_user_attr("run", [trial.variant, trial.config.seed])
        begun.append((trial, asked))
        return trial

    for number, record in executor.run(run_trial, (begin(*each) for each in left()), shared=overwrite):
        trial, asked = begun[number]
        if "left" in record:
            study.tell(asked, state=TrialState.FAIL)
        else:
            asked.set_user_attr("record", record)
            study.tell(asked, record.get("value") or 0.0)  # what has failed is worth nothing, and a search is told so
        yield trial, {"failed": record["left"]} if "left" in record else record, True


def _parser(trainer: type[Algorithm]) -> Parser:
    parser = make_parser(trainer.SETTINGS, COMMAND)
    parser.description = """Train variants of one configuration with several seeds each, or search for settings.

    Every setting of the trainer is an option here. Stopped, the same command goes on."""
    add = parser.add_argument_group("the experiment").add_argument
    add("--trainer", choices=tuple(TRAINERS), default="ppo", help="what trains; the other options are its settings")
    add("--runs", type=int, default=SEEDS, metavar="N", help="of each variant, with the seeds from --seed on")
    many: Any = {"nargs": "+", "action": "extend", "default": []}
    add("--vary", **many, metavar="VARIANT", help="besides the configuration itself: 'NAME: SETTING=VALUE, ...'")
    add("--search", **many, metavar="RANGE", help="instead, look for the best: 'SETTING=LOW..HIGH' or 'SETTING=A|B'")
    add("--samples", type=int, default=SAMPLES, metavar="N", help="configurations that a search tries, one run each")
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
    own_variants = dict(parse_variant(text, trainer.SETTINGS) for text in own["vary"])
    variants = own_variants if own["search"] else {DEFAULT: {}, **own_variants}
    where = own.get("ray") or getattr(base, "ray", "")
    if hasattr(base, "ray"):
        base = replace(base, ray="")  # the runs are shared among the machines, not the games of one run
    executor = make_executor(own["jobs"], ray=("" if where == "local" else where) if where else None)
    space = dict(parse_range(text, trainer.SETTINGS) for text in own["search"])
    return Experiment(base, variants, own["runs"], space, own["samples"]), executor, own["overwrite"]


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
