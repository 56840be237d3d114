"""The agent that plays perfectly where endgame tables cover the position, and searches before that."""

from pathlib import Path

import numpy as np

from agents.search import MinimaxAgent, Searcher
from agents.search.conversion import distances
from agents.tablebase import files
from agents.tablebase.table import Tablebase
from mancala_env import checks
from mancala_env.rules import Ruleset
from mancala_env.state import State


class TablebaseAgent:
    """Plays a best move by the endgame tables, ties broken at random; with more seeds on the board, alpha-beta.

    The tables in ``folder`` of the rules that are played are opened at the first move; where they do not reach,
    ``depth`` plies are searched, and the tables looked up at the leaves. ValueError if there are no tables in the
    folder.

    A player whose margin is certain, but who looks only at values, can be led round in circles until a repetition ends
    the game. So where tables are exact and positions can come back, the agent takes, of the best moves, those on the
    shortest way to a capture (``agents.search.conversion``). Where they hold bounds, ``Tablebase.best_actions`` defines
    the best moves; there, and where that way is too long to be found, the agent avoids positions that were on the board
    since the last capture.
    """

    def __init__(self, folder: Path | str, depth: int = 8, seed: int = 0) -> None:
        self.folder = Path(str(folder))
        if not any(self.folder.glob(f"*{files.SUFFIX}")):
            raise ValueError(
                f"there are no endgame tables in {str(self.folder)!r}; build them, for awari say, with "
                f"mancala solve tables build awari --seeds-on-board 12 --out {self.folder}"
            )
        self._search = MinimaxAgent(depth=depth, seed=seed)
        self._tables: Tablebase | None = None
        self._above: Searcher | None = None  # for positions that are not covered; looks up its leaves
        self.depth = depth
        self.name = f"tablebase:folder={self.folder},depth={depth}"
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Before each game: start the random choices from ``seed``, 0 or more."""
        self._random = np.random.default_rng(checks.seed(seed))
        self._search.reset(seed)
        if self._above is not None:
            self._above.forget()

    def refusal(self, rules: Ruleset) -> str:
        """Why it does not play this game: there are no tables of it in the folder; "" if there are."""
        try:
            Tablebase(self.folder, rules)
        except (ValueError, OSError) as error:
            return str(error)
        return ""

    def act(self, state: State) -> int:
        """One of the best actions. ValueError if the game is over, or the folder has no tables of its rules (of matches
        there are none at all); DamagedTable if their files are damaged.
        """
        if state.is_over:
            raise ValueError(f"{self.name} cannot move: the game is over in {state}")
        if self._tables is None or not self._tables.is_of(state.rules):
            self._tables, self._above = Tablebase(self.folder, state.rules), None
        if state in self._tables:
            return int(self._random.choice(self._best_actions(state, self._tables)))
        if self._above is None or self._above.rules != state.rules:  # for any number of seeds at the start
            self._above = Searcher(state.rules, tables=self._tables.probe)
        return self._search.draw(self._above.search(state, self.depth).actions)

    def _best_actions(self, state: State, tables: Tablebase) -> list[int]:
        """The best actions; where a repetition could cost a margin that is sure, the fastest of them."""
        best = tables.best_actions(state)
        low = tables.bounds(state)[0]
        if len(best) == 1 or low <= 0 or files.is_acyclic(state.rules):
            return best
        if tables.exact and (plies := distances(state, tables.probe, int(low))) is not None:
            return [action for action in best if action in plies] or best
        return [action for action in best if not _comes_back(state.play(action))] or best


def _comes_back(state: State) -> bool:
    """Has this position been on the board since the last capture?"""
    return bool((state.history[:-1] == state.history[-1:]).any())
