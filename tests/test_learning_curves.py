"""Several seeds, one table: the same scores however the work is shared, and files that say how they were made."""

import io
import json
import sys
from dataclasses import fields

import pytest
from rich.console import Console

from agents.evaluation import bootstrap_interval, interquartile_mean
from training import learning_curves as module
from training.config import PPOConfig
from training.learning_curves import CurvesConfig, draw, learning_curves, main
from training.ppo import train
from training.run import Trained

TINY = {
    "layers": (8,), "encoder": "counts", "envs": 4, "rollout_steps": 8, "batch_size": 16, "epochs": 1, "steps": 96,
    "rules": "kalah:pits_per_row=2,seeds=2", "curve_every": 2, "curve_pairs": 3, "curve_opponents": ("v1-random",),
}  # fmt: skip


@pytest.fixture(scope="module")
def curves(tmp_path_factory):
    """A folder, what was printed, and the curves."""
    folder, shown = tmp_path_factory.mktemp("curves"), io.StringIO()
    config = CurvesConfig(**TINY, out=str(folder), seed=3, jobs=1)
    return folder, shown, learning_curves(config, Console(file=shown, width=120))


def test_every_seed_is_scored_at_the_same_steps_from_the_first_to_the_last(curves):
    _, _, found = curves
    assert list(found) == ["v1-random"]
    assert list(found["v1-random"]) == [0, 64, 96]
    assert all(len(scores) == 5 for scores in found["v1-random"].values())
    assert len(set(found["v1-random"][96])) > 1


def test_the_table_has_the_mean_its_interval_and_every_seed(curves):
    _, shown, found = curves
    scores = found["v1-random"][64]
    low, high = bootstrap_interval(scores)
    (line,) = [line for line in shown.getvalue().splitlines() if line.split()[:1] == ["64"]]
    percent = [f"{100 * number:.1f}" for number in (interquartile_mean(scores), low, high, *scores)]
    assert line.split() == ["64", percent[0], f"{percent[1]}-{percent[2]}", *percent[3:]]
    assert "seed 7" in shown.getvalue()


def test_the_file_says_what_was_found_and_how(curves):
    folder, _, found = curves
    written = json.loads((folder / "learning_curves.json").read_text())
    assert written["seeds"] == [3, 4, 5, 6, 7]
    assert written["config"]["steps"] == 96
    assert written["resamples"] == 10_000
    points = written["curves"]["v1-random"]
    assert {point["steps"]: point["scores"] for point in points} == found["v1-random"]
    assert all(point["low"] <= point["interquartile_mean"] <= point["high"] for point in points)


def test_a_seed_is_a_run_like_any_other(curves, tmp_path):
    folder, _, found = curves
    done = train(
        PPOConfig(**{**TINY, "out": str(tmp_path), "seed": 4, "pairs": 0}),
        console=Console(quiet=True),
    )
    assert [point.steps for point in done.curve] == [0, 64]
    assert [point.result.score for point in done.curve] == [found["v1-random"][steps][1] for steps in (0, 64)]
    same = [path.joinpath("policy.safetensors").read_bytes() for path in (folder / "seed-4", tmp_path)]
    assert same[0] == same[1]


def test_the_work_can_be_shared_among_processes(curves, tmp_path):
    _, _, found = curves
    config = CurvesConfig(**TINY, out=str(tmp_path), seed=3, jobs=2)
    assert learning_curves(config, Console(quiet=True)) == found


def test_without_matplotlib_there_is_no_picture(curves, monkeypatch):
    folder, _, found = curves
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert not draw(CurvesConfig(**TINY, out=str(folder)), found)


def test_with_matplotlib_there_is_one(curves):
    pytest.importorskip("matplotlib")
    folder, _, found = curves
    assert draw(CurvesConfig(**TINY, out=str(folder), seed=3), found)
    assert (folder / "learning_curves.png").read_bytes().startswith(b"\x89PNG")


def test_every_setting_of_training_is_one_of_the_command(monkeypatch):
    asked = []
    monkeypatch.setattr(module, "learning_curves", asked.append)
    given = ["--entropy=0.5", "--rules", "kalah:pits_per_row=4,seeds=2", "--layers", "8", "9"]
    main([*given, "--curve-opponents", "v1-depth1", "greedy"])
    main([])
    changed, usual = asked
    assert {each.name for each in fields(PPOConfig)} <= {each.name for each in fields(changed)}
    assert (changed.entropy, changed.layers, changed.curve_opponents) == (0.5, (8, 9), ("v1-depth1", "greedy"))
    assert changed.rules == "kalah:pits_per_row=4,seeds=2"
    assert usual.rules == "kalah:pits_per_row=4,seeds=3"
    assert CurvesConfig(changes={"seeds": 2}).rules == changed.rules  # as the last release wrote it
    assert CurvesConfig(changes={}).rules == "kalah"
    assert [run.seed for run in usual.runs] == [0, 1, 2, 3, 4]
    assert {type(run) for run in usual.runs} == {PPOConfig}
    assert usual.steps % (usual.rollout * usual.curve_every) == 0  # the last point lies where the next would


def test_a_folder_is_not_overwritten_unasked(curves, capsys):
    folder, _, _ = curves
    small = [f"--{name}={value}" for name, value in TINY.items() if isinstance(value, int | str)]
    small += ["--layers", "8", "--curve_opponents", "v1-random"]
    small += ["--out", str(folder), "--seed=3", "--jobs=1"]
    with pytest.raises(SystemExit) as stop:
        main(small)
    assert stop.value.code == 2
    assert "holds runs already" in capsys.readouterr().err
    before = (folder / "learning_curves.json").read_text()
    main([*small, "--overwrite"])
    assert json.loads((folder / "learning_curves.json").read_text())["curves"] == json.loads(before)["curves"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("--seeds 4", "seeds must be 5 or more"),
        ("--jobs -1", "jobs must be 0 or more"),
        ("--curve-every 0", "curve_every must be 1 or more"),
        ("--curve-opponents v1-deep", "did you mean"),
        ("--envs 0", "envs must be 1 or more"),
    ],
)
def test_a_wrong_command_line_is_answered_in_one_line(arguments, says, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments.split())
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error


def test_a_run_that_is_stopped_stops_all(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(module, "train", lambda run, console: Trained(run.steps - 1, [], []))
    with pytest.raises(SystemExit) as stop:
        main(["--jobs", "1", "--out", str(tmp_path)])
    assert stop.value.code == 130
    assert "stopped" in capsys.readouterr().err
