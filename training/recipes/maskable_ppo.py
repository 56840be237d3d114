"""stable-baselines3: MaskablePPO against a fixed opponent, from the Gymnasium environments alone.

For self-play, which learns far more, see ``mancala train ppo``.
"""

from collections.abc import Sequence
from pathlib import Path

import gymnasium
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

import mancala_env  # noqa: F401 - makes the ids known
from agents import make_agent
from mancala_env.cli import Parser, fail


def train(steps: int = 20_000, envs: int = 8, seed: int = 0) -> MaskablePPO:
    """Train against ``greedy``. MaskablePPO finds the masks through the environment's ``action_masks()``."""
    games = DummyVecEnv(
        [lambda: gymnasium.make("mancala/oware-v0", opponent=make_agent("greedy")) for _ in range(envs)]
    )
    model = MaskablePPO("MlpPolicy", games, n_steps=128, batch_size=256, seed=seed, device="cpu")
    return model.learn(steps)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = Parser("python -m training.recipes.maskable_ppo", __doc__)
    parser.add_argument("--steps", type=int, default=20_000, help="decisions to learn from")
    parser.add_argument("--out", default="runs/maskable_ppo", help="where the model is saved")
    asked = parser.parse_args(arguments)
    if asked.steps < 1:
        parser.error(f"--steps must be 1 or more, not {asked.steps}")
    try:
        Path(asked.out).parent.mkdir(parents=True, exist_ok=True)
        train(asked.steps).save(asked.out)
    except (OSError, ValueError) as error:
        fail(parser.prog, error)


if __name__ == "__main__":
    main()
