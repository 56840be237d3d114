"""Recorded games of Quela, a kin of Tsoro that begins with small pits."""

from mancala_env import State, ruleset
from tests.recorded_games.replay import Difference, Kind, Played

SMALL = 2  # the most seeds of a pit that is played before a player has lost
LOSS = 2  # so many seeds


def begins_with_small_pits(difference: Difference) -> bool:
    """In the program a player plays pits of one and two seeds until two seeds are lost, and then once a largest one."""
    state, legal = difference.state, difference.legal
    has_lost = state.stores[1 - state.player] >= LOSS
    if difference.kind in (Kind.PASS, Kind.END):
        return not has_lost and not _small(state)
    return difference.kind is Kind.LEGAL and legal == (_largest(state) if has_lost else _small(state))


def _small(state: State) -> set[int]:
    return {action for action in state.legal_actions if state.pits[state.pit(action) or 0] <= SMALL}


def _largest(state: State) -> set[int]:
    held = {action: state.pits[state.pit(action) or 0] for action in state.legal_actions}
    return {action for action, seeds in held.items() if seeds == max(held.values())}


RECORDED: dict[str, Played] = {
    "quela": Played(
        ruleset("nchuwa").changes(name="quela", setup=(2,) * 24), begins="lift", explained=(begins_with_small_pits,)
    ),
}
