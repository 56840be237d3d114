"""Monte Carlo tree search as an agent: UCT with random rollouts, or PUCT guided by a policy and a value."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.mcts import kernel
from agents.pace import Pace
from mancala_env import checks
from mancala_env.kernels import layout
from mancala_env.rules import Ruleset
from mancala_env.state import State, the_state

MAX_SIMULATIONS = 10_000_000  # a tree of that size takes more than a gigabyte
MAX_BATCH = 65_536
SLICE = 2000  # maximum in one call of a kernel, about 0.02 s, during which Ctrl-C is not noticed
EXPLORATION = {"rollouts": 1.0, "evaluate": 1.5}  # defaults

Evaluate = Callable[[npt.NDArray[np.int16], npt.NDArray[np.bool_]], tuple[Any, Any]]
Noise = Callable[[npt.NDArray[np.float32], npt.NDArray[np.bool_]], npt.NDArray[Any]]


@dataclass(frozen=True)
class Search:
    """The result of a search of one position. All values are for its mover; A is the number of actions.

    Attributes
    ----------
    visits : int64[A]
        Simulations that went through each action.
    values : float64[A]
        The mean of their results, from -1 (lost) to 1 (won); exact where proven, nan where there are none.
    proven : float64[A]
        The result with best play after each action, -1, 0 or 1; nan where it, or with a margin its size, is not proven.
    value : float
        The mean result of all simulations; exact where the result is proven.
    result : int or None
        The proven result of the position, -1, 0 or 1. With a margin only where ``value`` is exact as well.
    simulations : int
        The number of simulations done: the sum of ``visits``.
    best : int
        The action to play. If the position is proven, one that is worth most. Else the most visited of those not
        proven lost, unless a proven one is worth more than its mean.
    """

    visits: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    proven: npt.NDArray[np.float64]
    value: float
    result: int | None
    simulations: int
    best: int


class MctsAgent:
    """Grows a tree by ``simulations`` and plays the action visited most, or a better one that is proven.

    Without ``evaluate`` the tree grows by UCT and new positions are evaluated by playing random moves to the end. With
    it selection follows PUCT, and up to ``batch`` new positions are evaluated in one call.

    A simulation is one descent from the root. It follows all rules: extra turns, passes, ply limits, and repetition
    along the whole line, the game before the root included. Wins, draws and losses that the
    tree proves are exact; what is proven gets no more simulations, and the search ends when the root is proven. A
    position is proven by a move of the maximum worth (without a margin, any win), or when all its moves are proven:
    its worth is then that of the best. In a match the search is for the game in progress.

    An agent is for one thread at a time: its random numbers are written to without a lock. Ctrl-C is noticed within a
    moment; the agent then plays on as if that search had not been started, but with other random numbers.

    Parameters
    ----------
    simulations : int
        Per move, 1 or more. A move that is the only legal one is played without a search.
    exploration : float, optional
        How much visits weigh against results, 0 or more: c in ``mean + c sqrt(ln N / n)`` with rollouts and in
        ``mean + c prior sqrt(N) / (1 + n)`` with ``evaluate``. Default: 1.0 and 1.5.
    seed : int
        Of the random numbers; see ``reset``.
    margin : float
        From 0 to 1: how much of the reward at the end is the lead, as a share of all seeds, instead of the result.
    evaluate : callable, optional
        ``evaluate(positions, masks) -> (priors, values)`` for m positions: int16[m, W] (``kernels.layout``), masks
        bool[m, A]; priors float32[m, A], 0 or more, in any scale and with anything for illegal actions; values
        float32[m] for the mover of each, from -1 to 1. The positions are never finished.
    batch : int
        Maximum number of positions of one tree in one call of ``evaluate``, 1 or more. The larger it is, the more
        simulations are chosen before the results of earlier ones are known.
    name : str, optional
    network : str, optional
        Path of a policy (``agents.policy.network``) that evaluates; ``evaluate`` for names like
        ``mcts:network=runs/kalah``.

    Raises
    ------
    ValueError
        If a setting is impossible.
    """

    def __init__(
        self,
        simulations: int = 800,
        exploration: float | None = None,
        seed: int = 0,
        margin: float = 0.0,
        evaluate: Evaluate | None = None,
        batch: int = 16,
        name: str | None = None,
        network: str | None = None,
    ) -> None:
        if network is not None:
            if evaluate is not None:
                raise ValueError("network and evaluate both say what evaluates positions: give only one")
            from agents.policy.evaluator import NetworkEvaluator  # imports torch

            evaluate = NetworkEvaluator(str(network))
        _check_whole("simulations", simulations, MAX_SIMULATIONS)
        _check_whole("batch", batch, MAX_BATCH)
        if exploration is None:
            exploration = EXPLORATION["rollouts" if evaluate is None else "evaluate"]
        if not _is_number(exploration) or not 0 <= exploration < math.inf:
            raise ValueError(f"exploration must be a number, 0 or more, not {exploration!r}")
        if not _is_number(margin) or not 0 <= margin <= 1:
            raise ValueError(f"margin must be a number from 0 to 1, not {margin!r}")
        if evaluate is not None and not callable(evaluate):
            raise ValueError(f"evaluate must be a function of positions and masks, not {evaluate!r}")
        self.simulations = int(simulations)
        self.exploration = float(exploration)
        self.margin = float(margin)
        self.evaluate = evaluate
        self.batch = int(batch)
        self.name = name or f"mcts:simulations={simulations}" + (f",network={network}" if network else "")
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Before each game: start the random numbers from ``seed``, 0 or more."""
        sequence = np.random.SeedSequence(checks.seed(seed))
        self._stream: npt.NDArray[np.uint64] = sequence.generate_state(1, np.uint64).view(np.uint64)

    def act(self, state: State) -> int:
        """The action to play. Raises ValueError if the game is over."""
        if len(the_state(state).legal_actions) == 1:
            return state.legal_actions[0]
        return self.search(state).best

    def search(self, state: State) -> Search:
        """Search a position. Raises ValueError if the game is over."""
        return self.search_all([state])[0]

    def search_all(self, states: Sequence[State], noise: Noise | None = None) -> list[Search]:
        """Search several positions of one game, each with a tree of its own; with ``evaluate`` in one batch.

        ``evaluate`` then gets the new positions of all trees in one call, ``len(states) * batch`` at most.

        Parameters
        ----------
        states : positions of one game
        noise : optional
            Changes the priors of each position searched, so that self-play tries what the network would not:
            ``noise(priors, masks)``, both [m, A], returns new priors. Only with ``evaluate``.

        Raises
        ------
        ValueError
            If a game is over, the positions are of different rulesets, or ``evaluate`` returns arrays of a wrong shape
            or values that are not finite.
        """
        trees = []
        for state in states:
            if the_state(state).is_over:
                raise ValueError(f"{self.name} cannot move: the game is over in {state}")
            if state.rules is not states[0].rules and state.rules != states[0].rules:
                raise ValueError(f"search_all takes positions of one game, not {states[0].rules.name} and {state}")
            trees.append(_Tree(state, self.simulations, self.evaluate is not None))
        if self.evaluate is None:
            for tree in trees:
                tree.simulate(self.simulations, self.exploration, self.margin, self._stream)
        else:
            self._search_batched(trees, self.evaluate, noise)
        return [tree.found() for tree in trees]

    def _search_batched(self, trees: Sequence["_Tree"], evaluate: Evaluate, noise: Noise | None) -> None:
        """Grow trees in step, with one call of ``evaluate`` for all, until each has its simulations or is proven."""
        running = list(trees)
        roots = True  # the first round evaluates the position of each tree alone
        while running:
            asked = [
                (tree, tree.collect(self.simulations, self.batch, self.exploration, self.margin, self._stream))
                for tree in running
            ]
            asked = [(tree, leaves) for tree, leaves in asked if len(leaves)]
            if asked:
                positions = np.concatenate([tree.arrays.positions[leaves] for tree, leaves in asked])
                masks = np.concatenate([tree.arrays.masks[leaves] for tree, leaves in asked])
                priors, values = _evaluation(evaluate(positions, masks), masks)
                if roots and noise is not None:
                    priors, _ = _evaluation((noise(priors, masks), values), masks, "noise")
                roots = False
                at = 0
                for tree, leaves in asked:
                    tree.receive(leaves, priors[at : at + len(leaves)], values[at : at + len(leaves)])
                    at += len(leaves)
            running = [tree for tree in running if tree.done < self.simulations and not tree.is_proven]


class _Tree:
    """One tree and the work space of its kernels; for one thread at a time.

    Attributes
    ----------
    arrays : kernel.Tree
    done : int
        Simulations so far.
    """

    def __init__(self, state: State, simulations: int, with_priors: bool) -> None:
        self.rules: Ruleset = state.rules
        array, mask, history = state.array, state.legal_mask, state.history
        room, pits = simulations + 1, self.rules.board.pits
        self.arrays = tree = kernel.Tree(  # kernels set the entries of a node when they add it
            size=np.ones(1, dtype=np.int64),
            positions=np.empty((room, len(array)), dtype=np.int16),
            masks=np.empty((room, len(mask)), dtype=np.bool_),
            hashes=np.empty(room if self.rules.repetition else 1, dtype=np.uint64),
            parents=np.empty(room, dtype=np.int32),
            children=np.empty((room, len(mask)), dtype=np.int32),
            visits=np.empty(room, dtype=np.int32),
            waits=np.empty(room, dtype=np.int32),
            totals=np.empty(room, dtype=np.float64),
            proven=np.empty(room, dtype=np.int8),
            worth=np.empty(room, dtype=np.float64),
            priors=np.empty((room if with_priors else 0, len(mask)), dtype=np.float32),
        )
        tree.positions[0], tree.masks[0], tree.hashes[0] = array, mask, history[-1] if len(history) else 0
        tree.parents[0], tree.children[0], tree.proven[0] = kernel.NOBODY, kernel.NOBODY, kernel.UNKNOWN
        tree.visits[0] = tree.waits[0] = tree.totals[0] = 0
        self.encoded = self.rules.one_game
        longest = int(self.encoded.axes[layout.PLY_LIMIT]) - state.ply if self.rules.repetition else 0
        self.history = np.empty(len(history) + max(longest, 0) + 2, dtype=np.uint64)
        self.history[: len(history)] = history
        self.sign = 1 - 2 * int(array[pits + layout.MOVER])
        tree.worth[0] = self.sign * -np.inf
        self.done = 0

    @property
    def is_proven(self) -> bool:
        return bool(self.arrays.proven[0] != kernel.UNKNOWN)

    def simulate(self, simulations: int, exploration: float, margin: float, stream: npt.NDArray[np.uint64]) -> None:
        """Add simulations by rollouts until there are ``simulations`` or the root is proven."""
        array, mask = np.empty_like(self.arrays.positions[0]), np.empty_like(self.arrays.masks[0])
        pace = Pace(1, SLICE)
        while self.done < simulations and not self.is_proven:
            some = min(pace.begin(), simulations - self.done)
            self.done += kernel.simulate(
                self.arrays, some, exploration, margin, self.history, stream, array, mask, *self.encoded
            )
            pace.done()

    def collect(
        self, simulations: int, batch: int, exploration: float, margin: float, stream: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.int64]:
        """Nodes to evaluate next, none if there are ``simulations`` or the root is proven."""
        leaves = np.empty(batch, dtype=np.int64)
        is_root = not self.arrays.visits[0]
        count, done = kernel.collect(
            self.arrays, simulations - self.done, exploration, margin, self.history, stream, leaves, *self.encoded
        )
        self.done += done if is_root else count + done
        return leaves[:count]

    def receive(
        self, leaves: npt.NDArray[np.int64], priors: npt.NDArray[np.float32], values: npt.NDArray[np.float32]
    ) -> None:
        """Take the evaluation of what ``collect`` returned."""
        kernel.receive(self.arrays, leaves, priors, values, self.rules.board.pits)

    def found(self) -> Search:
        """The result of the search at the root."""
        tree = self.arrays
        children = tree.children[0]
        there = children != kernel.NOBODY
        visits = np.where(there, tree.visits[children], 0).astype(np.int64)
        results = np.where(there, tree.proven[children], kernel.UNKNOWN)
        known = results != kernel.UNKNOWN
        proven = np.where(known, self.sign * results.astype(np.float64), np.nan)
        values = np.full(len(children), np.nan)
        values[there] = self.sign * tree.totals[children[there]] / tree.visits[children[there]]
        values[known] = self.sign * tree.worth[children[known]]
        value = tree.worth[0] if self.is_proven else tree.totals[0] / max(1, tree.visits[0])
        return Search(
            visits=visits,
            values=values,
            proven=proven,
            value=self.sign * float(value) + 0.0,  # no -0
            result=self.sign * int(tree.proven[0]) if self.is_proven else None,
            simulations=self.done,
            best=_best(visits, values, proven, self.is_proven),
        )


def _best(
    visits: npt.NDArray[np.int64], values: npt.NDArray[np.float64], proven: npt.NDArray[np.float64], is_proven: bool
) -> int:
    """The action to play; see ``Search``."""
    tried = np.flatnonzero(visits)
    known = tried[~np.isnan(proven[tried])]
    sure = known[np.lexsort((-visits[known], -values[known]))]  # the best first
    if is_proven:
        return int(sure[0])
    kept = tried[proven[tried] != -1]
    kept = kept if len(kept) else tried
    best = kept[np.lexsort((-values[kept], -visits[kept]))[0]]
    return int(sure[0] if len(sure) and values[sure[0]] > values[best] else best)


def _evaluation(
    answer: tuple[Any, Any], masks: npt.NDArray[np.bool_], who: str = "evaluate"
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Checked and converted: what ``evaluate``, or ``noise`` with the values of ``evaluate``, returned."""
    priors = np.ascontiguousarray(answer[0], dtype=np.float32)
    values = np.ascontiguousarray(answer[1], dtype=np.float32)
    if priors.shape != masks.shape or values.shape != (len(masks),):
        raise ValueError(
            f"{who} must return priors of shape {masks.shape} and values of shape {(len(masks),)}, "
            f"not {priors.shape} and {values.shape}"
        )
    if not np.isfinite(values).all() or not (priors[masks] >= 0).all() or not np.isfinite(priors[masks]).all():
        raise ValueError(f"{who} must return finite values, and finite priors of 0 or more for legal actions")
    return priors, values


def _check_whole(name: str, number: object, most: int) -> None:
    if not isinstance(number, int | np.integer) or isinstance(number, bool) or not 1 <= number <= most:
        raise ValueError(f"{name} must be a whole number from 1 to {most:,}, not {number!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
