"""What explains differences in recorded games of marks and fours holds for these, and not where others differ."""

from dataclasses import replace

import pytest

from mancala_env import ruleset
from tests.recorded_games.__main__ import HERE
from tests.recorded_games.games import RECORDED
from tests.recorded_games.of_fours import (
    ends_between_two_laps,
    gives_the_rest_to_north,
    looks_for_fours_in_too_few_pits,
    strays_after_fours,
)
from tests.recorded_games.of_horn import empties_pits_at_will
from tests.recorded_games.of_weg import forgets_emptied_marks, opens_without_a_mark, passes_in_a_marked_pit
from tests.recorded_games.records import read
from tests.recorded_games.replay import Kind, replay


def explained(name, explanation, kind):
    report = replay(read(HERE / f"{name}.jsonl.gz"), RECORDED[name])
    return next(one for one in report.explained[explanation] if one.kind is kind)


@pytest.mark.parametrize(
    ("name", "explanation"),
    [
        ("gabata_ghinda", ends_between_two_laps),
        ("khutka_boia", strays_after_fours),
        ("mewelad", gives_the_rest_to_north),
        ("obridje", looks_for_fours_in_too_few_pits),
        ("pallankuli", looks_for_fours_in_too_few_pits),
        ("rio_kadalis", looks_for_fours_in_too_few_pits),
        ("um_el_banat", forgets_emptied_marks),
    ],
)
def test_only_the_recorded_board_is_explained(name, explanation):
    difference = explained(name, explanation, Kind.BOARD)
    pits, stores = difference.pits, difference.stores
    for other in (
        {"pits": (pits[0] + 1, *pits[1:])},
        {"stores": (stores[0] + 1, stores[1])},
        {"kind": Kind.LEGAL},
    ):
        assert not explanation(replace(difference, **other))


def test_fours_are_looked_for_in_all_pits_after_a_short_lap():
    difference = explained("obridje", looks_for_fours_in_too_few_pits, Kind.BOARD)
    before = difference.state.rules.position([0, 0, 0, 0, 1, 0, 3, 3, 0, 0, 0, 2], stores=(20, 19))
    after = before.play(4)  # one seed into an empty pit
    missed = replace(difference, state=before, action=4, after=after, pits=before.pits, stores=before.stores)
    assert not looks_for_fours_in_too_few_pits(missed)


def test_a_pass_after_fours_needs_an_empty_second_pit():
    difference = explained("khutka_boia", strays_after_fours, Kind.PASS)
    state = difference.state
    full = state.rules.position([1] * 10, player=state.player)
    assert not strays_after_fours(replace(difference, state=full))


def test_a_pass_in_a_marked_pit_needs_the_mark():
    difference = explained("gamacha_nobility", passes_in_a_marked_pit, Kind.PASS)
    state = difference.state
    unmarked = state.rules.position(state.pits, stores=state.stores, player=state.player)
    assert not passes_in_a_marked_pit(replace(difference, state=unmarked))


def test_an_opening_without_a_mark_is_that_pattern_only():
    difference = explained("tuz", opens_without_a_mark, Kind.START)
    state = difference.state
    other = state.rules.position([4] * 12, player=1)
    assert not opens_without_a_mark(replace(difference, state=other))
    marked = state.rules.position(state.pits, player=1, marks=[0, *[-1] * 11])
    assert not opens_without_a_mark(replace(difference, state=marked))


def test_marks_of_a_fixed_opening_are_compared():
    report = replay(read(HERE / "gabata_shoa_and_adegrat.jsonl.gz"), RECORDED["gabata_shoa_and_adegrat"])
    assert report.agrees
    unmarked = ruleset("gabata_shoa_and_adegrat", raid_again=False).changes(setup_marks=())
    entry = replace(RECORDED["gabata_shoa_and_adegrat"], rules=unmarked)
    report = replay(read(HERE / "gabata_shoa_and_adegrat.jsonl.gz"), entry)
    assert [one.kind for one in report.differences] == [Kind.START] * 6


def test_pits_that_are_emptied_at_will_are_two_of_one_row_and_one_of_the_other():
    difference = explained("mangala_suez", empties_pits_at_will, Kind.START)
    position = difference.state.rules.position
    assert not empties_pits_at_will(replace(difference, state=position([0, 0, 0] + [8] * 9, player=1)))
    assert not empties_pits_at_will(replace(difference, state=position([0, 8, 0, 7] + [8] * 7 + [0], player=1)))
    assert not empties_pits_at_will(replace(difference, kind=Kind.BOARD))
