"""Recorded games of Lobudok, a kin of Ryakati whose end columns are out of play until nothing else can be played.

Seeds pass over the pits of the end columns, so the games are played on the six columns between them.
"""

from mancala_env import ruleset
from mancala_env.rules import four_rows
from tests.recorded_games.replay import Difference, Kind, Played, allows

PITS = (*range(1, 7), *range(14, 8, -1), *range(30, 24, -1), *range(17, 23))
ENDS = frozenset({0, 7, 8, 15, 16, 23, 24, 31})  # the sites of the end columns
SEEDS = 32  # of each player, those in the end columns included


@allows  # the laps are not foretold
def plays_an_end_column(difference: Difference) -> bool:
    """A player who can play nothing else plays a pit of the end columns, which brings its seeds into play."""
    choice = difference.choice
    return difference.kind is Kind.END and choice is not None and choice.kind == "lift" and choice.source in ENDS


RECORDED: dict[str, Played] = {
    "lobudok": Played(
        ruleset("ryakati").changes(
            name="lobudok",
            board=four_rows(6),
            setup=(SEEDS, *[0] * 11) * 2,
            goal="last_mover",
            stuck="end",
        ),
        begins="lift",  # from what is recorded
        pits=PITS,
        explained=(plays_an_end_column,),
    ),
}
