"""Alpha-beta to a fixed depth on the seed margin: the yardstick that learners are scored against."""

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.search import kernel
from mancala_env.kernels import engine, layout
from mancala_env.state import State

MAX_DEPTH = 64


class _Stack:
    """The arrays of one tree walk, the position searched at level 0."""

    def __init__(
        self, row: npt.NDArray[np.int16], mask: npt.NDArray[np.bool_], history: npt.NDArray[np.uint64], depth: int
    ) -> None:
        self.rows = np.empty((depth + 1, len(row)), dtype=np.int16)
        self.masks = np.zeros((depth + 1, len(mask)), dtype=np.bool_)
        self.history = np.empty(len(history) + depth + 2, dtype=np.uint64)
        self.starts, self.next_action, self.alphas, self.betas, self.bests = np.zeros((5, depth + 1), dtype=np.int64)
        self.rows[0], self.masks[0] = row, mask
        self.history[: len(history)] = history


def perft(state: State, depth: int) -> int:
    """How many sequences of exactly ``depth`` legal moves start here; a game that ends earlier counts nothing.

    Raises
    ------
    ValueError
        If ``depth`` is not a whole number from 0 to 64.
    """
    _check_depth(depth, 0)
    if depth == 0:
        return 1
    stack = _Stack(state.row, state.legal_mask, state.history, depth)
    return int(
        kernel.count_lines(
            depth, stack.rows, stack.masks, stack.history, stack.starts, stack.next_action, *state.rules.encoded
        )
    )


def move_values(state: State, depth: int) -> dict[int, float]:
    """The value of every legal action for the mover, in seeds of margin, looking ``depth`` plies ahead.

    Exact for every action (each is searched with a full window), which is slower than finding a best one. In a match:
    of the game in progress. In games that are not about seeds: ``kernel.margin``; a win with this move is 10,000, and
    every ply until a later one takes one off.
    """
    _check_depth(depth, 1)
    values = {}
    for action in state.legal_actions:
        value, _ = _after(state, action, depth, -kernel.INFINITY, kernel.INFINITY)
        values[action] = value / 2
    return values


class MinimaxAgent:
    """Looks ``depth`` plies ahead and maximises the margin (``move_values``); picks at random among the best.

    A ply is one move, also one that earns another. Finished games count with their final scores. Where several
    actions are equally good the choice is uniform, from a generator that ``reset`` starts again.

    Attributes
    ----------
    nodes : int
        Positions visited since the last ``reset``.
    """

    def __init__(self, depth: int = 4, seed: int = 0, name: str | None = None) -> None:
        _check_depth(depth, 1)
        self.depth = depth
        self.name = name or f"minimax:depth={depth}"
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Before each game: start the random choices from ``seed``."""
        self._random = np.random.default_rng(seed)
        self.nodes = 0

    def act(self, state: State) -> int:
        """One of the best actions. Raises ValueError if the game is over."""
        return int(self._random.choice(self.best_actions(state)))

    def best_actions(self, state: State) -> list[int]:
        """All actions whose value is the highest."""
        if state.is_over:
            raise ValueError(f"{self.name} cannot move: the game is over in {state}")
        best: list[int] = []
        highest = -kernel.INFINITY
        for action in state.legal_actions:
            # One below the best so far: an equal value then comes out exact, not as a bound.
            value, nodes = _after(state, action, self.depth, highest - 1, kernel.INFINITY)
            self.nodes += nodes
            if value > highest:
                best, highest = [action], value
            elif value == highest:
                best.append(action)
        return best


def _after(state: State, action: int, depth: int, alpha: int, beta: int) -> tuple[int, int]:
    """Value of an action for the mover in half seeds, within a window, and the positions visited."""
    rules = state.rules
    stack: Any = _Stack(state.row, state.legal_mask, state.history, max(depth, 1))
    row, mask = stack.rows[0], stack.masks[0]
    start = engine.play(row, action, mask, stack.history, 0, layout.NO_LOG, *rules.shape, *rules.one_game)
    mover = rules.board.pits + layout.MOVER
    turned = int(row[mover]) != state.player
    if turned:
        alpha, beta = -beta, -alpha
    stack.starts[0] = start
    value, nodes = kernel.alphabeta(
        depth - 1, alpha, beta, stack.rows, stack.masks, stack.history, stack.starts, stack.next_action,
        stack.alphas, stack.betas, stack.bests, *rules.one_game,
    )  # fmt: skip
    return int(-value if turned else value), int(nodes)


def _check_depth(depth: int, least: int) -> None:
    if not isinstance(depth, int | np.integer) or isinstance(depth, bool) or not least <= depth <= MAX_DEPTH:
        raise ValueError(f"depth must be a whole number of plies from {least} to {MAX_DEPTH}, not {depth!r}")
