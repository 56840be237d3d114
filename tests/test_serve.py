"""An open event: bots join over a socket, play as they come, leave and come back; hostile ones harm only themselves."""

import contextlib
import re
import socket
import subprocess
import sys
import threading
from concurrent.futures import Future
from dataclasses import replace

import pytest

from agents.bots import join
from agents.bots.remote import FIRST_LINE, STRANGERS, Reception, address_of, token_of
from agents.tournament.command import main as tournament
from agents.tournament.event import OPEN, Event
from agents.tournament.run import Progress
from agents.tournament.serve import serve_event
from agents.tournament.store import Store
from tests.processes import MANCALA, PATIENCE, wait_until
from tests.tournaments import games_of, untimed

TOKEN = "open-sesame-12345"
EVENT = Event((), ("kalah:pits_per_row=3,seeds=2",), form=OPEN, pairs=3, opening_plies=2)
GREETING = {"uci": "id name Peer\nuciok", "isready": "readyok", "rules": "rulesok"}


class Left(Exception):
    """A peer ends its connection."""


def first_move(moves, count):
    """What a good peer answers."""
    return f"bestmove {moves[0]}"


class Peer(threading.Thread):
    """A bot in a thread: joins, answers every question by ``answer(moves, number of the question)``."""

    def __init__(self, address, name, answer=first_move, key="", greets=True):
        super().__init__(daemon=True)
        self.name_, self.answer, self.greets = name, answer, greets
        self.heard_quit, self.asked = False, 0
        self.connection, self.key = join.enter(address, name, TOKEN, key)
        self.start()

    def run(self):
        def say(text):
            self.connection.sendall(f"{text}\n".encode())

        with contextlib.suppress(OSError, Left), self.connection, self.connection.makefile("r") as lines:
            for line in lines:
                word, *words = line.split()
                if word == "quit":
                    self.heard_quit = True
                    return
                if word == "go":
                    self.asked += 1
                    say(self.answer(words[words.index("searchmoves") + 1 :], self.asked))
                elif word in GREETING and self.greets:
                    say(GREETING[word])


class Served:
    """An event that is served in a thread, until ``enough`` of progress and said, or nothing is left."""

    def __init__(self, path, event=EVENT, enough=lambda progress, said: False, wait=1e6, **settings):
        self.addresses, self.said, seen = [], [], [Progress(0)]
        self._served = Future()

        def serve():
            try:
                done = serve_event(
                    event, path, ("127.0.0.1", 0), TOKEN, opened=self.addresses.append, watch=seen.append,
                    say=self.said.append, stop=lambda: enough(seen[-1], self.said), wait=wait, **settings,
                )  # fmt: skip
                self._served.set_result(done)
            except BaseException as error:
                self._served.set_exception(error)

        threading.Thread(target=serve, daemon=True).start()
        wait_until(lambda: self.addresses or self._served.done())
        if not self.addresses:
            self.end()
        (self.address,) = self.addresses

    def hears(self, text):
        """Wait for a line about the players."""
        wait_until(lambda: any(text in line for line in self.said))

    def end(self):
        self.progress, self.remarks = self._served.result(PATIENCE)


def all_join(served, **answers):
    """Peers by their names, who answer so and join one after the other."""
    peers = {}
    for name, answer in answers.items():
        peers[name] = Peer(served.address, name, answer)
        served.hears(f"{name} has joined")
    return peers


def leaves_at(number):
    """Answers of a peer that leaves at so many questions."""

    def answer(moves, count):
        if count == number:
            raise Left
        return first_move(moves, count)

    return answer


def all_of(players):
    """Have all games of so many players been played?"""
    games = players * (players - 1) * EVENT.pairs
    return lambda progress, said: progress.games == progress.all_games == games


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The games of three good peers who joined as A, B and C."""
    path = tmp_path_factory.mktemp("whole") / "event.db"
    served = Served(path, enough=all_of(3))
    peers = all_join(served, A=first_move, B=first_move, C=first_move)
    served.end()
    for peer in peers.values():
        peer.join(PATIENCE)
        assert peer.heard_quit
    return games_of(path)


def test_everybody_who_joins_plays_everybody_else(whole):
    assert len(whole) == 3 * 2 * EVENT.pairs
    assert all(record.fault is None for record in whole)
    met = {(record.south, record.north) for record in whole}
    assert met == {(one, other) for one in "ABC" for other in "ABC" if one != other}
    assert len({record.opening for record in whole if record.pair % 6 == 0}) == 1  # the same for all pairings


def test_who_disconnects_in_a_game_loses_it_and_plays_the_others_when_it_is_back(whole, tmp_path):
    path = tmp_path / "event.db"
    served = Served(path, enough=all_of(3))
    peers = all_join(served, A=first_move, B=leaves_at(2), C=first_move)
    served.hears("B has left")
    Peer(served.address, "B", key=peers["B"].key)
    served.end()
    records = games_of(path)
    (lost,) = [record for record in records if record.fault is not None]
    loser = (lost.south, lost.north)[lost.fault]
    assert lost.told.startswith(f"{('South', 'North')[lost.fault]} (B) loses by a fault, crashed")
    assert (loser, lost.detail) == ("B", "its connection was closed")
    others = [record for record in whole if record.number != lost.number]
    assert untimed(record for record in records if record is not lost) == untimed(others)


def test_games_of_those_who_stay_away_are_played_when_the_event_goes_on(whole, tmp_path):
    path = tmp_path / "event.db"

    def enough(progress, said):
        """Has C left, and have A and B played all their games?"""
        with Store(path) as store:
            between = sum({result.south, result.north} == {"A", "B"} for result in store.results())
        return any("C has left" in line for line in said) and between == 2 * EVENT.pairs

    served = Served(path, enough=enough)
    all_join(served, A=first_move, B=first_move, C=leaves_at(3))
    served.end()
    missing = served.progress.all_games - served.progress.games
    assert missing > 0
    assert served.remarks == [f"C has left: {missing} of its games were not played."]
    with Store(path) as store:
        assert [player.name for player in store.event.players] == ["A", "B", "C"]
        event = store.event
    with pytest.raises(ValueError, match="holds another event: its pairs"):
        Served(path, event=replace(event, pairs=9))
    served = Served(path, event=event, enough=all_of(3), again=True)
    for name in "CAB":  # in another order
        Peer(served.address, name)
    served.end()
    assert untimed(games_of(path)) == untimed(whole)


@pytest.mark.integration
def test_hostile_peers_harm_only_themselves(tmp_path):
    path = tmp_path / "event.db"
    event = replace(EVENT, pairs=2, patience=3.0, start_time=3.0)
    going = threading.Event()

    def rude(peer):
        """Writes without being asked until it is cut off."""
        with contextlib.suppress(OSError):
            while True:
                peer.connection.sendall(b"bestmove A\n" * 10_000)

    hostile = {
        "Flood": lambda moves, count: "x" * (2 << 20),
        "Garbage": lambda moves, count: "\0\xff\n\nbestmove\nbestmove Z9",
        "Silent": lambda moves, count: going.wait(PATIENCE) and "bestmove",
        "Drips": lambda moves, count: "info string thinking",  # and never a move
        "Rude": first_move,
    }
    good = ("Good", "Better")
    served = Served(path, event, wait=3.0)
    for name in good:
        Peer(served.address, name)
    peers = all_join(served, **hostile)
    threading.Thread(target=rude, args=(peers["Rude"],), daemon=True).start()
    mute = Peer(served.address, "Mute", greets=False)
    mute.join(PATIENCE)  # cut off
    assert not mute.is_alive()
    served.end()
    going.set()
    records = games_of(path)
    between = [record for record in records if {record.south, record.north} == set(good)]
    assert len(between) == 2 * event.pairs
    assert all(record.fault is None for record in between)
    at_fault = {}
    for record in records:
        if record.fault is not None:
            at_fault.setdefault((record.south, record.north)[record.fault], set()).add(record.reason)
    assert set(at_fault) <= set(hostile)
    assert at_fault["Flood"] == {"flood"}
    assert at_fault["Garbage"] == {"illegal_move"}
    assert at_fault["Silent"] == at_fault["Drips"] == {"silence"}
    assert at_fault["Rude"] <= {"flood", "illegal_move", "silence", "crash"}
    assert "Mute" not in {player.name for player in Store(path).event.players}


# The door


@pytest.fixture(scope="module")
def door():
    arrived = []
    with Reception(("127.0.0.1", 0), TOKEN, arrived.append, names=["Old"], most=3, start_timeout=PATIENCE) as reception:
        yield reception
    for bot in arrived:
        bot.kill()


def answer_to(address, text):
    with socket.create_connection(address, timeout=PATIENCE) as connection:
        connection.sendall(text)
        connection.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError), connection.makefile("r") as answer:
            return answer.readline().strip()
    return ""


REFUSALS = {
    f"join A {TOKEN}x\n": "the token is another one",
    "join A\n": "the first line is join NAME TOKEN",
    "GET / HTTP/1.1\n": "the first line is join NAME TOKEN",
    f"join <b> {TOKEN}\n": "a name is 1 to 40 letters",
    f"join {'n' * 41} {TOKEN}\n": "a name is 1 to 40 letters",
    f"join A {TOKEN}\nbestmove A\n": "waits for an answer",
    "join A \u00e9\xff\n": "the token is another one",
    "": "nothing was said",
    "join A": "nothing was said",
    "x" * (FIRST_LINE + 1): "at most 300 bytes",
}


def test_who_does_not_say_the_right_words_is_turned_away(door):
    for said, answer in REFUSALS.items():
        assert answer in answer_to(door.address, said.encode()), said


def test_a_name_belongs_to_whoever_took_it_and_the_event_may_be_full(door):
    peers = [Peer(door.address, "Old"), Peer(door.address, "One"), Peer(door.address, "Two")]
    assert "the event is full with 3 players" in answer_to(door.address, f"join Three {TOKEN}\n".encode())
    assert "One has joined before" in answer_to(door.address, f"join One {TOKEN}\n".encode())
    assert "One has joined before" in answer_to(door.address, f"join One {TOKEN} {peers[0].key}\n".encode())
    while True:  # until its greeting is over
        with contextlib.suppress(join.Refused):
            again = Peer(door.address, "One", key=peers[1].key)
            break
    assert again.key == peers[1].key
    peers[1].join(PATIENCE)  # the old connection is closed
    assert not peers[1].is_alive()


def test_silent_connections_keep_nobody_out(door):
    silent = [socket.create_connection(door.address, timeout=PATIENCE) for _ in range(2 * STRANGERS)]
    assert "the token is another one" in answer_to(door.address, b"join A no\n")
    said = silent[0].recv(100)
    assert said in (b"refused too many connections\n", b"")
    for connection in silent:
        connection.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "example.org", "127.0.0.1", "::1", "localhost"])
def test_others_than_this_machine_need_a_real_token_and_games_have_a_limit(host, tmp_path):
    said = "give a token of 16" if host in ("0.0.0.0", "example.org") else "fewer --players or pairs"
    with pytest.raises(ValueError, match=said):
        serve_event(EVENT, tmp_path / "event.db", (host, 0), "short", players=3000)
    assert not (tmp_path / "event.db").exists()


def test_tokens_come_from_an_option_a_file_or_a_variable(tmp_path, monkeypatch):
    file = tmp_path / "token"
    file.write_text("filed\n")
    monkeypatch.delenv("MANCALA_TOKEN", raising=False)
    assert (token_of("given", None), token_of(None, str(file)), token_of(None, None)) == ("given", "filed", "")
    monkeypatch.setenv("MANCALA_TOKEN", "variable")
    assert (token_of("given", None), token_of(None, None)) == ("given", "variable")
    with pytest.raises(ValueError, match="not both"):
        token_of("given", str(file))
    with pytest.raises(ValueError, match="one word"):
        token_of("two words", None)
    for text in ("127.0.0.1", ":1", "a:b", "a:70000"):
        with pytest.raises(ValueError, match="an address is HOST:PORT"):
            address_of(text)


# The commands


@pytest.mark.integration
def test_agents_and_programs_join_an_event_from_the_command_line(tmp_path, capfd, request):
    path = tmp_path / "event.db"
    command = [*MANCALA, "tournament", "run", "--serve", "127.0.0.1:0", "--rules", EVENT.rules[0]]
    command += ["--pairs", "2", "--wait", "2", "--out", str(path)]
    popen = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    request.addfinalizer(popen.kill)
    joined = (re.match(r"Bots join by: .* ([\d.]+:\d+) --token (\S+) ", line) for line in popen.stdout)
    address, token = next(filter(None, joined)).groups()
    common = [address, "--token", token, "--reconnect", "0"]
    assert join.main([address, "--token", "wrong", "--name", "X", "--agent", "random"]) == 2
    assert join.main([*common, "--name", "X", "--", sys.executable, "-c", "raise SystemExit(3)"]) == 1
    assert join.main([*common, "--name", "X"]) == 2
    left = {}

    def joins(name, *who):
        left[name] = join.main([*common, "--name", name, *who])

    bots = {"Agent": ["--agent", "random"], "Program": ["--", sys.executable, "agents/bots/random_bot.py"]}
    threads = [threading.Thread(target=joins, args=(name, *words)) for name, words in bots.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    said, _ = popen.communicate(timeout=PATIENCE)
    assert popen.returncode == 0
    assert left == {"Agent": 0, "Program": 0}
    assert len(games_of(path)) == 4
    assert all(record.fault is None for record in games_of(path))
    assert "2 players, open, 4 games" in said
    told = capfd.readouterr().err
    assert "the token is another one" in told
    assert "the program ended with exit code 3 before its first move" in told
    assert "who plays?" in told
    assert "Agent has joined" in told
    assert tournament(["--resume", str(path), "--no-report"]) == 0
    assert tournament(["--resume", str(path), "--trust"]) == 2
    assert "go on with it by --serve" in capfd.readouterr().err
