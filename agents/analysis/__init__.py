"""Games, positions and evaluations as data frames and pictures, for notebooks and scripts. Frames need pandas.

What was played: ``games_frame``, ``positions_frame``, ``opening_tree``. What positions are worth, and to whom:
``evaluations_frame``, ``compare``. What they look like: ``boards``, ``play_out``, ``Page``.
Only trained policies need torch.
"""

from agents.analysis.boards import Boards, Page, boards
from agents.analysis.comparison import Comparison, compare
from agents.analysis.frames import games_frame, positions_frame
from agents.analysis.play import play_out
from agents.analysis.tree import OpeningNode, opening_tree
from agents.analysis.values import MctsValues, NetworkValues, SearchValues, Valuer, evaluations_frame, make_valuer

__all__ = [
    "Boards",
    "Comparison",
    "MctsValues",
    "NetworkValues",
    "OpeningNode",
    "Page",
    "SearchValues",
    "Valuer",
    "boards",
    "compare",
    "evaluations_frame",
    "games_frame",
    "make_valuer",
    "opening_tree",
    "play_out",
    "positions_frame",
]
