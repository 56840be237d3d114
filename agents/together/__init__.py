"""Players that answer for many games at once, and whole games between them in a few calls."""

from agents.together.games import Played, RowsAgent, games_together, play_together, rows_agent
from agents.together.players import GreedyAgent, RandomAgent

__all__ = ["GreedyAgent", "Played", "RandomAgent", "RowsAgent", "games_together", "play_together", "rows_agent"]
