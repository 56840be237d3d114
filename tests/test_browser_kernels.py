"""The kernels as WebAssembly, run by Python as it is in a browser, here in Node: the same games as Numba plays."""

import inspect
import json
import shutil
import subprocess
from pathlib import Path

import numba
import pytest

import mancala_env as mancala
from agents import make_agent
from docs import browser as static
from docs.browser import ahead, engine
from tests.digests import digest

# Twenty kinds: matches, decisions, relays, marks, single rows, four rows, solitaires, piles, games about no seeds ...
KINDS = (
    "oware", "kalah", "hus", "layli_goobalay_match", "bao_kiswahili", "diffusion", "reaping", "omweso", "toguz",
    "sungka", "songo", "bohnenspiel", "o_an_quan", "tchuka_ruma", "owela", "misoro_tsoro", "katra_boaoaka",
    "oware_territory", "luuth", "mefuvha",
)  # fmt: skip
GAMES, STEPS = 1000, 60
PLAYERS = ("minimax:depth=6", "zoo:oware-search,depth=6", "mcts:simulations=300")
PROGRAM = f"""
import hashlib, json
import mancala_env as mancala
from agents import make_agent
GAMES, STEPS = {GAMES}, {STEPS}
{inspect.getsource(digest)}
found = {{name: digest(name) for name in {KINDS}}}
state = mancala.ruleset("oware").start().play(2)
moves = [make_agent(name + ",seed=1").act(state) for name in {PLAYERS}]
print(json.dumps([found, moves]))
"""
EVERY_GAME = """
import json
import mancala_env as mancala
from agents.play import session
from docs.browser.game import answer

session.HINT_NODES = 500

def ask(command, **more):
    told = json.loads(answer(json.dumps({"command": command, **more})))
    if "error" in told:
        raise RuntimeError(f"{game}: {command}: {told['error']}")
    return told.get("game", told)

for game in mancala.RULESETS:
    told = ask("begin", rules=game, against="minimax:depth=2", seat=0, seed=0)
    for _ in range(6):
        if told["turn"] == "person":
            ask("hint", ply=told["ply"])
            told = ask("move", ply=told["ply"], action=told["legal"][0][0])
        elif told["turn"] == "agent":
            told = ask("reply", ply=told["ply"])
    ask("analyse", ply=told["ply"], at=0)
    for each in ask("example")["found"]:
        ask("example", of=each["of"])
print("all")
"""


@pytest.fixture(scope="module")
def in_a_browser(tmp_path_factory):
    """What a program prints there."""
    if shutil.which("node") is None:
        pytest.skip("there is no node")
    kept, place = static.cache_folder(), tmp_path_factory.mktemp("browser")
    try:
        static.fetch(kept)
    except OSError as error:
        pytest.skip(str(error))
    (place / "sources.zip").write_bytes(static.sources())

    def run(program):
        (place / "program.py").write_text(program)
        command = ["node", Path(__file__).with_name("pyodide.mjs"), kept, place / "sources.zip", place / "program.py"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    return run


@pytest.mark.integration
def test_a_thousand_games_of_twenty_kinds_and_all_searches_are_those_of_numba(in_a_browser):
    played, moves = json.loads(in_a_browser(PROGRAM))
    assert played == {name: digest(name, GAMES, STEPS) for name in KINDS}
    state = mancala.ruleset("oware").start().play(2)
    assert moves == [make_agent(f"{name},seed=1").act(state) for name in PLAYERS]


@pytest.mark.slow
def test_the_page_finds_every_kernel_that_it_needs_for_every_game(in_a_browser):
    assert in_a_browser(EVERY_GAME).strip() == "all"


def test_a_kernel_for_other_arguments_says_so():
    def kernel(number):
        """For any number."""

    found = ahead.Kernel(kernel, [])
    with pytest.raises(TypeError, match=r"kernel was not compiled for \(int16\[2\], str\)"):
        found(mancala.Batch("kalah", 2).positions, "x")
    with pytest.raises(RuntimeError, match="cannot be passed"):
        engine.kind(numba.types.unicode_type)
