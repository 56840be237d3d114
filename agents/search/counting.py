# mypy: allow-untyped-defs, no-check-untyped-defs
"""Perft: counting the lines of play of a length, by which implementations of a game are compared."""

from pathlib import Path

import numpy as np

from agents.search.limits import check_depth
from mancala_env.kernels.engine import play
from mancala_env.kernels.jit import KERNELS, Work, compiler
from mancala_env.state import State, the_state

njit = compiler(KERNELS, Path(__file__).parent, work=Work("counting lines of play", 5))


@njit
def count_lines(depth, stack, masks, history, starts, next_action, rules):
    """How many sequences of exactly ``depth`` legal moves start at ``stack[0]``: ``stack`` int16[depth + 1, W],
    ``masks`` bool[depth + 1, A], ``history`` uint64[H] the hashes along the line, ``starts`` and ``next_action``
    int64[depth + 1].
    """
    actions = masks.shape[1]
    level = 0
    lines = 0
    next_action[0] = 0
    while level >= 0:
        if level == depth - 1:
            for action in range(actions):
                lines += masks[level, action]
            level -= 1
            continue
        action = next_action[level]
        while action < actions and not masks[level, action]:
            action += 1
        if action == actions:
            level -= 1
            continue
        next_action[level] = action + 1
        for field in range(stack.shape[1]):
            stack[level + 1, field] = stack[level, field]
        starts[level + 1] = play(rules, stack[level + 1], action, masks[level + 1], history, starts[level], stack[:0])
        level += 1
        next_action[level] = 0
    return lines


def perft(state: State, depth: int) -> int:
    """The number of sequences of exactly ``depth`` legal moves from here, 0 to 64; shorter games do not count."""
    check_depth(depth, 0)
    state = the_state(state)
    if depth == 0:
        return 1
    known = state.history
    stack = np.empty((depth + 1, len(state.array)), dtype=np.int16)
    masks = np.zeros((depth + 1, state.rules.num_actions), dtype=np.bool_)
    history = np.empty(len(known) + depth + 2, dtype=np.uint64)
    stack[0], masks[0], history[: len(known)] = state.array, state.legal_mask, known
    starts, next_action = np.zeros((2, depth + 1), dtype=np.int64)
    rules = state.rules.encoded.to_play(state.rules.num_actions ** min(depth, 9))
    return int(count_lines(depth, stack, masks, history, starts, next_action, rules))
