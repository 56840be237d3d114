"""Endgame tables hold what published values, plain Python and search to the end say.

Histograms: T. R. Lincke's thesis (2002), appendix B. Positions: independent solvers in C (of kalah two, which agree).
See ``agents.tablebase``.
"""

import dataclasses
import json
import os
from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np
import pytest

import mancala_env as mancala
from agents import move_values, perft
from agents.tablebase import DamagedTable, Tablebase, build, files, kernel
from agents.tablebase.probe import load
from mancala_env import When
from mancala_env.kernels.jit import DISABLE_JIT
from mancala_env.rules import Barred, Passing, Skipping
from mancala_env.rules.ruleset import NOT_RULES
from tests.kernels import from_python
from tests.tablebases import (
    AWARI,
    DATA,
    DEPTH,
    HISTOGRAMS,
    KALAH,
    LITTLE,
    MOST,
    OWARE,
    built,
    covered_positions,
    placements,
)

pytestmark = pytest.mark.integration  # many rulesets, searches and traces: the general builds of each

POSITIONS = [json.loads(line) for line in (DATA / "awari_positions.jsonl").read_text(encoding="utf-8").splitlines()]
KALAH_POSITIONS = [json.loads(line) for line in (DATA / "kalah_positions.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def awari(tmp_path_factory):
    return built(AWARI, MOST, tmp_path_factory.mktemp("awari"))


@pytest.fixture(scope="module")
def kalah(tmp_path_factory):
    return built(KALAH, MOST, tmp_path_factory.mktemp("kalah"))


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


def steps_back(rules, state):
    """Positions of the other player from which quiet moves lead to one of South: numbers, and by how many moves."""
    pits, seeds = rules.board.pits, sum(state.pits)
    number = kernel.number_of(state.array, 0, seeds, rules.encoded.axes)
    found = []
    for by_mover in (0, 1):
        quiet = np.full(files.layer_size(pits, seeds), 99, dtype=np.uint8)
        movers, others, costs = np.zeros((3, len(quiet)), dtype=np.uint8)
        stack = np.zeros(99, dtype=np.int64)
        top = STEP_BACK(
            2 * int(number) + by_mover, 1, seeds, kernel.Layer(costs, costs, quiet, movers, others), stack, 0,
            kernel.scratch(rules, 3), rules.encoded.rules,
        )  # fmt: skip
        found.append(Counter(stack[:top] >> 1) if by_mover == 0 else Counter(dict(enumerate(99 - quiet))))
    settled, told = found
    assert settled.keys() == (+told).keys()
    return +told


@pytest.mark.parametrize("name", [name for name in VARIANTS if name != "passes"])
@pytest.mark.parametrize(("pits_per_row", "most"), [(2, 6), (3, 4)])
def test_steps_back_are_the_moves_without_capture_that_lead_to_a_state(name, pits_per_row, most):
    """Every move of North from every position is played, and remembered by where it leads.

    Not where players pass: tables have positions whose mover is stuck, and the pass as a move that leaves them. A State
    settles that by itself: no mover of it is stuck, and the pass is part of the move before.
    """
    rules = OWARE.changes(**{"majority_stop": False, "repetition": 0, "pits_per_row": pits_per_row} | VARIANTS[name])
    steps = 0
    for seeds in range(1, min(most, 4) + 1 if DISABLE_JIT else most + 1):
        before = defaultdict(Counter)
        for row in placements(seeds, rules.board.pits):
            earlier = rules.position(row, player=1)
            number = int(kernel.number_of(earlier.array, 1, seeds, rules.encoded.axes))
            for after in map(earlier.play, earlier.legal_actions):
                before[after.pits, after.stores, after.player][number] += 1
        for row in placements(seeds, rules.board.pits):
            state = rules.position(row)
            found = before[state.pits, state.stores, state.player]
            assert steps_back(rules, state) == found, state
            steps += found.total()
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


REFUSED = [
    *(
        (mancala.ruleset(game), 2, 1, f"no endgame tables of '{game}'")
        for game in ("hus", "oware_territory", "oware_series_wins", "reaping", "layli_goobalay")
    ),
    (KALAH.changes(majority_stop=True), 2, 1, "games in which every seed counts; set majority_stop=False"),
    (LITTLE, -1, 1, "for 0 to 60"),
    (LITTLE, 61, 1, "0 to 60"),
    (LITTLE, 2, 0, "1 or more"),
]


@pytest.mark.parametrize(("rules", "seeds", "threads", "text"), REFUSED)
def test_what_no_tables_are_of_is_refused(rules, seeds, threads, text, tmp_path):
    with pytest.raises(ValueError, match=text):
        build(rules, seeds, tmp_path, threads=threads)
    if "no endgame tables" in text:
        with pytest.raises(ValueError, match=text):
            Tablebase(tmp_path, rules)


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


def test_tables_of_other_rules_are_not_taken(tmp_path):
    build(LITTLE, 3, tmp_path)
    other = LITTLE.changes(feeding="if_starved")
    with pytest.raises(ValueError, match=r"no endgame tables of these rules .* there are awari-2-"):
        Tablebase(tmp_path, other)
    os.replace(files.table_path(tmp_path, LITTLE, 0), files.table_path(tmp_path, other, 0))
    with pytest.raises(DamagedTable, match=r"other rules \(feeding='always', not 'if_starved'\)"):
        Tablebase(tmp_path, other)


NEVER = [
    {"direction": "clockwise"},
    {"leave": "first_lap"},
    {"seeds_a_pit": 2, "store": "none", "landing": ()},
    {"leave": "unless_alone"},
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
    {"remember": "until_sown", "feeding": "none", "grand_slam": "capture"},
    {"safe_seeds": 9, "goal": "last_mover"},
    {"end_when": "all_single"},
]


def test_every_rule_is_told_apart_or_does_not_matter():
    """A new axis of Ruleset has to go into ``mechanics``, or be one that games with tables do not have."""
    elsewhere = {"board": "pits_per_row", "landing": "captured_counts", "repetition": "exact"}
    without = {"name", "seeds", "setup", "end_reason", "majority_stop", "max_plies", "repetition_leftover"}
    without |= set(NOT_RULES) | {"setup_stores", "setup_marks"}
    refused = {
        *(next(iter(changes)) for changes in NEVER),
        *("marked_pits", "mirrored_marks"),  # there are no marks
        *("turns_round", "refill_empty_side"),  # nor relays, nor pits of nobody
        "reserve",  # nothing is sown from the ends
        "reverse_laps",  # nor in two directions
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
    for rules in (KALAH, AWARI.changes(skip_origin=False)):
        with pytest.raises(ValueError, match=f"there are no endgame tables of '{rules.name}'"):
            files.check_rules(rules.changes(**others | changes))


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
            When(side="own", was="empty", facing="occupied").capture("here", "facing").again(),
        )
    },
    "relays": {"landing": (When(store="own").again(), When(was="occupied").relay())},
    "takes_chains": {"landing": (When(side="opponent", count={2, 3}).capture("here", chain={2, 3}),)},
}


@pytest.mark.parametrize("name", KALAH_VARIANTS)
@pytest.mark.parametrize(("pits_per_row", "most"), [(1, 6), (2, 4), (3, 3)])
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
