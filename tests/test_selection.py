"""What may be played, and what comes of it by place and number: each rule in positions small enough to play by hand."""

import re

import pytest

import mancala_env as mancala
from mancala_env import Barred, Ruleset, When, arcs, four_rows, one_row, ruleset, two_rows
from tests.reference import Position

BOTH = pytest.mark.parametrize("position", [Ruleset.position, Position], ids=["kernels", "reference"])
TWO = When(side="opponent", count={2}).capture("here")


def game(**axes):
    return Ruleset(**{"name": "game", "board": two_rows(3)} | axes)


@BOTH
def test_seeds_beyond_a_round_fall_on_the_opponents_side_only(position):
    rules = game(surplus="opponent", skip_origin=True)
    assert position(rules, [8, 0, 0, 0, 0, 0]).play(0).pits == (0, 1, 1, 2, 2, 2)
    assert position(rules, [9, 0, 0, 0, 0, 0]).play(0).pits == (0, 1, 1, 3, 2, 2)
    with_origin = game(surplus="opponent")
    assert position(with_origin, [0, 0, 0, 8, 0, 0], player=1).play(0).pits == (2, 2, 1, 1, 1, 1)
    past_a_store = game(surplus="opponent", store="own", direction="clockwise")
    after = position(past_a_store, [0, 0, 9, 0, 0, 0]).play(2)
    assert (after.pits, tuple(after.stores)) == ((1, 1, 1, 1, 2, 2), (1, 0))


@BOTH
def test_a_place_is_counted_from_its_owners_left(position):
    rules = game(landing=(When(place={-1}).capture("here"),))
    for player, pit in ((0, 0), (0, 3), (1, 3), (1, 0)):
        seeds = [0] * 6
        seeds[pit], origin = 1, 3 * player
        seeds[origin] = {0: 2, 3: 5}[abs(pit - origin)] if pit != origin else 2
        after = position(rules, seeds, player=player).play(0)
        ends = (origin + seeds[origin]) % 6
        assert (after.pits[ends] == 0) == (ends in (2, 5))
    own = game(landing=(When(side="own", place={1}).capture("here"),))
    assert position(own, [1, 2, 0, 1, 0, 0]).play(0).pits == (0, 0, 0, 1, 0, 0)
    assert position(own, [0, 2, 2, 1, 1, 0]).play(2).pits == (0, 2, 0, 2, 2, 0)


@BOTH
def test_barred_pits_are_played_if_nothing_else_can_be(position):
    rules = game(barred=Barred({-1}, {1, 2}))
    assert position(rules, [0, 1, 2, 1, 0, 0]).legal_actions == (1,)
    assert position(rules, [0, 1, 3, 1, 0, 0]).legal_actions == (1, 2)
    assert position(rules, [0, 0, 2, 1, 0, 0]).legal_actions == (2,)
    assert position(rules, [0, 0, 2, 0, 1, 1], player=1).legal_actions == (1,)
    assert position(game(barred=Barred({0, 1})), [9, 9, 1, 1, 0, 0]).legal_actions == (2,)


@BOTH
def test_nothing_is_barred_where_the_opponent_has_to_be_fed(position):
    rules = game(barred=Barred({-1}, {1, 2}), feeding="if_starved")
    assert position(rules, [0, 3, 2, 0, 0, 0]).legal_actions == (1, 2)
    assert position(rules, [0, 3, 2, 1, 0, 0]).legal_actions == (1,)


@BOTH
def test_a_starved_opponent_is_given_as_much_as_the_rules_ask_or_as_much_as_can_be(position):
    rules = game(feeding="if_starved", feeding_least=2, end_reason="famine")
    assert position(rules, [4, 1, 2, 0, 0, 0]).legal_actions == (0, 2)  # two and two; the second gives nothing
    assert position(rules, [3, 2, 1, 0, 0, 0]).legal_actions == (0, 1, 2)  # one each
    assert position(rules, [3, 0, 3, 0, 0, 0]).legal_actions == (2,)
    assert position(rules, [0, 1, 0, 0, 0, 0]).termination == "famine"
    assert position(rules, [3, 0, 3, 1, 0, 0]).legal_actions == (0, 2)


@BOTH
def test_a_number_of_seeds_ends_the_game_and_only_who_has_them_wins(position):
    for below, winner in (("more", 0), ("draw", None)):
        rules = game(target_seeds=5, below_target=below, landing=(TWO,), seeds=2)
        end = position(rules, [0, 0, 1, 1, 3, 0], (3, 2)).play(2)
        assert (end.termination, end.winner, end.scores) == ("target", 0, (5, 2))
        end = position(rules, [0, 0, 0, 0, 0, 0], (4, 3))
        assert (end.termination, end.winner, end.scores) == ("stuck", winner, (4, 3))
        end = position(rules, [3, 1, 0, 0, 0, 0], (4, 3), player=1)
        assert (end.termination, end.winner, end.scores) == ("stuck", 0, (8, 3))  # with those of the own row


def test_a_draw_below_the_target_is_worth_nothing_to_those_who_look_ahead():
    rules = game(target_seeds=9, below_target="draw", max_plies=1)
    state = rules.position([1, 0, 0, 0, 1, 0], (5, 2))
    assert state.play(0).winner is None
    batch = mancala.Batch(rules.changes(start=[1, 1, 0, 1, 0, 0], setup_stores=(6, 0)), 1)
    rewards, done = batch.play([0])
    assert done.all()
    assert not rewards.any()


@BOTH
def test_winning_the_last_seeds_of_the_opponent_one_by_one_can_be_a_grand_slam(position):
    raid = (When(side="opponent").capture("last"),)
    for slam, stores in (("capture", (1, 0)), ("no_capture", (0, 0))):
        rules = game(landing=raid, grand_slam=slam)
        assert tuple(position(rules, [0, 1, 1, 0, 0, 0]).play(2).stores) == stores
        assert tuple(position(rules, [0, 1, 1, 1, 0, 0]).play(2).stores) == (1, 0)
    forbidden = game(landing=raid, grand_slam="forbidden")
    assert position(forbidden, [0, 1, 1, 0, 0, 0]).legal_actions == (1,)
    rest = game(landing=raid, grand_slam="rest_to_opponent")
    end = position(rest, [0, 1, 1, 0, 0, 0]).play(2)
    assert (end.termination, end.scores) == ("grand_slam", (1, 1))
    several = rest.changes(slam_scope="multi_pit")
    assert position(several, [0, 1, 1, 0, 0, 0]).play(2).termination != "grand_slam"


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ({"surplus": "nowhere"}, "surplus must be one of ['round', 'opponent'], not 'nowhere'"),
        ({"surplus": "opponent", "board": four_rows(3)}, "needs a loop that both players share, two_rows(6)"),
        ({"landing": (When(place={3}).again(),)}, "from -3 to 2, where -1 is the last; not [3]"),
        ({"barred": {0}}, "barred takes Barred(places={0}, counts={1, 2}), not {0}"),
        ({"barred": Barred({4})}, "barred takes places on a side"),
        ({"barred": Barred({0}), "feeding": "always"}, "barred goes without feeding='always'"),
        ({"barred": Barred({0}), "feeding": "must_leave"}, "barred goes without grand_slam='forbidden' and feeding"),
        ({"barred": Barred({0}), "board": arcs(3), "match": "territory"}, "without matches that lay out the seeds"),
        (
            {"barred": Barred({0}), "board": one_row(9), "sowing": "reaping", "goal": "last_mover", "setup": (1,) * 9},
            "each player plays their own half",
        ),
        ({"feeding_least": 3}, "set feeding='if_starved', or leave it"),
        ({"feeding_least": 0, "feeding": "if_starved"}, "feeding_least must be a whole number from 1 to 100"),
        ({"below_target": "draw"}, "below_target is about games with target_seeds; set that, too"),
        ({"target_seeds": 9, "majority_stop": True}, "instead of a majority: majority_stop=False"),
        ({"target_seeds": 9, "goal": "last_mover"}, "target_seeds ends single games about seeds"),
        ({"target_seeds": 25}, "target_seeds=25 is more than the 24 seeds of the game"),
    ],
)
def test_what_contradicts_itself_is_refused_in_a_sentence(axes, words):
    with pytest.raises(ValueError, match=f"^ruleset .*{re.escape(words)}"):
        game(**axes)


@pytest.mark.parametrize("places", [None, (), "ab", {True}, {1.5}])
def test_what_is_no_set_of_places_is_refused(places):
    with pytest.raises(ValueError, match="must name places on a side"):
        Barred(places)
    if places is not None:
        with pytest.raises(ValueError, match=r"place=.* must name places on a side"):
            When(place=places)


def test_predecessors_are_refused_where_moves_cannot_be_taken_back():
    for rules, why in ((game(surplus="opponent"), "more than a round"), (game(landing=(When(place={0}),)), "ask for")):
        with pytest.raises(ValueError, match=why):
            rules.start().predecessors()


# Songo.


@BOTH
def test_songo_bars_its_last_pit_forbids_to_take_all_and_feeds_with_seven(position):
    songo = ruleset("songo")
    assert position(songo, [2, 0, 0, 5, 0, 0, 0, 9, 9, 0, 0, 0, 0, 0]).legal_actions == (3,)
    assert position(songo, [2, 0, 0, 0, 0, 0, 0, 9, 9, 0, 0, 0, 0, 0]).legal_actions == (0,)
    assert position(songo, [7, 9, 0, 9, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]).legal_actions == (0, 1)
    assert position(songo, [2, 5, 0, 9, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]).legal_actions == (3,)  # gives six
    all_of_it = position(songo, [0, 3, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1], (10, 10)).play(1)
    assert (all_of_it.pits[12:], tuple(all_of_it.stores)) == ((2, 2), (10, 10))
    ends = position(songo, [0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 1, 0], (39, 5)).play(1)
    assert (ends.termination, ends.winner) == ("target", 0)
    few = position(songo, [0, 3, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1, 2], (33, 27)).play(1)
    assert (few.termination, few.scores, few.winner) == ("few_seeds", (39, 31), None)


def test_players_of_songo_choose_what_is_captured():
    three = ruleset("songo", counts="2 or 4").position([0, 3, 9, 9, 0, 0, 0, 0, 0, 0, 0, 5, 2, 0], (5, 5))
    assert three.play(1).stores == (5, 5)
    assert ruleset("songo").position(three.pits, three.stores).play(1).stores == (8, 5)
