"""How matches go on after games with given scores, and what single positions cannot show of the core games.

Positions that are played by hand are in ``data/by_hand.txt``. South's pits A to F are 0 to 5, North's a to f 6 to 11.
"""

import copy
import pickle
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from mancala_env import RULESETS, TERMINATIONS, IllegalAction, State, ruleset
from tests.games import CORE, after_game, all_seeds, random_game
from tests.reference import is_dead

SOUTH_WINS, NORTH_WINS, DRAW = (30, 18), (20, 28), (24, 24)


def territory(**changes):
    return ruleset("oware_territory", **changes)


def series_wins(**changes):
    return ruleset("oware_series_wins", **changes)


def series_difference(**changes):
    return ruleset("oware_series_difference", **changes)


def layli_match(**changes):
    return ruleset("layli_goobalay_match", **changes)


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


# -- Libertà al più forte ----------------------------------------------------------------------------------------------


def test_in_liberty_a_pass_is_an_action_of_its_own():
    rules = ruleset("oware_liberta", explicit_pass=True)
    state = rules.position([0] * 6 + [1, 3, 0, 2, 0, 1], (20, 21), 1).play(0)
    assert (state.player, state.legal_actions, rules.num_actions) == (0, (6,), 7)
    assert state.legal_mask.tolist() == [False] * 6 + [True]
    assert (state.pit(6), state.name(6), state.parse_move("pass")) == (None, "pass", 6)
    assert (rules.action(0, None), rules.action(1, None), rules.pit(0, 6), rules.pit(1, 6)) == (6, 6, None, None)
    with pytest.raises(IllegalAction, match=r"legal actions are \(0, 1, 2, 3, 4, 5\)"):
        rules.start().play(6)
    with pytest.raises(ValueError, match="pit None is not one of player 0's pits"):
        ruleset("oware_liberta").action(0, None)
    with pytest.raises(ValueError, match="'pass' is no move of player 0"):
        ruleset("oware_liberta").start().parse_move("pass")


def test_skipping_and_passing_make_the_same_game():
    rng, passes = np.random.default_rng(5), 0
    for _ in range(60):
        skipping, passing = (
            ruleset("oware_liberta", repetition=0, explicit_pass=explicit).start() for explicit in (False, True)
        )
        while not skipping.is_over:
            while passing.legal_actions == (6,):
                passing, passes = passing.play(6), passes + 1
            assert (passing.pits, passing.player) == (skipping.pits, skipping.player)
            assert passing.legal_actions == skipping.legal_actions
            action = int(rng.choice(skipping.legal_actions))
            skipping, passing = skipping.play(action), passing.play(action)
        assert (passing.termination, passing.scores) == (skipping.termination, skipping.scores)
    assert passes > 0


# -- Dead positions ----------------------------------------------------------------------------------------------------


def ended_at_once(rules, seeds, **fields):
    """How the games with this number of seeds ended that are over before anybody moves."""
    states = [rules.position(pits, player=player, **fields) for pits in placements(seeds) for player in (0, 1)]
    return [(*state.games, state)[0].termination for state in states if state.games or state.is_over]


@pytest.mark.parametrize(
    ("rules", "ended"),  # by seeds: positions that end at once, and those that do not end in another way, too
    [
        (ruleset("oware_tutti_a_casa", majority_stop=False), {1: (24, 0), 2: (156, 72), 3: (356, 132)}),
        (ruleset("oware_liberta", majority_stop=False, indeterminacy_max_seeds=4),
         {1: (24, 24), 2: (156, 156), 3: (0, 0), 4: (0, 0)}),
        (ruleset("oware_liberta", majority_stop=False, indeterminacy_max_seeds=4, explicit_pass=True),
         {1: (24, 24), 2: (156, 156), 3: (0, 0)}),
    ],
)  # fmt: skip
def test_so_many_positions_are_dead(rules, ended):
    for seeds, (all_of_them, dead) in ended.items():
        reasons = ended_at_once(rules, seeds)
        assert (len(reasons), reasons.count("indeterminacy")) == (all_of_them, dead)


DEAD_ON_ARCS = {1: 645, 2: 537, 3: 428, 4: 337, 5: 271, 6: 248, 7: 271, 8: 337, 9: 428, 10: 537, 11: 645}


def owners(south):
    """The owner of each pit if South owns this number of them."""
    begins = max(0, 6 - south)
    return [0 if begins <= pit < begins + south else 1 for pit in range(12)]


@pytest.mark.parametrize(("south", "dead"), DEAD_ON_ARCS.items())
def test_so_many_positions_are_dead_on_arcs(south, dead):
    for seeds, expected in ((1, 24), (2, 156), (3, dead)):
        reasons = ended_at_once(territory(), seeds, stores=(22, 23), owner=owners(south))
        assert {*reasons} <= {"indeterminacy", "famine"}
        assert len(reasons) == expected


@pytest.mark.parametrize("south", [1, 4])
def test_the_reference_finds_the_same_positions_dead_on_arcs(south):
    found = sum(is_dead(territory(), pits, who, owners(south)) for pits, who in product(placements(3), (0, 1)))
    assert found == DEAD_ON_ARCS[south]


# -- Matches -----------------------------------------------------------------------------------------------------------

# The pits owned by who has won most seeds of those: 24 + 4 n buy n, and 3 of 4 buy one as well.
PITS_WON = {26: 6, 27: 7, 30: 7, 31: 8, 34: 8, 35: 9, 38: 9, 39: 10, 42: 10, 43: 11, 46: 11, 47: 12, 48: 12}


@pytest.mark.parametrize("winner", [0, 1])
@pytest.mark.parametrize(("seeds", "pits"), PITS_WON.items())
def test_seeds_buy_pits_of_the_loser_next_to_ones_own_right(seeds, pits, winner):
    scores, owned = (seeds, 48 - seeds), (pits, 12 - pits)
    state = after_game(territory().start(), scores[:: 1 - 2 * winner])
    assert state.tally == owned[:: 1 - 2 * winner]
    if pits == 12:
        assert (state.is_over, state.termination, state.winner) == (True, "match_target", winner)
        return
    extra = pits - 6
    rows = {0: [0] * 6 + [0] * extra + [1] * (6 - extra), 1: [1] * extra + [0] * (6 - extra) + [1] * 6}
    assert state.owner.tolist() == rows[winner]
    assert (state.pits, state.stores, state.is_over, state.game, state.ply) == ((4,) * 12, (0, 0), False, 2, 0)


@pytest.mark.parametrize(
    ("scores", "south", "pits", "stores"),
    [
        ((28, 20), 7, [4] * 12, (0, 0)),  # nothing is left over
        ((29, 19), 7, [4] * 7 + [3] + [4] * 4, (1, 0)),  # North has three for pit b, South keeps one
        ((30, 18), 7, [4] * 7 + [0] + [4] * 4, (2, 2)),  # nobody fills b, which stays North's
        ((31, 17), 8, [4] * 7 + [3] + [4] * 4, (0, 1)),  # South has three for pit b, North keeps one
        ((26, 22), 6, [4] * 6 + [0] + [4] * 5, (2, 2)),
        ((19, 29), 5, [4, 3] + [4] * 10, (0, 1)),
        ((17, 31), 4, [4, 3] + [4] * 10, (1, 0)),
        ((46, 2), 11, [4] * 11 + [0], (2, 2)),
    ],
)
def test_odd_seeds_may_be_kept(scores, south, pits, stores):
    state = after_game(territory(remainder="keep").start(), scores)
    assert (list(state.pits), state.stores) == (pits, stores)
    assert state.owner.tolist().count(0) == south
    pooled = after_game(territory(remainder="pool").start(), scores)
    assert (pooled.pits, pooled.stores, pooled.owner.tolist()) == ((4,) * 12, (0, 0), state.owner.tolist())


@pytest.mark.parametrize("winner", [0, 1])
@pytest.mark.parametrize("poorer", range(0, 25, 3))
def test_both_lay_out_what_the_poorer_has_from_right_to_left(poorer, winner):
    totals = (48 - poorer, poorer)[:: 1 - 2 * winner]
    state = after_game(layli_match().start(), totals)
    if poorer < 6:
        assert (state.termination, state.scores, state.winner) == ("match_target", totals, winner)
        return
    row = [0] * 6
    for seed in range(poorer):
        row[5 - seed % 6] += 1
    assert state.pits == (*row, *row)
    assert state.reserve == (48 - 2 * poorer, 0)[:: 1 - 2 * winner]
    assert all_seeds(state) == 48


@pytest.mark.parametrize(
    ("first_mover", "movers"),
    [
        ("winner", [0, 0, 1, 1, 0]),
        ("loser", [1, 1, 0, 0, 1]),
        ("alternate", [1, 0, 1, 0, 1]),
        ("south", [0, 0, 0, 0, 0]),
    ],
)
@pytest.mark.parametrize(
    ("rules", "results"),
    [
        (territory(), [SOUTH_WINS, DRAW, NORTH_WINS, DRAW, SOUTH_WINS]),
        (series_wins(target=100), [SOUTH_WINS, DRAW, NORTH_WINS, DRAW, SOUTH_WINS]),
        (series_difference(target=100), [SOUTH_WINS, DRAW, NORTH_WINS, DRAW, SOUTH_WINS]),
        # totals 30-18 twice, 22-26 twice, 25-23
        (layli_match(), [(30, 18), (18, 18), (10, 26), (22, 22), (25, 19)]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_who_begins_the_next_game_depends_on_the_one_before(rules, results, first_mover, movers):
    states = [play_games(rules.changes(first_mover=first_mover), *results[:games]) for games in range(1, 6)]
    assert [state.player for state in states] == [state.first for state in states] == movers


def test_the_winner_begins_unless_told_otherwise():
    assert territory().first_mover == series_wins().first_mover == series_difference().first_mover == "winner"
    assert layli_match().first_mover == "alternate"
    assert series_difference().target == 24


GOES_ON = None
SIGNED = {"difference": "signed"}


@pytest.mark.parametrize(
    ("rules", "results", "tally", "end", "winner"),
    [
        # as worked out by hand
        (territory(), [(32, 16), (26, 22), (21, 27), (13, 35)], (3, 9), GOES_ON, None),
        (territory(), [(32, 16), (26, 22), (21, 27), (13, 35), (1, 47)], (0, 12), "match_target", 1),
        # fewer pits may win, and games may be few: more pits win, then the last game's score
        (territory(target_pits=8), [(30, 18)], (7, 5), GOES_ON, None),
        (territory(target_pits=8), [(31, 17)], (8, 4), "match_target", 0),
        (territory(target=8), [(17, 31)], (4, 8), "match_target", 1),
        (territory(max_games=2), [(30, 18), (20, 28)], (5, 7), "max_games", 1),
        (territory(max_games=2), [(40, 8), (26, 22)], (6, 6), "max_games", 0),
        (territory(max_games=2), [(40, 8), (22, 26)], (6, 6), "max_games", 1),
        (territory(max_games=2), [(40, 8), (24, 24)], (6, 6), "max_games", None),
        (territory(max_games=2), [(30, 18), (48, 0)], (12, 0), "match_target", 0),
        (territory(), [(30, 18)] * 19, (7, 5), GOES_ON, None),
        (territory(), [(30, 18)] * 20, (7, 5), "max_games", 0),
        # three wins make a series, or another number; a draw is nothing or half a win
        (series_wins(), [(25, 10), (20, 26), (24, 24), (27, 21)], (2, 1), GOES_ON, None),
        (series_wins(), [(25, 10), (20, 26), (24, 24), (27, 21), (30, 18)], (3, 1), "match_target", 0),
        (series_wins(draw_points=0), [DRAW, SOUTH_WINS, DRAW], (1, 0), GOES_ON, None),
        (series_wins(draw_points=0.5), [DRAW, SOUTH_WINS, DRAW], (2, 1), GOES_ON, None),
        (series_wins(draw_points=0.5, target=1), [DRAW, DRAW], (1, 1), "match_target", None),
        (series_wins(draw_points=0.5, target=1), [DRAW, NORTH_WINS], (0.5, 1.5), "match_target", 1),
        (series_wins(target=5), [NORTH_WINS] * 4, (0, 4), GOES_ON, None),
        (series_wins(target=5), [NORTH_WINS] * 5, (0, 5), "match_target", 1),
        (series_wins(target=2, max_games=2), [SOUTH_WINS] * 2, (2, 0), "match_target", 0),
        (series_wins(max_games=3), [SOUTH_WINS, SOUTH_WINS, NORTH_WINS], (2, 1), "max_games", 0),
        (series_wins(max_games=3), [NORTH_WINS, DRAW, NORTH_WINS], (0, 2), "max_games", 1),
        (series_wins(max_games=3), [DRAW, DRAW, DRAW], (0, 0), "max_games", None),
        # the difference is the winner's, or one running total
        (series_difference(target=20), [(30, 18), (20, 28), (27, 21)], (18, 8), GOES_ON, None),
        (series_difference(target=20), [(30, 18), (20, 28), (27, 21), (26, 22)], (22, 8), "match_target", 0),
        (series_difference(target=20), [(30, 18), (10, 38)], (12, 28), "match_target", 1),
        (series_difference(), [(35, 13)], (22, 0), GOES_ON, None),
        (series_difference(), [(36, 12)], (24, 0), "match_target", 0),
        (series_difference(max_games=2), [(30, 18), (20, 28)], (12, 8), "max_games", 0),
        (series_difference(**SIGNED), [(30, 18), (20, 28)], (4, 0), GOES_ON, None),
        (series_difference(**SIGNED), [(30, 18), (20, 28), (18, 30)], (0, 8), GOES_ON, None),
        (series_difference(**SIGNED), [DRAW], (0, 0), GOES_ON, None),
        (series_difference(**SIGNED, target=20), [(30, 18), (10, 38), (20, 28)], (0, 24), "match_target", 1),
        # rounds: totals count the reserve of the round before; at the last round the larger total wins
        (layli_match(), [(29, 19), (14, 24), (43, 5)], (43, 5), "match_target", 0),
        (layli_match(), [(10, 38), (5, 15)], (5, 43), "match_target", 1),
        (layli_match(max_rounds=1), [(25, 23)], (25, 23), "max_rounds", 0),
        (layli_match(max_rounds=1), [(24, 24)], (24, 24), "max_rounds", None),
        (layli_match(max_rounds=1), [(43, 5)], (43, 5), "match_target", 0),
        (layli_match(max_games=2), [(30, 18), (8, 28)], (20, 28), "max_rounds", 1),
        (layli_match(), [DRAW] * 50, (24, 24), "max_rounds", None),
    ],
)
def test_a_match_goes_as_worked_out_by_hand(rules, results, tally, end, winner):
    state = play_games(rules, *results)
    assert (state.termination, state.winner, state.is_over) == (end, winner, end is not GOES_ON)
    assert (state.tally if end is GOES_ON else state.scores) == tally
    assert [game.scores for game in state.games] == results
    assert state.game == len(results) + (end is GOES_ON)


@pytest.mark.parametrize(
    ("rules", "results", "pits", "reserve"),
    [
        (layli_match(), [(29, 19)], (3, 3, 3, 3, 3, 4) * 2, (10, 0)),
        (layli_match(), [(29, 19), (14, 24)], (4,) * 12, (0, 0)),
        (layli_match(), [(10, 38)], (1, 1, 2, 2, 2, 2) * 2, (0, 28)),
        (layli_match(), [(10, 38), (15, 5)], (2, 2, 2, 3, 3, 3) * 2, (0, 18)),  # 15 and 33
        (series_wins(seeds=3, pits_per_row=4), [(13, 11)], (3,) * 8, None),
        (series_wins(start=[1, 2, 3, 4, 5, 6] * 2), [(24, 18)], (1, 2, 3, 4, 5, 6) * 2, None),
    ],
)
def test_the_next_game_is_laid_out(rules, results, pits, reserve):
    state = play_games(rules, *results)
    assert (state.pits, state.stores, state.ply, state.game) == (pits, (0, 0), 0, len(results) + 1)
    assert reserve in (None, state.reserve)
    assert max(state.marks) < 0


# -- Diffusion and Reaping ---------------------------------------------------------------------------------------------

NEIGHBOURS = {  # bottom row: right, up-right, up, up-left, left; top row the other way round; None is off the board
    0: [1, 10, 11, None, None], 1: [2, 9, 10, 11, 0], 2: [3, 8, 9, 10, 1],
    3: [4, 7, 8, 9, 2], 4: [5, 6, 7, 8, 3], 5: [None, None, 6, 7, 4],
    6: [7, 4, 5, None, None], 7: [8, 3, 4, 5, 6], 8: [9, 2, 3, 4, 7],
    9: [10, 1, 2, 3, 8], 10: [11, 0, 1, 2, 9], 11: [None, None, 0, 1, 10],
}  # fmt: skip


@pytest.mark.parametrize("pit", NEIGHBOURS)
def test_every_pit_gives_to_its_neighbours(pit):
    rules = ruleset("diffusion")
    for seeds in range(1, 6):
        board = [0] * 12
        board[pit] = seeds
        board[(pit + 3) % 12], board[(pit + 9) % 12] = 1, 1  # so that no block is empty at first
        state = rules.position(board, removed=46 - seeds)
        after = state.play(rules.action(0, pit))
        board[pit], gone = 0, 0
        for receiver in NEIGHBOURS[pit][:seeds]:
            if receiver is None:
                gone += 1
            else:
                board[receiver] += 1
        assert (list(after.pits), after.removed) == (board, 46 - seeds + gone)


@pytest.mark.parametrize("start", [[2, 0], [0, 2, 3, 0], [0, 3, 1, 2, 0, 0, 2], [0, 2, 3, 2] * 5])
def test_reaping_starts_from_any_row(start):
    state = ruleset("reaping", start=start).start()
    assert (state.pits, state.rules.num_actions, len(state.legal_mask)) == (tuple(start), len(start), len(start))
    assert [state.rules.pit(0, action) for action in range(len(start))] == list(range(len(start)))
    assert [state.rules.pit(1, action) for action in range(len(start))] == list(range(len(start)))[::-1]


def test_blocks_are_halves_or_rows():
    assert ruleset("diffusion").start().owner.tolist() == [0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0]
    assert ruleset("diffusion", blocks="rows").start().owner.tolist() == [0] * 6 + [1] * 6


# -- Positions: refused, written, read and copied ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "fields"),
    [
        ("hus", {"pits": [1] * 32, "stores": (1, 0)}),
        ("diffusion", {"pits": [1] * 12, "stores": (1, 0)}),
        ("reaping", {"pits": [1] * 15, "stores": (1, 0)}),
        ("layli_goobalay_match", {"pits": [3] * 12, "reserve": (5, 7)}),
        ("oware_territory", {"pits": [4] * 12, "last": (30, 18), "last_over": "max_games"}),
    ],
)
def test_what_no_game_of_the_kind_can_show_is_refused(game, fields):
    with pytest.raises(ValueError, match=f"^{game}: "):
        ruleset(game).position(**fields)


@pytest.mark.parametrize("name", CORE)
def test_every_position_of_a_random_game_is_read_as_it_is_written(name):
    rules = RULESETS[name]
    _, states = random_game(rules, seed=1)
    for state in states[:: 1 if len(states) < 500 else 7] + states[-1:]:
        read = State.parse(rules, str(state))
        assert (read, str(read)) == (state, str(state))
        assert read.legal_actions == state.legal_actions
        ends = [(each.is_over, each.termination, each.scores, each.winner) for each in (read, state)]
        assert ends[0] == ends[1]
    assert states[-1].termination in TERMINATIONS


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))])
@pytest.mark.parametrize("name", CORE)
def test_copies_keep_all_that_a_state_has(name, duplicate):
    _, states = random_game(RULESETS[name], seed=1)
    for state in (states[0], states[len(states) // 2], states[-2], states[-1]):
        twin = duplicate(state)
        assert (twin, str(twin), twin.games) == (state, str(state), state.games)
        assert (twin.history.tolist(), twin.legal_actions) == (state.history.tolist(), state.legal_actions)
    twin = duplicate(states[-2])
    assert states[-1] in [twin.play(action) for action in twin.legal_actions]


def test_a_recurrence_is_looked_for_since_a_capture_a_pair_or_its_growth():
    gravid = [-1, -1, 0, -1, -1, -1, -1, -1, -1, 0, -1, -1]
    for souths, norths, stores, marks, kept in [
        ([0, 1, 0, 0, 0, 2], [0, 2, 1, 0, 0, 2], (20, 20), None, 2),  # nothing of these
        ([0, 1, 0, 0, 0, 2], [0, 2, 1, 1, 0, 2], (20, 19), None, 1),
        ([0, 1, 0, 0, 0, 2], [0, 2, 1, 3, 0, 2], (18, 19), None, 1),
        ([0, 1, 2, 0, 0, 2], [0, 2, 1, 2, 0, 2], (18, 18), gravid, 1),
        ([0, 2, 2, 0, 0, 2], [0, 2, 0, 2, 0, 2], (18, 18), gravid, 1),  # grown on the way
    ]:
        more = {} if marks is None else {"marks": marks}
        after = ruleset("layli_goobalay").position(souths + norths, stores, **more).play(1)
        assert len(after.history) == kept
