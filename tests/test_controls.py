"""The controls of policies whose input looks ahead: the same input without training, and what takes as long."""

import json

import numpy as np
import pytest
import torch
from rich.console import Console

import mancala_env as mancala
from agents import MinimaxAgent, make_agent
from agents.batched import BatchedAgent, LookaheadAgent, play_batched
from agents.policy.card import FILE_NAME
from agents.policy.network import PolicyNetwork
from mancala_env.observation import make_encoder
from tests.games import random_game
from training import controls as module
from training.controls import ControlsConfig, controls, main, markdown, positions_of_games, tables
from training.timing import Timed, timed

GAME = "kalah:pits_per_row=3,seeds=2"
TINY = {"rules": GAME, "encoders": ("lookahead2",), "pairs": 4, "against": ("v1-random",), "positions": 8, "batch": 8}
MOST = 11  # seeds, beyond which encoders tell values apart no more


def worth(state, action, plies):
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
        values = {action: worth(state, action, plies) for action in state.legal_actions}
        picks = set()
        for seed in range(40):
            agent.reset(seed)
            picks.add(agent.act(state))
        best = {action for action, value in values.items() if value == max(values.values())}
        assert picks <= best
        assert len(best) > 4 or picks == best  # each of few comes up in 40 draws


def test_where_values_are_small_it_plays_as_alpha_beta_of_the_same_depth():
    rules = mancala.ruleset("kalah:pits_per_row=3,seeds=2")  # 12 seeds: no value is beyond what the input tells apart
    for state in random_game(rules, 5)[1][:-1]:
        (best,) = [set(MinimaxAgent(4).best_actions(state))]
        agent = LookaheadAgent(4)
        assert {(agent.reset(seed), agent.act(state))[1] for seed in range(30)} <= best


def test_it_plays_in_a_batch_as_alone():
    rules = mancala.ruleset("oware")
    assert isinstance(LookaheadAgent(2), BatchedAgent)
    starts = [state for k in range(4) for state in random_game(rules, k)[1][4:9]]
    seeds = np.arange(2 * len(starts)).reshape(-1, 2)
    played = play_batched(
        rules, starts, (LookaheadAgent(2), LookaheadAgent(3)), np.zeros(len(starts), dtype=np.int64), seeds
    )
    for start, actions, plies, own in zip(starts, played.actions, played.plies, seeds.tolist(), strict=True):
        seats, state = (LookaheadAgent(2, own[0]), LookaheadAgent(3, own[1])), start
        for action in actions[:plies].tolist():
            assert seats[state.player].act(state) == action
            state = state.play(action)
        assert state.is_over


def test_it_is_an_agent_like_any_other():
    agent = make_agent("lookahead")
    assert agent.name == "lookahead:plies=4"
    for state in (mancala.ruleset("oware").start(), mancala.ruleset("kalah").start()):  # one after the other
        assert agent.act(state) in state.legal_actions
    over = mancala.ruleset("kalah").position(pits=[0] * 6 + [1] * 6, stores=[20, 22])
    with pytest.raises(ValueError, match="the game is over"):
        agent.act(over)


@pytest.mark.parametrize("plies", [0, 7, 2.5, True, "two"])
def test_it_looks_as_far_ahead_as_an_encoder(plies):
    with pytest.raises(ValueError, match="plies must be a whole number from 1 to 6, not"):
        LookaheadAgent(plies)


@pytest.fixture
def clock(monkeypatch):
    """Times that are always the same: alpha-beta takes as many milliseconds as it looks plies ahead, others 2.9."""

    def timed(agent, *_):
        depth = getattr(agent, "limits", {}).get("depth")
        return Timed(0.001 * depth if depth else 0.0029, 1e-6)

    monkeypatch.setattr(module, "timed", timed)


@pytest.fixture
def policy(tmp_path):
    """A policy with that input, not trained at all."""
    torch.manual_seed(0)
    folder = tmp_path / "run"
    folder.mkdir()
    PolicyNetwork(mancala.ruleset(GAME), "lookahead2", (8,), "relu", 0).save(folder / FILE_NAME)
    return str(folder)


def test_each_input_stands_beside_alpha_beta_and_the_policies_that_have_it(clock, policy):
    config = ControlsConfig(**{**TINY, "encoders": ("lookahead1", "lookahead2")}, policies=(policy,))
    rows = controls(config, Console(quiet=True))
    assert [(row.kind, row.plies) for row in rows] == [
        ("untrained", 1), ("alpha-beta", 1), ("untrained", 2), ("alpha-beta", 2), ("trained", 2),
    ]  # fmt: skip
    near = [[result.opponent for result, _ in row.near] for row in rows]
    both = ["minimax:depth=2", "minimax:depth=3"]  # of 2 and 3 milliseconds, and they take 2.9
    assert near == [both, [], both, [], both]
    assert all(row.results[0].opponent == "v1-random" for row in rows)
    again = controls(config, Console(quiet=True))
    assert [row.as_dict() for row in again] == [row.as_dict() for row in rows]
    (scores, times) = tables(config, rows)
    assert scores[1] == ["player", "random"]
    assert [line[0] for line in scores[2]][:2] == ["lookahead1, untrained", "alpha-beta, depth 1"]
    assert times[2][0][1:3] == ["2.9 ms", "0.001 ms"]
    assert [cell.split(") ")[1] for cell in times[2][0][3:]] == ["depth=2 2 ms", "depth=3 3 ms"]


def test_the_command_prints_and_writes_its_tables(clock, policy, tmp_path, capsys):
    written, data = tmp_path / "table.md", tmp_path / "table.json"
    main([
        "--rules", GAME, "--encoders", "lookahead2", "--policies", policy, "--pairs", "2", "--against", "v1-random",
        "--positions", "4", "--batch", "4", "--markdown", str(written), "--json", str(data),
    ])  # fmt: skip
    said, text = capsys.readouterr().out, written.read_text(encoding="utf-8")
    for words in ("lookahead2, untrained", "alpha-beta, depth 2", "against slower"):
        assert words in said
        assert words in text
    assert f"mancala train controls --rules {GAME} --encoders lookahead2 --policies" in text
    rows = json.loads(data.read_text(encoding="utf-8"))["rows"]
    assert [row["kind"] for row in rows] == ["untrained", "alpha-beta", "trained"]
    assert [each["opponent_seconds_a_move"] for each in rows[0]["equal_time"]] == [0.002, 0.003]


def test_policies_of_the_zoo_are_found_by_their_game():
    rows = module.players(ControlsConfig(rules="kalah", encoders=("lookahead6",)))
    kinds = {row.agent.name: row.sees for row in rows if row.kind == "trained"}
    assert kinds["zoo:kalah-action6"] == "lookahead6"
    assert kinds["zoo:kalah-onehot"] == "onehot"
    assert rows[-1].sees != "lookahead6"  # policies with other inputs come last


def test_times_are_those_of_running_positions_with_a_choice():
    config = ControlsConfig(**TINY)
    states = positions_of_games(config.ruleset, 8, 0)
    assert len(states) == 8
    assert all(len(state.legal_actions) > 1 for state in states)
    assert positions_of_games(config.ruleset, 8, 0) == states
    both = timed(LookaheadAgent(1), states)
    assert both.single > 0
    assert both.batched > 0
    assert timed(MinimaxAgent(nodes=10), states).batched is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("--encoders onehot", "does not look ahead"),
        ("--encoders smell", "unknown encoder"),
        ("--pairs 0", "pairs must be 1 or more"),
        ("--policies random", "random is no trained policy"),
        ("--policies zoo:oware --rules kalah", "zoo:oware"),
        ("--markdown nowhere/x.md", "there is no folder nowhere"),
        ("--rules tchuka_ruma", "player"),
    ],
)
def test_a_wrong_command_line_is_answered_in_one_line(arguments, says, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments.split())
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error


def test_markdown_names_the_machine_of_its_times(clock):
    config = ControlsConfig(**TINY)
    text = markdown(config, module.players(config)[:0], "command")
    assert "Times are processor time of one thread: " in text
