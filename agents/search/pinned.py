"""Reference opponents that search with a learned evaluation that never changes (``agents.reference.LEARNED``)."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from agents import zoo
from agents.reference import EVALUATIONS, LEARNED
from agents.search.evaluation import Evaluation
from agents.search.minimax import MinimaxAgent
from agents.search_info import SearchInfo
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import called
from mancala_env.state import State, the_state

DIGITS = 16  # of its digest, in the name of a file


@lru_cache(maxsize=32)
def evaluation_of_reference(name: str, rules: Ruleset) -> Evaluation:
    """The evaluation that the reference opponent ``name`` has for a game, as it was when the name was given.

    Raises
    ------
    ValueError
        If it has none, or the file is not there, is damaged, or is another one.
    """
    digest = next((digest for text, digest in EVALUATIONS[name].items() if ruleset(text) == rules), None)
    if digest is None:
        raise ValueError(
            f"{name} has no evaluation of {called(rules)} and does not play it; it plays "
            f"{', '.join(EVALUATIONS[name])}, and v1-depth8 plays every game"
        )
    path = zoo.FOLDER / name / f"{digest[:DIGITS]}.safetensors"
    if not path.is_file():
        raise ValueError(
            f"{name} needs {path}, which is not there: reference opponents with evaluations ship with the repository, "
            "not with the package mancala-env"
        )
    found = Evaluation.load(path)
    if found.digest != digest:
        raise ValueError(f"{path} is not the evaluation that {name} was defined with: bring back the file")
    return found


class PinnedSearch:
    """A reference opponent: alpha-beta to a fixed depth on the pinned evaluation of the game that is played.

    Parameters
    ----------
    name : str
        One of ``agents.reference.LEARNED``.
    seed : int
        Of the choice among equals.
    """

    def __init__(self, name: str, seed: int = 0) -> None:
        self.name = name
        self._player: MinimaxAgent | None = None
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Before each game: start the random choices from ``seed``, and search as if for the first time."""
        self._seed = seed
        if self._player is not None:
            self._player.reset(seed)

    @property
    def told(self) -> SearchInfo | None:
        """Depth and value of the search for the last move."""
        return None if self._player is None else self._player.told

    def player_of(self, rules: Ruleset) -> MinimaxAgent:
        """The search that plays a game. Raises ValueError if it has no evaluation of it."""
        if self._player is None or self._player.rules != rules:
            evaluation = evaluation_of_reference(self.name, rules)
            self._player = MinimaxAgent(LEARNED[self.name], self._seed, self.name, evaluation=evaluation)
        return self._player

    def refusal(self, rules: Ruleset) -> str:
        """Why it does not play a game; "" if it does."""
        try:
            self.player_of(rules)
        except (ValueError, OSError) as error:
            return str(error)
        return ""

    def act(self, state: State) -> int:
        """One of the best actions. Raises ValueError if the game is over, or it has no evaluation of it."""
        return self.player_of(the_state(state).rules).act(state)

    def best_actions(self, state: State) -> list[int]:
        """All actions of the highest value. Raises ValueError as ``act``."""
        return self.player_of(the_state(state).rules).best_actions(state)

    @property
    def games_at_once(self) -> int:
        """The number of games with about a second's work."""
        return MinimaxAgent(LEARNED[self.name]).games_at_once

    def act_positions(
        self,
        rules: Ruleset,
        games: npt.NDArray[np.int64],
        positions: npt.NDArray[np.int16],
        masks: npt.NDArray[np.bool_],
        history: npt.NDArray[np.uint64],
        streams: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """int64[m]: a best action in each of ``games``; see ``agents.batched.BatchedAgent``."""
        return self.player_of(rules).act_positions(rules, games, positions, masks, history, streams)
