"""One score over many games, each on a scale from random play to alpha-beta of four plies; after R. Agarwal et al.,
"Deep Reinforcement Learning at the Edge of the Statistical Precipice", NeurIPS 2021."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import as_agent, refusal
from agents.evaluation import evaluate, interquartile_mean
from agents.evaluation.regret.measure import SolverOracle, measure_regret
from agents.family import splits
from agents.provenance import finite, provenance, write_json
from agents.reading import read_json
from mancala_env import checks
from mancala_env.rules import Ruleset

OPPONENTS = ("v1-random", "v1-depth2", "v1-depth4")
POINTS = np.linspace(0.0, 1.0, 5)  # a game, of pairs with 0, 1/2, 1, 3/2 and 2 points
RESAMPLES = 2000
LEVELS = tuple(round(0.1 * level, 1) for level in range(11))  # of the performance profile
POSITIONS, ON_BOARD, NODES = 20, 10, 20_000  # with exact values: how many, of how many seeds, each searched so far
REGRETS = ("regret", "random_regret")  # of the agent, and of a random move, in seeds a move
ALL = "all"  # the parts to be measured on, together
SAME = ("split", "parts", "games_digest", "pairs", "seed")  # what results that stand in one table have in common
HEAD = ("method", "runs", "part", "games", "score", "95 %", "mean", "profile 0.5", "regret", "random's regret")


def evaluate_family(
    agent: Any,
    size: str,
    *,
    parts: Sequence[str] = splits.TESTS,
    pairs: int = 20,
    seed: int = 0,
    threads: int = 2,
    name: str | None = None,
    path: Path | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> dict[str, Any]:
    """Play an agent in all games of a split, and score it: the content of a result, as JSON takes it.

    Parameters
    ----------
    agent : as ``agents.as_agent`` takes it; a game that it refuses is lost, and one with an illegal action, too
    size, parts : a key of ``splits.SIZES``, some of ``splits.PARTS``
    pairs, seed, threads : of games against each opponent in each game, as ``agents.evaluation.evaluate`` takes them
    name : the same for several runs of one method; by default that of the agent
    path : where the result is written after each game; if one of the same evaluation is there, only what it lacks is
        played, and if it is of another, that is a ValueError
    progress : is told how many games have been finished, and how many there are
    """
    player = as_agent(agent)
    if unknown := {*parts} - {*splits.PARTS}:
        raise ValueError(f"there is no part {min(unknown)!r}; there are {', '.join(splits.PARTS)}")
    if not checks.is_whole(pairs) or pairs < 1:
        raise ValueError(f"pairs must be 1 or more, a whole number, not {checks.shown(pairs)}")
    games = [(part, rules) for part in parts for rules in getattr(splits.load(size), part)]
    head = {"agent": player.name, "name": name or player.name, "split": size, "parts": [*parts], "pairs": pairs}
    learnt = getattr(player, "network", None) or getattr(player, "learned", None) or player
    head["weights"] = getattr(learnt, "digest", None)  # other weights, or another program, are another agent
    head |= {"seed": seed, "games_digest": _digest([splits.content()["games"][rules.name] for _, rules in games])}
    content: dict[str, Any] = {**head, "provenance": provenance(None, seed), "games": {}}
    if path is not None and path.exists():
        content = read_result(path)
        if other := [key for key, value in head.items() if content.get(key) != value]:
            raise ValueError(f"{path} is of another evaluation ({', '.join(other)}): name another file, or remove it")
    for done, (part, rules) in enumerate(games):
        if path is not None:
            write_json(path, finite(content))
        if progress is not None:
            progress(done, len(games))
        if rules.name not in content["games"]:
            content["games"][rules.name] = _played(player, part, rules, pairs, seed, threads)
    content["summary"] = summaries([content])
    if path is not None:
        write_json(path, finite(content))
    return content


def read_result(path: Path) -> dict[str, Any]:
    """What ``evaluate_family`` wrote. Raises OSError, or ValueError if it is something else."""
    try:
        content = read_json(path)
        if missing := {"name", "games", *SAME} - {*content}:
            raise ValueError(f"it has no {min(missing)}")
        for name, game in content["games"].items():
            if any(sum(counts) != content["pairs"] or min(counts) < 0 for counts in game["by_points"].values()):
                raise ValueError(f"it does not tell {content['pairs']} pairs of {name}")
    except (ValueError, KeyError, TypeError, AttributeError) as why:
        raise ValueError(f"{path} is no result of mancala family evaluate: {why}") from None
    return content


def _digest(said: Any) -> str:
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _played(player: Any, part: str, rules: Ruleset, pairs: int, seed: int, threads: int) -> dict[str, Any]:
    """What a result says of one game: ``by_points`` the pairs against each opponent by their points, 0 to 2."""
    entry = splits.content()["games"][rules.name]
    found: dict[str, Any] = {"part": part, "digest": entry["digest"]}
    if why := refusal(player, rules):
        return {**found, "refused": why, "by_points": dict.fromkeys(OPPONENTS, (pairs, 0, 0, 0, 0))}
    results = evaluate(player, OPPONENTS, rules, pairs=pairs, seed=seed, threads=threads)
    found["by_points"] = {result.opponent: list(result.by_points) for result in results}
    found["illegal"] = sum(result.illegal for result in results)
    if entry["exact"] and not found["illegal"]:
        regret = measure_regret(player, rules, oracle_of(rules), games=0, positions=POSITIONS, seeds_on_board=ON_BOARD)
        found |= {"regret": regret.summary("fixed").mean, "random_regret": regret.summary("fixed").random_mean}
    return found


def oracle_of(rules: Ruleset) -> SolverOracle:
    """What finds the exact values. Raises ValueError for a game that is not about seeds."""
    return SolverOracle(rules, memory=16, nodes=NODES)


def normalised(name: str, by_points: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """float64[...]: the score of a game, 0 as ``v1-random``, 1 as ``v1-depth4`` has it against the same opponents, by
    the pairs against each opponent that brought 0, 1/2, 1, 3/2 and 2 points, int[..., 3, 5]."""
    entry, counts = splits.content()["games"][name], np.asarray(by_points, dtype=np.float64)
    means = (counts @ POINTS / counts.sum(axis=-1)).mean(axis=-1)
    return np.asarray((means - entry["random"]) / (entry["depth4"] - entry["random"]))


def summaries(runs: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The summary of each part of the results of one method, and of ``ALL`` parts to be measured on, if all are there.

    ``score`` is the interquartile mean over games and runs, from ``low`` to ``high`` (95 %) by a stratified bootstrap:
    in each game runs are drawn with replacement, and then as many pairs of games as each of them played. ``profile``:
    the share of games with at least a score of each of ``LEVELS``. ``regret``: the mean over games with exact values.
    """
    parts = list(runs[0]["parts"])
    members = {part: (part,) for part in parts} | ({ALL: splits.TESTS} if {*splits.TESTS} <= {*parts} else {})
    found = {}
    for part, those in members.items():
        names = [name for name, game in runs[0]["games"].items() if game["part"] in those]
        scores = np.stack([normalised(name, _counts(runs, name)) for name in names])
        drawn = np.stack([_drawn(runs, name) for name in names], axis=2)
        low, high = np.quantile([interquartile_mean(each.ravel()) for each in drawn], (0.025, 0.975)).tolist()
        both = [name for name in names if all("regret" in run["games"][name] for run in runs)]
        exact = [run["games"][name] for run in runs for name in both]
        found[part] = {
            "games": len(names),
            "score": interquartile_mean(scores.ravel()),
            "low": low,
            "high": high,
            "mean": float(scores.mean()),
            "profile": {str(level): float((scores >= level).mean()) for level in LEVELS},
            "games_with_regret": len(both),
            **{kind: float(np.mean([each[kind] for each in exact])) if exact else None for kind in REGRETS},
        }
    return found


def _counts(runs: Sequence[Mapping[str, Any]], name: str) -> npt.NDArray[np.int64]:
    """int64[runs, 3, 5]: the pairs of one game."""
    return np.array([[*run["games"][name]["by_points"].values()] for run in runs])


def _drawn(runs: Sequence[Mapping[str, Any]], name: str) -> npt.NDArray[np.float64]:
    """float64[resamples, runs]: scores of one game, of runs drawn with replacement and pairs drawn anew in each."""
    random = np.random.default_rng(int(_digest(name), 16))
    chosen = random.integers(len(runs), size=(RESAMPLES, len(runs)))
    counts = _counts(runs, name)[chosen]
    pairs = counts.sum(axis=-1)
    return normalised(name, random.multinomial(pairs, counts / pairs[..., None]))


def games_rows(content: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a table of the games of a result: mean points, 0 to 1, against each opponent, and the score."""
    rows = []
    for name, game in content["games"].items():
        counts = np.array([game["by_points"][each] for each in OPPONENTS])
        points = [f"{points:.3f}" for points in counts @ POINTS / counts.sum(axis=1)]
        note = "refused" if "refused" in game else f"{game['illegal']} illegal" if game["illegal"] else ""
        rows.append([name, game["part"], *points, f"{normalised(name, counts):.3f}", note])
    return ["game", "part", *OPPONENTS, "score", ""], rows


def rows_of(results: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """The rows of all methods, the best first in the last part of each. Raises ValueError if results of different
    evaluations are among them, or one is not finished."""
    for result in results:
        if "summary" not in result:
            raise ValueError(f"the result of {result.get('name')} is not finished: call its evaluation again")
        if other := [key for key in SAME if result[key] != results[0][key]]:
            raise ValueError(f"{result['name']} and {results[0]['name']} differ in {', '.join(other)}")
    methods: dict[str, list[Mapping[str, Any]]] = {}
    for result in results:
        runs = methods.setdefault(result["name"], [])
        if any(result["games"] == run["games"] for run in runs):
            raise ValueError(f"a result of {result['name']} is given twice, and would count as two runs; give it once")
        runs.append(result)
    tables = [_rows_of(method, runs) for method, runs in methods.items()]
    return [row for rows in sorted(tables, key=lambda rows: -float(rows[-1][4])) for row in rows]


def _rows_of(method: str, runs: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    return [
        [
            method, str(len(runs)), part, str(each["games"]), f"{each['score']:.3f}",
            "" if len(runs) * runs[0]["pairs"] == 1 else f"{each['low']:.3f} to {each['high']:.3f}",
            f"{each['mean']:.3f}", f"{100 * each['profile']['0.5']:.0f} %",
            *("" if each[kind] is None else f"{each[kind]:.3f}" for kind in REGRETS),
        ]
        for part, each in summaries(runs).items()
    ]  # fmt: skip
