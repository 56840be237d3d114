"""What holds for every game of the table, whatever its rules: one contract for State, Batch, AEC and encoders."""

import numpy as np
import pettingzoo
import pytest

import mancala_env as mancala
from agents import make_agent
from mancala_env.aec import PLAYERS, env, raw_env
from mancala_env.observation import ENCODERS, make_encoder
from tests.games import GAMES, all_seeds, mirrored, random_game

pytestmark = pytest.mark.parametrize("game", GAMES)
SEEDS = range(12)


@pytest.mark.parametrize("seed", SEEDS)
def test_state_batch_and_aec_play_the_same_game(game, seed):
    rules = mancala.ruleset(game)
    actions, states = random_game(rules, seed)
    batch = mancala.Batch(rules, 3)
    aec = env(game)
    aec.reset()
    for k, (action, state) in enumerate(zip(actions, states, strict=False)):
        assert batch.state(1) == state == aec.position
        assert batch.players[1] == state.player == PLAYERS.index(aec.agent_selection)
        observation, _, terminated, truncated, info = aec.last()
        assert not terminated
        assert not truncated
        assert batch.legal_mask[1].tolist() == state.legal_mask.tolist()
        assert observation["action_mask"].tolist() == state.legal_mask.astype(int).tolist()
        assert info["action_mask"].tolist() == observation["action_mask"].tolist()
        assert np.array_equal(batch.observe()[1], observation["observation"])
        rewards, done = batch.play([action] * 3)
        aec.step(action)
        assert bool(done[1]) == (k + 1 == len(actions))
    end = states[-1]
    assert batch.final[1] == end == aec.position
    assert batch.termination[1] == end.termination
    assert tuple(rewards[1]) == end.returns == tuple(aec.rewards[agent] for agent in PLAYERS)
    assert all(aec.terminations.values())
    assert {info["termination"] for info in aec.infos.values()} == {end.termination}
    assert batch.state(1) == rules.start()


def test_masks_equal_legal_lists_equal_what_play_accepts(game):
    for seed in SEEDS:
        for state in random_game(mancala.ruleset(game), seed)[1]:
            assert tuple(np.flatnonzero(state.legal_mask)) == state.legal_actions
            for action in range(-1, state.rules.num_actions + 1):
                if action in state.legal_actions:
                    state.play(action)
                else:
                    with pytest.raises(mancala.IllegalAction):
                        state.play(action)


def test_no_seed_is_ever_created_or_lost(game):
    rules = mancala.ruleset(game)
    for seed in SEEDS:
        for state in random_game(rules, seed)[1]:
            assert all_seeds(state) == rules.total_seeds
            assert min(state.pits) >= 0


def test_the_seats_are_alike(game):
    for seed in SEEDS:
        for state in random_game(mancala.ruleset(game), seed)[1][:60]:
            if state.is_over:
                continue
            other = mirrored(state)
            assert other.legal_actions == state.legal_actions
            fresh = mirrored(other)  # the same position, without history
            for action in state.legal_actions:
                there, here = other.play(action), fresh.play(action)
                assert there.is_over == here.is_over
                if not there.is_over or there.rules.match == "none":  # no position tells of a finished match
                    assert mirrored(there) == here
                assert there.scores == (None if here.scores is None else here.scores[::-1])
                assert there.returns == here.returns[::-1]
            encoder = make_encoder("onehot", state.rules)
            seats = np.array([state.player, other.player], dtype=np.int8)
            seen = encoder(np.stack([state.row, other.row]), seats)
            assert np.array_equal(seen[0], seen[1])


def test_every_game_ends_with_a_known_reason(game):
    for seed in range(100, 150):
        end = random_game(mancala.ruleset(game), seed)[1][-1]
        assert end.termination in mancala.TERMINATIONS
        assert end.legal_actions == ()
        assert not end.legal_mask.any()
        assert end.returns in ((1.0, -1.0), (0.0, 0.0), (-1.0, 1.0))
        assert end.winner == {1.0: 0, 0.0: None, -1.0: 1}[end.returns[0]]
        if end.rules.counts_seeds:
            assert sum(end.scores) <= end.rules.total_seeds
        if end.scores is not None and end.scores[0] != end.scores[1]:
            assert end.winner == int(end.scores[1] > end.scores[0])


@pytest.mark.parametrize("name", ENCODERS)
def test_encoders_keep_their_promise(game, name):
    encoder = make_encoder(name, mancala.ruleset(game))
    batch = mancala.Batch(game, 64, encoder=name, seed=5)
    out = np.full((64, *encoder.shape), np.nan, dtype=np.float32)
    for _ in range(200):
        batch.play(batch.random_actions())
    assert batch.observe(out) is out
    assert out.dtype == np.float32
    assert ((out >= 0) & (out <= 1)).all()
    assert np.array_equal(out, encoder(batch.rows, batch.players))
    with pytest.raises(ValueError, match="out must be float32"):
        batch.observe(out[:, 1:])


@pytest.mark.parametrize("name", ["random", "greedy", "minimax:depth=3", "minimax:nodes=2000", "mcts:simulations=40"])
def test_agents_play_legal_moves_and_repeat_themselves_with_the_same_seed(game, name):
    games = []
    for _ in range(2):
        agent, opponent = make_agent(name), make_agent("random")
        agent.reset(3)
        opponent.reset(4)
        state, moves = mancala.ruleset(game).start(), []
        while not state.is_over:
            moves.append((agent if state.player == 0 else opponent).act(state))
            state = state.play(moves[-1])
        games.append(moves)
    assert games[0] == games[1]


def test_ids_are_registered_from_the_table(game):
    rules = mancala.ruleset(game)
    made = pettingzoo.make("aec", f"mancala/{game}-v{rules.version}")
    made.reset()
    assert made.position == rules.start()
    assert str(made) == f"{game}_v{rules.version}" == str(raw_env(game))
