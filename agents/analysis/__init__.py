"""Games, positions and evaluations as data frames and pictures, for notebooks and scripts. Frames need pandas.

What was played: ``games_frame``, ``positions_frame``, ``opening_tree``. What positions are worth, and to whom:
``evaluations_frame``, ``compare``. What they look like: ``boards``, ``play_out``, ``Page``.
Only trained policies need torch.
"""

from agents.analysis.boards import Boards, Page, boards, play_out
from agents.analysis.frames import OpeningNode, games_frame, opening_tree, positions_frame
from agents.analysis.values import Comparison, NetworkValues, Valuer, compare, evaluations_frame, make_valuer

__all__ = [
    "Boards",
    "Comparison",
    "NetworkValues",
    "OpeningNode",
    "Page",
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
