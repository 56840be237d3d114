"""A network that leads the tree search, of any module and on any device, and training by it."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import yaml
from rich.console import Console

import mancala_env as mancala
from agents import MctsAgent, make_agent
from agents.policy.evaluator import NetworkEvaluator
from agents.policy.network import PolicyNetwork
from mancala_env import State
from mancala_env.kernels import layout
from mancala_env.observation import make_encoder
from tests.games import random_game
from training import search_games as selfplay
from training.alphazero import AlphaZero, AlphaZeroConfig, train
from training.run import CONFIG
from training.search_games import Positions
from training.selfplay import FIRST_EARLIER, OpponentPool
from training.trainer import Task

SMALL = {"rules": "kalah:pits_per_row=3,seeds=2", "layers": (16,), "games": 6, "moves": 12}
QUICK = {"simulations": 12, "fast_simulations": 4, "batch": 4, "batch_size": 16, "buffer": 500, "processes": 1}
QUICK |= {"pairs": 2, "curve_every": 0, "group": 3}
QUIET = Console(quiet=True)


def config(**changes) -> AlphaZeroConfig:
    return AlphaZeroConfig(**{**SMALL, **QUICK, "opponents": ("random",), **changes})


def test_what_shaping_paid_for_the_lead_comes_back_into_the_value():
    rules = mancala.ruleset("kalah")
    plain, shaped = PolicyNetwork(rules, "counts", (8,)), PolicyNetwork(rules, "counts", (8,), shaping=0.5)
    shaped.module.load_state_dict(plain.module.state_dict())
    state = State.parse(rules, "kalah 1-1-1-1-1-1-1-1-1-1-1-1-6-30-N")
    asked = state.array[None], state.legal_mask[None]
    before, after = NetworkEvaluator(plain)(*asked)[1], NetworkEvaluator(shaped)(*asked)[1]
    assert after - before == pytest.approx(0.5 * 24 / 48, abs=1e-5)  # the mover, North, leads by 24


def test_a_search_may_be_led_by_a_policy_on_disk_and_takes_the_margin_that_its_values_have(tmp_path):
    rules = config().ruleset
    PolicyNetwork(rules, "counts", (8,), shaping=1.0, margin=0.3).save(tmp_path / "policy.safetensors")
    agent = make_agent(f"mcts:simulations=20,network={tmp_path}")
    assert agent.name == f"mcts:simulations=20,network={tmp_path}"
    assert (agent.evaluate.network.shaping, agent.margin) == (1.0, 0.3)
    assert agent.act(rules.start()) in rules.start().legal_actions
    with pytest.raises(ValueError, match="give only one"):
        MctsAgent(network=str(tmp_path), evaluate=agent.evaluate)
    with pytest.raises(FileNotFoundError, match="no policy file"):
        make_agent("mcts:network=nowhere")
    train(config(rounds=1, margin=0.4, out=str(tmp_path / "run")), console=QUIET)
    assert make_agent(f"mcts:simulations=20,network={tmp_path / 'run'}").margin == 0.4
    train(config(rounds=1, out=str(tmp_path / "lead")), reward="margin", console=QUIET)
    assert PolicyNetwork.load(tmp_path / "lead").margin == 1.0


def played(settings, rounds=4, network=None, opponents=()):
    """What some rounds of self-play of one group bring."""
    network = network or PolicyNetwork(settings.ruleset, "onehot", (8,), margin=settings.share_of_margin)
    group = selfplay.begin(settings, len(opponents))[0]
    found = []
    for _ in range(rounds):
        found.append(selfplay.play(group, (settings, network, opponents)))
        group = found[-1].group
    return found


def test_self_play_tells_whole_games():
    found = played(config(full_share=1.0))
    told = [each.positions for each in found]
    assert sum(len(each.lengths) for each in found) > 5
    assert sum(map(len, told)) > 50
    for each in told:
        assert np.allclose(each.policies.sum(axis=1), 1, atol=1e-5)
        assert not each.policies[~each.masks].any()
        assert (np.abs(each.values) <= 1).all()


def test_fast_searches_play_and_are_not_learnt_from():
    full, some = (played(config(full_share=share, games=40, group=40), 2) for share in (1.0, 0.25))
    plies = [sum(sum(each.lengths) for each in found) for found in (full, some)]
    told = [sum(len(each.positions) for each in found) for found in (full, some)]
    assert told[1] / plies[1] < 0.4 * told[0] / plies[0]
    assert sum(each.simulations for each in some) < 0.8 * sum(each.simulations for each in full)


def test_the_targets_of_a_match_are_its_own_and_not_those_of_its_games():
    rules = mancala.ruleset("oware_series_wins:target=2,pits_per_row=3,seeds=2")
    settings = config(rules=rules, full_share=1.0, moves=60, root_value=0.0, margin=0.0, simulations=4)
    begun, mover = rules.fields["match"] + layout.GAME, rules.board.pits + layout.MOVER
    changing = later = 0
    for each in played(settings, 3):
        at = 0
        for length in each.lengths:  # every move of a match is told, but for those of its opening
            match = slice(at, at + length)
            rows, values = each.positions.rows[match], each.positions.values[match]
            same = np.flatnonzero(np.diff(rows[:, begun]) < 0)
            match = slice(0, same[0] + 1 if len(same) else len(rows))
            assert len({*(values[match] * (1 - 2 * rows[match, mover])).tolist()} - {-0.0}) <= 1
            at += match.stop
            later += (rows[match, begun] > 1).any()
            changing += 1
    assert later
    assert changing > 3


def test_only_the_learners_moves_are_learnt_from_in_games_against_others():
    asked = []
    first = SimpleNamespace(name="first", act=lambda state: asked.append(state) or state.legal_actions[0])
    settings = config(full_share=1.0, fixed_share=0.9, fixed_opponents=("random",))
    found = played(settings, opponents=[first])
    assert asked
    assert {opponent for each in found for opponent, _ in each.opponents} == {0}
    told, plies = sum(len(each.positions) for each in found), sum(sum(each.lengths) for each in found)
    assert told < 0.75 * plies


@pytest.mark.parametrize(
    ("shaping", "text", "value"),
    [(0.0, "kalah 2-2-2-2-2-2-0-0-S", -0.75), (1.0, "kalah 1-1-0-0-1-1-6-2-N", 0.5)],  # North is 4 of 12 seeds behind
)
def test_what_is_told_is_learnt_without_what_shaping_pays(shaping, text, value):
    settings = config(buffer=10)
    state = State.parse(settings.ruleset, text)
    algorithm = AlphaZero(Task(settings, torch.device("cpu")), None)
    algorithm.network = PolicyNetwork(settings.ruleset, "onehot", (32,), shaping=shaping)
    algorithm.optimizer = torch.optim.Adam(algorithm.network.parameters(), lr=0.01)
    row, mask = state.array[None], state.legal_mask[None]
    policy = np.array([[0.0, 1.0, 0.0]], dtype=np.float32)
    for _ in range(12):
        algorithm.buffer.add(Positions(row, mask, policy, np.array([value], dtype=np.float32)))
    assert (len(algorithm.buffer), algorithm.buffer.added) == (10, 12)
    algorithm.learn(0.01, 150)
    priors, values = NetworkEvaluator(algorithm.network)(row, mask)
    assert shaping or priors[0, 1] > 0.9
    assert values[0] == pytest.approx(value, abs=0.1)


@pytest.mark.integration
def test_a_run_that_begins_with_a_policy_of_ppo_keeps_its_shaping(tmp_path):
    rules = config().ruleset
    PolicyNetwork(rules, "lookahead1", (8,), action_head=4, shaping=1.0).save(tmp_path / "policy.safetensors")
    train(config(rounds=1, init_from=str(tmp_path), out=str(tmp_path / "run")), console=QUIET)
    made = PolicyNetwork.load(tmp_path / "run")
    assert (made.shaping, made.encoder.name, made.action_head) == (1.0, "lookahead1", 4)
    said = yaml.safe_load((tmp_path / "run" / CONFIG).read_text())  # the settings are those of the run
    assert (said["encoder"], said["layers"], said["action_head"]) == ("lookahead1", [8], 4)
    assert json.loads((tmp_path / "run" / "policy.json").read_text())["made"]["begun_with"]["sha256"]
    PolicyNetwork("oware", "counts", (8,)).save(tmp_path / "policy.safetensors")
    with pytest.raises(ValueError, match="plays oware and sees counts; this run is of kalah"):
        train(config(rounds=1, init_from=str(tmp_path), out=str(tmp_path / "other")), console=QUIET)


@pytest.mark.slow
def test_the_same_seed_trains_the_same_weights_with_any_number_of_processes(tmp_path):
    done = [train(config(rounds=3, out=str(tmp_path / str(n)), processes=n), console=QUIET) for n in (1, 2)]
    assert done[0].network.digest == done[1].network.digest


def test_a_prioritised_pool_meets_those_who_are_hard_to_beat():
    pool = OpponentPool(PolicyNetwork("kalah", "counts", (8,)), size=3, latest_share=0.0, prioritised=2.0)
    for _ in range(3):
        pool.remember()
    for _ in range(50):
        pool.record(np.array([FIRST_EARLIER, FIRST_EARLIER + 1] * 10), np.array([1.0, -1.0] * 10, dtype=np.float32))
    drawn = np.bincount(pool.draw(4000, np.random.default_rng(0)) - FIRST_EARLIER, minlength=3) / 4000
    assert drawn[0] < 0.01  # always beaten
    assert drawn[1] > 0.7  # never
    assert 0.1 < drawn[2] < 0.3  # not met yet: an even match
    copy = OpponentPool(PolicyNetwork("kalah", "counts", (8,)), size=3, latest_share=0.0, prioritised=2.0)
    copy.restore(pool.snapshot())
    assert (copy.draw(50, np.random.default_rng(1)) == pool.draw(50, np.random.default_rng(1))).all()
    pool.remember()  # in the place of the first
    fresh = np.bincount(pool.draw(4000, np.random.default_rng(0)) - FIRST_EARLIER, minlength=3) / 4000
    assert fresh[0] > 0.1


class Own(torch.nn.Module):
    """A module of a user's own, without shaping, or anything else of a PolicyNetwork but its margin."""

    rules, margin = mancala.ruleset("kalah"), 0.3

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.encoder = make_encoder("counts", self.rules)
        self.layer = torch.nn.Linear(int(np.prod(self.encoder.shape)), self.rules.num_actions + 1)

    def forward(self, observations):
        seen = self.layer(observations.flatten(1).to(self.layer.weight.dtype))
        return seen[:, :-1], seen[:, -1].tanh()


def asked():
    states = [state for state in random_game(Own.rules, 3)[1] if not state.is_over]
    return states, np.stack([s.array for s in states]), np.stack([s.legal_mask for s in states])


def test_any_module_with_rules_and_an_encoder_evaluates():
    states, rows, masks = asked()
    network = Own()
    priors, values = NetworkEvaluator(network)(rows, masks)
    logits, expected = network(torch.from_numpy(network.encoder(rows, np.array([s.player for s in states], np.int8))))
    share = torch.exp(logits).detach().numpy() * masks
    assert priors == pytest.approx(share / share.sum(axis=1, keepdims=True), abs=1e-5)
    assert values == pytest.approx(expected.detach().numpy(), abs=1e-6)
    agent = MctsAgent(16, evaluate=NetworkEvaluator(network), root="gumbel")
    assert agent.margin == 0.3
    assert agent.act(states[0]) in states[0].legal_actions


def test_a_module_that_does_not_say_what_it_sees_is_refused():
    with pytest.raises(ValueError, match="Linear has no attribute rules and no attribute encoder; a PolicyNetwork"):
        NetworkEvaluator(torch.nn.Linear(3, 3))


@pytest.mark.parametrize(("where", "kind"), [("cpu", torch.bfloat16), ("cuda", torch.float32), ("mps", torch.float32)])
def test_a_network_evaluates_where_its_weights_are(where, kind):
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not there[where]:
        pytest.skip(f"no {where} here")
    _, rows, masks = asked()
    network = Own()
    priors, values = NetworkEvaluator(network)(rows, masks)
    network.to(device=where, dtype=kind)
    there_priors, there_values = NetworkEvaluator(network)(rows, masks)
    assert there_priors.dtype == there_values.dtype == np.float32
    assert there_priors == pytest.approx(priors, abs=0.05)
    assert there_values == pytest.approx(values, abs=0.05)
