"""Trees of a Monte Carlo tree search that are searched together, and what was found in them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.mcts import choice, kernel
from agents.mcts.kernel import Leaves
from agents.mcts.tree import NOBODY, UNKNOWN, Settings, Tree
from agents.pace import MARGIN, Pace
from agents.search.evaluation import Evaluation
from mancala_env.kernels import layout
from mancala_env.kernels.jit import Stopwatch
from mancala_env.rules import Ruleset
from mancala_env.state import State

ROLLOUT = 32  # plies that one simulation plays, about
SLICE = 2000  # maximum in one call of a kernel, about 0.02 s, during which Ctrl-C is not noticed


@dataclass(frozen=True)
class Search:
    """The result of a search of one position. All values are for its mover; A is the number of actions."""

    visits: npt.NDArray[np.int64]  # [A]: simulations that went through each action
    # [A]: the mean of their results, from -1 (lost) to 1 (won); exact where proven, nan where there are none
    values: npt.NDArray[np.float64]
    # [A]: the result after each action, -1, 0 or 1; nan where it, or its size with a margin, is not proven
    proven: npt.NDArray[np.float64]
    value: float  # the mean result of all simulations; exact where the result is proven
    # The proven result of the position, -1, 0 or 1. With a margin only where ``value`` is exact as well.
    result: int | None
    simulations: int  # those done: the sum of ``visits``
    # The action to play. If the position is proven, one that is worth most. Else the most visited of those not proven
    # lost, unless a proven one is worth more than its mean. Of several that are visited most, the one with the largest
    # mean; with a Gumbel root, that with the largest noise + log prior + sigma(Q).
    best: int
    # [A]: the improved policy, which sums to 1 over the legal actions: the softmax of log prior + sigma(Q)
    # (Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel", ICLR 2022). Q is
    # ``values``; actions without visits get the mixed value of that paper. So a proven action gets the share that it is
    # worth, however few visits it has; if the position is proven, all is on the actions that are worth most. Without
    # ``evaluate`` all priors are the same.
    policy: npt.NDArray[np.float64]


class Forest:
    """Trees that one thread searches together (``arrays``, a ``Tree`` with an axis of trees first), from ``states``,
    running positions of one game. ``simulations`` int64[m] are wanted. ``with_priors``: positions are evaluated from
    outside, and then perhaps ``of_match``; else leaves are worth what ``learned`` says, or played out.
    """

    def __init__(
        self,
        states: Sequence[State],
        simulations: npt.NDArray[np.int64],
        with_priors: bool,
        of_match: bool = False,
        learned: Evaluation | None = None,
    ) -> None:
        self.rules: Ruleset = states[0].rules
        self._simulations = simulations
        m, room = len(states), int(simulations.max()) + 1
        width, actions, pits = self.rules.fields["width"], self.rules.num_actions, self.rules.board.pits
        self.arrays = forest = Tree(  # kernels set the entries of a node when they add it
            size=np.ones((m, 1), dtype=np.int64),
            positions=np.empty((m, room, width), dtype=np.int16),
            masks=np.empty((m, room, actions), dtype=np.bool_),
            hashes=np.empty((m, room if self.rules.repetition else 1), dtype=np.uint64),
            parents=np.empty((m, room), dtype=np.int32),
            children=np.empty((m, room, actions), dtype=np.int32),
            visits=np.empty((m, room), dtype=np.int32),
            waits=np.empty((m, room), dtype=np.int32),
            totals=np.empty((m, room), dtype=np.float64),
            proven=np.empty((m, room), dtype=np.int8),
            worth=np.empty((m, room), dtype=np.float64),
            priors=np.empty((m, room if with_priors or learned is not None else 0, actions), dtype=np.float32),
            firsts=np.empty((m, room if learned is not None else 0, actions), dtype=np.float32),
            backed=np.empty((m, room if learned is not None else 0), dtype=np.float64),
            wanted=np.ascontiguousarray(simulations).reshape(m, 1),
            considered=np.zeros((m, 1), dtype=np.int64),
            gumbel=np.zeros((m, actions)),
            guess=np.full((m, 1), np.nan),
            scores=np.empty((m, actions)),
        )
        for t, state in enumerate(states):
            forest.positions[t, 0], forest.masks[t, 0] = state.array, state.legal_mask
        self._signs = 1 - 2 * forest.positions[:, 0, pits + layout.MOVER].astype(np.int64)
        forest.parents[:, 0] = forest.children[:, 0] = NOBODY
        forest.proven[:, 0], forest.worth[:, 0] = UNKNOWN, self._signs * -np.inf
        forest.visits[:, 0] = forest.waits[:, 0] = forest.totals[:, 0] = 0
        self._encoded = self.rules.encoded if of_match else self.rules.one_game
        self._history = self._histories(states, room if of_match else int(self._encoded.axes[layout.PLY_LIMIT]))
        self._pace = Pace(8, m)
        self._weights = None if learned is None else learned.weights()

    def _histories(self, states: Sequence[State], depth: int) -> npt.NDArray[np.uint64]:
        """uint64[m, H]: the hashes since the last capture before each root, and room for ``depth`` more plies."""
        if not self.rules.repetition:
            return np.empty((len(states), 2), dtype=np.uint64)
        known = [state.history for state in states]
        histories = np.empty((len(states), max(map(len, known)) + depth + 2), dtype=np.uint64)
        for t, hashes in enumerate(known):
            histories[t, : len(hashes)] = hashes
            self.arrays.hashes[t, 0] = hashes[-1]
        return histories

    def tree(self, t: int) -> Tree:
        """The arrays of one tree."""
        return Tree(*(array[t] for array in self.arrays))

    def consider(self, considered: int, gumbel: npt.NDArray[np.float64]) -> None:
        """Search the roots by sequential halving among ``considered`` actions, with this noise, float64[m, A]."""
        legal = self.arrays.masks[:, 0].sum(axis=1, keepdims=True)
        self.arrays.considered[:] = np.minimum(np.minimum(legal, considered), self.arrays.wanted)
        self.arrays.gumbel[:] = gumbel

    def simulate(
        self,
        t: int,
        settings: Settings,
        stream: npt.NDArray[np.uint64],
        watch: Stopwatch,
        end: float | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        """Add simulations to a tree, at least one, until it is full or proven, ``stop`` says so, or ``end`` comes."""
        tree = self.tree(t)
        array, mask = np.empty_like(tree.positions[0]), np.empty_like(tree.masks[0])
        pace = Pace(1, SLICE)
        left = whole = int(self._simulations[t])
        while left and tree.proven[0] == UNKNOWN:
            seconds = None if end is None else end - watch.seconds
            if seconds is not None and seconds <= MARGIN and left < whole:
                break
            if left < whole and stop is not None and stop():
                break
            some = min(pace.begin(seconds), left)
            rules = self._encoded.to_play(ROLLOUT * some)
            done = kernel.simulate(tree, some, settings, self._history[t], stream, array, mask, self._weights, rules)
            pace.done(done)
            left -= done

    def collect(self, batch: int, settings: Settings, stream: npt.NDArray[np.uint64]) -> Leaves:
        """What to evaluate next; nothing when all trees have their simulations or are proven."""
        m, room = len(self.arrays.size), self.arrays.positions.shape[1]
        batch = min(batch, room)
        most = m * batch
        leaves = Leaves(
            trees=np.empty(most, dtype=np.int64),
            nodes=np.empty(most, dtype=np.int64),
            positions=np.empty((most, self.arrays.positions.shape[2]), dtype=np.int16),
            masks=np.empty((most, self.arrays.masks.shape[2]), dtype=np.bool_),
        )
        count = begin = 0
        while begin < m:
            end = min(m, begin + self._pace.begin())
            rest = Leaves(*(array[count:] for array in leaves)) if count else leaves
            count += kernel.collect(
                self.arrays, begin, end, batch, settings, self._history, stream, rest, self._encoded.rules
            )
            self._pace.done()
            begin = end
        return Leaves(*(array[:count] for array in leaves))

    def receive(self, leaves: Leaves, priors: npt.NDArray[np.float32], values: npt.NDArray[np.float32]) -> None:
        """Take the evaluation of what ``collect`` returned."""
        kernel.receive(self.arrays, leaves, priors, values, self.rules.board.pits)

    def found(self) -> list[Search]:
        """The results of the searches at the roots."""
        forest = self.arrays
        m, actions = forest.gumbel.shape
        visits, best = np.empty((m, actions), dtype=np.int64), np.empty(m, dtype=np.int64)
        values, proven, policy = np.empty((3, m, actions))
        choice.summarise(forest, visits, values, proven, policy, best, self.rules.board.pits)
        known = forest.proven[:, 0] != UNKNOWN
        means = forest.totals[:, 0] / np.maximum(forest.visits[:, 0], 1)
        whole = self._signs * np.where(known, forest.worth[:, 0], means) + 0.0  # no -0
        results = self._signs * forest.proven[:, 0]
        return [
            Search(
                visits=visits[t],
                values=values[t],
                proven=proven[t],
                value=float(whole[t]),
                result=int(results[t]) if known[t] else None,
                simulations=int(visits[t].sum()),
                best=int(best[t]),
                policy=policy[t],
            )
            for t in range(m)
        ]
