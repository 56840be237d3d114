"""Bots on other machines that connect to their host: the host's end of the connection. Only lines in this project's
protocol go over it: nothing of a remote bot runs here."""

import contextlib
import ipaddress
import os
import select
import socket
import time
from pathlib import Path

from agents.bots.client import Bot
from agents.bots.process import BotFault, Process
from agents.bots.protocol import QUIT

FIRST_WORD = "join"  # of the first line that a bot writes: join NAME TOKEN [KEY]
JOINED = "joined"  # of the host's answer: joined NAME KEY, or refused WHY
REFUSED = "refused"
TOKEN_VARIABLE = "MANCALA_TOKEN"
_KEEPALIVE = (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))  # a peer that is gone shows in 50 s


def address_of(text: str) -> tuple[str, int]:
    """The host and port of ``HOST:PORT``; the host of an IPv6 address stands in brackets. Raises ValueError."""
    host, _, port = text.rpartition(":")
    host = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not host or not port.isascii() or not port.isdigit() or int(port) >= 1 << 16:
        raise ValueError(f"an address is HOST:PORT, such as 127.0.0.1:2672 or [::1]:2672, not {text!r}")
    return host, int(port)


def is_loopback(host: str) -> bool:
    """Can only this machine reach a name or address?"""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def token_of(token: str | None, file: str | None) -> str:
    """The token that the options, or the variable ``MANCALA_TOKEN``, give; "" if none does. ValueError if both options
    are given, or a token holds a space; OSError if there is no such file."""
    if token is not None and file is not None:
        raise ValueError("give --token or --token-file, not both")
    given = Path(file).read_text(encoding="utf-8").strip() if file else token or os.environ.get(TOKEN_VARIABLE, "")
    if given and (len(given.split()) != 1 or not given.isprintable() or len(given) > 100):
        raise ValueError("a token is one word of at most 100 characters")
    return given


class RemoteProcess(Process):
    """The program at the other end of a connection, used by one thread at a time, within the limits of a ``Process``
    but for memory, processor time and errors."""

    def __init__(self, connection: socket.socket) -> None:
        # Not that of Process, which starts a program.
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEPALIVE:
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        self._socket = connection
        self._listen(connection.fileno(), connection.fileno(), -1)

    @property
    def is_alive(self) -> bool:
        """Is it still connected? Whatever it has written meanwhile stays to be read."""
        if self._socket.fileno() < 0:
            return False
        hung_up = select.poll()
        hung_up.register(self._socket, getattr(select, "POLLRDHUP", 0))  # POLLHUP and POLLERR are always told
        if hung_up.poll(0):
            return False
        try:
            return bool(self._socket.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return True
        except OSError:
            return False

    def send_at_once(self, text: str) -> None:
        """Write a short text, from any thread; raises OSError if there is no room for it."""
        self._socket.send(text.encode())

    def _status(self) -> int | None:
        return None

    def _read_output(self) -> None:
        super()._read_output()
        if hasattr(socket, "TCP_QUICKACK"):  # else an answer in two parts waits 40 ms for the kernel
            with contextlib.suppress(OSError):
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    def _crashed(self, what: str) -> BotFault:
        return BotFault("crash", "its connection was closed")

    def renew_processor_time(self, seconds: float) -> None:
        """Does nothing: the processor is another machine's."""

    def close_input(self) -> None:
        """Let it read the end of its input."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def wait_for_end(self, seconds: float) -> int | None:
        """Wait up to ``seconds`` until it closes the connection: 0, or None if it did not. What it writes is read:
        closing with unread lines would take back the last ones that were sent."""
        deadline = time.monotonic() + seconds
        with contextlib.suppress(OSError):
            while (left := deadline - time.monotonic()) > 0:
                self._socket.settimeout(left)
                if not self._socket.recv(1 << 16):
                    return 0
        return None

    def hang_up(self) -> None:
        """End the connection from any thread: the one that uses it gets a ``crash``."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def kill(self) -> None:
        """Close the connection. Nothing else works afterwards."""
        self.hang_up()
        self._socket.close()


class RemoteBot(Bot):
    """A bot that has joined over a connection, which a fault closes: the bot then has to join again."""

    def __init__(self, name: str, connection: socket.socket, *, start_timeout: float) -> None:
        super().__init__([name], name=name, start_timeout=start_timeout)
        self.process = self._remote = RemoteProcess(connection)

    @property
    def is_connected(self) -> bool:
        """Can it be asked for another game?"""
        return self.process is not None and self._remote.is_alive

    def welcome(self, line: str) -> None:
        """Write a line that lets it in, and hear who it is. Raises BotFault if it does not greet in time."""
        self._remote.say(line, time.monotonic() + self.start_timeout)
        self._guarded(self._greet)

    def start(self) -> None:
        """Raise BotFault if it is not connected: only its owner can start it."""
        if not self.is_connected:
            self.kill()
            raise BotFault("crash", "its connection was closed")

    def hang_up(self) -> None:
        """End the connection, from any thread."""
        self._remote.hang_up()

    def dismiss(self) -> None:
        """Say farewell, without waiting for its end; another thread may be asking it, which hears of that."""
        with contextlib.suppress(OSError):
            self._remote.send_at_once(QUIT)
        self._remote.close_input()
