"""What holds for every game of the table, whatever its rules: one contract for State, Batch, AEC and encoders.

One pass checks a game where it costs little; what costs more runs over the core games, and over the others if slow
tests are asked for."""

import copy
from xml.etree import ElementTree

import gymnasium
import numpy as np
import pettingzoo
import pytest

import mancala_env as mancala
from agents import make_agent
from mancala_env.aec import PLAYERS, env, raw_env
from mancala_env.observation import ENCODERS, make_encoder
from tests.games import CORE, KINDS_OF_ENCODERS, all_seeds, check_mirrored, kinds, random_game, short
from tests.reference import Position
from tests.test_agents import check_agent
from tests.test_reference import seen
from tests.test_trace import check as check_trace

THEN_ALL = [pytest.param(name, marks=() if name in CORE else pytest.mark.slow) for name in mancala.RULESETS]
core_then_all = pytest.mark.parametrize("game", THEN_ALL)
PLIES = 30  # of a game in the one pass
COMPARED = 8  # of these with the reference, which is slow
AGENTS = ("random", "greedy", "lookahead:plies=2", "minimax:depth=3", "minimax:nodes=2000", "mcts:simulations=40")


@pytest.mark.parametrize("game", mancala.RULESETS)
def test_one_pass_through_a_game(game):
    """Games from the start, ply by ply through all doors; then some to the end in a batch."""
    rules = mancala.ruleset(game)
    batch, door = mancala.Batch(rules, 2), env(game)
    for seed in range(2 if game in CORE else 1):
        random = np.random.default_rng(seed)
        batch.reset()
        door.reset()
        state = rules.start()
        slow = Position(rules, state.pits, rules.start_stores, marks=rules.setup_marks or None)
        assert seen(state) == seen(slow)
        for ply in range(PLIES):
            assert state == mancala.State.parse(rules, str(state))
            check_position(state, door, batch)
            for action in range(-1, rules.num_actions + 1):
                if action not in state.legal_actions:
                    with pytest.raises(mancala.IllegalAction):
                        state.play(action)
            action = int(random.choice(state.legal_actions))
            if ply < COMPARED:
                check_trace(state, action)
                slow = slow.play(action)
            before, state = state, state.play(action)
            if ply < COMPARED:
                assert seen(state) == seen(slow)
            if state.is_over:  # the batch has begun another game
                break
            batch.play([action] * 2)
            door.step(action)
        picture = ElementTree.fromstring(state.to_svg(last=(before, action), legal=state.legal_mask))
        assert picture.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(state.to_text().splitlines()) > 1
    check_ends(rules)


def check_position(state, door, batch):
    """A game that goes on, as all doors have it: the position, what can be played, and what they show to the mover."""
    assert batch.state(1) == state == door.position
    assert batch.state(1).games == state.games == door.position.games
    assert (all_seeds(state), min(state.pits) >= 0) == (state.rules.total_seeds, True)
    assert state.player == PLAYERS.index(door.agent_selection) == batch.players[1]
    assert tuple(np.flatnonzero(state.legal_mask)) == state.legal_actions == tuple(np.flatnonzero(batch.legal_mask[1]))
    observation, reward, terminated, truncated, info = door.last()
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert observation["action_mask"].tolist() == info["action_mask"].tolist() == state.legal_mask.tolist()
    assert np.array_equal(observation["observation"], batch.observe()[1])


def check_ends(rules):
    """Random games end, with a reason and a result."""
    batch, ended = mancala.Batch(rules, 16, seed=1), []
    while len(ended) < 4:
        rewards, done = batch.play(batch.random_actions())
        ended += [(batch.final[k], tuple(rewards[k])) for k in np.flatnonzero(done)]
    for state, rewards in ended:
        assert state.is_over
        assert state.termination in mancala.TERMINATIONS[1:]
        assert state.legal_actions == ()
        assert all_seeds(state) == rules.total_seeds
        assert state.returns == rewards
        assert rewards in ((1.0, -1.0), (0.0, 0.0), (-1.0, 1.0))
        assert state.winner == {1.0: 0, 0.0: None, -1.0: 1}[rewards[0]]
        again = mancala.State.from_array(rules, state.array, state.games)
        assert (again, again.termination) == (state, state.termination)


def seeds(game):
    """Seeds of some games; of fewer matches, which are many games each."""
    return range(12 if mancala.ruleset(game).match == "none" else 2)


@core_then_all
def test_games_to_their_ends(game):
    for seed in range(4):
        check_same_game(mancala.ruleset(game, **short(game)), seed)


def check_same_game(rules, seed):
    """State, Batch and AEC play one game to its end."""
    actions, states = random_game(rules, seed)
    batch = mancala.Batch(rules, 3)
    aec = env(rules)
    aec.reset()
    for k, (action, state) in enumerate(zip(actions, states, strict=False)):
        check_position(state, aec, batch)
        rewards, done = batch.play([action] * 3)
        aec.step(action)
        assert bool(done[1]) == (k + 1 == len(actions))
    end = states[-1]
    assert batch.final[1] == end == aec.position
    assert batch.final[1].games == end.games == aec.position.games
    assert batch.termination[1] == end.termination
    assert tuple(rewards[1]) == end.returns
    assert [*aec.rewards.values()] == [*end.returns[: rules.players]]
    assert [*aec.rewards] == aec.possible_agents == [*PLAYERS[: rules.players]]
    assert all(aec.terminations.values())
    assert {mancala.TERMINATIONS[info["termination"]] for info in aec.infos.values()} == {end.termination}
    assert batch.state(1) == rules.start()
    assert batch.state(1).games == rules.start().games
    if end.scores is not None and end.scores[0] != end.scores[1]:
        enough = max(end.scores) >= rules.target_seeds  # 0 where nobody needs a number
        assert end.winner == (int(end.scores[1] > end.scores[0]) if enough else None)


@core_then_all
def test_pettingzoo_infos_are_the_same_arrays_from_the_reset_to_the_end(game):
    for seed, make in enumerate((env, raw_env)):
        door = make(game, **short(game))
        door.reset(seed)
        told, kept = [door.infos], [copy.deepcopy(door.infos)]
        for action in random_game(door.rules, seed)[0]:
            door.step(action)
            told.append(door.infos)
            kept.append(copy.deepcopy(door.infos))
        assert all(door.terminations.values())
        for infos, copied in zip(told, kept, strict=True):
            assert {*infos} == {*door.possible_agents}
            for agent in infos:
                assert kinds(infos[agent]) == kinds(told[0]["player_0"])
                assert_same(infos[agent], copied[agent])  # what was told before does not change later
        assert [infos["player_0"]["termination"] > 0 for infos in told] == [False] * (len(told) - 1) + [True]


@core_then_all
def test_gymnasium_infos_are_the_same_arrays_from_the_reset_to_the_end(game):
    door = gymnasium.make(mancala.RULESETS[game].id, encoder="counts", **short(game))
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


@core_then_all
def test_vector_infos_are_the_same_arrays_from_the_reset_on(game):
    games = 8
    door = gymnasium.make_vec(mancala.RULESETS[game].id, num_envs=games, encoder="counts", **short(game))
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


@core_then_all
def test_the_seats_are_alike(game):
    if mancala.ruleset(game).players == 1:
        pytest.skip("a solitaire has one seat")
    for seed in seeds(game):
        for state in random_game(mancala.ruleset(game), seed)[1][:60]:
            if state.is_over:
                continue
            other = check_mirrored(state)
            encoder = make_encoder("onehot", state.rules)
            seats = np.array([state.player, other.player], dtype=np.int8)
            seen = encoder(np.stack([state.array, other.array]), seats)
            assert np.array_equal(seen[0], seen[1])


@core_then_all
def test_encoders_keep_their_promise(game):
    for name in ENCODERS if game in CORE else KINDS_OF_ENCODERS:  # looking further ahead takes minutes in some games
        check_encoder(game, name)


def check_encoder(game, name):
    """Values from 0 to 1, the same from a batch and from the encoder."""
    encoder = make_encoder(name, mancala.ruleset(game))
    batch = mancala.Batch(game, 64, encoder=name, seed=5)
    out = np.full((64, *encoder.shape), np.nan, dtype=np.float32)
    for _ in range(200):
        batch.play(batch.random_actions())
    assert batch.observe(out) is out
    assert out.dtype == np.float32
    assert ((out >= 0) & (out <= 1)).all()
    assert np.array_equal(out, encoder(batch.positions, batch.players))
    with pytest.raises(ValueError, match="out must be float32"):
        batch.observe(out[:, 1:])


@core_then_all
def test_agents_play_legal_moves_and_repeat_themselves_with_the_same_seed(game):
    for name in AGENTS:
        check_agent(game, lambda name=name: make_agent(name))


@pytest.mark.parametrize("game", mancala.RULESETS)
def test_ids_are_registered_from_the_table(game):
    rules = mancala.ruleset(game)
    made = pettingzoo.make("aec", f"mancala/{game}-v{rules.version}")
    made.reset()
    assert made.position == rules.start()
    assert str(made) == f"{game}_v{rules.version}" == str(raw_env(game))
