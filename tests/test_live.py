"""The page that shows an event while it runs: this machine only, up to date without loading anew, names only text."""

import http.client
import json
from dataclasses import replace

import pytest

from agents.tournament import live as live_module
from agents.tournament.event import Event, Player
from agents.tournament.live import LivePage, live
from agents.tournament.run import Progress
from agents.tournament.schedule import Pairing
from agents.tournament.store import Store, stored
from mancala_env.games import ruleset
from tests.pages import HOSTILE, random_record
from tests.processes import PATIENCE

EVENT = Event((Player("random", "random"), Player(HOSTILE, "random:seed=1")), ("kalah",), pairs=2)


@pytest.fixture
def games():
    rules = ruleset("kalah")
    names = ("random", HOSTILE)
    found = [random_record(rules, k, names[k % 2], names[1 - k % 2], pair=k - k % 2) for k in range(4)]
    return [*found[:3], replace(found[3], winner=0, fault=1, reason="crash", detail=HOSTILE, scores=None)]


def test_a_page_follows_the_event_and_hears_of_its_end(browser, tmp_path, games, capsys, monkeypatch):
    monkeypatch.setattr(live_module, "EVERY", 0.0)
    path, pairing = tmp_path / "event.db", Pairing(0, 0, "kalah", (0, 1))
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    wrong, asked = [], []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    with Store(path, EVENT, {}) as store, live(EVENT, path, 0) as served:
        assert capsys.readouterr().out.startswith(f"Live at {served.url}")
        page.goto(served.url)
        page.locator("#status", has_text="No game has ended yet").wait_for()
        page.evaluate("window.same = true")
        store.note_pairings([pairing])
        for count, game in enumerate(games, 1):
            store.add([stored(pairing, game)])
            store.flush()
            served.show(Progress(4, count))
            page.locator("#status", has_text=f"{count} of 4 games").wait_for()
            page.locator("#last tbody tr").nth(count - 1).wait_for()
        assert page.locator("#standings tbody tr").count() == 2
        assert HOSTILE in page.locator("#standings tbody").text_content()
        assert page.locator("#faults tbody tr").count() == 1
    page.locator("#status", has_text="The event has ended: all 4 games were played").wait_for()
    assert page.evaluate("window.same")
    assert page.locator("main script, main img").count() == 0
    assert not wrong
    assert all(url.startswith(served.url) or url.startswith("data:") for url in asked)
    context.close()


@pytest.mark.integration
def test_only_its_own_name_is_answered(tmp_path):
    with live(EVENT, tmp_path / "none.db", 0) as served:
        answers = {}
        own = f"127.0.0.1:{served.server_port}"
        for host, origin in ((own, f"http://{own}"), (own, "http://evil.example"), ("evil.example", "")):
            line = http.client.HTTPConnection("127.0.0.1", served.server_port, timeout=PATIENCE)
            headers = {"Host": host} | ({"Origin": origin} if origin else {})
            line.request("GET", "/state", headers=headers)
            answer = line.getresponse()
            answers[host, origin] = answer.status
            assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
            text = answer.read()
            line.close()
            if answer.status == 200:
                assert json.loads(text)["all"] == 4
        assert list(answers.values()) == [200, 403, 403]
        with pytest.raises(OSError, match="in use by another program: choose another --port"):
            live(EVENT, tmp_path / "none.db", served.server_port).__enter__()


def test_tables_are_made_when_games_came_and_the_rarer_the_dearer(tmp_path, monkeypatch):
    now, made = [100.0], []
    monkeypatch.setattr(live_module.time, "monotonic", lambda: now[0])

    def parts_of(*_):
        made.append(now[0])
        now[0] += 10.0
        return {"standings": str(len(made))}

    monkeypatch.setattr(live_module, "parts_of", parts_of)

    def after(seconds, games):
        now[0] += seconds
        page.show(Progress(4, games))
        page.state()
        return len(made)

    with LivePage(EVENT, tmp_path / "none.db") as page:
        assert after(0, 0) == 1  # an event without games has tables too
        assert after(500, 0) == 1  # no game came
        assert after(0, 1) == 2
        assert after(100, 2) == 2  # they took ten seconds, and may take a twentieth of the time
        assert after(100, 2) == 3


@pytest.mark.integration
def test_a_file_that_cannot_be_read_is_told_and_is_no_end(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(live_module, "EVERY", 0.0)
    path = tmp_path / "event.db"
    path.write_text("no event")
    with live(EVENT, path, 0) as served:
        page = browser.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(served.url)
        page.locator("body[data-state=failed] #status", has_text="The event cannot be shown now").wait_for()
        assert "is no tournament" in page.locator("#status").text_content()
        path.unlink()
        page.locator("body[data-state=running] #status", has_text="No game has ended yet").wait_for()
        page.close()
