"""Agents: search against a slow reference, names, seeds, bad input; opponents whose names mean the same for ever."""

import itertools

import numpy as np
import pytest

import mancala_env as mancala
from agents import Agent, MinimaxAgent, make_agent, move_values, perft, reference
from agents.evaluation import evaluate
from agents.reference import EVALUATIONS, LEARNED, NAMES, REFERENCE
from agents.search.evaluation import Evaluation
from mancala_env.games import ruleset
from tests.games import CORE, random_game


def standing(state: mancala.State) -> float:
    """What South is ahead, as people judge each game: seeds, or what comes next to winning."""
    if state.scores is not None:
        return state.scores[0] - state.scores[1]
    if state.is_over:
        return 10_000 * state.returns[0]
    own = [sum(seeds for seeds, owner in zip(state.pits, state.owner, strict=True) if owner == p) for p in (0, 1)]
    if state.rules.name == "reaping":
        own = [len(state.rules.position(state.pits, player=player).legal_actions) for player in (0, 1)]
    return own[0] - own[1] if state.rules.goal == "last_mover" else own[1] - own[0]


def value(state: mancala.State, depth: int, plies: int = 0) -> float:
    """The mover's margin, ``depth`` plies deep, by plain recursion; in a match that of the game in progress. ``plies``:
    how many have been played since the action that is judged. A win without scores is worth less with each."""
    if state.is_over or depth == 0:
        ahead = standing(state)
        if state.is_over and state.scores is None:
            ahead -= plies * state.returns[0]
        return ahead * (1 if state.player == 0 else -1)
    return max(value_after(state, action, depth, plies + 1) for action in state.legal_actions)


def value_after(state: mancala.State, action: int, depth: int, plies: int = 0) -> float:
    child = state.play(action)
    if len(child.games) > len(state.games):
        south, north = child.games[-1].scores
        return (south - north) * (1 if state.player == 0 else -1)
    return value(child, depth - 1, plies) * (1 if child.player == state.player else -1)


@pytest.mark.parametrize("game", CORE)
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_alpha_beta_finds_the_values_of_plain_negamax(game, depth):
    for seed in range(4):
        states = [state for state in random_game(ruleset(game), seed)[1] if not state.is_over]
        for state in states[:: max(1, len(states) // 6)] + states[-3:]:
            plain = {action: value_after(state, action, depth) for action in state.legal_actions}
            assert move_values(state, depth) == plain
            best = [action for action in plain if plain[action] == max(plain.values())]
            assert MinimaxAgent(depth).best_actions(state) == best


def check_agent(game, make, most=100_000):
    """An agent with one seed plays one game, by legal moves."""
    games = []
    for _ in range(2):
        agent, opponent = make(), make_agent("random")
        agent.reset(3)
        opponent.reset(4)
        state, moves = ruleset(game).start(), []
        while not state.is_over and len(moves) < most:
            moves.append((agent if state.player == 0 else opponent).act(state))
            state = state.play(moves[-1])
        games.append(moves)
    assert games[0] == games[1]


def test_ties_are_broken_evenly_and_by_seed():
    state = ruleset("oware").start()
    agent = MinimaxAgent(depth=1)
    assert agent.best_actions(state) == [0, 1, 2, 3, 4, 5]
    picks = []
    for seed in range(300):
        agent.reset(seed)
        picks.append(agent.act(state))
    assert np.bincount(picks, minlength=6).min() > 20
    agent.reset(0)
    assert agent.act(state) == picks[0]


def test_names_make_agents():
    for spec, name in (
        ("random", "random"),
        ("random:seed=4", "random"),
        ("greedy", "greedy"),
        ("minimax:depth=6,seed=1", "minimax:depth=6"),
        ("mcts", "mcts:simulations=800"),
        ("mcts:time=0.5", "mcts:time=0.5"),
        ("mcts:simulations=50,time=0.5", "mcts:simulations=50,time=0.5"),
    ):
        agent = make_agent(spec)
        assert isinstance(agent, Agent)
        assert agent.name == name


NO_TIMES = ("0", "-1", "nan", "inf", "soon", "true")


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("minmax", "unknown agent 'minmax'; did you mean 'minimax'"),
        ("", "unknown agent ''; agents are random, greedy"),
        ("minimax:depht=3", "minimax has no setting 'depht'; did you mean 'depth'. it takes depth, seed"),
        ("minimax:depth", "cannot read 'depth'"),
        ("minimax:depth=0", "depth must be a whole number of plies from 1 to 64, not 0"),
        ("minimax:depth=deep", "not 'deep'"),
        ("random:depth=3", "random has no setting 'depth'; it takes seed"),
        ("random:seed=abc", "seed must be a whole number from 0, not 'abc'"),
        ("minimax:seed=-1", "seed must be a whole number from 0, not -1"),
        ("policy:path=x,sample=no", "sample must be true or false, not 'no'"),
        ("minimax:depth=2,depth=3", "gives depth twice"),
        ("mcts:simulations=0", "simulations must be a whole number from 1 to 10,000,000, not 0"),
        ("mcts:simulations=true", "not True"),
        ("mcts:exploration=nan", "exploration must be a number, 0 or more, not nan"),
        ("mcts:margin=1.5", "margin must be a number from 0 to 1, not 1.5"),
        ("mcts:batch=0", "batch must be a whole number from 1 to 65,536, not 0"),
        ("mcts:root=best", "root must be one of puct, gumbel, not 'best'"),
        ("mcts:root=gumbel", "root=gumbel needs priors: give evaluate, network="),
        ("mcts:depth=3", "mcts has no setting 'depth'; it takes simulations"),
        ("ppo", "needs path="),
        ("policy:path=", "needs path="),
        ("zoo", "needs entry="),
        ("ppo:runs/a,b", "cannot read 'b' .* contain no ',' and no '='"),
        ("ppo:runs/lr=3", "no setting 'runs/lr'.* contain no ',' and no '='"),
        ("policy:path=runs/lr=3", "cannot read 'runs/lr=3' as path.* contain no ',' and no '='"),
        ("ppo:runs/a,path=runs/b", "gives path twice"),
        ("runs/kalah", "say 'ppo:runs/kalah'"),
        ("minimax:depth=2=3", "second ="),
        ("minimax:4", "cannot read '4'"),
        *((f"mcts:time={wrong}", "time must be a number of seconds above 0, or clock") for wrong in NO_TIMES),
    ],
)
def test_bad_names_say_what_would_do(spec, text):
    with pytest.raises(ValueError, match=text):
        make_agent(spec)


def test_no_agent_moves_in_a_finished_game():
    over = ruleset("kalah").position(pits=[0] * 6 + [1] * 6, stores=[20, 22])
    assert over.is_over
    for spec in ("random", "greedy", "minimax:depth=2", "lookahead:plies=1", "mcts:simulations=10", "v1-search"):
        agent = make_agent(spec)
        with pytest.raises(ValueError, match=f"{agent.name} cannot move: the game is over in kalah"):
            agent.act(over)
    assert [perft(over, depth) for depth in (0, 1)] == [1, 0]
    with pytest.raises(ValueError, match="from 0 to 64, not -1"):
        perft(over, -1)


@pytest.mark.parametrize("name", NAMES)
def test_a_reference_opponent_is_an_agent_of_that_name(name):
    for spec in (name, f"{name}:seed=3"):
        agent = make_agent(spec)
        assert isinstance(agent, Agent)
        assert agent.name == name
    with pytest.raises(ValueError, match=f"{name} has no setting 'depth'; it takes seed"):
        make_agent(f"{name}:depth=3")


# In positions of Kalah and Oware, chosen because the depths differ: the best moves of each that searches, and those of
# v1-search with their value in seeds.
PINNED = [
    ("kalah", [0, 3, 8, 7, 1, 3, 1, 2, 0, 1, 8, 8], [3, 3], [[2, 3, 5], [2, 3], [2], [4], [1, 2, 3, 4]], [2], -5.46875),
    ("oware", [6, 6, 1, 6, 1, 6, 6, 5, 5, 1, 5, 0], [0, 0], [[3], [0, 1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 4], [0, 1]],
     [1], -1.03125),
]  # fmt: skip


@pytest.mark.parametrize(("game", "pits", "stores", "best", "learned", "value"), PINNED)
def test_no_name_ever_changes_its_meaning(game, pits, stores, best, learned, value):
    depths = {"v1-random": None} | {f"v1-depth{depth}": depth for depth in (1, 2, 4, 6, 8)}
    assert {name: REFERENCE[name] for name in depths} == depths
    state = ruleset(game).position(pits=pits, stores=stores)
    players = [make_agent(name) for name, depth in REFERENCE.items() if depth is not None]
    assert all(isinstance(player, MinimaxAgent) for player in players)
    assert [player.best_actions(state) for player in players] == best
    rung = make_agent("v1-search")
    assert (rung.best_actions(state), rung.search(state).value) == (learned, value)
    assert rung.act(state) in learned


def test_the_evaluations_of_the_learned_rung_are_copies_that_never_change(tmp_path, monkeypatch):
    assert LEARNED == {"v1-search": 6}
    for text, digest in EVALUATIONS["v1-search"].items():
        assert reference.frozen_evaluation("v1-search", ruleset(text)).digest == digest
    rung = make_agent("v1-search")
    for state in (ruleset("diffusion").start(), ruleset("oware", seeds=3).start()):
        with pytest.raises(ValueError, match=r"v1-search has no evaluation of .*it plays awari, "):
            rung.act(state)
    assert "has no evaluation" in rung.refusal(ruleset("diffusion"))
    oware = reference.frozen_evaluation("v1-search", ruleset("oware"))
    monkeypatch.setattr(reference.zoo, "FOLDER", tmp_path)
    reference.frozen_evaluation.cache_clear()
    assert "which is not there" in make_agent("v1-search").refusal(oware.rules)
    (tmp_path / "v1-search").mkdir()
    changed = Evaluation(oware.rules, oware.first, oware.second, oware.factor, oware.constant + 1)
    changed.save(tmp_path / "v1-search" / f"{oware.digest[:16]}.safetensors")
    assert "bring back the file" in make_agent("v1-search").refusal(oware.rules)
    reference.frozen_evaluation.cache_clear()


def test_each_rung_is_stronger_than_the_last():
    rungs = ("v1-random", "v1-depth1", "v1-depth2", "v1-depth4", "v1-search")
    for lower, higher in itertools.pairwise(rungs):
        (result,) = evaluate(higher, [lower], "oware", pairs=20)
        assert result.low > 0.5
