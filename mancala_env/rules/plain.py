"""A whole ruleset as plain data, of which JSON and YAML can be made: fields at their defaults are left out, a board is
its kind and its columns, a clause of the landing table a mapping, and ``options`` stand in the table or the board."""

import json
from collections.abc import Mapping
from enum import Enum
from functools import cache, lru_cache
from typing import Any

from mancala_env.rules.board import Board
from mancala_env.rules.declared import Declared, flat
from mancala_env.rules.fields import DECLARED, FIELDS, NOT_RULES
from mancala_env.rules.landing import Part, When
from mancala_env.rules.ruleset import Ruleset


def as_plain(rules: Ruleset, whole: bool = False) -> dict[str, Any]:
    """A ruleset as text, numbers, lists and mappings; ``from_plain`` makes an equal one of them.

    ``whole``: every field that says how the game is played, and none that only tells of it, such as its source.
    """
    if whole:
        return {name: _plain(getattr(rules, name)) for name in DECLARED if name not in NOT_RULES}
    return {"name": rules.name, **_said(rules, FIELDS, "options")}


def from_plain(plain: Mapping[str, Any]) -> Ruleset:
    """The ruleset that ``as_plain`` wrote; raises ValueError for other data, or a ruleset that contradicts itself."""
    if not isinstance(plain, Mapping):
        raise ValueError(f"a ruleset as data is a mapping of its fields, not {type(plain).__name__}")
    if unknown := [name for name in plain if name not in DECLARED or name == "options"]:
        raise ValueError(f"a ruleset has no field {str(unknown[0])[:80]!r}")
    if "name" not in plain:
        raise ValueError("these are no data of a ruleset: it has no name")
    try:
        return Ruleset(**plain)
    except (TypeError, AttributeError, KeyError, OverflowError) as error:
        raise ValueError(f"these are no data of a ruleset: {' '.join(str(error).split())[:200]}") from None


def text_of(rules: Ruleset) -> str:
    """One line of text that ``mancala_env.ruleset`` reads as this ruleset: ``Ruleset.spec``, or the whole as JSON."""
    try:
        return rules.spec()
    except ValueError:
        return json.dumps(as_plain(rules), separators=(",", ":"))


def from_json(text: str) -> Ruleset:
    """The ruleset that ``text_of`` wrote as JSON. Raises ValueError if it is something else."""
    try:
        return from_plain(json.loads(text))
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"this is no ruleset as JSON: {str(error)[:200]}") from None


@cache
def label(text: str) -> str:
    """What a ruleset given as text is called in tables and titles: the text, or, of one as JSON, its name."""
    return from_json(text).name if text.startswith("{") else text


@lru_cache(maxsize=1024)  # it makes the ruleset anew to see whether its text is right, and pages ask for hundreds
def called(rules: Ruleset) -> str:
    """What a ruleset is called in sentences: ``Ruleset.spec``, or, where there is none, its name."""
    return label(text_of(rules))


def _said(what: Any, fields: Mapping[str, tuple[Declared, Any]], *but: str) -> dict[str, Any]:
    values = {name: getattr(what, name) for name in fields if name not in but}
    return {name: _plain(value) for name, value in values.items() if value != fields[name][1]}


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Board):
        return {"kind": value.kind, "columns": value.columns}
    if isinstance(value, When | Part):
        return _said(value, flat(type(value)))
    if isinstance(value, frozenset | set | range):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value
