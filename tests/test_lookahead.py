"""What the encoders that look ahead show of each action, next to a slow look ahead from State to State."""

import numpy as np
import pytest
from hypothesis import given

import mancala_env as mancala
from agents import make_agent
from agents.batched import LookaheadAgent
from mancala_env import State
from mancala_env.kernels import layout
from mancala_env.observation import make_encoder
from tests.games import CORE, random_game, resized
from tests.reference_board import OTHER_STORE, OWN_STORE, Table
from tests.reference_turn import Turn
from tests.strategies import games, rulesets

MOST = 11  # seeds: more are shown as this number
WIN = 10_000  # seeds that a game is worth that is not about seeds


def seen(encoder, state, seat):
    return encoder(state.array[None], np.array([seat], dtype=np.int8))[0]


def blocks(encoder, observation):
    """float32[A, F]: the blocks of the actions."""
    first, actions, size = encoder.blocks
    return observation[first : first + actions * size].reshape(actions, size)


def forgetful(state):
    """The position in the same game without repetition."""
    rules = state.rules
    plain = rules.changes(repetition=0, repetition_leftover="owner", max_plies=rules.max_plies or 32_000)
    array = state.array
    if state.termination == "repetition":
        array[rules.board.pits + layout.OVER] = 0
    return State.from_array(plain, array)


def on_the_side(state, seat):
    return sum(seeds for seeds, owner in zip(state.pits, state.owner, strict=True) if owner == seat)


def movable(state, seat):
    """How many pits the seat could reap."""
    return len(state.rules.position(state.pits, player=seat).legal_actions)


def ahead(state, seat):
    """What the seat is ahead in a position, in seeds."""
    rules, other = state.rules, 1 - seat
    if state.is_over:
        if rules.target_seeds and state.winner is None:
            return 0
        return state.scores[seat] - state.scores[other] if rules.goal == "seeds" else WIN * state.returns[seat]
    if rules.goal == "seeds":
        owed = state.debt if seat == 0 else -state.debt
        return state.stores[seat] - state.stores[other] - 2 * owed
    if rules.sowing == "reaping":
        return movable(state, seat) - movable(state, other)
    lead = on_the_side(state, seat) - on_the_side(state, other)
    return -lead if rules.goal == "empty_block" else lead


def ended(before, after):
    """The game that the step from ``before`` to ``after`` ended, in a match, if any."""
    return (*after.games[len(before.games) :], None)[0]


def worth(before, action, seat, plies):
    """The value of an action for a seat with best play by both, looking this number of plies ahead in all."""
    after = before.play(action)
    if game := ended(before, after):
        if before.rules.goal == "seeds" and not (before.rules.target_seeds and game.winner is None):
            return game.scores[seat] - game.scores[1 - seat]
        return 0 if game.winner is None else WIN if game.winner == seat else -WIN
    if plies == 1 or after.is_over:
        return ahead(after, seat)
    best = max if after.player == seat else min
    return best(worth(after, reply, seat, plies - 1) for reply in after.legal_actions)


def last_cell(state, action):
    """Where the last seed of the first lap falls, as the reference sows it: a pit, "store", or None."""
    rules, seat, pit = state.rules, state.player, state.pit(action)
    if pit is None or action >= rules.num_sowings or rules.sowing != "track":
        return None
    table = Table(
        state.pits, state.owner, tuple(state.marks), state.stores, debt=state.debt,
        closed=frozenset(np.flatnonzero(state.closed).tolist()),
    )  # fmt: skip
    hand = state.pending[2] if state.pending and state.pending[0] == "direction" else None
    clockwise = bool(rules.direction_of(seat, action))
    last = Turn(rules, table, seat, pit, state.ply, clockwise, hand=hand, only_first=True).last
    return "store" if last in (OWN_STORE, OTHER_STORE) else last


def view(rules, seat):
    """The pits in the order the seat sees them."""
    mine, pits = list(rules.board.homes[seat]), rules.board.pits
    return mine if len(mine) == pits else [(pit + seat * pits // 2) % pits for pit in range(pits)]


def at_risk(state, seat):
    pits, total = state.pits, state.rules.total_seeds
    own = [pit for pit in range(len(pits)) if state.owner[pit] == seat]
    facing = state.rules.board.facing
    bare = [pit for pit in own if state.owner[facing[pit]] == 1 - seat and pits[facing[pit]] == 0]
    thin = [pit for pit in own if pits[pit] in (1, 2)]
    return [
        min(1, sum(pits[pit] for pit in own) / total),
        len(thin) / max(1, len(own)),
        min(1, sum(pits[pit] for pit in bare) / total),
    ]


def block(state, action, plies):
    """What the block of a legal action of the mover should be."""
    rules, seat = state.rules, state.player
    after = state.play(action)
    results = [after.is_over and after.returns[seat] == result for result in (1, 0, -1)]
    again = not after.is_over and after.player == seat
    last = last_cell(state, action)
    cells = [last == cell for cell in [*view(rules, seat), "store"]]
    over = after.is_over or ended(state, after)
    numbers = [1, *results, again, *cells, *([0, 0, 0] if over else at_risk(after, seat))]
    for depth in range(1, plies + 1):
        gain = worth(state, action, seat, depth) - ahead(state, seat)
        numbers += [gain == k for k in range(-MOST, MOST + 1)] if abs(gain) <= MOST else [0] * (2 * MOST + 1)
        if abs(gain) > MOST:
            numbers[-1 if gain > 0 else -2 * MOST - 1] = 1
    return [float(number) for number in numbers]


def check(state, plies):
    encoder = make_encoder(f"lookahead{plies}", state.rules)
    plain = make_encoder("onehot", state.rules)
    first, actions, size = encoder.blocks
    assert encoder.shape == (first + actions * size,)
    assert (encoder.lookahead, actions) == (plies, state.rules.num_actions)
    fresh = forgetful(state)
    for seat in (0, 1):
        observation = seen(encoder, state, seat)
        assert np.array_equal(observation[:first], seen(plain, state, seat))
        shown = blocks(encoder, observation)
        for action in range(actions):
            legal = seat == state.player and action in state.legal_actions
            expected = block(fresh, action, plies) if legal else [0.0] * size
            assert shown[action].tolist() == pytest.approx(expected, abs=1e-6), (state, seat, action)


@pytest.mark.parametrize("game", CORE)
def test_blocks_show_what_a_slow_look_ahead_finds(game):
    for seed in range(2):
        states = random_game(mancala.ruleset(game), seed)[1]
        for state in [*states[:: max(1, len(states) // 5)], *states[-3:]]:
            check(state, 1)
        for state in states[seed :: max(1, len(states) // 3)]:
            check(state, 2)


@pytest.mark.parametrize("game", ["deka", "puhulmutu", "songo", "kotu_baendum", "o_an_quan"])
def test_the_cell_where_the_last_seed_falls_is_shown_where_pits_are_jumped(game):
    rules = mancala.ruleset(game)
    encoder = make_encoder("lookahead1", rules)
    cells, found = slice(5, 6 + rules.board.pits), set()  # after legal, won, drawn, lost, again
    for state in random_game(rules, 3)[1][:60:2]:
        shown = blocks(encoder, seen(encoder, state, state.player))[:, cells]
        for action in state.legal_actions:
            last = last_cell(state, action)
            expected = [last == cell for cell in [*view(rules, state.player), "store"]]
            assert shown[action].tolist() == expected, (state, action)
            found.add(last)
    assert len(found) > rules.board.pits // 2


@pytest.mark.parametrize(("plies", "width"), [(3, 3), (4, 3), (5, 2), (6, 2)])
@pytest.mark.parametrize("game", CORE)
def test_deeper_blocks_show_what_a_slow_look_ahead_finds(game, plies, width):
    rules = resized(mancala.ruleset(game), width)
    for seed in range(2):
        states = random_game(rules, seed)[1]
        for state in [*states[:: max(1, len(states) // 3)], *states[-6:-1:2]]:
            check(state, plies)


@given(states=games(rulesets, most_plies=6))
def test_blocks_show_what_a_slow_look_ahead_finds_by_rules_at_random(states):
    check(states[len(states) // 2], 2)


@pytest.mark.parametrize("game", CORE)
def test_threads_and_games_beside_do_not_change_what_is_seen(game):
    one = mancala.Batch(game, 300, seed=2, encoder="lookahead2")
    two = mancala.Batch(game, 300, seed=2, encoder="lookahead2", threads=2)
    for _ in range(25):
        for batch in (one, two):
            batch.play(batch.random_actions())
    seen_by_one = one.observe()
    assert ((seen_by_one >= 0) & (seen_by_one <= 1)).all()
    assert np.array_equal(seen_by_one, two.observe())
    alone = [seen(one.encoder, one.state(k), one.players[k]) for k in range(0, 300, 60)]
    assert np.array_equal(seen_by_one[::60], alone)


def test_a_repetition_is_not_seen():
    rules = mancala.ruleset("awari", repetition=2)
    start = rules.position([1] + [0] * 5 + [1] + [0] * 5, (23, 23))
    encoder = make_encoder("lookahead1", rules)
    states = [start]
    while not states[-1].is_over:
        states.append(states[-1].play(states[-1].legal_actions[0]))
    assert states[-1].termination == "repetition"
    last = blocks(encoder, seen(encoder, states[-2], states[-2].player))
    assert not last[:, 1:4].any()


def test_the_cell_is_that_of_the_seeds_that_are_sown_in_mid_turn():
    rules = mancala.ruleset("omweso")
    check(rules.position([2] * 32, pending=("direction", 0, 1)), 1)  # of two seeds, one is sown
    for seed in range(4):
        for state in random_game(rules, seed)[1]:
            if state.pending and state.pending[0] == "direction":
                check(state, 1)


def shown_worth(state, action, plies):
    """The value in the block of an action, from -11 to 11; read as ``write_actions`` documents it, from the end."""
    encoder = make_encoder(f"lookahead{plies}", state.rules)
    first, _, size = encoder.blocks
    seen = encoder(state.array[None], np.array([state.player], dtype=np.int8))[0]
    bins = seen[first + action * size : first + (action + 1) * size][-(2 * MOST + 1) :]
    assert bins.sum() == 1
    return int(bins.argmax()) - MOST


@pytest.mark.parametrize("rules", ["kalah", "oware", "hus"])
@pytest.mark.parametrize("plies", [1, 2, 4])
def test_the_untrained_input_is_played_greedily(rules, plies):
    agent = make_agent(f"lookahead:plies={plies}")
    for state in random_game(mancala.ruleset(rules), 3)[1][:-1:7]:
        values = {action: shown_worth(state, action, plies) for action in state.legal_actions}
        picks = set()
        for seed in range(40):
            agent.reset(seed)
            picks.add(agent.act(state))
        best = {action for action, value in values.items() if value == max(values.values())}
        assert picks <= best
        assert len(best) > 4 or picks == best  # each of few comes up in 40 draws


@pytest.mark.parametrize("plies", [0, 7, 2.5, True, "two"])
def test_it_looks_as_far_ahead_as_an_encoder(plies):
    with pytest.raises(ValueError, match="plies must be a whole number from 1 to 6, not"):
        LookaheadAgent(plies)
