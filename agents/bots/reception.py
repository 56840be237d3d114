"""Where bots of other people come in: who says the token and a free name joins, everybody else is turned away."""

import contextlib
import hmac
import re
import secrets
import selectors
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from threading import Lock, Thread

from agents.bots.process import BotFault
from agents.bots.remote import FIRST_WORD, JOINED, REFUSED, RemoteBot

FIRST_LINE = 300  # bytes
FIRST_WAIT = 10.0  # seconds for the first line
STRANGERS = 16  # connections that have not said it yet; the oldest makes room for the next
SHORTEST_TOKEN = 16  # characters, where others than this machine can connect
_NAME = re.compile(r"[\w.+-]{1,40}")
_LOOK = 0.2


@dataclass
class _Stranger:
    """A connection that has not said its first line."""

    connection: socket.socket
    until: float
    said: bytearray = field(default_factory=bytearray)


class Reception:
    """Listens at an address. A context: leaving it stops listening; bots that have joined stay connected.

    A bot writes ``join NAME TOKEN`` as its first line, and hears ``joined NAME KEY`` or ``refused WHY``. Whoever has
    joined once comes back by ``join NAME TOKEN KEY``, even if its old connection seems to stand: that one is closed.
    Keys are valid until the host ends. Each ``RemoteBot`` that has joined and greeted is handed to ``arrived``, from
    another thread. ``names`` are in the event from earlier on, without a key: they belong to whoever takes them first;
    ``most`` may join in all. Raises OSError if it cannot listen there.
    """

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
        self._lock = Lock()
        self._strangers: list[_Stranger] = []
        self._closing = False
        self.refused = 0
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        try:
            self._listener = socket.create_server(address, family=family, backlog=STRANGERS)
        except OSError as error:
            where = f"{address[0]}:{address[1]}"
            raise OSError(f"cannot listen at {where} ({error.strerror or error}): choose another HOST:PORT") from None
        self._listener.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._thread = Thread(target=self._run, daemon=True)

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
            for name in self._greeting:
                self._present[name].dismiss()

    def has_left(self, bot: RemoteBot) -> None:
        """Its name may join again, with its key."""
        with self._lock:
            if self._present.get(bot.name) is bot:
                del self._present[bot.name]

    def _run(self) -> None:
        while not self._closing:
            for key, _ in self._selector.select(_LOOK):
                if key.data is None:
                    self._accept()
                else:
                    self._hear(key.data)
            for stranger in [each for each in self._strangers if time.monotonic() > each.until]:
                self._turn_away(stranger, f"nothing was said within {FIRST_WAIT:g} s")
        for stranger in list(self._strangers):
            self._turn_away(stranger, "the event has ended")

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except BlockingIOError:
            return
        except OSError:  # no descriptor is left for it, or it has gone again
            time.sleep(0.05)
            return
        connection.setblocking(False)
        if len(self._strangers) >= STRANGERS:
            self._turn_away(self._strangers[0], "too many connections")
        stranger = _Stranger(connection, time.monotonic() + FIRST_WAIT)
        self._strangers.append(stranger)
        self._selector.register(connection, selectors.EVENT_READ, stranger)

    def _hear(self, stranger: _Stranger) -> None:
        if stranger not in self._strangers:  # it made room for another a moment ago
            return
        try:
            data = stranger.connection.recv(FIRST_LINE + 1)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        stranger.said += data
        line, newline, more = bytes(stranger.said).partition(b"\n")
        if not data:
            self._turn_away(stranger, "nothing was said")
        elif len(line) > FIRST_LINE or more:
            self._turn_away(stranger, f"the first line has at most {FIRST_LINE} bytes, and waits for an answer")
        elif newline:
            self._admit(stranger, line.decode("utf-8", "replace").split())

    def _admit(self, stranger: _Stranger, words: list[str]) -> None:
        if not 3 <= len(words) <= 4 or words[0] != FIRST_WORD:
            self._turn_away(stranger, f"the first line is {FIRST_WORD} NAME TOKEN")
            return
        name, token, key = words[1], words[2], "".join(words[3:])
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            self._turn_away(stranger, "the token is another one")
            return
        if not _NAME.fullmatch(name):
            self._turn_away(stranger, "a name is 1 to 40 letters, digits and . _ + -")
            return
        if why := self._objection(name, key):
            self._turn_away(stranger, why)
            return
        self._let_go(stranger)
        bot = RemoteBot(name, stranger.connection, start_timeout=self._start_timeout)
        with self._lock:
            before, is_new = self._present.get(name), name not in self._keys
            own = self._keys.get(name) or secrets.token_hex(9)
            self._keys[name], self._present[name] = own, bot
            self._greeting.add(name)
        if before is not None:
            before.hang_up()
        Thread(target=self._greet, args=(bot, own, is_new), daemon=True).start()

    def _objection(self, name: str, key: str) -> str:
        """Why this name cannot join now; "" if it can."""
        with self._lock:
            known = self._keys.get(name)
            if known is not None and not hmac.compare_digest(key.encode(), known.encode()):
                return f"{name} has joined before: take another name, or give its key"
            if name in self._greeting:
                return f"{name} is joining just now"
            if name not in self._keys and len(self._keys) >= self._most:
                return f"the event is full with {self._most} players"
            return ""

    def _greet(self, bot: RemoteBot, key: str, is_new: bool) -> None:
        """Hear who it is, and hand it over. A name that never got so far stays free."""
        try:
            bot.welcome(f"{JOINED} {bot.name} {key}\n")
        except (BotFault, ValueError, OSError):
            bot.kill()
            with self._lock:
                self.refused += 1
                self._greeting.discard(bot.name)
                del self._present[bot.name]
                if is_new:
                    del self._keys[bot.name]
            return
        with self._lock:
            self._greeting.discard(bot.name)
        self._arrived(bot)

    def _turn_away(self, stranger: _Stranger, why: str) -> None:
        self._let_go(stranger)
        self.refused += 1
        with contextlib.suppress(OSError):
            stranger.connection.send(f"{REFUSED} {why}\n".encode())
            stranger.connection.shutdown(socket.SHUT_WR)
        stranger.connection.close()

    def _let_go(self, stranger: _Stranger) -> None:
        self._strangers.remove(stranger)
        self._selector.unregister(stranger.connection)
