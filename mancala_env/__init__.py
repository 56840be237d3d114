"""Mancala games as reinforcement-learning environments: one rules engine, every game a value of ``Ruleset``."""

from typing import TYPE_CHECKING, Any

import pettingzoo

from mancala_env.kernels.layout import TERMINATIONS as _TERMINATIONS
from mancala_env.rules import RULESETS, Ruleset, When, ruleset, two_rows

if TYPE_CHECKING:
    from mancala_env.batch import Batch
    from mancala_env.state import IllegalAction, State

__version__ = "0.1.0"
TERMINATIONS = _TERMINATIONS[1:]

# These compile kernels when first used, and importing numba takes most of a second: not before they are asked for.
_LAZY = {
    "State": "mancala_env.state",
    "IllegalAction": "mancala_env.state",
    "Batch": "mancala_env.batch",
}
__all__ = ["RULESETS", "TERMINATIONS", "Batch", "IllegalAction", "Ruleset", "State", "When", "ruleset", "two_rows"]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'mancala_env' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_LAZY[name]), name)
    return value


def _register() -> None:
    """Make the games known to PettingZoo under their ids (which it has from version 1.27 on)."""
    register = getattr(pettingzoo, "register", None)
    if register is not None:
        for rules in RULESETS.values():
            register("aec", rules.id, "mancala_env.aec:env", kwargs={"rules": rules.name})


_register()
