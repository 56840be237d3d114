# mypy: allow-untyped-defs, no-check-untyped-defs
"""Compiled analysis of games like Kalah, which cannot go round in circles: each position after those it leads to.

Sown seeds reach the other side only behind one that falls in the mover's store. So a move that leaves as many seeds
on the board has only moved some of them towards the mover's store, inside his row, and no position can come back. Then
a position is worth what its best move is worth, and all there is to find is an order: ``solve`` goes down from a
position until everything ahead of it is known, on an explicit stack, and never looks at a position twice. Numbers of
positions are those of ``kernel``.
"""

from pathlib import Path

from agents.tablebase.kernel import clear, end_here, first_number, lay_out, passes, turned
from mancala_env.kernels.compile import KERNELS, compiler
from mancala_env.kernels.counting import configuration
from mancala_env.kernels.engine import SLAM_ENDED, TURN_AGAIN, legal_actions, move
from mancala_env.kernels.layout import ACTIONS, END_REASON, GRAND_SLAM, MOVER, PASSES, PITS, STORES

njit = compiler(KERNELS, Path(__file__).parent)
inlined = compiler(KERNELS, Path(__file__).parent, inline=True)

UNKNOWN = -128  # no margin: those are from -127 to 127
FRESH = -1  # the next action of a position that has not been looked at


@inlined
def turn_round(row, pits):
    """The position as the other player sees it; ``row`` is modified in place."""
    half = pits // 2
    for pit in range(half):
        row[pit], row[pit + half] = row[pit + half], row[pit]


@njit
def solve(start, stop, seeds, values, rows, masks, next_action, bests, numbers, axes, tables):
    """Find the margins of the positions ``start`` to ``stop - 1`` of a layer, and of all in it that they lead to.

    Several threads may work on one layer, each with its own range and stack. Two that come upon the same position
    write the same byte; what one does not see yet it finds by itself.

    Parameters
    ----------
    seeds : int
        Of the layer.
    values : int8[M], modified in place
        The mover's margin in every position with at most so many seeds. Known for fewer; ``UNKNOWN`` where it is not.
    rows : int16[D, W], masks : bool[D, A], next_action, bests, numbers : int64[D]
        The stack: D is ``depth(seeds, actions)``.
    """
    actions, pits = axes[ACTIONS], axes[PITS]
    first = first_number(pits, seeds)
    for root in range(start, stop):
        if values[first + root] != UNKNOWN:
            continue
        lay_out(rows[0], root, 0, pits, seeds)
        clear(rows[0], pits)
        numbers[0], next_action[0] = first + root, FRESH
        level = 0
        while level >= 0:
            row, mask, after = rows[level], masks[level], rows[level + 1]
            if next_action[level] == FRESH:
                if legal_actions(row, 0, mask, actions, True, axes, tables)[0] > 0:
                    next_action[level], bests[level] = 0, UNKNOWN
                elif axes[PASSES] and passes(row, mask, axes, tables):
                    number = turned(row, pits, seeds)
                    if values[number] == UNKNOWN:  # look at it, then come here again
                        for hole in range(pits + 2):
                            after[hole] = row[hole]
                        turn_round(after, pits)
                        clear(after, pits)
                        level += 1
                        numbers[level], next_action[level] = number, FRESH
                        continue
                    next_action[level], bests[level] = actions, -int(values[number])
                else:
                    mine, others = end_here(row, axes[END_REASON], pits, axes, tables)
                    next_action[level], bests[level] = actions, mine - others
            action = next_action[level]
            while action < actions:
                if mask[action]:
                    for hole in range(pits + 2):
                        after[hole] = row[hole]
                    clear(after, pits)
                    outcome = move(after, 0, action, pits, True, axes, tables)
                    again = outcome & TURN_AGAIN != 0
                    if outcome & SLAM_ENDED:
                        after[pits + MOVER] = 1
                        mine, others = end_here(after, GRAND_SLAM, pits, axes, tables)
                        value = mine - others
                    else:
                        won = int(after[pits + STORES])
                        left = seeds - won
                        number = configuration(after, pits, left) if again else turned(after, pits, left)
                        value = int(values[number])
                        if value == UNKNOWN:  # look at it, then play this move again
                            if not again:
                                turn_round(after, pits)
                            numbers[level + 1], next_action[level + 1] = number, FRESH
                            break
                        value = won + value if again else won - value
                    bests[level] = max(bests[level], value)
                action += 1
            next_action[level] = action
            if action < actions:
                level += 1
            else:
                values[numbers[level]] = bests[level]
                level -= 1


def depth(seeds: int, actions: int) -> int:
    """Entries of the stack of ``solve``: a seed takes at most ``actions - 1`` steps in its row, and each move one.

    Before each move the other player may have passed.
    """
    return 2 * seeds * (actions - 1) + 4
