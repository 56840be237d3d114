"""Results as tables: the games of one, and those of several side by side."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agents.family.score import OPPONENTS, POINTS, normalised, summaries

SAME = ("split", "parts", "games_digest", "pairs", "seed")  # what results that stand in one table have in common
HEAD = ("method", "runs", "part", "games", "score", "95 %", "mean", "profile 0.5", "regret", "random's regret")


def summary_rows(method: str, runs: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """A row for each part of the results of a method."""
    return [
        [
            method, str(len(runs)), part, str(each["games"]), f"{each['score']:.3f}",
            f"{each['low']:.3f} to {each['high']:.3f}", f"{each['mean']:.3f}", f"{100 * each['profile']['0.5']:.0f} %",
            *("" if each[kind] is None else f"{each[kind]:.3f}" for kind in ("regret", "random_regret")),
        ]
        for part, each in summaries(runs).items()
    ]  # fmt: skip


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
        methods.setdefault(result["name"], []).append(result)
    tables = [summary_rows(method, runs) for method, runs in methods.items()]
    return [row for rows in sorted(tables, key=lambda rows: -float(rows[-1][4])) for row in rows]
