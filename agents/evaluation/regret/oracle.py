"""Oracles, which give exact values of moves: a search to the end of the game, or endgame tables."""

from pathlib import Path
from typing import Protocol, runtime_checkable

from agents.search.solve import NotSolved, Solver
from agents.tablebase import Tablebase
from mancala_env.games import ruleset as named
from mancala_env.kernels import layout
from mancala_env.rules import Match, Ruleset
from mancala_env.state import State


@runtime_checkable
class Oracle(Protocol):
    """Anything that gives exact values. One that also knows bounds has ``move_bounds``, which is called instead: the
    least and the greatest possible value of each action; None where it knows nothing.
    """

    def move_values(self, state: State) -> dict[int, float] | None:
        """The mover's final margin after each legal action, in seeds, with best play by both; None if unknown."""


def bounds_of(oracle: Oracle, state: State) -> dict[int, tuple[float, float]] | None:
    """The least and the greatest value of each legal action, as an oracle knows them; None if unknown."""
    ask = getattr(oracle, "move_bounds", None)
    if ask is not None:
        known: dict[int, tuple[float, float]] | None = ask(state)
        return known
    values = oracle.move_values(state)
    return None if values is None else {action: (value, value) for action, value in values.items()}


class SolverOracle:
    """Searches to the end of the game, where that takes few enough nodes (``agents.search.solve.Solver``).

    Answers are kept (about a kilobyte each), also that a position is too hard: a second query, for another agent say,
    gets the same answer. ``memory``: megabytes of the transposition table. ``nodes``: a position is too hard if it, or
    a successor, takes more. Raises ValueError for a game that is not about seeds, a match, or an impossible limit.
    """

    def __init__(self, rules: Ruleset | str, memory: int = 64, nodes: int = 1_000_000) -> None:
        self.rules = named(rules)
        check_rules(self.rules)
        self._solver = Solver(self.rules, memory, nodes)
        self._known: dict[bytes, dict[int, float] | None] = {}
        self.name = f"solver:nodes={nodes}"

    def move_values(self, state: State) -> dict[int, float] | None:
        """The mover's final margin after each legal action, in seeds; None if it takes too many nodes, or is over."""
        if state.is_over:
            return None
        key = board_key(state) + state.history.tobytes()
        if key not in self._known:
            try:
                values = self._solver.move_values(state)
                self._known[key] = {action: value + 0.0 for action, value in values.items()}  # no -0.0
            except NotSolved:
                self._known[key] = None
        known = self._known[key]
        return None if known is None else dict(known)


class TableOracle:
    """Looks values up in a folder of endgame tables (``agents.tablebase.Tablebase``); where positions can come back,
    those of positions whose history starts there. ``move_values`` are those that bounds settle. ValueError if there are
    no tables of these rules, they are damaged, or a majority ends the game.
    """

    def __init__(self, folder: Path | str, rules: Ruleset | str) -> None:
        self.rules = named(rules)
        if self.rules.majority_stop:
            raise ValueError(
                f"{self.rules.name} ends as soon as one player has the majority, and tables are for games played "
                f"to the end; set majority_stop=False (--rules {self.rules.name}:majority_stop=false)"
            )
        self.tables = Tablebase(folder, self.rules)
        self.name = f"tables:folder={folder},seeds={self.tables.seeds}"

    def move_values(self, state: State) -> dict[int, float] | None:
        """The mover's final margin after each legal action, in seeds; None if not covered, left open, or over."""
        bounds = self.move_bounds(state)
        if bounds is None or any(low != high for low, high in bounds.values()):
            return None
        return {action: low for action, (low, _) in bounds.items()}

    def move_bounds(self, state: State) -> dict[int, tuple[float, float]] | None:
        """The least and the greatest final margin of the mover after each legal action; None if not covered."""
        if state.is_over or state not in self.tables:
            return None
        lead = state.stores[state.player] - state.stores[1 - state.player]
        return {action: (lead + low, lead + high) for action, (low, high) in self.tables.move_bounds(state).items()}


def check_rules(rules: Ruleset) -> None:
    """Raise ValueError unless it is a single game about seeds: nothing else has a regret in seeds."""
    is_match = rules.match is not Match.NONE
    if is_match or not rules.counts_seeds:
        what = "a match" if is_match else "not about seeds"
        raise ValueError(f"regret is measured in seeds of one game; {rules.name} is {what}; try 'kalah' or 'awari'")


def board_key(state: State) -> bytes:
    """A key that differs for different positions with the same history; without the ply where no rule counts plies."""
    array, pits = state.array, state.rules.board.pits
    array[pits + layout.PLIES_SINCE_CAPTURE] = 0
    if not state.rules.max_plies and array[pits + layout.PLY] >= state.rules.encoded.axes[layout.BY_PLY]:
        array[pits + layout.PLY] = 0
    return array.tobytes()
