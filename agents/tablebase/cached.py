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


def tables_folder() -> Path:
    """The folder of the user's tables: ``tables`` in ``$MANCALA_ENV_CACHE``, else in ``mancala_env`` of the cache."""
    user = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.environ.get(VARIABLE) or f"{user}/mancala_env").expanduser() / "tables"


def checked_setting(tables: object) -> str | int:
    """A player's setting: "none", "auto", a number of seeds, or a folder. ValueError if it is nothing of these."""
    if isinstance(tables, Path):
        tables = str(tables)
    number = isinstance(tables, int) and not isinstance(tables, bool) and tables >= 1
    if number or (isinstance(tables, str) and tables):
        return tables  # type: ignore[return-value]
    raise ValueError(f"tables must be {NONE}, {AUTO}, a number of seeds from 1, or a folder of tables, not {tables!r}")


def load_setting(tables: str | int, rules: Ruleset) -> Probe:
    """The tables that a player with this setting uses. DamagedTable; ValueError if those asked for are not there."""
    tables = settled(tables, rules)
    if tables == NONE:
        return NO_TABLE
    if not isinstance(tables, int):
        return _loaded(Path(tables), rules, None)
    files.check_rules(rules)
    folder = tables_folder()
    there = files.seeds_there(folder, rules)
    if there < tables:
        found = f"those for 0 to {there} seeds" if there >= 0 else "none"
        raise ValueError(
            f"tables={tables} asks for endgame tables of {rules.name} for 0 to {tables} seeds, and {folder} has "
            f"{found}: make them with mancala solve tables get {text_of(rules)} --seeds-on-board {tables}"
        )
    return _loaded(folder, rules, tables)


def settled(tables: str | int, rules: Ruleset) -> str | int:
    """The setting that means the same in this game whatever the cache will hold: a number, or "none", for "auto"."""
    if tables != AUTO:
        return tables
    there = files.seeds_there(tables_folder(), rules) if files.why_none(rules) is None else -1
    return NONE if there < 1 else there


@lru_cache(maxsize=8)
def _loaded(folder: Path, rules: Ruleset, seeds: int | None) -> Probe:
    return load(folder, rules, seeds)
