"""Trained agents that ship with the repository: ``make_agent("zoo:oware")``.

Each is a folder in here, with a model card and a policy file, or the learned evaluation of a search
(``zoo:oware-search``); ``mancala train zoo`` adds and lists them.
"""

import json
from functools import cache
from pathlib import Path

from mancala_env.games import ruleset
from mancala_env.rules import Ruleset
from mancala_env.words import near_names

FOLDER = Path(__file__).parent
FILE_NAME = "policy.safetensors"
EVALUATION = "search.safetensors"  # of an agent that searches
SEARCH = "-search"  # the end of the names of such agents
FAMILY = "family"  # the folder of one network for all games (``agents.policy.family``)


def beside(weights: Path) -> Path:
    """The path of the model card of a policy file: ``policy.json`` in the folder of ``policy.safetensors``."""
    return weights.with_suffix(".json")


def names() -> list[str]:
    """The names of all agents of the zoo, in alphabetical order."""
    return sorted(path.parent.name for path in FOLDER.glob(f"*/{FILE_NAME}"))


def find(name: str) -> Path:
    """The policy file of the agent ``name``. Raises ValueError if there is no such agent."""
    if name in names():
        return FOLDER / name / FILE_NAME
    there = sorted({*names(), *evaluations()})
    if name in (*there, FAMILY):
        raise ValueError(f"zoo:{name} has no policy of one game: it searches by an evaluation, or plays all games")
    raise _unknown("agent", name, [*there, FAMILY])


def _unknown(kind: str, name: str, there: list[str]) -> ValueError:
    games = [each.removesuffix(SEARCH) for each in there]
    near = near_names(name, there, most=3) or [near + SEARCH for near in near_names(name, games, most=3)]
    hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
    return ValueError(f"there is no {kind} {name!r} in the zoo; {hint}`mancala train zoo list` lists what it holds")


def evaluations() -> list[str]:
    """The names of all agents of the zoo that search with a learned evaluation, in alphabetical order."""
    return sorted(path.parent.name for path in FOLDER.glob(f"*/{EVALUATION}"))


def searches(name: str) -> bool:
    """Is this the name of an agent of the zoo that searches? As ``name in evaluations()``, but no folder is listed."""
    return name == Path(name).name and (FOLDER / name / EVALUATION).is_file()


def find_evaluation(name: str) -> Path:
    """The file of a learned evaluation, by the name of its agent or its game. Raises ValueError if there is none."""
    there = evaluations()
    for known in (name, name + SEARCH):
        if known in there:
            return FOLDER / known / EVALUATION
    raise _unknown("evaluation", name, there)


@cache
def rules_of(name: str) -> Ruleset:
    """The game that an agent plays, by its model card; needs no torch. ValueError without a card of this version."""
    said = beside(FOLDER / name / EVALUATION if name in evaluations() else find(name))
    try:
        made_for = json.loads(said.read_text(encoding="utf-8"))["rules"]
        rules = ruleset(made_for["id"].removeprefix("mancala/").rpartition("-v")[0], **made_for["changes"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{said} does not say what game {name!r} plays: {error}") from None
    if rules.id != made_for["id"]:
        raise ValueError(f"zoo:{name} was made for {made_for['id']}, and this is {rules.id}: train it anew")
    return rules
