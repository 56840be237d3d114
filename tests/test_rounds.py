"""Matches of rounds: closed pits and reserves, drawn, observed and refused."""

import numpy as np
import pytest

import mancala_env as mancala
from mancala_env import State
from mancala_env.aec import raw_env
from tests.games import after_game
from tests.made_up import rounds


def test_a_closed_pit_is_told_of_and_drawn():
    state = after_game(rounds().start(), (16, 8))
    assert "closed=....xx.." in str(state)
    assert State.parse(state.rules, str(state)) == state
    assert "│ 3 │ 3 │ x │ x │" in state.to_text()
    assert "North a: closed" in state.to_svg()


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


@pytest.mark.parametrize(
    ("rules", "reserve", "why"),
    [  # who cannot fill one pit with 3 of the 12 seeds has lost, and nobody borrows what there is not
        (rounds("borrowed"), (9, -9), ""),
        (rounds("borrowed"), (-10, 10), "-10"),
        (rounds("borrowed"), (9, -10), "-10"),
        (rounds("borrowed"), (1, 0), "together at most 0"),
        (mancala.ruleset("o_an_quan_match"), (-30, 30), ""),
        (mancala.ruleset("o_an_quan_match"), (-70, -70), "-70"),
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
