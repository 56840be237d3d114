"""Players that answer for many games at once, and whole games between them in a few calls."""

from agents.batched.games import Played, RowsAgent, games_together, play_together, rows_agent
from agents.batched.players import RandomAgent

__all__ = ["Played", "RandomAgent", "RowsAgent", "games_together", "play_together", "rows_agent"]
