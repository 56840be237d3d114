"""What the games beside Oware and Kalah do, option by option, in positions that can be played by hand.

Two-row boards are written as South's row + North's, each from its owner's left: A to F are pits 0 to 5, North's a to f
pits 6 to 11; F is followed by a, and A faces f. Where nothing is said about them, missing seeds do not matter. The
expected positions follow from the rule sheets of the games; ``tests.reference`` plays them a second time elsewhere.
"""

import copy
import pickle
import re
from itertools import combinations_with_replacement, pairwise, product

import numpy as np
import pytest

from mancala_env import RULESETS, TERMINATIONS, IllegalAction, State, four_rows, ruleset, two_rows
from tests.cases import START, at, check, legal_pits, sow
from tests.games import CORE, after_game, all_seeds, random_game
from tests.reference import is_dead

A, B, C, D, E, F = range(6)
EMPTY = [0, 0, 0, 0, 0, 0]
CASES = []  # rows of ``tests.cases``
NOBODY = [-1] * 12
SOUTH_WINS, NORTH_WINS, DRAW = (30, 18), (20, 28), (24, 24)


def tutti(**changes):
    return ruleset("oware_tutti_a_casa", **changes)


def liberta(**changes):
    return ruleset("oware_liberta", **changes)


def territory(**changes):
    return ruleset("oware_territory", **changes)


def series_wins(**changes):
    return ruleset("oware_series_wins", **changes)


def series_difference(**changes):
    return ruleset("oware_series_difference", **changes)


def layli(**changes):
    return ruleset("layli_goobalay", **changes)


def layli_match(**changes):
    return ruleset("layli_goobalay_match", **changes)


def hus(**changes):
    return ruleset("hus", **changes)


def diffusion(**changes):
    return ruleset("diffusion", **changes)


def reaping(**changes):
    return ruleset("reaping", **changes)


def play_pits(state, *pits):
    for pit in pits:
        state = state.play(state.rules.action(state.player, pit))
    return state


def play_games(rules, *results):
    """The match after games with these scores."""
    state = rules.start()
    for scores in results:
        state = after_game(state, scores)
    return state


def placements(seeds, pits=12):
    """All ways to lay seeds in pits."""
    for chosen in combinations_with_replacement(range(pits), seeds):
        yield [chosen.count(pit) for pit in range(pits)]


def ended_at_once(rules, seeds):
    """How the games with this number of seeds ended that are over before anybody moves."""
    states = [rules.position(pits, player=player) for pits in placements(seeds) for player in (0, 1)]
    return [state.termination for state in states if state.is_over]


# -- Tutti a casa ------------------------------------------------------------------------------------------------------

SLAM = {"pits": [1, 0, 3, 0, 1, 2] + [1, 2, 0, 0, 0, 0], "stores": (19, 19)}  # F makes a=2 and b=3, all that North has


@pytest.mark.parametrize("rules", [tutti(), liberta(), territory(), series_wins(), series_difference()])
def test_the_slam_ban_holds_in_every_relative_of_oware(rules):
    assert legal_pits(rules.position(**SLAM)) == [A, C, E]


@pytest.mark.parametrize(
    ("reading", "north_row", "stores", "end", "scores"),
    [
        ("no_capture", (2, 3, 0, 0, 0, 0), (19, 19), None, (19, 19)),
        ("capture", (0, 0, 0, 0, 0, 0), (24, 19), "tutti_a_casa", (29, 19)),
        ("rest_to_opponent", (0, 0, 0, 0, 0, 0), (24, 19), "grand_slam", (24, 24)),
        ("spare_last", (0, 3, 0, 0, 0, 0), (21, 19), None, (21, 19)),
        ("spare_first", (2, 0, 0, 0, 0, 0), (22, 19), None, (22, 19)),
    ],
)
def test_at_home_a_legal_slam_is_read_as_in_oware(reading, north_row, stores, end, scores):
    state = tutti(grand_slam=reading).position(**SLAM)
    assert legal_pits(state) == [A, C, E, F]
    after = state.play(F)
    assert (after.pits[6:], after.stores, after.termination, after.scores) == (north_row, stores, end, scores)


def test_at_home_an_empty_row_ends_the_game_whoever_is_to_move():
    for player, row in product((0, 1), ([0, 0, 4, 0, 0, 2] + EMPTY, EMPTY + [0, 0, 4, 0, 0, 2])):
        state = tutti().position(row, (20, 22), player=player)
        assert state.termination == "tutti_a_casa"
        assert state.scores == (20 + sum(row[:6]), 22 + sum(row[6:]))


HOME_CYCLE = ([1, 0, 1, 0, 0, 1] + [1, 0, 1, 1, 1, 0], (20, 21), (10, 2, 6, 0, 11, 3, 9, 5, 8, 1, 7, 4))


def test_at_home_a_recurrence_ends_the_game_and_each_keeps_his_row():
    pits, stores, way = HOME_CYCLE
    state = play_pits(tutti().position(pits, stores, player=1), *way)
    assert (state.pits, state.player) == (tuple(pits), 1)
    assert (state.termination, state.scores) == ("repetition", (23, 25))
    assert not play_pits(tutti(repetition=3).position(pits, stores, player=1), *way).is_over
    assert not play_pits(tutti(repetition=0).position(pits, stores, player=1), *way).is_over


CASES += [
    ("at home a forbidden slam without alternative takes nothing and empties the own row", tutti(),
     at([0, 0, 0, 0, 0, 2] + [1, 2, 0, 0, 0, 0], (21, 22)), {"legal_pits": [F]}, F,
     {"north": (2, 3, 0, 0, 0, 0), "stores": (21, 22), "termination": "tutti_a_casa", "scores": (21, 27), "winner": 1}),
    ("at home captures come before the look at empty rows", tutti(),
     at([0, 0, 0, 0, 0, 2] + [1, 1, 4, 0, 0, 2], (19, 19)), F,
     {"stores": (23, 19), "termination": "tutti_a_casa", "scores": (23, 25)}),
    ("at home a majority comes before an empty row", tutti(), at([0, 0, 0, 0, 0, 2] + [1, 1, 4, 0, 0, 2], (21, 17)),
     F, {"termination": "majority", "scores": (25, 17), "winner": 0}),
    ("at home a majority comes before an empty row", tutti(majority_stop=False),
     at([0, 0, 0, 0, 0, 2] + [1, 1, 4, 0, 0, 2], (21, 17)), F, {"termination": "tutti_a_casa", "scores": (25, 23)}),
    # D sows E, F, a, b
    ("at home the ply limit leaves each his row", tutti(max_plies=1), START, D,
     {"termination": "max_plies", "scores": (22, 26)}),
]  # fmt: skip


@pytest.mark.parametrize(("seeds", "dead", "running"), [(1, 24, 0), (2, 156, 72), (3, 356, 132)])
def test_at_home_so_many_positions_are_dead(seeds, dead, running):
    ends = ended_at_once(tutti(majority_stop=False), seeds)
    assert len(ends) == dead
    assert ends.count("indeterminacy") == running
    assert ends.count("tutti_a_casa") == dead - running


@pytest.mark.parametrize("most", [0, 1, 2])
def test_at_home_fewer_seeds_may_count_as_indeterminate(most):
    rules = tutti(indeterminacy_max_seeds=most, majority_stop=False)
    for seeds in (1, 2, 3):
        assert ended_at_once(rules, seeds).count("indeterminacy") == ({2: 72}.get(seeds, 0) if seeds <= most else 0)


# -- Libertà al più forte ----------------------------------------------------------------------------------------------

HUNGRY = {"pits": EMPTY + [1, 3, 0, 2, 0, 1], "stores": (20, 21), "player": 1}


def test_in_liberty_a_pass_may_be_a_move():
    rules = liberta(explicit_pass=True)
    state = play_pits(rules.position(**HUNGRY), 6)
    assert (state.player, state.legal_actions, rules.num_actions) == (0, (6,), 7)
    assert state.legal_mask.tolist() == [False] * 6 + [True]
    assert (state.pit(6), state.name(6), state.parse_move("pass")) == (None, "pass", 6)
    assert (rules.action(0, None), rules.action(1, None), rules.pit(0, 6), rules.pit(1, 6)) == (6, 6, None, None)
    after = state.play(6)
    assert (after.pits, after.stores, after.player, after.ply) == (state.pits, state.stores, 1, 2)
    assert legal_pits(after) == [7, 9, 11]


def test_in_liberty_nobody_passes_who_has_seeds():
    state = liberta(explicit_pass=True).start()
    assert state.legal_actions == (0, 1, 2, 3, 4, 5)
    with pytest.raises(IllegalAction, match=re.escape("legal actions are (0, 1, 2, 3, 4, 5)")):
        state.play(6)


def test_without_a_passing_move_there_is_no_action_for_it():
    with pytest.raises(ValueError, match=re.escape("pit None is not one of player 0's pits")):
        liberta().action(0, None)
    with pytest.raises(ValueError, match=re.escape("'pass' is no move of player 0")):
        liberta().start().parse_move("pass")


def test_skipping_and_passing_make_the_same_game():
    rng, passes = np.random.default_rng(5), 0
    for _ in range(60):
        skipping, passing = liberta(repetition=0).start(), liberta(repetition=0, explicit_pass=True).start()
        while not skipping.is_over:
            while passing.legal_actions == (6,):
                passing, passes = passing.play(6), passes + 1
            assert (passing.pits, passing.player) == (skipping.pits, skipping.player)
            assert passing.legal_actions == skipping.legal_actions
            action = int(rng.choice(skipping.legal_actions))
            skipping, passing = skipping.play(action), passing.play(action)
        assert (passing.termination, passing.scores) == (skipping.termination, skipping.scores)
    assert passes > 0


@pytest.mark.parametrize("explicit_pass", [False, True])
def test_in_liberty_a_slam_that_empties_the_board_ends_the_game(explicit_pass):
    rules = liberta(grand_slam="capture", explicit_pass=explicit_pass)
    after = rules.position([0, 0, 0, 0, 0, 2] + [1, 1, 0, 0, 0, 0], (20, 24)).play(F)
    assert (after.pits, after.stores) == ((0,) * 12, (24, 24))
    assert (after.is_over, after.scores, after.winner, after.legal_actions) == (True, (24, 24), None, ())


@pytest.mark.parametrize("explicit_pass", [False, True])
@pytest.mark.parametrize(("seeds", "ended"), [(1, 24), (2, 156), (3, 0), (4, 0)])
def test_in_liberty_a_position_is_dead_with_at_most_two_seeds(seeds, ended, explicit_pass):
    rules = liberta(indeterminacy_max_seeds=4, majority_stop=False, explicit_pass=explicit_pass)
    assert ended_at_once(rules, seeds) == ["indeterminacy"] * ended


CASES += [
    ("in liberty nobody has to feed", liberta(), at(**HUNGRY), {"legal_pits": [6, 7, 9, 11]}),
    ("in liberty a hungry player is skipped until he is fed", liberta(), at(**HUNGRY), sow(6),
     {"pits": (0, 0, 0, 0, 0, 0, 0, 4, 0, 2, 0, 1), "player": 1, "ply": 1}, sow(9),
     {"pits": (0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 1, 2), "player": 1, "ply": 2}, sow(11),
     {"pits": (1, 1, 0, 0, 0, 0, 0, 4, 0, 0, 1, 0), "player": 0, "ply": 3, "is_over": False}),
    ("in liberty a position with a hungry mover is the others to move", liberta(), at(**{**HUNGRY, "player": 0}),
     {"player": 1}),
    ("in liberty a position with a hungry mover is the others to move", liberta(),
     at(HUNGRY["pits"][6:] + EMPTY, (21, 20), player=1), {"player": 0}),
    ("in liberty north passes as south does", liberta(explicit_pass=True),
     at([1, 3, 0, 2, 0, 1] + EMPTY, (21, 20), player=1), {"player": 1, "legal_pits": [None]}, 6, {"player": 0}),
    ("in liberty a slam that leaves own seeds means that its maker moves on", liberta(grand_slam="capture"),
     at(**SLAM), F, {"pits": (1, 0, 3, 0, 1, 0, *EMPTY), "stores": (24, 19), "is_over": False, "player": 0}),
    ("in liberty the ban keeps a seed on the board", liberta(),
     at([0, 0, 0, 0, 0, 2] + [1, 1, 0, 0, 0, 0], (20, 24)), {"legal_pits": [F]}, F,
     {"north": (2, 2, 0, 0, 0, 0), "stores": (20, 24)}),
    ("in liberty two seeds left are their owners", liberta(), at([0, 1, 0, 0, 0, 0] + [0, 0, 1, 0, 0, 0], (23, 23)),
     {"termination": "indeterminacy", "scores": (24, 24)}),
]  # fmt: skip


def test_in_liberty_a_recurrence_ends_the_game_and_each_keeps_his_row():
    pits, way = [0, 0, 0, 0, 1, 0] + [0, 0, 0, 0, 1, 1], (4, 11, 5, 6, 0, 7, 1, 10, 2, 8, 3, 9)
    state = play_pits(liberta().position(pits, (23, 22)), *way)
    assert (state.pits, state.termination, state.scores) == (tuple(pits), "repetition", (24, 24))
    assert not play_pits(liberta(repetition=0).position(pits, (23, 22)), *way).is_over


def test_in_liberty_the_strong_player_cannot_stall_for_ever():
    state = liberta(repetition=0).position(EMPTY + [3, 0, 1, 0, 0, 0], (22, 22), player=1)
    plies = 0
    while state.player == 1:  # keeps all seeds in the own row as long as possible
        state = state.play(min(state.legal_actions, key=lambda action: sum(state.play(action).pits[:6])))
        plies += 1
    assert 1 < plies <= 3 * 5 + 3 + 1  # every move brings a seed a pit nearer to f, and from there across


def test_in_liberty_majority_and_ply_limit_are_as_in_oware():
    assert liberta().position([1] * 12, (25, 11)).termination == "majority"
    assert not liberta(majority_stop=False).position([1] * 12, (25, 11)).is_over
    after = liberta(max_plies=1).position(**HUNGRY).play(A)
    assert (after.termination, after.scores) == ("max_plies", (20, 28))


# -- Case supplementari: what a game's score buys ----------------------------------------------------------------------

PITS_WON = {  # seeds of the winner: pits owned in the next game; 24 + 4 n buy n, and 3 of 4 buy one as well
    24: 6, 25: 6, 26: 6,
    27: 7, 28: 7, 29: 7, 30: 7,
    31: 8, 32: 8, 33: 8, 34: 8,
    35: 9, 36: 9, 37: 9, 38: 9,
    39: 10, 40: 10, 41: 10, 42: 10,
    43: 11, 44: 11, 45: 11, 46: 11,
    47: 12, 48: 12,
}  # fmt: skip


@pytest.mark.parametrize("winner", [0, 1])
@pytest.mark.parametrize(("seeds", "pits"), PITS_WON.items())
def test_seeds_buy_pits_of_the_loser_next_to_ones_own_right(seeds, pits, winner):
    scores = (seeds, 48 - seeds) if winner == 0 else (48 - seeds, seeds)
    state = after_game(territory().start(), scores)
    assert [(game.scores, game.winner) for game in state.games] == [(scores, None if seeds == 24 else winner)]
    owned = (pits, 12 - pits) if winner == 0 else (12 - pits, pits)
    assert state.tally == owned
    if pits == 12:
        assert (state.is_over, state.termination) == (True, "match_target")
        assert (state.scores, state.winner) == (owned, winner)
        return
    extra = pits - 6
    south, north = [0] * 6, [1] * 6
    if winner == 0:
        north[:extra] = [0] * extra
    else:
        south[:extra] = [1] * extra
    assert state.owner.tolist() == south + north
    assert (state.pits, state.stores, state.is_over, state.game, state.ply) == ((4,) * 12, (0, 0), False, 2, 0)


def test_a_match_for_territory_goes_as_worked_out_by_hand():
    state, owned = territory().start(), []
    for scores in [(32, 16), (26, 22), (21, 27), (13, 35)]:
        state = after_game(state, scores)
        owned.append((state.tally, state.owner.tolist()))
    assert owned == [
        ((8, 4), [0] * 8 + [1] * 4),
        ((6, 6), [0] * 6 + [1] * 6),
        ((5, 7), [1] + [0] * 5 + [1] * 6),
        ((3, 9), [1] * 3 + [0] * 3 + [1] * 6),
    ]
    end = after_game(state, (1, 47))
    assert (end.is_over, end.termination, end.scores, end.winner) == (True, "match_target", (0, 12), 1)
    assert end.returns == (-1.0, 1.0)
    assert [game.scores for game in end.games] == [(32, 16), (26, 22), (21, 27), (13, 35), (1, 47)]
    assert [game.winner for game in end.games] == [0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("scores", "south", "pits", "stores"),
    [
        ((28, 20), 7, [4] * 12, (0, 0)),  # nothing is left over
        ((29, 19), 7, [4] * 7 + [3] + [4] * 4, (1, 0)),  # North has three for pit b, South keeps one
        ((30, 18), 7, [4] * 7 + [0] + [4] * 4, (2, 2)),  # nobody fills b, which stays North's
        ((31, 17), 8, [4] * 7 + [3] + [4] * 4, (0, 1)),  # South has three for pit b, North keeps one
        ((25, 23), 6, [4] * 6 + [3] + [4] * 5, (1, 0)),
        ((26, 22), 6, [4] * 6 + [0] + [4] * 5, (2, 2)),
        ((19, 29), 5, [4, 3] + [4] * 10, (0, 1)),
        ((18, 30), 5, [4, 0] + [4] * 10, (2, 2)),
        ((17, 31), 4, [4, 3] + [4] * 10, (1, 0)),
        ((46, 2), 11, [4] * 11 + [0], (2, 2)),
        ((24, 24), 6, [4] * 12, (0, 0)),
    ],
)
def test_odd_seeds_may_be_kept(scores, south, pits, stores):
    state = after_game(territory(remainder="keep").start(), scores)
    assert (list(state.pits), state.stores) == (pits, stores)
    assert state.owner.tolist().count(0) == south
    assert all_seeds(state) == 48
    pooled = after_game(territory(remainder="pool").start(), scores)
    assert (pooled.pits, pooled.stores, pooled.owner.tolist()) == ((4,) * 12, (0, 0), state.owner.tolist())


def test_seeds_that_are_kept_count_in_the_next_game():
    state = after_game(territory(remainder="keep", max_plies=1).start(), (29, 19))
    end = state.play(A)  # A sows B to E: nothing crosses over
    assert end.games[1].scores == (7 * 4 + 1, 4 * 4 + 3)


@pytest.mark.parametrize(
    ("first_mover", "movers"),
    [
        ("winner", [0, 0, 1, 1, 0]),
        ("loser", [1, 1, 0, 0, 1]),
        ("alternate", [1, 0, 1, 0, 1]),
        ("south", [0, 0, 0, 0, 0]),
    ],
)
@pytest.mark.parametrize("game", ["oware_territory", "oware_series_wins", "oware_series_difference"])
def test_who_begins_the_next_game_depends_on_the_one_before(game, first_mover, movers):
    rules = ruleset(game, first_mover=first_mover, **({} if game == "oware_territory" else {"target": 100}))
    state, found = rules.start(), []
    for scores in [SOUTH_WINS, DRAW, NORTH_WINS, DRAW, SOUTH_WINS]:
        state = after_game(state, scores)
        assert state.player == state.first
        found.append(state.first)
    assert found == movers


def test_the_winner_begins_unless_told_otherwise():
    assert territory().first_mover == series_wins().first_mover == series_difference().first_mover == "winner"
    assert layli_match().first_mover == "alternate"


def test_fewer_pits_may_win_the_match():
    assert not play_games(territory(target_pits=8), (30, 18)).is_over
    end = play_games(territory(target_pits=8), (31, 17))
    assert (end.termination, end.scores, end.winner) == ("match_target", (8, 4), 0)
    assert play_games(territory(target=8), (17, 31)).scores == (4, 8)
    assert not play_games(territory(target=12), (46, 2)).is_over
    assert play_games(territory(target=12), (47, 1)).termination == "match_target"


@pytest.mark.parametrize(
    ("results", "pits", "winner"),
    [
        ([(30, 18), (20, 28)], (5, 7), 1),  # more pits, though fewer seeds in sum
        ([(40, 8), (26, 22)], (6, 6), 0),  # as many pits: the last game's score
        ([(40, 8), (22, 26)], (6, 6), 1),
        ([(40, 8), (24, 24)], (6, 6), None),
    ],
)
def test_a_match_for_territory_may_be_cut_short(results, pits, winner):
    state = play_games(territory(max_games=2), results[0])
    assert not state.is_over
    end = after_game(state, results[1])
    assert (end.termination, end.scores, end.winner) == ("max_games", pits, winner)


def test_the_target_reached_in_the_last_game_is_the_reason_for_the_end():
    assert play_games(territory(max_games=2), (30, 18), (48, 0)).termination == "match_target"
    assert play_games(series_wins(target=2, max_games=2), SOUTH_WINS, SOUTH_WINS).termination == "match_target"


def test_twenty_games_are_the_most_unless_told_otherwise():
    state = play_games(territory(), *[(30, 18)] * 19)
    assert (state.is_over, state.game) == (False, 20)
    assert (after_game(state, (30, 18)).termination, after_game(state, (30, 18)).winner) == ("max_games", 0)


# -- Case supplementari: play on arcs ----------------------------------------------------------------------------------


def owners(south):
    """The owner of each pit if South owns this number of them."""
    begins = max(0, 6 - south)
    return [0 if begins <= pit < begins + south else 1 for pit in range(12)]


def test_each_may_play_the_pits_he_owns_and_no_others():
    assert legal_pits(territory().position([4] * 12, owner=owners(8))) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert legal_pits(territory().position([4] * 12, owner=owners(8), player=1)) == [8, 9, 10, 11]
    with pytest.raises(IllegalAction, match="player 0 cannot play 8"):
        territory().position([4] * 12, owner=owners(8)).play(8)


def test_a_chain_stops_at_the_border_of_the_arc():
    pits = [4, 4, 4, 4, 1, 3, 1, 1, 1, 4, 4, 4]  # F makes a, b and c two each
    eight = territory().position(pits, (7, 6), owner=owners(8)).play(F)
    assert (eight.pits, eight.stores) == ((4, 4, 4, 4, 1, 0, 2, 2, 0, 4, 4, 4), (9, 6))
    seven = territory().position(pits, (7, 6), owner=owners(7)).play(F)
    assert (seven.pits, seven.stores) == ((4, 4, 4, 4, 1, 0, 2, 0, 0, 4, 4, 4), (11, 6))
    six = territory().position(pits, (7, 6), owner=owners(6)).play(F)
    assert (six.pits, six.stores) == ((4, 4, 4, 4, 1, 0, 0, 0, 0, 4, 4, 4), (13, 6))
    nine = territory().position(pits, (7, 6), owner=owners(9)).play(F)
    assert nine.stores == (7, 6)  # c is South's own


def test_the_only_pit_of_an_arc_can_be_slammed():
    position = {"pits": [4, 4, 4, 4, 1, 1] + [4, 4, 4, 4, 4, 4], "stores": (2, 2), "player": 1, "owner": owners(1)}
    assert 4 not in legal_pits(territory().position(**position))  # E would make F two, all that South has
    state = territory(grand_slam="capture").position(**position)
    assert 4 in legal_pits(state)
    assert play_pits(state, 4).games == (((2, 44), 1, "famine"),)


def test_who_starves_is_told_by_the_arcs():
    pits = [0, 0, 4, 0, 0, 0, 3, 1] + [0, 0, 0, 0]  # C reaches a only, which is South's
    assert legal_pits(territory().position(pits, (20, 20), owner=owners(8))) == [6, 7]
    assert legal_pits(territory(feeding="none").position(pits, (20, 20), owner=owners(8))) == [2, 6, 7]
    assert legal_pits(territory().position(pits, (20, 20))) == [2]  # on the natural halves North has seeds


CASES += [
    ("the owner of eleven pits has eleven actions", territory(), at([4] * 12, owner=owners(11)),
     {"legal_actions": tuple(range(11)), "legal_pits": list(range(11))}),
    ("the owner of eleven pits has eleven actions", territory(), at([4] * 12, owner=owners(1), player=1),
     {"legal_pits": [6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4], "legal_actions": tuple(range(11))}),
    ("the owner of eleven pits has eleven actions", territory(), at([4] * 12, owner=owners(1)), {"legal_pits": [5]}),
    # f makes A, B and C two each; A and B are North's
    ("norths chain stops at the border of his arc inside souths row", territory(),
     at([1, 1, 1, 4, 4, 4, 4, 4, 4, 4, 1, 3], (6, 7), player=1, owner=owners(4)), sow(11),
     {"pits": (2, 2, 0, 4, 4, 4, 4, 4, 4, 4, 1, 0), "stores": (6, 9)}),
    # South owns C to F; F sows a to f and A, and takes A and f
    ("a chain may run round the end of the rows", territory(),
     at([1, 4, 4, 4, 4, 7, 4, 4, 4, 4, 4, 2], (1, 1), owner=owners(4)), F,
     {"pits": (0, 4, 4, 4, 4, 0, 5, 5, 5, 5, 5, 0), "stores": (6, 1)}),
    # b makes c two, all that North has in the four pits that North owns
    ("a slam is of all that lies in the opponents arc", territory(),
     at([0, 0, 4, 0, 0, 0, 3, 1] + [1, 0, 0, 0], (19, 20), owner=owners(8)), {"legal_pits": [2, 6]}),
    ("a slam is of all that lies in the opponents arc", territory(grand_slam="capture"),
     at([0, 0, 4, 0, 0, 0, 3, 1] + [1, 0, 0, 0], (19, 20), owner=owners(8)), {"legal_pits": [2, 6, 7]}),
    ("each keeps the seeds of his arc", territory(),
     at([1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0], (20, 23), owner=owners(8)), {"games": (((25, 23), 0, "famine"),)}),
    ("each keeps the seeds of his arc", territory(max_plies=1), at([4] * 12, owner=owners(10)), A,
     {"games": (((40, 8), 0, "max_plies"),)}),
    ("a majority does not end a game for territory", territory(),
     at([1, 0, 0, 0, 0, 4] + [1, 0, 0, 0, 0, 2], (38, 2)), {"games": (), "is_over": False}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("south", "dead"),
    [(1, 645), (2, 537), (3, 428), (4, 337), (5, 271), (6, 248), (7, 271), (8, 337), (9, 428), (10, 537), (11, 645)],
)
def test_so_many_positions_are_dead_on_arcs(south, dead):
    for seeds, expected in ((1, 24), (2, 156), (3, dead)):
        ended = 0
        for pits, player in product(placements(seeds), (0, 1)):
            state = territory().position(pits, (22, 23), player, owner=owners(south))
            assert {game.termination for game in state.games} <= {"indeterminacy", "famine"}
            ended += bool(state.games)
        assert ended == expected


def test_the_reference_finds_the_same_positions_dead_on_arcs():
    for south in (1, 4, 9):
        found = sum(is_dead(territory(), pits, who, owners(south)) for pits in placements(3) for who in (0, 1))
        assert found == {1: 645, 4: 337, 9: 428}[south]


# -- Series ------------------------------------------------------------------------------------------------------------


def test_three_wins_make_a_series():
    state = play_games(series_wins(), (25, 10), (20, 26), (24, 24), (27, 21))
    assert (state.tally, state.is_over, state.game) == ((2, 1), False, 5)
    end = after_game(state, (30, 18))
    assert (end.tally, end.termination, end.scores, end.winner) == ((3, 1), "match_target", (3, 1), 0)
    assert [game.winner for game in end.games] == [0, 1, None, 0, 0]


@pytest.mark.parametrize(("draw_points", "tally"), [(0, (1, 0)), (0.5, (2, 1))])
def test_a_draw_is_nothing_or_half_a_win(draw_points, tally):
    assert play_games(series_wins(draw_points=draw_points), DRAW, SOUTH_WINS, DRAW).tally == tally


def test_half_a_win_each_can_reach_the_target_for_both():
    end = play_games(series_wins(draw_points=0.5, target=1), DRAW, DRAW)
    assert (end.termination, end.scores, end.winner, end.returns) == ("match_target", (1, 1), None, (0.0, 0.0))
    end = play_games(series_wins(draw_points=0.5, target=1), DRAW, NORTH_WINS)
    assert (end.scores, end.winner) == ((0.5, 1.5), 1)


@pytest.mark.parametrize("target", [1, 2, 5])
def test_so_many_wins_make_a_series(target):
    state = play_games(series_wins(target=target), *[NORTH_WINS] * (target - 1))
    assert not state.is_over
    assert (after_game(state, NORTH_WINS).winner, after_game(state, NORTH_WINS).scores) == (1, (0, target))


@pytest.mark.parametrize(
    ("results", "tally", "winner"),
    [
        ([SOUTH_WINS, SOUTH_WINS, NORTH_WINS], (2, 1), 0),
        ([NORTH_WINS, DRAW, NORTH_WINS], (0, 2), 1),
        ([DRAW, DRAW, DRAW], (0, 0), None),
    ],
)
def test_a_series_may_be_cut_short(results, tally, winner):
    end = play_games(series_wins(max_games=3), *results)
    assert (end.termination, end.scores, end.winner) == ("max_games", tally, winner)


CASES += [
    ("in a series of wins a majority ends the game", series_wins(), at([1] * 12, (25, 11)),
     {"games": (((25, 11), 0, "majority"),), "pits": (4,) * 12, "tally": (1, 0), "game": 2}),
    ("in a series of wins a majority ends the game", series_wins(majority_stop=False), at([1] * 12, (25, 11)),
     {"games": ()}),
]  # fmt: skip


def test_a_game_of_a_series_starts_from_the_start_position():
    state = play_games(series_wins(seeds=3, pits_per_row=4), (13, 11))
    assert (state.pits, state.stores, state.ply) == ((3,) * 8, (0, 0), 0)
    own = series_wins(start=[1, 2, 3, 4, 5, 6] * 2)
    assert after_game(own.start(), (24, 18)).pits == (1, 2, 3, 4, 5, 6) * 2


def test_the_difference_is_the_winners():
    state = play_games(series_difference(target=20), (30, 18), (20, 28), (27, 21))
    assert (state.tally, state.is_over) == ((18, 8), False)
    end = after_game(state, (26, 22))
    assert (end.termination, end.scores, end.winner) == ("match_target", (22, 8), 0)


@pytest.mark.parametrize(
    ("results", "tally"),
    [
        ([(30, 18)], (12, 0)),
        ([(30, 18), (20, 28)], (4, 0)),
        ([(30, 18), (20, 28), (18, 30)], (0, 8)),
        ([(30, 18), (18, 30)], (0, 0)),
        ([DRAW], (0, 0)),
    ],
)
def test_the_difference_may_be_one_running_total(results, tally):
    state = play_games(series_difference(difference="signed"), *results)
    assert (state.tally, state.is_over) == (tally, False)


def test_a_running_total_ends_the_match_on_either_side():
    rules = series_difference(difference="signed", target=20)
    end = play_games(rules, (30, 18), (10, 38), (20, 28))  # 12, -16, -24
    assert (end.termination, end.scores, end.winner) == ("match_target", (0, 24), 1)
    assert play_games(series_difference(target=20), (30, 18), (10, 38)).tally == (0 + 12, 28)


def test_twenty_four_seeds_of_difference_make_a_match():
    assert series_difference().target == 24
    assert not play_games(series_difference(), (35, 13)).is_over
    assert play_games(series_difference(), (36, 12)).winner == 0


@pytest.mark.parametrize(("majority_stop", "games"), [(False, ()), (True, (((25, 11), 0, "majority"),))])
def test_in_a_match_by_difference_a_majority_ends_the_game_only_on_demand(majority_stop, games):
    state = series_difference(majority_stop=majority_stop).position([1] * 12, (25, 11))
    assert state.games == games
    assert state.tally == ((14, 0) if majority_stop else (0, 0))


@pytest.mark.parametrize("results", [[(30, 18), (20, 28)], [(20, 28), (30, 18)]])
def test_a_match_by_difference_may_be_cut_short(results):
    end = play_games(series_difference(max_games=2), *results)
    assert (end.termination, end.scores, end.winner) == ("max_games", (12, 8), 0)


@pytest.mark.parametrize("name", ["oware_territory", "oware_series_wins", "oware_series_difference"])
def test_the_number_of_plies_begins_anew_with_each_game_of_a_match(name):
    state = ruleset(name, max_plies=3).start().play(A).play(A)
    assert (state.ply, state.games) == (2, ())
    state = state.play(B)
    assert (state.ply, state.game, state.games[0].termination) == (0, 2, "max_plies")


# -- Layli Goobalay: a round -------------------------------------------------------------------------------------------


def gravid(*south_pits, of=0):
    """Marks on some pits of South's row and those across."""
    marks = NOBODY.copy()
    for pit in south_pits:
        marks[pit] = marks[11 - pit] = of
    return marks


RELAY = [0, 2, 0, 1, 0, 0] + [5, 0, 0, 0, 0, 4]  # B sows C and D; D's two go to E and F, which faces a


@pytest.mark.parametrize("facing", [1, 2, 4, 5, 7])
def test_the_last_seed_in_an_empty_own_pit_is_taken_with_those_across(facing):
    after = layli().position([0, 1, 0, 0, 0, 0] + [0, 0, 0, facing, 0, 2], (20, 18)).play(B)  # C faces d
    assert (after.pits, after.stores) == ((*EMPTY, 0, 0, 0, 0, 0, 2), (21 + facing, 18))


def test_a_turn_that_ends_in_a_gravid_pit_lets_it_grow_and_does_no_more():
    for owner in (0, 1):
        state = layli().position([0, 2, 0, 3, 4, 2] + [2, 3, 4, 3, 2, 4], (9, 10), uur=gravid(D, of=owner))
        after = state.play(B)
        assert after.pits == (0, 0, 1, 4, 4, 2, 2, 3, 4, 3, 2, 4)
        assert (after.stores, after.player) == ((9, 10), 1)
        assert after.marks.tolist() == gravid(D, of=owner)


def test_nobody_lifts_a_gravid_pit():
    pits, marks = [2, 0, 3, 2, 0, 1] + [1, 1, 2, 3, 0, 4], gravid(C)
    marks[D] = marks[8] = 1
    assert legal_pits(layli().position(pits, (14, 15), marks=marks)) == [A, F]
    assert legal_pits(layli().position(pits, (14, 15), player=1, marks=marks)) == [6, 7, 11]


@pytest.mark.parametrize(("owner", "scores", "winner"), [(0, (26, 22), 0), (1, (15, 33), 1)])
def test_gravid_pits_count_for_their_owner_in_either_row(owner, scores, winner):
    pits = [0, 0, 5, 0, 0, 0] + [3, 0, 2, 6, 0, 1]
    state = layli().position(pits, (15, 16), uur=gravid(C, of=owner))
    assert (state.termination, state.scores, state.winner) == ("stuck", scores, winner)
    assert (state.pits, state.stores) == (tuple(pits), (15, 16))


RECURRING = ([0, 0, 0, 1, 1, 1] + [0, 0, 0, 1, 0, 1], (23, 20), (11, 5, 9, 3, 7, 1))


def test_a_recurrence_ends_the_round():
    pits, stores, way = RECURRING
    state = play_pits(layli().position(pits, stores, player=1), *way)
    assert (state.pits, state.player) == (tuple(pits), 1)
    assert (state.termination, state.scores, state.winner) == ("repetition", (26, 22), 0)
    assert not play_pits(layli(repetition=3).position(pits, stores, player=1), *way).is_over
    assert not play_pits(layli(repetition=0).position(pits, stores, player=1), *way).is_over


def test_a_recurrence_is_looked_for_since_a_capture_a_pair_or_its_growth():
    quiet = layli().position([0, 1, 0, 0, 0, 2] + [0, 2, 1, 0, 0, 2], (20, 20)).play(B)
    assert len(quiet.history) == 2
    capture = layli().position([0, 1, 0, 0, 0, 2] + [0, 2, 1, 1, 0, 2], (20, 19)).play(B)
    assert (capture.stores, len(capture.history)) == ((22, 19), 1)
    pair = layli().position([0, 1, 0, 0, 0, 2] + [0, 2, 1, 3, 0, 2], (18, 19)).play(B)
    assert (pair.marks[C], len(pair.history)) == (0, 1)
    grown = layli().position([0, 1, 2, 0, 0, 2] + [0, 2, 1, 2, 0, 2], (18, 18), marks=gravid(C)).play(B)
    assert (grown.pits[C], len(grown.history)) == (3, 1)
    passed = layli().position([0, 2, 2, 0, 0, 2] + [0, 2, 0, 2, 0, 2], (18, 18), marks=gravid(C)).play(B)
    assert (passed.pits[:4], len(passed.history)) == ((0, 0, 3, 1), 1)


@pytest.mark.parametrize(
    ("max_laps", "pits", "stores"),
    [
        (1, (0, 0, 1, 2, 0, 0, 5, 0, 0, 0, 0, 4), (18, 18)),  # D would be lifted
        (2, (0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 4), (24, 18)),  # the second lap ends in an empty pit, and captures
    ],
)
def test_a_turn_of_so_many_laps_lifts_no_more(max_laps, pits, stores):
    after = layli(max_laps=max_laps).position(RELAY, (18, 18)).play(B)
    assert (after.pits, after.stores, after.player) == (pits, stores, 1)


def test_an_endless_relay_of_layli_goobalay_ends():
    pits = [0, 1, 0, 2, 1, 0] + [1, 0, 1, 6, 0, 1]  # d: the same position comes back every 63 laps

    def after(max_laps):
        return play_pits(layli(max_laps=max_laps).position(pits, (18, 17), player=1), 9)

    boards = [(after(laps).pits, after(laps).stores, after(laps).player) for laps in (2000, 2063, 20_018)]
    assert boards == 3 * [boards[0]]
    assert boards[0] == ((2, 1, 0, 1, 0, 1, 0, 3, 2, 2, 1, 0), (18, 17), 0)
    assert {sum(each[0]) for each in boards} == {13}
    assert after(1999).pits != after(2000).pits


CASES += [
    ("the last seed among seeds sows on", layli(), at(RELAY, (18, 18)), B,
     {"pits": (0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 4), "stores": (24, 18)}),
    # a's two go to b and c
    ("a relay goes on from the opponent's pits too", layli(), at([0, 0, 0, 0, 0, 1] + [1, 0, 0, 3, 0, 0], (20, 20)),
     F, {"north": (0, 1, 1, 3, 0, 0), "stores": (20, 20)}),
    # A was empty, and faces the one in f
    ("a lap of twelve seeds ends where it began", layli(), at([12, *EMPTY[1:], *EMPTY], (18, 18)), A,
     {"pits": (0, *[1] * 10, 0), "stores": (20, 18)}),
    ("the last seed stays where nothing lies across", layli(), at([0, 1, 0, 0, 0, 0] + [2, 0, 0, 0, 0, 2], (20, 20)),
     B, {"pits": (0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 2), "stores": (20, 20)}),
    # c faces D
    ("three seeds across make a gravid pair", layli(), at([0, 1, 0, 0, 0, 0] + [2, 0, 0, 3, 0, 2], (20, 20)), B,
     {"pits": (0, 0, 2, 0, 0, 0, 2, 0, 0, 2, 0, 2), "stores": (20, 20), "marks": gravid(C)}),
    ("three seeds across make a gravid pair", layli(),
     at([2, 0, 0, 3, 0, 2] + [0, 1, 0, 0, 0, 0], (20, 20), player=1), B,
     {"pits": (2, 0, 0, 2, 0, 2, 0, 0, 2, 0, 0, 0), "stores": (20, 20), "marks": gravid(D, of=1)}),
    # C faces d, both gravid
    ("a gravid pit that is empty lets a turn end too", layli(),
     at([0, 1, 0, 0, 0, 0] + [0, 0, 2, 0, 0, 4], marks=gravid(C)), B, {"pits": (0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 4)}),
    ("gravid pits are sown like others on the way", layli(),
     at([3, 0, 2, 0, 0, 0] + [5, 0, 0, 2, 0, 4], marks=gravid(C)), A, {"pits": (0, 1, 3, 1, 0, 0, 5, 0, 0, 2, 0, 4)}),
    ("the round ends when the mover is stuck and not before", layli(), at([*EMPTY, 3, 0, 2, 0, 0, 1], (21, 21)),
     {"scores": (21, 27)}),
    ("the round ends when the mover is stuck and not before", layli(),
     at([*EMPTY, 3, 0, 2, 0, 0, 1], (21, 21), player=1), {"is_over": False}),
    ("the round ends when the mover is stuck and not before", layli(), at([*EMPTY, 3, 0, 2, 0, 0, 1], (24, 18)),
     {"scores": (24, 24), "winner": None, "returns": (0.0, 0.0)}),
    # as above, but F holds three, which would be lifted
    ("the second lap may be the last too", layli(max_laps=2), at([0, 2, 0, 1, 0, 3] + [5, 0, 0, 0, 0, 4], (15, 18)),
     B, {"pits": (0, 0, 1, 0, 1, 4, 5, 0, 0, 0, 0, 4), "stores": (15, 18)}),
    ("the second lap may be the last too", layli(max_laps=3), at([0, 2, 0, 1, 0, 3] + [5, 0, 0, 0, 0, 4], (15, 18)),
     B, {"pits": (0, 0, 1, 0, 1, 0, 6, 1, 1, 1, 0, 4)}),
    ("the first lap captures and pairs even if it is the last", layli(max_laps=1),
     at([0, 1, 0, 0, 0, 0] + [0, 0, 0, 4, 0, 2], (20, 20)), B, {"stores": (25, 20)}),
    ("the first lap captures and pairs even if it is the last", layli(max_laps=1),
     at([0, 1, 0, 0, 0, 0] + [2, 0, 0, 3, 0, 2], (20, 20)), B, {"marks": gravid(C)}),
    # C and the gravid D, which with c (4) is North's; c has four, South's others 7
    ("the ply limit ends a round and each keeps what is his", layli(max_plies=7),
     at([0, 2, 0, 3, 4, 2] + [2, 3, 4, 3, 2, 4], (9, 10), ply=6, marks=gravid(D, of=1)), B,
     {"termination": "max_plies", "scores": (9 + 1 + 4 + 2, 10 + 2 + 3 + 4 + 4 + 3 + 2 + 4)}),
]  # fmt: skip


# -- Layli Goobalay: a match -------------------------------------------------------------------------------------------


def test_a_match_of_rounds_goes_as_worked_out_by_hand():
    second = after_game(layli_match().start(), (29, 19))
    assert (second.pits, second.stores, second.reserve) == ((3, 3, 3, 3, 3, 4) * 2, (0, 0), (10, 0))
    assert (second.game, second.player, second.marks.tolist()) == (2, 1, NOBODY)
    third = after_game(second, (14, 24))
    assert (third.pits, third.reserve, third.game, third.player) == ((4,) * 12, (0, 0), 3, 0)
    end = after_game(third, (43, 5))
    assert (end.termination, end.scores, end.winner) == ("match_target", (43, 5), 0)
    assert [game.scores for game in end.games] == [(29, 19), (14, 24), (43, 5)]


@pytest.mark.parametrize("winner", [0, 1])
@pytest.mark.parametrize("poorer", range(25))
def test_both_lay_out_what_the_poorer_has_from_right_to_left(poorer, winner):
    totals = (48 - poorer, poorer) if winner == 0 else (poorer, 48 - poorer)
    state = after_game(layli_match().start(), totals)
    if poorer < 6:
        assert (state.termination, state.scores, state.winner) == ("match_target", totals, winner)
        return
    row = [0] * 6
    for seed in range(poorer):
        row[5 - seed % 6] += 1
    assert state.pits == (*row, *row)
    reserve = 48 - 2 * poorer
    assert state.reserve == ((reserve, 0) if winner == 0 else (0, reserve))
    assert all_seeds(state) == 48


def test_totals_count_the_reserve_of_the_round_before():
    state = play_games(layli_match(), (10, 38))
    assert state.reserve == (0, 28)
    end = after_game(state, (15, 5))  # 15 and 33
    assert (end.pits, end.reserve) == ((2, 2, 2, 3, 3, 3) * 2, (0, 18))
    assert play_games(layli_match(), (10, 38), (5, 15)).scores == (5, 43)


@pytest.mark.parametrize(
    ("first_mover", "movers"),
    [
        ("winner", [0, 0, 1, 1, 0]),
        ("loser", [1, 1, 0, 0, 1]),
        ("alternate", [1, 0, 1, 0, 1]),
        ("south", [0, 0, 0, 0, 0]),
    ],
)
def test_who_begins_the_next_round_can_be_chosen(first_mover, movers):
    state, found = layli_match(first_mover=first_mover).start(), []
    for scores in [(30, 18), (18, 18), (10, 26), (22, 22), (25, 19)]:  # totals 30-18 twice, 22-26 twice, 25-23
        state = after_game(state, scores)
        found.append(state.player)
    assert found == movers


@pytest.mark.parametrize(("scores", "winner"), [((25, 23), 0), ((20, 28), 1), ((24, 24), None)])
def test_at_the_last_round_the_larger_total_wins(scores, winner):
    end = play_games(layli_match(max_rounds=1), scores)
    assert (end.termination, end.scores, end.winner) == ("max_rounds", scores, winner)
    two = play_games(layli_match(max_games=2), (30, 18), (scores[0] - 12, scores[1]))  # twelve in South's reserve
    assert (two.termination, two.scores, two.winner) == ("max_rounds", scores, winner)


def test_the_poorer_player_at_the_last_round_has_lost_if_he_cannot_fill_his_row():
    assert play_games(layli_match(max_rounds=1), (43, 5)).termination == "match_target"


def test_fifty_rounds_are_the_most_unless_told_otherwise():
    state = play_games(layli_match(), *[DRAW] * 49)
    assert (state.game, state.is_over) == (50, False)
    assert (after_game(state, DRAW).termination, after_game(state, DRAW).winner) == ("max_rounds", None)


CASES += [
    # South is stuck; the gravid pits are South's
    ("marks are taken off between rounds", layli_match(),
     at([0, 0, 5, 0, 0, 0] + [3, 0, 2, 6, 0, 1], (15, 16), marks=gravid(C)),
     {"games": (((26, 22), 0, "stuck"),), "marks": NOBODY, "reserve": (4, 0), "pits": (3, 3, 4, 4, 4, 4) * 2}),
]  # fmt: skip


# -- Hus ---------------------------------------------------------------------------------------------------------------

NORTHS = [2, 2, 0, 2, 2, 3, 1, 4] + [3, 2, 1, 2, 1, 4, 1, 2]  # outer row 16..23, inner row 24..31
FACED = (
    [3, 0, 0, 2, 0, 0, 5, 0] + [2, 0, 1, 3, 0, 0, 0, 0] + NORTHS
)  # 8 ends in 10, which faces 29; 18 is the outer pit of that column


def test_seeds_of_a_faced_pit_are_sown_on_even_if_the_pit_behind_is_empty():
    after = hus().position(FACED).play(8)
    assert after.pits[:16] == (3, 0, 0, 2, 0, 0, 5, 0, 0, 1, 2, 4, 1, 1, 1, 0)
    assert after.pits[29] == 0


def test_a_capture_may_need_seeds_in_both_pits():
    after = hus(capture_requires_both=True).position(FACED).play(8)  # so the own two are lifted, and end in 12
    assert after.pits[:16] == (3, 0, 0, 2, 0, 0, 5, 0, 0, 1, 0, 4, 1, 0, 0, 0)
    assert after.pits[16:] == tuple(NORTHS)


@pytest.mark.parametrize("both", [False, True])
def test_seeds_of_both_pits_are_sown_on_together(both):
    norths = [2, 2, 1, 2, 2, 3, 1, 4] + [6, 2, 1, 2, 0, 4, 1, 2]
    state = hus(capture_requires_both=both).position([3, 0, 0, 2, 0, 0, 5, 0, 2, 0, 1, 0, 0, 0, 0, 0] + norths)
    after = state.play(8)  # the four of 29 and the one of 18 go to 11..15
    assert after.pits[:16] == (3, 0, 0, 2, 0, 0, 5, 0, 0, 1, 2, 1, 1, 1, 1, 1)
    assert (after.pits[18], after.pits[29], sum(after.pits)) == (0, 0, sum(state.pits))


def test_a_safe_pit_behind_an_empty_one_stays():
    pits = FACED.copy()
    pits[29], pits[18] = 0, 4  # nothing faces 10, so its two are lifted
    after = hus().position(pits).play(8)
    assert (after.pits[18], after.pits[10], after.pits[12]) == (4, 0, 1)


@pytest.mark.parametrize("min_start", [1, 2, 3, 5])
def test_pits_of_so_many_seeds_can_be_played(min_start):
    pits = [3, 0, 1, 2, 0, 0, 5, 0, 2, 0, 1, 2, 0, 0, 0, 0]
    state = hus(min_start=min_start).position(pits + NORTHS)
    assert legal_pits(state) == [pit for pit in range(16) if pits[pit] >= min_start]


@pytest.mark.parametrize(
    ("max_laps", "souths"),
    [
        (1, (0, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0)),
        (2, (0, 3, 0, 3, 3, 3, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0)),
        (3, (0, 3, 0, 3, 3, 0, 3, 3, 3, 2, 2, 2, 0, 0, 0, 0)),
        (4, (0, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3, 3, 0, 0, 0, 0)),
        (5, (0, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3, 0, 1, 1, 1, 0)),
        (6, (0, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3, 0, 1, 1, 1, 0)),
    ],
)
def test_a_turn_of_hus_stops_after_so_many_laps(max_laps, souths):
    after = hus(max_laps=max_laps).start().play(0)  # 2, 5, 8 and 11 are lifted on the way; 14 is empty
    assert (after.pits[:16], after.player) == (souths, 1)


def test_an_endless_relay_of_hus_ends():
    souths = [1, 5, 5, 0, 1, 4, 5, 0, 3, 0, 1, 0, 12, 1, 3, 2]
    norths = [0, 2, 0, 0, 2, 1, *[0] * 10]

    def after(max_laps):
        return hus(max_laps=max_laps).position(souths + norths).play(1)

    assert after(2000).pits == after(2000 + 1712).pits == after(2000 + 10 * 1712).pits  # it comes round in 1712 laps
    assert after(2000).pits != after(2001).pits
    assert hus().position(souths + norths).play(1).pits == after(2000).pits
    assert (after(2000).player, sum(after(2000).pits), after(2000).pits[16:]) == (1, 48, tuple(norths))


@pytest.mark.parametrize("player", [0, 1])
def test_a_stuck_mover_loses_hus_even_if_the_other_is_stuck_as_well(player):
    both = hus().position([1, 0] * 16, player=player)
    assert (both.termination, both.winner, both.scores) == ("stuck", 1 - player, None)
    rich, poor = [4] * 8 + [1] * 8, [0, 1] * 8
    state = hus().position(poor + rich if player == 0 else rich + poor, player=player)
    assert (state.termination, state.winner, state.returns[player]) == ("stuck", 1 - player, -1.0)


CASES += [
    ("the last lap captures nothing", hus(max_laps=1), at(FACED), 8,
     {"pits": (3, 0, 0, 2, 0, 0, 5, 0, 0, 1, 2, 3, 0, 0, 0, 0, *NORTHS)}),
    ("the ply limit is a draw in hus", hus(max_plies=1), START, 0,
     {"termination": "max_plies", "winner": None, "returns": (0.0, 0.0), "scores": None}),
    # 17 and 18 get one each: North has no move left either, but South is to move
    ("who is stuck has not lost before his turn", hus(), at([0, 1] * 8 + [2] + [0] * 15, player=1),
     {"is_over": False}, 0, {"termination": "stuck", "winner": 1}),
    ("single seeds may be played in hus", hus(min_start=1), at([0, 1] * 8 + [0, 1] * 8),
     {"legal_actions": tuple(range(1, 16, 2))}),
    ("single seeds may be played in hus", hus(), at([0, 1] * 8 + [0, 1] * 8), {"is_over": True}),
]  # fmt: skip


# -- Diffusion ---------------------------------------------------------------------------------------------------------

WEIGHTS = [167, 165, 163, 161, 151, 97] * 2
LEFT, RIGHT = {0, 1, 2, 9, 10, 11}, {3, 4, 5, 6, 7, 8}


def weight(state):
    return sum(each * seeds for each, seeds in zip(WEIGHTS, state.pits, strict=True))


def test_blocks_are_halves_or_rows():
    assert diffusion().start().owner.tolist() == [0 if pit in LEFT else 1 for pit in range(12)]
    assert diffusion(blocks="halves") == diffusion()
    assert diffusion(blocks="rows").start().owner.tolist() == [0] * 6 + [1] * 6


@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize(
    ("blocks", "pits", "pit", "winner"),
    [
        ("halves", {1: 1, 4: 1, 7: 1}, 1, None),  # A neighbour in the own block
        ("halves", {2: 1, 4: 1, 7: 1}, 2, 0),  # C's seed goes to D, the other half
        ("halves", {2: 1, 9: 1, 8: 2}, 8, 1),  # c's two go to d and C
        ("rows", {5: 3, 8: 1, 6: 1}, 5, 0),  # F's three: two leave the board, one goes up
        ("rows", {2: 1, 4: 1, 11: 4}, 11, 1),  # f's four: two leave the board, A and B
        ("rows", {2: 1, 9: 1, 8: 2}, 8, None),
    ],
)
def test_the_owner_of_an_empty_block_wins_whoever_moved(blocks, pits, pit, winner, mover):
    board = [pits.get(k, 0) for k in range(12)]
    state = diffusion(blocks=blocks).position(board, player=mover, removed=48 - sum(board))
    assert not state.is_over
    after = play_pits(state, pit)
    assert (after.is_over, after.winner) == (winner is not None, winner)
    assert (after.termination, after.scores) == (None if winner is None else "block_empty", None)
    assert after.returns == {0: (1.0, -1.0), 1: (-1.0, 1.0), None: (0.0, 0.0)}[winner]


def test_either_player_may_lift_any_pit():
    for player in (0, 1):
        state = diffusion().position([4, 0, 4, 4, 4, 4] + [4, 4, 4, 0, 4, 4], player=player)
        assert sorted(legal_pits(state)) == [0, 2, 3, 4, 5, 6, 7, 8, 10, 11]
        for pit in (2, 8):
            after = play_pits(state, pit)
            assert (after.pits[pit], after.player) == (0, 1 - player)
    assert [diffusion().pit(1, action) for action in range(12)] == [6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5]


NEIGHBOURS = {  # bottom row: right, up-right, up, up-left, left; top row the other way round; None is off the board
    0: [1, 10, 11, None, None], 1: [2, 9, 10, 11, 0], 2: [3, 8, 9, 10, 1],
    3: [4, 7, 8, 9, 2], 4: [5, 6, 7, 8, 3], 5: [None, None, 6, 7, 4],
    6: [7, 4, 5, None, None], 7: [8, 3, 4, 5, 6], 8: [9, 2, 3, 4, 7],
    9: [10, 1, 2, 3, 8], 10: [11, 0, 1, 2, 9], 11: [None, None, 0, 1, 10],
}  # fmt: skip


@pytest.mark.parametrize("seeds", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("pit", range(12))
def test_every_pit_gives_to_its_neighbours_and_lowers_the_weight(pit, seeds):
    board = [0] * 12
    board[pit] = seeds
    witness = 3 if pit in (0, 1, 9, 10, 11) else 0 if pit in (4, 5, 6, 7) else (11 if pit == 3 or pit == 8 else 6)
    board[witness] = 1  # so that no block is empty at first
    state = diffusion().position(board, removed=47 - seeds)
    assert not state.is_over
    after = play_pits(state, pit)
    expected = board.copy()
    expected[pit], gone = 0, 0
    for receiver in NEIGHBOURS[pit][:seeds]:
        if receiver is None:
            gone += 1
        else:
            expected[receiver] += 1
    assert (list(after.pits), after.removed) == (expected, 47 - seeds + gone)
    assert weight(after) <= weight(state) - 2


CASES += [
    ("a seed too many leaves the board and the next pit gets its own", diffusion(),
     at([0, 0, 4, 0, 0, 0] + [0, 0, 5, 0, 0, 0], removed=39), sow(2),
     {"pits": (0, 0, 0, 1, 0, 0, 0, 0, 5, 1, 1, 0), "removed": 40}),
]  # fmt: skip


@pytest.mark.parametrize("limit", [3, 4, 5])
def test_a_pit_holds_so_many_seeds(limit):
    rules = diffusion(pit_limit=limit, seeds=3)
    after = play_pits(rules.position([0, 0, 3, limit, 0, 0] + [0, 0, 1, limit - 1, 0, 0]), 2)
    assert (after.pits[3], after.pits[8], after.pits[9], after.removed) == (limit, 2, limit, 1)


def test_every_game_of_diffusion_loses_weight_until_a_block_is_empty():
    assert weight(diffusion().start()) == 7232
    for blocks in ("halves", "rows"):
        for seed in range(20):
            _, states = random_game(diffusion(blocks=blocks), seed)
            weights = [weight(state) for state in states]
            assert all(after <= before - 2 for before, after in pairwise(weights))
            assert {all_seeds(state) for state in states} == {48}
            assert max(max(state.pits) for state in states) <= 5
            end = states[-1]
            block = [sum(seeds for seeds, who in zip(end.pits, end.owner, strict=True) if who == p) for p in (0, 1)]
            assert (end.termination, block[end.winner]) == ("block_empty", 0)
            assert block[1 - end.winner] > 0


# -- Reaping -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [[2, 0], [0, 2, 3, 0], [0, 3, 1, 2, 0, 0, 2], [0, 2, 3, 2] * 5])
def test_reaping_starts_from_any_row(start):
    state = reaping(start=start).start()
    assert (state.pits, state.rules.num_actions, len(state.legal_mask)) == (tuple(start), len(start), len(start))
    assert [state.rules.pit(0, action) for action in range(len(start))] == list(range(len(start)))
    assert [state.rules.pit(1, action) for action in range(len(start))] == list(range(len(start)))[::-1]


def test_right_reaps_the_other_way():
    state = reaping(start=[0, 2, 0, 3, 1, 2]).start()
    right = state.rules.position([0, 2, 0, 3, 1, 2], player=1)
    assert legal_pits(right) == [5, 3, 1]
    assert right.legal_actions == (0, 2, 4)
    assert right.play(0).pits == (0, 2, 3, 2, 0, 1)
    assert right.play(2).pits == (0, 2, 1, 2, 1, 2)
    assert right.play(4).pits == (1, 1, 0, 3, 1, 2)


def test_without_an_empty_pit_ahead_there_is_no_move():
    left = reaping(start=[0, 2, 1, 3, 2]).start()
    assert (left.termination, left.winner, left.scores) == ("stuck", 1, None)
    right = left.rules.position([0, 2, 1, 3, 2], player=1)
    assert legal_pits(right) == [4, 3, 1]


def test_a_run_may_be_reaped_from_any_of_its_pits():
    state = reaping(start=[0, 2, 2, 2, 0]).start()
    assert [state.play(pit).pits for pit in (1, 2, 3)] == [(0, 1, 1, 1, 3), (0, 2, 1, 1, 2), (0, 2, 2, 1, 1)]


@pytest.mark.parametrize(("min_start", "pits"), [(1, [0, 2, 3, 6]), (2, [2, 3, 6]), (3, [3, 6]), (4, [6])])
def test_reaping_starts_in_pits_of_so_many_seeds(min_start, pits):
    assert legal_pits(reaping(start=[1, 0, 2, 3, 0, 0, 4, 0], min_start=min_start).start()) == pits


def test_single_seeds_walk_to_and_fro_until_the_ply_limit_draws():
    state = reaping(start=[0, 1, 0], min_start=1, max_plies=4).start()
    way = [state.pits]
    while not state.is_over:
        state = state.play(state.legal_actions[0])
        way.append(state.pits)
    assert way == [(0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1), (0, 1, 0)]
    assert (state.termination, state.winner, state.returns) == ("max_plies", None, (0.0, 0.0))


CASES += [
    ("left reaps up to the next empty pit and passes over none", reaping(start=[2, 1, 3, 0, 2, 0]), START,
     {"legal_pits": [0, 2, 4]}, 0, {"pits": (1, 0, 2, 3, 2, 0)}),
    ("left reaps up to the next empty pit and passes over none", reaping(start=[2, 1, 3, 0, 2, 0]), START, 2,
     {"pits": (2, 1, 2, 1, 2, 0)}),
    ("left reaps up to the next empty pit and passes over none", reaping(start=[2, 1, 3, 0, 2, 0]), START, 4,
     {"pits": (2, 1, 3, 0, 1, 1)}),
    # 1 seed stays, one goes right
    ("the last mover wins reaping", reaping(start=[0, 2, 0]), START, 1,
     {"pits": (0, 1, 1), "termination": "stuck", "winner": 0, "returns": (1.0, -1.0)}),
    ("the last mover wins reaping", reaping(start=[1, 0, 1, 1, 0, 0, 1]), START,
     {"termination": "stuck", "winner": 1}),
]  # fmt: skip


# -- Contradictions ----------------------------------------------------------------------------------------------------


def test_options_that_fit_together_are_not_refused():
    assert series_wins(board=two_rows(4), seeds=3).total_seeds == 24
    assert hus(match="wins", target=2).target == 2
    assert hus(board=four_rows(4), start=[2] * 16).num_actions == 8
    assert diffusion(pit_limit=4).pit_limit == 4
    assert reaping(min_start=1).min_start == 1


# -- Impossible positions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "fields"),
    [
        (hus(), {"pits": [1] * 32, "stores": (1, 0)}),
        (diffusion(), {"pits": [1] * 12, "stores": (1, 0)}),
        (reaping(), {"pits": [1] * 15, "stores": (1, 0)}),
        (layli_match(), {"pits": [3] * 12, "reserve": (5, 7)}),
        (territory(), {"pits": [4] * 12, "last": (30, 18), "last_over": "max_games"}),
    ],
)
def test_what_no_game_of_the_kind_can_show_is_refused(rules, fields):
    with pytest.raises(ValueError, match=f"^{rules.name}: "):
        rules.position(**fields)


# -- Text, pickles and copies ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CORE)
def test_every_position_of_a_random_game_is_read_as_it_is_written(name):
    rules = RULESETS[name]
    for seed in range(3 if rules.match != "none" else 10):
        _, states = random_game(rules, seed)
        for state in states[:: 1 if len(states) < 500 else 7] + states[-1:]:
            read = State.parse(rules, str(state))
            assert (read, str(read)) == (state, str(state))
            assert read.legal_actions == state.legal_actions
        end = State.parse(rules, str(states[-1]))
        assert end.is_over
        assert (end.termination, end.scores, end.winner) == (
            states[-1].termination,
            states[-1].scores,
            states[-1].winner,
        )
        assert end.termination in TERMINATIONS


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (after_game(territory().start(), (20, 28)), "4-4-4-4-4-4-4-4-4-4-4-4-0-0-N owner=NSSSSSNNNNNN game=2 first=N"),
        (after_game(series_wins(draw_points=0.5).start(), DRAW), "0-0-S tally=0.5-0.5 game=2 last=24-24"),
        (after_game(layli_match().start(), (29, 19)), "3-3-3-3-3-4-3-3-3-3-3-4-0-0-N reserve=10-0 game=2 first=N"),
        (layli().position([2] * 12, (12, 12), marks=gravid(C, of=1)), "12-12-S marks=..N......N.."),
        (diffusion().start().play(0), "0-5-4-4-4-4-4-4-4-4-5-5-0-0-N ply=1 removed=1"),
    ],
)
def test_what_a_game_keeps_besides_is_written_behind_the_position(state, text):
    assert text in str(state)
    assert State.parse(state.rules, str(state)) == state


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))])
@pytest.mark.parametrize("name", CORE)
def test_copies_keep_all_that_a_state_has(name, duplicate):
    _, states = random_game(RULESETS[name], seed=1)
    for state in (states[0], states[len(states) // 2], states[-2], states[-1]):
        twin = duplicate(state)
        assert (twin, str(twin), twin.games) == (state, str(state), state.games)
        assert (twin.marks.tolist(), twin.owner.tolist()) == (state.marks.tolist(), state.owner.tolist())
        assert (twin.history.tolist(), twin.legal_actions) == (state.history.tolist(), state.legal_actions)
        assert (twin.removed, twin.reserve, twin.tally, twin.last) == (
            state.removed,
            state.reserve,
            state.tally,
            state.last,
        )
    twin = duplicate(states[-2])
    assert states[-1] in [twin.play(action) for action in twin.legal_actions]


def test_a_copy_of_a_round_with_a_gravid_pair_keeps_its_past():
    pits, stores, way = RECURRING
    state = play_pits(layli().position(pits, stores, player=1), *way[:4])
    for twin in (copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert play_pits(twin, *way[4:]).termination == "repetition"
    assert not play_pits(State.parse(layli(), str(state)), *way[4:]).is_over


@pytest.mark.parametrize("row", CASES, ids=lambda row: row[0])
def test_by_hand(row):
    check(*row[1:])
