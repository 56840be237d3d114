"""What linking kernels part by part rests on and promises; and the fast path is derived."""

import copy
import os
import pickle
import runpy
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import numba
import numpy as np
import pytest

import mancala_env as mancala
from mancala_env.kernels import ending, layout, linking, references, scores, single
from mancala_env.kernels.jit import DISABLE_JIT
from mancala_env.rules.encode import Encoded
from tests.games import CORE

ROOT = Path(__file__).parent.parent
UNOPTIMIZED = {"NUMBA_OPT": "0", "NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0"}  # compiled in less time


@pytest.mark.skipif(DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize("version", ["0.60.0", "0.69.0rc1", "1.0"])
def test_a_version_of_numba_that_is_not_supported_is_refused_in_one_line(version, monkeypatch):
    monkeypatch.setattr(numba, "__version__", version)
    with pytest.raises(ImportError, match=rf"numba {version} is not supported, .* pip install 'numba>=0.61,<0.69'"):
        runpy.run_path(linking.__file__)


def test_the_versions_of_numba_that_are_installed_are_those_that_are_supported():
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    assert "numba>={}.{},<{}.{}".format(*linking.SUPPORTED[0], *linking.SUPPORTED[1]) in wanted
    linking.check_version("0.61.0")
    linking.check_version("0.68.1")


@pytest.mark.skipif(DISABLE_JIT, reason="nothing is compiled")
def test_a_part_cannot_be_called_from_python():
    with pytest.raises((TypeError, ValueError)):
        ending.position_hash(mancala.ruleset("kalah").start().array, 12)


AXES = {*range(layout.LANDING), *range(layout.FIRST_AXES, layout.AXES)}  # all but the landing rows
FAST = {"oware", "awari", "oware_tutti_a_casa", "oware_liberta", "kalah"}


@pytest.mark.parametrize("name", CORE)
def test_games_take_the_fast_path_that_need_nothing_else(name):
    assert (mancala.ruleset(name).encoded.any_rules is None) == (name in FAST)
    assert mancala.ruleset(name).one_game.any_rules is None or name not in {"oware_series_wins"}


@pytest.mark.parametrize("axis", sorted(AXES - layout.FAST_PATH_HONOURS - layout.OF_MATCHES))
def test_an_axis_that_the_fast_path_does_not_know_takes_a_game_off_it(axis):
    """Also one that nobody has thought of yet."""
    axes, tables, dead = mancala.ruleset("kalah").encoded[2:]
    changed = axes.copy()
    changed[axis] += 1
    assert Encoded.of(changed, tables, dead).any_rules is not None


class Noted(np.ndarray):
    """Axes that note which of them are read."""

    read: set[int]

    def __getitem__(self, index):
        self.read.add(int(index))
        return super().__getitem__(index)


# The fast path takes these for granted, by the tables or by other axes, or only encoders read them.
TAKEN_FOR_GRANTED = {layout.FAST_PATH, layout.START_SEEDS, layout.TOTAL_SEEDS}


@pytest.mark.skipif(not DISABLE_JIT, reason="what is read is seen only where kernels are Python")
def test_the_fast_path_reads_the_axes_that_it_honours_and_no_others():
    read = set()
    for name, changes in (
        ("oware", {}), ("awari", {}), ("kalah", {}), ("oware", {"grand_slam": "forbidden"}),
        ("kalah", {"pits_per_row": 3, "seeds": 2, "leftover": "emptier"}),
        ("kalah", {"landing": (mancala.When(store="own").again(), mancala.When(was="occupied").relay())}),
    ):  # fmt: skip
        rules = mancala.ruleset(name, **changes)
        axes = rules.encoded.axes.view(Noted)
        axes.read = set()  # binding a ruleset may read any axis
        encoded = rules.encoded._replace(axes=axes)
        bound, random = single.Bound(rules, rules.bound.width, rules.num_actions, encoded), np.random.default_rng(3)
        axes.read = read
        data = bound.empty(1000)
        data[: bound.size] = rules.start()._data[: bound.size]
        while bound.legal(data):
            data[bound.plies_since_capture] %= 900
            action = int(random.choice(np.flatnonzero(bound.mask(data))))
            bound.play(data, data, action, bound.arrays)
        scores.result(data, *encoded)
    clauses = set(range(layout.LANDING, layout.FIRST_AXES))
    assert read - clauses <= layout.FAST_PATH_HONOURS
    assert layout.FAST_PATH_HONOURS - read == TAKEN_FOR_GRANTED


def test_a_copy_of_a_ruleset_for_the_kernels_leads_to_its_own_arrays():
    """Kernels find them by address, and an address means nothing in another process."""
    encoded = mancala.ruleset("hus").encoded
    copied = pickle.loads(pickle.dumps(encoded))
    assert copied.axes is not encoded.axes
    assert copy.deepcopy(encoded) is encoded
    if not DISABLE_JIT:
        assert copied.any_rules[references.AXES_AT] == copied.axes.ctypes.data != encoded.axes.ctypes.data
    rules, start = mancala.ruleset("hus"), mancala.ruleset("hus").start()
    of_the_copy, own = (single.Bound(rules, rules.bound.width, 16, each) for each in (copied, encoded))
    found = [bound.empty(1000) for bound in (of_the_copy, own)]
    for bound, data in zip((of_the_copy, own), found, strict=True):
        data[: bound.size] = start._data[: bound.size]
        bound.play(data, data, 5, bound.arrays)
    np.testing.assert_array_equal(*found)


@pytest.mark.integration
@pytest.mark.skipif(DISABLE_JIT, reason="nothing is compiled")
def test_one_function_plays_a_move_by_any_rules_for_all_kernels():
    """Else every kernel would compile the whole engine for itself."""
    code = (
        "import mancala_env, numba\n"
        "from numba.core import event\n"
        "from agents import make_agent\n"
        "compiled = []\n"
        "class Listener(event.Listener):\n"
        "    on_end = lambda self, found: None\n"
        "    on_start = lambda self, found: compiled.append(found.data['dispatcher'].py_func.__name__)\n"
        "event.register('numba:compile', Listener())\n"
        "batch = mancala_env.Batch('hus', 4)\n"
        "batch.play(batch.random_actions())\n"
        "make_agent('mcts:simulations=20').act(mancala_env.ruleset('hus').start())\n"
        "print(compiled.count('turn'), compiled.count('play_basic'), 'play_any' in compiled, 'simulate' in compiled)\n"
    )
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, **UNOPTIMIZED, "NUMBA_CACHE_DIR": cache}
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert told.stdout.split() == ["1", "1", "False", "True"]


@pytest.mark.integration
@pytest.mark.skipif(DISABLE_JIT, reason="nothing is called by address")
def test_a_fault_behind_an_address_stops_the_process():
    """Where nobody could be told of it: it must not be lost."""
    code = (
        "import numpy as np\n"
        "from numba import types\n"
        "from mancala_env.kernels import extensions\n"
        "from mancala_env.kernels.jit import address, compiler\n"
        "@compiler(cache=False)\n"
        "def wrong(number):\n"
        "    if number > 0:\n"
        "        raise ValueError('a fault')\n"
        "    return number\n"
        "call = extensions._by_address(0, types.int64, (types.int64,))\n"
        "run = compiler(cache=False)(lambda found, number: call(found, number))\n"
        "found = np.array([address(wrong, types.int64)], dtype=np.int64)\n"
        "print(run(found, 0), flush=True)\n"
        "print(run(found, 1), flush=True)\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert told.stdout.split() == ["0"]
    assert told.returncode < 0


def test_an_axis_that_basic_rules_do_not_have_takes_a_game_to_the_full_kernel():
    axes = mancala.ruleset("hus").encoded.axes
    assert layout.is_basic(axes)
    known = {layout.MARK_LIMIT, layout.UNMARKABLE, layout.ASKED}
    for axis in {*range(layout.FIRST_AXES, layout.AXES)} - known:
        changed = axes.copy()
        changed[axis] += 1
        assert not layout.is_basic(changed), axis
