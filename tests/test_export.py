"""A policy as an ONNX file plays as the policy does, says what it is, and is not written unless it does."""

import json
import sys

import numpy as np
import pytest
import torch

from agents import zoo
from agents.policy import card
from agents.policy.agent import PolicyAgent
from agents.policy.card import policy_file
from agents.policy.network import PolicyNetwork
from mancala_env import Batch
from tests.trainings import refused
from training import export
from training.export import compare, export_onnx, metadata, to_onnx

onnx, onnxruntime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.integration


class Ring(torch.nn.Module):
    """A module of one's own: a convolution around the board, and linear heads."""

    def __init__(self, encoder, actions):
        super().__init__()
        self.around = torch.nn.Conv1d(1, 4, 3, padding=1, padding_mode="circular")
        self.logits = torch.nn.Linear(4 * encoder.shape[0], actions)
        self.value = torch.nn.Linear(4 * encoder.shape[0], 1)

    def forward(self, observations):
        seen = torch.relu(self.around(observations.unsqueeze(1))).flatten(1)
        return self.logits(seen), torch.tanh(self.value(seen)).squeeze(1)


def policy(tmp_path, kind):
    """The name of a policy of a kind: one of the zoo, or a file with random weights."""
    if kind.startswith("zoo:"):
        return kind
    torch.manual_seed(5)
    rules, *settings = {
        "mlp": ("oware", "counts", (24, 16), "tanh"),
        "action head": ("kalah:seeds=3", "lookahead2", (16,), "relu", 8, 1.0),
        "module": ("kalah", "counts"),
    }[kind]
    PolicyNetwork(rules, *settings, network=Ring if kind == "module" else "mlp").save(tmp_path / "policy.safetensors")
    return str(tmp_path)


def session_of(file):
    return onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("kind", ["mlp", "action head", "module", "zoo:kalah-onehot"])
def test_the_file_plays_as_the_policy_does(tmp_path, kind):
    run = policy(tmp_path, kind)
    own = {"network": "tests.test_export:Ring"} if kind == "module" else {}
    file, agreement = export_onnx(run, tmp_path / "policy.onnx", **own)
    assert agreement.same_action == agreement.positions > 500
    assert agreement.logits < 1e-3
    session, agent = session_of(file), PolicyAgent(run, **own)
    encoder, state, plies = agent.encoder, agent.rules.start(), 0
    while not state.is_over:
        observation = encoder(state.array[None], np.array([state.player], dtype=np.int8))
        logits, _ = session.run(["logits", "value"], {"observation": observation})
        action = np.where(state.legal_mask, logits[0], -np.inf).argmax()
        assert action == agent.act(state)
        state, plies = state.play(action), plies + 1
    assert plies > 10
    batch = Batch(agent.rules, 7, seed=1, encoder=encoder.name)
    for games in (1, 7):
        observations = batch.observe()[:games]
        logits, values = session.run(["logits", "value"], {"observation": observations})
        assert (logits.shape, values.shape) == ((games, agent.rules.num_actions), (games,))
        assert (logits.dtype, values.dtype) == (np.float32, np.float32)
        mine = agent.network(torch.from_numpy(observations))
        np.testing.assert_allclose(logits, mine[0].numpy(), atol=1e-3)
        np.testing.assert_allclose(values, mine[1].numpy(), atol=1e-3)


def test_the_file_says_what_it_is(tmp_path, capsys):
    run = policy(tmp_path, "action head")
    export.main([run, "--onnx"])
    said = capsys.readouterr().out
    assert "logits differ by" in said
    assert "the same action in 720 of 720 positions" in said
    model = onnx.load(tmp_path / "policy.onnx")
    told = {each.key: each.value for each in model.metadata_props}
    network = PolicyNetwork.load(run)
    assert told == {**metadata(network), "policy_sha256": card.digest(policy_file(run))}
    assert told["rules"] == "mancala/kalah-v0"
    assert json.loads(told["changes"]) == {"seeds": 3}
    assert (told["encoder"], told["encoder_version"], told["plies_ahead"]) == ("lookahead2", "0", "2")
    assert (told["shaping"], told["margin"], told["network"]) == ("1.0", "0.0", "mlp")
    assert [each.name for each in model.graph.input] == ["observation"]
    assert [each.name for each in model.graph.output] == ["logits", "value"]
    assert session_of(tmp_path / "policy.onnx").get_inputs()[0].shape == ["n", *network.encoder.shape]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy.onnx", "policy.safetensors"]


def test_a_policy_of_the_zoo_goes_to_this_folder_unless_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(export, "to_onnx", lambda network, about, name: b"ONNX")
    monkeypatch.setattr(export, "compare", lambda network, content: export.Agreement(1, 0.0, 0.0, 1))
    assert export_onnx("zoo:awari")[0].name == "awari.onnx"
    assert (tmp_path / "awari.onnx").read_bytes() == b"ONNX"


def refusal(capsys, *arguments):
    return refused(export.main, [*arguments], capsys)


def test_what_cannot_be_exported_is_refused_in_one_line(tmp_path, capsys, monkeypatch):
    assert "there is no policy file" in refusal(capsys, str(tmp_path / "nowhere"), "--onnx")
    assert "did you mean 'kalah'" in refusal(capsys, "zoo:kalha", "--onnx")
    for evaluation in ("zoo:oware-search", str(zoo.find_evaluation("oware")), str(zoo.find_evaluation("oware").parent)):
        assert "learned evaluation of a search, which only a search uses" in refusal(capsys, evaluation, "--onnx")
    own = policy(tmp_path, "module")
    assert "ask for it" in refusal(capsys, own, "--onnx")
    assert "tests.nowhere:Ring was asked for" in refusal(capsys, own, "--onnx", "--network", "tests.nowhere:Ring")
    run = policy(tmp_path, "mlp")
    assert "--onnx" in refusal(capsys, run)
    monkeypatch.setattr(export, "to_onnx", lambda network, about, name: b"ONNX")
    monkeypatch.setattr(export, "compare", lambda network, content: export.Agreement(1, 0.0, 0.0, 1))
    assert "check the path" in refusal(capsys, run, "--onnx", str(tmp_path / "no" / "folder.onnx"))
    monkeypatch.undo()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "onnxscript", None)
        assert 'pip install -e ".[export]"' in refusal(capsys, run, "--onnx")
    weights = tmp_path / "policy.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    assert "bring back the file that was written" in refusal(capsys, run, "--onnx")
    assert [path.name for path in tmp_path.iterdir()] == ["policy.safetensors"]


def test_a_file_that_plays_differently_is_not_written(tmp_path, monkeypatch):
    run = policy(tmp_path, "mlp")
    network = PolicyNetwork.load(run)
    other = network.copy()
    with torch.no_grad():
        for weights in other.parameters():
            weights.add_(0.1)
    content = to_onnx(other, metadata(other))
    with pytest.raises(ValueError, match="differ from its own by more than"):
        compare(network, content)
    monkeypatch.setattr(export, "to_onnx", lambda network, about, name: content)
    with pytest.raises(ValueError, match="differ from its own"):
        export_onnx(run)
    monkeypatch.setattr(export, "compare", lambda network, content: export.Agreement(10, 0.0, 0.0, 9))
    with pytest.raises(ValueError, match="another action in 1 of 10 positions"):
        export_onnx(run)
    assert not (tmp_path / "policy.onnx").exists()


class Other(torch.nn.Module):
    """A network that ONNX cannot hold: for two observations and no more, or one that branches on their values."""

    def __init__(self, network, branches):
        super().__init__()
        self.network, self.branches, self.encoder = network, branches, network.encoder

    def copy(self):
        return self

    def forward(self, observations):
        if self.branches:
            return self.network(observations if observations.sum() > 1 else 2 * observations)
        return self.network(observations.reshape(2, -1))


@pytest.mark.parametrize(("branches", "why"), [(False, "no other number of observations"), (True, "data-dependent")])
def test_a_network_that_onnx_cannot_hold_is_refused(tmp_path, capfd, branches, why):
    network = PolicyNetwork.load(policy(tmp_path, "mlp"))
    with pytest.raises(ValueError, match=f"^runs/mine cannot be written as ONNX: .*{why}") as error:
        to_onnx(Other(network, branches), {}, "runs/mine")
    assert "\n" not in str(error.value)
    assert not "".join(capfd.readouterr())
