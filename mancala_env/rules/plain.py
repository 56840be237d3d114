"""A ruleset as text and data. As a line, which ``mancala_env.ruleset`` reads and ``Ruleset.spec`` writes, it is a name
and what is changed: ``kalah:pits_per_row=4,seeds=3``; values are written as in JSON, words without quotes, lists in
brackets. As plain data, of which JSON and YAML can be made, it is whole: fields at their defaults are left out, a board
is its kind and its columns, a clause of the landing table a mapping; ``options`` stand in the table or the board."""

import json
import re
from collections.abc import Mapping
from enum import Enum
from functools import cache, lru_cache
from typing import Any

from mancala_env.rules.board import Board
from mancala_env.rules.declared import Declared, flat
from mancala_env.rules.fields import DECLARED, FIELDS, NOT_RULES
from mancala_env.rules.landing import Part, When
from mancala_env.rules.ruleset import Ruleset
from mancala_env.words import near_names

EXAMPLE = "kalah:pits_per_row=4,seeds=3"
NAMED: Mapping[str, Ruleset] = {}  # the rulesets with a name; set where their table stands
_COMMA = re.compile(r",(?![^\[]*\])")  # outside brackets


def parse_spec(text: str) -> tuple[str, dict[str, Any]]:
    """The name of the game that a text begins with, and the changes that it asks for; neither is looked up. Raises
    ValueError if it is not of the form ``NAME`` or ``NAME:OPTION=VALUE,...``, or gives an option twice."""
    name, colon, rest = text.partition(":")
    changes: dict[str, Any] = {}
    for part in _COMMA.split(rest) if colon else ():
        option, equals, value = part.partition("=")
        if not option or not equals or not value:
            raise ValueError(f"cannot read {part[:80]!r} in {text[:80]!r}; rulesets look like {EXAMPLE}")
        if option in changes:
            raise ValueError(f"{text[:80]!r} gives {option} twice")
        try:
            changes[option] = parse_value(value)
        except ValueError as error:
            raise ValueError(f"cannot read {part[:80]!r} in {text[:80]!r}: {error}") from None
    return name, changes


def parse_value(text: str) -> Any:
    """The value of an option: a number, a list of numbers, true, false or null; any other text stands for itself.
    Raises ValueError if it is a list of anything but numbers, or an object of JSON."""
    try:
        value = json.loads(text.lower())
    except RecursionError:
        value = {}
    except ValueError:
        return text
    parts = value if isinstance(value, list) else [value]
    if not all(part is None or isinstance(part, int | float | str) for part in parts):
        raise ValueError("values are numbers, words, true, false, or lists of numbers such as [0,2,1]")
    return value


def format_spec(name: str, changes: Mapping[str, Any]) -> str:
    """What ``parse_spec`` reads as this name with these changes."""
    written = [
        f"{option}={value if isinstance(value, str) else json.dumps(value, separators=(',', ':'))}"
        for option, value in changes.items()
    ]
    return f"{name}:{','.join(written)}" if written else name


def rule_changes(rules: Ruleset) -> dict[str, Any]:
    """What ``ruleset(rules.name, ...)`` must be given to make ``rules`` again: text, numbers and lists of numbers.
    Raises ValueError if it is not a named ruleset with changes that can be written as text."""
    if rules.name not in NAMED:
        names = ", ".join(near_names(rules.name, NAMED, most=3))
        hint = f" (near it are {names})" if names else ""
        raise ValueError(
            f"a game is written by its name, and {rules.name!r} is none of the {len(NAMED)} names of games{hint}"
        )
    base, changes = NAMED[rules.name], dict[str, Any]()
    chosen = {
        option.name: value
        for option in base.options
        if (value := option.value_in(rules.landing, rules.board))
        not in (None, option.value_in(base.landing, base.board))
    }
    near, of_field = base.changes(**chosen), {option.name: option.field for option in base.options}
    for field in DECLARED:  # in the order of a rule book
        changes |= {name: value for name, value in chosen.items() if of_field[name] == field}
        value = getattr(rules, field)
        if field in NOT_RULES or value == getattr(near, field):
            continue
        if field == "setup":
            seeds = [seeds for seeds in value or () if seeds or rules.board.kind != "piles"]
            changes["start"] = None if value is None else seeds
        elif field == "direction" and isinstance(value, tuple):
            changes["direction"] = [str(each) for each in value]
        elif field == "board" and value.kind == near.board.kind:
            if value.rows > 1 or rules.setup is None:  # else ``start`` says how long it is
                changes["pits_per_row"] = value.columns
        else:
            changes[field] = value
    for name, value in changes.items():
        if name not in ("start", "direction") and not isinstance(value, str | int | float):
            raise ValueError(f"{rules.name} with {name} changed to {value!r} cannot be written as text")
    if base.changes(**changes) != rules:
        raise ValueError(f"{rules.name} on a board of its own cannot be written as text")
    return changes


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
