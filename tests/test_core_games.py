"""What single positions cannot show of the core games.

Positions that are played by hand are in ``data/by_hand.txt``. South's pits A to F are 0 to 5, North's a to f 6 to 11.
"""

from itertools import pairwise

import numpy as np
import pytest

from mancala_env import IllegalAction, ruleset
from tests.games import after_game, placements, random_game
from tests.reference import is_dead

TERRITORY = ruleset("oware_territory")


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


DEAD_ON_ARCS = {1: 645, 2: 537, 3: 428, 4: 337, 5: 271, 6: 248, 7: 271, 8: 337, 9: 428, 10: 537, 11: 645}


def owners(south):
    """The owner of each pit if South owns this number of them."""
    begins = max(0, 6 - south)
    return [0 if begins <= pit < begins + south else 1 for pit in range(12)]


@pytest.mark.parametrize(("south", "dead"), DEAD_ON_ARCS.items())
def test_so_many_positions_are_dead_on_arcs(south, dead):
    for seeds, expected in ((1, 24), (2, 156), (3, dead)):
        fields = {"stores": (22, 23), "owner": owners(south)}
        states = [TERRITORY.position(pits, player=player, **fields) for pits, player in placements(seeds)]
        reasons = [state.games[0].termination for state in states if state.games]
        assert {*reasons} <= {"indeterminacy", "famine"}
        assert len(reasons) == expected


@pytest.mark.parametrize("south", [1, 4])
def test_the_reference_finds_the_same_positions_dead_on_arcs(south):
    found = sum(is_dead(TERRITORY, pits, player, owners(south)) for pits, player in placements(3))
    assert found == DEAD_ON_ARCS[south]


@pytest.mark.parametrize(
    ("rules", "scores", "most", "end", "winner"),
    [
        (TERRITORY, (30, 18), 20, "max_games", 0),
        (ruleset("oware_series_wins", target=5), (20, 28), 5, "match_target", 1),
        (ruleset("layli_goobalay_match"), (24, 24), 50, "max_rounds", None),
    ],
)
def test_so_many_games_are_the_most(rules, scores, most, end, winner):
    state = rules.start()
    for _ in range(most - 1):
        state = after_game(state, scores)
    assert (state.is_over, state.game) == (False, most)
    state = after_game(state, scores)
    assert (state.termination, state.winner) == (end, winner)
    assert [game.scores for game in state.games] == [scores] * most


@pytest.mark.parametrize("blocks", ["halves", "rows"])
def test_every_move_of_diffusion_loses_weight_so_that_it_ends_without_a_limit(blocks):
    weights = [167, 165, 163, 161, 151, 97] * 2
    for seed in range(10):
        _, states = random_game(ruleset("diffusion", blocks=blocks), seed)
        weighed = [sum(each * seeds for each, seeds in zip(weights, state.pits, strict=True)) for state in states]
        assert all(after <= before - 2 for before, after in pairwise(weighed))
        assert states[-1].termination == "block_empty"


@pytest.mark.parametrize("start", [[2, 0], [0, 2, 3, 0], [0, 3, 1, 2, 0, 0, 2], [0, 2, 3, 2] * 5])
def test_reaping_starts_from_any_row(start):
    state = ruleset("reaping", start=start).start()
    assert (state.pits, state.rules.num_actions, len(state.legal_mask)) == (tuple(start), len(start), len(start))
    assert [state.rules.pit(0, action) for action in range(len(start))] == list(range(len(start)))
    assert [state.rules.pit(1, action) for action in range(len(start))] == list(range(len(start)))[::-1]


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
