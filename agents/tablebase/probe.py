# mypy: allow-untyped-defs, no-check-untyped-defs
"""Endgame tables for compiled search: all margins, or bounds of them, in one array, and a kernel that reads it."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.tablebase import files
from agents.tablebase.kernel import inlined, turned
from mancala_env.kernels import layout as L
from mancala_env.kernels.ranking import configuration
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import text_of


@dataclass(frozen=True, eq=False)
class Probe:
    """Tables as kernels take them: ``values`` int8[total, 1 or 2], read-only, are the mover's margin of the seeds on
    the board, or its lowest and highest possible value, numbered by ``ranking.configuration`` as the mover sees it.
    Positions with at most ``most`` seeds are covered; -1: none. ``fits`` says for which rules they hold.
    """

    values: npt.NDArray[np.int8]
    most: np.int64
    rules: Ruleset | None

    def __post_init__(self) -> None:
        seen = self.values.view()
        seen.setflags(write=False)
        object.__setattr__(self, "values", seen)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is read-only as well: search would be compiled anew for tables that are not."""
        return Probe, (self.values, self.most, self.rules)

    @property
    def exact(self) -> bool:
        """Are these values, and not bounds?"""
        return self.values.shape[1] == 1

    def fits(self, rules: Ruleset) -> bool:
        """Whether positions of these rules may be looked up; kernels do not check it. ``NO_TABLE`` fits all rules."""
        if self.rules is None or self.rules is rules:
            return True
        return files.why_none(rules) is None and files.mechanics(rules) == files.mechanics(self.rules)


NO_TABLE = Probe(np.zeros((1, 1), dtype=np.int8), np.int64(-1), None)


def covered(folder: Path | str, rules: Ruleset, seeds: int | None = None) -> int:
    """The N of the tables that ``load`` reads, by the names of the files alone. ValueError if there are none."""
    files.check_seeds(rules, 0 if seeds is None else seeds)
    folder = Path(folder)
    there = files.seeds_there(folder, rules)
    wanted = ["mancala", "solve", "tables", "build", text_of(rules)]
    build = shlex.join([*wanted, "--seeds-on-board", str(12 if seeds is None else seeds), "--out", str(folder)])
    if there < 0:
        others = sorted({path.name.rsplit("-", 1)[0] for path in folder.glob(f"*{files.SUFFIX}")})
        raise ValueError(
            f"{folder} has no endgame tables of these rules ({files.table_path(folder, rules, 0).name}); "
            f"there are {', '.join(others) if others else 'none at all'}. Build them with {build}"
        )
    most = there if seeds is None else seeds
    if most > there:
        raise ValueError(
            f"{folder} has tables of {rules.name} for 0 to {there} seeds, not {most}; build more with {build}"
        )
    return most


def load(folder: Path | str, rules: Ruleset, seeds: int | None = None) -> Probe:
    """The tables for at most ``seeds`` seeds, in memory. DamagedTable; ValueError if there are none of these rules."""
    most, folder, pits = covered(folder, rules, seeds), Path(folder), rules.board.pits
    values = np.empty((files.first_number(pits, most + 1), len(files.planes(rules))), dtype=np.int8)
    for n in range(most + 1):
        layer = files.read_table(files.table_path(folder, rules, n), rules, n)
        first = files.first_number(pits, n)
        of_layer = values[first : first + layer.shape[1]]
        if len(layer) == 1:
            of_layer[:, 0] = layer[0]
        else:  # what the mover, and what the other player, is sure to get
            of_layer[:, 0], of_layer[:, 1] = 2 * layer[0] - n, n - 2 * layer[1]
    return Probe(values, np.int64(most), rules)


@inlined
def probe(position, seeds, mover, values, axes):
    """The bounds of the mover's margin of the ``seeds`` on the board, at most ``Probe.most``; equal if it is known.

    They hold while the game runs; those of exact tables also where the mover is stuck or a side is empty. Where a
    majority stops the game, seeds left on the board count for nobody: a player sure of half of all seeds may miss only
    what a majority does not need, another may be stopped before taking any.
    """
    pits = axes[L.PITS]
    number = configuration(position, pits, seeds) if mover == 0 else turned(position, pits, seeds)
    low, high = int(values[number, 0]), int(values[number, values.shape[1] - 1])
    if axes[L.MAJORITY_STOP] != 0:
        own = np.int64(position[pits + L.STORES + mover])
        others = np.int64(position[pits + L.STORES + 1 - mover])
        low = _stopped(own, others, (seeds + low) // 2, seeds)
        high = -_stopped(others, own, (seeds - high) // 2, seeds)
    return low, high


@inlined
def _stopped(own, others, sure, seeds):
    """The lowest margin of ``seeds`` if a majority stops the game: ``own`` in the store, sure of ``sure`` more."""
    everything = own + others + seeds
    taken = min(sure, everything // 2 + 1 - own) if 2 * (own + sure) >= everything else 0
    return taken - (seeds - sure)
