"""The pictures of the README: ``python -m docs.pictures`` writes those that need no training."""

from collections.abc import Sequence
from pathlib import Path

import mancala_env as mancala
from mancala_env.cli import Parser

IMAGES = Path(__file__).parent / "images"
MOVES = (2, 3, 5, 4, 0)  # the last one passes enough pits to show what is drawn of a move


def board() -> str:
    """Oware after some moves: the last of them, and what the mover may play."""
    state = mancala.ruleset("oware").start()
    for action in MOVES:
        before, state = state, state.play(action)
    return state.to_svg(last=(before, MOVES[-1]), legal=state.legal_mask, size=560)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    Parser("python -m docs.pictures", __doc__).parse_args(arguments)
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / "board.svg").write_text(board() + "\n", encoding="utf-8")
    print(IMAGES / "board.svg")


if __name__ == "__main__":
    main()
