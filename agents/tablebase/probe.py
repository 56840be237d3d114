# mypy: allow-untyped-defs, no-check-untyped-defs
"""Endgame tables for compiled search: all margins, or bounds of them, in one array, and a kernel that reads it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.tablebase import files
from agents.tablebase.kernel import inlined, turned
from agents.tablebase.table import Tablebase
from mancala_env import checks
from mancala_env.kernels import layout as L
from mancala_env.kernels.ranking import configuration
from mancala_env.rules import Ruleset


@dataclass(frozen=True, eq=False)
class Probe:
    """Tables as kernels take them: ``values`` and ``most`` have the same types in all probes, ``NO_TABLE`` among them.

    ``values`` int8[total, 1 or 2], read-only, are the mover's margin of the seeds on the board, or its lowest and its
    highest possible value: of the only position without seeds, of all with one seed, and so on, each numbered by
    ``ranking.configuration`` as its mover sees it; one entry if there are none. Positions with at most ``most`` seeds
    on the board are covered; -1: none. They are loaded for ``rules``, or None if there are none; ``fits`` says for
    which they hold.
    """

    values: npt.NDArray[np.int8]
    most: np.int64
    rules: Ruleset | None

    def __post_init__(self) -> None:
        values, most, pits = self.values, self.most, 0 if self.rules is None else self.rules.board.pits
        like = checks.is_array(values) and values.dtype == np.int8 and values.ndim == 2 and values.flags.c_contiguous
        like = like and values.shape[1] in (1, 2)
        covers = checks.is_whole(most) and (most == -1 or (pits and 0 <= most <= files.MAX_CHOICE - pits))
        if not like or not covers or len(values) < max(1, files.first_number(pits, int(most) + 1) if pits else 1):
            raise ValueError(
                f"no table of positions with up to {most} seeds is {checks.described(values)}; load one with "
                "agents.tablebase.probe.load"
            )
        seen = values.view()
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
        return self.rules is None or files.share_tables(self.rules, rules)


NO_TABLE = Probe(np.zeros((1, 1), dtype=np.int8), np.int64(-1), None)


def load(folder: Path | str, rules: Ruleset, seeds: int | None = None, verify: bool = True) -> Probe:
    """The tables of a ruleset, read into memory: one byte per position, two where they hold bounds.

    At most those for ``seeds`` seeds. ``verify`` reads every file twice, to compare its digest. DamagedTable if a file
    is damaged; ValueError if there are no tables of these rules in the folder, or none for ``seeds``.
    """
    files.check_rules(rules)
    if seeds is not None and seeds < 0:
        raise ValueError(f"seeds must be 0 or more, or None for all there are, not {seeds}")
    tables = Tablebase(folder, rules, verify)
    most = tables.seeds if seeds is None else seeds
    if most > tables.seeds:
        raise ValueError(
            f"{folder} has tables of {rules.name} for 0 to {tables.seeds} seeds, not {most}; build more with mancala "
            f"solve tables build {rules.name} --seeds-on-board {most} --out {folder}"
        )
    pits = rules.board.pits
    values = np.empty((files.first_number(pits, most + 1), 1 if tables.exact else 2), dtype=np.int8)
    for n in range(most + 1):
        first, layer = files.first_number(pits, n), tables.layer(n)
        of_layer = values[first : first + files.layer_size(pits, n)]
        if tables.exact:
            of_layer[:, 0] = layer[0]
        else:  # what the mover, and what the other player, is sure to get
            of_layer[:, 0], of_layer[:, 1] = 2 * layer[0] - n, n - 2 * layer[1]
    return Probe(values, np.int64(most), rules)


@inlined
def probe(position, seeds, mover, values, axes):
    """The tables' bounds of the mover's margin of the ``seeds`` on the board, at most ``Probe.most``, equal if it is
    known.

    They hold where the game is running; those of exact tables also where it is over because the mover is stuck or a
    side is empty. An end for another reason (a repetition, the ply limit) is worth the difference of the scores.

    Where a majority stops the game, the seeds that are on the board then count for nobody. If a player is sure of half
    of all seeds, the other cannot stop the game, and this player may only miss what a majority does not need; if not,
    it may be stopped before any of them are taken. Either way the other gets no more than the rest. Only then are the
    stores of ``position`` read, else only its pits. ``values`` fit the rules of ``axes``.
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
    """The lowest margin of ``seeds`` on the board where a majority stops the game, for a player with ``own`` seeds in
    the store who is sure of ``sure`` more."""
    everything = own + others + seeds
    taken = min(sure, everything // 2 + 1 - own) if 2 * (own + sure) >= everything else 0
    return taken - (seeds - sure)
