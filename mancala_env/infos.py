"""The ``infos`` of the environments: arrays only, with the same keys, shapes and dtypes at every step, for trainers
stack them; words are given as codes of ``TERMINATIONS``. The position itself (``env.position``) has the same facts in
words.

- action_mask : int8[A], the legal actions, all 0 at the end and for who is not to move
- termination : int8[], why the game ended, a code of ``TERMINATIONS``; 0 while it goes on
- seat, length : int8[] and int64[], a learner's seat, and its decisions so far
- result, margin : float32[], +1 / 0 / -1 for a learner and its lead (``mancala_env.rewards``); 0 before the end
- illegal : bool[], whether a learner has lost by an illegal action
- games_ended, game_scores, game_result, game_termination : of matches, of the last game that ended (``last_games``)

The environment of PettingZoo has the mask, the termination and those of matches; a learner's has all."""

import numpy as np
import numpy.typing as npt

from mancala_env.checks import Positions, Seats
from mancala_env.kernels import layout
from mancala_env.rules import Goal, Match, Ruleset

TERMINATIONS = (*layout.TERMINATIONS, "illegal")
"""The reasons why games end, by their codes in infos: 0, the empty word, while a game is running; -1 (no index) after
an illegal action; the rest as ``State.termination``."""
ILLEGAL = TERMINATIONS.index("illegal") - len(TERMINATIONS)


def last_games(rules: Ruleset, positions: Positions, seats: Seats) -> dict[str, npt.NDArray[np.generic]]:
    """How many games of each match have ended, and how the last of them did, as ``seats``, int8[n], see it, of
    ``positions``, int16[n, W]: new arrays, 0 before a game has ended. games_ended, int16[n]; game_scores, float32[n,
    2], the own first, 0 in games without scores; game_result, int8[n], +1, 0 or -1; game_termination, int8[n], a code
    of ``TERMINATIONS``. Empty for rulesets that are not matches."""
    if rules.match is Match.NONE:
        return {}
    first = rules.fields["match"]
    running = positions[:, rules.board.pits + layout.OVER] == 0
    doubled = positions[:, first + layout.LAST : first + layout.LAST + 2]
    own_first = np.where(seats[:, None] == 0, doubled, doubled[:, ::-1])
    scores = own_first.astype(np.float32) / np.float32(2.0)
    return {
        "games_ended": positions[:, first + layout.GAME] - running.astype(np.int16),
        "game_scores": scores if rules.goal is Goal.SEEDS else np.zeros_like(scores),
        "game_result": np.sign(own_first[:, 0] - own_first[:, 1]).astype(np.int8),
        "game_termination": positions[:, first + layout.LAST_OVER].astype(np.int8),
    }
