"""A network that leads the tree search, and training by it."""

import json

import numpy as np
import pytest
import torch
import yaml
from rich.console import Console

import mancala_env as mancala
from agents import MctsAgent, make_agent
from agents.policy import card
from agents.policy.evaluator import NetworkEvaluator
from agents.policy.network import PolicyNetwork
from mancala_env import State
from tests.games import CORE, random_game
from training.alphazero import (
    CONFIG,
    AlphaZeroConfig,
    SelfPlay,
    _Buffer,
    _check_settings,
    _settings,
    learn,
    main,
    reward,
    train,
)
from training.selfplay import FIRST_EARLIER, OpponentPool

SMALL = {"rules": "kalah:pits_per_row=3,seeds=2", "layers": (16,), "games": 6, "moves": 12}
QUICK = {"simulations": 12, "batch": 4, "batch_size": 16, "buffer": 500, "threads": 1, "pairs": 2}
QUIET = Console(quiet=True)


def config(**changes) -> AlphaZeroConfig:
    return AlphaZeroConfig(**{**SMALL, **QUICK, "opponents": ("random",), **changes})


def weights(folder) -> dict[str, torch.Tensor]:
    return PolicyNetwork.load(folder).state_dict()


@pytest.mark.parametrize("game", CORE)
def test_a_network_judges_positions_of_every_game(game):
    rules = mancala.ruleset(game)
    network = PolicyNetwork(rules, "counts", (8,))
    states = [state for state in random_game(rules, 0)[1] if not state.is_over][:6]
    rows = np.stack([state.array for state in states])
    masks = np.stack([state.legal_mask for state in states])
    priors, values = NetworkEvaluator(network)(rows, masks)
    assert priors.shape == masks.shape
    assert np.allclose(priors.sum(axis=1), 1, atol=1e-5)
    assert not priors[~masks].any()
    assert (np.abs(values) <= 1).all()
    agent = MctsAgent(8, evaluate=NetworkEvaluator(network))
    assert agent.act(states[0]) in states[0].legal_actions


def test_what_shaping_paid_for_the_lead_comes_back_into_the_value():
    rules = mancala.ruleset("kalah")
    plain, shaped = PolicyNetwork(rules, "counts", (8,)), PolicyNetwork(rules, "counts", (8,), shaping=0.5)
    shaped.load_state_dict(plain.state_dict())
    state = State.parse(rules, "kalah 1-1-1-1-1-1-1-1-1-1-1-1-6-30-N")
    asked = state.array[None], state.legal_mask[None]
    before, after = NetworkEvaluator(plain)(*asked)[1], NetworkEvaluator(shaped)(*asked)[1]
    assert after - before == pytest.approx(0.5 * 24 / 48, abs=1e-5)  # the mover, North, leads by 24


def test_a_search_may_be_led_by_a_policy_on_disk(tmp_path):
    rules = mancala.ruleset("kalah")
    PolicyNetwork(rules, "counts", (8,), shaping=1.0).save(tmp_path / "policy.safetensors")
    agent = make_agent(f"mcts:simulations=20,network={tmp_path}")
    assert agent.name == f"mcts:simulations=20,network={tmp_path}"
    assert agent.evaluate.network.shaping == 1.0
    assert agent.act(rules.start()) in rules.start().legal_actions
    with pytest.raises(ValueError, match="give only one"):
        MctsAgent(network=str(tmp_path), evaluate=agent.evaluate)
    with pytest.raises(FileNotFoundError, match="no policy file"):
        make_agent("mcts:network=nowhere")


def test_noise_reaches_the_position_searched_and_no_other():
    rules = mancala.ruleset("kalah")
    seen: list[int] = []

    def noise(priors, masks):
        seen.append(len(priors))
        return masks * np.arange(1, 7)

    agent = MctsAgent(60, evaluate=NetworkEvaluator(PolicyNetwork(rules, "counts", (8,))), exploration=50.0)
    found = agent.search_all([rules.start(), rules.start().play(0)], noise)
    assert seen == [2]
    assert found[0].visits[5] > 2 * found[0].visits[0]


def test_a_finished_game_is_worth_its_result_and_lead():
    end = next(state for seed in range(9) if (state := random_game(mancala.ruleset("kalah"), seed)[1][-1]).returns[0])
    lead = (end.scores[0] - end.scores[1]) / 48
    assert reward(end, 0, 0.0) == end.returns[0]
    assert reward(end, 0, 0.5) == pytest.approx(0.5 * end.returns[0] + 0.5 * lead)
    assert reward(end, 1, 1.0) == pytest.approx(-lead)


def test_self_play_tells_whole_games():
    settings = config(sampled_plies=0, noise=0.0)
    network = PolicyNetwork(settings.ruleset, "onehot", (8,))
    games = SelfPlay(settings, network, np.random.default_rng(0))
    buffer = _Buffer.empty(settings.ruleset, 500)

    class AtOnce:
        map = staticmethod(map)

    for _ in range(3):
        games.play(buffer, AtOnce())
    assert games.lengths
    assert len(buffer) > 50
    assert np.allclose(buffer.visits[: len(buffer)].sum(axis=1), 1, atol=1e-5)
    assert not buffer.visits[: len(buffer)][~buffer.masks[: len(buffer)]].any()
    assert (np.abs(buffer.values[: len(buffer)]) <= 1).all()


def test_what_is_told_is_learnt():
    settings = config(learning_rate=0.01)
    network = PolicyNetwork(settings.ruleset, "onehot", (32,))
    state = settings.ruleset.start()
    buffer = _Buffer.empty(settings.ruleset, 10)
    for _ in range(10):
        buffer.add(state.array, state.legal_mask, np.array([0.0, 1.0, 0.0]), -0.75)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    learn(network, optimizer, buffer, 150, settings, np.random.default_rng(0))
    priors, values = NetworkEvaluator(network)(state.array[None], state.legal_mask[None])
    assert priors[0, 1] > 0.9
    assert values[0] == pytest.approx(-0.75, abs=0.1)


def test_the_same_seed_trains_the_same_weights_and_a_run_goes_on(tmp_path):
    first, again = (config(rounds=3, out=str(tmp_path / name)) for name in ("first", "again"))
    for each in (first, again):
        train(each, console=QUIET)
    for name, kept in weights(tmp_path / "first").items():
        assert torch.equal(kept, weights(tmp_path / "again")[name])
    with pytest.raises(FileExistsError, match="holds a run already"):
        train(first, console=QUIET)
    with pytest.raises(ValueError, match=r"the run has simulations .*, not 9: resume it with that"):
        train(config(rounds=5, simulations=9, out=str(tmp_path / "first")), resume=True, console=QUIET)
    train(config(rounds=5, out=str(tmp_path / "first")), resume=True, console=QUIET)
    assert any(not torch.equal(kept, weights(tmp_path / "again")[name]) for name, kept in weights(first.folder).items())
    made = json.loads((tmp_path / "first" / "policy.json").read_text())["made"]
    assert [(each["at"], each["until"]) for each in made["resumed"]] == [(3, 5)]
    train(config(rounds=1, out=str(tmp_path / "third"), init_from=first.out), console=QUIET)
    begun = json.loads((tmp_path / "third" / "policy.json").read_text())["made"]["begun_with"]
    assert begun["resumed"] == made["resumed"]
    (tmp_path / "first" / "checkpoint.safetensors").write_bytes(b"{}")
    with pytest.raises(ValueError, match="damaged"):
        train(config(rounds=9, out=str(tmp_path / "first")), resume=True, console=QUIET)


def test_a_run_may_start_from_a_policy_of_the_same_game(tmp_path):
    rules = config().ruleset
    PolicyNetwork(rules, "counts", (8,)).save(tmp_path / "policy.safetensors")
    train(config(rounds=1, init_from=str(tmp_path), out=str(tmp_path / "run")), console=QUIET)
    assert PolicyNetwork.load(tmp_path / "run").encoder.name == "counts"
    PolicyNetwork("oware", "counts", (8,)).save(tmp_path / "policy.safetensors")
    with pytest.raises(ValueError, match="other rules"):
        train(config(rounds=1, init_from=str(tmp_path), out=str(tmp_path / "other")), console=QUIET)


def test_a_loss_that_is_no_number_stops_the_run():
    settings = config()
    network = PolicyNetwork(settings.ruleset, "onehot", (8,))
    state = settings.ruleset.start()
    buffer = _Buffer.empty(settings.ruleset, 4)
    buffer.add(state.array, state.legal_mask, np.array([0.0, 1.0, 0.0]), np.nan)
    with pytest.raises(FloatingPointError, match="learning_rate"):
        learn(network, torch.optim.Adam(network.parameters()), buffer, 1, settings, np.random.default_rng(0))


def test_settings_of_the_last_release_are_those_of_the_run(tmp_path):
    settings = config(out=str(tmp_path))
    old = {**_settings(settings), "rules": "kalah", "changes": {"pits_per_row": 3, "seeds": 2}}
    (tmp_path / CONFIG).write_text(yaml.safe_dump(old), encoding="utf-8")
    _check_settings(settings)
    former = {**old, "start": "x", "towers": 8}
    del former["init_from"], former["action_head"]
    (tmp_path / CONFIG).write_text(yaml.safe_dump(former), encoding="utf-8")
    _check_settings(config(out=str(tmp_path), init_from="x", action_head=8))
    with pytest.raises(ValueError, match="the run has init_from x, not "):
        _check_settings(settings)
    with pytest.raises(ValueError, match="the run has rules kalah:pits_per_row=3,seeds=2, not kalah"):
        _check_settings(config(out=str(tmp_path), rules="kalah"))


def test_the_command_trains_and_scores(tmp_path, capsys):
    folder = tmp_path / "run"
    command = ["--rules", "kalah:pits_per_row=3,seeds=2", "--layers", "16"]
    command += ["--games", "4", "--moves", "10", "--rounds", "2", "--simulations", "8", "--pairs", "2"]
    command += ["--opponents", "random", "--search_opponents", "random", "--search_simulations", "8"]
    main([*command, "--out", str(folder)])
    output = capsys.readouterr().out
    assert "mcts:simulations=8" in output
    assert {path.name for path in folder.iterdir()} == {
        "checkpoint.safetensors", "config.yaml", "evaluation.json", "policy.json", "policy.safetensors",
        "provenance.json",
    }  # fmt: skip
    said = card.read(folder / "policy.safetensors")
    assert len(said["evaluation"]["results"]) == 2
    assert said["made"]["command"].startswith("python -m training.alphazero --rules kalah:pits_per_row=3,seeds=2")
    with pytest.raises(SystemExit) as left:
        main(["--simulations", "1"])
    assert left.value.code == 2
    assert "simulations must be from 2" in capsys.readouterr().err


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
