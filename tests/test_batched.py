"""Players that answer for many games at once: every game is the one that they would play alone."""

import numpy as np
import pytest

import mancala_env as mancala
from agents import MinimaxAgent, make_agent
from agents.batched import RandomAgent, batched_agent, play_batched
from agents.batched.players import streams_of
from agents.evaluation.openings import openings
from agents.policy.agent import PolicyAgent
from agents.policy.network import PolicyNetwork
from agents.zoo import FILE_NAME
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


@pytest.mark.parametrize("pair", [*PAIRS, ("minimax:depth=3", "greedy")], ids="-".join)
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


def test_who_draws_or_looks_at_a_clock_is_not_asked_for_many_games(tmp_path):
    PolicyNetwork("oware", "onehot", (16,)).save(tmp_path / FILE_NAME)
    for agent in (PolicyAgent(tmp_path), MinimaxAgent(depth=2)):
        assert batched_agent(agent) is not None
    for agent in (
        PolicyAgent(tmp_path, sample=True),
        MinimaxAgent(nodes=100),
        MinimaxAgent(depth=2, time=1.0),
        make_agent("mcts"),
    ):
        assert batched_agent(agent) is None


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


@pytest.mark.parametrize("action", [6, -1])
def test_an_illegal_action_is_refused(action):
    class Cheat(RandomAgent):
        def act_positions(self, rules, games, *more):
            return np.full(len(games), action)

    rules = mancala.ruleset("kalah")
    with pytest.raises(ValueError, match=r"kalah: cheat or random played an illegal action"):
        play_batched(rules, [rules.start()], (Cheat(name="cheat"), RandomAgent()), np.array([0]), np.array([[1, 2]]))


def test_streams_of_small_seeds_do_not_meet_in_a_long_game():
    """SplitMix64 adds the same odd number at every draw: places on its road are multiples of that number's inverse."""
    inverse = np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))
    with np.errstate(over="ignore"):
        places = np.sort(streams_of(np.arange(50_000)) * inverse)
    assert np.diff(places).min() > 10_000  # draws


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
