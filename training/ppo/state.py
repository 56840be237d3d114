"""The state of a PPO run between two rollouts: what a checkpoint holds of it, and how a run goes on from one."""

from collections import deque
from typing import Any

import numpy as np
from sb3_contrib import MaskablePPO

from training.checkpoint import (
    Checkpoint,
    adam_arrays,
    copied,
    fill,
    fitting,
    restore_adam,
    restore_torch_random,
    torch_random,
    under,
)
from training.ppo.selfplay import OpponentPool, SelfPlayVecEnv


def capture(model: MaskablePPO, pool: OpponentPool, rollouts: int, seconds: float, about: dict[str, Any]) -> Checkpoint:
    """A copy of the state of a run; call it between two rollouts.

    Parameters
    ----------
    rollouts, seconds : int, float
        The number of rollouts played, and the seconds they took.
    about : dict
        ``describe``.
    """
    env = _games_of(model)
    _, numpy_words, position, has_gauss, gauss = np.random.get_state(legacy=True)  # noqa: NPY002 (what SB3 draws from)
    arrays = {
        **{f"policy.{name}": copied(weights) for name, weights in model.policy.state_dict().items()},
        **adam_arrays(model.policy.optimizer),  # type: ignore[arg-type]
        **{f"games.{name}": array for name, array in env.core.snapshot().items()},
        **{f"pool.{name}": array for name, array in pool.snapshot().items()},
        "episode_starts": np.array(model._last_episode_starts, dtype=np.bool_),
        "episodes": np.array([(e["r"], e["l"], e["t"]) for e in model.ep_info_buffer or ()], np.float64).reshape(-1, 3),
        "random.numpy": np.array(numpy_words),
        **torch_random(model.device),
    }
    log = model.logger
    header = {
        **about,
        "steps": model.num_timesteps,
        "updates": model._n_updates,
        "rollouts": rollouts,
        "seconds": seconds,
        "progress_remaining": model._current_progress_remaining,
        "random_games": env.core.random.bit_generator.state,
        "random_numpy": [int(position), int(has_gauss), float(gauss)],
        "log": {  # the figures of an update are written with the next rollout
            name: [float(value), log.name_to_count[name], log.name_to_excluded[name]]
            for name, value in log.name_to_value.items()
        },
    }
    return Checkpoint(header, arrays)


def restore(checkpoint: Checkpoint, model: MaskablePPO, pool: OpponentPool) -> None:
    """Bring a new model and its games to the state of a checkpoint.

    Raises
    ------
    CheckpointError
        If the checkpoint does not fit them.
    """
    with fitting():
        _restore(checkpoint, model, pool)


def _restore(checkpoint: Checkpoint, model: MaskablePPO, pool: OpponentPool) -> None:
    header, arrays = checkpoint.header, checkpoint.arrays
    env = _games_of(model)
    for name, weights in model.policy.state_dict().items():
        fill(weights, arrays[f"policy.{name}"])
    restore_adam(model.policy.optimizer, arrays)  # type: ignore[arg-type]
    pool.restore(under("pool", arrays))
    model._last_obs = env.restore(under("games", arrays))
    model._last_episode_starts = arrays["episode_starts"].copy()
    model.num_timesteps, model._n_updates = checkpoint.steps, int(header["updates"])
    model._current_progress_remaining = float(header["progress_remaining"])
    episodes = [{"r": r, "l": int(length), "t": t} for r, length, t in arrays["episodes"].tolist()]
    model.ep_info_buffer = deque(episodes, maxlen=model._stats_window_size)
    model.ep_success_buffer = deque(maxlen=model._stats_window_size)
    for name, (value, count, excluded) in header["log"].items():
        model.logger.name_to_value[name], model.logger.name_to_count[name] = value, count
        model.logger.name_to_excluded[name] = tuple(excluded) if isinstance(excluded, list) else excluded
    env.core.random.bit_generator.state = header["random_games"]
    np.random.set_state(("MT19937", arrays["random.numpy"], *header["random_numpy"]))  # noqa: NPY002
    restore_torch_random(model.device, arrays)


def _games_of(model: MaskablePPO) -> SelfPlayVecEnv:
    env = model.get_env()
    if not isinstance(env, SelfPlayVecEnv):
        raise TypeError(f"the model plays {type(env).__name__}, not SelfPlayVecEnv")
    return env
