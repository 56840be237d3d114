"""The Kalah Game Protocol (P. Kaludercic and T. Völk, version 1, mode freeplay) in both directions.

``kgp.py bot COMMAND...`` is a bot: it starts a client of that protocol and is its server, on loopback. The client
finds it by the variables ``KGP_HOST`` and ``KGP_PORT``; ``{port}`` in the command stands for the port.
``kgp.py play HOST:PORT AGENT`` has an agent of this project play on a server.

A server writes a board, always with the client as South; the client writes moves, each better than the one before,
until it yields or is told to stop. Commands carry numbers, and refer to one another by them:
``4 state <3,0,0,3,3,3,3,3,3>``, ``1@4 move 2``, ``3@4 yield``.
"""

import json
import os
import re
import select
import socket
import subprocess
import sys
import time
from itertools import pairwise

_COMMAND = re.compile(r"(?:(\d+)?(?:@(\d+))?\s+)?(\w+)\s*(.*?)\s*")
_CHANGES = {"pits_per_row", "seeds", "max_plies", "majority_stop"}  # of Kalah, of which a client need not be told
_MOVETIME = 1.0  # seconds for a move where the host sets none


class Peer:
    """The other end of a connection, which speaks the protocol.

    Parameters
    ----------
    connection : socket
    first : int
        Number of the first command written here: a server's are even, a client's odd.
    """

    def __init__(self, connection: socket.socket, first: int) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection, self._number, self._read = connection, first - 2, b""

    def say(self, text: str, reference: str = "") -> str:
        """Write a command, which may refer to another one; returns its number."""
        self._number += 2
        self._connection.sendall(f"{self._number}{reference and '@' + reference} {text}\r\n".encode())
        return str(self._number)

    def hear(self, deadline: float | None = None) -> tuple[str, str, str, str] | None:
        """Number, reference, name and arguments of the next command; None if none comes before the deadline.

        A ``ping`` is answered. Raises EOFError when the connection is closed.
        """
        while True:
            line, newline, rest = self._read.partition(b"\n")
            if newline:
                self._read = rest
                if found := _COMMAND.fullmatch(line.decode("utf-8", "replace").strip()):
                    number, reference, name, arguments = (each or "" for each in found.groups())
                    if name != "ping":
                        return number, reference, name, arguments
                    self.say(f"pong {arguments}".strip(), number)
                continue
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([self._connection], [], [], left)[0]:
                return None
            data = self._connection.recv(1 << 16)
            if not data:
                raise EOFError
            self._read += data


def board(position: str) -> str:
    """A position of the bots' protocol as its mover is told it: size, own store, other store, own pits, other pits.

    Examples
    --------
    >>> board("kalah 3-0-4-3-3-3-1-0-N ply=1")
    '<3,0,1,3,3,3,3,0,4>'
    """
    *numbers, mover = position.split()[1].split("-")
    size = len(numbers) // 2 - 1
    rows, stores = [numbers[:size], numbers[size : 2 * size]], numbers[2 * size :]
    me = "SN".index(mover)
    return f"<{','.join([str(size), stores[me], stores[1 - me], *rows[me], *rows[1 - me]])}>"


def bot(command: list[str]) -> None:
    """Be a bot for a client that a command starts."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = str(listener.getsockname()[1])
    client = subprocess.Popen(
        [word.replace("{port}", port) for word in command],
        stdin=subprocess.DEVNULL,
        stdout=2,
        env={**os.environ, "KGP_HOST": "127.0.0.1", "KGP_PORT": port},
    )
    try:
        serve(client, listener)
    finally:  # it may not heed "goodbye"
        client.kill()
        client.wait()


def serve(client: "subprocess.Popen[bytes]", listener: socket.socket) -> None:
    """Wait for a client, and play what the host asks until it says ``quit``."""
    while not select.select([listener], [], [], 0.1)[0]:
        if client.poll() is not None:
            sys.exit(f"the client ended with exit code {client.returncode} before it connected")
    peer = Peer(listener.accept()[0], 0)
    peer.say("kgp 1 0 0")
    name = "client"
    while (said := peer.hear()) is not None and said[2] != "mode":
        if said[2] == "set" and said[3].startswith("info:name "):
            name = said[3].partition(" ")[2].strip('"')
    position = ""
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "uci":
            answer = f"id name {name}\nid games kalah\nuciok"
        elif word == "isready":
            answer = "readyok"
        elif word == "rules":
            game, _, changes = rest.partition(" ")
            plays = game == "kalah" and set(json.loads(changes)) <= _CHANGES
            answer = (
                "rulesok" if plays else "refused the Kalah Game Protocol is for kalah of every size, without changes"
            )
        elif word == "go":
            answer = f"bestmove {chosen(peer, position, rest.split())}"
        elif word == "quit":
            break
        else:
            position = rest if word == "board" else position
            continue
        print(answer, flush=True)
    peer.say("goodbye")


def chosen(peer: Peer, position: str, words: list[str]) -> str:
    """The name of the last move that a client wrote when it yielded, or when its time was up."""
    limits = dict(pairwise(words))
    seconds = _MOVETIME
    if "movetime" in limits:
        seconds = int(limits["movetime"]) / 1000
    elif "bank" in limits:
        seconds = int(limits["bank"]) / 1000 / 30
    deadline = time.monotonic() + max(seconds / 2, 0.98 * seconds - 0.03)
    asked = peer.say(f"state {board(position)}")
    move, is_late, yielded = "", False, False
    while not yielded and not (is_late and move):  # who has no move yet may use the bank
        said = peer.hear(None if is_late else deadline)
        if said is None:
            is_late = True
        elif said[1] in ("", asked):
            move = said[3] if said[2] == "move" else move
            yielded = said[2] == "yield"
    if is_late:
        peer.say("stop", asked)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    names = letters if "S" in position.split()[1] else letters.lower()
    return names[int(move) - 1] if move.isdigit() and 0 < int(move) <= len(names) else "none"


def play(address: str, spec: str) -> None:
    """Have an agent play whatever a server asks, until it says ``goodbye``."""
    import mancala_env
    from agents import make_agent

    agent = make_agent(spec)
    agent.reset(0)
    host, _, port = address.rpartition(":")
    peer = Peer(socket.create_connection((host, int(port))), 1)
    while (said := peer.hear()) is not None and said[2] != "goodbye":
        number, _, name, arguments = said
        if name == "kgp":
            peer.say(f'set info:name "{agent.name}"')
            peer.say("mode freeplay")
        elif name == "error":
            sys.exit(f"the server refused: {arguments}")
        elif name == "state":
            size, south, north, *pits = map(int, arguments.strip("<>").split(","))
            seeds = max(1, -(-(south + north + sum(pits)) // (2 * size)))
            rules = mancala_env.ruleset("kalah", pits_per_row=size, seeds=seeds)
            state = rules.position(pits=pits, stores=(south, north))
            if not state.is_over:
                peer.say(f"move {agent.act(state) + 1}", number)
            peer.say("yield", number)


def main() -> None:
    """The command."""
    match sys.argv[1:]:
        case ["bot", *command] if command:
            bot(command)
        case ["play", address, agent]:
            play(address, agent)
        case _:
            sys.exit("usage: kgp.py bot COMMAND... | kgp.py play HOST:PORT AGENT")


if __name__ == "__main__":
    try:
        main()
    except EOFError:
        sys.exit("the other end closed the connection")
