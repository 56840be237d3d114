"""How strong is it? ``python -m training.evaluate runs/oware --against random minimax:depth=4``

Games come in pairs: the same random opening, with the seats swapped. The pair is the unit of the statistics, since its
two games are anything but independent.
"""

import copy
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich import box
from rich.console import Console
from rich.table import Table

from agents import Agent, make_agent
from agents.network import PolicyAgent
from agents.openings import random_opening
from agents.results import provenance, write_json
from mancala_env import State
from mancala_env.rules import Ruleset, ruleset
from training.command import fail, make_parser, parse, setting


@dataclass(frozen=True)
class EvaluateConfig:
    """Score a trained policy, or any agent, against others, over pairs of games with swapped seats."""

    run: str = field(metadata={"help": "a run folder, a policy file, or an agent such as minimax:depth=4"})
    against: tuple[str, ...] = setting(("random", "minimax:depth=2", "minimax:depth=4"), "its opponents")
    rules: str = setting("", "the game; needed where the run does not say, as an agent's name does not")
    changes: dict[str, Any] = field(
        default_factory=dict, metadata={"help": "changes of its rules, as --changes.seeds 3"}
    )
    pairs: int = setting(100, "pairs of games against each opponent")
    opening_plies: int = setting(4, "random plies at the start of each pair")
    seed: int = setting(0, "of the openings and of the agents")
    threads: int = setting(2, "threads for the moves of agents that search")
    json: str = setting("", "write the results to this file too")

    def __post_init__(self) -> None:
        for name, least in (("pairs", 1), ("opening_plies", 0), ("seed", 0), ("threads", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be {least} or more, not {getattr(self, name)}")
        if self.json and not Path(self.json).parent.is_dir():
            raise ValueError(f"json: there is no folder {Path(self.json).parent} to write to")


@dataclass(frozen=True)
class Result:
    """One agent against another.

    Attributes
    ----------
    wins, draws, losses
        Games, from the agent's side.
    score
        Points per game, a win 1, a draw 1/2.
    low, high
        95 % confidence interval of the score (``confidence_interval``).
    score_south, score_north
        Score of the games in which the agent sat there.
    plies
        Mean length of a game, the opening included.
    illegal, opponent_illegal
        Games lost by an illegal action, by the agent and by its opponent.
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


@dataclass
class _Game:
    """One game in progress. ``agents[s]`` sits in seat s; ``seat`` is that of the agent that is scored."""

    pair: int
    seat: int
    agents: tuple[Agent, Agent]
    opening: State
    state: State
    illegal_by: int | None = field(default=None)
    plies: int = field(init=False)  # those of all games of a match, the opening's included

    def __post_init__(self) -> None:
        self.plies = self.opening.ply

    @property
    def is_over(self) -> bool:
        return self.illegal_by is not None or self.state.is_over

    @property
    def points(self) -> float:
        """1, 1/2 or 0 for the agent that is scored."""
        if self.illegal_by is not None:
            return float(self.illegal_by != self.seat)
        return (1.0 + self.state.returns[self.seat]) / 2.0


def evaluate(
    agent: Agent | str,
    opponents: Sequence[Agent | str],
    rules: Ruleset | str,
    *,
    pairs: int = 100,
    opening_plies: int = 4,
    seed: int = 0,
    threads: int = 2,
) -> list[Result]:
    """Play pairs of games against each opponent.

    A game is fixed by ``seed`` and the number of its pair, whatever else is played: the opening and the seeds of South
    and North come from them. An agent against itself therefore scores exactly one half.

    Parameters
    ----------
    agent, opponents : agents, or their names as ``agents.make_agent`` takes them
        Each game is played by copies of its own, reset with the game's seeds.
    rules : Ruleset or name of one
    pairs : int
        Against each opponent.
    opening_plies : int
        Random plies before the agents take over. No opening ends the game.
    seed : int
    threads : int
        The moves of agents that do not answer for many games at once are shared among so many threads.

    Raises
    ------
    ValueError
        For an unknown game or agent, or one that cannot play this game.
    """
    rules = ruleset(rules)
    first = make_agent(agent) if isinstance(agent, str) else agent
    others = [make_agent(other) if isinstance(other, str) else other for other in opponents]
    results = []
    with ThreadPoolExecutor(threads) as pool:
        for other in others:
            games = list(_pairs(first, other, rules, pairs, opening_plies, seed))
            _play(games, pool)
            results.append(_result(first.name, other.name, games))
    return results


def confidence_interval(pair_scores: npt.ArrayLike) -> tuple[float, float]:
    """95 % confidence interval of the mean of pair scores, each the mean of a pair's two games.

    The normal interval ``m +- 1.96 s / sqrt(n)`` over the pair scores and two imaginary pairs, one won and one lost: n,
    the mean m and the standard deviation s (with n - 1) include them. They keep it from shrinking to a point when all
    pairs end alike: 100 pairs won of 100 give 0.971 to 1. With fewer than 10 pairs it can be too short.

    Examples
    --------
    >>> low, high = confidence_interval([1.0] * 100)
    >>> round(low, 3), high
    (0.971, 1.0)
    """
    scores = np.append(np.asarray(pair_scores, dtype=np.float64), (0.0, 1.0))
    half = 1.96 * scores.std(ddof=1) / math.sqrt(len(scores))
    return max(0.0, float(scores.mean() - half)), min(1.0, float(scores.mean() + half))


def opening(rules: Ruleset, plies: int, seed: int, pair: int) -> State:
    """The position from which a pair of games starts: so many random plies, and the game not over.

    Raises
    ------
    ValueError
        If no such opening turns up in 1000 tries.
    """
    random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(pair, 0)))
    return random_opening(rules, plies, random)


def _pairs(agent: Agent, other: Agent, rules: Ruleset, pairs: int, plies: int, seed: int) -> Iterator[_Game]:
    """The games to play, not begun."""
    for pair in range(pairs):
        start = opening(rules, plies, seed, pair)
        seeds = np.random.SeedSequence(seed, spawn_key=(pair, 1)).generate_state(2).tolist()
        for seat in (0, 1):
            mine, theirs = copy.deepcopy(agent), copy.deepcopy(other)
            seated = (mine, theirs) if seat == 0 else (theirs, mine)
            for player, own_seed in zip(seated, seeds, strict=True):
                player.reset(own_seed)
            yield _Game(pair, seat, seated, start, start)


def _play(games: Sequence[_Game], pool: ThreadPoolExecutor) -> None:
    """Play all games to their end, side by side: a network moves in all of its games at once."""
    running = [game for game in games if not game.is_over]
    while running:
        alone: list[_Game] = []
        together: dict[int, list[_Game]] = {}
        for game in running:
            mover = game.agents[game.state.player]
            if isinstance(mover, PolicyAgent) and not mover.sample:
                together.setdefault(id(mover.network), []).append(game)
            else:
                alone.append(game)
        for asked in together.values():
            agent: Any = asked[0].agents[asked[0].state.player]
            actions = agent.act_batch(*agent.observe([game.state for game in asked]))
            for game, action in zip(asked, actions.tolist(), strict=True):
                _move(game, action)
        for game, action in zip(alone, pool.map(_ask, alone), strict=True):
            _move(game, action)
        running = [game for game in running if not game.is_over]


def _ask(game: _Game) -> Any:
    return game.agents[game.state.player].act(game.state)


def _move(game: _Game, action: Any) -> None:
    if action in game.state.legal_actions:
        game.state = game.state.play(action)
        game.plies += 1
    else:
        game.illegal_by = game.state.player


def _result(agent: str, opponent: str, games: Sequence[_Game]) -> Result:
    """Count finished games, two to a pair."""
    points = np.array([game.points for game in games])
    seats = np.array([game.seat for game in games])
    low, high = confidence_interval(points.reshape(-1, 2).mean(axis=1))
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
        plies=float(np.mean([game.plies for game in games])),
        illegal=sum(game.illegal_by == game.seat for game in games),
        opponent_illegal=sum(game.illegal_by == 1 - game.seat for game in games),
    )


def table(results: Sequence[Result], title: str) -> Table:
    """The results as they are printed; scores in per cent."""
    shown = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("opponent", "score", "95 %", "W-D-L", "South", "North", "plies", "illegal"):
        shown.add_column(heading, justify="left" if heading == "opponent" else "right", no_wrap=True)
    for result in results:
        shown.add_row(
            result.opponent,
            f"{100 * result.score:.1f}",
            f"{100 * result.low:.0f}-{100 * result.high:.0f}",
            f"{result.wins}-{result.draws}-{result.losses}",
            f"{100 * result.score_south:.1f}",
            f"{100 * result.score_north:.1f}",
            f"{result.plies:.0f}",
            str(result.illegal),
        )
    return shown


def report(results: Sequence[Result], rules: Ruleset, seed: int, opening_plies: int) -> dict[str, Any]:
    """The results as they are written to JSON, with what it takes to get them again."""
    return {
        **provenance(rules, seed),
        "opening_plies": opening_plies,
        "results": [asdict(result) for result in results],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = make_parser(EvaluateConfig, "python -m training.evaluate", positional=("run",))
    config, _ = parse(parser, EvaluateConfig, arguments)
    try:
        agent, rules = _contender(config)
        results = evaluate(
            agent,
            config.against,
            rules,
            pairs=config.pairs,
            opening_plies=config.opening_plies,
            seed=config.seed,
            threads=config.threads,
        )
        Console().print(table(results, f"{agent.name}: {rules.name}, {config.pairs} pairs, seed {config.seed}"))
        if config.json:
            write_json(Path(config.json), report(results, rules, config.seed, config.opening_plies))
    except (ValueError, OSError) as error:
        fail(parser.prog, error)
    except KeyboardInterrupt:
        parser.exit(130, f"{parser.prog}: stopped before the scores were known\n")


def _contender(config: EvaluateConfig) -> tuple[Agent, Ruleset]:
    """The agent to score, and the game: the policy's own unless another is asked for."""
    path = Path(config.run)
    is_file = path.exists() or path.suffix == ".safetensors" or (len(path.parts) > 1 and ":" not in config.run)
    agent = PolicyAgent(path) if is_file else make_agent(config.run)
    if config.rules:
        return agent, ruleset(config.rules, **config.changes)
    if isinstance(agent, PolicyAgent):
        return agent, agent.rules.changes(**config.changes)
    raise ValueError(f"{config.run} plays any game; say which, as in --rules oware")


if __name__ == "__main__":
    main()
