"""Endgame tables: equal to published values, to plain Python, and to search; files that survive kills and tell damage.

Histograms: T. R. Lincke's thesis (2002), appendix B. Positions: independent solvers in C (of kalah two, which agree).
See ``agents.tablebase``.
"""

import csv
import dataclasses
import errno
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest

import mancala_env as mancala
from agents import Agent, MinimaxAgent, make_agent, move_values, perft
from agents.evaluation import evaluate
from agents.search import Searcher
from agents.search.kernel import ALL_FEATURES, GAINS
from agents.tablebase import DamagedTable, DiskFull, Tablebase, build, cached, files, kernel, plan, retrograde
from agents.tablebase.__main__ import main
from agents.tablebase.probe import NO_TABLE, load, probe
from mancala_env import When
from mancala_env.kernels.jit import DISABLE_JIT, from_python
from mancala_env.rules import Barred, Passing, Skipping
from mancala_env.rules.ruleset import NOT_RULES

DATA = Path(__file__).parent / "data"
AWARI = mancala.ruleset("awari")
OWARE = mancala.ruleset("oware")
KALAH = mancala.ruleset("kalah", seeds=6)  # the positions below have up to 60 seeds, stores included
MOST = 4 if DISABLE_JIT else 8  # in plain Python only the smallest

with (DATA / "awari_histograms.csv").open(newline="", encoding="utf-8") as file:
    HISTOGRAMS = [{name: int(number) for name, number in line.items()} for line in csv.DictReader(file)]
POSITIONS = [json.loads(line) for line in (DATA / "awari_positions.jsonl").read_text(encoding="utf-8").splitlines()]
KALAH_POSITIONS = [json.loads(line) for line in (DATA / "kalah_positions.jsonl").read_text("utf-8").splitlines()]
DEPTH = 64
LITTLE = AWARI.changes(pits_per_row=2, seeds=3)


@pytest.fixture(scope="module")
def awari(tmp_path_factory):
    folder = tmp_path_factory.mktemp("awari")
    build(AWARI, MOST, folder)
    return Tablebase(folder, AWARI)


@pytest.fixture(scope="module")
def bounds(tmp_path_factory):
    rules = OWARE.changes(pits_per_row=3, indeterminacy_max_seeds=0, majority_stop=False)
    folder = tmp_path_factory.mktemp("bounds")
    build(rules, 6, folder)
    return Tablebase(folder, rules)


@pytest.fixture(scope="module")
def kalah(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kalah")
    build(KALAH, MOST, folder)
    return Tablebase(folder, KALAH)


def check_histograms(tables):
    for seeds in range(tables.seeds + 1):
        values, counts = np.unique(tables.layer(seeds), return_counts=True)
        published = {line["value"]: line["positions"] for line in HISTOGRAMS if line["stones"] == seeds}
        if published:
            assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == published


def check_positions(tables):
    covered = [sample for sample in POSITIONS if sample["n"] <= tables.seeds]
    assert covered
    for sample in covered:
        seeds = sample["b"]
        north = [*seeds[len(seeds) // 2 :], *seeds[: len(seeds) // 2]]
        for state in (AWARI.position(seeds), AWARI.position(north, stores=(3, 5), player=1)):
            assert tables.value(state) == sample["v"]
            values = tables.move_values(state)
            assert values == {int(action): value for action, value in sample["moves"].items()}
            assert all(tables.bounds(state)[side] == sample["v"] for side in (0, 1))
            if values:
                assert tables.best_actions(state) == [k for k, value in values.items() if value == sample["v"]]


def test_every_value_occurs_as_often_as_published(awari):
    check_histograms(awari)


def test_positions_and_moves_are_worth_what_an_independent_solver_says(awari):
    check_positions(awari)


@pytest.mark.slow
def test_the_larger_tables_are_right_too(tmp_path):
    build(AWARI, 14, tmp_path)
    tables = Tablebase(tmp_path, AWARI)
    check_histograms(tables)
    check_positions(tables)


@pytest.mark.parametrize(
    ("pits_per_row", "values"), [(2, (0, 2, 1, 0, 3, 0)), (3, (0, 3, 0, 0)), (4, (0, 0)), (5, (0,))]
)
def test_small_boards_start_at_their_known_values(pits_per_row, values, tmp_path):
    rules = AWARI.changes(pits_per_row=pits_per_row)
    most = 1 if DISABLE_JIT else len(values)
    build(rules, 2 * pits_per_row * most, tmp_path)
    for seeds, value in enumerate(values[:most], start=1):
        start = rules.changes(seeds=seeds).start()
        assert Tablebase(tmp_path, rules).value(start) == value


def placements(seeds, pits):
    """All ways to lay this number of seeds."""
    return [row for row in product(range(seeds + 1), repeat=pits) if sum(row) == seeds]


class Option(NamedTuple):
    """What a move is worth: seeds for who makes it and for the other, and those forced in the position it leads to."""

    mine: int
    others: int
    row: tuple[int, ...] | None = None  # pits as the mover there sees them
    turned: bool = True  # that is the other player

    def value(self, forced):
        mover, other = (0, 0) if self.row is None else forced[self.row]
        return (self.mine + other, self.others + mover) if self.turned else (self.mine + mover, self.others + other)


def options(state):
    """South's, in a position without stores where South is to move; if South passes, or the game is over, only that."""
    half = len(state.pits) // 2
    if state.is_over:
        return [Option(*map(int, state.scores))]
    if state.player == 1:
        return [Option(0, 0, state.pits[half:] + state.pits[:half])]
    found = []
    for child in map(state.play, state.legal_actions):
        if child.is_over:
            found.append(Option(*map(int, child.scores)))
        elif child.player == 1:
            found.append(Option(*child.stores, child.pits[half:] + child.pits[:half]))
        else:  # North has passed
            found.append(Option(*child.stores, child.pits, turned=False))
    return found


def plainly_forced(rules, most):
    """What (mover, other) can force in every position, by trying moves until nothing gets better; circles: nothing."""
    forced = {}
    for seeds in range(most + 1):
        moves = {row: options(rules.position(row)) for row in placements(seeds, rules.board.pits)}
        forced.update((row, (0, 0)) for row in moves)
        changed = True
        while changed:
            changed = False
            for row, each in moves.items():
                mine, others = zip(*(option.value(forced) for option in each), strict=True)
                changed |= forced[row] != (max(mine), min(others))
                forced[row] = max(mine), min(others)
    return forced


VARIANTS = {
    "forbidden": {},
    "no_capture": {"grand_slam": "no_capture"},
    "capture": {"grand_slam": "capture"},
    "multi_pit": {"slam_scope": "multi_pit"},
    "rest": {"grand_slam": "rest_to_opponent"},
    "spare_last": {"grand_slam": "spare_last"},
    "spare_first": {"grand_slam": "spare_first"},
    "laps_fill_the_origin": {"skip_origin": False},
    "no_dead_positions": {"indeterminacy_max_seeds": 0},
    "many_dead_positions": {"indeterminacy_max_seeds": 5},
    "need_not_feed": {"feeding": "none"},
    "always_feeds": {"feeding": "always", "grand_slam": "capture"},
    "left_to_the_emptier": {"leftover": "emptier"},
    "left_to_nobody": {"leftover": "none"},
    "any_side": {"end_check": "any_side", "feeding": "none"},
    "passes": {"feeding": "none", "stuck": "pass"},
}


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize(("pits_per_row", "most"), [(1, 7), (2, 7), (3, 4)])
def test_bounds_are_those_of_plain_python(name, pits_per_row, most, tmp_path):
    changes = {"majority_stop": False, "repetition": 0, "pits_per_row": pits_per_row} | VARIANTS[name]
    rules = OWARE.changes(**changes | ({"skip_origin": False} if pits_per_row == 1 else {}))
    build(rules, most, tmp_path)
    tables = Tablebase(tmp_path, rules)
    for row, forced in plainly_forced(rules, most).items():
        state = rules.position(row)
        wanted = forced if state.player == 0 else forced[::-1]
        if state.is_over:
            assert tables.value(state) == wanted[0] - wanted[1]
        else:
            assert tables.forced(state) == wanted, state


STEP_BACK = from_python(kernel.step_back)
PROBE = from_python(probe)


def steps_back(rules, state):
    """Positions of the other player from which quiet moves lead to one of South: numbers, and by how many moves."""
    pits, seeds = rules.board.pits, sum(state.pits)
    number = kernel.number_of(state.array, 0, seeds, rules.encoded.axes)
    found = []
    for by_mover in (0, 1):
        quiet = np.full(files.layer_size(pits, seeds), 99, dtype=np.uint8)
        movers, others, costs = np.zeros((3, len(quiet)), dtype=np.uint8)
        stack = np.zeros(99, dtype=np.int64)
        scratch = np.zeros((3, rules.fields["width"]), dtype=np.int16)
        mask = np.zeros(rules.num_actions, dtype=np.bool_)
        top = STEP_BACK(
            2 * int(number) + by_mover, 1, seeds, movers, others, costs, quiet, stack, 0, *scratch, mask,
            rules.num_actions, pits, *rules.encoded[2:],
        )  # fmt: skip
        found.append(Counter(stack[:top] >> 1) if by_mover == 0 else Counter(dict(enumerate(99 - quiet))))
    settled, told = found
    assert settled.keys() == (+told).keys()
    return +told


@pytest.mark.parametrize("name", [name for name in VARIANTS if name != "passes"])
@pytest.mark.parametrize(("pits_per_row", "most"), [(2, 6), (3, 4)])
def test_steps_back_are_the_predecessors_of_a_state(name, pits_per_row, most):
    """Those of them that are the other player's and have as many seeds on the board.

    Not where players pass: tables have positions whose mover is stuck, and the pass as a move that leaves them. A State
    settles that by itself: no mover of it is stuck, and the pass is part of the move before.
    """
    rules = OWARE.changes(**{"majority_stop": False, "repetition": 0, "pits_per_row": pits_per_row} | VARIANTS[name])
    steps = 0
    for seeds in range(1, min(most, 4) + 1 if DISABLE_JIT else most + 1):
        for row in placements(seeds, rules.board.pits):
            state = rules.position(row)
            before = [each for each, _ in state.predecessors() if each.player == 1 and sum(each.pits) == seeds]
            numbers = [int(kernel.number_of(each.array, 1, seeds, rules.encoded.axes)) for each in before]
            assert steps_back(rules, state) == Counter(numbers), state
            steps += len(before)
    assert steps > (0 if DISABLE_JIT else 20)


@pytest.mark.parametrize("name", ["awari", "oware", "oware_liberta", "oware_tutti_a_casa"])
@pytest.mark.parametrize(("pits_per_row", "most"), [(2, 5), (3, 3)])
def test_search_that_sees_every_repetition_stays_within_the_bounds(name, pits_per_row, most, tmp_path):
    """No line is longer than the search is deep, so it is exact. Of awari the bounds are equal."""
    rules = mancala.ruleset(name, pits_per_row=pits_per_row, majority_stop=False, indeterminacy_max_seeds=0)
    build(rules, most, tmp_path)
    tables = Tablebase(tmp_path, rules)
    for seeds in range(1, most + 1):
        for row in placements(seeds, rules.board.pits):
            state = rules.position(row)
            if state.is_over:
                continue
            assert perft(state, DEPTH) == 0
            values = move_values(state, DEPTH)
            low, high = tables.bounds(state)
            assert low <= max(values.values()) <= high
            assert low == high or name != "awari"
            for action, (least, greatest) in tables.move_bounds(state).items():
                if state.play(action).stores != (0, 0):  # else the history has begun before the position it leads to
                    assert least <= values[action] <= greatest


@pytest.mark.parametrize(
    ("pits_per_row", "seeds", "forced"), [(3, 4, (11, 11)), (4, 3, (10, 11)), (5, 2, (9, 9)), (6, 1, (4, 4))]
)
@pytest.mark.slow
def test_what_openspiels_rules_let_both_players_force(pits_per_row, seeds, forced, tmp_path):
    """Own values of another program, which also finds the published shares of positions where both make all seeds."""
    rules = OWARE.changes(
        grand_slam="no_capture", indeterminacy_max_seeds=0, pits_per_row=pits_per_row, seeds=seeds, majority_stop=False
    )
    build(rules, rules.total_seeds, tmp_path)
    assert Tablebase(tmp_path, rules).forced(rules.start()) == forced


def test_after_a_majority_the_table_goes_on(tmp_path):
    rules = OWARE.changes(indeterminacy_max_seeds=0)
    build(rules, 4, tmp_path)
    tables = Tablebase(tmp_path, rules)
    state = rules.position([0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1], (23, 21))  # F takes three: South has 26
    after = state.play(5)
    assert after.termination == "majority"
    low, high = tables.bounds(after)
    assert tables.move_bounds(state)[5] == (3 - high, 3 - low)


def test_a_table_does_not_depend_on_stores_seat_or_seeds_at_the_start(awari):
    state = AWARI.position([0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0], (5, 2))
    same = AWARI.changes(seeds=1).position([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0], (0, 1), player=1)
    assert awari.value(state) == awari.value(same)
    assert state in awari
    assert same in awari


def test_an_ended_game_is_worth_what_it_brought(awari):
    famine = AWARI.position([0] * 6 + [1, 0, 0, 1, 0, 0])
    assert famine.is_over
    assert awari.value(famine) == -2
    assert awari.move_values(famine) == {}
    with pytest.raises(ValueError, match="the game is over"):
        awari.best_actions(famine)


def test_what_is_not_covered_is_said(awari):
    with pytest.raises(ValueError, match=f"48 seeds are on the board, tables are for at most {MOST}"):
        awari.value(AWARI.start())
    with pytest.raises(ValueError, match="not of the rules of oware"):
        awari.value(OWARE.position([1] + [0] * 10 + [1]))
    assert AWARI.start() not in awari
    assert OWARE.start() not in awari
    assert mancala.ruleset("kalah").start() not in awari
    with pytest.raises(ValueError, match="for 0 to"):
        awari.layer(40)


def test_a_bound_is_no_value(tmp_path):
    rules = OWARE.changes(pits_per_row=2, indeterminacy_max_seeds=0)
    build(rules, 2, tmp_path)
    tables = Tablebase(tmp_path, rules)
    state = rules.position([1, 0, 1, 0])
    assert tables.bounds(state) == (-2, 2)
    with pytest.raises(ValueError, match=r"lies from -2 to 2 in oware .* ask bounds"):
        tables.value(state)
    with pytest.raises(ValueError, match="ask move_bounds"):
        tables.move_values(state)
    assert tables.best_actions(state) == [0]


@pytest.mark.parametrize("game", ["hus", "oware_territory", "oware_series_wins", "reaping", "layli_goobalay"])
def test_games_without_tables_are_refused(game, tmp_path):
    with pytest.raises(ValueError, match=f"no endgame tables of '{game}'"):
        build(mancala.ruleset(game), 2, tmp_path)
    with pytest.raises(ValueError, match=f"no endgame tables of '{game}'"):
        Tablebase(tmp_path, mancala.ruleset(game))


def test_kalah_that_a_majority_stops_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"games in which every seed counts; set majority_stop=False"):
        build(KALAH.changes(majority_stop=True), 2, tmp_path)


@pytest.mark.parametrize("rules", [AWARI, KALAH], ids=["awari", "kalah"])
def test_a_ply_limit_that_is_near_is_refused(rules, tmp_path):
    build(rules, 2, tmp_path)
    tables, probe = Tablebase(tmp_path, rules), load(tmp_path, rules)
    near = rules.changes(max_plies=999)
    for refused in (build, load):
        arguments = (near, 2, tmp_path) if refused is build else (tmp_path, near)
        with pytest.raises(ValueError, match=r"limit of 999 may come before what they promise; set max_plies=1000 or"):
            refused(*arguments)
    assert not tables.is_of(near)
    assert not probe.fits(near)
    for far in (0, 1000, 32_000):
        assert tables.is_of(rules.changes(max_plies=far))


def test_a_far_ply_limit_does_not_matter_until_it_is_near(kalah):
    rules = KALAH.changes(max_plies=1000)
    differ = 0
    for state in covered_positions(kalah, 30 if DISABLE_JIT else 100):
        if sum(state.pits) <= 6:
            assert perft(state, DEPTH) == 0  # all that is played ends before
            early, late = (rules.position(state.pits, player=state.player, ply=1000 - left) for left in (DEPTH, 2))
            assert move_values(early, DEPTH) == kalah.move_values(early)
            differ += max(move_values(late, 2).values()) != kalah.value(late)
    assert differ


def test_tables_of_other_rules_are_not_taken(tmp_path):
    build(LITTLE, 3, tmp_path)
    other = LITTLE.changes(feeding="if_starved")
    with pytest.raises(ValueError, match=r"no endgame tables of these rules .* there are awari-2-"):
        Tablebase(tmp_path, other)
    os.replace(files.table_path(tmp_path, LITTLE, 0), files.table_path(tmp_path, other, 0))
    with pytest.raises(DamagedTable, match=r"other rules \(feeding='always', not 'if_starved'\)"):
        Tablebase(tmp_path, other)


@pytest.mark.parametrize(
    ("seeds", "threads", "text"), [(-1, 1, "for 0 to 60"), (61, 1, "0 to 60"), (2, 0, "1 or more")]
)
def test_impossible_numbers_are_refused(seeds, threads, text, tmp_path):
    with pytest.raises(ValueError, match=text):
        build(LITTLE, seeds, tmp_path, threads=threads)


NEVER = [
    {"direction": "clockwise"},
    {"leave": "first_lap"},
    {"seeds_a_pit": 2, "store": "none", "landing": ()},
    {"lone_seed": "stays"},
    {"passing": Passing(counts={3})},
    {"singles": "last_resort"},
    {"opening": ((0,),)},
    {"plain_plies": 1},
    {"end_few": 3},
    {"surplus": "opponent"},
    {"barred": Barred({0})},
    {"forced": Barred({0}), "feeding": "none", "grand_slam": "capture"},
    {"feeding_least": 2, "feeding": "if_starved"},
    {"skipping": Skipping(counts={3})},
    {"target_seeds": 9},
    {"remember": "played"},
    {
        "first_lap": "not_in_own_full",
        "skip_origin": False,
        "feeding": "none",
        "grand_slam": "capture",
        "indeterminacy_max_seeds": 0,
    },
    {"next_skips_stores": True, "store": "own", "skip_origin": False, "indeterminacy_max_seeds": 0},
    {"played_again": "never", "remember": "played", "feeding": "none", "grand_slam": "capture"},
    {"safe_seeds": 9, "goal": "last_mover"},
    {"below_target": "draw", "target_seeds": 9},
    {"end_flat": 1},
]


def test_every_rule_is_told_apart_or_does_not_matter():
    """A new axis of Ruleset has to go into ``mechanics``, or be one that games with tables do not have."""
    elsewhere = {"board": "pits_per_row", "landing": "captured_counts", "repetition": "exact"}
    without = {"name", "seeds", "setup", "end_reason", "majority_stop", "max_plies", "repetition_leftover"}
    without |= set(NOT_RULES) | {"setup_stores", "setup_marks"}
    refused = {
        *(next(iter(changes)) for changes in NEVER),
        *("marked_pits", "mirrored_marks"),  # there are no marks
        *("turns_round", "end_houses", "end_marks", "refill_empty_side"),  # nor relays, nor pits of nobody
        *("reserve", "stronghold", "stronghold_least", "stronghold_tax", "threats"),  # nothing is sown from the ends
        *("ends", "end_joins", "empty_captures", "captures_later", "brings_anywhere", "must_capture", "plays_singles"),
        *("reverse_laps", "reverse_to_empty"),  # nor in two directions
        "store",
        "mark_limit",
        "unmarkable",
        "max_laps",
        "sowing",
        "goal",
        "min_start",
        "pit_limit",
        "explicit_pass",
    }
    refused |= {"match", "target", "max_games", "first_mover", "draw_points", "difference", "unfilled"}
    names = {field.name for field in dataclasses.fields(mancala.Ruleset)} - without - refused - {"remainder"}
    assert {elsewhere.get(name, name) for name in names} == set(files.mechanics(OWARE))
    without |= {"repetition"}  # does not matter where no position comes back
    refused -= {"store", "max_laps"}
    refused |= {"skip_origin", "indeterminacy_max_seeds"}
    names = {field.name for field in dataclasses.fields(mancala.Ruleset)} - without - refused - {"remainder"}
    assert names - {"board"} | {"pits_per_row", "exact"} == set(files.mechanics(KALAH))


@pytest.mark.parametrize("changes", NEVER, ids=lambda changes: next(iter(changes)))
def test_tables_are_refused_for_rules_that_they_do_not_tell_apart(changes):
    others = {"end_check": "side_to_move", "repetition": 2, "indeterminacy_max_seeds": 0, "feeding": "none"}
    lone = {"leave": "first_lap"} if "lone_seed" in changes else {}
    for rules in (KALAH, AWARI.changes(skip_origin=False)):
        with pytest.raises(ValueError, match=f"there are no endgame tables of '{rules.name}'"):
            files.check_rules(rules.changes(**others | lone | changes))


def check_kalah_positions(folder, empty_capture):
    """The file's values are of the seeds on the board; its stores only say how the position came about."""
    tables = Tablebase(folder, KALAH.changes(empty_capture=empty_capture))
    kind = "ec" if empty_capture else "std"
    covered = [sample for sample in KALAH_POSITIONS if sample["seeds"] <= tables.seeds]
    assert covered
    for sample in covered:
        seeds = sample["b"]
        state = tables.rules.position(seeds, sample["s"])
        turned = tables.rules.position([*seeds[6:], *seeds[:6]], player=1)
        for each in (state, turned):
            assert tables.value(each) == sample[kind]
            values = tables.move_values(each)
            assert values == {int(action): value for action, value in sample[f"{kind}_moves"].items()}
            assert tables.best_actions(each) == [k for k, value in values.items() if value == sample[kind]]


@pytest.mark.parametrize("empty_capture", [False, True])
def test_kalah_positions_are_worth_what_independent_solvers_say(empty_capture, tmp_path):
    build(KALAH.changes(empty_capture=empty_capture), MOST, tmp_path)
    check_kalah_positions(tmp_path, empty_capture)


@pytest.mark.slow
@pytest.mark.parametrize("empty_capture", [False, True])
def test_the_larger_tables_of_kalah_are_right_too(empty_capture, tmp_path):
    build(KALAH.changes(empty_capture=empty_capture), 16, tmp_path)
    check_kalah_positions(tmp_path, empty_capture)


KALAH_VARIANTS = {
    "kalah": {},
    "empty_capture": {"empty_capture": True},
    "left_to_the_emptier": {"leftover": "emptier"},
    "left_to_nobody": {"leftover": "none"},
    "ends_when_stuck": {"end_check": "side_to_move"},
    "passes": {"end_check": "side_to_move", "stuck": "pass"},
    "feeds": {"end_check": "side_to_move", "feeding": "if_starved"},
    "always_feeds": {"end_check": "side_to_move", "feeding": "always"},
    "forbidden": {"grand_slam": "forbidden", "empty_capture": True},
    "rest": {"grand_slam": "rest_to_opponent", "empty_capture": True},
    "goes_on_after_captures": {
        "landing": (
            When(store="own").again(),
            When(side="own", was="empty", facing="occupied").capture("here", "facing", then="again"),
        )
    },
    "relays": {"landing": (When(store="own").again(), When(was="occupied").relay())},
    "takes_chains": {"landing": (When(side="opponent", count={2, 3}).capture("here", chain={2, 3}),)},
}


@pytest.mark.parametrize("name", KALAH_VARIANTS)
@pytest.mark.parametrize(("pits_per_row", "most"), [(1, 7), (2, 5), (3, 4)])
def test_kalah_tables_are_search_to_the_end(name, pits_per_row, most, tmp_path):
    rules = KALAH.changes(pits_per_row=pits_per_row, **KALAH_VARIANTS[name])
    most = 3 if DISABLE_JIT else most
    build(rules, most, tmp_path)
    tables = Tablebase(tmp_path, rules)
    for seeds in range(1, most + 1):
        for row in placements(seeds, rules.board.pits):
            for player in (0, 1):
                state = rules.position(row, player=player)
                if state.is_over:
                    continue
                assert perft(state, DEPTH) == 0
                values = move_values(state, DEPTH)
                assert tables.value(state) == max(values.values())
                assert tables.move_values(state) == values


def test_wide_boards_of_kalah_are_numbered_too(tmp_path):
    rules = KALAH.changes(pits_per_row=9)
    build(rules, 2 if DISABLE_JIT else 3, tmp_path)
    tables = Tablebase(tmp_path, rules)
    for state in covered_positions(tables, 30):
        assert tables.move_values(state) == move_values(state, DEPTH)


def test_a_repetition_changes_nothing_where_no_position_comes_back(kalah):
    rules = KALAH.changes(repetition=2, max_plies=1000, seeds=4)
    assert kalah.is_of(rules)
    assert not kalah.is_of(KALAH.changes(empty_capture=True))


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


@pytest.mark.parametrize("game", ["awari", "kalah"])
def test_a_probe_says_what_the_table_says(game, request):
    tables = request.getfixturevalue(game)
    folder = tables.folder
    for most in (tables.seeds, 3):
        loaded = load(folder, tables.rules, None if most == tables.seeds else most)
        assert loaded.most == most
        assert len(loaded.values) == files.first_number(12, most + 1)
        for name in ("values", "most"):
            assert numba.typeof(getattr(loaded, name)) == numba.typeof(getattr(NO_TABLE, name))
        for state in covered_positions(tables, 200):
            if (seeds := sum(state.pits)) <= most:
                found = PROBE(state.array, seeds, state.player, loaded.values, tables.rules.encoded.axes)
                assert found == tables.bounds(state)
    assert NO_TABLE.most == -1


def test_a_probe_of_bounds_says_what_the_table_says(bounds):
    rules = bounds.rules.changes(majority_stop=False)
    loaded = load(bounds.folder, rules)
    open_ones = 0
    for state in covered_positions(bounds, 200):
        seeds = sum(state.pits)
        low, high = PROBE(state.array, seeds, state.player, loaded.values, rules.encoded.axes)
        assert (low, high) == bounds.bounds(state)
        open_ones += low < high
    assert open_ones > 20


@pytest.mark.parametrize(
    ("own", "others", "low", "high", "expected"),
    [
        (0, 0, 2, 2, (2, 4)),  # sure of 4 of all 6, which stops the game before the other has taken its 2
        (9, 3, -2, 4, (-3, 5)),  # sure of 2 of 6, and needs 1 of them for a majority
        (8, 4, -2, 4, (-2, 5)),  # needs both; the other, sure of 1, has too few to keep it from the rest
        (4, 8, -4, 2, (-5, 2)),  # the same seen from the other side
    ],
)
def test_a_majority_may_leave_seeds_that_were_sure(own, others, low, high, expected):
    """What a player is sure of is (6 + low) / 2 seeds, the other (6 - high) / 2."""
    values = np.full((files.first_number(12, 7), 2), (low, high), dtype=np.int8)
    state = OWARE.position([6, *[0] * 11], (own, others))
    assert PROBE(state.array, 6, 0, values, OWARE.encoded.axes) == expected


@pytest.mark.parametrize("stores", [(0, 0), (3, 1), (2, 2)])
def test_search_to_the_end_stays_within_the_bounds_that_a_majority_leaves(bounds, stores):
    rules = bounds.rules.changes(majority_stop=True)
    loaded, searcher = load(bounds.folder, rules), Searcher(rules, 1)
    stopped = 0
    for row in [row for seeds in (2, 3) for row in placements(seeds, 6)][:: 7 if DISABLE_JIT else 1]:
        state = rules.position(row, stores)
        if not state.is_over:
            found = searcher.search(state, DEPTH)
            assert found.exact
            low, high = PROBE(state.array, sum(row), 0, loaded.values, rules.encoded.axes)
            assert low <= found.value - (stores[0] - stores[1]) <= high, state
            stopped += (low, high) != bounds.bounds(bounds.rules.position(row))
    assert stopped


def told(state, depth, tables, line=()):
    """The mover's margin by plain negamax: values of positions that tables cover are kept inside their bounds."""
    if state.is_over:
        return state.scores[state.player] - state.scores[1 - state.player]
    mover, seeds = state.player, sum(state.pits)
    value = lead = state.stores[mover] - state.stores[1 - mover]
    if depth > 0:
        after = [state.play(action) for action in state.legal_actions]
        value = max((1 if each.player == mover else -1) * told(each, depth - 1, tables, "inside") for each in after)
    if line and seeds <= tables.most:
        low, high = PROBE(state.array, seeds, mover, tables.values, state.rules.encoded.axes)
        value = min(max(value, lead + low), lead + high)
    return value


@pytest.mark.parametrize("made_up", [False, True])
@pytest.mark.parametrize("majority", [False, True])
@pytest.mark.parametrize("features", [ALL_FEATURES, GAINS])
def test_search_uses_bounds_on_both_sides(bounds, features, majority, made_up):
    """Its values are those of plain negamax, whatever its window and its table, even where bounds were made up."""
    rules = bounds.rules.changes(majority_stop=majority)
    loaded = load(bounds.folder, rules, bounds.seeds - 2)
    if made_up:
        either = np.random.default_rng(1).integers(-4, 5, loaded.values.shape, dtype=np.int8)
        loaded = dataclasses.replace(loaded, values=np.sort(either, axis=1))
    searcher = Searcher(rules, 1, features, tables=loaded)
    plain, fewer, other = Searcher(rules, 1), 0, 0
    for before in covered_positions(bounds, 6 if DISABLE_JIT else 60):
        if (state := rules.position(before.pits, (2, 1), player=before.player)).is_over:
            continue
        for depth in (1, 3, 5):
            found = searcher.search(state, depth, every=True)
            wanted = {
                action: (1 if (after := state.play(action)).player == state.player else -1)
                * told(after, depth - 1, loaded, "inside")
                for action in state.legal_actions
            }
            assert found.values == wanted, (state, depth)
            best = searcher.search(state, depth)
            assert best.value == max(wanted.values()), (state, depth)
            without = plain.search(state, depth)
            fewer += best.nodes < without.nodes
            other += best.value != without.value
    assert fewer or DISABLE_JIT
    assert other or DISABLE_JIT


def test_a_probe_knows_the_rules_it_fits(kalah):
    loaded = load(kalah.folder, KALAH)
    assert loaded.rules == KALAH
    for same in (KALAH, KALAH.changes(seeds=4), KALAH.changes(repetition=2)):
        assert loaded.fits(same)
        assert NO_TABLE.fits(same)
    for other in ({"pits_per_row": 4}, {"empty_capture": True}, {"majority_stop": True}, {"max_plies": 50}):
        assert not loaded.fits(KALAH.changes(**other))
        assert NO_TABLE.fits(KALAH.changes(**other))
    assert not loaded.fits(AWARI)
    assert not loaded.fits(mancala.ruleset("hus"))


@pytest.mark.parametrize("memory", [0, 1])
@pytest.mark.parametrize("pits_per_row", [2] if DISABLE_JIT else [2, 3, 6])
def test_search_that_ends_in_tables_finds_what_larger_tables_say(pits_per_row, memory, tmp_path):
    """Also where positions come back: what was played before a position that the smaller tables cover is forgotten.

    A move that is not best can be worth more than the tables say, as its position has a history.
    """
    rules = AWARI.changes(pits_per_row=pits_per_row)
    build(rules, MOST, tmp_path)
    tables = Tablebase(tmp_path, rules)
    searcher = Searcher(rules, memory=memory, tables=load(tmp_path, rules, MOST - 2))
    settled, deep = 0, 0
    for state in covered_positions(tables, 30 if DISABLE_JIT else 400):
        if sum(state.pits) > MOST - 2:
            found = searcher.search(state, 40, nodes=20_000)
            if found.exact:
                assert found.value == tables.value(state), state
                assert set(tables.best_actions(state)) <= set(found.actions), state
                settled += 1
                deep += found.depth > 8
    assert settled > 3
    assert deep or DISABLE_JIT


def test_what_cannot_be_probed_is_said(awari, tmp_path):
    with pytest.raises(ValueError, match="has no endgame tables of these rules"):
        load(tmp_path, AWARI)
    with pytest.raises(ValueError, match=f"for 0 to {MOST} seeds, not 20; build more with"):
        load(awari.folder, AWARI, 20)
    with pytest.raises(ValueError, match="0 or more"):
        load(awari.folder, AWARI, -2)


@pytest.mark.parametrize("game", ["awari", "kalah"])
def test_the_agent_never_loses_value(game, request):
    tables = request.getfixturevalue(game)
    agent = make_agent(f"tablebase:folder={tables.folder},depth=2")
    assert isinstance(agent, Agent)
    agent.reset(5)
    for state in covered_positions(tables, 200):
        values = tables.move_values(state)
        assert values[agent.act(state)] == max(values.values())


@pytest.mark.parametrize("game", ["awari", "kalah"])
def test_games_of_the_agent_end_as_the_table_says(game, request):
    """Against itself with exactly that margin, against others with no less."""
    tables = request.getfixturevalue(game)
    for seed, state in enumerate(covered_positions(tables, 10 if DISABLE_JIT else 40)):
        for opponent in ("random", "minimax:depth=2", f"tablebase:folder={tables.folder}"):
            players = [make_agent(f"tablebase:folder={tables.folder}"), make_agent(opponent)]
            for player in players:
                player.reset(seed)
            value, first, after = tables.value(state), state.player, state
            while not after.is_over:
                after = after.play(players[after.player != first].act(after))
            margin = after.scores[first] - after.scores[1 - first]
            assert margin == value if "tablebase" in opponent else margin >= value


def test_the_agent_finds_a_margin_without_plans_where_it_is_near(awari, monkeypatch):
    monkeypatch.setattr(plan, "SIZES", (16,))
    agent = make_agent(f"tablebase:folder={awari.folder}")
    for state in covered_positions(awari, 50):
        assert agent.act(state) in awari.best_actions(state)


def test_a_plan_gets_nearer_with_every_ply(awari):
    """Whatever the other player does, as long as nobody captures."""
    tables = load(awari.folder, AWARI)
    planned = 0
    for state in covered_positions(awari, 30):
        if (level := int(awari.value(state))) <= 0:
            continue
        ways = plan.distances(state, tables, level)
        assert ways
        assert set(ways) <= set(awari.best_actions(state))
        assert len(set(ways.values())) == 1
        for action, plies in ways.items():
            for reply in (after := state.play(action)).legal_actions if plies else ():
                last = after.play(reply)
                if sum(last.pits) == sum(state.pits) and not last.is_over and awari.value(last) == level:
                    assert min(plan.distances(last, tables, level).values()) <= plies - 2
                    planned += 1
    assert planned


def test_an_agent_is_fixed_by_its_seed_and_picks_among_equals(kalah):
    agent = make_agent(f"tablebase:folder={kalah.folder}")
    state = next(each for each in covered_positions(kalah, 100) if len(kalah.best_actions(each)) > 1)
    chosen = []
    for seed in (*range(20), *range(20)):
        agent.reset(seed)
        chosen.append(agent.act(state))
    assert chosen[:20] == chosen[20:]
    assert set(chosen) == set(kalah.best_actions(state))


def test_the_agent_plays_bounds_too(tmp_path):
    rules = OWARE.changes(pits_per_row=2, indeterminacy_max_seeds=0)
    build(rules, 4, tmp_path)
    tables, agent = Tablebase(tmp_path, rules), make_agent(f"tablebase:folder={tmp_path}")
    for state in covered_positions(tables, 30):
        assert agent.act(state) in tables.best_actions(state)


def test_where_the_tables_end_the_agent_searches(awari):
    agent, search = make_agent(f"tablebase:folder={awari.folder},depth=3"), MinimaxAgent(depth=3)
    for seed in range(3):
        agent.reset(seed)
        search.reset(seed)
        assert agent.act(AWARI.start()) == search.act(AWARI.start())


def test_the_agent_goes_on_under_rules_that_its_tables_do_not_tell_apart(kalah):
    agent = make_agent(f"tablebase:folder={kalah.folder},depth=2")
    for seed, seeds in enumerate((4, 6, 4)):
        rules = KALAH.changes(seeds=seeds)
        for state in (rules.start(), rules.position([0, 1, 0, 0, 1, 0] * 2)):
            fresh = make_agent(f"tablebase:folder={kalah.folder},depth=2")
            agent.reset(seed)
            fresh.reset(seed)
            assert agent.act(state) == fresh.act(state)


def test_the_agent_says_what_it_lacks(awari, tmp_path):
    with pytest.raises(
        ValueError, match=r"no endgame tables in '.*nothing'; build them, .* python -m agents.tablebase"
    ):
        make_agent(f"tablebase:folder={tmp_path / 'nothing'}")
    with pytest.raises(ValueError, match="tablebase needs folder="):
        make_agent("tablebase")
    with pytest.raises(ValueError, match="depth must be a whole number of plies"):
        make_agent(f"tablebase:folder={awari.folder},depth=0")
    agent = make_agent(f"tablebase:folder={awari.folder}")
    assert agent.name == f"tablebase:folder={awari.folder},depth=8"
    with pytest.raises(ValueError, match="has no endgame tables of these rules"):
        agent.act(OWARE.start())
    with pytest.raises(ValueError, match=r"no endgame tables of 'oware_series_wins': .*not for matches"):
        agent.act(mancala.ruleset("oware_series_wins").start())
    with pytest.raises(ValueError, match="the game is over"):
        agent.act(AWARI.position([0] * 6 + [1, 0, 0, 1, 0, 0]))


@pytest.mark.parametrize("rules", [AWARI, KALAH], ids=["awari", "kalah"])
def test_threads_and_the_order_they_run_in_change_nothing(rules, tmp_path, monkeypatch):
    most = 4 if DISABLE_JIT else 8
    contents = []
    for threads, small, chunk, steps in ((1, 1 << 15, 1 << 16, 1 << 17), (2, 16, 512, 100), (3, 0, 7777, 33)):
        for name, value in (("SMALL", small), ("CHUNK", chunk), ("STEPS", steps)):
            monkeypatch.setattr(retrograde, name, value)
        folder = tmp_path / str(threads)
        contents.append([path.read_bytes() for path in build(rules, most, folder, threads=threads)])
    assert contents[0] == contents[1] == contents[2]


def test_a_small_stack_is_shared_out_and_grows(tmp_path, monkeypatch):
    rules = AWARI.changes(pits_per_row=3)
    wanted = [path.read_bytes() for path in build(rules, 8, tmp_path / "large")]
    monkeypatch.setattr(retrograde, "ROOM", 3 * 9 + 3)
    assert [path.read_bytes() for path in build(rules, 8, tmp_path / "small")] == wanted


def watched(rules, seeds, folder):
    """Build, and tell what was said of each number of seeds in the end."""
    said = {}
    build(rules, seeds, folder, report=lambda n, share, what: said.update({n: what}) if share in (0, 1) else None)
    return said


def test_a_second_build_keeps_what_is_there(tmp_path):
    first = build(LITTLE, 4, tmp_path)
    before = [(path.stat().st_mtime_ns, path.read_bytes()) for path in first]
    assert set(watched(LITTLE, 5, tmp_path).items()) == {(n, "kept") for n in range(5)} | {(5, "built")}
    assert [(path.stat().st_mtime_ns, path.read_bytes()) for path in first] == before


def test_a_build_that_is_killed_goes_on_where_it_was(tmp_path):
    program = (
        "import os, signal, sys\n"
        "import mancala_env\n"
        "from agents.tablebase import files\n"
        "from agents.tablebase.retrograde import build\n"
        "def kill(*_): os.kill(os.getpid(), signal.SIGKILL)\n"
        "def report(seeds, share, what):\n"
        "    if seeds == 5: os.fsync, os.replace = os.fsync, kill\n"  # its table is complete, but has no name yet
        "rules = mancala_env.ruleset('awari', pits_per_row=2)\n"
        "build(rules, 8, sys.argv[1], report=report)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False, cwd=Path(__file__).parents[1])
    assert done.returncode == -signal.SIGKILL
    leftover = [path for path in tmp_path.iterdir() if path.suffix == ".part"]
    assert len(leftover) == 1
    rules = AWARI.changes(pits_per_row=2)
    assert Tablebase(tmp_path, rules).seeds == 4
    said = watched(rules, 6, tmp_path)
    assert said == {n: "kept" if n < 5 else "built" for n in range(7)}
    assert not leftover[0].exists()
    assert Tablebase(tmp_path, rules).seeds == 6


def damage(path, at, how):
    data = bytearray(path.read_bytes())
    if how == "flip":
        data[at] ^= 4
    elif how == "cut":
        del data[at:]
    else:
        data += b"more"
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("at", "how", "text"),
    [
        (files.HEADER_SIZE + 3, "flip", "its entries have changed"),
        (-1, "flip", "its entries have changed"),
        (200, "flip", "its header has changed"),
        (30, "flip", "its header has changed"),
        (3, "flip", "does not begin like an endgame table"),
        (22, "flip", "its format is 5, this program reads 1"),
        (-1, "cut", "bytes and should have"),
        (100, "cut", "its header has changed"),
        (0, "cut", "does not begin like an endgame table"),
        (0, "lengthen", "bytes and should have"),
    ],
)
def test_damage_is_noticed_and_built_again(at, how, text, tmp_path, capsys):
    paths = build(LITTLE, 3, tmp_path)
    whole = paths[2].read_bytes()
    damage(paths[2], at, how)
    with pytest.raises(DamagedTable, match=text):
        Tablebase(tmp_path, LITTLE)
    assert main(["check", str(tmp_path)]) == 1
    output = capsys.readouterr()
    assert "3 of 4 tables are whole" in output.out
    assert str(paths[2]) in output.err
    said = []
    build(LITTLE, 3, tmp_path, report=lambda n, share, what: said.append((n, what)))
    assert [n for n, what in said if what.startswith("built again: ")] == [2]
    assert [n for n, what in said if what == "built"] == [2]
    assert paths[2].read_bytes() == whole


def test_entries_need_not_be_read_at_once(tmp_path):
    paths = build(LITTLE, 3, tmp_path)
    damage(paths[2], -1, "flip")
    assert Tablebase(tmp_path, LITTLE, verify=False).seeds == 3


class Disk(NamedTuple):
    total: int
    used: int
    free: int


def test_a_disk_too_small_is_refused_before_the_work(tmp_path, monkeypatch):
    paths = build(LITTLE, 3, tmp_path)
    before = [path.read_bytes() for path in paths]
    monkeypatch.setattr(files.shutil, "disk_usage", lambda folder: Disk(10**9, 10**9 - 5000, 5000))
    with pytest.raises(DiskFull, match=r"tables of 4 to 6 seeds need 1\.1 MB and 0\.0 MB are free"):
        build(LITTLE, 6, tmp_path)
    assert [path.read_bytes() for path in build(LITTLE, 3, tmp_path)] == before  # nothing to write, so no complaint
    assert sorted(tmp_path.iterdir()) == sorted(paths)


def test_a_disk_that_fills_up_leaves_whole_tables(tmp_path, monkeypatch, capsys):
    paths = build(LITTLE, 3, tmp_path)

    def fsync(number):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    call = ["build", "awari:pits_per_row=2", "--seeds", "5", "--out", str(tmp_path)]
    assert main(call) == 1
    assert "no room to write awari-2-" in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    assert Tablebase(tmp_path, LITTLE).seeds == 3
    monkeypatch.undo()
    assert main(call) == 0
    assert Tablebase(tmp_path, LITTLE).seeds == 5


def test_other_errors_of_writing_stay_what_they_are(tmp_path, monkeypatch):
    def fsync(number):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(OSError, match="Input/output error"):
        build(LITTLE, 1, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_command_builds_checks_and_counts(tmp_path, capsys):
    folder = str(tmp_path / "tables")
    assert main(["build", "awari", "--seeds", "4", "--out", folder, "--threads", "2"]) == 0
    assert "awari, 4 seeds: built" in capsys.readouterr().err
    assert main(["check", folder]) == 0
    assert "5 of 5 tables are whole" in capsys.readouterr().out
    assert main(["stats", folder, "awari"]) == 0
    lines = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    counted = [{name: int(number) for name, number in line.items()} for line in lines]
    assert counted == [line for line in HISTOGRAMS if line["stones"] <= 4]


def test_the_command_knows_kalah_too(tmp_path, capsys):
    game = ["kalah:pits_per_row=3,empty_capture=true"]
    assert main(["build", *game, "--seeds", "3", "--out", str(tmp_path)]) == 0
    assert main(["check", str(tmp_path)]) == 0
    assert "4 of 4 tables are whole" in capsys.readouterr().out
    assert main(["stats", str(tmp_path), *game]) == 0
    lines = [line.split(",") for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["stones", "value", "positions"]
    assert sum(int(number) for *_, number in lines[1:]) == files.first_number(6, 4)


def test_the_command_takes_other_rules(tmp_path, capsys):
    game = ["oware:pits_per_row=2,grand_slam=no_capture,indeterminacy_max_seeds=0"]
    assert main(["build", *game, "--seeds", "2", "--out", str(tmp_path)]) == 0
    capsys.readouterr()
    assert main(["stats", str(tmp_path), *game]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "stones,mover,other,positions"
    assert sum(int(line.split(",")[3]) for line in lines[1:]) == 1 + 4 + 10


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (["stats", "nowhere", "awari"], "has no endgame tables of these rules"),
        (["check", "nowhere"], "there are no endgame tables in nowhere"),
        (["build", "awarri", "--seeds", "2"], "did you mean 'awari'"),
        (["build", "awari", "--seeds", "99"], "for 0 to 52 seeds, not 99"),
    ],
)
def test_the_command_says_what_is_wrong(call, text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(call) == 2
    assert text in capsys.readouterr().err


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MANCALA_ENV_CACHE", str(tmp_path))
    return tmp_path / "tables"


def test_the_cache_is_where_the_environment_says(monkeypatch):
    home = os.path.expanduser("~")
    for name in ("MANCALA_ENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert cached.tables_folder() == Path(home, ".cache", "mancala_env", "tables")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cached.tables_folder() == Path("/somewhere/mancala_env/tables")
    monkeypatch.setenv("MANCALA_ENV_CACHE", "~/elsewhere")
    assert cached.tables_folder() == Path(home, "elsewhere", "tables")


def test_get_builds_once_goes_on_and_mends(cache, capsys):
    get = ["get", LITTLE.spec(), "--seeds"]
    assert main([*get, "2"]) == 0
    said = capsys.readouterr()
    size = sum(path.stat().st_size for path in cache.glob("*.table"))
    assert f"tables for 0 to 2 seeds, {size / 1e6:.1f} MB in {cache}: building takes about" in said.out
    assert "2 seeds: built" in said.err
    assert "tables=2" in said.out

    before = {path: path.stat().st_mtime_ns for path in cache.glob("*.table")}
    assert main([*get, "2"]) == 0
    said = capsys.readouterr()
    assert said.out.endswith("they are there, and whole\n")
    assert not said.err
    assert main([*get, "3"]) == 0
    assert "2 seeds: kept" in capsys.readouterr().err
    assert all(path.stat().st_mtime_ns == then for path, then in before.items())

    path = files.table_path(cache, LITTLE, 2)
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert main([*get, "3"]) == 0
    assert "2 seeds: built again" in capsys.readouterr().err
    assert path.read_bytes() == content
    for wrong in (
        ["get", "hus"],
        ["get", "awari", "--seeds", "99"],
        ["get", "awari", "--seeds", "2", "--threads", "0"],
    ):
        assert main(wrong) == 2
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("game", ["awari", "oware"])
def test_minimax_uses_the_tables_that_its_name_says(game, cache):
    rules = mancala.ruleset(game, pits_per_row=3, seeds=2)
    build(rules, 5, cache)
    plain, with_tables = MinimaxAgent(depth=2), make_agent("minimax:depth=2,tables=4")
    assert with_tables.name == make_agent(with_tables.name).name == "minimax:depth=2,tables=4"
    assert make_agent(f"minimax:depth=2,tables={cache}").name == f"minimax:depth=2,tables={cache}"
    assert with_tables.batched
    searchers = {
        4: Searcher(rules, tables=load(cache, rules, 4)),
        5: Searcher(rules, tables=load(cache, rules, 5)),
        0: Searcher(rules),
    }
    agents = {4: [with_tables], 5: [make_agent("minimax:depth=2,tables=auto"), MinimaxAgent(2, tables=str(cache))]}
    agents[0] = [plain, make_agent("minimax:depth=2,tables=none"), make_agent("v1-depth2")]
    tables = Tablebase(cache, rules)
    found = set()
    for state in covered_positions(tables, 40):
        values = []
        for seeds, each in agents.items():
            value = searchers[seeds].search(state, 2).value
            values.append(value)
            assert [agent.search(state).value for agent in each] == [value] * len(each)
        found.add(tuple(values))
    assert any(with_four != without for with_four, _, without in found)
    assert "tables" not in "".join(agent.name for agent in (agents[0]))


def test_tables_that_are_not_there_are_refused_and_auto_does_without(cache):
    wanted = make_agent("minimax:depth=2,tables=6")
    assert "has none: make them with python -m agents.tablebase get awari --seeds-on-board 6" in wanted.refusal(AWARI)
    build(LITTLE, 2, cache)
    assert "has those for 0 to 2 seeds: make them" in wanted.refusal(LITTLE)
    assert "there are no endgame tables of 'hus'" in wanted.refusal(mancala.ruleset("hus"))
    with pytest.raises(ValueError, match="asks for endgame tables of awari"):
        wanted.act(AWARI.start())
    auto = make_agent("minimax:depth=2,tables=auto")
    for name in ("hus", "awari", "oware_series_wins"):
        assert auto.refusal(mancala.ruleset(name)) == ""
        assert auto.name == "minimax:depth=2,tables=none"
    auto.meet(LITTLE)
    assert auto.name == "minimax:depth=2,tables=2"
    (result,) = evaluate(make_agent("minimax:depth=1,tables=auto"), "random", LITTLE, pairs=1, opening_plies=0)
    assert result.agent == "minimax:depth=1,tables=2"
    assert auto.best_actions(AWARI.start()) == MinimaxAgent(depth=2).best_actions(AWARI.start())
    assert "has no endgame tables" in make_agent(f"minimax:depth=2,tables={cache}").refusal(AWARI)


@pytest.mark.parametrize("tables", [0, -1, True, 2.5, "", None])
def test_impossible_tables_are_refused(tables):
    with pytest.raises(ValueError, match="tables must be none, auto, a number"):
        MinimaxAgent(depth=2, tables=tables)


def test_tables_and_a_function_are_not_combined():
    with pytest.raises(ValueError, match="give only one"):
        MinimaxAgent(depth=2, evaluation=lambda position, axes, tables: 0, tables=4)
