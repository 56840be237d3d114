"""That kernels are being compiled is said, once, and is nobody's time."""

import json
import os
import time

import numba
import pytest
from numba.extending import overload

import mancala_env as mancala
from agents.search import Searcher
from agents.search import kernel as search_kernel
from agents.tournament.game import AgentParticipant, Clock
from mancala_env.kernels import jit
from tests.processes import ROOT, python

if jit.DISABLE_JIT:
    pytest.skip("nothing is compiled", allow_module_level=True)

SLEEP = 0.4  # seconds that a slow function takes to compile, at least

# Functions that take their time to compile, as the first kernel of a machine does.
SLOW = f"""
import json, sys, time
from pathlib import Path
from numba import njit as foreign
from numba.extending import overload
from mancala_env.kernels import jit

def pause(x):
    return x

@overload(pause)
def typed(x):
    time.sleep({SLEEP})
    return lambda x: x

njit = jit.compiler(Path(__file__).parent)
jit.SAY_AFTER = float(sys.argv[1])
"""


def program(folder, body, after, cache):
    """What a program in a process of its own, with the slow functions, wrote to stdout and stderr. ``after``: seconds
    of compiling after which a line may come."""
    file = folder / "slow.py"
    file.write_text(SLOW + body, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(cache)}
    return python(str(file), str(after), environment=environment)


THREE = """
@njit
def one(x): return pause(x) + 1
@njit
def two(x): return one(x) + pause(2.0 * x)
watch, begin = jit.Stopwatch(), time.perf_counter()
two(3); two(3.0); two(3 + 1j)
print(json.dumps([time.perf_counter() - begin - watch.seconds, bool(jit.compiled_now())]))
"""


TREE = """
import subprocess
@njit
def one(x): return pause(x) + 1
other = jit.compiler(Path(__file__).parent, work=jit.Work("something else", 100))
@other
def two(x): return pause(x) + 2
one(3); one(3.0); two(3 + 1j)
if len(sys.argv) < 3:
    subprocess.run([sys.executable, __file__, sys.argv[1], "child"], check=True)
"""
MOVES = f"{jit.COMPILING} {jit.MOVES}"
THEIRS = "@foreign\ndef theirs(x): return pause(x)\ntheirs(1)\nassert not jit.compiled_now()"


@pytest.mark.integration
def test_compiling_is_told_in_one_line_and_only_where_something_is_compiled(tmp_path):
    cache = tmp_path / "cache"
    out, err = program(tmp_path, THREE, SLEEP / 8, cache)
    left_out, still = json.loads(out)
    assert left_out >= 3 * SLEEP
    assert not still
    assert [line.split("/")[0] for line in err.splitlines()] == [f"{MOVES}; kept in "]
    assert "about 15 s" in err
    out, err = program(tmp_path, THREE, 0.0, cache)  # loads them
    assert err == ""
    assert json.loads(out)[0] > 0, "loading is nobody's time either"


@pytest.mark.integration
@pytest.mark.parametrize(
    ("body", "after", "told"),
    [
        (TREE, SLEEP / 8, [MOVES, f"{jit.COMPILING} the kernels for something else, about 100 s"]),
        (THREE, 1000.0, []),  # compiled quickly
        (THEIRS, 0.0, []),  # other people's functions
    ],
)
def test_each_work_is_told_once_in_all_processes_of_a_program(body, after, told, tmp_path):
    _, err = program(tmp_path, body, after, tmp_path / "cache")
    assert [line.split(";")[0] for line in err.splitlines()] == told


@pytest.mark.integration
def test_the_environment_may_ask_for_silence():
    code = "from mancala_env.kernels import jit; print(jit.SAY_AFTER)"
    for quiet, waits in (("1", True), ("", False)):
        environment = {**os.environ, jit.QUIET: quiet}
        assert (float(python("-c", code, environment=environment)[0]) > 1000) == waits


@pytest.fixture
def slow_call():
    """A function that compiles something slow every time it is called."""

    def pause(x):
        return x

    @overload(pause)
    def typed(x):
        time.sleep(SLEEP)
        return lambda x: x

    def call():
        numba.njit(lambda x: pause(x))(1)  # noqa: PLW0108 - a new function each time

    return call


def test_a_search_has_its_time_after_what_it_had_to_compile(slow_call, monkeypatch):
    searcher = Searcher("kalah")
    kernel, calls = search_kernel.search, []

    def first_compiled(*arguments):
        if not calls:
            slow_call()
        calls.append(1)
        return kernel(*arguments)

    kernel_state = mancala.ruleset("kalah").start()
    searcher.search(kernel_state, 1)
    monkeypatch.setattr(search_kernel, "search", first_compiled)
    begin = time.perf_counter()
    found = searcher.search(kernel_state, seconds=SLEEP / 2)
    assert found.depth > 1
    assert found.seconds <= time.perf_counter() - begin - SLEEP


def test_the_clock_of_an_agent_stands_while_it_compiles(slow_call):
    class Compiling:
        name = "compiling"

        def reset(self, seed):
            pass

        def act(self, state):
            slow_call()
            return state.legal_actions[0]

    state = mancala.ruleset("kalah").start()
    begin = time.perf_counter()
    action, seconds = AgentParticipant(Compiling()).move(state, (), state, Clock(1.0, 0.0))
    assert action == 0
    assert seconds <= time.perf_counter() - begin - SLEEP


SERVED = """
import io, json, sys
import mancala_env as mancala
from agents import make_agent
from agents.bots.server import Server
from mancala_env.kernels.jit import Stopwatch, _watch

game, spec = sys.argv[1:]


class Silent:
    def peek(self):
        return None


server = Server(make_agent(spec), Silent(), io.StringIO())
server._set_rules(f"{game} {{}}")
before = _watch.waited
rules = mancala.ruleset(game)
start = state = rules.start()
names = []
while not state.is_over and len(names) < 300:
    server._set_position(f"{start} moves {' '.join(names)}")
    server._set_board(str(state))
    server._go("movetime 20")
    name = server._out.getvalue().split()[-1]
    names.append(name)
    state = state.play(state.parse_move(name))
print(json.dumps([len(names), before, _watch.waited - before]))
"""


@pytest.mark.integration
@pytest.mark.parametrize(("game", "spec"), [("oware", "mcts:simulations=8"), ("kalah", "zoo:kalah")])
def test_a_served_agent_has_all_kernels_before_its_clock_runs(game, spec):
    moves, before, waited = json.loads(python("-c", SERVED, game, spec)[0])
    assert moves > 10
    assert before > 0
    assert waited == 0


EVENT = """
import json, sys
from agents.tournament.event import Event, Player
from agents.executors import LocalExecutor
from agents.tournament.run import run_event
from mancala_env.kernels.jit import _watch

class Executor(LocalExecutor):
    def run(self, function, arguments, **more):
        before = _watch.waited
        yield from super().run(function, arguments, **more)
        print(json.dumps([before, _watch.waited - before]))

if __name__ == "__main__":
    players = Player("a", "minimax:depth=2"), Player("b", "mcts:simulations=8"), Player("c", "greedy")
    run_event(Event(players, ("kalah",), pairs=1), sys.argv[1], executor=Executor(0))
"""


@pytest.mark.integration
def test_a_tournament_compiles_before_its_first_game(tmp_path):
    before, waited = json.loads(python("-c", EVENT, str(tmp_path / "event.db"))[0])
    assert before > 0
    assert waited == 0
