"""Matches of rounds, by hand: pits that lack seeds are closed or filled with borrowed ones, and points add up."""

import numpy as np
import pytest

import mancala_env as mancala
from mancala_env import Ruleset, State, When
from mancala_env.aec import raw_env
from mancala_env.rules import Unfilled, two_rows
from tests.games import after_game
from tests.test_core_games import play_games


def rounds(unfilled="left", **changes) -> Ruleset:
    """Two rows of four with three seeds each, and relays."""
    table = {"landing": (When(was="occupied").relay(), When(side="own", facing="occupied").capture("facing"))}
    return Ruleset(
        **{"name": "rounds", "board": two_rows(4), "seeds": 3, "match": "refill", "unfilled": unfilled}
        | {"first_mover": "alternate", "max_games": 9} | table | changes
    )  # fmt: skip


@pytest.mark.parametrize(
    ("unfilled", "scores", "pits", "closed", "reserve"),
    [
        ("left", (16, 8), [3, 3, 3, 3, 0, 0, 3, 3], "....xx..", (4, 2)),
        ("right", (16, 8), [3, 3, 3, 3, 3, 3, 0, 0], "......xx", (4, 2)),
        ("outside", (16, 8), [3, 3, 3, 3, 0, 3, 3, 0], "....x..x", (4, 2)),
        ("outside", (5, 19), [0, 0, 3, 0, 3, 3, 3, 3], "xx.x....", (2, 7)),
        ("columns", (16, 8), [0, 0, 3, 3, 3, 3, 0, 0], "xx....xx", (10, 2)),  # North begins the second round
        ("left", (12, 12), [3] * 8, "........", (0, 0)),
        ("borrowed", (16, 8), [3] * 8, "........", (4, -4)),
    ],
)
def test_the_next_round_begins_with_the_pits_that_players_can_fill(unfilled, scores, pits, closed, reserve):
    state = after_game(rounds(unfilled).start(), scores)
    assert (list(state.pits), state.reserve) == (pits, reserve)
    assert "".join(".x"[pit] for pit in state.closed) == closed
    assert (state.player, state.first, state.game, state.stores) == (1, 1, 2, (0, 0))


def test_the_beginner_closes_columns_from_the_right():
    state = play_games(rounds("columns"), (12, 12), (16, 8))  # South begins the third
    assert (state.first, list(state.pits)) == (0, [3, 3, 0, 0, 0, 0, 3, 3])


def test_closed_pits_are_won_back():
    state = play_games(rounds(), (16, 8), (7, 11))  # 4 + 7 and 2 + 11
    assert (list(state.pits), state.reserve) == ([0, 3, 3, 3, 3, 3, 3, 3], (2, 1))


@pytest.mark.parametrize("unfilled", [each for each in Unfilled if each is not Unfilled.THINNED])
def test_who_cannot_fill_a_single_pit_has_lost(unfilled):
    end = play_games(rounds(unfilled), (22, 2))
    assert (end.termination, end.scores, end.winner) == ("match_target", (22, 2), 0)
    assert not play_games(rounds(unfilled), (21, 3)).is_over
    last = play_games(rounds(unfilled, max_games=1), (13, 11))
    assert (last.termination, last.winner) == ("max_rounds", 0)


def test_debts_are_paid_back_from_the_next_round():
    match = mancala.ruleset("o_an_quan_match")
    state = play_games(match, (50, 20))
    assert (state.pits, state.reserve) == (match.setup, (15, -15))
    state = play_games(match, (50, 20), (30, 40))
    assert state.reserve == (10, -10)
    assert State.parse(match, str(state)).reserve == (10, -10)
    assert play_games(match, (50, 20), (50, 20)).reserve == (30, -30)
    end = play_games(match, (50, 20), (51, 19))
    assert (end.termination, end.scores, end.winner) == ("match_target", (66, 4), 0)
    assert play_games(match, (40, 26)).reserve == (5, -9)  # four were left in the mandarins' squares


def test_points_add_up_and_the_higher_tally_beyond_the_target_wins():
    match = mancala.ruleset("bohnenspiel_match", target=80)
    assert play_games(match, (30, 42)).tally == (30, 42)
    end = play_games(match, (30, 42), (44, 28), (6, 66))
    assert (end.termination, end.scores, end.winner) == ("match_target", (80, 136), 1)
    even = play_games(match, (36, 36), (36, 36), (36, 36))
    assert (even.termination, even.winner) == ("match_target", None)


def test_a_closed_pit_is_told_of_and_drawn():
    state = play_games(rounds(), (16, 8))
    assert "closed=....xx.." in str(state)
    assert State.parse(state.rules, str(state)) == state
    assert "│ 3 │ 3 │ x │ x │" in state.to_text()
    assert "North a: closed" in state.to_svg()


@pytest.mark.parametrize(
    ("position", "why"),
    [
        ({"closed": [1, 0, 0, 0, 0, 0, 0, 0]}, "a pit that is closed holds seeds"),
        ({"closed": [2] * 8}, "closed of pit 0 must be 0 or 1, not 2"),
        (
            {"pits": [0, 0, 0, 0, 3, 3, 3, 3], "closed": [1, 1, 1, 1, 0, 0, 0, 0]},
            "a player has no pit that is not closed",
        ),
        ({"reserve": (-1, 0)}, "reserve of South must be a whole number from 0 to 24, not -1"),
    ],
)
def test_positions_that_no_round_has_are_refused(position, why):
    with pytest.raises(ValueError, match=why):
        rounds().position(**{"pits": [3, 3, 3, 3, 0, 0, 3, 3]} | position)


@pytest.mark.parametrize(
    "rules", [mancala.ruleset("o_an_quan_match"), mancala.ruleset("o_an_quan"), rounds("borrowed")]
)
def test_observations_and_states_stay_in_their_spaces_where_seeds_are_owed(rules):
    env, random, least = raw_env(rules), np.random.default_rng(1), 0
    env.reset(seed=1)
    for _ in range(400):
        agent = env.agent_selection
        seen, _, over, cut, _ = env.last()
        if over or cut:
            break
        assert env.observation_space(agent).contains(seen)
        assert env.state_space.contains(env.state())
        least = min(least, *(env.position.reserve if rules.match == "refill" else (0, -abs(env.position.debt))))
        env.step(int(random.choice(np.flatnonzero(seen["action_mask"]))))
    assert least < 0 or rules.name == "o_an_quan"


def test_an_array_with_seeds_in_closed_pits_or_with_none_open_is_refused():
    rules = rounds("left")
    array = rules.start().array.copy()
    array[rules.fields["closed"]] = 1
    with pytest.raises(ValueError, match="a pit that is closed holds seeds"):
        State.from_array(rules, array)
    array[:4], array[rules.fields["closed"] :][:4] = 0, 1
    with pytest.raises(ValueError, match="a player has no pit that is not closed"):
        State.from_array(rules, array)


@pytest.mark.parametrize(
    ("rules", "reserve", "why"),
    [  # who cannot fill one pit with 3 of the 12 seeds has lost, and nobody borrows what there is not
        (rounds("borrowed"), (9, -9), ""),
        (rounds("borrowed"), (4, -9), ""),
        (rounds("borrowed"), (-10, 10), "-10"),
        (rounds("borrowed"), (9, -10), "-10"),
        (rounds("borrowed"), (1, 0), "together at most 0"),
        (mancala.ruleset("o_an_quan_match"), (-30, 30), ""),
        (mancala.ruleset("o_an_quan_match"), (-70, -70), "-70"),
        (mancala.ruleset("o_an_quan_match"), (3000, -3000), "3000"),
        (mancala.ruleset("layli_goobalay_match"), (0, 8), ""),
        (mancala.ruleset("layli_goobalay_match"), (4, 4), "only the richer player has any"),
        (rounds("left"), (1, 2), ""),
        (rounds("left"), (-1, 2), "-1"),
    ],
)
def test_reserves_that_no_match_has_are_refused_at_every_door(rules, reserve, why):
    pits = [max(0, count - (rules.unfilled != "borrowed")) for count in rules.start().pits]  # room for a reserve
    before = f"{rules.name} {'-'.join(map(str, pits))}-0-0-N"
    array = rules.position(pits, player=1).array
    array[rules.fields["match"] + 2 :][:2] = reserve
    for door in (
        lambda: State.from_array(rules, array),
        lambda: rules.position(pits, player=1, reserve=reserve, first=0),
        lambda: State.parse(rules, f"{before} reserve={reserve[0]}-{reserve[1]}"),
    ):
        if not why:
            assert door().reserve == reserve
            continue
        with pytest.raises(ValueError, match=f"{rules.name}: .*reserve.*{why}"):
            door()


def test_borrowed_seeds_make_no_room_for_others():
    rules = rounds("borrowed")
    array = rules.start().array.copy()
    array[0] += 10
    array[rules.fields["match"] + 2 :][:2] = -5
    with pytest.raises(ValueError, match="more seeds than the 24 of the game"):
        State.from_array(rules, array)
    with pytest.raises(ValueError, match="34 seeds are more than the 24"):
        rules.position(array[:8].tolist(), reserve=(-5, -5))
