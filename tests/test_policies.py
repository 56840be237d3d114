"""Policies that were trained: their files and what stands beside them, the zoo, the zip for stable-baselines3."""

import io
import json
import pickle
import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save, save_file
from sb3_contrib import MaskablePPO

import mancala_env
from agents import make_agent, plays, zoo
from agents.evaluation import evaluate
from agents.policy import card, card_page
from agents.policy.agent import PolicyAgent
from agents.policy.network import PolicyNetwork
from agents.provenance import rules_digest
from agents.zoo import FILE_NAME
from mancala_env.games import ruleset
from mancala_env.rules import When
from tests.trainings import quiet, refused
from training import checkpoint, ppo
from training import run as runs
from training import zoo as zoo_command
from training.cli import command_of, parse
from training.ppo import PPOConfig, main
from training.run import ZIP
from training.selfplay import OpponentPool, SelfPlayVecEnv

ROOT = Path(ppo.__file__).parents[1]
WITH_HEAD = PPOConfig(
    rules="kalah:seeds=3", encoder="lookahead2", layers=(16,), action_head=8, envs=8, rollout_steps=8,
    batch_size=32, epochs=2, steps=192, pool_size=2, pool_every=1, save_every=1, opponents=("random",), pairs=2,
    opening_plies=2, curve_every=0,
)  # fmt: skip


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a finished run."""
    folder = tmp_path_factory.mktemp("runs") / "kalah"
    quiet(replace(WITH_HEAD, out=str(folder)))
    return folder


@pytest.fixture
def run(finished, tmp_path):
    """A copy of it, to damage."""
    shutil.copytree(finished, tmp_path / "run")
    return tmp_path / "run"


def positions(rules, n=200):
    """Some positions of random games, with what may be played."""
    batch = mancala_env.Batch(rules, n, seed=3, encoder="lookahead2")
    for _ in range(6):
        batch.play(batch.random_actions())
    return batch.observe(), batch.legal_mask


def rewritten(path, **changes):
    """Change the header of a policy file that has no card."""
    with safe_open(path, "pt") as file:
        header = json.loads(file.metadata()["mancala_policy"])
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    save_file(weights, path, {"mancala_policy": json.dumps({**header, **changes})})


@pytest.mark.parametrize(
    "config",
    [
        WITH_HEAD,
        PPOConfig(),
        PPOConfig(out="runs/of mine", rules="oware:grand_slam=forbidden,majority_stop=false", export_sb3=False),
        PPOConfig(rules=ruleset("oware", start=[3] * 12), opponents=("minimax:depth=1", "random"), learning_rate=1e-4),
    ],
)
def test_the_command_of_a_run_gives_its_config_again(config):
    assert command_of(config, ppo.PPO.COMMAND).startswith("mancala train ppo --rules")
    read, _ = parse(main.parser(), PPOConfig, shlex.split(command_of(config, ppo.PPO.COMMAND))[3:])
    assert read == config


@pytest.mark.integration
def test_a_run_that_goes_on_has_no_sidecar_until_it_ends_again(run):
    config = replace(WITH_HEAD, out=str(run), steps=256, export_sb3=False, pairs=0)
    runs.go_on(config, 0, {})
    assert not (run / "policy.json").exists()
    assert not (run / ZIP).exists()
    quiet(config, resume=True)
    said = card.read(run / FILE_NAME)
    assert said["training"]["steps"] == 256
    assert said["made"]["resumed"][-1]["until"] == 256
    assert said["evaluation"] is None
    assert not (run / ZIP).exists()  # where none is wanted


def test_rules_that_mean_the_same_share_a_digest_and_others_do_not():
    kalah = ruleset("kalah")
    assert rules_digest(kalah) == rules_digest(replace(kalah, name="mine")) == rules_digest(ruleset("kalaha"))
    others = [
        kalah.changes(seeds=3), kalah.changes(pits_per_row=5), kalah.changes(empty_capture=not kalah.empty_capture),
        kalah.changes(max_plies=500), replace(kalah, version=1), replace(kalah, landing=(When(store="own").again(),)),
        ruleset("reaping"), ruleset("reaping", start=[1] * 12), ruleset("oware"), ruleset("oware", repetition=3),
    ]  # fmt: skip
    layli = ruleset("layli_goobalay")
    others += [layli, layli.changes(mark_limit=2), layli.changes(end_few=3)]
    assert len({rules_digest(rules) for rules in [kalah, *others]}) == 1 + len(others)
    for same in (kalah.changes(start=[4] * 12), replace(kalah, source="somebody", region="nowhere")):
        assert rules_digest(same) == rules_digest(kalah)  # four in each pit; and what no rule is


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"rules_sha256": "0" * 64}, "have changed since it was trained"),
        ({"weights_sha256": "0" * 64}, "weights have changed since they were written"),
        ({"encoder_version": 7}, "train anew"),
        ({"rules_version": 7}, "train anew"),
        ({"encoder": "smell"}, "unknown encoder"),
        ({"rules": "chess"}, "unknown game"),
        ({"layers": "many"}, "layers must be"),
        ({"layers": [-1]}, "layers must be"),
        ({"changes": {"seeds": "many"}}, "seeds must be"),
        ({"layers": [17]}, "do not fit layers"),
        ({"towers": 9}, "do not fit layers"),
        ({"towers": 0}, "do not fit layers"),
        ({"towers": -1}, "action_head must be a whole width"),
        ({"towers": "many"}, "action_head must be a whole width"),
        ({"encoder": "onehot"}, "action_head must be 0"),
        ({"activation": "gelatine"}, "activation must be one of relu"),
        ({"format": 99}, "its format is 99, and this version reads 5"),
    ],
)
def test_a_policy_that_does_not_fit_is_refused_in_a_sentence(changes, says, run):
    (run / "policy.json").unlink()
    rewritten(run / FILE_NAME, **changes)
    with pytest.raises(ValueError, match=says) as error:
        PolicyNetwork.load(run)
    assert "\n" not in str(error.value)
    assert str(run) in str(error.value)


class Trap:
    """Says so if a file that holds it is read as Python objects."""

    def __reduce__(self):
        return print, ("sprung",)


def sprung_by_torch():
    buffer = io.BytesIO()
    torch.save(Trap(), buffer)
    return buffer.getvalue()


SPOILT = {
    "a pickle": lambda data: pickle.dumps(Trap()),
    "a pickle of torch": lambda data: sprung_by_torch(),
    "other tensors": lambda data: save({"weight": torch.zeros(3)}),
}


@pytest.mark.parametrize("beside", ["with its card", "without"])
@pytest.mark.parametrize("how", SPOILT)
def test_a_damaged_policy_is_refused_and_no_code_in_it_is_run(how, beside, run, capsys):
    (run / FILE_NAME).write_bytes(SPOILT[how]((run / FILE_NAME).read_bytes()))
    if beside == "without":
        (run / "policy.json").unlink()
    with pytest.raises(ValueError, match=r"describes|cannot be read as a policy"):
        PolicyNetwork.load(run)
    assert "sprung" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"sha256": "0"}', "is not the file that policy.json beside it describes"),
        ('{"format"', "is damaged"),
        ("[]", "is damaged"),
    ],
)
def test_a_sidecar_that_does_not_fit_is_refused(content, says, run):
    (run / "policy.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match=says) as error:
        make_agent(f"ppo:{run}")
    assert "\n" not in str(error.value)


def test_a_policy_file_holds_all_it_takes_to_play(tmp_path):
    rules = ruleset("oware", grand_slam="no_capture", houses=5)
    policy = PolicyNetwork(rules, "onehot", (12, 8), "tanh")
    policy.save(tmp_path / FILE_NAME)
    loaded = PolicyNetwork.load(tmp_path)
    assert (loaded.rules, loaded.encoder.name, loaded.layers, loaded.activation) == (rules, "onehot", (12, 8), "tanh")
    observations = np.random.default_rng(0).random((5, *policy.encoder.shape), dtype=np.float32)
    assert np.array_equal(loaded.logits(observations), policy.logits(observations))
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]
    best, drawing = make_agent(f"policy:path={tmp_path}"), make_agent(f"policy:path={tmp_path},sample=true")
    start = rules.start()
    for agent in (best, drawing):
        found = [(agent.reset(5), [agent.act(start) for _ in range(20)])[1] for _ in range(2)]
        assert found[0] == found[1]
        assert (len(set(found[0])) > 1) == (agent is drawing)
        assert set(found[0]) <= set(start.legal_actions)
    with pytest.raises(ValueError, match="over"):
        best.act(rules.position([0] * 10, (20, 20)))
    with pytest.raises(FileNotFoundError, match="no policy file"):
        PolicyNetwork.load(tmp_path / "nowhere")


def test_weights_of_half_the_size_play_nearly_the_same(finished, tmp_path):
    network = PolicyNetwork.load(finished)
    network.save(tmp_path / FILE_NAME, half=True)
    half = PolicyNetwork.load(tmp_path)
    assert (tmp_path / FILE_NAME).stat().st_size < 0.6 * (finished / FILE_NAME).stat().st_size
    assert {weights.dtype for weights in half.state_dict().values()} == {torch.float32}
    observations, _ = positions(network.rules)
    assert np.allclose(half.logits(observations), network.logits(observations), atol=1e-2)
    network.module.value.weight[0, 0] = 1e9
    with pytest.raises(ValueError, match="too large for float16"):
        network.save(tmp_path / FILE_NAME, half=True)
    network.module.value.weight[0, 0] = torch.nan
    network.save(tmp_path / FILE_NAME)
    with pytest.raises(ValueError, match="not finite"):
        PolicyNetwork.load(tmp_path)


def test_the_zip_goes_on_in_stable_baselines(finished):
    agent = PolicyAgent(finished)
    model = MaskablePPO.load(finished / ZIP, device="cpu")
    observations, masks = positions(agent.rules)
    actions, _ = model.predict(observations, deterministic=True, action_masks=masks)
    assert np.array_equal(actions, agent.act_batch(observations, masks))
    pool = OpponentPool(PolicyNetwork.load(finished))
    env = SelfPlayVecEnv(agent.rules, pool, 8, encoder="lookahead2")
    again = MaskablePPO.load(finished / ZIP, env=env, device="cpu")
    again.learn(64)
    assert again.num_timesteps == 64


def test_a_policy_with_an_action_head_plays_in_batches(finished):
    agent = PolicyAgent(finished)
    (result,) = evaluate(agent, ["random"], agent.rules, pairs=3, opening_plies=2)
    assert result.illegal == result.opponent_illegal == 0
    observations, masks = positions(agent.rules)
    alone = [int(agent.act_batch(observations[k : k + 1], masks[k : k + 1])[0]) for k in range(len(masks))]
    together = agent.act_batch(observations, masks)
    assert np.mean(together == alone) > 0.99  # sums of floats may differ in their last bits
    assert masks[np.arange(len(masks)), together].all()
    with pytest.raises(ValueError, match="was trained for kalah:seeds=3 and does not play kalah:seeds=3,empty"):
        evaluate(agent, ["random"], ruleset("kalah", seeds=3, empty_capture=True), pairs=2)


@pytest.mark.parametrize("spec", ["ppo:{}", "policy:{}", "policy:path={}", "ppo:path={}", "ppo:{},seed=3"])
def test_a_run_is_named_by_its_folder(spec, finished):
    agent = make_agent(spec.format(finished))
    assert agent.name == f"policy:path={finished}"
    assert make_agent(agent.name).name == agent.name
    assert make_agent(f"ppo:{finished / FILE_NAME},sample=true").sample


@pytest.fixture
def own_zoo(tmp_path, monkeypatch):
    """An empty zoo."""
    folder = tmp_path / "zoo"
    folder.mkdir()
    monkeypatch.setattr(zoo, "FOLDER", folder)
    return folder


def printed(capsys, *words):
    """What the command of the zoo says."""
    capsys.readouterr()
    zoo_command.main([*words])
    return capsys.readouterr().out


def check_card(said, rules):
    """A card says in full of which rules it is, how it was made, and how good it is."""
    assert (said["rules"]["sha256"], said["rules"]["id"]) == (rules_digest(rules), rules.id)
    assert said["made"]["command"].startswith(("mancala train ", "python -m training."))
    assert said["made"].keys() >= {"seed", "commit", "package", "versions"}
    assert said["training"].get("steps") or said["training"]["rounds"]
    assert said["training"]["seconds"] > 0
    for result in said["evaluation"]["results"]:
        assert 0 <= result["low"] <= result["score"] <= result["high"] <= 1
        assert result["illegal"] == 0
    assert said["evaluation"]["results"]


@pytest.mark.parametrize("name", zoo.names())
def test_an_agent_of_the_zoo_keeps_its_promises(name):
    """The contract: whoever is in the zoo loads, plays legally, is described in full, and is small."""
    agent, weights = make_agent(f"zoo:{name}"), zoo.find(name)
    state = agent.rules.start()
    while not state.is_over:
        state = state.play(agent.act(state))
    assert weights.stat().st_size <= zoo_command.MOST_BYTES
    said = card.read(weights)
    check_card(said, agent.rules)
    assert said["encoder"]["name"] == agent.encoder.name
    assert said["encoder"]["plies_ahead"] == agent.encoder.lookahead
    assert said["network"]["parameters"] == agent.network.described()["network"]["parameters"]
    assert said["network"]["action_head"] == agent.network.action_head
    config = said["training"]["config"]
    assert ruleset(config["rules"], **config.get("changes", {})) == agent.rules


def test_a_finished_run_moves_into_the_zoo(run, own_zoo, capsys):
    assert printed(capsys, "add", str(run), "--name", "small-kalah").split()[0] == "zoo:small-kalah"
    test_an_agent_of_the_zoo_keeps_its_promises("small-kalah")
    agent = make_agent("zoo:small-kalah")
    assert agent.name == "zoo:small-kalah"
    assert make_agent("zoo:small-kalah,sample=true").name == "zoo:small-kalah,sample=true"
    assert sorted(path.name for path in (own_zoo / "small-kalah").iterdir()) == ["policy.json", FILE_NAME]
    assert [path.name for path in own_zoo.iterdir()] == ["small-kalah"]
    assert PolicyNetwork.load("zoo:small-kalah").rules == agent.rules
    make_agent("mcts:simulations=8,network=zoo:small-kalah").act(agent.rules.start())
    assert str(run.parent) not in (own_zoo / "small-kalah" / "policy.json").read_text()
    observations, masks = positions(agent.rules)
    assert np.array_equal(PolicyAgent(run).act_batch(observations, masks), agent.act_batch(observations, masks))
    shown = printed(capsys, "list")
    assert all(word in shown for word in ("small-kalah", "mancala/kalah-v0", "lookahead2", "random"))
    with pytest.raises(ValueError, match="did you mean 'small-kalah'"):
        make_agent("zoo:smal-kalah")
    with pytest.raises(ValueError, match="`mancala train zoo list` lists what it holds"):
        make_agent("zoo:../small-kalah")


def test_the_list_of_the_zoo_is_80_letters_wide_and_cuts_no_name(capsys):
    shown = printed(capsys, "list")
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown
    assert re.search(r"playing as minimax:time=0.02: \d+\.\d against minimax:time=0.02\n", shown)
    words = {*re.split(r"[\s,]+", shown)}
    for result in card_page.results(card.read(zoo.find("kalah-onehot"))):
        assert f"{result.opponent} {100 * result.score:.1f}" in " ".join(shown.split())
    assert {*zoo.names(), *(card.read(zoo.find(name))["rules"]["id"] for name in zoo.names())} <= words


def test_the_zoo_refuses_what_does_not_belong_there(run, own_zoo, capsys, monkeypatch):
    def refusal(name="kalah", *options):
        return refused(zoo_command.main, ["add", str(run), "--name", name, *options], capsys)

    assert "no name for an agent" in refusal("../kalah")
    with monkeypatch.context() as patch:
        patch.setattr(zoo_command, "MOST_BYTES", 1000)
        assert "--float16" in refusal()
        assert "fewer layers" in refusal("kalah", "--float16")
        patch.setattr(zoo_command, "LEAST_AGREEMENT", 1.1)
        assert "leave --float16 out" in refusal("kalah", "--float16")
    assert not list(own_zoo.iterdir())
    zoo_command.main(["add", str(run), "--name", "kalah"])
    assert "--overwrite" in refusal()
    zoo_command.main(["add", str(run), "--name", "kalah", "--overwrite", "--float16"])
    assert card.read(zoo.find("kalah"))["float16"]["same_action"] >= zoo_command.LEAST_AGREEMENT
    assert zoo.find("kalah").stat().st_size < 0.6 * (run / FILE_NAME).stat().st_size
    (run / "evaluation.json").write_text("{")
    assert "has no evaluation" in refusal("second")
    (run / "provenance.json").unlink()
    assert "has not finished" in refusal("second")
    shutil.rmtree(run)
    assert "there is no policy file" in refusal("second")
    assert zoo.names() == ["kalah"]


@pytest.mark.integration
def test_a_run_that_diverges_stops_and_keeps_its_last_checkpoint(tmp_path, monkeypatch):
    config = replace(WITH_HEAD, out=str(tmp_path / "run"), save_every=2, steps=640)

    def update(self, original=MaskablePPO.train):
        original(self)
        if self._n_updates == 4 * config.epochs:
            with torch.no_grad():
                next(iter(self.policy.parameters()))[0] = torch.nan

    with monkeypatch.context() as patch:
        patch.setattr(MaskablePPO, "train", update)
        with pytest.raises(runs.Diverged, match="update 4 left weights that are not finite") as error:
            quiet(config)
    assert "learning_rate 0.002 is too high" in str(error.value)
    assert "still holds the run as it was after 128 steps" in str(error.value)
    kept = checkpoint.read(tmp_path / "run", pytest.fail)
    assert kept.steps == 128
    weights = [array for name, array in kept.arrays.items() if name.startswith("network.")]
    assert weights
    assert all(np.isfinite(array).all() for array in weights)
    PolicyNetwork.load(tmp_path / "run")  # finite, or it would be refused
    assert not (tmp_path / "run" / "policy.json").exists()
    quiet(config, resume=True)
    quiet(replace(config, out=str(tmp_path / "whole")))
    assert (tmp_path / "run" / FILE_NAME).read_bytes() == (tmp_path / "whole" / FILE_NAME).read_bytes()


def test_the_command_says_in_one_line_that_training_diverged(tmp_path, capsys):
    options = "--rules kalah --encoder counts --layers 8 --envs 8 --rollout-steps 8 --batch-size 32 --curve-every 0"
    with pytest.raises(SystemExit) as stop:
        ppo.main([*options.split(), "--value-weight=1e39", "--steps=640", f"--out={tmp_path}"])
    assert stop.value.code == 3
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "update 1" in error
    assert "there is no checkpoint from before" in error


@pytest.mark.parametrize("changes", [{"majority_stop": False}, {"seeds": 3}, {"pits_per_row": 5}], ids=str)
def test_an_agent_refuses_rules_that_it_was_not_trained_on(changes):
    played, agent = ruleset("oware", **changes), make_agent("zoo:oware")
    assert not plays("zoo:oware", played)
    assert not plays(agent, played)
    with pytest.raises(ValueError, match="was trained for oware and does not play oware:"):
        agent.act(played.start())
    with pytest.raises(ValueError, match="was trained for oware and does not play oware:"):
        PPOConfig(rules=played, opponents=("zoo:oware",))


def test_an_empty_zoo_is_told(own_zoo, capsys):
    assert "is empty" in printed(capsys, "list")
    with pytest.raises(ValueError, match="there is no agent 'oware' in the zoo; `mancala"):
        make_agent("zoo:oware")
