"""Mancala games as reinforcement-learning environments: one rules engine, every game a value of ``Ruleset``."""

import contextlib
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mancala_env import games
from mancala_env.infos import TERMINATIONS
from mancala_env.rules import (
    Barred,
    Passing,
    Ruleset,
    Skipping,
    When,
    arcs,
    blocks_in_rows,
    crossed_rows,
    four_rows,
    halves,
    one_row,
    open_rows,
    piles,
    rows_and_houses,
    side_blocks,
    solo_row,
    three_rows_horn,
    three_rows_snake,
    two_rows,
)

RULESETS: "Mapping[str, Ruleset[State]]" = games.RULESETS
ruleset: "Callable[..., Ruleset[State]]" = games.ruleset

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mancala_env.batch import Batch
    from mancala_env.random_rules import random_ruleset
    from mancala_env.state import IllegalAction, State
    from mancala_env.trace import Event, EventKind, Trace

__version__ = "0.1.0"

# Imported when first used: these compile kernels, and importing numba takes most of a second.
_LAZY = {
    "state": ("State", "IllegalAction"),
    "trace": ("Event", "EventKind", "Trace"),
    "batch": ("Batch",),
    "random_rules": ("random_ruleset",),
}
__all__ = [
    "RULESETS", "TERMINATIONS", "Barred", "Batch", "Event", "EventKind", "IllegalAction", "Passing", "Ruleset",
    "Skipping", "State", "Trace", "When", "arcs", "blocks_in_rows", "crossed_rows", "four_rows", "halves", "one_row",
    "open_rows", "piles", "random_ruleset", "rows_and_houses", "ruleset", "side_blocks", "solo_row", "three_rows_horn",
    "three_rows_snake", "two_rows",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for module, names in _LAZY.items():
        if name in names:
            value = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
            return value
    raise AttributeError(f"module 'mancala_env' has no attribute {name!r}")


def _register() -> None:
    """Make the games known by their ids to Gymnasium, and to PettingZoo from its version 1.27 on."""
    import gymnasium
    import pettingzoo

    register_aec: Any = getattr(pettingzoo, "register", None)
    for game in RULESETS.values():
        gymnasium.register(
            game.id,
            entry_point="mancala_env.single_agent:MancalaSingleEnv",
            vector_entry_point="mancala_env.single_agent:MancalaVectorEnv",
            kwargs={"rules": game.name},
        )
        if register_aec is not None:
            register_aec("aec", game.id, "mancala_env.aec:env", kwargs={"rules": game.name})


with contextlib.suppress(ModuleNotFoundError):  # in a browser there are positions and rules, and no environments
    _register()


def _position(rules: Ruleset, *fields: Any) -> "State":
    """``Ruleset.position``: data flow from rules to positions, so it is here that a ruleset learns how one is made."""
    from mancala_env.state import State, position_array

    return State._from_array_unchecked(rules, position_array(rules, *fields))


Ruleset.make_position = staticmethod(_position)
