"""The games of the benchmark, in parts: ``load("easy")``. Nothing is decided here: ``agents.family.make`` did."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from agents.provenance import rules_digest
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset

FILE = Path(__file__).with_name("splits.json")
SIZES = {"easy": 10, "medium": 50, "full": None}  # the most games in each part
PARTS = ("train", "known", "unseen", "generated_train", "generated_test")
TESTS = ("known", "unseen", "generated_test")


@dataclass(frozen=True)
class Split:
    """Games to learn from, and games that nothing may be learnt from: no game of theirs is near one of the others."""

    train: tuple[Ruleset, ...]  # games of the table
    known: tuple[Ruleset, ...]  # other games of the table, all of whose mechanisms occur in those to learn from
    unseen: tuple[Ruleset, ...]  # those with a mechanism that does not
    generated_train: tuple[Ruleset, ...]  # games drawn at random
    generated_test: tuple[Ruleset, ...]


def load(size: str) -> Split:
    """The games of the benchmark of a size, ``easy``, ``medium`` or ``full``. Raises ValueError for another one, and if
    the rules of a game are no longer those that the benchmark was made with.

    >>> load("easy").train[0].name
    'adidada'
    """
    if size not in SIZES:
        raise ValueError(f"there is no split {size!r}; there are {', '.join(SIZES)}")
    parts: dict[str, list[str]] = content()["splits"][size]
    return Split(**{part: tuple(map(game, names)) for part, names in parts.items()})


@cache
def content() -> dict[str, Any]:
    """All that the file of the benchmark says."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


@cache
def game(name: str) -> Ruleset:
    """A game of the benchmark. Raises ValueError if its rules have changed."""
    entry = content()["games"][name]
    rules = ruleset(entry["rules"])
    if rules_digest(rules) != entry["digest"]:
        raise ValueError(f"{name} is not the game that it was: make {FILE.name} anew with mancala family splits")
    return rules
