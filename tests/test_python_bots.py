"""Python files written for Kaggle and PettingZoo play in a process of their own, and agents play there."""

import io
import os
import random
import sys

import numpy as np
import pytest

import mancala_env as mancala
from agents import make_agent
from agents.bots import check
from agents.bots.client import Bot, BotFault
from agents.bots.commands import read_program
from agents.bots.serving.functions import load_function
from agents.bots.serving.kaggle import KaggleAgent, configuration_of, kaggle_agent, observation_of
from agents.bots.serving.lines import Lines
from agents.bots.serving.mancala import Server
from agents.tournament.__main__ import main as tournament
from mancala_env import aec
from mancala_env.observation import make_encoder
from tests.processes import PATIENCE

if os.name != "posix":
    pytest.skip("bots run on Linux and macOS", allow_module_level=True)

KALAH, OWARE = mancala.ruleset("kalah"), mancala.ruleset("oware")
FILES = {
    # Checks what it is given, and plays the last legal move.
    "kaggle": """
GAMES = ("kalah", "oware")

def helper(x):
    return x

def agent(observation, configuration):
    columns = configuration.columns
    own = observation.board[:columns] if observation.mark == 1 else observation.board[columns:]
    legal = [k for k, seeds in enumerate(own) if seeds]
    assert set(observation.legal_actions) <= set(legal), observation
    assert observation["stores"] == observation.stores and configuration.rules["name"] == configuration.name
    assert configuration.actTimeout is None or observation.remainingOverageTime >= 0
    assert observation.step == 0 or observation.position.endswith(f"ply={observation.step}")
    return observation.legal_actions[-1]
""",
    "pettingzoo": """
import numpy as np

def act(observation, action_mask):
    assert observation.dtype == np.float32 and action_mask.dtype == np.int8
    return int(np.flatnonzero(action_mask)[0])
""",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A word for a bot of each style, each file in a folder of its own."""
    words = {}
    for style, body in FILES.items():
        file = tmp_path_factory.mktemp(style) / "mine.py"
        file.write_text(body)
        words[style] = f"bot:protocol={style},command={file}"
    return words


def bot_of(text, **settings):
    program = read_program(text)
    return Bot(program.command, protocol=program.protocol, start_timeout=PATIENCE, **settings)


def play(bot, rules, seat):
    """The bot's moves in a game against random ones, and the positions of these."""
    bot.new_game(rules, seat)
    draw = random.Random(seat)
    opening = state = rules.start()
    actions, chosen = [], []
    while not state.is_over:
        action = draw.choice(state.legal_actions)
        if state.player == seat:
            action = bot.move(opening, actions, state, movetime=1.0, bank=60.0, hard_limit=PATIENCE).action
            chosen.append((state, action))
        actions.append(action)
        state = state.play(action)
    return chosen


@pytest.mark.integration
@pytest.mark.parametrize("style", FILES)
def test_whole_games_in_both_seats(files, style):
    last = {"kaggle": -1, "pettingzoo": 0}
    with bot_of(files[style]) as bot:
        for seat, rules in enumerate((KALAH, OWARE)):
            chosen = play(bot, rules, seat)
            assert len(chosen) > 3
            if style in last:
                assert all(action == state.legal_actions[last[style]] for state, action in chosen)
        assert bot.games == (("kalah", "oware") if style == "kaggle" else ())


@pytest.mark.integration
@pytest.mark.parametrize("style", FILES)
def test_the_checker_tries_them_in_the_sandbox(files, style, capsys):
    """They need our package, NumPy and compiled kernels: these are in the box."""
    arguments = ["--rules", "kalah:seeds=3", "--games", "1", "--margin", "5", "--timeout", str(PATIENCE)]
    code = check.main([files[style], *arguments])
    told = capsys.readouterr()
    assert code == 0, told.out
    assert "FAILED" not in told.out
    assert "bubblewrap" in told.err


@pytest.mark.integration
def test_a_tournament_with_random_openings(files, tmp_path, capsys):
    players = [f"{style}={files[style]}" for style in FILES]
    arguments = ["--agents", *players, "--rules", "kalah", "--pairs", "1", "--out", str(tmp_path / "event.db")]
    assert tournament([*arguments, "--no-report", "--quiet", "--processes", "0"]) == 0
    assert "by faults" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bot:protocol=kaggle,command={}/none.py", "there is no file"),
        ("bot:protocol=kaggle,command=python3 {}/bad.py", "the command is FILE.py or FILE.py:NAME alone"),
        ("bot:protocol=pettingzoo,command={}/bad.py:play", "defines no function 'play'; it has choose"),
        ("bot:protocol=pettingzoo,encoder=x,command={}/bad.py", "protocol pettingzoo has no setting 'encoder'"),
        ("bot:protocol=kaggle,command={}/minus.py:agent", r"no Python that can be read: \w"),
        ("bot:protocol=kaggle,command={}/dots.py:agent", r"no Python that can be read: \w"),
    ],
)
def test_a_file_that_cannot_play_is_refused_before_it_runs(tmp_path, text, said):
    (tmp_path / "bad.py").write_text("def choose(state):\n    return 0\n")
    for name, deep in (("minus", "-" * 300_000 + "1"), ("dots", "x" + ".x" * 300_000)):
        (tmp_path / f"{name}.py").write_text(f"def agent(observation):\n    return 0\nx = {deep}\n")
    with pytest.raises((ValueError, FileNotFoundError), match=said):
        read_program(text.format(tmp_path))


@pytest.mark.integration
def test_what_a_file_lacks_or_does_wrong_is_said(tmp_path):
    file = tmp_path / "bad.py"
    file.write_text("def choose(state):\n    return 0\n")
    for style in FILES:
        with pytest.raises(ValueError, match=r"defines no function of the name .* it has choose"):
            load_function(str(file), style)
    file.write_text("def agent(observation):\n    return 'C'\n")
    with bot_of(f"bot:protocol=kaggle,command={file}") as bot:
        bot.new_game(KALAH)
        with pytest.raises(BotFault, match=r"illegal_move: .* chose 'C', not of"):
            bot.move(KALAH.start(), (), KALAH.start(), hard_limit=PATIENCE)


def test_games_are_one_name_or_several(tmp_path):
    """Parentheses around one name make no tuple of it."""
    file = tmp_path / "mine.py"
    for games, heard in (('("kalah")', ("kalah",)), ('["kalah", "oware"]', ("kalah", "oware"))):
        file.write_text(f"GAMES = {games}\ndef agent(observation):\n    return 0\n")
        assert load_function(str(file), "kaggle").games == heard
    for games in ("None", "(KALAH := 5, 6)"):
        file.write_text(f"GAMES = {games}\ndef agent(observation):\n    return 0\n")
        with pytest.raises(ValueError, match="GAMES is a sequence of names of games, not "):
            load_function(str(file), "kaggle")


@pytest.mark.integration
def test_the_host_s_lines_are_not_for_the_file_and_its_exit_is_told(tmp_path):
    file = tmp_path / "reads.py"
    file.write_text("""
import subprocess, sys

def agent(observation):
    if observation.step:
        sys.exit()
    print("bestmove A")
    assert sys.stdin.read() == ""
    assert subprocess.run(["cat"], capture_output=True).stdout == b""
    return 3
""")
    state = KALAH.start()
    with bot_of(f"bot:protocol=kaggle,command={file}") as bot:
        bot.new_game(KALAH)
        assert bot.move(state, (), state, movetime=0.0, bank=0.0, hard_limit=PATIENCE).action == 3
        after = state.play(3)
        with pytest.raises(BotFault, match=r"crash: exit code 1; stderr: .*SystemExit: .*reads\.py, line 6"):
            bot.move(state, (3,), after, hard_limit=PATIENCE)
    file.write_text("def agent(observation):\n    return 0\nraise SystemExit\n")
    with (
        bot_of(f"bot:protocol=kaggle,command={file}") as bot,
        pytest.raises(BotFault, match=r"start: exit code 2; stderr: .*SystemExit: .*reads\.py, line 3"),
    ):
        bot.start()


def test_a_position_without_moves_is_enough(tmp_path):
    """A host may send "board" alone, as to agents that hear no moves."""
    steps = []

    def agent(observation):
        steps.append(observation.step)
        return observation.legal_actions[0]

    class Hears(KaggleAgent):
        def hear(self, begin, actions):
            assert (begin.ply, len(actions)) == (7, 0)

    reading, writing = os.pipe()
    os.write(writing, b"rules kalah {}\nboard kalah 4-4-4-4-4-4-4-4-4-4-4-0-0-4-S ply=7\ngo\n")
    os.close(writing)
    out = io.StringIO()
    Server(Hears(agent, "mine"), Lines(reading), out).run()
    os.close(reading)
    assert out.getvalue().splitlines() == ["rulesok", "bestmove A"]
    assert steps == [7]


@pytest.mark.integration
def test_a_stranger_s_file_is_never_loaded_here(tmp_path):
    file = tmp_path / "trap.py"
    file.write_text("import os, sys\nsys.modules['trapped'] = os\ndef agent(observation):\n    return 0\n")
    read_program(f"bot:protocol=kaggle,command={file}:agent")
    with bot_of(f"bot:protocol=kaggle,command={file}") as bot:
        bot.start()
    assert "trapped" not in sys.modules


def test_masks_and_observations_are_those_of_the_environment():
    heard = []

    def act(observation, action_mask):
        heard.append((observation, action_mask))
        return 0

    agent = load_of(act)
    state = OWARE.start().play(2)
    assert agent.act(state) == 0
    env = aec.env("oware")
    env.reset(seed=0)
    env.step(2)
    seen = env.observe(env.agent_selection)
    assert np.array_equal(heard[0][0], seen["observation"])
    assert np.array_equal(heard[0][1], seen["action_mask"])
    assert heard[0][0].shape == make_encoder("onehot", OWARE).shape


def load_of(function):
    from agents.bots.serving.pettingzoo import MaskedAgent

    return MaskedAgent(function, "mine")


def test_our_agents_are_agents_of_kaggle():
    ours, theirs = make_agent("greedy"), kaggle_agent("greedy")
    rules = mancala.ruleset("kalah", seeds=3, pits_per_row=4)
    ours.reset(0)
    state = rules.start()
    while not state.is_over:
        action = theirs(observation_of(state), configuration_of(state))
        assert action == ours.act(state)
        state = state.play(action)


def test_our_agents_are_reset_between_games_of_kaggle_s_only():
    resets = []

    class First:
        name = "first"

        def reset(self, seed):
            resets.append(seed)

        def act(self, state):
            return state.legal_actions[0]

    agent = kaggle_agent(First(), seed=5)
    for _ in range(2):
        state = KALAH.start()
        for _ in range(3):
            state = state.play(agent(observation_of(state), configuration_of(state)))
    assert resets == [5, 5]  # when it was made, and before the second game
