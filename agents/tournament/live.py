"""A page that shows an event while it runs: served to browsers of this machine, and brought up to date by a script."""

import contextlib
import errno
import json
import time
from collections.abc import Iterator
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from urllib.parse import urlsplit

from agents.tournament import sections, tables
from agents.tournament.event import Event
from agents.tournament.record import Result
from agents.tournament.run import Progress, counted
from agents.tournament.schedule import games_in
from agents.tournament.standings import crosstable
from agents.tournament.store import Store
from agents.tournament.summary import Summary
from mancala_env.replay.page import SERVED_POLICY, asset, page, theme

HOST = "127.0.0.1"
RESAMPLES = 100  # of the intervals while the event runs; the report takes more
EVERY = 2.0  # seconds at least between two makings of the tables
SHARE = 0.05  # of the time at most that goes into them: the dearer they are, the rarer they are made
FAREWELL = 3.0  # seconds in which pages that are open hear of the end of the event; they ask every second
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": SERVED_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
PARTS = {
    "standings": "Standings", "bracket": "Bracket", "crosstable": "Cross-table", "differences": "Differences",
    "faults": "Faults", "last": "Last games",
}  # fmt: skip


class LivePage(ThreadingHTTPServer):
    """Serves an event's page on this machine's own address; only this machine can reach it.

    The event's file is only read, and need not be there yet. Port 0: any that is free; OSError if it cannot be had.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, event: Event, path: Path, port: int = 0) -> None:
        if not 0 <= port < 65536:
            raise ValueError(f"a port is from 0 to 65535, not {port}")
        self.event, self.path = event, path
        self.games, self.all_games = 0, games_in(event)  # ended by now, and that there will be as far as is known
        self._making = Lock()
        self._parts: dict[str, str] = {}
        self._shown, self._made, self._asked = -1, -1e9, -1e9  # games in the parts; when they were made, and asked for
        self._took = (0.0, 0.0)  # the last two makings: one may have waited for what is loaded at first
        self._end = self._wrong = ""
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            why = "is in use by another program" if error.errno == errno.EADDRINUSE else f"cannot be had ({error})"
            raise OSError(f"port {port} of {HOST} {why}: choose another --port, or 0 for any that is free") from None

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://{HOST}:{self.server_port}/"

    def show(self, progress: Progress) -> None:
        """Take in the progress of the event."""
        self.games, self.all_games = progress.games, progress.all_games

    def state(self) -> dict[str, Any]:
        """What a page shows; ValueError if the event's file cannot be read."""
        self._asked = time.monotonic()
        with self._making:
            end, games = self._end, self.games
            rested = time.monotonic() - self._made >= max(EVERY, min(self._took) * (1.0 / SHARE - 1.0))
            if self._shown != games and (rested or end):
                begin = time.monotonic()
                try:
                    self._parts, self._shown, self._wrong = parts_of(self.event, self.path), games, ""
                except (OSError, ValueError) as error:
                    self._wrong = str(error)
                self._made = time.monotonic()
                self._took = (self._took[1], self._made - begin)
            if self._wrong:
                raise ValueError(self._wrong)
            return {"games": games, "all": self.all_games, "end": end, "parts": self._parts}

    def end(self, told: str) -> None:
        """Tell pages that the event has ended, wait a moment if any is open, and stop serving."""
        self._end = told
        if time.monotonic() - self._asked < FAREWELL:
            time.sleep(FAREWELL)
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away is no error, and others show on the page as no answer."""


class _Handler(BaseHTTPRequestHandler):
    """Answers ``GET /`` with the page and ``GET /state`` with JSON; refuses everything else."""

    server: LivePage
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "mancala", ""
    timeout = 30

    def do_GET(self) -> None:
        """The page, or what it shows."""
        asked = urlsplit(self.path)
        hosts = self.headers.get_all("Host") or []
        own = (f"{HOST}:{self.server.server_port}", f"localhost:{self.server.server_port}")
        if len(hosts) != 1 or hosts[0] not in own:  # another name may be one that a foreign page has redirected
            self._send(HTTPStatus.FORBIDDEN, "text/plain", b"this server is not the one that was asked for")
        elif self.headers.get("Origin", f"http://{hosts[0]}") != f"http://{hosts[0]}":
            self._send(HTTPStatus.FORBIDDEN, "text/plain", b"only the page of this server may ask")
        elif asked.path == "/":
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", live_page(self.server.event).encode())
        elif asked.path == "/state":
            try:
                told = self.server.state()
            except (OSError, ValueError) as error:
                self._send(HTTPStatus.SERVICE_UNAVAILABLE, "text/plain; charset=utf-8", str(error).encode())
                return
            self._send(HTTPStatus.OK, "application/json", json.dumps(told).encode())
        else:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"there is nothing here")

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""


def live_page(event: Event) -> str:
    """The page as text; the script fills it."""
    here = resources.files(__package__)
    style = "\n".join([theme(), asset("player.css"), here.joinpath("report.css").read_text(encoding="utf-8")])
    script = here.joinpath("live.js").read_text(encoding="utf-8")
    content = "".join(
        f'<section id="{key}" aria-labelledby="{key}-title" hidden>'
        f'<h2 id="{key}-title">{name}</h2><div></div></section>'
        for key, name in PARTS.items()
    )
    body = (
        f'<header class="top"><h1>{escape(tables.title(event))}</h1>'
        '<p id="status" role="status">Asking for the event.</p>'
        '<progress id="progress" aria-label="Games played" value="0"></progress>'
        '<nav aria-label="This page"><button type="button" id="theme">Light / dark</button></nav></header>'
        f'<main id="event">{content}<noscript><p>A script brings this page up to date.</p></noscript></main>'
    )
    return page(f"Live: {tables.title(event)}", body, {}, style, script, connects=True)


def parts_of(event: Event, path: Path) -> dict[str, str]:
    """The parts of the page as HTML, by name; "" where there is nothing to show. Names are only text in it."""
    games, results = Summary(), list[Result]()
    if path.exists():
        with Store(path) as store:
            games = Summary.of(counted(store))
            if event.form == "knockout" or event.sprt is not None:
                results = list(store.results())
    ratings = tables.rated(event, games, resamples=RESAMPLES)
    players = sections.players_shown(games, ratings)
    test = tables.sprt_state(event, results)
    return {
        "standings": sections.standings(ratings, "" if test is None else test["text"]).html(),
        "bracket": sections.bracket(tables.bracket_of(event, results)).html(),
        "crosstable": sections.crosstable(crosstable(games), players, linked=False).html(),
        "differences": sections.differences(games, players).html(),
        "faults": sections.faults(games, linked=False) if games.lost else "",
        "last": sections.last_games([*games.last][::-1]).html(),
    }


@contextlib.contextmanager
def live(event: Event, path: Path, port: int) -> Iterator[LivePage]:
    """Serve an event's page during a ``with`` block; its address is printed first."""
    served = LivePage(event, path, port)
    print(f"Live at {served.url} (it ends with the event)", flush=True)
    Thread(target=served.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield served
    finally:
        done, whole = served.games, served.all_games
        told = f"all {whole:,} games were played" if done >= whole else f"{done:,} of {whole:,} games are stored"
        served.end(f"The event has ended: {told}.")
        print("the live page has ended", flush=True)
