"""Bots on other machines that connect to their host: who says the token and a free name joins, everybody else is turned
away. Only lines in this project's protocol go over a connection: nothing of a remote bot runs here."""

import contextlib
import hmac
import ipaddress
import os
import re
import secrets
import select
import socket
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Lock, Thread

from agents.bots.client import Bot
from agents.bots.process import BotFault, Process
from agents.bots.protocol import QUIT

FIRST_WORD = "join"  # of the first line that a bot writes: join NAME TOKEN [KEY]
JOINED = "joined"  # of the host's answer: joined NAME KEY, or refused WHY
REFUSED = "refused"
TOKEN_VARIABLE = "MANCALA_TOKEN"
FIRST_LINE = 300  # bytes
FIRST_WAIT = 10.0  # seconds for the first line
STRANGERS = 16  # connections that have not said it yet; the oldest makes room for the next
SHORTEST_TOKEN = 16  # characters, where others than this machine can connect
_NAME = re.compile(r"[\w.+-]{1,40}")
_LOOK = 0.2
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


class Reception:
    """Listens at an address while its context lasts; bots that have joined stay connected. A bot's first line is ``join
    NAME TOKEN``, the answer ``joined NAME KEY`` or ``refused WHY``; it comes back by ``join NAME TOKEN KEY``, which
    closes its old connection. Each ``RemoteBot`` that has greeted is handed to ``arrived``, from another thread.
    ``names`` of earlier bots belong to whoever takes them first; ``most`` may join. OSError if it cannot listen
    there."""

    def __init__(
        self,
        address: tuple[str, int],
        token: str,
        arrived: Callable[[RemoteBot], object],
        *,
        names: Iterable[str] = (),
        most: int,
        start_timeout: float,
    ) -> None:
        self._token, self._arrived, self._most, self._start_timeout = token, arrived, most, start_timeout
        self._keys: dict[str, str | None] = dict.fromkeys(names)
        self._present: dict[str, RemoteBot] = {}
        self._greeting: set[str] = set()  # those of them that have not been handed over
        self._strangers: list[socket.socket] = []  # have not said their first line, the oldest first
        self._lock = Lock()
        self._closing = False
        self.refused = 0  # connections that were turned away
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        try:
            self._listener = socket.create_server(address, family=family, backlog=STRANGERS)
        except OSError as error:
            where = f"{address[0]}:{address[1]}"
            raise OSError(f"cannot listen at {where} ({error.strerror or error}): choose another HOST:PORT") from None
        self._listener.settimeout(_LOOK)
        self._thread = Thread(target=self._listen, daemon=True)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port at which it listens."""
        host, port, *_ = self._listener.getsockname()
        return str(host), int(port)

    def __enter__(self) -> "Reception":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._closing = True
        self._thread.join()
        self._listener.close()
        with self._lock:
            while self._strangers:
                self._send_away(self._strangers.pop(), "the event has ended")
            for name in self._greeting:
                self._present[name].dismiss()

    def has_left(self, bot: RemoteBot) -> None:
        """Its name may join again, with its key."""
        with self._lock:
            if self._present.get(bot.name) is bot:
                del self._present[bot.name]

    def _listen(self) -> None:
        while not self._closing:
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:  # no descriptor is left for it, or it has gone again
                time.sleep(0.05)
                continue
            with self._lock:
                if len(self._strangers) >= STRANGERS:
                    self._send_away(self._strangers.pop(0), "too many connections")
                self._strangers.append(connection)
            try:
                Thread(target=self._meet, args=(connection,), daemon=True).start()
            except RuntimeError:  # the system has no thread left
                with self._lock:
                    self._strangers.remove(connection)
                connection.close()

    @staticmethod
    def _send_away(stranger: socket.socket, why: str) -> None:
        """Have the thread that listens to a stranger come to the end of what that says."""
        with contextlib.suppress(OSError):
            stranger.send(f"{REFUSED} {why}\n".encode())
            stranger.shutdown(socket.SHUT_RDWR)

    def _meet(self, connection: socket.socket) -> None:
        """Hear the first line of a connection, and then who it is; hand it over, or turn it away."""
        try:
            bot, key, is_new = self._admitted(connection, _first_line(connection))
        except (ValueError, OSError) as error:
            with self._lock:
                self.refused += 1
                if connection in self._strangers:
                    self._strangers.remove(connection)
            with contextlib.suppress(OSError):
                connection.send(f"{REFUSED} {error}\n".encode())
                connection.shutdown(socket.SHUT_WR)
            connection.close()
            return
        try:
            bot.welcome(f"{JOINED} {bot.name} {key}\n")
        except (BotFault, ValueError, OSError):
            bot.kill()
            with self._lock:
                self.refused += 1
                self._greeting.discard(bot.name)
                del self._present[bot.name]
                if is_new:  # a name that never got so far stays free
                    del self._keys[bot.name]
            return
        with self._lock:
            self._greeting.discard(bot.name)
        self._arrived(bot)

    def _admitted(self, connection: socket.socket, words: list[str]) -> tuple[RemoteBot, str, bool]:
        """The bot that says these words, its key, and whether it is new. Raises ValueError, which says why not."""
        if not 3 <= len(words) <= 4 or words[0] != FIRST_WORD:
            raise ValueError(f"the first line is {FIRST_WORD} NAME TOKEN")
        name, token, key = words[1], words[2], "".join(words[3:])
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            raise ValueError("the token is another one")
        if not _NAME.fullmatch(name):
            raise ValueError("a name is 1 to 40 letters, digits and . _ + -")
        with self._lock:
            known, is_new, before = self._keys.get(name), name not in self._keys, self._present.get(name)
            if known is not None and not hmac.compare_digest(key.encode(), known.encode()):
                raise ValueError(f"{name} has joined before: take another name, or give its key")
            if name in self._greeting:
                raise ValueError(f"{name} is joining just now")
            if is_new and len(self._keys) >= self._most:
                raise ValueError(f"the event is full with {self._most} players")
            if connection not in self._strangers:
                raise ValueError("it was sent away a moment ago")
            self._strangers.remove(connection)
            bot = RemoteBot(name, connection, start_timeout=self._start_timeout)
            own = known or secrets.token_hex(9)
            self._keys[name], self._present[name] = own, bot
            self._greeting.add(name)
        if before is not None:
            before.hang_up()
        return bot, own, is_new


def _first_line(connection: socket.socket) -> list[str]:
    """The words of the first line. Raises ValueError if it does not come, or is not alone."""
    deadline, said = time.monotonic() + FIRST_WAIT, b""
    while b"\n" not in said and len(said) <= FIRST_LINE:
        connection.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            data = connection.recv(FIRST_LINE + 1)
        except TimeoutError:
            raise ValueError(f"nothing was said within {FIRST_WAIT:g} s") from None
        if not data:
            raise ValueError("nothing was said")
        said += data
    line, _, more = said.partition(b"\n")
    if len(line) > FIRST_LINE or more:
        raise ValueError(f"the first line has at most {FIRST_LINE} bytes, and waits for an answer")
    return line.decode("utf-8", "replace").split()
