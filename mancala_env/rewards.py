"""What a learner is rewarded with: how a game ended for it, and what shaping adds on the way.

"result" is +1, 0 or -1 at the end of a game; "margin" the learner's lead in the final scores as a share of all seeds
(the result, in games and matches whose scores are not seeds). Shaping with c adds ``gamma P(next) - P(now)`` at each
decision, where P is c times the learner's lead in the stores as a share of all seeds, and 0 once the game is over. That
changes no best policy: over a game its discounted sum is -P(first position), whatever is played (A. Ng, D. Harada and
S. Russell, "Policy invariance under reward transformations", ICML 1999).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mancala_env import checks
from mancala_env.checks import Floats, Positions, Seats
from mancala_env.kernels import layout
from mancala_env.rules import Ruleset

REWARDS = ("result", "margin")
MOST_SHAPING = 1_000_000  # rewards are float32


@dataclass(frozen=True)
class Rewards:
    """What a learner is rewarded with: ``end`` at the end of a game, ``shaping`` and ``gamma`` at each decision.
    ``end`` is "result", "margin", or a function of the games that ended (``mancala_env.opponent_env.Ended``) that
    returns the learner's rewards, floats[m]. Raises ValueError for unknown words and numbers out of range."""

    end: str | Callable[[Any], Any] = "result"
    shaping: float = 0.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        if not callable(self.end) and (not isinstance(self.end, str) or self.end not in REWARDS):
            raise ValueError(f"reward must be one of {', '.join(REWARDS)}, not {checks.shown(self.end)}")
        for name, most in (("gamma", 1), ("shaping", MOST_SHAPING)):
            if not checks.is_real(value := getattr(self, name)) or not 0 <= value <= most:
                raise ValueError(f"{name} must be a number from 0 to {most:,}, not {checks.shown(value)}")

    def at_end(self, rules: Ruleset, ended: Any) -> Floats:
        """float32[m]: the rewards of the games that ended. Raises ValueError if a function returns something else."""
        if not callable(self.end):
            return np.asarray(ended.results if self.end == "result" else ended.margins)
        found = np.asarray(self.end(ended) if len(ended.games) else [], dtype=np.float32)
        if found.shape != ended.results.shape or not np.isfinite(found).all():
            raise ValueError(
                f"{rules.name}: reward must return {len(ended.results)} finite numbers, one for each game that ended, "
                f"not {checks.described(found)}"
            )
        return found


def margins(rules: Ruleset, scores: Floats, results: Floats, seats: Seats) -> Floats:
    """float32[m]: the lead in the final ``scores``, floats[m, 2], as a share of all seeds; else ``results``."""
    if not rules.counts_seeds:
        return results
    lead = (scores[:, 0] - scores[:, 1]) * np.where(seats == 0, 1.0, -1.0) / rules.total_seeds
    return lead.astype(np.float32)


def potentials(rules: Ruleset, positions: Positions, seats: Seats, shaping: float) -> Floats:
    """float32[n]: P of the potential above in ``positions``, int16[n, W], for the learner's ``seats``."""
    first = rules.board.pits + layout.STORES
    stores = positions[:, first : first + 2].astype(np.float32)
    lead = (stores[:, 0] - stores[:, 1]) * np.where(seats == 0, 1, -1)
    return (shaping / rules.total_seeds * lead).astype(np.float32)
