"""The compiled kernels play every game exactly as the slow reference does; and what must hold in every game holds."""

import random
from itertools import combinations_with_replacement, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mancala_env import RULESETS, TERMINATIONS, IllegalAction, State
from tests.games import CORE, all_seeds, mirrored, resized
from tests.made_up import MADE_UP
from tests.reference import Position
from tests.strategies import KINDS, countable, games, like, mirrored_rules, play_on, positions, rulesets, solitaires

seeds = st.integers(0, 2**32)


@pytest.mark.parametrize("kind", [*KINDS, "solitaires"])
@given(data=st.data())
def test_kernels_and_reference_play_the_same_game_by_rules_at_random(kind, data):
    rules = data.draw(solitaires if kind == "solitaires" else like(*KINDS[kind]))
    start = data.draw(positions(rules))
    check_same_game(rules, start, random.Random(data.draw(seeds)), most_plies=60)


@given(data=st.data())
def test_kernels_and_reference_mark_single_pits_alike(data):
    rules = MADE_UP["lighthouses"]
    check_same_game(rules, data.draw(positions(rules)), random.Random(data.draw(seeds)), most_plies=80)


@pytest.mark.parametrize("name", CORE)
@given(data=st.data())
def test_kernels_and_reference_play_the_named_games(name, data):
    rules = RULESETS[name]
    check_same_game(rules, data.draw(positions(rules)), random.Random(data.draw(seeds)), most_plies=100)


@pytest.mark.parametrize("name", CORE)
@pytest.mark.parametrize("columns", [1, 2, 3, 6, 7])
def test_kernels_and_reference_play_whole_games_on_boards_of_all_sizes(name, columns):
    rules = resized(RULESETS[name], columns)
    check_same_game(rules, {"pits": rules.start_pits}, random.Random(columns), 4000)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("kalah", {"skip_origin": True}),
        ("luuth", {"skip_origin": True}),
        ("luuth", {"store": "own"}),
        ("gabata_ghinda", {"store": "both"}),
        ("lamlameta", {"feeding": "must_leave"}),
        ("o_an_quan", {"remember": "played"}),
        ("bohnenspiel", {"target_seeds": 20, "majority_stop": True}),
        ("misoro_tsoro_additional_capture", {"match": "wins", "target": 9, "max_plies": 20}),  # games end in mid-turn
    ],
    ids=str,
)
def test_kernels_and_reference_play_alike_what_no_game_of_the_table_has_together(name, changes):
    rules = RULESETS[name].changes(**changes)
    start = rules.start()
    marks = {"marks": rules.setup_marks} if rules.setup_marks else {}
    for seed in range(3):
        check_same_game(rules, {"pits": start.pits, "stores": start.stores, **marks}, random.Random(seed), 80)


@given(data=st.data())
def test_kernels_and_reference_find_the_same_positions_dead(data):
    rules = data.draw(countable())
    pits = rules.board.pits
    for placed in combinations_with_replacement(range(pits), data.draw(st.integers(1, rules.indeterminacy_max_seeds))):
        for player in (0, 1):
            start = {"pits": [placed.count(pit) for pit in range(pits)], "player": player}
            assert seen(rules.position(**start)) == seen(Position(rules, **start))


@given(games())
def test_no_seed_is_ever_created_or_lost(states):
    here = all_seeds(states[0])
    for before, state in pairwise(states):
        game_ended = len(state.games) > len(before.games) and not state.is_over
        begins_anew = state.rules.match != "refill" and game_ended
        if game_ended and state.rules.board.houses and not begins_anew:
            assert all_seeds(state) <= here  # what lies in the houses of nobody counts for nobody
            here = all_seeds(state)
        here = state.rules.total_seeds if begins_anew else here
        assert all_seeds(state) == here


@given(games(rulesets.filter(lambda rules: rules.match == "none" and rules.goal == "seeds")))
def test_at_the_end_every_seed_is_counted_or_named_as_left(states):
    state = states[-1]
    left = sum(seeds for seeds, owner in zip(state.pits, state.owner, strict=True) if owner in (0, 1))
    in_stores = sum(state.stores)
    if not state.is_over or state.termination in ("majority", "target_seeds"):
        assert state.scores == state.stores
    elif state.termination == "grand_slam" or state.rules.leftover != "none":
        assert sum(state.scores) == in_stores + left
    else:
        split = state.termination == "repetition" and state.rules.repetition_leftover == "split"
        assert sum(state.scores) == in_stores + (left if split else 0)


@given(data=st.data())
def test_souths_game_mirrored_is_norths(data):
    rules = data.draw(rulesets)
    start = data.draw(positions(rules))
    rng = random.Random(data.draw(seeds))
    south_begins = rules.first_mover == "south" and rules.match != "none"  # then the seats are not alike
    state = rules.position(**start)
    if state.is_over:  # no position tells of a finished match
        return
    mirror = mirrored(state, mirrored_rules(rules))
    for _ in range(60):
        if south_begins and (state.games or state.game > 1):
            break
        assert mirror.legal_actions == state.legal_actions
        assert (mirror.ply, mirror.termination) == (state.ply, state.termination)
        assert mirror.returns == state.returns[::-1]
        assert mirror.scores == (None if state.scores is None else state.scores[::-1])
        if state.is_over:
            break
        assert mirrored(mirror, rules) == state
        action = rng.choice(state.legal_actions)
        state, mirror = state.play(action), mirror.play(action)


@given(games(most_plies=60))
def test_mask_and_list_of_legal_actions_and_what_play_accepts_are_the_same(states):
    for state in states:
        accepted = []
        for action in range(-2, state.rules.num_actions + 2):
            try:
                state.play(action)
            except IllegalAction:
                continue
            accepted.append(action)
        assert accepted == list(state.legal_actions)
        assert accepted == [action for action in range(state.rules.num_actions) if state.legal_mask[action]]


@given(games())
def test_a_game_is_over_exactly_when_there_is_nothing_to_play(states):
    for state in states:
        assert state.is_over == (state.legal_actions == ()) == (state.termination in TERMINATIONS)
        assert sum(state.returns) == 0
        assert (state.winner is None) == (state.returns == (0.0, 0.0))
        if state.winner is not None:
            assert state.is_over
            assert state.returns[state.winner] == 1.0
            if state.scores is not None and state.rules.match != "territory":
                assert state.scores[state.winner] > state.scores[1 - state.winner]


@given(data=st.data())
def test_every_game_ends(data):
    rules = data.draw(rulesets.filter(lambda rules: rules.max_plies or rules.store == "own"))
    start = data.draw(positions(rules))
    state = rules.position(**start)
    length = len(play_on(state, random.Random(data.draw(seeds)), most_plies=20_000)) - 1
    first = max(0, rules.max_plies - state.ply)
    later = 0 if rules.match == "none" else rules.max_plies * (rules.max_games - state.game)
    assert length <= (first + later if rules.max_plies else 19_999)


@pytest.mark.parametrize("name", CORE)
def test_named_games_end_before_the_ply_limit_could_stop_them(name):
    for game in range(60 if RULESETS[name].match == "none" else 6):
        end = play_on(RULESETS[name].start(), random.Random(game))[-1]
        assert "max_plies" not in {end.termination, *(each.termination for each in end.games)}


@given(data=st.data())
def test_a_mover_has_seeds_to_play_or_passes(data):
    for state in data.draw(games()):
        pits = [state.pit(action) for action in state.legal_actions]
        if state.pending:  # a turn goes on, or stops
            continue
        if None in pits:
            assert pits == [None]
        elif "debt" not in state.rules.fields:  # else seeds are laid in empty pits first
            least = state.rules.min_start
            assert all(state.pits[pit] >= least for pit in pits)


def check_same_game(rules, start, rng, most_plies=100_000):
    """Play at random from ``start``, by kernels and reference alike."""
    state, reference = rules.position(**start), Position(rules, **start)
    assert seen(state) == seen(reference)
    for _ in range(most_plies):
        if state.is_over:
            break
        action = rng.choice(reference.legal_actions)
        before = state
        state, reference = state.play(action), reference.play(action)
        assert seen(state) == seen(reference), f"after {action} in {before}"


def seen(position):
    """All that can be seen of a position. (Who would be next after the end means nothing.)"""
    return {
        "pits": position.pits,
        "stores": position.stores,
        "player": None if position.is_over else position.player,
        "ply": position.ply,
        "legal_actions": position.legal_actions,
        "termination": position.termination,
        "scores": position.scores,
        "winner": position.winner,
        "owner": [int(player) for player in position.owner],
        "marks": [int(player) for player in position.marks],
        "removed": position.removed,
        "memory": [int(pit) for pit in position.memory],
        "pending": None if position.pending is None else (*position.pending,),
        "reserve": tuple(position.reserve),
        "stronghold": tuple(position.stronghold),
        "threat": position.threat,
        "debt": position.debt,
        "closed": [int(pit) for pit in position.closed],
        "tally": tuple(position.tally) if position.rules.counts_points else None,
        "game": position.game,
        "first": None if position.is_over else position.first,
        "direction": position.chosen_directions if isinstance(position, State) else position.direction,
        "games": [tuple(game) for game in position.games],
    }
