"""Every command of the README and of the other documents runs as it is written, but for what the tables here say.

Commands that share a folder or a file are a chain, which is a test, in the order of the documents; chains need nothing
of each other, so any worker takes any of them. They run in a copy of the files of the project, by its own code and with
the kernels that tests have made; the README's first command begins from a folder of kernels that is empty. Examples in
Python of a page run together; those of the README one by one, as they stand."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mancala_env import RULESETS
from tests.forked_python import forked_python
from tests.processes import PATIENCE, ROOT

PAGES = ("README.md", "CONTRIBUTING.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
         "docs/images/README.md", "notebooks/README.md")  # fmt: skip
PROGRAMS = "mancala|pip|sphinx-build|ruff|tensorboard|jupyter"
STARTS = rf"(nice )?(\.venv/bin/|NUMBA_\w+=\S+ )?(python3?\s-|({PROGRAMS})\s|\.ci/run)"
FIRST = "mancala train ppo --rules oware"  # of the README
SHARED = r"\bruns/[\w.-]+|(?<!--)\btables\b(?!\.)|\bEVENT\.db|\bbefore\.safetensors"
RUN = "runs/oware"  # made for each chain that asks for it
MAKE_RUN = f"{FIRST} --steps 1024 --envs 16 --pairs 1 --curve-every 0 --overwrite"

# Parts of commands that are not run, and why: what the machine of a test may lack, and what others run.
NOT_RUN = {
    r"-m venv|\. activate|pip install": "an installation: that of the test is there",
    r"-m pytest": "tests, of which this is one; whether those named are there is looked for below",
    r"\.ci/run": "the gate, which runs these tests",
    r"ruff|mypy|lint-imports": "the gate runs them",
    r"sphinx-build -W -c docs \. site|mancala docs": "the gate makes the site; test_docs.py",
    r"sphinx-build -b linkcheck": "needs a network",
    r"tensorboard|jupyter lab|-m http\.server|mancala play --web": "a server, which runs until it is stopped",
    r"jupyter nbconvert": "an extra of its own, lab",
    r"mancala tournament (run --serve|join)": "people on other machines; test_serve.py",
    r"--executor ray": "a cluster; test_cluster.py",
    r"engine\.jar|client\.jar": "programs of the reader's; test_protocols.py",
    r"mancala bot serve AGENT": "a pattern, not a command",
    r"mancala family evaluate AGENT": "a pattern, not a command",
    r"mancala family (splits|leaderboard)": "half an hour, and what that makes; test_family_benchmark.py",
    r"mancala train zoo (add|time)": "changes the project itself; test_cards.py, test_policies.py",
    r"-m tests\.mutants": "test_mutants.py",
    r"tests\.benchmarks\.\w+$": "a whole benchmark; test_benchmarks.py",
}
# What is added to commands that would take long, or are named without what they need. The first row that fits.
ADDED = {
    r"mancala train (ppo (?!.*--out).*--steps \d{7}|distill .*--labels)": "--print-config",  # hours
    r"mancala train experiment (?!--small|.*\"layers 512 256: layers=512 256\"$)": "--print-config",
    r"mancala train ppo": "--steps 1024 --envs 16 --pairs 1 --curve-every 0 --overwrite",
    r"mancala train experiment .*--search": "--samples 2 --steps 1024 --envs 16 --curve-pairs 1 --jobs 0",
    r"mancala train experiment": "--runs 1 --steps 1024 --envs 16 --pairs 1 --curve-every 0 --jobs 0 --overwrite",
    r"mancala train alphazero": "--rounds 1 --games 2 --moves 1 --processes 1 --simulations 2 --pairs 1",
    r"mancala train family-evaluation": "--games oware --played 4 --steps 4 --rounds 1 --overwrite",
    r"mancala train family": "--games oware kalah --steps 512 --envs 16 --rollout-steps 32 --batch-size 256 --width 8 "
    "--overwrite",
    r"mancala family evaluate": "--part known --pairs 1",
    r"mancala train distill$": "--help",
    r"mancala train distill": "--steps 1024 --envs 32 --passes 1 --pairs 1 --curve-every 0 --overwrite",
    r"mancala train evaluation(?! --rules (hus|oware))": "--print-config",
    r"mancala train evaluation": "--rounds 1 --games 20 --pairs 1 --overwrite",
    r"mancala evaluate .*--balance-nodes": "--pairs 1 --balance-nodes 100",
    r"mancala evaluate": "--pairs 1",
    r"mancala tournament run --rules oware --agents .*random_bot": "--pairs 1",
    r"mancala tournament run --rules oware --agents .*mybot": "--pairs 1 --out EVENT.db",
    r"mancala tournament run --(rules|form)": "--pairs 1",
    r"mancala solve tables (build|get)": "--seeds-on-board 3",
    r"mancala solve (tables|book|value|regret)$": "--help",
    r"mancala solve book build": "--positions 3",
    r"mancala solve value kalah$": "--position 'kalah 0-0-0-0-1-1-1-0-0-0-0-1-22-22-S'",
    r"mancala solve regret .*--tables": "--positions 2 --seeds-on-board 3",
    r"mancala solve regret (?!random)": "--games 1 --positions 2 --seeds-on-board 6",
    r"mancala warm-up$": "kalah",
    r"mancala statistics --games 10000": "kalah --games 20",
    r"-m tests\.digests": "kalah",
    r"-m tests\.recorded_games$": "tests/data/recorded/abalalae.jsonl.gz",  # all of them: test_recorded_games.py
    r"-m tests\.benchmarks\.strength": "--games kalah --time 0.001 --pairs 1 --balance-nodes 100",
    r"-m tests\.benchmarks\.speed": "--only rows",
}
# What stands for something of the reader's, or takes hours to make.
INSTEAD = {
    r"\bRUN\b": RUN,
    r"FILE\.\.\.": "tests/data/recorded/abalalae.jsonl.gz",
    r"tables=12": "tables=3",
    r"simulations=\d\d0+\b": "simulations=8",
    r"python:mine\.py:choose": "greedy",
    r"timeit -n 5": "timeit -n 1 -r 1",
    r"git show \S+ > ": "cp agents/zoo/kalah-empty-capture/policy.safetensors ",
    r"runs/(mine|my_sungka)": RUN,
}


def commands(page):
    """The commands of a page, in order: lines of its blocks for a shell, and those in the text."""
    text = re.sub(r"\\\n +", "", (ROOT / page).read_text(encoding="utf-8"))
    for language, block, span in re.findall(r"^```(\w*)\n(.*?)^```|`([^`]+)`", text, flags=re.DOTALL | re.MULTILINE):
        if language in ("bash", "console"):
            yield from (plain(line) for line in block.splitlines() if line)
        elif re.match(STARTS, span):
            yield plain(span)


def plain(command):
    """A command without comment, and in one spelling of where Python lies."""
    return " ".join(command.partition(" #")[0].replace(".venv/bin/", "").split())


def to_run(command):
    """A command by the tables: what of it is run, in bash; "" if nothing is. With the rows that were used."""
    used, parts = set(), []
    for part in command.split(" && "):
        rows = [row for row in NOT_RUN if re.search(row, part)]
        used |= set(rows[:1])
        parts += [] if rows else [part]
    run = " && ".join(parts)
    for row, other in INSTEAD.items():
        used |= {row} if re.search(row, run) else set()
        run = re.sub(row, other, run)

    def shortened(found):
        for row, options in ADDED.items():
            if re.search(row, found[0]):
                used.add(row)
                return f"{found[0]} {options}"
        return found[0]

    return re.sub(r"""(\bmancala|-m tests)\b("[^"]*"|[^;"])+""", lambda found: shortened(found).rstrip(), run), used


ALL = dict.fromkeys(command for page in PAGES for command in commands(page))


def chains():
    """The commands that run, as lists of which each shares no file with another, in the order of the documents."""
    found = []  # what each shares, and its commands
    for command in filter(None, dict.fromkeys(to_run(command)[0] for command in ALL)):
        shares, chain = {*re.findall(SHARED, command)} - {RUN}, []
        for other in [each for each in found if shares & each[0]]:
            found.remove(other)
            shares |= other[0]
            chain += other[1]
        found.append((shares, [*chain, command]))
    return [chain for _, chain in found]


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """A copy of the project's files, in which commands run."""
    root = tmp_path_factory.mktemp("commands") / "project"
    kept = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", "runs", "site", "api")
    shutil.copytree(ROOT, root, ignore=kept)
    return root


@pytest.fixture(scope="session")
def environment(project):
    """Variables with which commands run: by the code of the project itself, whose kernels tests share."""
    variables = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PYTHONSAFEPATH": "1",  # not the copy's, where they run
        "XDG_CACHE_HOME": str(project.parent / "cache"),
    }
    with forked_python(project.parent, variables) as found:
        yield found


def run(command, project, variables):
    """Run a command of bash in a copy of the project; it must end well."""
    done = subprocess.run(
        ["bash", "-euc", command], cwd=project, env=variables, stdin=subprocess.DEVNULL, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=5 * PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}"


@pytest.mark.integration
@pytest.mark.parametrize("chain", chains(), ids=lambda chain: re.sub(r"\W+", "-", chain[0])[:60])
def test_commands_run(chain, project, environment, tmp_path):
    for command in chain:
        if RUN in command and not (project / RUN).exists():
            run(MAKE_RUN, project, environment)
        run(command, project, environment | ({"NUMBA_CACHE_DIR": str(tmp_path)} if command == MAKE_RUN else {}))


def test_every_row_is_of_use_and_the_tests_that_commands_name_are_there():
    used = set().union(*(to_run(command)[1] for command in ALL))
    assert {*NOT_RUN, *ADDED, *INSTEAD} - used == set()
    pages = "".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    assert [text for text in SHORTER if text not in pages] == []
    named = [word for command in ALL for word in command.split() if word.startswith("tests/")]
    assert len(named) > 10
    assert [word for word in named if not (ROOT / word).exists()] == []


# What the examples in Python take from the reader, or would take long with.
NAMES = """
import mancala_env
from agents import RandomAgent as MyPlayer
from tests.test_seams import Ring as MyNetwork
my_ruleset = mancala_env.ruleset("kalah")
"""
SHORTER = {
    "steps=196_608, out": "steps=1024, envs=16, pairs=1, out",
    "replies=4, steps=196_608": "replies=2, steps=1024, envs=16",
    "range(10)": "range(1)",
    "learn(100_000)": "learn(1024)",
    "learn(20_000)": "learn(1_000)",
}


def snippets(page):
    """The examples in Python of a page, shortened."""
    found = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.DOTALL | re.MULTILINE)
    for text, other in SHORTER.items():
        found = [snippet.replace(text, other) for snippet in found]
    return found


@pytest.mark.integration
@pytest.mark.parametrize("page", [page for page in PAGES if snippets(page) and page != "README.md"])
def test_the_examples_in_python_run(page, project, environment):
    examples = "\n".join(snippets(page))
    if RUN in examples and not (project / RUN).exists():
        run(MAKE_RUN, project, environment)
    for command in filter(None, (to_run(each)[0] for each in commands(page))):
        if any(f'"{made}"' in examples for made in re.findall(r"--(?:out|onnx) (\S+)", command)):  # they read it
            run(command, project, environment)
    (project / "example.py").write_text(NAMES + examples, encoding="utf-8")
    run("python example.py", project, environment)


EXAMPLES = snippets("README.md")


@pytest.mark.parametrize("k", range(len(EXAMPLES)))
def test_an_example_of_the_readme_runs_as_it_stands(k, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    names = {}
    if "SUNGKA" in EXAMPLES[k] and "SUNGKA =" not in EXAMPLES[k]:
        exec(next(other for other in EXAMPLES if "SUNGKA =" in other), names)
    there = {*RULESETS}
    exec(EXAMPLES[k], names)
    for name in {*RULESETS} - there:
        del RULESETS[name]
    assert len(EXAMPLES) >= 4
