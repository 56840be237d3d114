"""What linking kernels part by part rests on and promises."""

import copy
import pickle
import runpy
import subprocess
import sys
import tomllib

import numba
import numpy as np
import pytest

import mancala_env as mancala
from mancala_env.kernels import addresses, linking, single
from mancala_env.kernels.jit import DISABLE_JIT
from tests.processes import ROOT


@pytest.mark.skipif(DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize("version", ["0.60.0", "0.69.0rc1", "1.0"])
def test_a_version_of_numba_that_is_not_supported_is_refused_in_one_line(version, monkeypatch):
    monkeypatch.setattr(numba, "__version__", version)
    with pytest.raises(ImportError, match=rf"numba {version} is not supported, .* pip install 'numba>=0.61,<0.69'"):
        runpy.run_path(linking.__file__)


def test_the_versions_of_numba_that_are_installed_are_those_that_are_supported():
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    assert "numba>={}.{},<{}.{}".format(*linking.SUPPORTED[0], *linking.SUPPORTED[1]) in wanted


def test_a_copy_of_a_ruleset_for_the_kernels_leads_to_its_own_arrays():
    """Kernels find them by address, and an address means nothing in another process."""
    encoded = mancala.ruleset("hus").encoded
    copied = pickle.loads(pickle.dumps(encoded))
    assert copied.axes is not encoded.axes
    assert copy.deepcopy(encoded) is encoded
    if not DISABLE_JIT:
        assert copied.rules[addresses.AXES_AT] == copied.axes.ctypes.data != encoded.axes.ctypes.data
    rules, start = mancala.ruleset("hus"), mancala.ruleset("hus").start()
    of_the_copy, own = (single.CompiledRules(rules, each) for each in (copied, encoded))
    found = [bound.empty(1000) for bound in (of_the_copy, own)]
    for bound, data in zip((of_the_copy, own), found, strict=True):
        data[: bound.size] = start._data[: bound.size]
        bound.play(data, data, 5, bound.arrays)
    np.testing.assert_array_equal(*found)


@pytest.mark.integration
@pytest.mark.skipif(DISABLE_JIT, reason="nothing is called by address")
def test_a_fault_behind_an_address_stops_the_process():
    """Where nobody could be told of it: it must not be lost."""
    code = (
        "import numpy as np\n"
        "import mancala_env\n"
        "from mancala_env.kernels import engine, addresses\n"
        "from mancala_env.kernels.jit import address, numba\n"
        "@numba.njit\n"
        "def wrong(position, action, mask, history, hashes, start, log, games, rules):\n"
        "    if action > 0:\n"
        "        raise ValueError('a fault')\n"
        "    return action\n"
        "state = mancala_env.ruleset('kalah').start()\n"
        "rules = state.rules.encoded.rules\n"
        "rules[addresses.PLAY_AT] = address(wrong, *engine.SIGNATURE)\n"
        "print(mancala_env.Batch('kalah', 1).play([0])[1][0], flush=True)\n"
        "mancala_env.Batch('kalah', 1).play([1])\n"
        "print('played', flush=True)\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert told.stdout.split() == ["False"]
    assert told.returncode < 0
