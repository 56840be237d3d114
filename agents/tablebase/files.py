"""Endgame tables on disk: one file per number of seeds, with rules and digest, written whole or not at all."""

import errno
import hashlib
import json
import shutil
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents import array_file
from mancala_env.checks import shown
from mancala_env.kernels import layout
from mancala_env.kernels.ranking import MAX_CHOICE
from mancala_env.rules import Direction, Feeding, Leftover, Ruleset, Store
from mancala_env.rules.fields import DEFAULTS, NOT_RULES

SUFFIX = ".table"
MAX_SEEDS = 127  # an entry is one signed byte
FAR_LIMIT = 1000  # plies; such a limit only ends games that go round in circles, a shorter one may end others
_READ = ("grand_slam", "slam_scope", "feeding", "stuck", "end_check", "leftover")  # fields that say how play goes


class DamagedTable(ValueError):
    """A file is not the endgame table that it should be. The message says which, what is wrong and what to do."""


_KIND = array_file.Kind(
    "mancala_endgame_table", "an endgame table", 1 << 40, "delete it, or build the tables again, which replaces it",
    DamagedTable,
)  # fmt: skip


def is_acyclic(rules: Ruleset) -> bool:
    """Whether this is a game like Kalah, where sown seeds pass the mover's store, so that no position comes back."""
    return rules.store is Store.OWN


def is_exact(rules: Ruleset) -> bool:
    """Whether values do not depend on the moves before (else tables hold bounds): no position comes back, or a
    repetition splits the remaining seeds evenly and nothing stops the game while seeds still count.
    """
    splits = rules.repetition > 0 and rules.repetition_leftover == "split"
    return (is_acyclic(rules) or splits) and not rules.majority_stop


def planes(rules: Ruleset) -> tuple[str, ...]:
    """The planes of the tables of a ruleset: the numbers held for each position."""
    return ("margin",) if is_exact(rules) else ("mover", "other")


PLAIN_FIELDS = frozenset({
    "name", "version", "board", "seeds", "setup", "direction", "store", "skip_origin", "max_laps", "landing",
    "grand_slam", "slam_scope", "feeding", "stuck", "end_check", "end_reason", "leftover", "majority_stop",
    "indeterminacy_max_seeds", "repetition", "repetition_leftover", "max_plies",
})  # fmt: skip


def is_plain(rules: Ruleset) -> bool:
    """Whether these rules say nothing but what Oware, Kalah and their likes say."""
    if any(getattr(rules, name) != DEFAULTS[name] for name in DEFAULTS.keys() - PLAIN_FIELDS - set(NOT_RULES)):
        return False
    further = (Feeding.MUST_LEAVE, Feeding.LEAVE_MOVE, Leftover.LAST_MOVER, Leftover.HALVED, Store.BOTH)
    if not {rules.feeding, rules.leftover, rules.store}.isdisjoint(further):
        return False
    said = {name for clause in rules.landing for name in clause.said}
    return (
        said <= {"store", "side", "was", "count", "facing", "takes", "chain", "chain_side", "then"}
        and not rules.goes_both_ways
        and all(
            isinstance(clause.facing, str | None)
            and {*clause.takes} <= {"here", "facing"}
            and clause.chain_side != "own"
            and clause.then in ("stop", "again", "relay")
            for clause in rules.landing
        )
    )


def check_rules(rules: Ruleset) -> None:
    """Raise ValueError, with the reason, for a ruleset that tables cannot be built for."""
    if (why := why_none(rules)) is not None:
        raise ValueError(f"there are no endgame tables of {rules.name!r}: {why}; try 'awari', 'oware' or 'kalah'")


def why_none(rules: Ruleset) -> str | None:
    """Why tables cannot be built for a ruleset; None if they can."""
    axes = rules.encoded.axes
    if axes[layout.MATCH]:
        return "they are for single games, not for matches"
    if rules.board.kind != "two_rows":
        return "they are for boards of two rows, each played by its owner"
    if not is_plain(rules):
        return "they are for games like Oware and Kalah, without marks, seeds that stay, or captures on the way"
    if rules.direction is not Direction.COUNTERCLOCKWISE:
        return "they are for games sown counter-clockwise, of which a game sown clockwise is the mirror image"
    if is_acyclic(rules) and rules.majority_stop:
        return "with a store to sow in, they are for games in which every seed counts; set majority_stop=False"
    if not is_acyclic(rules) and (not axes[layout.ONE_CHAIN] or axes[layout.LOOP] != axes[layout.PITS]):
        return (
            "they are for games like Oware, where the last seed takes a chain from the opponent's row, or like Kalah, "
            "where seeds are sown into the mover's own store"
        )
    if axes[layout.PASS_ACTION] or axes[layout.GOAL] != layout.GOAL_SEEDS:
        return "they are for games about seeds in which nobody has to announce a pass"
    if 0 < rules.max_plies < FAR_LIMIT:
        return (
            f"they do not count plies, and a limit of {rules.max_plies} may come before what they promise; set "
            f"max_plies={FAR_LIMIT} or more, or 0 where games end without a limit"
        )
    return None


def mechanics(rules: Ruleset) -> dict[str, Any]:
    """The parts of the rules that a table depends on, the landing table as the kernels read it: without seeds at the
    start, a far ply limit, a majority stop, nor, where no position comes back, the repetition rule.
    """
    read: dict[str, Any] = {
        "version": rules.version,
        "pits_per_row": rules.board.columns,
        "exact": is_exact(rules),
        **{name: str(getattr(rules, name)) for name in _READ},
    }
    if is_acyclic(rules):
        laps = rules.max_laps if rules.encoded.axes[layout.RELAYS] else None
        landing = [[clause.encode()[k] for k in range(layout.FURTHER)] for clause in rules.landing]
        return read | {"store": str(rules.store), "landing": landing, "max_laps": laps}
    return read | {
        "skip_origin": rules.skip_origin,
        "captured_counts": sorted(rules.landing[0].chain or ()),
        "indeterminacy_max_seeds": rules.indeterminacy_max_seeds,
    }


def layer_size(pits: int, seeds: int) -> int:
    """The number of positions with ``seeds`` seeds in ``pits`` pits, seen from the mover."""
    return comb(pits + seeds - 1, seeds)


def first_number(pits: int, seeds: int) -> int:
    """The number of positions with fewer than ``seeds`` seeds."""
    return comb(pits + seeds - 1, pits) if seeds else 0


def check_seeds(rules: Ruleset, seeds: int) -> None:
    """Raise ValueError unless there can be tables of these rules for 0 to ``seeds`` seeds on the board."""
    check_rules(rules)
    pits = rules.board.pits
    most = min(MAX_SEEDS, MAX_CHOICE - pits)
    if not 0 <= seeds <= most:
        raise ValueError(f"tables of {pits} pits are for 0 to {most} seeds, not {seeds}")


def table_path(folder: Path, rules: Ruleset, seeds: int) -> Path:
    """The file for a number of seeds. Its name differs for rulesets of the same name with other rules."""
    text = json.dumps(mechanics(rules), sort_keys=True).encode()
    mark = hashlib.blake2b(text, digest_size=4).hexdigest()
    return folder / f"{rules.name}-{rules.board.columns}-{mark}-{seeds:02d}{SUFFIX}"


def seeds_there(folder: Path, rules: Ruleset) -> int:
    """The largest N for which the folder has tables of 0 to N seeds; -1 if there are none."""
    seeds = -1
    while table_path(folder, rules, seeds + 1).exists():
        seeds += 1
    return seeds


def table_size(rules: Ruleset, seeds: int) -> int:
    """The size of the entries of a table in bytes."""
    return len(planes(rules)) * layer_size(rules.board.pits, seeds)


def require_room(folder: Path, size: int, what: str) -> None:
    """Raise OSError if fewer than ``size`` bytes (and a little) are free on the disk of ``folder``."""
    free = shutil.disk_usage(folder).free
    needed = size + (1 << 20)
    if free < needed:
        raise OSError(
            errno.ENOSPC,
            f"{what} need {needed / 1e6:.1f} MB and {free / 1e6:.1f} MB are free; make room or choose another folder "
            "(finished tables stay, and a new start goes on after them)",
            str(folder),
        )


def write_table(folder: Path, rules: Ruleset, seeds: int, entries: npt.NDArray[np.int8]) -> None:
    """Write int8[planes, size] in one step. Raises OSError if it does not fit, and then nothing is left of it."""
    path = table_path(folder, rules, seeds)
    said = {"ruleset": f"{rules.name}-v{rules.version}", "rules": mechanics(rules), "seeds": seeds}
    arrays = {"entries": np.ascontiguousarray(entries)}
    array_file.save(path, _KIND, {**said, "sha256": array_file.digest_of(arrays)}, arrays)
    for leftover in folder.glob(f".{path.name}.*"):  # of a builder that was killed
        leftover.unlink(missing_ok=True)


def read_table(path: Path, rules: Ruleset | None = None, seeds: int | None = None) -> npt.NDArray[np.int8]:
    """The entries of a file, int8[planes, size], of these rules and seeds if given. DamagedTable if it has changed."""

    def read(header: dict[str, Any], arrays: dict[str, Any]) -> npt.NDArray[np.int8]:
        entries: npt.NDArray[np.int8] = arrays["entries"]
        array_file.check_digest(array_file.digest_of(arrays), header)
        if rules is None or seeds is None:
            return entries
        if header["rules"] != mechanics(rules):
            raise ValueError(f"it is of {shown(header['ruleset'])} with other rules ({_difference(header, rules)})")
        if header["seeds"] != seeds:
            raise ValueError(f"it is of {shown(header['seeds'])} seeds, not of {seeds}")
        if entries.dtype != np.int8 or entries.shape != (len(planes(rules)), layer_size(rules.board.pits, seeds)):
            raise ValueError(f"it has {entries.dtype}{list(entries.shape)} for {seeds} seeds")
        return entries

    return array_file.load(path, _KIND, read)


def _difference(header: dict[str, Any], rules: Ruleset) -> str:
    found, wanted = header["rules"], mechanics(rules)
    return ", ".join(
        f"{name}={shown(found.get(name))}, not {wanted[name]!r}" for name in wanted if found.get(name) != wanted[name]
    )
