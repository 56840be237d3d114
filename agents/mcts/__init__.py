"""Monte Carlo tree search over the rules engine: by random rollouts, or led by a policy and a value."""

from agents.mcts.mcts import Evaluate, MctsAgent, Search

__all__ = ["Evaluate", "MctsAgent", "Search"]
