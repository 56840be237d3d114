"""The PettingZoo environment: its official checks, its checks of users, rendering."""

import copy
import pickle

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.utils import turn_based_aec_to_parallel, wrappers
from pettingzoo.utils.env_logger import EnvLogger

import mancala_env as mancala
from mancala_env.aec import PLAYERS, env, raw_env
from tests.games import CORE, KINDS_OF_ENCODERS, kinds

# PettingZoo knows dict observations of its own games only, by name.
dict_observations = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array", "ignore:Observation space for each agent probably should be"
)


@dict_observations
@pytest.mark.parametrize("game", CORE)
@pytest.mark.parametrize("encoder", KINDS_OF_ENCODERS)
@pytest.mark.parametrize("make", [env, raw_env])
def test_pettingzoo_finds_nothing_wrong(game, encoder, make):
    api_test(make(game, encoder=encoder), num_cycles=300)
    seed_test(lambda: make(game, encoder=encoder), num_cycles=100)


@pytest.mark.parametrize("game", CORE)
def test_pettingzoo_can_draw_it(game):
    render_test(lambda **options: env(game, **options))


def test_text_and_pictures_show_the_position():
    drawn = env("oware", render_mode="ansi")
    drawn.reset()
    before = drawn.render()
    drawn.step(0)
    assert before != drawn.render() == drawn.position.to_text()
    painted = env("oware", render_mode="rgb_array")
    painted.reset()
    picture = painted.render()
    assert picture.dtype == np.uint8
    assert picture.ndim == 3
    painted.step(0)
    assert not np.array_equal(picture, painted.render())
    painted.close()


def test_for_people_the_board_is_printed_after_every_move(capsys):
    shown = env("kalah", render_mode="human")
    shown.reset()
    shown.step(2)
    assert capsys.readouterr().out == f"{shown.position.to_text()}\n"
    assert shown.render() is None


def test_an_illegal_move_ends_the_game_as_pettingzoos_wrapper_does():
    ours = env("oware")
    theirs = wrappers.TerminateIllegalWrapper(raw_env("oware"), illegal_reward=-1)
    histories = []
    for game in (ours, theirs):
        game.reset()
        history = []
        for agent, action in zip(game.agent_iter(), [0, 0, 0, None, None], strict=False):
            _, reward, terminated, truncated, _ = game.last(observe=False)
            history.append((agent, reward, terminated, truncated))
            game.observe(agent)
            game.step(action)
        history.append(game.agents)
        histories.append(history)
    assert histories[0] == histories[1]
    assert ("player_0", -1.0, True, True) in histories[0]
    assert ("player_1", 0.0, True, True) in histories[0]
    EnvLogger.flush()


def test_infos_tell_of_an_illegal_move_by_a_code_and_of_a_truncation_by_none():
    game = env("oware_series_wins", max_cycles=3)
    game.reset()
    game.step(0)
    game.step(0)
    before = game.infos["player_0"]
    game.step(0)
    assert all(game.terminations.values())
    for agent in PLAYERS:
        assert game.infos[agent]["termination"] == -1
        assert kinds(game.infos[agent]) == kinds(before)
    assert mancala.TERMINATIONS[-1] == "illegal"
    assert before["termination"] == 0
    game.reset()
    assert game.infos["player_0"]["termination"] == 0
    for action in (0, 0, 1):
        game.step(action)
    assert all(game.truncations.values())
    assert not any(game.terminations.values())
    assert set(game.rewards.values()) == {0.0}
    assert game.infos["player_1"]["termination"] == 0
    EnvLogger.flush()


def test_the_mask_can_be_looked_up_in_infos_as_it_is_observed():
    game = raw_env("kalah")
    game.reset()
    for agent in PLAYERS:
        for info in (game.infos[agent], copy.deepcopy(game.infos[agent])):
            mask = game.observe(agent)["action_mask"].tolist()
            assert info["action_mask"].tolist() == info.get("action_mask").tolist() == mask
            assert "action_mask" in info
            assert info.get("illegal") is None
            with pytest.raises(KeyError, match="illegal"):
                info["illegal"]


def test_use_before_reset_is_an_error():
    fresh = env("oware")
    for name in ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "num_agents"):
        with pytest.raises(AttributeError, match=f"{name} cannot be accessed before reset"):
            getattr(fresh, name)
    shown = env("oware", render_mode="ansi")
    for call in (
        lambda: next(fresh.agent_iter()),
        lambda: fresh.step(0),
        lambda: fresh.observe("player_0"),
        fresh.state,
        shown.render,
    ):
        with pytest.raises(AttributeError, match="cannot be accessed before reset"):
            call()
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = fresh.nonsense


@pytest.mark.parametrize("action", [-1, 6, 2.0, "2", None, True, np.float32(1)])
def test_actions_outside_the_space_are_errors(action):
    game = env("oware")
    game.reset()
    with pytest.raises(AssertionError, match="not in the action space"):
        game.step(action)


def test_the_raw_environment_names_the_illegal_action():
    game = raw_env("oware")
    game.reset()
    game.step(0)
    game.step(0)
    with pytest.raises(mancala.IllegalAction, match="cannot play 0; legal actions are"):
        game.step(0)


def test_stepping_after_the_end_only_warns():
    game = env("kalah", pits_per_row=1, seeds=1)
    game.reset()
    game.step(0)
    game.step(None)
    game.step(None)
    assert game.agents == []
    game.step(0)
    assert "step() called after all agents are terminated" in EnvLogger.mqueue[-1]
    EnvLogger.flush()
    game.reset(options={"position": game.rules.position([0] * 2, (2, 0))})  # over where it starts
    assert all(game.terminations.values())
    assert game.last(observe=False)[1] == 1.0
    with pytest.raises(ValueError, match="only valid action is None"):
        game.step(0)


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
def test_copies_keep_the_position_and_go_their_own_way(copier):
    game = env("oware", render_mode="ansi")
    game.reset()
    game.step(3)
    game.render()
    other = copier(game)
    assert other.position == game.position
    other.step(1)
    assert other.position != game.position
    game.step(1)
    assert other.position == game.position


@dict_observations
@pytest.mark.filterwarnings("ignore:The base environment")
@pytest.mark.parametrize("game", CORE)
def test_it_works_as_a_parallel_environment(game):
    parallel_api_test(turn_based_aec_to_parallel(env(game)), num_cycles=200)


def test_a_game_can_start_from_any_position():
    game = env("oware")
    position = game.rules.position([0, 0, 0, 0, 0, 1] + [0, 3, 0, 2, 0, 1], (20, 21))
    game.reset(options={"position": position})
    assert game.position == position
    game.reset(options={"position": str(position), "something": "else"})
    assert game.position == position
    game.step(5)
    assert game.agent_selection == "player_1"
    game.reset()
    assert game.position == game.rules.start()
    for other in (mancala.ruleset("kalah").start(), mancala.ruleset("oware", repetition=3).start(), 3):
        with pytest.raises(ValueError, match="is no position of oware"):
            game.reset(options={"position": other})


def test_a_loop_that_does_not_step_is_an_error_and_reset_names_the_agent_again():
    game = env("oware")
    game.reset()
    game.step(3)
    agents = iter(game.agent_iter())
    assert next(agents) == "player_1"
    game.reset()
    assert next(agents) == "player_0"
    with pytest.raises(AssertionError, match="need to call step"):
        next(agents)


def test_made_by_id_with_changes():
    game = pettingzoo.make("aec", "mancala/oware-v0", grand_slam="no_capture", encoder="counts")
    assert game.rules == mancala.ruleset("oware", grand_slam="no_capture")
    assert game.observation_space("player_0")["observation"].shape == (14,)
    kalah = pettingzoo.make("aec", "mancala/kalah-v0", pits_per_row=4, seeds=3)
    assert kalah.action_space("player_1").n == 4
    kalah.reset()
    kalah.step(1)
    assert np.array_equal(kalah.state(), kalah.unwrapped.position.array)
