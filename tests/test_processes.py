"""Threads and processes: batches side by side, kernels without the GIL, environments in workers."""

import threading
import time

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv

import mancala_env as mancala

pytestmark = pytest.mark.integration


def transcript(game: str, seed: int, plies: int = 300) -> np.ndarray:
    batch = mancala.Batch(game, 128, seed=seed)
    for _ in range(plies):
        batch.play(batch.random_actions())
    return batch.positions


def test_two_batches_in_two_threads_play_as_they_do_alone():
    games = ("oware", "kalah")
    alone = [transcript(game, seed) for seed, game in enumerate(games)]
    together: list = [None, None]

    def run(seed: int, game: str) -> None:
        together[seed] = transcript(game, seed)

    threads = [threading.Thread(target=run, args=(seed, game)) for seed, game in enumerate(games)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


def test_kernels_release_the_gil():
    batch = mancala.Batch("oware", 400_000, encoder="onehot")
    ticks, running = [], threading.Event()

    def tick() -> None:
        running.set()
        while running.is_set():
            ticks.append(None)
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    out = batch.observe()
    ticker.start()
    running.wait()
    seats, most = np.zeros(batch.n, dtype=np.int8), 0
    for _ in range(200):  # on a busy machine the other thread gets no turn in most calls
        before = len(ticks)
        batch.encoder(batch._positions, seats, out)  # one kernel call, tens of milliseconds
        most = max(most, len(ticks) - before)
        if most > 2:
            break
    running.clear()
    ticker.join()
    assert most > 2  # one tick before the call and one after it would need no turn while it runs


def make_env() -> gymnasium.Env:
    return gymnasium.make("mancala/oware-v0", encoder="counts", opponent=first_legal, seat="south")


def first_legal(state: mancala.State) -> int:
    return state.legal_actions[0]


@pytest.mark.parametrize("context", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_environments_play_in_gymnasium_worker_processes(context):
    vector = AsyncVectorEnv([make_env] * 2, context=context)
    here = make_env()
    try:
        seen, _ = vector.reset(seed=0)
        expected, _ = here.reset(seed=0)
        assert np.array_equal(seen, np.stack([expected] * 2))
        for action in (0, 1, 2):
            seen, rewards, _, _, infos = vector.step(np.array([action, action]))
            expected, reward, _, _, info = here.step(action)
            assert np.array_equal(seen, np.stack([expected] * 2))
            assert rewards.tolist() == [reward] * 2
            assert np.array_equal(infos["action_mask"], np.stack([info["action_mask"]] * 2))
    finally:
        vector.close()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_environments_play_in_sb3_worker_processes():
    vec_env = pytest.importorskip("stable_baselines3.common.vec_env")
    vector = vec_env.SubprocVecEnv([make_env] * 2, start_method="fork")  # each that is spawned imports torch anew
    try:
        assert vector.reset().shape == (2, 14)
        masks = np.stack(vector.env_method("action_masks"))
        observations, rewards, done, _ = vector.step(masks.argmax(axis=1))
        assert (observations.shape, rewards.any(), done.any()) == ((2, 14), False, False)
    finally:
        vector.close()
