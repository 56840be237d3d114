"""What may be played, and what comes of it by place and number: each rule in positions small enough to play by hand."""

import re

import pytest

import mancala_env as mancala
from mancala_env import Barred, Passing, Ruleset, When, ruleset, two_rows
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
def test_forced_pits_are_played_before_all_others(position):
    rules = game(forced=Barred({-1}, {3, 4}))
    assert position(rules, [1, 1, 3, 1, 0, 0]).legal_actions == (2,)
    assert position(rules, [1, 1, 5, 1, 0, 0]).legal_actions == (0, 1, 2)
    assert position(game(forced=Barred({0, 1})), [0, 2, 3, 1, 0, 0]).legal_actions == (1,)


@BOTH
def test_the_opponent_can_have_a_right_to_a_pit_that_can_be_played(position):
    rules = game(feeding="leave_move", min_start=2, landing=(TWO,), end_reason="famine")
    assert position(rules, [2, 2, 2, 0, 0, 1]).legal_actions == ()
    assert position(rules, [4, 2, 2, 1, 0, 0]).legal_actions == (0, 2)
    assert position(rules, [0, 0, 3, 0, 0, 1]).legal_actions == ()  # takes the two of the last pit
    assert position(rules, [0, 0, 2, 0, 0, 0]).termination == "famine"
    assert position(rules.changes(min_start=1), [0, 0, 2, 0, 0, 0]).legal_actions == (2,)


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
    rules = game(target_seeds=5, landing=(TWO,), seeds=2)
    end = position(rules, [0, 0, 1, 1, 3, 0], (3, 2)).play(2)
    assert (end.termination, end.winner, end.scores) == ("target_seeds", 0, (5, 2))
    end = position(rules, [0, 0, 0, 0, 0, 0], (4, 3))
    assert (end.termination, end.winner, end.scores) == ("stuck", None, (4, 3))
    end = position(rules, [3, 1, 0, 0, 0, 0], (4, 3), player=1)
    assert (end.termination, end.winner, end.scores) == ("stuck", 0, (8, 3))  # with those of the own row


def test_a_draw_below_the_target_is_worth_nothing_to_those_who_look_ahead():
    rules = game(target_seeds=9, max_plies=1)
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


@BOTH
def test_what_has_been_played_is_remembered_and_played_again_last_or_never(position):
    rules = game(remember="played_last")
    after = position(rules, [1, 1, 1, 1, 1, 1]).play(0)
    assert list(after.memory) == [1, 0, 0, 0, 0, 0]
    assert position(rules, [1, 1, 1, 1, 1, 1], memory=[1, 0, 0, 1, 1, 0]).legal_actions == (1, 2)
    assert position(rules, [1, 0, 0, 1, 1, 1], memory=[1, 0, 0, 1, 1, 0]).legal_actions == (0,)
    never = game(remember="until_sown", stuck="pass")
    assert position(never, [1, 0, 0, 1, 1, 1], memory=[1, 0, 0, 1, 1, 0]).player == 1
    assert position(never, [1, 0, 0, 1, 0, 0], memory=[1, 0, 0, 1, 1, 0]).termination == "stuck"


@BOTH
def test_a_pit_is_not_remembered_before_the_turn_in_which_it_is_played_is_over(position):
    rules = game(remember="played", landing=(When(remembered=True).capture("here"),))
    assert tuple(position(rules, [7, 0, 0, 1, 0, 0], memory=[1, 0, 0, 0, 0, 0]).play(0).stores) == (0, 0)
    around = position(rules, [6, 0, 0, 1, 0, 0])
    assert tuple(around.play(0).stores) == (0, 0)
    assert tuple(position(rules, [6, 0, 0, 1, 0, 0], memory=[1, 0, 0, 0, 0, 0]).play(0).stores) == (1, 0)


@BOTH
def test_a_pit_is_forgotten_when_the_opponent_sows_into_it(position):
    rules = game(remember="until_sown")
    known = [1, 1, 0, 0, 1, 1]
    after = position(rules, [1, 1, 3, 1, 1, 1], memory=known).play(2)
    assert list(after.memory) == [1, 1, 1, 0, 0, 0]  # the mover's own pits stay
    after = position(rules, [1, 1, 8, 1, 1, 1], memory=known).play(2)
    assert list(after.memory) == [1, 1, 1, 0, 0, 0]
    assert list(position(rules, [1, 1, 1, 5, 1, 1], player=1, memory=known).play(0).memory) == [0, 0, 0, 1, 1, 1]


@BOTH
def test_a_mark_is_remembered_when_a_last_seed_of_the_other_player_has_fallen_there(position):
    rules = game(
        landing=(
            When(marked="opponent", remembered=True).capture("last"),
            When(marked=True),
            When(count={9}).mark("here"),
        ),
        remember="marks",
    )
    marks = [-1, 0, -1, -1, 1, -1]
    first = position(rules, [0, 0, 2, 0, 3, 1], marks=marks).play(2)
    assert (first.pits, list(first.memory)) == ((0, 0, 0, 1, 4, 1), [0, 0, 0, 0, 1, 0])
    second = position(rules, [0, 0, 2, 0, 3, 1], marks=marks, memory=[0, 0, 0, 0, 1, 0]).play(2)
    assert (second.pits, tuple(second.stores)) == ((0, 0, 0, 1, 3, 1), (1, 0))
    own = position(rules, [1, 3, 0, 0, 3, 1], marks=marks).play(0)
    assert list(own.memory) == [0] * 6


@BOTH
def test_a_chain_can_run_forward_from_the_last_pit_or_from_the_next(position):
    from_here = game(landing=(When(count={2}).capture("here", chain={1, 3}, chain_side="any", chain_way="forward"),))
    after = position(from_here, [0, 1, 1, 1, 3, 2]).play(1)
    assert (after.pits, tuple(after.stores)) == ((0, 0, 0, 0, 0, 2), (6, 0))
    from_next = game(landing=(When(next={1}).capture("next", chain={1, 3}, chain_way="forward"),))
    after = position(from_next, [0, 1, 1, 1, 3, 2]).play(1)
    assert (after.pits, tuple(after.stores)) == ((0, 0, 2, 0, 0, 2), (4, 0))
    all_round = When(next={1}).capture("next", chain={1, 2}, chain_side="any", chain_way="forward")
    after = position(game(landing=(all_round,), leave="first_lap"), [2, 2, 1, 1, 2, 1]).play(1)
    assert (after.pits, tuple(after.stores)) == ((0,) * 6, (9, 0))


@BOTH
def test_seeds_won_can_save_a_player_who_cannot_move(position):
    rules = game(goal="last_mover", landing=(TWO,), safe_seeds=5)
    assert position(rules, [0, 0, 0, 1, 0, 0], (4, 6)).winner == 1
    assert position(rules, [0, 0, 0, 1, 0, 0], (5, 6)).winner is None
    assert position(rules, [1, 0, 0, 0, 0, 0], (9, 5), player=1).winner is None


@BOTH
def test_what_is_taken_on_the_way_can_end_the_lap_and_earn_another_turn(position):
    passing = Passing(counts={2}, then="again", when="after_lap")
    rules = game(passing=passing, landing=(When(was="occupied").relay(),))
    after = position(rules, [3, 1, 0, 1, 0, 0]).play(0)
    assert (after.pits, tuple(after.stores), after.player) == ((0, 0, 1, 2, 0, 0), (2, 0), 0)
    after = position(rules, [3, 2, 0, 0, 0, 0]).play(0)
    assert (after.pits, tuple(after.stores), after.player) == ((0, 3, 1, 1, 0, 0), (0, 0), 1)


@BOTH
def test_a_capture_can_go_to_the_opponent(position):
    rules = game(landing=(When(side="opponent", facing="occupied").capture("facing", to="opponent"),))
    after = position(rules, [0, 4, 1, 0, 1, 0]).play(2)
    assert (after.pits, tuple(after.stores)) == ((0, 4, 0, 1, 1, 0), (0, 0))
    after = position(rules, [0, 4, 2, 0, 1, 0]).play(2)
    assert (after.pits, tuple(after.stores)) == ((0, 0, 0, 1, 2, 0), (0, 4))


@BOTH
def test_few_seeds_can_change_what_a_clause_takes(position):
    everything = When(count={2}, few=4).capture("every", every=range(1, 62))
    rules = game(landing=(everything, When(count={2}).capture("here")))
    assert tuple(position(rules, [1, 1, 0, 1, 1, 0]).play(0).stores) == (4, 0)
    assert tuple(position(rules, [1, 1, 0, 1, 1, 1]).play(0).stores) == (2, 0)


@BOTH
def test_the_next_pit_is_the_one_after_a_store(position):
    rules = game(store="own", landing=(When(store="own").relay("next"), When(next="occupied").relay("next")))
    assert position(rules, [0, 1, 0, 2, 0, 0]).play(1).pits == (0, 0, 1, 0, 1, 1)
    assert position(rules, [0, 0, 1, 2, 0, 0]).play(2).pits == (0, 0, 0, 0, 1, 1)


@BOTH
def test_single_seeds_at_last_go_into_empty_pits_only(position):
    rules = game(singles="into_empty_at_last")
    assert position(rules, [1, 2, 1, 1, 0, 0]).legal_actions == (0, 1, 2)
    assert position(rules, [1, 1, 1, 0, 1, 0]).legal_actions == (2,)


@BOTH
def test_a_first_lap_may_not_end_among_own_seeds(position):
    rules = game(first_lap="not_in_own_full")
    assert position(rules, [1, 1, 2, 1, 1, 1]).legal_actions == (2,)
    assert position(rules, [6, 1, 0, 0, 0, 0]).legal_actions == (0, 1)  # all round into a pit that is empty by then
    assert position(rules, [7, 7, 0, 0, 0, 0]).legal_actions == ()
    assert position(rules.changes(plain_plies=1), [1, 1, 2, 1, 1, 1]).legal_actions == (0, 1, 2)
    with_store = game(first_lap="not_in_own_full", store="own")
    assert position(with_store, [3, 1, 1, 1, 1, 1]).legal_actions == (0, 2)


@pytest.mark.parametrize("places", [None, (), "ab", {True}, {1.5}])
def test_what_is_no_set_of_places_is_refused(places):
    with pytest.raises(ValueError, match="must name places on a side"):
        Barred(places)
    if places is not None:
        with pytest.raises(ValueError, match=r"place=.* must name places on a side"):
            When(place=places)


def test_predecessors_are_refused_where_moves_cannot_be_taken_back():
    for rules, why in (
        (game(surplus="opponent"), "games with surplus"),
        (game(landing=(When(place={0}),)), "When.place="),
    ):
        with pytest.raises(ValueError, match=why):
            rules.start().predecessors()


@pytest.mark.parametrize(
    ("clause", "why"),
    [
        (lambda: When().capture("here", to="nobody"), "to='nobody' is unknown; it is one of"),
        (lambda: When(store="own").relay(), "a clause for a store cannot relay; use again()"),
        (lambda: When(few=-1), "few must be a whole number from 0 to 1000, not -1"),
        (lambda: Passing(counts={2}, then="relay"), "passing: then='relay' is unknown"),
        (lambda: When(remembered="yes"), "remembered='yes' is no condition on a landing"),
        (lambda: When().capture("here", chain_way="forward"), "is about the pits of a chain"),
        (lambda: When().capture("here", chain={2}, chain_way="up"), "chain_way='up' is unknown; it is one of"),
        (lambda: When().capture("next", chain={2}), "a chain starts where the last seed fell"),
    ],
)
def test_clauses_that_contradict_themselves_are_refused(clause, why):
    with pytest.raises(ValueError, match=re.escape(why)):
        clause()


def test_memory_is_part_of_a_position_in_all_its_forms():
    rules = ruleset("adi")
    state = rules.position([4] * 12, memory=[0, 1, *[0] * 9, 1])
    assert "memory=.x.........x" in str(state)
    assert mancala.State.parse(rules, str(state)) == state != rules.start()
    assert "Remembered: B, f" in state.to_text()
    for given, why in (([2] * 12, "memory of pit 0 must be 0 or 1"), ([0] * 11, "memory must be 12 numbers")):
        with pytest.raises(ValueError, match=why):
            rules.position([4] * 12, memory=given)
    with pytest.raises(ValueError, match="it is written with"):
        mancala.State.parse(rules, str(state).replace("x", "y"))
    with pytest.raises(ValueError, match="games with remember"):
        state.predecessors()
    with pytest.raises(ValueError, match="no field"):
        ruleset("kalah").position([4] * 12, memory=[0] * 12)
    seen = [mancala.Batch(each, 1).observe().shape[1] for each in (rules, rules.changes(remember="nothing"))]
    assert seen[0] == seen[1] + 12


@BOTH
def test_on_a_single_row_seeds_must_fit_and_a_chain_ends_where_the_row_begins(position):
    rules = ruleset("atomic_wari", start=[2, 2, 1, 0, 3, 3])
    assert position(rules, rules.setup).legal_actions == (0, 1)
    assert position(rules, rules.setup, player=1).legal_actions == (0, 1, 4)  # from the right
    after = position(rules, rules.setup).play(1)
    assert (after.pits, tuple(after.stores)) == ((2, 1, 0, 0, 3, 3), (2, 0))
    begins = rules.changes(start=[3, 1, 1, 0, 0, 3], leave="nothing", min_start=1)
    after = position(begins, [2, 1, 1, 0, 0, 3]).play(0)
    assert (after.pits, tuple(after.stores)) == ((0, 0, 0, 0, 0, 3), (4, 0))  # not what lies at the other end


@BOTH
def test_in_sowing_the_last_seed_falls_among_others_and_in_the_impartial_form_either_way(position):
    start = [1, 2, 2, 3]
    for player, pits in ((0, [0, 1]), (1, [3, 2])):
        state = position(ruleset("sowing", start=start), start, player=player)
        assert [state.pit(action) for action in state.legal_actions] == pits
    either = position(ruleset("isowing", start=start), start, player=1)
    assert {tuple(either.play(action).pits) for action in either.legal_actions} == {
        (0, 3, 2, 3), (1, 0, 3, 4), (2, 3, 0, 3), (2, 3, 3, 0),
    }  # fmt: skip


def test_impartial_sowing_has_the_published_values():
    rules, known = ruleset("isowing", start=[1, 0]), {}

    def value(pits):
        if pits not in known:
            state = rules.changes(start=list(pits)).start()
            after = {value(tuple(state.play(action).pits)) for action in state.legal_actions}
            known[pits] = next(number for number in range(99) if number not in after)
        return known[pits]

    assert value((1, 2, 2, 3)) == 2


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
    assert (ends.termination, ends.winner) == ("target_seeds", 0)
    few = position(songo, [0, 3, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1, 2], (33, 27)).play(1)
    assert (few.termination, few.scores, few.winner) == ("few_seeds", (39, 31), None)


def test_players_of_songo_choose_what_is_captured():
    three = ruleset("songo", counts="2 or 4").position([0, 3, 9, 9, 0, 0, 0, 0, 0, 0, 0, 5, 2, 0], (5, 5))
    assert three.play(1).stores == (5, 5)
    assert ruleset("songo").position(three.pits, three.stores).play(1).stores == (8, 5)


@pytest.mark.parametrize(
    "changes",
    [
        {"opening": ((-1,),)},
        {"remember": "played_last"},
        {"remember": "until_sown"},
    ],
)
def test_what_tells_pits_apart_is_refused_where_a_player_plays_too_many(changes):
    rules = mancala.ruleset("kapana_bona", pits_per_row=31)
    assert rules.changes(**changes).start().legal_actions
    with pytest.raises(ValueError, match="more than 62 pits that a player plays and"):
        rules.changes(pits_per_row=32, **changes)


def test_no_grand_slam_is_forbidden_where_a_player_may_come_to_play_too_many_pits():
    rules = mancala.ruleset("oware_territory", indeterminacy_max_seeds=0)
    assert rules.changes(pits_per_row=31).num_actions == 62
    with pytest.raises(ValueError, match="62 pits that a player plays and grand_slam="):
        rules.changes(pits_per_row=32)
    assert rules.changes(pits_per_row=32, grand_slam="capture").num_actions == 64
