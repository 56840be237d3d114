"""Where bots of other people come in: who says the token and a free name joins, everybody else is turned away."""

import contextlib
import hmac
import re
import secrets
import socket
import time
from collections.abc import Callable, Iterable
from threading import Lock, Thread

from agents.bots.process import BotFault
from agents.bots.remote import FIRST_WORD, JOINED, REFUSED, RemoteBot

FIRST_LINE = 300  # bytes
FIRST_WAIT = 10.0  # seconds for the first line
STRANGERS = 16  # connections that have not said it yet; the oldest makes room for the next
SHORTEST_TOKEN = 16  # characters, where others than this machine can connect
_NAME = re.compile(r"[\w.+-]{1,40}")
_LOOK = 0.2


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
