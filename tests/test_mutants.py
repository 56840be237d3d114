"""The table of broken rules fits the kernels, and names tests that there are."""

import ast
import re

import pytest

from tests import mutants
from tests.mutants import FILES, KERNELS, LEFT_OUT, MUTANTS, ROOT, Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_mutant_changes_the_kernel_that_it_names(mutant):
    original = (ROOT / KERNELS / mutant.file).read_text(encoding="utf-8")
    assert ast.dump(ast.parse(mutants.mutated(mutant))) != ast.dump(ast.parse(original))


@pytest.mark.parametrize("test", FILES + LEFT_OUT)
def test_every_test_that_the_command_names_is_there(test):
    file, _, name = test.partition("::")
    assert f"\ndef {name.partition('[')[0]}" in (ROOT / "tests" / file).read_text(encoding="utf-8")


def test_what_is_killed_and_what_survives_is_told(monkeypatch, capsys):
    failed = {"origin": "tests/test_options.py::test_laps"}
    monkeypatch.setattr(mutants, "run_tests", lambda mutant: (failed.get(mutant and mutant.name), 2.0))
    assert mutants.main(["origin"]) == 0
    assert mutants.main(["origin", "majority"]) == 1
    told = capsys.readouterr().out
    assert re.search(r"^origin +2 s  killed by tests/test_options.py::test_laps$", told, re.MULTILINE)
    assert re.search(r"^majority +2 s  SURVIVED$", told, re.MULTILINE)
    assert "1 of 2 killed\nnone of these tests notices majority: Half of the seeds is no majority.\n" in told
    failed[None] = "tests/test_options.py::test_laps"
    assert mutants.main([]) == 1
    assert capsys.readouterr() == ("", "tests/test_options.py::test_laps fails without any mutant\n")


def test_what_cannot_be_run_is_refused_before_any_test_runs(monkeypatch, capsys):
    monkeypatch.setattr(mutants, "run_tests", lambda mutant: pytest.fail("tests have run"))
    stale = Mutant("stale", "moves.py", "no such text", "pass", "Nothing.")
    monkeypatch.setattr(mutants, "MUTANTS", (MUTANTS[0], stale))
    for names, said in (
        (["orign"], "unknown mutant 'orign'; there are origin, "),
        (
            [],
            "error: mutant stale: 'no such text' must stand in mancala_env/kernels/moves.py once, not 0 times; adapt "
            "its texts in tests/data/mutants.toml",
        ),
    ):
        with pytest.raises(SystemExit, match="2"):
            mutants.main(names)
        assert said in capsys.readouterr().err
