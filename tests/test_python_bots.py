"""Python functions play in a process of their own, which alone loads their file."""

import sys

import numpy as np
import pytest

import mancala_env as mancala
from agents.bots.client import Bot, BotFault
from agents.bots.commands import resolve_command
from agents.bots.examples import masked
from agents.bots.server import FunctionAgent, load_function
from mancala_env import aec
from tests.processes import PATIENCE
from tests.test_bots import playout, serve_here

KALAH, OWARE = mancala.ruleset("kalah"), mancala.ruleset("oware")


def bot_of(text):
    return Bot(resolve_command(text), start_timeout=PATIENCE)


def test_masks_and_observations_are_those_of_the_environment(monkeypatch):
    heard = []
    monkeypatch.setattr(masked, "act", lambda observation, mask: heard.append((observation, mask)) or 0)
    assert masked.play(OWARE.start().play(2)) == 0
    env = aec.env("oware")
    env.reset(seed=0)
    env.step(2)
    seen = env.observe(env.agent_selection)
    assert np.array_equal(heard[0][0], seen["observation"])
    assert np.array_equal(heard[0][1], seen["action_mask"])


def test_what_a_file_says_is_read(tmp_path):
    """A function that is not there is refused before the file runs; parentheses around one name make no tuple."""
    file = tmp_path / "mine.py"
    file.write_text("def choose(state):\n    return 0\n")
    with pytest.raises(ValueError, match="defines no function 'play'; it has choose"):
        resolve_command(f"python:{file}:play")
    file.write_text("from helper import *\n")  # which may bring it
    assert resolve_command(f"python:{file}:play")[-1] == f"{file}:play"
    for games, heard in (('("kalah")', ("kalah",)), ('["kalah", "oware"]', ("kalah", "oware"))):
        file.write_text(f"GAMES = {games}\ndef play(state):\n    return 0\n")
        assert load_function(f"{file}:play").games == heard
    for games in ("None", "(KALAH := 5, 6)"):
        file.write_text(f"GAMES = {games}\ndef play(state):\n    return 0\n")
        with pytest.raises(ValueError, match="GAMES is a sequence of names of games, not "):
            load_function(f"{file}:play")


@pytest.mark.integration
def test_a_python_function_is_a_bot_that_neither_reads_the_host_s_lines_nor_writes_answers(tmp_path):
    (tmp_path / "helper.py").write_text("def last(state):\n    return state.legal_actions[-1]\n")
    file = tmp_path / "mine.py"
    file.write_text("""
import helper, random, subprocess, sys
sys.modules["trapped"] = sys

def play(state):
    if state.rules.name == "oware":
        return random.choice(state.legal_actions)
    print("bestmove A")
    assert sys.stdin.read() == ""
    assert subprocess.run(["cat"], capture_output=True).stdout == b""
    return [helper.last, lambda state: 99, lambda state: 1 / 0, lambda state: sys.exit()][state.ply](state)
""")
    states = [KALAH.start()]
    for action in (5, 0, 1):
        states.append(states[-1].play(action))
    faults = [
        None,
        r"illegal_move: .*mine\.play played 99",
        r"crash: .*ZeroDivisionError: division by zero .*mine\.py, line 11",
        r"crash: exit code 1; stderr: .*SystemExit: .*mine\.py, line 11",
    ]
    with bot_of(f"python:{file}:play") as bot:
        games = [playout(bot, OWARE, seed) for seed in (1, 2, 1)]
        assert games[0] == games[2] != games[1]
        assert bot.name == "mine.play"
        for state, said in zip(states, faults, strict=True):
            bot.new_game(KALAH)
            if said is None:
                assert bot.move(state, (), state, movetime=0.0, bank=0.0, hard_limit=PATIENCE).action == 5
                continue
            with pytest.raises(BotFault, match=said):
                bot.move(state, (), state, hard_limit=PATIENCE)
    assert "trapped" not in sys.modules
    file.write_text("def play(state):\n    return 0\nraise SystemExit\n")
    with (
        bot_of(f"python:{file}:play") as bot,
        pytest.raises(BotFault, match=r"start: exit code 2; stderr: .*SystemExit: .*mine\.py, line 3"),
    ):
        bot.start()


def test_a_position_without_moves_is_enough():
    """A host may send "board" alone, as to agents that hear no moves."""
    plies = []

    class Hears(FunctionAgent):
        def hear(self, begin, actions):
            plies.append((begin.ply, len(actions)))

    agent = Hears(lambda state: state.legal_actions[0], "mine")
    said = serve_here("rules kalah {}\nboard kalah 4-4-4-4-4-4-4-4-4-4-4-0-0-4-S ply=7\ngo\n", agent)
    assert said == ["rulesok", "bestmove A"]
    assert plies == [(7, 0)]
