"""Games on the site: the same engine where nothing is compiled, no environment is there and no server answers."""

import functools
import hashlib
import http.client
import http.server
import json
import os
import subprocess
import sys
import tarfile
import threading
import zlib
from pathlib import Path

import pytest

from agents.play.api import PlayApi
from agents.play.session import Session
from docs import browser as static
from tests.pages import new_tab

ROOT = Path(__file__).parent.parent
ABSENT = (
    "numba", "llvmlite", "gymnasium", "pettingzoo", "jsonargparse", "torch", "safetensors", "scipy", "sqlite3",
    "_multiprocessing", "fcntl", "ssl",
)  # fmt: skip
IN_A_BROWSER = f"""
import json, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {ABSENT}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name.partition(".")[0])
sys.meta_path.insert(0, Absent())
from docs.browser.game import answer, begin_any
for line in sys.stdin:
    print(answer(line, begin_any))
"""
GAMES = (
    ("oware", "minimax:depth=2"), ("kalah", "zoo:kalah-search,depth=4"),
    ("layli_goobalay_match", "greedy"), ("kalah", "zoo:kalah"), ("songo", "minimax:depth=3,evaluation=zoo:family"),
)  # fmt: skip
PLIES = 12


def requests():
    """Games in which every legal action of the person is as good as the next: the first."""
    for rules, against in GAMES:
        yield {"command": "begin", "rules": rules, "against": against, "seat": 1, "seed": 3}
        session = Session(rules, against, seat=1, seed=3)
        while len(session.actions) < PLIES and not session.state.is_over:
            ply = len(session.actions)
            if session.is_agents_turn:
                yield {"command": "reply", "ply": ply}
                session.reply()
            else:
                action = session.state.legal_actions[0]
                yield {"command": "move", "ply": ply, "action": action}
                session.play(action)


def answers(asked):
    """What a compiled engine answers."""
    for request in asked:
        if request["command"] == "begin":
            api = PlayApi(Session(*(request[name] for name in ("rules", "against")), seat=1, seed=3))
            yield api.game(whole=True)
        else:
            yield api.answer(request)


@pytest.mark.integration
def test_the_engine_plays_the_same_games_where_a_browser_runs_it():
    asked = list(requests())
    done = subprocess.run(
        [sys.executable, "-c", IN_A_BROWSER], input="\n".join(map(json.dumps, asked)), cwd=ROOT, text=True,
        capture_output=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "0"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("numba is not installed") == 1
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert told == json.loads(json.dumps(list(answers(asked))))
    assert len(told) > len(GAMES) * PLIES


def test_a_site_begins_with_games_and_players_that_are_there(monkeypatch):
    games = static.FIRST["rules"], "diffusion", "songo"
    names = {game: [each.name for each in static.opponents(game)] for game in games}
    assert static.FIRST["against"] in names[static.FIRST["rules"]]
    assert "zoo:kalah-search,time=1" in names["kalah"]
    assert "minimax:time=1,evaluation=zoo:family" in names["songo"]
    assert [who for who in names["diffusion"] if who.startswith("zoo:")] == ["zoo:diffusion", static.NETWORK]
    monkeypatch.setattr(static, "_sizes", dict)
    monkeypatch.setattr(static, "table_page", lambda games, offered, *_: offered["diffusion"])
    assert [who for who in static.page("files") if who.startswith("zoo:")] == ["zoo:diffusion"]  # no torch there


def given(monkeypatch, npm, distribution, wheel):
    """Have the sources give what these functions do."""
    for name, source in (("_from_npm", npm), ("_from_distribution", distribution), ("_from_wheel", wheel)):
        monkeypatch.setattr(static, name, source)


def whole(lacks):
    """a source that is whole."""
    return [(name, b"right") for name in lacks]


def test_nothing_is_kept_that_is_not_what_was_asked_for(tmp_path, monkeypatch):
    def broken(lacks):
        """a broken source."""
        raise OSError("no way there")

    given(monkeypatch, broken, whole, whole)  # of other files
    with pytest.raises(OSError, match=r"pyodide.asm.wasm.*a broken source. \(no way there\).*Put these") as caught:
        static.fetch(tmp_path)
    assert "a source that is whole. (its pyodide.js has another digest)" in str(caught.value)
    assert not any(tmp_path.iterdir())


CUT = (EOFError("cut"), zlib.error("cut"), http.client.IncompleteRead(b"a", 5), ValueError("cut"), tarfile.TarError())


@pytest.mark.parametrize("error", CUT, ids=lambda error: type(error).__name__)
def test_a_download_that_was_cut_off_makes_way_for_the_next_source(error, tmp_path, monkeypatch):
    def cut(lacks):
        """a source that is cut off."""
        yield lacks[0], b"right"
        raise error

    monkeypatch.setattr(static, "SHA256", dict.fromkeys(static.SHA256, hashlib.sha256(b"right").hexdigest()))
    given(monkeypatch, cut, whole, cut)
    static.fetch(tmp_path)
    assert static.missing(tmp_path) == []


@pytest.mark.integration
def test_the_page_tells_every_request_that_its_worker_failed(browser):
    page = browser.new_page()
    page.set_content('<script type="application/json" id="data">{"loads": {}}</script>')
    script = (Path(static.__file__).parent / "page.js").read_text(encoding="utf-8")
    told = page.evaluate(
        """async (script) => {
          let fails;
          class Worker { addEventListener(kind, act) { if (kind === "error") fails = act; } postMessage() {} }
          const parts = new Function("Worker", script.replace(/showPage\\(.*\\);\\s*$/, `
            worker = new Worker();
            worker.addEventListener("error", failed);
            return { ask, receive, waiting };`));
          const { ask, receive, waiting } = parts(Worker);
          const first = ask({}).catch((error) => error.message);
          fails();
          receive({ data: { id: 1, told: {} } });
          const later = await ask({}).catch((error) => error.message);
          return [await first, later, waiting.size];
        }""",
        script,
    )
    assert told == [*["Python could not be loaded: is this page opened from a file, or in a sandbox?"] * 2, 0]
    page.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.mark.slow
def test_a_game_is_played_in_a_browser_without_a_server_that_knows_it(tmp_path, browser):
    if static.missing(static.cache_folder()):
        pytest.skip("Pyodide is not in the cache folder: mancala docs --play puts it there")
    static.write(tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{server.server_port}/"
        with new_tab(browser, ours=(here,)) as (page, _):
            page.set_default_timeout(300_000)
            page.goto(f"{here}play/index.html#game=oware&against=minimax:depth=2&seat=1")
            assert "MB" in page.locator(".says").text_content()
            page.wait_for_selector("[data-open=true] .cell.offered")
            for _ in range(2):
                page.locator(".cell.offered").first.click()
                page.wait_for_selector("[data-state=still] .cell.offered")
            assert page.evaluate("[table.game.ply, table.game.rules]") == [5, "oware"]
            with page.expect_download() as saved:
                page.get_by_role("button", name="Save", exact=True).click()
            page.wait_for_selector(".play[data-state=still]")
            page.get_by_role("button", name="Undo").click()
            page.locator(".where", has_text="3 / 3").wait_for()
            page.set_input_files("input[type=file]", saved.value.path())
            page.locator(".where", has_text="5 / 5").wait_for()
        server.shutdown()
