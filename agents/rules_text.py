"""A ruleset as the name of a game and what is changed in it: text that ``ruleset(name, **changes)`` reads."""

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from agents.reading import json_value
from mancala_env.rules import RULESETS, Board, Ruleset, Sowing, ruleset

_SEPARATOR = re.compile(r",(?![^\[]*\])")  # a comma outside brackets


def rule_changes(rules: Ruleset) -> dict[str, Any]:
    """What ``ruleset(rules.name, ...)`` must be given to make ``rules`` again: text, numbers and lists of numbers.

    Raises
    ------
    ValueError
        If the ruleset is not a named one with changes that can be written as text.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> rule_changes(mancala.ruleset("oware", pits_per_row=4, grand_slam="no_capture"))
    {'grand_slam': <GrandSlam.NO_CAPTURE: 'no_capture'>, 'pits_per_row': 4}
    """
    if rules.name not in RULESETS:
        raise ValueError(f"a game is written by its name, and {rules.name!r} is not one of {', '.join(RULESETS)}")
    named = RULESETS[rules.name]
    changes: dict[str, Any] = {}
    for field in fields(rules):
        value = getattr(rules, field.name)
        if value != getattr(named, field.name):
            changes[field.name] = value
    if "board" in changes:
        changes |= _board_changes(rules, named, changes.pop("board"))
    if "setup" in changes and changes["setup"] is not None:
        changes["start"] = list(changes.pop("setup"))
    for name, value in changes.items():
        if name != "start" and not isinstance(value, str | int | float):
            raise ValueError(f"{rules.name} with {name} changed to {value!r} cannot be written as text")
    if named.changes(**changes) != rules:
        raise ValueError(f"{rules.name} on a board of its own cannot be written as text")
    return changes


def _board_changes(rules: Ruleset, named: Ruleset, board: Board) -> dict[str, Any]:
    """The shorthands that make ``board`` of the board of the named game."""
    if board.kind == "one_row" == named.board.kind:
        return {"start": list(rules.setup)} if rules.setup else {"pits_per_row": board.columns}
    changes: dict[str, Any] = {}
    for kind, blocks in (("halves", "halves"), ("blocks_in_rows", "rows")):
        if board.kind == kind != named.board.kind and named.sowing is Sowing.NEIGHBOURS:
            changes["blocks"] = blocks
    if board.columns != named.board.columns:
        changes["pits_per_row"] = board.columns
    return changes


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
