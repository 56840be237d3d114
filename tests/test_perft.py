"""Counts of move sequences agree with the published ones (OpenSpiel, Aalina and independent programs)."""

import json
from pathlib import Path

import pytest

from agents.search import perft
from mancala_env import ruleset

OWARE = ruleset("oware", grand_slam="no_capture", indeterminacy_max_seeds=0)  # the rules most programs play by
KALAH = ruleset("kalah")
EMPTY_CAPTURE = ruleset("kalah", empty_capture=True)

COUNTS = {  # sequences of 1, 2, ... moves from the start
    "oware": (
        OWARE,
        [6, 36, 190, 1_014, 5_219, 27_332, 139_157, 711_414, 3_592_872, 18_137_964, 91_558_687, 460_005_710],
    ),
    "kalah": (KALAH, [6, 35, 185, 942, 4_690, 23_233, 114_430, 563_055, 2_763_490, 13_519_607, 65_870_758]),
    "empty_capture": (
        EMPTY_CAPTURE,
        [6, 35, 185, 942, 4_685, 23_169, 113_959, 559_885, 2_743_126, 13_394_138, 65_110_546],
    ),
}
NORMAL_DEPTH = 10
FILE = Path(__file__).parent / "data" / "perft_positions.jsonl"
LINES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def count(state, depth):
    """Sequences of exactly this number of moves; a line that ends earlier does not count."""
    if depth == 0:
        return 1
    return sum(count(state.play(action), depth - 1) for action in state.legal_actions)


def count_turns(state, depth):
    """The same with moves that earn another one counted as part of the same turn."""
    if depth == 0:
        return 1
    lines = 0
    for action in state.legal_actions:
        after = state.play(action)
        lines += count_turns(after, depth if after.player == state.player and not after.is_over else depth - 1)
    return lines


@pytest.mark.parametrize("game", COUNTS)
def test_states_count_the_published_number_of_lines(game):
    rules, published = COUNTS[game]
    assert [count(rules.start(), depth) for depth in range(1, 6)] == published[:5]


@pytest.mark.parametrize(
    ("game", "depth"),
    [
        pytest.param(game, depth, marks=pytest.mark.slow) if depth > NORMAL_DEPTH else (game, depth)
        for game, (_, published) in COUNTS.items()
        for depth in range(1, len(published) + 1)
    ],
)
def test_the_search_counts_the_published_number_of_lines(game, depth):
    rules, published = COUNTS[game]
    assert perft(rules.start(), depth) == published[depth - 1]


def test_the_opening_of_awari_has_no_starving_moves_yet():
    assert [perft(ruleset("awari").start(), depth) for depth in range(1, 9)] == COUNTS["oware"][1][:8]


@pytest.mark.parametrize("rules", [KALAH, EMPTY_CAPTURE], ids=["kalah", "empty_capture"])
def test_chains_of_extra_turns_count_as_the_known_number_of_turns(rules):
    assert [count_turns(rules.start(), depth) for depth in range(1, 5)] == [10, 116, 1_022, 9_682]


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_positions_late_in_the_game_have_the_published_number_of_lines(line):
    rules = {"oware": OWARE, "mancala": KALAH}[line["game"]]
    state = rules.start()
    for hole in line["prefix"]:
        pit = hole
        if line["game"] == "mancala":  # OpenSpiel's holes: 0 North's store, 1..6, 7 South's store, 8..13
            pit -= 1 if hole < 7 else 2
        state = state.play(rules.action(state.player, pit))
    assert (state.pits, state.stores, state.player) == (tuple(line["b"]), tuple(line["s"]), line["t"])
    assert [count(state, depth) for depth in (1, 2, 3)] == line["perft"][:3]
    assert [perft(state, depth) for depth in range(1, 7)] == line["perft"]


def test_a_game_that_is_over_has_no_lines():
    over = OWARE.position([1, 2, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0], (20, 21))
    assert [count(over, depth) for depth in (0, 1, 2)] == [perft(over, depth) for depth in (0, 1, 2)] == [1, 0, 0]


def test_the_history_of_a_position_shortens_its_lines():
    cycle = (5, 11, 0, 6, 1, 7, 2, 8, 3, 10, 4)
    start = OWARE.position([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1], (22, 23))
    state = start
    for pit in cycle:
        state = state.play(OWARE.action(state.player, pit))
    without = OWARE.position(state.pits, state.stores, state.player)
    assert perft(without, 2) == count(without, 2) > perft(state, 2) == count(state, 2)
