"""Monte Carlo tree search as an agent: UCT with rollouts, or PUCT guided by a network or a learned evaluation."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.mcts import choice, kernel
from agents.mcts.tree import NOBODY, UNKNOWN, Tree, keep_below
from agents.pace import CLOCK, MARGIN, TELL, Pace, check_clock, share_of_clock
from agents.search.evaluation import Evaluation
from agents.search.minimax import evaluation_of
from agents.search_info import SearchInfo
from mancala_env import checks
from mancala_env.kernels import layout
from mancala_env.kernels.jit import Stopwatch
from mancala_env.position_fields import shown
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import called
from mancala_env.state import State, the_state

MAX_SIMULATIONS = 10_000_000  # a tree of that size takes more than a gigabyte
SIMULATIONS = 800  # a move, without any limit
MOST_PER_SECOND, LEAST_ROOM = 1_000_000, 1000  # under a limit of time a tree has room for so many simulations
MAX_BATCH = 65_536
ROLLOUT = 32  # plies that one simulation plays, about
SLICE = 2000  # maximum in one call of a kernel, about 0.02 s, during which Ctrl-C is not noticed
EXPLORATION = {"rollouts": 1.0, "evaluate": 1.5, "evaluation": 1.0}  # defaults
ROOTS = ("puct", "gumbel")

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
        The proven result of the position, -1, 0 or 1. With a margin only where ``value`` is exact as well. Of a match
        or of its game in progress: see ``MctsAgent``.
    simulations : int
        The number of simulations done: the sum of ``visits``.
    best : int
        The action to play. If the position is proven, one that is worth most. Else the most visited of those not
        proven lost, unless a proven one is worth more than its mean. Of several that are visited most, the one with
        the largest mean; with a Gumbel root, that with the largest noise + log prior + sigma(Q).
    policy : float64[A]
        The improved policy of the search, which sums to 1 over the legal actions: the softmax of log prior + sigma(Q)
        (Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel", ICLR 2022). Q is
        ``values``, exact where proven; actions without visits get the mixed value of that paper. So a proven action
        gets the share that it is worth, however few visits it has. If the position is proven, all is on the actions
        that are worth most. Without ``evaluate`` all priors are the same.
    """

    visits: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    proven: npt.NDArray[np.float64]
    value: float
    result: int | None
    simulations: int
    best: int
    policy: npt.NDArray[np.float64]


class MctsAgent:
    """Grows a tree by ``simulations`` and plays the action visited most, or a better one that is proven.

    Without ``evaluate`` the tree grows by UCT and new positions are evaluated by playing random moves to the end. With
    it selection follows PUCT, and up to ``batch`` new positions are evaluated in one call. With ``evaluation`` it
    follows PUCT as well, all of it compiled: a new position is worth what the learned evaluation of a search says of
    the best move there, and the softmax of what it says of all moves is the policy. With a Gumbel root the
    actions of the position searched are chosen by sequential halving instead (Danihelka et al. 2022): each of
    ``considered`` actions gets the same number of simulations, then each of the better half of them, and so on. An
    action that is proven keeps its turns, which cost no evaluation.

    A simulation is one descent from the root. It follows all rules: extra turns, passes, ply limits, and repetition
    along the whole line, the game before the root included. Wins, draws and losses that the
    tree proves are exact; what is proven gets no more simulations, and the search ends when the root is proven. A
    position is proven by a move of the maximum worth (without a margin, any win), or when all its moves are proven:
    its worth is then that of the best.

    In a match the search is for the game in progress: its end is worth its own result, and the values of ``evaluate``
    should be of the same. Where ``evaluate`` has a true attribute ``values_match``, as a network's evaluator has, they
    are of the match instead, and so is then the search: it goes on into the next game, and only an end of the match
    is an end.

    An agent is for one thread at a time: its random numbers are written to without a lock. Ctrl-C is noticed within a
    moment; the agent then plays on as if that search had not been started, but with other random numbers.

    Parameters
    ----------
    simulations : int, optional
        Per move, 1 or more; 800 if no ``time`` is given. A move that is the only legal one is played without a search.
    exploration : float, optional
        How much visits weigh against results, 0 or more: c in ``mean + c sqrt(ln N / n)`` with rollouts and in
        ``mean + c prior sqrt(N) / (1 + n)`` with ``evaluate``. Default: 1.0 and 1.5.
    seed : int
        Of the random numbers; see ``reset``.
    margin : float, optional
        From 0 to 1: how much of the reward at the end is the lead, as a share of all seeds, instead of the result.
        Values and ends of games must be of one kind: the default is the attribute ``margin`` of ``evaluate``, which a
        network's evaluator takes from the network, and 0 if there is none.
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
    root : str
        "puct", or "gumbel": sequential halving at the root, without noise unless ``search_all`` is given some. Needs
        ``evaluate`` or ``evaluation``.
    considered : int
        Maximum number of actions that a Gumbel root considers, 1 or more.
    c_visit, c_scale : float
        Of ``sigma(q) = (c_visit + max_b N(b)) c_scale (q + 1) / 2``, 0 or more: how much results weigh against priors
        in ``Search.policy`` and at a Gumbel root. N are visits.
    time : float or "clock", optional
        Seconds for each move, or a share of what the clock leaves (``clock``). There are simulations until
        they are over, at least one; the choice then depends on the machine. A Gumbel root divides a known number of
        simulations among the moves, so it also needs ``simulations``, which the time should suffice for.
    evaluation : str or Evaluation, optional
        A learned evaluation (``agents.search.evaluation``): ``zoo:oware``, the path of a run or its file. The agent
        then plays only the rules that it was learnt for.
    reuse : bool
        Keep what the last search has found below the position searched now, where it was reached from that one with
        the same history; ``simulations`` then come on top of it. A choice then also depends on the game so far. Not
        with a Gumbel root.

    Attributes
    ----------
    rules : Ruleset or None
        The only rules that its evaluation plays; None without one.

    Raises
    ------
    ValueError
        If a setting is impossible.
    """

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
        c_visit: float = 50.0,
        c_scale: float = 1.0,
        time: float | str | None = None,
        evaluation: str | Evaluation | None = None,
        reuse: bool = False,
    ) -> None:
        self._learned: Evaluation | None = None
        if evaluation is not None:
            if network is not None or evaluate is not None:
                raise ValueError("evaluation, network and evaluate all say what evaluates positions: give only one")
            learned = evaluation_of(evaluation)
            if not isinstance(learned, Evaluation):
                raise ValueError(
                    f"evaluation of a tree search is a learned one, zoo:NAME or its path, not {shown(evaluation)}"
                )
            self._learned = learned
        self.rules = None if self._learned is None else self._learned.rules
        if network is not None:
            if evaluate is not None:
                raise ValueError("network and evaluate both say what evaluates positions: give only one")
            from agents.policy.evaluator import NetworkEvaluator  # imports torch

            evaluate = NetworkEvaluator(str(network))
        given = simulations
        if simulations is None:
            simulations = SIMULATIONS if time is None else MAX_SIMULATIONS
        _check_whole("simulations", simulations, MAX_SIMULATIONS)
        if time != CLOCK:
            _check_seconds(time)
        _check_whole("batch", batch, MAX_BATCH)
        if exploration is None:
            by = "evaluate" if evaluate is not None else "rollouts" if self._learned is None else "evaluation"
            exploration = EXPLORATION[by]
        for setting, value in (("exploration", exploration), ("c_visit", c_visit), ("c_scale", c_scale)):
            if not _is_number(value) or not 0 <= value < math.inf:
                raise ValueError(f"{setting} must be a number, 0 or more, not {value!r}")
        _check_whole("considered", considered, MAX_BATCH)
        if root not in ROOTS:
            raise ValueError(f"root must be one of {', '.join(ROOTS)}, not {root!r}")
        if root == "gumbel" and evaluate is None and self._learned is None:
            raise ValueError(
                "root=gumbel needs priors: give evaluate, network=... or evaluation=..., or search with root=puct"
            )
        if root == "gumbel" and given is None and time is not None:
            raise ValueError("root=gumbel divides a known number of simulations: give simulations as well as time")
        if not isinstance(reuse, bool) or (reuse and root == "gumbel"):
            raise ValueError(f"reuse must be true or false, and false with root=gumbel, not {reuse!r}")
        self.reuse = reuse
        if margin is None:
            margin = getattr(evaluate, "margin", 0.0)
        if not _is_number(margin) or not 0 <= margin <= 1:
            raise ValueError(f"margin must be a number from 0 to 1, not {margin!r}")
        if evaluate is not None and not callable(evaluate):
            raise ValueError(f"evaluate must be a function of positions and masks, not {evaluate!r}")
        self.simulations = int(simulations)
        self.exploration = float(exploration)
        self.margin = float(margin)
        self.evaluate = evaluate
        self.batch = int(batch)
        self.root = root
        self.considered = int(considered)
        self.c_visit, self.c_scale = float(c_visit), float(c_scale)
        self._by_clock = time == CLOCK
        self.time: float | None = None if self._by_clock else time  # type: ignore[assignment]
        limits = (("simulations", given if time is not None else simulations), ("time", time))
        self.name = name or (
            "mcts:"
            + ",".join(f"{limit}={value}" for limit, value in limits if value is not None)
            + (f",network={network}" if network else "")
            + (f",evaluation={evaluation if isinstance(evaluation, str) else 'own'}" if self._learned else "")
            + (f",root={root}" if root != "puct" else "")
            + (",reuse=true" if reuse else "")
        )
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Before each game: start the random numbers from ``seed``, 0 or more."""
        sequence = np.random.SeedSequence(checks.seed(seed))
        self._last: tuple[State, Tree] | None = None  # what was searched last, and its tree
        self._stream: npt.NDArray[np.uint64] = sequence.generate_state(1, np.uint64).view(np.uint64)
        if self._by_clock:
            self.time = None
        self.told: SearchInfo | None = None

    def clock(self, left: float, increment: float = 0.0) -> None:
        """Before ``act``: the seconds left for the rest of the game, and those added after each move.

        With ``time=clock`` they fix the time for the move (``agents.pace.share_of_clock``).

        Raises
        ------
        ValueError
            If they are no numbers of seconds.
        """
        check_clock(left, increment)
        if self._by_clock:
            self.time = share_of_clock(left, increment)

    def refusal(self, rules: Ruleset) -> str:
        """Why it does not play a game: what evaluates positions was trained for another; or ""."""
        known = self.rules if self._learned is not None else getattr(self.evaluate, "rules", None)
        if isinstance(known, Ruleset) and known != rules:
            return f"{self.name} was trained for {called(known)} and does not play {called(rules)}"
        return ""

    def act(self, state: State, stop: Callable[[], bool] | None = None) -> int:
        """The action to play. Raises ValueError if the game is over. ``stop``: as for ``search_all``."""
        self.told = None
        if len(the_state(state).legal_actions) == 1:
            return state.legal_actions[0]
        found = self.search(state, stop=stop)
        self.told = SearchInfo(None, found.value)
        return found.best

    def search(self, state: State, seconds: float | None = None, stop: Callable[[], bool] | None = None) -> Search:
        """Search a position. Raises ValueError if the game is over. ``seconds``, ``stop``: as for ``search_all``."""
        return self.search_all([state], seconds=seconds, stop=stop)[0]

    def search_all(
        self,
        states: Sequence[State],
        noise: Noise | None = None,
        gumbel: npt.NDArray[np.float64] | None = None,
        simulations: Sequence[int] | npt.NDArray[np.integer[Any]] | None = None,
        seconds: float | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> list[Search]:
        """Search several positions of one game, each with a tree of its own; with ``evaluate`` in one batch.

        ``evaluate`` then gets the new positions of all trees in one call, ``len(states) * batch`` at most.

        Parameters
        ----------
        states : positions of one game, m of them
        noise : optional
            Changes the priors of each position searched, so that self-play tries what the network would not:
            ``noise(priors, masks)``, both [m, A], returns new priors. Only with ``evaluate``.
        gumbel : float64[m, A], optional
            The noise of Gumbel roots, one number for each action, standard Gumbel variables in self-play; the roots
            are then searched so even with ``root="puct"``. Default: zeros, with ``root="gumbel"``. Only with
            ``evaluate`` or ``evaluation``.
        simulations : ints[m], optional
            For each position, instead of the agent's own.
        seconds : float, optional
            For all positions together, instead of the agent's ``time``. Each gets one simulation in any case.
        stop : function, optional
            Called repeatedly; True ends the search as the end of the time does.

        Raises
        ------
        ValueError
            If a game is over, the positions are of different rulesets or of others than the evaluation, ``evaluate``
            returns arrays of a wrong shape or values that are not finite, ``gumbel`` or ``simulations`` do not fit, or
            the agent plays by a clock and was told none.
        """
        watch = Stopwatch()
        for state in states:
            if the_state(state).is_over:
                raise ValueError(f"{self.name} cannot move: the game is over in {state}")
            if self._learned is not None and (why := self.refusal(state.rules)):
                raise ValueError(why)
            if state.rules is not states[0].rules and state.rules != states[0].rules:
                raise ValueError(f"search_all takes positions of one game, not {states[0].rules.name} and {state}")
        if not states:
            return []
        if seconds is None:
            if self._by_clock and self.time is None:
                raise ValueError(f"{self.name} plays where a clock runs, and was told none: {TELL}")
            seconds = self.time
        else:
            _check_seconds(seconds)
        wanted = self._simulations(simulations, len(states))
        if seconds is not None:
            wanted = np.minimum(wanted, max(LEAST_ROOM, int(MOST_PER_SECOND * min(seconds, 100.0))))
        of_match = bool(getattr(self.evaluate, "values_match", False))
        last = None
        if self.reuse and len(states) == 1 and gumbel is None and noise is None:
            last, self._last = self._last, None
        forest = _Forest(states, wanted, self.evaluate is not None, of_match, self._learned, last)
        if gumbel is not None or self.root == "gumbel":
            forest.consider(self.considered, self._gumbel(gumbel, forest.arrays.gumbel.shape))
        if self.evaluate is None:
            for t in range(len(states)):
                end = None if seconds is None else seconds * (t + 1) / len(states)
                leading = self.exploration, self.margin, self.c_visit, self.c_scale
                forest.simulate(t, leading, self._stream, watch, end, stop)
        else:
            self._evaluated(forest, self.evaluate, noise, watch, seconds, stop)
        if self.reuse and len(states) == 1:
            self._last = states[0], forest.tree(0)
        return forest.found(self.c_visit, self.c_scale)

    def _evaluated(
        self,
        forest: "_Forest",
        evaluate: Evaluate,
        noise: Noise | None,
        watch: Stopwatch,
        end: float | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        """Grow all trees in step, with one call of ``evaluate`` for all, until they have their simulations.

        Or until ``stop`` says so, or ``watch`` is so near to ``end`` that another round, as long as the longest so far,
        would be too late.
        """
        roots = True  # the first round evaluates the position of each tree alone
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
            settings = self.batch, self.exploration, self.margin, self.c_visit, self.c_scale
            trees, leaves, positions, masks = forest.collect(*settings, self._stream)
            if not len(leaves):
                return
            priors, values = _evaluation(evaluate(positions, masks), masks)
            if roots and noise is not None:
                priors, _ = _evaluation((noise(priors, masks), values), masks, "noise")
            roots = False
            forest.receive(trees, leaves, priors, values)

    def _simulations(self, given: Any, m: int) -> npt.NDArray[np.int64]:
        """int64[m]: the simulations of each of m positions."""
        if given is None:
            return np.full(m, self.simulations, dtype=np.int64)
        return checks.numbers(given, "simulations", 1, MAX_SIMULATIONS, m)

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


class _Forest:
    """Trees that are searched together, and the work space of their kernels; for one thread at a time.

    Parameters
    ----------
    states : running positions of one game, m of them, 1 or more
    simulations : int64[m]
        That each tree is to have.
    with_priors : bool
        Are positions evaluated from outside, in batches?
    of_match : bool
        Is the search for the match, rather than for the game in progress? Only with priors.
    learned : Evaluation, optional
        What leaves are worth; without it, and without priors, they are played out.
    last : State and Tree, optional
        An earlier search of one position, with the same settings, of which what is below the only state is kept.

    Attributes
    ----------
    arrays : Tree
        With one axis more, the first: trees.
    """

    def __init__(
        self,
        states: Sequence[State],
        simulations: npt.NDArray[np.int64],
        with_priors: bool,
        of_match: bool = False,
        learned: Evaluation | None = None,
        last: "tuple[State, Tree] | None" = None,
    ) -> None:
        self.rules: Ruleset = states[0].rules
        kept = None if last is None else _node_of(states[0], *last)
        self._asked = simulations
        if last is not None and kept is not None:  # the result of the position itself was no simulation below it
            simulations = simulations + max(0, int(last[1].visits[kept]) - 1)
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
        if last is not None and kept is not None and last[1].visits[kept] > 0:
            keep_below(last[1], kept, self.tree(0), np.empty(int(last[1].size[0]), dtype=np.int32))
        self._encoded = self.rules.encoded if of_match else self.rules.one_game
        self._history = self._histories(states, room if of_match else int(self._encoded.axes[layout.PLY_LIMIT]))
        self._pace = Pace(8, m)
        self._weights = None if learned is None else learned.weights()

    def _histories(self, states: Sequence[State], depth: int) -> npt.NDArray[np.uint64]:
        """uint64[m, H]: of each tree the hashes since the last capture before its root, and room for those below.

        ``depth`` is the most that lines can be below the root.
        """
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
        leading: tuple[float, float, float, float],
        stream: npt.NDArray[np.uint64],
        watch: Stopwatch,
        end: float | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        """Add simulations by rollouts, or with a learned evaluation, to a tree until it has as many as it is to have.

        Or until it is proven, ``stop`` says so, or ``watch`` reaches ``end``; at least one. ``leading``: the arguments
        of ``kernel.simulate`` from ``exploration`` to ``c_scale``.
        """
        tree = self.tree(t)
        array, mask = np.empty_like(tree.positions[0]), np.empty_like(tree.masks[0])
        pace = Pace(1, SLICE)
        left = whole = int(self._asked[t])
        while left and tree.proven[0] == UNKNOWN:
            seconds = None if end is None else end - watch.seconds
            if seconds is not None and seconds <= MARGIN and left < whole:
                break
            if left < whole and stop is not None and stop():
                break
            some = min(pace.begin(seconds), left)
            done = kernel.simulate(
                tree, some, *leading, self._history[t], stream, array, mask, self._weights,
                self._encoded.to_play(ROLLOUT * some),
            )  # fmt: skip
            pace.done(done)
            left -= done

    def collect(
        self,
        batch: int,
        exploration: float,
        margin: float,
        c_visit: float,
        c_scale: float,
        stream: npt.NDArray[np.uint64],
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int16], npt.NDArray[np.bool_]]:
        """What to evaluate next: trees and leaves, int64[n], their positions, int16[n, W], and masks, bool[n, A].

        n is 0 when all trees have their simulations or are proven.
        """
        m, room = len(self.arrays.size), self.arrays.positions.shape[1]
        most = m * min(batch, room)
        trees, leaves = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
        positions = np.empty((most, self.arrays.positions.shape[2]), dtype=np.int16)
        masks = np.empty((most, self.arrays.masks.shape[2]), dtype=np.bool_)
        count = begin = 0
        while begin < m:
            end = min(m, begin + self._pace.begin())
            count += kernel.collect(
                self.arrays, begin, end, min(batch, room), exploration, margin, c_visit, c_scale, self._history,
                stream, trees[count:], leaves[count:], positions[count:], masks[count:], self._encoded.rules,
            )  # fmt: skip
            self._pace.done()
            begin = end
        return trees[:count], leaves[:count], positions[:count], masks[:count]

    def receive(
        self,
        trees: npt.NDArray[np.int64],
        leaves: npt.NDArray[np.int64],
        priors: npt.NDArray[np.float32],
        values: npt.NDArray[np.float32],
    ) -> None:
        """Take the evaluation of what ``collect`` returned."""
        kernel.receive(self.arrays, trees, leaves, priors, values, self.rules.board.pits)

    def found(self, c_visit: float, c_scale: float) -> list[Search]:
        """The results of the searches at the roots."""
        forest = self.arrays
        m, actions = forest.gumbel.shape
        visits, best = np.empty((m, actions), dtype=np.int64), np.empty(m, dtype=np.int64)
        values, proven, policy = (np.empty((m, actions)) for _ in range(3))
        choice.summarise(forest, c_visit, c_scale, visits, values, proven, policy, best, self.rules.board.pits)
        known = forest.proven[:, 0] != UNKNOWN
        means = forest.totals[:, 0] / np.maximum(forest.visits[:, 0], 1)
        whole = self._signs * np.where(known, forest.worth[:, 0], means) + 0.0  # no -0
        results = self._signs * forest.proven[:, 0]
        return [
            Search(
                visits=visits[t],
                values=values[t],
                proven=proven[t],
                value=value,
                result=result if is_known else None,
                simulations=simulations,
                best=action,
                policy=policy[t],
            )
            for t, (value, result, is_known, simulations, action) in enumerate(
                zip(
                    whole.tolist(), results.tolist(), known.tolist(), visits.sum(axis=1).tolist(), best.tolist(),
                    strict=True,
                )
            )
        ]  # fmt: skip


def _node_of(state: State, searched: State, tree: Tree) -> int | None:
    """The node of a tree at which a position stands that was reached with the same history; None if there is none."""
    rules, size = state.rules, int(tree.size[0])
    if rules is not searched.rules and rules != searched.rules:
        return None
    for node in np.flatnonzero((tree.positions[:size] == state.array).all(axis=1)).tolist():
        if not rules.repetition:
            return int(node)
        line, above = [], node
        while above > 0:
            line.append(tree.hashes[above])
            above = int(tree.parents[above])
        known = np.concatenate([searched.history, np.array(line[::-1], dtype=np.uint64)])
        if np.array_equal(known[-len(state.history) :], state.history):
            return int(node)
    return None


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


def _check_seconds(time: object) -> None:
    if time is not None and (not _is_number(time) or not 0 < time < math.inf):  # type: ignore[operator]
        raise ValueError(f"time must be a number of seconds above 0, or clock, not {time!r}")


def _check_whole(name: str, number: object, most: int) -> None:
    if not isinstance(number, int | np.integer) or isinstance(number, bool) or not 1 <= number <= most:
        raise ValueError(f"{name} must be a whole number from 1 to {most:,}, not {number!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
