"""``State.predecessors``: the inverse of ``play``."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations, pairwise, product
from math import comb

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import mancala_env as mancala
from mancala_env import Ruleset, State, When
from mancala_env.kernels import layout
from mancala_env.retrograde import not_taken_back
from tests.games import CORE, all_seeds, random_game, resized
from tests.strategies import like


def board(state: State) -> bytes:
    """What predecessors are about: everything in a row but plies, and why it is over."""
    n, row = state.rules.board.pits, state.array
    row[[n + layout.PLY, n + layout.PLIES_SINCE_CAPTURE, n + layout.OVER]] = 0
    return row.tobytes()


def steps_between(states: list[State], actions: list[int]) -> list[tuple[State, int, State]]:
    """(position, action, next position) of a game; in a match, but for the actions that end a game of it."""
    steps = zip(states, actions, states[1:], strict=False)
    return [step for step in steps if len(step[0].games) == len(step[2].games)]


@pytest.mark.parametrize("game", CORE)
def test_the_position_a_move_was_played_in_is_among_the_predecessors(game):
    for seed in range(2):
        actions, states = random_game(mancala.RULESETS[game], seed)
        for before, action, after in steps_between(states, actions)[-150:]:
            assert (before, action) in after.predecessors(), f"{after}: {before}, {action}"


@pytest.mark.parametrize("game", CORE)
def test_every_predecessor_leads_to_the_position(game):
    actions, states = random_game(mancala.RULESETS[game], 3)
    for _, _, state in steps_between(states, actions)[3:40:9]:
        found = state.predecessors()
        assert found
        assert len({(board(before), action) for before, action in found}) == len(found)
        for before, action in found:
            assert not before.is_over
            assert before.ply == state.ply - 1
            assert all_seeds(before) == all_seeds(state)
            assert board(before.play(action)) == board(state)


def compositions(seeds: int, cells: int) -> Iterator[list[int]]:
    """All ways to lay seeds in cells."""
    for bars in combinations(range(seeds + cells - 1), cells - 1):
        edges = [-1, *bars, seeds + cells - 1]
        yield [right - left - 1 for left, right in pairwise(edges)]


def all_positions(rules: Ruleset, seeds: int, **more: object) -> Iterator[State]:
    """All running positions with a number of seeds, spread in every way over pits, stores and off the board."""
    n = rules.board.pits
    cells = n + 2 * rules.has_stores + ("removed" in rules.fields)
    markings: list[dict] = [{}]
    if rules.has_marks:
        free = n // 2 if rules.marks_pairs else n
        each = [[*marks, *marks[::-1]][:n] for marks in product((-1, 0, 1), repeat=free)]
        most = rules.mark_limit or n
        markings = [
            {"marks": marks} for marks in each
            if max(marks.count(0), marks.count(1)) <= most
        ]  # fmt: skip
    for counts in compositions(seeds, cells):
        if rules.pit_limit and max(counts[:n]) > rules.pit_limit:
            continue
        rest = {"removed": counts[-1]} if "removed" in rules.fields else {}
        stores = counts[n : n + 2] if rules.has_stores else (0, 0)
        for player, marks in product((0, 1), markings):
            state = rules.position(counts[:n], stores, player, **rest, **marks, **more)
            if not state.is_over and state.player == player and state.game == more.get("game", 1):
                yield state


def assert_complete(rules: Ruleset, seeds: int, **more: object) -> None:
    """The predecessors of all positions with a number of seeds are those found by playing every move."""
    positions = {board(state): state for state in all_positions(rules, seeds, **more)}
    known: dict[bytes, set] = defaultdict(set)
    for before in list(positions.values()):
        for action in before.legal_actions:
            after = before.play(action)
            if len(after.games) == len(before.games):
                known[board(after)].add((board(before), action))
                positions.setdefault(board(after), after)
    for key, state in positions.items():
        found = [(board(before), action) for before, action in state.predecessors()]
        assert len(set(found)) == len(found)
        assert set(found) == known[key], f"{state}"


@pytest.mark.parametrize("game", CORE)
def test_no_predecessor_is_missing_on_a_small_board(game):
    rules = resized(mancala.RULESETS[game], {"reaping": 5}.get(game, 2))
    for seeds in (3, 5):
        assert_complete(rules, seeds, **({"first": 0} if "match" in rules.fields else {}))


KNOWN = tuple(name for name, rules in mancala.RULESETS.items() if not not_taken_back(rules))  # they are taken back
ABROAD = (When(side="opponent", count={2, 3}).capture("here", chain={2, 3}),)
VARIANTS = {
    "slam takes nothing": ("oware", {"grand_slam": "no_capture"}),
    "slam ends the game": ("oware", {"grand_slam": "rest_to_opponent", "feeding": "none"}),
    "slam spares the last pit": ("oware", {"grand_slam": "spare_last"}),
    "chains over any pit": ("oware", {
        "landing": (When(count={2, 3}).capture("here", "facing", chain={2, 3, 4}, chain_side="any"),),
        "indeterminacy_max_seeds": 0,
        "grand_slam": "capture"}),
    "passing": ("oware_liberta", {"explicit_pass": True}),
    "the origin is sown": ("oware", {"skip_origin": False}),
    "relay that skips its origin": ("oware", {
        "landing": (When(side="own", was="occupied").relay(), *ABROAD), "max_laps": 3}),
    "capture, then relay": ("oware", {
        "landing": (When(was="occupied", facing={1, 2, 3}).capture("facing").relay(),),
        "indeterminacy_max_seeds": 0, "grand_slam": "no_capture", "max_laps": 50}),
    "relay after a slam": ("oware", {
        "landing": (When(was="occupied", side="own", facing="occupied").capture("facing").relay(),),
        "indeterminacy_max_seeds": 0, "grand_slam": "rest_to_opponent", "feeding": "none"}),
    "kalah with relays": ("kalah", {"landing": (When(store="own").again(), When(was="occupied").relay())}),
    "one lap": ("layli_goobalay", {"max_laps": 1}),
    "both pits must hold seeds": ("hus", {"capture_requires_both": True, "min_start": 1, "max_laps": 40}),
    "single pits are marked": ("layli_goobalay", {
        "landing": (When(side="own", was="empty").mark("here"), When(was="occupied").relay()),
        "mark_limit": 2, "max_laps": 5}),
    "captured, then marked": ("layli_goobalay", {
        "landing": (When(marked="opponent").again(), When(side="opponent", count={2, 3}).capture("here").mark("here"),
                    When(marked=False, facing="occupied").capture("facing").mark("facing")),
        "mark_limit": 1}),
    "the facing pit is sown on": ("hus", {
        "landing": (When(was="occupied", facing="occupied").sow_on("facing"), When(was="occupied").relay())}),
    "sown on round one loop": ("layli_goobalay", {
        "landing": (When(was="occupied", facing="occupied").sow_on("facing"),), "max_laps": 4}),
    "blocks in rows": ("diffusion", {"blocks": "rows"}),
    "single seeds are reaped": ("reaping", {"min_start": 1, "max_plies": 50}),
}  # fmt: skip


@pytest.mark.integration
@pytest.mark.parametrize("name", VARIANTS)
def test_no_predecessor_is_missing_whatever_the_rules(name):
    game, changes = VARIANTS[name]
    for columns in (1, 2, 3):
        kind = mancala.RULESETS[game].board.kind
        if kind == "one_row":
            rules = mancala.ruleset(game, start=[2] * (columns + 3), **changes)
        elif (columns == 1 and (kind == "halves" or changes.get("skip_origin", game.startswith("oware")))) or (
            columns == 3 and kind in ("halves", "four_rows")
        ):
            continue
        else:
            start = {"start": [2] * mancala.RULESETS[game].board.resized(columns).pits} if kind != "two_rows" else {}
            rules = mancala.ruleset(game, pits_per_row=columns, **start, **changes)
        if rules.marks_pairs or columns < 3:  # single marks can lie in too many ways
            assert_complete(rules, 4 if columns == 3 or (rules.has_marks and not rules.marks_pairs) else 5)


@pytest.mark.parametrize("owned", ["SSSN", "NSNN", "SSNN"])
def test_no_predecessor_is_missing_where_pits_change_hands(owned):
    rules = mancala.ruleset("oware_territory", pits_per_row=2)
    owner = ["SN".index(player) for player in owned]
    assert_complete(rules, 6, owner=owner, game=2, first=1)


def test_no_predecessor_is_missing_in_a_match_where_nobody_can_move_on_some_boards():
    rules = mancala.ruleset("reaping", start=[2, 0, 2, 2], match="wins", target=3, max_games=3)
    assert_complete(rules, 4, first=0)


def test_long_laps_are_taken_back():
    for game in ("oware", "kalah"):
        rules = mancala.ruleset(game, pits_per_row=2, seeds=12)
        for pit in range(4):
            for seeds in range(1, 42):
                pits = [1, 1, 1, 1]
                pits[pit] = seeds
                before = rules.position(pits, player=pit // 2)
                if pit % 2 in before.legal_actions:
                    assert (before, pit % 2) in before.play(pit % 2).predecessors()


@given(st.sampled_from(CORE), st.integers(2, 9), st.integers(0, 1000), st.data())
def test_moves_are_taken_back_on_boards_of_any_size(game, columns, seed, data):
    rules = resized(mancala.RULESETS[game], min(columns, 4) if game == "hus" else columns)  # there can be too many
    actions, states = random_game(rules, seed)
    if steps := steps_between(states, actions):
        before, action, after = data.draw(st.sampled_from(steps[-200:]))
        assert (before, action) in after.predecessors()


def are_known(rules: Ruleset) -> bool:
    """Are the predecessors of positions known under these rules?"""
    if not_taken_back(rules):  # a start that is over has none to be refused
        return False
    try:
        rules.start().predecessors()
    except ValueError:
        return False
    return True


@st.composite
def small(draw):
    """Rules drawn from those of games whose predecessors are known, on a board of a few pits."""
    rules = draw(like(*KNOWN))
    more = {"start": [2] * min(5, rules.board.pits)} if rules.board.kind == "one_row" else {"pits_per_row": 2}
    if rules.setup is not None and "start" not in more:
        more["start"] = [2] * rules.board.resized(2).pits
    more |= {"setup_marks": ()}  # those of the larger board
    with suppress(ValueError):  # what it says is about more pits, or more seeds
        rules = rules.changes(indeterminacy_max_seeds=min(rules.indeterminacy_max_seeds, 3), target=0, **more)
    assume(rules.board.pits <= 8 and are_known(rules))
    return rules


@given(small(), st.integers(3, 5))
def test_no_predecessor_is_missing_under_rules_nobody_has_ever_played_by(rules, seeds):
    pits = rules.board.pits
    markings = 3 ** (pits // 2 if rules.marks_pairs else pits) if rules.has_marks else 1
    assume(markings * comb(seeds + pits + 1, seeds) < 20_000)  # positions, all of which are tried
    more = {"first": 0} if rules.match != "none" else {}
    assert_complete(rules, min(seeds, rules.total_seeds), **more)


def test_a_relay_from_a_very_full_pit_is_taken_back():
    rules = mancala.ruleset("layli_goobalay", pits_per_row=3, seeds=12)
    before = rules.position([1, 64, 1, 1, 1, 1])
    assert (before, 0) in before.play(0).predecessors()


def test_the_start_of_a_game_has_no_predecessor_in_oware():
    assert mancala.ruleset("oware").start().predecessors() == ()


def test_a_capture_is_taken_back_by_hand():
    state = mancala.ruleset("kalah").position([0, 0, 1, 0, 0, 0, 0, 0, 5, 0, 0, 0], (4, 0), player=1)
    told = {(before.pits, before.stores, before.player, action) for before, action in state.predecessors()}
    assert ((1, 0, 1, 0, 0, 0, 0, 0, 5, 0, 2, 0), (1, 0), 0, 0) in told  # A to B, with two seeds from k
    assert ((0, 1, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0), (4, 0), 0, 1) in told


def test_a_finished_match_is_not_taken_back():
    rules = mancala.ruleset("oware_series_wins", max_games=1)
    _, states = random_game(rules, 5)
    assert states[-1].is_over
    assert states[-1].predecessors() == ()
    assert states[-2].predecessors()


def test_predecessors_change_nothing_and_come_in_order():
    _, states = random_game(mancala.ruleset("oware"), 8)
    state, row = states[20], states[20].array
    found = state.predecessors()
    assert np.array_equal(state.array, row)
    assert list(found) == sorted(found, key=lambda one: ([*one.state.pits, *one.state.stores], one.state.player))
    assert found == state.predecessors()
    assert found[0].state.history.size == 1


def test_a_few_predecessors_are_found_without_the_rest():
    _, states = random_game(mancala.ruleset("hus"), 100)
    state = next(state for state in states[5:] if len(state.predecessors(6)) == 6)
    few = state.predecessors(limit=5)
    assert len(few) == 5
    assert all(board(before.play(action)) == board(state) for before, action in few)
    assert state.predecessors(limit=0) == ()
