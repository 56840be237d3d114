"""Recorded games of the family ``chosen_directions``."""

from mancala_env import State
from tests.recorded_games.explained import ends_when_a_side_is_stuck
from tests.recorded_games.of_gaps import ends_within_a_turn
from tests.recorded_games.places import Places, pit_and_direction
from tests.recorded_games.records import Choice
from tests.recorded_games.replay import Difference, Kind, Played


def ends_a_move_later(difference: Difference) -> bool:
    """The program lets a player who cannot move pass, and ends the game when the other has moved once more."""
    state = difference.state
    return difference.kind is Kind.END and state.termination == state.rules.end_reason


def loses_for_want_of_a_pick(difference: Difference) -> bool:
    """In the program a player loses who has captured the opponent's last seeds, for there is nothing left to pick."""
    state = difference.state
    bare = not any(state.pits[pit] for pit in state.rules.board.homes[state.player])
    return difference.kind is Kind.RESULT and bare and difference.winner == state.player


def picked_into_the_hand(board: Places, state: State, choice: Choice) -> int:
    """The action for a choice; a pit is picked by moving its seeds into the hand."""
    if choice.kind == "place" and choice.source in board.pits:
        return state.rules.action(state.player, board.pits.index(choice.source))
    return pit_and_direction(board, state, choice)


RECORDED = {
    "bao_ki_arabu_zanzibar_1": Played("bao_ki_arabu_zanzibar_1"),
    "chisolo": Played("chisolo", begins="turns", action=picked_into_the_hand, explained=(loses_for_want_of_a_pick,)),
    "daramuti": Played("daramuti", rounds="first", explained=(ends_within_a_turn, ends_when_a_side_is_stuck)),
    "katra": Played("katra"),
    "katra_boaoaka": Played("katra_boaoaka", explained=(ends_a_move_later,)),
    "luuth": Played("luuth", begins="turns", result="none"),
    "namudilakunze": Played("namudilakunze", begins="turns", stores=False),
    "qelat_beni_amir_mensa": Played("qelat_beni_amir_mensa"),
}
