"""Compiled: a stream of random numbers for each game, random choice, and a move in each of many games."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of
from mancala_env.kernels.engine import play
from mancala_env.kernels.jit import DISABLE_JIT, KERNELS, Work, compiler
from mancala_env.kernels.scores import final_scores

FOLDER = Path(__file__).parent
njit = compiler(KERNELS, FOLDER, work=Work("agents that move in many games at once", 15))
inlined = compiler(KERNELS, FOLDER, inline=True)


class Turns(NamedTuple):
    """The games in which an agent is to choose an action, as ``agents.batched.BatchedAgent.act_positions`` has them."""

    games: Any
    positions: Any
    masks: Any
    history: Any
    streams: Any


@inlined
def draw(stream):
    """The next 64 random bits of ``stream``, uint64[1]: SplitMix64 (Steele, Lea and Flood 2014)."""
    stream[0] += np.uint64(0x9E3779B97F4A7C15)
    x = stream[0]
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


if DISABLE_JIT:
    draw = np.errstate(over="ignore")(draw)  # it wraps around on purpose


@inlined
def below(stream, number):
    """A random number from 0 to ``number`` - 1."""
    return np.int64(((draw(stream) >> np.uint64(32)) * np.uint64(number)) >> np.uint64(32))


@inlined
def one_of(mask, stream):
    """A random action of those in ``mask``, bool[A], which has at least one."""
    legal = 0
    for action in range(len(mask)):
        legal += mask[action]
    choice = below(stream, legal)
    chosen = 0  # steps over illegal actions and the legal ones before the choice
    for action in range(len(mask)):
        choice -= mask[action]
        chosen += choice >= 0
    return chosen


@njit
def random_actions(masks, streams, out):
    """Write a random action of each line of ``masks``, bool[m, A], to ``out``, int64[m]; ``streams`` advance."""
    for k in range(len(masks)):
        out[k] = one_of(masks[k], streams[k : k + 1])


@njit
def play_games(games, moves, positions, masks, history, no_log, rules):
    """Play ``moves`` int64[m] in ``games`` int64[m], different running ones; a game that ends keeps its last position.
    Returns the most plies since a capture. Modified in place: ``positions`` int16[n, W], ``masks`` bool[n, A],
    ``history`` uint64[n, H], H at least two more than these plies; ``no_log`` is int16[0, 3].
    """
    axes, _, _ = arrays_of(rules)
    pits = axes[L.PITS]
    longest = 0
    for k in range(len(games)):
        game = games[k]
        hashes = history[game]
        start = play(rules, positions[game], moves[k], masks[game], hashes, 0, no_log)
        if start > 0 and axes[L.REPEATS] > 0:
            hashes[0] = hashes[start]
        longest = max(longest, np.int64(positions[game, pits + L.PLIES_SINCE_CAPTURE]))
    return longest


@njit
def results(positions, leads, reasons, scores, rules):
    """Of finished games, int16[n, W]: the sign of South's lead, why each ended, and twice the final scores."""
    axes, tables, _ = arrays_of(rules)
    pits = axes[L.PITS]
    for game in range(len(positions)):
        scores[game, 0], scores[game, 1], lead = final_scores(positions[game], axes, tables)
        leads[game] = np.sign(lead)
        reasons[game] = positions[game, pits + L.OVER]
