"""What holds for every game of the table, whatever its rules: one contract for State, Batch, AEC and encoders."""

import copy

import gymnasium
import numpy as np
import pettingzoo
import pytest

import mancala_env as mancala
from agents import make_agent
from mancala_env.aec import PLAYERS, env, raw_env
from mancala_env.observation import ENCODERS, make_encoder
from tests.games import GAMES, all_seeds, kinds, mirrored, random_game

pytestmark = pytest.mark.parametrize("game", GAMES)
SEEDS = range(12)


def short(game):
    """Changes that make a match one of few games."""
    return {} if mancala.ruleset(game).match == "none" else {"max_games": 2}


def seeds(game, games=12):
    """Seeds of so many games; of fewer matches, which are many games each."""
    return range(games if mancala.ruleset(game).match == "none" else games // 6)


@pytest.mark.parametrize("seed", SEEDS)
def test_state_batch_and_aec_play_the_same_game(game, seed):
    rules = mancala.ruleset(game, **short(game))
    actions, states = random_game(rules, seed)
    batch = mancala.Batch(rules, 3)
    aec = env(rules)
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
    assert {mancala.TERMINATIONS[info["termination"]] for info in aec.infos.values()} == {end.termination}
    assert batch.state(1) == rules.start()


@pytest.mark.parametrize("make", [env, raw_env])
def test_pettingzoo_infos_are_the_same_arrays_from_the_reset_to_the_end(game, make):
    door = make(game, **short(game))
    for seed in range(2):
        door.reset(seed)
        told, kept = [door.infos], [copy.deepcopy(door.infos)]
        for action in random_game(door.rules, seed)[0]:
            door.step(action)
            told.append(door.infos)
            kept.append(copy.deepcopy(door.infos))
        assert all(door.terminations.values())
        for infos, copied in zip(told, kept, strict=True):
            assert set(infos) == set(PLAYERS)
            for agent in PLAYERS:
                assert kinds(infos[agent]) == kinds(told[0]["player_0"])
                assert_same(infos[agent], copied[agent])  # what was told before does not change later
                assert np.array_equal(infos[agent]["action_mask"], copied[agent]["action_mask"])
        assert [infos["player_0"]["termination"] > 0 for infos in told] == [False] * (len(told) - 1) + [True]


def test_gymnasium_infos_are_the_same_arrays_from_the_reset_to_the_end(game):
    door = gymnasium.make(f"mancala/{game}-v0", encoder="counts", **short(game))
    random = np.random.default_rng(7)
    kind = kinds(door.reset(seed=0)[1])
    for _ in range(4):
        told, over = [door.reset()[1]], False
        kept = copy.deepcopy(told)
        while not over:
            _, _, over, _, info = door.step(int(random.choice(np.flatnonzero(told[-1]["action_mask"]))))
            told.append(info)
            kept.append(copy.deepcopy(info))
        for info, copied in zip(told, kept, strict=True):
            assert kinds(info) == kind
            assert_same(info, copied)
        end = door.unwrapped.position
        assert mancala.TERMINATIONS[told[-1]["termination"]] == end.termination
        assert [info["termination"] > 0 for info in told] == [False] * (len(told) - 1) + [True]
        assert [int(info["length"]) for info in told] == list(range(len(told)))
        assert {int(info["seat"]) for info in told} == {door.unwrapped.seat}


@pytest.mark.parametrize("games", [1, 8])
def test_vector_infos_are_the_same_arrays_from_the_reset_on(game, games):
    door = gymnasium.make_vec(f"mancala/{game}-v0", num_envs=games, encoder="counts", **short(game))
    infos = door.reset(seed=0)[1]
    kind, told, kept, ended = kinds(infos), [infos], [copy.deepcopy(infos)], 0
    random = np.random.default_rng(7)
    while ended < games + 2 or len(told) < 40:
        noise = random.random(infos["action_mask"].shape) + 0.5
        _, _, terminated, _, infos = door.step((infos["action_mask"] * noise).argmax(axis=1))
        told.append(infos)
        kept.append(copy.deepcopy(infos))
        ended += terminated.sum()
        assert infos["_final_info"].tolist() == infos["_final_obs"].tolist() == terminated.tolist()
        assert (infos["final_info"]["termination"] != 0).tolist() == terminated.tolist()
    for infos, copied in zip(told, kept, strict=True):
        assert kinds(infos) == kind
        assert_same(infos, copied)
        for each in (infos, infos["final_info"]):
            assert set(each) == {key for name in each if name[0] != "_" for key in (name, f"_{name}")}


def assert_same(infos, others):
    assert set(infos) == set(others)
    for key, value in infos.items():
        assert_same(value, others[key]) if isinstance(value, dict) else np.testing.assert_array_equal(
            value, others[key]
        )


def test_masks_equal_legal_lists_equal_what_play_accepts(game):
    for seed in seeds(game):
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
    for seed in seeds(game):
        for state in random_game(rules, seed)[1]:
            assert all_seeds(state) == rules.total_seeds
            assert min(state.pits) >= 0


def test_the_seats_are_alike(game):
    for seed in seeds(game):
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
    for seed in seeds(game, 50):
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
