"""How games ended, as pages and terminals say it: the games of a match on the way, and the last one."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mancala_env import ending
from mancala_env.notation import GameResult
from mancala_env.state import State


class GameEnd(NamedTuple):
    """Where a game of a match ended."""

    ply: int  # moves that had been played, of all games
    game: int  # its number, from 1
    result: GameResult
    why: str  # it ended: a sentence without its stop
    standing: str  # of the match after it: "South 2, North 1 wins"
    following: int | None  # the number of the game that begins; None: the match is over
    # The position in which it ended (``kernels.layout``), before the final collection; None of a game that was over as
    # soon as it was laid out.
    array: npt.NDArray[np.int16] | None = None

    def short(self, seat: int | None = None) -> str:
        """Its number and result: "Game 2: South wins, 30 to 18"; for the player in a seat "Game 2: You win, ..."."""
        return f"Game {self.game}: {ending.outcome(self.result.winner, self.result.scores, seat)}"

    def full(self, seat: int | None = None) -> str:
        """All of it, in sentences."""
        won = ending.outcome(self.result.winner, self.result.scores, seat)
        more = "" if self.following is None else f" The match stands at {self.standing}. Game {self.following} begins."
        return f"Game {self.game} is over. {won}: {self.why}.{more}"


def game_ends(states: Sequence[State], actions: Sequence[int]) -> tuple[GameEnd, ...]:
    """The games of a match that ended between these positions, by these moves."""
    found = []
    for ply, (before, after) in enumerate(pairwise(states), 1):
        for k, result in enumerate(after.games[len(before.games) :]):
            if k == 0:
                array = before.array_after(actions[ply - 1])
                why = ending.why(after.rules, array)
            else:  # a game that was over as soon as it was laid out
                array, why = None, ending.meaning(result.termination, after.rules)
            last = k == len(after.games) - len(before.games) - 1
            following = None if last and after.is_over else before.game + k + 1
            standing = ending.standing(after.rules, after.array)
            found.append(GameEnd(ply, before.game + k, result, why, standing, following, array))
    return tuple(found)


def how_it_ended(state: State, seat: int | None = None) -> str:
    """The result of a finished game or match, and why it is over: a sentence without its stop. ``seat``: 0 or 1 to say
    "You win" or "You lose" to the player in this seat."""
    rules = state.rules
    return f"{ending.outcome(state.winner, state.scores, seat, rules.match, rules.players)}: {state.ending}"
