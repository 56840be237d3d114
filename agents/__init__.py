"""Players (searches, tree searches, trained policies), and matches and tournaments between them. No torch needed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.agent import AGENTS, Agent, RandomAgent, as_agent, make_agent, plays
    from agents.mcts import MctsAgent
    from agents.search import MinimaxAgent, move_values, perft

__all__ = [
    "AGENTS", "Agent", "MctsAgent", "MinimaxAgent", "RandomAgent", "as_agent", "make_agent", "move_values", "perft",
    "plays",
]  # fmt: skip
_ELSEWHERE = {"MctsAgent": "mcts", "MinimaxAgent": "search", "move_values": "search", "perft": "search"}


def __getattr__(name: str) -> Any:
    """Names are imported when first used: they import numba, and commands that need no player are quicker without."""
    if name not in __all__:
        raise AttributeError(f"module 'agents' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"agents.{_ELSEWHERE.get(name, 'agent')}"), name)
    return value
