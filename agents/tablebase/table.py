"""Looking positions up in endgame tables, and those that a player is told to use: in a folder, or the user's cache."""

import os
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from agents.tablebase import files, kernel
from agents.tablebase.probe import NO_TABLE, Probe, load
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import text_of
from mancala_env.state import State

NONE, AUTO = "none", "auto"
VARIABLE = "MANCALA_ENV_CACHE"
_STILL_COUNTED = (None, "majority")  # endings after which the table goes on


class Tablebase:
    """Perfect play where few seeds are left, from files that ``agents.tablebase.build()`` wrote.

    All numbers are in seeds, for the mover, and about the seeds still on the board: stores do not matter.

    **Exact tables** (``exact``) hold the mover's margin under perfect play: of ``kalah`` and other rules by which no
    position comes back, and of ``awari`` and other rules by which a repetition splits the rest evenly, so that going
    round in circles is worth 0, as is the repetition that ends it. That ending there changes nothing where the history
    starts: who can force a margin of t > 0 has a move to a position that was settled earlier at a level of t or more
    (``kernel``), and so never comes back to a position; and who can keep the other from forcing t does so from the
    position alone, whether the game goes on, ends or repeats.

    **Bounds** (``oware`` among others). There a repetition gives each player the seeds in their row, so values depend
    on the moves before. The tables hold what the mover, and what the other player, can force if circles are worth
    nothing to them; by the same argument there is a plan for it that no repetition can prevent, and one that the other
    player cannot avoid gives no less than 0. With n seeds on the board the margin lies from ``2 * mover - n`` to ``n -
    2 * other``. Where a majority stops the game, seeds forced afterwards no longer count, but a player whose store and
    forced seeds add up to half of all seeds leaves the other no majority.

    Where positions can come back, both hold for positions whose history starts there, as after every capture and in the
    published databases, and plies are not counted (``files.FAR_LIMIT``). DamagedTable if a file is damaged; ValueError,
    which lists the tables in the folder, if there is none of these rules. Positions with at most ``seeds`` seeds on the
    board are covered; ``probe`` holds the entries, for searches."""

    def __init__(self, folder: Path | str, rules: Ruleset) -> None:
        self.folder, self.rules, self.probe = Path(folder), rules, load(folder, rules)
        self.exact, self.seeds = self.probe.exact, int(self.probe.most)

    def __contains__(self, state: State) -> bool:
        return self.probe.fits(state.rules) and sum(state.pits) <= self.seeds

    def layer(self, seeds: int) -> npt.NDArray[np.int8]:
        """int8[1 or 2, size], read-only: the margins of all positions with a number of seeds, or their bounds."""
        if not 0 <= seeds <= self.seeds:
            raise ValueError(f"there are tables of {self.rules.name} for 0 to {self.seeds} seeds, not {seeds}")
        first = files.first_number(self.rules.board.pits, seeds)
        return self.probe.values[first : first + files.layer_size(self.rules.board.pits, seeds)].T

    def bounds(self, state: State) -> tuple[float, float]:
        """The lowest and the highest possible margin of the mover, in seeds; equal in exact tables and finished games.
        ValueError if the position is not covered: too many seeds, or other rules.
        """
        self._require(state)
        if state.termination not in _STILL_COUNTED:
            assert state.scores is not None
            margin = _lead(state.scores, state.player) - _lead(state.stores, state.player)
            return margin, margin
        seeds = sum(state.pits)
        number = kernel.number_of(state.array, state.player, seeds, self.rules.encoded.axes)
        entry = self.probe.values[files.first_number(self.rules.board.pits, seeds) + number]
        return float(entry[0]), float(entry[-1])

    def value(self, state: State) -> float:
        """The mover's margin on the board under best play. ValueError if not covered, or the bounds leave it open."""
        low, high = self.bounds(state)
        if low != high:
            raise ValueError(
                f"under {self.rules.name} rules the margin may depend on what was played before: it lies from {low:g} "
                f"to {high:g} in {state}; ask bounds()"
            )
        return low

    def move_bounds(self, state: State) -> dict[int, tuple[float, float]]:
        """``bounds`` of every legal action for the mover: seeds it captures, and what follows from the new position.
        Only a repetition that the action itself completes counts as a repetition.
        """
        self._require(state)
        return {action: self._after(state, action) for action in state.legal_actions}

    def move_values(self, state: State) -> dict[int, float]:
        """``value`` of every legal action. ValueError if the bounds of one leave it open (``move_bounds``)."""
        values = {}
        for action, (low, high) in self.move_bounds(state).items():
            if low != high:
                raise ValueError(
                    f"the margin after action {action} lies from {low:g} to {high:g} in {state}; ask move_bounds()"
                )
            values[action] = low
        return values

    def _after(self, state: State, action: int) -> tuple[float, float]:
        child = state.play(action)
        won = _lead(child.stores, state.player) - _lead(state.stores, state.player)
        low, high = self.bounds(child)
        return (won + low, won + high) if child.player == state.player else (won - high, won - low)

    def _require(self, state: State) -> None:
        if not self.probe.fits(state.rules):
            raise ValueError(
                f"these are tables of {self.rules.name!r} ({files.mechanics(self.rules)}), not of the rules of {state}"
            )
        if (seeds := sum(state.pits)) > self.seeds:
            raise ValueError(f"{seeds} seeds are on the board, tables are for at most {self.seeds}: {state}")


def _lead(seeds: tuple[float, float], player: int) -> float:
    return float(seeds[player] - seeds[1 - player])


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
