"""A player of Kalah who connects to a server of the Kalah Game Protocol."""

import os
import random
import re
import socket
import sys

import faults

port = next((word.removeprefix("--port=") for word in sys.argv if word.startswith("--port=")), os.environ["KGP_PORT"])
print("connecting, says stdout", flush=True)
os.close(1)  # it is not needed
connection = socket.create_connection((os.environ["KGP_HOST"], int(port)))
choose, number = random.Random(1), -1


def say(text, reference=""):
    """A command with a number of its own."""
    global number  # noqa: PLW0603
    number += 2
    connection.sendall(f"{number}{reference} {text}\r\n".encode())


for line in connection.makefile():
    found = re.fullmatch(r"(?:(\d+)(?:@\d+)?\s+)?(\w+)\s*(.*?)\s*", line)
    name = found and found[2]
    if name == "kgp":
        if "--pings" in sys.argv:
            say('ping "who is there?"')
            answer = connection.recv(100).decode().split(maxsplit=1)
            assert answer[0].endswith("@1"), answer
            assert answer[1].strip() == 'pong "who is there?"', answer
        say('set info:name "Little \\"Kalah\\""')
        say("mode " + ("simple" if "--simple" in sys.argv else "freeplay"))
    elif name == "state":
        size, _, _, *pits = map(int, re.findall(r"\d+", found[3]))
        reference = f"@{found[1]}"
        if number > 5:
            say("move 99", "@2")  # about a question of long ago
        legal = [pit + 1 for pit in range(size) if pits[pit]]
        if faults.due():
            say(faults.nonsense(illegal="move 99", remark="set info:comment lost"), reference)
            say("yield", reference)
            continue
        say(f"move {legal[0]}", reference)
        if "--thinks" not in sys.argv:  # it goes on thinking until it is stopped
            say(f"move {choose.choice(legal)}", reference)
            say("yield", reference)
    elif name == "goodbye":
        break
