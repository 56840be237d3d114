"""What all commands promise: help, spelling, and errors that are one line and say what would do."""

import errno
import importlib
import os
import re
import sys
from pathlib import Path

import pytest

from agents.executors import LocalExecutor
from agents.provenance import write_text
from agents.tablebase import __main__ as tablebase
from agents.tournament import __main__ as tournament
from agents.tournament import export
from agents.tournament.event import Event, Player
from agents.tournament.run import run_event
from mancala_env.cli import in_words, printable
from training import alphazero, experiment, ppo

ROOT = Path(__file__).parent.parent
TINY = ["--rules=kalah", "--steps=32", "--envs=4", "--rollout-steps=8", "--batch_size=32", "--layers", "8"]


@pytest.mark.parametrize(
    ("main", "arguments"),
    [
        (ppo.main, [*TINY, "--out", "{}"]),
        (alphazero.main, ["--rules=kalah", "--out", "{}"]),
        (experiment.main, [*TINY, "--curve_pairs=1", "--jobs=0", "--out", "{}"]),
        (tablebase.main, ["build", "awari:pits_per_row=2", "--seeds-on-board", "1", "--out", "{}"]),
        (tournament.main, ["--agents", "random", "greedy", "--out", "{}/event.db"]),
        (export.main, ["{event}", "--csv", "{}/games.csv"]),
        (export.main, ["{event}", "--games", "{}/games.txt"]),
    ],
)
def test_a_place_that_cannot_be_made_is_named(main, arguments, tmp_path, capsys):
    file, event = tmp_path / "file", tmp_path / "event.db"
    file.write_text("mine", encoding="utf-8")
    if "{event}" in arguments:
        players = Player("random", "random"), Player("other", "random")
        run_event(Event(players, ("kalah",), pairs=1), event, executor=LocalExecutor(0))
    given = [each.format(file / "folder", event=event) for each in arguments]
    try:
        status = main(given)
    except SystemExit as stop:
        status = stop.code
    assert status == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(file) in line
    assert "a part of this path is a file; name another place" in line
    assert file.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EEXIST, errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EISDIR])
def test_errors_of_the_system_say_where_and_what_would_do(number):
    said = in_words(OSError(number, os.strerror(number), "/some/place"))
    assert said.startswith(f"/some/place: {os.strerror(number)} (")


def test_a_file_that_cannot_be_written_is_named_and_not_its_passing_one(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_text(tmp_path / "nowhere" / "page.html", "")
    assert in_words(caught.value).startswith(f"{tmp_path / 'nowhere' / 'page.html'}: No such file")


def test_what_is_printed_only_stands_there():
    assert printable("a\x1b[2J\rb\x9b\u202ec\n\u00e9 \U0001f600") == "a?[2J?b??c\n\u00e9 \U0001f600"
    assert in_words(ValueError("two\nlines\x07")) == "two lines?"


# What every command promises, each in a way that reaches the reading of what it is given: the words that come before an
# option, and those that name a game, {} in them; None where a command takes no game.
COMMANDS = {
    "agents.book": (["build", "kalah"], ["build", "{}", "--out", "{folder}/book"]),
    "agents.bots.check": (["./bot"], ["cmd:true", "--rules", "{}"]),
    "agents.bots.join": (["localhost:1", "--name", "Ada"], None),
    "agents.bots.server": (["greedy"], None),  # it reads it after it has taken the output over
    "agents.evaluation.regret": (["greedy"], ["greedy", "--rules", "{}"]),
    "agents.play": ([], ["--rules", "{}"]),
    "agents.search.solve": (["kalah"], ["{}"]),
    "agents.tablebase": (["build", "kalah"], ["build", "{}", "--seeds_on_board", "1", "--out", "{folder}"]),
    "agents.tournament": ([], ["--agents", "random", "greedy", "--rules", "{}", "--out", "{folder}/event.db"]),
    "agents.tournament.export": (["event.db"], None),
    "docs.build": ([], None),
    "docs.pictures": ([], None),
    "mancala_env.games": ([], None),
    "mancala_env.random_play": ([], ["{}"]),
    "mancala_env.warm_up": ([], ["{}"]),
    "training.alphazero": ([], ["--rules", "{}"]),
    "training.card": (["run"], None),
    "training.controls": ([], ["--rules", "{}"]),
    "training.distill": ([], ["--teacher", "zoo:kalah", "--rules", "{}"]),
    "training.evaluate": (["greedy"], ["greedy", "--rules", "{}"]),
    "training.evaluation": ([], ["--rules", "{}"]),
    "training.experiment": ([], ["--rules", "{}"]),
    "training.export": (["run"], None),
    "training.ppo": ([], ["--rules", "{}"]),
    "training.report": (["run"], None),
    "training.recipes.maskable_ppo": ([], None),
    "training.recipes.rllib": ([], None),
    "training.recipes.torch_loop": ([], None),
    "training.recipes.torchrl_rollout": ([], None),
    "training.zoo": (["add", "run"], None),
}
# Programs without options, which run as a bot or a part of one.
PROGRAMS = {
    "agents.bots.random_bot",
    *(f"agents.bots.examples.{name}" for name in ("contest", "kgp", "uci", "uci_engine")),
}


def called(command, words, capsys):
    """The exit status of a command, and what it writes to stdout and stderr."""
    module = importlib.import_module(command)
    if hasattr(module, "__path__"):
        module = importlib.import_module(f"{command}.__main__")
    try:
        status = module.main(words)
    except SystemExit as stop:
        status = stop.code
    return status or 0, *capsys.readouterr()


@pytest.mark.parametrize(
    ("command", "missing", "says"),
    [
        ("docs.build", "sphinx", 'pip install -e ".[docs]"'),
        ("training.recipes.rllib", "ray", 'pip install -e ".[train,rllib]"'),
        ("training.recipes.torchrl_rollout", "torchrl", "pip install torchrl"),
    ],
)
def test_a_package_that_is_missing_is_named_with_what_brings_it(command, missing, says, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name in {missing, *(each for each in sys.modules if each.startswith(f"{missing}."))}:
        monkeypatch.setitem(sys.modules, name, None)
    status, _, errors = called(command, [], capsys)
    assert (status, errors.count("\n")) == (2, 1)
    assert errors.startswith(f"python -m {command}: ")
    assert says in errors


@pytest.mark.parametrize("recipe", ["maskable_ppo --steps", "rllib --iterations", "torch_loop --updates"])
def test_recipes_refuse_to_learn_from_nothing(recipe, capsys):
    name, option = recipe.split()
    for amount in ("0", "-5"):
        status, _, errors = called(f"training.recipes.{name}", [option, amount], capsys)
        assert (status, errors) == (2, f"python -m training.recipes.{name}: {option} must be 1 or more, not {amount}\n")


def test_no_command_is_left_out():
    found = set()
    for package in ("mancala_env", "agents", "training", "docs"):
        for file in (ROOT / package).rglob("*.py"):
            if re.search("^if __name__ ==", file.read_text(encoding="utf-8"), re.MULTILINE):
                found.add(".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__"))
    assert found == COMMANDS.keys() | PROGRAMS


@pytest.mark.parametrize(
    "command",
    [pytest.param(each, marks=pytest.mark.integration) if each == "agents.bots.check" else each for each in COMMANDS],
)
def test_every_command_keeps_what_all_promise(command, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    before, game = COMMANDS[command]
    chosen = before[:1] if before[:1] in (["build"], ["add"]) else []

    status, text, errors = called(command, [*chosen, "--help"], capsys)
    assert (status, errors) == (0, "")
    assert max(map(len, text.splitlines())) <= 80
    assert not re.findall(r"--\w+_\w+", text)

    options = sorted(set(re.findall(r"^ +(?:-\w, )?(--[a-z][a-z0-9-]+)(?= [A-Z{])", text, re.M)) - {"--help"})
    for option in options[:1]:
        status, _, errors = called(command, [*before, f"{option}{option[-1]}=1"], capsys)
        assert (status, errors.count("\n")) == (2, 1)
        assert errors.startswith(f"python -m {command}: ")
        assert f"did you mean {option}?" in errors
    for option in [each for each in options if "-" in each[2:]][:1]:
        for spelling in (option, option.replace("-", "_").replace("__", "--", 1)):
            status, _, errors = called(command, [*before, spelling], capsys)
            assert (status, errors.count("\n")) == (2, 1)
            assert "expected" in errors, "a value is missing, and the option is known"

    names = {"kalha": "did you mean 'kala", "mancala/kalah-v9": "the rules of this release are"} if game else {}
    for name, says in names.items():
        words = [word.format(name, folder=tmp_path) for word in game]
        status, _, errors = called(command, words, capsys)
        assert (status, errors.count("\n")) == (2, 1), errors
        assert errors.startswith(f"python -m {command}: ")
        assert says in errors
