"""A network that evaluates positions for a tree search: any torch module, on its own device, with its own margin."""

import numpy as np
import pytest
import torch

import mancala_env as mancala
from agents import MctsAgent
from agents.policy.evaluator import NetworkEvaluator
from mancala_env.observation import make_encoder
from tests.games import random_game

RULES = mancala.ruleset("kalah")


class Own(torch.nn.Module):
    """A module of a user's own, without shaping, or anything else of a PolicyNetwork but its margin."""

    rules, margin = RULES, 0.3

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.encoder = make_encoder("counts", RULES)
        self.layer = torch.nn.Linear(int(np.prod(self.encoder.shape)), RULES.num_actions + 1)

    def forward(self, observations):
        seen = self.layer(observations.flatten(1).to(self.layer.weight.dtype))
        return seen[:, :-1], seen[:, -1].tanh()


def asked():
    states = [state for state in random_game(RULES, 3)[1] if not state.is_over]
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
