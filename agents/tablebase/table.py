"""Looking positions up in endgame tables."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from agents.tablebase import files, kernel
from agents.tablebase.probe import load
from mancala_env.rules import Ruleset
from mancala_env.state import State

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
