"""Regret: the seeds that an agent's moves lose, in positions whose exact values are known.

The regret of a move is the value of the best action less that of the action played, for the mover, with best play by
both from there on. Only late positions with several legal actions count: ``own`` ones, of games that the agent plays
against itself from random openings, and ``fixed`` ones, of random games or a list, the same for every agent. Where
positions can come back, a player may keep a won value without ever cashing it in; such moves lose nothing here.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from agents.agent import Agent, as_agent
from agents.evaluation.openings import random_opening, seeds_of
from agents.evaluation.statistics import cluster_bootstrap_interval
from agents.search.solve import NotSolved, Solver
from agents.tablebase import Tablebase
from mancala_env import checks
from mancala_env.games import ruleset as named
from mancala_env.kernels import layout
from mancala_env.rules import Match, Ruleset
from mancala_env.state import State

SOURCES = ("own", "fixed")
TRIES = 1000  # random games to look for one opening, or for one fixed position
_FIXED, _FIXED_RESET, _OPENING, _OWN_RESET = range(4)  # independent random streams from one seed


@runtime_checkable
class Oracle(Protocol):
    """Anything that gives exact values. One that also knows bounds has ``move_bounds``, which is called instead: the
    least and the greatest possible value of each action; None where it knows nothing.
    """

    def move_values(self, state: State) -> dict[int, float] | None:
        """The mover's final margin after each legal action, in seeds, with best play by both; None if unknown."""


def bounds_of(oracle: Oracle, state: State) -> dict[int, tuple[float, float]] | None:
    """The least and the greatest value of each legal action, as an oracle knows them; None if unknown."""
    ask = getattr(oracle, "move_bounds", None)
    if ask is not None:
        known: dict[int, tuple[float, float]] | None = ask(state)
        return known
    values = oracle.move_values(state)
    return None if values is None else {action: (value, value) for action, value in values.items()}


class SolverOracle:
    """Searches to the end of the game, where that takes few enough nodes (``agents.search.solve.Solver``).

    Answers are kept (about a kilobyte each), also that a position is too hard: a second query, for another agent say,
    gets the same answer. ``memory``: megabytes of the transposition table. ``nodes``: a position is too hard if it, or
    a successor, takes more. Raises ValueError for a game that is not about seeds, a match, or an impossible limit.
    """

    def __init__(self, rules: Ruleset | str, memory: int = 64, nodes: int = 1_000_000) -> None:
        self.rules = named(rules)
        check_rules(self.rules)
        self._solver = Solver(self.rules, memory, nodes)
        self._known: dict[bytes, dict[int, float] | None] = {}
        self.name = f"solver:nodes={nodes}"

    def move_values(self, state: State) -> dict[int, float] | None:
        """The mover's final margin after each legal action, in seeds; None if it takes too many nodes, or is over."""
        if state.is_over:
            return None
        key = board_key(state) + state.history.tobytes()
        if key not in self._known:
            try:
                values = self._solver.move_values(state)
                self._known[key] = {action: value + 0.0 for action, value in values.items()}  # no -0.0
            except NotSolved:
                self._known[key] = None
        known = self._known[key]
        return None if known is None else dict(known)


class TableOracle:
    """Looks values up in a folder of endgame tables (``agents.tablebase.Tablebase``); where positions can come back,
    those of positions whose history starts there. ``move_values`` are those that bounds settle. ValueError if there are
    no tables of these rules, they are damaged, or a majority ends the game.
    """

    def __init__(self, folder: Path | str, rules: Ruleset | str) -> None:
        self.rules = named(rules)
        if self.rules.majority_stop:
            raise ValueError(
                f"{self.rules.name} ends as soon as one player has the majority, and tables are for games played "
                f"to the end; set majority_stop=False (--rules {self.rules.name}:majority_stop=false)"
            )
        self.tables = Tablebase(folder, self.rules)
        self.name = f"tables:folder={folder},seeds={self.tables.seeds}"

    def move_values(self, state: State) -> dict[int, float] | None:
        """The mover's final margin after each legal action, in seeds; None if not covered, left open, or over."""
        bounds = self.move_bounds(state)
        if bounds is None or any(low != high for low, high in bounds.values()):
            return None
        return {action: low for action, (low, _) in bounds.items()}

    def move_bounds(self, state: State) -> dict[int, tuple[float, float]] | None:
        """The least and the greatest final margin of the mover after each legal action; None if not covered."""
        if state.is_over or state not in self.tables:
            return None
        lead = state.stores[state.player] - state.stores[1 - state.player]
        return {action: (lead + low, lead + high) for action, (low, high) in self.tables.move_bounds(state).items()}


def check_rules(rules: Ruleset) -> None:
    """Raise ValueError unless it is a single game about seeds: nothing else has a regret in seeds."""
    is_match = rules.match is not Match.NONE
    if is_match or not rules.counts_seeds:
        what = "a match" if is_match else "not about seeds"
        raise ValueError(f"regret is measured in seeds of one game; {rules.name} is {what}; try 'kalah' or 'awari'")


def board_key(state: State) -> bytes:
    """A key that differs for different positions with the same history; without the ply where no rule counts plies."""
    array, pits = state.array, state.rules.board.pits
    array[pits + layout.PLIES_SINCE_CAPTURE] = 0
    if not state.rules.max_plies and array[pits + layout.PLY] >= state.rules.encoded.axes[layout.BY_PLY]:
        array[pits + layout.PLY] = 0
    return array.tobytes()


class Losses(NamedTuple):
    """The losses of one source's moves, in seeds."""

    mean: float
    random_mean: float  # of random moves there
    perfect: float  # the share of moves that lose nothing


@dataclass(frozen=True)
class Summary:
    """The regret of one source. Where the oracle knows bounds only, ``mean``, ``random_mean`` and ``perfect`` are nan
    if they leave these open; they lie between those of ``lower`` and of ``upper``, if each move lost the least and the
    most that it can have lost (``perfect`` the other way round)."""

    source: str
    positions: int  # that count
    games: int  # that they are from
    mean: float
    random_mean: float
    perfect: float
    # The 95 % interval of the mean (``agents.evaluation.statistics.cluster_bootstrap_interval``), with bounds from the
    # low end of the lower mean to the high end of the upper mean; nan if there is only one game.
    low: float
    high: float
    unvalued: int  # decisions with few enough seeds that the oracle could not value
    settled: int  # positions where the regret is known exactly
    decisions: int  # with any number of seeds
    lower: Losses
    upper: Losses

    @property
    def coverage(self) -> float:
        """The share of all decisions that were measured."""
        return self.positions / self.decisions


@dataclass(frozen=True)
class Regret:
    """An agent's regret in n positions. Arrays are aligned, and ordered by source, game and ply."""

    agent: str
    rules: Ruleset
    oracle: str
    seed: int
    settings: dict[str, Any]  # the other arguments of ``measure_regret``
    source: npt.NDArray[np.str_]  # [n]: of ``SOURCES``
    game: npt.NDArray[np.int64]  # [n]: its number, from 0 in each source
    action: npt.NDArray[np.int64]  # [n]: what the agent played
    lower: npt.NDArray[np.float64]  # [n]: the least that the regret can be, in seeds
    upper: npt.NDArray[np.float64]  # [n]: the greatest
    random_lower: npt.NDArray[np.float64]  # [n]: the means of the same over all legal actions
    random_upper: npt.NDArray[np.float64]
    states: tuple[State, ...]
    bounds: tuple[dict[int, tuple[float, float]], ...]  # of the value of each legal action: the mover's final margin
    unvalued: dict[str, int]  # decisions of each source that the oracle could not value
    decisions: dict[str, int]  # all of each source

    @property
    def loss(self) -> npt.NDArray[np.float64]:
        """float64[n]: the regret, in seeds; nan where bounds leave it open."""
        return np.where(self.lower == self.upper, self.lower, np.nan)

    @property
    def settled(self) -> bool:
        """Is the regret of every move known exactly?"""
        return bool((self.lower == self.upper).all())

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that have positions."""
        return tuple(source for source in SOURCES if (self.source == source).any())

    def summary(self, source: str) -> Summary:
        """The numbers of one source. ValueError if it has no positions."""
        here = self.source == source
        if not here.any():
            raise ValueError(f"there are no positions of source {source!r}; there are {', '.join(self.sources)}")
        game, least, most = self.game[here], self.lower[here], self.upper[here]
        lower, upper = (
            Losses(float(loss.mean()), float(by_random[here].mean()), float((loss == 0).mean()))
            for loss, by_random in ((least, self.random_lower), (most, self.random_upper))
        )
        both = zip(Losses._fields, lower, upper, strict=True)
        return Summary(
            source=source,
            positions=len(game),
            games=len(np.unique(game)),
            **{name: one if one == other else np.nan for name, one, other in both},
            low=cluster_bootstrap_interval(least, game, self.seed)[0],
            high=cluster_bootstrap_interval(most, game, self.seed)[1],
            unvalued=self.unvalued[source],
            settled=int((least == most).sum()),
            decisions=self.decisions[source],
            lower=lower,
            upper=upper,
        )


def regret_bounds(bounds: Mapping[int, tuple[float, float]], action: int) -> tuple[float, float]:
    """The least and the greatest that the regret of an action can be, given the bounds of all values, in seeds.

    Examples
    --------
    >>> regret_bounds({0: (2, 2), 1: (-4, 6)}, 0)  # the other move may be better by 4
    (0.0, 4.0)
    >>> regret_bounds({0: (2, 2), 1: (-4, 0)}, 1)
    (2.0, 6.0)
    """
    low, high = bounds[action]
    others = [both for other, both in bounds.items() if other != action]
    least = max((other_low - high for other_low, _ in others), default=0.0)
    most = max((other_high - low for _, other_high in others), default=0.0)
    return max(0.0, float(least)), max(0.0, float(most))


def measure_regret(
    agent: Any,
    rules: Ruleset | str,
    oracle: Oracle,
    *,
    games: int = 100,
    opening_plies: int = 4,
    positions: int | Sequence[State] = 200,
    seeds_on_board: int = 14,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Regret:
    """Measure the seeds that an agent loses per move, compared with exact values.

    The result is fixed by the arguments (for an agent under a clock, also by the machine), and fixed positions and
    openings do not depend on the agent, of which copies play. ValueError for an unknown game or agent, numbers out of
    range, an illegal action, or no position to count.

    Parameters
    ----------
    agent : as ``agents.as_agent`` takes it
    rules : Ruleset or name of one
    oracle : Oracle, of the values of moves; positions that it cannot value are only counted
    games, opening_plies : games that the agent plays against itself, and the random plies before it takes over
    positions : how many to take from random games (``fixed_positions``); or positions, of any number of seeds
    seeds_on_board, seed : the most seeds in the pits of positions that the oracle is asked for; of all that is random
    progress : called with the numbers of finished and of all fixed positions and games
    """
    rules = named(rules)
    check_rules(rules)
    given = () if isinstance(positions, int | np.integer) else tuple(positions)
    wanted = positions if isinstance(positions, int | np.integer) else len(given)
    for name, number, least in (
        ("games", games, 0), ("opening_plies", opening_plies, 0), ("positions", wanted, 0),
        ("seeds_on_board", seeds_on_board, 1), ("seed", seed, 0),
    ):  # fmt: skip
        if not checks.is_whole(number) or number < least:
            raise ValueError(f"{name} must be a whole number, {least} or more, not {number!r}")
    player = as_agent(agent)
    states = given or fixed_positions(rules, wanted, seeds_on_board, seed)
    for state in states:
        if state.rules != rules:
            raise ValueError(f"{state} is not a position of the rules that are measured, {rules.name}")
    rows: list[tuple[Any, ...]] = []
    unvalued, decisions = dict.fromkeys(SOURCES, 0), dict.fromkeys(SOURCES, 0)

    def played(agent: Agent, state: State, source: str, game: int, most: int | None = None) -> int:
        """What the agent plays; what it loses by that is kept, of a choice with few enough seeds that the oracle can
        value."""
        action, bounds = agent.act(state), None
        if len(state.legal_actions) > 1:
            decisions[source] += 1
            if most is None or sum(state.pits) <= most:
                bounds = bounds_of(oracle, state)
                unvalued[source] += bounds is None
        if bounds is not None:
            if action not in bounds:
                raise ValueError(f"{agent.name} plays {action!r}, legal actions are {state.legal_actions}, in {state}")
            losses = {each: regret_bounds(bounds, each) for each in bounds}
            by_random = tuple(np.mean(list(losses.values()), axis=0).tolist())
            rows.append((source, game, int(action), losses[int(action)], by_random, state, bounds))
        return action

    seats = copy.deepcopy(player), copy.deepcopy(player)
    total = len(states) + games
    for number, state in enumerate(states):  # first, so that the oracle has learnt nothing from games
        seats[0].reset(seeds_of(seed, _FIXED_RESET, number)[0])
        played(seats[0], state, "fixed", number)
        if progress is not None:
            progress(number + 1, total)
    for number in range(games):
        drawn = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_OPENING, number)))
        state = random_opening(rules, opening_plies, drawn)
        for each, own_seed in zip(seats, seeds_of(seed, _OWN_RESET, number), strict=True):
            each.reset(own_seed)
        while not state.is_over:
            state = state.play(played(seats[state.player], state, "own", number, seeds_on_board))
        if progress is not None:
            progress(len(states) + number + 1, total)
    if not rows:
        raise ValueError(
            f"{rules.name}: no position to measure among {len(states)} fixed ones and {games} games with at most "
            f"{seeds_on_board} seeds on the board ({sum(unvalued.values())} the oracle could not value)"
        )
    source, game, action, losses, random_losses, found, bounds = zip(*rows, strict=True)
    (lower, upper), (random_lower, random_upper) = np.array(losses).T, np.array(random_losses).T
    return Regret(
        agent=player.name,
        rules=rules,
        oracle=str(getattr(oracle, "name", type(oracle).__name__)),
        seed=int(seed),
        settings={
            "games": int(games),
            "opening_plies": int(opening_plies),
            "positions": "given" if given else int(wanted),
            "seeds_on_board": int(seeds_on_board),
        },
        source=np.array(source),
        game=np.array(game, dtype=np.int64),
        action=np.array(action, dtype=np.int64),
        lower=lower,
        upper=upper,
        random_lower=random_lower,
        random_upper=random_upper,
        states=tuple(found),
        bounds=tuple(bounds),
        unvalued=unvalued,
        decisions=decisions,
    )


def fixed_positions(rules: Ruleset | str, count: int, seeds_on_board: int = 14, seed: int = 0) -> tuple[State, ...]:
    """Positions from random play, the same for every agent; their history starts there.

    Each is one decision (two legal actions or more, at most ``seeds_on_board`` seeds in the pits), drawn from a random
    game of its own. ValueError if ``TRIES`` random games have none.
    """
    rules = named(rules)
    found: list[State] = []
    for number in range(count):
        random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_FIXED, number)))
        for _ in range(TRIES):
            decisions: list[State] = []
            state = rules.start()
            while not state.is_over:
                if sum(state.pits) <= seeds_on_board and len(state.legal_actions) > 1:
                    decisions.append(state)
                state = state.play(int(random.choice(state.legal_actions)))
            if decisions:
                break
        else:
            raise ValueError(
                f"{rules.name}: {TRIES} random games have no decision with at most {seeds_on_board} seeds on the "
                f"board; allow more"
            )
        found.append(State.parse(rules, str(decisions[random.integers(len(decisions))])))
    return tuple(found)
