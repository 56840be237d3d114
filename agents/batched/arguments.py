"""Checks of the arguments of ``BatchedAgent.act_positions``: the kernels that it calls check nothing."""

from typing import Any

import numpy as np
import numpy.typing as npt

from mancala_env import checks
from mancala_env.kernels import layout
from mancala_env.rules import Ruleset


def checked(
    rules: Ruleset, games: Any, positions: Any, masks: Any, history: Any, streams: Any
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int16], npt.NDArray[np.bool_], npt.NDArray[np.uint64]]:
    """Games int64[m], positions int16[n, W], masks bool[n, A], history uint64[n, H] of ``act_positions``, for kernels.

    Raises
    ------
    ValueError
        If an argument is not as ``BatchedAgent.act_positions`` requires: another type or shape, an index that is out of
        range, a position that this game does not have, a mask that is not that of its position, a history that is too
        short.
    """
    games, masks = checked_masks(rules, games, positions, masks, history, streams)
    asked = checks.positions(rules, positions[games])
    checks.legal(rules, asked, masks[games])
    known = int(asked[:, rules.board.pits + layout.PLIES_SINCE_CAPTURE].max(initial=0)) + 1 if rules.repetition else 0
    if history.shape[1] < known:
        raise ValueError(f"{rules.name}: history holds {history.shape[1]} hashes of a game, and these have had {known}")
    return games, checks.readable(positions), masks, checks.readable(history)


def checked_masks(
    rules: Ruleset, games: Any, positions: Any, masks: Any, history: Any, streams: Any
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """``checked`` for agents that use only masks: games and masks. What lies in positions and history is not read."""
    width = rules.fields["width"]
    fits = checks.is_array(positions) and positions.dtype == np.int16 and positions.ndim == 2
    if not fits or positions.shape[1] != width:
        raise ValueError(f"{rules.name}: positions must be int16[n, {width}], not {checks.described(positions)}")
    like = checks.is_array(history) and history.dtype == np.uint64 and history.ndim == 2
    if not like or len(history) != len(positions):
        raise ValueError(f"{rules.name}: history must be uint64[{len(positions)}, H], not {checks.described(history)}")
    masks = checks.legal_masks(rules, masks, len(positions))
    games = checks.numbers(games, f"{rules.name}: games", 0, len(positions) - 1)
    checks.buffer(streams, games.shape, (np.dtype(np.uint64),), "streams")
    if not streams.flags.carray:
        raise ValueError(f"{rules.name}: streams must be contiguous and writable; give streams.copy()")
    if not masks[games].any(axis=1).all():
        raise ValueError(f"{rules.name}: some of these games have no legal action; give only running games")
    return games, masks
