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
@pytest.mark.parametrize("rules", ["tchuka_ruma", "kalah:pits_per_row=1,seeds=3", "bulgarian_solitaire"])
@pytest.mark.parametrize("made", ["learner", "players"])
def test_torchrl_may_draw_an_action_after_the_end_of_a_game(made, rules):
    envs = pytest.importorskip("torchrl.envs")
    import torch

    from training.recipes import torchrl_rollout

    for seed in range(3):  # most random games of Tchuka Ruma end with their first move
        torch.manual_seed(seed)
        env = getattr(torchrl_rollout, made)(rules)
        envs.check_env_specs(env, seed=seed)
        data = env.rollout(20, break_when_any_done=False)
        assert data["next", "done"].any()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_torchrl_collects_legal_decisions():
    pytest.importorskip("torchrl")
    from training.recipes import torchrl_rollout

    data = torchrl_rollout.rollout(120)
    assert data["action_mask"][data["action"].bool()].all()
    rewards, done = data["next", "reward"].squeeze(-1), data["next", "done"].squeeze(-1)
    assert done.any()
    assert set(rewards[done].tolist()) <= {-1.0, 0.0, 1.0}
    assert not rewards[~done].any()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # RLlib's own
def test_rllib_trains_on_the_adapted_environment_and_plays_legal_actions_only():
    ray = pytest.importorskip("ray")
    pytest.importorskip("tree")  # of the extra rllib, as RLlib does not install what it needs
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        told = rllib.train(1, 300)  # illegal="raise"
    finally:
        ray.shutdown()
    assert told["num_env_steps_sampled"] >= 300
    assert -1 <= told["episode_return_mean"] <= 1


def test_the_rllib_adapter_has_the_keys_that_its_modules_read():
    env = rllib.ForRLlib(MancalaSingleEnv("kalah", seat="south", pits_per_row=1, seeds=1))
    observation, _ = env.reset(seed=0)
    assert env.observation_space.contains(observation)
    assert set(observation) == {"observations", "action_mask"}
    assert all(value.dtype == np.float32 for value in observation.values())
    observation, _, terminated, _, _ = env.step(0)
    assert terminated
    assert observation["action_mask"].tolist() == [1.0]
