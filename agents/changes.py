"""A ruleset as the name of a game and what is changed in it: text that ``ruleset(name, **changes)`` reads."""

from dataclasses import fields
from typing import Any

from mancala_env.games import RULESETS
from mancala_env.rules import Board, Ruleset, Sowing


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
