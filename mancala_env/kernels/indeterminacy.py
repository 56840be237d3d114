"""The table of dead positions: those from which no sequence of legal moves contains a capture."""

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.engine import NO_ACTION, Encoded
from mancala_env.kernels.ranking import BINOMIAL, next_placement
from mancala_env.kernels.single import CompiledRules


def find_dead(no_capture_table, position, encoded):
    """Strike what is alive from ``no_capture_table``, bool[2 * placements]; ``position``, int16[W]: the owners."""
    pits, most = int(encoded.axes[L.PITS]), int(encoded.axes[L.NO_CAPTURE_SEEDS])
    axes = encoded.axes.copy()  # a game that, from an empty store, ends only when a player cannot move
    axes[L.MATCH] = axes[L.END_FEW] = axes[L.END_WHEN] = 0
    rules = Encoded(axes, encoded.tables, np.zeros(len(no_capture_table) * (pits + 1), dtype=np.bool_))
    bound = CompiledRules(None, rules)
    data, child = bound.empty(2), bound.empty(2)
    data[: len(position)] = position
    data[pits:][: L.POSITION_FIELDS] = 0
    first = 2  # after the empty board
    for seeds in range(1, most + 1):
        laid, every = np.array([seeds] + [0] * (pits - 1), dtype=np.int16), []
        while not every or next_placement(laid, pits):
            every.append(tuple(laid.tolist()))
        numbers = {there: first + 2 * k for k, there in enumerate(reversed(every))}
        leading: dict[int, list[int]] = {}  # positions that a move without a capture leads to -> where it was played
        alive: list[int] = []
        for there, number in numbers.items():
            for player in range(2):
                data[:pits], data[pits + L.MOVER] = there, player
                bound.play(data, data, NO_ACTION, bound.arrays)
                if data[pits + L.OVER] or data[pits + L.MOVER] != player:
                    continue
                for action in np.flatnonzero(bound.mask(data)).tolist():
                    bound.play(data, child, action, bound.arrays)
                    if child[pits + L.PLIES_SINCE_CAPTURE] == 0:
                        alive.append(number + player)
                        break
                    reply = numbers[tuple(child[:pits].tolist())] + int(child[pits + L.MOVER])
                    leading.setdefault(reply, []).append(number + player)
        no_capture_table[alive] = False
        while alive:
            for before in leading.get(alive.pop(), ()):
                if no_capture_table[before]:
                    no_capture_table[before] = False
                    alive.append(before)
        first += 2 * len(numbers)


def make_no_capture_table(encoded):
    """bool[maps * 2 * placements], by ``ending.no_capture_entry``: is a position dead, what Oware calls too few seeds
    for any capture? For each map (the pits that South can own), mover, and placement of few seeds. One lives if a legal
    move captures or leads to a live one; without a capture the seeds stay, so each number is solved alone."""
    pits, owners = int(encoded.axes[L.PITS]), int(encoded.axes[L.OWNERS])
    half, size = pits // 2, 2 * int(BINOMIAL[pits + encoded.axes[L.NO_CAPTURE_SEEDS], pits])
    position, maps = np.zeros(encoded.axes[L.WIDTH], dtype=np.int16), 1 if owners == 0 else pits + 1
    no_capture_table = np.ones(maps * size, dtype=np.bool_)
    for territory in range(maps):
        for pit in range(pits if owners else 0):
            south = pit < territory if territory >= half else half - territory <= pit < half
            position[owners + pit] = 0 if south else 1
        find_dead(no_capture_table[territory * size : (territory + 1) * size], position, encoded)
    return no_capture_table
