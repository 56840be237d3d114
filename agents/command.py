"""What the commands of this package share: naming a game with changed rules."""

import argparse
from collections.abc import Sequence
from typing import Any

from agents.reading import json_value
from mancala_env.rules import RULESETS


def add_changes(parser: Any, seeds: bool = True) -> None:
    """Options that change a ruleset: ``--pits-per-row``, ``--set`` and, unless that is another's name, ``--seeds``."""
    parser.add_argument("--pits-per-row", type=int, metavar="N", help="pits of a player (default: those of the game)")
    if seeds:
        parser.add_argument("--seeds", type=int, metavar="N", help="seeds in each pit at the start")
    parser.add_argument(
        "--set", action="append", default=[], metavar="OPTION=VALUE", help="another rule, e.g. empty_capture=true"
    )


def changes(options: argparse.Namespace, names: Sequence[str] = ("pits_per_row", "seeds")) -> dict[str, Any]:
    """What ``ruleset`` is to be told besides the name of the game.

    Raises
    ------
    ValueError
        If a ``--set`` is not ``OPTION=VALUE``.
    """
    told: dict[str, Any] = {}
    for text in options.set:
        name, equals, value = text.partition("=")
        if not name or not equals or not value:
            raise ValueError(f"--set {text!r} sets nothing; write OPTION=VALUE, as in empty_capture=true")
        try:
            told[name] = json_value(value.lower())
        except ValueError:
            told[name] = value
    return told | {name: getattr(options, name) for name in names if getattr(options, name) is not None}


GAME = f"one of {', '.join(RULESETS)}"
