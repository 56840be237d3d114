"""Search over the rules engine: compiled, on an explicit stack, without allocation."""

from agents.search.minimax import MinimaxAgent, move_values, perft

__all__ = ["MinimaxAgent", "move_values", "perft"]
