"""Do the quick tests notice a broken rule? Break the rules of the kernels one by one: ``python -m tests.mutants``.

Each mutant is a copy of the tree with one rule broken, in which the quick tests of the rules run as plain Python, so
that nothing is compiled. A mutant that survives shows a quick test that is missing: these tests did not see the rule
broken, whatever others would have seen. Those of the table are no equivalents: each plays some position otherwise than
the rules say."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
KERNELS = Path("mancala_env", "kernels")
COPIED = ("mancala_env", "agents", "training", "docs", "tests", "pyproject.toml")
TIME_LIMIT = 1800  # seconds: a mutant that never ends is killed, too


class Mutant(NamedTuple):
    """One broken rule, a row of ``data/mutants.toml``."""

    name: str
    file: str
    original: str
    mutated: str
    rule: str


TABLE = Path(__file__).parent / "data" / "mutants.toml"
MUTANTS = tuple(Mutant(name, **row) for name, row in tomllib.loads(TABLE.read_text(encoding="utf-8")).items())

# In this order: the quickest first.
FILES = (
    "test_by_hand.py",
    "test_marks_and_houses.py",
    "test_rounds.py",
    "test_decisions.py",
    "test_direction.py",
    "test_options.py",
    "test_core_games.py",
)
# What takes long without the compiler, most of it to find the dead positions of games for territory.
LEFT_OUT = (
    "test_by_hand.py::test_by_hand[an endless relay ends as if every lap were sown",
    "test_core_games.py::test_skipping_and_passing_make_the_same_game",
    "test_core_games.py::test_so_many_positions_are_dead_on_arcs",
    "test_core_games.py::test_the_reference_finds_the_same_positions_dead_on_arcs",
    "test_options.py::test_a_search_among_endless_turns_comes_back",
    "test_options.py::test_no_game_outlives_the_counter_of_its_plies",
    "test_options.py::test_the_number_of_dead_positions_is_the_known_one",
)


def mutated(mutant: Mutant) -> str:
    """The text of the file of a mutant, with its rule broken. ValueError if the original does not stand there once."""
    text = (ROOT / KERNELS / mutant.file).read_text(encoding="utf-8")
    if (found := text.count(mutant.original)) != 1:
        raise ValueError(
            f"mutant {mutant.name}: {mutant.original!r} must stand in {(KERNELS / mutant.file).as_posix()} once, not "
            f"{found} times; adapt its texts in {TABLE.relative_to(ROOT).as_posix()}"
        )
    return text.replace(mutant.original, mutant.mutated)


def run_tests(mutant: Mutant | None) -> tuple[str | None, float]:
    """(The test that fails in a copy of the tree with this mutant, or None, seconds). RuntimeError if none can run."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / name, tree / name)
        if mutant is not None:
            (tree / KERNELS / mutant.file).write_text(mutated(mutant), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=no"]
        command += [f"--deselect=tests/{test}" for test in LEFT_OUT] + [f"tests/{file}" for file in FILES]
        try:
            done = subprocess.run(
                command, cwd=tree, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True,
                timeout=TIME_LIMIT, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"(no end in {TIME_LIMIT} s)", time.monotonic() - began
    seconds = time.monotonic() - began
    if done.returncode == 0:
        return None, seconds
    failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", done.stdout, re.MULTILINE)
    if done.returncode not in (1, 2) or failed is None:  # 2: a file of tests cannot be imported
        raise RuntimeError(f"the tests could not run:\n{done.stdout}{done.stderr}")
    return failed[1], seconds


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 if every mutant is killed, else 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    names = [mutant.name for mutant in MUTANTS]
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these mutants; " + ", ".join(names))
    chosen = parser.parse_args(arguments).names
    if unknown := [name for name in chosen if name not in names]:
        parser.error(f"unknown mutant {unknown[0]!r}; there are {', '.join(names)}")
    mutants = [mutant for mutant in MUTANTS if not chosen or mutant.name in chosen]
    for mutant in mutants:  # before any test runs
        try:
            mutated(mutant)
        except ValueError as error:
            parser.error(str(error))
    if not chosen and (failed := run_tests(None)[0]) is not None:
        print(f"{failed} fails without any mutant", file=sys.stderr)
        return 1
    wide, survived = max(len(mutant.name) for mutant in mutants), []
    for mutant in mutants:
        test, seconds = run_tests(mutant)
        survived += [mutant] if test is None else []
        print(f"{mutant.name:{wide}}  {seconds:4.0f} s  {f'killed by {test}' if test else 'SURVIVED'}", flush=True)
    print(f"{len(mutants) - len(survived)} of {len(mutants)} killed")
    for mutant in survived:
        print(f"none of these tests notices {mutant.name}: {mutant.rule}")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
