"""What the page without a server takes in Chromium: ``python -m tests.benchmarks.browser``

The page of ``docs.browser`` is built, served from this machine and opened by a fresh profile: seconds until a game can
be played; Master's positions a second and the time of its moves, beside Numba's in the same run; and the analysis of a
whole game. All of it once as the machine is, and once with Chromium's slowdown of the processor (``--slowdown``), which
holds for a page and not for its worker: so the engine is measured in a page, and the seconds until a game can be played
hardly grow.
Needs Chromium, Playwright, Pyodide and ziglang (``mancala docs --play``).
"""

import functools
import http.server
import json
import shutil
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.benchmarks import frame

GAMES = ("oware", "kalah")
# Run by Numba here and by Pyodide in the worker of the page.
PROGRAM = """
import json
import time
import mancala_env as mancala
from agents import make_agent
from agents.play.lobby import ladder
from agents.play.session import PERSON, Session

def moves(game, most):
    "Master's positions a second, and the seconds of its longest move."
    rules = mancala.ruleset(game)
    agent, state, nodes, took = make_agent(ladder(rules)["Master"]), rules.start(), 0, []
    agent.search(state)
    for _ in range(most):
        begin = time.perf_counter()
        found = agent.search(state)
        took.append(time.perf_counter() - begin)
        nodes += found.nodes
        state = state.play(found.actions[0])
    return [nodes / sum(took), max(took)]

def analysis(game, most):
    "Seconds of the analysis of a game of a beginner against a casual player, and its moves."
    session = Session(game, PERSON)
    players = [make_agent("greedy"), make_agent("minimax:depth=2")]
    while not session.is_over and len(session.actions) < most:
        session.play(players[session.state.player].act(session.state))
    session.review(0)
    begin = time.perf_counter()
    for at in range(len(session.actions)):
        session.review(at)
    return [time.perf_counter() - begin, len(session.actions)]
"""
LINES = (
    ("Master's positions a second", "moves", 0),
    ("seconds of Master's longest move", "moves", 1),
    ("seconds of the analysis of a game", "analysis", 0),
    ("moves of that game", "analysis", 1),
)
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# As worker.js does it, but in the page itself: Chromium slows no workers.
START = """async (files) => {
  const env = { MANCALA_ENV_KERNELS: "/home/pyodide/kernels", HOME: "/home/pyodide" };
  window.python = await loadPyodide({ indexURL: `${files}pyodide/`, env });
  await python.loadPackage("numpy");
  python.unpackArchive(await (await fetch(`${files}mancala.zip`)).arrayBuffer(), "zip");
}"""
RUN = "(code) => python.runPython(code)"
Figures = dict[str, tuple[float, float]]  # of moves and analyses, by game


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files, in silence."""

    def log_message(self, *_: Any) -> None:
        """Nothing is logged."""


@contextmanager
def served_site() -> Iterator[str]:
    """The address of the page, built from these sources."""
    from docs import browser as static

    with tempfile.TemporaryDirectory() as folder:
        static.write(Path(folder))
        handler = functools.partial(Quiet, directory=folder)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_port}/play/"
            server.shutdown()


def asked(name: str, game: str, most: int) -> str:
    """A line that runs a function of ``PROGRAM``."""
    return f"json.dumps({name}({game!r}, {most}))"


def native(games: Sequence[str], most: int, review: int) -> Figures:
    """What Numba takes."""
    known: dict[str, Any] = {}
    exec(PROGRAM, known)
    tasks = [(name, game, count) for game in games for name, count in (("moves", most), ("analysis", review))]
    return {f"{name} {game}": tuple(known[name](game, count)) for name, game, count in tasks}


def in_chromium(
    browser: Any, url: str, games: Sequence[str], rate: float, most: int, review: int
) -> tuple[float, Figures]:
    """Seconds until a game can be played, then what the page's worker takes."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(600_000)
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})
    page.goto(f"{url}#game={games[0]}&against=person")
    page.wait_for_selector("[data-open=true] .cell.offered")
    ready = page.evaluate("performance.now() / 1000")
    files = f"{url}{page.evaluate('choices.files')}/"
    page.goto(f"{url}sw.js")
    page.add_script_tag(url=f"{files}pyodide/pyodide.js")
    page.evaluate(START, files)
    page.evaluate(RUN, f"{PROGRAM}\n0")
    found: Figures = {}
    for game in games:
        for name, count in (("moves", most), ("analysis", review)):
            found[f"{name} {game}"] = tuple(json.loads(page.evaluate(RUN, asked(name, game, count))))
    context.close()
    return ready, found


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    from playwright.sync_api import sync_playwright

    parser = frame.parser("browser", __doc__)
    parser.add_argument("games", nargs="*", default=list(GAMES), metavar="GAME", help="rulesets (default: oware kalah)")
    parser.add_argument("--slowdown", type=float, default=4, help="how many times slower Chromium makes the processor")
    parser.add_argument("--moves", type=int, default=10, help="of Master, in each game")
    parser.add_argument("--review", type=int, default=1000, help="moves of the game that is analysed, at most")
    options = parser.parse_args(arguments)
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        parser.error("there is no Chromium on the path")
    amount = (options.moves, options.review)
    with served_site() as url, sync_playwright() as playwright:
        ready, found = {}, {"Numba": native(options.games, *amount)}
        for rate in dict.fromkeys((1.0, options.slowdown)):
            name = "Chromium" if rate == 1 else f"Chromium, {rate:g} times slower"
            browser = playwright.chromium.launch(executable_path=program, chromium_sandbox=False)
            ready[name], found[name] = in_chromium(browser, url, options.games, rate, *amount)
            browser.close()
    rows = [("seconds until a game can be played", "", *(f"{each:.1f}" for each in ready.values()))]
    for game in options.games:
        for said, name, k in LINES:
            figures = (frame.short(each[f"{name} {game}"][k]) for each in found.values())
            rows.append((f"{game}: {said}", *figures))
    frame.print_table("the page without a server", ("what", *found), rows)


if __name__ == "__main__":
    main()
