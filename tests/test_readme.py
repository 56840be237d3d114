"""The README's snippets run as they stand."""

import re
from pathlib import Path

import pytest

from mancala_env import RULESETS

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("k", range(len(SNIPPETS)))
def test_a_snippet_runs(k, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    code = SNIPPETS[k].replace("steps=65_536", "steps=600, envs=8, rollout_steps=8, batch_size=64, pairs=1")
    names: dict = {}
    code = code.replace("learn(20_000)", "learn(1_000)")
    if "SUNGKA" in code and "SUNGKA =" not in code:
        exec(next(other for other in SNIPPETS if "SUNGKA =" in other), names)
    there = {*RULESETS}
    exec(code, names)
    for name in {*RULESETS} - there:
        del RULESETS[name]
    assert {*RULESETS} == there


def test_nothing_is_left_to_fill_in():
    assert not re.search(r"_ROW|FIGURES_HERE|TODO", README)
    assert len(SNIPPETS) >= 6
