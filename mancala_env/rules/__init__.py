"""What a game is: ``Ruleset``, and the parts it is made of."""

from mancala_env.rules.board import (
    Board,
    arcs,
    blocks_in_rows,
    crossed_rows,
    four_rows,
    halves,
    one_row,
    open_rows,
    piles,
    rows_and_houses,
    side_blocks,
    solo_row,
    three_rows_horn,
    three_rows_snake,
    two_rows,
)
from mancala_env.rules.choices import (
    Direction,
    Feeding,
    Goal,
    GrandSlam,
    Leave,
    Leftover,
    MarkedPits,
    Match,
    Sowing,
    Store,
    Stuck,
    Unfilled,
)
from mancala_env.rules.landing import Barred, Option, Passing, Skipping, When
from mancala_env.rules.ruleset import Ruleset

__all__ = [
    "Barred", "Board", "Direction", "Feeding", "Goal", "GrandSlam", "Leave", "Leftover", "MarkedPits", "Match",
    "Option", "Passing", "Ruleset", "Skipping", "Sowing", "Store", "Stuck", "Unfilled", "When", "arcs",
    "blocks_in_rows", "crossed_rows", "four_rows", "halves", "one_row", "open_rows", "piles", "rows_and_houses",
    "side_blocks", "solo_row", "three_rows_horn", "three_rows_snake", "two_rows",
]  # fmt: skip
