"""What a game is: ``Ruleset``, and the parts it is made of."""

from mancala_env.rules.board import Board, arcs, blocks_in_rows, four_rows, halves, one_row, two_rows
from mancala_env.rules.choices import (
    Difference,
    Direction,
    EndCheck,
    Feeding,
    FirstMover,
    Goal,
    GrandSlam,
    Leave,
    Leftover,
    LoneSeed,
    Match,
    Remainder,
    RepetitionLeftover,
    Singles,
    SlamScope,
    Sowing,
    Store,
    Stuck,
)
from mancala_env.rules.landing import Passing, When
from mancala_env.rules.options import Option
from mancala_env.rules.ruleset import Ruleset

__all__ = [
    "Board",
    "Difference",
    "Direction",
    "EndCheck",
    "Feeding",
    "FirstMover",
    "Goal",
    "GrandSlam",
    "Leave",
    "Leftover",
    "LoneSeed",
    "Match",
    "Option",
    "Passing",
    "Remainder",
    "RepetitionLeftover",
    "Ruleset",
    "Singles",
    "SlamScope",
    "Sowing",
    "Store",
    "Stuck",
    "When",
    "arcs",
    "blocks_in_rows",
    "four_rows",
    "halves",
    "one_row",
    "two_rows",
]
