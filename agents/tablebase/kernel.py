# mypy: allow-untyped-defs, no-check-untyped-defs
"""Compiled analysis of the positions with one number of seeds, when all with fewer seeds are known.

A position is seen from its mover, who is South and moves next. Positions of ``n`` seeds are numbered without gaps
(``ranking.configuration``) and, from 0, inside their *layer*, those of exactly ``n`` seeds.

For every position two numbers are found: the seeds that its mover can force, and those that the other player can, where
going round in circles for ever is worth nothing to either. Moves that capture lead to layers that are known (``scan``).
Inside the layer ``spread`` goes through the levels from many seeds down to one and carries each result back to the
predecessors (``step_back``): the mover forces ``level`` if some move leads to a position whose mover cannot prevent it,
the other player if all moves do where that player forces it. Positions that no level reaches have 0. Each position is
settled once for each player, so that the work is proportional to the number of moves.

In games like Kalah no position comes back: sown seeds reach the other side only after one of them has fallen into the
mover's store, and a move that leaves as many on the board only moves them towards it. There ``solve`` descends from a
position until all its successors are known.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of
from mancala_env.kernels.board import side
from mancala_env.kernels.compilers import cgutils, intrinsic, types
from mancala_env.kernels.ending import no_capture_entry
from mancala_env.kernels.engine import NO_ACTION, play
from mancala_env.kernels.jit import DISABLE_JIT, KERNELS, Work, compiler
from mancala_env.kernels.ranking import BINOMIAL, configuration, next_placement
from mancala_env.kernels.scores import game_scores

njit = compiler(KERNELS, Path(__file__).parent, work=Work("endgame tables", 5))
inlined = compiler(KERNELS, Path(__file__).parent, inline=True)
part = compiler(KERNELS, Path(__file__).parent, part=True)

NONE = 255  # the entry of ``costs`` where no move of the mover captures
MOVES, PASSED = 0, -1  # ``standstill``: South plays a pit; South cannot, and passes
# Of ``solve``.
UNKNOWN = -128  # not a margin: margins are from -127 to 127
FRESH = -1  # the next action of a position that has not been expanded
NEXT_ACTION, BEST, NUMBER, LEVEL = range(4)  # one level of the stack


class Layer(NamedTuple):
    """What is known of the positions with one number of seeds while they are analysed; all are uint8[size]. Where
    tables hold margins, ``gains`` and ``costs`` count seeds of margin.
    """

    gains: Any  # the most seeds that the mover gets by a capture, or at the end of a game that is over; at least 0
    costs: Any  # the fewest seeds that a capture leaves to the other player; NONE if there is no capture
    # Moves that capture nothing; then those of them that do not yet lead to a position whose mover forces a level.
    quiet: Any
    movers: Any  # the seeds that the mover forces, and the other player; 0 where that is not settled
    others: Any


class Scratch(NamedTuple):
    """What kernels need to try moves: positions int16[places, W], masks bool[places, A], history uint64[2]."""

    positions: Any
    masks: Any
    history: Any


def _atomic(operation):
    """``operation(array, index, value)`` on uint8[n] as one atomic step; returns the value before."""

    @intrinsic
    def atomic(typing_context, array, index, value):
        signature = types.uint8(array, types.int64, types.uint8)

        def generate(context, builder, signature, arguments):
            kind, _, _ = signature.args
            view = context.make_array(kind)(context, builder, arguments[0])
            entry = cgutils.get_item_pointer(context, builder, kind, view, [arguments[1]], wraparound=False)
            return builder.atomic_rmw(operation, entry, arguments[2], "monotonic")

        return signature, generate

    return atomic


_subtract, _maximum = _atomic("sub"), _atomic("umax")


@inlined
def count_down(array, index):
    """Take 1 from an entry; True if that makes it 0."""
    return _subtract(array, index, 1) == 1


@inlined
def claim(array, index, level):
    """Write ``level`` where nothing is written yet; True for the one thread that does so."""
    return array[index] == 0 and _maximum(array, index, level) == 0


if DISABLE_JIT:  # one thread then, and plain Python

    def count_down(array, index):
        """Take 1 from an entry; True if that makes it 0."""
        array[index] -= 1
        return array[index] == 0

    def claim(array, index, level):
        """Write ``level`` where nothing is written yet; True if that was so."""
        if array[index]:
            return False
        array[index] = level
        return True


@inlined
def first_number(pits, seeds):
    """The number of the first position with ``seeds`` seeds."""
    return BINOMIAL[pits + seeds - 1, pits] if seeds > 0 else 0


@inlined
def turned(position, pits, seeds):
    """``configuration`` of the position as the other player sees it."""
    half = pits // 2
    number = first_number(pits, seeds)
    place = 0
    for k in range(half):
        place += position[half + k]
        number += BINOMIAL[place + k, k + 1]
    for k in range(half, pits - 1):
        place += position[k - half]
        number += BINOMIAL[place + k, k + 1]
    return number


@inlined
def lay_out(position, number, shift, pits, seeds):
    """Write the position of this number inside its layer, its pit k at ``position[k + shift]``, round the board."""
    place = seeds
    for pit in range(pits - 2, -1, -1):
        after = place
        while BINOMIAL[place + pit, pit + 1] > number:
            place -= 1
        number -= BINOMIAL[place + pit, pit + 1]
        to = pit + 1 + shift
        position[to if to < pits else to - pits] = after - place
    position[shift] = place


@inlined
def clear(position, pits):
    """Empty stores, South to move, nothing played yet, not over: every field but the pits is 0."""
    for field in range(pits, len(position)):
        position[field] = 0


@inlined
def scores_of(position, axes, tables):
    """The scores of South and North in a position where the game is over, rounded down to whole seeds."""
    south, north = game_scores(position, axes, tables)
    return south // 2, north // 2


def scratch(rules, places):
    """A ``Scratch`` for so many positions at a time."""
    width, actions = rules.fields["width"], rules.num_actions
    return Scratch(np.zeros((places, width), np.int16), np.zeros((places, actions), np.bool_), np.zeros(2, np.uint64))


@inlined
def outcome_of(position, trial, pit, mask, history, rules):
    """What South's playing a pit after ``standstill`` does: whether a grand slam ends the game, and the seeds that
    South and North take, or all if it does. ``trial``, a copy of ``position``, and ``mask`` are overwritten.
    """
    axes, tables, _ = arrays_of(rules)
    for field in range(len(position)):
        trial[field] = position[field]
    play(rules, trial, pit, mask, history, 0, L.NO_LOG)
    if trial[axes[L.PITS] + L.OVER] == L.GRAND_SLAM:
        mine, others = scores_of(trial, axes, tables)
        return True, mine, others
    return False, np.int64(trial[axes[L.PITS] + L.STORES]), np.int64(0)


@inlined
def standstill(position, mask, history, rules):
    """MOVES if South plays a pit here, PASSED if South passes, or else the reason for which the game is over. Of
    ``position`` only the pits are read, and all else is written. ``mask`` is written: with MOVES, the legal actions.
    """
    pits = arrays_of(rules)[0][L.PITS]
    clear(position, pits)
    play(rules, position, NO_ACTION, mask, history, 0, L.NO_LOG)
    if position[pits + L.OVER] != 0:
        return np.int64(position[pits + L.OVER])
    return np.int64(MOVES if position[pits + L.MOVER] == 0 else PASSED)


@part
def moves_quietly(pit, positions, mask, history, rules):
    """Whether South may play ``pit`` in the first of ``positions`` and captures nothing by it, by the rules engine."""
    position, trial = positions[0], positions[2]
    if standstill(position, mask, history, rules) != MOVES or not mask[pit]:
        return False
    is_over, mine, _ = outcome_of(position, trial, pit, mask, history, rules)
    return not is_over and mine == 0


@njit
def scan(start, stop, seeds, known, layer, scratch, rules):
    """The worth of captures and of ends of the game, for the positions ``start`` to ``stop - 1`` of a layer: writes
    ``gains``, ``costs`` and ``quiet``. ``known`` int8[1 or 2, M] are all positions with fewer ``seeds``: the mover's
    margin, or the seeds that the mover and the other player can force. ``scratch`` has two places.
    """
    positions, masks, history = scratch
    gains, costs, quiet, _, _ = layer
    axes, tables, _ = arrays_of(rules)
    actions, pits = axes[L.ACTIONS], axes[L.PITS]
    position, trial, mask = positions[0], positions[1], masks[0]
    lay_out(position, stop - 1, 0, pits, seeds)
    exact = known.shape[0] == 1
    for number in range(stop - 1, start - 1, -1):  # the order of ``next_placement``
        gain, cost, moves = 0, NONE, 0
        reason = standstill(position, mask, history, rules)
        if reason == PASSED:
            moves = 1
        elif reason != MOVES:
            gain, cost = scores_of(position, axes, tables)
            if exact:
                gain, cost = max(gain - cost, 0), max(cost - gain, 0)
        else:
            for k in range(actions):
                if not mask[k]:
                    continue
                is_over, mine, others = outcome_of(position, trial, k, masks[1], history, rules)
                if mine == 0 and not is_over:
                    moves += 1
                    continue
                if not is_over:
                    child = turned(trial, pits, seeds - mine)
                    if exact:
                        mine -= int(known[0, child])
                    else:
                        mine += int(known[1, child])
                        others = int(known[0, child])
                if exact:
                    mine, others = mine - others, others - mine
                gain = max(gain, mine)
                cost = min(cost, max(others, 0))
        gains[number] = gain
        costs[number] = cost
        quiet[number] = moves
        if number > start:
            next_placement(position, pits)


@inlined
def settle_before(number, by_mover, level, layer, stack, top):
    """Record that a move leads to a position settled at this level, which may settle this one. Returns the new top."""
    if by_mover:
        last = count_down(layer.quiet, number)
        if last and layer.costs[number] >= level and claim(layer.others, number, level):
            stack[top] = 2 * number
            top += 1
    elif claim(layer.movers, number, level):
        stack[top] = 2 * number + 1
        top += 1
    return top


@inlined
def step_back(entry, level, seeds, layer, stack, top, scratch, rules):
    """``settle_before`` for every position from which a move without capture leads to that of ``entry``."""
    positions, masks, history = scratch
    axes, tables, no_capture_table = arrays_of(rules)
    actions, pits = axes[L.ACTIONS], axes[L.PITS]
    position, after, mask = positions[0], positions[1], masks[0]
    by_mover = entry & 1 != 0
    lay_out(after, entry >> 1, actions, pits, seeds)  # as the player who has just moved sees it
    first = first_number(pits, seeds)
    fed = side(after, 1, axes, tables) > 0
    skips = axes[L.SKIP_ORIGIN] != 0
    loop = axes[L.LOOP]
    for pit in range(actions):
        if skips and after[pit] != 0:
            continue
        for cell in range(pits):
            position[cell] = after[cell]
        track_index = int(tables[0, L.PLACE + pit])
        sown = 0
        while True:  # one seed more is taken back up
            track_index = track_index + 1 if track_index + 1 < loop else 0
            cell = int(tables[0, L.TRACK + track_index])
            if skips and cell == pit:
                continue
            if position[cell] == 0:
                break
            position[cell] -= 1
            sown += 1
            if position[pit] != 0:
                continue
            position[pit] = sown
            possible = True
            if cell >= actions and (axes[L.LANDING + L.COUNTS] >> min(after[cell], L.TOP_COUNT)) & 1:  # it captures
                possible = axes[L.SLAM] != L.SLAM_CAPTURE and moves_quietly(pit, positions, mask, history, rules)
            elif not fed and axes[L.FEEDING] != L.FEED_NONE:
                possible = axes[L.FEEDING] == L.FEED_ALWAYS and moves_quietly(pit, positions, mask, history, rules)
            if axes[L.ENDS_WITH_SIDE] and side(position, 1, axes, tables) == 0:
                possible = False
            if possible and seeds <= axes[L.NO_CAPTURE_SEEDS]:
                possible = not no_capture_table[no_capture_entry(position, seeds, 0, axes, tables)]
            if possible:
                number = configuration(position, pits, seeds) - first
                top = settle_before(number, by_mover, level, layer, stack, top)
            position[pit] = 0
    if axes[L.PASSES] and standstill(after, mask, history, rules) == PASSED:
        number = configuration(after, pits, seeds) - first
        top = settle_before(number, by_mover, level, layer, stack, top)
    return top


@njit
def spread(level, seeds, start, stop, steps, layer, stack, top, scratch, rules):
    """Settle the positions ``start`` to ``stop - 1`` of the layer at one level, and what follows from them, until none
    or no ``steps`` are left or the stack may be full. Returns ``start``, ``top`` and ``steps``. Threads may share a
    layer, not ``scratch`` (three places) or ``stack`` int64[S]: entries ``2 * number + side``, side 1 if settled for
    the mover.
    """
    room = len(stack) - arrays_of(rules)[0][L.ACTIONS] * (seeds + 1) - 2
    while steps > 0 and top < room:
        if top > 0:
            steps -= 1
            top -= 1
            top = step_back(stack[top], level, seeds, layer, stack, top, scratch, rules)
        elif start < stop:
            if layer.gains[start] == level and claim(layer.movers, start, level):
                stack[top] = 2 * start + 1
                top += 1
            if layer.costs[start] == level and layer.quiet[start] == 0 and claim(layer.others, start, level):
                stack[top] = 2 * start
                top += 1
            start += 1
        else:
            break
    return start, top, steps


@njit
def number_of(position, player, seeds, axes):
    """The number inside its layer of a position, int16[W], seen from ``player``, who moves."""
    pits = axes[L.PITS]
    number = configuration(position, pits, seeds) if player == 0 else turned(position, pits, seeds)
    return number - first_number(pits, seeds)


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
