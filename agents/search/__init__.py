"""Compiled alpha-beta search over the rules engine: the agents, exact solving, and perft."""

from agents.search.fixed_depth import Found
from agents.search.minimax import EVALUATIONS, MinimaxAgent, move_values, perft
from agents.search.searcher import Searcher

__all__ = ["EVALUATIONS", "Found", "MinimaxAgent", "Searcher", "move_values", "perft"]
