"""The searcher: limits, principal variation, features, tables, solving; against plain recursion and known values."""

import copy
import itertools
import json
import pickle
import sys
import threading
from dataclasses import replace
from pathlib import Path
from unittest.mock import ANY

import numpy as np
import pytest

import mancala_env as mancala
from agents import MinimaxAgent, make_agent
from agents.search import Searcher, kernel, move_values, stack, transposition
from agents.search import searcher as searching
from agents.search.proof import prove
from agents.search.solve import NotSolved, Solver, main
from mancala_env.kernels.jit import DISABLE_JIT
from tests.games import CORE, random_game, resized
from tests.kernels import from_python
from tests.processes import wait_until
from tests.test_agents import value_after

DATA = Path(__file__).parent / "data"


def middle(game: str, seed: int = 0) -> mancala.State:
    """A position from the middle of a random game."""
    states = random_game(mancala.ruleset(game), seed)[1]
    return states[len(states) // 2]


def played(state: mancala.State, line: tuple[int, ...]) -> mancala.State:
    for action in line:
        assert action in state.legal_actions
        state = state.play(action)
    return state


@pytest.mark.parametrize("game", CORE)
def test_values_do_not_depend_on_features_or_memory(game):
    rules = mancala.ruleset(game)
    without = Searcher(rules, memory=0, features=0)
    some = Searcher(rules, memory=1, features=stack.TABLE | stack.GAINS | stack.SCOUTS)
    tiny = Searcher(rules, memory=1)
    tiny._max_entries = 64  # entries: everything is overwritten all the time
    full = Searcher(rules, memory=4)
    for seed in range(3):
        states = [state for state in random_game(rules, seed)[1] if not state.is_over]
        for state in states[:: max(1, len(states) // 5)]:
            depth = 4 if len(state.legal_actions) > 8 else 5
            plain = without.search(state, depth, every=True)
            for searcher in (full, tiny, some):
                assert searcher.search(state, depth, every=True).values == plain.values
                best = searcher.search(state, depth)
                assert (best.value, best.actions) == (plain.value, plain.actions)
                assert searcher.search(state, depth, ties=False).actions[0] in plain.actions


@pytest.mark.parametrize("game", CORE)
def test_the_principal_variation_is_legal_and_leads_to_the_value(game):
    rules = mancala.ruleset(game)
    searcher = Searcher(rules, memory=0)  # a table may cut the line short
    for seed in range(3):
        state = middle(game, seed)
        found = searcher.search(state, 4, ties=False)
        assert found.line[0] == found.actions[0]
        assert 1 <= len(found.line) <= 4
        end = played(state, found.line)
        if rules.goal is mancala.rules.Goal.SEEDS and rules.match is mancala.rules.Match.NONE:
            sign = 1 if state.player == 0 else -1
            assert sign * (end.scores[0] - end.scores[1]) == found.value
        with_table = Searcher(rules, memory=1).search(state, 4, ties=False)
        played(state, with_table.line)


def test_limits_of_nodes_are_kept_and_repeat_exactly():
    state = middle("oware", 1)
    searcher = Searcher(state.rules)
    found = searcher.search(state, nodes=30_000)
    assert Searcher(state.rules).search(state, nodes=30_000) == replace(found, seconds=ANY)
    assert 30_000 <= found.nodes < 30_000 + 100
    assert searcher.search(state, nodes=300_000).depth > found.depth
    searcher.forget()
    assert searcher.search(state, nodes=30_000) == replace(found, seconds=ANY)


def test_limits_of_time_are_kept(monkeypatch):
    state = mancala.ruleset("hus").start()
    looks = itertools.count()  # a tenth of a second passes with each look at the clock
    watch = type("Stopwatch", (), {"seconds": property(lambda self: 0.1 * next(looks))})
    monkeypatch.setattr(searching, "Stopwatch", watch)
    found = Searcher(state.rules).search(state, seconds=2.0)
    assert 20 <= next(looks) <= 25
    assert found.depth >= 1
    assert found.actions
    assert found.nodes <= 25 * searching.SLICE  # it looks often


def test_a_search_that_was_ended_counts_if_it_found_a_better_move():
    better = 0
    for game, nodes in (("oware", 1000), ("oware", 4000), ("kalah", 300), ("kalah", 1000)):
        for state in (random_game(mancala.ruleset(game), seed)[1][4] for seed in range(20)):
            searcher, told = Searcher(state.rules), []
            found = searcher.search(state, nodes=nodes, progress=told.append)
            if (found.actions, found.value) == (told[-1].actions, told[-1].value):
                continue
            better += 1
            assert found.depth == told[-1].depth
            deeper = Searcher(state.rules).search(state, found.depth + 1, every=True).values
            assert len({deeper[action] for action in found.actions}) == 1
            assert found.value == deeper[found.actions[0]] > min(deeper[action] for action in told[-1].actions)
            assert found.line[0] in found.actions
            assert not found.exact
            assert Searcher(state.rules).search(state, nodes=nodes) == replace(found, seconds=ANY)
    assert better > 0


def test_several_threads_find_what_one_finds():
    for game in ("oware", "kalah", "hus", "awari"):
        for seed in range(2):
            state = middle(game, seed)
            depth = 7 if game == "hus" else 9
            alone = Searcher(state.rules).search(state, depth)
            several = Searcher(state.rules, threads=3)
            for _ in range(2):  # the second time with what is in the table
                found = several.search(state, depth)
                assert (found.value, found.actions, found.values) == (alone.value, alone.actions, alone.values)
            several.forget()
            every = several.search(state, depth, every=True)
            assert every.values == Searcher(state.rules).search(state, depth, every=True).values


def interrupt():
    raise KeyboardInterrupt


def test_partners_work_by_the_table_and_end_with_the_search():
    state = mancala.ruleset("oware").start()
    searcher = Searcher(state.rules, threads=3)
    before = threading.active_count()
    found = searcher.search(state, 11, ties=False)
    wait_until(lambda: threading.active_count() <= before)
    assert len(searcher.helpers) == 2
    assert all(helper.searcher._table is searcher._table for helper in searcher.helpers)
    assert all(helper.made > 0 for helper in searcher.helpers)
    assert found.nodes == searcher.made
    assert searcher.search(state, nodes=30_000).nodes < 30_000 + 300


@pytest.mark.parametrize("threads", [1, 3])
def test_an_interrupted_search_leaves_a_searcher_that_works_and_no_thread(threads):
    state = mancala.ruleset("oware").start()
    searcher, before, calls = Searcher(state.rules, threads=threads), threading.active_count(), []
    with pytest.raises(KeyboardInterrupt):
        searcher.search(state, 30, stop=lambda: calls.append(1) or (len(calls) > 2 and interrupt()))
    wait_until(lambda: threading.active_count() <= before)
    assert searcher.search(state, 8).value == Searcher(state.rules).search(state, 8).value


def test_a_search_can_be_stopped_and_ends_by_itself_where_nothing_is_left_to_see():
    state, told = mancala.ruleset("oware").start(), []
    found = Searcher(state.rules).search(state, stop=lambda: len(told) >= 3, progress=told.append)
    assert [each.depth for each in told] == [1, 2, 3]
    assert (found.depth, found.value) == (3, told[-1].value)
    state = mancala.ruleset("kalah").position(pits=[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1], stores=[20, 25])
    found = Searcher(state.rules).search(state, seconds=60)
    assert found.exact
    assert found.depth < 20
    assert not Searcher(state.rules).search(state.rules.start(), 3).exact


def test_a_name_takes_the_evaluations_that_are_built_in_and_never_imports_one(tmp_path, monkeypatch):
    assert make_agent("minimax:depth=2,evaluation=margin").name == "minimax:depth=2"
    (tmp_path / "imported.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    for text in ("imported:evaluate", "imported.evaluate", "imported", "1"):
        with pytest.raises(ValueError, match="evaluation must be margin"):
            make_agent(f"minimax:depth=2,evaluation={text}")
    assert "imported" not in sys.modules


def test_repetitions_are_seen_with_a_table_in_use():
    rules = mancala.ruleset("oware", indeterminacy_max_seeds=0)
    state = rules.position(pits=[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1], stores=[22, 23])
    for action in (5, 5, 0, 0, 1, 1, 2, 2, 3):
        state = state.play(action)
    searcher = Searcher(rules)
    forgetful = mancala.State.parse(rules, str(state))
    assert forgetful == state
    assert len(forgetful.history) < len(state.history)
    for each in (state, forgetful, state):  # the same board with another past between
        plain = {action: value_after(each, action, 6) for action in each.legal_actions}
        assert searcher.search(each, 6, every=True).values == move_values(each, 6) == plain


OWARE = mancala.ruleset("oware")
FEW_THREADS = "threads must be a whole number from 1 to 256, or 0 for one a core"
NO_EVALUATION = "evaluation must be margin, zoo:NAME or the path of a learned one"
REFUSALS = [
    (lambda: Searcher(OWARE).search(OWARE.start()), "needs a limit"),
    (lambda: Searcher(OWARE).search(OWARE.start(), 0), "from 1 to 64"),
    (lambda: Searcher(OWARE).search(OWARE.start(), 65), "from 1 to 64"),
    (lambda: Searcher(OWARE).search(OWARE.start(), nodes=0), "above 0"),
    (lambda: Searcher(OWARE).search(OWARE.start(), nodes=1.5), "whole number"),
    (lambda: Searcher(OWARE).search(OWARE.start(), seconds=-1), "above 0"),
    (lambda: Searcher(OWARE).search(random_game(OWARE, 0)[1][-1], 1), "game is over"),
    (lambda: Searcher(OWARE).search(mancala.ruleset("kalah").start(), 1), "searches 'oware'"),
    (lambda: prove(Searcher(OWARE), OWARE.start()), "positions can come back"),
    (lambda: Searcher(OWARE, memory=-1), "megabytes"),
    (lambda: make_agent("minimax:depth=8,memory=0,threads=2"), "2 threads work by the table that they share: give mem"),
    *((lambda more=more: Searcher(OWARE, threads=more), FEW_THREADS) for more in (-1, 257, 1.5, True, "2", None)),
    *((lambda more=more: MinimaxAgent(4, threads=more), FEW_THREADS) for more in (-1, 257, 1.5, True, "2", None)),
    *(
        (lambda more=more: MinimaxAgent(1, evaluation=more), NO_EVALUATION)
        for more in ("os:getcwd", "agents.search:perft", "", "Margin", 5)
    ),
    *(
        (lambda more=more: make_agent(f"minimax:{more}"), "must be")
        for more in ("nodes=0", "nodes=1.5", "time=-1", "memory=x", "depth=0")
    ),
]


@pytest.mark.parametrize(("ask", "why"), REFUSALS)
def test_what_is_impossible_is_refused(ask, why):
    with pytest.raises(ValueError, match=why):
        ask()


# Margins of Kalah's start positions: Irving, Donkers and Uiterwijk (ICGA Journal 23(3), 2000) for empty captures;
# (pits, seeds): (with empty captures, without).
MARGINS = {
    (1, 1): (2 * 0, 0), (1, 2): (-2, -2), (1, 3): (6, 6), (1, 4): (-2, -2), (1, 5): (2, 2), (1, 6): (0, 0),
    (2, 1): (2, 2), (2, 2): (-2, -2), (2, 3): (-2, -2), (2, 4): (-12, -10), (2, 5): (6, 6), (2, 6): (8, 8),
    (3, 1): (0, 0), (3, 2): (4, 4), (3, 3): (2, 2), (3, 4): (2, 2), (3, 5): (6, 6), (3, 6): (-10, -8),
    (4, 1): (2, 2), (4, 2): (6, 6), (4, 3): (8, 6), (4, 4): (2, 2),
    (5, 1): (0, 0), (5, 2): (0, 2),
    (6, 1): (2, 2), (6, 2): (10, 6),
}  # fmt: skip
LARGE_MARGINS = {(4, 5): (2, 4), (4, 6): (0, 0), (5, 3): (8, 6), (6, 3): (2, 2)}


def kalah(pits: int, seeds: int, empty: bool) -> mancala.Ruleset:
    rules = mancala.ruleset("kalah", pits_per_row=pits, seeds=seeds)
    return rules.changes(empty_capture=empty)


@pytest.mark.parametrize("empty", [True, False])
@pytest.mark.parametrize(
    ("margins", "memory", "threads"),
    [(MARGINS, 16, 1), (MARGINS, 16, 2), pytest.param(LARGE_MARGINS, 512, 1, marks=pytest.mark.slow)],
)
def test_kalahs_have_their_published_margins(margins, memory, threads, empty):
    for (pits, seeds), expected in margins.items():
        rules = kalah(pits, seeds, empty)
        solver = Solver(rules, memory, threads=threads)
        assert solver.value(rules.start()) == expected[not empty], (pits, seeds)


@pytest.mark.slow
def test_kalah_six_four_is_solved_pit_by_pit():
    solver = Solver(kalah(6, 4, True), memory=1024, threads=2)
    assert list(solver.solution(solver.rules.start()).values.values()) == [-14, -8, 10, -2, -6, 4]


@pytest.mark.parametrize("threads", [1, 2])
def test_plies_that_are_counted_are_seen_by_the_solver(threads):
    rules = mancala.ruleset("kalah", pits_per_row=3, seeds=3, max_plies=11)
    state = mancala.State.parse(rules, "kalah 4-4-0-4-0-4-1-1-S ply=2")
    with pytest.raises(ValueError, match="plies are counted"):
        prove(Searcher(rules), state)
    plain = {action: value_after(state, action, 12) for action in state.legal_actions}
    assert Solver(rules, memory=1, threads=threads).move_values(state) == plain


def test_what_is_not_about_seeds_is_solved_too():
    checked = 0
    for game, columns in (("diffusion", 2), ("hus", 2), ("reaping", 4)):
        rules = resized(mancala.ruleset(game), columns)
        for seed in range(4):
            states = random_game(rules, seed)[1]
            state = states[max(0, len(states) - 4)]
            if state.is_over:  # as it began
                continue
            try:
                solution = Solver(rules, memory=1, nodes=100_000).solution(state)
            except NotSolved:
                continue
            assert solution.value == max(solution.values.values())
            assert solution.best == tuple(k for k, value in solution.values.items() if value == solution.value)
            for action, value in solution.values.items():
                plies = 10_000 - abs(value)
                if plies < 5:
                    assert value_after(state, action, 5) == value
                    checked += 1
    assert checked > 4
    with pytest.raises(ValueError, match="match of many games"):
        Solver("oware_series_wins")


def test_a_helper_must_be_a_partner_and_can_be_stopped():
    rules = mancala.ruleset("kalah")
    searcher = Searcher(rules, memory=8)
    for helper in (searcher, Searcher(rules, memory=8)):
        with pytest.raises(ValueError, match="partner"):
            prove(searcher, rules.start(), helper=helper)
    helper = searcher.partner()
    assert prove(searcher, rules.start(), helper=helper, nodes=200_000) is None
    assert searcher.made + helper.made <= 200_100  # the children of one position more, in each thread
    with pytest.raises(KeyboardInterrupt):
        prove(searcher, rules.start(), helper=helper, stop=interrupt)
    small = rules.position(pits=[0, 0, 1, 0, 2, 1, 0, 1, 0, 0, 2, 1], stores=[20, 19])
    assert prove(searcher, small, helper=helper).value == Solver(rules, memory=1).value(small)


def test_a_copy_of_a_searcher_needs_no_other_kernel():
    rules = mancala.ruleset("kalah")
    searcher = Searcher(rules)
    found = searcher.search(rules.start(), 8)
    known = len(kernel.search.signatures) if not DISABLE_JIT else 0
    for copied in (copy.deepcopy(searcher), pickle.loads(pickle.dumps(searcher))):
        assert copied.search(rules.start(), 8).value == found.value
        assert DISABLE_JIT or len(kernel.search.signatures) == known


def test_an_entry_torn_between_two_threads_belongs_to_no_position():
    names, table = np.zeros(8, dtype=np.uint64), np.zeros(8, dtype=np.int64)
    key, data = np.uint64(0x123456789ABCDEF4), 5 << 32 | 255 << 11 | transposition.EXACT
    store, find = from_python(transposition.store), from_python(transposition.find)
    store(names, table, key, data)
    assert find(names, table, key) == data
    table[np.flatnonzero(table)] += 1 << 32  # another thread's half
    assert find(names, table, key) == 0


@pytest.mark.parametrize(
    ("every", "seeds", "threads", "memory"),
    [(1, 16, 1, 64), (1, 16, 2, 1), pytest.param(7, 60, 1, 64, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize(("key", "empty"), [("std", False), ("ec", True)])
def test_middle_positions_of_kalah_have_their_published_values(key, empty, every, seeds, threads, memory):
    lines = [json.loads(line) for line in (DATA / "kalah_positions.jsonl").read_text().splitlines()[::every]]
    solver = Solver(kalah(6, 6, empty), memory, threads=threads)  # up to 60 seeds are in play
    covered = [line for line in lines if line["seeds"] <= seeds]
    assert len(covered) > 80 or every > 1
    for line in covered:
        state = solver.rules.position(pits=line["b"], stores=line["s"])
        ahead = line["s"][0] - line["s"][1]  # the file gives the margin of the seeds on the board
        assert solver.value(state) - ahead == line[key], line
        values = {str(action): value - ahead for action, value in solver.move_values(state).items()}
        assert values == line[f"{key}_moves"], line


def test_boards_with_repetition_are_solved_by_deeper_and_deeper_search():
    rules = mancala.ruleset("oware", pits_per_row=2, seeds=1)
    value = Solver(rules).value(rules.start())
    assert value == max(value_after(rules.start(), action, 14) for action in rules.start().legal_actions)
    for solver, why in (
        (Solver("oware", nodes=10_000), "without reaching"),
        (Solver("kalah", memory=16, nodes=10_000), "not solved within"),
        (Solver("kalah", memory=16, nodes=200_000, threads=2), "not solved within"),
    ):
        with pytest.raises(NotSolved, match=why):
            solver.value(solver.rules.start())
    with pytest.raises(ValueError, match="threads must be 1 or more"):
        Solver("kalah", threads=0)


def test_the_command_prints_value_moves_and_effort(capsys):
    main(["kalah:pits_per_row=3,seeds=2", "--memory", "4"])
    output = capsys.readouterr()
    assert "value       +4" in output.out
    assert "M nodes/s" in output.out
    assert "A: " in output.err
    main(["kalah:pits_per_row=4,seeds=3,empty_capture=true", "--memory", "4", "--json"])
    output = capsys.readouterr()
    assert (json.loads(output.out)["value"], output.err) == (8, "")
