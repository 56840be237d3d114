"""Endgame tables on disk: one file per number of seeds, with a checksummed header, written whole or not at all."""

import errno
import hashlib
import json
import os
import shutil
import weakref
from dataclasses import asdict, dataclass, fields
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import mancala_env
from agents.reading import json_object
from mancala_env.kernels import layout
from mancala_env.kernels.ranking import MAX_CHOICE
from mancala_env.position_fields import shown
from mancala_env.rules import Direction, Feeding, Leftover, RepetitionLeftover, Ruleset, Store, When
from mancala_env.rules.fields import DEFAULTS, NOT_RULES

FORMAT = 1
MAGIC = b"mancala-endgame-table"
HEADER_SIZE = 4096
_CHUNK = 1 << 20
SUFFIX = ".table"
MAX_SEEDS = 127  # an entry is one signed byte
FAR_LIMIT = 1000  # plies; such a limit only ends games that go round in circles, a shorter one may end others
DIGEST_SIZE = 32
_READ = (
    "grand_slam",
    "slam_scope",
    "feeding",
    "stuck",
    "end_check",
    "leftover",
)  # fields of rules that say how play goes
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
    """Whether the value of a position does not depend on the moves before it; if it does, tables hold bounds. It does
    not where no position can come back, or where a repetition splits the remaining seeds evenly and nothing stops the
    game while seeds still count (``Tablebase``).
    """
    splits = rules.repetition > 0 and rules.repetition_leftover is RepetitionLeftover.SPLIT
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
    said = {
        each.name for clause in rules.landing for each in fields(When) if getattr(clause, each.name) != each.default
    }
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
    axes = rules.encoded.axes
    why = None
    if axes[layout.MATCH]:
        why = "they are for single games, not for matches"
    elif rules.board.kind != "two_rows":
        why = "they are for boards of two rows, each played by its owner"
    elif not is_plain(rules):
        why = "they are for games like Oware and Kalah, without marks, seeds that stay, or captures on the way"
    elif rules.direction is not Direction.COUNTERCLOCKWISE:
        why = "they are for games sown counter-clockwise, of which a game sown clockwise is the mirror image"
    elif is_acyclic(rules) and rules.majority_stop:
        why = "with a store to sow in, they are for games in which every seed counts; set majority_stop=False"
    elif not is_acyclic(rules) and (not axes[layout.ONE_CHAIN] or axes[layout.LOOP] != axes[layout.PITS]):
        why = (
            "they are for games like Oware, where the last seed takes a chain from the opponent's row, or like Kalah, "
            "where seeds are sown into the mover's own store"
        )
    elif axes[layout.PASS_ACTION] or axes[layout.GOAL] != layout.GOAL_SEEDS:
        why = "they are for games about seeds in which nobody has to announce a pass"
    elif 0 < rules.max_plies < FAR_LIMIT:
        why = (
            f"they do not count plies, and a limit of {rules.max_plies} may come before what they promise; set "
            f"max_plies={FAR_LIMIT} or more, or 0 where games end without a limit"
        )
    if why is not None:
        raise ValueError(f"there are no endgame tables of {rules.name!r}: {why}; try 'awari', 'oware' or 'kalah'")


def mechanics(rules: Ruleset) -> dict[str, Any]:
    """The parts of the rules that a table depends on, without seeds at the start, a far ply limit and a majority stop,
    nor, where no position comes back, the repetition rule. Clauses of the landing table are given as the kernels read
    them, so that two ways to write the same rule share their tables.
    """
    read: dict[str, Any] = {
        "version": rules.version,
        "pits_per_row": rules.board.columns,
        "exact": is_exact(rules),
        **{name: str(getattr(rules, name)) for name in _READ},
    }
    if is_acyclic(rules):
        laps = rules.max_laps if rules.encoded.axes[layout.RELAYS] else None
        landing = [clause.encode()[: layout.FURTHER] for clause in rules.landing]
        return read | {"store": str(rules.store), "landing": landing, "max_laps": laps}
    return read | {
        "skip_origin": rules.skip_origin,
        "captured_counts": sorted(rules.landing[0].chain or ()),
        "indeterminacy_max_seeds": rules.indeterminacy_max_seeds,
    }


def share_tables(rules: Ruleset, other: Ruleset) -> bool:
    """Whether the tables of ``rules`` hold for ``other`` too: only what is not in ``mechanics`` may differ."""
    if other is rules:
        return True
    try:
        check_rules(other)
    except ValueError:
        return False
    return mechanics(other) == mechanics(rules)


def layer_size(pits: int, seeds: int) -> int:
    """The number of positions with ``seeds`` seeds in ``pits`` pits, seen from the mover."""
    return comb(pits + seeds - 1, seeds)


def first_number(pits: int, seeds: int) -> int:
    """The number of positions with fewer than ``seeds`` seeds."""
    return comb(pits + seeds - 1, pits) if seeds else 0


def most_seeds(pits: int) -> int:
    """The maximum number of seeds for which positions can be numbered and values stored."""
    return min(MAX_SEEDS, MAX_CHOICE - pits)


def table_path(folder: Path, rules: Ruleset, seeds: int) -> Path:
    """The file for a number of seeds. Its name differs for rulesets of the same name with other rules."""
    text = json.dumps(mechanics(rules), sort_keys=True).encode()
    mark = hashlib.blake2b(text, digest_size=4).hexdigest()
    return folder / f"{rules.name}-{rules.board.columns}-{mark}-{seeds:02d}{SUFFIX}"


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
    """Write a table, int8[planes, size], under a temporary name and rename it when it is safe on disk. DiskFull if it
    does not fit: nothing is left of it then; other files are not touched.
    """
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


def read_header(path: Path) -> Header:
    """The header of a file, checked against the file's size. DamagedTable if it is not a table, has another format, a
    damaged header, or has lost or gained bytes.
    """
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


class TableFile:
    """A table in its file: int8[planes, size], read when it is needed. Nothing is mapped, so a file that loses bytes
    while it is in use is a ``DamagedTable``, and not the end of the process (SIGBUS).

    DamagedTable if its header is damaged, or says other rules or seeds than it must be of, or the file has another
    size.
    """

    def __init__(self, path: Path, rules: Ruleset | None = None, seeds: int | None = None) -> None:
        self.path, self.header, self._wanted = path, (header := read_header(path)), (rules, seeds)
        if rules is not None and (header.rules != mechanics(rules) or header.planes != planes(rules)):
            raise _damaged(path, f"it is of {header.ruleset} with other rules ({_difference(header.rules, rules)})")
        if seeds is not None and header.seeds != seeds:
            raise _damaged(path, f"it is of {header.seeds} seeds, not of {seeds}")
        if header.entries != layer_size(header.pits, header.seeds):
            raise _damaged(path, f"it has {header.entries} entries for {header.seeds} seeds in {header.pits} pits")
        self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        weakref.finalize(self, os.close, self._file)

    def column(self, number: int) -> list[int]:
        """The entries of one position, a number for each plane."""
        planes = range(len(self.header.planes))
        found = [self._bytes(1, HEADER_SIZE + plane * self.header.entries + number) for plane in planes]
        if not all(found):
            raise self._cut()
        return [int.from_bytes(byte, "little", signed=True) for byte in found]

    def read(self) -> npt.NDArray[np.int8]:
        """All entries, int8[planes, size], read-only."""
        entries = np.empty((len(self.header.planes), self.header.entries), dtype=np.int8)
        with self.path.open("rb") as file:
            file.seek(HEADER_SIZE)
            if file.readinto(entries.data.cast("B")) != entries.nbytes:
                raise self._cut()
        entries.setflags(write=False)
        return entries

    def check(self) -> None:
        """Read all of it, in pieces. Raises DamagedTable if it has changed since it was written."""
        digest = hashlib.blake2b(digest_size=DIGEST_SIZE)
        with self.path.open("rb") as file:
            file.seek(HEADER_SIZE)
            while some := file.read(_CHUNK):
                digest.update(some)
        if digest.hexdigest() != self.header.digest:
            raise _damaged(self.path, "its entries have changed since they were written")

    def _bytes(self, count: int, at: int) -> bytes:
        if hasattr(os, "pread"):
            return os.pread(self._file, count, at)
        os.lseek(self._file, at, os.SEEK_SET)  # without POSIX, of one thread at a time
        return os.read(self._file, count)

    def _cut(self) -> DamagedTable:
        return _damaged(self.path, "it has lost bytes since it was opened")

    def __reduce__(self) -> tuple[Any, ...]:
        return TableFile, (self.path, *self._wanted)  # another process looks at what it opens as this one did


def _difference(found: dict[str, Any], rules: Ruleset) -> str:
    wanted = mechanics(rules)
    other = [f"{name}={found.get(name)!r}, not {wanted[name]!r}" for name in wanted if found.get(name) != wanted[name]]
    return ", ".join(other) or "other entries"


def _digest(data: bytes | memoryview) -> str:
    return hashlib.blake2b(data, digest_size=DIGEST_SIZE).hexdigest()


def _damaged(path: Path, why: str) -> DamagedTable:
    return DamagedTable(f"{path}: {why}; delete it, or build the tables again, which replaces it")
