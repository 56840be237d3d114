"""The Gymnasium environments: official checks, seats, rewards, illegal actions, vectors."""

from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import mancala_env as mancala
from agents import make_agent
from mancala_env import aec
from mancala_env.kernels import layout
from mancala_env.opponent_env import OpponentEnv
from mancala_env.rewards import Rewards
from mancala_env.single_agent import MancalaSingleEnv, MancalaVectorEnv
from tests.games import CORE, KINDS_OF_ENCODERS


def first_legal(state: mancala.State) -> int:
    return state.legal_actions[0]


def play_out(env: MancalaSingleEnv, random: np.random.Generator) -> tuple[float, dict]:
    """One episode with random legal actions: total reward and last info."""
    _, info = env.reset()
    total, over = 0.0, False
    while not over:
        _, reward, over, truncated, info = env.step(int(random.choice(np.flatnonzero(info["action_mask"]))))
        total += reward
        assert not truncated
    return total, info


@pytest.mark.parametrize("game", CORE)
@pytest.mark.parametrize("encoder", KINDS_OF_ENCODERS)
def test_gymnasium_and_sb3_find_nothing_wrong(game, encoder):
    sb3 = pytest.importorskip("stable_baselines3.common.env_checker")
    env = gymnasium.make(f"mancala/{game}-v0", encoder=encoder).unwrapped
    check_env(env)
    sb3.check_env(env)


@pytest.mark.parametrize("game", CORE)
@pytest.mark.parametrize("opponent", ["random", first_legal, make_agent("greedy")])
def test_the_learner_sees_the_true_result_from_either_seat(game, opponent):
    env = MancalaSingleEnv(game, opponent=opponent, encoder="counts")
    env.reset(seed=1)
    random = np.random.default_rng(1)
    seats = set()
    for _ in range(8):
        total, info = play_out(env, random)
        end = env.position
        assert end.is_over
        assert mancala.TERMINATIONS[info["termination"]] == end.termination
        assert total == info["result"] == end.returns[info["seat"]]
        margin = info["result"]
        if env.rules.counts_seeds:
            south, north = end.scores
            margin = (south - north) * (1 if info["seat"] == 0 else -1) / env.rules.total_seeds
        assert info["margin"] == pytest.approx(margin)
        seats.add(int(info["seat"]))
    assert seats == {0, 1}


@pytest.mark.parametrize(("seat", "expected"), [("south", [0] * 6), ("north", [1] * 6), ("alternate", [1, 0] * 3)])
def test_the_learner_sits_where_it_is_told(seat, expected):
    env = MancalaSingleEnv("kalah", seat=seat, pits_per_row=3, seeds=2)
    env.reset(seed=0)  # a game that nobody plays counts as one for "alternate"
    random = np.random.default_rng(0)
    assert [play_out(env, random)[1]["seat"] for _ in range(6)] == expected


def test_extra_turns_are_decisions_of_their_own():
    env = MancalaSingleEnv("kalah", opponent=first_legal, seat="south")
    env.reset(seed=0)
    env.step(2)
    assert env.position == mancala.ruleset("kalah").start().play(2)
    env.step(0)
    assert env.position.ply >= 3


def test_an_illegal_action_loses():
    env = gymnasium.make("mancala/oware-v0", opponent=first_legal, seat="south")
    env.reset(seed=0)
    env.step(0)
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated, info["illegal"]) == (-1.0, True, False, True)
    assert mancala.TERMINATIONS[info["termination"]] == "illegal"
    assert info["termination"] == -1
    assert not info["action_mask"].any()
    assert not env.unwrapped.action_masks().any()
    observation, info = env.reset()
    assert not info["illegal"]
    assert info["action_mask"].all()
    assert env.observation_space.contains(observation)


def test_an_illegal_action_raises_on_request_and_nothing_moves():
    env = MancalaSingleEnv("oware", opponent=first_legal, seat="south", illegal="raise")
    env.reset(seed=0)
    env.step(0)
    before = env.position
    for wrong, said in (
        (
            0,
            r"^oware: action 0 is illegal in game 0; legal actions are \(1, 2, 3, 4, 5\) in position oware 0-[^;]+; no",
        ),
        (-1, "action -1 is illegal"),
        (3.0, "^oware: an action must be a whole number, not float 3.0$"),
        ([1], r"not list \[1\]"),
    ):
        with pytest.raises(mancala.IllegalAction, match=said):
            env.step(wrong)
    assert env.position == before
    assert env.core.lengths[0] == 1
    env.step(1)
    assert env.core.lengths[0] == 2


def test_a_policy_is_shown_what_it_was_trained_on_and_no_other_game(tmp_path):
    network = pytest.importorskip("agents.policy.network")
    network.PolicyNetwork("oware", "counts", (8,)).save(tmp_path / "policy.safetensors")
    player = make_agent(f"policy:path={tmp_path}")
    env = MancalaSingleEnv("oware", opponent=player, encoder="onehot", seat="north")
    env.reset(seed=0)
    start = mancala.ruleset("oware").start()
    assert env.position == start.play(player.act(start))
    with pytest.raises(ValueError, match="other rules"):
        MancalaSingleEnv("kalah", opponent=player, seat="north")


@pytest.mark.parametrize("answer", [None, "2", 1.5, [2], 1 << 80, True, 7], ids=repr)
def test_what_an_opponent_returns_that_is_no_action_is_named(answer):
    said = "action 7 is illegal" if answer == 7 else "the opponent returned .*, which is no action, in kalah 4-4-4"
    with pytest.raises(mancala.IllegalAction, match=said):
        MancalaSingleEnv("kalah", opponent=lambda state: answer, seat="north")


def test_a_finished_game_wants_a_reset():
    env = MancalaSingleEnv("kalah", pits_per_row=1, seeds=1, seat="south")
    env.reset(seed=0)
    _, _, terminated, _, _ = env.step(0)
    assert terminated
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        env.step(0)


def test_a_seat_that_never_moves_is_refused():
    with pytest.raises(ValueError, match="the learner never comes to move as 'north'"):
        MancalaSingleEnv("kalah", pits_per_row=1, seeds=1, seat="north")


DOORS = {"single": MancalaSingleEnv, "vector": partial(MancalaVectorEnv, 2), "PettingZoo": aec.env}
EVERY, ONE, OURS = tuple(DOORS), ("single", "PettingZoo"), ("single", "vector")


@pytest.mark.parametrize(
    ("doors", "options", "text"),
    [
        (EVERY, {"rules": "owari"}, "unknown game 'owari'; did you mean"),
        (EVERY, {"grand_slam": "sometimes"}, "grand_slam must be one of"),
        (EVERY, {"grandslam": "forbidden"}, "did you mean 'grand_slam'"),
        (EVERY, {"encoder": "pixels"}, "unknown encoder 'pixels'"),
        (ONE, {"render_mode": "gif"}, "render_mode must be one of"),
        (["PettingZoo"], {"max_cycles": 0}, "max_cycles must be 1 or more"),
        (["vector"], {"render_mode": "ansi"}, "cannot be rendered"),
        (OURS, {"opponent": "minimax"}, "'minimax' cannot play, .*: give 'random', an agent as agents.make_agent"),
        (OURS, {"seat": "left"}, "seat must be one of random, alternate, south, north"),
        (OURS, {"reward": "money"}, "reward must be one of result, margin"),
        (OURS, {"illegal": "ignore"}, "illegal must be one of lose, raise"),
        (OURS, {"gamma": 1.5}, "gamma must be a number from 0 to 1"),
        (OURS, {"opponnent": "random"}, "environments take opponent, encoder.* did you mean 'opponent'"),
    ],
)
def test_impossible_environments_are_refused(doors, options, text):
    for door in doors:
        with pytest.raises(ValueError, match=text):
            DOORS[door](**{"rules": "oware"} | options)


@pytest.mark.parametrize("opponent", ["random", make_agent("random")])
def test_the_same_seed_gives_the_same_episodes_also_against_an_agent_that_draws(opponent):
    episodes = []
    for _ in range(2):
        env = gymnasium.make("mancala/oware-v0", opponent=opponent)
        env.reset(seed=5)
        random = np.random.default_rng(2)
        games = [play_out(env.unwrapped, random) for _ in range(5)]
        episodes.append([(total, info["seat"], info["length"]) for total, info in games])
    assert episodes[0] == episodes[1]


def test_make_vec_takes_the_native_vector():
    vector = gymnasium.make_vec("mancala/kalah-v0", num_envs=5, pits_per_row=4)
    assert isinstance(vector, MancalaVectorEnv)
    observations, infos = vector.reset(seed=3)
    assert vector.observation_space.contains(observations)
    assert infos["action_mask"].shape == (5, 4)
    assert infos["action_mask"].dtype == np.int8
    assert infos["_action_mask"].all()
    assert vector.metadata["autoreset_mode"] == vector.autoreset_mode == gymnasium.vector.AutoresetMode.SAME_STEP


def test_final_observations_and_infos_belong_to_the_games_that_ended():
    vector = gymnasium.make_vec("mancala/kalah-v0", num_envs=32, encoder="counts", pits_per_row=4, seeds=3)
    _, infos = vector.reset(seed=0)
    random = np.random.default_rng(0)
    ended = 0
    for _ in range(60):
        noise = random.random(infos["action_mask"].shape)
        _, rewards, terminated, truncated, infos = vector.step((infos["action_mask"] * (1 + noise)).argmax(axis=1))
        assert not truncated.any()
        assert infos["action_mask"].any(axis=1).all()
        if not terminated.any():
            assert not infos["final_obs"].any()
            assert not any(values.any() for values in infos["final_info"].values())
            assert not rewards.any()
            continue
        ended += terminated.sum()
        final = infos["final_info"]
        assert np.array_equal(infos["_final_obs"], terminated)
        assert np.array_equal(final["result"], rewards)
        assert np.array_equal(np.sign(final["margin"]), rewards)
        assert {mancala.TERMINATIONS[code] for code in final["termination"][terminated]} <= {"side_empty"}
        assert infos["final_obs"][terminated].sum(axis=1) == pytest.approx(1.0)
        assert (infos["final_obs"][terminated] != vector.core.observe()[terminated]).any(axis=1).all()
    assert ended > 100


def test_illegal_actions_lose_their_games_only():
    vector = MancalaVectorEnv(4, "oware", opponent=first_legal, seat="south")
    vector.reset(seed=0)
    vector.step([0, 1, 2, 3])
    _, rewards, terminated, _, infos = vector.step([0, 2, 9, 4])
    assert rewards.tolist() == [-1.0, 0.0, -1.0, 0.0]
    assert terminated.tolist() == [True, False, True, False]
    assert infos["final_info"]["illegal"].tolist() == [True, False, True, False]
    assert infos["final_info"]["termination"].tolist() == [-1, 0, -1, 0]
    assert vector.core.batch.state(0) == vector.rules.start()


def test_an_opponent_with_act_batch_is_asked_for_all_games_at_once():
    class Counter:
        def __init__(self):
            self.asked = []

        def act_batch(self, observations, masks):
            assert len(observations) == len(masks)
            self.asked.append(len(masks))
            return masks.argmax(axis=1)

    counter = Counter()
    together = MancalaVectorEnv(64, "oware", opponent=counter, seat="south")
    apart = MancalaVectorEnv(64, "oware", opponent=first_legal, seat="south")
    together.reset(seed=0)
    apart.reset(seed=0)
    for step in range(20):
        mask = together.action_masks()
        actions = np.where(mask[:, step % 6], step % 6, mask.argmax(axis=1))
        seen = [vector.step(actions) for vector in (together, apart)]
        assert np.array_equal(seen[0][0], seen[1][0])
        assert np.array_equal(seen[0][1], seen[1][1])
    assert max(counter.asked) == 64


def test_shaping_rewards_of_a_game_telescope():
    env = OpponentEnv("oware", 32, encoder="counts", rewards=Rewards(shaping=2.0, gamma=0.9), seed=4)
    random = np.random.default_rng(0)
    first, total, weight, ends = env._potentials.copy(), np.zeros(32), np.ones(32), 0
    for _ in range(150):
        noise = random.random(env.legal_mask.shape)
        rewards, ended = env.step((env.legal_mask * (1 + noise)).argmax(axis=1))
        total += weight * rewards
        weight *= 0.9
        for game, result in zip(ended.games, ended.results, strict=True):
            ends += 1
            assert total[game] - weight[game] / 0.9 * result == pytest.approx(-first[game], abs=1e-5)
            first[game], total[game], weight[game] = env._potentials[game], 0.0, 1.0
    assert ends > 30


@pytest.mark.parametrize("game", ["oware", "kalah", "oware_series_wins"])
def test_games_begin_behind_random_plies(game):
    env = OpponentEnv(game, 400, opening_plies=6, seat="south", seed=1)
    plies = env.batch.positions[:, env.rules.board.pits + layout.PLY]
    assert {0, 2, 4, 6} <= set(plies.tolist())  # the opponent has moved where it is to begin
    assert (env.batch.players == 0).all()
    boards = {row.tobytes() for row in env.batch.positions}
    assert len(boards) > 200
    again = OpponentEnv(game, 400, opening_plies=6, seat="south", seed=1)
    assert (again.batch.positions == env.batch.positions).all()
    random = np.random.default_rng(0)
    finished = 0
    for _ in range(60):
        masks = env.legal_mask
        _, ended = env.step(np.where(masks, random.random(masks.shape), -1).argmax(axis=1))
        finished += len(ended.games)
        assert set(np.abs(ended.results).tolist()) <= {0.0, 1.0}
        assert (env.batch.players == env.seats).all()
    assert finished > (0 if "series" in game else 100)


def test_a_game_without_openings_begins_at_the_start():
    assert len({row.tobytes() for row in OpponentEnv("kalah", 50, seat="south").batch.positions}) == 1
    with pytest.raises(ValueError, match="opening_plies"):
        OpponentEnv("kalah", 2, opening_plies=-1)
