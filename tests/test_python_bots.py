"""Python files written for Kaggle, OpenSpiel and PettingZoo play in a process of their own, and agents play there."""

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
from agents.bots.serving.openspiel import SpielAgent, SpielBot, SpielGame
from agents.tournament.__main__ import main as tournament
from mancala_env import aec
from mancala_env.observation import make_encoder
from mancala_env.state import IllegalAction
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
    # A bot that keeps a position of its own from what it is told, and compares.
    "openspiel": """
class Bot:
    def __init__(self, game, player_id):
        self.mine, self.player = game.new_initial_state(), player_id

    def inform_action(self, state, player, action):
        assert str(state) == str(self.mine) and player == state.current_player()
        self.mine.apply_action(action)

    def step(self, state):
        assert str(state) == str(self.mine), (str(state), str(self.mine))
        assert state.history() == self.mine.history() and state.current_player() == self.player
        again = state.get_game().new_initial_state()
        for action in state.history():
            again.apply_action(action)
        assert again.observation_tensor(0) == state.observation_tensor(0)
        assert state.information_state_string() == ", ".join(map(str, state.history()))
        assert [k for k, legal in enumerate(state.legal_actions_mask()) if legal] == state.legal_actions()
        action = max(state.legal_actions(), key=lambda each: state.child(each).observation_tensor(0)[7])
        self.mine.apply_action(action)
        return action

class Uniform:
    def __init__(self, game):
        self.actions = game.num_distinct_actions()

    def action_probabilities(self, state, player_id=None):
        legal = state.legal_actions()
        return {action: 1 / len(legal) for action in legal}
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
def test_a_policy_draws_by_its_probabilities(files):
    with bot_of(files["openspiel"] + ":Uniform") as bot:
        games = [play(bot, KALAH, 1) for _ in range(2)]
        assert games[0] == games[1]  # the same seed
        assert len({action for _, action in games[0]}) > 2


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
    players = [f"{style}={files[style]}" for style in ("kaggle", "openspiel")]
    arguments = ["--agents", *players, "--rules", "kalah", "--pairs", "1", "--out", str(tmp_path / "event.db")]
    assert tournament([*arguments, "--no-report", "--quiet", "--processes", "0"]) == 0
    assert "by faults" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bot:protocol=kaggle,command={}/none.py", "there is no file"),
        ("bot:protocol=kaggle,command=python3 {}/bad.py", "the command is FILE.py or FILE.py:NAME alone"),
        ("bot:protocol=openspiel,command={}/bad.py:play", "defines no function 'play'; it has choose"),
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
    with pytest.raises(ValueError, match=r"neither step\(state\) nor action_probabilities"):
        SpielAgent(object(), "nothing")


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


def method_of(name, answer):
    return type("Mine", (), {name: lambda self, state: answer})()


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (method_of("step", None), r"mine chose None, not of \[8, 9, 10, 11, 12\]"),
        (method_of("step", 8.7), "mine chose 8.7, not of"),
        (method_of("step", 3), "mine chose 3, not of"),  # a hole of the opponent
        (method_of("step", True), "mine chose True, not of"),
        (method_of("action_probabilities", {}), r"gave no probabilities of \[8, 9, 10, 11, 12\], but {}"),
        (method_of("action_probabilities", {8: 0.0}), "gave no probabilities"),
        (method_of("action_probabilities", {8: float("nan")}), "gave no probabilities"),
        (method_of("action_probabilities", {8: 2.0, 9: -1.0}), "gave no probabilities"),
        (method_of("action_probabilities", {1: 1.0}), "mine chose 1, not of"),
    ],
)
def test_no_action_of_openspiel_s_is_an_illegal_move(made, said):
    agent = SpielAgent(made, "mine")
    agent.reset(0)
    state = mancala.State.parse(KALAH, "kalah 4-4-4-4-4-4-4-4-4-4-4-0-0-4-N")
    with pytest.raises(IllegalAction, match=said):
        agent.act(state)


def test_numbers_of_numpy_are_taken():
    agent = SpielAgent(method_of("step", np.int32(8)), "mine")
    agent.reset(0)
    assert agent.act(KALAH.start().play(3)) == 0


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


def test_every_action_has_a_number_of_its_own_in_openspiel():
    """Holes are numbered as there only where each pit is one action."""
    for rules in (KALAH, mancala.ruleset("kalah", direction="choice"), OWARE):
        game = SpielGame(rules)
        state = game.new_initial_state()
        for _ in range(4):
            numbers = state.legal_actions()
            assert [k for k, legal in enumerate(state.legal_actions_mask()) if legal] == numbers
            state.apply_action(numbers[-1])


@pytest.mark.parametrize(
    ("name", "rules"),
    [("mancala", KALAH), ("oware", OWARE.changes(grand_slam="no_capture", indeterminacy_max_seeds=0))],
)
def test_our_agents_play_openspiel_s_games_as_its_bots(name, rules):
    """Its own state goes in, and numbers of its actions come out; ours has the same methods and values."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs, ours = pyspiel.load_game(name).new_initial_state(), SpielGame(rules).new_initial_state()
    bots = [SpielBot("minimax:depth=2", rules), SpielBot("random", rules, seed=3)]
    assert theirs.num_distinct_actions() == ours.num_distinct_actions()
    while not theirs.is_terminal():
        player = theirs.current_player()
        assert (ours.current_player(), ours.legal_actions()) == (player, theirs.legal_actions())
        assert ours.legal_actions_mask() == theirs.legal_actions_mask()
        assert ours.observation_tensor(0) == pytest.approx(theirs.observation_tensor(0))
        assert (ours.history(), ours.history_str()) == (theirs.history(), theirs.history_str())
        action = bots[player].step(theirs)
        theirs.apply_action(action)
        ours.apply_action(action)
    assert ours.is_terminal()
    assert ours.returns() == theirs.returns()
    assert ours.current_player() == theirs.current_player()


def test_a_bot_of_openspiel_s_plays_here_by_its_own_state():
    """A bot that rebuilds OpenSpiel's own state from the history it is given, and plays what is legal there."""
    pyspiel = pytest.importorskip("pyspiel")

    class Replays:
        def step(self, state):
            own = pyspiel.load_game("mancala").new_initial_state()
            for action in state.history():
                own.apply_action(action)
            return own.legal_actions()[0]

    agent = SpielAgent(Replays(), "replays")
    agent.reset(0)
    state, actions = KALAH.start(), []
    while not state.is_over:
        agent.hear(KALAH.start(), actions)
        actions.append(agent.act(state))
        assert actions[-1] == state.legal_actions[0]
        state = state.play(actions[-1])


def test_a_bot_for_another_game_is_told_so():
    with pytest.raises(ValueError, match="legal are"):
        SpielBot("random", "kalah").step(SpielGame(OWARE).new_initial_state())
