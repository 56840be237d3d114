"""Trained agents that ship with the repository: ``make_agent("zoo:oware")``.

Each is a folder in here, with a policy file and its sidecar; ``python -m training.zoo`` adds and lists them.
"""

import difflib
from pathlib import Path

from agents.sidecar import FILE_NAME

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """The agents there are, in alphabetical order."""
    return sorted(path.parent.name for path in FOLDER.glob(f"*/{FILE_NAME}"))


def find(name: str) -> Path:
    """The policy file of the agent ``name``.

    Raises
    ------
    ValueError
        If there is no such agent.
    """
    there = names()
    if name in there:
        return FOLDER / name / FILE_NAME
    if not there:
        raise ValueError(
            f"there is no agent {name!r} in the zoo: {FOLDER} holds none. Trained agents ship with the repository, in "
            "agents/zoo, not with the package mancala-env; take them from there, or train one with python -m "
            "training.ppo and name it as ppo:runs/oware"
        )
    near = difflib.get_close_matches(name, there, n=3)
    hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
    raise ValueError(f"there is no agent {name!r} in the zoo; {hint}it holds {', '.join(there)}")
