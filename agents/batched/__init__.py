"""Players that answer for many games at once, and whole games between them in a few calls."""

from agents.batched.games import BatchedAgent, Played, batched_agent, games_at_once, play_batched
from agents.batched.players import RandomAgent

__all__ = ["BatchedAgent", "Played", "RandomAgent", "batched_agent", "games_at_once", "play_batched"]
