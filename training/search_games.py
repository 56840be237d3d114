"""Self-play by search, in groups of games. ``play`` is a pure function: the same games, weights and random numbers give
the same moves in any process, so that a group whose process was lost is played again."""

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents import MctsAgent
from agents.evaluation.openings import TRIES
from agents.policy.evaluator import NetworkEvaluator
from agents.policy.network import PolicyNetwork
from mancala_env.cli import GAME
from mancala_env.rules import Ruleset
from mancala_env.state import State
from training.checkpoint import Arrays
from training.cli import setting
from training.settings import SelfPlaySettings

ITSELF = -1  # in ``Game.opponent``


@dataclass(frozen=True)
class SearchSettings(SelfPlaySettings):
    """The settings of games that are played by search."""

    rules: str | Ruleset = setting("kalah", GAME)
    games: int = setting(256, "games of self-play at the same time", 1)
    group: int = setting(64, "games that are searched together, in one process", 1)
    moves: int = setting(16, "moves played in each game in a round", 1)
    simulations: int = setting(64, "of the full search for a move, whose result is learnt from", 2, 1_000_000)
    fast_simulations: int = setting(16, "of the fast search for the other moves, which only play on", 2, 1_000_000)
    full_share: float = setting(0.25, "share of moves that are searched fully (playout cap randomisation)", 0.01, 1)
    considered: int = setting(16, "maximum number of actions that the search of a position begins with", 1, 65_536)
    batch: int = setting(4, "positions of one tree that the network evaluates in one pass", 1, 65_536)
    exploration: float = setting(1.5, "how much priors and visits weigh against results below the position searched", 0)
    margin: float = setting(0.3, "with the reward result: the share of it that the lead at the end takes", 0, 1)
    root_value: float = setting(0.4, "share of the search's value in that of the target; the reward is the rest", 0, 1)
    sampled_plies: int = setting(12, "plies of a game in which also fast searches have noise; then only full ones", 0)
    game_opening_plies: int = setting(4, "maximum number of random plies at the start of a game of training", 0)

    @property
    def share_of_margin(self) -> float:
        """From 0 to 1: how much of the reward is the lead at the end, as a share of all seeds."""
        return 1.0 if self.reward == "margin" else self.margin

    @property
    def groups(self) -> int:
        """The number of groups of games."""
        return -(-self.games // self.group)


@dataclass
class Record:
    """What a full search says of a position."""

    ply: int  # the number of actions before it in its game
    policy: npt.NDArray[np.float32]  # float32[A]: the improved policy of the search
    value: float  # of the search, for the mover


@dataclass
class Game:
    """A game of self-play in progress: all actions since the start of the game, and what is to be learnt from it."""

    state: State
    actions: list[int]  # its random opening included
    begun: int  # the number of actions of the opening
    opponent: int  # ITSELF, or a number of a fixed opponent
    seat: int  # the learner's, where there is an opponent
    records: list[Record] = field(default_factory=list)


@dataclass
class Group:
    """Games that are searched together, with random numbers of their own."""

    games: list[Game]
    random: np.random.Generator


@dataclass
class Positions:
    """Positions to learn from, m of them (``kernels.layout``), with the improved ``policies`` of the searches and
    ``values``, the reward of the mover at the end, mixed with the value of the search by ``root_value``."""

    rows: npt.NDArray[np.int16]
    masks: npt.NDArray[np.bool_]
    policies: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def empty(cls, rules: Ruleset, size: int) -> "Positions":
        """With room for ``size`` positions."""
        actions = rules.num_actions
        return cls(
            np.zeros((size, rules.fields["width"]), dtype=np.int16),
            np.zeros((size, actions), dtype=np.bool_),
            np.zeros((size, actions), dtype=np.float32),
            np.zeros(size, dtype=np.float32),
        )

    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """The four arrays."""
        return self.rows, self.masks, self.policies, self.values


@dataclass
class Played:
    """What a round of a group brought."""

    group: Group  # as it is now
    positions: Positions  # of the games that ended
    lengths: list[int]  # plies of these games
    simulations: int
    opponents: list[tuple[int, float]]  # of those against fixed opponents: which, and the learner's result


def begin(config: SearchSettings, opponents: int) -> list[Group]:
    """The groups of a run, each with games that begin; ``opponents``: the number of fixed opponents."""
    found = []
    for number in range(config.groups):
        random = np.random.default_rng(np.random.SeedSequence(config.seed, spawn_key=(1, number)))
        size = min(config.group, config.games - number * config.group)
        found.append(Group([_new_game(config, opponents, random) for _ in range(size)], random))
    return found


def play(group: Group, shared: tuple[SearchSettings, PolicyNetwork, Sequence[Any]]) -> Played:
    """Play ``config.moves`` moves in each game of a group, with new games for those that end, by a Gumbel root
    (Danihelka et al., ICLR 2022). Of them ``full_share`` is searched fully and learnt from, the others fast (playout
    cap randomisation: Wu, "Accelerating self-play learning in Go", 2019). ``group`` stays as it is; ``shared``: config,
    network, opponents."""
    group = copy.deepcopy(group)
    config, network, opponents = shared
    torch.set_num_threads(1)  # as many as there are processes take the cores
    agent = MctsAgent(
        config.simulations, config.exploration, margin=config.share_of_margin, evaluate=NetworkEvaluator(network),
        batch=config.batch, root="gumbel", considered=config.considered,
    )  # fmt: skip
    random = group.random
    ended: list[Game] = []
    simulations = 0
    for _ in range(config.moves):
        mine = [game for game in group.games if not _is_opponents(game)]
        full = random.random(len(mine)) < config.full_share
        simulations += _search(agent, config, mine, full, random)
        for game in group.games:
            if _is_opponents(game) and not game.state.is_over:
                _play_opponent(opponents[game.opponent], game, random)
        for place, game in enumerate(group.games):
            if game.state.is_over:
                ended.append(game)
                group.games[place] = _new_game(config, len(opponents), random)
    results = [(game.opponent, float(game.state.returns[game.seat])) for game in ended if game.opponent != ITSELF]
    return Played(group, _positions(config, ended), [len(game.actions) for game in ended], simulations, results)


def _is_opponents(game: Game) -> bool:
    """Is a fixed opponent to move?"""
    return game.opponent != ITSELF and game.state.player != game.seat


def _search(
    agent: MctsAgent,
    config: SearchSettings,
    games: Sequence[Game],
    full: npt.NDArray[np.bool_],
    random: np.random.Generator,
) -> int:
    """Search the positions of ``games`` and play the moves found; returns the simulations it took. A move that is the
    only legal one is played without a search, and nothing is to be learnt from it."""
    free = np.array([len(game.state.legal_actions) > 1 for game in games], dtype=np.bool_)
    for game in (game for game, is_free in zip(games, free, strict=True) if not is_free):
        _play(game, game.state.legal_actions[0])
    games, full = [game for game, is_free in zip(games, free, strict=True) if is_free], full[free]
    if not games:
        return 0
    noise = random.gumbel(size=(len(games), config.ruleset.num_actions))
    early = np.array([len(game.actions) - game.begun < config.sampled_plies for game in games])
    noise[~(full | early)] = 0.0
    wanted = np.where(full, config.simulations, config.fast_simulations)
    found = agent.search_all([game.state for game in games], gumbel=noise, simulations=wanted)
    for game, search, is_full in zip(games, found, full, strict=True):
        if is_full:
            game.records.append(Record(len(game.actions), search.policy.astype(np.float32), float(search.value)))
        _play(game, search.best)
    return sum(search.simulations for search in found)


def _play(game: Game, action: int) -> None:
    game.actions.append(action)
    game.state = game.state.play(action)


def _play_opponent(player: Any, game: Game, random: np.random.Generator) -> None:
    """Let a fixed opponent move until it is the learner's turn or the game is over."""
    if callable(reset := getattr(player, "reset", None)):
        reset(int(random.integers(2**31)))
    while _is_opponents(game) and not game.state.is_over:
        _play(game, int(player.act(game.state)))


def _new_game(config: SearchSettings, opponents: int, random: np.random.Generator) -> Game:
    plies = int(random.integers(config.game_opening_plies + 1))
    against, seat = ITSELF, 0
    if opponents and random.random() < (config.fixed_share or 0.5):
        against, seat = int(random.integers(opponents)), int(random.integers(2))
    for _ in range(TRIES):
        state, actions = config.ruleset.start(), list[int]()
        while len(actions) < plies and not state.is_over:
            actions.append(int(random.choice(state.legal_actions)))
            state = state.play(actions[-1])
        if not state.is_over:
            return Game(state, actions, len(actions), against, seat)
    raise ValueError(
        f"{config.ruleset.name}: no game is still running after {plies} random plies; take fewer game_opening_plies"
    )


def _positions(config: SearchSettings, games: Sequence[Game]) -> Positions:
    """What is learnt from finished games."""
    rules = config.ruleset
    found = Positions.empty(rules, sum(len(game.records) for game in games))
    at = 0
    for game in games:
        ends = [reward(game.state, player, config.share_of_margin) for player in (0, 1)]
        state, played = rules.start(), 0
        for record in game.records:
            for action in game.actions[played : record.ply]:
                state = state.play(action)
            played = record.ply
            found.rows[at], found.masks[at], found.policies[at] = state.array, state.legal_mask, record.policy
            found.values[at] = (1 - config.root_value) * ends[state.player] + config.root_value * record.value
            at += 1
    return found


def reward(state: State, player: int, margin: float) -> float:
    """The reward of a finished game for a player, in -1..1: the result, and by ``margin`` the lead as a share."""
    result = float(state.returns[player])
    if not margin or state.scores is None:
        return result
    lead = (state.scores[player] - state.scores[1 - player]) / state.rules.total_seeds
    return (1 - margin) * result + margin * min(max(float(lead), -1.0), 1.0)


def as_arrays(groups: Sequence[Group], actions: int) -> Arrays:
    """All games for a checkpoint: as JSON in bytes, and the policies of their records; ``actions``: of the game."""
    games = [game for group in groups for game in group.games]
    policies = np.array([record.policy for game in games for record in game.records], dtype=np.float32)
    told = [
        [game.actions, game.begun, game.opponent, game.seat, [(record.ply, record.value) for record in game.records]]
        for game in games
    ]
    text = np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)
    return {"games.told": text, "games.policies": policies.reshape(-1, actions)}


def from_arrays(rules: Ruleset, arrays: Mapping[str, npt.NDArray[Any]], opponents: int) -> Iterator[Game]:
    """The games of ``as_arrays``, played anew from their actions. Raises ValueError if they are none."""
    policies = iter(arrays["games.policies"])
    for actions, begun, opponent, seat, records in json.loads(arrays["games.told"].tobytes()):
        if not ITSELF <= opponent < opponents or seat not in (0, 1):
            raise ValueError("it names opponents or seats that there are not")
        state = rules.start()
        for action in actions:
            state = state.play(action)
        kept = [Record(ply, next(policies).copy(), value) for ply, value in records]
        yield Game(state, actions, begun, opponent, seat, kept)


def numbers(played: Sequence[Played], took: float) -> dict[str, float]:
    """The curves of a round, which took so many seconds."""
    lengths = [length for each in played for length in each.lengths]
    results = [result for each in played for _, result in each.opponents]
    simulations = sum(each.simulations for each in played)
    return {
        "selfplay/positions": float(sum(len(each.positions) for each in played)),
        "selfplay/games": float(len(lengths)),
        **({"selfplay/plies": float(np.mean(lengths))} if lengths else {}),
        **({"selfplay/score_fixed": float(np.mean(results) / 2 + 0.5)} if results else {}),
        "time/simulations_per_second": simulations / max(took, 1e-9),
    }
