"""A page that shows an event while it runs: served to browsers of this machine, and brought up to date by a script."""

import contextlib
import errno
import json
import time
from collections.abc import Iterator, Sequence
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from agents.tournament import sections, tables
from agents.tournament.event import Event
from agents.tournament.record import Result
from agents.tournament.run import Progress, counted
from agents.tournament.schedule import Numbers, games_in, limits
from agents.tournament.store import Store
from agents.tournament.summary import Summary
from mancala_env.replay.page import SERVED_POLICY, asset, page, theme

HOST = "127.0.0.1"
RESAMPLES = 100  # of the intervals while the event runs; the report takes more
EVERY = 2.0  # seconds at least between two makings of the tables
SHARE = 0.05  # of the time at most that goes into them: the dearer they are, the rarer they are made
FAREWELL = 3.0  # seconds that the end of an event waits for pages to hear of it
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": SERVED_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
PARTS = (
    ("standings", "Standings"),
    ("bracket", "Bracket"),
    ("crosstable", "Cross-table"),
    ("differences", "Differences"),
    ("faults", "Faults"),
    ("last", "Last games"),
)


class LivePage(ThreadingHTTPServer):
    """Serves an event's page on this machine's own address; only this machine can reach it.

    Parameters
    ----------
    event : Event
    path : Path
        The file of the event, which is only read, and need not be there yet.
    port : int
        0: any that is free.

    Attributes
    ----------
    games, all_games : int
        That have ended by now, and that there will be as far as is known.

    Raises
    ------
    OSError
        If it cannot listen there; the message says what to do.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, event: Event, path: Path, port: int = 0) -> None:
        if not 0 <= port < 65536:
            raise ValueError(f"a port is from 0 to 65535, not {port}")
        self.event, self.path = event, path
        self._lock, self._making = Lock(), Lock()
        self.games, self._shown, self._version = 0, -1, 0
        self.all_games = games_in(event)
        self._made = -1e9
        self._took = (0.0, 0.0)  # the last two makings: one may have waited for a kernel to be compiled
        self._parts: dict[str, str] = {}
        self._summary, self._known = Summary(), Numbers(0)  # the games that it has read
        self._end, self._wrong = "", ""
        self._asked: dict[str, float] = {}  # when each page last asked, by the name that it gave itself
        self._heard: set[str] = set()  # pages that know of the end
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

    def state(self, seen: int, asked_by: str) -> dict[str, Any]:
        """What a page shows: all parts if it has not seen them, else only how far the event is.

        Raises
        ------
        ValueError
            If the event's file cannot be read; the message says why.
        """
        with self._lock:
            end = self._end
            if len(self._asked) < 1000:
                self._asked[asked_by] = time.monotonic()
        if self._making.acquire(blocking=bool(end)):  # meanwhile others are told what there is
            try:
                rested = time.monotonic() - self._made >= max(EVERY, min(self._took) * (1.0 / SHARE - 1.0))
                if self._shown != self.games and (rested or end):
                    self._make()
            finally:
                self._making.release()
        with self._lock:
            if self._wrong:
                raise ValueError(self._wrong)
            told = {
                "version": self._version, "games": self.games, "all": self.all_games, "end": end,
                "parts": self._parts if seen != self._version else {},
            }  # fmt: skip
            if end and self._shown == self.games:
                self._heard.add(asked_by)
            return told

    def _make(self) -> None:
        """Make the parts from the games that are stored by now."""
        begin, games, wrong = time.monotonic(), self.games, ""
        parts = self._parts
        try:
            results: list[Result] = []
            if self.path.exists():
                with Store(self.path) as store:
                    results = self._take_in(store)
            parts = parts_of(self.event, self._summary, results)
        except (OSError, ValueError) as error:
            wrong = str(error)
        with self._lock:
            self._wrong, self._shown = wrong, -1 if wrong else games
            if parts != self._parts:
                self._parts, self._version = parts, self._version + 1
            self._made = time.monotonic()
            self._took = (self._took[1], self._made - begin)

    def _take_in(self, store: Store) -> list[Result]:
        """Read the games that are new; the results of all, for what is made of them in their order."""
        event = store.event
        if len(store) < self._summary.games or event.sprt is not None:  # some are played again, or count no more
            self._summary, self._known = Summary(), Numbers(0)
        self._known.grow(limits(event).numbers)
        for record in counted(store, self._known):
            self._summary.add(record)
            self._known.add(record.number)
        return list(store.results()) if event.form == "knockout" or event.sprt is not None else []

    def end(self, told: str) -> None:
        """Tell pages that the event has ended, wait a moment until they have heard it, and stop serving."""
        with self._lock:  # an answer is made wholly before the end or after it
            self._end = told
        until = time.monotonic() + FAREWELL
        while time.monotonic() < until and self._open_pages() - self._heard:
            time.sleep(0.05)
        self.shutdown()
        self.server_close()

    def _open_pages(self) -> set[str]:
        now = time.monotonic()
        return {name for name, asked in list(self._asked.items()) if now - asked < FAREWELL}

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
            query = parse_qs(asked.query)
            seen, name = query.get("seen", [""])[0], query.get("page", [""])[0][:40]
            try:
                told = self.server.state(int(seen) if seen.isdecimal() and len(seen) < 10 else -1, name)
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
        for key, name in PARTS
    )
    body = (
        f'<header class="top"><h1>{escape(tables.title(event))}</h1>'
        '<p id="status" role="status">Asking for the event.</p>'
        '<progress id="progress" aria-label="Games played" value="0"></progress>'
        '<nav aria-label="This page"><button type="button" id="theme">Light / dark</button></nav></header>'
        f'<main id="event">{content}<noscript><p>A script brings this page up to date.</p></noscript></main>'
    )
    return page(f"Live: {tables.title(event)}", body, {}, style, script, connects=True)


def parts_of(event: Event, games: Summary, results: Sequence[Result]) -> dict[str, str]:
    """The parts of the page as HTML, by name; "" where there is nothing to show. Names are only text in it.

    ``results``: of the games of a knockout or a sequential test.
    """
    ratings = tables.rated(event, games, resamples=RESAMPLES)
    players = sections.players_shown(games, ratings)
    test = tables.sprt_state(event, results)
    return {
        "standings": sections.standings(ratings, "" if test is None else test["text"]).html(),
        "bracket": sections.bracket(tables.bracket_of(event, results)),
        "crosstable": sections.crosstable(games, players, linked=False),
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
