"""Players that answer for many games at once: every game is the one that they would play alone."""

import numpy as np
import pytest

import mancala_env as mancala
from agents import MinimaxAgent, make_agent
from agents.batched import RandomAgent, batched_agent, play_batched
from agents.batched.players import streams_of
from agents.evaluation.openings import openings
from agents.policy.agent import PolicyAgent
from agents.policy.card import FILE_NAME
from agents.policy.network import PolicyNetwork
from mancala_env.kernels import layout
from mancala_env.kernels.jit import DISABLE_JIT
from tests.games import CORE

GAMES = 2 if DISABLE_JIT else 6
PAIRS = [
    ("random", "greedy"), ("greedy", "greedy"), ("minimax:depth=2", "random"), ("greedy", "minimax:depth=2"),
    ("lookahead:plies=2", "lookahead:plies=3"),
]  # fmt: skip


def alone(opening, agents, south, seeds):
    """The actions of one game and its last position, played move by move."""
    seats = (agents[south], agents[1 - south])
    for agent, seed in zip(seats, seeds, strict=True):
        agent.reset(int(seed))
    state, actions = opening, []
    while not state.is_over:
        actions.append(seats[state.player].act(state))
        state = state.play(actions[-1])
    return actions, state


def check_games(rules, agents, given, souths, seeds):
    """Play the games together and alone; all that is known of them must be the same."""
    played = play_batched(rules, given, agents, souths, seeds)
    for game, opening in enumerate(given):
        actions, last = alone(opening, agents, int(souths[game]), seeds[game])
        assert played.actions[game, : played.plies[game]].tolist() == actions
        assert not played.actions[game, played.plies[game] :].any()
        assert layout.TERMINATIONS[played.reasons[game]] == last.termination
        assert played.leads[game] == {None: 0, 0: 1, 1: -1}[last.winner]
        if last.scores is not None:
            assert tuple(played.scores[game] / 2) == last.scores
    return played


def some_games(game, count, seed=4, plies=7):
    """Openings after some plies, the same two players on both sides of each, and seeds."""
    rules = mancala.ruleset(game)
    drawn = [opening for opening in openings(rules, plies, count, seed) for _ in range(2)]
    souths = np.tile([0, 1], count)
    return rules, drawn, souths, np.random.default_rng(seed).integers(0, 2**32, (2 * count, 2))


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize("game", CORE)
def test_games_played_together_are_those_played_alone(game, pair):
    rules, given, souths, seeds = some_games(game, GAMES)
    check_games(rules, (make_agent(pair[0]), make_agent(pair[1])), given, souths, seeds)


@pytest.mark.integration
@pytest.mark.parametrize("game", CORE)
def test_a_network_plays_together_what_it_plays_alone(game, tmp_path):
    PolicyNetwork(game, "onehot", (16,)).save(tmp_path / FILE_NAME)
    rules, given, souths, seeds = some_games(game, GAMES // 2)
    check_games(rules, (PolicyAgent(tmp_path), make_agent("greedy")), given, souths, seeds)


def test_a_network_that_draws_its_actions_is_not_asked_for_many_games(tmp_path):
    PolicyNetwork("oware", "onehot", (16,)).save(tmp_path / FILE_NAME)
    assert batched_agent(PolicyAgent(tmp_path)) is not None
    assert batched_agent(PolicyAgent(tmp_path, sample=True)) is None
    assert batched_agent(MinimaxAgent(depth=2)) is not None
    assert batched_agent(MinimaxAgent(nodes=100)) is None
    assert batched_agent(MinimaxAgent(depth=2, time=1.0)) is None


def test_what_was_played_before_an_opening_counts_for_repetition():
    rules = mancala.ruleset("awari", seeds=1)  # few seeds go round and round
    ended = set()
    for seed in range(3):
        drawn = openings(rules, 12, 10, seed)
        seeds = np.random.default_rng(seed).integers(0, 2**32, (len(drawn), 2))
        agents = (RandomAgent(), make_agent("greedy"))
        played = check_games(rules, agents, drawn, np.zeros(len(drawn), dtype=np.int64), seeds)
        ended |= {layout.TERMINATIONS[reason] for reason in played.reasons}
    assert "repetition" in ended
    assert any(len(opening.history) > 1 for opening in drawn)


def test_long_games_have_room():
    rules = mancala.ruleset("oware_series_wins")
    seeds = np.arange(4).reshape(2, 2)
    played = check_games(rules, (RandomAgent(), RandomAgent()), [rules.start()] * 2, np.array([0, 1]), seeds)
    assert played.plies.max() > 128


def test_an_illegal_action_is_refused():
    class Cheat(RandomAgent):
        def act_positions(self, rules, games, *more):
            return np.full(len(games), self.action)

    rules = mancala.ruleset("kalah")
    for action in (6, -1):
        cheat = Cheat(name="cheat")
        cheat.action = action
        with pytest.raises(ValueError, match=r"kalah: cheat or random played an illegal action"):
            play_batched(rules, [rules.start()], (cheat, RandomAgent()), np.array([0]), np.array([[1, 2]]))


# The choices of single players


def positions(game, count, plies=9, seed=2):
    """Arrays of different positions, as ``act_positions`` takes them."""
    rules = mancala.ruleset(game)
    states = openings(rules, plies, count, seed)
    longest = max(len(state.history) for state in states) + 80
    history = np.zeros((count, longest), dtype=np.uint64)
    for place, state in enumerate(states):
        history[place, : len(state.history)] = state.history
    rows, masks = np.stack([state.array for state in states]), np.stack([state.legal_mask for state in states])
    return rules, states, (np.arange(count), rows, masks, history)


@pytest.mark.parametrize("depth", [1, 3] if DISABLE_JIT else [1, 3, 5, 7])
@pytest.mark.parametrize("game", CORE)
def test_minimax_takes_one_of_the_best_actions_in_every_game(game, depth):
    few = game == "hus" or (depth == 7 and mancala.ruleset(game).board.pits > 12)
    rules, states, arrays = positions(game, GAMES if few else 2 * GAMES)
    agent, judge = MinimaxAgent(depth=depth), MinimaxAgent(depth=depth)
    before = [array.copy() for array in arrays[1:3]]
    chosen = agent.act_positions(rules, *arrays, streams_of(np.arange(len(states))))
    assert all(np.array_equal(one, other) for one, other in zip(arrays[1:3], before, strict=True))
    for state, action in zip(states, chosen.tolist(), strict=True):
        assert action in judge.best_actions(state)


def test_only_the_games_that_are_asked_for_are_answered():
    rules, _, (_, rows, masks, history) = positions("oware", 10)
    for agent in (RandomAgent(), make_agent("greedy"), MinimaxAgent(depth=3)):
        streams = streams_of(np.arange(10))
        every = agent.act_positions(rules, np.arange(10), rows, masks, history, streams.copy())
        some = agent.act_positions(rules, np.array([7, 2]), rows, masks, history, streams[[7, 2]])
        assert some.tolist() == every[[7, 2]].tolist()


# Random numbers


def test_streams_of_small_seeds_do_not_meet_in_a_long_game():
    """SplitMix64 adds the same odd number at every draw: places on its road are multiples of that number's inverse."""
    inverse = np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))
    with np.errstate(over="ignore"):
        places = np.sort(streams_of(np.arange(50_000)) * inverse)
    assert np.diff(places).min() > 10_000  # draws


def test_streams_keep_the_shape_of_the_seeds():
    seeds = np.arange(6).reshape(3, 2)
    assert streams_of(seeds).tolist() == [streams_of(pair).tolist() for pair in seeds]
    largest = 2**64 - 1
    assert streams_of(np.array([largest, 0], dtype=np.uint64)).tolist() == [
        streams_of(np.array([each], dtype=np.uint64))[0] for each in (largest, 0)
    ]


@pytest.mark.parametrize("seed", [-1, 0.0, 1.5, "1", None, True, 2**64, [1, -1], np.nan])
def test_seeds_that_are_none_are_refused(seed):
    with pytest.raises(ValueError, match=r"seeds must be whole numbers from 0 to 2\*\*64 - 1"):
        streams_of([seed] if not isinstance(seed, list) else seed)


@pytest.mark.parametrize("legal", [2, 3, 5, 6])
def test_every_legal_action_is_as_likely_as_the_others(legal):
    scipy_stats = pytest.importorskip("scipy.stats")
    rules = mancala.ruleset("kalah")
    state = rules.position([1] * legal + [0] * (6 - legal) + [4] * 6)
    assert len(state.legal_actions) == legal
    draws = 2_000 if DISABLE_JIT else 60_000
    rows, masks = np.repeat(state.array[None], draws, 0), np.repeat(state.legal_mask[None], draws, 0)
    streams, history = streams_of(np.arange(draws)), np.zeros((draws, 2), dtype=np.uint64)
    for _ in range(2):  # the first draws of many streams, and their second ones
        chosen = RandomAgent().act_positions(rules, np.arange(draws), rows, masks, history, streams)
        counts = np.bincount(chosen, minlength=6)
        assert counts[legal:].sum() == 0
        assert scipy_stats.chisquare(counts[:legal]).pvalue > 1e-3


def test_the_draws_of_one_stream_are_uniform_and_do_not_follow_from_each_other():
    scipy_stats = pytest.importorskip("scipy.stats")
    state, agent = mancala.ruleset("kalah").start(), RandomAgent()
    agent.reset(5)
    drawn = np.array([agent.act(state) for _ in range(1_000 if DISABLE_JIT else 12_000)])
    pairs = np.bincount(6 * drawn[:-1] + drawn[1:], minlength=36)
    assert scipy_stats.chisquare(pairs).pvalue > 1e-3
