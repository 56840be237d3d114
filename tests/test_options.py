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
from mancala_env.rules import Option, Passing, Skipping
from mancala_env.rules.checks import CHOICES
from mancala_env.rules.describe import in_words
from mancala_env.rules.spec import rule_changes
from tests.cases import START, at, check, sow
from tests.games import CORE
from tests.reference import Position, is_dead

DATA = Path(__file__).parent / "data"
A, B, C, D, E, F = range(6)
EMPTY = [0, 0, 0, 0, 0, 0]
CASES = []  # rows of ``tests.cases``


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


def test_what_leaves_the_last_pit_of_the_opponent_is_no_slam_also_where_single_seeds_are_taken():
    table = (When(side="opponent", count={1, 2, 3}).capture("here", chain={1, 2, 3}),)
    state = oware(landing=table, grand_slam="forbidden", indeterminacy_max_seeds=0).position(
        [1, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 1], (22, 23)
    )
    assert state.legal_actions == (A, F)


@pytest.mark.parametrize("reading", ["spare_last", "spare_first"])
def test_a_slam_that_spares_its_only_pit_captures_nothing(reading):
    after = oware(grand_slam=reading, indeterminacy_max_seeds=0).position(**ONE_PIT_SLAM).play(F)
    assert (after.pits[6:], after.stores) == ((2, 0, 0, 0, 0, 0), (22, 23))


@pytest.mark.parametrize("reading", OTHER_READINGS)
def test_a_capture_that_leaves_the_opponent_a_seed_is_no_slam(reading):
    after = oware(grand_slam=reading).position([1, 0, 3, 0, 1, 2] + [1, 2, 0, 0, 0, 1], (19, 18)).play(F)
    assert (after.pits[6:], after.stores, after.is_over) == ((0, 0, 0, 0, 0, 1), (24, 18), False)


CASES += [
    ("a forbidden slam is not among the legal moves", oware(grand_slam="forbidden"), at(**SLAM),
     {"legal_actions": (A, C, E)}),
    ("a forbidden slam without alternative is played and captures nothing", oware(grand_slam="forbidden"),
     at(**ONLY_SLAM), {"legal_actions": (F,)}, F,
     {"pits": (*EMPTY, 2, 3, 0, 0, 0, 0), "termination": "famine", "scores": (21, 27)}),
    ("a forbidden slam gives way to another feeding move", oware(grand_slam="forbidden"),
     at([1, 0, 0, 0, 2, 17] + EMPTY, (14, 14)), {"legal_actions": (E,)}),
    ("a forbidden slam is played if no other move feeds", oware(grand_slam="forbidden"),
     at([1, 0, 0, 0, 0, 17] + EMPTY, (15, 15)), {"legal_actions": (F,)}, F,
     {"pits": (2, 1, 1, 1, 1, 0, 2, 2, 2, 2, 2, 2), "stores": (15, 15)}),
    ("a move that leaves an empty side empty is no slam",
     game(When(side="opponent", count={1}).capture("here"), grand_slam="forbidden", stuck="pass"),
     at([1, 0, 2] + [0, 0, 0]), {"legal_actions": (A, C)}),
    ("a capture of own seeds alone is no slam",
     game(When(side="own", was="empty").capture("here", "facing"), grand_slam="forbidden", stuck="pass"),
     at([2, 1, 0] + [0, 0, 0]), {"legal_actions": (A, B)}, A, {"stores": (1, 0)}),
    ("a legal slam may capture nothing", oware(grand_slam="no_capture"), at(**SLAM), {"legal_actions": (A, C, E, F)},
     F, {"pits": (1, 0, 3, 0, 1, 0) + (2, 3, 0, 0, 0, 0), "stores": (19, 19), "is_over": False}),
    ("a legal slam may capture all and end the game by famine", oware(grand_slam="capture"), at(**SLAM), F,
     {"pits": (1, 0, 3, 0, 1, 0, *EMPTY), "stores": (24, 19), "termination": "famine", "scores": (29, 19)}),
    ("a slam may leave the rest to the opponent", oware(grand_slam="rest_to_opponent"), at(**SLAM), F,
     {"pits": (1, 0, 3, 0, 1, 0, *EMPTY), "stores": (24, 19), "termination": "grand_slam", "scores": (24, 24)}),
    ("the rest is the opponents even if the slam made a majority", oware(grand_slam="rest_to_opponent"),
     at(SLAM["pits"], (20, 18)), F, {"stores": (25, 18), "termination": "grand_slam", "scores": (25, 23)}),
    ("the rest is the opponents even if nobody should get it", oware(grand_slam="rest_to_opponent", leftover="none"),
     at(**SLAM), F, {"scores": (24, 24)}),
    ("the rest is the opponents even if he would have to pass",
     oware(grand_slam="rest_to_opponent", feeding="none", stuck="pass"), at(**SLAM), F,
     {"termination": "grand_slam", "scores": (24, 24)}),
    ("the rest is the opponents even if the capture earned another turn",
     game(When(side="opponent", count={2}).capture("here").again(), grand_slam="rest_to_opponent"),
     at([1, 0, 1] + [1, 0, 0]), C, {"stores": (2, 0), "termination": "grand_slam", "scores": (2, 1)}),
    ("a slam that ends the game ends the relay",
     game(When(side="own", was="occupied", facing="occupied").capture("facing").relay(), grand_slam="rest_to_opponent"),
     at([1, 1, 0] + [0, 2, 0]), A,
     {"pits": (0, 2, 0, 0, 0, 0), "stores": (2, 0), "termination": "grand_slam", "scores": (2, 2)}),
    ("a slam may spare the pit where the last seed fell", oware(grand_slam="spare_last"), at(**SLAM),
     {"legal_actions": (A, C, E, F)}, F, {"north": (0, 3, 0, 0, 0, 0), "stores": (21, 19)}),
    ("a slam may spare the pit nearest the movers field", oware(grand_slam="spare_first"), at(**SLAM),
     {"legal_actions": (A, C, E, F)}, F, {"north": (2, 0, 0, 0, 0, 0), "stores": (22, 19)}),
    ("north slams as south does", oware(grand_slam="rest_to_opponent"),
     at(SLAM["pits"][6:] + SLAM["pits"][:6], (19, 19), player=1), F,
     {"stores": (19, 24), "termination": "grand_slam", "scores": (24, 24)}),
    # A ends in B, which faces b
    ("taking all the opponent has from across is a slam too", kalah(pits_per_row=3, grand_slam="forbidden"),
     at([1, 0, 1] + [0, 2, 0]), {"legal_actions": (C,)}),
    ("taking all the opponent has from across is a slam too", kalah(pits_per_row=3, grand_slam="no_capture"),
     at([1, 0, 1] + [0, 2, 0]), A, {"pits": (0, 1, 1, 0, 2, 0), "stores": (0, 0)}),
    # B ends in A; c faces A and comes before it in sowing order
    ("a pit both across and in the chain is one pit of the slam",
     game(When(side="own").capture("here", "facing", chain={2}), grand_slam="no_capture"), at([0, 5, 0] + [1, 1, 1]),
     B, {"pits": (1, 0, 1, 2, 2, 2), "stores": (0, 0)}),
    ("a chain that comes round to its first pit is a slam too",
     game(When().capture("here", chain={1, 2}, chain_side="any"), board=two_rows(2), grand_slam="no_capture"),
     at([7, 0] + [0, 0]), A, {"pits": (1, 2, 2, 2), "stores": (0, 0)}),
    ("a slam may be as large as all six pits at three", oware(),
     at([1, 0, 0, 0, 0, 6] + [2, 2, 2, 2, 2, 2], (14, 15)), {"legal_actions": (A,)}),
    ("a slam may be as large as all six pits at three", oware(grand_slam="capture"),
     at([1, 0, 0, 0, 0, 6] + [2, 2, 2, 2, 2, 2], (14, 15)), F, {"stores": (32, 15)}),
    ("a one pit capture of everything counts as slam", oware(slam_scope="any", indeterminacy_max_seeds=0),
     at(**ONE_PIT_SLAM), {"legal_actions": (A,)}),
    ("a one pit capture of everything need not count as slam",
     oware(slam_scope="multi_pit", indeterminacy_max_seeds=0), at(**ONE_PIT_SLAM), {"legal_actions": (A, F)}, F,
     {"stores": (24, 23)}),
    ("a capture of everything in two pits counts as slam in any case", oware(slam_scope="multi_pit"), at(**SLAM),
     {"legal_actions": (A, C, E)}),
    ("a one pit capture need not count as slam where nothing is chained either",
     game(When(side="opponent", count={2}).capture("here"), grand_slam="forbidden", slam_scope="multi_pit"),
     at([1, 0, 1] + [1, 0, 0]), {"legal_actions": (A, C)}),
]  # fmt: skip


# -- Feeding and being stuck -------------------------------------------------------------------------------------------


def test_seeds_captured_in_the_same_turn_do_not_count_as_fed_where_turns_relay():
    capture, relay = When(side="opponent").capture("here"), When(side="own", was="occupied").relay()
    position = [1, 0, 1] + [0, 0, 0]
    assert game(capture, feeding="if_starved").position(position).legal_actions == (C,)
    assert game(capture, relay, feeding="if_starved").position(position).termination == "stuck"


def test_in_awari_sowing_more_than_a_lap_captures_as_ever():
    state = awari().position([1, 0, 4, 19, 4, 2] + [1, 1, 3, 1, 0, 0])  # a position of Allis (1994)
    assert state.legal_actions == (A, C, D, E, F)
    assert [state.play(action).stores[0] for action in state.legal_actions] == [0, 2, 7, 0, 4]


CASES += [
    ("a starved opponent must be fed", oware(), at([2, 1, 3, 2, 3, 0] + EMPTY, (19, 18)), {"legal_actions": (E,)}),
    ("a starved opponent need not be fed without a feeding rule", oware(feeding="none"),
     at([2, 1, 3, 2, 3, 0] + EMPTY, (19, 18)), {"legal_actions": (A, B, C, D, E)}),
    ("who cannot feed ends the game and keeps his row", oware(), at([1, 2, 2, 1, 1, 0] + EMPTY, (20, 21)),
     {"termination": "famine", "scores": (27, 21)}),
    ("seeds given and captured again count as fed", oware(grand_slam="capture", majority_stop=False),
     at([1, 0, 0, 0, 0, 17] + EMPTY, (15, 15)), {"legal_actions": (F,)}, F,
     {"pits": (2, 1, 1, 1, 1, 0, *EMPTY), "termination": "famine", "scores": (33, 15)}),
    # C would take all seven; a position of Lincke (2002)
    ("in awari a move must leave the opponent seeds after its capture", awari(),
     at([0, 0, 6, 0, 3, 5] + [1, 2, 1, 0, 0, 0]), {"legal_actions": (E, F)}, E, {"stores": (5, 0)}),
    ("in awari a slam captures if every move is one", awari(), at(**ONLY_SLAM), {"legal_actions": (F,)}, F,
     {"stores": (26, 22), "termination": "famine", "scores": (26, 22)}),
    ("in awari who cannot feed may play anything", awari(), at([1, 0, 2, 0, 0, 0] + EMPTY, (20, 20)),
     {"legal_actions": (A, C)}, A, {"termination": "famine", "scores": (23, 20)}),
    ("in awari it does not matter of how many pits a slam is", awari(slam_scope="multi_pit"), at(**ONE_PIT_SLAM),
     {"legal_actions": (A,)}),
    ("awari goes on after a majority and when nothing can be captured", awari(),
     at([1, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 1, 0], (40, 6)), {"is_over": False}),
    ("a player without seeds ends the game", oware(feeding="none"), at(EMPTY + [1, 3, 0, 2, 0, 1], (20, 21)),
     {"termination": "famine", "scores": (20, 28)}),
    ("a player without seeds may have to pass", oware(feeding="none", stuck="pass"),
     at(EMPTY + [1, 3, 0, 2, 0, 1], (20, 21), player=1), {"legal_actions": (A, B, D, F)}, A,
     {"player": 1, "ply": 1, "legal_actions": (B, D, F)}, F, {"player": 0, "ply": 2, "legal_actions": (A,)}),
    ("a player who has to pass is not asked", oware(feeding="none", stuck="pass"),
     at(EMPTY + [1, 3, 0, 2, 0, 1], (20, 21), player=0), {"player": 1, "ply": 0}),
    ("the game ends when both would have to pass",
     oware(feeding="none", stuck="pass", grand_slam="capture", majority_stop=False, indeterminacy_max_seeds=0),
     at([0, 0, 0, 0, 0, 1] + [1, 0, 0, 0, 0, 0], (22, 24)), F,
     {"pits": (*EMPTY, *EMPTY), "termination": "famine", "scores": (24, 24), "winner": None}),
]  # fmt: skip


# -- The end and what is left ------------------------------------------------------------------------------------------

LAST_SEED = {"pits": [0, 0, 0, 0, 0, 1] + [2, 0, 3, 0, 0, 1], "stores": (20, 21)}


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


def test_a_majority_is_of_the_seeds_in_play_be_they_fewer():
    assert oware().position([1, 1, 0, 0, 0, 0] + [1, 1, 0, 0, 0, 0], (5, 0)).termination == "majority"
    assert oware(pits_per_row=3).position([1, 1, 1] + [1, 4, 3], (13, 0)).termination == "majority"


CASES += [
    ("an empty row ends kalah at once", kalah(), at([0, 0, 0, 0, 0, 2] + [1, 0, 3, 0, 0, 0], (20, 20)), F,
     {"north": (2, 0, 3, 0, 0, 0), "termination": "side_empty", "scores": (21, 25)}),
    ("an empty row may end kalah only when its owner is to move", kalah(end_check="side_to_move"),
     at([0, 0, 0, 0, 0, 2] + [1, 0, 3, 0, 0, 0], (20, 20)), F,
     {"is_over": False, "player": 1, "legal_actions": (A, C)}, A,
     {"north": (0, 1, 4, 0, 0, 0), "termination": "side_empty", "scores": (21, 25)}),
    ("another turn without seeds ends the game", kalah(end_check="side_to_move"), at(**LAST_SEED), F,
     {"termination": "side_empty", "scores": (21, 27)}),
    ("an empty side may end oware whoever is to move", oware(feeding="none", end_check="any_side"),
     at([0, 0, 0, 0, 0, 1] + [0, 3, 0, 2, 0, 1], (20, 21)), F, {"termination": "famine", "scores": (20, 28)}),
    ("an empty side may end oware whoever is to move", oware(feeding="none", end_check="any_side"),
     at([0, 0, 0, 0, 0, 2] + [1, 1, 4, 0, 0, 2], (19, 19)), F, {"stores": (23, 19), "scores": (23, 25)}),
    ("the slam ban survives an ending at the first empty side", oware(feeding="none", end_check="any_side"),
     at([0, 0, 1, 0, 0, 2] + [1, 2, 0, 0, 0, 0], (21, 21)), {"legal_actions": (C,)}),
    ("seeds left may go to the hungry side in oware", oware(leftover="emptier"),
     at([1, 2, 2, 1, 1, 0] + EMPTY, (20, 21)), {"termination": "famine", "scores": (20, 28)}),
    ("where no side is empty each keeps his own", oware(leftover="emptier", max_plies=10),
     at([1, 0, 0, 0, 0, 9] + [4] * 6, (7, 7), ply=10), {"termination": "max_plies", "scores": (17, 31)}),
    ("more than half of the seeds wins and the rest is not counted", oware(),
     at([0, 1, 0, 2, 4, 0] + [3, 1, 2, 5, 1, 1], (22, 6)), E,
     {"stores": (27, 6), "termination": "majority", "scores": (27, 6), "winner": 0}),
    ("half of the seeds is no majority", oware(), at([1, 1, 1, 1, 1, 1] + [1, 1, 1, 1, 1, 1], (24, 12)),
     {"is_over": False}),
    ("a majority need not end the game", oware(majority_stop=False),
     at([0, 1, 0, 2, 4, 0] + [3, 1, 2, 5, 1, 1], (22, 6)), E, {"stores": (27, 6), "is_over": False, "player": 1}),
    ("a majority ends kalah only on demand", kalah(),
     at([1, 0, 0, 0, 0, 1] + [2, 2, 2, 2, 2, 2], (24, 10)), F, {"is_over": False}),
    ("a majority ends kalah only on demand", kalah(majority_stop=True),
     at([1, 0, 0, 0, 0, 1] + [2, 2, 2, 2, 2, 2], (24, 10)), F,
     {"termination": "majority", "scores": (25, 10)}),
    ("the ply limit ends the game and each keeps his row", oware(max_plies=10),
     at([4, 4, 4, 4, 4, 4] + [4, 4, 4, 4, 4, 4], ply=8), A, {"is_over": False}, F,
     {"ply": 10, "termination": "max_plies", "scores": (28, 20)}),
    ("a position at the ply limit is over", oware(max_plies=10), at([4] * 12, ply=10), {"termination": "max_plies"}),
    ("a position at the ply limit is over", oware(max_plies=0), at([4] * 12, ply=10000), {"is_over": False}),
]  # fmt: skip


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


CASES += [
    ("each keeps his row where nothing can be captured", oware(), at(**ONE_AND_TWO), {"scores": (23, 25)}),
    ("three seeds that can still be captured go on", oware(), at(**ALIVE), sow(5), sow(11), sow(0), sow(6), sow(1),
     sow(7), sow(2), sow(8), sow(3), sow(10), sow(4),
     {"pits": (0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1), "is_over": False}),
]  # fmt: skip


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


CASES += [
    ("only a recurrence halves what is left", awari(max_plies=10), at([1, 0, 0, 0, 0, 9] + [4] * 6, (7, 7), ply=10),
     {"termination": "max_plies", "scores": (17, 31)}),
    ("the mover is part of the position that recurs", game(board=two_rows(2), repetition=2), at([0, 1] + [2, 0]),
     sow(1), sow(2), sow(1), sow(3), sow(0), {"pits": (0, 1, 2, 0), "player": 1, "is_over": False}),
]  # fmt: skip


def test_no_game_outlives_the_counter_of_its_plies():
    rules = game(board=two_rows(5), repetition=300, max_plies=0)
    state = rules.position([2, 1, 2, 2, 1] + [2, 2, 2, 1, 1])
    # If both always play their rightmost pit, the same position comes back every 126 plies from ply 87 on.
    while not state.is_over:
        state = state.play(state.legal_actions[-1])
    assert (state.termination, state.ply) == ("max_plies", 32_000)


# -- Sowing and landing ------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(("store", "own_again", "others_again"), [("own", True, False), ("opponent", False, True)])
@pytest.mark.parametrize("player", [0, 1])
def test_a_row_tells_the_own_store_from_the_opponents_where_both_are_sown(store, own_again, others_again, player):
    rules = game(When(store=store).again(), store="both")
    for seeds, again in ((1, own_again), (5, others_again)):  # of the last pit: into the own store; past all three, on
        row = [1, 0, seeds]
        state = rules.position(row + [1, 0, 0] if player == 0 else [1, 0, 0] + row, player=player).play(C)
        assert sum(state.stores) == (1 if seeds == 1 else 2)
        assert (state.player == player) == again


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


CASES += [
    ("no lap of oware sows its origin", oware(), at([12, 0, 0, 0, 0, 0] + EMPTY), A,
     {"pits": (0, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)}),
    ("a lap may sow its origin", oware(skip_origin=False), at([12, 0, 0, 0, 0, 0] + EMPTY), A,
     {"pits": (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)}),
    ("a lap of kalah ends in its own empty origin and captures across", kalah(),
     at([13, 0, 0, 0, 0, 0] + [1, 0, 0, 0, 0, 0]), A,
     {"pits": (0, 1, 1, 1, 1, 1) + (2, 1, 1, 1, 1, 0), "stores": (3, 0)}),
    ("the last seed in the own store earns another turn", kalah(), START, C,
     {"player": 0, "ply": 1, "stores": (1, 0)}),
    ("a row without a store speaks of pits only", game(When().again(), store="own"), at([0, 0, 1] + [1, 0, 0]), C,
     {"player": 1}),
    ("a row without a store speaks of pits only", game(When().again(), store="own"), at([0, 1, 0] + [1, 0, 0]), B,
     {"player": 0}),
    ("a capture may take the facing pit alone", game(When(side="own").capture("facing")), at([1, 0, 0] + [0, 3, 1]),
     A, {"pits": (0, 1, 0, 0, 0, 1), "stores": (3, 0)}),
    ("a chain ends at the first pit of another count", oware(),
     at([0, 0, 0, 0, 4, 1] + [1, 3, 1, 0, 5, 0], (14, 14)), E, {"north": (2, 4, 0, 0, 5, 0), "stores": (16, 14)}),
    # the store holds two when C and a do
    ("a chain does not pass a store",
     game(When(side="opponent").capture("here", chain={2}, chain_side="any"), store="own"),
     at([2, 3, 1] + [1, 0, 5], stores=(1, 0)), B, {"pits": (2, 0, 2, 0, 0, 5), "stores": (4, 0)}),
    ("a chain round the whole board takes each pit once",
     game(When().capture("here", chain={1, 2}, chain_side="any"), board=two_rows(2)), at([1, 4] + [1, 1]), B,
     {"stores": (7, 0)}),
    ("a relay lifts the last pit and sows on", game(When(was="occupied").relay()), at([2, 0, 1] + [0, 0, 0]), A,
     {"pits": (0, 1, 0, 1, 1, 0)}),
    ("a relay stops at the lap limit", game(When(was="occupied").relay(), max_laps=1), at([2, 0, 1] + [0, 0, 0]), A,
     {"pits": (0, 1, 2, 0, 0, 0)}),
    ("a capture that relays waits for a lap to spare",
     game(When(side="own", was="occupied", facing="occupied").capture("facing").relay(), max_laps=1),
     at([1, 1, 0] + [0, 2, 1]), A, {"pits": (0, 2, 0, 0, 2, 1), "stores": (0, 0)}),
    ("a capture that relays waits for a lap to spare",
     game(When(side="own", was="occupied", facing="occupied").capture("facing").relay(), max_laps=2),
     at([1, 1, 0] + [0, 2, 1]), A, {"pits": (0, 0, 1, 1, 0, 1), "stores": (2, 0)}),
    ("the lap limit does not touch a capture that ends the turn", oware(max_laps=1, grand_slam="capture"),
     at(**SLAM), F, {"stores": (24, 19)}),
    ("a capture may earn another turn", game(When(side="opponent", count={2}).capture("here").again()),
     at([1, 0, 1] + [1, 0, 1]), C, {"player": 0, "stores": (2, 0)}),
]  # fmt: skip


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


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: When().or_stop(), "a turn may stop where it would go on with the last pit: relay().or_stop()"),
        (lambda: When().relay("last"), "relay('last') is unknown"),
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


@pytest.mark.parametrize("name", CHOICES)
def test_the_help_of_a_ruleset_tells_every_value_of_a_choice(name):
    told = Ruleset.__doc__
    assert f"(``{name}``)" in told
    assert all(f'"{value}"' in told for value in CHOICES[name])


def test_what_is_no_game_no_clause_and_no_option_is_refused():
    with pytest.raises(ValueError, match="landing takes clauses such as"):
        game("capture")
    two = Option("seeds", "how many", {3: When(side="opponent", count={2}).capture("here"), 4: When()})
    with pytest.raises(ValueError, match="every ruleset has a field 'seeds'"):
        game(options=(two,))
    with pytest.raises(ValueError, match="unknown game None; `mancala games` lists all"):
        ruleset(None)


@pytest.mark.parametrize("row", CASES, ids=lambda row: row[0])
def test_by_hand(row):
    check(*row[1:])
