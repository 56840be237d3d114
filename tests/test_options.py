"""What each option of a ruleset does, in positions that can be played by hand; and what is refused, in which words.

Boards are written as South's row + North's, each from its owner's left. On six columns South's pits are A to F, North's
a to f; F is followed by a, and A faces f. Where nothing is said about them, seeds missing on the board do not matter.
"""

import re
from dataclasses import fields
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest

from agents.search.minimax import MinimaxAgent
from mancala_env import RULESETS, TERMINATIONS, IllegalAction, Ruleset, When, four_rows, ruleset, two_rows
from mancala_env.rules import Option, Passing, Skipping, arcs
from mancala_env.rules.checks import CHOICES
from mancala_env.rules.describe import in_words
from mancala_env.rules.spec import rule_changes
from tests.games import CORE
from tests.reference import Position, is_dead

DATA = Path(__file__).parent / "data"
A, B, C, D, E, F = range(6)
EMPTY = [0, 0, 0, 0, 0, 0]


def oware(**changes):
    return ruleset("oware", **changes)


def awari(**changes):
    return ruleset("awari", **changes)


def kalah(**changes):
    return ruleset("kalah", **changes)


def game(*landing, **axes):
    """A game of one's own, on two rows of three."""
    return Ruleset(**{"name": "own", "board": two_rows(3), "landing": landing, **axes})


def play_pits(state, *pits):
    for pit in pits:
        state = state.play(state.rules.action(state.player, pit))
    return state


# -- Grand slam --------------------------------------------------------------------------------------------------------

SLAM = {"pits": [1, 0, 3, 0, 1, 2] + [1, 2, 0, 0, 0, 0], "stores": (19, 19)}  # F makes a=2 and b=3, all that North has
ONLY_SLAM = {"pits": [0, 0, 0, 0, 0, 2] + [1, 2, 0, 0, 0, 0], "stores": (21, 22)}
ONE_PIT_SLAM = {"pits": [1, 0, 0, 0, 0, 1] + [1, 0, 0, 0, 0, 0], "stores": (22, 23)}
OTHER_READINGS = ["forbidden", "no_capture", "rest_to_opponent", "spare_last", "spare_first"]


def test_a_forbidden_slam_is_not_among_the_legal_moves():
    assert oware(grand_slam="forbidden").position(**SLAM).legal_actions == (A, C, E)


def test_what_leaves_the_last_pit_of_the_opponent_is_no_slam_also_where_single_seeds_are_taken():
    table = (When(side="opponent", count={1, 2, 3}).capture("here", chain={1, 2, 3}),)
    state = oware(landing=table, grand_slam="forbidden", indeterminacy_max_seeds=0).position(
        [1, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 1], (22, 23)
    )
    assert state.legal_actions == (A, F)


def test_a_forbidden_slam_without_alternative_is_played_and_captures_nothing():
    state = oware(grand_slam="forbidden").position(**ONLY_SLAM)
    assert state.legal_actions == (F,)
    after = state.play(F)
    assert after.pits == (*EMPTY, 2, 3, 0, 0, 0, 0)
    assert (after.termination, after.scores) == ("famine", (21, 27))


def test_a_forbidden_slam_gives_way_to_another_feeding_move():
    state = oware(grand_slam="forbidden").position([1, 0, 0, 0, 2, 17] + EMPTY, (14, 14))
    assert state.legal_actions == (E,)


def test_a_forbidden_slam_is_played_if_no_other_move_feeds():
    state = oware(grand_slam="forbidden").position([1, 0, 0, 0, 0, 17] + EMPTY, (15, 15))
    assert state.legal_actions == (F,)
    assert state.play(F).pits == (2, 1, 1, 1, 1, 0, 2, 2, 2, 2, 2, 2)
    assert state.play(F).stores == (15, 15)


def test_a_move_that_leaves_an_empty_side_empty_is_no_slam():
    rules = game(When(side="opponent", count={1}).capture("here"), grand_slam="forbidden", stuck="pass")
    assert rules.position([1, 0, 2] + [0, 0, 0]).legal_actions == (A, C)


def test_a_capture_of_own_seeds_alone_is_no_slam():
    rules = game(When(side="own", was="empty").capture("here", "facing"), grand_slam="forbidden", stuck="pass")
    state = rules.position([2, 1, 0] + [0, 0, 0])
    assert state.legal_actions == (A, B)
    assert state.play(A).stores == (1, 0)


def test_a_legal_slam_may_capture_nothing():
    state = oware(grand_slam="no_capture").position(**SLAM)
    assert state.legal_actions == (A, C, E, F)
    after = state.play(F)
    assert after.pits == (1, 0, 3, 0, 1, 0) + (2, 3, 0, 0, 0, 0)
    assert (after.stores, after.is_over) == ((19, 19), False)


def test_a_legal_slam_may_capture_all_and_end_the_game_by_famine():
    after = oware(grand_slam="capture").position(**SLAM).play(F)
    assert after.pits == (1, 0, 3, 0, 1, 0, *EMPTY)
    assert (after.stores, after.termination, after.scores) == ((24, 19), "famine", (29, 19))


def test_a_slam_may_leave_the_rest_to_the_opponent():
    after = oware(grand_slam="rest_to_opponent").position(**SLAM).play(F)
    assert after.pits == (1, 0, 3, 0, 1, 0, *EMPTY)
    assert (after.stores, after.termination, after.scores) == ((24, 19), "grand_slam", (24, 24))


def test_the_rest_is_the_opponents_even_if_the_slam_made_a_majority():
    after = oware(grand_slam="rest_to_opponent").position(SLAM["pits"], (20, 18)).play(F)
    assert (after.stores, after.termination, after.scores) == ((25, 18), "grand_slam", (25, 23))


def test_the_rest_is_the_opponents_even_if_nobody_should_get_it():
    after = oware(grand_slam="rest_to_opponent", leftover="none").position(**SLAM).play(F)
    assert after.scores == (24, 24)


def test_the_rest_is_the_opponents_even_if_he_would_have_to_pass():
    rules = oware(grand_slam="rest_to_opponent", feeding="none", stuck="pass")
    after = rules.position(**SLAM).play(F)
    assert (after.termination, after.scores) == ("grand_slam", (24, 24))


def test_the_rest_is_the_opponents_even_if_the_capture_earned_another_turn():
    rules = game(When(side="opponent", count={2}).capture("here").again(), grand_slam="rest_to_opponent")
    after = rules.position([1, 0, 1] + [1, 0, 0]).play(C)
    assert (after.stores, after.termination, after.scores) == ((2, 0), "grand_slam", (2, 1))


def test_a_slam_that_ends_the_game_ends_the_relay():
    raid = When(side="own", was="occupied", facing="occupied").capture("facing").relay()
    after = game(raid, grand_slam="rest_to_opponent").position([1, 1, 0] + [0, 2, 0]).play(A)
    assert after.pits == (0, 2, 0, 0, 0, 0)
    assert (after.stores, after.termination, after.scores) == ((2, 0), "grand_slam", (2, 2))


def test_a_slam_may_spare_the_pit_where_the_last_seed_fell():
    state = oware(grand_slam="spare_last").position(**SLAM)
    assert state.legal_actions == (A, C, E, F)
    assert state.play(F).pits[6:] == (0, 3, 0, 0, 0, 0)
    assert state.play(F).stores == (21, 19)


def test_a_slam_may_spare_the_pit_nearest_the_movers_field():
    state = oware(grand_slam="spare_first").position(**SLAM)
    assert state.legal_actions == (A, C, E, F)
    assert state.play(F).pits[6:] == (2, 0, 0, 0, 0, 0)
    assert state.play(F).stores == (22, 19)


@pytest.mark.parametrize("reading", ["spare_last", "spare_first"])
def test_a_slam_that_spares_its_only_pit_captures_nothing(reading):
    after = oware(grand_slam=reading, indeterminacy_max_seeds=0).position(**ONE_PIT_SLAM).play(F)
    assert (after.pits[6:], after.stores) == ((2, 0, 0, 0, 0, 0), (22, 23))


@pytest.mark.parametrize("reading", OTHER_READINGS)
def test_a_capture_that_leaves_the_opponent_a_seed_is_no_slam(reading):
    after = oware(grand_slam=reading).position([1, 0, 3, 0, 1, 2] + [1, 2, 0, 0, 0, 1], (19, 18)).play(F)
    assert (after.pits[6:], after.stores, after.is_over) == ((0, 0, 0, 0, 0, 1), (24, 18), False)


def test_north_slams_as_south_does():
    pits = SLAM["pits"][6:] + SLAM["pits"][:6]
    after = oware(grand_slam="rest_to_opponent").position(pits, (19, 19), player=1).play(F)
    assert (after.stores, after.termination, after.scores) == ((19, 24), "grand_slam", (24, 24))


def test_taking_all_the_opponent_has_from_across_is_a_slam_too():
    position = [1, 0, 1] + [0, 2, 0]  # A ends in B, which faces b
    assert kalah(pits_per_row=3, grand_slam="forbidden").position(position).legal_actions == (C,)
    after = kalah(pits_per_row=3, grand_slam="no_capture").position(position).play(A)
    assert (after.pits, after.stores) == ((0, 1, 1, 0, 2, 0), (0, 0))


def test_a_pit_both_across_and_in_the_chain_is_one_pit_of_the_slam():
    rules = game(When(side="own").capture("here", "facing", chain={2}), grand_slam="no_capture")
    after = rules.position([0, 5, 0] + [1, 1, 1]).play(B)  # B ends in A; c faces A and comes before it in sowing order
    assert (after.pits, after.stores) == ((1, 0, 1, 2, 2, 2), (0, 0))


def test_a_chain_that_comes_round_to_its_first_pit_is_a_slam_too():
    anything = When().capture("here", chain={1, 2}, chain_side="any")
    after = game(anything, board=two_rows(2), grand_slam="no_capture").position([7, 0] + [0, 0]).play(A)
    assert (after.pits, after.stores) == ((1, 2, 2, 2), (0, 0))


def test_a_slam_may_be_as_large_as_all_six_pits_at_three():
    position = {"pits": [1, 0, 0, 0, 0, 6] + [2, 2, 2, 2, 2, 2], "stores": (14, 15)}
    assert oware().position(**position).legal_actions == (A,)
    assert oware(grand_slam="capture").position(**position).play(F).stores == (32, 15)


def test_a_one_pit_capture_of_everything_counts_as_slam():
    rules = oware(slam_scope="any", indeterminacy_max_seeds=0)
    assert rules.position(**ONE_PIT_SLAM).legal_actions == (A,)


def test_a_one_pit_capture_of_everything_need_not_count_as_slam():
    state = oware(slam_scope="multi_pit", indeterminacy_max_seeds=0).position(**ONE_PIT_SLAM)
    assert state.legal_actions == (A, F)
    assert state.play(F).stores == (24, 23)


def test_a_capture_of_everything_in_two_pits_counts_as_slam_in_any_case():
    assert oware(slam_scope="multi_pit").position(**SLAM).legal_actions == (A, C, E)


def test_a_one_pit_capture_need_not_count_as_slam_where_nothing_is_chained_either():
    rules = game(When(side="opponent", count={2}).capture("here"), grand_slam="forbidden", slam_scope="multi_pit")
    assert rules.position([1, 0, 1] + [1, 0, 0]).legal_actions == (A, C)


# -- Feeding and being stuck -------------------------------------------------------------------------------------------


def test_a_starved_opponent_must_be_fed():
    assert oware().position([2, 1, 3, 2, 3, 0] + EMPTY, (19, 18)).legal_actions == (E,)


def test_a_starved_opponent_need_not_be_fed_without_a_feeding_rule():
    assert oware(feeding="none").position([2, 1, 3, 2, 3, 0] + EMPTY, (19, 18)).legal_actions == (A, B, C, D, E)


def test_who_cannot_feed_ends_the_game_and_keeps_his_row():
    state = oware().position([1, 2, 2, 1, 1, 0] + EMPTY, (20, 21))
    assert (state.termination, state.scores) == ("famine", (27, 21))


def test_seeds_given_and_captured_again_count_as_fed():
    state = oware(grand_slam="capture", majority_stop=False).position([1, 0, 0, 0, 0, 17] + EMPTY, (15, 15))
    assert state.legal_actions == (F,)
    after = state.play(F)
    assert after.pits == (2, 1, 1, 1, 1, 0, *EMPTY)
    assert (after.termination, after.scores) == ("famine", (33, 15))


def test_seeds_captured_in_the_same_turn_do_not_count_as_fed_where_turns_relay():
    capture, relay = When(side="opponent").capture("here"), When(side="own", was="occupied").relay()
    position = [1, 0, 1] + [0, 0, 0]
    assert game(capture, feeding="if_starved").position(position).legal_actions == (C,)
    assert game(capture, relay, feeding="if_starved").position(position).termination == "stuck"


def test_in_awari_a_move_must_leave_the_opponent_seeds_after_its_capture():
    state = awari().position([0, 0, 6, 0, 3, 5] + [1, 2, 1, 0, 0, 0])
    assert state.legal_actions == (E, F)  # C would take all seven; a position of Lincke (2002)
    assert state.play(E).stores == (5, 0)


def test_in_awari_sowing_more_than_a_lap_captures_as_ever():
    state = awari().position([1, 0, 4, 19, 4, 2] + [1, 1, 3, 1, 0, 0])  # a position of Allis (1994)
    assert state.legal_actions == (A, C, D, E, F)
    assert [state.play(action).stores[0] for action in state.legal_actions] == [0, 2, 7, 0, 4]


def test_in_awari_a_slam_captures_if_every_move_is_one():
    state = awari().position(**ONLY_SLAM)
    assert state.legal_actions == (F,)
    after = state.play(F)
    assert (after.stores, after.termination, after.scores) == ((26, 22), "famine", (26, 22))


def test_in_awari_who_cannot_feed_may_play_anything():
    state = awari().position([1, 0, 2, 0, 0, 0] + EMPTY, (20, 20))
    assert state.legal_actions == (A, C)
    after = state.play(A)
    assert (after.termination, after.scores) == ("famine", (23, 20))


def test_in_awari_it_does_not_matter_of_how_many_pits_a_slam_is():
    rules = awari(slam_scope="multi_pit")
    assert rules.position(**ONE_PIT_SLAM).legal_actions == (A,)


def test_awari_goes_on_after_a_majority_and_when_nothing_can_be_captured():
    assert not awari().position([1, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 1, 0], (40, 6)).is_over


def test_a_player_without_seeds_ends_the_game():
    state = oware(feeding="none").position(EMPTY + [1, 3, 0, 2, 0, 1], (20, 21))
    assert (state.termination, state.scores) == ("famine", (20, 28))


def test_a_player_without_seeds_may_have_to_pass():
    state = oware(feeding="none", stuck="pass").position(EMPTY + [1, 3, 0, 2, 0, 1], (20, 21), player=1)
    assert state.legal_actions == (A, B, D, F)
    again = state.play(A)
    assert (again.player, again.ply, again.legal_actions) == (1, 1, (B, D, F))
    fed = again.play(F)
    assert (fed.player, fed.ply, fed.legal_actions) == (0, 2, (A,))


def test_a_player_who_has_to_pass_is_not_asked():
    state = oware(feeding="none", stuck="pass").position(EMPTY + [1, 3, 0, 2, 0, 1], (20, 21), player=0)
    assert (state.player, state.ply) == (1, 0)


def test_the_game_ends_when_both_would_have_to_pass():
    rules = oware(feeding="none", stuck="pass", grand_slam="capture", majority_stop=False, indeterminacy_max_seeds=0)
    state = rules.position([0, 0, 0, 0, 0, 1] + [1, 0, 0, 0, 0, 0], (22, 24)).play(F)
    assert (state.pits, state.termination, state.scores) == ((*EMPTY, *EMPTY), "famine", (24, 24))
    assert state.winner is None


# -- The end and what is left ------------------------------------------------------------------------------------------

LAST_SEED = {"pits": [0, 0, 0, 0, 0, 1] + [2, 0, 3, 0, 0, 1], "stores": (20, 21)}


def test_an_empty_row_ends_kalah_at_once():
    state = kalah().position([0, 0, 0, 0, 0, 2] + [1, 0, 3, 0, 0, 0], (20, 20)).play(F)
    assert (state.pits[6:], state.termination, state.scores) == ((2, 0, 3, 0, 0, 0), "side_empty", (21, 25))


def test_an_empty_row_may_end_kalah_only_when_its_owner_is_to_move():
    rules = kalah(end_check="side_to_move")
    state = rules.position([0, 0, 0, 0, 0, 2] + [1, 0, 3, 0, 0, 0], (20, 20)).play(F)
    assert (state.is_over, state.player, state.legal_actions) == (False, 1, (A, C))
    over = state.play(A)
    assert (over.pits[6:], over.termination, over.scores) == ((0, 1, 4, 0, 0, 0), "side_empty", (21, 25))


def test_another_turn_without_seeds_ends_the_game():
    state = kalah(end_check="side_to_move").position(**LAST_SEED).play(F)
    assert (state.termination, state.scores) == ("side_empty", (21, 27))


def test_an_empty_side_may_end_oware_whoever_is_to_move():
    rules = oware(feeding="none", end_check="any_side")
    state = rules.position([0, 0, 0, 0, 0, 1] + [0, 3, 0, 2, 0, 1], (20, 21)).play(F)
    assert (state.termination, state.scores) == ("famine", (20, 28))
    captures_first = rules.position([0, 0, 0, 0, 0, 2] + [1, 1, 4, 0, 0, 2], (19, 19)).play(F)
    assert (captures_first.stores, captures_first.scores) == ((23, 19), (23, 25))


def test_the_slam_ban_survives_an_ending_at_the_first_empty_side():
    rules = oware(feeding="none", end_check="any_side")
    assert rules.position([0, 0, 1, 0, 0, 2] + [1, 2, 0, 0, 0, 0], (21, 21)).legal_actions == (C,)


@pytest.mark.parametrize(("reason", "name"), [("stuck", "stuck"), ("famine", "famine"), ("side_empty", "side_empty")])
def test_the_ruleset_says_what_being_stuck_is_called(reason, name):
    assert game(end_reason=reason).position([0, 0, 0] + [1, 1, 1]).termination == name


@pytest.mark.parametrize(
    ("leftover", "scores", "winner"), [("owner", (21, 27), 1), ("emptier", (27, 21), 0), ("none", (21, 21), None)]
)
def test_seeds_left_go_to_their_owner_or_to_who_is_empty_or_to_nobody(leftover, scores, winner):
    state = kalah(leftover=leftover).position(**LAST_SEED).play(F)
    assert (state.pits, state.stores) == ((*EMPTY, 2, 0, 3, 0, 0, 1), (21, 21))
    assert (state.scores, state.winner) == (scores, winner)


def test_seeds_left_may_go_to_the_hungry_side_in_oware():
    state = oware(leftover="emptier").position([1, 2, 2, 1, 1, 0] + EMPTY, (20, 21))
    assert (state.termination, state.scores) == ("famine", (20, 28))


def test_where_no_side_is_empty_each_keeps_his_own():
    state = oware(leftover="emptier", max_plies=10).position([1, 0, 0, 0, 0, 9] + [4] * 6, (7, 7), ply=10)
    assert (state.termination, state.scores) == ("max_plies", (17, 31))


def test_more_than_half_of_the_seeds_wins_and_the_rest_is_not_counted():
    state = oware().position([0, 1, 0, 2, 4, 0] + [3, 1, 2, 5, 1, 1], (22, 6)).play(E)
    assert (state.stores, state.termination, state.scores, state.winner) == ((27, 6), "majority", (27, 6), 0)


def test_half_of_the_seeds_is_no_majority():
    assert not oware().position([1, 1, 1, 1, 1, 1] + [1, 1, 1, 1, 1, 1], (24, 12)).is_over


def test_a_majority_need_not_end_the_game():
    state = oware(majority_stop=False).position([0, 1, 0, 2, 4, 0] + [3, 1, 2, 5, 1, 1], (22, 6)).play(E)
    assert (state.stores, state.is_over, state.player) == ((27, 6), False, 1)


def test_a_majority_is_of_the_seeds_in_play_be_they_fewer():
    assert oware().position([1, 1, 0, 0, 0, 0] + [1, 1, 0, 0, 0, 0], (5, 0)).termination == "majority"
    assert oware(pits_per_row=3).position([1, 1, 1] + [1, 4, 3], (13, 0)).termination == "majority"


def test_a_majority_ends_kalah_only_on_demand():
    position = {"pits": [1, 0, 0, 0, 0, 1] + [2, 2, 2, 2, 2, 2], "stores": (24, 10)}
    assert not kalah().position(**position).play(F).is_over
    stopped = kalah(majority_stop=True).position(**position).play(F)
    assert (stopped.termination, stopped.scores) == ("majority", (25, 10))


def test_the_ply_limit_ends_the_game_and_each_keeps_his_row():
    state = oware(max_plies=10).position([4, 4, 4, 4, 4, 4] + [4, 4, 4, 4, 4, 4], ply=8).play(A)
    assert not state.is_over
    over = state.play(F)
    assert (over.ply, over.termination, over.scores) == (10, "max_plies", (28, 20))


def test_a_position_at_the_ply_limit_is_over():
    assert oware(max_plies=10).position([4] * 12, ply=10).termination == "max_plies"
    assert not oware(max_plies=0).position([4] * 12, ply=10_000).is_over


# -- Dead positions ----------------------------------------------------------------------------------------------------

ONE_EACH = {"pits": [0, 0, 1, 0, 0, 0] + [0, 0, 0, 1, 0, 0], "stores": (23, 23)}
ONE_AND_TWO = {"pits": [0, 0, 0, 0, 1, 0] + [0, 1, 0, 1, 0, 0], "stores": (22, 23)}
FOUR = {"pits": [0, 0, 0, 0, 0, 4] + EMPTY, "stores": (22, 22)}  # F spreads them over a to d; North cannot feed
ALIVE = {"pits": [0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 1, 1], "stores": (22, 23)}


@pytest.mark.parametrize(
    ("most", "ended"),
    [(0, []), (2, [ONE_EACH]), (3, [ONE_EACH, ONE_AND_TWO]), (4, [ONE_EACH, ONE_AND_TWO, FOUR])],
)
def test_the_game_ends_where_at_most_so_many_seeds_can_never_be_captured(most, ended):
    rules = oware(indeterminacy_max_seeds=most)
    for position in (ONE_EACH, ONE_AND_TWO, FOUR, ALIVE):
        assert rules.position(**position).termination == ("indeterminacy" if position in ended else None)


def test_each_keeps_his_row_where_nothing_can_be_captured():
    assert oware().position(**ONE_AND_TWO).scores == (23, 25)


def test_three_seeds_that_can_still_be_captured_go_on():
    state = play_pits(oware().position(**ALIVE), 5, 11, 0, 6, 1, 7, 2, 8, 3, 10, 4)
    assert (state.pits, state.is_over) == ((0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1), False)


def test_another_turn_can_bring_a_position_to_life():
    again, capture = When(side="own").again(), When(side="opponent", count={2}).capture("here")
    small = {"board": two_rows(2), "indeterminacy_max_seeds": 2}
    assert game(capture, **small).position([1, 0] + [1, 0]).termination == "indeterminacy"
    assert not game(again, capture, **small).position([1, 0] + [1, 0]).is_over  # A, then B, which captures a


# seeds: dead positions, those of them that are no famine already; both players to move
DEAD = {
    1: (24, 2),
    2: (156, 86),
    3: (248, 78),
    4: (462, 112),
    5: (824, 178),
    6: (1368, 264),
    7: (2130, 344),
    8: (3162, 386),
}


def placements(seeds, pits=12):
    """All ways to lay seeds in pits."""
    for chosen in combinations_with_replacement(range(pits), seeds):
        yield [chosen.count(pit) for pit in range(pits)]


def indeterminate(rules, seeds):
    """(pits, player) of the positions with this number of seeds that the rules call indeterminate."""
    positions = [(tuple(pits), player) for pits in placements(seeds) for player in (0, 1)]
    return [key for key in positions if rules.position(key[0], player=key[1]).termination == "indeterminacy"]


def slow_from(seeds, most):
    return [pytest.param(n, marks=pytest.mark.slow) if n >= seeds else n for n in range(1, most + 1)]


@pytest.mark.parametrize("seeds", slow_from(7, 8))
def test_the_number_of_dead_positions_of_oware_is_the_known_one(seeds):
    with_fewer = int(oware(indeterminacy_max_seeds=seeds - 1).encoded.no_capture_table.sum()) if seeds > 1 else 2
    rules = oware(indeterminacy_max_seeds=seeds)
    assert int(rules.encoded.no_capture_table.sum()) - with_fewer == DEAD[seeds][0]
    assert len(indeterminate(rules, seeds)) == DEAD[seeds][1]


@pytest.mark.parametrize("seeds", slow_from(5, 6))
def test_the_reference_finds_the_same_dead_positions(seeds):
    rules = oware()
    dead = sum(is_dead(rules, pits, player) for pits in placements(seeds) for player in (0, 1))
    assert dead == DEAD[seeds][0]


def test_the_dead_positions_with_three_seeds_are_the_known_ones():
    lines = (DATA / "oware_dead_positions.txt").read_text().splitlines()
    south = {tuple(map(int, line.split())) for line in lines}
    assert len(south) == 39
    found = indeterminate(oware(), 3)
    assert {pits for pits, player in found if player == 0} == south
    assert {pits for pits, player in found if player == 1} == {pits[6:] + pits[:6] for pits in south}


@pytest.mark.parametrize(("seeds", "dead", "running"), [(1, 24, 0), (2, 156, 72), (3, 356, 132)])
def test_other_positions_are_dead_where_an_empty_side_ends_the_game(seeds, dead, running):
    rules = oware(feeding="none", end_check="any_side")
    assert len(indeterminate(rules, seeds)) == running
    assert sum(is_dead(rules, pits, player) for pits in placements(seeds) for player in (0, 1)) == dead


@pytest.mark.parametrize("seeds", [1, 2, 3, 4])
def test_only_two_seeds_are_dead_where_the_hungry_pass(seeds):
    rules = oware(feeding="none", stuck="pass", indeterminacy_max_seeds=4)
    assert len(indeterminate(rules, seeds)) == {1: 24, 2: 156, 3: 0, 4: 0}[seeds]


# -- Repetition --------------------------------------------------------------------------------------------------------

CYCLE = (5, 11, 0, 6, 1, 7, 2, 8, 3, 10, 4, 9)  # pits; leads from ALIVE back to it


def test_the_first_recurrence_of_a_position_ends_oware():
    state = play_pits(oware().position(**ALIVE), *CYCLE)
    assert state.pits == tuple(ALIVE["pits"])
    assert (state.ply, state.termination, state.scores) == (12, "repetition", (23, 25))


def test_a_later_recurrence_may_be_needed():
    state = play_pits(oware(repetition=3).position(**ALIVE), *CYCLE, *CYCLE[:-1])
    assert not state.is_over
    assert play_pits(state, CYCLE[-1]).termination == "repetition"


def test_recurrences_may_go_unnoticed():
    state = play_pits(oware(repetition=0, max_plies=40).position(**ALIVE), *CYCLE, *CYCLE, *CYCLE)
    assert not state.is_over
    assert play_pits(state, *CYCLE[:4]).termination == "max_plies"


def test_a_recurrence_halves_what_is_left_in_awari():
    state = play_pits(awari().position(**ALIVE), *CYCLE)
    assert (state.termination, state.scores, state.winner) == ("repetition", (23.5, 24.5), 1)


def test_only_a_recurrence_halves_what_is_left():
    state = awari(max_plies=10).position([1, 0, 0, 0, 0, 9] + [4] * 6, (7, 7), ply=10)
    assert (state.termination, state.scores) == ("max_plies", (17, 31))


def test_the_mover_is_part_of_the_position_that_recurs():
    rules = game(board=two_rows(2), repetition=2)
    state = play_pits(rules.position([0, 1] + [2, 0]), 1, 2, 1, 3, 0)
    assert (state.pits, state.player, state.is_over) == ((0, 1, 2, 0), 1, False)


def test_no_game_outlives_the_counter_of_its_plies():
    rules = game(board=two_rows(5), repetition=300, max_plies=0)
    state = rules.position([2, 1, 2, 2, 1] + [2, 2, 2, 1, 1])
    # If both always play their rightmost pit, the same position comes back every 126 plies from ply 87 on.
    while not state.is_over:
        state = state.play(state.legal_actions[-1])
    assert (state.termination, state.ply) == ("max_plies", 32_000)


# -- Sowing and landing ------------------------------------------------------------------------------------------------


def test_no_lap_of_oware_sows_its_origin():
    state = oware().position([12, 0, 0, 0, 0, 0] + EMPTY).play(A)
    assert state.pits == (0, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)


def test_a_lap_may_sow_its_origin():
    state = oware(skip_origin=False).position([12, 0, 0, 0, 0, 0] + EMPTY).play(A)
    assert state.pits == (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)


def test_a_lap_of_kalah_ends_in_its_own_empty_origin_and_captures_across():
    state = kalah().position([13, 0, 0, 0, 0, 0] + [1, 0, 0, 0, 0, 0]).play(A)
    assert state.pits == (0, 1, 1, 1, 1, 1) + (2, 1, 1, 1, 1, 0)
    assert state.stores == (3, 0)


def test_the_last_seed_in_the_own_store_earns_another_turn():
    state = kalah().start().play(C)
    assert (state.player, state.ply, state.stores) == (0, 1, (1, 0))


def test_a_single_seed_is_captured_only_with_empty_capture():
    position = {"pits": [2, 0, 0, 6, 5, 5] + [5, 5, 5, 0, 4, 4], "stores": (4, 3)}  # A ends in C, opposite d = 0
    state = kalah().position(**position).play(A)
    assert (state.pits[:3], state.stores) == ((0, 1, 1), (4, 3))
    state = kalah(empty_capture=True).position(**position).play(A)
    assert (state.pits[:3], state.stores) == ((0, 1, 0), (5, 3))


def test_an_option_of_a_family_exchanges_a_row_of_the_landing_table():
    across = When(side="own", was="empty", facing="occupied").capture("here", "facing")
    again = When(side="own", was="occupied", facing="occupied").again()
    rules = kalah(landing=(again, across)).changes(empty_capture=True)
    assert rules == kalah(landing=(again, When(side="own", was="empty").capture("here", "facing")))
    assert (rules.empty_capture, kalah().empty_capture, kalah(landing=(again,)).empty_capture) == (True, False, None)
    with pytest.raises(ValueError, match="exchanges a clause of the landing table that this one does not have"):
        kalah(landing=(again,)).changes(empty_capture=True)
    with pytest.raises(ValueError, match="give landing or empty_capture, not both"):
        kalah(landing=(again,), empty_capture=True)
    with pytest.raises(ValueError, match="empty_capture must be False or True, not 'yes'"):
        kalah(empty_capture="yes")
    with pytest.raises(ValueError, match=r"empty_capture is an option of kalah .*change the landing itself"):
        oware(empty_capture=True)
    with pytest.raises(AttributeError, match="no attribute 'empty_capture'"):
        _ = oware().empty_capture


@pytest.mark.parametrize(
    ("rules", "changes"),
    [
        (kalah(), {}),
        (kalah(empty_capture=True, pits_per_row=4), {"empty_capture": True, "pits_per_row": 4}),
        (ruleset("diffusion", blocks="rows", pits_per_row=5), {"blocks": "rows", "pits_per_row": 5}),
        (ruleset("reaping", start=[0, 2, 0]), {"start": [0, 2, 0]}),
        (oware(grand_slam="no_capture"), {"grand_slam": "no_capture"}),
    ],
    ids=str,
)
def test_a_spec_makes_the_ruleset_again(rules, changes):
    assert rule_changes(rules) == changes
    assert ruleset(rules.name, **changes) == rules


def test_what_cannot_be_written_as_text_has_no_spec():
    with pytest.raises(ValueError, match=r"landing changed to .* cannot be written as text"):
        rule_changes(kalah(landing=()))
    with pytest.raises(ValueError, match="'mine' is none of the"):
        rule_changes(kalah(name="mine"))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (When(store="own").again(), "if the last seed falls into the own store, the mover has another turn"),
        (When(side="opponent", marked=False, count={2, 3}).capture("here", chain={2}),
         "if the last seed falls into an opponent's pit that bears no mark and now holds 2 or 3, it and the opponent's "
         "pits before it that hold 2, one after the other, are captured"),
        (When(was="occupied", facing="occupied", outer="occupied").sow_on("facing", "outer"),
         "if the last seed falls into a pit that was occupied and faces seeds and has seeds in the opponent's outer "
         "pit, the seeds of the pit across and the opponent's outer pit of that column are sown on from there"),
        (When(marked="own"), "if the last seed falls into a pit with the own mark, the turn ends"),
        (When(count="even", facing={3}).mark_pair(),
         "if the last seed falls into a pit that now holds an even number and faces 3 seeds, a seed comes over from "
         "the pit across, and it and the pit across are marked"),
        (When(was="occupied").relay(),
         "if the last seed falls into a pit that was occupied, its seeds are lifted and sown on"),
    ],
)  # fmt: skip
def test_a_landing_row_is_told_in_words(row, words):
    assert in_words(row) == words


def test_help_tells_options_of_families_and_reads_like_a_rule_book():
    assert "``empty_capture`` (kalah, fairkalah): " in (ruleset.__doc__ or "")
    assert "empty_capture: the last seed" in kalah().describe()
    told = Ruleset.__doc__ or ""
    groups = [
        "The board, and how it is laid out.",
        "How seeds are sown.",
        "What happens where the last seed falls.",
        "What a player must do, and who cannot move.",
        "How the game ends, and who wins.",
        "How games make up a match.",
    ]
    assert sorted(groups, key=told.index) == groups
    names = re.findall(r"^([a-z_]+(?:, [a-z_]+)*)$", told, flags=re.MULTILINE)
    assert sorted(name for each in names for name in each.split(", ")) == sorted(f.name for f in fields(Ruleset))


# where the last seed falls: the position, the action
LANDINGS = {
    "own, was empty, faces seeds": ([1, 0, 0] + [0, 1, 0], A),
    "own, was occupied, faces none": ([1, 1, 0] + [0, 0, 0], A),
    "the opponent's, was empty, faces none": ([0, 0, 1] + [0, 0, 0], C),
    "the opponent's, was occupied, faces seeds": ([0, 2, 1] + [1, 0, 0], B),
}


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ({}, [""]),
        ({"side": "own"}, ["own"]),
        ({"side": "opponent"}, ["opponent"]),
        ({"was": "empty"}, ["was empty"]),
        ({"was": "occupied"}, ["was occupied"]),
        ({"count": {1}}, ["was empty"]),
        ({"count": [2, 5]}, ["was occupied"]),
        ({"count": {3}}, ["never"]),
        ({"count": "even"}, ["was occupied"]),
        ({"facing": "occupied"}, ["faces seeds"]),
        ({"facing": "empty"}, ["faces none"]),
        ({"facing": {1}}, ["own", "faces seeds"]),
        ({"facing": {2, 3}}, ["opponent", "faces seeds"]),
        ({"facing": {3}}, ["never"]),
        ({"side": "own", "facing": "empty"}, ["own", "faces none"]),
        ({"side": "opponent", "was": "occupied", "count": "even"}, ["opponent", "was occupied"]),
    ],
)
def test_a_landing_row_acts_where_its_conditions_hold(condition, words):
    rules = game(When(**condition).capture("here"))
    acted = [name for name, (pits, action) in LANDINGS.items() if rules.position(pits).play(action).stores[0]]
    assert acted == [name for name in LANDINGS if all(word in name for word in words)]


def test_the_first_landing_row_that_matches_acts():
    again, take = When(side="own").again(), When(side="own", was="empty").capture("here")
    position, action = LANDINGS["own, was empty, faces seeds"]
    state = game(again, take).position(position).play(action)
    assert (state.player, state.stores) == (0, (0, 0))
    state = game(take, again).position(position).play(action)
    assert (state.player, state.stores) == (1, (1, 0))


def test_a_row_without_a_store_speaks_of_pits_only():
    rules = game(When().again(), store="own")
    assert rules.position([0, 0, 1] + [1, 0, 0]).play(C).player == 1
    assert rules.position([0, 1, 0] + [1, 0, 0]).play(B).player == 0


@pytest.mark.parametrize(("store", "own_again", "others_again"), [("own", True, False), ("opponent", False, True)])
@pytest.mark.parametrize("player", [0, 1])
def test_a_row_tells_the_own_store_from_the_opponents_where_both_are_sown(store, own_again, others_again, player):
    rules = game(When(store=store).again(), store="both")
    for seeds, again in ((1, own_again), (5, others_again)):  # of the last pit: into the own store; past all three, on
        row = [1, 0, seeds]
        state = rules.position(row + [1, 0, 0] if player == 0 else [1, 0, 0] + row, player=player).play(C)
        assert sum(state.stores) == (1 if seeds == 1 else 2)
        assert (state.player == player) == again


def test_a_capture_may_take_the_facing_pit_alone():
    state = game(When(side="own").capture("facing")).position([1, 0, 0] + [0, 3, 1]).play(A)
    assert (state.pits, state.stores) == ((0, 1, 0, 0, 0, 1), (3, 0))


def test_a_chain_ends_at_the_first_pit_of_another_count():
    state = oware().position([0, 0, 0, 0, 4, 1] + [1, 3, 1, 0, 5, 0], (14, 14)).play(E)
    assert (state.pits[6:], state.stores) == ((2, 4, 0, 0, 5, 0), (16, 14))


def test_a_chain_may_take_other_counts_than_the_first_pit():
    rules = game(When(side="opponent", count={1}).capture("here", chain={4}))
    assert rules.position([0, 0, 3] + [3, 3, 0]).play(C).stores == (9, 0)
    assert rules.position([0, 0, 3] + [3, 0, 0]).play(C).stores == (1, 0)


@pytest.mark.parametrize(("chain_side", "taken"), [("opponent", 2), ("any", 4)])
def test_a_chain_ends_at_the_movers_field_unless_it_runs_anywhere(chain_side, taken):
    rules = game(When(side="opponent").capture("here", chain={2}, chain_side=chain_side))
    assert rules.position([2, 2, 1] + [1, 0, 5]).play(B).stores == (taken, 0)


@pytest.mark.parametrize(("chain_side", "taken"), [("own", 3), ("opponent", 1), ("any", 5)])
def test_a_chain_of_own_pits_ends_at_the_opponents(chain_side, taken):
    rules = game(When(side="own").capture("here", chain={2}, chain_side=chain_side))
    assert rules.position([1, 6, 0] + [1, 0, 1]).play(B).stores == (taken, 0)  # once round to B; A and c hold two


def test_a_chain_does_not_pass_a_store():
    rules = game(When(side="opponent").capture("here", chain={2}, chain_side="any"), store="own")
    state = rules.position([2, 3, 1] + [1, 0, 5], stores=(1, 0)).play(B)  # the store holds two when C and a do
    assert (state.pits, state.stores) == ((2, 0, 2, 0, 0, 5), (4, 0))


def test_a_chain_round_the_whole_board_takes_each_pit_once():
    rules = game(When().capture("here", chain={1, 2}, chain_side="any"), board=two_rows(2))
    assert rules.position([1, 4] + [1, 1]).play(B).stores == (7, 0)


def test_a_relay_lifts_the_last_pit_and_sows_on():
    rules = game(When(was="occupied").relay())
    assert rules.position([2, 0, 1] + [0, 0, 0]).play(A).pits == (0, 1, 0, 1, 1, 0)


def test_a_relay_stops_at_the_lap_limit():
    rules = game(When(was="occupied").relay(), max_laps=1)
    assert rules.position([2, 0, 1] + [0, 0, 0]).play(A).pits == (0, 1, 2, 0, 0, 0)


def test_a_capture_that_relays_waits_for_a_lap_to_spare():
    raid = When(side="own", was="occupied", facing="occupied").capture("facing").relay()
    state = game(raid, max_laps=1).position([1, 1, 0] + [0, 2, 1]).play(A)
    assert (state.pits, state.stores) == ((0, 2, 0, 0, 2, 1), (0, 0))
    state = game(raid, max_laps=2).position([1, 1, 0] + [0, 2, 1]).play(A)
    assert (state.pits, state.stores) == ((0, 0, 1, 1, 0, 1), (2, 0))


def test_the_lap_limit_does_not_touch_a_capture_that_ends_the_turn():
    assert oware(max_laps=1, grand_slam="capture").position(**SLAM).play(F).stores == (24, 19)


def test_an_endless_relay_ends():
    state = game(When().relay(), max_laps=30_000).position([1, 0, 0] + [0, 0, 1]).play(A)
    assert sum(state.pits) == 2


ENDLESS = {
    "relays": two_rows(3),
    "captures first": two_rows(2),
    "sown on": four_rows(2),
}
ENDLESS_ROWS = {
    "relays": (When().relay(),),
    "captures first": (
        When(side="opponent", was="occupied", facing="occupied").capture("facing").relay(),
        When().relay(),
    ),
    "sown on": (When(facing="occupied").sow_on("facing", "outer"), When(was="occupied").relay()),
}


@pytest.mark.parametrize("way", ENDLESS)
def test_an_endless_turn_ends_as_if_every_lap_were_sown(way):
    board = ENDLESS[way]
    random = np.random.default_rng(7)
    long = 0
    for max_laps in (99, 100, 101, 127, 128, 129, 130, 200, 255, 257, 300, 511, 700):
        rules = game(*ENDLESS_ROWS[way], board=board, seeds=2, max_laps=max_laps)
        for _ in range(6):
            pits = random.multinomial(rules.total_seeds - 2, np.ones(board.pits) / board.pits).tolist()
            here, there = rules.position(pits), Position(rules, pits)
            for action in here.legal_actions:
                assert here.play(action).array.tolist()[: board.pits + 2] == flat(there.play(action))
                other = game(*ENDLESS_ROWS[way], board=board, seeds=2, max_laps=50).position(pits).play(action)
                long += other.pits != here.play(action).pits
    assert long > 10  # turns that go on after 50 laps


def flat(position):
    return [*position.pits, *position.stores]


@pytest.mark.parametrize("max_laps", [32_001, 1_000_000])
def test_a_turn_of_more_laps_than_anybody_can_wait_for_is_refused(max_laps):
    with pytest.raises(ValueError, match="max_laps must be a whole number from 1 to 32000"):
        ruleset("hus", max_laps=max_laps)


@pytest.mark.integration
def test_a_search_among_endless_turns_comes_back():
    rules = ruleset("hus", landing=(When(facing="occupied").sow_on("facing"), When().relay()), max_laps=32_000)
    state = rules.start()
    assert MinimaxAgent(depth=3).act(state) in state.legal_actions


def test_a_capture_may_earn_another_turn():
    rules = game(When(side="opponent", count={2}).capture("here").again())
    state = rules.position([1, 0, 1] + [1, 0, 1]).play(C)
    assert (state.player, state.stores) == (0, (2, 0))


# -- Sizes and names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in CORE if RULESETS[name].board.kind == "two_rows"])
@pytest.mark.parametrize(("columns", "seeds"), [(2, 12), (6, 4), (10, 2), (12, 1)])
def test_boards_come_in_all_sizes(name, columns, seeds):
    rules = ruleset(name, pits_per_row=columns, seeds=seeds)
    state = rules.start()
    assert (rules.pits_per_row, rules.num_actions, rules.total_seeds) == (columns, columns, 2 * columns * seeds)
    assert (state.pits, state.stores, state.player) == ((seeds,) * 2 * columns, (0, 0), 0)
    assert state.legal_actions == tuple(range(columns))
    assert rules == ruleset(name, houses=columns, seeds=seeds)


def test_north_of_a_long_board_sows_into_his_own_store():
    state = kalah(houses=10, seeds=2).position([2] * 20, player=1).play(8)
    assert (state.pits[18:], state.stores, state.player) == ((0, 3), (0, 1), 1)


def test_two_rows_lie_as_they_are_drawn():
    board = two_rows(6)
    assert board.owner == (0,) * 6 + (1,) * 6
    assert [board.facing[pit] for pit in range(12)] == [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    assert board.loops == (tuple(range(12)), tuple(range(12)))
    assert board.homes == ((0, 1, 2, 3, 4, 5), (6, 7, 8, 9, 10, 11))


@pytest.mark.parametrize(("alias", "name"), [("wari", "oware"), ("awele", "oware"), ("kalaha", "kalah")])
def test_games_have_other_names(alias, name):
    assert ruleset(alias) is RULESETS[name]


def test_a_ruleset_of_ones_own_can_be_changed_like_a_named_one():
    assert ruleset(game(), seeds=2) == game(seeds=2)
    assert ruleset(RULESETS["oware"]) is RULESETS["oware"]


def test_every_reason_for_an_end_has_a_name():
    assert set(TERMINATIONS) >= {
        "majority",
        "famine",
        "indeterminacy",
        "repetition",
        "max_plies",
        "grand_slam",
        "side_empty",
        "stuck",
    }


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("owarre", "unknown game 'owarre'; did you mean 'oware'? `"),
        ("bao", "did you mean 'bao_kujifunza'? others near it are bao_kiswahili, "),
        ("relay", "unknown game 'relay'; relay is a mechanism, and `mancala games --mechanism relay`"),
        ("Own store", "own-store is a mechanism, and `mancala games --mechanism own-store` lists"),
        ("ralay", "unknown game 'ralay'; `mancala games` lists all"),
        ("kalahaa", "unknown game 'kalahaa'; did you mean 'kalah'?"),
        ("chess", "unknown game 'chess'; `mancala games` lists all"),
        (None, "unknown game None; `mancala games` lists all"),
    ],
)
def test_an_unknown_game_is_named_with_the_nearest_known_one(asked, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        ruleset(asked)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("grandslam", "there is no option 'grandslam'; did you mean 'grand_slam'?"),
        ("pits_per_rows", "there is no option 'pits_per_rows'; did you mean 'pits_per_row'?"),
        ("hauses", "there is no option 'hauses'; did you mean 'houses'?"),
        ("colour", "there is no option 'colour'; options are name, version, board, seeds"),
    ],
)
def test_an_unknown_option_is_named_with_the_nearest_known_one(option, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        oware(**{option: 1})


# -- Contradictions ----------------------------------------------------------------------------------------------------

ACROSS = When(side="own", was="empty").capture("here", "facing")
TWO = When(side="opponent", count={2}).capture("here")


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ({"name": "my game"}, "a name is letters, digits and '_'"),
        ({"name": ""}, "a name is letters, digits and '_'"),
        ({"board": "6x2"}, "board must be a Board such as two_rows(6)"),
        ({"seeds": 0}, "seeds must be a whole number from 1 to 12, not 0"),
        ({"seeds": 13}, "seeds must be a whole number from 1 to 12, not 13"),
        ({"seeds": 2.5}, "seeds must be a whole number from 1 to 12, not 2.5"),
        ({"seeds": True}, "seeds must be a whole number from 1 to 12, not True"),
        ({"seeds": "4"}, "seeds must be a whole number from 1 to 12, not '4'"),
        ({"max_plies": -1}, "max_plies must be a whole number from 0 to 32000"),
        ({"max_plies": 32_001}, "max_plies must be a whole number from 0 to 32000"),
        ({"max_laps": 0}, "max_laps must be a whole number from 1"),
        ({"repetition": 1}, "every position occurs once"),
        ({"majority_stop": "yes"}, "majority_stop must be True or False, not 'yes'"),
        ({"skip_origin": 1}, "skip_origin must be True or False, not 1"),
        ({"grand_slam": "sometimes"}, "grand_slam must be one of ['capture', 'forbidden'"),
        (
            {"feeding": None},
            "feeding must be one of ['none', 'if_starved', 'always', 'must_leave', 'leave_move'], not None",
        ),
        ({"stuck": "stay"}, "stuck must be one of"),
        ({"store": "each"}, "store must be one of ['none', 'own', 'both'], not 'each'"),
        ({"end_check": "never"}, "end_check must be one of"),
        ({"leftover": "winner"}, "leftover must be one of"),
        ({"slam_scope": "all"}, "slam_scope must be one of"),
        ({"repetition_leftover": "none"}, "repetition_leftover must be one of"),
        (
            {"end_reason": "boredom"},
            "end_reason must be one of ['stuck', 'famine', 'side_empty', 'tutti_a_casa'], not 'boredom'",
        ),
        ({"landing": ("capture",)}, "landing takes clauses such as When(side='own').capture('here')"),
        ({"landing": TWO}, "landing takes clauses such as When(side='own').capture('here')"),
        ({"landing": (TWO,) * 10}, "the landing table has 10 clauses; at most 9 fit"),
        ({"landing": (When(store="own").again(),)}, "When(store=...) needs store='own'"),
        ({"skip_origin": True, "board": two_rows(1)}, "skip_origin=True needs two pits per row or more"),
        ({"options": ("empty_capture",)}, "options takes Options in a tuple, not ('empty_capture',)"),
        ({"options": (Option("seeds", "how many", {3: TWO, 4: ACROSS}),)}, "every ruleset has a field 'seeds'"),
        (
            {"mark_limit": 2, "landing": (TWO,)},
            "mark_limit=2 needs a landing clause that makes marks",
        ),
        ({"unmarkable": (3,), "landing": (When().mark("here"),)}, "from -3 to 2, where -1 is the last; not (3,)"),
        ({"unmarkable": 1, "landing": (When().mark("here"),)}, "unmarkable takes places on a player's own side"),
        ({"feeding": "always", "landing": (When().mark("here"),)}, "marks and feeding='always' do not go together"),
        ({"grand_slam": "forbidden"}, "grand_slam='forbidden' needs a landing clause that captures"),
        (
            {"grand_slam": "spare_last", "landing": (ACROSS,)},
            "grand_slam='spare_last' needs captures of the opponent's pits only, by capture('here', chain=...)",
        ),
        (
            {
                "grand_slam": "spare_first",
                "landing": (When(side="opponent").capture("here", chain={2}, chain_side="any"),),
            },
            "grand_slam='spare_first' needs captures of the opponent's pits only, by capture('here', chain=...)",
        ),
        (
            {"grand_slam": "spare_last", "landing": (When().capture("here", chain={2}),)},
            "grand_slam='spare_last' needs captures of the opponent's pits only, by capture('here', chain=...)",
        ),
        (
            {"grand_slam": "forbidden", "feeding": "always", "landing": (TWO,)},
            "feeding='always' and grand_slam='forbidden' do not go together",
        ),
        (
            {"feeding": "if_starved", "end_check": "any_side"},
            "feeding='if_starved' and end_check='any_side' do not go together",
        ),
        (
            {"feeding": "always", "end_check": "any_side"},
            "feeding='always' and end_check='any_side' do not go together",
        ),
        ({"feeding": "if_starved", "stuck": "pass"}, "a player who must feed cannot also pass"),
        ({"indeterminacy_max_seeds": 3}, "indeterminacy_max_seeds=3 needs a landing clause that captures"),
        (
            {"indeterminacy_max_seeds": 3, "store": "own", "landing": (TWO,)},
            "indeterminacy_max_seeds=3 and store='own' do not go together",
        ),
        ({"indeterminacy_max_seeds": 12, "landing": (TWO,), "board": two_rows(6)}, "take a smaller number"),
        ({"indeterminacy_max_seeds": 62, "landing": (TWO,)}, "take a smaller number"),
        ({"repetition_leftover": "split"}, "repetition_leftover='split' needs repetition=2 or more"),
        ({"max_plies": 0}, "seeds could go round for ever; set max_plies, or repetition=2"),
    ],
)
def test_a_ruleset_that_contradicts_itself_is_refused_in_a_sentence(axes, words):
    with pytest.raises(ValueError, match=f"^ruleset .*{re.escape(words)}"):
        game(**axes)


LEAVING = {"leave": "first_lap"}
TAKEN = {"passing": Passing(counts={3})}


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ({"direction": "left"}, "direction must be one of ['counterclockwise', 'clockwise', 'choice', 'reverse', "),
        ({"direction": ("choice", "clockwise")}, "for each of the 3 places of a player in a tuple, not ('choice', "),
        ({"direction": ["chosen_once"] * 3}, "for each of the 3 places of a player in a tuple, not ['chosen_once', "),
        ({"direction": "choice", "board": two_rows(32)}, "with a choice of direction these rules have 64 actions"),
        (
            {"direction": "chosen_once", "indeterminacy_max_seeds": 3, "landing": (When(count={2}).capture("here"),)},
            "indeterminacy_max_seeds=3 and a direction for the whole game do not go together",
        ),
        ({"turns_round": True}, "turns_round=True needs a landing clause that sows another lap, as relay() does"),
        (
            {"direction": "clockwise", "board": arcs(3), "match": "territory"},
            "direction='clockwise' and a match that lays out the seeds do not go together",
        ),
        ({"store": "both", "board": four_rows(3)}, "both stores lie on one loop"),
        (
            {"landing": (When(store="opponent").again(),), "store": "own"},
            "When(store='opponent') needs store='both'",
        ),
        ({"lone_seed": "stays"}, "lone_seed='stays' needs leave='first_lap'"),
        (LEAVING | {"skip_origin": True}, "leave='first_lap' and skip_origin=True do not go together"),
        (
            LEAVING | {"landing": (When(facing="occupied").sow_on("facing"),)},
            "leave='first_lap' and sow_on() do not go together",
        ),
        (
            LEAVING | {"landing": (TWO,), "grand_slam": "forbidden"},
            "leave='first_lap' and grand_slam='forbidden' do not go together",
        ),
        ({"passing": {3}}, "passing takes Passing(counts={4}), not {3}"),
        ({"skipping": {3}}, "skipping takes Skipping(counts={2}), not {3}"),
        ({"marked_pits": "closed"}, "marked_pits='closed' needs close()"),
        ({"marked_pits": "closed", "landing": (When().mark("here"),)}, "marked_pits='closed' needs close()"),
        ({"landing": (When(was="occupied").close(),)}, "close() needs marked_pits='closed'"),
        (TAKEN | {"feeding": "if_starved"}, "passing and feeding='if_starved' do not go together"),
        (
            TAKEN | {"landing": (When().mark("here"),)},
            "passing and marks do not go together",
        ),
        ({"opening": (0,)}, "opening takes, for each of at most 16 plies, places"),
        ({"opening": ((3,),)}, "from -3 to 2, where -1 is the last: ((0, 1), (0, 1)); not ((3,),)"),
        ({"opening": ((),) * 17}, "opening takes, for each of at most 16 plies, places"),
        ({"opening": ((0,),), "feeding": "always"}, "feeding='always' and opening do not go together"),
        (
            {"singles": "last_resort", "feeding": "always"},
            "feeding='always' and singles='last_resort' do not go together",
        ),
        (
            {"singles": "into_empty", "feeding": "always"},
            "feeding='always' and singles='into_empty' do not go together",
        ),
        ({"store": "own", "leave": "first_lap", "lone_seed": "stays", "max_plies": 0}, "can be played for ever"),
        (
            {"feeding": "must_leave", "landing": (TWO,), "grand_slam": "forbidden"},
            "feeding='must_leave' and grand_slam='forbidden' do not go together",
        ),
        (
            {"feeding": "must_leave", "end_check": "any_side"},
            "feeding='must_leave' and end_check='any_side' do not go together",
        ),
        ({"end_few": 2, "match": "wins", "target": 3}, "end_few=2 needs a single game or rounds with full pits"),
        ({"end_flat": 1, "goal": "last_mover"}, "end_flat=1 needs goal='seeds'"),
        ({"end_few": -1}, "end_few must be a whole number from 0"),
        ({"goal": "outlast", "leftover": "halved"}, "goal='outlast' and leftover='halved' do not go together"),
        ({"goal": "outlast", "feeding": "if_starved"}, "feeding='if_starved' and goal='outlast' do not go together"),
        ({"goal": "outlast", "landing": (When().mark("here"),)}, "goal='outlast' and marks do not go together"),
        (
            {"landing": (When(next="occupied").capture("next"),), "grand_slam": "forbidden"},
            "grand_slam='forbidden' and captures other than of 'here' and 'facing' with plain chains do not go",
        ),
        (
            {"landing": (TWO,), "plain_plies": 2, "indeterminacy_max_seeds": 2},
            "whether anything can be captured must not depend on the ply",
        ),
        (
            {"landing": (When(outer={2}).capture("outer"),)},
            "a clause about outer pits needs a board with outer pits: four_rows(8) or three_rows_horn(6)",
        ),
        (
            {"landing": (When(next="occupied").sow_on("next"), When().mark("here"))},
            "marks and sow_on('next') do not go together",
        ),
        ({"setup_stores": (1,)}, "setup_stores takes the seeds of two stores, such as (4, 0), not (1,)"),
        ({"setup_marks": (0,) * 6}, "setup_marks needs a landing clause that makes marks"),
        (
            {"setup_marks": (2,) * 6, "landing": (When().mark("here"),)},
            "setup_marks takes a mark for each of the 6 pits, 0 South's, 1 North's and -1 none, not (2, 2, 2, 2, 2, 2)",
        ),
        (
            {"setup_marks": (0, -1, -1) * 2, "landing": (When(facing="occupied").mark_pair(),)},
            "setup_marks lays marks that are not in facing pairs",
        ),
        (
            {"setup_marks": (0, 0, -1) * 2, "landing": (When().mark("here"),), "mark_limit": 1},
            "setup_marks lays marks that mark_limit or unmarkable rule out",
        ),
        (
            {"setup_marks": (0, -1, -1) * 2, "landing": (When().mark("here"),), "unmarkable": (0,)},
            "setup_marks lays marks that mark_limit or unmarkable rule out",
        ),
        ({"setup_stores": (1, 0), "match": "wins", "target": 3}, "setup_stores and match='wins' do not go together"),
    ],
)
def test_axes_of_sowing_and_ending_that_contradict_others_are_refused_in_a_sentence(axes, words):
    with pytest.raises(ValueError, match=f"^ruleset .*{re.escape(words)}"):
        game(**axes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"pits_per_row": 0}, "pits per row must be a whole number from 1 to 50, not 0"),
        ({"pits_per_row": 51}, "pits per row must be a whole number from 1 to 50, not 51"),
        ({"opening": ((),)}, "opening ends with a ply in which all may be played"),
        ({"opening": ((0,), ())}, "opening ends with a ply in which all may be played"),
        (
            {"singles": "last_resort", "min_start": 2},
            "singles='last_resort' and feeding='if_starved' do not go together",
        ),
        ({"houses": "6"}, "pits per row must be a whole number from 1 to 50, not '6'"),
        ({"houses": True}, "pits per row must be a whole number from 1 to 50, not True"),
        ({"houses": 6, "board": two_rows(6)}, "give board or houses, not both"),
        ({"end_check": "any_side"}, "feeding='if_starved' and end_check='any_side' do not go together"),
        ({"stuck": "pass"}, "a player who must feed cannot also pass"),
        ({"landing": ()}, "grand_slam='forbidden' needs a landing clause that captures"),
        ({"store": "own"}, "there seeds can always be captured: indeterminacy_max_seeds=3 and store='own' do not go"),
    ],
)
def test_a_change_that_does_not_fit_oware_is_refused(changes, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        oware(**changes)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: When(side="left"),
            "side='left' is no condition on a landing; use one of ['own', 'opponent']",
        ),
        (lambda: When(was="full"), "was='full' is no condition on a landing"),
        (lambda: When(count="odd"), "count='odd' is no condition on a landing"),
        (lambda: When(store="south"), "store='south' is no condition on a landing"),
        (lambda: When(facing="full"), "use one of ['occupied', 'empty'], or numbers of seeds as in {2, 3}"),
        (lambda: When(facing=3), "must name whole numbers of seeds from 1 to 61"),
        (lambda: When(next2={3}), "is no condition on a landing; use one of ['occupied', 'empty']"),
        (lambda: When().or_stop(), "a turn may stop where it would go on with the last pit: relay().or_stop()"),
        (lambda: When(count={0}), "must name whole numbers of seeds from 1 to 61"),
        (lambda: When(count={62}), "must name whole numbers of seeds from 1 to 61"),
        (lambda: When(count={2.5}), "must name whole numbers of seeds from 1 to 61"),
        (lambda: When(count=()), "must name whole numbers of seeds from 1 to 61"),
        (lambda: When(count=2), "must name whole numbers of seeds from 1 to 61"),
        (lambda: When().capture("here", chain={"2"}), "must name whole numbers of seeds from 1 to 61"),
        (lambda: When().capture("there"), "a capture cannot take 'there'"),
        (lambda: When().mark("there"), "'there' cannot be marked; ['here', 'facing', 'pair'] can"),
        (lambda: When(marked="ours"), "marked='ours' is no condition on a landing"),
        (lambda: When(marked="own").relay(), "nobody lifts a marked pit"),
        (lambda: When().mark("facing").relay(), "nobody lifts a marked pit"),
        (lambda: When(marked=True).close(), "a pit is closed with all its seeds"),
        (lambda: When(store="own").mark("here"), "can only say how the turn goes on"),
        (lambda: When(facing="occupied").capture("here").mark_pair(), "a pair is marked by itself"),
        (lambda: When().mark_pair(), "a pair is marked with a seed from across"),
        (lambda: When().capture("here", chain={2}, chain_side="outer"), "chain_side='outer' is unknown"),
        (lambda: When(then="dance"), "then='dance' is unknown"),
        (lambda: When().capture("facing", chain={2}), "a chain starts"),
        (lambda: When(was="empty").relay(), "a relay lifts the pit where the last seed fell"),
        (lambda: When().capture("here").relay(), "a relay lifts the pit where the last seed fell"),
        (lambda: When(store="own").relay(), "a clause for a store cannot relay"),
        (lambda: When(store="own").capture("facing"), "can only say how the turn goes on"),
        (lambda: When(store="own", side="own"), "can only say how the turn goes on"),
        (lambda: When(store="own", was="empty"), "can only say how the turn goes on"),
        (lambda: When(store="own", count={1}), "can only say how the turn goes on"),
        (lambda: When(store="own", facing="empty"), "can only say how the turn goes on"),
        (lambda: When(store="own", count="even"), "can only say how the turn goes on"),
        (lambda: When(store="opponent", next="empty"), "can only say how the turn goes on"),
        (lambda: When(next="full"), "next='full' is no condition on a landing"),
        (lambda: When(next={0}), "must name whole numbers of seeds from 1 to 61"),
        (lambda: When(from_ply=-1), "from_ply must be a whole number from 0 to 1000, not -1"),
        (lambda: When(lifted=True), "lifted must be a whole number from 0 to 61, not True"),
        (lambda: When().capture("every"), "say how many seeds these pits hold: capture('every', every={2, 3})"),
        (lambda: When().capture("facing", every={2}), "every={...} is about capture('every')"),
        (lambda: When().capture("last", "facing"), "takes of the last pit alone and ends the lap"),
        (lambda: When().capture("here", chain_way="columns"), "chain_way is about the pits of a chain"),
        (lambda: When().capture("here", to="south"), "to='south' is unknown"),
        (lambda: When().capture("here", to="here"), "what is laid in the last pit is sown on from there"),
        (lambda: When().capture("every", every={2}, every_side="left"), "every_side='left' is unknown"),
        (lambda: When().relay("next"), "a relay of the next pit needs seeds there"),
        (lambda: When(next="occupied").capture("next").relay("next"), "which cannot be taken as well"),
        (lambda: When().relay("last"), "relay('last') is unknown"),
        (lambda: When().sow_on("next2"), "sow_on takes ['facing', 'outer', 'next'], not ('next2',)"),
        (lambda: When().sow_on("next"), "to sow on there must be seeds"),
        (lambda: When(facing="occupied").sow_on("facing", first="store"), "first='store' is unknown"),
        (lambda: When(outer="empty").capture("outer"), "an empty outer pit holds nothing to take"),
        (lambda: Skipping(counts={0}), "must name whole numbers of seeds from 1 to 61"),
        (lambda: Skipping(counts={2}, side="both"), "skipping: side='both' is unknown"),
        (lambda: Skipping(counts={2}, from_ply=-1), "skipping: from_ply must be a whole number"),
        (lambda: Passing(counts={0}), "must name whole numbers of seeds from 1 to 61"),
        (lambda: Passing(counts={2}, to="here"), "passing: to='here' is unknown"),
        (lambda: Passing(counts={2}, when="later"), "passing: when='later' is unknown"),
    ],
)
def test_a_landing_row_that_cannot_work_is_refused_in_a_sentence(make, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        make()


# -- Impossible positions and actions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ({"pits": [4] * 11}, "pits must be 12 numbers, not 11"),
        ({"pits": [4] * 13}, "pits must be 12 numbers, not 13"),
        ({"pits": 48}, "pits must be 12 numbers, not 48"),
        ({"pits": "4" * 12}, "pit 0 must be a whole number from 0 to 48, not '4'"),
        ({"pits": [4] * 11 + [-1]}, "pit 11 must be a whole number from 0 to 48, not -1"),
        ({"pits": [4] * 11 + [3.5]}, "pit 11 must be a whole number from 0 to 48, not 3.5"),
        ({"pits": [4] * 11 + [True]}, "pit 11 must be a whole number from 0 to 48, not True"),
        ({"pits": [4] * 11 + [None]}, "pit 11 must be a whole number from 0 to 48, not None"),
        ({"pits": [0] * 11 + [70_000]}, "pit 11 must be a whole number from 0 to 48, not 70000"),
        ({"pits": [4] * 11 + [5]}, "49 seeds are more than the 48 the game is played with"),
        ({"pits": [4] * 12, "stores": (1, 0)}, "49 seeds are more than the 48"),
        ({"pits": [0] * 12, "stores": (1, 2, 3)}, "stores must be 2 numbers, not 3"),
        ({"pits": [0] * 12, "stores": (1, -1)}, "the store of North must be a whole number from 0 to 48, not -1"),
        ({"pits": [0] * 12, "stores": 5}, "stores must be 2 numbers"),
        ({"pits": [4] * 12, "player": 2}, "player must be 0 or 1, not 2"),
        ({"pits": [4] * 12, "player": True}, "player must be 0 or 1, not True"),
        ({"pits": [4] * 12, "player": None}, "player must be 0 or 1, not None"),
        ({"pits": [4] * 12, "ply": -1}, "ply must be a whole number"),
        ({"pits": [4] * 12, "ply": 1.5}, "ply must be a whole number"),
        ({"pits": [4] * 12, "ply": 1_000_000}, "ply must be a whole number"),
        ({"pits": [4] * 12, "marks": [-1] * 12}, "a position has no field 'marks'"),
        ({"pits": [4] * 12, "colour": "red"}, "a position has no field 'colour'"),
    ],
)
def test_an_impossible_position_is_refused_in_a_sentence(position, words):
    with pytest.raises(ValueError, match=f"^oware: .*{re.escape(words)}"):
        oware().position(**position)


def test_numpy_numbers_are_as_good_as_any():
    state = oware().position(np.full(12, 4), np.zeros(2, dtype=np.int8), player=np.int64(1), ply=np.int16(3))
    assert state == oware().position([4] * 12, player=1, ply=3)
    assert state.play(np.int32(2)) == state.play(2)


@pytest.mark.parametrize("action", [A, -1, 6, 1.0, 2.5, True, False, np.True_, np.float64(2), "2", "C", None, (2,)])
def test_an_action_that_cannot_be_played_is_named_with_the_legal_ones_and_the_position(action):
    state = oware().position([0, 5, 5, 5, 5, 4] + [4, 4, 4, 4, 4, 4], ply=2)
    with pytest.raises(IllegalAction) as error:
        state.play(action)
    assert str(error.value) == (
        f"oware: player 0 cannot play {action!r}; legal actions are (1, 2, 3, 4, 5) in position "
        "oware 0-5-5-5-5-4-4-4-4-4-4-4-0-0-S ply=2"
    )


def test_a_finished_game_takes_no_more_actions():
    state = oware().position([1, 2, 2, 1, 1, 0] + EMPTY, (20, 21))
    with pytest.raises(IllegalAction) as error:
        state.play(A)
    assert str(error.value) == (
        "oware: player 0 cannot play 0; the game is over (famine) in position "
        "oware 1-2-2-1-1-0-0-0-0-0-0-0-20-21-S over=famine"
    )


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda rules: rules.action(0, 6), "pit 6 is not one of player 0's pits [0, 1, 2, 3, 4, 5]"),
        (lambda rules: rules.action(1, 5), "pit 5 is not one of player 1's pits [6, 7, 8, 9, 10, 11]"),
        (lambda rules: rules.action(2, 5), "player must be 0 or 1, not 2"),
        (lambda rules: rules.action(0, 5, direction=1), "seeds are sown in one direction only"),
        (lambda rules: rules.pit(0, 6), "action must be from 0 to 5, not 6"),
        (lambda rules: rules.pit(0, -1), "action must be from 0 to 5, not -1"),
        (lambda rules: rules.pit(1, 2.0), "action must be from 0 to 5, not 2.0"),
        (lambda rules: rules.pit(-1, 0), "player must be 0 or 1, not -1"),
    ],
)
def test_pits_and_actions_that_do_not_exist_are_refused(ask, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        ask(oware())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mark_word": 5}, "mark_word is a word, such as 'marked', not 5"),
        ({"aliases": [1]}, "aliases takes pairs of names such as (('other', 'marks'),), not [1]"),
        ({"aliases": "uur"}, "aliases takes pairs of names such as (('other', 'marks'),), not 'uur'"),
        ({"aliases": (("uur", 3),)}, "aliases takes pairs of names such as (('other', 'marks'),), not (('uur', 3),)"),
    ],
)
def test_words_and_aliases_that_are_none_are_refused(changes, words):
    with pytest.raises(ValueError, match=re.escape(f"ruleset 'layli_goobalay': {words}")):
        ruleset("layli_goobalay", **changes)


@pytest.mark.parametrize("name", CHOICES)
def test_the_help_of_a_ruleset_tells_every_value_of_a_choice(name):
    told = Ruleset.__doc__
    assert f"(``{name}``)" in told
    assert all(f'"{value}"' in told for value in CHOICES[name])
