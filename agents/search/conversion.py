# mypy: allow-untyped-defs, no-check-untyped-defs
"""Distance to conversion: the plies until a player whose endgame margin is certain captures, or the game ends.

Endgame tables give the value of a position, not the number of moves to it. Where positions can come back, moves that
keep a margin are not enough: played at random they go round in circles, and the repetition ends the game before the
margin is won. So the positions ahead are searched, nearest first, up to those where seeds are captured or the game
ends: each gets its distance from there, in plies, with the other player delaying as long as possible. A player who
lowers the distance with every move never comes back to a position.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.tablebase.kernel import (
    MOVES,
    PASSED,
    first_number,
    lay_out,
    number_of,
    outcome_of,
    scratch,
    standstill,
    turned,
)
from agents.tablebase.probe import Probe
from mancala_env.kernels import layout as L
from mancala_env.kernels.addresses import arrays_of
from mancala_env.kernels.jit import KERNELS, Work, compiler
from mancala_env.state import State

njit = compiler(KERNELS, Path(__file__).parent, work=Work("distances to captures in endgames", 5))
inlined = compiler(KERNELS, Path(__file__).parent, inline=True)

NO_MOVE, ARRIVED = -1, -2  # entries of ``children``: not legal, or gives seeds away; wins seeds or ends the game
SIZES = (1 << 12, 1 << 16, 1 << 20)  # maximum numbers of positions; the next is tried where one is too small


class Graph(NamedTuple):
    """The positions found, at most S of them."""

    # int64[S]: twice the number of the position inside its layer, plus 1 where the player moves whose margin is certain
    keys: Any
    children: Any  # int32[S, A]: where moves lead; as of the next, only the first entries, of the nodes expanded, count
    distances: Any  # int32[S], in plies
    slots: Any  # int32[2 * S]: an open hash table, the node in each slot, or -1


@inlined
def node_of(key, count, keys, slots):
    """The node of a position, made if need be. Returns it and the number of nodes."""
    slot = (key * 0x9E3779B1) & (len(slots) - 1)
    while slots[slot] >= 0:
        if keys[slots[slot]] == key:
            return slots[slot], count
        slot = (slot + 1) & (len(slots) - 1)
    slots[slot] = count
    keys[count] = key
    return count, count + 1


@njit
def expand(node, count, seeds, level, values, graph, scratch, rules):
    """Write the children of a node; arguments as ``find_distances``. Returns the number of nodes."""
    keys, children, _, slots = graph
    positions, masks, history = scratch
    axes, _, _ = arrays_of(rules)
    actions, pits = axes[L.ACTIONS], axes[L.PITS]
    position, trial, mask = positions[0], positions[1], masks[0]
    first = first_number(pits, seeds)
    ours = keys[node] & 1
    lay_out(position, keys[node] >> 1, 0, pits, seeds)
    for k in range(actions):
        children[node, k] = NO_MOVE
    reason = standstill(position, mask, history, rules)
    if reason == PASSED:
        children[node, 0], count = node_of(2 * (turned(position, pits, seeds) - first) + 1 - ours, count, keys, slots)
        return count
    if reason != MOVES:
        children[node, 0] = ARRIVED
        return count
    for k in range(actions):
        if not mask[k]:
            continue
        is_over, mine, others = outcome_of(position, trial, k, masks[1], history, rules)
        value, number = mine - others, 0
        if not is_over:
            number = turned(trial, pits, seeds - mine)
            value -= int(values[number])
        if ours and value < level:
            continue
        if mine > 0 or is_over:
            children[node, k] = ARRIVED
        else:
            children[node, k], count = node_of(2 * (number - first) + 1 - ours, count, keys, slots)
    return count


@njit
def measure(done, graph):
    """Write the distances of the first ``done`` nodes, 0 where unknown, until that of node 0 is known; the other nodes
    count as infinitely far.
    """
    keys, children, distances, _ = graph
    for node in range(done):
        distances[node] = 0
    plies, changed = 0, True
    while changed and distances[0] == 0:
        changed = False
        plies += 1
        for node in range(done):
            if distances[node] != 0:
                continue
            near, far = False, False
            for k in range(children.shape[1]):
                child = children[node, k]
                if child != NO_MOVE:
                    reached = child == ARRIVED or (child < done and 0 < distances[child] < plies)
                    near |= reached
                    far |= not reached
            if near and (not far or keys[node] & 1):
                distances[node] = plies
                changed = True
    return distances[0]


@njit
def find_distances(key, seeds, level, values, graph, scratch, rules):
    """The distance in plies from the position of ``key``, and from its successors, to a capture or the end of the game;
    0 if S positions were not enough. ``seeds`` are on the board, and ``level``, above 0, is the margin that is certain
    for the player to move, who never gives any of it away. ``values`` int8[M] is ``Probe.values`` of exact tables, in
    one row; ``graph`` is without positions, and written; ``scratch`` has two places.
    """
    axes, _, _ = arrays_of(rules)
    actions = axes[L.ACTIONS]
    _, count = node_of(key, 0, graph.keys, graph.slots)
    done, depth, wanted, measured = 0, 0, 1, 0
    while True:
        border = count  # all nodes at ``depth`` plies come before it
        while done < border:
            if count + actions > len(graph.keys):
                return 0
            count = expand(done, count, seeds, level, values, graph, scratch, rules)
            done += 1
        depth += 1
        complete = done == count
        if depth < wanted and not complete:
            continue
        if complete or wanted > 1 or done >= 2 * measured:
            measured = done
            plies = measure(done, graph)
            if complete or 0 < plies <= depth:  # no line is shorter: it would lie among these nodes
                return plies
            if plies > 0:
                wanted = plies


def distances(state: State, tables: Probe, level: int) -> dict[int, int] | None:
    """Plies to the capture or end that converts a margin, for each action that keeps the margin and comes closer to it.

    Counted after the action, so one less than the distance of the position; other actions are left out. None if there
    are too many positions to look at. ``level`` is the mover's margin of the seeds on the board, above 0. ValueError if
    the game is over, or ``tables`` do not cover the position or hold bounds, or ``level`` is no such margin.
    """
    rules = state.rules
    encoded, actions = rules.encoded, rules.num_actions
    seeds = sum(state.pits)
    covered = tables.exact and tables.fits(rules) and seeds <= tables.most
    if state.is_over or not covered or not 0 < level <= seeds:
        raise ValueError(f"no distance to a margin of {level} is known in {state}: it is over, or no table covers it")
    key = 2 * number_of(state.array, state.player, seeds, encoded.axes) + 1
    values = tables.values.reshape(-1)
    for size in SIZES:
        graph = Graph(
            keys=np.empty(size, dtype=np.int64),
            children=np.empty((size, actions), dtype=np.int32),
            distances=np.zeros(size, dtype=np.int32),
            slots=np.full(2 * size, -1, dtype=np.int32),
        )
        found = find_distances(key, seeds, level, values, graph, scratch(rules, 2), encoded.rules)
        if found:
            ways = {}
            for action, child in enumerate(graph.children[0].tolist()):
                after = int(graph.distances[child]) if child >= 0 else 0
                if child == ARRIVED or 0 < after < found:  # 0: not known, as for positions that were not expanded
                    ways[action] = after
            return ways
    return None
