"""The table of dead positions: those from which no sequence of legal moves contains a capture."""

import numpy as np

from mancala_env.kernels.compile import allocating
from mancala_env.kernels.counting import BINOMIAL, configuration, next_placement
from mancala_env.kernels.engine import CAPTURED, TURN_AGAIN, legal_actions, move, pit_of
from mancala_env.kernels.layout import ACTIONS, DEAD_SEEDS, OWNERS, PASS_ACTION, PASSES, PITS, PLAIN


@allocating
def find_dead(dead, row, axes, tables):
    """Fill ``dead``, bool[2 * placements], for the owners that ``row`` tells of; the rest of ``row`` is scratch."""
    pits, actions, plain, most = axes[PITS], axes[ACTIONS], axes[PLAIN] != 0, axes[DEAD_SEEDS]
    dead[:] = True
    mask = np.zeros(actions, dtype=np.bool_)
    other = np.zeros(actions, dtype=np.bool_)
    for seeds in range(1, most + 1):
        first = 2 * BINOMIAL[pits + seeds - 1, pits]
        size = 2 * BINOMIAL[pits + seeds, pits] - first
        replies = np.full((size, actions), -1, dtype=np.int64)
        row[:pits] = 0
        row[0] = seeds
        while True:
            number = 2 * configuration(row, pits, seeds)
            for player in range(2):
                legal = legal_actions(row, player, mask, actions, plain, axes, tables)[0]
                if legal == 0 and axes[PASS_ACTION]:
                    replies[number + player - first, 0] = number + 1 - player
                for k in range(actions):
                    if not mask[k]:
                        continue
                    trial = row.copy()
                    pit = pit_of(player, k, actions, plain, tables)
                    outcome = move(trial, player, pit, pits, plain, axes, tables)
                    if outcome & CAPTURED:
                        dead[number + player] = False
                        continue
                    mover = player if outcome & TURN_AGAIN else 1 - player
                    if axes[PASSES] and legal_actions(trial, mover, other, actions, plain, axes, tables)[0] == 0:
                        mover = 1 - mover
                    replies[number + player - first, k] = 2 * configuration(trial, pits, seeds) + mover
            if not next_placement(row, pits):
                break
        changed = True
        while changed:
            changed = False
            for entry in range(size):
                if dead[first + entry]:
                    for k in range(actions):
                        reply = replies[entry, k]
                        if reply >= 0 and not dead[reply]:
                            dead[first + entry] = False
                            changed = True
                            break


@allocating
def dead_table(width, axes, tables):
    """bool[maps * 2 * placements]: is a position dead? For all placements of at most DEAD_SEEDS seeds and each mover.

    ``width`` is that of a row. ``engine.dead_entry`` numbers the entries. A position is alive if some legal move
    captures or leads to a live position; without a capture the number of seeds stays, so each number of seeds is
    settled by itself. This makes exact what the rules of Oware say of "too few seeds for any capture". Where pits
    change hands there is a map for each number of pits that South can own.
    """
    pits, owners = axes[PITS], axes[OWNERS]
    half = pits // 2
    size = 2 * BINOMIAL[pits + axes[DEAD_SEEDS], pits]
    row = np.zeros(width, dtype=np.int16)
    if owners == 0:
        dead = np.ones(size, dtype=np.bool_)
        find_dead(dead, row, axes, tables)
        return dead
    dead = np.ones((pits + 1) * size, dtype=np.bool_)
    for territory in range(pits + 1):
        for pit in range(pits):
            south = pit < territory if territory >= half else half - territory <= pit < half
            row[owners + pit] = 0 if south else 1
        find_dead(dead[territory * size : (territory + 1) * size], row, axes, tables)
    return dead
