"""What all commands promise: help, spelling, and errors that are one line and say what would do."""

import errno
import importlib
import os
import re
import shlex
import sys

import click
import pytest
from click.shell_completion import ShellComplete

import mancala_env
from agents.provenance import write_text
from mancala_env import commands
from mancala_env.cli import in_words, parser_of, printable
from tests.processes import ROOT, python

TINY = ["--rules=kalah", "--steps=32", "--envs=4", "--rollout-steps=8", "--batch_size=32", "--layers", "8"]


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("mancala train ppo", [*TINY, "--out", "{}"]),
        ("mancala train alphazero", ["--rules=kalah", "--out", "{}"]),
        ("mancala train experiment", [*TINY, "--curve_pairs=1", "--jobs=0", "--out", "{}"]),
        ("mancala solve tables build", ["awari:pits_per_row=2", "--seeds-on-board", "1", "--out", "{}"]),
        ("mancala tournament run", ["--agents", "random", "greedy", "--out", "{}/event.db"]),
    ],
)
def test_a_place_that_cannot_be_made_is_named(command, arguments, tmp_path, capsys):
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    line = refusal(command, [each.format(file / "folder") for each in arguments], capsys)
    assert str(file) in line
    assert "a part of this path is a file; name another place" in line
    assert file.read_text(encoding="utf-8") == "mine"


def test_errors_are_words_that_say_where_and_what_would_do_and_that_only_stand_there(tmp_path):
    for number in (errno.ENOENT, errno.EEXIST, errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EISDIR):
        said = in_words(OSError(number, os.strerror(number), "/some/place"))
        assert said.startswith(f"/some/place: {os.strerror(number)} (")
    with pytest.raises(FileNotFoundError) as caught:
        write_text(tmp_path / "nowhere" / "page.html", "")
    assert in_words(caught.value).startswith(f"{tmp_path / 'nowhere' / 'page.html'}: No such file")  # no passing one
    assert printable("a\x1b[2J\rb\x9b\u202ec\n\u00e9 \U0001f600") == "a?[2J?b??c\n\u00e9 \U0001f600"
    assert in_words(ValueError("two\nlines\x07")) == "two lines?"


# What every command promises, each in a way that reaches the reading of what it is given: the words that come before an
# option, and those that name a game, {} in them; None where a command takes no game.
COMMANDS = {
    "mancala bot check": (["./bot"], ["cmd:true", "--rules", "{}"]),
    "mancala bot serve": (["greedy"], None),  # it reads it after it has taken the output over
    "mancala docs": ([], None),
    "mancala evaluate": (["greedy"], ["greedy", "--rules", "{}"]),
    "mancala family evaluate": (["greedy"], None),
    "mancala family leaderboard": (["result.json"], None),
    "mancala family splits": ([], None),
    "mancala games": ([], None),
    "mancala play": ([], ["--rules", "{}"]),
    "mancala solve book build": (["kalah"], ["{}", "--out", "{folder}/book"]),
    "mancala solve book show": (["book"], None),
    "mancala solve regret": (["greedy"], ["greedy", "--rules", "{}"]),
    "mancala solve tables build": (["kalah"], ["{}", "--seeds_on_board", "1", "--out", "{folder}"]),
    "mancala solve tables check": (["tables"], None),
    "mancala solve tables get": (["kalah"], ["{}", "--seeds_on_board", "1"]),
    "mancala solve value": (["kalah"], ["{}"]),
    "mancala statistics": ([], ["{}"]),
    "mancala tournament export": (["event.db"], None),
    "mancala tournament leaderboard": (["event.db"], None),
    "mancala tournament join": (["localhost:1", "--name", "Ada"], None),
    "mancala tournament run": ([], ["--agents", "random", "greedy", "--rules", "{}", "--out", "{folder}/event.db"]),
    "mancala train alphazero": ([], ["--rules", "{}"]),
    "mancala train card": (["run"], None),
    "mancala train distill": ([], ["--teacher", "zoo:kalah", "--rules", "{}"]),
    "mancala train evaluation": ([], ["--rules", "{}"]),
    "mancala train experiment": ([], ["--rules", "{}"]),
    "mancala train export": (["run"], None),
    "mancala train family": ([], ["--games", "{}", "--out", "{folder}"]),
    "mancala train family-evaluation": ([], ["--games", "{}", "--out", "{folder}"]),
    "mancala train ppo": ([], ["--rules", "{}"]),
    "mancala train report": (["run"], None),
    "mancala train zoo add": (["run"], None),
    "mancala train zoo list": ([], None),
    "mancala warm-up": ([], ["{}"]),
}
# Programs to copy or to run as a bot, which are no commands of the door; the packages, which are it.
PROGRAMS = {
    "agents.bots.random_bot",
    "agents.bots.examples.uci",
    *(f"training.recipes.{name}" for name in ("maskable_ppo", "rllib", "torch_loop", "torchrl_rollout")),
}
PACKAGES = ("mancala_env", "agents", "training")


def called(command, words, capsys):
    """The exit status of a command, and what it writes to stdout and stderr."""
    with pytest.raises(SystemExit) as stop:
        commands.main([*command.split()[1:], *words])
    return stop.value.code or 0, *capsys.readouterr()


def refusal(command, words, capsys):
    """The one line with which a command refuses these words, after its name."""
    status, _, errors = called(command, words, capsys)
    assert (status, errors.count("\n")) == (2, 1), errors
    assert errors.startswith(f"{command}: ")
    return errors.removeprefix(f"{command}: ").rstrip()


def leaves(group=None, path="mancala"):
    """The commands that have no further ones, by how they are called."""
    group = group or commands.make_door()
    for name, each in group.commands.items():
        yield from leaves(each, f"{path} {name}") if isinstance(each, click.Group) else [(f"{path} {name}", each)]


@pytest.mark.parametrize("words", [[], ["--help"], ["train"], ["train", "--help"], ["solve", "tables"], ["family"]])
def test_the_door_says_what_there_is(words, capsys):
    status, text, errors = called("mancala", words, capsys)
    assert (status, errors) == (0, "")
    assert text.lower().startswith(" ".join(["usage: mancala", *(each for each in words if each != "--help")]))
    if words[:1] in ([], ["--help"]):
        assert re.findall(r"^(\w[\w ]*):\n", text, re.MULTILINE) == ["Options", *commands.HEADINGS]
        assert {*commands.DOOR} <= {*re.findall(r"^  ([\w-]+) ", text, re.M)}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("tran", "mancala: No such command 'tran'. Did you mean 'train'?"),
        ("train pp", "mancala train: No such command 'pp'. Did you mean 'ppo'?"),
        ("solve chess", "mancala solve: No such command 'chess'. mancala solve --help lists what there is"),
        ("solve tables chck", "'chck' (choose from 'build', 'get', 'check'); did you mean 'check'?"),
        ("--halp", "No such option"),
    ],
)
def test_a_word_that_is_no_command_is_told_what_it_is_near(words, says, capsys):
    status, text, errors = called("mancala", words.split(), capsys)
    assert (status, text, errors.count("\n")) == (2, "", 1)
    assert says in errors


def test_the_version_is_told_and_ctrl_c_ends_a_command_with_one_line(capsys, monkeypatch):
    assert called("mancala", ["--version"], capsys) == (0, f"{mancala_env.__version__}\n", "")

    def interrupted(words):
        raise KeyboardInterrupt

    monkeypatch.setattr("mancala_env.warm_up.main", interrupted)
    status, _, errors = called("mancala warm-up", [], capsys)
    assert (status, errors.strip()) == (130, "mancala: stopped")


@pytest.mark.integration
@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_is_the_door_and_loads_nothing_of_the_others(package):
    code = f"import runpy, sys; sys.argv[1:] = []; runpy.run_module({package!r}, run_name='__main__')"
    heavy = "numba", "torch", "jsonargparse", "rich", "yaml", *({"agents", "training"} - {package})
    check = f"import atexit, sys; atexit.register(lambda: print([n for n in {heavy} if n in sys.modules])); {code}"
    said, _ = python("-c", check)
    assert said.startswith("Usage: mancala ")
    assert said.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", [path for path, leaf in leaves() if not leaf.module.name.startswith("mancala_env")])
def test_without_the_repository_a_command_says_where_it_is(command, capsys, monkeypatch):
    package = dict(leaves())[command].module.name.partition(".")[0]

    def missing(name):
        raise ModuleNotFoundError(f"No module named {name!r}", name=package)

    monkeypatch.setattr(commands, "import_module", missing)
    assert "come with the repository" in refusal(command, [], capsys)


@pytest.mark.parametrize(
    ("words", "start", "found"),
    [
        ("train", "pp", ["ppo"]),
        ("train ppo", "--st", ["--steps"]),
        ("train experiment --trainer alphazero", "--sim", ["--simulations"]),
        ("family", "ev", ["evaluate"]),
        ("family evaluate --split =", "e", ["easy"]),
        ("warm-up", "awar", ["awari"]),
        ("train report", "a/fol", ["a/fol"]),  # names of files
    ],
)
def test_a_shell_completes_commands_and_what_they_take(words, start, found):
    completes = ShellComplete(commands.make_door(), {}, "mancala", "_MANCALA_COMPLETE")
    assert [item.value for item in completes.get_completions(words.split(), start)] == found


@pytest.mark.parametrize(
    ("command", "missing", "says"),
    [
        ("mancala docs", "sphinx", 'pip install -e ".[docs]"'),
        ("mancala train card", "rich", 'pip install -e ".[train]"'),
        ("mancala tournament run", "rich", 'pip install -e ".[arena]"'),
    ],
)
def test_a_package_that_is_missing_is_named_with_what_brings_it(command, missing, says, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name in {missing, *(each for each in sys.modules if each.startswith(f"{missing}."))}:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "training.card", raising=False)  # it imports rich first of all
    assert says in refusal(command, [], capsys)


def test_no_command_is_left_out():
    found = set()
    for package in (*PACKAGES, "docs"):
        for file in (ROOT / package).rglob("*.py"):
            if re.search("^if __name__ ==", file.read_text(encoding="utf-8"), re.MULTILINE):
                found.add(".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__main__"))
    inner = {path: parser_of(importlib.import_module(leaf.module.name).main, [])._commands for path, leaf in leaves()}
    assert {f"{path} {name}".rstrip() for path, names in inner.items() for name in names or [""]} == {*COMMANDS}
    behind = {leaf.module.name.removesuffix(".command") for _, leaf in leaves()} | {"mancala_env.games"}  # of the door
    assert found - behind == PROGRAMS | {*PACKAGES}


@pytest.mark.parametrize(
    "command",
    [pytest.param(each, marks=pytest.mark.integration) if each == "mancala bot check" else each for each in COMMANDS],
)
def test_every_command_keeps_what_all_promise(command, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    before, game = COMMANDS[command]

    status, text, errors = called(command, ["--help"], capsys)
    assert (status, errors, text.startswith(f"usage: {command}")) == (0, "", True)
    assert refusal(command, [*before, "--nonsense"], capsys) == "unrecognized arguments: --nonsense"
    assert max(map(len, text.splitlines())) <= 80
    assert not re.findall(r"--\w+_\w+", text)

    options = sorted(set(re.findall(r"^ +(?:-\w, )?(--[a-z][a-z0-9-]+)(?= [A-Z{])", text, re.M)) - {"--help"})
    for option in options[:1]:
        assert f"did you mean {option}?" in refusal(command, [*before, f"{option}{option[-1]}=1"], capsys)
    for option in [each for each in options if "-" in each[2:]][:1]:
        for spelling in (option, option.replace("-", "_").replace("__", "--", 1)):
            assert "expected" in refusal(command, [*before, spelling], capsys), "a value is missing"

    names = {"kalha": "did you mean 'kala", "mancala/kalah-v9": "the rules of this release are"} if game else {}
    for name, says in names.items():
        assert says in refusal(command, [word.format(name, folder=tmp_path) for word in game], capsys)


TWO = "--agents random greedy"
WRONG = {  # by the command, what it cannot do and what it says
    "mancala bot check": [("minmax:depth=2", "no program 'minmax:depth=2'; did you mean 'minimax'?")],
    "mancala family evaluate": [("minmax", "did you mean 'minimax'?")],
    "mancala tournament join": [("localhost:1 --name A --agent minmax:depth=2", "did you mean 'minimax'?")],
    "mancala evaluate": [
        ("minimax", "--rules"),
        ("minimax:depth=99 --rules oware", "depth"),
        ("random --rules oware --against grredy", "greedy"),
        ("random --rules oware --pairs 0", "pairs must be 1 or more"),
        ("random --rules oware --balanced -1", "balanced must be 0 or more"),
        ("random --rules oware --against v1-depth3", "did you mean 'v1-depth"),
        ("random --rules oware --json nowhere/scores.json", "nowhere"),
        ("nowhere/policy.safetensors", "there is no policy file"),
        ("zoo:oware --rules kalah --against random", "was trained for oware and does not play kalah"),
    ],
    "mancala solve regret": [
        ("random", "say which, as in --rules kalah"),
        ("randon --rules kalah", "did you mean 'random'"),
        ("random --rules hus", "measured in seeds of one game"),
        ("random --rules kalah --games -1", "games must be"),
        ("random --rules kalah --nodes 0", "nodes must be"),
        ("random --rules kalah --tables /nowhere", "no endgame tables"),
        ("random --rules kalah --json /nowhere/found.json", "--json /nowhere/found.json cannot be written"),
        ("random --rules oware --exploitability", "no position comes back"),
        ("random --rules oware --reply greedy", "no position comes back"),
    ],
    "mancala solve tables check": [("nowhere", "there are no endgame tables in nowhere")],
    "mancala solve tables build": [
        ("awarri --seeds-on-board 2", "did you mean 'awari'"),
        ("awari --seeds-on-board 99", "for 0 to 52 seeds, not 99"),
    ],
    "mancala solve tables get": [
        ("hus", "there are no endgame tables of 'hus'"),
        ("awari --seeds-on-board 99", "for 0 to 52 seeds, not 99"),
        ("awari --seeds-on-board 2 --threads 0", "threads must be 1 or more"),
    ],
    "mancala solve value": [
        ("oware:empty_capture=true", "empty_capture is an option of kalah"),
        ("kalah --endgames -3", "0 or more"),
        ("oware --endgames 3", "hold bounds"),
        ("oware_series_wins", "match of many games"),
        ("kalah:seeds=5 --tables /proc/nope", "/proc/nope"),
        ("kalah --position 'kalah 1-2'", "kalah"),
        ("oware --nodes 5000", "without reaching"),
    ],
    "mancala statistics": [
        ("kalha", "did you mean 'kalah'?"),
        ("kalah --games 0", "games must be a whole number, 1 or more, not 0"),
        ("kalah --games many", "--games"),
        ("kalah --games 3 --nonsense", "--nonsense"),
    ],
    "mancala tournament run": [
        ("", "--agents"),
        ("--agents random", "a tournament needs two players"),
        ("--agents random minimax:depth=0", "depth"),
        (f"{TWO} --live --no-report", "--live writes the page"),
        (f"{TWO} --rules chess", "chess"),
        (f"{TWO} --sprt 0 5 --sprt-alpha .nan", "alpha and beta must be"),
        (f"{TWO} --openings no/such/file", "no/such/file"),
        (f"{TWO} --processes -1", "processes must be a whole number from 0"),
        (f"{TWO} --tables no/such/folder --processes 0", "no/such/folder"),
        (f"{TWO} --out /dev/null/event.db", "/dev/null"),
        (f"{TWO} --resume x", ""),
        (f"{TWO} --trust", "--resume FILE"),
        (f"{TWO} --wait 3", "give --serve as well"),
        (f"{TWO} --serve", "players join with --serve"),
        ("--form cup", "cup"),
        ("--agents random ./no/such/bot --sandbox none", "there is no bot at './no/such/bot'"),
        ("--agents random randm --sandbox none", "did you mean 'random'"),
        ("--resume no/such.db", "there is no tournament at no/such.db"),
        ("--resume x --pairs 7", "leave --pairs out"),
        ("--resume x --rules kalah", "leave --rules out"),
        ("--serve --form swiss", "--form is not for --serve"),
        ("--serve --players 1", "--players is 2 or more"),
        ("--serve --wait -1", "--wait is a number of seconds"),
    ],
    "mancala train experiment": [
        ("--runs 0", "seeds must be 1 or more"),
        ("--search layers=8..9", "cannot read the range 'layers=8..9'; write 'setting=low..high'"),
        ("--small --search entropy=0.1..0.2 --curve-every 0", "a search goes by scores: pairs or curve_every"),
        ("--vary bigger", "cannot read 'bigger' in the variant 'bigger'; write"),
        ("--vary width=3", "changes 'width', and there is no such setting"),
        ("--vary steps=few", "steps must be int, not 'few'"),
        ("--vary envs=0", "variant 'envs=0': envs must be 1 or more"),
        ("--vary entropy=0.1 entropy_=0.1", "there is no such setting"),
        ("--jobs -1", "processes must be a whole number from 0"),
        ("--trainer dreams", "trainer"),
    ],
    "mancala train ppo": [
        ("--envs many", "--envs"),
        ("--config nowhere.yaml", "nowhere.yaml"),
        ("--out /proc/nowhere", "/proc/nowhere"),
    ],
}


@pytest.mark.parametrize(
    ("command", "words", "says"), [(command, *row) for command, rows in WRONG.items() for row in rows]
)
def test_what_is_asked_wrongly_is_answered_in_one_line(command, words, says, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MANCALA_ENV_CACHE", str(tmp_path))
    assert says in refusal(command, shlex.split(words), capsys)
    assert not [*tmp_path.rglob("*.db")]
