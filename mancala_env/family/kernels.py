"""Games of different rulesets in one batch: each slot plays its own, by ``engine.Encoded.rules`` of it."""

from pathlib import Path

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of
from mancala_env.kernels.engine import play
from mancala_env.kernels.jit import KERNELS, Work, compiler
from mancala_env.kernels.scores import final_scores, margin

njit = compiler(KERNELS, Path(__file__).parent, work=Work("batches that mix games", 10))
WIDTH, ACTIONS, PITS = range(3)  # columns of ``sizes``, int64[G, 3]: fields of a position, actions, and pits
# Columns of what is read of pits: where in a position these fields begin, 0 where it has none; the number of pits.
OWNERS, MARKS, MEMORY, CLOSED, PENDING, THREAT, NUMBER = range(7)


@njit
def play_mixed(slots, moves, games, rules, sizes, positions, masks, history, rewards, over):
    """Play one legal action of ``moves``, int64[m], in each of different ``slots``, int64[m], in place. ``games``,
    int64[n], is the ruleset of each slot, of those in ``rules``, int64[G, ADDRESSES]; ``positions``, int16[n, W], and
    ``masks``, bool[n, A], are as wide as the widest; ``history``: uint64[n, H] as in ``batch.play_games``. A game that
    ends stays: ``rewards``, float32[n, 2], and ``over``, int8[n], are set. Returns the most plies since a capture."""
    longest = 0
    for k in range(len(slots)):
        slot = slots[k]
        game = games[slot]
        bound, hashes = rules[game], history[slot]
        axes, tables, _ = arrays_of(bound)
        pits = axes[L.PITS]
        position, mask = positions[slot][: sizes[game, WIDTH]], masks[slot][: sizes[game, ACTIONS]]
        start = play(bound, position, moves[k], mask, hashes, 0, L.NO_LOG)
        if position[pits + L.OVER] != 0:
            over[slot] = position[pits + L.OVER]
            _, _, lead = final_scores(position, axes, tables)
            rewards[slot, 0], rewards[slot, 1] = np.sign(lead), -np.sign(lead)
        elif start > 0 and axes[L.REPEATS] > 0:
            hashes[0] = hashes[start]
        if axes[L.REPEATS] > 0:
            longest = max(longest, np.int64(position[pits + L.PLIES_SINCE_CAPTURE]))
    return longest


@njit
def write_seen(slots, positions, seats, seen_by, views, parts, changing, seeds, pits, counters):
    """Write what ``seats``, int8[n], see of ``positions``, int16[n, W], in the order of ``slots``: ``seeds``,
    int16[n, P], zeros; ``pits``, uint8[n, P, 6], where owners at the start stand; ``counters``, int16[n, K], where what
    never changes stands (``family.format``). ``seen_by``, int64[n], twice the game and the seat, is a line of
    ``views``, int64[2G, P], the pits as this seat sees them, and of ``changing``, int64[2G, V, 3]: a counter, the field
    of a position that it changes with, and a factor. ``parts``: int64[G, 7]."""
    for slot in slots:
        position, seat, line = positions[slot], np.int64(seats[slot]), seen_by[slot]
        part, view = parts[line // 2], views[line]
        n = part[NUMBER]
        for k in range(n):
            seeds[slot, k] = position[view[k]]
        if part[OWNERS] != 0:
            for k in range(n):
                pits[slot, k, OWNERS] = 1 + (position[part[OWNERS] + view[k]] != seat)
        if part[MARKS] != 0:
            for k in range(n):
                mark = np.int64(position[part[MARKS] + view[k]])
                pits[slot, k, MARKS] = 0 if mark < 0 else 1 + (mark != seat)
        for field in range(MEMORY, PENDING):
            if part[field] != 0:
                for k in range(n):
                    pits[slot, k, field] = position[part[field] + view[k]]
        if part[PENDING] != 0 and position[part[PENDING] + L.DECISION] > L.PICK:
            for k in range(n):
                pits[slot, k, PENDING] = position[part[PENDING] + L.AT] == view[k]
        if part[THREAT] != 0 and position[part[THREAT]] != 0:
            for k in range(n):
                pits[slot, k, THREAT] = position[part[THREAT]] == view[k] + 1
        for change in changing[line]:
            counters[slot, change[0]] += np.int64(position[change[1]]) * change[2]


@njit
def leads(positions, seats, out, rules):
    """Write the lead (``scores.margin``) of ``seats``, int8[n], in ``positions``, int16[n, W], to ``out``, int64[n]."""
    axes, tables, _ = arrays_of(rules)
    for k in range(len(positions)):
        lead = margin(positions[k], axes, tables)
        out[k] = lead if seats[k] == 0 else -lead
