"""Compiled alpha-beta search over the rules engine: the agents, exact solving, and perft."""

from agents.search.counting import perft
from agents.search.minimax import MinimaxAgent, move_values
from agents.search.searcher import Found, Searcher

__all__ = ["Found", "MinimaxAgent", "Searcher", "move_values", "perft"]
