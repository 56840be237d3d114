"""Games of a person against an agent: sessions, saved games, hints, the terminal, and what the server refuses."""

import http.client
import io
import json
import os
import re
import signal
import socket
import subprocess
from contextlib import contextmanager
from functools import cache
from threading import Event, Thread
from types import SimpleNamespace
from urllib.request import urlopen

import numpy as np
import pytest

import mancala_env as mancala
from agents import make_agent, move_values, zoo
from agents.mcts import MctsAgent
from agents.play import Session, hint_for
from agents.play.api import TABLE, PlayApi, play_asset
from agents.play.command import main
from agents.play.lobby import opponents
from agents.play.session import PERSON
from agents.play.terminal import PLAYED, TAKEN, Terminal, last_move, read_move
from agents.play.web import MAX_BODY, MAX_SESSIONS, PlayServer, Sessions, serve
from agents.tournament.export import game_text, read_games, rows
from agents.tournament.record import UNFINISHED
from mancala_env.games import ruleset
from mancala_env.replay.page import asset, theme
from mancala_env.state import IllegalAction
from tests.games import CORE
from tests.pages import random_record
from tests.processes import MANCALA, PATIENCE, ROOT, is_waiting, wait_until
from tests.test_mcts import uniform

KALAH = mancala.ruleset("kalah")
SMALL = "kalah:pits_per_row=3,seeds=2"
BEGIN = b'{"command": "begin"}'


def session(rules="kalah", against="greedy", **more):
    return Session(rules, against, **more)


def spoken(lines, **more):
    """What a terminal says to these lines."""
    out, left = io.StringIO(), iter(lines)

    def read(prompt):
        out.write(prompt)
        line = next(left, None)
        if line is None:
            raise EOFError
        if isinstance(line, BaseException):
            raise line
        return line

    game = more.pop("session", None) or session(**more)
    Terminal(game, read, out).run()
    return game, out.getvalue()


def fails(act):
    """A player that plays what it should not."""
    return SimpleNamespace(name="fails", act=act)


def test_a_person_and_an_agent_play_in_turn_and_by_the_rules():
    game = session("kalah", "minimax:depth=2", seat=1)
    assert game.is_agents_turn
    with pytest.raises(ValueError, match="turn of minimax:depth=2"):
        game.play(0)
    game.replies()
    assert game.is_persons_turn or game.state.is_over
    assert all(state.player == 0 for state in game.states[:-1])
    with pytest.raises(ValueError, match="not the turn"):
        game.reply()
    with pytest.raises(IllegalAction):
        game.play(9)
    other = session(seat=0)
    other.load(game.save())  # whose seat the person takes
    assert (other.seat, other.names) == (1, ("greedy", "you"))
    for options, why in (
        ({"rules": "chess"}, "chess"),
        ({"against": "nobody"}, "unknown agent"),
        ({"seat": 2}, "seat is 0"),
        ({"seed": -1}, "whole number"),
    ):
        with pytest.raises(ValueError, match=why):
            session(**options)


@pytest.mark.parametrize("rules", ["kalah", "oware", "hus", "layli_goobalay", "diffusion", "reaping"])
@pytest.mark.parametrize("seat", [0, 1])
def test_undo_and_redo_go_from_turn_to_turn_of_the_person(rules, seat):
    game = session(rules, "random", seat=seat, seed=3)
    game.replies()
    reached = [game.state]
    while len(reached) < 4 and not game.state.is_over:
        game.play(game.state.legal_actions[0])
        game.replies()
        reached.append(game.state)
    last, moves = game.state, game.actions
    for state in reversed(reached[:-1]):
        assert game.undo() == state
    assert not game.can_undo
    with pytest.raises(ValueError, match="no move of yours"):
        game.undo()
    while game.can_redo:
        game.redo()
    assert (game.state, game.actions) == (last, moves)
    with pytest.raises(ValueError, match="taken back"):
        game.redo()
    game.undo()
    game.play(game.state.legal_actions[-1])  # another move: what was taken back is forgotten
    assert not game.can_redo


def test_a_position_that_is_laid_out_begins_a_game_of_the_agent():
    game = Session("oware", "random", seat=1, seed=5)
    begun = game.replies()
    game.lay_out()
    assert game.replies() == begun


@pytest.mark.parametrize("rules", ["kalah:pits_per_row=4,seeds=3", "oware_territory", "reaping:start=[0,2,1,3,0]"])
def test_a_game_is_saved_and_loaded_finished_or_not(rules):
    game, most = session(rules, "random", seed=1), 60
    while True:
        other = session(rules, "random")
        assert other.load(game.save()) == game.state
        assert (other.actions, other.record) == (game.actions, game.record)
        assert other.record.reason == (game.state.termination or UNFINISHED)
        if game.state.is_over or len(game.actions) > most:
            break
        game.play(game.state.legal_actions[-1])
        game.replies()
    assert game.state.is_over or rules == "oware_territory"


def test_saved_games_are_checked():
    game = session()
    text = game.save()
    assert read_games(text) == [game.record]
    assert (game.record.points, game.record.told) == ((0, 0), "not finished")  # it counts for nobody
    assert next(rows([game.record]))["reason"] == UNFINISHED
    over = game_text(random_record(KALAH, 3), KALAH)
    told, scores = (re.search(rf"\[{name} .*\n", over)[0] for name in ("Reason", "Scores"))
    result = over.split()[-1]
    open_ended = over.replace(told, '[Reason "unfinished"]\n').replace(scores, "").replace(f'"{result}"', '"*"')
    for wrong, why in (
        (text.replace("\n\n*", "\n\nC C *"), "cannot play"),
        (text.replace('"*"', '"1-0"').replace("\n*", "\n1-0"), "does not go with"),
        (text.replace("unfinished", "side_empty"), "does not go with"),
        (text.replace("[Result", '[Scores "1 0"]\n[Result'), "by unfinished, scores"),
        (open_ended.replace(f" {result}\n", " *\n"), "by side_empty.* by unfinished"),
    ):
        with pytest.raises(ValueError, match=why):
            game.load(wrong)
    with pytest.raises(ValueError, match="no game"):
        game.load("")
    assert game.actions == ()


def test_agents_that_fail_are_told_of_and_do_not_end_the_terminal():
    for act, why in ((lambda _: 77, "played an illegal action"), (lambda _: int("x"), "cannot go on")):
        game = session(against=fails(act))
        game.play(0)
        with pytest.raises(RuntimeError, match=why):
            game.reply()
        assert game.actions == (0,)
    for lines, seat, times in ((["A", "undo", "quit"], 0, 1), (["", "A", "quit"], 1, 2)):
        _, said = spoken(lines, session=session(against=fails(lambda _: 77), seat=seat))
        assert said.count("fails played an illegal action") == times
        assert ("turn of fails" in said) == bool(seat)


@pytest.mark.parametrize("agent", [None, "minimax:depth=3"])
@pytest.mark.parametrize("rules", ["kalah", "hus", "reaping"])
def test_a_judgement_names_a_legal_move(rules, agent):
    state = mancala.ruleset(rules).start()
    found = hint_for(state, agent and make_agent(agent))
    if agent:
        assert found.values == move_values(state, 3)
    assert found.best in state.legal_actions
    assert set(found.values) <= set(state.legal_actions)
    assert all(np.isfinite(value) for value in found.values.values())
    assert found.by in found.told(state)
    assert ("seed" in found.told(state)) == (rules == "kalah" and found.unit == "seed")


def test_moves_are_read_in_capitals_and_small_letters():
    start = KALAH.start()
    for state in (start, start.play(0)):
        assert read_move(state, "c") == read_move(state, "C") == 2
    starving = mancala.ruleset("oware").position([1, 0, 0, 0, 0, 6] + [0] * 6)
    for state, text, why in (
        (start.play(2), "C", "C is empty; you can play A, B, D"),
        (start, "Z", "no move and no command"),
        (starving, "A", "A cannot be played now; you can play F"),
    ):
        with pytest.raises(ValueError, match=why):
            read_move(state, text)


def test_a_terminal_draws_asks_and_answers():
    lines = ["C", "a", "", "x", "C", "hint", "undo", "undo", "moves", "redo", "moves", "help", "board", "quit"]
    game, said = spoken(lines)
    assert said.count("South plays: ") == 14
    assert "greedy plays" in said
    assert "'x' is no move and no command; you can play" in said
    assert "undo, redo" in said
    assert game.actions
    _, said = spoken(["hint"])
    hint, start = session().hint(), KALAH.start()
    assert f"Play {start.name(hint.best)}: {hint.told(start)}.\nWhat it does: {start.trace(hint.best).text}." in said
    for end in ([], [KeyboardInterrupt()], ["A"]):  # the end of the input, and Ctrl-C, leave cleanly
        spoken(end)
    player = session("kalah:pits_per_row=3,seeds=2", "random", seed=2)
    player.lay_out("kalah 0-0-1-0-2-0-4-5-S")
    _, said = spoken(["C", "quit"], session=player)  # the end: the board, and the reason in words
    assert "You lose, 5 to 7: South's row was empty; the rest went to North." in said
    assert "North │ 7 ├───┼───┼───┤ 5 │ South" in said


@pytest.mark.parametrize("rules", ["kalah:pits_per_row=3,seeds=2", "oware_series_wins:pits_per_row=3,seeds=2,target=2"])
def test_a_terminal_tells_a_whole_game_or_match(rules):
    player, out = session(rules, "random", seed=2), io.StringIO()
    Terminal(
        player, lambda _: "quit" if player.state.is_over else player.state.name(player.state.legal_actions[0]), out
    ).run()
    said, ends = out.getvalue(), player.game_ends
    assert all(
        f"{state.trace(action).text}.\n" in said for state, action in zip(player.states, player.actions, strict=False)
    )
    assert f"{player.state.ending}." in said
    assert f"\n{player.result}\n" in said
    assert len(ends) >= 2 or rules.startswith("kalah")
    _, listed = spoken(["moves", "quit"], session=player)
    for end in ends:
        assert end.full(0) in said
        assert f"\n{end.short(0)}.\n" in listed
    assert not any(reason in text for reason in mancala.TERMINATIONS[1:] for text in (said, listed))
    _, over = spoken(["A", "hint", "undo", "quit"], session=player)
    assert "the game is over" in over


def test_a_terminal_says_who_moves_again_and_marks_the_last_move_in_colour(monkeypatch):
    _, said = spoken(["C", "A", "quit"])
    assert said.count("You move again.") == 1
    assert "\x1b" not in said
    before = mancala.ruleset("oware").position([0, 0, 0, 0, 0, 2, 1, 2, 4, 0, 0, 0])
    after = before.play(5)
    styles = last_move(before, 5, after)
    names = before.rules.board.names
    assert {names[pit]: style for pit, style in styles.items()} == {"F": PLAYED, "a": TAKEN, "b": TAKEN}
    text = after.to_text(styles=styles)
    assert text.count("\x1b[1;31m 0 \x1b[0m") == 2
    assert re.sub(r"\x1b\[[\d;]*m", "", text) == after.to_text()
    out = io.StringIO()
    out.isatty = lambda: True
    for no_colour, is_coloured in (("1", False), ("", True)):
        monkeypatch.setenv("NO_COLOR", no_colour)
        monkeypatch.setenv("TERM", "xterm")
        lines = iter(["C", "quit"])
        out.truncate(0)
        Terminal(session(), lambda _, lines=lines: next(lines), out).run()
        assert ("\x1b[1;33m" in out.getvalue()) == is_coloured


def test_a_terminal_keeps_games_in_files(tmp_path):
    file = tmp_path / "a game.txt"
    game, said = spoken(["C", f"save {file}", "save", f"save {tmp_path}/none/game", "quit", "A"])
    assert read_games(file.read_text(encoding="utf-8")) == [game.record]
    for part in ("Saved to", "save needs the name", "No such file"):
        assert part in said


def started(*words):
    return subprocess.Popen(
        [*MANCALA, "play", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip


def command(*words, text=""):
    """Status, output and errors of a command that hears this text."""
    running = started(*words)
    out, wrong = running.communicate(text.encode(), timeout=PATIENCE)
    return running.returncode, out.decode(), wrong.decode()


@pytest.mark.integration
def test_the_command_plays_from_a_pipe(tmp_path):
    file = tmp_path / "game.txt"
    rules = "kalah:pits_per_row=4,empty_capture=true"
    words = "--rules", "kalah:empty_capture=true,pits_per_row=4", "--against", "greedy", "--seat", "north"
    status, said, wrong = command(*words, text=f"a\nbad\nsave {file}\nquit\n")
    assert (status, wrong) == (0, "")
    assert f"{rules}: you are North, against greedy" in said
    assert "'bad' is no move" in said
    status, said, wrong = command("--load", str(file), "--against", "greedy", text="moves\n")
    assert (status, wrong) == (0, "")
    assert f"{rules}: you are North" in said
    status, _, wrong = command("--load", str(file), "--rules", "oware", "--against", "greedy")
    assert status == 2
    assert f"is a game of {rules}, not of oware; leave --rules out\n" in wrong


def test_the_command_refuses_in_a_line(capsys, tmp_path):
    empty = tmp_path / "game.txt"
    empty.touch()
    taken = socket.create_server(("127.0.0.1", 0))
    port = taken.getsockname()[1]
    for arguments, why in (
        (["--load", str(empty)], f"{empty} holds no game; --load takes a saved game"),
        (
            ["--web", "--port", str(port)],
            f"port {port} (Address already in use): choose another",
        ),
        (["--rules", "chess"], "chess"),
        (["--against", "nobody"], "unknown agent"),
        (["--load", str(tmp_path / "none")], "No such file"),
        (["--against", "random", "greedy"], "one opponent"),
        (["--web", "--host", "0.0.0.0"], "--open-to-network"),
        (["--web", "--port", "70000"], "from 0 to 65535"),
    ):
        assert main(arguments) == 2
        told = capsys.readouterr().err
        assert why in told
        assert told.count("\n") == 1
    taken.close()


@pytest.mark.integration
def test_ctrl_c_ends_the_command():
    running = started("--against", "greedy")
    seen = b""
    while b"South plays: " not in seen:
        seen += os.read(running.stdout.fileno(), 4096)
    wait_until(lambda: is_waiting(running.pid))  # for a move
    running.send_signal(signal.SIGINT)
    wait_until(lambda: running.poll() is not None)  # its input is still open: that is not what ends it
    _, wrong = running.communicate(timeout=PATIENCE)
    assert (running.returncode, wrong) == (0, b"")


OFFERED = (
    *CORE, "kalah:empty_capture=true", "kalah:pits_per_row=4", "oware:grand_slam=no_capture",
    "awari:pits_per_row=3", "oware_series_wins:target=2", "reaping:start=[0,2,1,3,0]", "diffusion:blocks=rows",
)  # fmt: skip
DEEP = {"minimax:depth=4", "minimax:depth=6,time=1", "minimax:time=1"}


@cache
def trained_for(name):
    """The game of a trained agent, as its weights say."""
    agent = make_agent(name)
    return agent.evaluate.rules if name.startswith("mcts") else agent.rules


@pytest.mark.integration
@pytest.mark.parametrize("rules", OFFERED)
def test_every_opponent_that_is_offered_makes_a_move(rules, tmp_path):
    """Of those that only look deeper than others, the others stand for them."""
    tables = f"minimax:depth=2,tables={tmp_path}"
    more = (tables, "zoo:oware,seed=3", "mcts:simulations=9,network=zoo:kalah", "policy:nowhere")
    offered = [each.name for each in opponents(rules, more) if each.name != PERSON]
    assert {"greedy", "minimax:depth=2", "minimax:depth=4", "minimax:depth=6,time=1"} <= set(offered)
    for name in offered:
        if name not in DEEP:
            player = session(rules, name, seat=1)
            assert player.reply() in player.states[0].legal_actions
    pytest.importorskip("torch")
    assert "zoo:family" in offered
    game = ruleset(rules)
    for name in (*(f"zoo:{name}" for name in zoo.names()), *more[1:3]):
        assert (name in offered) == (trained_for(name) == game)
        if name not in offered and rules in ("oware", "kalah:empty_capture=true"):
            with pytest.raises(ValueError, match=f"does not play {re.escape(rules)}"):
                session(rules, name)
    assert not {more[0], more[3]} & set(offered)


@pytest.mark.parametrize("settings", [{}, {"evaluate": uniform}])
def test_a_tree_search_that_is_interrupted_plays_what_it_has_found(settings):
    asked = []
    player = MctsAgent(100_000, **settings)
    game = session("kalah", player, seat=1)
    assert game.reply(lambda: asked.append(True) or True) in game.states[0].legal_actions
    assert asked == [True]
    assert player.search(game.state, stop=lambda: True).simulations < 100


# The server.


@contextmanager
def served(rules=SMALL, against=("greedy",), **more):
    server = PlayServer(rules, against, **more)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def asked(server, body=b"", method="POST", path="/api", **headers):
    """Status and body of an answer; a header of None is left out."""
    sent = {"Host": f"127.0.0.1:{server.server_port}", "Content-Type": "application/json"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    if "Content_Length" not in headers and method == "POST":
        sent["Content-Length"] = str(len(body))
    talk = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=PATIENCE)
    talk.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in sent.items():
        if value is not None:
            talk.putheader(name, value)
    talk.endheaders(body)
    answer = talk.getresponse()
    found = answer.status, answer.read()
    talk.close()
    return found


def test_only_the_servers_own_page_may_ask():
    with served() as server:
        port = server.server_port
        for headers in (
            {},
            {"Host": f"localhost:{port}"},
            {"Origin": f"http://127.0.0.1:{port}"},
            {"Host": f"[::1]:{port}"},
            {"Sec_Fetch_Site": "same-origin"},
        ):
            assert asked(server, BEGIN, **headers)[0] == 200
        for headers in (
            {"Host": f"evil.example:{port}"},
            {"Host": "127.0.0.1:1"},
            {"Host": f"192.168.1.1:{port}"},
            {"Host": f"a@127.0.0.1:{port}"},
            {"Host": None},
            {"Origin": "http://evil.example"},
            {"Origin": f"http://localhost:{port}"},
            {"Origin": "null"},
            {"Sec_Fetch_Site": "cross-site"},
        ):
            assert asked(server, BEGIN, **headers)[0] == 403
        assert asked(server, method="GET", path="/", Host=f"evil.example:{port}")[0] == 403
        assert asked(server, BEGIN, Content_Type="text/plain")[0] == 415
        assert asked(server, method="GET", path="/", Content_Type=None)[0] == 200
        assert asked(server, method="GET", path="/../agents/agent.py")[0] == 404
        assert asked(server, BEGIN, path="/other")[0] == 404
        assert asked(server, method="PUT")[0] == 501
    with pytest.raises(ValueError, match="open-to-network"):
        serve(SMALL, ["random"], host="0.0.0.0")
    with served(host="0.0.0.0") as server:
        assert asked(server, BEGIN, Host=f"192.168.1.1:{server.server_port}")[0] == 200
        assert asked(server, BEGIN, Host=f"evil.example:{server.server_port}")[0] == 403


def test_requests_are_small_json_objects():
    with served() as server:
        for body, status in ((b"", 400), (b"[]", 400), (b"{", 400), (b"\xff", 400), (b"[" * 50_000, 400)):
            assert asked(server, body)[0] == status
        assert asked(server, Content_Length=str(MAX_BODY + 1))[0] == 413
        assert asked(server, Content_Length="9" * 5000)[0] == 413
        assert asked(server, Content_Length="-1")[0] == 411
        assert asked(server, Content_Length=None)[0] == 411
        assert asked(server, b"{}", Transfer_Encoding="chunked")[0] == 411


def test_the_page_names_no_files_and_no_limits_of_its_own(tmp_path):
    with served() as server:
        name = json.loads(asked(server, BEGIN)[1])["session"]
        good = {"command": "new", "session": name, "rules": "oware", "against": "greedy", "seat": 0, "seed": 0}
        assert asked(server, json.dumps(good).encode())[0] == 200
        for more in (
            {"against": f"policy:{tmp_path}"},
            {"against": "minimax:depth=60"},
            {"rules": "kalah:pits_per_row=12"},
            {"seat": 2},
            {"seed": -1},
            {"seed": 1.5},
            {"rules": None},
            {"command": "picture", "rules": "kalah:pits_per_row=50"},
            {"command": "opponents", "rules": "kalah:empty_capture=maybe"},
            {"position": "no position"},
            {"command": "__init__"},
            {"command": ["new"]},
            {"command": "move", "ply": 0, "action": 99},
            {"command": "move", "ply": 0, "action": True},
            {"command": "load", "text": "x" * 70_000},
        ):
            assert asked(server, json.dumps(good | more).encode())[0] == 400, more
        assert asked(server, json.dumps({"command": "move", "session": name, "ply": 5, "action": 0}).encode())[0] == 409
        assert asked(server, json.dumps({"command": "open", "session": "x"}).encode())[0] == 404


def test_only_so_many_games_are_kept():
    kept = Sessions()
    api = PlayApi(Session(SMALL, "random"))
    first = kept.add(api)
    names = [kept.add(api) for _ in range(MAX_SESSIONS - 1)]
    assert kept.find(first) is not None
    kept.add(api)
    assert kept.find(first) is not None  # it was asked for since
    assert kept.find(names[0]) is None
    assert len(kept) == MAX_SESSIONS
    assert kept.find(None) is None


@pytest.mark.integration
def test_ctrl_c_stops_the_server():
    running = started("--web", "--host", "0.0.0.0", "--open-to-network")
    said = running.stdout.readline().decode()
    assert said.startswith("Play at http://0.0.0.0:")
    port = re.search(r":(\d+)/", said)[1]
    with urlopen(f"http://127.0.0.1:{port}", timeout=PATIENCE) as page:
        assert page.status == 200  # it serves now, which is what Ctrl-C is to end
    running.send_signal(signal.SIGINT)
    said, wrong = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0
    assert b"Stopped" in said
    assert wrong.startswith(b"mancala play: warning: anybody who can reach 0.0.0.0")


def test_scripts_write_no_html_of_data():
    shared = ("board.js", "viewer.js", "player.js")
    for text in (*map(play_asset, (*TABLE, "page.js", "widget.js")), *map(asset, shared)):
        assert "innerHTML" not in text
        assert "eval(" not in text
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert ":root" not in theme(".here")


def test_the_page_is_served_before_its_kernels_are_there_and_no_longer_without_them(monkeypatch, capsys):
    """A saved game that cannot be read is found out meanwhile."""
    ready = Event()
    prepare = PlayServer.prepare
    monkeypatch.setattr(PlayServer, "prepare", lambda server: ready.wait(PATIENCE) and prepare(server))
    monkeypatch.setattr(PlayServer, "first_session", lambda server: Session().load("nonsense"))
    problems = []

    def work():
        try:
            serve(SMALL, ["greedy"])
        except ValueError as error:
            problems.append(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    (url,) = wait_until(lambda: re.findall(r"http://\S+", capsys.readouterr().out))
    with urlopen(url, timeout=PATIENCE) as page:
        assert b"<main" in page.read()
    ready.set()
    thread.join(PATIENCE)
    assert problems
