"""Monte Carlo tree search over the rules engine: with random rollouts, or guided by a policy and a value."""

from agents.mcts.mcts import Evaluate, MctsAgent, Search

__all__ = ["Evaluate", "MctsAgent", "Search"]
