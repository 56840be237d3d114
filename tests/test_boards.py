"""Boards put together by hand: each mirrors exactly, North's game being South's turned half round, or is refused."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mancala_env as mancala
from mancala_env.rules import encode
from mancala_env.rules.board import BOARDS, Board
from tests.games import check_mirrored, random_game

GAMES = {  # for each kind of board, games that are played on it
    "two_rows": ("oware", "awari", "kalah", "layli_goobalay", "oware_liberta"),
    "arcs": ("oware_territory",),
    "halves": ("diffusion",),
    "blocks_in_rows": ("diffusion",),
    "rows_and_houses": ("o_an_quan",),
    "crossed_rows": ("tap_urdy",),
    "open_rows": ("kapana_bona",),
    "side_blocks": ("kanji_guti",),
    "three_rows_horn": ("selus", "gabata_adowa"),
    "three_rows_snake": ("abalalae",),
    "four_rows": ("hus",),
    "one_row": ("reaping", "sowing", "isowing", "atomic_wari"),
    "solo_row": ("tchuka_ruma",),
    "piles": ("bulgarian_solitaire",),
}


@st.composite
def boards(draw) -> Board:
    """A board of the functions with one field or two replaced: turned, shifted, shuffled, or made up."""
    kind = draw(st.sampled_from(sorted(BOARDS)))
    board = BOARDS[kind](2 * draw(st.integers(1, 4)) + (kind == "side_blocks"))
    pits = board.pits
    for name in draw(st.lists(st.sampled_from(("owner", "facing", "outer", "loops", "homes", "shape")), max_size=2)):
        if name == "shape":
            board = replace(board, kind=draw(st.sampled_from(sorted(BOARDS))), columns=draw(st.integers(0, 13)))
            continue
        both = name in ("loops", "homes")
        lines = list(getattr(board, name)) if both else [getattr(board, name)]
        alike = draw(st.booleans())  # the same change for both players
        ways = [draw(st.sampled_from(("turned", "shifted", "shuffled", "longer", "made up"))) for _ in lines]
        for k, (line, way) in enumerate(zip(lines, ways[:1] * 2 if alike else ways, strict=False)):
            if way == "turned":
                lines[k] = line[::-1]
            elif way == "shifted":
                by = draw(st.integers(0, len(line) - 1))
                lines[k] = line[by:] + line[:by]
            elif way == "shuffled":
                lines[k] = tuple(draw(st.permutations(line)))
            elif way == "longer":
                lines[k] = (*line, line[0])
            else:
                lines[k] = tuple(draw(st.lists(st.integers(-1, pits), min_size=len(line), max_size=len(line))))
        board = replace(board, **{name: tuple(lines) if both else lines[0]})
    return board


def is_mirrored(rules: mancala.Ruleset, seed: int) -> None:
    """Play a random game, and every move also with the seats changed round, if there are two."""
    for state in random_game(rules, seed)[1][:40]:
        if not state.is_over and rules.players == 2:
            check_mirrored(state)


@given(boards(), st.integers(0, 1000), st.data())
def test_any_board_mirrors_exactly_or_is_refused(board, seed, data):
    name = data.draw(st.sampled_from(GAMES[board.kind]))
    changes = {"board": board}
    if mancala.RULESETS[name].setup is not None:
        changes["start"] = [2] * board.pits
    try:
        rules = mancala.ruleset(name, **changes)
    except ValueError:
        return
    is_mirrored(rules, seed)
    assert rules.board == BOARDS[board.kind](board.columns)  # the only ones that kernels can be trusted with


def test_how_soon_a_position_can_come_back_is_asked_of_the_loops():
    board = mancala.two_rows(6)
    pits = board.loops[0]
    for loops, plies in (
        ((pits, pits), 12),
        ((pits[::-1], pits[::-1]), 12),  # all clockwise
        ((pits, pits[3:] + pits[:3]), 12),  # the same way round from another pit
        ((pits, pits[::-1]), 1),
        ((pits[:6], pits[6:]), 1),
    ):
        assert encode.shortest_cycle(encode.RuleBook(name="mine", board=replace(board, loops=loops))) == plies
    assert encode.shortest_cycle(encode.RuleBook(name="mine", landing=(mancala.When().relay(),))) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"owner": (0, 1) * 6},
        {"owner": [0] * 6 + [1] * 6},
        {"facing": tuple(range(12))},
        {"outer": tuple(range(11, -1, -1))},
        {"homes": ((5, 4, 3, 2, 1, 0), (11, 10, 9, 8, 7, 6))},
        {"homes": ((0, 1, 2, 3, 4, 5),)},
        {"homes": None},
        {"rows": 4},
        {"columns": 5},
        {"columns": "6"},
        {"columns": True},
        {"kind": "triangle"},
        {"kind": ["two_rows"]},
        {"loops": ((0, 1, 2), (0, 1, 2))},
    ],
    ids=str,
)
def test_a_field_that_does_not_fit_is_refused_in_a_sentence(change):
    with pytest.raises(ValueError, match=r"ruleset 'oware': (board|pits per row)"):
        mancala.ruleset("oware", board=replace(mancala.two_rows(6), **change))


@pytest.mark.parametrize("board", [None, 6, "two_rows", (0, 1), np.zeros(12)])
def test_what_is_no_board_is_refused(board):
    with pytest.raises(ValueError, match="board must be a Board such as two_rows"):
        mancala.ruleset("oware", board=board)


@pytest.mark.parametrize("kind", BOARDS)
def test_boards_of_the_functions_are_played(kind):
    board = BOARDS[kind](5 if kind == "side_blocks" else 4)
    for name in GAMES[kind]:
        seeds = 1 if kind == "piles" else 2
        start = {"start": [seeds] * board.pits} if mancala.RULESETS[name].setup is not None else {}
        if mancala.RULESETS[name].setup_marks:
            start["setup_marks"] = [-1] * board.columns + [0] + [-1] * board.columns + [1]
        is_mirrored(mancala.ruleset(name, board=board, **start), 0)
