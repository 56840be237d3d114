"""The web page to play on, served to browsers on this machine by the standard library's server, with JSON."""

import contextlib
import ipaddress
import json
import secrets
import socket
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Lock, Thread
from typing import Any
from urllib.parse import urlsplit

from agents.agent import make_agent
from agents.bots.remote import is_loopback
from agents.play.api import LOBBY, TABLE, UNCHANGING, PlayApi, answered, lobby_answer, play_asset
from agents.play.lobby import card, measured, offered, opponent_named, rated
from agents.play.session import PERSON, Session, agreed
from agents.reading import json_object
from agents.warm_up import warm
from mancala_env.games import RULESETS
from mancala_env.kernels.jit import compiled_now
from mancala_env.replay.page import SERVED_POLICY, asset, page, theme

MAX_BODY = 100_000  # bytes of a request
MAX_SESSIONS = 64  # games kept; the least recently used one makes room
MAX_THINKING = 4  # requests answered at the same time; others wait
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": SERVED_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Sessions:
    """The games in progress, at most ``MAX_SESSIONS``, each under a name that cannot be guessed."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[PlayApi, Lock]] = OrderedDict()
        self._lock = Lock()

    def add(self, api: PlayApi) -> str:
        """Keep a game; returns its name."""
        name = secrets.token_hex(18)
        with self._lock:
            self._kept[name] = (api, Lock())
            while len(self._kept) > MAX_SESSIONS:
                self._kept.popitem(last=False)
        return name

    def find(self, name: object) -> tuple[PlayApi, Lock] | None:
        """A game, and the lock to hold during a request to it; None if there is no game of this name."""
        with self._lock:
            if not isinstance(name, str) or name not in self._kept:
                return None
            self._kept.move_to_end(name)
            return self._kept[name]

    def __len__(self) -> int:
        return len(self._kept)


class PlayServer(ThreadingHTTPServer):
    """Serves one page and its requests: ``serve_forever`` starts it, ``url`` is its address. The page begins with
    ``rules`` and the first of ``against``, with a saved game (``load``, as text), or, with ``lobby``, with the choice
    of a game. Port 0: any that is free. ValueError if there is no such game or opponent, the opponent does not play it,
    or the port is impossible; OSError, which says what to do, if it cannot listen there."""

    daemon_threads = True
    block_on_close = False

    def __init__(
        self,
        rules: str = "kalah",
        against: Sequence[str] = ("minimax:depth=6",),
        *,
        seat: int = 0,
        seed: int = 0,
        host: str = "127.0.0.1",
        port: int = 0,
        load: str = "",
        lobby: bool = False,
    ) -> None:
        self.lobby = lobby
        if not 0 <= port < 65536:
            raise ValueError(f"a port is from 0 to 65535, not {port}")
        for spec in against:
            if spec != PERSON:
                make_agent(spec)
        self.first = {"rules": rules, "against": against[0], "seat": seat, "seed": seed}
        self.games, self.against = tuple(dict.fromkeys((rules, *RULESETS))), tuple(against)
        self.text = load
        agreed(*self.first.values())  # type: ignore[arg-type]
        self.sessions, self.thinking = Sessions(), BoundedSemaphore(MAX_THINKING)
        self.host = host
        if ":" in host:
            self.address_family = socket.AF_INET6
        try:
            super().__init__((host, port), Handler)
        except OSError as error:
            why = f"cannot listen on {host}, port {port} ({error.strerror or error})"
            raise type(error)(f"{why}: choose another --port or --host, or --port 0 for any that is free") from None

    @property
    def url(self) -> str:
        """The address of the page."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.server_port}/"

    def first_session(self) -> Session:
        """A session with the settings of the command."""
        session = self.begin(*self.first.values())  # type: ignore[arg-type]
        if self.text:
            session.load(self.text)
        return session

    def prepare(self) -> None:
        """Make the first game and compile what its first answers need; a browser may send requests meanwhile.
        ValueError if the saved game cannot be read."""
        session = self.first_session()
        with contextlib.suppress(ValueError, RuntimeError):  # of an agent: it will fail again when it has to move
            if not session.state.is_over:
                warm(session.rules, session.agent)
                session.hint()

    def begin(self, rules: str, against: str, seat: int, seed: int) -> Session:
        """A game that the page may ask for. ValueError if it was not offered this game or this opponent."""
        if not offered(rules, self.games):
            raise ValueError(f"{rules[:80]!r} is none of the games here")
        try:
            return Session(rules, opponent_named(rules, against, self.against), seat=seat, seed=seed)
        except ImportError as error:
            raise ValueError(f"{against} needs a package that is not installed: {error}") from error

    def allows(self, host: str | None) -> bool:
        """Is this a Host that pages of this server have? A name that another server gave this address (DNS rebinding)
        is not."""
        try:
            parts = urlsplit(f"//{host or ''}")
            name, port = parts.hostname, parts.port
        except ValueError:
            return False
        if (port or 80) != self.server_port or parts.path or parts.username is not None:
            return False
        if name in ("localhost", self.host):
            return True
        try:
            address = ipaddress.ip_address(name or "")
        except ValueError:
            return False
        return address.is_loopback or not is_loopback(self.host)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that hangs up is no error; print a line about anything else."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError | TimeoutError):
            print(f"mancala play: {type(error).__name__}: {error}", file=sys.stderr, flush=True)


class _Refused(Exception):
    """A request that is not answered: a status, and why."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class Handler(BaseHTTPRequestHandler):
    """Answers ``GET /`` with the page and ``POST /api`` with JSON; refuses everything else."""

    server: PlayServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "mancala", ""
    timeout = 30  # seconds in which a request has to arrive

    def do_GET(self) -> None:
        """The page."""
        self._respond("/", self._page)

    def do_POST(self) -> None:
        """A request of the page."""
        self._respond("/api", self._requested)

    def _respond(self, path: str, answer: Callable[[], tuple[HTTPStatus, str, str]]) -> None:
        try:
            self._check_origin()
            if self.path != path:
                raise _Refused(HTTPStatus.NOT_FOUND, "there is nothing here")
            status, kind, body = answer()
        except _Refused as refused:
            self.close_connection = True  # the rest of the request stays unread
            status, kind, body = refused.status, "application/json", json.dumps({"error": str(refused)})
        content = body.encode()
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def _check_origin(self) -> None:
        """Raise _Refused unless this server's own page asks. Browsers tell the truth; other programs need not."""
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or not self.server.allows(hosts[0]):
            raise _Refused(HTTPStatus.FORBIDDEN, "this server is not the one that was asked for")
        from_elsewhere = self.headers.get("Origin", f"http://{hosts[0]}") != f"http://{hosts[0]}"
        site = self.headers.get("Sec-Fetch-Site", "same-origin")
        if from_elsewhere or (self.command == "POST" and site not in ("same-origin", "none")):
            raise _Refused(HTTPStatus.FORBIDDEN, "only the page of this server may ask")

    def _page(self) -> tuple[HTTPStatus, str, str]:
        server = self.server
        html = table_page(server.games, {}, server.first, play_asset("page.js"), more={"lobby": server.lobby})
        return HTTPStatus.OK, "text/html; charset=utf-8", html

    def _requested(self) -> tuple[HTTPStatus, str, str]:
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "requests are JSON")
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or "Transfer-Encoding" in self.headers:
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, "how long is the request?")
        if len(length) > 9 or int(length) > MAX_BODY:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request is at most {MAX_BODY} bytes long")
        try:
            request = json_object(self.rfile.read(int(length)))
        except ValueError:
            raise _Refused(HTTPStatus.BAD_REQUEST, "a request is a JSON object") from None
        told = answered(lambda: self._told(request))
        wrong = {"stale": HTTPStatus.CONFLICT, "gone": HTTPStatus.NOT_FOUND, "error": HTTPStatus.BAD_REQUEST}
        status = next((status for what, status in wrong.items() if what in told), HTTPStatus.OK)
        return status, "application/json", json.dumps(told)

    def _told(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request. Raises as ``PlayApi.answer`` does."""
        server, command = self.server, request.get("command")
        if command == "status":
            what = compiled_now()
            return {"compiling": bool(what), "what": what}
        if command in LOBBY:
            return lobby_answer(request, server.games, server.against)
        if command == "begin":
            api = PlayApi(server.first_session(), server.begin, server.against)
            return {**api.game(whole=True), "session": server.sessions.add(api)}
        found = server.sessions.find(request.get("session"))
        if found is None:
            return {"error": "this game is no longer kept here: load the page anew", "gone": True}
        api, lock = found
        if command == "stop":
            api.stop()
            return {}
        if command in UNCHANGING:
            return api.answer(request)
        with lock, server.thinking:
            return api.answer(request)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""


def table_page(
    games: Sequence[str],
    opponents: Mapping[str, Sequence[str]],
    first: dict[str, Any],
    script: str,
    more: Mapping[str, Any] | None = None,
) -> str:
    """A page to play on, whoever answers it: this server, or a worker of the browser (``docs.browser``). It begins with
    ``first`` (rules, against, seat and seed), and asks for opponents that are not in ``opponents``. ``script``, which
    is trusted, makes the ``Table`` of ``play.js``, and has its requests answered; ``more`` is further data for it."""
    data = {
        "first": first, "cards": [card(name) for name in games],
        "rated": {game: [rated(name)[:3] for name in names] for game, names in opponents.items()},
        "measured": measured(), "canStop": not opponents, **(more or {}),
    }  # fmt: skip
    style = "\n".join([theme(), asset("viewer.css"), play_asset("play.css"), play_asset("page.css")])
    of_page = map(play_asset, (*TABLE, "memory.js", "address.js"))
    script = "\n".join([asset("board.js"), asset("viewer.js"), *of_page, script])
    return page("Mancala", '<main id="page"></main>', data, style, script, connects=True)


def serve(
    rules: str,
    against: Sequence[str],
    *,
    host: str = "127.0.0.1",
    open_to_network: bool = False,
    **settings: Any,
) -> int:
    """Serve the page until Ctrl-C, as ``PlayServer`` says, and return 0. ValueError also if other
    machines could reach ``host`` without ``open_to_network``, or the saved game cannot be read."""
    if not is_loopback(host):
        if not open_to_network:
            raise ValueError(f"other machines could reach {host}; if they may, add --open-to-network")
        print(
            f"mancala play: warning: anybody who can reach {host} can play here and use this machine's time",
            file=sys.stderr, flush=True,
        )  # fmt: skip
    with PlayServer(rules, against, host=host, **settings) as server:
        wrong: list[ValueError] = []

        def prepare() -> None:
            try:
                server.prepare()
            except ValueError as error:
                wrong.append(error)
                server.shutdown()

        try:
            print(f"Play at {server.url} (Ctrl-C stops)", flush=True)
            Thread(target=prepare, daemon=True).start()  # it may take minutes, once
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            print("\nStopped.", flush=True)
        if wrong:
            raise wrong[0]
    return 0
