"""Ten thousand random games of every ruleset: what must always hold does. Run with ``pytest -m slow``."""

import numpy as np
import pytest

from mancala_env import RULESETS, Batch, State
from mancala_env.kernels import layout
from tests.games import CORE, all_seeds, mirrored
from tests.reference import Position

pytestmark = pytest.mark.slow

SLOTS, GAMES_EACH = 1000, 10
SAMPLED = 10  # positions looked at more closely in each step

OWARE_ENDS = {"famine", "indeterminacy", "repetition"}
ENDS = {  # of games; random play reaches no ply limit, and with the slam ban nothing ends by a grand slam
    "oware": OWARE_ENDS | {"majority"},
    "awari": {"famine", "repetition"},
    "oware_tutti_a_casa": {"tutti_a_casa", "majority", "indeterminacy", "repetition"},
    "oware_liberta": {"majority", "indeterminacy", "repetition"},
    "oware_territory": OWARE_ENDS,
    "oware_series_wins": OWARE_ENDS | {"majority"},
    "oware_series_difference": OWARE_ENDS,
    "kalah": {"side_empty"},
    "layli_goobalay": {"stuck", "repetition"},
    "layli_goobalay_match": {"stuck", "repetition"},
    "hus": {"stuck"},
    "diffusion": {"block_empty"},
    "reaping": {"stuck"},
}
MATCH_ENDS = {
    "oware_territory": {"match_target", "max_games"},
    "oware_series_wins": {"match_target", "max_games"},
    "oware_series_difference": {"match_target", "max_games"},
    "layli_goobalay_match": {"match_target", "max_rounds"},
}


@pytest.mark.parametrize("name", CORE)
def test_ten_thousand_random_games_keep_every_promise(name):
    rules = RULESETS[name]
    batch = Batch(rules, SLOTS, seed=20)
    rng = np.random.default_rng(20)
    left = np.full(SLOTS, GAMES_EACH)  # games that a slot has still to play: none is left out for being long
    ends, match_ends, longest = set(), set(), 0
    looked_at = 0
    while left.any():
        playing = np.flatnonzero(left)
        for slot in rng.choice(playing, min(SAMPLED, len(playing)), replace=False):
            check_position(batch.state(int(slot)), rng)
            looked_at += 1
        _, done = batch.play(batch.random_actions()[playing], playing)
        _, last, _ = batch.endings(np.flatnonzero(done))
        assert (seeds_on(rules, batch.positions) == rules.total_seeds).all()
        assert (seeds_on(rules, last) == rules.total_seeds).all()
        ended = batch.ended_games
        assert (np.diff(ended.slots) > 0).all()
        left[ended.slots] -= 1
        ends.update(ended.terminations.tolist())
        longest = max(longest, *ended.plies.tolist(), 0)
        if rules.match == "none":
            assert ended.slots.tolist() == np.flatnonzero(done).tolist()
            check_scores(rules, ended)
        else:
            match_ends.update(batch.termination[done].tolist())
            check_matches(batch, ended, done)
    assert (left == 0).all()
    assert ends == ENDS[name]
    assert match_ends <= MATCH_ENDS.get(name, set())
    assert 1 < longest < (rules.max_plies or 3616)
    assert looked_at >= 1000


def seeds_on(rules, rows):
    """int[n]: all seeds of each position, wherever they are."""
    seeds = rows[:, : rules.board.pits + 2].sum(axis=1)
    if "removed" in rules.fields:
        seeds = seeds + rows[:, rules.fields["removed"]]
    if rules.match == "refill":
        reserve = rules.fields["match"] + layout.TALLY
        seeds = seeds + rows[:, reserve : reserve + 2].sum(axis=1)
    return seeds


def check_scores(rules, ended):
    """Where seeds are won, all are counted; the lead is that of the scores."""
    if rules.goal != "seeds":
        assert np.isnan(ended.scores).all()
        assert (np.abs(ended.leads) == 1).all()  # random games reach no ply limit: no draws
        return
    counted = ended.terminations != "majority"
    assert (ended.scores[counted].sum(axis=1) == rules.total_seeds).all()
    assert (ended.scores[~counted].max(axis=1, initial=rules.total_seeds) > rules.total_seeds / 2).all()
    assert (ended.leads == np.sign(ended.scores[:, 0] - ended.scores[:, 1])).all()


def check_matches(batch, ended, done):
    """A match that has ended names its games, the last of which ended just now; the others go on to the next."""
    assert set(np.flatnonzero(done)) <= set(ended.slots.tolist())
    for k, slot in enumerate(ended.slots.tolist()):
        state = batch.final[slot] if done[slot] else batch.state(slot)
        assert state.is_over == done[slot]
        scores, winner, termination = state.games[-1]
        assert (scores, termination) == (tuple(ended.scores[k].tolist()), ended.terminations[k])
        assert winner == (None if ended.leads[k] == 0 else int(ended.leads[k] < 0))
        assert len(state.games) == state.game - (not state.is_over)
        assert all_seeds(state) == batch.rules.total_seeds
        if state.is_over:
            assert State.parse(batch.rules, str(state)) == state


def check_position(state, rng):
    """What is legal is what the reference says; and North plays as South does."""
    rules = state.rules
    fresh = State.parse(rules, str(state))  # without the way there: the mirrored position has none either
    assert (fresh, fresh.legal_actions) == (state, state.legal_actions)
    fields = {"owner": state.owner.tolist(), "marks": state.marks.tolist(), "removed": state.removed}
    match = {"reserve": state.reserve, "tally": state.tally, "game": state.game, "first": state.first}
    slow = Position(rules, state.pits, state.stores, state.player, state.ply, **fields, **match)
    assert slow.legal_actions == state.legal_actions
    mirror = mirrored(state)
    assert mirror.legal_actions == state.legal_actions
    action = int(rng.choice(state.legal_actions))
    after, turned, slow = fresh.play(action), mirror.play(action), slow.play(action)
    assert (slow.pits, slow.stores, slow.is_over) == (after.pits, after.stores, after.is_over)
    assert (turned.is_over, turned.termination) == (after.is_over, after.termination)
    assert turned.returns == after.returns[::-1]
    assert turned.scores == (None if after.scores is None else after.scores[::-1])
    if not after.is_over:
        assert turned == mirrored(after)
