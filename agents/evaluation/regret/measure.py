"""Regret: the seeds that an agent's moves lose, in positions whose exact values are known.

The regret of a move is the value of the best action less that of the action played, for the mover, with best play by
both from there on. Only late positions with several legal actions count: ``own`` ones, of games that the agent plays
against itself from random openings, and ``fixed`` ones, of random games or a list, the same for every agent. Where
positions can come back, a player may keep a won value without ever cashing it in; such moves lose nothing here.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.agent import Agent, as_agent
from agents.evaluation.openings import random_opening, seeds_of
from agents.evaluation.regret.oracle import Oracle, bounds_of, check_rules
from agents.evaluation.statistics import cluster_bootstrap_interval
from mancala_env import checks
from mancala_env.games import ruleset as named
from mancala_env.rules import Ruleset
from mancala_env.state import State

SOURCES = ("own", "fixed")
TRIES = 1000  # random games to look for one opening, or for one fixed position
_FIXED, _FIXED_RESET, _OPENING, _OWN_RESET = range(4)  # independent random streams from one seed


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
