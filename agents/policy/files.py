"""Where the files of a policy are: the weights by the name of the policy, and from its card how it was made."""

import os
from pathlib import Path
from typing import Any

from agents import zoo
from agents.policy import card
from agents.policy.card import FILE_NAME


def policy_file(path: str | os.PathLike[str]) -> Path:
    """The file of a policy: a run folder, the file itself, or ``zoo:NAME``. FileNotFoundError if there is none, or only
    a learned evaluation of a search; ValueError if the zoo has no such agent.
    """
    given, in_zoo = str(path), str(path).startswith("zoo:")
    name = given.removeprefix("zoo:")
    path = zoo.FOLDER / name if in_zoo and name in zoo.evaluations() else zoo.find(name) if in_zoo else Path(path)
    if path.name == zoo.EVALUATION or ((path / zoo.EVALUATION).is_file() and not (path / FILE_NAME).is_file()):
        raise FileNotFoundError(
            f"{given} is no policy network but the learned evaluation of a search, which only a search uses: play with "
            f"it as minimax:time=0.1,evaluation={given}"
        )
    path = path / FILE_NAME if path.is_dir() else path
    if not path.is_file():
        raise FileNotFoundError(f"there is no policy file {path}; a policy is a run folder, or its {FILE_NAME}")
    return path


def made_by(path: str | os.PathLike[str]) -> dict[str, Any]:
    """How a policy was made: the ``sha256`` of its file, and the entries of its model card about its making."""
    file = policy_file(path)
    return {"sha256": card.digest(file), **(card.read(file) or {}).get("made", {})}
