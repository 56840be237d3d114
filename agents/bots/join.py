"""``mancala tournament join HOST:PORT``: a program of this machine plays in an event of another one."""

import contextlib
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from threading import Event, Thread
from typing import NamedTuple

from agents.agent import make_agent
from agents.bots.commands import SERVE, resolve_command
from agents.bots.remote import FIRST_WORD, JOINED, TOKEN_VARIABLE, address_of, token_of
from mancala_env.cli import Namespace, Parser, in_words, printable

COMMAND = "mancala tournament join"
LAST_WORD = "quit"  # of a host, which ends the event for this bot
LONGEST_ANSWER = 10.0  # seconds for the host to let it in
LEAVING = 2.0  # seconds for the program to end
_CHUNK = 64 << 10


class Refused(Exception):
    """The host does not let the bot in; the text says why."""


class Stay(NamedTuple):
    """How a connection ended: with the event; with the program, by this exit code; and whether that had moved."""

    is_over: bool
    crashed: int | None
    moved: bool


def enter(address: tuple[str, int], name: str, token: str, key: str = "") -> tuple[socket.socket, str]:
    """A connection on which the host has let ``name`` in, and the key to come back. Refused if the host says why not,
    OSError if nothing answers in time."""
    connection = socket.create_connection(address, timeout=LONGEST_ANSWER)
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(f"{' '.join((FIRST_WORD, name, token, key)).strip()}\n".encode())
        with connection.makefile("rb", buffering=0) as answer:  # byte by byte: what follows is for the bot
            line = answer.readline(1000)
        if not line.endswith(b"\n"):
            raise ConnectionResetError("the host ended the connection")
        words = line.decode("utf-8", "replace").split()
        if len(words) != 3 or words[0] != JOINED:
            raise Refused(printable(" ".join(words[1:])) or "it did not say why")
        connection.settimeout(None)
    except BaseException:
        connection.close()
        raise
    return connection, words[2]


def relay(connection: socket.socket, command: Sequence[str]) -> Stay:
    """Run a program whose input and output are a connection, until either ends. Raises OSError if it cannot be run."""
    popen = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert popen.stdin is not None
    assert popen.stdout is not None
    over, ended_by_host = Event(), Event()
    to_bot = popen.stdin

    def bring() -> None:
        with contextlib.suppress(OSError, ValueError), connection.makefile("rb") as lines:
            for line in lines:
                if line.strip() == LAST_WORD.encode():
                    over.set()
                to_bot.write(line)
        if popen.poll() is None:
            ended_by_host.set()
        with contextlib.suppress(OSError):
            to_bot.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            popen.wait(LEAVING)
        popen.kill()

    bringing = Thread(target=bring, daemon=True)
    bringing.start()
    moved = False
    try:
        while data := os.read(popen.stdout.fileno(), _CHUNK):
            moved = moved or b"bestmove" in data
            connection.sendall(data)
    except OSError:
        pass  # the host has gone: the other direction hears of it as well
    finally:
        with contextlib.suppress(subprocess.TimeoutExpired):
            popen.wait(LEAVING)
        crashed = None if ended_by_host.is_set() else popen.poll()
        popen.kill()
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        bringing.join(LEAVING)
        connection.close()
        popen.stdout.close()
        popen.wait()
    return Stay(over.is_set(), None if over.is_set() else crashed, moved)


def command_of(agent: str | None, words: Sequence[str]) -> list[str]:
    """The program to run. Raises ValueError if there is none or two, or no such agent, FileNotFoundError if it is not
    there."""
    if (agent is None) == (not words):
        raise ValueError("who plays? Give --agent AGENT, or after -- a program and its arguments")
    if agent is not None:
        make_agent(agent)  # or it is refused now, and not when all are waiting for it
        return [sys.executable, *SERVE, agent]
    return resolve_command(f"cmd:{shlex.join(words)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns 0 when the event is over, 1 if bot or connection failed, 2 if it cannot join."""
    parser = Parser(
        COMMAND,
        "Let a program of this machine, which speaks the protocol of docs/protocol.md, or an agent play in an event "
        "that mancala tournament run --serve runs.",
        epilog=f"The program and its arguments follow after --: {COMMAND} HOST:PORT --name Ada -- ./mybot --fast",
    )
    parser.add_argument("address", metavar="HOST:PORT", help="of the event")
    parser.add_argument("--name", required=True, help="for the tables: letters, digits and . _ + -")
    parser.add_argument("--agent", metavar="AGENT", help="an agent instead of a program, e.g. minimax:depth=4")
    parser.add_argument("--token", help=f"of the event (default: the variable {TOKEN_VARIABLE})")
    parser.add_argument("--token-file", metavar="FILE", help="that holds it")
    parser.add_argument("--key", default="", help="to come back under a name that has joined before")
    parser.add_argument(
        "--reconnect", type=float, default=60.0, metavar="SECONDS", help="to go on trying when the connection is lost"
    )
    given = list(sys.argv[1:] if arguments is None else arguments)
    place = given.index("--") if "--" in given else len(given)
    options = parser.parse_args(given[:place])
    try:
        command = command_of(options.agent, given[place + 1 :])
        if not (token := token_of(options.token, options.token_file)):
            raise ValueError(f"the event's token is missing: --token, --token-file or {TOKEN_VARIABLE}")
        return _play(address_of(options.address), token, command, options)
    except (ValueError, OSError, ImportError, Refused) as error:
        _say(str(error) if isinstance(error, Refused) else in_words(error))
        return 2
    except KeyboardInterrupt:
        _say("stopped; the event goes on without it")
        return 130


def _say(text: str) -> None:
    print(f"{COMMAND}: {text}", file=sys.stderr, flush=True)


def _play(address: tuple[str, int], token: str, command: list[str], options: Namespace) -> int:
    """Join, and again whenever the connection is lost or the program crashed after it had played."""
    key, pause = options.key, 0.2
    lost: float | None = None  # when the connection was lost
    while True:
        before = key
        try:
            connection, key = enter(address, options.name, token, key)
        except OSError as error:
            if lost is None:
                raise OSError(f"cannot join {address[0]}:{address[1]}: {error}") from None
            if time.monotonic() > lost + options.reconnect:
                _say(f"the event cannot be reached any more ({error})")
                return 1
            time.sleep(pause)
            pause = min(2 * pause, 5.0)
            continue
        if key != before:
            _say(f"joined as {options.name}; to come back from elsewhere: --key {key}")
        pause = 0.2
        stay = relay(connection, command)
        if stay.is_over:
            _say("the event is over")
            return 0
        if stay.crashed is not None and not stay.moved:
            _say(f"the program ended with exit code {stay.crashed} before its first move")
            return 1
        _say("the program ended: once more" if stay.crashed is not None else "the connection was lost: joining again")
        lost = time.monotonic()
