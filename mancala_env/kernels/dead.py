"""The table of dead positions: those from which no sequence of legal moves contains a capture."""

import numpy as np

from mancala_env.kernels.compile import allocating
from mancala_env.kernels.counting import BINOMIAL, configuration, next_placement
from mancala_env.kernels.engine import CAPTURED, TURN_AGAIN, legal_actions, move
from mancala_env.kernels.layout import ACTIONS, DEAD_SEEDS, PASSES, PITS, ROW_FIELDS


@allocating
def dead_table(axes, tables):
    """bool[2 * placements]: is the position dead, for every placement of at most DEAD_SEEDS seeds and each mover?

    Entry ``2 * configuration + mover``. A position is alive if some legal move captures or leads to a live position;
    without a capture the number of seeds stays, so each number of seeds is settled by itself.
    This makes exact what the rules of Oware say of "too few seeds for any capture".
    """
    pits, actions, most = axes[PITS], axes[ACTIONS], axes[DEAD_SEEDS]
    dead = np.ones(2 * BINOMIAL[pits + most, pits], dtype=np.bool_)
    mask = np.zeros(actions, dtype=np.bool_)
    other = np.zeros(actions, dtype=np.bool_)
    row = np.zeros(pits + ROW_FIELDS, dtype=np.int16)
    for seeds in range(1, most + 1):
        first = 2 * BINOMIAL[pits + seeds - 1, pits]
        size = 2 * BINOMIAL[pits + seeds, pits] - first
        replies = np.full((size, actions), -1, dtype=np.int64)
        row[:] = 0
        row[0] = seeds
        while True:
            number = 2 * configuration(row, pits, seeds)
            for player in range(2):
                legal_actions(row, player, mask, actions, axes, tables)
                for k in range(actions):
                    if not mask[k]:
                        continue
                    trial = row.copy()
                    outcome = move(trial, player, player * actions + k, pits, axes, tables)
                    if outcome & CAPTURED:
                        dead[number + player] = False
                        continue
                    mover = player if outcome & TURN_AGAIN else 1 - player
                    if axes[PASSES] and legal_actions(trial, mover, other, actions, axes, tables)[0] == 0:
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
    return dead
