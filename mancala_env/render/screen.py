"""Showing positions the way an environment's ``render_mode`` asks for: as text, pixels, or in a window."""

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_env.render.text import board_text
from mancala_env.rules import Ruleset
from mancala_env.trace import Trace

RENDER_MODES = ("human", "ansi", "rgb_array")


def check_render_mode(mode: str | None) -> None:
    """Raise ValueError if ``mode`` is not None or one of ``RENDER_MODES``, ImportError if it needs what is missing."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode must be one of {list(RENDER_MODES)} or None, not {mode!r}")
    if mode == "rgb_array":
        import mancala_env.render.raster  # noqa: F401  # fails now, not with the first picture


class Window:
    """One window; open it with ``open_window``."""

    def __init__(self, pygame: Any, title: str) -> None:
        self._pygame, self._title, self._surface = pygame, title, None

    def show(self, picture: npt.NDArray[np.uint8]) -> None:
        """Show ``picture``, uint8[H, W, 3]; the window takes its size."""
        pygame = self._pygame
        height, width = picture.shape[:2]
        if self._surface is None or self._surface.get_size() != (width, height):
            self._surface = pygame.display.set_mode((width, height))
            pygame.display.set_caption(self._title)
        pygame.event.pump()
        pygame.surfarray.blit_array(self._surface, picture.swapaxes(0, 1))
        pygame.display.flip()

    def close(self) -> None:
        """Close the window."""
        self._pygame.display.quit()


def open_window(title: str) -> Window | str:
    """A window, or one sentence that says why there is none and what would help."""
    try:
        import PIL  # noqa: F401  # paints what the window shows
        import pygame
    except ImportError as error:
        missing = "Pillow" if error.name == "PIL" else "pygame-ce"
        return f'No window without {missing} (pip install "mancala-env[window]"); the board is printed instead.'
    try:
        pygame.display.init()
        pygame.display.set_mode((64, 64))
    except pygame.error as error:
        pygame.display.quit()
        return f"No window: {error}; the board is printed instead."
    return Window(pygame, title)


class Screen:
    """Where an environment shows its positions; it keeps the window open between them."""

    def __init__(self, mode: str, title: str) -> None:
        self._mode, self._title = mode, title
        self._window: Window | None = None
        self._asked_for_window = False

    def show(self, rules: Ruleset, position: npt.NDArray[np.int16], trace: Trace | None = None) -> Any:
        """The board: a str in mode "ansi", uint8[H, W, 3] in "rgb_array", None in "human".

        Pictures show ``trace``, the last move. Mode "human" opens a window if Pillow and pygame-ce are installed and
        there is a display; otherwise it prints the board, and the first time why.
        """
        if self._mode == "ansi":
            return board_text(rules, position)
        if self._mode == "rgb_array":
            from mancala_env.render.raster import board_rgb

            return board_rgb(rules, position, trace=trace)
        if not self._asked_for_window:
            self._asked_for_window = True
            opened = open_window(self._title)
            if isinstance(opened, Window):
                self._window = opened
            else:
                sys.stdout.write(f"{opened}\n")
        if self._window is not None:
            from mancala_env.render.raster import board_rgb

            self._window.show(board_rgb(rules, position, trace=trace))
        else:
            sys.stdout.write(f"{board_text(rules, position)}\n")
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None
        self._asked_for_window = False
