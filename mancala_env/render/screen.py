"""Showing positions the way an environment's ``render_mode`` asks for: as text, returned or printed, or as pixels."""

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_env.render.text import board_text
from mancala_env.rules import Ruleset
from mancala_env.trace import Trace

RENDER_MODES = ("human", "ansi", "rgb_array")


def check_mode(mode: str | None) -> None:
    """Raise ValueError if a mode is not None or one of ``RENDER_MODES``, ImportError if it needs what is missing."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode must be one of {list(RENDER_MODES)} or None, not {mode!r}")
    if mode == "rgb_array":
        import mancala_env.render.raster  # noqa: F401  # fails now, not with the first picture


def show(mode: str, rules: Ruleset, position: npt.NDArray[np.int16], trace: Trace | None = None) -> Any:
    """The board: a str in mode "ansi", uint8[H, W, 3], with ``trace``, in "rgb_array", None in "human": printed."""
    if mode == "rgb_array":
        from mancala_env.render.raster import board_rgb

        return board_rgb(rules, position, trace=trace)
    text = board_text(rules, position)
    if mode == "ansi":
        return text
    sys.stdout.write(f"{text}\n")
    return None
