"""Whatever arrays are thrown at public calls, the interpreter survives, and what cannot be right is refused."""

import json
import os

import numpy as np
import pytest

import mancala_env as mancala
from mancala_env import State
from mancala_env.observation import make_encoder
from mancala_env.opponent_env import OpponentEnv
from mancala_env.rewards import Rewards
from mancala_env.single_agent import MancalaSingleEnv, MancalaVectorEnv
from tests.processes import python

OWARE = mancala.ruleset("oware")


def throw(*arguments, **environment):
    """What the thrower printed; it must have survived."""
    said, _ = python("-m", "tests.doors", *arguments, environment={**os.environ, **environment})
    return json.loads(said.splitlines()[-1])


@pytest.mark.integration
def test_wrong_arrays_are_refused_at_every_door_and_the_process_survives():
    told = throw("--seed", "1", "--names", "oware", "reaping", "oware_series_wins")
    assert len(told["thrown"]) >= 20
    for door, thrown in told["thrown"].items():
        assert thrown >= 15, door
        assert told["refused"].get(door, 0) > thrown // 4, door


@pytest.mark.slow
def test_many_wrong_arrays_at_positions_of_every_kind_of_game():
    told = throw("--seed", "2", "--rounds", "12")
    assert sum(told["thrown"].values()) > 30_000


@pytest.mark.slow
def test_no_access_is_out_of_bounds(tmp_path):
    """With a cache of its own: kernels that look at bounds are others than those that do not."""
    told = throw(
        "--seed", "3", "--rounds", "3", "--games", "300", NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path)
    )  # fmt: skip
    assert told["plies"] > 30_000
    assert any(path.name.endswith("-bounds") for path in tmp_path.iterdir())


@pytest.mark.parametrize("name", ["counts", "onehot", "lookahead1"])
def test_an_encoder_refuses_rows_that_are_no_positions(name):
    batch = mancala.Batch(OWARE, 4)
    encoder, seats = make_encoder(name, OWARE), np.zeros(4, dtype=np.int8)
    for spoil, words in (
        (lambda rows: rows.__setitem__((slice(None), 0), -30000), "pit 0 is -30000, and must be from 0 to 48"),
        (lambda rows: rows.__setitem__((3, 14), 2), r"positions\[3\] is no position of this game: the mover is 2"),
        (lambda rows: rows.__setitem__((1, 4), 9), "more seeds than the 48 of the game"),
        (lambda rows: rows.__setitem__((1, 15), -1), "the ply is -1, and must be from 0 to 32000"),
    ):
        rows = batch.positions
        spoil(rows)
        with pytest.raises(ValueError, match=words):
            encoder(rows, seats)
    with pytest.raises(ValueError, match=r"positions must be int16\[n, 18\], .* not int16\[4, 17\]"):
        encoder(batch.positions[:, :17], seats)
    for wrong in ([0.0, 1.0, 0.0, 1.0], [np.nan] * 4, [256, 257, 256, 257], [True] * 4, [0, 1]):
        with pytest.raises(ValueError, match="seats must be 4 whole numbers from 0 to 1"):
            encoder(batch.positions, np.array(wrong))
        with pytest.raises(ValueError, match="seats must be 4 whole numbers from 0 to 1"):
            batch.observe(seats=wrong)


def test_buffers_are_refused_in_words_of_our_own_or_written_as_they_lie():
    batch = mancala.Batch(OWARE, 4, encoder="counts")
    right = batch.observe()
    frozen, swapped = np.zeros_like(right), np.zeros(right.shape, dtype=">f4")
    frozen.setflags(write=False)
    with pytest.raises(ValueError, match="out is read-only"):
        batch.observe(frozen)
    with pytest.raises(ValueError, match=r"out must be float32\[4, 14\], not >f4"):
        batch.observe(swapped)
    with pytest.raises(ValueError, match="not a masked array of float32"):
        batch.observe(np.ma.masked_array(right.copy()))
    wide = np.full((4, 2, 14), np.nan, dtype=np.float32)
    assert np.array_equal(batch.observe(wide[:, 1]), right)
    assert np.isnan(wide[:, 0]).all()


def test_rows_that_only_lie_otherwise_in_memory_are_seen_alike():
    batch = mancala.Batch(OWARE, 4)
    encoder, frozen = make_encoder("counts", OWARE), batch.positions
    frozen.setflags(write=False)
    for rows in (frozen, np.asfortranarray(batch.positions), np.repeat(batch.positions, 2, axis=0)[::2]):
        assert np.array_equal(encoder(rows, batch.players), encoder(batch.positions, batch.players))


def test_a_state_refuses_rows_of_other_games_and_movers():
    for name in ("hus", "reaping", "oware_series_wins"):
        with pytest.raises(ValueError, match=r"position must be int16\[18\]"):
            State.from_array(OWARE, mancala.ruleset(name).start().array)
    for mover in (2, -1):
        row = OWARE.start().array
        row[14] = mover
        with pytest.raises(ValueError, match=f"the mover is {mover}"):
            State.from_array(OWARE, row)
    with pytest.raises(ValueError, match=r"a position as kernels\.layout draws them"):
        State.from_array(OWARE, OWARE.start().array[None])
    with pytest.raises(ValueError, match=r"games must be those of State\.games"):
        State.from_array(OWARE, OWARE.start().array, [1])


EDITS = {  # game: what is set where in a snapshot
    "oware": [("rows", (0, 3), -5), ("rows", (1, 16), 30), ("rows", (1, 16), -3), ("rows", (2, 17), 4),
              ("rows", (0, 15), 32000), ("masks", 0, False), ("masks", (0, 0), "turned")],
    "reaping": [("masks", slice(None), True), ("rows", (0, 0), 30000)],
    "oware_series_wins": [("rows", (0, 18), -7), ("rows", (0, 18), 30000), ("rows", (0, 19), 12000),
                          ("rows", (0, 20), 6), ("rows", (1, 22), -1), ("rows", (1, 24), 12)],
}  # fmt: skip


@pytest.mark.parametrize(("name", "edit"), [(name, edit) for name, edits in EDITS.items() for edit in edits], ids=str)
def test_an_edited_snapshot_is_refused_and_nothing_changes(name, edit):
    batch = mancala.Batch(name, 4, seed=1)
    for _ in range(5):
        batch.play(batch.random_actions())
    what, where, value = edit
    snapshot = batch.snapshot()
    snapshot[what][where] = np.logical_not(snapshot[what][where]) if isinstance(value, str) else value
    twin = mancala.Batch(name, 4, seed=1)
    with pytest.raises(ValueError, match=f"{name}: "):
        twin.restore(snapshot)
    assert np.array_equal(twin.positions, mancala.Batch(name, 4).positions)


def test_a_snapshot_has_all_parts_and_its_lengths_are_counted():
    batch = mancala.Batch(OWARE, 2)
    for _ in range(30):
        batch.play([state.legal_actions[0] for state in (batch.state(0), batch.state(1))])
    snapshot = batch.snapshot()
    twin = mancala.Batch(OWARE, 2)
    twin.restore(snapshot)
    assert twin._longest == batch._longest
    for missing in snapshot:
        with pytest.raises(ValueError, match=f"{missing} must be"):
            twin.restore({name: array for name, array in snapshot.items() if name != missing})


def test_endings_are_of_games_that_have_just_ended():
    batch = mancala.Batch(mancala.ruleset("kalah", pits_per_row=1, seeds=1), 3)
    batch.play([0, 0, 0])  # over at once
    assert len(batch.endings([0, 2])[0]) == 2
    for games in ([-1], [3], [0.0], [True, False, True], [[0]], [1, 1]):
        with pytest.raises(ValueError, match=r"games must be (different|whole numbers from 0 to 2)"):
            batch.endings(np.array(games))
    other = mancala.Batch("kalah", 3)
    other.play([0, 0, 0])
    with pytest.raises(ValueError, match="the last play did not end game 1"):
        other.endings([1])
    for game in (True, 0.0, -1, 3):
        with pytest.raises(IndexError, match="there is no game"):
            other.state(game)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "7", np.int64(-3), [1]])
def test_a_seed_that_is_none_is_refused_in_a_sentence(seed):
    single, vector = MancalaSingleEnv("kalah"), MancalaVectorEnv(2, "kalah")
    from mancala_env.aec import env

    for take in (
        lambda: mancala.Batch("kalah", 2, seed=seed),
        lambda: OpponentEnv("kalah", 2, seed=seed),
        lambda: OpponentEnv("kalah", 2).reset(seed),
        lambda: single.reset(seed=seed),
        lambda: vector.reset(seed=[seed, 1]),
        lambda: env("kalah").reset(seed=seed),
    ):
        with pytest.raises(ValueError, match=r"seed must be a whole number from 0.*not "):
            take()
    if not isinstance(seed, list):
        with pytest.raises(ValueError, match=r"seed must be a whole number from 0"):
            vector.reset(seed=seed)


@pytest.mark.parametrize(
    "number", [10**400, -1, float("inf"), float("nan"), True, "1", None, [0.5], 1j], ids=lambda number: repr(number)[:9]
)
def test_shaping_and_gamma_are_numbers(number):
    for name in ("shaping", "gamma"):
        with pytest.raises(ValueError, match=f"{name} must be a number from 0 to"):
            Rewards(**{name: number})


@pytest.mark.parametrize("name", ["none", "action7", [], {}, None, 3, np.zeros(2)], ids=repr)
def test_an_encoder_is_a_name(name):
    with pytest.raises(ValueError, match=r"unknown encoder .*encoders are counts"):
        make_encoder(name, OWARE)
