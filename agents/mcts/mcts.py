"""Monte Carlo tree search as an agent: UCT with rollouts, or PUCT guided by a network or a learned evaluation."""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.batched.players import running, spec
from agents.mcts import kernel
from agents.mcts.kernel import NOBODY, UNKNOWN, Leaves, Settings, Tree
from agents.pace import CLOCK, MARGIN, Clocked, Pace
from agents.search.evaluation import Evaluation
from agents.search.limits import check_limit
from agents.search.minimax import RESULT, evaluation_of
from agents.search_info import SearchInfo
from mancala_env import checks
from mancala_env.checks import shown
from mancala_env.kernels import layout
from mancala_env.kernels.jit import Stopwatch
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import called
from mancala_env.state import State, the_state

MAX_SIMULATIONS = 10_000_000  # a tree of that size takes more than a gigabyte
SIMULATIONS = 800  # a move, without any limit
MOST_PER_SECOND, LEAST_ROOM = 1_000_000, 1000  # under a limit of time a tree has room for so many simulations
MAX_BATCH = 65_536
EXPLORATION = {"rollouts": 1.0, "evaluate": 1.5, "evaluation": 1.0}  # defaults
ROOTS = ("puct", "gumbel")
ROLLOUT = 32  # plies that one simulation plays, about
SLICE = 2000  # maximum in one call of a kernel, about 0.02 s, during which Ctrl-C is not noticed

Evaluate = Callable[[npt.NDArray[np.int16], npt.NDArray[np.bool_]], tuple[Any, Any]]


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

    def found(self) -> list[Search]:
        """The results of the searches at the roots."""
        forest = self.arrays
        m, actions = forest.gumbel.shape
        visits, best = np.empty((m, actions), dtype=np.int64), np.empty(m, dtype=np.int64)
        values, proven, policy = np.empty((3, m, actions))
        kernel.summarise(forest, visits, values, proven, policy, best, self.rules.board.pits)
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


class MctsAgent(Clocked):
    """Grows a tree by ``simulations`` and plays the action visited most, or a better one that is proven.

    Without ``evaluate`` the tree grows by UCT and new positions are worth what random moves to the end bring. With it
    selection follows PUCT, and up to ``batch`` new positions are evaluated in one call. With ``evaluation`` it follows
    PUCT as well, all compiled: a new position is worth what the learned evaluation says of the best move there, and the
    softmax of all moves is the policy. A Gumbel root chooses by sequential halving instead (Danihelka et al. 2022).

    A simulation is one descent from the root, by all rules, the game before the root included. Results that the tree
    proves are exact: a position is proven by a move of the maximum worth (without a margin, any win), or when all its
    moves are; it gets no more simulations, and the search ends when the root is proven.

    In a match the search is for the game in progress, unless ``evaluate`` has a true attribute ``values_match``: its
    values are then of the match, and only an end of the match is an end. An agent is for one thread at a time. Ctrl-C
    is noticed within a moment. ValueError if a setting is impossible.

    Parameters
    ----------
    simulations : int, optional
        Per move, 1 or more; 800 if no ``time`` is given. A move that is the only legal one is played without a search.
    exploration : float, optional
        c, 0 or more, in ``mean + c sqrt(ln N / n)`` with rollouts, by default 1, and in ``mean + c prior sqrt(N) / (1 +
        n)`` otherwise, by default 1.5 with ``evaluate`` and 1 with ``evaluation``.
    seed : int
    margin : float, optional
        From 0 to 1: how much of the reward at the end is the lead, as a share of all seeds, instead of the result.
        Values and ends of games must be of one kind: the default is the attribute ``margin`` of ``evaluate``, else 0.
    evaluate : callable, optional
        ``evaluate(positions, masks) -> (priors, values)`` for m running positions: int16[m, W] (``kernels.layout``),
        masks bool[m, A]; priors float32[m, A], 0 or more, in any scale and with anything for illegal actions; values
        float32[m] for the mover of each, from -1 to 1.
    batch : int
        Maximum number of positions of one tree in one call of ``evaluate``.
    name, network : str, optional
        The agent's name; the path of a policy (``agents.policy.network``) that evaluates.
    root, considered : str, int
        "puct", or "gumbel" (with ``evaluate`` or ``evaluation``): sequential halving at the root among at most
        ``considered`` actions, without noise unless ``search_all`` is given some.
    time : float or "clock", optional
        Seconds for each move, or a share of what the clock leaves (``clock``), at least one simulation. A Gumbel root
        also needs ``simulations``, a number to divide.
    evaluation : str or Evaluation, optional
        A learned one (``agents.search.evaluation``): ``zoo:oware``, the path of a run or its file. The agent then plays
        only its ``rules``.
    """

    unit = RESULT  # of ``move_values``

    def __init__(
        self,
        simulations: int | None = None,
        exploration: float | None = None,
        seed: int = 0,
        margin: float | None = None,
        evaluate: Evaluate | None = None,
        batch: int = 16,
        name: str | None = None,
        network: str | None = None,
        root: str = "puct",
        considered: int = 16,
        time: float | str | None = None,
        evaluation: str | Evaluation | None = None,
    ) -> None:
        self.evaluate, self._learned = _evaluator(evaluate, network, evaluation)
        self.rules = None if self._learned is None else self._learned.rules
        given, guided = simulations, self.evaluate is not None or self._learned is not None
        if simulations is None:
            simulations = SIMULATIONS if time is None else MAX_SIMULATIONS
        if exploration is None:
            by = "rollouts" if not guided else "evaluation" if self.evaluate is None else "evaluate"
            exploration = EXPLORATION[by]
        if margin is None:
            margin = getattr(self.evaluate, "margin", 0.0)
        limits = {"simulations": (simulations, MAX_SIMULATIONS), "batch": (batch, MAX_BATCH)}
        for setting, (number, most) in {**limits, "considered": (considered, MAX_BATCH)}.items():
            if not checks.is_whole(number) or not 1 <= number <= most:
                raise ValueError(f"{setting} must be a whole number from 1 to {most:,}, not {number!r}")
        if time != CLOCK:
            check_limit("time", time)
        if not checks.is_real(exploration) or not 0 <= exploration < math.inf:
            raise ValueError(f"exploration must be a number, 0 or more, not {exploration!r}")
        if not checks.is_real(margin) or not 0 <= margin <= 1:
            raise ValueError(f"margin must be a number from 0 to 1, not {margin!r}")
        if root not in ROOTS:
            raise ValueError(f"root must be one of {', '.join(ROOTS)}, not {root!r}")
        if root == "gumbel" and not guided:
            raise ValueError(
                "root=gumbel needs priors: give evaluate, network=... or evaluation=..., or search with root=puct"
            )
        if root == "gumbel" and given is None and time is not None:
            raise ValueError("root=gumbel divides a known number of simulations: give simulations as well as time")
        self.simulations, self.batch, self.considered = int(simulations), int(batch), int(considered)
        self.root, self.margin = root, float(margin)
        self.settings = Settings(float(exploration), float(margin))
        self._take_time(time)
        self.name = name or spec(
            "mcts",
            simulations=given if time is not None else simulations,
            time=time,
            network=network,
            evaluation="own" if isinstance(evaluation, Evaluation) else evaluation,
            root=root if root != "puct" else None,
        )
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Before each game: start the random numbers from ``seed``, 0 or more."""
        sequence = np.random.SeedSequence(checks.seed(seed))
        self._stream: npt.NDArray[np.uint64] = sequence.generate_state(1, np.uint64).view(np.uint64)
        self._forget_time()
        self.info: SearchInfo | None = None

    def refusal(self, rules: Ruleset) -> str:
        """Why it does not play a game: what evaluates positions was trained for another; or ""."""
        known = self.rules if self._learned is not None else getattr(self.evaluate, "rules", None)
        if isinstance(known, Ruleset) and known != rules:
            return f"{self.name} was trained for {called(known)} and does not play {called(rules)}"
        return ""

    def act(self, state: State, stop: Callable[[], bool] | None = None) -> int:
        """The action to play. Raises ValueError if the game is over. ``stop``: as for ``search_all``."""
        self.info = None
        if len(the_state(state).legal_actions) == 1:
            return state.legal_actions[0]
        found = self.search(state, stop=stop)
        self.info = SearchInfo(None, found.value)
        return found.best

    def search(self, state: State, seconds: float | None = None, stop: Callable[[], bool] | None = None) -> Search:
        """Search a position. Raises ValueError if the game is over. ``seconds``, ``stop``: as for ``search_all``."""
        return self.search_all([state], seconds=seconds, stop=stop)[0]

    def move_values(self, state: State) -> dict[int, float] | None:
        """The mean result after each action, -1 to 1, exact where proven, as a game that begins here with seed 0 would
        have it; none of an action without a visit. None if the game is over."""
        if state.is_over:
            return None
        values = self._judged(state).values
        return {action: float(values[action]) for action in state.legal_actions if np.isfinite(values[action])}

    def weights(self, state: State) -> dict[int, float]:
        """Each action's share of the visits in the search of ``move_values``."""
        visits = self._judged(state).visits
        return {action: float(visits[action] / max(1, visits.sum())) for action in state.legal_actions}

    def _judged(self, state: State) -> Search:
        judge = copy.copy(self)  # which changes nothing in how this one plays
        judge.reset(0)
        return judge.search(state)

    def search_all(
        self,
        states: Sequence[State],
        gumbel: npt.NDArray[np.float64] | None = None,
        simulations: Sequence[int] | npt.NDArray[np.integer[Any]] | None = None,
        seconds: float | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> list[Search]:
        """Search several positions of one game, m of them, each with a tree of its own.

        ``evaluate`` then gets the new positions of all trees in one call. ValueError if positions are over, of several
        games or of another than the evaluation, an argument does not fit, what ``evaluate`` returns is of a wrong shape
        or not finite, or the agent plays by a clock and was told none.

        ``gumbel``, float64[m, A]: standard Gumbel noise of the roots, which are then searched so even with
        ``root="puct"``; only with ``evaluate`` or ``evaluation``. ``simulations``, ints[m]: instead of the agent's own.
        ``seconds``: for all positions together, instead of its ``time``, with one simulation each at least. ``stop`` is
        called repeatedly, and ends the search by True."""
        watch = Stopwatch()
        for state in states:
            running(state, self.name)
            if self._learned is not None and (why := self.refusal(state.rules)):
                raise ValueError(why)
            if state.rules is not states[0].rules and state.rules != states[0].rules:
                raise ValueError(f"search_all takes positions of one game, not {states[0].rules.name} and {state}")
        if not states:
            return []
        if seconds is None:
            seconds = self._own_time()
        check_limit("time", seconds)
        if simulations is None:
            wanted = np.full(len(states), self.simulations, dtype=np.int64)
        else:
            wanted = checks.numbers(simulations, "simulations", 1, MAX_SIMULATIONS, len(states))
        if seconds is not None:
            wanted = np.minimum(wanted, max(LEAST_ROOM, int(MOST_PER_SECOND * min(seconds, 100.0))))
        of_match = bool(getattr(self.evaluate, "values_match", False))
        forest = Forest(states, wanted, self.evaluate is not None, of_match, self._learned)
        if gumbel is not None or self.root == "gumbel":  # the roots are then searched by sequential halving
            arrays, legal = forest.arrays, forest.arrays.masks[:, 0].sum(axis=1, keepdims=True)
            arrays.considered[:] = np.minimum(np.minimum(legal, self.considered), arrays.wanted)
            arrays.gumbel[:] = self._gumbel(gumbel, arrays.gumbel.shape)
        if self.evaluate is None:
            for t in range(len(states)):
                end = None if seconds is None else seconds * (t + 1) / len(states)
                forest.simulate(t, self.settings, self._stream, watch, end, stop)
        else:
            self._evaluated(forest, self.evaluate, watch, seconds, stop)
        return forest.found()

    def _evaluated(
        self, forest: Forest, evaluate: Evaluate, watch: Stopwatch, end: float | None, stop: Callable[[], bool] | None
    ) -> None:
        """Grow all trees, a call of ``evaluate`` a round, until full, stopped, or no round fits before ``end``."""
        # The first round evaluates the position of each tree alone.
        begun, longest, rounds = watch.seconds, 0.0, 0
        while end is None or rounds < 2 or watch.seconds + longest + MARGIN < end:
            if rounds > 1 and stop is not None and stop():
                return
            if end is None:
                rounds += 1
            else:
                now = watch.seconds
                if rounds > 1:
                    longest = max(0.9 * longest, now - begun)
                begun, rounds = now, rounds + 1
            leaves = forest.collect(self.batch, self.settings, self._stream)
            masks = leaves.masks
            if not len(masks):
                return
            priors, values = _evaluation(evaluate(leaves.positions, masks), masks)
            kernel.receive(forest.arrays, leaves, priors, values, forest.rules.board.pits)

    def _gumbel(self, given: Any, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
        """float64[m, A]: the noise of Gumbel roots."""
        if self.evaluate is None and self._learned is None:
            raise ValueError("gumbel needs priors: give the agent evaluate or a network, or leave gumbel out")
        if given is None:
            return np.zeros(shape)
        noise = np.asarray(given, dtype=np.float64)
        if noise.shape != shape or not np.isfinite(noise).all():
            raise ValueError(f"gumbel must be float64{list(shape)}, finite, not {checks.described(np.asarray(given))}")
        return noise


def _evaluator(
    evaluate: Evaluate | None, network: str | None, evaluation: str | Evaluation | None
) -> tuple[Evaluate | None, Evaluation | None]:
    """What evaluates positions: a function, or a learned evaluation. Raises ValueError if it is more than one."""
    given = {"evaluation": evaluation, "network": network, "evaluate": evaluate}
    if sum(each is not None for each in given.values()) > 1:
        raise ValueError("evaluation, network and evaluate all say what evaluates positions: give only one")
    if evaluation is not None:
        learned = evaluation_of(evaluation)
        if not isinstance(learned, Evaluation):
            raise ValueError(
                f"evaluation of a tree search is a learned one, zoo:NAME or its path, not {shown(evaluation)}"
            )
        return None, learned
    if network is not None:
        from agents.policy.evaluator import NetworkEvaluator  # imports torch

        return NetworkEvaluator(str(network)), None
    if evaluate is not None and not callable(evaluate):
        raise ValueError(f"evaluate must be a function of positions and masks, not {evaluate!r}")
    return evaluate, None


def _evaluation(
    answer: tuple[Any, Any], masks: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    priors = np.ascontiguousarray(answer[0], dtype=np.float32)
    values = np.ascontiguousarray(answer[1], dtype=np.float32)
    if priors.shape != masks.shape or values.shape != (len(masks),):
        raise ValueError(
            f"evaluate must return priors of shape {masks.shape} and values of shape {(len(masks),)}, "
            f"not {priors.shape} and {values.shape}"
        )
    if not np.isfinite(values).all() or not (priors[masks] >= 0).all() or not np.isfinite(priors[masks]).all():
        raise ValueError("evaluate must return finite values, and finite priors of 0 or more for legal actions")
    return priors, values
