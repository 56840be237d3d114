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
    Difference,
    Direction,
    EndCheck,
    EndWhen,
    Feeding,
    FirstLap,
    FirstMover,
    Goal,
    GrandSlam,
    Leave,
    Leftover,
    MarkedPits,
    Match,
    Remainder,
    Remember,
    RepetitionLeftover,
    Singles,
    SlamScope,
    Sowing,
    Store,
    Stuck,
    Surplus,
    Unfilled,
)
from mancala_env.rules.landing import Barred, Passing, Skipping, When
from mancala_env.rules.options import Option
from mancala_env.rules.ruleset import Ruleset

__all__ = [
    "Barred", "Board", "Difference", "Direction", "EndCheck", "EndWhen", "Feeding", "FirstLap", "FirstMover",
    "Goal", "GrandSlam", "Leave", "Leftover", "MarkedPits", "Match", "Option", "Passing",
    "Remainder", "Remember", "RepetitionLeftover", "Ruleset", "Singles", "Skipping", "SlamScope", "Sowing", "Store",
    "Stuck", "Surplus", "Unfilled", "When", "arcs", "blocks_in_rows", "crossed_rows", "four_rows", "halves",
    "one_row", "open_rows", "piles", "rows_and_houses", "side_blocks", "solo_row", "three_rows_horn",
    "three_rows_snake", "two_rows",
]  # fmt: skip
