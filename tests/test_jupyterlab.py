"""The board of a notebook in a real JupyterLab, in a browser: shown by its cell, played on the page and from Python."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.processes import PATIENCE, wait_until

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.pages
ROOT = Path(__file__).parents[1]
SHOW = """from agents.play.widget import PlayWidget
board = PlayWidget("kalah:pits_per_row=4,seeds=3", against="greedy")
board"""
TELL = 'print("now", board.position, "ply", board.state.ply)'
PLAY = """before = board.state.ply
board.play(board.state.legal_actions[-1])
print("played", board.state.ply > before)"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab of its own, with its own settings."""
    pytest.importorskip("jupyterlab", reason="JupyterLab is not installed")
    pytest.importorskip("anywidget")
    nbformat = pytest.importorskip("nbformat")
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("notebooks")
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    cells = [nbformat.v4.new_code_cell(source) for source in (SHOW, TELL, PLAY)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), folder / "board.ipynb")
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    own = {name: str(home / name) for name in names}
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", "--port=0", "--allow-root",
        "--IdentityProvider.token=", "--ServerApp.password=", f"--ServerApp.root_dir={folder}",
        "--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]  # fmt: skip
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(
            command, stdout=log, stderr=log, env={**os.environ, **own, "PYTHONPATH": paths}, start_new_session=True
        )
    try:
        told = wait_until(lambda: [*(home / "JUPYTER_RUNTIME_DIR").glob("jpserver-*.json")] or server.poll())
        assert server.poll() is None, (home / "log").read_text()
        yield json.loads(told[0].read_text())["url"]
    finally:
        os.killpg(server.pid, signal.SIGTERM)  # the server ends its kernels
        try:
            server.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def test_a_game_is_played_in_jupyterlab(lab, browser):
    context = browser.new_context(viewport={"width": 1400, "height": 1100}, reduced_motion="reduce")
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{lab}lab/tree/board.ipynb")
    cells = page.locator(".jp-Notebook .jp-CodeCell")

    def run(number):
        """Run a cell to its end; a page that is still being laid out can lose a key, so press it again."""
        prompt = cells.nth(number).locator(".jp-InputPrompt")
        for _ in range(4):
            cells.nth(number).locator(".cm-content").click()
            page.keyboard.press("Control+Enter")
            with suppress(playwright.TimeoutError):
                prompt.get_by_text(re.compile(r"\[(\*|\d+)\]")).wait_for(timeout=PATIENCE * 1000 / 4)
                prompt.get_by_text(re.compile(r"\[\d+\]")).wait_for(timeout=3 * PATIENCE * 1000)  # it may compile first
                return idle.wait_for(state="attached")  # also what a second key has asked for is done
        raise AssertionError(f"cell {number} does not run: {cells.nth(number).inner_text()!r}, the page said {wrong}")

    cells.nth(2).wait_for()
    idle = page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]')
    idle.wait_for(state="attached")
    run(0)
    shown = cells.nth(0).locator(".mancala-play")
    try:
        shown.locator("[data-state=still]").wait_for(timeout=3000 * PATIENCE)  # it compiles first
    except playwright.TimeoutError:
        pytest.fail(f"no board; the cell shows {cells.nth(0).inner_text()!r}, the page said {wrong}")
    shown.locator(".cell[data-cell='0'].offered").click()
    shown.locator("ol button").first.wait_for()  # the list of moves
    shown.locator("[data-state=still]").wait_for()
    run(1)
    told = cells.nth(1).locator(".jp-OutputArea-output").inner_text()
    assert told.startswith("now kalah")
    assert int(told.split()[-1]) >= 1
    run(2)
    assert cells.nth(2).locator(".jp-OutputArea-output").inner_text().strip() == "played True"
    context.close()
    assert not wrong
