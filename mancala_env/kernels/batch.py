"""Many games at once: play, reset and observe ``n`` positions, or a part of them on each thread, without the GIL."""

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of
from mancala_env.kernels.engine import play
from mancala_env.kernels.jit import KERNELS, Work, compiler, inlined, wrapping
from mancala_env.kernels.scores import final_scores
from mancala_env.kernels.single import WORD, mask_end

njit = compiler(KERNELS, work=Work("batches of games", 15))

# How a field of a position is shown: whether it is a number; as a share, multiplied by a scale; less a number, divided
# by it; and, so that 0.5 stands for 0, whether it leads another field; as a share and as a ratio that can be below 0.
IS, SHARE, RATIO, LEADS, OWED, BORROWED = range(6)
ONES = np.uint64(0x0101010101010101)  # the highest byte of what it multiplies becomes the sum of all eight


@njit
def first_illegal(games, actions, masks):
    """The first k whose ``actions[k]`` is not legal in game ``games[k]``, or -1. int64[m], int64[m], bool[n, A]."""
    for k in range(len(games)):
        action = actions[k]
        if action < 0 or action >= masks.shape[1] or not masks[games[k], action]:
            return k
    return -1


@njit
def play_games(games, moves, positions, masks, history, logs, rewards, over, finals, rules):
    """Play one legal action of ``moves``, int64[m], or NO_ACTION, in each of different ``games``, int64[m], in place; a
    game that ends is reset at once. ``positions``: int16[n, W]; ``masks``: bool[n, A]; ``history``: uint64[n, H], H at
    least two more than the plies since a capture; ``logs``: int16[n, G, 3], of ``ending.check_termination``. Where a
    game ends: ``rewards``, float32[n, 2], ``over``, int8[n], and ``finals``, int16[n + 1, ...], its last position and
    then twice the final scores; the last line of ``finals`` holds the data (``single``) of the start. Returns the most
    plies since a capture."""
    axes, tables, _ = arrays_of(rules)
    pits, width, actions = axes[L.PITS], positions.shape[1], masks.shape[1]
    first = finals[len(positions)]
    first_mask = first[width:].view(np.bool_)
    longest = 0
    for k in range(len(games)):
        game = games[k]
        position, hashes = positions[game], history[game]
        start = play(rules, position, moves[k], masks[game], hashes, 0, logs[game])
        if position[pits + L.OVER] != 0:
            over[game] = position[pits + L.OVER]
            finals[game, width], finals[game, width + 1], lead = final_scores(position, axes, tables)
            rewards[game, 0], rewards[game, 1] = np.sign(lead), -np.sign(lead)
            for field in range(width):
                finals[game, field] = position[field]
                position[field] = first[field]
            for action in range(actions):
                masks[game, action] = first_mask[action]
            if axes[L.REPEATS] > 0:
                at = mask_end(width, actions)
                hashes[0] = first[at : at + WORD].view(np.uint64)[0]
        elif start > 0 and axes[L.REPEATS] > 0:
            hashes[0] = hashes[start]
        longest = max(longest, np.int64(position[pits + L.PLIES_SINCE_CAPTURE]))
    return longest


@inlined
@wrapping
def pick(mask, actions, x):
    """The legal action that the random number ``x``, uint64, picks; -1 if there is none."""
    legal = first = 0
    for action in range(actions):
        legal += mask[action]
    choice = np.int64(((x >> np.uint64(32)) * np.uint64(legal)) >> np.uint64(32))
    for eight in mask[: actions // 8 * 8].view(np.uint64):  # a byte for each of eight actions
        here = np.int64((eight * ONES) >> np.uint64(56))
        if choice < here:
            break
        choice -= here
        first += 8
    chosen = first  # and the number of actions before the chosen one from there on
    for action in range(first, min(first + 8, actions)):
        choice -= mask[action]
        chosen += choice >= 0
    return chosen if legal > 0 else -1


@njit
@wrapping
def random_actions(masks, seed, turn, first, out):
    """Write a uniformly random legal action of each game, or -1, to ``out``, int64[n]; by (seed, turn, first + game)
    alone, however games are split over threads, with the mixer of SplitMix64 (Steele, Lea and Flood 2014)."""
    stream = np.uint64(seed) + np.uint64(turn) * np.uint64(0x9E3779B97F4A7C15)
    for game in range(len(masks)):
        x = stream ^ (np.uint64(first + game) * np.uint64(0xD1342543DE82EF95))
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
        if masks.shape[1] == L.COMMON_ACTIONS:  # loops of a constant length are unrolled
            out[game] = pick(masks[game], L.COMMON_ACTIONS, x)
        else:
            out[game] = pick(masks[game], masks.shape[1], x)


@njit
def write_board(positions, seats, out, bins, entries, scales, rules):
    """Encoders ``counts`` and ``onehot``: what ``seats``, int8[n], see of ``positions``, int16[n, W]. With ``bins`` 0
    the share of all seeds in each pit, from the seat's first on, else ``bins`` numbers for each pit, that of its seeds
    1, the last for ``bins - 1`` or more; then what ``entries``, int64[2, E, 4], and ``scales``, float32[2, E], ask for,
    a line for each seat: a field of the position, how it is shown (SHARE and so on), a number for that, and the
    decision that must be the seat's, else 0 is shown. ``out``: float32[n, ...]."""
    axes, tables, _ = arrays_of(rules)
    pits, scale = axes[L.PITS], np.float32(1.0 / axes[L.TOTAL_SEEDS])
    for game in range(len(positions)):
        position, seat, due = positions[game], np.int64(seats[game]), 0
        for k in range(pits * bins):
            out[game, k] = 0.0
        for k in range(pits):
            seeds = np.int64(position[tables[seat, L.VIEW + k]])
            if bins > 0:
                out[game, k * bins + min(seeds, bins - 1)] = 1.0
            else:
                out[game, k] = min(seeds * scale, np.float32(1.0))
        if axes[L.PENDING] != 0 and position[pits + L.MOVER] == seat:
            due = np.int64(position[axes[L.PENDING] + L.DECISION])
        for k in range(entries.shape[1]):
            value, how, number = np.int64(position[entries[seat, k, 0]]), entries[seat, k, 1], entries[seat, k, 2]
            if entries[seat, k, 3] != 0 and entries[seat, k, 3] != due:
                shown = np.float32(0.0)
            elif how == IS:
                shown = np.float32(value == number)
            elif how == LEADS:
                shown = np.float32(np.sign(value - np.int64(position[number])))
            elif how == SHARE or how == OWED:
                shown = min(np.float32(value * scales[seat, k]), np.float32(1.0))
            else:
                shown = min(np.float32(value - number) / scales[seat, k], np.float32(1.0))
            out[game, pits * max(bins, 1) + k] = shown if how < LEADS else 0.5 + 0.5 * shown
