"""Small endgame tables for the tests of tables, and the positions that they cover."""

import csv
from itertools import product
from pathlib import Path

import numpy as np

import mancala_env as mancala
from agents.tablebase import Tablebase, build
from agents.tablebase.probe import probe
from mancala_env.kernels.jit import DISABLE_JIT
from tests.kernels import from_python

DATA = Path(__file__).parent / "data"
AWARI = mancala.ruleset("awari")
OWARE = mancala.ruleset("oware")
KALAH = mancala.ruleset("kalah", seeds=6)  # the positions of the tests have up to 60 seeds, stores included
MOST = 4 if DISABLE_JIT else 8  # in plain Python only the smallest

with (DATA / "awari_histograms.csv").open(newline="", encoding="utf-8") as file:
    HISTOGRAMS = [{name: int(number) for name, number in line.items()} for line in csv.DictReader(file)]
DEPTH = 64
LITTLE = AWARI.changes(pits_per_row=2, seeds=3)
PROBE = from_python(probe)


def built(rules, seeds, folder):
    """The tables of these rules for so many seeds on the board."""
    build(rules, seeds, folder)
    return Tablebase(folder, rules)


def placements(seeds, pits):
    """All ways to lay this number of seeds."""
    return [row for row in product(range(seeds + 1), repeat=pits) if sum(row) == seeds]


def covered_positions(tables, number, seed=1):
    """Random positions in which the game goes on and that tables cover."""
    random = np.random.default_rng(seed)
    found = []
    while len(found) < number:
        pits = tables.rules.board.pits
        row = random.multinomial(random.integers(1, tables.seeds + 1), [1 / pits] * pits)
        state = tables.rules.position(row, player=int(random.integers(2)))
        if not state.is_over:
            found.append(state)
    return found


def lead(state):
    """What the mover is ahead."""
    return state.stores[state.player] - state.stores[1 - state.player]


def negamax(state, depth, tables, value_of):
    """The mover's margin by plain negamax; values of positions that tables cover are kept inside their bounds."""
    if state.is_over:
        ends = state.returns if state.scores is None else state.scores
        return ends[state.player] - ends[1 - state.player]
    value, seeds = value_of(state), sum(state.pits)
    if depth > 0:
        value = max(negamax_of_moves(state, depth, tables, value_of).values())
    if seeds <= tables.most:
        low, high = PROBE(state.array, seeds, state.player, tables.values, state.rules.encoded.axes)
        value = min(max(value, lead(state) + low), lead(state) + high)
    return value


def negamax_of_moves(state, depth, tables, value_of):
    """For each legal action."""
    after = {action: state.play(action) for action in state.legal_actions}
    return {
        action: (1 if each.player == state.player else -1) * negamax(each, depth - 1, tables, value_of)
        for action, each in after.items()
    }
