"""Functions of one's own as agents."""

import importlib.util
import random
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from mancala_env.state import State


class FunctionAgent:
    """A function from a position to an action, as an agent.

    ``reset`` seeds the generators of ``random`` and NumPy, and calls ``reset(seed)`` of the function if it has one.

    Parameters
    ----------
    function : callable
        Given a ``State``, returns an action.
    name : str
    """

    def __init__(self, function: Callable[[State], int], name: str) -> None:
        self.name = name
        self._function = function

    def reset(self, seed: int) -> None:
        """Before each game."""
        random.seed(seed)
        np.random.seed(seed % (1 << 32))  # noqa: NPY002 (it is what such functions draw from)
        reset = getattr(self._function, "reset", None)
        if callable(reset):
            reset(seed)

    def act(self, state: State) -> int:
        """What the function returns, legal or not."""
        return self._function(state)


def load_function(text: str) -> FunctionAgent:
    """The agent for ``FILE.py:FUNCTION``. The file is run as an import runs it, its folder on the path.

    Raises
    ------
    ValueError
        If the text is not of this form, or the file defines no such function.
    FileNotFoundError
        If there is no such file.
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
    return FunctionAgent(function, f"{file.stem}.{name}")
