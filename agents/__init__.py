"""Players (searches, tree searches, trained policies), and matches and tournaments between them. No torch needed."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.agent import AGENTS, Agent, RandomAgent, as_agent, make_agent, plays
    from agents.mcts import MctsAgent
    from agents.search import MinimaxAgent, move_values, perft

# Imported when first used: these import numba, and commands that need no player are quicker without it.
_LAZY = {
    "AGENTS": "agents.agent",
    "Agent": "agents.agent",
    "MctsAgent": "agents.mcts",
    "MinimaxAgent": "agents.search",
    "RandomAgent": "agents.agent",
    "as_agent": "agents.agent",
    "make_agent": "agents.agent",
    "move_values": "agents.search",
    "perft": "agents.search",
    "plays": "agents.agent",
}
__all__ = [
    "AGENTS",
    "Agent",
    "MctsAgent",
    "MinimaxAgent",
    "RandomAgent",
    "as_agent",
    "make_agent",
    "move_values",
    "perft",
    "plays",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'agents' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_LAZY[name]), name)
    return value
