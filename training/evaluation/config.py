"""The settings of a run that learns an evaluation."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents import make_agent
from agents.search import learned
from agents.zoo import EVALUATION
from mancala_env.cli import GAME
from mancala_env.position_fields import shown
from mancala_env.rules import Match, Ruleset
from training.cli import setting
from training.settings import ANY, FREE_TO_CHANGE, Ranges, RunSettings

COMMAND = "mancala train evaluation"


@dataclass(frozen=True)
class EvaluationConfig(RunSettings):
    """Learn an evaluation of positions for the compiled search, then score the search with it."""

    SUFFIX = "-evaluation"
    WEIGHTS = EVALUATION

    rules: str | Ruleset = setting("oware", GAME)
    out: str = setting("", "folder of the run; runs/<game>-evaluation if not given")
    seed: int = setting(0, "fixes the run: the same seed gives the same weights")
    rounds: int = setting(60, "rounds of self-play and learning")

    width: int = setting(64, f"units of the hidden layer, a multiple of {learned.LANES}")
    games: int = setting(2000, "games in a round")
    depth: int = setting(4, "plies that the search of self-play looks ahead")
    random_share: float = setting(0.1, "share of random moves after the opening of a game")
    game_opening_plies: int = setting(12, "maximum number of random plies at the start of each game of training")
    result_share: float = setting(0.3, "share of the game's result in the target; the rest is what the search expects")
    memory: int = setting(1_500_000, "positions that are kept to learn from; the oldest go first")
    passes: float = setting(3.0, "how often each position is learnt from, on average")
    batch_size: int = setting(1024, "positions in a gradient step")
    learning_rate: float = setting(2e-3, "of Adam, at the start; it falls along a cosine")
    final_learning_rate: float = setting(5e-5, "of Adam, at the end")

    threads: int = setting(1, "threads of torch")
    save_every: int = setting(5, "rounds between two checkpoints")
    limit: str = setting("nodes=20000", "of a move of the search with the evaluation, while training: nodes= or time=")
    curve_every: int = setting(10, "rounds between two points of the curves against curve_opponents; 0: none")
    curve_opponents: tuple[str, ...] = setting(("minimax:nodes=20000",), "scored against while training")
    curve_pairs: int = setting(25, "pairs of games against each of them")
    final_limit: str = setting("time=0.02", "of a move of the search with the evaluation, at the end: nodes= or time=")
    opponents: tuple[str, ...] = setting(("minimax:time=0.02",), "scored against at the end")
    pairs: int = setting(25, "pairs of games against each of them; 0: no scoring")
    opening_plies: int = setting(8, "random plies at the start of each pair")

    def __post_init__(self) -> None:
        self.check_game(_RANGES, "self-play")
        if self.ruleset.match is not Match.NONE:
            raise ValueError(
                f"a search looks ahead in the game in progress, and {self.ruleset.name} is a match of several: learn "
                "an evaluation of the single game"
            )
        if self.width % learned.LANES:
            raise ValueError(f"width must be a multiple of {learned.LANES}, not {self.width}")
        for name in ("limit", "final_limit"):
            limit = getattr(self, name)
            if limit.partition("=")[0] not in _LIMITS or "," in limit:
                raise ValueError(f"{name} must be nodes=20000, say, or time=0.02 (seconds), not {shown(limit)}")
            limits_of(limit)
        self.check_scoring()

    def seeds(self) -> list[int]:
        """The seeds of the weights, of all that is drawn in self-play and learning, and of the scores at the end."""
        return [int(each.generate_state(1)[0]) for each in np.random.SeedSequence(self.seed).spawn(3)]


def limits_of(limit: str) -> dict[str, Any]:
    """The limits of a ``MinimaxAgent`` that a setting names, as ``nodes=20000`` does. Raises ValueError if it cannot
    be."""
    limits: dict[str, Any] = make_agent(f"minimax:{limit}").limits  # type: ignore[attr-defined]
    return limits


_LIMITS = ("nodes", "time", "depth")
_RANGES: Ranges = {
    "rounds": (1, ANY),
    "width": (learned.LANES, 1024),
    "games": (1, ANY),
    "depth": (1, 64),
    "random_share": (0, 1),
    "result_share": (0, 1),
    "memory": (1, ANY),
    "passes": (0, ANY),
    "final_learning_rate": (0, 1),
}
# The weights do not depend on them; rounds make the run longer.
FREE = FREE_TO_CHANGE | {"rounds", "limit", "final_limit"}
