"""A function of one's own as an agent."""

import importlib.util
import random
import sys
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np

from agents.agent import OwnPlayer
from mancala_env.state import State


class FunctionAgent(OwnPlayer):
    """A function from a ``State`` to an action as an agent, asked in games only; ``games`` are those it names. Before
    each game the generators of ``random`` and NumPy are seeded, and its ``reset`` is called if it has one."""

    def __init__(self, function: Callable[[State], int], name: str, games: tuple[str, ...] = ()) -> None:
        super().__init__(function)
        self.name, self.games = name, games

    def reset(self, seed: int) -> None:
        """Before each game."""
        random.seed(seed)
        np.random.seed(seed % (1 << 32))  # noqa: NPY002 (the one that is shared)
        super().reset(seed)


def load_function(text: str) -> FunctionAgent:
    """The agent for ``FILE.py:FUNCTION``, a file run as an import runs it; its ``GAMES``, one name or several, are
    those it plays. ValueError if the text, the function or ``GAMES`` is wrong; FileNotFoundError without a file."""
    path, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier():
        raise ValueError(f"cannot read {text!r}; write FILE.py:FUNCTION")
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {path!r}")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path!r} is no Python file: its name must end in .py")
    sys.path.insert(0, str(file.parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(file.stem, module)  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        functions = [key for key, each in vars(module).items() if callable(each) and not key.startswith("_")]
        raise ValueError(f"{path!r} defines no function {name!r}; it has {', '.join(functions) or 'none'}")
    games = getattr(module, "GAMES", ())
    games = (games,) if isinstance(games, str) else games
    if not isinstance(games, Collection) or not all(isinstance(game, str) for game in games):
        raise ValueError(f"GAMES is a sequence of names of games, not {games!r:.80}")
    return FunctionAgent(function, f"{file.stem}.{name}", tuple(games))
