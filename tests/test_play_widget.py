"""The board in a notebook: played from Python, by requests of the page, and by clicks in a real browser."""

import json
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

from docs import notebooks
from mancala_env import ruleset
from mancala_env.replay.page import page
from tests.pages import new_tab, seeds_shown
from tests.processes import PATIENCE, wait_until

pytestmark = pytest.mark.integration
SMALL = "kalah:pits_per_row=3,seeds=2"


def widget(*arguments, **options):
    pytest.importorskip("anywidget")
    from agents.play.widget import PlayWidget

    made = PlayWidget(*arguments, **options)
    made.sent = []
    made.send = lambda content, buffers=None: made.sent.append(content)
    return made


def test_a_widget_is_played_from_python():
    board = widget(SMALL, "greedy")
    assert board.position == str(board.state)
    seen = []
    board.observe(lambda change: seen.append(change["new"]), "position")
    state = board.play("C")
    assert state == board.state
    assert (state.player == 0) or state.is_over
    assert board.actions[0] == 2
    assert seen == [str(state)]
    assert board.sent == [{"changed": ""}]
    assert board.record.actions == board.actions
    board.session.undo()
    board.refresh()
    assert (board.actions, board.position) == ((), str(board.state))
    with pytest.raises(ValueError, match="no move"):
        board.play("Z")
    with pytest.raises(ValueError, match="theme is"):
        board.theme = "blue"
    begun = widget(SMALL, "greedy", seat=1)  # by the agent
    assert begun.actions
    assert begun.state.player == 1


def test_a_widget_takes_a_ruleset_and_is_a_picture_where_no_kernel_runs():
    rules = ruleset("kalah", name="mine", pits_per_row=3, seeds=1)
    board = widget(rules, "greedy", seat=1)
    assert board.state.rules == rules
    shown, _ = board._repr_mimebundle_()
    assert shown["image/svg+xml"] == board.state.to_svg()
    assert "application/vnd.jupyter.widget-view+json" in shown  # what notebooks prefer
    cell = {"cell_type": "code", "source": "", "outputs": [{"output_type": "execute_result", "data": shown}]}
    static, _ = notebooks.page({"cells": [cell]}, "01_one", executed=True)
    assert shown["image/svg+xml"] in static


def test_a_widget_answers_the_boards_on_the_page():
    board = widget(SMALL, "greedy")
    board._asked(board, {"command": "open", "id": "v 1", "view": "v"}, [])
    (told,) = board.sent
    assert (told["id"], told["choices"]["first"]["against"], told["game"]["ply"]) == ("v 1", "greedy", 0)
    json.dumps(told)
    board.sent.clear()
    board._asked(board, {"command": "move", "action": 0, "ply": 0, "id": "v 2", "view": "v"})
    assert [next(iter(each)) for each in board.sent] == ["id", "changed"]
    assert board.actions == (0,)
    board.sent.clear()
    for wrong in ({"command": "move", "action": 0, "ply": 0}, {"command": "move", "action": 9, "ply": 1}, {}, "x"):
        board._asked(board, wrong)
    assert len(board.sent) == 3
    assert all("error" in each for each in board.sent)
    assert board.sent[0]["stale"]


def test_an_agent_that_thinks_can_be_interrupted_and_stops_neither_boards_nor_the_notebook(monkeypatch):
    board = widget(SMALL, "minimax:depth=4")
    begun, heard = Event(), Event()

    def chosen(stop):
        begun.set()
        wait_until(stop)
        heard.set()
        return board.state.legal_actions[0]

    monkeypatch.setattr(board.session, "_chosen", chosen)
    board._asked(board, {"command": "move", "action": 0, "ply": 0, "id": "1", "view": "v"})
    board._asked(board, {"command": "reply", "ply": 1, "id": "2", "view": "v"})  # returns while the agent thinks
    assert begun.wait(PATIENCE)
    board._asked(board, {"command": "open", "id": "3", "view": "w"})  # of a second board: returns, and waits its turn
    board._asked(board, {"command": "rules", "id": "4", "view": "v"})
    assert not heard.is_set()
    assert board.sent[-1]["id"] == "4"
    assert board.sent[-1]["sections"]
    board._asked(board, {"command": "stop", "id": "5", "view": "v"})
    wait_until(lambda: any(each.get("id") == "3" for each in board.sent))
    assert next(each for each in board.sent if each.get("id") == "3")["game"]["ply"] == 2
    assert heard.is_set()
    assert {each.get("id") for each in board.sent} == {"1", "2", "3", "4", "5", None}
    assert not any("error" in each for each in board.sent)


MODEL = """
const heard = new Set(), told = { theme: "dark" };
const model = { get: (name) => told[name], on: (kind, call) => { if (kind === "msg:custom") heard.add(call); },
  off: (kind, call) => heard.delete(call),
  send: async (message) => {
    for (const each of await window.toPython(message)) heard.forEach((call) => call(each));
  } };
window.tell = (message) => heard.forEach((call) => call(message));
for (const id of ["one", "two"]) window.render({ model, el: document.getElementById(id) });"""


def test_the_widgets_board_is_played_by_clicks(browser, tmp_path):
    """Its script in a page, with a model that hands its messages to Python."""
    board = widget(SMALL, "greedy")
    script = board._esm.replace("export default { render };", "window.render = render;") + MODEL
    html = page("Widget", '<div id="one"></div><div id="two"></div>', {}, board._css, script)
    file = tmp_path / "widget.html"
    file.write_text(html, encoding="utf-8")

    def to_python(message):
        board.sent.clear()
        board._asked(board, message)
        wait_until(lambda: board.sent)  # the agent thinks in a thread
        with board._busy:
            return json.loads(json.dumps(board.sent))

    def same():
        """Wait until both boards show the position."""
        seeds = ",".join(map(str, seeds_shown(board.state)))
        for which in ("one", "two"):
            tab.wait_for_function(
                "([which, seeds]) => document.querySelector(`#${which} .play`)?.dataset.state === 'still' && "
                "[...document.querySelectorAll(`#${which} .count`)].map((one) => one.textContent).join() === seeds",
                arg=[which, seeds],
            )

    with new_tab(browser) as (tab, _):
        tab.expose_function("toPython", to_python)
        tab.goto(file.as_uri())
        same()
        tab.locator("#one .cell.offered").first.click()
        tab.wait_for_function("document.querySelectorAll('#one .play ol li').length > 0")
        tab.wait_for_selector("#one .play[data-state=still] .cell.offered")
        same()
        assert board.actions[0] == 0
        assert board.position == str(board.state)
        board.session.undo()
        board.play("C")
        tab.evaluate("tell({ changed: '' })")
        same()
        ground = "getComputedStyle(document.querySelector('.mancala-play')).getPropertyValue('--page')"
        assert tab.evaluate(ground) == "#17130f"


def test_the_widget_without_anywidget_says_what_to_install():
    code = "import sys; sys.modules['anywidget'] = None; import agents.play.widget"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=Path(__file__).parent.parent
    )
    assert done.returncode == 1
    assert 'PlayWidget needs anywidget: pip install -e ".[notebook]"' in done.stderr
