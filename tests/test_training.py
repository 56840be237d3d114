"""The learner's games: it sees every result, from both seats, and training with one seed happens the same way twice."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from agents import make_agent
from agents.policy.network import PolicyNetwork
from mancala_env.games import ruleset
from tests.trainings import TINY as SMALL
from tests.trainings import quiet
from training import ppo, run
from training.cli import parse
from training.ppo import PPOConfig, main
from training.selfplay import FIRST_EARLIER, FIRST_FIXED, LATEST, RANDOM, OpponentPool, SelfPlayVecEnv

GAMES = ["oware", "awari", "kalah"]
TINY = replace(SMALL, pairs=2)


FIXED = make_agent("minimax:depth=2")


def self_play(rules="oware", n=32, **options):
    shares = {"latest_share": 0.4, "random_share": 0.2, "fixed_share": 0.2, "fixed_opponents": [FIXED]}
    pool = OpponentPool(PolicyNetwork(rules, "counts", (16,)), **shares)
    pool.remember()
    return SelfPlayVecEnv(rules, pool, n, encoder="counts", **options)


class Shadow:
    """Plays along in States, one for each game of an env, whatever the learner and the opponents do."""

    def __init__(self, env):
        self.start = env.rules.start()
        self.states = [self.start] * env.num_envs
        self.ended = {}  # game -> the first finished state of this step
        self._play = env.core.batch.play
        env.core.batch.play = self.play
        self.env = env

    def play(self, actions, games=None):
        numbers = range(self.env.num_envs) if games is None else games.tolist()
        for game, action in zip(numbers, actions.tolist(), strict=True):
            core, state = self.env.core, self.states[game]
            if state.player != core.seats[game] and core.opponents[game] == FIRST_FIXED:
                assert action in FIXED.best_actions(state)  # as elsewhere
            state = state.play(action)
            if state.is_over:
                self.ended.setdefault(game, (state, int(self.env.core.seats[game])))
            self.states[game] = self.start if state.is_over else state
        return self._play(actions, games)


def random_actions(masks, random):
    return np.where(masks, random.random(masks.shape), -1.0).argmax(axis=1)


@pytest.mark.parametrize("rules", GAMES)
def test_what_the_learner_is_told_is_what_happened(rules):
    env, random = self_play(rules), np.random.default_rng(0)
    shadow = Shadow(env)
    observations = env.reset()
    cells, opponents, decisions = set(), set(), np.zeros(env.num_envs, dtype=int)
    expected = {(seat, result) for seat in (0, 1) for result in (-1.0, 0.0, 1.0)}
    for step in range(6000):  # until each result of each seat was seen: draws are rare, and weights differ by machine
        if step >= 300 and cells == expected:
            break
        masks = env.env_method("action_masks")
        for game, state in enumerate(shadow.states):
            assert state.player == env.core.seats[game]
            assert masks[game].tolist() == state.legal_mask.tolist()
        seats = np.array([state.player for state in shadow.states], dtype=np.int8)
        assert np.array_equal(observations, env.core.batch.encoder(np.stack([s.array for s in shadow.states]), seats))
        shadow.ended.clear()
        observations, rewards, done, infos = env.step(random_actions(masks, random))
        decisions += 1
        assert set(np.flatnonzero(done)) == set(shadow.ended)
        assert not rewards[~done].any()
        for game, (final, seat) in shadow.ended.items():
            info = infos[game]
            assert rewards[game] == info["episode"]["r"] == final.returns[seat]
            assert info["episode"]["l"] == decisions[game]
            assert info["seat"] == seat
            assert info["termination"] == final.termination
            last = env.core.batch.encoder(final.array[None], np.array([seat], dtype=np.int8))[0]
            assert np.array_equal(info["terminal_observation"], last)
            cells.add((seat, rewards[game]))
            opponents.add(info["opponent"])
            decisions[game] = 0
    assert cells == expected
    assert opponents == {LATEST, RANDOM, FIRST_EARLIER, FIRST_FIXED}


def test_a_game_over_before_the_learners_first_decision_counts_for_nothing():
    rules = ruleset("kalah", pits_per_row=1, seeds=1)  # South's only move ends it
    env = SelfPlayVecEnv(rules, OpponentPool(PolicyNetwork(rules, "counts", (8,))), 16, encoder="counts")
    env.reset()
    for _ in range(10):
        assert not env.core.seats.any()
        _, rewards, done, infos = env.step(np.zeros(16, dtype=np.int64))
        assert done.all()
        assert [info["episode"]["l"] for info in infos] == [1] * 16
        assert [info["seat"] for info in infos] == [0] * 16
        assert rewards.tolist() == [info["episode"]["r"] for info in infos]


def test_fixed_opponents_share_their_games_evenly():
    fixed = [make_agent("random"), make_agent("greedy"), make_agent("minimax:depth=2")]
    shares = {"latest_share": 0.2, "random_share": 0.1, "fixed_opponents": fixed, "fixed_share": 0.6}
    pool = OpponentPool(PolicyNetwork("oware", "counts", (8,)), **shares)
    for earlier in (0.0, 0.1):
        drawn = pool.draw(60_000, np.random.default_rng(0)).tolist()
        shares = {opponent: drawn.count(opponent) / 60_000 for opponent in set(drawn)}
        expected = dict.fromkeys((FIRST_FIXED, FIRST_FIXED - 1, FIRST_FIXED - 2), 0.2)
        expected |= {RANDOM: 0.1, LATEST: 0.3 - earlier} | ({FIRST_EARLIER: earlier} if earlier else {})
        assert shares == pytest.approx(expected, abs=0.01)
        pool.remember()


@pytest.mark.integration
def test_a_run_begins_with_the_policy_that_it_is_given(tmp_path):
    first = replace(TINY, out=str(tmp_path / "first"), pairs=0, curve_every=0)
    quiet(first)
    on = {"init_from": first.out, "rules": "kalah:empty_capture=true", "learning_rate": 0.0, "final_learning_rate": 0.0}
    second = replace(first, out=str(tmp_path / "second"), **on)
    quiet(second)
    begun = PolicyNetwork.load(first.out).state_dict()
    assert all(torch.equal(value, begun[name]) for name, value in PolicyNetwork.load(second.out).state_dict().items())
    made, page = (json.loads((tmp_path / name).read_text()) for name in ("second/provenance.json", "first/policy.json"))
    assert f"--init-from {first.out}" in made["command"]
    assert made["begun_with"] == {"sha256": page["sha256"], **page["made"]}
    assert json.loads((tmp_path / "second/policy.json").read_text())["made"]["begun_with"] == made["begun_with"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"rules": "oware"}, "plays kalah and sees counts; this run is of oware"),
        ({"rules": "kalah:pits_per_row=4"}, r"this run is of kalah:pits_per_row=4"),
        ({"encoder": "onehot"}, "sees onehot"),
        ({"layers": (8, 8)}, "other layers: add --layers 16"),
        ({"activation": "tanh"}, "other activation: add --activation relu"),
        ({"init_from": "nowhere"}, "there is no policy file nowhere"),
    ],
)
def test_a_policy_that_does_not_fit_begins_no_run(changes, says, tmp_path):
    PolicyNetwork("kalah", "counts", (16,)).save(tmp_path / "policy.safetensors")
    config = replace(TINY, **{"init_from": str(tmp_path), "out": str(tmp_path / "run"), **changes})
    with pytest.raises((ValueError, FileNotFoundError), match=says):
        quiet(config)
    assert not (tmp_path / "run").exists()


def test_an_earlier_self_does_not_change_when_the_learner_does():
    random = np.random.default_rng(0)
    pool = OpponentPool(PolicyNetwork("oware", "counts", (8,)), size=2)
    before = pool.latest.copy()
    pool.remember()
    pool.latest.load_state_dict(PolicyNetwork("oware", "counts", (8,)).state_dict())
    assert torch.equal(pool.earlier[0].module.trunk.layers[0].weight, before.module.trunk.layers[0].weight)
    assert not torch.equal(pool.latest.module.trunk.layers[0].weight, before.module.trunk.layers[0].weight)
    masks = np.eye(6, dtype=np.bool_)
    observations = np.zeros((6, 14), dtype=np.float32)
    chosen = pool.act(np.array([LATEST, RANDOM, FIRST_EARLIER] * 2), observations, masks, random)
    assert chosen.tolist() == [0, 1, 2, 3, 4, 5]


def test_the_env_answers_what_stable_baselines_asks():
    env = self_play(n=4)
    assert env.has_attr("action_masks")
    assert not env.has_attr("nothing")
    env.set_attr("note", 3.0)
    assert env.get_attr("note", [1, 2]) == [3.0, 3.0]
    env.reset()
    assert env.env_method("action_masks", indices=[1, 3]).shape == (2, 6)
    assert env.env_is_wrapped(object) == [False] * 4
    with pytest.raises(AttributeError, match="no method"):
        env.env_method("close_the_shop")


@pytest.mark.parametrize("name", ["config.yaml", "printed.yaml"])
def test_a_saved_config_is_read_back(name, tmp_path, capsys):
    saved = {"rules": "kalah:seeds=5", "out": str(tmp_path), "pairs": 0}
    with pytest.raises(SystemExit):
        main([f"--out={tmp_path}", "--pairs=0", "--rules=kalah:seeds=5", "--print_config"])
    (tmp_path / "printed.yaml").write_text(capsys.readouterr().out)
    run.begin(replace(TINY, **saved), {}, overwrite=True)
    read, _ = parse(main.parser(), PPOConfig, ["--config", str(tmp_path / name)])
    assert read == (replace(TINY, **saved) if name == "config.yaml" else PPOConfig(**saved))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"encoder": "smell"}, "unknown encoder"),
        ({"steps": 0}, "steps must be 1 or more"),
        ({"envs": 0}, "envs"),
        ({"batch_size": 100}, "must divide a rollout"),
        ({"layers": ()}, "layers"),
        ({"layers": (16, 0)}, "layers"),
        ({"activation": "gelatine"}, "relu"),
        ({"gamma": 1.5}, "gamma must be from 0 to 1"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"latest_share": 0.8, "random_share": 0.4}, "more than 1"),
        ({"latest_share": 0.8, "fixed_opponents": ("random",), "fixed_share": 0.4}, "more than 1"),
        ({"fixed_opponents": ("random",)}, "do not fit"),
        ({"fixed_share": 0.1}, "do not fit"),
        ({"fixed_opponents": ("minimax:time=1",), "fixed_share": 0.1}, "minimax:time=1.* cannot be a fixed opponent"),
        ({"fixed_opponents": ("zoo:oware",), "fixed_share": 0.1}, "does not play kalah: choose other"),
    ],
)
def test_a_config_refuses_what_cannot_be(changes, says):
    with pytest.raises(ValueError, match=says):
        replace(TINY, **changes)


def test_a_game_may_have_defaults_of_its_own(monkeypatch, tmp_path):
    seen, ended = [], SimpleNamespace(interrupted=False)
    monkeypatch.setattr(ppo.main, "train", lambda config, **_: seen.append(config) or ended)
    for words in (["kalah"], ["kalah", "--entropy", "0.5"], ["oware"]):
        ppo.main(["--out", str(tmp_path), "--rules", *words])
    assert seen[0].entropy == ppo.game_defaults("kalah")["entropy"] != PPOConfig().entropy
    assert seen[0].game_opening_plies == seen[1].game_opening_plies > 0
    assert seen[1].entropy == 0.5
    assert (seen[2].entropy, seen[2].game_opening_plies) == (PPOConfig().entropy, 0)
    for path in (Path(ppo.__file__).parent / "configs").glob("*.yaml"):
        PPOConfig(rules=path.stem, **ppo.game_defaults(path.stem))
