"""Functions of one's own, and what others write for other frameworks, as agents."""

import importlib.util
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from agents.bots.serving.foreign import ForeignAgent, reset_if_it_can
from agents.bots.serving.kaggle import KaggleAgent
from agents.bots.serving.pettingzoo import MaskedAgent
from mancala_env.state import State


class FunctionAgent(ForeignAgent):
    """A function from a position to an action, as an agent.

    ``reset`` seeds the generators of ``random`` and NumPy, and calls ``reset(seed)`` of the function if it has one.

    Parameters
    ----------
    function : callable
        Given a ``State``, returns an action.
    name : str
    """

    def __init__(self, function: Callable[[State], int], name: str) -> None:
        super().__init__(name)
        self._function = function

    def reset(self, seed: int) -> None:
        """Before each game."""
        super().reset(seed)
        reset_if_it_can(self._function, seed)

    def act(self, state: State) -> int:
        """What the function returns, legal or not."""
        return self._function(state)


class Foreign(NamedTuple):
    """A way in which Python files of others play.

    Attributes
    ----------
    agent : callable
        Makes an agent of what the file defines, and a name.
    names : tuple of str
        What the file may call it, where it is not named.
    """

    agent: Callable[[Any, str], Any]
    names: tuple[str, ...]


STYLES = {
    "function": Foreign(FunctionAgent, ()),
    "kaggle": Foreign(KaggleAgent, ("agent", "my_agent", "act")),
    "pettingzoo": Foreign(MaskedAgent, ("act", "agent", "policy")),
}


def load_function(text: str, style: str = "function") -> Any:
    """The agent for ``FILE.py:NAME``. The file is run as an import runs it, its folder on the path.

    ``style`` is one of ``STYLES``; but for a function of a ``State`` the name may be left out where it is usual.
    ``GAMES`` of the file, one name or a sequence of names, says which games it plays.

    Raises
    ------
    ValueError
        If the text is not of this form, or the file defines no such function, or no names in ``GAMES``.
    FileNotFoundError
        If there is no such file.
    """
    way = STYLES[style]
    path, colon, name = text.rpartition(":")
    if way.names and (not colon or not name.isidentifier()):
        path, name = text, ""
    elif not colon or not name.isidentifier():
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
    made = _member(module, (name,) if name else way.names)
    if not callable(made):
        functions = [key for key, each in vars(module).items() if callable(each) and not key.startswith("_")]
        wanted = repr(name) if name else f"of the name {' or '.join(way.names)} (or write FILE.py:NAME)"
        raise ValueError(f"{path!r} defines no function {wanted}; it has {', '.join(functions) or 'none'}")
    agent = way.agent(made, f"{file.stem}.{name}" if name else file.stem)
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


def _member(module: object, names: Sequence[str]) -> Any:
    """The first of these that a module defines; None if there is none."""
    return next((getattr(module, name) for name in names if hasattr(module, name)), None)
