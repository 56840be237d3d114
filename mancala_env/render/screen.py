"""Showing positions the way an environment's ``render_mode`` asks for: as text, pixels, or in a window."""

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_env.render.text import board_text
from mancala_env.rules import Ruleset
from mancala_env.trace import Trace

RENDER_MODES = ("human", "ansi", "rgb_array")


class Screen:
    """Where an environment shows its positions; it keeps the window open between them, which copies do not share.
    Raises ValueError if ``mode`` is not None or one of ``RENDER_MODES``, ImportError if it needs what is missing."""

    def __init__(self, mode: str | None, title: str) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise ValueError(f"render_mode must be one of {list(RENDER_MODES)} or None, not {mode!r}")
        if mode == "rgb_array":
            import mancala_env.render.raster  # noqa: F401  # fails now, not with the first picture
        self._mode, self._title = mode, title
        self._pygame: Any = None  # while there is a window
        self._asked_for_window = False

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pygame": None, "_asked_for_window": False}

    def show(self, rules: Ruleset, position: npt.NDArray[np.int16], trace: Trace | None = None) -> Any:
        """The board: a str in mode "ansi", uint8[H, W, 3] in "rgb_array", None in "human": in a window, or printed, and
        the first time why, without Pillow, pygame-ce or a display. Pictures show ``trace``, the last move."""
        if self._mode == "human" and not self._asked_for_window:
            self._asked_for_window = True
            if missing := self._open_window():
                sys.stdout.write(f"No window{missing}; the board is printed instead.\n")
        if self._mode == "ansi":
            return board_text(rules, position)
        if self._mode == "human" and self._pygame is None:
            sys.stdout.write(f"{board_text(rules, position)}\n")
            return None
        from mancala_env.render.raster import board_rgb

        picture = board_rgb(rules, position, trace=trace)
        if self._mode == "rgb_array":
            return picture
        display, (height, width) = self._pygame.display, picture.shape[:2]
        if display.get_window_size() != (width, height):
            display.set_mode((width, height))
            display.set_caption(self._title)
        self._pygame.event.pump()
        self._pygame.surfarray.blit_array(display.get_surface(), picture.swapaxes(0, 1))
        display.flip()
        return None

    def _open_window(self) -> str:
        """Open a window; else what there is none for, and what would help."""
        try:
            import PIL  # noqa: F401  # paints what the window shows
            import pygame
        except ImportError as error:
            missing = "Pillow" if error.name == "PIL" else "pygame-ce"
            return f' without {missing} (pip install "mancala-env[window]")'
        try:
            pygame.display.init()
            pygame.display.set_mode((64, 64))
        except pygame.error as error:
            pygame.display.quit()
            return f": {error}"
        self._pygame = pygame
        return ""

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._pygame is not None:
            self._pygame.display.quit()
            self._pygame = None
        self._asked_for_window = False
