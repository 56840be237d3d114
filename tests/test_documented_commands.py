"""Every command of the README and of the other documents runs as it is written, but for what the tables here say.

They run in the order of the documents, in one copy of the project, as later ones use what earlier ones have made: those
of the README from a folder of kernels that is empty at first, the others with the kernels that tests have made. Python
examples of a page run together, after its commands; those of the README are in ``test_readme.py``.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.caching import UserProvidedCacheLocator

from docs import browser
from tests.forked_python import forked_python
from tests.processes import PATIENCE

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "CONTRIBUTING.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
         "docs/images/README.md", "notebooks/README.md")  # fmt: skip
STARTS = r"(nice )?(\.venv/bin/|NUMBA_\w+=\S+ )?(python3?\s-|(pip|sphinx-build|ruff|tensorboard|jupyter)\s|\.ci/run)"

# Parts of commands that are not run, and why: what the machine of a test may lack, and what others run.
NOT_RUN = {
    r"-m venv|\. activate|pip install": "an installation: that of the test is there",
    r"-m pytest": "tests, of which this is one; whether those named are there is looked for below",
    r"\.ci/run": "the gate, which runs these tests",
    r"ruff|mypy|lint-imports": "the gate runs them",
    r"sphinx-build -W -c docs \. site": "the gate runs it; docs.build calls it, below",
    r"sphinx-build -b linkcheck": "needs a network",
    r"tensorboard|jupyter lab|-m http\.server|agents\.play --web": "a server, which runs until it is stopped",
    r"jupyter nbconvert": "an extra of its own, lab",
    r"agents\.tournament --serve|agents\.bots\.join": "people on other machines; test_serve.py",
    r"--executor ray": "a cluster; test_cluster.py",
    r"examples\.(kgp play|uci_engine)": "a server or an interface; test_bot_examples.py, test_protocols.py",
    r"engine\.jar|client\.jar|\./contest": "programs of the reader's; test_protocols.py",
    r"agents\.bots\.server AGENT": "a pattern, not a command",
    r"tests\.benchmarks\.\w+$": "a whole benchmark; test_benchmarks.py",
}
# What is added to commands that would take long, or are named without what they need. The first row that fits.
ADDED = {
    r"training\.ppo": "--steps 1024 --envs 16 --pairs 1 --curve-every 0 --overwrite",
    r"training\.(experiment .*--(encoder|opponents) (?!.*runs/awari)|distill .*--labels)": "--print-config",
    r"training\.experiment .*--out runs/awari": "--runs 2 --steps 1024 --envs 16 --pairs 1 --jobs 0",  # seed-1 is used
    r"training\.experiment": "--runs 1 --steps 1024 --envs 16 --pairs 1 --curve-every 0 --jobs 0 --overwrite",
    r"training\.alphazero": "--rounds 1 --games 2 --moves 1 --processes 1 --simulations 2 --search-simulations 2 "
    "--pairs 1",
    r"training\.distill$": "--help",
    r"training\.distill": "--steps 1024 --envs 32 --passes 1 --pairs 1 --curve-every 0 --overwrite",
    r"training\.evaluation --rules (kalah|layli_goobalay) .*--memory": "--print-config",
    r"training\.evaluation": "--rounds 1 --games 20 --pairs 1 --overwrite",
    r"training\.evaluate .*--balance-nodes": "--pairs 1 --balance-nodes 100",
    r"training\.evaluate": "--pairs 1",
    r"training\.controls": "--pairs 1 --positions 10 --batch 8",
    r"training\.zoo add runs/oware": "--overwrite",
    r"agents\.tournament --rules oware --agents .*random_bot": "--pairs 1 --out EVENT.db",
    r"agents\.tournament --(rules|form)": "--pairs 1",
    r"agents\.tablebase (build|get)": "--seeds-on-board 3",
    r"agents\.(tablebase|book|search\.solve|evaluation\.regret)$": "--help",
    r"agents\.book build": "--positions 3",
    r"agents\.search\.solve kalah$": "--position 'kalah 0-0-0-0-1-1-1-0-0-0-0-1-22-22-S'",
    r"agents\.evaluation\.regret .*--tables": "--games 3 --positions 20",
    r"agents\.evaluation\.regret (?!random)": "--games 1 --positions 2 --seeds-on-board 6",
    r"mancala_env\.warm_up": "kalah --encoders counts",
    r"tests\.digests": "kalah",
    r"tests\.recorded_games$": "tests/data/recorded/abalalae.jsonl.gz",  # all of them: test_recorded_games.py
    r"mancala_env\.random_play --games 10000": "kalah --games 20",
    r"docs\.build": "--no-reference",
    r"tests\.benchmarks\.strength --regret": "--positions 2 --seeds-on-board 3",
    r"tests\.benchmarks\.strength": "--games kalah --time 0.001 --pairs 1 --balance-nodes 100",
    r"tests\.benchmarks\.speed .*--only ppo": "--games 16 --runs 1",
    r"tests\.benchmarks\.speed": "--only rows",
    r"tests\.benchmarks\.search": "--small",
    r"tests\.mutants": "majority",
}
# What stands for something of the reader's, or takes hours to make.
INSTEAD = {
    r"\bRUN\b": "runs/oware",
    r"FILE\.\.\.": "tests/data/recorded/abalalae.jsonl.gz",
    r"tables=12": "tables=3",
    r"simulations=800": "simulations=8",
    r"timeit -n 5": "timeit -n 1 -r 1",
    r"git show \S+ > ": "cp agents/zoo/kalah-empty-capture/policy.safetensors ",
    r"runs/(mine|my_sungka)": "runs/oware",
}
if browser.missing(browser.cache_folder()):  # a download
    INSTEAD[r" --play\b"] = ""


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
            if re.search(f"-m {row}", found[0]):
                used.add(row)
                return f"{found[0]} {options}"
        return found[0]

    return re.sub(r"""-m (?:"[^"]*"|[^;"])+""", lambda found: shortened(found).rstrip(), run), used


ALL = dict.fromkeys(command for page in PAGES for command in commands(page))
README = {to_run(command)[0] for command in commands("README.md")}
RUN = [command for command in dict.fromkeys(to_run(command)[0] for command in ALL) if command]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project in which commands run."""
    root = tmp_path_factory.mktemp("commands") / "project"
    kept = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", "runs", "site", "api")
    shutil.copytree(ROOT, root, ignore=kept)
    copy_kernels(root)
    return root


def copy_kernels(root):
    """Copy the kernels that lie beside their sources; Numba names their folders after where a source lies."""
    named_after = UserProvidedCacheLocator.get_suitable_cache_subpath
    for kernels in ROOT.glob("[am]*/*/__pycache__/kernels-*"):  # of agents and mancala_env
        copy = root / kernels.relative_to(ROOT)
        with contextlib.suppress(shutil.Error):  # what another process removes meanwhile
            shutil.copytree(kernels, copy, ignore=shutil.ignore_patterns("*.lock", "*.tmp.*"))
        for source, of_copy in ((kernels, copy), (kernels.parents[1], copy.parents[1])):
            folder = copy / named_after(str(source / "any.py"))
            if folder.exists():
                folder.rename(copy / named_after(str(of_copy / "any.py")))


@pytest.fixture(scope="module")
def environment(project):
    """Variables with which commands run."""
    folder = project.parent
    variables = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(project),
        "XDG_CACHE_HOME": str(folder / "cache"),
        browser.CACHE: str(browser.cache_folder()),  # what has been downloaded once
    }
    with forked_python(folder, variables) as found:
        yield found


def run(command, project, variables):
    """Run a command of bash in a copy of the project; it must end well."""
    done = subprocess.run(
        ["bash", "-euc", command], cwd=project, env=variables, stdin=subprocess.DEVNULL, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=5 * PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}"


@pytest.mark.integration
@pytest.mark.parametrize("command", RUN)
def test_a_command_runs(command, project, environment, tmp_path):
    if "docs.build" in command:
        environment = environment | {"NUMBA_CACHE_DIR": str(tmp_path)}
    elif command in README:
        environment = environment | {"NUMBA_CACHE_DIR": str(project.parent / "kernels")}
    run(command, project, environment)


def test_every_row_is_of_use():
    used = set().union(*(to_run(command)[1] for command in ALL))
    assert {*NOT_RUN, *ADDED, *INSTEAD} - used == set()
    pages = "".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    assert [text for text in SHORTER if text not in pages] == []


def test_the_tests_that_commands_name_are_there():
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
    "steps=196_608": "steps=1024, envs=16, pairs=1",
    "range(10)": "range(1)",
    "learn(100_000)": "learn(1024)",
    "steps=65_536": "steps=600, envs=8, rollout_steps=8, batch_size=64, pairs=1",
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
    (project / "example.py").write_text(NAMES + "\n".join(snippets(page)), encoding="utf-8")
    run("python example.py", project, environment)
