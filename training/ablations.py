"""Ablations, the effect of each training choice: ``python -m training.ablations --rules oware``

The default configuration, and the same with one setting changed at a time, each trained with several seeds for the
same number of steps and scored without search. ``docs/training.md`` holds the tables that were made with it.
"""

import json
import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from agents.evaluation import evaluate
from agents.locks import only_one
from agents.policy.agent import PolicyAgent
from agents.processes import die_with_parent
from agents.provenance import provenance, write_json
from agents.reading import read_json
from mancala_env.cli import GAME, fail
from training.cli import make_parser, parse, renamed, setting
from training.config import PPOConfig, game_defaults
from training.ppo import train

VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
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
    "fixed opponents of depth 2 and 4": {
        "fixed_opponents": ("minimax:depth=2", "minimax:depth=4"),
        "fixed_share": 0.3,
    },
    "no openings in training": {"game_opening_plies": 0},
    "openings of up to 6 plies": {"game_opening_plies": 6},
}


@dataclass(frozen=True)
class AblationConfig:
    """Train variants of the default configuration with several seeds each, and print how they score."""

    rules: str = setting("oware", GAME)
    variants: tuple[str, ...] = setting(
        (), "keys of training.ablations.VARIANTS; if not given, all that differ from the defaults of the game"
    )
    seeds: int = setting(2, "runs of each variant")
    steps: int = setting(1_000_000, "decisions of the learner in each run")
    against: tuple[str, ...] = setting(("minimax:depth=2", "minimax:depth=4"), "opponents")
    pairs: int = setting(100, "pairs of games against each of them")
    jobs: int = setting(os.cpu_count() or 1, "runs at the same time")
    out: str = setting(
        "", "folder of the results; runs/ablations-<game> if not given; finished runs in it are not trained again"
    )

    def __post_init__(self) -> None:
        for name, least in (("seeds", 1), ("steps", 1), ("pairs", 1), ("jobs", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be {least} or more, not {getattr(self, name)}")
        for name in self.variants:
            if name not in VARIANTS:
                raise ValueError(f"there is no variant {name!r}; there are {', '.join(VARIANTS)}")
        _ = self.base

    @property
    def base(self) -> PPOConfig:
        """The settings that all variants share."""
        own = game_defaults(self.rules)
        return PPOConfig(**{**own, "rules": self.rules, "steps": self.steps, "pairs": 0, "curve_every": 0})

    @property
    def asked(self) -> list[str]:
        """The variants to train."""
        own = self.base
        return list(self.variants) or [
            name for name, changes in VARIANTS.items() if not changes or replace(own, **changes) != own
        ]

    @property
    def folder(self) -> Path:
        """The folder of the runs."""
        return Path(self.out or f"runs/ablations-{self.base.ruleset.name}")


def run(config: AblationConfig, variant: str, seed: int) -> dict[str, Any]:
    """Train one variant with one seed and score it, unless that is done already; returns its scores and speed."""
    folder = config.folder / f"{variant.replace(' ', '_').replace(',', '')}-{seed}"
    result = folder / "ablation.json"
    trained = replace(config.base, seed=seed, **VARIANTS[variant])
    found: dict[str, Any] = read_json(result) if result.exists() else {}
    if renamed(found.get("settings") or {}) != _plain(trained):
        with only_one(folder, "trains"):
            shutil.rmtree(folder, ignore_errors=True)
        if train(replace(trained, out=str(folder)), console=Console(quiet=True)).steps < trained.steps:
            raise KeyboardInterrupt
        found = {}
    if found.get("pairs") != config.pairs or set(found["scores"]) != set(config.against):
        results = evaluate(PolicyAgent(folder), config.against, config.rules, pairs=config.pairs, threads=1)
        took = read_json(folder / "provenance.json")["training"]
        found = {**provenance(trained.ruleset, seed), "variant": variant, "settings": _plain(trained)}
        found |= {"pairs": config.pairs, "scores": {each.opponent: each.score for each in results}}
        found["speed"] = took["steps"] / took["seconds"]
        write_json(result, found)
    return found


def _plain(config: PPOConfig) -> dict[str, Any]:
    """The settings as they are after writing and reading JSON."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(config)))
    return plain


def table(config: AblationConfig, found: dict[str, list[dict[str, Any]]]) -> Table:
    """Mean scores in percent, lowest and highest seed, and decisions per second with runs at the same time."""
    title = f"{config.rules}, {config.steps:,} steps, {config.seeds} seeds, {config.pairs} pairs: mean (lowest-highest)"
    shown = Table(title=title, title_justify="left")
    for heading in ("variant", *config.against, "steps/s"):
        shown.add_column(heading, justify="left" if heading == "variant" else "right")
    for variant, runs in found.items():
        cells = []
        for opponent in config.against:
            scores = [100 * run["scores"][opponent] for run in runs]
            cells.append(f"{np.mean(scores):.1f} ({min(scores):.0f}-{max(scores):.0f})")
        shown.add_row(variant, *cells, f"{np.mean([run['speed'] for run in runs]):,.0f}")
    return shown


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = make_parser(AblationConfig, "python -m training.ablations")
    config, _ = parse(parser, AblationConfig, arguments)
    console = Console()
    asked = [(variant, seed) for variant in config.asked for seed in range(config.seeds)]
    found: dict[str, list[dict[str, Any]]] = {variant: [] for variant in config.asked}
    try:
        with ProcessPoolExecutor(config.jobs, get_context("spawn"), die_with_parent) as pool:
            tasks = {pool.submit(run, config, *each): each for each in asked}
            try:
                for done, task in enumerate(as_completed(tasks), start=1):
                    variant, seed = tasks[task]
                    found[variant].append(task.result())
                    scores = ", ".join(f"{100 * score:.1f}" for score in task.result()["scores"].values())
                    console.print(f"{done} of {len(asked)}: {variant}, seed {seed}: {scores}", highlight=False)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
    except (ValueError, OSError) as error:
        fail(parser.prog, error)
    except KeyboardInterrupt:
        parser.exit(130, f"{parser.prog}: stopped; the same command goes on with the runs that are missing\n")
    console.print(table(config, found))
    write_json(config.folder / "ablations.json", {"runs": found})


if __name__ == "__main__":
    main()
