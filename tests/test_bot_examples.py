"""The examples of ``agents/bots/examples``: programs that stand between the bots' protocol and another one."""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from agents.bots.client import Bot, BotFault
from agents.bots.commands import resolve_command
from agents.bots.examples import kgp, language_model
from agents.bots.examples.language_model import LanguageModel, read_move
from agents.bots.examples.openspiel import RULES, SpielAgent, SpielBot
from agents.executors import LocalExecutor
from agents.tournament.event import Event, Player
from agents.tournament.run import run_event
from agents.tournament.store import Store
from mancala_env import ruleset
from mancala_env.state import IllegalAction
from tests.processes import PATIENCE

if os.name != "posix":
    pytest.skip("bots run on Linux and macOS", allow_module_level=True)

ROOT = Path(__file__).parents[1]
KGP = f"cmd:{sys.executable} {kgp.__file__} bot"


@pytest.mark.integration
def test_the_kalah_game_protocol_in_both_directions():
    """The client that the bot starts is an agent that plays on its server."""
    rules = ruleset("kalah:pits_per_row=3,seeds=2")
    client = f"/usr/bin/env PYTHONPATH={ROOT} {sys.executable} {kgp.__file__} play 127.0.0.1:{{port}} minimax:depth=2"
    with Bot(resolve_command(f"{KGP} {client}"), start_timeout=PATIENCE) as bot:
        bot.new_game(rules)
        state, actions = rules.start(), []
        while not state.is_over:
            actions.append(bot.move(rules.start(), actions, state, movetime=PATIENCE).action)
            state = state.play(actions[-1])
        assert bot.name == "minimax:depth=2"
        with pytest.raises(BotFault, match="refused: oware"):
            bot.new_game(ruleset("oware"))


@pytest.mark.integration
def test_a_client_that_thinks_until_it_is_told_to_stop(tmp_path):
    client = tmp_path / "client.py"
    client.write_text(
        "import os, socket\n"
        "lines = socket.create_connection((os.environ['KGP_HOST'], int(os.environ['KGP_PORT']))).makefile('rw')\n"
        "def say(text): lines.write(text + '\\r\\n'); lines.flush()\n"
        "lines.readline(); say('1 ping x'); assert lines.readline() == '2@1 pong x\\n'; say('mode freeplay')\n"
        "assert lines.readline() == '4 state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>\\n'\n"
        "say('3@2 move 1'); say('5@4 move 2'); say('7@4 move 3'); assert lines.readline() == '6@4 stop\\n'\n"
        "assert lines.readline().startswith('8 state'); raise SystemExit('bad luck')\n"
    )
    kalah = ruleset("kalah")
    with Bot(resolve_command(f"{KGP} {sys.executable} {client}"), start_timeout=PATIENCE) as bot:
        bot.new_game(kalah)
        assert bot.move(kalah.start(), (), kalah.start(), movetime=0.3).action == 2
        with pytest.raises(BotFault, match=r"crash: exit code 1; .*the other end closed the connection"):
            bot.move(kalah.start(), (2,), kalah.start().play(2), movetime=PATIENCE)
    missing = Bot(resolve_command(f"{KGP} sh -c 'exit 3'"), start_timeout=PATIENCE)
    with missing, pytest.raises(BotFault, match=r"start: .*ended with exit code 3 before it connected"):
        missing.start()


@pytest.fixture
def endpoint(monkeypatch):
    """Answers by the steps of a script, then with the last legal move that it was told; what it heard."""
    monkeypatch.setattr(language_model, "_WAIT", 0.0)
    steps, heard = [], []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            heard.append(
                (self.headers["Authorization"], json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            )
            legal = heard[-1][1]["messages"][-1]["content"].partition("Your legal moves: ")[2].split(".")[0].split()
            step = steps.pop(0) if steps else f"I think.\nMOVE: {legal[-1]}"
            self.send_response(step if isinstance(step, int) else 200)
            self.send_header("Location", "/elsewhere")
            self.end_headers()
            told = {"choices": [{"message": {"content": step}}], "usage": {"total_tokens": 12}}
            self.wfile.write(json.dumps(told).encode())

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", steps, heard
        server.shutdown()


def test_a_language_model_is_told_what_it_needs_and_asked_again(endpoint, monkeypatch):
    monkeypatch.setenv("LLM_API_KEY", "sk-secret")
    url, steps, heard = endpoint
    rules = ruleset("kalah")
    state = rules.start().play(2)
    agent = LanguageModel(url, "stub", retries=4)
    agent.reset(5)
    agent.hear(rules.start(), [2])
    steps += ["MOVE: Z", 503, "MOVE: A or B", "**Move: B.**"]
    assert agent.act(state) == 1
    assert agent.told == (None, None, 2, 36)
    assert {key for key, _ in heard} == {"Bearer sk-secret"}
    system, user, *_, wrong = (message["content"] for message in heard[-1][1]["messages"])
    assert rules.describe() in system
    assert state.to_text() in user
    assert f"Moves since {rules.start()}: C\nYour legal moves: A, B, D, E, F" in user
    assert "names no legal move" in wrong
    steps += ["I resign"] * 5
    with pytest.raises(IllegalAction, match=r"named no legal move in kalah .* 'I resign'; legal are A, B, D"):
        agent.act(state)
    steps += [302] * 5
    with pytest.raises(OSError, match=r"stub: no answer that can be read .*302"):
        agent.act(state)
    assert len(heard) == 14  # nobody went elsewhere


def test_a_language_model_plays_in_an_event(endpoint, tmp_path):
    url, steps, _ = endpoint
    steps += ["nothing"]
    event = Event((Player("model", "a model"), Player("random", "random")), ("kalah:pits_per_row=2,seeds=2",), pairs=1)
    run_event(event, tmp_path / "event.db", executor=LocalExecutor(0), agents={"model": LanguageModel(url, "stub")})
    with Store(tmp_path / "event.db") as store:
        thoughts = [thought for record in store.records() for thought in record.thoughts]
    assert sum(thought.illegal or 0 for thought in thoughts) == 1
    assert {thought.tokens for thought in thoughts} == {None, 12, 24}


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("I would rather not play A.\n\nMOVE: **C**", 2),
        ("<think>MOVE: A</think>\nMOVE: C", 2),
        ("<think>Perhaps MOVE: A, but", None),
        ('{"move": "C"}', 2),
        ("C", 2),
        ("MOVE: A\nNo, wait.\nMOVE: C", 2),
        ("MOVE: A or C", None),
        ("MOVE:", None),
        ("A, B, C", None),
        ("", None),
    ],
)
def test_answers_are_read_where_they_mean_one_move(answer, move):
    assert read_move(ruleset("kalah").start(), answer) == move


@pytest.mark.parametrize("game", RULES)
def test_agents_play_openspiel_s_games_as_its_bots(game):
    pyspiel = pytest.importorskip("pyspiel")
    state, rules = pyspiel.load_game(game).new_initial_state(), RULES[game]
    bots, ours = [SpielBot("minimax:depth=2", game), SpielBot("random", game, seed=3)], rules.start()
    while not state.is_terminal():
        place = state.legal_actions().index(bots[state.current_player()].step(state))
        state.apply_action(state.legal_actions()[place])
        ours = ours.play(ours.legal_actions[place])
    assert (ours.is_over, list(ours.returns)) == (True, state.returns())
    with pytest.raises(ValueError, match="other moves are legal here"):
        SpielBot("random", "oware").step(pyspiel.load_game("mancala").new_initial_state())


@pytest.mark.parametrize("game", RULES)
def test_bots_of_openspiel_play_here(game, tmp_path):
    pytest.importorskip("pyspiel")
    rules = RULES[game]

    class Mirror:
        """Keeps a state of its own by what it is told, and plays the last legal action."""

        def __init__(self, game, player_id):
            self.own = game.new_initial_state()

        def inform_action(self, state, player, action):
            assert (str(state), state.current_player()) == (str(self.own), player)
            self.own.apply_action(action)

        def step(self, state):
            assert str(state) == str(self.own)
            self.own.apply_action(state.legal_actions()[-1])
            return state.legal_actions()[-1]

    text = f"{rules.name}:grand_slam=no_capture,indeterminacy_max_seeds=0" if game == "oware" else "kalah"
    event = Event((Player("theirs", "a bot of OpenSpiel's"), Player("random", "random")), (text,), pairs=2)
    run_event(event, tmp_path / "event.db", executor=LocalExecutor(0), agents={"theirs": SpielAgent(Mirror, game)})
    with Store(tmp_path / "event.db") as store:
        for record in store.records():
            assert record.fault is None
            seat = (record.south, record.north).index("theirs")
            states = zip(record.states(rules), record.actions, strict=False)
            assert all(action == state.legal_actions[-1] for state, action in states if state.player == seat)
