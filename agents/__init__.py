"""Players (searches, tree searches, trained policies), and matches and tournaments between them. No torch needed."""

from agents.agent import AGENTS, Agent, RandomAgent, make_agent, plays
from agents.mcts import MctsAgent
from agents.moved import MOVED
from agents.search import MinimaxAgent, move_values, perft
from mancala_env import moved

moved.install(MOVED)

__all__ = ["AGENTS", "Agent", "MctsAgent", "MinimaxAgent", "RandomAgent", "make_agent", "move_values", "perft", "plays"]
