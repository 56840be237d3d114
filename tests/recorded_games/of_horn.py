"""Recorded games of ``halusa``, ``gabata_adegrat`` and ``mangala_suez``."""

from dataclasses import replace

from mancala_env import ruleset
from mancala_env.games.relays_across import MANGALA_SUEZ, RELAY
from tests.recorded_games.of_two_rows import ends_between_laps
from tests.recorded_games.replay import Difference, Kind, Played, allows


@allows
def empties_pits_at_will(difference: Difference) -> bool:
    """The players choose which three pits are empty at the start, two of one row and one of the other."""
    pits = difference.state.pits
    half = len(pits) // 2
    empty = sorted(row.count(0) for row in (pits[:half], pits[half:]))
    return difference.kind is Kind.START and empty == [1, 2] and {*pits} == {0, 8}


RECORDED: dict[str, Played] = {
    "gabata_adegrat": Played("gabata_adegrat", rounds="first", explained=(ends_between_laps,)),
    # in the program each player keeps the rest of the own row
    "halusa": Played("halusa:leftover=owner"),
    # in the program nobody captures in the first three turns
    "mangala_suez": Played(
        ruleset("mangala_suez", landing=(RELAY, replace(MANGALA_SUEZ.landing[1], from_ply=3))),
        begins=3,
        explained=(empties_pits_at_will,),
    ),
}
