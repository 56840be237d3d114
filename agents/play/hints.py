"""Hints for a player: the value of each move by an agent or a plain search, and the line it expects."""

from dataclasses import dataclass

from agents.search import MinimaxAgent
from agents.search import minimax as units
from agents.search_info import names_of
from mancala_env.state import State

HINT_NODES, HINT_DEPTH = 400_000, 16  # a second or so; the same on every machine
SURE = 1000  # in games that count no seeds, values from here on are sure wins (``agents.search.move_values``)
SEEDS, POINTS, RESULT = "seed", "point", "result"


@dataclass(frozen=True)
class Hint:
    """An evaluation of a position, for its mover."""

    by: str  # the evaluator, such as "search, 9 plies"
    unit: str  # ``seed`` of margin; ``point``, where seeds are not what counts; ``result``, from -1 to 1
    values: dict[int, float]  # of the evaluated actions
    best: int  # the action to play
    line: tuple[int, ...] = ()  # what both play from here on, as far as it is known

    def worth(self, action: int) -> str:
        """The value of an action in words; "" if it has none."""
        value = self.values.get(action)
        return "" if value is None else worth(value, self.unit)

    def told(self, state: State) -> str:
        """The best action's worth, the line after it as names of moves from ``state``, and the evaluator."""
        names = names_of(state, self.line)
        line = f"; then {' '.join(names[1:])}" if len(names) > 1 else ""
        return f"{self.worth(self.best)}{line} ({self.by})"


def worth(value: float, unit: str) -> str:
    """A value in words: "+3 seeds", "a sure win"."""
    if unit == RESULT:
        return f"{value:+.2f} of a win"
    if abs(value) >= SURE:
        return "a sure win" if value > 0 else "a sure loss"
    return f"{round(value, 1):+g} {unit}{'' if abs(value) == 1 else 's'}"


def hint_for(state: State, agent: MinimaxAgent | None = None, nodes: int | None = None) -> Hint:
    """An agent's evaluation of the moves of a position, its opening book included; for None that of a search, which
    makes at most ``nodes`` positions. ValueError if the game is over."""
    if state.is_over:
        raise ValueError(f"there is no move to think about: the game is over in {state}")
    agent = agent or MinimaxAgent(HINT_DEPTH, nodes=min(nodes or HINT_NODES, HINT_NODES))
    values, found = agent.evaluate_moves(state)
    unit = {units.SEEDS: SEEDS, units.RESULT: RESULT}.get(agent.unit_in(state.rules), POINTS)
    if found is None:
        return Hint("opening book", unit, values, max(values, key=lambda action: values[action]))
    plies = f"{found.depth} pl{'y' if found.depth == 1 else 'ies'}"
    by = "search to the end" if found.exact else f"search, {plies}"
    return Hint(by, unit, values, found.actions[0], found.line)
