"""Games without a name in commands: the ruleset of a run, or one in a file, wherever ``--rules`` stands."""

import io
import json
import sys
from pathlib import Path

import pytest
import yaml

import mancala_env as mancala
from agents.bots import check
from agents.evaluation.regret import command as regret
from agents.play import command as play
from agents.search import solve
from agents.tournament import command as tournament
from agents.tournament import export
from agents.tournament.store import Store
from mancala_env import random_play
from mancala_env.cli import rules_text
from mancala_env.rules.plain import as_plain, from_json, label, text_of
from tests.test_seams import TIDE
from training import evaluate, ppo
from training.ppo import PPOConfig
from training.run import CONFIG, settings_of


@pytest.fixture
def run(tmp_path):
    """The folder of a run, as far as its settings go."""
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / CONFIG).write_text(yaml.safe_dump(settings_of(PPOConfig(rules=TIDE, encoder="counts", out=str(folder)))))
    return str(folder)


def test_a_whole_ruleset_is_one_line_of_text():
    text = text_of(TIDE)
    assert "\n" not in text
    assert mancala.ruleset(text) == from_json(text) == TIDE
    assert mancala.ruleset(text, seeds=3) == TIDE.changes(seeds=3)
    assert (label(text), label("kalah:seeds=3")) == ("tide", "kalah:seeds=3")
    for wrong in ("{", '{"name": 3', "{}", '{"name":"x","colour":1}', "{" * 100_000, '{"a":' * 20_000):
        with pytest.raises(ValueError, match=r"ruleset|data"):
            mancala.ruleset(wrong)


def test_what_names_a_game_on_a_command_line(run, tmp_path, monkeypatch):
    plain = as_plain(TIDE)
    files = {
        "tide.json": json.dumps(plain),
        "tide.yaml": yaml.safe_dump(plain),
        "settings.yml": yaml.safe_dump({"steps": 3, "rules": plain}),
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
        assert mancala.ruleset(rules_text(str(tmp_path / name))) == TIDE
    assert mancala.ruleset(rules_text(run)) == TIDE
    for named in ("kalah", "awele", "kalah:seeds=3", "chess", text_of(TIDE)):
        assert rules_text(named) == named
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kalah").mkdir()
    assert rules_text("kalah") == "kalah"  # a folder takes no name away
    assert mancala.ruleset(rules_text("run")) == TIDE


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[1, 2]", "no mapping"),
        ("rules: [", "it is neither JSON nor YAML from line 1 on"),
        ("rules: chess", "unknown game 'chess'"),
        ("steps: 3", "no field 'steps'"),
        ("rules: !!python/object/apply:os.system [echo sprung]", "cannot be read"),
        ("a" * (2 << 20), "more than 1 MiB"),
    ],
)
def test_a_file_without_a_ruleset_is_refused_by_its_name(content, says, tmp_path, capsys):
    file = tmp_path / "game.yaml"
    file.write_text(content)
    assert play.main(["--rules", str(file)]) == 2
    said = capsys.readouterr()
    assert "sprung" not in said.out + said.err
    assert f"{file} holds no ruleset: " in said.err
    assert says in said.err
    assert said.err.count("\n") == 1


def test_places_that_hold_no_ruleset_are_named(tmp_path, capsys):
    for place, says in (
        (tmp_path, "no folder of a run: there is no config.yaml in it"),
        (tmp_path / "nowhere.json", "No such file"),
    ):
        assert play.main(["--rules", str(place)]) == 2
        with pytest.raises(SystemExit) as stop:
            ppo.main(["--rules", str(place)])
        assert stop.value.code == 2
        first, second = capsys.readouterr().err.splitlines()
        for line in (first, second):
            assert str(place) in line
            assert says in line


def test_a_person_plays_the_game_of_a_run(run, tmp_path, capsys, monkeypatch):
    saved = tmp_path / "saved.txt"
    state = TIDE.start()
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{state.name(state.legal_actions[-1])}\nsave {saved}\n"))
    assert play.main(["--rules", run, "--against", "random"]) == 0
    assert "tide: you are South" in capsys.readouterr().out
    assert play.main(["--load", str(saved), "--against", "random"]) == 0
    assert "tide: you are South" in capsys.readouterr().out
    assert play.main(["--load", str(saved), "--rules", run, "--against", "random"]) == 0
    assert play.main(["--load", str(saved), "--rules", "oware", "--against", "random"]) == 2


@pytest.mark.integration
def test_a_tournament_is_played_by_the_rules_of_a_run(run, tmp_path, capsys):
    base, page = tmp_path / "event.db", tmp_path / "event.html"
    options = ["--agents", "random", "greedy", "--rules", run, "kalah:pits_per_row=3,seeds=2", "--pairs", "2"]
    options += ["--processes", "0", "--quiet", "--out", str(base)]
    assert tournament.main([*options, "--no-report"]) == 0
    (Path(run) / CONFIG).unlink()  # the file of the event holds the whole ruleset
    with Store(base) as store:
        assert mancala.ruleset(store.event.rules[0]) == TIDE
        games = list(store.records())
    assert len(games) == 8
    assert {state.rules for game in games[:4] for state in game.states(mancala.ruleset(game.rules))} <= {
        TIDE, mancala.ruleset("kalah:pits_per_row=3,seeds=2")
    }  # fmt: skip
    out = capsys.readouterr().out
    assert "tide, kalah:pits_per_row=3,seeds=2: 2 players" in out
    assert "under tide" in out
    assert "{" not in out
    assert tournament.main([*options[:4], text_of(TIDE), *options[5:], "--report", str(page)]) == 0  # the same event
    assert '<th scope="row" class="">tide</th>' in page.read_text(encoding="utf-8")
    text = tmp_path / "games.txt"
    assert export.main([str(base), "--games", str(text)]) in (0, None)
    assert [game.actions for game in export.read_games(text.read_text())] == [game.actions for game in games]


def test_other_commands_take_the_rules_of_a_run(run, tmp_path, capsys):
    out = tmp_path / "other"
    words = ["--encoder", "counts", "--layers", "8", "--envs", "4", "--rollout_steps", "8", "--batch_size", "32"]
    words += ["--steps", "32", "--pairs", "0", "--curve_every", "0", "--out", str(out)]
    for main, asked, says in (
        (evaluate.main, ["minimax:depth=1", "--rules", run, "--against", "random", "--pairs", "1"], "tide, 1 pairs"),
        (solve.main, [run, "--endgames", "0", "--threads", "1", "--memory", "1"], "value"),
        (random_play.main, [run, "--games", "10"], "tide"),
        (regret.main, ["greedy", "--rules", run, "--positions", "3", "--games", "1"], "tide"),
        (ppo.main, ["--rules", run, *words], str(out)),
    ):
        assert main(asked) in (0, None)
        assert says in capsys.readouterr().out
    assert mancala.ruleset(rules_text(str(out))) == TIDE
    assert check.main(["python:nowhere.py:f", "--rules", str(tmp_path / "nowhere.yaml")]) == 2
