"""The pictures of the README: ``mancala docs --pictures`` writes those that need no training.

Pages are photographed by Playwright's driver in the Chromium of this machine (extra ``integration``).
"""

import io
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import mancala_env as mancala

IMAGES = Path(__file__).parent / "images"
MOVES = (2, 3, 5, 4, 0)  # the last one passes enough pits to show what is drawn of a move
WAIT = 120_000  # milliseconds, at most: kernels may have to be compiled
COLORS = 64  # of a photograph: it is of few, and its file a third as large
EVENT = ("--rules", "oware", "--agents", "greedy", "minimax:depth=2", "minimax:depth=4", "zoo:oware-onehot")


def board() -> str:
    """Oware after some moves: the last of them, and what the mover may play."""
    state = mancala.ruleset("oware").start()
    for action in MOVES:
        before, state = state, state.play(action)
    return state.to_svg(last=(before, MOVES[-1]), legal=state.legal_mask, size=560)


def page(browser: Any) -> bytes:
    """The page to play on, with a game of Kalah that has begun, as PNG."""
    from agents.play.web import PlayServer

    with PlayServer("kalah", ["minimax:depth=4"]) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with _opened(browser, server.url, 900, 560) as shown:
            for pit in (2, 4):  # the first of them gives another turn
                shown.wait_for_selector(".play[data-state=still] .cell.offered", timeout=WAIT)
                shown.locator(".cell.offered").nth(pit).click()
                shown.evaluate("document.querySelector('.play').dataset.state = 'asked'")
            shown.wait_for_selector(".play[data-state=still] .cell.offered", timeout=WAIT)
            shown.get_by_role("button", name="Hint").click()
            shown.wait_for_selector(".hinted", timeout=WAIT)
            found: bytes = shown.screenshot()
        server.shutdown()
    return found


def report(browser: Any) -> bytes:
    """The beginning of the report of a small event, as PNG."""
    from agents.tournament.command import main

    with tempfile.TemporaryDirectory() as folder:
        main([*EVENT, "--pairs", "20", "--out", f"{folder}/event.db", "--report", f"{folder}/report.html", "--quiet"])
        with _opened(browser, f"file://{folder}/report.html", 1100, 600) as shown:
            found: bytes = shown.screenshot()
    return found


@contextmanager
def _opened(browser: Any, address: str, width: int, height: int) -> Iterator[Any]:
    """A page in a window of this size."""
    shown = browser.new_page(viewport={"width": width, "height": height})
    shown.goto(address)
    shown.wait_for_load_state("networkidle")
    yield shown
    shown.close()


def _small(picture: bytes) -> bytes:
    """A PNG with few colours."""
    from PIL import Image

    out = io.BytesIO()
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLORS).save(out, "png", optimize=True)
    return out.getvalue()


def write() -> None:
    """Write the pictures; without Playwright or Chromium the board alone."""
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / "board.svg").write_text(board() + "\n", encoding="utf-8")
    print(IMAGES / "board.svg")
    program = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        print("no photographs of pages: they need Chromium on the path, and the extra integration")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--disable-gpu"], chromium_sandbox=False)
        for name, photograph in (("page.png", page), ("report.png", report)):
            (IMAGES / name).write_bytes(_small(photograph(browser)))
            print(IMAGES / name)
        browser.close()
