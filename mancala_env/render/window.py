"""A window that shows pictures, where Pillow and pygame-ce are installed and there is a display."""

from typing import Any

import numpy as np
import numpy.typing as npt


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
