"""The page to play on fits screens, says what it waits for, remembers games, and is there without a network."""

import functools
import http.server
import json
import threading
from pathlib import Path

import pytest

from docs import browser as static
from tests.processes import PATIENCE, wait_until
from tests.test_play_web import at_table, moved, only, rested, served
from tests.test_static_play import Quiet

SCREENS = {
    "desktop": (1440, 900), "wide": (1920, 1080), "tablet": (1024, 768), "phone": (390, 844), "sideways": (844, 390),
    "narrow": (360, 640),
}  # fmt: skip
GAMES = ("oware", "kalah", "toguz", "bao_kiswahili", "omweso", "reaping", "bulgarian_solitaire")
MEASURE = """() => {
  const box = (node) => node.getBoundingClientRect();
  const inside = ({ top, bottom, left, right }) =>
    top >= -1 && left >= -1 && bottom <= innerHeight + 1 && right <= innerWidth + 1;
  const pits = [...document.querySelectorAll(".cell > rect:last-child")].map(box);
  const seen = (selector) =>
    [...document.querySelectorAll(selector)].filter((node) => node.offsetParent || node.ownerSVGElement);
  const needed = seen(".cell, .says, .table .controls button");
  const hidden = needed.filter((node) => !inside(box(node))).map((node) => node.textContent);
  const covers = (node) => {
    node.scrollIntoView({ block: "center", behavior: "instant" });
    const { left, top, width, height } = box(node);
    return !node.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  };
  const covered = seen(".play button").filter(covers).map((node) => node.textContent || node.title);
  scrollTo(0, 0);
  return { pit: Math.min(...pits.map(({ width, height }) => Math.min(width, height))), hidden, covered,
    wide: document.documentElement.scrollWidth, board: box(document.querySelector(".board")).width };
}"""


def test_boards_questions_and_buttons_are_on_every_screen(browser):
    with served("oware", ("random",)) as server, at_table(browser, server) as tab:
        for game in GAMES:
            moved(tab, lambda game=game: tab.goto(f"{server.url}#game={game}&against=random"))
            for name, (width, height) in SCREENS.items():
                tab.set_viewport_size({"width": width, "height": height})
                rested(tab)
                pits = tab.locator(".cell.offered")
                pits.first.click()
                if not tab.locator(".ways button").count():
                    rested(tab)
                found = tab.evaluate(MEASURE)
                assert found["wide"] <= width, (game, name)
                scrolls = name == "narrow" or (game, name) == ("reaping", "phone")
                assert scrolls or not found["hidden"], (game, name)
                assert (game, name) != ("kalah", "wide") or found["board"] > 1100
                assert not found["covered"], (game, name)
                rows = only(server).rules.board.rows
                assert round(found["pit"], 1) >= (44 if name == "phone" and rows < 3 else 40), (game, name)
        assert tab.title() == "Bulgarian Solitaire: Mancala"


def test_the_page_says_what_it_waits_for_and_nothing_else_looks_alive(browser, monkeypatch):
    waits = threading.Event()
    with served() as server, at_table(browser, server) as tab:
        says, bar = tab.locator(".says"), tab.locator(".play progress")
        before, hint = says.text_content(), only(server).hint
        monkeypatch.setattr(only(server), "hint", lambda: waits.wait(PATIENCE) and hint())
        assert not bar.is_visible()
        tab.get_by_role("button", name="Hint").click()
        tab.locator(".says", has_text="thinking about your moves").wait_for()
        bar.wait_for()
        for name in ("Hint", "Undo", "Resign", "Rematch", "Save", "Load", "Turn board"):
            assert tab.get_by_role("button", name=name, exact=True).is_disabled(), name
        what = "the kernels for hints, about 15 s"
        monkeypatch.setattr("agents.play.web.compiled_now", lambda: "" if waits.is_set() else what)
        tab.locator(".says", has_text=f"Compiling {what}. This happens only once.").wait_for()
        waits.set()
        bar.wait_for(state="hidden")
        rested(tab)
        assert says.text_content() == before
        assert "Hint:" in tab.locator(".thought").text_content()
        assert tab.get_by_role("button", name="Save", exact=True).is_enabled()


def test_games_and_the_theme_are_remembered_exported_and_forgotten(browser):
    def to_lobby():
        tab.get_by_role("button", name="Games", exact=True).click()

    def reload():
        tab.reload()
        tab.wait_for_selector("[data-open=true]")

    with served("oware", ("random",)) as server, at_table(browser, server) as tab:
        summary, games = tab.get_by_text("Your last games", exact=True), tab.locator(".remembered li")
        to_lobby()
        assert not summary.is_visible()
        tab.get_by_role("button", name="Back to the board").click()
        moved(tab, tab.locator(".cell.offered").first.click)
        tab.get_by_role("button", name="Light / dark").click()
        moved(tab, tab.locator(".cell.offered").first.click)
        to_lobby()
        reload()
        assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
        to_lobby()
        assert tab.title() == "Mancala"
        summary.click()
        assert games.count() == 1
        assert "after move 4" in games.text_content()
        with tab.expect_download() as kept:
            tab.get_by_role("button", name="Export").click()
        told = json.loads(Path(kept.value.path()).read_text(encoding="utf-8"))
        assert [game["title"] for game in told["games"]] == ["Oware (Abapa)"]
        games.locator("a").click()
        tab.locator(".where", has_text="4 / 4").wait_for()
        rested(tab)
        moved(
            tab,
            lambda: (
                tab.get_by_role("button", name="Resign").click(),
                tab.get_by_role("button", name="Resign: sure?").click(),
            ),
        )
        wait_until(lambda: "You lose" in tab.evaluate("JSON.stringify({ ...localStorage })"))  # kept a moment later
        to_lobby()
        assert games.count() == 1
        assert "You lose" in games.text_content()
        tab.get_by_role("button", name="Forget").click()
        tab.get_by_role("button", name="Forget: sure?").click()
        assert not summary.is_visible()
        assert tab.evaluate("localStorage.length") == 0


KEEPS = """async (name) => {
  const wait = () => new Promise((done) => setTimeout(done, 100));
  while ((await caches.keys()).join() !== name || !navigator.serviceWorker.controller) await wait();
  return (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname);
}"""


@pytest.mark.slow
def test_the_page_without_a_server_is_there_without_a_network_and_a_new_version_replaces_the_old_one(tmp_path, browser):
    if static.missing(static.cache_folder()):
        pytest.skip("Pyodide is not in the cache folder: mancala docs --play puts it there")
    static.write(tmp_path)
    (files,) = (tmp_path / "play").glob("files-*")
    version, script = files.name.removeprefix(static.FILES), tmp_path / "play" / "sw.js"
    handler = functools.partial(Quiet, directory=str(tmp_path))
    context = browser.new_context(reduced_motion="reduce")
    context.set_default_timeout(300_000)
    page = context.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.goto(f"http://127.0.0.1:{server.server_port}/play/")
        assert page.locator(".lobby progress").is_visible()
        page.wait_for_selector("[data-open=true]", state="attached")
        assert f"/play/{files.name}/mancala.zip" in page.evaluate(KEEPS, f"mancala-{version}")
        script.write_text(
            script.read_text(encoding="utf-8").replace(f"mancala-{version}", "mancala-new"), encoding="utf-8"
        )
        page.evaluate("navigator.serviceWorker.ready.then((kept) => kept.update())")
        page.evaluate(KEEPS, "mancala-new")
        server.shutdown()
    context.set_offline(True)
    page.goto(f"{page.url.split('#')[0]}?#game=oware&against=minimax:depth=2")
    page.wait_for_selector("[data-open=true] .cell.offered")
    page.locator(".cell.offered").first.click()
    page.locator(".where", has_text="2 / 2").wait_for()
    context.close()
    assert not wrong
