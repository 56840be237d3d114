"""A ruleset is written in one way, which ``ruleset`` reads, ``Ruleset.spec`` writes and every command takes."""

from dataclasses import replace

import pytest

import mancala_env as mancala
from mancala_env.cli import Parser
from mancala_env.games import ALIASES, RULESETS
from tests.games import CORE, resized
from tests.processes import ROOT, python

SPECS = (
    *CORE, "kalah:pits_per_row=4,seeds=3", "kalah:empty_capture=true", "oware:grand_slam=no_capture,repetition=0",
    "oware_series_wins:target=7,draw_points=0.5", "reaping:start=[0,2,1]", "diffusion:blocks=rows", "hus:start=null",
    "hus:pits_per_row=3,start=[2,2,2,2,2,2,2,2,2,2,2,2]", "layli_goobalay:max_laps=50",
)  # fmt: skip


@pytest.mark.parametrize("spec", SPECS)
def test_what_is_written_is_what_was_read(spec):
    rules = mancala.ruleset(spec)
    assert set(rules.spec().partition(":")[2]) == set(spec.partition(":")[2])
    assert mancala.ruleset(rules.spec()) == rules
    name, _, changes = spec.partition(":")
    assert (rules == RULESETS[name]) == (not changes)


@pytest.mark.parametrize("game", CORE)
@pytest.mark.parametrize("columns", [2, 4])
def test_boards_of_other_sizes_are_written(game, columns):
    rules = resized(mancala.ruleset(game), columns)
    assert ":" in rules.spec()
    assert mancala.ruleset(rules.spec()) == rules


def test_changes_by_name_win_over_those_of_the_text():
    small = mancala.ruleset("kalah", pits_per_row=4, seeds=2, empty_capture=True)
    assert mancala.ruleset("kalah:pits_per_row=4,seeds=3", seeds=2, empty_capture=True) == small
    assert mancala.ruleset("kalah:seeds=3", seeds=4) == RULESETS["kalah"]
    assert mancala.ruleset("songo:feeding=none").feeding_least == 1  # it means nothing then, and is not refused
    assert mancala.ruleset("oware:store=own").indeterminacy_max_seeds == 0
    assert mancala.ruleset("hus:seeds=3").setup == tuple(3 * (seeds > 0) for seeds in RULESETS["hus"].setup)
    for alias, name in ALIASES.items():
        assert mancala.ruleset(f"{alias}:max_plies=77") == mancala.ruleset(name, max_plies=77)


def test_games_of_ones_own_have_no_text():
    with pytest.raises(ValueError, match="'tide' is none of the"):
        replace(RULESETS["kalah"], name="tide").spec()
    with pytest.raises(ValueError, match="near it are kalah"):
        replace(RULESETS["kalah"], name="kalahs").spec()
    with pytest.raises(ValueError, match=r"landing changed to .* cannot be written"):
        replace(RULESETS["kalah"], landing=()).spec()


def test_commands_take_underscores_and_dashes_and_err_in_one_line(capsys):
    parser = Parser("python -m game")
    parser.add_argument("file", metavar="FILE", nargs="?")
    parser.add_argument("--opening-plies", type=int, default=4)
    parser.add_argument("--learning_rate", type=float, default=0.1)
    inner = parser.add_command("build", "builds")
    inner.add_argument("game", metavar="GAME")
    inner.add_argument("--max-seeds", type=int, required=True)
    for words in (["--opening-plies=2", "--learning-rate", "0.5"], ["--opening_plies", "2", "--learning_rate=0.5"]):
        asked = parser.parse_args([*words, "f", "build", "kalah", "--max_seeds", "3"])
        assert (asked.opening_plies, asked.learning_rate, asked.build.max_seeds) == (2, 0.5, 3)
    for words, says in (
        (["--opening_plies", "x", "f", "build", "kalah", "--max-seeds", "3"], "--opening-plies: must be int, not x"),
        (["f", "build"], "required: GAME, --max-seeds"),
        (["f", "build", "kalah", "--max-seeds", "3", "--horns", "3"], "unrecognized arguments: --horns 3\n"),
        (["f", "build", "kalah", "--max-sedes=3"], "did you mean --max-seeds?\n"),
        (["--lerning-rate=1", "f", "build", "kalah", "--max-seeds", "3"], "did you mean --learning_rate?\n"),
        (["--opening-plies", "9" * 5000, "f", "build", "kalah", "--max-seeds", "3"], "--opening-plies"),
    ):
        with pytest.raises(SystemExit) as stop:
            parser.parse_args(words)
        assert stop.value.code == 2
        error = capsys.readouterr().err
        assert error.startswith("python -m game")
        assert says in error
        assert error.count("\n") == 1


@pytest.mark.integration
def test_environments_do_without_the_parser_of_commands():
    code = (
        "import sys; sys.modules['jsonargparse'] = sys.modules['yaml'] = None\n"
        "import mancala_env, mancala_env.aec, mancala_env.single_agent, mancala_env.random_play, mancala_env.warm_up\n"
        "assert mancala_env.ruleset('kalah:seeds=3').spec() == 'kalah:seeds=3'"
    )
    python("-c", code)


def test_there_is_one_parser():
    files = [file for package in ("mancala_env", "agents", "training") for file in (ROOT / package).rglob("*.py")]
    assert [file for file in files if "ArgumentParser" in file.read_text("utf-8")] == [ROOT / "mancala_env" / "cli.py"]
