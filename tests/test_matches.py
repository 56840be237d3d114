"""Matches through every interface: single games are told of alike by State, Batch, PettingZoo and Gymnasium."""

import numpy as np
import pytest

import mancala_env as mancala
from mancala_env.observation import make_encoder
from tests.games import CORE, after_game, last_game, random_game
from tests.test_contract import check_same_game

MATCHES = [name for name in CORE if mancala.RULESETS[name].match != "none"]
SHORT = {"max_games": 4}


@pytest.mark.parametrize("game", MATCHES)
def test_a_batch_goes_on_from_a_snapshot_with_the_games_before_it(game):
    batch = mancala.Batch(mancala.ruleset(game, **SHORT), 20, seed=3)
    for _ in range(300):
        batch.play(batch.random_actions())
    twin = mancala.Batch(batch.rules, 20, seed=3)
    twin.restore(batch.snapshot())
    for _ in range(50):
        actions = batch.random_actions()
        batch.play(actions)
        twin.play(actions)
        assert [twin.state(slot).games for slot in range(20)] == [batch.state(slot).games for slot in range(20)]
    assert max(len(batch.state(slot).games) for slot in range(20)) > 0


NO_SCORES = mancala.ruleset("hus", match="wins", target=3)


@pytest.mark.parametrize(
    "rules", [*(mancala.ruleset(game, **SHORT) for game in MATCHES), NO_SCORES], ids=lambda rules: rules.name
)
def test_state_batch_and_pettingzoo_tell_of_the_same_games_and_reward_the_match_alone(rules):
    check_same_game(rules, 1)
    assert 1 < len(random_game(rules, 1)[1][-1].games) <= max(4, rules.max_games)


def test_a_game_that_is_over_as_it_begins_counts_too():
    rules = mancala.ruleset("oware", pits_per_row=1, seeds=1, skip_origin=False, match="wins", target=2, max_games=5)
    assert rules.start().is_over
    assert [game.termination for game in rules.start().games] == ["indeterminacy"] * 5
    assert rules.start().termination == "max_games"
    first = mancala.ruleset("oware_series_wins", start=[0] * 6 + [4] * 6).start().games
    assert first[0] == ((0, 24), 1, "famine")
    assert mancala.Batch("oware_series_wins:start=[0,0,0,0,0,0,4,4,4,4,4,4]", 2).state(1).games == first


def test_many_games_that_end_in_one_move_are_all_told_of():
    rules = mancala.ruleset("oware_territory", remainder="keep", first_mover="loser")
    state = rules.position(pits=[1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0], stores=(43, 1))
    end = state.play(5)
    assert end.is_over
    assert len(end.games) == 20
    assert end.games[0] == ((46, 2), 0, "indeterminacy")
    batch = mancala.Batch(rules, 2)
    batch.restore({**batch.snapshot(), "rows": np.stack([state.array] * 2), "masks": np.stack([state.legal_mask] * 2)})
    batch.play([5, 5])
    assert batch.final[1] == end
    assert batch.final[1].games == end.games


def test_no_game_has_ended_after_a_reset_or_restore():
    batch = mancala.Batch("oware_series_wins", 4, seed=2)
    while not (batch.positions[:, batch.rules.fields["match"]] > 1).all():
        batch.play(batch.random_actions())
    twin = mancala.Batch("oware_series_wins", 4)
    twin.restore(batch.snapshot())
    assert len(twin.final) == 0
    twin.reset(np.array([0]))
    assert len(twin.final) == 0
    assert twin.state(0).games == ()
    assert twin.state(1).games == batch.state(1).games


def test_who_began_is_taken_from_the_position_where_it_is_not_told():
    layli = mancala.ruleset("layli_goobalay_match")
    rows = [3, 3, 3, 3, 3, 4]
    assert layli.position(rows * 2, reserve=(10, 0), game=2, player=1).first == 1
    assert layli.position(rows * 2, reserve=(10, 0), game=3, player=0, ply=7).first == 0
    territory = mancala.ruleset("oware_territory").position([4] * 12, player=1)
    assert after_game(territory, (24, 24)).player == 1


@pytest.mark.parametrize("game", [*CORE, "katra", "tshuba", "adi"])
def test_encoders_show_what_the_game_keeps(game):
    rules = mancala.ruleset(game)
    encoder = make_encoder("counts", rules)
    for state in random_game(rules, 4)[1][::7]:
        for seat in (0, 1):
            seen = encoder(state.array[None], np.array([seat], dtype=np.int8))[0]
            assert seen.tolist() == pytest.approx(shown(state, seat), abs=1e-6)


def shown(state: mancala.State, seat: int) -> list[float]:
    """What ``counts`` should write, in the order in which its documentation names it."""
    rules, total = state.rules, state.rules.total_seeds
    mine = [rules.pit(seat, action) for action in range(len(rules.board.homes[seat]))]
    order = (
        mine if len(mine) == len(state.pits) else mine + [rules.pit(1 - seat, action) for action in range(len(mine))]
    )
    pair = (seat, 1 - seat)
    seen = [state.pits[pit] / total for pit in order] + [state.stores[player] / total for player in pair]
    if "owner" in rules.fields:
        seen += [float(state.owner[pit] == seat) for pit in order]
    if "marks" in rules.fields:
        seen += [float(state.marks[pit] == player) for player in pair for pit in order]
    if "removed" in rules.fields:
        seen.append(state.removed / total)
    if rules.match != "none":
        standing, whole = {"refill": (state.reserve, total), "territory": (state.tally, len(state.pits))}.get(
            rules.match, (state.tally, rules.target)
        )
        seen += [min(1.0, standing[player] / whole) for player in pair]
        last = last_game(rules, state.array)
        won = None if last is None else last.winner
        seen += [(state.game - 1) / rules.max_games, 0.5 if won is None else float(won == seat)]
    if "direction" in rules.fields:
        seen += [float(state.chosen_directions[player] == way) for player in pair for way in (0, 1)]
    if rules.has_picks:
        seen.append(state.pending.number / 9 if state.pending and seat == state.player else 0.0)
    if "memory" in rules.fields:
        seen += [float(state.memory[pit]) for pit in order]
    if "debt" in rules.fields:
        seen.append(0.5 + 0.5 * state.debt / total * (1 if seat == 0 else -1))
    if "closed" in rules.fields:
        seen += [float(state.closed[pit]) for pit in order]
    return seen
