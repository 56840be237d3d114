"""The table of broken rules fits the kernels, and names tests that there are."""

import ast

import pytest

from tests import mutants
from tests.mutants import FILES, KERNELS, LEFT_OUT, MUTANTS, ROOT


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_mutant_changes_the_kernel_that_it_names(mutant):
    original = (ROOT / KERNELS / mutant.file).read_text(encoding="utf-8")
    assert ast.dump(ast.parse(mutants.mutated(mutant))) != ast.dump(ast.parse(original))


@pytest.mark.parametrize("test", FILES + LEFT_OUT)
def test_every_test_that_the_command_names_is_there(test):
    file, _, name = test.partition("::")
    text = (ROOT / "tests" / file).read_text(encoding="utf-8")
    assert f"\ndef {name.partition('[')[0]}" in text
