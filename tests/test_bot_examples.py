"""The examples of ``agents/bots/examples``: programs that stand between the bots' protocol and another one."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from agents.bots.examples import language_model
from agents.bots.examples.language_model import LanguageModel, read_move
from agents.executors import LocalExecutor
from agents.tournament.event import Event, Player
from agents.tournament.run import run_event
from agents.tournament.store import Store
from mancala_env import ruleset
from mancala_env.state import IllegalAction


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
    assert agent.info == (None, None, 2, 36)
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
