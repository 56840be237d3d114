"""Recorded games of the family ``chosen_directions``."""

from tests.recorded_games.explained import ends_when_a_side_is_stuck
from tests.recorded_games.replay import Difference, Kind, Played


def ends_a_move_later(difference: Difference) -> bool:
    """The program lets a player who cannot move pass, and ends the game when the other has moved once more."""
    state = difference.state
    return difference.kind is Kind.END and state.termination == state.rules.end_reason


RECORDED = {
    "bao_ki_arabu_zanzibar_1": Played("bao_ki_arabu_zanzibar_1"),
    "daramuti": Played("daramuti", rounds="first", explained=(ends_when_a_side_is_stuck,)),
    "katra": Played("katra"),
    "katra_boaoaka": Played("katra_boaoaka", explained=(ends_a_move_later,)),
    "namudilakunze": Played("namudilakunze", begins="turns", stores=False),
    "qelat_beni_amir_mensa": Played("qelat_beni_amir_mensa"),
}
