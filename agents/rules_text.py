"""A ruleset as the name of a game and what is changed in it: text that ``ruleset(name, **changes)`` reads."""

import json
import re
from collections.abc import Mapping
from typing import Any

from agents.reading import json_value
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset

_SEPARATOR = re.compile(r",(?![^\[]*\])")  # a comma outside brackets


def parse_rules(text: str) -> Ruleset:
    """``kalah``, or with changes: ``kalah:empty_capture=true,seeds=3``; lists in brackets: ``reaping:start=[0,2,1]``.

    Raises
    ------
    ValueError
        If there is no such game or change.
    """
    name, _, rest = text.partition(":")
    changes: dict[str, Any] = {}
    for part in _SEPARATOR.split(rest) if rest else ():
        key, equals, value = part.partition("=")
        if not key or not equals or not value:
            raise ValueError(f"cannot read {part!r} in {text!r}; rulesets look like kalah:empty_capture=true,seeds=3")
        if key in changes:
            raise ValueError(f"{text!r} gives {key} twice")
        try:
            changes[key] = json_value(value.lower())
        except ValueError:
            changes[key] = value
    return ruleset(name, **changes)


def rules_text(name: str, changes: Mapping[str, Any]) -> str:
    """What ``parse_rules`` reads as this game with these changes."""
    told = [
        f"{key}={value if isinstance(value, str) else json.dumps(value, separators=(',', ':'))}"
        for key, value in changes.items()
    ]
    return f"{name}:{','.join(told)}" if told else name
