"""A ruleset as one line of text, which ``mancala_env.ruleset`` reads and ``Ruleset.spec`` writes, a name and what is
changed: ``kalah:pits_per_row=4,seeds=3``. Values are written as in JSON, words without quotes, lists in brackets."""

import json
import re
from collections.abc import Mapping
from typing import Any

from mancala_env.words import near_names

EXAMPLE = "kalah:pits_per_row=4,seeds=3"
NAMED: Mapping[str, Any] = {}  # the rulesets with a name; set where their table stands
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


def rule_changes(rules: Any) -> dict[str, Any]:
    """What ``ruleset(rules.name, ...)`` must be given to make ``rules`` again: text, numbers and lists of numbers.
    Raises ValueError if it is not a named ruleset with changes that can be written as text."""
    if rules.name not in NAMED:
        near = near_names(rules.name, NAMED, most=3)
        hint = f" (near it are {', '.join(near)})" if near else ""
        raise ValueError(
            f"a game is written by its name, and {rules.name!r} is none of the {len(NAMED)} names of games{hint}"
        )
    changes: dict[str, Any] = rules.changes_from(NAMED[rules.name])
    return changes
