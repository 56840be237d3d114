"""Games of one player: what is known of Tchuka Ruma and Bulgarian solitaire, and how all doors take a single seat."""

import random
from itertools import accumulate, repeat

import gymnasium
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mancala_env as mancala
from agents import make_agent
from agents.evaluation import evaluate
from agents.play.session import Session
from agents.search.solve import main as solve
from agents.tournament.event import Event, Player
from mancala_env import State
from mancala_env.aec import env
from mancala_env.observation import ENCODERS, make_encoder
from mancala_env.opponent_env import OpponentEnv
from mancala_env.random_play import games_table, random_play
from mancala_env.replay import Replay
from mancala_env.single_agent import MancalaVectorEnv
from tests.games import random_game
from tests.strategies import positions, solitaires

NAMES = ("tchuka_ruma", "bulgarian_solitaire")
SOLUTION = (2, 3, 2, 3, 1, 3)
# Holes: with how many balls in each, of 1 to 8, all balls can be brought into the store.
WINNABLE = {
    1: {1, 3, 6, 7}, 2: {4, 5, 7, 8}, 3: {1, 5, 7, 8}, 4: {2, 6, 7, 8}, 5: {7, 8}, 6: {4, 5, 8}, 7: {2, 5},
    8: {3, 4, 5, 6},
}  # fmt: skip
seeds = st.integers(0, 2**32)


def can_be_won(state, known):
    """Does some way of playing on win? ``known``: what has been found out, by the pits."""
    if state.is_over:
        return state.winner == 0
    if state.pits not in known:
        known[state.pits] = any(can_be_won(state.play(action), known) for action in state.legal_actions)
    return known[state.pits]


def partitions(number, most=None):
    """All ways to make piles of so many seeds, the largest pile first, none above ``most``."""
    if number == 0:
        yield ()
    for first in range(min(number, most or number), 0, -1):
        yield from ((first, *others) for others in partitions(number - first, first))


def test_four_holes_of_two_balls_are_won_as_delannoy_has_it():
    state = mancala.ruleset("tchuka_ruma").start()
    for action in SOLUTION:
        assert (state.player, state.is_over) == (0, False)
        state = state.play(action)
    assert (state.pits, state.stores, state.termination, state.winner) == ((0, 0, 0, 0), (8, 0), "cleared", 0)
    assert state.returns == (1.0, -1.0)
    assert state.ending == "all seeds were in the store, and the solitaire is won"


def test_a_last_ball_in_an_empty_hole_loses_at_once():
    state = mancala.ruleset("tchuka_ruma").start().play(0)
    assert (state.pits, state.stores, state.termination, state.winner) == ((1, 3, 0, 3), (1, 0), "lost_by_landing", 1)
    trace = mancala.ruleset("tchuka_ruma").start().trace(0)
    assert trace.events[-1].kind == "fail"
    assert trace.text.endswith("the last seed falls into the empty pit 0: the player loses")


@pytest.mark.parametrize("holes", WINNABLE)
def test_the_boards_that_can_be_won_are_those_that_are_known(holes):
    boards = [mancala.ruleset("tchuka_ruma", pits_per_row=holes, seeds=balls).start() for balls in range(1, 9)]
    assert {state.pits[0] for state in boards if can_be_won(state, {})} == WINNABLE[holes]


@pytest.mark.parametrize("piles", range(1, 6))
def test_triangular_numbers_come_to_the_staircase_in_time_from_everywhere(piles):
    number, stairs = piles * (piles + 1) // 2, tuple(range(piles, 0, -1))
    for start in partitions(number):
        state = mancala.ruleset("bulgarian_solitaire", start=list(start)).start()
        while not state.is_over:
            state = state.play(0)
        assert tuple(seeds for seeds in state.pits if seeds) == stairs
        assert (state.termination, state.winner) == ("standstill", 0)
        assert state.ply <= piles * piles - piles


@pytest.mark.parametrize("number", [2, 4, 5, 7, 8, 9])
def test_other_numbers_come_round_and_lose(number):
    for start in partitions(number):
        rules = mancala.ruleset("bulgarian_solitaire", start=list(start))
        states = [*accumulate(repeat(0, 100), lambda state, _: state if state.is_over else state.play(0),
                              initial=rules.start())]  # fmt: skip
        walk = [state.pits for state in states[: states[-1].ply + 1]]
        assert (states[-1].termination, states[-1].winner) == ("repetition", 1)
        assert len({*walk[:-1]}) == len(walk) - 1  # nothing came twice before
        assert walk[-1] in walk[:-1]


def test_piles_have_one_move_of_its_own_name():
    state = mancala.ruleset("bulgarian_solitaire").start()
    assert (state.rules.num_actions, state.name(0), state.parse_move("step")) == (1, "step", 0)
    assert state.rules.spec() == "bulgarian_solitaire"
    assert state.rules.changes(start=[2, 3, 2]).spec() == "bulgarian_solitaire:start=[3,2,2]"


@pytest.mark.parametrize("name", NAMES)
def test_the_pettingzoo_environment_has_one_agent(name):
    door = env(name)
    assert door.possible_agents == ["player_0"]
    door.reset()
    assert [*door.infos] == [*door.rewards] == [*door.terminations] == [*door.action_spaces] == ["player_0"]
    seen = []
    for agent in door.agent_iter():
        observation, reward, terminated, _, _ = door.last()
        seen.append(agent)
        door.step(None if terminated else int(observation["action_mask"].argmax()))
    assert {*seen} == {"player_0"}
    assert reward == door.position.returns[0] != 0
    if name == "tchuka_ruma":
        door.reset(options={"position": door.rules.position([0, 1, 0, 0], (7, 0))})
        door.step(0)  # an illegal action
        assert door.rewards == {"player_0": -1.0}
        assert all(door.terminations.values())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("reward", ["result", "margin"])
def test_gymnasium_environments_need_no_opponent(name, reward):
    door = gymnasium.make(mancala.RULESETS[name].id, reward=reward, seat="alternate")
    rng, results = np.random.default_rng(0), set()
    for _ in range(20):
        _, info = door.reset()
        over = False
        while not over:
            assert info["seat"] == 0
            _, given, over, _, info = door.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        results.add(given)
        assert given == info["result"] == door.unwrapped.position.returns[0]
    assert results <= {1.0, -1.0}
    vector = MancalaVectorEnv(5, name)
    vector.reset(seed=1)
    ended = 0
    while ended < 10:
        _, rewards, over, _, _ = vector.step(vector.action_masks().argmax(axis=1))
        assert (np.abs(rewards) == over).all()
        ended += over.sum()


def test_a_learner_who_sits_in_the_north_or_has_an_opponent_is_refused():
    with pytest.raises(ValueError, match="nobody sits in the north"):
        OpponentEnv("tchuka_ruma", 2, seat="north")
    for opponent in (lambda state: 0, make_agent("minimax:depth=2")):
        with pytest.raises(ValueError, match="there is no second seat for an opponent"):
            gymnasium.make("mancala/tchuka_ruma-v0", opponent=opponent)


@pytest.mark.parametrize("name", NAMES)
def test_what_needs_two_players_says_so(name):
    players = (Player("a", "random"), Player("b", "greedy"))
    config = pytest.importorskip("training.ppo")
    alphazero = pytest.importorskip("training.alphazero")
    for call in (
        lambda: evaluate("random", "greedy", name),
        lambda: Event(players=players, rules=(name,)),
        lambda: config.PPOConfig(rules=name),
        lambda: alphazero.AlphaZeroConfig(rules=name),
    ):
        with pytest.raises(ValueError, match=f"{name} is a solitaire, and .* needs a second player; search it"):
            call()
    with pytest.raises(ValueError, match="nobody sits in the north"):
        Session(name, "random", seat=1)


@pytest.mark.parametrize("name", NAMES)
def test_a_game_is_played_saved_and_loaded_by_a_person_alone(name):
    session = Session(name, "random")
    assert session.names == ("you", "nobody")
    while session.is_persons_turn:
        session.play(session.state.legal_actions[-1])
    assert session.state.is_over
    assert not session.is_agents_turn
    end, text = session.state, session.save()
    session.undo()
    assert session.load(text) == end
    assert session.seat == 0
    page = Replay.of(mancala.ruleset(name).start(), session.actions).to_html()
    assert "North's store" not in page


@pytest.mark.parametrize(("name", "stores"), [("tchuka_ruma", 1), ("bulgarian_solitaire", 0)])
def test_pictures_show_one_player_and_no_second_store(name, stores):
    state = mancala.ruleset(name).start()
    picture, text = state.to_svg(legal=state.legal_mask), state.to_text()
    assert picture.count("<title>South's store: ") == stores
    for drawn in (picture, text):
        assert "South" in drawn
        assert "North" not in drawn
    assert max(len(line.split("│")) for line in text.splitlines()) == state.rules.board.pits + stores + 2


def test_statistics_of_a_solitaire_are_the_share_that_random_play_wins():
    found = random_play("tchuka_ruma", 400)
    assert 0 < found.south < 0.2
    assert (found.draws, found.margin_median) == (0.0, None)
    assert {reason for reason, _ in found.terminations} == {"cleared", "lost_by_landing"}
    row = games_table([("tchuka_ruma", found)])[-1].split("|")
    assert row[8].strip().endswith("%")
    assert (row[9].strip(), row[10].strip()) == ("", "")


@given(data=st.data())
def test_all_doors_take_any_solitaire(data):
    rules = data.draw(solitaires)
    state = rules.position(**data.draw(positions(rules)))
    rng = random.Random(data.draw(seeds))
    while not state.is_over:
        assert state.player == 0
        assert State.parse(rules, str(state)) == state == State.parse(rules, state.to_line())
        state = state.play(rng.choice(state.legal_actions))
    assert State.parse(rules, str(state)) == state
    assert state.returns in ((1.0, -1.0), (-1.0, 1.0))
    assert (state.winner == 0) == (state.termination in ("cleared", "standstill"))
    assert state.ending.endswith("won" if state.winner == 0 else "lost")
    assert state.scores is None
    assert "North" not in state.to_text() + state.to_svg() + rules.describe()
    if rules.start().is_over:
        return
    batch = mancala.Batch(rules, 4, seed=rng.randrange(100))
    for _ in range(20):
        batch.play(batch.random_actions())
    for name in ENCODERS:
        seen = make_encoder(name, rules)(batch.positions, batch.players)
        assert ((seen >= 0) & (seen <= 1)).all()
    twin = mancala.Batch(rules, 4)
    twin.restore(batch.snapshot())
    assert not batch.players.any()
    for name in ("minimax:depth=2", "mcts:simulations=8", "greedy"):
        assert make_agent(name).act(batch.state(0)) in batch.state(0).legal_actions


def test_random_solitaires_are_drawn_where_they_are_asked_for():
    drawn = [mancala.random_ruleset(seed, players=1) for seed in range(30)]
    assert {rules.players for rules in drawn} == {1}
    assert {rules.board.kind for rules in drawn} == {"solo_row", "piles"}
    assert {mancala.random_ruleset(seed).players for seed in range(30)} == {2}
    assert mancala.random_ruleset(3, players=1) == drawn[3]
    for rules in drawn[:8]:
        assert random_game(rules, 0)[1][-1].is_over
    with pytest.raises(ValueError, match="players must be 2, or 1 for solitaires"):
        mancala.random_ruleset(0, players=3)


def test_the_solver_says_what_can_be_won(capsys):
    solve(["tchuka_ruma", "--endgames", "0"])
    told = capsys.readouterr().out.splitlines()
    assert told[1].split(maxsplit=1) == ["value", "can be won"]
    assert told[3].split(maxsplit=2)[2] == "0: lost  1: lost  2: won  3: lost"
