"""The worked examples of the rules come out as written, by kernels and reference; and their runner misses nothing."""

import json
from pathlib import Path

import pytest

from mancala_env import Ruleset
from tests import rule_examples
from tests.reference import Position

FILE = Path(__file__).parent / "data" / "core_examples.jsonl"
EXAMPLES = rule_examples.read(FILE.read_text(encoding="utf-8").splitlines())
KALAH = dict(EXAMPLES)["ka-07"]


@pytest.mark.parametrize("position", [Ruleset.position, Position], ids=["kernels", "reference"])
@pytest.mark.parametrize("example", [example for _, example in EXAMPLES], ids=[name for name, _ in EXAMPLES])
def test_every_worked_example_comes_out_as_written(example, position):
    assert rule_examples.play(example, position) == []


def test_all_examples_of_these_games_are_there():
    assert len(EXAMPLES) == len(dict(EXAMPLES)) == 93


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("pits", [0, 0, 0, 0, 0, 0, 2, 0, 3, 0, 1, 0]),
        ("stores", [21, 20]),
        ("to_move", 1),
        ("terminal", False),
        ("reason", "majority"),
        ("final", [27, 21]),
        ("winner", 0),
        ("legal", [6]),
    ],
)
def test_each_expectation_is_compared(key, wrong):
    (problem,) = rule_examples.play({**KALAH, "expect": {**KALAH["expect"], key: wrong}})
    assert problem.startswith(f"{key} is ")
    assert problem.endswith(f"expected {wrong}")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"kind": "dream"}, "unknown kind 'dream'"),
        ({"options": {"sedes": 6}}, "there is no option 'sedes'; did you mean 'seeds'?"),
        ({"options": [6]}, "'options' should be dict, not [6]"),
        ({"action": 4}, "cannot play 4; legal actions are (5,)"),
        ({"action": 7}, "pit 7 is not one of player 0's pits"),
        ({"action": "F"}, "'action' should be int, not 'F'"),
        ({"kind": "sequence"}, "the line has no 'actions'"),
        ({"state": {"stores": [0, 0]}}, "the state has no 'pits'"),
        ({"state": {**KALAH["state"], "pits": [4]}}, "pits must be 12 numbers"),
        ({"state": {**KALAH["state"], "colour": "red"}}, "no field 'colour'"),
        ({"expect": {**KALAH["expect"], "mood": "good"}}, "unknown expectation 'mood'"),
        ({"expect": {"laps": 1}}, "nothing is expected of it"),
    ],
)
def test_a_line_that_cannot_be_played_says_why(change, problem):
    assert problem in "; ".join(rule_examples.play({**KALAH, **change}))


def test_the_command_counts_and_names_what_failed(tmp_path, capsys):
    wrong = {**KALAH, "id": "ka-x", "expect": {"winner": 0}}
    file = tmp_path / "examples.jsonl"
    file.write_text("\n".join([json.dumps(KALAH), "", json.dumps(wrong), '{"id": "cut off', "[1, 2]", "{}"]))
    assert rule_examples.main([str(file)]) == 1
    output = capsys.readouterr().out
    assert "FAILED ka-x: winner is 1, expected 0" in output
    assert "FAILED line 4: not JSON: " in output
    assert "FAILED line 5: not an object in braces: [1, 2]" in output
    assert "FAILED line 6: the line has no 'kind'" in output
    assert output.endswith("1 of 5 passed\n")


def test_the_command_succeeds_only_if_all_passed(tmp_path, capsys):
    assert rule_examples.main([str(FILE)]) == 0
    assert capsys.readouterr().out == "93 of 93 passed\n"
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert rule_examples.main([str(empty)]) == 1


def test_a_missing_file_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        rule_examples.main([str(tmp_path / "nowhere.jsonl")])
    assert stop.value.code == 2
    assert "nowhere.jsonl" in capsys.readouterr().err
