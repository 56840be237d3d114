"""A build for one ruleset plays as the general one does, without code for rules that the game does not have."""

import ast
import os
import subprocess
import sys

import numpy as np
import pytest

import mancala_env as mancala
from mancala_env import warm_up
from mancala_env.kernels import specialise
from mancala_env.kernels.addresses import PLAY_AT
from mancala_env.kernels.engine import _builds, turn_at
from mancala_env.kernels.jit import DISABLE_JIT
from tests.digests import stored
from tests.processes import python

compiled = pytest.mark.skipif(DISABLE_JIT, reason="nothing is compiled")


@compiled
def test_a_game_has_no_code_for_rules_that_it_does_not_have():
    encoded = {name: mancala.ruleset(name).encoded for name in ("kalah", "bao_kiswahili")}
    written = {name: specialise.source(turn_at, each.axes) for name, each in encoded.items()}
    assert "def capture(" in written["kalah"]
    for further in ("take_every", "make_marks", "next_game", "take_passed", "sow_from", "mask_out_slams"):
        assert f"def {further}(" not in written["kalah"], further
    assert "def sow_from(" in written["bao_kiswahili"]
    assert "emit" not in written["kalah"]


@compiled
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.integration if name in ("oware", "kalah", "hus") else pytest.mark.slow)
        for name in ("oware", "kalah", "hus", *[*mancala.RULESETS][::12])
    ],
)
def test_a_build_for_one_game_plays_as_the_general_one_does(name):
    encoded, general = mancala.ruleset(name).encoded, _builds.general()
    batches = [mancala.Batch(name, 64, seed=5) for _ in range(2)]
    own = _builds.of(encoded.axes, much=True)
    assert own != general
    for _ in range(150):
        found = []
        for batch, build in zip(batches, (own, general), strict=True):
            encoded.rules[PLAY_AT] = build
            found.append((*batch.play(batch.random_actions()), batch.positions.copy(), batch.legal_mask.copy()))
        for one, other in zip(*found, strict=True):
            np.testing.assert_array_equal(one, other)


@compiled
def test_what_is_played_much_gets_a_build_of_its_own(monkeypatch):
    rules = mancala.ruleset("kalah", seeds=5)
    made, asked = _builds.of, []

    def of(axes, much=False):
        asked.extend([axes] * much)
        return made(axes, much)

    monkeypatch.setattr(_builds, "of", of)
    monkeypatch.setattr("mancala_env.kernels.engine.MUCH", 100)
    batch = mancala.Batch(rules, 40)
    for wanted in (0, 0, 1, 1):
        batch.play(batch.random_actions())
        assert len(asked) == wanted
    assert asked[0] is rules.encoded.axes
    assert rules.encoded.rules[PLAY_AT] == made(asked[0])


@compiled
@pytest.mark.integration
def test_a_module_that_was_left_half_written_is_written_anew(tmp_path):
    """By a process that was killed: it never gets the name that others look for."""
    code = (
        "import os\n"
        "import mancala_env as mancala\n"
        "from mancala_env.kernels import specialise\n"
        "whole = specialise.source\n"
        "specialise.source = lambda *given: os._exit(3) if os.environ.get('DIES') else whole(*given)\n"
        "print(mancala.ruleset('kalah').start().play(2))\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_OPT": "0"}
    died = subprocess.run([sys.executable, "-c", code], env=environment | {"DIES": "1"}, check=False)
    assert died.returncode == 3
    assert not list(tmp_path.rglob("turn_at_*.source"))
    assert python("-c", code, environment=environment)[0].split()[0] == "kalah"
    assert len(list(tmp_path.rglob("turn_at_*.source"))) == 1


def test_every_game_has_a_digest():
    assert sorted(stored()) == sorted(mancala.RULESETS)


@pytest.mark.integration
@compiled
def test_random_play_of_all_games_is_what_it_was(capsys):
    from tests.digests import main

    assert main([]) == 0, capsys.readouterr().out


@compiled
def test_the_source_of_a_game_is_printed(capsys):
    assert warm_up.main(["kalah", "--source"]) == 0
    written = capsys.readouterr().out
    ast.parse(written)
    assert "Play a pit: sow, follow the landing table, relay as it says" in written
    with pytest.raises(SystemExit, match="2"):
        warm_up.main(["chess", "--source"])
    assert "chess" in capsys.readouterr().err
