"""The network that reads rules, the agent that plays by it, and its trainer."""

import hashlib
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

import mancala_env as mancala
from agents import make_agent, plays, zoo
from agents.batched.players import LookaheadAgent
from agents.evaluation import evaluate
from agents.family import splits
from agents.policy.family import FILE_NAME, FamilyAgent, FamilyNetwork
from agents.reading import read_json
from mancala_env import family
from tests import trainings
from tests.trainings import points as points_of
from training.checkpoint import CheckpointError
from training.cli import read_yaml
from training.family import FamilyConfig, FamilyLearner, main, train

quiet = partial(trainings.quiet, train=train)
KINDS = (
    "oware", "kalah", "layli_goobalay_match", "hus", "diffusion", "reaping", "bao_kiswahili", "toguz",
    "sungka", "oware_territory", "songo",
)  # fmt: skip


def untrained(**settings):
    torch.manual_seed(0)
    return FamilyNetwork(width=16, layers=2, **settings).requires_grad_(False).eval()


@pytest.mark.parametrize("name", KINDS)
def test_one_network_plays_every_kind_of_game(name):
    agent, state = FamilyAgent(untrained()), mancala.RULESETS[name].start()
    for _ in range(30):
        if state.is_over:
            break
        state = state.play(agent.act(state))


def test_the_network_of_the_zoo_plays_what_it_never_played():
    card, file = read_json(zoo.FOLDER / zoo.FAMILY / "family.json"), zoo.FOLDER / zoo.FAMILY / FILE_NAME
    assert hashlib.sha256(file.read_bytes()).hexdigest() == card["sha256"]
    split = splits.load("full")
    assert card["played"] == [rules.name for rules in (*split.train, *split.generated_train)]
    agent, rules = make_agent("zoo:family"), splits.game("kpo")
    assert agent.name == "zoo:family"
    assert evaluate(agent, ["v1-random"], rules, pairs=10, seed=3)[0].score > 0.9


def test_it_plays_alike_in_batches_and_one_by_one():
    agent, rules = FamilyAgent(untrained()), mancala.ruleset("kalah")

    def single(state):
        return agent.act(state)

    batched, plain = (evaluate(player, ["v1-random"], rules, pairs=10, seed=3)[0] for player in (agent, single))
    assert batched.by_points == plain.by_points


def test_a_seat_sees_what_the_other_one_sees_in_the_mirrored_position():
    network, rules = untrained(), mancala.ruleset("oware")
    south = rules.position(pits=[4, 0, 3, 1, 0, 7, 2, 2, 0, 5, 1, 6], stores=(3, 14), player=0)
    north = rules.position(pits=[2, 2, 0, 5, 1, 6, 4, 0, 3, 1, 0, 7], stores=(14, 3), player=1)
    batch = family.FamilyBatch([rules], 1)
    seen = [
        batch.see(state.array[None], np.array([state.player], dtype=np.int8), np.zeros(1, dtype=np.int64))
        for state in (south, north)
    ]
    found = [network(network.tensors(each), network.read(batch.static)) for each in seen]
    torch.testing.assert_close(found[0], found[1])


@pytest.mark.parametrize("reads_rules", [True, False])
def test_only_a_blind_network_plays_two_rulesets_of_one_board_alike(reads_rules):
    network = untrained(reads_rules=reads_rules)
    for said in (network.field, network.word):  # which mean nothing before it has learnt
        torch.nn.init.normal_(said.weight)
    batch = family.FamilyBatch(["oware", mancala.ruleset("oware", grand_slam="no_capture")], 2)
    logits, values = network(network.tensors(batch.observe()), network.read(batch.static))
    assert torch.allclose(logits[0], logits[1], atol=1e-7) is not reads_rules
    assert torch.allclose(values[0], values[1], atol=1e-7) is not reads_rules


def test_a_file_holds_it_and_another_format_is_refused(tmp_path, monkeypatch):
    network = untrained()
    network.save(tmp_path / FILE_NAME)
    again = FamilyNetwork.load(tmp_path)
    assert all(torch.equal(mine, its) for mine, its in zip(network.parameters(), again.parameters(), strict=True))
    assert make_agent(f"family:{tmp_path}").name == f"family:path={tmp_path}"
    with pytest.raises(FileNotFoundError, match="there is no network"):
        FamilyNetwork.load(tmp_path / "nowhere")
    monkeypatch.setattr("agents.policy.family.DIGEST", "0" * 16)
    with pytest.raises(ValueError, match=r"reads rules as another version tells them; .* train anew"):
        FamilyNetwork.load(tmp_path)
    (tmp_path / FILE_NAME).write_bytes(b"nothing")
    with pytest.raises(ValueError, match="cannot be read as a network of the family"):
        FamilyNetwork.load(tmp_path)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"split": "tiny"}, "there is no split .tiny."),
        ({"sampling": "often"}, "even or regret"),
        ({"sampling": "regret", "teacher": 2}, "with a teacher sampling is even"),
        ({"envs": 4, "rollout_steps": 4}, "batch_size must divide a rollout"),
        ({"width": 2}, "width must be from 4 to 1024"),
    ],
)
def test_settings_that_are_impossible_are_refused(settings, why):
    with pytest.raises(ValueError, match=why):
        FamilyConfig(**settings)


def test_the_zoo_has_one_for_every_game_of_two_players():
    assert plays("zoo:family", "kalah")
    with pytest.raises(ValueError, match="has no setting 'time'"):
        make_agent("zoo:family,time=1")


def test_what_is_learnt_from():
    split = splits.load("easy")
    generated = FamilyConfig(generated=True).rulesets()
    assert generated == [*split.train, *split.generated_train]
    assert FamilyConfig(generated=True, most=12).rulesets() == generated[:12]


def searched(state, plies, seat):
    """What a position is worth to the seat in so many plies, in seeds of the stores, by the plainest search."""
    if not plies or state.is_over:
        return (state.scores if state.is_over else state.stores)[seat] - (
            state.scores if state.is_over else state.stores
        )[1 - seat]
    best = max if state.player == seat else min
    return best(searched(state.play(action), plies - 1, seat) for action in state.legal_actions)


@pytest.mark.parametrize("name", ["oware", "kalah", "bestemshe"])
def test_the_teacher_says_what_a_search_finds(name):
    batch = family.FamilyBatch([name], 8, seed=2)
    for _ in range(9):
        batch.play(batch.random_actions())
    worths = LookaheadAgent(3).worths(batch.rulesets[0], batch.positions(np.arange(8)), batch.players)
    for slot, line in enumerate(worths):
        state, seat = batch.state(slot), batch.players[slot]
        now = searched(state, 0, seat)
        for action in state.legal_actions:
            assert line[action] == np.clip(searched(state.play(action), 2, seat) - now, -11, 11)


def test_what_looks_ahead_takes_seeds_before_it_has_learnt():
    agent = FamilyAgent(untrained(), ahead=True)
    assert evaluate(agent, ["v1-random"], mancala.ruleset("kalah"), pairs=10, seed=3)[0].score > 0.8
    state = mancala.ruleset("kalah").position(pits=[0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0], stores=(36, 9), player=0)
    assert agent.act(state) == 4


@pytest.mark.integration
@pytest.mark.parametrize("teacher", [0, 2])
def test_training_learns_and_goes_on(tmp_path, monkeypatch, teacher):
    config = FamilyConfig(
        games=("kalah", "oware"), out=str(tmp_path), width=16, layers=1, envs=32, rollout_steps=32, batch_size=256,
        steps=6144, save_every=2, pool_every=2, sampling="even" if teacher else "regret", teacher=teacher,
    )  # fmt: skip
    with monkeypatch.context() as patch:  # it ends in the fourth round, and was saved after the second
        learn, left = FamilyLearner.round, [True] * 3
        patch.setattr(FamilyLearner, "round", lambda self, seconds: left.pop() and learn(self, seconds))
        with pytest.raises(IndexError):
            quiet(config)
    with pytest.raises(FileExistsError, match="holds a run already"):
        quiet(config)
    with pytest.raises(CheckpointError, match="begun with width 16, not 32"):
        quiet(replace(config, width=32), resume=True)
    with pytest.raises(CheckpointError, match=r"begun with games \['kalah', 'oware'\]"):
        quiet(replace(config, games=("kalah", "hus")), resume=True)
    main(["--resume", "--out", str(tmp_path)])
    (loss,) = [points for name, points in points_of(tmp_path).items() if name == "train/value_loss"]
    assert [steps for steps, _ in loss] == [1024 * k for k in range(1, 7)]
    kept = FamilyNetwork.load(tmp_path)
    assert quiet(replace(config, out=str(tmp_path / "whole"))).network.digest == kept.digest
    begun = quiet(replace(config, out=str(tmp_path / "more"), init_from=str(tmp_path), steps=1024, width=32))
    assert begun.network.width == 16
    assert read_yaml(tmp_path / "more" / "config.yaml")["width"] == 16
    with pytest.raises(ValueError, match="reads rules: leave out --blind"):
        quiet(replace(config, out=str(tmp_path / "twin"), init_from=str(tmp_path), blind=True))
