"""The recipes run, and do what they say."""

import numpy as np
import pytest

from mancala_env.single_agent import MancalaSingleEnv
from training.recipes import maskable_ppo, rllib, torch_loop

pytestmark = pytest.mark.integration


def test_sb3_learns_from_the_gymnasium_environments():
    model = maskable_ppo.train(steps=1024, envs=4)
    env = MancalaSingleEnv("oware")
    observation, info = env.reset(seed=0)
    action, _ = model.predict(observation, action_masks=env.action_masks(), deterministic=True)
    assert info["action_mask"][action]


def test_a_plain_torch_loop_learns_to_beat_random_moves():
    assert torch_loop.train(updates=1, decisions=48)[1] < 0.1
    assert torch_loop.train(updates=24, decisions=48)[1] > 0.2


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_torchrl_collects_legal_decisions():
    pytest.importorskip("torchrl")
    from training.recipes import torchrl_rollout

    data = torchrl_rollout.rollout(120)
    masks, actions = data["action_mask"], data["action"]
    assert actions.shape == masks.shape
    assert (masks[actions.bool()]).all()
    rewards = data["next", "reward"].squeeze(-1)
    done = data["next", "done"].squeeze(-1)
    assert done.any()
    assert set(rewards[done].tolist()) <= {-1.0, 0.0, 1.0}
    assert not rewards[~done].any()


def test_the_rllib_adapter_has_the_keys_that_its_modules_read():
    env = rllib.ForRLlib(MancalaSingleEnv("kalah", seat="south", pits_per_row=1, seeds=1))
    observation, _ = env.reset(seed=0)
    assert env.observation_space.contains(observation)
    assert set(observation) == {"observations", "action_mask"}
    assert all(value.dtype == np.float32 for value in observation.values())
    observation, _, terminated, _, _ = env.step(0)
    assert terminated
    assert observation["action_mask"].tolist() == [1.0]
