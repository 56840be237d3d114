"""Batch: many games at once, threads, resets, bad input."""

import copy
import pickle

import numpy as np
import pytest

import mancala_env as mancala
from tests.games import CORE


def play_on(batch: mancala.Batch, steps: int) -> list[np.ndarray]:
    seen = []
    for _ in range(steps):
        rewards, done = batch.play(batch.random_actions())
        seen += [batch.positions, batch.legal_mask, rewards, done, batch.termination]
    return seen


@pytest.mark.parametrize("game", CORE)
def test_the_same_seed_gives_the_same_games_on_any_number_of_threads(game):
    n = 25_000  # fewer would not be shared among three threads
    plies = 60 if game in ("kalah", "reaping", "layli_goobalay_match") else 10  # the first three also end in these
    one, two, three = (mancala.Batch(game, n, seed=7, threads=threads) for threads in (1, 2, 3))
    for a, b, c in zip(play_on(one, plies), play_on(two, plies), play_on(three, plies), strict=True):
        assert np.array_equal(a, b)
        assert np.array_equal(a, c)
    assert one._pool is None
    assert two._pool is not None
    other = mancala.Batch(game, n, seed=8)
    assert not np.array_equal(play_on(one, 1)[0], play_on(other, 1)[0])


def test_reset_starts_the_games_and_the_random_numbers_again():
    batch = mancala.Batch("oware", 10, seed=1)
    before = play_on(batch, 30)
    batch.reset()
    assert all(np.array_equal(a, b) for a, b in zip(before, play_on(batch, 30), strict=True))


def test_random_actions_are_uniform_over_the_legal_ones():
    batch = mancala.Batch(mancala.ruleset("oware"), 6000, seed=2)
    counts = np.bincount(batch.random_actions(), minlength=6)
    assert counts.sum() == 6000
    assert (abs(counts - 1000) < 150).all()  # five standard deviations
    for _ in range(60):
        actions = batch.random_actions()
        assert batch.legal_mask[np.arange(6000), actions].all()
        batch.play(actions)


def test_a_repetition_fires_where_state_says_after_thousands_of_plies():
    rules = mancala.ruleset("oware", majority_stop=False, indeterminacy_max_seeds=0)
    batch = mancala.Batch(rules, 64, seed=4)
    states = [rules.start()] * 64
    repetitions = 0
    for _ in range(600):
        actions = batch.random_actions()
        rewards, done = batch.play(actions)
        assert sorted(batch.final) == np.flatnonzero(done).tolist()
        for game in range(64):
            states[game] = states[game].play(int(actions[game]))
            assert (done[game], tuple(rewards[game])) == (states[game].is_over, states[game].returns)
            assert batch.termination[game] == (states[game].termination or "")
            if states[game].is_over:
                assert batch.final[game] == states[game]
                repetitions += states[game].termination == "repetition"
                states[game] = rules.start()
            assert np.array_equal(batch.state(game).history, states[game].history)
    assert repetitions > 10


def test_some_games_can_move_or_start_anew_while_others_stand():
    batch = mancala.Batch("oware", 5)
    before = batch.positions
    rewards, done = batch.play([2, 3], games=np.array([4, 1]))
    assert np.array_equal(batch.positions[[0, 2, 3]], before[[0, 2, 3]])
    assert batch.state(4) == batch.rules.start().play(2)
    assert batch.state(1) == batch.rules.start().play(3)
    assert rewards.shape == (5, 2)
    assert done.shape == (5,)
    batch.play(np.zeros(0, dtype=np.int64), games=np.zeros(0, dtype=np.int64))
    batch.reset(np.array([1]))
    assert [batch.state(game).ply for game in (4, 1)] == [1, 0]
    for games in ([1, 1], [0, 5], [-1, 0], [0.9, 2.9]):
        for move in (lambda games: batch.play([0, 0], games=games), batch.reset):
            with pytest.raises(ValueError, match=r"games must be (different|whole numbers from 0 to 4)"):
                move(np.array(games))


def test_arrays_given_out_do_not_change_later():
    batch = mancala.Batch("oware", 8, encoder="counts")
    given = [batch.legal_mask, batch.players, batch.positions, batch.observe(), *batch.play([2] * 8)]
    copies = [array.copy() for array in given]
    final, termination = batch.final, batch.termination
    for _ in range(100):
        batch.play(batch.random_actions())
    assert all(np.array_equal(a, b) for a, b in zip(given, copies, strict=True))
    assert len(final) == 0
    assert set(termination) == {""}


@pytest.mark.parametrize(
    ("actions", "text"),
    [
        ([0, 1, 6], "action 6 is illegal in game 2"),
        ([0, -1, 0], "action -1 is illegal in game 1"),
        ([0.0, 1.0, 2.0], r"must be 3 whole numbers, not list \[0.0, 1.0, 2.0\]"),
        ([True, False, True], r"must be 3 whole numbers, not list \[True, False, True\]"),
        ([[1, 2], [3]], r"must be 3 whole numbers, not list \[\[1, 2\], \[3\]\]"),
        ([0, 1], "must be 3 whole numbers"),
        ([[0], [1], [2]], "must be 3 whole numbers"),
        (["0", "1", "2"], "must be 3 whole numbers"),
        (3, "must be 3 whole numbers"),
    ],
)
def test_bad_actions_are_refused_and_no_game_moves(actions, text):
    batch = mancala.Batch("oware", 3)
    before = batch.positions
    with pytest.raises(mancala.IllegalAction, match=text):
        batch.play(actions)
    assert np.array_equal(batch.positions, before)


@pytest.mark.parametrize("threads", [1, 2])
def test_copies_of_a_batch_go_their_own_way(threads):
    batch = mancala.Batch("oware", 8 if threads == 1 else 20_000, threads=threads)
    batch.play(batch.random_actions())
    assert (batch._pool is not None) == (threads > 1)
    for other in (copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))):
        assert np.array_equal(other.random_actions(), copy.deepcopy(batch).random_actions())
        other.play([other.state(game).legal_actions[0] for game in range(batch.n)])
        assert not np.array_equal(other.positions, batch.positions)


def test_a_batch_needs_games_and_threads_and_a_known_encoder():
    for arguments, text in (
        ({"n": 0}, "at least one game"),
        ({"n": 2.5}, "at least one game"),
        *(
            ({"n": 2, "threads": threads}, "threads must be 1 or more, a whole number, not")
            for threads in (0, True, 1.0, "2", None)
        ),
        ({"n": 2, "encoder": "pixels"}, "unknown encoder 'pixels'"),
    ):
        with pytest.raises(ValueError, match=text):
            mancala.Batch("oware", **arguments)
    assert dict(mancala.Batch("oware", 2).final) == {}
