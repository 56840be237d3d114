"""Recorded games of the family ``omweso``.

The recorded programs lay what is captured in the pit where the lap began, which is a ply of its own, and sow all that
lies there; and they let a lap be reversed also if it ends in an empty pit, and would capture if that held seeds.
"""

from mancala_env.trace import EventKind
from tests.recorded_games.replay import Difference, Kind, Played, allows


def opens_forward(difference: Difference) -> bool:
    """In the program nobody reverses in their first turn."""
    state, legal = difference.state, difference.legal
    if difference.kind is not Kind.LEGAL or legal is None or state.ply >= len(state.rules.opening):
        return False
    return legal == {action for action in state.legal_actions if not state.direction(action)}


def reverses_into_empty_pits(difference: Difference) -> bool:
    """The program reverses first laps also if they end in an empty inner pit of a column in which the opponent's pits
    hold seeds."""
    state, board = difference.state, difference.state.rules.board
    if difference.kind is not Kind.LEGAL or state.pending is not None:
        return False
    home, loop = board.homes[state.player], board.loops[state.player]
    also = set()
    for pit in state.rules.reversible[state.player]:
        end = loop[(loop.index(pit) - state.pits[pit]) % len(loop)]
        across = board.facing[end], board.outer[end]
        is_empty = end not in across and not state.pits[end] and all(state.pits[each] for each in across)
        if is_empty and state.rules.min_start <= state.pits[pit] < len(loop):
            also.add(home.index(pit) + len(home))
    return difference.legal == {*state.legal_actions} | also


@allows
def goes_on_with_what_lies_there(difference: Difference) -> bool:
    """The program sows on what lay in the pit where the lap began, too, in a turn of ours that captures."""
    state, action = difference.state, difference.action
    if difference.kind is not Kind.BOARD or action is None:
        return False
    return any(event.kind is EventKind.TAKE for event in state.trace(action).events)


@allows
def asks_otherwise_in_a_turn(difference: Difference) -> bool:
    """The program asks in mid-turn for the direction of a lap that ours does not ask for, or the other way round."""
    legal, state = difference.legal, difference.state
    if difference.kind is Kind.BOARD and difference.action is not None:
        lifted = [event.source for event in state.trace(difference.action).events if event.kind is EventKind.LIFT]
        return not state.rules.reversible[state.player].isdisjoint(lifted[1:])
    if difference.kind is not Kind.LEGAL or legal is None:
        return False
    return state.pending is not None or len({action % len(state.rules.board.homes[0]) for action in legal}) == 1


OTHERWISE = (reverses_into_empty_pits, goes_on_with_what_lies_there, asks_otherwise_in_a_turn)
RECORDED = {
    "choro_acholi": Played("choro_acholi", begins="turns", laps=False, explained=OTHERWISE),
    "ikibuguzo_opening_1": Played("ikibuguzo_opening_1", begins=6, laps=False, explained=OTHERWISE),
    "ikibuguzo_opening_2": Played("ikibuguzo_opening_2", begins=16, laps=False, explained=OTHERWISE),
    "kubuguza": Played("kubuguza", laps=False, explained=OTHERWISE),
    "mweiso": Played("mweiso", laps=False, explained=(opens_forward, *OTHERWISE)),
}
