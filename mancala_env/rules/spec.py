"""A ruleset as one line of text, which ``mancala_env.ruleset`` reads and ``Ruleset.spec`` writes, a name and what is
changed: ``kalah:pits_per_row=4,seeds=3``. Values are written as in JSON, words without quotes, lists in brackets."""

import json
import re
from collections.abc import Mapping
from typing import Any

from mancala_env.rules.fields import DECLARED, NOT_RULES
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
        names = ", ".join(near_names(rules.name, NAMED, most=3))
        hint = f" (near it are {names})" if names else ""
        raise ValueError(f"a game is written by its name, and {rules.name!r} is none of the {len(NAMED)} names{hint}")
    base, changes = NAMED[rules.name], dict[str, Any]()
    chosen = {
        option.name: value
        for option in base.options
        if (value := option.value_in(rules.landing, rules.board)) not in (None, getattr(base, option.name))
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
        elif field == "board" and value.kind == near.board.kind:
            if value.rows > 1 or rules.setup is None:  # else ``start`` says how long it is
                changes["pits_per_row"] = value.columns
        else:
            changes[field] = [*map(str, value)] if field == "direction" and isinstance(value, tuple) else value
    for name, value in changes.items():
        if name not in ("start", "direction") and not isinstance(value, str | int | float):
            raise ValueError(f"{rules.name} with {name} changed to {value!r} cannot be written as text")
    if base.changes(**changes) != rules:
        raise ValueError(f"{rules.name} on a board of its own cannot be written as text")
    return changes
