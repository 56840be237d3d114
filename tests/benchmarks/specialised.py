"""Oware and Kalah written out by hand, each for exactly its default rules: what the landing-table engine is held to.

Plain Numba with every rule a constant: two rows of six pits, all endings on, the legal mask, the ``counts`` observation
and the reset of finished games written in the same pass. Rows are laid out as in ``mancala_env.kernels.layout``, so
that a game can be compared with ``Batch`` number by number (``disagreement``).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import mancala_env as mancala
from mancala_env.batch import ODD_LINES
from mancala_env.kernels import layout
from mancala_env.kernels.jit import DISABLE_JIT, KERNELS, compiler
from mancala_env.kernels.ranking import configuration

njit = compiler(KERNELS, Path(__file__).parent)
inlined = compiler(KERNELS, Path(__file__).parent, inline=True)

SOUTH, NORTH, MOVER, PLY, PLIES_SINCE_CAPTURE, OVER, WIDTH = range(12, 19)  # fields of a row
KEYS = layout.HASH_KEYS[:13].copy()
MAJORITY, FAMINE, DEAD, REPETITION, MAX_PLIES, SIDE_EMPTY = (
    layout.TERMINATIONS.index(name)
    for name in ("majority", "famine", "indeterminacy", "repetition", "max_plies", "side_empty")
)
SEED = np.float32(1.0 / 48.0)
OWARE_PLIES = 1000


@inlined
def _oware_sow_and_take(row, player, pit):
    """Sow counter-clockwise without the origin, take twos and threes backwards; the seeds taken."""
    hand = np.int64(row[pit])
    row[pit] = 0
    last = pit
    if hand < 12:
        for _ in range(hand):
            last = last + 1 if last < 11 else 0
            row[last] += 1
    else:
        while hand > 0:
            last = last + 1 if last < 11 else 0
            if last != pit:
                row[last] += 1
                hand -= 1
    first = 6 - 6 * player  # the opponent's first pit
    end = last
    seeds = 0
    while first <= end < first + 6 and 2 <= row[end] <= 3:
        seeds += np.int64(row[end])
        end -= 1
    if seeds == 0:
        return 0
    kept = 0
    for other in range(first, first + 6):
        kept += np.int64(row[other])
    if kept == seeds:  # a grand slam, played because every move is one: it takes nothing
        return 0
    for other in range(end + 1, last + 1):
        row[other] = 0
    row[SOUTH + player] += seeds
    return seeds


@inlined
def _oware_mask(row, player, mask):
    """Write the legal mask; (legal actions, own seeds, the opponent's seeds)."""
    home = 6 * player
    camp = 6 - home
    legal, own, other, most = 0, 0, 0, 0
    for k in range(6):
        seeds = np.int64(row[home + k])
        mask[k] = seeds > 0
        legal += seeds > 0
        own += seeds
        most = max(most, seeds)
        other += np.int64(row[camp + k])
    if other == 0:  # the opponent must be fed
        legal = 0
        for k in range(6):
            mask[k] = mask[k] and k + row[home + k] > 5
            legal += mask[k]
    if other > 12:  # too many for a grand slam
        return legal, own, other
    # The ban of grand slams: a lap of less than a round must end after the opponent's last seed, in ones and twos.
    ones_and_twos, farthest = 0, 0
    for j in range(6):
        seeds = row[camp + j]
        if seeds > 0:
            farthest = j
        if ones_and_twos == j and 1 <= seeds <= 2:
            ones_and_twos += 1
    if farthest >= ones_and_twos and most < 12:
        return legal, own, other
    slams, struck = 0, 0
    for k in range(6):
        if not mask[k]:
            continue
        seeds = np.int64(row[home + k])
        if seeds < 12:
            slam = farthest <= k + seeds - 6 < ones_and_twos
        else:
            rounds, rest = seeds // 11, seeds % 11
            slam = k + (rest if rest > 0 else 11) == 11
            for j in range(6):
                count = row[camp + j] + rounds + (6 + j - k <= rest)
                slam = slam and 2 <= count <= 3
        if slam:
            slams += 1
            struck |= 1 << k
    if 0 < slams < legal:
        for k in range(6):
            mask[k] = mask[k] and not (struck >> k) & 1
        legal -= slams
    return legal, own, other


@inlined
def _oware_repeats(row, hashes):
    """Note the position; has it been there since the last capture?"""
    value = np.uint64(row[MOVER]) * KEYS[12]
    for pit in range(12):
        value += np.uint64(row[pit]) * KEYS[pit]
    quiet = np.int64(row[PLIES_SINCE_CAPTURE])
    hashes[quiet] = value
    seen = 0
    for k in range(quiet - 11):
        seen += hashes[k] == value
    return seen > 0


if DISABLE_JIT:
    _oware_repeats = np.errstate(over="ignore")(_oware_repeats)  # it wraps around on purpose


@inlined
def _observe(row, out):
    """The encoder ``counts`` for the mover."""
    mover = np.int64(row[MOVER])
    home, camp = 6 * mover, 6 - 6 * mover
    for k in range(6):
        out[k] = row[home + k] * SEED
        out[6 + k] = row[camp + k] * SEED
    out[12] = row[SOUTH + mover] * SEED
    out[13] = row[NORTH - mover] * SEED


@inlined
def _finish(game, row, mask, rewards, over, finals, scores, first):
    """Note the result of a finished game and start it again."""
    south, north = 2 * np.int64(row[SOUTH]), 2 * np.int64(row[NORTH])
    if row[OVER] != MAJORITY:
        for k in range(6):
            south += 2 * np.int64(row[k])
            north += 2 * np.int64(row[6 + k])
    over[game] = row[OVER]
    scores[game, 0] = south
    scores[game, 1] = north
    for field in range(WIDTH):
        finals[game, field] = row[field]
        row[field] = first[field]
    result = np.sign(south - north)
    rewards[game, 0] = result
    rewards[game, 1] = -result
    for k in range(6):
        mask[k] = True


@njit
def play_oware(actions, rows, masks, history, observations, rewards, over, finals, scores, first, first_hash, dead):
    """Play one action in every game; the most plies since a capture in any."""
    longest = 0
    for game in range(len(actions)):
        row = rows[game]
        mask = masks[game]
        player = np.int64(row[MOVER])
        taken = _oware_sow_and_take(row, player, 6 * player + actions[game])
        row[MOVER] = 1 - player
        row[PLY] += 1
        row[PLIES_SINCE_CAPTURE] = 0 if taken > 0 else row[PLIES_SINCE_CAPTURE] + 1
        legal, own, other = _oware_mask(row, 1 - player, mask)
        if max(row[SOUTH], row[NORTH]) > 24:
            row[OVER] = MAJORITY
        elif legal == 0:
            row[OVER] = FAMINE
        elif own + other <= 3 and dead[2 * configuration(row, 12, own + other) + 1 - player]:
            row[OVER] = DEAD
        elif _oware_repeats(row, history[game]):
            row[OVER] = REPETITION
        elif row[PLY] >= OWARE_PLIES:
            row[OVER] = MAX_PLIES
        if row[OVER] != 0:
            _finish(game, row, mask, rewards, over, finals, scores, first)
            history[game, 0] = first_hash
        longest = max(longest, np.int64(row[PLIES_SINCE_CAPTURE]))
        _observe(row, observations[game])
    return longest


@njit
def play_kalah(actions, rows, masks, history, observations, rewards, over, finals, scores, first, first_hash, dead):
    """Play one action in every game; 0, there being no history to keep."""
    for game in range(len(actions)):
        row = rows[game]
        mask = masks[game]
        player = np.int64(row[MOVER])
        home, camp = 6 * player, 6 - 6 * player
        store = SOUTH + player
        place = actions[game]  # 0-5 own pits, 6 own store, 7-12 the opponent's pits
        hand = np.int64(row[home + place])
        row[home + place] = 0
        hole = home + place
        for _ in range(hand):
            place = place + 1 if place < 12 else 0
            hole = home + place if place < 6 else (store if place == 6 else camp + place - 7)
            row[hole] += 1
        row[PLY] += 1
        row[PLIES_SINCE_CAPTURE] += 1
        if place < 6 and row[hole] == 1 and row[11 - hole] > 0:
            row[store] += 1 + row[11 - hole]
            row[hole] = 0
            row[11 - hole] = 0
            row[PLIES_SINCE_CAPTURE] = 0
        mover = player if place == 6 else 1 - player
        row[MOVER] = mover
        own, other = 0, 0
        for k in range(6):
            seeds = row[6 * mover + k]
            mask[k] = seeds > 0
            own += np.int64(seeds)
            other += np.int64(row[6 - 6 * mover + k])
        if own == 0 or other == 0:
            row[OVER] = SIDE_EMPTY
            _finish(game, row, mask, rewards, over, finals, scores, first)
        _observe(row, observations[game])
    return 0


KERNELS_BY_GAME: dict[str, Callable[..., int]] = {"oware": play_oware, "kalah": play_kalah}


class Specialised:
    """``n`` games side by side, as ``Batch(rules, n, encoder="counts")`` with its defaults."""

    def __init__(self, game: str, n: int) -> None:
        self.rules = mancala.ruleset(game)
        start = self.rules.start()
        self.first, self.dead = start.array, self.rules.encoded.no_capture_table
        self.first_hash = start.history[0] if self.rules.repetition else np.uint64(0)
        self.positions = np.tile(self.first, (n, 1))
        self.masks = np.tile(start.legal_mask, (n, 1))
        self.history = np.full((n, 32 + ODD_LINES if self.rules.repetition else 1), self.first_hash, dtype=np.uint64)
        self.observations = np.zeros((n, 14), dtype=np.float32)
        self.finals = self.positions.copy()
        self.scores = np.zeros((n, 2), dtype=np.int16)
        self._kernel = KERNELS_BY_GAME[game]
        self._longest = 0

    def play(self, actions: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
        """Play legal actions, int64[n]: (rewards float32[n, 2], why each game ended int8[n])."""
        n = len(self.positions)
        if self.rules.repetition and self._longest + 2 > self.history.shape[1]:
            self.history = np.pad(self.history, ((0, 0), (0, self.history.shape[1] + ODD_LINES)))
        rewards, over = np.zeros((n, 2), dtype=np.float32), np.zeros(n, dtype=np.int8)
        self._longest = self._kernel(
            actions, self.positions, self.masks, self.history, self.observations,
            rewards, over, self.finals, self.scores, self.first, self.first_hash, self.dead,
        )  # fmt: skip
        return rewards, over


def disagreement(game: str, n: int, steps: int, seed: int = 0) -> str | None:
    """Play the same random games with ``Batch`` and by hand: what differs first, or None if nothing does."""
    batch = mancala.Batch(game, n, seed=seed, encoder="counts")
    hand = Specialised(game, n)
    for step in range(steps):
        actions = batch.random_actions()
        (rewards, done), (hand_rewards, over) = batch.play(actions), hand.play(actions)
        pairs: dict[str, tuple[Any, Any]] = {
            "rows": (batch.positions, hand.positions),
            "legal masks": (batch.legal_mask, hand.masks),
            "observations": (batch.observe(), hand.observations),
            "rewards": (rewards, hand_rewards),
            "ended": (done, over != 0),
            "terminations": (batch.termination, np.array(layout.TERMINATIONS)[over]),
        }
        ended = np.flatnonzero(done)
        scores, last_rows, _ = batch.endings(ended)
        if not np.array_equal(last_rows, hand.finals[ended]) or not np.array_equal(scores, hand.scores[ended] / 2.0):
            return f"{game}: last rows or final scores differ at step {step}"
        for what, (one, other) in pairs.items():
            if not np.array_equal(one, other):
                where = int(np.flatnonzero((one != other).reshape(n, -1).any(axis=1))[0])
                return f"{game}: {what} differ at step {step} in game {where}: {one[where]} and {other[where]}"
    return None
