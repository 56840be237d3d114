"""Search and agents that use endgame tables."""

import dataclasses
import re

import numba
import numpy as np
import pytest

import mancala_env as mancala
from agents import MinimaxAgent, make_agent
from agents.evaluation import evaluate
from agents.search import Searcher
from agents.search.stack import ALL_FEATURES, GAINS
from agents.tablebase import Tablebase, build, files
from agents.tablebase.probe import NO_TABLE, load
from mancala_env.kernels.jit import DISABLE_JIT
from tests.tablebases import (
    AWARI,
    DEPTH,
    KALAH,
    LITTLE,
    MOST,
    OWARE,
    PROBE,
    built,
    covered_positions,
    lead,
    negamax_of_moves,
    placements,
)

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def awari(tmp_path_factory):
    return built(AWARI, MOST, tmp_path_factory.mktemp("awari"))


@pytest.fixture(scope="module")
def bounds(tmp_path_factory):
    rules = OWARE.changes(pits_per_row=3, indeterminacy_max_seeds=0, majority_stop=False)
    return built(rules, 6, tmp_path_factory.mktemp("bounds"))


@pytest.fixture(scope="module")
def kalah(tmp_path_factory):
    return built(KALAH, MOST, tmp_path_factory.mktemp("kalah"))


@pytest.mark.parametrize("game", ["awari", "kalah", "bounds"])
def test_a_probe_says_what_the_table_says(game, request):
    tables = request.getfixturevalue(game)
    pits, open_ones = tables.rules.board.pits, 0
    for most in (tables.seeds, 3):
        loaded = load(tables.folder, tables.rules, most)
        assert (loaded.most, len(loaded.values)) == (most, files.first_number(pits, most + 1))
        for name in ("values", "most"):
            assert numba.typeof(getattr(loaded, name)) == numba.typeof(getattr(NO_TABLE, name))
        for state in covered_positions(tables, 200):
            if (seeds := sum(state.pits)) <= most:
                found = PROBE(state.array, seeds, state.player, loaded.values, tables.rules.encoded.axes)
                assert found == tables.bounds(state)
                open_ones += found[0] < found[1]
    assert (open_ones > 20) == (game == "bounds")


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
            wanted = negamax_of_moves(state, depth, loaded, lead)
            assert searcher.search(state, depth, every=True).values == wanted, (state, depth)
            best = searcher.search(state, depth)
            assert best.value == max(wanted.values()), (state, depth)
            without = plain.search(state, depth)
            fewer += best.nodes < without.nodes
            other += best.value != without.value
    assert (fewer and other) or DISABLE_JIT


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
    for other in (KALAH.changes(pits_per_row=4), KALAH.changes(empty_capture=True), AWARI):
        with pytest.raises(ValueError, match="not of the rules"):
            Searcher(other, tables=loaded)


@pytest.mark.parametrize("memory", [0, 1])
@pytest.mark.parametrize("pits_per_row", [2] if DISABLE_JIT else [2, 3, 6])
def test_search_that_ends_in_tables_finds_what_larger_tables_say(pits_per_row, memory, tmp_path):
    """Also where positions come back: what was played before a position that the smaller tables cover is forgotten. A
    move that is not best can be worth more than the tables say, as its position has a history."""
    rules = AWARI.changes(pits_per_row=pits_per_row)
    tables = built(rules, MOST, tmp_path)
    searcher = Searcher(rules, memory=memory, tables=load(tmp_path, rules, MOST - 2))
    settled, deep = 0, 0
    for state in covered_positions(tables, 30 if DISABLE_JIT else 400):
        if sum(state.pits) > MOST - 2:
            found = searcher.search(state, 40, nodes=20_000)
            if found.exact:
                assert found.value == tables.value(state), state
                values = tables.move_values(state)
                best = {action for action, value in values.items() if value == max(values.values())}
                assert best <= set(found.actions), state
                settled += 1
                deep += found.depth > 8
    assert settled > 3
    assert deep or DISABLE_JIT


def test_what_cannot_be_probed_is_said(awari, tmp_path):
    little = mancala.ruleset("awari", pits_per_row=3)
    told = re.escape(f"mancala solve tables build awari:pits_per_row=3 --seeds-on-board 15 --out {tmp_path}")
    with pytest.raises(ValueError, match=f"has no endgame tables of these rules .*{told}$"):
        load(tmp_path, little, 15)
    with pytest.raises(ValueError, match=f"for 0 to {MOST} seeds, not 20; build more with .* --seeds-on-board 20 "):
        load(awari.folder, AWARI, 20)
    with pytest.raises(ValueError, match="not -2"):
        load(awari.folder, AWARI, -2)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MANCALA_ENV_CACHE", str(tmp_path))
    return tmp_path / "tables"


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
    assert "has none: make them with mancala solve tables get awari --seeds-on-board 6" in wanted.refusal(AWARI)
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
