"""What an experiment compares: settings that differ from those that all share, by name or as a user writes them."""

import re
import typing
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

DEFAULT = "default"
ALL = "all"

Changes = Mapping[str, Any]

# One setting changed at a time, or few that belong together: the effect of each choice that the defaults make.
VARIANTS: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    "encoder counts": {"encoder": "counts"},
    "encoder lookahead1": {"encoder": "lookahead1"},
    "encoder lookahead2": {"encoder": "lookahead2"},
    "encoder lookahead2, action head 64": {"encoder": "lookahead2", "action_head": 64},
    "encoder lookahead4, action head 64": {"encoder": "lookahead4", "action_head": 64},
    "layers 512 256": {"layers": (512, 256)},
    "no shaping": {"shaping": 0.0},
    "gae_lambda 0.9": {"gae_lambda": 0.9},
    "entropy 0.03": {"entropy": 0.03},
    "learning rate halved": {"learning_rate": 1e-3},
    "only the latest self": {"pool_size": 0},
    "prioritised earlier selves": {"prioritised": 2.0},
    "fixed opponents of depth 2 and 4": {
        "fixed_opponents": ("minimax:depth=2", "minimax:depth=4"),
        "fixed_share": 0.3,
    },
    "no openings in training": {"game_opening_plies": 0},
    "openings of up to 6 plies": {"game_opening_plies": 6},
}


def parse_variant(text: str, kind: type[Any]) -> tuple[str, dict[str, Any]]:
    """The name of a variant and its settings, from ``name: setting=value, setting=value``.

    Without a name the settings are the name. Several values of a setting are separated by spaces, settings by a comma
    and a space: ``wide: layers=512 256, fixed_opponents=minimax:depth=2 minimax:depth=4,seed=1, fixed_share=0.3``.

    Parameters
    ----------
    text : str
    kind : dataclass
        The config whose settings are changed.

    Raises
    ------
    ValueError
        If there is no such setting, or its value cannot be read.

    Examples
    --------
    >>> from training.ppo.config import PPOConfig
    >>> parse_variant("wide: layers=512 256, entropy=0.03", PPOConfig)
    ('wide', {'layers': (512, 256), 'entropy': 0.03})
    """
    types = typing.get_type_hints(kind)
    known = [each.name for each in fields(kind)]
    name, colon, rest = text.partition(":")
    if not colon or "=" in name:
        name, rest = text, text
    changes: dict[str, Any] = {}
    for part in re.split(rf",\s+(?=(?:{'|'.join(known)})\s*=)", rest):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key:
            raise ValueError(
                f"cannot read {part.strip()!r} in the variant {text!r}; write 'name: setting=value, setting=value'"
            )
        if key not in known:
            raise ValueError(f"the variant {text!r} changes {key!r}, and there is no such setting: {', '.join(known)}")
        changes[key] = _value(key, value, types[key], text)
    return name.strip(), changes


def _value(key: str, text: str, kind: Any, variant: str) -> Any:
    """A setting as its type has it."""
    several = typing.get_origin(kind) is tuple
    (one, *_) = typing.get_args(kind) or (kind,)
    read = {"true": True, "false": False}.__getitem__ if one is bool else one
    try:
        return tuple(map(read, text.split())) if several else read(text)
    except (ValueError, KeyError):
        raise ValueError(f"the variant {variant!r}: {key} must be {one.__name__}, not {text!r}") from None


def folder_name(variant: str) -> str:
    """The name of the folder of a variant's runs."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", variant).strip("_.") or "_"
