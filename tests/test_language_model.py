"""A language model as an agent, against an endpoint on loopback that answers as a script says."""

import json
import os
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import mancala_env as mancala
from agents import make_agent
from agents.bots import check
from agents.evaluation.match import evaluate
from agents.language_model import EndpointError, position_prompt, read_move
from agents.play.session import Session
from agents.tournament.__main__ import main as tournament
from agents.tournament.store import Store
from mancala_env.state import IllegalAction
from tests.processes import PATIENCE
from tests.test_play_web import SMALL, at_table, moved, only, served
from training.evaluate import main as evaluation

KALAH = mancala.ruleset("kalah")
START = KALAH.start()
SECRET = "sk-very-secret"


class Endpoint(ThreadingHTTPServer):
    """Answers each request by the next step of a script; after its end with the last legal move that it was told."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.steps, self.heard, self.keys = [], [], []
        self.release = threading.Event()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request, client_address):
        """Who asks may have gone."""


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        server = self.server
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.heard.append(request)
        server.keys.append(self.headers["Authorization"])
        legal = request["messages"][-1]["content"].partition("Your legal moves: ")[2].split(".")[0].split()
        step = server.steps.pop(0) if server.steps else f"I think.\nMOVE: {legal[-1]}"
        if isinstance(step, bytes):
            self.wfile.write(step)
            return
        if step == "hang":
            server.release.wait(PATIENCE)
            return
        if step == "drip":
            self.send_response(200)
            self.end_headers()
            for _ in range(200):
                if server.release.wait(0.05):
                    break
                self.wfile.write(b" ")
                self.wfile.flush()
            return
        status, body = step if isinstance(step, tuple) else (200, completion(step))
        self.send_response(status)
        if status == 302:
            self.send_header("Location", f"{server.url}/elsewhere")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def completion(text, tokens=12):
    told = {"choices": [{"message": {"role": "assistant", "content": text}}], "usage": {"total_tokens": tokens}}
    return json.dumps(told).encode()


@pytest.fixture(scope="module")
def server():
    made = Endpoint()
    yield made
    made.release.set()
    made.shutdown()
    made.server_close()


@pytest.fixture
def endpoint(server, monkeypatch):
    monkeypatch.setattr("agents.language_model._WAIT", 0.001)
    monkeypatch.delenv("LLM_API_KEY", raising=False)
    server.steps, server.heard, server.keys = [], [], []
    return server


def agent_of(endpoint, **settings):
    return make_agent(",".join([f"llm:url={endpoint.url},model=stub", *(f"{k}={v}" for k, v in settings.items())]))


def test_it_is_told_rules_board_moves_and_what_is_legal(endpoint):
    agent = agent_of(endpoint)
    state = START.play(2).play(0).play(7 - 6)
    agent.hear(START, [2, 0, 1])
    assert agent.act(state) == state.legal_actions[-1]
    (request,) = endpoint.heard
    system, user = (message["content"] for message in request["messages"])
    assert (request["model"], request["temperature"]) == ("stub", 0.0)
    assert KALAH.describe().split("What can be chosen")[0].strip() in system
    assert state.to_text() in user
    assert "You are South" in user or "You are North" in user
    names = [START.name(2), START.play(2).name(0), START.play(2).play(0).name(1)]
    assert f"Moves since the start: {' '.join(names)}\n" in user
    assert f"Your legal moves: {', '.join(state.name(action) for action in state.legal_actions)}" in user
    assert agent.told == (None, None, 0, 12)
    assert f"Moves since the position {state}: none\n" in position_prompt(state)  # where nobody has told them


def test_illegal_answers_are_counted_and_asked_again(endpoint):
    endpoint.steps = ["MOVE: Z", "MOVE: A or C", "", "**Move: C.**"]
    agent = agent_of(endpoint)
    assert agent.act(START) == 2
    assert agent.told == (None, None, 3, 48)
    assert (agent.used.moves, agent.used.illegal, agent.used.tokens) == (1, 3, 48)
    again = endpoint.heard[-1]["messages"]
    assert [message["role"] for message in again] == ["system", "user", *["assistant", "user"] * 3]
    assert "That names no legal move. Your legal moves: A, B, C, D, E, F." in again[-1]["content"]


def test_used_up_retries_are_an_illegal_move(endpoint):
    endpoint.steps = ["I resign"] * 3
    agent = agent_of(endpoint, retries=2)
    with pytest.raises(
        IllegalAction, match=r"stub gave 3 answers without a legal move in kalah .* 'I resign'; legal are A,"
    ):
        agent.act(START)
    assert agent.told.illegal == 3


@pytest.mark.parametrize(
    ("steps", "said", "requests"),
    [
        ([(500, b'{"error": {"message": "out of memory"}}')] * 3, "stub: the endpoint answered 500 .*: out of mem", 3),
        ([(401, b'{"error": {"message": "wrong key sk-very-secret"}}')], r"401 .*: wrong key \*\*\*$", 1),
        ([(302, b"")], "the endpoint answered 302", 1),
        ([(200, b"<html>")] * 3, "something else than a completion: '<html>'", 3),
        ([(200, b'{"choices": []}')] * 3, "something else than a completion", 3),
        (["hang"] * 3, r"no answer from http://127.0.0.1:\d+ within 0.2 s \(after 2 such failures\)", 3),
        (["drip"] * 3, "no answer from .* within 0.2 s", 3),
        ([(200, b"<html>your key is sk-very-secret")] * 3, r"completion: '<html>your key is \*\*\*'", 3),
        ([b"HTTP/1.1 401 No sk-very-secret\x1b[2J\r\n\r\n"], r"answered 401 No \*\*\*\?\[2J$", 1),
        ([b"sk-very-secret\x1b[2J\r\n"] * 3, r"\*\*\*", 3),
        ([(400, b'{"error": "\\ud800\\u001b[2J"}')], r"400 Bad Request: \?\?\[2J$", 1),
        ([(200, b" " * (5 << 20))], "the endpoint's answer is longer than 4 MiB", 1),
        ([(200, b"\xff\xfe{}")] * 3, "something else than a completion", 3),
        ([(200, b"[" * 100_000)] * 3, "something else than a completion", 3),
    ],
)
def test_an_endpoint_that_fails(endpoint, monkeypatch, steps, said, requests):
    monkeypatch.setenv("LLM_API_KEY", SECRET)
    endpoint.steps = list(steps)
    agent = agent_of(endpoint, retries=2, timeout=0.2 if isinstance(steps[0], str) else 30)
    with pytest.raises(EndpointError, match=said) as error:
        agent.act(START)
    assert SECRET not in str(error.value)
    assert str(error.value).isprintable()
    assert len(endpoint.heard) == requests == agent.used.failures + (len(endpoint.heard) - requests)


def test_a_key_that_cannot_be_sent_is_not_repeated(endpoint, monkeypatch):
    for key in (f"{SECRET}\nsecond line", f"{SECRET}\u2019"):
        monkeypatch.setenv("LLM_API_KEY", key)
        with pytest.raises(EndpointError, match="the key in LLM_API_KEY is not one line of ASCII characters") as error:
            agent_of(endpoint).act(START)
        assert SECRET not in str(error.value)
    assert endpoint.heard == []


def test_a_key_that_the_model_repeats_is_not_quoted(endpoint, monkeypatch):
    monkeypatch.setenv("LLM_API_KEY", SECRET)
    endpoint.steps = [f"I know {SECRET}"]
    with pytest.raises(IllegalAction, match=r"the last 'I know \*\*\*'"):
        agent_of(endpoint, retries=0).act(START)


def test_waits_between_requests_are_bounded(endpoint, monkeypatch):
    waits = []
    monkeypatch.setattr("agents.language_model._WAIT", 0.5)
    monkeypatch.setattr("agents.language_model.time.sleep", waits.append)
    endpoint.steps = [(503, b"busy")] * 21
    with pytest.raises(EndpointError, match="after 20 such failures"):
        agent_of(endpoint, retries=20).act(START)
    assert waits[:3] == [0.5, 1.0, 2.0]
    assert max(waits) == waits[-1] == 30.0


def test_a_slow_connection_counts_for_the_timeout(endpoint, monkeypatch):
    """The time is up before there is a socket to close; what comes byte by byte afterwards must still end."""
    late, connect = threading.Event(), socket.create_connection

    class Alarm(threading.Timer):
        def run(self):
            super().run()
            late.set()

    def slow(*arguments, **settings):
        made = connect(*arguments, **settings)
        late.wait(PATIENCE)
        return made

    monkeypatch.setattr("agents.language_model.threading.Timer", Alarm)
    monkeypatch.setattr("socket.create_connection", slow)
    endpoint.steps = ["drip"]
    with pytest.raises(EndpointError, match=r"within 0\.2 s"):
        agent_of(endpoint, retries=0, timeout=0.2).act(START)
    assert endpoint.heard == []  # nothing more was sent


def test_an_evaluation_says_in_a_line_that_nobody_answers(capsys):
    with pytest.raises(SystemExit) as left:
        evaluation(["llm:url=http://127.0.0.1:9,model=x,retries=0", "--against", "random", "--rules", "kalah"])
    assert left.value.code == 2
    assert "x: http://127.0.0.1:9: Connection refused" in capsys.readouterr().err


def test_a_failure_may_pass(endpoint):
    endpoint.steps = [(503, b"busy"), "hang", "MOVE: B"]
    agent = agent_of(endpoint, timeout=0.3)
    assert agent.act(START) == 1
    assert agent.used.failures == 2


def test_nobody_there():
    agent = make_agent("llm:url=http://127.0.0.1:9,model=x,retries=0")
    with pytest.raises(EndpointError, match=r"^x: http://127.0.0.1:9: Connection refused"):
        agent.act(START)


@pytest.mark.integration
def test_the_key_comes_from_the_environment_and_stands_nowhere(endpoint, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("MY_API_KEY", SECRET)
    agent = agent_of(endpoint, key_variable="MY_API_KEY")
    agent.act(START)
    assert endpoint.keys == [f"Bearer {SECRET}"]
    assert SECRET not in agent.name + repr(vars(agent))
    out, page = tmp_path / "event.db", tmp_path / "event.html"
    spec = f"llm:url={endpoint.url},model=stub,key_variable=MY_API_KEY"
    arguments = ["--agents", f"model={spec}", "random", "--rules", "kalah:pits_per_row=2,seeds=2", "--pairs", "1"]
    assert tournament([*arguments, "--out", str(out), "--processes", "0", "--quiet"]) == 0
    told = capsys.readouterr()
    assert SECRET not in told.out + told.err
    assert SECRET.encode() not in out.read_bytes()
    assert SECRET not in page.read_text()


@pytest.mark.integration
def test_a_tournament_counts_illegal_answers(endpoint, tmp_path, capsys):
    endpoint.steps = ["nothing", "MOVE: Z"]
    out, page = tmp_path / "event.db", tmp_path / "event.html"
    arguments = ["--agents", f"model=llm:url={endpoint.url},model=stub", "random", "--rules", "kalah:pits_per_row=3"]
    arguments += ["--pairs", "1", "--out", str(out), "--processes", "0", "--quiet"]
    assert tournament(arguments) == 0
    told = capsys.readouterr().out
    assert "by faults" not in told
    assert "model: 1.00 illegal answers a game, beside faults, " in told  # 2 in 2 games
    assert "Illegal answers a game" in page.read_text()
    with Store(out) as store:
        thoughts = [thought for record in store.records() for thought in record.thoughts]
    assert sum(thought.illegal or 0 for thought in thoughts) == 2
    assert {thought.tokens for thought in thoughts} >= {None, 12, 36}


def test_faults_of_a_tournament(endpoint, tmp_path, capsys):
    endpoint.steps = ["Z"] * 2 + [(400, b'{"error": "no such model"}')] * 2
    arguments = ["--agents", f"model=llm:url={endpoint.url},model=stub,retries=1", "random", "--rules", "kalah"]
    arguments += ["--pairs", "1", "--out", str(tmp_path / "event.db"), "--processes", "0", "--quiet", "--no-report"]
    assert tournament(arguments) == 0
    with Store(tmp_path / "event.db") as store:
        found = {record.reason: record.detail for record in store.records()}
    assert found.keys() == {"illegal_move", "crash"}
    assert "stub gave 2 answers without a legal move" in found["illegal_move"]
    assert "EndpointError: stub: the endpoint answered 400 Bad Request: no such model" in found["crash"]
    capsys.readouterr()


@pytest.mark.integration
@pytest.mark.skipif(os.name != "posix", reason="bots run on Linux and macOS")
def test_the_checker_plays_with_it_and_a_clock_runs(endpoint, capsys, monkeypatch):
    """Served in a process of its own, which gets the key and nothing else of the environment."""
    monkeypatch.setenv("LLM_API_KEY", SECRET)
    endpoint.steps = ["Z"]
    arguments = ["--rules", "kalah:pits_per_row=3,seeds=3", "--games", "1", "--movetime", "20", "--margin", "20"]
    code = check.main([f"llm:url={endpoint.url},model=stub", *arguments])
    told = capsys.readouterr()
    assert code == 0, told.out
    assert set(endpoint.keys) == {f"Bearer {SECRET}"}
    assert SECRET not in told.out + told.err


@pytest.mark.integration
@pytest.mark.skipif(os.name != "posix", reason="bots run on Linux and macOS")
def test_a_served_model_tells_its_illegal_answers(endpoint, tmp_path, capsys):
    endpoint.steps = ["Z"]
    arguments = ["--agents", f"model=llm:url={endpoint.url},model=stub", "random", "--rules", "kalah:pits_per_row=3"]
    arguments += ["--pairs", "1", "--out", str(tmp_path / "event.db"), "--processes", "0", "--quiet", "--no-report"]
    assert tournament([*arguments, "--move-time", "30"]) == 0
    told = capsys.readouterr().out
    assert "model: 0.50 illegal answers a game" in told, told


def test_evaluations_play_it(endpoint):
    small = mancala.ruleset("kalah", pits_per_row=3, seeds=3)
    agent = agent_of(endpoint, retries=0)
    (result,) = evaluate(agent, ["random"], small, pairs=1, threads=1)
    assert (result.illegal, result.wins + result.draws + result.losses) == (0, 2)
    endpoint.steps = ["Z"] * 2
    (result,) = evaluate(agent, ["random"], small, pairs=1, threads=1)
    assert result.illegal == 2
    assert agent.used.illegal == 2


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("MOVE: C", "C"),
        ("I would rather not play A.\n\nMOVE: **C**", "C"),
        ("<think>MOVE: A</think>\nMOVE: C", "C"),
        ("MOVE: A\n</think>\nC", "C"),
        ("<think>Perhaps MOVE: A, but", None),
        pytest.param("<think>" * 100_000, None, id="never-closed"),
        ('{"move": "C"}', "C"),
        ("My move is `c`.", "C"),
        ("move: C, a capture", "C"),
        ("C", "C"),
        ("It is a good idea.\nC.", "C"),
        ("MOVE: A\nNo, wait.\nMOVE: C", "C"),
        ("A good move is not easy to find", None),
        ("MOVE: A or C", None),
        ("A", "A"),
        ("MOVE: G", None),
        ("MOVE:", None),
        ("A, B, C", None),
        ("", None),
        ("The capture by A loses", None),
    ],
)
def test_answers_are_read_where_they_mean_one_move(answer, move):
    action = read_move(START, answer)
    assert (None if action is None else START.name(action)) == move


def test_directions_and_numbers_are_read():
    game = mancala.ruleset("diffusion")
    names = [game.start().name(action) for action in game.start().legal_actions]
    assert game.start().name(read_move(game.start(), f"MOVE: {names[-1]}")) == names[-1]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("llm:url=http://127.0.0.1:8000/v1", "needs model="),
        ("llm:url=ftp://x,model=m", "is like http://127.0.0.1:8000/v1"),
        ("llm:url=http://me:sk-very-secret@x/v1,model=m", "must hold no user, key or query"),
        ("llm:url=http://x,model=m,retries=-1", "retries is a whole number"),
        ("llm:url=http://x,model=m,temperature=hot", "temperature is a number from 0 to 2, or none"),
        ("llm:url=http://x,model=m,timeout=0", "timeout is a number of seconds above 0"),
        ("llm:url=http://me:sk-very-secret/v1,model=m", "is like http://127.0.0.1:8000/v1"),
        ("llm:url=http://x,model=m,key_variable=HOME", "key_variable is the name of a variable such as LLM_API_KEY"),
        ("llm:url=http://x,model=m,key_variable=sk-very-secret", "and never the key itself"),
        ("llm:url=http://x,model=m,key=sk-very-secret", "has no setting 'key'"),
    ],
)
def test_settings_that_are_refused(spec, said):
    with pytest.raises(ValueError, match=said) as error:
        make_agent(spec)
    assert SECRET not in str(error.value)


@pytest.mark.integration
def test_a_model_plays_on_the_page(browser, endpoint):
    spec = f"llm:url={endpoint.url},model=stub,retries=0"
    with served(SMALL, (spec,)) as server:
        server.prepare()
        assert endpoint.heard == []  # a question may cost something
        with at_table(browser, server) as tab:
            for _ in range(2):
                moved(tab, tab.locator(".cell.offered").last.click)
            assert len(endpoint.heard) == sum(state.player == 1 for state in only(server).states[:-1]) > 0
    session = Session(SMALL, spec, seat=1)
    endpoint.steps += ["no move at all"]
    with pytest.raises(RuntimeError, match="without a legal move"):
        session.reply()
    assert session.state == session.states[0]  # the game waits for it
    session.reply()
    assert len(session.actions) == 1
