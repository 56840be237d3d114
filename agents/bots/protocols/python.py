"""Python files written for other frameworks: a runner of this package loads one in a process of its own.

The file is never loaded by the host. With the runner the host speaks its own protocol; ``agents.bots.serving`` has what
the file is given, and how its answers are read.
"""

from dataclasses import dataclass
from typing import ClassVar

from agents.bots.protocols.mancala import Mancala


@dataclass
class Kaggle(Mancala):
    """``agent(observation, configuration)``, as in Kaggle's simulations."""

    name: ClassVar[str] = "kaggle"
    style: ClassVar[str] = "kaggle"


@dataclass
class PettingZoo(Mancala):
    """``act(observation, action_mask)``, as agents for PettingZoo are often written."""

    name: ClassVar[str] = "pettingzoo"
    style: ClassVar[str] = "pettingzoo"
