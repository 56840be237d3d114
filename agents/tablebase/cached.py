"""Endgame tables in the user's cache: where they are, which there are, and loading them for a search."""

import os
from functools import lru_cache
from pathlib import Path

from agents.tablebase import files
from agents.tablebase.probe import NO_TABLE, Probe, load
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import text_of

NONE, AUTO = "none", "auto"
VARIABLE = "MANCALA_ENV_CACHE"
# Positions a second of one thread, in games in which no position comes back and in others; measured with 15 seeds in 12
# pits, to tell people about how long a build takes.
_RATE = {True: 4e6, False: 1e6}


def tables_folder() -> Path:
    """The folder of the user's tables, which need not exist: ``tables`` in ``$MANCALA_ENV_CACHE``, else in
    ``$XDG_CACHE_HOME/mancala_env``, or ``~/.cache/mancala_env``.
    """
    user = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.environ.get(VARIABLE) or f"{user}/mancala_env").expanduser() / "tables"


def seeds_there(rules: Ruleset, folder: Path) -> int:
    """The largest N for which the folder has tables of 0 to N seeds; -1: none, or no tables can be of these rules."""
    try:
        files.check_rules(rules)
    except ValueError:
        return -1
    seeds = -1
    while files.table_path(folder, rules, seeds + 1).exists():
        seeds += 1
    return seeds


def whole(rules: Ruleset, seeds: int, folder: Path) -> bool:
    """Are all tables for 0 to ``seeds`` seeds there, with the digests they were written with?"""
    if seeds_there(rules, folder) < seeds:
        return False
    try:
        for n in range(seeds + 1):
            files.TableFile(files.table_path(folder, rules, n), rules, n).check()
    except files.DamagedTable:
        return False
    return True


def cost(rules: Ruleset, seeds: int, folder: Path, threads: int) -> tuple[int, float]:
    """Bytes on disk of all tables for 0 to ``seeds`` seeds, and about how many seconds building the missing ones takes.
    ValueError if there are no tables of these rules, or none for so many seeds.
    """
    files.check_rules(rules)
    pits = rules.board.pits
    if not 0 <= seeds <= (most := files.most_seeds(pits)):
        raise ValueError(f"tables of {pits} pits are for 0 to {most} seeds, not {seeds}")
    size = sum(files.file_size(rules, n) for n in range(seeds + 1))
    missing = sum(
        files.layer_size(pits, n) for n in range(seeds + 1) if not files.table_path(folder, rules, n).exists()
    )
    return size, missing / _RATE[files.is_acyclic(rules)] / threads


def checked_setting(tables: object) -> str | int:
    """The setting of a player, checked: "none", "auto", a number of seeds, or a folder. ValueError if it is nothing of
    these.
    """
    if isinstance(tables, Path):
        tables = str(tables)
    number = isinstance(tables, int) and not isinstance(tables, bool) and tables >= 1
    if number or (isinstance(tables, str) and tables):
        return tables  # type: ignore[return-value]
    raise ValueError(f"tables must be {NONE}, {AUTO}, a number of seeds from 1, or a folder of tables, not {tables!r}")


def load_setting(tables: str | int, rules: Ruleset) -> Probe:
    """The tables that a player's setting asks for in a game; loaded once in each process.

    Parameters
    ----------
    tables : "none"; "auto", those in the cache, if any; a number N, those for 0 to N seeds in the cache; or a folder

    Raises
    ------
    DamagedTable
        If a file is damaged.
    ValueError
        If the tables are not there. With "auto" none need be there.
    """
    if tables == NONE:
        return NO_TABLE
    if not isinstance(tables, int) and tables != AUTO:
        return _loaded(Path(tables), rules, None)
    folder = tables_folder()
    there = seeds_there(rules, folder)
    if tables == AUTO:
        return load_setting(settled(tables, rules), rules)
    files.check_rules(rules)
    if there < int(tables):
        found = f"those for 0 to {there} seeds" if there >= 0 else "none"
        raise ValueError(
            f"tables={tables} asks for endgame tables of {rules.name} for 0 to {tables} seeds, and {folder} has "
            f"{found}: make them with mancala solve tables get {text_of(rules)} --seeds-on-board {tables}"
        )
    return _loaded(folder, rules, int(tables))


def settled(tables: str | int, rules: Ruleset) -> str | int:
    """The setting that means the same in this game whatever the cache will hold: a number, or "none", for "auto"."""
    if tables != AUTO:
        return tables
    there = seeds_there(rules, tables_folder())
    return NONE if there < 1 else there


@lru_cache(maxsize=8)
def _loaded(folder: Path, rules: Ruleset, seeds: int | None) -> Probe:
    return load(folder, rules, seeds)
