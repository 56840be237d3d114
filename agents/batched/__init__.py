"""Agents that choose an action in many games in one call, and batches of games between them."""

from agents.batched.games import BatchedAgent, Played, batched_agent, games_at_once, play_batched
from agents.batched.players import LookaheadAgent, RandomAgent

__all__ = ["BatchedAgent", "LookaheadAgent", "Played", "RandomAgent", "batched_agent", "games_at_once", "play_batched"]
