"""Endgame tables on disk: one file per number of seeds, with a checksummed header, written whole or not at all."""

import errno
import hashlib
import json
import os
import shutil
from dataclasses import asdict, dataclass, fields
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import mancala_env
from agents.reading import json_object
from mancala_env.checks import shown
from mancala_env.kernels import layout
from mancala_env.kernels.ranking import MAX_CHOICE
from mancala_env.rules import Direction, Feeding, Leftover, Ruleset, Store
from mancala_env.rules.fields import DEFAULTS, NOT_RULES

FORMAT = 1
MAGIC = b"mancala-endgame-table"
HEADER_SIZE = 4096
SUFFIX = ".table"
MAX_SEEDS = 127  # an entry is one signed byte
FAR_LIMIT = 1000  # plies; such a limit only ends games that go round in circles, a shorter one may end others
DIGEST_SIZE = 32
_READ = ("grand_slam", "slam_scope", "feeding", "stuck", "end_check", "leftover")  # fields that say how play goes
_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))  # the disk is full, or this user's quota


class DamagedTable(ValueError):
    """A file is not the endgame table that it should be. The message says which, what is wrong and what to do."""


class DiskFull(OSError):
    """There is no room for a table. The message says how much is needed, and where."""


@dataclass(frozen=True)
class Header:
    """The header of a table file: UTF-8 JSON after a line with ``MAGIC``, ``FORMAT`` and the JSON's BLAKE2b digest."""

    package: str  # the version of mancala_env that built the table
    ruleset: str  # its id, ``name-vN``
    rules: dict[str, Any]  # the parts of the rules that play depends on (``mechanics``)
    pits: int
    seeds: int  # on the board
    planes: tuple[str, ...]  # of entries, one signed byte each: ("margin",) or ("mover", "other"), plane after plane
    entries: int  # in each plane
    digest: str  # BLAKE2b of all entries, 32 bytes in hexadecimal


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
    most = most_seeds(pits)
    if not 0 <= seeds <= most:
        raise ValueError(f"tables of {pits} pits are for 0 to {most} seeds, not {seeds}")


def most_seeds(pits: int) -> int:
    """The maximum number of seeds for which positions can be numbered and values stored."""
    return min(MAX_SEEDS, MAX_CHOICE - pits)


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


def file_size(rules: Ruleset, seeds: int) -> int:
    """The size of a table file in bytes."""
    return HEADER_SIZE + len(planes(rules)) * layer_size(rules.board.pits, seeds)


def require_room(folder: Path, size: int, what: str) -> None:
    """Raise DiskFull if fewer than ``size`` bytes (and a little) are free on the disk of ``folder``."""
    free = shutil.disk_usage(folder).free
    needed = size + (1 << 20)
    if free < needed:
        raise DiskFull(
            errno.ENOSPC,
            f"{what} need {needed / 1e6:.1f} MB and {free / 1e6:.1f} MB are free; make room or choose another folder "
            "(finished tables stay, and a new start goes on after them)",
            str(folder),
        )


def write_table(folder: Path, rules: Ruleset, seeds: int, entries: npt.NDArray[np.int8]) -> Path:
    """Write int8[planes, size] in one step. DiskFull if it does not fit, and then nothing is left of it."""
    path = table_path(folder, rules, seeds)
    entries = np.ascontiguousarray(entries)
    header = Header(
        package=mancala_env.__version__,
        ruleset=f"{rules.name}-v{rules.version}",
        rules=mechanics(rules),
        pits=rules.board.pits,
        seeds=seeds,
        planes=planes(rules),
        entries=entries.shape[1],
        digest=_digest(entries.data),
    )
    text = json.dumps(asdict(header), sort_keys=True).encode()
    first = b"%s %d %s\n%s\n" % (MAGIC, FORMAT, _digest(text).encode(), text)
    passing = path.with_name(f"{path.name}.{os.getpid()}.part")
    require_room(folder, HEADER_SIZE + entries.nbytes, f"{path.name} would")
    try:
        with passing.open("wb") as file:
            file.write(first.ljust(HEADER_SIZE, b"\n"))
            file.write(entries.data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(passing, path)
    except OSError as error:
        passing.unlink(missing_ok=True)
        if error.errno in _FULL:
            raise DiskFull(errno.ENOSPC, f"no room to write {path.name}: {error.strerror}", str(folder)) from error
        raise
    for leftover in folder.glob(f"{path.name}.*.part"):  # of a builder that was killed
        leftover.unlink(missing_ok=True)
    return path


def read_header(path: Path, rules: Ruleset | None = None, seeds: int | None = None) -> Header:
    """A file's header, of these rules and seeds if given. DamagedTable if it is damaged, or no such table."""
    with path.open("rb") as file:
        start = file.read(HEADER_SIZE)
    line, _, rest = start.partition(b"\n")
    words = line.split(b" ")
    if len(words) != 3 or words[0] != MAGIC:
        raise _damaged(path, "it does not begin like an endgame table")
    if words[1] != b"%d" % FORMAT:
        raise _damaged(path, f"its format is {words[1].decode(errors='replace')}, this program reads {FORMAT}")
    text = rest.rstrip(b"\n")
    if len(start) != HEADER_SIZE or _digest(text).encode() != words[2]:
        raise _damaged(path, "its header has changed since it was written")
    try:
        header = _header(json_object(text))
    except ValueError as error:
        raise _damaged(path, f"its header is none of a table: {error}") from None
    size = path.stat().st_size
    if size != HEADER_SIZE + len(header.planes) * header.entries:
        expected = HEADER_SIZE + len(header.planes) * header.entries
        raise _damaged(path, f"it has {size} bytes and should have {expected}")
    if rules is not None and (header.rules != mechanics(rules) or header.planes != planes(rules)):
        raise _damaged(path, f"it is of {header.ruleset} with other rules ({_difference(header.rules, rules)})")
    if seeds is not None and header.seeds != seeds:
        raise _damaged(path, f"it is of {header.seeds} seeds, not of {seeds}")
    if header.entries != layer_size(header.pits, header.seeds):
        raise _damaged(path, f"it has {header.entries} entries for {header.seeds} seeds in {header.pits} pits")
    return header


def _header(known: dict[str, Any]) -> Header:
    """The header from its JSON. Raises ValueError if a part is missing or has the wrong type."""
    kinds = {"pits": int, "seeds": int, "entries": int, "rules": dict, "planes": list}
    for field in fields(Header):
        if field.name not in known:
            raise ValueError(f"it does not say {field.name!r}")
        if type(known[field.name]) is not kinds.get(field.name, str):
            raise ValueError(f"{field.name} is {shown(known[field.name])}")
    header = Header(**{field.name: known[field.name] for field in fields(Header)} | {"planes": tuple(known["planes"])})
    if header.planes not in (("margin",), ("mover", "other")):
        raise ValueError(f"planes are {shown(known['planes'])}")
    if not 1 <= header.pits < MAX_CHOICE or not 0 <= header.seeds <= most_seeds(header.pits) or header.entries < 0:
        raise ValueError(f"{shown(header.entries)} entries are of {header.seeds} seeds in {header.pits} pits")
    return header


def read_table(path: Path, rules: Ruleset | None = None, seeds: int | None = None) -> npt.NDArray[np.int8]:
    """The entries of a file, int8[planes, size], of these rules and seeds if given. DamagedTable if it has changed."""
    header = read_header(path, rules, seeds)
    entries = np.empty((len(header.planes), header.entries), dtype=np.int8)
    with path.open("rb") as file:
        file.seek(HEADER_SIZE)
        whole = file.readinto(entries.data.cast("B")) == entries.nbytes
    if not whole or _digest(entries.data) != header.digest:
        raise _damaged(path, "its entries have changed since they were written")
    return entries


def _difference(found: dict[str, Any], rules: Ruleset) -> str:
    wanted = mechanics(rules)
    other = [f"{name}={found.get(name)!r}, not {wanted[name]!r}" for name in wanted if found.get(name) != wanted[name]]
    return ", ".join(other) or "other entries"


def _digest(data: bytes | memoryview) -> str:
    return hashlib.blake2b(data, digest_size=DIGEST_SIZE).hexdigest()


def _damaged(path: Path, why: str) -> DamagedTable:
    return DamagedTable(f"{path}: {why}; delete it, or build the tables again, which replaces it")
