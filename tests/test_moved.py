"""Modules that moved still answer to their old names, and say what they are called now."""

import importlib
import subprocess
import sys

import pytest

import agents.moved
from mancala_env import moved

TORCH = "agents.network", "agents.guided"


@pytest.mark.parametrize("old", sorted({**moved.MOVED, **agents.moved.MOVED}))
def test_an_old_name_imports_what_stands_under_the_new_one(old):
    if old in TORCH:
        pytest.importorskip("torch")
    new = moved.new_name(old)
    module = importlib.import_module(old)
    if isinstance(new, str):
        assert module is importlib.import_module(new)
        assert module.__spec__.name == new
        return
    for part in map(importlib.import_module, new):
        public = [name for name in vars(part) if not name.startswith("_") and name not in vars(module)]
        assert public
        assert all(hasattr(module, name) for name in public)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = module.no_such_name


def test_a_module_inside_a_moved_package_is_found_too():
    assert importlib.import_module("agents.regret.measure") is importlib.import_module(
        "agents.evaluation.regret.measure"
    )


def test_the_table_of_games_is_found_where_it_stood():
    import mancala_env.rules

    assert mancala_env.rules.RULESETS is mancala_env.RULESETS
    assert mancala_env.rules.ruleset is mancala_env.ruleset


def test_a_name_that_nothing_had_is_not_found():
    assert moved.new_name("agents.arenas") is None
    with pytest.raises(ModuleNotFoundError, match="arenas"):
        importlib.import_module("agents.arenas")


@pytest.mark.integration
@pytest.mark.parametrize(
    ("old", "new"), [("agents.check_bot", "agents.bots.check"), ("agents.regret", "agents.evaluation.regret")]
)
def test_an_old_command_runs_and_names_the_new_one(old, new):
    done = subprocess.run([sys.executable, "-m", old, "--help"], capture_output=True, text=True, check=True)
    assert f"python -m {old} is called python -m {new} now" in done.stderr
    assert f"usage: python -m {new}" in done.stdout
