"""stable-baselines3: MaskablePPO against a fixed opponent, from the Gymnasium environments alone. For self-play, which
learns far more, see ``mancala train ppo``."""

import gymnasium
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

import mancala_env  # noqa: F401 - makes the ids known
from agents import make_agent


def train(steps: int = 20_000, envs: int = 8, seed: int = 0) -> MaskablePPO:
    """Train against ``greedy``. MaskablePPO finds the masks through the environment's ``action_masks()``."""
    games = DummyVecEnv(
        [lambda: gymnasium.make("mancala/oware-v0", opponent=make_agent("greedy")) for _ in range(envs)]
    )
    model = MaskablePPO("MlpPolicy", games, n_steps=128, batch_size=256, seed=seed, device="cpu")
    return model.learn(steps)


if __name__ == "__main__":
    train().save("maskable_ppo")
