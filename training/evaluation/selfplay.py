"""Games of a shallow search with itself, and what it expects of each position: what an evaluation is learnt from."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.batched.games import play_batched
from agents.batched.kernel import Turns
from agents.batched.players import Player as BatchedPlayer
from agents.search import Searcher
from agents.search.evaluation import Evaluation
from mancala_env.kernels import layout
from mancala_env.kernels.scores import WIN
from mancala_env.rules import Goal, Ruleset


@dataclass(frozen=True)
class Positions:
    """n positions, and what is known of them.

    Attributes
    ----------
    arrays : int16[n, W]
        ``mancala_env.kernels.layout``.
    searched : float32[n]
        What the search expects for the mover: in games about seeds the margin of the seeds on the board, in seeds; in
        others the chance to win minus that to lose.
    ended : float32[n]
        The same, as the game ended.
    """

    arrays: npt.NDArray[np.int16]
    searched: npt.NDArray[np.float32]
    ended: npt.NDArray[np.float32]


class Player(BatchedPlayer):
    """A search that notes all positions it is asked about and what it expects; some of its moves are random.

    Parameters
    ----------
    rules : Ruleset
    evaluation : Evaluation, optional
        None: the margin.
    depth : int
        Plies that it looks ahead.
    opening_plies : int
        Maximum number of random plies at the start of each game.
    random_share : float
        Share of random moves after that.
    random : numpy Generator
    """

    name = "search"

    def __init__(
        self,
        rules: Ruleset,
        evaluation: Evaluation | None,
        depth: int,
        opening_plies: int,
        random_share: float,
        random: np.random.Generator,
    ) -> None:
        self._searcher = Searcher(rules, evaluate=evaluation)
        self.learned = evaluation is not None
        self._rules, self._depth, self._random_share = rules, depth, random_share
        self._opening_plies, self._random = opening_plies, random
        self._left: npt.NDArray[np.int64] | None = None
        self.noted: list[tuple[Any, Any, Any]] = []

    def _act_in(self, rules: Ruleset, turns: Turns) -> npt.NDArray[np.int64]:
        games, positions, masks, _, streams = turns
        if self._left is None:
            self._left = self._random.integers(self._opening_plies + 1, size=len(positions))
        opening = self._left[games] > 0
        self._left[games] -= 1
        drawn = np.where(masks[games], self._random.random((len(games), masks.shape[1])), -1.0).argmax(axis=1)
        actions, later = drawn.copy(), np.flatnonzero(~opening)
        if len(later):
            met = games[later]
            own = streams[later]
            asked = turns._replace(games=met, streams=own)
            actions[later], values = self._searcher.best_of_each(asked, self._depth)
            streams[later] = own
            self.noted.append((met, positions[met].copy(), values.astype(np.float32)))
            at_random = later[self._random.random(len(later)) < self._random_share]
            actions[at_random] = drawn[at_random]
        return actions


def play_and_note(player: Player, rules: Ruleset, games: int, seed: int) -> Positions:
    """Play a number of games to their ends; returns all positions after their random openings."""
    seeds = np.random.SeedSequence(seed).generate_state(2 * games, np.uint32).astype(np.int64).reshape(games, 2)
    played = play_batched(rules, [rules.start()] * games, (player, player), np.zeros(games, dtype=np.int64), seeds)
    if not player.noted:
        raise ValueError(f"every game of {rules.name} ended in its opening: give fewer game_opening_plies")
    game, arrays, values = (np.concatenate(parts) for parts in zip(*player.noted, strict=True))
    pits = rules.board.pits
    mover = arrays[:, pits + layout.MOVER].astype(np.int64)
    sign = np.where(mover == 0, 1.0, -1.0)
    if rules.goal is not Goal.SEEDS:
        ended = (sign * played.leads[game]).astype(np.float32)
        if not player.learned:  # a heuristic says no chances, only what is certain
            values = np.where(np.abs(values) > WIN / 4, np.sign(values), ended)
        return Positions(arrays, values.astype(np.float32), ended)
    stores = arrays[:, pits + layout.STORES : pits + layout.STORES + 2].astype(np.float64)
    lead = sign * (stores[:, 0] - stores[:, 1])
    margin = (played.scores[:, 0].astype(np.float64) - played.scores[:, 1])[game] / 2
    return Positions(arrays, (values - lead).astype(np.float32), (sign * margin - lead).astype(np.float32))
