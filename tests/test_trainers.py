"""Trainers of other projects collect games at every door.

Tianshou and AgileRL need an environment of their own (``pyproject.toml``, extra ``peers``):

    python -m venv peers && peers/bin/pip install -e ".[peers]" && peers/bin/pytest -m peers tests/test_trainers.py"""

import gymnasium
import numpy as np
import pytest

import mancala_env as mancala
from mancala_env.aec import PLAYERS, env, raw_env
from tests.games import CORE, short

quiet = pytest.mark.filterwarnings("ignore")  # theirs


@pytest.mark.integration
@quiet
@pytest.mark.parametrize(("make", "game"), [*((env, game) for game in CORE), (raw_env, "kalah"), (raw_env, "reaping")])
def test_torchrl_rolls_out_every_game_of_pettingzoo(game, make):
    envs = pytest.importorskip("torchrl.envs")
    pytest.importorskip("torch").manual_seed(0)  # its random policy draws from it
    wrapped = envs.PettingZooWrapper(make(game, encoder="counts", **short(game)), use_mask=True)
    wrapped.set_seed(0)
    episode = wrapped.rollout(20_000)
    assert episode["next", "done"].squeeze(-1).tolist() == [False] * (len(episode) - 1) + [True]
    end = wrapped._env.position
    for seat, agent in enumerate(PLAYERS):
        info = episode["next", agent, "info"]
        assert mancala.TERMINATIONS[int(info["termination"][-1])] == end.termination
        assert not info["termination"][:-1].any()
        assert episode["next", agent, "reward"][-1].item() == end.returns[seat]
    steps, ended = len(episode), False
    while not ended:  # a random game may be many times as long as another
        steps *= 2
        going_on = wrapped.rollout(steps, break_when_any_done=False)
        assert len(going_on) == steps
        ended = bool(going_on["next", "done"].any())


@pytest.mark.integration
@quiet
@pytest.mark.parametrize("game", CORE)
def test_torchrl_reads_the_infos_of_gymnasium(game):
    envs = pytest.importorskip("torchrl.envs")
    door = gymnasium.make(f"mancala/{game}-v0", encoder="counts", **short(game))
    data = envs.GymWrapper(door).auto_register_info_dict().rollout(150, break_when_any_done=False)
    done = data["next", "done"].squeeze(-1)
    assert done.any()
    assert ((data["next", "termination"] != 0) == done).all()
    assert (data["next", "result"][done] == data["next", "reward"].squeeze(-1)[done]).all()
    assert data["action_mask"].shape == (150, door.action_space.n)


@quiet
@pytest.mark.peers
@pytest.mark.parametrize("game", CORE)
@pytest.mark.parametrize("make", [env, raw_env])
def test_tianshou_collects_every_game_of_pettingzoo(game, make):
    pytest.importorskip("tianshou")
    from tianshou.algorithm.multiagent.marl import MultiAgentPolicy
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv

    def door():
        return PettingZooEnv(make(game, encoder="counts", **short(game)))

    players = {
        agent: MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=door().action_space).policy for agent in PLAYERS
    }
    buffer = VectorReplayBuffer(20_000, 2)
    collector = Collector(MultiAgentPolicy(players), DummyVectorEnv([door, door]), buffer)
    found = collector.collect(n_episode=4, reset_before_collect=True)
    assert found.n_collected_episodes == 4
    assert not buffer.hasnull()
    data = buffer[:]
    assert data.terminated.sum() == 4
    assert ((data.info.termination != 0) == data.terminated).all()


NET = {"latent_dim": 8, "encoder_config": {"hidden_size": [8]}, "head_config": {"hidden_size": [8]}}


@quiet
@pytest.mark.peers
@pytest.mark.parametrize("game", CORE)
@pytest.mark.parametrize("vector", [True, False])
def test_agilerl_collects_rollouts_of_gymnasium(game, vector):
    pytest.importorskip("agilerl")
    from agilerl.algorithms import PPO
    from agilerl.rollouts.on_policy import collect_rollouts

    options = {"encoder": "counts", "illegal": "raise", **short(game)}
    if vector:
        door = gymnasium.make_vec(f"mancala/{game}-v0", num_envs=4, **options)
    else:
        door = gymnasium.vector.SyncVectorEnv(
            [lambda: gymnasium.make(f"mancala/{game}-v0", **options)] * 4,
            autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP,
        )
    learner = PPO(
        door.single_observation_space, door.single_action_space, net_config=NET, num_envs=4, learn_step=1200,
        batch_size=64, update_epochs=1,
    )  # fmt: skip
    scores, *_ = collect_rollouts(learner, door)
    assert set(np.asarray(scores).tolist()) <= {-1.0, 0.0, 1.0}
    assert len(scores) > 0
    assert np.isfinite(learner.learn())
