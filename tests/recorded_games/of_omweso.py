"""Recorded games of the family ``omweso``.

The recorded programs lay what is captured in the pit where the lap began, which is a ply of its own, and sow all that
lies there; and they let a lap be reversed also if it ends in an empty pit.
"""

from dataclasses import replace

from mancala_env import Ruleset, ruleset
from tests.recorded_games.replay import Difference, Kind, Played


def opens_forward(difference: Difference) -> bool:
    """In the program nobody reverses in their first turn."""
    state, legal = difference.state, difference.legal
    if difference.kind is not Kind.LEGAL or legal is None or state.ply >= len(state.rules.opening):
        return False
    return legal == {action for action in state.legal_actions if not state.direction(action)}


def as_the_programs(name: str) -> Ruleset:
    """The game, with captured seeds laid in the pit where the lap began, and all that lies there sown; laps are
    reversed also into empty pits."""
    rules = ruleset(name)
    landing = tuple(replace(each, joins=each.then == "sow_on") for each in rules.landing)
    return rules.changes(landing=landing, reverse_to_empty=True)


RECORDED = {
    "choro_acholi": Played(as_the_programs("choro_acholi"), begins="turns", laps=False),
    "ikibuguzo_opening_1": Played(as_the_programs("ikibuguzo_opening_1"), begins=6, laps=False),
    "ikibuguzo_opening_2": Played(as_the_programs("ikibuguzo_opening_2"), begins=16, laps=False),
    "kubuguza": Played(as_the_programs("kubuguza"), laps=False),
    "mweiso": Played(as_the_programs("mweiso"), laps=False, explained=(opens_forward,)),
}
