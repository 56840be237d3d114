"""Games of a learner that begin after random plies."""

import numpy as np
import pytest

from mancala_env.kernels import layout
from mancala_env.opponent_env import OpponentEnv


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
