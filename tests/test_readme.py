"""The README's snippets run as they stand."""

import re
from pathlib import Path

import pytest

from mancala_env import RULESETS
from tests.test_documented_commands import snippets

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
SNIPPETS = snippets("README.md")


@pytest.mark.parametrize("k", range(len(SNIPPETS)))
def test_a_snippet_runs(k, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    code, names = SNIPPETS[k], {}
    if "SUNGKA" in code and "SUNGKA =" not in code:
        exec(next(other for other in SNIPPETS if "SUNGKA =" in other), names)
    there = {*RULESETS}
    exec(code, names)
    for name in {*RULESETS} - there:
        del RULESETS[name]
    assert {*RULESETS} == there


def test_nothing_is_left_to_fill_in():
    assert not re.search(r"_ROW|FIGURES_HERE|TODO", README)
    assert len(SNIPPETS) >= 4
