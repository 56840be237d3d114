"""The command that scores: its table, its file, and what it answers to a wrong command line."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from agents.evaluation import evaluate
from agents.policy.network import PolicyNetwork
from agents.reference import REFERENCE
from mancala_env.games import ruleset
from tests.trainings import refused
from training.evaluate import EvaluateConfig, main, table


@pytest.fixture(scope="module")
def policy_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    PolicyNetwork("oware", "onehot", (16,)).save(folder / "policy.safetensors")
    return folder


def test_the_command_prints_a_table_and_writes_json(policy_folder, tmp_path, capsys):
    out = tmp_path / "scores.json"
    main([str(policy_folder), "--against", "random", "greedy", "--pairs", "2", "--opening-plies=3", "--json", str(out)])
    assert "greedy" in capsys.readouterr().out
    written = json.loads(out.read_text())
    assert [result["opponent"] for result in written["results"]] == ["random", "greedy"]
    assert written["ruleset"] == "mancala/oware-v0"
    assert (written["opening_plies"], written["balanced"]) == (3, None)
    first = written["results"][0]
    assert sum(first["terminations"].values()) == 4
    assert first.keys() >= {"draw_rate", "distinct_openings", "distinct_games", "illegal", "score_south"}
    assert written["versions"]["numpy"] == np.__version__
    main(f"random --rules kalah --against v1-random --pairs 3 --balanced 1 --balance-depth 4 --json {out}".split())
    written = json.loads(out.read_text())
    assert (written["balanced"], written["balance_depth"]) == (1.0, 4)


def test_reference_opponents_are_met_from_the_weakest_on(capsys):
    main(["random", "--rules=kalah:pits_per_row=2,seeds=2", "--opening-plies=2", "--reference", "--pairs=1"])
    shown, told = capsys.readouterr()
    assert all(line.startswith("games:") for line in told.splitlines())  # how far it is, where that takes long
    places = [shown.index(name) for name in REFERENCE]
    assert places == sorted(places)
    assert shown.count("\n") < 15
    assert "v1-search" not in shown  # it has no evaluation of this board
    assert EvaluateConfig("random", reference=True).opponents(ruleset("oware")) == (*REFERENCE, "v1-search")


def test_the_table_fits_120_columns_and_says_what_is_unusual():
    (good,) = evaluate("random", ["minimax:depth=2"], "oware", pairs=3, opening_plies=0)
    bad = replace(good, opponent="mcts:simulations=800,exploration=0.7", illegal=2)
    console = Console(file=io.StringIO(), width=120)
    console.print(table([good, bad], "title"))
    shown = console.file.getvalue()
    assert "…" not in shown
    assert "only 1 different openings for 3 pairs" in shown
    assert "exploration=0.7, lost 2 games by an illegal action" in shown
    assert f"{good.wins}-{good.draws}-{good.losses}" in shown


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("minimax", "--rules"),
        ("minimax:depth=99 --rules oware", "depth"),
        ("random --rules owari", "did you mean"),
        ("random --rules oware --against grredy", "greedy"),
        ("random --rules oware --pairs 0", "pairs must be 1 or more"),
        ("random --rules oware --balanced -1", "balanced must be 0 or more"),
        ("random --rules oware --against v1-depth3", "did you mean 'v1-depth"),
        ("random --rules oware --json nowhere/scores.json", "nowhere"),
        ("nowhere/policy.safetensors", "there is no policy file"),
        ("POLICY --rules kalah --against random", "plays oware"),
    ],
)
def test_a_wrong_command_line_is_answered_in_one_line(arguments, says, policy_folder, capsys):
    assert says in refused(main, arguments.replace("POLICY", str(policy_folder)).split(), capsys)
