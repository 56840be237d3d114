"""What every agent does with a question: whether the kernels that answer it may be called, which check nothing."""

import numpy as np
import numpy.typing as npt

from agents.batched.kernel import Turns
from mancala_env import checks
from mancala_env.kernels import layout
from mancala_env.rules import Ruleset
from mancala_env.state import State, the_state


def running(state: State, who: str) -> State:
    """A state in which ``who`` is to move. Raises ValueError if the game is over."""
    if the_state(state).is_over:
        raise ValueError(f"{who} cannot move: the game is over in {state}")
    return state


def checked(rules: Ruleset, turns: Turns) -> Turns:
    """The arguments of ``act_positions`` as kernels take them. ValueError if one does not fit the game or the rest."""
    turns = checked_masks(rules, turns)
    asked = checks.positions(rules, turns.positions[turns.games])
    checks.legal(rules, asked, turns.masks[turns.games])
    known = int(asked[:, rules.board.pits + layout.PLIES_SINCE_CAPTURE].max(initial=0)) + 1 if rules.repetition else 0
    if turns.history.shape[1] < known:
        has = turns.history.shape[1]
        raise ValueError(f"{rules.name}: history holds {has} hashes of a game, and these have had {known}")
    return turns._replace(positions=checks.readable(turns.positions), history=checks.readable(turns.history))


def checked_seats(rules: Ruleset, turns: Turns) -> tuple[Turns, npt.NDArray[np.int16], npt.NDArray[np.int8]]:
    """``checked`` for agents that read positions alone: the turns, and of each the position and its mover."""
    turns = checked_masks(rules, turns)
    asked = checks.positions(rules, turns.positions[turns.games])
    return turns, asked, asked[:, rules.board.pits + layout.MOVER].astype(np.int8)


def checked_masks(rules: Ruleset, turns: Turns) -> Turns:
    """``checked`` for agents that use only masks. What lies in positions and history is not read."""
    games, positions, masks, history, streams = turns
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
    return Turns(games, positions, masks, history, streams)
