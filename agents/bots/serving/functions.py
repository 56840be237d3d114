"""A function of one's own as an agent."""

import importlib.util
import random
import sys
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np

from mancala_env.state import State


class FunctionAgent:
    """A function from a ``State`` to an action, as an agent, which is asked in games only; ``games`` are those it
    names.
    """

    def __init__(self, function: Callable[[State], int], name: str) -> None:
        self.name = name
        self.games: tuple[str, ...] = ()
        self._function = function

    def reset(self, seed: int) -> None:
        """Seed the generators of ``random`` and NumPy, and call ``reset(seed)`` of the function if it has one."""
        random.seed(seed)
        np.random.seed(seed % (1 << 32))  # noqa: NPY002 (the one that is shared)
        if callable(reset := getattr(self._function, "reset", None)):
            reset(seed)

    def act(self, state: State) -> int:
        """What the function returns, legal or not."""
        return self._function(state)


def is_among(chosen: object, actions: Collection[int]) -> bool:
    """Is what somebody's code has chosen a whole number, Python's or NumPy's, and one of these?"""
    return isinstance(chosen, int | np.integer) and not isinstance(chosen, bool) and chosen in actions


def load_function(text: str) -> FunctionAgent:
    """The agent for ``FILE.py:FUNCTION``. The file is run as an import runs it, its folder on the path.

    ``GAMES`` of the file, one name or a sequence of names, says which games it plays. Raises ValueError if the text is
    not of this form, or the file defines no such function, or no names in ``GAMES``; FileNotFoundError if there is
    none.
    """
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
    agent = FunctionAgent(function, f"{file.stem}.{name}")
    agent.games = _games(module)
    return agent


def _games(module: object) -> tuple[str, ...]:
    """The names in ``GAMES``, or the one name. Raises ValueError if it is anything else."""
    games = getattr(module, "GAMES", ())
    if isinstance(games, str):
        return (games,)
    if not isinstance(games, Collection) or not all(isinstance(game, str) for game in games):
        raise ValueError(f"GAMES is a sequence of names of games, not {games!r:.80}")
    return tuple(games)
