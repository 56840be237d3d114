"""Endgame tables hold what published values, plain Python and search to the end say.

Histograms: T. R. Lincke's thesis (2002), appendix B. Positions: independent solvers in C (of kalah two, which agree).
See ``agents.tablebase``."""

import json
import os

import numpy as np
import pytest

import mancala_env as mancala
from agents import move_values, perft
from agents.tablebase import DamagedTable, Tablebase, build, files
from agents.tablebase.probe import load
from mancala_env import When
from mancala_env.kernels.jit import DISABLE_JIT
from mancala_env.rules import Barred, Passing, Skipping
from mancala_env.rules.fields import DECLARED, NOT_RULES
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


def check_position(tables, row, value, moves):
    """What a position is worth, and its moves, whoever is to move."""
    turned = [*row[len(row) // 2 :], *row[: len(row) // 2]]
    for state in (tables.rules.position(row), tables.rules.position(turned, stores=(3, 5), player=1)):
        assert (tables.value(state), tables.bounds(state)) == (value, (value, value))
        values = tables.move_values(state)
        assert values == {int(action): worth for action, worth in moves.items()}
        if values:
            assert max(values.values()) == value


@pytest.mark.parametrize("most", [MOST, pytest.param(14, marks=pytest.mark.slow)])
def test_values_occur_as_often_as_published_and_are_what_an_independent_solver_says(most, tmp_path):
    tables = built(AWARI, most, tmp_path)
    for seeds in range(most + 1):
        values, counts = np.unique(tables.layer(seeds), return_counts=True)
        published = {line["value"]: line["positions"] for line in HISTOGRAMS if line["stones"] == seeds}
        if published:
            assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == published
    covered = [sample for sample in POSITIONS if sample["n"] <= most]
    assert covered
    for sample in covered:
        check_position(tables, sample["b"], sample["v"], sample["moves"])


def options(state):
    """What South's moves bring: seeds for who makes it and for the other, the pits that follow as the mover there sees
    them, or None at the end, and whether that is the other player. If South passes, or the game is over, only that.
    South is to move, and there are no stores."""
    half = len(state.pits) // 2
    if state.is_over:
        return [(*map(int, state.scores), None, True)]
    if state.player == 1:
        return [(0, 0, state.pits[half:] + state.pits[:half], True)]
    found = []
    for child in map(state.play, state.legal_actions):
        if child.is_over:
            found.append((*map(int, child.scores), None, True))
        elif child.player == 1:
            found.append((*child.stores, child.pits[half:] + child.pits[:half], True))
        else:  # North has passed
            found.append((*child.stores, child.pits, False))
    return found


def worth(option, forced):
    """What a move is worth for (mover, other)."""
    mine, others, row, turned = option
    mover, other = (0, 0) if row is None else forced[row]
    return (mine + other, others + mover) if turned else (mine + mover, others + other)


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
                mine, others = zip(*(worth(option, forced) for option in each), strict=True)
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
    "any_side": {"end_check": "any_side"},
    "passes": {"stuck": "pass"},
}


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize(("pits_per_row", "most"), [(1, 7), (2, 7), (3, 4)])
def test_bounds_are_those_of_plain_python(name, pits_per_row, most, tmp_path):
    changes = {"majority_stop": False, "repetition": 0, "pits_per_row": pits_per_row} | VARIANTS[name]
    rules = OWARE.changes(**changes | ({"skip_origin": False} if pits_per_row == 1 else {}))
    tables = built(rules, most, tmp_path)
    for row, forced in plainly_forced(rules, most).items():
        state = rules.position(row)
        wanted = forced if state.player == 0 else forced[::-1]
        if state.is_over:
            assert tables.value(state) == wanted[0] - wanted[1]
        else:
            (low, high), seeds = tables.bounds(state), sum(row)
            assert (int(seeds + low) // 2, int(seeds - high) // 2) == wanted, state


@pytest.mark.parametrize("name", ["awari", "oware", "oware_liberta", "oware_tutti_a_casa"])
@pytest.mark.parametrize(("pits_per_row", "most"), [(2, 5), (3, 3)])
def test_search_that_sees_every_repetition_stays_within_the_bounds(name, pits_per_row, most, tmp_path):
    """No line is longer than the search is deep, so it is exact. Of awari the bounds are equal."""
    rules = mancala.ruleset(name, pits_per_row=pits_per_row, majority_stop=False, indeterminacy_max_seeds=0)
    tables = built(rules, most, tmp_path)
    for row in (row for seeds in range(1, most + 1) for row in placements(seeds, rules.board.pits)):
        if (state := rules.position(row)).is_over:
            continue
        assert perft(state, DEPTH) == 0
        values = move_values(state, DEPTH)
        low, high = tables.bounds(state)
        assert low <= max(values.values()) <= high
        assert low == high or name != "awari"
        for action, (least, greatest) in tables.move_bounds(state).items():
            if state.play(action).stores != (0, 0):  # else the history has begun before the position it leads to
                assert least <= values[action] <= greatest


def test_after_a_majority_the_table_goes_on(tmp_path):
    rules = OWARE.changes(indeterminacy_max_seeds=0)
    tables = built(rules, 4, tmp_path)
    state = rules.position([0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 1], (23, 21))  # F takes three: South has 26
    after = state.play(5)
    assert after.termination == "majority"
    low, high = tables.bounds(after)
    assert tables.move_bounds(state)[5] == (3 - high, 3 - low)


def test_what_is_not_covered_is_said(awari):
    famine = AWARI.position([0] * 6 + [1, 0, 0, 1, 0, 0])
    for ask, why in (
        (lambda: awari.value(AWARI.start()), f"48 seeds are on the board, tables are for at most {MOST}"),
        (lambda: awari.value(OWARE.position([1] + [0] * 10 + [1])), "not of the rules of oware"),
        (lambda: awari.layer(40), "for 0 to"),
    ):
        with pytest.raises(ValueError, match=why):
            ask()
    assert not any(rules.start() in awari for rules in (AWARI, OWARE, mancala.ruleset("kalah")))
    assert famine.is_over  # an ended game is worth what it brought
    assert (awari.value(famine), awari.move_values(famine)) == (-2, {})


def test_a_bound_is_no_value(tmp_path):
    rules = OWARE.changes(pits_per_row=2, indeterminacy_max_seeds=0)
    tables = built(rules, 2, tmp_path)
    state = rules.position([1, 0, 1, 0])
    assert tables.bounds(state) == (-2, 2)
    with pytest.raises(ValueError, match=r"lies from -2 to 2 in oware .* ask bounds"):
        tables.value(state)
    with pytest.raises(ValueError, match="ask move_bounds"):
        tables.move_values(state)


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
    assert not tables.probe.fits(near)
    assert not probe.fits(near)
    for far in (0, 1000, 32_000):
        assert tables.probe.fits(rules.changes(max_plies=far))


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
    {"end_few": 3},
    {"surplus": "opponent"},
    {"barred": Barred({0})},
    {"forced": Barred({0}), "feeding": "none", "grand_slam": "capture"},
    {"feeding_least": 2, "feeding": "if_starved"},
    {"skipping": Skipping(counts={3})},
    {"target_seeds": 9},
    {"remember": "played"},
    {"first_lap": "not_in_own_full", "skip_origin": False, "grand_slam": "capture"},
    {"remember": "until_sown", "feeding": "none", "grand_slam": "capture"},
    {"safe_seeds": 9, "goal": "last_mover"},
    {"end_when": "all_single"},
]


def test_every_rule_is_told_apart_or_does_not_matter():
    """A new axis of Ruleset has to go into ``mechanics``, or be one that games with tables do not have."""
    elsewhere = {"board": "pits_per_row", "landing": "captured_counts", "repetition": "exact"}
    without = {"name", "seeds", "setup", "end_reason", "majority_stop", "max_plies", "repetition_leftover"}
    without |= set(NOT_RULES) | {"setup_marks"}
    refused = {
        *(next(iter(changes)) for changes in NEVER),
        "marked_pits",  # there are no marks
        "reserve",  # nothing is sown from the ends
        "store",
        "mark_limit",
        "max_laps",
        "sowing",
        "goal",
        "min_start",
        "explicit_pass",
    }
    refused |= {"match", "target", "max_games", "first_mover", "draw_points", "difference", "unfilled"}
    names = {*DECLARED} - without - refused - {"remainder"}
    assert {elsewhere.get(name, name) for name in names} == set(files.mechanics(OWARE))
    without |= {"repetition"}  # does not matter where no position comes back
    refused -= {"store", "max_laps"}
    refused |= {"skip_origin", "indeterminacy_max_seeds"}
    names = {*DECLARED} - without - refused - {"remainder"}
    assert names - {"board"} | {"pits_per_row", "exact"} == set(files.mechanics(KALAH))


@pytest.mark.parametrize("changes", NEVER, ids=lambda changes: next(iter(changes)))
def test_tables_are_refused_for_rules_that_they_do_not_tell_apart(changes):
    others = {"end_check": "side_to_move", "repetition": 2, "indeterminacy_max_seeds": 0, "feeding": "none"}
    for rules in (KALAH, AWARI.changes(skip_origin=False)):
        with pytest.raises(ValueError, match=f"there are no endgame tables of '{rules.name}'"):
            files.check_rules(rules.changes(**others | changes))


@pytest.mark.parametrize("empty_capture", [False, True])
@pytest.mark.parametrize("most", [MOST, pytest.param(16, marks=pytest.mark.slow)])
def test_kalah_positions_are_worth_what_independent_solvers_say(most, empty_capture, tmp_path):
    """The file's values are of the seeds on the board; its stores only say how the position came about."""
    tables = built(KALAH.changes(empty_capture=empty_capture), most, tmp_path)
    kind = "ec" if empty_capture else "std"
    covered = [sample for sample in KALAH_POSITIONS if sample["seeds"] <= most]
    assert covered
    for sample in covered:
        check_position(tables, sample["b"], sample[kind], sample[f"{kind}_moves"])


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
    tables = built(rules, most, tmp_path)
    for row in (row for seeds in range(1, most + 1) for row in placements(seeds, rules.board.pits)):
        for player in (0, 1):
            if (state := rules.position(row, player=player)).is_over:
                continue
            assert perft(state, DEPTH) == 0
            values = move_values(state, DEPTH)
            assert tables.value(state) == max(values.values())
            assert tables.move_values(state) == values


def test_wide_boards_of_kalah_are_numbered_too(tmp_path):
    rules = KALAH.changes(pits_per_row=9)
    tables = built(rules, 2 if DISABLE_JIT else 3, tmp_path)
    for state in covered_positions(tables, 30):
        assert tables.move_values(state) == move_values(state, DEPTH)
