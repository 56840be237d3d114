"""The table of broken rules fits the kernels, and names tests that there are."""

import ast
import re
import subprocess

import pytest

from tests import mutants
from tests.mutants import FILES, KERNELS, LEFT_OUT, MUTANTS, ROOT, Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_mutant_changes_the_kernel_that_it_names(mutant):
    original = (ROOT / KERNELS / mutant.file).read_text(encoding="utf-8")
    mutated = mutants.mutated(mutant)
    assert ast.dump(ast.parse(mutated)) != ast.dump(ast.parse(original))


def test_every_mutant_has_a_name_of_its_own():
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 20


@pytest.mark.parametrize(("original", "times"), [("axes[SOWING] == SOW_FIVE", 0), ("import", "[0-9]+")])
def test_texts_that_do_not_stand_there_once_are_refused(original, times):
    words = f"mutant fifth: '{re.escape(original)}' must stand in .*moves.py once, not {times} times; adapt"
    with pytest.raises(ValueError, match=words):
        mutants.mutated(Mutant("fifth", "moves.py", original, "pass", "Nothing."))


@pytest.mark.parametrize("test", FILES + LEFT_OUT)
def test_every_test_that_the_command_names_is_there(test):
    file, _, name = test.partition("::")
    text = (ROOT / "tests" / file).read_text(encoding="utf-8")
    assert f"\ndef {name}" in text


def fake_tests(monkeypatch, failed):
    """Runs of the tests end as told: {name of a mutant: the test that fails}; others pass."""
    monkeypatch.setattr(mutants, "run_tests", lambda mutant: (failed.get(mutant and mutant.name), 2.0))


def test_a_mutant_that_survives_is_reported_with_its_rule_and_fails_the_command(monkeypatch, capsys):
    fake_tests(monkeypatch, {"origin": "tests/test_options.py::test_laps"})
    assert mutants.main(["origin", "majority"]) == 1
    told = capsys.readouterr().out
    assert re.search(r"^origin +2 s  killed by tests/test_options.py::test_laps$", told, re.MULTILINE)
    assert re.search(r"^majority +2 s  SURVIVED$", told, re.MULTILINE)
    assert "1 of 2 killed\nnone of these tests notices majority: Half of the seeds is no majority.\n" in told
    assert mutants.main(["origin"]) == 0


def test_tests_that_fail_without_a_mutant_kill_none(monkeypatch, capsys):
    fake_tests(monkeypatch, {None: "tests/test_options.py::test_laps"})
    assert mutants.main([]) == 1
    assert capsys.readouterr() == ("", "tests/test_options.py::test_laps fails without any mutant\n")


def test_a_mutant_with_which_a_file_of_tests_cannot_be_imported_is_killed(monkeypatch):
    told = "ERROR tests/test_options.py - IndexError: out of bounds\n!!! Interrupted: 1 error during collection !!!\n"
    ended = subprocess.CompletedProcess([], 2, told, "")
    monkeypatch.setattr(mutants, "COPIED", ())
    monkeypatch.setattr(mutants.subprocess, "run", lambda *_, **__: ended)
    assert mutants.run_tests(None)[0] == "tests/test_options.py"
    ended.stdout = "!!! Interrupted by the keyboard !!!"
    with pytest.raises(RuntimeError, match="the tests could not run"):
        mutants.run_tests(None)


def test_an_unknown_mutant_is_refused_with_those_there_are(capsys):
    with pytest.raises(SystemExit, match="2"):
        mutants.main(["orign"])
    assert "unknown mutant 'orign'; there are origin, " in capsys.readouterr().err


def test_a_text_that_no_longer_stands_there_is_an_error_before_any_test_runs(monkeypatch, capsys):
    stale = Mutant("stale", "moves.py", "no such text", "pass", "Nothing.")
    monkeypatch.setattr(mutants, "MUTANTS", (MUTANTS[0], stale))
    monkeypatch.setattr(mutants, "run_tests", lambda mutant: pytest.fail("tests have run"))
    with pytest.raises(SystemExit, match="2"):
        mutants.main([])
    assert "error: mutant stale: 'no such text' must stand in " in capsys.readouterr().err
