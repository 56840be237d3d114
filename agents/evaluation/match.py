"""Matches between agents: pairs of games with swapped seats and the same random opening, the unit of all statistics."""

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from agents.agent import Agent, as_agent, as_agents
from agents.batched import batched_agent, games_at_once, play_batched
from agents.evaluation.openings import ANY, Balance, openings, seeds_of
from agents.evaluation.statistics import score_interval
from mancala_env import checks
from mancala_env.games import ruleset
from mancala_env.kernels import layout
from mancala_env.rules import Ruleset
from mancala_env.state import IllegalAction, State

SEATS = (0, 1)


@dataclass(frozen=True)
class Result:
    """One agent against another: games won, drawn and lost, and points per game with their 95 % interval.

    ``score_south`` and ``score_north`` are of the games in each seat, ``plies`` their mean length with the opening,
    ``illegal`` and ``opponent_illegal`` games lost by an illegal action, ``distinct_openings`` and ``distinct_games``
    different ones by position and by actions; ``terminations`` counts the reasons for the end, the most frequent first,
    ``by_points`` the pairs that brought the agent 0, 1/2, 1, 3/2 and 2 points.
    """

    agent: str
    opponent: str
    pairs: int
    wins: int
    draws: int
    losses: int
    score: float
    low: float
    high: float
    score_south: float
    score_north: float
    plies: float
    illegal: int
    opponent_illegal: int
    distinct_openings: int
    distinct_games: int
    terminations: dict[str, int]
    by_points: tuple[int, ...]

    @property
    def draw_rate(self) -> float:
        """Share of the games that were drawn."""
        return self.draws / (2 * self.pairs)

    def as_dict(self) -> dict[str, Any]:
        """Everything, as JSON takes it."""
        return {**asdict(self), "draw_rate": self.draw_rate}


@dataclass(frozen=True)
class _Game:
    """One finished game; ``seat`` is that of the agent that is scored."""

    seat: int
    opening: State
    actions: tuple[int, ...]  # after the opening
    points: float  # 1, 1/2 or 0 for the agent that is scored
    termination: str  # or "illegal": whoever lost played what is no move


def evaluate(
    agent: Any,
    opponents: Any,
    rules: Ruleset | str,
    *,
    pairs: int = 100,
    opening_plies: int = 4,
    balance: Balance = ANY,
    seed: int = 0,
    threads: int = 2,
    progress: Callable[[float, float], None] | None = None,
) -> list[Result]:
    """Play pairs of games against each opponent.

    A game is fixed by ``seed`` and the number of its pair, whatever else is played: the opening (``openings``) and the
    seeds of South and North come from them. An agent against itself therefore scores exactly one half. ValueError for
    an unknown game or agent, or one that cannot play this game; for openings that it does not have.

    Parameters
    ----------
    agent, opponents : as ``agents.as_agent`` takes them; one opponent need not be in a list
        Each game is played by its own copies; two ``agents.batched.BatchedAgent`` play in batches, with the same moves.
    rules : Ruleset or name of one
    pairs : against each opponent
    opening_plies : random plies before the agents take over
    balance : which openings are fair to both, such as ``Balance(2.0)``, those worth two seeds at most
    seed, threads : ints, the latter those that play the games
    progress : it is told how many games have been played, and how many there are
    """
    rules = ruleset(rules)
    checks.two_players(rules, "a comparison of agents")
    first, others = as_agent(agent), as_agents(opponents)
    for each in (first, *others):
        if callable(meet := getattr(each, "meet", None)):
            meet(rules)  # so that names say which endgame tables were found
    starts = openings(rules, opening_plies, pairs, seed, balance)
    results = []
    with ThreadPoolExecutor(threads) as pool:
        for place, other in enumerate(others):
            batched = batched_agent(first) is not None and batched_agent(other) is not None
            play = _play_batched if batched else _play_alone
            games = []
            for some in play(first, other, starts, seed, pool):
                games += some
                if progress is not None:
                    progress(2 * pairs * place + len(games), 2 * pairs * len(others))
            results.append(_result(first.name, other.name, games))
    return results


def _play_batched(
    agent: Any, other: Any, starts: Sequence[State], seed: int, pool: ThreadPoolExecutor
) -> Iterator[list[_Game]]:
    """All pairs of games, in batches of about a second's work."""
    some = max(1, min(games_at_once(agent), games_at_once(other)) // 2)

    def play(begin: int) -> list[_Game]:
        part = starts[begin : begin + some]
        openings = [start for start in part for _ in SEATS]
        seats = np.tile(SEATS, len(part))
        seeds = np.repeat([seeds_of(seed, begin + pair, 1) for pair in range(len(part))], 2, axis=0)
        agents = copy.deepcopy(agent), copy.deepcopy(other)
        played = play_batched(part[0].rules, openings, agents, seats, seeds)
        return [
            _Game(seat, opening, tuple(actions[:plies]), (1 + lead * (1 - 2 * seat)) / 2, layout.TERMINATIONS[reason])
            for seat, opening, actions, plies, lead, reason in zip(
                seats.tolist(), openings, played.actions.tolist(), played.plies.tolist(), played.leads.tolist(),
                played.reasons.tolist(), strict=True,
            )
        ]  # fmt: skip

    return pool.map(play, range(0, len(starts), some))


def _play_alone(
    agent: Agent, other: Agent, starts: Sequence[State], seed: int, pool: ThreadPoolExecutor
) -> Iterator[list[_Game]]:
    """All pairs of games, one after the other in each thread."""

    def play(number: int) -> list[_Game]:
        pair, seat = divmod(number, 2)
        mine, theirs = copy.deepcopy(agent), copy.deepcopy(other)
        seated = (mine, theirs) if seat == 0 else (theirs, mine)
        for player, own_seed in zip(seated, seeds_of(seed, pair, 1), strict=True):
            player.reset(own_seed)
        state = starts[pair]
        actions: list[int] = []
        while not state.is_over:
            mover: Any = seated[state.player]
            if callable(hear := getattr(mover, "hear", None)):
                hear(starts[pair], actions)
            try:
                action = mover.act(state)
            except IllegalAction:  # it knows that it has chosen none
                action = None
            if action not in state.legal_actions:
                lost = float(state.player != seat)
                return [_Game(seat, starts[pair], tuple(actions), lost, "illegal")]
            actions.append(int(action))
            state = state.play(action)
        return [_Game(seat, starts[pair], tuple(actions), (1 + state.returns[seat]) / 2, str(state.termination))]

    return pool.map(play, range(2 * len(starts)))


def _result(agent: str, opponent: str, games: Sequence[_Game]) -> Result:
    points = np.array([game.points for game in games])
    seats = np.array([game.seat for game in games])
    low, high = score_interval(points.reshape(-1, 2).mean(axis=1))
    return Result(
        agent=agent,
        opponent=opponent,
        pairs=len(games) // 2,
        wins=int((points == 1.0).sum()),
        draws=int((points == 0.5).sum()),
        losses=int((points == 0.0).sum()),
        score=float(points.mean()),
        low=low,
        high=high,
        score_south=float(points[seats == 0].mean()),
        score_north=float(points[seats == 1].mean()),
        plies=float(np.mean([game.opening.ply + len(game.actions) for game in games])),
        illegal=sum(game.termination == "illegal" and game.points == 0.0 for game in games),
        opponent_illegal=sum(game.termination == "illegal" and game.points == 1.0 for game in games),
        distinct_openings=len({game.opening for game in games}),
        distinct_games=len({(game.opening, game.actions) for game in games}),
        terminations=dict(Counter(game.termination for game in games).most_common()),
        by_points=tuple(np.bincount((2 * points.reshape(-1, 2).sum(axis=1)).astype(np.int64), minlength=5).tolist()),
    )
