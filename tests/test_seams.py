"""What a training run takes of one's own: rules, a network, opponents, a reward, callbacks, a logger, a device."""

import json
import shlex
from dataclasses import replace

import numpy as np
import pytest
import torch
import yaml
from rich.console import Console
from safetensors.torch import save_file
from stable_baselines3.common.logger import KVWriter, Logger
from torch import nn

import mancala_env as mancala
from agents import MctsAgent, make_agent
from agents.policy.agent import PolicyAgent
from agents.policy.evaluator import NetworkEvaluator
from agents.policy.network import PolicyNetwork, _header_digest
from agents.zoo import FILE_NAME
from mancala_env import Ruleset, When, two_rows
from mancala_env.observation import make_encoder
from mancala_env.random_rules import random_ruleset
from mancala_env.rules.plain import as_plain, from_plain
from mancala_env.state import IllegalAction
from tests.trainings import AtLength
from training import alphazero, evaluate, ppo
from training import report as reports
from training.alphazero import AlphaZeroConfig
from training.callbacks import Callback, JsonlLog
from training.checkpoint import CheckpointError
from training.cli import parse
from training.command import what_next
from training.ppo import PPOConfig
from training.run import CONFIG, choose_device

pytestmark = pytest.mark.integration

QUIET = Console(quiet=True)
TIDE = Ruleset(
    name="tide",
    board=two_rows(3),
    seeds=2,
    store="own",
    landing=(When(store="own").again(), When(side="opponent", count={2, 4}).capture("here")),
    end_check="any_side",
    end_reason="side_empty",
)
SMALL = {"encoder": "counts", "layers": (8,), "pairs": 1, "opponents": ("random",), "curve_every": 0}
TRAINERS = {
    "ppo": (ppo.train, PPOConfig(**SMALL, steps=128, envs=8, rollout_steps=8, batch_size=32, pool_every=1)),
    "alphazero": (
        alphazero.train,
        AlphaZeroConfig(
            **SMALL, rounds=2, games=4, moves=40, simulations=6, fast_simulations=2, full_share=1.0, processes=1,
            batch_size=8, buffer=200,
        ),
    ),
}  # fmt: skip

MAINS = {"ppo": ppo.main, "alphazero": alphazero.main}


class Ring(nn.Module):
    """A network of one's own, with a buffer and a layer that behaves otherwise in training."""

    def __init__(self, encoder, actions, width=8):
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(int(np.prod(encoder.shape)), width), nn.BatchNorm1d(width))
        self.heads = nn.Linear(width, actions + 1)

    def forward(self, observations):
        found = self.heads(self.body(observations).relu())
        return found[:, :-1], found[:, -1]


class Wrong(nn.Module):
    """Returns the values in a column."""

    def __init__(self, encoder, actions):
        super().__init__()
        self.layer = nn.Linear(encoder.shape[0], actions)

    def forward(self, observations):
        return self.layer(observations), self.layer(observations)[:, :1]


class Leftmost:
    """An opponent of one's own: nothing but ``act``."""

    def __init__(self):
        self.asked = 0

    def act(self, state):
        self.asked += 1
        assert state.rules == TIDE
        return state.legal_actions[0]


@pytest.fixture(params=TRAINERS)
def trainer(request, tmp_path):
    """``train`` with a config, for each trainer."""
    train, config = TRAINERS[request.param]

    def run(changes=None, **given):
        own = replace(config, **{"out": str(tmp_path / "run"), **(changes or {})})
        return train(own, console=QUIET, **given)

    run.name, run.longer = request.param, {"steps": 192} if request.param == "ppo" else {"rounds": 3}
    return run


def test_a_ruleset_without_a_name_travels_with_the_run(trainer, tmp_path):
    done = trainer(rules=TIDE)
    assert "tide" not in mancala.RULESETS
    assert done.network.rules == TIDE
    assert done.folder == tmp_path / "run"
    agent = make_agent(f"policy:path={tmp_path / 'run'}")
    assert agent.rules == TIDE
    assert agent.act(TIDE.start()) in TIDE.start().legal_actions
    with pytest.raises(CheckpointError, match="finished"):
        trainer(rules=TIDE, resume=True)
    assert trainer(trainer.longer, rules=TIDE, resume=True).steps > done.steps


def test_rulesets_as_data_come_back_equal():
    for rules in (*mancala.RULESETS.values(), *(random_ruleset(seed) for seed in range(15))):
        again = from_plain(json.loads(json.dumps(as_plain(rules))))
        assert again == rules
    for wrong, says in (
        ({"name": "x", "colour": 1}, "no field 'colour'"),
        ({**as_plain(TIDE), "landing": 3}, "landing takes clauses"),
        ({**as_plain(TIDE), "board": {"kind": "round", "columns": 3}}, "board must be a Board"),
        ({**as_plain(TIDE), "board": {"kind": "two_rows", "columns": 3, "colour": 3}}, "board must be a Board"),
        ({**as_plain(TIDE), "store": "none"}, "store"),
        ([], "a mapping of its fields"),
    ):
        with pytest.raises(ValueError, match=says):
            from_plain(wrong)


def test_a_network_of_ones_own_is_trained_and_loaded_only_when_asked_for(trainer, tmp_path):
    done = trainer(network=Ring)
    assert isinstance(done.network.module, Ring)
    folder = tmp_path / "run"
    with pytest.raises(ValueError, match=r"test_seams:Ring, which is no part of mancala_env.* ask for it"):
        PolicyNetwork.load(folder)
    with pytest.raises(ValueError, match=r"test_seams:Ring', and .*test_seams:Wrong was asked for"):
        PolicyNetwork.load(folder, Wrong)
    again = PolicyNetwork.load(folder, Ring)
    assert again.digest == done.network.digest
    agent = make_agent(f"policy:path={folder},network={again.network}")
    assert agent.network.digest == again.digest
    assert agent.name == f"policy:path={folder},network={again.network}"
    state = again.rules.start()
    assert PolicyAgent(folder, network=Ring).act(state) == PolicyAgent.of(done.network, "it").act(state)
    assert MctsAgent(8, evaluate=NetworkEvaluator(again)).act(state) in state.legal_actions
    with pytest.raises(CheckpointError, match=r"begun with network '.*Ring', not 'mlp'"):
        trainer(trainer.longer, resume=True)
    assert trainer(trainer.longer, network=Ring, resume=True).steps > done.steps


def test_commands_take_a_run_with_a_network_of_ones_own(tmp_path, capsys):
    PolicyNetwork("kalah:pits_per_row=2,seeds=2", "counts", network=Ring).save(tmp_path / "policy.safetensors")
    run, name = str(tmp_path), f"{__name__}:Ring"
    with pytest.raises(SystemExit):
        evaluate.main([run, "--pairs", "1"])
    assert f" --network {name}" in capsys.readouterr().err
    evaluate.main([run, "--pairs", "1", "--against", "random", "--network", name])
    assert f"network={name}" in capsys.readouterr().out
    reports.main([run, "--pairs", "0", "--games", "1", "--depth", "1", "--network", name])
    assert (tmp_path / "report.html").is_file()
    with pytest.raises(SystemExit):
        evaluate.main(["greedy", "--rules", "kalah", "--network", name])
    assert f"say policy:path=FOLDER,network={name}" in capsys.readouterr().err
    mine = PPOConfig("kalah", network=name, out=run)
    play, report = what_next(mine)
    assert f"ppo:{run},network={name}" in shlex.split(play)
    assert shlex.split(report)[-3:] == [run, "--network", name]


def test_a_network_of_a_script_is_to_be_moved_into_a_module(tmp_path):
    class Here(Ring):
        pass

    Here.__module__, Here.__qualname__ = "__main__", "Here"
    PolicyNetwork("kalah", "counts", network=Here).save(tmp_path / "policy.safetensors")
    with pytest.raises(ValueError, match=r"move it into a module, say my_module.py, .* --network my_module:Here$"):
        PolicyNetwork.load(tmp_path)


def test_what_a_file_names_is_not_imported(tmp_path, monkeypatch):
    (tmp_path / "trap.py").write_text("raise SystemExit('sprung')")
    monkeypatch.syspath_prepend(tmp_path)
    network = PolicyNetwork("kalah", "counts", network=Ring)
    header = network.header() | {"network": "trap:Trap"}
    header["header_sha256"] = _header_digest(header)
    save_file(network.weights(), tmp_path / FILE_NAME, {"mancala_policy": json.dumps(header)})
    with pytest.raises(ValueError, match="trap:Trap, which is no part of mancala_env"):
        PolicyNetwork.load(tmp_path)


def test_a_module_itself_may_be_given_and_a_run_goes_on_with_it(tmp_path):
    train, config = TRAINERS["ppo"]
    encoder = PolicyNetwork("oware", "counts", (8,)).encoder
    module = Ring(encoder, 6, width=5)
    with torch.no_grad():
        module.heads.weight.fill_(0.25)
    whole, parts = (replace(config, out=str(tmp_path / name), save_every=1) for name in ("whole", "parts"))
    train(whole, network=module, console=QUIET)
    train(parts, network=module, callbacks=[AtLength(64)], console=QUIET)
    assert float(module.heads.weight.detach().min()) == 0.25  # it is copied, and stays as it is
    train(parts, network=module, resume=True, console=QUIET)
    assert PolicyNetwork.load(parts.out, module).digest == PolicyNetwork.load(whole.out, module).digest
    assert yaml.safe_load((tmp_path / "parts" / CONFIG).read_text())["network"].endswith("test_seams:Ring")


def test_a_module_that_returns_something_else_is_refused_in_a_sentence(trainer):
    with pytest.raises(ValueError, match=r"must return logits of shape \(2, 6\) and values of shape \(2,\)"):
        trainer(network=Wrong)
    with pytest.raises(ValueError, match="there is no network 'mlq'"):
        trainer(network="mlq")
    with pytest.raises(ValueError, match="nowhere:Ring cannot be imported"):
        trainer(network="nowhere:Ring")


def test_opponents_of_ones_own_are_met_and_scored_against(trainer):
    mine = Leftmost()
    done = trainer(rules=TIDE, opponents=[mine, lambda state: state.legal_actions[-1]])
    assert mine.asked > 10
    assert [result.opponent for result in done.results] == ["random", "Leftmost", "<lambda>"]
    with pytest.raises(CheckpointError, match="opponents"):
        trainer(trainer.longer, rules=TIDE, opponents=[mine], resume=True)
    with pytest.raises(ValueError, match="cannot play"):
        trainer(opponents=[3])
    with pytest.raises(ValueError, match=r"does not play the rules of the run \(tide\)"):
        trainer(rules=TIDE, opponents=[PolicyAgent.of(PolicyNetwork("oware", "counts", (8,)), "other")])


def test_a_reward_of_ones_own_or_the_margin(trainer, tmp_path):
    assert trainer(reward="margin").network.margin == 1.0
    assert PolicyNetwork.load(tmp_path / "run").margin == 1.0
    train, config = TRAINERS["ppo"]
    seen = []

    def reward(ended):
        seen.append(ended.margins)
        return np.where(ended.lengths > 5, ended.results, 0.0)

    config = replace(config, rules=TIDE, out=str(tmp_path / "run"))
    train(config, reward=reward, overwrite=True, console=QUIET)
    assert sum(map(len, seen)) > 3
    with pytest.raises(ValueError, match="reward must return"):
        train(config, reward=lambda ended: [0.0] * 99, overwrite=True, console=QUIET)
    with pytest.raises(ValueError, match="result and margin only"):
        alphazero.train(TRAINERS["alphazero"][1], reward=reward, console=QUIET)


class Dice:
    """An opponent with random numbers of its own."""

    name = "dice"

    def reset(self, seed):
        self.random = np.random.default_rng(seed)

    def act(self, state):
        return int(self.random.choice(state.legal_actions))


class Dropping(Ring):
    """Draws from torch's generator while it learns."""

    def forward(self, observations):
        logits, values = super().forward(nn.functional.dropout(observations, 0.3, self.training))
        return logits, values


def test_a_stopped_run_goes_on_to_the_same_weights_with_whatever_draws_at_random(trainer, tmp_path):
    given = {"opponents": [Dice()], "network": Dropping}
    longer = {key: 2 * value for key, value in trainer.longer.items()}
    whole = trainer({**longer, "out": str(tmp_path / "whole"), "save_every": 1}, **given)
    stopped = trainer({**longer, "save_every": 1}, callbacks=[AtLength(whole.steps // 2)], **given)
    assert stopped.steps < whole.steps
    again = trainer({**longer, "save_every": 1}, resume=True, **given)
    assert again.network.digest == whole.network.digest
    assert stopped.network.digest != whole.network.digest


def test_a_run_that_goes_on_notes_what_was_set_anew(trainer, tmp_path):
    trainer({"pairs": 0}, rules=TIDE)
    trainer({**trainer.longer, "pairs": 0, "save_every": 2}, rules=TIDE, resume=True)
    (once,) = json.loads((tmp_path / "run" / "provenance.json").read_text())["resumed"]
    assert once["changed"] == {**trainer.longer, "save_every": 2}


def test_what_a_settings_file_names_is_not_imported(tmp_path, capsys):
    for name, (train, config) in TRAINERS.items():
        folder = tmp_path / name
        train(replace(config, out=str(folder)), console=QUIET)
        saved = yaml.safe_load((folder / CONFIG).read_text())
        for changed, more, says in (
            ({"opponents": ["ppo:x,network=trap:Trap"]}, [], "never makes anything be imported"),
            ({"opponents": ["policy:network=trap:Trap,path=x"]}, [], "never makes anything be imported"),
            ({"network": "trap:Trap"}, [], "ask for it with --network trap:Trap"),
            ({"network": "trap:Trap"}, ["--network", "trap:Trapped"], "ask for it with --network trap:Trap"),
        ):
            (folder / CONFIG).write_text(yaml.safe_dump(saved | changed))
            with pytest.raises(SystemExit) as left:
                MAINS[name](["--out", str(folder), "--resume", *more])
            assert left.value.code == 2
            assert says in capsys.readouterr().err


def test_an_opponent_that_errs_is_named(trainer):
    for wrong, says in (
        (2.9, "returned 2.9, which is no action"),
        (99, "wrong played 99 in"),
        (None, "returned None"),
        (True, "returned True"),
    ):

        class Wrong:
            name = "wrong"

            def act(self, state, wrong=wrong):
                return wrong

        with pytest.raises(IllegalAction, match=says):
            trainer(opponents=[Wrong()], overwrite=True)

    class Late(Wrong):
        def act(self, state):
            raise TimeoutError("too late")

    with pytest.raises(TimeoutError, match="too late"):
        trainer(opponents=[Late()], overwrite=True)


def test_an_opponent_that_cannot_be_sent_plays_in_this_process(tmp_path, capsys):
    train, config = TRAINERS["alphazero"]
    console = Console(width=200)
    done = train(
        replace(config, processes=2, out=str(tmp_path)),
        opponents=[lambda state: state.legal_actions[0]],
        console=console,
    )
    assert done.steps == 2
    assert "cannot be sent to another process" in capsys.readouterr().out


def test_a_policy_with_a_reward_of_its_own_guides_no_search(tmp_path):
    train, config = TRAINERS["ppo"]
    train(replace(config, out=str(tmp_path)), reward=lambda ended: 100 * ended.results, console=QUIET)
    network = PolicyNetwork.load(tmp_path)
    assert "lambda" in network.reward
    with pytest.raises(ValueError, match="a search knows results and margins only"):
        NetworkEvaluator(network)


class Watch(Callback):
    def __init__(self):
        self.heard = []

    def on_start(self, run):
        self.heard.append("start")

    def on_numbers(self, run, numbers):
        assert run.steps > 0
        assert run.seconds > 0
        assert all(isinstance(value, float) for value in numbers.values())
        assert isinstance(run.network, PolicyNetwork)
        self.heard.append({*numbers})

    def on_end(self, run):
        assert (run.folder / "policy.safetensors").exists()
        self.heard.append("end")


class Kept(KVWriter):
    def __init__(self):
        self.steps = []

    def write(self, key_values, key_excluded, step=0):
        self.steps.append(step)

    def close(self):
        pass


def test_callbacks_and_a_logger_hear_of_the_run(trainer, tmp_path):
    watch, kept = Watch(), Kept()
    trainer(callbacks=[watch, JsonlLog()], logger=Logger(str(tmp_path), [kept]))
    assert watch.heard[0] == "start"
    assert watch.heard[-1] == "end"
    assert len(watch.heard) == len(kept.steps) + 2 >= 4
    assert any("train/value_loss" in each for each in watch.heard[1:-1])
    lines = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    assert [line.get("steps", line.get("rounds")) for line in lines] == kept.steps
    assert not (tmp_path / "run" / "tensorboard").exists()


def test_a_log_of_a_run_that_goes_on_has_each_step_once(tmp_path):
    train, config = TRAINERS["alphazero"]
    config = replace(config, out=str(tmp_path / "run"))
    train(config, callbacks=[JsonlLog()], console=QUIET)
    with (tmp_path / "run" / "log.jsonl").open("a") as log:
        log.write('{"rounds": 3}\n{"rou')  # of a process that was killed after its checkpoint
    train(replace(config, rounds=4), callbacks=[JsonlLog()], resume=True, console=QUIET)
    lines = [json.loads(line)["rounds"] for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    assert lines == [1, 2, 3, 4]


@pytest.mark.skipif(choose_device("auto").type == "cpu", reason="needs a GPU")
def test_a_run_on_a_gpu_is_saved_and_goes_on(trainer, tmp_path):
    trainer(device="auto")
    assert PolicyNetwork.load(tmp_path / "run").device == torch.device("cpu")


def half(ended):
    """A reward of one's own."""
    return ended.results / 2


def test_the_command_of_a_run_repeats_it_or_says_what_it_was_given(trainer, tmp_path):
    def made(**given):
        trainer({"pairs": 0}, overwrite=True, **given)
        return json.loads((tmp_path / "run" / "policy.json").read_text())["made"]["command"]

    inside = type("Inside", (Ring,), {"__qualname__": "made.<locals>.Inside"})
    here = type("Here", (Ring,), {"__module__": "__main__"})
    whole = Ring(make_encoder("counts", TIDE), TIDE.num_actions)
    objects = "made in Python with objects: "
    assert made(rules=TIDE, opponents=[Dice()]) == objects + "opponents=dice"
    assert made(rules=TIDE, network=inside) == objects + f"network={__name__}:made.<locals>.Inside"
    assert made(rules=TIDE, network=here, opponents=[Dice()]) == objects + "network=__main__:Here; opponents=dice"
    assert made(rules=TIDE, network=whole) == objects + f"network={__name__}:Ring"
    if trainer.name == "ppo":
        assert made(rules=TIDE, reward=half) == objects + "reward=half"
    said = made(rules=TIDE, network=Ring)  # its class can be imported, and rules without a name can be written
    train, config = TRAINERS[trainer.name]
    words, main = shlex.split(said), MAINS[trainer.name]
    assert words[:3] == main.name.split()
    read, _ = parse(main.parser(), type(config), words[3:])
    assert read.ruleset == TIDE
    assert read.network == f"{__name__}:Ring"
    digest = PolicyNetwork.load(tmp_path / "run", Ring).digest
    assert train(read, overwrite=True, device="cpu", console=QUIET).network.digest == digest
