# mypy: allow-untyped-defs, no-check-untyped-defs
"""Compiled analysis of games like Kalah, in which no position comes back: each position after its successors.

Sown seeds reach the other side only after one of them has fallen into the mover's store; a move that leaves as many on
the board only moves them towards it. So ``solve`` descends from a position until all its successors are known.
"""

from agents.tablebase.kernel import (
    MOVES,
    PASSED,
    first_number,
    inlined,
    lay_out,
    njit,
    outcome_of,
    scores_of,
    standstill,
    turned,
)
from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of
from mancala_env.kernels.ranking import configuration

UNKNOWN = -128  # not a margin: margins are from -127 to 127
FRESH = -1  # the next action of a position that has not been expanded
NEXT_ACTION, BEST, NUMBER, LEVEL = range(4)  # one level of the stack


@inlined
def turn_round(position, pits):
    """The position as the other player sees it; ``position`` is modified in place."""
    half = pits // 2
    for pit in range(half):
        position[pit], position[pit + half] = position[pit + half], position[pit]


@njit
def solve(start, stop, seeds, values, levels, scratch, rules):
    """Find the margins of the positions ``start`` to ``stop - 1`` of a layer, and of all of it that they lead to.

    ``values`` int8[M], written, are the mover's margins with at most ``seeds`` seeds, known with fewer, else
    ``UNKNOWN``; threads may share it. ``levels`` int64[D, LEVEL] and ``scratch`` are the stack, D being ``depth(seeds,
    actions)``.
    """
    axes, tables, _ = arrays_of(rules)
    positions, masks, history = scratch
    next_action, bests, numbers = levels[:, NEXT_ACTION], levels[:, BEST], levels[:, NUMBER]
    actions, pits = axes[L.ACTIONS], axes[L.PITS]
    first = first_number(pits, seeds)
    for root in range(start, stop):
        if values[first + root] != UNKNOWN:
            continue
        lay_out(positions[0], root, 0, pits, seeds)
        numbers[0], next_action[0] = first + root, FRESH
        level = 0
        while level >= 0:
            position, mask, after = positions[level], masks[level], positions[level + 1]
            if next_action[level] == FRESH:
                reason = standstill(position, mask, history, rules)
                if reason == MOVES:
                    next_action[level], bests[level] = 0, UNKNOWN
                elif reason == PASSED:
                    number = turned(position, pits, seeds)
                    if values[number] == UNKNOWN:  # evaluate it, then come here again
                        for cell in range(pits):
                            after[cell] = position[cell]
                        turn_round(after, pits)
                        level += 1
                        numbers[level], next_action[level] = number, FRESH
                        continue
                    next_action[level], bests[level] = actions, -int(values[number])
                else:
                    mine, others = scores_of(position, axes, tables)
                    next_action[level], bests[level] = actions, mine - others
            action = next_action[level]
            while action < actions:
                if mask[action]:
                    is_over, mine, others = outcome_of(position, after, action, masks[level + 1], history, rules)
                    value = mine - others
                    if not is_over:
                        again = after[pits + L.MOVER] == 0
                        left = seeds - mine
                        number = configuration(after, pits, left) if again else turned(after, pits, left)
                        ahead = int(values[number])
                        if ahead == UNKNOWN:  # evaluate it, then play this move again
                            if not again:
                                turn_round(after, pits)
                            numbers[level + 1], next_action[level + 1] = number, FRESH
                            break
                        value += ahead if again else -ahead
                    bests[level] = max(bests[level], value)
                action += 1
            next_action[level] = action
            if action < actions:
                level += 1
            else:
                values[numbers[level]] = bests[level]
                level -= 1


def depth(seeds: int, actions: int) -> int:
    """Entries of the stack of ``solve``: a seed takes at most ``actions - 1`` steps, each a move and perhaps a pass."""
    return 2 * seeds * (actions - 1) + 4
