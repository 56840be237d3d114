"""Marks that collect, closed and jumped pits, boards of three rows, houses, and empty rows that are filled again."""

import numpy as np
import pytest

import mancala_env as mancala
from mancala_env import Ruleset, Skipping, State, When, rows_and_houses, three_rows_snake, two_rows
from mancala_env.ending import swept
from mancala_env.observation import make_encoder

TOGUZ, DEKA, QUAN = (mancala.ruleset(name) for name in ("toguz", "deka", "o_an_quan"))


def marks(rules, **pits):
    """The marks of a position: of South on pit 11, say, ``p11=0``."""
    return [pits.get(f"p{pit}", -1) for pit in range(rules.board.pits)]


def row(rules, **pits):
    return [pits.get(f"p{pit}", 0) for pit in range(rules.board.pits)]


def test_seeds_that_fall_in_a_tuz_are_its_owners_at_once_whoever_sows_them():
    south = TOGUZ.position(row(TOGUZ, p8=4, p12=3), marks=marks(TOGUZ, p10=0)).play(8)
    assert south.pits == tuple(row(TOGUZ, p8=1, p9=1, p11=1, p12=3))
    assert south.stores == (1, 0)
    last = TOGUZ.position(row(TOGUZ, p9=2, p0=1), (3, 3), player=1, marks=marks(TOGUZ, p10=0)).play(0)
    assert (last.pits, last.stores) == (tuple(row(TOGUZ, p9=1, p0=1)), (4, 3))


@pytest.mark.parametrize(
    ("lying", "made"),
    [
        ({}, True),
        ({"p12": 0}, False),  # South has one
        ({"p2": 1}, False),  # North's lies in the third pit of South, and this one is the third of North
        ({"p3": 1}, True),
    ],
)
def test_a_three_becomes_a_tuz_but_for_a_second_one_and_the_same_number(lying, made):
    after = TOGUZ.position(row(TOGUZ, p8=4, p11=2, p0=1, p16=1), marks=marks(TOGUZ, **lying)).play(8)
    assert (after.marks[11] == 0) == made
    assert after.stores == ((3, 0) if made else (0, 0))


def test_the_ninth_pit_becomes_no_tuz():
    after = TOGUZ.position(row(TOGUZ, p8=10, p17=2, p9=1)).play(8)
    assert after.pits[17] == 3
    assert max(after.marks) == -1


def test_closed_pits_are_jumped_by_their_row_and_lose_the_seeds_of_the_other():
    closed = marks(DEKA, p1=1, p7=0)
    south = DEKA.position(row(DEKA, p0=2, p5=2, p8=1), marks=closed, ply=9)
    assert south.play(0).pits == tuple(row(DEKA, p2=1, p3=1, p5=2, p8=1))  # from A past B, which is closed
    lost = south.play(5)
    assert (lost.pits, lost.removed, lost.player) == (tuple(row(DEKA, p0=2, p6=1, p8=1)), 1, 1)
    assert south.trace(5).text.endswith("sowing 2 seeds; the last seed is lost in b")
    assert [event.kind for event in south.trace(5).events] == ["lift", "sow", "lose"]


def test_a_pit_is_closed_with_its_seeds_but_never_the_last_of_a_row_and_not_on_the_first_ply():
    pits = row(DEKA, p5=1, p6=2, p0=1)
    after = DEKA.position(pits, ply=3).play(5)
    assert after.marks[6] == 0
    assert after.pits == tuple(row(DEKA, p7=1, p8=1, p9=1, p0=1))
    assert DEKA.position(pits, ply=0).play(5).marks[6] == -1
    assert DEKA.position(row(DEKA, p5=6, p11=2, p6=1, p0=1), ply=3).play(5).marks[11] == -1
    assert mancala.ruleset("deka", closes="any").position(row(DEKA, p0=1, p1=2, p8=1)).play(0).marks[1] == 0


def test_pits_are_passed_over_unless_all_would_be():
    rules = Ruleset(name="passed", board=two_rows(3), skipping=Skipping(counts={2}, last=False), repetition=2)
    assert rules.position([3, 2, 0, 2, 0, 0]).play(0).pits == (0, 2, 1, 2, 1, 1)
    assert rules.position([1, 2, 0, 0, 0, 0]).play(0).pits == (0, 3, 0, 0, 0, 0)  # the last seed
    always = rules.changes(skipping=Skipping(counts={2}))
    assert always.position([1, 2, 0, 0, 0, 0]).play(0).pits == (0, 2, 1, 0, 0, 0)
    crowded = always.position([4, 2, 2, 2, 2, 2]).play(0).pits
    assert crowded == (2, 3, 3, 2, 2, 2) or sum(crowded) == 14


def test_outer_pits_before_the_opponents_half_of_the_middle_row_face_two():
    board = three_rows_snake(6)
    assert (board.facing[0], board.outer[0]) == (15, 14)
    assert (board.facing[5], board.outer[5]) == (9, 5)
    assert board.loops[0] == (*range(9), *range(17, 8, -1))
    both = mancala.ruleset("abalalae").position(row(TOGUZ, p0=1, p16=2, p13=3, p9=1)).play(0)
    assert both.stores == (5, 0)
    assert both.pits[2] == 1  # the seed that captured walked on


def test_boards_of_three_rows_are_drawn():
    assert mancala.ruleset("selus").start().to_text() == (
        "            f   e   d   c   b   a\n"
        "      ┌───┬───┬───┬───┬───┬───┬───┬───┐\n"
        "      │   │ 3 │ 3 │ 3 │ 3 │ 3 │ 3 │   │\n"
        "      │   ├───┼───┼───┼───┼───┼───┤   │\n"
        "      │   │ 3 │ 3 │ 3 │ 3 │ 3 │ 3 │   │\n"
        "North │ 0 ├───┴───┴───┴───┴───┴───┤ 0 │ South\n"
        "      │   │ g   h   i   I   H   G │   │\n"
        "      │   ├───┬───┬───┬───┬───┬───┤   │\n"
        "      │   │ 3 │ 3 │ 3 │ 3 │ 3 │ 3 │   │\n"
        "      └───┴───┴───┴───┴───┴───┴───┴───┘\n"
        "            A   B   C   D   E   F\n"
        "South to move"
    )


def test_houses_are_drawn_beside_the_rows():
    text = QUAN.start().to_text().splitlines()
    assert text[3] == "North │  0  │ 10* ├─────┼─────┼─────┼─────┼─────┤ 10* │  0  │ South"
    assert text[-1] == "* mandarin"
    assert "House F: 10 seeds, mandarin<" in QUAN.start().to_svg()


def test_an_empty_row_is_filled_from_the_store_and_what_is_missing_is_borrowed():
    before = QUAN.position(row(QUAN, p5=10, p6=1, p11=5), (2, 30))
    assert len(before.legal_actions) == 10
    after = before.play(0)
    assert (after.stores, after.debt) == ((0, 27), 3)
    assert before.trace(0).text.startswith("South lays a seed in each pit, plays A counter-clockwise, sowing 1 seed")
    assert str(after).endswith("debt=3")
    assert State.parse(QUAN, str(after)) == after
    assert "South owes 3 seeds" in after.to_text()
    poor = QUAN.position(row(QUAN, p6=5, p5=10), (1, 3))
    assert poor.is_over  # there are not enough seeds to borrow
    assert QUAN.position(row(QUAN, p6=5, p5=10), (0, 55), debt=68).is_over  # nor does anybody lend without end


def test_debts_are_paid_at_the_end_when_both_large_pieces_are_taken():
    over = QUAN.position(row(QUAN, p1=4, p7=6), (20, 40), debt=7)
    assert (over.termination, over.scores, over.winner) == ("marks_taken", (17, 53), 1)
    assert swept(QUAN, over.array)[-2:] == (17, 53)
    assert QUAN.position(row(QUAN, p1=4, p5=10), (16, 40)).is_over is False


def test_the_first_capture_from_a_mandarins_square_takes_the_piece_and_the_second_ends_the_game():
    first = QUAN.position(row(QUAN, p0=1, p5=1, p3=12, p6=2, p11=12), (2, 0), marks=marks(QUAN, p11=1))
    assert first.is_over is False  # a square whose piece is taken may hold seeds again
    both = QUAN.position(row(QUAN, p2=1, p5=12, p7=10, p11=10))
    assert both.marks.tolist() == marks(QUAN, p5=0, p11=1)
    one = both.play(QUAN.action(0, 2, 0))  # to 3; 4 is empty, and 5 holds a mandarin; 6 is empty, and 7 is full
    assert (one.pits, one.stores) == (tuple(row(QUAN, p3=1, p11=10)), (22, 0))
    assert one.marks.tolist() == marks(QUAN, p11=1)
    assert one.is_over is False
    assert both.trace(QUAN.action(0, 2, 0)).text.endswith(
        "the last seed falls into the empty pit D: F and b are taken (22 seeds), and F is without mandarin"
    )
    last = QUAN.position(row(QUAN, p0=4, p5=3, p8=1, p11=11), (22, 0), player=1, marks=marks(QUAN, p11=1))
    over = last.play(QUAN.action(1, 8, 0))  # to 9; 10 is empty, and 11 holds a mandarin
    assert (over.termination, over.stores, over.scores) == ("marks_taken", (22, 11), (26, 12))


def test_marks_that_a_capture_takes_stop_players_from_lifting_but_count_for_nobody():
    rules = Ruleset(
        name="pieces", board=two_rows(3), marked_pits="taken", setup_marks=(0, -1, -1, 1, -1, -1), max_plies=9,
        landing=(When(side="opponent", count={1, 2}).capture("here"),),
    )  # fmt: skip
    start = rules.position([2, 0, 1, 1, 3, 0], marks=rules.setup_marks)
    assert [start.pit(action) for action in start.legal_actions] == [2]
    after = start.play(2)
    assert (after.stores, after.marks.tolist(), after.is_over) == ((2, 0), [0, -1, -1, -1, -1, -1], False)
    ends = rules.changes(end_when="marks_taken").position([2, 0, 1, 1, 3, 0], marks=[-1] * 3 + [1, -1, -1])
    assert ends.play(2).scores == (4, 3)
    assert State.parse(rules, str(after)) == after


def test_a_mark_that_was_not_there_at_the_start_is_refused():
    with pytest.raises(ValueError, match="marks of pit 0 must be -1, not 0"):
        QUAN.position(row(QUAN, p0=1, p5=10), marks=marks(QUAN, p0=0))
    array = QUAN.start().array
    array[QUAN.fields["marks"]] = 0
    with pytest.raises(ValueError, match="marks of pit 0 is 0, and must be from -1 to -1"):
        State.from_array(QUAN, array)


def test_a_loaded_house_ends_the_turn_and_gaps_lead_into_one():
    before = QUAN.position(row(QUAN, p2=2, p5=7, p11=12, p6=2), (14, 10))
    assert before.play(2).pits == tuple(row(QUAN, p3=1, p4=1, p5=7, p11=12, p6=2))
    taken = QUAN.position(row(QUAN, p0=1, p3=4, p5=17, p6=2, p11=10), (14, 9)).play(0)
    assert taken.stores == (35, 9)
    assert mancala.ruleset("o_an_quan", captures="one").position(
        row(QUAN, p0=1, p3=4, p5=17, p6=2, p11=10), (14, 9)
    ).play(0).stores == (18, 9)  # fmt: skip


@pytest.mark.parametrize("name", ["counts", "onehot", "lookahead1"])
def test_observations_of_debts_stay_between_0_and_1(name):
    encoder = make_encoder(name, QUAN)
    states = [QUAN.position(row(QUAN, p1=4, p5=11, p6=1), (0, 30), debt=debt) for debt in (-70, 0, 70)]
    seen = encoder(np.stack([state.array for state in states]), np.zeros(3, dtype=np.int8))
    assert 0 <= seen.min() <= seen.max() <= 1
    assert len({each.tobytes() for each in seen}) == 3


def test_pits_of_nobody_are_neither_the_movers_nor_the_opponents():
    rules = Ruleset(
        name="sides",
        board=rows_and_houses(2),
        landing=(When(side="opponent").capture("here"), When(was="empty").again()),
        max_plies=9,
    )
    assert rules.position([0, 1, 0, 1, 0, 0]).play(1).player == 0  # into the house
    assert rules.position([0, 2, 0, 1, 0, 0]).play(1).stores == (2, 0)


@pytest.mark.parametrize(("game", "pit"), [("toguz", 17), ("deka", 11)])
def test_an_array_with_a_mark_where_none_may_be_made_is_refused(game, pit):
    rules = mancala.ruleset(game)
    array = rules.start().array
    array[rules.fields["marks"] + pit - 1] = 0
    assert State.from_array(rules, array).marks[pit - 1] == 0
    array = rules.start().array
    array[rules.fields["marks"] + pit] = 0
    with pytest.raises(ValueError, match=f"marks of pit {pit} is 0, and must be from -1 to -1"):
        State.from_array(rules, array)
